"""Facts: what kernlint knows about each access, branch, barrier and kernel. The product; checks and
output only read them.

The JSON form (render/report_json.py) is documented in docs/report.md; names and meanings are
stable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Problem, Span

Number = int | float
REGISTERS, EITHER, LOCAL = "registers", "either", "local"  # where nvcc keeps an array of a thread
LOOPS = ("for", "while", "do")  # kinds of branches that are loops
SHAPED = "the shape of"  # why a block is assumed: an array has an element for each thread
# ends an assumption about sizes that guards are taken to let pass
EXCEEDS = " exceeds every index compared with it"
# ends an assumption about what an index is divided by
IN_ONE_ROW = " is large: a warp stays within one row of it"
AS_STATED = ", as stated"  # ends an assumption that a directive states: no guess of kernlint's
AWAY = "."  # in a lane pattern, a lane that does not evaluate the condition
UNWRITTEN = "unknown"  # the index of an access whose pointer or address kernlint cannot follow


@dataclass(frozen=True, slots=True)
class Counts:
    """Per request. `mean_low` and `mean_high` bound the mean where the status is `range`; equal to
    `mean` otherwise."""

    min: int
    mean: float
    max: int
    ideal: float
    mean_low: float
    mean_high: float


@dataclass(frozen=True, slots=True)
class Case:
    """One outcome of an unknown: `condition` in the user's names ("pitch % 32 == 0"), counts per
    request that follow."""

    condition: str
    wavefronts: float | None
    sectors: float | None


@dataclass(frozen=True, slots=True)
class Compiled:
    """What nvcc is predicted to make of an access. `requests`: over the launch, None where the grid
    is not known; `per_block` of one. `wider`: what it is where nvcc unrolls the loop `unrolled`
    further than is sure (`#pragma unroll` makes it so)."""

    bytes: int
    requests: Number | None
    active_lanes: float | None
    wavefronts: Counts | None
    sectors: Counts | None
    status: str
    charged_line: int
    # merged | forwarded | hoisted | eliminated | in-registers | aggregated | drifted | sunk
    reason: str
    per_block: Number | None = None
    wider: Compiled | None = None
    unrolled: Span | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """The costliest warp request seen, for derivations and pictures."""

    block: tuple[int, int, int]
    warp: int
    lanes: tuple[int | None, ...]  # byte offset from the object's start per lane; None: not active
    count: int  # its wavefronts or sectors


@dataclass(frozen=True, slots=True)
class Member:
    """An array in a structure that is one object: its name, where it begins, its extents and the
    bytes of an element."""

    name: str
    offset: int
    shape: tuple[int, ...]
    element_bytes: int


@dataclass(frozen=True, slots=True)
class Reload:
    """The store that may have changed what was loaded, for all nvcc knows: it would keep the value
    if the pointers were `__restrict__`. `object`: what is stored to."""

    span: Span
    text: str
    object: str


@dataclass(frozen=True, slots=True)
class Access:
    span: Span
    charged_line: int
    text: str
    object: str
    space: str  # shared | global | constant | local | texture | "" when unknown
    op: str  # load | store | atomic | copy
    hardware_op: str
    bytes: int
    index_text: str | Callable[[], str]  # read it as `index`
    status: str  # exact | range | unknown
    assumptions: tuple[str, ...] = ()
    reason: str = ""  # key of reasons.REASONS; "" when exact
    detail: str = ""  # the deciding fact in words: "row_ptr[i] is loaded from memory"
    requests: Number | None = None
    active_lanes: float | None = None
    wavefronts: Counts | None = None
    sectors: Counts | None = None
    cache_lines: Counts | None = None
    cycles: float | None = None  # T model, shared space, mean block
    as_compiled: Compiled | None = None
    reloaded: Reload | None = None  # why a value that was in a register is loaded again
    cases: tuple[Case, ...] = ()
    example: Example | None = None
    object_span: Span | None = None  # the declaration of the array
    calls: tuple[Span, ...] = ()
    notes: tuple[str, ...] = ()
    conditional: bool = False  # whether it executes depends on data: counts hold where it does
    parted: bool = False  # data may decide for single lanes of a warp, too
    in_loop: Span | None = None  # innermost loop
    width_total: int = 0  # bytes of the whole textual access (all pieces)
    object_shape: tuple[
        int, ...
    ] = ()  # extents of the accessed array, outermost first; () for a pointer or an unsized array
    element_bytes: int = 0  # of one innermost element (the whole struct); 0 when unknown
    index_unit: int | Callable[[], int] = 0  # read it as `index_bytes`
    # of a local array: what its index is: a run's `value`, a `counter` that one ends, a
    # `remainder`, by `lane`
    decided: str = ""
    # of a local array with such an index: in `registers`, in `local` memory, `either`; "" where not
    # known
    place: str = ""
    charged_path: str = ""  # the file of the charged lines, "" where it is the span's
    per_block: Number | None = (
        None  # requests of a block on average: known also where the number of blocks is not
    )
    scalar: bool = False  # the array's elements are numbers or pointers, no vectors or structs
    member: Member | None = (
        None  # the array in the object, a structure, that the measured request lies in
    )
    fewest_lanes: float | None = (
        # where data decides which lanes take part in the requests: at least so many;
        # `active_lanes`: at most
        None
    )

    @property
    def index(self) -> str:
        """The index from the object's start, in the words of the source; made when asked for, since
        that takes time."""
        return self.index_text if isinstance(self.index_text, str) else self.index_text()

    @property
    def index_bytes(self) -> int:
        """How many bytes one step of `index` is: of the element, of the member, of the access; 0
        where `index` names no unit's multiple."""
        return self.index_unit if isinstance(self.index_unit, int) else self.index_unit()


@dataclass(frozen=True, slots=True)
class Turns:
    """How a loop's body is run, over the launch. `entries`: by warps; `count`: executions of the
    body, by warps; `active_lanes`: on average in them; `idle`: share of the turns of the lanes that
    entered, over each warp's turns, after they left the loop."""

    entries: Number
    count: Number
    active_lanes: float | None = None
    idle: float | None = None


@dataclass(frozen=True, slots=True)
class Evaluated:
    """How often warps evaluate a condition, and in how many of these evaluations their lanes
    disagree (None: not known)."""

    evaluations: Number
    divergent: Number | None
    turns: Turns | None = None  # of a loop, where they are known


@dataclass(frozen=True, slots=True)
class LanePattern:
    """Which lanes of a warp go which way. `lanes`: a letter per lane, `.` where it does not
    evaluate the condition, 0 where that does not hold, 1 where it does; of a switch the number of
    the case, in base 36, and 0 for none. `evaluations`: so many of those that `Branch.counted`
    counts; `warps`: of a block, those that make them."""

    lanes: str
    evaluations: Number
    warps: tuple[int, ...]

    @property
    def parts(self) -> bool:
        """Whether lanes disagree."""
        return len({*self.lanes} - {AWAY}) > 1


@dataclass(frozen=True, slots=True)
class Branch:
    """`evaluations`, `divergent` and `turns`: over the launch. `patterns`: the most frequent ones
    in the order in which they come; none where data decides, and where the condition does not
    depend on the lane. `cases`: the labels of a switch as written."""

    span: Span
    kind: str
    condition: str
    status: str
    evaluations: Number | None
    divergent: Number | None
    reason: str = ""
    assumptions: tuple[str, ...] = ()
    calls: tuple[Span, ...] = ()
    detail: str = ""
    turns: Turns | None = None  # of a loop, where they are known
    per_block: Evaluated | None = (
        None  # what every block evaluates alike, where the number of blocks is not known
    )
    patterns: tuple[LanePattern, ...] = ()
    cases: tuple[str, ...] = ()
    # a loop that nvcc surely unrolls in full: the machine makes none of these evaluations
    unrolled: bool = False

    @property
    def counted(self) -> Evaluated | None:
        """What is evaluated over the launch, or by each block where the number of blocks is not
        known."""
        return (
            self.per_block
            if self.evaluations is None
            else Evaluated(self.evaluations, self.divergent, self.turns)
        )


def body_runs(loop: Span, branches: Iterable[Branch]) -> Number | None:
    """How often warps run a loop's body, over what `Branch.counted` counts; None where that is not
    known."""
    found = [
        evaluated.turns
        for b in branches
        if b.span == loop and b.kind in LOOPS and (evaluated := b.counted) is not None
    ]
    return max((turns.count for turns in found if turns is not None), default=None)


@dataclass(frozen=True, slots=True)
class Barrier:
    """`uniform` is False only where live lanes of a block provably disagree on reaching it; None
    when unknown. `after_exit`: some lanes of a block have returned before it. `last`: lanes that do
    not come to it come to no other barrier. Shuffles and votes are here where not all lanes come
    that they name. `absent`: lanes of one warp that come, and those that are named, run and neither
    come nor make such a call elsewhere; `unnamed`: lanes that come, and those of them that the mask
    does not name."""

    span: Span
    text: str
    scope: str
    uniform: bool | None
    after_exit: bool = False
    detail: str = ""
    calls: tuple[Span, ...] = ()
    last: bool = False
    absent: tuple[()] | tuple[tuple[int, ...], tuple[int, ...]] = ()
    unnamed: tuple[()] | tuple[tuple[int, ...], tuple[int, ...]] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """Something computed: kind is integer-division (by no constant), double-arithmetic (a float or
    integer with a double literal) or unsynchronised-shuffle (a vote, too). `loops`: the loops
    around it that it cannot be taken out of, outermost first; `part`: divisor or literal; `shared`:
    the same text may be computed with doubles too, to which the literal as a float would bring
    fewer digits."""

    span: Span
    kind: str
    text: str
    bits: int = 0  # of the type computed in
    part: Span | None = None
    loops: tuple[Span, ...] = ()
    calls: tuple[Span, ...] = ()
    shared: bool = False


@dataclass(frozen=True, slots=True)
class PointerArgument:
    offset_bytes: int
    align: int = 256


@dataclass(frozen=True, slots=True)
class ArgumentType:
    """What values an argument may have. `kind`: "integer" (from `low` to `high`), "real",
    "pointer", or "other" for what is not known. `type`: as C names it."""

    name: str
    kind: str
    type: str
    low: int = 0
    high: int = 0


@dataclass(frozen=True, slots=True)
class ArgumentFact:
    """What is stated of an integer argument: name % multiple == rest and low <= name <= high.
    `texts`: as stated."""

    name: str
    texts: tuple[str, ...] = ()
    multiple: int = 1
    rest: int = 0
    low: int | None = None
    high: int | None = None

    @property
    def wording(self) -> str:
        """`n % 4 == 0 and n >= 1024, as stated`, as it stands among assumptions."""
        return f"{' and '.join(self.texts)}{AS_STATED}"

    def within(self, low: int | None = None, high: int | None = None) -> ArgumentFact | None:
        """The fact with its ends on the first and last value from `low` to `high` that meets it;
        None where none does."""
        least = max((end for end in (self.low, low) if end is not None), default=None)
        most = min((end for end in (self.high, high) if end is not None), default=None)
        least = None if least is None else least + (self.rest - least) % self.multiple
        most = None if most is None else most - (most - self.rest) % self.multiple
        if least is not None and most is not None and least > most:
            return None
        return replace(self, low=least, high=most)


@dataclass(frozen=True, slots=True)
class Launch:
    """`grid` None only with origin "assumed". Integers whose value is known; pointers as base +
    offset. `block_assumed`: no place says how many threads a block has. `assumptions`: types that
    the host code leaves open and what they are taken to be. `stated`: facts about arguments that
    directives state, those that fix a value among `arguments` too. `aliases`: parameters that are
    given the same pointer."""

    grid: tuple[int, int, int] | None
    block: tuple[int, int, int]
    dynamic_shared_bytes: int | None
    arguments: dict[str, int | float | PointerArgument] = field(default_factory=dict)
    origin: str = "assumed"
    span: Span | None = None
    template_arguments: tuple[str, ...] = ()
    block_assumed: bool = False
    assumptions: tuple[str, ...] = ()
    block_origin: str = (
        ""  # where the block is from while the grid is not known: "the launch at line 21"
    )
    stated: tuple[ArgumentFact, ...] = ()
    dynamic_shared_reason: str = (
        ""  # why the bytes that the host code gives are not known, in words
    )
    aliases: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Saving:
    """What a launch would gain without `cause`: cycles, and as a share of the estimated time."""

    cause: str
    cycles: int
    share: float


@dataclass(frozen=True, slots=True)
class Stream:
    """A loop without a barrier through which the warps of a block load `object` from global memory.
    Bytes per block over the loop: `distinct` in all, `by_warps` summed over what each warp touches;
    `at_once`: what one iteration of all resident blocks brings in."""

    loop: Span
    object: str
    iterations: int
    distinct: float
    by_warps: float
    at_once: float


@dataclass(frozen=True, slots=True)
class Caching:
    """L1 of one multiprocessor and what is resident there. `needed`: lines that all accesses of all
    resident warps touch at once; `sectors` of global loads over the launch, `fresh` those that the
    block had not touched before."""

    l1_bytes: int
    line_bytes: int
    threads: int
    blocks: int
    needed: float
    sectors: float
    fresh: float
    streams: tuple[Stream, ...]

    @property
    def lines(self) -> int:
        return self.l1_bytes // self.line_bytes


@dataclass(frozen=True, slots=True)
class Estimate:
    """The time of a launch on `device` by `model`. `cycles` of the SM clock for the whole launch,
    between `cycles_low` and `cycles_high` where facts are not known; `block_cycles`: one block
    alone. `parts` overlap in time: they do not add up. `occupancy` 0 to 1."""

    device: str
    model: str
    cycles: int
    microseconds: float
    cycles_low: int
    cycles_high: int
    block_cycles: int
    limiter: str
    parts: dict[str, float]
    savings: tuple[Saving, ...]
    occupancy: float
    occupancy_limiters: tuple[str, ...]
    registers: int | None
    instructions: int
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A scalar value handed to a kernel: "n", or "a.mass" for a member. `bytes` None where the type
    is not known."""

    name: str
    bytes: int | None
    pointer: bool = False


@dataclass(frozen=True, slots=True)
class Kernel:
    name: str
    qualified_name: str
    template_arguments: tuple[str, ...]
    span: Span  # of the definition
    launch: Launch
    accesses: tuple[Access, ...]
    branches: tuple[Branch, ...]
    barriers: tuple[Barrier, ...]
    static_shared_bytes: int
    dynamic_shared_bytes: int | None
    shared_cycles: float | None = None
    shared_cycles_ideal: float | None = None
    assumptions: tuple[str, ...] = ()
    operations: tuple[Operation, ...] = ()
    estimate: Estimate | str = ""  # or why there is none; "" when it was not asked for
    caching: Caching | None = None  # where it is measured and the device's caches are known
    parameters: tuple[Parameter, ...] = ()
    shared_cycles_low: float | None = None  # between these, where nvcc may change accesses
    shared_cycles_high: float | None = None
    # what the compiler may join was not looked at: too much in a kernel whose launch is not known
    as_written: bool = False
    # "cuda" or "opencl", also of one in a string of a file that is neither; "" for that of the file
    language: str = ""


@dataclass(frozen=True, slots=True)
class File:
    path: str
    language: str
    problems: tuple[Problem, ...]
    kernels: tuple[Kernel, ...]
    lines: int = 0
    text: str = ""
    missing_headers: tuple[
        str, ...
    ] = ()  # names of headers that were not found, as the source spells them
    parameters: tuple[ArgumentType, ...] = ()  # of all kernels; one name may have several types
    sought: tuple[
        tuple[str, bool], ...
    ] = ()  # where headers were looked for, and whether one was there
    unfinished: bool = False  # stopped by the clock: another run may get further
    altered: tuple[
        Span, ...
    ] = ()  # where the file holds escapes, placeholders and the like instead of the analysed text
    device: str = ""  # that it was analysed for; "" for the report's
    is_hip: bool = False  # a dialect of the language "cuda"
    skipped: tuple[
        tuple[int, int], ...
    ] = ()  # lines, from one to another, whose text stands in branches of `#if` that are not taken


@dataclass(frozen=True, slots=True)
class Report:
    """`device`: of the run; a file may be for another."""

    device: str
    files: tuple[File, ...]

    def device_of(self, file: File) -> str:
        return file.device or self.device
