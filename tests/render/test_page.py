"""The page of a run, and the maps it shares with the terminal: structure, nothing of the user's
text as markup, the counted numbers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint.checks.run import check
from kernlint.cli import main
from kernlint.hardware import resolve
from kernlint.hardware.sector_counts import local_sectors
from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline.engine import analyse_source
from kernlint.render import derivation, fault_maps, html, lane_map, terminal_map
from kernlint.render.page import data as page_data
from kernlint.render.style import Style, style_for
from kernlint.source.files import read
from kernlint.source.sources import Sources
from tests.places import GOLDEN, ROOT
from tests.support import handmade as made

SAMPLES = sorted((ROOT / "samples").glob("*.c[ul]"))
DEVICE = resolve("h100")


class Page(HTMLParser):
    """The elements of a page and the texts of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self._open = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open == "script":
            self.scripts[-1] += data

    @property
    def data(self) -> Any:
        return json.loads(self.scripts[0])


def handmade() -> str:
    return html.render(made.REPORT, check(made.REPORT, Selection()), Sources.of(made.REPORT.files))


def analysed(path: Path, estimate: bool = False) -> facts.Report:
    return facts.Report(
        "h100", (analyse_source(read(str(path), None), Settings(estimate=estimate)),)
    )


def test_golden_data() -> None:
    data = Page(handmade()).data | {"version": "…"}
    assert json.dumps(data, indent=1) + "\n" == (GOLDEN / "page.json").read_text(encoding="utf-8")


def test_the_page_holds_all_it_needs() -> None:
    page = Page(handmade())
    tags = [tag for tag, _ in page.elements]
    assert tags.count("script") == 2 and tags.count("style") == 1 and tags.count("main") == 1
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(tags)
    assert all(
        not ({"src", "href"} & set(attributes)) or attributes.get("href") == "#source"
        for _, attributes in page.elements
    )
    assert all(
        not name.startswith("on") for _, attributes in page.elements for name in attributes
    ), "the policy would not run these"
    assert handmade().isascii() and "{{" not in handmade()
    assert not re.search(r"https?:(?!//www\.w3\.org/(2000/svg|1998/Math/MathML))", handmade())


def test_the_policy_lets_only_the_page_s_own_script_run() -> None:
    import base64
    import hashlib

    page = Page(handmade())
    policy = next(
        a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"
    )
    digest = base64.b64encode(hashlib.sha256(page.scripts[1].encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def test_the_same_page_twice() -> None:
    assert handmade() == handmade()


@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_fact_of_a_sample_is_on_its_page(path: Path) -> None:
    report = analysed(path)
    data = Page(html.render(report, (), Sources.of(report.files))).data
    kernels = [kernel for file in report.files for kernel in file.kernels]
    assert len(data["kernels"]) == len(kernels)
    wanted = sorted(
        (k.name, a.span.line, a.span.column, a.text, a.op, a.status)
        for k in kernels
        for a in k.accesses
    )
    shown = [
        (k["name"], a["place"][1], a["place"][2], a["text"], a["op"], a["status"])
        for k in data["kernels"]
        for a in k["accesses"]
    ]
    assert sorted(shown) == wanted
    assert sum(len(k["branches"]) for k in data["kernels"]) == sum(len(k.branches) for k in kernels)
    faults = [fault["place"][1] for k in data["kernels"] for fault in k["faults"]]
    assert set(faults) == {
        one.span.line for k in kernels for one in (*k.faults, *fault_maps.shown(k))
    }
    drawn = [a for k in data["kernels"] for a in k["accesses"] if a["map"] is not None]
    assert len(drawn) == sum(
        a.example is not None and a.space in derivation.DRAWN for k in kernels for a in k.accesses
    )
    assert "".join(f"{line}\n" for line in data["sources"][0]["parts"][0][1]) == path.read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_maps_add_up_to_what_was_counted(path: Path) -> None:
    seen = 0
    for access in (
        a
        for file in analysed(path).files
        for kernel in file.kernels
        for a in kernel.accesses
        if a.example is not None
    ):
        if access.space == "shared":
            assert (
                sum(turn.wavefronts for turn in lane_map.turns(access, DEVICE))
                == access.example.count
            )  # type: ignore[union-attr]
        elif access.space in ("global", "local"):
            assert len(lane_map.sectors(access, DEVICE)) == access.example.count  # type: ignore[union-attr]
        seen += 1
    assert seen


LOCAL_LANES = st.lists(st.none() | st.integers(0, 63), min_size=32, max_size=32).filter(
    lambda found: any(one is not None for one in found)
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(LOCAL_LANES, st.sampled_from([1, 2, 4, 8, 16]))
def test_the_map_of_local_memory_touches_the_sectors_that_are_counted(
    numbers: list[int | None], width: int
) -> None:
    """The words of the lanes lie side by side there: lanes at one offset share no byte."""
    lanes = tuple(None if number is None else number * width for number in numbers)
    rows, active = (
        np.array([[lane or 0 for lane in lanes]]),
        np.array([[lane is not None for lane in lanes]]),
    )
    example = facts.Example((0, 0, 0), 0, lanes, 0)
    access = replace(
        made.shared("tile[threadIdx.x][threadIdx.y + j]"),
        space="local",
        bytes=width,
        example=example,
    )
    touched = lane_map.sectors(access, DEVICE)
    assert len(touched) == local_sectors(rows, active, width, DEVICE)[0]
    pieces = lane_map.pieces(access, DEVICE)
    assert sum(piece.bytes for piece in pieces) == width * sum(
        lane is not None for lane in lanes
    ), "no two lanes share a byte"
    assert {piece.start // DEVICE.sector_bytes for piece in pieces} == {
        place.number for place in touched
    }


@pytest.mark.slow
def test_a_local_store_at_one_offset_fills_its_sectors(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "local.cu"
    path.write_text("""\
// kernlint: launch(grid=1, block=32)
__global__ void k(float *out, const int *which)
{
    float mine[32];
    for (int i = 0; i < 32; i++) mine[(i + which[0]) % 32] = i;
    out[threadIdx.x] = mine[which[1] % 32];
}
""")
    assert (
        main.main(["report", str(path), "--line", "5", "--map", "--no-cache", "--color", "never"])
        == 0
    )
    shown = capsys.readouterr().out
    assert "sectors     4 per request" in shown and f"line 0│{'│'.join(['█' * 16] * 4)}│" in shown
    assert (
        "32 lanes x 4 bytes lie in 4 different sectors of 32 bytes: 128 of 128 bytes are used, 100 %"
        in shown
    )


LANES = st.lists(
    st.none() | st.integers(0, 255).map(lambda word: 16 * word), min_size=32, max_size=32
).filter(any)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    LANES,
    st.sampled_from(
        [("load", 4), ("load", 8), ("load", 16), ("store", 8), ("atomic", 4), ("cas", 4)]
    ),
)
def test_turns_take_the_hardware_model_s_wavefronts(
    lanes: list[int | None], how: tuple[str, int]
) -> None:
    from kernlint.hardware import wavefronts

    op, width = how
    example = facts.Example((0, 0, 0), 0, tuple(lanes), 0)
    access = replace(
        made.shared("tile[threadIdx.x][threadIdx.y + j]"),
        hardware_op=op,
        bytes=width,
        example=example,
    )
    turns = lane_map.turns(access, DEVICE)
    assert sum(turn.wavefronts for turn in turns) == wavefronts(lanes, width, op, DEVICE)
    met = {
        lane for turn in turns for place in turn.banks for _, some in place.words for lane in some
    }
    assert met == {lane for lane, offset in enumerate(lanes) if offset is not None}


def test_lanes_that_pair_up_go_together() -> None:
    """Pairs of lanes on one address, pairs 256 bytes apart: H100 takes the whole warp at once, 16
    words of two banks each."""
    offsets = tuple(256 * (lane // 2) for lane in range(32))
    example = facts.Example((0, 0, 0), 0, offsets, 16)
    access = replace(made.shared("tile[threadIdx.x][threadIdx.y + j]"), bytes=8, example=example)
    assert [(len(turn.lanes), turn.wavefronts) for turn in lane_map.turns(access, DEVICE)] == [
        (32, 16)
    ]
    first, *rest = derivation.remarks(access, example, DEVICE)
    assert first.endswith("need 16 different words of one bank") and not any(
        "groups" in text for text in rest
    )


NASTY = st.text(
    st.sampled_from("<>&\"'/!-\\{} \u2028\u2029\ud800é☃\x00\x1b") | st.characters(), max_size=30
) | st.sampled_from(
    [
        "</script>",
        "<!--<script>",
        "{{script}}",
        "]]>",
        "\\u003c",
        "<img src=x onerror=alert(1)>",
        "&lt;",
        "\r",
        "\U0001f600",
    ]
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(NASTY, NASTY, NASTY)
def test_what_the_user_wrote_stays_data(text: str, name: str, path: str) -> None:
    source = made.TEXT.replace("// transpose", f"// {text}").replace("\n\n", "\n")
    file = made.REPORT.files[0]
    kernel = file.kernels[0]
    accesses = (replace(kernel.accesses[0], text=text, object=name), *kernel.accesses[1:])
    kernels = (
        replace(kernel, name=name, qualified_name=name, accesses=accesses),
        *file.kernels[1:],
    )
    report = facts.Report("h100", (replace(file, path=path, text=source, kernels=kernels),))
    finding = Finding(
        "KL101", "shared-bank-conflict", "warning", text, accesses[0].span, kernel=name, help=text
    )
    page = html.render(report, (finding,), Sources({path: source, made.PATH: source}))
    page.encode("ascii")
    read_back = Page(page)
    assert [tag for tag, _ in read_back.elements] == [tag for tag, _ in Page(handmade()).elements]
    data = read_back.data
    assert text in [access["text"] for one in data["kernels"] for access in one["accesses"]]
    assert data["findings"][0]["message"] == text and path in [
        one["path"] for one in data["kernels"]
    ]


@pytest.mark.slow
def test_a_page_of_a_thousand_lines_is_under_two_megabytes(tmp_path: Path) -> None:
    body = "".join(f"    s[t * {step % 9}] += x[t * {step}];\n" for step in range(120))
    kernel = (
        "__global__ void k{n}(float *x) {{\n    __shared__ float s[4096];\n    int t = threadIdx.x;\n"
        + body
        + "}}\n"
    )
    path = tmp_path / "long.cu"
    path.write_text("".join(kernel.format(n=n) for n in range(8)))
    report = analysed(path)
    assert (
        sum(len(k.accesses) for k in report.files[0].kernels) > 2800
        and report.files[0].text.count("\n") > 970
    )
    assert len(html.render(report, (), Sources.of(report.files))) < 2_000_000


def test_costs_rank_kernels() -> None:
    path = ROOT / "samples" / "transpose.cu"
    data = page_data.page(analysed(path, estimate=True), (), Sources({}))
    assert [kernel["name"] for kernel in data["kernels"]] == [
        "transpose_naive",
        "transpose_tiled",
        "transpose_padded",
    ]
    counted = page_data.page(analysed(path), (), Sources({}))["kernels"]
    assert [kernel["name"] for kernel in counted] == [
        "transpose_tiled",
        "transpose_naive",
        "transpose_padded",
    ]
    assert [kernel["time"] for kernel in counted] == [None, None, None]
    tiled = data["kernels"][1]
    assert tiled["wavefronts"]["text"] == "4,325,376" and tiled["wavefronts"]["level"] == 3
    assert data["kernels"][2]["wavefronts"] == {
        "total": 262144.0,
        "text": "262,144",
        "ideal": "262,144",
        "worst": 1.0,
        "level": 0,
    }


@pytest.mark.parametrize(
    ("ratio", "level"), [(None, None), (1.0, 0), (1.25, 1), (2.0, 2), (7.9, 2), (8.0, 3), (32.0, 3)]
)
def test_levels(ratio: float | None, level: int | None) -> None:
    assert page_data.level(ratio) == level


@pytest.mark.slow
def test_check_shows_its_findings_on_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sample = str(ROOT / "samples" / "transpose.cu")
    for _ in range(2):  # worked out, and out of the cache
        page, found = tmp_path / "a.html", tmp_path / "a.json"
        assert (
            main.main(
                [
                    "check",
                    sample,
                    "--output-format",
                    "html",
                    "-o",
                    str(page),
                    "--also",
                    f"json={found}",
                ]
            )
            == 1
        )
        data, listed = (
            Page(page.read_text(encoding="utf-8")).data,
            json.loads(found.read_text(encoding="utf-8"))["findings"],
        )
        assert [one["message"] for one in data["findings"]] == [
            one["message"] for one in listed
        ] and len(listed) == 2
        assert data["kernels"][0]["time"]
    assert (
        main.main([sample, "--output-format", "concise", "--also", f"html={tmp_path / 'b.html'}"])
        == 1
    )
    assert Page((tmp_path / "b.html").read_text(encoding="utf-8")).data == data


@pytest.mark.slow
def test_report_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "a.html"
    assert (
        main.main(
            [
                "report",
                str(ROOT / "samples" / "strides.cl"),
                "--output-format",
                "html",
                "-o",
                str(page),
                "--no-cache",
            ]
        )
        == 0
    )
    assert Page(page.read_text(encoding="utf-8")).data["findings"] == []
    (tmp_path / "binary.cu").write_bytes(b"\0\1\2")
    assert (
        main.main(
            [
                "report",
                str(tmp_path / "binary.cu"),
                "--output-format",
                "html",
                "-o",
                str(page),
                "--no-cache",
            ]
        )
        == 1
    )
    assert Page(page.read_text(encoding="utf-8")).data["problems"]


# ------------------------------------------------------------------ in the terminal


def mapped(line: int, style: Style) -> str:
    return derivation.render(made.REPORT, line, style, drawn=True)


@pytest.mark.parametrize(
    ("name", "line", "style"),
    [
        ("map11.txt", 11, Style()),
        ("map11_ascii.txt", 11, Style(unicode=False)),
        ("map8.txt", 8, Style()),
        ("map12.txt", 12, Style()),
    ],
)
def test_golden_maps(name: str, line: int, style: Style) -> None:
    assert mapped(line, style) == (GOLDEN / name).read_text(encoding="utf-8")


def test_colour_adds_nothing_but_colour() -> None:
    assert re.sub(r"\x1b\[[0-9;]*m", "", mapped(11, Style(color=True))) == mapped(11, Style())
    assert "\x1b[1;31m██" in mapped(11, Style(color=True)), (
        "32 words of a bank are as red as an error"
    )
    assert mapped(11, Style(unicode=False)).isascii()


@pytest.mark.parametrize("columns", [50, 64, 72, 80, 120])
@pytest.mark.parametrize("device", ["h100", "gtx-285", "mi300x"])
def test_drawings_are_no_wider_than_the_terminal(columns: int, device: str) -> None:
    lanes = tuple(4096 * lane + 80_000 for lane in range(resolve(device).warp_lanes))
    for space, width in (
        ("shared", 4),
        ("shared", 16),
        ("global", 4),
        ("local", 8),
        ("constant", 4),
    ):
        example = facts.Example((0, 0, 0), 0, lanes, 32)
        access = replace(
            made.shared("tile[threadIdx.x][threadIdx.y + j]"),
            space=space,
            bytes=width,
            example=example,
        )
        if space == "constant" and resolve(device).warp_lanes > columns - 16:
            continue  # a cell for each lane, and the numbers of their words
        drawn = list(terminal_map.render(access, resolve(device), Style(width=columns)))
        assert drawn and max(map(len, drawn)) <= columns, max(drawn, key=len)


def test_narrow_cells_count_on_two_lines() -> None:
    drawn = list(terminal_map.render(made.COLUMN_LOAD, DEVICE, Style(width=60)))
    assert drawn[0] == "  bank 0       8       16      24"
    assert drawn[1] == "     0 █" + "·" * 31 and drawn[33:35] == ["       3", " words 2"]


def test_the_width_is_the_terminal_s() -> None:
    import io

    assert style_for(io.StringIO(), "never", {}).width == 80
    assert style_for(io.StringIO(), "never", {"COLUMNS": "60"}).width == 60
    assert style_for(io.StringIO(), "auto", {"COLUMNS": "wide"}).width == 80


def test_an_access_without_an_example_has_no_map() -> None:
    bare = replace(made.shared("tile[threadIdx.x][threadIdx.y + j]"), example=None)
    assert list(terminal_map.render(bare, DEVICE, Style())) == []


def test_map_needs_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["report", "a.cu", "--map"]) == 2
    assert "--line" in capsys.readouterr().err
    assert main.main(["report", "a.cu", "--line", "3", "--output-format", "html"]) == 2
