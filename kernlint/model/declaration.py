"""How a reported field of a fact is declared: once, with the field.

A field of `facts.py` that the report shows carries its `Key`s as metadata. From them follow the
JSON report (`render/report_json.py`), its schema and the tables of docs/report.md (made by
`python -m tests.docs.report_docs`), and which numbers move with the lines of a text
(`server/relocate.py`). Goes in: a class of facts. Comes out: its keys. Knows no single fact.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any

from kernlint.base.dataclass import dataclass

KEYS, LINE = "keys", "line"  # what a field's metadata holds
Form = Callable[[Any, Any], Any]  # of a value as JSON and its record: what stands in its place
Condition = Callable[[Any, str], bool]  # of a record and the path of the file that is reported
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a record in the JSON report.

    `meaning`: one line of docs/report.md. `name`: "resources.static_shared_bytes" stands in the
    object `resources`. `source`: the attribute that holds the value, "span.line" too. `only`: the
    key stands only where this holds. `sparse`: it stands only where it says something (not null,
    false or empty), and behind all others. `form`: makes the value where its type alone does not.
    `schema`: what the JSON schema says beyond the type, or in its place.
    """

    meaning: str
    name: str
    source: str
    only: Condition | None
    sparse: bool
    form: Form | None
    schema: Schema


def key(
    meaning: str,
    name: str = "",
    source: str = "",
    *,
    only: Condition | None = None,
    sparse: bool = False,
    form: Form | None = None,
    schema: Schema | None = None,
) -> Key:
    """A key; named and read as the field is where nothing else is said."""
    return Key(meaning, name, source, only, sparse, form, schema or {})


def keys(*declared: Key, line: bool = False) -> dict[str, Any]:
    """The metadata of a field. `line`: its number is a line of the file that the record's
    `charged_path`, its span or the record around it names."""
    return {KEYS: declared, LINE: line}


def fact(meaning: str, name: str = "", *, line: bool = False, **more: Any) -> dict[str, Any]:
    """The metadata of a field with one key; `more` as of `key`."""
    return keys(key(meaning, name, **more), line=line)


@cache
def keys_of(kind: Hashable) -> tuple[Key, ...]:
    """The keys of a class's records in the order of the report: that of its fields, sparse ones
    last. TypeError for a class that declares none."""
    found = [
        replace(one, name=one.name or field.name, source=one.source or field.name)
        for field in fields(kind)  # type: ignore[arg-type]
        for one in field.metadata.get(KEYS, ())
    ]
    if not found:
        raise TypeError(f"{kind!r} declares no key")
    return tuple(sorted(found, key=lambda one: one.sparse))


@cache
def lines_of(kind: Hashable) -> tuple[str, ...]:
    """The fields that hold the number of a line."""
    return tuple(
        field.name
        for field in fields(kind)  # type: ignore[arg-type]
        if field.metadata.get(LINE)
    )
