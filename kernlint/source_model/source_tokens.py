"""The tokens of a program as they are written, with their lines and the preprocessor's directives
among them.

Goes in: a file's text. Comes out: `Written`, of the file and of the programs in its strings.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import attrgetter

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.source.embedded.programs import scans
from kernlint.source.tokens import Token

_line = attrgetter("line")
_begin = attrgetter("span.line", "span.column")


@dataclass(frozen=True)
class Written:
    """`text`: the whole file's, by lines; `is_quoted`: the program stands in its strings."""

    tokens: Sequence[Token]
    text: Sequence[str]
    is_quoted: bool = False

    @cached_property
    def lines(self) -> Sequence[int]:
        """Of each token, in order."""
        return [token.line for token in self.tokens]

    @cached_property
    def directives(self) -> Sequence[Token]:
        """The tokens of preprocessor directives, with their continued lines."""
        return tuple(_directives(self))

    @cached_property
    def bodies(self) -> Sequence[tuple[int, int]]:
        """The braces of each outermost function body, the closing one where it is missing the
        end."""
        return tuple(_bodies(self.tokens))

    def first_on(self, line: int) -> int:
        """The first token that begins on a line or behind it; how many there are where none
        does."""
        return bisect_left(self.tokens, line, key=_line)

    def at(self, place: Span) -> int:
        """The first token that begins where a place does or behind it; how many there are where
        none does."""
        return bisect_left(self.tokens, (place.line, place.column), key=_begin)

    def function_around(self, place: Span) -> tuple[int, int]:
        """The tokens of the outermost function body around a place; all tokens where there is
        none."""
        at = self.at(place)
        found = bisect_left(self.bodies, (at, 0)) - 1
        if found < 0 or self.bodies[found][1] < at:
            return 0, len(self.tokens)
        return self.bodies[found]

    def inside(self, place: Span) -> Sequence[Token]:
        """Those that begin within a place."""
        end = Span(place.path, place.end_line, place.end_column, place.end_line, place.end_column)
        return self.tokens[self.at(place) : self.at(end)]


NOTHING = Written((), ())
# before a name
DECLARING = (
    "int",
    "unsigned",
    "short",
    "long",
    "char",
    "size_t",
    "uint",
    "auto",
    "const",
    "undef",
)


def programs(path: str, text: str) -> tuple[Written, ...]:
    """All of a file."""
    lines = text.split("\n")
    return tuple(
        Written(scanned.tokens, lines, scanned.source.taken is not None)
        for scanned in scans(path, text)
    )


def _bodies(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    stack: list[int] = []
    first = 0  # the brace of the body at hand
    for index, token in enumerate(tokens):
        if token.text == "{":
            stack.append(index)
            behind_head = index > 0 and tokens[index - 1].text == ")"
            first = first or (index if behind_head else 0)
        elif token.text == "}" and stack:
            opened = stack.pop()
            if first and opened == first:
                yield first, index
                first = 0
    if first:
        yield first, len(tokens)


def _directives(program: Written) -> Iterator[Token]:
    last = before = 0
    lines = program.text
    for token, line in zip(program.tokens, program.lines, strict=True):
        if line > last and line != before and token.text == "#":
            last = line
            while last <= len(lines) and lines[last - 1].rstrip().endswith("\\"):
                last += 1
        if line <= last:
            yield token
        before = line


def is_template_parameter(program: Written, name: str) -> bool:
    """Whether a name is declared by the heads of templates and by nothing else."""
    words = [token.text for token in program.tokens]
    declared = [i for i in range(1, len(words)) if words[i] == name and words[i - 1] in DECLARING]
    return bool(declared) and all(_in_template_head(words, i) for i in declared)


def is_constant_name(program: Written, name: str) -> bool:
    """Whether a name that stands in an array's extent, so that it is a constant there, means the
    same wherever it stands: one declaration or macro gives it, or the heads of templates do."""
    last = name.rpartition("::")[2]
    words = [token.text for token in program.tokens]
    places = [i for i in range(1, len(words)) if words[i] == last]
    given = [i for i in places if words[i - 1] in DECLARING or words[i - 1] == "define"]
    return len(given) <= 1 or is_template_parameter(program, name)


def _in_template_head(words: Sequence[str], at: int) -> bool:
    """Whether nothing but other parameters stands between `template <` and a place."""
    while at and words[at] not in (";", "{", "}", "(", ")", ">", "<"):
        at -= 1
    return at > 0 and words[at - 1 : at + 1] == ["template", "<"]


def template_values(program: Written, definition: Span, arguments: Sequence[str]) -> dict[str, int]:
    """The parameters of the template head before a definition that are given numbers, as far as no
    pack is among them."""
    at = program.at(definition)
    words = [token.text for token in program.tokens[:at]]
    head = next((i for i in range(at - 1, 0, -1) if words[i] in (";", "}", "template")), 0)
    if words[head : head + 2] != ["template", "<"]:
        return {}
    found: dict[str, int] = {}
    for names, given in zip(_parameters(words[head + 2 :]), arguments, strict=False):
        if "..." in names:
            break
        if given.isdecimal():
            found[names[-1]] = int(given)
    return found


def _parameters(words: Sequence[str]) -> Iterator[list[str]]:
    """The words of each parameter of a template head, from behind its `<`, without its default."""
    depth, own, is_default = 1, list[str](), False
    for word in words:
        depth += (word in ("<", "(", "[")) - (word in (">", ")", "]"))
        if depth == 0 or (depth == 1 and word == ","):
            if own:
                yield own
            own, is_default = [], False
        elif word == "=":
            is_default = True
        elif not is_default:
            own.append(word)
        if depth == 0:
            return


def number(program: Written, name: str) -> int | None:
    """What `#define NAME number` or a `constexpr int NAME = number` gives, where nothing else in
    the program defines, declares or assigns the name."""
    words = [token.text for token in program.tokens]
    at = [i for i in range(1, len(words) - 3) if words[i] == name]
    given = [
        i
        for i in at
        if words[i + 1] == "="
        and words[i + 3] == ";"
        and {"const", "constexpr"} & set(words[max(0, i - 4) : i])
    ]
    defined = [i for i in at if words[i - 1] == "define"]
    other = [
        i
        for i in at
        if i not in (*given, *defined)
        and (words[i - 1] in DECLARING or words[i + 1] in ("=", "+=", "++"))
    ]
    values = [words[i + 1] for i in defined] + [words[i + 2] for i in given]
    return int(values[0]) if len(values) == 1 and not other and values[0].isdecimal() else None
