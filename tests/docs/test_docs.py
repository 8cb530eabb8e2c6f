"""Documentation that must not drift: the README's commands, the keys of the JSON outputs, the lists
of reasons and rules."""

from __future__ import annotations

import json
import pkgutil
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from kernlint.checks import rules
from kernlint.checks.run import check
from kernlint.cli.commands import COMMANDS
from kernlint.configuration.keys import KEYS
from kernlint.configuration.project import Project
from kernlint.model.reasons import REASONS
from kernlint.model.settings import Selection
from kernlint.render import findings_json, report_json
from kernlint.source.sources import Sources
from tests.docs import rule_docs, tour
from tests.places import ROOT
from tests.support import handmade as made

DOCS = ROOT / "docs"
PAGES = [
    *ROOT.glob("*.md"),
    *DOCS.rglob("*.md"),
    ROOT / "samples" / "README.md",
    ROOT / "benchmarks" / "README.md",
]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def keys(value: Any) -> set[str]:
    """Every key of nested objects, but those of `arguments`, which are the user's names."""
    if isinstance(value, dict):
        return set(value) | {
            key for name, inner in value.items() if name != "arguments" for key in keys(inner)
        }
    return {key for inner in value for key in keys(inner)} if isinstance(value, list) else set()


def test_two_set_up_commands() -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", README, re.M | re.S)
    assert len(blocks) == 2 and all(
        len(block.splitlines()) == 1 and " && " in block for block in blocks
    )
    lint, tests = blocks
    assert "samples/" in lint and "--exit-zero" in lint and "pytest" in tests
    assert (ROOT / lint.split()[-1]).is_file()
    runner = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "README.md" in runner and "-e '.[dev]'" not in runner, (
        "the runner takes the commands from the README"
    )


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(
            r"\]\(([^)#`]+)\)",
            re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S),
        ):
            assert re.match(r"https?://", target) or (page.parent / target).exists(), (
                f"{page.name}: {target}"
            )


def test_the_index_links_every_page() -> None:
    linked = {
        (DOCS / target).resolve()
        for target in re.findall(
            r"\]\(([^)#]+)\)", (DOCS / "README.md").read_text(encoding="utf-8")
        )
    }
    assert {page for page in DOCS.glob("*.md") if page.name != "README.md"} <= linked
    assert "(docs/README.md)" in README


def test_the_rules_pages_are_those_of_the_rules() -> None:
    found = {path.name: path.read_text(encoding="utf-8") for path in rule_docs.FOLDER.iterdir()}
    assert found == rule_docs.pages(), "run `python -m tests.docs.rule_docs`"
    assert all(rule.references for rule in rules.rules().values())


def test_every_key_of_the_report_is_documented() -> None:
    text = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    for key in keys(json.loads(json.dumps(report_json.to_json(made.REPORT)))):
        assert f"`{key}`" in text or f".{key}`" in text or f'"{key}"' in text, key
    for reason, words in REASONS.items():
        assert f"| `{reason}` | {words} |" in text


@pytest.mark.slow
def test_the_race_of_the_report_page_is_that_of_the_sample() -> None:
    text = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    drawn = text.rpartition("```\n")[0].rpartition("```\n")[2]
    assert " race on " in drawn
    assert tour.output("kernlint report samples/faults.cu --line 14").startswith(drawn)


def test_every_key_of_the_findings_is_documented() -> None:
    text = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    found = findings_json.to_json(
        check(made.REPORT, Selection()), Sources.of(made.REPORT.files), "h100"
    )
    for key in keys(json.loads(json.dumps(found))):
        assert f"`{key}`" in text, key


def test_every_command_is_in_the_readme() -> None:
    for command in COMMANDS:
        assert command == "check" or f"kernlint {command}" in README


def test_samples_are_listed() -> None:
    listed = (ROOT / "samples" / "README.md").read_text(encoding="utf-8")
    for path in (ROOT / "samples").iterdir():
        assert path.name == "README.md" or f"`{path.name}`" in listed


def test_every_key_of_the_configuration_is_documented() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    for key in KEYS:
        assert f"`{key}`" in text, key


def test_the_documented_configuration_is_valid(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```toml\n(.*?)^```$", text, re.M | re.S)
    (tmp_path / "kernlint.toml").write_text(example, encoding="utf-8")
    values = Project({}).values(str(tmp_path / "legacy" / "old.cu"))
    assert values["ignore"] == ("all",) and values["kernels"][0].block == (32, 8, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "blocks"),
    list(zip(tour.PAGES, (5, 4, 1), strict=True)),
    ids=lambda value: getattr(value, "name", None),
)
def test_pages_show_real_output(page: Path, blocks: int) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(tour.BLOCK.findall(text)) == blocks
    assert tour.renewed(text) == text, "run `python -m tests.docs.tour` and read what changed"


def test_kernlint_is_installed_from_a_checkout_everywhere() -> None:
    """No index holds a distribution of this name: `pip install kernlint` finds nothing, or
    something else."""
    pages = [*PAGES, *(ROOT / "editors").glob("*/README.md")]
    modules = (ROOT / "kernlint").rglob("*.py")
    wrong = re.compile(r"pip install [\"']?kernlint\b")
    # what is installed may name its extras: pip adds them to the kernlint that is there
    absent = re.compile(r"pip install [\"']?kernlint\b(?!\[)")
    texts = [*((path, wrong) for path in pages), *((path, absent) for path in modules)]
    found = [path.name for path, words in texts if words.search(path.read_text(encoding="utf-8"))]
    assert found == []
    assert "'.[server]'" in README


ROOMS = {path.name for path in (ROOT / "kernlint").iterdir() if path.is_dir()}


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_names_of_modules_functions_and_files_exist(page: str) -> None:
    """`execution.run.run_blocks` below `kernlint`, and paths such as `hatch_build.py` or
    `memo/disk.py`."""
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.S)
    for name in re.findall(r"`([^`\s]+)`", text):
        if re.fullmatch(r"[\w/]+\.(py|toml)", name):
            assert any((folder / name).exists() for folder in (ROOT, ROOT / "kernlint")), name
        elif name.partition(".")[0] in ROOMS and re.fullmatch(r"\w+(\.\w+)+", name):
            assert pkgutil.resolve_name(f"kernlint.{name}"), name


def test_the_picture_shows_every_room_in_order() -> None:
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    layers = tools["importlinter"]["contracts"][0]["layers"]
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    _, picture, _ = text.split("```", 2)
    shown = re.findall(r"(?<=│ |  )(\w+) ", picture)
    assert [name for name in shown if name in layers] == layers
