"""A line on standard error that says which file is being worked on, when that is a terminal and the
run lasts over a second; otherwise nothing at all.

Goes in: which file is being analysed. Comes out: a line that leaves no trace, with a bar where
there are several files. Loads rich only when it appears.
"""

from __future__ import annotations

import os
import threading
from types import TracebackType
from typing import Any, TextIO

DELAY = 0.8  # seconds; rich takes a moment to be loaded
BAR = 20  # columns
LEAST = 12  # columns of a path
TIME = len("0:00:00")
PER_SECOND = 4


class Progress:
    """A context manager; `update` may be called at any rate."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._wanted = (
            stream.isatty() and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"
        )
        self._timer = threading.Timer(DELAY, self._show)
        self._lock = threading.Lock()
        self._console: Any = None
        self._bar: Any = None
        self._task: Any = None
        self._state: tuple[str, int, int] = ("", 0, 0)
        self._over = False

    def __enter__(self) -> Progress:
        if self._wanted:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._bar is not None:
                self._bar.stop()

    def update(self, path: str, done: int, total: int) -> None:
        with self._lock:
            self._state = (path, done, total)
            if self._bar is not None:
                self._bar.update(self._task, completed=done, total=total, **self._words())

    def _words(self) -> dict[str, str]:
        """What is told beside the bar: which of how many, and the end of a path that is too
        long."""
        path, done, total = self._state
        count = f"file {min(done + 1, total)} of {total}" if total > 1 else ""
        room = max(
            LEAST, self._console.width - TIME - 2 - (BAR + len(count) + 2 if total > 1 else 0)
        )
        shown = path if len(path) <= room else f"…{path[1 - room :]}"
        return {"count": count, "description": shown}

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, ProgressColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        with self._lock:
            if self._over:
                return
            self._console = Console(file=self._stream)
            _, done, total = self._state
            count, path = (
                TextColumn(f"{{task.{name}}}", markup=False)
                for name in ("fields[count]", "description")
            )
            before: list[ProgressColumn] = [BarColumn(BAR), count] if total > 1 else []
            self._bar = Bar(
                *before,
                TimeElapsedColumn(),
                path,
                console=self._console,
                transient=True,
                refresh_per_second=PER_SECOND,
            )
            self._task = self._bar.add_task(**self._words(), completed=done, total=total)
            self._bar.start()
