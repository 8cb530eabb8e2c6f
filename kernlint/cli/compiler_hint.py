"""A line that names --compile, to users who have nvcc and have not decided about it.

In: what was analysed, the project's settings, the cache. Out: a line on a terminal's standard
error, once for a cache folder. Never: in pipes, in CI, or without a cache.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from kernlint.base import cuda_toolkit
from kernlint.memo import disk

if TYPE_CHECKING:
    from kernlint.configuration.project import Project
    from kernlint.memo.disk import Cache
    from kernlint.pipeline.workers import Work

_SHOWN = "hint: --compile"
_HINT = (
    "nvcc is installed: --compile reads counts from its machine code instead of predicting them "
    "(hide this hint with `compile = false` in the configuration)"
)


def show(works: Sequence[Work], project: Project, cache: Cache | None, stream: TextIO) -> None:
    if cache is None or not stream.isatty() or os.environ.get("CI"):
        return
    key = disk.key(_SHOWN)
    if not _undecided(works, project) or cache.get(key) is not None:
        return
    if cuda_toolkit.program("nvcc") is not None:
        print(f"kernlint: {_HINT}", file=stream)
        cache.put(key, "shown", ())


def _undecided(works: Sequence[Work], project: Project) -> bool:
    """Whether some file is CUDA, and nobody says whether to compile it."""
    return any(
        work.source.language == "cuda" and "compile" not in project.values(work.source.path)
        for work in works
    )
