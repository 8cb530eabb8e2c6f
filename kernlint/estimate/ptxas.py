"""What `nvcc -Xptxas -v` prints about kernels: their registers.

In: text. Out: registers per thread by the kernel's name without namespaces; the most of its
instantiations. Lines that are none of ptxas's are passed over.
"""

from __future__ import annotations

import re

ENTRY = re.compile(r"(?:Compiling entry function|Function properties for) '?(?P<name>[\w$.]+)'?")
USED = re.compile(r"Used (?P<number>\d+) registers")


def registers(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    name = ""
    for line in text.splitlines():
        entry, used = ENTRY.search(line), USED.search(line)
        if entry is not None:
            name = plain_name(entry["name"])
        elif used is not None and name:
            found[name] = max(found.get(name, 0), int(used["number"]))
    return found


def plain_name(mangled: str) -> str:
    """`matmul` of _Z6matmulPKf, and of _ZN2ns6matmulILi16EEEvPKf (Itanium C++ ABI, mangling: names
    are lengths and letters)."""
    if not mangled.startswith("_Z"):
        return mangled
    rest = mangled[2:].removeprefix("N")
    name = ""
    while (length := re.match(r"\d+", rest)) is not None:
        end = length.end() + int(length[0])
        name, rest = rest[length.end() : end], rest[end:]
    return name or mangled
