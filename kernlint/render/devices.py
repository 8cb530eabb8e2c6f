"""The devices of a run's files, where they are several.

Goes in: devices by file, of files judged for another device than the run's. Comes out: files by
device, sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kernlint.hardware import resolve

NAMED = 3  # files, before the others are counted


def by_device(others: Mapping[str, str]) -> dict[str, list[str]]:
    return {
        name: [path for path, own in others.items() if own == name]
        for name in dict.fromkeys(others.values())
    }


def sentences(others: Mapping[str, str], device: str) -> Iterator[str]:
    """`b.hip` is judged for AMD Instinct MI300X, 64 lanes a warp; all else for NVIDIA H100"""
    for name, paths in by_device(others).items():
        own, usual = resolve(name), resolve(device)
        verb = "is" if len(paths) == 1 else "are"
        yield f"{_listed(paths)} {verb} judged for {own.title}, {own.warp_lanes} lanes a warp; all else for {usual.title}"


def counted(others: Mapping[str, str]) -> str:
    """, 1 for AMD Instinct MI300X: behind a number of files"""
    return "".join(
        f", {len(paths)} for {resolve(name).title}" for name, paths in by_device(others).items()
    )


def _listed(paths: Sequence[str]) -> str:
    shown = [f"`{path}`" for path in paths[:NAMED]]
    shown += [f"{len(paths) - NAMED} more files"] if len(paths) > NAMED else []
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
