"""Findings about several lines: comments and baselines accept single lines, so that a new line with
the same cause always shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from kernlint.cli import main
from tests.places import DATA, ROOT

CASES = DATA / "cases" / "user"
SAME = "kernlint: ignore[{code}] known"

# by rule, a text whose lines with `//@` are one finding
GROUPS = {
    "KL001": """\
// kernlint: launch(grid=1, block=64)
__global__ void k(float *o) { o[threadIdx.x] = 1; }
void a(float *o) { k<<<1, 64>>>(o) ) ; } //@
void b(float *o) { k<<<1, 64>>>(o) ) ; } //@
""",
    "KL002": """\
__global__ void a(float *o) { o[threadIdx.x] = 1; } //@
__global__ void b(float *o) { o[threadIdx.x] = 2; } //@
""",
    "KL003": """\
// kernlint: launch(grid=1, block=64)
__global__ void k(float *o) {
  unseen(o); //@
  o[threadIdx.x] = 1;
  other(o + 1); //@
}
""",
    "KL101": """\
// kernlint: launch(grid=1, block=64)
__global__ void k(float *o, int a) {
  __shared__ float s[64][32];
  s[threadIdx.x][1] = 1; //@
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x][2]; //@
  __syncthreads();
  for (int i = 0; i < 8; ++i) s[threadIdx.x][i] = a; //@
}
""",
    "KL201": """\
// kernlint: launch(grid=4, block=64, n=1024)
__global__ void k(float *o, const float *in, int n) {
  float a = in[threadIdx.x * n]; //@
  float b = in[threadIdx.x * n + 512]; //@
  o[threadIdx.x] = a + b;
}
""",
    "KL203": """\
// kernlint: launch(grid=4, block=64)
__global__ void k(float *o, const float *in, const int *at) {
  int i = at[threadIdx.x];
  float a = in[i]; //@
  o[threadIdx.x] = a;
  o[threadIdx.x] += in[i + 1000]; //@
}
""",
    "KL206": """\
// kernlint: launch(grid=4, block=64)
struct body { float x, y, z, w, vx, vy, vz, m; };
__global__ void k(float *o, const body *in) {
  float a = in[threadIdx.x].x; //@
  a += in[threadIdx.x].vy; //@
  o[threadIdx.x] = a;
}
""",
    "KL401": """\
// kernlint: launch(grid=4, block=64)
__global__ void k(float *o) {
  if (threadIdx.x < 40) {
    __syncthreads(); //@
    o[threadIdx.x] = 1;
    __syncthreads(); //@
  }
}
""",
    "KL403": """\
// kernlint: launch(grid=4, block=64)
__global__ void k(int *o) {
  if (threadIdx.x % 2) {
    o[threadIdx.x] = __shfl_sync(0xffffffff, threadIdx.x, 1); //@
    o[threadIdx.x] += __shfl_sync(0xffffffff, threadIdx.x, 3); //@
  }
}
""",
    "KL501": """\
// kernlint: launch(grid=4, block=64)
__constant__ float c[256];
__global__ void k(float *o) {
  o[threadIdx.x] = c[threadIdx.x]; //@
  o[threadIdx.x] += c[threadIdx.x + 64]; //@
}
""",
    "KL701": """\
// kernlint: launch(grid=4, block=64)
#define TENTH 0.1
__global__ void k(float *o) {
  o[threadIdx.x] *= TENTH; //@
  o[threadIdx.x] += TENTH; //@
}
""",
    "KL702": """\
// kernlint: launch(grid=4, block=64, n=64)
__global__ void k(int *o, int n, int m) {
  int s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      s += (i * 7 + j) / m; //@
      s += (i * 5 + j) % m; //@
    }
  o[threadIdx.x] = s;
}
""",
}


def findings(path: Path, code: str, *words: str) -> list[dict[str, Any]]:
    out = path.with_suffix(".json")
    how = ("--no-cache", "--select", code, "--output-format", "json", "-o", str(out))
    main.main([str(path), *how, *words])
    told: list[dict[str, Any]] = json.loads(out.read_text(encoding="utf-8"))["findings"]
    return [finding for finding in told if finding["code"] == code]


def lines(finding: dict[str, Any]) -> list[int]:
    places = finding["lines"] or [finding]
    return sorted(place["location"]["row"] for place in places)


def marked(text: str) -> list[int]:
    return [number for number, line in enumerate(text.split("\n"), 1) if "//@" in line]


@pytest.mark.slow
@pytest.mark.parametrize("code", GROUPS)
def test_a_comment_takes_its_own_line_out_of_a_finding(code: str, tmp_path: Path) -> None:
    text, path = GROUPS[code], tmp_path / "k.cu"
    path.write_text(text, encoding="utf-8")
    (whole,) = findings(path, code)
    assert lines(whole) == marked(text)
    for line in marked(text):
        rows = text.split("\n")
        rows[line - 1] = rows[line - 1].replace("//@", f"// {SAME.format(code=code)}")
        path.write_text("\n".join(rows), encoding="utf-8")
        (left,) = findings(path, code)
        assert lines(left) == [other for other in marked(text) if other != line]
        assert left["location"]["row"] in lines(left)
        assert not findings(path, "KL090")


@pytest.mark.slow
@pytest.mark.parametrize("code", GROUPS)
def test_a_baseline_does_not_hold_lines_that_are_new(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text, path = GROUPS[code], tmp_path / "k.cu"
    line = marked(text)[-1]
    rows = text.split("\n")
    new = rows[line - 1]
    rows[line - 1] = ""
    path.write_text("\n".join(rows), encoding="utf-8")
    main.main(["k.cu", "--no-cache", "--select", code, "--write-baseline", "known.json"])
    assert findings(path, code, "--baseline", "known.json") == []
    path.write_text(f"// moved\n{text}", encoding="utf-8")
    (left,) = findings(path, code, "--baseline", "known.json")
    assert lines(left) == [line + 1] and new.strip()
    main.main(["k.cu", "--no-cache", "--select", code, "--write-baseline", "known.json"])
    path.write_text(text, encoding="utf-8")
    assert findings(path, code, "--baseline", "known.json") == []


@pytest.mark.slow
@pytest.mark.parametrize("code", GROUPS)
def test_add_ignore_marks_every_line(code: str, tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(GROUPS[code], encoding="utf-8")
    main.main([str(path), "--no-cache", "--select", code, "--add-ignore"])
    rows = path.read_text(encoding="utf-8").split("\n")
    assert [n for n, row in enumerate(rows, 1) if "ignore[" in row] == marked(GROUPS[code])
    assert findings(path, code) == []


@pytest.mark.slow
def test_the_rest_of_a_finding_stands_on_its_costliest_line(tmp_path: Path) -> None:
    text, path = GROUPS["KL101"], tmp_path / "k.cu"
    path.write_text(text, encoding="utf-8")
    (whole,) = findings(path, "KL101")
    assert whole["location"]["row"] == 8  # a loop of eight
    assert [place["location"]["row"] for place in whole["lines"]] == [8, 4, 6]
    assert {place["metrics"]["wavefronts"] for place in whole["lines"]} == {32}
    path.write_text(text.replace("= a; //@", "= a; // kernlint: ignore"), encoding="utf-8")
    (left,) = findings(path, "KL101")
    assert left["location"]["row"] == 4 and "also affects line 6" in left["notes"]
    assert left["fix"] == whole["fix"] and left["help"] == whole["help"]


@pytest.mark.parametrize("name, line", [("sup3.cu", 8), ("base.cu", 4)])
def test_the_case_of_the_issue(name: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text((CASES / name).read_text(encoding="utf-8"), encoding="utf-8")
    (finding,) = findings(path, "KL101")
    assert finding["location"]["row"] == line


@pytest.mark.slow
def test_accepted_lines_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text, path = GROUPS["KL101"], tmp_path / "k.cu"
    path.write_text(text.replace("//@", "// kernlint: ignore[KL101]", 2), encoding="utf-8")
    main.main(["k.cu", "--no-cache", "--select", "KL101"])
    assert "2 suppressed" in capsys.readouterr().out
    path.write_text(text, encoding="utf-8")
    main.main(["k.cu", "--no-cache", "--select", "KL101", "--write-baseline", "known.json"])
    main.main(["k.cu", "--no-cache", "--select", "KL101", "--baseline", "known.json"])
    assert "3 in the baseline" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("code", GROUPS)
def test_outputs_hold_the_lines_that_are_left_with_their_numbers(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JSON and SARIF by their schemas; SARIF, GitHub, GitLab and JUnit place what is left."""
    monkeypatch.chdir(tmp_path)
    text = GROUPS[code].replace("//@", f"// {SAME.format(code=code)}", 1)
    Path("k.cu").write_text(text, encoding="utf-8")
    also = [f"--also={name}={name}" for name in ("sarif", "github", "gitlab", "junit")]
    how = ("--no-cache", "--select", code, "--output-format", "json", "-o", "json")
    main.main(["k.cu", *how, *also])
    told = json.loads(Path("json").read_text(encoding="utf-8"))
    jsonschema.validate(told, json.loads((ROOT / "schemas/findings.schema.json").read_text()))
    (finding,) = told["findings"]
    assert lines(finding) == marked(text)
    for place in finding["lines"]:
        assert place["metrics"].keys() == finding["metrics"].keys()
    log = json.loads(Path("sarif").read_text(encoding="utf-8"))
    jsonschema.validate(log, json.loads((DATA / "sarif/sarif-2.1.0-rtm.5.json").read_text()))
    results = log["runs"][0]["results"]
    (result,) = [one for one in results if "suppressions" not in one]
    assert [one["suppressions"][0]["kind"] for one in results if one is not result] == ["inSource"]
    (silenced,) = told["suppressed"]
    assert silenced["finding"]["location"]["row"] not in lines(finding)
    assert SAME.format(code=code).startswith(silenced["comment"])
    assert result["properties"]["metrics"] == finding["metrics"]
    region = result["locations"][0]["physicalLocation"]["region"]
    places = [one["physicalLocation"]["region"] for one in result.get("relatedLocations", ())]
    assert {p["startLine"] for p in (region, *places)} >= set(lines(finding))
    row = finding["location"]["row"]
    assert region["startLine"] == row
    assert f"line={row}," in Path("github").read_text(encoding="utf-8")
    (issue,) = json.loads(Path("gitlab").read_text(encoding="utf-8"))
    assert issue["location"]["lines"]["begin"] == row
    (case,) = ElementTree.parse("junit").iter("testcase")
    assert case.get("line") == str(row)
