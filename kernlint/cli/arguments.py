"""The commands' options and help texts, and the one place where words become a request.

Goes in: a command and its words. Comes out: a `Request`. Raises `UsageError` where options
contradict each other; argparse ends the process for words that it does not know.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

from kernlint import __version__
from kernlint.base.usage import (
    DEFAULT_DEVICE,
    FORMATS,
    HIP_DEVICE,
    LANGUAGES,
    SEVERITIES,
    UsageError,
    chosen,
    nearest,
)
from kernlint.cli.contradictions import contradictions
from kernlint.cli.help_texts import ABOUT, epilog
from kernlint.cli.requests import BaselineRequest, CheckRequest, Request, TuneRequest

_CHOICE = re.compile(r"invalid choice: '(?P<word>.*?)' \(choose from (?P<known>.*)\)")


class Parser(argparse.ArgumentParser):
    """One command: its options, then its epilog. Reports an error in one line, with a pointer to
    the help."""

    def __init__(self, command: str, description: str, usage: str) -> None:
        super().__init__(
            f"kernlint {command}".strip(),
            usage=" ".join(f"kernlint {command} {usage}".split()),
            description=description,
            epilog=epilog(command),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        unknown = (
            message.removeprefix("unrecognized arguments: ")
            if message.startswith("unrecognized arguments: -")
            else ""
        )
        if unknown:
            option = unknown.split()[0].partition("=")[0]
            elsewhere = next(
                (name for name, of in ELSEWHERE.items() if option in of()._option_string_actions),
                "",
            )
            hint = (
                f"; `kernlint {elsewhere}` has it: `kernlint {elsewhere} {unknown} …`"
                if elsewhere
                else self._meant(option)
            )
            message = f"no such option: {option}{hint}"
        elif choice := _CHOICE.search(message):
            message += chosen(choice["word"], re.findall(r"[\w-]+", choice["known"]))
        self.exit(2, f"kernlint: {message}\n(see `{self.prog} --help`)\n")

    def _meant(self, option: str) -> str:
        """`, did you mean …?` with the option whose name, or last words of whose name, are close."""
        ends: dict[str, str] = {}
        for known in (known for known in self._option_string_actions if known[:2] == "--"):
            parts = known[2:].split("-")
            ends |= {
                "-".join(parts[at:]): known
                for at in range(1, len(parts))
                if "-".join(parts[at:]) not in ends
            } | {known[2:]: known}
        close = nearest(option.lstrip("-"), ends)
        return f", did you mean `{ends[close]}`?" if close else ""


class Once(argparse.Action):
    """An option whose second, different value contradicts the first."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option: str | None = None,
    ) -> None:
        before = getattr(namespace, self.dest, None)
        if before is not None and before != values and before != self.default:
            parser.error(f"{option} is given twice, as {before} and as {values}: keep one")
        setattr(namespace, self.dest, values)


def top_parser() -> argparse.ArgumentParser:
    parser = Parser("", ABOUT, "[COMMAND] [OPTIONS] FILE…")
    parser.add_argument("-V", "--version", action="version", version=f"kernlint {__version__}")
    return parser


def _analysing(command: str, description: str) -> argparse.ArgumentParser:
    """The options that `check` and `report` share."""
    parser = Parser(command, description, "[OPTIONS] FILE…")
    parser.add_argument(
        "paths", nargs="*", metavar="FILE", help="files and folders; - reads standard input"
    )
    launch = parser.add_argument_group("launch")
    launch.add_argument("--block", action=Once, metavar="32x8", help="threads per block")
    launch.add_argument("--grid", action=Once, metavar="64x64", help="blocks per grid")
    launch.add_argument(
        "--dynamic-shared", action=Once, metavar="BYTES", help="dynamic shared memory per block"
    )
    launch.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="value of a kernel argument, or of a host variable that sizes a launch; for a pointer "
        "+BYTES, its offset from an allocation",
    )
    launch.add_argument("--kernel", action=Once, metavar="NAME", help="analyse only this kernel")
    launch.add_argument(
        "--registers",
        action="append",
        default=[],
        metavar="N|NAME=N|FILE",
        help="registers per thread, for estimated times: for all kernels, for one, or a file with the output of `nvcc -Xptxas -v`",
    )
    source = parser.add_argument_group("source")
    source.add_argument(
        "-D",
        dest="define",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="define a macro",
    )
    source.add_argument(
        "-I",
        dest="include",
        action="append",
        default=[],
        metavar="DIR",
        help="search this folder for headers",
    )
    source.add_argument(
        "--language",
        action=Once,
        choices=LANGUAGES,
        help="default: detected from name and contents",
    )
    source.add_argument(
        "--line-table",
        action=Once,
        choices=("auto", "none"),
        help="none: report PTX by its own lines instead of the source lines it names",
    )
    source.add_argument(
        "--compile",
        action="store_true",
        help="compile CUDA files with nvcc and read what the machine executes from the machine code",
    )
    source.add_argument(
        "--nvcc",
        action=Once,
        metavar="PATH",
        help="the nvcc for --compile; default: CUDACXX, PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda, NVIDIA's packages",
    )
    source.add_argument(
        "--stdin-filename", action=Once, metavar="NAME", help="file name to use for standard input"
    )
    usual = f"default: {DEFAULT_DEVICE}; {HIP_DEVICE} for HIP"
    source.add_argument(
        "--device", action=Once, metavar="NAME", help=f"profile name or .toml file ({usual})"
    )
    source.add_argument(
        "--arch",
        action=Once,
        metavar="sm_80",
        help="choose the profile by architecture, as nvcc names it",
    )
    source.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="GLOB,…",
        help="skip matching paths inside folders",
    )
    source.add_argument(
        "-p",
        "--compile-commands",
        action=Once,
        metavar="DIR",
        help="read -D and -I from this folder's compile_commands.json",
    )
    effort = parser.add_argument_group("effort")
    effort.add_argument(
        "-j",
        "--jobs",
        action=Once,
        type=_jobs,
        metavar="N",
        help="worker processes (default and 0: one per core)",
    )
    seconds = "CPU seconds per file, plus 2 ms per line beyond 2,000; 0 for no limit (default: 10)"
    effort.add_argument("--timeout-per-file", action=Once, type=_seconds, metavar="S", help=seconds)
    effort.add_argument(
        "--no-cache", action="store_true", help="do not read or write cached results"
    )
    effort.add_argument(
        "--cache-dir",
        action=Once,
        metavar="DIR",
        help="cache folder (default: KERNLINT_CACHE_DIR or .kernlint_cache)",
    )
    project = parser.add_argument_group(
        "configuration",
        "the nearest kernlint.toml, .kernlint.toml or pyproject.toml above each file; `kernlint config` lists the keys",
    )
    project.add_argument(
        "--config",
        action="append",
        default=[],
        metavar="FILE|KEY=VALUE",
        help="use this file instead, or set one key for all files",
    )
    project.add_argument("--isolated", action="store_true", help="ignore configuration files")
    project.add_argument(
        "--show-settings",
        action="store_true",
        help="print the settings of each path and where they come from",
    )
    project.add_argument(
        "--show-files", action="store_true", help="print the files that would be analysed"
    )
    return parser


def _jobs(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(
            f"{text}: expected a number of processes, 0 for one per core"
        )
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: expected a number of seconds, 0 for no limit")
    return seconds


def _output(parser: argparse.ArgumentParser, formats: Sequence[str]) -> argparse._ArgumentGroup:
    output = parser.add_argument_group("output")
    output.add_argument(
        "--output-format", action=Once, choices=formats, default=None, help=f"default: {formats[0]}"
    )
    output.add_argument(
        "-o",
        "--output-file",
        action=Once,
        metavar="FILE",
        help="write to this file instead of standard output",
    )
    output.add_argument(
        "--color",
        action=Once,
        choices=("auto", "always", "never"),
        default=None,
        help="default: auto",
    )
    return output


def check_parser() -> argparse.ArgumentParser:
    parser = _analysing("check", "Report what is slow or wrong in kernels and how to fix it.")
    rules = parser.add_argument_group("rules")
    rules.add_argument(
        "--select", action="append", default=[], metavar="RULE,…", help="report only these rules"
    )
    rules.add_argument(
        "--ignore", action="append", default=[], metavar="RULE,…", help="report all but these rules"
    )
    rules.add_argument(
        "--severity",
        action=Once,
        choices=SEVERITIES,
        help="lowest severity to show (default: warning)",
    )
    rules.add_argument(
        "--status",
        action="append",
        default=[],
        metavar="STATUS,…",
        help="show only findings with this status: exact, range or unknown",
    )
    rules.add_argument(
        "--fail-on",
        action=Once,
        choices=SEVERITIES,
        help="lowest severity that makes the exit code 1 (default: warning)",
    )
    rules.add_argument(
        "--strict",
        action="store_true",
        help="exit with 1 also when --timeout-per-file stopped an analysis",
    )
    rules.add_argument(
        "--exit-zero", action="store_true", help="exit with 0 even if there are findings"
    )
    fixes = parser.add_argument_group("fixes")
    fixes.add_argument(
        "--fix",
        action="store_true",
        help="apply the fixes that findings offer, each verified by a new analysis",
    )
    fixes.add_argument(
        "--unsafe-fixes",
        action="store_true",
        help="include fixes that change a layout or need review",
    )
    fixes.add_argument(
        "--idle-fixes",
        action="store_true",
        help="include fixes that do not change the estimated time",
    )
    fixes.add_argument(
        "--diff", action="store_true", help="print what --fix would change without changing it"
    )
    accept = parser.add_argument_group("accepting known findings")
    accept.add_argument(
        "--baseline",
        action=Once,
        metavar="FILE",
        help="hide the findings recorded in this file",
    )
    accept.add_argument(
        "--write-baseline",
        nargs="?",
        const="",
        action=Once,
        metavar="FILE.json",
        help="record the findings in the baseline file",
    )
    accept.add_argument(
        "--add-ignore",
        nargs="?",
        const="",
        action=Once,
        metavar="REASON",
        help="add a suppression comment to every line with a finding",
    )
    output = _output(parser, FORMATS)
    output.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="FORMAT=FILE",
        help="also write the findings in this format to this file",
    )
    output.add_argument(
        "--rules-url",
        action=Once,
        metavar="URL",
        help="address of the rule pages: https://…/{page}",
    )
    output.add_argument(
        "--timings",
        action="store_true",
        help="print the time of each phase and rule (one process, no cache)",
    )
    output.add_argument(
        "--watch",
        action="store_true",
        help="run again after every change of a file, until interrupted",
    )
    output.add_argument(
        "--statistics",
        action="store_true",
        help="print the number of findings per rule instead of the findings",
    )
    return parser


def report_parser() -> argparse.ArgumentParser:
    parser = _analysing(
        "report", "Print the numbers of every memory access, branch and barrier of every kernel."
    )
    parser.add_argument(
        "--against",
        action=Once,
        metavar="PTX",
        help="show where PTX compiled from this source differs from it, and why",
    )
    output = _output(parser, ("text", "json", "html"))
    output.add_argument(
        "--line", action=Once, type=int, metavar="N", help="derive the numbers of line N"
    )
    output.add_argument(
        "--map",
        action="store_true",
        help="with --line: draw which lanes share a bank, sector or cache line",
    )
    output.add_argument(
        "--laws",
        action="store_true",
        help="add formulas for every size: per request, requests and totals, with their domain",
    )
    return parser


def tune_parser() -> argparse.ArgumentParser:
    description = "Search paddings, swizzles and block sizes for every shared array and launch; rank them by estimated time."
    parser = _analysing("tune", description)
    search = parser.add_argument_group("search")
    search.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="KIND,…",
        help="search only these of padding, swizzle, skew, block (default: all)",
    )
    search.add_argument(
        "--diff",
        action="store_true",
        help="print the best layouts as a patch instead of the tables",
    )
    search.add_argument(
        "--apply",
        action="store_true",
        help="write the best layouts into the files (block sizes are only suggested)",
    )
    _output(parser, ("text", "json"))
    return parser


def compare_parser() -> argparse.ArgumentParser:
    description = "Compare the predicted numbers of every memory access with those of an Nsight Compute profile."
    parser = _analysing("compare", description)
    profile = parser.add_argument_group("profile")
    profile.add_argument(
        "--ncu",
        action="append",
        default=[],
        metavar="REPORT",
        help="CSV page or .ncu-rep file of Nsight Compute; may be repeated",
    )
    _output(parser, ("text", "json", "concise"))
    return parser


def explain_parser() -> argparse.ArgumentParser:
    parser = Parser(
        "explain",
        "Explain rules: what they find, why it costs time, how to fix it, with examples.",
        "[OPTIONS] CODE…",
    )
    parser.add_argument(
        "codes", nargs="*", metavar="CODE", help="codes or names: KL101, shared-bank-conflict"
    )
    parser.add_argument("--all", action="store_true", help="explain every rule")
    _output(parser, ("text", "md", "html", "json"))
    return parser


def rules_parser() -> argparse.ArgumentParser:
    parser = Parser("rules", "List all rules: code, name, severity, what they find.", "[OPTIONS]")
    _output(parser, ("text", "json"))
    return parser


def devices_parser() -> argparse.ArgumentParser:
    parser = Parser(
        "devices",
        "List device profiles, or show one with the source of every figure.",
        "[OPTIONS] [NAME]",
    )
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="a listed device or a profile's .toml file"
    )
    _output(parser, ("text", "json"))
    return parser


def calibrate_parser() -> argparse.ArgumentParser:
    about = "Measure this machine's GPU; write its device profile, the raw data and a plot. Needs nvcc and an idle GPU."
    parser = Parser("calibrate", about, "[OPTIONS]")
    parser.add_argument(
        "--device-name",
        metavar="NAME",
        help="name of the profile (default: derived from the GPU's name)",
    )
    parser.add_argument(
        "--gpu",
        type=int,
        default=0,
        metavar="N",
        help="GPU number as in nvidia-smi (default: 0)",
    )
    parser.add_argument(
        "-o",
        "--output-file",
        metavar="FILE",
        help="profile to write (default: NAME.toml); raw data and plot go beside it",
    )
    return parser


def config_parser() -> argparse.ArgumentParser:
    parser = Parser(
        "config", "List the keys of configuration files and what they mean.", "[OPTIONS]"
    )
    _output(parser, ("text", "json"))
    return parser


# options of `check` without an effect on a baseline: accepted, but not shown
BESIDE_A_BASELINE = frozenset(
    (
        *("severity", "status", "fail_on", "strict", "exit_zero"),
        *("fix", "unsafe_fixes", "idle_fixes", "diff"),
        *("write_baseline", "add_ignore"),
        *("output_format", "output_file", "also", "rules_url"),
        *("timings", "watch", "statistics"),
    )
)


def baseline_parser() -> argparse.ArgumentParser:
    parser = check_parser()
    for action in parser._actions:
        if action.dest in BESIDE_A_BASELINE:
            action.help = argparse.SUPPRESS
    parser.prog, parser.usage = (
        "kernlint baseline",
        "kernlint baseline {prune,show} [OPTIONS] FILE…",
    )
    parser.description = "Remove fixed findings from a baseline (prune) or print it (show). `check --write-baseline` creates one."
    parser.epilog = epilog("baseline")
    return parser


def server_parser() -> argparse.ArgumentParser:
    return Parser(
        "server",
        "Run the language server for editors, on standard input and output.",
        "",
    )


def completion_parser() -> argparse.ArgumentParser:
    parser = Parser("completion", "Print the completion script of a shell.", "SHELL")
    parser.add_argument(
        "shell",
        metavar="SHELL",
        choices=("bash", "zsh", "fish", "tcsh"),
        help="bash, zsh, fish or tcsh",
    )
    return parser


# commands whose options others are asked for by mistake
ELSEWHERE = {
    "report": report_parser,
    "check": check_parser,
    "tune": tune_parser,
    "compare": compare_parser,
}


def parse(parser: argparse.ArgumentParser, kind: type[Request], words: Sequence[str]) -> Request:
    """The words behind a command's name as its request, without contradictions."""
    parsed = vars(parser.parse_intermixed_args(words))
    values = {name: tuple(v) if isinstance(v, list) else v for name, v in parsed.items()}
    if kind is BaselineRequest:
        values["verb"] = "".join(values["paths"][:1])
        values["paths"] = values["paths"][1:]
    request = _settled(kind(**values))
    for problem in contradictions(request):
        raise UsageError(problem)
    return request


def _settled(request: Request) -> Request:
    """The request with what one option says of another."""
    if isinstance(request, CheckRequest):
        if request.timings:  # of one process that does all the work
            request = replace(request, jobs=1, no_cache=True)
        if request.diff:  # beside --fix it changes no file, as that of other linters
            request = replace(request, fix=False)
        return _with_baseline_path(request)
    if isinstance(request, TuneRequest) and request.diff:  # beside --apply it changes no file
        return replace(request, apply=False)
    return request


def _with_baseline_path(request: CheckRequest) -> CheckRequest:
    """What stands behind --write-baseline is the baseline's name where it ends like one, else a
    path to analyse."""
    named = request.write_baseline
    if not named or named.lower().endswith(".json"):
        return request
    if not os.path.lexists(named):
        raise UsageError(
            f"--write-baseline {named}: no such file or folder to analyse, and the name of a baseline ends in .json"
        )
    return replace(request, paths=(*request.paths, named), write_baseline="")
