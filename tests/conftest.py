"""Every test has a cache of its own: none sees the results of another, none writes beside the
sources."""

from __future__ import annotations

import itertools
import os
import tempfile

import pytest

from kernlint.base import garbage

# as the command does: what tests keep is not looked through for every 700 objects made
garbage.begin()

_shared = tempfile.TemporaryDirectory(
    prefix="kernlint-tests-"
)  # for what runs before and between tests; gone when they end
os.environ["KERNLINT_CACHE_DIR"] = _shared.name


_numbers = itertools.count()


@pytest.fixture(autouse=True)
def own_cache() -> None:
    os.environ["KERNLINT_CACHE_DIR"] = f"{_shared.name}/{next(_numbers)}"
