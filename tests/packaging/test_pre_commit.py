"""The hook as users get it: pre-commit builds it from the repository and runs it on a scratch
repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.uncompiled]


NEEDED = (
    "kernlint",
    "rules",
    "grammars",
    "schemas",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    ".pre-commit-hooks.yaml",
)


def git(folder: Path, *words: str) -> None:
    identity = (
        "-c",
        "user.name=test",
        "-c",
        "user.email=test@example.org",
        "-c",
        "commit.gpgsign=false",
    )
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def repository(folder: Path) -> Path:
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    return folder


@pytest.fixture
def hook(tmp_path: Path) -> Path:
    """kernlint's repository as a project finds it."""
    folder = tmp_path / "hook"
    folder.mkdir()
    for name in NEEDED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(
                source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.so")
            )
        else:
            shutil.copy(source, folder / name)
    return repository(folder)


def pre_commit(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PRE_COMMIT_HOME": str(folder.parent / "home"), "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )


def test_the_hooks_lint_and_fix_kernels_and_nothing_else(hook: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    shutil.copy(ROOT / "samples" / "branches.cu", scratch / "branches.cu")
    shutil.copy(ROOT / "samples" / "strides.cl", scratch / "strides.cl")
    (scratch / "notes.txt").write_text("__global__ void broken( {\n", encoding="utf-8")
    (scratch / "old.cu").write_text("int main() { cudaThreadSynchronize(); }\n", encoding="utf-8")
    repository(scratch)
    done = pre_commit(scratch, "try-repo", str(hook), "--all-files")
    out = done.stdout + done.stderr
    linted, _, fixed = out.partition("kernlint --fix.....")
    assert done.returncode == 1 and "Failed" in linted, out
    assert (
        "warning[KL301]" in linted and "--> branches.cu:11:5" in linted and "strides.cl" in linted
    )
    assert "files were modified by this hook" in fixed and "old.cu:1: fixed [KL603]" in fixed
    assert (scratch / "old.cu").read_text(
        encoding="utf-8"
    ) == "int main() { cudaDeviceSynchronize(); }\n"
    assert "notes.txt" not in out and "Traceback" not in out


def test_the_documented_revision_is_filled_in(hook: Path, tmp_path: Path) -> None:
    """docs/ci.md names no tag that is not there."""
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    config = re.findall(r"```yaml\n(repos:.*?)```", page, re.DOTALL)
    assert len(config) == 1
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    written = scratch / ".pre-commit-config.yaml"
    written.write_text(
        config[0].replace("<where kernlint's repository is>", str(hook)), encoding="utf-8"
    )
    repository(scratch)
    newest = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=hook, capture_output=True, text=True, check=True
    ).stdout.strip()
    done = pre_commit(scratch, "autoupdate")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(rf"rev: [\"']?{newest}", written.read_text(encoding="utf-8"))
