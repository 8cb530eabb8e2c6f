"""The asm statement from source text to IR: the listing that the latency paper prints, tied and
in-out operands, unreadable assembly."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kernlint.cli.main import main
from kernlint.ir import nodes as ir
from kernlint.ir.types import DOUBLE, FLOAT, INT, UINT, Pointer
from kernlint.lowering.calls.asm_statement import lower_asm
from kernlint.lowering.context import Lowerer
from kernlint.lowering.expressions.values import VariablePlace
from kernlint.lowering.handlers import EXPRESSIONS, HANDLERS
from kernlint.lowering.scopes import Scope
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from kernlint.source.lexer import tokenize
from kernlint.source.parser import tree
from kernlint.source.parser.parser import parse
from tests.execution.test_execution import run
from tests.places import DATA
from tests.support import needs


def asm_nodes(body: str) -> list[Any]:
    unit = parse(tokenize("__global__ void k() {\n" + body + "\n}\n", "k.cu"), "k.cu", "cuda")
    (function,) = unit.declarations
    found: list[Any] = []

    def visit(node: Any) -> None:
        if isinstance(node, tree.Asm):
            found.append(node)
        for _, child in node.children():
            visit(child)

    visit(function.lazy_body.parse())
    return found


VARIABLES = {
    "begin": ir.Variable("begin", UINT),
    "end": ir.Variable("end", UINT),
    "reg": ir.Variable("reg", DOUBLE),
    "i": ir.Variable("i", INT),
    "x": ir.Variable("x", FLOAT),
    "p": ir.Variable("p", Pointer(FLOAT)),
}


def lowered(node: Any, monkeypatch: pytest.MonkeyPatch) -> Lowerer:
    """Lowers one asm statement whose operands are plain names of VARIABLES."""
    program: Any = SimpleNamespace(language="cuda", text=lambda span: "", handlers=HANDLERS)
    low = Lowerer(program, Scope(None))
    names = {
        type(o.expr): lambda _low, n: VariablePlace(VARIABLES[n.name])
        for o in [*node.outputs, *node.inputs]
    }
    for kind, handler in names.items():
        monkeypatch.setitem(EXPRESSIONS, kind, handler)
    lower_asm(low, node)
    return low


LISTING = r"""asm volatile {OPEN}"bar.sync 0;\n\t" "mov.u32 %0, %%clock;\n\t"
    "ld.volatile.shared.f64 %2, [%a0];\n\t" "mov.u32 %1, %%clock;\n\t"
    : "=r"(begin), "=r"(end), "=l"(reg){CLOSE};"""


@needs.interpreted
@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("{ ", " }")])
def test_printed_listing(opening: str, closing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (node,) = asm_nodes(LISTING.replace("{OPEN}", opening).replace("{CLOSE}", closing))
    assert bool(node.braces) == (opening == "{ ")
    low = lowered(node, monkeypatch)
    assert [problem.note for problem in low.problems] == [True] * bool(node.braces)
    assert [type(s).__name__ for s in low.out[:3]] == ["Barrier", "Assign", "Load"]
    load = next(s for s in low.out if isinstance(s, ir.Load))
    assert (
        load.site.span.line == 2
        and load.site.charged_line == 2
        and load.site.volatile
        and load.site.pieces == ((0, 8),)
    )
    assigned = [s.variable for s in low.out if isinstance(s, ir.Assign)]
    assert [v for v in assigned if v in VARIABLES.values()] == [
        VARIABLES[n] for n in ("begin", "end", "reg")
    ]


@needs.interpreted
def test_in_out_operand(monkeypatch: pytest.MonkeyPatch) -> None:
    (node,) = asm_nodes('asm("add.s32 %0, %0, %1;" : "+r"(i) : "r"(begin));')
    low = lowered(node, monkeypatch)
    first, addition, taken, last = low.out
    assert isinstance(taken, ir.Taken) and taken.how == "seen"
    assert (
        isinstance(first, ir.Assign)
        and isinstance(first.value, ir.Read)
        and first.value.variable is VARIABLES["i"]
    )
    assert (
        isinstance(addition, ir.Assign)
        and isinstance(addition.value, ir.Binary)
        and addition.value.op == "+"
    )
    assert isinstance(last, ir.Assign) and last.variable is VARIABLES["i"]


@needs.interpreted
def test_tied_and_named_operands(monkeypatch: pytest.MonkeyPatch) -> None:
    (node,) = asm_nodes(
        'asm("ld.global.f32 %[v], [%[a]+4]; add.s32 %1, %2, 1;" : [v] "=f"(x), "=r"(i) : "1"(begin), [a] "l"(p));'
    )
    low = lowered(node, monkeypatch)
    tied = low.out[0]
    assert isinstance(tied, ir.Assign) and isinstance(tied.value, ir.Convert)
    load = next(s for s in low.out if isinstance(s, ir.Load))
    assert isinstance(load.address, ir.Binary) and load.site.floating and not load.site.volatile


@needs.interpreted
def test_unreadable_assembly_is_opaque(monkeypatch: pytest.MonkeyPatch) -> None:
    (node,) = asm_nodes('asm volatile("s_waitcnt vmcnt(0)" : "=r"(i));')
    low = lowered(node, monkeypatch)
    assert len(low.problems) == 1 and "line 1 column 16" in low.problems[0].message
    unknown, clobber, assigned = low.out
    assert isinstance(unknown, ir.Assign) and isinstance(unknown.value, ir.Unknown)
    assert isinstance(clobber, ir.Clobber) and clobber.pointers is None
    assert isinstance(assigned, ir.Assign) and assigned.variable is VARIABLES["i"]


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("{ .reg .pred q; setp; }", "`setp` needs 3 operands"),
        ("mov.u32;", "`mov.u32` needs 2 operands"),
        ("st.shared.f32 [%0];", "`st.shared.f32 [%0]` needs 2 operands"),
        ("shfl.sync.bfly.b32 %0;", "`shfl.sync.bfly.b32 %0` needs 4 operands"),
        ("ldmatrix.sync.aligned.m8n8.x4.shared.b16;", "needs 2 operands"),
        ("selp.u32 %0, 1;", "`selp.u32 %0, 1` needs 4 operands"),
        ("bar.sync;", ""),
    ],
)
def test_too_few_operands_cost_the_statement_alone(text: str, needed: str) -> None:
    source = f'__global__ void k(int *g) {{ int n; asm volatile("{text}" : "=r"(n)); g[0] = n; }}'
    found = engine.analyse_source(files.Source("k.cu", "cuda", source), Settings())
    (kernel,) = found.kernels
    told = [problem.message for problem in found.problems if problem.code == "KL003"]
    assert [message.endswith(needed) for message in told] == [True] * bool(needed)
    assert [access.text for access in kernel.accesses] == ["g[0]"]


def test_accesses_of_inline_assembly_are_charged_as_in_nvccs_line_table(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """To the line of the last input; to the call's where the access is the first instruction of an
    inlined body. The lines are those of nvcc 13.0.88's line table (`python -m
    tests.measured.charged_lines tests/data/charged_assembly.cu`)."""
    accesses = reported(DATA / "charged_assembly.cu", capsys)
    assert sorted(access["charged_line"] for access in accesses if access["line"] < 66) == [
        29,
        37,
        56,
        59,
        70,
        71,
        72,
        75,
        76,
        79,
    ]
    assert [access["charged_line"] for access in accesses if access["line"] == 80] == [83]


def test_the_line_of_a_call_is_told_with_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both instructions of the header's functions come first there, so they are charged to the
    calls in the file itself."""
    assembly, reference = (
        '__device__ int cached(const int *p) { int v; asm("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p)); return v; }\n',
        "__device__ void set(int &x, int v) { x = v; }\n",
    )
    (tmp_path / "load.cuh").write_text(assembly + reference)
    calls = "int i = threadIdx.x;\n int v = cached(p + i);\n set(p[i], v);"
    (tmp_path / "k.cu").write_text(
        f'#include "load.cuh"\n__global__ void k(int *p) {{ {calls} }}\n'
    )
    accesses = reported(tmp_path / "k.cu", capsys)
    places = [
        (Path(a["path"]).name, a["line"], Path(a["charged_path"]).name, a["charged_line"])
        for a in accesses
    ]
    assert places == [("load.cuh", 1, "k.cu", 3), ("load.cuh", 2, "k.cu", 4)]


def reported(path: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    main(
        [
            "report",
            "--no-cache",
            "--output-format",
            "json",
            "--block",
            "32",
            "--grid",
            "4",
            str(path),
        ]
    )
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["files"][0]["kernels"][0][
        "accesses"
    ]
    return found


WRAPPED = """// kernlint: launch(grid=1, block=32)
__device__ void load(unsigned (&r)[4], const void *p) {
    unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ void load_at(unsigned (&r)[4], unsigned at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__global__ void k(unsigned *o, const short *a) {
    __shared__ __align__(128) short s[4096];
    unsigned r[4];
    for (int k = threadIdx.x; k < 4096; k += 32) s[k] = a[k];
    __syncthreads();
    BODY
    o[threadIdx.x] = r[0] + r[1] + r[2] + r[3];
}
"""


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (
            "load(r, &s[threadIdx.x * 8]);",
            "range",
        ),  # LDSM on the wrapper's line: the address is made there
        (
            "unsigned at = __cvta_generic_to_shared(s); load_at(r, at + threadIdx.x * 16);",
            "exact",
        ),  # on the call's
    ],
)
def test_a_wrapper_that_makes_a_shared_address_may_keep_its_access(
    body: str, status: str, tmp_path: Path
) -> None:
    (load,) = [
        a
        for a in run(tmp_path, WRAPPED.replace("BODY", body)).accesses
        if a.text.startswith("ldmatrix")
    ]
    assert load.status == status
