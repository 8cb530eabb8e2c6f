"""`--watch`: run again whenever one of the files changes. Polls, so that it works on every file
system.

Goes in: what to run, which files matter. Comes out: the last exit code, when the user interrupts.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable

from kernlint.base.usage import UsageError

PAUSE = 0.5  # seconds between two looks


def stamps(paths: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Time of change and size by path; a file that has gone has none."""
    found = {}
    for path in paths:
        try:
            status = os.stat(path)
        except OSError:
            continue
        found[path] = (status.st_mtime_ns, status.st_size)
    return found


def watch(run: Callable[[], int], files: Callable[[], Iterable[str]], pause: float = PAUSE) -> int:
    """Run at once and after every change of `files()`, until interrupted. What makes no sense ends
    it at the start; later, as while a file is being saved, it is told and looked at again after the
    next change."""
    first, code = True, 0
    try:
        while True:
            before = stamps(files())
            code = run() if first else _again(run)
            first = False
            before = stamps(files()) | before  # headers are known once they were read
            sys.stdout.flush()
            print(
                "kernlint: watching for changes; press Ctrl+C to stop", file=sys.stderr, flush=True
            )
            while stamps(files()) == before:
                time.sleep(pause)
    except KeyboardInterrupt:
        return code


def _again(run: Callable[[], int]) -> int:
    try:
        return run()
    except UsageError as error:
        print(f"kernlint: {error}", file=sys.stderr)
        return 2
