"""Whoever waits at a terminal sees which file is being worked on; nobody else sees anything."""

from __future__ import annotations

import io
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import pytest

from kernlint.base import progress
from kernlint.base.progress import Progress
from kernlint.cli import fix_command
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import workers
from kernlint.pipeline.workers import Work
from kernlint.source import files

pty = pytest.importorskip("pty")

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
WAIT = 30.0  # seconds until a test is given up


@contextmanager
def terminal(columns: int = 80) -> Iterator[tuple[TextIO, int]]:
    """A stream that is a terminal, and the descriptor that reads what it shows."""
    import fcntl
    import struct
    import termios

    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    try:
        with open(inner, "w", encoding="utf-8") as stream:
            yield stream, outer
    finally:
        os.close(outer)


def shown_until(outer: int, *words: str) -> str:
    """What the terminal shows until all words are there."""
    found, end = "", time.monotonic() + WAIT
    while not all(word in found for word in words) and time.monotonic() < end:
        found += CONTROL.sub("", os.read(outer, 65536).decode())
    return found


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    for name in ("CI", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)


def test_a_terminal_is_told_which_file_of_how_many(soon: None) -> None:
    long = "/".join(["a_folder_with_a_long_name"] * 8) + "/kernel.cu"
    with terminal() as (stream, outer), Progress(stream) as told:
        told.update(long, 2, 88)
        found = shown_until(outer, "kernel.cu")
        assert "file 3 of 88" in found and "…" in found
        assert all(len(line) <= 80 for line in re.split("[\r\n]+", found))
        told.update("other.cu", 3, 88)
        assert "file 4 of 88" in shown_until(outer, "other.cu", "4 of 88")


def test_of_one_file_its_name_and_the_time_are_told(soon: None) -> None:
    with terminal(40) as (stream, outer), Progress(stream) as told:
        told.update("src/attention/kernel.cu", 0, 1)
        found = shown_until(outer, "src/attention/kernel.cu")
        assert "0:00:0" in found and " of " not in found


@pytest.mark.parametrize("variable, value", [("CI", "1"), ("TERM", "dumb")])
def test_who_does_not_want_it_is_told_nothing(
    soon: None, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    with terminal() as (stream, _):
        assert not Progress(stream)._wanted


def test_what_is_no_terminal_is_told_nothing(soon: None) -> None:
    stream = io.StringIO()
    with Progress(stream) as told:
        told.update("k.cu", 0, 1)
    assert stream.getvalue() == ""


KERNEL = "__global__ void k(float *p) {{ p[threadIdx.x * {}] = 1; }}\nvoid f(float *p) {{ k<<<1, 32>>>(p); }}\n"


def works(count: int) -> list[Work]:
    return [
        Work(files.Source(f"k{n}.cu", "cuda", KERNEL.format(n + 1)), Settings(), Selection())
        for n in range(count)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_it_is_said_what_is_worked_on_before_anything_is_done(jobs: int) -> None:
    told: list[tuple[str, int, int]] = []
    some = works(workers.SERIAL_BELOW)
    workers.run(some, jobs, None, lambda *words: told.append(words))
    assert told[0] == ("k0.cu", 0, len(some))
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told) and len(
        told
    ) >= len(some)
    assert {path for path, _, _ in told} <= {work.source.path for work in some}


@pytest.mark.slow
def test_fixing_is_told_too() -> None:
    text = "__global__ void k(float *p) { p[threadIdx.x] = p[threadIdx.x] * 0.3; }\nvoid f(float *p) { k<<<1, 32>>>(p); }\n"
    work = Work(files.Source("k.cu", "cuda", text), Settings(), Selection())
    told: list[tuple[str, int, int]] = []
    (one,) = fix_command.fix(
        [work], workers.run([work], 1, None), True, False, 1, lambda *words: told.append(words)
    )
    assert told == [("fixing k.cu", 0, 1)] and "0.3f" in one.result.text


def test_a_log_is_told_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "BETWEEN_LINES", 0.01)
    stream, end = io.StringIO(), time.monotonic() + WAIT
    with Progress(stream) as told:
        told.update("src/k.cu", 2, 88)
        while stream.getvalue().count("\n") < 3 and time.monotonic() < end:
            time.sleep(0.01)
    first, *_ = lines = stream.getvalue().splitlines()
    assert re.fullmatch(r"kernlint: (file 3 of 88, src/k.cu, )?\d+:\d\d so far", first)
    assert "file 3 of 88, src/k.cu" in lines[-1]
    time.sleep(0.05)
    assert stream.getvalue().splitlines() == lines
