"""Texts under a kernel's file name that are no code are told in one line; what may be code is read
as code."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.cli.main import main
from kernlint.source import foreign
from tests.places import ROOT

pytestmark = pytest.mark.slow

PROSE = """\
Dear reader,

This is a text about kernels, and it isn't code at all.
  It goes on; it has (parentheses and braces {.
Nothing in it is meant for a compiler.
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.18)
project(kernels LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(kernels STATIC
    transpose.cu
    reduction.cu)
if(BUILD_TESTS)
  target_link_libraries(kernels PRIVATE CUDA::cudart)
endif()
"""
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4665a5ea423c\nsize 12345\n"
FOREIGN = {
    "prose": (PROSE, "this is no CUDA code but prose"),
    "this project's README": (
        (ROOT / "docs" / "README.md").read_text(encoding="utf-8"),
        "this is no CUDA code but prose",
    ),
    "a build file": (CMAKE, "this is no CUDA code but a build file of CMake"),
    "a pointer": (
        POINTER,
        "this is no CUDA code but the pointer of Git LFS to a file that was not fetched: `git lfs pull` fetches it",
    ),
    "a page": (
        "\n<!DOCTYPE html>\n<html><body>x</body></html>",
        "but a page of the web (HTML): save the file itself (on GitHub: Raw)",
    ),
    "a picture": ("<?xml version='1.0'?>\n<svg></svg>", "this is no CUDA code but XML"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_no_code_is_one_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, told = FOREIGN[name]
    path = tmp_path / "k.cu"
    path.write_text(text, encoding="utf-8")
    assert main([str(path), "--no-cache", "--output-format", "concise"]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{path}:1:1: warning: ") and line.endswith(f"{told} [KL001]")


def test_the_language_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "CMakeLists.cl").write_text(CMAKE, encoding="utf-8")
    main([str(tmp_path), "--no-cache", "--output-format", "concise"])
    assert "this is no OpenCL code but a build file of CMake [KL001]" in capsys.readouterr().out


CODE = {
    "a table of macros": "ENTRY(alpha, 1)\nENTRY(beta, 2)\nENTRY(gamma, 3)\nENTRY(delta, 4)\n",
    "a table of numbers": "1, 2, 3, 4,\n5, 6, 7, 8,\n9, 10, 11, 12\n",
    "words in comments": "/* This is a long text about a header that\n declares nothing at all yet */\n"
    + "#define N 4\n",
    "one line of prose": "this is only one line of prose\n",
    "prose with device code": PROSE + "\n__global__ void k(float *x) { x[threadIdx.x] = 0; }\n",
    "declarations on many lines": "static inline unsigned int first\n(\nunsigned int a\n)\n{\nreturn a;\n}\n",
}


@pytest.mark.parametrize("name", CODE)
def test_what_may_be_code_is_read(name: str) -> None:
    assert foreign.what(CODE[name]) == ""


def test_no_kernel_of_this_project_is_taken_for_anything_else() -> None:
    texts = [
        path
        for suffix in ("cu", "cuh", "cl", "ptx")
        for path in ROOT.glob(f"*/**/*.{suffix}")
        if ".venv" not in path.parts
    ]
    assert len(texts) > 80
    assert [
        path for path in texts if foreign.what(path.read_text(encoding="utf-8", errors="replace"))
    ] == []


def test_many_faults_in_a_text_without_device_code_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        '#include "a.h"\nThis is not code: it (never ends\n/* neither does this\n', encoding="utf-8"
    )
    main([str(path), "--no-cache", "--output-format", "concise"])
    (line,) = capsys.readouterr().out.splitlines()
    assert (
        "no device code found and " in line and " syntax errors: is this CUDA code? [KL001]" in line
    )
    path.write_text(
        f"__global__ void k(float *x) {{ x[threadIdx.x] = ; }}\nint f( {{\n{path.read_text()}",
        encoding="utf-8",
    )
    main([str(path), "--no-cache", "--output-format", "concise"])
    assert len(capsys.readouterr().out.splitlines()) > 1


METAL = """#include <metal_stdlib>
using namespace metal;
kernel void add(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a[i] += 1; }
"""


@pytest.mark.parametrize(
    "path, text",
    [
        ("k.metal", METAL),
        ("k.metal", "kernel void add(device float *a) { }"),
        ("k.cl", METAL),
        ("k.cl", METAL.replace("#include <metal_stdlib>\nusing namespace metal;\n", "")),
    ],
)
def test_metal_is_no_opencl(path: str, text: str) -> None:
    assert foreign.what(text, path).startswith("Metal")


def test_a_text_for_several_languages_is_code() -> None:
    text = "#ifdef __METAL_VERSION__\n#include <metal_stdlib>\n#endif\n__global__ void k() { }"
    assert foreign.what(text, "k.h") == ""
