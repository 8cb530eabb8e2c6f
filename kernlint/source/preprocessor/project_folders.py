"""Where a project is likely to keep its headers, for files whose build is not known.

In: the folder of a file. Out: folders. Only the names of files are looked at, up to the project's
root: what lies above belongs to others.
"""

from __future__ import annotations

import os
from functools import lru_cache

HIGHEST = 8  # folders above a file
# by one of these the root of a repository is known, and by the others a folder that a build begins in
ROOTS = (".git", ".hg", ".svn")
BUILDS = ("CMakeLists.txt", "Makefile", "configure.ac", "meson.build", "setup.py", "pyproject.toml")
BELOW = ("include", "inc", "src", "")


@lru_cache(maxsize=256)
def project_folders(folder: str) -> tuple[str, ...]:
    """Folders in which a header may lie, the nearest first; of a file that is in no project none."""
    above = [os.path.abspath(folder)]
    while len(above) <= HIGHEST and not _has(above[-1], ROOTS):
        above.append(os.path.dirname(above[-1]))
    builds = [number for number, one in enumerate(above) if _has(one, ROOTS + BUILDS)]
    inside = above[: builds[-1] + 1] if builds else []
    return tuple(os.path.join(one, below) for one in inside for below in BELOW)


def _has(folder: str, names: tuple[str, ...]) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for name in names)
