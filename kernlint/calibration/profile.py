"""A device profile out of a calibration.

Goes in: raw data, fits, the text of a profile whose rules hold for the device too. Comes out: the
text of the new profile. What was not measured here (banks, phases, sectors, most limits) is the
base profile's, as assumption where its generation is another.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from kernlint.calibration.raw import Raw
from kernlint.calibration.results import FIRST, RUNS_NOTE, Fitted, Key, barrier
from kernlint.hardware import PipelineForm

OF_A_MODEL = ("multiprocessors", "l2_bytes")  # limits in which devices of one generation differ
LATENCIES = (
    "shared_cycles",
    "shared_atomic_cycles",
    "l1_cycles",
    "l2_cycles",
    "global_cycles",
    "instruction_cycles",
)
THROUGHPUTS = (
    "shared_wavefronts_per_cycle",
    "l1_sectors_per_cycle",
    "l2_sectors_per_cycle",
    "l2_sectors_per_cycle_one_sm",
    "l2_write_sectors_per_cycle",
    "dram_bytes_per_second",
    "dram_write_bytes_per_second",
    "instructions_per_cycle",
    "fma32_per_cycle",
    "multiply32_per_cycle",
    "logic32_per_cycle",
    "fma64_per_cycle",
    "special32_per_cycle",
)
PROFILED = "20 launches of an empty kernel under Nsight Compute"
OVERHEADS = {  # key of the profile: name of the measurement
    "block_cycles": "block_1_cycles",
    "block_cycles_32_warps": "block_32_cycles",
    "block_turnaround_cycles": "block_turnaround_cycles",
    "launch_ns": "graph_launch_ns",
    "profiled_launch_cycles": "profiled_launch_cycles",
}


def text(title: str, raw: Raw, fitted: Mapping[Key, Fitted], base: str, base_name: str) -> str:
    """The profile's TOML. `base`: the text of the profile called `base_name`."""
    parts = [
        f"title = {json.dumps(title)}",
        'vendor = "NVIDIA"',
        f"capability = {raw.properties['capability']:.0f}",
        "",
    ]
    known = tomllib.loads(base)
    parts += _rules(
        base,
        ""
        if known.get("capability") == raw.properties["capability"]
        else f"assumed as for {base_name}: ",
    )
    parts += _limits(known, raw)
    for section, rows in _sections(raw, fitted):
        parts += [f"[{section}]", *rows, ""]
    return "\n".join(parts)


def _rules(base: str, assumed: str) -> Iterator[str]:
    """The base's sections on warps, shared memory and sectors; of another generation they are
    assumptions."""
    inside = False
    for line in base.splitlines():
        if line.startswith("["):
            inside = line[1:].split(".")[0].rstrip("]") in ("warp", "shared", "memory")
        if inside and assumed:
            line = line.replace('source = "', f'source = "{assumed}')
            if "lanes = " in line and "value" not in line and "certain" not in line:
                line = line.replace(", source", ", certain = false, source")
        if inside:
            yield line


def _limits(known: Mapping[str, Any], raw: Raw) -> Iterator[str]:
    """The base's limits where the device says the same, the device's own elsewhere."""
    source = f"cudaGetDeviceProperties, {raw.about['gpu']}"
    own = {
        name: int(value)
        for name, value in raw.properties.items()
        if name not in ("capability", "shared_window")
    }
    yield "[limits]"
    limits = {name: dict(entry) for name, entry in known["limits"].items()}
    for name, value in own.items():
        if name in OF_A_MODEL or limits.get(name, {}).get("value") != value:
            limits[name] = {"value": value, "source": source}
    for name, entry in limits.items():
        yield f"{name} = {{ value = {entry['value']}, source = {json.dumps(entry['source'], ensure_ascii=False)} }}"
    yield ""


def _sections(raw: Raw, fitted: Mapping[Key, Fitted]) -> Iterator[tuple[str, list[str]]]:
    by = f"kernlint calibrate on {raw.about['gpu']}, {raw.about['date']}"

    def measured(name: str) -> str:
        _, least, most = raw.machine[name]
        count = PROFILED if name == "profiled_launch_cycles" else raw.about["machine repeats"]
        return f"{by}: median of {count}, {_number(least)} to {_number(most)}"

    yield (
        "latency",
        [
            *(_figure(name, raw.machine[name][0], measured(name)) for name in LATENCIES),
            _figure(
                "clock_read_cycles", raw.clocks[0], f"{by}: two readings with nothing between them"
            ),
        ],
    )
    yield (
        "throughput",
        [_figure(name, raw.machine[name][0], measured(name)) for name in THROUGHPUTS],
    )
    cost = barrier(raw)
    yield (
        "overhead",
        [
            _figure("barrier_cycles", cost.base, f"{by}: least squares over 1 to 32 warps"),
            _figure(
                "barrier_cycles_per_warp", cost.each, f"{by}: least squares over 1 to 32 warps"
            ),
            *(
                _figure(key, raw.machine[name][0], measured(name))
                for key, name in OVERHEADS.items()
                if name in raw.machine
            ),
        ],
    )
    clocks = [_figure("sm_mhz", raw.machine["sm_mhz"][0], measured("sm_mhz"))]
    if raw.about.get("memory MHz"):
        clocks.append(
            _figure(
                "memory_mhz", float(raw.about["memory MHz"]), "nvidia-smi, before the measurements"
            )
        )
    yield "clock", clocks
    line = fitted[FIRST].line
    note = f"{by}, R² = {line.quality.r2:.5f}"
    yield "timing", [_figure("c1", line.c1, note), _figure("c2", line.c2, note)]
    for op in dict.fromkeys(op for op, _ in fitted):
        yield (
            f"elapsed.{op}",
            [_form(width, found, by) for (kind, width), found in fitted.items() if kind == op],
        )
    yield (
        "calibration",
        [
            f"{_key(key)} = {json.dumps(value, ensure_ascii=False)}"
            for key, value in raw.about.items()
        ],
    )


def _figure(name: str, value: float, source: str) -> str:
    return f"{name} = {{ value = {_number(value)}, source = {json.dumps(source, ensure_ascii=False)} }}"


def _form(width: int, found: Fitted, by: str) -> str:
    """A form's constants, those left at their defaults left out."""
    given = {
        field.name: getattr(found.form, field.name)
        for field in fields(PipelineForm)
        if getattr(found.form, field.name) != field.default
    }
    constants = ", ".join(f"{name} = {value:g}" for name, value in given.items())
    source = f"{by}: {RUNS_NOTE.format(found.held.points, 100 * found.held.median, 100 * found.held.p95)}"
    return f'"{width}" = {{ {constants}, source = {json.dumps(source, ensure_ascii=False)} }}'


def _number(value: float) -> str:
    """Five digits; whole numbers in full."""
    short = float(f"{value:.5g}")
    return str(int(short)) if short == int(short) else repr(short)


def _key(text: str) -> str:
    return re.sub(r"\W+", "_", text)
