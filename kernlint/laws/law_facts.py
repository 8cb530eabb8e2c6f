"""Laws as facts: the accesses of a kernel with their formulas as texts.

In: the facts of a kernel, what it was lowered to, a device. Out: the same facts with `law` filled
in. Each law is held against a few counted launches first; one that they contradict is not given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kernlint.hardware import Device
from kernlint.ir import nodes as ir
from kernlint.laws import domain
from kernlint.laws.check import Held, by_key, check, key_of
from kernlint.laws.functions import Value, symbol
from kernlint.laws.grammar import law_text, parse_law
from kernlint.laws.index import SYMBOLS
from kernlint.laws.law import NOT_REACHED, AccessLaw, laws
from kernlint.laws.solving import together
from kernlint.model import facts

POINTS = 4  # counted launches that each law is held against
UNCONFIRMED = "no counted launch could confirm it"
SEVERAL = "several accesses of one place and text cannot be told apart"
CONTRADICTED = "counted launches contradict the formula that was found"


def with_laws(kernel: facts.Kernel, lowered: ir.Kernel, device: Device) -> facts.Kernel:
    """The kernel with a law, or the reason why there is none, at each access."""
    found, walked = laws(lowered, kernel.launch, device)
    held = check(lowered, kernel.launch, device, found, POINTS)
    keys = by_key(found)
    several = {key_of(site) for site in found} - set(keys)
    symbols = {**SYMBOLS, **walked.symbols}
    by_access = [
        None if (site := keys.get(key_of(access))) is None else _held(site, found[site], held)
        for access in kernel.accesses
    ]
    remedies = _remedies(kernel, by_access)
    accesses = []
    for access, law in zip(kernel.accesses, by_access, strict=True):
        why = SEVERAL if key_of(access) in several else NOT_REACHED
        law_fact = _fact(law, symbols, why)
        remedy = remedies.get((access.object, access.object_span))
        if remedy is not None and law is not None and law.least is not None:
            law_fact = replace(law_fact, remedy=stable_text(remedy))
        accesses.append(replace(access, law=law_fact))
    return replace(kernel, accesses=tuple(accesses))


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
    if law.requests is None or held.compared.get(site):
        return law
    return replace(law, steps=(*law.steps, UNCONFIRMED))


def stable_text(expression: Value) -> str:
    """A text that reading and writing it again does not change."""
    text = law_text(expression)
    while (again := law_text(parse_law(text))) != text:
        text = again
    return text


def _fact(law: AccessLaw | None, meanings: Mapping[str, str], why: str) -> facts.Law:
    """`why`: there is none."""
    if law is None:
        return facts.Law(None, None, None, None, (), {}, why)
    parts = [law.requests, law.per_request, law.total]
    texts = [None if part is None else stable_text(part) for part in parts]
    index = None if law.index is None else stable_text(law.index.expression)
    relations = tuple(stable_text(domain.shown(low)) for low in law.domain)
    used = [part for part in (*parts, *law.domain) if part is not None]
    used += [] if law.index is None else [law.index.expression]
    free = None if law.least is None else law.least.condition
    names = sorted({name.name for part in used for name in part.free_symbols})
    symbols = {name: meanings.get(name, f"`{name}` in the source") for name in names}
    condition = None if free is None else stable_text(free)
    return facts.Law(
        index, texts[0], texts[1], texts[2], relations, symbols, law.reason, condition,
        steps=law.steps,
    )  # fmt: skip
