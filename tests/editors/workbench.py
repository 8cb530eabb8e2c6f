"""The extension in VS Code's own workbench, in a real browser. Run by hand: it needs some 400 MB of
npm packages and a browser.

    python -m tests.editors.workbench --code-server .../node_modules/code-server/out/node/entry.js [--pictures FOLDER]

Builds and installs the extension, opens a sample and does what a person does; prints what it
checked, exits with 1 at the first thing that is not as it should be. tests/editors/README.md tells
how to get code-server, and of the last run.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.places import ROOT

CONFLICT = "tile[threadIdx.x][threadIdx.y"
PATIENCE = 180_000  # milliseconds for whatever the workbench is to show
SETTINGS = {
    "workbench.startupEditor": "none",
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
}


def built(folder: Path) -> Path:
    """The packaged extension, made in a copy of its folder."""
    ignored = shutil.ignore_patterns("node_modules", "*.vsix", "package-lock.json")
    made = Path(shutil.copytree(ROOT / "editors" / "vscode", folder / "extension", ignore=ignored))
    for words in (["install"], ["run", "bundle"], ["run", "package"]):
        subprocess.run(["npm", *words], cwd=made, check=True, capture_output=True)
    return made / "kernlint.vsix"


@contextmanager
def workbench(entry: str, server: Sequence[str], folder: Path) -> Iterator[str]:
    """The address of code-server with the extension, over a folder that holds the sample."""
    user = folder / "data" / "User"
    user.mkdir(parents=True)
    (user / "settings.json").write_text(json.dumps(SETTINGS | {"kernlint.command": list(server)}))
    (folder / "config.yaml").touch()
    (folder / "project").mkdir()
    shutil.copy(ROOT / "samples" / "transpose.cu", folder / "project")
    places = [
        "--user-data-dir",
        str(folder / "data"),
        "--extensions-dir",
        str(folder / "extensions"),
        "--config",
        str(folder / "config.yaml"),
    ]
    command = ["node", entry, *places] if entry.endswith(".js") else [entry, *places]
    subprocess.run(
        [*command, "--install-extension", str(built(folder))], check=True, capture_output=True
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    quiet = [
        "--auth",
        "none",
        "--disable-telemetry",
        "--disable-update-check",
        "--disable-workspace-trust",
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    running = subprocess.Popen(
        [*command, *quiet, "--bind-addr", f"127.0.0.1:{port}"],
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    try:
        address = f"http://127.0.0.1:{port}/"
        for _ in range(100):
            try:
                urllib.request.urlopen(address).close()
                break
            except OSError:
                time.sleep(0.2)
        yield f"{address}?folder={folder / 'project'}"
    finally:
        running.terminate()
        running.wait()


def go_to(page: Any, place: str) -> None:
    page.keyboard.press("Control+G")
    page.keyboard.type(place)
    page.keyboard.press("Enter")
    page.wait_for_timeout(500)


def session(page: Any, address: str, file: Path, pictures: Path | None) -> Iterator[str]:
    """What a person does with a sample; a line for each thing that was as it should be."""

    def picture(name: str) -> None:
        if pictures is not None:
            page.wait_for_timeout(1500)
            page.screenshot(path=str(pictures / f"{name}.png"))

    page.goto(address)
    entry = page.get_by_role("treeitem", name="transpose.cu")
    entry.wait_for(timeout=PATIENCE)
    entry.dblclick()
    page.locator(".squiggly-warning").nth(1).wait_for(timeout=PATIENCE)
    yield "diagnostics are underlined"
    lenses = page.locator(".codelens-decoration")
    lenses.nth(1).wait_for(timeout=PATIENCE)
    costs = [lens.inner_text() for lens in lenses.all()]
    assert any(text.startswith("about ") and "bank conflicts 94" in text for text in costs), costs
    yield "a line above each kernel says what it costs"
    line = page.locator(".view-line", has_text=CONFLICT).first
    assert "32-way" in line.inner_text() and "sectors" in line.inner_text()
    yield "accesses are followed by their degree and sectors"
    picture("diagnostics")
    line.locator("span", has_text="threadIdx").last.hover()
    page.locator(".monaco-hover", has_text="as written: 32 wavefronts per request").wait_for(
        timeout=PATIENCE
    )
    yield "a hover derives the number"
    picture("hover")
    page.mouse.move(5, 500)
    line.click()
    go_to(page, "28:35")
    page.keyboard.press("Control+.")
    menu = page.locator(".action-widget")
    menu.wait_for(timeout=PATIENCE)
    for title in (
        "Pad the rows of `tile` by 1 element",
        "Suppress KL101 on this line",
        "Explain KL101 (shared-bank-conflict)",
    ):
        assert title in menu.inner_text(), menu.inner_text()
    yield "fix, suppress and explain are offered"
    picture("actions")
    page.keyboard.press("Enter")
    page.locator(".view-line", has_text=CONFLICT).first.locator(
        "span", has_text="1-way"
    ).first.wait_for(timeout=PATIENCE)
    assert page.locator(".squiggly-warning").count() == 1
    page.keyboard.press("Control+S")
    page.wait_for_timeout(2000)
    assert file.read_text(encoding="utf-8").count("tile[TILE][TILE + 1];") == 2
    yield "the padding is made, and the conflict is gone"
    go_to(page, "13:12")
    page.keyboard.press("Control+.")
    menu.wait_for(timeout=PATIENCE)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("tab", name="Preview KL201.md").wait_for(timeout=PATIENCE)
    yield "a rule's page is shown rendered"
    picture("explain")


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m tests.editors.workbench")
    parser.add_argument("--code-server", default="code-server")
    parser.add_argument("--browser", default="/usr/bin/chromium")
    parser.add_argument(
        "--server",
        default=f"{sys.executable} -m kernlint server",
        help="the language server's command",
    )
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args(words)
    from playwright.sync_api import sync_playwright

    if options.pictures is not None:
        options.pictures.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name,
        workbench(options.code_server, shlex.split(options.server), Path(name)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=options.browser, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        for told in session(
            page, address, Path(name) / "project" / "transpose.cu", options.pictures
        ):
            print(f"ok  {told}", flush=True)
        print(f"in Chromium {browser.version}")
        browser.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
