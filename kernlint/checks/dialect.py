"""Findings in the words of their language: OpenCL's work-items, work-groups and sub-groups for CUDA's threads, blocks and warps.

Goes in: a finding in CUDA's words. Comes out: the same in those of its file's language. Text that is quoted stays as it is, and so do
launches, which are told in the words that options and directives take.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from kernlint.checks.finding import Finding

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
_LAUNCH = "launch: "


def own(texts: Mapping[str, str], language: str) -> str:
    """Of a text for each language, that of a file's; PTX takes CUDA's."""
    return texts["opencl" if language == "opencl" else "cuda"]


def spoken(finding: Finding, language: str) -> Finding:
    if language != "opencl":
        return finding
    return replace(
        finding,
        message=_said(finding.message),
        notes=tuple(note if note.startswith(_LAUNCH) else _said(note) for note in finding.notes),
        help=_said(finding.help),
        labels=tuple(replace(label, text=_said(label.text)) for label in finding.labels),
        withheld=_said(finding.withheld),
    )


def _said(text: str) -> str:
    return _WORDS.sub(lambda match: OPENCL[match[1]] if match[1] else match[0], text)
