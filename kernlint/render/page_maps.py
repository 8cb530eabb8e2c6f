"""Which lanes meet where, as the page draws it. Goes in: an access, the device. Comes out: a dictionary, or None without an example.

Never decides which lanes go together or what they touch: lane_map.py does.
"""

from __future__ import annotations

from typing import Any

from kernlint import facts
from kernlint.checks import dialect
from kernlint.hardware import Device
from kernlint.render import derivation, lane_map


def figure(access: facts.Access, language: str, device: Device) -> dict[str, Any] | None:
    """The costliest request: `kind` is banks or lines; `alt` says in a sentence what the drawing shows."""
    if access.example is None or access.space not in derivation.DRAWN:
        return None
    say = dialect.speaker(language)
    remarks = [say(text) for text in derivation.remarks(access, access.example, device)]
    common = {"request": say(derivation.request(access, access.example)), "remarks": remarks, "bytes": access.bytes}
    if access.space == "constant":
        return common | _words(access, device)
    return common | (_banks(access, device) if access.space == "shared" else _lines(access, access.example, device))


def _banks(access: facts.Access, device: Device) -> dict[str, Any]:
    """Turn by turn: the lanes, and for each bank in use its load and [word, lanes] pairs."""
    turns = [
        {
            "lanes": list(turn.lanes),
            "wavefronts": turn.wavefronts,
            "banks": [[place.number, turn.load(place), [[word, list(lanes)] for word, lanes in place.words]] for place in turn.banks],
        }
        for turn in lane_map.turns(access, device)
    ]
    return {"kind": "banks", "turns": turns, "alt": alt(access, device)}


def _words(access: facts.Access, device: Device) -> dict[str, Any]:
    """The words wanted, each with its lanes: a pass each."""
    return {"kind": "words", "words": [[place.number, list(place.lanes)] for place in lane_map.words(access)], "alt": alt(access, device)}


def _lines(access: facts.Access, example: facts.Example, device: Device) -> dict[str, Any]:
    """The cache lines touched, each with its sectors, and the lanes' offsets."""
    lines: dict[int, list[int]] = {}
    for place in lane_map.sectors(access, device):
        lines.setdefault(place.number * device.sector_bytes // device.line_bytes, []).append(place.number)
    touched = [[line, some] for line, some in lines.items()]
    return {"kind": "lines", "lines": touched, "offsets": list(example.lanes), "alt": alt(access, device)}


def alt(access: facts.Access, device: Device) -> str:
    """The drawing in words, for those who do not see it."""
    if access.space == "constant":
        wanted = len(lane_map.words(access))
        return f"{wanted} word{'' if wanted == 1 else 's'} of constant memory: {wanted} pass{'' if wanted == 1 else 'es'} of its cache"
    if access.space != "shared":
        touched = lane_map.sectors(access, device)
        lines = {place.number * device.sector_bytes // device.line_bytes for place in touched}
        return f"{len(touched)} sectors in {len(lines)} cache lines are touched"
    turns = lane_map.turns(access, device)
    worst = max((turn.load(place) for turn in turns for place in turn.banks), default=0)
    used = {place.number for turn in turns for place in turn.banks}
    return f"{len(used)} of {device.banks} banks are used; the worst serves {worst} word{'' if worst == 1 else 's'} in one turn"
