"""A file's tokens as the parser reads them: `>>` taken apart, brackets matched, `#pragma pack`
followed.

In: tokens of the preprocessor and the language. Out: a Stream of parallel lists.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from kernlint.base.span import Span
from kernlint.source.parser import names
from kernlint.source.tokens import Token

OPENERS = {"(": ")", "[": "]", "{": "}"}
CLOSERS = frozenset(OPENERS.values())
BRACKETS = CLOSERS.union(OPENERS)
RESPELLED = frozenset((">>", ">>>", "<"))  # what the parser may read in pieces, or with others
PADDING = 5
# brackets in one another; a parser that is compiled to machine code has no other end than the
# stack's
DEEPEST = 10_000
PACK = re.compile(r"pragma\s+pack\s*\(([^)]*)\)")


class TokenStream:
    """A file's tokens in parallel lists; `>>` and `>>>` lie split into `>` (the whole token in
    `whole`), brackets matched (-1: none).

    Behind the `size` tokens stand a few empty ones, so that looking ahead never meets the end of a
    list.
    """

    __slots__ = (
        "_before_names",
        "_launched",
        "_packs",
        "_pragmas",
        "_too_deep",
        "concepts",
        "is_opencl",
        "kinds",
        "match",
        "size",
        "texts",
        "tokens",
        "whole",
    )

    def __init__(
        self, tokens: list[Token], language: str, before: TokenStream | None = None, size: int = 0
    ) -> None:
        """`before`: a stream whose first `size` tokens, with nothing open behind them, come first;
        `tokens` are the rest."""
        self.is_opencl = language == "opencl"
        self._before_names: frozenset[str] | None = None
        self._launched: frozenset[tuple[str, str]] | None = None
        made, whole = taken_apart(tokens)
        self.tokens: list[Token] = made if before is None else before.tokens[:size] + made
        self.whole: dict[int, Token] = (
            {} if before is None else {i: token for i, token in before.whole.items() if i < size}
        )
        self.whole |= {size + i: token for i, token in whole.items()}
        self.size = len(self.tokens)
        self.tokens += [Token("end", "", self.tokens[-1].use)] * PADDING if self.tokens else []
        table = names.OPENCL_SPECIFIERS if self.is_opencl else names.ALTERNATIVE_OPERATORS
        added = self.tokens[size:]
        written, kinds = [token.text for token in added], [token.kind for token in added]
        texts = written
        if not table.keys().isdisjoint(written):
            texts = [table.get(text, text) for text in written]
            if not self.is_opencl:
                kinds = [
                    "punctuator" if text in table else kind
                    for text, kind in zip(written, kinds, strict=True)
                ]
        own = (
            {written[i + 1] for i, text in enumerate(written) if text == "concept"}
            if "concept" in written
            else frozenset[str]()
        )
        self.concepts: frozenset[str] = (before.concepts if before else frozenset()) | own
        match, too_deep = match_brackets(texts, kinds)
        self._too_deep = [size + i for i in too_deep]
        if before is None:
            self.texts, self.kinds, self.match = texts, kinds, match
        else:
            self._too_deep = [i for i in before._too_deep if i < size] + self._too_deep
            self.texts, self.kinds = before.texts[:size] + texts, before.kinds[:size] + kinds
            self.match = before.match[:size] + [
                partner + size if partner >= 0 else -1 for partner in match
            ]
        pragmas = (
            [(size + i, written[i]) for i, kind in enumerate(kinds) if kind == "pragma"]
            if "pragma" in kinds
            else []
        )
        held = [] if before is None else [pragma for pragma in before._pragmas if pragma[0] < size]
        self._pragmas: list[tuple[int, str]] = held + pragmas
        self._packs = packings(self._pragmas)

    @property
    def launched(self) -> frozenset[tuple[str, str]]:
        """What is launched by `name<<<` or `name<…><<<`, with the file that does."""
        if self._launched is None:
            self._launched = frozenset(
                (self.texts[at], self.tokens[i].use.path)
                for i in range(self.size)
                if self.texts[i] == "<<<" and (at := self._launched_name(i)) >= 0
            )
        return self._launched

    @property
    def before_names(self) -> frozenset[str]:
        """Names that stand in front of another one somewhere, as a type does in a declaration."""
        if self._before_names is None:
            self._before_names = frozenset(
                self.texts[i]
                for i in range(self.size)
                if self.kinds[i] == "identifier" == self.kinds[i + 1]
            )
        return self._before_names

    def _launched_name(self, i: int) -> int:
        """The position of the name in front of the `<<<` at i; -1 for an expression."""
        i -= 1
        depth = 0
        while i >= 0 and (depth or self.texts[i] == ">"):
            depth += {">": 1, "<": -1}.get(self.texts[i], 0)
            if self.texts[i] in ("{", "}", ";"):
                return -1
            i -= 1
        return i if i >= 0 and self.kinds[i] == "identifier" else -1

    def is_too_deep(self, start: int, end: int) -> bool:
        """Whether more brackets than DEEPEST lie in one another within [start, end)."""
        return bisect_left(self._too_deep, start) < bisect_left(self._too_deep, end)

    def last_handler(self, close: int) -> int:
        """The closing brace of the last `catch (…) { … }` behind a function's body that closes at
        `close`; that one where there is none."""
        texts, match = self.texts, self.match
        while texts[close + 1 : close + 3] == ["catch", "("]:
            open_ = match[close + 2] + 1
            if texts[open_ : open_ + 1] != ["{"] or match[open_] < 0:
                break
            close = match[open_]
        return close

    def packing(self, i: int) -> int:
        """The n of the `#pragma pack(n)` in force at token i; 0 for none."""
        return next((n for position, n in reversed(self._packs) if position < i), 0)


def packings(pragmas: list[tuple[int, str]]) -> list[tuple[int, int]]:
    """(position, n in force from there on) of each `#pragma pack`: (n), (), (push), (push, n),
    (pop), with or without a label."""
    found: list[tuple[int, int]] = []
    held: list[int] = []
    now = 0
    for position, text in pragmas:
        matched = PACK.match(text)
        if matched is None:
            continue
        words = [word.strip() for word in matched[1].split(",") if word.strip()]
        numbers = [int(word) for word in words if word.isdigit()]
        if "push" in words:
            held.append(now)
        elif "pop" in words:
            now = held.pop() if held else 0
        now = numbers[-1] if numbers else now if words else 0
        found.append((position, now))
    return found


def taken_apart(tokens: Sequence[Token]) -> tuple[list[Token], dict[int, Token]]:
    """A stream's tokens, and the whole one of each that was split, by its first piece's
    position."""
    made: list[Token] = []
    whole: dict[int, Token] = {}
    done = 0
    for at in [i for i, token in enumerate(tokens) if token.text in RESPELLED]:
        made += tokens[done:at]
        token, done = tokens[at], at + 1
        if token.text != "<":
            whole[len(made)] = token
            made += _pieces(token)
        elif made and made[-1].text == "<<":
            # nvcc reads `k << <grid, block>> >(…)` as a launch; it could be nothing else
            before = made.pop()
            made.append(Token("punctuator", "<<<", before.use.to(token.use)))
        else:
            made.append(token)
    made += tokens[done:]
    return made, whole


def _pieces(token: Token) -> list[Token]:
    use, count = token.use, len(token.text)
    if use.macro or use.end_column - use.column != count:
        return [Token("punctuator", ">", use) for _ in range(count)]
    return [
        Token(
            "punctuator",
            ">",
            Span(use.path, use.line, use.column + i, use.line, use.column + i + 1),
        )
        for i in range(count)
    ]


def match_brackets(texts: list[str], kinds: list[str]) -> tuple[list[int], list[int]]:
    """For each token the index of its partner, -1 without one; a closer of another kind drops the
    openers inside it. And the openers that are the first too deep."""
    match, too_deep = [-1] * len(texts), []
    stack: list[int] = []
    for index, text in enumerate(texts):
        if text not in BRACKETS or kinds[index] != "punctuator":
            continue
        if text in OPENERS:
            if len(stack) == DEEPEST:
                too_deep.append(index)
            stack.append(index)
        else:
            depth = len(stack) - 1
            while (
                depth >= 0
                and OPENERS[texts[stack[depth]]] != text
                and (text == "}" or texts[stack[depth]] != "{")
            ):
                depth -= 1
            if depth >= 0 and OPENERS[texts[stack[depth]]] == text:
                match[stack[depth]], match[index] = index, stack[depth]
                del stack[depth:]
    return match, too_deep
