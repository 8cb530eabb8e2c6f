"""Addresses at sample points: what nvcc could at best know of two of them (random interpretation).

In: forms, and the path of an access. Out: `View`, a table of values at points that satisfy the
conditions of the path. What differs at one point nvcc cannot take to be equal; what agrees at all
of them it may, whatever it is written as. A value of which nvcc may know more than its form says
(a call's, a variable's that a loop carries on) is a multiple of 4,096: as aligned as can be.
Never proves that nvcc does know: that is the lattice's part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from kernlint.base.dataclass import dataclass, field, replace
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk_expression
from kernlint.ir.types import Integer
from kernlint.optimizer.address_knowledge import constant, join, multiple
from kernlint.optimizer.compiler_facts import WIDEST
from kernlint.optimizer.compiler_forms import Atoms, Form, Key, same_bits
from kernlint.optimizer.compiler_implied import EQUAL, Known
from kernlint.optimizer.compiler_state import Path, Step, common
from kernlint.optimizer.shared_layout import Layout

Column = NDArray[np.int64]  # one value a point
Terms = tuple[tuple[tuple[int, ...], int], ...]
POINTS = 240  # a multiple of the numbers of layouts: 1, 2, 3, 4, 6, 8
FEWEST = 16  # points that say whether a distance is constant
SEED = 1729
LARGEST = 1 << 62  # number that is drawn, exclusive
BLOCK = (1024, 1024, 64)  # threads of a block along x, y and z, at most
LARGE = 1 << 16  # blocks, iterations, arguments: most samples are far smaller
LOADED = 1 << 7  # so small that a mask which nvcc may know to be needless is one here, too
GENEROUS = 12  # low bits that are clear in a value of which nvcc may know more than kernlint does
BITS = {
    "bool": 1,
    "char": 8,
    "signed char": 8,
    "unsigned char": 8,
    "short": 16,
    "unsigned short": 16,
}
ORDERED = ("<", "<=", ">", ">=")
SIDES = (*ORDERED, "==", "!=")
COMPARED = (*SIDES, "&&", "||")
TESTS = (*COMPARED, "!")


def _rest(a: Column, b: Column) -> Column:
    """As in C: with the sign of `a`."""
    left: Column = np.fmod(a, np.where(b == 0, 1, b))
    return left


def _quotient(a: Column, b: Column) -> Column:
    with np.errstate(over="ignore"):  # the least number by -1, which C leaves undefined
        whole: Column = (a - _rest(a, b)) // np.where(b == 0, 1, b)
    return whole


def _flag(test: Callable[[Column, Column], object]) -> Callable[[Column, Column], Column]:
    return lambda a, b: np.asarray(test(a, b)).astype(np.int64)


OPERATIONS: dict[object, Callable[[Column, Column], Column]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _quotient,
    "%": _rest,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "<<": lambda a, b: np.left_shift(a, b & 63),
    ">>": lambda a, b: np.right_shift(a, b & 63),
    "min": np.minimum,
    "max": np.maximum,
    "==": _flag(np.equal),
    "!=": _flag(np.not_equal),
    "<": _flag(np.less),
    "<=": _flag(np.less_equal),
    ">": _flag(np.greater),
    ">=": _flag(np.greater_equal),
    "&&": _flag(lambda a, b: (a != 0) & (b != 0)),
    "||": _flag(lambda a, b: (a != 0) | (b != 0)),
}


@dataclass(frozen=True, slots=True)
class View:
    """The points that satisfy a path's conditions. `solved`: atoms that an equality on the path
    makes another value."""

    samples: Samples
    path: Path
    solved: dict[int, Form]
    columns: dict[int, Column]
    chosen: Column  # indices of the points
    shapes: dict[Terms, tuple[int, ...]]
    blocks: dict[tuple[Terms, int, int, int], bool] = field(default_factory=dict)

    def values(self, form: Form) -> Column:
        """The form's values at the chosen points."""
        return self.samples.values(form, self)[self.chosen]

    def distance(self, one: Form, other: Form) -> int | None:
        """`one` less `other` where that is the same at all points; None where it is not."""
        left, right = self.samples.shape(one, self), self.samples.shape(other, self)
        if left != right:
            return None
        apart = self.values(one) - self.values(other)
        return int(apart[0]) if bool((apart == apart[0]).all()) else None

    def in_one_block(self, form: Form, apart: int, size: int) -> bool:
        """Whether the bytes at `form` and `apart` bytes further lie in one aligned block of `size`
        bytes at all points of some layout of shared memory."""
        key = form.terms, form.constant % size, apart, size
        if key not in self.blocks:
            start = self.values(Form(form.terms, form.constant % size))
            inside = (start // size) == ((start + apart) // size)
            ways = self.chosen % self.samples.ways
            self.blocks[key] = any(
                bool(inside[ways == way].all()) for way in range(self.samples.ways)
            )
        return self.blocks[key]


@dataclass(frozen=True, slots=True)
class PathPoints:
    """The points at which the conditions of a path hold. `known`: what of them counts; the rest as in
    `View`."""

    known: tuple[Known, ...]
    solved: dict[int, Form]
    columns: dict[int, Column]
    holds: NDArray[np.bool_]


def block_of(kernel: ir.Kernel) -> tuple[int, ...]:
    """The most threads of a block along each axis."""
    most = kernel.launch_bounds[0] if kernel.launch_bounds else BLOCK[0]
    return kernel.required_block or tuple(min(x, most) if most > 0 else x for x in BLOCK)


class Samples:
    """Values of atoms at `POINTS` points. `layouts`: of shared memory; `trips`: the most iterations
    of loops; `block`: the most threads along each axis; `known`: loads of what was stored to a
    thread's own object, and the value; `assumed`: conditions that the source promises, by path."""

    def __init__(
        self,
        atoms: Atoms,
        layouts: Sequence[Layout],
        trips: Callable[[ir.Loop], int | None],
        block: Sequence[int] = BLOCK,
    ) -> None:
        self.atoms, self.layouts, self.trips, self.block = atoms, layouts, trips, block
        self.ways = max(1, len(layouts))
        self.known: dict[int, Form] = {}
        self.assumed: list[tuple[Form, Path]] = []
        self.views: dict[Path, View | None] = {}
        self.recent: dict[int, tuple[Path, View | None]] = {}
        self.taken: dict[Path, NDArray[np.bool_] | None] = {}
        self.equations: dict[Form, tuple[int, int] | None] = {}
        self.truths: dict[Known, NDArray[np.bool_]] = {}  # of conditions, at all points
        self.plain: dict[int, Column] = {}
        self.numbers: dict[object, int] = {}  # of memory versions
        every = np.arange(POINTS, dtype=np.int64)
        self.everywhere = View(self, (), {}, self.plain, every, {})
        self.reached: dict[Path, PathPoints] = {
            (): PathPoints((), {}, self.plain, np.ones(POINTS, dtype=bool))
        }

    def assume(self, condition: Form, path: Path) -> None:
        """What the source promises from here on."""
        self.assumed.append((condition, path))
        self.views.clear()
        self.recent.clear()

    def origin(self, form: Form) -> Form:
        """What a value was before it was put by in a thread's own object."""
        while form.terms and form == Form((((form.terms[0][0][0],), 1),)):
            known = self.known.get(form.terms[0][0][0])
            if known is None:
                break
            form = known
        return form

    def aligned(self, o: ir.MemoryObject) -> int:
        """The power of two, up to 16, that surely divides the address of a shared array."""
        placed = [way[o] for way in self.layouts if o in way]
        ways = map(constant, placed) if len(placed) == self.ways else (multiple(o.align),)
        return reduce(join, ways, constant(WIDEST)).alignment

    def view(self, path: Path) -> View | None:
        """The points on a path; None where none was found."""
        last = self.recent.get(id(path))
        if last is not None and last[0] is path:
            return last[1]
        if path not in self.views:
            self.views[path] = self._view(path)
        self.recent[id(path)] = path, self.views[path]
        return self.views[path]

    def coincide(self, one: Path, other: Path) -> bool:
        """Whether two paths are taken at the same points, however their conditions are written
        (measured: after `if (lane < 1) s[t] += …;` nothing is loaded in `if (lane == 0) … s[t]`;
        nor with `t < 16` and `t <= 15`, `t < n` and `n > t`)."""
        shared = len(common(one, other))
        left, right = self._taken(one[shared:]), self._taken(other[shared:])
        return left is not None and right is not None and bool((left == right).all() and left.any())

    def _taken(self, path: Path) -> NDArray[np.bool_] | None:
        """The points at which a path's conditions hold; None for one into a loop."""
        if path not in self.taken:
            known = [(c, step.side) for step in path if (c := step.condition) is not None]
            plain = len(known) == len(path) and not any(self._is_entered(c) for c, _ in known)
            made = [self._truth(condition, side) for condition, side in known] if plain else []
            self.taken[path] = np.logical_and.reduce(made) if plain else None
        return self.taken[path]

    def _truth(self, condition: Form, side: bool) -> NDArray[np.bool_]:
        known = condition, side
        if known not in self.truths:
            self.truths[known] = (self.values(condition, self.everywhere) != 0) == side
        return self.truths[known]

    def _view(self, path: Path) -> View | None:
        reached = self._reached(path)
        solved, columns, every = reached.solved, reached.columns, self.everywhere.chosen
        holds = reached.holds.copy()
        view = View(self, path, solved, columns, every, {})
        for condition, before in self.assumed:
            if path[: len(before)] == before:
                holds &= self.values(condition, view) != 0
        chosen = every[holds]
        if not len(chosen):
            return None
        return View(self, path, solved, columns, chosen, {})

    def _reached(self, path: Path) -> PathPoints:
        """Each step narrows what the steps before it have left."""
        length = next(n for n in range(len(path), -1, -1) if path[:n] in self.reached)
        for end in range(length + 1, len(path) + 1):
            before = self.reached[path[: end - 1]]
            self.reached[path[:end]] = self._stepped(before, tuple(_known(path[end - 1 : end])))
        return self.reached[path]

    def _stepped(self, before: PathPoints, known: tuple[Known, ...]) -> PathPoints:
        every, solved = (*before.known, *known), dict(before.solved)
        for zero in _zeros(known, self.atoms):
            self._solve(zero, solved)
        if len(solved) == len(before.solved):
            return replace(before, known=every, holds=self._narrowed(before.holds, known, before))
        start = PathPoints(every, solved, {} if solved else self.plain, np.ones(POINTS, dtype=bool))
        return replace(start, holds=self._narrowed(start.holds, every, start))

    def _narrowed(
        self, holds: NDArray[np.bool_], known: Sequence[Known], reached: PathPoints
    ) -> NDArray[np.bool_]:
        view = View(self, (), reached.solved, reached.columns, self.everywhere.chosen, {})
        for condition, side in known:
            if self._is_entered(condition) or self._is_solved(condition, side, reached.solved):
                continue
            left = holds & ((self.values(condition, view) != 0) == side)
            # data that hardly a point has make no addresses equal, unless they are equal to something
            data = self._data(condition)
            many = np.count_nonzero(left) >= (FEWEST if data else 1)
            settled = many or any(_zeros([(condition, side)], self.atoms))
            if settled or self._are_fixed(data, left, view):
                holds = left
        return holds

    def _is_solved(self, condition: Form, side: bool, solved: dict[int, Form]) -> bool:
        """Whether a value that is known decides a comparison with another constant, as `n == 3` does
        `n != 2`: on a path of many such comparisons there is nothing to compute."""
        if side or not solved:
            return False
        if condition not in self.equations:
            self.equations[condition] = self._equation(condition)
        equation = self.equations[condition]
        if equation is None or (value := solved.get(equation[0])) is None:
            return False
        return not value.terms and value.constant != equation[1]

    def _equation(self, condition: Form) -> tuple[int, int] | None:
        """An atom and the constant that it is where a condition holds."""
        for zero in _zeros([(condition, True)], self.atoms):
            (monomial, factor), *more = zero.terms or (((), 0),)
            if len(monomial) == 1 and abs(factor) == 1 and not more:
                return monomial[0], -zero.constant * factor
        return None

    def _is_entered(self, condition: Form) -> bool:
        return any(self.atoms.keys[a][0] == "entered" for a in self.atoms.inside(condition))

    def _data(self, condition: Form) -> list[int]:
        return [a for a in self._parts(condition, {}) if self.atoms.keys[a][0] in DATA]

    def _are_fixed(self, data: Sequence[int], left: Column, view: View) -> bool:
        """Whether the points left over agree on loaded values, as those of `i > 1 && i < 3` do."""
        columns = [self._column(a, view)[left] for a in data]
        return all(len(column) > 1 and np.ptp(column) == 0 for column in columns)

    def _solve(self, zero: Form, solved: dict[int, Form]) -> None:
        """Makes an atom what a sum that is zero says of it; one that the others are not made of."""
        for monomial, coefficient in zero.terms:
            if len(monomial) != 1 or abs(coefficient) != 1 or monomial[0] in solved:
                continue
            rest = (Form(((monomial, coefficient),)) - zero).scaled(coefficient)
            parts = self._parts(rest, solved)
            if monomial[0] not in parts and self.atoms.keys[monomial[0]][0] in FREE:
                solved[monomial[0]] = rest
                return

    def _parts(self, form: Form, solved: dict[int, Form]) -> set[int]:
        pending, met = list(self.atoms.inside(form)), set[int]()
        while pending:
            a = pending.pop()
            if a not in met:
                met.add(a)
                inner = [p for p in self.atoms.keys[a] if isinstance(p, Form)]
                inner += [solved[a]] if a in solved else []
                pending += [b for part in inner for b in self.atoms.inside(part)]
        return met

    def parts(self, form: Form) -> set[int]:
        """The atoms that a form is made of, and those that these are made of."""
        return self._parts(form, {})

    def shape(self, form: Form, view: View) -> tuple[int, ...]:
        """How a form's first values differ: what is a constant apart has the same shape."""
        found = view.shapes.get(form.terms)
        if found is None:
            first = view.values(Form(form.terms))[:4]
            found = view.shapes[form.terms] = tuple(int(x) for x in first - first[0])
        return found

    def values(self, form: Form, view: View) -> Column:
        total = np.full(POINTS, _wrapped(form.constant), dtype=np.int64)
        for monomial, coefficient in form.terms:
            product = np.full(POINTS, _wrapped(coefficient), dtype=np.int64)
            for a in monomial:
                product = product * self._column(a, view)
            total = total + product
        return total

    def _column(self, a: int, view: View) -> Column:
        """Makes what is missing in the order of its numbers: an atom's parts are older than it."""
        if a not in view.columns:
            for b in sorted(self._missing(a, view)):
                given = view.solved.get(b, self.known.get(b))
                made = self._made(b, view) if given is None else self.values(given, view)
                view.columns[b] = made
        return view.columns[a]

    def _missing(self, a: int, view: View) -> set[int]:
        pending, met = [a], set[int]()
        while pending:
            b = pending.pop()
            if b not in met and b not in view.columns:
                met.add(b)
                if b not in view.solved and b not in self.known:
                    parts = (p for p in self.atoms.keys[b] if isinstance(p, Form))
                    pending += [c for p in parts for c in self.atoms.inside(p)]
        return met

    def _made(self, a: int, view: View) -> Column:
        key = self.atoms.keys[a]
        parts = [self.values(p, view) for p in key[1:] if isinstance(p, Form)]
        if same_bits(key) is not None:
            return parts[0]
        if key[0] in OPERATIONS and len(parts) == 2:
            return OPERATIONS[key[0]](parts[0], parts[1])
        return MAKERS.get(key[0], _generous)(self, a, key, parts)

    def drawn(self, a: int, limit: int) -> Column:
        """From 0 up to a limit, as many of each length in bits."""
        limit = min(limit, LARGEST)
        source = np.random.default_rng((SEED, a))
        bits = source.integers(0, max(1, limit - 1).bit_length() + 1, POINTS)
        return (source.integers(0, LARGEST, POINTS) & ((np.int64(1) << bits) - 1)) % max(1, limit)


DATA = ("load", "exchange", "atomic")
FREE = ("builtin", "variable", "load", "iteration", "exchange", "atomic")


def _wrapped(value: int) -> int:
    """A constant as 64 bits with a sign."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def _known(path: Path) -> Iterator[Known]:
    """What nvcc knows on a path. Comparisons of signed numbers, and those that become comparisons
    with a constant when a loop is unrolled, come too late to fix a value or its low bits (machine
    code of 11 reductions: `if (t < 1) s[t] += s[t + 1]` loads twice, also as the last of `t < d`;
    with `threadIdx.x < 1` once)."""
    for step in path:
        if step.condition is not None and not _is_late(step):
            yield step.condition, step.side
            yield from step.implied


def _is_late(step: Step) -> bool:
    if not isinstance(step.statement, ir.If):
        return False
    compared = [
        e
        for e in walk_expression(step.statement.condition)
        if isinstance(e, ir.Binary) and e.op in COMPARED
    ]
    signed = (isinstance(e.left.type, Integer) and e.left.type.signed for e in compared)
    return (
        bool(compared)
        and all(e.op in ORDERED for e in compared)
        and (bool(step.turns) or all(signed))
    )


def _zeros(known: Sequence[Known], atoms: Atoms) -> Iterator[Form]:
    """Sums that are zero where conditions are decided so."""
    for form, truth in known:
        key: Key = ()
        if form.constant == 0 and len(form.terms) == 1 and form.terms[0][1] == 1:
            key = atoms.keys[form.terms[0][0][0]] if len(form.terms[0][0]) == 1 else ()
        sides = [p for p in key[1:3] if isinstance(p, Form)]
        if key and (key[0], truth) in EQUAL and len(sides) == 2:
            yield sides[0] - sides[1]
        elif not truth and (not key or key[0] not in TESTS):
            yield form


def _mixed(a: int, parts: Sequence[Column]) -> Column:
    """A value that equal parts make equal."""
    total = np.full(POINTS, a, dtype=np.int64)
    for part in parts:
        total = total * 6364136223846793005 + part * 2862933555777941757 + 3037000493
        total ^= total >> 29
    return total


def _generous(samples: Samples, a: int, key: Key, parts: Sequence[Column]) -> Column:
    """A multiple of 4,096, a function of the parts."""
    made = _mixed(_named(key), parts) if parts else samples.drawn(a, LARGE)
    return (made & (LARGE - 1)) << GENEROUS


def _named(key: Key) -> int:
    """A number for an operation's name: the same in each run."""
    return sum((i + 1) * ord(c) for i, c in enumerate(str(key[0]) + str(key[1])[:32]))


def _builtin(samples: Samples, a: int, key: Key, parts: Sequence[Column]) -> Column:
    name = str(key[1])
    axis = "xyz".find(name[-1])
    if name.startswith("tid") and axis >= 0:
        return samples.drawn(a, samples.block[axis])
    if name.startswith("ntid") and axis >= 0:
        return 1 + samples.drawn(a, samples.block[axis])
    if name in ("laneid", "warpid"):
        return samples.drawn(a, 32)
    if name == "warpsize":
        return np.full(POINTS, 32, dtype=np.int64)
    return samples.drawn(a, LARGE)


def _object(samples: Samples, a: int, key: Key, parts: Sequence[Column]) -> Column:
    """Shared arrays lie in one window, others 4,096 bytes and more apart."""
    o = key[1]
    placed = [way[o] for way in samples.layouts if isinstance(o, ir.MemoryObject) and o in way]
    if len(placed) == samples.ways:
        return np.array(placed, dtype=np.int64)[np.arange(POINTS) % samples.ways]
    return (1 + a + samples.drawn(a, LARGE)) << (GENEROUS + 12)


def _iteration(samples: Samples, a: int, key: Key, parts: Sequence[Column]) -> Column:
    most = samples.trips(key[1]) if isinstance(key[1], ir.Loop) else None
    return samples.drawn(a, LARGE if most is None else max(1, most))


def _load(samples: Samples, a: int, key: Key, parts: Sequence[Column]) -> Column:
    """Of one address and memory version one value; a multiple of 4,096 where nvcc may know what was
    stored."""
    memory = key[1]
    number = samples.numbers.setdefault((memory, key[3]), len(samples.numbers))
    made = _mixed(number, parts)
    if isinstance(memory, ir.MemoryObject) and (memory.space != "global" or memory.initial):
        return (made & (LARGE - 1)) << GENEROUS
    return made & (LOADED - 1)


def _select(samples: Samples, a: int, key: Key, parts: Sequence[Column]) -> Column:
    test, then, otherwise = parts
    return np.where(test != 0, then, otherwise)


def _join(samples: Samples, a: int, key: Key, parts: Sequence[Column]) -> Column:
    """What control that joins leaves: of a branch, by its condition; of other ways, by chance."""
    if isinstance(key[1], ir.If):
        return np.where(parts[2] != 0, parts[0], parts[1]) if len(parts) == 3 else parts[0]
    if len(parts) != 2:
        return parts[0] if parts else samples.drawn(a, LARGE)
    return np.where(np.arange(POINTS) % 5 < 2, parts[0], parts[1])


def _convert(samples: Samples, a: int, key: Key, parts: Sequence[Column]) -> Column:
    """To `bool` a test; from or to floats the number itself."""
    return (parts[0] != 0).astype(np.int64) if key[1] == "bool" else parts[0]


def _narrow(samples: Samples, a: int, key: Key, parts: Sequence[Column]) -> Column:
    name = str(key[1])
    bits = BITS.get(name, 32)
    low = parts[0] & ((1 << bits) - 1)
    return low if name.startswith("unsigned") else (low ^ (1 << (bits - 1))) - (1 << (bits - 1))


def _call(samples: Samples, a: int, key: Key, parts: Sequence[Column]) -> Column:
    made = CALLS.get(str(key[1]))
    if made is None or made.nin != len(parts):  # the source may give too few arguments
        return _generous(samples, a, key, parts)
    value: Column = made(*parts)
    return value


def _free(samples: Samples, a: int, key: Key, parts: Sequence[Column]) -> Column:
    return samples.drawn(a, LARGE)


CALLS: dict[str, np.ufunc] = {
    "mul24": np.multiply,
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
}
Maker = Callable[[Samples, int, Key, Sequence[Column]], Column]
MAKERS: dict[object, Maker] = {
    "builtin": _builtin,
    "object": _object,
    "iteration": _iteration,
    "load": _load,
    "select": _select,
    "join": _join,
    "convert": _convert,
    "narrow": _narrow,
    "call": _call,
    "variable": _free,
    "exchange": _free,
    "atomic": _free,
    "entered": _free,
    "expression": _free,
    "!": lambda samples, a, key, parts: (parts[0] == 0).astype(np.int64),
    "~": lambda samples, a, key, parts: ~parts[0],
    "-": lambda samples, a, key, parts: -parts[0],
}
