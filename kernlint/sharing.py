"""Kernels of headers, analysed once for all files of a run that see them alike and know no launch of them.

What such a kernel's facts depend on: the settings, and the declarations that its tokens name, at first or at second hand, with their
places. Where two files agree on all of that, the second takes the outcome of the first.

Goes in: a file's tokens and declarations, the work. Comes out: outcomes. Lives as long as its process; keeps the latest outcomes only.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache

from kernlint.deadline import SPENT
from kernlint.recalling import Asked, Nothing, Outcome
from kernlint.records import dataclass
from kernlint.source.islands import islands
from kernlint.source.names import KEYWORDS
from kernlint.source.parser import Unit
from kernlint.source.preprocess import Preprocessed
from kernlint.source.stream import Stream

KEPT = 64  # outcomes: each may hold on to its program
SOURCES = (".cu", ".cl", ".hip", ".cpp", ".cc", ".c", ".py")  # what no other file includes
UNNAMED = frozenset(("begin", "end", "get"))  # functions that a loop over a range and the like call without a word
CLASSES = frozenset(("struct", "class", "union", "enum"))
ATTRIBUTES = frozenset(("__launch_bounds__", "__attribute__", "__align__", "alignas", "__declspec", "decltype", "__maxnreg__", "noexcept"))
FOLLOWS = frozenset((";", "{", "(", "const", "noexcept", "override", "final"))  # a function's parameters
_WORD = re.compile(r"\w+")


class Shared:
    """Outcomes by key, the latest last."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Outcome] = OrderedDict()

    def at(self, path: str, text: str, prepared: Preprocessed, unit: Unit, constants: Mapping[str, int]) -> _OfFile:
        return _OfFile(self, path, unit, constants)

    def recalled(self, key: str, work: Callable[[], Outcome]) -> Outcome:
        found = self._known.get(key)
        if found is not None:
            self._known.move_to_end(key)
            return found
        made = work()
        if not any(SPENT in problem.message for problem in made.problems):
            self._known[key] = replace(made, results=tuple(replace(result, measured=None) for result in made.results))
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        return made


@cache
def of_settings(settings: str) -> Shared:
    """What this process shares under settings that print alike."""
    return Shared()


class _OfFile(Nothing):
    """One file's kernels: those of headers, which other files may see too, are looked up."""

    def __init__(self, shared: Shared, path: str, unit: Unit, constants: Mapping[str, int]) -> None:
        self._shared, self._path, self._unit, self._constants = shared, path, unit, constants
        self._declared: _Declarations | None = None

    def kernel(self, asked: Asked, work: Callable[[], Outcome]) -> Outcome:
        key = self._key(asked)
        return work() if key is None else self._shared.recalled(key, work)

    def _key(self, asked: Asked) -> str | None:
        kernel, stream = asked.kernel, self._unit.stream
        if stream is None or asked.said or any(launch.span is not None for launch in asked.launches):
            return None
        if os.path.splitext(kernel.span.path)[1] in SOURCES:
            return None
        if self._declared is None:
            self._declared = _Declarations(stream)
        own = self._declared.at(kernel.span.path, kernel.span.line, kernel.name)
        if own is None:
            return None
        needed = self._declared.needed(own)
        words = {word for one in needed for word in one.words}
        constants = sorted((name, value) for name, value in self._constants.items() if name in words)
        said = (kernel.qualified_name, kernel.required_block, kernel.launch_bounds, kernel.instantiations)
        told = [repr(said), repr(asked.launches), repr(constants), self._unit.language]
        return _digest(*told, *(one.digest(stream) for one in needed))


# ------------------------------------------------------------------ declarations by name


@dataclass(frozen=True, slots=True, eq=False)
class _Stretch:
    """A declaration: its tokens [start, end), the namespaces around it, the names that it gives a meaning, all words that it mentions.
    `unnamed`: it has a meaning without being named; `opens`: the namespace whose names it lets stand alone."""

    start: int
    end: int
    within: str
    declared: frozenset[str]
    words: frozenset[str]
    unnamed: bool
    opens: str

    def digest(self, stream: Stream) -> str:
        first, last = stream.tokens[self.start].use, stream.tokens[self.end - 1].use
        place = f"{first.path}:{first.line}:{first.column} {last.path}:{last.end_line}:{last.end_column}"
        return _digest("" if self.opens else place, self.within, str(stream.packing(self.start)), *stream.texts[self.start : self.end])


class _Declarations:
    """The declarations of a file with its headers, in the order of the text."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._all = list(_stretches(stream, 0, stream.size, ""))
        self._by_name: defaultdict[str, list[_Stretch]] = defaultdict(list)
        for one in self._all:
            for name in one.declared:
                self._by_name[name].append(one)

    def at(self, path: str, line: int, name: str) -> _Stretch | None:
        """The declaration of a name that has a line in it; None where none or several have."""

        def holds(one: _Stretch) -> bool:
            first, last = self._stream.tokens[one.start].use, self._stream.tokens[one.end - 1].use
            return first.path == last.path == path and first.line <= line <= last.end_line

        found = [one for one in self._by_name.get(name, ()) if holds(one)]
        return found[0] if len(found) == 1 else None

    def needed(self, own: _Stretch) -> list[_Stretch]:
        """A declaration and all that it needs, at first or at second hand."""
        found = {id(one): one for one in self._all if one.unnamed and not one.opens}
        found[id(own)] = own
        waiting, seen = set(UNNAMED).union(*(one.words for one in found.values())), set[str]()
        while waiting:
            seen |= waiting
            more = {id(one): one for name in waiting for one in self._by_name.get(name, ()) if id(one) not in found}
            found |= more
            waiting = set[str]().union(*(one.words for one in more.values())) - seen
        namespaces = {word for one in found.values() for word in _WORD.findall(one.within)}
        # what opens a namespace says nothing of what stands before it
        last = max(one.start for one in found.values() if one is own or not one.unnamed)
        found |= {id(one): one for one in self._all if one.opens in namespaces and one.start < last}
        return sorted(found.values(), key=lambda one: one.start)


def _stretches(stream: Stream, start: int, end: int, within: str) -> Iterator[_Stretch]:
    for island in islands(stream, start, end):
        if island.kind in ("namespace", "extern"):
            yield from _stretches(stream, island.start, island.end, f"{within}{island.kind} {island.name} {island.is_inline}::")
        else:
            yield _stretch(stream, island.start, island.end, within)


def _stretch(stream: Stream, start: int, end: int, within: str) -> _Stretch:
    texts, kinds = stream.texts, stream.kinds
    words = {texts[i] for i in range(start, end) if kinds[i] == "identifier"} - KEYWORDS
    words |= {word for i in range(start, end) if kinds[i] == "pragma" for word in _WORD.findall(texts[i])}
    outer, i = [], start
    while i < end:
        outer.append(i)
        i = max(i, stream.match[i] if texts[i] in "([{" else i) + 1
    outer = outer[_head(texts, outer) :]
    unnamed = any(texts[i] == "operator" or kinds[i] == "pragma" for i in outer)
    opens = texts[end - 2] if texts[start : start + 2] == ["using", "namespace"] else ""
    return _Stretch(start, end, within, _declared(stream, outer) - KEYWORDS, frozenset(words), unnamed, opens)


def _head(texts: list[str], outer: list[int]) -> int:
    """How many of the tokens are `template <…>`, once or several times."""
    n = 0
    while n + 1 < len(outer) and texts[outer[n]] == "template" and texts[outer[n + 1]] == "<":
        depth, n = 1, n + 2
        while n < len(outer) and depth:
            depth += {"<": 1, ">": -1}.get(texts[outer[n]], 0)
            n += 1
    return n if n < len(outer) else 0


def _declared(stream: Stream, outer: list[int]) -> frozenset[str]:
    """The names that tokens outside of brackets give a meaning: that of a function, or all of them, with what braces of an enumeration
    or of a class without a name hold."""
    texts, kinds = stream.texts, stream.kinds
    called = _function(stream, outer)
    if called:
        return called
    names = {texts[i] for i in outer if kinds[i] == "identifier"}
    for n, i in enumerate(outer):
        nameless = n and texts[i] == "{" and (texts[outer[n - 1]] in CLASSES or any(texts[j] == "enum" for j in outer[:n]))
        if nameless:
            names |= {texts[j] for j in range(i, stream.match[i]) if kinds[j] == "identifier"}
    return frozenset(names)


def _function(stream: Stream, outer: list[int]) -> frozenset[str]:
    """The parts of a function's qualified name; none where it is no function, or no plain one."""
    texts, kinds = stream.texts, stream.kinds
    for n, i in enumerate(outer):
        if texts[i] in ("=", "{") or texts[i] in CLASSES or texts[i] in ("typedef", "using"):
            return frozenset()
        if texts[i] != "(" or (n and texts[outer[n - 1]] in ATTRIBUTES):
            continue
        if not n or kinds[outer[n - 1]] != "identifier" or not FOLLOWS.issuperset(texts[j] for j in outer[n + 1 :]):
            return frozenset()
        found, at = {texts[outer[n - 1]]}, n - 1
        while at >= 2 and texts[outer[at - 1]] == "::":
            at -= 2
            found |= {texts[outer[at]]} if kinds[outer[at]] == "identifier" else {texts[j] for j in outer[:n] if kinds[j] == "identifier"}
        return frozenset(found)
    return frozenset()


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
