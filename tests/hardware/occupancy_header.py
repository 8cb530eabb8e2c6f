"""What the CUDA toolkit's own occupancy calculator says of each compute capability that a profile
is of: tests/data/occupancy.

    python -m tests.hardware.occupancy_header [FOLDER WITH cuda_occupancy.h]          writes tests/data/occupancy/header.json

In: the toolkit's header, compiled by g++ with a main program of our own that asks it. Out: units,
partitions, blocks and splits per capability (shared memory of an SM for 0 to 100 percent asked;
before 7.0 for L1 preferred, halves and shared memory preferred), and the limits of launches drawn
at random. The header is not kept here.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests import places

DATA = places.DATA / "occupancy" / "header.json"
LAUNCHES = 160  # for each capability
NO_LIMIT = 2**31 - 1

# What a program reads off its device and gives to the calculator. CUDA C++ Programming Guide,
# "Technical Specifications per Compute Capability" (release 11.7 for 3.5 to 8.6; 12.x and 13.x for
# the others) and Blackwell Tuning Guide, "Occupancy", for 10.0: warps of an SM, KB of shared memory
# of an SM, KB of it for a block that opts in, KB that the system keeps of each block.
GUIDE = {
    35: (64, 48, 48, 0),
    60: (64, 64, 48, 0),
    61: (64, 96, 48, 0),
    70: (64, 96, 96, 0),
    75: (32, 64, 64, 0),
    80: (64, 164, 163, 1),
    86: (48, 100, 99, 1),
    87: (48, 164, 163, 1),
    89: (48, 100, 99, 1),
    90: (64, 228, 227, 1),
    100: (64, 228, 227, 1),
    120: (48, 100, 99, 1),
}

PROGRAM = r"""
#include <climits>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include "cuda_occupancy.h"

// Goes in: capability, warps, KB per SM, KB per block, KB kept; then threads, registers, shared bytes, share of the split in percent.
int main() {
    int capability, warps, shared, optin, kept, count;
    if (scanf("%d %d %d %d %d %d", &capability, &warps, &shared, &optin, &kept, &count) != 6) return 1;
    cudaOccDeviceProp device;
    device.computeMajor = capability / 10, device.computeMinor = capability % 10;
    device.maxThreadsPerBlock = 1024, device.maxThreadsPerMultiprocessor = 32 * warps, device.warpSize = 32, device.numSms = 1;
    device.regsPerBlock = device.regsPerMultiprocessor = 65536;
    device.sharedMemPerBlock = 49152, device.sharedMemPerMultiprocessor = 1024 * shared;
    device.sharedMemPerBlockOptin = 1024 * optin, device.reservedSharedMemPerBlock = 1024 * kept;
    int blocks, registers, partitions, bytes;
    if (cudaOccMaxBlocksPerMultiprocessor(&blocks, &device) || cudaOccRegAllocationGranularity(&registers, &device) ||
        cudaOccSubPartitionsPerMultiprocessor(&partitions, &device) || cudaOccSMemAllocationGranularity(&bytes, &device)) return 2;
    printf("%d %d %d %d\n", blocks, registers, partitions, bytes);
    cudaOccDeviceState state;
    if (capability < 70)
        for (auto split : {CACHE_PREFER_L1, CACHE_PREFER_EQUAL, CACHE_PREFER_SHARED}) {
            state.cacheConfig = split;
            size_t size = 0;
            if (cudaOccSMemPerMultiprocessor(&size, &device, &state)) return 3;
            printf("%zu ", size);
        }
    else
        for (state.carveoutConfig = 0; state.carveoutConfig <= 100; state.carveoutConfig++) {
            size_t size = 0;
            if (cudaOccSMemPerMultiprocessor(&size, &device, &state)) return 3;
            printf("%zu ", size);
        }
    printf("\n");
    for (int i = 0; i < count; i++) {
        int threads, used, asked, share;
        if (scanf("%d %d %d %d", &threads, &used, &asked, &share) != 4) return 4;
        cudaOccFuncAttributes kernel;
        kernel.maxThreadsPerBlock = INT_MAX, kernel.numRegs = used, kernel.sharedSizeBytes = 0;
        kernel.partitionedGCConfig = PARTITIONED_GC_OFF, kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        kernel.maxDynamicSharedSizeBytes = asked, kernel.numBlockBarriers = 0, kernel.virtualResourceCount = 0;
        cudaOccDeviceState chosen;
        chosen.carveoutConfig = share;
        size_t size = 0;
        cudaOccResult result;
        if (cudaOccSMemPerMultiprocessor(&size, &device, &chosen)) return 5;
        if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &chosen, threads, asked)) return 6;
        printf("%zu %d %d %d %d %d\n", size, result.blockLimitWarps, result.blockLimitBlocks, result.blockLimitRegs,
               result.blockLimitSharedMem, result.activeBlocksPerMultiprocessor);
    }
}
"""


def launches(capability: int) -> list[tuple[int, int, int, int]]:
    """Threads, registers, shared bytes and the share of the split, -1 for none wished; the same
    ones each time."""
    draw = random.Random(capability)
    most = 1024 * GUIDE[capability][2]
    found = []
    for _ in range(LAUNCHES):
        threads = draw.choice(
            [draw.randint(1, 1024), 32 * draw.randint(1, 32), draw.randint(1025, 1200)]
        )
        shared = draw.choice(
            [0, draw.randint(1, 4096), draw.randint(1, most), 1024 * draw.randint(1, most // 1024)]
        )
        found.append(
            (
                threads,
                draw.randint(1, 255),
                shared,
                draw.choice([-1, -1, 0, 50, 100]) if capability >= 70 else -1,
            )
        )
    return found


def ask(program: str, capability: int) -> dict[str, Any]:
    drawn = launches(capability)
    given = [(capability, *GUIDE[capability], len(drawn)), *drawn]
    text = "\n".join(" ".join(map(str, row)) for row in given)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    units, splits, *rows = (
        [int(word) for word in line.split()] for line in done.stdout.splitlines()
    )
    names = ("blocks_per_sm", "register_unit", "register_partitions", "shared_unit")
    return {
        "guide": GUIDE[capability],
        **dict(zip(names, units, strict=True)),
        "splits": splits,
    } | {
        "launches": [
            [*launch, *(None if limit == NO_LIMIT else limit for limit in row)]
            for launch, row in zip(drawn, rows, strict=True)
        ]
    }


def main(folder: str) -> None:
    with tempfile.TemporaryDirectory() as work:
        program, source = f"{work}/ask", Path(work, "ask.cpp")
        source.write_text(PROGRAM)
        subprocess.run(["g++", "-std=c++17", "-I", folder, "-o", program, str(source)], check=True)
        found = {str(capability): ask(program, capability) for capability in GUIDE}
    lines = (
        json.dumps(found)
        .replace('], "launches": [', '], "launches": [\n')
        .replace("], [", "],\n[")
        .replace("]]}, ", "]]},\n\n")
    )
    DATA.write_text(lines + "\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "/usr/local/cuda/include")
