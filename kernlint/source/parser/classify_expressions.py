"""Classifying expressions: which bracket is a cast, a call, a subscript; which name a type, which
operator a prefix.

In: a stretch of a Stream known to be an expression. Out: terminals appended to `out`. Builds no
tree.
"""

from __future__ import annotations

from kernlint.base import deadline
from kernlint.source.parser import names
from kernlint.source.parser.classify_requirements import RequirementClassifier
from kernlint.source.parser.lookahead import CERTAIN
from kernlint.source.parser.names import CLASS_TEMPLATE, TYPE, VALUE
from kernlint.source.parser.terminals import Terminal

LITERALS = {"string": "STRING", "character": "CHARACTER"}
CAST_FOLLOWERS = frozenset(("(", "!", "~", "sizeof", "{", "::", "++", "--"))


def number_terminal(text: str) -> str:
    """FLOATING or INTEGER: a floating literal has a point, a decimal exponent or a binary exponent
    after 0x."""
    lowered = text.lower()
    if lowered.startswith("0x"):
        return "FLOATING" if "p" in lowered or "." in lowered else "INTEGER"
    if lowered.startswith("0b"):
        return "INTEGER"
    return "FLOATING" if "." in lowered or "e" in lowered or lowered.endswith("f") else "INTEGER"


class ExpressionClassifier(RequirementClassifier):
    """Appends terminals for expressions and initialisers."""

    def arguments(self, i: int, end: int) -> None:
        """Emits the comma-separated arguments [i, end); types are accepted as arguments (of
        builtins and unknown macros)."""
        if i >= end:
            return
        outer, self.in_arguments = self.in_arguments, True
        for number, (start, stop) in enumerate(self.split(i, end)):
            if number:
                self.emit("COMMA", start - 1)
            if start == stop:
                raise self.fail(stop)
            if self.texts[start] == "using" or (
                self.texts[end - 1] == ";" and self._are_statements(start, stop)
            ):
                self.statements_argument(start, end)
                break
            self.argument(start, stop)
        self.in_arguments = outer

    def _are_statements(self, i: int, end: int) -> bool:
        """Whether the stretch to the next comma ends a statement or is the start of a launch."""
        return any(self.texts[k] in (";", "<<<") for k in self.top_level(i, end))

    def argument(self, i: int, end: int) -> None:
        if self.texts[i] == "{" and self.match[i] == end - 1:
            self.braces(i)
        elif (
            self.kinds[i] == "identifier"
            and self.texts[end - 1] != ")"
            and self.type_id(i, end) == CERTAIN
        ):
            self.type_region(i, end)
        else:
            self.expression(i, end)

    def braces(self, i: int, opening: str = "INIT_LBRACE") -> int:
        """Emits the braced initialiser list at i; returns the position behind it."""
        close = self.close_of(i)
        self.emit(opening, i)
        for number, (start, stop) in enumerate(self.split(i + 1, close)):
            deadline.look()
            if number:
                self.emit("COMMA", start - 1)
            if start < stop:
                self._brace_item(start, stop)
        self.emit("RBRACE", close)
        return close + 1

    def _brace_item(self, i: int, end: int) -> None:
        while i < end and (
            self.texts[i] == "." or (self.texts[i] == "[" and self._is_index_designator(i, end))
        ):
            if self.texts[i] == ".":
                self.emit("DOT", i)
                self.emit("NAME", i + 1)
                i += 2
            else:
                close = self.close_of(i)
                self.emit("EXTENT_LBRACKET", i)
                dots = self.find(i + 1, close, ("...",))
                self.expression(i + 1, dots)
                if dots < close:  # GNU's `[first ... last]`
                    self.emit("ELLIPSIS", dots)
                    self.expression(dots + 1, close)
                self.emit("RBRACKET", close)
                i = close + 1
            if self.texts[i] == "=":
                self.emit("INIT_ASSIGN", i)
                i += 1
        self.initial(i, end)

    def _is_index_designator(self, i: int, end: int) -> bool:
        after = self.match[i] + 1
        return 0 < after < end and self.texts[after] in ("=", ".", "[")

    def initial(self, i: int, end: int) -> None:
        """Emits an initialiser: an expression or a braced list."""
        if i < end and self.texts[i] == "{" and self.match[i] == end - 1:
            self.braces(i)
        else:
            self.expression(i, end)

    def expression(self, i: int, end: int) -> None:
        """Emits the expression [i, end), commas included."""
        if i >= end:
            raise self.fail(end)
        is_operand = True
        while i < end:
            if self.kinds[i] == "pragma":
                i += 1
            elif is_operand:
                i, is_operand = self.operand(i, end)
            else:
                i, is_operand = self.operator(i, end)

    def operand(self, i: int, end: int) -> tuple[int, bool]:
        """Emits one operand or prefix that starts at i; returns (next position, whether an operand
        is still wanted)."""
        kind, text = self.kinds[i], self.texts[i]
        if kind == "number":
            self.emit(number_terminal(text), i)
            return i + 1, False
        if kind in LITERALS or self._is_text(i, end):
            self.emit_text(
                LITERALS.get(kind, "STRING"),
                text if kind in LITERALS else '""',
                self.stream.tokens[i],
            )
            return i + 1, kind != "character" and i + 1 < end and (
                self.kinds[i + 1] == "string" or self._is_text(i + 1, end)
            )
        if kind == "punctuator":
            return self._punctuator_operand(i, end)
        return self._word_operand(i, end)

    def _is_text(self, i: int, end: int) -> bool:
        """Whether the name at i, beside a string literal, can only be a macro of one: PRIu64 of
        <cinttypes>."""
        if not self.is_name(i) or self.texts[i] in names.ALTERNATIVE_OPERATORS:
            return False
        return self.kinds[i - 1] == "string" or (i + 1 < end and self.kinds[i + 1] == "string")

    def _punctuator_operand(self, i: int, end: int) -> tuple[int, bool]:
        text = self.texts[i]
        if text == "(":
            return self._parenthesis(i, end)
        if text in names.PREFIX_OPERATORS:
            self.emit("PREFIX", i)
            return i + 1, True
        if text == "[":
            return self._lambda(i), False
        if text == "{":
            return self.braces(i), False
        if text == "..." and i in self.fold_dots:
            self.emit("ELLIPSIS", i)
            return i + 1, False
        if text == "::":
            if i + 1 < end and self.texts[i + 1] in ("new", "delete"):
                return i + 1, True
            return self._name(i, end)
        raise self.fail(i)

    def _parenthesis(self, i: int, end: int) -> tuple[int, bool]:
        close = self.close_of(i)
        if close >= end:
            raise self.fail(i, "'(' is closed too late")
        if self.texts[i + 1] == "{" and self.match[i + 1] == close - 1:
            self.emit("BLOCK_LPAR", i)
            self.compound(i + 1)
        elif self.is_cast(i, close, end):
            return self._cast(i, close, end)
        elif dots := self._fold_dots(i, close):
            self.fold_dots.add(dots)
            self.emit("FOLD_LPAR", i)
            start = i + 1
            for comma in (dots - 1, dots + 1):  # others belong to an operand: `k<<<1, 32>>>`
                if self.texts[comma] == ",":
                    self.expression(start, comma)
                    self.emit("BINARY", comma)
                    start = comma + 1
            self.expression(start, close)
        else:
            self.emit("LPAR", i)
            self.expression(i + 1, close)
        self.emit("RPAR", close)
        return close + 1, False

    def _fold_dots(self, open: int, close: int) -> int:
        """The `...` of a fold expression between the parentheses; 0 if they hold none. That of a
        template's arguments is none: `(all_v<is_t<G>...>)`."""
        k = open + 1
        while k < close:
            if self.texts[k] == "..." and self._is_fold_dots(k, open, close):
                return k
            if self.texts[k] in ("(", "[", "{") and self.match[k] > 0:
                k = self.match[k] + 1
            else:
                k = self.name_end(k, close) if self.is_name(k) else k + 1
        return 0

    def _is_fold_dots(self, k: int, open: int, close: int) -> bool:
        before, after = self.texts[k - 1], self.texts[k + 1]
        foldable = names.BINARY_OPERATORS | names.ASSIGN_OPERATORS | {","}
        return (k - 1 == open and after in foldable) or (before in foldable and k + 1 <= close)

    def is_cast(self, i: int, close: int, end: int) -> bool:
        """Whether the parenthesis at i, where an operand stands, is a cast (or a vector literal's
        type)."""
        first = self.kinds[i + 1]
        if (first != "identifier" and self.texts[i + 1] != "::") or close + 1 >= end:
            return False
        certainty = self.type_id(i + 1, close)
        if certainty == 0:
            return False
        after, kind = self.texts[close + 1], self.kinds[close + 1]
        starts_operand = (
            kind in ("number", "string", "character")
            or after in CAST_FOLLOWERS
            or (kind == "identifier" and after not in names.ALTERNATIVE_OPERATORS)
        )
        is_signed = after in ("-", "+") and self.kinds[close + 2] == "number"
        if starts_operand or (is_signed and self.texts[close - 1] in self.stream.before_names):
            return True
        return certainty == CERTAIN and (after in names.PREFIX_OPERATORS or after == "[")

    def _cast(self, i: int, close: int, end: int) -> tuple[int, bool]:
        is_compound = self.texts[close + 1] == "{"
        is_vector = is_compound or (
            self.is_opencl and self.texts[close + 1] == "(" and self._is_vector_literal(i, close)
        )
        self.emit("VECTOR_LPAR" if is_vector else "CAST_LPAR", i)
        self.type_region(i + 1, close)
        self.emit("RPAR", close)
        if is_vector:
            return (self.braces(close + 1) if is_compound else self.call(close + 1)), False
        return close + 1, True

    def _is_vector_literal(self, i: int, close: int) -> bool:
        if names.VECTOR_TYPE.match(self.texts[close - 1]):
            return True
        inner = close + 1
        return close == i + 2 and any(
            self.texts[k] == "," for k in self.top_level(inner + 1, self.close_of(inner))
        )

    def _word_operand(self, i: int, end: int) -> tuple[int, bool]:
        text = self.texts[i]
        following = self.texts[i + 1] if i + 1 < end else ""
        if text in names.LITERAL_WORDS:
            self.emit(names.LITERAL_WORDS[text], i)
            return i + 1, False
        if text in names.SIZEOF:
            return self._sizeof(i, end)
        if text == "__builtin_bit_cast" and following == "(":
            self.emit("NAMED_CAST", i)
            return self.call(i + 1), False
        if text in names.NAMED_CASTS and following == "<":
            close = self.angle_close(i + 1, end)
            self.emit("NAMED_CAST", i)
            self.emit("TEMPLATE_OPEN", i + 1)
            self.type_region(i + 2, close)
            self.emit("TEMPLATE_CLOSE", close)
            return self.call(close + 1), False
        if text in names.TRAITS or (text.startswith("__is_") and following == "("):
            self.emit("TRAIT", i)
            return self.call(i + 1), False
        if text == "new":
            return self._new(i, end), False
        if text == "delete":
            self.emit("DELETE", i)
            if following == "[":
                self.emit("LBRACKET", i + 1)
                self.emit("RBRACKET", i + 2)
                return i + 3, True
            return i + 1, True
        if text == "throw":
            self.emit("THROW", i)
            return i + 1, i + 1 < end
        if text == "operator":
            return self._path_operand(i, self.operator_end(i, end), "VALUE_NAME"), False
        if text in ("__extension__", "co_await", "template"):
            return i + 1, True
        return self._type_or_name(i, end)

    def _type_or_name(self, i: int, end: int) -> tuple[int, bool]:
        text = self.texts[i]
        if text in names.TYPE_WORDS or text == "auto" or text in ("typename", "decltype"):
            items, j, _ = self.specifiers(i, end)
            if (
                text == "decltype"
                and j > self.parenthesis_end(i + 1, end)
                and (j >= end or self.texts[j] not in ("(", "{"))
            ):
                self.decltype(i, j, "DECLTYPE_VALUE")
                return j, False
            if j >= end or self.texts[j] not in ("(", "{"):
                raise self.fail(j if j < end else i)
            self.emit_construct_type(items)
            return self._constructor(j), False
        if text == "requires":
            return self.requires_expression(i, end), False
        if text in names.KEYWORDS:
            raise self.fail(i)
        return self._name(i, end)

    def emit_construct_type(self, items: list[tuple[str, int, int]]) -> None:
        words = [item for item in items if item[0] == "TYPE_WORD"]
        if words:
            start, stop = words[0][1], words[-1][2]
            self.emit_text("TYPE_WORD", " ".join(self.texts[start:stop]), self.stream.tokens[start])
        else:
            self.specifier_items(items)

    def _name(self, i: int, end: int) -> tuple[int, bool]:
        text = self.texts[i]
        following = self.texts[i + 1] if i + 1 < end else ""
        if following not in ("<", "::") and text != "::":
            if following in ("(", "{"):
                found = self.scope.find(text)
                if found is None and names.known_type(text):
                    found = TYPE
                if found in (TYPE, CLASS_TEMPLATE) or (following == "{" and found != VALUE):
                    self.emit("TYPE_NAME", i)
                    return self._constructor(i + 1), False
            self.emit("IDENTIFIER", i)
            return i + 1, False
        stop = self.name_end(i, end)
        following = self.texts[stop] if stop < end else ""
        if following == "{" or (
            following == "(" and self.meaning(i, stop) in (TYPE, CLASS_TEMPLATE)
        ):
            self.path(i, stop, "TYPE_NAME")
            return self._constructor(stop), False
        return self._path_operand(i, stop, "VALUE_NAME"), False

    def _path_operand(self, i: int, end: int, head: str) -> int:
        if self.texts[i] == "operator":
            self.emit_text("IDENTIFIER", "".join(self.texts[i:end]), self.stream.tokens[i])
            return end
        if end == i + 1:
            self.emit("IDENTIFIER", i)
            return end
        return self.path(i, end, head)

    def _constructor(self, i: int) -> int:
        return self.call(i) if self.texts[i] == "(" else self.braces(i, "CONSTRUCT_LBRACE")

    def call(self, i: int, opening: str = "CALL_LPAR") -> int:
        if i >= len(self.texts) or self.texts[i] != "(":
            raise self.fail(i)
        close = self.close_of(i)
        self.emit(opening, i)
        self.arguments(i + 1, close)
        self.emit("RPAR", close)
        return close + 1

    # -- after an operand

    def operator(self, i: int, end: int) -> tuple[int, bool]:
        text = self.texts[i]
        if text == ">" and i in self.stream.whole and self.stream.whole[i].text == ">>":
            self.out.append(Terminal("BINARY", ">>", self.stream.whole[i]))
            return i + 2, True
        if text == "(":
            return self.call(i), False
        if text == "[":
            close = self.close_of(i)
            self.emit("LBRACKET", i)
            self.initial(i + 1, close)
            self.emit("RBRACKET", close)
            return close + 1, False
        if text in (".", "->"):
            return self._member(i, end), False
        if text in names.BINARY_OPERATORS:
            self.emit("BINARY", i)
            return i + 1, True
        if text in names.ASSIGN_OPERATORS:
            self.emit("ASSIGN", i)
            if i + 1 < end and self.texts[i + 1] == "{":
                return self.braces(i + 1), False
            return i + 1, True
        return self._rare_operator(i, end)

    def _rare_operator(self, i: int, end: int) -> tuple[int, bool]:
        text = self.texts[i]
        if text == ",":
            self.emit("COMMA", i)
            return i + 1, True
        if text == "?":
            self.emit("QUESTION", i)
            if self.texts[i + 1] == ":":  # GNU's `a ?: b`
                self.emit("COLON", i + 1)
                return i + 2, True
            return i + 1, True
        if text == ":":
            self.emit("COLON", i)
            return i + 1, True
        if text in ("++", "--"):
            self.emit("POSTFIX", i)
            return i + 1, False
        if text == "<<<":
            return self._launch(i, end), False
        if text == "...":
            self.emit("EXPANSION", i)
            return i + 1, False
        if (
            self.in_arguments
            and self.texts[i - 1] == ")"
            and self.is_name(i)
            and self.texts[i + 1] == "("
        ):
            # CASE(a) CASE(b): macros of a missing header side by side in another's arguments, here
            # taken for its arguments
            self.emit_text("COMMA", ",", self.stream.tokens[i - 1])
            return i, True
        raise self.fail(i)

    def _member(self, i: int, end: int) -> int:
        self.emit("MEMBER", i)
        i += 1
        if self.texts[i] == "template":
            i += 1
            is_template = True
        else:
            is_template = False
        if self.texts[i] == "operator":
            i = self.operator_name(i, end)
            is_template = i < end and self.texts[i] == "<" and self.angle_close(i, end) > 0
            return self.template_arguments(i) if is_template else i
        if self.texts[i] == "~":
            self.emit_text("DESTRUCTOR", "~" + self.texts[i + 1], self.stream.tokens[i])
            return i + 2
        if self.kinds[i] != "identifier":
            raise self.fail(i)
        i = self._member_name(i, end, is_template)
        while i + 1 < end and self.texts[i] == "::" and self.is_name(i + 1):  # x.Base::f()
            self.emit("SCOPE", i)
            i = self._member_name(i + 1, end, is_template)
        return i

    def _member_name(self, i: int, end: int, is_template: bool) -> int:
        self.emit("NAME", i)
        if (
            i + 1 < end
            and self.texts[i + 1] == "<"
            and (is_template or self.member_template_close(i + 1, end) > 0)
        ):
            return self.template_arguments(i + 1)
        return i + 1
