"""Classifying names and template arguments; the ground on which expressions and declarations are
classified.

In: a stretch of a Stream known to be a name. Out: terminals appended to `out`. Builds no tree.
"""

from __future__ import annotations

from abc import abstractmethod

from kernlint.base.span import SourceError
from kernlint.source.parser.lookahead import CERTAIN, POSSIBLE, Lookahead
from kernlint.source.parser.names import NameScope
from kernlint.source.parser.stream import TokenStream
from kernlint.source.parser.terminals import Terminal
from kernlint.source.parser.unexpected import unexpected
from kernlint.source.tokens import Token


class NameClassifier(Lookahead):
    """Appends terminals for names to `out`; what it needs of expressions and declarations is left
    to its heirs."""

    def __init__(self, stream: TokenStream, scope: NameScope) -> None:
        super().__init__(stream, scope)
        self.out: list[Terminal] = []
        self.in_arguments = False
        # of the function whose declarator was read last, for its body
        self.last_parameters: NameScope | None = None
        self.fold_dots: set[int] = set()  # where `...` stands for an operand

    @abstractmethod
    def expression(self, i: int, end: int) -> None: ...

    @abstractmethod
    def arguments(self, i: int, end: int) -> None: ...

    @abstractmethod
    def initial(self, i: int, end: int) -> None: ...

    @abstractmethod
    def call(self, i: int, opening: str = "CALL_LPAR") -> int: ...

    @abstractmethod
    def braces(self, i: int, opening: str = "INIT_LBRACE") -> int: ...

    @abstractmethod
    def compound(self, i: int) -> int: ...

    @abstractmethod
    def statement(self, i: int, end: int) -> int: ...

    @abstractmethod
    def parameters(self, i: int) -> int: ...

    @abstractmethod
    def type_region(self, i: int, end: int) -> None: ...

    @abstractmethod
    def decltype(self, i: int, stop: int, terminal: str = "DECLTYPE") -> None: ...

    @abstractmethod
    def pointers(self, i: int, end: int) -> int: ...

    @abstractmethod
    def specifier_items(self, items: list[tuple[str, int, int]]) -> None: ...

    @abstractmethod
    def template_head(self, i: int) -> int: ...

    def emit(self, terminal: str, i: int) -> None:
        self.out.append(Terminal(terminal, self.texts[i], self.stream.tokens[i]))

    def emit_text(self, terminal: str, text: str, token: Token) -> None:
        self.out.append(Terminal(terminal, text, token))

    def fail(self, i: int, message: str = "") -> SourceError:
        if not message:
            return unexpected(self.stream, i)
        return SourceError(message, self.stream.tokens[min(i, len(self.texts) - 1)].use)

    def close_of(self, i: int) -> int:
        if self.match[i] < 0:
            raise self.fail(i, f"'{self.texts[i]}' is never closed")
        return self.match[i]

    # -- names

    def path(self, i: int, end: int, head: str) -> int:
        """Emits the qualified name [i, end) with `head` as the terminal of its first word."""
        first = True
        while i < end:
            text = self.texts[i]
            if text == "::":
                self.emit("GLOBAL" if first else "SCOPE", i)
            elif text == "<":
                i = self.template_arguments(i)
                continue
            elif text == "operator":
                i = self.operator_name(i, end)
                first = False
                continue
            elif text == "~":
                self.emit_text("DESTRUCTOR", "~" + self.texts[i + 1], self.stream.tokens[i])
                i += 1
            elif text not in ("template", "typename"):
                self.emit(head if first else "NAME", i)
                first = False
            i += 1
        return i

    def operator_name(self, i: int, end: int) -> int:
        stop = self.operator_end(i, end)
        if self.kinds[i + 1] in ("punctuator", "string") or self.texts[i + 1] in ("new", "delete"):
            whole = self.stream.whole.get(i + 1)
            self.emit_text(
                "OPERATOR",
                whole.text if whole else "".join(self.texts[i + 1 : stop]),
                self.stream.tokens[i],
            )
            return stop
        self.emit("CONVERSION", i)
        items, j, _ = self.specifiers(i + 1, stop)
        self.specifier_items(items)
        while j < stop:
            self.emit("POINTER", j)
            j += 1
        return stop

    def template_arguments(self, i: int) -> int:
        """Emits `<…>` that starts at i; returns the position behind it."""
        close = self.angle_close(i, len(self.texts))
        if close < 0:
            raise self.fail(i)
        self.emit("TEMPLATE_OPEN", i)
        if close > i + 1:
            for number, (start, stop) in enumerate(self.split(i + 1, close, True)):
                if number:
                    self.emit("COMMA", start - 1)
                self.type_or_expression(start, stop)
        self.emit("TEMPLATE_CLOSE", close)
        return close + 1

    def type_or_expression(self, i: int, end: int) -> None:
        certainty = self.type_id(i, end)
        if certainty == CERTAIN or (
            certainty == POSSIBLE and not self._looks_like_constant(i, end)
        ):
            self.type_region(i, end)
        else:
            self.expression(i, end)

    def _looks_like_constant(self, i: int, end: int) -> bool:
        """Whether an unknown name reads like a macro or constant: SIZE, kSize, a::b::value."""
        name = self.texts[end - 1]
        if name == ")":
            return True
        return (
            (name.isupper() and len(name) > 1)
            or (name[:1] == "k" and name[1:2].isupper())
            or name in ("value", "size")
        )
