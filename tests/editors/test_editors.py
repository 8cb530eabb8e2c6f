"""Real editors, without a screen: each opens a sample, gets diagnostics from `kernlint server`,
applies the padding, writes the file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import ROOT
from tests.support import needs

pytestmark = pytest.mark.slow


SCRIPTS = ROOT / "tests" / "editors"


def _session(folder: Path, command: list[str], **environment: str) -> tuple[list[str], str]:
    """What an editor's script told, line by line, and the sample as it left it; `kernlint` is this
    one."""
    file = folder / "transpose.cu"
    shutil.copy(ROOT / "samples" / "transpose.cu", file)
    shim = folder / "bin" / "kernlint"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -m kernlint "$@"\n', encoding="utf-8")
    shim.chmod(0o755)
    told = os.environ | {
        "KERNLINT_FILE": str(file),
        "PYTHONPATH": str(ROOT),
        "PATH": f"{shim.parent}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        command, env=told | environment, cwd=folder, capture_output=True, text=True, timeout=180
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines(), file.read_text(encoding="utf-8")


def _all_of_it(lines: list[str], text: str) -> None:
    """Both findings came at their places, the padding was offered and made, and one finding is
    left."""
    found = [line.partition(": ")[0] for line in lines if line.startswith("diagnostic")]
    assert [re.sub(r" KL\d+", "", place) for place in found] == [
        "diagnostic at 13:9",
        "diagnostic at 28:32",
    ]
    assert any("32-way bank conflict" in line for line in lines)
    assert [line for line in lines if line.startswith("action")] == [
        "action Pad the rows of `tile` by 1 element",
        "action Suppress KL101 on this line",
        "action Explain KL101 (shared-bank-conflict)",
    ]
    assert text == (ROOT / "samples" / "transpose.cu").read_text(encoding="utf-8").replace(
        "tile[TILE][TILE];", "tile[TILE][TILE + 1];"
    )
    assert lines[-1] == "left 1"


def settings(language: str) -> str:
    """What docs/editors.md tells to put into an editor's configuration."""
    blocks = re.findall(
        rf"```{language}\n(.*?)```",
        (ROOT / "docs" / "editors.md").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert len(blocks) == 1
    return str(blocks[0])


@needs.neovim
def test_neovim(tmp_path: Path) -> None:
    _all_of_it(
        *_session(tmp_path, ["nvim", "--headless", "--clean", "-S", str(SCRIPTS / "neovim.lua")])
    )


@needs.emacs
def test_emacs_with_the_settings_of_the_documentation(tmp_path: Path) -> None:
    (tmp_path / "settings.el").write_text(settings("elisp"), encoding="utf-8")
    command = ["emacs", "--batch", "-l", str(SCRIPTS / "emacs.el")]
    lines, text = _session(
        tmp_path, command, KERNLINT_SETTINGS=str(tmp_path / "settings.el"), HOME=str(tmp_path)
    )
    _all_of_it(lines, text)
    assert lines[0] == "mode cuda-mode" and "chosen Pad the rows of `tile` by 1 element" in lines
    assert (
        "hover **`tile[threadIdx.y + j][threadIdx.x]`**: shared store of 4 bytes in `transpose_tiled`"
        in lines
    )
