"""How an array is used in its function, from tokens: whether enlarging its rows could change what another use means.

Goes in: a file's text, the array's declaration. Comes out: "" or the reason why its layout must stay. Never guesses: a use that is not a
plain subscript with all indices is a reason.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.source.embedded import scans
from kernlint.source.span import Span
from kernlint.source.tokens import Token

NAMES_BEFORE_OPERATOR = ("return", "case", "else", "do", "throw", "goto", "new", "delete")


def layout_matters(text: str, path: str, declaration: Span, name: str, rank: int) -> str:
    """Why the rows of array `name` of `rank` dimensions cannot be enlarged by an edit of its declaration alone."""
    tokens = _program(text, path, declaration)
    first, last = _function(tokens, declaration)
    seen = 0
    for index in range(first, last):
        token = tokens[index]
        if token.text != name or token.kind != "identifier" or _is_member(tokens, index):
            continue
        if token.span.line == declaration.line and not seen:
            seen = 1  # the declaration itself
            continue
        reason = _reason(tokens, index, rank)
        if reason:
            return f"`{name}` {reason} on line {token.span.line}"
    return "" if seen else f"the declaration of `{name}` is not on one line with its name"


def _program(text: str, path: str, declaration: Span) -> Sequence[Token]:
    """The tokens of the text that holds the declaration: the file, or a program in one of its strings."""
    for scanned in scans(path, text):
        if any(token.line == declaration.line for token in scanned.tokens):
            return scanned.tokens
    return ()


def _function(tokens: Sequence[Token], declaration: Span) -> tuple[int, int]:
    """The tokens of the outermost function body around the declaration; all tokens where there is none."""
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if (token.span.line, token.span.column) >= (declaration.line, declaration.column):
            break
        if token.text == "{":
            stack.append(index)
        elif token.text == "}" and stack:
            stack.pop()
    bodies = [index for index in stack if index and tokens[index - 1].text == ")"]
    if not bodies:
        return 0, len(tokens)
    depth = 0
    for index in range(bodies[0], len(tokens)):
        depth += (tokens[index].text == "{") - (tokens[index].text == "}")
        if depth == 0:
            return bodies[0], index
    return bodies[0], len(tokens)


def _is_member(tokens: Sequence[Token], index: int) -> bool:
    return index > 0 and tokens[index - 1].text in (".", "->", "::")


def _reason(tokens: Sequence[Token], index: int, rank: int) -> str:
    """What is special about one use."""
    before = tokens[index - 1].text if index else ""
    if before == "sizeof" or (before == "(" and index > 1 and tokens[index - 2].text == "sizeof"):
        return "is measured with sizeof"
    after = index + 1
    for _ in range(rank):
        if after >= len(tokens) or tokens[after].text != "[":
            return "is used without all its subscripts"
        after = _closed(tokens, after) + 1
    if before == "&" and _is_prefix(tokens, index - 1):
        return "has its address taken"
    return ""


def _closed(tokens: Sequence[Token], index: int) -> int:
    depth = 0
    for position in range(index, len(tokens)):
        depth += (tokens[position].text == "[") - (tokens[position].text == "]")
        if depth == 0:
            return position
    return len(tokens)


def _is_prefix(tokens: Sequence[Token], index: int) -> bool:
    """Whether an operator stands before its only operand."""
    before = tokens[index - 1] if index else None
    if before is None or before.text in NAMES_BEFORE_OPERATOR:
        return True
    return before.kind == "punctuator" and before.text not in (")", "]")
