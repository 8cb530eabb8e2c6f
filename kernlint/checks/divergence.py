"""Family 3, divergence: branches on which the lanes of a warp disagree. Goes in: facts of one
kernel. Comes out: findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import prod

from kernlint.base.span import Span
from kernlint.checks import branch_paths, context, words
from kernlint.checks.by_line import in_parts
from kernlint.checks.context import Group
from kernlint.checks.rules import Rule
from kernlint.checks.shared_memory import tree_sums
from kernlint.model.facts import LOOPS, Access, Branch, Evaluated, Kernel, Turns
from kernlint.model.finding import Finding, Label, Metrics
from kernlint.model.reasons import REASONS

# one lane chosen by its number: `lane == 0`, `!threadIdx.x`, `threadIdx.x < 1`
ELECTION = re.compile(r"[^%&|]*(==|<\s*1\b|<=\s*0\b)[^%&|]*|\s*!\s*[\w.]+\s*")
FEWEST = 8  # lanes that one lane may lead, as for their sum
CHOSEN = re.compile(r"[%&]")  # lanes by a remainder, where `&&` is left out

ONE_CASE = (
    "give each warp a single case: sort or bin the elements by case, use separate warps or launches, "
    "or replace cases that differ only in constants by a table"
)

Hit = tuple[Kernel, Branch]


def divergent_branch(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL301: ifs that split a good part of the warps that reach them, and cost a good part of the
    kernel's requests by that. `?:`, `&&` and `||` become predicated instructions."""
    found: list[list[Hit]] = []
    requests = {id(kernel): _requests(kernel.accesses) or 1 for kernel in group.kernels}
    for hits in _splitting(("if",), group, rule):
        costly = [hit for hit in hits if _costs(hit, requests[id(hit[0])], group, rule)]
        found += [costly] if costly else []
    for chain in _chains(found):
        hits = [hit for some in chain for hit in some]
        yield in_parts(hits, _span, partial(_of_first, group=group, rule=rule))


def _span(hit: Hit) -> Span:
    return hit[1].span


def _of_first(hits: Sequence[Hit], group: Group, rule: Rule) -> Finding:
    """The finding about the first if among them, with the places of the others."""
    finding = _finding([hit for hit in hits if _span(hit) == _span(hits[0])], group, rule)
    others = dict.fromkeys(_span(hit) for hit in hits if _span(hit) != _span(hits[0]))
    links = (Label(group.source.head(span), "and here") for span in others)
    return replace(finding, labels=(*finding.labels, *links))


def divergent_loop(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL302: loops whose lanes leave at different times, so that a good part of the lanes' turns
    are idle."""
    for hits in _splitting(LOOPS, group, rule):
        yield _finding(hits, group, rule)


def divergent_switch(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL303: switches whose lanes go to different cases, of which at least two need a branch; or
    may go to several, where data of each lane choose."""
    for hits in _splitting(("switch",), group, rule):
        costly = [hit for hit in hits if _splits_work(hit, group)]
        if costly:
            yield _finding(costly, group, rule)
    found: dict[tuple[object, ...], Hit] = {}
    for kernel in group.kernels:
        for branch in kernel.branches:
            if _chosen_by_data(branch) and len(_working(branch, kernel, group)) >= rule.threshold(
                "cases"
            ):
                found.setdefault((branch.span, branch.condition), (kernel, branch))
    for kernel, branch in found.values():
        yield _chosen_finding(kernel, branch, group, rule)


def _chosen_by_data(branch: Branch) -> bool:
    """Whether each lane loads what chooses its case: of what is the same for a warp it is known
    that no lanes part."""
    by_data = (branch.status, branch.reason) == ("unknown", "loaded-value")
    return branch.kind == "switch" and by_data


def _chosen_finding(kernel: Kernel, branch: Branch, group: Group, rule: Rule) -> Finding:
    working = len(_working(branch, kernel, group))
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"switch on `{branch.condition}` may split the warp: up to {working} cases with work run one after the other (unknown)",
        group.source.head(branch.span),
        kernel=words.kernel(kernel),
        status="unknown",
        labels=(Label(branch.calls[0], "called from here"),) if branch.calls else (),
        notes=(
            f"`{branch.detail}`, which each lane loads, decides",
            f"launch: {words.launch(kernel.launch)}",
        ),
        help=ONE_CASE,
    )


def _splits_work(hit: Hit, group: Group) -> bool:
    """Whether at least two cases need a branch and do more than fill shared memory."""
    kernel, branch = hit
    working = _working(branch, kernel, group)
    return len(working) > 1 and not _serves_few(working, branch)


def _chains(found: Sequence[list[Hit]]) -> list[list[list[Hit]]]:
    """The ifs of one `if … else if …` together, the first of them first: they end at one place."""
    chains: dict[tuple[object, ...], list[list[Hit]]] = {}
    for hits in found:
        span, calls = hits[0][1].span, hits[0][1].calls
        chains.setdefault((span.path, span.end_line, span.end_column, calls), []).append(hits)
    return [sorted(some, key=_begins) for some in chains.values()]


def _begins(hits: Sequence[Hit]) -> tuple[int, int]:
    span = hits[0][1].span
    return span.line, span.column


def _working(branch: Branch, kernel: Kernel, group: Group) -> list[branch_paths.BranchPath]:
    return [
        path
        for path in branch_paths.differing(branch_paths.paths(branch, kernel, group.source))
        if branch_paths.works(path)
    ]


def _costs(hit: Hit, requests: float, group: Group, rule: Rule) -> bool:
    """Two sides that both need a branch cost by that; one side costs the turns of its idle lanes,
    which a halo's few loads do not. `requests`: of the kernel."""
    kernel, branch = hit
    working = _working(branch, kernel, group)
    accesses = [access for path in working for access in path.accesses]
    elected = _elects(branch)
    if not accesses:
        return not (elected or all(map(branch_paths.cooperates, working)))
    alone = len(working) == 1
    results = any(_leaves_result(access, branch) for access in accesses) and all(
        _leaves_result(access, branch) or _is_partial_result(access) for access in accesses
    )
    if alone and elected and results:
        return False
    if _serves_few(working, branch):
        return False
    idle = _idle_turns(accesses, group) / requests
    first = alone and all(_one_run(access) for access in accesses)
    return idle >= rule.threshold("idle_run" if first else "idle")


def _is_scattered(branch: Branch) -> bool:
    """Whether the lanes that work have idle ones between them wherever the branch parts a warp."""
    parting = [pattern.lanes.strip("0") for pattern in branch.patterns if pattern.parts]
    return bool(parting) and all("0" in lanes for lanes in parting)


def _elects(branch: Branch) -> bool:
    parting = [pattern for pattern in branch.patterns if pattern.parts]
    if parting and all(_is_led(pattern.lanes) for pattern in parting):
        return True
    return any(ELECTION.fullmatch(part) for part in branch.condition.split("&&"))


def _is_led(lanes: str) -> bool:
    """Whether one lane of the warp, or the first of each `FEWEST` or more side by side, is chosen."""
    chosen = [lane for lane, side in enumerate(lanes) if side == "1"]
    apart = {b - a for a, b in pairwise(chosen)}
    return len(chosen) == 1 or (len(apart) == 1 and apart.pop() >= FEWEST)


def _serves_few(working: Sequence[branch_paths.BranchPath], branch: Branch) -> bool:
    """Whether there is nothing that the idle lanes could do."""
    if len(working) == 1 and _is_store(working[0]):
        return True
    return all(_fills(path, branch) for path in working)


def _is_store(path: branch_paths.BranchPath) -> bool:
    """Whether it only stores a value: the others have nothing to do in its place."""
    return not (path.loops or path.calls) and [access.op for access in path.accesses] == ["store"]


def _fills(path: branch_paths.BranchPath, branch: Branch) -> bool:
    """Whether its lanes copy a few elements more into shared memory, as the edge of a tile needs
    them."""
    chosen = CHOSEN.search(branch.condition.replace("&&", ""))
    if path.loops or path.calls or chosen is not None:
        return False
    moves = {(access.space == "shared", access.op) for access in path.accesses}
    return (True, "store") in moves and moves <= {(True, "store"), (False, "load")}


def _leaves_result(access: Access, branch: Branch) -> bool:
    """Whether it writes once what the lanes found together (`if (lane == 0) out[row] = sum;`): no
    other lane could share in that."""
    loop = access.in_loop
    inside = (
        loop is not None
        and loop.path == branch.span.path
        and branch.span.line <= loop.line <= branch.span.end_line
    )
    return access.op in ("store", "atomic") and not inside


def _is_partial_result(access: Access) -> bool:
    """Whether it reads what the block found into that result: `out[row] = s[0] + s[1]`."""
    return access.space == "shared" and access.op == "load" and access.in_loop is None


def _requests(accesses: Sequence[Access]) -> float:
    return sum(context.times(access) for access in accesses)


def _idle_turns(accesses: Sequence[Access], group: Group) -> float:
    """Requests weighted by the share of their lanes that are idle."""
    lanes = group.device.warp_lanes
    return sum(context.times(a) * (1 - (a.active_lanes or 0) / lanes) for a in accesses)


def _one_run(access: Access) -> bool:
    """Whether the active lanes of the measured request lie side by side: the first few of a row,
    which no renumbering packs better."""
    active = [
        lane
        for lane, offset in enumerate(access.example.lanes if access.example else ())
        if offset is not None
    ]
    return bool(active) and active[-1] - active[0] == len(active) - 1


def _splitting(kinds: tuple[str, ...], group: Group, rule: Rule) -> list[list[Hit]]:
    """The branches of these kinds that split warps where it costs something, one list per place."""
    found: dict[tuple[object, ...], list[Hit]] = {}
    for kernel in group.kernels:
        for branch in kernel.branches:
            if (
                branch.kind not in kinds
                or not _splits(branch, group, rule)
                or _at_one_edge(branch, kernel, group)
            ):
                continue
            if _works(branch, kernel, group, rule):
                found.setdefault((branch.span.path, branch.span.line, branch.condition), []).append(
                    (kernel, branch)
                )
    return list(found.values())


def _splits(branch: Branch, group: Group, rule: Rule) -> bool:
    """Whether it parts a good share of the warps that evaluate it; of a loop, whether a good part
    of its lanes' turns are idle."""
    found = branch.counted
    if found is None or branch.status == "unknown":
        return False
    if branch.kind in LOOPS and (found.divergent or _endless(found)):
        return _idle(branch) >= rule.threshold("idle") and not _in_last_turn(found, group)
    if not found.evaluations or not found.divergent:
        return False
    return found.divergent >= rule.threshold("share") * found.evaluations


def _endless(found: Evaluated) -> bool:
    """Whether it is a loop without a condition, which lanes leave in its middle."""
    return not found.evaluations and found.turns is not None and found.turns.count > 0


def _idle(branch: Branch) -> float:
    """The share of a loop's turns that lanes spend after they left it; 0 where that is not
    known."""
    turns = _turns(branch)
    return (turns.idle or 0.0) if turns is not None else 0.0


def _turns(branch: Branch) -> Turns | None:
    found = branch.counted
    return None if found is None else found.turns


def _in_last_turn(found: Evaluated, group: Group) -> bool:
    """Whether each warp parts only once, for no more than a turn: an array walked by steps of the
    block, no case of unequal work."""
    turns = found.turns
    idle = (turns.idle or 0.0) if turns is not None else 0.0
    if turns is None or (found.divergent or 0) > turns.entries:
        return False
    waiting = turns.count * (turns.active_lanes or 0) * idle / (1 - idle)
    return waiting <= turns.entries * group.device.warp_lanes


def _at_one_edge(branch: Branch, kernel: Kernel, group: Group) -> bool:
    """Whether no more than one warp of each block is split: a prefix of the threads (a halo, the
    last partial sums) has one edge."""
    found, warps = branch.counted, -(-prod(kernel.launch.block) // group.device.warp_lanes)
    if found is None or not found.evaluations or warps == 1:
        return False
    return (found.divergent or 0) <= prod(kernel.launch.grid or (1,))


def _works(branch: Branch, kernel: Kernel, group: Group, rule: Rule) -> bool:
    """Whether the split may cost something: memory accesses of more than one lane, a nested branch,
    a call, or many turns of a loop."""
    inside = branch_paths.accesses_inside(branch, kernel)
    if inside:
        lanes = [a.active_lanes for a in inside if a.active_lanes is not None]
        return not lanes or max(lanes) > rule.threshold("minimum_lanes")
    turns = _turns(branch)
    if turns is not None and turns.count >= rule.threshold("turns") * turns.entries:
        return True
    return any(
        branch_paths.works(path) for path in branch_paths.paths(branch, kernel, group.source)
    )


def _finding(hits: Sequence[Hit], group: Group, rule: Rule) -> Finding:
    kernel, branch = max(hits, key=_weight)
    label = (Label(branch.calls[0], "called from here"),) if branch.calls else ()
    return Finding(
        rule.code,
        rule.name,
        "info" if context.guessed(kernel.launch) else rule.severity,
        _message(branch),
        group.source.head(branch.span),
        kernel=words.kernel(kernel),
        status=branch.status,
        labels=label,
        notes=tuple(_notes(hits, kernel, branch, group)),
        help=_advice(branch, kernel, group),
        assumptions=branch.assumptions,
        metrics=Metrics(
            evaluations=branch.evaluations,
            divergent=branch.divergent,
            active_lanes=_active_lanes(branch, kernel),
        ),
    )


def _message(branch: Branch) -> str:
    evaluations, divergent = _counts(branch)
    idle = f"lanes are idle for {words.share(_idle(branch), 1)} of the iterations"
    if not evaluations:
        return f"lanes of a warp leave this loop at different times: {idle} ({branch.status})"
    what = (
        "loop condition"
        if branch.kind in LOOPS
        else "switch on"
        if branch.kind == "switch"
        else "condition"
    )
    over = "evaluations" if branch.per_block is None else "evaluations per block"
    split = f"splits the warp in {words.count(divergent)} of {words.count(evaluations)} {over}"
    share = f"({words.share(divergent, evaluations)}, {branch.status})"
    return f"{what} `{branch.condition}` {split} {share}" + (
        f": {idle}" if branch.kind in LOOPS else ""
    )


def _counts(branch: Branch) -> tuple[float, float]:
    """Evaluations and divergent ones."""
    found = branch.counted
    return (0, 0) if found is None else (found.evaluations, found.divergent or 0)


def _weight(hit: Hit) -> tuple[float, float, float]:
    """What makes a branch worse than another launch's."""
    evaluations, divergent = _counts(hit[1])
    return _idle(hit[1]), divergent / (evaluations or 1), divergent


def _active_lanes(branch: Branch, kernel: Kernel) -> float | None:
    """In a loop's turns; of other branches, in the accesses inside."""
    turns = _turns(branch)
    return _mean_lanes(branch, kernel) if turns is None else turns.active_lanes


def _mean_lanes(branch: Branch, kernel: Kernel) -> float | None:
    """Active lanes of the accesses inside, weighted by their requests."""
    inside = [
        a
        for a in branch_paths.accesses_inside(branch, kernel)
        if a.active_lanes is not None and (a.requests or a.per_block)
    ]
    return (
        sum((a.active_lanes or 0) * context.times(a) for a in inside) / _requests(inside)
        if inside
        else None
    )


def _notes(hits: Sequence[Hit], kernel: Kernel, branch: Branch, group: Group) -> Iterator[str]:
    if branch.kind in LOOPS:
        yield "finished lanes idle until the last lane of their warp leaves the loop"
    elif branch.kind == "switch":
        yield "the warp runs every case that one of its lanes takes, one after the other, with the other lanes idle"
    elif len(_working(branch, kernel, group)) > 1:
        yield "where lanes disagree, the warp runs both paths one after the other, each with the other's lanes idle"
    else:
        yield "lanes for which the condition is false are idle while the rest of their warp works"
    lanes = _mean_lanes(branch, kernel)
    if lanes is not None:
        yield f"the memory accesses inside run with {words.mean(lanes)} of {group.device.warp_lanes} lanes on average"
    yield f"launch: {words.launch(kernel.launch)}"
    if len(group.kernels) > 1:
        yield words.worst(len({id(k) for k, _ in hits}), len(group.kernels))
    if branch.status != "exact" and branch.reason:
        yield f"not exact: {REASONS.get(branch.reason, branch.reason)}" + (
            f": {branch.detail}" if branch.detail else ""
        )


def _advice(branch: Branch, kernel: Kernel, group: Group) -> str:
    cuda = group.language == "cuda"
    thread, block, size = (
        ("threadIdx.x", "block", "blockDim.x")
        if cuda
        else ("get_local_id(0)", "group", "get_local_size(0)")
    )
    if branch.kind in LOOPS:
        return "give the lanes of a warp equal trip counts: distribute the iterations over lanes, or sort the work by length"
    if branch.kind == "switch":
        return ONE_CASE
    inside = branch_paths.accesses_inside(branch, kernel)
    if halved := tree_sums.halved(branch, inside, group.source, size):
        return halved
    extents, lanes = kernel.launch.block, group.device.warp_lanes
    if shuffled := tree_sums.shuffled(branch, inside, group.language, extents, lanes):
        return shuffled
    alone = len(_working(branch, kernel, group)) == 1
    if CHOSEN.search(branch.condition.replace("&&", "")) or (alone and _is_scattered(branch)):
        in_banks = any(access.space == "shared" for access in inside)
        return (
            "let whole warps take the same path: renumber the threads so that active ones are contiguous "
            f"(for example `if ({thread} < count)` with the index computed from it)"
            + (
                "; let them access neighbouring elements of shared memory, since a stride causes bank conflicts"
                if in_banks
                else ""
            )
        )
    return (
        f"branch on a value that is the same for all lanes of a warp (`{thread} / {group.device.warp_lanes}`, the {block}'s index), "
        "or merge the paths into one computation with selects"
    )
