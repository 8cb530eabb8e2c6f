"""A progress bar on standard error, when that is a terminal and the run lasts over a second; otherwise nothing at all.

Goes in: which file is being analysed. Comes out: a bar that leaves no trace. Loads rich only when the bar appears.
"""

from __future__ import annotations

import os
import threading
from types import TracebackType
from typing import Any, TextIO

DELAY = 1.0  # seconds


class Progress:
    """A context manager; `update` may be called at any rate."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._wanted = stream.isatty() and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"
        self._timer = threading.Timer(DELAY, self._show)
        self._lock = threading.Lock()
        self._bar: Any = None
        self._task: Any = None
        self._state: tuple[str, int, int] = ("", 0, 0)
        self._over = False

    def __enter__(self) -> Progress:
        if self._wanted:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._bar is not None:
                self._bar.stop()

    def update(self, path: str, done: int, total: int) -> None:
        with self._lock:
            self._state = (path, done, total)
            if self._bar is not None:
                self._bar.update(self._task, description=path, completed=done, total=total)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        with self._lock:
            if self._over:
                return
            path, done, total = self._state
            text = TextColumn("{task.description}", markup=False)
            columns = (text, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self._bar = Bar(*columns, console=Console(file=self._stream), transient=True)
            self._task = self._bar.add_task(path, completed=done, total=total)
            self._bar.start()
