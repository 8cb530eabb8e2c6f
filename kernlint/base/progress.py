"""What a long run says on standard error of which file is being worked on.

Goes in: which file is being analysed. Comes out: on a terminal, after a second, a line that leaves
no trace, with a bar where there are several files; elsewhere, as in a log, a plain line every half
minute. Loads rich only when the bar appears.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Any, TextIO

DELAY = 0.8  # seconds; rich takes a moment to be loaded
BETWEEN_LINES = 30.0  # seconds
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
        self._began = time.monotonic()
        self._timer = self._next_timer()
        self._lock = threading.Lock()
        self._console: Any = None
        self._bar: Any = None
        self._task: Any = None
        self._state: tuple[str, int, int] = ("", 0, 0)
        self._over = False

    def __enter__(self) -> Progress:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._over = True
            self._timer.cancel()
            if self._bar is not None:
                self._bar.stop()

    def _next_timer(self) -> threading.Timer:
        timer = (
            threading.Timer(DELAY, self._show)
            if self._wanted
            else threading.Timer(BETWEEN_LINES, self._tell)
        )
        timer.daemon = True
        return timer

    def _tell(self) -> None:
        """One line, and the next one later."""
        with self._lock:
            if self._over:
                return
            path, done, total = self._state
            which = f"file {min(done + 1, total)} of {total}" if total > 1 else ""
            minutes, seconds = divmod(round(time.monotonic() - self._began), 60)
            with suppress(OSError, ValueError):  # nobody reads it any longer
                words = filter(None, (which, path, f"{minutes}:{seconds:02} so far"))
                self._stream.write(f"kernlint: {', '.join(words)}\n")
                self._stream.flush()
            self._timer = self._next_timer()
            self._timer.start()

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
