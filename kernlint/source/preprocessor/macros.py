"""Macro definitions and what one use of a macro is replaced by: `#`, `##`, `__VA_ARGS__`,
`__VA_OPT__`.

Comes in: the tokens of a definition, the arguments of a use. Goes out: replacement tokens, not yet
rescanned. Never looks at files or conditions. Follows GCC where the standard leaves a choice (`, ##
__VA_ARGS__`).
"""

from __future__ import annotations

from collections.abc import Callable

from kernlint.base.dataclass import dataclass
from kernlint.base.span import SourceError, Span
from kernlint.source.lexer import scan
from kernlint.source.tokens import Token

VARIADIC = "__VA_ARGS__"
OPTIONAL = "__VA_OPT__"
SHORT = 8  # tokens of bodies that are asked whether anything in them could be expanded


@dataclass(frozen=True, slots=True)
class Macro:
    """`parameters` is None for an object-like macro; a variadic macro's last parameter takes the
    rest."""

    name: str
    body: tuple[Token, ...]
    parameters: dict[str, int] | None = None
    variadic: bool = False
    builtin: bool = False  # __LINE__ and its like: the value is made at the use
    plain: bool = True  # the body holds no #, ##, __VA_OPT__
    final: bool = False  # a use becomes the body, in which nothing could be expanded

    def text(self) -> str:
        return spelling(self.body)


@dataclass(slots=True)
class Argument:
    """One argument of a use; `expanded` is filled when first needed."""

    tokens: list[Token]
    omitted: bool = False
    expanded: list[Token] | None = None


def spelling(tokens: tuple[Token, ...] | list[Token]) -> str:
    """The tokens as text, white space as one blank."""
    return "".join(
        " " + token.text if index and token.space_before else token.text
        for index, token in enumerate(tokens)
    )


def parse_define(text: str) -> tuple[str, str]:
    """A command-line definition, "NAME", "NAME=VALUE" or "NAME(a)=VALUE", as name and
    replacement."""
    name, equals, value = text.partition("=")
    return name.strip(), value if equals else "1"


def define(tokens: list[Token], place: Span) -> Macro:
    """The macro that `#define` followed by `tokens` makes. Raises SourceError where it makes
    none."""
    if not tokens or tokens[0].kind != "identifier":
        raise SourceError("#define needs a macro name", tokens[0].span if tokens else place)
    name = tokens[0]
    if name.text == "defined":
        raise SourceError("'defined' cannot be a macro name", name.span)
    if len(tokens) < 2 or tokens[1].text != "(" or tokens[1].space_before:
        body = tuple(tokens[1:])
        plain = not _has(body, "##")
        final = plain and len(body) <= SHORT and all(one.kind != "identifier" for one in body)
        return Macro(name.text, _checked(body), plain=plain, final=final)
    parameters, variadic, index = _parameters(tokens)
    body = tuple(tokens[index:])
    for position, token in enumerate(body):
        if (
            token.text == "#"
            and token.kind == "punctuator"
            and not _stringified(body, position, parameters, variadic)
        ):
            raise SourceError("'#' is not followed by a macro parameter", token.span)
    optional = variadic and _check_optional(body)
    plain = not (_has(body, "##") or _has(body, "#") or optional)
    return Macro(name.text, _checked(body), parameters, variadic, plain=plain)


def _has(body: tuple[Token, ...], text: str) -> bool:
    return any(token.text == text and token.kind == "punctuator" for token in body)


def _stringified(
    body: tuple[Token, ...], position: int, parameters: dict[str, int], variadic: bool
) -> bool:
    following = body[position + 1].text if position + 1 < len(body) else ""
    return following in parameters or (variadic and following == OPTIONAL)


def _checked(body: tuple[Token, ...]) -> tuple[Token, ...]:
    for end in (0, -1):
        if body and body[end].text == "##" and body[end].kind == "punctuator":
            raise SourceError("'##' cannot be at either end of a macro", body[end].span)
    return body


def _check_optional(body: tuple[Token, ...]) -> bool:
    """Whether the body holds `__VA_OPT__`. Raises where one is not closed or lies in another."""
    end = -1
    for index, token in enumerate(body):
        if token.text == OPTIONAL:
            if index <= end or index + 1 >= len(body) or body[index + 1].text != "(":
                raise SourceError(
                    "__VA_OPT__ needs its own parentheses and cannot be nested", token.span
                )
            end = _closing(body, index + 1)
            if body[end].text != ")":
                raise SourceError("__VA_OPT__ is never closed", token.span)
    return end >= 0


def _parameters(tokens: list[Token]) -> tuple[dict[str, int], bool, int]:
    """Names → positions, whether the last takes the rest, and the index behind the closing
    parenthesis."""
    names: dict[str, int] = {}
    variadic, index = False, 2
    while index < len(tokens) and tokens[index].text != ")":
        token = tokens[index]
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if token.text == "...":
            names[VARIADIC], variadic = len(names), True
        elif token.kind != "identifier" or token.text in names:
            raise SourceError(f"bad macro parameter '{token.text}'", token.span)
        else:
            names[token.text] = len(names)
            if following == "...":
                variadic = True
                index += 1
                following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        index += 1
        if following == "," and not variadic:
            index += 1
        elif following != ")":
            raise SourceError("the macro's parameter list is not closed", token.span)
    if index >= len(tokens):
        raise SourceError("the macro's parameter list is not closed", tokens[1].span)
    return names, variadic, index + 1


class Substitution:
    """The replacement of one use: `result` holds the body with its parameters replaced, None for an
    empty operand."""

    def __init__(
        self,
        macro: Macro,
        arguments: list[Argument],
        use: Span,
        expand: Callable[[list[Token]], list[Token]],
    ) -> None:
        self.macro, self.arguments, self.use, self.expand = macro, arguments, use, expand
        self.parameters = macro.parameters or {}
        self.wrong_pastes: list[str] = []
        self.pasted: list[str] = []  # what `##` made

    def run(self) -> list[Token]:
        macro, use = self.macro, self.use
        if not self.parameters and macro.plain:
            return [token.copy(use, token.space_before) for token in macro.body]
        return [token for token in self._replace(macro.body) if token is not None]

    def _replace(self, body: tuple[Token, ...]) -> list[Token | None]:
        out: list[Token | None] = []
        index, size = 0, len(body)
        while index < size:
            if (
                not self.macro.plain
                and body[index].text == "##"
                and body[index].kind == "punctuator"
                and out
                and index + 1 < size
            ):
                previous = out[-1]
                rest = self._rest(body[index + 1])
                items, index = self._operand(body, index + 1, True)
                if rest is not None and previous is not None and previous.text == ",":
                    if rest.omitted:
                        out.pop()
                    else:
                        out.extend(items)
                else:
                    self._paste(out, items)
            elif body[index].text not in self.parameters and body[index].text not in (
                "#",
                OPTIONAL,
            ):
                out.append(body[index].copy(self.use, body[index].space_before))
                index += 1
            else:
                items, index = self._operand(body, index, False)
                out.extend(items)
        return out

    def _rest(self, token: Token) -> Argument | None:
        """The argument that takes the rest, if `token` names it."""
        position = self.parameters.get(token.text)
        return (
            self.arguments[position]
            if self.macro.variadic and position == len(self.parameters) - 1
            else None
        )

    def _operand(
        self, body: tuple[Token, ...], index: int, raw: bool
    ) -> tuple[list[Token | None], int]:
        """What the body's item at `index` becomes, and the index behind it; never empty."""
        token = body[index]
        if token.kind == "punctuator" and token.text == "#" and self.macro.parameters is not None:
            inner, end = self._stringify_operand(body, index + 1)
            return [self._string(inner, token)], end
        if token.kind != "identifier":
            return [token.copy(self.use, token.space_before)], index + 1
        if token.text == OPTIONAL and self.macro.variadic:
            return self._optional(body, index)
        position = self.parameters.get(token.text)
        if position is None:
            return [token.copy(self.use, token.space_before)], index + 1
        argument = self.arguments[position]
        raw = raw or (index + 1 < len(body) and body[index + 1].text == "##")
        tokens = argument.tokens if raw else self._expanded(argument)
        if not tokens:
            return [None], index + 1
        copies: list[Token | None] = [item.copy(None, item.space_before) for item in tokens[1:]]
        return [tokens[0].copy(None, token.space_before), *copies], index + 1

    def _expanded(self, argument: Argument) -> list[Token]:
        if argument.expanded is None:
            argument.expanded = self.expand(argument.tokens)
        return argument.expanded

    def _optional(self, body: tuple[Token, ...], index: int) -> tuple[list[Token | None], int]:
        end = _closing(body, index + 1)
        if not self._expanded(self.arguments[-1]):
            return [None], end + 1
        return self._replace(body[index + 2 : end]) or [None], end + 1

    def _stringify_operand(self, body: tuple[Token, ...], index: int) -> tuple[list[Token], int]:
        if body[index].text == OPTIONAL:
            items, end = self._optional(body, index)
            return [item for item in items if item is not None], end
        return self.arguments[self.parameters[body[index].text]].tokens, index + 1

    def _string(self, tokens: list[Token], operator: Token) -> Token:
        pieces: list[str] = []
        for index, token in enumerate(tokens):
            text = token.text
            if token.kind in ("string", "character"):
                text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            pieces.append(" " + text if index and token.space_before else text)
        return Token(
            "string", f'"{"".join(pieces)}"', operator.span, self.use, operator.space_before
        )

    def _paste(self, out: list[Token | None], items: list[Token | None]) -> None:
        left, right = out.pop(), items[0]
        if left is None or right is None:
            out.append(right if left is None else left)
        else:
            out.extend(self._joined(left, right))
        out.extend(items[1:])

    def _joined(self, left: Token, right: Token) -> list[Token]:
        scanned = scan(left.text + right.text, "")
        tokens = scanned.tokens
        if len(tokens) != 1 or scanned.comments or scanned.unterminated:
            self.wrong_pastes.append(f"'{left.text}' ## '{right.text}' does not make one token")
            return [left, right]
        self.pasted.append(tokens[0].text)
        return [Token(tokens[0].kind, tokens[0].text, left.span, self.use, left.space_before)]


def _closing(body: tuple[Token, ...], index: int) -> int:
    """The index of the parenthesis that closes the one at `index`; the last token's where none
    does."""
    depth = 0
    for position in range(index, len(body)):
        depth += {"(": 1, ")": -1}.get(body[position].text, 0)
        if depth == 0:
            return position
    return len(body) - 1
