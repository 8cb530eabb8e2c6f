"""Every figure in cycles that is shown says of which device and by which model it is: in its
finding, or in the lines of its kernel."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kernlint.cli.main import main
from tests.places import SAMPLES

pytestmark = pytest.mark.slow


SAMPLE = str(SAMPLES / "transpose.cu")
FIGURE = re.compile(r"\d cycles\b|cycles of the parts|cycles, overlapping")
DEVICE, MODEL = re.compile(r"\bon h100\b|NVIDIA H100"), re.compile(r"wave model \d|T\(i, w, c\)")


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*words, SAMPLE]) in (0, 1)
    return capsys.readouterr().out


def named(part: str) -> bool:
    return bool(DEVICE.search(part) and MODEL.search(part))


def leaves(value: Any) -> Iterator[Any]:
    """The innermost objects that are a finding as a whole: those with a message or a
    description."""
    if isinstance(value, dict):
        if {"message", "description"} & set(value):
            yield value
        else:
            for inner in value.values():
                yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)


@pytest.mark.parametrize("form", ["full", "concise", "github", "json-lines", "agent", "junit"])
def test_findings_as_text(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "--select", "KL901,KL101", "--output-format", form)
    between = {"full": "\n\n", "agent": "\n\n", "junit": "<testcase"}
    parts = text.split(between.get(form, "\n"))
    told = [part for part in parts if FIGURE.search(part)]
    assert told and all(named(part) for part in told)


@pytest.mark.parametrize("form", ["json", "gitlab", "sarif"])
def test_findings_as_objects(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(shown(capsys, "--select", "KL901,KL101", "--output-format", form))
    found = data["runs"][0]["results"] if form == "sarif" else list(leaves(data))
    told = [
        text
        for text in (json.dumps(one, ensure_ascii=False) for one in found)
        if FIGURE.search(text)
    ]
    assert told and all(named(text) for text in told)


def test_report(capsys: pytest.CaptureFixture[str]) -> None:
    """One kernel's head: the estimate's own lines are indented below the one that names device and
    model."""
    lines = shown(capsys, "report").splitlines()
    told = [number for number, line in enumerate(lines) if FIGURE.search(line)]
    assert told
    for number in told:
        head = number
        while lines[head].startswith("      "):
            head -= 1
        assert named(" ".join(lines[head : number + 1])), lines[number]
    data = json.loads(shown(capsys, "report", "--output-format", "json"))
    assert data["device"] == "h100" and named(data["cycles_model"])
    assert all(
        kernel["estimate"]["device"] == "h100" and MODEL.search(kernel["estimate"]["model"])
        for kernel in data["files"][0]["kernels"]
    )


def test_page(capsys: pytest.CaptureFixture[str]) -> None:
    page = shown(capsys, "report", "--output-format", "html")
    data = json.loads(
        re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.S).group(1)
    )  # type: ignore[union-attr]
    kernels = data["kernels"]
    assert all(named(" ".join(kernel["estimate"])) for kernel in kernels) and any(
        FIGURE.search(" ".join(k["estimate"])) for k in kernels
    )
    for finding in data["findings"]:
        text = json.dumps(finding, ensure_ascii=False)
        assert not FIGURE.search(text) or named(text)


@pytest.mark.parametrize("form", ["full", "json", "sarif", "html"])
def test_the_constants_are_told_once(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """However many findings rest on them."""
    twice = tmp_path / "twice.cu"
    twice.write_text(
        Path(SAMPLE).read_text(encoding="utf-8").replace("TILE + 1", "TILE"), encoding="utf-8"
    )
    assert main(["--select", "KL101", "--output-format", form, str(twice)]) == 1
    text = capsys.readouterr().out
    assert (
        text.count("by T(i, w, c) of NVIDIA H100") == 2
        and text.count(" + 46.928 for NVIDIA H100 (constants: ") == 1
    )
    assert main(["report", str(twice)]) == 0
    assert capsys.readouterr().out.count(" + 46.928 for NVIDIA H100 (constants: ") == 1


def test_the_way_to_a_rules_page_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "check")
    assert (
        text.count(
            "\nabout these rules: kernlint explain KL101 KL201\n\n2 warnings in 2 of 3 kernels"
        )
        == 1
    )
    assert "explain" not in shown(capsys, "--select", "KL502")
