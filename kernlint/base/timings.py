"""Where the time goes (`--timings`): seconds of the processor by phase and by rule.

Goes in: phases as they run. Comes out: a table. Costs nothing while nobody asks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import process_time

_seconds: defaultdict[str, float] | None = None
_inner: list[float] = []  # time that phases inside the present one took, by depth


def start() -> defaultdict[str, float]:
    """Record from now on; the table returned fills as phases end."""
    global _seconds
    _seconds = defaultdict(float)
    return _seconds


@contextmanager
def phase(name: str) -> Iterator[None]:
    """Count the time inside, less that of phases within it, under a name."""
    if _seconds is None:
        yield
        return
    began = process_time()
    _inner.append(0.0)
    try:
        yield
    finally:
        spent = process_time() - began
        _seconds[name] += spent - _inner.pop()
        if _inner:
            _inner[-1] += spent


def table(seconds: Mapping[str, float]) -> str:
    """The phases, the longest first, with their shares."""
    total = sum(seconds.values()) or 1.0
    rows = sorted(seconds.items(), key=lambda item: -item[1])
    return "".join(f"{spent:>8.3f} s  {spent / total:>4.0%}  {name}\n" for name, spent in rows)
