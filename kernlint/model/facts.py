"""Facts: what kernlint knows about each access, branch, barrier and kernel. The product; checks and
output only read them.

A fact that is reported is declared once, with its field: `fact(…)` holds its meaning, its key and
what else the JSON report needs (`declaration.py`). Keys stand in the order of the fields, those
that may be left out (`sparse`) behind the others; names and meanings are stable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Problem, Span
from kernlint.model import json_forms as forms
from kernlint.model.declaration import fact, key, keys
from kernlint.model.element_index import ElementIndex, IndexTerm

Number = int | float
REGISTERS, EITHER, LOCAL = "registers", "either", "local"  # where nvcc keeps an array of a thread
LOOPS = ("for", "while", "do")  # kinds of branches that are loops
SHAPED = "the shape of"  # why a block is assumed: an array has an element for each thread
# ends an assumption about sizes that guards are taken to let pass
EXCEEDS = " exceeds every index compared with it"
NOT_NULL = " is not null"
# ends an assumption about what an index is divided by
IN_ONE_ROW = " is large: a warp stays within one row of it"
AS_STATED = ", as stated"  # ends an assumption that a directive states: no guess of kernlint's
AWAY = "."  # in a lane pattern, a lane that does not evaluate the condition
UNWRITTEN = "unknown"  # the index of an access whose pointer or address kernlint cannot follow

STATUS = forms.one_of("exact", "range", "unknown")
SPACE = forms.one_of("shared", "global", "constant", "local", "texture", "generic", "")
PATH = key(
    "only if it differs from the file's: code of a header",
    "path",
    "span.path",
    only=forms.elsewhere,
)


@dataclass(frozen=True, slots=True)
class Counts:
    """What one request counts, over those executed."""

    min: int = field(metadata=fact("of the cheapest request"))
    mean: float = field(
        metadata=fact(
            "per request; with status `range` and a `reason` other than `compiler`, the "
            "mean over all values that the unknown may have, with equal weights: not a "
            "prediction"
        )
    )
    max: int = field(metadata=fact("of the costliest request"))
    ideal: float = field(
        metadata=fact(
            "sectors: the distinct bytes of a request divided by 32, rounded up; wavefronts: the "
            "passes left when no two words share a bank (1 up to 4 bytes, else the lane groups "
            "that hold an active lane)"
        )
    )
    mean_low: float = field(
        metadata=fact("bounds of the mean; only with status `range`", sparse=True)
    )
    mean_high: float = field(
        metadata=fact("bounds of the mean; only with status `range`", sparse=True)
    )


@dataclass(frozen=True, slots=True)
class Case:
    """One outcome of an unknown."""

    condition: str = field(
        metadata=fact(
            'in the user\'s names, such as "pitch % 32 == 0"; the first that holds decides, '
            '"otherwise" where none does'
        )
    )
    wavefronts: float | None = field(metadata=fact("per request, if the condition holds"))
    sectors: float | None = field(metadata=fact("per request, if the condition holds"))
    low: float | None = field(
        default=None,
        metadata=fact(
            "bounds of them, in place of the number where the condition leaves it open", sparse=True
        ),
    )
    high: float | None = field(
        default=None,
        metadata=fact(
            "bounds of them, in place of the number where the condition leaves it open", sparse=True
        ),
    )

    @property
    def least(self) -> float:
        """Wavefronts or sectors, or their lower bound."""
        known = (self.wavefronts, self.sectors, self.low)
        return next((count for count in known if count is not None), 0.0)

    @property
    def most(self) -> float:
        """Wavefronts or sectors, or their upper bound."""
        return self.high if self.high is not None else self.least


@dataclass(frozen=True, slots=True)
class Compiled:
    """What nvcc is predicted to make of an access. `unrolled`: the loop whose further unrolling
    gives `wider`."""

    bytes: int = field(metadata=fact("width of one machine access"))
    requests: Number | None = field(
        metadata=fact(
            "over the launch; 0: the access is removed, or another access on the line "
            "`charged_line` does its work",
            form=forms.whole,
        )
    )
    active_lanes: float | None = field(metadata=fact("lane executions per request"))
    wavefronts: Counts | None = field(
        metadata=fact("per request; shared memory", only=forms.in_shared, form=forms.with_bounds)
    )
    sectors: Counts | None = field(
        metadata=fact("per request; other memory", only=forms.not_shared, form=forms.with_bounds)
    )
    status: str = field(metadata=fact("of these counts", schema=STATUS))
    charged_line: int = field(
        metadata=fact("the line that nvcc's line table charges it to", line=True, schema=forms.LINE)
    )
    reason: str = field(
        metadata=fact(
            "`merged`, `forwarded`, `hoisted`, `eliminated`, `in-registers`, `aggregated`, "
            "`drifted`, `sunk` (it runs in the branch that needs its value), or `machine-code` "
            "(as the machine code says, for whatever reason)"
        )
    )
    space: str
    per_block: Number | None = field(
        default=None,
        metadata=fact(
            "those of each block, if the number of blocks is not known",
            "requests_per_block",
            only=forms.no_total,
            sparse=True,
            form=forms.whole,
        ),
    )
    wider: Compiled | None = field(
        default=None,
        metadata=fact(
            "the same if nvcc unrolls the loops around it further than is certain (`#pragma"
            " unroll` ensures it)",
            sparse=True,
        ),
    )
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
    if the pointers were `__restrict__`."""

    span: Span = field(metadata=keys(key("of the store", "line", "span.line", schema=forms.LINE)))
    text: str = field(metadata=fact("the store as written"))
    object: str = field(metadata=fact("the array or pointer stored to"))


@dataclass(frozen=True, slots=True)
class Law:
    """What an access counts for every size, as texts of the grammar in `kernlint.laws.grammar`.
    `steps`: how it comes about, in words."""

    index: str | None = field(
        metadata=fact("the index in units of `index_bytes`; `null` if it is not known")
    )
    index_bytes: int | None = field(
        metadata=fact("bytes of an element; `null` if the index is not known")
    )
    requests: str | None = field(
        metadata=fact("over the launch, as `requests` of the access; `null` without a closed form")
    )
    per_request: str | None = field(
        metadata=fact(
            "wavefronts or sectors of one request all of whose lanes pass the conditions on "
            "threads; `null` without a closed form, or if requests differ"
        )
    )
    total: str | None = field(
        metadata=fact("wavefronts or sectors over the launch; `null` without a closed form")
    )
    domain: tuple[str, ...] = field(
        metadata=fact(
            "conditions under which the formulas hold, beside the block of the launch",
            schema=forms.TEXTS,
        )
    )
    symbols: dict[str, str] = field(
        metadata=fact(
            "what each name in the formulas means",
            schema={"type": "object", "additionalProperties": {"type": "string"}},
        )
    )
    reason: str = field(default="", metadata=fact("why `total` has no closed form", sparse=True))
    confirmed: bool = field(
        default=False,
        metadata=fact(
            "whether counted launches in the domain agreed; `false` if none could be had"
        ),
    )
    free: str | None = field(
        default=None,
        metadata=fact(
            "a condition under which requests count least, if an unknown decides", sparse=True
        ),
    )
    remedy: str | None = field(
        default=None,
        metadata=fact(
            "the least stride, pitch or offset, from the unknown one on, with which all accesses "
            "to the array count least",
            sparse=True,
        ),
    )
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BranchLaw:
    """How often a condition is evaluated for every size, as texts of the same grammar."""

    evaluations: str | None = field(
        metadata=fact("by warps, over the launch; `null` without a closed form")
    )
    divergent: str | None = field(
        metadata=fact("those whose active lanes disagree; `null` without a closed form")
    )
    domain: tuple[str, ...] = field(
        metadata=fact("conditions under which the formulas hold", schema=forms.TEXTS)
    )
    reason: str = field(
        default="", metadata=fact("why `divergent` has no closed form", sparse=True)
    )
    confirmed: bool = field(default=False, metadata=fact("as of an access's law"))


@dataclass(frozen=True, slots=True)
class LineLaw:
    """What all accesses of a line count for every size, where the formulas of each hold."""

    span: Span = field(
        metadata=keys(key("of the accesses", "line", "span.line", schema=forms.LINE))
    )
    accesses: int = field(metadata=fact("on the line"))
    wavefronts: str | None = field(
        metadata=fact("of shared memory, over the launch; `null` if an access has no closed form")
    )
    sectors: str | None = field(
        metadata=fact("of global memory, over the launch; `null` if an access has no closed form")
    )


@dataclass(frozen=True, slots=True)
class KernelLaw:
    """What a kernel counts for every size, of its accesses and branches as written."""

    wavefronts: str | None = field(
        metadata=fact("of shared memory, over the launch; `null` if an access has no closed form")
    )
    sectors: str | None = field(
        metadata=fact("of global memory, over the launch; `null` if an access has no closed form")
    )
    divergent: str | None = field(
        metadata=fact(
            "divergent evaluations over the launch; `null` if a branch has no closed form"
        )
    )
    shared_cycles: str | None = field(
        metadata=fact("C1 times the wavefronts of a mean block plus C2, as T(i, w, c) has it")
    )
    domain: tuple[str, ...] = field(
        metadata=fact("conditions under which the formulas hold", schema=forms.TEXTS)
    )
    lines: tuple[LineLaw, ...] = field(
        default=(), metadata=fact("sums by line, of those with several accesses", sparse=True)
    )


@dataclass(frozen=True, slots=True)
class Fault:
    """An access that some execution makes where it must not. `size`: of the object in bytes, of the
    row in elements, or what the address must be a multiple of."""

    span: Span = field(
        metadata=keys(
            PATH,
            key("of the access", "line", "span.line", schema=forms.LINE),
            key("of the access", "column", "span.column", schema=forms.LINE),
        )
    )
    kind: str = field(
        metadata=fact(
            "`outside` of its object, of a `row` of it, at an address without the `alignment` "
            "that its width asks for, of shared memory that is `unwritten`, or that an asynchronous "
            "copy may not have filled yet (`unwaited`); an atomic operation with which lanes of a warp "
            "wait for one lock (`spin`), an access at an index that has left 32 bits (`wrap`), a "
            "write through one name over what another has written and reads again (`overlap`), or one "
            "to memory of a block of the cluster that may have `ended`",
            schema=forms.one_of(
                *("outside", "row", "alignment", "unwritten"),
                *("unwaited", "spin", "wrap", "overlap", "ended"),
            ),
        )
    )
    text: str = field(metadata=fact("the access as written"))
    op: str
    object: str = field(metadata=fact("the array or pointer"))
    space: str = field(metadata=fact("as of an access", schema=SPACE))
    size: int = field(
        metadata=fact(
            "bytes of the object, elements of the row, or what the address must be a multiple of"
        )
    )
    low: int = field(metadata=fact("the first byte, or element of the row, that it reaches"))
    high: int = field(metadata=fact("the last byte, or element of the row, that it reaches"))
    block: tuple[int, int, int] = field(
        metadata=fact(
            "of the first execution at fault; zeros of `ended`, where it is not looked up",
            schema=forms.INDICES,
        )
    )
    thread: tuple[int, int, int] = field(
        metadata=fact(
            "of the first execution at fault, in its block; likewise", schema=forms.INDICES
        )
    )
    certain: bool = field(metadata=fact("whether it is at fault whatever the data"))
    by_thread: bool  # whether only some threads are at fault, or the index differs between them
    element_bytes: int
    dynamic: bool  # the object is the launch's dynamic shared memory
    object_span: Span | None
    reason: str = ""  # what decides, where it is not certain
    detail: str = ""
    calls: tuple[Span, ...] = ()
    other: Span | None = None  # of `unwaited` the copy, of `overlap` the write that is lost
    other_text: str = ""  # that as written


@dataclass(frozen=True, slots=True)
class Race:
    """Two accesses to one place by threads that nothing orders. `second` is executed later, or is
    the same; in an earlier line it belongs to the next iteration of a loop."""

    span: Span = field(
        metadata=keys(
            PATH,
            key("of the access executed later", "line", "span.line", schema=forms.LINE),
            key("of the access executed later", "column", "span.column", schema=forms.LINE),
        )
    )
    text: str = field(metadata=fact("that access as written"))
    op: str = field(metadata=fact("what it does: `read`, `write`, `atomic`"))
    other: Span = field(
        metadata=keys(key("of the earlier access", "other_line", "other.line", schema=forms.LINE))
    )
    other_text: str = field(metadata=fact("the earlier access as written"))
    other_op: str = field(metadata=fact("what the earlier access does"))
    object: str = field(metadata=fact("the array"))
    space: str = field(metadata=fact("as of an access", schema=SPACE))
    scope: str = field(
        metadata=fact(
            "of the barrier that is missing between them",
            schema=forms.one_of("block", "warp", "cluster", "grid"),
        )
    )
    element: int = field(metadata=fact("of the array, in which they meet; -1: not known"))
    threads: tuple[int, int] = field(
        metadata=fact(
            "the numbers in their block of the threads of the earlier and the later access",
            schema=forms.LANES_OF_TWO,
        )
    )
    blocks: tuple[int, int] = field(
        metadata=fact("the numbers of their blocks in the grid", schema=forms.LANES_OF_TWO)
    )
    certain: bool = field(metadata=fact("whether they race whatever the data"))
    object_span: Span | None = None
    calls: tuple[Span, ...] = ()
    # the loop in whose next iteration the later access is executed, where it is
    loop: Span | None = None
    in_loop: bool = False  # one loop is around both


@dataclass(frozen=True, slots=True)
class Access:
    """One textual access in one kernel."""

    span: Span = field(
        metadata=keys(
            PATH,
            key(
                "where the expression begins, 1-based; inside a macro: the macro's use",
                "line",
                "span.line",
                schema=forms.LINE,
            ),
            key("where it begins, 1-based", "column", "span.column", schema=forms.LINE),
            key("where it ends", "end_line", "span.end_line", schema=forms.LINE),
            key("where it ends, exclusive", "end_column", "span.end_column", schema=forms.LINE),
        )
    )
    charged_line: int = field(
        metadata=fact("the line that nvcc's line table charges it to", line=True, schema=forms.LINE)
    )
    text: str = field(metadata=fact("as written"))
    object: str = field(metadata=fact("the array or pointer"))
    space: str = field(
        metadata=fact("`shared`, `global`, `constant`, `local`, `texture`", schema=SPACE)
    )
    op: str = field(
        metadata=fact(
            "`load`, `store`, `atomic`, `copy`",
            schema=forms.one_of("load", "store", "atomic", "copy"),
        )
    )
    hardware_op: str
    bytes: int = field(
        metadata=fact("width of one machine access; aggregates are split by their alignment")
    )
    # read it as `index`, `index_terms`, `index_bytes`
    element_index: ElementIndex | Callable[[], ElementIndex] = field(
        metadata=fact(
            "the index in thread and block ids, for people; its form is not stable",
            "index",
            source="index",
            schema={"type": "string"},
        )
    )
    status: str = field(
        metadata=keys(
            key(
                "the unit of `index` in bytes: the size of the element, of the struct member or"
                " of the access; 1 if it counts bytes and begins with `byte`; `null` if the "
                "index is not known",
                "index_bytes",
                "index_bytes",
                form=forms.unit,
                schema={"type": ["integer", "null"], "minimum": 1},
            ),
            key(
                "of the counts as written. `exact`: what the hardware counts under the launch, "
                "unless `as_compiled` says that the machine executes something else; `range`: "
                "bounded; `unknown`: the counts are `null`",
                schema=STATUS,
            ),
        )
    )
    assumptions: tuple[str, ...] = field(default=(), metadata=fact("what the numbers rest on"))
    # key of reasons.REASONS; "" when exact
    reason: str = field(
        default="",
        metadata=fact(
            "why not exact, one of the list below; `null` when exact",
            form=forms.something,
            schema={"type": ["string", "null"]},
        ),
    )
    requests: Number | None = field(
        default=None,
        metadata=fact(
            "warp-level executions with an active lane, over all blocks and iterations; `null` "
            "when not known",
            form=forms.whole,
        ),
    )
    active_lanes: float | None = field(default=None, metadata=fact("lane executions per request"))
    wavefronts: Counts | None = field(
        default=None,
        metadata=fact(
            "passes of the shared-memory pipe per request; in constant space passes of the "
            "constant cache (distinct elements); only in these two spaces",
            form=forms.with_bounds,
        ),
    )
    sectors: Counts | None = field(
        default=None,
        metadata=fact(
            "32-byte sectors per request; global and local; atomics also count distinct "
            "sectors, as the profiler's source view does",
            form=forms.with_bounds,
        ),
    )
    cache_lines: Counts | None = field(
        default=None,
        metadata=fact("lines of the device's own size per request; global", form=forms.with_bounds),
    )
    cycles: float | None = field(
        default=None,
        metadata=fact("of the access in a mean block by T(i, w, c) = C1·i·w·c + C2; shared"),
    )
    as_compiled: Compiled | None = field(
        default=None,
        metadata=fact(
            "`null` if the machine executes the access as written; otherwise what nvcc is "
            "predicted to make of it",
        ),
    )
    charged_path: str = field(
        default="",
        metadata=fact(
            "the file of `charged_line` if it is not the access's: an inlined function of a"
            " header begins with the line of its call",
            sparse=True,
        ),
    )
    read_from: str = field(
        default="",
        metadata=fact(
            'the machine code that says so, such as "nvcc 13.0.88, sm_90"; otherwise what the '
            "compiler does is predicted",
            sparse=True,
        ),
    )
    detail: str = field(
        default="",
        metadata=fact(
            'the deciding fact in words: "row_ptr[i] is loaded from memory"', sparse=True
        ),
    )
    cases: tuple[Case, ...] = field(
        default=(), metadata=fact("outcomes of an unknown", sparse=True)
    )
    reloaded: Reload | None = field(
        default=None,
        metadata=fact(
            "the store through another pointer that makes nvcc load the value again; with "
            "`__restrict__` it would stay in a register",
            "reloaded_after",
            sparse=True,
        ),
    )
    conditional: bool = field(
        default=False,
        metadata=fact(
            "true if data decides whether it executes; the counts hold if it does",
            sparse=True,
        ),
    )
    fewest_lanes: float | None = field(
        default=None,
        metadata=fact(
            "only if data decides which lanes take part in requests that are certain: the "
            "lane executions per request that are certain; `active_lanes` is then an upper "
            "bound",
            sparse=True,
            form=forms.something,
            schema={"minimum": 1},
        ),
    )
    # known also where the number of blocks is not
    per_block: Number | None = field(
        default=None,
        metadata=fact(
            "those of each block, if the number of blocks is not known and `requests` is "
            "`null` for no other reason",
            "requests_per_block",
            only=forms.no_total,
            sparse=True,
            form=forms.whole_if_any,
        ),
    )
    calls: tuple[Span, ...] = field(
        default=(),
        metadata=keys(
            key("the call chain, outermost first, of inlined code", sparse=True),
            key("the macro whose expansion holds it", "macro", "span.macro", sparse=True),
        ),
    )
    notes: tuple[str, ...] = field(default=(), metadata=fact("remarks for people", sparse=True))
    law: Law | None = field(
        default=None,
        metadata=fact("formulas for every size; only with `report --laws`", sparse=True),
    )
    example: Example | None = None
    object_span: Span | None = None  # the declaration of the array
    parted: bool = False  # data may decide for single lanes of a warp, too
    in_loop: Span | None = None  # innermost loop
    width_total: int = 0  # bytes of the whole textual access (all pieces)
    # extents of the accessed array, outermost first; () for a pointer or an unsized array
    object_shape: tuple[int, ...] = ()
    element_bytes: int = 0  # of one innermost element (the whole struct); 0 when unknown
    # of a local array: what its index is: a run's `value`, a `counter` that one ends, a
    # `remainder`, by `lane`, a `shift` that data end
    decided: str = ""
    # of a local array with such an index: in `registers`, in `local` memory, `either`; "" where not
    # known
    place: str = ""
    scalar: bool = False  # the array's elements are numbers or pointers, no vectors or structs
    floating: bool = False  # the accessed numbers are floating point
    # of a global atomic: the bytes that its addresses lie in, at most
    reach: int | None = None
    # the array in the object, a structure, that the measured request lies in
    member: Member | None = None

    @property
    def in_elements(self) -> ElementIndex:
        """The index from the object's start; made when asked for, since that takes time."""
        made = self.element_index
        return made if isinstance(made, ElementIndex) else made()

    @property
    def index(self) -> str:
        """The index in the words of the source."""
        return self.in_elements.text

    @property
    def index_terms(self) -> tuple[IndexTerm, ...]:
        """What the index adds up."""
        return self.in_elements.terms

    @property
    def index_bytes(self) -> int:
        """How many bytes one step of `index` is: of the element, of the member, of the access; 0
        where `index` names no unit's multiple."""
        return self.in_elements.unit


@dataclass(frozen=True, slots=True)
class Turns:
    """How a loop's body is run, over the launch."""

    entries: Number = field(metadata=fact("by warps", form=forms.whole))
    count: Number = field(metadata=fact("iterations executed, by warps", form=forms.whole))
    active_lanes: float | None = field(
        default=None, metadata=fact("on average per iteration", sparse=True)
    )
    idle: float | None = field(
        default=None,
        metadata=fact(
            "the share of the warp's iterations that lanes which entered spend waiting "
            "after they have left the loop",
            sparse=True,
        ),
    )


@dataclass(frozen=True, slots=True)
class Evaluated:
    """How often warps evaluate a condition, and in how many of these evaluations their lanes
    disagree."""

    evaluations: Number = field(metadata=fact("by warps", form=forms.whole))
    divergent: Number | None = field(
        metadata=fact("those whose active lanes disagree; `null` when not known", form=forms.whole)
    )
    turns: Turns | None = field(default=None, metadata=fact("for a loop, if known", sparse=True))
    divergent_low: Number | None = field(
        default=None,
        metadata=fact(
            "bounds of `divergent`, if an unknown decides it", sparse=True, form=forms.whole
        ),
    )
    divergent_high: Number | None = field(
        default=None,
        metadata=fact(
            "bounds of `divergent`, if an unknown decides it", sparse=True, form=forms.whole
        ),
    )


@dataclass(frozen=True, slots=True)
class LanePattern:
    """Which lanes of a warp go which way."""

    lanes: str = field(
        metadata=fact(
            "one character per lane: `1` the condition holds, `0` it does not, `.` the lane"
            " does not evaluate it; for a `switch` the number of its case among `cases`, in"
            " base 36, and `0` for none",
            schema={"pattern": "^[.0-9a-z]+$"},
        )
    )
    evaluations: Number = field(
        metadata=fact(
            "how many of the branch's evaluations, or of one block's if those are in `per_block`",
            form=forms.whole,
        )
    )
    warps: tuple[int, ...] = field(
        metadata=fact(
            "the warps of a block that make them",
            schema={"type": "array", "items": {"type": "integer", "minimum": 0}},
        )
    )

    @property
    def parts(self) -> bool:
        """Whether lanes disagree."""
        return len({*self.lanes} - {AWAY}) > 1


@dataclass(frozen=True, slots=True)
class Branch:
    """A condition or loop as written. `patterns`: none where data decides, and where the condition
    does not depend on the lane."""

    span: Span = field(
        metadata=keys(
            PATH,
            key("where it begins, 1-based", "line", "span.line", schema=forms.LINE),
            key("where it begins, 1-based", "column", "span.column", schema=forms.LINE),
        )
    )
    kind: str = field(
        metadata=fact("`if`, `for`, `while`, `do`, `switch`, `?:`, `&&`, `||`, `return`")
    )
    condition: str = field(metadata=fact("as written"))
    status: str = field(metadata=fact("of the numbers, as of an access", schema=STATUS))
    evaluations: Number | None = field(
        metadata=fact("by warps, over the launch; `null` when not known", form=forms.whole)
    )
    divergent: Number | None = field(
        metadata=fact("those whose active lanes disagree; `null` when not known", form=forms.whole)
    )
    reason: str = field(
        default="", metadata=fact("why not exact, one of the list below", sparse=True)
    )
    detail: str = field(default="", metadata=fact("the deciding fact in words", sparse=True))
    assumptions: tuple[str, ...] = field(
        default=(), metadata=fact("what the numbers rest on", sparse=True)
    )
    unrolled: bool = field(
        default=False,
        metadata=fact(
            "present if the machine certainly has no such branch: a loop that nvcc fully "
            "unrolls (`evaluations` 0, `reason` `unrolled`)",
            "as_compiled",
            sparse=True,
            form=forms.gone,
            schema={"const": forms.GONE},
        ),
    )
    turns: Turns | None = field(
        default=None, metadata=fact("for a loop with known trip counts", sparse=True)
    )
    per_block: Evaluated | None = field(
        default=None,
        metadata=fact(
            "what every block evaluates, if the number of blocks is not known and "
            "`evaluations` is therefore `null`",
            sparse=True,
        ),
    )
    patterns: tuple[LanePattern, ...] = field(
        default=(),
        metadata=fact(
            "for a condition that depends on the lane: which lanes of a warp take which "
            "side, in order of appearance; at most 64, the most frequent ones",
            "lane_patterns",
            sparse=True,
        ),
    )
    law: BranchLaw | None = field(
        default=None,
        metadata=fact("formulas for every size; only with `report --laws`", sparse=True),
    )
    cases: tuple[str, ...] = field(
        default=(),
        metadata=fact(
            "the labels of a `switch`, as written, beside its `lane_patterns`",
            only=forms.has_patterns,
            sparse=True,
        ),
    )
    calls: tuple[Span, ...] = ()
    divergent_low: Number | None = field(
        default=None,
        metadata=fact(
            "bounds of `divergent`, if an unknown decides it", sparse=True, form=forms.whole
        ),
    )
    divergent_high: Number | None = field(
        default=None,
        metadata=fact(
            "bounds of `divergent`, if an unknown decides it", sparse=True, form=forms.whole
        ),
    )

    @property
    def counted(self) -> Evaluated | None:
        """What is evaluated over the launch, or by each block where the number of blocks is not
        known."""
        return (
            self.per_block
            if self.evaluations is None
            else Evaluated(
                self.evaluations,
                self.divergent,
                self.turns,
                self.divergent_low,
                self.divergent_high,
            )
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
    """A point where threads wait for each other. `last`: lanes that do not come to it come to no
    other barrier. Shuffles and votes are here where not all lanes come that they name."""

    span: Span = field(
        metadata=keys(
            PATH,
            key("where it begins, 1-based", "line", "span.line", schema=forms.LINE),
            key("where it begins, 1-based", "column", "span.column", schema=forms.LINE),
        )
    )
    text: str
    uniform: bool | None = field(
        metadata=fact(
            "false only if live lanes of a block provably disagree on reaching it; `null` "
            "when not known"
        )
    )
    scope: str = field(
        metadata=fact(
            "`block`, `warp`, `tile`, `grid`, `cluster`",
            schema=forms.one_of("block", "warp", "tile", "grid", "cluster"),
        )
    )
    after_exit: bool = field(
        default=False,
        metadata=fact("true if lanes of the block have returned before", sparse=True),
    )
    detail: str = ""
    calls: tuple[Span, ...] = ()
    last: bool = False
    absent: tuple[()] | tuple[tuple[int, ...], tuple[int, ...]] = field(
        default=(),
        metadata=fact(
            "for one warp: the lanes that arrive, and the named lanes that still run and "
            "neither arrive nor make such a call elsewhere",
            sparse=True,
            schema=forms.LANES,
        ),
    )
    unnamed: tuple[()] | tuple[tuple[int, ...], tuple[int, ...]] = field(
        default=(),
        metadata=fact(
            "for one warp: the lanes that arrive, and those of them that the mask does not name",
            sparse=True,
            schema=forms.LANES,
        ),
    )
    differs_by: str = field(
        default="",
        metadata=fact(
            "where it is not known whether all threads arrive: what decides it, `index` (of the "
            "thread) or `data` (that threads load)",
            sparse=True,
            schema=forms.one_of("index", "data"),
        ),
    )
    parted_at: Span | None = None  # the branch that decides it
    arguments: str = field(
        default="",
        metadata=fact(
            "of a copy by the whole block: what its arguments differ by between threads, `index` or "
            "`data`",
            sparse=True,
            schema=forms.one_of("index", "data"),
        ),
    )
    returned_at: tuple[Span, ...] = ()  # branches under which threads (may) have returned before
    dropped_at: tuple[Span, ...] = ()  # those of them that stand after another barrier
    beyond: tuple[()] | tuple[tuple[int, ...], tuple[int, ...]] = field(
        default=(),
        metadata=fact(
            "of a shuffle or vote in a block's last warp: the lanes that arrive, and the lanes that "
            "it names and that have no thread",
            sparse=True,
            schema=forms.LANES,
        ),
    )
    vacant: tuple[()] | tuple[tuple[int, ...], tuple[int, ...]] = field(
        default=(),
        metadata=fact(
            "of a shuffle, for one warp: the lanes that read a lane which has a thread and does not "
            "arrive, and the lanes that they read",
            sparse=True,
            schema=forms.LANES,
        ),
    )
    voted: str = field(
        default="",
        metadata=fact(
            "of a call that all running lanes make: the vote that its mask is the result of",
            sparse=True,
        ),
    )
    memory: str = field(
        default="",
        metadata=fact(
            "the only memory that it orders",
            sparse=True,
            schema=forms.one_of("shared", "global"),
        ),
    )


@dataclass(frozen=True, slots=True)
class Operation:
    """Something computed: kind is integer-division (by no constant), double-arithmetic (a float or
    integer with a double literal), narrowed-double (the same, but the compiler computes in float
    with the same result) or unsynchronised-shuffle (a vote, too). `loops`: the loops
    around it that it cannot be taken out of, outermost first; `part`: divisor or literal; `shared`:
    the same text may be computed with doubles too, to which the literal as a float would bring
    fewer digits; `beside`: of a division, the other operations and accesses of the innermost loop's
    body, or of the thread where no loop is around, those of a loop in it 16 times."""

    span: Span
    kind: str
    text: str
    bits: int = 0  # of the type computed in
    part: Span | None = None
    loops: tuple[Span, ...] = ()
    calls: tuple[Span, ...] = ()
    shared: bool = False
    beside: int = 0


@dataclass(frozen=True, slots=True)
class PointerArgument:
    offset_bytes: int = field(metadata=fact("from the start of the allocation"))
    align: int = 256
    allocated_bytes: int | None = field(
        default=None, metadata=fact("of the whole allocation, if known", sparse=True)
    )


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
class LaunchExample:
    """A launch whose sizes only a user knows, as made with `values` for the variables of host code
    that they come from."""

    values: tuple[tuple[str, int], ...]
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared_bytes: int | None
    arguments: dict[str, int | float | PointerArgument]
    one_memory: tuple[tuple[str, str], ...]
    allocations: tuple[tuple[str, Span], ...]

    @property
    def wording(self) -> str:
        """`n = 1024, m = 8`"""
        return ", ".join(f"{name} = {value}" for name, value in self.values)


@dataclass(frozen=True, slots=True)
class Launch:
    """`grid` None only with origin "assumed". `block_assumed`: no place says how many threads a
    block has. `assumptions`: types that the host code leaves open and what they are taken to be.
    `stated`: facts about arguments that directives state, those that fix a value among `arguments`
    too. `aliases`: parameters that are given the same pointer; `one_memory`: or
    pointers into one allocation. `allocations`: where host code
    allocates what pointer parameters are given."""

    grid: tuple[int, int, int] | None = field(
        metadata=fact(
            "three sizes; `null` only with origin `assumed`", schema=forms.or_null(forms.SIZES)
        )
    )
    block: tuple[int, int, int] = field(metadata=fact("three sizes", schema=forms.SIZES))
    dynamic_shared_bytes: int | None = field(metadata=fact("`null` when not known"))
    arguments: dict[str, int | float | PointerArgument] = field(
        default_factory=dict,
        metadata=fact(
            'integers whose value is known; pointers as `{"offset_bytes": n}` from the start of '
            "their allocation",
            form=forms.known_integers,
            schema={
                "type": "object",
                "additionalProperties": {
                    "oneOf": [{"type": "integer"}, {"$ref": "#/$defs/PointerArgument"}]
                },
            },
        ),
    )
    origin: str = field(
        default="assumed",
        metadata=fact(
            "`command line`, `directive`, `attribute`, `launch at line N` (with `, run without arguments` "
            "where the command line decides it), `config`, `launch "
            "bounds`, `conditions in the kernel` or `assumed`"
        ),
    )
    span: Span | None = None
    template_arguments: tuple[str, ...] = ()
    block_assumed: bool = False
    assumptions: tuple[str, ...] = ()
    # where the block is from while the grid is not known: "the launch at line 21"
    block_origin: str = ""
    dynamic_shared_reason: str = field(
        default="",
        metadata=fact(
            "why the number of bytes is not known, if host code gives one that cannot be followed",
            sparse=True,
        ),
    )
    stated: tuple[ArgumentFact, ...] = field(
        default=(),
        metadata=fact(
            "facts that `assume(…)` or the kernel states about arguments",
            source="stated_texts",
            sparse=True,
            schema=forms.TEXTS,
        ),
    )
    aliases: tuple[tuple[str, str], ...] = ()
    one_memory: tuple[tuple[str, str], ...] = ()
    allocations: tuple[tuple[str, Span], ...] = ()
    is_conditional: bool = False  # under a condition of host code that is not known
    examples: tuple[LaunchExample, ...] = ()
    cluster: tuple[int, int, int] | None = field(
        default=None,
        metadata=fact(
            "blocks of a cluster, three sizes, where the launch's attributes give them",
            sparse=True,
            schema=forms.SIZES,
        ),
    )

    @property
    def in_host_code(self) -> bool:
        """Whether host code of the file gives it, at `span`."""
        return self.span is not None and self.origin.startswith("launch at")

    @property
    def stated_texts(self) -> tuple[str, ...]:
        """The facts as they are stated."""
        return tuple(text for one in self.stated for text in one.texts)


@dataclass(frozen=True, slots=True)
class Saving:
    """What a launch would gain without `cause`."""

    cause: str = field(metadata=fact("what costs the time"))
    cycles: int = field(metadata=fact("what the launch would gain", schema=forms.NOT_NEGATIVE))
    share: float = field(
        metadata=fact(
            "of the launch's estimated time", form=forms.to_four_places, schema=forms.SHARE
        )
    )


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
    """The time of a launch."""

    device: str = field(metadata=fact("the device it is for"))
    model: str = field(metadata=fact("the model it comes from"))
    cycles: int = field(
        metadata=fact("of the SM clock, for the whole launch", schema=forms.NOT_NEGATIVE)
    )
    microseconds: float = field(metadata=fact("of the whole launch"))
    limiter: str = field(metadata=fact("the part that takes longest"))
    parts: dict[str, float] = field(
        metadata=fact(
            "the cycles of each part; parts overlap and do not add up",
            schema={
                "type": "object",
                "additionalProperties": {"type": "number", "minimum": 0},
            },
        )
    )
    block_cycles: int = field(metadata=fact("the latency of one block", schema=forms.NOT_NEGATIVE))
    instructions: int = field(
        metadata=fact("warp instructions of the launch", schema=forms.NOT_NEGATIVE)
    )
    savings: tuple[Saving, ...] = field(
        metadata=fact("what the launch would gain without each `cause`")
    )
    occupancy: float = field(
        metadata=fact("of the warps that an SM can hold", "occupancy.share", schema=forms.SHARE)
    )
    occupancy_limiters: tuple[str, ...] = field(
        metadata=fact("what limits it", "occupancy.limiters")
    )
    registers: int | None = field(
        metadata=fact("per thread; `null`: not known", "occupancy.registers")
    )
    cycles_low: int = field(
        metadata=fact(
            "lower bound, if counts are unknown or ranges",
            only=forms.is_bounded,
            sparse=True,
            schema=forms.NOT_NEGATIVE,
        )
    )
    cycles_high: int = field(
        metadata=fact(
            "upper bound, if counts are unknown or ranges",
            only=forms.is_bounded,
            sparse=True,
            schema=forms.NOT_NEGATIVE,
        )
    )
    assumptions: tuple[str, ...] = field(default=(), metadata=fact("what replaces unknown facts"))


@dataclass(frozen=True, slots=True)
class Parameter:
    """A scalar value handed to a kernel: "n", or "a.mass" for a member. `bytes` None where the type
    is not known."""

    name: str
    bytes: int | None
    pointer: bool = False


@dataclass(frozen=True, slots=True)
class InstructionMix:
    """How many instructions of a kernel's machine code are of each kind, each counted once."""

    integer: int = field(metadata=fact("whole numbers, addresses and comparisons of them"))
    single: int = field(metadata=fact("single precision"))
    half: int = field(metadata=fact("half precision"))
    double: int = field(metadata=fact("double precision"))
    special: int = field(metadata=fact("reciprocals, roots, exponentials and the like"))
    conversion: int = field(metadata=fact("between kinds of numbers"))
    tensor: int = field(metadata=fact("products of matrices"))
    memory: int = field(metadata=fact("of every space, constants too"))
    control: int = field(metadata=fact("branches, barriers, ends"))
    other: int = field(metadata=fact("moves, selections, exchanges between lanes and the rest"))


@dataclass(frozen=True, slots=True)
class MachineCode:
    """What the machine code of a kernel asks for, and consists of."""

    read_from: str = field(metadata=fact('whose it is: "nvcc 13.0.88, sm_90"'))
    registers: int = field(metadata=fact("per thread", schema=forms.LINE))
    stack_bytes: int = field(
        metadata=fact(
            "of a thread in local memory: arrays, spilled registers, calls",
            schema=forms.NOT_NEGATIVE,
        )
    )
    spilled_bytes: int | None = field(
        metadata=fact(
            "of the stack: registers that are spilled; null where the compiler was not run",
            schema=forms.NOT_NEGATIVE,
        )
    )
    stack_instructions: int = field(
        metadata=fact("loads and stores of local memory in the code", schema=forms.NOT_NEGATIVE)
    )
    instructions: InstructionMix = field(metadata=fact("how many of each kind, see below"))


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel, instantiation and launch."""

    name: str = field(metadata=fact("without namespaces"))
    qualified_name: str = field(metadata=fact("with namespaces"))
    template_arguments: tuple[str, ...] = field(
        metadata=fact(
            "every argument in order, deduced and defaulted ones too, as nvcc's demangler prints "
            "values: canonical types (`unsigned int`), 0 or 1 for bool, decimal integers; `[]` for "
            "none"
        )
    )
    # of the definition
    span: Span = field(
        metadata=keys(
            PATH,
            key("of the definition", "line", "span.line", schema=forms.LINE),
            key("of the definition", "end_line", "span.end_line", schema=forms.LINE),
        )
    )
    launch: Launch = field(metadata=fact("how it is launched"))
    assumptions: tuple[str, ...] = field(
        metadata=fact(
            "what all of the kernel's numbers rest on; facts that the source states end in "
            "`, as stated`"
        )
    )
    accesses: tuple[Access, ...] = field(metadata=fact("see below"))
    branches: tuple[Branch, ...] = field(metadata=fact("conditions and loops, see below"))
    barriers: tuple[Barrier, ...] = field(
        metadata=fact("where threads wait for each other, see below", form=forms.synchronising)
    )
    static_shared_bytes: int = field(metadata=fact("of a block", "resources.static_shared_bytes"))
    dynamic_shared_bytes: int | None = field(
        metadata=fact("of a block; `null` when not known", "resources.dynamic_shared_bytes")
    )
    shared_cycles: float | None = field(
        default=None,
        metadata=fact(
            "C1 times the wavefronts of a mean block plus C2 once, of accesses as compiled; `null` "
            "when not known",
            "cycles.shared",
        ),
    )
    shared_cycles_ideal: float | None = field(
        default=None, metadata=fact("the same without conflicts", "cycles.shared_ideal")
    )
    shared_cycles_low: float | None = field(
        default=None,
        metadata=fact(
            "lower bound, if nvcc may change some accesses",
            "cycles.shared_low",
            only=forms.has_bounds,
            sparse=True,
        ),
    )
    shared_cycles_high: float | None = field(
        default=None,
        metadata=fact(
            "upper bound, if nvcc may change some accesses",
            "cycles.shared_high",
            only=forms.has_bounds,
            sparse=True,
        ),
    )
    # or why there is none; "" when it was not asked for
    estimate: Estimate | str = field(
        default="",
        metadata=keys(
            key(
                "the estimated time of the launch ([estimate.md](estimate.md)); `null` if there"
                " is none; only if requested",
                only=forms.is_wanted,
                form=forms.estimated,
                schema=forms.or_null({"$ref": "#/$defs/Estimate"}),
            ),
            key(
                "why there is no estimate",
                "estimate_reason",
                "estimate",
                sparse=True,
                form=forms.why_not,
                schema={"type": "string"},
            ),
        ),
    )
    machine_code: MachineCode | None = field(
        default=None,
        metadata=fact("what the kernel's machine code asks for; with `--compile`", sparse=True),
    )
    faults: tuple[Fault, ...] = field(
        default=(), metadata=fact("accesses that cannot run right, see below", sparse=True)
    )
    races: tuple[Race, ...] = field(
        default=(), metadata=fact("accesses in no order, see below", sparse=True)
    )
    not_counted: tuple[str, ...] = field(
        default=(),
        metadata=fact(
            "what accesses memory that no number of the kernel holds (functions and operators that no "
            "analysed file defines, instructions and copies whose memory traffic is not modelled), with the "
            "lines: `wgmma.mma_async (line 31)`",
            sparse=True,
        ),
    )
    operations: tuple[Operation, ...] = ()
    caching: Caching | None = None  # where it is measured and the device's caches are known
    parameters: tuple[Parameter, ...] = ()
    undefined: tuple[str, ...] = ()  # names that it uses and no analysed file defines
    # what the compiler may join was not looked at: too much in a kernel whose launch is not known
    as_written: bool = False
    # "cuda" or "opencl", also of one in a string of a file that is neither; "" for that of the file
    language: str = ""
    law: KernelLaw | None = field(
        default=None,
        metadata=fact("formulas for every size; only with `report --laws`", sparse=True),
    )


@dataclass(frozen=True, slots=True)
class File:
    path: str
    language: str
    problems: tuple[Problem, ...]
    kernels: tuple[Kernel, ...]
    lines: int = 0
    text: str = ""
    # names of headers that were not found, as the source spells them
    missing_headers: tuple[str, ...] = ()
    parameters: tuple[ArgumentType, ...] = ()  # of all kernels; one name may have several types
    # where headers were looked for, and whether one was there
    sought: tuple[tuple[str, bool], ...] = ()
    unfinished: bool = False  # stopped by the clock: another run may get further
    # where the file holds escapes, placeholders and the like instead of the analysed text
    altered: tuple[Span, ...] = ()
    device: str = ""  # that it was analysed for; "" for the report's
    is_hip: bool = False  # a dialect of the language "cuda"
    # lines, from one to another, whose text stands in branches of `#if` that are not taken
    skipped: tuple[tuple[int, int], ...] = ()
    device_assumed: bool = False  # nobody named the device


@dataclass(frozen=True, slots=True)
class Report:
    """`device`: of the run; a file may be for another."""

    device: str
    files: tuple[File, ...]

    def device_of(self, file: File) -> str:
        return file.device or self.device
