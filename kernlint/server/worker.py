"""A worker process of the language server: analyses the kernels that it is asked for (`crew.py`).

Goes in: lines of JSON, [number, "text", path, text, configuration], [number, "kernel", key],
[number, "end"]. Comes out: [number, "", "", 0] when the text is read, then [number, key, outcome,
seconds] for each kernel, null where it is not known here or took too long. Ends with its standard
input.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, BinaryIO

from kernlint.base import garbage
from kernlint.base.deadline import Superseded, Wish, wished
from kernlint.memo import json_codec
from kernlint.memo.protocol import Outcome, spent
from kernlint.server.analysis import Documents
from kernlint.server.sharing import Task

Message = list[Any]
NICE = 5  # whoever types comes first, and the process that answers


class Orders:
    """What is asked for, read ahead: the end of a text ends the work on it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._wish, self._number = stream, Wish(), -1
        self._queue: SimpleQueue[tuple[Message, Wish]] = SimpleQueue()

    def read(self) -> None:
        """In a thread of its own."""
        for line in self._stream:
            message = json.loads(line)
            if message[1] == "text":
                self._wish = Wish()
            elif message[1] == "end":
                self._wish.gone = True
            self._queue.put((message, self._wish))
        os._exit(0)

    def next(self, timeout: float | None = None) -> tuple[Message, Wish]:
        """Raises `Empty` after `timeout` seconds."""
        return self._queue.get(timeout=timeout)


class Errand:
    """One text: the kernels that are asked for, in that order."""

    hands = 1

    def __init__(
        self, orders: Orders, number: int, answer: Callable[[str, str | None, float], None]
    ) -> None:
        self._orders, self._number = orders, number
        self._answer, self._key = answer, ""

    def order(self, tasks: Sequence[Task], expected: Callable[[], float]) -> Iterator[int]:
        positions = {task.key: task.position for task in tasks if task.key}
        self._answer("", "", 0.0)
        while True:
            (_, what, *words), _ = self._orders.next()
            if what != "kernel":
                raise Superseded
            self._key = words[0]
            if self._key in positions:
                yield positions[self._key]
            else:
                self._answer(self._key, None, 0.0)

    def outcome(self, key: str) -> tuple[Outcome, float] | None:
        return None

    def made(self, key: str, outcome: Outcome, seconds: float) -> None:
        if key == self._key:
            self._answer(key, None if spent(outcome) else json_codec.encode(outcome), seconds)

    def end(self) -> None:
        return


def main() -> None:
    if hasattr(os, "nice"):
        os.nice(NICE)
    said, orders = sys.stdout.buffer, Orders(sys.stdin.buffer)
    sys.stdout = sys.stderr  # nobody else may say anything
    Thread(target=orders.read, daemon=True).start()
    documents, is_clean = Documents(), True
    garbage.begin()
    while True:
        try:
            (number, what, *words), wish = orders.next(garbage.PAUSE if not is_clean else None)
        except Empty:
            garbage.collect()
            is_clean = True
            continue

        def answer(key: str, outcome: str | None, seconds: float, number: int = number) -> None:
            said.write(json.dumps([number, key, outcome, seconds]).encode() + b"\n")
            said.flush()

        if what == "kernel":  # of a text that could not be read to its end
            answer(words[0], None, 0.0)
        elif what == "text" and not wish.gone:
            path, text, how = words
            is_clean = False
            try:
                with wished(wish):
                    documents.help(path, text, how, Errand(orders, number, answer))
            except Superseded:
                continue
