"""The flow of control through a kernel's machine code.

In: a kernel's instructions, the addresses of functions in its section. Out: where each branch goes,
where its two sides surely meet again (the immediate post-dominator), which instructions lie
between, and which instructions decide addresses and branches. Never: values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from kernlint.machine_code.accesses import kind, pair
from kernlint.machine_code.effects import sources, written
from kernlint.machine_code.instructions import (
    Constant,
    Immediate,
    MachineInstruction,
    Memory,
    Operand,
    Other,
    Predicate,
    Register,
)
from kernlint.machine_code.operations import OPERATIONS, SELECTIONS
from kernlint.machine_code.predicate_registers import bits_of

BRANCHES = frozenset({"BRA", "JMP"})
ENDS = frozenset({"EXIT", "KILL", "JMX", "RET"})
WARP_FAMILIES = frozenset(
    [
        "SHFL",
        "VOTE",
        "VOTEU",
        "MATCH",
        "REDUX",
        "CREDUX",
        "UREDUX",
        "R2UR",
        "CS2R",
        "P2R",
        "HFMA2",
        "B2R",
        "R2P",
    ]
)
_STORES = frozenset({"STS", "STL"})
SHARED_LOADS = frozenset({"LDS", "LDL", "LD"})
CONTROL = frozenset(
    [
        "BRA",
        "JMP",
        "BRX",
        "JMX",
        "EXIT",
        "KILL",
        "RET",
        "CALL",
        "BSSY",
        "BSYNC",
        "BREAK",
        "BAR",
        "WARPSYNC",
        "ENDCOLLECTIVE",
        "BPT",
    ]
)
MEMORY = frozenset(
    [
        "LDG",
        "STG",
        "LDS",
        "STS",
        "LDL",
        "STL",
        "LD",
        "ST",
        "ATOM",
        "ATOMG",
        "ATOMS",
        "RED",
        "REDG",
        "LDGSTS",
        "LDSM",
        "STSM",
    ]
)


class ControlFlow:
    """Instructions are named by their index; the index after the last one stands for the end."""

    def __init__(
        self,
        code: tuple[MachineInstruction, ...],
        symbols: Mapping[str, int],
        jump_targets: Mapping[int, Sequence[int]] | None = None,
    ) -> None:
        self.code = code
        self.symbols = symbols
        self.end = len(code)
        first = code[0].address if code else 0
        self.index = {ins.address: i for i, ins in enumerate(code)}
        self.first = first
        self.jumps = {
            branch: tuple(dict.fromkeys(self.index.get(target, self.end) for target in some))
            for branch, some in (jump_targets or {}).items()
        }
        self.successors = [self._successors(i) for i in range(self.end)]

    def target(self, ins: MachineInstruction) -> int | None:
        """Where a branch or call goes, None where a register says it."""
        for operand in reversed(ins.operands):
            if isinstance(operand, Immediate):
                return self.index.get(operand.value)
            if isinstance(operand, Other) and operand.text in self.symbols:
                return self.index.get(self.symbols[operand.text])
        return None

    def conditional(self, ins: MachineInstruction) -> bool:
        extra = any(isinstance(o, Predicate) and (not o.always or o.negated) for o in ins.operands)
        return ins.guard is not None or extra or "DIV" in ins.modifiers

    def _successors(self, i: int) -> tuple[int, ...]:
        """A call goes on behind itself: a function that is called is a graph of its own."""
        ins = self.code[i]
        if ins.family in BRANCHES:
            target = self.target(ins)
            goes = (self.end if target is None else target,)
            return (*goes, i + 1) if self.conditional(ins) else goes
        if ins.family == "BRX":
            some = self.jumps.get(ins.address, (self.end,))
            return some if ins.guard is None else (*some, i + 1)
        if ins.family in ENDS:
            return (self.end, i + 1) if ins.guard is not None else (self.end,)
        return (i + 1,)

    @cached_property
    def postdominators(self) -> list[int]:
        """The immediate post-dominator of each instruction (Cooper, Harvey and Kennedy, "A Simple,
        Fast Dominance Algorithm"); the end where there is no other, or no way to the end."""
        before: list[list[int]] = [[] for _ in range(self.end + 1)]
        for i, after in enumerate(self.successors):
            for j in after:
                before[j].append(i)
        order = _postorder(self.end, before)
        rank = {node: number for number, node in enumerate(order)}
        found = {self.end: self.end}
        changed = True
        while changed:
            changed = False
            for node in reversed(order[:-1]):
                ready = [j for j in self.successors[node] if j in found]
                best = ready[0]
                for other in ready[1:]:
                    best = _meet(best, other, found, rank)
                changed |= found.get(node) != best
                found[node] = best
        return [found.get(i, self.end) for i in range(self.end)]

    def region(self, branch: int) -> tuple[int, frozenset[int]]:
        """(where the sides of a branch surely meet, the instructions that may be executed between,
        those of called functions included)."""
        meeting = self.postdominators[branch]
        seen: set[int] = set()
        waiting = list(self.successors[branch])
        while waiting:
            i = waiting.pop()
            if i in seen or i in (meeting, self.end):
                continue
            seen.add(i)
            waiting.extend(self.successors[i])
            if self.code[i].family == "CALL":
                target = self.target(self.code[i])
                waiting.extend(() if target is None else (target,))
        return meeting, frozenset(seen)

    def written(self, instructions: Iterable[int]) -> frozenset[str]:
        return frozenset(key for i in instructions for key in written(self.code[i]))

    @cached_property
    def needed(self) -> list[bool]:
        """Whether an instruction's result may decide an address, a condition or a branch: a
        backward slice over registers, by liveness. Stored data counts where a later load of shared
        or local memory is needed."""
        stores = False
        while True:
            marks, loads = self._slice(stores)
            if stores or not loads:
                return marks
            stores = True

    def _slice(self, stores: bool) -> tuple[list[bool], bool]:
        after: list[set[str]] = [set() for _ in range(self.end + 1)]
        follow = self._flow_with_calls()
        marks = [False] * self.end
        changed = True
        while changed:
            changed = False
            for i in range(self.end - 1, -1, -1):
                live: set[str] = set().union(*(after[j] for j in follow[i]))
                results = set(written(self.code[i]))
                wanted = bool(results & live)
                marks[i] |= wanted
                if self.code[i].guard is None:
                    live -= results
                live.update(self._uses(i, wanted, stores))
                if live != after[i]:
                    after[i] = live
                    changed = True
        loads = any(m and self.code[i].family in SHARED_LOADS for i, m in enumerate(marks))
        return marks, loads

    def _flow_with_calls(self) -> list[tuple[int, ...]]:
        """Successors over calls: into the function, and from its end to behind every call."""
        behind = tuple(i + 1 for i, ins in enumerate(self.code) if ins.family == "CALL")
        flow = list(self.successors)
        for i, ins in enumerate(self.code):
            target = self.target(ins) if ins.family == "CALL" else None
            if target is not None:
                flow[i] = (target, i + 1)
            elif ins.family == "RET":
                flow[i] = behind
        return flow

    def _uses(self, i: int, wanted: bool, stores: bool) -> set[str]:
        """Registers and predicates that an instruction reads where its result is wanted, and those
        of its guard, address or condition where it accesses memory or directs the flow."""
        ins = self.code[i]
        found: set[str] = set()
        executes = wanted or ins.family in CONTROL | MEMORY
        if ins.guard is not None and executes:
            found.update(_keys(ins.guard))
        if ins.family in MEMORY:
            for operand in ins.operands:
                if isinstance(operand, Memory):
                    found.update(_address_keys(ins, operand))
            if stores and ins.family in _STORES:
                found.update(_keys(sources(ins)[-1], max(1, kind(ins).width // 4)))
        elif ins.family in CONTROL:
            for operand in sources(ins):
                found.update(_keys(operand))
        elif wanted and _is_computed(ins):
            operation = OPERATIONS.get(ins.family)
            for position, operand in enumerate(sources(ins)):
                two = operation is not None and operation.reads_pair(ins, position)
                found.update(_keys(operand, 2 if two else 1))
            if ins.family == "P2R":
                found.update(f"P{number}" for number in bits_of(ins))
        return found


def _address_keys(ins: MachineInstruction, memory: Memory) -> list[str]:
    registers = [register for register in (memory.base, memory.uniform) if register is not None]
    return [key for r in registers for key in _keys(r, 2 if pair(ins, r, memory) else 1)]


def _is_computed(ins: MachineInstruction) -> bool:
    return ins.family in OPERATIONS or ins.family in SELECTIONS or ins.family in WARP_FAMILIES


def _keys(operand: Operand | None, width: int = 1) -> list[str]:
    if isinstance(operand, Predicate):
        return [] if operand.always else [operand.key]
    if isinstance(operand, Register):
        if operand.zero:
            return []
        prefix = "UR" if operand.uniform else "R"
        count = max(width, operand.count)
        return [f"{prefix}{n}" for n in range(operand.number, operand.number + count)]
    if isinstance(operand, Constant):
        return _keys(operand.index)
    return []


def _meet(a: int, b: int, found: Mapping[int, int], rank: Mapping[int, int]) -> int:
    while a != b:
        while rank[a] < rank[b]:
            a = found[a]
        while rank[b] < rank[a]:
            b = found[b]
    return a


def _postorder(start: int, edges: list[list[int]]) -> list[int]:
    """The nodes that are reached, each after those that it leads to; `start` comes last."""
    order: list[int] = []
    seen = {start}
    stack: list[tuple[int, int]] = [(start, 0)]
    while stack:
        node, position = stack.pop()
        if position < len(edges[node]):
            stack.append((node, position + 1))
            following = edges[node][position]
            if following not in seen:
                seen.add(following)
                stack.append((following, 0))
        else:
            order.append(node)
    return order
