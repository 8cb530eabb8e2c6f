"""A kernel in a header is told once: where it is launched, with each launch; else by the first file
that has it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.cli.main import main

HEADER = """
#ifndef TILE
#define TILE 2
#endif
template <typename T> __global__ void k(T *p) { p[TILE * (blockIdx.x * blockDim.x + threadIdx.x)] = 1; }
__global__ void never(float *p) { p[2 * threadIdx.x] = 1; }
"""
FIRST = '#include "a.cuh"\nvoid first(float *p) { k<float><<<64, 128>>>(p); }\n'
SECOND = '#include "a.cuh"\nvoid second(float *p, double *q) { k<float><<<64, 128>>>(p); k<double><<<1, 64>>>(q); }\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("a.cuh", HEADER), ("b.cu", FIRST), ("c.cu", SECOND)):
        (tmp_path / name).write_text(text)
    return tmp_path


def reported(
    paths: list[Path], capsys: pytest.CaptureFixture[str]
) -> list[tuple[str, str, object]]:
    main(["report", "--no-cache", "--output-format", "json", *map(str, paths)])
    files = json.loads(capsys.readouterr().out)["files"]
    return [
        (Path(f["path"]).name, k["name"] + str(k["template_arguments"]), k["launch"]["grid"])
        for f in files
        for k in f["kernels"]
    ]


@pytest.mark.slow
def test_a_kernel_of_a_header_is_reported_once_for_each_launch(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reported([folder], capsys) == [
        ("a.cuh", "never[]", None),
        ("b.cu", "k['float']", [64, 1, 1]),
        ("c.cu", "k['double']", [1, 1, 1]),
    ]


@pytest.mark.slow
def test_a_header_alone_is_reported_under_an_assumed_launch(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reported([folder / "a.cuh"], capsys) == [
        ("a.cuh", "k['float']", None),
        ("a.cuh", "never[]", None),
    ]


@pytest.mark.slow
def test_the_same_launch_is_reported_again_where_macros_of_the_file_change_the_kernel(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "c.cu").write_text("#define TILE 4\n" + SECOND)
    assert ("c.cu", "k['float']", [64, 1, 1]) in reported([folder], capsys)


@pytest.mark.slow
def test_findings_of_a_launched_kernel_are_not_told_for_an_assumed_launch(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", "--no-cache", "--severity", "info", "--output-format", "json", str(folder)])
    findings = [
        f for f in json.loads(capsys.readouterr().out)["findings"] if f["kernel"].startswith("k<")
    ]
    assert (
        findings
        and {f["status"] for f in findings} == {"exact"}
        and not [f for f in findings if f["code"] == "KL002"]
    )


USES = """\
#include "own.cuh"
#include "host_only.h"
__global__ void k(Particle *p, float *a) { p[threadIdx.x].x = 1; a[threadIdx.x] = twice(a[threadIdx.x]); }
"""
OWN = "struct Particle { float x, y; };\n__device__ float twice(float v) { return 2 * v; }\n"


def test_a_header_that_is_not_found_is_told_where_a_kernel_needs_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.cu").write_text(USES)
    options = [
        "--no-cache",
        "--output-format",
        "concise",
        "--block",
        "64",
        "--grid",
        "4",
        str(tmp_path / "k.cu"),
    ]
    assert main(options) == 1
    out = capsys.readouterr().out
    assert (
        "k.cu:1:1: warning: `own.cuh`, `host_only.h` not found: no analysed file defines `twice`, `Particle`; numbers exclude what"
        in out
    )
    main(["report", *options[:1], *options[3:]])
    assert "estimated time: none, since what `twice` does is not counted" in capsys.readouterr().out
    (tmp_path / "own.cuh").write_text(OWN)  # nothing of the other header is missed
    main(options)
    assert "not found" not in capsys.readouterr().out


MACRO_LOOP = """\
#include "helper.hpp"
__global__ void k(int m, const float *p, int *idx) { LOOP_1D(i, m) { const float *q = p; p += i * 3; idx[i] = p[0] > 0 && q[1] > 0; } }
"""


def test_what_a_missing_macros_loop_changes_is_not_missing_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.cu").write_text(MACRO_LOOP)
    main(["--no-cache", "--output-format", "concise", str(tmp_path / "k.cu")])
    assert (
        "`helper.hpp` not found: no analysed file defines `LOOP_1D`; numbers"
        in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    "name",
    [
        "cuda_utils.cuh",
        "vector.cuh",
        "math_helpers.h",
        "device.h",
        "cu_common.h",
        "string_tools.h",
        "sm_tiles.cuh",
    ],
)
def test_a_users_header_may_be_called_like_one_of_the_toolkit(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.cu").write_text(USES.replace("own.cuh", name))
    main(["--no-cache", "--output-format", "concise", str(tmp_path / "k.cu")])
    assert f"`{name}`, `host_only.h` not found" in capsys.readouterr().out


def test_the_toolkits_own_headers_are_not_missed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [
        "cuda_runtime.h",
        "cuda_fp16.h",
        "device_launch_parameters.h",
        "curand_kernel.h",
        "cub/cub.cuh",
        "stdio.h",
        "vector_types.h",
    ]
    (tmp_path / "k.cu").write_text(
        "".join(f'#include "{name}"\n' for name in names) + USES.split("\n", 2)[2]
    )
    main(["--no-cache", "--output-format", "concise", str(tmp_path / "k.cu")])
    assert "not found" not in capsys.readouterr().out


def test_launches_in_a_header_are_followed_from_the_file_that_calls_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A library's launcher in a header, its sizes from main: the file itself holds no launch."""
    (tmp_path / "scale.cuh").write_text(
        "template <typename T> __global__ void scale(T *x, int n) { int i = threadIdx.x; if (i < n) x[2 * i] *= 3; }\n"
        "template <typename T> void launch_scale(T *x, int n) { dim3 block(n >= 128 ? 128 : 64); scale<T><<<n / 64, block>>>(x, n); }\n"
    )
    (tmp_path / "use.cu").write_text(
        '#include "scale.cuh"\nint main() { double *x; launch_scale(x, 96); }\n'
    )
    main(["report", "--no-cache", "--output-format", "json", str(tmp_path / "use.cu")])
    kernel = json.loads(capsys.readouterr().out)["files"][0]["kernels"][0]
    assert kernel["template_arguments"] == ["double"]
    assert [kernel["launch"][name] for name in ("grid", "block", "arguments")] == [
        [1, 1, 1],
        [64, 1, 1],
        {"n": 96},
    ]
