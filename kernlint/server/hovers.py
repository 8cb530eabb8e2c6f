"""What is shown over an access, as Markdown: what it rests on, its index, its counts as written and
as compiled, which lanes meet where.

Goes in: a kernel, one of its accesses, the device. Comes out: text. Counts nothing that facts do
not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kernlint.checks import dialect, words
from kernlint.hardware import Device
from kernlint.model import facts
from kernlint.render import lane_map

UNITS = {"shared": "wavefront", "global": "sector", "local": "sector"}
MOST_PLACES = 8  # banks or sectors spelled out
NOT_LOOKED_AT = "not looked at: too much in a kernel whose launch is not known"


def derived(kernel: facts.Kernel, access: facts.Access, file: facts.File, device: Device) -> str:
    """The assumption first while the launch is not known."""
    language = dialect.of(kernel, file)
    say = dialect.speaker(language)
    above = list(_above(kernel))
    what = f"{dialect.space(access.space, language)} {access.op} of {words.plural(access.bytes, 'byte')}"
    lines = [
        *map(say, above),
        *[""] * bool(above),
        f"**`{access.text}`**: {what} in `{words.kernel(kernel)}`",
        "",
    ]
    lines += [f"- {say(text)}" for text in _numbers(kernel, access, device)]
    table = list(_places(access, device, say))
    return "\n".join([*lines, "", "```text", *table, "```"] if table else lines)


def _above(kernel: facts.Kernel) -> Iterator[str]:
    if kernel.launch.grid is None:
        label = "Assumed" if kernel.launch.block_assumed else "Rests on"
        yield from (
            f"**{label}:** {text}" for text in kernel.assumptions or (words.launch(kernel.launch),)
        )


def _numbers(kernel: facts.Kernel, access: facts.Access, device: Device) -> Iterator[str]:
    if access.index:
        unit = words.index_unit(access)
        yield f"index `{access.index}`{unit and f' ({unit})'}"
    if kernel.launch.grid is not None:
        yield f"launch {words.launch(kernel.launch)}"
    counts = words.counter(access, access.space)
    if counts is not None and access.status != "unknown":
        yield f"as written: {words.as_known(access, counts)} per request, ideal {words.mean(counts.ideal)} ({access.status})"
        yield f"as compiled: {_compiled(kernel, access, counts)}"
    if access.requests is not None or access.per_block is not None:
        known = access.requests if access.requests is not None else access.per_block or 0
        yield f"{words.plural(known, 'request')}{' per block' if access.requests is None else ''}{_lanes(access, device)}"
    if access.conditional:
        yield "counts hold where it executes"
    yield from (
        f"rests on {assumption}"
        for assumption in access.assumptions
        if assumption not in _told(kernel)
    )
    if why := words.why(access, kernel):
        yield f"not exact: {why}"


def _lanes(access: facts.Access, device: Device) -> str:
    """, 32 active lanes; , 1 to 31 of 32 lanes active where data decides; "" where they are not
    known."""
    active = words.active_lanes(access)
    if access.fewest_lanes is not None:
        return f", {active} of {device.warp_lanes} lanes active"
    return active and f", {active} active lane{'' if active == '1' else 's'}"


def _compiled(kernel: facts.Kernel, access: facts.Access, counts: facts.Counts) -> str:
    """What the machine executes. Where only the number of blocks is open, that is known of each."""
    if access.as_compiled is not None:
        return f"{words.compiled(access.as_compiled, access.space)} ({access.as_compiled.status})"
    if kernel.as_written:
        return NOT_LOOKED_AT
    certain = access.status == "exact" or (
        counts.mean_low == counts.mean_high and access.reason != "compiler"
    )
    return "the same" if certain else "within these bounds"


def _told(kernel: facts.Kernel) -> set[str]:
    """Assumptions that stand above already."""
    if kernel.launch.grid is not None:
        return set()
    block = "x".join(map(str, kernel.launch.block))
    return {*kernel.assumptions, f"block {block} is assumed"}


def _places(access: facts.Access, device: Device, say: Callable[[str], str]) -> Iterator[str]:
    """The lanes of the costliest request by bank or sector, the fullest first."""
    if access.example is None or access.space not in UNITS:
        return
    (x, y, z), warp = access.example.block, access.example.warp
    changed = ", as written" if access.as_compiled is not None else ""
    yield say(
        f"block ({x}, {y}, {z}), warp {warp}{changed}: {words.plural(access.example.count, UNITS[access.space])}"
    )
    if access.space == "shared":
        lanes = lane_map.together(access, device)
        places = [p for p in lane_map.banks(access, device, 0, lanes) if p.load]
        if lanes < device.warp_lanes:
            yield say(f"lanes 0-{lanes - 1} go together:")
        yield from _listed(
            places, _bank, f"{words.plural(len(places), 'bank')}, 1 word each: no conflict"
        )
    else:
        yield from _listed(
            lane_map.sectors(access, device),
            lambda p: f"sector {p.number}: {words.lanes(p.lanes)}",
            "",
        )


def _bank(place: lane_map.Demand) -> str:
    return (
        f"bank {place.number:>2}: {words.lanes(place.lanes)} ({words.plural(place.load, 'word')})"
    )


def _listed(
    places: Sequence[lane_map.Demand], line: Callable[[lane_map.Demand], str], even: str
) -> Iterator[str]:
    """`even`: what is said in place of a list where all are alike."""
    ranked = sorted(places, key=lambda place: (-place.load, place.number))
    if even and len(ranked) > 1 and ranked[0].load == 1:
        yield even
        return
    yield from map(line, ranked[:MOST_PLACES])
    if len(ranked) > MOST_PLACES:
        yield f"… {len(ranked) - MOST_PLACES} more"
