"""CSV pages of Nsight Compute's command line, read into launches.

Goes in: the text of `--page source --csv` (`--print-source sass` or `cuda,sass`) or `--page raw
--csv`, messages of the profiler and of the program in between. Comes out: `Profile`. Raises
`ProfileError` for every other page, with the command that gives a usable one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from kernlint.comparison import source_page
from kernlint.comparison.cells import cells_of
from kernlint.comparison.columns import DYNAMIC_SHARED, RAW, SOURCE, TOTALS
from kernlint.comparison.numbers import integer
from kernlint.comparison.profile import Dim3, Profile, ProfiledLaunch, ProfileError
from kernlint.source.text import HOST_SUFFIXES, KERNEL_SUFFIXES

FIRST_WORDS = (
    "ID",
    "Kernel Name",
    "File Path",
    "File Name",
    "Function Name",
    "Line No",
    "Address",
    "Process ID",
    "Launch Attribute",
)


def read(path: str, text: str) -> Profile:
    """A CSV page of any of the usable kinds."""
    lines = text.splitlines()
    first = next((line for line in lines if cells_of(line)[0] in FIRST_WORDS), None)
    if first is None:
        raise ProfileError(
            f"no page of Nsight Compute's CSV output in it{_guess(path, lines)}\nMake one with:\n  {SOURCE}"
        )
    head = cells_of(first)
    if head[0] == "ID" and "Metric Name" not in head:
        return _raw(path, lines)
    if head[0] in ("File Path", "Kernel Name"):
        return _whole(source_page.read(path, lines), _cut_off(lines), SOURCE)
    raise ProfileError(_refusal(head))


def _whole(profile: Profile, cut: int | None, again: str) -> Profile:
    """Without the last launch where the file ends in the middle of one: what is lost of it would be
    taken for not counted."""
    if cut is None:
        return profile
    *whole, lost = profile.launches
    what = f"line {cut}: the file ends in the middle of a row of `{lost.name}`"
    if not whole:
        raise ProfileError(f"{what}, its only launch. Export it again:\n  {again}")
    return replace(
        profile,
        launches=tuple(whole),
        notes=(*profile.notes, f"{what}: this launch is left out; export the page again"),
    )


def _cut_off(lines: list[str]) -> int | None:
    """The number of the last line, where it is a row that has fewer cells than its header; a quote
    in it may be one of the source's own."""
    at = next((n for n in range(len(lines) - 1, -1, -1) if lines[n].strip()), 0)
    text = lines[at].strip()
    if not text.startswith('"') or cells_of(text)[0] in FIRST_WORDS:
        return None
    header = next(
        (
            line
            for line in reversed(lines[:at])
            if line.startswith('"ID"') or ('"Address"' in line and '"Source"' in line)
        ),
        "",
    )
    mark = '";"' if '";"' in header else '","'
    return (
        at + 1
        if header and (not text.endswith('"') or text.count(mark) < header.count(mark))
        else None
    )


def _refusal(head: list[str]) -> str:
    if head[0] == "ID":
        return f"this is the details page, whose numbers belong to no line and are rounded. Use the source page:\n  {SOURCE}"
    if head[0] == "Process ID":
        return f"this is a summary over launches (--print-summary). Export launch by launch:\n  {SOURCE}"
    if head[0] in ("File Name", "Line No"):
        return f"this view of the source page has no counters (--print-source cuda and ptx show text only). Use cuda,sass:\n  {SOURCE}"
    return f"this page (`{head[0]}`) has no counters by line. Use the source page:\n  {SOURCE}"


def _guess(path: str, lines: list[str]) -> str:
    text = "\n".join(lines[:40])
    if path.lower().endswith((*KERNEL_SUFFIXES, *HOST_SUFFIXES)):
        return ": this is source code. It stands before --ncu, the profile behind it"
    if "Time (%)" in text:
        return ": this is a table of Nsight Systems (nsys), which has times and no counters. Profile with Nsight Compute (ncu)"
    if source_page.NO_LINES in text:
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


def _raw(path: str, lines: list[str]) -> Profile:
    table = [cells for line in lines if (cells := cells_of(line))]
    start = next(at for at, cells in enumerate(table) if cells[0] == "ID")
    header = table[start]
    rows = [cells for cells in table[start + 1 :] if len(cells) == len(header)]
    cut = _cut_off(lines)
    note = (
        ()
        if cut is None
        else (
            f"line {cut}: the file ends in the middle of a row: this launch is left out; export the page again",
        )
    )
    units = rows.pop(0) if rows and not rows[0][0].strip() else [""] * len(header)
    rows = [cells for cells in rows if cells[0].strip().isdigit()]
    if not rows:
        ends = "" if cut is None else f" before it ends in the middle of line {cut}"
        raise ProfileError(f"the raw page lists no launch{ends}. Make it with:\n  {RAW}")
    wanted = [at for at, name in enumerate(header) if name in TOTALS]
    launches = tuple(
        _raw_launch(dict(zip(header, cells, strict=True)), header, cells, units, wanted)
        for cells in rows
    )
    return Profile(path, "raw page", launches, note)


def _raw_launch(
    row: dict[str, str],
    header: list[str],
    cells: list[str],
    units: list[str],
    wanted: Iterable[int],
) -> ProfiledLaunch:
    totals = {
        header[at]: value for at in wanted if (value := integer(cells[at], units[at])) is not None
    }
    dynamic = None
    if DYNAMIC_SHARED in row:
        dynamic = integer(row[DYNAMIC_SHARED], units[header.index(DYNAMIC_SHARED)])
    capability = re.fullmatch(r"(\d+)\.(\d)", row.get("CC", "").strip())
    return ProfiledLaunch(
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
