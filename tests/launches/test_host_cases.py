"""Host code as other people write it: the launches that it makes, and nothing that it does not say.

`tests/data/cases/launches` holds small files, one construct each.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from kernlint.base.span import Problem
from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA

pytestmark = pytest.mark.slow

CASES = DATA / "cases" / "launches"


def is_start(given: object) -> bool:
    """Whether it is the beginning of an allocation."""
    return isinstance(given, facts.PointerArgument) and (given.offset_bytes, given.align) == (
        0,
        256,
    )


@dataclass
class Found:
    """What kernlint says of one file."""

    launches: list[facts.Launch]
    kernels: list[str]
    problems: tuple[Problem, ...]

    @property
    def shapes(self) -> list[tuple[str, tuple[int, ...] | None, int]]:
        """Kernel, grid and the first size of the block."""
        return [
            (kernel, launch.grid, launch.block[0])
            for kernel, launch in zip(self.kernels, self.launches, strict=True)
        ]


def analysed(source: files.Source, **arguments: int) -> Found:
    settings = Settings(launch=LaunchOverrides(arguments=arguments))
    file = engine.analyse_source(source, settings)
    return Found([k.launch for k in file.kernels], [k.name for k in file.kernels], file.problems)


def case(name: str, **arguments: int) -> Found:
    return analysed(files.read(str(CASES / f"{name}.cu")), **arguments)


def text(code: str, **arguments: int) -> Found:
    return analysed(files.Source("a.cu", "cuda", code), **arguments)


# ------------------------------------------------------------------ variables with static storage


@pytest.mark.parametrize("name", ["g1", "g2", "g3", "staticptr", "staticptr2"])
def test_a_variable_that_others_may_set_has_no_known_value(name: str) -> None:
    for launch in case(name).launches:
        assert (launch.grid, launch.block) == ((4, 1, 1), (256, 1, 1))
        assert launch.arguments.keys() == {"p"} and is_start(launch.arguments["p"])


@pytest.mark.parametrize("name", ["nullptr", "nullptr2", "nullptr3"])
def test_a_pointer_that_another_function_allocates_is_no_null_pointer(name: str) -> None:
    [launch] = case(name).launches
    assert launch.arguments.keys() == {"p"} and is_start(launch.arguments["p"])
    assert launch.block == (256, 1, 1)


def test_a_file_scope_dim3_begins_as_ones() -> None:
    found = case("fp_kl001_global_dim3")
    assert found.shapes == [("k", (4096, 1, 1), 256)] and not found.problems


KERNEL = "__global__ void k(float *p, int n) { p[blockIdx.x * n] = 1; }\n"


@pytest.mark.parametrize(
    ("code", "n"),
    [
        ("static int n = 8; void run(float *p) { k<<<4, 64>>>(p, n); }", 8),
        ("const int n = 8; void run(float *p) { k<<<4, 64>>>(p, n); }", 8),
        ("namespace { int n = 8; } void run(float *p) { k<<<4, 64>>>(p, n); }", 8),
        ("int n = 8; void run(float *p) { k<<<4, 64>>>(p, n); }", None),
        ("int n = 8; int main() { float *p; cudaMalloc(&p, n); k<<<4, 64>>>(p, n); }", 8),
        ("static int n = 8; void f() { n = 9; } void run(float *p) { k<<<4, 64>>>(p, n); }", None),
        ("static int n = 8; void f() { g(&n); } void run(float *p) { k<<<4, 64>>>(p, n); }", None),
        ("static int n; void f() { std::cin >> n; } void run(float *p) { k<<<4, 64>>>(p, n); }", None),
        ("void g(int &); static int n; void f() { g(n); } void run(float *p) { k<<<4, 64>>>(p, n); }", None),
        ("void g(int); static int n; void f() { g(n); } void run(float *p) { k<<<4, 64>>>(p, n); }", 0),
        ("extern int n; int main() { float *p; cudaMalloc(&p, 4); k<<<4, 64>>>(p, n); }", None),
        ("int n = 8; void other(); int main() { float *p; cudaMalloc(&p, 4); other(); k<<<4, 64>>>(p, n); }", None),
        ("static int n = 8; void other(); int main() { float *p; cudaMalloc(&p, 4); other(); k<<<4, 64>>>(p, n); }", 8),
        ("int n = 8; void set() { n = 5; } int main() { float *p; cudaMalloc(&p, 4); set(); k<<<4, 64>>>(p, n); }", 5),
        ("void run(float *p) { static int n = 8; k<<<4, 64>>>(p, n); }", 8),
        ("void run(float *p) { static int n = 8; k<<<4, 64>>>(p, n); n *= 2; }", None),
        ("struct A { static int n; }; int A::n = 8; void run(float *p) { k<<<4, 64>>>(p, A::n); }", None),
        ("int m = 8; void run(float *p) { const int n = m; k<<<4, 64>>>(p, n); }", None),
        ("static int n = 8; void run(float *p) { n = 3; k<<<4, 64>>>(p, n); }", 3),
    ],
)  # fmt: skip
def test_the_initial_value_holds_where_nothing_can_have_changed_it(
    code: str, n: int | None
) -> None:
    [launch] = text(KERNEL + code).launches
    assert launch.arguments.get("n") == n and launch.grid == (4, 1, 1)


# ------------------------------------------------------------------ functions of the runtime


def test_an_unknown_function_is_not_the_runtimes_for_its_name() -> None:
    found = case("fp_kl001_cuda_prefix")
    assert found.shapes == [("f", None, 512)]
    assert not [problem for problem in found.problems if problem.reason == "empty-launch"]


@pytest.mark.parametrize(
    "call", ["cudaGridSize(n)", "cuda_grid(n)", "hipBlocks(n)", "cublasRows(n)", "curandCount(n)"]
)
def test_only_the_runtimes_own_functions_return_success(call: str) -> None:
    [launch] = text(KERNEL + f"void run(float *p, int n) {{ k<<<{call}, 64>>>(p, n); }}").launches
    assert launch.grid is None and launch.block == (64, 1, 1)


@pytest.mark.parametrize(
    ("call", "grid"),
    [
        ("cudaMemcpy(n, p, 8, cudaMemcpyDeviceToHost)", None),
        ("cudaMemcpyAsync(n, p, 8, cudaMemcpyDefault, 0)", None),
        ("cudaMemcpyFromSymbol(n, count, 8)", None),
        ("cudaMemcpy(p, n, 8, cudaMemcpyHostToDevice)", (4, 1, 1)),
        ("cudaMemcpy(p, p, 8, cudaMemcpyDeviceToDevice)", (4, 1, 1)),
    ],
)
@pytest.mark.parametrize(
    "held", ["int n[2] = {4, 5};", "std::vector<int> v{4, 5}; int *n = v.data();"]
)
def test_a_copy_to_the_host_changes_what_it_writes(
    held: str, call: str, grid: tuple[int, int, int] | None
) -> None:
    code = (
        f"__device__ int count[2]; void run(float *p) {{ {held} {call}; k<<<n[0], 64>>>(p, 3); }}"
    )
    [launch] = text(KERNEL + code).launches
    assert launch.grid == grid


def test_the_runtimes_functions_return_success() -> None:
    calls = "cudaSetDevice(0) + hipDeviceSynchronize() + cuInit(0) + cudaThreadSynchronize()"
    [launch] = text(KERNEL + f"void run(float *p) {{ k<<<1 + {calls}, 64>>>(p, 3); }}").launches
    assert launch.grid == (1, 1, 1)


# ------------------------------------------------------------------ which launches are reached


def test_a_case_that_does_nothing_hides_no_other() -> None:
    expected = [("first", None, 64), ("second", None, 128)]
    assert case("sw_e").shapes == case("sw2").shapes == expected


def test_a_case_says_the_value_that_is_switched_over() -> None:
    found = case("swt")
    assert [launch.template_arguments for launch in found.launches] == [("512",), ("128",)]
    assert [launch.block for launch in found.launches] == [(512, 1, 1), (128, 1, 1)]
    assert not found.problems and not any(launch.block_assumed for launch in found.launches)


def test_a_condition_says_the_value_of_what_it_compares() -> None:
    code = """
    void run(float *p, int threads, int n) {
        dim3 b(threads);
        if (threads == 64) k<<<4, b>>>(p, n);
        else if (n == 8 && 128 == threads) k<<<n, b, threads * 4>>>(p, n);
        else if (threads != 256) return;
        k<<<6, b>>>(p, 3);
    }"""
    found = text(KERNEL + code)
    known = [(launch.grid, launch.block, launch.dynamic_shared_bytes) for launch in found.launches]
    assert ((4, 1, 1), (64, 1, 1), 0) in known and ((8, 1, 1), (128, 1, 1), 512) in known


def test_a_loop_over_sizes_behind_other_host_code() -> None:
    n = 1 << 20
    sizes = (32, 64, 128, 256, 512, 1024)
    expected = [("k", (n // size, 1, 1), size) for size in sizes]
    assert case("host_exit_in_loop").shapes == expected
    n = 8 * 1024 * 768
    assert case("sizes2").shapes == [("k", (n // s, 1, 1), s) for s in (32, 64, 128)]


def test_a_pointer_to_a_kernel_stands_for_every_one_that_it_may_hold() -> None:
    assert sorted(case("table").shapes) == [
        ("a", (4, 1, 1), 64),
        ("a", (4, 1, 1), 128),
        ("a", (8, 1, 1), 96),
        ("a", (8, 1, 1), 160),
        ("b", (8, 1, 1), 96),
        ("b", (8, 1, 1), 160),
    ]


def test_a_table_of_kernels_with_their_sizes() -> None:
    code = """
    template <int N> __global__ void c(float *p, int n) { p[threadIdx.x] = N; }
    __global__ void d(float *p, int n) { p[threadIdx.x] = 0; }
    typedef void (*Kernel)(float *, int);
    struct Test { const char *name; Kernel kernel; int block; };
    static const Test tests[] = {{"k", k, 64}, {"c", c<3>, 128}};
    void bench(Kernel kernel, float *p, int block) { kernel<<<8, block>>>(p, block); }
    int main(int argc, char **argv) {
        float *p;
        cudaMalloc(&p, 4096);
        for (const Test &test : tests) bench(test.kernel, p, test.block);
        Kernel chosen = argc > 1 ? c<4> : c<5>;
        chosen<<<16, 32>>>(p, 1);
        Kernel kernels[] = {d};
        kernels[0]<<<2, 96>>>(p, 2);
    }"""
    found = text(KERNEL + code)
    made = zip(found.shapes, found.launches, strict=True)
    assert sorted((*shape, launch.template_arguments) for shape, launch in made) == [
        ("c", (8, 1, 1), 128, ("3",)),
        ("c", (16, 1, 1), 32, ("4",)),
        ("c", (16, 1, 1), 32, ("5",)),
        ("d", (2, 1, 1), 96, ()),
        ("k", (8, 1, 1), 64, ()),
    ]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ("int sizes[] = {32, 64};", [32, 64]),
        ("std::vector<int> sizes = {32, 64};", [32, 64]),
        ("std::vector<int> sizes{32, 64}; sizes.push_back(128);", [32, 64, 128]),
        ("std::vector<int> sizes; for (int s = 32; s < 256; s *= 2) sizes.push_back(s);", [32, 64, 128]),
        ("std::vector<int> sizes = {32, 64}; shuffle(sizes.data());", []),
        ("std::vector<int> sizes = {32, 64}; change(sizes);", []),
        ("struct { const char *name; dim3 block; } sizes[] = {{\"a\", 32}, {\"b\", dim3(64)}};", [32, 64]),
    ],
)  # fmt: skip
def test_tables_of_sizes(sizes: str, expected: list[int]) -> None:
    block = "s.block" if "block" in sizes else "s"
    code = f"""
    void change(std::vector<int> &);
    int main(int argc, char **argv) {{
        float *p;
        {sizes}
        int n = 4;
        for (int i = 1; i < argc; i++)
            if (!strcmp(argv[i], "-n")) n = atoi(argv[++i]);
        float *h = (float *)malloc(n);
        for (int i = 0; i < n; i++) h[i] = rand();
        cudaMalloc(&p, 4096);
        for (const auto &s : sizes) k<<<4, {block}>>>(p, n);
    }}"""
    found = text(KERNEL + code)
    assert [shape[2] for shape in found.shapes if shape[1]] == expected


@pytest.mark.parametrize("name", ["fp_kl003_operator_shift", "noise_kl003_host_recursion"])
def test_recursion_that_launches_nothing_is_silent(name: str) -> None:
    found = case(name)
    assert len(found.launches) == 1 and not found.problems


def test_recursion_that_launches_is_reported() -> None:
    code = "void run(float *p, int n) { if (n > 1) run(p, n / 2); k<<<n, 64>>>(p, n); }"
    assert [p.reason for p in text(KERNEL + code + "void top(float *p) { run(p, 8); }").problems]


def test_an_argument_on_the_command_line_keeps_the_launch() -> None:
    code = "void run(float *p, int n) { k<<<(n + 31) / 32, 32>>>(p, n); }"
    [launch] = text(KERNEL + code, n=64).launches
    assert (launch.grid, launch.block, launch.arguments["n"]) == ((2, 1, 1), (32, 1, 1), 64)
    assert launch.origin == "launch at line 2"


def test_a_header_in_angle_brackets_is_found_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "sizes.h").write_text("#define BLOCK 96\n")
    (tmp_path / "math.h").write_text("#define BLOCK 32\n")
    path = tmp_path / "a.cu"
    launch = "void run(float *p) { k<<<4, BLOCK>>>(p, 1); }\n"
    path.write_text(f"#include <sizes.h>\n#include <math.h>\n{KERNEL}{launch}")
    assert analysed(files.read(str(path))).shapes == [("k", (4, 1, 1), 96)]


def test_a_table_of_host_functions_that_launch() -> None:
    code = """
    void small(float *p, int n) { k<<<4, 32>>>(p, n); }
    void large(float *p, int n) { k<<<8, 256>>>(p, n); }
    void neither(float *p, int n) { k<<<9, 512>>>(p, n); }
    struct Bench { const char *name; void (*run)(float *, int); int n; };
    int main() {
        float *p;
        cudaMalloc(&p, 4096);
        Bench benches[] = {{"small", small, 3}, {"large", &large, 5}};
        for (auto &bench : benches) bench.run(p, bench.n);
    }"""
    found = text(KERNEL + code)
    assert found.shapes == [("k", (4, 1, 1), 32), ("k", (8, 1, 1), 256)]
    assert [launch.arguments["n"] for launch in found.launches] == [3, 5]


# ------------------------------------------------------------------ the command line

HEAD = "__global__ void k(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = 1; }\n"


@pytest.mark.parametrize(
    "parsed",
    [
        "int n = argc > 1 ? atoi(argv[1]) : 640;",
        "int n = 640; if (argc == 2) n = std::stoi(argv[1]);",
        "int n = 640, c; while ((c = getopt(argc, argv, \"n:\")) != -1) if (c == 'n') n = atoi(optarg);",
        'int n = 640; if (checkCmdLineFlag(argc, argv, "n")) n = getCmdLineArgumentInt(argc, argv, "n");',
        "int n = 640; for (int i = 1; i < argc; ++i) n = atoi(argv[i]);",
        "int n = 640; if (argc > 2) return 1; if (argc > 1) n = strtol(argv[1], 0, 10);",
    ],
)
def test_the_run_without_arguments_is_the_launch_of_a_file_that_gives_defaults(parsed: str) -> None:
    found = text(
        f"{HEAD}int main(int argc, char **argv) {{ {parsed} float *p; k<<<n / 64, 64>>>(p, n); }}"
    )
    [launch] = found.launches
    assert (launch.grid, launch.block, launch.arguments["n"]) == ((10, 1, 1), (64, 1, 1), 640)
    assert launch.origin == "launch at line 2, run without arguments"
    assert not found.problems


def test_sizes_that_only_arguments_give_stay_unknown() -> None:
    body = "if (argc < 2) return 1; int n = atoi(argv[1]); float *p; k<<<n / 64, 64>>>(p, n);"
    [launch] = text(f"{HEAD}int main(int argc, char **argv) {{ {body} }}").launches
    assert (launch.grid, launch.block) == (None, (64, 1, 1)) and "n" not in launch.arguments


def test_a_launch_that_arguments_do_not_size_has_no_argument_of_a_run_without() -> None:
    body = "int n = argc > 1 ? atoi(argv[1]) : 640; float *p; k<<<4, 64>>>(p, n);"
    [launch] = text(f"{HEAD}int main(int argc, char **argv) {{ {body} }}").launches
    assert launch.origin == "launch at line 2" and "n" not in launch.arguments


ALLOCATED = """int main(int argc, char **argv) {
    int n = 640; READ float *p; cudaMalloc(&p, n * sizeof(float)); k<<<4, 64>>>(p, n);
}"""
READ = ["if (argc > 1) n = atoi(argv[1]);", "n = argc > 1 ? atoi(argv[1]) : 640;"]


@pytest.mark.parametrize("read", READ)
def test_a_run_without_arguments_sizes_allocations(read: str) -> None:
    [launch] = text(HEAD + ALLOCATED.replace("READ", read)).launches
    assert launch.origin == "launch at line 3, run without arguments"
    assert launch.arguments == {"p": facts.PointerArgument(0, 256, 2560), "n": 640}


@pytest.mark.parametrize("read", [READ[0], "n = atoi(argv[1]);", "std::cin >> n;"])
def test_an_argument_that_is_given_sizes_allocations(read: str) -> None:
    [launch] = text(HEAD + ALLOCATED.replace("READ", read), n=100).launches
    assert launch.origin == "launch at line 3"
    assert launch.arguments == {"p": facts.PointerArgument(0, 256, 400), "n": 100}


ALLOCATE = "cudaMalloc(&p, n * sizeof(float));"
ATOI = "n = atoi(argv[1]);"


@pytest.mark.parametrize(
    ("body", "size"),
    [
        (f"int n = 4096; {ALLOCATE} {ATOI}", 16384),
        (f"int n = capacity(); {ALLOCATE} n = count();", None),
        (f"int n = 4096; {ALLOCATE} if (argc > 1) {ATOI}", 16384),
        (f"int n = 0; if (argc > 1) {ATOI} if (n <= 0) n = 4096; {ALLOCATE}", 400),
        (f"int n; if (argc > 1) {ATOI} else n = 4096; {ALLOCATE}", 400),
        (f"int n = 4096; {ALLOCATE} n = atoi(argv[1]); const int m = n; n = 5; n = m;", 16384),
        (f"int n = capacity(); {ALLOCATE} int m = n; if (m > 9) n = 4096;", None),
        (f"int {ATOI} for (int i = 0; i < 2; i++) {{ {ALLOCATE} }}", 400),
    ],
)
def test_an_argument_that_is_given_is_the_value_at_the_launch(body: str, size: int | None) -> None:
    main = f"int main(int argc, char **argv) {{ float *p; {body} k<<<4, 64>>>(p, n); }}"
    [launch] = text(f"{HEAD}int capacity(); int count();\n{main}", n=100).launches
    assert launch.arguments == {"p": facts.PointerArgument(0, 256, size), "n": 100}


@pytest.mark.parametrize(("first", "size"), [("4096", 16384), ("capacity()", None)])
def test_a_host_variable_that_is_given_is_the_value_at_the_launch(
    first: str, size: int | None
) -> None:
    body = (
        f"float *p; int rows = {first}; cudaMalloc(&p, rows * sizeof(float)); rows = atoi(argv[1]);"
    )
    main = f"int main(int argc, char **argv) {{ {body} k<<<rows / 32, 64>>>(p, 7); }}"
    [launch] = text(f"{HEAD}int capacity();\n{main}", rows=128).launches
    assert launch.grid == (4, 1, 1) and launch.arguments["p"] == facts.PointerArgument(0, 256, size)


def test_two_flags_are_two_unknowns() -> None:
    body = """int a = 0, b = 0;
    if (checkCmdLineFlag(argc, argv, "a")) a = 1;
    if (checkCmdLineFlag(argc, argv, "b")) b = 1;
    float *p; if (a != b) k<<<4, 64>>>(p, 7);"""
    [launch] = text(f"{HEAD}int main(int argc, char **argv) {{ {body} }}").launches
    assert launch.grid == (4, 1, 1)


# ------------------------------------------------------------------ arrays of arguments, pointers


def test_one_pointer_is_an_array_of_one_argument() -> None:
    file = engine.analyse_source(
        files.read(str(DATA / "cases" / "modern" / "m15_cooperative_launch.cu")), Settings()
    )
    [kernel] = file.kernels
    assert (kernel.launch.grid, kernel.launch.block) == ((132, 1, 1), (256, 1, 1))
    assert not file.problems


def test_arguments_that_are_not_followed_are_unknown() -> None:
    found = text(
        HEAD + "void go(void **a) { cudaLaunchKernel((void *)k, dim3(3), dim3(64), a, 0, 0); }"
    )
    [launch] = found.launches
    assert launch.grid == (3, 1, 1) and not launch.arguments and not found.problems


def test_a_pointer_to_a_kernel_is_dereferenced_or_not() -> None:
    found = text(
        HEAD
        + "void go(float *p) { void (*f)(float *, int); f = k; f<<<3, 64>>>(p, 1);"
        + " (*f)<<<4, 64>>>(p, 2); (**f)<<<5, 64>>>(p, 3); }"
    )
    assert [launch.grid for launch in found.launches] == [(3, 1, 1), (4, 1, 1), (5, 1, 1)]


PICKED = """
template <int W> __global__ void c(float *p, int n) { p[W * threadIdx.x] = n; }
typedef void (*Kernel)(float *, int);
Kernel pick(const int width) {
    if (width == 1) return c<1>;
    if (width == 2) return c<2>;
    return nullptr;
}
"""


@pytest.mark.parametrize(
    ("width", "expected"), [("1", ["1"]), ("2", ["2"]), ("n / 64", ["1", "2"])]
)
def test_a_function_returns_one_of_several_kernels(width: str, expected: list[str]) -> None:
    code = f"void go(float *p, int n) {{ Kernel f = pick({width}); f<<<3, 64>>>(p, 1); }}"
    found = text(PICKED + code)
    assert [launch.template_arguments for launch in found.launches] == [(a,) for a in expected]
    assert {launch.block for launch in found.launches} == {(64, 1, 1)} and not found.problems


METHOD = """
struct Matrix {
    Matrix(unsigned long rows, unsigned long cols);
    Matrix norms() const;
    unsigned long rows, cols;
    float *data;
};
Matrix Matrix::norms() const {
    int threads = cols;
    Matrix out(1, rows);
    k<<<32, threads>>>(out.data, rows);
    return out;
}
"""


def test_a_member_of_the_object_whose_method_launches() -> None:
    """Not "a name that no analysed file defines", with `-D cols=…` as the remedy."""
    found = text(HEAD + METHOD)
    [problem] = [p for p in found.problems if p.reason == "block-unknown"]
    assert problem.message.endswith("depends on a value loaded from memory: cols")


# ------------------------------------------------------------------ what is lost


def test_a_kernel_whose_only_launch_is_lost_says_so() -> None:
    found = text(HEAD + "void go(float *p, int n, int b) { k<<<n / b, b>>>(p, n); }")
    [problem] = [p for p in found.problems if p.reason == "block-unknown"]
    assert not problem.note and problem.kernel == "k"


def test_a_launch_that_is_lost_beside_others_is_a_note() -> None:
    launched = "k<<<n / b, b>>>(p, n); k<<<n / 64, 64>>>(p, n);"
    found = text(HEAD + f"void go(float *p, int n, int b) {{ {launched} }}")
    [problem] = [p for p in found.problems if p.reason == "block-unknown"]
    assert problem.note


# ------------------------------------------------------------------ tables outside functions


def test_main_reaches_the_launches_of_a_table_outside_functions() -> None:
    found = text(
        HEAD
        + "void a(float *p, int n) { k<<<n, 64>>>(p, n); }\n"
        + "void b(float *p, int n) { k<<<n, 96>>>(p, n); }\n"
        + "void (*tests[])(float *, int) = {a, &b}; int block = 32;\n"
        + "int main() { float *p; for (int i = 0; i < 2; ++i) tests[i](p, i + 5); k<<<9, block>>>(p, 1); }"
    )
    assert found.shapes == [("k", (5, 1, 1), 64), ("k", (6, 1, 1), 96), ("k", (9, 1, 1), 32)]


def test_a_call_through_an_unknown_pointer_may_change_variables() -> None:
    found = text(
        HEAD
        + "int block = 32; void a(float *p) { k<<<5, block>>>(p, 1); }\n"
        + "void (*table[])(float *) = {a}; void (*other(void))(float *);\n"
        + "int main() { float *p; table[0](p); auto f = other(); f(p); k<<<6, block>>>(p, 2); }"
    )
    assert (5, 1, 1) in [launch.grid for launch in found.launches]
    assert (6, 1, 1) not in [launch.grid for launch in found.launches]


def test_elements_of_a_std_array_are_followed() -> None:
    found = text(
        HEAD
        + "int main() { float *p; std::array<int, 2> sizes{64, 96};"
        + " for (int s : sizes) k<<<3, s>>>(p, s); std::array<dim3, 2> grids{dim3(5, 6), dim3(7, 8)};"
        + " for (auto &g : grids) k<<<g, 32>>>(p, 1); }"
    )
    assert [launch.block[0] for launch in found.launches[:2]] == [64, 96]
    assert [launch.grid for launch in found.launches[2:]] == [(5, 6, 1), (7, 8, 1)]


def test_a_fold_over_launches_is_read() -> None:
    found = text(
        HEAD
        + "template <int... B> void all(float *p) { (k<<<2, B>>>(p, B), ...); }\n"
        + "int main() { float *p; all<64, 96>(p); }"
    )
    assert not found.problems and {launch.block[0] for launch in found.launches} == {64, 96}


def test_a_table_that_nothing_changes_outlives_unknown_calls() -> None:
    found = text(
        HEAD
        + "static int sizes[] = {64, 96}; static int count = 2; int visible = 32; static int set = 5;\n"
        + "void change() { set = 6; } void (*other(void))();\n"
        + "int main() { float *p; auto f = other(); f(); for (int i = 0; i < count; ++i) k<<<3, sizes[i]>>>(p, i);"
        + " k<<<visible, 128>>>(p, 1); k<<<set, 128>>>(p, 1); }"
    )
    assert [launch.block[0] for launch in found.launches] == [64, 96, 128]
    assert [launch.grid for launch in found.launches] == [(3, 1, 1), (3, 1, 1), None]


# ------------------------------------------------------------------ lambdas


@pytest.mark.parametrize(
    "handed",
    [
        "std::thread worker([&] { k<<<n, 96>>>(p, n); });",
        'bench("k", [&]() { k<<<n, 96>>>(p, n); }, 10);',
        "auto f = std::async(std::launch::async, [&](int m) { k<<<m, 96>>>(p, m); }, 5);",
        "timer.time([=] { k<<<n, 96>>>(p, n); });",
    ],
)
def test_a_lambda_that_is_handed_over_is_taken_to_be_called(handed: str) -> None:
    found = text(f"{HEAD}int main() {{ float *p; int n = 5; {handed} k<<<n, 32>>>(p, n); }}")
    assert found.shapes == [("k", (5, 1, 1), 96), ("k", (5, 1, 1), 32)]


def test_what_a_lambda_that_may_be_called_changes_is_unknown() -> None:
    handed = "bench([&] { k<<<3, 96>>>(p, n); n += 1; });"
    found = text(f"{HEAD}int main() {{ float *p; int n = 5; {handed} k<<<n, 32>>>(p, 1); }}")
    assert found.shapes == [("k", (3, 1, 1), 96), ("k", None, 32)]


def test_a_lambda_that_is_kept_for_later_is_not_run_with_values_of_now() -> None:
    kept = "v.push_back([&] { k<<<n, 96>>>(p, n); }); n = 6;"
    found = text(
        f"{HEAD}int main() {{ float *p; int n = 5; std::vector<std::function<void()>> v; {kept} }}"
    )
    assert found.shapes == [("k", None, 256)]


# ------------------------------------------------------------------ functions that main does not lead to

UNUSED = "__global__ void unused(float *p) { p[threadIdx.x] = 1; }\n"


def test_a_kernel_that_main_does_not_launch_has_the_block_of_its_launch_elsewhere() -> None:
    found = text(
        HEAD
        + UNUSED
        + "void never(float *p) { unused<<<12, 96, 64>>>(p); k<<<3, 128>>>(p, 3); }\n"
        + "int main() { float *p; k<<<2, 64>>>(p, 5); }"
    )
    assert found.shapes == [("k", (2, 1, 1), 64), ("unused", None, 96)]
    assert found.launches[1].arguments == {} and found.launches[1].dynamic_shared_bytes == 64


def test_a_launch_behind_a_virtual_call_gives_its_block() -> None:
    found = text(
        UNUSED
        + "struct Base { virtual void go(float *p) = 0; };\n"
        + "struct One : Base { void go(float *p) override { unused<<<11, 352>>>(p); } };\n"
        + "Base *pick(); int main() { float *p; pick()->go(p); }"
    )
    assert found.shapes == [("unused", None, 352)]


# ------------------------------------------------------------------ what host code keeps for later

SHAPE = "__global__ void k(float *p, int n) { p[threadIdx.x] = n; }\n"


def kept(body: str, before: str = "") -> list[tuple[tuple[int, ...] | None, int, object]]:
    """Grid, block and `n` of the launches that `main` makes."""
    code = (
        f"{SHAPE}{before}int main(int argc, char **argv) {{ float *x; cudaMalloc(&x, 64); {body} }}"
    )
    return [(one.grid, one.block[0], one.arguments.get("n")) for one in text(code).launches]


@pytest.mark.parametrize(
    "body",
    [
        "int *s = new int[2]{64, 96}; k<<<1, s[1]>>>(x, s[0]);",
        "int *s = new int[]{64, 96}; k<<<1, s[1]>>>(x, s[0]);",
        "auto s = std::make_unique<int[]>(2); s[0] = 64; s[1] = 96; k<<<1, s[1]>>>(x, s[0]);",
        "std::unique_ptr<int[]> s(new int[2]); for (int i = 0; i < 2; i++) s[i] = 64 + 32 * i; k<<<1, s[1]>>>(x, s[0]);",
        "int *s = (int *)malloc(2 * sizeof(int)); s[0] = 64; s[1] = 96; k<<<1, s[1]>>>(x, s[0]);",
        "std::vector<int> s(2); s[0] = 64; s[1] = 96; k<<<1, s[1]>>>(x, s[0]);",
        "std::vector<int> s(2, 96); s.front() = 64; k<<<1, s.back()>>>(x, s[0]);",
        "std::vector<int> s; s = {64, 96}; k<<<1, s[1]>>>(x, s[0]);",
        "std::vector<int> s = {1, 2}, t = {64, 96}; s = t; t[1] = 3; k<<<1, s[1]>>>(x, s[0]);",
        "std::vector<int> s = {64, 96}, t = s; t[1] = 3; k<<<1, s[1]>>>(x, s[0]);",
        "std::vector<int> s = {1, 2}, t = {64, 96}; s.swap(t); k<<<1, s[1]>>>(x, s[0]);",
        "std::vector<int> s = {1, 2}, t = {64, 96}; std::swap(s, t); k<<<1, s[1]>>>(x, s[0]);",
        "std::vector<int> s = {64, 2}; s.pop_back(); s.push_back(96); k<<<1, s[1]>>>(x, s[0]);",
        "std::vector<int> s = {64}; s.resize(2); s[1] = 96; k<<<1, s[1]>>>(x, s[0]);",
        "int a[] = {1, 64, 96}; std::vector<int> s(a + 1, a + 3); k<<<1, s.back()>>>(x, s[0]);",
        "std::vector<std::vector<int>> s = {{64}, {2, 96}}; k<<<1, s[1][1]>>>(x, s[0][0]);",
        "Sizes s; s.add(64); s.add(96); Sizes t = s; t.of[0] = 1; k<<<1, s.of[1]>>>(x, s.of[0]);",
        "Sizes s = sizes(); k<<<1, s.of[1]>>>(x, s.of[0]);",
        "auto s = std::make_shared<std::pair<int, int>>(64, 96); k<<<1, s->second>>>(x, (*s).first);",
        "std::tuple<int, int> s{64, 96}; k<<<1, std::get<1>(s)>>>(x, std::get<0>(s));",
        "auto [a, b] = std::make_tuple(64, 96); k<<<1, b>>>(x, a);",
        "std::map<int, int> s = {{1, 64}, {2, 96}}; k<<<1, s[2]>>>(x, s.at(1));",
        "std::unordered_map<std::string, int> s; s[\"a\"] = 64; s[\"b\"] = 96; k<<<1, s.at(\"b\")>>>(x, s[\"a\"]);",
        "std::map<std::string, int> s{{\"a\", 64}}; s.emplace(\"b\", 96); auto it = s.find(\"b\"); k<<<1, it->second>>>(x, s[\"a\"]);",
        "std::map<int, int> s{{1, 64}, {2, 96}}; s.emplace(1, 3); s.insert({2, 5}); k<<<1, s[2]>>>(x, s[1]);",
        "std::function<void(int)> f = [&](int n) { k<<<1, 96>>>(x, n); }; f(64);",
        "std::vector<std::function<void(int)>> s; s.push_back([&](int n) { k<<<1, 96>>>(x, n); }); for (auto &f : s) f(64);",
    ],
)  # fmt: skip
def test_contents_that_host_code_keeps_are_followed(body: str) -> None:
    sizes = """struct Sizes { std::vector<int> of; void add(int n) { of.push_back(n); } };
    Sizes sizes() { Sizes s; s.add(64); s.of.push_back(96); return s; }
    """
    assert kept(body, sizes) == [((1, 1, 1), 96, 64)]


@pytest.mark.parametrize(
    "body",
    [
        "int *s = new int[2]{64, 96}; fill(s); k<<<1, 32>>>(x, s[1]);",
        "int *s = new int[2]{64, 96}; s[argc] = 3; k<<<1, 32>>>(x, s[1]);",
        "int *s = new int[argc]; s[0] = 64; int *t = get(); *t = 3; use(s); k<<<1, 32>>>(x, s[0]);",
        "struct L { int *p; } l{new int(64)}; change(&l); k<<<1, 32>>>(x, *l.p);",
        "L *l = new L; l->p = new int(64); change(l); k<<<1, 32>>>(x, *l->p);",
        "std::vector<int> s(2); sort(s.begin(), s.end()); k<<<1, 32>>>(x, s[1]);",
        "std::vector<int> s = {64}; if (argc > 1) s = {96}; k<<<1, 32>>>(x, s[0]);",
        "std::vector<int> s = {64}; s.insert(s.begin(), 96); k<<<1, 32>>>(x, s[0]);",
        "std::vector<int> s = {64}, t = {96}; std::vector<int> &r = argc > 1 ? s : t; r[0] = 32; k<<<1, 32>>>(x, s[0]);",
        "int s = 64, t = 96; int &r = argc > 1 ? s : t; r = 32; k<<<1, 32>>>(x, s);",
        "int s = 64, t = 96; (argc > 1 ? s : t) = 32; k<<<1, 32>>>(x, s);",
        "int s = 64, t = 96; (argc > 1 ? s : t)++; k<<<1, 32>>>(x, s);",
        "int *s[2]; for (int i = 0; i < 2; i++) { s[i] = new int(i); } change(s[0]); k<<<1, 32>>>(x, *s[0]);",
        "std::map<int, int> s = {{1, 64}}; s[argc] = 3; k<<<1, 32>>>(x, s[1]);",
        "std::string w = \"a\"; w += argv[0]; std::map<std::string, int> s{{\"a\", 64}, {\"b\", 3}}; k<<<1, 32>>>(x, s[w]);",
        "std::string w = \"a\"; std::cin >> w; std::map<std::string, int> s{{\"a\", 64}, {\"b\", 3}}; k<<<1, 32>>>(x, s[w]);",
        "std::string w = \"a\"; w[0] = *argv[0]; std::map<std::string, int> s{{\"a\", 64}, {\"b\", 3}}; k<<<1, 32>>>(x, s[w]);",
        "std::string w = \"a\"; w.append(\"c\"); std::map<std::string, int> s{{\"a\", 64}, {\"b\", 3}}; k<<<1, 32>>>(x, s[w]);",
    ],
)  # fmt: skip
def test_contents_that_may_have_changed_are_not_known(body: str) -> None:
    assert [n for _, _, n in kept(body, "struct L { int *p; };\n")] == [None]


def test_each_run_of_an_allocation_makes_an_object_of_its_own() -> None:
    body = "int *s[3]; for (int i = 0; i < 3; i++) s[i] = new int(32 * i + 32); for (int i = 0; i < 3; i++) k<<<1, *s[i]>>>(x, i);"
    assert kept(body) == [((1, 1, 1), 32, 0), ((1, 1, 1), 64, 1), ((1, 1, 1), 96, 2)]


def test_a_lambda_that_each_iteration_makes_anew_is_not_taken_for_one() -> None:
    body = "std::vector<std::function<void()>> s; for (int i = 1; i < 3; i++) s.push_back([=] { k<<<i, 32>>>(x, i); }); for (auto &f : s) f();"
    assert all(grid is None for grid, _, _ in kept(body))


CLASSES = """
struct Base { int n; Base(int n) : n(n) {} virtual ~Base() {} virtual int block() const { return 64; } virtual void go(float *x) = 0; };
struct A : Base { using Base::Base; void go(float *x) override { k<<<1, block()>>>(x, n); } };
struct B : Base { B(int n) : Base(n + 1) {} int block() const override { return 96; } void go(float *x) override { k<<<2, block()>>>(x, n); } };
struct C : B { C() : B(9) {} int block() const override { return 128; } };
"""


@pytest.mark.parametrize(
    "body",
    [
        "std::vector<Base *> s; s.push_back(new A(3)); s.push_back(new B(4)); s.push_back(new C()); for (auto *b : s) b->go(x);",
        "std::vector<std::unique_ptr<Base>> s; s.emplace_back(new A(3)); s.push_back(std::make_unique<B>(4)); s.push_back(std::unique_ptr<Base>(new C)); for (const auto &b : s) b->go(x);",
        "Base *s[] = {new A(3), new B(4), new C}; for (Base *b : s) b->go(x);",
        "A a(3); B b(4); C c; auto run = [&](Base &one) { one.go(x); }; run(a); run(b); run(c);",
        "std::map<int, std::shared_ptr<Base>> s; s[0] = std::make_shared<A>(3); s[1] = std::make_shared<B>(4); s[2] = std::make_shared<C>(); for (auto &[i, b] : s) b->go(x);",
    ],
)  # fmt: skip
def test_a_virtual_call_is_of_the_objects_own_class(body: str) -> None:
    expected = [((1, 1, 1), 64, 3), ((2, 1, 1), 96, 5), ((2, 1, 1), 128, 10)]
    assert sorted(kept(body, CLASSES), key=str) == sorted(expected, key=str)


def test_a_virtual_call_on_an_object_of_unknown_class_may_be_any() -> None:
    found = kept("A a(3); B b(4); Base *s = argc > 1 ? make() : new A(3); s->go(x);", CLASSES)
    assert {block for _, block, _ in found} <= {64, 96} and found


@pytest.mark.parametrize(
    "body",
    [
        "int n = 8; std::cin >> n; k<<<1, 32>>>(x, n);",
        "int m = 1, n = 8; std::cin >> m >> n; k<<<1, 32>>>(x, n);",
        'int n = 8; std::ifstream in("sizes"); in >> n; k<<<1, 32>>>(x, n);',
        "struct S { int n = 8; } s; if (std::cin >> s.n) k<<<1, 32>>>(x, s.n);",
        "int n[2] = {8, 8}; std::cin >> n[1]; k<<<1, 32>>>(x, n[1]);",
    ],
)
def test_what_is_read_from_a_stream_is_not_known(body: str) -> None:
    assert kept(body) == [((1, 1, 1), 32, None)]


@pytest.mark.parametrize(
    "around", ["namespace N {{ {0} }}", "namespace {{ {0} }}", "namespace N {{ namespace M {{ {0} }} }}", "namespace N::M {{ {0} }}"]
)  # fmt: skip
def test_methods_defined_outside_their_class_see_the_namespace_around_it(around: str) -> None:
    code = """
    __global__ void inner(float *p, int n) { p[threadIdx.x] = n; }
    struct Pair { int first, second; };
    class Finder { public: void launch(float *p, bool b); private: Pair sizes_; };
    void Finder::launch(float *p, bool b) { if (b) inner<<<3, 64>>>(p, 5); else inner<<<1, 1>>>(p, 7); }
    """
    found = text(around.format(code))
    assert not found.problems
    assert sorted(found.shapes, key=str) == [("inner", (1, 1, 1), 1), ("inner", (3, 1, 1), 64)]


def test_namespaces_without_a_name_are_one() -> None:
    found = text(
        "namespace { namespace N { __device__ int g(int n) { return n; } } }\n"
        "namespace { namespace N { __global__ void k(float *p, int n) { p[g(n)] = 1; } } }\n"
        "void run(float *p) { N::k<<<3, 64>>>(p, 7); }\n"
    )
    assert found.shapes == [("k", (3, 1, 1), 64)] and not found.problems


SIZED_BY_HOST = {
    "parameter": "void run(float *p, int blocks, int threads) { k<<<blocks, threads>>>(p); }",
    "static member": "struct O { static int threads; }; int O::threads = 0;"
    " void run(float *p, int blocks) { k<<<blocks, O::threads>>>(p); }",
    "command line": "int main(int c, char **v) { int blocks = atoi(v[1]), threads = atoi(v[2]);"
    " float *p; cudaMalloc(&p, 1 << 20); k<<<blocks, threads>>>(p); }",
}


@pytest.mark.parametrize("host", SIZED_BY_HOST)
def test_a_size_that_host_code_leaves_open_can_be_given_by_its_name(host: str) -> None:
    code = f"__global__ void k(float *p) {{ p[threadIdx.x] = 1; }}\n{SIZED_BY_HOST[host]}"
    assert text(code, blocks=12, threads=96).shapes == [("k", (12, 1, 1), 96)]


def test_a_kernels_argument_comes_before_a_host_variable_of_its_name() -> None:
    code = """__global__ void k(float *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 1; }
void run(float *p, int n) { k<<<n, 64>>>(p, n * 2); }"""
    assert text(code, n=64).shapes == [("k", None, 64)]


SIZED = "__global__ void k(float *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 1; }\n"


def test_a_constant_of_another_file_is_not_zero() -> None:
    code = (
        SIZED
        + """extern const int blocks; extern const int sizes[4]; struct S { static const int B; };
void a(float *p) { k<<<blocks, 128>>>(p, 1); }
void b(float *p) { k<<<sizes[1], 96>>>(p, 1); }
void c(float *p) { k<<<S::B, 64>>>(p, 1); }"""
    )
    found = text(code)
    assert found.shapes == [("k", None, 128), ("k", None, 96), ("k", None, 64)]
    assert found.problems == ()


def test_a_static_member_has_the_value_of_its_definition() -> None:
    code = (
        "struct S { static const int B; static int N; }; const int S::B = 160; int S::N = 5;\n"
        "namespace n { extern const int C; } const int n::C = 3;\n"
        + SIZED
        + "int main() { float *p; cudaMalloc(&p, 4000); k<<<S::N, S::B>>>(p, n::C); }"
    )
    found = text(code)
    assert found.shapes == [("k", (5, 1, 1), 160)]
    assert found.launches[0].arguments["n"] == 3


def test_a_parameter_called_as_a_host_function_is_no_call_of_it() -> None:
    code = (
        "int up(int n, int b) { return (n + b - 1) / b; }\n"
        "int twice(int n) { int c = 2; return c * n; }\n"
        + SIZED
        + """void a(float *p) { k<<<up(1000, 200), 192>>>(p, 1000); }
void b(float *p) { k<<<up(1000, 64), 64>>>(p, 1000); }
void c(float *p) { k<<<twice(4), 32>>>(p, 1000); }"""
    )
    assert text(code).shapes == [("k", (5, 1, 1), 192), ("k", (16, 1, 1), 64), ("k", (8, 1, 1), 32)]


# ------------------------------------------------------------------ sizes as the language has them


def test_dim3_takes_no_elided_braces() -> None:
    """It has constructors, so each item of the outer list is for a whole one."""
    code = """struct Shape { dim3 grid, block; };
__global__ void k(float *p) { p[blockIdx.x * 32 + threadIdx.x] = 1; }
void run(float *p, cudaStream_t s) {
    Shape shape = {4, 32};
    k<<<shape.grid, shape.block>>>(p);
    cudaLaunchConfig_t config = {8, 64, 0, s, nullptr, 0};
    cudaLaunchKernelEx(&config, k, p);
}
"""
    found = text(code)
    assert found.shapes == [("k", (4, 1, 1), 32), ("k", (8, 1, 1), 64)] and not found.problems


def test_a_negative_size_of_dynamic_shared_memory_is_no_launch() -> None:
    found = text(KERNEL + "void run(float *p) { k<<<1, 64, -4>>>(p, 1); }")
    assert [problem.code for problem in found.problems] == ["KL001"]
    assert "-4 bytes of dynamic shared memory" in found.problems[0].message


def test_launches_that_differ_in_their_clusters_stay_apart() -> None:
    code = """#include <cooperative_groups.h>
__global__ void k(float *p) {
    p[(blockIdx.x * 64 + threadIdx.x) * cooperative_groups::this_cluster().num_blocks()] = 1;
}
void run(float *p) {
    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = 64;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = at[0].val.clusterDim.y = at[0].val.clusterDim.z = 1;
    config.attrs = at;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, k, p);
    at[0].val.clusterDim.x = 8;
    cudaLaunchKernelEx(&config, k, p);
}
"""
    launches = text(code).launches
    assert [launch.cluster for launch in launches if launch] == [(1, 1, 1), (8, 1, 1)]


def test_a_run_without_arguments_that_launches_nothing_says_nothing_of_the_others() -> None:
    code = """
    struct Options { int n = 0; static Options &get() { static Options one; return one; } };
    int main(int argc, char **argv) {
        if (argc > 1) Options::get().n = atoi(argv[1]);
        float *p; cudaMalloc(&p, 4 * Options::get().n);
        k<<<(Options::get().n + 63) / 64, 64>>>(p, Options::get().n);
    }"""
    found = text(KERNEL + code)
    assert (found.problems, found.shapes) == ((), [("k", None, 64)])
