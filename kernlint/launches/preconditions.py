"""What a kernel's own text says of the launches it is written for.

    assert(blockDim.x == 64);     if (n % 4 != 0) return;     __builtin_assume(n > 0);
    if (gridDim.y != 1) __builtin_unreachable();     __requires(n == 1024);

In: a lowered kernel. Out: the conditions on sizes and integer arguments that every launch which
does the kernel's work meets, and launches narrowed to them where nothing else decides. Only
conditions that each thread evaluates at the start of the kernel's own statements count, not those
inside loops and branches. A launch that contradicts one stays as it is: it may be a mistake, or the
case that the condition is there for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from kernlint.base.dataclass import dataclass, replace
from kernlint.base.relations import MIRRORED
from kernlint.base.span import Span
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import targets, walk
from kernlint.ir.types import Integer
from kernlint.launches.assumptions import SIZES, holds, narrowed
from kernlint.launches.likely_block import MOST, WARP, builtins_used
from kernlint.model.facts import ArgumentFact, Launch
from kernlint.source.directives import Assumption

AXES = {
    **{f"ntid.{axis}": f"blockDim.{axis}" for axis in "xyz"},
    **{f"nctaid.{axis}": f"gridDim.{axis}" for axis in "xyz"},
}
ORIGIN = "conditions in the kernel"  # of a launch whose grid they fix
INVERSE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
QUIET = (ir.Assign, ir.Load, ir.Taken, ir.Leave, ir.Trap)  # of a side that only turns away


@dataclass(frozen=True, slots=True)
class Precondition:
    """An expression that is `holds` (true or false) wherever the kernel does its work. `sure`: the
    source says so; a return under a condition may also be a small case that is done with."""

    expression: ir.Expression
    holds: bool
    span: Span
    sure: bool


def preconditions(kernel: ir.Kernel) -> tuple[Assumption, ...]:
    """On sizes and integer arguments, in the order of the source."""
    reader = _Reader(kernel)
    return tuple(found for c in _conditions(kernel) for found in reader.facts(c))


def _conditions(kernel: ir.Kernel) -> Iterator[Precondition]:
    for s in _straight(kernel.body):
        if isinstance(s, ir.Assume):
            yield Precondition(s.condition, True, s.span, True)
        elif isinstance(s, ir.If):
            for side, other, holds in ((s.then, s.otherwise, False), (s.otherwise, s.then, True)):
                if side and not other and (ends := _turns_away(side, kernel.label)):
                    yield Precondition(s.condition, holds, s.site.span, ends == "trap")


def _straight(body: ir.Body) -> Iterator[ir.Statement]:
    """The statements that every thread comes to unless it has left before, those of inlined calls
    too, up to the first that lanes may leave from to the call's end."""
    for s in body:
        if isinstance(s, ir.Region):
            for inner in _straight(s.body):
                if any(isinstance(x, ir.Leave) and x.label is s.label for x in walk((inner,))):
                    break
                yield inner
        else:
            yield s


def _turns_away(side: ir.Body, label: ir.Label) -> str:
    """How a side of a branch ends the kernel without doing any of its work: "trap", "return" or
    ""."""
    if isinstance(side[-1], ir.Trap):
        return "trap"
    quiet = all(isinstance(s, QUIET) for s in side)
    leaves = isinstance(side[-1], ir.Leave) and side[-1].label is label
    return "return" if quiet and leaves else ""


class _Reader:
    """Conditions as relations between a name and a number."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.opencl = kernel.language == "opencl"
        self.names = {
            p.variable: p.name for p in kernel.parameters if isinstance(p.variable.type, Integer)
        }
        self.made: dict[ir.Variable, list[ir.Statement]] = {}
        for s in walk(kernel.body):
            for variable in targets(s):
                self.made.setdefault(variable, []).append(s)

    def facts(self, c: Precondition) -> Iterator[Assumption]:
        e, both = c.expression, "&&" if c.holds else "||"
        match e:
            case ir.Unary(op="!"):
                yield from self.facts(replace(c, expression=e.operand, holds=not c.holds))
            case ir.Binary() if e.op == both:
                for side in (e.left, e.right):
                    yield from self.facts(replace(c, expression=side))
            case ir.Binary() if e.op in INVERSE:
                relation = e.op if c.holds else INVERSE[e.op]
                yield from self._related(e.left, relation, e.right, c)
            case ir.Convert() if isinstance(e.operand, ir.Binary) and e.operand.op in INVERSE:
                yield from self.facts(replace(c, expression=e.operand))
            case ir.Convert() | ir.Read() if isinstance(e.type, Integer):
                zero = ir.Constant(e.type, 0)
                yield from self._related(e, "!=" if c.holds else "==", zero, c)

    def _related(
        self, left: ir.Expression, relation: str, right: ir.Expression, c: Precondition
    ) -> Iterator[Assumption]:
        value = self._constant(right)
        if value is None:
            left, value, relation = right, self._constant(left), MIRRORED[relation]
        if value is None:
            return
        rest = self._value(left)
        if isinstance(rest, ir.Binary) and rest.op in ("%", "&"):
            modulus = self._constant(rest.right)
            name = self._name(rest.left)
            if rest.op == "&" and modulus is not None:
                modulus = modulus + 1 if modulus & (modulus + 1) == 0 else None
            is_rest = modulus is not None and 0 <= value < modulus
            if name and relation == "==" and is_rest:
                text = f"{self._said(name)} % {modulus} == {value}"
                yield Assumption(c.span, text, name, "==", value, modulus)
            return
        name = self._name(rest)
        telling = c.sure or relation == "==" or name in SIZES
        if name and telling:
            yield Assumption(
                c.span, f"{self._said(name)} {relation} {value}", name, relation, value
            )

    def _value(self, e: ir.Expression) -> ir.Expression:
        """Behind conversions and variables that are assigned once."""
        while True:
            if isinstance(e, ir.Convert) and isinstance(e.type, Integer):
                e = e.operand
            elif isinstance(e, ir.Read) and e.variable not in self.names:
                made = self.made.get(e.variable, ())
                if len(made) != 1 or not isinstance(made[0], ir.Assign):
                    return e
                e = made[0].value
            else:
                return e

    def _constant(self, e: ir.Expression) -> int | None:
        value = self._value(e)
        is_integer = isinstance(value, ir.Constant) and isinstance(value.value, int)
        return int(value.value) if is_integer and isinstance(value, ir.Constant) else None

    def _name(self, e: ir.Expression) -> str:
        """Of a size or of an argument that nothing assigns; "" for others."""
        value = self._value(e)
        if isinstance(value, ir.Builtin):
            return AXES.get(value.name, "")
        is_argument = isinstance(value, ir.Read) and value.variable not in self.made
        return (
            self.names.get(value.variable, "") if is_argument and isinstance(value, ir.Read) else ""
        )

    def _said(self, name: str) -> str:
        """As the kernel's language calls it."""
        if not self.opencl or name not in SIZES:
            return name
        what, axis = SIZES[name]
        return f"{'get_local_size' if what == 'blockDim' else 'get_num_groups'}({axis})"


# ------------------------------------------------------------------ launches


def met(launch: Launch, kernel: ir.Kernel) -> tuple[Launch, str]:
    """The launch, whose block is a likely one where nobody gives it, as the kernel's conditions
    want it, and what decides a block that is still assumed, in words."""
    facts, why = preconditions(kernel), ""
    if launch.block_assumed:
        launch, why = _blocked(launch, facts, kernel)
    if launch.grid is None and not launch.block_assumed:
        launch = _gridded(launch, facts, kernel)
    return _given(launch, facts), why


def _dimensions(kernel: ir.Kernel, what: str) -> int:
    used = builtins_used(kernel)
    return max((axis for axis in (1, 2, 3) if f"{what}.{'xyz'[axis - 1]}" in used), default=1)


def _fixed(facts: tuple[Assumption, ...], what: str) -> Mapping[int, Assumption]:
    """By axis, what says the one size."""
    equal = (f for f in _of(facts, what) if f.relation == "==" and f.modulus is None)
    return {SIZES[f.name][1]: f for f in equal if f.value > 0}


def _of(facts: tuple[Assumption, ...], what: str) -> list[Assumption]:
    """Those on `blockDim` or `gridDim`."""
    return [f for f in facts if f.name in SIZES and SIZES[f.name][0] == what]


def _blocked(
    launch: Launch, facts: tuple[Assumption, ...], kernel: ir.Kernel
) -> tuple[Launch, str]:
    own = _of(facts, "blockDim")
    if not own:
        return launch, ""
    sizes = [
        _nearest(launch.block[axis], [f for f in own if SIZES[f.name][1] == axis])
        for axis in range(3)
    ]
    free = {0, 1, 2} - {SIZES[f.name][1] for f in own}
    while prod(sizes) > MOST and max((sizes[axis] for axis in free), default=1) > 1:
        largest = max(free, key=lambda axis: sizes[axis])
        sizes[largest] //= 2
    if prod(sizes) > MOST:
        return launch, ""
    where = f"`{own[0].text}` in the kernel"
    dimensions = _dimensions(kernel, "tid")
    known = all(axis in _fixed(facts, "blockDim") for axis in range(dimensions))
    x, y, z = sizes
    if not known:
        return replace(launch, block=(x, y, z)), where
    return replace(launch, block=(x, y, z), block_assumed=False, block_origin=where), ""


def _nearest(size: int, facts: list[Assumption]) -> int:
    """The size nearest to a likely one that meets all facts, in whole warps where that one is."""
    fitting = [n for n in range(1, MOST + 1) if all(holds(f, n) for f in facts)]
    whole = size % WARP == 0
    return min(fitting, key=lambda n: (whole and n % WARP != 0, abs(n - size)), default=size)


def _gridded(launch: Launch, facts: tuple[Assumption, ...], kernel: ir.Kernel) -> Launch:
    fixed = _fixed(facts, "gridDim")
    if not fixed or not all(axis in fixed for axis in range(_dimensions(kernel, "ctaid"))):
        return launch
    x, y, z = (fixed[axis].value if axis in fixed else 1 for axis in range(3))
    shared = None if launch.dynamic_shared_reason else launch.dynamic_shared_bytes or 0
    return replace(launch, grid=(x, y, z), origin=ORIGIN, dynamic_shared_bytes=shared)


def _given(launch: Launch, facts: tuple[Assumption, ...]) -> Launch:
    """With what is said of arguments whose values are not known; what contradicts a directive is
    left out."""
    stated = {fact.name: fact for fact in launch.stated}
    for fact in facts:
        if fact.name in SIZES or fact.name in launch.arguments:
            continue
        after = narrowed(stated.get(fact.name, ArgumentFact(fact.name)), fact)
        if after is not None:
            stated[fact.name] = after
    equal = {f.name: f.low for f in stated.values() if f.low is not None and f.low == f.high}
    return replace(launch, arguments={**launch.arguments, **equal}, stated=tuple(stated.values()))
