"""What the compiler made of a source: the facts of a kernel from its source held against those from
its PTX, line by line.

In: two `facts.File`s of the same kernels under the same launches. Out: `Difference`s, each with the
reason in words, and how many lines are alike. Never analyses anything: the engine has.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from kernlint.base.dataclass import dataclass
from kernlint.model import facts

Line = tuple[int, str, str]  # line, space, operation
NAMED = 4  # kernels of a message that are spelled out


@dataclass(frozen=True, slots=True)
class LineAccesses:
    """The accesses of one line, space and operation: how many, the bytes of each, their requests
    together (None: not known)."""

    accesses: int
    bytes: tuple[int, ...]
    requests: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    line: int
    space: str
    op: str
    source: LineAccesses | None
    ptx: LineAccesses | None
    reason: str  # merged, unrolled, removed, moved, split, other
    text: str


@dataclass(frozen=True, slots=True)
class ComparedKernel:
    """A kernel under one launch, from both. `alike`: lines without a difference."""

    source: facts.Kernel
    ptx: facts.Kernel
    alike: int
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Against:
    """`alone`: kernels of the source that the PTX does not have, and of the PTX that the source
    does not have, in words."""

    pairs: tuple[ComparedKernel, ...]
    alone: tuple[str, ...]


def compared(source: facts.File, ptx: facts.File) -> Against:
    """Every kernel and launch that both have."""
    pairs, alone, left = [], list[str](), list(ptx.kernels)
    for kernel in source.kernels:
        twin = next((k for k in left if _same(kernel, k)), None)
        if twin is None:
            alone.append(f"`{_title(kernel)}` is not in {ptx.path}")
            continue
        left.remove(twin)
        pairs.append(_pair(kernel, twin, source.path))
    alone += [
        f"`{_title(k)}` of {ptx.path} is not in {source.path}, or not launched there like this"
        for k in left
    ]
    return Against(tuple(pairs), tuple(dict.fromkeys(alone)))


def is_ptx(text: str) -> bool:
    return (
        re.search(r"^\s*(?:\.version|\.visible|\.entry|\.func)\b", text, re.MULTILINE) is not None
    )


def nothing_in_common(source: facts.File, ptx: facts.File) -> str:
    """Why no kernel is in both, and what would help, in one line."""
    ours, theirs = ({kernel.name for kernel in file.kernels} for file in (source, ptx))
    if not ours or not theirs:
        empty = source.path if not ours else ptx.path
        return f"--against {ptx.path}: no kernel of {empty} could be analysed"
    if ours & theirs:
        both = _listed(sorted(ours & theirs))
        return (
            f"--against {ptx.path}: {both} is in both, but not with the same template arguments under the same launch: "
            "compile the PTX from this source, and say how it is launched (--grid, --block, --arg, or host code)"
        )
    return (
        f"--against {ptx.path}: it has {_listed(sorted(theirs))}, {source.path} has {_listed(sorted(ours))}: "
        "compile the PTX from this source (nvcc -ptx -lineinfo)"
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names[:NAMED]) + (", …" if len(names) > NAMED else "")


def _title(kernel: facts.Kernel) -> str:
    return kernel.name + (
        f"<{', '.join(kernel.template_arguments)}>" if kernel.template_arguments else ""
    )


def _same(a: facts.Kernel, b: facts.Kernel) -> bool:
    from kernlint.lowering.ptx.program import plain_argument

    if a.name != b.name or [plain_argument(x) for x in a.template_arguments] != [
        plain_argument(x) for x in b.template_arguments
    ]:
        return False
    x, y = a.launch, b.launch
    return (x.grid, x.block, x.dynamic_shared_bytes, x.arguments) == (
        y.grid,
        y.block,
        y.dynamic_shared_bytes,
        y.arguments,
    )


def _pair(source: facts.Kernel, ptx: facts.Kernel, path: str) -> ComparedKernel:
    ours = _by_line(source.accesses, path, lambda a: a.span.line)
    theirs = _by_line(ptx.accesses, path, _line_of)
    lines = sorted(ours.keys() | theirs.keys())
    differences = [
        d
        for key in lines
        if (d := _difference(key, ours.get(key, []), theirs.get(key, []), ours, theirs)) is not None
    ]
    return ComparedKernel(source, ptx, len(lines) - len(differences), tuple(differences))


def _line_of(access: facts.Access) -> int:
    """The line of the user's file that an access of the PTX is of: the charged one, unless that
    lies in another file."""
    return access.span.line if access.charged_path else access.charged_line


def _by_line(
    accesses: Sequence[facts.Access], path: str, line: Callable[[facts.Access], int]
) -> dict[Line, list[facts.Access]]:
    found: dict[Line, list[facts.Access]] = defaultdict(list)
    for access in accesses:
        if os.path.basename(access.span.path) == os.path.basename(path):
            found[line(access), access.space, access.op].append(access)
    return found


def _side(accesses: Sequence[facts.Access]) -> LineAccesses | None:
    if not accesses:
        return None
    numbers = [a.requests for a in accesses]
    total = None if any(n is None for n in numbers) else sum(n for n in numbers if n is not None)
    return LineAccesses(len(accesses), tuple(sorted({a.bytes for a in accesses})), total)


def _difference(
    key: Line,
    ours: Sequence[facts.Access],
    theirs: Sequence[facts.Access],
    source: Iterable[Line],
    ptx: Iterable[Line],
) -> Difference | None:
    """None where both make the same machine accesses."""
    a, b = _side(ours), _side(theirs)
    _, space, op = key
    if a is not None and b is not None and a == b:
        return None
    if b is None:
        elsewhere = [n for n, s, o in ptx if (s, o) == (space, op) and (n, s, o) not in set(source)]
        if elsewhere:
            return Difference(
                *key,
                a,
                b,
                "moved",
                f"no {op} of this line is left; the compiler charges line {elsewhere[0]} with one",
            )
        return Difference(*key, a, b, "removed", _removed(ours))
    if a is None:
        return Difference(
            *key,
            a,
            b,
            "moved",
            f"the source has no {space} {op} here: moved from another line, or inlined",
        )
    return Difference(*key, a, b, *_changed(a, b))


def _removed(ours: Sequence[facts.Access]) -> str:
    if ours[0].op == "store":
        return "nothing reads what it writes, or a later store replaces it"
    return "its value is in a register already, or nobody needs it"


def _changed(a: LineAccesses, b: LineAccesses) -> tuple[str, str]:
    """The reason, and in words."""
    known = a.requests is not None and b.requests is not None
    times = f"{b.accesses} instructions for {a.accesses}"
    if max(b.bytes) > max(a.bytes):
        return "merged", f"merged into {max(b.bytes)}-byte accesses" + (
            f", unrolled: {times}" if b.accesses > a.accesses else ""
        )
    if max(b.bytes) < max(a.bytes):
        return "split", f"accesses of {max(b.bytes)} bytes instead of {max(a.bytes)}: {times}"
    if known and b.requests == a.requests:
        return (
            ("unrolled", f"unrolled: {times}")
            if b.accesses > a.accesses
            else ("merged", f"{times}: code of several branches joined")
        )
    if known and a.requests is not None and b.requests is not None and b.requests < a.requests:
        rest = f"unrolled ({times}), and " if b.accesses > a.accesses else ""
        return (
            "removed",
            f"{rest}{_number(a.requests - b.requests)} of {_number(a.requests)} requests are gone: values kept in registers",
        )
    if not known:
        return ("unrolled", f"unrolled: {times}") if b.accesses > a.accesses else ("other", times)
    return (
        "other",
        "more requests than the source's accesses: executed under a weaker condition, or moved here",
    )


def _number(value: float) -> str:
    return f"{value:,.0f}"
