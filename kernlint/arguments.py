"""The commands' options and help texts. Goes in: nothing. Comes out: argparse parsers, one per command."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from kernlint import __version__
from kernlint.usage import DEFAULT_DEVICE, FORMATS, HIP_DEVICE, LANGUAGES, SEVERITIES

ABOUT = """\
Tells what the profiler would tell about CUDA and OpenCL kernels, from source alone: bank conflicts, uncoalesced
accesses, divergence and barriers, in numbers, with the reason and the way out. No GPU, no CUDA toolkit.

commands:
  check FILE…     findings (the default: `kernlint FILE…` is `kernlint check FILE…`)
  report FILE…    every access, branch and barrier of every kernel, in numbers
  tune FILE…      other layouts of shared arrays, other blocks, ranked by estimated time
  compare FILE…   the same numbers beside what Nsight Compute counted, line by line
  explain CODE    what a rule finds, why it costs, how to fix it
  rules           all rules
  devices [NAME]  device profiles, every figure with its source
  calibrate       measure this machine's GPU, write its device profile
  baseline prune  takes out of a baseline what is no longer found
  config          the keys of kernlint.toml and [tool.kernlint]
  completion      completion for bash, zsh or tcsh
  server          the language server, for editors (extra `kernlint[server]`)
"""

EXAMPLES = """\
examples:
  kernlint transpose.cu                          findings, with the code they are about
  kernlint src/ --output-format concise          a folder, one line per finding, as gcc prints them
  kernlint --block 32x8 --grid 64x64 --arg n=2048 transpose.cu
  kernlint report transpose.cu                   the numbers of every access
  kernlint report --line 30 transpose.cu         how the number on line 30 comes about
  kernlint explain KL101

A path that is called like a command: `kernlint ./report`.
exit codes: 0 nothing found; 1 findings at or above --fail-on (default: warning); 2 a request that makes no sense."""

CHECK_EXAMPLES = """\
examples:
  kernlint check kernels/                        every *.cu *.cuh *.hip *.cl *.clh *.ocl … below the folder
  kernlint check train.py jit.cpp                kernels in strings: CuPy, PyCUDA, PyOpenCL, R"(…)" (docs/embedded.md)
  kernlint check --select shared-memory a.cu     one family; codes (KL101), names, prefixes (KL1) and `all` work too
  kernlint check --severity info a.cu            notes as well: assumed launches, what could not be known
  kernlint check --block 256 --arg n=1000000 a.cu
  kernlint check src/ --output-format concise --also sarif=kernlint.sarif
  kernlint check --unsafe-fixes --diff a.cu      what could be edited: padded arrays, float literals, masks of shuffles
  kernlint check src/ --write-baseline           from now on only what is new: --baseline .kernlint-baseline.json
  generate | kernlint check - --stdin-filename k.cl

Launches are taken from the command line, else from `// kernlint: launch(grid=64x64, block=32x8, n=2048)` above a kernel,
else from reqd_work_group_size, from launches in host code, from __launch_bounds__; else a block of 256 is assumed.
exit codes: 0 nothing found; 1 findings at or above --fail-on; 2 a request that makes no sense."""

COMPLETION_EXAMPLES = """\
examples:
  kernlint completion bash > ~/.local/share/bash-completion/completions/kernlint
  kernlint completion zsh > ~/.zfunc/_kernlint   (with fpath+=~/.zfunc before compinit)"""

BASELINE_EXAMPLES = """\
examples:
  kernlint src/ --write-baseline                 accept what is found today, in .kernlint-baseline.json
  kernlint src/ --baseline .kernlint-baseline.json
  kernlint baseline prune src/                   after mending: forget what is gone
  kernlint baseline show"""

REPORT_EXAMPLES = """\
examples:
  kernlint report a.cu                           tables for people
  kernlint report a.cu --output-format json      facts for programs (docs/report.md)
  kernlint report a.ptx --block 256 --grid 64    PTX of nvcc, clang, Triton or Numba (docs/ptx.md)
  kernlint report a.cu --against a.ptx           what the compiler merged, unrolled and removed, line by line
  kernlint report a.cu --line 30                 one line's derivation: index, lanes, addresses, banks or sectors
  kernlint report a.cu --line 30 --map           the same as a drawing: lanes by banks, or the sectors of each cache line
  kernlint report a.cu --output-format html -o a.html
                                                 a page to look at: kernels by cost, annotated source, bank maps

exit codes: 0 everything was analysed; 1 a file, function or kernel was not (the reasons stand in the report); 2 a request
that makes no sense."""


TUNE_EXAMPLES = """\
examples:
  kernlint tune a.cu                             every shared array and every launch, best forms first, with the edits
  kernlint tune a.cu --only padding,swizzle      layouts alone; the kinds are padding, swizzle, skew and block
  kernlint tune a.cu --device a100 --registers 40
  kernlint tune a.cu --diff                      the best layout of each array as a patch; --apply writes the file
  kernlint tune a.cu --output-format json        every form that changes something (docs/tune.md)
  kernlint tune k.cl --grid 64x64 --block 16x16  where no host code or directive tells the launch

Every figure comes from analysing the changed file as `kernlint report` would; forms that change nothing are not listed. A layout is
changed only where all uses of the array are plain subscripts and every column stays within its row under the launches known; a block
only where a thread's work depends on its place in the grid alone. Otherwise the reason is told.
exit codes: 0 everything was analysed; 1 a file, function or kernel was not; 2 a request that makes no sense."""


COMPARE_EXAMPLES = """\
examples:
  nvcc -O3 -lineinfo -o app app.cu
  ncu --section SourceCounters --section LaunchStats --import-source yes -o app ./app
  ncu --import app.ncu-rep --page source --csv --print-source cuda,sass > source.csv
  kernlint compare app.cu --ncu source.csv       line by line, worst first

  ncu --import app.ncu-rep --page raw --csv > raw.csv
  kernlint compare app.cu --ncu source.csv --ncu raw.csv
                                                 the raw page adds each launch's grid and block; alone, it gives
                                                 totals of each kernel
  kernlint compare app.cu --ncu app.ncu-rep      the report itself, where NVIDIA's ncu_report is installed
                                                 (pip install "kernlint[ncu]")
  kernlint compare app.cu --ncu source.csv --output-format concise

Verdicts: agrees; inside, vague (a range holds the measured value, within a factor of 2 or wider); wrong; partial, unknown
(some or all of the line has no number); missing (not predicted); invented (predicted, not executed). docs/compare.md
exit codes: 0 no exact claim is contradicted; 1 one is; 2 the profile cannot be used, or a request that makes no sense."""

CALIBRATE_EXAMPLES = """\
examples:
  kernlint calibrate                             writes nvidia-h100-80gb-hbm3.toml, .raw.xz and .svg, for example
  kernlint calibrate --device-name mine -o profiles/mine.toml
  kernlint report a.cu --device profiles/mine.toml

exit codes: 0 written; 2 no nvcc, no GPU, a busy GPU, or a file that cannot be written."""


class Parser(argparse.ArgumentParser):
    """Errors in one line, with where to read on."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"kernlint: {message}\n(see `{self.prog} --help`)\n")


class Once(argparse.Action):
    """An option whose second, different value contradicts the first."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        before = getattr(namespace, self.dest, None)
        if before is not None and before != values and before != self.default:
            parser.error(f"{option} is given twice, as {before} and as {values}: keep one")
        setattr(namespace, self.dest, values)


def top_parser() -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = Parser("kernlint", usage="kernlint [COMMAND] [OPTIONS] FILE…", description=ABOUT, epilog=EXAMPLES, formatter_class=formatter)
    parser.add_argument("-V", "--version", action="version", version=f"kernlint {__version__}")
    return parser


def _analysing(command: str, description: str, epilog: str) -> argparse.ArgumentParser:
    """The options that `check` and `report` share."""
    parser = Parser(
        f"kernlint {command}",
        usage=f"kernlint {command} [OPTIONS] FILE…",
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("paths", nargs="*", metavar="FILE", help="files and folders; - reads standard input")
    launch = parser.add_argument_group("launch")
    launch.add_argument("--block", action=Once, metavar="32x8", help="threads per block")
    launch.add_argument("--grid", action=Once, metavar="64x64", help="blocks per grid")
    launch.add_argument("--dynamic-shared", action=Once, metavar="BYTES", help="dynamic shared memory per block")
    launch.add_argument("--arg", action="append", default=[], metavar="NAME=VALUE", help="an argument's value; a pointer's as +BYTES")
    launch.add_argument("--kernel", action=Once, metavar="NAME", help="only this kernel")
    launch.add_argument(
        "--registers",
        action="append",
        default=[],
        metavar="N|NAME=N|FILE",
        help="registers per thread, for estimated times: of all kernels, of one, or what `nvcc -Xptxas -v` printed, in a file",
    )
    source = parser.add_argument_group("source")
    source.add_argument("-D", dest="define", action="append", default=[], metavar="NAME=VALUE", help="define a macro")
    source.add_argument("-I", dest="include", action="append", default=[], metavar="DIR", help="look for headers there")
    source.add_argument("--language", action=Once, choices=LANGUAGES, help="instead of judging by name and contents")
    source.add_argument("--line-table", action=Once, choices=("auto", "none"), help="none: places in PTX are lines of the PTX")
    source.add_argument("--stdin-filename", action=Once, metavar="NAME", help="the name that standard input goes by")
    usual = f"default: {DEFAULT_DEVICE}; {HIP_DEVICE} where all files are HIP"
    source.add_argument("--device", action=Once, metavar="NAME", help=f"profile, or a .toml file ({usual})")
    source.add_argument("--exclude", action="append", default=[], metavar="GLOB,…", help="pass over these when folders are walked")
    source.add_argument("-p", "--compile-commands", action=Once, metavar="DIR", help="take -D and -I from its compile_commands.json")
    effort = parser.add_argument_group("effort")
    effort.add_argument("-j", "--jobs", action=Once, type=_jobs, metavar="N", help="worker processes (default: one per core)")
    seconds = "processor seconds for each file, and 2 ms for each line beyond 2,000; 0 for any (default: 10)"
    effort.add_argument("--timeout-per-file", action=Once, type=_seconds, metavar="S", help=seconds)
    effort.add_argument("--no-cache", action="store_true", help="neither read nor write results of earlier runs")
    effort.add_argument("--cache-dir", action=Once, metavar="DIR", help="their folder (default: KERNLINT_CACHE_DIR or .kernlint_cache)")
    project = parser.add_argument_group(
        "configuration", "kernlint.toml, .kernlint.toml or pyproject.toml, the nearest above each file; `kernlint config` lists the keys"
    )
    project.add_argument(
        "--config", action="append", default=[], metavar="FILE|KEY=VALUE", help="this file instead, or one key over all files"
    )
    project.add_argument("--isolated", action="store_true", help="no configuration file")
    project.add_argument("--show-settings", action="store_true", help="print what is set for each path, and by which files")
    project.add_argument("--show-files", action="store_true", help="print the files that would be analysed")
    return parser


def _jobs(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text}: a number of processes is meant, 0 for one per core")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: a number of seconds is meant, 0 for no limit")
    return seconds


def _output(parser: argparse.ArgumentParser, formats: Sequence[str]) -> argparse._ArgumentGroup:
    output = parser.add_argument_group("output")
    output.add_argument("--output-format", action=Once, choices=formats, default=None, help=f"default: {formats[0]}")
    output.add_argument("-o", "--output-file", action=Once, metavar="FILE", help="write there instead of standard output")
    output.add_argument("--color", action=Once, choices=("auto", "always", "never"), default=None, help="default: auto")
    return output


def check_parser() -> argparse.ArgumentParser:
    parser = _analysing("check", "Findings: what is slow or wrong in the kernels of these files, and what to do.", CHECK_EXAMPLES)
    rules = parser.add_argument_group("rules")
    rules.add_argument("--select", action="append", default=[], metavar="RULE,…", help="only these rules")
    rules.add_argument("--ignore", action="append", default=[], metavar="RULE,…", help="all but these rules")
    rules.add_argument("--severity", action=Once, choices=SEVERITIES, help="the lowest to show (default: warning)")
    rules.add_argument("--status", action="append", default=[], metavar="STATUS,…", help="only findings that are exact, range or unknown")
    rules.add_argument("--fail-on", action=Once, choices=SEVERITIES, help="the lowest that makes the exit code 1 (default: warning)")
    rules.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever is found")
    fixes = parser.add_argument_group("fixes")
    fixes.add_argument("--fix", action="store_true", help="make the edits that findings offer, each proved by analysing again")
    fixes.add_argument("--unsafe-fixes", action="store_true", help="with these, also edits that change layout or need a person's eye")
    fixes.add_argument("--diff", action="store_true", help="print what --fix would change, and change nothing")
    accept = parser.add_argument_group("accepting what is known")
    accept.add_argument("--baseline", action=Once, metavar="FILE", help="show only findings that are not in this file")
    accept.add_argument("--write-baseline", action="store_true", help="write what is found to the baseline file")
    accept.add_argument(
        "--add-ignore", nargs="?", const="", action=Once, metavar="REASON", help="add a suppressing comment to every line with a finding"
    )
    output = _output(parser, FORMATS)
    output.add_argument("--also", action="append", default=[], metavar="FORMAT=FILE", help="write the findings in this format as well")
    output.add_argument("--timings", action="store_true", help="how long each phase and each rule took (one process, no cache)")
    output.add_argument("--watch", action="store_true", help="run again whenever a file changes, until interrupted")
    output.add_argument("--statistics", action="store_true", help="how often each rule found something, instead of the findings")
    return parser


def report_parser() -> argparse.ArgumentParser:
    parser = _analysing("report", "Facts: every memory access, branch and barrier of every kernel, in numbers.", REPORT_EXAMPLES)
    parser.add_argument("--against", action=Once, metavar="PTX", help="where the PTX made of this source differs from it, and why")
    output = _output(parser, ("text", "json", "html"))
    output.add_argument("--line", action=Once, type=int, metavar="N", help="how the numbers of line N come about")
    output.add_argument("--map", action="store_true", help="with --line: draw which lanes meet in which bank, sector and line")
    return parser


def tune_parser() -> argparse.ArgumentParser:
    description = "Searches padding, swizzles and blocks for every shared array and launch, and ranks them by estimated time."
    parser = _analysing("tune", description, TUNE_EXAMPLES)
    search = parser.add_argument_group("search")
    search.add_argument("--only", action="append", default=[], metavar="KIND,…", help="of padding, swizzle, skew, block (default: all)")
    search.add_argument("--diff", action="store_true", help="print the best layouts as a patch instead of the tables")
    search.add_argument("--apply", action="store_true", help="write the best layouts into the files; blocks are told, never changed")
    _output(parser, ("text", "json"))
    return parser


def compare_parser() -> argparse.ArgumentParser:
    description = "Predicted and counted, side by side: the numbers of every memory access and those of a Nsight Compute profile."
    parser = _analysing("compare", description, COMPARE_EXAMPLES)
    profile = parser.add_argument_group("profile")
    profile.add_argument(
        "--ncu", action="append", default=[], metavar="REPORT", help="a CSV page or .ncu-rep of Nsight Compute; may be repeated"
    )
    _output(parser, ("text", "json", "concise"))
    return parser


def explain_parser() -> argparse.ArgumentParser:
    parser = Parser("kernlint explain", description="What a rule finds, why it costs, how to fix it, with examples.")
    parser.add_argument("codes", nargs="*", metavar="CODE", help="codes or names: KL101, shared-bank-conflict")
    parser.add_argument("--all", action="store_true", help="every rule")
    _output(parser, ("text", "md", "html", "json"))
    return parser


def rules_parser() -> argparse.ArgumentParser:
    parser = Parser("kernlint rules", description="All rules: code, name, severity, what they find.")
    _output(parser, ("text", "json"))
    return parser


def devices_parser() -> argparse.ArgumentParser:
    parser = Parser("kernlint devices", description="Device profiles; with a name, every figure and where it is from.")
    parser.add_argument("name", nargs="?", metavar="NAME")
    _output(parser, ("text", "json"))
    return parser


def calibrate_parser() -> argparse.ArgumentParser:
    parser = Parser(
        "kernlint calibrate",
        description="Measures the GPU of this machine and writes its device profile, the raw data and a figure. Needs nvcc and a free GPU.",
        epilog=CALIBRATE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--device-name", metavar="NAME", help="the profile's name (default: from the GPU's)")
    parser.add_argument("--gpu", type=int, default=0, metavar="N", help="which GPU, as nvidia-smi counts them (default: 0)")
    parser.add_argument("-o", "--output-file", metavar="FILE", help="the profile, a .toml file (default: NAME.toml), the rest beside it")
    return parser


def config_parser() -> argparse.ArgumentParser:
    parser = Parser("kernlint config", description="The keys of configuration files, and what they mean.")
    _output(parser, ("text", "json"))
    return parser


def baseline_parser() -> argparse.ArgumentParser:
    parser = check_parser()
    parser.prog, parser.usage = "kernlint baseline", "kernlint baseline {prune,show} [OPTIONS] FILE…"
    parser.description = "Takes out of a baseline what is gone (prune), or prints what it holds (show). Made with `check --write-baseline`."
    parser.epilog = BASELINE_EXAMPLES
    return parser


def server_parser() -> argparse.ArgumentParser:
    return Parser("kernlint server", description="The language server, for editors: speaks the protocol on standard input and output.")


def completion_parser() -> argparse.ArgumentParser:
    parser = Parser("kernlint completion", description="Prints the completion script of a shell.", epilog=COMPLETION_EXAMPLES)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"))
    return parser


def all_in_one() -> argparse.ArgumentParser:
    """Every command as a sub-command, for programs that read parsers."""
    parser = argparse.ArgumentParser("kernlint")
    commands = parser.add_subparsers()
    for name, make in PARSERS.items():
        one = make()
        commands.add_parser(name, parents=[one], add_help=False, conflict_handler="resolve", help=one.description)
    return parser


PARSERS = {
    "check": check_parser,
    "report": report_parser,
    "tune": tune_parser,
    "compare": compare_parser,
    "baseline": baseline_parser,
    "config": config_parser,
    "completion": completion_parser,
    "server": server_parser,
    "explain": explain_parser,
    "rules": rules_parser,
    "devices": devices_parser,
    "calibrate": calibrate_parser,
}
