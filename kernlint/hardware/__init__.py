"""What the machine makes of a warp's addresses: wavefronts, sectors, cache lines, time; devices are data (profiles/*.toml)."""

from kernlint.hardware.banks import ideal_wavefront_rows, ideal_wavefronts, wavefront_rows, wavefronts
from kernlint.hardware.devices import Device, Schedule, device, from_toml, names, resolve
from kernlint.hardware.sectors import cache_lines, copy_sector_rows, ideal_sector_rows, ideal_sectors, line_rows, sector_rows, sectors
from kernlint.hardware.timing import cycles

__all__ = [
    "Device",
    "Schedule",
    "cache_lines",
    "copy_sector_rows",
    "cycles",
    "device",
    "from_toml",
    "ideal_sector_rows",
    "ideal_sectors",
    "ideal_wavefront_rows",
    "ideal_wavefronts",
    "line_rows",
    "names",
    "resolve",
    "sector_rows",
    "sectors",
    "wavefront_rows",
    "wavefronts",
]
