"""The profiler's words for what is compared, as tables: column labels of its source page, metric
names of its raw page and reports.

Labels changed between versions: "Memory L1 Transactions Shared" (2019, 2020) is "L1 Wavefronts
Shared" since 2021.
"""

from __future__ import annotations

# Field of `profile.Instruction`: its metric, and the labels that the source page gave it over the
# versions.
COUNTERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "requests": ("inst_executed", ("Instructions Executed", "# Inst Executed")),
    "threads": ("thread_inst_executed_true", ("Predicated-On Thread Instructions Executed",)),
    "wavefronts": (
        "memory_l1_wavefronts_shared",
        ("L1 Wavefronts Shared", "Memory L1 Transactions Shared"),
    ),
    "wavefronts_ideal": (
        "memory_l1_wavefronts_shared_ideal",
        ("L1 Wavefronts Shared Ideal", "Memory Ideal L1 Transactions Shared"),
    ),
    "sectors": (
        "memory_l2_theoretical_sectors_global",
        ("L2 Theoretical Sectors Global", "Memory L2 Transactions Global"),
    ),
    "sectors_ideal": (
        "memory_l2_theoretical_sectors_global_ideal",
        ("L2 Theoretical Sectors Global Ideal", "Memory Ideal L2 Transactions Global"),
    ),
    "local_sectors": (
        "memory_l2_theoretical_sectors_local",
        ("L2 Theoretical Sectors Local", "Memory L2 Transactions Local"),
    ),
}
FIELDS = {word: name for name, (metric, labels) in COUNTERS.items() for word in (metric, *labels)}

# Requests over the whole kernel, by space and operation. These metrics count warps with an active
# lane only, as predictions do.
REQUESTS: dict[str, tuple[str, str]] = {
    "smsp__sass_inst_executed_op_shared_ld.sum": ("shared", "load"),
    "smsp__sass_inst_executed_op_shared_st.sum": ("shared", "store"),
    "smsp__sass_inst_executed_op_global_ld.sum": ("global", "load"),
    "smsp__sass_inst_executed_op_global_st.sum": ("global", "store"),
    "smsp__sass_inst_executed_op_local_ld.sum": ("local", "load"),
    "smsp__sass_inst_executed_op_local_st.sum": ("local", "store"),
}
# Wavefronts or sectors over the whole kernel, by space: the count and the ideal (which the profiler
# does not give for local memory).
COUNTS: dict[str, tuple[str, str]] = {
    "shared": ("memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"),
    "global": (
        "memory_l2_theoretical_sectors_global",
        "memory_l2_theoretical_sectors_global_ideal",
    ),
    "local": ("memory_l2_theoretical_sectors_local", ""),
}
TOTALS = frozenset(REQUESTS) | {name for pair in COUNTS.values() for name in pair if name}
DYNAMIC_SHARED = "launch__shared_mem_per_block_dynamic"

PROFILE = (
    "ncu --section SourceCounters --section LaunchStats --import-source yes -o report ./program"
)
SOURCE = "ncu --import report.ncu-rep --page source --csv --print-source cuda,sass > source.csv"
RAW = "ncu --import report.ncu-rep --page raw --csv > raw.csv"
