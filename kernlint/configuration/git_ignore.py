"""What git ignores, which a walk through a folder passes over.

In: paths. Out: whether a .gitignore beside or above says so; those of the folders up to the one
that holds the repository count, the nearer over the farther. Never raises: a file that cannot be
read ignores nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAME = ".gitignore"


class GitIgnore:
    """Each folder's .gitignore is read once."""

    def __init__(self) -> None:
        self._specs: dict[str, GitIgnoreSpec | None] = {}

    def passes_over(self, absolute: str) -> bool:
        """Whether a file or folder met while walking is ignored; not in a folder that is ignored
        itself, which somebody named."""
        return self._ignores(absolute) and not self._ignores(os.path.dirname(absolute))

    def _ignores(self, absolute: str) -> bool:
        slash = os.sep if os.path.isdir(absolute) else ""  # some patterns mean folders alone
        folder = os.path.dirname(absolute)
        while True:
            spec = self._spec(folder)
            if spec is not None:
                passed_over = spec.check_file(os.path.relpath(absolute, folder) + slash).include
                if passed_over is not None:
                    return passed_over
            above = os.path.dirname(folder)
            if above == folder or os.path.exists(os.path.join(folder, ".git")):
                return False
            folder = above

    def _spec(self, folder: str) -> GitIgnoreSpec | None:
        if folder not in self._specs:
            self._specs[folder] = _read(os.path.join(folder, NAME))
        return self._specs[folder]


def _read(path: str) -> GitIgnoreSpec | None:
    if not os.path.isfile(path):
        return None
    from pathspec import GitIgnoreSpec

    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return GitIgnoreSpec.from_lines(file.read().splitlines())
    except (OSError, ValueError):
        return None
