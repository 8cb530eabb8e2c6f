"""What accesses memory that no number holds is named: in the kernel's facts, where the summary
says what is missing, and in place of an estimate."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.cli import main
from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA

CASES = DATA / "cases"


def read(text: str, name: str = "k.cu") -> facts.File:
    return engine.analyse_source(files.from_bytes(name, text.encode()), Settings(estimate=True))


def kernel(text: str, name: str = "k.cu") -> facts.Kernel:
    [found] = read(text, name).kernels
    return found


def device(body: str, before: str = "", parameters: str = "float *o") -> str:
    return f"{before}\n__global__ void k({parameters})\n{{ {body} }}\nvoid go(float *o) {{ k<<<4, 256>>>(o); }}\n"


def sectors(found: facts.Kernel) -> list[float | None]:
    return [access.sectors.mean if access.sectors else None for access in found.accesses]


SEQUENCE = """\
#include <utility>
template <class F, std::size_t... I> __device__ void each(F f, std::index_sequence<I...>) { (f(I), ...); }
template <class F, int... I> __device__ void each_int(F f, cuda::std::integer_sequence<int, I...>) { (f(I), ...); }
template <class... T> __device__ std::size_t all(float *o, T... t) { each([&](int i) { o[threadIdx.x * 32 + i] = 1; }, std::index_sequence_for<T...>{}); }
"""


@pytest.mark.parametrize(
    "call, count",
    [
        ("each([&](int i) { o[threadIdx.x * 32 + i] = i; }, std::make_index_sequence<3>{})", 3),
        ("each([&](int i) { o[threadIdx.x * 32 + i] = i; }, std::index_sequence<7, 9>{})", 2),
        (
            "each_int([&](int i) { o[threadIdx.x * 32 + i] = i; },"
            " cuda::std::make_integer_sequence<int, 4>{})",
            4,
        ),
        ("all(o, 1, 2.0f, 'c')", 3),
    ],
)
def test_packs_of_integer_sequences_are_deduced(call: str, count: int) -> None:
    found = kernel(device(f"{call};", SEQUENCE))
    assert sectors(found) == [32.0] * count
    assert found.not_counted == ()


def test_the_operands_of_a_comma_run_from_left_to_right() -> None:
    found = kernel((CASES / "modern/m18_integer_sequence_silent.cu").read_text())
    assert [access.index for access in found.accesses] == [
        "32*threadIdx.x",
        "32*threadIdx.x + 1",
        "32*threadIdx.x + 2",
        "32*threadIdx.x + 3",
    ]


def test_a_pack_of_a_class_that_is_not_seen_is_not_empty() -> None:
    before = (
        "#include <lib.h>\ntemplate <class... T> __device__ void f(float *o, NAME<T...>)"
        " { ((o[threadIdx.x * sizeof(T)] = 1), ...); }"
    )
    found = kernel(device("f(o, lib::list<int, double>{});", before.replace("NAME", "lib::list")))
    assert found.not_counted == ("f (line 4)",)
    known = device("f(o, std::tuple<int, double>{});", before.replace("NAME", "std::tuple"))
    assert sectors(kernel(known)) == [16.0, 32.0]


def test_a_pack_that_no_launch_gives_is_named() -> None:
    text = "template <class... T> __global__ void k(float *o, T... t) { ((o[t] = 1), ...); }\n"
    assert kernel(text).not_counted == ("T (line 1)",)


def test_a_view_of_the_library_is_followed() -> None:
    found = kernel((CASES / "modern/m19_span_silent.cu").read_text())
    assert sectors(found) == [32.0] and found.not_counted == ()
    body = (
        "thrust::device_ptr<float> p(o); p[threadIdx.x * 2] = 1; *(p + 1 + threadIdx.x * 32) = 2;"
    )
    assert sectors(kernel(device(body))) == [8.0, 32.0]


@pytest.mark.parametrize(
    "body, named",
    [
        ("MyView<float> v(o); v[threadIdx.x] = 1;", "operator[] of MyView<float>"),
        ("lib::Iterator i(o); o[threadIdx.x] = *i;", "operator* of lib::Iterator"),
        ("lib::Handle h(o); o[threadIdx.x] = h->x;", "operator-> of lib::Handle"),
        ("lib::Range r(o); for (float &x : r) x = 1;", "r"),
    ],
)
def test_what_a_class_that_is_not_seen_accesses_is_named(body: str, named: str) -> None:
    found = kernel(device(body))
    assert found.not_counted == (f"{named} (line 3)",)
    assert isinstance(found.estimate, str)


ASSEMBLY = {
    "wgmma.mma_async": 'asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"'
    ' : "+f"(a), "+f"(b), "+f"(c), "+f"(d) : "l"(x), "l"(x));',
    "cp.async.bulk.tensor": 'asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %2}], [%1];" :: "l"(x), "r"(i), "r"(i));',
    "cp.reduce.async.bulk": 'asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" :: "l"(x), "r"(i), "r"(i));',
    "tcgen05.mma": 'asm volatile("tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %1, %0, 1;" :: "r"(i), "l"(x));',
    "wmma.load": 'asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {%0,%1,%2,%3,%0,%1,%2,%3}, [%4], 16;" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "r"(i));',
}


@pytest.mark.parametrize("name", ASSEMBLY)
def test_instructions_for_which_the_hardware_addresses_memory_are_named(name: str) -> None:
    body = f"float a = 0, b = 0, c = 0, d = 0; unsigned long long x = 0; unsigned i = 0;\n{ASSEMBLY[name]}"
    assert kernel(device(body)).not_counted == (f"{name} (line 4)",)


def test_a_bulk_copy_that_an_mbarrier_awaits_is_named() -> None:
    # its last modifier names the barrier, as that of `cp.async.mbarrier` does
    copy = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%0, %0}], [%0];"
    body = f'unsigned i = 0; unsigned long long x = 0; asm volatile("{copy}" :: "r"(i), "l"(x));'
    assert kernel(device(body)).not_counted == ("cp.async.bulk.tensor (line 3)",)


def test_instructions_of_ptx_are_named() -> None:
    text = """\
.version 8.5
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, 0;
    cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 128;
    ret;
}
"""
    assert kernel(text, "k.ptx").not_counted == ("cp.async.bulk (line 10)",)


def test_an_exchange_of_several_warps_is_named() -> None:
    found = kernel((CASES / "launches/mw.cu").read_text())
    assert found.not_counted == ("cg::reduce (line 9)",)


def test_helpers_with_unknown_template_arguments_are_found() -> None:
    file = read((CASES / "modern/m05_wgmma_template.cu").read_text())
    assert [problem.message for problem in file.problems] == []


PYTHON = """\
from numba import cuda
import triton as tt, numba
import warp as wp
@cuda.jit
def a(x): pass
@cuda.jit("void(float32[:])")
def b(x): pass
@tt.autotune(configs=[])
@tt.jit
def c(x): pass
@wp.kernel
def d(x: float): pass
@numba.njit
def e(x): pass
"""


@pytest.mark.slow
def test_kernels_written_in_python_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = read(PYTHON, "k.py")
    assert [p.message.partition(",")[0] for p in file.problems] == [
        "`a` is a Numba kernel (`@cuda.jit`)",
        "`b` is a Numba kernel (`@cuda.jit`)",
        "`c` is a Triton kernel (`@tt.jit`)",
        "`d` is a Warp kernel (`@wp.kernel`)",
    ]
    path = tmp_path / "k.py"
    path.write_text(PYTHON)
    assert main.main([str(path), "--no-cache"]) == 1
    assert "PTX" in capsys.readouterr().out


@pytest.mark.slow
def test_the_summary_names_what_is_not_counted(capsys: pytest.CaptureFixture[str]) -> None:
    main.main([str(CASES / "modern/c10_wgmma_stmatrix.cu"), "--no-cache"])
    assert "not counted: accesses of `wgmma.mma_async`" in capsys.readouterr().out


@pytest.mark.slow
def test_cute_is_said_to_be_shown_whole_by_its_ptx(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(CASES / "modern/m21_division_by_unseen.cu")
    main.main(["report", path, "--no-cache"])
    [line] = [one for one in capsys.readouterr().out.splitlines() if "CuTe" in one]
    assert "m21_division_by_unseen.cu:3:" in line
    assert "nvcc -ptx -lineinfo" in line and "--against" in line
    main.main([path, "--no-cache"])
    assert "`kernlint report --against` show CuTe whole" in capsys.readouterr().out


@pytest.mark.parametrize(
    "type_, count",
    [
        ("__int128_t", 16),
        ("__int64_t", 8),
        ("__nv_fp8x2_storage_t", 2),
        ("__nv_fp8x4_storage_t", 4),
    ],
)
def test_types_of_system_headers_have_their_widths(type_: str, count: int) -> None:
    text = device(f"{type_} *p = ({type_} *)o; p[threadIdx.x] = 0;")
    assert [access.bytes for access in kernel(text).accesses] == [count]


def test_an_alignment_that_is_not_known_says_nothing() -> None:
    copied = (
        "__shared__ float s[64]; cuda::memcpy_async(cooperative_groups::this_thread_block(), s, o,"
        " cuda::aligned_size_t<missing>(64)); o[threadIdx.x] = 1;"
    )
    file = read(device(copied))
    assert [p.message for p in file.problems if "internal" in p.message] == []
    assert [a.op for a in file.kernels[0].accesses] == ["copy", "copy", "store"]


def test_the_constructor_of_a_class_that_is_only_declared_is_named() -> None:
    before = (
        "#include <lib.h>\ntemplate <class T, int N> struct load;\n"
        "template <class T> struct load<T, 16> { __device__ load(T &d, const T *p) { d = *p; } };"
    )
    unknown = "using F = lib::Array<float, 4>; F a; load<F, sizeof(F)>(a, (const F *)o);"
    assert kernel(device(unknown, before)).not_counted == ("load (line 5)",)
    known = (
        "float4 a; load<float4, sizeof(float4)>(a, (const float4 *)o + threadIdx.x); o[0] = a.x;"
    )
    assert kernel(device(known, before)).not_counted == ()
