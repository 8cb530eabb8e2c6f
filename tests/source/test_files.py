"""Which files are analysed, and what is said of those that cannot be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kernlint.source import files
from kernlint.source.text import KERNEL_SUFFIXES
from tests.places import ROOT


def test_folders_are_walked_in_order_without_hidden_and_build_folders(tmp_path: Path) -> None:
    kernels = ["b.cu", "a.cuh", "sub/c.cl", "sub/d.clh", "sub/e.ocl", "f.hip", "K.CU"]
    for name in [*kernels, "g.cpp", "h.txt", "build/x.cu", ".git/y.cu", ".z.cu"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found = [
        Path(path).relative_to(tmp_path).as_posix()
        for path, problem in files.collect([str(tmp_path)])
        if problem is None
    ]
    assert found == ["K.CU", "a.cuh", "b.cu", "f.hip", "sub/c.cl", "sub/d.clh", "sub/e.ocl"]


def test_links_that_lead_back_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "k.cu").write_text("__global__ void k() {}")
    (tmp_path / "a" / "loop").symlink_to("..", target_is_directory=True)
    (tmp_path / "a" / "b" / "again").symlink_to("../../a", target_is_directory=True)
    assert [path for path, _ in files.collect([str(tmp_path)])] == [str(tmp_path / "a" / "k.cu")]


def test_a_file_named_outright_is_read_whatever_its_suffix_and_only_once(tmp_path: Path) -> None:
    path = str(tmp_path / "kernel.txt")
    again = f"{tmp_path}/./../{tmp_path.name}/{os.path.basename(path)}"
    assert list(files.collect([path, path, again])) == [(path, None)]


@pytest.mark.parametrize(
    "kernel",
    [
        "kernel void k(global int *p) { }",
        "kernel __attribute__((vec_type_hint(int))) void k(global int *p) { }",
    ],
)
@pytest.mark.parametrize("suffix", [".py", ".pyw", ".PY"])
def test_folders_are_walked_for_programs_in_strings(
    tmp_path: Path, suffix: str, kernel: str
) -> None:
    (tmp_path / f"host{suffix}").write_text(f'source = """{kernel}"""')
    (tmp_path / f"other{suffix}").write_text("kernel = make('void')")
    assert [path for path, _ in files.collect([str(tmp_path)])] == [str(tmp_path / f"host{suffix}")]


def test_the_readme_and_the_hook_name_every_suffix_of_kernels() -> None:
    root = ROOT
    suffixes = list(KERNEL_SUFFIXES)
    assert (
        f"Folders are walked for `{' '.join('*' + s for s in suffixes)}`"
        in (root / "README.md").read_text()
    )
    assert (
        f"files: \\.({'|'.join(s[1:] for s in suffixes)})$"
        in (root / ".pre-commit-hooks.yaml").read_text()
    )


def test_a_folder_without_kernels_is_said(tmp_path: Path) -> None:
    [(path, problem)] = files.collect([str(tmp_path)])
    assert path == str(tmp_path) and problem is not None and "no kernel files" in problem.message


@pytest.mark.parametrize(
    ("data", "readable", "message", "place"),
    [
        (b"", True, "empty", (1, 1)),
        (b" \n\t\n", True, "empty", (1, 1)),
        (b"MZ\x90\0\0\0", False, "binary", (1, 1)),
        (b"int a;\nint \x93\xfa b;\n", True, "not valid UTF-8", (2, 5)),
    ],
)
def test_odd_contents(
    tmp_path: Path, data: bytes, readable: bool, message: str, place: tuple[int, int]
) -> None:
    path = tmp_path / "a.cu"
    path.write_bytes(data)
    for source in (files.read(str(path)), files.from_bytes("a.cu", data)):
        [problem] = source.problems
        assert problem.code == "KL001" and message in problem.message
        assert (problem.span.line, problem.span.column) == place
        assert (source.text is not None) is readable


@pytest.mark.parametrize("head", [b"\x7fELF\2\1\1", b"\x50\xed\x55\xba\1"])
def test_machine_code_is_named_by_its_bytes(tmp_path: Path, head: bytes) -> None:
    """What stands for its text tells one file from another."""
    texts = []
    for name, rest in (("a.out", b"\0\1"), ("k.cubin", b"\0\2"), ("k.cu", b"\0\1")):
        (tmp_path / name).write_bytes(head + rest)
        source = files.read(str(tmp_path / name))
        assert source.language == "sass" and not source.problems
        texts.append(source.text)
    assert texts[0] == texts[2] != texts[1]


def test_files_that_are_not_there(tmp_path: Path) -> None:
    source = files.read(str(tmp_path / "none.cu"))
    assert source.text is None and "no such file" in source.problems[0].message


def test_language_by_name_then_by_contents(tmp_path: Path) -> None:
    assert files.from_bytes("k.cl", b"x").language == "opencl"
    assert files.from_bytes("<stdin>", b"__kernel void k(__global int *a) {}").language == "opencl"
    assert files.from_bytes("<stdin>", b"__global__ void k(int *a) {}").language == "cuda"
    assert files.from_bytes("k.cl", b"x", "cuda").language == "cuda"
