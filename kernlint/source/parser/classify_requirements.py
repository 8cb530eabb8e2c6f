"""Classifying what C++20 asks of types: requires expressions and clauses.

In: tokens. Out: terminals; a requirement that cannot be read says nothing and loses no function.
"""

from __future__ import annotations

from kernlint.base.span import SourceError
from kernlint.source.parser.classify_operands import OperandClassifier


class RequirementClassifier(OperandClassifier):
    """`requires (T x) { … }` and `requires a<T> && …`."""

    def requires_expression(self, i: int, end: int) -> int:
        """Emits `requires (T x) { … }`."""
        opening = self.parenthesis_end(i + 1, end)
        if opening >= end or self.texts[opening] != "{":
            raise self.fail(i)
        close = self.close_of(opening)
        outer, parameters = self.scope, self.last_parameters
        self.emit("REQUIRES_EXPR", i)
        if opening > i + 1:
            self.parameters(i + 1)
            self.scope = self.last_parameters or outer
        self.emit("CLASS_LBRACE", opening)
        j = opening + 1
        while j < close:
            stop = self.find(j, close, (";",))
            self._requirement(j, stop)
            self.emit_text("SEMI", ";", self.stream.tokens[min(stop, close)])
            j = stop + 1
        self.emit("RBRACE", close)
        self.scope, self.last_parameters = outer, parameters
        return close + 1

    def _requirement(self, i: int, end: int) -> None:
        """Emits one requirement; one that cannot be read says nothing."""
        before, scope = len(self.out), self.scope
        try:
            self._known_requirement(i, end)
        except SourceError:
            del self.out[before:]
            self.scope = scope
            self.emit("UNREAD_REQUIREMENT", i)

    def _known_requirement(self, i: int, end: int) -> None:
        text = self.texts[i]
        if text == "typename":
            self.emit("TYPE_REQUIREMENT", i)
            return self.type_region(i, end)
        if text == "requires":
            self.emit("NESTED_REQUIREMENT", i)
            return self.expression(i + 1, end)
        if text != "{":
            self.emit("REQUIREMENT", i)
            return self.expression(i, end)
        close = self.close_of(i)
        arrow = self.find(close, end, ("->",))
        self.emit("RESULT_REQUIREMENT" if arrow < end else "REQUIREMENT", i)
        self.expression(i + 1, close)
        if arrow < end:
            self.emit("CONSTRAINT", arrow)
            self.path(arrow + 1, end, "TYPE_NAME")
        return None

    def requires_clause(self, j: int, end: int, terminal: str) -> int:
        """Emits `requires a<T> && …` at j as the arguments of `terminal`; one that cannot be read
        says nothing."""
        stop = self.requirement_end(j, end)
        before, scope = len(self.out), self.scope
        try:
            self.emit(terminal, j)
            self.emit_text("CALL_LPAR", "(", self.stream.tokens[j])
            self.expression(j + 1, stop)
            self.emit_text("RPAR", ")", self.stream.tokens[stop - 1])
        except SourceError:
            del self.out[before:]
            self.scope = scope
        return stop
