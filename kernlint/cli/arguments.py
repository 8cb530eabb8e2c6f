"""The commands' options and help texts. Goes in: nothing. Comes out: argparse parsers, one per
command."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from kernlint import __version__
from kernlint.base.usage import (
    DEFAULT_DEVICE,
    FORMATS,
    HIP_DEVICE,
    LANGUAGES,
    SEVERITIES,
    chosen,
    nearest,
)
from kernlint.cli.help_texts import ABOUT, epilog

_CHOICE = re.compile(r"invalid choice: '(?P<word>.*?)' \(choose from (?P<known>.*)\)")


class Parser(argparse.ArgumentParser):
    """One command: its options, and below them what `manual` says of it. Errors in one line, with
    where to read on."""

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
                (name for name in ELSEWHERE if option in PARSERS[name]()._option_string_actions), ""
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
        """An option whose name, or the end of whose name, is close: the dashes before it, which all
        share, tell nothing."""
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
        help="an argument's value; a pointer's as +BYTES",
    )
    launch.add_argument("--kernel", action=Once, metavar="NAME", help="only this kernel")
    launch.add_argument(
        "--registers",
        action="append",
        default=[],
        metavar="N|NAME=N|FILE",
        help="registers per thread, for estimated times: of all kernels, of one, or what `nvcc -Xptxas -v` printed, in a file",
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
        help="look for headers there",
    )
    source.add_argument(
        "--language", action=Once, choices=LANGUAGES, help="instead of judging by name and contents"
    )
    source.add_argument(
        "--line-table",
        action=Once,
        choices=("auto", "none"),
        help="none: places in PTX are lines of the PTX",
    )
    source.add_argument(
        "--stdin-filename", action=Once, metavar="NAME", help="the name that standard input goes by"
    )
    usual = f"default: {DEFAULT_DEVICE}; {HIP_DEVICE} for HIP"
    source.add_argument(
        "--device", action=Once, metavar="NAME", help=f"profile, or a .toml file ({usual})"
    )
    source.add_argument(
        "--arch",
        action=Once,
        metavar="sm_80",
        help="the profile with this architecture, as nvcc names it",
    )
    source.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="GLOB,…",
        help="pass over these when folders are walked",
    )
    source.add_argument(
        "-p",
        "--compile-commands",
        action=Once,
        metavar="DIR",
        help="take -D and -I from its compile_commands.json",
    )
    effort = parser.add_argument_group("effort")
    effort.add_argument(
        "-j",
        "--jobs",
        action=Once,
        type=_jobs,
        metavar="N",
        help="worker processes (default, and 0: one per core)",
    )
    seconds = "processor seconds for each file, and 2 ms for each line beyond 2,000; 0 for any (default: 10)"
    effort.add_argument("--timeout-per-file", action=Once, type=_seconds, metavar="S", help=seconds)
    effort.add_argument(
        "--no-cache", action="store_true", help="neither read nor write results of earlier runs"
    )
    effort.add_argument(
        "--cache-dir",
        action=Once,
        metavar="DIR",
        help="their folder (default: KERNLINT_CACHE_DIR or .kernlint_cache)",
    )
    project = parser.add_argument_group(
        "configuration",
        "kernlint.toml, .kernlint.toml or pyproject.toml, the nearest above each file; `kernlint config` lists the keys",
    )
    project.add_argument(
        "--config",
        action="append",
        default=[],
        metavar="FILE|KEY=VALUE",
        help="this file instead, or one key over all files",
    )
    project.add_argument("--isolated", action="store_true", help="no configuration file")
    project.add_argument(
        "--show-settings",
        action="store_true",
        help="print what is set for each path, and by which files",
    )
    project.add_argument(
        "--show-files", action="store_true", help="print the files that would be analysed"
    )
    return parser


def _jobs(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(
            f"{text}: a number of processes is meant, 0 for one per core"
        )
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
    output.add_argument(
        "--output-format", action=Once, choices=formats, default=None, help=f"default: {formats[0]}"
    )
    output.add_argument(
        "-o",
        "--output-file",
        action=Once,
        metavar="FILE",
        help="write there instead of standard output",
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
    parser = _analysing(
        "check", "Findings: what is slow or wrong in the kernels of these files, and what to do."
    )
    rules = parser.add_argument_group("rules")
    rules.add_argument(
        "--select", action="append", default=[], metavar="RULE,…", help="only these rules"
    )
    rules.add_argument(
        "--ignore", action="append", default=[], metavar="RULE,…", help="all but these rules"
    )
    rules.add_argument(
        "--severity", action=Once, choices=SEVERITIES, help="the lowest to show (default: warning)"
    )
    rules.add_argument(
        "--status",
        action="append",
        default=[],
        metavar="STATUS,…",
        help="only findings that are exact, range or unknown",
    )
    rules.add_argument(
        "--fail-on",
        action=Once,
        choices=SEVERITIES,
        help="the lowest that makes the exit code 1 (default: warning)",
    )
    rules.add_argument(
        "--strict",
        action="store_true",
        help="analysis stopped by --timeout-per-file makes the exit code 1 as well",
    )
    rules.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever is found")
    fixes = parser.add_argument_group("fixes")
    fixes.add_argument(
        "--fix",
        action="store_true",
        help="make the edits that findings offer, each proved by analysing again",
    )
    fixes.add_argument(
        "--unsafe-fixes",
        action="store_true",
        help="with these, also edits that change layout or need a person's eye",
    )
    fixes.add_argument(
        "--idle-fixes",
        action="store_true",
        help="with these, also edits that leave the estimated time as it is",
    )
    fixes.add_argument(
        "--diff", action="store_true", help="print what --fix would change, and change nothing"
    )
    accept = parser.add_argument_group("accepting what is known")
    accept.add_argument(
        "--baseline",
        action=Once,
        metavar="FILE",
        help="show only findings that are not in this file",
    )
    accept.add_argument(
        "--write-baseline",
        nargs="?",
        const="",
        action=Once,
        metavar="FILE.json",
        help="write what is found to the baseline file",
    )
    accept.add_argument(
        "--add-ignore",
        nargs="?",
        const="",
        action=Once,
        metavar="REASON",
        help="add a suppressing comment to every line with a finding",
    )
    output = _output(parser, FORMATS)
    output.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="FORMAT=FILE",
        help="write the findings in this format as well",
    )
    output.add_argument(
        "--rules-url",
        action=Once,
        metavar="URL",
        help="where the rules' pages are served: https://…/{page}",
    )
    output.add_argument(
        "--timings",
        action="store_true",
        help="how long each phase and each rule took (one process, no cache)",
    )
    output.add_argument(
        "--watch", action="store_true", help="run again whenever a file changes, until interrupted"
    )
    output.add_argument(
        "--statistics",
        action="store_true",
        help="how often each rule found something, instead of the findings",
    )
    return parser


def report_parser() -> argparse.ArgumentParser:
    parser = _analysing(
        "report", "Facts: every memory access, branch and barrier of every kernel, in numbers."
    )
    parser.add_argument(
        "--against",
        action=Once,
        metavar="PTX",
        help="where the PTX made of this source differs from it, and why",
    )
    output = _output(parser, ("text", "json", "html"))
    output.add_argument(
        "--line", action=Once, type=int, metavar="N", help="how the numbers of line N come about"
    )
    output.add_argument(
        "--map",
        action="store_true",
        help="with --line: draw which lanes meet in which bank, sector and line",
    )
    return parser


def tune_parser() -> argparse.ArgumentParser:
    description = "Searches padding, swizzles and blocks for every shared array and launch, and ranks them by estimated time."
    parser = _analysing("tune", description)
    search = parser.add_argument_group("search")
    search.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="KIND,…",
        help="of padding, swizzle, skew, block (default: all)",
    )
    search.add_argument(
        "--diff",
        action="store_true",
        help="print the best layouts as a patch instead of the tables",
    )
    search.add_argument(
        "--apply",
        action="store_true",
        help="write the best layouts into the files; blocks are told, never changed",
    )
    _output(parser, ("text", "json"))
    return parser


def compare_parser() -> argparse.ArgumentParser:
    description = "Predicted and counted, side by side: the numbers of every memory access and those of a Nsight Compute profile."
    parser = _analysing("compare", description)
    profile = parser.add_argument_group("profile")
    profile.add_argument(
        "--ncu",
        action="append",
        default=[],
        metavar="REPORT",
        help="a CSV page or .ncu-rep of Nsight Compute; may be repeated",
    )
    _output(parser, ("text", "json", "concise"))
    return parser


def explain_parser() -> argparse.ArgumentParser:
    parser = Parser(
        "explain",
        "What a rule finds, why it costs, how to fix it, with examples.",
        "[OPTIONS] CODE…",
    )
    parser.add_argument(
        "codes", nargs="*", metavar="CODE", help="codes or names: KL101, shared-bank-conflict"
    )
    parser.add_argument("--all", action="store_true", help="every rule")
    _output(parser, ("text", "md", "html", "json"))
    return parser


def rules_parser() -> argparse.ArgumentParser:
    parser = Parser("rules", "All rules: code, name, severity, what they find.", "[OPTIONS]")
    _output(parser, ("text", "json"))
    return parser


def devices_parser() -> argparse.ArgumentParser:
    parser = Parser(
        "devices",
        "Device profiles; with a name, every figure and where it is from.",
        "[OPTIONS] [NAME]",
    )
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="a device of the list, or a profile's .toml file"
    )
    _output(parser, ("text", "json"))
    return parser


def calibrate_parser() -> argparse.ArgumentParser:
    about = "Measures the GPU of this machine and writes its device profile, the raw data and a figure. Needs nvcc and a free GPU."
    parser = Parser("calibrate", about, "[OPTIONS]")
    parser.add_argument(
        "--device-name", metavar="NAME", help="the profile's name (default: from the GPU's)"
    )
    parser.add_argument(
        "--gpu",
        type=int,
        default=0,
        metavar="N",
        help="which GPU, as nvidia-smi counts them (default: 0)",
    )
    parser.add_argument(
        "-o",
        "--output-file",
        metavar="FILE",
        help="the profile, a .toml file (default: NAME.toml), the rest beside it",
    )
    return parser


def config_parser() -> argparse.ArgumentParser:
    parser = Parser("config", "The keys of configuration files, and what they mean.", "[OPTIONS]")
    _output(parser, ("text", "json"))
    return parser


def baseline_parser() -> argparse.ArgumentParser:
    parser = check_parser()
    parser.prog, parser.usage = (
        "kernlint baseline",
        "kernlint baseline {prune,show} [OPTIONS] FILE…",
    )
    parser.description = "Takes out of a baseline what is gone (prune), or prints what it holds (show). Made with `check --write-baseline`."
    parser.epilog = epilog("baseline")
    return parser


def server_parser() -> argparse.ArgumentParser:
    return Parser(
        "server",
        "The language server, for editors: speaks the protocol on standard input and output.",
        "",
    )


def completion_parser() -> argparse.ArgumentParser:
    parser = Parser("completion", "Prints the completion script of a shell.", "SHELL")
    parser.add_argument(
        "shell",
        metavar="SHELL",
        choices=("bash", "zsh", "fish", "tcsh"),
        help="bash, zsh, fish or tcsh",
    )
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
ELSEWHERE = (
    "report",
    "check",
    "tune",
    "compare",
)  # commands whose options others are asked for by mistake
