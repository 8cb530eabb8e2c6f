"""The compile stage's rules on hand-built kernels. Each shape is one that tests/compiler generates
and nvcc compiled."""

from __future__ import annotations

from dataclasses import dataclass, field

from kernlint.base.span import Span
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.ir.types import FLOAT, INT, Array, Pointer, Type
from kernlint.optimizer.compiler import risks
from kernlint.optimizer.compiler_facts import LoopFacts
from tests.optimizer.table.test_compiler_table import lowered

SHARED = ir.MemoryObject("s", "shared", Array(FLOAT, 1024), 4096, 4)
OTHER = ir.MemoryObject("q", "shared", Array(FLOAT, 1024), 4096, 4)
TID = ir.Builtin(INT, "tid.x")


def number(value: int) -> ir.Constant:
    return ir.Constant(INT, value)


def op(operator: str, left: ir.Expression, right: ir.Expression | int) -> ir.Binary:
    return ir.Binary(left.type, operator, left, number(right) if isinstance(right, int) else right)


@dataclass
class Build:
    """A kernel under construction: `pointer` parameters by name, statements, and the sites by
    label."""

    restrict: bool = False
    body: list[ir.Statement] = field(default_factory=list)
    parameters: dict[str, ir.Parameter] = field(default_factory=dict)
    sites: dict[str, ir.AccessSite] = field(default_factory=dict)

    def pointer(self, name: str) -> ir.Expression:
        if name not in self.parameters:
            memory = ir.MemoryObject(name, "global", FLOAT, None, 4, parameter=name)
            variable = ir.Variable(name, Pointer(FLOAT, "global", restrict=self.restrict))
            self.parameters[name] = ir.Parameter(name, variable, memory)
        return ir.Read(self.parameters[name].variable.type, self.parameters[name].variable)

    def place(self, base: str | ir.MemoryObject, index: ir.Expression | int) -> ir.Expression:
        start = (
            self.pointer(base)
            if isinstance(base, str)
            else ir.Address(Pointer(FLOAT, "shared"), base)
        )
        return op("+", start, op("*", number(index) if isinstance(index, int) else index, 4))

    def site(self, label: str, kind: str) -> ir.AccessSite:
        self.sites[label] = ir.AccessSite(
            Span("k.cu", len(self.sites) + 1, 1, 1, 2), label, kind, kind, ((0, 4),), 1
        )
        return self.sites[label]

    def load(
        self,
        label: str,
        base: str | ir.MemoryObject,
        index: ir.Expression | int,
        type_: Type = FLOAT,
    ) -> ir.Load:
        return ir.Load(
            ((0, ir.Variable(label, type_)),), self.place(base, index), self.site(label, "load")
        )

    def store(
        self,
        label: str,
        base: str | ir.MemoryObject,
        index: ir.Expression | int,
        value: ir.Expression | None = None,
    ) -> ir.Store:
        return ir.Store(
            self.place(base, index), ((0, value or number(1)),), self.site(label, "store")
        )

    def kinds(
        self, *body: ir.Statement, loops: dict[ir.Loop, LoopFacts] | None = None
    ) -> dict[str, set[str]]:
        kernel = ir.Kernel(
            "k",
            "k",
            (),
            Span("k.cu", 1, 1, 9, 1),
            tuple(self.parameters.values()),
            body,
            (SHARED, OTHER),
            ir.Label("return"),
            "cuda",
        )
        found = risks(kernel, loops)
        return {label: {r.kind for r in found.get(site, ())} for label, site in self.sites.items()}


def value(load: ir.Load) -> ir.Expression:
    return ir.Read(load.targets[0][1].type, load.targets[0][1])


def barrier(scope: str = "block") -> ir.Barrier:
    return ir.Barrier(ir.BarrierSite(Span("k.cu", 1, 1, 1, 2), "__syncthreads()", scope))


def counted(
    trip: ir.Expression | int, body: ir.Body, k: ir.Variable, unroll: int | None = None
) -> ir.Body:
    read = ir.Read(INT, k)
    loop = ir.Loop(
        ir.Label("l"),
        (),
        op("<", read, trip),
        body,
        (ir.Assign(k, op("+", read, 1)),),
        ir.BranchSite(Span("k.cu", 1, 1, 1, 2), "for", "k < n"),
        unroll=unroll,
    )
    return (ir.Assign(k, number(0)), loop)


def branch(
    condition: ir.Expression,
    then: tuple[ir.Statement, ...],
    otherwise: tuple[ir.Statement, ...] = (),
) -> ir.If:
    return ir.If(condition, then, otherwise, ir.BranchSite(Span("k.cu", 1, 1, 1, 2), "if", "c"))


def test_grid_stride_copy_runs_as_written() -> None:
    b = Build()
    k = ir.Variable("k", INT)
    load = b.load("load", "a", ir.Read(INT, k))
    store = b.store("store", "o", ir.Read(INT, k), value(load))
    loop = ir.Loop(
        ir.Label("l"),
        (),
        op("<", ir.Read(INT, k), ir.Read(INT, ir.Variable("n", INT))),
        (load, store),
        (
            ir.Assign(
                k,
                op(
                    "+",
                    ir.Read(INT, k),
                    op("*", ir.Builtin(INT, "nctaid.x"), ir.Builtin(INT, "ntid.x")),
                ),
            ),
        ),
        ir.BranchSite(Span("k.cu", 1, 1, 1, 2), "for", ""),
    )
    assert b.kinds(ir.Assign(k, TID), loop) == {"load": set(), "store": set()}


def test_neighbouring_shared_words_merge_only_when_aligned() -> None:
    for scale, merged in ((2, True), (4, True), (1, False), (3, False)):
        b = Build()
        x = b.load("x", SHARED, op("*", TID, scale))
        y = b.load("y", SHARED, op("+", op("*", TID, scale), 1))
        store = b.store("o", "o", TID, op("*", value(x), value(y)))
        kinds = b.kinds(x, y, store)
        assert ("merged" in kinds["x"], "merged" in kinds["y"], kinds["o"]) == (
            merged,
            merged,
            set(),
        ), scale


def test_barrier_prevents_merging_and_forwarding_of_shared_memory() -> None:
    b = Build()
    x, y, z = (
        b.load("x", SHARED, op("*", TID, 2)),
        b.load("y", SHARED, op("+", op("*", TID, 2), 1)),
        b.load("z", SHARED, op("*", TID, 2)),
    )
    store = b.store("o", "o", TID, op("*", value(x), op("*", value(y), value(z))))
    assert b.kinds(x, barrier(), y, barrier("warp"), z, store) == {
        "x": set(),
        "y": set(),
        "z": set(),
        "o": set(),
    }


def test_global_neighbours_are_never_merged() -> None:
    b = Build()
    x, y = b.load("x", "a", op("*", TID, 4)), b.load("y", "a", op("+", op("*", TID, 4), 1))
    assert b.kinds(x, y, b.store("o", "o", TID, op("*", value(x), value(y)))) == {
        "x": set(),
        "y": set(),
        "o": set(),
    }


def test_unrolled_row_of_shared_memory_merges() -> None:
    table = (
        (None, 16, 16, True),
        (1, 16, 16, False),
        (None, 17, 16, False),
        (None, 16, None, True),
        (None, 17, None, False),
    )
    for unroll, pitch, trip, merged in table:
        b, k, total = Build(), ir.Variable("k", INT), ir.Variable("x", FLOAT)
        load = b.load("row", SHARED, op("+", op("*", TID, pitch), ir.Read(INT, k)))
        body = (load, ir.Assign(total, op("+", ir.Read(FLOAT, total), value(load))))
        loop = counted(trip or ir.Read(INT, ir.Variable("n", INT)), body, k, unroll)
        kinds = b.kinds(
            ir.Assign(total, number(0)), *loop, b.store("o", "o", TID, ir.Read(FLOAT, total))
        )
        assert kinds == {"row": {"merged"} if merged else set(), "o": set()}, (unroll, pitch, trip)


def test_second_load_forwards_unless_a_store_may_alias() -> None:
    for restrict, between, expected in (
        (False, None, True),
        (False, "o", False),
        (True, "o", True),
    ):
        b = Build(restrict)
        x, y = b.load("x", "a", TID), b.load("y", "a", TID)
        middle = () if between is None else (b.store("b", between, op("+", TID, 7)),)
        kinds = b.kinds(x, *middle, y, b.store("o", "o", TID, op("*", value(x), value(y))))
        assert ("forwarded" in kinds["y"], kinds["x"]) == (expected, set())


def test_unused_load_is_eliminated() -> None:
    b = Build()
    x = b.load("x", "a", TID)
    unused = ir.Assign(ir.Variable("y", FLOAT), op("*", value(x), value(x)))
    assert b.kinds(x, unused, b.store("o", "o", TID)) == {"x": {"eliminated"}, "o": set()}


def test_loop_invariant_shared_load_is_hoisted_without_a_barrier() -> None:
    for inside, hoisted in (((), True), ((barrier(),), False)):
        b, k, total = Build(), ir.Variable("k", INT), ir.Variable("x", FLOAT)
        load = b.load("x", SHARED, TID)
        body = (load, ir.Assign(total, op("+", ir.Read(FLOAT, total), value(load))), *inside)
        loop = counted(ir.Read(INT, ir.Variable("n", INT)), body, k)
        kinds = b.kinds(
            ir.Assign(total, number(0)), *loop, b.store("o", "o", TID, ir.Read(FLOAT, total))
        )
        assert ("hoisted" in kinds["x"]) == hoisted


def test_an_accumulator_in_memory_is_kept_in_a_register_unless_a_load_may_read_it() -> None:
    for restrict in (True, False):
        b, k = Build(restrict), ir.Variable("k", INT)
        held, new = (
            b.load("held", "o", TID),
            b.load("new", "a", op("+", TID, op("*", ir.Read(INT, k), 256))),
        )
        body = (held, new, b.store("sum", "o", TID, op("+", value(held), value(new))))
        kinds = b.kinds(*counted(ir.Read(INT, ir.Variable("n", INT)), body, k))
        assert kinds["sum"] == ({"promoted"} if restrict else set()) and kinds["new"] == set()


def test_reduction_with_barriers_runs_as_written() -> None:
    b, h, v = Build(), ir.Variable("h", INT), ir.Variable("v", FLOAT)
    first = b.load("in", "a", TID)
    put = b.store("put", SHARED, TID, value(first))
    other = b.load("other", SHARED, op("+", TID, ir.Read(INT, h)))
    add = ir.Assign(v, op("+", ir.Read(FLOAT, v), value(other)))
    back = b.store("back", SHARED, TID, ir.Read(FLOAT, v))
    loop = ir.Loop(
        ir.Label("l"),
        (),
        op(">", ir.Read(INT, h), 0),
        (branch(op("<", TID, ir.Read(INT, h)), (other, add, back)), barrier()),
        (ir.Assign(h, op(">>", ir.Read(INT, h), 1)),),
        ir.BranchSite(Span("k.cu", 1, 1, 1, 2), "for", ""),
    )
    out = branch(
        op("==", TID, 0), (b.store("out", "o", ir.Builtin(INT, "ctaid.x"), ir.Read(FLOAT, v)),)
    )
    for start in (number(128), ir.Builtin(INT, "ntid.x")):
        kinds = b.kinds(
            first, ir.Assign(v, value(first)), put, barrier(), ir.Assign(h, start), loop, out
        )
        assert kinds == {"in": set(), "put": set(), "other": set(), "back": set(), "out": set()}


def test_load_needed_in_one_branch_sinks() -> None:
    for between, sunk in (((), True), ((barrier(),), False)):
        b = Build()
        x = b.load("x", SHARED, TID)
        later = branch(
            op("<", TID, ir.Read(INT, ir.Variable("n", INT))), (b.store("o", "o", TID, value(x)),)
        )
        assert ("sunk" in b.kinds(x, *between, later)["x"]) == sunk


def test_both_arms_loading_may_become_one_load() -> None:
    b, x = Build(), ir.Variable("x", FLOAT)
    one, two = b.load("one", "a", TID), b.load("two", "a", op("+", TID, 64))
    choose = branch(
        op("&", TID, 1), (one, ir.Assign(x, value(one))), (two, ir.Assign(x, value(two)))
    )
    kinds = b.kinds(choose, b.store("o", "o", TID, ir.Read(FLOAT, x)))
    assert kinds == {"one": {"speculated"}, "two": {"speculated"}, "o": set()}


def test_overwritten_store_is_eliminated() -> None:
    b = Build()
    kinds = b.kinds(b.store("first", "a", TID), b.store("second", "a", TID))
    assert kinds == {"first": {"eliminated"}, "second": set()}
    b = Build()
    assert b.kinds(b.store("first", "a", TID), barrier(), b.store("second", "a", TID)) == {
        "first": set(),
        "second": set(),
    }


def test_lanes_that_run_different_counts_drift_in_an_unrolled_loop() -> None:
    b, k, total = Build(), ir.Variable("k", INT), ir.Variable("x", FLOAT)
    load = b.load("x", "a", op("+", op("*", ir.Read(INT, k), 64), TID))
    body = (load, ir.Assign(total, op("+", ir.Read(FLOAT, total), value(load))))
    start, loop = counted(TID, body, k)
    assert isinstance(loop, ir.Loop)
    kinds = b.kinds(
        start,
        loop,
        b.store("o", "o", TID, ir.Read(FLOAT, total)),
        loops={loop: LoopFacts(lane_varying=True)},
    )
    assert "drifted" in kinds["x"]


NESTED = """__global__ void k(float *o, const float *x, int n) {
    int first = threadIdx.x & 7;
    for (int j = 0; j < n; j++)
        for (int i = first; i < n; i++)
            o[i * 64 + threadIdx.x] = 1;
    for (int i = first; i < n; i++) {
        o[i * 64 + threadIdx.x] = 2;
        if (i & 1) o[i * 64 + threadIdx.x + 1] = 3;
    }
    for (int i = first; i < n; i++) {
        if (x[i] > 0) continue;
        o[i * 64 + threadIdx.x] = 4;
    }
}
"""


def test_lanes_that_drift_may_meet_where_an_iteration_need_not_execute_the_access() -> None:
    """Measured: 0.7 % fewer requests than written in the inner of two such loops (psamask of mmcv
    on an H100)."""
    kernel = lowered("k", NESTED)
    loops = {
        s: LoopFacts(lane_varying=True, max_trip=16, share=0.5)
        for s in walk(kernel.body)
        if isinstance(s, ir.Loop)
    }
    found = {
        site.charged_line: {r.kind: r.factor for r in some}.get("drifted")
        for site, some in risks(kernel, loops).items()
    }
    meeting = (1 - 0.5 * 31 / 32, 1.5)
    assert [found[line] for line in (5, 7, 8, 12)] == [meeting, (1, 1.5), meeting, meeting]


def test_drifting_says_how_many_requests_the_machine_may_make() -> None:
    """A softmax over 1000 columns by 128 threads: 159,744 requests where 131,072 are written,
    512,000 sectors either way (H100)."""
    kernel = lowered("k", NESTED)
    loops = {
        s: LoopFacts(lane_varying=True, max_trip=16, share=0.5)
        for s in walk(kernel.body)
        if isinstance(s, ir.Loop)
    }
    texts = {r.text for some in risks(kernel, loops).values() for r in some if r.kind == "drifted"}
    assert texts and all(
        "up to 1.50 times these requests" in text for text in texts if "copies" in text
    )
