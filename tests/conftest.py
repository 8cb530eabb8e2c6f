"""Every test has a cache of its own: none sees the results of another, none writes beside the
sources."""

from __future__ import annotations

import itertools
import os
import tempfile

import pytest
from hypothesis import HealthCheck, settings

from kernlint.base import garbage

# as the command does: what tests keep is not looked through for every 700 objects made
garbage.begin()

_shared = tempfile.TemporaryDirectory(
    prefix="kernlint-tests-"
)  # for what runs before and between tests; gone when they end
os.environ["KERNLINT_CACHE_DIR"] = _shared.name

# Speed is measured in benchmarks/, never asserted: a busy machine fails no test.
settings.register_profile("kernlint", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kernlint")


_numbers = itertools.count()


@pytest.fixture(autouse=True)
def own_cache() -> None:
    os.environ["KERNLINT_CACHE_DIR"] = f"{_shared.name}/{next(_numbers)}"
