"""What a kernel's own text says of its launches: assertions, early returns on uniform values,
assumptions for the compiler, and verification tools' headers."""

from __future__ import annotations

import pytest

from kernlint.model.facts import File
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA


def analysed(text: str, path: str = "k.cu", **launch: object) -> File:
    settings = Settings(device="h100", launch=LaunchOverrides(**launch))  # type: ignore[arg-type]
    return engine.analyse_source(files.from_bytes(path, text.encode()), settings)


def kernel(statements: str, use: str = "x[threadIdx.x] = n;", host: str = "") -> File:
    return analysed(f"__global__ void k(float *x, int n, int m) {{ {statements} {use} }}\n{host}")


@pytest.mark.parametrize(
    ("statements", "block", "known"),
    [
        ("", (256, 1, 1), False),
        ("assert(blockDim.x == 64);", (64, 1, 1), True),
        ("if (blockDim.x != 64) return;", (64, 1, 1), True),
        ("if (!(blockDim.x == 64 && n > 0)) return;", (64, 1, 1), True),
        ("const int w = blockDim.x; if (64 != w) { printf(\"no\"); return; }", (64, 1, 1), True),
        ("if (blockDim.x != 64 || n < 0) __builtin_unreachable();", (64, 1, 1), True),
        ("__assume(blockDim.x == 64);", (64, 1, 1), True),
        ("__requires(blockDim.x == 64);", (64, 1, 1), True),
        ("assert(blockDim.x % 96 == 0);", (288, 1, 1), False),
        ("assert((blockDim.x & 127) == 0 && blockDim.x < 200);", (128, 1, 1), False),
        ("assert(blockDim.x >= 300);", (320, 1, 1), False),
        ("if (n > 3) assert(blockDim.x == 64);", (256, 1, 1), False),
        ("if (blockDim.x != 64) { x[0] = 1; return; }", (256, 1, 1), False),
        ("if (blockDim.x == 64) return;", (256, 1, 1), False),
        ("assert(threadIdx.x == 64);", (256, 1, 1), False),
    ],
)  # fmt: skip
def test_the_block(statements: str, block: tuple[int, int, int], known: bool) -> None:
    [found] = kernel(statements).kernels
    assert (found.launch.block, not found.launch.block_assumed) == (block, known)


def test_a_block_of_which_one_axis_is_fixed_stays_assumed() -> None:
    [found] = kernel("assert(blockDim.x == 4);", "x[threadIdx.x + 4 * threadIdx.y] = n;").kernels
    assert found.launch.block == (4, 16, 1)
    assert found.launch.block_assumed
    assert "`blockDim.x == 4` in the kernel" in found.launch.block_origin


def test_the_grid_is_taken_where_all_axes_in_use_are_fixed() -> None:
    checks = "assert(blockDim.x == 64); if (gridDim.x != 3) return;"
    [found] = kernel(checks).kernels
    assert (found.launch.grid, found.launch.origin) == ((3, 1, 1), "conditions in the kernel")
    [found] = kernel(checks, "x[threadIdx.x + 64 * blockIdx.y] = n;").kernels
    assert found.launch.grid is None


@pytest.mark.parametrize(
    ("statements", "stated"),
    [
        ("assert(n % 4 == 0 && n > 3);", ["n % 4 == 0 and n > 3"]),
        ("if (n % 4) return;", ["n % 4 == 0"]),
        ("if (n & 3) return;", ["n % 4 == 0"]),
        ("__builtin_assume(m >= n); __builtin_assume(m == 7);", ["m == 7"]),
        ("if (n <= 0) return;", []),  # a case that is done with says little of the others
        ("n = n * 2; assert(n % 4 == 0);", []),
        ("assert(n % 4 == 0); n += 1;", []),
    ],
)
def test_arguments(statements: str, stated: list[str]) -> None:
    [found] = kernel(statements).kernels
    assert [" and ".join(fact.texts) for fact in found.launch.stated] == stated


def test_what_a_launch_gives_stays() -> None:
    host = "void go(float *x) { k<<<2, 128>>>(x, 6, 1); }"
    file = kernel("assert(blockDim.x == 64 && n % 4 == 0);", host=host)
    [found] = file.kernels
    assert (found.launch.block, found.launch.arguments["n"]) == ((128, 1, 1), 6)
    assert [p for p in file.problems if p.code == "KL093"] == []


def test_an_assertion_in_a_function_that_is_called_counts() -> None:
    text = """\
__device__ void check(int n) { assert(n % 8 == 0); }
__device__ void small(int n) { if (n < 9) return; assert(n % 16 == 0); }
__global__ void k(float *x, int a, int b) { check(a); small(b); x[threadIdx.x] = a + b; }
"""
    [found] = analysed(text).kernels
    assert [fact.texts for fact in found.launch.stated] == [("a % 8 == 0",)]


@pytest.mark.parametrize(
    ("header", "path", "grid", "block"),
    [
        ("//--blockDim=64 --gridDim=2", "k.cu", (2, 1, 1), (64, 1, 1)),
        ("//--gridDim=[4,4] --blockDim=[8,8] --no-inline", "k.cu", (4, 4, 1), (8, 8, 1)),
        ("//--blockDim=32\n//--gridDim=5", "k.cu", (5, 1, 1), (32, 1, 1)),
        ("//--local_size=64 --num_groups=3", "k.cl", (3, 1, 1), (64, 1, 1)),
        ("//--local_size=[8,8] --global_size=[64,16]", "k.cl", (8, 2, 1), (8, 8, 1)),
    ],
)
def test_the_header_of_a_verification_tool(
    header: str, path: str, grid: tuple[int, int, int], block: tuple[int, int, int]
) -> None:
    text = "//pass\n" + header + "\n__global__ void a(float *x) { x[threadIdx.x] = 1; }\n"
    text += "__global__ void b(float *x) { x[threadIdx.x] = 2; }\n"
    if path.endswith(".cl"):
        text = text.replace("__global__ void", "__kernel void").replace(
            "float *x", "global float *x"
        )
        text = text.replace("threadIdx.x", "get_local_id(0)")
    file = analysed(text, path)
    assert [(k.launch.grid, k.launch.block) for k in file.kernels] == [(grid, block)] * 2
    assert file.problems == ()


def test_a_header_yields_to_a_directive_and_a_broken_one_says_nothing() -> None:
    own = "// kernlint: launch(grid=7, block=32)\n__global__ void k(float *x) { x[0] = 1; }\n"
    [found] = analysed("//--blockDim=64 --gridDim=2\n" + own).kernels
    assert (found.launch.grid, found.launch.block) == ((7, 1, 1), (32, 1, 1))
    broken = analysed("//--blockDim=[8,N]\n__global__ void k(float *x) { x[0] = 1; }\n")
    assert broken.kernels[0].launch.block_assumed
    assert broken.problems == ()


def test_the_case_of_the_issue() -> None:
    name = "launches/fp_error_under_assumed_launch.cu"
    file = analysed((DATA / "cases" / name).read_text(encoding="utf-8"))
    blocks = {k.name: (k.launch.block, k.launch.block_assumed) for k in file.kernels}
    assert blocks == {
        "k": ((4, 8, 1), True),
        "first_half": ((256, 1, 1), True),
        "guarded": ((64, 1, 1), False),
    }


def test_directives_of_kernels_that_were_lost_are_for_no_other_and_not_wrong() -> None:
    lost = "__global__ void {}(float *p, 3 = int) {{ }}\n"
    directive = "// kernlint: launch({}grid=4, block=64)\n"
    file = analysed(
        f"{directive.format('')}// kernlint: assume(n % 32 == 0)\n{lost.format('k')}"
        "__global__ void j(float *p) { p[threadIdx.x] = 1; }\n"
        f"{directive.format('kernel=k, ')}{directive.format('kernel=none, ')}"
        f"{directive.format('')}{lost.format('z')}"
    )
    [kernel] = file.kernels
    assert (kernel.launch.grid, kernel.launch.origin) == (None, "assumed")
    wrong = [(p.code, p.span.line) for p in file.problems if p.code != "KL001"]
    assert wrong == [("KL093", 6)]


def test_a_lost_device_function_takes_no_directive() -> None:
    file = analysed(
        "// kernlint: launch(grid=4, block=64)\n__device__ void f(3 = int) { }\n"
        "__global__ void j(float *p) { p[threadIdx.x] = 1; }\n"
    )
    assert file.kernels[0].launch.grid == (4, 1, 1)
