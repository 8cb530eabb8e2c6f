"""A kernel as its file writes it.

In: what `kernels.py` finds. Out: plain records. Lowers nothing.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Problem, Span
from kernlint.lowering.scopes import FunctionEntity


@dataclass(frozen=True, slots=True)
class Attributes:
    """What a kernel's declaration says about its launches."""

    launch_bounds: tuple[int, ...] = ()
    required_block: tuple[int, int, int] | None = None
    cluster: tuple[int, int, int] | None = None  # its blocks


@dataclass(slots=True, eq=False)
class KernelTemplate:
    """A kernel as written: one per definition, template or not."""

    name: str
    qualified_name: str
    span: Span
    is_template: bool
    entity: FunctionEntity
    attributes: Attributes = field(default_factory=Attributes)
    explicit_instantiations: list[tuple[str, ...]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
