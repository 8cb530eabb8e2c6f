"""Building the tree of declarations: variables, functions, classes, enumerations, templates.

In: the children of one reduction. Out: one node, or a list or helper for an enclosing rule.
"""

from __future__ import annotations

from kernlint.base.span import Span
from kernlint.source.parser import tree
from kernlint.source.parser.build_declarators import (
    Attribute,
    Declarator,
    DeclaratorBuilder,
    Initialised,
    Specifiers,
    is_nothing,
    spelling,
)
from kernlint.source.parser.build_expressions import Children, T, span
from kernlint.source.parser.terminals import BodyTerminal

# the body, a constructor's initialisers, the words after `=`
End = tuple[tree.Body | None, list[tree.MemberInit], list[str]]
Variable = tree.Decl | tree.Typedef | tree.Function  # what a declarator declares


class DeclarationBuilder(DeclaratorBuilder):
    """One method per rule or alias of the grammar's declarations."""

    # -- declarations

    def init_declarator(self, children: Children) -> Initialised:
        return children[0], children[1] if len(children) > 1 else None, None

    def bit_field(self, children: Children) -> Initialised:
        return children[0], children[3] if len(children) > 3 else None, children[2]

    def initial_value(self, children: list[T]) -> T:
        return children[1]

    def initial_arguments(self, children: Children) -> tree.ConstructorInit:
        return tree.ConstructorInit(
            children[1] if len(children) == 3 else [], False, coord=span(children)
        )

    def initial_braces(self, children: Children) -> tree.ConstructorInit:
        return tree.ConstructorInit(self.arguments_of(children[0]), True, coord=children[0].coord)

    def declaration(self, children: Children) -> tree.Declaration:
        specifiers = Specifiers(children[0])
        coord = span([specifiers, children[2]])
        if len(children[1]) == 1 and is_nothing(children[1][0]):
            return self._bare(specifiers, coord)
        made: list[tree.Declaration] = [self._declared(specifiers, *item) for item in children[1]]
        return made[0] if len(made) == 1 else tree.DeclGroup(made, coord=coord)

    def _bare(self, specifiers: Specifiers, coord: Span) -> tree.Declaration:
        """A declaration without a declarator: a class, an enumeration, or the mere announcement of
        one."""
        if isinstance(specifiers.base, (tree.ClassDef, tree.Enum)):
            return specifiers.base
        made = tree.TypeDecl(
            None, list(specifiers.quals), specifiers.align, specifiers.base, specifiers.coord
        )
        return tree.Decl(
            None,
            list(specifiers.quals),
            specifiers.align,
            specifiers.storage,
            specifiers.funcspec,
            made,
            None,
            None,
            coord,
        )

    def _declared(
        self,
        specifiers: Specifiers,
        declarator: Declarator,
        initial: tree.Expr | None,
        bits: tree.Expr | None,
    ) -> Variable:
        mods = declarator.mods
        coord = specifiers.coord
        end = initial.coord if initial is not None else declarator.end
        coord = coord.to(end) if end is not None else coord
        if mods and mods[0][0] == "()" and "typedef" not in specifiers.storage:
            return self.function_node(specifiers, declarator, (None, [], []), coord)
        name = spelling(declarator.name) if declarator.name is not None else None
        made = self.wrapped(specifiers, declarator, name, mods)
        align = specifiers.align + [
            arg for item in declarator.attributes for arg in item.alignment()
        ]
        if "typedef" in specifiers.storage:
            if isinstance(made, tree.TypeDecl):
                made.align = align
            return tree.Typedef(name, list(specifiers.quals), list(specifiers.storage), made, coord)
        funcspec = list(self.own_specifiers(specifiers, mods))
        if any(
            name == "packed"
            for name in [n for n, _ in specifiers.attributes]
            + [item.name for item in declarator.attributes]
        ):
            funcspec.append("packed")
        named = (
            declarator.name.parts[-1]
            if isinstance(declarator.name, tree.QualifiedName)
            else declarator.name
        )
        return tree.Decl(
            name,
            list(specifiers.quals),
            align,
            list(specifiers.storage),
            funcspec,
            made,
            initial,
            bits,
            coord,
            template_name=declarator.name if isinstance(named, tree.TemplateId) else None,
        )

    def structured_binding(self, children: Children) -> tree.StructuredBinding:
        has_reference = len(children) == 7
        names = [word.text for word in children[3 if has_reference else 2]]
        specifiers = Specifiers(children[0])
        reference = children[1].text if has_reference else ""
        return tree.StructuredBinding(
            children[-2], names, specifiers.quals, reference, coord=span([specifiers, children[-1]])
        )

    # -- functions

    def function_node(
        self,
        specifiers: Specifiers,
        declarator: Declarator,
        end: End,
        coord: Span,
    ) -> tree.Function:
        body, inits, said = end
        mods = declarator.mods
        parameters = mods[0][1]
        returned: tree.TypeNode | None = None
        if declarator.returns is not None:
            returned = declarator.returns.type
        elif specifiers.base is not None:
            returned = self.wrapped(specifiers, declarator, spelling(declarator.name), mods[1:])
        attributes = specifiers.attributes + [
            (item.name, item.args) for item in declarator.attributes
        ]
        return tree.Function(
            declarator.name or tree.ID("", coord),
            tree.FuncDecl(parameters, returned, parameters.coord),
            inits,
            specifiers.storage + specifiers.funcspec,
            [word for word in declarator.tail if word != "try"] + said,
            body,
            attributes,
            coord=coord,
        )

    def function(self, children: Children) -> tree.Function | tree.Decl:
        specifiers = Specifiers(children[0])
        declarator: Declarator = children[1]
        end, last = children[2]
        coord = specifiers.coord.to(last)
        if not declarator.mods or declarator.mods[0][0] != "()":
            return tree.Decl(
                spelling(declarator.name), specifiers.quals, specifiers.align, specifiers.storage, specifiers.funcspec,
                self.wrapped(specifiers, declarator, spelling(declarator.name), declarator.mods), None, None, coord,
            )  # fmt: skip
        return self.function_node(specifiers, declarator, end, coord)

    def function_body(self, children: Children) -> tuple[End, Span]:
        return (self.lazy_body(children[0]), [], []), children[0].coord

    def lazy_body(self, terminal: BodyTerminal) -> tree.Body:
        raise NotImplementedError

    def function_deleted(self, children: Children) -> tuple[End, Span]:
        return (None, [], [children[1].text]), children[1].coord

    def function_with_inits(self, children: Children) -> tuple[End, Span]:
        return (self.lazy_body(children[2]), children[1], []), children[2].coord

    def member_init(self, children: Children) -> tree.MemberInit:
        coord = children[0][0].coord.to(children[-1].coord)
        return tree.MemberInit(
            self.path_node(children[0]), self.arguments_of(children[1]), coord=coord
        )

    # -- classes and enumerations

    def class_definition(self, children: Children) -> tree.ClassDef:
        head = children[0]
        bases = children[2] if len(children) == 6 else []
        name = next((item for item in head[1:] if isinstance(item, tree.Name)), None)
        attributes = [item for item in head[1:] if type(item) is Attribute]
        align = [arg for item in attributes for arg in item.alignment()]
        is_packed = any(item.name == "packed" for item in attributes)
        pack = next(
            (int(item.name.split()[1]) for item in attributes if item.name.startswith("pack ")),
            None,
        )
        return tree.ClassDef(
            bases,
            children[-2],
            head[0].text,
            name.name if isinstance(name, tree.ID) else name,
            align,
            is_packed,
            pack,
            coord=head[0].coord.to(children[-1].coord),
        )

    def access_label(self, children: Children) -> tree.AccessLabel:
        return tree.AccessLabel(children[0].text, coord=span(children))

    def friend(self, children: Children) -> tree.Friend:
        return tree.Friend(children[0].coord)

    def enum_definition(self, children: Children) -> tree.Enum:
        head, body = children[0], children[-1]
        name = next((spelling(item) for item in head[1:] if isinstance(item, tree.Name)), None)
        is_scoped = any(getattr(item, "type", "") == "CLASS_KEY" for item in head[1:])
        underlying = children[2] if len(children) == 4 else None
        return tree.Enum(name, body, underlying, is_scoped, head[0].coord.to(body.coord))

    def enum_body(self, children: Children) -> tree.EnumeratorList:
        return tree.EnumeratorList(children[1] if len(children) > 2 else [], span(children))

    def enumerator(self, children: Children) -> tree.Enumerator:
        return tree.Enumerator(
            children[0].text, children[2] if len(children) > 1 else None, span(children)
        )

    # -- templates and using

    def template(self, children: Children) -> tree.TemplateDecl:
        return tree.TemplateDecl(children[2], children[4], False, False, coord=span(children))

    def template_requiring(self, children: Children) -> tree.TemplateDecl:
        children[2][-1].condition = children[5].exprs[0]
        return tree.TemplateDecl(children[2], children[6], False, False, coord=span(children))

    def template_specialisation(self, children: Children) -> tree.TemplateDecl:
        return tree.TemplateDecl([], children[3], True, False, coord=span(children))

    def template_instantiation(self, children: Children) -> tree.TemplateDecl:
        return tree.TemplateDecl([], children[1], False, True, coord=span(children))

    def template_promise(self, children: Children) -> tree.TemplateDecl:
        return tree.TemplateDecl(
            [], children[2], False, False, span(children), is_instantiation_declaration=True
        )

    def type_parameter(self, children: Children) -> tree.TemplateParam:
        head = children[0]
        default = children[2] if len(children) == 3 else None
        inner = head[0] if isinstance(head[0], list) else None
        constraint = head[0] if isinstance(head[0], tree.Name) else None
        words = [item for item in head if not isinstance(item, (list, tree.Name))]
        name = next((word.text for word in words if word.type == "NAME"), "")
        is_pack = any(word.type == "PACK" for word in words)
        coord = words[0].coord.to(default.coord if default is not None else words[-1].coord)
        return tree.TemplateParam(
            None,
            default,
            inner,
            "type" if inner is None else "template",
            name,
            is_pack,
            coord=coord,
            constraint=constraint,
        )

    def constrained_parameter(self, children: Children) -> Children:
        return [self.path_node(children[1]), children[2]]

    def template_parameter(self, children: Children) -> Children:
        return [children[2], *children[4]]

    def value_parameter(self, children: Children) -> tree.TemplateParam:
        found = children[0]
        name, default = getattr(found, "name", None), getattr(found, "init", None)
        made = found.type
        is_pack = isinstance(made, tree.PackExpansion)
        if is_pack:
            made = made.pattern
        return tree.TemplateParam(
            made, default, None, "value", name or "", is_pack, coord=found.coord
        )

    def using_namespace(self, children: Children) -> tree.Using:
        return tree.Using(self.path_node(children[2]), None, None, True, coord=span(children))

    def using_names(self, children: Children) -> tree.Declaration:
        """A pack `Bases::f...` is the name alone: a class looks into its bases for it."""
        coord = span(children)
        made: list[tree.Declaration] = [
            tree.Using(self.path_node(name), None, None, False, coord=coord) for name in children[1]
        ]
        return made[0] if len(made) == 1 else tree.DeclGroup(made, coord)

    def using_enumeration(self, children: Children) -> tree.Using:
        name = self.path_node(children[2])
        return tree.Using(name, None, None, False, span(children), is_enum=True)

    def using_alias(self, children: Children) -> tree.Using:
        return tree.Using(None, children[-2], children[1].text, False, coord=span(children))

    def namespace_alias(self, children: Children) -> tree.NamespaceAlias:
        return tree.NamespaceAlias(
            self.path_node(children[3]), children[1].text, coord=span(children)
        )

    def static_assertion(self, children: Children) -> tree.StaticAssert:
        arguments = children[2]
        return tree.StaticAssert(
            arguments[0], arguments[1] if len(arguments) > 1 else None, span(children)
        )
