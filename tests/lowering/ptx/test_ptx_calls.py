"""Functions that a PTX module calls: put in where they are called, with their own lines and loops,
or told."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.cli.main import main
from kernlint.model import facts
from tests.lowering.ptx.test_ptx_module import ADDRESS, THREAD, analysed, entry, requests

STRIDED = """.func (.param .b32 func_retval0) get(.param .b64 get_param_0, .param .b32 get_param_1)
{
    .reg .b32 %r<4>; .reg .b64 %rd<5>; .reg .f32 %f<2>;
    ld.param.u64 %rd1, [get_param_0];
    ld.param.u32 %r1, [get_param_1];
    mul.wide.s32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    ld.f32 %f1, [%rd4];
    st.param.f32 [func_retval0+0], %f1;
    ret;
}
"""
CALL = """{{ .param .b64 param0; st.param.b64 [param0+0], %rd1; .param .b32 param1; st.param.b32 [param1+0], {index};
    .param .b32 retval0; call.uni (retval0), get, (param0, param1); ld.param.f32 {result}, [retval0+0]; }}
"""


def sectors(file: facts.File) -> list[tuple[str, float | None]]:
    return [
        (a.text.split()[0], a.sectors.mean if a.sectors else None) for a in file.kernels[0].accesses
    ]


def test_a_function_called_twice_with_other_arguments() -> None:
    body = (
        THREAD
        + "shl.b32 %r3, %r2, 3;"
        + CALL.format(index="%r2", result="%f1")
        + CALL.format(index="%r3", result="%f2")
        + "ret;"
    )
    file = analysed(entry(body, before=STRIDED))
    assert sectors(file) == [("ld.f32", 4), ("ld.f32", 32)] and requests(file) == [
        ("ld.f32", 4),
        ("ld.f32", 4),
    ]
    assert {access.status for access in file.kernels[0].accesses} == {
        "range"
    }  # whose lines ptxas charges is its choice
    (first, second) = (access.span for access in file.kernels[0].accesses)
    assert first == second and "ld.f32" in entry(body, before=STRIDED).split("\n")[first.line - 1]


@pytest.mark.parametrize(
    ("guard", "lanes"),
    [("", 32), ("setp.lt.u32 %p1, %r2, 16; @%p1 ", 16), ("setp.lt.u32 %p1, %r2, 24; @!%p1 ", 8)],
)
def test_a_call_under_a_predicate(guard: str, lanes: int) -> None:
    function = ".func put(.reg .b64 %to, .reg .b32 %value)\n{ st.global.u32 [%to], %value; ret; }\n"
    file = analysed(
        entry(f"{THREAD}{ADDRESS}{guard}call put, (%rd4, 7); ret;", before=function),
        block=32,
        grid=1,
    )
    (store,) = file.kernels[0].accesses
    assert not file.problems and store.active_lanes == lanes


def test_loops_early_returns_and_calls_in_calls() -> None:
    inner = ".func inner(.reg .b64 %to) { st.global.u32 [%to], 1; ret; }\n"
    outer = """.func outer(.reg .b64 %to, .reg .b32 %count)
{
    .reg .b32 %r<3>; .reg .pred %p<3>;
    mov.u32 %r1, 0;
$again:
    setp.ge.u32 %p1, %r1, %count; @%p1 ret;
    call inner, (%to);
    add.u32 %r1, %r1, 1;
    bra $again;
}
"""
    body = f"{THREAD}{ADDRESS} call outer, (%rd4, 3); call outer, (%rd4, 5); ret;"
    file = analysed(entry(body, before=inner + outer), block=32, grid=1)
    assert requests(file) == [("st.global.u32", 3), ("st.global.u32", 5)]


@pytest.mark.slow
def test_members_of_a_struct_that_is_handed_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    function = """.func put(.param .align 8 .b8 put_param_0[16], .param .b32 put_param_1)
{
    .reg .b32 %r<5>; .reg .b64 %rd<5>;
    ld.param.v2.u32 {%r1, %r2}, [put_param_0+8]; ld.param.u64 %rd1, [put_param_0]; ld.param.u32 %r3, [put_param_1];
    mul.lo.s32 %r4, %r3, %r2; mul.wide.s32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;
    st.u32 [%rd3], %r1; ret;
}
"""
    body = """ld.param.u64 %rd1, [p]; ld.param.v2.u32 {%r1, %r2}, [p+8]; mov.u32 %r3, %tid.x;
{ .param .align 8 .b8 param0[16]; st.param.b64 [param0], %rd1; st.param.v2.b32 [param0+8], {%r1, %r2};
  .param .b32 param1; st.param.b32 [param1+0], %r3; call.uni put, (param0, param1); }
ret;"""
    text = entry(body, ".param .align 8 .b8 p[16]", function)
    assert sectors(analysed(text, **{"p.12": 2})) == [("st.u32", 8)]
    path = tmp_path / "k.ptx"
    path.write_text(text)
    assert (
        main(
            [
                "report",
                str(path),
                "--grid",
                "2",
                "--block",
                "64",
                "--arg",
                "p.12=2",
                "--no-cache",
                "--isolated",
            ]
        )
        == 0
    )
    assert "8 sectors" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("function", "call"),
    [
        ("", "call vprintf, (%rd1);"),
        (".func f(.reg .b64 %a) { call f, (%a); ret; }\n", "call f, (%rd1);"),
        (".func g(.reg .b64 %a);\n.func f(.reg .b64 %a) { call g, (%a); }\n.func g(.reg .b64 %a) { call f, (%a); }\n", "call f, (%rd1);"),
        ("", "mov.u64 %rd5, 0; call %rd5, (%rd1), proto;"),
    ],
)  # fmt: skip
def test_calls_that_are_not_followed_are_told(function: str, call: str) -> None:
    file = analysed(
        entry(f"{THREAD}{ADDRESS} {call} st.global.u32 [%rd4], %r2; ret;", before=function)
    )
    assert [access.requests for access in file.kernels[0].accesses] == [4]
    (problem,) = file.problems
    assert problem.code == "KL003" and problem.note and "is not followed" in problem.message
    assert (
        "call"
        in entry(
            f"{THREAD}{ADDRESS} {call} st.global.u32 [%rd4], %r2; ret;", before=function
        ).split("\n")[problem.span.line - 1]
    )


def test_calls_that_multiply_are_bounded() -> None:
    functions = ".func f0(.reg .b64 %a) { st.global.u32 [%a], 1; ret; }\n"
    for level in range(1, 20):
        functions += f".func f{level}(.reg .b64 %a) {{ call f{level - 1}, (%a); call f{level - 1}, (%a); ret; }}\n"
    file = analysed(entry(f"{THREAD} call f19, (%rd1); ret;", before=functions))
    assert any(
        "is not followed" in problem.message or "processor seconds" in problem.message
        for problem in file.problems
    )


def test_lines_of_called_functions() -> None:
    located = STRIDED.replace("    ld.f32", "    .loc 1 3 9\n    ld.f32")
    body = (
        ".loc 1 20 1\n"
        + THREAD
        + "\n.loc 1 21 5\n"
        + CALL.format(index="%r2", result="%f1")
        + "\n.loc 1 22 1\nst.global.f32 [%rd2], %f1; ret;"
    )
    file = analysed(entry(body, before=located) + '.file 1 "k.cu"\n')
    assert [
        (a.span.path, a.span.line, [c.line for c in a.calls]) for a in file.kernels[0].accesses
    ] == [
        ("k.cu", 3, [21]),
        ("k.cu", 22, []),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "mov ;",
        "add.s64 ;",
        "call;",
        "call ();",
        "call (%r1);",
        "st.param.b32 [%r1], %r2;",
        "ld.param %r1;",
    ],
)
def test_instructions_without_operands(line: str) -> None:
    file = analysed(
        entry(f"{THREAD}{ADDRESS} {line} st.global.u32 [%rd4], %r2; ret;", before=STRIDED)
    )
    assert not any("internal error" in problem.message for problem in file.problems)


def test_a_parameter_whose_alignment_is_damaged() -> None:
    file = analysed(entry("ret;", ".param .align .align 8 .b8 p[16]"))
    assert not any("internal error" in problem.message for problem in file.problems)


WITHOUT_TYPE = [
    "st [nothing], 32;",
    "st.global.v2 [%rd4], {%r1, %r2};",
    "ld.global %r2, [%rd4];",
    "atom.global.add %r1, [%rd4], 1;",
]


@pytest.mark.parametrize("line", WITHOUT_TYPE)
def test_an_access_without_a_type(line: str) -> None:
    file = analysed(entry(f"{THREAD}{ADDRESS} {line} st.global.u32 [%rd4], %r2; ret;"))
    assert not any("internal error" in problem.message for problem in file.problems)
    (kernel,) = file.kernels
    assert [(access.text.split()[0], access.status) for access in kernel.accesses] == [
        ("st.global.u32", "exact")
    ]
