"""Classes: laying out definitions, instantiating templates, finding members.

In: class definitions in scopes. Out: Records whose `definition` is the ClassInfo. Method bodies are
not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.base.dataclass import replace
from kernlint.ir.types import VOID, Array, Field, Integer, Pointer, Record, Type
from kernlint.lowering.context import ProgramContext
from kernlint.lowering.declare import Declarations, declare_members, signature
from kernlint.lowering.declared_names import function_name, name_parts
from kernlint.lowering.expressions.values import FunctionType, Qualified
from kernlint.lowering.scopes import (
    ClassInfo,
    ClassTemplate,
    FunctionEntity,
    FunctionSet,
    IncompleteRecord,
    Scope,
    TypeEntity,
)  # fmt: skip
from kernlint.lowering.templates import deduction, template_arguments
from kernlint.lowering.types.layout import complete, round_up, size_of
from kernlint.lowering.types.placement import Placer
from kernlint.model.reasons import refused
from kernlint.source.parser import tree


def class_type(program: ProgramContext, entity: TypeEntity) -> Type:
    """The record of a plain class; the class itself while it is being laid out."""
    assert isinstance(entity.node, tree.ClassDef)
    known = program.classes.get((id(entity.node), id(entity.scope)))
    if known is None:
        info = _start(entity.node, entity.scope, _display(entity.node, entity.scope))
        program.classes[(id(entity.node), id(entity.scope))] = info
        _finish(program, info)
        known = info
    return known.record if known.record is not None else IncompleteRecord(known.name, known)


def anonymous(program: ProgramContext, node: tree.ClassDef, scope: Scope) -> Type:
    return class_type(program, TypeEntity(node, scope))


def _display(node: tree.ClassDef, scope: Scope) -> str:
    name = node.name if isinstance(node.name, str) else function_name(node.name)
    return scope.qualifier() + (name or "<unnamed>")


def instantiate(
    program: ProgramContext,
    template: ClassTemplate,
    arguments: tuple[template_arguments.Argument, ...],
) -> Type:
    """The class that `template` becomes for `arguments`, memoised."""
    key = tuple(map(_by_name, arguments))
    known = template.instances.get(key)
    if known is not None:
        return complete(known)
    name = f"{template.scope.qualifier()}{template.name}<{', '.join(template_arguments.flatten(arguments))}>"
    special = deduction.choose_specialisation(program, template.specialisations, arguments)
    if special is not None:
        node, scope = special
    elif template.node is not None:
        node, scope = (
            template.node,
            template_arguments.bind(template.parameters, arguments, template.scope),
        )
    else:
        return IncompleteRecord(name)
    info = _start(node, scope, name)
    info.template, info.arguments = template, arguments
    template.instances[key] = IncompleteRecord(name, info)
    info.scope.names[template.name] = TypeEntity(
        None, info.scope, Qualified(IncompleteRecord(name, info))
    )
    _finish(program, info)
    record = info.record
    assert record is not None
    template.instances[key] = record
    return record


def _by_name(argument: template_arguments.Argument) -> template_arguments.Argument:
    """The argument with its classes named, not laid out: `class A : Base<A>` asks for the same
    `Base<A>` before and after its own layout."""
    if isinstance(argument, tuple):
        return tuple(map(_by_name, argument))
    if not isinstance(argument, Qualified):
        return argument
    named = _named(argument.type)
    return argument if named is argument.type else replace(argument, type=named)


def _named(type_: Type) -> Type:
    if isinstance(type_, Record) and isinstance(type_.definition, ClassInfo):
        return IncompleteRecord(type_.name, type_.definition)
    if isinstance(type_, Pointer):
        pointee = _named(type_.pointee)
        return type_ if pointee is type_.pointee else replace(type_, pointee=pointee)
    if isinstance(type_, Array):
        element = _named(type_.element)
        return type_ if element is type_.element else replace(type_, element=element)
    return type_


def _start(node: tree.ClassDef, scope: Scope, name: str) -> ClassInfo:
    inner = Scope(scope, "class", name.rsplit("::", 1)[-1])
    info = ClassInfo(name, node, inner)
    inner.owner = info
    return info


def _finish(program: ProgramContext, info: ClassInfo) -> None:
    node = info.node
    placer = Placer(node.kind == "union", node.is_packed, node.pack or 0)
    asked = _asked(program, node.align_exprs, info.scope)
    inherited: list[Field] = []
    bases = [
        (b, s)
        for base in node.bases
        for b, s in template_arguments.expand_packs([base], info.scope)
    ]
    types = [complete(program.resolve(b, s).type) for b, s in bases]
    declarations = Declarations()
    declare_members(info, declarations)
    _place_table(info, types, placer)
    for type_ in types:
        _place_base(type_, info, placer, inherited)
    _draw_in(info)
    program.functions.extend(f for f in declarations.functions if f.owner is None)
    own: list[Field] = []
    for member in node.members:
        for one in member.decls if isinstance(member, tree.DeclGroup) else [member]:
            _place_member(program, one, info, placer, own)
    fields = own + [f for f in inherited if all(f.name != o.name for o in own)]
    placer.align = max(placer.align, asked)
    info.occupied, info.is_packed = (
        placer.end,
        placer.packed and all(_packable(f.type) for f in own),
    )
    size = round_up(max(placer.end, 1), placer.align) if placer.known else None
    info.record = Record(info.name, node.kind, tuple(fields), size, placer.align, info)


def _draw_in(info: ClassInfo) -> None:
    """`using Base::f;` beside a function f of the class: those of the base are its overloads, but
    for what it declares itself ([namespace.udecl]/11). Without an own one they are found anyway."""
    for member in info.node.members:
        for one in member.decls if isinstance(member, tree.DeclGroup) else [member]:
            name = name_parts(one.name)[-1] if isinstance(one, tree.Using) and one.name else ""
            own = info.scope.names.get(name)
            if not isinstance(own, FunctionSet):
                continue
            known = {signature(function) for function in own.overloads}
            for base in info.scope.using:
                drawn = base.member(name)
                of_base = drawn.overloads if isinstance(drawn, FunctionSet) else []
                own.overloads += [f for f in of_base if signature(f) not in known]


def _asked(program: ProgramContext, expressions: Sequence[tree.Node], scope: Scope) -> int:
    """The strictest alignment that the source asks for; 0 where it asks for none."""
    found = [program.constant(a, scope) for a in expressions]
    return max([0, *[int(a.value) for a in found if a is not None]])


def _place_table(info: ClassInfo, bases: list[Type], placer: Placer) -> None:
    """The pointer to the table of virtual functions, at the start unless a base class has one."""
    inherited = any((base := class_info(type_)) is not None and base.has_table for type_ in bases)
    info.has_table = inherited or any(
        isinstance(member, tree.Function) and "virtual" in member.specifiers
        for member in info.node.members
    )
    if info.has_table and not inherited:
        placer.place(Pointer(VOID), packed=placer.packed)


def _place_base(type_: Type, info: ClassInfo, placer: Placer, inherited: list[Field]) -> None:
    """A base class; what is derived from one that is no plain old data may use the room that its
    own alignment left at its end."""
    where = member_scope(type_)
    if where is not None:
        info.scope.using.append(where)
    base = class_info(type_)
    empty = (
        isinstance(type_, Record) and not type_.fields and not (base is not None and base.has_table)
    )
    room = (
        base.occupied
        if base is not None and not _is_plain(type_) and size_of(type_) is not None
        else None
    )
    offset = 0 if empty else placer.place(type_, size=room)
    info.bases.append((type_, offset))
    if isinstance(type_, FunctionType):  # a lambda, as in `struct Overloaded : Fs...`
        inherited.append(Field("operator()", type_, offset))
    if isinstance(type_, Record):
        inherited += [replace(f, offset=f.offset + offset) for f in type_.fields]
        if base is not None:
            info.bits.update(base.bits)
            info.references.update(base.references)


def _packable(type_: Type) -> bool:
    """Whether GCC packs a member of this type: plain old data, or a class that is packed itself."""
    while isinstance(type_, Array):
        type_ = type_.element
    info = class_info(complete(type_))
    return (info is not None and info.is_packed) or _is_plain(type_)


def _is_plain(type_: Type) -> bool:
    """Whether the ABI treats a type as plain old data: no bases, constructors, destructor or
    virtual functions, in its members neither."""
    type_ = complete(type_)
    if isinstance(type_, Array):
        return _is_plain(type_.element)
    info = class_info(type_)
    if info is None:
        return True
    if (
        info.bases
        or info.constructors
        or info.destructor is not None
        or info.has_table
        or info.defaults
        or info.references
    ):
        return False
    return all(_is_plain(f.type) for f in info.record.fields) if info.record is not None else True


def _place_member(
    program: ProgramContext, member: tree.Node, info: ClassInfo, placer: Placer, own: list[Field]
) -> None:
    if isinstance(member, tree.ClassDef) and not member.name:
        _place_anonymous(program, member, info, placer, own)
    if not isinstance(member, tree.Decl):
        return
    if "static" in member.storage or isinstance(member.type, tree.FuncDecl):
        return
    inner = member.type
    innermost = inner.type if isinstance(inner, tree.TypeDecl) else inner
    if not member.name and isinstance(innermost, tree.ClassDef):
        _place_anonymous(program, innermost, info, placer, own)
        return
    found = program.resolve(inner, info.scope)
    asked = _asked(program, member.align, info.scope)
    packed = (placer.packed or "packed" in member.funcspec) and (
        found.reference != "" or _packable(found.type)
    )
    if member.bitsize is not None:
        _place_bit_field(program, member, member.bitsize, found, info, placer, own, asked, packed)
        return
    if not member.name:
        return
    type_ = Pointer(found.type, volatile=found.volatile) if found.reference else found.type
    if found.reference:
        info.references[member.name] = found
    elif (whole := _unfinished(type_)) is not None:
        raise refused("nesting", inner.coord, what=f"`{whole}`, which contains itself,")
    volatile = found.volatile and not found.reference
    own.append(Field(member.name, type_, placer.place(type_, asked, packed), volatile))


def _unfinished(type_: Type) -> Type | None:
    """The class of a member if its layout is under way: the class around it, or one that this one
    is a part of."""
    while isinstance(type_, Array):
        type_ = type_.element
    is_begun = (
        isinstance(type_, IncompleteRecord)
        and type_.definition is not None
        and type_.definition.record is None
    )
    return type_ if is_begun else None


def _place_anonymous(
    program: ProgramContext, node: tree.ClassDef, info: ClassInfo, placer: Placer, own: list[Field]
) -> None:
    """An anonymous struct or union: its members are the owner's."""
    type_ = complete(anonymous(program, node, info.scope))
    offset = placer.place(type_, packed=placer.packed and _packable(type_))
    if isinstance(type_, Record):
        own += [replace(f, offset=f.offset + offset) for f in type_.fields]


def _place_bit_field(
    program: ProgramContext,
    member: tree.Decl,
    bitsize: tree.Expr,
    declared: Qualified,
    info: ClassInfo,
    placer: Placer,
    own: list[Field],
    asked: int,
    packed: bool,
) -> None:
    width, type_ = program.constant(bitsize, info.scope), declared.type
    if width is None or not isinstance(type_, Integer):
        return
    offset, bit = placer.place_bits(type_, int(width.value), bool(member.name), asked, packed)
    if member.name:
        info.bits[member.name] = (bit, int(width.value))
        own.append(Field(member.name, type_, offset, declared.volatile))


def member_scope(type_: Type) -> Scope | None:
    """The scope of a class's members, complete or not; None for other types."""
    info = class_info(type_)
    return info.scope if info is not None else None


def class_info(type_: Type) -> ClassInfo | None:
    if isinstance(type_, (Record, IncompleteRecord)) and isinstance(type_.definition, ClassInfo):
        return type_.definition
    return None


def methods(type_: Type, name: str) -> tuple[FunctionEntity, ...]:
    """The methods of that name, inherited ones included where no own one hides them."""
    scope = member_scope(type_)
    found = scope.member(name) if scope is not None else None
    return tuple(found.overloads) if isinstance(found, FunctionSet) else ()


def base_offset(derived: Type, owner: ClassInfo) -> tuple[Type, int] | None:
    """Where the subobject of class `owner` lies in `derived`: (its type, byte offset)."""
    info = class_info(derived)
    if info is None:
        return None
    if info is owner:
        return complete(derived), 0
    for base, offset in info.bases:
        inner = base_offset(complete(base), owner)
        if inner is not None:
            return inner[0], inner[1] + offset
    return None
