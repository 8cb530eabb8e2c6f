"""What the sides of an `if` or the cases of a `switch` do, and whether it is more than a compiler
turns into selects.

Goes in: a branch, the facts of its kernel, the source text. Comes out: its arms with the accesses,
loops and calls in each. Never decides whether a branch is reported.

nvcc 13 for sm_90 emits no branch, but selects and predicated instructions, where the arms only
compute, also where each arm loads and stores the same places (`x[i] *= 0.5f` in one case, `x[i] *=
0.25f` in the other); it branches where the arms access different places, loop, or call functions
that are not a few instructions (sinf, powf).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.ir.functions import functions
from kernlint.model.facts import LOOPS, Access, Branch, File, Kernel

CALL = re.compile(r"(?<![\w.>])([A-Za-z_]\w*)\s*\(")
# Keywords and functions of a few instructions: casts, bounds, packing; others are `cheap` in
# ir/functions.toml.
CHEAP = re.compile(
    r"(if|for|while|switch|return|sizeof|alignof|decltype|(static|const|reinterpret|dynamic)_cast|static_assert|assert"
    r"|f?(min|max|abs)f?|__saturatef|__f?mul\w*|__float\w*|__int\w*|__half\w*|__low\w*|__high\w*|convert_\w+|as_\w+|make_\w+"
    r"|(u?(char|short|int|long)|float|double|half|bool|size_t|unsigned|u?int\d+_t)\d{0,2}|native_\w+|__f(add|sub|div|mul)\w*|__ldg)"
)


@dataclass(frozen=True, slots=True)
class Arm:
    """One side: its accesses, whether it holds a loop, and the functions that it calls and that are
    not cheap."""

    accesses: tuple[Access, ...]
    loops: bool
    calls: frozenset[str]


def is_cheap(name: str) -> bool:
    """Whether what is called is a keyword or a function of a few instructions."""
    return name in _cheap_functions() or CHEAP.fullmatch(name) is not None


@cache
def _cheap_functions() -> frozenset[str]:
    rows = [row for row in functions().values() if row.cheap]
    return frozenset(
        [row.name for row in rows] + [f"{row.name}f" for row in rows if "f" in row.names]
    )


def arms(branch: Branch, kernel: Kernel, file: File) -> list[Arm]:
    """The sides of the branch in the order of the source; one arm for the whole statement where its
    text is not at hand."""
    inside = accesses_inside(branch, kernel)
    loops = [
        b.span
        for b in kernel.branches
        if b.kind in LOOPS and b.span != branch.span and within(b.span, branch.span)
    ]
    found = []
    for span, text in _sides(branch, file):
        own = tuple(a for a in inside if any(within(place, span) for place in (a.span, *a.calls)))
        calls = frozenset(name for name in CALL.findall(text) if not is_cheap(name))
        found.append(Arm(own, any(within(loop, span) for loop in loops), calls))
    return found


def differing(found: list[Arm]) -> list[Arm]:
    """The arms without the accesses that all of several arms have in common: those are done once
    for all lanes."""
    if len(found) < 2:
        return found
    common = set.intersection(*({(a.text, a.op) for a in arm.accesses} for arm in found))
    return [
        Arm(tuple(a for a in arm.accesses if (a.text, a.op) not in common), arm.loops, arm.calls)
        for arm in found
    ]


def works(arm: Arm) -> bool:
    """Whether a compiler needs a branch for it, or accesses memory with a part of the lanes."""
    return bool(arm.accesses or arm.loops or arm.calls)


def accesses_inside(branch: Branch, kernel: Kernel) -> list[Access]:
    """Accesses in the branch's statement after its head; those in called functions count through
    their call."""
    return [
        a
        for a in kernel.accesses
        if any(within(span, branch.span) for span in (a.span, *a.calls)) and not _in_head(a, branch)
    ]


def _in_head(access: Access, branch: Branch) -> bool:
    return access.text in branch.condition and access.span.line == branch.span.line


def within(inner: Span, outer: Span) -> bool:
    if inner.path != outer.path:
        return False
    start, end = (outer.line, outer.column), (outer.end_line, outer.end_column)
    return start <= (inner.line, inner.column) and (inner.end_line, inner.end_column) <= end


def _sides(branch: Branch, file: File) -> Iterator[tuple[Span, str]]:
    """Place and text of each side."""
    span = branch.span
    text = _statement(span, file)
    body = _after_head(text)
    if not body:
        yield span, ""
        return
    cuts = [body, *_cuts(text, body, branch.kind), len(text)]
    for start, end in pairwise(cuts):
        if text[start:end].strip("{} \t\n;"):
            yield (
                Span(span.path, *_position(span, text, start), *_position(span, text, end)),
                text[start:end],
            )


def _cuts(text: str, body: int, kind: str) -> Iterator[int]:
    """Where the `else` of an if, or the labels of a switch stand."""
    depth, nested = 0, 1 if kind == "switch" else 0
    for match in re.finditer(r"[{}]|\b(else|case|default)\b", text[body:]):
        word = match[0]
        depth += (word == "{") - (word == "}")
        if depth == nested and (
            (kind == "switch" and word in ("case", "default")) or (kind == "if" and word == "else")
        ):
            yield body + match.start()
            if kind == "if":
                return


def _statement(span: Span, file: File) -> str:
    """The statement's text with comments blanked out; "" where it stands in a macro or in another
    file."""
    if span.macro or span.path != file.path:
        return ""
    lines = file.text.split("\n")[span.line - 1 : span.end_line]
    if not lines:
        return ""
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return re.sub(
        r"//[^\n]*|/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), "\n".join(lines), flags=re.S
    )


def _after_head(text: str) -> int:
    """The position behind the parenthesis of the statement's head; 0 where there is none."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == ")" and depth == 0:
            return position + 1
    return 0


def _position(span: Span, text: str, at: int) -> tuple[int, int]:
    line, begins = text.count("\n", 0, at), text.rfind("\n", 0, at) + 1
    return span.line + line, at - begins + 1 + (span.column - 1 if line == 0 else 0)
