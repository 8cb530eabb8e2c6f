"""Configuration files: where they are found, what lies over what, and what wrong ones are told."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from kernlint.cli import main
from kernlint.configuration import compile_commands
from kernlint.configuration.keys import KEYS
from kernlint.configuration.project import Project, matches, selection, settings
from kernlint.model.settings import LaunchOverrides

KERNEL = """\
__global__ void column(float *a, int pitch)
{
    a[(blockIdx.x * blockDim.x + threadIdx.x) * STRIDE] = 0;
}
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src" / "old").mkdir(parents=True)
    (tmp_path / "src" / "k.cu").write_text(KERNEL, encoding="utf-8")
    (tmp_path / "src" / "old" / "o.cu").write_text(KERNEL, encoding="utf-8")
    return tmp_path


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def values(path: str = "src/k.cu", **given: object) -> dict[str, object]:
    return Project(given).values(path)


def test_the_nearest_file_decides_alone(tree: Path) -> None:
    write(tree / "kernlint.toml", 'ignore = ["KL2"]\nseverity = "info"')
    assert values() == {"ignore": ("KL2",), "severity": "info"}
    write(tree / "src" / "pyproject.toml", "[tool.other]\nx = 1")
    assert values()["severity"] == "info"  # a pyproject.toml without [tool.kernlint] says nothing
    write(tree / "src" / "pyproject.toml", '[tool.kernlint]\nselect = ["KL101"]')
    assert values() == {"select": ("KL101",)}  # no implicit merging
    write(tree / "src" / ".kernlint.toml", 'fail-on = "error"')
    assert values() == {"fail-on": "error"}  # of several in one folder, kernlint's own file
    assert values("top.cu")["severity"] == "info"


def test_extending_and_overrides_and_the_command_line(tree: Path) -> None:
    write(
        tree / "base.toml",
        'ignore = ["KL3"]\nseverity = "error"\ninclude = ["inc"]\n[defines]\nA = 1\nB = 2',
    )
    write(
        tree / "kernlint.toml",
        'extend = "base.toml"\nseverity = "info"\n[defines]\nB = 3\n'
        '[[overrides]]\nfiles = ["src/old/**"]\nignore = ["all"]\ndefines = ["C"]',
    )
    assert values() == {
        "extend": "base.toml",
        "ignore": ("KL3",),
        "severity": "info",
        "include": ("inc",),
        "defines": {"A": "1", "B": "3"},
    }
    assert values("src/old/o.cu")["ignore"] == ("all",)
    assert values("src/old/o.cu")["defines"] == {"A": "1", "B": "3", "C": "1"}
    assert values("src/old/o.cu", ignore=("KL101",), defines={"A": "9"})["ignore"] == ("KL101",)
    assert values("src/k.cu", defines={"A": "9"})["defines"] == {"A": "9", "B": "3"}


def test_isolated_and_named_files(tree: Path) -> None:
    write(tree / "kernlint.toml", 'severity = "info"')
    write(tree / "other.toml", 'severity = "error"')
    assert Project({}, None, isolated=True).values("src/k.cu") == {}
    assert Project({}, "other.toml").values("src/k.cu") == {"severity": "error"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            'selct = ["KL101"]',
            "kernlint.toml:1: unknown key `selct`, did you mean `select`?\n(`kernlint config` lists the keys)\n",
        ),
        (
            '[tool.kernlint]\ndevice = "a100"',
            "leave out the heading `[tool.kernlint]`: in this file keys stand by",
        ),
        ("[kernlint.kernels.k]\nblock = 2", "leave out the heading `[kernlint]`"),
        (
            '[lint]\nselect = ["KL101"]',
            "kernlint.toml:1: leave out the heading `lint`: keys stand at the top level",
        ),
        ("fail_on = 'error'", "unknown key `fail_on`, did you mean `fail-on`?"),
        ('severity = "loud"', "severity: expected one of info, warning, error"),
        ('select = "KL101"', "select: expected a list of texts"),
        ('select = ["KL9999"]', "select: unknown rule 'KL9999'"),
        ("[defines]\n'1x' = 2", "`1x` is no name of a macro"),
        (
            "[thresholds.KL101]\nratios = 2",
            "kernlint.toml:2: thresholds.KL101: no threshold `ratios`, did you mean `ratio`?",
        ),
        ("[thresholds.KL101]\nratio = 'x'", "KL101.ratio: expected a number"),
        (
            "[kernels.k]\nblok = 2",
            "kernlint.toml:2: kernels.k: unknown key `blok`, did you mean `block`?",
        ),
        ("[kernels.k]\nblock = [0]", "every size must be at least 1"),
        ("[severities]\nKL101 = 'never'", "expected one of info, warning, error, off"),
        ("[[overrides]]\nignore = ['all']", "each needs files = [globs]"),
        ("[[overrides]]\nfiles = ['a']\ndevice = 'h100'", "`device` is for the whole run"),
        ("x = [", "not valid TOML"),
        ('extend = "kernlint.toml"', "extend goes in a circle"),
        ('extend = "missing.toml"', "kernlint.toml: extend: no such file: missing.toml"),
        ('device = "h1000"', "h1000"),
        ('output-format = "xml"', "output-format: expected one of full, concise"),
    ],
)
def test_wrong_files_are_told_what_is_wrong(
    tree: Path, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    write(tree / "kernlint.toml", text)
    assert main.main(["src"]) == 2
    assert told in capsys.readouterr().err


WRONG = """\
devise = "h100"
select = ["KL101", "KL9O1"]
[kernels.transpose]
block = "32y8"
gird = [1, 2]
[thresholds]
KL101.ratio = "x"
"KL201".ration = 3
[severities]
KL201 = "errr"
[[overrides]]
file = ["a"]
[[overrides]]
files = [
    "[kernels.k]",
    "devise = 3",
]
ignroe = ["all"]
[overrides.defines]
"1x" = 1
"""


@pytest.mark.parametrize("name", ["kernlint.toml", "pyproject.toml"])
def test_all_mistakes_are_told_at_once_with_their_lines(
    tree: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    nested = re.sub(r"^(\[+)", r"\1tool.kernlint.", WRONG, flags=re.MULTILINE)
    write(tree / name, WRONG if name == "kernlint.toml" else f"[tool.kernlint]\n{nested}")
    assert main.main(["src"]) == 2
    before = int(name == "pyproject.toml")  # lines
    assert capsys.readouterr().err.splitlines() == [
        *(
            f"kernlint: {name}:{line + before}: {told}"
            for line, told in (
                (1, "unknown key `devise`, did you mean `device`?"),
                (
                    2,
                    "select: unknown rule 'KL9O1', did you mean 'KL901'?; `kernlint rules` lists them",
                ),
                (
                    4,
                    "kernels.transpose.block: '32y8' is not an integer; sizes are written 256, 32x8 or 8x8x4",
                ),
                (5, "kernels.transpose: unknown key `gird`, did you mean `grid`?"),
                (7, "thresholds.KL101.ratio: expected a number"),
                (8, "thresholds.KL201: no threshold `ration`, did you mean `ratio`?"),
                (
                    10,
                    "severities.KL201: expected one of info, warning, error, off, did you mean `error`?",
                ),
                (11, "overrides: each needs files = [globs]"),
                (12, "overrides: unknown key `file`, did you mean `files`?"),
                (18, "overrides: unknown key `ignroe`, did you mean `ignore`?"),
                (20, "overrides.defines: `1x` is no name of a macro"),
            )
        ),
        "(`kernlint config` lists the keys)",
    ]


def test_every_key_reaches_the_analysis(tree: Path) -> None:
    write(
        tree / "kernlint.toml",
        'device = "gtx-780-ti"\nlanguage = "cuda"\nstatus = ["exact"]\n[defines]\nSTRIDE = 4\n'
        '[severities]\n"KL2" = "error"\nKL201 = "off"\n'
        "[thresholds.KL101]\nratio = 4\n[kernels.'col*']\nblock = [32, 8]\ngrid = 64\nargs = { pitch = 7 }\n",
    )
    merged = values()
    how = settings(merged, LaunchOverrides(), None)
    assert (how.device, how.language, how.defines) == ("gtx-780-ti", "cuda", {"STRIDE": "4"})
    (fact,) = how.stated
    assert (fact.kernel, fact.block, fact.grid, fact.arguments) == (
        "col*",
        (32, 8, 1),
        (64, 1, 1),
        {"pitch": 7},
    )
    which = selection(merged)
    assert (
        which.severities["KL202"] == "error"
        and which.severities["KL201"] == "off"
        and which.thresholds["KL101"] == {"ratio": 4.0}
    )


def test_launch_facts_of_a_kernel_are_used_unless_the_source_has_its_own(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(
        tree / "kernlint.toml", "[defines]\nSTRIDE = 1\n[kernels.column]\nblock = 128\ngrid = 10\n"
    )

    def launch() -> dict[str, object]:
        assert main.main(["report", "src/k.cu", "--output-format", "json"]) == 0
        (kernel,) = json.loads(capsys.readouterr().out)["files"][0]["kernels"]
        return dict(kernel["launch"])

    assert (launch()["grid"], launch()["block"]) == ([10, 1, 1], [128, 1, 1])
    write(tree / "src" / "k.cu", "// kernlint: launch(grid=3, block=64)\n" + KERNEL)
    assert (launch()["grid"], launch()["block"]) == ([3, 1, 1], [64, 1, 1])


def test_a_pointer_of_a_configured_launch_is_given_as_bytes_from_its_allocation(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(
        tree / "kernlint.toml",
        '[defines]\nSTRIDE = 1\n[kernels.column]\nblock = 128\ngrid = 10\nargs = { a = "+4", pitch = 7 }\n',
    )
    assert main.main(["report", "src/k.cu"]) == 0
    assert "launch: grid 10, block 128, a = +4, pitch = 7 (directive)" in capsys.readouterr().out
    assert main.main(["src/k.cu", "--show-settings"]) == 0
    assert 'args = { a = "+4", pitch = 7 }' in capsys.readouterr().out


def test_levels_and_exclusion(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(
        tree / "kernlint.toml",
        'exclude = ["old"]\n[defines]\nSTRIDE = 8\n[severities]\nKL201 = "error"\n',
    )
    assert main.main(["src", "--output-format", "concise", "--fail-on", "error"]) == 1
    out = capsys.readouterr().out
    assert "src/k.cu:3:" in out and "error: " in out and "o.cu" not in out
    assert (
        main.main(["src/old/o.cu", "--output-format", "concise"]) == 1
    )  # named, so not passed over
    write(tree / "kernlint.toml", '[defines]\nSTRIDE = 8\n[severities]\nKL201 = "off"\n')
    assert main.main(["src"]) == 0


def test_keys_on_the_command_line(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main.main(
            ["src/k.cu", "--config", "defines.STRIDE=8", "--config", 'severities.KL201="info"']
        )
        == 0
    )
    assert main.main(["src/k.cu", "--config", "severity=info", "--show-settings"]) == 0
    assert 'severity = "info"' in capsys.readouterr().out
    assert main.main(["src/k.cu", "--config", "sevrity=info"]) == 2
    assert "did you mean `severity`?" in capsys.readouterr().err


def test_show_files(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main([".", "--show-files", "--exclude", "old"]) == 0
    assert capsys.readouterr().out == "src/k.cu\n"


def test_devices_must_agree(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tree / "src" / "old" / "kernlint.toml", 'device = "gtx-480"')
    assert main.main(["src"]) == 2
    assert "run them apart, or give --device" in capsys.readouterr().err
    assert main.main(["src", "--device", "h100", "-D", "STRIDE=1"]) == 0


def test_config_lists_every_key(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["config"]) == 0
    listed = capsys.readouterr().out
    assert all(f"{name} " in listed for name in KEYS)


@pytest.mark.parametrize(
    ("path", "globs", "hit"),
    [
        ("/p/a/b.cu", ["b.cu"], True),
        ("/p/a/b.cu", ["*.cu"], True),
        ("/p/a/b.cu", ["a"], True),
        ("/p/a/b.cu", ["a/*.cu"], True),
        ("/p/a/b.cu", ["a/**"], True),
        ("/p/x/a/b.cu", ["a/*.cu"], False),
        ("/p/x/a/b.cu", ["**/a/*.cu"], True),
        ("/p/x/a/b.cu", ["x/**/b.cu"], True),
        ("/p/x/a/b.cu", ["./x/"], True),
        ("/q/b.cu", ["b.cu"], False),
    ],
)
def test_globs(path: str, globs: list[str], hit: bool) -> None:
    assert matches(path, globs, "/p") is hit


def test_compile_commands(tree: Path) -> None:
    command = "nvcc -I../inc -isystem /sys -DA -D B=2 -DC=3 -UC -Xcompiler=-DD=4 -Xcompiler -Wall '-DE=\"x\"' -c src/k.cu -o k.o"
    (tree / "build").mkdir()
    write(
        tree / "build" / "compile_commands.json",
        json.dumps([{"directory": str(tree / "build"), "file": "../src/k.cu", "command": command}]),
    )
    flags = compile_commands.read("build")[str(tree / "src" / "k.cu")]
    assert flags.defines == {"A": "1", "B": "2", "D": "4", "E": '"x"'}
    assert flags.include == (str(tree / "inc"), "/sys")
    write(tree / "kernlint.toml", 'compile-commands = "build"\n[defines]\nB = 9')
    merged = values()
    assert (
        merged["defines"] == {"A": "1", "B": "9", "D": "4", "E": '"x"'}
        and merged["include"] == flags.include
    )
    assert values("src/old/o.cu")["defines"] == {"B": "9"}


def test_long_options_and_files_of_options_of_a_compile_command(tree: Path) -> None:
    """nvcc's long forms, and the files that CMake hands it the folders of headers in
    (`--options-file`), or others (`@file`)."""
    (tree / "build" / "rsp").mkdir(parents=True)
    write(
        tree / "build" / "rsp" / "includes.rsp",
        "-isystem inc/a --include-path=inc/b --options-file rsp/more.rsp",
    )
    write(tree / "build" / "rsp" / "more.rsp", "--define-macro W=32")
    write(tree / "build" / "gcc.rsp", '-DG="a b" -Iinc/c')
    command = "nvcc --define-macro S=33 --define-macro=T --undefine-macro T --system-include inc/d --options-file rsp/includes.rsp @gcc.rsp"
    write(
        tree / "build" / "compile_commands.json",
        json.dumps(
            [
                {
                    "directory": str(tree / "build"),
                    "file": "../src/k.cu",
                    "command": f"{command} -optf absent.rsp -c k.cu",
                }
            ]
        ),
    )
    flags = compile_commands.read("build")[str(tree / "src" / "k.cu")]
    assert flags.defines == {"S": "33", "W": "32", "G": "a b"}
    assert [os.path.relpath(folder, tree / "build" / "inc") for folder in flags.include] == [
        "d",
        "a",
        "b",
        "c",
    ]


@pytest.mark.parametrize("text", ["", "{}", "[{}]", '[{"directory": "/", "file": "a.cu"}]'])
def test_a_broken_compilation_database(
    tree: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    write(tree / "compile_commands.json", text)
    assert main.main(["src", "-p", "."]) == 2
    assert "is no compilation database" in capsys.readouterr().err


def test_show_settings_tells_the_defaults_in_force(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["src/k.cu", "--isolated", "--show-settings"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "src/k.cu"
    assert told[1:] == [
        '  device = "h100"  (default)',
        '  fail-on = "warning"  (default)',
        '  line-table = "auto"  (default)',
        '  output-format = "full"  (default)',
        '  severity = "warning"  (default)',
        "  timeout-per-file = 10.0  (default)",
        "  no other key is set (`kernlint config` lists them)",
    ]
    assert main.main(["src/k.cu", "--isolated", "--severity", "info", "--show-settings"]) == 0
    assert '  severity = "info"\n' in capsys.readouterr().out


def test_an_architecture_stands_for_its_device(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tree / "kernlint.toml", 'arch = "sm_80"')
    assert values() == {"arch": "sm_80", "device": "a100"}
    assert values(device="h100") == {"device": "h100"}  # the command line comes before the file
    write(tree / "src" / "kernlint.toml", 'extend = "../kernlint.toml"\ndevice = "v100"')
    assert values()["device"] == "v100" and "arch" not in values()
    write(tree / "src" / "kernlint.toml", 'arch = "compute_90a"')
    assert values() == {
        "arch": "compute_90a",
        "device": "h100",
    }  # of h100 and h200 the default device
    write(tree / "src" / "kernlint.toml", 'arch = "sm_90"\ndevice = "h200"')
    assert values() == {"arch": "sm_90", "device": "h200"}
    (tree / "src" / "kernlint.toml").unlink()
    text = KERNEL.replace("STRIDE", "(__CUDA_ARCH__ / 100)")
    write(tree / "src" / "k.cu", f"// kernlint: launch(grid=1, block=32)\n{text}")
    assert main.main(["report", "src/k.cu", "--output-format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (
        report["device"] == "a100"
        and report["files"][0]["kernels"][0]["accesses"][0]["index"]
        == "8*threadIdx.x + 256*blockIdx.x"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            'arch = "sm_80"\ndevice = "h100"',
            "kernlint.toml:1: arch: sm_80 contradicts the device h100, which is sm_90: keep one",
        ),
        (
            'arch = "sm_80"\ndevice = "mi300x"',
            "arch: sm_80 contradicts the device mi300x, which has no such architecture: keep one",
        ),
        (
            'arch = "sm_62"',
            "arch: no device profile has the architecture 'sm_62': the nearest is sm_61 (gtx-1080); known: sm_13 (gtx-285), ",
        ),
        (
            'arch = "ampere"',
            "no device profile has the architecture 'ampere': choose sm_80 (a100), sm_86 (rtx-3090), sm_87 (jetson-orin)",
        ),
        (
            'arch = "sm86"',
            "no device profile has the architecture 'sm86': choose sm_86 (rtx-3090); known: ",
        ),
        (
            'arch = "RTX 3070"',
            "'RTX 3070', a GPU of compute capability 8.6: choose sm_86 (rtx-3090); known: ",
        ),
        (
            'arch = "h200"',
            "kernlint.toml:1: arch: h200 is a device, not an architecture: use `--device h200`",
        ),
        ("arch = 80", "arch: expected a text"),
    ],
)
def test_an_architecture_that_cannot_be(
    tree: Path, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    write(tree / "kernlint.toml", text)
    assert main.main(["src/k.cu"]) == 2 and told in capsys.readouterr().err
    (tree / "kernlint.toml").unlink()
    assert main.main(["src/k.cu", "--device", "h100", "--config", "arch=sm_86"]) == 2
    assert "the command line: arch: sm_86 contradicts the device h100" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["check", "report", "tune"])
def test_an_architecture_on_the_command_line(
    tree: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    write(tree / "kernlint.toml", 'device = "v100"')
    write(
        tree / "src" / "k.cu",
        f"// kernlint: launch(grid=1, block=32)\n{KERNEL.replace('STRIDE', '8')}",
    )
    assert main.main([command, "src/k.cu", "--arch", "sm_80", "--output-format", "json"]) in (0, 1)
    assert (
        json.loads(capsys.readouterr().out)["device"] == "a100"
    )  # the command line comes before the file
    assert main.main([command, "src/k.cu", "--arch", "sm_80", "--device", "h100"]) == 2
    assert (
        "the command line: arch: sm_80 contradicts the device h100, which is sm_90: keep one"
        in capsys.readouterr().err
    )
    assert main.main([command, "src/k.cu", "--arhc", "sm_80"]) == 2
    assert "no such option: --arhc, did you mean `--arch`?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[rules.KL101]\nseverity = "error"', "no key `rules`: levels stand below `[severities]`"),
        (
            '[per-file-ignores]\n"a" = ["KL1"]',
            "no key `per-file-ignores`: `[[overrides]]` with `files = ",
        ),
        ('extend-select = ["KL9"]', "no key `extend-select`: `select` names all rules to run"),
        (
            "block = [32, 8]",
            "no key `block`: facts of a launch stand below the name of their kernel, such as `[kernels.transpose]`",
        ),
        (
            '[[overrides]]\nfiles = ["*.cu"]\ngrid = 4',
            "3: overrides: no key `grid`: facts of a launch stand below",
        ),
    ],
)
def test_what_other_linters_call_otherwise_is_told(
    tree: Path, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    write(tree / "kernlint.toml", text)
    assert main.main(["src"]) == 2
    assert f"kernlint.toml:{told if told[0].isdigit() else f'1: {told}'}" in capsys.readouterr().err
