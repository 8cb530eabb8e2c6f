"""Clicks through the page of two samples in a real browser. Run by hand, since no package of pip's brings a browser:

    pip install playwright          (and a Chromium: `apt install chromium`, or `playwright install chromium`)
    python -m tests.browser.click_through [--browser /usr/bin/chromium] [--pictures FOLDER]

Prints what it checked and exits with 1 at the first thing that is not as it should be. `--pictures` writes screenshots at 1280x900 and
390x844, dark and light. The last recorded run stands in tests/browser/README.md.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kernlint import cli

ROOT = Path(__file__).parent.parent.parent
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
NASTY = "// </script><img src=x onerror=alert(1)> <!-- {{data}} \u2028 \U0001f600 &lt;\n"


def pages(folder: Path) -> dict[str, str]:
    """Addresses of pages by name: two samples, one with findings, and one with hostile text."""
    hostile = folder / "hostile.cu"
    hostile.write_text(NASTY + "__global__ void k(float *x) { x[threadIdx.x * 2] = 1; /* </script><b> */ }\n", encoding="utf-8")
    made = {}
    os.chdir(ROOT)  # the samples' names on the pages are those of the documentation
    for name, command, source in (
        ("transpose", "check", "samples/transpose.cu"),
        ("reduction", "report", "samples/reduction.cu"),
        ("hostile", "report", str(hostile)),
    ):
        path = folder / f"{name}.html"
        cli.main([command, source, "--output-format", "html", "-o", str(path), "--no-cache"])
        made[name] = path.as_uri()
    return made


class Browser:
    """Pages that fail the run when they print an error or ask for anything but themselves."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self.faults: list[str] = []

    def _asked(self, url: str, address: str) -> None:
        if url.split("#")[0] != address.split("#")[0]:
            self.faults.append(f"asked for {url}")

    @contextmanager
    def page(self, address: str, size: dict[str, int], scheme: str = "light") -> Iterator[Any]:
        page = self._browser.new_page(viewport=size, color_scheme=scheme)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: self.faults.append(message.text))
        page.on("dialog", lambda dialog: self.faults.append(f"a dialog: {dialog.message}"))
        page.on("request", lambda request: self._asked(request.url, address))
        page.goto(address)
        yield page
        page.close()
        assert not self.faults, self.faults


def text(page: Any, selector: str) -> str:
    return str(page.locator(selector).inner_text())


def kernels_are_ranked(browser: Browser, at: dict[str, str]) -> None:
    with browser.page(at["transpose"], DESKTOP) as page:
        names = page.locator("#kernels tbody button").all_inner_texts()
        assert names == ["transpose_naive", "transpose_tiled", "transpose_padded"], names
        page.get_by_role("button", name="transpose_tiled").click()
        assert page.locator("#kernels tr[aria-current=true] button").inner_text() == "transpose_tiled"
        assert "tile[threadIdx.x][threadIdx.y + j]" in text(page, "#source")


def an_access_opens_and_closes(browser: Browser, at: dict[str, str]) -> None:
    with browser.page(at["transpose"], DESKTOP) as page:
        page.select_option("#kernel", label="transpose_tiled")
        page.locator("#source .chip.l3").click()
        detail = text(page, "#detail")
        for said in ("32*threadIdx.x + threadIdx.y + j", "131,072", "32 per request, ideal 1", "KL101", "pad the rows by 1 element"):
            assert said in detail, said
        cells = page.locator("#detail svg rect")
        assert cells.count() == 32 and len({cell.get_attribute("x") for cell in cells.all()}) == 1, "all lanes in the column of one bank"
        page.get_by_role("button", name="rows of memory").click()
        assert page.locator("#detail svg rect.c3").count() == 32
        assert "1 of 32 banks are used" in str(page.locator("#detail svg").get_attribute("aria-label"))
        page.get_by_role("button", name="Close").click()
        assert page.locator("#detail").is_hidden()


def cache_lines_are_drawn(browser: Browser, at: dict[str, str]) -> None:
    with browser.page(at["transpose"], DESKTOP) as page:
        page.locator("#source .hit", has_text="out[x * n + y + j]").click()
        assert page.locator("#detail svg rect.sector").count() == 128, "32 lines of 4 sectors"
        assert page.locator("#detail svg rect.sector.used").count() == 32
        assert "12.5 %" in text(page, "#detail")


def keys_walk(browser: Browser, at: dict[str, str]) -> None:
    with browser.page(at["reduction"], DESKTOP) as page:
        shown = page.locator("#source .chip:visible").count()
        for _ in range(2):
            page.keyboard.press("j")
        assert page.evaluate("document.activeElement.dataset.item") == "1"
        page.keyboard.press("k")
        assert page.evaluate("document.activeElement.dataset.item") == "0"
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        assert "fs[js]" in text(page, "#detail h2")
        page.keyboard.press("j")
        assert "A[2048 * blockIdx.x + js]" in text(page, "#detail h2")
        page.keyboard.press("Escape")
        assert page.locator("#detail").is_hidden()
        assert page.evaluate("document.activeElement.dataset.item") == "2", "the focus is back where it was"
        page.keyboard.press("/")
        page.keyboard.type("B[blockIdx")
        assert 0 < page.locator("#source .chip:visible").count() < shown
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        assert "sum_version2" in text(page, "#source h3")
        page.keyboard.press("?")
        assert page.locator("#help").is_visible()
        page.keyboard.press("Escape")
        assert page.locator("#help").is_hidden()


def filters_filter(browser: Browser, at: dict[str, str]) -> None:
    with browser.page(at["reduction"], DESKTOP) as page:
        chips = page.locator("#source .chip:visible")
        everything = chips.count()
        page.uncheck("#space-shared")
        assert 0 < chips.count() < everything and "S ld" not in "".join(chips.all_inner_texts())
        page.check("#space-shared")
        page.uncheck("#status-exact")
        assert chips.count() and all("\u25cf" not in one for one in chips.all_inner_texts())
        page.check("#status-exact")
        page.check("#problems")
        assert 0 < chips.count() < everything and page.locator("#source .chip.l0:visible").count() == 0
        assert f"{chips.count()} of {everything} shown" == text(page, "#count")
        page.fill("#word", "sum_version2")
        page.uncheck("#problems")
        assert page.locator("#kernels tbody tr:visible").count() == 1
        assert "sum_version2" in text(page, "#source h3"), "the one kernel left is shown"


def findings_lead_to_lines(browser: Browser, at: dict[str, str]) -> None:
    with browser.page(at["transpose"], DESKTOP) as page:
        page.locator("#said summary").click()
        page.locator("#said li button").last.click()
        assert "transpose_tiled" in text(page, "#source h3") and "KL101" in text(page, "#detail")
        assert page.url.endswith("#k1a5"), page.url
    with browser.page(at["transpose"] + "#k1a5", DESKTOP) as page:
        assert "tile[threadIdx.x][threadIdx.y + j]" in text(page, "#detail h2"), "an address leads to its access"


def colours_change(browser: Browser, at: dict[str, str]) -> None:
    def back(page: Any) -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    with browser.page(at["transpose"], DESKTOP, "dark") as page:
        dark = back(page)
        page.keyboard.press("t")
        assert back(page) == dark and text(page, "#theme") == "dark"
        page.click("#theme")
        assert back(page) == "rgb(255, 255, 255)" and text(page, "#theme") == "light"
    with browser.page(at["transpose"], DESKTOP, "light") as page:
        assert back(page) == "rgb(255, 255, 255)" and dark != back(page)


def gaps_open(browser: Browser, at: dict[str, str]) -> None:
    with browser.page(at["transpose"], DESKTOP) as page:
        before = page.locator("#source tr.row").count()
        page.locator(".gap button").last.click()
        assert page.locator("#source tr.row").count() > before and "cudaMalloc" in text(page, "#source")


def a_phone_shows_all(browser: Browser, at: dict[str, str]) -> None:
    with browser.page(at["transpose"], PHONE) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], "nothing sticks out"
        page.select_option("#kernel", label="transpose_tiled")
        page.locator("#source .chip.l3").click()
        box = page.locator("#detail").bounding_box()
        assert (box["x"], box["y"], box["width"]) == (0, 0, PHONE["width"])
        assert page.locator("#detail").get_attribute("role") == "dialog"
        assert page.evaluate("document.querySelector('header').inert")
        drawn = page.locator("#detail svg").bounding_box()
        assert drawn["x"] >= 0 and drawn["x"] + drawn["width"] <= PHONE["width"]
        page.get_by_role("button", name="Close").click()
        assert page.locator("#detail").is_hidden() and not page.evaluate("document.querySelector('header').inert")


def hostile_text_is_text(browser: Browser, at: dict[str, str]) -> None:
    with browser.page(at["hostile"], DESKTOP) as page:
        for gap in page.locator(".gap button").all():
            gap.click()
        assert NASTY.strip() in page.locator("#source").text_content()
        assert page.locator("img, #source b:not(.chip b)").count() == 0


def every_control_has_a_name(browser: Browser, at: dict[str, str]) -> None:
    with browser.page(at["transpose"], DESKTOP) as page:
        page.locator("#source .chip").first.click()
        for one in page.locator("button, input, select").all():
            name = one.evaluate("e => e.ariaLabel || e.textContent || (e.labels && e.labels[0] && e.labels[0].innerText) || e.placeholder")
            assert name and name.strip(), one.evaluate("e => e.outerHTML")
        page.locator("#kernels tbody button").first.focus()
        page.keyboard.press("Tab")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid", "the focus is seen"


CHECKS: tuple[Callable[[Browser, dict[str, str]], None], ...] = (
    kernels_are_ranked,
    an_access_opens_and_closes,
    cache_lines_are_drawn,
    keys_walk,
    filters_filter,
    findings_lead_to_lines,
    colours_change,
    gaps_open,
    a_phone_shows_all,
    hostile_text_is_text,
    every_control_has_a_name,
)


def pictures(browser: Browser, at: dict[str, str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    chosen = {"transpose": ("transpose_tiled", ".chip.l3"), "reduction": ("sum_version1", ".chip.l3")}
    for name, (kernel, chip) in chosen.items():
        for size in (DESKTOP, PHONE):
            for scheme in ("dark", "light"):
                with browser.page(at[name], size, scheme) as page:
                    page.select_option("#kernel", label=kernel)
                    start = folder / f"{name}-{size['width']}-{scheme}"
                    page.screenshot(path=f"{start}.png")
                    page.locator(f"#source {chip}").first.click()
                    page.screenshot(path=f"{start}-open.png")


def main() -> int:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--browser", default=shutil.which("chromium") or shutil.which("google-chrome"))
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=options.browser)
        at, browser = pages(Path(folder)), Browser(chromium)
        for check in CHECKS:
            check(browser, at)
            print(f"ok  {check.__name__.replace('_', ' ')}")
        if options.pictures:
            pictures(browser, at, options.pictures)
        print(f"{len(CHECKS)} passed in Chromium {chromium.version}")
        chromium.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
