"""Whether the indices of an array can be rewritten to move its columns or elements: each is then
written twice.

Goes in: the uses of an array. Comes out: "" or the reason. Nothing that changes a variable, is
called or is read from memory is written twice, but for queries of OpenCL that are the same for a
work-item however often they are made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kernlint.source_model.array_uses import Subscript, Use

CHANGING = ("++", "--", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")
PLAIN = re.compile(
    r"u?(int|short|char|long)(8|16|32|64)?(_t)?|unsigned|bool|size_t|ptrdiff_t|sizeof|alignof"
)  # before a bracket: no call


def cannot_move(uses: Iterable[Use], language: str) -> str:
    """Why indices cannot be rewritten, for the layouts that need it; "" where they can."""
    for use in uses:
        if use.addressed:
            return f"its address is taken on line {use.span.line}, and elements reached through it must stay contiguous"
        for subscript in use.subscripts[-2:]:
            reason = impure(subscript, language)
            if reason:
                return f"its index on line {use.span.line} contains {reason}, which must not be evaluated twice"
    return ""


def impure(subscript: Subscript, language: str) -> str:
    """What keeps a subscript from being written twice: a call, an assignment or an access of
    memory; "" where nothing does."""
    tokens = subscript.tokens
    for index, token in enumerate(tokens):
        if token.text in CHANGING:
            return f"`{token.text}`"
        if token.text in ("[", "->"):
            return "a memory access"
        if (
            token.kind == "identifier"
            and index + 1 < len(tokens)
            and tokens[index + 1].text == "("
            and not _same(token.text, language)
        ):
            return f"a call to `{token.text}`"
    return ""


def _same(name: str, language: str) -> bool:
    """Whether what stands before a bracket is no call, or one that gives the same again: OpenCL's
    names are its own."""
    from kernlint.lowering.calls.intrinsics import lookup

    if PLAIN.fullmatch(name):
        return True
    found = lookup(name, language) if language == "opencl" else None
    return found is not None and found.kind == "index"
