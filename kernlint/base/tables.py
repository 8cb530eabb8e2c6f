"""What is worked out from kernlint's own data files (LALR tables, parsed TOML), kept as JSON in the
user's private cache.

Goes in: the text it is worked out from, and how. Comes out: the same plain data as working it out
gives. A cache that is absent, damaged or cannot be written only costs time. Never pickles.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

FORMAT = 2


def derived(name: str, text: str, make: Callable[[], Any]) -> Any:
    """`make()`, or what it gave for the same text before. `name` tells apart what different makers
    make of one text."""
    import platformdirs

    key = hashlib.sha256(f"{FORMAT}\n{name}\n{text}".encode()).hexdigest()[:24]
    path = os.path.join(
        platformdirs.user_cache_dir("kernlint", appauthor=False), f"{name}-{key}.json"
    )
    try:
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        if kept["key"] == key:
            return kept["data"]
    except (OSError, ValueError, TypeError, KeyError):
        kept = None  # absent or damaged: worked out afresh below
    data = make()
    with contextlib.suppress(OSError):
        _write(path, json.dumps({"key": key, "data": data}, separators=(",", ":")))
    return data


def parsed(name: str, texts: Sequence[str]) -> list[dict[str, Any]]:
    """Each text's TOML table."""

    def make() -> list[dict[str, Any]]:
        import tomllib

        return [tomllib.loads(text) for text in texts]

    tables: list[dict[str, Any]] = derived(name, "\0".join(texts), make)
    return tables


def _write(path: str, text: str) -> None:
    """Writes so that another process sees the whole file or none."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(temporary, path)
