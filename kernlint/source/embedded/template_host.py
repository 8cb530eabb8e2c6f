"""Kernel texts that a host program fills in before they are compiled (Mako, Jinja,
string.Template): `${DTYPE}` where C has a word, lines and stretches such as `% for i in inds:` that
decide what is there at all.

In: a text and the values given for names. Out: the text with its placeholders filled or with
stand-ins, or what makes it no code before it is rendered. `${` and the control lines are never C
outside of literals and comments, so nothing else is read differently. Never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from kernlint.source.embedded.mapped_text import Mapped, filled, joined, verbatim
from kernlint.source.embedded.program import PLACEHOLDER, EmbeddedProgram, Template, name_of
from kernlint.source.lexer import scan

_PLACEHOLDER = re.compile(r"\$\{[^{}\n]*\}")
_STAND_IN = re.compile(rf"{PLACEHOLDER}(\d+)")
# kind, what stands there, whether C has it too, as a digraph, where the text has no placeholder
_CONTROLS = (
    (
        "Mako",
        re.compile(
            r"^[ \t]*(%[ \t]*(?:for|while|if|elif|else|end(?:for|while|if))\b[^\n]*)", re.MULTILINE
        ),
        False,
    ),
    (
        "Mako",
        re.compile(r"(<%)(?:!|\s|(?:def|block|include|inherit|namespace|page|text|doc)\b)"),
        True,
    ),
    (
        "Jinja",
        re.compile(
            r"(\{%[-+]?[ \t]*(?:for|if|elif|else|set|macro|block|include|import|from|end\w+)\b[^\n]*?%\})"
        ),
        False,
    ),
)


def control(path: str, text: str) -> Template | None:
    """The first control line or stretch outside of literals and comments, with offsets in the text;
    None where there is none."""
    found = []
    for kind, pattern, is_digraph in _CONTROLS:
        if not is_digraph or "${" in text:
            found += [
                Template(kind, match[1].strip(), *match.span(1)) for match in pattern.finditer(text)
            ]
    if not found:
        return None
    code = {
        token.stretch()[0]
        for token in scan(text, path).tokens
        if token.kind not in ("string", "character")
    }
    return min((one for one in found if one.start in code), key=lambda one: one.start, default=None)


def program(path: str, text: str, defines: Mapping[str, str]) -> EmbeddedProgram | None:
    """A file's text as a program; None where it has no placeholders."""
    whole = EmbeddedProgram(verbatim(text, 0), "")
    found = with_stand_ins(whole, path, defines)
    return None if found is whole else found


def with_stand_ins(
    program: EmbeddedProgram, path: str, defines: Mapping[str, str]
) -> EmbeddedProgram:
    """The program with its placeholders filled; itself where it has none."""
    text = program.text
    if "${" not in text.text:
        return program
    parts, position = list[Mapped](), 0
    stand_ins: dict[str, str] = {}
    taken = 1 + max((int(match[1]) for match in _STAND_IN.finditer(text.text)), default=-1)
    for start, end in _places(path, text.text):
        shown = text.text[start:end]
        given = defines.get(name_of(shown))
        if given is None:
            given = stand_ins.setdefault(shown, f"{PLACEHOLDER}{taken + len(stand_ins)}")
        parts += [
            text.slice(position, start),
            filled(given, text.starts[start], text.ends[end - 1]),
        ]
        position = end
    if not parts:
        return program
    whole = joined([*parts, text.slice(position, len(text.text))])
    return replace(
        program,
        text=whole,
        placeholders={**program.placeholders, **{name: shown for shown, name in stand_ins.items()}},
    )


def _places(path: str, text: str) -> Iterator[tuple[int, int]]:
    """Where placeholders stand outside of literals and comments: start and end offset."""
    for token in scan(text, path).tokens:
        if token.kind == "identifier" and token.text.endswith("$"):
            start = token.stretch()[1] - 1
            found = _PLACEHOLDER.match(text, start)
            if found is not None:
                yield found.span()
