"""What was not analysed for one reason is one line for people, with every place; programs get each
of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.cli.main import main


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(["check", "--no-cache", "--exit-zero", *arguments])
    return capsys.readouterr().out


def lines(out: str) -> list[str]:
    return [line for line in out.splitlines() if "[KL003]" in line]


def template(name: str, word: str) -> str:
    return f"__kernel void {name}(__global ${{{word}}} *a) {{ a[get_local_id(0)] = 1; }}\n"


@pytest.mark.slow
def test_one_reason_in_many_files_is_one_line_that_names_them_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(4):
        (tmp_path / f"k{number}.cl").write_text(
            template(f"first{number}", "TYPE") + template(f"second{number}", "TYPE")
        )
    (tmp_path / "other.cl").write_text(template("third", "OTHER"))
    concise = lines(checked(capsys, "--output-format", "concise", str(tmp_path)))
    assert len(concise) == 2
    assert (
        "`first0` is not analysed" in concise[0]
        and "; same for 3 more, in 4 files [KL003]" in concise[0]
    )
    assert "`third`" in concise[1] and "OTHER" in concise[1]
    full = " ".join(checked(capsys, str(tmp_path)).split())
    for number in range(1, 4):
        assert (
            f"also {tmp_path}/k{number}.cl:1: `first{number}`; same for `second{number}` (line 2)"
            in full
        )
    every = json.loads(checked(capsys, "--output-format", "json", str(tmp_path)))["findings"]
    assert len(every) == 5 and not any("; same for" in finding["message"] for finding in every)


@pytest.mark.slow
def test_two_files_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(2):
        (tmp_path / f"k{number}.cl").write_text(template(f"first{number}", "TYPE"))
    assert len(lines(checked(capsys, "--output-format", "concise", str(tmp_path)))) == 2


LAUNCHER = """
template <class K> void launch(K kernel, float *p, int block)
{
    kernel<<<4, block>>>(p);
}
__global__ void first(float *p) { p[threadIdx.x] = 1; }
__global__ void second(float *p) { p[threadIdx.x] = 2; }
void run(float *p, const int *sizes, int n)
{
    launch(first, p, n);
    launch(second, p, WIDTH);
}
"""


def test_one_statement_that_launches_many_kernels_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(LAUNCHER, encoding="utf-8")
    [line] = lines(checked(capsys, "--output-format", "concise", str(path)))
    assert "`first`" in line and "same for 1 more" in line
    full = " ".join(checked(capsys, str(path)).split())
    assert "also" in full and "`second`" in full
