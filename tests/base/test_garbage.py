"""Garbage in cycles: not looked for on the way, not kept for ever, not when the process ends."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator

import pytest

from kernlint.base import garbage


class Knot:
    """An object in a cycle."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


@pytest.mark.slow
def test_what_files_leave_behind_goes_once_it_is_a_lot() -> None:
    garbage.begin(garbage.MANY_OF_A_FILE)
    gc.collect()  # other tests of this process may have left a lot
    left = weakref.ref(Knot())
    garbage.before_file()
    assert left() is not None  # not looked for after a small file
    made = [[] for _ in range(garbage.LEFT)]
    garbage.before_file()
    assert left() is None and made


def test_a_process_that_ends_looks_for_nothing() -> None:
    code = (
        "import gc\n"
        "from kernlint.cli import main\n"
        "main.prepare_process()\n"
        "class Knot:\n"
        "    def __init__(self): self.own = self\n"
        "    def __del__(self): print('looked', flush=True)\n"
        "Knot()\n"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == ""
    )
    assert (
        "looked"
        in subprocess.run(
            [sys.executable, "-c", code + "gc.collect()"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )
