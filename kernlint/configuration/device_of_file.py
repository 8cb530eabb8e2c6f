"""Which device each file of a run is judged for.

Goes in: a file, its configuration. Comes out: the name of a device profile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kernlint.base.usage import DEFAULT_DEVICE, HIP_DEVICE
from kernlint.source.hip import dialect

if TYPE_CHECKING:
    from kernlint.source.files import Source


def is_hip(source: Source, language: str | None) -> bool:
    """`language`: as the configuration says, None where it says nothing."""
    return dialect(source.path, source.language, language, source.text or "") == "hip"


def device(source: Source, values: Mapping[str, Any], usual: str = DEFAULT_DEVICE) -> str:
    """That of a file: as configured; else HIP's own for HIP, the `usual` one of the run for all
    others."""
    return str(
        values.get("device") or (HIP_DEVICE if is_hip(source, values.get("language")) else usual)
    )


def of_run(devices: Iterable[str]) -> str:
    """The one that a run is for, of those of its files: that of its CUDA and OpenCL where it has
    HIP, too."""
    found = list(dict.fromkeys(devices))
    return next(
        (name for name in found if name != HIP_DEVICE), found[0] if found else DEFAULT_DEVICE
    )
