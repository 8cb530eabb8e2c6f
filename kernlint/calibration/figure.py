"""The paper's figure 7: measured time against i·w·c, with the fitted line. Goes in: points and a
line. Comes out: SVG text.

Both axes are logarithmic, so that the corner where latency rules is visible beside the line that
rules the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from html import escape

import numpy as np

from kernlint.calibration.fit import FittedLine, Points

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 420, 64, 52, 36, 32
Axis = Callable[[float], float]
DOTS = 1500  # at most: beyond that more dots only hide each other


def figure(title: str, points: Points, line: FittedLine) -> str:
    """A self-contained picture that follows the reader's light or dark scheme by using the text's
    colour."""
    product = points.i * points.w * points.c
    decades = (
        math.ceil(math.log10(float(product.max()))),
        math.ceil(math.log10(float(points.measured.max()))),
    )
    low = math.floor(math.log10(float(points.measured.min())))

    def across(value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log10(value) / decades[0]

    def up(value: float) -> float:
        return (
            HEIGHT
            - BOTTOM
            - (HEIGHT - BOTTOM - TOP) * (math.log10(value) - low) / (decades[1] - low)
        )

    chosen = np.unique(np.stack([product, points.measured], axis=1), axis=0)
    chosen = chosen[np.linspace(0, len(chosen) - 1, min(DOTS, len(chosen))).astype(int)]
    dots = "".join(f"M{across(x):.1f} {up(y):.1f}h0" for x, y in chosen.tolist())
    curve = np.geomspace(1, float(product.max()), 100)
    path = " ".join(f"{across(x):.1f},{up(line.c1 * x + line.c2):.1f}" for x in curve.tolist())
    marks = [*_marks(range(decades[0] + 1), range(low, decades[1] + 1), across, up)]
    label = f"T = {line.c1:.4g}·i·w·c + {line.c2:.4g}, R² = {line.quality.r2:.5f}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" role="img">',
            f"<title>{escape(title)}: {escape(label)}</title>",
            "<style>svg{color:#222;background:#fff}@media(prefers-color-scheme:dark){svg{color:#ddd;background:#111}}</style>",
            *marks,
            f'<path d="{dots}" stroke="#2a78b5" stroke-width="2.4" stroke-linecap="round" fill="none" opacity="0.55"/>',
            f'<polyline points="{path}" stroke="#d1491b" stroke-width="1.6" fill="none"/>',
            f'<text x="{LEFT}" y="22" fill="currentColor" font-size="14">{escape(title)}</text>',
            f'<text x="{LEFT + 12}" y="{TOP + 16}" fill="#d1491b">{escape(label)}</text>',
            f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" fill="currentColor" text-anchor="middle">'
            "i·w·c: instructions × warps × congestion</text>",
            f'<text transform="translate(16 {(HEIGHT - BOTTOM + TOP) / 2}) rotate(-90)" fill="currentColor" text-anchor="middle">'
            "T, cycles</text>",
            "</svg>\n",
        ]
    )


def _marks(columns: Iterable[int], rows: Iterable[int], across: Axis, up: Axis) -> Iterator[str]:
    """Grid lines and their numbers."""
    style = 'stroke="currentColor" stroke-opacity="0.2"'
    for power in columns:
        x = across(10.0**power)
        yield f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}" {style}/>'
        yield f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" fill="currentColor" text-anchor="middle">{10**power:,}</text>'
    for power in rows:
        y = up(10.0**power)
        yield f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" {style}/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" fill="currentColor" text-anchor="end">{10**power:,}</text>'
