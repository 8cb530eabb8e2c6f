"""Values of PTX operands and what PTX's arithmetic computes, as IR expressions.

In: parsed operands and a record of the asm statement's operands and registers. Out: pure
`ir.Expression`s. Never emits statements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Span
from kernlint.ir import nodes as ir
from kernlint.ir.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONGLONG,
    SCHAR,
    SHORT,
    UCHAR,
    UINT,
    ULONGLONG,
    USHORT,
    VOID,
    Float,
    Integer,
    Pointer,
    Type,
)
from kernlint.source.ptx import nodes as ptx
from kernlint.source.ptx.meaning import PtxMeaning, is_floating, operands
from kernlint.source.ptx.nodes import TYPE_BITS

_INTEGERS: Mapping[tuple[int, bool], Integer] = {
    (8, True): SCHAR,
    (8, False): UCHAR,
    (16, True): SHORT,
    (16, False): USHORT,
    (32, True): INT,
    (32, False): UINT,
    (64, True): LONGLONG,
    (64, False): ULONGLONG,
}
_FLOATS: Mapping[str, Float] = {
    "f16": HALF,
    "bf16": HALF,
    "f32": FLOAT,
    "tf32": FLOAT,
    "f64": DOUBLE,
}


def integer_type(name: str) -> Integer | Float:
    """The IR type of a PTX type: `.u32` and `.b32` → unsigned int, `.f32` → float, `.pred` → bool;
    128 bits → 64."""
    if name == "pred":
        return BOOL
    if name in _FLOATS:
        return _FLOATS[name]
    return _INTEGERS[min(max(TYPE_BITS.get(name, 32), 8), 64), name.startswith("s")]


@dataclass(slots=True)
class Operands:
    """`asm`: number or name of an asm operand → (value, output variable); `registers`: variables
    declared in the assembly; `symbols`: the addresses of a module's variables."""

    asm: Mapping[int | str, tuple[ir.Expression | None, ir.Variable | None]]
    span: Span
    registers: dict[str, ir.Variable] = field(default_factory=dict)
    symbols: Mapping[str, ir.Expression] = field(default_factory=dict)

    def declare(self, declaration: ptx.PtxDeclaration) -> None:
        for name in declaration.names:
            if declaration.space == "reg":
                self.registers[name] = ir.Variable(name, integer_type(declaration.type), self.span)

    def target(self, operand: ptx.Operand) -> ir.Variable | None:
        """The variable that an operand in a target position writes; None for the sink."""
        if isinstance(operand, ptx.Reference):
            return self.asm.get(operand.key, (None, None))[1]
        return self.registers.get(operand.name) if isinstance(operand, ptx.Register) else None

    def is_target(self, operand: ptx.Operand) -> bool:
        return self.target(operand) is not None


def unknown(
    reason: str, type_: Type, what: str, sources: tuple[ir.Expression, ...] = (), pure: bool = False
) -> ir.Expression:
    return ir.Unknown(type_, reason, sources, pure, what)


def converted(value: ir.Expression, type_: Type) -> ir.Expression:
    """`value` as `type_`; constants are converted at once. Between registers of floats and integers
    bits move, not values."""
    if value.type == type_:
        return value
    if isinstance(value.type, Float) != isinstance(type_, Float):
        return unknown("float-value", type_, "register of another kind", (value,), pure=True)
    if (
        isinstance(value, ir.Constant)
        and isinstance(type_, Integer)
        and isinstance(value.value, int)
    ):
        if type_.is_bool:
            return ir.Constant(type_, int(value.value != 0))
        low = value.value & ((1 << type_.bits) - 1)
        return ir.Constant(
            type_, low - (1 << type_.bits) if type_.signed and low >> (type_.bits - 1) else low
        )
    return ir.Convert(type_, value)


# ------------------------------------------------------------------ operands


def value_of(operand: ptx.Operand, values: Operands, type_: Type) -> ir.Expression:
    """The value of a source operand; `type_` is used where the operand has none of its own
    (immediates)."""
    match operand:
        case ptx.Reference(key=key):
            value, variable = values.asm.get(key, (None, None))
            if value is not None:
                return value
            return (
                ir.Read(variable.type, variable)
                if variable
                else unknown("unsupported", type_, f"%{key}")
            )
        case ptx.Register(name=name) if name in values.registers:
            return ir.Read(values.registers[name].type, values.registers[name])
        case ptx.Register(name=name) | ptx.Symbol(name=name):
            return values.symbols.get(name) or _symbol(name, type_)
        case ptx.Special(name=name):
            return special_register(name)
        case ptx.Immediate(value=number):
            whole = isinstance(number, int) and isinstance(type_, Integer)
            return (
                converted(ir.Constant(LONGLONG, number), type_) if whole else _real(number, type_)
            )
        case ptx.Arithmetic(op=op, left=left, right=right):
            return ir.Binary(
                type_,
                op,
                converted(value_of(left, values, type_), type_),
                converted(value_of(right, values, type_), type_),
            )
        case ptx.Negated(operand=inner):
            return ir.Unary(BOOL, "!", converted(value_of(inner, values, BOOL), BOOL))
        case ptx.Vector(items=items):
            return _packed([value_of(item, values, UINT) for item in items], type_)
    return unknown("unsupported", type_, "operand")


def _real(value: int | float, type_: Type) -> ir.Expression:
    return ir.Constant(type_ if isinstance(type_, Float) else DOUBLE, float(value))


def _symbol(name: str, type_: Type) -> ir.Expression:
    """A name from outside the statement, or memory that the assembly declares: kernlint cannot tell
    where it lies."""
    if name == "WARP_SZ":
        return ir.Builtin(INT, "warpsize")
    return unknown("unsupported", type_, name)


def _packed(items: list[ir.Expression], type_: Type) -> ir.Expression:
    """`mov.b64 d, {lo, hi}`: components from the low end."""
    if not isinstance(type_, Integer) or any(isinstance(item.type, Float) for item in items):
        return unknown("float-value", type_, "packed registers", tuple(items), pure=True)
    width = type_.bits // len(items)
    part = _INTEGERS[width, False]
    wide = _INTEGERS[type_.bits, False]
    total: ir.Expression = ir.Constant(wide, 0)
    for i, item in enumerate(items):
        moved = ir.Binary(
            wide, "<<", converted(converted(item, part), wide), ir.Constant(UINT, i * width)
        )
        total = ir.Binary(wide, "|", total, moved)
    return converted(total, type_)


def address_of(operand: ptx.Operand, values: Operands, space: str, type_name: str) -> ir.Expression:
    """`[base+offset]` as a pointer; offsets count bytes. Integers become pointers by conversion."""
    if not isinstance(operand, ptx.Address):
        operand = ptx.Address(operand, ptx.Immediate(0))
    pointer = Pointer(integer_type(type_name) if type_name else VOID, space)
    base = operand.base
    if isinstance(base, ptx.Address):
        return address_of(base, values, space, type_name)
    found = value_of(base, values, ULONGLONG)
    start = found if found.type == pointer else ir.Convert(pointer, found)
    if operand.offset == ptx.Immediate(0):
        return start
    offset = converted(value_of(operand.offset, values, LONGLONG), LONGLONG)
    return ir.Binary(pointer, "+", start, offset)


_AXES = tuple(f"{name}.{axis}" for name in ("tid", "ntid", "ctaid", "nctaid") for axis in "xyz")
_BUILTINS = {
    **{name: name for name in _AXES},
    "laneid": "laneid",
    "warpid": "warpid",
    "dynamic_smem_size": "dynamic_smem_size",
}
_CLUSTER_REGISTERS = ("cluster_", "clusterid", "nclusterid", "is_explicit_cluster")
_LAUNCH_REGISTERS = ("total_smem_size", "aggr_smem_size", "reserved_smem")


def special_register(name: str) -> ir.Expression:
    """A special register's value (PTX ISA, chapter 10)."""
    if name in _BUILTINS:
        return ir.Builtin(UINT, _BUILTINS[name])
    if name.startswith("lanemask_"):
        return _lane_mask(name.removeprefix("lanemask_"))
    if name.startswith(_CLUSTER_REGISTERS):
        of = (
            ()
            if "ncta" in name or name.startswith(("nclusterid", "is_"))
            else tuple(ir.Builtin(UINT, f"ctaid.{axis}") for axis in "xyz")
        )
        return unknown("unknown-cluster", UINT, f"%{name}", of, True)
    if name.startswith(_LAUNCH_REGISTERS):
        return unknown("unknown-launch", UINT, f"%{name}")
    wide = name in ("clock64", "globaltimer", "gridid", "current_graph_exec")
    return unknown("clock", ULONGLONG if wide else UINT, f"%{name}")


def _lane_mask(kind: str) -> ir.Expression:
    """%lanemask_eq|le|lt|ge|gt: bits of lanes equal, up to, below, from, above this one."""
    one = ir.Constant(UINT, 1)
    equal = ir.Binary(UINT, "<<", one, ir.Builtin(UINT, "laneid"))
    below = ir.Binary(UINT, "-", equal, one)
    up_to = ir.Binary(UINT, "|", equal, below)
    table: dict[str, ir.Expression] = {
        "eq": equal,
        "lt": below,
        "le": up_to,
        "ge": ir.Unary(UINT, "~", below),
        "gt": ir.Unary(UINT, "~", up_to),
    }
    return table.get(kind, unknown("clock", UINT, f"%lanemask_{kind}"))


# ------------------------------------------------------------------ arithmetic

_COMPARISONS = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "lo": "<",
    "ls": "<=",
    "hi": ">",
    "hs": ">=",
}
_OPERATORS = frozenset({"+", "-", "*", "/", "%", "&", "|", "^", "min", "max"})
_UNCOMPUTED = {"float": "float-value", "packed": "unsupported", "opaque": "unsupported"}


def computed(
    instruction: ptx.PtxInstruction, found: PtxMeaning, values: Operands, count: int
) -> list[ir.Expression]:
    """The results of an `assign` instruction, one per target."""
    type_ = integer_type(found.type) if found.type else UINT
    sources = operands(found, instruction, "value")
    if found.operation in _UNCOMPUTED or (
        is_floating(found.type) and found.operation not in _FORMS
    ):
        arguments = tuple(value_of(s, values, type_) for s in sources)
        reason = _UNCOMPUTED.get(found.operation, "float-value")
        return [
            ir.Unknown(type_, reason, arguments, True, instruction.name, apart=str(i or ""))
            for i in range(count)
        ]
    if found.operation == "setp":
        return _set_predicates(sources, found, values, count)
    if found.operation == "mov" and count > 1:
        return _unpacked(value_of(sources[0], values, type_), type_, count)
    form = _FORMS.get(found.operation)
    if form is not None:
        result = form(instruction, found, values, type_)
    else:
        arguments = tuple(_argument(s, i, found, values, type_) for i, s in enumerate(sources))
        result = _arithmetic(found, type_, arguments)
    # `lop3.…|p` and the like: a second target that nothing here computes
    return [result, *(unknown("unsupported", BOOL, instruction.name) for _ in range(count - 1))]


_SHIFT_POSITIONS = {"shl_clamp": (1,), "shr_clamp": (1,), "bfe": (1, 2), "bfi": (2, 3)}


def _argument(
    operand: ptx.Operand, position: int, found: PtxMeaning, values: Operands, type_: Type
) -> ir.Expression:
    """Shift amounts and bit positions are 32-bit whatever the type; everything else is converted to
    the instruction's type."""
    wanted = UINT if position in _SHIFT_POSITIONS.get(found.operation, ()) else type_
    if found.wide and position == 2:  # mad.wide adds in the wide type
        wanted = _widened(type_)
    return converted(value_of(operand, values, wanted), wanted)


def _arithmetic(
    found: PtxMeaning, type_: Type, arguments: tuple[ir.Expression, ...]
) -> ir.Expression:
    wide = _widened(type_) if found.wide else type_
    if found.operation in _OPERATORS:
        return ir.Binary(
            wide, found.operation, converted(arguments[0], wide), converted(arguments[1], wide)
        )
    if found.operation == "mad":
        product = ir.Binary(wide, "*", converted(arguments[0], wide), converted(arguments[1], wide))
        return ir.Binary(wide, "+", product, converted(arguments[2], wide))
    if found.operation == "neg":
        return ir.Unary(type_, "-", arguments[0])
    if found.operation == "~":
        return ir.Unary(type_, "!" if type_ == BOOL else "~", arguments[0])
    if found.operation == "cnot":
        return converted(ir.Binary(INT, "==", arguments[0], ir.Constant(type_, 0)), type_)
    return _shift(found, type_, arguments) or ir.Call(
        _call_type(found, type_), found.operation, arguments
    )


def _call_type(found: PtxMeaning, type_: Type) -> Type:
    return UINT if found.operation in ("popcount", "clz", "bfind", "bfind_shift") else type_


def _shift(
    found: PtxMeaning, type_: Type, arguments: tuple[ir.Expression, ...]
) -> ir.Expression | None:
    """A shift by a constant below the width is C's shift."""
    operator = {"shl_clamp": "<<", "shr_clamp": ">>"}.get(found.operation)
    if (
        operator is None
        or not isinstance(type_, Integer)
        or not isinstance(arguments[1], ir.Constant)
    ):
        return None
    return (
        ir.Binary(type_, operator, arguments[0], arguments[1])
        if 0 <= arguments[1].value < type_.bits
        else None
    )


def _widened(type_: Type) -> Type:
    return _INTEGERS[min(type_.bits * 2, 64), type_.signed] if isinstance(type_, Integer) else type_


def _set_predicates(
    sources: tuple[ptx.Operand, ...], found: PtxMeaning, values: Operands, count: int
) -> list[ir.Expression]:
    """`setp.cmp{.bool} p|q, a, b{, c}`: p = (a cmp b) bool c, q = !(a cmp b) bool c."""
    holds = _comparison(sources, found, found.type, values)
    results: list[ir.Expression] = [holds, ir.Unary(BOOL, "!", holds)][:count]
    if found.combine and len(sources) > 2:
        third = converted(value_of(sources[2], values, BOOL), BOOL)
        operator = {"and": "&", "or": "|", "xor": "^"}[found.combine]
        results = [ir.Binary(BOOL, operator, result, third) for result in results]
    return results


def _comparison(
    sources: tuple[ptx.Operand, ...], found: PtxMeaning, type_name: str, values: Operands
) -> ir.Expression:
    type_ = integer_type(type_name or "b32")
    left, right = (converted(value_of(s, values, type_), type_) for s in sources[:2])
    if found.comparison not in _COMPARISONS or isinstance(type_, Float):
        return unknown("float-value", BOOL, f"setp.{found.comparison}", (left, right), pure=True)
    if found.comparison in ("lo", "ls", "hi", "hs") and isinstance(type_, Integer):
        unsigned = _INTEGERS[type_.bits, False]
        left, right = converted(left, unsigned), converted(right, unsigned)
    return converted(ir.Binary(INT, _COMPARISONS[found.comparison], left, right), BOOL)


def _unpacked(value: ir.Expression, type_: Type, count: int) -> list[ir.Expression]:
    """`mov.b64 {lo, hi}, x`: components from the low end."""
    wide = _INTEGERS[type_.bits, False] if isinstance(type_, Integer) else ULONGLONG
    part = _INTEGERS[max(wide.bits // count, 8), False]
    whole = converted(value, wide)
    return [
        converted(ir.Binary(wide, ">>", whole, ir.Constant(UINT, i * part.bits)), part)
        for i in range(count)
    ]


def _move(
    instruction: ptx.PtxInstruction, found: PtxMeaning, values: Operands, type_: Type
) -> ir.Expression:
    """`mov` keeps bits: an address stays the pointer it is."""
    return value_of(operands(found, instruction, "value")[0], values, type_)


def _convert(
    instruction: ptx.PtxInstruction, found: PtxMeaning, values: Operands, type_: Type
) -> ir.Expression:
    """`cvt.dtype.atype`: through the source's type first; saturation and rounding of floats are not
    computed."""
    source_type = integer_type(found.source_type) if found.source_type else type_
    source = value_of(operands(found, instruction, "value")[0], values, source_type)
    if isinstance(type_, Float) or isinstance(source_type, Float):
        return unknown("float-value", type_, instruction.name, (source,), pure=True)
    narrowed = converted(source, source_type)
    if "sat" in instruction.modifiers and source_type != type_:
        return unknown("unsupported", type_, instruction.name, (narrowed,), pure=True)
    return converted(narrowed, type_)


def _convert_address(
    instruction: ptx.PtxInstruction, found: PtxMeaning, values: Operands, type_: Type
) -> ir.Expression:
    """`cvta.to.shared.u64` keeps base and offset: conversions between pointers and integers carry
    both."""
    source = value_of(operands(found, instruction, "value")[0], values, ULONGLONG)
    return source if isinstance(source.type, Pointer) else converted(source, type_)


def _space_test(
    instruction: ptx.PtxInstruction, found: PtxMeaning, values: Operands, type_: Type
) -> ir.Expression:
    source = value_of(operands(found, instruction, "value")[0], values, ULONGLONG)
    return unknown("unknown-pointer", BOOL, instruction.name, (source,), pure=True)


def _select(
    instruction: ptx.PtxInstruction, found: PtxMeaning, values: Operands, type_: Type
) -> ir.Expression:
    then, otherwise = (
        converted(value_of(s, values, type_), type_) for s in operands(found, instruction, "value")
    )
    condition = converted(
        value_of(operands(found, instruction, "condition")[0], values, BOOL), BOOL
    )
    return ir.Select(type_, condition, then, otherwise)


def _set(
    instruction: ptx.PtxInstruction, found: PtxMeaning, values: Operands, type_: Type
) -> ir.Expression:
    """`set` gives all ones or zero."""
    sources = operands(found, instruction, "value")
    holds = _comparison(sources, found, found.source_type or found.type, values)
    if isinstance(type_, Float) or len(sources) > 2:
        others = tuple(value_of(s, values, BOOL) for s in sources[2:])
        return unknown("unsupported", type_, instruction.name, (holds, *others), pure=True)
    return ir.Select(type_, holds, converted(ir.Constant(INT, -1), type_), ir.Constant(type_, 0))


def _sign_select(
    instruction: ptx.PtxInstruction, found: PtxMeaning, values: Operands, type_: Type
) -> ir.Expression:
    """`slct d, a, b, c`: a if c ≥ 0, else b."""
    first, second, sign = operands(found, instruction, "value")
    then, otherwise = (converted(value_of(s, values, type_), type_) for s in (first, second))
    if is_floating(found.source_type):
        return unknown(
            "float-value",
            type_,
            instruction.name,
            (then, otherwise, value_of(sign, values, FLOAT)),
            pure=True,
        )
    condition = ir.Binary(
        INT, ">=", converted(value_of(sign, values, INT), INT), ir.Constant(INT, 0)
    )
    return ir.Select(type_, condition, then, otherwise)


_FORMS: Mapping[str, Callable[[ptx.PtxInstruction, PtxMeaning, Operands, Type], ir.Expression]] = {
    "mov": _move,
    "cvt": _convert,
    "cvta": _convert_address,
    "isspacep": _space_test,
    "selp": _select,
    "set": _set,
    "slct": _sign_select,
}
