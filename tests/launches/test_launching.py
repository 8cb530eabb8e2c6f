"""Launch directives and which launches are analysed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlint.base.span import Span
from kernlint.launches.resolve import Known, block_source, directives_of, resolve
from kernlint.model.facts import Launch, PointerArgument
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from kernlint.source.directives import (
    Directives,
    LaunchDirective,
    dim3,
    directives,
    integer,
    integer_names,
    number,
)

HERE = Span("a.cu", 10, 5, 10, 60)
KERNEL = Known("k", "ns::k", Span("a.cu", 11, 1, 20, 2))
NONE = LaunchOverrides()


def read(comment: str, names: dict[str, int] | None = None) -> Directives:
    return directives([(HERE, comment)], names)


# ------------------------------------------------------------------ directives


def test_a_full_launch_directive() -> None:
    [launch] = read(
        "// kernlint: launch(grid=64x64, block=(32, 8), dynamic_shared=4<<10, n=1<<20, s=1.5f, p.m=0x10u)"
    ).launches
    assert (launch.grid, launch.block, launch.dynamic_shared_bytes) == (
        (64, 64, 1),
        (32, 8, 1),
        4096,
    )
    assert launch.arguments == {"n": 1 << 20, "s": 1.5, "p.m": 16}
    assert launch.span == Span("a.cu", 10, 8, 10, 101)


def test_a_directive_over_several_lines() -> None:
    [launch] = read("/* kernlint: launch(grid=4,\n *   block=N / 2) */", {"N": 64}).launches
    assert launch.grid == (4, 1, 1) and launch.block == (32, 1, 1)
    assert (launch.span.line, launch.span.end_line) == (10, 11)


def test_a_kernel_by_name_and_template_arguments() -> None:
    [launch] = read(
        "// kernlint: launch(kernel=ns::k<float, 32, A<int, 2>>, grid=4, block=32)"
    ).launches
    assert launch.kernel == "ns::k" and launch.template_arguments == ("float", "32", "A<int, 2>")


@pytest.mark.parametrize("between", [" ", ", ", "; ", "\n * "])
def test_several_directives_behind_one_word(between: str) -> None:
    found = read(
        f"/* kernlint: launch(grid=4, block=32){between}launch(grid=8, block=64) assume(n % 4 == 0) as the host does */"
    )
    assert [launch.grid for launch in found.launches] == [(4, 1, 1), (8, 1, 1)]
    assert [assumption.name for assumption in found.assumptions] == ["n"]


def test_assumptions() -> None:
    found = read("// kernlint: assume(blockDim.x == 32, n % 4 == 0, m <= 100)").assumptions
    stated = [(a.name, a.relation, a.value, a.modulus) for a in found]
    assert stated == [("blockDim.x", "==", 32, None), ("n", "==", 0, 4), ("m", "<=", 100, None)]


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("// kernlint: launch(grid=0)", "every size must be at least 1"),
        ("// kernlint: launch(grid=1x2x3x4)", "4 sizes"),
        ("// kernlint: launch(grid=foo)", "'foo' is neither an integer"),
        ("// kernlint: launch(grid=1", "closing parenthesis"),
        ("// kernlint: launch grid=1", "closing parenthesis"),
        ("// kernlint: launch(grid)", "not NAME=VALUE"),
        ("// kernlint: launch(n=1/0)", "not an integer"),
        ("// kernlint: launch(n=1<<100000)", "out of range"),
        ("// kernlint: assume(n is even)", "neither"),
        ("// kernlint: assume(n % 0 == 0)", "must be positive"),
    ],
)
def test_nonsense_is_a_problem_at_its_place(comment: str, message: str) -> None:
    [problem] = read(comment).problems
    assert problem.code == "KL093" and message in problem.message and problem.span.column == 8


@given(st.text(max_size=40))
def test_any_directive_text_gives_directives_or_problems(text: str) -> None:
    found = read(f"// kernlint: launch({text})")
    assert len(found.launches) + len(found.problems) == 1


@pytest.mark.parametrize(
    "text", ["32x8", "32,8", "(32, 8)", "32X8x1", "(32,8,1)", "16*2, 1<<3", "0x20, 8"]
)
def test_sizes(text: str) -> None:
    assert dim3(text) == (32, 8, 1)


def test_numbers() -> None:
    assert (
        number("1e3") == 1000.0
        and number("-3") == -3
        and number("0x1F") == 31
        and number(".5f") == 0.5
    )
    assert integer("(7 + 1) * 2 - 1") == 15 and integer("100UL") == 100
    with pytest.raises(ValueError, match="neither an integer"):
        integer("__import__('os')")


def test_macros_with_integer_values() -> None:
    defines = {
        "N": "1024",
        "HALF": "(N / 2)",
        "TYPE": "float",
        "LOOP": "LOOP",
        "EMPTY": "",
        "F(x)": "1",
    }
    assert integer_names(defines) == {"N": 1024, "HALF": 512}


# ------------------------------------------------------------------ who a directive is for


def test_directives_go_to_the_kernel_around_or_next_below() -> None:
    kernels = [
        Known("a", "a", Span("f.cu", 5, 1, 9, 2)),
        Known("b", "b", Span("f.cu", 12, 1, 20, 2)),
    ]

    def at(line: int, kernel: str = "") -> LaunchDirective:
        return LaunchDirective(Span("f.cu", line, 1, line, 9), kernel)

    first, inside, second, named, lost = at(4), at(7), at(11), at(1, "b"), at(30)
    assert directives_of(kernels, [first, inside, second, named, lost]) == {
        0: [first, inside],
        1: [second, named],
    }


# ------------------------------------------------------------------ which launches


def host(block: tuple[int, int, int] = (128, 1, 1), **arguments: int) -> Launch:
    return Launch((10, 1, 1), block, None, dict(arguments), "launch at line 88", None, ("float",))


def test_without_any_fact_a_block_is_assumed() -> None:
    [launch] = resolve(KERNEL, [], [], NONE)
    assert (launch.grid, launch.block, launch.origin) == (None, (256, 1, 1), "assumed")
    assert block_source(KERNEL, launch, NONE) == "kernlint's assumption"


def test_attributes_give_the_block() -> None:
    required = Known("k", "k", KERNEL.span, (16, 4, 1))
    [launch] = resolve(required, [], [], NONE)
    assert launch.block == (16, 4, 1) and launch.grid is None
    assert block_source(required, launch, NONE) == "the required work-group size"
    [launch] = resolve(required, [], [], LaunchOverrides(grid=(8, 1, 1)))
    assert (launch.grid, launch.block, launch.origin) == ((8, 1, 1), (16, 4, 1), "command line")
    bounded = Known("k", "k", KERNEL.span, None, (512, 2))
    assert resolve(bounded, [], [], NONE)[0].block == (512, 1, 1)


def test_host_launches_are_kept_apart_and_repeated_ones_are_not() -> None:
    launches = resolve(KERNEL, [host(n=1), host(n=2), host(n=1)], [], NONE)
    assert [launch.arguments for launch in launches] == [{"n": 1}, {"n": 2}]
    assert all(launch.dynamic_shared_bytes == 0 for launch in launches)


def test_a_directive_wins_over_host_code_and_keeps_what_it_does_not_say() -> None:
    directive = LaunchDirective(HERE, grid=(64, 1, 1), arguments={"n": 5})
    [launch] = resolve(KERNEL, [host(n=1, m=2)], [directive], NONE)
    assert launch == Launch(
        (64, 1, 1), (128, 1, 1), 0, {"n": 5, "m": 2}, "directive", HERE, ("float",)
    )


def test_the_command_line_wins_over_all() -> None:
    overrides = LaunchOverrides(
        block=(32, 8, 1), dynamic_shared_bytes=100, arguments={"n": 7, "p": PointerArgument(4)}
    )
    directive = LaunchDirective(HERE, grid=(64, 1, 1), block=(8, 8, 1), arguments={"n": 5})
    [launch] = resolve(KERNEL, [host()], [directive], overrides)
    assert (launch.grid, launch.block, launch.dynamic_shared_bytes, launch.origin) == (
        (64, 1, 1),
        (32, 8, 1),
        100,
        "command line",
    )
    assert launch.arguments == {"n": 7, "p": PointerArgument(4)}


def test_overrides_make_different_launches_one() -> None:
    assert (
        len(resolve(KERNEL, [host(n=1), host(n=2)], [], LaunchOverrides(arguments={"n": 3}))) == 1
    )


def test_a_grid_is_unknown_only_in_an_assumed_launch() -> None:
    for overrides in (NONE, LaunchOverrides(block=(32, 1, 1)), LaunchOverrides(arguments={"n": 3})):
        for directive in ([], [LaunchDirective(HERE, block=(8, 1, 1))]):
            [launch] = resolve(KERNEL, [], directive, overrides)
            assert (launch.grid is None) == (launch.origin == "assumed")


@pytest.mark.parametrize(
    ("body", "grid"), [("", (4, 1, 1)), ("n = n * 4;", None), ("n += 3;", None)]
)
def test_an_argument_says_nothing_of_a_parameter_before_it_was_changed(
    body: str, grid: tuple[int, int, int] | None
) -> None:
    text = f"""__global__ void k(float *p, int n) {{ int i = blockIdx.x * 256 + threadIdx.x; if (i < n) p[i] = 1; }}
void run(float *p, int n) {{ int blocks = n / 256; {body} k<<<blocks, 256>>>(p, n); }}
"""
    settings = Settings(launch=LaunchOverrides(arguments={"n": 1024}))
    file = engine.analyse_source(files.Source("k.cu", "cuda", text), settings)
    assert [kernel.launch.grid for kernel in file.kernels] == [grid]


@pytest.mark.parametrize(
    ("given", "shared", "reason"),
    [
        ("", 0, ""),
        (", 64 * sizeof(float)", 256, ""),
        (", n * sizeof(float)", None, "depends on an argument whose value is unknown: n"),
        (
            ", decide(n)",
            None,
            "depends on a function that no analysed file defines: decide",
        ),
        (", n > 7 ? 64 : 256", None, "depends on an argument whose value is unknown: n"),
    ],
)
@pytest.mark.parametrize("directive", ["", "// kernlint: launch(kernel=k, grid=8)\n"])
def test_bytes_of_shared_memory_that_cannot_be_followed_are_not_known(
    given: str, shared: int | None, reason: str, directive: str
) -> None:
    text = f"""int decide(int);
{directive}__global__ void k(float *o) {{ extern __shared__ float s[]; s[threadIdx.x] = 1; o[threadIdx.x] = s[threadIdx.x ^ 1]; }}
void run(float *o, int n) {{ k<<<4, 64{given}>>>(o); }}"""
    (kernel,) = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings()).kernels
    assert (
        kernel.launch.dynamic_shared_bytes,
        kernel.dynamic_shared_bytes,
        kernel.launch.dynamic_shared_reason,
    ) == (
        shared,
        shared,
        reason,
    )


@pytest.mark.parametrize(
    ("threads", "block", "problem"),
    [
        ("min(512, n)", 512, False),
        ("n < 1024 ? n : 1024", 1024, False),
        ("n > 96 ? 96 : n", 96, False),
        ("128; if (n < threads) threads = n", 128, False),
        ("n; if (threads > 256) threads = 256", 256, False),
        ("n; if (threads > 512) threads = 512; if (threads < 32) threads = 32", 512, False),
        ("n; if (n < 1) return; if (threads > 128) threads = 128", 128, False),
        ("n; if (n < 64) { if (threads > 128) threads = 128; }", 256, True),
        ("n; if (threads < 32) threads = 32", 256, True),
        ("min((n + 31) / 32 * 32, 512)", 512, False),
        ("n < 4096 ? n : 4096", 256, True),
        ("n < 64 ? 64 : n", 256, True),
        ("n > 1024 ? 1024 : n > 256 ? 256 : n", 1024, False),
        ("std::clamp(n, 32, 512)", 512, False),
        ("std::min({n, 128, n / 2})", 128, False),
        ("std::max({n, 32})", 256, True),
        ("0; unsigned some = n; if (some > 128) some = 128; threads = some", 128, False),
        ("0; unsigned some = n; if (some + 3 > 131) some = 128; threads = some", 256, True),
        ("0; dim3 some(n); if (some.x > 96) some.x = 96; threads = some.x", 96, False),
        ("0; const int sizes[] = {64, 512, 128}; threads = sizes[n]", 512, False),
        ("0; int sizes[] = {64, n, 128}; threads = sizes[n % 3]", 256, True),
        ("32; while (threads < n && threads < 512) threads *= 2", 512, False),
        ("32; for (; threads < n && threads < 500; threads <<= 1) {}", 512, False),
        ("1024; while (threads > n && threads > 64) threads /= 2", 1024, False),
        ("32; while (threads < n) threads *= 2", 256, True),
        ("32; while (threads < n && threads < 512) threads *= 2; threads += n", 256, True),
        (
            "32; while (threads < n && threads < 512) { threads *= 2; if (n == 7) threads = 3; }",
            256,
            True,
        ),
    ],
)
def test_a_block_that_a_bound_cuts_is_assumed_to_be_the_largest(
    threads: str, block: int, problem: bool
) -> None:
    text = f"""__global__ void k(float *p) {{ p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }}
void run(float *p, int n) {{ int threads = {threads}; k<<<(n + threads - 1) / threads, threads>>>(p); }}"""
    file = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings())
    [launch] = [kernel.launch for kernel in file.kernels]
    assert (launch.block, launch.block_assumed, launch.grid) == ((block, 1, 1), True, None)
    assert ("the largest that line 2 allows" in launch.block_origin) != problem
    assert bool(file.problems) == problem


def test_a_block_by_default_is_assumed() -> None:
    text = """__global__ void k(float *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
void run(float *p, int n, int threads = 2 * 64) { k<<<n, threads>>>(p); }"""
    file = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings())
    [launch] = [kernel.launch for kernel in file.kernels]
    assert (launch.block, launch.block_assumed, launch.grid) == ((128, 1, 1), True, None)
    assert launch.block_origin == "kernlint's assumption (default arguments at line 2)"
    assert not file.problems


def test_a_block_that_is_assumed_keeps_to_the_bounds_of_its_kernel() -> None:
    text = """__global__ void __launch_bounds__(256) k(float *p) { p[threadIdx.x] = 1; }
void run(float *p, int n) { k<<<n, min(512, n)>>>(p); }"""
    file = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings())
    assert not file.problems
    [launch] = [kernel.launch for kernel in file.kernels]
    assert (launch.block, launch.block_assumed) == ((256, 1, 1), True)
    assert "largest" not in launch.block_origin


def test_no_block_is_assumed_that_has_too_many_threads_along_z() -> None:
    text = """__global__ void k(float *p) { p[threadIdx.z] = 1; }
void run(float *p, int n) { k<<<n, dim3(1, 1, min(100, n))>>>(p); }"""
    file = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings())
    assert ["the block size of this launch" in p.message for p in file.problems] == [True]
    assert len(file.kernels) == 1


@pytest.mark.parametrize(
    ("asked", "threads", "block", "told"),
    [
        ("cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);", "p.maxThreadsPerBlock", 1024, ""),
        ("cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);", "p.maxThreadsPerBlock / 2", 512, ""),
        ("cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);", "4 * p.warpSize", 128, ""),
        ("cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);", "min(n, p.warpSize)", 32, ""),
        ("cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);", "p.warpSize * p.major", 256, "major"),
        ("int a; cudaDeviceGetAttribute(&a, cudaDevAttrMaxThreadsPerBlock, 0);", "a", 1024, ""),
        (
            "int a; cudaDeviceGetAttribute(&a, cudaDevAttrMultiProcessorCount, 0);",
            "a",
            256,
            "the device decides `cudaDevAttrMultiProcessorCount`",
        ),
        ("int maxThreadsPerBlock = n;", "maxThreadsPerBlock", 256, "n"),
    ],
)
def test_a_block_that_the_device_decides_is_assumed(
    asked: str, threads: str, block: int, told: str
) -> None:
    text = f"""__global__ void k(float *p) {{ p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }}
void run(float *p, int n) {{ {asked} k<<<n, {threads}>>>(p); }}"""
    file = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings())
    [launch] = [kernel.launch for kernel in file.kernels]
    assert (launch.block, launch.block_assumed, launch.grid) == ((block, 1, 1), True, None)
    assert ("of the device" in launch.block_origin) == (not told)
    assert [problem.message.endswith(told) for problem in file.problems] == [True] * bool(told)
