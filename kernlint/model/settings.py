"""What the user asked for, as plain values: how to analyse, and which findings to show.

The command line fills these; the engine and the checks read them. Nothing here touches files.
"""

from __future__ import annotations

from collections.abc import Mapping

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Span
from kernlint.base.usage import DEFAULT_DEVICE
from kernlint.model.facts import PointerArgument

TIMEOUT = 10.0  # what the commands take where nothing is said
Dim3 = tuple[int, int, int]
Argument = int | float | PointerArgument


@dataclass(frozen=True, slots=True)
class LaunchDirective:
    """`kernel` "" applies to the kernel that holds the directive, else to the next one; template
    arguments as written."""

    span: Span
    kernel: str = ""
    template_arguments: tuple[str, ...] | None = None
    grid: Dim3 | None = None
    block: Dim3 | None = None
    dynamic_shared_bytes: int | None = None
    arguments: dict[str, int | float | PointerArgument] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LaunchOverrides:
    """Launch facts from the command line: each one that is given replaces the source's own."""

    grid: Dim3 | None = None
    block: Dim3 | None = None
    dynamic_shared_bytes: int | None = None
    arguments: dict[str, Argument] = field(default_factory=dict)

    def given(self) -> bool:
        return (
            self.grid is not None
            or self.block is not None
            or self.dynamic_shared_bytes is not None
            or bool(self.arguments)
        )


@dataclass(frozen=True, slots=True)
class Compiler:
    """nvcc: its path and its version, "13.0.88"."""

    path: str
    version: str


@dataclass(frozen=True, slots=True)
class Settings:
    """How to analyse. `language` None: by file name and contents. `kernel`: only kernels of this
    name (plain or qualified)."""

    device: str = DEFAULT_DEVICE
    device_assumed: bool = False  # nobody named one
    defines: dict[str, str] = field(default_factory=dict)
    include_dirs: tuple[str, ...] = ()
    language: str | None = None
    launch: LaunchOverrides = field(default_factory=LaunchOverrides)
    kernel: str | None = None
    # launch facts of a configuration file; a kernel's own directives come before them
    stated: tuple[LaunchDirective, ...] = ()
    # per file; what lies beyond is reported as a problem, never dropped silently
    max_launches: int = 64
    budget: int = 20_000_000  # units of work for one kernel launch
    timeout: float = 0.0  # seconds of the processor for one file, the last resort; 0 for no limit
    estimate: bool = False  # whether to estimate times
    # whether all that nvcc may do to accesses is looked for where no grid is known, too: findings
    # need less, and it takes as long as all else
    compile_stage: bool = False
    laws: bool = False  # whether each access gets formulas for every size
    # per thread, by kernel with or without template arguments; "" for others
    registers: Mapping[str, int] = field(default_factory=dict)
    compiler: Compiler | None = None  # whose machine code is read; None: predicted
    line_table: bool = True  # places in PTX are those of the source that its line table names


@dataclass(frozen=True, slots=True)
class Selection:
    """Which findings to show. `severity` None: warnings and errors, and whatever `select` names by
    its own code or name.

    `severities`: levels by code that replace the rules' own ("off" drops a rule); `thresholds`:
    limits by code and name. `narrowed`: this run was asked for some rules and not others, which the
    project's own settings do not say.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: str | None = None
    statuses: tuple[str, ...] = ()
    severities: Mapping[str, str] = field(default_factory=dict)
    thresholds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    narrowed: bool = False
