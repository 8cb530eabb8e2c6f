"""Classifying statements, and the two entry points: a top-level declaration and the body of a
function.

In: a Stream and the range of a declaration or body. Out: the terminals that the grammar reads.
Raises SourceError. The classifier answers with unlimited look-ahead what LALR(1) cannot, from the
names in scope and the shape of the code.
"""

from __future__ import annotations

from kernlint.base import deadline
from kernlint.source.parser import names
from kernlint.source.parser.classify_declarations import BLOCK, FILE, DeclarationClassifier
from kernlint.source.parser.lookahead import CERTAIN
from kernlint.source.parser.macro_loops import is_macro_loop, macro_loop_head
from kernlint.source.parser.names import VALUE, NameScope
from kernlint.source.parser.stream import TokenStream
from kernlint.source.parser.terminals import BodyTerminal, Terminal

DECLARATION_WORDS = (
    names.SPECIFIERS | names.QUALIFIERS | names.CLASS_KEYS | frozenset(names.ATTRIBUTES)
    | frozenset(("enum", "using", "template", "static_assert", "_Static_assert", "typename", "namespace", "__declspec"))
)  # fmt: skip
LOOP_WORDS = frozenset(("for", "while", "do"))
AFTER_USED = frozenset(("<<<", ".", "->", "::"))  # behind a name that is used, not declared
POINTER_MARKS = frozenset(("*", "&", "&&")) | names.QUALIFIERS | names.ADDRESS_SPACES


def declaration_terminals(
    stream: TokenStream, start: int, end: int, scope: NameScope
) -> list[Terminal]:
    """The terminals of the top-level declaration that fills [start, end); its names are declared in
    `scope`."""
    classifier = Classifier(stream, scope)
    position = start
    while position < end:
        position = classifier.declaration(position, end, FILE)
    return classifier.out


def body_terminals(body: BodyTerminal) -> list[Terminal]:
    """The terminals of a function body, braces included; one with handlers holds nothing but a
    `try`."""
    classifier = Classifier(body.stream, body.scope)
    if body.close == body.stream.match[body.open]:
        classifier.compound(body.open)
    else:
        classifier.function_try(body.open, body.close)
    return classifier.out


class Classifier(DeclarationClassifier):
    """Appends terminals for statements."""

    def compound(self, i: int) -> int:
        close = self.close_of(i)
        outer = self.scope
        self.scope = NameScope(outer)
        self.emit("LBRACE", i)
        j = i + 1
        while j < close:
            j = self.statement(j, close)
        self.emit("RBRACE", close)
        self.scope = outer
        return close + 1

    def statement(self, i: int, end: int) -> int:
        """Emits one statement; returns the position behind it."""
        deadline.look()
        text = self.texts[i]
        if self.kinds[i] == "pragma":
            self.emit("PRAGMA", i)
            return i + 1
        handler = STATEMENTS.get(text)
        if handler is not None:
            return handler(self, i, end)
        if text == "[" and self.texts[i + 1] == "[":
            return self._attributed(i, end)
        if text in ("__attribute__", "__attribute") and self.texts[
            self.parenthesis_end(i + 1, end)
        ] in (";", "for", "while", "do", "if"):
            return self.parenthesis_end(i + 1, end)
        if self.is_name(i) and self.texts[i + 1] == ":" and self.texts[i + 2] != ":":
            return self._label(i, end)
        if self.is_name(i) and (
            self.texts[i + 1] in LOOP_WORDS
            or (text.isupper() and self._stands_alone(i, i + 1, end))
        ):
            # an unknown macro before a loop can only stand for a pragma
            self.emit_text("PRAGMA", text, self.stream.tokens[i])
            return i + 1
        if self.is_declaration(i, end):
            return self.declaration(i, end, BLOCK)
        return self.expression_statement(i, end)

    def _stands_alone(self, name: int, i: int, end: int) -> bool:
        """Whether neither an expression nor a declaration goes on at i: the name, a macro of a
        missing header such as CHECK_LAST_ERROR, is a statement. So it is before a line that is no
        declarator, as in `CHECK_LAST_ERROR` and below it `k<<<…>>>(…);`."""
        if i >= end or self.texts[i] in names.STATEMENT_WORDS:
            return True
        if (
            not self.is_name(i)
            or self.scope.find(self.texts[name]) is not None
            or names.known_type(self.texts[name])
        ):
            return False
        if self.stream.tokens[i].use.line == self.stream.tokens[name].use.end_line:
            return False
        after = self.name_end(i, end)
        return self.scope.find(self.texts[i]) == VALUE or (
            after < end and self.texts[after] in AFTER_USED
        )

    def substatement(self, i: int, end: int) -> int:
        """A statement that hangs on another; pragmas before it are put with it between braces that
        nobody wrote."""
        if i >= end:
            raise self.fail(i)
        if self.kinds[i] != "pragma":
            outer, self.scope = self.scope, NameScope(self.scope)
            i = self.statement(i, end)
            self.scope = outer
            return i
        self.emit("LBRACE", i)
        while i < end and self.kinds[i] == "pragma":
            self.emit("PRAGMA", i)
            i += 1
        i = self.substatement(i, end)
        self.emit("RBRACE", i - 1)
        return i

    def expression_statement(self, i: int, end: int) -> int:
        stop = self.find(i, end, (";",))
        if stop >= end or self._is_macro_statement(i, stop):
            return self._macro_statement(i, end)
        self.expression(i, stop)
        self.emit("SEMI", stop)
        return stop + 1

    def _is_macro_statement(self, i: int, stop: int) -> bool:
        """`NAME(…)` of an unknown macro with no semicolon, followed by something that no expression
        goes on with."""
        after = self.parenthesis_end(i + 1, stop)
        if not self.is_name(i) or after == i + 1 or after >= stop:
            return False
        return (
            self.kinds[after] == "identifier"
            and self.texts[after] not in names.ALTERNATIVE_OPERATORS
        ) or self.texts[after] == "{"

    def _macro_statement(self, i: int, end: int) -> int:
        after = self.parenthesis_end(i + 1, end)
        if self.is_name(i) and i + 1 < after < end and is_macro_loop(self, i, after):
            return self._macro_loop(i, after, end)
        if (
            not self.is_name(i)
            or after == i + 1
            or (after < end and self.kinds[after] not in ("identifier", "pragma"))
        ):
            last = self._last_of_statement(i, end)
            raise self.fail(last, f"';' is missing after '{self.texts[last]}'")
        self.expression(i, after)
        self.emit_text("SEMI", ";", self.stream.tokens[after - 1])
        return after

    def _macro_loop(self, i: int, after: int, end: int) -> int:
        outer, self.scope = self.scope, NameScope(self.scope)
        macro_loop_head(self, i, after)
        behind = self.substatement(after, end)
        self.emit_text("RBRACE", "}", self.stream.tokens[behind - 1])
        self.scope = outer
        return behind

    def _last_of_statement(self, i: int, end: int) -> int:
        return max(i, min(self.find(i, end, (";", "{")), end) - 1)

    # -- declarations or expressions

    def is_declaration(self, i: int, end: int) -> bool:
        """Whether the statement at i declares something; an unknown name before a name is a
        type."""
        text = self.texts[i]
        if text == "typename":
            return self.texts[self.specifiers(i, end)[1]] not in ("(", "{")
        if text in DECLARATION_WORDS:
            return True
        if text in names.TYPE_WORDS or text == "auto":
            after = self.texts[i + 1]
            return after != "{" and (after != "(" or self.texts[i + 2] in ("*", "&"))
        if not self.is_name(i) and text not in ("::", "decltype"):
            return False
        items, j, certainty = self.specifiers(i, end, True)
        if not certainty and not items:
            return False
        return j < end and self._declares(i, j, end, certainty)

    def _declares(self, i: int, j: int, end: int, certainty: int) -> bool:
        start = j
        while j < end and (self.texts[j] in POINTER_MARKS):
            j += 1
        if j >= end:
            return False
        if self.is_name(j):
            if j == start:
                return True
            after = self.texts[j + 1] if j + 1 < len(self.texts) else ""
            follows = after in ("=", ";", ",", "[", "(", "{", ":")
            return follows and (certainty == CERTAIN or "&&" not in self.texts[start:j])
        if (
            self.texts[j] == "("
            and certainty == CERTAIN
            and self.texts[j + 1] in ("*", "&")
            and self.match[j] > 0
        ):
            return self.texts[self.match[j] + 1] in ("(", "[")
        return False

    # -- statements by keyword

    def _compound(self, i: int, end: int) -> int:
        return self.compound(i)

    def _empty(self, i: int, end: int) -> int:
        self.emit("SEMI", i)
        return i + 1

    def _condition(self, i: int, end: int) -> None:
        """Emits the condition [i, end): an expression or a declaration with an initialiser."""
        if self._is_declared_condition(i, end):
            self.emit("DECLARATION_CONDITION", i)
            items, j, _ = self.specifiers(i, end, True)
            self.specifier_items(items)
            j = self._init_declarator(j, end, BLOCK, VALUE)
            if j != end:
                raise self.fail(j)
        else:
            self.expression(i, end)

    def _is_declared_condition(self, i: int, end: int) -> bool:
        """Whether a condition declares something, which it has to initialise by `=` or braces: `a < b
        || c > d(e)` of unknown names does not ([stmt.pre])."""
        gives = any(self.texts[k] in ("=", "{") for k in self.top_level(i, end))
        return gives and self.is_declaration(i, end)

    def _for_start(self, i: int, end: int) -> int:
        """Emits the first part of `for (…;` or `if (…;`, its semicolon included."""
        if self.texts[i] == ";":
            self.emit("SEMI", i)
            return i + 1
        if self.is_declaration(i, end):
            return self.declaration(i, end, BLOCK)
        stop = self.find(i, end, (";",))
        self.expression(i, stop)
        self.emit("SEMI", stop)
        return stop + 1

    def _if(self, i: int, end: int) -> int:
        outer, self.scope = self.scope, NameScope(self.scope)
        open = i + 1
        is_constexpr = self.texts[open] == "constexpr"
        if is_constexpr:
            open += 1
        close = self.close_of(open)
        semicolon = self.find(open + 1, close, (";",))
        is_plain = (
            not is_constexpr
            and semicolon == close
            and not self._is_declared_condition(open + 1, close)
        )
        self.emit_text(
            "IF" if is_plain else "IF_CONSTEXPR",
            "if constexpr" if is_constexpr else "if",
            self.stream.tokens[i],
        )
        self.emit("LPAR", open)
        j = self._for_start(open + 1, close) if semicolon < close else open + 1
        self._condition(j, close)
        self.emit("RPAR", close)
        j = self.substatement(self._after_marks(close + 1), end)
        self.scope = outer
        if j < end and self.texts[j] == "else":
            self.emit("ELSE", j)
            j = self.substatement(self._after_marks(j + 1), end)
        return j

    def _after_marks(self, i: int) -> int:
        """Behind `[[likely]]` and its kin before a substatement."""
        while self.texts[i] == "[" and self.texts[i + 1] == "[":
            i = self.close_of(i) + 1
        return i

    def _for(self, i: int, end: int) -> int:
        outer, self.scope = self.scope, NameScope(self.scope)
        open = i + 1
        if self.texts[open] != "(":
            raise self.fail(open)
        close = self.close_of(open)
        self.emit("FOR", i)
        self.emit("LPAR", open)
        semicolons = [k for k in self.top_level(open + 1, close) if self.texts[k] == ";"]
        if len(semicolons) < 2:
            self._range(open + 1, close, semicolons)
        else:
            j = self._for_start(open + 1, close)
            stop = self.find(j, close, (";",))
            if j < stop:
                self._condition(j, stop)
            self.emit("SEMI", stop)
            if stop + 1 < close:
                self.expression(stop + 1, close)
        self.emit("RPAR", close)
        j = self.substatement(close + 1, end)
        self.scope = outer
        return j

    def _range(self, i: int, close: int, semicolons: list[int]) -> None:
        if semicolons:
            i = self._for_start(i, close)
        colon = self.find(i, close, (":",))
        if colon >= close:
            raise self.fail(close, "unexpected ')' in the head of 'for'")
        self.emit("DECLARATION_CONDITION", i)
        items, j, _ = self.specifiers(i, colon)
        self.specifier_items(items)
        if self.texts[j] == "[" or self.texts[j + 1] == "[":
            if self.texts[j] != "[":
                self.emit("BINDING_REFERENCE", j)
                j += 1
            j = self.binding_names(j)
        else:
            j = self.declarator(j, colon, BLOCK)
        if j != colon:
            raise self.fail(j)
        self.emit("RANGE_COLON", colon)
        self.initial(colon + 1, close)

    def _while(self, i: int, end: int) -> int:
        outer, self.scope = self.scope, NameScope(self.scope)
        close = self.close_of(i + 1)
        self.emit("WHILE", i)
        self.emit("LPAR", i + 1)
        self._condition(i + 2, close)
        self.emit("RPAR", close)
        j = self.substatement(close + 1, end)
        self.scope = outer
        return j

    def _do(self, i: int, end: int) -> int:
        self.emit("DO", i)
        j = self.substatement(i + 1, end)
        if j >= end or self.texts[j] != "while":
            raise self.fail(j)
        close = self.close_of(j + 1)
        self.emit("WHILE", j)
        self.emit("LPAR", j + 1)
        self.expression(j + 2, close)
        self.emit("RPAR", close)
        if close + 1 < end and self.texts[close + 1] == ";":
            self.emit("SEMI", close + 1)
            return close + 2
        # `do { } while (0)` of a macro used without a semicolon
        self.emit_text("SEMI", ";", self.stream.tokens[close])
        return close + 1

    def _switch(self, i: int, end: int) -> int:
        outer, self.scope = self.scope, NameScope(self.scope)
        close = self.close_of(i + 1)
        self.emit("SWITCH", i)
        self.emit("LPAR", i + 1)
        semicolon = self.find(i + 2, close, (";",))
        j = self._for_start(i + 2, close) if semicolon < close else i + 2
        self._condition(j, close)
        self.emit("RPAR", close)
        j = self.substatement(close + 1, end)
        self.scope = outer
        return j

    def _case(self, i: int, end: int) -> int:
        self.emit("CASE", i)
        depth, j = 0, i + 1
        while j < end and (self.texts[j] != ":" or depth):
            depth += {"?": 1, ":": -1}.get(self.texts[j], 0)
            j = (
                self.match[j] + 1
                if self.texts[j] in ("(", "[", "{") and self.match[j] > 0
                else j + 1
            )
        if j >= end:
            raise self.fail(i, "':' is missing after 'case'")
        dots = self.find(i + 1, j, ("...",))
        self.expression(i + 1, dots)
        if dots < j:
            self.emit("ELLIPSIS", dots)
            self.expression(dots + 1, j)
        self.emit("COLON", j)
        return j + 1

    def _default(self, i: int, end: int) -> int:
        self.emit("DEFAULT", i)
        self.emit("COLON", i + 1)
        return i + 2

    def _jump(self, i: int, end: int) -> int:
        self.emit(self.texts[i].upper(), i)
        if self.texts[i] == "goto":
            self.emit("NAME", i + 1)
            # of a computed goto, `goto *table[n];`, the star stands for its label
            i = self.find(i, end, (";",)) - 1 if self.texts[i + 1] == "*" else i + 1
        self.emit("SEMI", i + 1)
        return i + 2

    def _return(self, i: int, end: int) -> int:
        self.emit("RETURN", i)
        stop = self.find(i + 1, end, (";",))
        if stop >= end:
            raise self.fail(i, "';' is missing after 'return'")
        if stop > i + 1:
            self.initial(i + 1, stop)
        self.emit("SEMI", stop)
        return stop + 1

    def _label(self, i: int, end: int) -> int:
        self.emit("LABEL", i)
        self.emit("COLON", i + 1)
        if i + 2 >= end:
            self.emit_text("SEMI", ";", self.stream.tokens[i + 1])
        return i + 2

    def function_try(self, i: int, close: int) -> None:
        """`int f() try { … } catch (…) { … }`, from its first brace to its last."""
        first, last = self.stream.tokens[i], self.stream.tokens[close]
        self.emit_text("LBRACE", "{", first)
        self.emit_text("TRY", "try", first)
        self._handled(i, close + 1)
        self.emit_text("RBRACE", "}", last)

    def _try(self, i: int, end: int) -> int:
        self.emit("TRY", i)
        return self._handled(i + 1, end)

    def _handled(self, i: int, end: int) -> int:
        """The braces behind `try` at i, and its handlers."""
        j = self.compound(i)
        while j < end and self.texts[j] == "catch":
            self.emit("CATCH", j)
            outer = self.scope
            j = self.parameters(j + 1)
            self.scope = self.last_parameters or outer
            j = self.compound(j)
            self.scope = outer
        return j

    def _attributed(self, i: int, end: int) -> int:
        close = self.close_of(i)
        after = close + 1
        if self.texts[after] not in STATEMENTS and self.is_declaration(after, end):
            return self.declaration(i, end, BLOCK)
        self.emit_text(
            "ATTRIBUTE_MARK", " ".join(self.texts[i + 2 : close - 1]), self.stream.tokens[i]
        )
        return after

    # -- inline assembly

    def _asm(self, i: int, end: int) -> int:
        self.emit("ASM", i)
        j = i + 1
        while self.kinds[j] == "identifier":
            self.emit("ASM_WORD", j)
            j += 1
        close = self.close_of(j)
        is_braces = self.texts[j] == "{"
        self.emit("ASM_LBRACE" if is_braces else "ASM_LPAR", j)
        k = j + 1
        while k < close:
            k = self._asm_part(k)
        if is_braces:
            self.emit("RBRACE", close)
            return close + 1
        self.emit("RPAR", close)
        if close + 1 < end and self.texts[close + 1] == ";":
            self.emit("SEMI", close + 1)
            return close + 2
        self.emit_text("SEMI", ";", self.stream.tokens[close])
        return close + 1

    def _asm_part(self, k: int) -> int:
        text = self.texts[k]
        if self.kinds[k] == "string":
            self.emit("STRING", k)
        elif text in (":", "::"):
            for _ in text:
                self.emit_text("COLON", ":", self.stream.tokens[k])
        elif text == ",":
            self.emit("COMMA", k)
        elif text == "[":
            self.emit("LBRACKET", k)
            self.emit("NAME", k + 1)
            self.emit("RBRACKET", k + 2)
            return k + 3
        elif text == "(":
            close = self.close_of(k)
            self.emit("LPAR", k)
            self.expression(k + 1, close)
            self.emit("RPAR", close)
            if self.kinds[close + 1] == "string" or self.texts[close + 1] == "[":
                # nvcc takes operands without a comma between them
                self.emit_text("COMMA", ",", self.stream.tokens[close])
            return close + 1
        elif self.kinds[k] == "identifier":
            self.emit("ASM_WORD", k)  # a label of `asm goto`
        else:
            raise self.fail(k, f"unexpected '{text}' in an asm statement")
        return k + 1


STATEMENTS = {
    "{": Classifier._compound,
    ";": Classifier._empty,
    "if": Classifier._if,
    "for": Classifier._for,
    "while": Classifier._while,
    "do": Classifier._do,
    "switch": Classifier._switch,
    "case": Classifier._case,
    "default": Classifier._default,
    "break": Classifier._jump,
    "continue": Classifier._jump,
    "goto": Classifier._jump,
    "return": Classifier._return,
    "try": Classifier._try,
    **{word: Classifier._asm for word in names.ASM_WORDS},
}
