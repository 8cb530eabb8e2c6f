"""The index of an access as a structure: a sum of products, made by `kernlint.algebra`.

Goes in: nothing. Comes out: plain values with their text. Never numbers of lanes.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class IndexFactor:
    """A symbol (`n`, `threadIdx.x`, the loaded value `row[i]`), or C's operators applied to some.

    `text`: as it stands in a product, `(threadIdx.x / 32)`. `symbols`: those in it in the order of
    their kinds; of a symbol itself. `operators`: all that are applied in it.
    """

    text: str
    symbols: tuple[str, ...]
    operators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexTerm:
    """`coefficient` times the factors; a power is a factor that occurs more than once."""

    coefficient: int
    factors: tuple[IndexFactor, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The factors' texts."""
        return tuple(factor.text for factor in self.factors)


@dataclass(frozen=True, slots=True)
class ElementIndex:
    """An index from its object's start. `text`: as people read it; `terms`: what it adds up, in
    the order of the text, none for 0 and for what is not known; `unit`: the bytes that it counts,
    0 where it is not known or says itself that it counts bytes; `origin`: the kind of symbol that
    it counts from: an `object`, a `pointer`, one that paths (`joined`) or a `loop` set, ..."""

    text: str
    unit: int = 0
    terms: tuple[IndexTerm, ...] = ()
    origin: str = ""

    @property
    def symbol(self) -> str:
        """The symbol that is all of the index; "" where it is more, or a number."""
        if len(self.terms) != 1 or len(self.terms[0].factors) != 1:
            return ""
        factor = self.terms[0].factors[0]
        return factor.text if self.terms[0].coefficient == 1 and not factor.operators else ""
