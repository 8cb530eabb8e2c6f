"""Kernels of headers, each reported once: a header is analysed by itself and with every file of the
run that includes it.

Goes in: results per file, in the order of the files. Comes out: the same without what another
file's result says better or again. A kernel that some file launches is not reported under an assumed
launch as well; a launch with the same outcome is reported by the first file only.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace

from kernlint.model import facts
from kernlint.model.verdict import Judged, ReportedKernel, place_of

Result = facts.File | Judged


def once(results: Sequence[Result]) -> list[Result]:
    """The results without repetitions."""
    launched = {
        kernel.place for result in results for kernel in reported(result) if kernel.launched
    }
    seen: set[object] = set()
    return [
        _file(one, launched, seen) if isinstance(one, facts.File) else _judged(one, launched)
        for one in results
    ]


def reported(result: Result) -> Iterable[ReportedKernel]:
    """The kernels of a result, and whether a launch of each is known."""
    return (
        result.reported
        if isinstance(result, Judged)
        else (place_of(kernel) for kernel in result.kernels)
    )


def _file(file: facts.File, launched: set[str], seen: set[object]) -> facts.File:
    kept: list[facts.Kernel] = []
    found: set[object] = set()
    for kernel in file.kernels:
        one, outcome = place_of(kernel), (file.device, _outcome(kernel))
        if outcome in seen or (one.place in launched and not one.launched):
            continue
        found.add(outcome)
        kept.append(kernel)
    seen |= found  # not while the file is walked: what it says twice it means twice
    return file if len(kept) == len(file.kernels) else replace(file, kernels=tuple(kept))


def _outcome(kernel: facts.Kernel) -> object:
    """What a report says of a kernel's launch; the macros of the including file may decide it."""
    launch = kernel.launch
    counts = tuple(
        (
            os.path.normpath(a.span.path),
            a.span.line,
            a.span.column,
            a.op,
            a.status,
            a.requests,
            repr(a.wavefronts),
            repr(a.sectors),
        )
        for a in kernel.accesses
    )
    arguments = tuple(sorted((name, repr(value)) for name, value in launch.arguments.items()))
    return (
        place_of(kernel).place,
        kernel.template_arguments,
        launch.grid,
        launch.block,
        launch.dynamic_shared_bytes,
        arguments,
        counts,
    )


def _judged(file: Judged, launched: set[str]) -> Judged:
    """Without the findings of kernels of which this file knows no launch and another file does."""
    own = {kernel.name for kernel in file.reported if kernel.launched}
    other = {
        kernel.name for kernel in file.reported if kernel.place in launched and not kernel.launched
    } - own
    kept = tuple(finding for finding in file.findings if finding.kernel not in other)
    return file if len(kept) == len(file.findings) else replace(file, findings=kept)
