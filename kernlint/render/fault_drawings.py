"""Faults and races in a terminal: two threads in two columns with the barriers across, or the range of
an array with what an access reaches.

Goes in: what `fault_maps` says, a style. Comes out: lines of text, at most as wide as the style says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kernlint.base.dataclass import dataclass
from kernlint.checks import words
from kernlint.render.fault_maps import ReachedRange, Timeline, TimelineRow
from kernlint.render.style import Style, cut

PHASE = 11  # columns before the threads
INSIDE, OUTSIDE = 44, 8  # cells of an array, and of what lies before or behind it
BOX = {
    "line": "─",
    "lane": "│",
    "gap": "┄",
    "mark": "▶",
    "in": "█",
    "out": "▓",
    "first": "├",
    "last": "┤",
}
PLAIN = {
    "line": "-",
    "lane": "|",
    "gap": ".",
    "mark": ">",
    "in": "#",
    "out": "!",
    "first": "|",
    "last": "|",
}


@dataclass(frozen=True, slots=True)
class DrawnTimeline:
    """`say`: words in the language of the kernel."""

    style: Style
    say: Callable[[str], str] = str

    @property
    def signs(self) -> dict[str, str]:
        return BOX if self.style.unicode else PLAIN

    @property
    def lane(self) -> int:
        """Columns of a thread."""
        return (self.style.width - 2 - PHASE - 3) // 2

    def lines(self, drawn: Timeline) -> Iterator[str]:
        yield from (self._pair("", *map(self.say, pair)) for pair in zip(*drawn.heads, strict=True))
        for row in drawn.rows:
            yield from self._row(row)

    def _row(self, row: TimelineRow) -> Iterator[str]:
        if row.kind in ("barrier", "missing"):
            yield self._across(row)
            return
        label = "" if row.phase is None else f"phase {row.phase}"
        texts = [row.text]
        if row.kind == "access":
            texts = [f"{self.signs['mark']} line {row.line} {row.does}", f"  {row.text}"]
        for text in texts:
            yield self._pair(label, *(("", text) if row.side else (text, "")))
            label = ""

    def _across(self, row: TimelineRow) -> str:
        is_barrier = row.kind == "barrier"
        sign = self.signs["line" if is_barrier else "gap"]
        text = f"line {row.line}: {row.text}" if is_barrier else self.say(row.text)
        wide = 2 * self.lane + 3
        rule = f" {cut(text, wide - 4)} ".center(wide, sign)
        painted = self.style.paint(rule, "gutter" if is_barrier else "error")
        return f"  {'':<{PHASE}}{painted}"

    def _pair(self, label: str, left: str, right: str) -> str:
        lane, middle = self.lane, self.style.paint(self.signs["lane"], "dim")
        one, other = (self._marked(cut_lane(text, lane)) for text in (left, right))
        blanks = " " * (lane - len(cut_lane(left, lane)))
        return f"  {label:<{PHASE}}{one}{blanks} {middle} {other}"

    def _marked(self, text: str) -> str:
        return self.style.paint(text, "error") if text.startswith(self.signs["mark"]) else text


def cut_lane(text: str, width: int) -> str:
    blanks = text[: len(text) - len(text.lstrip())]
    return blanks + cut(text.lstrip(), width - len(blanks)) if text else ""


def ruler(found: ReachedRange, style: Style) -> Iterator[str]:
    """The array's range above what is reached; before and behind it not to scale."""
    signs = BOX if style.unicode else PLAIN
    left = OUTSIDE if found.low < 0 else 0
    right = OUTSIDE if found.high >= found.size else 0
    last = found.size - 1
    if found.size > 0:
        numbers = "0".ljust(INSIDE - len(words.count(last))) + words.count(last)
        yield f"  {'range':<{PHASE}}{' ' * left}{style.paint(numbers, 'dim')}"
        yield f"  {'':<{PHASE}}{' ' * left}{signs['first']}{signs['line'] * (INSIDE - 2)}{signs['last']}"
    low = max(found.low, 0) * INSIDE // max(found.size, 1)
    high = (min(found.high, last) + 1) * INSIDE // max(found.size, 1)
    has_inside = found.low <= last and found.high >= 0
    inside = " " * low + signs["in"] * max(high - low, 1) if has_inside else ""
    out = signs["out"]
    before, behind = style.paint(out * left, "error"), style.paint(out * right, "error")
    yield f"  {'reached':<{PHASE}}{before}{inside:<{INSIDE}}{behind}".rstrip()
    ends = words.count(found.low), words.count(found.high)
    wide = left + INSIDE + right
    first = 0 if left else min(low, wide - len(ends[0])) if has_inside else INSIDE
    room = wide - first - len(ends[0]) - len(ends[1])
    numbers = " " * first + (
        f"{ends[0]}{' ' * max(room, 1)}{ends[1]}" if ends[0] != ends[1] else ends[0]
    )
    yield f"  {'':<{PHASE}}{style.paint(numbers, 'dim')}"
