"""Macro expansion over a stream of tokens: rescanning, arguments, no second expansion of a macro
inside itself.

Comes in: a table of macros and a function that gives the next token of the text (so that arguments
may run over lines and directives). Goes out: expanded tokens. Always ends: recursion, depth and
size are bounded. As in GCC, a macro is disabled while its replacement is read, and an identifier
met then is never expanded again.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Protocol

from kernlint.base.span import Problem, SourceError, Span
from kernlint.source.preprocessor.macros import Argument, Macro, Substitution
from kernlint.source.tokens import Token

SIZE_LIMIT = 300_000  # tokens that one use may expand to, intermediate ones included
DEPTH_LIMIT = 80  # arguments within arguments

_QUOTED = frozenset(
    {
        "defined",
        "__has_include",
        "__has_include_next",
        "__has_attribute",
        "__has_cpp_attribute",
        "__has_builtin",
    }
)


class UpcomingTokens(Protocol):
    """Where the tokens behind a use come from."""

    def next(self) -> Token | None:
        """The next token of the text, over lines and directives; None at its end."""

    def unread(self) -> None:
        """Give back the token read last."""


class _End:
    """The text behind a closed list of tokens: none."""

    def next(self) -> Token | None:
        return None

    def unread(self) -> None:
        return None


class _Level:
    """Replacement tokens being read; `macro` is disabled until they are all read."""

    __slots__ = ("index", "macro", "tokens")

    def __init__(self, tokens: list[Token], macro: str) -> None:
        self.tokens, self.macro, self.index = tokens, macro, 0

    def read_up_to_name(self, out: list[Token]) -> None:
        """Appends what stands before the next identifier."""
        tokens, end, size = self.tokens, self.index, len(self.tokens)
        while end < size and tokens[end].kind != "identifier":
            end += 1
        out += tokens[self.index : end]
        self.index = end


class Expander:
    """Expands uses of `macros`, a table that may change between uses. Problems go to `problems`."""

    def __init__(self, macros: dict[str, Macro], problems: list[Problem]) -> None:
        self.macros, self.problems = macros, problems
        self._levels: list[_Level] = []
        self._disabled: set[str] = set()
        self._text: UpcomingTokens = _End()
        self._made = self._depth = self.counter = 0
        self._begin: Token | None = None  # of what is expanded
        self.pasted: set[str] = set()  # every name that `##` made

    def use(self, name: Token, macro: Macro, text: UpcomingTokens, out: list[Token]) -> None:
        """Append the expansion of one use in `text` to `out`, reading the use's arguments from
        there."""
        if macro.final:
            out += self._final(name, macro)
            return
        self._text, self._made, self._depth, self._begin = text, 0, 0, name
        try:
            if self._enter(name, macro):
                self._drain(out)
            else:
                out.append(name)
        except SourceError as error:
            self.problems.append(Problem(error.code, error.span, error.message))
        self._levels.clear()
        self._disabled.clear()

    def _final(self, name: Token, macro: Macro) -> list[Token]:
        use = _use(name, name)
        made = [token.copy(use, token.space_before) for token in macro.body]
        if made:
            made[0].space_before = name.space_before
        return made

    def all(self, tokens: list[Token], in_condition: bool = False) -> list[Token]:
        """The expansion of a closed list of tokens; in a condition the operands of `defined` are
        left alone."""
        if tokens:
            self._made, self._begin = 0, tokens[0]
        try:
            return self._closed(tokens, in_condition)
        finally:
            self._disabled.clear()

    def _closed(self, tokens: list[Token], in_condition: bool = False) -> list[Token]:
        macros = self.macros
        if not any(token.text in macros and token.kind == "identifier" for token in tokens):
            return tokens
        if self._depth >= DEPTH_LIMIT:
            raise SourceError(
                f"macro arguments are nested more than {DEPTH_LIMIT} deep", tokens[0].use
            )
        saved = self._levels, self._text
        self._levels, self._text = [_Level(tokens, "")], _End()
        self._depth += 1
        out: list[Token] = []
        try:
            self._drain(out, in_condition)
        finally:
            self._depth -= 1
            self._levels, self._text = saved
        return out

    def _drain(self, out: list[Token], in_condition: bool = False) -> None:
        """Read until every level is done, expanding."""
        while self._levels:
            self._levels[-1].read_up_to_name(out)
            token = self._next_in_levels()
            if token is None:
                return
            if token.kind == "identifier" and not token.painted:
                if in_condition and token.text in _QUOTED:
                    out.append(token)
                    self._copy_operand(out)
                    continue
                macro = self.macros.get(token.text)
                if macro is not None and self._enter(token, macro):
                    continue
            out.append(token)

    def _next_in_levels(self) -> Token | None:
        while self._levels:
            level = self._levels[-1]
            if level.index < len(level.tokens):
                token = level.tokens[level.index]
                level.index += 1
                if (
                    token.text in self._disabled
                    and token.kind == "identifier"
                    and not token.painted
                ):
                    token = token.copy(None, token.space_before)
                    token.painted = True
                return token
            self._levels.pop()
            self._disabled.discard(level.macro)
        return None

    def _next(self) -> Token | None:
        return self._next_in_levels() or self._text.next()

    def _copy_operand(self, out: list[Token]) -> None:
        """The operand of `defined` and its like, unexpanded."""
        depth = 0
        while (token := self._next_in_levels()) is not None:
            out.append(token)
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            if depth <= 0:
                return

    def _enter(self, name: Token, macro: Macro) -> bool:
        """Start reading the replacement of `name`; False where it is no use (a function macro
        without parenthesis)."""
        if macro.builtin:
            self._levels.append(_Level([self._builtin(name)], ""))
            return True
        arguments: list[Argument] = []
        last = name
        if macro.parameters is not None:
            following = self._next()
            if following is None or following.text != "(" or following.kind != "punctuator":
                if following is not None:
                    self._unread()
                return False
            found, last = self._arguments(name, macro)
            if found is None:
                return True
            arguments = found
        use = _use(name, last)
        substitution = Substitution(macro, arguments, use, self._closed)
        replacement = substitution.run()
        self.pasted.update(substitution.pasted)
        for message in substitution.wrong_pastes:
            self.problems.append(Problem("KL001", use, f"in macro {macro.name}: {message}"))
        self._charge(replacement, macro, use)
        if replacement:
            replacement[0].space_before = name.space_before
        self._levels.append(_Level(replacement, macro.name))
        self._disabled.add(macro.name)
        return True

    def _unread(self) -> None:
        if self._levels:
            self._levels[-1].index -= 1
        else:
            self._text.unread()

    def _charge(self, replacement: list[Token], macro: Macro, use: Span) -> None:
        self._made += 1 + len(replacement) + sum(len(token.text) >> 8 for token in replacement)
        if self._made > SIZE_LIMIT:
            raise SourceError(
                f"the expansion of macro {macro.name} was stopped at {SIZE_LIMIT:,} tokens", use
            )

    def _arguments(self, name: Token, macro: Macro) -> tuple[list[Argument] | None, Token]:
        """The arguments of a use, its opening parenthesis read, and the closing one; None where
        they never end."""
        parameters = macro.parameters or {}
        rest = len(parameters) - 1 if macro.variadic else -1
        arguments = [Argument([])]
        swallowed: list[Token] = []
        depth = 0
        while (token := self._next()) is not None:
            swallowed.append(token)
            text = token.text if token.kind == "punctuator" else ""
            if text == ")" and depth == 0:
                return self._matched(name, macro, arguments), token
            if text == "," and depth == 0 and len(arguments) - 1 != rest:
                arguments.append(Argument([]))
                continue
            depth += 1 if text == "(" else -1 if text == ")" else 0
            arguments[-1].tokens.append(token)
        self.problems.append(
            Problem("KL001", name.use, f"the arguments of macro {macro.name} are never closed")
        )
        copies = [token.copy(None, token.space_before) for token in swallowed]
        for token in copies:
            token.painted = True
        self._levels.append(_Level(copies, ""))
        return None, name

    def _matched(self, name: Token, macro: Macro, arguments: list[Argument]) -> list[Argument]:
        wanted = len(macro.parameters or {})
        given = len(arguments)
        if wanted == 0 and given == 1 and not arguments[0].tokens:
            return []
        if macro.variadic:
            if given == wanted - 1:
                arguments.append(Argument([], omitted=True))
            elif given == wanted == 1 and not arguments[0].tokens:
                arguments[0].omitted = True
        if len(arguments) != wanted:
            raise SourceError(
                f"macro {macro.name} takes {wanted} arguments, but {given} are given", name.use
            )
        return arguments

    def _builtin(self, name: Token) -> Token:
        kind, text = "number", "0"
        if name.text == "__LINE__":
            text = str(1 if self._begin is None else self._begin.line)
        elif name.text == "__COUNTER__":
            text = str(self.counter)
            self.counter += 1
        elif name.text in ("__FILE__", "__BASE_FILE__", "__FILE_NAME__"):
            path = "" if self._begin is None else self._begin.span.path
            shown = PurePath(path).name if name.text == "__FILE_NAME__" else path
            kind, text = "string", '"' + shown.replace("\\", "\\\\").replace('"', '\\"') + '"'
        elif name.text in ("__DATE__", "__TIME__"):
            kind, text = "string", '"Jan  1 1970"' if name.text == "__DATE__" else '"00:00:00"'
        return Token(kind, text, name.span, _use(name, name), name.space_before)


def _use(name: Token, last: Token) -> Span:
    """Where the user sees a use: its own text where the user wrote it, else the use that it came
    out of."""
    for token in (last, name):
        if token.use.macro:
            return token.use
    first, end = name.span, last.span
    if first.path != end.path:
        end = first
    return Span(first.path, first.line, first.column, end.end_line, end.end_column, name.text)
