"""What checks need of a file's source, as plain values: tokenised once a file, worked out when asked
for.

Goes in: a file's path and text, places and names that its facts tell. Comes out: uses of arrays,
rows, pitches, parameters, indices that may change places. Checks see no token stream.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TypeGuard

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.model.facts import Access, File, Kernel
from kernlint.model.finding import Edit, Fix
from kernlint.source_model import (
    array_uses,
    declared_rows,
    flat_rows,
    inserted,
    lanes_of_32,
    loop_heads,
    parameters,
    pointer_rows,
    quotes,
    source_tokens,
    swap_indices,
)
from kernlint.source_model.array_uses import Uses
from kernlint.source_model.declared_rows import Rows
from kernlint.source_model.flat_rows import Named
from kernlint.source_model.inserted import WrittenArgument
from kernlint.source_model.lanes_of_32 import LanePlace
from kernlint.source_model.loop_heads import LoopHead
from kernlint.source_model.pointer_rows import PointedRows
from kernlint.source_model.sides import Side, sides
from kernlint.source_model.source_tokens import NOTHING, Written


@dataclass(frozen=True)
class SourceModel:
    path: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def quoted(self, place: Span | None) -> str:
        """The user's text at a place on one line of this file; "" elsewhere."""
        return quotes.quoted(self.lines, place) if self.spells(place) else ""

    def line(self, place: Span) -> str:
        """The whole line that a place of this file begins on; "" elsewhere."""
        is_here = place.path == self.path and 0 < place.line <= len(self.lines)
        return self.lines[place.line - 1] if is_here else ""

    def head(self, statement: Span) -> Span:
        """The head of an if, a loop or a switch: keyword and parentheses, as far as they stand on
        its first line."""
        if self.spells(statement) and 0 < statement.line <= len(self.lines):
            return quotes.head(self.lines, statement)
        return statement if statement.end_line == statement.line else _first_column(statement)

    def name(self, definition: Span, called: str) -> Span:
        """A kernel's name in its definition's head; where that begins if it is not found."""
        return quotes.name(self.lines, definition, called) or _first_column(definition)

    @cached_property
    def programs(self) -> tuple[Written, ...]:
        """All of the file: its own, and those in its strings."""
        return source_tokens.programs(self.path, self.text)

    def spells(self, place: Span | None) -> TypeGuard[Span]:
        """Whether the file's own text stands at a place, and no macro's."""
        return place is not None and place.path == self.path and not place.macro

    def program(self, place: Span) -> Written:
        """The one that holds a place; without tokens where none does."""
        for written in self.programs:
            index = written.first_on(place.line)
            if index < len(written.tokens) and written.tokens[index].line == place.line:
                return written
        return NOTHING

    def uses(self, declaration: Span, name: str, rank: int) -> Uses | str:
        """The declaration and all uses of array `name` of `rank` dimensions, or why its layout must
        stay."""
        return array_uses.uses(self.program(declaration), declaration, name, rank)

    def rows(
        self, declaration: Span, name: str, shape: tuple[int, ...], kernel: Kernel | None = None
    ) -> Rows | str:
        """Of the array `name`, as a kernel has its `shape`; or why they must stay as long as they
        are."""
        found = self.uses(declaration, name, len(shape))
        return found if isinstance(found, str) else self.rows_of(found, shape, kernel)

    def rows_of(self, uses: Uses, shape: tuple[int, ...], kernel: Kernel | None) -> Rows | str:
        place = uses.declaration.span
        program = self.program(place)
        given: dict[str, int] = {}
        if kernel is not None and self.spells(kernel.span) and _within(place, kernel.span):
            given = source_tokens.template_values(program, kernel.span, kernel.template_arguments)
        return declared_rows.rows_of(uses, shape, program, given)

    def pitch(self, uses: Uses) -> Named | str:
        """The pitch that uses of a flat array name."""
        return flat_rows.named(self.program(uses.declaration.span), uses)

    def pointed_rows(self, declaration: Span, access: Access, kernel: Kernel) -> PointedRows | None:
        """The rows that the type of the pointer gives through which an access goes; `declaration`:
        of the memory."""
        return pointer_rows.pointed_rows(self.program(declaration), access, kernel)

    def pointer_parameters(self, kernel: Kernel) -> dict[str, Span]:
        """Names and places of a kernel's parameters of the form `* name`."""
        return dict(parameters.pointers(self.program(kernel.span), kernel.span, kernel.name))

    def undeclared(self, names: Collection[str]) -> Iterator[tuple[str, Span]]:
        """The uses of names that no declaration or macro of their program gives a meaning."""
        for program in self.programs:
            yield from parameters.undeclared(program, names)

    def loop_head(self, loop: Span | None) -> LoopHead | None:
        """Of a `for` loop of this file's own text."""
        return loop_heads.loop_head(self.program(loop), loop) if self.spells(loop) else None

    def sides(self, statement: Span, kind: str) -> list[Side]:
        """Of an `if` or a `switch`; one for the whole statement where the file does not spell it."""
        if not self.spells(statement):
            return [Side(statement)]
        return sides(self.program(statement), statement, kind)

    def words(self, place: Span) -> frozenset[str]:
        """All words and signs that stand within a place."""
        return frozenset(token.text for token in self.program(place).inside(place))

    def given(self, name: str, place: Span) -> str:
        """What a variable was given last on the lines up to that of a place, without blanks; ""
        where nothing is found."""
        return loop_heads.given(self.program(place), name, place)

    def made_of(self, id_: str, function: Span) -> str:
        """The variable of a function that is computed from a thread's id; "" where none is."""
        return loop_heads.made_of(self.program(function), id_, function)

    def lane_places(self, kernel: Span) -> list[LanePlace]:
        """Where a kernel, and what it calls, takes a warp for 32 lanes."""
        return lanes_of_32.lane_places(self.program(kernel), kernel) if self.spells(kernel) else []

    def changes(self, name: str, within: Span) -> int:
        """How often a variable is assigned or moved on within a statement."""
        return loop_heads.changes(self.program(within), name, within)

    def is_quoted(self, place: Span) -> bool:
        """Whether a place stands in a program in the file's strings."""
        return self.program(place).is_quoted

    def statement_between(self, earlier: Span, later: Span, statement: str) -> Edit | None:
        """A statement before the one that holds the later place, in the block that holds both."""
        return inserted.between(self.program(later), earlier, later, statement)

    def loop_end(self, place: Span, loop: Span | None, statement: str) -> Edit | None:
        """A statement at the end of the body of a loop around a place, by default the innermost."""
        return inserted.loop_end(self.program(place), place, loop, statement)

    def split(self, place: Span, statement: str, type_: str) -> Edit | None:
        """The value of an assignment into a variable of a type, a statement, then the store."""
        return inserted.split(self.program(place), place, statement, type_)

    def launch_arguments(self, launch: Span) -> list[WrittenArgument]:
        """What stands between `<<<` and `>>>`."""
        return inserted.launch_arguments(self.program(launch), launch)

    def is_integer(self, name: str, place: Span) -> bool:
        """Whether a name in the program around a place is declared as an integer."""
        return inserted.is_integer(self.program(place), name)

    def guarded(self, place: Span, condition: str) -> inserted.Correction | None:
        """The plain statement at a place under a condition."""
        return inserted.guarded(self.program(place), place, condition)

    def corrected(
        self,
        place: Span,
        names: Collection[str],
        around: Mapping[str, str],
        before: Mapping[str, str],
    ) -> inserted.Correction | None:
        """What an `if` around a place asks, or one before it that leaves, replaced: `around` and
        `before` give what to write, by what is written without blanks. None where one of `names`
        changes in between."""
        return inserted.corrected(self.program(place), place, names, around, before)

    def exit_before(self, place: Span, names: Collection[str]) -> inserted.WrittenArgument | None:
        """The last condition before a place that compares one of these names and leaves."""
        return inserted.exit_before(self.program(place), place, names)

    def swap(
        self, access: Access, kernel: Kernel, kernels: Sequence[Kernel], is_whole: bool
    ) -> tuple[Fix | None, str]:
        """The edit that swaps what makes the lanes of an access stride, and in words what it does
        or why there is none. `kernels`: the launches and instances of the CUDA kernel's definition;
        `is_whole`: all headers were found."""
        if access.calls or not self.spells(kernel.span):
            return None, ""
        return swap_indices.swap(access, kernel, kernels, self.program(kernel.span), is_whole)


def _within(inner: Span, outer: Span) -> bool:
    return outer.line <= inner.line <= outer.end_line


def _first_column(place: Span) -> Span:
    return Span(place.path, place.line, place.column, place.line, place.column + 1, place.macro)


@lru_cache(maxsize=2)
def _model(path: str, text: str) -> SourceModel:
    return SourceModel(path, text)


def source_of(file: File) -> SourceModel:
    """Of a file of facts; kept for the next that asks for the same."""
    return _model(file.path, file.text)
