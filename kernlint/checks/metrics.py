"""Family 9, metrics: numbers for people who ask for them. Goes in: facts of one kernel. Comes out: notes."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.checks import words
from kernlint.checks.context import Group
from kernlint.checks.finding import Finding, Metrics
from kernlint.checks.meta import name_span
from kernlint.checks.rules import Rule


def estimated_cycles(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL901: the T model's cycles of each launch whose shared-memory accesses are all known."""
    device = group.device
    for kernel in group.kernels:
        now, best = kernel.shared_cycles, kernel.shared_cycles_ideal
        if now is None or best is None:
            continue
        shared = [access for access in kernel.accesses if access.space == "shared"]
        status = "exact" if all(access.status == "exact" for access in shared) else "range"
        yield Finding(
            rule.code,
            rule.name,
            rule.severity,
            f"`{kernel.name}`: {words.count(round(now))} cycles of shared memory per block, "
            f"{words.count(round(best))} without bank conflicts ({status})",
            name_span(kernel.span, kernel.name, group.file),
            kernel=words.kernel(kernel),
            status=status,
            notes=(
                f"{words.model(device)}: i instructions of w warps at degree c",
                f"launch: {words.launch(kernel.launch)}",
            ),
            assumptions=kernel.assumptions,
            metrics=Metrics(cycles=now),
        )
