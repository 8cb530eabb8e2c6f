"""What kernlint knows of library types that no file defines: std containers and type traits,
cooperative groups, as data.

In: qualified names with template arguments. Out: types. Containers are records with their size and
an opaque data pointer; everything else that is unknown stays opaque.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kernlint.base.dataclass import dataclass, replace
from kernlint.ir.types import (
    BOOL,
    LONG,
    ULONG,
    VOID,
    Array,
    Field,
    Float,
    Integer,
    OpaqueType,
    Pointer,
    Record,
    Type,
)
from kernlint.lowering.calls import intrinsics
from kernlint.lowering.context import ProgramContext
from kernlint.lowering.declared_names import function_name
from kernlint.lowering.expressions.fold import usual
from kernlint.lowering.expressions.values import FunctionRef, FunctionType, Qualified, Value
from kernlint.lowering.scopes import IncompleteRecord, Scope
from kernlint.lowering.templates import template_arguments
from kernlint.lowering.types import (
    atomic_types,
    classes,
    declared_library,
    library_classes,
    torch_types,
)
from kernlint.lowering.types.layout import known_type, round_up, size_of
from kernlint.source.parser import tree

_SIZED = frozenset(
    {
        "vector",
        "initializer_list",
        "deque",
        "valarray",
        "host_vector",
        "device_vector",
        "basic_string",
    }
)
_TRANSPARENT = frozenset(
    {
        "remove_cv",
        "remove_const",
        "remove_volatile",
        "remove_reference",
        "remove_cvref",
        "decay",
        "type_identity",
    }
)
_CLASSES = (*library_classes.POINTERS, *library_classes.MAPS)
CONSTANT = "#constant "  # begins the names of functions that give a constant of the library
ALIGNED = "cuda::aligned_size_t<"
_SIGN = {"make_unsigned": False, "make_signed": True}


def plain_type(name: str) -> Type | None:
    """A library type without template arguments, by its last name; None for others."""
    if name == "string":
        return container("std::string", known_type("char", "cuda") or OpaqueType("char"))
    if name == "pipeline_role":  # an enumeration (libcu++, <cuda/pipeline>)
        return known_type("int", "cuda")
    kind = intrinsics.object_kind(name)
    return OpaqueType(intrinsics.canonical_name(name)) if kind is not None else None


def is_class(names: Sequence[str]) -> bool:
    """Whether a qualified name is that of a class of the standard library that host code makes
    objects of."""
    return names[:-1] in ([], ["std"]) and (names[-1] in _SIZED or names[-1] in _CLASSES)


def container(name: str, element: Type) -> Record:
    """A container of unknown contents: `size` elements at `data`, held by pointer (24 bytes as in
    libstdc++'s vector)."""
    return Record(
        name,
        "container",
        (Field("#size", ULONG, 0), Field("#data", Pointer(element), 8)),
        24,
        8,
        ("container", element),
    )


def array(element: Type, count: int | None) -> Record:
    held = Array(element, count)
    return Record(
        f"std::array<{element}, {count}>",
        "struct",
        (Field("_M_elems", held, 0),),
        size_of(held),
        max(element.align, 1),
        ("array", element),
    )


def named_type(
    program: ProgramContext, parts: Sequence[tree.Name], scope: Scope
) -> Qualified | None:
    """A type named `std::vector<T>`, `std::size_t`, `std::conditional_t<…>`, `cg::thread_block`;
    None for names not known."""
    names = [function_name(p) for p in parts]
    last = parts[-1]
    constant = declared_library.declared_type(program, names, last, scope)
    if constant is not None:
        return constant
    if (
        len(parts) > 1
        and names[-1] in ("type", "value_type")
        and isinstance(parts[-2], tree.TemplateId)
    ):
        return _foreign(program, names[:-1], parts[-2], scope) or _template(
            program, names[-2], parts[-2], scope
        )
    if isinstance(last, tree.TemplateId):
        found = _foreign(program, names, last, scope) or _template(
            program, names[-1].removesuffix("_t"), last, scope
        )
        if found is not None:
            return found
        return Qualified(OpaqueType(_spelled(program, names, last, scope)))
    if len(parts) == 1 or names[0] in ("std", "cuda", "thrust", ""):
        known = (
            known_type(names[-1], program.language)
            or plain_type("::".join(names))
            or plain_type(names[-1])
        )
        if known is not None:
            return Qualified(known)
    foreign = (
        torch_types.glm_type(names[-1])
        if names[0] == "glm"
        else torch_types.torch_type("::".join(names))
    )
    if foreign is not None:
        return Qualified(foreign)
    return (
        Qualified(OpaqueType(intrinsics.canonical_name("::".join(names))))
        if plain_type("::".join(names)) is not None
        else None
    )


def _foreign(
    program: ProgramContext, names: list[str], node: tree.TemplateId, scope: Scope
) -> Qualified | None:
    """`at::acc_type<T, true>`, `glm::vec<3, float>`; None for other names."""
    if names[-1] not in ("acc_type", "opmath_type", "AccumulateType", "OpMathType", "vec", "mat"):
        return None
    arguments: list[Type | int | None] = []
    for argument in node.args:
        value = (
            program.constant(template_arguments.plain_name(argument) or argument, scope)
            if not _is_fundamental(argument)
            else None
        )
        arguments.append(
            program.resolve(argument, scope).type if value is None else int(value.value)
        )
    if names[-1] in ("vec", "mat"):
        found: Type | None = (
            torch_types.glm_type(names[-1], arguments) if names[0] == "glm" else None
        )
    else:
        found = (
            torch_types.accumulated(arguments[0])
            if arguments and isinstance(arguments[0], Type)
            else None
        )
    return Qualified(found) if found is not None else None


def _is_fundamental(argument: tree.Node) -> bool:
    return isinstance(argument, tree.Typename) and template_arguments.plain_name(argument) is None


def _spelled(program: ProgramContext, names: list[str], last: tree.TemplateId, scope: Scope) -> str:
    """`thread_block_tile<32>`: the size of a tile matters, so arguments stay in the name."""
    texts = []
    for argument in last.args:
        value = (
            program.constant(argument, scope) if not isinstance(argument, tree.Typename) else None
        )
        texts.append(
            str(value.value) if value is not None else str(program.resolve(argument, scope).type)
        )
    return f"{intrinsics.canonical_name('::'.join(names))}<{', '.join(texts)}>"


@dataclass(frozen=True, slots=True)
class _Arguments:
    """The template arguments of a library class as written."""

    program: ProgramContext
    name: str
    nodes: Sequence[tree.Operand]
    scope: Scope

    def type_at(self, i: int) -> Qualified:
        if i >= len(self.nodes):
            return Qualified(OpaqueType("?"))
        return self.program.resolve(self.nodes[i], self.scope)

    def value_at(self, i: int) -> int | None:
        if i >= len(self.nodes):
            return None
        node = template_arguments.plain_name(self.nodes[i]) or self.nodes[i]
        found = self.program.constant(node, self.scope)
        return None if found is None else int(found.value)


def _template(
    program: ProgramContext, name: str, node: tree.TemplateId, scope: Scope
) -> Qualified | None:
    handler = _TEMPLATES.get(name)
    if handler is None:
        return None
    return handler(_Arguments(program, name, node.args, scope))


def _accessor(given: _Arguments) -> Qualified | None:
    rank = given.value_at(1)
    index = torch_types.ACCESSORS[given.name]
    if given.name == "GenericPackedTensorAccessor" and len(given.nodes) > 3:
        index = given.type_at(3).type
    return Qualified(torch_types.accessor(given.type_at(0).type, rank, index)) if rank else None


def _sized(given: _Arguments) -> Qualified:
    element = given.type_at(0).type
    return Qualified(container(f"std::{given.name}<{element}>", element))


def _class(given: _Arguments) -> Qualified | None:
    """One that is read from C++ of its own."""
    made = library_classes.template(given.program, given.name)
    arguments = template_arguments.complete(
        given.program, made.parameters, tuple(given.nodes), given.scope, {}, made.scope
    )
    if arguments is None:
        return None
    return Qualified(classes.instantiate(given.program, made, arguments))


def owner(program: ProgramContext, name: str, type_: Type) -> Type:
    """`std::unique_ptr<T>` and its kin for a type."""
    made = library_classes.template(program, name)
    return classes.instantiate(program, made, (Qualified(type_), Qualified(VOID)))


def _function(given: _Arguments) -> Qualified:
    return Qualified(FunctionType())


def _tuple(given: _Arguments) -> Qualified:
    nodes = template_arguments.expand_packs(given.nodes, given.scope)
    return Qualified(tuple_of([given.program.resolve(n, where).type for n, where in nodes]))


def _array(given: _Arguments) -> Qualified:
    return Qualified(array(given.type_at(0).type, given.value_at(1)))


def _pair(given: _Arguments) -> Qualified:
    return Qualified(pair(given.type_at(0).type, given.type_at(1).type))


def _conditional(given: _Arguments) -> Qualified | None:
    chosen = given.value_at(0)
    return None if chosen is None else given.type_at(1 if chosen else 2)


def _enable_if(given: _Arguments) -> Qualified | None:
    if not given.value_at(0):
        return None
    return given.type_at(1) if len(given.nodes) > 1 else Qualified(VOID)


def _transparent(given: _Arguments) -> Qualified:
    return Qualified(given.type_at(0).type)


def _common_type(given: _Arguments) -> Qualified:
    first = given.type_at(0).type
    return Qualified(usual(first, given.type_at(1).type if len(given.nodes) > 1 else first))


def _make_sign(given: _Arguments) -> Qualified:
    return Qualified(_with_sign(given.type_at(0).type, _SIGN[given.name]))


def _remove_pointer(given: _Arguments) -> Qualified:
    inner = given.type_at(0).type
    return Qualified(inner.pointee if isinstance(inner, Pointer) else inner)


def _add_pointer(given: _Arguments) -> Qualified:
    inner = given.type_at(0)
    return Qualified(Pointer(inner.type, "", inner.const))


def _aligned_size(given: _Arguments) -> Qualified | None:
    """cuda::aligned_size_t<N>: a size that also says how what it is the size of is aligned."""
    alignment = given.value_at(0)
    return None if alignment is None else Qualified(Integer(64, False, f"{ALIGNED}{alignment}>"))


def stated_alignment(type_: Type | None) -> int:
    """The N of a cuda::aligned_size_t<N>; 1 for other types, and where N is not known."""
    number = str(type_).removeprefix(ALIGNED).rstrip(">") if str(type_).startswith(ALIGNED) else ""
    return int(number) if number.isdigit() else 1


def _atomic(given: _Arguments) -> Qualified:
    inner, scope = given.type_at(0), str(given.type_at(1).type) if len(given.nodes) > 1 else ""
    scope = "" if scope.endswith(atomic_types.DEFAULT_SCOPE) else scope
    # volatile: objects of pointers and classes are read and written as one, too
    return replace(inner, type=atomic_types.atomic(inner.type, scope), volatile=True)


_TEMPLATES: dict[str, Callable[[_Arguments], Qualified | None]] = {
    **dict.fromkeys(torch_types.ACCESSORS, _accessor),
    **dict.fromkeys(_SIZED, _sized),
    "array": _array,
    "pair": _pair,
    "tuple": _tuple,
    "function": _function,
    **dict.fromkeys(_CLASSES, _class),
    "conditional": _conditional,
    "enable_if": _enable_if,
    **dict.fromkeys(_TRANSPARENT, _transparent),
    "common_type": _common_type,
    **dict.fromkeys(_SIGN, _make_sign),
    "remove_pointer": _remove_pointer,
    "add_pointer": _add_pointer,
    "atomic": _atomic,
    "aligned_size": _aligned_size,
}


def _with_sign(type_: Type, signed: bool) -> Type:
    if not isinstance(type_, Integer):
        return type_
    name = {8: "char", 16: "short", 32: "int", 64: "long"}[type_.bits]
    prefix = "" if signed and type_.bits > 8 else "signed " if signed else "unsigned "
    return Integer(type_.bits, signed, prefix + name)


def pair(first: Type, second: Type) -> Record:
    offset = round_up(size_of(first) or 8, second.align)
    align = max(first.align, second.align)
    size = round_up(offset + (size_of(second) or 8), align)
    return Record(
        f"std::pair<{first}, {second}>",
        "struct",
        (Field("first", first, 0), Field("second", second, offset)),
        size,
        align,
    )


def tuple_of(types: Sequence[Type]) -> Record:
    """`std::tuple<…>`, its members in order ([tuple] leaves their places open)."""
    fields: list[Field] = []
    end, align = 0, 1
    for number, type_ in enumerate(types):
        offset = round_up(end, max(type_.align, 1))
        fields.append(Field(str(number), type_, offset))
        end, align = offset + (size_of(type_) or 8), max(align, type_.align)
    name = f"std::tuple<{', '.join(map(str, types))}>"
    return Record(name, "struct", tuple(fields), round_up(end, align), align)


def member_type(
    program: ProgramContext, owner: Type, rest: Sequence[tree.Name]
) -> Qualified | None:
    """`std::vector<T>::value_type` and the like."""
    name = function_name(rest[0]) if rest else ""
    if (
        name in ("value_type", "element_type")
        and isinstance(owner, Record)
        and isinstance(owner.definition, tuple)
    ):
        return Qualified(owner.definition[1])
    if name == "size_type":
        return Qualified(ULONG)
    if name == "difference_type":
        return Qualified(LONG)
    return None


# concepts that say what a trait says ([concepts.lang])
_CONCEPTS = {
    "same_as": "is_same",
    "convertible_to": "is_convertible",
    "integral": "is_integral",
    "floating_point": "is_floating_point",
    "signed_integral": "is_signed_integral",
    "unsigned_integral": "is_unsigned_integral",
}


def _same(left: Qualified, right: Qualified) -> bool:
    return (
        left.type == right.type and left.const == right.const and left.reference == right.reference
    )


_OF_NUMBERS = frozenset(
    f"is_{word}"
    for word in (
        "integral",
        "floating_point",
        "arithmetic",
        "signed",
        "unsigned",
        "signed_integral",
        "unsigned_integral",
    )
)


def trait(
    program: ProgramContext, name: str, arguments: Sequence[tree.Node], scope: Scope
) -> bool | int | None:
    """The value of a type trait (`is_same`, `is_same_v`, `is_integral<T>::value`); None when it is
    not known."""
    base = name.removesuffix("_v").removeprefix("__")
    base = _CONCEPTS.get(base, base)
    types = [
        program.resolve(a, scope)
        for a in arguments
        if isinstance(a, (tree.Typename, tree.ID, tree.TemplateId, tree.QualifiedName))
    ]
    if not types or any(
        isinstance(t.type, (OpaqueType, IncompleteRecord)) and base != "is_same" for t in types
    ):
        return None
    first = types[0].type
    if base in _OF_NUMBERS and atomic_types.is_object(first):
        return False
    if base == "is_same":
        return _same(types[0], types[1]) if len(types) > 1 else None
    tests = {
        "is_integral": isinstance(first, Integer), "is_floating_point": isinstance(first, Float) and first.name in ("float", "double"),
        "is_arithmetic": isinstance(first, (Integer, Float)), "is_pointer": isinstance(first, Pointer), "is_const": types[0].const,
        "is_signed": isinstance(first, Float) or (isinstance(first, Integer) and first.signed), "is_class": isinstance(first, Record),
        "is_signed_integral": isinstance(first, Integer) and first.signed, "is_unsigned_integral": isinstance(first, Integer) and not first.signed,
        "is_unsigned": isinstance(first, Integer) and not first.signed, "is_array": isinstance(first, Array),
        "is_reference": bool(types[0].reference),
        "is_trivially_copyable": True, "is_void": first == known_type("void", "cuda"), "is_enum": False,
    }  # fmt: skip
    if base == "is_convertible" and len(types) > 1:
        return (
            isinstance(first, (Integer, Float)) and isinstance(types[1].type, (Integer, Float))
        ) or first == types[1].type
    return tests.get(base)


def names_a_truth(name: str) -> bool:
    """Whether a name with arguments is a trait's value or a concept: `is_same_v`, `integral`."""
    return name.endswith("_v") or name in _CONCEPTS


def numeric_limit(type_: Type, name: str) -> tuple[Type, int | float] | None:
    """`std::numeric_limits<T>::max()` and other members, integers exactly; (type, value)."""
    if isinstance(type_, Integer):
        low = -(1 << (type_.bits - 1)) if type_.signed else 0
        high = (1 << (type_.bits - (1 if type_.signed else 0))) - 1 if not type_.is_bool else 1
        table = {"min": low, "lowest": low, "max": high}
        if name in table:
            return type_, table[name]
        if name == "digits":
            return known_type("int", "cuda") or type_, type_.bits - (1 if type_.signed else 0)
    if isinstance(type_, Float) and type_.bits in (32, 64):
        largest = 3.4028234663852886e38 if type_.bits == 32 else 1.7976931348623157e308
        smallest = 1.1754943508222875e-38 if type_.bits == 32 else 2.2250738585072014e-308
        table_f = {
            "max": largest,
            "lowest": -largest,
            "min": smallest,
            "infinity": float("inf"),
            "epsilon": 2.0 ** (-23 if type_.bits == 32 else -52),
        }
        if name in table_f:
            return type_, table_f[name]
    return (BOOL, int(isinstance(type_, Integer))) if name == "is_integer" else None


def constant_function(name: str, value: Value) -> FunctionRef:
    """`std::numeric_limits<T>::max` before its call: a function that gives `value`."""
    return FunctionRef((), f"{CONSTANT}{name}", this=value)
