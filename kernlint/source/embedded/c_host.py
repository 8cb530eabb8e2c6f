"""Kernels in strings of C and C++: ordinary and raw literals, rows of them, and text that a macro
makes a string of.

In: a file's text. Out: `EmbeddedProgram`s. `#define STR(...) #__VA_ARGS__` with `STR(__kernel …)`
counts, and so does a macro of such a name that another file defines. Never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernlint.source.embedded.mapped_text import Mapped, filled, joined, unescaped, verbatim
from kernlint.source.embedded.program import KERNEL, PLACEHOLDER, EmbeddedProgram, has_kernel
from kernlint.source.lexer import scan
from kernlint.source.tokens import Token

_LITERAL = re.compile(r'(?:u8|[uUL])?(?P<raw>R)?"(?P<delimiter>[^()\\\s"]{0,16}(?=\())?')
_OPENCL = re.compile(r"\b(?:__kernel|kernel)\s+(?:void|__attribute__)|\bget_(?:global|local)_id\b")
_MAKES_STRING = re.compile(
    r"(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)\([ \t]*(?:(\w+)|\.\.\.)[ \t]*(?:\.\.\.)?\)[ \t]*#[ \t]*(\w+)"
)
_LIKE_STRING = re.compile(r"\w*(?:STR|str|SRC|SOURCE)\w*")
_DEVICE = re.compile(r"\b(?:__global__|__device__|__kernel)\b|<<<|\bkernel\s+void\b")
_VALUE = re.compile(
    r"(?m)\b(?:define[ \t]+|constexpr[ \t]+(?:unsigned[ \t]+)?\w+[ \t]+)(\w+)[ \t]*(?:=[ \t]*)?(\d+)[ \t]*;?[ \t]*(?://.*)?$"
)
_LINE_END = re.compile(r"(?m)\\n(?=[ \t]*(?:#|$))")  # around directives in text made a string
LONGEST = 24  # tokens that may stand between two literals of one text
ENDS = frozenset((";", ",", "{", "}", "=", "<<", "?", ":", "return", "#", "if", "else"))


def programs(path: str, text: str) -> list[EmbeddedProgram]:
    """Every string that defines a kernel, in the order of the file."""
    tokens = scan(text, path).tokens
    placeholders: dict[str, str] = {}
    texts = [
        _joined(row, text, placeholders)
        for row in _rows(tokens)
        if any(KERNEL.search(part[0].text) for part in row)
    ]
    texts += _stringified(tokens, text)
    return [
        EmbeddedProgram(
            found,
            "opencl" if _OPENCL.search(found.text) else "cuda",
            {},
            _held(found.text, placeholders),
        )
        for found in sorted(texts, key=lambda one: one.starts[:1])
        if has_kernel(found.text)
    ]


def raw_text(path: str, text: str) -> list[EmbeddedProgram]:
    """The one program of an OpenCL file that is a row of literals, which need not hold a kernel."""
    (row, *_) = _rows(scan(text, path).tokens)
    return [EmbeddedProgram(_joined(row, text, {}), "opencl")]


def is_code(path: str, text: str, found: Sequence[EmbeddedProgram]) -> bool:
    """Whether there is device code outside of the strings."""
    rest, position = [], 0
    for program in found:
        start, end = program.text.starts[0], program.text.ends[-1]
        rest.append(text[position:start])
        position = max(position, end)
    words = " ".join(
        token.text
        for token in scan("\n".join([*rest, text[position:]]), path).tokens
        if token.kind != "string"
    )
    return _DEVICE.search(words) is not None


def _rows(tokens: Sequence[Token]) -> Iterator[list[list[Token]]]:
    """Runs of string literals, and between them what the program puts in: `"…" NAME "…"`, `"…" +
    std::to_string(n) + "…"`."""
    row: list[list[Token]] = []
    index = 0
    while index < len(tokens):
        if tokens[index].kind == "string":
            row.append([tokens[index]])
            index += 1
            continue
        between = _between(tokens, index) if row else 0
        if between:
            row.append(list(tokens[index : index + between]))
        elif row:
            yield row
            row = []
        index += between or 1
    if row:
        yield row


def _between(tokens: Sequence[Token], index: int) -> int:
    """How many tokens stand up to the next literal of the same expression; 0 where there is
    none."""
    depth = 0
    for count, token in enumerate(tokens[index : index + LONGEST]):
        if token.kind == "string" and depth == 0:
            return count
        depth += (token.text in "([") - (token.text in ")]")
        if depth < 0 or (depth == 0 and token.text in ENDS):
            return 0
    return 0


def _joined(row: Sequence[Sequence[Token]], text: str, placeholders: dict[str, str]) -> Mapped:
    values = dict(_VALUE.findall(text))
    parts = []
    for part in row:
        (start, _), (_, end) = part[0].stretch(), part[-1].stretch()
        if part[0].kind == "string":
            parts.append(_literal(text[start:end], start))
        else:
            shown = " ".join(text[start:end].split()).strip("+ ")
            name = f"{PLACEHOLDER}{len(placeholders)}"
            value = next(
                (v for n, v in values.items() if shown in (n, f"std::to_string({n})")), None
            )
            if value is None:
                placeholders[name] = shown
            parts.append(filled(value or name, start, end))
    return joined(parts)


def _literal(literal: str, start: int) -> Mapped:
    opened = _LITERAL.match(literal)
    if opened is None:
        return Mapped()
    if opened["raw"]:
        first = opened.end() + 1
        last = literal.rfind(f'){opened["delimiter"] or ""}"')
        return verbatim(literal[first:last], start + first) if last >= first else Mapped()
    return unescaped(literal[opened.end() : literal.rfind('"')], start + opened.end())


def _stringified(tokens: Sequence[Token], text: str) -> Iterator[Mapped]:
    """The arguments of macros that make strings of them."""
    made = {match[1] for match in _MAKES_STRING.finditer(text)}
    defined = {match[1] for match in re.finditer(r"(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)", text)}
    last = 0
    for index, token in enumerate(tokens[:-1]):
        is_maker = token.text in made or (
            token.text not in defined and _LIKE_STRING.fullmatch(token.text) is not None
        )
        if (
            token.kind != "identifier"
            or not is_maker
            or tokens[index + 1].text != "("
            or index < last
        ):
            continue
        close = _closing(tokens, index + 1)
        last = close or len(tokens)
        start = tokens[index + 1].stretch()[1]
        held = verbatim(text[start : tokens[close].stretch()[0] if close else len(text)], start)
        yield held.replaced(_LINE_END, lambda match: "\n")


def _closing(tokens: Sequence[Token], index: int) -> int:
    """The parenthesis that closes the one at `index`; 0 where none does."""
    depth = 0
    for position in range(index, len(tokens)):
        depth += (tokens[position].text == "(") - (tokens[position].text == ")")
        if depth == 0:
            return position
    return 0


def _held(text: str, placeholders: dict[str, str]) -> dict[str, str]:
    return {
        name: shown for name, shown in placeholders.items() if re.search(rf"{name}(?!\d)", text)
    }
