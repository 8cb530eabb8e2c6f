"""Broken programs without end: `python -m tests.pipeline.fuzz FIRST LAST [FOLDER…]` analyses one mutant per
seed and prints what it broke.

Goes in: kernel files (without folders: the samples and measured programs). A mutant is a piece of
one, with tokens dropped, doubled, swapped, replaced, its end cut off or bits flipped. Comes out:
failures, which are exceptions, faults of kernlint told as problems or findings, hangs.
"""

from __future__ import annotations

import json
import random
import re
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType

from kernlint.checks.run import check_file
from kernlint.checks.selection import selected_rules
from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Selection, Settings
from kernlint.pipeline import engine
from kernlint.render import report_json
from kernlint.render.formats import FORMATS, Document
from kernlint.render.style import Style
from kernlint.source import files
from kernlint.source.sources import Sources
from tests.places import DATA, SAMPLES, TRUTH

FOLDERS = (SAMPLES, TRUTH / "kernels", DATA / "measured")
SUFFIXES = (".cu", ".cuh", ".cl")
MOST = 6_000  # characters of a mutant
HANG = 15  # seconds of the processor, of a limit of 2
SETTINGS = Settings(
    launch=LaunchOverrides(grid=(4, 1, 1), block=(64, 1, 1)),
    timeout=2,
    budget=200_000,
    max_launches=4,
)
TOKEN = re.compile(rb"\w+|\s+|[<>&|+\-=]{2,3}|.", re.S)
HOSTILE = [
    *rb"{ } ( ) [ ] < > <<< >>> :: ... * & -> ; ? : , % / << . .. @ 0 -1 1.5 0.0f 1e9 99999999999999999999 this auto sizeof".split(),
    *rb"template typename operator goto return case default static_assert __shared__ __syncthreads() threadIdx.x asm( nan # \ ".split(),
    *(b"'", b'"', b'R"(', b"\n#if 1\n", b"\\\n", b"\xff", b"\n#define if while\n"),
]


class Hang(Exception):
    """A mutant that did not look at the clock."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What a seed's mutant broke. `cause` is the same for failures of one kind."""

    seed: int
    path: str
    cause: str
    text: bytes


@cache
def pool(folders: tuple[str, ...]) -> tuple[tuple[str, bytes], ...]:
    """Every kernel file of the folders, by name."""
    paths = sorted(
        path
        for folder in folders
        for path in Path(folder).rglob("*")
        if path.suffix in SUFFIXES and path.is_file()
    )
    return tuple((str(path), path.read_bytes()) for path in paths)


def mutant(seed: int, folders: Sequence[Path] = FOLDERS) -> tuple[str, bytes]:
    """The name of the file it was made from, and its text."""
    choice = random.Random(seed)
    path, whole = choice.choice(pool(tuple(map(str, folders))))
    tokens = TOKEN.findall(_piece(whole, choice))
    for _ in range(choice.choice((1, 1, 2, 3, 6, 20))):
        if tokens:
            _change(tokens, choice)
    return path, b"".join(tokens)


def _piece(whole: bytes, choice: random.Random) -> bytes:
    """Some declarations of the file that follow one another: a whole analysis for each mutant would
    make few of them."""
    starts = [0, *(found.end() for found in re.finditer(rb"\n(?=\S)", whole))]
    kernels = [
        found.start()
        for found in re.finditer(rb"__global__|__kernel|kernel\s+void|__device__", whole)
    ]
    wanted = choice.choice(kernels) if kernels and choice.random() < 0.9 else choice.choice(starts)
    start = max(at for at in starts if at <= wanted)
    size = choice.randrange(200, MOST)
    return whole[max(0, start - choice.choice((0, 0, 300))) : start + size]


def _change(tokens: list[bytes], choice: random.Random) -> None:
    at, other = choice.randrange(len(tokens)), choice.randrange(len(tokens))
    kind = choice.randrange(8)
    if kind == 0:
        del tokens[at : at + choice.choice((1, 1, 1, 3, 30))]
    elif kind == 1:
        tokens[at:at] = tokens[at : at + choice.choice((1, 1, 3, 30))]
    elif kind == 2:
        tokens[at], tokens[other] = tokens[other], tokens[at]
    elif kind == 3:
        tokens[at] = tokens[other]
    elif kind == 4:
        tokens[at] = choice.choice(HOSTILE)
    elif kind == 5:
        tokens.insert(at, choice.choice(HOSTILE))
    elif kind == 6:
        word = bytearray(tokens[at])
        word[choice.randrange(len(word))] ^= 1 << choice.randrange(8)
        tokens[at] = bytes(word)
    elif choice.random() < 0.3:
        del tokens[at:]


def outcome(path: str, text: bytes) -> str:
    """What went wrong with one text, in words that are alike for alike failures; "" when nothing
    did."""
    previous = signal.signal(signal.SIGPROF, _hung)
    signal.setitimer(signal.ITIMER_PROF, HANG)
    try:
        return _analysed(path, text)
    except Exception as error:
        frames = [
            f"{Path(frame.filename).name}:{frame.lineno}"
            for frame in traceback.extract_tb(error.__traceback__)
        ]
        return f"{type(error).__name__}: {error} ({' '.join(frames[-3:])})"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


def _hung(number: int, frame: FrameType | None) -> None:
    raise Hang(f"{HANG} seconds")


def _analysed(path: str, text: bytes) -> str:
    """Everything that a user may ask for: facts, findings, both written out."""
    source = files.from_bytes(f"mutant{Path(path).suffix}", text)
    file = engine.analyse_source(source, SETTINGS)
    findings = check_file(file, SETTINGS.device, selected_rules(Selection(severity="info")))
    for told in (*file.problems, *findings):
        if "internal error" in told.message:
            return re.sub(r"`[^`]*`", "`…`", told.message)
    sources = Sources({file.path: source.text or ""})
    report = facts.Report(SETTINGS.device, (file,))
    document = Document(tuple(findings), sources, SETTINGS.device, (file.path,), report)
    for form in ("full", "concise", "json"):
        FORMATS[form](document, Style())
    json.dumps(report_json.to_json(report))
    return ""


def failures(
    seeds: Sequence[int], folders: Sequence[Path] = FOLDERS, seconds: float = float("inf")
) -> tuple[list[Failure], int]:
    """What the mutants of these seeds broke, and how many were tried within `seconds`."""
    found, began = [], time.monotonic()
    for tried, seed in enumerate(seeds):
        if time.monotonic() - began > seconds:
            return found, tried
        path, text = mutant(seed, folders)
        cause = outcome(path, text)
        if cause:
            found.append(Failure(seed, path, cause, text))
            print(f"seed {seed} ({path}): {cause}", flush=True)
    return found, len(seeds)


def main() -> int:
    first, last = int(sys.argv[1]), int(sys.argv[2])
    folders = tuple(map(Path, sys.argv[3:])) or FOLDERS
    began = time.process_time()
    found, tried = failures(range(first, last), folders)
    causes = {failure.cause for failure in found}
    print(
        f"{tried} mutants, {len(found)} failures of {len(causes)} kinds, {time.process_time() - began:.0f} processor seconds"
    )
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
