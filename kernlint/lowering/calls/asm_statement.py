"""The asm statement: operands lowered, template parsed, its effect emitted.

In: a `tree.Asm`. Out: IR emitted through the Lowerer. Never interprets PTX itself (`assembly`
does); assembly that cannot be read makes the outputs unknown and changes any memory, with a note.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Problem, SourceError, Span
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk_expression
from kernlint.ir.types import (
    DOUBLE,
    FLOAT,
    INT,
    UINT,
    ULONGLONG,
    USHORT,
    Float,
    Integer,
    Pointer,
    Type,
)
from kernlint.lowering.calls.assembly import AsmValue, statements
from kernlint.lowering.calls.assembly_values import converted
from kernlint.lowering.context import Lowerer, expression
from kernlint.lowering.expressions import places, stores
from kernlint.lowering.expressions.values import Scalar, Value
from kernlint.lowering.sites import assembly_place
from kernlint.source.parser import tree
from kernlint.source.ptx import nodes as ptx
from kernlint.source.ptx.inline import parse_asm
from kernlint.source.ptx.meaning import meaning

# Register classes of nvcc's constraint letters (CUDA "Inline PTX Assembly", section 1.1).
_REGISTERS: Mapping[str, Type] = MappingProxyType(
    {"h": USHORT, "r": UINT, "l": ULONGLONG, "q": ULONGLONG, "f": FLOAT, "d": DOUBLE, "n": INT}
)


@dataclass(frozen=True, slots=True)
class _Sites:
    """Sites of one asm statement. An `asm volatile` counts as used, not as volatile: ptxas still
    merges and forwards its plain `ld` (measured: tests/compiler, asm_volatile)."""

    low: Lowerer
    node: tree.Asm
    first: str = ""  # the text of the first instruction, where no operand needs one before
    # an operand is loaded, be it from the thread's own array (its parts may have to be put
    # together), or fetched
    loads: bool = False

    @property
    def span(self) -> Span:
        return self.low.span(self.node)

    def access(
        self,
        text: str,
        op: str,
        hardware_op: str,
        pieces: tuple[tuple[int, int], ...],
        *,
        volatile: bool,
        vector: bool,
        floating: bool,
        used: bool,
    ) -> ir.AccessSite:
        kept = bool(self.node.volatile)
        path, line = assembly_place(self.low, self.node, text == self.first)
        converted = (
            (path, line) != (self.span.path, self.span.first_charged)
            and bool(self.low.frames)
            and (self.low.frame.makes_shared or self.loads)
        )
        path = "" if path == self.span.path else path
        calls = self.low.calls
        return ir.AccessSite(
            self.span,
            text,
            op,
            hardware_op,
            pieces,
            line,
            volatile,
            vector,
            used or kept,
            calls,
            (),
            floating,
            charged_path=path,
            converted=converted,
        )

    def branch(self, kind: str, condition: str) -> ir.BranchSite:
        return ir.BranchSite(self.span, kind, condition, self.low.calls)

    def barrier(self, text: str, scope: str, exchange: bool = False) -> ir.BarrierSite:
        return ir.BarrierSite(self.span, text, scope, self.low.calls, exchange)

    def uncounted(self, name: str) -> None:
        self.low.leave_uncounted(self.node, "hardware-access", name, name=name)


def lower_asm(low: Lowerer, node: tree.Asm) -> None:
    """Outputs are written to fresh variables by the assembly and assigned to their places after it,
    in order."""
    if node.braces:
        message = (
            "asm written with braces, read as `asm volatile (…)`: compilers want the parentheses"
        )
        low.problems.append(Problem("KL001", low.span(node), message, note=True))
    outputs = [(o, expression(low, o.expr)) for o in node.outputs]
    operands = [_output(low, operand, place) for operand, place in outputs]
    before = len(low.out)
    for operand in node.inputs:
        operands.append(_input(low, operand, operands))
    loads = _loads(low, node, low.out[before:])
    for one in operands:
        if one.target is not None and one.value is not None:
            low.assign(one.target, one.value)
    for statement in _body(low, node, operands, loads):
        low.emit(statement)
    _hand_over(low, [o.value for o in operands if o.value is not None])
    for (operand, place), lowered in zip(outputs, operands, strict=False):
        if lowered.target is not None:
            stores.assign(
                low,
                place,
                Scalar(ir.Read(lowered.target.type, lowered.target)),
                operand.expr,
                operand.expr,
            )


def _loads(low: Lowerer, node: tree.Asm, before: Sequence[ir.Statement]) -> bool:
    """Whether an input is loaded, or fetched from the kernel's parameters, before the assembly."""
    fetched = low.frame.fetched if low.frames else frozenset[str]()
    named = {one.expr.name for one in node.inputs if isinstance(one.expr, tree.ID)}
    return any(isinstance(s, ir.Load) for s in before) or not fetched.isdisjoint(named)


def _body(
    low: Lowerer, node: tree.Asm, operands: list[AsmValue], loads: bool
) -> tuple[ir.Statement, ...]:
    """What the assembly does; any memory and unknown outputs where it cannot be read."""
    visible = [
        AsmValue(ir.Read(o.target.type, o.target), o.target, o.symbol)
        if o.target and o.value
        else o
        for o in operands
    ]
    sites = _Sites(low, node)
    parsed: Sequence[ptx.PtxStatement] = ()
    try:
        if low.host:
            raise SourceError("it stands in host code", sites.span)
        parsed = parse_asm(node.template, sites.span)
        sites = _Sites(low, node, _first(parsed, operands), loads)
        body = statements(parsed, visible, sites)
    except SourceError as error:
        low.unsupported(node, "assembly", why=error.message)
        body, parsed = _opaque(operands, sites.span), ()
    instructions = [s for s in parsed if isinstance(s, ptx.PtxInstruction)]
    opaque = [s.opcode for s in instructions if meaning(s).kind == "opaque"]
    if opaque or not parsed:
        what = f"{f'`{opaque[0]}`' if opaque else 'inline assembly'}, which is not followed"
        low.unfollowed += [(what, o.value) for o in operands if o.value is not None]
    return body


def _hand_over(low: Lowerer, given: list[ir.Expression]) -> None:
    """What the assembly takes; it may do anything with a thread's own address."""
    low.take(given, "seen")
    for value in given:
        addresses = (x for x in walk_expression(value) if isinstance(x, ir.Address))
        if any(address.object.space == "local" for address in addresses):
            low.assign(ir.Variable(ir.ASSEMBLY, value.type), value)


def _first(parsed: Sequence[ptx.PtxStatement], operands: list[AsmValue]) -> str:
    """The text of the first instruction; "" where an operand is worked out before it."""
    if not all(o.value is None or _at_hand(o.value) for o in operands):
        return ""
    return next((one.text for one in parsed if isinstance(one, ptx.PtxInstruction)), "")


def _at_hand(value: ir.Expression) -> bool:
    """A value in a register, as another type of its size too, or as other bits of it (`*(int *)&v`
    of a float)."""
    while True:
        if isinstance(value, ir.Convert) and _same_register(value.type, value.operand.type):
            value = value.operand
        elif (
            isinstance(value, ir.Unknown)
            and value.what == ir.SAME_BITS
            and [o.type.size for o in value.operands] == [value.type.size]
        ):
            (value,) = value.operands
        else:
            break
    return isinstance(value, (ir.Read, ir.Constant))


def _same_register(one: Type, other: Type) -> bool:
    return isinstance(one, Float) == isinstance(other, Float) and one.size == other.size


def _output(low: Lowerer, operand: tree.AsmOperand, place: Value) -> AsmValue:
    target = ir.Variable(
        ir.ASSEMBLY, _register_type(operand.constraint, place.type), low.span(operand)
    )
    before = (
        converted(places.scalar(low, place, operand.expr), target.type)
        if "+" in operand.constraint
        else None
    )
    return AsmValue(before, target, operand.symbol)


def _input(low: Lowerer, operand: tree.AsmOperand, outputs: list[AsmValue]) -> AsmValue:
    """A digit ties the input to that output's register, which then holds the input's value when the
    assembly starts."""
    value = places.scalar(low, expression(low, operand.expr), operand.expr)
    tied = operand.constraint.strip("%&")
    if (
        tied.isdigit()
        and int(tied) < len(outputs)
        and (target := outputs[int(tied)].target) is not None
    ):
        low.assign(target, converted(value, target.type))
        value = ir.Read(target.type, target)
    return AsmValue(value, None, operand.symbol)


def _register_type(constraint: str, place: Type) -> Type:
    """The place's own type where it fits the register, so that pointers and signs survive."""
    register = next((_REGISTERS[letter] for letter in constraint if letter in _REGISTERS), place)
    same_kind = isinstance(place, Float) == isinstance(register, Float)
    return (
        place
        if isinstance(place, (Integer, Float, Pointer))
        and same_kind
        and place.size == register.size
        else register
    )


def _opaque(operands: list[AsmValue], span: Span) -> tuple[ir.Statement, ...]:
    written = [o.target for o in operands if o.target is not None]
    unknown = tuple(
        ir.Assign(v, ir.Unknown(v.type, "unsupported", (), False, "inline assembly"))
        for v in written
    )
    return (*unknown, ir.Clobber("inline assembly", None, span))
