"""`kernlint compare` on real exports of Nsight Compute (tests/data/ncu/README.md), whole and
doctored, and on what it cannot use."""

from __future__ import annotations

import json
import re
import types
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint.cli import main
from kernlint.comparison import (
    counting,
    judging,
    matching,
    names,
    numbers,
    pages,
    reading,
    reports,
    sass,
)
from kernlint.comparison.profile import (
    Instruction,
    Profile,
    ProfiledLaunch,
    ProfiledLine,
    ProfileError,
)
from tests import places
from tests.support import handmade as made

DATA = places.DATA / "ncu"
TRUTH = places.TRUTH / "kernels"
STAGING = str(DATA / "staging.cu")
LINES = str(DATA / "staging.lines.csv")


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main.main(["compare", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def compared(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    code, out, _ = run(*arguments, "--output-format", "json", capsys=capsys)
    return code, json.loads(out)


def first(places: tuple[tuple[str, int], ...]) -> tuple[str, int]:
    return places[0]


# ------------------------------------------------------------------ reading


def test_launches_of_the_page_by_line() -> None:
    launches = reading.read([LINES]).launches
    plain = [names.parse(launch.name).plain for launch in launches]
    assert plain == [
        *["turn"] * 3,
        *["scale"] * 2,
        *["strided"] * 3,
        "gather",
        *["buckets"] * 2,
        "wide",
        "ranks",
        "reversed",
    ]


def test_counters_of_one_line() -> None:
    launch = reading.read([LINES]).launches[0]
    lines = {(line.line, line.space, line.op): line for line in counting.lines(launch, first)}
    read = lines[31, "shared", "load"]
    assert (read.requests, read.threads, read.count, read.ideal, read.bits) == (
        2048,
        65536,
        65536,
        2048,
        (32,),
    )
    assert (lines[31, "global", "store"].count, lines[31, "global", "store"].ideal) == (8192, 8192)


def test_a_copy_counts_for_both_spaces() -> None:
    launch = reading.read([LINES]).launches[11]
    copies = {line.space: line.count for line in counting.lines(launch, first) if line.op == "copy"}
    assert copies == {"global": 4096, "shared": 1024}


@pytest.mark.parametrize(
    "name", ["staging.skipped.lines.csv", "staging.instructions.csv", "staging.mangled.lines.csv"]
)
def test_other_views_hold_the_same_counters(name: str) -> None:
    start = 5 if "skipped" in name else 0
    launches = reading.read([str(DATA / name)]).launches
    if "mangled" in name:
        launches = launches[:1]  # cut off within the second launch
    pairs = list(zip(launches, reading.read([LINES]).launches[start:], strict=False))
    assert pairs and len(pairs) == len(launches)
    for one, other in pairs:
        assert [
            (i.requests, i.threads, i.sectors) for i in one.instructions if sass.memory(i.sass)
        ] == [(i.requests, i.threads, i.sectors) for i in other.instructions if sass.memory(i.sass)]


def test_launches_printed_twice_are_read_once() -> None:
    assert len(reading.read([str(DATA / "staging.instructions.csv")]).launches) == 4


def test_totals_of_the_raw_page_are_sums_of_the_lines() -> None:
    fine, coarse = reading.read([LINES]), reading.read([str(DATA / "staging.raw.csv")])
    for one, other in zip(fine.launches, coarse.launches, strict=True):
        assert other.totals["memory_l1_wavefronts_shared"] == sum(
            i.wavefronts or 0 for i in one.instructions
        )
        assert other.totals["memory_l2_theoretical_sectors_global"] == sum(
            i.sectors or 0 for i in one.instructions
        )


@pytest.mark.parametrize("name", ["staging.german.raw.csv", "staging.direct.raw.csv"])
def test_raw_pages_of_another_locale_and_with_messages(name: str) -> None:
    shown, plain = (
        reading.read([str(DATA / name)]).launches,
        reading.read([str(DATA / "staging.raw.csv")]).launches,
    )
    assert [replace(launch, name="") for launch in shown] == [
        replace(launch, name="") for launch in plain[:3]
    ]
    assert [names.parse(launch.name).plain for launch in shown] == [
        "turn"
    ] * 3  # ncu may print "void unnamed>::turn<float, 32, 0>"


def test_the_raw_page_tells_shapes() -> None:
    launch = reading.read([LINES, str(DATA / "staging.raw.csv")]).launches[9]
    assert (launch.grid, launch.block, launch.dynamic_shared_bytes, launch.capability) == (
        (64, 1, 1),
        (256, 1, 1),
        2048,
        90,
    )
    assert launch.instructions


def test_a_raw_page_of_other_launches_is_not_mixed_in() -> None:
    profile = reading.read([LINES, str(DATA / "staging.german.raw.csv")])
    assert (
        all(launch.grid is None for launch in profile.launches)
        and "other launches" in profile.notes[-1]
    )


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_encodings_of_spreadsheets_and_shells(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "page.csv"
    path.write_text(Path(LINES).read_text("utf-8"), encoding)
    assert len(reading.read([str(path)]).launches) == 14


def test_semicolons_of_spreadsheets() -> None:
    text = (DATA / "staging.raw.csv").read_text("utf-8").replace('","', '";"')
    assert (
        pages.read("raw.csv", text).launches
        == reading.read([str(DATA / "staging.raw.csv")]).launches
    )


def test_line_ends_of_windows() -> None:
    text = Path(LINES).read_text("utf-8")
    assert (
        pages.read("page.csv", text.replace("\n", "\r\n")).launches
        == pages.read("page.csv", text).launches
    )


@pytest.mark.parametrize(
    ("cell", "unit", "value"),
    [
        ("2048", "", 2048), ("61,440", "inst", 61440), ("61.440", "", 61440), ("1.980.000", "", 1980000), ("1 234 567", "", 1234567),
        ("1'234", "", 1234), ("8192.000000", "sector", 8192), ("8192,000000", "", 8192), ("2,048.00", "", 2048), ("2.048,00", "", 2048),
        ("2.048000", "Kbyte/block", 2048), ("1.50", "Minst", 1500000), ("0.000000", "", 0), ("960 (140: 32; 141: 32)", "", 960),
        ("1e+06", "", 1000000), ("-", "", None), ("n/a", "", None), ("", "", None), ("Kbyte", "", None), ("3", "Kernel", 3),
    ],
)  # fmt: skip
def test_numbers(cell: str, unit: str, value: int | None) -> None:
    assert numbers.integer(cell, unit) == value


@pytest.mark.parametrize(
    ("text", "qualified", "arguments"),
    [
        (
            "void staging::<unnamed>::turn<float, (int)32, (bool)0>(const T1 *, T1 *, int)",
            "staging::turn",
            ("float", "32", "0"),
        ),
        (
            "void staging::<unnamed>::turn<float, 32, 0>(const T1 *, T1 *, int)",
            "staging::turn",
            ("float", "32", "0"),
        ),
        (
            "void (anonymous namespace)::k<std::pair<int, int>, true>(int)",
            "k",
            ("std::pair<int,int>", "1"),
        ),
        (
            "void A<(int)3>::run<ns::B<float, (unsigned int)2>>(float *)",
            "A::run",
            ("ns::B<float,2>",),
        ),
        ("strided(const float *, float *, int, int)", "strided", ()),
        ("turn", "turn", None),
        (
            "_ZN7staging43_GLOBAL__N__22791f79_10_staging_cu_f39f69404turnIfLi32ELb0EEEvPKT_PS2_i",
            "staging::turn",
            None,
        ),
        ("_Z7stridedPKfPfii", "strided", None),
        (
            "void n::act<float, &n::gelu<float>, (bool)1>(T1 *)",
            "n::act",
            ("float", "&gelu<float>", "1"),
        ),
    ],
)
def test_kernel_names(text: str, qualified: str, arguments: tuple[str, ...] | None) -> None:
    found = names.parse(text)
    assert (found.qualified, found.arguments) == (qualified, arguments)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "      LDG.E.CONSTANT R3, desc[UR4][R2.64]",
            sass.MemoryInstruction(("global",), "load", 32, False),
        ),
        ("@!P0  STS.U8 [R0+UR4], RZ", sass.MemoryInstruction(("shared",), "store", 8, True)),
        ("@PT   LDS.128 R12, [R0+UR4]", sass.MemoryInstruction(("shared",), "load", 128, False)),
        (
            "LDGSTS.E.BYPASS.128 desc[UR6][R4.64], [R7]",
            sass.MemoryInstruction(("global", "shared"), "copy", 128, False),
        ),
        (
            "ATOMS.POPC.INC.32 RZ, [R4+URZ]",
            sass.MemoryInstruction(("shared",), "atomic", 32, False),
        ),
        (
            "REDG.E.ADD.STRONG.GPU desc[UR8][R2.64], R5",
            sass.MemoryInstruction(("global",), "atomic", 32, False),
        ),
        ("@!PT  LDS RZ, [RZ]", None),
        ("LDC R1, c[0x0][0x28]", None),
    ],
)
def test_machine_instructions(text: str, expected: sass.MemoryInstruction | None) -> None:
    assert sass.memory(text) == expected


# ------------------------------------------------------------------ files that cannot be used


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("staging.text.csv", "no counters (--print-source cuda"),
        ("staging.ptx.csv", "no counters (--print-source cuda"),
        ("staging.details.csv", "details page"),
        ("staging.session.csv", "no counters by line"),
        ("staging.summary.csv", "--print-summary"),
        ("staging.page.txt", "add --csv"),
        ("staging.nolines.csv", "nvcc -lineinfo"),
        ("staging.launches.lines.csv", "--section SourceCounters"),
        ("staging.error.csv", "only supported for the details page"),
        ("README.md", "no page of Nsight Compute"),
        ("nothing.csv", "cannot read"),
    ],
)
def test_unusable_profiles(name: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(STAGING, "--ncu", str(DATA / name), capsys=capsys)
    assert (code, out) == (2, "")
    assert words in err and name in err and "Traceback" not in err
    assert "ncu --import" in err or name == "nothing.csv"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"\x7fELF\0\0\0", "neither a CSV page"),
        (b'"ID","Process ID"\n', "lists no launch"),
    ],
)
def test_unusable_bytes(
    data: bytes, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "page.csv"
    path.write_bytes(data)
    code, _, err = run(STAGING, "--ncu", str(path), capsys=capsys)
    assert code == 2 and words in err


def test_no_profile_given(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(STAGING, capsys=capsys)
    assert code == 2 and "--ncu" in err


@pytest.mark.slow
def test_a_profile_of_another_program(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(str(TRUTH / "transpose.cu"), "--ncu", LINES, capsys=capsys)
    assert code == 2 and "staging::turn" in err and "transposeNaive" in err


def test_of_a_cut_off_page_the_launch_in_which_it_ends_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, whole = Path(LINES).read_text("utf-8"), reading.read([LINES]).launches
    path = tmp_path / "page.csv"
    for share in (4, 2, 1.3):
        path.write_text(
            text[: int(len(text) / share)].rpartition("\n")[0] + '\n"","","0x7f', "utf-8"
        )
        found = reading.read([str(path)])
        assert found.launches == whole[: len(found.launches)] and 0 < len(found.launches) < 14
        line = path.read_text("utf-8").count("\n") + 1
        assert re.match(
            rf"line {line}: the file ends in the middle of a row of `.*`: this launch is left out",
            found.notes[-1],
        )
    path.write_text(text[:4000], "utf-8")
    code, _, err = run(STAGING, "--ncu", str(path), capsys=capsys)
    assert (
        code == 2
        and "page.csv: line 28: the file ends in the middle of a row" in err
        and "ncu --import" in err
    )


def test_a_cut_off_raw_page_is_told(tmp_path: Path) -> None:
    text = (DATA / "staging.raw.csv").read_text("utf-8")
    path = tmp_path / "raw.csv"
    path.write_text(text[: len(text) - 200], "utf-8")
    found = reading.read([str(path)])
    assert found.launches == reading.read([str(DATA / "staging.raw.csv")]).launches[:-1]
    assert found.notes[-1].startswith("line 16: the file ends in the middle of a row")


def test_what_is_no_profile_is_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "nsys.csv").write_text('"Time (%)","Total Time (ns)","Instances"\n', "utf-8")
    (tmp_path / "page.csv").write_text("", "utf-8")
    for name, words in (
        ("nsys.csv", "Nsight Systems"),
        ("", "it is a folder"),
        ("pagee.csv", "did you mean `page.csv`?"),
    ):
        code, _, err = run(STAGING, "--ncu", str(tmp_path / name), capsys=capsys)
        assert code == 2 and words in err and "ncu --import" in err
    code, _, err = run(LINES, "--ncu", STAGING, capsys=capsys)
    assert code == 2 and "this is source code. It stands before --ncu, the profile behind it" in err


@pytest.mark.slow
def test_a_range_says_its_bounds_and_what_was_counted(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(STAGING, "--ncu", LINES, "--kernel", "ranks", capsys=capsys)
    rows = [" ".join(line.split()) for line in out.splitlines()]
    at = rows.index("112 local load 1,024 | 256 32 4 (0 to 4) | 16 sectors 4 vague counts[k]")
    assert rows[at + 1] == "= 4,096 sectors in all counted, inside the stated range, 0 to 4,096"
    assert rows[at + 2] == "= 256 requests counted where 1,024 were predicted"
    _, found = compared(STAGING, "--ncu", LINES, "--kernel", "ranks", capsys=capsys)
    (one,) = [
        line
        for line in found["launches"][0]["lines"]
        if (line["line"], line["space"], line["op"]) == (112, "local", "load")
    ]
    assert one["agreement"] == "inside" and one["within"] == {
        "low": 0,
        "high": 4096,
        "measured": 4096,
        "in_all": True,
    }
    _, out, _ = run(STAGING, "--ncu", LINES, "--kernel", "wide", capsys=capsys)
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert (
        "93 global copy 256 32 16 (16 to 32) sectors 16 agrees (range) cp.async.cg.shared.global [%0], [%1], 16"
        in rows
    )
    assert rows[-1].startswith(
        "4 lines of 1 launch: 4 agree (2 of them exact, 2 inside a stated range); no exact claim contradicted"
    )


# ------------------------------------------------------------------ reports


class Metric:
    def __init__(self, value: int, instances: dict[int, int] | None = None) -> None:
        self.value, self.instances = value, instances or {}

    def num_instances(self) -> int:
        return len(self.instances)

    def has_correlation_ids(self) -> bool:
        return bool(self.instances)

    def correlation_ids(self) -> Any:
        return types.SimpleNamespace(as_uint64=list(self.instances).__getitem__)

    def as_uint64(self, at: int | None = None) -> int:
        return self.value if at is None else list(self.instances.values())[at]


class Action:
    """One load of 2 warps on line 7, as `ncu_report` tells it."""

    def __init__(self) -> None:
        shape = {
            f"launch__{which}_dim_{axis}": Metric(size)
            for which in ("grid", "block")
            for axis, size in zip("xyz", (2, 1, 1), strict=True)
        }
        counted = {
            "inst_executed": Metric(2, {0x10: 2}),
            "memory_l2_theoretical_sectors_global": Metric(8, {0x10: 8}),
        }
        self.metrics = shape | counted | {"device__attribute_compute_capability_major": Metric(9)}

    def metric_names(self) -> list[str]:
        return list(self.metrics)

    def metric_by_name(self, name: str) -> Metric | None:
        return self.metrics.get(name)

    def name(self, base: int) -> str:
        return "k(float *)"

    def sass_by_pc(self, address: int) -> str:
        return "LDG.E R0, desc[UR4][R2.64]"

    def source_info(self, address: int) -> Any:
        return types.SimpleNamespace(file_name=lambda: "/src/k.cu", line=lambda: 7)


def test_reports_through_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    only = types.SimpleNamespace(num_actions=lambda: 1, action_by_idx=lambda k: Action())
    context = types.SimpleNamespace(num_ranges=lambda: 1, range_by_idx=lambda k: only)
    module = types.SimpleNamespace(
        load_report=lambda path: context, IAction=types.SimpleNamespace(NameBase_DEMANGLED=1)
    )
    monkeypatch.setitem(__import__("sys").modules, "ncu_report", module)
    launch = reading.read([str(DATA / "turn.ncu-rep")]).launches[0]
    assert (launch.name, launch.grid, launch.block, launch.capability) == (
        "k(float *)",
        (2, 1, 1),
        (2, 1, 1),
        None,
    )
    assert launch.instructions == (
        Instruction(16, "LDG.E R0, desc[UR4][R2.64]", (("/src/k.cu", 7),), 2, None, sectors=8),
    )


def test_reports_that_the_module_cannot_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(path: str) -> None:
        raise RuntimeError("unsupported version")

    monkeypatch.setitem(
        __import__("sys").modules, "ncu_report", types.SimpleNamespace(load_report=load)
    )
    with pytest.raises(ProfileError, match="unsupported version"):
        reading.read([str(DATA / "turn.ncu-rep")])


def test_reports_without_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the module makes of a file that is cut off or no report at all."""
    empty = types.SimpleNamespace(
        load_report=lambda path: types.SimpleNamespace(num_ranges=lambda: 0)
    )
    monkeypatch.setitem(__import__("sys").modules, "ncu_report", empty)
    with pytest.raises(ProfileError, match="no launch, or is damaged"):
        reading.read([str(DATA / "turn.ncu-rep")])


def test_a_source_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run("nothing.cu", "--ncu", LINES, capsys=capsys)
    assert code == 2 and err == "kernlint: nothing.cu: no such file or folder\n"


def test_reports_without_the_module(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ncu_report", None)
    code, _, err = run(STAGING, "--ncu", str(DATA / "turn.ncu-rep"), capsys=capsys)
    assert code == 2 and "pip install 'kernlint[ncu]'" in err and "--print-source cuda,sass" in err


def test_the_real_report_says_what_its_page_says() -> None:
    try:
        launches = reading.read([str(DATA / "turn.ncu-rep")]).launches
    except ProfileError as error:
        assert reports.MISSING in str(error)  # where NVIDIA's module is not installed
        return
    page = reading.read([LINES]).launches
    assert [counting.lines(launch, first) for launch in launches] == [
        counting.lines(launch, first) for launch in page[:2]
    ]


# ------------------------------------------------------------------ judging

HERE = ("k.cu", 7, "global", "load")


def claim(
    status: str,
    requests: float | None,
    mean: float | None,
    low: float | None = None,
    high: float | None = None,
) -> judging.PredictedAccess:
    access = made.ROW_STORE
    bounds = (mean if low is None else low, mean if high is None else high)
    return judging.PredictedAccess(
        access, "k.cu", 7, status == "exact", requests, 32.0, mean, *bounds, mean, 32
    )


def counted(requests: int, count: int, predicated: bool = False) -> ProfiledLine:
    return ProfiledLine(*HERE, requests, 32 * requests, count, count, (32,), predicated)


@pytest.mark.parametrize(
    ("claims", "line", "verdict", "contradicted"),
    [
        ([claim("exact", 100, 4)], counted(100, 400), "agrees", False),
        ([claim("exact", 100, 4)], counted(100, 800), "wrong", True),
        ([claim("exact", 100, 4)], counted(200, 800), "wrong", True),
        ([claim("exact", 100, 4)], counted(200, 400, predicated=True), "agrees", False),
        ([claim("exact", 1000, 4)], counted(1004, 4016), "agrees", False),
        ([claim("range", 100, 4, 4, 8)], counted(100, 600), "inside", False),
        ([claim("range", 100, 4, 4, 8)], counted(100, 400), "agrees", False),
        ([claim("range", 1024, 4, 0, 4)], counted(256, 4096), "vague", False),
        ([claim("range", 1024, 4, 4, 4)], counted(256, 1024), "inside", False),
        ([claim("range", 100, 4, 1, 32)], counted(100, 600), "vague", False),
        ([claim("range", 100, 4, 4, 5)], counted(100, 600), "wrong", False),
        (
            [claim("exact", 100, 4), claim("unknown", 100, None)],
            counted(200, 2000),
            "partial",
            False,
        ),
        ([claim("unknown", 100, None)], counted(100, 600), "unknown", False),
        ([claim("exact", 0, 4)], counted(100, 600), "missing", False),
        ([], counted(100, 600), "missing", False),
        ([claim("exact", 100, 4), claim("exact", 300, 8)], counted(400, 2800), "agrees", False),
        (
            [claim("exact", 100, 4)],
            ProfiledLine("", 0, "global", "", None, None, 400, 400),
            "agrees",
            False,
        ),
        (
            [claim("exact", 100, 4)],
            ProfiledLine("", 0, "global", "", None, None, 500, 400),
            "wrong",
            True,
        ),
        (
            [claim("range", 100, 4, 4, 5)],
            ProfiledLine("", 0, "global", "", None, None, 9000, 400),
            "vague",
            False,
        ),
        (
            [claim("exact", 100, 4)],
            ProfiledLine("", 0, "global", "load", 100, None, None, None),
            "agrees",
            False,
        ),
        (
            [claim("exact", 100, 4)],
            ProfiledLine("", 0, "global", "load", 90, None, None, None),
            "wrong",
            True,
        ),
        (
            [claim("exact", 100, 4)],
            ProfiledLine("", 0, "global", "load", 0, None, None, None),
            "invented",
            True,
        ),
        (
            [claim("range", 100, 4, 4, 5)],
            ProfiledLine("", 0, "global", "load", 90, None, None, None),
            "vague",
            False,
        ),
        (
            [claim("exact", 100, 4)],
            ProfiledLine(*HERE, 200, 3200, None, None, (32,), True),
            "vague",
            False,
        ),
        (
            [claim("exact", 100, 4)],
            ProfiledLine(*HERE, 50, 1600, None, None, (32,), True),
            "wrong",
            True,
        ),
    ],
)
def test_verdicts(
    claims: list[judging.PredictedAccess], line: ProfiledLine, verdict: str, contradicted: bool
) -> None:
    row = judging.judge(line, claims)
    assert (row.verdict, row.contradicted) == (verdict, contradicted)


@pytest.mark.parametrize(
    ("claims", "line", "agreement", "within"),
    [
        ([claim("exact", 100, 4)], counted(100, 400), "exact", None),
        ([claim("exact", 100, 4)], counted(100, 800), "contradicted", None),
        (
            [claim("exact", 100, 4)],
            ProfiledLine("", 0, "global", "load", 0, None, None, None),
            "contradicted",
            None,
        ),
        (
            [claim("range", 100, 4, 4, 8)],
            counted(100, 400),
            "inside",
            judging.Within(4, 8, 4, False),
        ),
        (
            [claim("range", 100, 4, 1, 32)],
            counted(100, 600),
            "inside",
            judging.Within(1, 32, 6, False),
        ),
        (
            [claim("range", 1024, 4, 0, 4)],
            counted(256, 4096),
            "inside",
            judging.Within(0, 4096, 4096, True),
        ),
        ([claim("range", 100, 4, 4, 5)], counted(100, 600), "contradicted", None),
        (
            [claim("range", 100, 4, 4, 5)],
            ProfiledLine("", 0, "global", "", None, None, 450, 400),
            "inside",
            judging.Within(400, 500, 450, True),
        ),
        (
            [claim("range", 100, 4, 4, 5)],
            ProfiledLine("", 0, "global", "", None, None, 9000, 400),
            "no-number",
            None,
        ),
        (
            [claim("range", 100, 4, 4, 5)],
            ProfiledLine("", 0, "global", "load", 90, None, None, None),
            "no-number",
            None,
        ),
        (
            [claim("exact", 100, 4), claim("unknown", 100, None)],
            counted(200, 2000),
            "no-number",
            None,
        ),
        ([claim("unknown", 100, None)], counted(100, 600), "no-number", None),
        ([], counted(100, 600), "no-number", None),
    ],
)
def test_agreements(
    claims: list[judging.PredictedAccess],
    line: ProfiledLine,
    agreement: str,
    within: judging.Within | None,
) -> None:
    row = judging.judge(line, claims)
    assert (row.agreement, row.within) == (agreement, within)


def test_only_exact_accesses_with_requests_can_be_invented() -> None:
    row = judging.invented("k.cu", 7, [claim("exact", 5, 4)])
    assert row is not None and row.contradicted
    assert (
        judging.invented(
            "k.cu", 7, [claim("exact", 0, 4), claim("range", 5, 4), claim("unknown", 5, None)]
        )
        is None
    )


# ------------------------------------------------------------------ matching


def test_paths_are_told_apart_by_their_ends() -> None:
    assert matching.common("/home/me/a/b/k.cu", "b/k.cu") == 2
    assert matching.common("C:\\src\\k.cu", "/other/k.cu") == 1
    assert matching.common("/a/k.cu", "/a/j.cu") == 0


def test_launches_without_counters_are_not_compared() -> None:
    found = matching.candidates(ProfiledLaunch(0, "k(float *)"), ())
    assert not found.kernels and "counters" in found.why


# ------------------------------------------------------------------ the whole, on real exports


@pytest.mark.slow
def test_a_real_profile_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = compared(STAGING, "--ncu", LINES, capsys=capsys)
    assert code == 0 and found["contradicted"] == 0
    # the store of `spread` counts as written, but in other kernels nvcc charges such a store to the
    # call: agreed, not exact
    assert found["verdicts"]["agrees"] >= 37 and found["exact"] >= 30
    assert found["verdicts"].keys() <= {"agrees", "inside", "vague", "unknown", "partial"}
    assert (
        found["agreements"]["exact"] == found["exact"] and found["agreements"]["contradicted"] == 0
    )
    assert found["agreements"]["inside"] >= 9 and sum(found["agreements"].values()) == sum(
        found["verdicts"].values()
    )
    assert not found["only_measured"] and not found["only_predicted"]
    matched = {
        (one["kernel"], tuple(one["template_arguments"]), one["line"]): [
            p["id"] for p in one["profiled"]
        ]
        for one in found["launches"]
    }
    assert matched["staging::turn", ("float", "32", "1"), 22] == [1]
    assert (matched["staging::scale", (), 37], matched["staging::scale", (), 44]) == (
        [3],
        [4],
    )  # overloads, by their lines
    assert matched["buckets", (), 71] == [9, 10]  # counted the same
    strides = {
        one["arguments"]["stride"]: one["profiled"][0]["id"]
        for one in found["launches"]
        if one["kernel"] == "strided"
    }
    assert strides == {1: 5, 2: 6, 4: 7}


@pytest.mark.slow
def test_a_launch_of_a_run_without_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = compared(
        STAGING, "--ncu", LINES, "--ncu", str(DATA / "staging.raw.csv"), capsys=capsys
    )
    assert code == 0 and not found["only_measured"] and not found["only_predicted"]
    (one,) = [one for one in found["launches"] if one["kernel"] == "reversed"]
    assert one["grid"] == [1024, 1, 1] and one["origin"].endswith("run without arguments")
    assert [(line["verdict"], line["exact"]) for line in one["lines"]] == [
        ("agrees", True),
        ("agrees", True),
    ]


@pytest.mark.slow
def test_kernels_without_host_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The profile tells grid, block and template arguments; arguments of functions stay unknown."""
    text = Path(STAGING).read_text("utf-8")
    (tmp_path / "staging.cu").write_text(text[: text.index("int main")], "utf-8")
    (tmp_path / "staging.cuh").write_text((DATA / "staging.cuh").read_text("utf-8"), "utf-8")
    pair = ("--ncu", LINES, "--ncu", str(DATA / "staging.raw.csv"))
    code, found = compared(str(tmp_path / "staging.cu"), *pair, capsys=capsys)
    assert (
        code == 0
        and not found["only_measured"]
        and {one["origin"] for one in found["launches"]} == {"profile"}
    )
    turned = [one for one in found["launches"] if one["kernel"] == "staging::turn"]
    assert sorted(one["template_arguments"] for one in turned) == [
        ["double", "16", "0"],
        ["float", "32", "0"],
        ["float", "32", "1"],
    ]
    reads = [
        line
        for one in turned
        for line in one["lines"]
        if (line["line"], line["space"]) == (31, "shared")
    ]
    assert {line["verdict"] for line in reads} == {"agrees"} and all(
        line["exact"] for line in reads
    )
    stride = next(
        line
        for one in found["launches"]
        if one["kernel"] == "strided"
        for line in one["lines"]
        if line["verdict"] == "wrong"
    )
    assert not stride["contradicted"] and stride["why"][0].startswith(
        "counted outside the range, which holds for: stride is large"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "agree", "others"), [("histogram", 12, {"vague": 5}), ("divergence", 12, {})]
)
def test_measured_programs_agree(
    name: str, agree: int, others: dict[str, int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Instructions listed under two lines, a call's and an inlined function's, are charged to the
    call's."""
    code, found = compared(
        str(TRUTH / f"{name}.cu"), "--ncu", str(DATA / f"{name}.lines.csv"), capsys=capsys
    )
    assert (code, found["verdicts"]) == (0, {"agrees": agree, **others}) and found[
        "exact"
    ] > 0.8 * agree


@pytest.mark.slow
def test_totals_of_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = compared(STAGING, "--ncu", str(DATA / "staging.raw.csv"), capsys=capsys)
    assert (
        code == 0
        and found["verdicts"]["agrees"] >= 47
        and found["verdicts"].keys() <= {"agrees", "inside", "vague", "partial", "unknown"}
    )
    turn = next(
        one for one in found["launches"] if one["template_arguments"] == ["float", "32", "0"]
    )
    assert {
        (line["space"], line["op"], line.get("total", {}).get("measured")) for line in turn["lines"]
    } >= {("shared", None, 67584)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "agree", "missing"),
    [("calls.lines.csv", 11, 1), ("calls.debug.lines.csv", 11, 3), ("calls.raw.csv", 17, 1)],
)
def test_calls_members_and_graphs(
    name: str, agree: int, missing: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Functions that are called stand beside their kernel in the page, and are no launches of their
    own."""
    code, found = compared(str(DATA / "calls.cu"), "--ncu", str(DATA / name), capsys=capsys)
    assert (code, found["contradicted"], found["verdicts"]["missing"]) == (0, 0, missing) and found[
        "verdicts"
    ]["agrees"] >= agree
    assert (
        len(found["launches"]) == 6 and not found["only_measured"] and not found["only_predicted"]
    )
    generic = next(
        line
        for one in found["launches"]
        for line in one["lines"]
        if one["kernel"] == "either" and line["verdict"] == "missing"
    )
    assert generic["why"][0].startswith(
        "it may be `from[threadIdx.x ^ 1]`, taken here for shared memory's"
    )


def test_called_functions_belong_to_the_kernel_behind_them() -> None:
    launches = reading.read([str(DATA / "calls.debug.instructions.csv")]).launches
    assert [launch.name for launch in launches] == ["called(const float *, float *)"]
    assert "RET" in launches[0].instructions[-1].sass or any(
        "RET" in i.sass for i in launches[0].instructions
    )
    assert (
        launches[0].instructions[0].requests == 1024
    )  # the kernel's own first, by which warps are counted


@pytest.mark.parametrize(
    ("name", "lines"), [("staging.metrics.lines.csv", 8), ("staging.unresolved.lines.csv", 4)]
)
def test_other_ways_of_profiling(name: str, lines: int, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = compared(STAGING, "--ncu", str(DATA / name), "--kernel", "turn", capsys=capsys)
    assert (code, found["verdicts"], found["exact"]) == (0, {"agrees": lines}, lines)


def test_a_surplus_that_other_instructions_may_explain_is_no_contradiction() -> None:
    row = judging.judge(
        ProfiledLine("", 0, "global", "", None, None, 800, None), [claim("exact", 100, 4)]
    )
    assert (
        row.contradicted
        and judging.weakened(row).verdict == "partial"
        and not judging.weakened(row).contradicted
    )


@pytest.mark.slow
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_damaged_pages_are_read_or_refused(data: st.DataObject) -> None:
    """Whatever is cut out of or put into a page: a profile, or an error that says what is wrong."""
    text = (
        DATA
        / data.draw(
            st.sampled_from(
                [
                    "staging.skipped.lines.csv",
                    "calls.debug.instructions.csv",
                    "staging.german.raw.csv",
                ]
            )
        )
    ).read_text()
    start, length = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 5000))
    damaged = (
        text[:start]
        + data.draw(st.text(alphabet='",;0x\nA"File Path"Address', max_size=30))
        + text[start + length :]
    )
    try:
        profile = pages.read("page.csv", damaged)
    except ProfileError as error:
        assert str(error)
        return
    for launch in profile.launches:
        for line in counting.lines(launch, first):
            assert line.space in judging.SPACES
        matching.candidates(launch, ())


def doctored(tmp_path: Path, old: str, new: str, start: int = 0) -> str:
    """The page with the counters of the lines from `start` on changed; it says how often `old`
    occurs there."""
    text = Path(LINES).read_text("utf-8")
    head, tail = text[:start], text[start:]
    assert old in tail
    path = tmp_path / "doctored.csv"
    path.write_text(head + tail.replace(old, new), "utf-8")
    return str(path)


def test_doctored_wavefronts_contradict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = doctored(tmp_path, '"32","63488","65536","2048"', '"16","30720","32768","2048"')
    code, found = compared(STAGING, "--ncu", path, "--kernel", "turn", capsys=capsys)
    worst = found["launches"][0]["lines"][0]
    assert code == 1 and found["contradicted"] == 1
    assert (worst["line"], worst["verdict"], worst["contradicted"]) == (31, "wrong", True)
    assert worst["per_request"] == {"predicted": 32.0, "measured": 16.0}
    assert worst["why"][0] == "called exact, but counted otherwise"


def test_doctored_instructions_contradict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where no such instruction was executed, an exact access is invented; where another was, it is
    missing."""
    path = doctored(tmp_path, "      STS [R5], R0", "      STG.E desc[UR6][R5.64], R0")
    code, out, err = run(
        STAGING, "--ncu", path, "--kernel", "turn", "--output-format", "concise", capsys=capsys
    )
    assert code == 1
    assert re.search(
        r"staging\.cu:27:5: error: invented: shared store: 2,048 requests predicted, 0 measured in `staging::turn<float, 32, 0>`",
        out,
    )
    assert re.search(
        r"staging\.cu:27:1: warning: missing: global store: 0 requests predicted, 2,048 measured",
        out,
    )
    assert re.search(r"2 exact claims contradicted$", err, re.M)


@pytest.mark.slow
def test_the_table_tells_what_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = doctored(tmp_path, '"32","63488","65536","2048"', '"16","30720","32768","2048"')
    code, out, _ = run(STAGING, "--ncu", path, "--kernel", "turn", capsys=capsys)
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 1
    assert (
        "31 shared load 2,048 32 32 | 16 wavefronts 1 wrong (exact) tile[threadIdx.x][threadIdx.y]"
        in rows
    )
    assert "27 global load 2,048 32 4 sectors 4 agrees (exact) in[y * n + x]" in rows
    assert (
        rows[-1]
        == "12 lines of 3 launches: 11 agree (11 of them exact), 1 wrong; 1 exact claim contradicted"
    )
    assert next(row for row in rows if row.startswith(("27", "31"))).startswith("31")  # worst first


def test_only_one_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = compared(STAGING, "--ncu", LINES, "--kernel", "staging::scale", capsys=capsys)
    assert (
        code == 0
        and [one["profiled"][0]["id"] for one in found["launches"]] == [3, 4]
        and not found["only_measured"]
    )
    code, _, err = run(
        str(TRUTH / "divergence.cu"), "--ncu", LINES, "--kernel", "branchByWarp", capsys=capsys
    )
    assert code == 2 and "no launch of `branchByWarp`" in err


@pytest.mark.slow
def test_unmatched_launches_of_one_kernel_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    source = str(TRUTH.parent.parent / "kernels" / "histogram.cu")
    code, out, _ = run(
        source,
        "--ncu",
        str(DATA / "histogram.lines.csv"),
        "--grid",
        "5",
        "--kernel",
        "histogramBytes",
        capsys=capsys,
    )
    assert code == 2 and not out  # nothing left to compare
    code, out, _ = run(
        STAGING, "--ncu", LINES, "--ncu", str(DATA / "divergence.lines.csv"), capsys=capsys
    )
    assert (
        code == 0
        and "launch 14 of branchParity(unsigned int *, int): no kernel of this name in the files"
        in out
    )


def test_another_device_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    _, found = compared(
        STAGING,
        "--ncu",
        str(DATA / "staging.raw.csv"),
        "--device",
        "a100",
        "--kernel",
        "turn",
        capsys=capsys,
    )
    assert found["notes"] == [
        "profiled on a device of compute capability 9.0, analysed for a100 (8.0): give the right one with --device"
    ]


def test_documented_keys(capsys: pytest.CaptureFixture[str]) -> None:
    _, found = compared(STAGING, "--ncu", LINES, "--kernel", "gather", capsys=capsys)
    page = (places.DOCS / "compare.md").read_text("utf-8")
    keys = {
        *found,
        *found["launches"][0],
        *found["launches"][0]["lines"][0],
        *found["profile"],
        *found["launches"][0]["profiled"][0],
    }
    assert not {key for key in keys if f"`{key}`" not in page}


def test_profile_pages_are_values() -> None:
    """A page that holds no line information is compared per kernel and says so."""
    profile = reading.read([str(DATA / "staging.instructions.csv")])
    assert isinstance(profile, Profile) and "per kernel" in profile.notes[0]
    assert {line.line for line in counting.lines(profile.launches[0], first)} == {0}
