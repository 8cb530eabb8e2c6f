"""Which lanes of the warps of a block go which way at a branch, in words and as a drawing for a
terminal.

Goes in: a branch, a style. Comes out: lines of text; the page takes its words from here. Shows the
patterns that the execution left, and says how many evaluations they leave out; never completes one.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import pairwise

from kernlint.checks import words
from kernlint.model import facts
from kernlint.model.reasons import REASONS
from kernlint.render.style import Style

GROUP = 8  # lanes that stand together
BLOCKS, ASCII = {"1": "█", "0": "·", facts.AWAY: " "}, {"1": "#", "0": ".", facts.AWAY: " "}
WAYS = {"1": "the condition holds", "0": "it does not", facts.AWAY: "the lane does not evaluate it"}


def render(branch: facts.Branch, style: Style, drawn: bool) -> Iterator[str]:
    """A row per pattern; letters, or blocks where `drawn` (not of a switch, whose ways are more
    than two)."""
    if not branch.patterns:
        yield from (f"  {text}" for text in [rest(branch)] if text)
        return
    marks = (BLOCKS if style.unicode else ASCII) if drawn and not branch.cases else {}
    wide = max(len("warps"), *(len(numbers(one.warps)) for one in branch.patterns))
    often = max(len("evaluations"), *(len(words.count(one.evaluations)) for one in branch.patterns))
    room = (style.width - wide - often - len("    lane  ") + 1) // (GROUP + 1) * GROUP
    lanes = len(branch.patterns[0].lanes)
    starts = range(0, lanes, max(GROUP, room))
    yield ""
    yield f"  path of each lane, over {over(branch)}:"
    heads = " ".join(
        f"{lane:<{GROUP}}" for lane in range(0, lanes, GROUP)[: max(GROUP, room) // GROUP]
    ).rstrip()
    yield style.paint(f"  {'warps':>{wide}}  {'evaluations':>{often}}  lane {heads}", "dim")
    for one in branch.patterns:
        for start in starts:
            text = "".join(
                marks.get(letter, letter) for letter in one.lanes[start : start + starts.step]
            )
            groups = " ".join(text[at : at + GROUP] for at in range(0, len(text), GROUP))
            beside = f"{'' if start else numbers(one.warps):>{wide}}  {'' if start else words.count(one.evaluations):>{often}}"
            role = "warning" if one.parts else "help"
            yield f"  {beside}  {start or '':>4} {style.paint(groups, role) if drawn else groups}"
    said = ", ".join(
        f"{marks.get(letter, letter).strip() or 'blank'} {text}" for letter, text in legend(branch)
    )
    yield from textwrap.wrap(said, style.width, initial_indent="  ", subsequent_indent="  ")
    yield from (f"  {text}" for text in [rest(branch)] if text)


def over(branch: facts.Branch) -> str:
    return "the launch" if branch.per_block is None else "each block"


def legend(branch: facts.Branch) -> list[tuple[str, str]]:
    """The letters that its patterns hold, each with what it means."""
    met = {letter for one in branch.patterns for letter in one.lanes}
    if not branch.cases:
        return [(letter, text) for letter, text in WAYS.items() if letter in met]
    ways = [
        (letter, f"case {label}")
        for label, letter in zip(branch.cases, "123456789abcdefghijklmnopqrstuvwxyz", strict=False)
    ]
    return [
        one for one in (*ways, ("0", "no case"), (facts.AWAY, WAYS[facts.AWAY])) if one[0] in met
    ]


def rest(branch: facts.Branch) -> str:
    """What the patterns do not show; "" where they show all, and where no warp can split."""
    found = branch.counted
    if found is None or found.divergent is None:
        why = REASONS.get(branch.reason, branch.reason)
        because = f": {why}" + (f": {branch.detail}" if branch.detail else "") if why else ""
        return f"which path each lane takes is unknown{because}"
    left = found.evaluations - sum(one.evaluations for one in branch.patterns)
    parted = found.divergent - sum(one.evaluations for one in branch.patterns if one.parts)
    if not left or not (branch.patterns or parted):
        return ""
    others = f"{words.count(left)} {'further evaluation' if left == 1 else 'further evaluations'}"
    if not parted:
        return f"{others}, uniform across the warp"
    return f"{others} not listed: lanes disagree in {words.count(parted)}"


def numbers(some: tuple[int, ...]) -> str:
    """0-3, 5; 0, 4, … 28 by steps"""
    steps = {second - first for first, second in pairwise(some)}
    if len(some) > 3 and len(steps) == 1 and steps != {1}:
        return f"{some[0]}, {some[1]}, … {some[-1]}"
    runs: list[list[int]] = []
    for number in some:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
