"""Words that the command line, the engine and the rules share, and the error for requests that make
no sense.

Light on purpose: `--version`, `explain` and `rules` load this and no facts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

DEFAULT_DEVICE = "h100"  # the profile that is used when none is named
HIP_DEVICE = "mi300x"  # the same for HIP, whose warps have 64 lanes on the devices that compute
SEVERITIES = ("info", "warning", "error")
STATUSES = ("exact", "range", "unknown")
LANGUAGES = ("cuda", "opencl", "hip", "ptx")
# of layouts and blocks, that `kernlint tune` tries
CHANGES = (
    "padding",
    "swizzle",
    "skew",
    "block",
)
FORMATS = (
    "full",
    "concise",
    "json",
    "json-lines",
    "sarif",
    "github",
    "gitlab",
    "junit",
    "agent",
    "html",
)


class UsageError(Exception):
    """The request itself makes no sense: exit code 2, the text says what to do. Raised by the shell
    and the engine only."""


def listed(names: Sequence[str], most: int = 8) -> str:
    """`a`, `b` and 3 more"""
    shown = ", ".join(f"`{name}`" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


FOR_PEOPLE = (
    "full",
    "text",
    "plain",
    "default",
    "human",
    "terminal",
)  # names that tools give the format that is meant to be read
# the share of letters that two words have in common, from which on one may have been meant by the
# other
NEAR = 0.65


def nearest(word: str, known: Iterable[str], cutoff: float = NEAR) -> str:
    """The known word that is close to another, "" where none is; capitals and small letters are the
    same."""
    import difflib

    folded = {name.lower(): name for name in reversed(list(known))}
    close = difflib.get_close_matches(word.lower(), folded, n=1, cutoff=cutoff)
    return folded[close[0]] if close else ""


def meant(word: str, known: Iterable[str], cutoff: float = NEAR) -> str:
    """`, did you mean X?` where a known word is close, else nothing."""
    close = nearest(word, known, cutoff)
    return f", did you mean `{close}`?" if close else ""


def beside(path: str) -> str:
    """`, did you mean X?` where the folder holds a name that is close, else nothing."""
    folder, name = os.path.split(path)
    try:
        return meant(name, os.listdir(folder or "."), 0.75)
    except OSError:
        return ""


def chosen(word: str, known: Sequence[str]) -> str:
    """`, did you mean X?` where one of the choices is close. The first format is for people,
    whatever a command calls it."""
    if word.lower() in FOR_PEOPLE and known[0] in FOR_PEOPLE:
        return f", did you mean `{known[0]}`?"
    return meant(word, known)
