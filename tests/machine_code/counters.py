"""Holds executed machine code against an H100's counters, line by line.

usage: python -m tests.machine_code.counters [PROGRAM ...]    (needs nvcc and nvdisasm, no GPU)

In: counters (`tests/data/truth`, `tests/data/measured`), a cubin and its listing per program. Out:
a `Verdict` per measured line: agrees (units per request within 0.5 %), exact, equal (requests,
lanes, units and widths to the digit).
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernlint.comparison.names import parse
from kernlint.hardware.devices import device
from kernlint.machine_code.disassembly import listing
from kernlint.machine_code.execute import LineCount, Module
from kernlint.machine_code.launch import Argument, DevicePointer, MachineLaunch
from tests.compiler.toolkit import cubin
from tests.places import DATA, TRUTH

RECORDED = DATA / "machine_code"
PROGRAMS = sorted(path.stem for path in RECORDED.glob("*.cubin"))
VARIED = RECORDED / "varied"
VARIED_PROGRAMS = sorted(path.stem for path in VARIED.glob("*.cubin"))
MEASURED = DATA / "measured"


@dataclass(frozen=True)
class Verdict:
    program: str
    kernel: str
    line: tuple[Any, ...]
    agrees: bool
    exact: bool
    equal: bool
    invented: bool = False


def launches(folder: Path) -> list[dict[str, Any]]:
    name = "h100_kernels.json" if folder == TRUTH else "h100.json"
    found: list[dict[str, Any]] = json.loads((folder / name).read_text(encoding="utf-8"))
    return found


def recorded(program: str) -> Module:
    data = (RECORDED / f"{program}.cubin").read_bytes()
    return Module.of(data, gzip.decompress((RECORDED / f"{program}.json.gz").read_bytes()).decode())


def compiled(program: Path) -> Module:
    with tempfile.TemporaryDirectory() as folder:
        made = cubin(program, Path(folder))
        return Module.of(made.read_bytes(), listing("nvdisasm", made))


def hold(module: Module, source: str, entry: dict[str, Any]) -> Iterator[Verdict]:
    """One verdict per measured line of a launch, and one per exact line that was not measured."""
    name = kernel_of(module, entry)
    launch = MachineLaunch(
        tuple(entry["grid"]),
        tuple(entry["block"]),
        entry["dynamic_shared"],
        arguments(source, entry),
    )
    counted = {
        (Path(c.place.path).name, c.place.line, c.space, c.op): c
        for c in module.count(name, launch, device("h100"))
        if c.place is not None
    }
    measured = {(m["source"], m["line"], m["space"], m["op"]): m for m in entry["lines"]}
    for key, truth in measured.items():
        if truth["requests"]:
            yield _verdict(entry, key, truth, counted.get(key))
    for key, count in counted.items():
        if key not in measured and not count.doubt and count.requests:
            yield Verdict(entry["program"], entry["kernel"], key, False, True, False, True)


def _verdict(
    entry: dict[str, Any], key: tuple[Any, ...], truth: dict[str, Any], count: LineCount | None
) -> Verdict:
    if count is None:
        return Verdict(entry["program"], entry["kernel"], key, False, False, False)
    units = truth.get("wavefronts", truth.get("sectors"))
    per_request = units / truth["requests"]
    agrees = abs(count.units / max(1, count.requests) - per_request) <= 0.005 * per_request
    numbers = (count.requests, count.threads, count.units, list(count.bits))
    equal = numbers == (truth["requests"], truth["threads"], units, sorted(truth["bits"]))
    return Verdict(entry["program"], entry["kernel"], key, agrees, not count.doubt, equal)


def kernel_of(module: Module, entry: dict[str, Any]) -> str:
    """The mangled name of a measured kernel."""
    names = list(module.kernels)
    said = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True)
    wanted = parse(entry["signature"])
    for text, name in zip(said.stdout.splitlines(), names, strict=True):
        found = parse(text)
        if (found.plain, found.arguments or ()) == (wanted.plain, wanted.arguments or ()):
            return name
    raise LookupError(entry["signature"])


def arguments(source: str, entry: dict[str, Any]) -> dict[int, Argument]:
    """By ordinal: pointers into allocations of their own, and the integers that were measured."""
    found: dict[int, Argument] = {}
    names = _parameter_names(source, entry["kernel"])
    for ordinal, kind in enumerate(_split(entry["signature"][:-1].rpartition("(")[2])):
        name = names[ordinal] if ordinal < len(names) else ""
        if kind.endswith("*"):
            found[ordinal] = DevicePointer()
        elif isinstance(entry["arguments"].get(name), int):
            found[ordinal] = entry["arguments"][name]
    return found


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _parameter_names(source: str, kernel: str) -> list[str]:
    plain = re.sub(r"//.*", "", source)
    match = re.search(rf"\b{kernel}\s*\(([^;{{]*?)\)\s*\{{", plain)
    return [(re.findall(r"\w+", part) or [""])[-1] for part in _split(match[1])] if match else []


def report(verdicts: Iterable[Verdict]) -> str:
    count: Counter[str] = Counter()
    for verdict in verdicts:
        if verdict.invented:
            count["exact but not measured"] += 1
            continue
        count["lines"] += 1
        count["agree"] += verdict.agrees
        count["exact"] += verdict.exact
        count["exact and equal"] += verdict.exact and verdict.equal
    return ", ".join(f"{number} {what}" for what, number in count.items())


def main(wanted: list[str]) -> None:
    for folder in (TRUTH, MEASURED):
        verdicts: list[Verdict] = []
        modules: dict[str, Module] = {}
        for entry in launches(folder):
            program = folder / "kernels" / entry["program"]
            if wanted and program.stem not in wanted:
                continue
            if entry["program"] not in modules:
                modules[entry["program"]] = compiled(program)
            module = modules[entry["program"]]
            verdicts += hold(module, program.read_text(encoding="utf-8"), entry)
        for verdict in verdicts:
            if verdict.exact and not verdict.equal:
                print("not equal:", verdict.program, verdict.kernel, *verdict.line)
        print(f"{folder.name}: {report(verdicts)}")


if __name__ == "__main__":
    main(sys.argv[1:])
