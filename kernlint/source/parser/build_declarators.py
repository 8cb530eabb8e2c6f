"""Building types and declarators: specifiers and what stands around a name become the type of what
is declared.

In: the children of one reduction. Out: one node, or a helper for an enclosing rule.
"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from kernlint.base.span import Span
from kernlint.source.parser import tree
from kernlint.source.parser.build_expressions import Children, ExpressionBuilder, span
from kernlint.source.parser.names import ADDRESS_SPACES, QUALIFIER_SPELLING, STORAGE


class Attribute:
    """`name(args)` of an attribute, `type` for `alignas(T)`."""

    __slots__ = ("args", "coord", "name")

    def __init__(self, name: str, args: Children, coord: Span) -> None:
        self.name, self.args, self.coord = name, args, coord

    def alignment(self) -> Children:
        """The alignments that `aligned` asks for; without an argument it is the strictest of the
        machine, 16."""
        if self.name != "aligned":
            return []
        return self.args or [c_ast.Constant("int", "16", self.coord)]


class Declarator:
    """A name and what is wrapped around the type, from the name outwards: ('*' | '&' | '&&' | '[]'
    | '()' | '...' | qualifier, …)."""

    __slots__ = ("attributes", "end", "mods", "name", "returns", "start", "tail")

    def __init__(self, name: Any = None) -> None:
        self.name = name
        self.mods: list[tuple[str, Any, Any]] = []
        self.tail: list[str] = []
        self.attributes: list[Attribute] = []
        self.returns: Any = None
        self.start: Span | None = name.coord if name is not None else None
        self.end: Span | None = self.start

    def reach(self, node: Any) -> None:
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
        self.align: Children = []
        self.attributes: list[tuple[str, Children]] = []
        self.base: Any = None
        words: Children = []
        for item in items:
            if isinstance(item, c_ast.Node):
                self.base = item
            elif (
                type(item) is Attribute
                and isinstance(self.base, tree.ClassDef)
                and item.name in ("aligned", "packed")
            ):
                self.base.is_packed = (
                    self.base.is_packed or item.name == "packed"
                )  # behind the braces: the class's own
                self.base.align_exprs = [*(self.base.align_exprs or []), *item.alignment()]
            elif type(item) is Attribute:
                self.attributes.append((item.name, item.args))
                self.align += item.alignment()
            else:
                self._sort_word(item, words)
        self.coord = span(items)
        if words:
            self.base = c_ast.IdentifierType(
                [text for word in words for text in word.text.split()], span(words)
            )

    def _sort_word(self, item: Any, words: Children) -> None:
        if item.type == "TYPE_WORD":
            words.append(item)
        elif item.type == "QUALIFIER":
            self.quals.append(QUALIFIER_SPELLING.get(item.text, item.text))
        elif item.type == "AUTO":
            self.base = tree.AutoType(coord=item.coord)
        elif item.type == "SPECIFIER":
            (self.storage if item.text in STORAGE else self.funcspec).append(item.text)


class MemberPointer(tuple[str, Any, Span]):
    """`C::*` in front of a declarator."""

    __slots__ = ()

    def __new__(cls, owner: Any, coord: Span) -> MemberPointer:
        return super().__new__(cls, ("::*", owner, coord))

    @property
    def coord(self) -> Span:
        return self[2]


def spelling(name: Any) -> str:
    """A declared name as one word: `A::b` for a qualified one."""
    if isinstance(name, tree.QualifiedName):
        return "::".join(spelling(part) for part in name.parts)
    if isinstance(name, tree.OperatorName):
        return f"operator{name.op}"
    if isinstance(name, tree.DestructorName):
        return f"~{name.name}"
    return str(name.name) if name is not None else ""


def is_nothing(item: tuple[Declarator, Any, Any]) -> bool:
    declarator, initial, bits = item
    return declarator.name is None and not declarator.mods and initial is None and bits is None


def is_void(parameter: Any) -> bool:
    made = parameter.type if isinstance(parameter, c_ast.Typename) else None
    return (
        isinstance(made, c_ast.TypeDecl)
        and isinstance(made.type, c_ast.IdentifierType)
        and made.type.names == ["void"]
    )


class DeclaratorBuilder(ExpressionBuilder):
    """One method per rule or alias of the grammar's types and declarators."""

    # -- types

    def named_type(self, children: Children) -> Any:
        node = self.path_node(children[0])
        if type(node) is c_ast.ID:
            return c_ast.IdentifierType([node.name], node.coord)
        return node if type(node) is tree.DecltypeType else tree.NameType(node, coord=node.coord)

    def decltype_expression(self, children: Children) -> Any:
        return tree.DecltypeType(children[2], coord=span(children))

    def attribute(self, children: Children) -> Any:
        return Attribute(
            children[0].text,
            self.arguments_of(children[1]) if len(children) > 1 else [],
            span(children),
        )

    def align_type(self, children: Children) -> Any:
        return Attribute(
            "aligned",
            [tree.SizeofType(children[2], "alignof", coord=span(children))],
            span(children),
        )

    def elaborated(self, children: Children) -> Any:
        return tree.ElaboratedType(
            self.path_node(children[1]),
            children[0].text,
            coord=children[0].coord.to(children[1][-1].coord),
        )

    def append_path(self, children: Children) -> Any:
        children[0].append(self.path_node(children[1]))
        return children[0]

    def wrapped(
        self,
        specifiers: Specifiers,
        declarator: Declarator,
        name: str | None,
        mods: list[tuple[str, Any, Any]],
    ) -> Any:
        """The type of a declarator, around the type of its specifiers."""
        quals = list(specifiers.quals)
        if any(kind in ("*", "&", "&&") for kind, _, _ in mods):
            quals += [word for word in specifiers.funcspec if word in ADDRESS_SPACES]
        base = specifiers.base
        if declarator.returns is not None and not mods:
            return declarator.returns.type
        made: Any = c_ast.TypeDecl(name, quals, specifiers.align, base, specifiers.coord)
        for kind, value, coord in reversed(mods):
            made = self._wrap(made, kind, value, coord)
        return made

    def _wrap(self, inner: Any, kind: str, value: Any, coord: Span) -> Any:
        if kind == "*":
            return c_ast.PtrDecl([], inner, coord)
        if kind == "[]":
            return c_ast.ArrayDecl(inner, value, [], coord)
        if kind == "()":
            return c_ast.FuncDecl(value, inner, coord)
        if kind in ("&", "&&"):
            return tree.RefDecl(inner, kind == "&&", coord=coord)
        if kind == "...":
            return tree.PackExpansion(inner, coord=coord)
        if kind == "::*":
            return tree.MemberPtrDecl(inner, value, coord=coord)
        if isinstance(inner, (c_ast.PtrDecl, c_ast.TypeDecl)):
            inner.quals.append(QUALIFIER_SPELLING.get(kind, kind))
        return inner

    def typename(self, specifiers: Children, modifiers: Children) -> Any:
        sorted_specifiers = Specifiers(specifiers)
        made = self.wrapped(sorted_specifiers, Declarator(), None, modifiers)
        return c_ast.Typename(
            None,
            list(sorted_specifiers.quals),
            sorted_specifiers.align,
            made,
            sorted_specifiers.coord,
        )

    def type_id(self, children: Children) -> Any:
        specifiers, declarator = Specifiers(children[0]), children[1]
        mods = declarator.mods
        is_pack = bool(mods) and mods[0][0] == "..."
        coord = specifiers.coord if declarator.end is None else specifiers.coord.to(declarator.end)
        made = self.wrapped(specifiers, declarator, None, mods[1:] if is_pack else mods)
        if declarator.returns is not None and mods:
            made = self._with_return(declarator, mods)
        name = c_ast.Typename(None, list(specifiers.quals), specifiers.align, made, coord)
        return tree.PackExpansion(name, coord=coord) if is_pack else name

    def _with_return(self, declarator: Declarator, mods: list[tuple[str, Any, Any]]) -> Any:
        made = declarator.returns.type
        for kind, value, coord in reversed(mods):
            made = self._wrap(made, kind, value, coord)
        return made

    # -- declarators

    def declarator_empty(self, children: Children) -> Any:
        return Declarator()

    def declarator_name(self, children: Children) -> Any:
        text = children[0].text
        if text.startswith("~"):
            return Declarator(tree.DestructorName(text[1:], coord=children[0].coord))
        return Declarator(c_ast.ID(text, children[0].coord))

    def declarator_path(self, children: Children) -> Any:
        return Declarator(self.path_node(children[0]))

    def declarator_group(self, children: Children) -> Any:
        declarator = children[1]
        declarator.start = children[0].coord
        declarator.end = children[2].coord
        return declarator

    def declarator_array(self, children: Children) -> Any:
        declarator = children[0]
        declarator.reach(children[-1])
        declarator.mods.append(
            ("[]", children[2] if len(children) == 4 else None, span(children[1:]))
        )
        return declarator

    def declarator_function(self, children: Children) -> Any:
        declarator = children[0]
        declarator.reach(children[1])
        declarator.mods.append(("()", children[1], children[1].coord))
        return declarator

    def declarator_tail(self, children: Children) -> Any:
        declarator, item = children
        declarator.reach(item)
        if type(item) is Attribute:
            declarator.attributes.append(item)
        else:
            declarator.tail.append(item.text)
        return declarator

    def declarator_returns(self, children: Children) -> Any:
        children[0].returns = children[2]
        children[0].reach(children[2])
        return children[0]

    def pointer_to(self, children: Children) -> Any:
        pointer, declarator = children
        declarator.start = pointer.coord
        if declarator.end is None:
            declarator.end = pointer.coord
        if isinstance(pointer, tuple):
            declarator.mods.append(("::*", pointer[1], pointer[2]))
        else:
            declarator.mods.append((pointer.text, None, pointer.coord))
        return declarator

    def member_pointer(self, children: Children) -> Any:
        return MemberPointer(self.path_node(children[1]), span(children))

    def parameters(self, children: Children) -> Any:
        found = children[1] if len(children) == 3 else []
        if len(found) == 1 and is_void(found[0]):
            found = []
        return c_ast.ParamList(found, span(children))

    def parameter(self, children: Children) -> Any:
        specifiers, declarator = Specifiers(children[0]), children[1]
        default = children[3] if len(children) > 2 else None
        name = spelling(declarator.name) if declarator.name is not None else None
        made = self.wrapped(specifiers, declarator, name, declarator.mods)
        coord = specifiers.coord if declarator.end is None else specifiers.coord.to(declarator.end)
        if name is None and default is None:
            return c_ast.Typename(None, list(specifiers.quals), specifiers.align, made, coord)
        funcspec = self.own_specifiers(specifiers, declarator.mods)
        return c_ast.Decl(
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

    def own_specifiers(self, specifiers: Specifiers, mods: list[tuple[str, Any, Any]]) -> list[str]:
        """The specifiers of the object itself: an address space before a pointer belongs to what it
        points to."""
        if any(kind in ("*", "&", "&&") for kind, _, _ in mods):
            return [word for word in specifiers.funcspec if word not in ADDRESS_SPACES]
        return specifiers.funcspec

    def ellipsis_parameter(self, children: Children) -> Any:
        return c_ast.EllipsisParam(children[0].coord)
