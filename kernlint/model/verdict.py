"""What a run needs of a file once its rules have run: small enough for the cache, complete enough
to answer the user."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.model.reasons import is_transient

_KERNEL_HEAD = re.compile(r"\b(?:__global__|__kernel|kernel)\b([^;{}]*)")
_CALLED = re.compile(r"\b(?!__)(\w+)\s*\(")  # `__launch_bounds__(…)` is no name of a kernel


@dataclass(frozen=True, slots=True)
class Answer:
    """What a file answers to a request that names kernels or arguments."""

    kernels: tuple[str, ...]  # those analysed, and those that problems speak of
    parameters: tuple[facts.ArgumentType, ...]
    # names that may have been meant, where the kernel asked for is not among them
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReportedKernel:
    """One kernel of a result. `place`: of its definition; `name`: as findings call it; `launched`:
    whether a launch of it is known."""

    place: str
    name: str
    launched: bool


def place_of(kernel: facts.Kernel) -> ReportedKernel:
    arguments = f"<{', '.join(kernel.template_arguments)}>" if kernel.template_arguments else ""
    span = kernel.span
    launched = kernel.launch.span is not None or kernel.launch.origin != "assumed"
    return ReportedKernel(
        f"{os.path.normpath(span.path)}:{span.line}:{span.column}",
        f"{kernel.qualified_name or kernel.name}{arguments}",
        launched,
    )


@dataclass(frozen=True, slots=True)
class Judged:
    """`findings` are of every severity, before suppressions; `kernels` are the places of the
    kernels analysed. `partial`: other code of the file could not be analysed, or was not asked for.
    `device`: judged for it, "" for that of the run. `skipped`: lines, from one to another, in
    branches of `#if` that are not taken. `transient`: another run may get further."""

    path: str
    kernels: tuple[Span, ...]
    findings: tuple[Finding, ...]
    answer: Answer
    sought: tuple[tuple[str, bool], ...]
    unfinished: bool = False
    reported: tuple[ReportedKernel, ...] = ()
    partial: bool = False
    device: str = ""
    skipped: tuple[tuple[int, int], ...] = ()
    transient: bool = False

    def looked(self, path: str, first: int, last: int) -> bool:
        """Whether all code between two lines was analysed. Code of headers is as far as this file
        uses it, which may be less."""
        if path == self.path and any(begin <= last and first <= end for begin, end in self.skipped):
            return False
        within = any(
            span.path == path and span.line <= first and last <= span.end_line
            for span in self.kernels
        )
        return within or (path == self.path and bool(self.kernels) and not self.partial)


def judged(
    file: facts.File, findings: Iterable[Finding], kernel: str | None = None, device: str = ""
) -> Judged:
    """`kernel`: the only one asked for."""
    spans = tuple(dict.fromkeys(one.span for one in file.kernels))
    reported = tuple(dict.fromkeys(map(place_of, file.kernels)))
    partial = kernel is not None or any(not problem.note for problem in file.problems)
    own = answer(file, kernel)
    return Judged(
        file.path,
        spans,
        tuple(findings),
        own,
        file.sought,
        file.unfinished,
        reported,
        partial,
        device,
        file.skipped,
        is_transient(file.problems),
    )


def answer(file: facts.File, kernel: str | None = None) -> Answer:
    """`kernel`: the one asked for; words are gathered only where it is missing."""
    kernels = tuple(k.qualified_name or k.name for k in file.kernels) + tuple(
        p.kernel for p in file.problems if p.kernel
    )
    lacking = kernel is not None and not file.kernels
    words = (
        {name for head in _KERNEL_HEAD.findall(file.text) for name in _CALLED.findall(head)}
        if lacking
        else set()
    )
    return Answer(tuple(dict.fromkeys(kernels)), file.parameters, tuple(sorted(words)))
