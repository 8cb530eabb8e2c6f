"""Variables of a kernel that are the same for all threads of a block, and the parameters that its
pointers point into.

Goes in: a kernel's tokens, its parameters. Comes out: names with the parameter they point into (""
for numbers). A variable counts when it is declared once with its value, never assigned again, and
that value is made of parameters, numbers, `blockIdx`, `blockDim`, `gridDim` and others of its kind
by operators alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kernlint.base.dataclass import dataclass
from kernlint.source.tokens import Token
from kernlint.source_model.swap_tokens import ASSIGN, TYPES, KernelTokens, Tokens

OF_BLOCK = ("blockIdx", "blockDim", "gridDim")
# the last two stand behind operands
OPERATORS = (
    "+",
    "-",
    "*",
    "/",
    "%",
    "<<",
    ">>",
    "(",
    ")",
    ".",
)
NO_START = (
    "return",
    "for",
    "if",
    "while",
    "do",
    "else",
    "case",
    "goto",
    "__shared__",
    "extern",
    "volatile",
)


@dataclass(frozen=True, slots=True)
class Uniform:
    """`roots`: the variables, with the parameter that each points into, "" for numbers;
    `declaring`: the tokens of their declarations."""

    roots: Mapping[str, str]
    declaring: frozenset[int]

    def other(self, name: str, body: Tokens) -> str:
        """What else is used in a body and points where pointer `name` does; "" where nothing
        does."""
        root = self.roots[name]
        same = {root, *(one for one, other in self.roots.items() if other == root)} - {name}
        if not root:
            return ""
        used = (token for token in body if id(token) not in self.declaring)
        return next((token.text for token in used if token.text in same), "")


def uniform(
    text: KernelTokens, pointers: Mapping[str, bool], is_number: Callable[[str], bool]
) -> Uniform:
    """`pointers`: of each parameter whether it is one. `is_number`: whether a name is a constant of
    the file."""
    found = {
        name: name if is_pointer else ""
        for name, is_pointer in pointers.items()
        if not changed(text, name)
    }
    parameters, declaring = frozenset(found), set[int]()
    for name, value in _declared(text):
        after = value[2:]  # the name and `=`
        words = ["", *(token.text for token in after)]
        roots = [
            _root(token, before, found, is_number)
            for token, before in zip(after, words, strict=False)
        ]
        pointing = {root for root in roots if root}
        if None not in roots and len(pointing) < 2 and not changed(text, name, but=1):
            found[name] = next(iter(pointing), "")
            declaring.update(map(id, value))
    return Uniform(
        {name: root for name, root in found.items() if name not in parameters}, frozenset(declaring)
    )


def changed(text: KernelTokens, name: str, but: int = 0) -> bool:
    """Whether a variable is assigned more than `but` times, counted, or its address taken; `*name =
    …` assigns what it points to."""
    words = ["", *(token.text for token in text.body)]
    times = 0
    for i, word in enumerate(words[:-1]):
        before, after = words[i - 1], words[i + 1]
        if (
            word != name
            or before in (".", "->")
            or (before == "*" and words[i - 2] in (";", "{", "}"))
        ):
            continue
        times += after in ASSIGN
        if (
            "++" in (before, after)
            or "--" in (before, after)
            or (before == "&" and words[i - 2] in ("(", ",", "=", "return"))
        ):
            return True
    return times > but


def _declared(text: KernelTokens) -> list[tuple[str, Tokens]]:
    """The variables of the kernel's outermost braces that are declared with a value, in order."""
    found: list[tuple[str, Tokens]] = []
    depth, statement = 0, list[Token]()
    for token in text.body:
        depth += (token.text == "{") - (token.text == "}")
        if token.text in ("{", "}", ";"):
            found += _of_statement(statement) if token.text == ";" and depth == 1 else []
            statement = []
        else:
            statement.append(token)
    return found


def _is_type(token: Token) -> bool:
    """Whether a token may stand in a type: `const`, `int`, `*`."""
    return token.text == "*" or (token.kind == "identifier" and token.text not in NO_START)


def _of_statement(statement: Sequence[Token]) -> list[tuple[str, Tokens]]:
    """`const int a = …, b = …`: the names, each with its tokens from itself to the end of its
    value."""
    first = next((i for i, token in enumerate(statement) if token.text == "="), 0)
    head = statement[: max(first - 1, 0)]
    is_type = all(_is_type(token) for token in head)
    if not head or head[0].text == "*" or not is_type:
        return []
    found, depth, start = list[tuple[str, Tokens]](), 0, first - 1
    for i in range(first, len(statement) + 1):
        end = i == len(statement) or (statement[i].text == "," and depth == 0)
        if not end:
            depth += (statement[i].text in "([{") - (statement[i].text in ")]}")
            continue
        part = [
            token
            for token in statement[start:i]
            if token.text != "*" or token is not statement[start]
        ]
        if len(part) > 2 and part[1].text == "=":
            found.append((part[0].text, part))
        start = i + 1
    return found


def _root(
    token: Token, before: str, known: Mapping[str, str], is_number: Callable[[str], bool]
) -> str | None:
    """The parameter that a token of a value brings in, "" for none; None where it may differ from
    thread to thread."""
    if token.text == "*" and before in ("", *OPERATORS[:-2]):
        return None  # what a pointer points to
    if token.kind == "number" or token.text in (*OPERATORS, *TYPES) or before == ".":
        return ""
    if token.kind != "identifier":
        return None
    if token.text in OF_BLOCK or is_number(token.text):
        return ""
    return known.get(token.text)
