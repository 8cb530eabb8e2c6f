"""Expressions of the intermediate form to values and conditions.

In: an expression, the environment of variables, the launch's builtins. Out: `Value`s and
`Condition`s; no statement is run here and nothing is counted. What a guard against an unknown size
is taken to be is recorded in `assumptions`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kernlint.base.dataclass import replace
from kernlint.base.relations import OPPOSITE
from kernlint.execution.values import booleans, reals, sums
from kernlint.execution.values.arithmetic import (
    OPERATORS,
    complement,
    converted,
    may_wrap,
    may_wrap_64,
    opposite,
)
from kernlint.execution.values.booleans import (
    COMPARE,
    FALSE,
    TRUE,
    Bool,
    Condition,
    Threshold,
    compare_zero,
    conjunction,
    disjunction,
    negation,
    positive,
)
from kernlint.execution.values.implied_bounds import implied_bounds, lies_within
from kernlint.execution.values.joins import merged
from kernlint.execution.values.operations import OPERATIONS, accepts
from kernlint.execution.values.sums import BLOCK, LANE
from kernlint.execution.values.undo_log import cut_back, refill
from kernlint.execution.values.values import (
    REMOTE,
    Atom,
    Atoms,
    AtomsCheckpoint,
    Value,
    add,
    base_of,
    bounds,
    determiners,
    divisor,
    granularity,
    identity,
    integer,
    of_atom,
    subtract,
    varies_by_iteration,
    varies_in_warp,
)
from kernlint.ir import nodes as ir
from kernlint.ir.types import Float, Integer, Pointer, Type, type_bounds
from kernlint.model.facts import EXCEEDS, NOT_NULL

LOGICAL = ("&&", "||")
MOST_STEPPED = 256  # iterations over which a pointer changes between arrays
# d + that, floored by a step, changes where `d op 0` does for d + multiples of the step
CROSSING = {
    "<": 0,
    ">=": 0,
    ">": -1,
    "<=": -1,
}
# what tells those apart that each have an object of a space to themselves
OWNERS = {"local": ("unique.lane", "unique.block"), "shared": ("unique.block",)}
# unknowns that a guard against a large size lets pass
PRESUMED = (
    "unknown-launch",
    "unknown-trip-count",
)

EvaluatorCheckpoint = tuple[dict[ir.Variable, Value], bool, int, AtomsCheckpoint]

MAPPED = 3  # a pointer, the number of a block in the cluster, that of the block itself


class Evaluator:
    """Evaluates expressions in `environment`; `builtins` maps ir.Builtin names to values."""

    def __init__(self, builtins: Mapping[str, Value], atoms: Atoms, warp_lanes: int) -> None:
        self.warp_lanes = warp_lanes
        self._assumed_now = False
        self.opencl = False  # whether quotients and roots need not be correctly rounded
        self.environment: dict[ir.Variable, Value] = {}
        self.builtins = builtins
        self.atoms = atoms
        self.assumptions = atoms.assumptions
        self._bases: dict[ir.MemoryObject, Atom] = {}
        self.nulls: set[ir.MemoryObject] = set()  # what arguments that are null stand for
        self.lower_bounds: frozenset[str] = frozenset()  # arguments that indices have to exceed
        # what arguments point to that the launch does not give
        self.unstated: set[ir.MemoryObject] = set()

    def checkpoint(self) -> EvaluatorCheckpoint:
        return dict(self.environment), self._assumed_now, len(self._bases), self.atoms.checkpoint()

    def restore(self, checkpoint: EvaluatorCheckpoint) -> None:
        environment, self._assumed_now, bases, atoms = checkpoint
        refill(self.environment, environment)
        cut_back(self._bases, bases)
        self.atoms.restore(atoms)

    def base(self, object_: ir.MemoryObject) -> Atom:
        """The atom that stands for the address of byte 0 of `object_`."""
        if object_ not in self._bases:
            self._bases[object_] = Atom(
                object_.name, "unknown-pointer", 256, None, max(object_.align, 1), base=object_
            )
        return self._bases[object_]

    def owners(self, object_: ir.MemoryObject | None) -> list[Value]:
        """What tells those apart that each have an object of this kind to themselves."""
        names = OWNERS.get(object_.space, ()) if object_ is not None else ()
        return [self.builtins[name] for name in names if name in self.builtins]

    def place(self, object_: ir.MemoryObject, multiple: int) -> None:
        """States that the address of `object_` is a multiple of `multiple`."""
        self._bases[object_] = Atom(
            object_.name, "unknown-pointer", 256, None, max(multiple, 1), base=object_
        )

    def nullify(self, object_: ir.MemoryObject) -> Atom:
        """The address of byte 0 of what an argument points to that the launch hands in as null: it
        compares as 0."""
        self._bases[object_] = Atom(
            object_.name, "unknown-pointer", 0, 0, max(object_.align, 1), base=object_
        )
        self.nulls.add(object_)
        return self._bases[object_]

    def presumed_of(self, object_: ir.MemoryObject) -> dict[str, None]:
        """What an access to `object_` takes for granted."""
        return (
            {f"{object_.name} points to memory, though the launch hands in null": None}
            if object_ in self.nulls
            else {}
        )

    def value(self, expression: ir.Expression) -> Value:
        return _VALUES[type(expression)](self, expression)

    def number(self, expression: ir.Expression) -> Value:
        """The value with a truth turned into 0 and 1."""
        return self.numeric(self.value(expression))

    def numeric(self, value: Value) -> Value:
        if value.condition is None:
            return value
        condition = value.condition
        if condition.is_known:
            return Value(booleans.as_sum(condition.must))
        by = sums.distinct(
            (
                *condition.determiners,
                *(booleans.as_sum(known) for known in (condition.must, condition.may)),
            )
        )
        atom = Atom(condition.detail or "condition", condition.reason, 0, 1, determiners=by)
        return of_atom(self.atoms.intern(("condition", condition), atom))

    # ------------------------------------------------------------ truth

    def condition(self, expression: ir.Expression) -> Condition:
        if isinstance(expression, ir.Binary):
            if expression.op in COMPARE:
                return self.compare(expression.op, expression.left, expression.right)
            if expression.op in LOGICAL:
                return self._logical(expression)
        if isinstance(expression, ir.Unary) and expression.op == "!":
            return negation(self.condition(expression.operand))
        if isinstance(expression, ir.Convert) and _keeps_truth(expression):
            return self.condition(expression.operand)
        value = self.value(expression)
        if value.condition is not None:
            return value.condition
        return self.compare_values("!=", value, integer(0), expression.type)

    def _logical(self, expression: ir.Binary) -> Condition:
        left = self.condition(expression.left)
        decided = FALSE if expression.op == "&&" else TRUE
        if left.is_known and (left.must.empty if decided is FALSE else left.must.is_true):
            return left
        right = self.condition(expression.right)
        return conjunction(left, right) if expression.op == "&&" else disjunction(left, right)

    def compare(self, operator: str, left: ir.Expression, right: ir.Expression) -> Condition:
        return self.compare_values(operator, self.number(left), self.number(right), left.type)

    def compare_values(self, operator: str, a: Value, b: Value, type_: Type) -> Condition:
        if a.real is not None or b.real is not None or isinstance(type_, Float):
            return self._compare_real(operator, a, b)
        is_unsigned = isinstance(type_, Integer) and (type_.bits, type_.signed) == (64, False)
        is_known = not a.terms and not b.terms
        if is_unsigned and is_known and min(a.known.low, b.known.low) < 0:
            test = COMPARE[operator]
            passes = sums.elementwise(
                lambda x, y: test(_three_way(x.astype(np.uint64), y.astype(np.uint64))),
                a.known,
                b.known,
            )
            return booleans.known(compare_zero("!=", passes))
        difference = self._without_nulls(subtract(a, b))
        for side in (a, b):
            if may_wrap(side, type_) or (is_unsigned and _says_nothing(side)):
                # which lanes it holds for hangs on the other side, too
                open_ = side if side.terms else difference
                unknown = self._unknown_condition(open_, by=determiners(a, b))
                return _compared(unknown, _apart(operator, a, b, type_))
        if not difference.terms:
            return booleans.known(compare_zero(operator, difference.known))
        low, high = bounds(difference)
        for truth in _by_bounds(operator, low, high):
            self._presume_pointer(difference)
            return booleans.known(truth)
        assumed = (
            self._assumed(operator, difference)
            if _bounds_an_index(a) and _bounds_an_index(b)
            else None
        )
        if assumed is not None:
            hangs_on = determiners(difference)
            presumed = any(LANE in key for by in hangs_on for key in by.parts)
            names = ", ".join(sorted({atom.name for atom in difference.terms if atom.is_size}))
            thresholds = _threshold(operator, difference)
            return Condition(
                assumed, assumed, True, "unknown-argument", names, hangs_on, presumed, thresholds
            )
        unknown = _bounded(self._unknown_condition(difference, operator), operator, difference)
        reduced = type_ if any(not lies_within(side, type_) for side in (a, b)) else None
        wrapped = _apart(operator, a, b, type_) if reduced is not None else None
        return _compared(unknown, _threshold(operator, difference, reduced), wrapped)

    def _without_nulls(self, difference: Value) -> Value:
        if not self.nulls:
            return difference
        return Value(
            difference.known,
            {atom: c for atom, c in difference.terms.items() if atom.base not in self.nulls},
        )

    def _compare_real(self, operator: str, a: Value, b: Value) -> Condition:
        x, y = _real(a), _real(b)
        if x is None or y is None:
            by = determiners(a, b)
            reason = next((atom.reason for v in (a, b) for atom in v.terms), "float-value")
            return Condition(
                FALSE,
                TRUE,
                not varies_in_warp(by, self.warp_lanes),
                reason,
                next((atom.name for v in (a, b) for atom in v.terms), ""),
                by,
            )
        return booleans.known(reals.compared(operator, x, y))

    def _unknown_condition(
        self, difference: Value, operator: str = "", by: tuple[sums.Sum, ...] | None = None
    ) -> Condition:
        by = determiners(difference) if by is None else by
        atoms = sorted(difference.terms, key=lambda atom: (not atom.varies_by_lane, atom.name))
        uniform = not varies_in_warp(by, self.warp_lanes) or self._splits_between_warps(
            operator, difference
        )
        return Condition(FALSE, TRUE, uniform, atoms[0].reason, atoms[0].name, by)

    def _splits_between_warps(self, operator: str, difference: Value) -> bool:
        """Whether `i < n` holds for all lanes of a warp or for none, since n is a multiple of so
        many that no warp's indices cross one."""
        step = granularity(difference)
        if (
            operator not in CROSSING
            or step < 2
            or varies_in_warp(determiners(Value(sums.ZERO, difference.terms)), self.warp_lanes)
        ):
            return False
        bound = sums.floor_divide(
            sums.add(difference.known, sums.constant(CROSSING[operator])), step
        )
        return not varies_in_warp((bound,), self.warp_lanes)

    def _presume_pointer(self, difference: Value) -> None:
        """A pointer that the launch does not give is taken not to be null."""
        atom = next(iter(difference.terms)) if len(difference.terms) == 1 else None
        if atom is not None and atom.base in self.unstated:
            self.assumptions[f"{atom.name}{NOT_NULL}"] = frozenset((atom.name,))

    def _assumed(self, operator: str, difference: Value) -> booleans.Bool | None:
        """A guard `index < n` against an unknown size n is taken to let the index pass: n is taken
        to be large."""
        sizes = {atom: c for atom, c in difference.terms.items() if atom.is_size}
        others = [
            a
            for a in difference.terms
            if not (a.is_size or a.reason in PRESUMED)
            or varies_in_warp(a.determiners, self.warp_lanes)
        ]
        varies = bool(difference.known.parts) or len(difference.terms) > len(sizes)
        ordered = operator not in ("==", "!=")
        if not (sizes and varies and ordered) or others:
            return None
        if any(atom.name in self.lower_bounds for atom in sizes):
            return None
        signs = {(c.low > 0) - (c.high < 0) for c in sizes.values()}
        positive = signs == {1}
        if signs not in ({1}, {-1}) or not _may_be_large(difference, positive):
            return None
        names = frozenset(name for atom in sizes for name in (atom.sources or {atom.name}))
        self._assumed_now = True
        self.assumptions[f"{', '.join(sorted(names))}{EXCEEDS}"] = names
        return TRUE if positive == (operator in (">", ">=")) else FALSE

    # ------------------------------------------------------------ the kinds of expression

    def constant(self, e: ir.Constant) -> Value:
        if isinstance(e.value, float) or isinstance(e.type, Float):
            return Value(sums.ZERO, real=float(e.value))
        if isinstance(e.type, Integer) and e.type.bits == 64:
            return integer(sums.wrapped64(int(e.value)))
        return integer(int(e.value))

    def read(self, e: ir.Read) -> Value:
        value = self.environment.get(e.variable)
        if value is None:
            low, high = type_bounds(e.variable.type)
            # what a register held before, or what a function that no file seen defines wrote
            # through a reference: each lane's own
            unset = Atom(e.variable.name, "uninitialised", low, high, determiners=self.every_lane())
            return of_atom(self.atoms.intern(("unset", e.variable), unset))
        return value

    def builtin(self, e: ir.Builtin) -> Value:
        found = self.builtins.get(e.name)
        return (
            found
            if found is not None
            else self.atoms.fresh(e.name, "clock", e.type, self.every_lane())
        )

    def address(self, e: ir.Address) -> Value:
        return of_atom(self.base(e.object))

    def unary(self, e: ir.Unary) -> Value:
        if e.op == "!":
            return Value(sums.ZERO, condition=negation(self.condition(e.operand)))
        operand = self.number(e.operand)
        if operand.real is not None:
            return Value(sums.ZERO, real=reals.opposite(operand.real))
        if isinstance(e.type, Float):
            return self.atoms.derived(e.op, e.type, (operand,))
        return opposite(operand, e.type) if e.op == "-" else complement(operand, e.type)

    def binary(self, e: ir.Binary) -> Value:
        if e.op in COMPARE or e.op in LOGICAL:
            return Value(sums.ZERO, condition=self.condition(e))
        left, right = self.number(e.left), self.number(e.right)
        if isinstance(e.type, Float):
            known = reals.applied(e.op, (left.real, right.real), e.type, self.opencl)
            return known or self._float_result(e.op, e.type, (left, right))
        return OPERATORS[e.op](left, right, e.type, self.atoms)

    def convert(self, e: ir.Convert) -> Value:
        target, source = e.type, e.operand.type
        if isinstance(target, Integer) and target.is_bool:
            return Value(sums.ZERO, condition=self.condition(e.operand))
        value = self.value(e.operand)
        if value.condition is not None and isinstance(target, Integer):
            return value
        value = self.numeric(value)
        if isinstance(target, Float):
            known = None if _is_pattern(value, source) else reals.converted_to(value, target)
            return known or self._float_result("convert", target, (value,))
        if isinstance(source, Float):
            whole = None if value.real is None else reals.converted(value.real, target)
            return whole or self._float_result("convert", target, (value,))
        return converted(value, target, self.atoms) if isinstance(target, Integer) else value

    def _float_result(self, name: str, type_: Type, operands: tuple[Value, ...]) -> Value:
        if any(atom.reason for operand in operands for atom in operand.terms):
            return self.atoms.derived(name, type_, tuple(reals.opaque(o) for o in operands))
        atom = Atom(
            "floating-point value",
            "float-value",
            *type_bounds(type_),
            determiners=determiners(*operands),
        )
        return of_atom(
            self.atoms.intern((name, str(type_), *(reals.identified(o) for o in operands)), atom)
        )

    def select(self, e: ir.Select) -> Value:
        condition = self.condition(e.condition)
        if condition.is_known:
            if condition.must.is_true:
                return self.value(e.then)
            if condition.must.empty:
                return self.value(e.otherwise)
        then, otherwise = self.value(e.then), self.value(e.otherwise)
        if condition.is_known and _differ_in_object(then, otherwise):
            _ask_to_step(condition.must)
        return self.one_of(condition, then, otherwise, e.type)

    def one_of(self, condition: Condition, then: Value, otherwise: Value, type_: Type) -> Value:
        """`then` in lanes for which the condition holds, `otherwise` in the others."""
        truth = self._one_truth(condition, then, otherwise, type_)
        if truth is not None:
            return truth
        then, otherwise = self.numeric(then), self.numeric(otherwise)
        if then.real is not None or otherwise.real is not None:
            if then.real == otherwise.real and not then.terms and not otherwise.terms:
                return then
            first, second = _real(then), _real(otherwise)
            if condition.is_known and first is not None and second is not None:
                return Value(sums.ZERO, real=reals.chosen(condition.must, first, second))
            selector = self.numeric(Value(sums.ZERO, condition=condition))
            return self._float_result("select", type_, (selector, then, otherwise))
        if condition.is_known:
            return merged(condition.must, then, otherwise, type_, self.atoms)
        return self._choose(condition, then, otherwise, type_)

    def _one_truth(
        self, selector: Condition, then: Value, otherwise: Value, type_: Type
    ) -> Value | None:
        """One of two truth values, where it is known of some lanes that is not a number known in
        all: in which it must or may hold."""
        if not (isinstance(type_, Integer) and type_.is_bool) or (
            selector.is_known and then.is_known and otherwise.is_known
        ):
            return None
        first, second = (
            v.condition or self.compare_values("!=", v, integer(0), type_)
            for v in (then, otherwise)
        )
        try:
            found = booleans.choice(selector, first, second)
        except sums.TooDense:
            return None
        is_bounded = not found.must.empty or not found.may.is_true
        says_something = found.is_known or found.implies or is_bounded
        return Value(sums.ZERO, condition=found) if says_something else None

    def _choose(self, condition: Condition, then: Value, otherwise: Value, type_: Type) -> Value:
        """One of two values, by an unknown condition."""
        if then is otherwise or _is_one_number(then, otherwise):
            return then
        selector = self.numeric(Value(sums.ZERO, condition=condition))
        base = base_of(otherwise)
        if base is not None and base is base_of(then):
            apart = subtract(then, otherwise)
            low, high = bounds(apart)
            limits = (None if low is None else min(low, 0), None if high is None else max(high, 0))
            given = selector, apart, integer(0)
            moved = self.atoms.derived("select", type_, given, limits, divisor(apart) or 1)
            return add(otherwise, moved)
        la, ha = implied_bounds(then, type_, condition.implies)
        lb, hb = implied_bounds(otherwise, type_, condition.denies)
        limits = (
            None if la is None or lb is None else min(la, lb),
            None if ha is None or hb is None else max(ha, hb),
        )
        return self.atoms.derived("select", type_, (selector, then, otherwise), limits)

    def call(self, e: ir.Call) -> Value:
        operands = tuple(self.number(argument) for argument in e.arguments)
        if isinstance(e.type, Float) or any(o.real is not None for o in operands):
            named = e.name if not e.function else f"{e.name} {e.function}"
            return self._of_reals(e, operands) or self._float_result(named, e.type, operands)
        if e.name in OPERATORS and len(operands) == 2:
            return OPERATORS[e.name](operands[0], operands[1], e.type, self.atoms)
        operation = OPERATIONS.get(e.name)
        if operation is None or any(o.terms for o in operands):
            if not any(o.terms for o in operands):
                return self._float_result(e.name, e.type, operands)
            return self._of_unknowns(e, operands)
        if not accepts(e.name, len(operands)):
            return self.atoms.fresh(
                f"{e.name} of {len(operands)} arguments", "unsupported", e.type, self.every_lane()
            )
        first = e.arguments[0].type if e.arguments else e.type
        bits, signed = (first.bits, first.signed) if isinstance(first, Integer) else (64, True)
        result_sum = sums.elementwise(
            lambda *arrays: operation(*arrays, bits=bits, signed=signed),
            *(o.known for o in operands),
        )
        return (
            Value(sums.wrap(result_sum, e.type.bits, e.type.signed))
            if isinstance(e.type, Integer)
            else Value(result_sum)
        )

    def _of_unknowns(self, e: ir.Call, operands: tuple[Value, ...]) -> Value:
        """A function of integers of which some are not known."""
        if e.name != "clamp" or len(operands) != 3:
            return self.atoms.derived(e.name, e.type, operands)
        number, low, high = operands
        raised = OPERATORS["max"](number, low, e.type, self.atoms)
        return OPERATORS["min"](raised, high, e.type, self.atoms)

    def _of_reals(self, e: ir.Call, operands: tuple[Value, ...]) -> Value | None:
        """A function of floating-point numbers; None where these or its result are not known."""
        numbers = [_real(o) for o in operands]
        single = [number for number in numbers if isinstance(number, float)]
        if e.name in reals.FUNCTIONS and len(single) == len(numbers):
            return reals.of_numbers(e.name, single, e.type)
        if e.name in reals.TO_INTEGER and numbers[0] is not None:
            return reals.converted(numbers[0], e.type, e.name)
        return reals.applied(e.function or e.name, numbers, e.type, self.opencl)

    def unknown(self, e: ir.Unknown) -> Value:
        operands = tuple(self.number(operand) for operand in e.operands)
        value = self._atom_of(e, operands)
        if e.reason == REMOTE and isinstance(e.type, Pointer):
            if len(operands) == MAPPED and identity(operands[1]) == identity(operands[2]):
                return operands[0]  # a block's own number
            # as far into the array of the other block
            return Value(operands[0].known, value.terms)
        return value

    def _atom_of(self, e: ir.Unknown, operands: tuple[Value, ...]) -> Value:
        if e.pure:
            low, high = type_bounds(e.type)
            is_size = e.reason == "unknown-argument" and not e.operands
            atom = Atom(
                e.what or e.named or "value",
                e.reason,
                low,
                high,
                determiners=determiners(*operands),
                is_size=is_size,
                is_undeclared=is_size,
            )
            key = (
                "unknown",
                e.what or id(e),
                e.apart,
                str(e.type),
                *(reals.identified(o) for o in operands),
            )
            return of_atom(self.atoms.intern(key, atom))
        by = () if e.reason == "unknown-argument" else self.every_lane()
        return self.atoms.fresh(e.what or e.named or "value", e.reason, e.type, by)

    def took_assumption(self) -> bool:
        """Whether a guard was decided by assumption since the last call."""
        taken, self._assumed_now = self._assumed_now, False
        return taken

    def every_lane(self) -> tuple[sums.Sum, ...]:
        return determiners(
            *(
                self.builtins[name]
                for name in ("unique.lane", "unique.block")
                if name in self.builtins
            )
        )


def _threshold(
    operator: str, difference: Value, reduced_to: Type | None = None
) -> tuple[Threshold, ...] | None:
    """Of `difference operator 0`: None where its unknown part differs between lanes of a block."""
    by = [d for atom, c in difference.terms.items() for d in (c, *atom.determiners)]
    keys = [key for one in by for key in one.parts]
    if any(LANE in key for key in keys):
        return None
    unknowns = frozenset((atom, -c.const) for atom, c in difference.terms.items())
    if any(c.parts for c in difference.terms.values()):
        unknowns = frozenset()
    axes = {axis for key in (*keys, *difference.known.parts) for axis in key}
    of_iteration = not axes <= {LANE, BLOCK} or any(map(varies_by_iteration, difference.terms))
    known = difference.known
    return (Threshold(operator, known, bool(keys), unknowns, of_iteration, reduced_to),)


def _bounded(unknown: Condition, operator: str, difference: Value) -> Condition:
    """`difference operator 0`, of which lanes decide: bounds of what is not known let some pass or
    none of the others, as in `t < min(n, 4)`."""
    if operator not in CROSSING or set(difference.known.key) != {LANE}:
        return unknown
    limits = bounds(Value(sums.ZERO, difference.terms))
    least, most = limits if operator in ("<", "<=") else limits[::-1]
    may = unknown.may if least is None else _moved(operator, difference, least)
    must = unknown.must if most is None else _moved(operator, difference, most)
    if may.is_true and must.empty:
        return unknown
    return replace(unknown, must=must, may=may)


def _moved(operator: str, difference: Value, by: int) -> Bool:
    return compare_zero(operator, sums.add(difference.known, sums.constant(by)))


def _compared(
    unknown: Condition,
    thresholds: tuple[Threshold, ...] | None,
    wrapped: tuple[Threshold, ...] | None = None,
) -> Condition:
    """A condition that is a comparison; `wrapped`: what it says of sides as they are in its type."""
    implies = (*(thresholds or ()), *(wrapped or ()))
    denies = tuple(replace(one, operator=OPPOSITE[one.operator]) for one in implies)
    return replace(unknown, thresholds=thresholds, implies=implies, denies=denies)


def _apart(operator: str, a: Value, b: Value, type_: Type) -> tuple[Threshold, ...] | None:
    """Of sides that may wrap around: only where one is known and the other the same for all
    lanes. By how much it is wrapped is not known: as a whole it is one unknown."""
    known, other = (a, b) if not a.terms else (b, a)
    if known.terms or other.known.parts:
        return None
    found = _threshold(operator, subtract(a, b))
    whole = (identity(other), str(type_)), 1 if other is b else -1
    return found and tuple(
        replace(one, unknowns=frozenset((whole,) if one.unknowns else ())) for one in found
    )


def _differ_in_object(then: Value, otherwise: Value) -> bool:
    bases = {base_of(then), base_of(otherwise)}
    return len(bases) > 1 and None not in bases


def _ask_to_step(chosen: Bool) -> None:
    """Where iterations alone decide which of two arrays a pointer is at, as in `s & 1 ? a : b`: raises
    TooDense, on which the loop around is stepped, if there are not many."""
    factors = positive(chosen).factors
    axes = {axis for key in factors for axis in key}
    few = math.prod(array.size for array in factors.values()) <= MOST_STEPPED
    if few and max(axes, default=BLOCK) < BLOCK:
        raise sums.TooDense


def _says_nothing(side: Value) -> bool:
    """Whether a difference says nothing of an unsigned number: it is beyond 63 bits or wraps around."""
    return may_wrap_64(side) if side.terms else side.known.low < 0


def _real(value: Value) -> reals.Real | None:
    """The floating-point number that a value is, or that an integer constant stands for."""
    if value.real is not None:
        return value.real
    return float(value.known.const) if value.is_known and value.known.is_constant else None


def _is_pattern(value: Value, type_: Type) -> bool:
    """Whether a number of 2**63 and more is held as a negative one."""
    wide = isinstance(type_, Integer) and (type_.bits, type_.signed) == (64, False)
    return wide and value.real is None and value.known.low < 0


def _bounds_an_index(side: Value) -> bool:
    """Whether sizes on this side of a comparison stand alone or are what an index is taken from (`n
    - base`), as in guards. Beside or below an index (`i + n`, `i - n`) they are distances, such as
    a filter's half width: mostly small."""
    sizes = [c for atom, c in side.terms.items() if atom.is_size]
    if not sizes or not side.known.parts:
        return True
    return all(c.low > 0 for c in sizes) and side.known.low + side.known.high <= 0


def _may_be_large(difference: Value, positive: bool) -> bool:
    """Whether the bounds of the unknowns allow that sizes outweigh all that is compared with
    them."""
    low, high = bounds(Value(difference.known, difference.terms))
    if positive:
        return high is None or high - difference.known.high + difference.known.low > 0
    return low is None or low - difference.known.low + difference.known.high < 0


def _is_one_number(one: Value, other: Value) -> bool:
    known = all(value.is_integer and not value.terms for value in (one, other))
    return known and sums.same(one.known, other.known)


def _keeps_truth(e: ir.Convert) -> bool:
    """Whether the conversion of an integer is zero only for zero."""
    target, source = e.type, e.operand.type
    return (
        isinstance(target, Integer)
        and isinstance(source, Integer)
        and (target.is_bool or target.bits >= source.bits)
    )


def _three_way(x: Any, y: Any) -> Any:
    return (x > y).astype(np.int64) - (x < y).astype(np.int64)


def _by_bounds(operator: str, low: int | None, high: int | None) -> tuple[booleans.Bool, ...]:
    """The truth of `d operator 0` for d in [low, high], if the bounds decide it."""
    always = booleans.decided(
        operator, -math.inf if low is None else low, math.inf if high is None else high
    )
    return () if always is None else (TRUE,) if always else (FALSE,)


_VALUES: dict[type, Callable[[Evaluator, Any], Value]] = {
    ir.Constant: Evaluator.constant,
    ir.Read: Evaluator.read,
    ir.Builtin: Evaluator.builtin,
    ir.Address: Evaluator.address,
    ir.Unary: Evaluator.unary,
    ir.Binary: Evaluator.binary,
    ir.Convert: Evaluator.convert,
    ir.Select: Evaluator.select,
    ir.Call: Evaluator.call,
    ir.Unknown: Evaluator.unknown,
}
