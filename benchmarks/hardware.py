"""Time of the vectorised counters: `python benchmarks/hardware.py [ROWS]`. Milliseconds, best of
five."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from kernlint import hardware

Offsets = npt.NDArray[np.int64]


def patterns(rows: int) -> dict[str, Offsets]:
    """Requests of one warp each, [rows, 32], for 4-byte accesses."""
    lane, row = np.arange(32), np.arange(rows)[:, None]
    random = np.random.default_rng(1)
    return {
        "one pattern, shifted": 4 * (lane + 32 * row),
        "few patterns": 4 * (lane * (row % 33) + 7 * row),
        "all different": 4 * random.integers(0, 12288, (rows, 32)),
    }


def best(run: Callable[[], object]) -> float:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 32768
    masks = {
        "full": np.ones((rows, 32), np.bool_),
        "half": np.random.default_rng(2).random((rows, 32)) < 0.5,
    }
    print(f"{rows} requests, {32 * rows} lanes")
    for pattern, offsets in patterns(rows).items():
        for mask, active in masks.items():
            line = [f"{pattern:22}{mask:6}"]
            for width, op in ((4, "load"), (16, "load"), (4, "atomic")):
                at = offsets // 4 * width
                line.append(
                    f"wavefronts {op} {width}: {best(lambda: hardware.wavefront_rows(at, active, width, op)):6.1f}"
                )
            line.append(f"sectors: {best(lambda: hardware.sector_rows(offsets, active, 4)):6.1f}")
            line.append(
                f"atomic sectors: {best(lambda: hardware.sector_rows(offsets, active, 4, 'atomic')):6.1f}"
            )
            line.append(
                f"ideal sectors: {best(lambda: hardware.ideal_sector_rows(offsets, active, 4)):6.1f}"
            )
            print("  ".join(line))


if __name__ == "__main__":
    main()
