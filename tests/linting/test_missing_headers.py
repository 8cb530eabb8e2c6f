"""Headers that are not there: one line for what one `-I` mends, the folder that finds them as
spelled, per-file facts for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.cli.main import main

pytestmark = pytest.mark.slow

USES = '#include "util/loops.h"\n__global__ void {name}(float *a, int n) {{ LOOP(i, n) a[i] = {call}; }}\n'
LOOPS = "#define LOOP(i, n) for (int i = threadIdx.x; i < n; i += blockDim.x)\n__device__ inline float twice(float v) { return 2 * v; }\n"


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(["check", "--no-cache", "--exit-zero", *arguments])
    return capsys.readouterr().out


def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for folder in ("kernels", "more/deep", "csrc/util", "old/util"):
        (root / folder).mkdir(parents=True)
    (root / "kernels/a.cu").write_text(USES.format(name="a", call="twice(i)"))
    (root / "kernels/b.cu").write_text(USES.format(name="b", call="i"))
    (root / "more/deep/c.cu").write_text(
        '#include "away.h"\n' + USES.format(name="c", call="gone(i)")
    )
    (root / "csrc/util/loops.h").write_text(LOOPS)
    (root / "old/util/loops.h").write_text("// moved\n")
    return root


def headers(out: str) -> list[str]:
    return [line for line in out.splitlines() if "not found" in line and "[KL003]" in line]


def test_a_header_is_one_line_for_all_files_that_miss_it_and_its_folder_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path).parent)
    found, away = headers(checked(capsys, "--output-format", "concise", "project"))
    assert found == (
        "project/kernels/a.cu:1:1: warning: `util/loops.h` not found (missed by 3 files): no analysed file defines `LOOP`, `twice`; "
        "numbers exclude what depends on them; `-I project/csrc` finds it [KL003]"
    )
    assert away.startswith(
        "project/more/deep/c.cu:1:1: warning: `away.h` not found: no analysed file defines `gone`; numbers"
    )
    text = checked(capsys, "project")
    assert (
        "same in project/kernels/b.cu:1, project/more/deep/c.cu:1\n" in text
        and "help: `-I project/csrc` finds `util/loops.h`\n" in text
    )
    assert headers(
        checked(capsys, "--output-format", "concise", "-I", "project/csrc", "project")
    ) == [away]


def test_programs_keep_a_finding_for_each_file_with_its_folders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path).parent)
    told = [
        f
        for f in json.loads(checked(capsys, "--output-format", "json", "project"))["findings"]
        if f["reason"] == "header"
    ]
    assert [Path(f["filename"]).name for f in told] == ["a.cu", "b.cu", "c.cu"]
    assert [f["help"] for f in told] == ["`-I project/csrc` finds `util/loops.h`"] * 2 + [
        "`-I project/csrc` finds `util/loops.h`; nothing near finds `away.h`"
    ]
    results = json.loads(checked(capsys, "--output-format", "sarif", "project"))["runs"][0][
        "results"
    ]
    assert sum("not found" in result["message"]["text"] for result in results) == 3


def test_for_a_file_the_folders_above_and_beside_are_looked_into(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path))
    (line,) = headers(checked(capsys, "--output-format", "concise", "kernels/b.cu"))
    assert line.endswith("; `-I csrc` finds it [KL003]")


def test_a_header_of_that_name_elsewhere_is_no_folder_for_an_include_with_a_path(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path)
    for folder in ("csrc/util", "old/util"):
        (root / folder / "loops.h").rename(root / folder.split("/")[0] / "loops.h")
    monkeypatch.chdir(root)
    (line, _) = headers(checked(capsys, "--output-format", "concise", "."))
    assert "-I" not in line


def test_a_baseline_knows_each_files_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path))
    checked(capsys, "--write-baseline", ".")
    (Path("kernels") / "a.cu").write_text("// nothing\n")
    assert (
        headers(
            checked(
                capsys, "--baseline", ".kernlint-baseline.json", "--output-format", "concise", "."
            )
        )
        == []
    )


def test_headers_of_several_libraries_that_one_file_misses_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    includes = '#include "one/a.h"\n#include "two/b.h"\n#include "c.h"\n'
    (tmp_path / "a.cu").write_text(includes + USES.format(name="a", call="twice(i)"))
    (line,) = headers(checked(capsys, "--output-format", "concise", str(tmp_path)))
    assert "`one/a.h`, `two/b.h`, `c.h`, `util/loops.h` not found: no analysed file" in line
    (tmp_path / "b.cu").write_text(
        includes.replace("/a.h", "/d.h") + USES.format(name="b", call="twice(i)")
    )
    lines = headers(checked(capsys, "--output-format", "concise", str(tmp_path)))
    assert sorted(line.partition("warning: ")[2].partition(" not found")[0] for line in lines) == [
        "`c.h`",
        "`one/a.h`, `one/d.h`",
        "`two/b.h`",
        "`util/loops.h`",
    ]


def test_functions_too_large_to_follow_are_told_once_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "x = x * 3 + 1; " * 2500
    parts = "".join(f"int part{i}(int x) {{ {body} return x; }}\n" for i in range(5))
    calls = " ".join(f"n = part{i}(n);" for i in range(5))
    text = f"__global__ void k(float *a) {{ a[threadIdx.x] = 1; }}\n{parts}void go(float *a, int n) {{ {calls} k<<<n, 64>>>(a); }}\n"
    (tmp_path / "k.cu").write_text(text)
    untimed = "--timeout-per-file", "0", str(tmp_path)
    lines = [
        line
        for line in checked(capsys, "--output-format", "concise", *untimed).splitlines()
        if "statements" in line
    ]
    assert len(lines) == 1
    assert "same for `part" in checked(capsys, *untimed)


def test_an_overload_that_ends_in_an_ellipsis_is_weighed_with_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        "template <typename T> __device__ int size_of(T *p, ...) { return 1; }\n"
        "template <typename T> __device__ int size_of(T *p, int n) { return n; }\n"
        "__global__ void k(int *a) { a[threadIdx.x * 32] = size_of(a, 3); }\n"
    )
    (tmp_path / "k.cu").write_text(text)
    out = checked(capsys, "--output-format", "concise", str(tmp_path))
    assert "internal error" not in out and "[KL201]" in out


def test_a_type_among_the_arguments_of_a_macro_that_is_not_found_is_no_fault_of_kernlint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "__global__ void k(float *a) { a[threadIdx.x] = 1; }\nvoid go(float *a) { DISPATCH(const float *, 1, k<<<1, 32>>>(a)); }\n"
    (tmp_path / "k.cu").write_text(text)
    out = checked(capsys, str(tmp_path))
    assert "Typename" not in out and "please report" not in out


TILES = """#include "sizes.h"
// kernlint: launch(grid=4, block=32x8)
__global__ void k(float *a)
{
    __shared__ float tile[TILE][%s];
    tile[threadIdx.x][threadIdx.y] = a[threadIdx.x];
    a[threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}
"""


@pytest.mark.parametrize(
    ("extent", "shown", "told"),
    [
        (
            "TILE",
            "TILE*threadIdx.x + threadIdx.y",
            "32 wavefronts per request instead of 1 if TILE % 32 == 0",
        ),
        (
            "TILE + 1",
            "threadIdx.x + TILE*threadIdx.x + threadIdx.y",
            "32 wavefronts per request instead of 1 if TILE % 32 == 31",
        ),
        (
            "2 * TILE",
            "2*TILE*threadIdx.x + threadIdx.y",
            "between 2 and 32 wavefronts per request instead of 1",
        ),
    ],
)
def test_an_array_whose_size_a_missing_header_gives_says_what_decides(
    extent: str, shown: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.cu").write_text(TILES % extent)
    out = " ".join(checked(capsys, "--severity", "info", str(tmp_path)).split())
    assert told in out and f"index = {shown} | " in out
    named = "define `TILE` (`-D TILE=…`, or `-I DIR` for its header, not found: `sizes.h`)"
    assert (named in out) == ("if TILE" in told)
    given = checked(capsys, "-D", "TILE=32", "--severity", "info", str(tmp_path))
    assert ("32-way bank conflict" in given) == ("+" not in extent)


def test_a_missing_size_keeps_no_number_exact(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.cu").write_text(TILES % "TILE")
    main(["report", "--no-cache", "--output-format", "json", str(tmp_path / "k.cu")])
    kernel = json.loads(capsys.readouterr().out)["files"][0]["kernels"][0]
    store = next(a for a in kernel["accesses"] if a["space"] == "shared" and a["op"] == "store")
    assert store["status"] == "range" and {case["condition"] for case in store["cases"]} >= {
        "TILE % 32 == 0"
    }


REDUCED = """\
#include "warp.h"
// kernlint: launch(grid=4, block=256)
__global__ void k(float4 *o, const float4 *in)
{
    __shared__ float best[8];
    float m = in[threadIdx.x * 4].x;
    const int lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
    if (lane == 0) best[warp] = m;
    __syncthreads();
    for (int w = 1; w < blockDim.x / WARP_SIZE; ++w) m += best[w];
    o[threadIdx.x].x = m;
    if (threadIdx.x < ROWS) o[threadIdx.x * 2].y = m;
}
"""


def test_figures_rest_on_names_that_nothing_defines_only_where_they_use_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "k.cu").write_text(REDUCED)
    report = json.loads(
        checked(capsys, str(tmp_path / "k.cu"), "--severity", "info", "--output-format", "json")
    )
    main(["report", "--no-cache", str(tmp_path / "k.cu"), "--output-format", "json"])
    (kernel,) = json.loads(capsys.readouterr().out)["files"][0]["kernels"]
    found = {
        a["line"]: (a["status"], " ".join(a["assumptions"]))
        for a in kernel["accesses"]
        if a["space"] == "global"
    }
    assert (found[6], found[11]) == (("exact", ""), ("exact", ""))
    assert found[12][0] == "range" and "ROWS" in found[12][1] and "WARP_SIZE" not in found[12][1]
    (unknown,) = [f for f in report["findings"] if f["message"].startswith("`lane == 0`")]
    assert unknown["notes"][0] == "depends on `WARP_SIZE`, which no analysed file defines"
    assert (
        unknown["help"]
        == "define `WARP_SIZE` (`-D WARP_SIZE=…`, or `-I DIR` for its header, not found: `warp.h`)"
    )
