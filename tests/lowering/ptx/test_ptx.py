"""Inline PTX: parsing, meaning, and lowering of asm statements as real code writes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import pytest

from kernlint.base.span import SourceError, Span
from kernlint.ir import nodes as ir
from kernlint.ir.types import DOUBLE, FLOAT, INT, LONGLONG, UINT, ULONGLONG, Pointer
from kernlint.lowering.calls.assembly import AsmValue, statements
from kernlint.model.reasons import REASONS
from kernlint.source.ptx.inline import parse_asm
from kernlint.source.ptx.meaning import meaning
from kernlint.source.ptx.nodes import (
    Address,
    Immediate,
    Negated,
    Pair,
    Predicate,
    PtxDeclaration,
    PtxInstruction,
    PtxLabel,
    Reference,
    Register,
    Special,
    Symbol,
    Vector,
)

SPAN = Span("k.cu", 10, 5, 10, 60)


def instructions(template: str) -> list[PtxInstruction]:
    return [s for s in parse_asm(template, SPAN) if isinstance(s, PtxInstruction)]


def one(template: str) -> PtxInstruction:
    (found,) = instructions(template)
    return found


# The latency measurement of the GTX 780 Ti paper, exactly as it prints the template.
LATENCY = "bar.sync 0;\n\tmov.u32 %0, %%clock;\n\tld.volatile.shared.f64 %2, [%a0];\n\tmov.u32 %1, %%clock;\n\t"


def test_latency_listing() -> None:
    barrier, begin, load, end = instructions(LATENCY)
    assert (barrier.opcode, barrier.modifiers, barrier.operands) == (
        "bar",
        ("sync",),
        (Immediate(0),),
    )
    assert begin.operands == (Reference(0), Special("clock"))
    assert end.operands == (Reference(1), Special("clock"))
    assert load.name == "ld.volatile.shared.f64"
    assert load.operands == (Reference(2), Address(Reference(0), Immediate(0)))
    assert meaning(load).volatile and meaning(load).space == "shared" and meaning(load).bytes == 8
    assert LATENCY[load.offset :].startswith(load.text)


@pytest.mark.parametrize("template", ["ld.shared.f64 reg, [addr];", "mov.u32 reg, %clock;"])
def test_listing_fragments(template: str) -> None:
    assert one(template).operands[0] == Symbol("reg")


STATEMENTS = [
    "mov.u32 %0, %%laneid;",
    "mov.u32 %0, %laneid;",
    "mov.u64 %0, %%globaltimer;",
    "{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }\n",
    "{.reg.pred p;\nsetp.ne.b32 p,%1,0;\n@p ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %2, %3, %4}, [%5];}",
    "@!%%p bra DONE;",
    "cp.async.ca.shared.global.L2::128B [%0], [%1], %2, %3;",
    "cp.async.commit_group;",
    "cp.async.wait_group %0;\n",
    "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%3, %4, %5}], [%2], %6;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;",
    "ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 {%0, %1, %2, %3}, [%4];",
    "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};",
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};",
    "{ .reg .pred p; setp.ne.b32 p, %4, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %5, %6, p, 1, 1, 0, 1; }",
    "wgmma.fence.sync.aligned;\n",
    "mbarrier.init.shared::cta.b64 [%0], %1;",
    "{\n.reg .pred P1;\nWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra.uni DONE;\nbra.uni WAIT;\nDONE:\n}",
    "LAB_%=:\n nanosleep.u32 20;",
    "shfl.sync.down.b32 %0|p, %1, 1, 0x1f, -1;",
    "vote.sync.ballot.b32 %0, %1, 0xffffffff;",
    "elect.sync _|%%px, %2;",
    "red.release.gpu.global.add.s32 [%0], %1;",
    "atom.global.cas.b128 %0, [%1], %2, %3;",
    "atom.add.noftz.f16x2 %0, [%1+4], %2;",
    "fma.rn.f32x2 %0, %1, %2, %3;",
    "mov.b32 %0, {%1, %2};",
    "mov.b64 {lo, hi}, %1; // split\n",
    "mul.f32 %0, %1, 0f3FB8AA3B; /* log2(e) */ ex2.approx.ftz.f32 %0, %0;",
    "lop3.b32 %0, %1, %2, %3, (0xf0 & 0xCC) | 0xAA;".replace("(0xf0 & 0xCC) | 0xAA", "0xEA"),
    "ld.shared.u32 %0, [%1 + 4 * 8];",
    "st.global.cs.v2.b64 [%0+-16], {%1, %2};",
    'call (retval), __assertfail, (a, b, c);  .pragma "nounroll";',
    "bar.sync %0, %1;",
    "ld.param.u64 %%rd<2>;".replace(" %%rd<2>", " %0, [param]"),
    "prefetch.global.L2 [%0]",
    "tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];",
    "griddepcontrol.wait;;",
    "tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];",
    "fence.proxy.tensormap::generic.acquire.gpu [%0], 128;",
    "createpolicy.fractional.L2::evict_last.b64 %0, 1.0;",
    "mad.wide.u32 %[sum], %[a], 4, %[base];",
    "",
    "// nothing but a comment",
]


@pytest.mark.parametrize("template", STATEMENTS)
def test_parses(template: str) -> None:
    for instruction in instructions(template):
        assert meaning(instruction) != meaning(one("no_such_opcode;")), instruction.text
        assert meaning(instruction).reason in REASONS
        assert (
            template[instruction.offset : instruction.offset + len(instruction.text)]
            == instruction.text
        )


@pytest.mark.parametrize(
    ("template", "line", "column"),
    [
        ("mov.u32 %0 %1;", 1, 12),
        ("mov.u32 %0, %1;\nadd.s32 %0, ;", 2, 13),
        ("ld.global.f32 %0, [%1", 1, 22),
        ("mov.u32 %0, #1;", 1, 13),
    ],
)
def test_errors_name_the_place(template: str, line: int, column: int) -> None:
    with pytest.raises(SourceError) as raised:
        parse_asm(template, SPAN)
    assert f"line {line} column {column} " in raised.value.message
    assert raised.value.span is SPAN


def test_scopes_and_declarations() -> None:
    found = parse_asm(
        "{ .reg .b32 a, r<2>; mov.b32 a, r1; { .reg .b32 a; mov.b32 a, 1; } add.s32 %0, a, 1; }",
        SPAN,
    )
    assert found[0] == PtxDeclaration("reg", "b32", ("a", "r0", "r1"), None, 1, 2)
    inner, outer = [s for s in found if isinstance(s, PtxInstruction)][1:]
    assert inner.operands[0] == Register("a#2")
    assert outer.operands[1] == Register("a")
    array = parse_asm(".shared .align 16 .b8 buf[256];", SPAN)[0]
    assert isinstance(array, PtxDeclaration)
    assert (array.space, array.type, array.names, array.count, array.align) == (
        "shared",
        "b8",
        ("buf",),
        256,
        16,
    )


def test_operand_forms() -> None:
    guarded = one("@!p st.global.v2.u32 [%0+-8], {%1, 0x10};")
    assert guarded.predicate == Predicate(Symbol("p"), True)
    assert guarded.operands == (
        Address(Reference(0), Immediate(-8)),
        Vector((Reference(1), Immediate(16))),
    )
    assert one("setp.lt.and.s32 p|q, %0, -010, !r;").operands == (
        Pair(Symbol("p"), Symbol("q")),
        Reference(0),
        Immediate(-8),
        Negated(Symbol("r")),
    )
    real = one("mov.f32 %0, 0f40490FDB;").operands[1]
    assert isinstance(real, Immediate) and real.value == pytest.approx(3.14159265, abs=1e-7)
    assert one("mov.b32 %0, (1 << 4) * 3;").operands[1] == Immediate(48)
    tensor = one("prefetch.tensor [%0, {%1, %2}];").operands[0]
    assert tensor == Address(Reference(0), Immediate(0), (Vector((Reference(1), Reference(2))),))
    assert isinstance(parse_asm("L:", SPAN)[0], PtxLabel)


@pytest.mark.parametrize(
    ("template", "kind", "expected"),
    [
        (
            "ld.global.nc.L1::no_allocate.v4.f32 {%0,%1,%2,%3}, [%4];",
            "load",
            {"space": "global", "bytes": 16, "count": 4, "cache": "nc"},
        ),
        ("ld.relaxed.gpu.u8 %0, [%1];", "load", {"space": "", "bytes": 1, "volatile": True}),
        ("st.shared::cta.v2.b64 [%0], {%1,%2};", "store", {"space": "shared", "bytes": 16}),
        (
            "atom.acq_rel.gpu.shared.min.s64 %0, [%1], %2;",
            "atomic",
            {"operation": "min", "space": "shared", "bytes": 8},
        ),
        ("atom.cas.b32 %0, [%1], %2, %3;", "atomic", {"operation": "cas", "hardware_op": "cas"}),
        ("red.shared.inc.u32 [%0], %1;", "atomic", {"operation": "inc"}),
        ("cp.async.cg.shared.global [%0], [%1], 16, %2;", "copy", {"bytes": 16, "cache": "cg"}),
        ("cp.async.wait_all;", "copy_group", {"operation": "wait"}),
        ("cp.async.bulk.wait_group.read 0;", "ignored", {}),
        (
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];",
            "opaque",
            {},
        ),
        (
            "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];",
            "matrix",
            {"count": 2, "hardware_op": "ldmatrix"},
        ),
        ("bar.sync 0;", "barrier", {"scope": "block"}),
        ("bar.sync 1, 64;", "barrier", {"scope": "tile"}),
        ("bar.arrive 1, 64;", "barrier", {"scope": "memory"}),
        ("bar.warp.sync -1;", "barrier", {"scope": "warp"}),
        ("fence.acq_rel.gpu;", "barrier", {"scope": "memory"}),
        ("shfl.bfly.b32 %0, %1, 1, 0x1f;", "shuffle", {"operation": "xor", "synchronised": False}),
        ("vote.ballot.b32 %0, p;", "vote", {"operation": "ballot"}),
        ("redux.sync.max.s32 %0, %1, -1;", "vote", {"operation": "reduce_max"}),
        ("add.f32 %0, %1, %2;", "assign", {"operation": "float"}),
        ("mul.wide.s32 %0, %1, %2;", "assign", {"operation": "*", "wide": True}),
        ("cvt.u32.u64 %0, %1;", "assign", {"type": "u32", "source_type": "u64"}),
        ("setp.geu.f32 p, %0, %1;", "assign", {"operation": "float"}),
        ("trap;", "exit", {}),
    ],
)
def test_meaning(template: str, kind: str, expected: dict[str, Any]) -> None:
    found = meaning(one(template))
    assert found.kind == kind
    assert {name: getattr(found, name) for name in expected} == expected


# ------------------------------------------------------------------ lowering


@dataclass
class Sites:
    span: Span = SPAN
    left: list[str] = field(default_factory=list)

    def access(
        self,
        text: str,
        op: str,
        hardware_op: str,
        pieces: tuple[tuple[int, int], ...],
        *,
        volatile: bool,
        vector: bool,
        floating: bool,
        used: bool,
    ) -> ir.AccessSite:
        return ir.AccessSite(
            SPAN, text, op, hardware_op, pieces, 10, volatile, vector, used, floating=floating
        )

    def branch(self, kind: str, condition: str) -> ir.BranchSite:
        return ir.BranchSite(SPAN, kind, condition)

    def barrier(self, text: str, scope: str, exchange: bool = False) -> ir.BarrierSite:
        return ir.BarrierSite(SPAN, text, scope)

    def uncounted(self, name: str) -> None:
        self.left.append(name)


SHARED = ir.Variable("p", UINT)
GLOBAL = ir.Variable("g", Pointer(FLOAT))
NUMBER = ir.Variable("n", INT)


def lower(
    template: str, outputs: list[Any], inputs: list[ir.Variable]
) -> tuple[tuple[ir.Statement, ...], list[ir.Variable]]:
    targets = [ir.Variable(f"out{i}", t) for i, t in enumerate(outputs)]
    operands = [AsmValue(None, t) for t in targets] + [AsmValue(ir.Read(v.type, v)) for v in inputs]
    return statements(parse_asm(template, SPAN), operands, Sites()), targets


def walk(node: Any) -> Iterator[Any]:
    if isinstance(node, tuple):
        for item in node:
            yield from walk(item)
    elif is_dataclass(node) and not isinstance(node, (Span, type)):
        yield node
        for field in fields(node):
            yield from walk(getattr(node, field.name))


def test_latency_listing_lowered() -> None:
    body, (begin, end, _reg) = lower(LATENCY, [UINT, UINT, DOUBLE], [])
    assert [type(s).__name__ for s in body] == ["Barrier", "Assign", "Load", "Assign", "Assign"]
    clocks = [s for s in body if isinstance(s, ir.Assign) and s.variable in (begin, end)]
    assert all(
        isinstance(s.value, ir.Unknown) and s.value.reason == "clock" and not s.value.pure
        for s in clocks
    )
    load = next(s for s in body if isinstance(s, ir.Load))
    assert load.site.pieces == ((0, 8),) and load.site.volatile and load.site.floating
    assert isinstance(load.address.type, Pointer) and load.address.type.space == "shared"


def test_vector_load_from_a_shared_integer_address() -> None:
    body, targets = lower("ld.shared.v2.u32 {%0, %1}, [%2+8];", [UINT, UINT], [SHARED])
    load = body[0]
    assert isinstance(load, ir.Load)
    assert [offset for offset, _ in load.targets] == [0, 4]
    assert load.site.pieces == ((0, 8),) and load.site.vector
    address = load.address
    assert (
        isinstance(address, ir.Binary)
        and isinstance(address.left, ir.Convert)
        and isinstance(address.right, ir.Constant)
    )
    assert address.right.value == 8 and address.left.operand.type == UINT
    assert [s.variable for s in body[1:] if isinstance(s, ir.Assign)] == targets


def test_guarded_load_keeps_the_old_value() -> None:
    template = "{ .reg .pred p; setp.ne.b32 p, %2, 0; mov.b32 %0, 0; @p ld.global.u32 %0, [%1]; }"
    body, (target,) = lower(template, [UINT], [GLOBAL, NUMBER])
    guarded = body[-1]
    assert isinstance(guarded, ir.If) and not guarded.otherwise and guarded.site.kind == "if"
    assert (
        isinstance(guarded.then[0], ir.Load)
        and guarded.then[0].site.text == "@p ld.global.u32 %0, [%1]"
    )
    zero = body[-2]
    assert (
        isinstance(zero, ir.Assign)
        and zero.variable is target
        and isinstance(zero.value, ir.Constant)
        and zero.value.value == 0
    )


def test_async_copy_with_source_size() -> None:
    body, _ = lower("cp.async.cg.shared.global [%0], [%1], 16, %2;", [], [SHARED, GLOBAL, NUMBER])
    (choice,) = body
    assert isinstance(choice, ir.If)
    copy, fill = choice.then[0], choice.otherwise[0]
    assert isinstance(copy, ir.Copy) and isinstance(fill, ir.Store)
    assert copy.destination_site is fill.site and copy.source_site.pieces == ((0, 16),)
    (plain,), _ = lower("cp.async.ca.shared.global [%0], [%1], 8;", [], [SHARED, GLOBAL])
    assert isinstance(plain, ir.Copy) and plain.source_site.pieces == ((0, 8),)


def test_atomics_and_matrices() -> None:
    body, (old,) = lower("atom.shared.cas.b32 %0, [%1], %2, 7;", [UINT], [SHARED, NUMBER])
    atomic = body[0]
    assert (
        isinstance(atomic, ir.Atomic)
        and atomic.operation == "cas"
        and len(atomic.operands) == 2
        and atomic.site.hardware_op == "cas"
    )
    assert isinstance(body[1], ir.Assign) and body[1].variable is old
    (reduction,), _ = lower("red.global.add.f32 [%0], %1;", [], [GLOBAL, ir.Variable("x", FLOAT)])
    assert (
        isinstance(reduction, ir.Atomic)
        and reduction.target is None
        and not reduction.site.result_used
        and reduction.site.floating
    )
    (matrix,), targets = lower(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];", [UINT] * 4, [SHARED]
    )
    assert (
        isinstance(matrix, ir.Matrix)
        and matrix.count == 4
        and list(matrix.targets) == targets
        and matrix.site.hardware_op == "ldmatrix"
    )
    (stored,), _ = lower(
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};", [], [SHARED, NUMBER]
    )
    assert isinstance(stored, ir.Matrix) and stored.site.op == "store" and not stored.targets


def test_shuffle_width_comes_from_the_clamp() -> None:
    body, _ = lower("shfl.sync.bfly.b32 %0, %1, 4, 0x181f, 0xffffffff;", [UINT], [NUMBER])
    shuffle = body[0]
    assert isinstance(shuffle, ir.Shuffle) and shuffle.kind == "xor" and shuffle.synchronised
    assert isinstance(shuffle.width, ir.Constant) and shuffle.width.value == 8
    odd, _ = lower("shfl.sync.down.b32 %0, %1, 1, 0x07, -1;", [UINT], [NUMBER])
    assert isinstance(odd[0], ir.Shuffle) and odd[0].site is not None, (
        "the lanes come together there all the same"
    )
    assert (
        isinstance(odd[1], ir.Assign)
        and isinstance(odd[1].value, ir.Unknown)
        and odd[1].value.reason == "lane-exchange"
    )


def test_generic_pointer_to_shared_integer() -> None:
    body, _ = lower(
        "{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }", [UINT], [GLOBAL]
    )
    reads = [n for n in walk(body) if isinstance(n, ir.Read) and n.variable is GLOBAL]
    assert len(reads) == 1 and not any(isinstance(n, ir.Unknown) for n in walk(body))


def test_swap_reads_before_it_writes() -> None:
    body, _ = lower(
        "{ .reg .b32 lo, hi; mov.b64 {lo, hi}, %1; mov.b64 %0, {hi, lo}; }",
        [ULONGLONG],
        [ir.Variable("x", LONGLONG)],
    )
    assert all(isinstance(s, ir.Assign) for s in body)
    assert {n.op for n in walk(body) if isinstance(n, ir.Binary)} == {">>", "<<", "|"}


def test_wait_loop_counts_nothing_and_real_loops_loop() -> None:
    polling = "{ .reg .pred P1; WAIT: mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1; @P1 bra DONE; bra WAIT; DONE: }"
    body, _ = lower(polling, [], [SHARED, NUMBER])
    assert not any(isinstance(n, (ir.Loop, ir.Load)) for n in walk(body))
    counting = (
        "{ .reg .pred p; L: ld.volatile.global.u32 %0, [%1]; setp.eq.u32 p, %0, 0; @p bra L; }"
    )
    loop, _ = lower(counting, [UINT], [GLOBAL])
    found = [n for n in walk(loop) if isinstance(n, ir.Loop)]
    assert len(found) == 1 and found[0].condition is None
    leaves = [n.label for n in walk(loop) if isinstance(n, ir.Leave)]
    assert found[0].label in leaves and len(leaves) == 2
    skip, _ = lower(
        "{ .reg .pred p; setp.lt.s32 p, %1, 0; @p bra END; ld.global.u32 %0, [%2]; END: }",
        [UINT],
        [NUMBER, GLOBAL],
    )
    region = skip[-1]
    assert isinstance(region, ir.Region)
    assert any(isinstance(n, ir.Leave) and n.label is region.label for n in walk(region.body))


def test_unstructured_branches_are_refused() -> None:
    with pytest.raises(SourceError):
        lower("bra elsewhere;", [], [])
    with pytest.raises(SourceError):
        lower("ret;", [], [])


def test_opaque_instructions_change_what_they_write() -> None:
    body, (first, _) = lower(
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0,%1}, {%2}, {%2}, {%0,%1};",
        [FLOAT, FLOAT],
        [NUMBER],
    )
    assert (
        isinstance(body[0], ir.Assign)
        and isinstance(body[0].value, ir.Unknown)
        and len(body[0].value.operands) == 4
    )
    assert (
        isinstance(body[1], ir.Assign)
        and body[1].variable is first
        and isinstance(body[1].value, ir.Unknown)
    )
    (taken, bulk), _ = lower(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 64, [%0];",
        [],
        [SHARED, GLOBAL],
    )
    assert isinstance(taken, ir.Taken) and taken.how == "used"
    assert isinstance(bulk, ir.Clobber) and bulk.pointers is not None and len(bulk.pointers) == 1
    (call,), _ = lower("call (r), f, (a, b);", [], [])
    assert isinstance(call, ir.Clobber) and call.pointers is None
    strange, (target,) = lower("frobnicate.b32 %0, [%1], %2;", [UINT], [GLOBAL, NUMBER])
    assert [type(s).__name__ for s in strange] == ["Assign", "Assign", "Clobber"] and strange[
        1
    ].variable is target


@pytest.mark.parametrize("template", [t for t in STATEMENTS if "bra DONE" not in t])
def test_everything_lowers(template: str) -> None:
    outputs = [UINT] * 20
    operands = [AsmValue(ir.Read(t, v), v) for t in outputs for v in (ir.Variable("v", t),)]
    operands += [AsmValue(ir.Read(UINT, SHARED), None, name) for name in ("sum", "a", "base")]
    for node in walk(statements(parse_asm(template, SPAN), operands, Sites())):
        if isinstance(node, ir.Unknown):
            assert node.reason in REASONS
