"""Symbolic values for the compiler's view of a kernel: polynomials over atoms, compared
structurally.

In: expressions of the intermediate form and what variables hold. Out: `Form`s; two places have the
same value, or a constant distance, when their forms say so. Wrap-around is ignored: nvcc may assume
that signed indices do not overflow, and an unsigned index that wraps only makes two forms look
closer than they are. Never computes lane values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.types import Float, Integer, Pointer
from kernlint.optimizer.address_knowledge import (
    ANY,
    OPERATIONS,
    Knowledge,
    constant,
    multiple,
    plus,
    times,
)
from kernlint.optimizer.compiler_facts import WIDEST

Key = tuple[object, ...]
NONE_UNROLLED: Mapping[int, int] = {}
LANE_BUILTINS = ("tid", "laneid", "warpid")


@dataclass(frozen=True, slots=True)
class Form:
    """Σ coefficient · product of atoms + constant. Terms are sorted; an atom is a number in
    `Atoms`."""

    terms: tuple[tuple[tuple[int, ...], int], ...] = ()
    constant: int = 0

    def __add__(self, other: Form) -> Form:
        if not other.terms:
            return Form(self.terms, self.constant + other.constant) if other.constant else self
        if not self.terms:
            return Form(other.terms, self.constant + other.constant) if self.constant else other
        total = dict(self.terms)
        for monomial, coefficient in other.terms:
            total[monomial] = total.get(monomial, 0) + coefficient
        return Form(
            tuple(sorted((m, c) for m, c in total.items() if c)), self.constant + other.constant
        )

    def scaled(self, factor: int) -> Form:
        if factor == 1:
            return self
        return (
            Form(tuple((m, c * factor) for m, c in self.terms), self.constant * factor)
            if factor
            else Form()
        )

    def __sub__(self, other: Form) -> Form:
        return self + other.scaled(-1)

    def __mul__(self, other: Form) -> Form:
        if not other.terms:
            return self.scaled(other.constant)
        if not self.terms:
            return other.scaled(self.constant)
        result = self.scaled(other.constant)
        for monomial, coefficient in other.terms:
            moved = [(tuple(sorted((*m, *monomial))), c * coefficient) for m, c in self.terms]
            result = (
                result
                + Form(tuple(sorted(moved)))
                + Form(((monomial, coefficient * self.constant),) if self.constant else ())
            )
        return result

    def distance(self, other: Form) -> int | None:
        """self - other where it is a constant."""
        return self.constant - other.constant if self.terms == other.terms else None

    @property
    def value(self) -> int | None:
        return None if self.terms else self.constant


class Atoms:
    """Numbers opaque values: equal keys are equal values where what is `apart` is equal, too.
    Remembers the loops that each varies in, whether lanes may disagree on it, and whether it is
    made of what is `given` to the kernel: its sign is not known."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[Key, object], int] = {}
        self.keys: list[Key] = []
        self.apart: list[object] = []
        self.loops: list[frozenset[ir.Loop]] = []
        self.lanes: list[bool] = []
        self.given: list[bool] = []
        self.knowledge: dict[tuple[int, bool], Knowledge] = {}  # with and without hope
        self.deep = 0  # operations within each other that are asked at the moment

    def atom(
        self,
        key: Key,
        loops: frozenset[ir.Loop] = frozenset(),
        lanes: bool = False,
        apart: object = None,
    ) -> Form:
        number = self.numbers.get((key, apart))
        if number is None:
            number = self.numbers[key, apart] = len(self.keys)
            given = key[0] in GIVEN
            for part in key:
                if isinstance(part, Form):
                    loops, lanes, given = (
                        loops | self.varies(part),
                        lanes or self.by_lane(part),
                        given or self.is_given(part),
                    )
            self.keys.append(key)
            self.apart.append(apart)
            self.loops.append(loops)
            self.lanes.append(lanes)
            self.given.append(given)
        return Form((((number,), 1),))

    def is_given(self, form: Form) -> bool:
        return any(self.given[a] for monomial, _ in form.terms for a in monomial)

    def inside(self, form: Form) -> set[int]:
        return {a for monomial, _ in form.terms for a in monomial}

    def varies(self, form: Form) -> frozenset[ir.Loop]:
        found: frozenset[ir.Loop] = frozenset()
        for monomial, _ in form.terms:
            for a in monomial:
                if self.loops[a]:
                    found |= self.loops[a]
        return found

    def by_lane(self, form: Form) -> bool:
        for monomial, _ in form.terms:
            for a in monomial:
                if self.lanes[a]:
                    return True
        return False

    def base(self, form: Form) -> ir.MemoryObject | None:
        """The object that an address points into; None when it cannot be told."""
        found = [
            self.keys[m[0]][1]
            for m, c in form.terms
            if len(m) == 1 and c == 1 and self.keys[m[0]][0] == "object"
        ]
        return found[0] if len(found) == 1 and isinstance(found[0], ir.MemoryObject) else None

    def alignment(
        self, form: Form, unrolled: Mapping[int, int], base: int, hopeful: bool = False
    ) -> int:
        """The largest power of two (up to 16) that surely divides form - its constant, given how
        often loops are unrolled (iteration atom → factor) and the alignment of the object."""
        known = self.known(Form(form.terms), unrolled, base, hopeful)
        return min(known.alignment or WIDEST, WIDEST)

    def known(
        self,
        form: Form,
        unrolled: Mapping[int, int] = NONE_UNROLLED,
        base: int = 1,
        hopeful: bool = False,
    ) -> Knowledge:
        """What nvcc knows of a value.
        `hopeful`: where some copies of an unrolled loop know more, or nvcc may follow a pointer
        that is moved on in a loop within the loop, or low bits through masks, in a loop that moves
        the address on (its last turns load one by one what the others load as pairs: machine code
        of 189 kernels), and remainders."""
        moving = not hopeful and any(
            self.keys[a][0] == "iteration" for monomial, _ in form.terms for a in monomial
        )

        def of(a: int) -> Knowledge:
            key = self.keys[a]
            if key[0] == "object":
                return multiple(base)
            if hopeful and (self._periodic(a) or self._walked(a)):
                return multiple(WIDEST)
            own = ANY if moving and key[0] in CLEARED else self._known_atom(a, hopeful)
            return times(multiple(unrolled[a]), own) if a in unrolled else own

        return evaluated(form, of)

    def _known_atom(self, a: int, hopeful: bool) -> Knowledge:
        """Of `(t * 4) & 255` and `(t * 4) ^ 8` that four divides them (216 generated kernels)."""
        key = self.keys[a]
        if (inner := same_bits(key)) is not None:
            return self.known(inner, hopeful=hopeful)
        found = self.knowledge.get((a, hopeful))
        if found is not None or key[0] not in CLEARED[: 3 + hopeful] or self.deep >= DEEPEST:
            return found or ANY
        self.deep += 1
        parts = [self.known(part, hopeful=hopeful) for part in key[1:3] if isinstance(part, Form)]
        self.deep -= 1
        found = OPERATIONS[str(key[0])](*parts) if len(parts) == 2 else ANY
        self.knowledge[a, hopeful] = found
        return found

    def _walked(self, a: int) -> bool:
        """Whether it is a pointer that a loop carries on."""
        key = self.keys[a]
        return (
            key[0] == "carried"
            and isinstance(key[2], ir.Variable)
            and isinstance(key[2].type, Pointer)
        )

    def _periodic(self, a: int) -> bool:
        """Whether the copies of an unrolled loop may know its value: `k & 1`, `k % 4`."""
        key = self.keys[a]
        inside = {b for part in key if isinstance(part, Form) for b in self.inside(part)}
        loops = [self.keys[b][1] for b in inside if self.keys[b][0] == "iteration"]
        return (
            key[0] in ("&", "%")
            and len(loops) == len(inside) > 0
            and all(isinstance(x, ir.Loop) and x.unroll != 1 for x in loops)
        )

    def replaced(
        self, form: Form, loop: ir.Loop, swap: Callable[[int], Form | None], memory: dict[int, Form]
    ) -> Form:
        """`form` with every atom that varies in `loop` rebuilt; `swap` says what iteration counters
        and fresh values become."""
        result = Form((), form.constant)
        for monomial, coefficient in form.terms:
            product = Form((), coefficient)
            for a in monomial:
                product = product * self._replaced_atom(a, loop, swap, memory)
            result = result + product
        return result

    def _replaced_atom(
        self, a: int, loop: ir.Loop, swap: Callable[[int], Form | None], memory: dict[int, Form]
    ) -> Form:
        if loop not in self.loops[a]:
            return Form((((a,), 1),))
        if a not in memory:
            given, key = swap(a), self.keys[a]
            if given is None:
                parts = tuple(
                    self.replaced(p, loop, swap, memory) if isinstance(p, Form) else p for p in key
                )
                given = self.atom(
                    parts,
                    frozenset() if parts != key else self.loops[a],
                    self.lanes[a],
                    self.apart[a],
                )
            memory[a] = given
        return memory[a]


def evaluated(form: Form, of: Callable[[int], Knowledge] = lambda _: ANY) -> Knowledge:
    """What is known of a sum, `of` saying what is of its atoms."""
    total = constant(form.constant)
    for monomial, coefficient in form.terms:
        product = constant(coefficient)
        for a in monomial:
            product = times(product, of(a))
        total = plus(total, product)
    return total


def same_bits(key: Key) -> Form | None:
    """What a value has the bits of; None for others."""
    return (
        key[3]
        if key[0] == "unknown"
        and key[2] == ir.SAME_BITS
        and len(key) == 5
        and isinstance(key[3], Form)
        else None
    )


def atoms_apart(one: Form, other: Form) -> tuple[int, int] | None:
    """The two atoms that forms differ in."""
    mine, theirs = set(one.terms) - set(other.terms), set(other.terms) - set(one.terms)
    if len(mine) != 1 or len(theirs) != 1 or one.constant != other.constant:
        return None
    (m, c), (n, d) = mine.pop(), theirs.pop()
    return (m[0], n[0]) if len(m) == len(n) == 1 and c == d else None


def parts_apart(atoms: Atoms, pair: tuple[int, int]) -> tuple[Form, Form] | None:
    """The operands in which two equal operations differ."""
    one, other = (atoms.keys[a] for a in pair)
    if one[0] != other[0] or len(one) != len(other):
        return None
    for key in (other, (other[0], *reversed(other[1:]))) if one[0] in EITHER_WAY else (other,):
        differing = [(x, y) for x, y in zip(one, key, strict=True) if x != y]
        if len(differing) == 1:
            x, y = differing[0]
            return (x, y) if isinstance(x, Form) and isinstance(y, Form) else None
    return None


def _quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


FOLDS: dict[str, Callable[[int, int], int]] = {
    "/": _quotient, "%": lambda a, b: a - b * _quotient(a, b), "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b, "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b), "<=": lambda a, b: int(a <= b), ">": lambda a, b: int(a > b), ">=": lambda a, b: int(a >= b),
    "&&": lambda a, b: int(bool(a) and bool(b)), "||": lambda a, b: int(bool(a) or bool(b)), "min": min, "max": max,
}  # fmt: skip


GIVEN = ("load", "unknown", "exchange", "atomic", "variable")
SIGNED = (
    "/",
    "%",
    ">>",
    "<",
    "<=",
    ">",
    ">=",
    "min",
    "max",
)  # what depends on whether its operands are signed
BY_BITS = ("&", "|", "^")
EITHER_WAY = ("+", "*", "min", "max", *BY_BITS)
DEEPEST = 16  # operations on bits within each other: random numbers and hashes have thousands
CLEARED = (
    *BY_BITS,
    "%",
)  # whose low bits are clear where those of what they are made of are; of the last it depends on its sign
BITWISE = (*BY_BITS, "~")  # what has bits of its result made of the same bits of its operands
HALF = 1 << 32  # what a factor of 64 bits leaves of the high half: nothing
CHOSEN = ("select", "join")
LOOPED = ("carried", "after")  # what an iteration begins with, and what a loop leaves
HALVED = (
    *CHOSEN,
    *LOOPED,
    "exchange",
    "<<",
)  # what is made of 64 bits in halves, with the bitwise operations
# of a sum that are kept apart: rounds of a hash add to what they added before, thousands of times
MOST_TERMS = 32
NEUTRAL: dict[str, tuple[int, ...]] = {"|": (0,), "^": (0,), ">>": (0,), "/": (1,), "&": (-1,)}


def form_of(e: ir.Expression, held: Mapping[ir.Variable, Form], atoms: Atoms) -> Form:
    """The form of an expression's value."""
    match e:
        case ir.Constant():
            return Form((), e.value) if isinstance(e.value, int) else atoms.atom(("float", e.value))
        case ir.Read():
            return held.get(e.variable) or (
                Form() if e.variable in held else atoms.atom(("variable", e.variable))
            )
        case ir.Builtin():
            return atoms.atom(("builtin", e.name), lanes=e.name.startswith(LANE_BUILTINS))
        case ir.Address():
            return atoms.atom(("object", e.object))
        case ir.Binary():
            return _binary(e, form_of(e.left, held, atoms), form_of(e.right, held, atoms), atoms)
        case ir.Unary():
            inner = form_of(e.operand, held, atoms)
            known = inner.value
            if e.op == "-" and not isinstance(e.type, Float):
                return inner.scaled(-1)
            return (
                Form((), int(not known) if e.op == "!" else ~known)
                if known is not None
                else atoms.atom((e.op, inner))
            )
        case ir.Convert():
            return _convert(e, form_of(e.operand, held, atoms), atoms)
        case ir.Select():
            parts = [form_of(x, held, atoms) for x in (e.condition, e.then, e.otherwise)]
            return parts[1] if parts[1] == parts[2] else atoms.atom(("select", *parts))
        case ir.Call():
            parts = [form_of(x, held, atoms) for x in e.arguments]
            given = any(map(atoms.is_given, parts))
            return atoms.atom(
                ("call", e.name, *parts),
                apart=(e.type, *(x.type for x in e.arguments)) if given else None,
            )
        case ir.Unknown():
            parts = [form_of(x, held, atoms) for x in e.operands]
            apart = (e.type, e.apart) if e.what else e
            return atoms.atom(
                ("unknown", e.reason, e.what, *parts, None if e.pure else e),
                lanes=not e.pure,
                apart=apart,
            )
    return atoms.atom(("expression", e), lanes=True)


def _binary(e: ir.Binary, left: Form, right: Form, atoms: Atoms) -> Form:
    if isinstance(e.type, Float) or isinstance(e.left.type, Float):
        return atoms.atom((e.op, left, right))
    a, b = left.value, right.value
    if e.op in ("+", "-"):
        total = left + right if e.op == "+" else left - right
        return (
            total
            if len(total.terms) <= MOST_TERMS or atoms.base(total) is not None
            else atoms.atom((e.op, left, right))
        )
    if e.op == "*":
        return left * right
    op, b = _without_division(e, b)
    right = Form((), b) if b is not None else right
    if (
        a is not None
        and b is not None
        and not (op in ("/", "%") and b == 0)
        and not (op in ("<<", ">>") and not 0 <= b < 64)
    ):
        return Form((), FOLDS[op](a, b))
    if op == "<<" and b is not None and 0 <= b < 64:
        return left.scaled(1 << b)
    if b in NEUTRAL.get(op, ()):
        return left
    if a == 0 and op in ("&", "%", "/", ">>"):
        return Form()
    if op in ("&", "%") and (b == 0 if op == "&" else b in (1, -1)):
        return Form()
    if (
        op == "|"
        and b is not None
        and 0 < b < min(atoms.known(left, base=WIDEST).alignment, WIDEST)
    ):
        return left + right  # the bits of the constant are free
    return atoms.atom((op, left, right), apart=_apart(e, left, right, atoms))


def _apart(e: ir.Binary, left: Form, right: Form, atoms: Atoms) -> object:
    """What tells operations on the same values apart: signs and widths, where the values may be
    negative or do not fit."""
    if not isinstance(e.left.type, Integer) or not (atoms.is_given(left) or atoms.is_given(right)):
        return None
    wide = any(len(monomial) > 1 for form in (left, right) for monomial, _ in form.terms)
    return (
        (e.left.type.signed, e.left.type.bits)
        if e.op in SIGNED
        else e.left.type.bits
        if wide
        else None
    )


def _without_division(e: ir.Binary, b: int | None) -> tuple[str, int | None]:
    """Unsigned division by a power of two as LLVM writes it: a shift, or a mask of the bits that
    are left."""
    if b is None or b <= 0 or b & (b - 1) or not isinstance(e.type, Integer) or e.type.signed:
        return e.op, b
    return {"/": (">>", b.bit_length() - 1), "%": ("&", b - 1)}.get(e.op, (e.op, b))


def _convert(e: ir.Convert, inner: Form, atoms: Atoms) -> Form:
    source, target = e.operand.type, e.type
    if (
        isinstance(target, Integer)
        and target.is_bool
        and isinstance(source, Integer)
        and (known := inner.value) is not None
    ):
        return Form((), int(known != 0))
    if isinstance(source, Float) != isinstance(target, Float) or (
        isinstance(target, Integer) and target.is_bool
    ):
        return atoms.atom(("convert", str(target), inner))
    if not (isinstance(target, Integer) and isinstance(source, Integer)):
        return inner
    if target.bits == source.bits and target.signed != source.signed and atoms.is_given(inner):
        return atoms.atom(("unknown", "float-value", ir.SAME_BITS, inner, None), apart=(target, ""))
    if target.bits >= source.bits:
        return inner
    kinds = {atoms.keys[a][0] for a in atoms.inside(inner)}
    alone = len(inner.terms) == 1 and not kinds.isdisjoint(("load", "unknown", *BITWISE, *CHOSEN))
    if (
        alone
        or (target.bits < 32 and inner.terms)  # `(unsigned char)threadIdx.x` drops bits
        or {"load", "carried"} <= kinds
        or (source.bits == 64 and not kinds.isdisjoint(("load", "unknown", *BITWISE, *HALVED)))
    ):
        return atoms.atom(("narrow", str(target), inner))
    return inner
