"""Calls that the lanes of a warp make together, and where else in a kernel lanes that miss one may
make the same call.

In: a lowered body, what is known of each call. Out: the calls whose missing lanes make no such call
elsewhere. Each of the threads that a mask names must execute the same intrinsic with the same mask
(CUDA C++ Programming Guide, warp shuffle functions): it need not be at the same place, so that the
sides of a branch may hold one each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernlint.base.dataclass import dataclass
from kernlint.execution.synchronisation.barriers import BarrierTally
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import Left, bodies, left_to

ANY = "any call"  # what is not known may hold each
# the sides of branches around a place, outermost first
Chain = tuple[tuple[ir.Statement, int], ...]


@dataclass(frozen=True, slots=True)
class _Call:
    kind: str
    site: ir.BarrierSite | None
    chain: Chain


def missed(
    body: ir.Body, tallies: Mapping[ir.BarrierSite, BarrierTally]
) -> frozenset[ir.BarrierSite]:
    """Calls that some lanes miss which make no such call anywhere else."""
    left = left_to(body, (ir.Region,))
    calls = list(_calls(body, (), left))
    open_ = [
        call
        for call in calls
        if call.site is None or (call.site in tallies and tallies[call.site].uniform is not True)
    ]
    return frozenset(
        call.site
        for call in open_
        if call.site is not None
        and (tallies[call.site].absent or tallies[call.site].open)
        and all(_follow(call, other, left) for other in open_ if _alike(call, other))
    )


def _calls(body: ir.Body, chain: Chain, left: Left) -> Iterator[_Call]:
    for s in body:
        kind = _kind(s)
        if kind:
            yield _Call(
                kind, s.site if isinstance(s, (ir.Shuffle, ir.Vote, ir.Barrier)) else None, chain
            )
        for side, inner in enumerate(bodies(s)):
            parts = not isinstance(s, ir.Region) or any(_escaping(x, left) for x in s.body)
            yield from _calls(inner, (*chain, (s, side)) if parts else chain, left)


def _kind(s: ir.Statement) -> str:
    match s:
        case ir.Shuffle():
            return s.kind
        case ir.Vote():
            return "" if s.kind.startswith("block_") else s.kind
        case ir.Barrier():
            return "sync" if s.site.scope in ("warp", "tile") else ""
        case ir.Clobber():
            return ANY
    return ""


def _alike(call: _Call, other: _Call) -> bool:
    return other.site is not call.site and other.kind in (call.kind, ANY)


def _follow(call: _Call, other: _Call, left: Left) -> bool:
    """Whether lanes that miss the one miss the other as well, or meet the others there: one lies
    around the other's place, in sides that lanes leave by their ends."""
    shorter, longer = sorted((call.chain, other.chain), key=len)
    if longer[: len(shorter)] != shorter:
        return False
    return len(longer) == len(shorter) or not _escaping(longer[len(shorter)][0], left)


def _escaping(s: ir.Statement, left: Left) -> bool:
    """Whether lanes may leave otherwise than by the statement's end: from within it to a label
    around it."""
    return bool(tuple(bodies(s))) and any(label is not None for label in left[s])
