"""PTX modules: a file of PTX text, split into variables, functions and the statements of their
bodies.

In: the text of a module as nvcc, clang, Triton or Numba write it (PTX ISA, chapters 4 "Syntax" and
11 "Directives"). Out: `PtxModule`. What stands between functions is read here; bodies are parsed by
the grammar of inline assembly (`ptx`), which knows every statement. Never says what an instruction
does. A function that cannot be read becomes a problem with its place; the others stay.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Problem, SourceError, Span
from kernlint.source.ptx import inline
from kernlint.source.ptx.nodes import TYPE_BITS, PtxStatement


@dataclass(frozen=True, slots=True)
class PtxVariable:
    """A variable of the module or a parameter. `bytes`: None when the extent is left open (`.extern
    .shared .b8 s[]`)."""

    name: str
    space: str
    type: str
    bytes: int | None
    align: int
    line: int
    external: bool = False
    values: tuple[int, ...] | None = None  # of an initialiser of integers alone
    pointer: bool = False  # `.ptr`


@dataclass(frozen=True, slots=True)
class PtxPlace:
    """What a `.loc` names. `file` is a key of `PtxModule.files`; `calls`: the places it was inlined
    at, outermost first."""

    file: int
    line: int
    column: int
    calls: tuple[PtxPlace, ...] = ()


@dataclass(frozen=True, slots=True)
class PtxFunction:
    """`.entry` or `.func` with its body. `offset`: of the body in the module's text; `places`:
    offset in the body → what `.loc` says from there on, in order; `entered`: offsets of the first
    instruction of inlined code; `not_unrolled`: of `.pragma "nounroll"`."""

    name: str
    entry: bool
    parameters: tuple[PtxVariable, ...]
    results: tuple[PtxVariable, ...]
    directives: Mapping[str, tuple[int, ...]]
    body: tuple[PtxStatement, ...]
    span: Span
    offset: int
    places: tuple[tuple[int, PtxPlace], ...]
    entered: frozenset[int] = frozenset()
    not_unrolled: tuple[int, ...] = ()

    def place(self, offset: int) -> PtxPlace | None:
        """The place in the source of the instruction at `offset` in the body."""
        at = bisect_right(self.places, offset, key=lambda p: p[0]) - 1
        return self.places[at][1] if at >= 0 else None


@dataclass(frozen=True, slots=True)
class PtxModule:
    path: str
    target: str
    variables: tuple[PtxVariable, ...]
    functions: tuple[PtxFunction, ...]
    files: Mapping[int, str]
    comments: tuple[tuple[Span, str], ...]
    problems: tuple[Problem, ...]


@dataclass(slots=True)
class _Text:
    """The module with comments blanked out, and where its lines begin."""

    path: str
    text: str
    starts: list[int] = field(default_factory=list)

    def span(self, start: int, end: int) -> Span:
        first, last = (
            bisect_right(self.starts, start),
            bisect_right(self.starts, max(start, end - 1)),
        )
        return Span(
            self.path,
            first,
            start - self.starts[first - 1] + 1,
            last,
            end - self.starts[last - 1] + 1,
        )


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"", re.S)
_LINKING = r"(?:\.(?:visible|extern|weak|common)\s+)*"
_HEAD = re.compile(
    rf"(?P<function>{_LINKING}\.(?:entry|func)\b)|(?P<variable>{_LINKING}\.(?:global|const|shared)\b)"
    r"|(?P<file>\.file\s+(?P<number>\d+)\s+\"(?P<name>[^\"\n]*)\"[^\n]*)|(?P<target>\.target\s+(?P<arch>[^\n]*))"
    r"|(?P<section>\.section\b)|(?P<line>\.(?:version|address_size|loc)\b[^\n]*)|(?P<statement>\.(?:alias|pragma)\b[^;]*;)"
)
_LOC = re.compile(
    r"\.loc\s+(\d+)\s+(\d+)(?:\s+(\d+))?[^\n]*?(?:inlined_at\s+(\d+)\s+(\d+)(?:\s+(\d+))?[^\n]*)?$",
    re.M,
)
_PRAGMA = re.compile(r"\.pragma\s+\"([^\"]*)\"\s*;")
_DIRECTIVE = re.compile(
    r"\.(reqntid|maxntid|minnctapersm|maxnctapersm|maxnreg|reqnctapercluster)\s+(\d+(?:\s*,\s*\d+)*)"
)
_NAME = r"[A-Za-z_$%][\w$]*"
_DECLARED = re.compile(
    rf"\.(?P<space>param|reg|global|const|shared)(?P<words>(?:\s*\.\w+(?:\s+(?=\d)\d+)?)*)\s+(?P<name>{_NAME})(?P<extent>(?:\s*\[[^\]]*\])*)"
)


def parse_module(text: str, path: str) -> PtxModule:
    """Reads a module; what cannot be read becomes problems (KL001), never an error."""
    comments: list[tuple[Span, str]] = []
    held = _Text(path, text, [0, *(m.end() for m in re.finditer("\n", text))])
    held.text = _COMMENT.sub(lambda m: _blank(m, held, comments), text)
    reader = _Reader(held)
    reader.read()
    return PtxModule(
        path,
        reader.target,
        tuple(reader.variables),
        tuple(reader.functions),
        reader.files,
        tuple(comments),
        tuple(reader.problems),
    )


def _blank(match: re.Match[str], held: _Text, comments: list[tuple[Span, str]]) -> str:
    found = match[0]
    if found.startswith('"'):
        return found
    comments.append((held.span(match.start(), match.end()), found))
    return re.sub(r"[^\n]", " ", found)


class _Reader:
    """Walks the module's top level."""

    def __init__(self, held: _Text) -> None:
        self.held, self.at = held, 0
        self.target = ""
        self.variables: list[PtxVariable] = []
        self.functions: list[PtxFunction] = []
        self.files: dict[int, str] = {}
        self.problems: list[Problem] = []

    def read(self) -> None:
        text = self.held.text
        while (start := _skip(text, self.at)) < len(text):
            match = _HEAD.match(text, start)
            if match is None:
                self._unread(start)
                continue
            self.at = match.end()
            if match["function"]:
                self._function(start)
            elif match["variable"]:
                self._variable(start)
            elif match["file"]:
                self.files[int(match["number"])] = match["name"]
            elif match["target"]:
                self.target = match["arch"].split(",")[0].strip()
            elif match["section"]:
                self.at = (
                    _closing(text, text.find("{", start)) if "{" in text[start:] else len(text)
                )

    def _unread(self, start: int) -> None:
        """Skips what is not known, up to the end of the statement or line."""
        text = self.held.text
        end = next((i for i in range(start, len(text)) if text[i] in ";\n"), len(text) - 1) + 1
        word = text[start:end].split()[0]
        if not word.startswith((".b", ".u", ".s", "}")) or not self.functions:
            self.problems.append(
                Problem(
                    "KL001",
                    self.held.span(start, end),
                    f"PTX: `{word}` is not expected outside a function",
                )
            )
        self.at = end

    def _variable(self, start: int) -> None:
        text = self.held.text
        end = text.find(";", start)
        end = len(text) if end < 0 else end
        self.at = end + 1
        statement = text[start:end]
        head, _, initial = statement.partition("=")
        line = self.held.span(start, end).line
        external = ".extern" in head.split("[")[0]
        values = _values(initial) if initial else None
        for found in _DECLARED.finditer(head):
            self.variables.append(_declared(found, line, external, values))

    def _function(self, start: int) -> None:
        text = self.held.text
        opening, semicolon = text.find("{", start), text.find(";", start)
        if opening < 0 or 0 <= semicolon < opening:
            self.at = len(text) if semicolon < 0 else semicolon + 1  # a declaration
            return
        end = _closing(text, opening)
        self.at = end
        span = self.held.span(start, end)
        head = text[start:opening]
        match = re.match(
            rf"{_LINKING}\.(entry|func)\s*(\([^)]*\))?\s*({_NAME})\s*(\((.*?)\))?", head, re.S
        )
        if match is None:
            self.problems.append(
                Problem("KL001", span, "PTX: the head of this function cannot be read")
            )
            return
        name = match[3]
        if end >= len(text) and not text.rstrip().endswith("}"):
            self.problems.append(
                Problem("KL001", span, f"PTX: the body of `{name}` has no end", name)
            )
            return
        body = text[opening + 1 : end - 1]
        try:
            made = self._bodied(match, head, body, opening + 1, span)
        except SourceError as error:
            self.problems.append(Problem(error.code, error.span, error.message, name))
            return
        self.functions.append(made)

    def _bodied(
        self, match: re.Match[str], head: str, body: str, offset: int, span: Span
    ) -> PtxFunction:
        line = span.line
        parameters = tuple(_declared(p, line) for p in _DECLARED.finditer(match[5] or ""))
        results = tuple(_declared(p, line) for p in _DECLARED.finditer(match[2] or ""))
        stated = {
            m[1]: tuple(int(n) for n in m[2].split(","))
            for m in _DIRECTIVE.finditer(head[match.end() :])
        }
        places = tuple(_places(body))
        pragmas = tuple(m.start() for m in _PRAGMA.finditer(body) if m[1] == "nounroll")
        plain = _LOC.sub(lambda m: " " * len(m[0]), body)
        found = inline.parse_text(plain)
        if isinstance(found, inline.Failure):
            at = min(offset + found.offset, len(self.held.text) - 1)
            raise SourceError(f"PTX: {found.reason}", self.held.span(at, at + 1))
        entered = frozenset(_entered(body, plain))
        return PtxFunction(
            match[3],
            match[1] == "entry",
            parameters,
            results,
            stated,
            found,
            span,
            offset,
            places,
            entered,
            pragmas,
        )


def _places(body: str) -> Iterator[tuple[int, PtxPlace]]:
    """Offset → place for every `.loc`. A call's own place stands right before the inlined one."""
    inlined: dict[tuple[int, int, int], tuple[PtxPlace, ...]] = {}
    for match in _LOC.finditer(body):
        file, line, column = int(match[1]), int(match[2]), int(match[3] or 0)
        calls: tuple[PtxPlace, ...] = ()
        if match[4]:
            at = (int(match[4]), int(match[5]), int(match[6] or 0))
            calls = (*inlined.get(at, ()), PtxPlace(*at))
        inlined[file, line, column] = calls
        yield match.end(), PtxPlace(file, line, column, calls)


def _entered(body: str, plain: str) -> Iterator[int]:
    """First instructions of inlined code: the place of the call and the inlined place both stand
    right before them."""
    before = None
    for match in _LOC.finditer(body):
        called = (
            before is not None
            and (before[1], before[2], before[3]) == (match[4], match[5], match[6])
            and not before[4]
        )
        if called and before is not None and not plain[before.end() : match.start()].strip():
            yield _skip(plain, match.end())
        before = match


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _closing(text: str, opening: int) -> int:
    """Behind the brace that closes the one at `opening`; the text's end where none does."""
    depth = 0
    for match in re.finditer(r"[{}]|\"[^\"\n]*\"", text[opening:]):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0 and match[0] == "}":
            return opening + match.end()
    return len(text)


def _declared(
    match: re.Match[str], line: int, external: bool = False, values: tuple[int, ...] | None = None
) -> PtxVariable:
    words = match["words"].replace(".", " .").split()
    type_, align = "", 1
    for i, word in enumerate(words):
        if word[1:] in TYPE_BITS:
            type_ = word[1:]
        elif word == ".align" and i + 1 < len(words) and words[i + 1].isdecimal():
            align = int(words[i + 1])
    width = max(TYPE_BITS.get(type_, 8) // 8, 1) * next(
        (int(w[2:]) for w in words if re.fullmatch(r"\.v\d", w)), 1
    )
    size: int | None = width
    for extent in re.findall(r"\[([^\]]*)\]", match["extent"]):
        count = extent.strip()
        size = (
            size * int(count, 0)
            if size is not None and re.fullmatch(r"\d+|0[xX][0-9a-fA-F]+", count)
            else None
        )
    space = {"const": "constant"}.get(match["space"], match["space"])
    return PtxVariable(match["name"].lstrip("%"), space, type_, size, max(align, width if not match["extent"] else align), line, external,
                       values, ".ptr" in words)  # fmt: skip


def _values(text: str) -> tuple[int, ...] | None:
    parts = [p.strip() for p in text.strip().strip("{}").split(",")]
    if not all(re.fullmatch(r"-?(?:\d+|0[xX][0-9a-fA-F]+)U?", p) for p in parts):
        return None
    return tuple(int(p.rstrip("U"), 0 if p[-1:] != "U" else 10) for p in parts)
