"""What an unknown decides, in words: counts per residue to conditions such as `pitch % 32 == 0`.

In: counts for each residue of an unknown modulo some number. Out: (condition, count) pairs, the
commonest outcome last as "otherwise".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

MOST_LISTED = 4


def conditions(name: str, modulus: int, counts: Mapping[int, float]) -> list[tuple[str, float]]:
    """`counts` maps residues of `name` modulo `modulus` (0: its values) to a count per request."""
    groups: dict[float, list[int]] = defaultdict(list)
    for residue, count in sorted(counts.items()):
        groups[round(count, 6)].append(residue)
    ordered = sorted(groups.items(), key=lambda item: (len(item[1]), -item[0]))
    if len(ordered) == 1:
        return [("always", ordered[0][0])]
    found = [
        (_class_of(name, modulus, residues, set(counts)), count) for count, residues in ordered[:-1]
    ]
    return [*found, ("otherwise", ordered[-1][0])]


def _class_of(name: str, modulus: int, residues: list[int], every: set[int]) -> str:
    if not modulus:
        shown = ", ".join(map(str, residues[:MOST_LISTED])) + (
            ", …" if len(residues) > MOST_LISTED else ""
        )
        return f"{name} == {shown}" if len(residues) == 1 else f"{name} in {{{shown}}}"
    for divisor in range(2, modulus + 1):
        if modulus % divisor == 0:
            first = residues[0] % divisor
            if {r for r in every if r % divisor == first} == set(residues):
                return f"{name} % {divisor} == {first}"
    if len(residues) <= MOST_LISTED:
        return f"{name} % {modulus} in {{{', '.join(map(str, residues))}}}"
    return f"{name} % {modulus} in {{{', '.join(map(str, residues[:MOST_LISTED]))}, …}}"
