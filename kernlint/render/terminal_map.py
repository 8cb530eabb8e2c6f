"""The drawings of the page for a terminal: lanes by banks, the sectors of each cache line, or the
words of constant memory.

Goes in: an access with an example, the device, a style. Comes out: lines of text, at most as wide
as the style says. Blocks where the output can show them, else letters; with colour, the colours of
the page. A cell is two characters wide, or one where two do not fit.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from kernlint.base.dataclass import dataclass
from kernlint.hardware import Device
from kernlint.model import facts
from kernlint.render import lane_map
from kernlint.render.style import Style

# words that a bank serves in one turn, from which on it is drawn so
LEVELS = (
    (8, "error"),
    (3, "warning"),
    (2, "label"),
)
BLOCKS = {"full": "█", "some": "▒", "moved": "░", "none": "·", "bar": "│"}
LETTERS = {"full": "#", "some": "=", "moved": "-", "none": ".", "bar": "|"}
NARROW, WIDE = 1, 2  # characters of a cell


@dataclass(frozen=True, slots=True)
class DrawnGrid:
    """How the cells of a drawing look."""

    style: Style
    cell: int

    def mark(self, name: str) -> str:
        return (
            self.letter(name).rjust(self.cell) if name == "none" else self.letter(name) * self.cell
        )

    def letter(self, name: str) -> str:
        return (BLOCKS if self.style.unicode else LETTERS)[name]

    def heads(self, count: int) -> str:
        """Numbers above every fourth cell, or every eighth narrow one."""
        if self.cell == WIDE:
            return "".join(
                f"{number:>2}" if number % 4 == 0 else "  " for number in range(count)
            ).rstrip()
        return "".join(f"{number:<8}" for number in range(0, count, 8)).rstrip()

    def below(self, numbers: Sequence[int]) -> list[str]:
        """A number below each cell, none for 0; on two lines where it does not fit on one."""
        if self.cell == WIDE:
            return ["".join(f"{number:>2}" if number else "  " for number in numbers).rstrip()]
        units = "".join(str(number % 10) if number else " " for number in numbers).rstrip()
        tens = "".join(str(number // 10) if number > 9 else " " for number in numbers).rstrip()
        return [tens, units] if tens else [units]


def render(access: facts.Access, device: Device, style: Style) -> Iterator[str]:
    """Nothing without an example."""
    if access.example is not None and access.space == "shared":
        yield from _banks(access, device, style)
    elif access.example is not None and access.space == "constant":
        yield from _words(access, access.example, style)
    elif access.example is not None and access.space in ("global", "local"):
        yield from _lines(access, device, style)


def _grid(style: Style, cells: int, beside: int) -> DrawnGrid:
    """Of rows of so many cells with so many characters beside them."""
    return DrawnGrid(style, WIDE if WIDE * cells + beside <= style.width else NARROW)


def _legend(parts: Sequence[str], style: Style) -> Iterator[str]:
    """The parts after commas, on as many lines as they need."""
    yield from textwrap.wrap(
        ", ".join(parts), style.width, initial_indent="  ", subsequent_indent="  "
    )


def _banks(access: facts.Access, device: Device, style: Style) -> Iterator[str]:
    """A row per lane, a column per bank; what several words of one bank need is full, a word that
    lanes share is lighter. Neighbouring lanes that want the same words have one row."""
    turns = lane_map.turns(access, device)
    alike = [_alike(turn) for turn in turns]
    wide = max((len(_span(lanes)) for rows in alike for lanes in rows), default=0)
    wide = max(wide, 4)
    grid = _grid(style, device.banks, wide + 3)
    yield style.paint(f"  {'bank':>{wide}} {grid.heads(device.banks)}", "dim")
    for number, (turn, rows) in enumerate(zip(turns, alike, strict=True)):
        if number:
            yield style.paint(
                " " * (wide + 3) + ("- " * device.banks)[: grid.cell * device.banks - 1], "dim"
            )
        cells = _cells(turn, grid)
        for lanes in rows:
            row = "".join(
                cells.get((lanes[0], bank)) or grid.mark("none") for bank in range(device.banks)
            )
            yield f"  {_span(lanes):>{wide}} {row}"
    most = [0] * device.banks
    for turn in turns:
        for place in turn.banks:
            most[place.number] = max(most[place.number], turn.load(place))
    *above, foot = grid.below(most)
    yield from (style.paint(f" {'':>{wide + 1}} {line}", "dim") for line in above)
    yield style.paint(f" {'words':>{wide + 1}} {foot}", "dim")
    own, shared = (
        f"{grid.mark('full')} a word of its own",
        f"{grid.mark('some')} one word for several lanes",
    )
    yield from _legend((own, shared, "words: the most that a bank serves in one pass"), style)


def _cells(turn: lane_map.Turn, grid: DrawnGrid) -> dict[tuple[int, int], str]:
    """What is drawn by lane and bank."""
    cells: dict[tuple[int, int], str] = {}
    for place in turn.banks:
        load = turn.load(place)
        for _, lanes in place.words:
            mark = grid.mark("some" if load == 1 and len(lanes) > 1 else "full")
            cells |= {(lane, place.number): grid.style.paint(mark, _role(load)) for lane in lanes}
    return cells


def _alike(turn: lane_map.Turn) -> list[list[int]]:
    """The lanes of each row: neighbours that want the same words."""
    wanted: dict[int, list[int]] = {lane: [] for lane in turn.lanes}
    for place in turn.banks:
        for word, lanes in place.words:
            for lane in lanes:
                wanted[lane].append(word)
    rows: list[list[int]] = []
    for lane in turn.lanes:
        if rows and rows[-1][-1] == lane - 1 and wanted[lane - 1] == wanted[lane]:
            rows[-1].append(lane)
        else:
            rows.append([lane])
    return rows


def _span(lanes: Sequence[int]) -> str:
    return str(lanes[0]) if len(lanes) == 1 else f"{lanes[0]}-{lanes[-1]}"


def _words(access: facts.Access, example: facts.Example, style: Style) -> Iterator[str]:
    """A row per word, which is a pass of the constant cache, a column per lane."""
    places, lanes = lane_map.words(access), len(example.lanes)
    wide = max(len(str(place.number)) for place in places)
    grid = _grid(style, lanes, wide + 8)
    yield style.paint(f"  lane {'':>{wide}} {grid.heads(lanes)}", "dim")
    for place in places:
        mark = style.paint(
            grid.mark("some" if len(place.lanes) > 1 else "full"), _role(len(places))
        )
        row = "".join(mark if lane in place.lanes else grid.mark("none") for lane in range(lanes))
        yield f"  word {place.number:>{wide}} {row}"
    passes = "1 pass" if len(places) == 1 else f"{len(places)} passes"
    one, several = f"{grid.mark('full')} one lane", f"{grid.mark('some')} lanes served together"
    yield from _legend(
        (one, f"{several}; a word takes a pass of the constant cache: {passes}"), style
    )


def _role(load: int) -> str:
    return next((role for least, role in LEVELS if load >= least), "help")


def _lines(access: facts.Access, device: Device, style: Style) -> Iterator[str]:
    """A row per cache line, a cell per word of a bank's width, a bar between sectors."""
    wanted: dict[int, set[int]] = {}
    for piece in lane_map.pieces(access, device):
        for word in range(
            piece.start // device.bank_bytes,
            (piece.start + piece.bytes - 1) // device.bank_bytes + 1,
        ):
            wanted.setdefault(word, set()).update(piece.lanes)
    moved = {place.number for place in lane_map.sectors(access, device)}
    lines = sorted({sector * device.sector_bytes // device.line_bytes for sector in moved})
    wide = max(len(str(line)) for line in lines)
    sectors, words = (
        device.line_bytes // device.sector_bytes,
        device.sector_bytes // device.bank_bytes,
    )
    grid = _grid(style, sectors * words, wide + sectors + 8)
    bar = grid.letter("bar")
    for line in lines:
        parts = []
        for sector in range(line * sectors, (line + 1) * sectors):
            numbers = range(sector * words, (sector + 1) * words)
            parts.append(
                "".join(
                    _word(len(wanted.get(number, ())), sector in moved, grid) for number in numbers
                )
            )
        yield f"  line {line:>{wide}}{bar}{bar.join(parts)}{bar}"
    kinds = (
        ("full", "wanted by a lane"),
        ("some", "by several"),
        ("moved", "moved, not wanted"),
        ("none", "not moved"),
    )
    yield from _legend([f"{grid.mark(kind).strip()} {text}" for kind, text in kinds], style)


def _word(lanes: int, moved: bool, grid: DrawnGrid) -> str:
    if not lanes:
        return grid.style.paint(grid.mark("moved"), "label") if moved else grid.mark("none")
    return grid.style.paint(grid.mark("full" if lanes == 1 else "some"), "help")
