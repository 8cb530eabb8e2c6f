"""Text that is read as Python would read it, because C means the same: integer expressions and
literals.

Goes in: a text. Comes out: its syntax or its value. Raises what `ast` raises, and prints nothing:
Python warns of escapes and of words behind digits, which are the analysed file's own.
"""

from __future__ import annotations

import ast
import warnings


def expression(text: str) -> ast.expr:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode="eval").body


def module(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def literal(text: str) -> str:
    """The characters of a string literal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return str(ast.literal_eval(text))
