"""Family 6, launch: blocks and shared memory that do not fit the machine. Goes in: kernels and
their launches. Comes out: findings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from kernlint.checks import context, words
from kernlint.checks.context import Group
from kernlint.checks.rules import Rule
from kernlint.model.facts import File, Kernel
from kernlint.model.finding import Finding, Label

LARGE_BLOCK = "launch more, smaller blocks; where one block must do the work, let each thread process several elements"
OVER = {  # by what the message says is over its limit
    "__launch_bounds__": "launch smaller blocks, or raise the first number of the kernel's `__launch_bounds__` (each thread may then get "
    "fewer registers)",
    "the grid has": "put the longest dimension along x, which allows the most blocks, or let each block loop over several",
}
REACHED = "host code reaches the launch"
TARGET = re.compile(r"^\.target\s+sm_(\d+)", re.MULTILINE)
# how a CUDA program asks for more than a block gets by default
OPT_IN = "cudaFuncAttributeMaxDynamicSharedMemorySize"


def block_not_multiple_of_warp(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL601: launches whose blocks leave a good part of their warps' lanes without a thread."""
    lanes = group.device.warp_lanes
    hits = [
        kernel
        for kernel in group.kernels
        if _idle_share(kernel, lanes) >= rule.threshold("share") and _many(kernel, rule)
    ]
    if not hits:
        return
    kernel = max(hits, key=lambda k: _idle_share(k, lanes))
    threads = prod(kernel.launch.block)
    warps = -(-threads // lanes)
    yield _finding(
        kernel,
        group,
        rule,
        rule.severity,
        f"`{kernel.name}`: {words.count(warps * lanes - threads)} of {warps * lanes} lanes are idle with a block of "
        f"{words.size(kernel.launch.block)} ({words.share(warps * lanes - threads, warps * lanes)}, exact)",
        _idle_notes(hits, group),
        f"launch a multiple of {lanes} threads per block (here {warps * lanes}) and bounds-check the extra threads",
    )


def _idle_share(kernel: Kernel, lanes: int) -> float:
    threads = prod(kernel.launch.block)
    return -threads % lanes / (threads + -threads % lanes)


def _many(kernel: Kernel, rule: Rule) -> bool:
    """Enough blocks to matter: a single odd block is often one that sets something up."""
    return kernel.launch.grid is not None and prod(kernel.launch.grid) >= rule.threshold(
        "minimum_blocks"
    )


def _idle_notes(hits: list[Kernel], group: Group) -> Iterator[str]:
    if len(group.kernels) > 1:
        yield f"in {len(hits)} of {len(group.kernels)} launches"


def shared_memory_over_capacity(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL602: blocks that ask for more shared memory than the device gives a block, so that the
    launch fails."""
    limits = group.device.limits
    usual, most = limits.get("shared_per_block"), limits.get("shared_per_block_optin")
    if usual is None or most is None:
        return
    if group.language == "opencl":
        most = usual
    kernel = max(group.kernels, key=lambda k: k.static_shared_bytes + (k.dynamic_shared_bytes or 0))
    static, dynamic = kernel.static_shared_bytes, kernel.dynamic_shared_bytes or 0
    # 48 KiB of static arrays is the limit of every NVIDIA device (ptxas)
    total = f"`{kernel.name}` needs {words.bytes_of(static + dynamic)} of shared memory per block"
    parts = (
        f" ({words.bytes_of(static)} static, {words.bytes_of(dynamic)} dynamic)" if dynamic else ""
    )
    taken = context.taken_types(kernel)
    if static > usual:
        every = group.language != "opencl" and not group.file.is_hip
        open_ = taken if every else (*taken, *_open_device(group))
        limit = f"{group.device.title} allows {words.bytes_of(usual)} of static arrays"
        message = f"{total}{parts}, {limit}: it {'may' if open_ else 'does'} not compile"
        yield _finding(
            kernel,
            group,
            rule,
            _severity(rule, taken, open_),
            message,
            _assuming(open_),
            _remedy(most > usual),
        )
    elif static + dynamic > most:
        open_ = (*taken, *_open_device(group), *_open_launch(kernel))
        limit = f"{group.device.title} allows {words.bytes_of(most)}"
        yield _finding(
            kernel,
            group,
            rule,
            _severity(rule, taken, open_),
            f"{total}{parts}, {limit}: the launch {'may fail' if open_ else 'fails'}",
            _assuming(open_),
            _remedy(False),
        )
    elif (
        static + dynamic > usual
        and kernel.launch.span is not None
        and OPT_IN not in group.file.text
        and _by_host(kernel)
    ):
        limit = f"a block gets {words.bytes_of(usual)} by default: the launch fails"
        advice = f"call `cudaFuncSetAttribute(…, {OPT_IN}, {dynamic})` before the launch"
        yield _finding(kernel, group, rule, "warning", f"{total}{parts}, {limit}", iter(()), advice)


def _severity(rule: Rule, taken: tuple[str, ...], open_: tuple[str, ...]) -> str:
    """Types that nobody gives make half as wide or twice as wide arrays: no more than a note."""
    return "info" if taken else context.severity(rule, open_)


def _open_device(group: Group) -> tuple[str, ...]:
    """The device, where nobody names it, or names another than the PTX was compiled for: another
    may allow more."""
    text, device = group.file.text, group.device
    target = TARGET.search(text) if group.language == "ptx" else None
    if target is not None and int(target[1]) != device.capability:
        return (f"the PTX, which is for sm_{target[1]}, is run on {device.title}",)
    return (f"the device is {device.title} (`--device`)",) * group.file.device_assumed


def _open_launch(kernel: Kernel) -> tuple[str, ...]:
    """The launch, where it stands under a condition of host code that is not known: the condition
    may keep it from devices that do not allow it."""
    return (REACHED,) * kernel.launch.is_conditional


def _assuming(open_: tuple[str, ...]) -> Iterator[str]:
    if open_:
        yield f"assuming {'; '.join(open_)}"


def launch_over_capacity(file: File, rule: Rule) -> Iterator[Finding]:
    """KL602: launches in host code with more threads in a block or blocks in a grid than the device
    takes, which the analysis refused."""
    for problem in file.problems:
        if problem.code == rule.code:
            open_ = (REACHED,) * ("may fail" in problem.message)
            advice = next(
                (text for said, text in OVER.items() if said in problem.message), LARGE_BLOCK
            )
            yield Finding(
                rule.code,
                rule.name,
                context.severity(rule, open_),
                problem.message,
                problem.span,
                problem.kernel,
                notes=("only the kernel's other launches are analysed", *_assuming(open_)),
                help=advice,
            )


def _by_host(kernel: Kernel) -> bool:
    return kernel.launch.in_host_code


def _remedy(dynamic: bool) -> str:
    advice = "use smaller tiles, narrower types, or let several blocks share the work"
    return (
        f"{advice}; or pass the memory as dynamic shared memory and raise its limit (`{OPT_IN}`)"
        if dynamic
        else advice
    )


def _finding(
    kernel: Kernel,
    group: Group,
    rule: Rule,
    severity: str,
    message: str,
    notes: Iterator[str],
    advice: str,
) -> Finding:
    launched = kernel.launch.span
    return Finding(
        rule.code,
        rule.name,
        severity,
        message,
        group.source.name(kernel.span, kernel.name),
        kernel=words.kernel(kernel),
        status="exact",
        labels=(Label(launched, "launched here"),)
        if launched is not None and _by_host(kernel)
        else (),
        notes=(f"launch: {words.launch(kernel.launch)}", *notes),
        help=advice,
    )
