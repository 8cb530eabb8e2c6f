"""The shared arrays of a file whose layout may be changed, with every place that has to change with
it.

Goes in: facts of a file, its text. Comes out: `TunedArray`s, or why an array must stay as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from math import prod

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.checks import dialect
from kernlint.model import facts
from kernlint.model.finding import Edit
from kernlint.source_model.array_uses import Subscript, Use
from kernlint.source_model.declared_rows import Rows
from kernlint.source_model.model import source_of

# what is in capitals may be a macro of several terms
SIMPLE = re.compile(r"\d+|[a-z_]\w*(\.\w+)*|[a-z_]\w*\(\w*\)")


@dataclass(frozen=True, slots=True)
class TunedArray:
    """`shape` and `element_bytes` as the kernels have them; `declaration` and `uses` as the source
    has them, and its `rows`, or why a flat array has none."""

    name: str
    span: Span
    shape: tuple[int, ...]
    element_bytes: int
    declaration: Use
    uses: tuple[Use, ...]
    rows: Rows | str
    language: str = "cuda"

    @property
    def row(self) -> int:
        """The extent of the fastest dimension."""
        return self.shape[-1]

    @property
    def extent(self) -> Subscript:
        """The fastest dimension in the declaration."""
        return self.declaration.subscripts[-1]

    def padded(self, more: int) -> tuple[int, ...]:
        """The shape with longer rows."""
        assert isinstance(self.rows, Rows)
        return (
            *self.shape[:-1],
            self.row + more * (self.rows.count if len(self.shape) == 1 else 1),
        )


@dataclass(frozen=True, slots=True)
class Kept:
    """A shared array that must stay as it is."""

    name: str
    span: Span | None
    reason: str


def arrays(file: facts.File, alike: bool = True) -> list[TunedArray | Kept]:
    """Every shared array that some kernel of the file accesses, in the order of their declarations.
    `alike`: those whose shape template arguments decide are kept; otherwise they have one of their
    shapes."""
    found: dict[tuple[str, Span | None], list[facts.Access]] = {}
    languages: dict[tuple[str, Span | None], str] = {}
    for kernel in file.kernels:
        for access in kernel.accesses:
            if access.space == "shared":
                found.setdefault((access.object, access.object_span), []).append(access)
                languages[access.object, access.object_span] = dialect.of(kernel, file)
    in_order = sorted(found.items(), key=_position)
    some = [
        (_array(name, span, accesses, file, alike), languages[name, span])
        for (name, span), accesses in in_order
    ]
    return [
        replace(one, language=language) if isinstance(one, TunedArray) else one
        for one, language in some
    ]


def _position(item: tuple[tuple[str, Span | None], object]) -> tuple[int, int, str]:
    (name, span), _ = item
    return (span.line, span.column, name) if span is not None else (0, 0, name)


def _array(
    name: str, span: Span | None, accesses: Iterable[facts.Access], file: facts.File, alike: bool
) -> TunedArray | Kept:
    some = list(accesses)
    shapes = {(access.object_shape, access.element_bytes) for access in some}
    if span is None or "|" in name:
        return Kept(
            name,
            span,
            "it is not a single array declared in this file: the accessed array depends on the path taken",
        )
    if span.path != file.path:
        return Kept(name, span, f"it is declared in {span.path}: tune that file")
    if span.macro:
        return Kept(name, span, f"it is declared by the macro `{span.macro}`")
    if "." in name:
        return Kept(name, span, "it is a member of a structure")
    ranks = {len(shape) for shape, _ in shapes}
    if len(shapes) != 1 and (alike or len(ranks) != 1):
        return Kept(name, span, "its shape differs between the kernels' template arguments")
    shape, element = min(shapes)
    if not shape or not element:
        return Kept(
            name,
            span,
            "its size is given at the launch and its rows exist only in the index arithmetic",
        )
    source = source_of(file)
    found = source.uses(span, name, len(shape))
    if isinstance(found, str):
        return Kept(name, span, found)
    kernels = (
        kernel
        for kernel in file.kernels
        if any(a.object_span == span and a.object_shape == shape for a in kernel.accesses)
    )
    own = source.rows_of(found, shape, next(kernels, None))
    return TunedArray(name, span, shape, element, found.declaration, found.others, own)


def changed(subscript: Subscript, content: str) -> Edit:
    return Edit(subscript.span, content)


def factor(subscript: Subscript) -> str:
    """The text as an operand of any operator."""
    return subscript.text if SIMPLE.fullmatch(subscript.text) else f"({subscript.text})"


def bytes_of(array: TunedArray, shape: tuple[int, ...]) -> int:
    return prod(shape) * array.element_bytes
