"""When a part of an edited file is shown before the whole: with a clock that the test sets."""

from __future__ import annotations

import pytest

from kernlint.model import facts
from kernlint.server import stages
from kernlint.server.stages import RemainingTime, Stages


@pytest.mark.parametrize(
    ("passed", "following", "later", "is_known", "is_edited", "shown"),
    [
        (0.03, 0.05, 0.05, True, False, False),  # all will be there soon
        (0.05, 0.05, 0.10, True, False, False),  # nothing is late yet
        (0.10, 0.05, 0.06, True, False, True),  # the whole would come late
        (0.16, 0.03, 0.02, True, False, False),  # hardly anything is left
        (
            0.10,
            0.05,
            0.05,
            False,
            False,
            False,
        ),  # how long it takes is a guess: nothing is withdrawn for a little
        (0.10, 0.05, 0.15, False, False, True),
        (0.10, 0.20, 0.20, True, True, False),  # the kernel that is edited is waited for,
        (0.10, 0.40, 0.20, True, True, True),  # but not for ever
    ],
)
def test_the_first_part(
    monkeypatch: pytest.MonkeyPatch,
    passed: float,
    following: float,
    later: float,
    is_known: bool,
    is_edited: bool,
    shown: bool,
) -> None:
    now = [10.0]
    monkeypatch.setattr(stages, "perf_counter", lambda: now[0])
    calls: list[facts.File] = []
    some = Stages(lambda file, _: calls.append(file), nothing_shown=False)
    now[0] += passed
    some.before(
        RemainingTime(following, later, is_known, is_edited),
        lambda: facts.File("k.cu", "cuda", (), ()),
        (),
    )
    assert bool(calls) == shown
