"""Inline assembly: PTX instructions as statements of the intermediate form.

In: Asm nodes. Out: loads, stores, assignments and the rest through the Lowerer; what is not understood makes its targets unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from kernlint.lowering import ir
from kernlint.lowering.context import STATEMENTS, Lowerer, expression
from kernlint.lowering.fold import binary, constant, convert, integer, select, truth, unary
from kernlint.lowering.layout import BFLOAT16
from kernlint.lowering.places import operands_of, reinterpret, rvalue, scalar
from kernlint.lowering.sites import access_site
from kernlint.lowering.stores import assign
from kernlint.lowering.syntax import Node
from kernlint.lowering.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    SCHAR,
    SHORT,
    UCHAR,
    UINT,
    ULONG,
    USHORT,
    Array,
    Float,
    Integer,
    OpaqueType,
    Pointer,
    Type,
)  # fmt: skip
from kernlint.lowering.values import ConstantPlace, Scalar, Value
from kernlint.source.ptx import parse_asm
from kernlint.source.ptx_meaning import PtxMeaning, meaning
from kernlint.source.ptx_nodes import (
    TYPE_BITS,
    Address,
    Arithmetic,
    Immediate,
    Negated,
    Operand,
    Pair,
    Predicate,
    PtxDeclaration,
    PtxInstruction,
    PtxLabel,
    Reference,
    Register,
    Special,
    Symbol,
    Vector,
)  # fmt: skip
from kernlint.source.span import SourceError

_TYPES: dict[str, Type] = {
    "u8": UCHAR, "s8": SCHAR, "b8": UCHAR, "u16": USHORT, "s16": SHORT, "b16": USHORT, "u32": UINT, "s32": INT, "b32": UINT, "u64": ULONG, "s64": LONG,
    "b64": ULONG, "f16": HALF, "bf16": BFLOAT16, "f32": FLOAT, "f64": DOUBLE, "pred": BOOL,
}  # fmt: skip
_BUILTINS = frozenset(f"{name}.{axis}" for name in ("tid", "ntid", "ctaid", "nctaid") for axis in "xyz") | {"laneid", "warpid"}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
_IR_OPERATORS = frozenset(["+", "-", "*", "/", "%", "&", "|", "^", "min", "max"])
_CALLS_NOT_COMPUTED = frozenset({"float", "packed", "opaque"})


@dataclass(slots=True)
class _Assembly:
    """One asm statement: its C operands and the registers it declares."""

    low: Lowerer
    node: Node
    outputs: list[tuple[Value, ir.Variable]] = field(default_factory=list)
    held: dict[int | str, ir.Expression | ir.Variable] = field(default_factory=dict)
    registers: dict[str, ir.Variable] = field(default_factory=dict)
    text: str = ""
    lanemasks: int = 0

    def variable(self, operand: Operand, type_: Type = UINT) -> ir.Variable | None:
        """The variable behind a destination operand."""
        if isinstance(operand, Reference):
            found = self.held.get(operand.key)
            return found if isinstance(found, ir.Variable) else None
        if isinstance(operand, (Register, Symbol)):
            if operand.name == "_":
                return None
            return self.registers.setdefault(operand.name, ir.Variable(f"%{operand.name}", type_))
        return None


def assembly(low: Lowerer, node: Node) -> None:
    """One asm statement."""
    state = _Assembly(low, node)
    _bind_operands(state, node)
    try:
        parsed = parse_asm(node.template, low.span(node))
    except SourceError as error:
        low.unsupported(node, error.message)
        _forget_everything(state)
        _write_back(state, node)
        return
    if any(isinstance(s, PtxLabel) for s in parsed) and any(isinstance(s, PtxInstruction) and s.opcode == "bra" for s in parsed):
        low.unsupported(node, "branches inside inline assembly are not analysed")
        _forget_everything(state)
        parsed = ()
    for one in parsed:
        if isinstance(one, PtxDeclaration):
            for name in one.names:
                state.registers[name] = ir.Variable(
                    f"%{name}", _TYPES.get(one.type, OpaqueType(one.type, TYPE_BITS.get(one.type, 32) // 8))
                )
        elif isinstance(one, PtxInstruction):
            _instruction(state, one)
    _write_back(state, node)


def _bind_operands(state: _Assembly, node: Node) -> None:
    """`%0`, `%1` …: outputs first, then inputs; an input constrained "0" shares output 0's register."""
    low = state.low
    number = 0
    for operand in node.outputs or []:
        place = expression(low, operand.expr)
        type_ = place.type if not isinstance(place.type, Array) else ULONG
        variable = ir.Variable(f"%{number}", type_)
        if "+" in (operand.constraint or ""):
            low.assign(variable, convert(scalar(low, place, operand.expr), type_))
        state.outputs.append((place, variable))
        state.held[number] = variable
        if operand.symbol:
            state.held[operand.symbol] = variable
        number += 1
    for operand in node.inputs or []:
        value = rvalue(low, expression(low, operand.expr), operand.expr)
        found = scalar(low, value, operand.expr) if not (isinstance(value, Scalar)) else value.expression
        constraint = (operand.constraint or "").strip()
        if constraint.isdigit() and isinstance(state.held.get(int(constraint)), ir.Variable):
            shared = state.held[int(constraint)]
            assert isinstance(shared, ir.Variable)
            low.assign(shared, convert(found, shared.type))
        state.held[number] = found
        if operand.symbol:
            state.held[operand.symbol] = found
        number += 1


def _write_back(state: _Assembly, node: Node) -> None:
    for (place, variable), operand in zip(state.outputs, node.outputs or [], strict=False):
        if not isinstance(place, ConstantPlace):
            assign(state.low, place, Scalar(ir.Read(variable.type, variable)), operand.expr, operand.expr)


def _forget_everything(state: _Assembly) -> None:
    for _, variable in state.outputs:
        state.low.assign(variable, ir.Unknown(variable.type, "unsupported", (), False, "inline assembly"))
    state.low.emit(ir.Clobber("asm", None, state.low.span(state.node)))


# ------------------------------------------------------------------ operands


def _value(state: _Assembly, operand: Operand, type_: Type) -> ir.Expression:
    """An operand as a value of `type_`."""
    found = _raw(state, operand, type_)
    if found.type == type_ or isinstance(type_, OpaqueType):
        return found
    if isinstance(found.type, Float) != isinstance(type_, Float) and not isinstance(found, ir.Constant):
        held = reinterpret((found,), type_)
        return operands_of(held)[0] if operands_of(held) else found
    return convert(found, type_)


def _raw(state: _Assembly, operand: Operand, type_: Type) -> ir.Expression:
    if isinstance(operand, Reference):
        found = state.held.get(operand.key)
        if isinstance(found, ir.Variable):
            return ir.Read(found.type, found)
        return found if found is not None else ir.Unknown(type_, "unsupported")
    if isinstance(operand, (Register, Symbol)):
        if operand.name == "WARP_SZ":
            return integer(32, UINT)
        variable = state.variable(operand, type_)
        return ir.Read(variable.type, variable) if variable is not None else ir.Unknown(type_, "unsupported")
    if isinstance(operand, Immediate):
        return constant(operand.value, type_ if isinstance(type_, (Integer, Float)) else LONG)
    if isinstance(operand, Special):
        return _special(operand.name)
    if isinstance(operand, Negated):
        return unary("!", truth(_raw(state, operand.operand, BOOL)))
    if isinstance(operand, Arithmetic):
        return binary(operand.op, _value(state, operand.left, LONG), _value(state, operand.right, LONG))
    if isinstance(operand, Address):
        return _address(state, operand, OpaqueType("?"), "")
    return ir.Unknown(type_, "unsupported")


def _special(name: str) -> ir.Expression:
    if name in _BUILTINS:
        return ir.Builtin(UINT, name)
    lane = ir.Builtin(UINT, "laneid")
    one = integer(1, UINT)
    masks: dict[str, ir.Expression] = {
        "lanemask_eq": binary("<<", one, lane),
        "lanemask_lt": binary("-", binary("<<", one, lane), one),
        "lanemask_le": binary("-", binary("<<", integer(2, UINT), lane), one),
    }
    if name in masks:
        return masks[name]
    if name == "lanemask_gt":
        return unary("~", masks["lanemask_le"])
    if name == "lanemask_ge":
        return unary("~", masks["lanemask_lt"])
    if name == "dynamic_smem_size":
        return ir.Builtin(UINT, name)
    return ir.Unknown(ULONG if name.endswith("64") or "timer" in name else UINT, "clock", (), False, f"%{name}")


def _address(state: _Assembly, operand: Operand, element: Type, space: str) -> ir.Expression:
    """`[base + offset]` as a pointer into the named space."""
    base, offset = (operand.base, operand.offset) if isinstance(operand, Address) else (operand, Immediate(0))
    found = _raw(state, base, ULONG)
    target = Pointer(element, space)
    if isinstance(found.type, Pointer):
        found = convert(found, target)
    elif isinstance(found.type, Integer):
        found = ir.Convert(target, found)
    else:
        found = ir.Unknown(target, "unsupported", (found,), True)
    return binary("+", found, _value(state, offset, LONG), target)


# ------------------------------------------------------------------ instructions


def _instruction(state: _Assembly, one: PtxInstruction) -> None:
    what = meaning(one)
    state.text = one.text
    low = state.low
    if one.predicate is None:
        _HANDLERS[what.kind](state, one, what)
        return
    test = _predicate(state, one.predicate)
    if what.kind == "assign":
        _predicated_assign(state, one, what, test)
        return
    with low.block() as body:
        _HANDLERS[what.kind](state, one, what)
    if body:
        low.emit(ir.If(test, tuple(body), (), ir.BranchSite(low.span(state.node), "predicate", one.text, low.calls)))


def _predicate(state: _Assembly, predicate: Predicate) -> ir.Expression:
    found = truth(_raw(state, predicate.operand, BOOL))
    return unary("!", found) if predicate.negated else found


def _predicated_assign(state: _Assembly, one: PtxInstruction, what: PtxMeaning, test: ir.Expression) -> None:
    """A predicated computation keeps the old value where the predicate does not hold."""
    with state.low.block() as body:
        _assign(state, one, what)
    for statement in body:
        if isinstance(statement, ir.Assign):
            old = ir.Read(statement.variable.type, statement.variable)
            state.low.assign(statement.variable, select(test, statement.value, old))
        else:
            state.low.emit(statement)


def _operands(what: PtxMeaning, one: PtxInstruction, role: str) -> list[Operand]:
    return [one.operands[i] for i in what.positions(role, len(one.operands))]


def _items(operand: Operand) -> tuple[Operand, ...]:
    return operand.items if isinstance(operand, Vector) else (operand,)


def _site(state: _Assembly, what: PtxMeaning, op: str, type_: Type, split: tuple[tuple[int, int], ...]) -> ir.AccessSite:
    low = state.low
    made = access_site(
        low,
        state.node,
        type_,
        op,
        hardware_op=what.hardware_op or op,
        volatile=what.volatile,
        split=split,
        charge=charged_line(low, state.node),
    )
    return replace(made, text=state.text, floating=what.floating, vector=what.count > 1)


def charged_line(low: Lowerer, node: Node) -> int:
    """The statement's line; inside `__forceinline__` functions that of the call (measured)."""
    line = low.span(node).line
    for position in range(len(low.frames) - 1, 0, -1):
        entity = low.frames[position].entity
        if entity is None or "__forceinline__" not in (entity.node.specifiers or []) or position > len(low.calls):
            break
        line = low.calls[position - 1].line
    return line


def _element(what: PtxMeaning) -> Type:
    return _TYPES.get(what.type, OpaqueType(what.type or "b32", TYPE_BITS.get(what.type, 32) // 8))


def _set(state: _Assembly, operand: Operand, value: ir.Expression) -> None:
    variable = state.variable(operand, value.type)
    if variable is None:
        return
    if variable.type != value.type:
        if isinstance(variable.type, Float) != isinstance(value.type, Float):
            held = operands_of(reinterpret((value,), variable.type))
            value = held[0] if held else ir.Unknown(variable.type, "unsupported", (value,), True)
        else:
            value = convert(value, variable.type)
    state.low.assign(variable, value)


def _load(state: _Assembly, one: PtxInstruction, what: PtxMeaning) -> None:
    element = _element(what)
    width = element.size or 4
    address = _address(state, _operands(what, one, "address")[0], element, what.space)
    target = _operands(what, one, "target")[0]
    made = [(i * width, state.low.temporary(element), operand) for i, operand in enumerate(_items(target))]
    site = _site(state, what, "load", element, ((0, what.bytes or width),))
    state.low.emit(ir.Load(tuple((o, v) for o, v, _ in made), address, site))
    for _, variable, operand in made:
        _set(state, operand, ir.Read(variable.type, variable))


def _store(state: _Assembly, one: PtxInstruction, what: PtxMeaning) -> None:
    element = _element(what)
    width = element.size or 4
    address = _address(state, _operands(what, one, "address")[0], element, what.space)
    items = _items(_operands(what, one, "value")[0])
    values = tuple((i * width, _value(state, item, element)) for i, item in enumerate(items)) if isinstance(element, Integer) else ()
    state.low.emit(ir.Store(address, values, _site(state, what, "store", element, ((0, what.bytes or width),))))


def _atomic(state: _Assembly, one: PtxInstruction, what: PtxMeaning) -> None:
    element = _element(what)
    address = _address(state, _operands(what, one, "address")[0], element, what.space)
    given = tuple(_value(state, o, element) for role in ("compare", "value") for o in _operands(what, one, role))
    targets = _operands(what, one, "target")
    held = state.low.temporary(element) if targets else None
    site = _site(state, what, "atomic", element, ((0, what.bytes or element.size or 4),))
    state.low.emit(ir.Atomic(held, what.operation, address, given, replace(site, result_used=bool(targets))))
    if targets and held is not None:
        _set(state, targets[0], ir.Read(element, held))


def _copy(state: _Assembly, one: PtxInstruction, what: PtxMeaning) -> None:
    size = _operands(what, one, "bytes")
    count = what.bytes
    if not count and size:
        found = _value(state, size[0], LONG)
        count = int(found.value) if isinstance(found, ir.Constant) else 0
    destination = _address(state, _operands(what, one, "destination")[0], UCHAR, "shared")
    source = _address(state, _operands(what, one, "source")[0], UCHAR, "global")
    sites = [_site(state, what, "copy", UCHAR, ((0, count),)) for _ in range(2)]
    fewer = _operands(what, one, "source_bytes")
    if fewer:
        note = "only as many bytes are read as the last operand says"
        sites[1] = replace(sites[1], notes=(note,))
    state.low.emit(ir.Copy(destination, source, sites[0], sites[1]))


def _matrix(state: _Assembly, one: PtxInstruction, what: PtxMeaning) -> None:
    address = _address(state, _operands(what, one, "address")[0], OpaqueType("row", 16), "shared")
    operation = "load" if what.hardware_op == "ldmatrix" else "store"
    site = _site(state, what, operation, OpaqueType("row", 16), ((0, 16),))
    targets = [item for o in _operands(what, one, "target") for item in _items(o)]
    made = [state.low.temporary(UINT) for _ in targets]
    state.low.emit(ir.Matrix(address, what.count, tuple(made), site))
    for operand, variable in zip(targets, made, strict=True):
        _set(state, operand, ir.Read(UINT, variable))


def _shuffle(state: _Assembly, one: PtxInstruction, what: PtxMeaning) -> None:
    element = UINT
    value = _value(state, _operands(what, one, "value")[0], element)
    lane = _value(state, _operands(what, one, "lane")[0], INT)
    clamp = _operands(what, one, "clamp")
    width: ir.Expression = integer(32)
    if clamp:
        # bits 8-12 hold 32 minus the segment's width (PTX ISA, shfl.sync)
        segment = binary("&", binary(">>", _value(state, clamp[0], INT), integer(8)), integer(31))
        width = binary("-", integer(32), segment)
    target = state.low.temporary(element)
    state.low.emit(ir.Shuffle(target, what.operation, value, lane, width, state.low.span(state.node), what.synchronised))
    operand = _operands(what, one, "target")[0]
    first = operand.first if isinstance(operand, Pair) else operand
    _set(state, first, ir.Read(element, target))
    if isinstance(operand, Pair):
        _set(state, operand.second, ir.Unknown(BOOL, "lane-exchange"))


def _vote(state: _Assembly, one: PtxInstruction, what: PtxMeaning) -> None:
    given = _operands(what, one, "condition") or _operands(what, one, "value")
    is_test = bool(_operands(what, one, "condition"))
    operand = _value(state, given[0], BOOL if is_test else _element(what)) if given else None
    result = BOOL if what.operation in ("any", "all") else UINT
    target = state.low.temporary(result)
    state.low.emit(ir.Vote(target, what.operation, operand, state.low.span(state.node)))
    _set(state, _operands(what, one, "target")[0], ir.Read(result, target))


def _barrier(state: _Assembly, one: PtxInstruction, what: PtxMeaning) -> None:
    low = state.low
    low.emit(ir.Barrier(ir.BarrierSite(low.span(state.node), one.text, what.scope, low.calls)))
    for operand in _operands(what, one, "target"):
        _set(state, operand, ir.Unknown(UINT, "lane-exchange"))


def _exit(state: _Assembly, one: PtxInstruction, what: PtxMeaning) -> None:
    state.low.emit(ir.Trap(state.low.span(state.node)))


def _branch(state: _Assembly, one: PtxInstruction, what: PtxMeaning) -> None:
    state.low.unsupported(state.node, f"'{one.text}' inside inline assembly is not analysed")
    state.low.emit(ir.Clobber("asm", None, state.low.span(state.node)))


def _opaque(state: _Assembly, one: PtxInstruction, what: PtxMeaning) -> None:
    low = state.low
    for role in ("target", "mbarrier"):
        for operand in _operands(what, one, role):
            for item in _items(operand):
                variable = state.variable(item) if isinstance(item, (Reference, Register)) else None
                if variable is not None:
                    low.assign(variable, ir.Unknown(variable.type, what.reason, (), False, one.name))
    for operand in _operands(what, one, "clobber"):
        low.emit(ir.Clobber(one.name, (_address(state, operand, UCHAR, what.space),), low.span(state.node)))


def _ignored(state: _Assembly, one: PtxInstruction, what: PtxMeaning) -> None:
    return


# ------------------------------------------------------------------ computations


def _assign(state: _Assembly, one: PtxInstruction, what: PtxMeaning) -> None:
    targets = _operands(what, one, "target")
    if not targets:
        return
    target = targets[0]
    if what.operation == "mov" and (isinstance(target, Vector) or any(isinstance(o, Vector) for o in one.operands)):
        _move_vector(state, one, target)
        return
    inputs = [o for i, o in enumerate(one.operands) if i not in what.positions("target", len(one.operands))]
    _finish(state, target, _compute(state, what, inputs), what)


def _finish(state: _Assembly, target: Operand, value: ir.Expression, what: PtxMeaning) -> None:
    if isinstance(target, Pair):
        _set(state, target.first, value)
        _set(
            state, target.second, unary("!", truth(value)) if what.operation == "setp" else ir.Unknown(BOOL, "unsupported", (value,), True)
        )
    else:
        _set(state, target, value)


def _move_vector(state: _Assembly, one: PtxInstruction, target: Operand) -> None:
    """mov.b64 %rd, {a, b} packs, mov.b64 {a, b}, %rd unpacks; little end first."""
    source = one.operands[1]
    if isinstance(target, Vector):
        whole = _value(state, source, ULONG)
        bits = 64 // max(len(target.items), 1) if "b64" in one.modifiers else 32 // max(len(target.items), 1)
        part = {32: UINT, 16: USHORT, 8: UCHAR}.get(bits, UINT)
        for i, item in enumerate(target.items):
            _set(state, item, convert(binary(">>", whole, integer(i * bits)), part))
        return
    items = _items(source)
    total = ULONG if "b64" in one.modifiers else UINT
    bits = total.bits // max(len(items), 1)
    narrow = {32: UINT, 16: USHORT, 8: UCHAR}.get(bits, UINT)
    found: ir.Expression = integer(0, total)
    for i, item in enumerate(items):
        found = binary("|", found, binary("<<", convert(_value(state, item, narrow), total), integer(i * bits)))
    _set(state, target, found)


def _compute(state: _Assembly, what: PtxMeaning, inputs: list[Operand]) -> ir.Expression:
    type_ = _element(what)
    operation = what.operation
    special = _SPECIAL.get(operation)
    if special is not None:
        return special(state, what, inputs, type_)
    given = [_value(state, o, type_) for o in inputs]
    if operation in _CALLS_NOT_COMPUTED or (not isinstance(type_, (Integer,)) and operation not in _IR_OPERATORS):
        reason = "float-value" if operation == "float" or isinstance(type_, Float) else "unsupported"
        return ir.Unknown(type_, reason, tuple(given), True, operation)
    if what.wide and isinstance(type_, Integer):
        wide = {16: INT, 32: LONG}.get(type_.bits, LONG) if type_.signed else {16: UINT, 32: ULONG}.get(type_.bits, ULONG)
        given, type_ = [convert(g, wide) for g in given], wide
    if operation in _IR_OPERATORS and len(given) == 2:
        return binary(operation, given[0], given[1])
    if operation == "~":
        return unary("~", given[0])
    return ir.Call(type_, operation, tuple(given))


def _mov(state: _Assembly, what: PtxMeaning, inputs: list[Operand], type_: Type) -> ir.Expression:
    source = inputs[0]
    if isinstance(source, Special):
        return _special(source.name)
    found = _raw(state, source, type_)
    return found if isinstance(found.type, Pointer) or isinstance(found, ir.Unknown) else _value(state, source, type_)


def _cvt(state: _Assembly, what: PtxMeaning, inputs: list[Operand], type_: Type) -> ir.Expression:
    source = _TYPES.get(what.source_type)
    if source is None:
        return ir.Unknown(type_, "float-value", tuple(_raw(state, o, UINT) for o in inputs), True)
    return convert(_value(state, inputs[0], source), type_)


def _cvta(state: _Assembly, what: PtxMeaning, inputs: list[Operand], type_: Type) -> ir.Expression:
    found = _raw(state, inputs[0], ULONG)
    return found if isinstance(found.type, Pointer) else ir.Convert(ULONG, found) if found.type != ULONG else found


def _mad(state: _Assembly, what: PtxMeaning, inputs: list[Operand], type_: Type) -> ir.Expression:
    first, second = (_value(state, o, type_) for o in inputs[:2])
    if what.wide and isinstance(type_, Integer):
        wide = (INT if type_.bits == 16 else LONG) if type_.signed else (UINT if type_.bits == 16 else ULONG)
        return binary("+", binary("*", convert(first, wide), convert(second, wide)), _value(state, inputs[2], wide))
    return binary("+", binary("*", first, second), _value(state, inputs[2], type_))


def _setp(state: _Assembly, what: PtxMeaning, inputs: list[Operand], type_: Type) -> ir.Expression:
    op = _COMPARISONS.get(what.comparison)
    first, second = (_value(state, o, type_) for o in inputs[:2])
    if op is None or not isinstance(type_, Integer):
        found: ir.Expression = ir.Unknown(BOOL, "float-value", (first, second), True)
    else:
        found = binary(op, first, second, BOOL)
    if len(inputs) > 2 and what.combine:
        other = truth(_raw(state, inputs[2], BOOL))
        found = binary("!=", found, other, BOOL) if what.combine == "xor" else binary("&&" if what.combine == "and" else "||", found, other)
    return found


def _set_register(state: _Assembly, what: PtxMeaning, inputs: list[Operand], type_: Type) -> ir.Expression:
    source = _TYPES.get(what.source_type, type_)
    test = _setp(state, replace(what, type=what.source_type or what.type), inputs, source)
    true = constant(-1, type_) if isinstance(type_, Integer) else constant(1, type_)
    return select(test, true, constant(0, type_))


def _selp(state: _Assembly, what: PtxMeaning, inputs: list[Operand], type_: Type) -> ir.Expression:
    first, second = (_value(state, o, type_) for o in inputs[:2])
    return select(truth(_raw(state, inputs[2], BOOL)), first, second)


def _slct(state: _Assembly, what: PtxMeaning, inputs: list[Operand], type_: Type) -> ir.Expression:
    first, second = (_value(state, o, type_) for o in inputs[:2])
    source = _TYPES.get(what.source_type, INT)
    return select(binary(">=", _value(state, inputs[2], source), constant(0, source), BOOL), first, second)


def _negate(state: _Assembly, what: PtxMeaning, inputs: list[Operand], type_: Type) -> ir.Expression:
    return unary("-", _value(state, inputs[0], type_))


def _cnot(state: _Assembly, what: PtxMeaning, inputs: list[Operand], type_: Type) -> ir.Expression:
    return convert(binary("==", _value(state, inputs[0], type_), constant(0, type_), BOOL), type_)


def _isspacep(state: _Assembly, what: PtxMeaning, inputs: list[Operand], type_: Type) -> ir.Expression:
    return ir.Call(BOOL, f"is_{what.space or 'shared'}", (_raw(state, inputs[0], ULONG),))


_SPECIAL: dict[str, Callable[[_Assembly, PtxMeaning, list[Operand], Type], ir.Expression]] = {
    "mov": _mov, "cvt": _cvt, "cvta": _cvta, "mad": _mad, "setp": _setp, "set": _set_register, "selp": _selp, "slct": _slct, "neg": _negate,
    "cnot": _cnot, "isspacep": _isspacep,
}  # fmt: skip
_HANDLERS: dict[str, Callable[[_Assembly, PtxInstruction, PtxMeaning], None]] = {
    "load": _load, "store": _store, "atomic": _atomic, "copy": _copy, "matrix": _matrix, "assign": _assign, "shuffle": _shuffle, "vote": _vote,
    "barrier": _barrier, "branch": _branch, "exit": _exit, "opaque": _opaque, "ignored": _ignored,
}  # fmt: skip


def register() -> None:
    """Enter the handler; the table is filled when the module is imported."""
    from kernlint.source import tree

    STATEMENTS[tree.Asm] = assembly


register()
