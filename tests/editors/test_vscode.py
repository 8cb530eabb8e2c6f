"""The VS Code extension: its source is there, starts the server as the settings say, and its
package says the same as kernlint."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

from kernlint import __version__
from tests.places import ROOT
from tests.support import needs

FOLDER = ROOT / "editors" / "vscode"
SOURCE = FOLDER / "src" / "extension.js"
PACKAGE: dict[str, Any] = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))


def test_the_package_is_of_this_kernlint() -> None:
    # the marketplace takes three numbers only: no ".dev0"
    assert PACKAGE["version"] == ".".join(__version__.split(".")[:3])
    assert PACKAGE["scripts"]["bundle"].split()[1] == SOURCE.relative_to(FOLDER).as_posix()
    assert (
        "/extension.js" in (FOLDER / ".gitignore").read_text(encoding="utf-8").split()
    )  # the bundle, not its source
    assert PACKAGE["main"] == "./extension.js"


def run(*words: str) -> dict[str, Any]:
    node = shutil.which("node")
    assert node is not None
    done = subprocess.run(
        [node, str(ROOT / "tests" / "editors" / "vscode.js"), str(SOURCE), *words],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@needs.node
def test_it_starts_the_server_and_starts_it_anew_where_its_command_changes() -> None:
    told = run()
    assert told["commands"] == [
        command["command"] for command in PACKAGE["contributes"]["commands"]
    ]
    assert [one["server"] for one in told["started"]] == [
        {"command": "kernlint", "args": ["server"]},
        {"command": "/venv/bin/kernlint", "args": ["server"]},
    ]
    languages = {
        selector["language"] for selector in told["started"][0]["options"]["documentSelector"]
    }
    assert {f"onLanguage:{language}" for language in languages} <= set(PACKAGE["activationEvents"])
    assert {language["id"] for language in PACKAGE["contributes"]["languages"]} <= languages
    assert told["stopped"] == 2


@needs.node
def test_a_page_is_shown_as_it_is_meant_to_be_read() -> None:
    told = run()
    assert told["shown"] == [["markdown.showPreview", "file:///tmp/KL101.md"]] and told[
        "passed"
    ] == ["file:///tmp/report.html"]


@needs.node
def test_a_server_that_cannot_be_started_is_told_with_the_way_out() -> None:
    told = run("failing")
    assert "kernlint cannot be started (spawn kernlint ENOENT)" in told["shown"][0][0]
    assert told["shown"][1] == ["workbench.action.openSettings", "kernlint.command"]
