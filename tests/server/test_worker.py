"""A worker's part of the analysis of a text, in the test's process: which kernels it is asked for,
and what it answers."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence

import pytest

from kernlint.base.deadline import Superseded
from kernlint.server import worker
from kernlint.server.analysis import Documents
from kernlint.server.sharing import Alone, Task
from tests.server.test_server_crew import TEXT

Answer = tuple[str, str | None, float]


class Watching(Alone):
    """A crew without workers that keeps what it was asked to share."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[str] = []

    def share(self, path: str, text: str, how: str) -> Watching:
        self.how = how
        return self

    def order(self, tasks: Sequence[Task], expected: Callable[[], float]) -> Iterator[int]:
        self.keys += [task.key for task in tasks if task.key]
        return super().order(tasks, expected)


def asked(monkeypatch: pytest.MonkeyPatch, *messages: list[object]) -> worker.Orders:
    """Orders that were read to their end."""
    monkeypatch.setattr(worker.os, "_exit", lambda _: None)
    orders = worker.Orders(io.BytesIO("".join(f"{json.dumps(m)}\n" for m in messages).encode()))
    orders.read()
    return orders


def test_kernels_are_answered_in_the_order_that_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    crew, answers = Watching(), list[Answer]()
    Documents(crew).analyse("k.cu", TEXT)
    assert len(crew.keys) == 6
    last, first = crew.keys[-1], crew.keys[0]
    orders = asked(
        monkeypatch,
        *([1, "kernel", key] for key in (last, "that of no kernel", first)),
        [1, "end"],
    )
    errand = worker.Errand(orders, 1, lambda *answer: answers.append(answer))
    with pytest.raises(Superseded):
        Documents().help("k.cu", TEXT, crew.how, errand)
    assert [key for key, _, _ in answers] == ["", last, "that of no kernel", first]
    assert [outcome is None for _, outcome, _ in answers[1:]] == [False, True, False]


def test_a_text_of_another_configuration_is_not_analysed(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = list[Answer]()
    errand = worker.Errand(asked(monkeypatch), 1, lambda *answer: answers.append(answer))
    Documents().help("k.cu", TEXT, "another configuration", errand)
    assert answers == []
