"""What a command is asked for: one frozen value per command, its fields named as the options are.

Goes in: nothing. Comes out: classes; `kernlint.cli.arguments` fills them from the words of the
command line, and no command sees anything else of those.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass

STANDARD_INPUT = ("-",)


@dataclass(frozen=True, slots=True)
class Request:
    """Of any command."""


@dataclass(frozen=True, slots=True)
class PrintRequest(Request):
    """Of a command that prints a result."""

    output_format: str | None
    output_file: str | None
    color: str | None


@dataclass(frozen=True, slots=True)
class AnalysisRequest(PrintRequest):
    """Of a command that analyses files. Texts are as typed; `kernlint.cli.options` reads them."""

    paths: tuple[str, ...]
    block: str | None
    grid: str | None
    dynamic_shared: str | None
    arg: tuple[str, ...]
    kernel: str | None
    registers: tuple[str, ...]
    define: tuple[str, ...]
    include: tuple[str, ...]
    language: str | None
    line_table: str | None
    compile: bool
    nvcc: str | None
    stdin_filename: str | None
    device: str | None
    arch: str | None
    exclude: tuple[str, ...]
    compile_commands: str | None
    jobs: int | None
    timeout_per_file: float | None  # seconds
    no_cache: bool
    cache_dir: str | None
    config: tuple[str, ...]
    isolated: bool
    show_settings: bool
    show_files: bool

    @property
    def reads_stdin(self) -> bool:
        return self.paths == STANDARD_INPUT

    @property
    def shows(self) -> bool:
        """Whether files or settings are listed instead of analysed."""
        return self.show_settings or self.show_files

    @property
    def first_path(self) -> str:
        """The path whose configuration decides for the whole run."""
        return (self.stdin_filename or ".") if self.reads_stdin else self.paths[0]

    @property
    def stdin_name(self) -> str:
        return self.stdin_filename or "<stdin>"

    @property
    def estimates(self) -> bool:
        """Whether launches get an estimated time, whatever the rules need."""
        return False

    @property
    def derives_laws(self) -> bool:
        """Whether accesses get formulas for every size."""
        return False

    @property
    def compile_stage(self) -> bool:
        """Whether the whole compile stage runs, whatever is known of launches."""
        return False


@dataclass(frozen=True, slots=True)
class CheckRequest(AnalysisRequest):
    """`write_baseline`, `add_ignore`: "" where the option comes without its value."""

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    severity: str | None
    status: tuple[str, ...]
    fail_on: str | None
    strict: bool
    exit_zero: bool
    fix: bool
    unsafe_fixes: bool
    idle_fixes: bool
    diff: bool
    baseline: str | None
    write_baseline: str | None
    add_ignore: str | None
    also: tuple[str, ...]
    rules_url: str | None
    timings: bool
    watch: bool
    statistics: bool


@dataclass(frozen=True, slots=True)
class BaselineRequest(CheckRequest):
    verb: str  # prune or show


@dataclass(frozen=True, slots=True)
class ReportRequest(AnalysisRequest):
    against: str | None
    line: int | None
    map: bool
    laws: bool

    @property
    def derives_laws(self) -> bool:
        return self.laws

    @property
    def estimates(self) -> bool:
        return self.line is None

    @property
    def compile_stage(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class TuneRequest(AnalysisRequest):
    only: tuple[str, ...]
    diff: bool
    apply: bool


@dataclass(frozen=True, slots=True)
class CompareRequest(AnalysisRequest):
    ncu: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExplainRequest(PrintRequest):
    codes: tuple[str, ...]
    all: bool


@dataclass(frozen=True, slots=True)
class RulesRequest(PrintRequest):
    pass


@dataclass(frozen=True, slots=True)
class DevicesRequest(PrintRequest):
    name: str | None


@dataclass(frozen=True, slots=True)
class ConfigRequest(PrintRequest):
    pass


@dataclass(frozen=True, slots=True)
class CalibrateRequest(Request):
    device_name: str | None
    gpu: int
    output_file: str | None


@dataclass(frozen=True, slots=True)
class CompletionRequest(Request):
    shell: str


@dataclass(frozen=True, slots=True)
class ServerRequest(Request):
    pass
