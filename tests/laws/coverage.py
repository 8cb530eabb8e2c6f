"""How many accesses of the samples and of the measured programs, their arguments taken away, have a
law of their total that counted launches do not contradict, and why the others have none.

Run as a module, `python -m tests.laws.coverage`, it prints both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from kernlint.execution import run as execution
from kernlint.hardware import Device
from kernlint.ir import nodes as ir
from kernlint.model import facts
from kernlint.model.facts import Launch
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import SAMPLES, TRUTH

PROGRAMS = {
    "samples": sorted([*SAMPLES.glob("*.cu"), *SAMPLES.glob("*.cl")]),
    "measured programs": sorted((TRUTH / "kernels").glob("*.cu")),
}


def executed(
    paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> list[tuple[ir.Kernel, Launch, Device]]:
    """The kernels that the pipeline runs for some files, each block once."""
    found: dict[object, tuple[ir.Kernel, Launch, Device]] = {}
    execute = execution.execute

    def noted(
        kernel: ir.Kernel, launch: Launch, on: Device, *how: object, **more: object
    ) -> object:
        key = (kernel.span, kernel.template_arguments, launch.block)
        found.setdefault(key, (kernel, launch, on))
        return execute(kernel, launch, on, *how, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(execution, "execute", noted)
    for path in paths:
        engine.analyse_source(files.read(str(path), None), Settings())
    monkeypatch.undo()
    return list(found.values())


def laws_of(paths: list[Path]) -> Iterable[facts.Law]:
    """Of each access once, as users are given them: without what counted launches contradict."""
    settings = replace(Settings(), laws=True)
    found: dict[object, facts.Law] = {}
    for path in paths:
        for kernel in engine.analyse_source(files.read(str(path), None), settings).kernels:
            of = (kernel.span, kernel.template_arguments, kernel.launch.block)
            for access in kernel.accesses:
                key = (of, access.span, access.op, access.text, access.calls, access.hardware_op)
                if access.law is not None:
                    found.setdefault(key, access.law)
    return found.values()


def main() -> None:
    reasons: Counter[str] = Counter()
    for name, paths in PROGRAMS.items():
        found = list(laws_of(paths))
        reasons.update(law.reason for law in found if law.total is None)
        lawful = sum(law.total is not None for law in found)
        print(f"{name}: {lawful} of {len(found)} ({lawful / len(found):.1%})")
    for reason, count in reasons.most_common():
        print(f"{count:5d}  {reason}")


if __name__ == "__main__":
    main()
