"""The command line: exit codes, formats, contradictions, start-up. The engine is replaced by facts
made by hand."""

from __future__ import annotations

import io
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from kernlint import __version__
from kernlint.base import deadline
from kernlint.checks import rules
from kernlint.cli import help_texts, main
from kernlint.cli.arguments import top_parser
from kernlint.cli.commands import COMMANDS, parse
from kernlint.cli.requests import CheckRequest
from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.pipeline import workers as running
from kernlint.source import files
from tests.places import DOCS, ROOT, SAMPLES
from tests.support import handmade as made
from tests.support import needs

HEAVY = ("lark", "sympy", "numpy", "rich", "pycparser")


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main.main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


class Seen:
    """What the engine was asked for, with a report to give back."""

    def __init__(self, report: facts.Report) -> None:
        self.report = report
        self.source = files.Source("", "", None)
        self.settings = Settings()

    def analyse_source(
        self, source: files.Source, settings: Settings, shared: object = None
    ) -> facts.File:
        self.source, self.settings = source, settings
        return self.report.files[0]


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files that the tests name are there; what they hold does not matter."""
    folder = tmp_path / "named"
    folder.mkdir()
    for name in ("a.cu", "transpose.cu"):
        (folder / name).touch()
    monkeypatch.chdir(folder)


@pytest.fixture
def seen(named: None, monkeypatch: pytest.MonkeyPatch) -> Seen:
    """The engine answers with the report made by hand."""
    stand_in = Seen(made.REPORT)
    monkeypatch.setattr(engine, "analyse_source", stand_in.analyse_source)
    # there is no program to ask about its edits
    monkeypatch.setattr(running, "reviewed", lambda verdict, work, file: verdict)
    return stand_in


@pytest.fixture
def clean(named: None, monkeypatch: pytest.MonkeyPatch) -> Seen:
    """The engine answers with one kernel that has no fault."""
    kernel = facts.Kernel(
        "k", "k", (), made.KERNEL.span, made.LAUNCH, (), (made.ROW_STORE,), (), (), 4096, 0
    )
    stand_in = Seen(made.report_of(kernel))
    monkeypatch.setattr(engine, "analyse_source", stand_in.analyse_source)
    return stand_in


# ------------------------------------------------------------------ start-up


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        "--version",
        "explain KL101",
        "explain --all",
        "rules",
        "--help",
        "check --help",
        "completion bash",
        "completion zsh",
    ],
)
def test_light_commands_load_nothing_heavy(command: str) -> None:
    code = "import sys\nfrom kernlint.cli.main import main\nmain(sys.argv[1:])\nprint(*sorted(set(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code, *command.split()], capture_output=True, text=True, check=True
    )
    assert done.stdout
    loaded = set(done.stderr.split())
    assert not loaded & set(HEAVY)
    assert "kernlint.model.facts" not in loaded


@pytest.mark.slow
@pytest.mark.parametrize("words", [["report"], ["check"]])
def test_a_run_without_laws_loads_no_sympy(words: list[str]) -> None:
    code = "import sys\nfrom kernlint.cli.main import main\nmain(sys.argv[1:])\nprint('sympy' in sys.modules, file=sys.stderr)"
    file = str(SAMPLES / "strided_copy.cu")
    for more, expected in (([], "False"), (["--laws"], "True")):
        if more and words == ["check"]:
            continue
        done = subprocess.run(
            [sys.executable, "-c", code, *words, file, "--isolated", "--no-cache", *more],
            capture_output=True,
            text=True,
        )
        assert done.stderr.split()[-1] == expected


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version", capsys=capsys) == (0, f"kernlint {__version__}\n", "")


# ------------------------------------------------------------------ check


def test_a_bare_file_is_checked(seen: Seen, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run("transpose.cu", capsys=capsys)
    assert code == 1 and err == ""
    assert seen.source.path == "transpose.cu"
    assert "warning[KL101]:" in out and "help: pad the rows" in out
    assert out.splitlines()[-1].startswith("1 error, 4 warnings in 1 kernel (1 file, ")
    assert out.splitlines()[-1].endswith(
        " s); 1 fix available (preview with --unsafe-fixes --diff)"
    )
    assert run("check", "transpose.cu", capsys=capsys)[0] == 1


def test_nothing_found(clean: Seen, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run("a.cu", capsys=capsys)
    assert code == 0 and out.startswith("no findings in 1 kernel (1 file, ")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 1),
        (["--exit-zero"], 0),
        (["--fail-on", "error"], 1),
        (["--select", "KL101", "--fail-on", "error"], 0),
        (["--select", "KL101"], 1),
        (["--ignore", "all"], 0),
        (["--severity", "error"], 1),
        (["--status", "range"], 0),
        (["--status", "exact,unknown"], 1),
    ],
)
def test_exit_codes(
    seen: Seen, capsys: pytest.CaptureFixture[str], options: list[str], code: int
) -> None:
    assert run("a.cu", *options, capsys=capsys)[0] == code


def test_concise_lines_on_standard_output_only(
    seen: Seen, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, err = run("a.cu", "--output-format", "concise", capsys=capsys)
    assert [line.rsplit(" ", 1)[1] for line in out.splitlines()] == [
        "[KL001]",
        "[KL201]",
        "[KL101]",
        "[KL301]",
        "[KL401]",
    ]
    assert err.startswith("1 error, 4 warnings")


def test_json(seen: Seen, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run("a.cu", "--output-format", "json", capsys=capsys)
    result = json.loads(out)
    assert code == 1 and err == ""
    assert result["tool"] == {"name": "kernlint", "version": __version__}
    assert len(result["findings"]) == 5
    conflict = next(f for f in result["findings"] if f["code"] == "KL101")
    assert conflict["fix"]["edits"][0]["content"] == "33" and conflict["metrics"]["degree"] == 32


def test_output_file(seen: Seen, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    _, out, _ = run("a.cu", "-o", str(target), capsys=capsys)
    assert "warning[KL101]" in target.read_text() and "warning[KL101]" not in out
    code, _, err = run("a.cu", "-o", str(tmp_path / "none" / "out.txt"), capsys=capsys)
    assert code == 2 and "cannot write" in err


def test_statistics(seen: Seen, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(
        "a.cu", "--statistics", "--select", "KL1,KL2", "--ignore", "KL001", capsys=capsys
    )
    assert out.splitlines()[0] == "     1  KL201     0 fixable  uncoalesced-global-access"
    assert out.splitlines()[1] == "     1  KL101     1 fixable  shared-bank-conflict"


@pytest.mark.slow
def test_a_place_in_two_kernels_is_one_finding_with_one_edit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    turn = "__device__ void turn(float *o)\n{\n    __shared__ float s[32][32];\n    int x = threadIdx.x % 32, y = threadIdx.x / 32;\n"
    launched = (
        "// kernlint: launch(grid=1, block={})\n__global__ void {}(float *o) {{ turn(o); }}\n"
    )
    body = "    s[x][y] = x;\n    __syncthreads();\n    o[threadIdx.x] = s[y][x];\n}\n"
    path.write_text(
        turn + body + launched.format(256, "a") + launched.format(512, "b"), encoding="utf-8"
    )
    table = run(str(path), "--statistics", "--no-cache", "--select", "KL101", capsys=capsys)[
        1
    ].splitlines()
    assert table[0].startswith("     1  KL101     1 fixable") and "; 1 fix available (" in table[1]


def test_where_there_is_no_kernel_it_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"hello\n")))
    code, out, _ = run("-", capsys=capsys)
    assert code == 0 and out.startswith("no kernel found (1 file, ")


def test_colour_on_demand(seen: Seen, capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b[" in run("a.cu", "--color", "always", capsys=capsys)[1]
    assert "\x1b[" not in run("a.cu", capsys=capsys)[1]


# ------------------------------------------------------------------ settings


def test_launch_options_reach_the_engine(seen: Seen, capsys: pytest.CaptureFixture[str]) -> None:
    words = "--block 32x8 --grid 64,64 --dynamic-shared 4<<10 --arg n=1<<20 --arg s=1.5 --arg out=+4 -D N=4 -D FAST -I . --kernel k"
    run("a.cu", *words.split(), "--device", "h100", "--language", "cuda", capsys=capsys)
    launch = seen.settings.launch
    assert (launch.block, launch.grid, launch.dynamic_shared_bytes) == (
        (32, 8, 1),
        (64, 64, 1),
        4096,
    )
    assert launch.arguments == {"n": 1 << 20, "s": 1.5, "out": facts.PointerArgument(4)}
    assert seen.settings.defines == {"N": "4", "FAST": "1"} and seen.settings.include_dirs == (".",)
    assert seen.settings.kernel == "k" and seen.settings.language == "cuda"


def test_standard_input(
    seen: Seen, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"__kernel void k() {}")))
    run("-", "--stdin-filename", "k.cl", capsys=capsys)
    assert (seen.source.path, seen.source.language) == ("k.cl", "opencl")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("check", "no file given"),
        ("--select KL101", "no file given"),
        ("a.cu --block 0", "every size must be at least 1"),
        (
            "a.cu --block wide",
            "'wide' is neither an integer nor a name with a known value; sizes are written 256, 32x8 or 8x8x4",
        ),
        ("a.cu --grid 32y8", "'32y8' is not an integer; sizes are written 256, 32x8 or 8x8x4"),
        ("a.cu --block 32 --block 64", "given twice"),
        ("a.cu --dynamic-shared -1", "cannot be negative"),
        ("a.cu --arg n", "expected NAME=VALUE"),
        ("a.cu --arg n=x", "--arg n=x: 'x' is neither an integer nor a name with a known value"),
        ("a.cu --arg n=1 --arg n=2", "given twice with different values"),
        ("a.cu -D N=1 -D N=2", "given twice with different values"),
        ("a.cu -I no/such/folder", "no such folder"),
        ("a.cu --select KL999", "unknown rule 'KL999'"),
        ("a.cu --select ,", '--select "," names no rule: leave it out'),
        ("a.cu --select KL101 --ignore shared-bank-conflict", "both selected and ignored"),
        ("a.cu --status sure", "not one of exact, range, unknown"),
        ("a.cu --exit-zero --fail-on error", "contradict"),
        ("a.cu --severity error --fail-on info", "has no effect"),
        ("a.cu --statistics --output-format json", "leave out --output-format json"),
        ("- a.cu", "it cannot be combined with files"),
        ("a.cu --stdin-filename b.cu", "give - as the file"),
        ("report a.cu b.cu --line 3", "works on one file"),
        ("report a.cu --line 0", "count from 1"),
        ("report a.cu --line 3 --output-format json", "prints text"),
        ("a.cu --no-such-option", "--no-such-option"),
        ("a.cu --output-format yaml", "invalid choice"),
        ("explain", "name the rules"),
        ("explain KL101 --all", "name the rules"),
        ("explain KL999", "unknown rule"),
        (
            "explain bank",
            "unknown rule 'bank'; related: KL101 (shared-bank-conflict); `kernlint rules` lists them",
        ),
        ("explain coalescing", "related: KL201 (uncoalesced-global-access); `kernlint rules`"),
        (
            "explain swizzle",
            "related: KL101 (shared-bank-conflict); `kernlint rules`",
        ),  # a word of its page
        (
            "explain KL1",
            "related: KL101 (shared-bank-conflict), KL102 (shared-atomic-contention), KL103 (shared-broadcast-missed);",
        ),
        (
            "check --line 3 a.cu",
            "no such option: --line; `kernlint report` has it: `kernlint report --line …`",
        ),
        (
            "report a.cu --fix",
            "no such option: --fix; `kernlint check` has it: `kernlint check --fix …`",
        ),
        ("report a.cu --apply", "`kernlint tune` has it"),
        ("devices h10", "did you mean 'h100'"),
        ("samples --device h10", "did you mean 'h100'"),
        ("samples --block 64x64", "allows at most 1,024"),
    ],
)
def test_usage_errors(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(*words.split(), capsys=capsys)
    assert code == 2 and out == ""
    assert message in err and "Traceback" not in err and len(err.splitlines()) <= 2


def test_no_words_at_all_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys=capsys)
    assert code == 2 and out == "" and "examples:" in err


@pytest.mark.parametrize(
    "command", [[], ["check"], ["report"], ["explain"], ["rules"], ["devices"]]
)
def test_help(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(*command, "--help", capsys=capsys)
    assert code == 0 and out.startswith("usage: kernlint")
    if command in ([], ["check"], ["report"]):
        assert "examples:" in out and "exit codes:" in out


# ------------------------------------------------------------------ report


def test_report_prints_tables(clean: Seen, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run("report", "a.cu", capsys=capsys)
    assert code == 0 and "tile[threadIdx.y + j][threadIdx.x]" in out


def test_report_as_json_keeps_problems_in_the_report_and_on_standard_error(
    seen: Seen, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run("report", "a.cu", "--output-format", "json", capsys=capsys)
    assert code == 1 and json.loads(out)["files"][0]["problems"][0]["code"] == "KL001"
    assert err == "transpose.cu:1:4: warning: expected `;` before `transpose` [KL001]\n"


def test_report_of_a_line(seen: Seen, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run("report", "a.cu", "--line", "11", capsys=capsys)
    assert "lanes 0-31 need 32 different words of one bank" in out


# ------------------------------------------------------------------ rules, explain, devices


def test_explain_as_markdown_and_as_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run("explain", "KL101", "--output-format", "md", capsys=capsys)
    page = DOCS / "rules" / "KL101-shared-bank-conflict.md"
    assert code == 0 and out == page.read_text(encoding="utf-8")
    code, out, _ = run("explain", "KL101", "KL901", "--output-format", "html", capsys=capsys)
    assert code == 0 and out.startswith("<!doctype html>") and out.rstrip().endswith("</html>")
    assert (
        '<article id="KL101">' in out
        and '<article id="KL901">' in out
        and "<h2>References</h2>" in out
    )
    assert not any(tag in out for tag in ("<script", "<link", "<img"))


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("KL101", "shared-bank-conflict"):
        code, out, _ = run("explain", word, capsys=capsys)
        assert code == 0 and out.startswith(
            "# shared-bank-conflict (KL101)\n\nwarning, on by default, family shared-memory"
        )
    _, out, _ = run("explain", "--all", "--output-format", "json", capsys=capsys)
    assert [rule["code"] for rule in json.loads(out)] == list(rules.rules())


def test_rules(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run("rules", capsys=capsys)
    lines = out.splitlines()
    assert code == 0 and [line.split()[0] for line in lines if line.startswith("KL")] == list(
        rules.rules()
    )
    families = [line.partition(" (KL")[0] for line in lines if not line.startswith("KL")]
    assert families == [
        words[0] for words in rules.FAMILIES.values()
    ]  # the words that --select takes, as the README names them
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(rules.matching(family) and f"`{family}`" in readme for family in families)
    _, out, _ = run("rules", "--output-format", "json", capsys=capsys)
    by_code = {rule["code"]: rule for rule in json.loads(out)}
    assert (
        by_code["KL101"]["thresholds"] == dict(rules.find("KL101").thresholds)
        and by_code["KL101"]["thresholds"]["ratio"] == 2.0
    )


def test_devices(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run("devices", capsys=capsys)
    assert code == 0 and "h100" in out and "gtx-780-ti" in out and "intel-gen9" in out
    for name in (line.split()[0] for line in out.splitlines()):
        code, out, _ = run("devices", name, capsys=capsys)
        assert code == 0 and "shared.banks" in out
        code, out, _ = run("devices", name, "--output-format", "json", capsys=capsys)
        assert all(figure["source"] for figure in json.loads(out)[0]["figures"].values())


# ------------------------------------------------------------------ faults


def test_a_fault_of_kernlint_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> facts.Report:
        raise RuntimeError("out of order")

    monkeypatch.setattr(engine, "analyse_source", broken)
    code, out, err = run("samples/branches.cu", "--no-cache", capsys=capsys)
    assert (code, out) == (2, "") and err.startswith(
        "kernlint: internal fault: RuntimeError: out of order"
    )


@pytest.mark.slow
def test_a_reader_that_closes_early_is_no_fault() -> None:
    command = f"{sys.executable} -m kernlint explain --all | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stderr == "" and len(done.stdout.splitlines()) == 1


def test_missing_files_are_findings_and_the_rest_is_analysed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.cu").write_text("")
    (tmp_path / "binary.cu").write_bytes(b"\0\1\2")
    paths = [str(tmp_path / name) for name in ("missing.cu", "empty.cu", "binary.cu")]
    code, out, err = run(*paths, capsys=capsys)
    assert (
        code == 2
        and "missing.cu" not in out
        and err == f"kernlint: {paths[0]}: no such file or folder\n"
    )
    assert run(*paths[1:], capsys=capsys)[0] == 1
    _, out, _ = run(*paths, "--output-format", "concise", capsys=capsys)
    assert [line.split(": warning: ")[1] for line in out.splitlines()] == [
        "the file is empty: nothing to analyse [KL001]",
        "cannot read: it is a binary file [KL001]",
    ]


@pytest.mark.slow
def test_the_line_of_a_declaration_shows_the_accesses_of_what_it_declares(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sample = str(SAMPLES / "transpose.cu")
    code, out, _ = run("report", sample, "--line", "19", capsys=capsys)
    assert code == 0 and out.splitlines()[0] == "line 19 declares `tile`, accessed on lines 23, 28"
    assert (
        f"{sample}:23:9: tile[threadIdx.y + j][threadIdx.x]" in out
        and f"{sample}:28:32: tile[threadIdx.x][threadIdx.y + j]" in out
    )
    assert "32 per request, ideal 1" in out and "out[" not in out and f"{sample}:38" not in out
    _, drawn, _ = run(
        "report", sample, "--line", "17", "--map", capsys=capsys
    )  # the kernel's head, which declares its pointers
    assert drawn.startswith(
        "line 17 declares `in`, accessed on line 23\nline 17 declares `out`, accessed on line 28\n"
    )
    assert "tile" not in re.sub(r"transpose_tiled", "", drawn)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--select", "KL101"),
        ("--output-format", "json"),
        ("report",),
        ("tune",),
        ("--show-files",),
    ],
)
def test_paths_of_which_none_is_there_are_told_once_and_nothing_else_is(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = str(tmp_path / "one.cu"), str(tmp_path / "two.cu")
    code, out, err = run(*words, first, second, first, capsys=capsys)
    assert code == 2 and out == ""
    assert (
        err
        == f"kernlint: {first}: no such file or folder\nkernlint: {second}: no such file or folder\n"
    )


@pytest.mark.parametrize(
    "words",
    [
        ("check", "--fail-on", "error"),
        ("check", "--exit-zero", "--select", "KL101"),
        ("check", "--diff"),
        ("check", "--show-files"),
        ("report",),
        ("report", "--line", "1"),
        ("tune",),
    ],
)
def test_a_path_that_is_not_there_is_a_wrong_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    (tmp_path / "copy.cu").write_text("__global__ void k(float *x) { x[threadIdx.x] = 1; }\n")
    code, _, err = run(*words, str(tmp_path / "cpoy.cu"), capsys=capsys)
    assert code == 2 and err.endswith(
        f"kernlint: {tmp_path}/cpoy.cu: no such file or folder, did you mean `copy.cu`?\n"
    )
    code, _, err = run(*words, str(tmp_path / "copy.cu"), capsys=capsys)
    assert code == 0 and "no such file" not in err


@pytest.mark.slow
@needs.full_device
@pytest.mark.parametrize(
    "command", [("rules",), ("explain", "--all"), ("report", "samples"), ("--version",)]
)
def test_output_that_cannot_be_written_is_said(command: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "kernlint", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (done.returncode, done.stderr) == (
        2,
        "kernlint: cannot write the output: no space left on device\n",
    )


def test_a_closed_output_is_said() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kernlint", "rules"],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: os.close(1),
    )
    assert (done.returncode, done.stderr) == (
        2,
        "kernlint: cannot write the output: it is closed\n",
    )


def test_a_reader_that_stops_early_is_no_fault() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "kernlint", "explain", "--all"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""


def test_timings_name_phases_and_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "k.cu").write_text(
        "__global__ void k(float *a) { a[threadIdx.x] = 1; }\n", encoding="utf-8"
    )
    _, _, err = run(str(tmp_path / "k.cu"), "--timings", capsys=capsys)
    rows = [line.split(None, 3) for line in err.splitlines()]
    names = [row[3] for row in rows]
    assert {"parse", "lower kernels", "execute and count", "rule KL101"} <= set(names)
    spent = [float(row[0]) for row in rows]
    assert spent == sorted(spent, reverse=True) and all(
        row[1] == "s" and row[2].endswith("%") for row in rows
    )


def test_hip_without_a_device_is_told_which_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        "__global__ void k(float *a) {\n    a[threadIdx.x] = __shfl_down(a[threadIdx.x], 1);\n}\n"
    )
    hip, cuda = tmp_path / "k.hip", tmp_path / "k.cu"
    hip.write_text(text, encoding="utf-8")
    cuda.write_text(text.replace("__shfl_down(a[threadIdx.x], 1)", "0"), encoding="utf-8")
    code, out, err = run(str(hip), "--no-cache", capsys=capsys)
    assert (
        code == 0
        and "KL703" not in out
        and "the numbers are for AMD Instinct MI300X, 64 lanes a warp" in err
    )
    code, out, err = run(str(hip), "--no-cache", "--device", "h100", capsys=capsys)
    assert code == 0 and "KL703" not in out and "no device is given" not in err
    _, _, err = run(str(hip), str(cuda), "--no-cache", capsys=capsys)
    assert (
        "k.hip: HIP, and no device is given: the numbers are for AMD Instinct MI300X" in err
        and "k.cu" not in err
    )


def test_the_last_line_says_how_to_see_what_is_hidden(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "k.cu"
    source.write_text(
        "__global__ void k(float *a) {\n    a[threadIdx.x * 32] = 1;\n}\n", encoding="utf-8"
    )
    _, out, _ = run(str(source), "--no-cache", capsys=capsys)
    assert out.rstrip().endswith("; 1 hidden (show with --severity info)")
    _, out, _ = run(str(source), "--no-cache", "--severity", "info", capsys=capsys)
    assert "hidden" not in out


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_says_all_that_a_manual_page_says(command: str) -> None:
    parser = COMMANDS[command].parser() if command else top_parser()
    text = parser.format_help()
    assert parser.description and "\nexamples:\n  " in text and "\nexit codes: 0 " in text
    assert all(action.help for action in parser._actions), "every option is explained"
    assert ("--output-format" in text) <= ("NO_COLOR" in text or command == "")
    if "--cache-dir" in text:
        assert all(
            word in text
            for word in (
                "\nfiles:\n",
                "kernlint.toml",
                ".kernlint_cache/",
                "\nenvironment:\n",
                "KERNLINT_CACHE_DIR",
            )
        )
    assert max(map(len, text.splitlines())) <= 140


def test_every_example_of_the_help_is_a_request_that_makes_sense() -> None:
    for command, examples in help_texts.EXAMPLES.items():
        lines = [line.strip() for line in examples.splitlines() if line.startswith("  kernlint ")]
        assert lines, command
        for line in lines:
            words = shlex.split(re.split(r"\s{3,}| > ", line)[0])[1:]
            name, rest = (words[0], words[1:]) if words[0] in COMMANDS else ("check", words)
            COMMANDS[name].parser().parse_intermixed_args(rest)


def test_analysis_stopped_for_its_time_fails_only_when_strict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "k.cu"
    source.write_text(
        "__global__ void k(float *a) {\n    a[threadIdx.x] = 1;\n}\n", encoding="utf-8"
    )
    ticks = itertools.count()
    with monkeypatch.context() as patch:
        for name in ("process_time", "monotonic"):
            patch.setattr(deadline, name, lambda: next(ticks))
        options = (str(source), "--no-cache", "--timeout-per-file", "0.01", "-j", "1")
        code, out, _ = run(*options, capsys=capsys)
        assert code == 0 and "warning[KL003]" in out
        assert run(*options, "--strict", capsys=capsys)[0] == 1
    code, _, err = run(str(source), "--no-cache", "--strict", "--exit-zero", capsys=capsys)
    assert code == 2 and "contradict" in err
    source.write_text(
        "__global__ void k(float *a) {\n    a[threadIdx.x = 1;\n}\n", encoding="utf-8"
    )
    assert run(str(source), "--no-cache", capsys=capsys)[0] == 1  # what cannot be read always fails


def test_an_architecture_leads_to_its_devices(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run("samples/transpose.cu", "--device", "sm_80", capsys=capsys)
    assert code == 2 and "'sm_80', an architecture: choose sm_80 (a100);" in err
    err = run("samples/transpose.cu", "--device", "sm_90a", capsys=capsys)[2]
    assert "choose sm_90 (h100, h200);" in err
    err = run("samples/transpose.cu", "--device", "b20", capsys=capsys)[2]
    assert "did you mean 'b200'" in err
    err = run("samples/transpose.cu", "--device", "a10", capsys=capsys)[2]
    assert "'a10', a GPU of compute capability 8.6: choose sm_86 (rtx-3090);" in err


def test_a_line_that_no_file_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        "// kernlint: launch(grid=1, block=32)\n__global__ void k(float *a)\n{\n    a[threadIdx.x] = 1;\n}\n"
    )
    code, out, err = run("report", "--line", "9999", str(path), capsys=capsys)
    assert (code, out, err) == (2, "", f"kernlint: --line 9999: {path} ends at line 5\n")
    code, out, _ = run("report", "--line", "3", str(path), capsys=capsys)
    assert (code, out) == (0, "no memory access or branch on line 3; lines with facts: 4\n")


def test_the_help_says_what_no_jobs_mean(capsys: pytest.CaptureFixture[str]) -> None:
    assert "worker processes (default and 0: one per core)" in " ".join(
        run("check", "--help", capsys=capsys)[1].split()
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("chekc a.cu", "no file or folder `chekc`, did you mean the command `check`?"),
        ("repot", "no file or folder `repot`, did you mean the command `report`?"),
        (
            "hover a.cu",
            "no file or folder `hover`, and no command: `kernlint report FILE --line N` does that",
        ),
        ("-D A=1 report a.cu", "the command comes first: `kernlint report -D A=1 a.cu`"),
        ("--line 3 report a.cu", "the command comes first: `kernlint report --line 3 a.cu`"),
        ("--kernel report a.cu", "a.cu: no such file or folder\n"),
        ("a.cu --devcie h100", "no such option: --devcie, did you mean `--device`?"),
        ("report a.cu --lines=3", "no such option: --lines, did you mean `--line`?"),
        ("a.cu --formt json", "no such option: --formt, did you mean `--output-format`?"),
        ("a.cu --output-format text", "), did you mean `full`?\n"),
        ("a.cu --output-format plain", ", did you mean `full`?\n"),
        ("report a.cu --output-format human", ", did you mean `text`?\n"),
        ("report a.cu --output-format full", ", did you mean `text`?\n"),
        ("a.cu --output-format jsno", ", did you mean `json`?\n"),
        ("a.cu --config output-format=text", ", html, did you mean `full`?\n"),
        ("a.cu --config output-format=xml", ", html\n"),
        ("a.cu --output-format xml", ")\n(see"),
        ("a.cu --severity plain", ")\n(see"),
        ("a.cu --severity warn", ", did you mean `warning`?\n"),
        ("a.cu --xyzzy", "no such option: --xyzzy\n"),
        ("a.cu --foo", "no such option: --foo\n"),
        ("a.cu --foobar", "no such option: --foobar\n"),
    ],
)
def test_misspelt_words_are_told_what_was_meant(
    words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(*words.split(), capsys=capsys)
    assert code == 2 and out == "" and message in err


def test_a_misspelt_key_of_a_directive_is_told_what_was_meant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        "// kernlint: launch(grid=1, blok=32)\n__global__ void k(float *a)\n{\n    a[threadIdx.x] = 1;\n}\n"
    )
    out = run(str(path), capsys=capsys)[1]
    assert "`k` has no argument `blok`, did you mean `block`?" in " ".join(out.split())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_completion_knows_the_commands_and_options(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run("completion", shell, capsys=capsys)
    assert code == 0 and all(
        word in out for word in ("check", "explain", "output-format", "dynamic-shared")
    )


def test_a_dash_is_standard_output(
    seen: Seen, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    _, out, _ = run("a.cu", "-o", str(tmp_path / "text"), "--also", "json=-", capsys=capsys)
    assert {one["code"] for one in json.loads(out)["findings"]} >= {"KL101"} and (
        tmp_path / "text"
    ).exists()
    _, out, _ = run("a.cu", "-o", "-", "--output-format", "concise", capsys=capsys)
    assert "[KL101]" in out and not Path("-").exists()


def test_a_rule_in_the_place_of_a_file_is_told_where_its_page_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, _, err = run("KL101", capsys=capsys)
    assert (code, err) == (
        2,
        "kernlint: no file or folder `KL101`: `kernlint explain KL101` prints the page of a rule\n",
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_requests_have_a_field_for_every_option(command: str) -> None:
    options = {action.dest for action in COMMANDS[command].parser()._actions} - {"help"}
    made = {"verb"} if command == "baseline" else set()
    assert {field.name for field in fields(COMMANDS[command].request)} == options | made


def test_a_request_is_normal_and_frozen(tmp_path: Path) -> None:
    """What one option says of another is settled before a command sees it."""
    (tmp_path / "k.cu").write_text("")
    folder = str(tmp_path)
    timed = parse("check", [folder, "--timings", "--jobs", "4", "--fix", "--diff"])
    assert isinstance(timed, CheckRequest)
    assert (timed.jobs, timed.no_cache, timed.fix, timed.diff) == (1, True, False, True)
    written = parse("check", ["--write-baseline", folder])
    assert isinstance(written, CheckRequest)
    assert (written.paths, written.write_baseline) == ((folder,), "")
    with pytest.raises(FrozenInstanceError):
        timed.jobs = 2  # type: ignore[misc]
