"""When an unknown parameter decides a bank conflict: the congruences, and what each costs.

In: lanes' byte offsets as known + multiplier * parameter, for one warp request. Out: cases, each a condition in the user's names
and the wavefronts that follow. Never: a guess; where no congruence decides, no case.

Banks repeat after banks * bank width bytes, so wavefronts depend on the parameter modulo a small number only, once it is large
enough that lanes with different multipliers cannot meet in one word.
"""

from __future__ import annotations

from math import gcd

import numpy as np
import numpy.typing as npt

from kernlint.facts import Case
from kernlint.hardware import Device, resolve, wavefront_rows


def residue_condition(parameter: str, modulus: int, divisor: int) -> str:
    """The text for "the greatest common divisor of parameter and modulus is divisor": `pitch % 32 == 0`, `pitch % 2 != 0`."""
    if divisor == modulus:
        return f"{parameter} % {modulus} == 0"
    if divisor == 1:
        return f"{parameter} % 2 != 0"
    return f"{parameter} % {2 * divisor} == {divisor}"


def deciding_modulus(multipliers: npt.ArrayLike, active: npt.ArrayLike, device: str | Device = "h100") -> int:
    """The number modulo which the parameter decides the banks of the active lanes relative to each other; 1 when it does not."""
    profile = resolve(device)
    chosen = np.asarray(multipliers, np.int64)[np.asarray(active, np.bool_)]
    period = profile.banks * profile.bank_bytes
    if not len(chosen):
        return 1
    step = int(np.gcd.reduce(chosen - chosen[0], initial=0))
    return period // gcd(period, step)


def residue_cases(
    parameter: str,
    known: npt.ArrayLike,
    multipliers: npt.ArrayLike,
    active: npt.ArrayLike,
    width: int,
    op: str = "load",
    device: str | Device = "h100",
) -> tuple[Case, ...]:
    """Wavefronts of a shared request whose lane l accesses byte known[l] + multipliers[l] * parameter, for every residue.

    Cases go by the power of two that divides the parameter; where more than that decides, by residues. Best case last. Empty
    when the parameter does not matter. Holds for parameters large enough to keep apart the words of lanes whose multipliers differ.
    """
    profile = resolve(device)
    modulus = deciding_modulus(multipliers, active, profile)
    if modulus == 1:
        return ()
    flags, apart, factor = (np.asarray(array) for array in (active, known, multipliers))
    flags = flags.astype(np.bool_)
    far = modulus * (int(np.ptp(apart[flags])) // modulus + 2 * width + 2)  # a multiple of the modulus beyond what `known` can bridge
    offsets = apart.astype(np.int64) + factor.astype(np.int64) * (np.arange(modulus, dtype=np.int64) + far)[:, None]
    counts = wavefront_rows(offsets, np.broadcast_to(flags, offsets.shape), width, op, profile).tolist()
    if len(set(counts)) == 1:
        return ()
    by_divisor: dict[int, set[int]] = {}
    for residue, count in enumerate(counts):
        by_divisor.setdefault(gcd(residue, modulus), set()).add(count)
    if all(len(found) == 1 for found in by_divisor.values()):
        cases = _merged(parameter, modulus, {divisor: found.pop() for divisor, found in by_divisor.items()})
    else:
        cases = _listed(parameter, modulus, counts)
    return tuple(sorted(cases, key=lambda case: -(case.wavefronts or 0)))


def _listed(parameter: str, modulus: int, counts: list[int]) -> list[Case]:
    """One case per count: its residues by number, those of the commonest count as "otherwise"."""
    groups = {count: [residue for residue, found in enumerate(counts) if found == count] for count in set(counts)}
    commonest = max(groups, key=lambda count: (len(groups[count]), count))
    cases = []
    for count, residues in groups.items():
        numbers = f"{', '.join(map(str, residues[:-1]))} or {residues[-1]}" if len(residues) > 1 else str(residues[0])
        condition = f"{parameter} % {modulus} is {numbers}" if len(residues) > 1 else f"{parameter} % {modulus} == {numbers}"
        cases.append(Case("otherwise" if count == commonest else condition, float(count), None))
    return cases


def _merged(parameter: str, modulus: int, counts: dict[int, int]) -> list[Case]:
    """One case per run of divisors with equal counts: from `% 32 == 0` down to odd."""
    runs: list[list[int]] = []
    for divisor in sorted(counts, reverse=True):
        if runs and counts[runs[-1][0]] == counts[divisor]:
            runs[-1].append(divisor)
        else:
            runs.append([divisor])
    return [Case(_run_text(parameter, modulus, run), float(counts[run[0]]), None) for run in runs]


def _run_text(parameter: str, modulus: int, run: list[int]) -> str:
    """The condition for a run of divisors, largest first."""
    if len(run) == 1:
        return residue_condition(parameter, modulus, run[0])
    if run[0] == modulus:
        return f"{parameter} % {run[-1]} == 0"
    above = f"{parameter} % {2 * run[0]} != 0"
    return above if run[-1] == 1 else f"{parameter} % {run[-1]} == 0 && {above}"
