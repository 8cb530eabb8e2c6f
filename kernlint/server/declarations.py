"""A text's functions, and the declarations beside them, told apart by what they declare and what
they mention.

Goes in: a text's lines and the parser's unit. Comes out: parts in the order of the text; what is
none (heads of namespaces, pragmas, what headers say) counts for everybody, as do the declarations
that act without being named.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from kernlint.base.dataclass import dataclass
from kernlint.source.parser.names import CLASS_KEYS, KEYWORDS
from kernlint.source.parser.parser import Piece, Stretch, Unit, mentions_launch
from kernlint.source.parser.stream import TokenStream

KERNEL = frozenset(("__global__", "__kernel", "kernel"))
DEVICE = KERNEL | {"__device__"}
# functions that a loop over a range and the like call without a word
UNNAMED = frozenset(("begin", "end", "get"))
_KEYS = CLASS_KEYS | {"enum"}
# words of declarations that act, or are found, without their name
ACTING = frozenset(("operator", "friend", "asm", "__asm__", "__asm"))


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredPart:
    """A function, or another declaration (`name` is "" then; where it could not be read it declares
    nothing but the words that the parser has seen, is no kernel and nobody's caller, and nothing
    quotes its lines): the names it declares, the digests of its head and of all of it, the names
    that its head and all of it mention, its first and last line and the head's last; lines are 0
    for what stands in a header. `on_host`: host code may call it; `launches`: it launches a kernel
    itself; `is_everyones`: it counts for everybody; `start`, `end`: its tokens, behind `before`
    tokens that are in no part."""

    name: str
    declares: frozenset[str]
    head: str
    whole: str
    head_names: frozenset[str]
    names: frozenset[str]
    first: int
    head_last: int
    last: int
    on_host: bool
    is_kernel: bool
    is_device: bool
    launches: bool
    is_read: bool
    is_everyones: bool
    start: int
    end: int
    before: int


class Parts:
    """`found`: in the order of the text; `loose`: the tokens that are in none. `telling`: the lines
    as far as anything quotes them."""

    def __init__(self, path: str, unit: Unit, telling: Sequence[str]) -> None:
        self._path, self._telling = path, telling
        self._stream = unit.stream
        self.found: list[DeclaredPart] = []
        self.loose: list[str] = []
        self._known: frozenset[str] = frozenset()
        if unit.stream is None:
            return
        own = {
            one: _declared(unit.stream, one)
            for one in _beside(unit)
            if self._is_own(one.start, one.end)
        }
        self._known = frozenset(piece.name for piece in unit.pieces).union(*own.values())
        every: list[Piece | Stretch] = [*unit.pieces, *own]
        at = 0
        for one in sorted(every, key=lambda one: one.start):
            self.loose += unit.stream.texts[at : one.start]
            self.found.append(
                self._function(one) if isinstance(one, Piece) else self._declaration(one, own[one])
            )
            at = one.end
        self.loose += unit.stream.texts[at:]

    def _is_own(self, start: int, end: int) -> bool:
        assert self._stream is not None
        places = self._stream.tokens
        return places[start].use.path == places[end - 1].use.path == self._path

    def known(self, words: frozenset[str]) -> frozenset[str]:
        """The words among some that a part declares."""
        return self._known & words

    def _function(self, piece: Piece) -> DeclaredPart:
        assert self._stream is not None
        texts, places, before = self._stream.texts, self._stream.tokens, str(len(self.loose))
        head, whole = texts[piece.start : piece.body + 1], texts[piece.start : piece.end]
        opening, brace, closing = (places[i].use for i in (piece.start, piece.body, piece.end - 1))
        first, middle, last = (
            (opening.line, brace.line, closing.end_line)
            if opening.path == closing.path == self._path
            else (0, -1, -1)
        )
        words = frozenset(whole)
        return DeclaredPart(
            piece.name,
            frozenset((piece.name,)),
            digest(before, *head, *self._lines_of(range(first, middle + 1))),
            digest(before, *whole, *self._lines_of(range(first, last + 1))),
            self._known & frozenset(head),
            self._known & words,
            first,
            middle,
            last,
            DEVICE.isdisjoint(head) or "__host__" in head,
            not KERNEL.isdisjoint(head),
            not DEVICE.isdisjoint(head),
            mentions_launch(words),
            True,
            piece.name in UNNAMED,
            piece.start,
            piece.end,
            len(self.loose),
        )

    def _declaration(self, one: Stretch, declares: frozenset[str]) -> DeclaredPart:
        assert self._stream is not None
        texts, places, before = (
            self._stream.texts[one.start : one.end],
            self._stream.tokens,
            len(self.loose),
        )
        first, last, words = (
            places[one.start].use.line,
            places[one.end - 1].use.end_line,
            frozenset(texts),
        )
        if one.is_read or one.has_members:
            whole, mentioned = (
                digest(str(before), *texts, *self._lines_of(range(first, last + 1))),
                self._known & words,
            )
        else:  # nothing else of it counts
            whole, mentioned = digest(str(before), repr(sorted(one.seen))), frozenset()
        acts = (
            not ACTING.isdisjoint(words)
            or not UNNAMED.isdisjoint(declares)
            or {"using", "namespace"} <= words
        )
        return DeclaredPart(
            "",
            declares,
            whole,
            whole,
            mentioned,
            mentioned,
            first,
            last,
            last,
            False,
            one.is_read and not KERNEL.isdisjoint(words),
            False,
            one.is_read and mentions_launch(words),
            one.is_read,
            one.is_read and acts,
            one.start,
            one.end,
            before,
        )

    def _lines_of(self, numbers: Iterable[int]) -> list[str]:
        return [self._telling[number - 1] for number in numbers if self._telling[number - 1]]


def _beside(unit: Unit) -> list[Stretch]:
    """The declarations that are no such function."""
    functions = {piece.start for piece in unit.pieces}
    return [one for one in unit.stretches if one.start not in functions]


def _declared(stream: TokenStream, one: Stretch) -> frozenset[str]:
    """The names that a declaration may declare: all of its words but keywords, what stands in the
    parentheses behind a name or in the braces behind those, an initial value in braces, and the
    members of a class that has a name."""
    if not one.is_read:
        return frozenset(name for name, _ in one.seen)
    texts, match, start, end = stream.texts, stream.match, one.start, one.end
    found: set[str] = set()
    i = start
    while i < end:
        if texts[i] in ("(", "{") and i > start and _is_inside(stream, i, start):
            i = match[i] if match[i] > 0 else end
        elif _is_name(stream, i):
            found.add(texts[i])
        i += 1
    return frozenset(found)


def _is_inside(stream: TokenStream, i: int, start: int) -> bool:
    """Whether what the bracket at i opens declares nothing outside: parameters, a function's body,
    members, an initial value."""
    texts = stream.texts
    if texts[i] == "(":
        return _is_name(stream, i - 1) and not _is_declarator(stream, i)
    if texts[i - 1] == "=":
        return True
    head = stream.match[i - 1] if texts[i - 1] == ")" else -1
    if head > start + 1:
        return _is_name(stream, head - 1) and texts[head - 2] not in _KEYS
    keys = [k for k in range(start, i) if texts[k] in _KEYS]
    return (
        bool(keys)
        and "enum" not in texts[start:i]
        and "(" not in texts[keys[-1] : i]
        and any(_is_name(stream, k) for k in range(keys[-1], i))
    )


def _is_name(stream: TokenStream, i: int) -> bool:
    return stream.kinds[i] == "identifier" and stream.texts[i] not in KEYWORDS


def _is_declarator(stream: TokenStream, i: int) -> bool:
    """Whether the parenthesis at i may hold a name that is declared: `(*p)`, `(C::*p)`, `(x)`."""
    texts, match = stream.texts, stream.match
    return texts[i + 1] in ("*", "&", "&&", "^", "(") or texts[i + 2] == "::" or match[i] == i + 2


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
