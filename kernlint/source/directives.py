"""Launch facts that a source states in its own comments.

    // kernlint: launch(grid=64x64, block=(32, 8), dynamic_shared=4096, n=1<<20)
    // kernlint: launch(kernel=transpose<float, 32>, grid=64, block=256)
    // kernlint: assume(blockDim.x == 32, n % 4 == 0)
    //--blockDim=[8,8] --gridDim=64                       as verification tools read it (GPUVerify)

Goes in: the comments of a file. Comes out: directives with their places, and a problem for each one
that makes no sense. Never looks at code.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from kernlint.base import python_text
from kernlint.base.dataclass import dataclass
from kernlint.base.relations import MIRRORED
from kernlint.base.span import Problem, Span
from kernlint.model.facts import PointerArgument
from kernlint.model.settings import LaunchDirective

Dim3 = tuple[int, int, int]
# what launch(…) takes beside a kernel's own arguments
DIRECTIVE_KEYS = (
    "kernel",
    "grid",
    "block",
    "dynamic_shared",
)

LAUNCH_FORM = "give the grid, the block or arguments, as in launch(grid=64, block=256, n=1024)"
ASSUME_FORM = "give facts, as in assume(n % 4 == 0, blockDim.x == 256)"

_DIRECTIVE = re.compile(r"\bkernlint:\s*(launch|assume)\b\s*(\(?)")
# behind one of the same comment
_FURTHER = re.compile(r"(?:[\s,;&]|\n\s*(?:\*|//))*\b(launch|assume)(\()")
_NAME = re.compile(r"[A-Za-z_]\w*(\.\w+)*")
_CONGRUENCE = re.compile(
    r"(?P<name>[A-Za-z_][\w.]*)\s*%\s*(?P<modulus>[^=]+?)\s*==\s*(?P<value>.+)"
)
_RELATION = re.compile(r"(?P<name>[A-Za-z_][\w.]*)\s*(?P<relation>==|<=|>=|<|>|!=)\s*(?P<value>.+)")
_TURNED = re.compile(
    r"(?P<value>[^=<>!]+?)\s*(?P<relation>==|<=|>=|<|>|!=)\s*(?P<name>[A-Za-z_][\w.]*)"
)

# options of GPUVerify on a line of their own; OpenCL's names beside CUDA's
_TOOL_LINE = re.compile(r"(?://|/\*)\s*--\w")
_TOOL_OPTION = re.compile(
    r"--(blockDim|local_size|gridDim|num_groups|global_size)=(\[[^\]]*\]|\S+)"
)
_TOOL_BLOCK, _TOOL_GRID = ("blockDim", "local_size"), ("gridDim", "num_groups")

OPERATORS: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}


@dataclass(frozen=True, slots=True)
class Assumption:
    """`name % modulus == value` (modulus not None) or `name relation value`; `name` is an argument
    or blockDim.x and the like."""

    span: Span
    text: str
    name: str
    relation: str
    value: int
    modulus: int | None = None


@dataclass(frozen=True, slots=True)
class Directives:
    """`header`: what a verification tool's options say, for the kernels of the file without a
    launch directive of their own."""

    launches: tuple[LaunchDirective, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    problems: tuple[Problem, ...] = ()
    header: tuple[LaunchDirective, ...] = ()


def directives(
    comments: Iterable[tuple[Span, str]], names: Mapping[str, int] | None = None
) -> Directives:
    """All directives in a file's comments (text with its delimiters), in order. `names`: macros
    with an integer value."""
    launches: list[LaunchDirective] = []
    assumptions: list[Assumption] = []
    problems: list[Problem] = []
    tool: list[tuple[Span, str]] = []
    for place, comment in comments:
        if _TOOL_LINE.match(comment):
            tool.append((place, comment))
        if "kernlint:" not in comment:
            continue
        for word, body, start, end in _stated(comment):
            span = _span(place, comment, start, end)
            try:
                if body is None:
                    raise ValueError(f"expected '{word}(…)' with a closing parenthesis")
                if word == "launch":
                    launches.append(_launch(body, span, names or {}))
                else:
                    parts = [part.strip() for some in split(body) for part in some.split("&&")]
                    if not parts:
                        raise ValueError(f"'assume()' states nothing: {ASSUME_FORM}")
                    assumptions += [_assumption(part, span, names or {}) for part in parts]
            except ValueError as error:
                problems.append(
                    Problem("KL093", span, f"kernlint directive not understood: {error}")
                )
    return Directives(tuple(launches), tuple(assumptions), tuple(problems), _header(tool))


def _header(comments: list[tuple[Span, str]]) -> tuple[LaunchDirective, ...]:
    """The launch of every kernel that the options in a file's comments give, if any."""
    options = {m[1]: m[2] for _, text in comments for m in _TOOL_OPTION.finditer(text)}
    try:
        sizes = {
            name: dim3(text.replace("[", "(").replace("]", ")")) for name, text in options.items()
        }
    except ValueError:
        return ()
    block = next((sizes[name] for name in _TOOL_BLOCK if name in sizes), None)
    grid = next((sizes[name] for name in _TOOL_GRID if name in sizes), None)
    threads = sizes.get("global_size")
    if grid is None and threads is not None and block is not None:
        x, y, z = (-(-n // size) for n, size in zip(threads, block, strict=True))
        grid = x, y, z
    if block is None and grid is None:
        return ()
    return (LaunchDirective(comments[0][0], kernel="*", grid=grid, block=block),)


def _stated(comment: str) -> Iterator[tuple[str, str | None, int, int]]:
    """Each directive's word, what stands in its parentheses (None: they are not there), its start
    and end; several may follow one `kernlint:`."""
    for first in _DIRECTIVE.finditer(comment):
        match: re.Match[str] | None = first
        while match is not None:
            body, length = _body(comment[match.end() :]) if match[2] else (None, 0)
            end = match.end() + length
            yield match[1], body, match.start(), end
            match = _FURTHER.match(comment, end) if body is not None else None


def _body(rest: str) -> tuple[str | None, int]:
    """The text up to the parenthesis that closes an already opened one; a continued line's leading
    `//` or `*` is dropped."""
    depth = 1
    for position, character in enumerate(rest):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return re.sub(r"\\?\n\s*(//|\*)?", " ", rest[:position]), position + 1
    return None, 0


def split(text: str) -> list[str]:
    """The parts between commas that stand outside all brackets; `<…>` is a bracket only after
    `kernel=name`."""
    parts, depth, angle, current = [], 0, 0, ""
    for position, character in enumerate(text):
        if angle or (character == "<" and re.search(r"\bkernel\s*=\s*[\w:]+\s*$", text[:position])):
            angle += (character == "<") - (character == ">")
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0 and not angle:
            parts.append(current)
            current = ""
        else:
            current += character
    return [part.strip() for part in [*parts, current] if part.strip()]


def _launch(body: str, span: Span, names: Mapping[str, int]) -> LaunchDirective:
    kernel, template_arguments = "", None
    sizes: dict[str, Dim3] = {}
    shared: int | None = None
    arguments: dict[str, int | float | PointerArgument] = {}
    given: set[str] = set()
    for part in split(body):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value or not _NAME.fullmatch(name):
            raise ValueError(f"'{part}' is not NAME=VALUE")
        if name in given:
            raise ValueError(f"'{name}' is given twice")
        given.add(name)
        if name == "kernel":
            kernel, template_arguments = kernel_name(value)
        elif name in ("grid", "block"):
            sizes[name] = dim3(value, names)
        elif name == "dynamic_shared":
            shared = integer(value, names)
        else:
            arguments[name] = argument(value, names)
    if given <= {"kernel"}:
        raise ValueError(f"'launch({body.strip()})' states nothing: {LAUNCH_FORM}")
    return LaunchDirective(
        span, kernel, template_arguments, sizes.get("grid"), sizes.get("block"), shared, arguments
    )


def kernel_name(value: str) -> tuple[str, tuple[str, ...] | None]:
    """`name` or `name<arguments>`: the name, and the texts of the template arguments where there
    are any. Raises ValueError."""
    name, angle, rest = value.partition("<")
    if angle and not rest.endswith(">"):
        raise ValueError(f"'{value}' lacks its closing '>'")
    return name.strip(), tuple(_template_arguments(rest[:-1])) if angle else None


def _template_arguments(text: str) -> list[str]:
    depth, parts = 0, [""]
    for character in text:
        depth += (character in "<([{") - (character in ">)]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _assumption(part: str, span: Span, names: Mapping[str, int]) -> Assumption:
    congruence = _CONGRUENCE.fullmatch(part)
    if congruence:
        modulus = integer(congruence["modulus"], names)
        if modulus <= 0:
            raise ValueError(f"'{part}': the divisor must be positive")
        rest = integer(congruence["value"], names)
        if not 0 <= rest < modulus:
            raise ValueError(f"'{part}': the remainder must be from 0 to {modulus - 1}")
        return Assumption(span, part, congruence["name"], "==", rest, modulus)
    relation = _RELATION.fullmatch(part)
    if relation and not (relation["name"] in names and _TURNED.fullmatch(part)):
        return Assumption(
            span, part, relation["name"], relation["relation"], integer(relation["value"], names)
        )
    turned = _TURNED.fullmatch(part)
    if turned:
        mirrored = MIRRORED[turned["relation"]]
        return Assumption(span, part, turned["name"], mirrored, integer(turned["value"], names))
    raise ValueError(
        f"'{part}' is neither NAME % NUMBER == NUMBER nor a comparison of a name with a number"
    )


SIZES = "sizes are written 256, 32x8 or 8x8x4"


def dim3(text: str, names: Mapping[str, int] | None = None) -> Dim3:
    """`256`, `32x8`, `32,8` or `(32, 8)`, each part an integer expression: three positive sizes."""
    inner = text.strip()
    if re.match(r"0[xX]", inner) and "," not in inner:
        raise ValueError(
            f"'{text}': write sizes in decimal, `0x` could mean a hexadecimal number or a size of 0"
        )
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1]
    crossed = re.fullmatch(r"\d+(\s*[xX]\s*\d+)+", inner)
    parts = split(inner) if "," in inner else re.split(r"\s*[xX]\s*", inner) if crossed else [inner]
    try:
        sizes = [integer(part, names or {}) for part in parts]
    except ValueError as error:
        raise ValueError(f"{error}; {SIZES}") from None
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"'{text}' has {len(sizes)} sizes; one to three are meant")
    if min(sizes) < 1:
        raise ValueError(f"'{text}': every size must be at least 1")
    x, y, z = [*sizes, 1, 1][:3]
    return x, y, z


def number(text: str, names: Mapping[str, int] | None = None) -> int | float:
    """An integer expression, or a floating-point literal."""
    if re.fullmatch(r"[+-]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][+-]?\d+)?[fF]?", text.strip()):
        return float(text.strip().rstrip("fF"))
    return integer(text, names or {})


def argument(text: str, names: Mapping[str, int] | None = None) -> int | float | PointerArgument:
    """An integer or floating-point value; `+N` is a pointer N bytes into its allocation."""
    if not text.strip().startswith("+"):
        return number(text, names)
    offset = integer(text.strip()[1:], names)
    if offset < 0:
        raise ValueError("a pointer lies at or after the start of its allocation")
    return PointerArgument(offset)


_NO_INTEGER = (
    ValueError,
    SyntaxError,
    ZeroDivisionError,
    OverflowError,
    RecursionError,
    MemoryError,
)


def integer(text: str, names: Mapping[str, int] | None = None) -> int:
    """The value of an integer expression of literals, names and + - * / % << >> with
    parentheses."""
    try:
        return _evaluate(_expression(text), names or {})
    except (SyntaxError, ZeroDivisionError, OverflowError, RecursionError, MemoryError):
        raise ValueError(f"'{text.strip()}' is not an integer") from None


def _expression(text: str) -> ast.expr:
    return python_text.expression(re.sub(r"\b(0[xX][\da-fA-F]+|\d+)[uUlL]+\b", r"\1", text.strip()))


@lru_cache(1 << 15)
def _form(text: str) -> int | tuple[ast.expr, frozenset[str]] | None:
    """An integer, an expression with the names that it needs, or None for what is neither: headers
    define the same macros in each file."""
    try:
        node = _expression(text)
        names = frozenset(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
        return (node, names) if names else _evaluate(node, {})
    except _NO_INTEGER:
        return None


def _evaluate(node: ast.expr, names: Mapping[str, int]) -> int:
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int)
        and not isinstance(node.value, bool)
    ):
        return node.value
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _evaluate(node.operand, names)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        left, right = _evaluate(node.left, names), _evaluate(node.right, names)
        if isinstance(node.op, ast.LShift | ast.RShift) and not 0 <= right < 64:
            raise ValueError(f"shift by {right} is out of range")
        return OPERATORS[type(node.op)](left, right)
    raise ValueError(f"'{ast.unparse(node)}' is neither an integer nor a name with a known value")


def integer_names(defines: Mapping[str, str]) -> dict[str, int]:
    """The macros whose replacement is an integer expression, directly or through other such
    macros."""
    found: dict[str, int] = {}
    pending = {name: text for name, text in defines.items() if text.strip() and name.isidentifier()}
    while True:
        known = len(found)
        for name, text in list(pending.items()):
            form = _form(text)
            if isinstance(form, tuple) and not form[1] <= found.keys():
                continue
            del pending[name]
            try:
                value = _evaluate(form[0], found) if isinstance(form, tuple) else form
            except _NO_INTEGER:
                continue
            if value is not None:
                found[name] = value
        if len(found) == known:
            return found


def _span(place: Span, comment: str, start: int, end: int) -> Span:
    """The stretch of a comment as a place in its file."""

    def at(position: int) -> tuple[int, int]:
        line = comment.count("\n", 0, position)
        return place.line + line, position - comment.rfind("\n", 0, position) - 1 + (
            place.column if line == 0 else 1
        )

    return Span(place.path, *at(start), *at(end))
