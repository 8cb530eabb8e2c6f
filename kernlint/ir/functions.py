"""What is known of the functions that kernels call, a row each in `functions.toml`: spellings,
value, cost, size, slow paths.

In: the name of an operation, as `ir.Call` has it, with `f` for single precision or without. Out:
its row, or None. What stands in no row is known to no reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from kernlint.base.dataclass import dataclass
from kernlint.base.tables import parsed


@dataclass(frozen=True, slots=True)
class FunctionRow:
    """One row; the table's head explains the keys."""

    name: str
    names: tuple[str, ...] = ()
    value: str = ""
    cost: tuple[Any, ...] = ()  # (instructions, pipe); () where not known
    size: int | None = None
    double_size: int | None = None
    slow: bool = False
    direct: bool = False
    cheap: bool = False
    rare: str = ""
    coefficients: bool = False


@cache
def functions() -> Mapping[str, FunctionRow]:
    """All rows by name. TypeError for a key that no row can have."""
    text = resources.files(__package__).joinpath("functions.toml").read_text("utf-8")
    [table] = parsed("functions", [text])
    return MappingProxyType({name: _row(name, row) for name, row in table.items()})


def _row(name: str, row: Mapping[str, Any]) -> FunctionRow:
    known: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in row.items()
    }
    return FunctionRow(name, **known)


@cache
def find(name: str) -> FunctionRow | None:
    """The row of a function: of `sinf` that of `sin`."""
    rows, plain = functions(), name.removeprefix("std::")
    return rows.get(plain) or rows.get(plain.removesuffix("f"))


def spelled(where: str) -> tuple[str, ...]:
    """The functions that have a spelling of a kind: "cuda", "f" …"""
    return tuple(row.name for row in functions().values() if where in row.names)
