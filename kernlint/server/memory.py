"""Facts of kernels from before an edit elsewhere in the file, so that only what was edited is executed again.

What a kernel's facts depend on is the file without the bodies of its other kernels (but with the directives in them), the headers, the
settings and the launch. Where all of that is equal, the facts are those of before with their places moved. Goes in: a kernel, its launch,
the work. Comes out: facts.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from kernlint import facts, launching
from kernlint.source.span import Span

KEPT = 256  # results
_LINE = re.compile(r"\blines? (\d+)")


class Memory:
    """Results of one file under settings that do not change; made anew where they or a header do."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[tuple[int, ...], facts.Kernel]] = OrderedDict()

    def recall(self, text: str, path: str) -> Callable[..., facts.Kernel]:
        """What `engine.analyse_source` asks, for the file's present text."""
        lines = text.split("\n")

        def ask(kernel: launching.Known, launch: facts.Launch, others: tuple[Span, ...], work: Callable[[], facts.Kernel]) -> facts.Kernel:
            kept = _kept(kernel.span, others, lines, path)
            if kept is None:
                return work()
            key = _key(kernel, launch, [lines[number - 1] for number in kept])
            if key in self._known:
                before, known = self._known[key]
                moved = _moved(replace(known, launch=facts.Launch(None, launch.block, None)), dict(zip(before, kept, strict=True)), path)
                if moved is not None:
                    self._known.move_to_end(key)
                    return replace(moved, launch=launch)
            result = work()
            self._known[key] = (tuple(kept), result)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
            return result

        return ask


def _kept(own: Span, others: tuple[Span, ...], lines: Sequence[str], path: str) -> list[int] | None:
    """The lines that matter: all but the insides of other kernels, where directives still count. A kernel's first and last lines may hold
    something else beside it. None where another kernel shares a line with this one."""
    elsewhere = [span for span in others if span.path == path]
    if own.path != path or any(span.line <= own.end_line and own.line <= span.end_line for span in elsewhere):
        return None
    inside = {line for span in elsewhere for line in range(span.line + 1, span.end_line)}
    return [n for n, line in enumerate(lines, 1) if n not in inside or line.lstrip().startswith("#")]


def _key(kernel: launching.Known, launch: facts.Launch, lines: list[str]) -> str:
    said = (kernel.qualified_name, launch.grid, launch.block, launch.dynamic_shared_bytes, launch.arguments, launch.assumptions)
    return hashlib.sha256("\n".join([repr(said), repr(launch.template_arguments), *lines]).encode("utf-8", "surrogatepass")).hexdigest()


def _moved(known: facts.Kernel, to: Mapping[int, int], path: str) -> facts.Kernel | None:
    """The facts with every place in the file moved; None where a place, or a text that names a line, cannot be moved."""
    try:
        moved = _move(known, to, path)
    except KeyError:
        return None
    assert isinstance(moved, facts.Kernel)
    return moved


def _move(value: Any, to: Mapping[int, int], path: str) -> Any:
    if isinstance(value, Span):
        return replace(value, line=to[value.line], end_line=to[value.end_line]) if value.path == path else value
    if isinstance(value, tuple):
        return tuple([_move(item, to, path) for item in value]) if value and not isinstance(value[0], int | None) else value
    if isinstance(value, str):
        for match in _LINE.finditer(value):
            if to[int(match[1])] != int(match[1]):
                raise KeyError(match[1])
        return value
    if is_dataclass(value) and not isinstance(value, type):
        parts = {f.name: _move(getattr(value, f.name), to, path) for f in fields(value)}
        if "charged_line" in parts:
            parts["charged_line"] = to[parts["charged_line"]]
        return replace(value, **parts)
    return value
