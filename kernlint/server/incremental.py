"""Outcomes from before an edit elsewhere in the file, so that only what was edited is lowered,
executed and checked again.

What a kernel's facts depend on: its launches, and the functions and declarations that it mentions,
at first or at second hand, as expanded tokens (`__LINE__`, `__COUNTER__` and macros count as what
they are here) and as the lines that messages quote, without lines of comments between statements
and definitions of macros between functions. The launches in host code depend on the host functions
that reach one, what those mention, and the heads of kernels. Findings depend on the facts of their
kernel, on comments within its functions, and on what else checks read (`TextParts`, `run.read_beside`).
Where all of that is equal, the outcome is that of before with its places moved.

Goes in: a text, its tokens and functions, the work. Comes out: outcomes. The settings do not
change; headers do not either (`Documents`).
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.checks.context import Group
from kernlint.checks.run import read_beside
from kernlint.launches import resolve
from kernlint.memo.ir_digest import NAMED, form
from kernlint.memo.protocol import Asked, Hosted, OfLaunch, Outcome, spent, takes_lambda
from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.server.declarations import DeclaredPart, digest
from kernlint.server.dependencies import TextParts, Words, words
from kernlint.server.relocate import moved
from kernlint.server.sharing import Sharing, Task
from kernlint.server.stages import RemainingTime, Stages
from kernlint.source.parser.parser import Unit
from kernlint.source.preprocessor.preprocess import Preprocessed

if TYPE_CHECKING:
    from kernlint.execution.measured import LaunchResult
    from kernlint.ir import nodes as ir

KEPT = 1024  # outcomes, and functions' words
USUAL = 0.05  # seconds that a kernel is expected to take of which nothing is known
_Remembered = TypeVar("_Remembered", Outcome, Hosted)
NOWHERE = Span("", 0, 0, 0, 0)
Stamp = tuple[int, int] | None  # what changes when a file does; None where there is none
Named = tuple[str, object]  # a kernel's name and place
Judge = Callable[[facts.File], None]


class OutcomeMemory:
    """Outcomes of one file under settings that do not change; made anew where they or a header do.
    `lines`: of the last text analysed; `headers`: where it looked for them, and what would change
    when they do."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[tuple[int, ...], Any]] = OrderedDict()
        self._words: OrderedDict[str, Words] = OrderedDict()
        self.seconds: dict[str, float] = {}  # what each kernel took the last time
        self.lines: Sequence[str] = ()
        self.headers: dict[str, Stamp] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def get(self, key: str) -> tuple[tuple[int, ...], Any] | None:
        if key in self._known:
            self._known.move_to_end(key)
        return self._known.get(key)

    def keep(self, key: str, lines: tuple[int, ...], outcome: Any) -> None:
        self._known[key] = (lines, outcome)
        while len(self._known) > KEPT:
            self._known.popitem(last=False)

    def words(self, text: str) -> Words:
        """The words of a function's lines."""
        found = self._words.get(text)
        if found is None:
            found = self._words[text] = words(text)
            if len(self._words) > KEPT:
                self._words.popitem(last=False)
        return found


class Session:
    """One analysis of one text: `engine.analyse_source` asks it before it works, and `check_file`
    too. `judge` looks at kernels while other processes are still at work: what it finds is
    remembered."""

    def __init__(
        self,
        memory: OutcomeMemory,
        stages: Stages,
        sharing: Sharing,
        stamp: Callable[[str], Stamp],
        judge: Judge | None,
    ) -> None:
        self._memory, self._stages, self._sharing, self._stamp, self._judge = (
            memory,
            stages,
            sharing,
            stamp,
            judge,
        )
        self._recalls: list[Remembered] = []

    def at(
        self, path: str, text: str, prepared: Preprocessed, unit: Unit, constants: Mapping[str, int]
    ) -> Remembered:
        before = self._memory.headers if self._recalls else {}
        self._memory.headers = before | {place: self._stamp(place) for place in prepared.sought}
        own = TextParts(path, text, prepared, unit, constants)
        self._recalls.append(
            Remembered(self._memory, own, self._stages, self._sharing, self._judge)
        )
        return self._recalls[-1]

    def findings(self, group: Group, work: Callable[[], list[Finding]]) -> list[Finding]:
        """Those of one kernel; of files that are one program only, since programs in strings share
        a text."""
        return self._recalls[0].findings(group, work) if len(self._recalls) == 1 else work()


@dataclass(frozen=True, slots=True)
class _Place:
    """What the facts of a kernel depend on."""

    key: str
    lines: tuple[int, ...]
    whole: tuple[DeclaredPart, ...]


class Remembered:
    """One text of the file."""

    def __init__(
        self,
        memory: OutcomeMemory,
        text: TextParts,
        stages: Stages,
        sharing: Sharing,
        judge: Judge | None,
    ) -> None:
        self._memory, self._text, self._stages, self._sharing, self._judge = (
            memory,
            text,
            stages,
            sharing,
            judge,
        )
        self._unjudged: list[facts.Kernel] = []
        # what checks of a kernel read of it (`run.read_beside`) is known from the start
        self._file: facts.File | None = None
        # whether the kernel before this one was, and what it took where it was not
        self._is_executed, self._light = (
            True,
            0.0,
        )
        # by identity: what is asked lives as long as the analysis
        self._asked: dict[int, _Place | None] = {}
        self._places: dict[Named, _Place] = {}  # of the kernels that are known by now
        # of those lowered anew, by launch: keys and lines
        self._forms: dict[Named, list[tuple[str, tuple[int, ...]]]] = {}
        self._missing: list[Asked] = []
        self._edited = _edited(memory.lines, text.raw)
        memory.lines = text.raw

    # -------------------------------------------------------------- facts

    def order(self, asked: Sequence[Asked]) -> Iterable[int]:
        """What is known first, then what is nearest to the edit; some of it may be done by
        others."""
        self._missing = list(asked)
        distance = [self._distance(one) for one in asked]
        ordered = sorted(range(len(asked)), key=lambda index: (distance[index], index))
        places = [self._place(one) for one in asked]
        keys = ["" if place is None else place.key for place in places]
        tasks = [
            Task(index, keys[index], distance[index] < 0, self._seconds(asked[index]))
            for index in ordered
        ]
        return self._sharing.order(tasks, self._expected)

    def _expected(self) -> float:
        """Seconds of work that others could take: what need not be executed is not worth it."""
        return (
            sum(self._seconds(one) for one in self._missing if not self._knows(one))
            if self._is_executed
            else 0.0
        )

    def _seconds(self, asked: Asked) -> float:
        """That a kernel is expected to take: where one is lowered to what it was before, the others
        may be as well."""
        return (
            self._memory.seconds.get(asked.kernel.qualified_name, USUAL)
            if self._is_executed
            else self._light
        )

    def _distance(self, asked: Asked) -> int:
        if self._knows(asked):
            return -1
        span = asked.kernel.span
        return max(span.line - self._edited, self._edited - span.end_line, 0)

    def _knows(self, asked: Asked) -> bool:
        place = self._place(asked)
        return place is not None and place.key in self._memory

    def begins(self, asked: Asked) -> bool:
        """No: what is nearest to the edit is to be known whole first."""
        return False

    def working(self, asked: Asked, so_far: Callable[[], facts.File]) -> None:
        if not self._knows(asked):
            missing = [asked, *(one for one in self._missing if one is not asked)]
            seconds = [self._seconds(one) for one in missing]
            known = all(one.kernel.qualified_name in self._memory.seconds for one in missing)
            work = RemainingTime(
                seconds[0],
                sum(seconds[1:]) / self._sharing.hands,
                known,
                self._distance(asked) == 0,
            )
            self._stages.before(work, so_far, [one.kernel for one in missing])
            if self._judge is not None and self._unjudged and self._sharing.hands > 1:
                self._file = self._file or so_far()
                self._judge(replace(self._file, kernels=tuple(self._unjudged)))
            self._unjudged = []

    def kernel(self, asked: Asked, work: Callable[[], Outcome]) -> Outcome:
        self._missing = [one for one in self._missing if one is not asked]
        place = self._place(asked)
        if place is None:
            return work()
        outcome = self._recalled(place.key, place.lines, lambda: self._made(asked, place.key, work))
        self._sharing.made(
            place.key, outcome, self._memory.seconds.get(asked.kernel.qualified_name, 0.0)
        )
        if place.key in self._memory:
            self._places[_named(asked.kernel)] = place
        outcome = replace(
            outcome,
            results=tuple(
                OfLaunch(r.position, _under(r.kernel, asked.launches[r.position]))
                for r in outcome.results
            ),
        )
        self._unjudged += [result.kernel for result in outcome.results]
        return outcome

    def _made(self, asked: Asked, key: str, work: Callable[[], Outcome]) -> Outcome:
        elsewhere = self._sharing.outcome(key)
        if elsewhere is not None:
            made, seconds = elsewhere
            if seconds:
                self._memory.seconds[asked.kernel.qualified_name] = seconds
            return made
        began, self._is_executed = perf_counter(), False
        made = _lasting(work())
        self._light = perf_counter() - began
        if self._is_executed:
            self._memory.seconds[asked.kernel.qualified_name] = self._light
        return made

    def _executed(self, work: Callable[[], Outcome]) -> Outcome:
        self._is_executed = True
        return _lasting(work())

    def _place(self, asked: Asked) -> _Place | None:
        if id(asked) not in self._asked:
            self._asked[id(asked)] = self._placed(asked)
        return self._asked[id(asked)]

    def _placed(self, asked: Asked) -> _Place | None:
        kernel = asked.kernel
        own = self._text.piece_of(kernel)
        if own is None or takes_lambda(asked.launches):
            return None
        launches = [_of_launch(launch) for launch in asked.launches]
        said = [
            repr((one.span.column, one.span.end_column, replace(one, span=NOWHERE)))
            for one in asked.said
        ]
        # their lines' texts do not matter
        named = [0 if launch.span is None else launch.span.line for launch in asked.launches]
        named += [line for one in asked.said for line in (one.span.line, one.span.end_line)]
        known = f"{_of_kernel(kernel)} {launches} {said}"
        whole = self._text.called(own, known)
        place = whole.index(own)  # another kernel may read the same and bear the same name
        key = self._text.key(f"{place} {known}", whole, ())
        return _Place(key, (*self._text.lines(whole, ()), *named), tuple(whole))

    def launch(
        self,
        kernel: resolve.Known,
        instance: ir.Kernel,
        launch: facts.Launch,
        why: str,
        work: Callable[[], Outcome],
    ) -> Outcome:
        """Of another text, but of equal form: what is written elsewhere decides nothing once a
        kernel is lowered."""
        found = form(instance, self._text.path)
        if found is None:
            return self._executed(work)
        key = digest("launch", found[0], *_of_kernel(kernel), _of_launch(launch), why)
        lines = (
            *found[1],
            kernel.span.line,
            kernel.span.end_line,
            0 if launch.span is None else launch.span.line,
        )
        self._forms.setdefault(_named(kernel), []).append((key, lines))
        outcome = self._recalled(key, lines, lambda: self._executed(work))
        return replace(
            outcome,
            results=tuple(
                replace(result, kernel=_under(result.kernel, launch)) for result in outcome.results
            ),
        )

    def executed(
        self, instance: ir.Kernel, launch: facts.Launch, work: Callable[[], LaunchResult]
    ) -> LaunchResult:
        return work()

    def host(self, said: str, work: Callable[[], Hosted]) -> Hosted:
        whole, heads = self._text.hosting(said)
        quiet_key, quiet_lines = self._text.quiet(whole, heads, said)
        outcome: Hosted | None = self._moved(quiet_key, quiet_lines)
        if outcome is not None:
            return outcome
        made = self._recalled(
            self._text.key(f"host {said}", whole, heads), self._text.lines(whole, heads), work
        )
        if _lasts(made) and _lines_of(made, self._text.path) <= set(quiet_lines):
            self._memory.keep(quiet_key, quiet_lines, made)
        return made

    def _recalled(
        self, key: str, lines: tuple[int, ...], work: Callable[[], _Remembered]
    ) -> _Remembered:
        outcome = self._moved(key, lines)
        if outcome is not None:
            return outcome  # type: ignore[no-any-return]
        made = work()
        if _lasts(made):
            self._memory.keep(key, lines, made)
        return made

    def _moved(self, key: str, lines: tuple[int, ...]) -> Any | None:
        known = self._memory.get(key)
        return (
            None
            if known is None
            else moved(known[1], known[0], lines, self._text.path, self._text.in_words)
        )

    # -------------------------------------------------------------- findings

    def findings(self, group: Group, work: Callable[[], list[Finding]]) -> list[Finding]:
        named = group.name, group.kernels[0].span
        place = self._places.get(named)
        if place is None:
            return work()
        said, beside = self._elsewhere(place.whole)
        said += [self._text.remarks(place.whole), repr(read_beside(group.file))]
        keys = [(digest("findings", place.key, *said), (*place.lines, *beside))]
        if named in self._forms:  # what the facts are of, whatever the text around says
            of_forms = [number for _, lines in self._forms[named] for number in lines]
            formed = digest("findings of forms", *(key for key, _ in self._forms[named]), *said)
            keys.append((formed, (*of_forms, *self._text.remarked(place.whole), *beside)))
        known = next(
            (known for key, lines in keys if (known := self._moved(key, lines)) is not None), None
        )
        if known is None:
            known = tuple(work())
        for key, lines in keys:
            self._memory.keep(key, lines, known)
        return list(known)

    def _elsewhere(self, whole: Sequence[DeclaredPart]) -> tuple[list[str], tuple[int, ...]]:
        """What checks ask of the functions that a kernel does not call: which of its names they
        mention and set, whether they ask for threads, whether their brackets close; and the
        directives that mention its names, with their lines."""
        inside = {id(part) for part in whole}
        own = [self._words[key] for key in inside]
        others = [words for key, words in self._words.items() if key not in inside]
        names = frozenset[str]().union(*(one.names for one in own))
        within = Counter(name for one in own for name in one.names)
        shared = sorted(name for name in names if self._mentions[name] > within[name])
        values = [value for one in others for value in one.values if value[0] in names]
        threads = any("threadIdx" in one.names and "__global__" not in one.names for one in others)
        lines = self._text.directives(names | {"threadIdx"})
        said = [
            repr(shared),
            repr(values),
            repr(threads),
            repr([one.open for one in others if one.open]),
        ]
        return [*said, *(self._text.raw[number - 1] for number in lines)], lines

    @cached_property
    def _words(self) -> dict[int, Words]:
        """Of all parts, in order, by identity."""
        return {id(part): self._memory.words(self._text.text_of(part)) for part in self._text.parts}

    @cached_property
    def _mentions(self) -> Counter[str]:
        """How many parts mention each name."""
        return Counter(name for one in self._words.values() for name in one.names)


def _named(kernel: resolve.Known) -> Named:
    return kernel.qualified_name or kernel.name, kernel.span


def _of_kernel(kernel: resolve.Known) -> tuple[str, ...]:
    """What is known of a kernel but its place."""
    return (
        kernel.qualified_name,
        repr(kernel.required_block),
        repr(kernel.launch_bounds),
        repr(kernel.instantiations),
    )


def _of_launch(launch: facts.Launch) -> str:
    """A launch but its place."""
    return repr(replace(launch, span=None, allocations=(), origin=NAMED.sub("", launch.origin)))


def _lasts(outcome: Outcome | Hosted) -> bool:
    """Whether it may hold for another text."""
    return not spent(outcome) and not (
        isinstance(outcome, Hosted)
        and takes_lambda([reached.launch for reached in outcome.launches])
    )


def _lines_of(hosted: Hosted, path: str) -> set[int]:
    """The lines on which launches and problems begin and end."""
    spans = [
        *(reached.launch.span for reached in hosted.launches),
        *(problem.span for problem in hosted.problems),
    ]
    return {
        line
        for span in spans
        if span is not None and span.path == path
        for line in (span.line, span.end_line)
    }


def _edited(before: Sequence[str], now: Sequence[str]) -> int:
    """The first line that is not as before; 1 where there is none."""
    same = next(
        (i for i, (old, new) in enumerate(zip(before, now, strict=False)) if old != new),
        min(len(before), len(now)),
    )
    return 1 if same == len(now) == len(before) else same + 1


def _lasting(outcome: Outcome) -> Outcome:
    """Without what only the first asker may look at: it holds on to the whole program."""
    return replace(
        outcome, results=tuple(replace(result, measured=None) for result in outcome.results)
    )


def _under(kernel: facts.Kernel, launch: facts.Launch) -> facts.Kernel:
    own = kernel.launch
    kept = replace(
        launch,
        block=own.block,
        block_origin=own.block_origin,
        arguments=own.arguments,
        stated=own.stated,
    )
    return replace(kernel, launch=kept)
