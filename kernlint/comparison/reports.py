"""Nsight Compute's own report files (`.ncu-rep`), read with its Python module `ncu_report` where
that is installed.

Goes in: a path. Comes out: `Profile`. Raises `ProfileError` where the module is missing or cannot
read the file.
"""

from __future__ import annotations

import importlib
from typing import Any

from kernlint.comparison.columns import COUNTERS, DYNAMIC_SHARED, SOURCE, TOTALS
from kernlint.comparison.profile import Dim3, Instruction, Profile, ProfiledLaunch, ProfileError

MISSING = f"""\
reading .ncu-rep files needs NVIDIA's Python module `ncu_report`. Either install it (pip install 'kernlint[ncu]';
it also lies in extras/python of every Nsight Compute: put that folder on PYTHONPATH), or export the page as CSV where ncu is installed:
  {SOURCE}"""


def read(path: str) -> Profile:
    try:
        module: Any = importlib.import_module("ncu_report")
    except ImportError:
        raise ProfileError(MISSING) from None
    try:
        context = module.load_report(path)
        actions = [
            context.range_by_idx(k).action_by_idx(a)
            for k in range(context.num_ranges())
            for a in range(context.range_by_idx(k).num_actions())
        ]
        launches = tuple(_launch(module, at, action) for at, action in enumerate(actions))
    except (
        Exception
    ) as error:  # the module raises its own types, and RuntimeError for reports of a newer version
        raise ProfileError(
            f"`ncu_report` cannot read this report: {error}\nExport it with the ncu that made it:\n  {SOURCE}"
        ) from None
    if not launches:
        raise ProfileError(
            f"the report holds no launch, or is damaged. Export it with the ncu that made it:\n  {SOURCE}"
        )
    return Profile(path, "report", launches, ())


def _launch(module: Any, identity: int, action: Any) -> ProfiledLaunch:
    names = set(action.metric_names())
    counters = {
        field: _instances(action, metric)
        for field, (metric, _) in COUNTERS.items()
        if metric in names
    }
    instructions = tuple(
        _instruction(action, address, counters) for address in sorted(counters.get("requests", {}))
    )
    totals = {name: _integer(action, name) for name in TOTALS & names} if not instructions else {}
    major, minor = (
        _integer(action, f"device__attribute_compute_capability_{part}")
        for part in ("major", "minor")
    )
    return ProfiledLaunch(
        identity,
        action.name(module.IAction.NameBase_DEMANGLED),
        _dim3(action, "grid"),
        _dim3(action, "block"),
        _integer(action, DYNAMIC_SHARED),
        instructions,
        {name: value for name, value in totals.items() if value is not None},
        None if major is None or minor is None else 10 * major + minor,
    )


def _instruction(action: Any, address: int, counters: dict[str, dict[int, int]]) -> Instruction:
    info = action.source_info(address)
    places = ((info.file_name(), info.line()),) if info and info.line() else ()
    values = {field: found.get(address, 0) for field, found in counters.items() if found}
    return Instruction(address, action.sass_by_pc(address), places, **({"threads": None} | values))  # type: ignore[arg-type]


def _instances(action: Any, name: str) -> dict[int, int]:
    """The metric's values by instruction address; empty where it was not collected by
    instruction."""
    metric = action.metric_by_name(name)
    if metric is None or not metric.num_instances() or not metric.has_correlation_ids():
        return {}
    ids = metric.correlation_ids()
    return {ids.as_uint64(at): metric.as_uint64(at) for at in range(metric.num_instances())}


def _integer(action: Any, name: str) -> int | None:
    metric = action.metric_by_name(name)
    return None if metric is None else int(metric.as_uint64())


def _dim3(action: Any, which: str) -> Dim3 | None:
    x, y, z = (_integer(action, f"launch__{which}_dim_{axis}") for axis in "xyz")
    return None if x is None or y is None or z is None else (x, y, z)
