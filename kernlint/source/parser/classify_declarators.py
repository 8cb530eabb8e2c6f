"""Classifying types and declarators: specifiers, attributes, pointers, extents, parameters.

In: a position in a Stream where a type or declarator stands. Out: terminals appended to `out`,
names declared in the scopes.
"""

from __future__ import annotations

from abc import abstractmethod

from kernlint.source.parser import names
from kernlint.source.parser.classify_expressions import ExpressionClassifier
from kernlint.source.parser.names import VALUE, NameScope

BLOCK, CLASS, FILE = "block", "class", "file"
TAIL_WORDS = frozenset(
    ("const", "volatile", "override", "final", "mutable", "constexpr", "__restrict__", "try")
)


class DeclaratorClassifier(ExpressionClassifier):
    """Appends terminals for types and declarators; `place` is where they stand: in a block, a class
    or a file."""

    class_name_here = ""

    @abstractmethod
    def class_or_enum(self, i: int, stop: int) -> None: ...

    # -- types

    def specifier_items(self, items: list[tuple[str, int, int]]) -> None:
        for terminal, i, stop in items:
            if terminal == "TYPE_PATH":
                self._type_path(i, stop)
            elif terminal == "ATTRIBUTE":
                self.attribute(i, stop, "ATTRIBUTE")
            elif terminal == "CONSTRAINT":
                self.emit("CONSTRAINT", i)
                self.path(i, stop, "TYPE_NAME")
            elif terminal in ("CLASS", "ENUM"):
                self.class_or_enum(i, stop)
            elif terminal == "DECLTYPE":
                self.decltype(i, stop)
            else:
                self.emit(terminal, i)

    def _type_path(self, i: int, stop: int) -> None:
        if self.texts[i] == "typename":
            i += 1
        self.path(i, stop, "TYPE_NAME")

    def decltype(self, i: int, stop: int, terminal: str = "DECLTYPE") -> None:
        i += self.texts[i] == "typename"
        close = self.close_of(i + 1)
        if close == i + 3 and self.texts[i + 2] == "auto":
            self.emit("AUTO", i)
            return
        self.emit(terminal, i)
        if self.type_id(i + 2, close) and self.scope.find(self.texts[i + 2]) != VALUE:
            self.emit("TYPE_LPAR", i + 1)
            self.type_region(i + 2, close)
        else:
            self.emit("CALL_LPAR", i + 1)
            self.expression(i + 2, close)
        self.emit("RPAR", close)
        j = close + 1
        while j < stop:
            if self.texts[j] == "<":
                j = self.template_arguments(j)
                continue
            if self.texts[j] != "template":
                self.emit("SCOPE" if self.texts[j] == "::" else "NAME", j)
            j += 1

    def type_region(self, i: int, end: int) -> None:
        """Emits the type-id that fills [i, end)."""
        items, j, _ = self.specifiers(i, end, True)
        self.specifier_items(items)
        j = self.declarator(j, end, CLASS)
        if j != end:
            raise self.fail(j)

    def attribute(self, i: int, stop: int, terminal: str) -> None:
        """Emits the attribute [i, stop): `__launch_bounds__(…)`, `__attribute__((…, …))`,
        `alignas(…)`, `[[…]]`."""
        text = self.texts[i]
        if text == "[":
            self._attribute_list(i + 2, self.close_of(i + 1), terminal)
        elif text in ("__attribute__", "__attribute", "__declspec"):
            inner = i + 2 if text != "__declspec" else i + 1
            if inner < stop and self.texts[inner] == "(":
                self._attribute_list(inner + 1, self.close_of(inner), terminal)
        elif text == "requires":
            return
        elif text in names.ATTRIBUTES and i + 1 < stop:
            close = stop - 1
            if (
                names.ATTRIBUTES[text] == "aligned"
                and terminal == "ATTRIBUTE"
                and self.type_id(i + 2, close) == 2
            ):
                self.emit_text("ALIGN", "aligned", self.stream.tokens[i])
                self.emit("TYPE_LPAR", i + 1)
                self.type_region(i + 2, close)
                self.emit("RPAR", close)
            else:
                self._attribute_call(i, names.ATTRIBUTES[text], i + 1, terminal)

    def _attribute_list(self, i: int, end: int, terminal: str) -> None:
        for start, stop in self.split(i, end):
            while start + 2 < stop and self.texts[start + 1] == "::":
                start += 2
            if start >= stop:
                continue
            name = self.texts[start].strip("_")
            if start + 1 < stop and self.texts[start + 1] == "(":
                self._attribute_call(start, name, start + 1, terminal)
            else:
                self.emit_text(terminal, name, self.stream.tokens[start])

    def _attribute_call(self, i: int, name: str, open: int, terminal: str) -> None:
        close = self.close_of(open)
        self.emit_text(terminal + "_CALL", name, self.stream.tokens[i])
        self.emit("CALL_LPAR", open)
        self.arguments(open + 1, close)
        self.emit("RPAR", close)

    # -- declarators

    def pointers(self, j: int, end: int) -> int:
        while j < end:
            text = self.texts[j]
            if text == "*":
                self.emit("POINTER", j)
            elif text in ("&", "&&"):
                self.emit("REFERENCE", j)
            elif text in names.QUALIFIERS or text in names.ADDRESS_SPACES:
                self.emit("POINTER_QUALIFIER", j)
            elif text == "...":
                self.emit("PACK", j)
            elif text in names.SPECIFIERS:
                self.emit("POINTER_QUALIFIER", j)
            elif text in ("__attribute__", "__attribute", "__declspec") or text in names.ATTRIBUTES:
                j = self.parenthesis_end(j + 1, end)
                continue
            elif self._is_member_pointer(j, end):
                stop = self.name_end(j, end, True)
                self.emit("MEMBER_POINTER_OPEN", j)
                self.path(j, stop, "TYPE_NAME")
                self.emit("SCOPE", stop)
                self.emit("MEMBER_POINTER", stop + 1)
                j = stop + 2
                continue
            else:
                break
            j += 1
        return j

    def _is_member_pointer(self, j: int, end: int) -> bool:
        if not self.is_name(j):
            return False
        stop = self.name_end(j, end, True)
        return stop + 1 < end and self.texts[stop] == "::" and self.texts[stop + 1] == "*"

    def declarator(self, j: int, end: int, place: str, meaning: str = VALUE) -> int:
        """Emits a declarator with or without a name; in a block or file `(` after the name opens
        arguments unless they are types."""
        j = self.pointers(j, end)
        has_name = False
        if j < end and self.texts[j] == "(" and self._is_declarator_group(j, end):
            close = self.close_of(j)
            self.emit("DECLARATOR_LPAR", j)
            inner = self.declarator(j + 1, close, place, meaning)
            if inner != close:
                raise self.fail(inner)
            self.emit("RPAR", close)
            j = close + 1
        elif j < end and (self.is_name(j) or self.texts[j] in ("operator", "~", "::")):
            has_name = True
            j = self._declared_name(j, end, meaning)
        return self._declarator_suffixes(j, end, place if has_name else CLASS)

    def _is_declarator_group(self, j: int, end: int) -> bool:
        close = self.match[j]
        if close < 0:
            return False
        text = self.texts[j + 1]
        if text in ("*", "&", "&&", "^"):
            return True
        if text == "(":
            return self._is_declarator_group(j + 1, close)
        if self._is_member_pointer(j + 1, close):
            return True
        return (
            close == j + 2
            and self.is_name(j + 1)
            and close + 1 < end
            and self.texts[close + 1] in ("(", "[", ")", ";", ",")
        )

    def _declared_name(self, j: int, end: int, meaning: str) -> int:
        if self.is_name(j) and (j + 1 >= end or self.texts[j + 1] not in ("::", "<")):
            self.emit("DECLARED", j)
            if self.texts[j] != self.class_name_here:  # a constructor
                self.scope.declare(self.texts[j], meaning)
            return j + 1
        if self.texts[j] == "~":
            self.emit_text("DECLARED", "~" + self.texts[j + 1], self.stream.tokens[j])
            return j + 2
        stop = (
            self.operator_end(j, end)
            if self.texts[j] == "operator"
            else self.name_end(j, end, True)
        )
        if (
            self.texts[stop - 1] == ">"
            and stop < end
            and self.texts[stop] != "("
            and self.texts[j + 1] == "<"
            and self.texts[stop] != "::"
        ):
            self.path(j, stop, "DECLARED_HEAD")  # a variable template's specialisation
            return stop
        self.path(j, stop, "DECLARED_HEAD")
        return stop

    def _opens_parameters(self, j: int, place: str) -> bool:
        if place == CLASS or self.is_parameter_list(j, place == BLOCK):
            return True
        after = self.match[j] + 1
        return place == FILE and after < len(self.texts) and self.texts[after] == "{"

    def _declarator_suffixes(self, j: int, end: int, place: str) -> int:
        texts = self.texts
        is_function = False
        while j < end:
            text = texts[j]
            if text == "[" and texts[j + 1] != "[":
                close = self.close_of(j)
                self.emit("EXTENT_LBRACKET", j)
                if close > j + 1:
                    self.expression(self._after_extent_words(j + 1), close)
                self.emit("RBRACKET", close)
                j = close + 1
            elif text in names.ASM_WORDS and texts[j + 1] == "(":  # the name in the object file
                j = self.parenthesis_end(j + 1, end)
            elif text == "(" and self._opens_parameters(j, place):
                j = self.parameters(j)
                is_function = True
            elif (
                is_function
                or text in ("[", "__attribute__", "__attribute", "alignas")
                or text in names.ATTRIBUTES
                or self.is_macro_behind_name(j, end)
            ):
                after = self._function_tail(j, end)
                if after == j:
                    break
                j = after
            else:
                break
        return j

    def _after_extent_words(self, i: int) -> int:
        while self.texts[i] in ("static", "const", "restrict", "volatile"):
            i += 1
        return i

    def _function_tail(self, j: int, end: int) -> int:
        text = self.texts[j]
        if text in TAIL_WORDS:
            self.emit("TAIL_QUALIFIER", j)
            return j + 1
        if text in ("&", "&&"):
            self.emit("TAIL_REFERENCE", j)
            return j + 1
        if text in ("noexcept", "throw"):
            self.emit_text("TAIL_QUALIFIER", "noexcept", self.stream.tokens[j])
            return self.parenthesis_end(j + 1, end)
        if text in ("__attribute__", "__attribute", "__declspec") or text in names.ATTRIBUTES:
            stop = self.parenthesis_end(j + 1, end)
            self.attribute(j, stop, "TAIL_ATTRIBUTE")
            return stop
        if text == "[" and self.texts[j + 1] == "[":
            stop = self.close_of(j) + 1
            self.attribute(j, stop, "TAIL_ATTRIBUTE")
            return stop
        if text == "->":
            outer = self.scope
            self.scope = self.last_parameters or outer
            self.emit("ARROW", j)
            k = self.specifiers(j + 1, end)[1]
            stop, _ = self.abstract_declarator(k, end)
            self.type_region(j + 1, stop)
            self.scope = outer
            return stop
        if text == "requires":
            return self.requires_clause(j, end, "TAIL_ATTRIBUTE_CALL")
        if self.is_macro_behind_name(j, end):
            self.emit_text("TAIL_ATTRIBUTE", text, self.stream.tokens[j])
            return self.parenthesis_end(j + 1, end)
        return j

    def parameters(self, i: int) -> int:
        """Emits the parameter list at i in a scope of its own, kept in `last_parameters` for the
        body."""
        close = self.close_of(i)
        outer = self.scope
        scope = NameScope(outer)
        self.scope = scope
        self.emit("PARAM_LPAR", i)
        if close > i + 1:
            for number, (start, stop) in enumerate(self.split(i + 1, close, True)):
                if number:
                    self.emit("COMMA", start - 1)
                self.parameter(start, stop)
        self.emit("RPAR", close)
        self.scope = outer
        self.last_parameters = scope
        return close + 1

    def parameter(self, i: int, end: int) -> None:
        if i >= end:
            raise self.fail(end)
        if self.texts[i] == "..." and end == i + 1:
            self.emit("ELLIPSIS", i)
            return
        items, j, certainty = self.specifiers(i, end, True)
        if not certainty:
            raise self.fail(i)
        self.specifier_items(items)
        j = self.declarator(j, end, CLASS)
        if j < end and self.texts[j] == "=":
            self.emit("INIT_ASSIGN", j)
            self.initial(j + 1, end)
        elif j != end:
            raise self.fail(j)
