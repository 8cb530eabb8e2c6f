"""Lines of source for quoting: the files analysed, and headers read when a finding lies in one.

Goes in: facts. Comes out: lines by path and number, "" where there is none. Never raises for a file
that has gone.
"""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.model import facts
from kernlint.source import text as reading


class Sources:
    """Texts by path; a path not analysed itself is read on first use."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._lines = {path: text.split("\n") for path, text in texts.items() if text}

    @classmethod
    def of(cls, files: Iterable[facts.File]) -> Sources:
        return cls({file.path: file.text for file in files})

    def line(self, path: str, number: int) -> str:
        lines = self._of(path)
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def text(self, path: str) -> str:
        return "\n".join(self._of(path))

    def _of(self, path: str) -> list[str]:
        if path not in self._lines:
            source, _ = reading.read(path)
            self._lines[path] = source.text.split("\n") if source else []
        return self._lines[path]
