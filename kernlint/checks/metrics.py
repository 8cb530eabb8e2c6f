"""Family 9, metrics: numbers for people who ask for them. Goes in: facts of one kernel. Comes out:
notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kernlint.checks import words
from kernlint.checks.context import Group
from kernlint.checks.estimate_words import WORTH, cost, shared, time
from kernlint.checks.rules import Rule
from kernlint.model.facts import Estimate, Kernel
from kernlint.model.finding import Finding, Metrics

if TYPE_CHECKING:
    from kernlint.hardware import Device


def estimated_cycles(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL901: the estimated time of each launch, what limits it, what bank conflicts and the like
    cost of it."""
    for kernel in group.kernels:
        found = kernel.estimate
        if isinstance(found, str):
            continue
        status = "range"
        yield Finding(
            rule.code,
            rule.name,
            rule.severity,
            f"`{kernel.name}`: about {time(found)}, limited by {found.limiter} ({status})",
            group.source.name(kernel.span, kernel.name),
            kernel=words.kernel(kernel),
            status=status,
            notes=tuple(_notes(kernel, found, group.device)),
            assumptions=(*kernel.assumptions, *found.assumptions),
            metrics=Metrics(cycles=float(found.cycles)),
        )


def _notes(kernel: Kernel, found: Estimate, device: Device) -> Iterator[str]:
    yield from (cost(saving) for saving in found.savings if saving.share >= WORTH)
    parts = ", ".join(
        f"{name} {words.count(round(value))}" for name, value in found.parts.items() if value >= 1
    )
    yield f"cycles per part (overlapping): {parts}"
    if kernel.shared_cycles is not None and kernel.shared_cycles_ideal is not None:
        best = words.count(round(kernel.shared_cycles_ideal))
        yield f"shared memory: {shared(kernel)}, {best} without bank conflicts, {words.by_model(device)}"
    yield f"launch: {words.launch(kernel.launch)}"
