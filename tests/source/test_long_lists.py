"""The clock is looked at within a declaration, which may be an initialiser of 300,000 numbers."""

from __future__ import annotations

from itertools import count

import pytest

from kernlint.base import deadline
from kernlint.source.parser import grammar
from kernlint.source.parser.parser import parse
from kernlint.source.preprocessor.preprocess import Options, preprocess

NUMBERS = 9_000
TEXT = f"__device__ int table[] = {{{','.join(map(str, range(NUMBERS)))}}};\n"


@pytest.mark.uncompiled  # compiled callers do not look the function up
def test_the_clock_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = count()
    monkeypatch.setattr(deadline, "look", lambda: next(looks))
    tokens = preprocess("list.cu", TEXT, Options()).tokens
    before = next(looks)
    parse(tokens, "list.cu", "cuda")
    assert next(looks) - before > NUMBERS + 2 * NUMBERS // grammar.OFTEN
