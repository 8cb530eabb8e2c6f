"""Every test has a cache of its own: none sees the results of another, none writes beside the
sources."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from kernlint.base import garbage

# as the command does: what tests keep is not looked through for every 700 objects made
garbage.begin()

_shared = tempfile.TemporaryDirectory(
    prefix="kernlint-tests-"
)  # for what runs before and between tests; gone when they end
os.environ["KERNLINT_CACHE_DIR"] = _shared.name


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNLINT_CACHE_DIR", str(tmp_path / "kernlint-cache"))
