"""What the headers that a file begins with come to, kept for the next file that begins with the same ones.

In: a preprocessing run, told when its main file includes a header and when that header ends. Out: `Step`s, one for each header, with the
state of the run behind it; a run that comes to the same header by the same way takes the step over instead of reading. The same way: the
same options, headers and flags (`#define NAME`) in the same order, and nothing else in the main file before. A step holds only as long
as no header that it read has changed and none has appeared or gone where one was looked for.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kernlint.records import dataclass
from kernlint.source.lexer import forget_headers
from kernlint.source.macros import Macro
from kernlint.source.pragmas import joined
from kernlint.source.tokens import Token

if TYPE_CHECKING:
    from kernlint.source.preprocess import Run
    from kernlint.source.span import Problem

KEPT = 3_000_000  # of what all steps weigh together
SETTLED = 1.0  # seconds since a header was written: a younger one may be written again without its time of change telling


@dataclass(slots=True, eq=False)
class Step:
    """One header of the opening with all that it includes: what it adds to the state before it, and the macros behind it.

    `number`: no other step has it. `read`: what the parser made of everything up to its end (`carried.Read`), once it did.
    """

    number: int
    tokens: list[Token]
    macros: dict[str, Macro]
    problems: list[Problem]
    included: list[str]
    missing: list[str]
    sought: dict[str, bool]
    once: set[str]
    guards: dict[str, str]
    include_count: int
    stamps: tuple[tuple[str, tuple[int, ...]], ...]
    read: Any = None

    def weight(self) -> int:
        """Roughly how many things it keeps alive: tokens, macros, the stream that was read."""
        return len(self.tokens) + len(self.macros) + (self.read.stream.size if self.read is not None else 0)

    def holds(self) -> bool:
        """Whether every file that it depends on is as it was."""
        return all(_stamp(path) == stamp for path, stamp in self.stamps) and all(
            os.path.isfile(path) == found for path, found in self.sought.items()
        )


_steps: dict[tuple[Any, ...], Step] = {}
_numbers = itertools.count()


class Opening:
    """The opening of the main file of one run: `steps` as far as it goes, `way` by which the run came on from the last one."""

    def __init__(self, run: Run) -> None:
        options = run.options
        self.run, self.steps = run, list[Step]()
        self.way: tuple[Any, ...] = (options.language, options.arch, options.include_dirs, *sorted(options.defines.items()))
        self.flags: dict[str, Macro] = {}
        self.is_open = True
        self._header = ""
        self._expected = self._state()
        self._before: tuple[Any, ...] = ()

    def _state(self) -> tuple[int, int]:
        return len(self.run.out), len(self.run.problems)

    def define(self, name: str, macro: Macro | None) -> None:
        """The main file defines a macro, or takes it back: a flag is a part of the way, anything else ends the opening."""
        if macro is not None and (macro.body or macro.parameters is not None):
            self.is_open = False
        self.way += (("flag", name, macro is not None),)
        self.flags.pop(name, None)
        if macro is not None:
            self.flags[name] = macro

    def miss(self, header: str) -> None:
        """The main file includes a header that is not there."""
        self.way += (("missing", header),)

    def enter(self, path: str) -> bool:
        """The main file includes the header at `path`: whether a step for it was at hand and is taken. To be called with nothing read."""
        run = self.run
        self.is_open = self.is_open and self._state() == self._expected and run.files[0].path != path
        if not self.is_open:
            return False
        self.way += (("header", path),)
        step = _steps.get(self.way)
        if step is not None and step.holds():
            _steps[self.way] = _steps.pop(self.way)
            self._take(step)
            return True
        self._header = path
        self._before = (
            len(run.out), len(run.problems), len(run.included), len(run.missing), run.sought, set(run.once), dict(run.guards),
            run.include_count, run.expander.counter,
        )  # fmt: skip
        run.sought = {}
        return False

    def _take(self, step: Step) -> None:
        run = self.run
        run.out += step.tokens
        run.problems += step.problems
        run.included += [path for path in step.included if path not in run.included]
        run.missing += [header for header in step.missing if header not in run.missing]
        run.sought |= step.sought
        run.once |= step.once
        run.guards |= step.guards
        run.include_count += step.include_count
        run.macros.clear()
        run.macros.update(step.macros)
        left = {name for name in self.flags if name in step.macros and not step.macros[name].body and step.macros[name].parameters is None}
        run.macros.update({name: self.flags[name] for name in left})  # with the places that they have in this file
        self._end(step)

    def _end(self, step: Step) -> None:
        self.steps.append(step)
        self.way = (step.number,)
        self._expected = self._state()

    def leave(self) -> None:
        """The run is back in the main file, at the end of a header."""
        if not self.is_open or not self._header:
            return
        run, self._header = self.run, ""
        tokens, problems, included, missing, sought, once, guards, count, counter = self._before
        run.out[tokens:] = joined(run.out[tokens:])
        inside, run.sought = run.sought, sought | run.sought
        added = run.included[included:]
        step = Step(
            next(_numbers),
            run.out[tokens:],
            dict(run.macros),
            run.problems[problems:],
            added,
            run.missing[missing:],
            inside,
            run.once - once,
            {key: guard for key, guard in run.guards.items() if guards.get(key) != guard},
            run.include_count - count,
            tuple((path, _stamp(path)) for path in added),
        )
        if run.looks_ahead or run.expander.counter != counter or run.files[0].path in added or not _settled(step.stamps):
            self.is_open = False
            return
        _steps[self.way] = step
        trim()
        self._end(step)


def _stamp(path: str) -> tuple[int, ...]:
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_size, status.st_ino


def _settled(stamps: Iterable[tuple[str, tuple[int, ...]]]) -> bool:
    latest = (time.time() - SETTLED) * 1e9
    return all(stamp and stamp[0] < latest for _, stamp in stamps)


def trim() -> None:
    """Drops what was not asked for longest, until the rest is light enough."""
    total = sum(step.weight() for step in _steps.values())
    while total > KEPT and len(_steps) > 1:
        total -= _steps.pop(next(iter(_steps))).weight()


def forget() -> None:
    """Drops everything that is kept of headers."""
    _steps.clear()
    forget_headers()
