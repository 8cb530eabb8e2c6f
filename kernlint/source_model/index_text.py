"""The text of an index as a sum of products: what tells lanes apart, which names are lengths of
rows, where what a warp touches begins.

Goes in: accesses and their kernel. Comes out: factors, names and numbers of elements. Never decides
whether something is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import prod

from kernlint.model.facts import LOOPS, UNWRITTEN, Access, Kernel

PLAIN = re.compile(
    r"(?!threadIdx|get_(?:local|global)_id)[\w.:]+(?:\(\d\))?"
)  # a factor that is the same for all lanes
OWN = re.compile(
    r"(?:thread|block)Idx\.[xyz]|get_(?:local|global|group)_id\(\d\)|\biteration\d*\b"
)  # counts threads, blocks, turns
THREADS = re.compile(r"blockDim\.([xyz])|get_local_size\(([012])\)")


MOVED = (
    "unknown-argument",
    "loaded-value",
)  # reasons by which the measured request is one of several that may be


def terms(index: str) -> Iterator[list[str]]:
    """The terms of a sum, each as its factors; parentheses stay whole."""
    for term in _split(index.removeprefix("byte "), "+-"):
        yield [factor for factor in _split(term, "*") if factor]


def _split(text: str, marks: str) -> Iterator[str]:
    depth, begun = 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter in marks and depth == 0:
            yield text[begun:place].strip()
            begun = place + 1
    yield text[begun:].strip()


def lane(kernel: Kernel) -> re.Pattern[str]:
    """The index that tells neighbouring lanes apart: the first in which the block has more than one
    thread."""
    axis = next((axis for axis, size in enumerate(kernel.launch.block) if size > 1), 0)
    return re.compile(rf"threadIdx\.{'xyz'[axis]}|get_(?:local|global)_id\({axis}\)")


def row_lengths(names: Iterable[str], kernel: Kernel) -> set[str]:
    """Those names that some index of the kernel shows to be the length of a row: the lanes' own
    term has it as a factor, and another index (a thread's, a block's, a loop's counter) runs in the
    same array by a distance that divides it: `n * t + k` has rows of n elements."""
    wanted, own, counted = set(names), lane(kernel), _counters(kernel)
    found: set[str] = set()
    for index in {access.index for access in kernel.accesses}:
        products = list(terms(index))
        for term in (term for term in products if any(own.search(factor) for factor in term)):
            for name in wanted.intersection(term) - found:
                rest = set(term) - {name}
                if any(
                    _runs(other, own, counted) and _sizes(other, counted) <= rest - {name}
                    for other in products
                    if name not in other
                ):
                    found.add(name)
    return found


def _counters(kernel: Kernel) -> set[str]:
    """Names that a loop's condition holds against its end."""
    arguments = {parameter.name for parameter in kernel.parameters}
    words = (
        re.findall(r"[A-Za-z_]\w*", branch.condition)
        for branch in kernel.branches
        if branch.kind in LOOPS
    )
    return {word for some in words for word in some} - arguments


def _runs(term: list[str], own: re.Pattern[str], counted: set[str]) -> bool:
    """Whether some other index than the lanes' own runs in this term."""
    return any(
        factor in counted or (OWN.search(factor) and not own.fullmatch(factor)) for factor in term
    )


def _sizes(term: list[str], counted: set[str]) -> set[str]:
    return {
        factor
        for factor in term
        if not factor.isdigit() and factor not in counted and not OWN.search(factor)
    }


def spacing(access: Access, kernel: Kernel) -> str:
    """The distance between neighbouring lanes in elements, where it is no number but the same for
    all of them: `n`, `4 * n`, `1 + n`; "" elsewhere."""
    own, found = lane(kernel), []
    for term in terms(access.index):
        if not any(own.search(factor) for factor in term):
            continue
        others = [factor for factor in term if not own.fullmatch(factor)]
        if len(others) != len(term) - 1 or not all(
            PLAIN.fullmatch(factor) or _uniform(factor, kernel) for factor in others
        ):
            return ""
        found.append(" * ".join(others) or "1")
    return "" if all(part.isdigit() for part in found) else " + ".join(sorted(found, key=len))


def row_of_lane(access: Access, kernel: Kernel, least: int) -> str:
    """How many elements neighbouring lanes' rows are apart, where each lane is in a row of its own
    of at least so many bytes, as far as a name tells: `n`, `64`; "" elsewhere."""
    own = lane(kernel)
    for term in terms(access.index):
        others = [factor for factor in term if not own.fullmatch(factor)]
        if len(others) != len(term) - 1 or not all(PLAIN.fullmatch(factor) for factor in others):
            continue
        if (
            any(not factor.isdigit() for factor in others)
            or prod(map(int, others)) * access.index_bytes >= least
        ):
            return " * ".join(others)
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
    sums = [list(terms(access.index)) for access in accesses]
    rests = {
        frozenset(
            tuple(sorted(term)) for term in some if not all(factor.isdigit() for factor in term)
        )
        for some in sums
    }
    if len(rests) != 1 or any(
        access.index in ("", UNWRITTEN) or not access.index_bytes or "- " in access.index
        for access in accesses
    ):
        return None
    return [constant(access) for access in accesses]


def constant(access: Access) -> int:
    """The constant part of the index, in bytes."""
    return (
        sum(
            int(factors[0])
            for factors in terms(access.index)
            if len(factors) == 1 and factors[0].isdigit()
        )
        * access.index_bytes
    )


def _uniform(factor: str, kernel: Kernel) -> bool:
    """Whether the factor is an element of an array that all lanes of a warp read as one."""
    reads = [
        access
        for access in kernel.accesses
        if access.text == factor and access.op == "load" and access.example is not None
    ]
    return bool(reads) and all(
        len({o for o in a.example.lanes if o is not None}) == 1
        for a in reads
        if a.example is not None
    )


def open_start(access: Access, kernel: Kernel, multiple: int) -> str | None:
    """What decides whether the warps' parts begin at multiples of so many bytes: the sizes that
    have to be a multiple (`n`), "" where the index alone says that they do not all; None where
    nothing but the constant part does."""
    own, counted, open_ = lane(kernel), _counters(kernel), False
    deciding: list[str] = []
    for term in terms(access.index):
        numbers = [int(factor) if factor.isdigit() else _threads(factor, kernel) for factor in term]
        fixed = prod(number for number in numbers if number) * access.index_bytes
        moving = [factor for factor, number in zip(term, numbers, strict=True) if not number]
        if not moving or fixed % multiple == 0 or any(own.search(factor) for factor in moving):
            continue
        sizes = [
            factor
            for factor in moving
            if PLAIN.fullmatch(factor) and not OWN.search(factor) and factor not in counted
        ]
        deciding += sizes[:1]
        open_ = open_ or not sizes
    return "" if open_ else " and ".join(f"`{name}`" for name in dict.fromkeys(deciding)) or None


def _threads(factor: str, kernel: Kernel) -> int:
    """The extent of the block that a factor is; 0 for what is none."""
    found = THREADS.fullmatch(factor)
    return kernel.launch.block["xyz012".index(found[1] or found[2]) % 3] if found is not None else 0
