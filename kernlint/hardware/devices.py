"""Device profiles: what a kernel runs on, as data.

In: the TOML files of `profiles/`, where every figure stands with its source. Out: frozen `Device`
values. Never: a device's name in code, or a figure without a source.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from kernlint.base.dataclass import dataclass
from kernlint.base.tables import parsed
from kernlint.base.usage import DEFAULT_DEVICE
from kernlint.hardware import gpu_names
from kernlint.hardware.forms import PipelineForm

OPERATIONS = ("load", "store", "atomic", "increment", "cas", "ldmatrix", "stmatrix", "copy")
MODES = ("words", "lanes", "groups")
# what marks a table of these sections as an entry
LEAVES = (
    ("shared.schedule.", "lanes"),
    ("elapsed.", "latency"),
)


@dataclass(frozen=True, slots=True)
class Schedule:
    """How one operation of one width passes through shared memory.

    The warp goes in groups of `lanes` consecutive lanes, one after the other, each taking as many
    wavefronts as its worst bank: `mode` "words" counts the distinct words a bank serves (lanes on
    one word share it), "lanes" the lanes themselves; "groups" counts every group once, whatever its
    lanes do, when any lane of the warp is active. `paired_lanes`: the group's size when for some x
    of `partners` every active lane l whose partner l^x is active reads the partner's address.
    `passes` multiplies the result. `certain` is False where the source is an assumption. `order`:
    all lanes of the warp in the order in which groups take them, where that is not the lanes' own.
    """

    lanes: int
    mode: str = "words"
    passes: int = 1
    paired_lanes: int = 0
    partners: tuple[int, ...] = ()
    certain: bool = True
    order: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Device:
    """One profile, of which there is one object. Sizes in bytes, latencies in the unit their key
    names; None where no source gives the figure.

    `shared_window`: bytes at the start of a block's shared memory that the system keeps. `sources`
    maps a dotted key of the profile ("shared.banks") to where its figure is from.
    """

    name: str
    title: str
    vendor: str
    capability: int | None  # compute capability, 90 for 9.0; None outside CUDA
    warp_lanes: int
    widths: tuple[int, ...]  # of one lane's access
    banks: int
    bank_bytes: int
    shared_window: int
    # sizes that an SM's shared memory can be set to, the L1 cache taking the rest; () when there
    # is no choice
    carveouts: tuple[int, ...]
    schedules: Mapping[tuple[str, int], Schedule]
    sector_bytes: int
    line_bytes: int
    # a 16-byte asynchronous copy's blocks (shared bytes, global bytes); see
    # sectors.copy_sector_rows
    bypass_copy: tuple[int, int] | None
    limits: Mapping[str, int]
    latencies: Mapping[str, float]
    # section "throughput": per cycle of an SM or of the device, or per second, as the key says
    rates: Mapping[str, float]
    overheads: Mapping[str, float]  # section "overhead": what barriers, blocks and launches cost
    clocks: Mapping[str, float]  # section "clock", MHz
    c1: float
    c2: float
    # section "elapsed": the pipelined form by operation and width
    forms: Mapping[tuple[str, int], PipelineForm]
    sources: Mapping[str, str]
    calibration: Mapping[str, str]  # how the measured figures came about; empty where none were

    def schedule(self, op: str, width: int) -> Schedule:
        """The shared-memory schedule of `op` at `width` bytes; ValueError when the device has
        none."""
        found = self.schedules.get((op, width))
        if found is not None:
            return found
        widths = sorted(w for o, w in self.schedules if o == op)
        if not widths:
            known = ", ".join(sorted({o for o, _ in self.schedules}))
            raise ValueError(
                f"{self.name} has no shared operation {op!r}{gpu_names.near(op, known.split(', '))}; it has {known}"
            )
        raise ValueError(
            f"{self.name} has no shared {op} of width {width!r} bytes; it has {', '.join(map(str, widths))}"
        )


def names() -> tuple[str, ...]:
    """The profiles' names, sorted."""
    return tuple(
        sorted(
            entry.name.removesuffix(".toml")
            for entry in _folder().iterdir()
            if entry.name.endswith(".toml")
        )
    )


def device(name: str) -> Device:
    """The profile of a device by its name, as people and tools write it, or the one in the file
    `name` where that ends in .toml, as `kernlint calibrate` writes them.

    ValueError with the nearest name when there is none, and where a file cannot be read or makes no
    sense.
    """
    return _device(name if name.endswith(".toml") else _known(name))


@cache
def _device(name: str) -> Device:
    return from_toml(os.path.basename(name).removesuffix(".toml"), source_text(name))


def _known(name: str) -> str:
    """The profile's own name."""
    known = names()
    if name in known:
        return name
    profile = gpu_names.profile_of(name, known)
    if profile is None:
        advice = gpu_names.advice(name, capabilities())
        kind = ", an architecture" if gpu_names.architectures(name) else ""
        meant = f"{kind}{advice}" or gpu_names.near(gpu_names.spelled(name), known)
        raise ValueError(f"unknown device {name!r}{meant}; known devices: {', '.join(known)}")
    return profile


def source_text(name: str) -> str:
    """The TOML of a profile; as for `device`."""
    if name.endswith(".toml"):
        try:
            with open(name, encoding="utf-8") as file:
                return file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(
                f"the device profile {name} cannot be read: {getattr(error, 'strerror', None) or error}"
            ) from None
    return str((_folder() / f"{_known(name)}.toml").read_text(encoding="utf-8"))


def resolve(which: str | Device) -> Device:
    """A profile by name, or the profile itself."""
    return which if isinstance(which, Device) else device(which)


def from_toml(name: str, text: str) -> Device:
    """Read one profile; ValueError where a figure or its source is missing or makes no sense."""
    try:
        [table] = parsed("profile", [text])
    except ValueError as error:
        raise ValueError(f"profile {name!r} is no TOML: {error}") from None
    for key in ("title", "vendor"):
        if not isinstance(table.get(key), str):
            raise ValueError(f"profile {name!r} lacks {key}")
    figures = dict(_figures(table, ""))
    sources = {
        key: entry["source"]
        for key, entry in figures.items()
        if isinstance(entry.get("source"), str)
    }
    lacking = sorted(set(figures) - set(sources))
    if lacking:
        raise ValueError(f"profile {name!r} states no source for {', '.join(lacking)}")

    def figure(key: str) -> Any:
        if key not in figures:
            raise ValueError(f"profile {name!r} lacks {key}")
        return figures[key]["value"]

    def section(prefix: str) -> dict[str, Any]:
        return {
            key.removeprefix(prefix): entry["value"]
            for key, entry in figures.items()
            if key.startswith(prefix)
        }

    result = Device(
        name=name,
        title=table["title"],
        vendor=table["vendor"],
        capability=table.get("capability"),
        warp_lanes=figure("warp.lanes"),
        widths=tuple(figure("warp.widths")),
        banks=figure("shared.banks"),
        bank_bytes=figure("shared.bank_bytes"),
        shared_window=figure("shared.window"),
        carveouts=tuple(figures["shared.carveouts"]["value"])
        if "shared.carveouts" in figures
        else (),
        schedules=MappingProxyType(
            {key: Schedule(**fields) for key, fields in _entries(figures, "shared.schedule.")}
        ),
        sector_bytes=figure("memory.sector_bytes"),
        line_bytes=figure("memory.line_bytes"),
        bypass_copy=tuple(figure("memory.bypass_copy"))
        if "memory.bypass_copy" in figures
        else None,
        limits=MappingProxyType(section("limits.")),
        latencies=MappingProxyType(section("latency.")),
        rates=MappingProxyType(section("throughput.")),
        overheads=MappingProxyType(section("overhead.")),
        clocks=MappingProxyType(section("clock.")),
        c1=float(figure("timing.c1")),
        c2=float(figure("timing.c2")),
        forms=MappingProxyType(
            {key: PipelineForm(**fields) for key, fields in _entries(figures, "elapsed.")}
        ),
        sources=MappingProxyType(sources),
        calibration=MappingProxyType(
            {key: str(value) for key, value in table.get("calibration", {}).items()}
        ),
    )
    _check(result)
    return result


def _folder() -> Any:
    return resources.files(__package__) / "profiles"


def _figures(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every leaf that is a figure (`{ value = …, source = … }`), a schedule (`{ lanes = …, source =
    … }`) or a form (`{ latency = …, source = … }`), by dotted key."""
    for key, entry in table.items():
        if not isinstance(entry, dict):
            continue
        if "value" in entry or any(
            prefix.startswith(section) and mark in entry for section, mark in LEAVES
        ):
            yield prefix + key, entry
        else:
            yield from _figures(entry, f"{prefix}{key}.")


def _entries(
    figures: Mapping[str, Mapping[str, Any]], section: str
) -> Iterator[tuple[tuple[str, int], dict[str, Any]]]:
    """Keys look like "shared.schedule.load.8"; one entry may serve several widths:
    "shared.schedule.load.1,2,4"."""
    for key, entry in figures.items():
        if key.startswith(section):
            op, widths = key.removeprefix(section).split(".")
            given = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in entry.items()
                if name != "source"
            }
            yield from (((op, int(width)), given) for width in widths.split(","))


def _check(profile: Device) -> None:
    powers = {
        what: getattr(profile, what)
        for what in ("warp_lanes", "banks", "bank_bytes", "sector_bytes", "line_bytes")
    }
    powers |= {f"width {width}": width for width in profile.widths}
    for what, value in powers.items():
        if value <= 0 or value & (value - 1):
            raise ValueError(f"profile {profile.name!r}: {what} = {value} is not a power of two")
    for (op, width), schedule in profile.schedules.items():
        sizes = {schedule.lanes} | ({schedule.paired_lanes} if schedule.paired_lanes else set())
        unordered = schedule.order and sorted(schedule.order) != list(range(profile.warp_lanes))
        wrong = op not in OPERATIONS or schedule.mode not in MODES or unordered
        if wrong or any(size <= 0 or profile.warp_lanes % size for size in sizes):
            raise ValueError(
                f"profile {profile.name!r}: the schedule of {op} at {width} bytes is not valid"
            )


def of_architecture(name: str, chosen: str | None = None) -> str:
    """The profile of an architecture such as sm_80, as nvcc names it: `chosen`, which must have it,
    else the default device or the first.

    ValueError with the nearest one where there is none, or where the chosen one has another."""
    found = gpu_names.ARCHITECTURE.fullmatch(name.lower())
    if chosen is not None:
        capability = device(chosen).capability
        if found and int(found[1]) == capability:
            return chosen
        has = f"is sm_{capability}" if capability else "has no such architecture"
        raise ValueError(f"{name} contradicts the device {chosen}, which {has}: keep one")
    having = [own for own, one in capabilities().items() if found and one == int(found[1])]
    if having:
        return min(having, key=lambda own: (own != DEFAULT_DEVICE, own))
    if profile := gpu_names.profile_of(name, names()):
        raise ValueError(f"{name} is a device, not an architecture: use `--device {profile}`")
    advice = gpu_names.advice(name, capabilities())
    known = gpu_names.listed(capabilities())
    meant = advice or gpu_names.near(name, [f"sm_{n}" for n in capabilities().values()])
    raise ValueError(f"no device profile has the architecture {name!r}{meant}; known: {known}")


@cache
def capabilities() -> Mapping[str, int]:
    """The compute capability of each profile that has one."""
    found = {name: device(name).capability for name in names()}
    return {name: capability for name, capability in found.items() if capability is not None}
