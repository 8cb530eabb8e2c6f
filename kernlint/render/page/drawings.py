"""Which lanes meet where, and which go which way, as the page draws it. Goes in: an access and the
device, or a branch. Comes out: a dictionary, or None where there is nothing to draw.

Never decides which lanes go together or what they touch: lane_map.py does, and the execution which
way they go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernlint.checks import dialect, words
from kernlint.hardware import Device
from kernlint.model import facts
from kernlint.render import branch_map, derivation, fault_maps, lane_map


def figure(access: facts.Access, language: str, device: Device) -> dict[str, Any] | None:
    """The costliest request: `kind` is banks, lines or words; `alt` says in a sentence what the
    drawing shows."""
    if access.example is None or access.space not in derivation.DRAWN:
        return None
    say = dialect.speaker(language)
    remarks = [say(text) for text in derivation.remarks(access, access.example, device)]
    common = {
        "request": say(derivation.request(access, access.example)),
        "remarks": remarks,
        "bytes": access.bytes,
    }
    if access.space == "constant":
        return common | _words(access, device)
    return common | (_banks(access, device) if access.space == "shared" else _lines(access, device))


def _banks(access: facts.Access, device: Device) -> dict[str, Any]:
    """Turn by turn: the lanes, and for each bank in use its load and [word, lanes] pairs."""
    turns = [
        {
            "lanes": list(turn.lanes),
            "wavefronts": turn.wavefronts,
            "banks": [
                [
                    place.number,
                    turn.load(place),
                    [[word, list(lanes)] for word, lanes in place.words],
                ]
                for place in turn.banks
            ],
        }
        for turn in lane_map.turns(access, device)
    ]
    return {"kind": "banks", "turns": turns, "alt": alt(access, device)}


def _words(access: facts.Access, device: Device) -> dict[str, Any]:
    """The words wanted, each with its lanes: a pass each."""
    return {
        "kind": "words",
        "words": [[place.number, list(place.lanes)] for place in lane_map.words(access)],
        "alt": alt(access, device),
    }


def _lines(access: facts.Access, device: Device) -> dict[str, Any]:
    """The cache lines touched, each with its sectors, and the stretches that lanes want: first
    byte, bytes, lanes."""
    lines: dict[int, list[int]] = {}
    for place in lane_map.sectors(access, device):
        lines.setdefault(place.number * device.sector_bytes // device.line_bytes, []).append(
            place.number
        )
    pieces = [
        [piece.start, piece.bytes, list(piece.lanes)] for piece in lane_map.pieces(access, device)
    ]
    return {
        "kind": "lines",
        "lines": [[line, found] for line, found in lines.items()],
        "pieces": pieces,
        "alt": alt(access, device),
    }


def ways(branch: facts.Branch, say: Callable[[str], str]) -> dict[str, Any] | None:
    """Which lanes go which way: a row per pattern with the warps of a block, the evaluations, a
    letter per lane, whether lanes disagree."""
    if not branch.patterns:
        return None
    rows = [
        [branch_map.numbers(one.warps), words.count(one.evaluations), one.lanes, one.parts]
        for one in branch.patterns
    ]
    parted = sum(one.parts for one in branch.patterns)
    patterns = f"{words.plural(len(rows), 'pattern')} of the lanes of a warp; lanes disagree in {parted} of them"
    return {
        "kind": "ways",
        "request": say(f"path of each lane, over {branch_map.over(branch)}"),
        "remarks": [say(rest)] if (rest := branch_map.rest(branch)) else [],
        "head": say("warps"),
        "rows": rows,
        "cases": bool(branch.cases),
        "legend": [[letter, text] for letter, text in branch_map.legend(branch)],
        "alt": say(patterns),
    }


def timeline(race: facts.Race, kernel: facts.Kernel, say: Callable[[str], str]) -> dict[str, Any]:
    """Two threads and what they do from top to bottom: rows of a kind, a text, the thread's side, a
    line, a verb, and the number of barriers before."""
    drawn = fault_maps.timeline(race, kernel)
    rows = [
        [
            row.kind,
            say(row.text) if row.kind != "access" else row.text,
            row.side,
            row.line,
            row.does,
            row.phase,
        ]
        for row in drawn.rows
    ]
    return {
        "kind": "timeline",
        "request": say("two threads, time from top to bottom"),
        "remarks": [],
        "heads": [[say(text) for text in head] for head in drawn.heads],
        "rows": rows,
        "alt": say(drawn.alt),
    }


def reached(fault: facts.Fault) -> dict[str, Any] | None:
    """The range of an array and what an access reaches of it and beside it."""
    found = fault_maps.stretch(fault)
    if found is None:
        return None
    numbers = [words.count(number) for number in (max(found.size - 1, 0), found.low, found.high)]
    several = f"{words.plural(found.size, found.unit)} of {fault.object}"
    return {
        "kind": "reach",
        "request": f"{several}, and what is reached",
        "remarks": [],
        "range": [found.low, found.high, found.size],
        "numbers": numbers,
        "unit": found.unit,
        "alt": f"{several}; {numbers[1]} to {numbers[2]} are reached",
    }


def alt(access: facts.Access, device: Device) -> str:
    """The drawing in words, for those who do not see it."""
    if access.space == "constant":
        wanted = len(lane_map.words(access))
        return f"{words.plural(wanted, 'word')} of constant memory: {words.plural(wanted, 'pass', 'passes')} of its cache"
    if access.space != "shared":
        touched = lane_map.sectors(access, device)
        lines = {place.number * device.sector_bytes // device.line_bytes for place in touched}
        return f"touches {words.plural(len(touched), 'sector')} in {words.plural(len(lines), 'cache line')}"
    turns = lane_map.turns(access, device)
    worst = max((turn.load(place) for turn in turns for place in turn.banks), default=0)
    used = {place.number for turn in turns for place in turn.banks}
    return f"{len(used)} of {device.banks} banks are used; the worst serves {worst} word{'' if worst == 1 else 's'} in one pass"
