"""Output formats against their own definitions: JSON Schemas, SARIF's schema, XML, the workflow
commands of GitHub."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from email.message import Message
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint.base import usage
from kernlint.base.span import Problem, Span
from kernlint.checks import rule_addresses, rules
from kernlint.checks.run import check
from kernlint.cli import main
from kernlint.model import facts
from kernlint.model.finding import Edit, Finding, Fix, Label
from kernlint.model.settings import Selection
from kernlint.render import ci, formats, sarif
from kernlint.render.formats import FORMATS, Document
from kernlint.render.style import Style
from kernlint.source.sources import Sources
from tests.places import DATA, ROOT
from tests.support import handmade as made

SAMPLES = ROOT / "samples"
FINDINGS = json.loads((ROOT / "schemas" / "findings.schema.json").read_text(encoding="utf-8"))
REPORT = json.loads((ROOT / "schemas" / "report.schema.json").read_text(encoding="utf-8"))
SARIF = json.loads((DATA / "sarif" / "sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8"))


def handmade() -> Document:
    found = check(made.REPORT, Selection(select=("all",), severity="info"))
    edit = Edit(Span(made.PATH, 4, 16, 4, 28), "tile[32][33]")
    found[0] = replace(
        found[0],
        fix=Fix("unsafe", "pad the rows", (edit,)),
        labels=(Label(Span("other.cuh", 1, 1, 1, 5), "here"),),
    )
    return Document(
        tuple(found), Sources.of(made.REPORT.files), "h100", (made.PATH, "clean.cu"), made.REPORT
    )


def text(name: str) -> str:
    return FORMATS[name](handmade(), Style())


def test_the_command_line_offers_every_format() -> None:
    assert set(usage.FORMATS) == set(formats.FORMATS)


@pytest.mark.slow
def test_json_follows_its_schema() -> None:
    whole = json.loads(text("json"))
    jsonschema.validate(whole, FINDINGS)
    for line in text("json-lines").splitlines():
        jsonschema.validate(whole | {"findings": [json.loads(line)]}, FINDINGS)


def test_rules_have_an_address_only_where_the_package_names_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def told() -> set[str | None]:
        rule_addresses._declared.cache_clear()
        (run,) = json.loads(text("sarif"))["runs"]
        of_sarif = {
            rule.get("helpUri") for rule in run["tool"]["driver"]["rules"] if rule["id"] == "KL101"
        }
        return of_sarif | {
            f["url"] for f in json.loads(text("json"))["findings"] if f["code"] == "KL101"
        }

    declared = Message()
    monkeypatch.setattr("importlib.metadata.metadata", lambda name: declared)
    assert told() == {None}
    declared["Project-URL"] = "Rules, https://kernlint.example/rules/"
    assert told() == {"https://kernlint.example/rules/KL101-shared-bank-conflict.md"}
    monkeypatch.undo()
    rule_addresses._declared.cache_clear()


def test_sarif_names_a_home_only_where_the_package_does(monkeypatch: pytest.MonkeyPatch) -> None:
    def told() -> object:
        rule_addresses._declared.cache_clear()
        whole = json.loads(text("sarif"))
        jsonschema.validate(whole, SARIF)
        return whole["runs"][0]["tool"]["driver"].get("informationUri")

    declared = Message()
    monkeypatch.setattr("importlib.metadata.metadata", lambda name: declared)
    assert told() is None
    declared["Project-URL"] = "Homepage, https://kernlint.example"
    assert told() == "https://kernlint.example"
    monkeypatch.undo()
    rule_addresses._declared.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("template", "address"),
    [
        (
            "https://docs.example/rules/{page}",
            "https://docs.example/rules/KL101-shared-bank-conflict.md",
        ),
        (
            "https://docs.example/rules/{code}/{name}.html",
            "https://docs.example/rules/KL101/shared-bank-conflict.html",
        ),
        ("https://docs.example/rules/", "https://docs.example/rules/KL101-shared-bank-conflict.md"),
        ("https://docs.example/all#{code}", "https://docs.example/all#KL101"),
        (
            "file:///usr/share/doc/kernlint/{page}",
            "file:///usr/share/doc/kernlint/KL101-shared-bank-conflict.md",
        ),
    ],
)
def test_the_place_where_pages_are_served_is_in_every_format(
    template: str, address: str, tmp_path: Path
) -> None:
    also = [
        word
        for name in ("json", "json-lines", "sarif")
        for word in ("--also", f"{name}={tmp_path / name}")
    ]
    main.main([str(SAMPLES / "transpose.cu"), "--select", "KL101", "--rules-url", template, *also])
    (rule,) = load(tmp_path / "sarif")["runs"][0]["tool"]["driver"]["rules"]
    assert (
        rule["helpUri"]
        == load(tmp_path / "json")["findings"][0]["url"]
        == load(tmp_path / "json-lines")["url"]
        == address
    )
    jsonschema.validate(load(tmp_path / "sarif"), SARIF)
    jsonschema.validate(load(tmp_path / "json"), FINDINGS)


def test_a_package_that_names_an_address_gives_way_to_the_configuration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    declared = Message()
    declared["Project-URL"] = "Rules, https://kernlint.example/rules/"
    monkeypatch.setattr("importlib.metadata.metadata", lambda name: declared)
    rule_addresses._declared.cache_clear()
    rule = rules.find("KL101")
    assert (
        rule_addresses.address(rule, "https://docs.example/{code}") == "https://docs.example/KL101"
    )
    assert (
        rule_addresses.address(rule)
        == "https://kernlint.example/rules/KL101-shared-bank-conflict.md"
    )
    monkeypatch.undo()
    rule_addresses._declared.cache_clear()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("docs/rules", "expected a web address such as https://docs.example/rules/{page}"),
        ("https://", "expected a web address"),
        (
            "https://docs.example/{cod}",
            "no placeholder {cod}, did you mean `code`?; there are {code}, {name}, {page}",
        ),
    ],
)
def test_a_wrong_address_is_told(text: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main([str(SAMPLES / "transpose.cu"), "--rules-url", text]) == 2
    assert f"kernlint: --rules-url {text}: {says}" in capsys.readouterr().err
    assert main.main([str(SAMPLES / "transpose.cu"), "--config", f'rules-url="{text}"']) == 2
    assert f"rules-url: {says}" in capsys.readouterr().err


def test_sarif_holds_each_rules_whole_page() -> None:
    (run,) = json.loads(text("sarif"))["runs"]
    pages = {rule["id"]: rule["help"]["markdown"] for rule in run["tool"]["driver"]["rules"]}
    assert all(
        "\n## References\n" in page and "\n## How to fix\n" in page for page in pages.values()
    )


@pytest.fixture(scope="module")
def of_samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every sample through the command line, into one file per format."""
    folder = tmp_path_factory.mktemp("formats")
    also = [word for name in usage.FORMATS for word in ("--also", f"{name}={folder / name}")]
    assert main.main([str(SAMPLES), "--severity", "info", "-o", str(folder / "main"), *also]) == 1
    assert main.main(
        ["report", str(SAMPLES), "--output-format", "json", "-o", str(folder / "report")]
    ) in (0, 1)
    return folder


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_real_output_follows_the_schemas(of_samples: Path) -> None:
    jsonschema.validate(load(of_samples / "json"), FINDINGS)
    jsonschema.validate(load(of_samples / "report"), REPORT)
    jsonschema.validate(load(of_samples / "sarif"), SARIF)


@pytest.mark.slow
def test_a_report_with_against_follows_the_schema(tmp_path: Path) -> None:
    module, report = tmp_path / "vectors.ptx", tmp_path / "report.json"
    module.write_bytes(gzip.decompress((DATA / "ptx/truth/matvec.ptx.gz").read_bytes()))
    source = DATA / "truth/kernels/matvec.cu"
    assert (
        main.main(
            [
                "report",
                str(source),
                "--against",
                str(module),
                "--output-format",
                "json",
                "-o",
                str(report),
            ]
        )
        == 0
    )
    found = load(report)
    jsonschema.validate(found, REPORT)
    assert any(kernel["differences"] for kernel in found["against"]["kernels"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found | {"against": {"kernels": [{"name": "k"}], "alone": []}}, REPORT)


@pytest.mark.slow
def test_every_format_holds_every_finding(of_samples: Path) -> None:
    found = load(of_samples / "json")["findings"]
    assert len(found) > 20
    assert (of_samples / "full").read_text(encoding="utf-8") == (of_samples / "main").read_text(
        encoding="utf-8"
    )
    assert len((of_samples / "concise").read_text(encoding="utf-8").splitlines()) == len(found)
    assert len((of_samples / "agent").read_text(encoding="utf-8").splitlines()) == len(found)
    assert len((of_samples / "github").read_text(encoding="utf-8").splitlines()) == len(found)
    assert [
        json.loads(line)
        for line in (of_samples / "json-lines").read_text(encoding="utf-8").splitlines()
    ] == found
    quality = load(of_samples / "gitlab")
    assert len(quality) == len(found) == len({issue["fingerprint"] for issue in quality})
    assert any(". Help: " in issue["description"] for issue in quality)
    results = load(of_samples / "sarif")["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == [finding["code"] for finding in found]
    assert ElementTree.parse(of_samples / "junit").getroot().attrib["failures"] == str(len(found))


def test_sarif_holds_the_rules_that_its_results_refer_to_and_no_others() -> None:
    """Each page is kilobytes; the log of one finding was 218 KB."""
    log = text("sarif")
    (run,) = json.loads(log)["runs"]
    known = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert known == sorted({result["ruleId"] for result in run["results"]})
    assert len(log) < 12_000 * len(known)
    (none,) = sarif.to_sarif([], Sources({}), "h100")["runs"]
    assert none["tool"]["driver"]["rules"] == [] == none["results"]


def invocation(path: Path, *words: str) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """What the run says of itself, and the levels of its results."""
    main.main(
        [
            str(SAMPLES / "transpose.cu"),
            "--output-format",
            "sarif",
            "-o",
            str(path),
            "--no-cache",
            *words,
        ]
    )
    log = load(path)
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    known = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    (found,) = run["invocations"]
    for override in found.get("ruleConfigurationOverrides", ()):
        assert known[override["descriptor"]["index"]] == override["descriptor"]["id"]
    return found, [(result["ruleId"], result["level"]) for result in run["results"]]


@pytest.mark.slow
def test_sarif_says_where_the_configuration_changes_a_rules_level(tmp_path: Path) -> None:
    plain, before = invocation(tmp_path / "plain", "--select", "KL101,KL201")
    assert plain == {"executionSuccessful": True} and before == [
        ("KL201", "warning"),
        ("KL101", "warning"),
    ]
    changed, after = invocation(
        tmp_path / "changed", "--select", "KL101,KL201", "--config", 'severities={KL101="error"}'
    )
    assert after == [("KL201", "warning"), ("KL101", "error")]
    (override,) = changed["ruleConfigurationOverrides"]
    assert override == {
        "descriptor": {"id": "KL101", "index": 0},
        "configuration": {"level": "error", "enabled": True},
    }
    same, _ = invocation(
        tmp_path / "same", "--select", "KL101", "--config", 'severities={KL101="warning"}'
    )
    assert "ruleConfigurationOverrides" not in same


@pytest.mark.slow
def test_sarif_says_that_a_rule_was_asked_for_which_is_off_by_default(tmp_path: Path) -> None:
    found, results = invocation(tmp_path / "log", "--select", "KL901")
    assert {level for _, level in results} == {"note"}
    (override,) = found["ruleConfigurationOverrides"]
    assert (
        override["configuration"] == {"level": "note", "enabled": True}
        and override["descriptor"]["id"] == "KL901"
    )


@pytest.mark.slow
def test_sarif_says_nothing_of_levels_that_some_files_alone_have(tmp_path: Path) -> None:
    (tmp_path / "kernlint.toml").write_text(
        '[[overrides]]\nfiles = ["b.cu"]\nseverities = { KL101 = "error" }\n', encoding="utf-8"
    )
    for name in ("a.cu", "b.cu"):
        (tmp_path / name).write_text(
            (SAMPLES / "transpose.cu").read_text(encoding="utf-8"), encoding="utf-8"
        )
    main.main(
        [
            str(tmp_path),
            "--select",
            "KL101",
            "--output-format",
            "sarif",
            "-o",
            str(tmp_path / "log"),
            "--no-cache",
        ]
    )
    (run,) = load(tmp_path / "log")["runs"]
    assert [result["level"] for result in run["results"]] == ["warning", "error"]
    assert "ruleConfigurationOverrides" not in run["invocations"][0]


def test_sarif_quotes_and_places() -> None:
    log = json.loads(text("sarif"))
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    rule_ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert rule_ids[result["ruleIndex"]] == result["ruleId"]
    place = next(r for r in run["results"] if r["ruleId"] == "KL101")["locations"][0]
    assert place["physicalLocation"]["artifactLocation"] == {
        "uri": "transpose.cu",
        "uriBaseId": "%SRCROOT%",
    }
    assert place["physicalLocation"]["region"]["snippet"]["text"] == made.TEXT.split("\n")[10]
    assert place["physicalLocation"]["contextRegion"]["startLine"] == 9
    assert place["logicalLocations"] == [{"fullyQualifiedName": "transpose", "kind": "function"}]
    fixed = next(r for r in run["results"] if "fixes" in r)
    (replacement,) = fixed["fixes"][0]["artifactChanges"][0]["replacements"]
    assert replacement["insertedContent"]["text"] == "tile[32][33]"


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b/ü.cu", {"uri": "a%20b/%C3%BC.cu", "uriBaseId": "%SRCROOT%"}),
        ("./x/../k.cu", {"uri": "k.cu", "uriBaseId": "%SRCROOT%"}),
        ("/elsewhere/k.cu", {"uri": "file:///elsewhere/k.cu"}),
        ("../k.cu", {"uri": "file:///k.cu"}),
    ],
)
def test_sarif_paths(path: str, uri: dict[str, str]) -> None:
    assert sarif.artifact(path, "/project") == uri


def test_github_escapes_what_would_end_a_property() -> None:
    finding = Finding(
        "KL101", "shared-bank-conflict", "warning", "50 % of\nall", Span("a,b:c.cu", 3, 2, 3, 9)
    )
    assert ci.github([finding]) == (
        "::warning file=a%2Cb%3Ac.cu,line=3,endLine=3,col=2,endColumn=9,title=KL101 shared-bank-conflict::50 %25 of%0Aall\n"
    )
    several = replace(finding, severity="info", span=Span("k.cu", 3, 2, 4, 1))
    assert ci.github([several]).startswith("::notice file=k.cu,line=3,endLine=4,title=")


def test_junit_names_files_without_findings() -> None:
    root = ElementTree.fromstring(text("junit"))
    suites = {suite.attrib["name"]: suite for suite in root}
    assert (
        suites["clean.cu"].attrib["failures"] == "0"
        and suites["clean.cu"].find("testcase/failure") is None
    )
    assert (
        int(suites[made.PATH].attrib["failures"])
        == len(suites[made.PATH].findall("testcase/failure"))
        > 0
    )


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(st.text(max_size=60))
def test_any_text_gives_valid_output(message: str) -> None:
    problem = Problem("KL001", Span("k.cu", 1, 1, 1, 2), message or "x")
    report = facts.Report("h100", (facts.File("k.cu", "cuda", (problem,), (), 1, message + "\n"),))
    document = Document(
        tuple(check(report, Selection(severity="info"))),
        Sources.of(report.files),
        "h100",
        ("k.cu",),
        report,
    )
    jsonschema.validate(json.loads(FORMATS["sarif"](document, Style())), SARIF)
    jsonschema.validate(json.loads(FORMATS["json"](document, Style())), FINDINGS)
    json.loads(FORMATS["gitlab"](document, Style()))
    ElementTree.fromstring(FORMATS["junit"](document, Style()))
    assert FORMATS["github"](document, Style()).count("\n") == FORMATS["concise"](
        document, Style()
    ).count("\n")
