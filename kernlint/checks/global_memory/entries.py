"""Accesses to global memory as the rules of this family look at them: with the sectors of each
launch."""

from __future__ import annotations

from kernlint.checks import context
from kernlint.checks.context import Executed, Group
from kernlint.model.facts import Access, Counts


def global_entries(group: Group) -> list[Executed]:
    """The global accesses whose sectors are known, under every launch."""
    return [
        entry
        for kernel in group.kernels
        for access in kernel.accesses
        if access.space == "global"
        and (entry := context.executed(kernel, access, _sectors)) is not None
    ]


def _sectors(access: Access) -> Counts | None:
    return access.sectors
