"""Classifying classes, enumerations, templates and using-declarations.

In: the position of their first word. Out: terminals appended to `out`, names declared in the
scopes.
"""

from __future__ import annotations

from abc import abstractmethod

from kernlint.source.parser import names
from kernlint.source.parser.classify_declarators import CLASS, DeclaratorClassifier
from kernlint.source.parser.names import CLASS_TEMPLATE, NAMESPACE, TYPE, VALUE, NameScope


class ClassClassifier(DeclaratorClassifier):
    """Appends terminals for what declares types and templates."""

    @abstractmethod
    def declaration(self, i: int, end: int, place: str) -> int: ...

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
        pack = self.stream.packing(i)
        if pack and not is_enum:
            self.emit_text("ATTRIBUTE", f"pack {pack}", self.stream.tokens[i])
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
        scope = NameScope(self.scope)
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
            scope.put(name, TYPE)
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
        inner = NameScope()
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
            inner.put(self.texts[start], VALUE)
            equals = self.find(start, end, ("=",))
            if equals < end:
                self.emit("INIT_ASSIGN", equals)
                self.expression(equals + 1, end)
        self.emit("RBRACE", close)
        if name:
            self.scope.attach(name, inner)

    # -- templates and using

    def template_head(self, i: int) -> int:
        """Emits `<params>` at i and opens the scope of its parameters in `scope`; returns the
        position behind it."""
        close = self.angle_close(i, len(self.texts))
        if close < 0:
            raise self.fail(i)
        self.scope = NameScope(self.scope, is_template=True)
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
        constraint = self._constraint_end(i, end)
        if not constraint and not self._is_type_parameter(i, end):
            return self._value_parameter(i, end)
        if constraint:
            self.emit("CONSTRAINT", i)
            self.path(i, constraint, "TYPE_NAME")
            self.emit_text("TYPE_PARAM", "typename", self.stream.tokens[i])
        else:
            self.emit("TYPE_PARAM", i)
        i = constraint or i + 1
        if i < end and self.texts[i] == "...":
            self.emit("PACK", i)
            i += 1
        if i < end and self.is_name(i):
            self.emit("NAME", i)
            self.scope.put(self.texts[i], meaning)
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

    def _constraint_end(self, i: int, end: int) -> int:
        """Behind the concept that constrains a type parameter, `concept T` or `concept... T`; 0 if
        the parameter is none of these."""
        if not self.is_name(i) and self.texts[i] != "::":
            return 0
        stop = self.name_end(i, end, True)
        named = stop + (stop < end and self.texts[stop] == "...")
        if named < end and self.texts[named] != "=" and not self.is_name(named):
            return 0
        words = [text for text in self.texts[i : self.find(i, stop, ("<",))] if text != "::"]
        if words[-1] in self.stream.concepts:
            return stop
        if "std" in words:
            return stop if words[-1] in names.STANDARD_CONCEPTS else 0
        is_unknown = self.meaning(i, stop) is None and not names.known_type(words[-1])
        return stop if is_unknown and named < end and self._names_a_type(named, end) else 0

    def _names_a_type(self, i: int, end: int) -> bool:
        """Whether the template whose head's parameter is the name at i declares something of that
        type."""
        texts, name = self.texts, self.texts[i]
        stop = self.find(end, len(texts), ("{", ";"))
        if texts[stop] == "{" and self.match[stop] > 0:
            stop = self.match[stop]
        return any(
            texts[k] == name and self.kinds[k + 1] == "identifier" and self.is_name(k + 1)
            for k in range(end, min(stop, self.stream.size - 1))
        )

    def _value_parameter(self, i: int, end: int) -> None:
        if self.is_name(i) or self.texts[i] == "::":
            stop = self.name_end(i, end, True)
            i = stop if stop < end and self.texts[stop] == "auto" else i  # behind a concept
        items, j, _ = self.specifiers(i, end)
        self.specifier_items(items)
        outer, self.scope = self.scope, NameScope(self.scope)
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
                j = self.requires_clause(j, end, "REQUIRES")
            j = (
                self.template(j, end, place)
                if self.texts[j] == "template"
                else self.declaration(j, end, place)
            )
        self.scope = outer
        return j

    def using(self, i: int, end: int) -> int:
        semicolon = self.find(i, end, (";",))
        if semicolon >= end:
            raise self.fail(i, "';' is missing after 'using'")
        self.emit("USING", i)
        if self.texts[i + 1] == "enum":
            i += 1
            self.emit("ENUM", i)
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
            self._used_names(i + 1, semicolon)
        self.emit("SEMI", semicolon)
        return semicolon + 1

    def _used_names(self, i: int, end: int) -> None:
        """`A::f, B::g`, `Bases::f...`."""
        for first, last in self.split(i, end):
            stop = last - (self.texts[last - 1] == "...")
            self._type_path(first, stop)
            found = self.meaning(first, stop)
            if found is not None:
                self.scope.declare(self.texts[stop - 1], found)
            if stop < last:
                self.emit("PACK", stop)
            if last < end:
                self.emit("COMMA", last)

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
