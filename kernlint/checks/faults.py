"""Family 8, faults: accesses that cannot run right. Goes in: facts of one kernel. Comes out:
findings.

A finding is an error where the fault is sure under a launch that somebody gives. What data decides,
or a launch that nobody gives, makes it a warning that says "may".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.checks import context, fault_fixes, words
from kernlint.checks.by_line import in_parts
from kernlint.checks.context import Group
from kernlint.checks.rules import Rule
from kernlint.model.facts import Fault, Kernel, PointerArgument
from kernlint.model.finding import Finding, Fix, Label
from kernlint.model.reasons import REASONS

VERBS = {"load": "reads", "store": "writes", "atomic": "updates", "copy": "copies"}
MAY = {"load": "may read", "store": "may write", "atomic": "may update", "copy": "may copy"}
GUARD = "guard the access so that only threads whose index is in bounds reach it"
SIZE_OF = (
    "allocate bytes, not elements: this size is exactly the number of elements that the kernel "
    "reaches; multiply it by the `sizeof` of an element ({bytes} bytes)"
)
LEAST_PITCH = 32  # bytes; below, a number is hardly a row's
PITCH_OF = (
    "`{pitch}` counts bytes and is used to count elements: add it to a `char *` and convert the sum, "
    "or hand in the pitch divided by the `sizeof` of an element ({bytes} bytes)"
)
# an index near the ends of 32 bits has wrapped around
WRAPPED = 1 << 30
AROUND = (
    "the index wraps around: compute it in 64 bits (`size_t`) where it is large, and ask for a "
    "lower bound first where it may be negative (`i > 0` for `i - 1`)"
)
ARRAYS = ("shared", "local", "constant")
ASSUMED = "nobody gives the launch"
BY_EXAMPLE = "sizes"  # the reason where example sizes show a fault


@dataclass(frozen=True, slots=True)
class FaultCase:
    """A fault of a kernel under one launch."""

    kernel: Kernel
    fault: Fault

    @property
    def sure(self) -> bool:
        return self.fault.certain and not self.assumptions

    @property
    def is_example(self) -> bool:
        return self.fault.reason == BY_EXAMPLE

    @property
    def assumptions(self) -> tuple[str, ...]:
        if self.is_example:
            return ()
        given = is_given(self.kernel)
        return *context.assumed(self.kernel), *(() if given else (ASSUMED,))

    @property
    def elements(self) -> tuple[int, int, int]:
        """The first and the last element that it reaches, and how many there are."""
        fault, width = self.fault, self.fault.element_bytes
        if fault.kind == "row" or not width:
            return fault.low, fault.high, fault.size
        return fault.low // width, fault.high // width, fault.size // width

    @property
    def excess(self) -> int:
        """Bytes or elements by which it leaves its object."""
        return max(-self.fault.low, self.fault.high + 1 - self.fault.size)


def is_given(kernel: Kernel) -> bool:
    launch = kernel.launch
    if launch.grid is None:
        return bool(launch.block_origin) and not launch.block_assumed
    return launch.origin not in ("assumed", "launch bounds", "conditions in the kernel")


def array_out_of_bounds(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL801: elements outside of a shared, local, constant or `__device__` array."""
    yield from _by_place(group, rule, _of_array, _outside)


def row_out_of_bounds(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL802: an index that leaves its row, or a member's array, though not the whole object."""
    yield from _by_place(group, rule, _of_row, _beyond_row)


def allocation_out_of_bounds(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL804: elements outside of what a pointer's allocation in host code holds."""
    yield from _by_edit(_by_place(group, rule, _of_allocation, _outside))


def misaligned_access(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL805: wide accesses at addresses that are no multiple of their width."""
    yield from _by_place(group, rule, lambda kernel, fault: fault.kind == "alignment", _unaligned)


def uninitialised_shared_memory(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL806: reads of shared memory that no thread of the block has written before."""
    for hits in _gathered(group, _of_unwritten, lambda fault: (fault.span.path, fault.object)):
        build = partial(_in_lines, group=group, rule=rule, says=_unfilled)
        yield in_parts(hits, lambda hit: hit.fault.span, build)


def unawaited_copy(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL813: reads of what an asynchronous copy may not have brought yet."""
    yield from _by_place(group, rule, lambda kernel, fault: fault.kind == "unwaited", _unwaited)


def ended_block(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL810 where a block of the cluster may have ended while another one accesses its memory."""
    yield from _by_place(group, rule, lambda kernel, fault: fault.kind == "ended", _after_the_end)


def overlapping_parts(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL807: two names for the same dynamic shared memory, each of which takes it for its own."""
    yield from _by_place(group, rule, lambda kernel, fault: fault.kind == "overlap", _overlaps)


def index_overflow(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL808: an index that arithmetic in 32 bits has wrapped around, into memory of unknown size."""
    yield from _by_place(group, rule, lambda kernel, fault: fault.kind == "wrap", _wraps)


def spin_lock(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL814: locks that several lanes of a warp wait for in a loop. An error where lanes of a warp
    are not known to run on while others wait."""
    independent = (group.device.capability or 0) >= rule.threshold("independent_threads")
    for finding in _by_place(group, rule, lambda kernel, fault: fault.kind == "spin", _spins):
        yield replace(finding, severity="warning") if independent else finding


def too_little_dynamic_memory(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL803: launches whose third argument gives less shared memory than the kernel uses."""
    for kernel in group.kernels:
        hits = [FaultCase(kernel, f) for f in kernel.faults if f.dynamic and f.kind == "outside"]
        if not hits:
            continue
        worst = max(hits, key=lambda hit: (hit.sure, hit.fault.high))
        yield _short_of_memory(kernel, worst, hits, group, rule)


def _short_of_memory(
    kernel: Kernel, worst: FaultCase, hits: Sequence[FaultCase], group: Group, rule: Rule
) -> Finding:
    fault, launched = worst.fault, kernel.launch.span
    needed, given = fault.high + 1, fault.size
    uses = "uses" if worst.sure else "may use"
    gives = f"the launch gives {words.plural(given, 'byte')}" if given else "the launch gives none"
    lines = sorted({hit.fault.span.line: hit.fault.span for hit in hits}.items())
    places = (Label(span, "and here") for _, span in lines if span != fault.span)
    labels = [Label(fault.span, f"reaches byte {words.count(fault.high)}"), *places]
    if fault.object_span is not None:
        labels.append(Label(fault.object_span, f"`{fault.object}` is declared here"))
    place = launched if launched is not None and kernel.launch.in_host_code else fault.span
    return Finding(
        rule.code,
        rule.name,
        context.severity(rule, _doubts(worst)),
        f"`{kernel.name}` {uses} {words.plural(needed, 'byte')} of dynamic shared memory, {gives}",
        place,
        kernel=words.kernel(kernel),
        status="exact" if worst.sure else "range",
        labels=tuple(label for label in labels if label.span != place)[: words.LINES],
        notes=tuple(_notes(worst, [worst], group)),
        help=f"give {words.count(needed)} bytes as the third launch argument",
        fix=fault_fixes.launch_bytes(kernel, fault, group),
    )


def _of_array(kernel: Kernel, fault: Fault) -> bool:
    inside = fault.space in ARRAYS or _allocation(kernel, fault) is None
    return fault.kind == "outside" and inside and not fault.dynamic


def _of_allocation(kernel: Kernel, fault: Fault) -> bool:
    return fault.kind == "outside" and _allocation(kernel, fault) is not None


def _of_row(kernel: Kernel, fault: Fault) -> bool:
    """Where the object itself is left as well, that is told."""
    return fault.kind == "row" and not _leaves(kernel, fault, ("outside",))


def _of_unwritten(kernel: Kernel, fault: Fault) -> bool:
    """What lies outside is told as that."""
    return fault.kind == "unwritten" and not _leaves(kernel, fault, ("outside", "row"))


def _leaves(kernel: Kernel, fault: Fault, kinds: tuple[str, ...]) -> bool:
    """Whether the access has a fault of these kinds."""
    return any(other.kind in kinds and other.span == fault.span for other in kernel.faults)


def _allocation(kernel: Kernel, fault: Fault) -> PointerArgument | None:
    given = kernel.launch.arguments.get(fault.object)
    return given if isinstance(given, PointerArgument) and fault.space == "global" else None


def _by_place(
    group: Group,
    rule: Rule,
    concerns: Callable[[Kernel, Fault], bool],
    says: Callable[[FaultCase], str],
) -> Iterator[Finding]:
    """One finding for the accesses of a line to one object."""
    of_line = _gathered(group, concerns, lambda f: (f.span.path, f.span.line, f.object))
    for hits in of_line:
        yield _of_hits(hits, group, rule, says)


def _gathered(
    group: Group,
    concerns: Callable[[Kernel, Fault], bool],
    key_of: Callable[[Fault], Hashable],
) -> list[list[FaultCase]]:
    """What is told, by what is told together."""
    found: dict[Hashable, list[FaultCase]] = {}
    for kernel in group.kernels:
        for fault in kernel.faults:
            hit = FaultCase(kernel, fault)
            if concerns(kernel, fault) and not (hit.assumptions and fault.by_thread):
                found.setdefault(key_of(fault), []).append(hit)
    return list(found.values())


def _of_hits(
    hits: Sequence[FaultCase], group: Group, rule: Rule, says: Callable[[FaultCase], str]
) -> Finding:
    worst = max(hits, key=lambda hit: (hit.sure, hit.excess))
    fix = _guard(worst, hits, group)
    return Finding(
        rule.code,
        rule.name,
        context.severity(rule, _doubts(worst)),
        says(worst),
        worst.fault.span,
        kernel=words.kernel(worst.kernel),
        status="exact" if worst.sure else "range",
        labels=tuple(_labels(worst, group)),
        notes=tuple(_notes(worst, hits, group, fix)),
        help=_remedy(worst, group, fix),
        fix=fix,
    )


def _in_lines(
    hits: Sequence[FaultCase], group: Group, rule: Rule, says: Callable[[FaultCase], str]
) -> Finding:
    """With the other lines."""
    first = _of_hits(hits, group, rule, says)
    others = {hit.fault.span.line: hit.fault for hit in hits if hit.fault.span != first.span}
    others.pop(first.span.line, None)
    if not others:
        return first
    marks = (Label(fault.span, "and here") for _, fault in sorted(others.items()))
    lines = [f"`{fault.text}` on line {line}" for line, fault in sorted(others.items())]
    return replace(
        first,
        labels=(*first.labels, *marks)[: words.LINES],
        notes=(*first.notes, f"the same for {words.listed(lines)}"),
    )


def _by_edit(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Of accesses that one guard keeps inside, as `y[i] = x[i]`, one finding."""
    found: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        edits = None if finding.fix is None else finding.fix.edits
        key = finding.span.path, finding.severity, edits or finding.span
        found[key] = _with(found[key], finding) if key in found else finding
    yield from found.values()


def _with(finding: Finding, other: Finding) -> Finding:
    """With the place of another; what that says is told where it is on the same line."""
    if other.span.line == finding.span.line:
        notes, more = (*finding.notes, f"also: {other.message}"), other.labels
    else:
        notes, more = finding.notes, (Label(other.span, "and here"), *other.labels)
    labels = {label.span: label for label in (*more, *finding.labels)}
    return replace(finding, labels=tuple(labels.values())[: words.LINES], notes=notes)


def _guard(worst: FaultCase, hits: Sequence[FaultCase], group: Group) -> Fix | None:
    if worst.fault.kind != "outside" or _has_one_index(worst):
        return None
    alike = [(hit.kernel, hit.fault) for hit in hits if hit.fault.text == worst.fault.text]
    return fault_fixes.guard(alike, worst.fault, group) or _guard_of_another(worst, group)


def _has_one_index(hit: FaultCase) -> bool:
    """Whether all threads that make the access have the same index: no guard keeps any of them."""
    place = hit.fault.span, hit.fault.calls
    accesses = [a for a in hit.kernel.accesses if (a.span, a.calls) == place]
    return bool(accesses) and all(NUMBER.fullmatch(a.index or "") for a in accesses)


def _guard_of_another(hit: FaultCase, group: Group) -> Fix | None:
    """The guard before an access, put right for another that the same thread is the first to leave
    its object by: `p[4 * i + j]` beside `q[i]`, both behind `if (i > n) return;`."""
    failed = _failed_guard(hit, group)
    if failed is None:
        return None
    for other in hit.kernel.faults:
        is_alike = other.kind == "outside" and other.object != hit.fault.object
        if is_alike and (other.thread, other.block) == (hit.fault.thread, hit.fault.block):
            places = [(k, f) for k in group.kernels for f in k.faults if f.span == other.span]
            fix = fault_fixes.guard(places, other, group)
            if fix is not None and fault_fixes.comparison(fix) and _is_of(failed, fix):
                return fix
    return None


def _is_of(guard: FailedGuard, fix: Fix) -> bool:
    return _begin(guard.span) <= _begin(fix.edits[0].span) < _end(guard.span)


def _doubts(hit: FaultCase) -> tuple[str, ...]:
    return () if hit.sure else (hit.fault.reason or ASSUMED,)


def _verb(hit: FaultCase) -> str:
    return (VERBS if hit.sure else MAY)[hit.fault.op]


def _outside(hit: FaultCase) -> str:
    fault, (low, high, size) = hit.fault, hit.elements
    unit = "element" if fault.element_bytes else "byte"
    when = f" when {fault.detail}" if hit.is_example else ""
    return f"`{fault.text}` {_verb(hit)} {_reached(unit, low, high, size)} of `{fault.object}`, which has {words.count(size)}{when}"


def _reached(unit: str, low: int, high: int, size: int) -> str:
    """The elements between the first and the last; where one end is inside, the other is told."""
    if low == high:
        return f"{unit} {words.count(low)}"
    if 0 <= low < size:
        return f"{unit}s up to {words.count(high)}"
    if 0 <= high < size:
        return f"{unit}s from {words.count(low)} on"
    return f"{unit}s {words.count(low)} to {words.count(high)}"


def _beyond_row(hit: FaultCase) -> str:
    fault = hit.fault
    reached = (
        f"index {fault.low}" if fault.low == fault.high else f"indices {fault.low} to {fault.high}"
    )
    return f"`{fault.text}` {_verb(hit)} {reached} of a row of `{fault.object}` that has {fault.size} elements"


def _unfilled(hit: FaultCase) -> str:
    element = words.count(hit.elements[0])
    verb = VERBS[hit.fault.op]
    return f"`{hit.fault.text}` {verb} element {element} of `{hit.fault.object}`, which no thread has written before"


def _overlaps(hit: FaultCase) -> str:
    fault = hit.fault
    return f"`{fault.text}` {_verb(hit)} over `{fault.other_text}`, which is read again: the two overlap from byte {words.count(fault.low)} on"


def _wraps(hit: FaultCase) -> str:
    low, high, _ = hit.elements
    reached = words.count(low if low < 0 else high)
    return f"`{hit.fault.text}` {_verb(hit)} element {reached} of `{hit.fault.object}`: the index wraps around"


def _spins(hit: FaultCase) -> str:
    wait = "wait" if hit.sure else "may wait"
    return f"`{hit.fault.text}`: several lanes of a warp {wait} for one lock in this loop"


def _unwaited(hit: FaultCase) -> str:
    fault = hit.fault
    line = "" if fault.other is None else f" on line {fault.other.line}"
    return f"`{fault.text}` {_verb(hit)} `{fault.object}` before the asynchronous copy{line} is known to be complete"


def _after_the_end(hit: FaultCase) -> str:
    fault, may = hit.fault, "" if hit.sure else "may "
    verb = {"load": "read", "store": "write"}.get(fault.op, "update")
    does = f"{may}{verb}" if may else f"{verb}s"
    return (
        f"`{fault.text}` {does} `{fault.object}` of another block of the cluster, which may have ended: "
        "no barrier of the cluster follows"
    )


def _unaligned(hit: FaultCase) -> str:
    fault = hit.fault
    if fault.reason == "compiler":
        return f"`{fault.text}`: the address is not a multiple of {fault.size} bytes, which this access may need"
    is_ = "is" if hit.sure else "may be"
    return f"`{fault.text}`: the address {is_} not a multiple of {fault.size} bytes, which this access needs"


def _labels(hit: FaultCase, group: Group) -> Iterator[Label]:
    fault, kernel = hit.fault, hit.kernel
    if fault.other is not None and _apart(fault.other, fault.span):
        yield Label(fault.other, OTHERS[fault.kind])
    given = _allocation(kernel, fault)
    allocated = dict(kernel.launch.allocations).get(fault.object)
    if given is not None and allocated is not None:
        size = (
            "" if given.allocated_bytes is None else f": {words.count(given.allocated_bytes)} bytes"
        )
        yield Label(allocated, f"allocated here{size}")
    elif fault.object_span is not None and _apart(fault.object_span, fault.span):
        declared = "is allocated here" if hit.is_example else "is declared here"
        yield Label(fault.object_span, f"`{fault.object}` {declared}")
    guard = _failed_guard(hit, group)
    if guard is not None and _apart(guard.span, fault.span):
        yield Label(guard.span, "this guard lets it pass")
    launched = kernel.launch.span
    if launched is not None and (kernel.launch.in_host_code or hit.is_example):
        yield Label(launched, "launched here")
    for call in fault.calls[:1]:
        yield Label(call, "called from here")


@dataclass(frozen=True, slots=True)
class FailedGuard:
    """A condition that lets an access pass that leaves its object."""

    span: Span
    condition: str


def _failed_guard(hit: FaultCase, group: Group) -> FailedGuard | None:
    """The innermost condition around the access, or the last one before it that leaves; none where
    the allocation is wrong."""
    if hit.fault.kind not in ("outside", "row") or _lacks_sizeof(hit) or _has_one_index(hit):
        return None
    around = [
        b for b in hit.kernel.branches if b.kind == "if" and b.span.path == hit.fault.span.path
    ]
    inside = [b for b in around if _begin(b.span) <= _begin(hit.fault.span) < _end(b.span)]
    if inside:
        innermost = max(inside, key=lambda b: _begin(b.span))
        return FailedGuard(innermost.span, innermost.condition)
    if hit.fault.calls or not group.source.spells(hit.fault.span):
        return None
    subscripts = " ".join(re.findall(r"\[([^\]]*)", hit.fault.text))
    before = group.source.exit_before(hit.fault.span, fault_fixes.names(subscripts))
    return None if before is None else FailedGuard(before.span, before.text)


NUMBER = re.compile(r"-?\d+")
BOUNDED = re.compile(r"(\w+)\s*(?:<|>=)\s*\w+")
BEHIND = re.compile(r"\[\s*(\w+)\s*\+\s*(\d+)\s*\]")


def _further_on(hit: FaultCase, guard: FailedGuard) -> int:
    """Elements that an allocation lacks whose guard is right for the index without its constant:
    1 for `ptr[r + 1]` of n elements under `r < n`; 0 elsewhere."""
    bounded, index = BOUNDED.fullmatch(guard.condition.strip()), BEHIND.search(hit.fault.text)
    if bounded is None or index is None or _allocation(hit.kernel, hit.fault) is None:
        return 0
    low, high, size = hit.elements
    lacks = high + 1 - size
    return lacks if bounded[1] == index[1] and int(index[2]) == lacks and low >= 0 else 0


def _begin(span: Span) -> tuple[int, int]:
    return span.line, span.column


def _end(span: Span) -> tuple[int, int]:
    return span.end_line, span.end_column


def _apart(one: Span, other: Span) -> bool:
    return (one.path, one.line) != (other.path, other.line)


def undecided(fault: Fault) -> str:
    """What decides whether it happens; "" where nothing does."""
    if fault.reason:
        return f"{REASONS[fault.reason]}{f': {fault.detail}' if fault.detail else ''}"
    return "" if fault.certain else DECIDES.get(fault.kind, OPEN)


def _notes(
    hit: FaultCase, hits: Sequence[FaultCase], group: Group, fix: Fix | None = None
) -> Iterator[str]:
    fault, kernel = hit.fault, hit.kernel
    thread, block = (", ".join(map(str, place)) for place in (fault.thread, fault.block))
    why = undecided(fault)
    first = "" if fault.kind in OF_NO_THREAD else f"first in thread ({thread}) of block ({block})"
    if first or why:
        yield "; ".join(filter(None, (first, why)))
    guard = None if fault_fixes.comparison(fix) else _failed_guard(hit, group)
    if guard is not None and guard.condition:
        condition = " ".join(guard.condition.split())
        if further := _further_on(hit, guard):
            yield f"`{condition}` fits the allocation: this index is {words.plural(further, 'element')} further on"
        else:
            yield f"`{condition}` does not keep the index in bounds: compare with the size of `{fault.object}`"
    affected = {id(h.kernel) for h in hits}
    several = len(group.kernels) > 1 and len(hits) > 1
    share = f"; {words.worst(len(affected), len(group.kernels))}" if several else ""
    yield f"launch: {words.launch(kernel.launch)}{share}"


OPEN = "whether it happens depends on data or arguments that kernlint does not know"
OF_NO_THREAD = {"ended"}  # faults of places in the program, whichever thread comes there
DECIDES = {"overlap": "unless the two are meant to share this memory"}
OTHERS = {"unwaited": "copied here", "overlap": "written here"}
REMEDIES = {
    "overlap": "all `extern __shared__` arrays begin at one address: declare one, and let each part begin behind the bytes of those before it (`float *b = (float *)(a + n)`)",
    "ended": "put `cluster.sync()` behind the last access to memory of other blocks, where every thread reaches it: a block must not end before",
    "wrap": AROUND.removeprefix("the index wraps around: "),
    "unwritten": "fill all elements that are read, corners and borders too (zeros where there is nothing to load), by all threads of the block",
    "unwaited": "wait for the copy (`__pipeline_wait_prior(0)`, `cp.async.wait_group 0`, `cooperative_groups::wait(group)`, `wait_group_events`; for a bulk copy, its mbarrier or `cuda::barrier`), and put a barrier between the wait and what other threads read",
    "spin": "hold and release the lock within the loop (`if (atomicCAS(lock, 0, 1) == 0) { …; atomicExch(lock, 0); done = true; }`), let one lane of the warp take it for all, or use atomic operations on the data itself",
    "row": "keep the index within the row, or declare the array with one dimension if the next row is meant",
    "alignment": "keep offsets and row pitches a multiple of the access's width, or access single elements",
}


def _remedy(hit: FaultCase, group: Group, fix: Fix | None) -> str:
    if hit.fault.kind == "outside" and max(map(abs, hit.elements[:2])) >= WRAPPED:
        return AROUND
    if _lacks_sizeof(hit):
        return SIZE_OF.format(bytes=hit.fault.element_bytes)
    if pitch := _pitch_in_bytes(hit):
        return PITCH_OF.format(pitch=pitch, bytes=hit.fault.element_bytes)
    if right := fault_fixes.comparison(fix):
        return f"compare by `{right}`: as written, one index too many passes"
    if hit.fault.kind == "outside" and _has_one_index(hit):
        return f"the index is the same in all threads: correct it, or enlarge `{hit.fault.object}`"
    guard = _failed_guard(hit, group)
    if guard is not None and _further_on(hit, guard):
        return f"allocate {words.count(hit.elements[1] + 1)} elements, or {GUARD}"
    return REMEDIES.get(hit.fault.kind, GUARD)


def _pitch_in_bytes(hit: FaultCase) -> str:
    """The argument that is the bytes of a row, of several rows that the kernel steps through by as
    many elements; "" where there is none."""
    fault, reached = hit.fault, hit.elements[1]
    if not _of_allocation(hit.kernel, fault) or fault.element_bytes < 2:
        return ""
    for name, pitch in hit.kernel.launch.arguments.items():
        if not isinstance(pitch, int) or pitch < LEAST_PITCH or fault.size % pitch:
            continue
        last_row = fault.size - pitch  # in elements, if a row has as many elements as bytes
        if last_row and last_row <= reached < last_row + pitch // fault.element_bytes:
            return name
    return ""


def _lacks_sizeof(hit: FaultCase) -> bool:
    """Whether an allocation has as many bytes as the kernel reaches elements: `cudaMalloc(&p, n)`."""
    fault = hit.fault
    allocated = _of_allocation(hit.kernel, fault) and fault.element_bytes > 1
    return allocated and hit.elements[1] + 1 == fault.size
