"""Why a number is not exact: the closed list. Keys are stable (they appear in reports); texts are for people."""

from __future__ import annotations

NOT_COUNTED = "its definition was not found: what it accesses is not counted"  # of a function that a kernel calls
REASONS: dict[str, str] = {
    "loaded-value": "depends on a value loaded from memory",
    "unknown-argument": "depends on an argument whose value is not known",
    "unknown-launch": "the launch configuration is not known",
    "unknown-type": "depends on a type that is not defined in the files seen",
    "unknown-function": "depends on a function that is not defined in the files seen",
    "unknown-pointer": "the pointer's target is not known",
    "unknown-alignment": "the alignment of the base address is not known",
    "uninitialised": "depends on a variable that is not initialised",
    "float-value": "depends on floating-point arithmetic that is not computed",
    "clock": "depends on a clock, a special register or a random value",
    "data-dependent-flow": "whether it executes depends on values loaded from memory",
    "unknown-trip-count": "the number of loop iterations is not known",
    "atomic-result": "depends on the result of an atomic operation, whose order is not defined",
    "lane-exchange": "depends on a lane exchange that is not computed",
    "budget": "the analysis stopped at its work budget",
    "unsupported": "uses a construct that kernlint does not analyse",
    "opaque-memory": "goes through an image, a texture or a union",
    "contention-data": "the cost depends on which values meet in one bank, which the data decides",
    "hardware-model": "the device's rule for this operation is assumed, not measured",
    "compiler": "the compiler may merge, forward, hoist or remove this access",
    "inlined-asm": "the compiler may charge or duplicate this instruction elsewhere",
}
