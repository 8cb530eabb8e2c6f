"""Kernels of headers: analysed once for the files that see them alike, anew for those that do not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kernlint import codec, engine, files, sharing
from kernlint.facts import File
from kernlint.settings import Settings

HEADER = """#pragma once
namespace tiles {
template <typename T> struct Row { T values[N]; };
enum class Kind { plain = 2, wide = 4 };
inline __device__ int at(int i) { return i * int(Kind::wide) + offset(i); }
template <typename T> __global__ void load(const T *in, T *out) { out[at(threadIdx.x)] = in[threadIdx.x] + Row<T>().values[0]; }
}
"""
BEFORE = "constexpr int N = 8;\n__device__ inline int offset(int i) { return i; }\n"


@pytest.fixture
def analyses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Analyses:
    return Analyses(tmp_path, monkeypatch)


class Analyses:
    """Files of one run; `made`: the kernels that were worked out rather than recalled."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder, self.shared, self.made = folder, sharing.Shared(), list[str]()
        work = engine._executed

        def counted(*given: object) -> object:
            self.made.append(given[2].name)  # type: ignore[attr-defined]
            return work(*given)  # type: ignore[arg-type]

        patch.setattr(engine, "_executed", counted)
        self.write("types.h", "#pragma once\n" + BEFORE)
        self.write("load.cuh", HEADER)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def of(self, name: str, text: str | None = None) -> File:
        """The facts of a file, which are the same as without sharing."""
        if text is not None:
            self.write(name, text)
        source = files.read(str(self.folder / name))
        found = engine.analyse_source(source, Settings(), self.shared)
        before = list(self.made)
        alone = engine.analyse_source(source, Settings())
        self.made = before
        assert codec.encode(replace(found, text="")) == codec.encode(replace(alone, text=""))
        return found


def test_files_that_see_a_header_alike_share_its_kernels(analyses: Analyses) -> None:
    analyses.of("one.cu", '#include "types.h"\n#include "load.cuh"\n__global__ void own(float *a) { a[threadIdx.x] = 0; }\n')
    analyses.of("two.cu", 'struct Other { int x; };\n#include "types.h"\n#include "load.cuh"\nvoid host() { Other o; }\n')
    assert analyses.made == ["load", "own"]


@pytest.mark.parametrize(
    "changed",
    [
        BEFORE.replace("N = 8", "N = 16"),
        BEFORE.replace("return i;", "return 2 * i;"),
        BEFORE + "__device__ inline long offset(long i) { return i; }\n",
        BEFORE + "struct Row2 {}; __device__ inline Row2 operator+(float, Row2);\n",
        BEFORE + "#pragma pack(1)\n",
        BEFORE.replace("constexpr int N = 8;", "enum { M, N = 8 };"),
    ],
)
def test_a_file_that_sees_it_otherwise_has_its_own(analyses: Analyses, changed: str) -> None:
    analyses.of("one.cu", '#include "types.h"\n#include "load.cuh"\n')
    analyses.write("others.h", changed)
    analyses.of("two.cu", '#include "others.h"\n#include "load.cuh"\n')
    assert analyses.made == ["load", "load"]


def test_a_launch_of_its_own_is_analysed(analyses: Analyses) -> None:
    analyses.of("one.cu", '#include "types.h"\n#include "load.cuh"\n')
    found = analyses.of("two.cu", '#include "types.h"\n#include "load.cuh"\nvoid run(float *a) { tiles::load<float><<<2, 64>>>(a, a); }\n')
    assert analyses.made == ["load", "load"]
    assert [kernel.launch.grid for kernel in found.kernels] == [(2, 1, 1)]
