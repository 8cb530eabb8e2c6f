"""The program in one file: its declarations, its kernels, and how they become intermediate code.

In: a parsed Unit and the preprocessor's options. Out: `ir.Kernel` and `ir.HostFunction`. Raises
SourceError only from `instantiate`.

A local whose address escapes, a followed pointer that turns out to be reassigned, or a function
that calls itself is found out while lowering; the function is then lowered again with what was
learnt (`context.Learnt`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Problem, SourceError, Span
from kernlint.ir import nodes as ir
from kernlint.ir.types import OpaqueType, Type

# the lowering modules register their handlers when imported
from kernlint.lowering import host, kernels, launches  # noqa: F401
from kernlint.lowering.calls import calls  # noqa: F401
from kernlint.lowering.context import Learnt, Lowerer, expression
from kernlint.lowering.declare import Declarations
from kernlint.lowering.expressions import expressions, identifiers  # noqa: F401
from kernlint.lowering.expressions.interpret import evaluate
from kernlint.lowering.expressions.places import rvalue, unknown
from kernlint.lowering.expressions.values import (
    AutoPlaceholder,
    FunctionRef,
    Qualified,
    Scalar,
    Value,
    is_volatile,
)
from kernlint.lowering.scopes import FunctionEntity, GlobalVariable, Scope
from kernlint.lowering.statements import local_variables, statements  # noqa: F401
from kernlint.lowering.syntax import Node
from kernlint.lowering.templates import packs  # noqa: F401
from kernlint.lowering.templates.assumed_types import Usage
from kernlint.lowering.templates.template_arguments import Argument
from kernlint.source.parser.stream import Stream
from kernlint.source.text import read

MAX_ATTEMPTS = 8


class Unit(Protocol):
    """What lowering needs of the parser's result."""

    @property
    def path(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def declarations(self) -> list[Any]: ...
    @property
    def stream(self) -> Stream | None: ...


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


class Program:
    """All that is known of one file. `texts` gives sources that cannot be read from disk (standard
    input)."""

    def __init__(
        self, unit: Unit, options: object = None, texts: Mapping[str, str] | None = None
    ) -> None:
        self.unit, self.options, self.language = unit, options, unit.language
        self.texts: dict[str, list[str]] = {
            path: text.split("\n") for path, text in (texts or {}).items()
        }
        self.classes: dict[tuple[int, int], Any] = {}
        self.enums: dict[tuple[int, int], dict[str, int]] = {}
        self.enumerations: dict[
            str, tuple[Any, Scope] | None
        ] = {}  # by their types' names; None where functions have several of a name
        self.objects: dict[int, ir.MemoryObject] = {}
        self.kept: list[object] = []
        self.variable_instances: dict[tuple[object, ...], GlobalVariable] = {}
        self.kernel_arguments: dict[
            tuple[int, tuple[str, ...]], tuple[Argument, ...]
        ] = {}  # by kernel and canonical texts
        self.statics: dict[int, GlobalVariable] = {}
        self.functions: list[FunctionEntity] = []
        self.usages: dict[int, Usage] = {}  # by function node
        self.returned: dict[object, Value | None] = {}  # of calls at compile time (`compile_time`)
        self.problems: list[Problem] = []
        self.scope = Scope(None, "namespace")
        self.declarations = Declarations()
        self.declarations.collect(unit.declarations, self.scope)
        self.functions += self.declarations.functions
        self._kernels: list[KernelTemplate] | None = None
        self.constant_types: Scope | None = None  # of the library, once one was met
        self.spelt: dict[
            tuple[int, object], Value
        ] = {}  # values of expressions by scope and spelling

    # -------------------------------------------------------------- the agreed entry points

    def kernels(self) -> list[KernelTemplate]:
        """Every kernel definition in source order."""
        if self._kernels is None:
            self._kernels = kernels.find(self)
        return self._kernels

    def instantiate(
        self, handle: KernelTemplate, template_arguments: tuple[str, ...] | None
    ) -> ir.Kernel:
        """The kernel for the given canonical template arguments; None: stand-ins for what is not
        known. Raises SourceError."""
        return kernels.instantiate(self, handle, template_arguments)

    def canonical(self, handle: KernelTemplate, texts: tuple[str, ...]) -> tuple[str, ...]:
        """Template arguments as the kernel's instances name them. Raises SourceError where it takes
        no such ones."""
        return kernels.canonical(self, handle, texts)

    def host_functions(self) -> list[ir.HostFunction]:
        """The host functions from which launches are reached; never raises."""
        return host.functions(self)

    # -------------------------------------------------------------- services for the lowering
    # modules

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

    def scratch(self, scope: Scope) -> Lowerer:
        """A place to lower an expression whose statements are thrown away or run at compile
        time."""
        return Lowerer(self, scope, host=True, constant=True)

    def constant(self, node: Node, scope: Scope) -> ir.Constant | None:
        """The value of a constant expression; None when it is not one."""
        found = self.static_value(node, scope)
        if isinstance(found, Scalar) and isinstance(found.expression, ir.Constant):
            return found.expression
        return None

    def static_value(self, node: Node, scope: Scope, type_: Type | None = None) -> Value:
        """An expression's value at compile time: constants folded through constexpr calls,
        functions followed."""
        from kernlint.lowering.expressions.construct import initialiser_value
        from kernlint.lowering.expressions.stores import coerce

        low = self.scratch(scope)
        try:
            value = initialiser_value(low, node, type_ or AutoPlaceholder())
            held = (
                coerce(low, value, type_, node) if type_ is not None else rvalue(low, value, node)
            )
        except SourceError:
            return unknown("unsupported")
        if (
            isinstance(held, Scalar)
            and not isinstance(held.expression, ir.Constant)
            and not isinstance(held.expression, ir.Unknown)
        ):
            found = evaluate([*low.global_inits, *low.out], {0: held.expression})
            if found is not None:
                return Scalar(found[0])
        if (
            isinstance(held, Scalar)
            and isinstance(held.expression, ir.Unknown)
            and held.expression.reason != "unknown-argument"
        ):
            return FunctionRef((), "")  # which has no name
        return held

    def type_of(self, node: Node, scope: Scope) -> Qualified:
        """The type of an expression, without evaluating it."""
        low = self.scratch(scope)
        try:
            value = expression(low, node)
        except SourceError:
            return Qualified(OpaqueType("?"))
        return Qualified(value.type, volatile=is_volatile(value))

    def pragma_count(self, text: str, scope: Scope) -> int | None:
        """The number in `#pragma unroll N`: a literal, a name, or a product or sum of such."""
        return kernels.pragma_count(self, text, scope)

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
