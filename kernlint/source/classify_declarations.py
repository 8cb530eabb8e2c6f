"""Classifying declarations: specifiers, declarators, parameters, classes, enumerations, templates, using.

In: a position in a Stream where a declaration stands. Out: terminals appended to `out`, names declared in the scopes.
Bodies of functions become one terminal each, to be classified later.
"""

from __future__ import annotations

from kernlint.source import names
from kernlint.source.classify_expressions import ExpressionClassifier
from kernlint.source.names import CLASS_TEMPLATE, NAMESPACE, TYPE, VALUE, Scope
from kernlint.source.terminals import BodyTerminal

BLOCK, CLASS, FILE = "block", "class", "file"
TAIL_WORDS = frozenset(("const", "volatile", "override", "final", "mutable", "constexpr", "__restrict__", "try"))


class DeclarationClassifier(ExpressionClassifier):
    """Appends terminals for declarations; `place` is where they stand: in a block, a class or a file."""

    class_name_here = ""
    last_parameters: Scope | None = None

    # -- types

    def specifier_items(self, items: list[tuple[str, int, int]]) -> None:
        for terminal, i, stop in items:
            if terminal == "TYPE_PATH":
                self._type_path(i, stop)
            elif terminal == "ATTRIBUTE":
                self.attribute(i, stop, "ATTRIBUTE")
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
        """Emits the attribute [i, stop): `__launch_bounds__(…)`, `__attribute__((…, …))`, `alignas(…)`, `[[…]]`."""
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
            if names.ATTRIBUTES[text] == "aligned" and terminal == "ATTRIBUTE" and self.type_id(i + 2, close) == 2:
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
        """Emits a declarator with or without a name; in a block or file `(` after the name opens arguments unless they are types."""
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
        return close == j + 2 and self.is_name(j + 1) and close + 1 < end and self.texts[close + 1] in ("(", "[", ")", ";", ",")

    def _declared_name(self, j: int, end: int, meaning: str) -> int:
        if self.is_name(j) and (j + 1 >= end or self.texts[j + 1] not in ("::", "<")):
            self.emit("DECLARED", j)
            if self.texts[j] != self.class_name_here:  # a constructor
                self.scope.declare(self.texts[j], meaning)
            return j + 1
        if self.texts[j] == "~":
            self.emit_text("DECLARED", "~" + self.texts[j + 1], self.stream.tokens[j])
            return j + 2
        stop = self.operator_end(j, end) if self.texts[j] == "operator" else self.name_end(j, end, True)
        if self.texts[stop - 1] == ">" and stop < end and self.texts[stop] != "(" and self.texts[j + 1] == "<" and self.texts[stop] != "::":
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
            elif text == "(" and self._opens_parameters(j, place):
                j = self.parameters(j)
                is_function = True
            elif is_function or text in ("[", "__attribute__", "__attribute", "alignas") or text in names.ATTRIBUTES:
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
            items, k, _ = self.specifiers(j + 1, end)
            stop, _ = self.abstract_declarator(k, end)
            self.type_region(j + 1, stop)
            self.scope = outer
            return stop
        if text == "requires":
            return self.parenthesis_end(j + 1, end)
        if text in ("asm", "__asm__") and self.texts[j + 1] == "(":
            return self.parenthesis_end(j + 1, end)
        return j

    def parameters(self, i: int) -> int:
        """Emits the parameter list at i in a scope of its own, kept in `last_parameters` for the body."""
        close = self.close_of(i)
        outer = self.scope
        scope = Scope(outer)
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

    # -- classes and enumerations

    def class_or_enum(self, i: int, stop: int) -> None:
        has_body = self.texts[stop - 1] == "}"
        start, name_stop = self.class_name(i, stop)
        if not has_body and not (self.texts[i] == "enum" and name_stop < stop):
            self.emit("ELABORATED_KEY", i)
            self.path(start, name_stop, "TYPE_NAME")
            self.scope.declare(self.texts[start], TYPE)
            return
        is_enum = self.texts[i] == "enum"
        self.emit("ENUM" if is_enum else "CLASS_KEY", i)
        j = i + 1
        while j < start:
            if self.texts[j] in names.CLASS_KEYS:
                self.emit("CLASS_KEY", j)
                j += 1
            elif self.texts[j] == "[":
                self.attribute(j, self.close_of(j) + 1, "ATTRIBUTE")
                j = self.close_of(j) + 1
            elif self.texts[j] in names.ATTRIBUTES or self.texts[j].startswith("__"):
                after = self.parenthesis_end(j + 1, stop)
                self.attribute(j, after, "ATTRIBUTE")
                j = after
            else:
                j += 1
        is_final = self.texts[name_stop - 1] == "final" and name_stop - 1 > start
        if name_stop > start:
            self.path(start, name_stop - 1 if is_final else name_stop, "TYPE_NAME")
        name = self.texts[start] if name_stop > start else ""
        if is_enum:
            self._enumeration(name, name_stop, stop)
        else:
            self._class_rest(name, name_stop, stop)

    def _class_rest(self, name: str, j: int, stop: int) -> None:
        scope = Scope(self.scope)
        if name:
            self.scope.declare(name, TYPE)
            self.scope.attach(name, scope)
        if self.texts[j] == ":":
            brace = self.find(j, stop, ("{",), True)
            self.emit("BASE_COLON", j)
            for number, (start, end) in enumerate(self.split(j + 1, brace, True)):
                if number:
                    self.emit("COMMA", start - 1)
                while self.texts[start] in ("public", "private", "protected", "virtual"):
                    self.emit("BASE_SPECIFIER", start)
                    start += 1
                base = self.scope.inner(self.texts[start])
                if base is not None:
                    scope.names.update(base.names)
                if self.texts[end - 1] == "...":
                    self.path(start, end - 1, "TYPE_NAME")
                    self.emit("EXPANSION", end - 1)
                else:
                    self._type_path(start, end)
            j = brace
        close = self.close_of(j)
        self.emit("CLASS_LBRACE", j)
        outer, outer_class = self.scope, self.class_name_here
        self.scope, self.class_name_here = scope, name
        if name:
            scope.names[name] = TYPE
        j += 1
        while j < close:
            j = self.member(j, close)
        self.scope, self.class_name_here = outer, outer_class
        self.emit("RBRACE", close)

    def member(self, i: int, end: int) -> int:
        text = self.texts[i]
        if self.kinds[i] == "pragma":
            return i + 1
        if text in ("public", "private", "protected") and self.texts[i + 1] == ":":
            self.emit("ACCESS", i)
            self.emit("COLON", i + 1)
            return i + 2
        return self.declaration(i, end, CLASS)

    def _enumeration(self, name: str, j: int, stop: int) -> None:
        if name:
            self.scope.declare(name, TYPE)
        inner = Scope()
        if self.texts[j] == ":":
            brace = self.find(j, stop, ("{",))
            self.emit("BASE_COLON", j)
            self.type_region(j + 1, brace)
            j = brace
        close = self.close_of(j)
        self.emit("ENUM_LBRACE", j)
        for number, (start, end) in enumerate(self.split(j + 1, close)):
            if number:
                self.emit("COMMA", start - 1)
            if start == end:
                continue
            self.emit("NAME", start)
            self.scope.declare(self.texts[start], VALUE)
            inner.names[self.texts[start]] = VALUE
            equals = self.find(start, end, ("=",))
            if equals < end:
                self.emit("INIT_ASSIGN", equals)
                self.expression(equals + 1, end)
        self.emit("RBRACE", close)
        if name:
            self.scope.attach(name, inner)

    # -- templates and using

    def template_head(self, i: int) -> int:
        """Emits `<params>` at i and opens the scope of its parameters in `scope`; returns the position behind it."""
        close = self.angle_close(i, len(self.texts))
        if close < 0:
            raise self.fail(i)
        self.scope = Scope(self.scope, is_template=True)
        self.emit("TEMPLATE_OPEN", i)
        if close > i + 1:
            for number, (start, stop) in enumerate(self.split(i + 1, close, True)):
                if number:
                    self.emit("COMMA", start - 1)
                self._template_parameter(start, stop)
        self.emit("TEMPLATE_CLOSE", close)
        return close + 1

    def _template_parameter(self, i: int, end: int) -> None:
        meaning = TYPE
        if self.texts[i] == "template":
            self.emit("TEMPLATE", i)
            outer = self.scope
            i = self.template_head(i + 1)
            self.scope = outer
            meaning = CLASS_TEMPLATE
        if not self._is_type_parameter(i, end):
            return self._value_parameter(i, end)
        self.emit("TYPE_PARAM", i)
        i += 1
        if i < end and self.texts[i] == "...":
            self.emit("PACK", i)
            i += 1
        if i < end and self.is_name(i):
            self.emit("NAME", i)
            self.scope.names[self.texts[i]] = meaning
            i += 1
        if i < end and self.texts[i] == "=":
            self.emit("INIT_ASSIGN", i)
            self.type_region(i + 1, end)
        elif i < end:
            raise self.fail(i)
        return None

    def _is_type_parameter(self, i: int, end: int) -> bool:
        if self.texts[i] not in ("typename", "class"):
            return False
        j = i + 1
        if j < end and self.texts[j] == "...":
            j += 1
        if j < end and self.is_name(j):
            j += 1
        return j >= end or self.texts[j] == "="

    def _value_parameter(self, i: int, end: int) -> None:
        items, j, _ = self.specifiers(i, end)
        self.specifier_items(items)
        outer, self.scope = self.scope, Scope(self.scope)
        j = self.declarator(j, end, CLASS)
        outer.names.update(self.scope.names)
        self.scope = outer
        if j < end and self.texts[j] == "=":
            self.emit("INIT_ASSIGN", j)
            self.initial(j + 1, end)
        elif j != end:
            raise self.fail(j)

    def template(self, i: int, end: int, place: str) -> int:
        self.emit("TEMPLATE", i)
        outer = self.scope
        if self.texts[i + 1] != "<":
            j = self.declaration(i + 1, end, place)
        else:
            j = self.template_head(i + 1)
            if self.texts[j] == "requires":
                j = self._skip_requirement(j, end)
            j = self.template(j, end, place) if self.texts[j] == "template" else self.declaration(j, end, place)
        self.scope = outer
        return j

    def _skip_requirement(self, j: int, end: int) -> int:
        j += 1
        while j < end:
            j = self.name_end(j, end, True) if self.is_name(j) else self.parenthesis_end(j, end)
            if j < end and self.texts[j] in ("&&", "||"):
                j += 1
                continue
            return j
        return j

    def using(self, i: int, end: int) -> int:
        semicolon = self.find(i, end, (";",))
        if semicolon >= end:
            raise self.fail(i, "';' is missing after 'using'")
        self.emit("USING", i)
        if self.texts[i + 1] == "namespace":
            self.emit("NAMESPACE", i + 1)
            self.path(i + 2, semicolon, "TYPE_NAME")
            other = self.scope.inner(self.texts[semicolon - 1])
            if other is not None:
                for name, meaning in other.names.items():
                    self.scope.names.setdefault(name, meaning)
                self.scope.members.update(other.members)
        elif self.find(i, semicolon, ("=",)) < semicolon:
            equals = self.find(i, semicolon, ("=",))
            self.emit("NAME", i + 1)
            if self.texts[i + 2] in ("[", "__attribute__"):
                self.attribute(i + 2, equals, "ATTRIBUTE")
            self.emit("INIT_ASSIGN", equals)
            self.type_region(equals + 1, semicolon)
            self.scope.declare(self.texts[i + 1], TYPE)
        else:
            self._type_path(i + 1, semicolon)
            meaning = self.meaning(i + 1, semicolon)
            if meaning is not None:
                self.scope.declare(self.texts[semicolon - 1], meaning)
        self.emit("SEMI", semicolon)
        return semicolon + 1

    def namespace_alias(self, i: int, end: int) -> int:
        semicolon = self.find(i, end, (";",))
        self.emit("NAMESPACE", i)
        self.emit("NAME", i + 1)
        self.emit("INIT_ASSIGN", i + 2)
        self.path(i + 3, semicolon, "TYPE_NAME")
        self.emit("SEMI", semicolon)
        other = self.scope.inner(self.texts[semicolon - 1])
        self.scope.declare(self.texts[i + 1], NAMESPACE)
        if other is not None:
            self.scope.attach(self.texts[i + 1], other)
        return semicolon + 1

    # -- declarations

    def declaration(self, i: int, end: int, place: str) -> int:
        """Emits one declaration or function definition; returns the position behind its `;` or body."""
        text = self.texts[i]
        if self.kinds[i] == "pragma":
            self.emit("PRAGMA", i)
            return i + 1
        if text == ";":
            self.emit("SEMI", i)
            return i + 1
        if text == "template":
            return self.template(i, end, place)
        if text == "using":
            return self.using(i, end)
        if text == "namespace":
            return self.namespace_alias(i, end)
        if text in ("static_assert", "_Static_assert"):
            return self._static_assertion(i)
        if text == "friend":
            return self._friend(i, end)
        if text == "extern" and self.kinds[i + 1] == "string":
            i += 2
        return self._simple_declaration(i, end, place)

    def _static_assertion(self, i: int) -> int:
        self.emit("STATIC_ASSERT", i)
        close = self.close_of(i + 1)
        self.emit("CALL_LPAR", i + 1)
        self.arguments(i + 2, close)
        self.emit("RPAR", close)
        self.emit("SEMI", close + 1)
        return close + 2

    def _friend(self, i: int, end: int) -> int:
        self.emit("FRIEND", i)
        j = i
        while j < end and self.texts[j] not in (";", "{"):
            j = self.match[j] + 1 if self.texts[j] in ("(", "[") and self.match[j] > 0 else j + 1
        return self.close_of(j) + 1 if j < end and self.texts[j] == "{" else j + 1

    def _simple_declaration(self, i: int, end: int, place: str) -> int:
        items, j, _ = self.specifiers(i, end, True)
        if place == CLASS and self._is_constructor(items, j):
            j = items[-1][1]
            items = items[:-1]
        if not items or not any(item[0] not in ("SPECIFIER", "QUALIFIER", "ATTRIBUTE") for item in items):
            self.emit("NO_TYPE", i)
        meaning = TYPE if any(self.texts[start] == "typedef" for _, start, _ in items) else VALUE
        self.specifier_items(items)
        if j < end and (self.texts[j] == "[" or (self.texts[j] in ("&", "&&") and self.texts[j + 1] == "[")):
            return self._structured_binding(j, end)
        while True:
            j = self._init_declarator(j, end, place, meaning)
            if j > 0 and self.texts[j - 1] == "}" and self.out[-1].type == "BODY":
                return j
            if j >= end:
                raise self.fail(end)
            if self.texts[j] == ",":
                self.emit("COMMA", j)
                j += 1
                continue
            if self.texts[j] == ";":
                self.emit("SEMI", j)
                return j + 1
            raise self.fail(j)

    def _is_constructor(self, items: list[tuple[str, int, int]], j: int) -> bool:
        """Whether the last specifier is really the name of the class before its constructor's parenthesis."""
        return bool(items) and items[-1][0] == "TYPE_PATH" and self.texts[items[-1][1]] == self.class_name_here and j < len(self.texts) and self.texts[j] == "("

    def _structured_binding(self, j: int, end: int) -> int:
        if self.texts[j] != "[":
            self.emit("BINDING_REFERENCE", j)
            j += 1
        j = self.binding_names(j)
        if self.texts[j] == "=":
            semicolon = self.find(j, end, (";",))
            self.emit("INIT_ASSIGN", j)
            self.initial(j + 1, semicolon)
            j = semicolon
        elif self.texts[j] == "{":
            j = self.braces(j)
        self.emit("SEMI", j)
        return j + 1

    def binding_names(self, j: int) -> int:
        close = self.close_of(j)
        self.emit("BINDING_OPEN", j)
        for k in range(j + 1, close):
            if self.texts[k] == ",":
                self.emit("COMMA", k)
            else:
                self.emit("NAME", k)
                self.scope.declare(self.texts[k], VALUE)
        self.emit("RBRACKET", close)
        return close + 1

    def _init_declarator(self, j: int, end: int, place: str, meaning: str) -> int:
        outer = self.scope
        start = j
        member_scope = self._member_scope(j, end)
        if member_scope is not None:
            self.scope = Scope(outer)
            self.scope.names, self.scope.members = member_scope.names, member_scope.members
        self.last_parameters = None
        j = self.declarator(j, end, place, meaning)
        j = self._initializer(j, end, place, start)
        self.scope = outer
        return j

    def _member_scope(self, j: int, end: int) -> Scope | None:
        while j < end and self.texts[j] in ("*", "&", "&&", "const"):
            j += 1
        if not self.is_name(j) or j + 1 >= end or self.texts[j + 1] not in ("::", "<"):
            return None
        return self.scope.inner(self.texts[j])

    def _initializer(self, j: int, end: int, place: str, start: int) -> int:
        if j >= end:
            return j
        text = self.texts[j]
        if text == ":" and place == CLASS and self.last_parameters is None:
            self.emit("BIT_COLON", j)
            stop = self.find(j + 1, end, (",", ";", "=", "{"))
            self.expression(j + 1, stop)
            j, text = stop, self.texts[stop]
        if text == "=":
            following = self.texts[j + 1]
            self.emit("INIT_ASSIGN", j)
            if self.last_parameters is not None and (following in ("default", "delete") or following == "0") and place != BLOCK:
                self.emit("DELETED", j + 1)
                return j + 2
            stop = self.find(j + 1, end, (",", ";"))
            self.initial(j + 1, stop)
            return stop
        if text == "{" and self.last_parameters is not None and place != BLOCK:
            return self.body(j)
        if text == ":" and self.last_parameters is not None and place != BLOCK:
            return self._member_initializers(j)
        if text == "{":
            return self.braces(j)
        if text == "(":
            close = self.close_of(j)
            self.emit("INIT_LPAR", j)
            self.arguments(j + 1, close)
            self.emit("RPAR", close)
            return close + 1
        return j

    def _member_initializers(self, j: int) -> int:
        self.emit("MEMBER_INIT_COLON", j)
        outer = self.scope
        self.scope = self.last_parameters or outer
        parameters = self.last_parameters
        j += 1
        while True:
            stop = self.name_end(j, len(self.texts), True)
            self.path(j, stop, "TYPE_NAME")
            j = self._constructor(stop) if self.texts[stop] == "(" else self.braces(stop)
            if self.texts[j] == "...":
                self.emit("EXPANSION", j)
                j += 1
            if self.texts[j] != ",":
                break
            self.emit("COMMA", j)
            j += 1
        self.scope = outer
        self.last_parameters = parameters
        if self.texts[j] != "{":
            raise self.fail(j)
        return self.body(j)

    def body(self, i: int) -> int:
        """Emits the function body at i as one terminal."""
        close = self.close_of(i)
        self.out.append(BodyTerminal(self.stream, i, close, self.last_parameters or self.scope))
        return close + 1
