"""What the parser made of the headers that a file begins with, carried over to the next file that
begins with the same ones.

In: a stream whose first tokens are those of an opening (`opening.PrefixStep`), and the declarations read
up to one of its headers' ends. Out: where such ends are places to stop at, and declarations and
scopes that a file may change without changing another file's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from operator import is_
from typing import Any, TypeVar

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Problem
from kernlint.source.parser import tree
from kernlint.source.parser.names import NameScope
from kernlint.source.parser.stream import OPENERS, TokenStream, taken_apart
from kernlint.source.preprocessor.include_prefix import PrefixStep
from kernlint.source.tokens import Token

N = TypeVar("N", bound=tree.Node)

LEAST = 500  # tokens between two places where reading is taken up
ENDS = frozenset((";", "}"))
ELSEWHERE = frozenset(("static", "extern"))  # of what may be defined outside its declaration
_HELD = {
    tree.Namespace: "decls",
    tree.ExternBlock: "decls",
    tree.DeclGroup: "decls",
    tree.ClassDef: "members",
    tree.TemplateDecl: "decl",
    tree.Decl: "type",
    tree.Typedef: "type",
    tree.TypeDecl: "type",
}  # nodes and the attribute through which a class or a function may hang on them


@dataclass(frozen=True, slots=True)
class ParsedPrefix:
    """Everything up to the end of a header: so many of the file's `tokens`, which are the first
    `size` of `stream`. The bodies of its functions see the names of `scope`, and none that come
    later. `outcomes`: what was made of it further on, by all that this depends on
    (`kernlint/memo/header_kernels.py`)."""

    language: str
    tokens: int
    stream: TokenStream
    size: int
    declarations: list[tree.Declaration]
    problems: list[Problem]
    skipped: list[Problem]
    pieces: list[Any]
    scope: NameScope
    outcomes: dict[str, Any] = field(default_factory=dict)


def latest(steps: Sequence[PrefixStep], language: str) -> ParsedPrefix | None:
    """The furthest that was read before."""
    return next(
        (
            step.read
            for step in reversed(steps)
            if step.read is not None and step.read.language == language
        ),
        None,
    )


def stops(
    stream: TokenStream,
    tokens: Sequence[Token],
    steps: Sequence[PrefixStep],
    read: ParsedPrefix | None,
) -> Iterator[tuple[int, int, PrefixStep]]:
    """Where reading may stop behind what was read: (position in the stream, in the tokens, the step
    that ends there). Those are the ends of the main file's headers and of all that it has in common
    with another file, so that a third one finds it."""
    start, position = (read.size, read.tokens) if read is not None else (0, 0)
    total = 0
    for index, step in enumerate(steps):
        total += len(step.tokens)
        is_common = step.is_taken and not (index + 1 < len(steps) and steps[index + 1].is_taken)
        if total <= position or total - position < LEAST or not (step.is_end or is_common):
            continue
        end = start + len(taken_apart(tokens[position:total])[0])
        if _is_whole(stream, start, end):
            yield end, total, step
            start, position = end, total


def _is_whole(stream: TokenStream, start: int, end: int) -> bool:
    """Whether nothing is open at `end`: neither a bracket nor a declaration."""
    if stream.texts[end - 1] not in ENDS and stream.kinds[end - 1] != "pragma":
        return False
    texts, match = stream.texts, stream.match
    return not any(
        match[i] >= end or (match[i] < 0 and texts[i] in OPENERS) for i in range(start, end)
    )


def own(nodes: Sequence[N], in_class: bool = False) -> list[N]:
    """The declarations anew as far as lowering changes them: a class takes the bodies of members
    defined outside of it, and a static member or an extern variable its initial value."""
    return [_own(node, in_class) for node in nodes]


def _own(node: N, in_class: bool = False) -> N:
    if isinstance(node, tree.Function):
        return copy(node) if in_class and node.lazy_body is None else node
    if isinstance(node, tree.Decl) and node.init is None and not ELSEWHERE.isdisjoint(node.storage):
        node = copy(node)
    kind = type(node)
    name = _HELD.get(kind)
    if name is None:
        return node
    held = getattr(node, name)
    in_class = in_class if kind is tree.TemplateDecl else kind is tree.ClassDef
    inner = own(held, in_class) if isinstance(held, list) else _own(held, in_class)
    if inner is held or (isinstance(held, list) and all(map(is_, inner, held))):
        return node
    made = copy(node)
    setattr(made, name, inner)
    return made


def own_scope(scope: NameScope) -> NameScope:
    """The scope anew, with all scopes that it reaches: what is declared in it from now on is not
    seen from the old one."""
    made: dict[int, NameScope] = {}

    def twin(old: NameScope) -> NameScope:
        if (new := made.get(id(old))) is None:
            new = made[id(old)] = NameScope(None, old.is_template)
            new.outer = None if old.outer is None else twin(old.outer)
            new.names = dict(old.names)
            new.members = {name: twin(member) for name, member in old.members.items()}
        return new

    return twin(scope)
