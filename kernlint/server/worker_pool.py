"""Worker processes that take kernels off a text of which many must be analysed again: after an edit
of what all of them use.

A worker (`worker.py`) is sent the whole text, works out for itself what each kernel depends on, and
is asked for kernels by the digest of that: what it reads otherwise than this process, it does not
know. This process takes the nearest kernels, the workers take the longest, so that nobody begins
with one when the others are through; a worker that is slow or gone costs nothing but its help.
Messages are lines of JSON, beginning with the text's number.

Goes in: texts, kernels' keys. Comes out: outcomes. Nothing is unpickled.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import perf_counter
from typing import Any

from kernlint.base import deadline
from kernlint.memo import json_codec
from kernlint.memo.protocol import Outcome
from kernlint.server.sharing import Alone, Sharing, Task

# seconds of work for which workers are started, and for which those that run are asked
COLD, WARM = (
    0.5,
    0.08,
)
PATIENCE = 0.1  # seconds without a word, after which this process does what it has given away,
# or this part of the time since the workers were asked: on a busy machine they may be slow
SHARE = 0.5
# kernels that a worker is asked for at a time, where more are left than the latter
AHEAD, LAST = (
    2,
    4,
)
LOOK = 0.01  # seconds between looks at whether anybody still waits for the result
DEATHS = 3  # workers that ended by themselves, after which there are no more
START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from kernlint.server.worker import main; main()"


def processors() -> int:
    """That this process may use."""
    may_use = getattr(os, "sched_getaffinity", None)
    return len(may_use(0)) if may_use is not None else os.cpu_count() or 1


class Crew:
    """Up to `size` workers, started when there is first enough for them to do."""

    def __init__(self, size: int) -> None:
        self._size, self._number, self._deaths = size, 0, 0
        self._workers: list[Worker] = []
        # the path whose last analysis they were asked for: the next edit of it may well be another
        # of its kind
        self.busy = ""

    def share(self, path: str, text: str, how: str) -> Sharing:
        """For one analysis. `how`: what its configuration reads like; a worker that reads another
        one does not help."""
        if not self._size:
            return Alone()
        self._number += 1
        return Shared(self, [self._number, path, text, how], is_eager=self.busy == path)

    def called(self, expected: float) -> Sequence[Worker]:
        """Those who come for so many seconds of work."""
        gone = [worker for worker in self._workers if worker.gone]
        self._deaths += len(gone)
        self._workers = [worker for worker in self._workers if not worker.gone]
        if not self._workers and expected >= COLD and self._deaths < DEATHS:
            self._start()
        return self._workers if expected >= WARM else ()

    def _start(self) -> None:
        try:
            for _ in range(self._size):
                self._workers.append(Worker())
        except OSError:
            self._deaths = DEATHS  # no processes to be had

    def close(self) -> None:
        for worker in self._workers:
            worker.close()
        self._workers = []


class Worker:
    """One process. `hears` is told what it says, with this worker; None when it is gone."""

    def __init__(self) -> None:
        words = [sys.executable, "-P", "-c", START, json.dumps(sys.path)]
        hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        self._process = subprocess.Popen(
            words, stdin=pipe, stdout=pipe, stderr=nothing, creationflags=hidden
        )
        self._lock = Lock()
        self.hears: Callable[[Worker, list[Any] | None], None] = lambda worker, message: None
        self.gone = False
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def say(self, *message: object) -> None:
        try:
            with self._lock:
                assert self._process.stdin is not None
                self._process.stdin.write(json.dumps(message).encode() + b"\n")
                self._process.stdin.flush()
        except (OSError, ValueError):
            self.gone = True

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                break
            self.hears(self, message)
        self.gone = True
        self.close()
        self.hears(self, None)
        self._process.wait()

    def ended(self) -> None:
        """Waits until it is gone."""
        self._reader.join()

    def close(self) -> None:
        try:
            assert self._process.stdin is not None
            self._process.stdin.close()  # it ends when nobody can tell it anything any more
        except OSError:
            self.gone = True


class Shared:
    """One analysis of one text."""

    def __init__(self, crew: Crew, text: list[object], is_eager: bool = False) -> None:
        self._crew, self._text = crew, text
        self._workers: Sequence[Worker] = ()
        self._lock = Lock()
        self._left: deque[Task] = deque()
        self._own: deque[Task] = deque()  # of those left, what no worker may take
        self._away: dict[Worker, deque[Task]] = defaultdict(deque)
        # asked for before those, unanswered, and taken back
        self._late: dict[Worker, deque[Task]] = defaultdict(deque)
        self._arrived: SimpleQueue[tuple[Task, str, float]] = SimpleQueue()
        self._outcomes: dict[str, tuple[str, float]] = {}
        self._is_begun, self._since = False, perf_counter()
        self._ready: set[Worker] = set()
        if is_eager:  # they read the text while this process does
            self._call(COLD)

    # -------------------------------------------------------------- what the analysis asks

    def order(self, tasks: Sequence[Task], expected: Callable[[], float]) -> Iterator[int]:
        yield from (task.position for task in tasks if task.known)
        missing = [task for task in tasks if not task.known]
        if self._is_begun:  # another program of this file: the workers read the first
            yield from (task.position for task in missing)
            return
        self._is_begun = True
        with self._lock:
            self._left = deque(task for task in missing[1:] if task.key)
            # at once: a worker that ends gives back into it
            self._own = deque(task for task in missing[1:] if not task.key)
        self._give_all()
        yield from (task.position for task in missing[:1])  # it tells what the others will take
        self._ask(expected())
        while (task := self._next()) is not None:
            yield task.position

    @property
    def hands(self) -> int:
        return 1 + len(self._ready)

    def outcome(self, key: str) -> tuple[Outcome, float] | None:
        body, seconds = self._outcomes.pop(key, ("", 0.0))
        made = json_codec.decode(body) if body else None
        return (made, seconds) if isinstance(made, Outcome) else None

    def made(self, key: str, outcome: Outcome, seconds: float) -> None:
        return

    def end(self) -> None:
        """Nobody waits for more."""
        with self._lock:
            self._left.clear()
        self._dismiss()

    def _dismiss(self) -> None:
        with self._lock:
            workers, self._workers = self._workers, ()
            self._ready.clear()
        for worker in workers:
            worker.say(self._text[0], "end")
            worker.hears = lambda worker, message: None

    # -------------------------------------------------------------- who does what

    def _ask(self, expected: float) -> None:
        is_much = len(self._left) + sum(map(len, self._away.values())) > 1 and expected >= WARM
        self._crew.busy, self._since = str(self._text[1]) if is_much else "", perf_counter()
        if is_much and not self._workers:
            self._call(expected)
        elif not is_much:
            self._dismiss()
            with self._lock:
                self._take_back()

    def _give_all(self) -> None:
        for worker in tuple(self._ready):
            self._give(worker)

    def _call(self, expected: float) -> None:
        self._workers = tuple(self._crew.called(expected))
        for worker in self._workers:
            worker.hears = self._heard
            worker.say(self._text[0], "text", *self._text[1:])

    def _next(self) -> Task | None:
        """What has arrived, else the nearest that nobody has, else what arrives; None when nothing
        is left."""
        waited, patience = 0.0, max(PATIENCE, SHARE * (perf_counter() - self._since))
        while True:
            try:
                task, body, seconds = (
                    self._arrived.get(timeout=LOOK) if waited else self._arrived.get_nowait()
                )
            except Empty:
                with self._lock:
                    if waited > patience:
                        self._take_back()
                    if self._own or self._left:
                        return self._own.popleft() if self._own else self._left.popleft()
                    if not any(self._away.values()) and self._arrived.empty():
                        return None
                deadline.wanted()
                waited += LOOK
            else:
                self._outcomes[task.key] = (body, seconds)
                return task

    def _take_back(self) -> None:
        """What has been given away; the answers may yet come."""
        for worker, tasks in self._away.items():
            self._left.extend(tasks)
            self._late[worker].extend(tasks)
            tasks.clear()

    def _heard(self, worker: Worker, message: list[Any] | None) -> None:
        """In the worker's thread: it is ready, or done with what it was asked for (null: it could
        not), or gone."""
        if message is not None and message[0] != self._text[0]:
            return
        with self._lock:
            if worker not in self._workers:
                return
            away, late = self._away[worker], self._late[worker]
            if message is None:
                self._own.extend(away)
                away.clear()
                late.clear()
                self._ready.discard(worker)
                return
            if late or away:  # a worker answers in the order of what it was asked
                is_late = bool(late)
                task = late.popleft() if is_late else away.popleft()
                is_made = message[1] == task.key and message[2] is not None
                if is_made and (not is_late or task in self._left):
                    if is_late:
                        self._left.remove(task)
                    self._arrived.put((task, message[2], message[3]))
                elif not is_late:
                    self._own.append(task)
            self._ready.add(worker)
        self._give(worker)

    def _give(self, worker: Worker) -> None:
        """Up to two kernels, so that it need not wait for this process to listen; of the last ones
        one at a time. None where it is gone or was dismissed since it was found ready: nobody would
        answer."""
        asked: list[Task] = []
        with self._lock:
            if worker not in self._ready:
                return
            away, late = self._away[worker], len(self._late[worker])
            while self._left and (
                not (away or late) or (late + len(away) < AHEAD and len(self._left) > LAST)
            ):
                asked.append(max(reversed(self._left), key=lambda task: task.seconds))
                self._left.remove(asked[-1])
                away.append(asked[-1])
        for task in asked:
            worker.say(self._text[0], "kernel", task.key)
