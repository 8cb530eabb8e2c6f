"""Where the programs of a CUDA toolkit are.

In: a program's name and the environment. Out: its path. Never: a program being run.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path


def program(name: str) -> str | None:
    """The path of a program: on PATH, in CUDA_HOME or CUDA_PATH, in /usr/local/cuda, in NVIDIA's
    packages; None where it is in none of them."""
    folders = (shutil.which(name, path=folder) for folder in _folders())
    return shutil.which(name) or next(filter(None, folders), None)


def _folders() -> Iterator[str]:
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            yield os.path.join(os.environ[variable], "bin")
    yield "/usr/local/cuda/bin"
    yield from _packages()


def _packages() -> Iterator[str]:
    """The folders of NVIDIA's packages that hold programs (`nvidia/cu13/bin`)."""
    found = importlib.util.find_spec("nvidia")
    for folder in (found and found.submodule_search_locations) or ():
        yield from (str(path) for path in sorted(Path(folder).glob("*/bin")))
