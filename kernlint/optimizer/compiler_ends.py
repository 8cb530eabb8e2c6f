"""Stores that several ways end in: those of early returns, and the one at the end.

In: the accesses of a walk, and those on each way to the end of a region or kernel. Out: risks by
site. Read in nvcc 13's machine code for sm_90 (628 kernels): of `if (c) { o[i] = 0; return; } …
o[i] = x;` one store of the selected value is left, on the last line, whatever lies between, and so
are pairs of stores, from the end. Of two ways both keep theirs where only the last one stores a
constant, and where one stores what it has just loaded from global memory and nothing before the
branch has needed the index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kernlint.ir import nodes as ir
from kernlint.optimizer import compiler_pairs as pairs
from kernlint.optimizer.compiler_accesses import Accesses
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_forms import Form
from kernlint.optimizer.compiler_state import Entry, Path

RISK = Risk("speculated", False, (0, 2), pairs.SERVES_BOTH)
Origins = Callable[[Form], set[int]]  # the loads that a value is one of


def stored_by_all(
    known: Accesses, origins: Origins, ways: Sequence[list[Entry]]
) -> dict[ir.AccessSite, Risk]:
    found: dict[ir.AccessSite, Risk] = {}
    storing = [way for way in ways if way and way[-1].store]
    met = [pairs.ends(one, other) for one, other in pairs.meeting(storing)]
    places = {id(e): place for place, e in enumerate(known.log)} if any(met) else {}
    for last, early in (pair for some in met for pair in some):
        stored = known.stored[places[id(last)]], known.stored[places[id(early)]]
        if len(met) == len(met[0]) == 1 and _stay_apart(known, origins, (last, early), stored):
            continue
        sources = [[origins(x) for x in some] for some in stored]
        direct = {
            a for one, other in zip(*sources, strict=False) if one and other for a in one | other
        }
        found |= {
            e.site: RISK for e in (last, early, *(known.log[known.makers[a][0]] for a in direct))
        }
    return found


def ways_to(ends: Sequence[Path], log: Sequence[Entry]) -> list[list[Entry]]:
    """The accesses on each of several ways that meet at the end of a region, or of the kernel."""
    found: dict[tuple[int, int], list[Entry]] = {_mark(path): [] for path in ends if len(ends) > 1}
    for e in log if found else ():
        if (way := found.get(_mark(e.path))) is not None:
            way.append(e)
    return list(found.values())


def _mark(path: Path) -> tuple[int, int]:
    """Equal for equal ways: a step is one object on all of them."""
    return len(path), id(path[-1]) if path else 0


def _stay_apart(
    known: Accesses,
    origins: Origins,
    pair: tuple[Entry, Entry],
    stored: tuple[list[Form], list[Form]],
) -> bool:
    if [all(x.value is not None for x in some) for some in stored] == [True, False]:
        return True
    loads = [[known.log[known.makers[a][0]] for x in some for a in origins(x)] for some in stored]
    own = [
        {x.form for x in some if x.path == e.path and pairs.space(x) == "global"}
        for some, e in zip(loads, pair, strict=True)
    ]
    return len(stored[0]) == 1 and any(own) and not own[0] & own[1] and not _at_hand(known, pair[0])


def _at_hand(known: Accesses, last: Entry) -> bool:
    """Whether an access on the way to the branch has the same index."""
    before = (e for e in known.log if e.path != last.path and last.path[: len(e.path)] == e.path)
    return any(_index(known, e) == _index(known, last) for e in before)


def _index(known: Accesses, e: Entry) -> Form:
    return Form(tuple(t for t in e.form.terms if known.atoms.keys[t[0][0]][0] != "object"))
