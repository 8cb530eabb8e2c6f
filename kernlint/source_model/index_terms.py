"""An index as a sum of products: what tells lanes apart, which names are lengths of rows, where
what a warp touches begins.

Goes in: accesses and their kernel. Comes out: factors, names and numbers of elements. Never decides
whether something is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import prod

from kernlint.base.latest import Latest
from kernlint.model.element_index import IndexFactor, IndexTerm
from kernlint.model.facts import LOOPS, Access, Kernel

Names = tuple[str, ...]
Terms = tuple[IndexTerm, ...]
# a symbol that is the same for all lanes
PLAIN = re.compile(r"(?!threadIdx|get_(?:local|global)_id)[\w.:]+(?:\(\d\))?")
OWN = re.compile(
    r"(?:thread|block)Idx\.[xyz]|get_(?:local|global|group)_id\(\d\)|\biteration\d*\b"
)  # counts threads, blocks, turns
# an element, or one of several of which data choose
LOADED = re.compile(r".*\]|value")
THREADS = re.compile(r"blockDim\.([xyz])|get_local_size\(([012])\)")
# reasons by which the measured request is one of several that may be
MOVED = (
    "unknown-argument",
    "loaded-value",
)


def lane(kernel: Kernel) -> Names:
    """The index that tells neighbouring lanes apart, in all languages: the first in which the block
    has more than one thread."""
    axis = next((axis for axis, size in enumerate(kernel.launch.block) if size > 1), 0)
    return f"threadIdx.{'xyz'[axis]}", f"get_local_id({axis})", f"get_global_id({axis})"


def holds(factor: IndexFactor, names: Names) -> bool:
    """Whether one of the names is in a factor, be it in the index of an element that is loaded."""
    return any(name in symbol for symbol in factor.symbols for name in names)


def mentions(term: IndexTerm, name: str) -> bool:
    """Whether a variable is in a term, be it in the index of an element that is loaded."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    return any(word.search(symbol) for factor in term.factors for symbol in factor.symbols)


def chooses(access: Access) -> bool:
    """Whether a condition decides between indices."""
    return any("?:" in factor.operators for t in access.index_terms for factor in t.factors)


def with_lane(access: Access, lanes: Names) -> list[IndexTerm]:
    """The terms that the lanes' own index is in."""
    return [t for t in access.index_terms if any(holds(factor, lanes) for factor in t.factors)]


def beside_lane(term: IndexTerm, lanes: Names) -> list[IndexFactor] | None:
    """The other factors where the lanes' own index is one of its own; None elsewhere."""
    others = [factor for factor in term.factors if factor.text not in lanes]
    return others if len(others) == len(term.factors) - 1 else None


def product(number: int, factors: Iterable[IndexFactor]) -> str:
    """4 * n"""
    texts = [factor.text for factor in factors]
    return " * ".join(texts if number == 1 and texts else [str(number), *texts])


def row_lengths(names: Iterable[str], kernel: Kernel) -> set[str]:
    """Those names that some index of the kernel shows to be the length of a row: the lanes' own
    term has it as a factor, and another index (a thread's, a block's, a loop's counter) runs in the
    same array by a distance that divides it: `n * t + k` has rows of n elements, and `n * t` beside
    `n * t + 1`."""
    wanted, own, counted = set(names), lane(kernel), _counters(kernel)
    found = {
        name
        for term in _beside_each_other(kernel)
        for name in wanted.intersection(_symbols(term))
        if any(holds(factor, own) for factor in term.factors)
    }
    for products in {access.index_terms for access in kernel.accesses}:
        running = [term for term in products if _runs(term, own, counted)]
        for term in products:
            if not any(holds(factor, own) for factor in term.factors):
                continue
            for name in wanted.intersection(_symbols(term)) - found:
                rest = {factor.text for factor in term.factors if name not in factor.symbols}
                others = (other for other in running if name not in _symbols(other))
                if any(_sizes(other, counted) <= rest for other in others):
                    found.add(name)
    return found


def _symbols(term: IndexTerm) -> set[str]:
    return {symbol for factor in term.factors for symbol in factor.symbols}


def _beside_each_other(kernel: Kernel) -> Iterator[IndexTerm]:
    """The terms of indices at which one array is accessed at several constant distances."""
    starts: dict[tuple[str, Terms], set[int]] = {}
    for access in kernel.accesses:
        moving = tuple(term for term in access.index_terms if term.factors)
        starts.setdefault((access.object, moving), set()).add(constant(access))
    for (_, moving), constants in starts.items():
        if len(constants) > 1:
            yield from moving


def _counters(kernel: Kernel) -> set[str]:
    """Names that a loop's condition holds against its end."""
    arguments = {parameter.name for parameter in kernel.parameters}
    words = (
        re.findall(r"[A-Za-z_]\w*", branch.condition)
        for branch in kernel.branches
        if branch.kind in LOOPS
    )
    return {word for some in words for word in some} - arguments


def _runs(term: IndexTerm, own: Names, counted: set[str]) -> bool:
    """Whether some other index than the lanes' own runs in this term, be it a loaded one."""
    return any(
        name in counted or LOADED.fullmatch(name) or (OWN.search(name) and name not in own)
        for name in term.names
    )


def _sizes(term: IndexTerm, counted: set[str]) -> set[str]:
    indices = (name in counted or OWN.search(name) or LOADED.fullmatch(name) for name in term.names)
    return {name for name, index in zip(term.names, indices, strict=True) if not index}


def spacing(access: Access, kernel: Kernel) -> str:
    """The distance between neighbouring lanes in elements, where it is no number but the same for
    all of them: `n`, `4 * n`, `1 + n`; "" elsewhere."""
    own, found, open_ = lane(kernel), [], False
    for term in with_lane(access, own):
        others = beside_lane(term, own)
        if others is None or not all(_is_uniform(factor, kernel) for factor in others):
            return ""
        found.append(product(abs(term.coefficient), others))
        open_ = open_ or bool(others)
    return " + ".join(sorted(found, key=len)) if open_ else ""


def row_spacing(access: Access, kernel: Kernel) -> str:
    """The distance between neighbouring lanes in elements, where the lanes' index is a remainder
    (`n * (t % m)`) and rows of m interrupt it; "" elsewhere."""
    own, found = lane(kernel), []
    for term in with_lane(access, own):
        within = [factor for factor in term.factors if holds(factor, own)]
        if len(within) == 1 and "/" in within[0].operators:
            continue
        others = [factor for factor in term.factors if factor not in within]
        if ["%" in factor.operators for factor in within] != [True] or not others:
            return ""
        if not all(_is_uniform(factor, kernel) for factor in others):
            return ""
        found.append(product(abs(term.coefficient), others))
    return found[0] if len(found) == 1 else ""


def row_step(access: Access, kernel: Kernel) -> int:
    """Bytes between neighbouring lanes of one row, where a remainder of the lanes' index walks along
    it and the quotient chooses the row: 16 in `4 * (t % 8) + n * (t / 8)` of floats; 0 elsewhere."""
    own = lane(kernel)
    along = [term for term in with_lane(access, own) if not _is_quotient(term, own)]
    if len(along) != 1 or len(along[0].factors) != 1 or "%" not in along[0].factors[0].operators:
        return 0
    return abs(along[0].coefficient) * (access.index_bytes or 1)


def _is_quotient(term: IndexTerm, own: Names) -> bool:
    return any("/" in factor.operators for factor in term.factors if holds(factor, own))


def is_linear(access: Access, kernel: Kernel) -> bool:
    """Whether neighbouring lanes of a row of the block are a number of elements apart: no loaded
    value moves them."""
    own = lane(kernel)
    terms = with_lane(access, own)
    symbols = {symbol for term in access.index_terms for symbol in _symbols(term)}
    loaded = {symbol for symbol in symbols if LOADED.fullmatch(symbol)}
    moved = any(not read_as_one(symbol, kernel) for symbol in loaded)
    return bool(terms) and not moved and all(beside_lane(term, own) == [] for term in terms)


def _is_uniform(factor: IndexFactor, kernel: Kernel) -> bool:
    made_of = bool(factor.symbols) and all(PLAIN.fullmatch(symbol) for symbol in factor.symbols)
    return made_of or read_as_one(factor.text, kernel)


def row_of_lane(access: Access, kernel: Kernel, least: int) -> str:
    """How many elements neighbouring lanes' rows are apart, where each lane is in a row of its own
    of at least so many bytes, as far as a name tells: `n`, `64`; "" elsewhere."""
    own = lane(kernel)
    for term in access.index_terms:
        others, size = beside_lane(term, own), abs(term.coefficient)
        if others is None or not all(PLAIN.fullmatch(factor.text) for factor in others):
            continue
        if others or size * access.index_bytes >= least:
            return product(size, others)
    return ""


def starts(accesses: Sequence[Access]) -> list[int] | None:
    """Where accesses to one array begin, in bytes from a place that they share, by the constants of
    their indices; None where these differ in more, and where their measured requests say it: those
    are chosen on their own where an argument or data move them."""
    if not any(
        access.reason in MOVED and access.sectors is not None and access.sectors.mean_low > 0
        for access in accesses
    ):
        return None
    rests = {frozenset(t for t in access.index_terms if t.factors) for access in accesses}
    if len(rests) != 1 or not all(access.index_bytes for access in accesses):
        return None
    return [constant(access) for access in accesses]


def constant(access: Access) -> int:
    """The constant part of the index, in bytes."""
    units = sum(term.coefficient for term in access.index_terms if not term.factors)
    return units * access.index_bytes


def read_as_one(text: str, kernel: Kernel) -> bool:
    """Whether a factor is an element of an array that all lanes of a warp read as one."""
    return _read_as_one(kernel).get(text, False)


def _uniform_loads(kernel: Kernel) -> dict[str, bool]:
    """Of the text of each load with measured requests, whether all lanes read one element."""
    found: dict[str, bool] = {}
    for access in kernel.accesses:
        if access.op == "load" and access.example is not None:
            offsets = {offset for offset in access.example.lanes if offset is not None}
            found[access.text] = found.get(access.text, True) and len(offsets) == 1
    return found


_read_as_one = Latest(_uniform_loads)


def open_start(access: Access, kernel: Kernel, multiple: int) -> str | None:
    """What decides whether the warps' parts begin at multiples of so many bytes: the sizes that
    have to be a multiple (`n`), "" where the index alone says that they do not all; None where
    nothing but the constant part does."""
    own, counted, open_ = lane(kernel), _counters(kernel), False
    deciding: list[str] = []
    for term in access.index_terms:
        extents = [_threads(name, kernel) for name in term.names]
        fixed = term.coefficient * prod(n for n in extents if n) * access.index_bytes
        moving = [f for f, threads in zip(term.factors, extents, strict=True) if not threads]
        of_lane = any(holds(factor, own) for factor in moving)
        if not moving or fixed % multiple == 0 or of_lane:
            continue
        sizes = [factor.text for factor in moving if _is_size(factor.text, counted)]
        deciding += sizes[:1]
        open_ = open_ or not sizes
    return "" if open_ else " and ".join(f"`{name}`" for name in dict.fromkeys(deciding)) or None


def _is_size(name: str, counted: set[str]) -> bool:
    return bool(PLAIN.fullmatch(name)) and not OWN.search(name) and name not in counted


def _threads(name: str, kernel: Kernel) -> int:
    """The extent of the block that a factor is; 0 for what is none."""
    found = THREADS.fullmatch(name)
    return kernel.launch.block["xyz012".index(found[1] or found[2]) % 3] if found is not None else 0


def serves_better(accesses: Iterable[Access], other: str, own: str = "threadIdx.x") -> bool:
    """Whether fewer global accesses stride by lane when `other` takes the place of the lanes' `own`
    index."""
    some = [access.index_terms for access in accesses if access.space == "global"]
    by_other, by_lane = (sum(_is_scaled(terms, name) for terms in some) for name in (other, own))
    return by_other < by_lane


def _is_scaled(terms: Sequence[IndexTerm], name: str) -> bool:
    """Whether a name stands in a sum with a factor other than one, or otherwise than as a term."""
    own = [term for term in terms if name in term.names]
    if own:
        return any(abs(term.coefficient) != 1 or len(term.factors) > 1 for term in own)
    return any(holds(factor, (name,)) for term in terms for factor in term.factors)
