"""`kernlint calibrate`: measure, fit, say how good the fits are, write profile, raw data and
figure.

Goes in: the request. Comes out: three files and a table. Raises `UsageError`.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from kernlint import __version__, hardware
from kernlint.base.progress import Progress
from kernlint.base.usage import UsageError
from kernlint.calibration import figure, measure, profile, raw, results, toolkit
from kernlint.calibration.results import FIRST, Fitted, Key
from kernlint.cli.requests import CalibrateRequest

OLDEST = 50  # compute capability; earlier generations bank their shared memory by other rules


def calibrate(request: CalibrateRequest) -> int:
    """Exit code 0; every failure is a UsageError."""
    _check(request.device_name, request.output_file)
    compiler = toolkit.nvcc()
    gpu = toolkit.gpu(str(request.gpu))
    name = request.device_name or slug(gpu.name)
    output = Path(request.output_file or f"{name}.toml")
    _writable(output)
    with (
        tempfile.TemporaryDirectory(prefix="kernlint-") as folder,
        Progress(sys.stderr) as progress,
    ):
        found = measure.measure(compiler, gpu, folder, progress.update)
        about = _about(gpu, compiler, found, request)
        data = raw.parse(about, found.machine, found.runs)
        progress.update("fitting", 0, 1)
        base = _base(data)
        fitted = results.fits(data, base)
    beside = output.with_suffix("")
    try:
        output.write_text(
            profile.text(gpu.name, data, fitted, hardware.source_text(base.name), base.name),
            encoding="utf-8",
        )
        raw.write(f"{beside}.raw.xz", about, found.machine, found.runs)
        svg = figure.figure(
            f"{gpu.name}: shared loads of 4 bytes", fitted[FIRST].points, fitted[FIRST].line
        )
        Path(f"{beside}.svg").write_text(svg, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from None
    hardware.from_toml(name, output.read_text(encoding="utf-8"))  # what was written can be read
    print(
        "\n".join(
            [
                f"{gpu.name}, driver {gpu.driver}, nvcc {about['nvcc']}",
                *table(fitted),
                "",
                *_written(output, beside),
            ]
        )
    )
    return 0


def table(fitted: Mapping[Key, Fitted]) -> Iterable[str]:
    """Both models, one operation and width a line."""
    yield ""
    yield "                T(i, w, c) = C1·i·w·c + C2, least squares           pipelined form, on points it was not fitted to"
    yield "operation          C1        C2       R²    median     worst          R²    median  95 % below     worst   second run"
    for (op, width), one in fitted.items():
        line, far, held = one.line, one.line.quality, one.held
        yield (
            f"{op:<7} {width:>2} B  {line.c1:>8.4f}  {line.c2:>8.2f}  {far.r2:.5f}  {far.median:>7.2%}  {far.worst:>8.1%}"
            f"     {held.r2:.5f}  {held.median:>7.2%}  {held.p95:>10.2%}  {held.worst:>8.1%}  {one.again.median:>10.2%}"
        )


def slug(name: str) -> str:
    """`NVIDIA H100 80GB HBM3` as a profile's name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "device"


def _check(name: str | None, file: str | None) -> None:
    """What can be checked before a compiler and a GPU are looked for."""
    if name is not None and slug(name) != name:
        raise UsageError(
            f"--device-name {name}: a profile's name is small letters, digits and hyphens, for example {slug(name)}"
        )
    if file is not None and not file.endswith(".toml"):  # by this --device knows a file
        better = Path(file or "profile").with_suffix(".toml")
        raise UsageError(
            f"-o {file}: the name of a profile's file ends in .toml, for example {better}"
        )
    _writable(Path(file or f"{name or 'device'}.toml"))


def _writable(output: Path) -> None:
    """Reported before the work, not after it."""
    if not output.parent.is_dir():
        raise UsageError(f"-o {output}: no such folder as {output.parent}")
    if output.is_dir():
        raise UsageError(f"cannot write {output}: it is a folder")
    try:
        tempfile.TemporaryFile(dir=output.parent).close()
    except OSError as error:
        raise UsageError(f"cannot write {output}: {output.parent}: {error.strerror}") from None
    if output.exists() and not os.access(output, os.W_OK):
        raise UsageError(f"cannot write {output}: it is read-only")


def _base(data: raw.Raw) -> hardware.Device:
    """The profile of the nearest generation: its rules of banks and sectors are taken over."""
    capability = data.properties["capability"]
    if capability < OLDEST:
        raise UsageError(
            f"compute capability {capability / 10:.1f}: calibrate needs {OLDEST / 10:.1f} or later"
        )
    known = [hardware.device(name) for name in hardware.names()]
    usable = [
        device
        for device in known
        if device.vendor == "NVIDIA" and (device.capability or 0) >= OLDEST
    ]
    return min(usable, key=lambda device: abs((device.capability or 0) - capability))


def _about(
    gpu: toolkit.Gpu, compiler: str, found: measure.Measurement, request: CalibrateRequest
) -> dict[str, str]:
    """Provenance, by the words it is printed with."""
    points = sum(
        len(line.split()) - 5 for run in found.runs for line in run if line.startswith("T ")
    )
    command = "kernlint calibrate" + "".join(
        f" {option} {value}"
        for option, value in (
            ("--device-name", request.device_name),
            ("--gpu", request.gpu or None),
            ("-o", request.output_file),
        )
        if value
    )
    return {
        "gpu": gpu.name,
        "driver": gpu.driver,
        "nvcc": toolkit.version(compiler),
        "kernlint": __version__,
        "date": datetime.now(UTC).date().isoformat(),
        "command": command,
        "samples": f"{points} points of T in {measure.RUNS} runs, each the median of {measure.REPEATS} repeats",
        "machine repeats": str(measure.MACHINE_REPEATS),
        "memory MHz": "" if gpu.memory_mhz is None else f"{gpu.memory_mhz:g}",
    }


def _written(output: Path, beside: Path) -> Iterable[str]:
    yield f"profile   {output}   (use it with --device {output})"
    yield f"raw data  {beside}.raw.xz"
    yield f"figure 7  {beside}.svg"
