"""KL603: calls of the runtime's thread management, which became device management. Goes in: a
file's text. Comes out: findings.

Source of the pairs: CUDA Runtime API 12, "Thread Management [DEPRECATED]": each is deprecated
"because its name does not reflect its behavior", and the new one does the same. CUDA 13's headers
declare none of them (tried with nvcc 13.0).
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.base.span import Span
from kernlint.checks.global_memory.caches import CARVEOUT
from kernlint.checks.rules import Rule
from kernlint.model.facts import File
from kernlint.model.finding import Edit, Finding, Fix
from kernlint.source_model.model import source_of

RENAMED = {
    "cudaThreadExit": "cudaDeviceReset",
    "cudaThreadGetCacheConfig": "cudaDeviceGetCacheConfig",
    "cudaThreadGetLimit": "cudaDeviceGetLimit",
    "cudaThreadSetCacheConfig": "cudaDeviceSetCacheConfig",
    "cudaThreadSetLimit": "cudaDeviceSetLimit",
    "cudaThreadSynchronize": "cudaDeviceSynchronize",
}
BETTER = {
    "cudaThreadSetCacheConfig": "leave the split to the driver, or set it per kernel: "
    f"`cudaFuncSetAttribute(kernel, {CARVEOUT}, percent)`; on devices with two or three splits `cudaDeviceSetCacheConfig`",
}


def obsolete_api_name(file: File, rule: Rule) -> Iterator[Finding]:
    """KL603: calls of functions that CUDA 13 no longer declares and that another name does the work
    of."""
    if not any(name in file.text for name in RENAMED):
        return
    for name, span in source_of(file).undeclared(RENAMED):
        yield _finding(span, name, RENAMED[name], rule)


def _finding(span: Span, old: str, new: str, rule: Rule) -> Finding:
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{old}` was removed in CUDA 13, deprecated since CUDA 4.0 (exact)",
        span,
        status="exact",
        help=BETTER.get(old, f"call `{new}`, which does the same"),
        fix=Fix("safe", f"Write `{new}` for `{old}`", (Edit(span, new),)),
    )
