"""Numbers as profilers print them: thousand separators, decimal commas, scaled units. Goes in: a
cell. Comes out: an integer or None."""

from __future__ import annotations

import re

SPACES = str.maketrans("", "", " \u00a0\u202f'’_")
WHOLE = re.compile(r"[-+]?\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*|[-+]?\d+")
DECIMAL = re.compile(r"([-+]?[\d.,]*?)(?:[.,](\d+))?(?:[eE]([-+]?\d+))?")
SCALED = re.compile(r"([KMGT])(?:byte|inst|sector|request|warp|thread|branch)\w*(?:/\w+)?")
SCALES = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def integer(cell: str, unit: str = "") -> int | None:
    """The count in a cell; None for `-`, `n/a` and empty cells. `unit` may scale it: Kinst, Mbyte.

    Nsight Compute groups whole numbers as the locale does (61,440 or 61.440 or 61 440) and prints
    others with two or six decimals, never with three, so that `61.440` is no fraction (seen in
    exports of version 2025.3 under en_US and de_DE, which mixes 61.440 and 8192.000000).
    """
    # --print-metric-instances appends the instances in brackets
    text = cell.partition("(")[0].translate(SPACES)
    scaled = SCALED.fullmatch(unit)
    scale = SCALES[scaled[1]] if scaled else 1
    if WHOLE.fullmatch(text) and not re.match(r"[-+]?0[.,]", text):
        return int(re.sub(r"[.,]", "", text)) * scale
    found = DECIMAL.fullmatch(text)
    if found is None or not re.search(r"\d", found[1]):
        return None
    whole = re.sub(r"[.,]", "", found[1])
    return round(float(f"{whole}.{found[2] or 0}e{found[3] or 0}") * scale)
