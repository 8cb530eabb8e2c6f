"""What host code knows of the device that it asks for its properties.

In: values of a run of host code. Out: the numbers that they are on every device that has the
properties as all since Fermi have them: an assumption, since another device may differ.
"""

from __future__ import annotations

from collections.abc import Callable

from kernlint.execution.values.values import Atom, Value

# CUDA C++ Programming Guide, technical specifications per compute capability
DEVICE_HAS = {
    "maxThreadsPerBlock": 1024,
    "warpSize": 32,
    "cudaDevAttrMaxThreadsPerBlock": 1024,
    "cudaDevAttrMaxBlockDimX": 1024,
    "cudaDevAttrWarpSize": 32,
}
ATTRIBUTE = "cudaDevAttr"
OF_PROPERTIES = ("unknown-type", "unknown-function")  # why values of them are not known
_FOLLOWED: dict[str, Callable[..., int]] = {
    "/": lambda a, b: a // b,
    ">>": lambda a, b: a >> b,
    "*": lambda a, b: a * b,
    "convert": lambda a: a,
    "min": lambda *numbers: min(numbers),
    "max": max,
}


def is_property(atom: Atom) -> bool:
    return atom.name.startswith(ATTRIBUTE) and atom.reason in OF_PROPERTIES


def of_device(value: Value) -> int | None:
    """The number that a value is there, or the most that it is; None where anything else decides
    it."""
    parts = [value.known, *value.terms.values()]
    if not value.is_integer or not all(part.is_constant for part in parts):
        return None
    found = value.known.const
    for atom, factor in value.terms.items():
        number = _number(atom)
        if number is None:
            return None
        found += factor.const * number
    return found


def _number(atom: Atom) -> int | None:
    if atom.made is None:
        return DEVICE_HAS.get(atom.name) if atom.reason in OF_PROPERTIES else None
    operation, operands = atom.made
    numbers = [number for number in map(of_device, operands) if number is not None]
    enough = 1 if operation == "min" else len(operands)  # `min(n, most)` is at most the other
    is_followed = operation in _FOLLOWED and len(numbers) >= enough
    # of positive numbers alone, which Python divides and shifts as C does
    return _FOLLOWED[operation](*numbers) if is_followed and min(numbers) > 0 else None
