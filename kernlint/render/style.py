"""How text looks on the way out: colour or none, UTF-8 or plain ASCII, how wide characters are.

Goes in: text and a role. Comes out: text. Never wraps, never looks at what the text says.
"""

from __future__ import annotations

import os
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
CLEAR = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Style:
    """`width`: columns that drawings may take."""

    color: bool = False
    unicode: bool = True
    width: int = 80

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
    if choice in ("always", "never"):
        return Style(choice == "always", unicode_, width)
    if env.get("NO_COLOR"):
        return Style(False, unicode_, width)
    if any(env.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return Style(True, unicode_, width)
    return Style(stream.isatty() and env.get("TERM") != "dumb", unicode_, width)


def _width(stream: TextIO, env: Mapping[str, str]) -> int:
    """COLUMNS, else what the terminal says, else 80."""
    told = env.get("COLUMNS", "")
    if told.isascii() and told.isdigit() and int(told):
        return int(told)
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError, AttributeError):
        return 80


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
    out = ""
    for character in text:
        if character == "\t":
            out += " " * (TAB - columns(out) % TAB)
        else:
            out += character if character >= " " and character != "\x7f" else "\ufffd"
    return out


def cut(text: str, width: int) -> str:
    """At most `width` characters on one line, an ellipsis in place of what is left out."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"
