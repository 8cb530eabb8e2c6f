"""Work with a limit of its own does not count towards that of a file."""

from __future__ import annotations

from time import process_time

from kernlint.base import deadline


def test_a_paused_clock_is_later_by_what_was_done() -> None:
    with deadline.running(5) as clock:
        before = clock.end
        with deadline.paused():
            until = process_time() + 0.02
            while process_time() < until:
                pass
        assert 0.02 <= clock.end - before < 5
