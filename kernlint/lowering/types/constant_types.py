"""`std::integral_constant` and its kin, where their header is not among the files: read from the
declarations that C++ gives them.

In: a type's name and template arguments. Out: the class, as if a file had declared it. Source:
[meta.help].
"""

from __future__ import annotations

from kernlint.ir.types import BOOL
from kernlint.lowering.context import ProgramContext
from kernlint.lowering.declare import Declarations
from kernlint.lowering.expressions.values import Qualified
from kernlint.lowering.scopes import ClassTemplate, NamespaceEntity, Scope
from kernlint.lowering.templates import template_arguments
from kernlint.lowering.types import classes
from kernlint.source.lexer import tokenize
from kernlint.source.parser import tree
from kernlint.source.parser.parser import parse

_TEXT = """
namespace std { template <class T, T v> struct integral_constant {
  static constexpr T value = v;
  using value_type = T;
  using type = integral_constant;
  constexpr operator T() const { return v; }
  constexpr T operator()() const { return v; }
}; }
"""
_TRUTHS = {"true_type": 1, "false_type": 0}
_CONSTANTS = ("integral_constant", "bool_constant", *_TRUTHS)


def constant_type(
    program: ProgramContext, names: list[str], last: tree.Node, scope: Scope
) -> Qualified | None:
    """`std::integral_constant<T, v>`, `std::bool_constant<v>`, `std::true_type` and those of
    `cuda::std`; None for other names."""
    if names[-1] not in _CONSTANTS or names[0] not in ("std", "cuda", "") or len(names) < 2:
        return None
    made = _template(program)
    if names[-1] in _TRUTHS:
        return Qualified(
            classes.instantiate(
                program,
                made,
                (Qualified(BOOL), template_arguments.TemplateValue(BOOL, _TRUTHS[names[-1]])),
            )
        )
    if not isinstance(last, tree.TemplateId):
        return None
    given = tuple(last.args)
    if names[-1] == "bool_constant":
        value = (
            program.constant(template_arguments.plain_name(given[0]) or given[0], scope)
            if len(given) == 1
            else None
        )
        known = template_arguments.TemplateValue(
            BOOL, int(bool(value.value)) if value is not None else None
        )
        return Qualified(classes.instantiate(program, made, (Qualified(BOOL), known)))
    arguments = template_arguments.complete(program, made.parameters, given, scope, {}, made.scope)
    return (
        Qualified(classes.instantiate(program, made, arguments)) if arguments is not None else None
    )


def _template(program: ProgramContext) -> ClassTemplate:
    """The class template, read once for a program."""
    if program.constant_types is None:
        program.constant_types = Scope(None, "namespace")
        Declarations().collect(
            parse(tokenize(_TEXT, "<type_traits>"), "<type_traits>", "cuda").declarations,
            program.constant_types,
        )
    std = program.constant_types.member("std")
    assert isinstance(std, NamespaceEntity)
    found = std.scope.member("integral_constant")
    assert isinstance(found, ClassTemplate)
    return found
