"""Findings and reports in the words of their language: OpenCL's work-items, work-groups, sub-groups
for CUDA's threads, blocks, warps.

Goes in: a finding or a text in CUDA's words. Comes out: the same in those of its file's language.
Text that is quoted stays as it is, and so do launches, which are told in the words that options and
directives take, and indices.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from kernlint.model.facts import File, Kernel
from kernlint.model.finding import Finding

OPENCL = {
    "local memory": "private memory",
    "local load": "private load",
    "local store": "private store",
    "shared memory": "local memory",
    "shared load": "local load",
    "shared store": "local store",
    "shared atomic": "local atomic",
    "shared copy": "local copy",
    "shared-memory": "local-memory",
    "warp": "sub-group",
    "warps": "sub-groups",
    "block": "work-group",
    "blocks": "work-groups",
    "thread": "work-item",
    "threads": "work-items",
    "nvcc": "the compiler",
}
_WORDS = re.compile(rf"`[^`]*`|\b({'|'.join(sorted(OPENCL, key=len, reverse=True))})\b")
_LAUNCH = ("launch: ", "index = ")
SPACES = {"shared": "local", "local": "private"}  # of memory, where OpenCL calls them otherwise
_QUERIES = {
    "threadIdx": "get_local_id",
    "blockIdx": "get_group_id",
    "blockDim": "get_local_size",
    "gridDim": "get_num_groups",
}
_INDEX = re.compile(rf"\b({'|'.join(_QUERIES)})\.([xyz])\b")


def of(kernel: Kernel, file: File) -> str:
    """That of a kernel: a file in another language may hold kernels of several in its strings."""
    return kernel.language or file.language if file.language != "ptx" else file.language


def own(texts: Mapping[str, str], language: str) -> str:
    """Of a text for each language, that of a file's; PTX takes CUDA's."""
    return texts["opencl" if language == "opencl" else "cuda"]


def speaker(language: str) -> Callable[[str], str]:
    """What puts a text of a report into the words of a language."""
    return _said if language == "opencl" else str


def space(name: str, language: str) -> str:
    """A memory space as the language calls it."""
    return SPACES.get(name, name) if language == "opencl" else name


def spoken(finding: Finding, language: str) -> Finding:
    if language != "opencl":
        return finding
    return replace(
        finding,
        message=_said(finding.message),
        notes=tuple(map(_said, finding.notes)),
        help=_said(finding.help),
        labels=tuple(replace(label, text=_said(label.text)) for label in finding.labels),
        assumptions=tuple(map(_said, finding.assumptions)),
        withheld=_said(finding.withheld),
        parts=tuple(spoken(part, language) for part in finding.parts),
    )


def _said(text: str) -> str:
    queried = _INDEX.sub(lambda match: f"{_QUERIES[match[1]]}({'xyz'.index(match[2])})", text)
    if text.startswith(_LAUNCH):  # what follows the launch itself is ordinary text
        launch, semicolon, rest = queried.partition("; ")
        return launch + semicolon + (_said(rest) if rest else "")
    return _WORDS.sub(lambda match: OPENCL[match[1]] if match[1] else match[0], queried)
