"""The hook as users get it: pre-commit builds it from the repository and runs it on a scratch repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
NEEDED = ("kernlint", "rules", "grammars", "schemas", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def repository(folder: Path) -> Path:
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    return folder


def test_the_hook_lints_kernels_and_nothing_else(tmp_path: Path) -> None:
    hook = tmp_path / "hook"
    hook.mkdir()
    for name in NEEDED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, hook / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, hook / name)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    shutil.copy(ROOT / "samples" / "branches.cu", scratch / "branches.cu")
    shutil.copy(ROOT / "samples" / "strides.cl", scratch / "strides.cl")
    (scratch / "notes.txt").write_text("__global__ void broken( {\n", encoding="utf-8")
    repository(hook)
    repository(scratch)
    environment = os.environ | {"PRE_COMMIT_HOME": str(tmp_path / "home"), "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "try-repo", str(hook), "kernlint", "--all-files"],
        cwd=scratch,
        env=environment,
        capture_output=True,
        text=True,
    )
    out = done.stdout + done.stderr
    assert done.returncode == 1 and "Failed" in out, out
    assert "warning[KL301]" in out and "--> branches.cu:11:5" in out and "strides.cl" in out
    assert "notes.txt" not in out and "Traceback" not in out
