"""Laws as the page shows them: formulas as texts that its script reads, where its sliders begin, and
what a request is drawn by.

Goes in: an access or a branch with its law, its kernel, the device. Comes out: a dictionary. All
formulas are those of the text report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kernlint.checks import words
from kernlint.hardware import Device
from kernlint.model import facts
from kernlint.render import derivation

AXES = "xyz"
SPACES = ("shared", "global")  # where requests are drawn
ITERATION = "iteration of"  # how the meaning of a loop counter begins


def of_access(access: facts.Access, kernel: facts.Kernel, device: Device) -> dict[str, Any] | None:
    """`drawn`: what makes the addresses of a request, None where they are not known."""
    law = access.law
    if law is None:
        return None
    drawn = None
    if law.index is not None and access.space in SPACES:
        drawn = _drawn(access, law, kernel, device)
    return _law(derivation.law_rows(law), law.domain, law.symbols, kernel) | {"drawn": drawn}


def of_branch(branch: facts.Branch, kernel: facts.Kernel) -> dict[str, Any] | None:
    law = branch.law
    if law is None:
        return None
    return _law(derivation.branch_rows(law), law.domain, {}, kernel) | {"drawn": None}


def of_kernel(kernel: facts.Kernel) -> list[list[str]]:
    return [] if kernel.law is None else [list(row) for row in derivation.kernel_rows(kernel.law)]


def _law(
    rows: Iterable[tuple[str, str]],
    domain: Sequence[str],
    symbols: Mapping[str, str],
    kernel: facts.Kernel,
) -> dict[str, Any]:
    """`start`: of the symbols that are not fixed, the launch's values where it gives them."""
    sizes = zip(AXES, kernel.launch.block, strict=True)
    return {
        "rows": [list(row) for row in rows],
        "domain": list(domain),
        "symbols": dict(symbols),
        "fixed": {f"bd{axis}": size for axis, size in sizes},
        "start": _start(symbols, kernel.launch),
    }


def _start(symbols: Mapping[str, str], launch: facts.Launch) -> dict[str, int]:
    grid = launch.grid or (1, 1, 1)
    found = {f"b{axis}": 0 for axis in AXES}
    found |= {f"gd{axis}": size for axis, size in zip(AXES, grid, strict=True)}
    found |= {name: 0 for name, meaning in symbols.items() if meaning.startswith(ITERATION)}
    given = launch.arguments.items()
    return found | {name: value for name, value in given if isinstance(value, int)}


def _drawn(
    access: facts.Access, law: facts.Law, kernel: facts.Kernel, device: Device
) -> dict[str, Any]:
    """How lanes make bytes, and bytes banks or sectors."""
    x, y, z = kernel.launch.block
    found = {
        "space": access.space,
        "units": list(words.UNITS[access.space]),
        "unit": law.index_bytes,
        "bytes": access.bytes,
        "block": [x, y, z],
        "warps": -(-x * y * z // device.warp_lanes),
    }
    if access.space != "shared":
        return found
    schedule = device.schedule(access.hardware_op, access.bytes)
    return found | {
        "schedule": {
            "lanes": schedule.lanes,
            "mode": schedule.mode,
            "passes": schedule.passes,
            "paired": schedule.paired_lanes,
            "partners": list(schedule.partners),
            "order": list(schedule.order),
        }
    }
