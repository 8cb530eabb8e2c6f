"""Results of earlier runs, by content: a file is analysed again only if it, a header, a setting or
kernlint itself has changed.

Entries are JSON in `.kernlint_cache/`, safe to share and to delete; whatever is wrong with one
makes it no entry. An entry holds every place where a header was looked for and a hash of those
found, and counts only while all are as they were. A result that the clock stopped counts on the
machine that made it, for the same limit.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from functools import cache
from typing import Any

from kernlint import __version__
from kernlint.base.data_folders import data_folder
from kernlint.base.dataclass import dataclass

FOLDER = ".kernlint_cache"
FORMAT = 1
Sought = Iterable[tuple[str, bool]]


@dataclass(frozen=True, slots=True)
class Cache:
    """One cache folder; made when the first entry is written."""

    folder: str

    def get(self, key: str) -> str | None:
        """The result stored under a key, None when there is none that still holds."""
        try:
            with open(self._path(key), encoding="utf-8") as file:
                head, _, body = file.read().partition("\n")
            entry = json.loads(head)
            if entry["format"] != FORMAT or entry["size"] != len(body):
                return None
            return body if all(stamp(path) == before for path, before in entry["sought"]) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, body: str, sought: Sought) -> None:
        """Store a result. A cache that cannot be written is no reason to fail: the next run works
        again from scratch."""
        head = json.dumps(
            {
                "format": FORMAT,
                "size": len(body),
                "sought": [[path, stamp(path)] for path, _ in sought],
            }
        )
        try:
            path = self._path(key)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            self._mark()
            handle, name = tempfile.mkstemp(dir=os.path.dirname(path), suffix=".tmp")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(f"{head}\n{body}")
            os.replace(name, path)
        except OSError:
            return

    def _path(self, key: str) -> str:
        return os.path.join(self.folder, __version__, key[:2], f"{key[2:]}.json")

    def _mark(self) -> None:
        """Keep the folder out of version control and of backups."""
        for name, text in (
            (".gitignore", "*\n"),
            ("CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n"),
        ):
            path = os.path.join(self.folder, name)
            if not os.path.exists(path):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)


def key(*parts: Any) -> str:
    """A hash of everything that a result depends on, kernlint's own files included; `parts` are
    anything that prints its value."""
    text = "\0".join([_own(), *(part if isinstance(part, str) else repr(part) for part in parts)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def here(key: str) -> str:
    """The key of a result that the clock stopped: how far it came depends on the machine, too."""
    import platform

    machine = "\0".join((key, platform.node(), platform.machine(), str(os.cpu_count())))
    return hashlib.sha256(machine.encode("utf-8", "surrogatepass")).hexdigest()


def stamp(path: str) -> str:
    """A hash of the file's bytes; "" where there is no ordinary file (a device or a pipe may never
    end)."""
    if not os.path.isfile(path):
        return ""
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""


@cache
def _own() -> str:
    """What the installed kernlint is: its version, and size and time of each of its files, for
    those who change it."""
    found = [__version__]
    for top in (
        os.path.dirname(os.path.dirname(__file__)),
        data_folder("rules"),
        data_folder("grammars"),
    ):
        for place, folders, names in os.walk(top):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            for name in sorted(names):
                status = os.stat(os.path.join(place, name))
                found.append(f"{name}:{status.st_size}:{status.st_mtime_ns}")
    return hashlib.sha256("\n".join(found).encode()).hexdigest()
