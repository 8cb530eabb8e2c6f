"""Building types and declarators: specifiers and what stands around a name become the type of what
is declared.

In: the children of one reduction. Out: one node, or a helper for an enclosing rule.
"""

from __future__ import annotations

from typing import Any, Protocol

from kernlint.base.span import Span
from kernlint.source.parser import tree
from kernlint.source.parser.build_expressions import Children, ExpressionBuilder, span
from kernlint.source.parser.names import ADDRESS_SPACES, QUALIFIER_SPELLING, STORAGE
from kernlint.source.parser.terminals import Terminal

Modifier = tuple[str, Any, Span]  # what a declarator wraps, its operand, its place


class Placed(Protocol):
    @property
    def coord(self) -> Span: ...


class Attribute:
    """`name(args)` of an attribute, `type` for `alignas(T)`."""

    __slots__ = ("args", "coord", "name")

    def __init__(self, name: str, args: list[tree.Operand], coord: Span) -> None:
        self.name, self.args, self.coord = name, args, coord

    def alignment(self) -> list[tree.Operand]:
        """The alignments that `aligned` asks for; without an argument it is the strictest of the
        machine, 16."""
        if self.name != "aligned":
            return []
        return self.args or [tree.Constant("int", "16", self.coord)]


class Declarator:
    """A name and what is wrapped around the type, from the name outwards: ('*' | '&' | '&&' | '[]'
    | '()' | '...' | qualifier, …)."""

    __slots__ = ("attributes", "end", "mods", "name", "returns", "start", "tail")

    def __init__(self, name: tree.Name | None = None) -> None:
        self.name = name
        self.mods: list[Modifier] = []
        self.tail: list[str] = []
        self.attributes: list[Attribute] = []
        self.returns: tree.Typename | None = None
        self.start: Span | None = name.coord if name is not None else None
        self.end: Span | None = self.start

    def reach(self, node: Placed) -> None:
        self.end = node.coord
        if self.start is None:
            self.start = node.coord


class Specifiers:
    """The specifiers of a declaration, sorted."""

    __slots__ = ("align", "attributes", "base", "coord", "funcspec", "quals", "storage")

    def __init__(self, items: Children) -> None:
        self.quals: list[str] = []
        self.storage: list[str] = []
        self.funcspec: list[str] = []
        self.align: list[tree.Operand] = []
        self.attributes: list[tuple[str, list[tree.Operand]]] = []
        self.base: tree.TypeNode | None = None
        words: list[Terminal] = []
        for item in items:
            if isinstance(item, tree.TypeNode):
                self.base = item
            elif (
                type(item) is Attribute
                and isinstance(self.base, tree.ClassDef)
                and item.name in ("aligned", "packed")
            ):
                # behind the braces: the class's own
                self.base.is_packed = self.base.is_packed or item.name == "packed"
                self.base.align_exprs = [*(self.base.align_exprs or []), *item.alignment()]
            elif type(item) is Attribute:
                self.attributes.append((item.name, item.args))
                self.align += item.alignment()
            else:
                self._sort_word(item, words)
        self.coord = span(items)
        if words:
            self.base = tree.IdentifierType(
                [text for word in words for text in word.text.split()], span(words)
            )

    def _sort_word(self, item: Terminal, words: list[Terminal]) -> None:
        if item.type == "TYPE_WORD":
            words.append(item)
        elif item.type == "QUALIFIER":
            self.quals.append(QUALIFIER_SPELLING.get(item.text, item.text))
        elif item.type == "AUTO":
            self.base = tree.AutoType(item.coord, keeps_reference=item.text != "auto")
        elif item.type == "SPECIFIER":
            (self.storage if item.text in STORAGE else self.funcspec).append(item.text)


class MemberPointer(tuple[str, tree.Name, Span]):
    """`C::*` in front of a declarator."""

    __slots__ = ()

    def __new__(cls, owner: tree.Name, coord: Span) -> MemberPointer:
        return super().__new__(cls, ("::*", owner, coord))

    @property
    def coord(self) -> Span:
        return self[2]


def spelling(name: tree.Name | None) -> str:
    """A declared name as one word: `A::b` for a qualified one."""
    if isinstance(name, tree.QualifiedName):
        return "::".join(spelling(part) for part in name.parts)
    if isinstance(name, tree.OperatorName):
        return f"operator{name.op}"
    if isinstance(name, tree.DestructorName):
        return f"~{name.name}"
    return name.name if isinstance(name, (tree.ID, tree.TemplateId)) else ""


# with what it begins with and, of a bit-field, the number of bits
Initialised = tuple[Declarator, tree.Expr | None, tree.Expr | None]


def is_nothing(item: Initialised) -> bool:
    declarator, initial, bits = item
    return declarator.name is None and not declarator.mods and initial is None and bits is None


def is_void(parameter: tree.Node) -> bool:
    made = parameter.type if isinstance(parameter, tree.Typename) else None
    return (
        isinstance(made, tree.TypeDecl)
        and isinstance(made.type, tree.IdentifierType)
        and made.type.names == ["void"]
    )


class DeclaratorBuilder(ExpressionBuilder):
    """One method per rule or alias of the grammar's types and declarators."""

    # -- types

    def named_type(self, children: Children) -> tree.TypeNode:
        node = self.path_node(children[0])
        if isinstance(node, tree.ID):
            return tree.IdentifierType([node.name], node.coord)
        return (
            node if isinstance(node, tree.DecltypeType) else tree.NameType(node, coord=node.coord)
        )

    def expanded_base(self, children: Children) -> tree.PackExpansion:
        return tree.PackExpansion(self.named_type(children), span(children[1:]))

    def decltype_expression(self, children: Children) -> tree.DecltypeType:
        return tree.DecltypeType(children[2], coord=span(children))

    def attribute(self, children: Children) -> Attribute:
        return Attribute(
            children[0].text,
            self.arguments_of(children[1]) if len(children) > 1 else [],
            span(children),
        )

    def align_type(self, children: Children) -> Attribute:
        return Attribute(
            "aligned",
            [tree.SizeofType(children[2], "alignof", coord=span(children))],
            span(children),
        )

    def elaborated(self, children: Children) -> tree.ElaboratedType:
        return tree.ElaboratedType(
            self.path_node(children[1]),
            children[0].text,
            coord=children[0].coord.to(children[1][-1].coord),
        )

    def append_path(self, children: Children) -> Children:
        head: Children = children[0]
        head.append(self.path_node(children[1]))
        return head

    def wrapped(
        self,
        specifiers: Specifiers,
        declarator: Declarator,
        name: str | None,
        mods: list[Modifier],
    ) -> tree.TypeNode:
        """The type of a declarator, around the type of its specifiers."""
        quals = list(specifiers.quals)
        if any(kind in ("*", "&", "&&") for kind, _, _ in mods):
            quals += [word for word in specifiers.funcspec if word in ADDRESS_SPACES]
        base = specifiers.base
        if declarator.returns is not None and not mods:
            return declarator.returns.type
        made: tree.TypeNode = tree.TypeDecl(name, quals, specifiers.align, base, specifiers.coord)
        for kind, value, coord in reversed(mods):
            made = self._wrap(made, kind, value, coord)
        return made

    def _wrap(self, inner: tree.TypeNode, kind: str, value: Any, coord: Span) -> tree.TypeNode:
        if kind == "*":
            return tree.PtrDecl([], inner, coord)
        if kind == "[]":
            return tree.ArrayDecl(inner, value, [], coord)
        if kind == "()":
            return tree.FuncDecl(value, inner, coord)
        if kind in ("&", "&&"):
            return tree.RefDecl(inner, kind == "&&", coord=coord)
        if kind == "...":
            return tree.PackExpansion(inner, coord=coord)
        if kind == "::*":
            return tree.MemberPtrDecl(inner, value, coord=coord)
        if isinstance(inner, (tree.PtrDecl, tree.TypeDecl)):
            inner.quals.append(QUALIFIER_SPELLING.get(kind, kind))
        return inner

    def typename(self, specifiers: Children, modifiers: Children) -> tree.Typename:
        sorted_specifiers = Specifiers(specifiers)
        made = self.wrapped(sorted_specifiers, Declarator(), None, modifiers)
        return tree.Typename(
            None,
            list(sorted_specifiers.quals),
            sorted_specifiers.align,
            made,
            sorted_specifiers.coord,
        )

    def type_id(self, children: Children) -> tree.Typename | tree.PackExpansion:
        specifiers, declarator = Specifiers(children[0]), children[1]
        mods = declarator.mods
        is_pack = bool(mods) and mods[0][0] == "..."
        coord = specifiers.coord if declarator.end is None else specifiers.coord.to(declarator.end)
        made = self.wrapped(specifiers, declarator, None, mods[1:] if is_pack else mods)
        if declarator.returns is not None and mods:
            made = self._with_return(declarator.returns, mods)
        name = tree.Typename(None, list(specifiers.quals), specifiers.align, made, coord)
        return tree.PackExpansion(name, coord=coord) if is_pack else name

    def _with_return(self, returned: tree.Typename, mods: list[Modifier]) -> tree.TypeNode:
        made = returned.type
        for kind, value, coord in reversed(mods):
            made = self._wrap(made, kind, value, coord)
        return made

    # -- declarators

    def declarator_empty(self, children: Children) -> Declarator:
        return Declarator()

    def declarator_name(self, children: Children) -> Declarator:
        text = children[0].text
        if text.startswith("~"):
            return Declarator(tree.DestructorName(text[1:], coord=children[0].coord))
        return Declarator(tree.ID(text, children[0].coord))

    def declarator_path(self, children: Children) -> Declarator:
        return Declarator(self.path_node(children[0]))

    def declarator_group(self, children: Children) -> Declarator:
        declarator: Declarator = children[1]
        declarator.start = children[0].coord
        declarator.end = children[2].coord
        return declarator

    def declarator_array(self, children: Children) -> Declarator:
        declarator: Declarator = children[0]
        declarator.reach(children[-1])
        declarator.mods.append(
            ("[]", children[2] if len(children) == 4 else None, span(children[1:]))
        )
        return declarator

    def declarator_function(self, children: Children) -> Declarator:
        declarator: Declarator = children[0]
        declarator.reach(children[1])
        declarator.mods.append(("()", children[1], children[1].coord))
        return declarator

    def declarator_tail(self, children: Children) -> Declarator:
        declarator: Declarator = children[0]
        item: Attribute | Terminal = children[1]
        declarator.reach(item)
        if isinstance(item, Attribute):
            declarator.attributes.append(item)
        else:
            declarator.tail.append(item.text)
        return declarator

    def declarator_returns(self, children: Children) -> Declarator:
        declarator: Declarator = children[0]
        declarator.returns = children[2]
        declarator.reach(children[2])
        return declarator

    def pointer_to(self, children: Children) -> Declarator:
        pointer: MemberPointer | Terminal = children[0]
        declarator: Declarator = children[1]
        declarator.start = pointer.coord
        if declarator.end is None:
            declarator.end = pointer.coord
        if isinstance(pointer, MemberPointer):
            declarator.mods.append(("::*", pointer[1], pointer[2]))
        else:
            declarator.mods.append((pointer.text, None, pointer.coord))
        return declarator

    def member_pointer(self, children: Children) -> MemberPointer:
        return MemberPointer(self.path_node(children[1]), span(children))

    def parameters(self, children: Children) -> tree.ParamList:
        found = children[1] if len(children) == 3 else []
        if len(found) == 1 and is_void(found[0]):
            found = []
        return tree.ParamList(found, span(children))

    def parameter(self, children: Children) -> tree.Decl | tree.Typename:
        specifiers, declarator = Specifiers(children[0]), children[1]
        default = children[3] if len(children) > 2 else None
        name = spelling(declarator.name) if declarator.name is not None else None
        made = self.wrapped(specifiers, declarator, name, declarator.mods)
        coord = specifiers.coord if declarator.end is None else specifiers.coord.to(declarator.end)
        if name is None and default is None:
            return tree.Typename(None, list(specifiers.quals), specifiers.align, made, coord)
        funcspec = self.own_specifiers(specifiers, declarator.mods)
        return tree.Decl(
            name,
            list(specifiers.quals),
            specifiers.align,
            specifiers.storage,
            funcspec,
            made,
            default,
            None,
            coord,
        )

    def own_specifiers(self, specifiers: Specifiers, mods: list[Modifier]) -> list[str]:
        """The specifiers of the object itself: an address space before a pointer belongs to what it
        points to."""
        if any(kind in ("*", "&", "&&") for kind, _, _ in mods):
            return [word for word in specifiers.funcspec if word not in ADDRESS_SPACES]
        return specifiers.funcspec

    def ellipsis_parameter(self, children: Children) -> tree.EllipsisParam:
        return tree.EllipsisParam(children[0].coord)
