"""Tokens of CUDA C++ and OpenCL C, each knowing where it is spelled and where the user sees it."""

from __future__ import annotations

from dataclasses import dataclass

from kernlint.source.span import Span

# kinds: "identifier" (keywords too: the parser decides), "number", "string", "character", "punctuator",
#        "pragma" (a whole `#pragma …` line that survives preprocessing, text without the leading `#`)


@dataclass(slots=True)
class Token:
    """One preprocessing token. `span`: where it is spelled; `use`: where the user sees it (the macro's use)."""

    kind: str
    text: str
    span: Span
    use: Span
    space_before: bool = False
