"""From a cubin to instructions, by nvdisasm.

In: a cubin's path and nvdisasm's, or the text that `nvdisasm -json` printed. Out: the instructions
of each function. Raises `MachineCodeError` with nvdisasm's own words.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kernlint.machine_code.elf import MachineCodeError, ToolTimeout
from kernlint.machine_code.instructions import BYTES, MachineInstruction, instruction

TIMEOUT = 120  # seconds; nvdisasm needs about one
_GLUED = re.compile(r"\b(U?R(?:\d+|Z))\[")
_SOURCE_FIRST = re.compile(r"^(desc\[[^]]*\]\[[^]]*\])(\[[^]]*\])")

Code = Mapping[str, tuple[MachineInstruction, ...]]


def listing(nvdisasm: str, cubin: Path) -> str:
    """What `nvdisasm -json` prints of a cubin (CUDA 12.5 and later)."""
    try:
        done = subprocess.run(
            [nvdisasm, "-json", str(cubin)],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ToolTimeout(f"nvdisasm took longer than {TIMEOUT} s") from error
    except OSError as error:
        raise MachineCodeError(f"nvdisasm cannot be run ({error})") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise MachineCodeError(f"nvdisasm failed: {said[-1] if said else done.returncode}")
    return done.stdout


def functions(text: str) -> Code:
    """The instructions of each function of a listing, by mangled name, in ascending addresses."""
    try:
        parts = json.loads(text)
        return {
            function["function-name"]: tuple(_instructions(function))
            for part in parts
            if isinstance(part, list)
            for function in part
        }
    except (ValueError, KeyError, TypeError) as error:
        raise MachineCodeError(f"nvdisasm's listing cannot be read ({error})") from error


def spelled(opcode: str, operands: str) -> str:
    """Operands as nvdisasm 13.5 writes them. 13.0 leaves out the comma before an address (`R9[R9]`)
    and names the source of an LDGSTS before its destination. Prefixes that stand before the
    operands (`PR R0,RZ,0x20`) say nothing that the opcode does not."""
    plain = _GLUED.sub(r"\1,[", operands.removeprefix("PR "))
    return _SOURCE_FIRST.sub(r"\2,\1", plain) if opcode.startswith("LDGSTS") else plain


def _instructions(function: Mapping[str, Any]) -> Iterator[MachineInstruction]:
    for index, row in enumerate(function["sass-instructions"]):
        operands = spelled(row["opcode"], row.get("operands", ""))
        address = function["start"] + BYTES * index
        yield instruction(address, row["opcode"], operands, row.get("predicate", ""))
