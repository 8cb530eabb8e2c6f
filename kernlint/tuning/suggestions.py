"""The paddings of an array that its measured requests suggest, for analyses to choose among.

Goes in: an array, the kernels that access it. Comes out: elements to add to each row, the most
promising first.
"""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.checks import context
from kernlint.checks.context import Executed
from kernlint.checks.shared_memory import padding
from kernlint.hardware import Device
from kernlint.model import facts
from kernlint.source_model.declared_rows import Rows
from kernlint.tuning.arrays import TunedArray

MOST = 4  # analyses for one array


def suggested(array: TunedArray, kernels: Iterable[facts.Kernel], device: Device) -> list[int]:
    """The paddings that help some access, of the costliest first."""
    length = array.rows.length if isinstance(array.rows, Rows) else 0
    own = [
        (access, kernel) for kernel in kernels for access in kernel.accesses if is_of(access, array)
    ]
    costly = sorted(own, key=lambda one: _excess(*one), reverse=True)
    found = [
        padding.candidates(access, kernel, device, length)
        for access, kernel in costly
        if _excess(access, kernel) > 0
    ]
    return list(dict.fromkeys(more for some in found for more in some))[:MOST]


def is_of(access: facts.Access, array: TunedArray) -> bool:
    return access.space == "shared" and (access.object, access.object_span) == (
        array.name,
        array.span,
    )


def executed(kernel: facts.Kernel, access: facts.Access) -> Executed | None:
    return context.executed(kernel, access, lambda one: one.wavefronts)


def _excess(access: facts.Access, kernel: facts.Kernel) -> float:
    entry = executed(kernel, access)
    return 0.0 if entry is None else entry.excess
