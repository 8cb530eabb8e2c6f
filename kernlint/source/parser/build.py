"""Building the tree of statements, and the whole builder that the parser hands to lark.

In: the children of one reduction. Out: nodes of `kernlint.source.parser.tree`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from pycparser import c_ast

from kernlint.source.parser import tree
from kernlint.source.parser.build_declarations import DeclarationBuilder
from kernlint.source.parser.build_declarators import Specifiers
from kernlint.source.parser.build_expressions import Children, join_strings, span


class Builder(DeclarationBuilder):
    """All methods that kernel.lark's rules name; `lazy` makes the body of a function from its
    terminal."""

    def __init__(self, lazy: Callable[[Any], Any]) -> None:
        self._lazy = lazy

    def lazy_body(self, terminal: Any) -> Any:
        return self._lazy(terminal)

    def unit(self, children: Children) -> Any:
        return children[0]

    def body(self, children: Children) -> Any:
        return children[0]

    def expression_only(self, children: Children) -> Any:
        return children[0]

    # -- statements

    def compound(self, children: Children) -> Any:
        return c_ast.Compound(children[1], span(children))

    def expression_statement(self, children: Children) -> Any:
        return children[0]

    def empty_statement(self, children: Children) -> Any:
        return c_ast.EmptyStatement(children[0].coord)

    def pragma(self, children: Children) -> Any:
        text = children[0].text.strip().removeprefix("#").strip().removeprefix("pragma").strip()
        return c_ast.Pragma(text, children[0].coord)

    def if_plain(self, children: Children) -> Any:
        return c_ast.If(
            children[2], children[4], children[6] if len(children) > 5 else None, span(children)
        )

    def conditional(self, children: Children) -> Any:
        init, condition = children[1]
        iffalse = children[5] if len(children) > 4 else None
        is_constexpr = children[0].text == "if constexpr"
        return tree.Conditional(
            init, condition, children[3], iffalse, is_constexpr, coord=span(children)
        )

    def one_condition(self, children: Children) -> Any:
        return None, children[1]

    def two_conditions(self, children: Children) -> Any:
        return children[1], children[2]

    def declared_condition(self, children: Children) -> Any:
        return self._declared(Specifiers(children[1]), *children[2])

    def for_loop(self, children: Children) -> Any:
        init = children[2]
        if isinstance(init, c_ast.EmptyStatement):
            init = None
        elif isinstance(init, (c_ast.Decl, c_ast.Typedef)):
            init = c_ast.DeclList([init], init.coord)
        elif isinstance(init, tree.DeclGroup):
            init = c_ast.DeclList(init.decls, init.coord)
        middle = children[3:-2]
        semicolon = next(
            i
            for i, item in enumerate(middle)
            if getattr(item, "type", "") == "SEMI" and not isinstance(item, c_ast.Node)
        )
        condition = middle[semicolon - 1] if semicolon else None
        step = middle[semicolon + 1] if semicolon + 1 < len(middle) else None
        return c_ast.For(init, condition, step, children[-1], span(children))

    def range_variable(self, children: Children) -> Any:
        return self._declared(Specifiers(children[1]), *children[2])

    def range_binding(self, children: Children) -> Any:
        has_reference = len(children) == 6
        names = [word.text for word in children[-2]]
        specifiers = Specifiers(children[1])
        return tree.StructuredBinding(
            None,
            names,
            specifiers.quals,
            children[2].text if has_reference else "",
            coord=span(children),
        )

    def range_for(self, children: Children) -> Any:
        init = children[2] if len(children) == 8 else None
        return tree.RangeFor(init, children[-5], children[-3], children[-1], coord=span(children))

    def while_loop(self, children: Children) -> Any:
        return c_ast.While(children[2], children[4], span(children))

    def do_loop(self, children: Children) -> Any:
        return c_ast.DoWhile(children[4], children[1], span(children))

    def switch(self, children: Children) -> Any:
        init, condition = children[1]
        body = grouped_cases(children[3])
        made = c_ast.Switch(condition, body, span(children))
        return made if init is None else c_ast.Compound([init, made], span(children))

    def case(self, children: Children) -> Any:
        return c_ast.Case(children[1], [], span(children))

    def default(self, children: Children) -> Any:
        return c_ast.Default([], span(children))

    def break_statement(self, children: Children) -> Any:
        return c_ast.Break(span(children))

    def continue_statement(self, children: Children) -> Any:
        return c_ast.Continue(span(children))

    def return_statement(self, children: Children) -> Any:
        return c_ast.Return(children[1] if len(children) > 2 else None, span(children))

    def goto(self, children: Children) -> Any:
        return c_ast.Goto(children[1].text, span(children))

    def label(self, children: Children) -> Any:
        return c_ast.Label(children[0].text, children[2], span(children))

    def try_statement(self, children: Children) -> Any:
        return tree.Try(children[1], children[2], coord=children[0].coord.to(children[2][-1].coord))

    def handler(self, children: Children) -> Any:
        return children[2]

    def attributed(self, children: Children) -> Any:
        return tree.Attributed(children[1], children[0].text.split(), coord=span(children))

    # -- lambdas

    def lambda_captures(self, children: Children) -> Any:
        return children[0].coord, children[1] if len(children) == 3 else []

    def capture_default(self, children: Children) -> Any:
        return children[0].text

    def capture(self, children: Children) -> Any:
        by_reference = children[0].type == "CAPTURE_REFERENCE"
        return tree.Capture(
            None, children[1 if by_reference else 0].text, by_reference, coord=span(children)
        )

    def capture_initialised(self, children: Children) -> Any:
        by_reference = children[0].type == "CAPTURE_REFERENCE"
        return tree.Capture(
            children[-1],
            children[1 if by_reference else 0].text,
            by_reference,
            coord=span(children),
        )

    capture_braced = capture_initialised

    def lambda_head(self, children: Children) -> Any:
        return {"specifiers": [], "params": None}

    def lambda_specifier(self, children: Children) -> Any:
        children[0]["specifiers"].append(children[1].text)
        return children[0]

    def lambda_attribute(self, children: Children) -> Any:
        return children[0]

    lambda_template = lambda_attribute

    def lambda_parameters(self, children: Children) -> Any:
        children[0]["params"] = children[1]
        return children[0]

    def lambda_plain(self, children: Children) -> Any:
        return self._lambda(children, None)

    def lambda_typed(self, children: Children) -> Any:
        return self._lambda(children, children[3])

    def _lambda(self, children: Children, return_type: Any) -> Any:
        start, captures = children[0]
        default = next((item for item in captures if isinstance(item, str)), "")
        named = [item for item in captures if not isinstance(item, str)]
        head, body = children[1], children[-1]
        return tree.Lambda(
            named,
            head["params"],
            return_type,
            body,
            default,
            head["specifiers"],
            coord=start.to(body.coord),
        )

    # -- inline assembly

    def asm_statement(self, children: Children) -> Any:
        is_braces = children[2].type == "ASM_LBRACE"
        sections = [*children[4], [], [], []]
        clobbers = [
            value_of_string([item.text])
            for found in sections[2]
            if isinstance(found, list)
            for item in found
        ]
        operands = [
            [item for item in section if isinstance(item, tree.AsmOperand)]
            for section in sections[:2]
        ]
        template = value_of_string([piece.text for piece in children[3]])
        is_volatile = any("volatile" in word.text for word in children[1])
        return tree.Asm(
            operands[0],
            operands[1],
            template,
            is_volatile,
            clobbers,
            is_braces,
            coord=span(children),
        )

    def asm_section(self, children: Children) -> Any:
        children[0].append(children[2] if len(children) > 2 else [])
        return children[0]

    def asm_clobber(self, children: Children) -> Any:
        return children[0]

    def asm_operand(self, children: Children) -> Any:
        coord = children[0][0].coord.to(children[3].coord)
        return tree.AsmOperand(
            children[2], value_of_string([piece.text for piece in children[0]]), "", coord=coord
        )

    def asm_named_operand(self, children: Children) -> Any:
        return tree.AsmOperand(
            children[5],
            value_of_string([piece.text for piece in children[3]]),
            children[1].text,
            coord=span(children),
        )


def value_of_string(pieces: list[str]) -> str:
    """The characters that adjacent string literals stand for."""
    return "".join(_unescaped(piece) for piece in pieces)


def _unescaped(piece: str) -> str:
    prefix, rest = piece.split('"', 1)
    inner = rest.rsplit('"', 1)[0]
    if "R" in prefix:
        delimiter, inner = inner.split("(", 1)
        return inner.rsplit(")" + delimiter, 1)[0]
    if "\\" not in inner:
        return inner
    try:
        return str(ast.literal_eval('"' + inner.replace("\n", "\\n") + '"'))
    except (SyntaxError, ValueError):
        return inner


def grouped_cases(body: Any) -> Any:
    """The body of a switch with each statement moved into the label before it."""
    if not isinstance(body, c_ast.Compound):
        return body
    items: Children = []
    label: Any = None
    for item in body.block_items or []:
        if isinstance(item, (c_ast.Case, c_ast.Default)):
            label = item
            items.append(item)
        elif label is not None:
            label.stmts.append(item)
        else:
            items.append(item)
    body.block_items = items
    return body


__all__ = ["Builder", "grouped_cases", "join_strings", "value_of_string"]
