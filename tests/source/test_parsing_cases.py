"""Text that other compilers read and that once cost its function: each form with what follows from
it, and what is said of text that cannot be read."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from kernlint.cli import main
from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA

CASES = DATA / "cases"


def read(text: str | bytes, name: str = "k.cu") -> facts.File:
    data = text.encode() if isinstance(text, str) else text
    return engine.analyse_source(files.from_bytes(name, data), Settings())


def case(name: str) -> facts.File:
    return read((CASES / name).read_bytes(), Path(name).name)


def counts(file: facts.File) -> list[tuple[str, float | None]]:
    """Space and mean of each access; None where it is not known."""
    return [
        (access.space, counts.mean if (counts := access.wavefronts or access.sectors) else None)
        for kernel in file.kernels
        for access in kernel.accesses
    ]


def launches(file: facts.File) -> list[tuple[int, ...]]:
    return sorted((*(kernel.launch.grid or ()), *kernel.launch.block) for kernel in file.kernels)


def complaints(file: facts.File) -> list[str]:
    return [problem.message for problem in file.problems]


# --------------------------------------------------------------------------- the cases


@pytest.mark.parametrize(
    "name, blocks",
    [
        ("parsing/kl001_asm_operands_without_comma.cu", [32]),
        ("parsing/kl001_case_range.cu", [32, 64]),
        ("parsing/kl001_new_2d_array.cu", [32]),
        ("questions/75-list-subscript.cu", [64]),
        ("user/c1.cu", [32, 32, 32]),
    ],
)
def test_a_case_is_read_with_its_launches(name: str, blocks: list[int]) -> None:
    file = case(name)
    assert complaints(file) == []
    assert sorted(kernel.launch.block[0] for kernel in file.kernels) == blocks
    assert not any(kernel.launch.block_assumed for kernel in file.kernels)


def test_braces_in_a_subscript_give_the_index() -> None:
    assert counts(case("questions/75-list-subscript.cu")) == [("global", 4.0), ("global", 4.0)]


def test_constrained_parameters_are_types() -> None:
    found = [n for space, n in counts(case("user/c1.cu")) if space == "shared"]
    assert found == [32.0, 1.0] * 3
    assert [n for space, n in counts(case("modern/m01_concepts.cu")) if space == "shared"]
    assert complaints(case("modern/m01_concepts.cu")) == []


def test_the_dots_of_template_arguments_are_no_fold() -> None:
    file = case("modern/m09_fault_pack_in_parens.cu")
    assert complaints(file) == []
    assert ("shared", 32.0) in counts(file)


@pytest.mark.parametrize(
    "name", ["parsing/kl001_raw_string_message.opencl", "modern/o02_raw_no_kernel.opencl"]
)
def test_an_opencl_file_that_is_one_raw_literal_is_read_inside(name: str) -> None:
    file = case(name)
    assert complaints(file) == [] and file.kernels == ()


def test_line_ends_written_into_text_that_a_macro_makes_a_string() -> None:
    file = case("modern/o03_mstringify.cl")
    assert complaints(file) == [] and counts(file) == [("global", 32.0)]


STRINGS = {
    "raw with a delimiter": (
        'R"CLC(\n#define N 8\nkernel void k(global float *o) { o[get_global_id(0) * N] = 1; }\n)CLC"'
    ),
    "two raw literals": (
        'R"(\n#define A 1\n)"\n// next\nR"(\n'
        '__kernel void k(__global float *o) { o[get_global_id(0) * 8 * A] = 1; }\n)"'
    ),
    "quoted lines": (
        '"#define STEP 8\\n"\n"__kernel void k(__global float *o) {\\n"\n'
        '"  o[get_global_id(0) * STEP] = 1;\\n"\n"}\\n"'
    ),
    "a constant": (
        "const char *source = TO_STRING(\n"
        "    __kernel void k(__global float *o) { o[get_global_id(0) * 8] = 1; }\n);"
    ),
    "within directives": (
        "#ifndef NO\nSTRINGIFY(\n"
        "__kernel void k(__global float *o) { o[get_global_id(0) * 8] = 1; }\n)\n#endif"
    ),
}


@pytest.mark.parametrize("text", STRINGS.values(), ids=STRINGS.keys())
def test_an_opencl_file_that_is_a_host_programs_string(text: str) -> None:
    file = read(text, "k.cl")
    assert complaints(file) == [] and counts(file) == [("global", 32.0)]


def test_python_warns_of_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    name = str(CASES / "parsing" / "syntaxwarning_on_stderr.cu")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main.main([name, "--no-cache", "--output-format", "concise"]) == 1
    told = capfd.readouterr()
    assert "Warning" not in told.err and "unexpected '3' in function k" in told.out


# --------------------------------------------------------------------------- variants


@pytest.mark.parametrize(
    "operands",
    [
        '"=r"(v) : "r"(v) "r"(v)',
        '"=r"(v) : [a] "r"(v) [b] "r"(v) : "memory"',
        '"=r"(v) : "r"(v), "r"(v) "r"(v)',
        '"=r"(v) "+r"(w) : "r"(v)',
    ],
)
def test_operands_of_assembly_need_no_comma(operands: str) -> None:
    text = f'__global__ void k(int *p) {{ int v = 1, w = 2; asm("add.s32 %0, %1, %1;" : {operands}); p[threadIdx.x] = v; }}\n'
    file = read(text)
    assert complaints(file) == [] and counts(file) == [("global", 4.0)]


SWITCH = """\
// kernlint: launch(grid=1, block=32, kind={kind})
__global__ void k(float *o, int kind) {{
  switch (kind) {{
    case -3 ... -1: o[threadIdx.x * 2] = 1; break;
    case 0: case 1 ... 4: o[threadIdx.x * 4] = 1; break;
    case 'a' ... 'z': o[threadIdx.x * 8] = 1; break;
    default: o[threadIdx.x] = 1;
  }}
}}
"""


@pytest.mark.parametrize(
    "kind, sectors",
    [(-4, 4), (-3, 8), (-1, 8), (0, 16), (3, 16), (4, 16), (5, 4), (97, 32), (122, 32), (123, 4)],
)
def test_a_range_of_cases(kind: int, sectors: int) -> None:
    (kernel,) = read(SWITCH.format(kind=kind)).kernels
    assert [a.sectors.mean for a in kernel.accesses if a.requests and a.sectors] == [sectors]


def test_a_range_of_cases_that_lanes_decide() -> None:
    (kernel,) = read(SWITCH.format(kind=0).replace("(kind)", "(threadIdx.x % 8)")).kernels
    lanes = {a.span.line: a.active_lanes for a in kernel.accesses if a.requests}
    assert lanes == {5: 20, 7: 12}
    assert any("1 ... 4" in case for branch in kernel.branches for case in branch.cases)


@pytest.mark.parametrize(
    "made",
    [
        "new int[n][4]",
        "new int[n][N][4]()",
        "new int *[n]",
        "new float[2][3]{}",
        "new at",
        "new (std::nothrow) int[n]",
        "new (unseen) at",
        "new (at)",
        "new (int)(5)",
        "new (int[5])",
        "new int[]{1, 2, 3}",
    ],
)
def test_new_of_arrays(made: str) -> None:
    text = (
        "struct at { int a[2]; };\n__global__ void k(float *o) { o[threadIdx.x] = 1; }\n"
        "int main(int n, char **) { constexpr int N = 8; float *o; cudaMalloc(&o, 4096);\n"
        f"  auto q = {made}; k<<<2, 64>>>(o); delete[] q; }}\n"
    )
    file = read(text)
    assert complaints(file) == [] and launches(file) == [(2, 1, 1, 64, 1, 1)]


CONCEPTS = """\
template <class T> concept Arith = sizeof(T) == 4;
namespace n {{ template <class T, class U> concept Same = __is_same(T, U); }}
template <{parameter}> {clause} __global__ void k(T *o) {{ T v = o[0]; o[threadIdx.x * 32] = v; }}
void go(float *o) {{ k<float><<<1, 32>>>(o); }}
"""


@pytest.mark.parametrize(
    "parameter, clause",
    [
        ("Arith T", ""),
        ("n::Same<float> T", ""),
        ("std::floating_point T = float", ""),
        ("Unseen T", ""),
        ("unseen::Kind T", ""),
        ("class T", "requires requires (T a) { a + a; }"),
        ("Arith T", "requires (sizeof(T) == 4) && requires (T a) { a + a; }"),
        ("Arith T, std::integral auto N = 3", ""),
        ("Arith T, Arith... Ts", "requires (Arith<Ts> && ...)"),
    ],
)
def test_concepts_in_template_heads(parameter: str, clause: str) -> None:
    file = read(CONCEPTS.format(parameter=parameter, clause=clause))
    assert complaints(file) == [] and launches(file) == [(1, 1, 1, 32, 1, 1)]
    assert counts(file) == [("global", 1.0), ("global", 32.0)]


def test_an_unknown_type_of_a_value_parameter_is_no_concept() -> None:
    text = (
        "template <Kind K> __global__ void k(float *o) { if (K == Kind::x) o[threadIdx.x * 2] = 1; }\n"
        "template <int N> __global__ void j(float *o) { o[threadIdx.x * N] = 1; }\n"
        "void go(float *o) { j<8><<<1, 32>>>(o); }\n"
    )
    file = read(text)
    assert complaints(file) == [] and counts(file)[-1] == ("global", 32.0)


# --------------------------------------------------------------------------- what is said


@pytest.mark.parametrize(
    "token", ['R"(one\ntwo\nthree)"', '"' + "long " * 40 + '"'], ids=("lines", "length")
)
def test_a_message_quotes_no_more_than_a_line(token: str) -> None:
    (told,) = complaints(read(f"__global__ void k(float *o) {{ o[0] = 1 {token}; }}\n"))
    assert "\n" not in told and len(told) < 90 and told.startswith("unexpected '") and "…'" in told


def test_bytes_that_are_no_utf8_are_a_note() -> None:
    file = read(b"// caf\xe9\n__global__ void k(float *o) { o[threadIdx.x] = 1; }\n")
    (problem,) = file.problems
    assert problem.note and "UTF-8" in problem.message and problem.span.line == 1


@pytest.mark.parametrize(
    "directive, says",
    [
        ("launch()", "'launch()' states nothing: give the grid"),
        ("launch( )", "'launch()' states nothing"),
        ("launch(kernel=k)", "'launch(kernel=k)' states nothing"),
        ("launch(grid=1, block=32, grid=2)", "'grid' is given twice"),
        ("assume()", "'assume()' states nothing"),
    ],
)
def test_a_directive_that_states_nothing_is_refused(directive: str, says: str) -> None:
    file = read(
        f"// kernlint: {directive}\n__global__ void k(float *o) {{ o[threadIdx.x] = 1; }}\n"
    )
    (problem,) = file.problems
    assert problem.code == "KL093" and says in problem.message


@pytest.mark.parametrize(
    "statement",
    [
        "using enum color; x[threadIdx.x] = 1;",
        "if constexpr (requires { x.size(); }) x[0] = 1; x[threadIdx.x] = 1;",
        "constexpr bool b = requires (T t) { t + t; }; x[threadIdx.x] = b;",
    ],
)
def test_forms_of_cpp20(statement: str) -> None:
    text = f"template <class T> __global__ void k(T *x) {{ {statement} }}\n"
    file = read(f"{text}void go(float *p) {{ k<float><<<1, 32>>>(p); }}\n")
    assert complaints(file) == [] and counts(file)[-1] == ("global", 4.0)


def test_a_choice_between_a_value_and_another() -> None:
    """GNU's `a ?: b`, in kernels and in host code."""
    text = (
        "__global__ void k(float *o, int n) { o[threadIdx.x * (n ?: 2)] = 1; }\n"
        "int main() { float *o; cudaMalloc(&o, 4096); int none = 0; k<<<none ?: 4, 32>>>(o, none); }\n"
    )
    file = read(text)
    assert complaints(file) == [] and counts(file) == [("global", 8.0)]
    assert launches(file) == [(4, 1, 1, 32, 1, 1)]


def test_the_value_that_is_chosen_is_loaded_once() -> None:
    file = read(
        "__global__ void k(int *o, int *p) { o[threadIdx.x] = p[threadIdx.x] ?: 1; }\n"
        "int main() { int *o; cudaMalloc(&o, 4096); k<<<1, 32>>>(o, o); }\n"
    )
    assert sorted(access.op for access in file.kernels[0].accesses) == ["load", "store"]
