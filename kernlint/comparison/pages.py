"""CSV pages of Nsight Compute's command line, read into launches.

Goes in: the text of `--page source --csv` (`--print-source sass` or `cuda,sass`) or `--page raw --csv`, messages of the profiler and of
the program in between. Comes out: `Profile`. Raises `ProfileError` for every other page, with the command that gives a usable one.

What was seen of the page by source line (2025.3): one section per launch and file; a line's row sums its instructions; its
instructions follow, each of them twice (as does each launch of the page by instruction); the source's own quotes are not escaped, so
that a line's row is no valid CSV and only its number is read; an instruction at which an inlined function begins stands under two
lines; neither grid nor block is told.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator

from kernlint.comparison.columns import DYNAMIC_SHARED, FIELDS, PROFILE, RAW, SOURCE, TOTALS
from kernlint.comparison.numbers import integer
from kernlint.comparison.profile import Dim3, Instruction, Launch, Place, Profile, ProfileError
from kernlint.records import dataclass, field

LINE_ROW = re.compile(r'"?(\d+)"?[,;\t]')
ADDRESS = re.compile(r"(?:0x)?[0-9a-fA-F]+")
NO_LINES = "No lineinfo available"
FIRST_WORDS = ("ID", "Kernel Name", "File Path", "File Name", "Function Name", "Line No", "Address", "Process ID", "Launch Attribute")


@dataclass(slots=True)
class Section:
    """Rows of one launch and file, while reading. `rows`: the line they stand under (0 for none) and their cells."""

    file: str = ""
    kernel: str = ""
    header: list[str] = field(default_factory=list)
    rows: list[tuple[int, list[str]]] = field(default_factory=list)


def read(path: str, text: str) -> Profile:
    """A CSV page of any of the usable kinds."""
    lines = text.splitlines()
    first = next((line for line in lines if _cells(line)[0] in FIRST_WORDS), None)
    if first is None:
        raise ProfileError(f"no page of Nsight Compute's CSV output in it{_guess(lines)}\nMake one with:\n  {SOURCE}")
    head = _cells(first)
    if head[0] == "ID" and "Metric Name" not in head:
        return _raw(path, lines)
    if head[0] in ("File Path", "Kernel Name"):
        return _source(path, lines)
    raise ProfileError(_refusal(head))


def _refusal(head: list[str]) -> str:
    if head[0] == "ID":
        return f"this is the details page, whose numbers belong to no line and are rounded. Use the source page:\n  {SOURCE}"
    if head[0] == "Process ID":
        return f"this is a summary over launches (--print-summary). Export launch by launch:\n  {SOURCE}"
    if head[0] in ("File Name", "Line No"):
        return f"this view of the source page has no counters (--print-source cuda and ptx show text only). Use cuda,sass:\n  {SOURCE}"
    return f"this page (`{head[0]}`) has no counters by line. Use the source page:\n  {SOURCE}"


def _guess(lines: list[str]) -> str:
    text = "\n".join(lines[:40])
    if NO_LINES in text:
        return (
            ": the program was compiled without line information. Compile with `nvcc -lineinfo` and profile again, "
            "or compare per instruction kind with --print-source sass"
        )
    if "File Path:" in text or "-----" in text:
        return ": this is the page as text; add --csv"
    if "==ERROR==" in text:
        found = next((line for line in lines if "==ERROR==" in line), "")
        return f": the profiler says {found.strip()}"
    return ""


# ------------------------------------------------------------------ the source page


def _source(path: str, lines: list[str]) -> Profile:
    sections = list(_sections(lines))
    launches: list[Launch] = []
    group: list[Section] = []
    for section in [*_distinct(sections), None]:
        if section is not None and group and section.file and _continues(group, section):
            group.append(section)
            continue
        if group:
            launches.append(_launch(len(launches), group))
        group = [section] if section is not None else []
    by_line = any(section.file for section in sections)
    if not any("requests" in _fields(section.header) for section in sections):
        raise ProfileError(f"the source page holds no `Instructions Executed`: profile with source counters:\n  {PROFILE}\n  {SOURCE}")
    notes = [line.strip() for line in lines if NO_LINES in line]
    if not by_line:
        notes.append("without line numbers (--print-source sass): compared per kernel; cuda,sass tells the lines")
    return Profile(path, "source page by line" if by_line else "source page by instruction", tuple(launches), tuple(notes))


def _distinct(sections: list[Section]) -> Iterator[Section]:
    """Without repetitions: the page by instruction of version 2025.3 prints every launch twice, samples and all."""
    for at, section in enumerate(sections):
        if not at or section != sections[at - 1]:
            yield section


def _continues(group: list[Section], section: Section) -> bool:
    """Whether a section is a further file of the same launch: a launch names each file once."""
    return section.kernel == group[0].kernel and section.file not in {known.file for known in group}


def _sections(lines: list[str]) -> Iterator[Section]:
    current: Section | None = None
    line = 0
    for text in lines:
        cells = _cells(text)
        if cells[0] in ("File Path", "Kernel Name") and len(cells) > 1:
            if current is not None:
                yield current
            name = ",".join(cells[1:]).strip(", ")
            current, line = (Section(file=name) if cells[0] == "File Path" else Section(kernel=name)), 0
        elif current is None:
            continue
        elif cells[0] == "Function Name":
            current.kernel = ",".join(cells[1:]).strip(", ")
        elif not current.header:
            if "Address" in cells:
                current.header = cells
        elif current.file and (found := LINE_ROW.match(text)):
            line = int(found[1])
        elif _is_instruction(cells, current.header):
            current.rows.append((line, cells))
    if current is not None:
        yield current


def _is_instruction(cells: list[str], header: list[str]) -> bool:
    at = header.index("Address")
    return len(cells) == len(header) and bool(ADDRESS.fullmatch(cells[at].strip()))


def _launch(identity: int, group: list[Section]) -> Launch:
    found: dict[int, dict[str, int | None]] = {}
    texts: dict[int, str] = {}
    places: dict[int, list[Place]] = {}
    for section in group:
        at, fields = section.header.index("Address"), _fields(section.header)
        text = len(section.header) - 1 - section.header[::-1].index("Source")
        for line, cells in section.rows:
            address = int(cells[at].strip(), 16)
            texts[address] = cells[text]
            found[address] = {name: integer(cells[column]) for name, column in fields.items()}
            place = (section.file, line)
            if line and place not in places.setdefault(address, []):
                places[address].append(place)
    instructions = tuple(_instruction(address, texts[address], places.get(address, []), found[address]) for address in sorted(found))
    return Launch(identity, group[0].kernel, instructions=instructions)


def _instruction(address: int, text: str, places: list[Place], counters: dict[str, int | None]) -> Instruction:
    """Without a number of requests it counts as never executed; other counters stay unknown."""
    requests = counters.pop("requests", None) or 0
    threads = counters.pop("threads", None)
    return Instruction(address, text, tuple(places), requests, threads, **counters)


def _fields(header: list[str]) -> dict[str, int]:
    """Field of `Instruction` to its column; of repeated labels the last, which stands with the other counters."""
    return {FIELDS[label.strip()]: at for at, label in enumerate(header) if label.strip() in FIELDS}


# ------------------------------------------------------------------ the raw page


def _raw(path: str, lines: list[str]) -> Profile:
    table = [cells for line in lines if (cells := _cells(line))]
    start = next(at for at, cells in enumerate(table) if cells[0] == "ID")
    header = table[start]
    rows = [cells for cells in table[start + 1 :] if len(cells) == len(header)]
    units = rows.pop(0) if rows and not rows[0][0].strip() else [""] * len(header)
    rows = [cells for cells in rows if cells[0].strip().isdigit()]
    if not rows:
        raise ProfileError(f"the raw page lists no launch. Make it with:\n  {RAW}")
    wanted = [at for at, name in enumerate(header) if name in TOTALS]
    launches = tuple(_raw_launch(dict(zip(header, cells, strict=True)), header, cells, units, wanted) for cells in rows)
    return Profile(path, "raw page", launches, ())


def _raw_launch(row: dict[str, str], header: list[str], cells: list[str], units: list[str], wanted: Iterable[int]) -> Launch:
    totals = {header[at]: value for at in wanted if (value := integer(cells[at], units[at])) is not None}
    dynamic = None
    if DYNAMIC_SHARED in row:
        dynamic = integer(row[DYNAMIC_SHARED], units[header.index(DYNAMIC_SHARED)])
    capability = re.fullmatch(r"(\d+)\.(\d)", row.get("CC", "").strip())
    return Launch(
        int(row["ID"]),
        row.get("Kernel Name", ""),
        _dim3(row.get("Grid Size", "")),
        _dim3(row.get("Block Size", "")),
        dynamic,
        totals=totals,
        capability=int(capability[1] + capability[2]) if capability else None,
    )


def _dim3(text: str) -> Dim3 | None:
    """(32, 8, 1) or 32x8x1."""
    parts = re.findall(r"\d+", text)
    return (int(parts[0]), int(parts[1]), int(parts[2])) if len(parts) == 3 else None


def _cells(line: str) -> list[str]:
    """One line's cells; commas, semicolons and tabs separate (spreadsheets write the latter two)."""
    text = line.strip("\ufeff\r\n")
    separator = next((mark for mark in ",;\t" if f'"{mark}"' in text or text.startswith(f"ID{mark}")), ",")
    return next(csv.reader([text], delimiter=separator), None) or [""]
