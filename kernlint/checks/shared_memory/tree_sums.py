"""Reductions by a tree in shared memory: of a stride that doubles, `if (t % (2 * stride) == 0) s[t]
+= s[t + stride];`, or halves, `if (t < stride) s[t] += s[t + stride];`.

Goes in: a branch, the accesses inside it, the model of the source. Comes out: the form that keeps
lanes at work, in the source's own words: the first threads of the block, or shuffles in a warp.
Another way to make the working threads contiguous, `s[2 * stride * t]`, lays the words of a warp
into few banks (M. Harris, Optimizing Parallel Reduction in CUDA, kernels 1 to 3).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import prod

from kernlint.checks import dialect
from kernlint.model.facts import Access, Branch
from kernlint.source_model.model import SourceModel

_THREAD, _STRIDE = r"(?P<thread>[\w.]+(?:\(\w*\))?)", r"(?P<stride>\w+)"
_DOUBLED = (rf"2\*{_STRIDE}", rf"{_STRIDE}\*2", rf"\(?{_STRIDE}<<1\)?")
_CHOSEN = tuple(  # the threads whose number is a multiple of twice the stride, without spaces
    re.compile(form + "(?:&&.*)?")
    for twice in _DOUBLED
    for form in (
        rf"\(?{_THREAD}%\({twice}\)\)?==0",
        rf"\({_THREAD}&\({twice}-1\)\)==0",
        rf"!\({_THREAD}%\({twice}\)\)",
    )
)

_FIRST = (  # the threads below the stride, without spaces
    re.compile(rf"{_THREAD}<{_STRIDE}(?:&&.*)?"),
    re.compile(rf"{_STRIDE}>{_THREAD}(?:&&.*)?"),
)
_AXIS = re.compile(r"(?:\.([xyz])|\(([012])\))$")
_SHUFFLED = {
    "cuda": "combine the values of a warp in registers, `v += __shfl_down_sync(0xffffffff, v, {stride})` for {stride} = {half} "
    "down to 1 (or the operation that the tree does): no branch, barrier or shared memory",
    "opencl": "combine the values of a sub-group in registers (`sub_group_reduce_add`, `sub_group_reduce_max`): no branch, barrier "
    "or shared memory",
}
_STEP = {  # one step of a tree that is written out
    "cuda": "combine the values of a warp in registers, `v += __shfl_down_sync(0xffffffff, v, {stride})` (or the operation that the "
    "tree does) in place of each step: no branch, barrier or shared memory",
    "opencl": _SHUFFLED["opencl"],
}


def shuffled(
    branch: Branch, inside: Sequence[Access], language: str, block: Sequence[int], lanes: int
) -> str:
    """The advice for a tree whose stride halves, of whose steps those within a warp need no shared
    memory; "" where the branch is no such reduction. `block`: threads along each axis."""
    match = _matched(_FIRST, branch)
    if match is None:
        return ""
    thread, stride = match["thread"], match["stride"]
    texts = (_dense(access.text) for access in inside if access.space == "shared")
    if not any(text.endswith((f"[{thread}+{stride}]", f"[{stride}+{thread}]")) for text in texts):
        return ""
    axis = _AXIS.search(thread)
    threads = block["xyz012".index(axis[1] or axis[2]) % 3] if axis is not None else prod(block)
    half = min(lanes, threads) // 2
    form = _STEP if stride.isdigit() else _SHUFFLED
    told = dialect.own(form, language).format(stride=stride, half=half)
    is_inside = stride.isdigit() or threads <= lanes
    return told if is_inside else f"once `{stride}` is below {lanes}, {told}"


def _matched(forms: Iterable[re.Pattern[str]], branch: Branch) -> re.Match[str] | None:
    condition = _dense(branch.condition)
    return next((match for form in forms if (match := form.fullmatch(condition))), None)


def halved(branch: Branch, inside: Sequence[Access], source: SourceModel, size: str) -> str:
    """The advice; "" where the branch is no such reduction. `size`: how the language names the
    number of threads of a block."""
    match = _matched(_CHOSEN, branch)
    if match is None:
        return ""
    thread, stride = match["thread"], match["stride"]
    texts = {_dense(access.text): access for access in inside if access.space == "shared"}
    far = next(
        (text for text in texts if text.endswith((f"[{thread}+{stride}]", f"[{stride}+{thread}]"))),
        "",
    )
    array = far.partition("[")[0]
    near = texts.get(f"{array}[{thread}]")
    if not far or near is None:
        return ""
    work = _statement(near, texts[far], source)
    return (
        f"halve the stride instead of doubling it, `for ({stride} = {size} / 2; {stride} > 0; {stride} /= 2)` if {size} is a power of "
        f"two, and let the first threads work: `if ({thread} < {stride}) {work}`; whole warps then take the same path without the bank "
        f"conflicts of `{array}[2 * {stride} * {thread}]`"
    )


def _statement(near: Access, far: Access, source: SourceModel) -> str:
    """What is added, as the source says it where that is one line."""
    found = re.search(rf"{re.escape(near.text)}[^;{{}}]*;", source.line(near.span))
    return found[0] if found and far.text in found[0] else f"{near.text} += {far.text};"


def _dense(text: str) -> str:
    return re.sub(r"\s+", "", text)
