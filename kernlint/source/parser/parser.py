"""Parsing a preprocessed file into declarations.

In: its tokens. Out: a Unit: declarations as nodes of `kernlint.source.parser.tree`, problems, and
what was skipped. Never raises: a declaration that cannot be read costs itself. Bodies of functions
are parsed when asked for: `function.lazy_body.parse()` returns the Compound or raises SourceError
(the same one each time).

What is there: all of C and of C++ as kernels use it (see grammars/kernel.lark), CUDA launches,
inline assembly, OpenCL C. Calls of unknown names stay FuncCall, also where a class's constructor
may be meant: `Construct` appears for known types only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from kernlint.base import deadline
from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Problem, SourceError, Span
from kernlint.source.parser import parsed_prefix, tree
from kernlint.source.parser.build import TreeBuilder
from kernlint.source.parser.classify import body_terminals, declaration_terminals
from kernlint.source.parser.grammar import Grammar, Unexpected
from kernlint.source.parser.islands import (
    KERNEL_WORDS,
    Island,
    function_name,
    is_device,
    islands,
)
from kernlint.source.parser.names import NAMESPACE, NameScope
from kernlint.source.parser.parsed_prefix import ParsedPrefix
from kernlint.source.parser.stream import TokenStream
from kernlint.source.parser.terminals import BodyTerminal, Terminal
from kernlint.source.parser.unexpected import unexpected
from kernlint.source.preprocessor.include_prefix import PrefixStep, trim
from kernlint.source.tokens import Token

LAUNCHES = re.compile(r"<<<|(cuda|hip)Launch\w*Kernel")


@dataclass(frozen=True, slots=True)
class Piece:
    """A function that is reached by its name alone: its tokens [start, end) in the stream, `body`
    the brace that opens its body."""

    name: str
    start: int
    body: int
    end: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """A declaration's tokens [start, end) in the stream; `is_read`: it could be read, otherwise it
    declares nothing. `seen`: the names of one that could not be read that mean something to what
    follows all the same, with what they mean: reading may have got as far as those; `has_members`:
    some have members."""

    start: int
    end: int
    is_read: bool
    seen: tuple[tuple[str, str], ...] = ()
    has_members: bool = False


@dataclass(frozen=True, slots=True)
class Unit:
    """One file as read: `problems` concern kernels and device functions, `skipped` all other
    declarations that could not be read; `pieces`: the functions at the top level and in namespaces,
    as stretches of `stream`; `stretches`: all declarations there, but those of the headers that the
    file begins with."""

    path: str
    language: str
    declarations: list[tree.Declaration]
    problems: list[Problem] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)
    stream: TokenStream | None = None
    pieces: list[Piece] = field(default_factory=list)
    stretches: list[Stretch] = field(default_factory=list)


class LazyBody:
    """The body of a function, parsed when first asked for."""

    __slots__ = ("_error", "_parsed", "_terminal", "name")

    def __init__(self, terminal: BodyTerminal) -> None:
        self._terminal = terminal
        self._parsed: tree.Compound | None = None
        self._error: SourceError | None = None
        self.name = ""

    @property
    def coord(self) -> Span:
        return self._terminal.coord

    @property
    def opens(self) -> int:
        """The position of its opening brace in the stream."""
        return self._terminal.open

    def words(self) -> frozenset[str]:
        """The texts of its tokens: every name that it mentions, among others."""
        return frozenset(self._terminal.stream.texts[self._terminal.open : self._terminal.close])

    def mentions_launch(self) -> bool:
        """Whether the body launches a kernel, as far as its words say."""
        return mentions_launch(self.words())

    def parse(self) -> tree.Compound:
        """Its statements; raises SourceError with the place and the function's name."""
        if self._error is not None:
            raise self._error
        if self._parsed is None:
            try:
                parsed: tree.Compound = run_grammar(
                    body_terminals(self._terminal), "body", self._terminal.stream
                )
            except (SourceError, RecursionError) as caught:
                error = (
                    caught
                    if isinstance(caught, SourceError)
                    else SourceError("nested too deeply", self.coord)
                )
                where = f" in function {self.name}" if self.name else ""
                self._error = SourceError(error.message + where, error.span, error.code)
                raise self._error from None
            self._parsed = parsed
        return self._parsed


def mentions_launch(texts: Iterable[str]) -> bool:
    """Whether words of host code launch a kernel: `<<<`, cudaLaunchKernel and its kin."""
    return LAUNCHES.search("\n".join(texts)) is not None


@cache
def _grammar() -> Grammar:
    return Grammar("kernel.lark", TreeBuilder(LazyBody), ("unit", "body", "expression_only"))


def run_grammar(terminals: list[Terminal], start: str, stream: TokenStream) -> Any:
    """The tree of classified tokens; raises SourceError at the first that does not fit."""
    try:
        return _grammar().parse(terminals, start)
    except Unexpected as error:
        if error.terminal is None:
            raise SourceError("unexpected end", terminals[-1].coord) from None
        place = next(
            (i for i, token in enumerate(stream.tokens) if token is error.terminal.token), None
        )
        if place is None:
            raise SourceError(f"unexpected '{error.terminal.text}'", error.terminal.coord) from None
        raise unexpected(stream, place) from None


class _Reader:
    """Parses the islands of one file, collecting problems."""

    def __init__(self, stream: TokenStream, path: str, read: ParsedPrefix | None) -> None:
        self.stream, self.path = stream, path
        self.problems: list[Problem] = [*read.problems] if read else []
        self.skipped: list[Problem] = [*read.skipped] if read else []
        self.pieces: list[Piece] = [*read.pieces] if read else []
        self.stretches: list[Stretch] = []

    def read(self, start: int, end: int, scope: NameScope) -> list[tree.Declaration]:
        found: list[tree.Declaration] = []
        for island in islands(self.stream, start, end):
            if self.stream.is_too_deep(island.whole_start, island.whole_end):
                self._note(
                    island,
                    SourceError("nested too deeply", self.stream.tokens[island.start].use),
                    scope,
                )
            elif island.kind == "namespace":
                found.append(self._namespace(island, scope))
            elif island.kind == "extern":
                coord = self._span(island.whole_start, island.whole_end)
                found.append(
                    tree.ExternBlock(
                        self.read(island.start, island.end, scope), island.name, coord=coord
                    )
                )
            else:
                found += self._declaration(island, scope)
        return found

    def _span(self, start: int, end: int) -> Span:
        return self.stream.tokens[start].use.to(self.stream.tokens[end - 1].use)

    def _namespace(self, island: Island, scope: NameScope) -> tree.Declaration:
        parts = island.name.split("::")
        inner = scope
        for part in parts:
            known = inner.members.get(part) if part else inner
            if known is None:
                inner.declare(part, NAMESPACE)
                known = NameScope(inner)
                inner.attach(part, known)
            inner = known
        coord = self._span(island.whole_start, island.whole_end)
        made = self.read(island.start, island.end, inner)
        for part in reversed(parts):
            made = [tree.Namespace(made, part, island.is_inline, coord=coord)]
        return made[0]

    def _declaration(self, island: Island, scope: NameScope) -> list[tree.Declaration]:
        declared = NameScope.declared
        deadline.look()
        try:
            if island.kind == "unclosed":
                raise SourceError(
                    f"'{island.name}' is never closed", self.stream.tokens[island.whole_start].use
                )
            if island.kind == "stray":
                raise SourceError(
                    f"unexpected '{self.stream.texts[island.start]}'",
                    self.stream.tokens[island.start].use,
                )
            if island.kind == "macro":
                text = self.stream.texts[island.start]
                raise SourceError(
                    f"'{text}(…)' is a macro whose definition was not found",
                    self.stream.tokens[island.start].use,
                )
            terminals = declaration_terminals(self.stream, island.start, island.end, scope)
            made: list[tree.Declaration] = run_grammar(terminals, "unit", self.stream)
        except SourceError as error:
            self._note(island, error, scope, NameScope.declared - declared)
            return []
        except RecursionError:
            deep = SourceError("nested too deeply", self.stream.tokens[island.start].use)
            self._note(island, deep, scope, NameScope.declared - declared)
            return []
        for node in made:
            name_bodies(node)
        self.pieces += _pieces(made, island)
        self.stretches.append(Stretch(island.start, island.end, True))
        return made

    def _note(
        self, island: Island, error: SourceError, scope: NameScope, declared: int = 0
    ) -> None:
        """An island that could not be read, of which up to so many names were declared."""
        seen = scope.latest(frozenset(self.stream.texts[island.start : island.end]), declared)
        self.stretches.append(
            Stretch(
                island.start,
                island.end,
                False,
                seen,
                any(name in scope.members for name, _ in seen),
            )
        )
        name = function_name(self.stream, island)
        if (
            is_device(self.stream, island)
            or island.kind == "stray"
            or self._loses_kernels(island)
            or self._loses_launches(island, error)
        ):
            where = f" in function {name}" if name else ""
            self.problems.append(Problem("KL001", error.span, error.message + where, name))
        else:
            self.skipped.append(Problem("KL001", error.span, error.message))

    def _loses_kernels(self, island: Island) -> bool:
        """Whether a whole namespace or block is lost that holds kernels or device functions."""
        return island.kind in ("namespace", "extern") and not KERNEL_WORDS.isdisjoint(
            self.stream.texts[island.start : island.end]
        )

    def _loses_launches(self, island: Island, error: SourceError) -> bool:
        """Whether host code of the file itself is lost that launches kernels, or a bracket that
        swallowed who knows what."""
        if error.span.path != self.path:
            return False
        return island.kind == "unclosed" or mentions_launch(
            self.stream.texts[island.start : island.end]
        )


def _pieces(made: list[tree.Declaration], island: Island) -> list[Piece]:
    """The island as a piece where it is one function with a plain name."""
    node = made[0] if len(made) == 1 else None
    if isinstance(node, tree.TemplateDecl):
        node = node.decl
    if (
        not isinstance(node, tree.Function)
        or node.lazy_body is None
        or not (name := spelled(node.name)).isidentifier()
    ):
        return []
    return [Piece(name, island.start, node.lazy_body.opens, island.end)]


def name_bodies(node: tree.Node) -> None:
    """Gives each lazy body in a declaration the name of its function, for messages."""
    if isinstance(node, tree.TemplateDecl):
        name_bodies(node.decl)
    elif isinstance(node, tree.ClassDef):
        for member in node.members:
            name_bodies(member)
    elif isinstance(node, tree.Function) and node.lazy_body is not None:
        node.lazy_body.name = spelled(node.name)


def spelled(name: tree.Name) -> str:
    if isinstance(name, tree.QualifiedName):
        return "::".join(spelled(part) for part in name.parts)
    if isinstance(name, tree.OperatorName):
        return f"operator{name.op}"
    return name.name if isinstance(name, (tree.ID, tree.TemplateId, tree.DestructorName)) else ""


def parse(
    tokens: list[Token], path: str, language: str, opening: Sequence[PrefixStep] = ()
) -> Unit:
    """The declarations of a file; language is 'cuda' or 'opencl'. `opening`: the headers whose
    tokens come first (`Preprocessed`)."""
    read = parsed_prefix.latest(opening, language)
    if read is None:
        stream, start, scope = TokenStream(tokens, language), 0, NameScope()
        declarations: list[tree.Declaration] = []
    else:
        stream = TokenStream(tokens[read.tokens :], language, read.stream, read.size)
        declarations, start, scope = (
            parsed_prefix.own(read.declarations),
            read.size,
            parsed_prefix.own_scope(read.scope),
        )
    reader = _Reader(stream, path, read)
    for end, count, step in parsed_prefix.stops(stream, tokens, opening, read):
        declarations += reader.read(start, end, scope)
        step.read = ParsedPrefix(
            language,
            count,
            stream,
            end,
            parsed_prefix.own(declarations),
            [*reader.problems],
            [*reader.skipped],
            [*reader.pieces],
            scope,
        )
        start, scope = end, parsed_prefix.own_scope(scope)
    if not opening or not all(step.is_taken for step in opening):
        trim()
    reader.stretches = []
    declarations += reader.read(start, stream.size, scope)
    return Unit(
        path,
        language,
        declarations,
        reader.problems,
        reader.skipped,
        stream,
        reader.pieces,
        reader.stretches,
    )
