"""Directives of kernels that could not be read.

In: a file's directives, the file as read. Out: the directives without those of kernels that were
lost with the text around them: they are for no other kernel, and are not wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.base.dataclass import dataclass, replace
from kernlint.base.span import Span
from kernlint.model.settings import LaunchDirective
from kernlint.source.directives import Assumption, Directives
from kernlint.source.parser.islands import ENTRY_WORDS
from kernlint.source.parser.parser import Unit


@dataclass(frozen=True, slots=True)
class _Lost:
    """Text that holds a kernel and could not be read."""

    first: Span
    last: Span
    words: frozenset[str]

    def holds(self, directive: LaunchDirective | Assumption, kernels: Iterable[Span]) -> bool:
        """Whether the directive is for a kernel in it: by name, or as the next one below."""
        name = directive.kernel if isinstance(directive, LaunchDirective) else ""
        if name:
            return name in self.words
        at = directive.span
        if at.path != self.first.path or at.line > self.last.line:
            return False
        place = max(at.line, self.first.line)
        return not any(k.path == at.path and at.line <= k.line <= place for k in kernels)


def without_lost(stated: Directives, unit: Unit, kernels: Iterable[Span]) -> Directives:
    """`kernels`: those that were read."""
    lost, known = list(_lost(unit)), list(kernels)
    if not lost:
        return stated

    def is_kept(one: LaunchDirective | Assumption) -> bool:
        return not any(text.holds(one, known) for text in lost)

    return replace(
        stated,
        launches=tuple(filter(is_kept, stated.launches)),
        assumptions=tuple(filter(is_kept, stated.assumptions)),
    )


def _lost(unit: Unit) -> Iterator[_Lost]:
    stream = unit.stream
    for stretch in unit.stretches if stream is not None else ():
        assert stream is not None
        words = frozenset(stream.texts[stretch.start : stretch.end])
        if not stretch.is_read and not ENTRY_WORDS.isdisjoint(words):
            yield _Lost(stream.tokens[stretch.start].use, stream.tokens[stretch.end - 1].use, words)
