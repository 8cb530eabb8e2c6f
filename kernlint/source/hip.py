"""Which files are HIP, the language of AMD's devices that reads almost as CUDA does.

Goes in: a path and a text. Comes out: yes or no. Tokens of device code decide, also in the strings
of host files: not comments, not texts that a program prints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from kernlint.base.dataclass import dataclass
from kernlint.source.tokens import Token

_SIGNS = ("hip/", "__builtin_amdgcn_", "__hip_")  # a text without any of them is none
_OF_AMD = "__builtin_amdgcn_"
_OF_ROCM = re.compile(r"__hip_(?:bfloat16\w*|fp8\w*|atomic_\w+)")
_OF_CUDA = frozenset(
    {"__CUDACC__", "__CUDA_ARCH__", "__NVCC__", "__HIP_PLATFORM_NVIDIA__", "__HIP_PLATFORM_NVCC__"}
)
_CUDA_HEADER = re.compile(r"(?:cuda(?:_\w+)?\.h|device_launch_parameters\.h|mma\.h)$|cub/")
_OPENS, _CLOSES = ("if", "ifdef", "ifndef"), "endif"


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands in one text. `hip`: HIP's headers or functions of AMD's compiler, whatever is
    defined; `rocm`: types and functions that ROCm alone has, whatever is defined; `cuda`: headers
    or macros of CUDA's, anywhere."""

    hip: bool
    rocm: bool
    cuda: bool


def dialect(path: str, language: str, wanted: str | None, text: str) -> str:
    """What the preprocessor takes a file for: "hip" defines what hipcc does; all else reads HIP as
    CUDA."""
    found = language == "cuda" and (
        wanted == "hip"
        or (wanted is None and (path.lower().endswith(".hip") or is_hip(text, path)))
    )
    return "hip" if found else language


@lru_cache(maxsize=4)
def is_hip(text: str, path: str = "") -> bool:
    """Whether a text is HIP and no CUDA: HIP's headers or functions of AMD's compiler stand in it
    whatever is defined, and no header or macro of CUDA's stands in it at all; or it cannot be
    compiled without ROCm, beside which headers of CUDA's may stand, since hipify exchanges their
    names. What serves both under conditions is CUDA."""
    if not any(sign in text for sign in _SIGNS):
        return False
    from kernlint.source.embedded.programs import scans

    found = [_marks(scanned.tokens, scanned.line_starts) for scanned in scans(path, text)]
    return any(one.rocm for one in found) or (
        any(one.hip for one in found) and not any(one.cuda for one in found)
    )


def _marks(tokens: Sequence[Token], line_starts: Sequence[int]) -> Marks:
    rows = [tokens[first:last] for first, last in pairwise([*line_starts, len(tokens)])]
    # a file's own macro stands in for what it names
    own = {row[2].text for row in rows if _directive(row) == "define" and len(row) > 2}
    cuda = any(_is_cuda(row) for row in rows)
    always = list(_unconditional(rows))
    hip = any(_header(row).startswith("hip/") or _has_call(row, own) for row in always)
    rocm = any(
        _OF_ROCM.fullmatch(token.text) and token.text not in own
        for row in always
        for token in row
        if token.kind == "identifier"
    )
    return Marks(hip, rocm, cuda)


def _is_cuda(row: Sequence[Token]) -> bool:
    named = any(token.kind == "identifier" and token.text in _OF_CUDA for token in row)
    return named or _CUDA_HEADER.match(_header(row)) is not None


def _has_call(row: Sequence[Token], own: set[str]) -> bool:
    return any(
        a.kind == "identifier"
        and a.text.startswith(_OF_AMD)
        and a.text not in own
        and b.text == "("
        for a, b in pairwise(row)
    )


def _unconditional(rows: Sequence[Sequence[Token]]) -> Iterator[Sequence[Token]]:
    """The lines that are compiled whatever is defined."""
    conditions: list[bool] = []  # around a line; False for a guard against being included twice
    for row, after in pairwise([*rows, ()]):
        word = _directive(row)
        if word in _OPENS:
            guards = (
                word == "ifndef"
                and _directive(after) == "define"
                and [t.text for t in row[2:3]] == [t.text for t in after[2:3]]
            )
            conditions.append(not guards)
        elif word == _CLOSES:
            del conditions[-1:]
        elif not any(conditions):
            yield row


def _directive(row: Sequence[Token]) -> str:
    """The word of a line that is a directive, else ""."""
    return row[1].text if len(row) > 1 and row[0].text == "#" else ""


def _header(row: Sequence[Token]) -> str:
    """What a line includes, else ""."""
    if _directive(row) != "include":
        return ""
    return "".join(token.text for token in row[2:]).strip('<>"')
