"""Family 0: what kernlint could not read, had to assume, or gave up on. Goes in: facts. Comes out: findings."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.checks import global_memory, words
from kernlint.checks.context import Group
from kernlint.checks.finding import Finding
from kernlint.checks.rules import Rule
from kernlint.facts import Access, File
from kernlint.reasons import REASONS
from kernlint.source.span import Span

COUNTED = {"shared": "wavefronts", "global": "sectors", "local": "sectors"}


def problems(file: File, rule: Rule) -> Iterator[Finding]:
    """KL001 and the warnings of KL003: the problems that the pipeline recorded under the rule's code."""
    for problem in file.problems:
        if problem.code == rule.code:
            severity, status = ("info", "exact") if problem.note else (rule.severity, "unknown")
            yield Finding(rule.code, rule.name, severity, problem.message, problem.span, kernel=problem.kernel, status=status)


def launch_assumed(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL002: no launch of the kernel is known."""
    kernel = next((k for k in group.kernels if k.launch.grid is None), None)
    if kernel is None:
        return
    name = kernel.name
    yield Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{name}`: grid not known, analysed with a block of {words.size(kernel.launch.block)}; counts over the launch are not known",
        name_span(kernel.span, name, group.file),
        kernel=words.kernel(kernel),
        status="unknown",
        notes=kernel.assumptions,
        help=f"say how it is launched: `// kernlint: launch(grid=…, block=…)` above the kernel, or `--grid … --block … --kernel {name}`",
    )


def analysis_gave_up(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL003, as notes: accesses, branches and barriers whose numbers kernlint cannot know, once per place and cause."""
    seen: set[tuple[object, ...]] = set()
    for kernel in group.kernels:
        name = words.kernel(kernel)
        for access in kernel.accesses:
            if access.status == "unknown" and access.space in COUNTED and not global_memory.decided_by_data(access):
                what = f"`{access.text}`: {COUNTED[access.space]} of this {access.space} {access.op} not known"
                yield from _once(seen, rule, name, access.span, what, words.why(access), _remedy(access))
        for branch in kernel.branches:
            if branch.status == "unknown":
                why = REASONS.get(branch.reason, branch.reason) + (f": {branch.detail}" if branch.detail else "")
                yield from _once(seen, rule, name, branch.span, f"`{branch.condition}`: whether lanes diverge is not known", why, "")
        for barrier in kernel.barriers:
            if barrier.uniform is None and barrier.scope == "block":
                what = f"`{barrier.text}`: whether all live threads reach this barrier is not known"
                yield from _once(seen, rule, name, barrier.span, what, barrier.detail, "")


def _once(seen: set[tuple[object, ...]], rule: Rule, kernel: str, span: Span, what: str, why: str, remedy: str) -> Iterator[Finding]:
    key = (span, what, why)
    if key not in seen:
        seen.add(key)
        notes = (why,) if why else ()
        yield Finding(rule.code, rule.name, "info", what, span, kernel=kernel, status="unknown", notes=notes, help=remedy)


def _remedy(access: Access) -> str:
    if access.reason == "unknown-argument":
        return "give the argument's value: `--arg NAME=VALUE` or `// kernlint: launch(…, NAME=VALUE)`"
    if access.reason == "unknown-launch":
        return "say how the kernel is launched: `--grid … --block …` or `// kernlint: launch(grid=…, block=…)`"
    if access.reason in ("unknown-type", "unknown-function"):
        return "let kernlint see the definition: `-I DIR` for its header"
    return ""


def name_span(span: Span, name: str, file: File) -> Span:
    """The kernel's name in its definition's head; the head's first line where it cannot be found."""
    lines = file.text.split("\n")
    for number in range(span.line, min(span.end_line, span.line + 8, len(lines)) + 1):
        column = lines[number - 1].find(f"{name}(")
        if column >= 0:
            return Span(span.path, number, column + 1, number, column + 1 + len(name), span.macro)
    return Span(span.path, span.line, span.column, span.line, span.column + 1, span.macro)
