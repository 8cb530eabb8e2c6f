"""Kernel names as profilers print them, taken apart so that they can be held against the source's.

Goes in: `void ns::turn<float, (int)32, (bool)0>(const T1 *, T1 *, int)`, or the same without casts,
a mangled name, or just `turn`. Comes out: qualified name and template arguments in the form of a
report's `template_arguments`.
"""

from __future__ import annotations

import re

from kernlint.base.dataclass import dataclass

ANONYMOUS = re.compile(r"\(anonymous namespace\)::|<unnamed>::|_?unnamed>::|_GLOBAL__N__\w*::")
CAST = re.compile(r"\([\w: ]+\)(?=-?\d)")
OPENING, CLOSING = "<([{", ">)]}"


@dataclass(frozen=True, slots=True)
class KernelName:
    """`arguments` None where the name does not tell them (mangled or plain function names);
    `written` are the same with their blanks."""

    qualified: str
    arguments: tuple[str, ...] | None
    written: tuple[str, ...] = ()

    @property
    def plain(self) -> str:
        return self.qualified.rpartition("::")[2]


def parse(text: str) -> KernelName:
    """The parts of a printed kernel name."""
    given = ANONYMOUS.sub("", text.strip())
    if given.startswith("_Z"):
        return KernelName("::".join(_mangled(given)) or given, None)
    head, inside = _without_parameters(given)
    word = re.search(r"[\w:~$]+$", head)
    qualified = (word[0] if word else head).strip(":")
    if inside is None:
        return KernelName(qualified, () if "(" in given else None)
    parts = _split(inside)
    return KernelName(
        qualified, tuple(map(canonical, parts)), tuple(CAST.sub("", part.strip()) for part in parts)
    )


def canonical(argument: str) -> str:
    """One template argument as text on which printers agree: no casts, no blanks, 0 and 1 for bool,
    no literal suffix, functions by their own names (`&ns::f` is `&f` within `ns`)."""
    text = CAST.sub("", argument.strip())
    text = {"true": "1", "false": "0"}.get(text, text)
    text = re.sub(r"\b(?:struct|class|enum|union) ", "", ANONYMOUS.sub("", text))
    return re.sub(r"[\s()]|(?<=\d)[uUlL]+$|(?<=&)(?:\w+::)+", "", text)


def _without_parameters(text: str) -> tuple[str, str | None]:
    """What stands before the template arguments or parameters, and the text of the outermost
    template arguments."""
    depth, start = 0, None
    for at, character in enumerate(text):
        if character in OPENING:
            if depth == 0 and character == "<" and start is None:
                start = at
            elif depth == 0 and character == "(" and at:
                return text[:at], None
            depth += 1
        elif character in CLOSING and not (character == ">" and text[at - 1] == "-"):
            depth -= 1
            if depth == 0 and start is not None:
                rest = text[at + 1 :]
                if rest.startswith("::"):  # arguments of a class around the kernel
                    head, inside = _without_parameters(rest[2:])
                    return f"{text[:start]}::{head}", inside
                return text[:start], text[start + 1 : at]
    return text, None


def _split(text: str) -> list[str]:
    depth, parts = 0, [""]
    for character in text:
        depth += (character in OPENING) - (character in CLOSING)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part.strip()]


def _mangled(text: str) -> list[str]:
    """The names in an Itanium-mangled function name, outermost first (`_ZN3lab4turnI…E…`), without
    anonymous namespaces."""
    rest = text[2:]
    nested = rest.startswith("N")
    rest = rest[1:] if nested else rest
    found: list[str] = []
    while match := re.match(r"(\d+)", rest):
        length = int(match[1])
        name, rest = rest[match.end() : match.end() + length], rest[match.end() + length :]
        if not name.startswith("_GLOBAL__N_"):
            found.append(name)
        if not nested:
            break
    return found
