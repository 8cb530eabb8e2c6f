"""Source against PTX as text for people and as JSON. In: `against.Against`. Out: text, or plain
dictionaries."""

from __future__ import annotations

from typing import Any

from kernlint.comparison.ptx_against_source import Against, ComparedKernel, Difference, LineAccesses
from kernlint.render.style import Style


def render(found: Against, style: Style) -> str:
    lines: list[str] = []
    for pair in found.pairs:
        lines += [style.paint(_title(pair), "strong"), *_rows(pair), ""]
    lines += [*found.alone, ""] if found.alone else []
    return (
        "\n".join(style.plain(line) if not line.startswith("\x1b") else line for line in lines)
        + "\n"
        if lines
        else ""
    )


def _title(pair: ComparedKernel) -> str:
    kernel, launch = pair.source, pair.source.launch
    name = kernel.name + (
        f"<{', '.join(kernel.template_arguments)}>" if kernel.template_arguments else ""
    )
    grid = "grid unknown" if launch.grid is None else f"grid {'x'.join(map(str, launch.grid))}"
    return f"{name}  {grid}, block {'x'.join(map(str, launch.block))}"


def _rows(pair: ComparedKernel) -> list[str]:
    total = pair.alike + len(pair.differences)
    if not pair.differences:
        return [f"  all {total} lines with accesses are as in the source"]
    rows = [
        f"  line {d.line:>4}  {d.space} {d.op:<6}  {_side(d.source):<34} -> {_side(d.ptx):<34}  {d.text}"
        for d in pair.differences
    ]
    return [*rows, f"  {pair.alike} of {total} lines with accesses are as in the source"]


def _side(side: LineAccesses | None) -> str:
    if side is None:
        return "none"
    requests = "requests unknown" if side.requests is None else f"{side.requests:,.0f} requests"
    return f"{side.accesses} of {'/'.join(map(str, side.bytes))} B, {requests}"


def to_json(found: Against) -> dict[str, Any]:
    return {"kernels": [_pair(pair) for pair in found.pairs], "alone": list(found.alone)}


def _pair(pair: ComparedKernel) -> dict[str, Any]:
    return {
        "name": pair.source.name,
        "template_arguments": list(pair.source.template_arguments),
        "grid": None if pair.source.launch.grid is None else list(pair.source.launch.grid),
        "block": list(pair.source.launch.block),
        "alike": pair.alike,
        "differences": [_difference(d) for d in pair.differences],
    }


def _difference(d: Difference) -> dict[str, Any]:
    place = {"line": d.line, "space": d.space, "op": d.op, "reason": d.reason, "text": d.text}
    return {**place, "source": _side_json(d.source), "ptx": _side_json(d.ptx)}


def _side_json(side: LineAccesses | None) -> dict[str, Any] | None:
    return (
        None
        if side is None
        else {"accesses": side.accesses, "bytes": list(side.bytes), "requests": side.requests}
    )
