"""What the machine makes of a warp's addresses: wavefronts, sectors, cache lines, time; devices are
data (profiles/*.toml).

What counts needs numpy and is loaded when it is first asked for: a run whose files are all known
from before only names its device.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kernlint.hardware.devices import (
    Device,
    Schedule,
    device,
    from_toml,
    names,
    of_architecture,
    resolve,
    source_text,
)
from kernlint.hardware.forms import PipelineForm
from kernlint.hardware.launch_limits import Excess, excess

if TYPE_CHECKING:
    from kernlint.hardware.banks import (
        ideal_wavefront_rows,
        ideal_wavefronts,
        lane_groups,
        wavefront_rows,
        wavefronts,
    )
    from kernlint.hardware.sector_counts import (
        cache_lines,
        constant_word,
        copy_sector_rows,
        ideal_sector_rows,
        ideal_sectors,
        line_rows,
        sector_rows,
        sectors,
    )
    from kernlint.hardware.timing import cycles, elapsed, elapsed_wavefronts

_COUNTING = ("banks", "sector_counts", "timing")

__all__ = [
    "Device",
    "Excess",
    "PipelineForm",
    "Schedule",
    "cache_lines",
    "constant_word",
    "copy_sector_rows",
    "cycles",
    "device",
    "elapsed",
    "elapsed_wavefronts",
    "excess",
    "from_toml",
    "ideal_sector_rows",
    "ideal_sectors",
    "ideal_wavefront_rows",
    "ideal_wavefronts",
    "lane_groups",
    "line_rows",
    "names",
    "of_architecture",
    "resolve",
    "sector_rows",
    "sectors",
    "source_text",
    "wavefront_rows",
    "wavefronts",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module in _COUNTING:
            found = vars(import_module(f"{__name__}.{module}"))
            if name in found:
                return globals().setdefault(name, found[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
