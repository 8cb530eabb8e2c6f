"""What a PTX instruction does, told from its opcode and modifiers (`opcodes.toml`).

In: a `PtxInstruction`. Out: a `PtxMeaning` that lowering turns into statements. Never resolves
operands to variables or values.

Kinds, with one example each:
  load     ld.shared.v2.u32 {%0, %1}, [%2];        `bytes` per lane in one machine access, `count` components
  store    st.global.cs.v4.f32 [%0], {…};
  atomic   atom.shared.add.u32, red.global.max.s32  operation is ir.Atomic's
  copy     cp.async.cg.shared.global [%0], [%1], 16;
  matrix   ldmatrix.sync.aligned.m8n8.x4.shared.b16 `count` matrices of eight 16-byte rows
  assign   add.s32, setp.lt.u32, mov.u32 %0, %clock; operation: an IR operator, a name of operations.OPERATIONS, or one of mov, cvt, cvta,
           isspacep, neg, mad, cnot, setp, set, selp, slct, float (not computed), packed (not computed), opaque (not computed)
  shuffle  shfl.sync.bfly.b32                       operation is ir.Shuffle's kind
  vote     vote.sync.ballot.b32, redux.sync.add.s32 operation is ir.Vote's kind
  barrier  bar.sync 0; membar.gl;                   `scope` as ir.BarrierSite
  branch   bra LABEL; ret;
  exit     exit; trap;
  opaque   mma.sync…, mbarrier…                     targets become unknown, memory behind a clobber operand changes
  copy_group cp.async.commit_group;                 operation as ir.CopyGroup's; `pending`: groups that may still run
  ignored  prefetch…                                nothing that is counted

Roles: target, address, value, compare, destination, source, bytes, source_bytes, condition, lane,
clamp, mask (of the lanes that take part), label, barrier, threads, clobber (an address whose memory
changes), mbarrier (targets and addresses in any order), call, ignored.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any

from kernlint.base.dataclass import dataclass
from kernlint.base.tables import parsed
from kernlint.source.ptx.nodes import TYPE_BITS, Immediate, Operand, PtxInstruction


@dataclass(frozen=True, slots=True)
class PtxMeaning:
    """`type`: the type suffix of the data ("" when there is none); `source_type`: cvt's second one.
    `space` "" means generic."""

    kind: str
    operation: str = ""
    roles: tuple[str, ...] = ()
    type: str = ""
    source_type: str = ""
    comparison: str = ""  # setp, set: eq ne lt le gt ge (lo ls hi hs are unsigned)
    combine: str = ""  # setp with a third source: and or xor
    count: int = 1
    bytes: int = 0
    space: str = ""
    cache: str = ""
    volatile: bool = False
    wide: bool = False
    hardware_op: str = ""
    scope: str = ""
    reason: str = "unsupported"
    synchronised: bool = True
    uncounted: bool = False  # it moves memory in a way that is not modelled

    @property
    def floating(self) -> bool:
        """The data are floating point (as the type suffix says; `.b32` says nothing)."""
        return is_floating(self.type)

    @property
    def least_operands(self) -> int:
        """How many operands it cannot do without; of what is not followed, none."""
        if self.kind in ("opaque", "ignored"):
            return 0
        return max((i for i, role in enumerate(self.roles, 1) if role[-1] not in "*?"), default=0)

    def positions(self, role: str, total: int) -> tuple[int, ...]:
        """The positions of operands with `role` among `total` operands."""
        return tuple(i for i in range(total) if self._role(i) == role)

    def _role(self, position: int) -> str:
        if position < len(self.roles):
            return self.roles[position].rstrip("*?")
        return (
            self.roles[-1].rstrip("*") if self.roles and self.roles[-1].endswith("*") else "ignored"
        )


def operands(meaning: PtxMeaning, instruction: PtxInstruction, role: str) -> tuple[Operand, ...]:
    """The instruction's operands with `role`, in order."""
    return tuple(
        instruction.operands[i] for i in meaning.positions(role, len(instruction.operands))
    )


def is_floating(type_name: str) -> bool:
    return type_name.startswith(("f", "bf", "tf", "e4", "e5"))


_COMPARISONS = frozenset(
    (
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "lo",
        "ls",
        "hi",
        "hs",
        "equ",
        "neu",
        "ltu",
        "leu",
        "gtu",
        "geu",
        "num",
        "nan",
    )
)
_SPACES = ("shared", "global", "local", "const", "param")
_CACHES = frozenset({"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"})
_VOLATILE = frozenset({"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"})
_ATOMICS = {
    "add": "add",
    "min": "min",
    "max": "max",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "exch": "exch",
    "cas": "cas",
    "inc": "inc",
    "dec": "dec",
}
_SHUFFLES = {"idx": "idx", "up": "up", "down": "down", "bfly": "xor"}
_VOTES = {"any": "any", "all": "all", "ballot": "ballot"}
_UNCOMPUTED_FLOAT = frozenset({"mov", "cvt", "cvta", "selp", "float", "packed", "opaque"})


@cache
def _rules() -> dict[str, list[dict[str, Any]]]:
    return parsed(
        "ptx-opcodes", [resources.files(__package__).joinpath("opcodes.toml").read_text("utf-8")]
    )[0]


def meaning(instruction: PtxInstruction) -> PtxMeaning:
    """Classifies an instruction. An opcode that the table lacks is opaque: every operand may be a
    target."""
    present = {part.split("::")[0] for part in instruction.modifiers}
    for rule in _rules().get(instruction.opcode, ()):
        if present.issuperset(rule.get("with", ())):
            refine: Callable[[PtxInstruction, dict[str, Any]], PtxMeaning] = _REFINE.get(
                rule["kind"], _plain
            )
            return refine(instruction, rule)
    return PtxMeaning("opaque", roles=("mbarrier*",))


def _types(instruction: PtxInstruction) -> list[str]:
    return [m for m in instruction.modifiers if m in TYPE_BITS]


def _space(instruction: PtxInstruction) -> str:
    found = next(
        (m.split("::")[0] for m in instruction.modifiers if m.split("::")[0] in _SPACES), ""
    )
    return "constant" if found == "const" else found


def _plain(instruction: PtxInstruction, rule: dict[str, Any], **more: Any) -> PtxMeaning:
    types = _types(instruction)
    fields = {
        "kind": rule["kind"],
        "operation": rule.get("operation", ""),
        "roles": tuple(rule.get("roles", ())),
        "type": types[-1] if types else "",
        "space": _space(instruction),
        "hardware_op": rule.get("hardware_op", ""),
        "scope": rule.get("scope", ""),
        "reason": rule.get("reason", "unsupported"),
        "wide": rule.get("wide", False),
        "uncounted": rule.get("uncounted", False),
    }
    return PtxMeaning(**{**fields, **more})


def _access(instruction: PtxInstruction, rule: dict[str, Any]) -> PtxMeaning:
    types = _types(instruction)
    count = next((int(m[1:]) for m in instruction.modifiers if m in ("v2", "v4", "v8")), 1)
    width = TYPE_BITS[types[-1]] // 8 if types else 0
    parts = frozenset(instruction.modifiers)
    return _plain(
        instruction,
        rule,
        count=count,
        bytes=count * width,
        volatile=bool(parts & _VOLATILE),
        cache=next((m for m in instruction.modifiers if m in _CACHES), ""),
    )


def _atomic(instruction: PtxInstruction, rule: dict[str, Any]) -> PtxMeaning:
    operation = next((_ATOMICS[m] for m in instruction.modifiers if m in _ATOMICS), "")
    found = _access(instruction, {**rule, "operation": operation})
    return found if operation else PtxMeaning("opaque", roles=("mbarrier*",))


def _copy(instruction: PtxInstruction, rule: dict[str, Any]) -> PtxMeaning:
    size = instruction.operands[2] if len(instruction.operands) > 2 else None
    width = size.value if isinstance(size, Immediate) and isinstance(size.value, int) else 0
    return _plain(
        instruction, rule, bytes=width, cache="cg" if "cg" in instruction.modifiers else "ca"
    )


def _matrix(instruction: PtxInstruction, rule: dict[str, Any]) -> PtxMeaning:
    count = next((int(m[1:]) for m in instruction.modifiers if m in ("x1", "x2", "x4")), 1)
    return _plain(instruction, rule, count=count, bytes=16)


def _assign(instruction: PtxInstruction, rule: dict[str, Any]) -> PtxMeaning:
    types = _types(instruction)
    operation = rule["operation"]
    if types and is_floating(types[-1]) and operation not in _UNCOMPUTED_FLOAT:
        operation = "float"
    packed = any(t.endswith("x2") for t in types)
    comparison = next((m for m in instruction.modifiers if m in _COMPARISONS), "")
    combine = (
        next((m for m in instruction.modifiers if m in ("and", "or", "xor")), "")
        if operation in ("setp", "set")
        else ""
    )
    two = operation in ("cvt", "set", "slct") and len(types) > 1
    return _plain(
        instruction,
        rule,
        operation="packed" if packed and operation not in ("mov", "selp") else operation,
        type=types[0] if two else (types[-1] if types else ""),
        source_type=types[-1] if two else "",
        comparison=comparison,
        combine=combine,
    )


def _shuffle(instruction: PtxInstruction, rule: dict[str, Any]) -> PtxMeaning:
    operation = next((_SHUFFLES[m] for m in instruction.modifiers if m in _SHUFFLES), "idx")
    return _plain(
        instruction, rule, operation=operation, synchronised="sync" in instruction.modifiers
    )


def _vote(instruction: PtxInstruction, rule: dict[str, Any]) -> PtxMeaning:
    if rule.get("operation"):
        return _plain(instruction, rule)
    if instruction.opcode == "redux":
        operation = next((m for m in instruction.modifiers if m in _ATOMICS), "")
        return _plain(instruction, rule, operation=f"reduce_{operation}")
    operation = next((_VOTES[m] for m in instruction.modifiers if m in _VOTES), "")
    if not operation:  # vote.uni
        return _plain(instruction, {**rule, "kind": "opaque", "reason": "lane-exchange"})
    return _plain(instruction, rule, operation=operation)


def _barrier(instruction: PtxInstruction, rule: dict[str, Any]) -> PtxMeaning:
    """`bar.sync a, b` makes only b threads wait."""
    counted = (
        rule.get("scope") == "block"
        and "threads?" in rule.get("roles", ())
        and len(instruction.operands) > 1
    )
    return _plain(instruction, rule, scope="tile" if counted else rule["scope"])


_REFINE: dict[str, Callable[[PtxInstruction, dict[str, Any]], PtxMeaning]] = {
    "load": _access,
    "store": _access,
    "atomic": _atomic,
    "copy": _copy,
    "matrix": _matrix,
    "assign": _assign,
    "shuffle": _shuffle,
    "vote": _vote,
    "barrier": _barrier,
}
