#!/usr/bin/env python3
"""Measure per-line memory counters of CUDA programs with Nsight Compute.

usage: measure.py OUT.json PROGRAM.cu… [--raw RAW.json]

Run on a machine with an sm_90 GPU, nvcc and ncu. Each program is compiled with line information and
run twice: once with a wrapper round the launch call that writes down the integer arguments, once
under the profiler. In: self-contained programs. Out: one entry per kernel launch with, per source
line, space and operation, what the hardware counted (README.md beside the data describes the
fields). It never changes clocks or other settings of the GPU.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

NVCC = ["nvcc", "-O3", "-std=c++17", "-arch=sm_90", "-lineinfo"]
NCU = [
    "ncu",
    "--clock-control",
    "none",
    "--set",
    "none",
    "--section",
    "SourceCounters",
    "--section",
    "LaunchStats",
    "--import-source",
    "no",
    "-f",
]

# Writes the bytes of every parameter of every launch to the file that LAUNCH_LOG names.
WRAPPER = r"""
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
extern "C" cudaError_t __real___cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
extern "C" cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t k, dim3 g, dim3 b, void **a, size_t s, cudaStream_t q)
{
    typedef CUresult (*Info)(CUkernel, size_t, size_t *, size_t *);
    static Info info = nullptr;
    static FILE *log = fopen(getenv("LAUNCH_LOG"), "w");
    if (!info) {
        cudaDriverEntryPointQueryResult found;
        cudaGetDriverEntryPointByVersion("cuKernelGetParamInfo", (void **)&info, 12040, cudaEnableDefault, &found);
    }
    size_t offset, size;
    for (size_t i = 0; info && info((CUkernel)k, i, &offset, &size) == CUDA_SUCCESS; i++) {
        for (size_t j = 0; j < size; j++) fprintf(log, "%02x", ((unsigned char *)a[i])[j]);
        fputc(' ', log);
    }
    fputc('\n', log);
    fflush(log);
    return __real___cudaLaunchKernel(k, g, b, a, s, q);
}
"""

SPACES = (
    ("LDGSTS", None, "copy"),
    ("LDSM", "shared", "load"),
    ("STSM", "shared", "store"),
    ("LDS", "shared", "load"),
    ("STS", "shared", "store"),
    ("ATOMS", "shared", "atomic"),
    ("LDG", "global", "load"),
    ("STG", "global", "store"),
    ("ATOMG", "global", "atomic"),
    ("REDG", "global", "atomic"),
    ("RED", "global", "atomic"),
    ("LDL", "local", "load"),
    ("STL", "local", "store"),
    ("ATOM", "generic", "atomic"),
    ("LD", "generic", "load"),
    ("ST", "generic", "store"),
)
SIGNED = {"int", "long", "long long", "short", "char", "signed char", "int32_t", "int64_t"}
UNSIGNED = {
    "unsigned",
    "unsigned int",
    "uint",
    "u32",
    "uint32_t",
    "size_t",
    "unsigned long",
    "unsigned long long",
    "uint64_t",
    "unsigned short",
    "unsigned char",
    "uint8_t",
    "uint16_t",
    "bool",
}


def classify(sass: str) -> tuple[bool, str, str | None, str, int] | None:
    """(predicated, opcode, space, op, bits) of a memory instruction; None for any other."""
    match = re.match(r"\s*(@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)", sass)
    if not match or (match[1] or "").startswith("@!PT"):  # the padding round LDGSTS never executes
        return None
    head, *suffixes = match[2].split(".")
    for name, space, op in SPACES:
        if head == name:
            bits = next(
                (int(s.lstrip("US")) for s in suffixes if re.fullmatch(r"[US]?(8|16|64|128)", s)),
                32,
            )
            return bool(match[1]) and not match[1].startswith("@PT"), head, space, op, bits
    return None


def run(command: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        print(
            f"{' '.join(command)}: {done.returncode}\n{done.stdout[-800:]}\n{done.stderr[-800:]}",
            file=sys.stderr,
        )
    return done


def build(program: str, folder: str) -> None:
    base = os.path.join(folder, os.path.basename(program)[:-3])
    run([*NVCC, "-o", base, program])
    run(
        [
            *NVCC,
            "-o",
            base + ".logged",
            program,
            os.path.join(folder, "wrapper.o"),
            "-Xlinker",
            "--wrap=__cudaLaunchKernel",
        ]
    )


def parameters(source: str) -> dict[str, list[tuple[str, str]]]:
    """Kernel name to (type, name) of its parameters, from the text."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", source, flags=re.S)
    found = {}
    for match in re.finditer(
        r"__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(([^{;]*?)\)\s*\{", text
    ):
        some = []
        for one in re.split(r",(?![^<]*>)", match[2]):
            word = re.match(r"(.*?)(\w+)\s*$", one.strip(), flags=re.S)
            kind = re.sub(r"\b(const|volatile)\b", " ", word[1]) if word else ""
            some.append((" ".join(kind.split()), word[2] if word else ""))
        found[match[1]] = some
    return found


def arguments(log: str, declared: list[tuple[str, str]]) -> dict[str, int]:
    values = {}
    for field, (kind, name) in zip(log.split(), declared, strict=False):
        if kind in SIGNED or kind in UNSIGNED:
            values[name] = int.from_bytes(bytes.fromhex(field), "little", signed=kind in SIGNED)
    return values


def report_module() -> Any:
    ncu = os.path.realpath(shutil.which("ncu") or "")
    places = [
        os.path.join(os.path.dirname(ncu), "extras/python"),
        *glob.glob("/opt/nvidia/nsight-compute/*/extras/python"),
        *glob.glob("/usr/local/cuda*/nsight-compute*/extras/python"),
    ]
    sys.path[:0] = [p for p in places if os.path.isdir(p)]
    import ncu_report

    return ncu_report


def instances(action: Any, name: str) -> dict[int, Any]:
    metric = action.metric_by_name(name)
    if metric is None or not metric.num_instances() or not metric.has_correlation_ids():
        return {}
    ids = metric.correlation_ids()
    return {ids.as_uint64(i): metric.as_uint64(i) for i in range(metric.num_instances())}


def launches(path: str) -> list[dict[str, Any]]:
    """The raw counters of every launch in a profiler report."""
    module = report_module()
    context = module.load_report(path)
    found = []
    for r in range(context.num_ranges()):
        for a in range(context.range_by_idx(r).num_actions()):
            found.append(raw_launch(module, context.range_by_idx(r).action_by_idx(a)))
    return found


def raw_launch(module: Any, action: Any) -> dict[str, Any]:
    wanted = [
        n
        for n in action.metric_names()
        if re.match(r"(inst_executed|thread_inst_executed|memory_|derived__memory)", n)
    ]
    columns = {n: instances(action, n) for n in wanted}
    columns = {n: c for n, c in columns.items() if c}
    rows = []
    for pc in sorted(columns.get("inst_executed", {})):
        sass = action.sass_by_pc(pc)
        info = action.source_info(pc)
        rows.append(
            {
                "pc": pc,
                "sass": sass,
                "file": os.path.basename(info.file_name()) if info else "",
                "line": info.line() if info else 0,
                **{n: c[pc] for n, c in columns.items() if c.get(pc)},
            }
        )

    def value(name: str) -> int:
        metric = action.metric_by_name(name)
        return int(metric.as_uint64()) if metric is not None else -1

    return {
        "kernel": re.sub(r"<.*", "", action.name(module.IAction.NameBase_FUNCTION)),
        "signature": action.name(module.IAction.NameBase_DEMANGLED),
        "grid": [value("launch__grid_dim_" + d) for d in "xyz"],
        "block": [value("launch__block_dim_" + d) for d in "xyz"],
        "static_shared": value("launch__shared_mem_per_block_static"),
        "dynamic_shared": value("launch__shared_mem_per_block_dynamic"),
        "registers": value("launch__registers_per_thread"),
        "instructions": sum(r.get("inst_executed", 0) for r in rows),
        "rows": rows,
    }


def per_line(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sums of the memory instructions over (source, line, space, op)."""
    sums: dict[tuple[str, int, str, str], dict[str, Any]] = {}
    for row in rows:
        kind = classify(row["sass"])
        if kind is None or not row.get("inst_executed"):
            continue
        predicated, _, space, op, bits = kind
        spaces = ("global", "shared") if space is None else (space,)
        if space == "generic":
            spaces = ("shared",) if row.get("memory_l1_wavefronts_shared") else ("global",)
        for where in spaces:
            add(sums, (row["file"], row["line"], where, op), row, bits, predicated)
    return [
        dict(zip(("source", "line", "space", "op"), key, strict=True), **value)
        for key, value in sorted(sums.items())
    ]


def add(
    sums: dict[Any, dict[str, Any]],
    key: tuple[str, int, str, str],
    row: dict[str, Any],
    bits: int,
    predicated: bool,
) -> None:
    count, metric = {
        "shared": ("wavefronts", "memory_l1_wavefronts_shared"),
        "global": ("sectors", "memory_l2_theoretical_sectors_global"),
        "local": ("sectors", "memory_l2_theoretical_sectors_local"),
    }[key[2]]
    entry = sums.setdefault(
        key,
        {
            "bits": [],
            "requests": 0,
            "threads": 0,
            count: 0,
            count + "_ideal": 0,
            "predicated": False,
        },
    )
    entry["bits"] = sorted({*entry["bits"], bits})
    entry["requests"] += row["inst_executed"]
    entry["threads"] += row.get("thread_inst_executed_true", 0)
    entry[count] += row.get(metric, 0)
    entry[count + "_ideal"] += row.get(metric + "_ideal", 0)
    entry["predicated"] = entry["predicated"] or predicated


def measure(program: str, folder: str) -> list[dict[str, Any]]:
    base = os.path.join(folder, os.path.basename(program)[:-3])
    log = base + ".log"
    first = run([base + ".logged"], env={**os.environ, "LAUNCH_LOG": log})
    profiled = run([*NCU, "-o", base, base])
    print(
        os.path.basename(program),
        *(one.stdout.strip().rpartition("\n")[2] for one in (first, profiled)),
        flush=True,
    )
    lines = Path(log).read_text().splitlines() if os.path.exists(log) else []
    declared = parameters(Path(program).read_text())
    found = launches(base + ".ncu-rep")
    if lines and len(lines) != len(found):
        print(f"{program}: {len(lines)} launches logged, {len(found)} profiled", file=sys.stderr)
    for index, launch in enumerate(found):
        launch["program"] = os.path.basename(program)
        launch["arguments"] = (
            arguments(lines[index], declared.get(launch["kernel"], []))
            if index < len(lines)
            else {}
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--raw", help="also write every instruction with its counters")
    options = parser.parse_args()
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "wrapper.cu"), "w") as f:
            f.write(WRAPPER)
        run(
            [
                *NVCC,
                "-c",
                "-o",
                os.path.join(folder, "wrapper.o"),
                os.path.join(folder, "wrapper.cu"),
            ]
        )
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            list(pool.map(lambda p: build(p, folder), options.programs))
        print("compiled", flush=True)
        for program in options.programs:
            try:
                results += measure(program, folder)
            except (
                Exception
            ) as problem:  # one program's failure must not lose the others' measurements
                print(f"{program}: {problem!r}", file=sys.stderr)
            write(options, results)


def write(options: argparse.Namespace, results: list[dict[str, Any]]) -> None:
    order = (
        "program",
        "kernel",
        "signature",
        "grid",
        "block",
        "static_shared",
        "dynamic_shared",
        "registers",
        "instructions",
        "arguments",
    )
    entries = [{**{k: r[k] for k in order}, "lines": per_line(r["rows"])} for r in results]
    with open(options.out, "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(e) for e in entries) + "\n]\n")
    if options.raw:
        with open(options.raw, "w") as f:
            json.dump(results, f)


if __name__ == "__main__":
    main()
