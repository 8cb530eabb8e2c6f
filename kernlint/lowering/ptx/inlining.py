"""Calls of `.func`s of the same module, put in place: the PTX calling sequence becomes moves
between registers (PTX ISA, 7 "ABI").

In: a module and one of its functions. Out: the function without these calls, and offsets of what
was put in as offsets in the module. What callers store to `.param` and callees load of it is a
register of its own for each parameter and byte offset. Calls of functions that are not in the
module, through pointers, of functions that call themselves, and beyond LARGEST statements stay.
Never raises.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping

from kernlint.base.dataclass import dataclass, field, replace
from kernlint.source.ptx import nodes as ptx
from kernlint.source.ptx.module import PtxFunction, PtxModule, PtxPlace

LARGEST = 20_000  # statements of a function with everything that it calls
_NOWHERE = PtxPlace(0, 0, 0)
_KEPT = frozenset({"shared", "global", "const"})  # one object, however often the function runs


@dataclass(slots=True)
class Inlined:
    """`back`: an offset in the new body as one in the old body's text; `called`: the offsets of the
    calls around an offset, outermost first; `left`: calls that stay; `copies`: how many were put
    in."""

    function: PtxFunction
    back: Callable[[int], int]
    called: Callable[[int], tuple[int, ...]]
    left: tuple[ptx.PtxInstruction, ...]
    copies: int = 0


def inlined(module: PtxModule, function: PtxFunction) -> Inlined:
    """The function with the bodies of what it calls."""
    if not any(isinstance(s, ptx.PtxInstruction) and s.opcode == "call" for s in function.body):
        return Inlined(function, lambda offset: offset, lambda offset: (), ())
    work = _Inliner({f.name: f for f in module.functions if not f.entry}, function)
    work.put(_Copy(function, "", 0, (), (), {}, (function.name,)))
    made = replace(
        function,
        body=tuple(work.declared + work.statements),
        places=tuple(sorted(work.places, key=lambda place: place[0])),
        entered=frozenset(work.entered),
        not_unrolled=tuple(work.not_unrolled),
    )
    return Inlined(made, work.back, work.called, tuple(work.left), work.copies)


@dataclass(frozen=True, slots=True)
class _Copy:
    """One function put in once. `suffix`: of the names that it declares; `base`: added to its
    offsets; `calls`: where it was called, outermost first, `offsets`: of these calls; `slots`: its
    parameters and results → the names of the caller's; `names`: the functions around it and
    itself."""

    function: PtxFunction
    suffix: str
    base: int
    calls: tuple[PtxPlace, ...]
    offsets: tuple[int, ...]
    slots: Mapping[str, str]
    names: tuple[str, ...]

    @property
    def end(self) -> str:
        return f"$end{self.suffix}"


@dataclass(slots=True)
class _Inliner:
    functions: Mapping[str, PtxFunction]
    entry: PtxFunction
    statements: list[ptx.PtxStatement] = field(default_factory=list)
    declared: list[ptx.PtxStatement] = field(default_factory=list)
    places: list[tuple[int, PtxPlace]] = field(default_factory=list)
    entered: list[int] = field(default_factory=list)
    not_unrolled: list[int] = field(default_factory=list)
    left: list[ptx.PtxInstruction] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    shifts: list[int] = field(default_factory=list)
    callers: list[tuple[int, ...]] = field(default_factory=list)
    stored: dict[str, str] = field(default_factory=dict)  # register of a parameter → its type
    copies: int = 0
    size: int = 0

    def back(self, offset: int) -> int:
        return offset + self.shifts[bisect_right(self.starts, offset) - 1]

    def called(self, offset: int) -> tuple[int, ...]:
        return self.callers[bisect_right(self.starts, offset) - 1]

    def put(self, copy: _Copy) -> None:
        """The statements of one copy, and of the calls in it."""
        function = copy.function
        self.starts.append(copy.base)
        self.callers.append(copy.offsets)
        self.shifts.append(function.offset - self.entry.offset - copy.base)
        self.size = copy.base + _length(function)
        self.places += [(copy.base, _NOWHERE)] if copy.suffix else []
        self.places += [
            (copy.base + at, replace(place, calls=(*copy.calls, *place.calls)))
            for at, place in function.places
        ]
        self.entered += [copy.base + at for at in function.entered]
        self.not_unrolled += [copy.base + at for at in function.not_unrolled]
        names = _Names(copy)
        for statement in function.body:
            if isinstance(statement, ptx.PtxDeclaration):
                self._declare(names.declaration(statement))
            elif isinstance(statement, ptx.PtxLabel):
                self.statements.append(
                    ptx.PtxLabel(statement.name + copy.suffix, statement.offset + copy.base)
                )
            elif statement.opcode == "call":
                self._call(copy, statement, names)
            else:
                self.statements += self._moved(copy, names.instruction(statement))
        if copy.suffix:
            self.statements.append(ptx.PtxLabel(copy.end, copy.base + _length(function) - 1))

    def _declare(self, made: ptx.PtxDeclaration) -> None:
        if made.space != "param" and made not in self.declared:
            self.declared.append(made)

    def _moved(self, copy: _Copy, i: ptx.PtxInstruction) -> Iterator[ptx.PtxInstruction]:
        """An instruction; a load or store of a call's parameter as moves, a return as a jump behind
        the copy."""
        if i.opcode == "ret" and copy.suffix:
            yield replace(i, opcode="bra", modifiers=(), operands=(ptx.Symbol(copy.end),))
            return
        slots = list(self._slots(copy, i))
        if not slots or (
            i.opcode == "ld"
            and any(self._width(slot) != ptx.TYPE_BITS.get(type_) for slot, _, type_ in slots)
        ):
            yield i
            return
        for slot, item, type_ in slots:
            if i.opcode == "st" and slot not in self.stored:
                self.stored[slot] = type_
                self.declared.append(ptx.PtxDeclaration("reg", type_, (slot,), None, 1, i.offset))
            pair = (ptx.Register(slot), item) if i.opcode == "st" else (item, ptx.Register(slot))
            yield replace(i, opcode="mov", modifiers=(type_,), operands=pair)

    def _width(self, slot: str) -> int | None:
        return ptx.TYPE_BITS.get(self.stored.get(slot, ""))

    def _slots(self, copy: _Copy, i: ptx.PtxInstruction) -> Iterator[tuple[str, ptx.Operand, str]]:
        """What `ld.param` and `st.param` of a call move: the register of the parameter, the other
        operand, the type."""
        if i.opcode not in ("ld", "st") or "param" not in i.modifiers or len(i.operands) != 2:
            return
        address, value = i.operands if i.opcode == "st" else i.operands[::-1]
        if not isinstance(address, ptx.Address) or not isinstance(address.offset, ptx.Immediate):
            return
        if not isinstance(address.base, ptx.Symbol | ptx.Register):
            return
        name, type_ = copy.slots.get(address.base.name, address.base.name), i.modifiers[-1]
        if not copy.suffix and isinstance(address.base, ptx.Symbol):
            return  # a parameter of the kernel itself
        for number, item in enumerate(value.items if isinstance(value, ptx.Vector) else (value,)):
            yield (
                f"{name}+{int(address.offset.value) + number * (ptx.TYPE_BITS.get(type_, 32) // 8)}",
                item,
                type_,
            )

    def _call(self, copy: _Copy, i: ptx.PtxInstruction, names: _Names) -> None:
        """The called function's statements between moves of the registers that it takes and
        gives."""
        results, target, given = _parts(i) if i.operands else ((), "", ())
        function = self.functions.get(target)
        own = names.instruction(i)
        if (
            function is None
            or target in copy.names
            or len(self.statements) + len(function.body) > LARGEST
        ):
            self.statements.append(own)
            self.left.append(own)
            return
        self.copies += 1
        suffix = f"@{self.copies}"
        formal = (*function.results, *function.parameters)
        actual = [names.operand(o) for o in (*results, *given)]
        slots = {
            f.name: a.name
            for f, a in zip(formal, actual, strict=False)
            if f.space == "param" and isinstance(a, ptx.Register)
        }
        if own.predicate is not None:
            inverse = replace(own.predicate, negated=not own.predicate.negated)
            self.statements.append(
                replace(
                    own,
                    opcode="bra",
                    modifiers=(),
                    operands=(ptx.Symbol(f"$end{suffix}"),),
                    predicate=inverse,
                )
            )
        plain = replace(own, opcode="mov", predicate=None)
        pairs = list(zip(formal, actual, strict=False))
        registers = [
            (f.type, ptx.Register(f.name + suffix), a, n < len(function.results))
            for n, (f, a) in enumerate(pairs)
            if f.space == "reg"
        ]
        for type_, register, operand, given_back in registers:
            self.declared.append(
                ptx.PtxDeclaration("reg", type_, (register.name,), None, 1, own.offset)
            )
            if not given_back:
                self.statements.append(
                    replace(plain, modifiers=(type_,), operands=(register, operand))
                )
        place = copy.function.place(i.offset)
        calls = (
            (*copy.calls, *place.calls, replace(place, calls=()))
            if place is not None and place.line
            else copy.calls
        )
        self.put(
            _Copy(
                function,
                suffix,
                self.size,
                calls,
                (*copy.offsets, own.offset),
                slots,
                (*copy.names, target),
            )
        )
        for type_, register, operand, given_back in registers:
            if given_back:
                self.statements.append(
                    replace(plain, modifiers=(type_,), operands=(operand, register))
                )


def _length(function: PtxFunction) -> int:
    """More than any offset in a body."""
    ends = [
        s.offset + (len(s.text) if isinstance(s, ptx.PtxInstruction) else 1) for s in function.body
    ]
    return 2 + max([*ends, *(at for at, _ in function.places[-1:])], default=0)


def _parts(i: ptx.PtxInstruction) -> tuple[tuple[ptx.Operand, ...], str, tuple[ptx.Operand, ...]]:
    """Results, name and arguments of `call (r), f, (a, b)`; the name "" where the call is through a
    register."""
    at = 0 if isinstance(i.operands[0], ptx.Symbol) else 1
    target = i.operands[at] if at < len(i.operands) else None
    given = i.operands[at + 1] if at + 1 < len(i.operands) else ptx.Group(())
    return (
        _items(i.operands[0]) if at else (),
        target.name if isinstance(target, ptx.Symbol) else "",
        _items(given),
    )


def _items(operand: ptx.Operand) -> tuple[ptx.Operand, ...]:
    """What parentheses hold; one operand in parentheses is read as itself."""
    return operand.items if isinstance(operand, ptx.Group) else (operand,)


class _Names:
    """The names of one copy: what the function declares gets the copy's suffix."""

    def __init__(self, copy: _Copy) -> None:
        self._copy = copy
        body = copy.function.body
        self._kept = {
            n
            for s in body
            if isinstance(s, ptx.PtxDeclaration) and s.space in _KEPT
            for n in s.names
        }
        self._labels = {s.name for s in body if isinstance(s, ptx.PtxLabel)}
        self._formal = {
            v.name for v in (*copy.function.parameters, *copy.function.results) if v.space == "reg"
        }

    def declaration(self, s: ptx.PtxDeclaration) -> ptx.PtxDeclaration:
        return replace(
            s, names=tuple(self._register(n) for n in s.names), offset=s.offset + self._copy.base
        )

    def instruction(self, i: ptx.PtxInstruction) -> ptx.PtxInstruction:
        predicate = (
            replace(i.predicate, operand=self.operand(i.predicate.operand))
            if i.predicate is not None
            else None
        )
        return replace(
            i,
            predicate=predicate,
            operands=tuple(map(self.operand, i.operands)),
            offset=i.offset + self._copy.base,
        )

    def operand(self, o: ptx.Operand) -> ptx.Operand:
        match o:
            case ptx.Register(name=name):
                return ptx.Register(self._register(name))
            case ptx.Symbol(name=name) | ptx.Special(name=name) if name in self._formal:
                return ptx.Register(name + self._copy.suffix)
            case ptx.Symbol(name=name) if name in self._labels:
                return ptx.Symbol(name + self._copy.suffix)
            case ptx.Negated(operand=inner):
                return ptx.Negated(self.operand(inner))
            case ptx.Address(base=base, offset=offset, rest=rest):
                return ptx.Address(
                    self.operand(base), self.operand(offset), tuple(map(self.operand, rest))
                )
            case ptx.Vector(items=items):
                return ptx.Vector(tuple(map(self.operand, items)))
            case ptx.Group(items=items):
                return ptx.Group(tuple(map(self.operand, items)))
            case ptx.Pair(first=first, second=second):
                return ptx.Pair(self.operand(first), self.operand(second))
        return o

    def _register(self, name: str) -> str:
        return name if name == "_" or name in self._kept else name + self._copy.suffix
