"""Profiles of devices that were not measured here: what is assumed says so and is what it claims to
be, and figures of independent documents agree with each other."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from kernlint import hardware

MEASURED = {"h100", "h200"}
OTHERS = sorted(set(hardware.names()) - MEASURED)
TAKEN = re.compile(r"assumed from (?P<name>[a-z0-9-]+)")
REASON = re.compile(r"assumed(: .{10,}| from [a-z0-9-]+.*| as for .*)")


def figures(name: str) -> dict[str, dict[str, Any]]:
    """Every figure and schedule of a profile as its file has it, by dotted key."""
    found: dict[str, dict[str, Any]] = {}

    def walk(table: dict[str, Any], prefix: str) -> None:
        for key, entry in table.items():
            if isinstance(entry, dict) and "source" in entry:
                found[prefix + key] = entry
            elif isinstance(entry, dict):
                walk(entry, f"{prefix}{key}.")

    walk(tomllib.loads(hardware.source_text(name)), "")
    return found


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_taken_over_is_what_the_other_profile_has(name: str) -> None:
    """`assumed from h100` has h100's very figure; a schedule its way to count, by the lanes of the
    device's own warp."""
    taken = 0
    for key, entry in figures(name).items():
        found = TAKEN.match(entry["source"])
        if found is None:
            continue
        taken += 1
        if key.startswith("shared.schedule."):
            op, widths = key.removeprefix("shared.schedule.").split(".")
            width = 4 if "4" in widths.split(",") else int(widths.split(",")[-1])
            own, theirs = (
                hardware.device(which).schedule(op, width) for which in (name, found["name"])
            )
            assert (own.mode, own.passes, own.certain) == (theirs.mode, theirs.passes, False), key
        else:
            assert entry["value"] == figures(found["name"])[key]["value"], key
    assert taken


@pytest.mark.parametrize("name", OTHERS)
def test_every_assumption_has_its_reason(name: str) -> None:
    for key, entry in figures(name).items():
        text = entry["source"]
        assert len(text) > 8 and "TODO" not in text
        if "assumed" in text:
            assert REASON.fullmatch(text), (key, text)
            assert not key.startswith("shared.schedule.") or entry["certain"] is False, (
                "what rests on an assumption is not called exact"
            )


def test_a_reader_sees_which_figures_are_assumed(capsys: pytest.CaptureFixture[str]) -> None:
    from kernlint.cli.main import main

    for name in hardware.names():
        assert main(["devices", name]) == 0
        head, *lines = capsys.readouterr().out.splitlines()
        shown = {line.split()[0]: line for line in lines}
        assumed = sum("assumed" in line for line in lines)
        assert (
            f"({len(hardware.device(name).sources)} figures, {assumed or 'none'} of them assumed)"
            in head
        )
        for key, source in hardware.device(name).sources.items():
            assert shown[key].rstrip().endswith(source)


# Device: peak of 32-bit and 64-bit floats (TFLOPS), width of the memory's bus (bits) and rate of a
# pin (Gbit/s), as the vendors state them: P100, GTX 1080, V100, Turing, A100, GA102, Ada and RTX
# Blackwell whitepapers, technical brief of Jetson AGX Orin, AMD Instinct MI300X data sheet, Intel
# Data Center GPU Max series overview.
PEAKS = {
    "p100": (10.6, 5.3, 4096, 1.43),
    "gtx-1080": (8.87, 0.277, 256, 10.0),
    "t4": (8.1, 0.254, 256, 10.0),
    "rtx-2080": (10.1, 0.315, 256, 14.0),
    "v100": (15.7, 7.8, 4096, 1.754),
    "a100": (19.5, 9.7, 5120, 2.43),
    "rtx-3090": (35.6, 0.556, 384, 19.5),
    "jetson-orin": (5.3, 0.0832, 256, 6.4),
    "rtx-4090": (82.6, 1.29, 384, 21.0),
    "rtx-5090": (104.8, 1.64, 512, 28.0),
    "mi300x": (None, None, 8192, 5.2),
    "intel-xe-hpc": (None, None, 8192, 3.2),
}


@pytest.mark.parametrize("name", PEAKS)
def test_multiprocessors_clock_and_rates_give_the_stated_peak(name: str) -> None:
    device = hardware.device(name)
    single, double, bits, pin = PEAKS[name]
    assert device.rates["dram_bytes_per_second"] == pytest.approx(bits * pin * 1e9 / 8, rel=0.006)
    if single is not None and double is not None:
        per_rate = (
            2 * device.warp_lanes * device.limits["multiprocessors"] * device.clocks["sm_mhz"] / 1e6
        )
        assert device.rates["fma32_per_cycle"] * per_rate == pytest.approx(single, rel=0.01)
        assert device.rates["fma64_per_cycle"] * per_rate == pytest.approx(double, rel=0.01)


@pytest.mark.parametrize("name", hardware.names())
def test_figures_of_one_device_agree(name: str) -> None:
    device = hardware.device(name)
    limits, latencies = device.limits, device.latencies
    assert limits["shared_per_block"] <= limits["shared_per_block_optin"] <= limits["shared_per_sm"]
    assert limits["threads_per_block"] <= limits["warps_per_sm"] * device.warp_lanes
    if device.carveouts and "l1_shared_bytes" in limits:
        assert max(device.carveouts) == limits["shared_per_sm"] < limits["l1_shared_bytes"]
    kinds = [
        latencies[key]
        for key in ("shared_cycles", "l1_cycles", "l2_cycles", "global_cycles")
        if key in latencies
    ]
    assert kinds == sorted(kinds)
    if "instructions_per_cycle" in device.rates:
        assert device.rates["instructions_per_cycle"] <= limits["schedulers"]
        assert device.rates.get("fma32_per_cycle", 0) <= limits["schedulers"]
    if device.capability is not None and device.capability >= 70:
        assert device.banks * device.bank_bytes == 128 and device.rates[
            "shared_wavefronts_per_cycle"
        ] == pytest.approx(1, rel=0.001)
    if "shared_wavefronts_per_cycle" in device.rates:  # no bank serves two words in a cycle
        assert device.rates["shared_wavefronts_per_cycle"] <= 1


@pytest.mark.parametrize("name", ["v100", "t4", "rtx-2080", "a100", "rtx-3090", "rtx-4090", "b200"])
def test_arithmetic_of_the_guide(name: str) -> None:
    """CUDA C++ Programming Guide, throughput of native arithmetic instructions: results of an SM
    per clock, 32 of them a warp."""
    single = 64 if name in ("v100", "t4", "rtx-2080", "a100") else 128
    double = {"v100": 32, "a100": 32, "b200": 64}.get(name, 2)
    stated = {"fma32": single, "fma64": double, "multiply32": 64, "logic32": 64, "special32": 16}
    assert {key: 32 * hardware.device(name).rates[f"{key}_per_cycle"] for key in stated} == stated


@pytest.mark.parametrize("name", ["p100", "gtx-1080"])
def test_pascal(name: str) -> None:
    """CUDA C++ Programming Guide, compute capability 6.x: shared memory beside an L1 cache of its
    own, sectors of 32 bytes, half the schedulers in 6.0."""
    device = hardware.device(name)
    (shared,) = device.carveouts
    cache, schedulers = {"p100": (24, 2), "gtx-1080": (48, 4)}[name]
    assert device.limits["l1_shared_bytes"] - shared == cache * 1024
    assert device.limits["schedulers"] == device.limits["register_partitions"] == schedulers
    assert (device.sector_bytes, device.line_bytes, device.bypass_copy) == (32, 128, None)
    assert not any(op in ("ldmatrix", "stmatrix", "copy") for op, _ in device.schedules)
