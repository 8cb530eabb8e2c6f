"""The value of an #if condition: integers of 64 bits, signed and unsigned, as the language says.

Comes in: expanded tokens and what `defined` and `__has_include` answer. Goes out: true or false.
Raises SourceError where the condition is none. Identifiers that are left count as 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kernlint.base.dataclass import dataclass
from kernlint.base.span import SourceError, Span
from kernlint.source.preprocessor.macros import spelling
from kernlint.source.tokens import Token

_WRAP = 1 << 64
_HALF = 1 << 63
_DEPTH_LIMIT = 40
_SPELLED_OUT = {
    "and": "&&",
    "or": "||",
    "not": "!",
    "bitand": "&",
    "bitor": "|",
    "xor": "^",
    "compl": "~",
    "not_eq": "!=",
}
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9]\d*)([uUlLzZ]*)")
_CHARACTER = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|(.)"
)
_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}
_LEVELS = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_PRECEDENCE = {
    operator: level for level, operators in enumerate(_LEVELS, 1) for operator in operators
}
_ANSWERS_ZERO = frozenset(
    {
        "__has_attribute",
        "__has_cpp_attribute",
        "__has_c_attribute",
        "__has_builtin",
        "__has_feature",
        "__has_extension",
    }
)


@dataclass(frozen=True, slots=True)
class _Value:
    number: int
    unsigned: bool = False

    def wrapped(self) -> _Value:
        number = self.number % _WRAP
        return _Value(number if self.unsigned or number < _HALF else number - _WRAP, self.unsigned)


@dataclass(frozen=True, slots=True)
class Answers:
    """What the condition may ask: is a macro defined, is a header there (name, is it in angle
    brackets)."""

    defined: Callable[[str], bool]
    has_include: Callable[[str, bool], bool]
    cplusplus: bool


def holds(tokens: list[Token], place: Span, answers: Answers) -> bool:
    """Whether the condition is true."""
    if not tokens:
        raise SourceError("the condition is empty", place)
    reader = _Reader(tokens, place, answers)
    value = reader.expression(True)
    if reader.index < len(tokens):
        raise SourceError(
            f"'{tokens[reader.index].text}' is not expected in this condition",
            tokens[reader.index].use,
        )
    return value.number != 0


class _Reader:
    def __init__(self, tokens: list[Token], place: Span, answers: Answers) -> None:
        self.tokens, self.place, self.answers = tokens, place, answers
        self.index = self.depth = 0

    def peek(self) -> str:
        if self.index >= len(self.tokens):
            return ""
        text = self.tokens[self.index].text
        return _SPELLED_OUT.get(text, text) if self.answers.cplusplus else text

    def fail(self, message: str) -> SourceError:
        token = self.tokens[min(self.index, len(self.tokens) - 1)]
        return SourceError(message, token.use)

    def expect(self, text: str) -> None:
        if self.peek() != text:
            raise self.fail(f"'{text}' is missing in this condition")
        self.index += 1

    def expression(self, live: bool) -> _Value:
        """A conditional expression, `a, b` included; not `live`: parsed, but division by zero does
        not count."""
        self.depth += 1
        if self.depth > _DEPTH_LIMIT:
            raise self.fail(f"this condition is nested more than {_DEPTH_LIMIT} deep")
        value = self.conditional(live)
        while self.peek() == ",":
            self.index += 1
            value = self.conditional(live)
        self.depth -= 1
        return value

    def conditional(self, live: bool) -> _Value:
        condition = self.binary(1, live)
        if self.peek() != "?":
            return condition
        self.index += 1
        self.depth += 1
        if self.depth > _DEPTH_LIMIT:
            raise self.fail(f"this condition is nested more than {_DEPTH_LIMIT} deep")
        chosen = condition.number != 0
        first = self.expression(live and chosen)
        self.expect(":")
        second = self.conditional(live and not chosen)
        self.depth -= 1
        value = first if chosen else second
        return _Value(value.number, first.unsigned or second.unsigned).wrapped()

    def binary(self, level: int, live: bool) -> _Value:
        left = self.unary(live)
        while (precedence := _PRECEDENCE.get(operator := self.peek(), 0)) >= level:
            self.index += 1
            needed = live and not (
                (operator == "&&" and not left.number) or (operator == "||" and left.number)
            )
            right = self.binary(precedence + 1, needed)
            left = self.combine(operator, left, right, live)
        return left

    def unary(self, live: bool) -> _Value:
        signs: list[str] = []
        while self.peek() in ("+", "-", "!", "~"):
            signs.append(self.peek())
            self.index += 1
        value = self.primary(live)
        for sign in reversed(signs):
            if sign == "!":
                value = _Value(int(value.number == 0))
            elif sign != "+":
                value = _Value(
                    -value.number if sign == "-" else ~value.number, value.unsigned
                ).wrapped()
        return value

    def primary(self, live: bool) -> _Value:
        if self.index >= len(self.tokens):
            raise self.fail("this condition ends too early")
        token = self.tokens[self.index]
        if token.text == "(":
            self.index += 1
            value = self.expression(live)
            self.expect(")")
            return value
        if token.kind == "identifier":
            return self.identifier(token)
        self.index += 1
        if token.kind == "number":
            return _number(token)
        if token.kind == "character":
            return _character(token)
        raise SourceError(f"'{token.text}' is not expected in this condition", token.use)

    def identifier(self, token: Token) -> _Value:
        self.index += 1
        if token.text == "defined":
            return _Value(int(self.answers.defined(self.operand())))
        if token.text in ("__has_include", "__has_include_next"):
            return _Value(int(self.header()))
        if token.text in _ANSWERS_ZERO:
            self.skip_parentheses()
            return _Value(0)
        if self.answers.cplusplus and token.text == "true":
            return _Value(1)
        return _Value(0)

    def operand(self) -> str:
        parenthesis = self.peek() == "("
        self.index += parenthesis
        if self.index >= len(self.tokens) or self.tokens[self.index].kind != "identifier":
            raise self.fail("'defined' needs a macro name")
        name = self.tokens[self.index].text
        self.index += 1
        if parenthesis:
            self.expect(")")
        return name

    def header(self) -> bool:
        start = self.index + 1
        self.skip_parentheses()
        inner = self.tokens[start : self.index - 1]
        text = spelling(inner)
        if len(text) > 2 and (text[0], text[-1]) in (("<", ">"), ('"', '"')):
            return self.answers.has_include(text[1:-1], text[0] == "<")
        raise self.fail("__has_include needs a header name")

    def skip_parentheses(self) -> None:
        self.expect("(")
        depth = 1
        while depth:
            if self.index >= len(self.tokens):
                raise self.fail("')' is missing in this condition")
            depth += {"(": 1, ")": -1}.get(self.tokens[self.index].text, 0)
            self.index += 1

    def combine(self, operator: str, left: _Value, right: _Value, live: bool) -> _Value:
        a, b = left.number, right.number
        if operator == "&&":
            return _Value(int(a != 0 and b != 0))
        if operator == "||":
            return _Value(int(a != 0 or b != 0))
        if operator in ("<<", ">>"):
            return _shift(left, b if operator == "<<" else -b)
        unsigned = left.unsigned or right.unsigned
        if unsigned:
            a, b = a % _WRAP, b % _WRAP
        if operator in _COMPARE:
            return _Value(int(_COMPARE[operator](a, b)))
        if operator in ("/", "%"):
            if b == 0:
                if live:
                    raise self.fail("division by zero in this condition")
                return _Value(0, unsigned)
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return _Value(quotient if operator == "/" else a - b * quotient, unsigned).wrapped()
        return _Value(_ARITHMETIC[operator](a, b), unsigned).wrapped()


_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}


def _shift(value: _Value, places: int) -> _Value:
    """A shift to the left by `places`, to the right where negative."""
    if places >= 64:
        return _Value(0, value.unsigned)
    number = value.number << places if places >= 0 else value.number >> min(-places, 64)
    return _Value(number, value.unsigned).wrapped()


def _number(token: Token) -> _Value:
    match = _NUMBER.fullmatch(token.text.replace("'", ""))
    if match is None:
        raise SourceError(f"'{token.text}' is no integer", token.use)
    digits = match[1]
    number = int(digits, 8) if digits[0] == "0" and digits.isdigit() else int(digits, 0)
    return _Value(number % _WRAP, "u" in match[2].lower() or number >= _HALF)


def _character(token: Token) -> _Value:
    """The value of a character constant; several characters are packed, the last one lowest, as GCC
    does."""
    prefix, _, rest = token.text.partition("'")
    body = rest.rpartition("'")[0] or rest
    codes = [_code(match) for match in _CHARACTER.finditer(body)]
    if not codes:
        raise SourceError("this character constant is empty", token.use)
    if prefix:
        return _Value(codes[-1], prefix != "L")
    number = 0
    for code in codes:
        number = (number << 8 | code & 0xFF) & 0xFFFFFFFF
    limit = 1 << 7 if len(codes) == 1 else 1 << 31
    return _Value(number - 2 * limit if number >= limit else number)


def _code(match: re.Match[str]) -> int:
    octal, hexadecimal, short, long, escape, plain = match.groups()
    if octal:
        return int(octal, 8)
    if hexadecimal or short or long:
        return int(hexadecimal or short or long, 16)
    return _ESCAPES.get(escape, ord(escape)) if escape else ord(plain)
