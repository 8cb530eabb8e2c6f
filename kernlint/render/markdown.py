"""A rule page on the terminal: Markdown as it is, headings and code set apart by colour where there
is colour.

Goes in: Markdown. Comes out: text. Never re-wraps, never loads a Markdown library: `explain` must
start at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.render.style import Style


def render(page: str, style: Style) -> str:
    return "".join(style.plain(line) + "\n" for line in _lines(page, style))


def _lines(page: str, style: Style) -> Iterator[str]:
    fenced = False
    for line in page.rstrip("\n").split("\n"):
        if line.startswith("```"):
            fenced = not fenced
            yield style.paint(line, "dim") if style.color else line
        elif fenced or line.startswith("    "):
            yield style.paint(line, "label")
        elif line.startswith("#"):
            yield style.paint(line.lstrip("# "), "strong") if style.color else line
        else:
            yield line
