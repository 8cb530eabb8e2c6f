"""The parser made from a grammar file: lark works out its LALR tables, a small loop here runs them
over ready terminals.

In: the name of a grammar, a builder with one method per rule or alias, the entry rules. Out: a
Grammar whose `parse` gives what the builder made. The tables are kept (`derived`), so that a warm
start does not import lark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from kernlint.base import deadline
from kernlint.base.tables import derived

PACKAGE = Path(__file__).resolve().parents[2]
PASSED_ON = frozenset(
    ("first", "name_part", "type_head", "value_head", "declared_head", "operator_name")
)  # one child, handed on as it is
END = "$END"
OFTEN = 4096  # terminals between two looks at the clock


class Classified(Protocol):
    """What the loop asks of a token."""

    type: str


class Unexpected(Exception):
    """Raised at the first terminal that no rule expects; None: the end."""

    def __init__(self, terminal: Any) -> None:
        super().__init__("unexpected terminal")
        self.terminal = terminal


def grammar_text(name: str) -> str:
    """The text of grammars/NAME: inside the installed package first, beside it in a checkout
    second."""
    inside = PACKAGE / "grammars" / name
    return (inside if inside.exists() else PACKAGE.parent / "grammars" / name).read_text(
        encoding="utf-8"
    )


class Grammar:
    """LALR(1) tables and the builder's methods to call at each reduction."""

    def __init__(self, name: str, builder: object, starts: Sequence[str]) -> None:
        text = grammar_text(name)
        tables = derived("grammar", f"{starts}\n{text}", partial(make_tables, text, list(starts)))
        self._states: list[dict[str, int]] = tables["states"]
        self._starts: dict[str, int] = tables["starts"]
        self._ends: dict[str, int] = tables["ends"]
        self._rules: list[tuple[Callable[[list[Any]], Any] | None, int, str]] = [
            (getattr(builder, method) if method else None, size, origin)
            for method, size, origin in tables["rules"]
        ]

    def parse(self, terminals: Sequence[Classified], start: str) -> Any:
        """What the builder makes of the terminals; raises Unexpected."""
        stack = [self._starts[start]]
        values: list[Any] = []
        for begin in range(0, len(terminals), OFTEN):  # an initialiser may have 300,000 numbers
            deadline.look()
            self._read(terminals[begin : begin + OFTEN], stack, values)
        return self._finish(stack, values, self._ends[start])

    def _read(self, terminals: Sequence[Classified], stack: list[int], values: list[Any]) -> None:
        states, rules = self._states, self._rules
        for terminal in terminals:
            kind = terminal.type
            while True:
                action = states[stack[-1]].get(kind)
                if action is None:
                    raise Unexpected(terminal)
                if action >= 0:
                    break
                method, size, origin = rules[~action]
                if method is None:
                    stack[-1] = states[stack[-2]][origin]
                    continue
                if size:
                    children = values[-size:]
                    del values[-size:]
                    del stack[-size:]
                else:
                    children = []
                values.append(method(children))
                stack.append(states[stack[-1]][origin])
            stack.append(action)
            values.append(terminal)

    def _finish(self, stack: list[int], values: list[Any], end: int) -> Any:
        while stack[-1] != end:
            action = self._states[stack[-1]].get(END)
            if action is None or action >= 0:
                raise Unexpected(None)
            method, size, origin = self._rules[~action]
            if method is None:
                stack[-1] = self._states[stack[-2]][origin]
                continue
            _reduce(stack, values, method, size)
            stack.append(self._states[stack[-1]][origin])
        return values[-1]


def _reduce(
    stack: list[int], values: list[Any], method: Callable[[list[Any]], Any], size: int
) -> None:
    if size:
        children = values[-size:]
        del values[-size:]
        del stack[-size:]
    else:
        children = []
    values.append(method(children))


def make_tables(text: str, starts: list[str]) -> dict[str, Any]:
    """Lark's LALR tables as plain data: actions and gotos per state (shift: the state; reduce:
    ~rule), rules as (method, size, origin)."""
    import lark

    made = lark.Lark(
        text,
        parser="lalr",
        lexer="basic",
        start=starts,
        keep_all_tokens=True,
        maybe_placeholders=False,
    )
    table = made.parser.parser._parse_table
    rules: dict[Any, int] = {}
    states: list[dict[str, int]] = [{} for _ in table.states]
    for state, actions in table.states.items():
        for symbol, (action, argument) in actions.items():
            states[state][symbol] = (
                ~rules.setdefault(argument, len(rules)) if action.name == "Reduce" else argument
            )
    return {
        "states": states,
        "rules": [_rule(rule) for rule in rules],
        "starts": table.start_states,
        "ends": table.end_states,
    }


def _rule(rule: Any) -> tuple[str, int, str]:
    """(builder's method, number of children, origin); no method where the one child is handed
    on."""
    method, size = rule.alias or rule.origin.name, len(rule.expansion)
    is_passed_on = size == 1 and (method in PASSED_ON or (rule.options.expand1 and not rule.alias))
    return "" if is_passed_on else method, size, rule.origin.name
