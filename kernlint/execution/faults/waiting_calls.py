"""Calls and instructions whose accesses are not followed: which let a thread wait for others.

In: a statement of the IR. Out: whether it waits. A function counts as going on only by its full name
in CUDA's libraries or as an instruction; whatever else is not followed may wait.
"""

from __future__ import annotations

import re

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, walk_expression

# what sets up or signals barriers in memory, or starts a bulk copy (PTX ISA; libcu++)
_GOES_ON = re.compile(
    r"(mbarrier\.(init|inval|arrive|expect_tx|complete_tx)|cp\.async\.bulk\.(?!wait)|fence\.).*"
    r"|cuda::barrier::(init|arrive)|cuda::memcpy_async"
    r"|cuda::device::(memcpy_async_tx|barrier_(arrive|expect)_tx)"
    r"|cuda::device::experimental::"
    r"(barrier_(arrive|expect)_tx|fence_\w+|cp_async_bulk_(?!wait)\w+)"
    r"|cuda::ptx::(mbarrier_(init|inval|arrive|expect_tx)\w*|fence\w*|cp_async_bulk(?!_wait)\w*)"
)
# what sets up a barrier in memory, and what threads do with it then
_SETS_UP = re.compile(r"mbarrier\.init.*|cuda::ptx::mbarrier_init|cuda::barrier::init")
_USES = re.compile(
    r"mbarrier\.(arrive|expect_tx|complete_tx|test_wait|try_wait).*|cuda::barrier::(?!init).*"
    r"|cuda::ptx::mbarrier_(arrive|expect_tx|test_wait|try_wait).*"
    r"|cuda::device::(experimental::)?barrier_(arrive|expect)_tx"
)
BLOCK_BARRIER = "cuda::barrier::arrive_and_wait"


def goes_on(s: ir.Clobber) -> bool:
    """Whether a function that is not followed lets no thread wait for others."""
    return _GOES_ON.fullmatch(s.what) is not None


def sets_up(s: ir.Clobber) -> bool:
    """Whether it makes a barrier out of memory: `init(&bar, n)`, `mbarrier.init`."""
    return _SETS_UP.fullmatch(s.what) is not None


def uses_barrier(what: str) -> bool:
    """Whether a function or instruction arrives at a barrier in memory, or waits for it."""
    return _USES.fullmatch(what) is not None


def tests_a_wait(s: ir.Statement) -> bool:
    """Whether a statement asks whether something is complete: `mbarrier.try_wait`."""
    parts = (part for e in expressions(s) for part in walk_expression(e))
    return any(isinstance(part, ir.Unknown) and "wait" in part.what for part in parts)
