"""Places of a program that take a warp for 32 lanes.

Goes in: the tokens of a program, a kernel. Comes out: places by kind, in the kernel and in the
functions that it may call. A division by 32 counts only where the kernel exchanges values between
lanes: elsewhere it may be any tile. Never says whether the device has 32 lanes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.source.tokens import Token
from kernlint.source_model import source_tokens
from kernlint.source_model.array_uses import closed
from kernlint.source_model.source_tokens import Written

LANES = 32
WARP_CALL = re.compile(
    r"__(?:shfl|ballot|any|all|match|reduce)\w*|__activemask|__syncwarp|__lane_id"
)
BALLOT = re.compile(r"__ballot\w*|__activemask|__match_any\w*")
OF_32_BITS = ("__popc", "__ffs", "__clz", "__brev", "__fns")
NARROW = ("int", "unsigned", "uint", "uint32_t", "int32_t", "uint32", "u32")
WIDE = ("long", "uint64_t", "size_t", "auto", "lane_mask")
FULL = re.compile(r"0x[fF]{8}[uU]?")
OF_LANES = {("&", LANES - 1), ("%", LANES), ("/", LANES), (">>", 5)}
NUMBER, MASK, BITS, STEP = "number", "mask", "bits", "step"


@dataclass(frozen=True, slots=True)
class LanePlace:
    """`kind`: a lane's or a warp's NUMBER from a thread's, a MASK of 32 lanes, a ballot in 32 BITS,
    the first STEP of a sum over 32 lanes."""

    kind: str
    span: Span
    text: str


def lane_places(program: Written, kernel: Span) -> list[LanePlace]:
    bodies = _reached(program, kernel)
    if not any(WARP_CALL.fullmatch(token.text) for body in bodies for token in body):
        return []
    return [
        place
        for body in bodies
        for find in (_numbers, _masks, _bits, _steps)
        for place in find(program, body)
    ]


Body = Sequence[Token]


def _reached(program: Written, kernel: Span) -> list[Body]:
    """The kernel's tokens and the bodies of functions whose names they hold, and so on."""
    functions = dict(_functions(program))
    found: list[Body] = [program.inside(kernel)]
    known: set[str] = set()
    for body in found:
        names = {token.text for token in body} & functions.keys() - known
        known |= names
        found += [functions[name] for name in sorted(names)]
    return found


def _functions(program: Written) -> Iterator[tuple[str, Body]]:
    """Name and body of each `__device__` function."""
    tokens = program.tokens
    for i, token in enumerate(tokens):
        if token.text != "__device__":
            continue
        opening = next((k for k in range(i, len(tokens)) if tokens[k].text in ("(", ";")), None)
        if opening is None or tokens[opening].text == ";":
            continue
        first = next(
            (k for k in range(closed(tokens, opening), len(tokens)) if tokens[k].text in "{;"),
            None,
        )
        if first is not None and tokens[first].text == "{":
            yield tokens[opening - 1].text, tokens[first : closed(tokens, first) + 1]


def _numbers(program: Written, body: Body) -> Iterator[LanePlace]:
    """`threadIdx.x & 31`, `tid / 32`, `tid >> 5`, `tid & (WARP - 1)`."""
    for i in range(1, len(body) - 1):
        if body[i].text not in ("&", "%", "/", ">>"):
            continue
        value, end = _right(program, body, i + 1)
        start = _operand(body, i - 1)
        if (body[i].text, value) in OF_LANES and _of_thread(body, start, i):
            yield _place(NUMBER, body[start:end])


def _right(program: Written, body: Body, at: int) -> tuple[int | None, int]:
    """The number that begins at a place, and where it ends: `31`, `0x1f`, `WARP`, `(WARP - 1)`."""
    if body[at].text != "(":
        return _value(program, body[at].text), at + 1
    end = closed(body, at)
    words = [token.text for token in body[at + 1 : end]]
    value = _value(program, words[0]) if words else None
    less_one = words[1:] == ["-", "1"] and value is not None
    return (value - 1 if less_one and value is not None else None), end + 1


def _value(program: Written, text: str) -> int | None:
    digits = text.rstrip("uUlL")
    if digits[:2] in ("0x", "0X"):
        return int(digits, 16)
    return int(digits) if digits.isdecimal() else source_tokens.number(program, text)


def _operand(body: Body, last: int) -> int:
    """Where the operand begins that ends at `last`: a name with its members, or brackets."""
    if body[last].text == ")":
        depth = 0
        for k in range(last, -1, -1):
            depth += (body[k].text == ")") - (body[k].text == "(")
            if depth == 0:
                return k
        return last
    while last >= 2 and body[last - 1].text == ".":
        last -= 2
    return last


def _of_thread(body: Body, start: int, end: int) -> bool:
    """Whether an operand is a thread's number, or a variable that is made of one."""
    words = [token.text for token in body[start:end]]
    if "threadIdx" in words:
        return True
    if len(words) != 1 or not words[0].isidentifier():
        return False
    return any(
        body[k].text == words[0] and body[k + 1].text == "=" and _mentions_thread(body, k + 2)
        for k in range(len(body) - 2)
    )


def _mentions_thread(body: Body, start: int) -> bool:
    for token in body[start:]:
        if token.text == ";":
            return False
        if token.text == "threadIdx":
            return True
    return False


def _masks(program: Written, body: Body) -> Iterator[LanePlace]:
    """`0xffffffff` as the mask of a call."""
    for i in range(len(body) - 2):
        is_call = body[i].text.endswith("_sync") and body[i + 1].text == "("
        if is_call and _is_full(program, body[i + 2].text):
            yield _place(MASK, body[i : closed(body, i + 1) + 1])


def _is_full(program: Written, text: str) -> bool:
    if FULL.fullmatch(text):
        return True
    words = [token.text for token in program.directives]
    return any(
        words[k] == "define" and words[k + 1] == text and FULL.fullmatch(words[k + 2])
        for k in range(len(words) - 2)
    )


def _bits(program: Written, body: Body) -> Iterator[LanePlace]:
    """A ballot whose 64 bits go into 32: `unsigned m = __ballot(…)`, `__popc(__ballot(…))`."""
    for i, token in enumerate(body):
        if not BALLOT.fullmatch(token.text) or i + 1 >= len(body) or body[i + 1].text != "(":
            continue
        before = [one.text for one in body[max(0, i - 8) : i]]
        start = max((k for k, word in enumerate(before) if word in ";{}"), default=-1) + 1
        statement = before[start:]
        counted = len(statement) > 1 and statement[-1] == "(" and statement[-2] in OF_32_BITS
        narrow = "=" in statement and set(statement) & set(NARROW)
        if counted or (narrow and not set(statement) & set(WIDE)):
            yield _place(BITS, body[i : closed(body, i + 1) + 1])


def _steps(program: Written, body: Body) -> Iterator[LanePlace]:
    """A loop over steps from 16 down with shuffles of the whole warp in it, but where the first 32
    threads alone run it."""
    alone = [place for run in _of_first_threads(program, body) for place in run]
    for i in range(len(body) - 3):
        if [token.text for token in body[i : i + 2]] != ["for", "("]:
            continue
        head = body[i + 2 : closed(body, i + 1)]
        words = [token.text for token in head]
        starts = any(words[k : k + 3] == ["=", "16", ";"] for k in range(len(words) - 2))
        call = next(_whole_shuffles(body, closed(body, i + 1)), None) if starts else None
        if call is not None and i not in alone:
            yield _place(STEP, call)


def _of_first_threads(program: Written, body: Body) -> Iterator[range]:
    """Places of what stands behind `if (t < 32)`."""
    for i in range(len(body) - 5):
        if [token.text for token in body[i : i + 2]] != ["if", "("]:
            continue
        end = closed(body, i + 1)
        bounded = body[end - 2].text == "<" and _value(program, body[end - 1].text) == LANES
        if bounded and _of_thread(body, i + 2, end - 2):
            yield range(end, _statement_end(body, end))


def _statement_end(body: Body, start: int) -> int:
    """Where the statement ends that begins behind `start`."""
    at = start + 1
    while at < len(body) and body[at].text not in ";{":
        at = closed(body, at) + 1 if body[at].text == "(" else at + 1
    return closed(body, at) if at < len(body) and body[at].text == "{" else at


def _whole_shuffles(body: Body, start: int) -> Iterator[Body]:
    """The shuffles of the statement that begins behind `start`, without a width."""
    for i in range(start, _statement_end(body, start)):
        if not body[i].text.startswith("__shfl") or body[i + 1].text != "(":
            continue
        inside = body[i + 2 : closed(body, i + 1)]
        given = 1 + sum(token.text == "," for token in _flat(inside))
        if given <= (3 if body[i].text.endswith("_sync") else 2):
            yield body[i : closed(body, i + 1) + 1]


def _flat(tokens: Body) -> Iterator[Token]:
    """Those outside of brackets."""
    depth = 0
    for token in tokens:
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if depth == 0:
            yield token


def _place(kind: str, tokens: Body) -> LanePlace:
    first, last = tokens[0].span, tokens[-1].span
    span = Span(first.path, first.line, first.column, last.end_line, last.end_column, first.macro)
    text = "".join(
        f" {token.text}" if token.space_before and i else token.text
        for i, token in enumerate(tokens)
    )
    return LanePlace(kind, span, text)
