"""What the kernels of headers come to, carried over from file to file.

Goes in: the tokens and declarations of a file, a kernel with its launches, the work. Comes out: the
outcome, of this file or of one before.

A kernel of a header that is lowered to what it was lowered to before (`forms.py`) is not executed
again under the same launch.

Where a file begins with the same headers as the one before and adds instantiations only, its
kernels are not lowered again either. They stand in declarations that both files share
(`source/carried.py`): equal tokens, read once. Its own text is `template void f<1>(…);` and the
like, which declares nothing that a body of a header could name. What else the analysis of a kernel
reads is compared: its launches with their arguments and places, what directives say, its explicit
instantiations, the settings, the macros that are integers. An analysis that was stopped for its
length is not begun again with hardly more time: it is told of again as stopped.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kernlint.base import deadline
from kernlint.base.dataclass import dataclass
from kernlint.memo.ir_digest import form
from kernlint.memo.protocol import Asked, Nothing, Outcome, spent, takes_lambda
from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.source.parser import parsed_prefix
from kernlint.source.preprocessor.preprocess import Preprocessed
from kernlint.source.tokens import Token

if TYPE_CHECKING:
    from kernlint.execution.measured import LaunchResult
    from kernlint.ir import nodes as ir

KEPT = 256  # outcomes for one opening
MOST_EXECUTED = 128
# files that others include, analysed by themselves
HEADERS = (
    ".cuh",
    ".h",
    ".hpp",
    ".clh",
    ".inl",
    ".inc",
)
AGAIN = 1.5  # an analysis that was stopped is tried again where it has so many times the steps


# by all that execution reads; the steps of work that it had where it was stopped
_executed: OrderedDict[str, LaunchResult | float] = OrderedDict()


@dataclass(frozen=True, slots=True)
class _Kept:
    """An outcome, and the steps of work that its analysis had."""

    outcome: Outcome
    steps: float


class OfHeaders(Nothing):
    """One file. What a kernel of a header comes to once it is lowered is kept for whatever file
    lowers it to the same."""

    def __init__(self, path: str, settings: Settings) -> None:
        self._path, self._settings = path, settings

    def order(self, asked: Sequence[Asked]) -> Iterable[int]:
        """The file's own kernels first, so that those of headers do not take their time."""
        return sorted(range(len(asked)), key=lambda i: asked[i].kernel.span.path != self._path)

    def executed(
        self, instance: ir.Kernel, launch: facts.Launch, work: Callable[[], LaunchResult]
    ) -> LaunchResult:
        own = instance.span.path == self._path and os.path.splitext(self._path)[1] not in HEADERS
        found = None if own or self._settings.estimate else form(instance, "")
        if found is None:
            return work()
        origin = launch.origin if launch.origin == "assumed" else ""
        alike = replace(launch, span=None, allocations=(), origin=origin, block_origin="")
        how = self._settings
        key = f"{found} {alike!r} {how.device} {how.budget} {how.compile_stage}"
        before, steps = _executed.get(key), deadline.left()
        if before is not None and not isinstance(before, float):
            _executed.move_to_end(key)
            return replace(before, kernel=replace(before.kernel, launch=launch))
        if before is not None and steps < AGAIN * before:
            deadline.stopped()
            raise deadline.OutOfTime
        try:
            made = work()
        except deadline.OutOfTime:
            _keep(key, steps)
            raise
        _keep(key, made)
        return made


class Carried(OfHeaders):
    """One file. `known`: what is kept with its opening; `said`: all that counts for each of its
    kernels."""

    def __init__(self, path: str, known: dict[str, _Kept], said: str, settings: Settings) -> None:
        super().__init__(path, settings)
        self._known, self._said = known, said

    def begins(self, asked: Asked) -> bool:
        return self._is_own(asked) or self._key(asked) not in self._known

    def _is_own(self, asked: Asked) -> bool:
        return asked.kernel.span.path == self._path or takes_lambda(asked.launches)

    def _key(self, asked: Asked) -> str:
        return f"{asked.kernel!r} {tuple(asked.launches)!r} {tuple(asked.said)!r} {self._said}"

    def kernel(self, asked: Asked, work: Callable[[], Outcome]) -> Outcome:
        if self._is_own(asked):
            return work()
        key = self._key(asked)
        before, steps = self._known.get(key), deadline.left()
        if before is not None and not spent(before.outcome):
            return before.outcome
        if before is not None and steps < AGAIN * before.steps:
            deadline.stopped()
            return before.outcome
        made = work()
        if len(self._known) < KEPT or key in self._known:
            # which holds on to the whole program
            results = tuple(replace(result, measured=None) for result in made.results)
            self._known[key] = _Kept(replace(made, results=results), steps)
        return made


def recall(
    path: str,
    prepared: Preprocessed,
    language: str,
    settings: Settings,
    constants: Mapping[str, int],
) -> Nothing:
    """What of one file may be carried over; nothing where it says more than which templates are
    instantiated."""
    read = parsed_prefix.latest(prepared.opening, language)
    if read is None or not _instantiates(prepared.tokens[read.tokens :]):
        return OfHeaders(path, settings)
    return Carried(
        path,
        read.outcomes,
        f"{replace(settings, timeout=0.0)!r} {sorted(constants.items())!r}",
        settings,
    )


def _keep(key: str, made: LaunchResult | float) -> None:
    _executed[key] = made
    while len(_executed) > MOST_EXECUTED:
        _executed.popitem(last=False)


def forget() -> None:
    """Drops the facts of all kernels."""
    _executed.clear()


def _instantiates(tokens: Sequence[Token]) -> bool:
    """Whether tokens are nothing but explicit instantiations, at least one."""
    texts = [token.text for token in tokens]
    at, found = 0, False
    while at < len(texts):
        if texts[at] == ";":
            at += 1
            continue
        at += texts[at] == "extern"
        if (
            texts[at : at + 1] != ["template"]
            or texts[at + 1 : at + 2] == ["<"]
            or ";" not in texts[at:]
        ):
            return False
        at, found = texts.index(";", at), True
    return found
