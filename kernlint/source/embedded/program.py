"""What is known of a kernel's text in a string of a host file: the program, its launches, the
places it has in the file.

Plain data, filled in by `python_host`, `c_host` and `template_host`, collected by `programs`.
"""

from __future__ import annotations

import re

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Problem, Span
from kernlint.source.embedded.mapped_text import Mapped
from kernlint.source.tokens import SplicedText

# also in text with its escapes
KERNEL = re.compile(r"(?:__global__|__kernel)\b|(?:\b|\\n)kernel\s+(?:void|__attribute__)\b")
_BODY = re.compile(r"\)\s*\{")
_NAME = re.compile(r"\{(\w+)\}|%\((\w+)\)|\$\{?(\w+)|\A([A-Za-z_]\w*)\Z")
# starts the identifiers that stand for text which the file does not tell
PLACEHOLDER = "kernlint_placeholder_"

Dim3 = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Called:
    """A launch in the host's own language: `grid` None where it is not known; integers among the
    arguments by position."""

    kernel: str
    grid: Dim3 | None
    block: Dim3
    dynamic_shared_bytes: int | None
    arguments: dict[int, int]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EmbeddedProgram:
    """One text that is compiled at run time. `placeholders`: stand-ins in it, and what the file has
    in their place. `language` "": that of the file. `assumptions`: what the text rests on, in
    words."""

    text: Mapped
    language: str
    defines: dict[str, str] = field(default_factory=dict)
    placeholders: dict[str, str] = field(default_factory=dict)
    calls: tuple[Called, ...] = ()
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Template:
    """What makes a text no code before a template engine rendered it: the engine, and what stands
    there from `start` to `end`."""

    kind: str
    shown: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Host:
    """`is_code`: the file's own text is device code too, outside of its strings. `is_template`: the
    file is the text of its program, or of a template. `templates`: texts that are to be rendered
    first, which are no programs."""

    path: str
    text: str
    programs: tuple[EmbeddedProgram, ...]
    problems: tuple[Problem, ...] = ()
    is_code: bool = False
    is_template: bool = False
    templates: tuple[Template, ...] = ()

    def span(self, start: int, end: int) -> Span:
        return SplicedText(self.path, self.text, []).span(start, end)


def has_kernel(text: str) -> bool:
    """Whether a program's text defines a kernel."""
    found = KERNEL.search(text)
    return found is not None and _BODY.search(text, found.end()) is not None


def name_of(shown: str) -> str:
    """The name in a placeholder, `{n}`, `%(n)s`, `${n}` or just `n`; "" for other expressions."""
    found = _NAME.search(shown)
    return found[found.lastindex or 0] if found else ""
