"""Options of one command that contradict each other.

Goes in: a request. Comes out: what to say of each contradiction, and what to do instead, the most
basic first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from kernlint.base.usage import SEVERITIES
from kernlint.cli.requests import (
    AnalysisRequest,
    BaselineRequest,
    CheckRequest,
    CompareRequest,
    ExplainRequest,
    ReportRequest,
    Request,
    TuneRequest,
)


def contradictions(request: Request) -> Iterator[str]:
    if isinstance(request, BaselineRequest):
        if request.verb not in ("prune", "show"):
            yield "expected `kernlint baseline prune FILE…` or `kernlint baseline show`"
        if request.verb == "show" and not request.paths:
            return
    if isinstance(request, AnalysisRequest):
        yield from _paths(request)
        yield from _configuration(request)
    if isinstance(request, CheckRequest):
        yield from _levels(request)
        yield from _fixes(request)
        yield from _accepting(request)
    elif isinstance(request, ReportRequest):
        yield from _line(request)
    elif isinstance(request, TuneRequest):
        yield from _tune(request)
    elif isinstance(request, CompareRequest):
        yield from _compare(request)
    elif isinstance(request, ExplainRequest) and request.all == bool(request.codes):
        yield "name the rules to explain, or --all: for example `kernlint explain KL101`"


def _paths(request: AnalysisRequest) -> Iterator[str]:
    taken = request.add_ignore if isinstance(request, CheckRequest) else None
    if not request.paths and taken and os.path.exists(taken):
        yield f"no file given: --add-ignore takes `{taken}` as its reason; name the files first: `{taken} --add-ignore`"
    if not request.paths:
        yield "no file given: name files or folders, or - for standard input"
    if "-" in request.paths and len(request.paths) > 1:
        yield "- reads standard input: it cannot be combined with files"
    if request.stdin_filename and not request.reads_stdin:
        yield "--stdin-filename names standard input: give - as the file"


def _configuration(request: AnalysisRequest) -> Iterator[str]:
    if request.isolated and request.config:
        yield "--isolated and --config contradict each other: keep one"
    files = sum("=" not in text for text in request.config)
    if files > 1:
        yield f"--config names {files} files: keep one, and let it `extend` the other"


def _levels(request: CheckRequest) -> Iterator[str]:
    severity, fail_on = request.severity, request.fail_on
    if request.exit_zero and request.strict:
        yield "--exit-zero and --strict contradict each other: keep one"
    if request.exit_zero and fail_on:
        yield "--exit-zero and --fail-on contradict each other: keep one"
    if severity and fail_on and SEVERITIES.index(fail_on) < SEVERITIES.index(severity):
        yield f"--fail-on {fail_on} has no effect: --severity {severity} hides those findings"
    if request.statistics and request.output_format not in (None, "full", "concise"):
        yield f"--statistics prints a table: leave out --output-format {request.output_format}, or count in its output"
    if request.watch and request.reads_stdin:
        yield "--watch needs files: standard input is read once"


def _fixes(request: CheckRequest) -> Iterator[str]:
    edits = request.fix or request.diff
    accepts = request.write_baseline is not None or request.add_ignore is not None
    if request.unsafe_fixes and not edits:
        yield "--unsafe-fixes selects fixes: add --fix or --diff"
    if request.idle_fixes and not edits:
        yield "--idle-fixes selects fixes: add --fix or --diff"
    if edits and (accepts or request.watch):
        yield "--fix and --diff cannot be combined with --write-baseline, --add-ignore or --watch"


def _accepting(request: CheckRequest) -> Iterator[str]:
    written, known = request.write_baseline, request.baseline
    if written is not None and request.add_ignore is not None:
        yield "--write-baseline and --add-ignore both accept the findings: keep one"
    if written and known and written != known:
        yield f"--write-baseline {written} and --baseline {known} name two files: keep one"


def _line(request: ReportRequest) -> Iterator[str]:
    line = request.line
    if line is None:
        if request.map:
            yield "--map draws the accesses of one line: add --line N"
        return
    if line < 1:
        yield f"--line {line}: lines count from 1"
    if request.output_format not in (None, "text"):
        yield f"--line prints text: leave out --output-format {request.output_format}"
    if len(request.paths) > 1 or os.path.isdir(request.paths[0]):
        yield "--line works on one file: name only that file"


def _tune(request: TuneRequest) -> Iterator[str]:
    if (request.diff or request.apply) and request.output_format:
        yield "--diff and --apply print no table: leave out --output-format"
    if request.apply and request.reads_stdin:
        yield "--apply writes files: standard input has none; --diff prints the change"


def _compare(request: CompareRequest) -> Iterator[str]:
    if not request.ncu and not request.shows:
        yield "no profile given: name a page or report of Nsight Compute with --ncu (see `kernlint compare --help`)"
