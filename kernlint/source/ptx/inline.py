"""Inline PTX: the template of an asm statement, parsed.

In: the template as `tree.Asm` holds it (C escapes resolved, `%%` or `%` before register names).
Out: a flat tuple of statements in program order: instructions, labels and register or memory
declarations. Never says what an instruction does (`ptx_meaning` does), never resolves `%0`. A
template that is no PTX raises `SourceError` with the place inside the template.

`{ … }` scopes are flattened: a name declared a second time gets a suffix (`p` → `p#2`), and its
uses in that scope with it.
"""

from __future__ import annotations

import os
import struct
from functools import cache
from typing import Any

import lark

from kernlint.base.data_folders import data_folder
from kernlint.base.dataclass import dataclass
from kernlint.base.span import SourceError, Span
from kernlint.source.ptx.nodes import (
    SPACES,
    TYPE_BITS,
    Address,
    Arithmetic,
    Group,
    Immediate,
    Negated,
    Operand,
    Pair,
    Predicate,
    PtxDeclaration,
    PtxInstruction,
    PtxLabel,
    PtxStatement,
    Reference,
    Register,
    Special,
    Symbol,
    Vector,
)

_FLOAT_BITS = {"f": (">f", 8), "d": (">d", 16)}


def parse_asm(template: str, span: Span) -> tuple[PtxStatement, ...]:
    """The statements of an asm template; `span` is that of the asm statement. Raises SourceError
    (KL001) with line, column and reason."""
    found = _parsed(template)
    if isinstance(found, Failure):
        line = template.count("\n", 0, found.offset) + 1
        column = found.offset - (template.rfind("\n", 0, found.offset) + 1) + 1
        raise SourceError(
            f"inline assembly, line {line} column {column} of its text: {found.reason}", span
        )
    return found


@dataclass(frozen=True, slots=True)
class Failure:
    """Why and where a text is no PTX."""

    reason: str
    offset: int


@cache
def _grammar() -> lark.Lark:
    with open(os.path.join(data_folder("grammars"), "ptx.lark"), encoding="utf-8") as file:
        return lark.Lark(
            file.read(),
            parser="lalr",
            lexer="basic",
            propagate_positions=True,
            maybe_placeholders=False,
        )


def parse_text(template: str) -> tuple[PtxStatement, ...] | Failure:
    """The statements of a text, or why it has none."""
    try:
        tree = _grammar().parse(template)
    except lark.exceptions.UnexpectedToken as error:
        if error.token.type == "$END":
            return Failure("the assembly ends too early", len(template))
        return Failure(f"unexpected '{error.token}'", error.token.start_pos or 0)
    except lark.exceptions.UnexpectedCharacters as error:
        position = getattr(error, "pos_in_stream", None) or 0  # lark declares it as None
        return Failure(f"unexpected character '{template[position]}'", position)
    return _Builder(template).build(tree)


_parsed = cache(parse_text)  # one template stands in many places; a module's function in one


class _Builder:
    """Walks the grammar's tree once, keeping the names declared in each open scope."""

    def __init__(self, template: str) -> None:
        self._template = template
        self._scopes: list[dict[str, str]] = [{}]
        self._labels: list[dict[str, str]] = []
        self._used: dict[str, int] = {}
        self._statements: list[PtxStatement] = []

    def build(self, tree: lark.Tree[Any]) -> tuple[PtxStatement, ...]:
        self._block(tree)
        return tuple(self._statements)

    def _block(self, node: Any) -> None:
        """Statements with a scope of their own; labels are known in all of it, also before they
        stand (PTX ISA, 4.4)."""
        self._scopes.append({})
        labels = [str(c.children[0]) for c in node.children if c.data == "label"]
        self._labels.append({name: self._unique(name) for name in labels})
        for child in node.children:
            self._statement(child)
        self._scopes.pop()
        self._labels.pop()

    def _statement(self, node: Any) -> None:
        match node.data:
            case "block":
                self._block(node)
            case "label":
                name = self._labels[-1][str(node.children[0])]
                self._statements.append(PtxLabel(name, node.meta.start_pos))
            case "directive":
                self._directive(node)
            case "instruction":
                self._instruction(node)

    def _declare(self, name: str) -> str:
        unique = self._scopes[-1][name] = self._unique(name)
        return unique

    def _unique(self, name: str) -> str:
        number = self._used[name] = self._used.get(name, 0) + 1
        return name if number == 1 else f"{name}#{number}"

    def _directive(self, node: Any) -> None:
        words = str(node.children[0]).strip(".").split(".")
        space = next((w for w in words if w in SPACES), "")
        if not space:
            return
        align = 1
        names: list[str] = []
        count: int | None = None
        for i, piece in enumerate(node.children):
            if not isinstance(piece, lark.Tree):
                continue
            if piece.data == "word" and str(piece.children[0]).startswith("."):
                words += str(piece.children[0]).strip(".").split(".")
            elif piece.data == "count" and words[-1] == "align":
                align = int(str(piece.children[0]), 0)
            elif piece.data == "name":
                following = node.children[i + 1] if i + 1 < len(node.children) else None
                names += self._declared(str(piece.children[0]).lstrip("%"), following)
            elif piece.data == "extent":
                count = (
                    int(str(piece.children[0]), 0)
                    if piece.children and str(piece.children[0]).isdigit()
                    else None
                )
        type_name = next((w for w in reversed(words) if w in TYPE_BITS), "")
        self._statements.append(
            PtxDeclaration(space, type_name, tuple(names), count, align, node.meta.start_pos)
        )

    def _declared(self, name: str, following: Any) -> list[str]:
        if isinstance(following, lark.Tree) and following.data == "range":
            return [self._declare(f"{name}{i}") for i in range(int(str(following.children[0]), 0))]
        return [self._declare(name)]

    def _instruction(self, node: Any) -> None:
        children = list(node.children)
        predicate = None
        if isinstance(children[0], lark.Tree) and children[0].data == "guard":
            *negation, named = children.pop(0).children
            predicate = Predicate(self._operand(named), bool(negation))
        opcode, *modifiers = str(children.pop(0)).split(".")
        text = self._template[node.meta.start_pos : node.meta.end_pos]
        operands = tuple(self._operand(child) for child in children)
        self._statements.append(
            PtxInstruction(opcode, tuple(modifiers), predicate, operands, text, node.meta.start_pos)
        )

    def _operand(self, node: Any) -> Operand:
        children = node.children
        match node.data:
            case "number":
                return Immediate(_integer(str(children[0])))
            case "real":
                return Immediate(_float(str(children[0])))
            case "symbol":
                return self._named(str(children[0]))
            case "register":
                return self._register(str(children[0]).lstrip("%"))
            case "reference":
                return self._reference(str(children[0]))
            case "negated":
                return Negated(self._operand(children[-1]))
            case "address":
                return self._address([self._operand(c) for c in children])
            case "vector":
                return Vector(tuple(self._operand(c) for c in children))
            case "group":
                return Group(tuple(self._operand(c) for c in children))
            case "pair":
                return Pair(self._operand(children[0]), self._operand(children[1]))
        return self._arithmetic(str(node.data), node)

    def _arithmetic(self, kind: str, node: Any) -> Operand:
        values = [self._operand(c) for c in node.children if isinstance(c, lark.Tree)]
        if kind == "shift":
            return _fold(str(node.children[1]), values[0], values[1])
        if kind == "neg":
            return _fold("-", Immediate(0), values[0])
        if kind == "invert":
            return _fold("-", Immediate(-1), values[0])
        return _fold(_ARITHMETIC[kind], values[0], values[1])

    def _address(self, parts: list[Operand]) -> Address:
        inner, *rest = parts
        if isinstance(inner, Arithmetic) and inner.op in "+-":
            base, offset = _split_offset(inner)
            return Address(base, offset, tuple(rest))
        return Address(inner, Immediate(0), tuple(rest))

    def _named(self, name: str) -> Operand:
        found = self._find(name)
        if found is not None or name == "_":
            return Register(found or name)
        return Symbol(next((s[name] for s in reversed(self._labels) if name in s), name))

    def _register(self, name: str) -> Operand:
        found = self._find(name)
        return Register(found) if found is not None else Special(name)

    def _reference(self, text: str) -> Operand:
        text = text.removeprefix("%")
        if text.startswith("["):
            return Reference(text[1:-1])
        if text.startswith("a"):
            declared = self._find(text)
            return Register(declared) if declared is not None else Reference(int(text[1:]))
        return Reference(int(text))

    def _find(self, name: str) -> str | None:
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)


def _integer(text: str) -> int:
    digits = text.rstrip("U")
    return int(digits, 8 if len(digits) > 1 and digits.isdigit() and digits.startswith("0") else 0)


def _float(text: str) -> float:
    layout = _FLOAT_BITS.get(text[1:2].lower()) if text.startswith("0") else None
    if layout is None or len(text) != layout[1] + 2:
        return float(text)
    return float(struct.unpack(layout[0], bytes.fromhex(text[2:]))[0])


_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


def _fold(op: str, left: Operand, right: Operand) -> Operand:
    if isinstance(left, Immediate) and isinstance(right, Immediate):
        a, b = left.value, right.value
        if op == "-" and not (a or isinstance(b, int)):
            return Immediate(-b)
        if isinstance(a, int) and isinstance(b, int) and (op != "/" or b):
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if b else 0
            shift = max(b, 0)
            table = {"+": a + b, "-": a - b, "*": a * b, "/": quotient}
            return Immediate(
                table[op] if op in table else (a << shift if op == "<<" else a >> shift)
            )
    return Arithmetic(op, left, right)


def _split_offset(value: Operand) -> tuple[Operand, Operand]:
    """The leftmost term and the sum of all others."""
    if not (isinstance(value, Arithmetic) and value.op in "+-"):
        return value, Immediate(0)
    base, offset = _split_offset(value.left)
    if offset == Immediate(0):
        return base, value.right if value.op == "+" else _fold("-", Immediate(0), value.right)
    return base, _fold(value.op, offset, value.right)
