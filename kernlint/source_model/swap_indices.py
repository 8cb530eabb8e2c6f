"""Two indices that may change places: threadIdx.x and threadIdx.y of a square block, a thread's
index and a loop's counter.

Goes in: the facts of one kernel definition, its tokens. Comes out: the edits that swap them, or the
reason why it is not provably the same.

Square block: threads are told apart by threadIdx alone, so that swapping its names everywhere in a
kernel only renames the threads of a block. Nothing may look at warps or lanes, and no other
function at threadIdx. Loops: `role_loops.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernlint.model.facts import Access, Kernel
from kernlint.model.finding import Edit, Fix
from kernlint.source_model.array_uses import closed
from kernlint.source_model.index_terms import serves_better
from kernlint.source_model.source_tokens import Written
from kernlint.source_model.swap_loop import loop
from kernlint.source_model.swap_tokens import KernelTokens, Tokens, text_of

WARP_WORDS = re.compile(
    r"__shfl|__ballot|__any|__all\b|__syncwarp|__activemask|__match|__reduce|warpSize|asm\b|__asm|clock|cooperative_groups|cg\b|"
    r"this_thread_block|tiled_partition|wmma|mma|nvcuda|volatile|__pipeline|cuda\b|memcpy_async|__cluster"
)
NOT_CALLS = (
    "if",
    "for",
    "while",
    "switch",
    "return",
    "sizeof",
    "catch",
    "alignof",
    "decltype",
    "__launch_bounds__",
    "__align__",
)


def swap(
    access: Access, kernel: Kernel, kernels: Sequence[Kernel], program: Written, is_whole: bool
) -> tuple[Fix | None, str]:
    """As `SourceModel.swap`, of a kernel of this program."""
    text = text_of(program, kernel)
    if text is None:
        return None, ""
    found = loop(access, kernel, kernels, text)
    if isinstance(found, Fix):
        return found, found.message
    axes = (
        _axes(kernel, kernels, text, is_whole)
        if serves_better(kernel.accesses, "threadIdx.y")
        else ""
    )
    if isinstance(axes, Fix):
        return axes, axes.message
    return None, found or axes


def _axes(
    kernel: Kernel, kernels: Sequence[Kernel], text: KernelTokens, is_whole: bool
) -> Fix | str:
    """Renames the threads of a square block."""
    if any(k.launch.block_assumed or k.launch.origin == "assumed" for k in kernels):
        return ""
    if any(k.launch.block[0] != k.launch.block[1] or k.launch.block[0] == 1 for k in kernels):
        return ""
    uses = [i for i in range(text.first, text.last) if text.tokens[i].text == "threadIdx"]
    reason = _looks_beyond(text, uses, is_whole)
    if reason:
        return f"swapping threadIdx.x and threadIdx.y may not be the same here: {reason}"
    other = {"x": "y", "y": "x"}
    members = [text.tokens[i + 2] for i in uses if text.tokens[i + 2].text in other]
    if not members:
        return ""
    edits = tuple(Edit(member.span, other[member.text]) for member in members)
    size = kernel.launch.block[0]
    return Fix(
        "unsafe",
        f"Swap threadIdx.x and threadIdx.y in `{kernel.name}`, whose blocks are square ({size}x{size})",
        edits,
    )


def _looks_beyond(text: KernelTokens, uses: Sequence[int], is_whole: bool) -> str:
    """What tells threads apart otherwise than by threadIdx.x and threadIdx.y of this kernel's own
    text."""
    inside = {id(text.tokens[i]) for i in uses}
    for i in uses:
        if text.tokens[i + 1].text != "." or text.tokens[i + 2].text not in ("x", "y", "z"):
            return "threadIdx is used as a whole"
    if "threadIdx" in text.macros:
        return "a macro uses threadIdx"
    for token in text.body:
        if token.kind == "identifier" and WARP_WORDS.match(token.text):
            return f"`{token.text}` looks at warps"
    bodies = _kernel_bodies(text.tokens)
    for i, token in enumerate(text.tokens):
        if (
            token.text == "threadIdx"
            and id(token) not in inside
            and not any(a < i < b for a, b in bodies)
        ):
            return "another function uses threadIdx"
    unknown = _unknown_call(text)
    return f"`{unknown}` is not defined in this file" if unknown and not is_whole else ""


def _kernel_bodies(tokens: Tokens) -> list[tuple[int, int]]:
    """From brace to brace: the bodies of all `__global__` functions, which no other function calls
    for its threads."""
    found = []
    for i, token in enumerate(tokens):
        if token.text == "__global__":
            first = next(
                (k for k in range(i, len(tokens)) if tokens[k].text in ("{", ";")), len(tokens)
            )
            if first < len(tokens) and tokens[first].text == "{":
                found.append((first, closed(tokens, first)))
    return found


def _unknown_call(text: KernelTokens) -> str:
    """A function that the kernel calls and that neither this file defines nor CUDA."""
    from kernlint.lowering.calls.intrinsics import lookup

    defined = {
        text.tokens[i - 1].text for i in range(1, len(text.tokens)) if text.tokens[i].text == "("
    }
    for i in range(text.first, text.last):
        token = text.tokens[i]
        if (
            token.kind == "identifier"
            and text.tokens[i + 1].text == "("
            and token.text not in NOT_CALLS
        ):
            outside = [
                k
                for k, t in enumerate(text.tokens)
                if t.text == token.text and not text.first <= k <= text.last
            ]
            if not outside and lookup(token.text, "cuda") is None and token.text in defined:
                return token.text
    return ""
