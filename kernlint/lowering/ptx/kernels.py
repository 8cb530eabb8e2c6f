"""The kernels of a PTX module as intermediate code.

In: a `PtxModule` and one of its `.entry` functions. Out: `ir.Kernel`, in the same form as from
source: parameters, objects, structured control. Each instruction's meaning is that of inline
assembly (`assembly`); places are those that `.loc` names. Raises SourceError for what cannot be
followed: computed branches, loops with several entries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kernlint.base.dataclass import dataclass, field, replace
from kernlint.base.span import SourceError, Span
from kernlint.ir import nodes as ir
from kernlint.ir.types import BOOL, INT, LONGLONG, UCHAR, Array, Integer, Pointer, Type
from kernlint.lowering.calls.assembly import instruction_statements
from kernlint.lowering.calls.assembly_values import (
    Operands,
    converted,
    integer_type,
    unknown,
    value_of,
)
from kernlint.lowering.ptx.flow import Flow, PtxBlock, flow
from kernlint.lowering.ptx.inlining import Inlined
from kernlint.lowering.ptx.loops import shaped, still_valid
from kernlint.lowering.ptx.parameters import (
    never_written,
    parameter_name,
    parts,
    pointer_parameters,
    source_names,
)
from kernlint.lowering.ptx.registers import Place, read_parameter, register_types, sized
from kernlint.lowering.ptx.structure import negated, structured
from kernlint.model.facts import Parameter
from kernlint.source.ptx import nodes as ptx
from kernlint.source.ptx.meaning import PtxMeaning, meaning, operands
from kernlint.source.ptx.module import PtxFunction, PtxModule, PtxPlace, PtxVariable

ADDRESSED = ("shared", "global", "constant", "local")
# operations whose bits do not depend on signs: computed in the type of the register that they write
UNSIGNED_AS_SIGNED = frozenset(
    {"+", "-", "*", "mad", "&", "|", "^", "~", "neg", "shl_clamp", "mov", "selp"}
)
PARAMETER_ALIGN = 256  # of what a pointer parameter points to: an allocation's start


@dataclass(frozen=True, slots=True)
class PtxPlaces:
    """Where instructions stand: in the source that `.loc` names, or (`by_line` False, or without
    `.loc`) in the PTX itself."""

    module: PtxModule
    function: PtxFunction
    span_of: Callable[[int, int], Span]
    by_line: bool
    # the offsets of the calls around an offset that were put in
    called: Callable[[int], tuple[int, ...]]
    # what accesses memory that is not counted, and where: filled while instructions are lowered
    uncounted: dict[tuple[str, Span], None] = field(default_factory=dict)

    def source(self, place: PtxPlace) -> Span:
        path = self.module.files.get(place.file, self.module.path)
        return Span(
            path,
            max(place.line, 1),
            max(place.column, 1),
            max(place.line, 1),
            max(place.column, 1) + 1,
        )

    def of(self, instruction: ptx.PtxInstruction) -> _Sites:
        """The places of an instruction. Line 0 is compiler-made code."""
        own = self.span_of(instruction.offset, instruction.offset + len(instruction.text))
        place = self.function.place(instruction.offset) if self.by_line else None
        if place is None or place.line == 0:
            calls = tuple(self.span_of(at, at + 1) for at in self.called(instruction.offset))
            return _Sites(own, own, calls, self.uncounted)
        calls = tuple(self.source(call) for call in place.calls)
        span, main = self.source(place), self.function.places[0][1].file
        charged = calls[-1] if calls and instruction.offset in self.function.entered else span
        if place.file != main:  # the toolkit's headers: the call in the user's file
            span = next(
                (
                    c
                    for c, p in zip(reversed(calls), reversed(place.calls), strict=True)
                    if p.file == main
                ),
                span,
            )
        return _Sites(span, charged, calls, self.uncounted)


@dataclass(frozen=True, slots=True)
class _Sites:
    """Sites of one instruction. `charged`: the place that nvcc's line table names for it."""

    span: Span
    charged: Span
    calls: tuple[Span, ...]
    left: dict[tuple[str, Span], None]  # of the function: what is not counted

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
        line, calls = self.charged.line, self.calls
        path = self.charged.path if self.charged.path != self.span.path else ""
        return ir.AccessSite(
            self.span,
            _one_line(text),
            op,
            hardware_op,
            pieces,
            line,
            volatile,
            vector,
            used,
            calls,
            (),
            floating,
            charged_path=path,
        )

    def branch(self, kind: str, condition: str) -> ir.BranchSite:
        return ir.BranchSite(self.span, kind, condition, self.calls)

    def barrier(self, text: str, scope: str, exchange: bool = False) -> ir.BarrierSite:
        return ir.BarrierSite(self.span, _one_line(text), scope, self.calls, exchange)

    def uncounted(self, name: str) -> None:
        self.left[name, self.span] = None


def _one_line(text: str) -> str:
    return " ".join(text.split())


# ------------------------------------------------------------------ kernels


def lower(
    module: PtxModule,
    whole: Inlined,
    name: str,
    span_of: Callable[[int, int], Span],
    by_line: bool = True,
    source: Sequence[Parameter] = (),
) -> ir.Kernel:
    """The `.entry`, calls put in, as a kernel called `name`. `span_of`: offsets in the body as a
    place in the PTX file; `source`: the parameters as the source has them, for their names."""
    places = PtxPlaces(module, whole.function, span_of, by_line, whole.called)
    made = _Function(places, source_names(whole.function, source))
    return replace(made.kernel(name), keeps_calls=whole.copies > 0)


@dataclass(slots=True)
class _Function:
    """One `.entry` being lowered. Serves `ptx_structure` as its blocks."""

    places: PtxPlaces
    names: Mapping[Place, str]
    objects: dict[str, ir.MemoryObject] = field(default_factory=dict)
    parameters: dict[tuple[str, int], ir.Parameter] = field(default_factory=dict)
    values: Operands = field(default_factory=lambda: Operands({}, Span("", 1, 1, 1, 1)))
    flow: Flow = field(default_factory=lambda: Flow([]))
    # at the end of the block just written
    known: Mapping[ir.Variable, ir.Expression] = field(default_factory=dict)

    def kernel(self, name: str) -> ir.Kernel:
        module, function = self.places.module, self.places.function
        declarations = [s for s in function.body if isinstance(s, ptx.PtxDeclaration)]
        instructions = tuple(s for s in function.body if isinstance(s, ptx.PtxInstruction))
        self._declare_objects(module, declarations)
        pointers = pointer_parameters(function, instructions)
        addressed = {n: o.space for n, o in self.objects.items()}
        types = register_types(
            [d for d in declarations if d.space == "reg"], instructions, pointers, addressed
        )
        self.values.span = function.span
        self.values.registers = {
            n: ir.Variable(f"%{n}", t, function.span) for n, t in types.items()
        }
        self.values.symbols = {
            n: ir.Address(Pointer(UCHAR, o.space), o) for n, o in self.objects.items()
        }
        self._declare_parameters(function, pointers, instructions)
        self.flow = flow(function.body, lambda offset: self.places.span_of(offset, offset + 1))
        label = ir.Label("return")
        body = structured(self.flow, self, label)
        return self._made(name, body, label)

    def _made(self, name: str, body: ir.Body, label: ir.Label) -> ir.Kernel:
        function = self.places.function
        stated = function.directives
        required, most = stated.get("reqntid"), stated.get("maxntid")
        parameters = tuple(self.parameters.values())
        pointed = tuple(p.object for p in parameters if p.object is not None)
        size = sum(
            o.size or 0 for o in self.objects.values() if o.space == "shared" and not o.dynamic
        )
        block = (*required, 1, 1)[:3] if required else None
        bounds = (_product(most),) if most else ()
        return ir.Kernel(
            name, name, (), function.span, parameters, body, (*self.objects.values(), *pointed), label, "ptx", size, bounds,
            (block[0], block[1], block[2]) if block else None,
            uncounted=tuple(self.places.uncounted),
        )  # fmt: skip

    # -------------------------------------------------------------- variables and parameters

    def _declare_objects(self, module: PtxModule, declarations: list[ptx.PtxDeclaration]) -> None:
        """Variables of the module and of the body. All that is `.extern .shared` is one object: the
        dynamic shared memory."""
        for variable in module.variables:
            if variable.space in ADDRESSED:
                self.objects[variable.name] = self._object(variable)
        span = self.places.function.span
        for d in declarations:
            if d.space in ("reg", "param"):
                continue
            width = max(ptx.TYPE_BITS.get(d.type, 8) // 8, 1)
            space = {"const": "constant"}.get(d.space, d.space)
            for name in d.names:
                type_ = (
                    Array(integer_type(d.type), d.count)
                    if d.count is not None
                    else integer_type(d.type)
                )
                self.objects[name] = ir.MemoryObject(
                    name, space, type_, width * (d.count or 1), max(d.align, width), span
                )
        dynamic = [o for o in self.objects.values() if o.dynamic]
        for name, object_ in list(self.objects.items()):
            if object_.dynamic:
                self.objects[name] = dynamic[0]

    def _object(self, v: PtxVariable) -> ir.MemoryObject:
        element = integer_type(v.type)
        width = element.size or 1
        count = v.bytes // width if v.bytes is not None else None
        span = Span(self.places.module.path, v.line, 1, v.line, 2)
        dynamic = v.space == "shared" and v.bytes is None
        initial = (
            v.values
            if v.space == "constant"
            and v.values is not None
            and len(v.values) == count
            and not v.external
            else None
        )
        return ir.MemoryObject(
            v.name, v.space, Array(element, count), v.bytes, v.align, span, dynamic, initial=initial
        )

    def _declare_parameters(
        self,
        function: PtxFunction,
        pointers: Mapping[Place, str],
        instructions: tuple[ptx.PtxInstruction, ...],
    ) -> None:
        """A parameter for every value that `ld.param` reads: members of structs each have their
        own."""
        constant = never_written(pointers, instructions)
        for position, p in enumerate(function.parameters):
            span = Span(self.places.module.path, p.line, 1, p.line, 2)
            short = parameter_name(p.name, position)
            for offset, type_name in parts(p, instructions):
                place = (p.name, offset)
                name = self.names.get(place) or (f"{short}.{offset}" if offset else short)
                if place in pointers:
                    pointer = Pointer(
                        UCHAR, pointers[place], const=place in constant, restrict=place in constant
                    )
                    object_ = ir.MemoryObject(
                        name, "global", UCHAR, None, PARAMETER_ALIGN, span, parameter=name
                    )
                    self.parameters[place] = ir.Parameter(
                        name, ir.Variable(name, pointer, span), object_
                    )
                    continue
                self.parameters[place] = ir.Parameter(
                    name, ir.Variable(name, _signed(integer_type(type_name)), span)
                )

    # -------------------------------------------------------------- blocks

    def statements(self, block: PtxBlock) -> tuple[ir.Statement, ...]:
        made = tuple(s for i in block.instructions for s in self._instruction(i))
        self.known = still_valid(list(made))
        return made

    def condition(self, block: PtxBlock) -> ir.Expression:
        assert block.predicate is not None
        value = converted(value_of(block.predicate.operand, self.values, BOOL), BOOL)
        if isinstance(value, ir.Read):
            value = self.known.get(value.variable, value)
        return negated(value) if block.predicate.negated else value

    def site(self, block: PtxBlock, kind: str) -> ir.BranchSite:
        at = block.branch or (block.instructions[-1] if block.instructions else None)
        if at is None:
            where = self.places.span_of(block.offset, block.offset + 1)
            return ir.BranchSite(where, kind, "")
        return self.places.of(at).branch(kind, self._condition_text(block))

    def _condition_text(self, block: PtxBlock) -> str:
        if block.predicate is None or not isinstance(block.predicate.operand, ptx.Register):
            return ""
        name = block.predicate.operand.name
        made = next(
            (
                i
                for i in reversed(block.instructions)
                if i.opcode == "setp" and i.operands[:1] == (ptx.Register(name),)
            ),
            None,
        )
        return (
            _one_line(made.text)
            if made is not None
            else f"{'!' if block.predicate.negated else ''}%{name}"
        )

    def loop(self, made: ir.Loop, head: int) -> ir.Loop:
        """A loop with its test and counters in their places."""
        offsets = self.places.function.not_unrolled
        first = self.flow.blocks[head]
        end = (
            first.instructions[0].offset
            if first.instructions
            else first.branch.offset
            if first.branch
            else first.offset
        )
        kept = any(first.offset <= o <= end for o in offsets)
        return shaped(made, 1 if kept else None)

    def _instruction(self, i: ptx.PtxInstruction) -> tuple[ir.Statement, ...]:
        try:
            return self._lowered(i)
        except (IndexError, ValueError) as error:  # too few operands
            where = self.places.span_of(i.offset, i.offset + len(i.text))
            raise SourceError(
                f"PTX: `{_one_line(i.text)}` has not the operands of its opcode", where
            ) from error

    def _lowered(self, i: ptx.PtxInstruction) -> tuple[ir.Statement, ...]:
        sites, found = self.places.of(i), meaning(i)
        if i.opcode == "ld" and "param" in i.modifiers:
            return self._parameter_load(i)
        pointer = self._pointer_arithmetic(i, found)
        if pointer is not None and i.predicate is None:
            return pointer
        return instruction_statements(i, self._signed_as_written(i, found), self.values, sites)

    def _signed_as_written(self, i: ptx.PtxInstruction, found: PtxMeaning) -> PtxMeaning:
        target = next((self.values.target(o) for o in operands(found, i, "target")), None)
        if (
            found.kind != "assign"
            or found.operation not in UNSIGNED_AS_SIGNED
            or target is None
            or found.wide
        ):
            return found
        if (
            not isinstance(target.type, Integer)
            or target.type.is_bool
            or ptx.TYPE_BITS.get(found.type) != target.type.bits
        ):
            return found
        if found.type[:1] not in "bus" or (
            found.operation == "mov" and any(isinstance(o, ptx.Vector) for o in i.operands)
        ):
            return found
        return replace(found, type=f"{'s' if target.type.signed else 'u'}{target.type.bits}")

    def _parameter_load(self, i: ptx.PtxInstruction) -> tuple[ir.Statement, ...]:
        place = read_parameter(i)
        targets = i.operands[0].items if isinstance(i.operands[0], ptx.Vector) else (i.operands[0],)
        width = ptx.TYPE_BITS.get(i.modifiers[-1], 32) // 8
        out: list[ir.Statement] = []
        for n, operand in enumerate(targets):
            variable = self.values.target(operand)
            if variable is None:
                continue
            known = (
                self.parameters.get((place[0], place[1] + n * width)) if place is not None else None
            )
            value: ir.Expression = unknown("unknown-argument", variable.type, _one_line(i.text))
            if known is not None:
                value = converted(ir.Read(known.variable.type, known.variable), variable.type)
            out.append(ir.Assign(variable, value))
        return tuple(out)

    def _pointer_arithmetic(
        self, i: ptx.PtxInstruction, found: PtxMeaning
    ) -> tuple[ir.Statement, ...] | None:
        """`add`, `sub` and `mad` that make a pointer, as a pointer and a byte offset."""
        target = next((self.values.target(o) for o in operands(found, i, "target")), None)
        if (
            target is None
            or not isinstance(target.type, Pointer)
            or i.opcode not in ("add", "sub", "mad", "mov", "cvta", "cvt")
        ):
            return None
        small = INT if ptx.TYPE_BITS.get(found.type, 64) == 32 else LONGLONG
        sources = [value_of(o, self.values, small) for o in operands(found, i, "value")]
        at = [n for n, v in enumerate(sources) if isinstance(v.type, Pointer)]
        if len(at) != 1:
            return None
        base = _retyped(sources[at[0]], target.type)
        rest = [v for n, v in enumerate(sources) if n != at[0]]
        if not rest:
            return (ir.Assign(target, base),)
        if len(rest) == 2:
            part = integer_type(found.type)
            left, right = (converted(v, part) for v in rest)
            factor = (
                integer_type("s64" if isinstance(part, Integer) and part.signed else "u64")
                if found.wide
                else part
            )
            rest = [ir.Binary(factor, "*", converted(left, factor), converted(right, factor))]
        offset = converted(rest[0], small)
        return (
            ir.Assign(
                target,
                ir.Binary(
                    target.type,
                    "-" if i.opcode == "sub" else "+",
                    base,
                    converted(offset, LONGLONG),
                ),
            ),
        )


def _retyped(value: ir.Expression, type_: Pointer) -> ir.Expression:
    return value if value.type == type_ else ir.Convert(type_, value)


def _product(numbers: tuple[int, ...]) -> int:
    total = 1
    for n in numbers:
        total *= n
    return total


def _signed(type_: Type) -> Type:
    return sized(type_, True) if isinstance(type_, Integer) and not type_.is_bool else type_
