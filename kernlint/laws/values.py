"""The value of an expression in all threads of a block, and conditions as sums compared with 0.

In: expressions of the intermediate form, what variables hold. Out: `LaneSum`, `Guard` or an
`NoValue` with its reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kernlint.algebra.expression import quotient
from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.types import Integer, Pointer, Type
from kernlint.laws import functions as own
from kernlint.laws import lane_values as lv
from kernlint.laws import whole_warps
from kernlint.laws.functions import Value, symbol, wrapped
from kernlint.laws.index import BUILTINS, SYMBOLS
from kernlint.laws.lane_values import Array, LaneSum, NoValue
from kernlint.laws.quotients import REASON as QUOTIENT
from kernlint.laws.quotients import Quotients, is_open
from kernlint.model.facts import Launch

Scalar = LaneSum | NoValue
WARP = 32
BASE = "&"  # before the name of where an object begins
NO_INTEGER = NoValue("the index depends on arithmetic that is not of integers")
PRODUCTS = ("mul24", "umul24", "__mul24", "__umul24")


def _quotient(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return quotient(a, b or 1)
    b = np.where(b == 0, 1, b)
    return np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))


def _remainder(a: Any, b: Any) -> Any:
    return a - np.where(b == 0, 1, b) * _quotient(a, b)


KNOWN: dict[str, Callable[[Any, Any], Any]] = {
    "/": _quotient, "%": _remainder, "&": np.bitwise_and, "|": np.bitwise_or,
    "^": np.bitwise_xor, "<<": np.left_shift, ">>": np.right_shift,
    "min": np.minimum, "max": np.maximum,
    "==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal,
    ">": np.greater, ">=": np.greater_equal, "&&": np.logical_and, "||": np.logical_or,
}  # fmt: skip
UNIFORM: dict[str, Callable[[Value, Value], Value]] = {
    "/": own.Div, "%": own.Rem, "&": own.And, "|": own.Or, "^": own.Xor, "<<": own.Shl,
    ">>": own.Shr, "min": own.Min, "max": own.Max,
}  # fmt: skip
COMPARED = {"<", "<=", ">", ">=", "==", "!="}


@dataclass(frozen=True, slots=True)
class Relation:
    """`value relation 0`, relation one of >=, ==, !=."""

    relation: str
    value: LaneSum

    def value_has(self, counter: Value) -> bool:
        return any(monomial.has(counter) for monomial in self.value.terms)

    @property
    def flag(self) -> Value:
        """1 where it holds, else 0; of a uniform value."""
        value = self.value.expression
        if self.relation != ">=" and isinstance(value, own.FLAGS):
            return value if self.relation == "!=" else own.Negated(value)
        return own.RELATIONS[self.relation](self.value.expression, 0)


@dataclass(frozen=True, slots=True)
class Guard:
    """Threads where something known holds (None: all) and where all atoms hold; `negated`: where
    not all of this holds."""

    mask: Array | None = None
    atoms: tuple[Relation, ...] = ()
    negated: bool = False

    @property
    def known(self) -> bool:
        return not self.atoms

    @property
    def uniform(self) -> bool:
        """Whether all threads of a block pass or none."""
        decided = self.mask is not None or self.negated
        return not decided and all(atom.value.uniform for atom in self.atoms)

    @property
    def flag(self) -> Value:
        """1 where it holds, else 0; of a uniform guard."""
        flags = [atom.flag for atom in self.atoms]
        both = flags[0]
        for flag in flags[1:]:
            both = own.Both(both, flag)
        return both

    def holds(self, threads: int) -> Array:
        found = np.ones(threads, bool) if self.mask is None else self.mask
        return ~found if self.negated else found


class LaneEvaluator:
    """`read`, `base`: what variables and objects are; `oblige`: told of values that must lie in
    their type's range; `any_block`: of one warp of a block of any number of them."""

    def __init__(
        self,
        launch: Launch,
        read: Callable[[ir.Variable], Scalar],
        base: Callable[[ir.MemoryObject], LaneSum],
        oblige: Callable[[LaneSum, Integer], None],
        any_block: bool = False,
    ) -> None:
        self._read, self._base, self._oblige = read, base, oblige
        self.reserved = frozenset(SYMBOLS)
        self.ranges: dict[Value, Integer] = {}
        self._threads = WARP if any_block else math.prod(launch.block)
        self._quotients = Quotients()
        self._builtins = _builtins(launch)
        if any_block:
            self._builtins |= whole_warps.builtins()

    # -------------------------------------------------------------- values

    def value(self, e: ir.Expression) -> Scalar:
        match e:
            case ir.Constant(value=int() as value):
                return lv.number(int(value))
            case ir.Read(variable=variable):
                return self._read(variable)
            case ir.Builtin(name=name):
                return self._builtins.get(name, NoValue(f"the index depends on `{name}`"))
            case ir.Address(object=target):
                return self._base(target)
            case ir.Unary():
                return self._unary(e)
            case ir.Binary() if isinstance(e.type, Integer | Pointer):
                return self._binary(e)
            case ir.Convert():
                return self._convert(e)
            case ir.Select():
                return self._select(e)
            case ir.Call(name=name, arguments=(a, b)) if name in PRODUCTS:
                return self._both(lv.multiply, self.value(a), self.value(b))
            case ir.Call(name=name):
                return NoValue(f"the index depends on `{name}`")
        return NO_INTEGER

    def settled(self, value: LaneSum, type_: Type) -> LaneSum:
        """The value as its type holds it."""
        if not isinstance(type_, Integer):
            return value
        if value.known:
            return lv.mapped(lambda a: _wrapped(a, type_), value)
        if is_open(value):
            fits = type_.bits >= 64 or self._quotients.fits(value, bounds_of(type_)[1])
            return value if fits else self._quotients.lost()
        falls = not type_.signed and any(np.min(n) < 0 for n in value.terms.values())
        if (type_.bits < 64 or falls) and not self.fits(value, *bounds_of(type_)):
            self._oblige(value, type_)
        return value

    def fits(self, value: LaneSum, low: int | None, high: int | None) -> bool:
        """Whether it is one argument whose type lies in this range."""
        if len(value.terms) != 1:
            return False
        ((monomial, n),) = value.terms.items()
        own_type = self.ranges.get(monomial)
        if not isinstance(n, int) or n != 1 or own_type is None:
            return False
        least, most = bounds_of(own_type)
        return (low is None or low <= least) and (high is None or most <= high)

    def _both(self, of: Callable[[LaneSum, LaneSum], LaneSum], a: Scalar, b: Scalar) -> Scalar:
        if isinstance(a, NoValue):
            return a
        return b if isinstance(b, NoValue) else of(a, b)

    def _unary(self, e: ir.Unary) -> Scalar:
        value = self.value(e.operand)
        if isinstance(value, NoValue):
            return value
        if e.op == "-":
            return lv.scaled(value, -1)
        if e.op == "~":
            return lv.minus(lv.scaled(value, -1), lv.number(1))
        return self._truth(e)

    def _truth(self, e: ir.Expression) -> Scalar:
        found = self.condition(e)
        if isinstance(found, Guard) and found.known:
            return lv.number(found.holds(self._threads).astype(np.int64))
        return NoValue("the index depends on a condition that is not known")

    def _binary(self, e: ir.Binary) -> Scalar:
        if e.op in COMPARED or e.op in ("&&", "||"):
            return self._truth(e)
        a, b = self.value(e.left), self.value(e.right)
        if isinstance(a, NoValue):
            return a
        if isinstance(b, NoValue):
            return b
        if e.op == "+":
            return self._wound(lv.add(a, b), e.type)
        if e.op == "-":
            return self._wound(lv.minus(a, b), e.type)
        if e.op == "*":
            return self._wound(lv.multiply(a, b), e.type)
        shift = b.constant()
        if e.op == "<<" and shift is not None and 0 <= shift < 63:
            return self._wound(lv.scaled(a, 1 << shift), e.type)
        return self._operation(e, a, b)

    def _wound(self, value: LaneSum, type_: Type) -> LaneSum:
        """Known integers are kept as their type holds them."""
        if value.known and isinstance(type_, Integer):
            return lv.mapped(lambda a: _wrapped(a, type_), value)
        return value

    def _operation(self, e: ir.Binary, a: LaneSum, b: LaneSum) -> Scalar:
        a, b = self.settled(a, e.left.type), self.settled(b, e.right.type)
        if e.op not in UNIFORM:
            return NO_INTEGER
        if a.known and b.known:
            return lv.mapped(KNOWN[e.op], a, b)
        if is_open(a) or is_open(b):
            return self._taken_apart(e, a, b)
        divisor = b.constant()
        if divisor is not None and (found := self._divided(e, a, divisor)) is not None:
            return found
        counted = a.known and not a.uniform and np.min(a.number) >= 0
        if e.op in ("/", "%") and counted and b.uniform:
            # by more than any thread has: the domain says so
            self._oblige(lv.minus(b, lv.number(int(np.max(a.number)) + 1)), Integer(64, False, ""))
            return a if e.op == "%" else lv.number(0)
        if a.uniform and b.uniform:
            names = {name for monomial in a.terms for name in monomial.free_symbols}
            if e.op == "/" and not b.known and names - self.ranges.keys():
                self._oblige(lv.minus(b, lv.number(1)), Integer(64, False, ""))
            found_value = UNIFORM[e.op](a.expression, b.expression)
            if isinstance(e.type, Integer) and e.op != "<<":
                self.ranges.setdefault(found_value, e.type)
            return lv.uniform(found_value)
        return self._taken_apart(e, a, b)

    def _taken_apart(self, e: ir.Binary, a: LaneSum, b: LaneSum) -> Scalar:
        """A quotient or remainder that differs between lanes."""
        none = NoValue(f"the index holds `{e.op}` of values that differ between lanes")
        if e.op not in ("/", "%") or not isinstance(e.left.type, Integer):
            return none
        _, most = bounds_of(e.left.type)
        if not b.uniform or is_open(b):
            return none
        if is_open(a) and not self._quotients.fits(a, most):
            return none
        if not is_open(a):
            self._oblige(a, Integer(64, False, ""))
        divisor = b.constant()
        if divisor is not None and divisor <= 0:
            return none
        if divisor is None:
            self._oblige(lv.minus(b, lv.number(1)), Integer(64, False, ""))
        of = self._quotients.quotient if e.op == "/" else self._quotients.remainder
        return of(a, b, most)

    def _divided(self, e: ir.Binary, a: LaneSum, by: int) -> LaneSum | None:
        """`/`, `%`, `&` and `>>` where all but a known part is divisible."""
        modulus = {"/": by, "%": by, "&": by + 1, ">>": 1 << min(max(by, 0), 62)}.get(e.op, 0)
        if modulus <= 0 or (modulus & (modulus - 1) and e.op in ("&", ">>")):
            return None
        rest = lv.split(a, modulus)
        if rest is None:
            return None
        if e.op in ("/", "%") and isinstance(e.left.type, Integer) and e.left.type.signed:
            self._oblige(a, Integer(64, False, ""))  # truncation is the floor from 0 on
        if e.op in ("%", "&"):
            return lv.mapped(lambda n: n % modulus, lv.number(rest))
        return lv.over(a, modulus)

    def _convert(self, e: ir.Convert) -> Scalar:
        source, target = e.operand.type, e.type
        if isinstance(target, Integer) and target.is_bool:
            return self._truth(e)
        if not isinstance(source, Integer | Pointer) or not isinstance(target, Integer | Pointer):
            return NO_INTEGER
        value = self.value(e.operand)
        if isinstance(value, NoValue):
            return value
        bits = [t.bits if isinstance(t, Integer) else 64 for t in (source, target)]
        if bits[1] > bits[0]:
            value = self.settled(value, source)
            becomes_large = _is_signed(source) and not is_open(value)  # where it is below 0
            if becomes_large and isinstance(target, Integer) and not target.signed:
                self._oblige(value, target)
        return self._wound(value, target)

    def _select(self, e: ir.Select) -> Scalar:
        condition = self.condition(e.condition)
        then, otherwise = self.value(e.then), self.value(e.otherwise)
        if isinstance(condition, NoValue):
            return NoValue("the index depends on a condition that is not known")
        if not condition.known:
            return self.chosen(condition, then, otherwise)
        holds = condition.holds(self._threads)
        if isinstance(then, NoValue) or isinstance(otherwise, NoValue):
            return otherwise if not holds.any() else then if holds.all() else NO_INTEGER
        return lv.merged(holds, then, otherwise)

    def chosen(self, condition: Guard, then: Scalar, otherwise: Scalar) -> Scalar:
        """`then` where an undecided condition holds."""
        if isinstance(then, NoValue) or isinstance(otherwise, NoValue) or not condition.uniform:
            return NoValue("the index depends on a condition that is not known")
        flag = lv.uniform(condition.flag)
        return lv.add(otherwise, lv.multiply(flag, lv.minus(then, otherwise)))

    # -------------------------------------------------------------- conditions

    def condition(self, e: ir.Expression) -> Guard | NoValue:
        match e:
            case ir.Unary(op="!", operand=operand):
                return self.negated(self.condition(operand))
            case ir.Binary(op="&&", left=left, right=right):
                return self.conjunction(self.condition(left), self.condition(right))
            case ir.Binary(op="||", left=left, right=right):
                sides = self.negated(self.condition(left)), self.negated(self.condition(right))
                return self.negated(self.conjunction(*sides))
            case ir.Binary(op=op) if op in COMPARED:
                return self._compared(e)
            case ir.Convert(operand=operand) if isinstance(operand, ir.Binary | ir.Unary):
                if isinstance(operand, ir.Unary) and operand.op != "!":
                    return self._nonzero(e.operand)
                if isinstance(operand, ir.Binary) and operand.op not in {*COMPARED, "&&", "||"}:
                    return self._nonzero(e.operand)
                return self.condition(operand)
            case ir.Convert(operand=operand) if isinstance(e.type, Integer) and e.type.is_bool:
                return self._nonzero(operand)
        return self._nonzero(e)

    def _nonzero(self, e: ir.Expression) -> Guard | NoValue:
        if not isinstance(e.type, Integer):
            return NO_INTEGER
        value = self.value(e)
        if isinstance(value, NoValue):
            return value
        return self._atom("!=", self.settled(value, e.type))

    def _compared(self, e: ir.Binary) -> Guard | NoValue:
        if not isinstance(e.left.type, Integer | Pointer):
            return NO_INTEGER
        if not isinstance(e.right.type, Integer | Pointer):
            return NO_INTEGER
        a, b = self.value(e.left), self.value(e.right)
        if isinstance(a, NoValue):
            return a
        if isinstance(b, NoValue):
            return b
        apart = lv.minus(self.settled(a, e.left.type), self.settled(b, e.right.type))
        if isinstance(e.left.type, Pointer):
            if any(map(is_base, apart.terms)):
                return NoValue("a comparison of pointers into different objects")
            apart = lv.primitive(apart)
        match e.op:
            case "<":
                return self._atom(">=", lv.minus(lv.scaled(apart, -1), lv.number(1)))
            case "<=":
                return self._atom(">=", lv.scaled(apart, -1))
            case ">":
                return self._atom(">=", lv.minus(apart, lv.number(1)))
            case ">=":
                return self._atom(">=", apart)
        return self._atom(e.op, apart)

    def _atom(self, relation: str, value: LaneSum) -> Guard | NoValue:
        if is_open(value):
            return NoValue(QUOTIENT)
        if value.known:
            held = KNOWN[relation](np.asarray(value.number, dtype=np.int64), 0)
            return Guard(np.broadcast_to(np.asarray(held, bool), (self._threads,)))
        if all(monomial in (lv.ONE, whole_warps.WARP) for monomial in value.terms):
            found = self._of_warps(relation, value)
            if found is not None:
                return found
        return Guard(None, (Relation(relation, value),))

    def _of_warps(self, relation: str, value: LaneSum) -> Guard | NoValue | None:
        """A bound on the thread alone, as one on the warp and on its lanes. None where the bound
        lies within a warp other than the first, or what a warp adds differs between lanes."""
        step = value.terms[whole_warps.WARP]
        if not isinstance(step, int):
            return None
        if relation == "!=":
            equal = self._of_warps("==", value)
            return None if equal is None else self.negated(equal)
        numbers = np.broadcast_to(np.asarray(value.number), (self._threads,))
        warp = LaneSum({whole_warps.WARP: 1})
        last = numbers // -step  # floor of where the value is 0; -(n // s) its ceiling
        if relation == "==":
            there = (numbers % step == 0) & (last >= 0)
            return self._in_warp(there, sorted({*last[there].tolist()}))
        bounds = {*(-(numbers // step) if step > 0 else last).tolist()}
        if len(bounds) == 1:
            (bound,) = bounds
            apart = lv.minus(warp, lv.number(bound))
            return self._atom_of_warps(apart if step > 0 else lv.scaled(apart, -1), bound, step > 0)
        if step < 0 and max(bounds) == 0:
            return self._in_warp(last >= 0, [0])
        return None

    def _atom_of_warps(self, value: LaneSum, bound: int, rises: bool) -> Guard:
        if rises and bound <= 0:
            return Guard(np.ones(self._threads, bool))
        if not rises and bound < 0:
            return Guard(np.zeros(self._threads, bool))
        return Guard(None, (Relation(">=", value),))

    def _in_warp(self, lanes: Array, warps: list[int]) -> Guard | None:
        """Some lanes of one warp."""
        if not warps:
            return Guard(np.zeros(self._threads, bool))
        if len(warps) > 1:
            return None
        here = Relation("==", LaneSum({whole_warps.WARP: 1, **lv.number(-warps[0]).terms}))
        return Guard(None if lanes.all() else lanes, (here,))

    def conjunction(self, a: Guard | NoValue, b: Guard | NoValue) -> Guard | NoValue:
        sides = [self._positive(a), self._positive(b)]
        for side in sides:
            if isinstance(side, NoValue):
                return side
        masks, atoms = [], ()  # type: tuple[list[Array], tuple[Relation, ...]]
        for side in sides:
            if isinstance(side, Guard):
                masks += [side.mask] if side.mask is not None else []
                atoms += side.atoms
        mask = np.logical_and.reduce(masks) if masks else None
        return Guard(mask, atoms)

    def _positive(self, a: Guard | NoValue) -> Guard | NoValue:
        if isinstance(a, Guard) and a.negated:
            if a.known:
                return Guard(a.holds(self._threads))
            return NoValue("a condition that has no closed form")
        return a

    def negated(self, a: Guard | NoValue) -> Guard | NoValue:
        if isinstance(a, NoValue):
            return a
        if a.negated:
            return Guard(a.mask, a.atoms)
        if a.known:
            return Guard(~a.holds(self._threads))
        if a.mask is None and len(a.atoms) == 1:
            (atom,) = a.atoms
            if atom.relation == ">=":
                return self._atom(">=", lv.minus(lv.scaled(atom.value, -1), lv.number(1)))
            if atom.relation == "==" and atom.value.uniform:
                return Guard(None, _atoms_of(atom.value.expression))
            return self._atom("!=" if atom.relation == "==" else "==", atom.value)
        if a.uniform:
            return Guard(None, (Relation("==", lv.uniform(a.flag)),))
        return Guard(a.mask, a.atoms, True)


MARKS = {kind: mark for mark, kind in own.RELATIONS.items() if mark in (">=", "==", "!=")}


def _atoms_of(flag: Value) -> tuple[Relation, ...]:
    """Relations all of which hold where a value, mostly a flag, is not 0."""
    if isinstance(flag, own.Both):
        return tuple(atom for part in flag.args for atom in _atoms_of(part))
    if isinstance(flag, own.Negated):
        return (Relation("==", lv.uniform(flag.args[0])),)
    if type(flag) in MARKS and flag.args[1] == 0:
        return (Relation(MARKS[type(flag)], lv.uniform(flag.args[0])),)
    return (Relation("!=", lv.uniform(flag)),)


def _builtins(launch: Launch) -> dict[str, LaneSum]:
    x, y, z = launch.block
    linear = np.arange(x * y * z, dtype=np.int64)
    known: dict[str, LaneSum] = {
        "tid.x": lv.number(linear % x),
        "tid.y": lv.number(linear // x % y),
        "tid.z": lv.number(linear // (x * y)),
        "laneid": lv.number(linear % WARP),
        "warpid": lv.number(linear // WARP),
        "warpsize": lv.number(WARP),
    }
    for place, axis in enumerate("xyz"):
        known[f"ntid.{axis}"] = lv.number(launch.block[place])
        known[f"goffset.{axis}"] = lv.number(0)
        for stem in ("ctaid", "nctaid"):
            known[f"{stem}.{axis}"] = lv.uniform(symbol(BUILTINS[f"{stem}.{axis}"]))
    return known


def _wrapped(a: Any, type_: Integer) -> Any:
    if type_.bits >= 64:
        return a
    if isinstance(a, int):
        return wrapped(a, type_.bits, type_.signed)
    low = np.asarray(a) & ((1 << type_.bits) - 1)
    return np.where(low >> (type_.bits - 1), low - (1 << type_.bits), low) if type_.signed else low


def _is_signed(type_: Type) -> bool:
    return isinstance(type_, Integer) and type_.signed


def base_named(name: str, of: object) -> Value:
    """Where an object begins."""
    return symbol(f"{BASE}{name}#{id(of)}")


def is_base(monomial: Value) -> bool:
    """Whether it holds an address that nothing says."""
    return any(name.name.startswith(BASE) for name in monomial.free_symbols)


def bounds_of(type_: Integer) -> tuple[int, int]:
    """The least and the greatest value of a type."""
    low = -(1 << (type_.bits - 1)) if type_.signed else 0
    return low, low + (1 << type_.bits) - 1
