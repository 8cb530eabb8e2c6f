"""How long the analysis of a file may take.

In: seconds of the processor, so that other programs do not matter. The stages tell their work as
they go (`check`); `OutOfTime` ends the part that is too long, and whoever runs parts
(`engine.attempt`) reports it and goes on with the next.

A part of the analysis (`share`) is ended by the steps of work that it did, which are the same on
all machines: two runs give equal results. The clock ends the whole only, where all its parts
together pass the limit. A step takes a few microseconds (`STEPS`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic, process_time

from kernlint.base.dataclass import dataclass, field

# lines of a long file; seconds that each line beyond adds: generated files are long and regular
LONG, PER_LINE = (
    2_000,
    0.002,
)
STEPS = 150_000  # of work, as many as a machine of 2023 does in a second
SPENT = "exceeded its share of the time limit (--timeout-per-file)"
MORE = "raise it with `--timeout-per-file SECONDS`, 0 for no limit"


def seconds_for(text: str | None, seconds: float) -> float:
    """Of the processor, for a file of that text; 0 for any."""
    return seconds and seconds + PER_LINE * max(0, (text or "").count("\n") - LONG)


class OutOfTime(Exception):
    """The step has used up its time."""


class Superseded(BaseException):
    """Nobody waits for the result any more: ends the whole analysis, past everything that reports
    failures of its steps."""


@dataclass(slots=True)
class Wish:
    """Whether somebody still waits for the result; another thread may say no."""

    gone: bool = False


@dataclass(slots=True)
class Clock:
    """`end`: when all must be done, by the processor time of this process; `look`: until when, by
    the time of day, that cannot be, since no more than one thread works at a time; `steps`: of work
    done, `most`: when the part at hand must be done; `whole`: steps that the limit is worth;
    `ran_out`: whether any part was stopped; `again`: whether the part at hand is done again with more
    where that is too little."""

    end: float = math.inf
    look: float = 0.0
    steps: int = 0
    most: float = math.inf
    whole: float = math.inf
    ran_out: bool = False
    again: bool = False
    wish: Wish = field(default_factory=Wish)


_clock: ContextVar[Clock] = ContextVar("_clock")
_wish: ContextVar[Wish] = ContextVar("_wish")
_NEVER = Clock()


@contextmanager
def wished(wish: Wish) -> Iterator[None]:
    """Inside, analyses end by `Superseded` soon after `wish` has gone."""
    token = _wish.set(wish)
    try:
        yield
    finally:
        _wish.reset(token)


@contextmanager
def running(seconds: float) -> Iterator[Clock]:
    """A clock that runs out after `seconds`, 0 for one that never does; within another one when
    that does, if it is sooner."""
    outer = _clock.get(_NEVER)
    clock = Clock(
        min(process_time() + seconds if seconds else math.inf, outer.end),
        whole=seconds * STEPS if seconds else math.inf,
        wish=_wish.get(_NEVER.wish),
    )
    token = _clock.set(clock)
    try:
        yield clock
    finally:
        _clock.reset(token)
        if outer is not _NEVER:
            outer.ran_out |= clock.ran_out


@contextmanager
def share(part: float) -> Iterator[None]:
    """Inside, the steps that a `part` of the limit is worth, if a share around it leaves so
    many."""
    clock = _clock.get(_NEVER)
    before = clock.most
    clock.most = min(before, clock.steps + clock.whole * part)
    try:
        yield
    finally:
        clock.most = before


@contextmanager
def trial(part: float) -> Iterator[None]:
    """As `share`, of work that is done again with more steps where these do not suffice."""
    clock = _clock.get(_NEVER)
    before, clock.again = (clock.ran_out, clock.again), True
    with share(part):
        try:
            yield
        finally:
            clock.ran_out, clock.again = before


@contextmanager
def ahead(part: float) -> Iterator[None]:
    """Inside, the clock ends after a `part` of the time that is left, so that something is left
    for what must follow."""
    clock = _clock.get(_NEVER)
    kept = 0.0
    if clock.end < math.inf:
        kept = (1 - part) * (clock.end - process_time())
        clock.end, clock.look = clock.end - kept, 0.0
    try:
        yield
    finally:
        clock.end += kept  # which may have been paused inside


@contextmanager
def optional(part: float) -> Iterator[None]:
    """Inside, a `part` of the steps and of the time that are left to the part at hand: work that
    what follows can do without. Where it ends early, nothing counts as stopped. A trial has no such
    work: it is done again with more."""
    clock = _clock.get(_NEVER)
    most, ran_out = clock.most, clock.ran_out
    if not clock.again:
        clock.most = min(most, clock.steps + part * left())
    try:
        with ahead(1 if clock.again else part):
            yield
    finally:
        clock.most, clock.ran_out = most, ran_out


@contextmanager
def paused() -> Iterator[None]:
    """Inside, the clock stands: work that has a limit of its own."""
    clock, began = _clock.get(_NEVER), process_time()
    try:
        yield
    finally:
        clock.end += process_time() - began


def wanted() -> None:
    """Raises Superseded when nobody waits for the result."""
    if _clock.get(_NEVER).wish.gone:
        raise Superseded


def left() -> float:
    """Steps of work that the part at hand may still take."""
    clock = _clock.get(_NEVER)
    return min(clock.most, clock.whole) - clock.steps


def whole() -> float:
    """Steps of work that the limit of the file is worth."""
    return _clock.get(_NEVER).whole


@dataclass(slots=True)
class StepCount:
    """Steps that a part of the analysis took."""

    steps: int = 0


@contextmanager
def measured() -> Iterator[StepCount]:
    """The steps of work done inside, known at its end."""
    clock, work = _clock.get(_NEVER), StepCount()
    before = clock.steps
    try:
        yield work
    finally:
        work.steps = clock.steps - before


def stopped() -> None:
    """A step is not begun, since it is known to be too long."""
    _clock.get(_NEVER).ran_out = True


def check(steps: int = 1) -> None:
    """So many steps of work come. Raises OutOfTime when the part at hand, or all of it, has used up
    its time, Superseded when nobody waits for it."""
    clock = _clock.get(_NEVER)
    clock.steps += steps
    if clock.steps > clock.most:
        clock.ran_out = True
        raise OutOfTime
    look()


def look() -> None:
    """As `check`, of work that no part is charged with: what was read for another file before is
    not read again."""
    clock = _clock.get(_NEVER)
    if clock.wish.gone:
        raise Superseded
    if (
        monotonic() < clock.look
    ):  # cheaper by ten times than the processor's time, which the kernel must be asked for
        return
    remaining = clock.end - process_time()
    if remaining < 0:
        clock.ran_out = True
        raise OutOfTime
    clock.look = monotonic() + remaining
