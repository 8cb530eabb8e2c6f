"""Output: golden texts that a person checked (tests/golden), and properties that hold for any
finding."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint import __version__
from kernlint.base.span import Span
from kernlint.checks import estimate_words, words
from kernlint.checks.run import check
from kernlint.linting.fingerprints import fingerprints
from kernlint.model import facts
from kernlint.model.finding import Finding, Label
from kernlint.model.settings import Selection
from kernlint.render import concise, derivation, findings_json, full, report_json, report_text
from kernlint.render.style import Style, columns, style_for, untabbed
from kernlint.source.sources import Sources
from tests.places import GOLDEN
from tests.support import handmade as made

PLAIN = Style()
SOURCES = Sources.of(made.REPORT.files)


def findings() -> list[Finding]:
    return check(made.REPORT, Selection())


def texts() -> dict[str, str]:
    """By golden file; kernlint's own version is left out of them."""
    found = findings()
    version = f'"version": "{__version__}"'
    return {
        "full.txt": full.render(found, SOURCES, PLAIN) + full.closing(found, "h100", PLAIN),
        "concise.txt": concise.render(found, PLAIN),
        "findings.json": json.dumps(
            findings_json.to_json(found, SOURCES, "h100"), indent=1
        ).replace(version, '"version": "…"')
        + "\n",
        "report.txt": report_text.render(made.REPORT, PLAIN),
        "report.json": json.dumps(report_json.to_json(made.REPORT), indent=1).replace(
            version, '"version": "…"'
        )
        + "\n",
        "line11.txt": derivation.render(made.REPORT, 11, PLAIN),
        "line12.txt": derivation.render(made.REPORT, 12, PLAIN),
    }


@pytest.mark.parametrize(
    "name",
    [
        "full.txt",
        "concise.txt",
        "findings.json",
        "report.txt",
        "report.json",
        "line11.txt",
        "line12.txt",
    ],
)
def test_golden(name: str) -> None:
    assert texts()[name] == (GOLDEN / name).read_text(encoding="utf-8")


# ------------------------------------------------------------------ frames


def finding_at(line: int, first: int, last: int, **more: object) -> Finding:
    base = Finding(
        "KL101", "shared-bank-conflict", "warning", "message", Span("a.cu", line, first, line, last)
    )
    return replace(base, **more)  # type: ignore[arg-type]


def frame_of(text: str, finding: Finding, style: Style = PLAIN) -> list[str]:
    return full.frame(finding, Sources({"a.cu": text}), style).split("\n")


@pytest.mark.slow
@settings(deadline=None)
@given(st.text(alphabet="ab\t漢é", min_size=1, max_size=30), st.data())
def test_carets_stand_below_what_they_mark(text: str, data: st.DataObject) -> None:
    if not text.strip():
        return
    first = data.draw(st.integers(1, len(text)))
    last = data.draw(st.integers(first + 1, len(text) + 1))
    marked = text[first - 1 : last - 1]
    lines = frame_of(text, finding_at(1, first, last))
    quoted = lines[3].removeprefix("1 | ") if lines[3].startswith("1 | ") else ""
    under = lines[4].removeprefix("  | ")
    start, length = columns(under) - columns(under.lstrip()), under.count("^")
    if "\t" not in text:
        assert columns(text[: first - 1]) == start and max(1, columns(marked)) == length
    assert (
        start + length <= max(columns(quoted), start + 1)
        or marked.isspace()
        or text.endswith(("\t", " "))
    )


def test_tabs_and_wide_characters() -> None:
    lines = frame_of("\tx = 漢[i];", finding_at(1, 6, 10))
    assert lines[3] == "1 |     x = 漢[i];"
    assert lines[4] == "  |         ^^^^^"


def test_an_overlong_line_is_shown_around_the_mark() -> None:
    text = "a" * 500 + "HERE" + "b" * 500
    lines = frame_of(text, finding_at(1, 501, 505))
    assert len(lines[3]) < 180 and "HERE" in lines[3]
    assert lines[4].index("^") == lines[3].index("HERE") and lines[4].count("^") == 4


def test_a_span_over_several_lines_is_marked_on_its_first() -> None:
    finding = replace(finding_at(1, 3, 4), span=Span("a.cu", 1, 3, 3, 2))
    lines = frame_of("x[one +\n  two +\n  three]", finding)
    assert lines[4] == "  |   ^^^^^"


def test_without_a_source_line_the_frame_is_left_out() -> None:
    finding = replace(
        finding_at(1, 1, 1), span=Span("no-such-file.cu", 1, 1, 1, 1), notes=("note",)
    )
    assert (
        full.frame(finding, Sources({}), PLAIN)
        == "warning[KL101]: message\n --> no-such-file.cu:1:1\n  = note: note\n"
    )


def test_a_label_in_another_file_gets_its_own_excerpt() -> None:
    sources = Sources({"a.cu": "x;\n", "b.cuh": "one\ntwo\n"})
    text = full.frame(
        finding_at(1, 1, 2, labels=(Label(Span("b.cuh", 2, 1, 2, 4), "declared here"),)),
        sources,
        PLAIN,
    )
    assert " ::: b.cuh:2:1\n" in text and "  | --- declared here\n" in text


def test_macros_are_named() -> None:
    lines = frame_of("USE(x);", replace(finding_at(1, 1, 4), span=Span("a.cu", 1, 1, 1, 7, "USE")))
    assert lines[1].endswith("a.cu:1:1, in expansion of macro `USE`")


def test_ascii_output_holds_only_ascii() -> None:
    text = full.render(findings(), SOURCES, Style(unicode=False)) + report_text.render(
        made.REPORT, Style(unicode=False)
    )
    assert text.isascii() and "1.0023*i*w*c" in text
    assert frame_of("漢 x", finding_at(1, 3, 4), Style(unicode=False))[3] == "1 | ? x"


def test_colour_changes_nothing_but_colour() -> None:
    import re

    coloured = full.render(findings(), SOURCES, Style(color=True)) + concise.render(
        findings(), Style(color=True)
    )
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == full.render(
        findings(), SOURCES, PLAIN
    ) + concise.render(findings(), PLAIN)


class Stream:
    def __init__(self, terminal: bool, encoding: str = "utf-8") -> None:
        self.terminal, self.encoding = terminal, encoding

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("terminal", "choice", "environment", "color"),
    [
        (True, "auto", {}, True),
        (False, "auto", {}, False),
        (True, "auto", {"NO_COLOR": "1"}, False),
        (True, "auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        (False, "auto", {"FORCE_COLOR": "1"}, True),
        (False, "auto", {"CLICOLOR_FORCE": "1"}, True),
        (False, "auto", {"CLICOLOR_FORCE": "0"}, False),
        (True, "auto", {"TERM": "dumb"}, False),
        (False, "always", {"NO_COLOR": "1"}, True),
        (True, "never", {"FORCE_COLOR": "1"}, False),
    ],
)
def test_when_there_is_colour(
    terminal: bool, choice: str, environment: dict[str, str], color: bool
) -> None:
    assert style_for(Stream(terminal), choice, environment).color is color  # type: ignore[arg-type]
    assert not style_for(Stream(terminal, "ascii"), choice, environment).unicode  # type: ignore[arg-type]


# ------------------------------------------------------------------ one line


def test_concise_lines_are_gcc_lines() -> None:
    import re

    for line in concise.render(findings(), PLAIN).splitlines():
        assert re.fullmatch(r"[^:]+:\d+:\d+: (note|warning|error): .* \[KL\d{3}\]", line)


# ------------------------------------------------------------------ JSON


def test_fingerprints_survive_moving_and_reindenting() -> None:
    finding = finding_at(1, 1, 2)
    moved = finding_at(3, 5, 6)
    before, after = Sources({"a.cu": "x = y[i];"}), Sources({"a.cu": "\n\n    x  = y[i];"})
    assert fingerprints([finding], before) == fingerprints([moved], after)
    assert (
        len(set(fingerprints([finding, replace(finding, message="another"), moved], before))) == 3
    )
    assert fingerprints([finding], before) != fingerprints(
        [finding], Sources({"a.cu": "x = z[i];"})
    )


def test_report_json_says_what_the_schema_says() -> None:
    report = report_json.to_json(made.REPORT)
    assert (
        list(report)[:5] == ["schema", "version", "device", "cycles_model", "files"]
        and report["schema"] == 1
    )
    assert report["device"] == "h100" and report["cycles_model"].startswith(
        "T(i, w, c) = 1.0023·i·w·c + 46.928 for NVIDIA H100 ("
    )
    [kernel] = report["files"][0]["kernels"]
    assert kernel["launch"] == {
        "grid": [64, 64, 1],
        "block": [32, 8, 1],
        "dynamic_shared_bytes": 0,
        "arguments": {"n": 2048, "out": {"offset_bytes": 4}},
        "origin": "launch at line 88",
    }
    load = next(a for a in kernel["accesses"] if a["text"] == "tile[threadIdx.x][threadIdx.y + j]")
    assert "path" not in load
    assert load["wavefronts"] == {"min": 32, "mean": 32.0, "max": 32, "ideal": 1.0}
    assert (
        load["sectors"] is None
        and load["cache_lines"] is None
        and load["as_compiled"] is None
        and load["reason"] is None
    )
    assert kernel["resources"] == {"static_shared_bytes": 4096, "dynamic_shared_bytes": 0}
    assert kernel["cycles"] == {"shared": 1800.25, "shared_ideal": 405.5}


def access_json(access: facts.Access) -> dict[str, object]:
    report = report_json.to_json(made.report_of(replace(made.KERNEL, accesses=(access,))))
    entry: dict[str, object] = report["files"][0]["kernels"][0]["accesses"][0]
    return entry


def test_ranges_carry_their_bounds_and_unknowns_no_numbers() -> None:
    wide = replace(
        made.COLUMN_LOAD, status="range", reason="loaded-value", wavefronts=made.between(1, 4, 32)
    )
    entry = access_json(wide)
    assert entry["wavefronts"] == {
        "min": 1,
        "mean": 4,
        "max": 32,
        "ideal": 1.0,
        "mean_low": 1,
        "mean_high": 32,
    }
    assert entry["reason"] == "loaded-value"
    assert access_json(replace(wide, status="unknown"))["wavefronts"] is None


def test_as_compiled_has_the_count_of_its_space() -> None:
    compiled = facts.Compiled(
        16, 32768.0, 32.0, made.counts(8, 4), None, "exact", 11, "merged", "shared"
    )
    entry = access_json(replace(made.COLUMN_LOAD, as_compiled=compiled))["as_compiled"]
    assert entry == {
        "bytes": 16,
        "requests": 32768,
        "active_lanes": 32.0,
        "wavefronts": {"min": 8, "mean": 8.0, "max": 8, "ideal": 4},
        "status": "exact",
        "charged_line": 11,
        "reason": "merged",
    }


def test_accesses_in_headers_name_their_file() -> None:
    entry = access_json(
        replace(
            made.COLUMN_LOAD,
            span=Span("tile.cuh", 3, 1, 3, 9),
            calls=(Span(made.PATH, 8, 5, 8, 9),),
        )
    )
    assert entry["path"] == "tile.cuh" and entry["calls"] == [
        {"path": "transpose.cu", "line": 8, "column": 5}
    ]


def test_an_unknown_launch_has_no_grid() -> None:
    report = report_json.to_json(
        made.report_of(replace(made.KERNEL, launch=facts.Launch(None, (256, 1, 1), None)))
    )
    launch = report["files"][0]["kernels"][0]["launch"]
    assert (
        launch["grid"] is None
        and launch["origin"] == "assumed"
        and launch["dynamic_shared_bytes"] is None
    )


def test_fences_are_no_barriers_in_the_report() -> None:
    fence = replace(made.GOOD_BARRIER, scope="memory", text="__threadfence()")
    report = report_json.to_json(
        made.report_of(replace(made.KERNEL, barriers=(fence, made.GOOD_BARRIER)))
    )
    assert [b["line"] for b in report["files"][0]["kernels"][0]["barriers"]] == [9]


# ------------------------------------------------------------------ derivations


def test_a_line_without_facts_says_which_lines_have_some() -> None:
    assert (
        derivation.render(made.REPORT, 3, PLAIN)
        == "no memory access or branch on line 3; lines with facts: 7, 8, 11, 12, 13\n"
    )


def test_a_request_that_the_machine_may_not_make_is_one_as_written() -> None:
    [access] = [a for a in made.KERNEL.accesses if a.span.line == 11 and a.space == "global"]
    loose = replace(
        access,
        status="range",
        reason="compiler",
        detail="lanes leave the unrolled loop",
        as_compiled=None,
    )
    text = derivation.render(
        made.report_of(replace(made.KERNEL, accesses=(loose,), branches=())), 11, PLAIN
    )
    assert (
        "the costliest request as written: " in text
        and "the compiler may change or remove these requests" in text
    )


def test_lanes_that_do_not_run_are_shown_as_such() -> None:
    partial = replace(made.COLUMN_LOAD, example=made.lanes(0, None, 256))
    text = derivation.render(
        made.report_of(replace(made.KERNEL, accesses=(partial,), branches=())), 11, PLAIN
    )
    assert "     1  (1, 0, 0)          inactive" in text
    assert "lanes 0, 2 need 2 different words of one bank" in text


def test_what_the_head_of_a_kernel_says_is_not_repeated_in_its_rows() -> None:
    access = replace(
        made.KERNEL.accesses[0], assumptions=("n is large", "m is even", "block 32x8x1 is assumed")
    )
    head = ("n is large", "block 32x8x1 from kernlint's assumption, grid unknown")
    launch = replace(made.KERNEL.launch, block=(32, 8, 1))
    text = report_text.render(
        made.report_of(replace(made.KERNEL, accesses=(access,), assumptions=head, launch=launch)),
        PLAIN,
    )
    row = next(line for line in text.split("\n") if access.text in line)
    assert (
        text.count("n is large") == 1
        and row.endswith("exact: assuming m is even")
        and "is assumed" not in row
    )


@pytest.mark.parametrize(
    ("microseconds", "expected"),
    [
        (2.914, "2.91 µs"),
        (999.4, "999 µs"),
        (999.7, "1 ms"),
        (3250.0, "3.25 ms"),
        (999_900.0, "1 s"),
        (4.2e9, "4,200 s"),
    ],
)
def test_estimated_times_never_in_powers_of_ten(microseconds: float, expected: str) -> None:
    assert estimate_words.duration(microseconds) == expected


@pytest.mark.parametrize(
    ("now", "best", "text"),
    [
        (18_665_472, 6_220_800, "17.8 MiB instead of 5.93 MiB"),
        (2_097_152, 65_536, "2,048 KiB instead of 64 KiB"),
        (32_768, 4_096, "32,768 bytes instead of 4,096 bytes"),
        (3 * 2**31, 2**30, "6 GiB instead of 1 GiB"),
    ],
)
def test_two_sizes_of_one_sentence_have_one_unit(now: int, best: int, text: str) -> None:
    assert words.instead(now, best) == text


def test_four_lanes_at_a_step_are_all_named() -> None:
    assert words.lanes([0, 4, 8, 12]) == "lanes 0, 4, 8, 12"
    assert words.lanes([0, 4, 8, 12, 16]) == "lanes 0, 4, 8, … 16"


def test_what_a_number_rests_on_is_one_remark_of_each_finding() -> None:
    sizes = tuple(f"{name} exceeds every index compared with it" for name in ("n", "m", "k"))
    more = (
        "p is not null",
        "scalar_t is float",
        "q is not null",
        "acc_t is float",
        "n is large",
        "block 256x1x1 is assumed",
    )
    first, second = (
        finding_at(1, 1, 2, kernel="a", assumptions=(*sizes, *more)),
        finding_at(2, 1, 2, kernel="a", assumptions=sizes),
    )
    notes = [
        line
        for line in full.render([first, second], Sources({}), Style(prose=200)).split("\n")
        if "assuming" in line
    ]
    assert [note.partition("note: ")[2] for note in notes] == [
        "assuming block 256x1x1; n is large; scalar_t and acc_t are float; p and q are not null; "
        "n, m and k exceed every index compared with them",
        "assuming n, m and k exceed every index compared with them",
    ]


def test_of_many_assumptions_alike_some_are_named() -> None:
    assert (
        words.resting([f"n{i} is not null" for i in range(6)])
        == "assuming n0, n1, n2 and 3 more are not null"
    )
    assert words.resting(
        ["n % 4 == 0, as stated", "n is large: a warp stays within one row of it"]
    ) == ("assuming n is large: a warp stays within one row of it; given n % 4 == 0")
    rows = [
        "C, N is large: a warp stays within one row of it",
        "N is large: a warp stays within one row of it",
    ]
    assert words.resting(rows) == "assuming C and N are large: a warp stays within one row of each"
    assert words.assuming(rows) == [
        "assuming C and N are large: a warp stays within one row of each"
    ]
    assert words.resting([]) == ""


def test_tabs_reach_the_next_multiple_of_four() -> None:
    assert untabbed("a\tbcd\t\te\x01") == "a   bcd     e\ufffd"
    assert untabbed("\u4e00\tx") == "\u4e00  x"  # a wide character takes two columns


def test_a_line_of_a_million_characters_is_quoted_at_once() -> None:
    """Of a generated table; it took 16 s."""
    assert untabbed("\t" + "1," * 500_000).startswith("    1,1,")
