"""Many files: out of the cache, in worker processes, or one after the other, with the same results
in the same order.

Goes in: a `Work` per file. Comes out: `facts.File` or `Judged` per file. A worker that dies costs
no other file's results: its file is tried once more alone, and reported (KL003) when that worker
dies as well.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kernlint.base import garbage
from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.memo import disk, json_codec
from kernlint.memo.disk import Cache
from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.model.reasons import GAVE_UP, gave_up, is_transient
from kernlint.model.settings import Selection, Settings
from kernlint.model.verdict import Answer, Judged, judged
from kernlint.source import files

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

Result = facts.File | Judged
Review = Callable[[tuple[Finding, ...], files.Source, Settings, facts.File], tuple[Finding, ...]]
Progress = Callable[[str, int, int], None]  # path, files done, files in all
ANALYSIS = 0.8  # of a file's time, where findings are wanted
SERIAL_BELOW = 8  # files to analyse: starting workers costs more than they save


@dataclass(frozen=True, slots=True)
class Work:
    """One file to analyse: to facts, or with a `selection` to findings. `review`: takes out of the
    findings the edits that must not be made; a function of a module, since workers are sent it."""

    source: files.Source
    settings: Settings
    selection: Selection | None = None
    review: Review | None = None

    def key(self) -> str:
        profile = disk.stamp(self.settings.device) if self.settings.device.endswith(".toml") else ""
        return disk.key(self.source, self.settings, self.selection, profile)


def run(
    works: Sequence[Work],
    jobs: int,
    cache: Cache | None,
    progress: Progress = lambda path, done, total: None,
) -> list[Result]:
    """A result per work, in their order. `jobs`: worker processes; 1 for none."""
    results: dict[int, Result] = {}
    keys = {number: work.key() for number, work in enumerate(works)} if cache is not None else {}

    def done(number: int, body: str | None, result: Result) -> None:
        results[number] = result
        if cache is not None and not _is_transient(result):
            key = disk.here(keys[number]) if result.unfinished else keys[number]
            cache.put(
                key,
                json_codec.encode(_without_text(result)) if body is None else body,
                result.sought,
            )

    for number, work in enumerate(works):
        found = _stored(cache, keys[number], work) if cache is not None else None
        if found is not None:
            results[number] = found
            progress(work.source.path, len(results), len(works))
    left = [number for number in range(len(works)) if number not in results]

    def working(number: int) -> None:
        progress(works[number].source.path, len(results), len(works))

    if jobs > 1 and len(left) >= SERIAL_BELOW:
        for number, body in spread(_encoded, works, left, jobs, working):
            if body is None:
                results[number] = _lost(works[number])  # not for the cache
            else:
                done(number, body, _result(body, works[number]))
    else:
        for number in left:
            working(number)
            done(number, None, compute(works[number]))
    return [results[number] for number in range(len(works))]


def compute(work: Work) -> Result:
    """One file's result, worked out here. The analysis leaves a part of the file's time for
    findings, and what these leave is for the paddings."""
    from kernlint.base import deadline
    from kernlint.pipeline import engine

    garbage.before_file()
    limit = deadline.seconds_for(work.source.text, work.settings.timeout)
    part = 1.0 if work.selection is None else ANALYSIS
    with deadline.running(limit) as clock:
        with deadline.running(limit * part):
            file = engine.analyse_source(work.source, work.settings)
        result = (
            file
            if work.selection is None
            else reviewed(judge(file, work.settings, work.selection), work, file)
        )
        if clock.ran_out and isinstance(result, Judged):
            result = replace(result, unfinished=True)
    return result


def reviewed(verdict: Judged, work: Work, file: facts.File) -> Judged:
    """With the edits that the work's review leaves."""
    if work.review is None:
        return verdict
    return replace(
        verdict, findings=work.review(verdict.findings, work.source, work.settings, file)
    )


def judge(file: facts.File, settings: Settings, selection: Selection) -> Judged:
    """What the rules find in a file's facts."""
    from kernlint.checks.run import check_file
    from kernlint.checks.selection import selected_rules

    found = check_file(file, settings.device, selected_rules(selection))
    return judged(file, found, settings.kernel, settings.device)


def _stored(cache: Cache, key: str, work: Work) -> Result | None:
    body = cache.get(key)
    body = cache.get(disk.here(key)) if body is None else body
    if body is None:
        return None
    try:
        return _result(body, work)
    except ValueError:
        return None


def _result(body: str, work: Work) -> Result:
    """A result from its text; ValueError where it is none of this file's."""
    result = json_codec.decode(body)
    if isinstance(result, facts.File) and work.selection is None:
        return replace(result, text=work.source.text or "")
    if isinstance(result, Judged) and work.selection is not None:
        return result
    raise ValueError("a result of another kind")


def _is_transient(result: Result) -> bool:
    return result.transient if isinstance(result, Judged) else is_transient(result.problems)


def _without_text(result: Result) -> Result:
    return replace(result, text="") if isinstance(result, facts.File) else result


def _encoded(work: Work) -> str:
    """What a worker does."""
    return json_codec.encode(_without_text(compute(work)))


def spread(
    task: Callable[[Work], str],
    works: Sequence[Work],
    numbers: Sequence[int],
    jobs: int,
    working: Callable[[int], None] = lambda number: None,
) -> Iterator[tuple[int, str | None]]:
    """The task done for those of the works that `numbers` says, in worker processes, in the order
    in which they end; None where the worker died, and the next one with this work alone too.
    `working` is told of one that is under way, at the start and whenever another ends."""
    from concurrent.futures import as_completed
    from concurrent.futures.process import BrokenProcessPool

    unfinished = set(numbers)
    with _pool(min(jobs, len(numbers))) as pool:
        working(numbers[0])
        futures = _submitted(pool, task, works, numbers)
        for future in as_completed(futures):
            if isinstance(future.exception(), BrokenProcessPool):
                continue  # a worker died and took all that was left with it; each is tried alone
            unfinished.discard(futures[future])
            yield futures[future], future.result()
            working(
                next(
                    (number for other, number in futures.items() if other.running()),
                    futures[future],
                )
            )
    for number in sorted(unfinished):
        working(number)
        with _pool(1) as alone:
            try:
                body = alone.submit(task, works[number]).result()
            except BrokenProcessPool:
                yield number, None
            else:
                yield number, body


def _submitted(
    pool: ProcessPoolExecutor,
    task: Callable[[Work], str],
    works: Sequence[Work],
    numbers: Sequence[int],
) -> dict[Future[str], int]:
    """What a pool took; a worker may die while files are still being handed out, and a broken pool
    takes none."""
    from concurrent.futures.process import BrokenProcessPool

    futures: dict[Future[str], int] = {}
    for number in numbers:
        try:
            futures[pool.submit(task, works[number])] = number
        except BrokenProcessPool:
            return futures
    return futures


def _pool(jobs: int) -> ProcessPoolExecutor:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    methods = multiprocessing.get_all_start_methods()
    return ProcessPoolExecutor(
        jobs, mp_context=multiprocessing.get_context("fork" if "fork" in methods else None)
    )


def _lost(work: Work) -> Result:
    """The result of a file whose worker was killed, twice."""
    problem = gave_up("killed", Span(work.source.path, 1, 1, 1, 1))
    source, device = work.source, work.settings.device
    file = facts.File(
        source.path,
        source.language,
        (*source.problems, problem),
        (),
        0,
        source.text or "",
        device=device,
    )
    if work.selection is None:
        return file
    reason, remedy = problem.reason, GAVE_UP[problem.reason].remedy
    finding = Finding(
        problem.code,
        "analysis-gave-up",
        "warning",
        problem.message,
        problem.span,
        status="unknown",
        help=remedy,
        reason=reason,
    )
    return Judged(
        file.path,
        (),
        (replace(finding, device=device),),
        Answer((), (), ()),
        (),
        partial=True,
        device=device,
    )


def workers(jobs: int | None) -> int:
    """How many processes `-j` asks for: 0 and none mean one per core that this process may use."""
    if jobs:
        return jobs
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
