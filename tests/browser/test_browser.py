"""The page in a real browser: clicked through, walked by keys, at desktop and phone width. Every
page that is left must have printed no error, opened no dialog and asked for nothing but itself
(tests/browser/chromium.py)."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from kernlint.cli import main
from tests.browser.chromium import Chromium, Page
from tests.browser.samples import DESKTOP, PHONE, ROOT, page_of
from tests.support.needs import chromium

pytestmark = [chromium, pytest.mark.slow]
NASTY = "// </script><img src=x onerror=alert(1)> <!-- {{data}} \u2028 \U0001f600 &lt;\n"
HOSTILE = NASTY + "__global__ void k(float *x) { x[threadIdx.x * 2] = 1; /* </script><b> */ }\n"
TWIN = """\
// kernlint: launch(grid=64, block=256)
__global__ void twin(float *x) { x[(blockIdx.x * blockDim.x + threadIdx.x) * FACTOR] = 1; }
"""
WAYS = """\
// kernlint: launch(grid=4, block=96)
__global__ void ways(float *x, const int *d)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = d[t];
    x[t] = s[7] + s[2 * (t % 32)];
    switch (t % 4) {
    case 0: x[t] = 2; break;
    case 3: x[t] = 5; break;
    }
    if (d[t]) x[t] = 5;
    if (t < 40) x[t] = 7;
}
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with Chromium() as running:
        yield running


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Addresses of pages by name."""
    folder = tmp_path_factory.mktemp("pages")
    step = "    s[(t * {0}) % 4096] = y[i * {0}];\n    __syncthreads();\n    if (t % {0} == 0) x[i + {0}] += s[t + {0}];\n"
    body = (
        "    __shared__ float s[4096];\n    int t = threadIdx.x, i = blockIdx.x * 256 + t;\n"
        + "".join(map(step.format, range(1, 21)))
    )
    texts = {
        "hostile": HOSTILE,
        "ways": WAYS,
        "large": "".join(
            f"__global__ void k{n}(float *x, const float *y) {{\n{body}}}\n" for n in range(4)
        ),
        "unknown": "__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[2 * i] = 1; }\n",
        "broken": "__global__ void broken(float *x) { int i = threadIdx.x +; }\n",
    }
    for name, text in texts.items():
        (folder / f"{name}.cu").write_text(text, encoding="utf-8")
    made = {
        name: page_of(folder / f"{name}.html", "report", str(folder / f"{name}.cu"))
        for name in texts
    }
    made["transpose"] = page_of(folder / "transpose.html", "check", "samples/transpose.cu")
    made["reduction"] = page_of(folder / "reduction.html", "report", "samples/reduction.cu")
    made["faults"] = page_of(folder / "faults.html", "check", "samples/faults.cu")
    made["opencl"] = page_of(
        folder / "opencl.html", "report", "samples/strides.cl", options=("--device", "gtx-285")
    )
    made["many"] = page_of(
        folder / "many.html",
        "check",
        *(f"samples/{name}" for name in ("transpose.cl", "transpose.cu", "branches.cu")),
    )
    for name, factor in (("first", 32), ("second", 1)):
        (folder / f"{name}.cu").write_text(TWIN.replace("FACTOR", str(factor)), encoding="utf-8")
    made["twins"] = page_of(
        folder / "twins.html",
        "check",
        *(str(folder / f"{name}.cu") for name in ("first", "second")),
    )
    return made


def shown(page: Page) -> int:
    return page.count("#source .chip")


def test_kernels_are_ranked(browser: Chromium, at: dict[str, str]) -> None:
    with browser.page(at["transpose"], *DESKTOP) as page:
        assert page.texts("#kernels tbody button") == [
            "transpose_naive",
            "transpose_tiled",
            "transpose_padded",
        ]
        page.click("#kernels tbody button", "transpose_tiled")
        assert page.text("#kernels tr[aria-current=true] button") == "transpose_tiled"
        assert "tile[threadIdx.x][threadIdx.y + j]" in page.text("#source")
    with browser.page(at["many"], *DESKTOP) as page:
        times = [float(text.split()[0]) for text in page.texts("#kernels td:nth-child(2)")]
        assert len(times) > 8 and times == sorted(times, reverse=True)
        wide = [
            float(text.removeprefix("width:").removesuffix("%"))
            for text in page.attributes("#kernels .bar i", "style")
        ]
        assert wide[0] == 100 and wide == sorted(wide, reverse=True)


def test_kernels_of_one_name_keep_to_their_files(browser: Chromium, at: dict[str, str]) -> None:
    with browser.page(at["twins"], *DESKTOP) as page:
        places = page.texts("#kernels tbody td:first-child small")
        assert [place.partition(": ")[0].rpartition("/")[2] for place in places] == [
            "first.cu",
            "second.cu",
        ]
        assert page.texts("#kernels tbody td:last-child") == ["1", "0"]
        choices = page.evaluate(
            "[...document.querySelectorAll('#kernel option')].map((option) => option.textContent)"
        )
        assert [choice.partition(": ")[0].rpartition("/")[2] for choice in choices] == [
            "first.cu",
            "second.cu",
        ]


def test_the_margin_has_the_report_s_numbers(
    browser: Chromium, at: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main.main(
            [
                "report",
                str(ROOT / "samples" / "transpose.cu"),
                "--output-format",
                "json",
                "--no-cache",
            ]
        )
        == 0
    )
    kernels = json.loads(capsys.readouterr().out)["files"][0]["kernels"]
    with browser.page(at["transpose"], *DESKTOP) as page:
        for kernel in kernels:
            page.choose("#kernel", kernel["name"])
            for access in kernel["accesses"]:
                counts = access["wavefronts"] if access["space"] == "shared" else access["sectors"]
                short = f"{access['space'][0].upper()} {'ld' if access['op'] == 'load' else 'st'}{counts['mean']:g}/{counts['ideal']:g}"
                chips = page.texts(f'#source tr[data-line$=":{access["line"]}"] .chip')
                assert any(short in chip for chip in chips), (short, chips)


def test_a_bank_map_opens_and_closes(browser: Chromium, at: dict[str, str]) -> None:
    with browser.page(at["transpose"], *DESKTOP) as page:
        page.choose("#kernel", "transpose_tiled")
        page.click("#source .chip.l3")
        detail = page.text("#detail")
        for said in (
            "32*threadIdx.x + threadIdx.y + j",
            "131,072",
            "32 per request, ideal 1",
            "KL101",
            "pad the rows by 1 element",
        ):
            assert said in detail, said
        assert page.attributes("#source .chip.l3", "aria-expanded") == ["true"]
        cells = page.attributes("#detail svg rect.c3", "x")
        assert len(cells) == 32 and len(set(cells)) == 1, "all lanes in the column of one bank"
        assert page.texts("#detail svg text.on-c3") == ["32"] * 32, (
            "what the colour says stands in the cell too"
        )
        conflict = page.style("#detail svg rect.c3", "fill")
        page.click(".views button", "rows of memory")
        assert page.count("#detail svg rect.c3") == 32 and page.texts("#detail svg text.in") == [
            str(lane) for lane in range(32)
        ]
        assert page.attributes("#detail svg", "aria-label") == [
            "1 of 32 banks are used; the worst serves 32 words in one pass"
        ]
        drawn = page.box("#detail svg")
        assert drawn["y"] >= 0 and drawn["y"] + drawn["height"] <= DESKTOP[1], (
            "seen whole, without scrolling"
        )
        page.click("#detail .close")
        assert page.count("#detail") == 0
        page.click("#source .hit", "tile[threadIdx.y + j][threadIdx.x]")
        assert (
            page.count("#detail svg rect.c0") == 32 and page.count("#detail svg rect:not(.c0)") == 0
        )
        assert page.style("#detail svg rect.c0", "fill") != conflict


def test_words_that_lanes_share_are_no_conflict(browser: Chromium, at: dict[str, str]) -> None:
    with browser.page(at["ways"], *DESKTOP) as page:
        page.click("#source .hit", "s[7]")
        assert (
            page.count("#detail svg rect.cs") == 32
            and page.texts("#detail svg text.on-cs") == ["="] * 32
        )
        assert page.texts("#detail .legend span") == ["=one word for several lanes"]
        page.click("#source .hit", "s[2 * (t % 32)]")
        assert (
            page.count("#detail svg rect.c1") == 32
            and page.texts("#detail svg text.on-c1") == ["2"] * 32
        )


def test_cache_lines_are_drawn(browser: Chromium, at: dict[str, str]) -> None:
    with browser.page(at["transpose"], *DESKTOP) as page:
        page.click("#source .hit", "out[x * n + y + j]")
        assert page.count("#detail svg rect.sector") == 128, "32 lines of 4 sectors"
        assert (
            page.count("#detail svg rect.sector.used") == 32
            and page.count("#detail svg rect.c0") == 32
        )
        assert "12.5 %" in page.text("#detail")


def test_the_ways_of_the_lanes_are_drawn_at_a_branch(browser: Chromium, at: dict[str, str]) -> None:
    with browser.page(at["reduction"], *DESKTOP) as page:
        page.choose("#kernel", "sum_version1")
        page.click("#source .chip.branch.l3")
        assert page.text("#detail h2") == "if (t % (2 * stride) == 0)"
        assert (
            page.count("#detail svg rect.w1") == 16 + 8 + 4 + 2 + 1
            and page.count("#detail svg rect") == 6 * 32
        )
        assert page.count("#detail svg text.parted") == 5, "in the last row no lane goes"
        assert "lanes disagree in 385,024 of 524,288 evaluations by warps (exact)" in page.text(
            "#detail"
        )
        page.click("#detail summary", "In words")
        first = page.texts("#detail .inwords tr")[0]
        assert (
            first.startswith("warps 0-7, 65,536 times")
            and "the condition holds: lanes 0, 2, 4, 6" in first
        )
    with browser.page(at["ways"], *DESKTOP, scheme="dark") as page:
        page.click("#source .chip.branch", number=0)
        assert page.text("#detail h2") == "switch (t % 4)"
        assert page.texts("#detail .legend span") == [
            "1case 0",
            "2case 3",
            "0no case",
            "\u25c6\u00a0lanes disagree",
        ]
        assert page.texts("#detail svg text.in") == ["1", "0", "0", "2"] * 8
        page.click("#source .chip.branch", number=1)
        assert (
            "which path each lane takes is unknown: depends on a value loaded from memory: d[t]"
            in page.text("#detail")
        )
        assert page.count("#detail svg") == 0
        page.click("#source .chip.branch", number=2)
        assert (
            page.count("#detail svg rect.w1") == 32 + 8
            and page.count("#detail svg rect.w0") == 24 + 32
        )
        assert page.texts("#detail svg text.parted") == ["\u25c6"]


def test_a_race_is_two_threads_and_the_missing_barrier(
    browser: Chromium, at: dict[str, str]
) -> None:
    for scheme in ("light", "dark"):
        with browser.page(at["faults"], *DESKTOP, scheme=scheme) as page:
            page.choose("#kernel", "sums")
            page.click("#source .chip.fault")
            assert page.text("#detail h2") == "race on element 0 of `tile`"
            assert page.texts("#detail svg text.most") == ["thread (224, 0, 0)", "thread (0, 0, 0)"]
            assert page.texts("#detail svg text.in.race") == [
                "line 14 reads",
                "tile[(t + 32 * j) % 256]",
                "line 11 writes",
                "tile[t]",
            ]
            assert page.texts("#detail svg text.lacks") == ["no barrier at the end of the loop"]
            assert page.count("#detail svg line.wait") == 4, "a barrier before and one behind"
            assert "KL810" in page.text("#detail")
            assert page.style("#detail svg rect.c3", "fill") != page.style("body", "color")
            page.click("#detail summary", "In words")
            assert page.texts("#detail .inwords tr")[1].endswith(
                "line 14 reads tile[(t + 32 * j) % 256]"
            )
            page.choose("#kernel", "sums_ordered")
            assert page.count("#source .chip.fault") == 0


def test_what_leaves_an_array_is_drawn_beside_its_range(
    browser: Chromium, at: dict[str, str]
) -> None:
    with browser.page(at["faults"], *DESKTOP) as page:
        page.choose("#kernel", "scaled")
        assert page.texts("#source .chip.fault") == ["\u25cfoutside"] * 2
        page.click("#source .chip.fault")
        assert page.text("#detail h2") == "out[i] leaves `out`"
        inside, outside = (page.box(f"#detail svg rect.{kind}") for kind in ("c0", "c3"))
        assert abs(inside["x"] + inside["width"] - outside["x"]) < 1
        assert page.texts("#detail svg text.most") == ["100,095"]
        assert page.texts("#detail .legend span") == ["inside", "outside"]
        page.click("#source .hit", "out[i]")
        assert page.text("#detail h2") == "out[i]" and "KL804" in page.text("#detail")


def test_keys_walk(browser: Chromium, at: dict[str, str]) -> None:
    focus = "document.activeElement.dataset.item"
    with browser.page(at["reduction"], *DESKTOP) as page:
        everything = shown(page)
        page.press("j", "j")
        assert page.evaluate(focus) == "1"
        page.press("k")
        assert page.evaluate(focus) == "0"
        page.press("j", "Enter")
        assert page.text("#detail h2") == "fs[js]"
        page.press("j")
        assert page.text("#detail h2") == "A[2048 * blockIdx.x + js]"
        page.press("Escape")
        assert page.count("#detail") == 0 and page.evaluate(focus) == "2", (
            "the focus is back where it was"
        )
        page.press("/")
        page.type("B[blockIdx")
        assert 0 < shown(page) < everything
        page.press("Escape", "n")
        assert "sum_version2" in page.text("#source h3")
        page.press("p")
        assert "sum_version1" in page.text("#source h3")
        page.press("?")
        assert page.count("#help") == 1
        page.press("Escape")
        assert page.count("#help") == 0


def test_filters_filter(browser: Chromium, at: dict[str, str]) -> None:
    with browser.page(at["reduction"], *DESKTOP) as page:
        everything = shown(page)
        page.click("#space-shared")
        assert 0 < shown(page) < everything and "S ld" not in "".join(page.texts("#source .chip"))
        page.click("#space-shared")
        page.click("#status-exact")
        assert shown(page) and all("\u25cf" not in chip for chip in page.texts("#source .chip"))
        page.click("#status-exact")
        page.click("#problems")
        assert 0 < shown(page) < everything and page.count("#source .chip.l0") == 0
        assert page.text("#count") == f"{shown(page)} of {everything} shown"
        page.click("#problems")
        page.click("#word")
        page.type("sum_version2")
        assert page.count("#kernels tbody tr") == 1
        assert "sum_version2" in page.text("#source h3"), "the one kernel left is shown"


def test_findings_lead_to_lines(browser: Chromium, at: dict[str, str]) -> None:
    with browser.page(at["transpose"], *DESKTOP) as page:
        assert page.text("#said summary") == "Findings: 2 warnings"
        page.click("#said summary")
        page.click("#said li button", number=-1)
        assert "transpose_tiled" in page.text("#source h3") and "KL101" in page.text("#detail")
        assert page.evaluate("location.hash") == "#k1a5"
    with browser.page(at["transpose"] + "#k1a5", *DESKTOP) as page:
        assert page.text("#detail h2") == "tile[threadIdx.x][threadIdx.y + j]", (
            "an address leads to its access"
        )


def test_colours_change(browser: Chromium, at: dict[str, str]) -> None:
    def back(page: Page) -> str:
        return page.style("body", "backgroundColor")

    with browser.page(at["transpose"], *DESKTOP, scheme="dark") as page:
        dark = back(page)
        page.press("t")
        assert back(page) == dark and page.text("#theme") == "colours: dark"
        page.click("#theme")
        assert back(page) == "rgb(255, 255, 255)" and page.text("#theme") == "colours: light"
    with browser.page(at["transpose"], *DESKTOP, scheme="light") as page:
        assert back(page) == "rgb(255, 255, 255)" and dark != back(page)


def test_gaps_open(browser: Chromium, at: dict[str, str]) -> None:
    with browser.page(at["transpose"], *DESKTOP) as page:
        before = page.count("#source tr.row")
        page.click(".gap button", number=-1)
        assert page.count("#source tr.row") > before and "cudaMalloc" in page.text("#source")


PAGES = (
    "transpose",
    "faults",
    "reduction",
    "opencl",
    "many",
    "ways",
    "large",
    "unknown",
    "broken",
    "hostile",
)


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_shows_all(browser: Chromium, at: dict[str, str], name: str) -> None:
    with browser.page(at[name], *PHONE) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0], (
            "nothing sticks out"
        )
        if not page.count("#source .chip"):
            assert (
                name == "broken" and page.count("#filters") == 0 and "KL001" in page.text("#said")
            )
            return
        page.click("#source .chip", number=-1)
        box = page.box("#detail")
        assert (box["x"], box["y"], box["width"]) == (0, 0, PHONE[0])
        assert page.attributes("#detail", "role") == ["dialog"] and page.evaluate(
            "document.querySelector('header').inert"
        )
        assert page.evaluate("document.querySelector('#detail').scrollWidth") <= PHONE[0]
        if page.count("#detail svg"):
            drawn = page.box("#detail svg")
            assert drawn["x"] >= 0 and drawn["x"] + drawn["width"] <= PHONE[0]
        page.click("#detail .close")
        assert page.count("#detail") == 0 and not page.evaluate(
            "document.querySelector('header').inert"
        )


def test_a_page_becomes_narrow(browser: Chromium, at: dict[str, str]) -> None:
    with browser.page(at["transpose"], *DESKTOP) as page:
        page.choose("#kernel", "transpose_tiled")
        assert page.evaluate("document.querySelector('tr.find td:last-child').colSpan") == 1
        page.resize(*PHONE)
        page.evaluate("new Promise(requestAnimationFrame)")
        assert "transpose_tiled" in page.text("#source h3")
        assert page.evaluate("document.querySelector('tr.find td:last-child').colSpan") == 3


def test_opencl_speaks_its_language(browser: Chromium, at: dict[str, str]) -> None:
    with browser.page(at["opencl"], *DESKTOP) as page:
        page.choose("#kernel", "local_strides")
        assert {"local: wavefronts", "sub-groups that split"} <= set(page.texts("#kernels th"))
        page.click("#source .hit", "s[lid * 16]")
        assert (
            page.count("#detail svg rect.c3") == 16
            and page.texts("#detail svg text.on-c3") == ["16"] * 16
        )
        assert "1 of 16 banks are used" in page.attributes("#detail svg", "aria-label")[0]
        assert page.texts("#source .chip[aria-expanded=true]") == ["\u25cfL ld16/116x"]
        page.choose("#kernel", "global_stride16")
        page.click("#source .hit", "in[")
        assert page.count("#detail svg rect.sector.used") == 16, "a sector for each work-item"


def test_an_unknown_launch_is_told_for_a_block(browser: Chromium, at: dict[str, str]) -> None:
    with browser.page(at["unknown"], *DESKTOP) as page:
        assert "64 per block" in page.text("#kernels tbody") and "grid unknown" in page.text(
            "#kernels tbody"
        )


def test_a_file_without_kernels_says_why(browser: Chromium, at: dict[str, str]) -> None:
    with browser.page(at["broken"], *DESKTOP) as page:
        assert "No kernel was analysed" in page.text("#kernels") and "KL001" in page.text(
            "#said li"
        )
        assert page.count("#filters") == 0 and page.count("#source") == 0


def test_a_large_page_is_walked(browser: Chromium, at: dict[str, str]) -> None:
    with browser.page(at["large"], *DESKTOP) as page:
        assert (
            page.evaluate("everyItem.flat().filter((item) => item.kind === 'access').length") > 300
        )
        page.press(*["j"] * 30, "Enter")
        assert page.count("#detail") == 1
        top = page.evaluate(
            "document.querySelector('.chip[aria-expanded=true]').getBoundingClientRect().top"
        )
        assert 0 <= top <= DESKTOP[1], "the line of what is open is in sight"


def test_hostile_text_is_text(browser: Chromium, at: dict[str, str]) -> None:
    with browser.page(at["hostile"], *DESKTOP) as page:
        while page.count(".gap button"):
            page.click(".gap button")
        assert NASTY.strip() in page.text("#source")
        assert page.evaluate("document.querySelectorAll('img, #source b:not(.chip b)').length") == 0


def test_every_control_has_a_name_and_shows_its_focus(
    browser: Chromium, at: dict[str, str]
) -> None:
    with browser.page(at["transpose"], *DESKTOP) as page:
        page.click("#source .chip")
        named = "e => (e.ariaLabel || e.textContent || (e.labels && e.labels[0] && e.labels[0].innerText) || e.placeholder || '').trim()"
        controls = "[...document.querySelectorAll('button, input, select')]"
        assert (
            page.evaluate(f"{controls}.filter((e) => !({named})(e)).map((e) => e.outerHTML)") == []
        )
        assert all(page.attributes("svg[role=img]", "aria-label"))
        page.evaluate("document.querySelector('#kernels tbody button').focus()")
        page.press("Tab")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid", (
            "the focus is seen"
        )


def test_colours_can_be_read(browser: Chromium, at: dict[str, str]) -> None:
    """Contrast by the formula of WCAG 2: 4.5 for text, 3 for what stands in a cell."""
    contrast = """(selector, behind) => {
      const part = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
      const parts = (text) => text.match(/[0-9.]+/g).slice(0, 3).map((one) => part(one / 255));
      const light = (text) => parts(text).reduce((sum, one, i) => sum + [0.2126, 0.7152, 0.0722][i] * one, 0);
      return [...document.querySelectorAll(selector)].map((one) => {
        const style = getComputedStyle(one), fill = behind ? getComputedStyle(one.previousElementSibling).fill : style.backgroundColor;
        const [low, high] = [light(behind ? style.fill : style.color), light(fill)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
      });
    }"""
    for scheme in ("light", "dark"):
        with browser.page(at["ways"], *DESKTOP, scheme=scheme) as page:
            assert min(page.evaluate(contrast, "#source .chip:not(.branch.l0)", False)) >= 4.5
            for code in ("s[7]", "s[2 * (t % 32)]"):
                page.click("#source .hit", code)
                assert min(page.evaluate(contrast, "#detail svg text.in", True)) >= 3
            page.click("#source .chip.branch", number=0)
            assert min(page.evaluate(contrast, "#detail svg text.in", True)) >= 3
        with browser.page(at["transpose"], *DESKTOP, scheme=scheme) as page:
            page.choose("#kernel", "transpose_tiled")
            page.click("#source .chip.l3")
            assert min(page.evaluate(contrast, "#detail svg text.in", True)) >= 3
        with browser.page(at["faults"], *DESKTOP, scheme=scheme) as page:
            page.choose("#kernel", "sums")
            assert min(page.evaluate(contrast, "#source .chip.fault", False)) >= 4.5
            page.click("#source .chip.fault")
            assert min(page.evaluate(contrast, "#detail svg rect + text.in", True)) >= 3


def test_print_shows_what_is_open_and_no_controls(browser: Chromium, at: dict[str, str]) -> None:
    with browser.page(at["transpose"], *DESKTOP, scheme="dark") as page:
        page.choose("#kernel", "transpose_tiled")
        page.click("#source .chip.l3")
        page.call(
            "Emulation.setEmulatedMedia",
            media="print",
            features=[{"name": "prefers-color-scheme", "value": "dark"}],
        )
        assert (
            page.count("#filters")
            == page.count("header button")
            == page.count(".views")
            == page.count(".gap button")
            == 0
        )
        assert (
            page.count("#detail svg") == 1
            and page.style("body", "backgroundColor") == "rgb(255, 255, 255)"
        )
        assert (
            page.box("#detail")["y"] > page.box("#source")["y"] + page.box("#source")["height"]
        ), "below the source, not over it"
