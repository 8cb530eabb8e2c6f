"""What pointers of host code may point to, and where its variables are met: held against the
definitions, on bodies that are long."""

from __future__ import annotations

from itertools import pairwise

from kernlint.execution.host.constants import definitions
from kernlint.execution.host.pointers import pointers
from kernlint.ir import nodes as ir
from kernlint.ir.types import Integer, Pointer

INT = Integer(32, True, "int")
POINTER = Pointer(INT)
LONG = 20_000  # variables: what is quadratic in them takes minutes


def variable(name: str) -> ir.Variable:
    return ir.Variable(name, POINTER)


def copied(target: ir.Variable, source: ir.Variable) -> ir.Assign:
    return ir.Assign(target, ir.Read(source.type, source))


def unknown(target: ir.Variable) -> ir.Assign:
    return ir.Assign(target, ir.Unknown(POINTER, "unsupported"))


def test_what_may_point_anywhere_names_nothing_else() -> None:
    first, second, both = map(variable, ("first", "second", "both"))
    made = ir.Allocate(first, ir.Span("k.cu", 1, 1, 1, 1))
    body = (made, unknown(second), copied(both, first), copied(both, second))
    for order in (body, body[::-1]):
        found = pointers(order).targets
        assert (found[first], found[second], found[both]) == ({made}, {None}, {None})


def test_a_pointer_that_nothing_assigns_may_point_anywhere() -> None:
    given, number = variable("given"), ir.Variable("n", INT)
    users = variable("p"), ir.Variable("m", INT)
    found = pointers((copied(users[0], given), copied(users[1], number))).targets
    assert [found[v] for v in (given, number, *users)] == [{None}, set(), {None}, set()]


def test_a_long_chain_of_copies_is_followed() -> None:
    chain = [variable(f"p{i}") for i in range(LONG)]
    body = tuple(copied(target, source) for source, target in pairwise(chain))
    assert pointers(body).targets[chain[-1]] == {None}


def test_statements_that_meet_a_variable_are_known_in_their_order() -> None:
    a, b, c = map(variable, "abc")
    known = definitions((unknown(a), copied(b, a), unknown(c), copied(a, b)))
    assert {v.name: list(met) for v, met in known.met.items()} == {
        "a": [0, 1, 3],
        "b": [1, 3],
        "c": [2],
    }
