"""What kernlint makes of one file: numbers only, worked out in processes beside this one.

Goes in: a corpus's file and settings. Comes out: `Measured` per file; a process that dies or hangs
is a crash or a time-out of its file.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from kernlint.base import deadline, garbage
from kernlint.base.span import SourceError
from kernlint.checks.run import check_file
from kernlint.checks.selection import selected_rules
from kernlint.cli.main import prepare_process
from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection, Settings
from kernlint.model.verdict import place_of
from kernlint.pipeline import engine
from kernlint.render import report_json
from kernlint.render.formats import FORMATS, Document
from kernlint.render.style import Style
from kernlint.source import files
from kernlint.source.embedded import programs
from kernlint.source.parser import tree
from kernlint.source.parser.parser import Unit, parse
from kernlint.source.preprocessor.preprocess import Options, preprocess
from kernlint.source.sources import Sources

HUNG_AFTER = 6.0  # times the limit of processor seconds: what does not look at the clock
DEVICE_WORDS = frozenset({"__global__", "__device__", "__kernel", "kernel"})
FAULT = "internal error"
WRITTEN = ("full", "concise", "json")
AT_ONCE = 40  # files that one process takes
Work = tuple[str, Settings]
_parsed: set[str] = set()  # functions of headers that a process which only parses has seen whole


@dataclass(slots=True)
class Measured:
    """One file's numbers. Lists name things by place, so that what several files include counts
    once in their corpus."""

    path: str
    lines: int = 0  # of the file
    lines_read: int = 0  # with its headers
    functions: list[str] = field(
        default_factory=list
    )  # kernels and device functions found: path:line
    unparsed: dict[str, str] = field(
        default_factory=dict
    )  # those that could not be parsed, and why
    kernels: list[str] = field(default_factory=list)
    executed: list[str] = field(default_factory=list)
    accesses: dict[str, str] = field(
        default_factory=dict
    )  # place to "exact", "range" or the reason of unknown
    unlaunched: dict[str, str] = field(
        default_factory=dict
    )  # the same of kernels of which no launch is known
    findings: list[str] = field(default_factory=list)  # "code path:line:column"
    parse_seconds: float = 0.0  # of the processor: preprocessing and all bodies
    seconds: float = 0.0  # of the processor: end to end
    peak_bytes: int = 0
    faults: list[str] = field(default_factory=list)
    timed_out: bool = False


def measure(path: str, settings: Settings, parse_only: bool = False) -> Measured:
    """One file, twice: through the parser alone, which is timed, and unless `parse_only` through
    everything."""
    source, measured = files.read(path), Measured(path)
    if source.text is None:
        return measured
    measured.lines = source.text.count("\n") + 1
    began = time.process_time()
    try:
        with deadline.running(settings.timeout):
            _parse(source, settings, measured, _parsed if parse_only else set())
    except deadline.OutOfTime:
        measured.timed_out = True
    measured.parse_seconds = time.process_time() - began
    if not parse_only:
        _analyse(source, settings, measured)
    measured.peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return measured


def _analyse(source: files.Source, settings: Settings, measured: Measured) -> None:
    began = time.process_time()
    garbage.before_file()
    file = engine.analyse_source(source, settings)
    findings = check_file(file, settings.device, selected_rules(Selection(severity="info")))
    measured.seconds = time.process_time() - began
    measured.timed_out |= file.unfinished
    _tell(file, measured)
    measured.faults = _faults(file, findings) + _unwritten(file, source, findings, settings.device)
    measured.findings = sorted(
        {f"{f.code} {f.span.path}:{f.span.line}:{f.span.column}" for f in findings}
    )


def _parse(source: files.Source, settings: Settings, measured: Measured, known: set[str]) -> None:
    """The file's own code, or the programs that it holds."""
    host = programs.host(source.path, source.text or "", settings.defines.items())
    measured.lines_read = measured.lines
    read: set[str] = set()
    for program in [None] * host.is_code + list(host.programs):
        defines = {**(program.defines if program else {}), **settings.defines}
        language = program.language if program and program.language else source.language
        options = Options(defines, settings.include_dirs, language, 900)
        prepared = preprocess(
            source.path, source.text or "", options, program.text if program else None
        )
        _parse_unit(
            parse(prepared.tokens, source.path, language, prepared.opening),
            language,
            measured,
            known,
        )
        read |= set(prepared.included) - {source.path}
    measured.lines_read += sum(map(_lines, read))


@cache
def _lines(path: str) -> int:
    return (files.read(path).text or "").count("\n") + 1


def _parse_unit(unit: Unit, language: str, measured: Measured, known: set[str]) -> None:
    """`known`: functions whose bodies were parsed before, from another file that includes them."""
    for problem in unit.problems:
        place = f"{problem.span.path}:{problem.span.line}"
        measured.functions.append(place)
        measured.unparsed[place] = problem.message
    for function in _functions(unit.declarations):
        words = set(function.specifiers or [])
        if language != "opencl" and not words & DEVICE_WORDS:
            continue
        place = f"{function.coord.path}:{function.coord.line}"
        measured.functions.append(place)
        if words & {"__global__", "__kernel", "kernel"}:
            measured.kernels.append(place)
        # a macro may make several at one place
        one = f"{place}:{function.coord.column} {function.lazy_body.name}"
        try:
            if one not in known:
                function.lazy_body.parse()
            known.add(one)
        except SourceError as error:
            measured.unparsed[place] = error.message


def _functions(nodes: Sequence[Any]) -> Iterator[Any]:
    """Every function with a body, methods included."""
    for node in nodes:
        if isinstance(node, tree.TemplateDecl):
            yield from _functions([node.decl])
        elif isinstance(node, (tree.Namespace, tree.ExternBlock)):
            yield from _functions(node.decls)
        elif isinstance(node, tree.ClassDef):
            yield from _functions(node.members)
        elif isinstance(node, tree.Function) and node.lazy_body is not None:
            yield node


def _faults(file: facts.File, findings: Sequence[Finding]) -> list[str]:
    """Those of the analysis and of rules, each once: a problem is a finding too where KL003 is
    selected."""
    told = [
        f"{one.span.path}:{one.span.line}: {one.message}"
        for one in (*file.problems, *findings)
        if FAULT in one.message
    ]
    return list(dict.fromkeys(told))


def _unwritten(
    file: facts.File, source: files.Source, findings: Sequence[Finding], device: str
) -> list[str]:
    """What no format could write."""
    report = facts.Report(device, (file,))
    sources = Sources({file.path: source.text or ""})
    document = Document(tuple(findings), sources, device, (file.path,), report)
    writers: dict[str, Callable[[], object]] = {
        form: partial(FORMATS[form], document, Style()) for form in WRITTEN
    }
    writers["report"] = partial(report_json.to_json, report)
    failed = []
    for form, write in writers.items():
        try:
            write()
        except Exception as error:
            failed.append(f"{file.path}: {form}: {FAULT}: {type(error).__name__}: {error}")
    return failed


def _tell(file: facts.File, measured: Measured) -> None:
    for kernel in file.kernels:
        name = f"{kernel.span.path}:{kernel.span.line}"
        measured.executed.append(name)
        for access in kernel.accesses:
            place = f"{name} {access.span.path}:{access.span.line}:{access.span.column} {access.op} {len(access.calls)}"
            status = access.reason or "unknown" if access.status == "unknown" else access.status
            found = measured.accesses if place_of(kernel).launched else measured.unlaunched
            found[place] = worse(found.get(place), status)
    measured.executed = sorted(set(measured.executed))


def together(results: Sequence[Measured]) -> dict[str, str]:
    """The accesses of a corpus, each once: as in reports, a kernel that some file launches does not
    count under an assumed launch."""
    found: dict[str, str] = {}
    for one in results:
        for place, status in one.accesses.items():
            found[place] = worse(found.get(place), status)
    launched = {place.partition(" ")[0] for place in found}
    for one in results:
        for place, status in one.unlaunched.items():
            if place.partition(" ")[0] not in launched:
                found[place] = worse(found.get(place), status)
    return found


def worse(one: str | None, other: str) -> str:
    """Of the statuses of an access under several launches, the one that knows least."""
    order = {None: 0, "exact": 1, "range": 2}
    return max(one or other, other, key=lambda status: order.get(status, 3))


SMALL = """
__global__ void fill(float *a) {
    unsigned lane;
    asm("mov.u32 %0, %laneid;" : "=r"(lane));
    a[blockIdx.x * blockDim.x + threadIdx.x] = lane;
}
void run(float *a) { fill<<<4, 128>>>(a); }
"""


def warm() -> None:
    """Loads the modules and tables that an analysis needs, in a process set up as the command
    line's."""
    prepare_process()
    small = engine.analyse_source(files.Source("small.cu", "cuda", SMALL), Settings())
    check_file(small, Settings().device, selected_rules(Selection(severity="info")))


def run(works: Sequence[Work], jobs: int, parse_only: bool = False) -> Iterator[Measured]:
    """Files as they get done: none costs another file's result. Modules and tables are loaded
    before and a process takes several files, which share the headers that they begin with, as in a
    run over a folder."""
    warm()
    context = multiprocessing.get_context("fork")
    size = min(AT_ONCE, -(-len(works) // jobs)) or 1
    waiting = [list(works[start : start + size]) for start in range(0, len(works), size)][::-1]
    running = dict[Any, tuple[BaseProcess, list[Work], float]]()
    while waiting or running:
        while waiting and len(running) < jobs:
            some = waiting.pop()
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(some, parse_only, theirs))
            process.start()
            theirs.close()
            running[ours] = (process, some, _patience(some))
        for pipe in wait(list(running), timeout=1):
            process, (done, *left), _ = running.pop(pipe)
            found = _received(pipe)
            yield found or Measured(done[0], faults=["the process died"])
            if left and found is not None:
                running[pipe] = (process, left, _patience(left))
                continue
            process.join()
            waiting += [left] if left else []
        for pipe, (process, (late, *left), end) in list(running.items()):
            if time.monotonic() > end:
                process.kill()
                del running[pipe]
                waiting += [left] if left else []
                yield Measured(
                    late[0], timed_out=True, faults=["hung: it did not look at the clock"]
                )


def _patience(works: Sequence[Work]) -> float:
    """When the first of them must be done."""
    return time.monotonic() + HUNG_AFTER * (2 * works[0][1].timeout + 10)


def _received(pipe: Any) -> Measured | None:
    try:
        found: Measured = pipe.recv()
    except EOFError:
        return None
    return found


def _work(works: Sequence[Work], parse_only: bool, pipe: Connection) -> None:
    for path, settings in works:
        try:
            pipe.send(measure(path, settings, parse_only))
        except Exception as error:
            pipe.send(Measured(path, faults=[f"{FAULT}: {type(error).__name__}: {error}"]))


def reasons(accesses: dict[str, str]) -> Counter[str]:
    """How many accesses are unknown, by reason."""
    return Counter(status for status in accesses.values() if status not in ("exact", "range"))
