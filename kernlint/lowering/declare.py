"""Finding declarations: fills scopes with what a translation unit, namespace or class body
declares.

In: declaration nodes. Out: entities in a Scope, and the functions found, in order. Bodies stay
unparsed and types unresolved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

from kernlint.lowering.declared_names import (
    function_name,
    last_part,
    lookup_path,
    name_parts,
    owner,
)
from kernlint.lowering.expressions.values import Qualified
from kernlint.lowering.scopes import (
    AliasTemplate,
    ClassInfo,
    ClassTemplate,
    Entity,
    EnumEntity,
    FieldEntity,
    FunctionEntity,
    FunctionSet,
    GlobalVariable,
    MissingNamespace,
    NamespaceEntity,
    Scope,
    TypeEntity,
    VariableTemplate,
)  # fmt: skip
from kernlint.lowering.types.layout import known_type
from kernlint.source.parser import tree
from kernlint.source.parser.names import FRIEND


def namespace_name(node: tree.Namespace) -> str:
    """What a scope calls a namespace: those of one scope that have no name are one namespace."""
    return node.name or "<anonymous>"


class Declarations:
    """What was found on the way, in source order: every function with its entity, explicit
    instantiations (`template void f<1>();`) and those that another file has (`extern template void
    f<1>();`)."""

    def __init__(self) -> None:
        self.functions: list[FunctionEntity] = []
        self.explicit_instantiations: list[tuple[tree.Declaration, Scope]] = []
        self.instantiated_elsewhere: list[tuple[tree.Declaration, Scope]] = []

    def collect(self, nodes: Iterable[tree.Node], scope: Scope) -> None:
        for node in nodes:
            self.declare(node, scope)

    def declare(self, node: tree.Node, scope: Scope) -> None:
        """Enter one declaration into `scope`; nodes that declare no name are passed over."""
        handler = _DECLARED_BY.get(type(node))
        if handler is not None:
            handler(self, node, scope)

    def _group(self, node: tree.ExternBlock | tree.DeclGroup, scope: Scope) -> None:
        self.collect(node.decls, scope)

    def _typedef(self, node: tree.Typedef, scope: Scope) -> None:
        self._embedded(node.type, scope)
        if node.name is None or _tag(node.type) == node.name:
            return  # `typedef struct S {…} S;` names the class once more
        is_aligned = isinstance(node.type, tree.TypeDecl) and bool(node.type.align)
        scope.names[node.name] = TypeEntity(node if is_aligned else node.type, scope)

    def _namespace(self, node: tree.Namespace, scope: Scope) -> None:
        known = scope.names.get(namespace_name(node))
        if isinstance(known, NamespaceEntity):
            inner = known.scope
        else:
            inner = Scope(scope, "namespace", node.name)
            scope.names[namespace_name(node)] = NamespaceEntity(inner)
            if not node.name or node.is_inline:
                scope.using.append(inner)
        self.collect(node.decls, inner)

    def _function(
        self,
        node: tree.Function,
        scope: Scope,
        parameters: tuple[tree.TemplateParam, ...] | None = None,
    ) -> None:
        name, target = node.name, scope
        if isinstance(name, tree.QualifiedName):
            owners = name_parts(name)[:-1]  # none for `void ::f()`
            entity = lookup_path(owners, scope) if owners else None
            if isinstance(entity, NamespaceEntity):
                target = entity.scope
            elif isinstance(entity, (TypeEntity, ClassTemplate)):
                self._out_of_class(node, _class_of(entity, name.parts[-2]), parameters)
                return
            name = name.parts[-1]
        entry = FunctionEntity(function_name(name), node, target, parameters)
        if not entry.name and _guides(entry):
            return
        if isinstance(name, tree.TemplateId):
            entry.bound = tuple(name.args)
        self.functions.append(entry)
        add_function(target, entry)

    def _out_of_class(
        self,
        node: tree.Function,
        class_node: tree.Node | None,
        parameters: tuple[tree.TemplateParam, ...] | None,
    ) -> None:
        """`R C::f(…) {…}`: the definition replaces the declaration inside the class."""
        if not isinstance(class_node, tree.ClassDef):
            return
        meant = _declared(node, class_node)
        if meant is None:
            return
        i, member, inner = meant
        inner.lazy_body, inner.initializers = node.lazy_body, node.initializers
        if isinstance(member, tree.TemplateDecl) and parameters:
            class_node.members[i] = tree.TemplateDecl(
                member.params, inner, False, False, coord=member.coord
            )
        inner.type = node.type if not isinstance(member, tree.TemplateDecl) else inner.type

    def _template(self, node: tree.TemplateDecl, scope: Scope) -> None:
        declared, parameters = node.decl, tuple(node.params)
        while isinstance(declared, tree.TemplateDecl):
            parameters = (*parameters, *declared.params)
            declared = declared.decl
        if node.is_explicit_instantiation:
            self.explicit_instantiations.append((declared, scope))
        elif node.is_instantiation_declaration:
            self.instantiated_elsewhere.append((declared, scope))
        elif node.is_explicit_specialization and isinstance(declared, tree.Function):
            self._specialise_function(declared, scope)
        elif (handler := _TEMPLATE_DECLARED_BY.get(type(declared))) is not None:
            handler(self, declared, parameters, scope)

    def _function_template(
        self, node: tree.Function, parameters: tuple[tree.TemplateParam, ...], scope: Scope
    ) -> None:
        self._function(node, scope, parameters)

    def _specialise_function(self, node: tree.Function, scope: Scope) -> None:
        name = node.name.parts[-1] if isinstance(node.name, tree.QualifiedName) else node.name
        arguments = tuple(name.args) if isinstance(name, tree.TemplateId) else ()
        found = scope.find(function_name(name))
        if isinstance(found, FunctionSet):
            for overload in found.overloads:
                if overload.parameters is not None and len(parameter_list(overload.node)) == len(
                    parameter_list(node)
                ):
                    overload.specialisations.append((arguments, node, scope))
        self.functions.append(
            FunctionEntity(function_name(name), node, scope, None, None, [], arguments)
        )

    def _declaration(self, node: tree.Decl, scope: Scope) -> None:
        self._embedded(node.type, scope)
        inner = node.type
        if isinstance(inner, tree.FuncDecl):
            return
        if node.name and "::" in node.name:
            self._defined_outside(node, scope)
        if node.name:
            previous = scope.names.get(node.name)
            if not (
                isinstance(previous, GlobalVariable)
                and node.init is None
                and previous.node.init is not None
            ):
                scope.names[node.name] = GlobalVariable(node, scope)

    def _defined_outside(self, node: tree.Decl, scope: Scope) -> None:
        """`int C::n = 5;`: the declaration inside the class or namespace gets the initial value."""
        *owners, name = (node.name or "").split("::")
        entity = lookup_path(owners, scope) if all(owners) else None
        declared: tree.Node | None = None
        if isinstance(entity, NamespaceEntity):
            found = entity.scope.names.get(name)
            declared = found.node if isinstance(found, GlobalVariable) else None
        elif isinstance(entity, TypeEntity) and isinstance(entity.node, tree.ClassDef):
            own = (m for m in entity.node.members if isinstance(m, tree.Decl) and m.name == name)
            declared = next(own, None)
        if isinstance(declared, tree.Decl) and declared.init is None:
            declared.init = node.init

    def _embedded(self, node: tree.Node | None, scope: Scope) -> None:
        """A class or enum defined inside a declaration: `struct S {…} s;`, `typedef enum {…}
        E;`."""
        while isinstance(node, (tree.TypeDecl, tree.PtrDecl, tree.ArrayDecl, tree.RefDecl)):
            node = node.type
        if isinstance(node, tree.ClassDef) and isinstance(node.name, str):
            declare_class(node, scope)
        elif isinstance(node, tree.Enum):
            declare_enum(node, scope)

    def _using(self, node: tree.Using, scope: Scope) -> None:
        if node.alias and node.type is not None:
            scope.names[node.alias] = TypeEntity(node.type, scope.before(node.alias, node.type))
            return
        found = lookup_path(name_parts(node.name), scope)
        if node.is_enum:
            _use_enumerators(_enumeration(name_parts(node.name), scope), scope)
        elif node.is_namespace:
            if isinstance(found, NamespaceEntity) and found.scope is not scope:
                scope.using.append(found.scope)
        elif isinstance(found, FunctionSet) and scope.kind == "class":
            pass  # `types.classes` draws in what its bases have
        elif found is not None:
            scope.names.setdefault(name_parts(node.name)[-1], found)
        else:  # `using E::a;`, `using ::float4;`
            *of, name = name_parts(node.name)
            built_in = known_type(name, "cuda") if of in ([], [""]) else None
            if built_in is not None:
                known = Qualified(built_in)
                scope.names.setdefault(name, TypeEntity(None, scope, known))
            _use_enumerators(_enumeration(of, scope) if of else None, scope, name)


def _enumeration(parts: list[str], scope: Scope) -> TypeEntity | None:
    """The enumeration of that name, one that a class declares included."""
    found: Entity | None = scope.find(parts[0])
    for part in parts[1:]:
        if isinstance(found, NamespaceEntity):
            found = found.scope.member(part)
        elif isinstance(found, TypeEntity) and isinstance(found.node, tree.ClassDef):
            members = [m for m in found.node.members if isinstance(m, tree.Enum) and m.name == part]
            found = TypeEntity(members[0], found.scope) if members else None
        else:
            return None
    return found if isinstance(found, TypeEntity) and isinstance(found.node, tree.Enum) else None


def _use_enumerators(found: TypeEntity | None, scope: Scope, only: str = "") -> None:
    """Enumerators under their own names, all or one."""
    if found is None or not isinstance(found.node, tree.Enum):
        return
    for one in found.node.values.enumerators:
        if not only or one.name == only:
            scope.names.setdefault(one.name, EnumEntity(found.node, found.scope, one.name))


def _namespace_alias(declarations: Declarations, node: tree.NamespaceAlias, scope: Scope) -> None:
    found = lookup_path(name_parts(node.name), scope)
    if isinstance(found, NamespaceEntity):
        scope.names[node.alias] = found
    elif found is None:
        first, *rest = name_parts(node.name)
        outer = scope.find(first)
        path = outer.path if isinstance(outer, MissingNamespace) else (first,)
        scope.names[node.alias] = MissingNamespace((*path, *rest))


# each takes the class that it stands under
_DECLARED_BY: dict[type[tree.Node], Callable[[Declarations, Any, Scope], None]] = {
    tree.Function: Declarations._function,
    tree.TemplateDecl: Declarations._template,
    tree.Namespace: Declarations._namespace,
    tree.ExternBlock: Declarations._group,
    tree.DeclGroup: Declarations._group,
    tree.ClassDef: lambda _, node, scope: declare_class(node, scope),
    tree.Decl: Declarations._declaration,
    tree.Typedef: Declarations._typedef,
    tree.Enum: lambda _, node, scope: declare_enum(node, scope),
    tree.Using: Declarations._using,
    tree.NamespaceAlias: _namespace_alias,
}


def _alias_template(
    declarations: Declarations,
    node: tree.Using,
    parameters: tuple[tree.TemplateParam, ...],
    scope: Scope,
) -> None:
    if node.alias is not None:
        scope.names[node.alias] = AliasTemplate(node.alias, parameters, node.type, scope)


def _declared_template(
    declarations: Declarations,
    node: tree.Decl,
    parameters: tuple[tree.TemplateParam, ...],
    scope: Scope,
) -> None:
    """A variable template, or a class template that is only declared."""
    if node.name is not None:
        _variable_template(node, parameters, scope)
    elif _forward(node.type):
        _forward_template(_forward(node.type), parameters, scope)


_TEMPLATE_DECLARED_BY: dict[
    type[tree.Node], Callable[[Declarations, Any, tuple[tree.TemplateParam, ...], Scope], None]
] = {
    tree.Function: Declarations._function_template,
    tree.ClassDef: lambda _, node, parameters, scope: _class_template(node, parameters, scope),
    tree.Using: _alias_template,
    tree.Decl: _declared_template,
}


def _declared(
    node: tree.Function, class_node: tree.ClassDef
) -> tuple[int, tree.Declaration, tree.Function] | None:
    """The member that a definition outside the class is of: (its place, the member, the function).
    Of several without a body, the one with parameters of the same spelling; what is `= default` or
    `= delete` has none to come."""
    wanted, parameters = function_name(node.name), parameter_list(node)
    found = []
    for i, member in enumerate(class_node.members):
        inner = member.decl if isinstance(member, tree.TemplateDecl) else member
        if not isinstance(inner, tree.Function) or inner.lazy_body is not None:
            continue
        if {"default", "delete"} & set(inner.quals) or function_name(inner.name) != wanted:
            continue
        if len(parameter_list(inner)) == len(parameters):
            found.append((i, member, inner))
    spelled = _parameter_spellings(node)
    alike = (one for one in found if _parameter_spellings(one[2]) == spelled)
    return next(alike, found[0] if found else None)


def _tag(node: tree.TypeNode) -> str:
    """The class or enumeration name that a typedef's type spells directly; "" for anything else."""
    inner = node.type if isinstance(node, tree.TypeDecl) else node
    if isinstance(inner, (tree.ClassDef, tree.Enum)):
        return inner.name if isinstance(inner.name, str) else ""
    return function_name(inner.name) if isinstance(inner, tree.ElaboratedType) else ""


def _forward(node: tree.TypeNode) -> str:
    """The name in `struct S` where a declaration declares nothing else; "" for anything else."""
    inner = node.type if isinstance(node, tree.TypeDecl) else None
    return function_name(inner.name) if isinstance(inner, tree.ElaboratedType) else ""


def _forward_template(name: str, parameters: tuple[tree.TemplateParam, ...], scope: Scope) -> None:
    """`template <typename T> struct S;`: specialisations may be all that ever is defined."""
    known = scope.names.get(name)
    if isinstance(known, ClassTemplate):
        if known.node is None:
            known.parameters = merge_defaults(known.parameters, parameters)
        else:  # the definition may be a header's, which other files read too
            known.parameters = merge_defaults(
                parameters, tuple(copy(parameter) for parameter in known.parameters)
            )
    else:
        scope.names[name] = ClassTemplate(name, parameters, None, scope)


def _class_template(
    node: tree.ClassDef, parameters: tuple[tree.TemplateParam, ...], scope: Scope
) -> None:
    scope_of = owner(node.name, scope)
    if scope_of is None:
        return
    last = last_part(node.name)
    name = function_name(last)
    known = scope_of.names.get(name)
    template = (
        known
        if isinstance(known, ClassTemplate)
        else ClassTemplate(name, parameters, None, scope_of)
    )
    scope_of.names[name] = template
    if isinstance(last, tree.TemplateId):
        template.specialisations.append((parameters, tuple(last.args), node, scope_of))
    else:
        template.node = node
        template.parameters = merge_defaults(template.parameters, parameters)


def _variable_template(
    node: tree.Decl, parameters: tuple[tree.TemplateParam, ...], scope: Scope
) -> None:
    whole = node.template_name or node.name
    scope_of = owner(whole, scope)
    if scope_of is None:
        return
    last = last_part(whole)
    name = function_name(last)
    if isinstance(last, tree.TemplateId):
        known = scope_of.names.get(name)
        if isinstance(known, VariableTemplate):
            known.specialisations.append((parameters, tuple(last.args), node, scope_of))
    else:
        scope_of.names[name] = VariableTemplate(name, parameters, node, scope_of)


def merge_defaults(
    first: tuple[tree.TemplateParam, ...], second: tuple[tree.TemplateParam, ...]
) -> tuple[tree.TemplateParam, ...]:
    """Template parameters of a redeclaration; default arguments may stand on either."""
    for earlier, later in zip(first, second, strict=False):
        if later.default is None and earlier is not later:
            later.default = earlier.default
    return second


def declare_class(node: tree.ClassDef, scope: Scope) -> None:
    """Enter a class definition, or a specialisation."""
    if isinstance(node.name, tree.TemplateId):
        _class_template(node, (), scope)
    elif isinstance(node.name, str) and node.name:
        scope.names[node.name] = TypeEntity(node, scope)


def declare_enum(node: tree.Enum, scope: Scope) -> None:
    if node.name:
        scope.names[node.name] = TypeEntity(node, scope)
    if not node.is_scoped:
        for enumerator in node.values.enumerators:
            scope.names[enumerator.name] = EnumEntity(node, scope, enumerator.name)


def declare_members(info: ClassInfo, declarations: Declarations) -> None:
    """Enter what a class body declares into the class's scope."""
    scope = info.scope
    for member in info.node.members:
        parameters: tuple[tree.TemplateParam, ...] | None = None
        inner = member
        if isinstance(member, tree.TemplateDecl):
            parameters, inner = tuple(member.params), member.decl
        if isinstance(inner, tree.Function) and FRIEND in inner.specifiers:
            _hidden_friend(inner, info, parameters)
        elif isinstance(inner, tree.Function):
            _method(inner, info, parameters)
        elif isinstance(inner, tree.Decl) and parameters is None:
            _data_member(inner, info, declarations)
        elif isinstance(inner, tree.DeclGroup):
            for one in inner.decls:
                if isinstance(one, tree.Decl):
                    _data_member(one, info, declarations)
                else:
                    declarations.declare(one, scope)
        elif isinstance(member, tree.ClassDef) and not member.name:
            for name in anonymous_names(member):
                scope.names[name] = FieldEntity(name, info)
        else:
            declarations.declare(member, scope)


def _guides(entry: FunctionEntity) -> bool:
    """Whether a function without a name is a deduction guide, `View(T *, int) -> View<T>;`, which
    goes to the class template that it gives."""
    result: tree.Node | None = entry.node.type.type
    while isinstance(result, (tree.TypeDecl, tree.NameType)):
        result = result.type if isinstance(result, tree.TypeDecl) else result.name
    found = entry.scope.names.get(function_name(result)) if isinstance(result, tree.Name) else None
    if isinstance(found, ClassTemplate):
        found.guides.append(entry)
    return isinstance(found, ClassTemplate)


def is_constructor_of(node: tree.Function, name: str) -> bool:
    """Whether a member function is a constructor of the class of that name."""
    return isinstance(node.name, tree.ID) and (node.type.type is None or node.name.name == name)


def _method(
    node: tree.Function, info: ClassInfo, parameters: tuple[tree.TemplateParam, ...] | None
) -> None:
    entry = FunctionEntity(function_name(node.name), node, info.scope, parameters, info)
    if isinstance(node.name, tree.OperatorName) and node.name.type is not None:
        info.conversions.append(entry)
    elif isinstance(node.name, tree.DestructorName):
        info.destructor = node
    elif node.type.type is None or entry.name == info.node_name():
        info.constructors.append(entry)
    else:
        add_function(info.scope, entry)


def _hidden_friend(
    node: tree.Function, info: ClassInfo, parameters: tuple[tree.TemplateParam, ...] | None
) -> None:
    """A friend that a class defines: a function of the namespace around it, of every instance of a
    class template another, which sees the class's names."""
    around = info.scope
    while around.parent is not None and around.kind != "namespace":
        around = around.parent
    add_function(around, FunctionEntity(function_name(node.name), node, info.scope, parameters))


def _data_member(node: tree.Decl, info: ClassInfo, declarations: Declarations) -> None:
    if "static" in node.storage or isinstance(node.type, tree.FuncDecl):
        declarations.declare(node, info.scope)
    elif node.name:
        declarations._embedded(node.type, info.scope)
        info.scope.names[node.name] = FieldEntity(node.name, info)
        if node.init is not None:
            info.defaults[node.name] = node.init
    else:
        inner = node.type.type if isinstance(node.type, tree.TypeDecl) else node.type
        if isinstance(inner, tree.ClassDef):
            for name in anonymous_names(inner):
                info.scope.names[name] = FieldEntity(name, info)


def anonymous_names(node: tree.ClassDef) -> list[str]:
    """The member names an anonymous struct or union lends to its owner."""
    names: list[str] = []
    for member in node.members:
        for one in member.decls if isinstance(member, tree.DeclGroup) else [member]:
            if isinstance(one, tree.Decl) and one.name:
                names.append(one.name)
            elif isinstance(one, tree.ClassDef) and not one.name:
                names += anonymous_names(one)
            elif isinstance(one, tree.Decl) and isinstance(one.type, tree.ClassDef):
                names += anonymous_names(one.type)
    return names


def _class_of(entity: TypeEntity | ClassTemplate, name: tree.Name) -> tree.Node | None:
    """The class that `C<4, T>::f` is a member of: the specialisation of C that is written with the
    same arguments, else C itself."""
    if isinstance(entity, ClassTemplate) and isinstance(name, tree.TemplateId):
        written = type_spelling(tuple(name.args))
        for _, arguments, node, _ in entity.specialisations:
            if type_spelling(arguments) == written:
                return node
    return entity.node


def add_function(scope: Scope, entry: FunctionEntity) -> None:
    """Add an overload; a definition takes the place of an earlier declaration with as many
    parameters of the same spelling."""
    known, shape = scope.names.get(entry.name), signature(entry)
    if not isinstance(known, FunctionSet):
        scope.names[entry.name] = FunctionSet([entry], {shape: [0]})
        return
    for i in known.shapes.get(shape, ()):
        if entry.node.lazy_body is None:
            return
        other = known.overloads[i]
        if other.node.lazy_body is None:
            entry.specialisations = other.specialisations
            keep_defaults(other, entry)
            known.overloads[i] = entry
            return
    known.shapes.setdefault(shape, []).append(len(known.overloads))
    known.overloads.append(entry)


def keep_defaults(earlier: FunctionEntity, later: FunctionEntity) -> None:
    """Default arguments written on a declaration hold for the definition."""
    for one, other in zip(parameter_list(earlier.node), parameter_list(later.node), strict=False):
        if isinstance(one, tree.Decl) and isinstance(other, tree.Decl) and other.init is None:
            other.init = one.init
    if earlier.parameters and later.parameters:
        merge_defaults(earlier.parameters, later.parameters)


def signature(entry: FunctionEntity) -> tuple[object, ...]:
    """A spelling of the parameter types that tells overloads apart without resolving anything."""
    return (
        _parameter_spellings(entry.node),
        None
        if entry.parameters is None
        else tuple(
            (p.kind, type_spelling(p.type), type_spelling(p.constraint), type_spelling(p.condition))
            for p in entry.parameters
        ),
        tuple(type_spelling(a) for name, a in entry.node.attributes if name == "requires"),
        tuple(str(a) for a in entry.bound),
        tuple(q for q in ("const", "volatile") if q in entry.node.quals),
    )


def _parameter_spellings(node: tree.Function) -> tuple[object, ...]:
    """A parameter's own `const` is the function's business: with and without it a declaration means
    the same function."""
    return tuple(
        type_spelling(type_.type if isinstance(type_, tree.TypeDecl) else type_)
        for type_ in parameter_types(node)
    )


def type_spelling(node: object) -> object:
    """The structure of a type's syntax as nested tuples, names of parameters left out."""
    if isinstance(node, (list, tuple)):
        return tuple(type_spelling(n) for n in node)
    if not isinstance(node, tree.Node):
        return node
    if isinstance(node, tree.TypeDecl):
        return (tuple(sorted(node.quals)), type_spelling(node.type))
    if isinstance(node, tree.IdentifierType):
        return tuple(node.names)
    plain = tuple(
        getattr(node, a) for a in node.attr_names if isinstance(getattr(node, a), (str, bool))
    )
    return (type(node).__name__, plain, tuple(type_spelling(child) for _, child in node.children()))


def is_defaulted(node: tree.Function) -> bool:
    """Whether a function is `= default`."""
    return "default" in node.quals


def parameter_list(node: tree.Function) -> list[tree.Parameter]:
    """The parameters of a function node."""
    return list(node.type.args.params)


def parameter_types(node: tree.Function) -> list[tree.TypeNode | None]:
    """The types of a function's parameters; None for `...`."""
    return [parameter_type(parameter) for parameter in parameter_list(node)]


def parameter_type(parameter: tree.Parameter) -> tree.TypeNode | None:
    return None if isinstance(parameter, tree.EllipsisParam) else parameter.type


def parameter_name(parameter: tree.Parameter) -> str:
    """The name of a parameter; "" where it has none."""
    return parameter.name or "" if isinstance(parameter, tree.Decl) else ""


def default_argument(parameter: tree.Parameter) -> tree.Expr | None:
    return parameter.init if isinstance(parameter, tree.Decl) else None


def return_node(entity: FunctionEntity) -> tree.TypeNode | None:
    """The type that a function gives; of a conversion, which says none, its name."""
    name = entity.node.name
    return (
        name.type
        if isinstance(name, tree.OperatorName) and name.type is not None
        else entity.node.type.type
    )
