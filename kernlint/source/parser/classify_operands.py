"""Classifying the rarer operands: sizeof, new, launches, lambdas.

In: the position of the word or bracket that starts one. Out: terminals appended to `out`. Builds no
tree.
"""

from __future__ import annotations

from kernlint.source.parser import names
from kernlint.source.parser.classify_names import NameClassifier
from kernlint.source.parser.names import VALUE, NameScope
from kernlint.source.parser.terminals import Terminal


class OperandClassifier(NameClassifier):
    """Appends terminals for the operands that have a syntax of their own."""

    def _sizeof(self, i: int, end: int) -> tuple[int, bool]:
        if self.texts[i + 1] == "...":
            close = self.close_of(i + 2)
            self.emit_text("SIZEOF_PACK", "sizeof...", self.stream.tokens[i])
            self.emit("TYPE_LPAR", i + 2)
            self.type_or_expression(i + 3, close)
            self.emit("RPAR", close)
            return close + 1, False
        self.emit("SIZEOF", i)
        if self.texts[i + 1] == "(":
            close = self.close_of(i + 1)
            certainty = self.type_id(i + 2, close)
            name_is_value = close == i + 3 and self.scope.find(self.texts[i + 2]) == VALUE
            if certainty and not name_is_value:
                self.emit("TYPE_LPAR", i + 1)
                self.type_region(i + 2, close)
                self.emit("RPAR", close)
                return close + 1, False
        return i + 1, True

    def _new(self, i: int, end: int) -> int:
        self.emit("NEW", i)
        i += 1
        close = self.parenthesis_end(i, end) - 1
        if close > i:
            if self.texts[close + 1] != "::" and self.kinds[close + 1] != "identifier":
                self._new_type(i + 1, close)
                return self._new_arguments(close + 1, end)
            self.emit("LPAR", i)
            self.arguments(i + 1, close)
            self.emit("RPAR", close)
            i = close + 1
        before = len(self.out)
        j = self._new_type(i, end)
        is_array = any(terminal.type == "NEW_LBRACKET" for terminal in self.out[before:])
        if is_array and j < end and self.texts[j] == "(":
            return self.close_of(j) + 1
        return self._new_arguments(j, end)

    def _new_type(self, i: int, end: int) -> int:
        """Emits the type of what is made, with its extents; returns the position behind it."""
        items, j, _ = self.specifiers(i, end)
        self.specifier_items(items)
        while j < end and self.texts[j] in ("*", "&", "const"):
            self.emit("POINTER", j)
            j += 1
        while j < end and self.texts[j] == "[":
            close = self.close_of(j)
            self.emit("NEW_LBRACKET", j)
            if close > j + 1:
                self.expression(j + 1, close)
            self.emit("RBRACKET", close)
            j = close + 1
        return j

    def _new_arguments(self, i: int, end: int) -> int:
        """Emits what the object is made of, `(…)` or `{…}` at i."""
        if i < end and self.texts[i] == "(":
            return self.call(i)
        return self.braces(i) if i < end and self.texts[i] == "{" else i

    def _launch(self, i: int, end: int) -> int:
        j, spaced = i + 1, end
        while j < end and not (
            self.texts[j] == ">" and j in self.stream.whole and self.stream.whole[j].text == ">>>"
        ):
            if (
                spaced == end
                and j in self.stream.whole
                and self.texts[j + 2] == ">"
                and self.texts[j + 3] == "("
            ):
                spaced = j  # `>> >`
            j = self.close_of(j) + 1 if self.texts[j] in ("(", "[", "{") else j + 1
        j = min(j, spaced) if j >= end else j
        if j >= end:
            raise self.fail(i, "'<<<' is never closed")
        self.emit("LAUNCH_OPEN", i)
        self.arguments(i + 1, j)
        self.out.append(Terminal("LAUNCH_CLOSE", ">>>", self.stream.whole[j]))
        if j + 3 >= end or self.texts[j + 3] != "(":
            raise self.fail(j + 3)
        return self.call(j + 3)

    # -- lambdas

    def _lambda(self, i: int) -> int:
        close = self.close_of(i)
        self.emit("LAMBDA_OPEN", i)
        outer = self.scope
        self.scope = NameScope(outer)
        for number, (start, stop) in enumerate(self.split(i + 1, close)):
            if number:
                self.emit("COMMA", start - 1)
            if start < stop:
                self._capture(start, stop)
        self.emit("RBRACKET", close)
        j = close + 1
        while self.texts[j] not in ("{", "->"):
            j = self._lambda_head(j)
        if self.texts[j] == "->":
            self.emit("ARROW", j)
            stop = j + 1
            while self.texts[stop] != "{":
                if self.texts[stop] in ("", ";", ")", "}"):
                    raise self.fail(stop)
                stop = (
                    self.name_end(stop, len(self.texts), True)
                    if self.is_name(stop)
                    else max(stop + 1, self.match[stop] + 1)
                )
            self.type_region(j + 1, stop)
            j = stop
        j = self.compound(j)
        self.scope = outer
        return j

    def statements_argument(self, i: int, end: int) -> None:
        """Statements as the argument of a macro, `DISPATCH(type, using T = …; k<T><<<…>>>(…))`, as
        if a lambda held them."""
        outer, self.scope = self.scope, NameScope(self.scope)
        first, last = self.stream.tokens[i], self.stream.tokens[end - 1]
        for terminal, text in (
            ("LAMBDA_OPEN", "["),
            ("CAPTURE_DEFAULT", "&"),
            ("RBRACKET", "]"),
            ("LBRACE", "{"),
        ):
            self.emit_text(terminal, text, first)
        while i < end:
            if self.find(i, end, (";", "{")) < end:
                i = self.statement(i, end)
            else:
                self.expression(i, end)
                self.emit_text("SEMI", ";", last)
                i = end
        self.emit_text("RBRACE", "}", last)
        self.scope = outer

    def _lambda_head(self, j: int) -> int:
        text = self.texts[j]
        if text == "(":
            return self.parameters(j)
        if text == "<":
            return self.template_head(j)
        if text == "noexcept":
            return self.parenthesis_end(j + 1, len(self.texts))
        if text == "requires":
            return self.requirement_end(j, len(self.texts))
        if text == "[" and self.texts[j + 1] == "[":
            return self.close_of(j) + 1
        if text in names.SPECIFIERS or self.is_name(j):
            self.emit("LAMBDA_SPECIFIER", j)
            return j + 1
        if text in names.ATTRIBUTES or text.startswith("__attribute"):
            return self.parenthesis_end(j + 1, len(self.texts))
        raise self.fail(j)

    def _capture(self, i: int, end: int) -> None:
        text = self.texts[i]
        if end == i + 1 and text in ("=", "&"):
            self.emit("CAPTURE_DEFAULT", i)
            return
        if text == "&" or text == "...":
            self.emit("CAPTURE_REFERENCE", i)
            i += 1
        elif text == "*":
            i += 1
        if i >= end or self.kinds[i] != "identifier":
            raise self.fail(i)
        self.emit("NAME", i)
        self.scope.declare(self.texts[i], VALUE)
        i += 1
        if i < end and self.texts[i] == "=":
            self.emit("INIT_ASSIGN", i)
            self.initial(i + 1, end)
        elif i < end and self.texts[i] == "{":
            self.braces(i)
        elif i < end:
            self.emit("EXPANSION", i)
