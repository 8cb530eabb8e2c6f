"""The preprocessor: text → the tokens a compiler would see, each knowing its place in the user's
file.

Comes in: one file's text and Options. Goes out: Preprocessed. Headers that are not there are
skipped and listed in `missing`. What is wrong becomes a Problem and reading goes on; nothing is
raised, nothing runs for ever.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from functools import cache

from kernlint.base import deadline
from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Problem, SourceError, Span
from kernlint.source.embedded.mapped_text import Mapped
from kernlint.source.lexer import Scan, scan, scan_header, scan_main
from kernlint.source.preprocessor.conditions import Answers, holds
from kernlint.source.preprocessor.include_prefix import Opening, PrefixStep
from kernlint.source.preprocessor.macros import Macro, define, spelling
from kernlint.source.preprocessor.pragmas import joined
from kernlint.source.preprocessor.predefined import ALWAYS_DEFINED, BUILTINS, IMPLIED, predefined
from kernlint.source.preprocessor.project_folders import project_folders
from kernlint.source.preprocessor.state import (
    INCLUDE_COUNT,
    INCLUDE_DEPTH,
    OpenConditional,
    OpenFile,
    PreprocessorState,
)
from kernlint.source.text import decode
from kernlint.source.tokens import Token

TOKEN_LIMIT = 4_000_000


_UNMADE = re.compile(r"^\w+\s*[(/].*?([\w.-]+(?:/[\w.-]+)*\.\w+)[\s)]*$")


@dataclass(frozen=True, slots=True)
class Options:
    """`defines`: NAME or NAME(parameters) → replacement; `arch`: compute capability times 100."""

    defines: dict[str, str] = field(default_factory=dict)
    include_dirs: tuple[str, ...] = ()
    language: str = "cuda"
    arch: int = 900


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """`comments` are those of the main file but in branches of `#if` that are not taken, `defines`
    the macros of the sources at the end (name → replacement).

    `sought`: every place where a header was looked for, and whether a file was there: with the
    texts of those that were, all that the result depends on beside its own file and the options.
    `opening`: the headers that the file begins with, whose tokens come first. `skipped`: lines of
    the main file, from one to another, whose text stands in branches of `#if` that are not taken.
    """

    tokens: list[Token]
    problems: list[Problem]
    included: list[str]
    missing: list[str]
    defines: dict[str, str]
    comments: list[tuple[Span, str]]
    sought: dict[str, bool]
    opening: tuple[PrefixStep, ...] = ()
    skipped: tuple[tuple[int, int], ...] = ()


def preprocess(path: str, text: str, options: Options, taken: Mapped | None = None) -> Preprocessed:
    """Preprocess the file at `path`, whose content is `text`, or the text `taken` out of it."""
    run = Run(options)
    main = scan_main(text, path) if taken is None else scan(taken.text, path, text, taken)
    run.enter(path, main)
    run.all_lines()
    remarks = [
        (main.source.span(start, end), body)
        for start, end, body in main.comments
        if not run.drops(start)
    ]
    opening = tuple(step for step in run.opening.steps if step.tokens)
    begun = sum(len(step.tokens) for step in opening)
    tokens = run.out[:begun] + joined(run.out[begun:])
    sought = run.opening.sought | run.sought
    return Preprocessed(
        tokens,
        run.problems,
        run.included,
        run.missing,
        run.user_defines(),
        remarks,
        sought,
        opening,
        tuple(run.skipped),
    )


@cache
def _initial(language: str, arch: int) -> dict[str, Macro]:
    table = _definitions(predefined(language, arch), "<predefined>", [])
    return table | {name: Macro(name, (), builtin=True) for name in BUILTINS}


@cache
def _implied(name: str) -> dict[str, Macro]:
    return _definitions(IMPLIED.get(name, {}), "<predefined>", [])


def _definitions(defines: dict[str, str], path: str, problems: list[Problem]) -> dict[str, Macro]:
    """The macros of name → replacement."""
    table: dict[str, Macro] = {}
    for name, value in defines.items():
        tokens = scan(f"{name} {value}".replace("\n", " "), path).tokens
        try:
            macro = define(tokens, Span(path, 1, 1, 1, 1))
        except SourceError as error:
            problems.append(Problem(error.code, error.span, error.message))
        else:
            table[macro.name] = macro
    return table


class Run(PreprocessorState):
    """One preprocessing run. It is the expander's text: lines are taken, and directives obeyed, as
    tokens are needed."""

    def __init__(self, options: Options) -> None:
        self.initial = _initial(options.language, options.arch)
        super().__init__(dict(self.initial))
        self.options = options
        self.skipped: list[tuple[int, int]] = []
        # offsets in the main file: where a branch that is not taken begins, where it ends, and so
        # on
        self.dropped: list[int] = []
        for name in options.defines:
            self.macros.update(_implied(name))
        self.macros.update(_definitions(options.defines, "<command line>", self.problems))
        self.row: list[Token] = []
        self.position = 0
        way = (
            options.language,
            options.arch,
            options.include_dirs,
            *sorted(options.defines.items()),
        )
        self.opening = Opening(self, way)
        self.answers = Answers(self.is_defined, self.has_include, options.language != "opencl")
        self.directives = {
            "define": self.do_define,
            "undef": self.do_undef,
            "include": self.do_include,
            "include_next": self.do_include,
            "import": self.do_include,
            "error": self.do_error,
            "pragma": self.do_pragma,
        }
        self.branches = {
            "if": self.do_if,
            "ifdef": self.do_if,
            "ifndef": self.do_if,
            "elif": self.do_elif,
            "elifdef": self.do_elif,
            "elifndef": self.do_elif,
            "else": self.do_else,
            "endif": self.do_endif,
        }

    # -- the text

    def enter(self, path: str, scanned: Scan) -> None:
        self.files.append(OpenFile(path, os.path.realpath(path), scanned))
        self.opening.deepest = max(self.opening.deepest, len(self.files))
        if scanned.open_comment is not None:
            self.problem(scanned.open_comment, "this comment is never closed")

    def all_lines(self) -> None:
        out, macros, expander = self.out, self.macros, self.expander
        while self.next_row():
            while self.position < len(self.row):
                token = self.row[self.position]
                self.position += 1
                if token.kind == "identifier" and (macro := macros.get(token.text)) is not None:
                    self.looks_ahead = True
                    row, source = self.row, token.source
                    expander.use(token, macro, self, out)
                    self.looks_ahead = False
                    if self.row is not row and source is not None and self.position:
                        token.note_use(self.row[self.position - 1], source)
                else:
                    out.append(token)
            if len(out) > TOKEN_LIMIT:
                self.problem(
                    self.row[-1].span, f"preprocessing was stopped at {TOKEN_LIMIT:,} tokens"
                )
                return

    def next(self) -> Token | None:
        while self.position >= len(self.row):
            if not self.next_row():
                return None
        self.position += 1
        return self.row[self.position - 1]

    def unread(self) -> None:
        self.position -= 1

    def next_row(self) -> bool:
        """Go to the next line of text that counts, obeying directives; False at the end."""
        deadline.look()
        while self.files:
            file = self.files[-1]
            starts, tokens = file.scan.line_starts, file.scan.tokens
            if file.line >= len(starts):
                self.leave(file)
                continue
            start = starts[file.line]
            file.line += 1
            end = starts[file.line] if file.line < len(starts) else len(tokens)
            first = tokens[start]
            if first.text == "#" and first.kind == "punctuator":
                self.row, self.position, was_active = [], 0, file.active
                self.directive(file, first, tokens[start + 1 : end])
                if file.active != was_active and len(self.files) == 1:
                    self.dropped.append(first.start)
                if self.row:
                    return True
            elif file.active:
                if file.scan.unterminated:
                    self.unterminated(file.scan, start, end)
                self.row, self.position = tokens[start:end], 0
                return True
            elif len(self.files) == 1:
                self.skip(first.span.line, tokens[end - 1].span.end_line)
        return False

    def skip(self, first: int, last: int) -> None:
        """Lines of the main file that a condition leaves out; joined to those that were left out
        just before."""
        if self.skipped and self.skipped[-1][1] >= first - 1:
            self.skipped[-1] = self.skipped[-1][0], last
        else:
            self.skipped.append((first, last))

    def drops(self, offset: int) -> bool:
        """Whether a place in the main file stands in a branch that is not taken."""
        return bool(bisect_right(self.dropped, offset) % 2)

    def leave(self, file: OpenFile) -> None:
        for condition in file.conditions:
            self.problem(condition.place, "this condition has no #endif")
        if file.guard and file.guard_end == file.line:
            self.guards[file.key] = file.guard
        self.files.pop()
        self.opening.leave()

    def unterminated(self, scanned: Scan, start: int, end: int) -> None:
        for index in range(start, end):
            if index in scanned.unterminated:
                self.problem(scanned.tokens[index].span, scanned.unterminated[index])

    def problem(self, place: Span, message: str) -> None:
        self.problems.append(Problem("KL001", place, message))

    # -- directives

    def directive(self, file: OpenFile, mark: Token, tokens: list[Token]) -> None:
        if not tokens:
            return
        name, rest = tokens[0], tokens[1:]
        try:
            if name.text in self.branches:
                self.branches[name.text](file, name, rest)
                file.active = all(condition.active for condition in file.conditions[-1:])
            elif file.active and name.text in self.directives:
                self.directives[name.text](file, name, rest)
        except SourceError as error:
            self.problem(error.span, error.message)

    def do_define(self, file: OpenFile, name: Token, rest: list[Token]) -> None:
        macro = define(rest, name.span)
        self.put(macro.name, macro)

    def do_undef(self, file: OpenFile, name: Token, rest: list[Token]) -> None:
        if not rest or rest[0].kind != "identifier":
            raise SourceError("#undef needs a macro name", name.span)
        self.put(rest[0].text, None)

    def put(self, name: str, macro: Macro | None) -> None:
        """Defines a macro, or takes it away, with what headers make of that."""
        implied = _implied(name)
        if macro is None:
            gone = [one for one, meant in implied.items() if self.macros.get(one) is meant]
            changed: dict[str, Macro | None] = {name: None, **dict.fromkeys(gone)}
        else:
            changed = {
                name: macro,
                **{one: meant for one, meant in implied.items() if one not in self.macros},
            }
        for one, meant in changed.items():
            if meant is None:
                self.macros.pop(one, None)
            else:
                self.macros[one] = meant
            self.opening.define(one, meant)

    def do_error(self, file: OpenFile, name: Token, rest: list[Token]) -> None:
        text = f"#error {spelling(rest)}".rstrip()
        self.problem(name.span, text)

    def do_pragma(self, file: OpenFile, name: Token, rest: list[Token]) -> None:
        if rest and rest[0].text == "once":
            self.once.add(file.key)
        elif rest:
            words = rest[:1] + self.expander.all(rest[1:])
            place = Span(
                name.span.path,
                name.span.line,
                name.span.column,
                rest[-1].span.end_line,
                rest[-1].span.end_column,
            )
            self.row = [Token("pragma", f"pragma {spelling(words)}", place, None, True)]

    # -- conditions

    def is_defined(self, name: str) -> bool:
        return name in self.macros or name in ALWAYS_DEFINED

    def evaluate(self, name: Token, rest: list[Token]) -> bool:
        """The condition of an #if or #elif of any kind; false where it cannot be read."""
        kind = name.text.removeprefix("el")
        if kind in ("ifdef", "ifndef"):
            if not rest or rest[0].kind != "identifier":
                self.problem(name.span, f"#{name.text} needs a macro name")
                return False
            return self.is_defined(rest[0].text) == (kind == "ifdef")
        try:
            return holds(self.expander.all(rest, in_condition=True), name.span, self.answers)
        except SourceError as error:
            self.problem(error.span, error.message)
            return False

    def do_if(self, file: OpenFile, name: Token, rest: list[Token]) -> None:
        if file.line == 1 and name.text == "ifndef" and rest:
            file.guard = rest[0].text
        around = file.active
        active = around and self.evaluate(name, rest)
        file.conditions.append(OpenConditional(name.span, around, active, active))

    def do_elif(self, file: OpenFile, name: Token, rest: list[Token]) -> None:
        condition = self.innermost(file, name)
        active = condition.around and not condition.taken and self.evaluate(name, rest)
        condition.active = active
        condition.taken = condition.taken or active

    def do_else(self, file: OpenFile, name: Token, rest: list[Token]) -> None:
        condition = self.innermost(file, name)
        condition.active = condition.around and not condition.taken
        condition.taken = condition.has_else = True

    def do_endif(self, file: OpenFile, name: Token, rest: list[Token]) -> None:
        if not file.conditions:
            raise SourceError("#endif without #if", name.span)
        file.conditions.pop()
        if not file.conditions:
            file.guard_end = file.line if file.guard_end < 0 else -2

    def innermost(self, file: OpenFile, name: Token) -> OpenConditional:
        if not file.conditions:
            raise SourceError(f"#{name.text} without #if", name.span)
        condition = file.conditions[-1]
        if condition.has_else:
            raise SourceError(f"#{name.text} after #else", name.span)
        if len(file.conditions) == 1:
            file.guard = ""
        return condition

    # -- headers

    def do_include(self, file: OpenFile, name: Token, rest: list[Token]) -> None:
        if not rest:
            raise SourceError("#include needs a header name", name.span)
        # a name made by a macro that only the build defines is a header that is not there
        header, angled = _header(rest) or _header(self.expander.all(rest)) or (spelling(rest), True)
        found = (
            self.find(file, header, angled)
            or (self.find_beside(file, header) if angled else None)
            or self.find_unmade(file, header)
            or self.find_in_project(file, header)
        )
        if found is None:
            if header not in self.missing:
                self.missing.append(header)
            return
        key = os.path.realpath(found)
        self.opening.touched.add(key)
        if key in self.once or self.guards.get(key, " ") in self.macros:
            return
        if len(self.files) >= INCLUDE_DEPTH:
            self.once.add(key)
            raise SourceError(
                f"headers are nested more than {INCLUDE_DEPTH} deep: does {header} include itself?",
                name.span,
            )
        self.include_count += 1
        if self.include_count > INCLUDE_COUNT:
            self.once.add(key)
            if self.include_count == INCLUDE_COUNT + 1:
                raise SourceError(
                    f"reading headers was stopped after {INCLUDE_COUNT:,} of them", name.span
                )
            return
        if name.text == "import":
            self.once.add(key)
            self.opening.block()
        if self.opening.is_open and self.opening.enter(found, key):
            return
        text = _read(found)
        if text is None:
            self.opening.close()
            raise SourceError(f"cannot read the header {header}", name.span)
        if found not in self.included:
            self.included.append(found)
        scanned = scan_header(text, found)
        self.opening.read(scanned)
        self.enter(found, scanned)

    def find(self, file: OpenFile, header: str, angled: bool) -> str | None:
        folders = list(self.options.include_dirs)
        if not angled:
            folders.insert(0, os.path.dirname(file.path))
        return self.find_in(folders, header)

    def find_beside(self, file: OpenFile, header: str) -> str | None:
        """A header in angle brackets that lies beside the file that names it, or beside the one
        analysed: the build that names the folder is not known."""
        if header in _STANDARD:
            return None
        folders = dict.fromkeys(os.path.dirname(one.path) for one in (file, self.files[0]))
        return self.find_in(list(folders), header)

    def find_in_project(self, file: OpenFile, header: str) -> str | None:
        """A header that lies where projects keep theirs. Names without an ending are the C++
        library's."""
        if header in _STANDARD or not os.path.splitext(header)[1]:
            return None
        return self.find_in([*project_folders(os.path.dirname(file.path))], header)

    def find_in(self, folders: list[str], header: str) -> str | None:
        for folder in folders:
            candidate = os.path.normpath(os.path.join(folder, header))
            self.sought[candidate] = os.path.isfile(candidate)
            if self.sought[candidate]:
                return candidate
        return None

    def find_unmade(self, file: OpenFile, header: str) -> str | None:
        """A header named through macros that only the build defines, `STR(FOLDER/name.h)`: the name
        behind what is not known."""
        matched = _UNMADE.search(header)
        parts = matched[1].split("/") if matched is not None else []
        found = (self.find(file, "/".join(parts[start:]), False) for start in range(len(parts)))
        return next((path for path in found if path is not None), None)

    def has_include(self, header: str, angled: bool) -> bool:
        return self.find(self.files[-1], header, angled) is not None

    def user_defines(self) -> dict[str, str]:
        return {
            name: macro.text()
            for name, macro in self.macros.items()
            if self.initial.get(name) is not macro
        }


# headers of the C library, which a file of the same name beside a source is not
_STANDARD = frozenset(
    f"{name}.h"
    for name in [
        "assert",
        "complex",
        "ctype",
        "errno",
        "fenv",
        "float",
        "inttypes",
        "limits",
        "locale",
        "math",
        "setjmp",
        "signal",
        "stdarg",
        "stdbool",
        "stddef",
        "stdint",
        "stdio",
        "stdlib",
        "string",
        "time",
        "unistd",
    ]
)


def _header(tokens: list[Token]) -> tuple[str, bool] | None:
    """The header's name and whether it stands in angle brackets."""
    if tokens and tokens[0].kind == "string" and tokens[0].text[0] == '"':
        return tokens[0].text.strip('"'), False
    if tokens and tokens[0].text[0] == "<":
        text = spelling(tokens)
        end = text.find(">")
        return (text[1:end], True) if end > 1 else None
    return None


def _read(path: str) -> str | None:
    try:
        with open(path, "rb") as stream:
            return decode(stream.read())
    except OSError:
        return None
