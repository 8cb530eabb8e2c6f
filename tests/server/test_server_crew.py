"""Worker processes of the language server that fail: what they were asked for is done all the same,
and nothing waits for them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from threading import Thread, Timer
from time import perf_counter

import pytest

from kernlint.base.deadline import Superseded, Wish, wished
from kernlint.memo import json_codec
from kernlint.memo.protocol import Outcome
from kernlint.server import worker_pool
from kernlint.server.analysis import Documents
from kernlint.server.sharing import Task
from tests.server import edits

KERNEL = "__global__ void %s(int *o) {\n    o[at(threadIdx.x)] = 1;\n}\n"
TEXT = "__device__ int at(int i) { return 32 * i; }\n" + "".join(KERNEL % name for name in "abcdef")
READY = """import json, sys
number = json.loads(sys.stdin.readline())[0]
def say(*words): print(json.dumps([number, *words]), flush=True)
def asked():
    for number_, what, *words in map(json.loads, sys.stdin):
        if what == "kernel": yield words[0]
say("", "", 0)
"""
FAILING = {
    "does not start": "raise SystemExit",
    "has read another configuration": "import sys; sys.stdin.read()",
    "ends when it is asked": READY + "sys.stdin.readline()",
    "knows no kernel": READY + "for key in asked(): say(key, None, 0)",
    "says what is no outcome": READY + "for key in asked(): say(key, '[1]', 0)",
    "says what is no message": READY + "for key in asked(): print('hello', flush=True)",
    "speaks of another kernel": READY + "for key in asked(): say('x', '[1]', 0)",
    "speaks of another text": READY + "number -= 1\nfor key in asked(): say(key, '[1]', 0)",
}


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], worker_pool.Crew]]:
    """A crew of one worker that runs a program of the test, asked for every kernel."""
    monkeypatch.setattr(worker_pool, "COLD", 0.0)
    monkeypatch.setattr(worker_pool, "WARM", 0.0)
    made: list[worker_pool.Crew] = []

    def make(program: str) -> worker_pool.Crew:
        monkeypatch.setattr(worker_pool, "START", program)
        made.append(worker_pool.Crew(1))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.slow
@pytest.mark.parametrize("what", FAILING)
def test_a_worker_that_fails_costs_nothing_but_its_help(
    workers: Callable[[str], worker_pool.Crew], monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(worker_pool, "PATIENCE", 0.2)
    monkeypatch.setattr(worker_pool.Shared, "_next", worker_pool.Shared._next)
    edits.leave_to_workers(0.5)
    documents = Documents(workers(FAILING[what]))
    for text in (TEXT, TEXT.replace("32", "33")):
        found, anew = documents.analyse("k.cu", text), Documents().analyse("k.cu", text)
        assert (
            json_codec.encode(found.file) == json_codec.encode(anew.file)
            and found.findings == anew.findings
        )
        assert [kernel.name for kernel in found.file.kernels] == list("abcdef")


@pytest.mark.slow
def test_nobody_waits_for_a_worker_when_the_text_has_changed(
    workers: Callable[[str], worker_pool.Crew], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_pool, "PATIENCE", 5.0)
    monkeypatch.setattr(worker_pool.Shared, "_next", worker_pool.Shared._next)
    edits.leave_to_workers(1)
    wish = Wish()
    documents = Documents(workers(READY + "sys.stdin.read()"))
    timer = Timer(2, lambda: setattr(wish, "gone", True))
    timer.start()
    with pytest.raises(Superseded), wished(wish):
        documents.analyse("k.cu", TEXT)
    timer.join()


def test_after_some_deaths_there_are_no_more_workers(
    workers: Callable[[str], worker_pool.Crew], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[worker_pool.Worker] = []
    real = worker_pool.Worker.__init__

    def start(self: worker_pool.Worker) -> None:
        started.append(self)
        real(self)

    monkeypatch.setattr(worker_pool.Worker, "__init__", start)
    helpers = workers("raise SystemExit")
    for _ in range(worker_pool.DEATHS + 2):
        for worker in helpers.called(1.0):
            worker.ended()
    assert len(started) == worker_pool.DEATHS and not helpers.called(1.0)


class Slow:
    """A worker whose answers the test gives."""

    gone = False

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.hears: Callable[[object, list[object] | None], None] = lambda worker, message: None

    def say(self, number: int, what: str, *words: str) -> None:
        if what == "kernel":
            self.asked.append(words[0])

    def answers(self, key: str, body: str | None, seconds: float = 0.5) -> None:
        self.hears(self, [1, key, body, seconds])


def test_answers_that_come_after_their_kernels_were_taken_back_belong_to_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workers, helpers = (Slow(), Slow()), worker_pool.Crew(0)
    monkeypatch.setattr(worker_pool, "PATIENCE", 0.0)
    monkeypatch.setattr(worker_pool, "SHARE", 0.0)
    monkeypatch.setattr(helpers, "called", lambda expected: workers)
    shared = worker_pool.Shared(helpers, [1, "k.cu", "", ""])
    taken = shared.order([Task(i, f"k{i}", False, 0.1) for i in range(12)], lambda: 9.0)
    assert [next(taken), next(taken)] == [0, 1]
    for worker in workers:
        worker.answers("", "")
    assert [worker.asked for worker in workers] == [["k11", "k10"], ["k9", "k8"]]
    assert [next(taken) for _ in range(7)] == [
        2,
        3,
        4,
        5,
        6,
        7,
        11,
    ]  # patience has ended: all four are taken back, this process is at one
    for worker in workers:
        for key in worker.asked:
            worker.answers(key, f"of {key}")
    assert sorted(taken) == [8, 9, 10] and shared._outcomes == {
        key: (f"of {key}", 0.5) for key in ("k8", "k9", "k10")
    }


def test_workers_take_the_longest_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    worker, helpers = Slow(), worker_pool.Crew(0)
    monkeypatch.setattr(helpers, "called", lambda expected: (worker,))
    shared = worker_pool.Shared(helpers, [1, "k.cu", "", ""])
    taken = shared.order(
        [Task(i, f"k{i}", False, 0.3 if i in (3, 5) else 0.1) for i in range(8)], lambda: 9.0
    )
    assert [next(taken), next(taken)] == [0, 1]
    worker.answers("", "")
    assert worker.asked == ["k5", "k3"] and next(taken) == 2


@pytest.mark.slow
def test_what_kernels_take_in_a_worker_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "COLD", 0.0)
    monkeypatch.setattr(worker_pool, "WARM", 0.0)
    monkeypatch.setattr(worker_pool.Shared, "_next", worker_pool.Shared._next)
    edits.leave_to_workers()
    told: list[float] = []
    real = worker_pool.Shared.outcome

    def outcome(self: worker_pool.Shared, key: str) -> tuple[Outcome, float] | None:
        made = real(self, key)
        told.extend([] if made is None else [made[1]])
        return made

    monkeypatch.setattr(worker_pool.Shared, "outcome", outcome)
    helpers = worker_pool.Crew(1)
    documents = Documents(helpers)
    documents.analyse("k.cu", TEXT)
    helpers.close()
    remembered = documents._memories["k.cu"][1].seconds
    assert (
        told
        and all(told)
        and set(told) < set(remembered.values())
        and set(remembered) == set("abcdef")
    )


class Race:
    """Lets something happen just before the next kernels are given, in the moment in which nobody
    holds the lock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.happens: Callable[[], None] = lambda: None
        real = worker_pool.Shared._give

        def give(shared: worker_pool.Shared, worker: worker_pool.Worker) -> None:
            happens, self.happens = self.happens, lambda: None
            happens()
            real(shared, worker)

        monkeypatch.setattr(worker_pool.Shared, "_give", give)
        monkeypatch.setattr(worker_pool, "PATIENCE", 5.0)


def test_nothing_is_given_to_a_worker_that_is_gone_by_then(monkeypatch: pytest.MonkeyPatch) -> None:
    worker, helpers, race = Slow(), worker_pool.Crew(0), Race(monkeypatch)
    monkeypatch.setattr(helpers, "called", lambda expected: (worker,))
    shared = worker_pool.Shared(helpers, [1, "k.cu", "", ""], is_eager=True)
    worker.answers("", "")
    race.happens = lambda: worker.hears(worker, None)
    began = perf_counter()
    assert list(
        shared.order([Task(i, f"k{i}", False, 0.1) for i in range(8)], lambda: 9.0)
    ) == list(range(8))
    assert perf_counter() - began < 1.0 and worker.asked == []


def test_nothing_is_given_to_a_worker_that_is_dismissed_by_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker, helpers, race = Slow(), worker_pool.Crew(0), Race(monkeypatch)
    monkeypatch.setattr(helpers, "called", lambda expected: (worker,))
    shared = worker_pool.Shared(helpers, [1, "k.cu", "", ""], is_eager=True)
    taken = shared.order([Task(i, f"k{i}", False, 0.001) for i in range(8)], lambda: 0.0)
    assert next(taken) == 0
    rest: list[int] = []
    race.happens = lambda: rest.append(next(taken))  # it is too little to share
    began = perf_counter()
    worker.answers("", "")
    assert sorted([*rest, *taken]) == list(range(1, 8))
    assert perf_counter() - began < 1.0 and worker.asked == []


def test_what_a_worker_took_that_ends_at_once_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    worker, helpers = Slow(), worker_pool.Crew(0)
    monkeypatch.setattr(helpers, "called", lambda expected: (worker,))
    shared = worker_pool.Shared(helpers, [1, "k.cu", "", ""], is_eager=True)

    def dies() -> None:
        worker.answers("", "")
        worker.hears(worker, None)

    queues = 0

    def queue(tasks: Iterable[Task]) -> deque[Task]:
        nonlocal queues
        queues += 1
        if queues == 2:  # the first is there already: of what is left
            death = Thread(target=dies)
            death.start()
            death.join(0.2)
        return deque(tasks)

    tasks = [Task(i, f"k{i}", False, 0.1) for i in range(8)]
    monkeypatch.setattr(worker_pool, "deque", queue)
    assert sorted(shared.order(tasks, lambda: 9.0)) == list(range(8))
