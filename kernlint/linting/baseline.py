"""The baseline: findings that are known and accepted for now, so that only new ones are shown.

A JSON file with one entry per path, code, kernel and text of the line (without spaces), and how
many such findings there are: it survives edits elsewhere in the file. A finding about several lines has
an entry for each of them. Goes in: findings, sources, the file. Comes out: new findings and stale
entries. Raises `UsageError` for a file that is no baseline.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from kernlint import __version__
from kernlint.base.dataclass import dataclass, field
from kernlint.base.usage import UsageError
from kernlint.checks import rules
from kernlint.linting.fingerprints import key
from kernlint.linting.parts import only, parts_of
from kernlint.model.finding import Finding
from kernlint.source.sources import Sources

FORMAT = 1
DEFAULT = ".kernlint-baseline.json"
# path below the baseline's folder, code, kernel, line without spaces
Entry = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class BaselineScope:
    """What a run could find in a file: of which rules, in which kernels. `partial`: there are other
    kernels, which it did not analyse."""

    path: str
    ran: AbstractSet[str]
    kernels: frozenset[str]
    partial: bool = False

    def covers(self, code: str, kernel: str) -> bool:
        ran = code in self.ran or code not in rules.rules()  # a rule that is no more is gone
        return ran and (not self.partial or kernel in self.kernels)


@dataclass(frozen=True, slots=True)
class Compared:
    """`fresh`: findings beyond the baseline; `stale`: entries with how many of their findings are
    gone, of the files analysed; `unjudged`: the same with those that the run could not have
    found."""

    fresh: tuple[Finding, ...]
    stale: Mapping[Entry, int] = field(default_factory=dict)
    unjudged: Mapping[Entry, int] = field(default_factory=dict)


def compare(
    findings: Iterable[Finding],
    entries: Mapping[Entry, int],
    sources: Sources,
    path: str,
    scopes: Iterable[BaselineScope],
    hidden: Iterable[Finding] = (),
) -> Compared:
    """Findings against the entries of the baseline at `path`. `hidden`: those that are not to be
    shown, but are not gone either."""
    left = Counter(dict(entries))
    fresh = [new for some in findings if (new := _new(some, left, sources, path)) is not None]
    for finding in hidden:
        _new(finding, left, sources, path)
    seen = {_relative(scope.path, path): scope for scope in scopes}
    open_ = {entry: count for entry, count in left.items() if count > 0 and entry[0] in seen}
    stale = {entry: count for entry, count in open_.items() if seen[entry[0]].covers(*entry[1:3])}
    return Compared(
        tuple(fresh), stale, {entry: count for entry, count in open_.items() if entry not in stale}
    )


def _new(finding: Finding, left: Counter[Entry], sources: Sources, path: str) -> Finding | None:
    """What of the finding is not among the entries left, from which the rest is taken."""
    fresh = []
    for part in parts_of(finding):
        entry = _entry(part, sources, path)
        if left[entry] > 0:
            left[entry] -= 1
        else:
            fresh.append(part)
    return only(finding, fresh)


def counted(findings: Sequence[Finding], sources: Sources, path: str) -> dict[Entry, int]:
    parts = (part for finding in findings for part in parts_of(finding))
    return dict(Counter(_entry(part, sources, path) for part in parts))


def pruned(entries: Mapping[Entry, int], stale: Mapping[Entry, int]) -> dict[Entry, int]:
    """The entries without what is gone."""
    left = {entry: count - stale.get(entry, 0) for entry, count in entries.items()}
    return {entry: count for entry, count in left.items() if count > 0}


def read(path: str) -> dict[Entry, int]:
    try:
        with open(path, encoding="utf-8") as file:
            table = json.load(file)
        return {_read_entry(entry): _count(entry) for entry in table["entries"]}
    except FileNotFoundError:
        raise UsageError(f"no baseline at {path}: make one with --write-baseline") from None
    except OSError as error:
        raise UsageError(f"cannot read the baseline {path}: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} is no baseline of kernlint ({error}): write it anew with --write-baseline"
        ) from None


def _read_entry(entry: Mapping[str, Any]) -> Entry:
    return str(entry["path"]), str(entry["code"]), str(entry["kernel"]), str(entry["line"])


def _count(entry: Mapping[str, Any]) -> int:
    count = entry.get("count", 1)
    if not isinstance(count, int) or count < 1:
        raise ValueError(f"count {count!r}")
    return count


def write(path: str, entries: Mapping[Entry, int]) -> None:
    """Sorted, one entry on a line, so that differences between versions are easy to read."""
    names = ("path", "code", "kernel", "line")
    rows = [
        json.dumps(
            {**dict(zip(names, entry, strict=True)), "count": entries[entry]}, ensure_ascii=False
        )
        for entry in sorted(entries)
    ]
    body = ",\n  ".join(rows)
    text = (
        f'{{"version": {FORMAT}, "tool": "kernlint {__version__}", "entries": [\n  {body}\n]}}\n'
        if rows
        else EMPTY
    )
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"cannot write the baseline {path}: {error.strerror or error}") from None


EMPTY = f'{{"version": {FORMAT}, "tool": "kernlint {__version__}", "entries": []}}\n'


def _entry(finding: Finding, sources: Sources, path: str) -> Entry:
    name, code, kernel, text = key(finding, sources)
    return _relative(name, path), code, kernel, text


def _relative(name: str, path: str) -> str:
    folder = os.path.dirname(os.path.abspath(path))
    return os.path.relpath(os.path.abspath(name), folder).replace(os.sep, "/")
