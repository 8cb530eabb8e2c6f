"""The rows of a shared array as the source has them: what says how long they are, and the edits
that make them longer.

Goes in: a program's tokens, the uses of an array. Comes out: `Rows`, or why its rows must stay as long as
they are. Rows are those of the fastest dimension, in the declaration or in a name of its type, or
those of a flat array whose uses all say `row * PITCH + column`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import prod

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.model.finding import Edit
from kernlint.source.tokens import Token
from kernlint.source_model import source_tokens
from kernlint.source_model.array_uses import Subscript, Use, Uses
from kernlint.source_model.flat_rows import NOTHING, Pitch, pitch

NAME = re.compile(r"[\w:.]+")
PADDED = re.compile(r"([A-Za-z_][\w:.]*)\s*\+\s*(\d+)")  # a row that was made longer before
ENDS = (";", "{", "}", ":")  # before a statement
CLOSE = ("[", "]", ";", ",")  # to what stands before them
SHOWN = 100  # characters of a declaration that is quoted with all it declares


@dataclass(frozen=True, slots=True)
class RowLength:
    """A text that says how long rows are. `is_factor`: in a product; `times`: it grows by so many
    for each element of a row."""

    span: Span
    text: str
    is_factor: bool = False
    times: int = 1

    def grown(self, more: int) -> str:
        """With so many elements more a row, as a person would write it."""
        number = re.fullmatch(r"(\d+)([uU]?)", self.text)
        if number:
            return f"{int(number[1]) + more * self.times}{number[2]}"
        longer = PADDED.fullmatch(self.text)
        text = (
            f"{self.text if NAME.fullmatch(self.text) else f'({self.text})'} + {more * self.times}"
        )
        if longer:
            text = f"{longer[1]} + {int(longer[2]) + more * self.times}"
        return f"({text})" if self.is_factor else text


@dataclass(frozen=True, slots=True)
class Rows:
    """`count` rows of `length` elements. `places`: all that says the length, the declaration's
    first; `alone`: the edits that make the array one row and leave of each use its column;
    `statement`: the declaration before and behind its place; `own`: what is this array's before
    that; `named`: the pitch of a flat array, "" where the declaration has rows."""

    uses: Uses
    count: int
    length: int
    places: tuple[RowLength, ...]
    alone: tuple[Edit, ...]
    statement: tuple[str, str]
    own: str
    named: str = ""

    def longer(self, more: int) -> tuple[Edit, ...]:
        return tuple(Edit(place.span, place.grown(more)) for place in self.places)

    def more_of(self, edits: Sequence[Edit], most: int) -> int:
        """By how many elements, up to `most`, edits make the rows longer; 0 where they are other
        edits."""
        if [edit.span for edit in edits] != [place.span for place in self.places]:
            return 0
        return next((more for more in range(1, most + 1) if self.longer(more) == tuple(edits)), 0)

    @property
    def of_row(self) -> tuple[Subscript, ...]:
        """The subscripts that say which row, where that is not of a flat array the whole index."""
        return tuple(
            s for use in self.uses.others for s in (use.subscripts if self.named else use.rows)
        )

    def declaration(self, more: int) -> str:
        """The declaration as it would read with so many elements more a row: all of it, or what is
        this array's where it declares more than fits."""
        grown = self.places[0].grown(more)
        before, after = self.statement
        whole = f"{before}{grown}{after}"
        return whole if len(whole) <= SHOWN else f"{self.own}[{grown}]"


def rows_of(
    found: Uses,
    shape: tuple[int, ...],
    program: source_tokens.Written,
    given: Mapping[str, int] = NOTHING,
) -> Rows | str:
    """`given`: the kernel's template arguments."""
    own = found.declaration
    name = program.tokens[program.at(own.span)].text
    short = name + "".join(f"[{subscript.text}]" for subscript in own.subscripts[:-1])
    if len(shape) > 1:
        extent = own.subscripts[-1]
        place = RowLength(extent.span, extent.text)
        alone = tuple(edit for use in (found.declaration, *found.others) for edit in _column(use))
        return Rows(
            found,
            prod(shape[:-1]),
            shape[-1],
            (place,),
            alone,
            _around(program, place),
            short,
        )
    told = pitch(program, found, shape[0], given)
    if isinstance(told, str):
        return told
    places = tuple(_places(found, told))
    return Rows(
        found,
        told.rows,
        told.number,
        places,
        tuple(_flat_columns(found, told)),
        _around(program, places[0]),
        short,
        told.text,
    )


def _column(use: Use) -> list[Edit]:
    """Takes out the brackets that say which row."""
    return [Edit(_with_brackets(subscript.span), "") for subscript in use.rows]


def _with_brackets(span: Span) -> Span:
    return Span(span.path, span.line, span.column - 1, span.end_line, span.end_column + 1)


def _places(found: Uses, told: Pitch) -> list[RowLength]:
    extent = found.declaration.subscripts[0]
    declared = (
        RowLength(extent.span, extent.text, times=told.rows)
        if told.extent is None
        else _at(told.extent)
    )
    return [declared, *(_at(token) for token in told.tokens)]


def _at(token: Token) -> RowLength:
    return RowLength(token.span, token.text, is_factor=True)


def _flat_columns(found: Uses, told: Pitch) -> list[Edit]:
    whole = [
        Edit(use.subscripts[0].span, column)
        for use, column in zip(found.others, told.columns, strict=True)
    ]
    return [Edit(found.declaration.subscripts[0].span, told.text), *whole]


def _around(program: source_tokens.Written, place: RowLength) -> tuple[str, str]:
    """The statement before and behind a place, as it is spelled without its comments and lines."""
    tokens, directives = program.tokens, {id(token) for token in program.directives}
    inside = program.at(place.span)
    first = (
        next(
            (
                i
                for i in range(inside - 1, -1, -1)
                if tokens[i].text in ENDS or id(tokens[i]) in directives
            ),
            -1,
        )
        + 1
    )
    last = next((i for i in range(inside, len(tokens)) if tokens[i].text == ";"), len(tokens) - 1)
    parts = ["", ""]
    is_behind = False
    for token in tokens[first : last + 1]:
        blank = " " if token.space_before else ""
        if not _within(token, place.span):
            begun = any(parts) and token.text not in CLOSE
            parts[is_behind] += (blank if begun else "") + token.text
        elif not is_behind:
            parts[0] += blank if place.is_factor else ""
            is_behind = True
    return parts[0], parts[1]


def _within(token: Token, span: Span) -> bool:
    start, end = (token.span.line, token.span.column), (token.span.end_line, token.span.end_column)
    return (span.line, span.column) <= start and end <= (span.end_line, span.end_column)
