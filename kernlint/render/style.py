"""How text looks in the output: colour or none, UTF-8 or plain ASCII, how wide characters are, where
running text wraps.

In: text and a role. Out: text. Never looks at what the text says.
"""

from __future__ import annotations

import os
import re
import textwrap
import unicodedata
from collections.abc import Mapping
from typing import TextIO

from kernlint.base.dataclass import dataclass

CODES = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;36",
    "gutter": "1;34",
    "label": "34",
    "help": "1;32",
    "strong": "1",
    "dim": "2",
}
ASCII = str.maketrans(
    {
        "…": "...",
        "·": "*",
        "–": "-",
        "—": "-",
        "×": "x",
        "≥": ">=",
        "≤": "<=",
        "→": "->",
        "\u00a0": " ",
    }
)
TAB = 4
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
# columns of running text; PIPED where there is no terminal
NARROWEST, PIPED, BROADEST = (
    80,
    100,
    120,
)
_WHOLE = re.compile(r"`[^`]*`|T\(i, w, c\)| %")  # code and figures that no line end parts
_GLUE = "\x00"  # stands for a space that is no place to wrap
CLEAR = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Style:
    """`width`: columns that drawings may take; `prose`: where running text wraps."""

    color: bool = False
    unicode: bool = True
    width: int = 80
    prose: int = 100

    def paint(self, text: str, role: str) -> str:
        return f"\x1b[{CODES[role]}m{text}{CLEAR}" if self.color and text else text

    def plain(self, text: str) -> str:
        """The text in the characters the output can show."""
        return (
            text
            if self.unicode
            else text.translate(ASCII).encode("ascii", errors="replace").decode("ascii")
        )


def style_for(stream: TextIO, choice: str, environment: Mapping[str, str] | None = None) -> Style:
    """NO_COLOR wins over FORCE_COLOR and CLICOLOR_FORCE, these over what the stream is; an explicit
    always or never over all."""
    env = os.environ if environment is None else environment
    encoding = (getattr(stream, "encoding", None) or "utf-8").lower().replace("_", "-")
    unicode_ = encoding in ("utf-8", "utf8", "utf-16", "utf-32", "cp65001")
    width = _width(stream, env)
    prose = min(max(width or PIPED, NARROWEST), BROADEST)
    return Style(_has_color(stream, choice, env), unicode_, width or 80, prose)


def _has_color(stream: TextIO, choice: str, env: Mapping[str, str]) -> bool:
    if choice in ("always", "never"):
        return choice == "always"
    if env.get("NO_COLOR"):
        return False
    if any(env.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return stream.isatty() and env.get("TERM") != "dumb"


def _width(stream: TextIO, env: Mapping[str, str]) -> int:
    """COLUMNS, else what the terminal says, 0 for neither."""
    told = env.get("COLUMNS", "")
    if told.isascii() and told.isdigit():
        return int(told)
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return 0


def wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    """Lines of at most `width` columns that begin with `first`, the following ones with `rest`.
    Code in backquotes and percentages stay on one line."""
    whole = _WHOLE.sub(lambda match: match[0].replace(" ", _GLUE), text)
    lines = textwrap.wrap(
        whole,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_GLUE, " ") for line in lines] or [first.rstrip()]


def columns(text: str) -> int:
    """Terminal columns of a text without tabs: wide characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def untabbed(text: str) -> str:
    """Tabs to the next multiple of four, control characters as a visible mark."""
    *before, last = _CONTROL.sub("\ufffd", text).split("\t")
    return "".join(part + " " * (TAB - columns(part) % TAB) for part in before) + last


def cut(text: str, width: int) -> str:
    """At most `width` characters on one line, an ellipsis in place of what is left out."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"
