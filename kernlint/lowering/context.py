"""The context of lowering: what is known of the file (`ProgramContext`), the state of lowering one
kernel or host function (`Lowerer`), and the seams through which a layer calls one above it
(`Handlers`).

In: the parser's result and the handlers, which `handlers.py` puts together on top of all layers.
Out: an emitter that the lowering modules share. Decides nothing about meaning.

What is recursive in the language goes through a seam: an expression in an expression
(`expression`), a body in a call (`Handlers.inline`), an object in a conversion
(`Handlers.construct`), a constant in a type (`ProgramContext.constant`), a type in template
arguments (`ProgramContext.resolve`).
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from kernlint.base import deadline
from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Problem, SourceError, Span
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads
from kernlint.ir.types import OpaqueType, Record, Type
from kernlint.lowering.declare import Declarations
from kernlint.lowering.expressions.values import (
    Aggregate,
    Closure,
    FunctionRef,
    Place,
    Qualified,
    Scalar,
    Value,
    is_volatile,
)
from kernlint.lowering.kernel_template import KernelTemplate
from kernlint.lowering.scopes import (
    ClassInfo,
    ClassTemplate,
    FunctionEntity,
    GlobalVariable,
    Scope,
)
from kernlint.model.reasons import gave_up
from kernlint.source.parser import tree
from kernlint.source.parser.parser import Unit
from kernlint.source.text import read

MAX_ATTEMPTS = 8  # at lowering a function with what was learnt before
MAX_CALL_DEPTH = 400
MAX_STATEMENTS = 200_000
# what leads to launches is near them; all else that host code calls would be inlined too
MAX_HOST_STATEMENTS = 6_000
# of a chain of `else if` in host code that are followed: long ones are tables of instances. The
# fewer where half of the time for host code is used up
MAX_HOST_BRANCHES, FEW_HOST_BRANCHES = 64, 4
NOWHERE = Span("", 1, 1, 1, 1)


# ------------------------------------------------------------------ seams


class ExpressionHandler(Protocol):
    """The value or place of an expression node of one class."""

    def __call__(self, low: Lowerer, node: Any, /) -> Value: ...


class StatementHandler(Protocol):
    """Emits a statement node of one class."""

    def __call__(self, low: Lowerer, node: Any, /) -> None: ...


class Discard(Protocol):
    """Does what is left to do of an expression whose value nobody uses."""

    def __call__(self, low: Lowerer, value: Value, node: tree.Node, /) -> None: ...


class Inline(Protocol):
    """The value of a call of a function with its template bound (`calls.constant_calls`);
    `constructing`: the class whose constructor it is."""

    def __call__(
        self,
        low: Lowerer,
        entity: FunctionEntity,
        scope: Scope,
        values: list[Value],
        nodes: Sequence[tree.Node],
        node: tree.Node,
        this: Value | None,
        constructing: ClassInfo | None = None,
        /,
    ) -> Value: ...


class ConstructObject(Protocol):
    """An object of a class from argument values (`expressions.construct`)."""

    def __call__(
        self,
        low: Lowerer,
        type_: Type,
        values: list[Value],
        nodes: Sequence[tree.Node],
        node: tree.Node,
        braces: bool,
        /,
    ) -> Value: ...


class ConstructNodes(Protocol):
    """`T(args)` or `T{args}` from syntax (`expressions.construct`)."""

    def __call__(
        self,
        low: Lowerer,
        type_: Type,
        nodes: Sequence[tree.Operand],
        node: tree.Node,
        braces: bool,
        /,
    ) -> Value: ...


class AssignPlace(Protocol):
    """`place = value` (`expressions.stores`)."""

    def __call__(
        self,
        low: Lowerer,
        place: Value,
        value: Value,
        node: tree.Node,
        source: tree.Node,
        initial: bool = False,
        /,
    ) -> None: ...


class RunHanded(Protocol):
    """Lambdas that are handed to what is not followed (`calls.closures`)."""

    def __call__(
        self,
        low: Lowerer,
        name: str,
        values: list[Value],
        nodes: Sequence[tree.Node],
        node: tree.Node,
        /,
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Handlers:
    """What each construct is lowered by: expressions and statements by the classes of their nodes,
    and what conversions, operators and constructors ask of the layers above them."""

    expressions: dict[type, ExpressionHandler]
    statements: dict[type, StatementHandler]
    discard: Discard
    inline: Inline
    construct: ConstructObject
    construct_nodes: ConstructNodes
    run_handed: RunHanded
    assign: AssignPlace


# ------------------------------------------------------------------ one file


class ProgramContext:
    """All that is known of one file, and what the layers below `program.py` ask of it. `texts`
    gives sources that cannot be read from disk (standard input)."""

    def __init__(
        self,
        unit: Unit,
        handlers: Handlers,
        options: object = None,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        self.unit, self.options, self.language = unit, options, unit.language
        self.handlers = handlers
        self.texts: dict[str, list[str]] = {
            path: text.split("\n") for path, text in (texts or {}).items()
        }
        self.classes: dict[tuple[int, int], ClassInfo] = {}
        self.enums: dict[tuple[int, int], dict[str, int]] = {}
        # by their types' names; None where functions have several of a name
        self.enumerations: dict[str, tuple[tree.Enum, Scope] | None] = {}
        self.objects: dict[int, ir.MemoryObject] = {}
        # by variable, an object whose members are known numbers
        self.constant_objects: dict[int, tuple[GlobalVariable, Aggregate | None]] = {}
        # of constant arrays of objects, what is known of their bytes, by offset
        self.contents: dict[ir.MemoryObject, dict[int, ir.Constant]] = {}
        self.kept: list[object] = []
        self.variable_instances: dict[tuple[object, ...], GlobalVariable] = {}
        # template arguments by kernel and canonical texts
        self.kernel_arguments: dict[tuple[int, tuple[str, ...]], tuple[object, ...]] = {}
        self.statics: dict[int, GlobalVariable] = {}
        self.functions: list[FunctionEntity] = []
        # of calls at compile time (`constant_calls`)
        self.returned: dict[object, Value | None] = {}
        # functions that host code keeps pointers to, with numbers that stand for them
        self.kept_functions: dict[object, tuple[int, FunctionRef | Closure]] = {}
        # classes with virtual functions of which host code makes objects, and what they hold then
        self.virtual_classes: dict[str, tuple[int, Record]] = {}
        self.kept_strings: dict[
            str, int
        ] = {}  # contents of strings, by numbers that stand for them
        self.problems: list[Problem] = []
        self.scope = Scope(None, "namespace")
        self.declarations = Declarations()
        self.declarations.collect(unit.declarations, self.scope)
        self.functions += self.declarations.functions
        # names of the host functions that lead to launches
        self.launching: frozenset[str] = frozenset()
        self.lowered_launches: set[int] = set()  # ids of the nodes of launches that were met
        # whether functions may change variables, by their names
        self.changing: dict[str, bool] = {}
        self.changing_member: dict[str, frozenset[int]] = {}
        self.declared_library: Scope | None = None  # of the library, once one was met
        self.library_classes: dict[str, ClassTemplate] = {}  # those that were met
        # values of expressions by scope and spelling
        self.spelt: dict[tuple[int, object], Value] = {}
        # those whose initialiser is a constant expression, by their identities, with their values
        self.constant_variables: dict[int, tuple[GlobalVariable, Value]] = {}
        # of patterns of specialisations, by the identities of node and scope, which are kept alive
        self.pattern_constants: dict[
            tuple[int, int], tuple[tree.Node, Scope, ir.Constant | None]
        ] = {}

    # -------------------------------------------------------------- what the layers above know

    @abstractmethod
    def resolve(self, node: tree.Node | None, scope: Scope) -> Qualified:
        """The type that `node` spells, looked up from `scope`."""

    @abstractmethod
    def static_value(self, node: tree.Node, scope: Scope, type_: Type | None = None) -> Value:
        """An expression's value at compile time: constants folded through constexpr calls,
        functions followed."""

    @abstractmethod
    def kernels(self) -> list[KernelTemplate]:
        """Every kernel definition in source order."""

    @abstractmethod
    def pragma_count(self, text: str, scope: Scope) -> int | None:
        """The number in `#pragma unroll N`: a literal, a name, or a product or sum of such."""

    # -------------------------------------------------------------- services

    def constant(self, node: tree.Node, scope: Scope) -> ir.Constant | None:
        """The value of a constant expression; None when it is not one."""
        found = self.static_value(node, scope)
        if isinstance(found, Scalar) and isinstance(found.expression, ir.Constant):
            return found.expression
        return None

    def type_of(self, node: tree.Node, scope: Scope) -> Qualified:
        """The type of an expression, without evaluating it."""
        try:
            value = expression(self.scratch(scope), node)
        except SourceError:
            return Qualified(OpaqueType("?"))
        return Qualified(value.type, volatile=is_volatile(value))

    def scratch(self, scope: Scope) -> Lowerer:
        """A place to lower an expression whose statements are thrown away or run at compile
        time."""
        return Lowerer(self, scope, host=True, constant=True)

    def run_again(self, make: Callable[[Learnt], Lowerer]) -> Lowerer:
        """Lower with `make` until no declaration has to be treated differently; gives the last
        Lowerer."""
        learnt = Learnt()
        for _ in range(MAX_ATTEMPTS):
            low = make(learnt)
            before, learnt = learnt, learnt.and_of(low)
            if learnt == before:
                break
        return low

    def text(self, span: Span) -> str:
        """The user's text at `span`, white space collapsed."""
        lines = self.texts.get(span.path)
        if lines is None:
            found, _ = read(span.path)
            lines = self.texts[span.path] = found.text.split("\n") if found is not None else []
        if not 1 <= span.line <= len(lines):
            return ""
        if span.line == span.end_line:
            found_text = " ".join(
                lines[span.line - 1][span.column - 1 : span.end_column - 1].split()
            )
            if not span.macro or found_text.count("(") == found_text.count(")"):
                return found_text
            return macro_use(lines[span.line - 1], span)
        held = [lines[span.line - 1][span.column - 1 :], *lines[span.line : span.end_line - 1]]
        if span.end_line <= len(lines):
            held.append(lines[span.end_line - 1][: span.end_column - 1])
        return " ".join(" ".join(held).split())


def macro_use(line: str, span: Span) -> str:
    """The macro call around a stretch of its arguments that does not read as an expression by
    itself."""
    start = line.rfind(span.macro, 0, span.end_column)
    depth = 0
    for position in range(max(start, 0), len(line)):
        depth += {"(": 1, ")": -1}.get(line[position], 0)
        if depth == 0 and line[position] == ")":
            return " ".join(line[start : position + 1].split()) if start >= 0 else span.macro
    return span.macro


# ------------------------------------------------------------------ one function


class Undecided(Exception):
    """A function that is followed at compile time branches too often on what is not known."""


class Endless(Exception):
    """Calls at compile time are nested too deep."""


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Room for MAX_CALL_DEPTH calls inlined in one another, each of which takes some forty Python
    calls."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 40 * MAX_CALL_DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@dataclass(slots=True, eq=False)
class Frame:
    """One function being inlined. `result`: where early returns put their value; `direct`: the
    value of a return that ends the body."""

    entity: FunctionEntity | None
    label: ir.Label
    return_type: Qualified | None  # None: to be deduced
    depth: int
    this: Value | None = None
    scope: Scope | None = None  # where its parameters are
    result: Place | None = None
    result_is_reference: bool = False
    direct: Value | None = None
    left: bool = False
    key: Any = None
    # declaration or assignment → line its value is charged to
    copied_once: dict[int, int] = field(default_factory=dict)
    body: tree.Compound | None = None  # of a lambda
    entry: tree.Node | None = None  # the statement whose first instructions are charged to the call
    makes_shared: bool = False  # whether the body makes a shared address of a pointer
    fetched: frozenset[str] = frozenset()  # parameters that are those of the kernel itself
    handed_on: bool = True  # the call's arguments need no instruction of their own


@dataclass(frozen=True, slots=True)
class Learnt:
    """What was found out while lowering that should have been known before, by identities of nodes:
    declarations that must lie in memory, or must be ordinary variables, and functions that call
    themselves."""

    in_memory: frozenset[int] = frozenset()
    not_static: frozenset[int] = frozenset()
    recursive: frozenset[int] = frozenset()

    def and_of(self, low: Lowerer) -> Learnt:
        """With what `low` found out."""
        return Learnt(
            self.in_memory | low.escaped,
            self.not_static | low.reassigned,
            self.recursive | low.called_again,
        )


class Lowerer:
    """Emits IR for one function. `escaped` and `reassigned` collect declarations that must be
    lowered differently: see `program.py`."""

    def __init__(
        self, program: ProgramContext, scope: Scope, host: bool = False, constant: bool = False
    ) -> None:
        self.program, self.scope, self.host, self.constant = program, scope, host, constant
        self.allowed = deadline.left()  # steps of work
        self.handlers = program.handlers
        self.language: str = program.language
        self.out: list[ir.Statement] = []
        self.depth = 0
        self.terminated = False
        self.calls: tuple[Span, ...] = ()
        self.frames: list[Frame] = []
        # the blocks of the kernel's cluster, where its declaration says them
        self.cluster: tuple[int, int, int] | None = None
        self.handed: frozenset[ir.Variable] = frozenset()  # the kernel's own parameters
        # scalars of the kernel's parameters with arrays, by where they lie
        self.parameter_leaves: dict[ir.MemoryObject, dict[int, ir.Variable]] = {}
        self.parameter_memory: dict[int, ir.MemoryObject] = {}  # those, by their declarations
        self.break_label: ir.Label | None = None
        self.continue_label: ir.Label | None = None
        # of objects in variables, by these and where they begin (`expressions.dynamic_classes`)
        self.dynamic_classes: dict[tuple[int, int], tuple[object, Record]] = {}
        self.loop_depth = 0  # loops around, those of callers among them
        self.used_labels: set[ir.Label] = set()
        self.gotos: dict[str, ir.Label] = {}
        self.objects: dict[object, ir.MemoryObject] = {}
        self.globals: dict[int, Value] = {}
        self.global_inits: list[ir.Statement] = []
        # of host code: variables with static storage met so far, and which have been changed by
        # code that is not followed ("all", or those that are "visible" outside of the file)
        self.host_variables: list[tuple[GlobalVariable, Value]] = []
        self.lost_variables: set[str] = set()
        self.dynamic_shared: ir.MemoryObject | None = None
        self.extern_arrays: dict[str, Span] = {}  # those that are all that object
        self.learnt = Learnt()
        self.escaped: set[int] = set()
        self.reassigned: set[int] = set()
        self.called_again: set[int] = set()
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        self.assumed: tuple[str, ...] = ()  # host only: types taken for those that nobody gives
        self.operations: list[ir.Operation] = []
        self.unfollowed: list[tuple[str, ir.Expression]] = []
        self.uncounted: dict[tuple[str, Span], None] = {}
        self.emitted = 0
        self.inlined = 0  # calls put in place
        self.keeps_calls = False
        self.unroll: int | None = None
        self.statement_node: tree.Node | None = None
        self.callee: tree.Node | None = None  # what is being called
        # line to which the next accesses are charged, when not their own
        self.charge: int | None = None
        # branches on what is not known that are still followed; None: all of them
        self.undecided: int | None = None

    # -------------------------------------------------------------- emission

    def emit(self, statement: ir.Statement) -> None:
        self.emitted += 1
        self.out.append(statement)

    def branches(self) -> None:
        """One more branch on what is not known. Raises Undecided when that is one too many."""
        if self.undecided is not None:
            self.undecided -= 1
            if self.undecided < 0:
                raise Undecided

    def block(self) -> _Block:
        """Statements emitted inside go to the list that is given; control inside is conditional."""
        return _Block(self)

    def scoped(self, scope: Scope | None = None) -> _Scoped:
        """A nested block scope (or the given one) for names."""
        return _Scoped(self, scope)

    @contextmanager
    def charging(self, line: int | None) -> Iterator[None]:
        outer, self.charge = self.charge, line if line is not None else self.charge
        try:
            yield
        finally:
            self.charge = outer

    def copy_line(self, node: tree.Node) -> int | None:
        """The line of the only copy of what a declaration or an assignment loads."""
        return self.frame.copied_once.get(id(node)) if self.frames else None

    def take(self, values: Iterable[ir.Expression], how: str) -> None:
        """See `ir.Taken`; values that read nothing are left out."""
        read = tuple(e for e in values if reads(e))
        if read and not self.host:
            self.emit(ir.Taken(read, how))

    def assign(self, variable: ir.Variable, value: ir.Expression) -> None:
        self.emit(ir.Assign(variable, value))

    def temporary(self, type_: Type, name: str = "") -> ir.Variable:
        return ir.Variable(name or "(value)", type_)

    # -------------------------------------------------------------- places in the source

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @property
    def this(self) -> Value | None:
        return self.frames[-1].this if self.frames else None

    def span(self, node: tree.Node) -> Span:
        return node.coord

    def text(self, node: tree.Node) -> str:
        return self.program.text(self.span(node))

    def branch_site(self, node: tree.Node, kind: str, condition: tree.Node | None) -> ir.BranchSite:
        return ir.BranchSite(
            self.span(node), kind, self.text(condition) if condition is not None else "", self.calls
        )

    def discarded(self, node: tree.Node) -> bool:
        """Whether the expression node stands as a statement, its value unused."""
        return self.statement_node is node

    def unsupported(
        self, node: tree.Node, reason: str, subject: str = "", /, **words: object
    ) -> None:
        """Record that something is not analysed, for a reason of `GAVE_UP`; what depends on it
        becomes unknown."""
        self.report(gave_up(reason, self.span(node), "", subject, **words))

    def leave_uncounted(
        self, node: tree.Node, reason: str, subject: str, /, **words: object
    ) -> None:
        """Record that the memory that something at `node` accesses is not counted, for a reason of
        `UNCOUNTED`; a problem once for each subject."""
        self.uncounted[subject, self.span(node)] = None
        if not any(problem.subject == subject for problem in self.problems):
            self.unsupported(node, reason, subject, **words)

    def report(self, problem: Problem) -> None:
        if problem not in self.problems:
            self.problems.append(problem)


class _Block:
    """`Lowerer.block`, entered; generators as context managers take thrice the time."""

    __slots__ = ("low", "out", "terminated")

    def __init__(self, low: Lowerer) -> None:
        self.low = low

    def __enter__(self) -> list[ir.Statement]:
        low = self.low
        self.out, self.terminated = low.out, low.terminated
        low.out, low.terminated = [], False
        low.depth += 1
        return low.out

    def __exit__(self, *_: object) -> None:
        low = self.low
        low.out, low.terminated = self.out, self.terminated
        low.depth -= 1


class _Scoped:
    """`Lowerer.scoped`, entered."""

    __slots__ = ("low", "outer", "scope")

    def __init__(self, low: Lowerer, scope: Scope | None) -> None:
        self.low, self.scope = low, scope

    def __enter__(self) -> Scope:
        self.outer = self.low.scope
        self.low.scope = entered = self.scope if self.scope is not None else Scope(self.outer)
        return entered

    def __exit__(self, *_: object) -> None:
        self.low.scope = self.outer


def expression(low: Lowerer, node: tree.Node) -> Value:
    """The value or place that an expression node denotes, effects emitted in C's evaluation
    order."""
    deadline.check(LOWERING)
    handler = low.handlers.expressions.get(type(node))
    return handler(low, node) if handler is not None else _unsupported(low, node)


def _unsupported(low: Lowerer, node: tree.Node) -> Value:
    kind = type(node).__name__
    if kind == "Typename":
        low.unsupported(node, "type-value", text=" ".join(low.text(node).split()))
    elif kind == "PackExpansion":
        if not low.host:  # a template that nothing calls: what it hands to a launch is unknown
            low.unsupported(node, "pack-elements", text=_short(low.text(node)))
    else:
        low.unsupported(
            node,
            "expression",
            text=_short(low.text(node)),
            kind=KINDS.get(kind, ""),
        )
    return Scalar(ir.Unknown(OpaqueType("?"), "unsupported"))


KINDS = {  # what stands where an expression is wanted, in C++'s words
    "DecltypeType": ": a type where a value is expected",
    "NameType": ": a type where a value is expected",
    "OperatorName": ": an operator named as a function",
    "DestructorName": ": a destructor named as a function",
    "NamedInitializer": ": an initialiser that names its member",
    "GenericSelection": ": a choice by type",
}
LOWERING = 2  # steps of work for an expression or a statement
LONGEST = 60  # characters of a quoted expression


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def statement(low: Lowerer, node: tree.Node) -> None:
    """Lower one statement; anything that is no statement is lowered as an expression whose value is
    discarded."""
    deadline.check(LOWERING)
    handler = low.handlers.statements.get(type(node))
    if handler is not None:
        handler(low, node)
    else:
        low.statement_node = node
        low.handlers.discard(low, expression(low, node), node)
