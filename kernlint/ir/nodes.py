"""The typed intermediate form that lowering produces and execution runs.

Calls are inlined, templates instantiated, references resolved, aggregates split into scalar
variables, conversions explicit. Expressions are pure trees over variables; everything that touches
memory, lanes or control is a statement in a structured region. One form serves kernels and host
code (host code runs with one lane).
"""

from __future__ import annotations

from typing import Any

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Span
from kernlint.ir.types import Copying, SourceAlignment, Type

ASSEMBLY = "(asm)"  # the name of what inline assembly makes


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A mutable scalar (integer, float, pointer or opaque): never an aggregate, never addressed.
    Identity is the object's. `calls`: the inlined call whose local variable it is; parameters are
    the caller's."""

    name: str  # as written: "i", "p.x" for a split aggregate
    type: Type
    span: Span | None = None
    calls: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class MemoryObject:
    """Something that has an address: a shared, local, constant or global array, or what a pointer
    parameter points to.

    `size` in bytes, None when unknown (pointer parameters, dynamic shared memory). `dynamic`:
    `extern __shared__` (all such declarations of a kernel share ONE object) or an OpenCL `__local`
    argument. `parameter`: the leaf parameter it stands for. Local scalars whose address escapes are
    `local` objects too.
    """

    name: str
    space: str  # shared | global | constant | local | texture | host
    type: Type
    size: int | None
    align: int
    span: Span | None = None
    dynamic: bool = False
    parameter: str = ""
    volatile: bool = False
    # element values of a const integer array, when known at compile time
    initial: tuple[int, ...] | None = None


# ------------------------------------------------------------------ expressions (pure)


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class Constant(Expression):
    """`handed`: an argument of a function of the toolkit's headers, such as `make_int4`: nvcc knows
    it as a constant only later."""

    value: int | float
    handed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Read(Expression):
    variable: Variable


@dataclass(frozen=True, slots=True, eq=False)
class Builtin(Expression):
    """name: tid.x|y|z, ntid.x…, ctaid.x…, nctaid.x…, laneid, warpid, warpsize, dynamic_smem_size,
    and OpenCL's global offset `goffset.x…` (0)."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Address(Expression):
    """The address of byte 0 of an object (type is a Pointer)."""

    object: MemoryObject


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Expression):
    """op: "-" "~" "!" (result of "!" is int/bool 0 or 1)."""

    op: str
    operand: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Expression):
    """op: + - * / % & | ^ << >> == != < <= > >= && || min max. Operands are already converted to
    one type (shifts excepted); comparisons give int 0/1. Pointer arithmetic: Pointer + Integer is
    in BYTES (lowering scales); Pointer - Pointer gives the byte difference (lowering divides).
    `kept`: whether nvcc keeps a branch for what the right operand of && or || computes."""

    op: str
    left: Expression
    right: Expression
    kept: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Convert(Expression):
    """Conversion of `operand` to `type`: integer wrap/extend, int<->float, pointer<->integer, to
    bool."""

    operand: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Select(Expression):
    """`?:` whose arms have no effect. `kept`: the arms that nvcc keeps a branch for, 1 for `then`
    and 2 for `otherwise` (`lowering.branching`)."""

    condition: Expression
    then: Expression
    otherwise: Expression
    kept: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Call(Expression):
    """A pure operation from the intrinsic table (clz, popc, brev, ffs, mulhi, mul24, abs,
    byte_perm, floor, sqrt …) on converted operands. `function`: what is computed, where the name
    stands for many: log2 of `__log2f`, mul_rn of `__fmul_rn`, both of which are named float."""

    name: str
    arguments: tuple[Expression, ...]
    function: str = ""


SAME_BITS = "reinterpreted bits"  # `Unknown.what` of the same bits as another type


@dataclass(frozen=True, slots=True, eq=False)
class Unknown(Expression):
    """A value kernlint cannot compute; a function of `operands` alone when `pure` (equal operands
    give equal values). `reason` is a key of kernlint.model.reasons.REASONS."""

    reason: str
    operands: tuple[Expression, ...] = ()
    pure: bool = False
    what: str = ""  # e.g. the called function's name, for people
    named: str = ""  # what is missing, for people, where not all unknowns of that name are equal
    apart: str = ""  # what tells it apart from others of its name and operands


# ------------------------------------------------------------------ sites: where in the source, how
# it reads


@dataclass(frozen=True, slots=True, eq=False)
class BoundedIndex:
    """An index of an array that is a part of its object: a row, a member."""

    index: Expression
    extent: int  # elements


@dataclass(frozen=True, slots=True, eq=False)
class AccessSite:
    """One textual access in one inlined instance. `pieces`: (byte offset, width) of each machine
    access, aggregates split by their alignment. `hardware_op`: load | store | atomic | cas |
    ldmatrix | stmatrix | copy. `charged_line`: where nvcc -lineinfo charges it; `charged_path`: the
    file of that line, "" where it is the span's."""

    span: Span
    text: str
    op: str  # load | store | atomic | copy
    hardware_op: str
    pieces: tuple[tuple[int, int], ...]
    charged_line: int
    volatile: bool = False
    vector: bool = False  # the accessed type is a built-in vector or an aggregate
    result_used: bool = True
    calls: tuple[Span, ...] = ()  # call chain, outermost first, for inlined code
    # what lowering knows and people should hear (e.g. why charged elsewhere)
    notes: tuple[str, ...] = ()
    floating: bool = False  # the element is floating point
    # why `pieces` is empty: reason, detail
    unsized: tuple[str, str] = (
        "unknown-type",
        "the size of the accessed type",
    )
    charged_path: str = ""
    by_member: bool = False  # of a class that its own functions copy, member by member
    packed: bool = False  # of two halves in a word, which functions of the toolkit's headers copy
    copying: Copying | None = None  # of a class of the program's own: how it is copied
    told: SourceAlignment | None = None  # of a class or its members
    # a store of class type of one of so many objects (`c ? a : b[i]`), each of which may have a
    # store of its own
    chosen: int = 0
    # in a wrapper of assembly that makes its address a shared one, or loads an operand, before
    converted: bool = False
    of_block: bool = False  # atomic for the threads of its block alone: `atomicAdd_block`
    of_object: bool = False  # of an atomic object that other blocks may use: `cuda::atomic`
    in_header: bool = False  # made by a function of the toolkit's headers, whose line it may be on
    subscripts: tuple[BoundedIndex, ...] = ()


LIBRARY = "library"  # the loop of a library function's own code, which no line of the source says


@dataclass(frozen=True, slots=True, eq=False)
class BranchSite:
    span: Span
    kind: str  # if for while do switch ?: && || return (early return's own if stays "if"); LIBRARY
    condition: str  # source text
    calls: tuple[Span, ...] = ()
    # of a switch: the labels in the order in which they are tested, as written
    cases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class BarrierSite:
    span: Span
    text: str
    scope: str  # block | warp | tile | grid | memory (fences: no lane waits)
    calls: tuple[Span, ...] = ()
    exchange: bool = False  # a shuffle or vote
    memory: str = ""  # the only memory that it orders, shared or global; "": both
    cluster: bool = False  # of all blocks of a cluster


@dataclass(frozen=True, slots=True, eq=False)
class Label:
    name: str


# ------------------------------------------------------------------ statements


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    pass


Body = tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Assign(Statement):
    variable: Variable
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Load(Statement):
    """`targets`: one variable per scalar leaf of the accessed value as (byte offset, variable); ()
    when the value is unused. A leaf that is not an integer or pointer may be left out. `address`
    points at byte 0 of the access."""

    targets: tuple[tuple[int, Variable], ...]
    address: Expression
    site: AccessSite


@dataclass(frozen=True, slots=True, eq=False)
class Store(Statement):
    """`values`: (byte offset, expression) per scalar leaf that is worth tracking (integers and
    pointers); others are left out. `untracked`: the others (byte offset None: not told), for
    whoever asks what a stored value is made of."""

    address: Expression
    values: tuple[tuple[int, Expression], ...]
    site: AccessSite
    untracked: tuple[tuple[int | None, Expression], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Atomic(Statement):
    """operation: add sub min max and or xor exch cas inc dec (float adds: add). `target` receives
    the old value."""

    target: Variable | None
    operation: str
    address: Expression
    operands: tuple[Expression, ...]
    site: AccessSite


@dataclass(frozen=True, slots=True, eq=False)
class Copy(Statement):
    """cp.async / memcpy_async: one request reads `source`, writes `destination`."""

    destination: Expression
    source: Expression
    destination_site: AccessSite
    source_site: AccessSite


@dataclass(frozen=True, slots=True, eq=False)
class CopyGroup(Statement):
    """Asynchronous copies of a thread. operation "commit" closes a group of those issued before;
    "wait" waits until at most the `pending` newest groups still run, or, with None, for all copies,
    in a group or not (PTX, cp.async.wait_group and wait_all). "wait_stage" waits for the oldest stage
    of a pipeline that is not released; of a pipeline of the whole block, "wait_stage_of_block" waits
    for the copies of all threads, "acquire_stage" until all have released it (libcu++, cuda::pipeline)."""

    operation: str
    pending: Expression | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Matrix(Statement):
    """ldmatrix / stmatrix: lane l of the first 8*count lanes supplies row address l;
    `site.hardware_op` says which."""

    address: Expression
    count: int
    targets: tuple[Variable, ...]
    site: AccessSite


@dataclass(frozen=True, slots=True, eq=False)
class Shuffle(Statement):
    """kind: idx up down xor. `width`: expression (32 when omitted). `site`: the call, where it
    names the lanes that take part, `lanes`: the bits of these, looked at by the slice alone."""

    target: Variable
    kind: str
    value: Expression
    lane: Expression
    width: Expression
    span: Span
    synchronised: bool = True
    site: BarrierSite | None = None
    lanes: Expression | None = None


BLOCK_COPY = "block_copy"  # that all threads of a block start, and wait for elsewhere


@dataclass(frozen=True, slots=True, eq=False)
class Vote(Statement):
    """kind: any all ballot activemask match_any reduce_add reduce_min reduce_max reduce_and
    reduce_or reduce_xor and reduce (by any function) over the warp or a tile of it, block_or block_and block_count block_reduce over the block;
    exchange and block_exchange: what is returned stands elsewhere, as an unknown; BLOCK_COPY:
    nothing is returned. `site`, `lanes`: as a shuffle's."""

    target: Variable
    kind: str
    operand: Expression | None
    span: Span
    site: BarrierSite | None = None
    lanes: Expression | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Barrier(Statement):
    """`lanes`: bits of the lanes of a warp that a barrier of scope warp or tile is for; None: all
    of them. `name`, `threads`: of PTX's `bar.sync a, b`, at which b threads wait."""

    site: BarrierSite
    lanes: Expression | None = None
    name: Expression | None = None
    threads: Expression | None = None


@dataclass(frozen=True, slots=True, eq=False)
class If(Statement):
    """`kept`: see `Select`."""

    condition: Expression
    then: Body
    otherwise: Body
    site: BranchSite
    kept: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Region(Statement):
    """Lanes that `Leave(label)` inside `body` wait at its end. Serves return, continue, switch,
    forward goto."""

    label: Label
    body: Body


@dataclass(frozen=True, slots=True, eq=False)
class Leave(Statement):
    label: Label


@dataclass(frozen=True, slots=True, eq=False)
class Loop(Statement):
    """`while`-form: header; if !condition leave; body; step; repeat. `post_test` (do-while): body;
    step; header; test. `condition` None means forever. break is Leave(label); continue is Leave of
    a Region around `body`. `unroll`: None without a pragma, 0 for `#pragma unroll`, N for `#pragma
    unroll N`."""

    label: Label
    header: Body
    condition: Expression | None
    body: Body
    step: Body
    site: BranchSite
    post_test: bool = False
    unroll: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Clobber(Statement):
    """An unknown call: memory reachable through `pointers` (or any, when None) changes; `what`
    names it. `copied`: of a bulk copy (TMA), how many bytes it brings to `pointers[0]`, beside its
    thread; None where that is no constant."""

    what: str
    pointers: tuple[Expression, ...] | None
    span: Span
    copied: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Taken(Statement):
    """Values that something takes which is followed no further. `how`: "used" where it is there for
    its effect (assembly that gives nothing back); "called" where that is a call for nvcc, which may
    write any memory for all it knows (`printf`, `__nanosleep`, `assert`); "open" where it may need
    them or not (a function that nobody defines, a place that is not followed); "seen" where nvcc
    drops it with the loads that feed it, but only after it has seen which shared arrays are read
    (assembly)."""

    values: tuple[Expression, ...]
    how: str


@dataclass(frozen=True, slots=True, eq=False)
class Trap(Statement):
    """Active lanes end here (`__trap`, `asm("exit;")`, host `exit`, `throw`)."""

    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Assume(Statement):
    """`__builtin_assume(condition)` and the like."""

    condition: Expression
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class HostLaunch(Statement):
    """Host only: a `<<<>>>` reached. `kernel` is lowering's handle for the resolved instantiation;
    `arguments` are (leaf parameter name, expression): pointers to host-known allocations keep base
    and offset. `cluster`: blocks of a cluster as the launch's attributes say, 0 where none says."""

    kernel: Any
    grid: tuple[Expression, Expression, Expression]
    block: tuple[Expression, Expression, Expression]
    dynamic_shared: Expression
    arguments: tuple[tuple[str, Expression], ...]
    span: Span
    assumptions: tuple[str, ...] = ()  # types that the host code does not say
    cluster: tuple[Expression, Expression, Expression] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Allocate(Statement):
    """Host only: `target` becomes a pointer to a fresh device allocation (cudaMalloc and friends),
    256-byte aligned. `bytes`: its size; None where nothing says it. `on_heap`: to an object of the
    host (`new`, malloc), whose contents may be followed."""

    target: Variable
    span: Span
    bytes: Expression | None = None
    on_heap: bool = False


# ------------------------------------------------------------------ functions


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """Something computed that says more than its value, with its place: kind is integer-division
    (`expression` divides by what is no constant), double-arithmetic (a float or integer with the
    double literal at `part`) or unsynchronised-shuffle (a vote, too)."""

    kind: str
    span: Span
    text: str
    expression: Expression | None = None
    part: Span | None = None  # the divisor, or the literal
    calls: tuple[Span, ...] = ()
    # of a float and a literal that a float holds: in float arithmetic where the result is made a
    # float at once
    exact: bool = False
    # of a literal: what runs the text otherwise may compute with doubles, to which a float would
    # bring fewer digits
    shared: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """A scalar leaf of a kernel parameter: `name` is "n", or "a.mass" for a member. For pointers
    `object` is what it points to. `place`: where it lies in a parameter with arrays, which is
    memory. `default`: what a host function's has where a call leaves it out."""

    name: str
    variable: Variable
    object: MemoryObject | None = None
    place: tuple[MemoryObject, int] | None = None
    default: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """A kernel instantiation ready to execute."""

    name: str
    qualified_name: str
    template_arguments: tuple[str, ...]
    span: Span  # of the whole definition
    parameters: tuple[Parameter, ...]
    body: Body
    # every shared, local, constant and global object the body addresses
    objects: tuple[MemoryObject, ...]
    label: Label  # `return` leaves it
    language: str  # cuda | opencl
    static_shared_bytes: int = 0
    launch_bounds: tuple[int, ...] = ()
    required_block: tuple[int, int, int] | None = None
    notes: tuple[str, ...] = field(default=())
    operations: tuple[Operation, ...] = ()
    # the compiler may leave functions of it as calls: what would change across them need not
    keeps_calls: bool = False
    # what is given to what is not followed, which is told in words
    unfollowed: tuple[tuple[str, Expression], ...] = ()
    # what accesses memory that no number holds, and where
    uncounted: tuple[tuple[str, Span], ...] = ()
    promised: bool = False  # as if every pointer parameter were `__restrict__`
    extern_arrays: tuple[tuple[str, Span], ...] = ()  # of shared memory, which begin at one address


@dataclass(frozen=True, slots=True, eq=False)
class HostFunction:
    """A host function whose body reaches launches, lowered to run with one lane. `is_reached`:
    False where the program has a `main` and no call that is followed leads here from it."""

    name: str
    body: Body
    label: Label
    span: Span
    parameters: tuple[Parameter, ...] = ()
    is_reached: bool = True
