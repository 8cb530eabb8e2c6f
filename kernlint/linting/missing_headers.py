"""Headers that are not there: where a file of that name lies, and one finding for all files that
miss it.

Goes in: the findings of a run, the paths it was asked for. Comes out: the findings with `-I DIR` in
their help, or fewer of them. Nothing is read into an analysis: a folder that would find a header is
named, never taken.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from kernlint.base.dataclass import dataclass, field
from kernlint.model.finding import Finding
from kernlint.model.reasons import GAVE_UP, sentence
from kernlint.source.files import BUILD_FOLDERS

ABOVE = 3  # folders above the one asked for that are looked into
BESIDE = ("", "include", "inc", "csrc", "src")  # folders of one that headers often lie in
NAMED = 5  # names of a list that are spelled out
MOST_FILES = 200_000  # of the folders walked
LONGEST = 1 << 20  # bytes of a header that is searched for names


@dataclass(frozen=True, slots=True)
class HeaderFolder:
    """Where a header lies: `folder` finds it under the name that includes spell; `words` stand in
    it; `others` would find one too."""

    folder: str
    words: frozenset[str] = frozenset()
    others: tuple[str, ...] = ()


@dataclass(slots=True)
class _Cause:
    """One line of a run: headers that one `-I` finds, or that nothing near finds."""

    first: Finding
    headers: Counter[str] = field(default_factory=Counter)
    files: dict[str, int] = field(default_factory=dict)
    names: Counter[str] = field(default_factory=Counter)


def places(findings: Iterable[Finding], roots: Iterable[str]) -> dict[str, HeaderFolder]:
    """Header → where it lies, of those that findings miss and that are in the walked folders, above
    them or in a usual folder beside."""
    missed: dict[str, list[Finding]] = {}
    for finding in findings:
        for header in finding.headers:
            missed.setdefault(header, []).append(finding)
    if not missed:
        return {}
    asked = list(roots)
    found = {header: list(_above(header, asked)) for header in missed}
    for header, folder in _walked(missed, [root for root in asked if os.path.isdir(root)]):
        if folder not in found[header]:
            found[header].append(folder)
    return {
        header: _nearest(header, folders, missed[header])
        for header, folders in found.items()
        if folders
    }


def with_places(
    findings: Iterable[Finding], where: Mapping[str, HeaderFolder]
) -> tuple[Finding, ...]:
    """The findings, each with the folders for its own file's headers in the help."""
    return tuple(replace(f, help=_remedy(f.headers, where)) if f.headers else f for f in findings)


def reported_once(
    findings: Sequence[Finding], where: Mapping[str, HeaderFolder]
) -> tuple[Finding, ...]:
    """The findings with those of headers reported once for all files, at the first of them."""
    causes: dict[object, _Cause] = {}
    for finding in findings:
        own: dict[object, dict[str, None]] = {}
        for header in finding.headers:
            names = [
                name for name in finding.undefined if _may_define(header, name, finding, where)
            ]
            if names:
                key = _key(header, where, findings)
                cause = causes.setdefault(key, _Cause(finding))
                cause.headers[header] += 1
                cause.files.setdefault(finding.span.path, finding.span.line)
                own.setdefault(key, {}).update(dict.fromkeys(names))
        for key, found in own.items():
            causes[key].names.update(list(found))
    reported: dict[int, list[Finding]] = {}
    for cause in causes.values():
        reported.setdefault(id(cause.first), []).append(_finding(cause, where))
    return tuple(
        one
        for finding in findings
        for one in (reported.get(id(finding), []) if finding.headers else [finding])
    )


def _key(header: str, where: Mapping[str, HeaderFolder], findings: Iterable[Finding]) -> object:
    """What one remedy fixes: a folder; a library that several files miss; the headers that the same
    files miss."""
    if header in where:
        return where[header].folder
    library, slash, _ = header.partition("/")
    of_library = (
        {
            f.span.path
            for f in findings
            if any(other.startswith(f"{library}/") for other in f.headers)
        }
        if slash
        else set()
    )
    return (
        library
        if len(of_library) > 1
        else tuple(f.span.path for f in findings if header in f.headers)
    )


def _may_define(
    header: str, name: str, finding: Finding, where: Mapping[str, HeaderFolder]
) -> bool:
    """Whether a name may be the header's: it stands there; or in no header that was seen, and this
    is one not seen, if there are any."""
    holders = [
        other for other in finding.headers if other in where and _bare(name) in where[other].words
    ]
    unseen = [other for other in finding.headers if other not in where]
    return header in (holders or unseen or finding.headers)


def _finding(cause: _Cause, where: Mapping[str, HeaderFolder]) -> Finding:
    many, apart = len(cause.files), len(set(cause.headers.values())) > 1
    headers = [
        f"`{name}`" + (f" ({_files(count)})" if apart else "")
        for name, count in cause.headers.most_common()
    ]
    names = [name for name, _ in cause.names.most_common()]
    place = next((where[header] for header in cause.headers if header in where), None)
    message = sentence(
        "header",
        headers=_listed(headers),
        where=f" (missed by {_files(many)})" if many > 1 else "",
        names=_listed([f"`{name}`" for name in names]),
        them="it" if len(names) == 1 else "them",
    )
    if place is not None:
        message += f"; `-I {place.folder}` finds {'it' if len(headers) == 1 else 'them'}"
    others = [
        f"{path}:{line}" for path, line in cause.files.items() if path != cause.first.span.path
    ]
    notes = (f"same in {_listed(others)}",) if others else ()
    return replace(
        cause.first,
        message=message,
        notes=notes,
        help=_remedy(list(cause.headers), where),
        undefined=tuple(names),
    )


def _remedy(headers: Sequence[str], where: Mapping[str, HeaderFolder]) -> str:
    """`-I csrc` finds `a.h`; …"""
    by_folder: dict[str, list[str]] = {}
    for header in headers:
        if header in where:
            by_folder.setdefault(where[header].folder, []).append(header)
    if not by_folder:
        return GAVE_UP["header"].remedy
    found = [
        f"`-I {folder}` finds {_listed([f'`{name}`' for name in some])}"
        for folder, some in by_folder.items()
    ]
    others = list(
        dict.fromkeys(
            folder for header in headers if header in where for folder in where[header].others
        )
    )
    also = [f"so does {_listed([f'`{folder}`' for folder in others])}"] if others else []
    left = [f"`{header}`" for header in headers if header not in where]
    unseen = [f"nothing near finds {_listed(left)}"] if left else []
    return "; ".join((*found, *also, *unseen))


def _above(header: str, roots: Iterable[str]) -> Iterator[str]:
    """Folders that are or lie beside one of those asked for, or one above, and hold the header."""
    if header.startswith(".."):
        return
    offered: set[str] = set()
    for root in roots:
        folder = root if os.path.isdir(root) else os.path.dirname(root)
        for _ in range(ABOVE + 1):
            for name in BESIDE:
                candidate = os.path.normpath(os.path.join(folder, name))
                if candidate not in offered and os.path.isfile(os.path.join(candidate, header)):
                    yield candidate
                offered.add(candidate)
            folder = os.path.join(folder, os.pardir)


def _walked(headers: Iterable[str], roots: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each header with each folder below the roots from which its name as spelled leads to a
    file."""
    by_name: dict[str, list[str]] = {}
    for header in headers:
        by_name.setdefault(os.path.basename(header), []).append(header)
    seen = 0
    for root in roots:
        for place, folders, names in os.walk(root):
            folders[:] = sorted(
                f for f in folders if not f.startswith(".") and f not in BUILD_FOLDERS
            )
            seen += len(names)
            if seen > MOST_FILES:
                return
            for header in (header for name in names for header in by_name.get(name, ())):
                parts = [os.pardir] * header.count("/")
                folder = os.path.normpath(os.path.join(place, *parts))
                if os.path.isfile(os.path.join(folder, header)):
                    yield header, folder


def _nearest(header: str, folders: Sequence[str], missing: Sequence[Finding]) -> HeaderFolder:
    """The folder whose header holds most of the names that are missed; of those alike the nearest
    to the first file that includes it."""
    wanted = {_bare(name) for finding in missing for name in finding.undefined}
    held = {folder: _words(os.path.join(folder, header)) & wanted for folder in folders}
    near = os.path.abspath(missing[0].span.path).split(os.sep)

    def order(folder: str) -> tuple[int, int, str]:
        parts = os.path.abspath(folder).split(os.sep)
        shared = next(
            (i for i, (a, b) in enumerate(zip(parts, near, strict=False)) if a != b),
            min(len(parts), len(near)),
        )
        return -len(held[folder]), len(parts) + len(near) - 2 * shared, folder

    best, *others = sorted(folders, key=order)
    return HeaderFolder(
        best,
        frozenset(held[best]),
        tuple(folder for folder in others if held[folder] == held[best]),
    )


def _words(path: str) -> set[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return set(re.findall(r"\w+", file.read(LONGEST)))
    except OSError:
        return set()


def _bare(name: str) -> str:
    """`to_float` of `vllm::to_float<half>`."""
    return name.partition("<")[0].rpartition("::")[2]


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (
        f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    )
