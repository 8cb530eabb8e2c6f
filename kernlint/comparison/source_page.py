"""The source page (`--page source --csv`), by line (`--print-source cuda,sass`) or by instruction
(`sass`), read into launches.

Goes in: the page's lines. Comes out: `Profile`. Raises `ProfileError` where nothing was counted.

What was seen of these pages (2025.3):
- By line: one block per launch and file, in it one section per function. A line's row sums its instructions, which follow, each twice.
  The source's own quotes are not escaped, so that a line's row is no valid CSV; only its number is read. An instruction at which an
  inlined function begins stands under two lines.
- By instruction: one section per launch and function, functions that the kernel calls before it; all of a launch printed twice.
- Neither says grid and block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernlint.base.dataclass import dataclass, field
from kernlint.comparison.cells import cells_of
from kernlint.comparison.columns import FIELDS, PROFILE, SOURCE
from kernlint.comparison.numbers import integer
from kernlint.comparison.profile import Instruction, Place, Profile, ProfiledLaunch, ProfileError

LINE_ROW = re.compile(r'"?(\d+)"?[,;\t]')
ADDRESS = re.compile(r"(?:0x)?[0-9a-fA-F]+")
EXIT = re.compile(r"\bEXIT\b")  # ends a kernel; a function ends in RET
NO_LINES = "No lineinfo available"


@dataclass(slots=True)
class Section:
    """One function's rows in one file. `rows`: the line they stand under (0 for none) and their
    cells. `opens` a file's block."""

    file: str
    function: str = ""
    opens: bool = True
    header: list[str] = field(default_factory=list)
    rows: list[tuple[int, list[str]]] = field(default_factory=list)

    def text(self) -> int:
        """The column of the machine instruction."""
        return len(self.header) - 1 - self.header[::-1].index("Source")


def read(path: str, lines: list[str]) -> Profile:
    sections = [section for section in _sections(lines) if section.header]
    if not any("requests" in _fields(section.header) for section in sections):
        raise ProfileError(
            f"the source page holds no `Instructions Executed`: profile with source counters:\n  {PROFILE}\n  {SOURCE}"
        )
    by_line = any(section.file for section in sections)
    kernels = {
        s.function for s in sections if any(EXIT.search(cells[s.text()]) for _, cells in s.rows)
    }
    groups = _by_file(sections, kernels) if by_line else _distinct(_by_kernel(sections, kernels))
    launches = tuple(_launch(at, group, kernels) for at, group in enumerate(groups))
    notes = [line.strip() for line in lines if NO_LINES in line]
    if not by_line:
        notes.append(
            "without line numbers (--print-source sass): compared per kernel; cuda,sass tells the lines"
        )
    return Profile(
        path,
        "source page by line" if by_line else "source page by instruction",
        launches,
        tuple(notes),
    )


def _sections(lines: Sequence[str]) -> Iterator[Section]:
    current: Section | None = None
    line = 0
    for text in lines:
        if (
            current is not None
            and current.header
            and current.file
            and (found := LINE_ROW.match(text))
        ):
            line = int(found[1])
            continue
        cells = cells_of(text)
        if cells[0] in ("File Path", "Kernel Name", "Function Name") and len(cells) > 1:
            name = ",".join(cells[1:]).strip('", ')
            if cells[0] == "Function Name" and current is not None and not current.header:
                current.function = name
                continue
            if current is not None:
                yield current
            opens = cells[0] != "Function Name"
            file = (
                name
                if cells[0] == "File Path"
                else current.file
                if current is not None and not opens
                else ""
            )
            current, line = Section(file, "" if cells[0] == "File Path" else name, opens), 0
        elif current is None:
            continue
        elif not current.header:
            current.header = cells if "Address" in cells and "Source" in cells else []
        elif len(cells) == len(current.header) and ADDRESS.fullmatch(
            cells[current.header.index("Address")].strip()
        ):
            current.rows.append((line, cells))
    if current is not None:
        yield current


def _by_file(sections: Sequence[Section], kernels: set[str]) -> Iterator[list[Section]]:
    """The sections of each launch: it names each file once, and has one kernel."""
    group: list[Section] = []
    blocks: list[list[Section]] = []
    for section in sections:
        if section.opens or not blocks:
            blocks.append([])
        blocks[-1].append(section)
    for block in blocks:
        own, new = ({s.function for s in some} & kernels for some in (group, block))
        if group and (
            block[0].file in {known.file for known in group} or (own and new and not own & new)
        ):
            yield group
            group = []
        group = [*group, *block]
    if group:
        yield group


def _by_kernel(sections: Sequence[Section], kernels: set[str]) -> Iterator[list[Section]]:
    """The sections of each launch: the functions that a kernel calls stand before it."""
    group: list[Section] = []
    for section in sections:
        group.append(section)
        if section.function in kernels:
            yield group
            group = []
    if group:
        yield group


def _distinct(groups: Iterator[list[Section]]) -> Iterator[list[Section]]:
    """Without the repetition of each launch, samples and all."""
    last: list[Section] = []
    for group in groups:
        if group != last:
            yield group
        last = group


def _launch(identity: int, group: Sequence[Section], kernels: set[str]) -> ProfiledLaunch:
    """The kernel's own instructions come first, by address; then those of functions it calls."""
    kernel = next(
        (section.function for section in group if section.function in kernels), group[0].function
    )
    found: dict[tuple[bool, int], tuple[str, dict[str, int | None]]] = {}
    places: dict[tuple[bool, int], list[Place]] = {}
    for section in group:
        at, fields, text = section.header.index("Address"), _fields(section.header), section.text()
        for line, cells in section.rows:
            key = (section.function != kernel, int(cells[at].strip(), 16))
            if key not in found:
                found[key] = (
                    cells[text],
                    {name: integer(cells[column]) for name, column in fields.items()},
                )
            place = (section.file, line)
            if line and place not in places.setdefault(key, []):
                places[key].append(place)
    instructions = (_instruction(key[1], *found[key], places.get(key, [])) for key in sorted(found))
    return ProfiledLaunch(identity, kernel, instructions=tuple(instructions))


def _instruction(
    address: int, text: str, counters: dict[str, int | None], places: list[Place]
) -> Instruction:
    """Without a number of requests it counts as never executed; other counters stay unknown."""
    requests = counters.pop("requests", None) or 0
    threads = counters.pop("threads", None)
    return Instruction(address, text, tuple(places), requests, threads, **counters)


def _fields(header: list[str]) -> dict[str, int]:
    """Field of `Instruction` to its column; of repeated labels the last, which stands with the
    other counters."""
    return {FIELDS[label.strip()]: at for at, label in enumerate(header) if label.strip() in FIELDS}
