"""Which bytes of a thread's own object an access at a changing index may touch: `few[n & 1]` the
first two elements.

In: entries of a walk. Out: stretches of bytes. What nobody reads any more is not needed where the
object is in registers (read in nvcc 13's machine code for sm_90, 288 kernels: of `few[2] = q[i];
few[n & 1] = r[i]; o[i] = few[0];` the load of `q` is dropped).
"""

from __future__ import annotations

from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_forms import Atoms, Form
from kernlint.optimizer.compiler_state import Entry, Path

Stretch = tuple[int, int]  # the first byte, and the first behind


def reach(entry: Entry, place: int | None, size: int, atoms: Atoms) -> Stretch:
    """The bytes that one value of an access may lie in."""
    whole = 0, (entry.memory.size if entry.memory is not None else None) or 1 << 31
    low = high = entry.form.constant + (entry.first if place is None else place)
    for monomial, factor in entry.form.terms:
        if atoms.keys[monomial[0]] == ("object", entry.memory):
            continue
        most = _most(monomial[0], atoms) if len(monomial) == 1 and factor > 0 else None
        if most is None:
            return whole
        high += factor * most
    return low, high + (entry.size if place is None else size)


def _most(a: int, atoms: Atoms) -> int | None:
    """The largest value of what is never negative, where its operation tells it."""
    key = atoms.keys[a]
    parts = [p for p in key if isinstance(p, Form)]
    if (
        key[0] == "convert"
        and len(parts) == 1
        and len(parts[0].terms) == 1
        and parts[0].terms[0][1] == 1
        and not parts[0].constant
    ):
        monomial = parts[0].terms[0][0]
        return _most(monomial[0], atoms) if len(monomial) == 1 else None
    known = [p.value for p in parts if p.value is not None]
    if key[0] == "&" and known and known[0] >= 0:
        return known[0]
    return None


Loops = frozenset[ir.Statement]


def loops(path: Path) -> Loops:
    """Those on the way to an access."""
    return frozenset(s.statement for s in path if isinstance(s.statement, ir.Loop))


def may_follow(stored: tuple[int, Loops], loaded: tuple[int, Loops]) -> bool:
    """Whether a load comes after a store, or in a later turn of a loop around both. Each is given
    by its place in order and the loops around it."""
    return loaded[0] >= stored[0] or not loaded[1].isdisjoint(stored[1])
