"""The quick `dataclass` against the standard library's: signature, defaults, errors."""

import dataclasses
import inspect
from typing import Any

import pytest

from kernlint.base.dataclass import dataclass, field, replace

SHAPES = {
    "frozen, slots": {"frozen": True, "slots": True},
    "frozen": {"frozen": True},
    "slots": {"slots": True},
    "open": {},
}


def pair(words: dict[str, bool], body: dict[str, Any]) -> tuple[Any, Any]:
    """One class made by each decorator."""
    own = type("Place", (), {"__module__": __name__, **body})
    standard = type("Place", (), {"__module__": __name__, **body})
    make: Any = dataclass
    return make(**words)(own), dataclasses.dataclass(**words)(standard)  # type: ignore[call-overload]


def place(words: dict[str, bool]) -> tuple[Any, Any]:
    types = {"name": str, "value_0": int, "parts": list, "make_2": int}
    return pair(
        words,
        {"__annotations__": types, "parts": field(default_factory=list), "make_2": 7},
    )


@pytest.mark.parametrize("words", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize(
    ("values", "named"),
    [
        (("a", 1), {}),
        (("a",), {"value_0": 2}),
        ((), {"make_2": 3, "value_0": 2, "name": "b"}),
        (("a", 1, [4], 5), {}),
    ],
)
def test_the_fields_are_set_as_the_standard_ones_are(
    words: dict[str, bool], values: tuple[Any, ...], named: dict[str, Any]
) -> None:
    own, standard = place(words)
    for _ in range(2):  # the first instance writes the method, the second uses it
        assert dataclasses.asdict(own(*values, **named)) == dataclasses.asdict(
            standard(*values, **named)
        )


@pytest.mark.parametrize("words", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize(
    ("values", "named"), [((), {}), (("a", 1, [], 2, 3), {}), (("a", 1), {"other": 2})]
)
def test_wrong_arguments_are_refused_under_the_class_name(
    words: dict[str, bool], values: tuple[Any, ...], named: dict[str, Any]
) -> None:
    messages = []
    for made in place(words):
        with pytest.raises(TypeError) as caught:
            made(*values, **named)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("words", SHAPES.values(), ids=SHAPES)
def test_each_instance_has_a_default_of_its_own(words: dict[str, bool]) -> None:
    own, _ = place(words)
    first, second = own("a", 1), own("b", 2)
    assert first.parts == second.parts == []
    assert first.parts is not second.parts


def test_the_signature_of_a_used_class_names_its_fields() -> None:
    own, _ = place({"frozen": True, "slots": True})
    own("a", 1)
    assert list(inspect.signature(own).parameters) == ["name", "value_0", "parts", "make_2"]


def test_classes_of_one_shape_keep_their_names_and_values_apart() -> None:
    words = {"frozen": True, "slots": True}
    first, _ = pair(words, {"__annotations__": {"x": int, "y": int}, "y": 1})
    second, _ = pair(words, {"__annotations__": {"u": int, "v": int}, "v": 2})
    assert (first(5).x, first(5).y) == (5, 1)
    assert (second(6).u, second(6).v) == (6, 2)
    with pytest.raises(TypeError, match="'x'"):
        second(x=3)


@pytest.mark.parametrize("words", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("changes", [{}, {"make_2": 5}, {"name": "b", "parts": [1]}])
def test_replace_gives_what_the_standard_one_gives(
    words: dict[str, bool], changes: dict[str, Any]
) -> None:
    for made in place(words):
        record = made("a", 1)
        assert dataclasses.asdict(replace(record, **changes)) == dataclasses.asdict(
            dataclasses.replace(record, **changes)
        )


def test_replace_of_a_class_with_one_field_and_of_a_name_that_is_none() -> None:
    own, _ = pair({"frozen": True}, {"__annotations__": {"name": tuple}})
    assert replace(own((1, 2))).name == (1, 2)
    with pytest.raises(KeyError, match="other"):
        replace(own(()), other=1)
