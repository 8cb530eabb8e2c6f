"""The user's CUDA compiler: where it is, and a file compiled with it.

In: the environment, a file with its macros and folders, an architecture. Out: `Toolkit`, `Module`.
Raises `MachineCodeError` with what is missing or what the compiler said. Never: a download, or a
program that was compiled being run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from kernlint.base import cuda_toolkit
from kernlint.machine_code.disassembly import listing
from kernlint.machine_code.elf import MachineCodeError, ToolTimeout
from kernlint.machine_code.execute import Module

_SPILLS = re.compile(r"Function properties for (\S+)\s+\d+ bytes stack frame, (\d+) bytes spill")
TIMEOUT = 300  # seconds of one compilation; files full of templates take a minute


class MissingToolError(MachineCodeError):
    """A program that is not installed. The text says how to get it."""


@cache
def nvcc(given: str = "") -> str:
    """The path of nvcc: as given, CUDACXX, PATH, CUDA_HOME or CUDA_PATH, /usr/local/cuda,
    the packages of NVIDIA."""
    for name in filter(None, (given, os.environ.get("CUDACXX", ""))):
        found = shutil.which(name)
        if found is None:
            raise MachineCodeError(f"{name} is no program that can be run")
        return found
    return cuda_toolkit.program("nvcc") or _missing(
        "nvcc", "install a CUDA toolkit, or name it with --nvcc"
    )


@cache
def nvdisasm(compiler: str = "") -> str:
    """The path of nvdisasm: beside the compiler, or where nvcc is looked for."""
    folder = os.path.dirname(os.path.realpath(compiler))
    beside = shutil.which("nvdisasm", path=folder) if compiler else None
    wanted = "install a CUDA toolkit, or `pip install nvidia-cuda-nvdisasm`"
    return beside or cuda_toolkit.program("nvdisasm") or _missing("nvdisasm", wanted)


def _missing(name: str, remedy: str) -> str:
    raise MissingToolError(f"{name} was not found: {remedy}")


@cache
def version(compiler: str) -> str:
    """`13.0.88`, out of what nvcc says of itself."""
    said = _run([compiler, "--version"]).stdout
    match = re.search(r"\bV(\d[\d.]*)", said)
    return match[1] if match else "of unknown version"


def compiled(
    compiler: str,
    source: str,
    architecture: int,
    defines: Mapping[str, str],
    include_dirs: Sequence[str],
) -> Module:
    """The machine code of a file, for `-arch=sm_NN`, optimised, with its line table."""
    macros = [f"-D{name}={value}" for name, value in defines.items()]
    folders = [f"-I{folder}" for folder in include_dirs]
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "module.cubin"
        how = ["-O3", "-std=c++17", f"-arch=sm_{architecture}", "-lineinfo", "-w", "-x", "cu"]
        kept = ["-keep", "-keep-dir", folder, "-Xptxas", "-v"]
        done = _run([compiler, "-cubin", *how, *kept, *macros, *folders, "-o", str(made), source])
        ptx = "".join(each.read_text(errors="replace") for each in Path(folder).glob("*.ptx"))
        code = listing(nvdisasm(compiler), made)
        return Module.of(made.read_bytes(), code, ptx, spills(done.stderr))


def spills(said: str) -> dict[str, int]:
    """Bytes of registers that each function spills to the stack, as `ptxas -v` reports them."""
    return {m[1]: int(m[2]) for m in _SPILLS.finditer(said)}


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """A program run to its end; its first error as a MachineCodeError."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ToolTimeout(f"{command[0]} took longer than {TIMEOUT} s") from error
    except OSError as error:
        raise MachineCodeError(f"{command[0]} cannot be run ({error})") from error
    if done.returncode:
        said = (done.stderr + done.stdout).splitlines()
        errors = [line for line in said if "error" in line] or [*said, "no message"]
        raise MachineCodeError(errors[0].strip())
    return done
