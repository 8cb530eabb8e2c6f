"""Outcomes from before an edit elsewhere in the file, so that only what was edited is lowered and executed again.

What a kernel's facts depend on: its launches, everything that is no function, and the functions that it mentions, at first or at second
hand, as expanded tokens (`__LINE__`, `__COUNTER__` and macros count as what they are here) and as the lines that messages quote, without
lines of comments between statements. The launches in host code depend on all host functions and on the heads of kernels. Where all of that
is equal, the outcome is that of before with its places moved.

Goes in: a text, its tokens and functions, the work. Comes out: outcomes. The settings do not change; headers do not either (`Documents`).
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar

from kernlint import facts, launching
from kernlint.deadline import SPENT
from kernlint.recalling import Hosted, OfLaunch, Outcome
from kernlint.records import dataclass
from kernlint.source.parser import Piece, Unit
from kernlint.source.preprocess import Preprocessed
from kernlint.source.span import Span

KEPT = 512  # outcomes
KERNEL = frozenset(("__global__", "__kernel", "kernel"))
DEVICE = KERNEL | {"__device__"}
UNNAMED = frozenset(("begin", "end", "get"))  # functions that a loop over a range and the like call without a word
_LINE = re.compile(r"\blines? (\d+)")
_COMPLETE = (";", "{", "}", ":", ">")  # ends of lines behind which no expression goes on
_Told = TypeVar("_Told", Outcome, Hosted)


class Memory:
    """Outcomes of one file under settings that do not change; made anew where they or a header do."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[tuple[int, ...], Any]] = OrderedDict()

    def at(self, path: str, text: str, prepared: Preprocessed, unit: Unit, constants: object) -> Remembered:
        return Remembered(self, _Text(path, text, prepared, unit, constants))

    def get(self, key: str) -> tuple[tuple[int, ...], Any] | None:
        if key in self._known:
            self._known.move_to_end(key)
        return self._known.get(key)

    def keep(self, key: str, lines: tuple[int, ...], told: Any) -> None:
        self._known[key] = (lines, told)
        while len(self._known) > KEPT:
            self._known.popitem(last=False)


class Remembered:
    """One text of the file: `engine.analyse_source` asks it before it works."""

    def __init__(self, memory: Memory, text: _Text) -> None:
        self._memory, self._text = memory, text

    def kernel(self, kernel: launching.Known, launches: Sequence[facts.Launch], work: Callable[[], Outcome]) -> Outcome:
        own = self._text.piece_of(kernel)
        if own is None:
            return work()
        said = [repr(replace(launch, span=None, origin=_LINE.sub("", launch.origin))) for launch in launches]
        kernel_said = (kernel.qualified_name, kernel.required_block, kernel.launch_bounds, kernel.instantiations)
        places = [0 if launch.span is None else launch.span.line for launch in launches]
        whole = self._text.mentioned([own], [part for part in self._text.parts if not part.launches])
        told = self._recalled(f"{kernel_said} {said}", whole, (), places, lambda: _lasting(work()))
        return replace(told, results=tuple(OfLaunch(r.position, _under(r.kernel, launches[r.position])) for r in told.results))

    def host(self, said: str, work: Callable[[], Hosted]) -> Hosted:
        return self._recalled(f"host {said}", *self._text.hosting(), [], work)

    def _recalled(
        self, said: str, whole: Sequence[_Part], heads: Sequence[_Part], places: Sequence[int], work: Callable[[], _Told]
    ) -> _Told:
        """`places`: lines that are named but whose texts do not matter."""
        key, lines = self._text.key(said, whole, heads), (*self._text.lines(whole, heads), *places)
        known = self._memory.get(key)
        if known is not None:
            told = _moved(known[1], known[0], lines, self._text.path)
            if told is not None:
                return told  # type: ignore[no-any-return]
        made = work()
        if not any(SPENT in problem.message for problem in made.problems):
            self._memory.keep(key, lines, made)
        return made


def _lasting(outcome: Outcome) -> Outcome:
    """Without what only the first asker may look at: it holds on to the whole program."""
    return replace(outcome, results=tuple(replace(result, measured=None) for result in outcome.results))


def _under(kernel: facts.Kernel, launch: facts.Launch) -> facts.Kernel:
    own = kernel.launch
    return replace(kernel, launch=replace(launch, block=own.block, arguments=own.arguments, stated=own.stated))


# ------------------------------------------------------------------ what a text says


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A function: its name, its head's and its whole digest, the names it mentions, its first and last line and the head's last; lines
    are 0 for what stands in a header. `on_host`: host code may call it."""

    name: str
    head: str
    whole: str
    names: frozenset[str]
    first: int
    head_last: int
    last: int
    on_host: bool
    is_kernel: bool
    launches: bool  # host code only: no kernel can call it, whatever its name


class _Text:
    """A text as functions and what is between them."""

    def __init__(self, path: str, text: str, prepared: Preprocessed, unit: Unit, constants: object) -> None:
        self.path, self._raw = path, text.split("\n")
        self._telling = _without_remarks(self._raw, [span for span, _ in prepared.comments if span.path == path])
        self._texts = unit.stream.texts if unit.stream is not None else []
        self._places = unit.stream.tokens if unit.stream is not None else []
        known = frozenset(piece.name for piece in unit.pieces)
        self.parts: list[_Part] = []
        between: list[str] = []
        at = 0
        for piece in sorted(unit.pieces, key=lambda piece: piece.start):
            between += self._texts[at : piece.start]
            self.parts.append(self._part(piece, known, len(between)))
            at = piece.end
        between += self._texts[at:]
        inside = {line for part in self.parts for line in range(part.first, part.last + 1)}
        self._frame_lines = [number for number in range(1, len(self._raw) + 1) if number not in inside and self._telling[number - 1]]
        self._frame_names = known & frozenset(between)
        self._frame = _digest(repr(constants), *between, *(self._telling[number - 1] for number in self._frame_lines))

    def _part(self, piece: Piece, known: frozenset[str], before: int) -> _Part:
        head, whole = self._texts[piece.start : piece.body + 1], self._texts[piece.start : piece.end]
        opening, brace, closing = (self._places[i].use for i in (piece.start, piece.body, piece.end - 1))
        first, middle, last = (opening.line, brace.line, closing.end_line) if opening.path == closing.path == self.path else (0, -1, -1)
        return _Part(
            piece.name,
            _digest(str(before), *head, *self._told(first, middle)),
            _digest(str(before), *whole, *self._told(first, last)),
            known & frozenset(whole),
            first,
            middle,
            last,
            DEVICE.isdisjoint(head) or "__host__" in head,
            not KERNEL.isdisjoint(head),
            DEVICE.isdisjoint(head) and "<<<" in whole,
        )

    def _told(self, first: int, last: int) -> list[str]:
        return [self._telling[number - 1] for number in range(first, last + 1) if self._telling[number - 1]]

    def piece_of(self, kernel: launching.Known) -> _Part | None:
        """The kernel's own part; None where none or several could be meant."""
        span = kernel.span
        found = [p for p in self.parts if p.name == kernel.name and p.first <= span.line and span.end_line <= p.last]
        return found[0] if len(found) == 1 and span.path == self.path else None

    def mentioned(self, roots: Sequence[_Part], candidates: Sequence[_Part]) -> list[_Part]:
        """Some functions and those of the candidates that they can call, in the order of the text."""
        names = self._frame_names | UNNAMED
        names = names.union(*(root.names for root in roots))
        found = {id(root) for root in roots}
        while True:
            more = [part for part in candidates if id(part) not in found and part.name in names]
            if not more:
                return [part for part in self.parts if id(part) in found]
            found.update(id(part) for part in more)
            names = names.union(*(part.names for part in more))

    def hosting(self) -> tuple[list[_Part], list[_Part]]:
        """What host code depends on: functions of the host and what they call, and the heads of all others."""
        others = [part for part in self.parts if not part.is_kernel]
        whole = self.mentioned([part for part in self.parts if part.on_host], others)
        inside = {id(part) for part in whole}
        return whole, [part for part in self.parts if id(part) not in inside]

    def key(self, said: str, whole: Iterable[_Part], heads: Iterable[_Part]) -> str:
        return _digest(said, self._frame, *(part.whole for part in whole), *(part.head for part in heads))

    def lines(self, whole: Sequence[_Part], heads: Sequence[_Part]) -> tuple[int, ...]:
        """The lines that count, in an order that equal keys share."""
        ranges = [*((p.first, p.last) for p in whole), *((p.first, p.head_last) for p in heads)]
        inside = [number for first, last in ranges for number in range(first, last + 1) if self._telling[number - 1]]
        return (*self._frame_lines, *inside)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _without_remarks(lines: Sequence[str], comments: Sequence[Span]) -> list[str]:
    """The lines without comments that stand behind or between statements; those within expressions may be quoted and stay."""
    found = [line.rstrip() for line in lines]
    for span in comments:
        before = lines[span.line - 1][: span.column - 1].rstrip()
        if lines[span.end_line - 1][span.end_column - 1 :].strip():
            continue
        above = before or next((line for line in reversed(found[: span.line - 1]) if line), "")
        if above and not above.lstrip().startswith("#") and not above.rstrip().endswith(_COMPLETE):
            continue
        found[span.line - 1 : span.end_line] = [before, *[""] * (span.end_line - span.line)]
    return found


# ------------------------------------------------------------------ places


def _moved(told: Any, before: Sequence[int], now: Sequence[int], path: str) -> Any | None:
    """An outcome with every place in the file moved; None where a place, or a text that names a line, cannot be moved."""
    to: dict[int, int] = {}
    for old, new in zip(before, now, strict=True):
        if to.setdefault(old, new) != new:
            return None
    if all(old == new for old, new in to.items()):
        return told
    try:
        return _move(told, to, path)
    except KeyError:
        return None


def _move(value: Any, to: Mapping[int, int], path: str) -> Any:
    if isinstance(value, Span):
        if value.path != path:
            return value
        return Span(path, to[value.line], value.column, to[value.end_line], value.end_column, value.macro)
    if isinstance(value, str):
        for match in _LINE.finditer(value):
            if to[int(match[1])] != int(match[1]):
                raise KeyError(match[1])
        return value
    if isinstance(value, tuple):
        return tuple([_move(item, to, path) for item in value]) if value and not isinstance(value[0], int | float | None) else value
    if isinstance(value, facts.Launch):
        return _launch(value, to, path)
    if is_dataclass(value) and not isinstance(value, type):
        return _rebuilt(value, to, path)
    return value


def _rebuilt(value: Any, to: Mapping[int, int], path: str) -> Any:
    changed = {}
    for name in _fields(value.__class__):
        old = getattr(value, name)
        new = to[old] if name == "charged_line" else _move(old, to, path)
        if new is not old:
            changed[name] = new
    return replace(value, **changed) if changed else value


@cache
def _fields(kind: Hashable) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))  # type: ignore[arg-type]


def _launch(launch: facts.Launch, to: Mapping[int, int], path: str) -> facts.Launch:
    """Its origin names its own line; directives stand in comments, whose lines do not count: the asker knows its launches."""
    if launch.span is None or launch.span.path != path:
        return launch
    line = to.get(launch.span.line, launch.span.line)
    end = to.get(launch.span.end_line, launch.span.end_line)
    return replace(
        launch, span=replace(launch.span, line=line, end_line=end), origin=launch.origin.replace(f"line {launch.span.line}", f"line {line}")
    )
