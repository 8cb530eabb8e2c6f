"""The strings of `index` and `law` in the JSON report: one small grammar, written and read here.

    condition  = both ("||" both)* | "true" | "false"
    both       = comparison ("&&" comparison)*
    comparison = sum ("<" | "<=" | ">" | ">=" | "==" | "!=") sum
    sum        = ["-"] product (("+" | "-") product)*
    product    = power (("*" | "/") power)*
    power      = atom ["**" integer]
    atom       = integer | name | name "(" sum ("," sum)* ")" | "(" sum ")"
               | "cases" "(" condition ":" sum ("," condition ":" sum)* ")"

`/` divides exactly. Names are letters, digits, "_", "." and "'"; a loaded value or whatever else
has another name stands in backquotes. Functions are those of `functions.FUNCTIONS`, `min`, `max`
and `abs`. The text is read by a recursive parser with this closed table: nothing is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanAtom

from kernlint.laws.functions import FUNCTIONS, Summation, Value, symbol

OPEN: dict[str, Callable[..., Value]] = {
    **FUNCTIONS,
    "sum": Summation,
    "abs": sympy.Abs,
}
RELATIONS: dict[str, Callable[..., Value]] = {
    "<=": sympy.Le,
    ">=": sympy.Ge,
    "==": sympy.Eq,
    "!=": sympy.Ne,
    "<": sympy.Lt,
    ">": sympy.Gt,
}
TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+)|(?P<name>[A-Za-z_][\w.']*)|`(?P<quoted>[^`]*)`"
    r"|(?P<mark>\*\*|&&|\|\||<=|>=|==|!=|[-+*/(),:<>]))"
)
PLAIN = re.compile(r"[A-Za-z_][\w.']*\Z")
DEEPEST = 60  # brackets in each other
SUM, PRODUCT, POWER, ATOM = 1, 2, 3, 4  # how strongly a text binds
TRUTHS = {"true": sympy.true, "false": sympy.false}
RESERVED = (*OPEN, "cases", *TRUTHS)


class LawSyntaxError(ValueError):
    """A text that is no law."""


def law_text(expression: Value) -> str:
    """A law or a condition in the grammar; ValueError for what the grammar has no words for."""
    if isinstance(expression, (BooleanAtom, sympy.And, sympy.Or, Relational)):
        return _condition(expression)
    return _text(expression)[0]


def parse_law(text: str) -> Value:
    """The sympy expression, or the condition, that a text of the grammar says; LawSyntaxError for
    any other text."""
    parser = _Parser(text)
    found = parser.condition_or_sum()
    parser.end()
    return found


# ------------------------------------------------------------------ writing


def _condition(condition: Value) -> str:
    if isinstance(condition, BooleanAtom):
        return "true" if condition == sympy.true else "false"
    if isinstance(condition, sympy.And) and condition.has(sympy.Or):
        condition = sympy.logic.to_dnf(condition)
    if isinstance(condition, sympy.Or):
        return " || ".join(sorted(_condition(part) for part in condition.args))
    if isinstance(condition, sympy.And) and not any(
        isinstance(part, sympy.Or) for part in condition.args
    ):
        return " && ".join(sorted(_condition(part) for part in condition.args))
    for mark in RELATIONS:
        if type(condition) is _CLASSES[mark]:
            left, right = (_text(side)[0] for side in condition.args)
            return f"{left} {mark} {right}"
    raise ValueError(f"no text for the condition {condition!r}")


_CLASSES = {
    "<=": sympy.core.relational.LessThan,
    ">=": sympy.core.relational.GreaterThan,
    "==": sympy.core.relational.Equality,
    "!=": sympy.core.relational.Unequality,
    "<": sympy.core.relational.StrictLessThan,
    ">": sympy.core.relational.StrictGreaterThan,
}


def _text(e: Value) -> tuple[str, int]:
    if isinstance(e, sympy.Integer):
        return str(int(e)), ATOM if e >= 0 else SUM
    if isinstance(e, sympy.Rational):
        return f"{int(e.p)}/{int(e.q)}", PRODUCT if e > 0 else SUM
    if isinstance(e, sympy.Symbol):
        plain = PLAIN.match(e.name) and e.name not in RESERVED
        return (e.name if plain else f"`{e.name}`"), ATOM
    if isinstance(e, sympy.Add):
        return _sum(e), SUM
    if isinstance(e, sympy.Mul):
        return _product(e)
    if isinstance(e, sympy.Pow) and isinstance(e.exp, sympy.Integer) and e.exp > 1:
        return f"{_held(e.base, ATOM)}**{int(e.exp)}", POWER
    if isinstance(e, sympy.Piecewise):
        arms = ", ".join(f"{_condition(arm.cond)}: {_text(arm.expr)[0]}" for arm in e.args)
        return f"cases({arms})", ATOM
    for name, function in OPEN.items():
        if type(e) is function:
            inner = [_text(argument)[0] for argument in e.args]
            return f"{name}({', '.join(sorted(inner) if name in ('min', 'max') else inner)})", ATOM
    raise ValueError(f"no text for {e!r}")


def _held(e: Value, least: int) -> str:
    text, strength = _text(e)
    return text if strength >= least else f"({text})"


def _sum(e: Value) -> str:
    text = ""
    for term in sorted(e.args, key=_rank):
        part = _text(term)[0]
        negative = part.startswith("-")
        if not text:
            text = part
        else:
            text += f" - {part[1:]}" if negative else f" + {part}"
    return text


def _rank(term: Value) -> tuple[bool, bool, bool, str]:
    """What is added before what is taken away, names before functions, numbers last."""
    number, rest = term.as_coeff_Mul()
    plain = all(part.is_Symbol for part in sympy.Mul.make_args(rest))
    return bool(number < 0), bool(term.is_Number), not plain, _text(term)[0].lstrip("-")


def _product(e: Value) -> tuple[str, int]:
    number, rest = e.as_coeff_Mul()
    sign, number = ("-", -number) if number < 0 else ("", number)
    factors = [_held(factor, POWER) for factor in sympy.Mul.make_args(rest)]
    text = "*".join(sorted(factors))
    if number.p != 1:
        text = f"{int(number.p)}*{text}"
    if number.q != 1:
        text = f"{text}/{int(number.q)}"
    return sign + text, SUM if sign else PRODUCT


# ------------------------------------------------------------------ reading


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place, text = 0, text.rstrip()
    while place < len(text):
        found = TOKEN.match(text, place)
        if found is None:
            raise LawSyntaxError(f"unexpected text at {text[place : place + 12]!r}")
        place = found.end()
        yield str(found.lastgroup), str(found[str(found.lastgroup)])


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = [*_tokens(text), ("end", "")]
        self._at = 0
        self._depth = 0

    def end(self) -> None:
        if self._tokens[self._at][0] != "end":
            raise LawSyntaxError(f"unexpected {self._tokens[self._at][1]!r}")

    def condition_or_sum(self) -> Value:
        truth = self._truth()
        if truth is not None:
            return truth
        left = self._sum()
        found = self._relation(left)
        return left if found is None else self._alternatives(found)

    def _condition(self) -> Value:
        truth = self._truth()
        return self._alternatives(self._comparison()) if truth is None else truth

    def _truth(self) -> Value | None:
        return next((truth for word, truth in TRUTHS.items() if self._takes(word, "name")), None)

    def _alternatives(self, first: Value) -> Value:
        """What follows a first comparison: `&&` binds tighter than `||`."""
        found = [self._conjunction(first)]
        while self._takes("||"):
            found.append(self._conjunction(self._comparison()))
        return found[0] if len(found) == 1 else sympy.Or(*found)

    def _conjunction(self, first: Value) -> Value:
        parts = [first]
        while self._takes("&&"):
            parts.append(self._comparison())
        return parts[0] if len(parts) == 1 else sympy.And(*parts)

    def _comparison(self) -> Value:
        found = self._relation(self._sum())
        if found is None:
            raise LawSyntaxError("a condition compares")
        return found

    def _relation(self, left: Value) -> Value | None:
        kind, text = self._tokens[self._at]
        if kind != "mark" or text not in RELATIONS:
            return None
        self._at += 1
        return RELATIONS[text](left, self._sum())

    def _sum(self) -> Value:
        self._depth += 1
        if self._depth > DEEPEST:
            raise LawSyntaxError("nested too deeply")
        terms = [-self._product() if self._takes("-") else self._product()]
        while self._tokens[self._at] in (("mark", "+"), ("mark", "-")):
            minus = self._tokens[self._at][1] == "-"
            self._at += 1
            terms.append(-self._product() if minus else self._product())
        self._depth -= 1
        return sympy.Add(*terms) if len(terms) > 1 else terms[0]

    def _product(self) -> Value:
        found = self._power()
        while True:
            if self._takes("*"):
                found = found * self._power()
            elif self._takes("/"):
                divisor = self._power()
                if divisor == 0:
                    raise LawSyntaxError("division by 0")
                found = found / divisor
            else:
                return found

    def _power(self) -> Value:
        base = self._atom()
        if not self._takes("**"):
            return base
        kind, text = self._tokens[self._at]
        if kind != "number" or int(text) > 16:
            raise LawSyntaxError("an exponent is a number up to 16")
        self._at += 1
        return base ** int(text)

    def _atom(self) -> Value:
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "number":
            return sympy.Integer(int(text))
        if kind == "quoted":
            return symbol(text)
        if kind == "name":
            return self._named(text)
        if (kind, text) == ("mark", "("):
            found = self._sum()
            self._need(")")
            return found
        raise LawSyntaxError(f"unexpected {text or 'end'!r}")

    def _named(self, name: str) -> Value:
        if not self._takes("("):
            if name in RESERVED:
                raise LawSyntaxError(f"`{name}` is a function")
            return symbol(name)
        if name == "cases":
            return self._cases()
        if name not in OPEN:
            raise LawSyntaxError(f"no function `{name}`")
        arguments = [self._sum()]
        while self._takes(","):
            arguments.append(self._sum())
        self._need(")")
        if name == "sum" and not (len(arguments) == 3 and arguments[0].is_Symbol):
            raise LawSyntaxError("`sum` takes a name, how often, and a term")
        try:
            return OPEN[name](*arguments)
        except (TypeError, ValueError) as error:  # sympy compares no division by 0
            raise LawSyntaxError(f"`{name}`: {error}") from None

    def _cases(self) -> Value:
        arms: list[tuple[Value, Value]] = []
        while not arms or self._takes(","):
            condition = self._condition()
            self._need(":")
            arms.append((self._sum(), condition))
        self._need(")")
        return sympy.Piecewise(*arms)

    def _takes(self, text: str, kind: str = "mark") -> bool:
        found = self._tokens[self._at] == (kind, text)
        self._at += found
        return found

    def _need(self, text: str) -> None:
        if not self._takes(text):
            raise LawSyntaxError(f"`{text}` is missing")
