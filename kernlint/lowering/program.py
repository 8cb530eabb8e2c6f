"""The program in one file: its declarations, its kernels, and how they become intermediate code.

In: a parsed Unit and the preprocessor's options. Out: `ir.Kernel` and `ir.HostFunction`. Raises
SourceError only from `instantiate` and `canonical`.

A local whose address escapes, a followed pointer that turns out to be reassigned, or a function
that calls itself is found out while lowering; the function is then lowered again with what was
learnt (`context.Learnt`).
"""

from __future__ import annotations

from collections.abc import Mapping

from kernlint.base.span import SourceError
from kernlint.ir import nodes as ir
from kernlint.ir.types import Type
from kernlint.lowering import host, kernels
from kernlint.lowering.context import ProgramContext
from kernlint.lowering.expressions.construct import initialiser_value
from kernlint.lowering.expressions.interpret import evaluate
from kernlint.lowering.expressions.places import rvalue, unknown
from kernlint.lowering.expressions.stores import coerce
from kernlint.lowering.expressions.values import (
    Aggregate,
    AutoPlaceholder,
    FunctionRef,
    Qualified,
    Scalar,
    Value,
)
from kernlint.lowering.handlers import HANDLERS
from kernlint.lowering.kernel_template import KernelTemplate
from kernlint.lowering.scopes import Scope
from kernlint.lowering.types import typenames
from kernlint.source.parser import tree
from kernlint.source.parser.parser import Unit


class Program(ProgramContext):
    """What the other rooms see of one file: its kernels, and the host functions that launch
    them."""

    def __init__(
        self, unit: Unit, options: object = None, texts: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(unit, HANDLERS, options, texts)
        self._kernels: list[KernelTemplate] | None = None

    def kernels(self) -> list[KernelTemplate]:
        """Every kernel definition in source order."""
        if self._kernels is None:
            self._kernels = kernels.find(self)
        return self._kernels

    def instantiate(
        self,
        handle: KernelTemplate,
        template_arguments: tuple[str, ...] | None,
        cluster: tuple[int, int, int] | None = None,
    ) -> ir.Kernel:
        """The kernel for the given canonical template arguments; None: stand-ins for what is not
        known. `cluster`: its blocks, where a launch gives them. Raises SourceError."""
        return kernels.instantiate(self, handle, template_arguments, cluster)

    def canonical(self, handle: KernelTemplate, texts: tuple[str, ...]) -> tuple[str, ...]:
        """Template arguments as the kernel's instances name them. Raises SourceError where it takes
        no such ones."""
        return kernels.canonical(self, handle, texts)

    def host_functions(self) -> list[ir.HostFunction]:
        """The host functions from which launches are reached; never raises."""
        return host.functions(self)

    # -------------------------------------------------------------- what the layers below ask for

    def resolve(self, node: tree.Node | None, scope: Scope) -> Qualified:
        return typenames.resolve(self, node, scope)

    def pragma_count(self, text: str, scope: Scope) -> int | None:
        return kernels.pragma_count(self, text, scope)

    def static_value(self, node: tree.Node, scope: Scope, type_: Type | None = None) -> Value:
        low = self.scratch(scope)
        try:
            value = initialiser_value(low, node, type_ or AutoPlaceholder())
            held = (
                coerce(low, value, type_, node) if type_ is not None else rvalue(low, value, node)
            )
        except SourceError:
            return unknown("unsupported")
        if isinstance(held, Aggregate) and not held.statics:
            parts = evaluate([*low.global_inits, *low.out], held.leaves)
            return held if parts is None else Aggregate(held.type, {**parts})
        if not isinstance(held, Scalar) or isinstance(held.expression, ir.Constant):
            return held
        if not isinstance(held.expression, ir.Unknown):
            found = evaluate([*low.global_inits, *low.out], {0: held.expression})
            if found is not None:
                return Scalar(found[0])
        elif held.expression.reason != "unknown-argument":
            return FunctionRef((), "")  # which has no name
        return held
