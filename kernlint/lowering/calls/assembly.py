"""Inline PTX as IR statements.

In: the parsed statements of an asm template and its operands, already lowered: what an input's
expression is, which fresh variable receives an output. Out: IR statements in program order. Never
looks at the syntax tree, never assigns the user's places: the caller does that from the output
variables afterwards (and initialises those of "+" operands before).

What the executor cannot follow (calls, tensor copies, matrix units) becomes Unknown values and
Clobbers; it is never dropped. A branch that fits neither a loop nor a forward skip raises
SourceError; the caller then treats the whole statement as opaque.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Protocol

from kernlint.base.dataclass import dataclass, field, replace
from kernlint.base.span import SourceError, Span
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads
from kernlint.ir.types import BOOL, INT, UINT, ULONGLONG
from kernlint.lowering.calls.assembly_values import (
    Operands,
    address_of,
    computed,
    converted,
    integer_type,
    unknown,
    value_of,
)
from kernlint.source.ptx import nodes as ptx
from kernlint.source.ptx.meaning import PtxMeaning, meaning, operands


class Sites(Protocol):
    """Makes sites for the asm statement at hand: span, calls and charged line are the caller's
    business."""

    @property
    def span(self) -> Span: ...

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
    ) -> ir.AccessSite: ...

    def branch(self, kind: str, condition: str) -> ir.BranchSite: ...

    def barrier(self, text: str, scope: str, exchange: bool = False) -> ir.BarrierSite: ...

    def uncounted(self, name: str) -> None: ...


@dataclass(frozen=True, slots=True)
class AsmValue:
    """One operand of the asm statement. `value`: the expression of an input (or of a "+" operand: a
    Read of `target`); `target`: the fresh variable of an output; `symbol`: its `[name]`."""

    value: ir.Expression | None
    target: ir.Variable | None = None
    symbol: str = ""


@dataclass(slots=True)
class _Lowering:
    """State of one asm statement: its registers, and the labels of open forward branches."""

    values: Operands
    sites: Sites
    labels: dict[str, ir.Label] = field(default_factory=dict)


def statements(
    parsed: Sequence[ptx.PtxStatement], asm_operands: Sequence[AsmValue], sites: Sites
) -> tuple[ir.Statement, ...]:
    """The IR of one asm statement. Operands are numbered outputs first, then inputs, as in the
    template."""
    by_key: dict[int | str, AsmValue] = dict(enumerate(asm_operands))
    by_key.update({operand.symbol: operand for operand in asm_operands if operand.symbol})
    state = _Lowering(
        Operands({k: (v.value, v.target) for k, v in by_key.items()}, sites.span), sites
    )
    return _sequence(list(parsed), state)


def _sequence(parsed: list[ptx.PtxStatement], state: _Lowering) -> tuple[ir.Statement, ...]:
    """Lowers statements: a forward branch leaves a Region that ends at its label, a backward branch
    repeats a Loop."""
    loops = [
        (i, last)
        for i, s in enumerate(parsed)
        if isinstance(s, ptx.PtxLabel) and (last := _last_branch(parsed, s.name, i)) > i
    ]
    left = [  # labels that branches before them go to, with the first of these
        (i, first, statement.name)
        for i, statement in enumerate(parsed)
        if isinstance(statement, ptx.PtxLabel)
        and not any(start < i <= last for start, last in loops)
        and (first := _first_branch(parsed[:i], statement.name)) >= 0
    ]
    if left:
        end, _, name = left[0]
        for i, first, one in left[1:]:
            if first < end:  # `@p bra A; …; bra B; A: …; B:` lies in one that ends at B
                end, name = i, one
        return _region(parsed, end, name, state)
    if loops:
        start, last = loops[0]
        return (
            *_straight(parsed[:start], state),
            *_loop(parsed[start : last + 1], state),
            *_sequence(parsed[last + 1 :], state),
        )
    return _straight(parsed, state)


def _region(
    parsed: list[ptx.PtxStatement], end: int, name: str, state: _Lowering
) -> tuple[ir.Statement, ...]:
    state.labels[name] = label = ir.Label(name)
    inner = ir.Region(label, _sequence(parsed[:end], state))
    del state.labels[name]
    # the label may start a loop as well
    rest = end if _last_branch(parsed, name, end) > 0 else end + 1
    return (inner, *_sequence(parsed[rest:], state))


def _loop(parsed: list[ptx.PtxStatement], state: _Lowering) -> tuple[ir.Statement, ...]:
    """`LABEL: …; @p bra LABEL;` A loop that only polls (mbarrier.try_wait) counts nothing, so its
    body stands once."""
    name = parsed[0].name if isinstance(parsed[0], ptx.PtxLabel) else ""
    body = parsed[1:]
    if all(meaning(s).kind in _POLLING for s in body if isinstance(s, ptx.PtxInstruction)):
        return _straight(
            [s for s in body if not (isinstance(s, ptx.PtxInstruction) and s.opcode == "bra")],
            state,
        )
    again, end = ir.Label(name), ir.Label(f"end of {name}")
    state.labels[name] = again
    inner = (ir.Region(again, (*_sequence(body, state), ir.Leave(end))),)
    del state.labels[name]
    return (ir.Loop(end, (), None, inner, (), state.sites.branch("do", name)),)


_POLLING = frozenset({"opaque", "branch", "ignored"})


def _straight(parsed: list[ptx.PtxStatement], state: _Lowering) -> tuple[ir.Statement, ...]:
    lowered: list[ir.Statement] = []
    for statement in parsed:
        if isinstance(statement, ptx.PtxDeclaration):
            state.values.declare(statement)
        elif isinstance(statement, ptx.PtxInstruction):
            lowered += _guarded(statement, state)
    return tuple(lowered)


def _branches_to(statement: ptx.PtxStatement, name: str) -> bool:
    return (
        isinstance(statement, ptx.PtxInstruction)
        and statement.opcode == "bra"
        and statement.operands == (ptx.Symbol(name),)
    )


def _first_branch(parsed: list[ptx.PtxStatement], name: str) -> int:
    """The position of the first branch to `name`; -1 without one."""
    return next((j for j, one in enumerate(parsed) if _branches_to(one, name)), -1)


def _last_branch(parsed: list[ptx.PtxStatement], name: str, after: int) -> int:
    """The position of the last branch to `name` behind position `after`; -1 without one."""
    return max(
        (j for j in range(after + 1, len(parsed)) if _branches_to(parsed[j], name)), default=-1
    )


def instruction_statements(
    instruction: ptx.PtxInstruction, found: PtxMeaning, values: Operands, sites: Sites
) -> tuple[ir.Statement, ...]:
    """The IR of one instruction that does not branch, with its predicate. `found`: what it does."""
    return _guarded(instruction, _Lowering(values, sites), found)


# modifiers that say what moves memory, not how
_NAMING = frozenset(
    ("async", "bulk", "tensor", "reduce", "mma_async", "load", "store", "mma", "cp", "ld_reduce")
)


def short_name(instruction: ptx.PtxInstruction) -> str:
    """`cp.async.bulk.tensor` of `cp.async.bulk.tensor.2d.global.shared::cta.bulk_group`."""
    named = takewhile(_NAMING.__contains__, instruction.modifiers)
    return ".".join((instruction.opcode, *named))


def _guarded(
    instruction: ptx.PtxInstruction, state: _Lowering, found: PtxMeaning | None = None
) -> tuple[ir.Statement, ...]:
    found = found or meaning(instruction)
    if len(instruction.operands) < found.least_operands:
        raise SourceError(
            f"inline assembly: `{instruction.text}` needs {found.least_operands} operands",
            state.sites.span,
        )
    if found.uncounted:
        state.sites.uncounted(short_name(instruction))
    body = _LOWER[found.kind](instruction, found, state)
    guard = instruction.predicate
    if guard is None or not body:
        return body
    condition = converted(value_of(guard.operand, state.values, BOOL), BOOL)
    if guard.negated:
        condition = ir.Unary(BOOL, "!", condition)
    text = instruction.text.split(maxsplit=1)[0]
    return (ir.If(condition, body, (), state.sites.branch("if", text)),)


# ------------------------------------------------------------------ memory


def _site(
    instruction: ptx.PtxInstruction,
    found: PtxMeaning,
    state: _Lowering,
    op: str,
    width: int,
    used: bool = True,
    text: str = "",
) -> ir.AccessSite:
    return state.sites.access(
        text or instruction.text,
        op,
        found.hardware_op,
        ((0, width),),
        volatile=found.volatile,
        vector=found.count > 1,
        floating=found.floating,
        used=used,
    )


def _address(
    instruction: ptx.PtxInstruction,
    found: PtxMeaning,
    state: _Lowering,
    role: str = "address",
    space: str | None = None,
) -> ir.Expression:
    operand = operands(found, instruction, role)[0]
    return address_of(operand, state.values, found.space if space is None else space, found.type)


def _items(operand: ptx.Operand) -> tuple[ptx.Operand, ...]:
    return operand.items if isinstance(operand, ptx.Vector) else (operand,)


def _targets(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> list[ir.Variable | None]:
    """The variables of every target operand, vectors and pairs spread; None for sinks."""
    spread: list[ptx.Operand] = []
    for operand in operands(found, instruction, "target"):
        for item in _items(operand):
            spread += [item.first, item.second] if isinstance(item, ptx.Pair) else [item]
    return [state.values.target(item) for item in spread]


def _write(variable: ir.Variable | None, value: ir.Expression) -> tuple[ir.Statement, ...]:
    return () if variable is None else (ir.Assign(variable, converted(value, variable.type)),)


def _load(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> tuple[ir.Statement, ...]:
    """Each component lands in a variable of the instruction's own type and is converted to its
    register from there."""
    if not found.bytes:
        return _opaque(instruction, found, state)
    address = _address(instruction, found, state)
    step = found.bytes // found.count
    loaded = [
        (i * step, v, ir.Variable(v.name, integer_type(found.type)))
        for i, v in enumerate(_targets(instruction, found, state))
        if v
    ]
    site = _site(instruction, found, state, "load", found.bytes, used=bool(loaded))
    load = ir.Load(tuple((offset, raw) for offset, _, raw in loaded), address, site)
    return (load, *(s for _, v, raw in loaded for s in _write(v, ir.Read(raw.type, raw))))


def _store(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> tuple[ir.Statement, ...]:
    if not found.bytes:
        return _opaque(instruction, found, state)
    address = _address(instruction, found, state)
    step, type_ = found.bytes // found.count, integer_type(found.type)
    items = _items(operands(found, instruction, "value")[0])
    values = tuple(
        (i * step, converted(value_of(item, state.values, type_), type_))
        for i, item in enumerate(items)
    )
    site = _site(instruction, found, state, "store", found.bytes)
    return (
        ir.Store(address, () if found.floating else values, site, values if found.floating else ()),
    )


def _atomic(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> tuple[ir.Statement, ...]:
    if not found.bytes:
        return _opaque(instruction, found, state)
    type_ = integer_type(found.type)
    target = next(iter(_targets(instruction, found, state)), None)
    sources = operands(found, instruction, "compare") + operands(found, instruction, "value")
    values = tuple(
        converted(value_of(item, state.values, type_), type_)
        for operand in sources
        for item in _items(operand)
    )
    site = _site(instruction, found, state, "atomic", found.bytes, used=target is not None)
    site = replace(site, of_block="cta" in instruction.modifiers)
    old = ir.Variable(target.name, type_) if target else None
    atomic = ir.Atomic(old, found.operation, _address(instruction, found, state), values, site)
    return (atomic, *(_write(target, ir.Read(old.type, old)) if old else ()))


def _copy(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> tuple[ir.Statement, ...]:
    """With a source size, lanes whose size is 0 read nothing and fill with zeros: for them it is a
    store to shared memory alone."""
    destination = _address(instruction, found, state, "destination", "shared")
    source = _address(instruction, found, state, "source", "global")
    width = found.bytes or _constant(operands(found, instruction, "bytes")[0], state)
    if not width:
        return _opaque(instruction, found, state)
    shared = _site(instruction, found, state, "copy", width)
    copy = ir.Copy(destination, source, shared, _site(instruction, found, state, "copy", width))
    sizes = operands(found, instruction, "source_bytes")
    if not sizes:
        return (copy,)
    size = converted(value_of(sizes[0], state.values, UINT), UINT)
    if isinstance(size, ir.Constant):
        return (copy,) if size.value else (ir.Store(destination, (), shared),)
    condition = ir.Binary(INT, "!=", size, ir.Constant(UINT, 0))
    return (
        ir.If(
            condition,
            (copy,),
            (ir.Store(destination, (), shared),),
            state.sites.branch("if", "source size of cp.async"),
        ),
    )


def _constant(operand: ptx.Operand, state: _Lowering) -> int:
    value = value_of(operand, state.values, INT)
    while isinstance(value, ir.Convert):
        value = value.operand
    return int(value.value) if isinstance(value, ir.Constant) else 0


def _matrix(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> tuple[ir.Statement, ...]:
    targets = tuple(v for v in _targets(instruction, found, state) if v)
    op = "load" if found.hardware_op == "ldmatrix" else "store"
    site = _site(instruction, found, state, op, 16)
    return (
        ir.Matrix(_address(instruction, found, state, space="shared"), found.count, targets, site),
    )


# ------------------------------------------------------------------ values, lanes, barriers,
# control


def _assign(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> tuple[ir.Statement, ...]:
    targets = _targets(instruction, found, state)
    results = computed(instruction, found, state.values, len(targets))
    if len(targets) == 1:
        return _write(targets[0], results[0])
    # several targets may also be sources (`mov.b64 {lo, hi}, x`): all values first
    kept = [(v, ir.Variable(v.name, v.type), r) for v, r in zip(targets, results, strict=True) if v]
    return tuple(s for _, copy, r in kept for s in _write(copy, r)) + tuple(
        ir.Assign(v, ir.Read(copy.type, copy)) for v, copy, _ in kept
    )


def _shuffle(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> tuple[ir.Statement, ...]:
    """The clamp operand packs segment mask and clamp value: 0x1f (0 for up) with segment (32 -
    width) << 8 is CUDA's `width`."""
    targets = _targets(instruction, found, state)
    source = value_of(operands(found, instruction, "value")[0], state.values, UINT)
    lane = converted(value_of(operands(found, instruction, "lane")[0], state.values, UINT), UINT)
    clamp = value_of(operands(found, instruction, "clamp")[0], state.values, UINT)
    packed = int(clamp.value) if isinstance(clamp, ir.Constant) else None
    rest = tuple(
        s
        for v in targets[1:]
        for s in _write(v, unknown("lane-exchange", BOOL, instruction.name))
        if v
    )
    followed = packed is not None and packed & 0x1F == (0 if found.operation == "up" else 0x1F)
    width = (
        ir.Constant(INT, 32 - ((packed >> 8) & 0x1F)) if packed is not None and followed else clamp
    )
    received = ir.Variable(targets[0].name if targets[0] else "_", source.type)
    site, mask, taken = _named_lanes(instruction, found, state)
    shuffle = ir.Shuffle(
        received,
        found.operation,
        source,
        lane,
        width,
        state.sites.span,
        found.synchronised,
        site,
        mask,
    )
    if targets[0] is None:
        return (*taken, shuffle, *rest)
    result = (
        ir.Read(received.type, received)
        if followed
        else unknown("lane-exchange", targets[0].type, instruction.name)
    )
    return (*taken, shuffle, *_write(targets[0], result), *rest)


def _named_lanes(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> tuple[ir.BarrierSite | None, ir.Expression | None, tuple[ir.Statement, ...]]:
    """The instruction as a place that the lanes of its mask come to together, where it has one;
    what its mask is made of is looked at."""
    masks = operands(found, instruction, "mask")
    if not masks:
        return None, None, ()
    mask = converted(value_of(masks[0], state.values, UINT), UINT)
    return (
        state.sites.barrier(instruction.text, "warp", True),
        mask,
        (ir.Taken((mask,), "open"),) if reads(mask) else (),
    )


def _vote(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> tuple[ir.Statement, ...]:
    target = _targets(instruction, found, state)[0]
    sources = operands(found, instruction, "condition") + operands(found, instruction, "value")
    type_ = BOOL if operands(found, instruction, "condition") else integer_type(found.type)
    operand = converted(value_of(sources[0], state.values, type_), type_) if sources else None
    result = ir.Variable(
        target.name if target else "_",
        INT if found.operation in ("any", "all") else integer_type(found.type),
    )
    site, mask, taken = _named_lanes(instruction, found, state)
    vote = ir.Vote(result, found.operation, operand, state.sites.span, site, mask)
    return (*taken, vote, *_write(target, ir.Read(result.type, result)))


def _barrier(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> tuple[ir.Statement, ...]:
    _, lanes, _ = _named_lanes(instruction, found, state)
    name, threads = (
        converted(value_of(given[0], state.values, INT), INT) if given else None
        for given in (operands(found, instruction, role) for role in ("barrier", "threads"))
    )
    site = state.sites.barrier(instruction.text, found.scope)
    barrier = ir.Barrier(site, lanes, name if threads is not None else None, threads)
    results = _targets(instruction, found, state)
    given = _taken(_given(instruction, found, state)) if not results else ()
    return (
        *given,
        barrier,
        *(
            s
            for v in results
            if v
            for s in _write(v, unknown("lane-exchange", v.type, instruction.name))
        ),
    )


def _branch(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> tuple[ir.Statement, ...]:
    name = next((o.name for o in instruction.operands if isinstance(o, ptx.Symbol)), "")
    if name not in state.labels:
        raise SourceError(
            f"inline assembly: kernlint does not follow '{instruction.text}'", state.sites.span
        )
    return (ir.Leave(state.labels[name]),)


def _exit(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> tuple[ir.Statement, ...]:
    return (ir.Trap(state.sites.span),)


def _opaque(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> tuple[ir.Statement, ...]:
    """Targets become unknown; memory behind clobbered addresses changes (any memory, for a call or
    an unknown opcode)."""
    changed = list(
        operands(found, instruction, "clobber") + operands(found, instruction, "destination")
    )
    written = _targets(instruction, found, state)
    for operand in operands(found, instruction, "mbarrier"):
        if isinstance(operand, ptx.Address):
            changed.append(operand)
        else:
            written += [
                state.values.target(item)
                for item in _items(operand)
                if state.values.is_target(item)
            ]
    given = _given(instruction, found, state)
    lowered = list(_taken(given)) if not written else []
    if given and written:  # what they are is made of all operands, some of which are targets, too
        made = ir.Variable(ir.ASSEMBLY, ULONGLONG)
        lowered.append(ir.Assign(made, unknown(found.reason, made.type, instruction.name, given)))
        given = (ir.Read(made.type, made),)
    lowered += [
        s
        for v in written
        if v
        for s in _write(v, unknown(found.reason, v.type, instruction.name, given))
    ]
    pointers = tuple(
        address_of(a, state.values, found.space, "b8")
        for a in changed
        if isinstance(a, ptx.Address)
    )
    if pointers:
        copied = _copied(instruction, found, state)
        lowered.append(ir.Clobber(instruction.name, pointers, state.sites.span, copied))
    elif "call" in found.roles[0:1] or "call*" in found.roles[0:1]:
        lowered.append(ir.Clobber(instruction.name, None, state.sites.span))
    return tuple(lowered)


def _copied(instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering) -> int | None:
    """How many bytes a bulk copy brings, where that is a constant; a tensor's map says it."""
    sizes = operands(found, instruction, "bytes")
    if not sizes or isinstance(sizes[0], ptx.Address):
        return None
    return _constant(sizes[0], state) or None


def _given(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> tuple[ir.Expression, ...]:
    """The values of the registers that an instruction reads: of targets, those that the statement
    hands over as well (`"+r"`)."""
    targets = found.positions("target", len(instruction.operands))
    given = []
    for i, operand in enumerate(instruction.operands):
        for item in _items(operand):
            base = item.base if isinstance(item, ptx.Address) else item
            value = (
                state.values.asm.get(base.key, (None, None))[0]
                if isinstance(base, ptx.Reference)
                else None
            )
            own = isinstance(base, ptx.Register) and base.name in state.values.registers
            is_read = i not in targets and (own or state.values.is_target(base))
            if value is not None or is_read:
                given.append(value_of(base, state.values, UINT))
    return tuple(given)


def _taken(given: tuple[ir.Expression, ...]) -> tuple[ir.Statement, ...]:
    read = tuple(e for e in given if reads(e))
    return (ir.Taken(read, "used"),) if read else ()


def _copy_group(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> tuple[ir.Statement, ...]:
    pending = [value_of(o, state.values, INT) for o in operands(found, instruction, "pending")]
    group = ir.CopyGroup(found.operation, pending[0] if pending else None)
    return (*_taken(_given(instruction, found, state)), group)


def _ignored(
    instruction: ptx.PtxInstruction, found: PtxMeaning, state: _Lowering
) -> tuple[ir.Statement, ...]:
    return _taken(_given(instruction, found, state))


_LOWER = {
    "load": _load,
    "store": _store,
    "atomic": _atomic,
    "copy": _copy,
    "matrix": _matrix,
    "assign": _assign,
    "shuffle": _shuffle,
    "vote": _vote,
    "barrier": _barrier,
    "branch": _branch,
    "exit": _exit,
    "opaque": _opaque,
    "ignored": _ignored,
    "copy_group": _copy_group,
}
