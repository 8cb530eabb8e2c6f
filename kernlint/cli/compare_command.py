"""What `kernlint compare` does between the analysis and the output.

Goes in: the profile's paths, the report of the files, the request. Comes out:
`Comparison`. Raises `UsageError` where the profile cannot be used: unreadable, without counters, or
of other programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kernlint import hardware
from kernlint.base.usage import UsageError
from kernlint.cli import options
from kernlint.cli.requests import CompareRequest
from kernlint.comparison.compare import Analyse, Comparison, compare
from kernlint.comparison.matching import AnalysedKernel
from kernlint.comparison.names import parse
from kernlint.comparison.profile import Profile, ProfiledLaunch, ProfileError
from kernlint.comparison.reading import read
from kernlint.configuration.project import settings
from kernlint.model import facts
from kernlint.model.settings import LaunchDirective
from kernlint.pipeline import engine

if TYPE_CHECKING:
    from kernlint.configuration.project import Project


def profile(paths: Sequence[str], kernel: str | None) -> Profile:
    """The profile in the files named with --ncu; of one kernel where --kernel names it."""
    try:
        found = read(paths)
    except ProfileError as error:
        raise UsageError(f"--ncu {error}") from None
    if kernel is None:
        return found
    launches = tuple(
        launch
        for launch in found.launches
        if parse(launch.name).plain == kernel.rpartition("::")[2]
    )
    if not launches:
        raise UsageError(
            f"--ncu {found.path}: no launch of `{kernel}` in it, but of {_list(_kernels(found.launches))}"
        )
    return replace(found, launches=launches)


def compared(report: facts.Report, measured: Profile, analyse: Analyse | None) -> Comparison:
    """Both held together; a profile that has no launch in common with the files is a mistake in the
    request."""
    found = compare(report, measured, analyse, hardware.device(report.device).capability)
    if not found.pairs:
        raise UsageError(f"--ncu {measured.path}: {_nothing_in_common(found, report)}")
    return found


def again(request: CompareRequest, project: Project) -> Analyse | None:
    """Analyses a kernel under a launch that only the profile tells; not for standard input, which
    can be read only once."""
    if request.reads_stdin:
        return None

    def analyse(one: AnalysedKernel, launch: ProfiledLaunch) -> facts.Report:
        path, name = one.file.path, parse(launch.name)
        overrides = replace(options.launch(request), grid=launch.grid, block=launch.block)
        if launch.dynamic_shared_bytes is not None:
            overrides = replace(overrides, dynamic_shared_bytes=launch.dynamic_shared_bytes)
        chosen = settings(
            project.values(path), overrides, one.kernel.qualified_name or one.kernel.name
        )
        chosen = replace(chosen, device=one.file.device or chosen.device)
        if name.written:
            directive = LaunchDirective(one.kernel.span, one.kernel.name, name.written)
            chosen = replace(chosen, stated=(directive, *chosen.stated))
        return engine.analyse([path], chosen)

    return analyse


def _nothing_in_common(found: Comparison, report: facts.Report) -> str:
    measured = _kernels([one.launch for one in found.only_measured])
    analysed = sorted(
        {kernel.qualified_name or kernel.name for file in report.files for kernel in file.kernels}
    )
    if {name.rpartition("::")[2] for name in measured} & {
        name.rpartition("::")[2] for name in analysed
    }:
        reasons = "; ".join(f"{one.launch.name}: {one.why}" for one in found.only_measured[:4])
        return f"no profiled launch is one that was analysed ({reasons}); say how they are launched with --grid, --block or a directive"
    return f"the profile is of {_list(measured)}, the files have {_list(analysed) or 'no kernel that could be analysed'}"


def _kernels(launches: Sequence[ProfiledLaunch]) -> list[str]:
    return sorted({parse(launch.name).qualified for launch in launches})


def _list(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
