"""Expressions to operations: sums of products, computed once, as far outside of loops as their
operands allow.

In: expressions of the intermediate form under the values of variables. Out: `Form`s (a constant and
terms) and the operations they need, appended to the items being built. Never looks at executions or
times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from kernlint.base.dataclass import dataclass
from kernlint.estimate import costs
from kernlint.estimate.costs import Cost
from kernlint.estimate.graph import ANY, CONSTANT, COPY, STEADY, Cycle, Item, Node, Op, Phi, Place
from kernlint.ir import nodes as ir
from kernlint.ir.types import Float, Integer, Type

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """constant + the sum of coefficient times node. A floating-point value is one node, a
    floating-point constant none."""

    constant: float = 0
    terms: tuple[tuple[Node, int], ...] = ()

    @staticmethod
    def of(node: Node | None) -> Form:
        return Form(0, ((node, 1),)) if node is not None else Form()


@dataclass(slots=True)
class LoopFrame:
    """A loop being built, or the whole kernel: where the operations around it go, and from which
    scope on equal ones are its own."""

    items: list[Item]
    cycle: Cycle | None
    first_scope: int


class Expressions:
    def __init__(self, kernel: ir.Kernel) -> None:
        self.environment: dict[ir.Variable, Form] = {}
        self.owner: ir.Statement | None = None
        self.start: list[Item] = []
        self.items = self.start
        self.frames = [LoopFrame(self.items, None, 0)]
        self.scopes: list[dict[object, Node]] = [{}]
        self.roots: dict[object, Op] = {}
        self.parameters = {p.variable for p in kernel.parameters}

    # ------------------------------------------------------------ where operations go

    @contextmanager
    def scope(self, items: list[Item]) -> Iterator[None]:
        """One side of a branch: what it computes is not known after it."""
        outer, self.items = self.items, items
        self.scopes.append({})
        yield
        self.scopes.pop()
        self.items = outer

    def enter(self, cycle: Cycle) -> None:
        self.frames.append(LoopFrame(self.items, cycle, len(self.scopes)))
        self.scopes.append({})
        self.items = cycle.body

    def leave(self) -> None:
        frame = self.frames.pop()
        del self.scopes[frame.first_scope :]
        self.items = frame.items
        assert frame.cycle is not None
        self.items.append(frame.cycle)

    @property
    def level(self) -> int:
        return len(self.frames) - 1

    def effect(
        self,
        deps: Iterable[Node | None],
        cost: Cost,
        kind: str,
        site: ir.AccessSite | None = None,
        place: Place | None = None,
    ) -> Op:
        """Something that stays where it is."""
        op = Op(
            self.level,
            _present(deps),
            cost=cost,
            owner=self.owner,
            kind=kind,
            site=site,
            place=place,
        )
        self.items.append(op)
        return op

    def compute(
        self,
        key: object,
        deps: Iterable[Node | None],
        cost: Cost,
        moves: str = ANY,
        product: bool = False,
    ) -> Node:
        """A pure operation, once for equal keys, before the outermost loop that it does not change
        in."""
        for scope in reversed(self.scopes):
            if key in scope:
                return scope[key]
        given = _present(deps)
        if given and all(d.moves == COPY for d in given):
            cost, moves = costs.FREE, COPY
        level = min(self.level, max((d.level for d in given), default=0))
        op = Op(level, given, moves if level else ANY, cost=cost, owner=self.owner, product=product)
        if level == self.level:
            self.items.append(op)
            self.scopes[-1][key] = op
            return op
        frame = self.frames[level + 1]
        assert frame.cycle is not None
        op.owner = frame.cycle.statement
        frame.cycle.before.append(op)
        self.scopes[frame.first_scope - 1][key] = op
        return op

    def root(self, key: object, cost: Cost) -> Node:
        """A value known from the start: an index of the thread or block, a parameter. Executes once
        per warp, first of all."""
        if key not in self.roots:
            self.roots[key] = Op(0, cost=cost)
        return self.roots[key]

    def phi(self, cycle: Cycle, start: Form, moves: str) -> Phi:
        made = Phi(self.level, _present((self.node(start),)), moves)
        cycle.phis.append(made)
        return made

    # ------------------------------------------------------------ values in registers

    def settled(self, form: Form) -> Form:
        """The form with its terms added up, so that the sum is computed once."""
        return (
            form
            if len(form.terms) < 2
            else Form(form.constant, ((self._sum(form.terms, False), 1),))
        )

    def node(self, form: Form) -> Node | None:
        """The value in a register; None for a constant."""
        if not form.terms:
            return None
        whole = self._sum(form.terms, False)
        if form.constant:
            return self.compute(
                ("add", whole, form.constant), (whole,), costs.INTEGER["+"], whole.moves
            )
        return whole

    def value(self, e: ir.Expression) -> Node | None:
        return self.node(self.form(e))

    def address(self, e: ir.Expression, wide: bool) -> tuple[Node | None, float]:
        """An address of 64 (`wide`) or 32 bits, and its constant part, which is free."""
        form = self.form(e)
        return self._sum(form.terms, wide) if form.terms else None, form.constant

    def _sum(self, terms: tuple[tuple[Node, int], ...], wide: bool) -> Node:
        """The sum of terms, what changes less often first."""
        if len(terms) == 1 and terms[0][1] == 1:
            return terms[0][0]
        key = ("sum", frozenset(terms), wide)
        level = max(n.level for n, _ in terms)
        moving = tuple(t for t in terms if t[0].level == level)
        still = tuple(t for t in terms if t[0].level < level)
        moves = _together(n.moves for n, _ in moving)
        if still and len(still) < len(terms) and (len(still) > 1 or moves):
            base = self._sum(still, wide)
            cost = self._step(moving, level, moves, wide)
            return self.compute(
                key, (base, *(n for n, _ in moving)), cost, CONSTANT if moves == COPY else moves
            )
        if moves:
            return self.compute(
                key, (n for n, _ in moving), self._step(moving, level, moves, wide), moves
            )
        for node, _ in terms:
            _take_in(node, level)
        count = max(len(terms) - 1, sum(factor != 1 for _, factor in terms))
        return self.compute(key, (n for n, _ in terms), costs.cost(count, costs.IMAD), moves)

    def _step(
        self, moving: tuple[tuple[Node, int], ...], level: int, moves: str, wide: bool
    ) -> Cost:
        """What an iteration adds to a sum that has its invariant part: nothing where copies differ
        by constants, one running pointer, or each of the terms."""
        words = 2.0 if wide else 1.0
        cycle = self.frames[level].cycle if level < len(self.frames) else None
        if moves in (COPY, CONSTANT) and cycle is not None:
            return Cost(words / cycle.unroll if cycle.unroll else 0.0, costs.ALU, 0.0)
        if moves:
            return Cost(words, costs.ALU, 0.0)
        for node, _ in moving:
            _take_in(node, level)
        return costs.cost(len(moving), costs.IMAD)

    # ------------------------------------------------------------ expressions

    def form(self, e: ir.Expression) -> Form:
        match e:
            case ir.Constant():
                return Form(
                    e.value if isinstance(e.value, int) and not isinstance(e.type, Float) else 0
                )
            case ir.Read():
                if e.variable in self.environment:
                    return self.environment[e.variable]
                return (
                    Form.of(self.root(e.variable, costs.CONSTANT_BANK))
                    if e.variable in self.parameters
                    else Form()
                )
            case ir.Builtin():
                known = e.name.startswith(("ntid", "nctaid", "goffset", "warpsize", "dynamic"))
                return Form.of(self.root(e.name, costs.CONSTANT_BANK if known else costs.SPECIAL))
            case ir.Address():
                return (
                    Form()
                    if e.object.space in ("shared", "local")
                    else Form.of(self.root(e.object, costs.CONSTANT_BANK))
                )
            case ir.Convert():
                return self._converted(e)
            case ir.Unary():
                return self._unary(e)
            case ir.Binary():
                return self._binary(e)
            case ir.Select():
                nodes = [self.value(x) for x in (e.condition, e.then, e.otherwise)]
                return Form.of(self.compute(("select", *nodes), nodes, costs.SELECT))
            case ir.Call():
                nodes = [self.value(x) for x in e.arguments]
                return Form.of(self.compute((e.name, *nodes), nodes, _of_call(e)))
            case ir.Unknown():
                nodes = [self.value(x) for x in e.operands]
                return Form.of(
                    self.compute(("unknown", e.what, *nodes) if e.pure else e, nodes, costs.FEW)
                )
        return Form()

    def _converted(self, e: ir.Convert) -> Form:
        inner = self.form(e.operand)
        if (
            isinstance(e.type, Float) == isinstance(e.operand.type, Float)
            and e.type.size == e.operand.type.size
        ):
            return inner
        if not isinstance(e.type, Float) and not isinstance(e.operand.type, Float):
            narrow = isinstance(e.type, Integer) and not e.type.is_bool and e.type.bits < 32
            if not narrow or not inner.terms or (e.operand.type.size or 8) <= (e.type.size or 8):
                return inner
            node = self.node(inner)
            return Form.of(
                self.compute(("narrow", e.type, node), (node,), costs.cost(1, costs.ALU))
            )
        node = self.node(inner)
        return (
            Form.of(self.compute(("convert", str(e.type), node), (node,), costs.CONVERSION))
            if node is not None
            else Form()
        )

    def _unary(self, e: ir.Unary) -> Form:
        inner = self.form(e.operand)
        if e.op == "-" and not isinstance(e.type, Float):
            return Form(-inner.constant, tuple((n, -f) for n, f in inner.terms))
        if e.op in ("-", "!"):
            return inner  # a modifier of whatever uses it
        node = self.node(inner)
        return Form.of(self.compute((e.op, node), (node,), costs.cost(1, costs.ALU)))

    def _binary(self, e: ir.Binary) -> Form:
        left, right = self.form(e.left), self.form(e.right)
        kind = e.left.type
        if not isinstance(kind, Float):
            linear = _linear(e.op, left, right)
            if linear is not None:
                return linear
        if e.op in ("&&", "||"):
            nodes = (self.node(left), self.node(right))
            return Form.of(self.compute((e.op, *nodes), nodes, costs.FREE))
        nodes = (self._operand(left, e.op), self._operand(right, e.op))
        if nodes == (None, None) and not isinstance(kind, Float):
            return Form()
        key = (
            e.op,
            str(kind),
            *nodes,
            left.constant if nodes[0] is None else 0,
            right.constant if nodes[1] is None else 0,
        )
        if isinstance(kind, Float) and e.op in ("+", "-"):
            for node in nodes:
                if node is not None and node.level == max(n.level for n in nodes if n is not None):
                    _take_in(node, node.level)
        return Form.of(self.compute(key, nodes, _of_binary(e.op, kind, right), ANY, e.op == "*"))

    def _operand(self, form: Form, op: str) -> Node | None:
        """A comparison takes a constant into its own instruction."""
        if op in COMPARISONS and form.terms:
            return self._sum(form.terms, False)
        return self.node(form)


def _linear(op: str, left: Form, right: Form) -> Form | None:
    """Sums, differences and products with constants of integers; None for what is no sum of
    terms."""
    if op in ("+", "-"):
        sign = 1 if op == "+" else -1
        terms: dict[Node, int] = {}
        for node, factor in (*left.terms, *((n, sign * f) for n, f in right.terms)):
            terms[node] = terms.get(node, 0) + factor
        return Form(
            left.constant + sign * right.constant, tuple((n, f) for n, f in terms.items() if f)
        )
    if op == "*" and not (left.terms and right.terms):
        scaled, by = (left, right.constant) if not right.terms else (right, left.constant)
        return Form(
            scaled.constant * by, tuple((n, int(f * by)) for n, f in scaled.terms) if by else ()
        )
    if op == "<<" and not right.terms and 0 <= right.constant < 64:
        by = 1 << int(right.constant)
        return Form(left.constant * by, tuple((n, f * by) for n, f in left.terms))
    return None


def _of_binary(op: str, kind: Type, right: Form) -> Cost:
    if isinstance(kind, Float):
        return (costs.DOUBLE if kind.bits == 64 else costs.FLOAT).get(op, costs.FEW)
    signed = isinstance(kind, Integer) and kind.signed
    name = op if signed or op not in ("/", "%") else f"u{op}"
    wide = isinstance(kind, Integer) and kind.bits > 32
    if op in ("/", "%") and not right.terms:
        by = int(right.constant)
        if by > 0 and by & (by - 1) == 0:
            found = costs.BY_POWER_OF_TWO[name]
            return replace(found, count=2 * found.count) if wide else found
        return costs.LONG_BY_CONSTANT if wide else costs.BY_CONSTANT[name]
    table: Mapping[str, Cost] = costs.LONG if wide else costs.INTEGER
    return table.get(name, costs.FEW)


def _of_call(e: ir.Call) -> Cost:
    plain = e.name.removeprefix("native_").removeprefix("half_")
    spelled = (e.name, plain, plain.removesuffix("f"))  # `fdividef` is `fdivide` of floats
    found = next((costs.CALLS[name] for name in spelled if name in costs.CALLS), None)
    first = e.arguments[0].type if e.arguments else e.type
    if found is None:
        found = costs.cost(1, costs.FMA) if isinstance(e.type, Float) else costs.FEW
    if isinstance(first, Float) and first.bits == 64 and found.count > 1:
        return Cost(
            costs.SOFTWARE_DOUBLE * found.count, costs.FP64, costs.SOFTWARE_DOUBLE * found.latency
        )
    return found


def _take_in(node: Node, level: int) -> None:
    """A product that a sum of the same loop takes in costs nothing of its own."""
    if isinstance(node, Op) and node.product and node.level == level:
        node.product = False
        node.cost = costs.FREE


def _together(moves: Iterable[str]) -> str:
    """How a sum changes from iteration to iteration."""
    found = set(moves)
    return ANY if not found else next(how for how in (ANY, STEADY, CONSTANT, COPY) if how in found)


def _present(nodes: Iterable[Node | None]) -> tuple[Node, ...]:
    return tuple(n for n in nodes if n is not None)
