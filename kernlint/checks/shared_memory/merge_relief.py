"""What nvcc may make of an access that conflicts, so that it does not: one as wide as the source
allows and does not enforce.

Goes in: an access as the machine surely executes it. Comes out: how wide it then is and what it
takes; None where it surely conflicts or surely is as it is told.
"""

from __future__ import annotations

from kernlint import hardware
from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.checks.context import Executed
from kernlint.checks.shared_memory import padding
from kernlint.hardware import Device
from kernlint.model.facts import Compiled


@dataclass(frozen=True, slots=True)
class Relief:
    """An access of `bytes` without a conflict: `wavefronts` per request. `loop`: the one whose
    unrolling by four or more makes it so; None where only the machine code tells whether neighbours
    are merged."""

    bytes: int
    wavefronts: float
    loop: Span | None = None


def relief(entry: Executed, device: Device) -> Relief | None:
    if entry.compiled:
        return _unrolled(entry.access.as_compiled)
    request = padding.request_of(entry.access)
    if (
        entry.access.reason != "compiler"
        or request is None
        or entry.counts.mean_low > entry.counts.ideal
    ):
        return None
    width = padding.free_when_merged(request, device)
    return (
        Relief(width, hardware.ideal_wavefronts(request.offsets, width, request.op, device))
        if width
        else None
    )


def _unrolled(compiled: Compiled | None) -> Relief | None:
    wider = compiled.wider if compiled is not None else None
    if (
        compiled is None
        or wider is None
        or wider.wavefronts is None
        or wider.wavefronts.mean > wider.wavefronts.ideal
    ):
        return None
    return Relief(wider.bytes, wider.wavefronts.mean, compiled.unrolled)
