"""The facts as JSON. Other programs read this: docs/report.md says what each key means; names and
meanings are stable.

Goes in: `facts.Report`. Comes out: plain dictionaries. Never computes a number. Which keys a record
has is declared with its fields in `model/facts.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cache
from operator import attrgetter
from typing import Any

from kernlint import __version__
from kernlint.base.span import Problem, Span
from kernlint.checks import words
from kernlint.hardware import resolve
from kernlint.model import facts
from kernlint.model.declaration import Key, keys_of

SCHEMA = 1


def to_json(report: facts.Report) -> dict[str, Any]:
    model = words.model(resolve(report.device))
    files = [_file(file, report.device_of(file)) for file in report.files]
    return {
        "schema": SCHEMA,
        "version": __version__,
        "device": report.device,
        "cycles_model": model,
        "files": files,
    }


def _file(file: facts.File, device: str) -> dict[str, Any]:
    return {
        "path": file.path,
        "language": file.language,
        "device": device,
        "cycles_model": words.model(resolve(device)),
        "problems": [_problem(problem, file.path) for problem in file.problems],
        "kernels": written(file.kernels, file.path),
    }


def _problem(problem: Problem, path: str) -> dict[str, Any]:
    kernel = {"kernel": problem.kernel} if problem.kernel else {}
    kernel |= {"reason": problem.reason} if problem.reason else {}
    place = {"line": problem.span.line, "column": problem.span.column}
    return {
        **_path(problem.span, path),
        **place,
        "code": problem.code,
        "message": problem.message,
        **kernel,
    }


def _path(span: Span, path: str) -> dict[str, str]:
    return {"path": span.path} if span.path != path else {}


def written(value: Any, path: str) -> Any:
    """A value of facts as JSON, in the file at `path`. A place in another record's source is its
    path, line and column; TypeError for what declares no key."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple | list):
        return [written(item, path) for item in value]
    if isinstance(value, Span):
        return {"path": value.path, "line": value.line, "column": value.column}
    if isinstance(value, Mapping):
        return {name: written(item, path) for name, item in value.items()}
    return _record(value, path)


def _record(record: Any, path: str) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    for key, read, (*objects, name) in _plan(record.__class__):
        if key.only is not None and not key.only(record, path):
            continue
        value = written(read(record), path)
        if key.form is not None:
            value = key.form(value, record)
        if not (key.sparse and _is_empty(value)):
            holder = entry
            for one in objects:
                holder = holder.setdefault(one, {})
            holder[name] = value
    return entry


@cache
def _plan(kind: Hashable) -> tuple[tuple[Key, Callable[[Any], Any], list[str]], ...]:
    """The keys of a class with what reads their values and the names of the objects around."""
    return tuple((key, attrgetter(key.source), key.name.split(".")) for key in keys_of(kind))


def _is_empty(value: Any) -> bool:
    """Null, false, an empty text or collection; zero is a number."""
    return value is None or value is False or (not value and not isinstance(value, int | float))
