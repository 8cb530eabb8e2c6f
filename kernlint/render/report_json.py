"""The facts as JSON. Other programs read this: docs/report.md says what each key means; names and
meanings are stable.

Goes in: `facts.Report`. Comes out: plain dictionaries. Never computes a number.
"""

from __future__ import annotations

from typing import Any

from kernlint import __version__
from kernlint.base.span import Problem, Span
from kernlint.checks import words
from kernlint.hardware import resolve
from kernlint.model import facts
from kernlint.render import estimates

SCHEMA = 1


def to_json(report: facts.Report) -> dict[str, Any]:
    model = words.model(resolve(report.device))
    files = [_file(file, report.device_of(file)) for file in report.files]
    return {
        "schema": SCHEMA,
        "version": __version__,
        "device": report.device,
        "cycles_model": model,
        "files": files,
    }


def _file(file: facts.File, device: str) -> dict[str, Any]:
    return {
        "path": file.path,
        "language": file.language,
        "device": device,
        "cycles_model": words.model(resolve(device)),
        "problems": [_problem(problem, file.path) for problem in file.problems],
        "kernels": [_kernel(kernel, file.path) for kernel in file.kernels],
    }


def _problem(problem: Problem, path: str) -> dict[str, Any]:
    kernel = {"kernel": problem.kernel} if problem.kernel else {}
    kernel |= {"reason": problem.reason} if problem.reason else {}
    place = {"line": problem.span.line, "column": problem.span.column}
    return {
        **_path(problem.span, path),
        **place,
        "code": problem.code,
        "message": problem.message,
        **kernel,
    }


def _path(span: Span, path: str) -> dict[str, str]:
    return {"path": span.path} if span.path != path else {}


def _kernel(kernel: facts.Kernel, path: str) -> dict[str, Any]:
    return {
        "name": kernel.name,
        "qualified_name": kernel.qualified_name,
        "template_arguments": list(kernel.template_arguments),
        **_path(kernel.span, path),
        "line": kernel.span.line,
        "end_line": kernel.span.end_line,
        "launch": _launch(kernel.launch),
        "assumptions": list(kernel.assumptions),
        "accesses": [_access(access, path) for access in kernel.accesses],
        "branches": [_branch(branch, path) for branch in kernel.branches],
        "barriers": [
            _barrier(barrier, path) for barrier in kernel.barriers if barrier.scope != "memory"
        ],
        "resources": {
            "static_shared_bytes": kernel.static_shared_bytes,
            "dynamic_shared_bytes": kernel.dynamic_shared_bytes,
        },
        "cycles": _shared_cycles(kernel),
        **estimates.to_json(kernel),
    }


def _shared_cycles(kernel: facts.Kernel) -> dict[str, float | None]:
    """With their bounds where these differ."""
    low, high = kernel.shared_cycles_low, kernel.shared_cycles_high
    bounds = {} if low == high else {"shared_low": low, "shared_high": high}
    return {"shared": kernel.shared_cycles, "shared_ideal": kernel.shared_cycles_ideal, **bounds}


def _launch(launch: facts.Launch) -> dict[str, Any]:
    stated = (
        {"stated": [text for fact in launch.stated for text in fact.texts]} if launch.stated else {}
    )
    return {
        "grid": None if launch.grid is None else list(launch.grid),
        "block": list(launch.block),
        "dynamic_shared_bytes": launch.dynamic_shared_bytes,
        "arguments": {
            name: shown
            for name, value in launch.arguments.items()
            if (shown := _argument(value)) is not None
        },
        "origin": launch.origin,
        **(
            {"dynamic_shared_reason": launch.dynamic_shared_reason}
            if launch.dynamic_shared_reason
            else {}
        ),
        **stated,
    }


def _argument(value: int | float | facts.PointerArgument) -> int | dict[str, int] | None:
    """Integers and pointers; a floating-point argument decides nothing that is reported here."""
    if isinstance(value, facts.PointerArgument):
        return {"offset_bytes": value.offset_bytes}
    return int(value) if isinstance(value, int) else None


def _access(access: facts.Access, path: str) -> dict[str, Any]:
    span, known = access.span, access.status != "unknown"
    entry = {
        **_path(span, path),
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
        "charged_line": access.charged_line,
        "text": access.text,
        "object": access.object,
        "space": access.space,
        "op": access.op,
        "bytes": access.bytes,
        "index": access.index,
        "index_bytes": access.index_bytes or (1 if access.index.startswith("byte ") else None),
        "status": access.status,
        "assumptions": list(access.assumptions),
        "reason": access.reason or None,
        "requests": _number(access.requests),
        "active_lanes": access.active_lanes,
        "wavefronts": _counts(access.wavefronts, access.status) if known else None,
        "sectors": _counts(access.sectors, access.status) if known else None,
        "cache_lines": _counts(access.cache_lines, access.status) if known else None,
        "cycles": access.cycles,
        "as_compiled": _compiled(access.as_compiled, access.space),
    }
    return entry | _further(access)


def _further(access: facts.Access) -> dict[str, Any]:
    """Keys that stand only where they say something."""
    cases = [
        {"condition": c.condition, "wavefronts": c.wavefronts, "sectors": c.sectors}
        for c in access.cases
    ]
    calls = [{"path": c.path, "line": c.line, "column": c.column} for c in access.calls]
    further = {
        "charged_path": access.charged_path,
        "detail": access.detail,
        "cases": cases,
        "reloaded_after": _reload(access.reloaded),
        "conditional": access.conditional,
        "fewest_lanes": access.fewest_lanes,
        "requests_per_block": _number(access.per_block) if access.requests is None else None,
        "calls": calls,
        "macro": access.span.macro,
        "notes": list(access.notes),
    }
    return {key: value for key, value in further.items() if value}


def _reload(reload: facts.Reload | None) -> dict[str, Any] | None:
    return (
        None
        if reload is None
        else {"line": reload.span.line, "text": reload.text, "object": reload.object}
    )


def _counts(counts: facts.Counts | None, status: str) -> dict[str, Any] | None:
    if counts is None:
        return None
    entry = {"min": counts.min, "mean": counts.mean, "max": counts.max, "ideal": counts.ideal}
    return entry | (
        {"mean_low": counts.mean_low, "mean_high": counts.mean_high} if status == "range" else {}
    )


def _compiled(compiled: facts.Compiled | None, space: str) -> dict[str, Any] | None:
    """With the one count that the access's space has."""
    if compiled is None:
        return None
    which, counts = (
        ("wavefronts", compiled.wavefronts) if space == "shared" else ("sectors", compiled.sectors)
    )
    entry = {
        "bytes": compiled.bytes,
        "requests": _number(compiled.requests),
        "active_lanes": compiled.active_lanes,
        which: _counts(counts, compiled.status),
        "status": compiled.status,
        "charged_line": compiled.charged_line,
        "reason": compiled.reason,
    }
    entry |= (
        {"requests_per_block": _number(compiled.per_block)} if compiled.requests is None else {}
    )
    return entry | (
        {"wider": _compiled(compiled.wider, space)} if compiled.wider is not None else {}
    )


def _branch(branch: facts.Branch, path: str) -> dict[str, Any]:
    entry = {
        **_path(branch.span, path),
        "line": branch.span.line,
        "column": branch.span.column,
        "kind": branch.kind,
        "condition": branch.condition,
        "status": branch.status,
        "evaluations": _number(branch.evaluations),
        "divergent": _number(branch.divergent),
    }
    further: dict[str, Any] = {
        "reason": branch.reason,
        "detail": branch.detail,
        "assumptions": list(branch.assumptions),
    }
    further["as_compiled"] = (
        {"evaluations": 0, "divergent": 0, "status": "exact", "reason": "unrolled"}
        if branch.unrolled
        else None
    )
    further["turns"] = _turns(branch.turns)
    further["per_block"] = _evaluated(branch.per_block)
    further["lane_patterns"] = [
        {"lanes": p.lanes, "evaluations": _number(p.evaluations), "warps": list(p.warps)}
        for p in branch.patterns
    ]
    further["cases"] = list(branch.cases) if branch.patterns else []
    return entry | {key: value for key, value in further.items() if value}


def _evaluated(found: facts.Evaluated | None) -> dict[str, Any] | None:
    if found is None:
        return None
    turns = _turns(found.turns)
    entry = {"evaluations": _number(found.evaluations), "divergent": _number(found.divergent)}
    return entry | ({"turns": turns} if turns else {})


def _turns(turns: facts.Turns | None) -> dict[str, Any] | None:
    if turns is None:
        return None
    entry = {
        "entries": _number(turns.entries),
        "count": _number(turns.count),
        "active_lanes": turns.active_lanes,
        "idle": turns.idle,
    }
    return {key: value for key, value in entry.items() if value is not None}


def _barrier(barrier: facts.Barrier, path: str) -> dict[str, Any]:
    place = {"line": barrier.span.line, "column": barrier.span.column}
    lanes = {"absent": barrier.absent, "unnamed": barrier.unnamed}
    further = ({"after_exit": True} if barrier.after_exit else {}) | {
        name: [*map(list, found)] for name, found in lanes.items() if found
    }
    return {
        **_path(barrier.span, path),
        **place,
        "uniform": barrier.uniform,
        "scope": barrier.scope,
        **further,
    }


def _number(value: facts.Number | None) -> facts.Number | None:
    """Whole numbers without a point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
