"""Pictures of pages, to be looked at.

python -m tests.browser.pictures FOLDER     the samples in both widths, dark and light, and printed
python -m tests.browser.pictures --docs     those that docs/report.md and README.md show
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.browser.chromium import Chromium
from tests.browser.samples import DESKTOP, PHONE, page_of
from tests.places import DOCS

IMAGES = DOCS / "images"
OPENED = (  # sample, kernel, what is opened there
    ("samples/transpose.cu", "transpose_tiled", "#source .chip.l3"),
    ("samples/reduction.cu", "sum_version1", "#source .chip.branch.l3"),
    ("samples/faults.cu", "sums", "#source .chip.fault"),
    ("samples/strides.cl", "global_stride16", "#source .chip.l3"),
)


def take(browser: Chromium, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for source, kernel, chip in OPENED:
        name = Path(source).name
        at = page_of(folder / f"{name}.html", "report", source)
        for width, height in (DESKTOP, PHONE):
            for scheme in ("dark", "light"):
                with browser.page(at, width, height, scheme) as page:
                    page.choose("#kernel", kernel)
                    page.screenshot(folder / f"{name}-{width}-{scheme}.png")
                    page.click(chip)
                    page.screenshot(folder / f"{name}-{width}-{scheme}-open.png")
        with browser.page(at, 800, 1100) as page:
            page.choose("#kernel", kernel)
            page.click(chip)
            page.call("Emulation.setEmulatedMedia", media="print")
            page.screenshot(folder / f"{name}-printed.png", whole=True)


def take_for_docs(browser: Chromium, folder: Path) -> None:
    at = page_of(folder / "transpose.html", "check", "samples/transpose.cu")
    with browser.page(at, 1280, 1090) as page:
        page.choose("#kernel", "transpose_tiled")
        page.click("#source .chip.l3")
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(IMAGES / "page.png")
    with browser.page(at, *PHONE, scheme="dark") as page:
        page.choose("#kernel", "transpose_tiled")
        page.click("#source .chip.l3")
        page.screenshot(IMAGES / "page-phone.png")
    at = page_of(folder / "reduction.html", "report", "samples/reduction.cu")
    with browser.page(at, 1280, 900) as page:
        page.choose("#kernel", "sum_version1")
        page.click("#source .chip.branch.l3")
        box = page.box("#detail")
        page.screenshot(IMAGES / "page-ways.png", part=box)
    at = page_of(folder / "faults.html", "check", "samples/faults.cu")
    with browser.page(at, 1280, 900) as page:
        page.choose("#kernel", "sums")
        page.click("#source .chip.fault")
        box = page.box("#detail")
        page.screenshot(IMAGES / "page-race.png", part=box)


def main(words: list[str]) -> int:
    if len(words) != 1:
        print(__doc__)
        return 2
    with tempfile.TemporaryDirectory() as folder, Chromium() as browser:
        if words == ["--docs"]:
            take_for_docs(browser, Path(folder))
        else:
            take(browser, Path(words[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
