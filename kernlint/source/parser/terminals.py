"""The classified tokens that the grammar reads: each a token with the name of its terminal, and
function bodies left for later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernlint.base.span import Span
from kernlint.source.tokens import Token

if TYPE_CHECKING:
    from kernlint.source.parser.names import NameScope
    from kernlint.source.parser.stream import TokenStream


class Terminal:
    """One terminal; `type` is its name in the grammar."""

    __slots__ = ("text", "token", "type")

    def __init__(self, type: str, text: str, token: Token) -> None:
        self.type, self.text, self.token = type, text, token

    @property
    def coord(self) -> Span:
        return self.token.use


class BodyTerminal(Terminal):
    """The braces of a function whose statements are classified and parsed when somebody asks for
    them."""

    __slots__ = ("close", "open", "scope", "stream")

    def __init__(self, stream: TokenStream, open: int, close: int, scope: NameScope) -> None:
        super().__init__("BODY", "{", stream.tokens[open])
        self.stream, self.open, self.close, self.scope = stream, open, close, scope

    @property
    def coord(self) -> Span:
        return self.token.use.to(self.stream.tokens[self.close].use)
