"""Classifying declarations: variables, functions, structured bindings, assertions, friends.

In: a position in a Stream where a declaration stands. Out: terminals appended to `out`, names
declared in the scopes. Bodies of functions become one terminal each, to be classified later.
"""

from __future__ import annotations

from itertools import pairwise

from kernlint.source.parser import names
from kernlint.source.parser.classify_classes import ClassClassifier
from kernlint.source.parser.classify_declarators import BLOCK, CLASS, FILE
from kernlint.source.parser.names import TYPE, VALUE, NameScope
from kernlint.source.parser.terminals import BodyTerminal

__all__ = ["BLOCK", "CLASS", "FILE", "DeclarationClassifier"]


class DeclarationClassifier(ClassClassifier):
    """Appends terminals for declarations; `place` is where they stand: in a block, a class or a
    file."""

    def declaration(self, i: int, end: int, place: str) -> int:
        """Emits one declaration or function definition; returns the position behind its `;` or
        body."""
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
        if text == "concept":
            return self._concept(i, end)
        if text == "friend":
            return self._friend(i, end, place)
        if text == "extern" and self.texts[i + 1] == "template":
            if self.texts[i + 2] != "<":
                self.emit("EXTERN", i)
            return self.template(i + 1, end, place)
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

    def _concept(self, i: int, end: int) -> int:
        """Emits `concept C = …;` as the constant that it is."""
        semicolon = self.find(i, end, (";",))
        if self.texts[i + 2] != "=":
            raise self.fail(i + 2)
        self.emit_text("SPECIFIER", "constexpr", self.stream.tokens[i])
        self.emit_text("TYPE_WORD", "bool", self.stream.tokens[i])
        self._declared_name(i + 1, end, VALUE)
        self.emit("INIT_ASSIGN", i + 2)
        self.initial(i + 3, semicolon)
        self.emit("SEMI", semicolon)
        return semicolon + 1

    def _friend(self, i: int, end: int, place: str) -> int:
        """A function that is defined in the class belongs to the namespace around it; what is only
        declared says nothing."""
        j = i
        while j < end and self.texts[j] not in (";", "{"):
            j = self.match[j] + 1 if self.texts[j] in ("(", "[") and self.match[j] > 0 else j + 1
        if j < end and self.texts[j] == "{":
            self.emit_text("SPECIFIER", names.FRIEND, self.stream.tokens[i])
            return self._simple_declaration(i + 1, end, place)
        self.emit("FRIEND", i)
        return j + 1

    def _simple_declaration(self, i: int, end: int, place: str) -> int:
        items, j, _ = self.specifiers(i, end, True)
        if place == FILE and (behind := self._kernel_of_macro(items, i, j, end)) >= 0:
            return behind
        if self._is_untyped(items, j, place):
            j = items[-1][1]
            items = items[:-1]
        if not items or not any(
            item[0] not in ("SPECIFIER", "QUALIFIER", "ATTRIBUTE") for item in items
        ):
            self.emit("NO_TYPE", i)
        meaning = TYPE if any(self.texts[start] == "typedef" for _, start, _ in items) else VALUE
        self.specifier_items(items)
        if self._is_hidden_kernel(items, i, j):
            for word in (names.ASSUMED_KERNEL, "__kernel" if self.is_opencl else "__global__"):
                self.emit_text("SPECIFIER", word, self.stream.tokens[i])
        if j < end and (
            self.texts[j] == "[" or (self.texts[j] in ("&", "&&") and self.texts[j + 1] == "[")
        ):
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

    def _is_hidden_kernel(self, items: list[tuple[str, int, int]], i: int, j: int) -> bool:
        """Whether a macro of a header that is not there makes the function declared at i, behind
        its specifiers at j, a kernel: it is named so, `__launch_bounds__` stands beside it, or the
        file launches the function."""
        texts = self.texts
        words = [texts[start] for terminal, start, _ in items if terminal == "SPECIFIER"]
        macros = [word for word in words if word not in names.SPECIFIERS]
        if any(map(names.KERNEL_MACRO.search, macros)):
            return True
        is_void = any(texts[start:stop] == ["void"] for _, start, stop in items)
        if self.is_opencl or not is_void or not names.EXECUTION_SPACES.isdisjoint(words):
            return False
        if texts[j + 1] != "(" or not self.is_name(j):
            return False
        bounded = any(texts[start] == "__launch_bounds__" for _, start, _ in items)
        is_launched = (texts[j], self.stream.tokens[j].use.path) in self.stream.launched
        named = any(map(names.GLOBAL_MACRO.search, macros))
        if not macros and i and texts[i - 1] == ")":  # `MACRO(128) void f(`
            macros = [texts[self.match[i - 1] - 1]]
        return bounded or named or (is_launched and bool(macros))

    def _kernel_of_macro(self, items: list[tuple[str, int, int]], i: int, j: int, end: int) -> int:
        """Emits a function that a macro makes a kernel and gives the index behind it; -1 for any
        other."""
        macro, declarator = self._macro_of_kernel(items, i, j, end)
        if macro < 0:
            return -1
        for terminal, word in names.MADE_KERNEL:
            self.emit_text(terminal, word or self.texts[macro], self.stream.tokens[i])
        return self._init_declarator(declarator, end, FILE, VALUE)

    def _macro_of_kernel(
        self, items: list[tuple[str, int, int]], i: int, j: int, end: int
    ) -> tuple[int, int]:
        """Of a function without a type, `MACRO(name)(…) { … }` or `MACRO(…) name(…) { … }`, that the
        file launches or that asks which thread runs it: the macro of a header that is not there and
        where its declarator begins; -1 twice for any other."""
        is_word = [(terminal, stop - start) for terminal, start, stop in items] == [
            ("TYPE_PATH", 1)
        ]
        if self.is_opencl or not is_word or self.texts[j : min(j + 1, end)] != ["("]:
            return -1, -1
        close = self.match[j]
        before = self.match[i - 1] - 1 if i and self.texts[i - 1] == ")" else -1
        if self.texts[j + 2 : j + 4] == [")", "("]:
            macro, name, begin, close = j - 1, j + 1, j, self.match[j + 3]
        elif before >= 0 and self.is_name(before):
            macro, name, begin = before, j - 1, j - 1
        else:
            return -1, -1
        is_defined = 0 < close < end - 1 and self.texts[close + 1] == "{"
        if not is_defined:
            return -1, -1
        return (macro, begin) if self._runs_in_threads(name, close + 1) else (-1, -1)

    def _runs_in_threads(self, name: int, body: int) -> bool:
        """Whether the file launches what is named there, or its body asks for a thread's number and
        returns no value."""
        texts = self.texts[body : self.match[body]]
        gives = any(pair[0] == "return" and pair[1] != ";" for pair in pairwise(texts))
        asked = not gives and names.THREAD_NUMBERS.intersection(texts)
        use = (self.texts[name], self.stream.tokens[name].use.path)
        return bool(asked) or use in self.stream.launched

    def _is_untyped(self, items: list[tuple[str, int, int]], j: int, place: str) -> bool:
        """Whether the last specifier is really the name that is declared, of a constructor say."""
        if place == CLASS:
            return self._is_constructor(items, j)
        return place == FILE and self._is_untyped_member(items, j)

    def _is_constructor(self, items: list[tuple[str, int, int]], j: int) -> bool:
        """Whether the last specifier is really the name of the class before its constructor's
        parenthesis."""
        if not items or items[-1][0] != "TYPE_PATH" or self.texts[j] != "(":
            return False
        return self.texts[items[-1][1]] == self.class_name_here

    def _is_untyped_member(self, items: list[tuple[str, int, int]], j: int) -> bool:
        """Whether the last specifier is really the name of a constructor, a destructor or a
        conversion defined outside of its class: `A::A(`, `A<T>::A(`, `A::~A(`, `A::operator T(`."""
        if not items or items[-1][0] != "TYPE_PATH" or self.texts[j] != "(":
            return False
        _, start, stop = items[-1]
        texts = self.texts
        if "~" in texts[start:stop] or "operator" in texts[start:stop]:
            return True
        last = stop - 3
        if last < start or texts[stop - 2] != "::":
            return False
        if texts[last] == ">":
            last = (
                next(
                    (
                        k
                        for k in range(start, last)
                        if texts[k] == "<" and self.angle_close(k, stop) == last
                    ),
                    0,
                )
                - 1
            )
        return last >= start and texts[last] == texts[stop - 1]

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
            self.scope = NameScope(outer)
            self.scope.names, self.scope.members = member_scope.names, member_scope.members
        self.last_parameters = None
        j = self.declarator(j, end, place, meaning)
        j = self._initializer(j, end, place, start)
        self.scope = outer
        return j

    def _member_scope(self, j: int, end: int) -> NameScope | None:
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
            if (
                self.last_parameters is not None
                and (following in ("default", "delete") or following == "0")
                and place != BLOCK
            ):
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
        """Emits the function body at i as one terminal, with the handlers of a function's `try`."""
        close = self.stream.last_handler(self.close_of(i))
        self.out.append(BodyTerminal(self.stream, i, close, self.last_parameters or self.scope))
        return close + 1
