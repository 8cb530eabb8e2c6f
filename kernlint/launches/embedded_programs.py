"""Programs in strings of host files as the engine needs them: launches in the host's language,
texts that are not whole.

Goes in: a program and its host. Comes out: launches by kernel, problems. Never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from kernlint.base.dataclass import dataclass, replace
from kernlint.base.span import Problem, SourceError, Span
from kernlint.model import facts
from kernlint.model.reasons import gave_up
from kernlint.source.directives import kernel_name
from kernlint.source.embedded.program import PLACEHOLDER, Called, EmbeddedProgram, Host, name_of
from kernlint.source.lexer import scan

if TYPE_CHECKING:
    from kernlint.lowering.program import Program
    from kernlint.source.tokens import Token

_STAND_IN = re.compile(rf"{PLACEHOLDER}\d+")
_CONDITIONS = ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "include")


@dataclass(frozen=True, slots=True)
class Part:
    """One program of a host file."""

    host: Host
    program: EmbeddedProgram

    @property
    def start(self) -> Span:
        """Where its text begins."""
        return self.host.span(self.program.text.starts[0], self.program.text.ends[0])

    def worded(self, problem: Problem) -> Problem:
        """A problem that names what the file has instead of a stand-in for it."""
        if PLACEHOLDER not in problem.message:
            return problem
        return replace(
            problem, message=_STAND_IN.sub(lambda match: self._shown(match[0]), problem.message)
        )

    def resting(self, kernel: facts.Kernel) -> facts.Kernel:
        """A kernel with what its text rests on among its assumptions."""
        added = self.program.assumptions
        return replace(kernel, assumptions=(*kernel.assumptions, *added)) if added else kernel

    def _shown(self, text: str) -> str:
        found = _STAND_IN.search(text)
        return self.program.placeholders.get(found[0], text) if found else text

    def unfinished(self, tokens: Sequence[Token], kernels: Sequence[Any]) -> dict[int, Problem]:
        """By position, the kernels that cannot be read because the program that holds them puts
        text in when it runs.

        A stand-in inside a kernel concerns that kernel; one outside of all of them, or one that
        decides conditions, concerns all.
        """
        if not self.program.placeholders:
            return {}
        spans = [handle.span for handle in kernels]
        found: dict[int, Problem] = {}
        for place, shown in [*self._used(tokens), *self._deciding()]:
            inside = [position for position, span in enumerate(spans) if _holds(span, place)]
            for position in inside or range(len(spans)):
                where, name = (
                    "its text contains" if inside else "the text around it contains",
                    kernels[position].name,
                )
                name = f"`{name}`" if name else "this kernel"
                words = {"name": name, "where": where, "text": shown, "hint": _remedy(shown)}
                found.setdefault(
                    position,
                    gave_up("text-put-in", place, kernels[position].qualified_name, **words),
                )
        return found

    def unread(self, kernels: Sequence[Any]) -> list[Problem]:
        """What is said where no kernel could be made out because of the texts that are put in."""
        if kernels or not self.program.placeholders:
            return []
        shown = next(iter(self.program.placeholders.values()))
        return [gave_up("no-text", self.start, text=shown, hint=_remedy(shown))]

    def _used(self, tokens: Sequence[Token]) -> Iterator[tuple[Span, str]]:
        for token in tokens:
            if PLACEHOLDER in token.text:
                yield token.use, self._shown(token.text)

    def _deciding(self) -> Iterator[tuple[Span, str]]:
        """Stand-ins on lines that choose what is compiled, and in macros where there are such
        lines."""
        scanned = scan(self.program.text.text, self.host.path, self.host.text, self.program.text)
        starts = [*scanned.line_starts, len(scanned.tokens)]
        rows = [scanned.tokens[a:b] for a, b in pairwise(starts)]
        rows = [row for row in rows if len(row) > 1 and row[0].text == "#"]
        conditional = any(row[1].text in _CONDITIONS for row in rows)
        for row in rows:
            if row[1].text in _CONDITIONS or conditional:
                yield from self._used(row)

    def launches(self, program: Program) -> list[tuple[Any, facts.Launch]]:
        """The launches that the host's own words decide, by kernel."""
        return [
            (handle, launch)
            for called in self.program.calls
            for handle, launch in self._launch(program, called)
        ]

    def _launch(self, program: Program, called: Called) -> Iterator[tuple[Any, facts.Launch]]:
        from kernlint.lowering.declare import parameter_list, parameter_name, parameter_type
        from kernlint.lowering.kernels import canonical
        from kernlint.source.parser import tree

        span = self.host.span(called.start, called.end)
        try:
            name, template_arguments = kernel_name(called.kernel)
        except ValueError:
            return
        for handle in program.kernels():
            if handle.name != name.rpartition("::")[2]:
                continue
            try:
                given = (
                    ()
                    if template_arguments is None
                    else canonical(program, handle, template_arguments)
                )
            except SourceError:
                continue
            parameters = parameter_list(handle.entity.node)
            arguments: dict[str, int | float | facts.PointerArgument] = {
                name: value
                for position, value in called.arguments.items()
                if position < len(parameters)
                and (name := parameter_name(parameters[position]))
                and isinstance(parameter_type(parameters[position]), tree.TypeDecl)
            }
            origin = f"launch at line {span.line}" if called.grid else "assumed"
            why = (
                ""
                if called.dynamic_shared_bytes is not None
                else "the text around the launch does not give a number"
            )
            shared = called.dynamic_shared_bytes
            yield (
                handle,
                facts.Launch(
                    called.grid,
                    called.block,
                    shared,
                    arguments,
                    origin,
                    span,
                    given,
                    dynamic_shared_reason=why,
                ),
            )


def problems(host: Host) -> list[Problem]:
    """What keeps a file or texts in it from being read."""
    what = "this file" if host.is_template else "this text"
    templates = [(host.span(one.start, one.end), one) for one in host.templates]
    return [
        *host.problems,
        *(
            gave_up("template", span, what=what, kind=one.kind, text=one.shown)
            for span, one in templates
        ),
    ]


def _holds(span: Span, place: Span) -> bool:
    return span.path == place.path and (span.line, span.column) <= (place.line, place.column) <= (
        span.end_line,
        span.end_column,
    )


def _remedy(shown: str) -> str:
    name = name_of(shown)
    return f"; `-D {name}=VALUE` provides it" if name.isidentifier() else ""


def once(kernels: Sequence[facts.Kernel]) -> list[facts.Kernel]:
    """Each kernel once per launch: a text may go into several programs."""
    seen: list[tuple[Span, facts.Launch, tuple[str, ...]]] = []
    left = []
    for kernel in kernels:
        key = (kernel.span, kernel.launch, kernel.template_arguments)
        if key not in seen:
            seen.append(key)
            left.append(kernel)
    return left
