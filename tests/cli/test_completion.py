"""Completion: what bash offers when the script is sourced, and what the scripts of the other shells
say."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
from pathlib import Path

import pytest

from kernlint.checks import rules
from kernlint.cli import main
from kernlint.cli.commands import COMMANDS
from kernlint.hardware import names
from tests.places import ROOT

CODES = list(rules.rules())


def script(shell: str) -> str:
    """What `kernlint completion` prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main.main(["completion", shell]) == 0
    return out.getvalue()


def _codes(prefix: str) -> list[str]:
    return [code for code in CODES if code.startswith(prefix)]


OFFER = """\
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMPREPLY=()
"$(complete -p kernlint | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def bash(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "kernlint.bash"
    path.write_text(script("bash"), encoding="utf-8")
    return path


def offered(bash: Path, *words: str) -> list[str]:
    """What bash offers for the last of the words, which `=` parts as it does on the command
    line."""
    told = subprocess.run(
        ["bash", "-c", f"source {bash}\n{OFFER}", "bash", *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert told.stderr == ""
    return told.stdout.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("kernlint --out", ["--output-format", "--output-file"]),
        ("kernlint check --out", ["--output-format", "--output-file"]),
        ("kernlint samples/transpose.cu --out", ["--output-format", "--output-file"]),
        ("kernlint --version", ["--version"]),
        ("kernlint exp", ["explain"]),
        ("kernlint --select KL10", _codes("KL10")),
        ("kernlint --select KL101,KL10", [f"KL101,{code}" for code in _codes("KL10")]),
        ("kernlint samples/transpose.cu --ignore bank", []),
        ("kernlint --ignore shared-bank", ["shared-bank-conflict"]),
        ("kernlint --select = global-m", ["global-memory", "global-memory-race"]),
        ("kernlint explain KL10", _codes("KL10")),
        ("kernlint explain KL101 KL60", _codes("KL60")),
        ("kernlint --output-format = sa", ["sarif"]),
        ("kernlint --output-format = sarif --sel", ["--select"]),
        ("kernlint --also git", ["github=", "gitlab="]),
        ("kernlint --status exact,ra", ["exact,range"]),
        ("kernlint report --device h", ["h100", "h200"]),
        ("kernlint devices rtx-3", [name for name in names() if name.startswith("rtx-3")]),
        ("kernlint tune --only padding,sw", ["padding,swizzle"]),
        ("kernlint samples/transpose.c", ["samples/transpose.cl", "samples/transpose.cu"]),
        ("kernlint report samples/transpose.c", ["samples/transpose.cl", "samples/transpose.cu"]),
        ("kernlint -o READ", ["README.md"]),
        ("kernlint baseline sh", ["show"]),
        (
            "kernlint baseline prune samples/transpose.c",
            ["samples/transpose.cl", "samples/transpose.cu"],
        ),
        ("kernlint completion z", ["zsh"]),
        ("kernlint report --sel", []),
    ],
)
def test_bash_offers(bash: Path, line: str, expected: list[str]) -> None:
    assert sorted(offered(bash, *line.split())) == sorted(expected)


def test_bash_offers_all_there_is_behind_nothing(bash: Path) -> None:
    assert {"check", "explain", "baseline", "samples", "README.md"} <= set(
        offered(bash, "kernlint", "")
    )
    assert {*CODES, "shared-memory", "all"} <= set(offered(bash, "kernlint", "--select", ""))
    assert {"full", "sarif"} <= set(offered(bash, "kernlint", "--output-format", "="))


def test_zsh_takes_values_behind_an_equals_sign_and_several_files() -> None:
    text = script("zsh")
    assert re.search(r'^  "--output-format=\[.*\(full concise', text, re.MULTILINE)
    assert re.search(r'^  \{-o,--output-file=\}".*:FILE:_files"$', text, re.MULTILINE)
    assert re.search(
        rf'^  "\*--select=\[.*:_values -s , rules {" ".join(CODES)} ', text, re.MULTILINE
    )
    assert '"*:files and folders' in text and '"(*)::' not in text
    assert (
        text.index("_shtab_kernlint() {")
        < text.index("functions[_kernlint_commanded]")
        < text.index("compdef _shtab_kernlint")
    )


def test_fish_offers_the_options_of_check_without_a_command() -> None:
    lines = script("fish").splitlines()
    bare = [
        line for line in lines if line.startswith("complete -c kernlint -n _shtab_kernlint_using ")
    ]
    assert any("-l output-format" in line and "sarif" in line for line in bare)
    assert any(
        "-l select" in line and "(__fish_complete_list , _kernlint_rules)" in line for line in bare
    )
    assert any(
        line.startswith("function _kernlint_rules;") and all(code in line for code in CODES)
        for line in lines
    )


def test_tcsh_offers_rules() -> None:
    assert f"'n/--select/({' '.join(CODES)} " in script("tcsh")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_every_command_is_in_the_script(shell: str) -> None:
    words = set(re.findall(r"[\w-]+", script(shell)))
    assert words >= COMMANDS.keys()
