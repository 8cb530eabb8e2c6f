"""Reads an index as kernlint prints it and evaluates it with C's meaning: an oracle that shares
nothing with the printer."""

from __future__ import annotations

import re
from collections.abc import Callable

Names = dict[str, int]


def truncated(left: int, right: int) -> int:
    return int(abs(left) // abs(right)) * (1 if (left < 0) == (right < 0) else -1)


C: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": truncated, "%": lambda a, b: a - b * truncated(a, b),
    "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b, "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b,
    "<": lambda a, b: int(a < b), "<=": lambda a, b: int(a <= b), ">": lambda a, b: int(a > b), ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b), "min": min, "max": max,
    "&&": lambda a, b: int(bool(a) and bool(b)), "||": lambda a, b: int(bool(a) or bool(b)),
}  # fmt: skip
LEVELS = [
    ["||"],
    ["&&"],
    ["|"],
    ["^"],
    ["&"],
    ["==", "!="],
    ["<=", ">=", "<", ">"],
    ["<<", ">>"],
    ["+", "-"],
    ["*", "/", "%"],
]


class Reader:
    """A reader of C expressions by recursive descent; shares nothing with the printer."""

    def __init__(self, text: str, names: Names) -> None:
        self.tokens = re.findall(r"[A-Za-z_][\w.]*|\d+|<<|>>|<=|>=|==|!=|&&|\|\||\S", text)
        self.names, self.place = names, 0

    def take(self, *expected: str) -> str | None:
        if self.place < len(self.tokens) and self.tokens[self.place] in expected:
            self.place += 1
            return self.tokens[self.place - 1]
        return None

    def whole(self) -> int:
        value = self.choice()
        assert self.place == len(self.tokens), self.tokens[self.place :]
        return value

    def choice(self) -> int:
        test = self.level(0)
        if not self.take("?"):
            return test
        then = self.choice()
        assert self.take(":")
        otherwise = self.choice()
        return then if test else otherwise

    def level(self, depth: int) -> int:
        if depth == len(LEVELS):
            return self.unary()
        value = self.level(depth + 1)
        while op := self.take(*LEVELS[depth]):
            value = C[op](value, self.level(depth + 1))
        return value

    def unary(self) -> int:
        if op := self.take("-", "~", "!"):
            value = self.unary()
            return {"-": -value, "~": ~value, "!": int(not value)}[op]
        if self.take("("):
            value = self.choice()
            assert self.take(")")
            return value
        word = self.tokens[self.place]
        self.place += 1
        if word in ("min", "max"):
            assert self.take("(")
            left = self.choice()
            assert self.take(",")
            right = self.choice()
            assert self.take(")")
            return C[word](left, right)
        return int(word) if word.isdigit() else self.names[word]
