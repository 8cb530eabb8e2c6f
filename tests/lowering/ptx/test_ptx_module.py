"""PTX modules: what stands in a file, how control flow becomes structured, and that damaged files
are told and never end in a traceback."""

from __future__ import annotations

import gzip
import random

import pytest

from kernlint.lowering.templates.demangling import demangled
from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from kernlint.source.ptx.module import parse_module
from tests.places import DATA

TRUTH = DATA / "ptx" / "truth"
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"


def entry(
    body: str,
    parameters: str = ".param .u64 out, .param .u32 n",
    before: str = "",
    directives: str = "",
) -> str:
    registers = (
        ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<30>; .reg .b64 %rd<30>; .reg .f32 %f<30>;"
    )
    return f"{HEAD}{before}\n.visible .entry kernel({parameters}){directives}\n{{\n{registers}\n{body}\n}}\n"


def analysed(text: str, block: int = 64, grid: int = 2, **arguments: int) -> facts.File:
    launch = LaunchOverrides((grid, 1, 1), (block, 1, 1), 0, dict(arguments))
    return engine.analyse_source(files.Source("k.ptx", "ptx", text), Settings(launch=launch))


def requests(file: facts.File) -> list[tuple[str, float | None]]:
    assert not file.problems
    return [(a.text.split()[0], a.requests) for a in file.kernels[0].accesses]


THREAD = "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r2, %tid.x;"
ADDRESS = "mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd2, %rd3;"


def test_variables_parameters_and_directives() -> None:
    text = entry(
        "ret;",
        before='.extern .shared .align 16 .b8 s[];\n.const .align 4 .u32 t[3] = {1, 2, 0x10};\n.file 1 "/a/b.cu"\n',
        directives=" .reqntid 32, 4",
    )
    module = parse_module(text, "k.ptx")
    assert not module.problems and module.target == "sm_90" and module.files == {1: "/a/b.cu"}
    assert [(v.name, v.space, v.bytes, v.align, v.values) for v in module.variables] == [
        ("s", "shared", None, 16, None),
        ("t", "constant", 12, 4, (1, 2, 16)),
    ]
    assert module.functions[0].directives == {"reqntid": (32, 4)}
    assert [(p.name, p.bytes) for p in module.functions[0].parameters] == [("out", 8), ("n", 4)]


def test_a_vector_is_one_access() -> None:
    file = analysed(
        entry(
            f"{THREAD} mul.wide.u32 %rd3, %r2, 16; add.s64 %rd4, %rd2, %rd3; ld.global.v4.f32 {{%f1,%f2,%f3,%f4}}, [%rd4]; ret;"
        )
    )
    access = file.kernels[0].accesses[0]
    assert (access.bytes, access.requests, access.sectors and access.sectors.mean) == (16, 4, 16)


def test_the_required_block_is_the_launch() -> None:
    body = f"{THREAD}{ADDRESS} st.global.u32 [%rd4], %r1; ret;"
    file = engine.analyse_source(
        files.Source("k.ptx", "ptx", entry(body, directives=" .reqntid 96")), Settings()
    )
    assert file.kernels[0].launch.block == (96, 1, 1)


def test_a_comment_gives_the_launch() -> None:
    text = entry(
        f"{THREAD}{ADDRESS} st.global.u32 [%rd4], %r1; ret;",
        before="// kernlint: launch(grid=3, block=128)",
    )
    file = engine.analyse_source(files.Source("k.ptx", "ptx", text), Settings())
    assert [(a.requests, a.status) for a in file.kernels[0].accesses] == [(12, "exact")]


@pytest.mark.parametrize(
    ("branch", "expected"),
    [
        (
            "setp.ge.s32 %p1, %r2, %r1; @%p1 bra E; st.global.u32 [%rd4], %r1; E: ret;",
            2,
        ),  # one warp of two per block
        ("setp.lt.s32 %p1, %r2, %r1; @!%p1 bra E; st.global.u32 [%rd4], %r1; E: ret;", 2),
        (
            "setp.lt.u32 %p1, %r2, %r1; @%p1 bra A; bra.uni E; A: st.global.u32 [%rd4], %r1; E: ret;",
            2,
        ),
        ("setp.lt.u32 %p1, %r2, %r1; @%p1 st.global.u32 [%rd4], %r1; ret;", 2),
        ("setp.ge.s32 %p1, %r2, %r1; @%p1 ret; st.global.u32 [%rd4], %r1; ret;", 2),
        ("setp.ge.s32 %p1, %r2, %r1; @%p1 exit; st.global.u32 [%rd4], %r1; ret;", 2),
    ],
)
def test_branches(branch: str, expected: int) -> None:
    assert requests(analysed(entry(f"{THREAD}{ADDRESS}{branch}"), n=32)) == [
        ("st.global.u32" if not branch.count("@%p1 st") else "@%p1", expected)
    ]


@pytest.mark.parametrize(
    "loop",
    [
        "mov.u32 %r3, 0; L: st.global.u32 [%rd4], %r3; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r1; @%p1 bra L; ret;",
        "mov.u32 %r3, 0; L: add.s32 %r3, %r3, 1; st.global.u32 [%rd4], %r3; setp.ne.s32 %p1, %r3, %r1; @%p1 bra L; ret;",
        "mov.u32 %r3, 0; L: st.global.u32 [%rd4], %r3; setp.lt.s32 %p1, %r3, 9; add.s32 %r3, %r3, 1; @%p1 bra L; ret;",
        "mov.u32 %r3, 0; L: st.global.u32 [%rd4], %r3; add.s32 %r4, %r3, 1; setp.lt.s32 %p1, %r4, %r1; mov.u32 %r3, %r4; @%p1 bra L; ret;",
        "mov.u32 %r3, 0; L: setp.ge.s32 %p1, %r3, %r1; @%p1 bra E; st.global.u32 [%rd4], %r3; add.s32 %r3, %r3, 1; bra L; E: ret;",
        "mov.u32 %r3, %r1; L: st.global.u32 [%rd4], %r3; add.s32 %r3, %r3, -1; setp.eq.s32 %p1, %r3, 0; @%p1 bra E; bra L; E: ret;",
        "mov.u32 %r3, 0; bra T; L: st.global.u32 [%rd4], %r3; add.s32 %r3, %r3, 1; T: setp.lt.s32 %p1, %r3, %r1; @%p1 bra L; ret;",
        "mov.u32 %r3, 0; L: st.global.u32 [%rd4], %r3; add.s32 %r3, %r3, 2; setp.eq.s32 %p1, %r3, 20; @%p1 bra E; bra L; E: ret;",
    ],
)
def test_loops_run_ten_times(loop: str) -> None:
    assert requests(analysed(entry(f"{THREAD}{ADDRESS}{loop}"), n=10)) == [("st.global.u32", 40)]


def test_nested_loops_with_a_break() -> None:
    body = """mov.u32 %r3, 0;
    O: mov.u32 %r4, 0;
    I: setp.gt.s32 %p1, %r4, %r3; @%p1 bra X;
       st.global.u32 [%rd4], %r4; add.s32 %r4, %r4, 1; setp.lt.s32 %p2, %r4, 8; @%p2 bra I;
    X: add.s32 %r3, %r3, 1; setp.lt.s32 %p3, %r3, 4; @%p3 bra O; ret;"""
    assert requests(analysed(entry(f"{THREAD}{ADDRESS}{body}"), grid=1, block=32)) == [
        ("st.global.u32", 1 + 2 + 3 + 4)
    ]


def test_lanes_leave_a_loop_one_by_one() -> None:
    body = "mov.u32 %r3, 0; L: st.global.u32 [%rd4], %r3; add.s32 %r3, %r3, 1; setp.le.u32 %p1, %r3, %r2; @%p1 bra L; ret;"
    access = analysed(entry(f"{THREAD}{ADDRESS}{body}"), grid=1, block=32).kernels[0].accesses[0]
    assert (access.requests, access.active_lanes) == (32, (32 * 33 / 2) / 32)


def test_a_loop_entered_at_two_places_is_told_with_its_place() -> None:
    body = "setp.lt.s32 %p1, %r2, 4; @%p1 bra B; A: add.s32 %r3, %r3, 1; B: add.s32 %r3, %r3, 2; setp.lt.s32 %p2, %r3, 9; @%p2 bra A; ret;"
    file = analysed(entry(THREAD + body))
    assert [(p.code, p.span.line > 4, "loop" in p.message) for p in file.problems] == [
        ("KL003", True, True)
    ]


def test_a_computed_branch_is_told_with_its_place() -> None:
    file = analysed(entry(f"{THREAD} T: .branchtargets A, B; brx.idx %r2, T; A: ret; B: ret;"))
    assert [p.code for p in file.problems] == ["KL003"]


def test_shared_addresses_by_name_by_register_and_generic() -> None:
    body = f"""{THREAD} mul.lo.u32 %r3, %r2, 8; mov.u32 %r4, s; add.u32 %r5, %r4, %r3; ld.shared.f32 %f1, [%r5];
    mov.u64 %rd5, s; cvta.shared.u64 %rd6, %rd5; mul.wide.u32 %rd7, %r2, 8; add.u64 %rd8, %rd6, %rd7; ld.f32 %f2, [%rd8];
    ld.shared.f32 %f3, [s+64]; ret;"""
    file = analysed(entry(body, before=".shared .align 4 .b8 s[2048];"))
    assert [
        (a.object, a.space, a.wavefronts and a.wavefronts.mean) for a in file.kernels[0].accesses
    ] == [
        ("s", "shared", 2.0),
        ("s", "shared", 2.0),
        ("s", "shared", 1.0),
    ]


def test_lines_of_the_source_or_of_the_ptx() -> None:
    body = f"{THREAD}{ADDRESS}\n.loc 1 17 3\nst.global.u32 [%rd4], %r1;\nret;"
    text = entry(body, before='.file 1 "a.cu"')
    place = analysed(text).kernels[0].accesses[0].span
    assert (place.path, place.line, place.column) == ("a.cu", 17, 3)
    own = (
        engine.analyse_source(files.Source("k.ptx", "ptx", text), Settings(line_table=False))
        .kernels[0]
        .accesses[0]
        .span
    )
    assert (own.path, text.split("\n")[own.line - 1][own.column - 1 : own.end_column - 1]) == (
        "k.ptx",
        "st.global.u32 [%rd4], %r1",
    )


def test_names() -> None:
    assert demangled("_ZN7lecture10sumBlockedEPKdPd").name == "lecture::sumBlocked"
    assert demangled("_Z9matmulABtILi16ELb1EEvPKfS1_Pfiii").template_arguments == ("16", "true")
    assert (
        demangled("_Z3").name == "_Z3"
        and demangled("triton_kernel_0d1d").name == "triton_kernel_0d1d"
    )


@pytest.mark.slow
def test_damaged_modules_never_raise() -> None:
    chosen = random.Random(5)
    for path in sorted(TRUTH.glob("*.gz"))[::5]:
        text = gzip.decompress(path.read_bytes()).decode()[:9000]
        for _ in range(25):
            at, kind = chosen.randrange(len(text)), chosen.randrange(4)
            mutant = (
                text[:at],
                text[:at] + text[at + chosen.randrange(40) :],
                text[:at] + chosen.choice('{}[];,@%.$"0') + text[at:],
                text[:at] + text[at : at + 60] * 2 + text[at + 60 :],
            )[kind]
            file = engine.analyse_source(files.Source("k.ptx", "ptx", mutant), Settings(timeout=5))
            assert not any("internal error" in p.message for p in file.problems), (
                path,
                at,
                kind,
                file.problems,
            )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        ".version",
        HEAD,
        HEAD + ".entry",
        HEAD + ".entry k(",
        HEAD + ".entry k() {",
        HEAD + "}}}",
        "{" * 5000,
    ],
)
def test_what_is_no_module(text: str) -> None:
    assert engine.analyse_source(files.Source("k.ptx", "ptx", text), Settings()).kernels == ()


def test_labels_belong_to_their_braces() -> None:
    wait = """{ .reg .pred p;
    WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%r1], 0; @p bra DONE; bra WAIT; DONE: }
    """
    text = (
        HEAD
        + ".entry k() { .reg .b32 %r<3>; .shared .align 4 .b8 s[8192]; .reg .f32 %f<2>;"
        + " mov.u32 %r1, s; mov.u32 %r2, %tid.x; shl.b32 %r2, %r2, 5; add.s32 %r2, %r1, %r2;"
        + f" {wait} ld.shared.f32 %f1, [%r2]; {wait} st.shared.f32 [%r2], %f1; ret; }}"
    )
    settings = Settings(launch=LaunchOverrides(grid=(1, 1, 1), block=(256, 1, 1)))
    file = engine.analyse_source(files.Source("k.ptx", "ptx", text), settings)
    assert file.problems == ()
    [kernel] = file.kernels
    assert [a.wavefronts and a.wavefronts.mean for a in kernel.accesses] == [8.0, 8.0]
