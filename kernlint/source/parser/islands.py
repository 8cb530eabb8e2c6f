"""Splitting a file into islands: its top-level declarations, found by matching brackets, so that
one bad one costs only itself.

In: a Stream. Out: islands (token ranges) with the namespaces and `extern "C"` blocks around them.
Classifies and parses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.base.dataclass import dataclass
from kernlint.source.embedded.program import PLACEHOLDER
from kernlint.source.parser import names
from kernlint.source.parser.stream import CLOSERS, OPENERS, TokenStream

ENTRY_WORDS = frozenset(("__global__", "__kernel"))
KERNEL_WORDS = ENTRY_WORDS | {"__device__"}
ATTRIBUTE_WORDS = frozenset(names.ATTRIBUTES) | frozenset(
    ("__attribute__", "__attribute", "__declspec", "decltype", "noexcept", "requires")
)
START_WORDS = (
    names.SPECIFIERS
    | names.CLASS_KEYS
    | frozenset(
        (
            "template",
            "namespace",
            "using",
            "enum",
            "auto",
            "void",
            "typedef",
            "const",
            "static_assert",
        )
    )
) - {"register", "mutable"}


# of declarations that may go on with a class
_OPENING_WORDS = frozenset(("template", "typedef", "using", "friend", "enum"))
FRESH_WORDS = frozenset(("__global__", "__kernel", "template", "namespace"))


@dataclass(frozen=True, slots=True)
class Island:
    """A token range. kind: 'declaration', 'namespace' or 'extern' (the range is what the braces
    hold), 'unclosed', 'stray'."""

    kind: str
    start: int
    end: int
    name: str = ""
    is_inline: bool = False
    whole_start: int = 0
    whole_end: int = 0


def islands(stream: TokenStream, start: int, end: int) -> Iterator[Island]:
    """The islands of [start, end), which is a file or the inside of a namespace."""
    i = start
    while i < end:
        text = stream.texts[i]
        if stream.kinds[i] == "pragma" or text == ";":
            i += 1
            continue
        island = _block(stream, i, end) or _declaration(stream, i, end)
        yield island
        i = max(island.whole_end or island.end, i + 1)


def _block(stream: TokenStream, i: int, end: int) -> Island | None:
    """A namespace or `extern "C"` block that starts at i."""
    texts = stream.texts
    j = i + 1 if texts[i] == "inline" and i + 1 < end and texts[i + 1] == "namespace" else i
    if texts[j] == "namespace":
        k = j + 1
        words = []
        while k < end and texts[k] != "{" and texts[k] not in (";", "="):
            if stream.kinds[k] == "identifier":
                words.append(texts[k])
            k += 1
        if k < end and texts[k] == "{" and stream.match[k] > 0:
            return Island(
                "namespace", k + 1, stream.match[k], "::".join(words), j > i, i, stream.match[k] + 1
            )
    if (
        texts[i] == "extern"
        and i + 2 < end
        and stream.kinds[i + 1] == "string"
        and texts[i + 2] == "{"
        and stream.match[i + 2] > 0
    ):
        return Island(
            "extern",
            i + 3,
            stream.match[i + 2],
            texts[i + 1].strip('"'),
            False,
            i,
            stream.match[i + 2] + 1,
        )
    if texts[i] in ("}", ")", "]"):
        return Island("stray", i, i + 1)
    return None


@dataclass(slots=True)
class _Seen:
    """What of a declaration stands before a place in it."""

    parameters: bool = False
    assignment: bool = False
    initializers: bool = False
    is_class: bool = False


def _declaration(stream: TokenStream, i: int, end: int) -> Island:
    texts, match = stream.texts, stream.match
    after_macro = macro_call_end(stream, i, end)
    if after_macro > i:
        return Island("macro", i, after_macro)
    j = i
    seen = _Seen()
    while j < end:
        text = texts[j]
        if text == ";":
            return Island("declaration", i, j + 1)
        if text in OPENERS:
            if match[j] < 0:
                return Island(
                    "unclosed", i, _next_start(stream, j + 1, end), texts[j], whole_start=j
                )
            if text == "(":
                seen.parameters = seen.parameters or not _is_attribute(stream, j, i)
            elif text == "{" and _is_body(stream, j, seen):
                return Island("declaration", i, stream.last_handler(match[j]) + 1)
            j = match[j]
        elif text in CLOSERS or (j > i and text in FRESH_WORDS and _starts_afresh(stream, j, i)):
            return Island("declaration", i, j)
        elif text in names.CLASS_KEYS or text == "enum":
            if _is_unfinished(stream, i, j):
                return Island("declaration", i, j)
            seen.is_class = not seen.parameters
        else:
            _note_sign(stream, j, seen)
        j = _behind(stream, j, end)
    return Island("declaration", i, end)


def _behind(stream: TokenStream, j: int, end: int) -> int:
    """The place to go on at behind the token at j; what heads of templates hold is passed over."""
    text = stream.texts[j]
    if text == "<" and stream.texts[j - 1] == "template":
        return _template_head_end(stream, j, end)
    return _requirement_end(stream, j) if text == "requires" else j + 1


def _requirement_end(stream: TokenStream, j: int) -> int:
    """Behind `requires (T x) { … }` or `requires { … }` at j; behind the word if it begins a
    clause."""
    k = j + 1
    if stream.texts[k] == "(" and stream.match[k] > 0:
        k = stream.match[k] + 1
    return stream.match[k] + 1 if stream.texts[k] == "{" and stream.match[k] > 0 else j + 1


def _note_sign(stream: TokenStream, j: int, seen: _Seen) -> None:
    text = stream.texts[j]
    if text == "=" and stream.texts[j - 1] != "operator":
        seen.assignment = True
    elif text == ":" and seen.parameters:
        seen.initializers = True


def _is_body(stream: TokenStream, j: int, seen: _Seen) -> bool:
    """Whether the brace at j opens a function's body, rather than an initializer, a class, or a
    member in a list of initializers (`: member{…}`)."""
    before = stream.texts[j - 1]
    if not seen.parameters or seen.assignment or (seen.is_class and before != ")"):
        return False
    is_member = seen.initializers and (stream.kinds[j - 1] == "identifier" or before == ">")
    return not is_member


def _template_head_end(stream: TokenStream, j: int, end: int) -> int:
    """Behind the `<…>` of a template head at j."""
    depth = 0
    while j < end:
        text = stream.texts[j]
        if text == "<":
            depth += 1
        elif text == ">":
            depth -= 1
            if depth == 0:
                return j + 1
        elif text in OPENERS:
            if stream.match[j] < 0:
                return j
            j = stream.match[j]
        elif text in (";", "{", "}"):
            return j
        j += 1
    return end


def _is_attribute(stream: TokenStream, j: int, i: int) -> bool:
    return j > i and stream.texts[j - 1] in ATTRIBUTE_WORDS


def _starts_afresh(stream: TokenStream, j: int, i: int) -> bool:
    """Whether the word at j, on a line of its own, cannot go on the declaration that starts at i (a
    `;` was forgotten)."""
    if stream.texts[j] in ("template", "namespace"):
        return stream.texts[j - 1] not in (">", "::", ".", "->", "using", "inline", "extern")
    before = stream.texts[j - 1]
    if before == "}" and "requires" in stream.texts[i:j]:
        return False
    if before in names.SPECIFIERS or before in (">", ")", "]") or before.startswith(PLACEHOLDER):
        return False
    return not _is_head(stream, i, j) or (
        stream.texts[j - 1] not in names.KEYWORDS and _is_behind(stream, j)
    )


def _is_unfinished(stream: TokenStream, i: int, j: int) -> bool:
    """Whether what starts at i only began to name something when, on another line, a class is
    defined at j: it is being typed."""
    words = stream.texts[i:j]
    if j == i or not _is_behind(stream, j) or "{" not in stream.texts[j : j + 4]:
        return False
    is_plain = all(
        kind == "identifier" for kind in stream.kinds[i:j]
    ) and _OPENING_WORDS.isdisjoint(words)
    return is_plain and words[-1] not in names.SPECIFIERS | names.QUALIFIERS | names.CLASS_KEYS


def _is_behind(stream: TokenStream, j: int) -> bool:
    """Whether the word at j stands on a line behind that of the word before it."""
    return stream.tokens[j - 1].use.end_line < stream.tokens[j].use.line


def _is_head(stream: TokenStream, i: int, j: int) -> bool:
    """Whether only specifiers, attributes and words stand between i and j: `void __global__ f`."""
    return all(
        stream.kinds[k] == "identifier"
        or stream.texts[k] in ("*", "&", "<", ">", "::", ",")
        or stream.kinds[k] == "string"
        for k in range(i, j)
    )


def macro_call_end(stream: TokenStream, i: int, end: int) -> int:
    """Behind `NAME(…)` at i when it is the call of an unknown macro followed by another
    declaration; i otherwise."""
    if (
        stream.kinds[i] != "identifier"
        or stream.texts[i] in names.KEYWORDS
        or i + 1 >= end
        or stream.texts[i + 1] != "("
    ):
        return i
    close = stream.match[i + 1]
    if close < 0:
        return i
    if close + 1 >= end:
        return close + 1
    after = stream.texts[close + 1]
    if stream.kinds[close + 1] == "pragma":
        return close + 1
    if stream.kinds[close + 1] != "identifier":
        return i
    return close + 1 if after not in ("const", "noexcept", "volatile", "override", "final") else i


def _next_start(stream: TokenStream, i: int, end: int) -> int:
    """The next word on column 1 that starts a declaration, or end."""
    for j in range(i, end):
        if stream.texts[j] in START_WORDS and stream.tokens[j].use.column == 1:
            return j
    return end


def is_device(stream: TokenStream, island: Island) -> bool:
    """Whether the island's head speaks of a kernel or a device function (in OpenCL every function
    is one)."""
    if stream.is_opencl:
        return True
    j = island.start
    while j < island.end:
        text = stream.texts[j]
        if text in KERNEL_WORDS:
            return True
        if text in ("{", ";"):
            return False
        j = _requirement_end(stream, j) if text == "requires" else j + 1
    return False


def function_name(stream: TokenStream, island: Island) -> str:
    """The word before the parameter list, as far as one can see."""
    for j in range(island.start + 1, island.end):
        if (
            stream.texts[j] == "("
            and stream.kinds[j - 1] == "identifier"
            and stream.texts[j - 1] not in ATTRIBUTE_WORDS
        ):
            return stream.texts[j - 1]
    return ""
