"""A PTX module as a program: its kernels, under the names of the source, and how they become
intermediate code.

In: a `PtxModule`. Out: handles and `ir.Kernel`s, as `program.Program` gives them for source; a
module launches nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial

from kernlint.base.dataclass import dataclass, field, replace
from kernlint.base.span import Problem, Span
from kernlint.ir import nodes as ir
from kernlint.lowering.ptx import inlining, kernels
from kernlint.lowering.templates.demangling import demangled
from kernlint.model import facts
from kernlint.model.reasons import gave_up
from kernlint.source.ptx.module import PtxFunction, PtxModule
from kernlint.source.ptx.nodes import PtxInstruction


@dataclass(frozen=True, slots=True)
class PtxAttributes:
    """What the directives of an `.entry` say about its launches."""

    launch_bounds: tuple[int, ...] = ()
    required_block: tuple[int, int, int] | None = None


@dataclass(slots=True, eq=False)
class PtxKernel:
    """An `.entry`. `name`: as in the source, without arguments; `symbol`: as the module has it."""

    name: str
    qualified_name: str
    template_arguments: tuple[str, ...]
    symbol: str
    span: Span
    function: PtxFunction
    attributes: PtxAttributes
    is_template: bool = False
    explicit_instantiations: list[tuple[str, ...]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class PtxProgram:
    """`by_line`: places are those of the source that `.loc` names. `source`: the kernels that the
    module was made of, each under one of its launches; their launches and the names of their
    parameters then hold for the module's kernels."""

    def __init__(
        self,
        module: PtxModule,
        text: str,
        by_line: bool = True,
        source: Sequence[facts.Kernel] = (),
    ) -> None:
        self.unit, self.by_line = module, by_line
        self.problems: list[Problem] = []
        self._starts = [0, *(i + 1 for i, c in enumerate(text) if c == "\n")]
        self._kernels = [_handle(f) for f in module.functions if f.entry]
        self._source = {
            handle.symbol: [k for k in source if _made_of(handle, k)] for handle in self._kernels
        }

    def kernels(self) -> list[PtxKernel]:
        return self._kernels

    def canonical(self, handle: PtxKernel, texts: tuple[str, ...]) -> tuple[str, ...]:
        """An `.entry` is one instance: whichever arguments are named, it is this one."""
        return handle.template_arguments

    def reached(self) -> list[tuple[PtxKernel, facts.Launch]]:
        """The launches of the source's kernels."""
        found = []
        for handle in self._kernels:
            for kernel in self._source[handle.symbol]:
                launch = replace(kernel.launch, template_arguments=handle.template_arguments)
                if kernel.launch.origin != "assumed":
                    found.append((handle, launch))
        return found

    def host_functions(self) -> list[ir.HostFunction]:
        return []

    def instantiate(
        self,
        handle: PtxKernel,
        template_arguments: tuple[str, ...] | None,
        cluster: tuple[int, int, int] | None = None,
    ) -> ir.Kernel:
        """The kernel. Raises SourceError."""
        whole = inlining.inlined(self.unit, handle.function)
        span_of = partial(self._put_in, handle, whole.back)
        handle.problems = [
            _not_followed(handle, call, span_of(call.offset, call.offset + len(call.text)))
            for call in whole.left
        ]
        names = [k.parameters for k in self._source[handle.symbol][:1]]
        made = kernels.lower(
            self.unit, whole, handle.name, span_of, self.by_line, names[0] if names else ()
        )
        places: dict[str, Span] = {}
        for name, span in made.uncounted:
            places.setdefault(name, span)
        handle.problems += [
            gave_up("hardware-access", span, handle.name, name, name=name)
            for name, span in places.items()
        ]
        return replace(
            made, qualified_name=handle.qualified_name, template_arguments=handle.template_arguments
        )

    def _put_in(self, handle: PtxKernel, back: Callable[[int], int], start: int, end: int) -> Span:
        """A stretch of the body with calls put in: it does not leave the function that it is of."""
        first = back(start)
        return self._span(handle.function.offset, first, first + end - start)

    def _span(self, offset: int, start: int, end: int) -> Span:
        first, last = (
            bisect_right(self._starts, offset + at) for at in (start, max(start, end - 1))
        )
        column, final = (
            offset + start - self._starts[first - 1] + 1,
            offset + end - self._starts[last - 1] + 1,
        )
        return Span(self.unit.path, first, column, last, final)


def _not_followed(handle: PtxKernel, call: PtxInstruction, span: Span) -> Problem:
    return gave_up("ptx-call", span, handle.name, call=" ".join(call.text.split()))


def _made_of(handle: PtxKernel, kernel: facts.Kernel) -> bool:
    """Whether an `.entry` is what a kernel of the source became."""
    if (
        handle.qualified_name != kernel.qualified_name.replace("(anonymous namespace)::", "")
        and handle.name != kernel.name
    ):
        return False
    return [plain_argument(a) for a in handle.template_arguments] == [
        plain_argument(a) for a in kernel.template_arguments
    ]


def plain_argument(argument: str) -> str:
    """A template argument as text that two printers agree on."""
    # enumerators are numbers in mangled names
    text = re.sub(r"\([\w: ]+\)(?=-?\d|true|false)", "", argument).strip()
    text = {"true": "1", "false": "0"}.get(text, text)
    return re.sub(r"[\s()]|(?<=\d)[uUlL]+$", "", text)


def _handle(function: PtxFunction) -> PtxKernel:
    found = demangled(function.name)
    stated = function.directives
    required, most = stated.get("reqntid"), stated.get("maxntid")
    x, y, z = (*required, 1, 1)[:3] if required else (0, 0, 0)
    threads = 1
    for n in most or ():
        threads *= n
    attributes = PtxAttributes((threads,) if most else (), (x, y, z) if required else None)
    name = found.name.rpartition("::")[2]
    return PtxKernel(
        name,
        found.name,
        found.template_arguments,
        function.name,
        function.span,
        function,
        attributes,
    )
