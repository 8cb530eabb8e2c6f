"""The whole pipeline from text: failures stay where they happen, launches come from where they
should, bad input is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.base.usage import UsageError
from kernlint.checks import words
from kernlint.checks.run import check
from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from kernlint.source.directives import argument
from tests.support import needs

TWO_KERNELS = """\
// kernlint: launch(grid=4, block=64)
__global__ void first(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }

// kernlint: launch(grid=4, block=64, n=256)
__global__ void second(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 2.0f; }
"""


def analyse(text: str, settings: Settings | None = None, path: str = "a.cu") -> facts.File:
    report = engine.analyse((), settings or Settings(), stdin=files.from_bytes(path, text.encode()))
    return report.files[0]


def names(file: facts.File) -> list[str]:
    return [kernel.name for kernel in file.kernels]


def test_a_fault_in_one_kernel_costs_that_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    from kernlint.execution import run

    execute = run.execute

    def faulty(kernel: object, *rest: object) -> facts.Kernel:
        if getattr(kernel, "name", "") == "first":
            raise IndexError("list index out of range")
        return execute(kernel, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "execute", faulty)
    file = analyse(TWO_KERNELS)
    assert names(file) == ["second"]
    [problem] = file.problems
    assert (problem.code, problem.kernel, problem.span.line) == ("KL003", "first", 2)
    assert (
        "analysis of `first` stopped with an internal error: IndexError: list index out of range"
        in problem.message
    )


def test_a_fault_in_one_file_costs_that_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from kernlint.source.parser import parser

    parse = parser.parse

    def faulty(tokens: object, path: str, *rest: object) -> object:
        if path.endswith("bad.cu"):
            raise RecursionError("maximum recursion depth exceeded")
        return parse(tokens, path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(parser, "parse", faulty)
    for name in ("bad.cu", "good.cu"):
        (tmp_path / name).write_text(TWO_KERNELS)
    bad, good = engine.analyse([str(tmp_path)], Settings()).files
    assert [p.code for p in bad.problems] == ["KL003"] and bad.kernels == ()
    assert names(good) == ["first", "second"] and good.problems == ()


def test_half_a_kernel_leaves_the_other_whole() -> None:
    file = analyse(
        TWO_KERNELS.replace("x[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;", "x[ = ;")
    )
    assert names(file) == ["second"]
    assert [(p.code, p.span.line) for p in file.problems] == [("KL001", 2)]


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(float *x) { x[threadIdx.x] = 1.0f;",
        "__global__ void k(float *x) }",
        "}}}}",
        "#define A B\n#define B A\n__global__ void k(int *x) { x[A] = 1; }",
        '#include "self.cu"\n__global__ void k(int *x) { x[0] = "',
        "#if 1\n__global__ void k(int *x) { x[0] = 1; }",
        "template <",
        "/* never closed",
        '__global__ void k(int *x) { asm volatile("nonsense %0 %1" : "=r"(x[0])); }',
        "int main() { k<<<1, 2>>>(3); }",
        "__global__ void k(int *x) { while (1) { x[threadIdx.x]++; } }",
        "__global__ void k(int *x) { k(x); }",
    ],
)
def test_bad_input_never_raises(text: str) -> None:
    file = analyse(text)
    report = facts.Report("h100", (file,))
    for finding in check(report, Selection(select=("all",), severity="info")):
        assert "Error" not in finding.message and finding.span.line >= 1
        assert "internal error" not in finding.message


def test_a_repeated_host_launch_is_analysed_once_per_configuration() -> None:
    host = "int main() { for (int n = 64; n <= 256; n *= 2) second<<<n / 64, 64>>>(nullptr, n);  second<<<1, 64>>>(nullptr, 64); }\n"
    file = analyse(TWO_KERNELS.split("\n\n")[1].split("\n", 1)[1] + host)
    assert [(k.launch.grid, k.launch.arguments.get("n")) for k in file.kernels] == [
        ((1, 1, 1), 64),
        ((2, 1, 1), 128),
        ((4, 1, 1), 256),
    ]
    assert all(k.launch.origin.startswith("launch at line ") for k in file.kernels)


@needs.interpreted
def test_what_the_compiler_makes_of_a_kernel_is_looked_at_once_for_all_launches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from kernlint.execution import run

    looked: list[tuple[str, ...]] = []
    look = run.look
    monkeypatch.setattr(
        run, "look", lambda kernel: looked.append(kernel.template_arguments) or look(kernel)
    )
    kernel = "template <int N> __global__ void k(float *o) { o[threadIdx.x * N] = o[threadIdx.x * N] + N; }\n"
    host = "int main() { for (int g = 1; g < 9; g *= 2) { k<2><<<g, 64>>>(nullptr); k<3><<<g, 64>>>(nullptr); } }\n"
    assert len(analyse(kernel + host).kernels) == 8
    assert looked == [("2",), ("3",)]


def test_the_command_line_wins() -> None:
    settings = Settings(launch=LaunchOverrides(grid=(2, 1, 1), block=(32, 1, 1)))
    assert {
        (k.launch.grid, k.launch.block, k.launch.origin)
        for k in analyse(TWO_KERNELS, settings).kernels
    } == {((2, 1, 1), (32, 1, 1), "command line")}


HANDED_IN = """\
__global__ void t(float *d, int rows, int cols) { if (threadIdx.x < cols) d[blockIdx.y * cols + threadIdx.x] = rows; }
__global__ void v(float *d, unsigned n) { d[blockIdx.x * blockDim.x + threadIdx.x] = n; }
static void helper(float *d, size_t count) { v<<<(count + 255) / 256, 256>>>(d, (unsigned)count); }
void run(float *d, int rows, int cols) {
    dim3 grid((cols + 31) / 32, (rows + 7) / 8);
    t<<<grid, dim3(32, 8)>>>(d, rows, cols);
    if (rows < 100) v<<<1, rows>>>(d, rows); else helper(d, rows);
}
int main(int argc, char **argv) {
    int m = atoi(argv[1]);
    float *p;
    cudaMalloc(&p, m * 4);
    run(p, m, 2 * m);
}
"""


def launched(settings: Settings, text: str = HANDED_IN) -> dict[str, list[tuple[object, ...]]]:
    found: dict[str, list[tuple[object, ...]]] = {}
    for kernel in analyse(text, settings).kernels:
        integers = {
            name: value for name, value in kernel.launch.arguments.items() if isinstance(value, int)
        }
        found.setdefault(kernel.name, []).append(
            (kernel.launch.grid, kernel.launch.block, integers)
        )
    return found


def test_an_argument_s_value_resolves_the_launches_that_hand_it_in() -> None:
    """`--arg rows=4096` is told of t's argument, which the host code hands in from what it computes
    the grid from."""
    assert [grid for grid, _, _ in launched(Settings())["t"]] == [None]
    found = launched(Settings(launch=LaunchOverrides(arguments={"rows": 4096})))
    assert found["t"] == [((256, 512, 1), (32, 8, 1), {"rows": 4096, "cols": 8192})]
    assert [grid for grid, _, _ in found["v"]] == [None]  # nothing is said of its argument
    found = launched(Settings(launch=LaunchOverrides(arguments={"n": 1000})))
    assert found["v"] == [((4, 1, 1), (256, 1, 1), {"n": 1000})] and found["t"][0][0] is None
    found = launched(Settings(launch=LaunchOverrides(arguments={"n": 64})))
    assert found["v"] == [
        ((1, 1, 1), (64, 1, 1), {"n": 64})
    ]  # and it decides which launch is reached


def test_a_directive_s_argument_resolves_launches_too() -> None:
    above = "// kernlint: {}\n__global__ void t(".format
    for said in ("launch(rows=64)", "assume(rows == 64)"):
        found = launched(Settings(), HANDED_IN.replace("__global__ void t(", above(said)))
        assert found["t"] == [((4, 8, 1), (32, 8, 1), {"rows": 64, "cols": 128})]


def test_a_variable_that_changes_is_not_what_was_handed_in() -> None:
    text = HANDED_IN.replace("if (rows < 100)", "rows = other(); if (rows < 100)")
    found = launched(Settings(launch=LaunchOverrides(arguments={"rows": 4096})), text)
    assert [grid for grid, _, _ in found["t"]] == [None]


def test_required_work_group_size() -> None:
    text = "__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k(__global int *x) { x[get_global_id(0)] = 1; }"
    [kernel] = analyse(text, path="a.cl").kernels
    assert kernel.launch.block == (8, 4, 1)
    assert "block 8x4x1 from the required work-group size, grid unknown" in kernel.assumptions


def test_one_kernel_only() -> None:
    assert names(analyse(TWO_KERNELS, Settings(kernel="second"))) == ["second"]
    with pytest.raises(
        UsageError, match="no such kernel in the files given, did you mean `second`"
    ):
        analyse(TWO_KERNELS, Settings(kernel="secnd"))


def test_arguments_that_no_kernel_has() -> None:
    with pytest.raises(
        UsageError,
        match="no kernel or launch analysed has an argument of this name; they have `n`, `x`",
    ):
        analyse(TWO_KERNELS, Settings(launch=LaunchOverrides(arguments={"count": 3})))
    [problem] = analyse(TWO_KERNELS.replace("n=256", "m=256")).problems
    assert "`second` has no argument `m`" in problem.message and problem.span.line == 4


def test_values_of_host_code_without_a_name_are_no_arguments() -> None:
    text = """__global__ void k(float *x) { x[threadIdx.x] = 1; }
int main(int argc, char **argv) { int n = argc > 1 ? atoi(argv[1]) : 64; k<<<1, n>>>(nullptr); }
"""
    with pytest.raises(UsageError, match="they have `argc`, `x`"):
        analyse(text, Settings(launch=LaunchOverrides(arguments={"count": 3})))


TYPED = "__global__ void k(float *p, int n, unsigned u, bool b, float x, long long w) { p[threadIdx.x * n + u + w] = x + b; }\n"
REFUSED = {
    "n=7.5": "n=7.5: `n` is int, which takes integers",
    "n=2147483648": "n=2147483648: `n` is int, which holds -2,147,483,648 to 2,147,483,647",
    "u=4294967296": "u=4294967296: `u` is unsigned int, which holds 0 to 4,294,967,295",
    "b=2": "b=2: `b` is bool, which holds 0 to 1",
    "p=4": "p=4: a pointer (float *) is given as bytes from the start of its allocation, `p=+4`, or as 0 for none",
}


@pytest.mark.parametrize("given", REFUSED)
def test_values_that_an_argument_cannot_have_are_refused(given: str) -> None:
    name, value = given.split("=")
    with pytest.raises(UsageError) as refused:
        analyse(TYPED, Settings(launch=LaunchOverrides(arguments={name: argument(value)})))
    assert str(refused.value) == f"--arg {REFUSED[given]}"
    file = analyse(f"// kernlint: launch(grid=1, block=32, {given})\n" + TYPED)
    [problem] = file.problems
    assert (problem.code, problem.message, problem.span.line) == (
        "KL093",
        f"launch directive: {REFUSED[given]}",
        1,
    )
    assert name not in file.kernels[0].launch.arguments


@pytest.mark.parametrize(
    "given", ["n=-1", "n=4e3", "u=-1", "b=1", "x=3", "x=0.5", "w=99999999999", "p=0", "p=+4"]
)
def test_values_that_an_argument_can_have_are_taken(given: str) -> None:
    name, value = given.split("=")
    file = analyse(f"// kernlint: launch(grid=1, block=32, {given})\n" + TYPED)
    assert not file.problems and file.kernels[0].launch.arguments == {name: argument(value)}
    settings = Settings(launch=LaunchOverrides(arguments={name: argument(value)}))
    assert analyse(TYPED, settings).kernels[0].launch.arguments == {name: argument(value)}


def test_of_kernels_whose_arguments_differ_in_type_those_take_a_value_that_can() -> None:
    text = "__global__ void a(float *p, int n) { p[n] = 0; }\n__global__ void b(float *p, float n) { p[0] = n; }\n"
    first, second = analyse(text, Settings(launch=LaunchOverrides(arguments={"n": 7.5}))).kernels
    assert first.launch.arguments == {} and second.launch.arguments == {"n": 7.5}


def test_directives_that_apply_to_nothing() -> None:
    [problem] = analyse(TWO_KERNELS + "// kernlint: launch(grid=1, block=32)\n").problems
    assert "matches no kernel: none follows it" in problem.message
    [problem] = analyse("// kernlint: launch(kernel=third, grid=1)\n" + TWO_KERNELS).problems
    assert "there is no kernel `third`" in problem.message


INACTIVE = """#if 0  // kernlint: launch(grid=2, block=64)
// kernlint: launch(grid=4, block=64)
#ifdef ALSO
/* kernlint: assume(n % 4 == 0) */ int left;
#endif
// kernlint: launch(no words that make sense)
#elif !defined(ALSO)
// kernlint: launch(grid=8, block=64)
#else
// kernlint: launch(grid=16, block=64)
#endif  // kernlint: assume(n % 2 == 0)
__global__ void k(float *x, int n) {
#ifdef ALSO
    // kernlint: assume(n % 8 == 0)
#endif
    x[threadIdx.x + n * blockIdx.x] = 1.0f;
}
"""


@pytest.mark.parametrize(
    ("defines", "grid", "stated"),
    [({}, 8, ["n % 2 == 0"]), ({"ALSO": "1"}, 16, ["n % 2 == 0", "n % 8 == 0"])],
)
@pytest.mark.parametrize("path", ["a.cu", "a.py"])
def test_directives_count_where_the_preprocessor_takes_the_text_around_them(
    defines: dict[str, str], grid: int, stated: list[str], path: str
) -> None:
    text = (
        INACTIVE if path == "a.cu" else f"import cupy\nk = cupy.RawKernel(r'''{INACTIVE}''', 'k')\n"
    )
    file = analyse(text, Settings(defines=defines), path)
    [kernel] = file.kernels
    assert not [p for p in file.problems if p.code == "KL093"]
    assert (
        kernel.launch.grid == (grid, 1, 1)
        and [t for fact in kernel.launch.stated for t in fact.texts] == stated
    )


HOST = "int get(); void f(float *x) {{ k<<<{grid}, {block}>>>(x); }}\n"
KERNEL = "__global__ void k(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }\n"
NEITHER, GRID, BLOCK = (
    LaunchOverrides(),
    LaunchOverrides(grid=(4, 1, 1)),
    LaunchOverrides(block=(128, 1, 1)),
)
BOTH = LaunchOverrides(grid=(4, 1, 1), block=(128, 1, 1))


@pytest.mark.parametrize(
    ("grid", "block", "told", "replacing"),
    [
        (
            "64",
            "2048",
            [NEITHER, GRID],
            [BLOCK, BOTH],
        ),  # the block of the file counts beside a grid of the command line
        ("dim3(1, 70000)", "128", [NEITHER, BLOCK], [GRID, BOTH]),
        ("64", "get()", [NEITHER, GRID], [BLOCK, BOTH]),
        (
            "0",
            "128",
            [NEITHER, GRID, BLOCK],
            [BOTH],
        ),  # of a launch that cannot be made nothing is taken
        ("4", "0", [NEITHER, GRID, BLOCK], [BOTH]),
    ],
)
def test_a_launch_that_the_command_line_replaces_is_not_told_as_wrong(
    grid: str, block: str, told: list[LaunchOverrides], replacing: list[LaunchOverrides]
) -> None:
    text = KERNEL + HOST.format(grid=grid, block=block)
    for overrides in (*told, *replacing):
        problems = [
            p
            for p in analyse(text, Settings(launch=overrides)).problems
            if p.code in ("KL001", "KL003", "KL602")
        ]
        assert bool(problems) == any(overrides is one for one in told), (overrides, problems)


def test_too_many_launches_are_said() -> None:
    host = "int main() { for (int n = 1; n <= 100; n++) second<<<n, 64>>>(nullptr, n * 64); }\n"
    file = analyse(TWO_KERNELS.split("\n\n")[1].split("\n", 1)[1] + host, Settings(max_launches=10))
    assert len(file.kernels) == 10
    assert any(
        p.code == "KL003" and "of 100 distinct launches of `second` not analysed" in p.message
        for p in file.problems
    )


def test_macros_and_headers_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "size.h").write_text("#define COLUMNS 33\n")
    text = '#include "size.h"\n// kernlint: launch(grid=1, block=32)\n__global__ void k(float *x) { __shared__ float s[ROWS][COLUMNS];\n'
    text += "s[threadIdx.x][0] = 1.0f; x[threadIdx.x] = s[0][threadIdx.x]; }\n"
    [kernel] = analyse(
        text, Settings(defines={"ROWS": "32"}, include_dirs=(str(tmp_path),))
    ).kernels
    assert kernel.static_shared_bytes == 32 * 33 * 4


REDUCTION = """\
__kernel void reduce(__global const float *in, __global float *out, __local float *tmp) {
  const int lid = get_local_id(0);
  tmp[lid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 1; s < get_local_size(0); s *= 2) {
    if (2 * s * lid < get_local_size(0)) tmp[2 * s * lid] += tmp[2 * s * lid + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lid == 0) out[get_group_id(0)] = tmp[0];
}
"""


@pytest.mark.slow
def test_an_unknown_grid_leaves_only_the_number_of_requests_open() -> None:
    """Every block does the same: what one request counts on average does not depend on how many
    blocks there are."""
    known = analyse(
        REDUCTION, Settings(launch=LaunchOverrides(grid=(7, 1, 1), block=(256, 1, 1))), "a.cl"
    ).kernels[0]
    unknown = analyse(
        REDUCTION, Settings(launch=LaunchOverrides(block=(256, 1, 1))), "a.cl"
    ).kernels[0]
    assert len(known.accesses) == len(unknown.accesses) == 7
    for one, other in zip(known.accesses, unknown.accesses, strict=True):
        for stated, counts in ((one.wavefronts, other.wavefronts), (one.sectors, other.sectors)):
            assert (stated is None) == (counts is None)
            if stated is not None and counts is not None:
                assert (counts.min, counts.mean, counts.max) == (
                    stated.min,
                    stated.mean,
                    stated.max,
                )
                assert counts.mean_low == counts.mean == counts.mean_high
        assert one.requests is not None and other.requests is None and other.status == "range"
    findings = check(
        facts.Report("h100", (analyse(REDUCTION, path="a.cl"),)), Selection(select=("KL101",))
    )
    assert [f.severity for f in findings] == ["warning"] and "8-way" in findings[0].message


def test_a_launch_whose_grid_is_not_known_says_where_its_block_is_from() -> None:
    host = "__global__ void k(float *a) { a[threadIdx.x] = 1; }\nvoid run(float *a, int rows)\n{\n    k<<<rows, 128>>>(a);\n}\n"
    [kernel] = analyse(host).kernels
    assert words.launch(kernel.launch) == "block 128 (from the launch at line 4), grid unknown"
    [alone] = analyse(host.split("\n")[0]).kernels
    assert words.launch(alone.launch) == "block 256 (assumed), grid unknown"
    [told] = analyse(
        host.split("\n")[0], Settings(launch=LaunchOverrides(block=(64, 1, 1)))
    ).kernels
    assert words.launch(told.launch) == "block 64 (from the command line), grid unknown"


def test_an_unknown_times_what_is_zero_in_every_lane_is_no_unknown() -> None:
    file = analyse("""\
// kernlint: launch(grid=4, block=64)
__global__ void k(float *a, const int *index) {
    int even = threadIdx.x & 1, odd = 1 - even, x = 0;
    if (threadIdx.x < 32) x = index[threadIdx.x / 32];
    a[x * even * odd + blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
""")
    assert not file.problems
    [store] = [access for access in file.kernels[0].accesses if access.op == "store"]
    assert store.status == "exact" and store.sectors is not None and store.sectors.mean == 4


@needs.interpreted
def test_only_the_launches_within_the_limit_are_lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    from kernlint.lowering import kernels

    lowered: list[tuple[str, ...] | None] = []
    instantiate = kernels.instantiate

    def counted(
        program: object, handle: object, texts: tuple[str, ...] | None, cluster: object
    ) -> object:
        lowered.append(texts)
        return instantiate(program, handle, texts, cluster)  # type: ignore[arg-type]

    monkeypatch.setattr(kernels, "instantiate", counted)
    launches = "".join(f"k<{n}><<<1, {32 * n}>>>(x); " for n in range(1, 8))
    text = f"template <int N> __global__ void k(float *x) {{ x[threadIdx.x * N] = 0.0f; }}\nvoid go(float *x) {{ {launches}}}\n"
    file = analyse(text, Settings(max_launches=3))
    assert [kernel.template_arguments for kernel in file.kernels] == [("1",), ("2",), ("3",)]
    assert lowered == [("1",), ("2",), ("3",)]
    assert [p.message for p in file.problems] == [
        "4 of 7 distinct launches of `k` not analysed (the limit is 3)"
    ]


@needs.interpreted
def test_a_kernel_that_cannot_be_finished_shows_its_first_launches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An instance is executed before the next one is lowered: running out of time later does not
    take its numbers away."""
    from kernlint.base.deadline import OutOfTime
    from kernlint.lowering import kernels

    instantiate = kernels.instantiate

    def late(
        program: object, handle: object, texts: tuple[str, ...] | None, cluster: object
    ) -> object:
        if texts == ("2",):
            raise OutOfTime
        return instantiate(program, handle, texts, cluster)  # type: ignore[arg-type]

    monkeypatch.setattr(kernels, "instantiate", late)
    text = (
        "template <int N> __global__ void k(float *x) { x[threadIdx.x * N] = 0.0f; }\n"
        "void go(float *x) { k<1><<<1, 32>>>(x); k<2><<<1, 64>>>(x); k<1><<<1, 96>>>(x); }\n"
    )
    file = analyse(text)
    assert [(kernel.template_arguments, kernel.launch.block[0]) for kernel in file.kernels] == [
        (("1",), 32),
        (("1",), 96),
    ]
    assert len(file.problems) == 1 and "exceeded its share of the time" in file.problems[0].message


def test_what_holds_of_all_instances_of_a_template_is_told_once_with_their_number() -> None:
    text = """\
int threads();
template <int N> __global__ void k(float *x) { x[threadIdx.x * N] = 0; }
void run(float *x)
{
    k<1><<<1, threads()>>>(x);
    k<2><<<1, threads()>>>(x);
    k<3><<<1, threads()>>>(x);
    k<3><<<1, threads()>>>(x);
}
"""
    file = analyse(text)
    told = [problem for problem in file.problems if problem.reason == "block-unknown"]
    assert [problem.span.line for problem in told] == [5]
    assert told[0].message.startswith(
        "the block size of this launch of `k` (3 instances, lines 5, 6, 7, 8) is unknown"
    )
    file = analyse(text.replace("k<2>", "k<1>").replace("k<3>", "k<1>"))
    told = [problem for problem in file.problems if problem.reason == "block-unknown"]
    assert [problem.message.partition(" is unknown")[0] for problem in told] == [
        "the block size of this launch of `k` (lines 5, 6, 7, 8)"
    ]
    file = analyse(
        text.replace("k<2><<<1, threads()>>>(x);", "").replace("k<3><<<1, threads()>>>(x);", "")
    )
    told = [problem for problem in file.problems if problem.reason == "block-unknown"]
    assert [problem.message.partition(" is unknown")[0] for problem in told] == [
        "the block size of this launch of `k<1>`"
    ]


def test_a_grid_that_is_not_known_has_blocks() -> None:
    """`gridDim.x` is 1 or more, so rows of a grid's width lie apart."""
    code = "__global__ void k(float *o) { int n = blockDim.x * gridDim.x; o[threadIdx.x + threadIdx.y * n] = 1; }"
    ((access,),) = (
        kernel.accesses
        for kernel in analyse(code, Settings(launch=LaunchOverrides(block=(16, 4, 1)))).kernels
    )
    assert access.sectors is not None and (
        access.sectors.min,
        access.sectors.max,
        access.sectors.ideal,
    ) == (4, 4, 4)
    assert [case.sectors for case in access.cases] == [4]
