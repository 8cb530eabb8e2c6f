"""Family 0: what kernlint could not read, had to assume, or gave up on. Goes in: facts. Comes out:
findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Problem, Span
from kernlint.checks import context, own_headers, words
from kernlint.checks.by_line import in_parts
from kernlint.checks.context import Group
from kernlint.checks.global_memory import csr_rows, gathers
from kernlint.checks.rules import Rule
from kernlint.model.facts import Access, Branch, File, Kernel
from kernlint.model.finding import Finding
from kernlint.model.reasons import (
    GAVE_UP,
    LAUNCH,
    LAUNCHES,
    REASONS,
    REMEDIES,
    UNCOUNTED,
    UNSEEN,
    sentence,
)
from kernlint.source.foreign import DEVICE
from kernlint.source_model.model import source_of

DECIDED = "define what it asks for (`-D NAME=VALUE`), or give the folder of the header that does (`-I DIR`)"
_IN_FUNCTION = re.compile(r" in function (\w+)")
NAMED = 5  # names of a list that are spelled out
OWN_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')  # in quotes: of the user's own
GRID = "unknown-launch"  # the reason where the grid alone is missing
COUNTED = {"shared": "wavefronts", "global": "sectors", "local": "sectors"}


def problems(file: File, rule: Rule) -> Iterator[Finding]:
    """KL001 and the warnings of KL003: the problems that the pipeline recorded under the rule's
    code, those of one cause reported once."""
    causes: dict[tuple[str, str, bool], list[Problem]] = {}
    own = [problem for problem in file.problems if problem.code == rule.code]
    if (
        len(own) > 1
        and rule.code == "KL001"
        and not file.kernels
        and DEVICE.search(file.text) is None
    ):
        yield _unreadable(own, file, rule)
        return
    for problem in own:
        causes.setdefault((problem.span.path, _cause(problem), problem.note), []).append(problem)
    for alike in causes.values():
        yield in_parts(alike, _span, partial(_of_one_cause, file=file, rule=rule))


def _span(told: Problem | _Unknown) -> Span:
    return told.span


def _of_one_cause(alike: Sequence[Problem], file: File, rule: Rule) -> Finding:
    first = alike[0]
    names = [problem.subject or problem.kernel or _named(problem) for problem in alike]
    severity, status = ("info", "exact") if first.note else (rule.severity, "unknown")
    places: dict[str, list[int]] = {}
    for name, problem in zip(names[1:], alike[1:], strict=True):
        places.setdefault(name, []).append(problem.span.line)
    others = [
        f"`{name}` ({words.lines(sorted(set(lines)))})" for name, lines in places.items() if name
    ]
    return Finding(
        rule.code,
        rule.name,
        severity,
        first.message,
        first.span,
        kernel=first.kernel if len(set(names)) == 1 else "",
        status=status,
        notes=(f"same for {_listed(others)}",) if others else (),
        help=_missing(first, file) or _remedy(first, file),
        reason=first.reason,
        undefined=tuple(dict.fromkeys(names)) if first.reason in UNCOUNTED else (),
    )


def _remedy(problem: Problem, file: File) -> str:
    if problem.message.startswith("#error"):
        return DECIDED
    if problem.message.endswith(UNSEEN):
        return LAUNCHES
    if problem.reason == "block-unknown":
        _, _, undefined = problem.message.partition(f"{REASONS['unknown-name']}: ")
        if undefined:
            return f"define `{undefined}` (`-D {undefined}=…`, or `-I DIR` for its header); or {LAUNCH}"
        _, _, name = problem.message.partition(f"{REASONS['unknown-argument']}: ")
        is_settable = name in {parameter.name for parameter in file.parameters}
        return (
            f"{LAUNCH}, or the value that decides it (`--arg {name}=…`)" if is_settable else LAUNCH
        )
    return GAVE_UP[problem.reason].remedy if problem.reason else ""


def _unreadable(own: list[Problem], file: File, rule: Rule) -> Finding:
    """One finding for a text without device code."""
    language = {"opencl": "OpenCL", "ptx": "PTX"}.get(file.language, "CUDA")
    message = f"no device code found and {len(own)} syntax errors: is this {language} code?"
    first = min(own, key=lambda problem: (problem.span.line, problem.span.column))
    lines = sorted({problem.span.line for problem in own})
    notes = (f"here: {first.message}", f"syntax errors on {words.lines(lines)}")
    return Finding(
        rule.code, rule.name, rule.severity, message, first.span, status="unknown", notes=notes
    )


def headers_not_found(file: File, rule: Rule) -> Iterator[Finding]:
    """KL003: the file's own headers that are not there, where a kernel uses what no file seen
    defines."""
    lines = {
        name: line
        for line, text in enumerate(file.text.split("\n"), 1)
        for name in OWN_INCLUDE.findall(text)
    }
    own = [
        name
        for name in file.missing_headers
        if name in lines and not own_headers.SYSTEM.fullmatch(name)
    ]
    names = list(dict.fromkeys(f"`{name}`" for name in _undefined(file) if name))
    if own and names:
        line = lines[own[0]]
        end = len(file.text.split("\n")[line - 1]) + 1
        headers = _listed([f"`{name}`" for name in own])
        message = sentence(
            "header",
            headers=headers,
            where="",
            names=_listed(names),
            them="it" if len(names) == 1 else "them",
        )
        yield Finding(
            rule.code,
            rule.name,
            rule.severity,
            message,
            Span(file.path, line, 1, line, end),
            status="unknown",
            help=GAVE_UP["header"].remedy,
            reason="header",
            headers=tuple(own),
            undefined=tuple(name.strip("`") for name in names),
        )


def _undefined(file: File) -> Iterator[str]:
    """The functions, macros and types that kernels use and no file seen defines. What is only
    unknown because of one, such as a variable that a macro's loop changes, is defined."""
    for problem in file.problems:
        if problem.reason in ("definition", "loop-macro"):
            yield problem.subject
        elif problem.reason == "subscript":
            yield problem.subject.partition(" of ")[2]
    for access in (
        access
        for kernel in file.kernels
        for access in kernel.accesses
        if access.status == "unknown"
    ):
        quoted = access.reason == "unknown-type" and re.fullmatch(r"`(.+)`", access.detail)
        if quoted:
            yield quoted[1]
        elif access.reason == "unknown-function" and re.search(
            rf"\b{re.escape(access.detail)}\s*[(<]", file.text
        ):
            yield access.detail


def _named(problem: Problem) -> str:
    """The first name that the message quotes, or that of the function it is in."""
    quoted = re.search(r"`([^`]*)`", problem.message) or _IN_FUNCTION.search(problem.message)
    return quoted[1] if quoted else ""


def _cause(problem: Problem) -> str:
    """The message without what differs from place to place: the function it is in, the name it is
    about."""
    message = problem.message.removesuffix(f" in function {problem.kernel}")
    if message.endswith(UNSEEN):
        message = _IN_FUNCTION.sub("", message)
    message = message.replace(problem.subject, "…") if problem.subject else message
    return re.sub(r"`[^`]*`", "…", message) if problem.code == "KL003" else message


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:NAMED])
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED} more"


def _missing(problem: Problem, file: File) -> str:
    """The fix where a definition was not found: the header that may hold it, or the macro on the
    command line."""
    if "definition was not found" not in problem.message:
        return ""
    macro = re.match(r"'(\w+)\(…\)", problem.message)
    own = own_headers.missed(file) or list(file.missing_headers)
    headers = f"; not found: {_listed([f'`{name}`' for name in own])}" if own else ""
    define = f", or define it (`-D '{macro[1]}(…)=…'`)" if macro else ""
    return f"give the folder of the header that defines it (`-I DIR`{headers}){define}"


def launch_assumed(file: File, rule: Rule) -> Iterator[Finding]:
    """KL002: kernels of which no launch is known, those with the same block reported together."""
    unknown: dict[tuple[int, ...], dict[str, Kernel]] = {}
    for kernel in file.kernels:
        if kernel.launch.grid is None:
            unknown.setdefault(kernel.launch.block, {}).setdefault(
                kernel.qualified_name or kernel.name, kernel
            )
    source = source_of(file)
    for alike in unknown.values():
        yield in_parts(
            list(alike.values()),
            lambda kernel: source.name(kernel.span, kernel.name),
            partial(_assumed, file=file, rule=rule),
        )


def _assumed(kernels: Sequence[Kernel], file: File, rule: Rule) -> Finding:
    kernel, *others = kernels
    name = kernel.name
    rests = [text for text in kernel.assumptions if not words.of_launch(text)]
    notes = (_block(kernel, file), *words.assuming(rests))
    if others:
        notes = (
            *notes,
            f"same for {_listed([f'`{other.name}` (line {other.span.line})' for other in others])}",
        )
    open_lines = sorted(
        {place.line for k in kernels for place in _by_grid(k) if place.path == file.path}
    )
    if open_lines:
        notes = (
            *notes,
            f"accesses and branches on {words.lines(open_lines)} depend on the launch",
        )
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{name}`: grid unknown, analysed with a block of {words.size(kernel.launch.block)}; totals over the launch are unknown",
        source_of(file).name(kernel.span, name),
        kernel=words.kernel(kernel),
        status="unknown",
        notes=notes,
        help=f"give its launch: `// kernlint: launch(grid=…, block=…)` above the kernel, or `--grid … --block … --kernel {name}`",
    )


def _block(kernel: Kernel, file: File) -> str:
    """Where the block is from, and what became of the launch."""
    launch = kernel.launch
    lost = [
        problem
        for problem in file.problems
        if problem.reason == "block-unknown" and f"`{kernel.name}`" in problem.message
    ]
    origin = words.block_origin(launch)
    if launch.span is not None and not launch.block_assumed:
        return f"its block is {origin}, whose grid depends on values that are not known"
    if " line " in launch.block_origin:
        return f"the block of its launch depends on values that are not known and is {origin}"
    if lost:
        return f"the block of its launch on line {lost[0].span.line} is not known and is {origin}"
    return f"no launch of it was found; its block is {origin}"


UNSTATED = "?"  # a template argument that nobody gives
INSTANTIATE = (
    "launch the template in this file, or instantiate it (`template __global__ void k<128>(…);`)"
)


@dataclass(frozen=True, slots=True)
class _Unknown:
    """A number that is not known: `what` it is, `why`, and what would help."""

    span: Span
    what: str
    why: str
    kernel: str
    reason: str
    remedy: str = ""  # where the reason's own would mislead


def analysis_gave_up(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL003, as notes: accesses, branches and barriers whose numbers kernlint cannot know, once per
    kernel and cause."""
    causes: dict[str, list[_Unknown]] = {}
    for kernel in group.kernels:
        for unknown in _unknowns(kernel, group):
            if not _by_launch(kernel, unknown):
                causes.setdefault(unknown.why, []).append(unknown)
    for alike in causes.values():
        yield in_parts(alike, _span, partial(_not_known, rule=rule))


def _not_known(alike: Sequence[_Unknown], rule: Rule) -> Finding:
    first = alike[0]
    others = [one for one in alike if one.what != first.what and one.span.path == first.span.path]
    more = sorted({one.span.line for one in others})
    notes = [first.why] if first.why else []
    if more:
        notes.append(f"unknown for the same reason: {words.lines(more)}")
    return Finding(
        rule.code,
        rule.name,
        "info",
        first.what,
        first.span,
        kernel=first.kernel,
        status="unknown",
        notes=tuple(notes),
        help=first.remedy or REMEDIES.get(first.reason, ""),
        reason=first.reason,
    )


def _by_launch(kernel: Kernel, unknown: _Unknown) -> bool:
    """Whether only the grid is missing, which KL002 reports."""
    return kernel.launch.grid is None and unknown.why.startswith(REASONS[GRID])


def _by_grid(kernel: Kernel) -> Iterator[Span]:
    """What is unknown of a kernel for want of its grid."""
    open_ones: list[Access | Branch] = [*_unknown_accesses(kernel), *_unknown_branches(kernel)]
    yield from (one.span for one in open_ones if one.reason == GRID)
    yield from (barrier.span for barrier in _barriers(kernel) if _by_launch(kernel, barrier))


def _unknowns(kernel: Kernel, group: Group) -> Iterator[_Unknown]:
    yield from _accesses(kernel, group)
    yield from _branches(kernel, group.file)
    yield from _barriers(kernel)


def _accesses(kernel: Kernel, group: Group) -> Iterator[_Unknown]:
    lanes = group.device.warp_lanes
    file, open_ones = group.file, [a for a in kernel.accesses if _is_open(a, lanes)]
    unknown = [*_unknown_accesses(kernel), *open_ones]
    for access in unknown:
        if (
            not gathers.decided_by_data(access, kernel)
            and csr_rows.loop_of(access, kernel, source_of(file)) is None
        ):
            op = context.operations(context.beside(access, unknown))
            what = _unknown_count(access, op) if access.status == "unknown" else _any(access, op)
            why, remedy = _defining(kernel, access, file) or (words.why(access), "")
            yield _Unknown(access.span, what, why, words.kernel(kernel), access.reason, remedy)


def _unknown_count(access: Access, op: str) -> str:
    counter = COUNTED[access.space]
    return sentence("access", text=access.text, counter=counter, space=access.space, op=op)


def _any(access: Access, op: str) -> str:
    counts = access.wavefronts
    assert counts is not None
    ends = {"least": words.mean(counts.mean_low), "most": words.mean(counts.mean_high)}
    return sentence("open-access", text=access.text, op=op, **ends)


def _is_open(access: Access, lanes: int) -> bool:
    """Whether a range of shared memory says nothing but that there are lanes: from the ideal to a
    wavefront for each."""
    counts = access.wavefronts
    if counts is None or access.status != "range":
        return False
    if access.reason == "compiler" or _gone(access):
        return False
    most = lanes if access.active_lanes is None else access.active_lanes
    return counts.mean_low <= counts.ideal < counts.mean_high and counts.mean_high >= most


def _unknown_accesses(kernel: Kernel) -> list[Access]:
    counted = (one for one in kernel.accesses if one.space in COUNTED and not _gone(one))
    return [access for access in counted if access.status == "unknown"]


def _unknown_branches(kernel: Kernel) -> list[Branch]:
    return [branch for branch in kernel.branches if branch.status == "unknown"]


def _gone(access: Access) -> bool:
    """Whether the machine surely executes nothing of it."""
    return access.as_compiled is not None and access.as_compiled.requests == 0


def _branches(kernel: Kernel, file: File) -> Iterator[_Unknown]:
    for branch in _unknown_branches(kernel):
        why = words.because(branch.reason, branch.detail)
        told = sentence("branch", condition=branch.condition)
        why, remedy = _defining(kernel, branch, file) or (why, "")
        yield _Unknown(branch.span, told, why, words.kernel(kernel), branch.reason, remedy)


def _defining(kernel: Kernel, what: Access | Branch, file: File) -> tuple[str, str] | None:
    """Why and what to do where a name decides that is no argument: one that no file defines, or a
    variable."""
    if what.reason != "unknown-argument":
        return None
    arguments = {parameter.name for parameter in kernel.parameters}
    named = what.detail.partition(",")[0]
    if UNSTATED in kernel.template_arguments and named.isidentifier() and named not in arguments:
        return f"depends on the template argument `{named}`", INSTANTIATE
    if not words.undefined(kernel, (what.detail,)):
        if what.detail in arguments:
            given = f"`--arg {what.detail}=…` or `// kernlint: launch(…, {what.detail}=…)`"
            return words.because(what.reason, what.detail), f"give its value: {given}"
        if not what.detail.isidentifier():
            return None
        return f"depends on `{what.detail}`, which an argument of unknown value decides", ""
    return f"depends on `{what.detail}`, which no analysed file defines", words.giving(
        kernel, (what.detail,), own_headers.not_found(file)
    )


def _barriers(kernel: Kernel) -> Iterator[_Unknown]:
    for barrier in kernel.barriers:
        if barrier.uniform is None and barrier.scope == "block":
            yield _Unknown(
                barrier.span,
                sentence("barrier", text=barrier.text),
                barrier.detail,
                words.kernel(kernel),
                "barrier",
            )
