"""What the headers that a file begins with come to, kept for the next file that begins with the
same ones.

In: a preprocessing run, told when a file includes a header and when that header ends. Out: `PrefixStep`s,
stretches of headers with what each adds to the state before it; a run that comes to the same header
by the same way takes its steps over instead of reading. A header may be taken over inside of
others, as long as those have added no token yet: what they and the main file say before it are
macros, which count only where the header, or one before it, mentions them. The same way: the same
options and the same steps before. A step holds only as long as no header that it read has changed
and none has appeared or gone where one was looked for.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterable, Mapping
from typing import Any

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Problem
from kernlint.source.lexer import Scan, forget_headers
from kernlint.source.preprocessor.macros import Macro
from kernlint.source.preprocessor.pragmas import joined
from kernlint.source.preprocessor.state import PreprocessorState
from kernlint.source.tokens import Token

KEPT = 800_000  # of what all steps weigh together, some 130 bytes each
VARIANTS = 4  # of one header behind the same steps, under different macros
# seconds since a header was written: a younger one may be written again without its time of change
# telling
SETTLED = 1.0
Changes = dict[str, Macro | None]  # macros by name; None: undefined


@dataclass(slots=True, eq=False)
class PrefixStep:
    """A stretch of the opening in which no other begins: what it adds to the state before it.

    `words`: every name that was read in it or made by `##`, so all macros that may have mattered;
    `touched`: the headers that it includes, skipped ones too; `is_end`: a header of the main file
    ends with it; `is_taken`: a second file came by. `read`: what the parser made of everything up
    to its end (`carried.Read`), once it did.
    """

    number: int
    tokens: list[Token]
    changes: Changes
    problems: list[Problem]
    included: list[str]
    missing: list[str]
    sought: dict[str, bool]
    once: set[str]
    guards: dict[str, str]
    include_count: int
    stamps: tuple[tuple[str, tuple[int, ...]], ...]
    words: frozenset[str]
    touched: frozenset[str]
    is_end: bool = False
    is_taken: bool = False
    read: Any = None

    def holds(self, disk: _Disk) -> bool:
        """Whether every file that it depends on is as it was."""
        return all(disk.stamp(path) == stamp for path, stamp in self.stamps) and all(
            disk.is_file(path) == found for path, found in self.sought.items()
        )


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """A header from its begin to its end, under the macros `outside` that others than the steps
    before it had changed; `depth`: how many files lie in each other in it."""

    steps: tuple[PrefixStep, ...]
    outside: Changes
    touched: frozenset[str]
    include_count: int
    depth: int


# by the number of the step before, or the options, and the path
_passages: dict[tuple[Any, str], list[Passage]] = {}
_numbers = itertools.count()


class _Disk:
    """What files look like, asked once for each file of a run."""

    def __init__(self) -> None:
        self._stamps: dict[str, tuple[int, ...]] = {}
        self._files: dict[str, bool] = {}

    def stamp(self, path: str) -> tuple[int, ...]:
        if path not in self._stamps:
            self._stamps[path] = _stamp(path)
        return self._stamps[path]

    def is_file(self, path: str) -> bool:
        if path not in self._files:
            self._files[path] = os.path.isfile(path)
        return self._files[path]


@dataclass(frozen=True, slots=True, eq=False)
class _Frame:
    """A header that is being read: how many files are open in it, what leads to it, and how things
    stood at its begin."""

    depth: int
    way: tuple[Any, str]
    key: str
    around: frozenset[str]
    outside: Changes
    steps: int
    include_count: int
    counter: int
    deepest: int


class Opening:
    """The opening of the main file of one run: `steps` as far as it goes; `outside`: macros that
    are not as those steps leave them. `way`: the options, which begin what leads to a header."""

    def __init__(self, run: PreprocessorState, way: Any) -> None:
        self.run, self.steps = run, list[PrefixStep]()
        self.is_open, self._is_blocked = True, False
        self.sought: dict[str, bool] = {}
        self.touched: set[str] = set()
        self.deepest = 1
        self._way = way
        self._frames: list[_Frame] = []
        self._outside: Changes = {}
        self._words = {token.text for macro in run.macros.values() for token in macro.body}
        self._changes: Changes = {}
        self._scans: list[Scan] = []
        self._disk = _Disk()
        self._mark()

    def _mark(self) -> None:
        """A step begins here."""
        run = self.run
        self._expected = len(run.out), len(run.problems)
        self._before = (
            len(run.included),
            len(run.missing),
            set(run.once),
            dict(run.guards),
            run.include_count,
        )
        self.sought |= run.sought
        run.sought = {}
        self._changes, self._scans = {}, []
        self.touched.clear()
        run.expander.pasted.clear()

    def define(self, name: str, macro: Macro | None) -> None:
        """A macro is defined or taken back, wherever."""
        if self.is_open:
            self._changes.pop(name, None)
            self._changes[name] = macro

    def read(self, scanned: Scan) -> None:
        """A header's text is read."""
        if self.is_open:
            self._scans.append(scanned)

    def block(self) -> None:
        """What is read from here on is a part of the innermost header that is known to be read, and
        of the main file where none is."""
        self._is_blocked = True
        self.is_open = bool(self._frames)

    def close(self) -> None:
        """Nothing that comes from here on is kept."""
        self._frames.clear()
        self.block()

    def enter(self, path: str, key: str) -> bool:
        """The header at `path` is included: whether steps for it were at hand and are taken. To be
        called with nothing read."""
        run = self.run
        around = frozenset(file.key for file in run.files)
        if (
            self._is_blocked
            or run.looks_ahead
            or key in around
            or self._expected != (len(run.out), len(run.problems))
        ):
            self.block()
            return False
        self.steps.append(self._step())
        self._outside |= self._changes
        self._mark()
        way = (self._way, path)
        passage = next((one for one in _passages.get(way, ()) if self._fits(one, around)), None)
        if passage is not None:
            _passages[way] = _passages.pop(way)
            self._take(passage)
            return True
        outside = dict(self._outside)
        self._frames.append(
            _Frame(
                len(run.files),
                way,
                key,
                around,
                outside,
                len(self.steps),
                run.include_count,
                run.expander.counter,
                self.deepest,
            )
        )
        self.deepest = len(run.files)
        return False

    def _fits(self, passage: Passage, around: frozenset[str]) -> bool:
        run = self.run
        return (
            passage.touched.isdisjoint(around)
            and run.has_room(passage.include_count, passage.depth)
            and self._is_equal(passage.outside, passage.steps)
            and all(step.holds(self._disk) for step in passage.steps)
        )

    def _is_equal(self, outside: Changes, steps: Iterable[PrefixStep]) -> bool:
        """Whether `outside` and the macros that are outside now mean the same to some steps. One
        that stands for something counts even where it is the same: its tokens have their places in
        this file."""
        differing = (
            _differing(outside, self._outside) | _standing(outside) | _standing(self._outside)
        )
        return differing.isdisjoint(self._words) and all(
            differing.isdisjoint(step.words) for step in steps
        )

    def _take(self, passage: Passage) -> None:
        run = self.run
        for step in passage.steps:
            step.is_taken = True
            run.out += step.tokens
            run.problems += step.problems
            run.included += [path for path in step.included if path not in run.included]
            run.missing += [header for header in step.missing if header not in run.missing]
            run.sought |= step.sought
            run.once |= step.once
            run.guards |= step.guards
            run.include_count += step.include_count
            for name, macro in step.changes.items():
                if macro is None:
                    run.macros.pop(name, None)
                else:
                    run.macros[name] = macro
        self.deepest = max(self.deepest, len(run.files) + passage.depth)
        self.steps += passage.steps
        self._end(self._outside, passage.steps)

    def _end(self, outside: Mapping[str, Macro | None], steps: Iterable[PrefixStep]) -> None:
        """A header ends, of which the last of `steps` knows: what is said from here on hangs on its
        number."""
        self._outside = dict(outside)
        for step in steps:
            self._words |= step.words
            self._way = step.number
            for name in step.changes:
                self._outside.pop(name, None)
        self._is_blocked = False
        self._mark()

    def leave(self) -> None:
        """A header has ended; the run is back in the file that includes it."""
        run = self.run
        if not self._frames or self._frames[-1].depth != len(run.files):
            return
        frame = self._frames.pop()
        last = self._step(len(run.files) == 1)
        steps = (*self.steps[frame.steps :], last)
        depth = self.deepest - len(run.files)
        self.deepest = max(self.deepest, frame.deepest)
        is_whole = (
            run.has_room(0, depth) and not run.looks_ahead and run.expander.counter == frame.counter
        )
        if not is_whole or not all(_settled(step.stamps) for step in steps):
            self.close()
            return
        touched = frozenset((frame.key,)).union(*(step.touched for step in steps))
        self._outside, now = frame.outside, self._outside
        if not touched.isdisjoint(frame.around) or not self._is_equal(frame.outside, steps):
            self._outside = now
            self.block()
            return
        run.out[self._expected[0] :] = last.tokens
        self.steps.append(last)
        made = Passage(
            steps, frame.outside, touched, run.include_count - frame.include_count, depth
        )
        _passages[frame.way] = [made, *_passages.pop(frame.way, ())][:VARIANTS]
        self._end(frame.outside, steps)

    def _step(self, is_end: bool = False) -> PrefixStep:
        """What came since the last step."""
        run = self.run
        tokens, problems = self._expected
        included, missing, once, guards, count = self._before
        added = run.included[included:]
        words = {
            token.text
            for scanned in self._scans
            for token in scanned.tokens
            if token.kind == "identifier"
        }
        return PrefixStep(
            next(_numbers),
            joined(run.out[tokens:]),
            self._changes,
            run.problems[problems:],
            added,
            run.missing[missing:],
            run.sought,
            run.once - once,
            {key: guard for key, guard in run.guards.items() if guards.get(key) != guard},
            run.include_count - count,
            tuple((path, _stamp(path)) for path in added),
            frozenset(words | run.expander.pasted),
            frozenset(self.touched),
            is_end,
        )


def _standing(changes: Changes) -> set[str]:
    """The macros that stand for something, or take arguments."""
    return {
        name
        for name, macro in changes.items()
        if macro is not None and (macro.body or macro.parameters is not None)
    }


def _differing(one: Changes, other: Changes) -> set[str]:
    return {name for name in one.keys() | other.keys() if _said(one, name) != _said(other, name)}


def _said(changes: Changes, name: str) -> tuple[bool, bool]:
    return name in changes, changes.get(name) is None


def _stamp(path: str) -> tuple[int, ...]:
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_size, status.st_ino


def _settled(stamps: Iterable[tuple[str, tuple[int, ...]]]) -> bool:
    latest = (time.time() - SETTLED) * 1e9
    return all(stamp and stamp[0] < latest for _, stamp in stamps)


def weight() -> int:
    """Roughly how many things are kept alive: tokens, macros, words, streams that were read."""
    return sum(
        _weights(
            step for one in _passages.values() for passage in one for step in passage.steps
        ).values()
    )


def _weights(steps: Iterable[PrefixStep]) -> dict[int, int]:
    """By identity, of each step and stream."""
    found: dict[int, int] = {}
    for step in steps:
        found[id(step)] = len(step.tokens) + len(step.changes) + len(step.words)
        if step.read is not None:
            found[id(step.read.stream)] = step.read.stream.size
    return found


def trim() -> None:
    """Drops what was not asked for longest, until the rest is light enough."""
    while len(_passages) > 1 and weight() > KEPT:
        for way in list(_passages)[: len(_passages) // 8 + 1]:
            if len(_passages) > 1:
                del _passages[way]


def forget() -> None:
    """Drops everything that is kept of headers."""
    _passages.clear()
    forget_headers()
