"""Texts that are no code, under a kernel's file name: prose, a build file, a page of the web, a
pointer to a file elsewhere.

Goes in: a text. Comes out: what it is and what to do, "" for all that may be code: with a mark of a
kernel language, or lines that end as those of C do, it is read as code, whatever is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LEAST = 3  # lines that are judged
CODE = 0.05  # of lines, those that end as code does: less is in no text of C that has no mark
# words in a row without any punctuation between them, and the share of lines that have them in
# prose
WORDS, PROSE = (
    4,
    0.25,
)
COMMANDS, BUILD = 2, 0.1  # lines that begin as a build file's do, and their share

_BEGINNINGS = (
    (
        r"version https://git-lfs\.github\.com/",
        "the pointer of Git LFS to a file that was not fetched: `git lfs pull` fetches it",
    ),
    (r"<!doctype html|<html\b", "a page of the web (HTML): save the file itself (on GitHub: Raw)"),
    (r"<\?xml\b|<svg\b", "XML"),
    (r"%PDF-", "a PDF document"),
)
DEVICE = re.compile(  # words of device code
    r"__global__|__device__|__shared__|__constant__|\b__kernel\b|\bkernel\s+void\b|\bthreadIdx\b|\bget_(?:global|local|group)_id\b|<<<"
)
_MARKS = re.compile(
    rf"{DEVICE.pattern}|__host__"
    r"|^[ \t]*\#[ \t]*(?:include|define|ifn?def|pragma)\b|\btemplate\s*<|\bnamespace\b|\bextern\s+\"C\"|^\s*\.(?:version|target|entry)\b",
    re.MULTILINE,
)
# Metal Shading Language Specification, 5.2.3 and 1.5.3; its `kernel void` is OpenCL's too
_METAL = re.compile(
    r"^[ \t]*\#[ \t]*include[ \t]*<metal_\w+>|\busing\s+namespace\s+metal\b"
    r"|\[\[\s*(?:thread(?:s|group)?_position_in_\w+|threads_per_\w+|buffer\s*\(\s*\d+\s*\))\s*\]\]",
    re.MULTILINE,
)
_OTHER_DEVICE = re.compile(
    r"__global__|__device__|__kernel\b|\bthreadIdx\b|\bget_(?:global|local)_id\b"
)
_COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_ENDS = re.compile(r"[;{}\\]\s*\Z")
_ROW = re.compile(rf"(?:\b[^\W\d_][^\W\d_'’-]*\b[ ,]*){{{WORDS},}}")
_COMMAND = re.compile(
    r"\s*(?:cmake_minimum_required|project|add_(?:executable|library|subdirectory|custom_\w+|definitions|compile_options|test)|target_\w+"
    r"|find_(?:package|library|path)|set_target_properties|set|install|list|message|string|option|include(?:_directories)?|link_libraries"
    r"|cuda_add_\w+|enable_language|if|elseif|else|endif|foreach|endforeach|function|endfunction|macro|endmacro)\s*\(",
    re.IGNORECASE,
)


def what(text: str, path: str = "") -> str:
    """What a text is that is no code of a language that is analysed, with what to do about it where
    kernlint knows."""
    if path.lower().endswith(".metal") or (
        _METAL.search(text) and not _OTHER_DEVICE.search(_COMMENTS.sub("", text))
    ):
        return "Metal, which kernlint does not analyse"
    head = text[:200].lstrip()
    for pattern, told in _BEGINNINGS:
        if re.match(pattern, head, re.IGNORECASE):
            return told
    if _MARKS.search(text):
        return ""
    lines = [line for line in _COMMENTS.sub("", text).split("\n") if line.strip()]
    if len(lines) < LEAST or sum(_ENDS.search(line) is not None for line in lines) > CODE * len(
        lines
    ):
        return ""
    return _by_lines(lines)


def _by_lines(lines: Sequence[str]) -> str:
    if sum(_COMMAND.match(line) is not None for line in lines) >= max(COMMANDS, BUILD * len(lines)):
        return "a build file of CMake"
    return (
        "prose"
        if sum(_ROW.search(line) is not None for line in lines) >= PROSE * len(lines)
        else ""
    )
