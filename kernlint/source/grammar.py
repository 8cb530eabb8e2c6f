"""Reading the grammar's file and making the parser of it.

In: the name of a grammar and a builder. Out: a lark LALR parser over ready terminals. Keeps no file: nothing is unpickled.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lark
from lark.lexer import Lexer

PACKAGE = Path(__file__).resolve().parent.parent


def grammar_text(name: str) -> str:
    """The text of grammars/NAME: inside the installed package first, beside it in a checkout second."""
    inside = PACKAGE / "grammars" / name
    return (inside if inside.exists() else PACKAGE.parent / "grammars" / name).read_text(encoding="utf-8")


class ReadyTerminals(Lexer):
    """Hands ready terminals to lark as they are."""

    def __init__(self, conf: Any) -> None:
        del conf

    def lex(self, lexer_state: Any, parser_state: Any = None) -> Iterator[Any]:
        return iter(lexer_state)


def make_parser(name: str, builder: object, starts: list[str]) -> lark.Lark:
    return lark.Lark(
        grammar_text(name), parser="lalr", lexer=ReadyTerminals, start=starts, keep_all_tokens=True, maybe_placeholders=False, transformer=builder
    )
