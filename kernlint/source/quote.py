"""Quoting the user's source.

In: a span and the text of its file. Out: the text of the span as the user wrote it, white space and
line splices made single spaces.
"""

from __future__ import annotations

import re

from kernlint.base.span import Span


def quote(span: Span, text: str) -> str:
    """The user's text of `span`; columns count characters from 1, `end_column` is exclusive. Empty
    when the span lies outside."""
    lines = text.split("\n")
    if span.line < 1 or span.line > len(lines):
        return ""
    last = min(span.end_line, len(lines))
    found = lines[span.line - 1 : last]
    if last == span.end_line:
        found[-1] = found[-1][: max(span.end_column - 1, 0)]
    found[0] = found[0][span.column - 1 :]
    return re.sub(r"(?:\\?\s)+", " ", "\n".join(found)).strip()
