"""What the kernels of headers come to, carried over to the next file that begins with the same headers and adds instantiations only.

Goes in: the tokens and declarations of a file, a kernel with its launches, the work. Comes out: the outcome, of this file or of one before.

The kernels of such a file stand in declarations that both files share (`source/carried.py`): equal tokens, read once. Its own text is
`template void f<1>(…);` and the like, which declares nothing that a body of a header could name. What else the analysis of a kernel reads
is compared: its launches with their arguments and places, what directives say, its explicit instantiations, the settings, the macros that
are integers. An analysis that the clock stopped is not begun again with hardly more time: it is told of again as stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from kernlint import deadline
from kernlint.recalling import Asked, Nothing, Outcome, spent, takes_lambda
from kernlint.records import dataclass
from kernlint.settings import Settings
from kernlint.source import carried
from kernlint.source.preprocess import Preprocessed
from kernlint.source.tokens import Token

KEPT = 256  # outcomes for one opening
AGAIN = 1.5  # an analysis that was stopped is tried again where it has so many times the seconds


@dataclass(frozen=True, slots=True)
class _Kept:
    """An outcome, and the seconds that its analysis had."""

    outcome: Outcome
    seconds: float


class Carried(Nothing):
    """One file. `known`: what is kept with its opening; `said`: all that counts for each of its kernels."""

    def __init__(self, path: str, known: dict[str, _Kept], said: str) -> None:
        self._path, self._known, self._said = path, known, said

    def kernel(self, asked: Asked, work: Callable[[], Outcome]) -> Outcome:
        if asked.kernel.span.path == self._path or takes_lambda(asked.launches):
            return work()
        key = f"{asked.kernel!r} {tuple(asked.launches)!r} {tuple(asked.said)!r} {self._said}"
        before, seconds = self._known.get(key), deadline.left()
        if before is not None and not spent(before.outcome):
            return before.outcome
        if before is not None and seconds < AGAIN * before.seconds:
            deadline.stopped()
            return before.outcome
        made = work()
        if len(self._known) < KEPT or key in self._known:
            results = tuple(replace(result, measured=None) for result in made.results)  # which holds on to the whole program
            self._known[key] = _Kept(replace(made, results=results), seconds)
        return made


def recall(path: str, prepared: Preprocessed, language: str, settings: Settings, constants: Mapping[str, int]) -> Nothing:
    """What of one file may be carried over; nothing where it says more than which templates are instantiated."""
    read = carried.latest(prepared.opening, language)
    if read is None or not _instantiates(prepared.tokens[read.tokens :]):
        return Nothing()
    return Carried(path, read.outcomes, f"{replace(settings, timeout=0.0)!r} {sorted(constants.items())!r}")


def _instantiates(tokens: Sequence[Token]) -> bool:
    """Whether tokens are nothing but explicit instantiations, at least one."""
    texts = [token.text for token in tokens]
    at, found = 0, False
    while at < len(texts):
        if texts[at] == ";":
            at += 1
            continue
        at += texts[at] == "extern"
        if texts[at : at + 1] != ["template"] or texts[at + 1 : at + 2] == ["<"] or ";" not in texts[at:]:
            return False
        at, found = texts.index(";", at), True
    return found
