"""Statements that access memory: their requests are counted, and what they read and write is
tracked where it is known.

In: the state and a statement. Out: tallies of the record, contents of the memory, values of the
targets. What a load finds unknown stays an atom keyed by what is read.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from kernlint.base.dataclass import replace
from kernlint.execution.assignment import assign, is_needed
from kernlint.execution.counting.requests import executions
from kernlint.execution.counting.tally import Reach, Tally
from kernlint.execution.counting.variants import follow
from kernlint.execution.faults.bounds import note as note_bounds
from kernlint.execution.faults.elections import are_apart
from kernlint.execution.faults.needed_lanes import Guard
from kernlint.execution.faults.order import ATOMIC, READ, WRITE, Event, reach_of
from kernlint.execution.faults.stored_numbers import Stored
from kernlint.execution.faults.stored_values import stored
from kernlint.execution.faults.waiting_calls import goes_on, sets_up, uses_barrier
from kernlint.execution.loops.rewriting import require_alike_iterations, rewriting_iterations
from kernlint.execution.memory import POINTER, KeptPointers
from kernlint.execution.restarts import IterationsDiffer, PointersDiffer
from kernlint.execution.state import LoadedFrom, MachineState
from kernlint.execution.values import booleans, sums
from kernlint.execution.values.booleans import Bool, Condition
from kernlint.execution.values.masks import Mask, among, narrowed
from kernlint.execution.values.sums import LANE, Sum, TooDense
from kernlint.execution.values.values import (
    REMOTE,
    Atom,
    Value,
    add,
    base_of,
    bounds,
    determiners,
    identity,
    object_at,
    of_atom,
    varies_by_iteration,
)
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import constant_value, reads
from kernlint.ir.types import Float, Integer, Pointer, Type, type_bounds

UNDECIDED = Condition(booleans.FALSE, booleans.TRUE, uniform=False)
MOST_OF_BARRIERS = 256  # set-ups and uses of barriers in memory that are kept
OF_BLOCK = "_of_block"
ORDERING = ("wait_stage_of_block", "acquire_stage")  # steps of a pipeline of the whole block
ACCESS_WORK = 60  # counting one access costs about as much as this many other statements


def placed(state: MachineState, address: Value) -> Value:
    """An address on the heap of host code as what lies so far behind its object's start; others as
    they are."""
    if not state.heap.objects or not address.is_integer or address.terms:
        return address
    found = state.heap.find(address.known)
    if found is None:
        return address
    return add(of_atom(state.evaluator.base(found[0])), Value(found[1]))


def load(state: MachineState, s: ir.Load) -> None:
    address = placed(state, state.evaluator.number(s.address))
    count(state, s.site, s.address, address)
    changes, loops = state.memory.version(object_at(address))[1], tuple(state.loops)
    for offset, variable in s.targets:
        state.loaded_from[variable] = LoadedFrom(address, offset, changes, loops)
        if is_needed(state, variable):
            assign(state, variable, loaded(state, address, offset, variable.type, s.site))


def loaded(
    state: MachineState, address: Value, offset: int, type_: Type, site: ir.AccessSite
) -> Value:
    """The value of a scalar of `type_` at `address` + `offset`: tracked contents, else an atom
    keyed by what is read."""
    object_ = object_at(address)
    at = sums.add(address.known, sums.constant(offset))
    if object_ in state.parameters and len(address.terms) == 1 and at.is_constant:
        handed = state.parameters[object_].get(at.const)
        if handed is not None and handed.type == type_:
            return state.evaluator.environment[handed]
    if object_ is not None and len(address.terms) == 1 and _is_followed(state, type_):
        if isinstance(type_, Pointer) and not state.analysis.is_host:
            pointer = _loaded_pointer(state, object_, at)
            if pointer is not None:
                return pointer
        found = state.memory.load(object_, at, state.mask.may, type_.size or 1)
        if found is not None and isinstance(type_, Integer):
            found = sums.wrap(found, type_.bits, type_.signed)
        if found is not None:
            return Value(found)
    low, high = _limits(state, object_, type_)
    by = determiners(address, *state.evaluator.owners(object_))
    if state.rewriting_axes:
        by = sums.distinct((*by, *rewriting_iterations(state, object_)))
    atom = Atom(
        site.text,
        "loaded-value",
        low,
        high,
        determiners=by,
        of_iteration=state.open_depth > 0 and _varies(state, object_, address),
    )
    key = ("load", identity(Value(at, address.terms)), state.memory.version(object_), str(type_))
    return of_atom(state.evaluator.atoms.intern(key, atom))


def _limits(
    state: MachineState, object_: ir.MemoryObject | None, type_: Type
) -> tuple[int | None, int | None]:
    """Between which numbers a value lies that is loaded from anywhere in an object: host code's
    tables of sizes are known though what chooses of them is not."""
    if state.analysis.is_host and object_ is not None and isinstance(type_, Integer):
        found = state.memory.extremes(object_, type_.size or 1)
        if found is not None:
            return found
    return type_bounds(type_)


def _varies(state: MachineState, object_: ir.MemoryObject | None, address: Value) -> bool:
    """Whether iterations of loops around load from several places, or what the loops may change."""
    if object_ is None or any(map(varies_by_iteration, address.terms)):
        return True
    return not all(state.analysis.leaves_alone(loop, object_) for loop in state.loops)


def _is_followed(state: MachineState, type_: Type) -> bool:
    """Whether contents of a type are kept."""
    return isinstance(type_, (Integer, Pointer))


def _loaded_pointer(state: MachineState, object_: ir.MemoryObject, at: Sum) -> Value | None:
    found = state.memory.load_pointer(object_, at, state.mask.may)
    if isinstance(found, KeptPointers):
        return Value(found.offset, found.base)
    if found is not None and any(axis in found for axis, _ in state.axis_loops):
        raise PointersDiffer
    return None


def store(state: MachineState, s: ir.Store) -> None:
    address = placed(state, state.evaluator.number(s.address))
    count(state, s.site, s.address, address, kind=WRITE, by=s)
    object_ = object_at(address)
    if object_ is None or len(address.terms) > 1:
        state.memory.forget(object_)
        return
    if object_ not in state.memory.tracked:
        state.memory.touch(object_)
        return
    for offset, width in _lost(state, s):
        at = sums.add(address.known, sums.constant(offset))
        state.memory.store(object_, at, None, state.mask.may, False, width)
    if not s.values and not s.site.pieces and not state.analysis.is_host:
        state.memory.forget(object_)
    certain = state.mask.is_known and not state.open_depth
    for offset, expression in s.values:
        value = state.evaluator.number(expression)
        at = sums.add(address.known, sums.constant(offset))
        is_pointer = isinstance(expression.type, Pointer) and not state.analysis.is_host
        known = value.known if value.is_known and not isinstance(expression.type, Float) else None
        base = 0
        if is_pointer and value.is_integer and _is_one_place(value):
            known, base = value.known, state.memory.number_of(value.terms, _base_identity(value))
        if known is not None and state.rewriting_axes:
            raise IterationsDiffer
        kind = POINTER if is_pointer else expression.type.size or 1
        state.memory.store(object_, at, known, state.mask.may, certain, kind, base)


def _is_one_place(value: Value) -> bool:
    """Whether all lanes, blocks and iterations mean the same by what a pointer points into."""
    return all(
        factor.is_constant and not any(by.parts for by in atom.determiners)
        for atom, factor in value.terms.items()
    )


def _base_identity(value: Value) -> Hashable:
    return identity(Value(sums.constant(0), value.terms))


def _lost(state: MachineState, s: ir.Store) -> Iterable[tuple[int, int]]:
    """(offset, width) of what a store writes that is not followed."""
    if not s.values:
        return s.site.pieces or (((0, 1),) if state.analysis.is_host else ())
    return [(offset, e.type.size or 1) for offset, e in s.untracked if offset is not None]


def atomic(state: MachineState, s: ir.Atomic) -> None:
    address = state.evaluator.number(s.address)
    count(
        state,
        s.site,
        s.address,
        address,
        hardware_op="increment" if _increments(state, s, address) else None,
        kind=ATOMIC,
    )
    state.memory.forget(object_at(address))
    if s.target is not None and is_needed(state, s.target):
        result = state.evaluator.atoms.fresh(
            s.site.text, "atomic-result", s.target.type, state.every_lane()
        )
        if _takes_ticket(state, s, address):
            total = executions(state.mask.may, state.shape)[1]
            apart = len(state.shape.blocks) if _is_shared(address) else 1
            state.tickets.update((atom, (total // apart, state.mask)) for atom in result.terms)
        assign(state, s.target, result)


def _takes_ticket(state: MachineState, s: ir.Atomic, address: Value) -> bool:
    """Whether each thread gets a number of its own from one counter, in no loop."""
    one_place = len(address.terms) == 1 and not address.known.parts
    adds_one = s.operation == "add" and [constant_value(e) for e in s.operands] == [1]
    return one_place and adds_one and not state.loops


def _is_shared(address: Value) -> bool:
    object_ = object_at(address)
    return object_ is not None and object_.space == "shared"


def _increments(state: MachineState, s: ir.Atomic, address: Value) -> bool:
    """Whether the machine has one instruction that counts the lanes on each word: an integer 1
    added in shared memory, the old value unused (ATOMS.POPC.INC, seen in nvcc's code for sm_90;
    so is atomicInc without a limit)."""
    object_ = object_at(address)
    if object_ is None or object_.space != "shared":
        return False
    return state.counter.has("increment", s.site) and adds_one_unused(s)


def adds_one_unused(s: ir.Atomic) -> bool:
    """Whether an atomic operation adds an integer 1 and nothing uses the old value."""
    if s.site.result_used or s.site.floating or len(s.operands) != 1:
        return False
    wanted = {"add": 1, "inc": 0xFFFFFFFF}.get(s.operation)
    return wanted is not None and constant_value(s.operands[0]) == wanted


def copy(state: MachineState, s: ir.Copy) -> None:
    source, destination = state.evaluator.number(s.source), state.evaluator.number(s.destination)
    count(state, s.source_site, s.source, source)
    count(state, s.destination_site, s.destination, destination, kind=WRITE)
    state.memory.forget(object_at(destination))


def copy_group(state: MachineState, s: ir.CopyGroup) -> None:
    """Where nobody knows how many groups a wait leaves, it is taken to leave none."""
    number = None if s.pending is None else state.evaluator.number(s.pending)
    known = number is not None and number.is_known and number.known.is_constant
    pending = number.known.const if known and number is not None else None
    state.order.mark(s.operation.removesuffix(OF_BLOCK), state.mask.may, pending)
    if s.operation in ORDERING:
        state.order.pass_barrier("block", True, state.mask.may)


def matrix(state: MachineState, s: ir.Matrix) -> None:
    address = state.evaluator.number(s.address)
    lanes = np.arange(state.sizes[LANE]) % state.device.warp_lanes < 8 * s.count
    kind = WRITE if s.site.op == "store" else READ
    count(state, s.site, s.address, address, booleans.of_factor((LANE,), lanes), kind=kind)
    if s.site.op == "store":
        state.memory.forget(object_at(address))
    for target in s.targets:
        if is_needed(state, target):
            assign(
                state,
                target,
                state.evaluator.atoms.fresh(
                    s.site.text, "loaded-value", target.type, state.every_lane()
                ),
            )


def clobber(state: MachineState, s: ir.Clobber) -> None:
    if s.pointers and (sets_up(s) or (state.order.set_up and uses_barrier(s.what))):
        _barrier_in_memory(state, s, s.pointers[0])
    if not goes_on(s):
        state.order.mark("wait")  # the call may wait for copies
        state.order.pass_barrier("block", True, state.mask.may)  # and for others
    if s.pointers is None:
        state.memory.forget(None)
        return
    reached = [placed(state, state.evaluator.number(pointer)) for pointer in s.pointers]
    if s.copied is not None and reached:
        _begin_copy(state, s, reached[0], s.copied)
    for address in reached:
        _forget_reached(state, object_at(address))


def _barrier_in_memory(state: MachineState, s: ir.Clobber, pointer: ir.Expression) -> None:
    """Sets up a barrier in shared memory, or uses one that was set up."""
    address = state.evaluator.number(pointer)
    object_, known = object_at(address), state.order.set_up
    is_decided = state.mask.is_known and not state.mask.empty
    if object_ is None or object_.space != "shared" or not is_decided:
        return
    is_set_up = sets_up(s)
    is_used = any(event.target is object_ for event in known)
    if (is_set_up or is_used) and len(known) < MOST_OF_BARRIERS:
        kind = WRITE if is_set_up else READ
        value = Stored(0, (sums.ZERO,), True) if is_set_up else None
        site = state.analysis.barrier_site(s)
        known.append(_event(state, site, address, state.mask, kind, value))


def _begin_copy(state: MachineState, s: ir.Clobber, address: Value, size: int) -> None:
    object_ = object_at(address)
    if object_ is None or object_.space != "shared" or state.mask.empty:
        return
    pieces = ((0, size),)
    site = ir.AccessSite(s.span, s.what, "copy", "copy", pieces, s.span.line)
    event = _event(state, site, address, state.mask, WRITE, None)
    state.order.mark("bulk", state.mask.may, copy=event)


def _forget_reached(state: MachineState, object_: ir.MemoryObject | None) -> None:
    """An unknown function may change an object, and what pointers in it lead to."""
    pending = [object_]
    while pending:
        one = pending.pop()
        numbers = state.memory.numbers_in(one) if one is not None and state.heap.objects else ()
        state.memory.forget(one)
        pending += [o for o in map(state.heap.reached_from, numbers) if o is not None]


def _constant_once_unrolled(state: MachineState, address: Value) -> bool:
    """Whether an address depends on nothing but counters of loops that count between constants,
    or between what is known."""
    counted = {axis for axis, loop in state.axis_loops if state.analysis.counts_constants(loop)} | {
        axis for axis, _ in state.rewriting_axes
    }
    return len(address.terms) == 1 and set(address.known.key) <= counted


def count(
    state: MachineState,
    site: ir.AccessSite,
    pointer: ir.Expression,
    address: Value,
    lanes: Bool = booleans.TRUE,
    hardware_op: str | None = None,
    kind: int = READ,
    by: ir.Store | None = None,
) -> None:
    """Tallies one execution of an access (for all iterations of the axes in scope); none of
    host code, where launches count. `by`: the store that it is."""
    if state.analysis.is_host:
        require_alike_iterations(state, address)
        state.statements += ACCESS_WORK
        return
    object_ = object_at(address)
    space = object_.space if object_ is not None else _space_of(pointer, address)
    tally = state.record.accesses.get((site, space))
    if tally is None:
        tally = state.record.accesses[(site, space)] = Tally(
            site, space, hardware_op or site.hardware_op, loops=tuple(state.loops)
        )
    if object_ is not None:
        tally.objects.setdefault(object_)
        tally.assumptions |= state.evaluator.presumed_of(object_)
    if space == "local" and tally.always_constant:
        tally.decided = state.analysis.decided_at_run(pointer)
        tally.always_constant = not tally.decided and (
            _constant_once_unrolled(state, address) or state.analysis.is_folded(pointer)
        )
        tally.indexing |= state.analysis.counting(pointer, state.loops)
    if site.op == "atomic" and space == "global":
        tally.reach_to(_reach(address))
    mask = state.mask if lanes.is_true else among(state.mask, lanes, state.device.warp_lanes)
    note_bounds(state, site, address, mask)
    if space in ("shared", "global") and object_ is not None:
        _note_order(state, site, address, mask, kind, by)
    if any(atom.reason == REMOTE for atom in address.terms) and not mask.empty:
        is_open = len(address.terms) > 1
        reach = reach_of(address.known, mask.may, is_open, site, tuple(state.loops))
        sure = mask.is_known and state.repeats is None and not state.presumed
        state.order.add_remote(site, replace(reach, sure=sure))
    if state.limits.measure:
        _note_footprint(state, site, object_, address, mask)
    require_alike_iterations(state, address)
    state.statements += ACCESS_WORK
    mask = _alone(state, mask)
    state.counter.record(tally, address, mask, state.shape, state.repeats)
    if state.analysis.outcomes:
        follow(state, tally, address, mask)


def _alone(state: MachineState, mask: Mask) -> Mask:
    """One lane of each warp, whichever it is, where conditions let no more come there."""
    if mask.is_known or not are_apart(mask.implies, mask.implies):
        return mask
    first = np.arange(state.sizes[LANE]) % state.device.warp_lanes == 0
    return among(mask, booleans.of_factor((LANE,), first), state.device.warp_lanes)


def _note_order(
    state: MachineState,
    site: ir.AccessSite,
    address: Value,
    mask: Mask,
    kind: int,
    by: ir.Store | None,
) -> None:
    """What the order of accesses to memory that threads share is asked about."""
    if not site.pieces:  # of a type that is not known
        state.order.complete = False
        return
    if kind == READ:
        mask = _using(state, site, mask)
    mask = _within_rows(state, site, mask)
    if mask.empty:
        return
    value = stored(state, by) if by is not None else None
    state.order.add(_event(state, site, address, mask, kind, value))


def _within_rows(state: MachineState, site: ir.AccessSite, mask: Mask) -> Mask:
    """The lanes whose index is inside the member or row that it is of, where a guard that nobody
    can decide, or only by assumption, keeps some away: it is taken to keep the others away. What is
    not known of the index is taken for 0, as in the first block."""
    if mask.is_known and not state.evaluator.atoms.assumptions:
        return mask
    for subscript in site.subscripts:
        index = state.evaluator.number(subscript.index).known
        if index.low < 0 or index.high >= subscript.extent:
            beyond = sums.add(index, sums.constant(-subscript.extent))
            inside = booleans.both(
                booleans.compare_zero(">=", index), booleans.compare_zero("<", beyond)
            )
            mask = among(mask, inside, state.device.warp_lanes)
    return mask


def _event(
    state: MachineState,
    site: ir.AccessSite,
    address: Value,
    mask: Mask,
    kind: int,
    value: Stored | None,
) -> Event:
    base = base_of(address)
    assert base is not None and base.base is not None
    return Event(
        site,
        base.base,
        kind,
        address.known,
        {atom: times for atom, times in address.terms.items() if atom is not base},
        site.pieces,
        mask.may,
        mask.must,
        mask.is_known and state.repeats is None and not state.presumed,
        state.presumed > 0,
        tuple((path.condition, path.holds) for path in state.undecided),
        mask.implies,
        {axis: state.sizes[axis] for axis, _ in state.axis_loops},
        tuple(state.loops),
        value,
        state.order.passed,
    )


def _using(state: MachineState, site: ir.AccessSite, mask: Mask) -> Mask:
    """The lanes that use what they load."""
    uses = state.analysis.conditional_uses.get(site)
    if uses is None:
        return mask
    used = booleans.known(booleans.FALSE)
    try:
        for guards in uses:
            held = booleans.known(booleans.TRUE)
            for guard in guards:
                held = booleans.conjunction(held, _tested(state, guard))
            used = booleans.disjunction(used, held)
        return narrowed(mask, used, state.device.warp_lanes)
    except TooDense:
        return narrowed(mask, UNDECIDED, state.device.warp_lanes)


def _tested(state: MachineState, guard: Guard) -> Condition:
    if guard is None or not reads(guard[0]) <= state.evaluator.environment.keys():
        return UNDECIDED
    condition, holds = state.evaluator.condition(guard[0]), guard[1]
    return condition if holds else booleans.negation(condition)


def _reach(address: Value) -> Reach:
    """Between which offsets from its object's start an address lies."""
    base = base_of(address)
    terms = {atom: c for atom, c in address.terms.items() if atom is not base}
    return bounds(Value(address.known, terms)) if base is not None else (None, None)


def _space_of(pointer: ir.Expression, address: Value) -> str:
    """The memory space of an address that lies in no known object."""
    stated = pointer.type.space if isinstance(pointer.type, Pointer) else ""
    return stated or ("global" if address.terms else "local")


def _note_footprint(
    state: MachineState,
    site: ir.AccessSite,
    object_: ir.MemoryObject | None,
    address: Value,
    mask: Mask,
) -> None:
    """What an access touches, for the estimate of time."""
    footprint, shape = state.footprint, state.shape
    if object_ is None:
        footprint.reached[(site, None)] = None
    elif object_.space == "shared":
        footprint.reach(site, object_, address, mask.may, shape)
    elif object_.space == "global" and len(address.terms) > 1:
        footprint.forget(site, object_)
    elif object_.space == "global":
        sector = state.device.sector_bytes
        footprint.note(site, object_, address.known, mask.may, shape, sector)
