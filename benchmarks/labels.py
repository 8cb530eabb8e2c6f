"""Kernels labelled by machine code: what each line executes, by space and operation.

In: a CUDA file, and the launch of each kernel in it. Out: the entries of `labels.json` that
`benchmarks.probes` reads. A line that loaded data decides has `executed: null`. Needs nvcc and
nvdisasm; no GPU.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernlint.hardware.devices import Device
from kernlint.lowering.templates.demangling import demangled
from kernlint.machine_code import toolkit
from kernlint.machine_code.accesses import kind
from kernlint.machine_code.execute import Module, run
from kernlint.machine_code.launch import MachineLaunch
from kernlint.machine_code.tally import UNMEASURED, Count

Where = tuple[int, str, str]  # line, operation, space; the file's own lines


def labelled(
    path: Path, launches: Mapping[str, MachineLaunch], device: Device
) -> list[dict[str, Any]]:
    module = toolkit.compiled(toolkit.nvcc(), str(path), device.capability or 90, {}, [])
    found = []
    for symbol in module.kernels:
        name = demangled(symbol).name
        if name in launches:
            lines = _lines(module, symbol, launches[name], device, path.name)
            found.append({"kernel": name, "file": path.name, "lines": lines})
    return found


def _lines(
    module: Module, symbol: str, launch: MachineLaunch, device: Device, file: str
) -> list[dict[str, Any]]:
    program, table = module.program(symbol), module.lines[symbol]
    groups: dict[Where, list[tuple[int, Count]]] = defaultdict(list)
    for (index, space), count in run(program, launch, device).items():
        instruction = program.code[index]
        place = table.at(instruction.address)
        what = kind(instruction)
        line = place.line if place is not None and Path(place.path).name == file else 0
        groups[line, what.op, space].append((what.bits // 8, count))
    found = [_line(where, rows) for where, rows in sorted(groups.items())]
    generic = [each for each in found if each["space"] == "generic"]
    return found + [{**each, "space": space} for each in generic for space in ("global", "shared")]


def _line(where: Where, rows: list[tuple[int, Count]]) -> dict[str, Any]:
    """Atomics have counts of requests alone where their sectors are not measured, and so has local
    memory."""
    line, op, space = where
    executed = Counter[str]()
    for width, count in rows:
        executed[str(width)] += count.performed
    is_open = any(count.doubt not in ("", UNMEASURED) for _, count in rows)
    return {
        "line": line,
        "op": op,
        "space": space,
        "executed": None if is_open else dict(+executed),
        "units": sum(count.units for _, count in rows),
    }
