"""Mistakes in a configuration, all of them at once: what is wrong with which key, and on which line
of the file that stands.

Goes in: values and what reads them, the text of a file. Comes out: what was read, or `Mistakes`
with every one; texts with their lines.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from kernlint.base.dataclass import dataclass
from kernlint.base.usage import UsageError

Key = str | int  # a key of a table, or a number in a list
Place = tuple[Key, ...]
T = TypeVar("T")
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]#]+?)\s*\]\]?\s*(#.*)?\Z")
_ENTRY = re.compile(
    r"""\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*="""
)


class UnknownKey(ValueError):
    """A key that is not known where it stands; its text names it."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """`place`: the keys that lead to it; `text`: what is wrong, which names the last of them itself
    where that is `unknown`."""

    place: Place
    text: str
    unknown: bool = False

    def __str__(self) -> str:
        name = ".".join(
            key for key in (self.place[:-1] if self.unknown else self.place) if isinstance(key, str)
        )
        return f"{name}: {self.text}" if name else self.text


class Mistakes(ValueError):
    """Everything that is wrong with a value."""

    def __init__(self, found: Iterable[Mistake]) -> None:
        self.found = tuple(found)
        super().__init__("; ".join(map(str, self.found)))


def each(items: Iterable[tuple[Key, Any]], read: Callable[[Any, Any], T]) -> dict[Any, T]:
    """What `read` makes of each key and its value; raises the `Mistakes` of all of them."""
    found: dict[Any, T] = {}
    wrong: list[Mistake] = []
    for key, item in items:
        try:
            found[key] = read(key, item)
        except Mistakes as error:
            wrong += [replace(one, place=(key, *one.place)) for one in error.found]
        except (ValueError, UsageError) as error:
            wrong.append(Mistake((key,), str(error), isinstance(error, UnknownKey)))
    if wrong:
        raise Mistakes(wrong)
    return found


def worded(error: Mistakes, path: str, text: str, within: Place = ()) -> str:
    """A line of text for each, in the order of the file. `within`: the table that the keys are
    below."""
    known = places(text)
    lines = sorted(
        ((_line(known, (*within, *one.place)), str(one)) for one in error.found),
        key=lambda pair: pair[0],
    )
    read_on = (
        "\n(`kernlint config` lists the keys)" if any(one.unknown for one in error.found) else ""
    )
    return "\nkernlint: ".join(f"{path}:{line}: {what}" for line, what in lines) + read_on


def _line(known: Mapping[Place, int], place: Place) -> int:
    """The line of the key, or of the nearest one around it that has a line of its own."""
    return next((known[place[:end]] for end in range(len(place), 0, -1) if place[:end] in known), 1)


def places(text: str) -> dict[Place, int]:
    """The line of every table and every key of a TOML text, by the keys that lead to it; tables of
    a list by their number."""
    found: dict[Place, int] = {}
    counts: dict[Place, int] = {}
    table: Place = ()
    for number, line in _statements(text):
        header = _HEADER.match(line)
        if header is not None:
            table = ()
            *parents, last = _parts(header[2])
            for part in parents:
                table = _into((*table, part), counts)
            table = (*table, last)
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                found.setdefault(table, number)
                table = (*table, counts[table])
            found.setdefault(table, number)
        elif entry := _ENTRY.match(line):
            parts = _parts(entry[1])
            for end in range(1, len(parts) + 1):
                found.setdefault((*table, *parts[:end]), number)
    return found


def _into(place: Place, counts: Mapping[Place, int]) -> Place:
    """A table's place; of a list of tables that of the last one."""
    return (*place, counts[place]) if place in counts else place


def _parts(dotted: str) -> list[str]:
    """a."b.c" → a, b.c"""
    table: Any = tomllib.loads(f"{dotted} = 0")
    parts = []
    while isinstance(table, dict):
        ((key, table),) = table.items()
        parts.append(key)
    return parts


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """The first line of each header and each entry with its number: what a value spans over further
    lines is passed over."""
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        yield number + 1, lines[number]
        end = number + 1
        if _ENTRY.match(lines[number]):
            while end < len(lines) and not _is_whole("\n".join(lines[number:end])):
                end += 1
        number = end


def _is_whole(entry: str) -> bool:
    try:
        tomllib.loads(entry)
    except tomllib.TOMLDecodeError:
        return False
    return True
