"""Schema and documentation of the report follow the declarations of facts; a field that is declared
needs nothing else to be reported, kept, sent to workers and moved."""

from __future__ import annotations

import ast
from dataclasses import fields, is_dataclass, replace
from typing import Any

import jsonschema
import pytest

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Span
from kernlint.memo import json_codec
from kernlint.model import facts
from kernlint.model.declaration import KEYS, fact, key, keys, keys_of
from kernlint.render import report_json
from kernlint.server.relocate import moved
from tests.docs import report_docs

FIRST = Span("k.cu", 7, 3, 7, 9)
TYPES = {"span": "Span", "charged_line": "int", "found": "tuple[Case, ...]"} | {
    "first_fault": "Span | None",
    "faults": "Number",
    "kind": "str",
}


@dataclass(frozen=True, slots=True)
class Faulty:
    """A record as one would declare it."""

    span: Span = field(metadata=keys(key("of the access", "line", "span.line")))
    charged_line: int = field(metadata=fact("the line of the table", line=True))
    kind: str = field(metadata=fact("which fault", schema={"enum": ["bounds", "alignment"]}))
    first_fault: Span | None = field(
        default=None, metadata=fact("the first access out of bounds", sparse=True)
    )
    faults: facts.Number = field(default=0, metadata=fact("how many", "seen.total"))
    found: tuple[facts.Case, ...] = field(default=(), metadata=fact("outcomes", "seen.cases"))
    charged_path: str = ""
    seen_at: tuple[Span | None, ...] = ()
    by_name: dict[str, Span] = field(default_factory=dict)


FAULTY = Faulty(
    FIRST,
    5,
    "bounds",
    FIRST,
    3,
    (facts.Case("n % 2 == 0", 2.0, None),),
    seen_at=(None, FIRST),
    by_name={"a": FIRST},
)


def test_schema_and_tables_are_those_of_the_declarations() -> None:
    assert report_docs.SCHEMA.read_text(encoding="utf-8") == report_docs.schema(), (
        "run `python -m tests.docs.report_docs`"
    )
    assert report_docs.PAGE.read_text(encoding="utf-8") == report_docs.page(), (
        "run `python -m tests.docs.report_docs`"
    )


def test_every_class_that_declares_keys_is_in_schema_and_page() -> None:
    declaring = {
        one
        for one in vars(facts).values()
        if isinstance(one, type)
        and is_dataclass(one)
        and any(KEYS in member.metadata for member in fields(one))
    }
    assert declaring == set(report_docs.REPORTED)
    page = report_docs.PAGE.read_text(encoding="utf-8")
    for kind in declaring - {facts.PointerArgument}:  # told with `launch.arguments`
        assert all(f"{one.name}`" in page and one.meaning in page for one in keys_of(kind)), kind


def test_a_declared_field_is_written() -> None:
    assert report_json.written(FAULTY, "k.cu") == {
        "line": 7,
        "charged_line": 5,
        "kind": "bounds",
        "seen": {
            "total": 3,
            "cases": [{"condition": "n % 2 == 0", "wavefronts": 2.0, "sectors": None}],
        },
        "first_fault": {"path": "k.cu", "line": 7, "column": 3},
    }
    nothing = report_json.written(replace(FAULTY, first_fault=None, faults=0, found=()), "k.cu")
    assert "first_fault" not in nothing and nothing["seen"] == {"total": 0, "cases": []}


@pytest.mark.slow
def test_a_declared_field_is_in_schema_and_table(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = {name: ast.parse(text, mode="eval").body for name, text in TYPES.items()}
    own = report_docs.annotations
    monkeypatch.setattr(
        report_docs, "annotations", lambda kind: parsed if kind is Faulty else own(kind)
    )
    made = report_docs.definitions(Faulty, *report_docs.REPORTED)
    schema = {"$defs": made, "$ref": "#/$defs/Faulty"}
    entry = report_json.written(FAULTY, "k.cu")
    jsonschema.validate(entry, schema)
    assert made["Faulty"]["required"] == ["line", "charged_line", "kind", "seen"]
    wrong: list[dict[str, Any]] = [
        {"first_fault": 7},
        {"kind": "race"},
        {"seen": {"total": None, "cases": []}},
        {"seen": {"total": 1, "cases": [{}]}},
        {"more": 1},
    ]
    for change in wrong:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(entry | change, schema)
    rows = report_docs.table(("", facts.Case), ("faulty.", Faulty))
    assert "| `faulty.first_fault` | the first access out of bounds |\n" in rows
    assert "| `wavefronts`, `sectors` | per request, if the condition holds |\n" in rows


def test_a_type_without_a_schema_is_refused() -> None:
    with pytest.raises(TypeError, match="first: no schema for frozenset"):
        report_docs.of_type(ast.parse("frozenset[int]", mode="eval").body, key("", "first"))


def test_a_declared_field_moves_with_its_lines() -> None:
    there = replace(FIRST, line=17, end_line=17)
    found = moved(FAULTY, [5, 7], [15, 17], "k.cu", True)
    assert found is not None
    assert found == replace(
        FAULTY,
        span=there,
        charged_line=15,
        first_fault=there,
        seen_at=(None, there),
        by_name={"a": there},
    )
    found = moved(replace(FAULTY, charged_path="h.cuh"), [5, 7], [15, 17], "k.cu", True)
    assert found is not None and (found.charged_line, found.span) == (5, there)
    assert moved(FAULTY, [7], [17], "k.cu", True) is None


def test_a_declared_field_is_kept_and_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    known = json_codec._classes() | {"Faulty": Faulty}
    monkeypatch.setattr(json_codec, "_classes", lambda: known)
    assert json_codec.decode(json_codec.encode(FAULTY)) == FAULTY


def test_what_declares_nothing_is_not_reported() -> None:
    with pytest.raises(TypeError, match="declares no key"):
        report_json.written(facts.Example((0, 0, 0), 0, (), 1), "k.cu")
