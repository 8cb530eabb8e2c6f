"""The drawings of the page for a terminal: lanes by banks, the sectors of each cache line, or the words of constant memory.

Goes in: an access with an example, the device, a style. Comes out: lines of text. Blocks where the output can show them, else letters;
with colour, the colours of the page.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint import facts
from kernlint.hardware import Device
from kernlint.render import lane_map
from kernlint.render.style import Style

LEVELS = ((8, "error"), (3, "warning"), (2, "label"))  # words that a bank serves in one turn, from which on it is drawn so
BLOCKS = {"full": "██", "some": "▒▒", "moved": "░░", "none": " ·", "bar": "│"}
LETTERS = {"full": "##", "some": "==", "moved": "--", "none": " .", "bar": "|"}


def render(access: facts.Access, device: Device, style: Style) -> Iterator[str]:
    """Nothing without an example."""
    if access.example is not None and access.space == "shared":
        yield from _banks(access, device, style)
    elif access.example is not None and access.space == "constant":
        yield from _words(access, access.example, style)
    elif access.example is not None and access.space in ("global", "local"):
        yield from _lines(access, access.example, device, style)


def _banks(access: facts.Access, device: Device, style: Style) -> Iterator[str]:
    """A row per lane, a column per bank; what several words of one bank need is full, a word that lanes share is lighter. Neighbouring
    lanes that want the same words have one row."""
    marks = BLOCKS if style.unicode else LETTERS
    turns = [_rows(turn, device, marks, style) for turn in lane_map.turns(access, device)]
    wide = max((len(lanes) for rows in turns for lanes, _ in rows), default=0)
    wide = max(wide, 4)
    heads = "".join(f"{bank:>2}" if bank % 4 == 0 else "  " for bank in range(device.banks)).rstrip()
    yield style.paint(f"  {'bank':>{wide}} {heads}", "dim")
    for number, rows in enumerate(turns):
        if number:
            yield style.paint(" " * (wide + 3) + "- " * (device.banks - 1) + "-", "dim")
        yield from (f"  {lanes:>{wide}} {row}" for lanes, row in rows)
    most = [0] * device.banks
    for turn in lane_map.turns(access, device):
        for place in turn.banks:
            most[place.number] = max(most[place.number], turn.load(place))
    foot = "".join(f"{load:>2}" if load else "  " for load in most).rstrip()
    yield style.paint(f" {'words':>{wide + 1}} {foot}", "dim")
    yield f"  {marks['full']} a word of its own, {marks['some']} one word for several lanes; words: what a bank serves in one turn, at most"


def _rows(turn: lane_map.Turn, device: Device, marks: dict[str, str], style: Style) -> list[tuple[str, str]]:
    """The lanes of each row, 7 or 0-31, and its drawing."""
    cells: dict[tuple[int, int], str] = {}
    wanted: dict[int, list[int]] = {}
    for place in turn.banks:
        load = turn.load(place)
        for word, lanes in place.words:
            for lane in lanes:
                wanted.setdefault(lane, []).append(word)
            mark = marks["some"] if load == 1 and len(lanes) > 1 else marks["full"]
            cells |= {(lane, place.number): style.paint(mark, _role(load)) for lane in lanes}
    drawn = [(lane, "".join(cells.get((lane, bank)) or marks["none"] for bank in range(device.banks))) for lane in turn.lanes]
    alike: list[tuple[list[int], str]] = []
    for lane, row in drawn:
        if alike and alike[-1][0][-1] == lane - 1 and wanted.get(lane - 1) == wanted.get(lane) and alike[-1][1] == row:
            alike[-1][0].append(lane)
        else:
            alike.append(([lane], row))
    return [(str(lanes[0]) if len(lanes) == 1 else f"{lanes[0]}-{lanes[-1]}", row) for lanes, row in alike]


def _words(access: facts.Access, example: facts.Example, style: Style) -> Iterator[str]:
    """A row per word, which is a pass of the constant cache, a column per lane."""
    marks, places = BLOCKS if style.unicode else LETTERS, lane_map.words(access)
    wide = max(len(str(place.number)) for place in places)
    heads = "".join(f"{lane:>2}" if lane % 4 == 0 else "  " for lane in range(len(example.lanes))).rstrip()
    yield style.paint(f"  lane {'':>{wide}} {heads}", "dim")
    for place in places:
        mark = style.paint(marks["some" if len(place.lanes) > 1 else "full"], _role(len(places)))
        row = "".join(mark if lane in place.lanes else marks["none"] for lane in range(len(example.lanes)))
        yield f"  word {place.number:>{wide}} {row}"
    passes = "1 pass" if len(places) == 1 else f"{len(places)} passes"
    yield f"  {marks['full']} one lane, {marks['some']} lanes served together; a word takes a pass of the constant cache: {passes}"


def _role(load: int) -> str:
    return next((role for least, role in LEVELS if load >= least), "help")


def _lines(access: facts.Access, example: facts.Example, device: Device, style: Style) -> Iterator[str]:
    """A row per cache line, two characters per word of a bank's width, a bar between sectors."""
    marks, word = BLOCKS if style.unicode else LETTERS, device.bank_bytes
    wanted: dict[int, int] = {}
    for offset in example.lanes:
        for number in range((offset or 0) // word, ((offset or 0) + access.bytes - 1) // word + 1) if offset is not None else ():
            wanted[number] = wanted.get(number, 0) + 1
    moved = {place.number for place in lane_map.sectors(access, device)}
    lines = sorted({sector * device.sector_bytes // device.line_bytes for sector in moved})
    wide = max(len(str(line)) for line in lines)
    for line in lines:
        parts = []
        for sector in range(line * device.line_bytes // device.sector_bytes, (line + 1) * device.line_bytes // device.sector_bytes):
            words = range(sector * device.sector_bytes // word, (sector + 1) * device.sector_bytes // word)
            parts.append("".join(_word(wanted.get(number, 0), sector in moved, marks, style) for number in words))
        yield f"  line {line:>{wide}} {marks['bar']}{marks['bar'].join(parts)}{marks['bar']}"
    kinds = (("full", "wanted by a lane"), ("some", "by several"), ("moved", "moved, not wanted"), ("none", "not moved"))
    yield "  " + ", ".join(f"{marks[kind].strip()} {text}" for kind, text in kinds)


def _word(lanes: int, moved: bool, marks: dict[str, str], style: Style) -> str:
    if not lanes:
        return style.paint(marks["moved"], "label") if moved else marks["none"]
    return style.paint(marks["full" if lanes == 1 else "some"], "help")
