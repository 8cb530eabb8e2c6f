"""What a check reports: plain values, ready for any output format."""

from __future__ import annotations

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.model.facts import Number


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that belongs to the story: the array's declaration, the loop."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    span: Span
    content: str


@dataclass(frozen=True, slots=True)
class Fix:
    """`applicability`: "safe" keeps meaning and layout, "unsafe" needs a person's eye (padding
    changes an array's layout)."""

    applicability: str
    message: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Metrics:
    """The numbers behind a finding, per request unless said otherwise; None where they do not apply
    or are not known. `_low` and `_high` bound what is known to a range only; the number itself is
    None where nothing but the bounds is known."""

    degree: float | None = None  # n-way
    wavefronts: float | None = None
    wavefronts_low: float | None = None
    wavefronts_high: float | None = None
    ideal_wavefronts: float | None = None
    sectors: float | None = None
    sectors_low: float | None = None
    sectors_high: float | None = None
    ideal_sectors: float | None = None
    serial_updates: float | None = None  # of an atomic in global memory
    serial_updates_high: float | None = None
    requests: Number | None = None  # over the launch
    active_lanes: float | None = None
    cycles: float | None = None  # T model, per block
    evaluations: Number | None = None  # of a branch, by warps, over the launch
    divergent: Number | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing on one line. `assumptions`: what the numbers rest on; `notes`: why, in sentences;
    `help`: how to fix it. `reason`: of a KL003, the key of what the numbers are not known for.
    `withheld`: why an edit that there is must not be made. `headers`: those that a KL003 says are
    not there, as the source spells them; `undefined`: what kernels use and nothing seen defines.
    `device`: that the file was judged for, "" for the run's. `parts`: of a finding about several
    lines, what there is to say of each line alone, this finding's own line first; they share its
    fix and device, and its help where they have none."""

    code: str
    name: str
    severity: str  # info | warning | error
    message: str
    span: Span
    kernel: str = ""
    status: str = "exact"  # exact | range | unknown
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: str = ""
    assumptions: tuple[str, ...] = ()
    metrics: Metrics = Metrics()
    fix: Fix | None = None
    reason: str = ""
    withheld: str = ""
    headers: tuple[str, ...] = ()
    undefined: tuple[str, ...] = ()
    device: str = ""
    parts: tuple[Finding, ...] = ()
