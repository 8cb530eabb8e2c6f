"""A thread's index and a loop's counter that may change places.

Goes in: an access in a loop, its kernel's text. Comes out: the edits, or the reason why it is not
provably the same.

`for (int i = 0; i < N; ++i) body` with N threads executes the body for each pair of a thread and an
i. With the two swapped it executes for the same pairs, each once. Iterations must not depend on
each other: they assign nothing but elements of arrays, every element in one iteration only (no two
threads meet without a barrier in the first place; the counter stands alone in an index, so that
neither do two iterations of a thread), and what the loop writes is used elsewhere only beyond a
barrier. Arrays behind different parameters are taken not to overlap, as everywhere where a person
has to look (`unsafe`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from kernlint.base.span import Span
from kernlint.model.facts import Access, Kernel
from kernlint.model.finding import Edit, Fix
from kernlint.source.tokens import Token
from kernlint.source_model import source_tokens
from kernlint.source_model.array_uses import closed
from kernlint.source_model.block_uniform import Uniform, uniform
from kernlint.source_model.index_terms import serves_better
from kernlint.source_model.swap_tokens import ASSIGN, TYPES, KernelTokens, Tokens

CONTROL = (
    "if",
    "else",
    "for",
    "while",
    "do",
    "break",
    "continue",
    "return",
    "switch",
    "goto",
    "?",
    "++",
    "--",
    "asm",
    "volatile",
    "*",
    "&",
)
PURE = (
    "fabsf",
    "sqrtf",
    "rsqrtf",
    "expf",
    "logf",
    "sinf",
    "cosf",
    "fmaf",
    "fmaxf",
    "fminf",
    "float",
    "int",
    "unsigned",
    "__ldg",
    "min",
    "max",
)
# where unsigned and signed may differ
SENSITIVE = (
    "-",
    "/",
    "%",
    ">>",
    "<",
    ">",
    "<=",
    ">=",
    "!=",
    "==",
)


def loop(
    access: Access, kernel: Kernel, kernels: Iterable[Kernel], text: KernelTokens
) -> Fix | str:
    """Swaps threadIdx.x and the counter of the loop around an access; `kernels`: the launches and
    instances of its definition."""
    if access.in_loop is None or access.in_loop.path != kernel.span.path:
        return ""
    at = next(
        (i for i in range(text.first, text.last) if _starts(text.tokens[i], access.in_loop)), None
    )
    if at is None or text.tokens[at].text != "for":
        return ""
    header = _header(text, at)
    if header is None:
        return ""
    counter, bound, first, last = header
    body = text.tokens[first : last + 1]
    thread = _thread_name(text, body)
    if not thread or not any(token.text == counter for token in body):
        return ""
    if not _as_many(bound, kernels, text):
        return ""
    around = [one for one in kernel.accesses if one.in_loop == access.in_loop]
    if not serves_better(around, counter):
        return ""
    reason = _depends(text, at, first, last, counter, thread, kernel)
    if reason:
        return f"swapping `{thread}` and `{counter}` would not be the same here: {reason}"
    edits = tuple(_swapped(body, counter, thread))
    return Fix(
        "unsafe",
        f"Swap `{thread}` and `{counter}` in the loop's body: there are as many threads as iterations",
        edits,
    )


def _starts(token: Token, span: Span) -> bool:
    return (token.span.line, token.span.column) == (span.line, span.column)


def _header(text: KernelTokens, at: int) -> tuple[str, str, int, int] | None:
    """The counter, its bound, and the body's first and last token, of `for (int i = 0; i < N; ++i)`
    right in the kernel's body."""
    close = closed(text.tokens, at + 1)
    words = [token.text for token in text.tokens[at + 2 : close]]
    if words[:1] == ["unsigned"] and words[1:2] == ["int"]:
        words = words[1:]
    if len(words) not in (11, 12):
        return None
    if words[0] not in ("int", "unsigned") or words[2:5] != ["=", "0", ";"]:
        return None
    counter = words[1]
    step = words[9:]
    if words[5] != counter or words[6] != "<" or words[8] != ";":
        return None
    if step not in ([counter, "++"], ["++", counter], [counter, "+=", "1"]) or _nested(text, at):
        return None
    first = close + 1
    if text.tokens[first].text == "{":
        return counter, words[7], first + 1, closed(text.tokens, first) - 1
    last = next((i for i in range(first, text.last) if text.tokens[i].text == ";"), None)
    return None if last is None else (counter, words[7], first, last)


def _nested(text: KernelTokens, at: int) -> bool:
    """Whether token `at` stands within braces of the body, or under an `if` or a loop without
    them."""
    depth = sum((t.text == "{") - (t.text == "}") for t in text.tokens[text.first : at])
    before = text.tokens[at - 1].text
    return depth != 1 or before not in (";", "{", "}")


def _thread_name(text: KernelTokens, body: Tokens) -> str:
    """`threadIdx.x`, or the variable that holds it; "" where the body has neither or both."""
    words = [token.text for token in text.body]
    named = [
        words[i]
        for i in range(2, len(words) - 5)
        if words[i + 1 : i + 6] == ["=", "threadIdx", ".", "x", ";"]
        and words[i - 1] in ("int", "unsigned")
    ]
    constant = [
        name
        for name in named
        if sum(
            words[k] == name and words[k + 1] in (*ASSIGN, "++", "--")
            for k in range(len(words) - 1)
        )
        == 1
    ]
    inside = [token.text for token in body]
    own = [name for name in constant if name in inside]
    plain = "threadIdx" in inside
    if plain and not own:
        return "threadIdx.x"
    return own[0] if len(own) == 1 and not plain else ""


def _as_many(bound: str, kernels: Iterable[Kernel], text: KernelTokens) -> bool:
    """Whether the loop turns as often as the block is wide, under every launch known."""
    for kernel in kernels:
        launch = kernel.launch
        if launch.block_assumed or launch.origin == "assumed":
            return False
        value = (
            int(bound)
            if bound.isdecimal()
            else launch.arguments.get(bound, source_tokens.number(text.program, bound))
        )
        if value != launch.block[0] or _assigned(bound, text):
            return False
    return True


def _assigned(name: str, text: KernelTokens) -> bool:
    words = [token.text for token in text.body]
    return any(
        words[i] == name and words[i + 1] in (*ASSIGN, "++", "--") for i in range(len(words) - 1)
    )


def _depends(
    text: KernelTokens, at: int, first: int, last: int, counter: str, thread: str, kernel: Kernel
) -> str:
    """Why iterations are not independent of each other, or of what is around the loop."""
    body = text.tokens[first : last + 1]
    reason = _forbidden([token.text for token in body], counter, thread)
    if reason:
        return reason
    local = _locals(body)
    if any(token.text == "return" for token in text.tokens[text.first : at]):
        return "threads may have left before it"
    stores = _written(body, local)
    if isinstance(stores, str):
        return stores
    pointers = {parameter.name: parameter.pointer for parameter in kernel.parameters}
    alike = uniform(
        text, pointers, lambda name: source_tokens.number(text.program, name) is not None
    )
    differing = _differing(body, counter, thread, {*local, *alike.roots}, text, kernel)
    if differing:
        return differing
    for name in {token.text for token in body} & set(alike.roots):
        other = alike.other(name, text.body)
        if other:
            return f"`{name}` and `{other}` may point at one element"
    for name, index in stores.items():
        reason = _meets(text, (at, last), body, (name, index), counter, alike)
        if reason:
            return reason
    return _read_elsewhere(text, (at, last), body, stores)


def _forbidden(words: Sequence[str], counter: str, thread: str) -> str:
    """What a body may not hold: pointers, control flow, barriers, what signs decide."""
    before = ("(", "=", ",", ";", *ASSIGN)
    for i, word in enumerate(words):
        if word in ("*", "&") and (i == 0 or words[i - 1] in before):
            return "its body goes through pointers"
    for word in words:
        is_control = word in CONTROL and word not in ("*", "&")
        if is_control or word.startswith(("__sync", "atomic")):
            return f"its body holds `{word}`"
        if thread == "threadIdx.x" and word in SENSITIVE:
            return f"`{word}` may differ between the unsigned threadIdx.x and `{counter}`"
    return ""


def _differing(
    body: Tokens, counter: str, thread: str, local: set[str], text: KernelTokens, kernel: Kernel
) -> str:
    """The first name that is not surely the same for all threads."""
    for i, token in enumerate(body):
        if token.kind != "identifier" or _allowed(body, i, counter, thread, local, text, kernel):
            continue
        if i + 1 < len(body) and body[i + 1].text == "(":
            return f"its body calls `{token.text}`"
        return f"`{token.text}` may differ from thread to thread"
    return ""


def _locals(body: Tokens) -> set[str]:
    """Variables that the body declares for itself."""
    return {
        b.text
        for a, b in pairwise(body)
        if a.text in TYPES and b.kind == "identifier" and b.text not in TYPES
    }


def _allowed(
    body: Tokens,
    i: int,
    counter: str,
    thread: str,
    local: set[str],
    text: KernelTokens,
    kernel: Kernel,
) -> bool:
    """Whether a name is the same for all threads, or one of the two that swap."""
    name = body[i].text
    if name in (counter, thread, "blockIdx", "blockDim", "gridDim", *local, *TYPES, *PURE):
        return True
    before = body[i - 1].text if i else ""
    if before == ".":
        return True
    if name == "threadIdx":
        return i + 2 < len(body) and (body[i + 2].text != "x" or thread == "threadIdx.x")
    if _shared(name, text):
        return i + 1 < len(body) and body[i + 1].text == "["
    parameters = {parameter.name for parameter in kernel.parameters}
    if name in parameters:
        return not _assigned(name, text)
    return (name in text.macros or name.isupper()) and source_tokens.number(
        text.program, name
    ) is not None


def _shared(name: str, text: KernelTokens) -> bool:
    words = [token.text for token in text.body]
    for i, word in enumerate(words):
        if word == "__shared__":
            end = words.index(";", i)
            if any(words[k] == name and words[k + 1] == "[" for k in range(i, end)):
                return True
    return False


def _written(body: Tokens, local: set[str]) -> dict[str, str] | str:
    """Arrays that the body stores to, with the text of the index; or why something else is
    assigned."""
    found: dict[str, str] = {}
    start = 0
    for i, token in enumerate(body):
        if token.text in (";", "{", "}"):
            start = i + 1
        if token.text not in ASSIGN:
            continue
        target = body[start:i]
        if target and target[0].text in TYPES:
            continue
        if len(target) < 4 or target[1].text != "[" or target[-1].text != "]":
            name = target[0].text if target else token.text
            if name in local and token.text == "=":
                continue
            return f"it carries `{name}` from iteration to iteration"
        index = " ".join(t.text for t in target[1:])
        if found.setdefault(target[0].text, index) != index:
            return f"`{target[0].text}` is written at two places"
    return found


def _meets(
    text: KernelTokens,
    loop: tuple[int, int],
    body: Tokens,
    store: tuple[str, str],
    counter: str,
    alike: Uniform,
) -> str:
    """Why an element that one iteration writes may be another's, or somebody's outside of the
    loop."""
    name, index = store
    if not _alone(index, counter):
        return f"two iterations of a thread may write the same element of `{name}`"
    for i, token in enumerate(body):
        if token.text == name and index != " ".join(_subscripts(body, i)):
            return f"`{name}` is read at another index than it is written"
    for i in range(text.first, text.last):
        token = text.tokens[i]
        if (
            token.text != name
            or loop[0] <= i <= loop[1]
            or id(token) in alike.declaring
            or _declared(text, i)
        ):
            continue
        if not _apart(text, i, loop):
            return f"`{name}` is used on line {token.span.line} with no barrier between"
    return ""


def _alone(index: str, counter: str) -> bool:
    """Whether one subscript holds the counter once, as a term of its own, and no other does."""
    parts = [part.split() for part in re.findall(r"\[ ([^\[\]]*) \]", index)]
    having = [part for part in parts if counter in part]
    if len(having) != 1 or having[0].count(counter) != 1 or len(parts) != index.count("["):
        return False
    part = having[0]
    at = part.index(counter)
    outside = [word for k, word in enumerate(part) if part[:k].count("(") == part[:k].count(")")]
    sums = all(re.fullmatch(r"[\w.]+|[-+*()]", word) for word in outside)
    alone = (at == 0 or part[at - 1] == "+") and (at == len(part) - 1 or part[at + 1] in ("+", "-"))
    return sums and alone and part[:at].count("(") == part[:at].count(")")


def _subscripts(body: Tokens, at: int) -> Iterator[str]:
    i = at + 1
    while i < len(body) and body[i].text == "[":
        last = closed(body, i)
        yield from (token.text for token in body[i : last + 1])
        i = last + 1


def _declared(text: KernelTokens, i: int) -> bool:
    """Whether a token stands in a declaration of shared memory."""
    words = [token.text for token in text.tokens[text.first : i]]
    start = max((k for k, word in enumerate(words) if word in (";", "{", "}")), default=-1)
    return "__shared__" in words[start + 1 :]


def _apart(text: KernelTokens, i: int, loop: tuple[int, int]) -> bool:
    """Whether every thread of the block passes a barrier between token `i` and the loop; only for
    shared arrays."""
    if not _shared(text.tokens[i].text, text):
        return False
    first, last = (i, loop[0]) if i < loop[0] else (loop[1], i)
    depth = sum((t.text == "{") - (t.text == "}") for t in text.tokens[text.first : first])
    for token, after in zip(
        text.tokens[first:last], text.tokens[first + 1 : last + 1], strict=True
    ):
        depth += (token.text == "{") - (token.text == "}")
        if token.text == "__syncthreads" and depth == 1 and after.text == "(":
            return True
    return False


def _read_elsewhere(
    text: KernelTokens, loop: tuple[int, int], body: Tokens, stores: dict[str, str]
) -> str:
    """Why what the loop reads may be what this thread wrote before."""
    for name in {token.text for token in body} - set(stores):
        if not _shared(name, text):
            if _stored(name, text, loop):
                return f"`{name}` is written elsewhere in the kernel"
            continue
        for i in range(text.first, text.last):
            if (
                text.tokens[i].text == name
                and not loop[0] <= i <= loop[1]
                and not _declared(text, i)
                and not _apart(text, i, loop)
            ):
                return (
                    f"`{name}` is used on line {text.tokens[i].span.line} with no barrier between"
                )
    return ""


def _stored(name: str, text: KernelTokens, loop: tuple[int, int]) -> bool:
    """Whether elements of an array are assigned outside of the loop."""
    for i in range(text.first, text.last):
        if (
            text.tokens[i].text == name
            and text.tokens[i + 1].text == "["
            and not loop[0] <= i <= loop[1]
        ):
            after = i + 1
            while text.tokens[after].text == "[":
                after = closed(text.tokens, after) + 1
            if text.tokens[after].text in (*ASSIGN, "++", "--"):
                return True
    return False


def _swapped(body: Tokens, counter: str, thread: str) -> Iterator[Edit]:
    for i, token in enumerate(body):
        if i and body[i - 1].text == ".":
            continue
        if token.text == counter:
            yield Edit(token.span, thread)
        elif token.text == thread:
            yield Edit(token.span, counter)
        elif token.text == "threadIdx" and thread == "threadIdx.x" and body[i + 2].text == "x":
            end = body[i + 2].span
            yield Edit(
                Span(
                    token.span.path,
                    token.span.line,
                    token.span.column,
                    end.end_line,
                    end.end_column,
                ),
                counter,
            )
