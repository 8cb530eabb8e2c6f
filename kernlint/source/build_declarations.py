"""Building the tree of declarations: specifiers and declarators become types, declarations, functions, classes, templates.

In: the children of one reduction. Out: one node, or a list or helper for an enclosing rule.
"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from kernlint.source import tree
from kernlint.source.build_expressions import Children, ExpressionBuilder, span
from kernlint.source.names import ADDRESS_SPACES, QUALIFIER_SPELLING, STORAGE
from kernlint.source.span import Span


class Attribute:
    """`name(args)` of an attribute, `type` for `alignas(T)`."""

    __slots__ = ("args", "coord", "name")

    def __init__(self, name: str, args: Children, coord: Span) -> None:
        self.name, self.args, self.coord = name, args, coord


class Declarator:
    """A name and what is wrapped around the type, from the name outwards: ('*' | '&' | '&&' | '[]' | '()' | '...' | qualifier, …)."""

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
            elif type(item) is Attribute:
                self.attributes.append((item.name, item.args))
                if item.name == "aligned":
                    self.align += item.args
            else:
                self._sort_word(item, words)
        self.coord = span(items)
        if words:
            self.base = c_ast.IdentifierType([text for word in words for text in word.text.split()], span(words))

    def _sort_word(self, item: Any, words: Children) -> None:
        if item.type == "TYPE_WORD":
            words.append(item)
        elif item.type == "QUALIFIER":
            self.quals.append(QUALIFIER_SPELLING.get(item.text, item.text))
        elif item.type == "AUTO":
            self.base = tree.AutoType(coord=item.coord)
        elif item.type == "SPECIFIER":
            (self.storage if item.text in STORAGE else self.funcspec).append(item.text)


class DeclarationBuilder(ExpressionBuilder):
    """One method per rule or alias of the grammar's declarations."""

    # -- types

    def named_type(self, children: Children) -> Any:
        node = self.path_node(children[0])
        if type(node) is c_ast.ID:
            return c_ast.IdentifierType([node.name], node.coord)
        return node if type(node) is tree.DecltypeType else tree.NameType(node, coord=node.coord)

    def decltype_expression(self, children: Children) -> Any:
        return tree.DecltypeType(children[2], coord=span(children))

    def attribute(self, children: Children) -> Any:
        return Attribute(children[0].text, self.arguments_of(children[1]) if len(children) > 1 else [], span(children))

    def align_type(self, children: Children) -> Any:
        return Attribute("aligned", [tree.SizeofType(children[2], "alignof", coord=span(children))], span(children))

    def elaborated(self, children: Children) -> Any:
        return tree.ElaboratedType(self.path_node(children[1]), children[0].text, coord=children[0].coord.to(children[1][-1].coord))

    def append_path(self, children: Children) -> Any:
        children[0].append(self.path_node(children[1]))
        return children[0]

    def wrapped(self, specifiers: Specifiers, declarator: Declarator, name: str | None, mods: list[tuple[str, Any, Any]]) -> Any:
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
        return c_ast.Typename(None, list(sorted_specifiers.quals), sorted_specifiers.align, made, sorted_specifiers.coord)

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
        declarator.mods.append(("[]", children[2] if len(children) == 4 else None, span(children[1:])))
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
        if len(found) == 1 and _is_void(found[0]):
            found = []
        return c_ast.ParamList(found, span(children))

    def parameter(self, children: Children) -> Any:
        specifiers, declarator = Specifiers(children[0]), children[1]
        default = children[3] if len(children) > 2 else None
        name = _spelling(declarator.name) if declarator.name is not None else None
        made = self.wrapped(specifiers, declarator, name, declarator.mods)
        coord = specifiers.coord if declarator.end is None else specifiers.coord.to(declarator.end)
        if name is None and default is None:
            return c_ast.Typename(None, list(specifiers.quals), specifiers.align, made, coord)
        funcspec = self._own_specifiers(specifiers, declarator.mods)
        return c_ast.Decl(name, list(specifiers.quals), specifiers.align, specifiers.storage, funcspec, made, default, None, coord)

    def _own_specifiers(self, specifiers: Specifiers, mods: list[tuple[str, Any, Any]]) -> list[str]:
        """The specifiers of the object itself: an address space before a pointer belongs to what it points to."""
        if any(kind in ("*", "&", "&&") for kind, _, _ in mods):
            return [word for word in specifiers.funcspec if word not in ADDRESS_SPACES]
        return specifiers.funcspec

    def ellipsis_parameter(self, children: Children) -> Any:
        return c_ast.EllipsisParam(children[0].coord)

    # -- declarations

    def init_declarator(self, children: Children) -> Any:
        return children[0], children[1] if len(children) > 1 else None, None

    def bit_field(self, children: Children) -> Any:
        return children[0], children[3] if len(children) > 3 else None, children[2]

    def initial_value(self, children: Children) -> Any:
        return children[1]

    def initial_arguments(self, children: Children) -> Any:
        return tree.ConstructorInit(children[1] if len(children) == 3 else [], False, coord=span(children))

    def initial_braces(self, children: Children) -> Any:
        return tree.ConstructorInit(self.arguments_of(children[0]), True, coord=children[0].coord)

    def declaration(self, children: Children) -> Any:
        specifiers = Specifiers(children[0])
        coord = span([specifiers, children[2]])
        if len(children[1]) == 1 and _is_nothing(children[1][0]):
            return self._bare(specifiers, coord)
        made = [self._declared(specifiers, *item) for item in children[1]]
        return made[0] if len(made) == 1 else tree.DeclGroup(made, coord=coord)

    def _bare(self, specifiers: Specifiers, coord: Span) -> Any:
        """A declaration without a declarator: a class, an enumeration, or the mere announcement of one."""
        if isinstance(specifiers.base, tree.ClassDef):
            specifiers.base.align_exprs = (specifiers.base.align_exprs or []) + specifiers.align
            return specifiers.base
        if isinstance(specifiers.base, c_ast.Enum):
            return specifiers.base
        made = c_ast.TypeDecl(None, list(specifiers.quals), specifiers.align, specifiers.base, specifiers.coord)
        return c_ast.Decl(None, list(specifiers.quals), specifiers.align, specifiers.storage, specifiers.funcspec, made, None, None, coord)

    def _declared(self, specifiers: Specifiers, declarator: Declarator, initial: Any, bits: Any) -> Any:
        mods = declarator.mods
        coord = specifiers.coord
        end = initial.coord if initial is not None else declarator.end
        coord = coord.to(end) if end is not None else coord
        if mods and mods[0][0] == "()" and "typedef" not in specifiers.storage:
            return self.function_node(specifiers, declarator, None, [], coord)
        name = _spelling(declarator.name) if declarator.name is not None else None
        made = self.wrapped(specifiers, declarator, name, mods)
        align = specifiers.align + [arg for item in declarator.attributes if item.name == "aligned" for arg in item.args]
        if "typedef" in specifiers.storage:
            return c_ast.Typedef(name, list(specifiers.quals), list(specifiers.storage), made, coord)
        funcspec = list(self._own_specifiers(specifiers, mods))
        return c_ast.Decl(name, list(specifiers.quals), align, list(specifiers.storage), funcspec, made, initial, bits, coord)

    def structured_binding(self, children: Children) -> Any:
        has_reference = len(children) == 7
        names = [word.text for word in children[3 if has_reference else 2]]
        specifiers = Specifiers(children[0])
        reference = children[1].text if has_reference else ""
        return tree.StructuredBinding(children[-2], names, specifiers.quals, reference, coord=span([specifiers, children[-1]]))

    # -- functions

    def function_node(self, specifiers: Specifiers, declarator: Declarator, body: Any, inits: Children, coord: Span) -> Any:
        mods = declarator.mods
        parameters = mods[0][1]
        returned: Any = None
        if declarator.returns is not None:
            returned = declarator.returns.type
        elif specifiers.base is not None:
            returned = self.wrapped(specifiers, declarator, _spelling(declarator.name), mods[1:])
        attributes = specifiers.attributes + [(item.name, item.args) for item in declarator.attributes]
        return tree.Function(
            declarator.name,
            c_ast.FuncDecl(parameters, returned, parameters.coord),
            inits,
            specifiers.storage + specifiers.funcspec,
            [word for word in declarator.tail if word != "try"],
            False,
            body,
            attributes,
            declarator.returns is not None,
            coord=coord,
        )

    def function(self, children: Children) -> Any:
        specifiers, declarator = Specifiers(children[0]), children[1]
        body, inits, end = children[2]
        coord = specifiers.coord.to(end)
        if not declarator.mods or declarator.mods[0][0] != "()":
            return c_ast.Decl(
                _spelling(declarator.name), specifiers.quals, specifiers.align, specifiers.storage, specifiers.funcspec,
                self.wrapped(specifiers, declarator, _spelling(declarator.name), declarator.mods), None, None, coord,
            )  # fmt: skip
        return self.function_node(specifiers, declarator, body, inits, coord)

    def function_body(self, children: Children) -> Any:
        return self.lazy_body(children[0]), [], children[0].coord

    def lazy_body(self, terminal: Any) -> Any:
        raise NotImplementedError

    def function_deleted(self, children: Children) -> Any:
        return None, [], children[1].coord

    def function_with_inits(self, children: Children) -> Any:
        return self.lazy_body(children[2]), children[1], children[2].coord

    def member_init(self, children: Children) -> Any:
        coord = children[0][0].coord.to(children[-1].coord)
        return tree.MemberInit(self.path_node(children[0]), self.arguments_of(children[1]), coord=coord)

    # -- classes and enumerations

    def class_definition(self, children: Children) -> Any:
        head = children[0]
        bases = children[2] if len(children) == 6 else []
        name = next((item for item in head[1:] if isinstance(item, c_ast.Node)), None)
        align = [arg for item in head[1:] if type(item) is Attribute and item.name == "aligned" for arg in item.args]
        if type(name) is c_ast.ID:
            name = name.name
        return tree.ClassDef(bases, children[-2], head[0].text, name, align, coord=head[0].coord.to(children[-1].coord))

    def access_label(self, children: Children) -> Any:
        return tree.AccessLabel(children[0].text, coord=span(children))

    def friend(self, children: Children) -> Any:
        return tree.Friend(None, coord=children[0].coord)

    def enum_definition(self, children: Children) -> Any:
        head, body = children[0], children[-1]
        name = next((_spelling(item) for item in head[1:] if isinstance(item, c_ast.Node)), None)
        is_scoped = any(getattr(item, "type", "") == "CLASS_KEY" for item in head[1:])
        underlying = children[2] if len(children) == 4 else None
        made = tree.Enum(name, body, underlying, head[0].coord.to(body.coord))
        made.is_scoped = is_scoped
        return made

    def enum_body(self, children: Children) -> Any:
        return c_ast.EnumeratorList(children[1] if len(children) > 2 else [], span(children))

    def enumerator(self, children: Children) -> Any:
        return c_ast.Enumerator(children[0].text, children[2] if len(children) > 1 else None, span(children))

    # -- templates and using

    def template(self, children: Children) -> Any:
        return tree.TemplateDecl(children[2], children[4], False, False, coord=span(children))

    def template_specialisation(self, children: Children) -> Any:
        declared = children[3]
        if isinstance(declared, tree.Function):
            declared.is_template_specialization = True
        return tree.TemplateDecl([], declared, True, False, coord=span(children))

    def template_instantiation(self, children: Children) -> Any:
        return tree.TemplateDecl([], children[1], False, True, coord=span(children))

    def type_parameter(self, children: Children) -> Any:
        head = children[0]
        default = children[2] if len(children) == 3 else None
        inner = head[0] if isinstance(head[0], list) else None
        words = [item for item in head if not isinstance(item, list)]
        name = next((word.text for word in words if word.type == "NAME"), "")
        is_pack = any(word.type == "PACK" for word in words)
        coord = words[0].coord.to(default.coord if default is not None else words[-1].coord)
        return tree.TemplateParam(None, default, inner, "type" if inner is None else "template", name, is_pack, coord=coord)

    def template_parameter(self, children: Children) -> Any:
        return [children[2], *children[4]]

    def value_parameter(self, children: Children) -> Any:
        found = children[0]
        name, default = getattr(found, "name", None), getattr(found, "init", None)
        made = found.type
        is_pack = isinstance(made, tree.PackExpansion)
        if is_pack:
            made = made.pattern
        return tree.TemplateParam(made, default, None, "value", name or "", is_pack, coord=found.coord)

    def using_namespace(self, children: Children) -> Any:
        return tree.Using(self.path_node(children[2]), None, None, True, coord=span(children))

    def using_name(self, children: Children) -> Any:
        return tree.Using(self.path_node(children[1]), None, None, False, coord=span(children))

    def using_alias(self, children: Children) -> Any:
        return tree.Using(None, children[-2], children[1].text, False, coord=span(children))

    def namespace_alias(self, children: Children) -> Any:
        return tree.NamespaceAlias(self.path_node(children[3]), children[1].text, coord=span(children))

    def static_assertion(self, children: Children) -> Any:
        arguments = children[2]
        return c_ast.StaticAssert(arguments[0], arguments[1] if len(arguments) > 1 else None, span(children))


class MemberPointer(tuple[str, Any, Span]):
    """`C::*` in front of a declarator."""

    __slots__ = ()

    def __new__(cls, owner: Any, coord: Span) -> MemberPointer:
        return super().__new__(cls, ("::*", owner, coord))

    @property
    def coord(self) -> Span:
        return self[2]


def _spelling(name: Any) -> str:
    """A declared name as one word: `A::b` for a qualified one."""
    if isinstance(name, tree.QualifiedName):
        return "::".join(_spelling(part) for part in name.parts)
    if isinstance(name, tree.OperatorName):
        return f"operator{name.op}"
    if isinstance(name, tree.DestructorName):
        return f"~{name.name}"
    return str(name.name) if name is not None else ""


def _is_nothing(item: tuple[Declarator, Any, Any]) -> bool:
    declarator, initial, bits = item
    return declarator.name is None and not declarator.mods and initial is None and bits is None


def _is_void(parameter: Any) -> bool:
    made = parameter.type if isinstance(parameter, c_ast.Typename) else None
    return isinstance(made, c_ast.TypeDecl) and isinstance(made.type, c_ast.IdentifierType) and made.type.names == ["void"]
