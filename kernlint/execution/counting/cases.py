"""What an unknown decides, in words: counts per residue to conditions such as `pitch % 32 == 0`.

In: what one request counts, least and most, for each residue of an unknown modulo some number, and
for single values of it. Out: (condition, counts) pairs: the first condition that holds decides, the
commonest outcome comes last as "otherwise". Every condition is complete and can be evaluated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

Range = tuple[float, float]
Conditions = list[tuple[str, Range]]
ALWAYS, OTHERWISE = "always", "otherwise"
MOST_LISTED = 4  # numbers that are listed, where ranges of them can be named instead
MOST_RUNS = 3


def conditions(
    name: str,
    modulus: int,
    classes: Mapping[int, Range],
    values: Mapping[int, Range],
    bounds: Range,
) -> Conditions:
    """`classes` maps residues of `name` modulo `modulus` to counts per request, `values` what it
    may be itself, as 0 for a stride. What lies outside the `bounds` of all counts rests on other
    assumptions than these: a condition excludes it then."""
    classes = {residue: _within(counts, bounds) for residue, counts in classes.items()}
    if not classes:
        return _in_words(name, 0, values)
    apart = {
        value: counts
        for value, counts in values.items()
        if _rounded(classes.get(value % modulus, (-1.0, -1.0))) != _rounded(counts)
    }
    excluded = [value for value, counts in apart.items() if not _inside(counts, bounds)]
    if excluded:
        return _excluding(excluded, name, modulus, classes)
    found = _in_words(name, modulus, classes)
    if not apart:
        return found
    if len(found) == 1:
        found = [(OTHERWISE, found[0][1])]
    alone = [(_class_of(name, 0, some, set()), counts) for counts, some in _groups(apart)]
    return [*alone, *found]


def _excluding(
    values: list[int], name: str, modulus: int, classes: Mapping[int, Range]
) -> Conditions:
    groups = _groups(classes)
    if len(groups) == 1:
        return []
    found = []
    for counts, residues in groups:
        text = _class_of(name, modulus, residues, set(classes))
        held = [value for value in values if value % modulus in residues]
        text = f"({text})" if " or " in text and held else text
        found.append(("".join((text, *(f" and {name} != {value}" for value in held))), counts))
    return found


def _in_words(name: str, modulus: int, counts: Mapping[int, Range]) -> Conditions:
    groups = _groups(counts)
    if len(groups) == 1:
        return [(ALWAYS, groups[0][0])]
    found = [
        (_class_of(name, modulus, residues, set(counts)), some) for some, residues in groups[:-1]
    ]
    return [*found, (OTHERWISE, groups[-1][0])]


def _groups(counts: Mapping[int, Range]) -> list[tuple[Range, list[int]]]:
    """The residues that count alike, those of the fewest residues and highest counts first."""
    groups: dict[Range, list[int]] = defaultdict(list)
    for residue, some in sorted(counts.items()):
        groups[_rounded(some)].append(residue)
    return sorted(groups.items(), key=lambda item: (len(item[1]), -item[0][1], -item[0][0]))


def _rounded(counts: Range) -> Range:
    return round(counts[0], 6), round(counts[1], 6)


def _within(counts: Range, bounds: Range) -> Range:
    low, high = (min(max(count, bounds[0]), bounds[1]) for count in counts)
    return low, high


def _inside(counts: Range, bounds: Range) -> bool:
    return _rounded(_within(counts, bounds)) == _rounded(counts)


def _class_of(name: str, modulus: int, residues: list[int], every: set[int]) -> str:
    listed = ", ".join(map(str, residues))
    if not modulus:
        return f"{name} == {listed}" if len(residues) == 1 else f"{name} in {{{listed}}}"
    for divisor in range(2, modulus + 1):
        if modulus % divisor == 0:
            first = residues[0] % divisor
            if {r for r in every if r % divisor == first} == set(residues):
                return f"{name} % {divisor} == {first}"
            if {r for r in every if r % divisor} == set(residues):
                return f"{name} % {divisor} != 0"
    runs = _runs(residues, sorted(every))
    if len(residues) > MOST_LISTED and len(runs) <= MOST_RUNS:
        return " or ".join(_run_in_words(f"{name} % {modulus}", run, every) for run in runs)
    return f"{name} % {modulus} in {{{listed}}}"


def _runs(residues: list[int], every: list[int]) -> list[tuple[int, int]]:
    """First and last of the residues that follow one another among all."""
    places = [every.index(residue) for residue in residues]
    starts = [0, *(i + 1 for i, (a, b) in enumerate(pairwise(places)) if b != a + 1)]
    ends = [*(start - 1 for start in starts[1:]), len(residues) - 1]
    return [(residues[a], residues[b]) for a, b in zip(starts, ends, strict=True)]


def _run_in_words(name: str, run: tuple[int, int], every: set[int]) -> str:
    first, last = run
    if first == last:
        return f"{name} == {first}"
    if first == min(every):
        return f"{name} <= {last}"
    return f"{name} >= {first}" if last == max(every) else f"{first} <= {name} <= {last}"
