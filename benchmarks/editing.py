"""How long findings take after an edit: a real `kernlint server` over standard input and output,
with a file of 500 lines.

    python benchmarks/editing.py [FILE.cu]

Opens the file (without one: `editing.cu` beside this script), waits until all is analysed, then
types: 50 edits of each kind, each waited for. Printed are the median and the 95th percentile of the
time from the edit to its first diagnostics and to those of the whole file, less the server's pause
after typing, and the processor time of the server and its worker processes, which other programs on
the machine disturb less. The first diagnostics are the whole ones but where many kernels must be
executed again: those that are still missing then are withdrawn.

Limit: 200 ms at the 95th percentile to the first diagnostics, on an idle machine.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

EDITS = 50
UNDER_WAY = "being analysed"
OWN = Path(__file__).with_suffix(".cu")
TICKS = os.sysconf("SC_CLK_TCK")
NEW = "__device__ inline float cube(float x) { return x * x * x; }\n"
Edit = tuple[int, int, str, str]  # line and column (from 0), the text there, the new text


class Client:
    """As much of an editor as it takes."""

    def __init__(self) -> None:
        words = [sys.executable, "-m", "kernlint", "server"]
        self.server = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.version = 1
        self.number = 10  # of the last request
        self.lenses: list[str] = []

    def send(self, method: str, params: Any, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | (
            {} if number is None else {"id": number}
        )
        body = json.dumps(message).encode()
        assert self.server.stdin is not None
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.server.stdin.flush()

    def received(self) -> dict[str, Any]:
        out = self.server.stdout
        assert out is not None
        length = 0
        while (line := out.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if not length:
            raise SystemExit("the server has gone")
        message: dict[str, Any] = json.loads(out.read(length))
        return message

    def diagnostics(self, answer: int = 0) -> list[Any] | None:
        """Of the present version; what is for older ones is passed over. None where that answer is
        there first: see `self.lenses`."""
        while True:
            message = self.received()
            if (
                message.get("method") == "textDocument/publishDiagnostics"
                and message["params"].get("version") == self.version
            ):
                found: list[Any] = message["params"]["diagnostics"]
                return found
            if answer and message.get("id") == answer:
                self.lenses = [lens["command"]["title"] for lens in message["result"] or ()]
                return None

    def whole(self, uri: str, found: list[Any] | None) -> tuple[list[Any], float]:
        """The last diagnostics of the present version, and when they came: no lens says that a
        kernel is still under way."""
        came = time.perf_counter()
        while True:
            self.number += 1
            self.send("textDocument/codeLens", {"textDocument": {"uri": uri}}, self.number)
            while (more := self.diagnostics(self.number)) is not None:
                found, came = more, time.perf_counter()
            if not any(UNDER_WAY in lens for lens in self.lenses):
                return found or [], came
            found, came = self.diagnostics(), time.perf_counter()

    def start(self, uri: str, text: str) -> list[Any]:
        self.send("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": {}}, 1)
        while self.received().get("id") != 1:
            pass
        self.send("initialized", {})
        self.send(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text}},
        )
        return self.whole(uri, self.diagnostics())[0]

    def edit(self, uri: str, edit: Edit) -> tuple[float, float, float]:
        """Seconds until the first and the last diagnostics are there, and the server's processor
        time."""
        line, column, old, text = edit
        self.version += 1
        rows = old.split("\n")
        end = {
            "line": line + len(rows) - 1,
            "character": len(rows[-1]) + (column if len(rows) == 1 else 0),
        }
        where = {"start": {"line": line, "character": column}, "end": end}
        before, began = self.processor(), time.perf_counter()
        self.send(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": self.version},
                "contentChanges": [{"range": where, "text": text}],
            },
        )
        found = self.diagnostics()
        first = time.perf_counter()
        _, last = self.whole(uri, found)
        return first - began, last - began, self.processor() - before

    def processor(self) -> float:
        """Of the server and its worker processes."""
        children = Path(f"/proc/{self.server.pid}/task/{self.server.pid}/children")
        workers = [
            int(word)
            for path in children.parent.parent.glob("*/children")
            for word in path.read_text(encoding="utf-8").split()
        ]
        return sum(map(_processor, (self.server.pid, *workers)))

    def stop(self) -> None:
        self.send("shutdown", None, 2)
        while self.received().get("id") != 2:
            pass
        self.send("exit", None)
        self.server.wait(10)


def _processor(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def typed(place: str, text: str, words: Callable[[int], str], after: bool = True) -> Iterator[Edit]:
    """`words(n)` written at a place of the text, for n from 0 on, each in place of the one
    before."""
    at = text.index(place) + (len(place) if after else 0)
    line, column = text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1
    before = ""
    for n in range(EDITS):
        now = words(n)
        yield line, column, before, now
        before = now
    yield line, column, before, ""


def kinds(text: str) -> dict[str, Iterator[Edit]]:
    """What is typed, for `editing.cu`; in other files a comment on the first line."""
    if "transposeTiled" not in text:
        return {"a comment above everything": typed("", text, lambda n: "//" + "x" * n)}
    tile = "__shared__ float tile[TILE][TILE"
    return {
        "a padding in one kernel": typed(tile, text, lambda n: f" + {n}"),
        "statements in a larger kernel": typed(
            "int t = threadIdx.x, offset = 1;", text, lambda n: f" t += {n} - {n};"
        ),
        "lines in a kernel": typed("float4 own = bodies[i];", text, lambda n: "\n" * (n + 1)),
        "a comment": typed(
            "// A row for each block: exp(x - max) / sum.", text, lambda n: "x" * (n + 1)
        ),
        "lines above everything": typed(
            "#include <cstdio>", text, lambda n: "\n" * (n + 1), after=False
        ),
        "host code": typed('printf("done', text, lambda n: "x" * (n + 1)),
        "a size in host code": typed("matrices(2048", text, lambda n: f" + {n} - {n}"),
        "a new function above all": typed(
            "\nstruct Particle {", text, lambda n: NEW[: n + 1], after=False
        ),
        "words before a struct": typed(
            "struct Particle {", text, lambda n: NEW[: n + 1], after=False
        ),
        "a helper that all use": typed(
            "return row * pitch + column", text, lambda n: f" + {n} - {n}"
        ),
        "a macro that all use": typed("#define THREADS 256", text, lambda n: f" + {n} - {n}"),
    }


def main(paths: list[str]) -> None:
    path = Path(paths[0]).resolve() if paths else OWN
    text, uri = path.read_text(encoding="utf-8"), path.as_uri()
    sys.path.insert(0, str(OWN.parent.parent))
    from kernlint.server.server import DELAY

    def row(times: tuple[float, ...]) -> str:
        ordered = sorted(1000 * (seconds - DELAY) for seconds in times)
        return f"p50 {statistics.median(ordered):5.0f} ms  p95 {ordered[int(len(ordered) * 0.95)]:5.0f} ms"

    client = Client()
    began = time.perf_counter()
    found = client.start(uri, text)
    taken = time.perf_counter() - began
    print(
        f"{path.name}: {text.count(chr(10))} lines, {len(found)} findings, the first {taken:.2f} s after the start"
    )
    for title, edits in kinds(text).items():
        firsts, wholes, processors = zip(*(client.edit(uri, edit) for edit in edits), strict=True)
        print(
            f"{title:<30} {row(firsts)}  whole {row(wholes)}  processor {1000 * statistics.fmean(processors):5.0f} ms",
            flush=True,
        )
    client.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
