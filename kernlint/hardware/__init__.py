"""What the machine makes of a warp's addresses: wavefronts, sectors, cache lines, time; devices are data (profiles/*.toml)."""

from kernlint.hardware.banks import ideal_wavefront_rows, ideal_wavefronts, lane_groups, wavefront_rows, wavefronts
from kernlint.hardware.devices import Device, Schedule, device, from_toml, names, of_architecture, resolve, source_text
from kernlint.hardware.forms import Form
from kernlint.hardware.sectors import (
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

__all__ = [
    "Device",
    "Form",
    "Schedule",
    "cache_lines",
    "constant_word",
    "copy_sector_rows",
    "cycles",
    "device",
    "elapsed",
    "elapsed_wavefronts",
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
