"""Index texts of hand-built kernels: names, order, loops, joins, units."""

from __future__ import annotations

import pytest

from kernlint.algebra.index import index_reader
from kernlint.base.span import Span
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import sites, walk
from kernlint.ir.types import (
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    UCHAR,
    UINT,
    Array,
    Field,
    Pointer,
    Record,
    Type,
)
from kernlint.model.element_index import IndexFactor, IndexTerm
from kernlint.model.facts import UNWRITTEN, Launch, PointerArgument
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

SPAN = Span("k.cu", 1, 1, 1, 2)
KNOWN = Launch((8, 4, 1), (256, 1, 1), 0, {}, "launch at line 9")
ASSUMED = Launch(None, (256, 1, 1), None, block_assumed=True)


def number(value: float, kind: Type = INT) -> ir.Constant:
    return ir.Constant(kind, value)


def builtin(name: str) -> ir.Expression:
    return ir.Builtin(UINT, name)


def binary(op: str, left: ir.Expression, right: ir.Expression, kind: Type = INT) -> ir.Binary:
    return ir.Binary(kind, op, left, right)


def add(*terms: ir.Expression) -> ir.Expression:
    result = terms[0]
    for term in terms[1:]:
        result = binary("+", result, term)
    return result


def times(left: ir.Expression, right: ir.Expression | int) -> ir.Expression:
    return binary("*", left, number(right) if isinstance(right, int) else right)


def read(variable: ir.Variable) -> ir.Read:
    return ir.Read(variable.type, variable)


TX, TY, BX, BY = builtin("tid.x"), builtin("tid.y"), builtin("ctaid.x"), builtin("ctaid.y")
GLOBAL_X = binary("+", binary("*", BX, builtin("ntid.x"), UINT), TX, UINT)
FLOATS = ir.MemoryObject("a", "global", FLOAT, None, 256, parameter="a")


def site(
    text: str = "a[i]", width: int = 4, op: str = "load", pieces: tuple[tuple[int, int], ...] = ()
) -> ir.AccessSite:
    return ir.AccessSite(SPAN, text, op, op, pieces or ((0, width),), 1)


def address(target: ir.MemoryObject, elements: ir.Expression, width: int = 4) -> ir.Expression:
    """&target[elements] as lowering writes it: widened, scaled, added to the base in bytes."""
    pointer = Pointer(target.type)
    return ir.Binary(
        pointer,
        "+",
        ir.Address(pointer, target),
        ir.Binary(LONG, "*", ir.Convert(LONG, elements), number(width, LONG)),
    )


def kernel(
    *body: ir.Statement,
    parameters: tuple[ir.Parameter, ...] = (),
    language: str = "cuda",
    objects: tuple[ir.MemoryObject, ...] = (),
) -> ir.Kernel:
    return ir.Kernel(
        "k", "k", (), SPAN, parameters, body, (FLOATS, *objects), ir.Label("return"), language
    )


def index_texts(kernel: ir.Kernel, launch: Launch) -> dict[ir.AccessSite, str]:
    """The index of each access site that the kernel reaches."""
    reader = index_reader(kernel, launch)
    found = {x: reader(x) for s in walk(kernel.body) for x in sites(s) if reader(x).text}
    for index in found.values():
        assert printed(index.terms) == bare(index.text) or index.text == UNWRITTEN
    return {x: index.text for x, index in found.items()}


def printed(terms: tuple[IndexTerm, ...]) -> str:
    """The structure of an index as text, without the parentheses that only text needs."""
    text = ""
    for term in terms:
        number = abs(term.coefficient)
        factors = [bare(name) for name in term.names]
        product = "*".join([str(number)] * (number != 1 or not factors) + factors)
        sign = "-" if term.coefficient < 0 else "+" if text else ""
        text += f" {sign} {product}" if text else f"{sign}{product}"
    return text or "0"


def bare(text: str) -> str:
    return text.removeprefix("byte ").replace("(", "").replace(")", "")


def shown(
    elements: ir.Expression,
    launch: Launch = KNOWN,
    language: str = "cuda",
    parameters: tuple[ir.Parameter, ...] = (),
) -> str:
    where = site()
    return index_texts(
        kernel(
            ir.Load((), address(FLOATS, elements), where), parameters=parameters, language=language
        ),
        launch,
    )[where]


def parameter(name: str, kind: Type = INT) -> ir.Parameter:
    return ir.Parameter(name, ir.Variable(name, kind))


def test_thread_ids_come_first() -> None:
    assert shown(add(TY, times(TX, 32))) == "32*threadIdx.x + threadIdx.y"
    assert (
        shown(add(number(5), times(BX, 7), TY, TX))
        == "threadIdx.x + threadIdx.y + 7*blockIdx.x + 5"
    )
    assert shown(number(0)) == "0"
    assert shown(binary("-", number(31), TX)) == "31 - threadIdx.x"
    assert shown(binary("-", TX, number(1))) == "threadIdx.x - 1"
    assert shown(binary("+", TX, number(0xFFFFFFFF, UINT), UINT)) == "threadIdx.x - 1"


def test_sums_are_collected() -> None:
    assert shown(add(TX, TX, times(TX, 2))) == "4*threadIdx.x"
    assert shown(binary("-", add(TX, TY), TX)) == "threadIdx.y"
    assert shown(times(add(TX, number(3)), 4)) == "4*threadIdx.x + 12"
    assert shown(binary("<<", TX, number(5))) == "32*threadIdx.x"


def test_launch_sizes_fold_only_when_known() -> None:
    assert shown(GLOBAL_X) == "threadIdx.x + 256*blockIdx.x"
    assert shown(GLOBAL_X, ASSUMED) == "threadIdx.x + blockDim.x*blockIdx.x"
    assert (
        shown(GLOBAL_X, Launch(None, (256, 1, 1), None)) == "threadIdx.x + 256*blockIdx.x"
    )  # of a launch whose grid is not known
    assert shown(times(builtin("nctaid.y"), TX)) == "4*threadIdx.x"


def test_parameters_are_symbols_or_their_values() -> None:
    n = parameter("n")
    row_column = add(times(read(n.variable), add(TY, times(BY, 16))), GLOBAL_X)
    assert (
        shown(row_column, parameters=(n,))
        == "threadIdx.x + n*threadIdx.y + 256*blockIdx.x + 16*n*blockIdx.y"
    )
    given = Launch((8, 4, 1), (256, 1, 1), 0, {"n": 1024}, "command line")
    assert (
        shown(row_column, given, parameters=(n,))
        == "threadIdx.x + 1024*threadIdx.y + 256*blockIdx.x + 16384*blockIdx.y"
    )
    assert shown(times(read(n.variable), read(n.variable)), parameters=(n,)) == "n*n"


def test_opencl_words() -> None:
    assert shown(TX, language="opencl") == "get_local_id(0)"
    gid = add(GLOBAL_X, builtin("goffset.x"))
    assert shown(gid, language="opencl") == "get_global_id(0)"
    assert shown(gid, ASSUMED, language="opencl") == "get_global_id(0)"
    assert shown(add(times(gid, 16), number(1)), language="opencl") == "16*get_global_id(0) + 1"
    assert shown(binary("&", gid, number(-2)), language="opencl") == "get_global_id(0) & ~1"
    assert shown(add(TX, times(BX, 3)), language="opencl") == "get_local_id(0) + 3*get_group_id(0)"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (
            add(times(binary("/", TX, number(32)), 4), binary("%", TX, number(32))),
            "4*(threadIdx.x / 32) + threadIdx.x % 32",
        ),
        (binary("^", TX, binary("&", TY, number(7))), "threadIdx.x ^ (threadIdx.y & 7)"),
        (binary("&", add(TX, TY), number(31)), "(threadIdx.x + threadIdx.y) & 31"),
        (binary(">>", TX, number(5)), "threadIdx.x >> 5"),
        (binary("<<", number(1), TX), "1 << threadIdx.x"),
        (binary("|", binary("|", TX, TY), BX), "threadIdx.x | threadIdx.y | blockIdx.x"),
        (binary("/", binary("/", TX, number(3)), number(5)), "threadIdx.x / 3 / 5"),
        (binary("/", TX, add(TY, number(1))), "threadIdx.x / (threadIdx.y + 1)"),
        (binary("min", TX, number(7)), "min(threadIdx.x, 7)"),
        (
            ir.Select(INT, binary("<", TX, number(4)), TX, number(0)),
            "threadIdx.x < 4 ? threadIdx.x : 0",
        ),
        (ir.Call(INT, "clz", (TX,)), "clz(threadIdx.x)"),
        (binary("%", times(binary("%", TX, number(4)), 2), number(8)), "2*(threadIdx.x % 4) % 8"),
        (ir.Convert(INT, ir.Convert(UCHAR, TX)), "(unsigned char)threadIdx.x"),
        (ir.Convert(INT, ir.Convert(UCHAR, binary("&", TX, number(15)))), "threadIdx.x & 15"),
        (ir.Unary(INT, "!", binary("==", TX, TY)), "!(threadIdx.x == threadIdx.y)"),
        (
            times(add(TX, TY), binary("/", BX, number(2))),
            "(blockIdx.x / 2)*threadIdx.x + (blockIdx.x / 2)*threadIdx.y",
        ),
    ],
)
def test_operators_of_c(expression: ir.Expression, text: str) -> None:
    assert shown(expression) == text


def test_floating_point_is_only_quoted() -> None:
    scale = ir.Parameter("scale", ir.Variable("scale", FLOAT))
    half = ir.Binary(
        FLOAT,
        "*",
        ir.Binary(FLOAT, "-", ir.Convert(FLOAT, TX), read(scale.variable)),
        number(0.5, FLOAT),
    )
    assert shown(ir.Convert(INT, half), parameters=(scale,)) == "(int)((threadIdx.x - scale) * 0.5)"
    assert (
        shown(ir.Convert(INT, ir.Unary(FLOAT, "-", read(scale.variable))), parameters=(scale,))
        == "(int)-scale"
    )


def test_integers_fold_with_c_meaning() -> None:
    assert shown(add(TX, binary("/", number(-7), number(2)))) == "threadIdx.x - 3"
    assert shown(add(TX, binary("%", number(-7), number(4)))) == "threadIdx.x - 3"
    assert (
        shown(binary("+", TX, ir.Convert(INT, ir.Convert(UCHAR, number(300)))))
        == "threadIdx.x + 44"
    )
    assert shown(add(TX, ir.Unary(INT, "~", number(0)))) == "threadIdx.x - 1"


# ------------------------------------------------------------------ units


def test_units() -> None:
    tile = ir.MemoryObject("tile", "shared", Array(Array(FLOAT, 33), 32), 4224, 4)
    raw = ir.MemoryObject("raw", "shared", UCHAR, None, 16, dynamic=True)
    record = Record(
        "P", "struct", (Field("x", FLOAT, 0), Field("y", FLOAT, 4), Field("z", FLOAT, 8)), 12, 4
    )
    point = ir.MemoryObject("p", "global", record, None, 4)
    doubles = ir.MemoryObject("d", "shared", Array(DOUBLE, 64), 512, 8)
    cases = {
        site("tile[y][x]"): (address(tile, add(times(TY, 33), TX)), "threadIdx.x + 33*threadIdx.y"),
        site("((float *)raw)[x]"): (address(raw, TX), "threadIdx.x"),
        site("raw[x]", 1): (address(raw, TX, 1), "threadIdx.x"),
        site("p[x].y"): (
            ir.Binary(Pointer(FLOAT), "+", address(point, TX, 12), number(4, LONG)),
            "3*threadIdx.x + 1",
        ),
        site("((float4 *)a)[x]", 16): (address(FLOATS, TX, 16), "threadIdx.x"),
        site("*(float4 *)&a[x]", 16): (address(FLOATS, TX, 4), "threadIdx.x"),
        site("halves of d", 4): (address(doubles, TX, 4), "threadIdx.x"),
        site("odd"): (address(FLOATS, TX, 2), "byte 2*threadIdx.x"),
    }
    body = [ir.Store(where, (), place) for place, (where, _) in cases.items()]
    found = index_texts(kernel(*body, objects=(tile, raw, point, doubles)), KNOWN)
    assert [found[place] for place in cases] == [text for _, text in cases.values()]


def test_pointer_parameters_are_relative_to_themselves() -> None:
    pointer = ir.Parameter("a", ir.Variable("a", Pointer(FLOAT)), FLOATS)
    launch = Launch((1, 1, 1), (32, 1, 1), 0, {"a": PointerArgument(4)}, "launch at line 3")
    where = site()
    body = ir.Load((), ir.Binary(Pointer(FLOAT), "+", read(pointer.variable), times(TX, 4)), where)
    assert index_texts(kernel(body, parameters=(pointer,)), launch)[where] == "threadIdx.x"


# ------------------------------------------------------------------ control flow


def loop(
    variable: ir.Variable, start: ir.Expression, step: ir.Expression, *body: ir.Statement
) -> tuple[ir.Statement, ...]:
    again = ir.Assign(variable, ir.Binary(variable.type, "+", read(variable), step))
    condition = binary("<", read(variable), number(1000))
    return (
        ir.Assign(variable, start),
        ir.Loop(
            ir.Label("break"), (), condition, body, (again,), ir.BranchSite(SPAN, "for", "i < 1000")
        ),
    )


def load(elements: ir.Expression, where: ir.AccessSite, into: ir.Variable | None = None) -> ir.Load:
    return ir.Load(() if into is None else ((0, into),), address(FLOATS, elements), where)


def test_counters_are_their_names() -> None:
    i, where = ir.Variable("i", INT), site()
    found = index_texts(
        kernel(*loop(i, number(0), number(1), load(add(times(read(i), 32), TX), where))), KNOWN
    )
    assert found[where] == "threadIdx.x + 32*i"
    where = site()
    found = index_texts(
        kernel(*loop(i, number(1), read(i), load(times(read(i), TX), where))), KNOWN
    )
    assert found[where] == "i*threadIdx.x"


def test_strided_loops_keep_their_thread_ids() -> None:
    i, where = ir.Variable("i", INT), site()
    body = loop(i, GLOBAL_X, times(builtin("ntid.x"), builtin("nctaid.x")), load(read(i), where))
    assert (
        index_texts(kernel(*body), KNOWN)[where] == "threadIdx.x + 256*blockIdx.x + 2048*iteration"
    )


def test_pointers_that_walk_keep_their_object() -> None:
    i, p, where = ir.Variable("i", INT), ir.Variable("p", Pointer(FLOAT)), site()
    advance = ir.Assign(p, ir.Binary(p.type, "+", read(p), number(128, LONG)))
    inner = ir.Load((), ir.Binary(p.type, "+", read(p), times(TX, 4)), where)
    body = (
        ir.Assign(p, address(FLOATS, number(3))),
        *loop(i, number(0), number(1), inner, advance),
    )
    assert index_texts(kernel(*body), KNOWN)[where] == "threadIdx.x + 32*i + 3"


def test_joins_and_early_exits() -> None:
    i, where, behind = ir.Variable("i", INT), site(), site()
    branch = ir.BranchSite(SPAN, "if", "c")
    condition = binary("<", TX, number(4))
    body = (
        ir.Assign(i, TX),
        ir.If(condition, (ir.Leave(ir.Label("return")),), (), branch),
        load(read(i), where),
        ir.If(condition, (ir.Assign(i, number(3)),), (), branch),
        load(times(read(i), 2), behind),
    )
    found = index_texts(kernel(*body), KNOWN)
    assert (found[where], found[behind]) == ("threadIdx.x", "2*i")


def test_regions_join_what_left_them() -> None:
    i, label, where = ir.Variable("i", INT), ir.Label("end"), site()
    body = (
        ir.Assign(i, TX),
        ir.Region(
            label,
            (
                ir.If(TX, (ir.Assign(i, TY), ir.Leave(label)), (), ir.BranchSite(SPAN, "if", "c")),
                ir.Assign(i, TY),
            ),
        ),
        load(read(i), where),
    )
    assert index_texts(kernel(*body), KNOWN)[where] == "threadIdx.y"


def test_loaded_values_read_as_their_access() -> None:
    j, where = ir.Variable("j", INT), site("x[idx[i]]")
    body = (load(TX, site("idx[i]"), j), load(add(read(j), TX), where))
    assert index_texts(kernel(*body), KNOWN)[where] == "threadIdx.x + idx[i]"
    # A second load may give another value: the difference is not zero.
    k, where = ir.Variable("k", INT), site()
    body = (
        load(TX, site("idx[i]"), j),
        load(TX, site("idx[i]"), k),
        load(binary("-", read(j), read(k)), where),
    )
    assert index_texts(kernel(*body), KNOWN)[where] == "idx[i] - idx[i]"


def test_long_values_are_shown_by_name() -> None:
    h, where = ir.Variable("hash", UINT), site()
    body: list[ir.Statement] = [ir.Assign(h, TX)]
    for _ in range(12):
        mixed = ir.Binary(UINT, "^", read(h), ir.Binary(UINT, ">>", read(h), number(15)))
        body.append(ir.Assign(h, ir.Binary(UINT, "*", mixed, number(0x2C1B3C6D, UINT))))
    text = index_texts(kernel(*body, load(read(h), where)), KNOWN)[where]
    assert "hash" in text and len(text) < 400


def test_pointers_moved_on_where_they_are_read() -> None:
    """`*p++` reads a copy of `p`, from which `p` is set: it steps as `p += 1` does."""
    text = """__global__ void k(const float *a, float *g, int n) {
    float r = 0;
    const float *z = a + threadIdx.x;
    for (int i = 0; i < n; i++) r += *z++;
    const float *q = a + 9 * threadIdx.x + 8;
    for (int i = 0; i < 8; i++) r += *q--;
    g[threadIdx.x] = r;
}
void f(float *g) { k<<<4, 64>>>(g, g, 7); }
"""
    accesses = (
        engine.analyse_source(files.Source("k.cu", "cuda", text), Settings()).kernels[0].accesses
    )
    assert [a.index for a in accesses] == [
        "threadIdx.x + i",
        "9*threadIdx.x - i + 8",
        "threadIdx.x",
    ]


def test_pointers_behind_a_loop_keep_their_object() -> None:
    """What walked in a loop is told from where it began, with the counter's last value for the
    number of turns."""
    text = """__global__ void k(const float *a, float *g, int n) {
    const float *p = a + threadIdx.x * 33, *q = a + n, *r = a + threadIdx.x, *s = a + threadIdx.x;
    for (int i = 0; i < n; i++) q--;
    g[q[-1]] = 1;
    for (int i = 0; i < 10; i++) p++;
    g[*p] = 1;
    for (int i = 0; i < n; i++) { if (r[i] > 3) break; r += 2; }
    g[r[1]] = 1;
    int j = 0;
    do { s += 4; ++j; } while (j < n);
    g[*s] = 1;
}
"""
    accesses = (
        engine.analyse_source(files.Source("k.cu", "cuda", text), Settings()).kernels[0].accesses
    )
    shown = {(a.span.line, a.text): a.index for a in accesses}
    assert shown[4, "q[-1]"] == "n - i - 1"
    assert shown[6, "*p"] == "33*threadIdx.x + i"
    assert (shown[7, "r[i]"], shown[8, "r[1]"]) == ("threadIdx.x + 3*i", "threadIdx.x + 2*i + 1")
    assert shown[11, "*s"] == "threadIdx.x + 4*j"


def test_a_pointer_that_several_paths_set_has_no_index_of_its_own() -> None:
    text = """
    __device__ char *place(char *o, int row) { if (row % 4) return nullptr; return o + row * 64; }
    // kernlint: launch(grid=1, block=64)
    __global__ void k(char *o, const float4 *a, const float4 *b, float4 *c, int n) {
        if (char *p = place(o, threadIdx.x)) *p = 1;
        const float4 *from = a + threadIdx.x * 4;
        if (n > 3) from = b + threadIdx.x * 2;
        c[threadIdx.x] = *from;
        const float4 *row = a;
        if (n > 3) row = b;
        c[threadIdx.x + 64] = row[threadIdx.x];
    }"""
    kernel = engine.analyse_source(files.from_bytes("k.cu", text.encode()), Settings()).kernels[0]
    found = {access.text: access.index for access in kernel.accesses}
    assert (found["*p"], found["*from"], found["row[threadIdx.x]"]) == (
        "unknown",
        "unknown",
        "threadIdx.x",
    )


@pytest.mark.parametrize(
    ("block", "index"),
    [
        ("64", "4*threadIdx.x + 256*blockIdx.x"),
        ("32x2", "4*threadIdx.x + 128*threadIdx.y + 256*threadIdx.z + 256*blockIdx.x"),
    ],
)
def test_of_a_rank_in_a_block_of_one_row_the_row_alone_is_written(block: str, index: str) -> None:
    source = f"""// kernlint: launch(grid=8, block={block})
__global__ void k(float *a) {{ a[4 * cooperative_groups::this_grid().thread_rank()] = 1; }}
"""
    (kernel,) = engine.analyse_source(files.from_bytes("k.cu", source.encode()), Settings()).kernels
    assert kernel.accesses[0].index == index


def test_an_index_is_a_structure() -> None:
    """Signs, coefficients, powers, and what is inside of operators."""
    n = parameter("n")
    halves = binary("/", add(TX, read(n.variable)), number(2))
    where = site()
    body = ir.Load((), address(FLOATS, add(times(halves, -4), times(TY, 3), number(7))), where)
    index = index_reader(kernel(body, parameters=(n,)), KNOWN)(where)
    inner = IndexFactor("((threadIdx.x + n) / 2)", ("threadIdx.x", "n"), ("/",))
    assert {(term.coefficient, term.factors) for term in index.terms} == {
        (3, (IndexFactor("threadIdx.y", ("threadIdx.y",)),)),
        (-4, (inner,)),
        (7, ()),
    }
    assert index.unit == 4 and index.symbol == ""
