"""What is found without being named: the compilation database, and what git ignores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.configuration.project import Project
from kernlint.source import files


def database(folder: Path, source: Path, define: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    command = {"directory": str(folder), "file": str(source), "command": f"nvcc -D{define} -c x.cu"}
    (folder / "compile_commands.json").write_text(json.dumps([command]))


@pytest.mark.parametrize("place", [".", "build", "src", "src/build"])
def test_the_compilation_database_is_found_where_builds_leave_it(
    tmp_path: Path, place: str
) -> None:
    source = tmp_path / "src" / "a.cu"
    source.parent.mkdir()
    source.write_text("")
    database(tmp_path / place, source, "N=7")
    assert Project({}).values(str(source))["defines"] == {"N": "7"}
    assert "defines" not in Project({}, isolated=True).values(str(source))
    assert "defines" not in Project({}).values(str(tmp_path / "other.cu"))


def test_a_nearer_database_of_other_files_or_a_broken_one_hides_none(tmp_path: Path) -> None:
    source = tmp_path / "src" / "a.cu"
    database(tmp_path / "src", tmp_path / "b.cu", "N=1")
    database(tmp_path, source, "N=7")
    (tmp_path / "src" / "build").mkdir()
    (tmp_path / "src" / "build" / "compile_commands.json").write_text("[")
    assert Project({}).values(str(source))["defines"] == {"N": "7"}


def test_a_database_that_is_named_is_the_only_one(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    database(tmp_path / "build", source, "N=1")
    database(tmp_path / "other", source, "N=2")
    project = Project({"compile-commands": str(tmp_path / "other")})
    assert project.values(str(source))["defines"] == {"N": "2"}


def walked(folder: Path) -> list[str]:
    found = files.collect([str(folder)], Project({}).excluded)
    return [str(Path(path).relative_to(folder)) for path, problem in found if problem is None]


def test_a_walk_passes_over_what_git_ignores(tmp_path: Path) -> None:
    for name in ("a.cu", "gen/b.cu", "sub/c.cu", "sub/c.tmp.cu", "sub/keep.tmp.cu", "out.cu/d.cu"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("__global__ void k() {}")
    (tmp_path / ".gitignore").write_text("/gen/\n*.tmp.cu\n")
    (tmp_path / "sub" / ".gitignore").write_text("!keep.tmp.cu\n")
    assert walked(tmp_path) == ["a.cu", "out.cu/d.cu", "sub/c.cu", "sub/keep.tmp.cu"]
    assert walked(tmp_path / "gen") == ["b.cu"]  # which somebody named


def test_a_repository_ends_what_the_folders_above_say(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.cu\n")
    inner = tmp_path / "inner"
    (inner / ".git").mkdir(parents=True)
    (inner / "a.cu").write_text("__global__ void k() {}")
    assert walked(inner) == ["a.cu"]
