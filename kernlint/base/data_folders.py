"""Where the data folders lie: `rules` and `grammars`.

In a wheel they are packaged inside `kernlint/`; in a checkout and an editable install they stand
beside it. Goes in: a folder's name. Comes out: its path. Never reads a file itself.
"""

from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def data_folder(name: str) -> str:
    """The path of the data folder `name`; the packaged one first, the one beside the package
    second."""
    candidates = (os.path.join(_PACKAGE, name), os.path.join(os.path.dirname(_PACKAGE), name))
    for candidate in candidates:
        if os.path.isdir(candidate):
            return candidate
    raise FileNotFoundError(
        f"the installation lacks its data folder '{name}' (looked in {' and '.join(candidates)})"
    )
