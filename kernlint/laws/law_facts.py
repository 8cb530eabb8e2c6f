"""Laws as facts: the accesses of a kernel with their formulas as texts.

In: the facts of a kernel, what it was lowered to, a device. Out: the same facts with `law` filled
in. Each law is held against a few counted launches first; one that they contradict is not given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache

import sympy

from kernlint.hardware import Device
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.laws import domain
from kernlint.laws.block_sizes import formulas
from kernlint.laws.branch_law import BranchFormulas
from kernlint.laws.check import Held, branch_key_of, by_key, check, key_of
from kernlint.laws.functions import Value, by_common_factors, symbol
from kernlint.laws.grammar import law_text, parse_law
from kernlint.laws.law import NOT_REACHED, AccessLaw
from kernlint.laws.patterns import SPACES, NoLaw
from kernlint.laws.solving import together
from kernlint.model import facts

POINTS = 4  # counted launches that each law is held against
ENOUGH = 2  # of them, where they count every access
PRIME = "'"  # behind a name that something else has
DIVERGENT = "divergent"
UNCOUNTED_SPACES = ("constant", "local", "texture")  # no law is of them
UNCONFIRMED = "no counted launch could confirm it"
SAME_PLACE = "several accesses or branches share this place and text"
CONTRADICTED = "counted launches contradict the formula that was found"


def with_laws(kernel: facts.Kernel, lowered: ir.Kernel, device: Device) -> facts.Kernel:
    """The kernel with a law, or the reason why there is none, at each access."""
    made = formulas(lowered, kernel.launch, device)
    found, forks = made.accesses, made.branches
    held = check(
        lowered, kernel.launch, device, found, POINTS, branches=forks, own=kernel, enough=ENOUGH
    )
    keys = by_key(found, key_of)
    several = {key_of(site) for site in found} - set(keys)
    sites = [keys.get(key_of(access)) for access in kernel.accesses]
    by_access = [None if site is None else _held(site, found[site], held) for site in sites]
    remedies = _remedies(kernel, by_access)
    accesses = []
    for access, site, law in zip(kernel.accesses, sites, by_access, strict=True):
        why = SAME_PLACE if key_of(access) in several else NOT_REACHED
        meanings = {} if site is None else made.meanings[site]
        law_fact = replace(_fact(law, meanings, why), confirmed=held.confirms(site))
        remedy = remedies.get((access.object, access.object_span))
        if remedy is not None and law is not None and law.least is not None:
            law_fact = replace(law_fact, remedy=stable_text(remedy))
        accesses.append(replace(access, law=law_fact))
    by_key_of = by_key(forks, branch_key_of)
    several_forks = {branch_key_of(fork) for fork in forks} - set(by_key_of)
    at = [by_key_of.get(branch_key_of(branch)) for branch in kernel.branches]
    by_branch = [None if fork is None else _held_branch(fork, forks[fork], held) for fork in at]
    branches = []
    for branch, fork, law_of in zip(kernel.branches, at, by_branch, strict=True):
        why = SAME_PLACE if branch_key_of(branch) in several_forks else NOT_REACHED
        branches.append(replace(branch, law=_branch_fact(law_of, held.confirms(fork), why)))
    left_out = _left_out(kernel, lowered, found)
    whole = _kernel_fact(kernel, device, by_access, by_branch, left_out, made.ranges)
    return replace(kernel, accesses=tuple(accesses), branches=tuple(branches), law=whole)


def _held_branch(site: ir.BranchSite, law: BranchFormulas, held: Held) -> BranchFormulas:
    if any(one.site is site for one in held.differences):
        return BranchFormulas(None, None, (), CONTRADICTED)
    return law


def _branch_fact(law: BranchFormulas | None, confirmed: bool, why: str) -> facts.BranchLaw:
    """`why`: there is none."""
    if law is None:
        return facts.BranchLaw(None, None, (), why)
    return facts.BranchLaw(
        _text(law.evaluations), _text(law.divergent), _relations(law.domain), law.reason, confirmed
    )


def _kernel_fact(
    kernel: facts.Kernel,
    device: Device,
    accesses: Sequence[AccessLaw | None],
    branches: Sequence[BranchFormulas | None],
    left_out: Set[str],
    ranges: Mapping[Value, tuple[int, int]],
) -> facts.KernelLaw:
    """Sums over all accesses and branches; None where one of them has no formula, or where
    something else counts (`left_out`)."""
    counted: dict[str, list[Value | None]] = {
        unit: [None] if unit in left_out else [] for unit in SPACES.values()
    }
    for access, law in zip(kernel.accesses, accesses, strict=True):
        for unit in _units(access, law):
            counted[unit].append(_counting(law, unit))
    forks = [None if law is None else law.divergent for law in branches]
    divergent = _total([*forks, None] if DIVERGENT in left_out else forks)
    wavefronts, sectors = (_total(parts) for parts in counted.values())
    sums = dict(zip(SPACES.values(), (wavefronts, sectors), strict=True))
    resting = [law.domain for law in accesses if law and sums.get(law.counted) is not None]
    resting += [law.domain for law in branches if law and divergent is not None]
    where = dict.fromkeys(low for lows in resting for low in lows)
    blocks = sympy.Mul(*(symbol(f"gd{axis}") for axis in "xyz"))
    cycles = None
    if wavefronts is not None and wavefronts != 0:
        c1, c2 = (sympy.Rational(str(value)) for value in (device.c1, device.c2))
        each = sympy.expand(wavefronts / blocks)
        cycles = None if _has_quotients(each) else c1 * each + c2
    texts = [_text(part) for part in (wavefronts, sectors, divergent, cycles)]
    return facts.KernelLaw(
        texts[0], texts[1], texts[2], texts[3], _relations(_needed(list(where), ranges)),
        tuple(_line_facts(kernel, accesses)),
    )  # fmt: skip


def _needed(lows: list[Value], ranges: Mapping[Value, tuple[int, int]]) -> list[Value]:
    """Without what others imply, where these are few enough to tell."""
    try:
        return domain.needed(lows, ranges)
    except NoLaw:
        return lows


def _line_facts(kernel: facts.Kernel, laws: Sequence[AccessLaw | None]) -> Iterator[facts.LineLaw]:
    """Sums over the accesses of each line that has several."""
    lines: dict[tuple[str, int], list[tuple[facts.Access, AccessLaw | None]]] = {}
    for access, law in zip(kernel.accesses, laws, strict=True):
        lines.setdefault((access.span.path, access.span.line), []).append((access, law))
    for some in lines.values():
        units = [_units(access, law) for access, law in some]
        found = {
            unit: _total([_counting(law, unit) for (_, law), of in zip(some, units, strict=True)
                          if unit in of])
            for unit in SPACES.values()
        }  # fmt: skip
        if len(some) > 1:
            texts = [_text(found[unit]) for unit in SPACES.values()]
            yield facts.LineLaw(some[0][0].span, len(some), texts[0], texts[1])


def _counting(law: AccessLaw | None, unit: str) -> Value | None:
    return law.total if law is not None and law.counted == unit else None


def _units(access: facts.Access, law: AccessLaw | None) -> set[str]:
    """What an access counts, or may count."""
    if access.space in SPACES:
        return {SPACES[access.space], law.counted if law is not None else ""} - {""}
    if access.space in UNCOUNTED_SPACES:
        return set()
    return set(SPACES.values())


def _left_out(
    kernel: facts.Kernel, lowered: ir.Kernel, found: Mapping[ir.AccessSite, AccessLaw]
) -> set[str]:
    """What the accesses and branches of the facts may not hold all of: the launch did not reach
    each one in the source, or something is not counted."""
    if kernel.not_counted or lowered.uncounted:
        return {*SPACES.values(), DIVERGENT}
    accesses = Counter(key_of(access) for access in kernel.accesses)
    branches = Counter(branch_key_of(branch) for branch in kernel.branches)
    missing: set[str] = set()
    for statement in walk(lowered.body):
        match statement:
            case ir.If(site=fork) | ir.Loop(site=fork) if branches[branch_key_of(fork)] != 1:
                missing.add(DIVERGENT)
        for site in _sites(statement):
            if accesses[key_of(site)] != 1:
                counted = found[site].counted if site in found else ""
                missing |= {counted} if counted else set(SPACES.values())
    return missing


def _sites(statement: ir.Statement) -> tuple[ir.AccessSite, ...]:
    if isinstance(statement, ir.Copy):
        return (statement.source_site, statement.destination_site)
    if isinstance(statement, ir.Load | ir.Store | ir.Atomic | ir.Matrix):
        return (statement.site,)
    return ()


def _has_quotients(e: Value) -> bool:
    """Whether what blocks count differs, so that the mean block is a quotient."""
    return any(power.exp.is_negative for power in e.atoms(sympy.Pow))


def _total(parts: Sequence[Value | None]) -> Value | None:
    known = [part for part in parts if part is not None]
    return by_common_factors(sympy.Add(*known)) if len(known) == len(parts) else None


def _remedies(
    kernel: facts.Kernel, laws: Sequence[AccessLaw | None]
) -> dict[tuple[object, object], Value]:
    """By array, the least pitch or offset with which all its accesses count least; none where that
    is not known of each."""
    stated = {symbol(fact.name): fact for fact in kernel.launch.stated}
    arrays: dict[tuple[object, object], list[AccessLaw | None]] = {}
    for access, law in zip(kernel.accesses, laws, strict=True):
        arrays.setdefault((access.object, access.object_span), []).append(law)
    found = {}
    for array, some in arrays.items():
        known = [law for law in some if law is not None and _is_settled(law)]
        best = together(law.least for law in known if law.least is not None)
        value = None if best is None or len(known) < len(some) else best.from_on(stated)
        if value is not None:
            found[array] = value
    return found


def _is_settled(law: AccessLaw) -> bool:
    """Whether it is known which of its unknowns decides, if any does."""
    return law.least is not None or (law.per_request is not None and law.per_request.is_Integer)


def _held(site: ir.AccessSite, law: AccessLaw, held: Held) -> AccessLaw:
    """The law as the counted launches leave it."""
    if any(one.site is site for one in held.differences):
        return AccessLaw(law.counted, None, None, None, (), CONTRADICTED)
    if law.requests is None or held.confirms(site):
        return law
    return replace(law, steps=(*law.steps, UNCONFIRMED))


@lru_cache(maxsize=4096)
def stable_text(expression: Value) -> str:
    """A text that reading and writing it again does not change."""
    text = law_text(expression)
    while (again := law_text(parse_law(text))) != text:
        text = again
    return text


def _text(expression: Value | None) -> str | None:
    return None if expression is None else stable_text(expression)


def _relations(lows: Sequence[Value]) -> tuple[str, ...]:
    """Of bounds of one value the tightest."""
    found: dict[object, Value] = {}
    for relation in map(_shown, lows):
        side, bound = relation.args
        is_bound = bound.is_Integer and not isinstance(relation, sympy.Eq)
        key = (relation.func, side if is_bound else relation)
        if key not in found or _is_tighter(relation, found[key]):
            found[key] = relation
    return tuple(map(_relation, found.values()))


_shown = lru_cache(maxsize=4096)(domain.shown)


def _is_tighter(relation: Value, other: Value) -> bool:
    upper = isinstance(relation, sympy.Le)
    return bool(relation.args[1] < other.args[1] if upper else relation.args[1] > other.args[1])


@lru_cache(maxsize=4096)
def _relation(relation: Value) -> str:
    sides = (parse_law(stable_text(side)) for side in relation.args)
    return law_text(relation.func(*sides, evaluate=False))


def _fact(law: AccessLaw | None, meanings: Mapping[str, str], why: str) -> facts.Law:
    """`why`: there is none."""
    if law is None:
        return facts.Law(None, None, None, None, None, (), {}, why)
    parts = [law.requests, law.per_request, law.total]
    texts = [_text(part) for part in parts]
    index = None if law.index is None else stable_text(law.index.expression)
    unit = None if law.index is None else law.index.unit
    relations = _relations(law.domain)
    used = [part for part in (*parts, *law.domain) if part is not None]
    used += [] if law.index is None else [law.index.expression]
    free = None if law.least is None else law.least.condition
    names = sorted({name.name for part in used for name in part.free_symbols})
    symbols = {name: meanings.get(name, f"`{name.rstrip(PRIME)}` in the source") for name in names}
    condition = None if free is None else stable_text(free)
    return facts.Law(
        index, unit, texts[0], texts[1], texts[2], relations, symbols, law.reason,
        free=condition, steps=law.steps,
    )  # fmt: skip
