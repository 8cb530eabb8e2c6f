"""The JSON schema of the report and the tables of docs/report.md, made from the declarations in
kernlint/model/facts.py: `python -m tests.docs.report_docs` writes them anew, tests/docs/test_report_docs.py
compares.

The types are read from the module's text: a compiled class does not keep them. In the schema the
definitions of facts are made, the rest stands as it is; in the page the tables between
`<!-- keys: Class prefix.Class -->` and `<!-- end of keys -->`.
"""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from itertools import groupby
from typing import Any

from kernlint.model import facts
from kernlint.model.declaration import Key, keys_of
from tests.places import DOCS, ROOT, SCHEMAS

SCHEMA = SCHEMAS / "report.schema.json"
PAGE = DOCS / "report.md"
REPORTED = (
    facts.Counts,
    facts.Case,
    facts.Compiled,
    facts.Reload,
    facts.Law,
    facts.BranchLaw,
    facts.LineLaw,
    facts.KernelLaw,
    facts.Access,
    facts.Turns,
    facts.Evaluated,
    facts.LanePattern,
    facts.Branch,
    facts.Barrier,
    facts.Fault,
    facts.Race,
    facts.PointerArgument,
    facts.Launch,
    facts.Saving,
    facts.Estimate,
    facts.InstructionMix,
    facts.MachineCode,
    facts.Kernel,
)
PLAIN = {"int": "integer", "float": "number", "Number": "number", "str": "string"}
PLACE = {
    "path": {"type": "string"},
    "line": {"type": "integer", "minimum": 1},
    "column": {"type": "integer", "minimum": 1},
}
NULL = {"type": "null"}
TABLE = re.compile(r"(<!-- keys: ([\w. ]+) -->\n).*?(<!-- end of keys -->\n)", re.S)


# ------------------------------------------------------------------ schema


def definitions(*kinds: type) -> dict[str, Any]:
    return {kind.__name__: _definition(kind) for kind in kinds}


def _definition(kind: type) -> dict[str, Any]:
    """Keys with their types; a dotted key stands in an object of its own."""
    top = _object()
    for key in keys_of(kind):
        *objects, name = key.name.split(".")
        holder = top
        for one in objects:
            if one not in holder["properties"]:
                _add(holder, one, _object(), True)
            holder = holder["properties"][one]
        _add(holder, name, _of_key(kind, key), not key.sparse and key.only is None)
    return top


def _object() -> dict[str, Any]:
    return {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def _add(holder: dict[str, Any], name: str, schema: dict[str, Any], always: bool) -> None:
    holder["properties"][name] = schema
    holder["required"] += [name] if always else []


def _of_key(kind: type, key: Key) -> dict[str, Any]:
    said = {"description": key.meaning}
    if {"type", "enum", "const", "oneOf", "$ref"} & set(key.schema):
        return dict(key.schema) | said
    return of_type(annotations(kind)[key.source.split(".")[0]], key) | dict(key.schema) | said


def of_type(annotation: ast.expr, key: Key) -> dict[str, Any]:
    """The schema of an annotation; what a sparse key cannot hold is no part of it."""
    parts = [part for part in _alternatives(annotation) if not (key.sparse and _is_null(part))]
    found = [_of_part(part, key) for part in parts]
    if len(found) == 1:
        return found[0]
    if all(set(one) == {"type"} for one in found):
        return {"type": [one["type"] for one in found]}
    return {"oneOf": found}


def _of_part(part: ast.expr, key: Key) -> dict[str, Any]:
    if _is_null(part):
        return dict(NULL)
    if isinstance(part, ast.Subscript):
        return _of_items(part, key)
    name = ast.unparse(part)
    if name in PLAIN:
        return {"type": PLAIN[name]}
    if name == "bool":
        return {"const": True} if key.sparse else {"type": "boolean"}
    if name == "Span":
        return _of_span(key)
    if not any(kind.__name__ == name for kind in REPORTED):
        raise TypeError(f"{key.name}: no schema for {name}; `schema=…` says it")
    return {"$ref": f"#/$defs/{name}"}


def _of_items(part: ast.Subscript, key: Key) -> dict[str, Any]:
    items = part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]
    if ast.unparse(part.value) == "dict":
        return {"type": "object", "additionalProperties": of_type(items[1], key)}
    if ast.unparse(part.value) != "tuple" or ast.unparse(items[-1]) != "...":
        raise TypeError(f"{key.name}: no schema for {ast.unparse(part)}; `schema=…` says it")
    return {"type": "array", "items": of_type(items[0], key)}


def _of_span(key: Key) -> dict[str, Any]:
    """A place, or what the key takes of it."""
    _, _, member = key.source.partition(".")
    if member:
        return {"type": "string" if member in ("path", "macro") else "integer"}
    return _object() | {"properties": PLACE, "required": list(PLACE)}


def _alternatives(annotation: ast.expr) -> list[ast.expr]:
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return [*_alternatives(annotation.left), *_alternatives(annotation.right)]
    return [annotation]


def _is_null(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and part.value is None


def annotations(kind: type) -> dict[str, ast.expr]:
    """Of the fields of a class, and `span` for keys that are read from it elsewhere."""
    return _annotations()[kind.__name__]


@cache
def _annotations() -> dict[str, dict[str, ast.expr]]:
    path = ROOT / "kernlint" / "model" / "facts.py"
    module = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.name: {
            one.target.id: one.annotation
            for one in node.body
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        }
        for node in module.body
        if isinstance(node, ast.ClassDef)
    }


def schema() -> str:
    """The text of the schema with the definitions of facts made anew."""
    told = json.loads(SCHEMA.read_text(encoding="utf-8"))
    told["$defs"] = {"side": told["$defs"]["side"]} | definitions(*REPORTED)
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


# ------------------------------------------------------------------ page


def table(*kinds: tuple[str, type]) -> str:
    """A row per key, or per neighbours of one meaning; each class with what stands before its
    keys."""
    rows = [
        f"| {', '.join(f'`{prefix}{key.name}`' for key in alike)} | {meaning} |\n"
        for prefix, kind in kinds
        for meaning, alike in groupby(_together(kind), key=lambda key: key.meaning)
    ]
    return "".join(["| key | meaning |\n|---|---|\n", *rows])


def _together(kind: type) -> list[Key]:
    """The keys of a class, those of one object side by side."""
    tops = [key.name.split(".")[0] for key in keys_of(kind)]
    return sorted(keys_of(kind), key=lambda key: tops.index(key.name.split(".")[0]))


def page() -> str:
    """The text of docs/report.md with its tables made anew."""

    def renewed(found: re.Match[str]) -> str:
        pairs = [one.rpartition(".")[::2] for one in found[2].split()]
        kinds = [(f"{before}." if before else "", getattr(facts, name)) for before, name in pairs]
        return f"{found[1]}{table(*kinds)}{found[3]}"

    return TABLE.sub(renewed, PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    schemas, pages = schema(), page()
    SCHEMA.write_text(schemas, encoding="utf-8")
    PAGE.write_text(pages, encoding="utf-8")
