"""The forms that `tune` tried, as JSON. Documented in docs/tune.md; names and meanings are stable.

Goes in: `Tuned` files. Comes out: plain dictionaries. Never computes a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernlint import __version__
from kernlint.checks import words
from kernlint.configuration import device_of_file
from kernlint.estimate.model import MODEL
from kernlint.model import facts
from kernlint.render.findings_json import place
from kernlint.tuning.figures import Figures
from kernlint.tuning.search import Option, Subject, Tuned

FORMAT = 1  # of this layout


def to_json(found: Sequence[Tuned]) -> dict[str, Any]:
    return {
        "version": FORMAT,
        "tool": {"name": "kernlint", "version": __version__},
        "device": device_of_file.of_run(tuned.device for tuned in found) if found else None,
        "model": MODEL,
        "files": [_file(one) for one in found],
    }


def _file(tuned: Tuned) -> dict[str, Any]:
    problems = [
        {
            "filename": p.span.path,
            **place(p.span),
            "code": p.code,
            "message": p.message,
            "kernel": p.kernel or None,
        }
        for p in tuned.problems
    ]
    before = tuned.together_baseline
    together = (
        None
        if tuned.together is None or before is None
        else {"baseline": _figures(before), **_option(tuned.together)}
    )
    return {
        "filename": tuned.path,
        "device": tuned.device,
        "problems": problems,
        "subjects": [_subject(subject) for subject in tuned.subjects],
        "together": together,
    }


def _subject(subject: Subject) -> dict[str, Any]:
    return {
        "kind": "array" if subject.array else "launch",
        "array": subject.array or None,
        **(
            place(subject.span)
            if subject.span is not None
            else {"location": None, "end_location": None}
        ),
        "launches": [_launch(kernel) for kernel in subject.kernels],
        "baseline": _figures(subject.baseline),
        "options": [_option(option) for option in subject.options],
        "same": subject.same,
        "lost": subject.lost,
        "kept": subject.kept or None,
    }


def _launch(kernel: facts.Kernel) -> dict[str, Any]:
    launch = kernel.launch
    assumed = [] if isinstance(kernel.estimate, str) else list(kernel.estimate.assumptions)
    return {
        "kernel": words.kernel(kernel),
        "grid": None if launch.grid is None else list(launch.grid),
        "block": list(launch.block),
        "origin": launch.origin,
        "assumptions": [*kernel.assumptions, *assumed],
    }


def _option(option: Option) -> dict[str, Any]:
    return {
        "kind": option.kind,
        "title": option.title,
        "figures": _figures(option.figures),
        "launches": [_figures(one) for one in option.each],
        "edits": [
            {"filename": edit.span.path, **place(edit.span), "content": edit.content}
            for edit in option.edits
        ],
        "block": None if option.block is None else list(option.block),
        "grid": None if option.grid is None else list(option.grid),
    }


def _figures(some: Figures) -> dict[str, Any]:
    return {
        "cycles": some.cycles,
        "cycles_low": some.cycles_low,
        "cycles_high": some.cycles_high,
        "microseconds": None if some.microseconds is None else round(some.microseconds, 3),
        "no_cycles": some.no_cycles or None,
        "wavefronts": some.wavefronts,
        "wavefronts_low": round(some.low, 4),
        "wavefronts_high": round(some.high, 4),
        "sectors": some.sectors,
        "wavefronts_per_request": round(some.per_request, 4),
        "shared_bytes": some.shared_bytes,
        "occupancy": some.occupancy,
        "status": some.status,
    }
