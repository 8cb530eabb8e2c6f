"""A device profile: every figure with where it is from. Goes in: a Device. Comes out: text or plain
dictionaries."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from kernlint.hardware import Device
from kernlint.render.style import Style

# others are called by the key's last part
FIELDS = {"warp.lanes": "warp_lanes", "shared.window": "shared_window"}
SECTIONS = {
    "limits": "limits",
    "latency": "latencies",
    "throughput": "rates",
    "overhead": "overheads",
    "clock": "clocks",
}


def to_json(device: Device) -> dict[str, Any]:
    figures = {
        key: {"value": _value(device, key), "source": source}
        for key, source in device.sources.items()
    }
    about = {
        "name": device.name,
        "title": device.title,
        "vendor": device.vendor,
        "capability": device.capability,
    }
    return about | {"figures": figures, "calibration": dict(device.calibration)}


def render(device: Device, style: Style) -> str:
    assumed = sum("assumed" in source for source in device.sources.values())
    counted = f"{len(device.sources)} figures, {assumed or 'none'} of them assumed"
    lines = [
        style.paint(f"{device.name}: {device.title}", "strong")
        + style.paint(f" ({counted})", "dim")
    ]
    wide = max(len(key) for key in device.sources)
    values = {key: _text(_value(device, key)) for key in device.sources}
    room = min(40, max(len(text) for text in values.values()))
    lines += [
        f"  {key:<{wide}}  {values[key]:<{room}}  {style.paint(source, 'dim')}"
        for key, source in device.sources.items()
    ]
    lines += [
        f"  {f'calibration.{key}':<{wide}}  {value}" for key, value in device.calibration.items()
    ]
    return "".join(style.plain(line) + "\n" for line in lines)


def _value(device: Device, key: str) -> Any:
    section, _, name = key.partition(".")
    if section in SECTIONS:
        return getattr(device, SECTIONS[section])[name]
    if key.startswith("shared.schedule."):
        op, widths = key.removeprefix("shared.schedule.").split(".")
        return asdict(device.schedule(op, int(widths.split(",")[0])))
    if section == "elapsed":
        op, widths = name.split(".")
        return asdict(device.forms[op, int(widths.split(",")[0])])
    return getattr(device, FIELDS.get(key, name))


def _text(value: Any) -> str:
    """Schedules in words: lanes at a time, and what makes them fewer passes."""
    if isinstance(value, dict) and "latency" in value:
        return f"{value['latency']:g} cycles, then {value['wavefront']:g} a wavefront"
    if not isinstance(value, dict):
        return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    text = f"{value['lanes']} lanes at a time"
    if value["paired_lanes"]:
        text += f", {value['paired_lanes']} when paired"
    if value["mode"] == "lanes":
        text += ", lane by lane"
    if value["order"]:
        text += ", not neighbours"
    return text + (f", {value['passes']} passes" if value["passes"] > 1 else "")
