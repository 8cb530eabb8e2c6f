"""Classes: laying out definitions, instantiating templates, finding members.

In: class definitions in scopes. Out: Records whose `definition` is the ClassInfo. Method bodies are not looked at.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pycparser import c_ast

from kernlint.lowering import templates, typenames
from kernlint.lowering.declare import Declarations, declare_members
from kernlint.lowering.layout import align_of, complete, round_up, size_of
from kernlint.lowering.scopes import (
    ClassInfo,
    ClassTemplate,
    FunctionEntity,
    FunctionSet,
    GlobalVariable,
    IncompleteRecord,
    Scope,
    TypeEntity,
)  # fmt: skip
from kernlint.lowering.syntax import Node
from kernlint.lowering.types import Field, Integer, Pointer, Record, Type
from kernlint.lowering.values import Qualified
from kernlint.source import tree

if TYPE_CHECKING:
    from kernlint.lowering.program import Program

_UNKNOWN_ROOM = 64  # distinct offsets for members after one of unknown size; the record's own size is then unknown


def class_type(program: Program, entity: TypeEntity) -> Type:
    """The record of a plain class; the class itself while it is being laid out."""
    assert entity.node is not None
    known = program.classes.get((id(entity.node), id(entity.scope)))
    if known is None:
        info = _start(entity.node, entity.scope, _display(entity.node, entity.scope))
        program.classes[(id(entity.node), id(entity.scope))] = info
        _finish(program, info)
        known = info
    return known.record if known.record is not None else IncompleteRecord(known.name, known)


def anonymous(program: Program, node: Node, scope: Scope) -> Type:
    return class_type(program, TypeEntity(node, scope))


def _display(node: Node, scope: Scope) -> str:
    name = node.name if isinstance(node.name, str) else getattr(node.name, "name", "")
    return scope.qualifier() + str(name or "<unnamed>")


def instantiate(program: Program, template: ClassTemplate, arguments: tuple[templates.Argument, ...]) -> Type:
    """The class that `template` becomes for `arguments`, memoised."""
    known = template.instances.get(arguments)
    if known is not None:
        return complete(known)
    name = f"{template.scope.qualifier()}{template.name}<{', '.join(templates.flatten(arguments))}>"
    special = templates.choose_specialisation(program, template.specialisations, arguments)
    if special is not None:
        node, scope = special
    elif template.node is not None:
        node, scope = template.node, templates.bind(template.parameters, arguments, template.scope)
    else:
        return IncompleteRecord(name)
    info = _start(node, scope, name)
    info.template, info.arguments = template, arguments
    template.instances[arguments] = IncompleteRecord(name, info)
    info.scope.names[template.name] = TypeEntity(None, info.scope, Qualified(IncompleteRecord(name, info)))
    _finish(program, info)
    record = info.record
    assert record is not None
    template.instances[arguments] = record
    return record


def _start(node: Node, scope: Scope, name: str) -> ClassInfo:
    inner = Scope(scope, "class", name.rsplit("::", 1)[-1])
    info = ClassInfo(name, node, inner)
    inner.owner = info
    return info


class _Placer:
    """Places data members one after another (Itanium ABI 2.4), or all at 0 for a union."""

    def __init__(self, union: bool) -> None:
        self.union, self.end, self.align, self.known = union, 0, 1, True
        self.bit_position: int | None = None

    def place(self, type_: Type, align: int = 1) -> int:
        size, align = size_of(type_), max(align, align_of(type_))
        self.bit_position = None
        self.align = max(self.align, align)
        offset = 0 if self.union else round_up(self.end, align)
        if size is None:
            self.known, size = False, _UNKNOWN_ROOM
        self.end = max(self.end, offset + size)
        return offset

    def place_bits(self, type_: Type, width: int) -> tuple[int, int]:
        """(offset of the storage unit, first bit in it) of a bit-field."""
        unit = size_of(type_) or 4
        bit = 0 if self.union else self.bit_position if self.bit_position is not None else self.end * 8
        if width == 0:
            self.bit_position = round_up(bit, unit * 8)
            self.end = max(self.end, self.bit_position // 8)
            return 0, 0
        if bit // (unit * 8) != (bit + width - 1) // (unit * 8):
            bit = round_up(bit, unit * 8)
        self.bit_position = bit + width
        self.align = max(self.align, align_of(type_))
        self.end = max(self.end, -(-(bit + width) // 8))
        return bit // (unit * 8) * unit, bit % (unit * 8)


def _finish(program: Program, info: ClassInfo) -> None:
    node = info.node
    placer = _Placer(node.kind == "union")
    for align in node.align_exprs or []:
        found = program.constant(align, info.scope)
        placer.align = max(placer.align, int(found.value) if found is not None else 1)
    inherited: list[Field] = []
    for base in node.bases or []:
        _place_base(program, base, info, placer, inherited)
    declarations = Declarations()
    declare_members(info, declarations)
    program.functions.extend(f for f in declarations.functions if f.owner is None)
    own: list[Field] = []
    for member in node.members or []:
        for one in member.decls if isinstance(member, tree.DeclGroup) else [member]:
            _place_member(program, one, info, placer, own)
    fields = own + [f for f in inherited if all(f.name != o.name for o in own)]
    total = max(placer.end, 1)
    size = round_up(total, placer.align) if placer.known else None
    info.record = Record(info.name, node.kind, tuple(fields), size, placer.align, info)


def _place_base(program: Program, base: Node, info: ClassInfo, placer: _Placer, inherited: list[Field]) -> None:
    nodes = templates.expand_packs([base], info.scope)
    for node, scope in nodes:
        type_ = complete(typenames.resolve(program, node, scope).type)
        where = member_scope(type_)
        if where is not None:
            info.scope.using.append(where)
        empty = isinstance(type_, Record) and not type_.fields
        offset = 0 if empty else placer.place(type_)
        info.bases.append((type_, offset))
        if isinstance(type_, Record):
            inherited += [replace(f, offset=f.offset + offset) for f in type_.fields]
            base_info = type_.definition
            if isinstance(base_info, ClassInfo):
                info.bits.update(base_info.bits)
                info.references.update(base_info.references)


def _place_member(program: Program, member: Node, info: ClassInfo, placer: _Placer, own: list[Field]) -> None:
    if isinstance(member, tree.ClassDef) and not member.name:
        _place_anonymous(program, member, info, placer, own)
    if not isinstance(member, c_ast.Decl) or isinstance(member, c_ast.Typedef):
        return
    if "static" in (member.storage or []) or isinstance(member.type, c_ast.FuncDecl):
        return
    inner = member.type
    if not member.name and isinstance(getattr(inner, "type", inner), tree.ClassDef):
        _place_anonymous(program, inner if isinstance(inner, tree.ClassDef) else inner.type, info, placer, own)
        return
    found = typenames.resolve(program, inner, info.scope)
    if getattr(member, "bitsize", None) is not None:
        _place_bit_field(program, member, found.type, info, placer, own)
        return
    if not member.name:
        return
    type_ = Pointer(found.type) if found.reference else found.type
    if found.reference:
        info.references[member.name] = found
    align = [program.constant(a, info.scope) for a in member.align or []]
    offset = placer.place(type_, max([1, *[int(a.value) for a in align if a is not None]]))
    own.append(Field(member.name, type_, offset))


def _place_anonymous(program: Program, node: Node, info: ClassInfo, placer: _Placer, own: list[Field]) -> None:
    """An anonymous struct or union: its members are the owner's."""
    type_ = complete(anonymous(program, node, info.scope))
    offset = placer.place(type_)
    if isinstance(type_, Record):
        own += [replace(f, offset=f.offset + offset) for f in type_.fields]


def _place_bit_field(program: Program, member: Node, type_: Type, info: ClassInfo, placer: _Placer, own: list[Field]) -> None:
    width = program.constant(member.bitsize, info.scope)
    if width is None or not isinstance(type_, Integer):
        return
    offset, bit = placer.place_bits(type_, int(width.value))
    if member.name:
        info.bits[member.name] = (bit, int(width.value))
        own.append(Field(member.name, type_, offset))


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


def static_member(type_: Type, name: str) -> GlobalVariable | None:
    scope = member_scope(type_)
    found = scope.member(name) if scope is not None else None
    return found if isinstance(found, GlobalVariable) else None


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
