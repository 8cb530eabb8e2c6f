"""Looking ahead in a token stream: where names, types and template arguments end, and which reading
is the plausible one.

In: a Stream (tokens with their brackets matched) and the scopes. Out: positions and yes/no answers.
Emits nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.source.parser import names
from kernlint.source.parser.names import (
    CLASS_TEMPLATE,
    NAMESPACE,
    TYPE,
    VALUE,
    VALUE_TEMPLATE,
    NameScope,
)
from kernlint.source.parser.stream import CLOSERS, OPENERS, TokenStream

CERTAIN, POSSIBLE = 2, 1
NO_ARGUMENT = frozenset(("&&", "||", "==", "!=", "<=", ">=", "=", "?"))
AFTER_DECLARED = frozenset(("(", "=", ";", "[", "::", "<", ",", ")", "{", ":"))
AFTER_TEMPLATE = frozenset(
    [")", ",", ";", "]", "}", ">", "...", "&&", "||", "?", ":", "==", "!=", "=", "<<<"]
)
AFTER_MACRO = frozenset((",", ";", "=", "[", ")", "{", ":"))
LAMBDA_PARAMETERS = frozenset(("typename", "class", "auto", "template"))
TYPE_FOLLOWERS = frozenset(("*", "&", "&&", "..."))
# specifiers of one word, by terminal
_WORDS = {
    **dict.fromkeys(names.TYPE_WORDS, "TYPE_WORD"),
    **dict.fromkeys(names.SPECIFIERS, "SPECIFIER"),
    **dict.fromkeys(names.QUALIFIERS, "QUALIFIER"),
}
_ATTRIBUTE_CALLS = frozenset(("__attribute__", "__attribute", "__declspec", "requires"))
_TYPE_OF = frozenset(("decltype", "typeof", "__typeof__", "__typeof"))


class Lookahead:
    """Questions about the tokens from a position on, answered with the scopes known so far."""

    def __init__(self, stream: TokenStream, scope: NameScope) -> None:
        self.stream = stream
        self.texts, self.kinds, self.match = stream.texts, stream.kinds, stream.match
        self.scope = scope
        self.is_opencl = stream.is_opencl
        self._closes: dict[int, int] = {}
        self._none_before: dict[int, int] = {}
        self._closes_of: tuple[NameScope, int] = (scope, -1)

    # -- names

    def is_name(self, i: int) -> bool:
        return (
            i < len(self.kinds)
            and self.kinds[i] == "identifier"
            and self.texts[i] not in names.KEYWORDS
        )

    def name_end(self, i: int, end: int, as_type: bool = False) -> int:
        """The end of `[::] name [<…>] (:: name [<…>])*` that starts at i; stops before `:: *` of a
        member pointer."""
        texts = self.texts
        if texts[i] == "::":
            i += 1
        start = i
        i += 1
        while i < end:
            if texts[i] == "<":
                close = self.template_close(i, end, as_type, i - 1 == start)
                if close < 0:
                    break
                i = close + 1
            if i + 1 >= end or texts[i] != "::":
                break
            after = i + 1
            if texts[after] == "template":
                after += 1
            if texts[after] == "~":
                after += 1
            if texts[after] == "operator":
                return self.operator_end(after, end)
            if not self.is_name(after):
                break
            i = after + 1
        return min(i, end)

    def requirement_end(self, j: int, end: int) -> int:
        """Behind `requires a<T> && (b) && requires (T x) { … }` at j."""
        j += 1
        while j < end:
            if self.texts[j] == "requires":
                j = self.parenthesis_end(j + 1, end)
                j = self.match[j] + 1 if self.texts[j] == "{" and self.match[j] > 0 else j
            elif self.is_name(j):
                j = self.name_end(j, end, True)
            else:
                j = self.parenthesis_end(j, end)
            if j >= end or self.texts[j] not in ("&&", "||"):
                return j
            j += 1
        return j

    def operator_end(self, i: int, end: int) -> int:
        """The end of `operator+`, `operator()`, `operator[]`, `operator new` or `operator T` that
        starts at i."""
        if i + 1 >= end:
            return end
        text = self.texts[i + 1]
        if text in ("(", "[") and i + 2 < end and self.match[i + 1] == i + 2:
            return i + 3
        if text in ("new", "delete"):
            return i + 4 if i + 3 < end and self.texts[i + 2] == "[" else i + 2
        if self.kinds[i + 1] == "punctuator":
            return i + 1 + self.joined(i + 1)
        if (
            self.kinds[i + 1] == "string"
        ):  # of a literal: `operator""_x` is two tokens, `operator "" _x` three
            return min(i + 3 if self.texts[i + 1].endswith('"') else i + 2, end)
        j = self.specifiers(i + 1, end)[1]
        while j < end and self.texts[j] in ("*", "&", "&&", "const"):
            j += 1
        return j

    def joined(self, i: int) -> int:
        """How many pieces the operator at i was split into (1 for all but `>>` and `>>>`)."""
        token = self.stream.whole.get(i)
        return 1 if token is None else len(token.text)

    def meaning(self, i: int, end: int) -> str | None:
        """What the name that starts at i and ends before `end` stands for, as far as declarations
        tell."""
        texts = self.texts
        last = i
        scope: NameScope | None = self.scope
        is_global = texts[i] == "::"
        first = True
        j = i + 1 if is_global else i
        found: str | None = None
        while j < end:
            if texts[j] == "<":
                j = self.angle_close(j, end) + 1
                if j == 0:
                    break
                continue
            if self.kinds[j] == "identifier" and texts[j] != "template":
                last = j
                if scope is None:
                    found = None
                else:
                    found = scope.find(texts[j]) if first else scope.names.get(texts[j])
                    scope = scope.inner(texts[j]) if first else scope.members.get(texts[j])
                first = False
            j += 1
        if found is None and names.known_type(texts[last]):
            return TYPE
        return found

    # -- template brackets

    def angle_close(self, i: int, end: int) -> int:
        """The index of the `>` that closes the `<` at i if it is a template bracket, or -1."""
        now = (self.scope, NameScope.declared)
        if self._closes_of != now:
            self._closes_of, self._closes, self._none_before = now, {}, {}
        close = self._closes.get(i)
        if close is not None:
            return close if close < end else -1
        return -1 if end <= self._none_before.get(i, -1) else self._find_closes(i, end)

    def _find_closes(self, i: int, end: int) -> int:
        """As above; notes the same of every bracket met on the way, as long as no name is declared:
        deep nesting is read once. Where none is found, `T<…>::n <` is taken for a comparison, which
        it is without `template` before a member of a dependent class."""
        found, compared = self._walk_closes(i, end, ())
        if found < 0 and compared:
            found, _ = self._walk_closes(i, end, compared)
        return found

    def _walk_closes(self, i: int, end: int, compared: Sequence[int]) -> tuple[int, list[int]]:
        """The `>` of the `<` at i or -1, and which `<` behind `T<…>::n` were taken for brackets;
        those of `compared` are not."""
        texts, match, closes = self.texts, self.match, self._closes
        members: list[int] = []
        j, open_at = i + 1, [i]
        while j < end:
            text = texts[j]
            if text in OPENERS:
                j = match[j]
                if j < 0:
                    break
            elif text == "<":
                is_member = texts[j - 2] == "::"
                if (
                    self.kinds[j - 1] == "identifier"
                    and (is_member or self.scope.find(texts[j - 1]) != VALUE)
                    and j not in compared
                ):
                    open_at.append(j)
                    if is_member and texts[j - 3] == ">":
                        members.append(j)
            elif text == ">":
                closes[open_at.pop()] = j
                if not open_at:
                    return j, members
            elif text == ";" or text in CLOSERS or text == "<<<":
                break
            j += 1
        self._none_before.update(dict.fromkeys(open_at, len(texts) if j < end else end))
        return -1, members

    def template_close(self, i: int, end: int, as_type: bool, is_first: bool = True) -> int:
        """The closing `>` if the `<` at i, which follows a name, opens template arguments;
        otherwise -1."""
        name = self.texts[i - 1]
        found = self.scope.find(name) if is_first else None
        if found == VALUE:
            return -1
        close = self.angle_close(i, end)
        if close < 0 or found in (CLASS_TEMPLATE, VALUE_TEMPLATE, TYPE) or as_type:
            return close
        if close + 1 == end or name in self.stream.concepts:  # nothing is compared with
            return close
        after = self.texts[close + 1] if close + 1 < len(self.texts) else ";"
        is_trait = name.endswith(("_v", "_t")) or not is_first or after == "::"
        if not is_trait and any(self._joins(k) for k in self.top_level(i + 1, close)):
            return -1
        if after in ("(", "::", "{", "<<<") or after in AFTER_TEMPLATE:
            return close
        return close if is_trait and self.kinds[close + 1] == "punctuator" else -1

    def _joins(self, k: int) -> bool:
        """Whether at k two conditions are joined: `a < b && c > (d)`, and not `f<T&&>(x)`."""
        return self.texts[k] == "||" or (
            self.texts[k] == "&&" and self.texts[k + 1] not in (">", ",", "...")
        )

    def member_template_close(self, i: int, end: int) -> int:
        """The same for a `<` after `.name` or `->name`: only a call or a member of that class can
        follow, and only types and constants stand inside."""
        close = self.angle_close(i, end)
        if close < 0 or close + 1 >= len(self.texts) or self.texts[close + 1] not in ("(", "::"):
            return -1
        for start, stop in self.split(i + 1, close, True):
            if start == stop or any(self.texts[k] in NO_ARGUMENT for k in range(start, stop)):
                return -1
        return close

    def top_level(self, i: int, end: int) -> Iterator[int]:
        """The indices from i to end that lie in no inner bracket; an opening bracket is shown, what
        it holds is not."""
        while i < end:
            yield i
            if self.texts[i] in OPENERS and self.match[i] > i:
                i = self.match[i]
            i += 1

    def split(self, i: int, end: int, as_types: bool = False) -> Iterator[tuple[int, int]]:
        """The stretches between top-level commas, looking into neither brackets nor template
        arguments."""
        start = i
        while i < end:
            stop = self.find(i, end, (",",), as_types)
            yield start, stop
            i = start = stop + 1
            if i == end:
                yield i, i

    def find(self, i: int, end: int, stops: tuple[str, ...], as_types: bool = False) -> int:
        """The first of `stops` at top level from i on (template arguments skipped), or end;
        as_types: in a list of declarations."""
        texts, match = self.texts, self.match
        start = i
        while i < end:
            text = texts[i]
            if text in stops:
                return i
            if text in OPENERS and match[i] > i:
                i = match[i]
            elif (
                text == "<"
                and texts[i - 1] == "]"
                and (texts[i + 1] in names.TYPE_WORDS or texts[i + 1] in LAMBDA_PARAMETERS)
            ):
                i = max(i, self.angle_close(i, end))
            elif text == "<" and i > start and self.kinds[i - 1] == "identifier":
                after_member = i - 2 >= 0 and texts[i - 2] in (".", "->")
                is_first = not (i - 2 >= 0 and texts[i - 2] == "::")
                close = (
                    self.member_template_close(i, end)
                    if after_member
                    else self.template_close(i, end, as_types, is_first)
                )
                if (
                    close < 0
                    and after_member
                    and texts[(after := self.angle_close(i, end)) + 1] == "{"
                ):
                    close = after  # `[](…) -> T<…> {`
                if close > 0:
                    i = close
            i += 1
        return end

    # -- types

    def specifiers(
        self, i: int, end: int, declaring: bool = False
    ) -> tuple[list[tuple[str, int, int]], int, int]:
        """The declaration specifiers from i on: [(terminal, start, stop)], where they end, and how
        certain a type is (0: none)."""
        items: list[tuple[str, int, int]] = []
        certainty = 0
        has_type = False
        while i < end:
            item = self._specifier(i, end, has_type, declaring)
            if item is None:
                break
            terminal, stop, weight = item
            has_type = has_type or terminal in (
                "TYPE_WORD",
                "TYPE_PATH",
                "AUTO",
                "CLASS",
                "ENUM",
                "DECLTYPE",
            )
            certainty = max(certainty, weight)
            items.append((terminal, i, stop))
            i = stop
        return items, i, certainty

    def _specifier(
        self, i: int, end: int, has_type: bool, declaring: bool
    ) -> tuple[str, int, int] | None:
        text = self.texts[i]
        if text == "[" and i + 1 < end and self.texts[i + 1] == "[" and self.match[i] > 0:
            return "ATTRIBUTE", self.match[i] + 1, 0
        if self.kinds[i] != "identifier":
            return (
                ("TYPE_PATH", self.name_end(i, end, True), POSSIBLE)
                if text == "::" and not has_type and self.is_name(i + 1)
                else None
            )
        word = _WORDS.get(text)
        if word is not None:
            return word, i + 1, CERTAIN
        if text in names.ATTRIBUTES or text in _ATTRIBUTE_CALLS:
            return (
                "ATTRIBUTE",
                self.parenthesis_end(i + 1, end),
                CERTAIN if text in names.ATTRIBUTES else 0,
            )
        if has_type:
            is_macro = declaring and self.is_macro_before_name(i, end)
            return ("SPECIFIER", self.parenthesis_end(i + 1, end), 0) if is_macro else None
        if text in names.CLASS_KEYS or text == "enum":
            return ("ENUM" if text == "enum" else "CLASS"), self.class_end(i, end), CERTAIN
        if text == "auto":
            return "AUTO", i + 1, CERTAIN
        if text in _TYPE_OF:
            return "DECLTYPE", self._decltype_end(i, end), CERTAIN
        if text == "typename" and i + 1 < end:
            is_of_value = self.texts[i + 1] == "decltype"
            return (
                self._specifier(i + 1, end, False, declaring)
                if is_of_value
                else ("TYPE_PATH", self.name_end(i + 1, end, True), CERTAIN)
            )
        if text in names.KEYWORDS:
            return None
        return self._named_type(i, end, declaring)

    def _decltype_end(self, i: int, end: int) -> int:
        """Behind `decltype(…)` at i and the names that it qualifies."""
        stop = self.parenthesis_end(i + 1, end)
        while (
            stop + 1 < end
            and self.texts[stop] == "::"
            and self.is_name(named := stop + 1 + (self.texts[stop + 1] == "template"))
        ):
            stop = self.name_end(named, end, True)
        return stop

    def _named_type(self, i: int, end: int, declaring: bool) -> tuple[str, int, int] | None:
        if declaring and self.is_macro_specifier(i, end):
            return "SPECIFIER", self.parenthesis_end(i + 1, end), 0
        stop = self.name_end(i, end, True)
        if declaring and stop < end and self.texts[stop] == "auto":  # a concept before its `auto`
            return "CONSTRAINT", stop, 0
        found = self.meaning(i, stop)
        if found in (VALUE, VALUE_TEMPLATE, NAMESPACE) and not (
            declaring and stop < end and self.is_name(stop)
        ):
            return None
        return "TYPE_PATH", stop, CERTAIN if found in (TYPE, CLASS_TEMPLATE) else POSSIBLE

    def is_macro_before_name(self, i: int, end: int) -> bool:
        """Whether the name at i, behind a type, is a macro of a header that is not there, in front
        of what is declared: `void BOUNDS(256) f(`, `int maybe_unused x`, but not `int x UNUSED` or
        `void f(int a) EXCLUDES(b)`."""
        after = self.parenthesis_end(i + 1, end)
        if not self.is_name(i) or not self.is_name(after) or self.scope.find(self.texts[i]):
            return False
        if self.texts[after].isupper() or self.texts[after] in ("override", "final"):
            return False
        following = self.texts[after + 1]
        return following == "(" or (after == i + 1 and following in (",", ")", "=", "[", ";"))

    def is_macro_behind_name(self, i: int, end: int) -> bool:
        """Whether the name at i, behind what is declared, is a macro of a header that is not there:
        `int x UNUSED`, `float s[256] ALIGNED(16)`."""
        if not self.is_name(i) or self.scope.find(self.texts[i]) is not None:
            return False
        after = self.parenthesis_end(i + 1, end)
        return (
            after >= end
            or self.texts[after] in AFTER_MACRO
            or self.is_macro_behind_name(after, end)
        )

    def is_macro_specifier(self, i: int, end: int) -> bool:
        """Whether the name at i is an unknown macro before the real specifiers: `API int f(`,
        `ATTR(3) T f(`, `SPACE T *`."""
        if (
            not self.is_name(i)
            or self.scope.find(self.texts[i]) is not None
            or names.known_type(self.texts[i])
            or i + 1 >= end
        ):
            return False
        after = self.parenthesis_end(i + 1, end)
        if after >= end or self.kinds[after] != "identifier":
            return False
        text = self.texts[after]
        if (
            text in names.TYPE_WORDS
            or text in names.SPECIFIERS
            or text in names.CLASS_KEYS
            or text in ("auto", "typename", "enum")
        ):
            return True
        if text == "const" and self.is_name(after + 1):  # `SPACE const T *`, but not `T const name`
            stop = self.name_end(after + 1, end, True)
            return stop < end and (self.texts[stop] in ("*", "&") or self.is_name(stop))
        if not self.is_name(after):
            return False
        if self.is_macro_specifier(after, end):
            return True
        stop = self.name_end(after, end, True)
        start = stop
        while stop < end and self.texts[stop] in ("*", "&", "const", "__restrict__"):
            stop += 1
        if stop == end:
            return stop > start
        if not self.is_name(stop):
            return self.texts[stop] == "operator"
        is_behind = self.texts[stop].isupper() and not self.texts[i].isupper()  # `T x UNUSED = 3`
        return self.texts[stop + 1] in AFTER_DECLARED and not is_behind

    def parenthesis_end(self, i: int, end: int) -> int:
        """Behind the parenthesis that opens at i, or i when none does."""
        return self.match[i] + 1 if i < end and self.texts[i] == "(" and self.match[i] > 0 else i

    def class_end(self, i: int, end: int) -> int:
        """The end of `struct|class|union|enum … name [: bases] [{ … }]` that starts at i."""
        head = self.class_name(i, end)[1]
        j = head
        if j < end and self.texts[j] == ":":
            while j < end and self.texts[j] not in ("{", ";", ")"):
                j = (
                    self.match[j] + 1
                    if self.texts[j] in ("(", "[") and self.match[j] > 0
                    else j + 1
                )
        if j < end and self.texts[j] == "{" and self.match[j] > 0:
            return self.match[j] + 1
        return head

    def class_name(self, i: int, end: int) -> tuple[int, int]:
        """Where the name of the class or enumeration whose key stands at i starts and where it ends
        (equal: none)."""
        j = i + 1
        while j < end:
            if self.texts[j] in names.CLASS_KEYS:
                j += 1
            elif self.texts[j] in names.ATTRIBUTES or self.texts[j] in (
                "__attribute__",
                "__attribute",
                "__declspec",
            ):
                j = self.parenthesis_end(j + 1, end)
            elif (
                self.texts[j] == "["
                and j + 1 < end
                and self.texts[j + 1] == "["
                and self.match[j] > 0
            ):
                j = self.match[j] + 1
            elif (
                self.is_name(j)
                and j + 1 < end
                and self.is_name(j + 1)
                and self.texts[j + 1] != "final"
            ):
                if (j + 2 < end and self.texts[j + 2] in ("{", ":", "<")) or self.texts[
                    j + 1
                ] == "alignas":
                    j += 1  # an export macro before the name
                else:
                    break
            else:
                break
        if j >= end or not (self.is_name(j) or self.texts[j] == "::"):
            return j, j
        stop = self.name_end(j, end, True)
        return j, stop + 1 if stop < end and self.texts[stop] == "final" else stop

    def type_id(self, i: int, end: int) -> int:
        """How certainly the whole of [i, end) is a type: CERTAIN, POSSIBLE (an unknown name), or
        0."""
        items, j, certainty = self.specifiers(i, end, True)
        if not certainty or not any(item[0] not in ("SPECIFIER", "ATTRIBUTE") for item in items):
            return 0
        if j == end:
            return certainty
        stop, has_pointer = self.abstract_declarator(j, end)
        if stop != end:
            return 0
        return CERTAIN if has_pointer else certainty

    def abstract_declarator(self, j: int, end: int) -> tuple[int, bool]:
        """The end of a declarator without a name, and whether it shows that what stands before it
        is a type."""
        texts = self.texts
        is_sure = False
        while j < end:
            text = texts[j]
            if text in TYPE_FOLLOWERS or text in names.QUALIFIERS or text in names.ADDRESS_SPACES:
                is_sure = is_sure or text != "..."
                j += 1
            elif self.is_name(j) and j + 2 < end and texts[j + 1] == "::" and texts[j + 2] == "*":
                j += 3
            elif text == "[" and self.match[j] > 0:
                j = self.match[j] + 1
            elif (
                text == "("
                and self.match[j] > 0
                and (self._is_group(j) or self.is_parameter_list(j))
            ):
                is_sure = is_sure or self.match[j] > j + 1  # `name()` may as well be a call
                j = self.match[j] + 1
            else:
                break
        return j, is_sure

    def _is_group(self, j: int) -> bool:
        return (
            self.texts[j + 1] in ("*", "&", "&&")
            and self.match[j] + 1 < len(self.texts)
            and self.texts[self.match[j] + 1] in ("(", "[")
        )

    def is_parameter_list(self, i: int, at_block: bool = True) -> bool:
        """Whether the parenthesis at i holds parameter declarations (inside a block: surely types,
        not arguments)."""
        close = self.match[i]
        if close == i + 1:
            return True
        for start, stop in self.split(i + 1, close, True):
            if start == stop:
                return False
            if self.texts[start] == "..." and stop == start + 1:
                continue
            if not self.is_parameter(start, stop, at_block):
                return False
        return True

    def is_parameter(self, i: int, end: int, at_block: bool) -> bool:
        _, j, certainty = self.specifiers(i, end, True)
        if certainty == 0:
            return False
        after, is_sure = self.abstract_declarator(j, end)
        if after == end:
            return certainty == CERTAIN or not at_block
        if self.is_name(after):
            return certainty == CERTAIN or after == j or not at_block
        return (
            self.texts[after] == "="
            or (not at_block and self.texts[after] == "(")
            or (is_sure and certainty == CERTAIN)
        )
