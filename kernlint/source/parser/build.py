"""Building the tree of statements, and the whole builder that the parser hands to lark.

In: the children of one reduction. Out: nodes of `kernlint.source.parser.tree`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kernlint.base import python_text
from kernlint.base.span import Span
from kernlint.source.parser import tree
from kernlint.source.parser.build_declarations import DeclarationBuilder, Variable
from kernlint.source.parser.build_declarators import Specifiers
from kernlint.source.parser.build_expressions import Children, T, join_strings, span
from kernlint.source.parser.terminals import BodyTerminal


@dataclass(slots=True)
class LambdaHead:
    """What stands between a lambda's captures and its body."""

    specifiers: list[str] = field(default_factory=list)
    params: tree.ParamList | None = None
    template: list[tree.TemplateParam] | None = None


class TreeBuilder(DeclarationBuilder):
    """All methods that kernel.lark's rules name; `lazy` makes the body of a function from its
    terminal."""

    def __init__(self, lazy: Callable[[BodyTerminal], tree.Body]) -> None:
        self._lazy = lazy

    def lazy_body(self, terminal: BodyTerminal) -> tree.Body:
        return self._lazy(terminal)

    def unit(self, children: list[T]) -> T:
        return children[0]

    def body(self, children: list[T]) -> T:
        return children[0]

    def expression_only(self, children: list[T]) -> T:
        return children[0]

    # -- statements

    def compound(self, children: Children) -> tree.Compound:
        return tree.Compound(children[1], span(children))

    def expression_statement(self, children: list[T]) -> T:
        return children[0]

    def empty_statement(self, children: Children) -> tree.EmptyStatement:
        return tree.EmptyStatement(children[0].coord)

    def pragma(self, children: Children) -> tree.Pragma:
        text = children[0].text.strip().removeprefix("#").strip().removeprefix("pragma").strip()
        return tree.Pragma(text, children[0].coord)

    def if_plain(self, children: Children) -> tree.If:
        return tree.If(
            children[2], children[4], children[6] if len(children) > 5 else None, span(children)
        )

    def conditional(self, children: Children) -> tree.Conditional:
        init, condition = children[1]
        iffalse = children[5] if len(children) > 4 else None
        is_constexpr = children[0].text == "if constexpr"
        return tree.Conditional(
            init, condition, children[3], iffalse, is_constexpr, coord=span(children)
        )

    def one_condition(self, children: Children) -> tuple[tree.Stmt | None, tree.Stmt]:
        return None, children[1]

    def two_conditions(self, children: Children) -> tuple[tree.Stmt | None, tree.Stmt]:
        return children[1], children[2]

    def declared_condition(self, children: Children) -> Variable:
        return self._declared(Specifiers(children[1]), *children[2])

    def for_loop(self, children: Children) -> tree.For:
        init = children[2]
        if isinstance(init, tree.EmptyStatement):
            init = None
        elif isinstance(init, (tree.Decl, tree.Typedef)):
            init = tree.DeclList([init], init.coord)
        elif isinstance(init, tree.DeclGroup):
            init = tree.DeclList(init.decls, init.coord)
        middle = children[3:-2]
        semicolon = next(
            i
            for i, item in enumerate(middle)
            if getattr(item, "type", "") == "SEMI" and not isinstance(item, tree.Node)
        )
        condition = middle[semicolon - 1] if semicolon else None
        step = middle[semicolon + 1] if semicolon + 1 < len(middle) else None
        return tree.For(init, condition, step, children[-1], span(children))

    def range_variable(self, children: Children) -> Variable:
        return self._declared(Specifiers(children[1]), *children[2])

    def range_binding(self, children: Children) -> tree.StructuredBinding:
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

    def range_for(self, children: Children) -> tree.RangeFor:
        init = children[2] if len(children) == 8 else None
        return tree.RangeFor(init, children[-5], children[-3], children[-1], coord=span(children))

    def while_loop(self, children: Children) -> tree.While:
        return tree.While(children[2], children[4], span(children))

    def do_loop(self, children: Children) -> tree.DoWhile:
        return tree.DoWhile(children[4], children[1], span(children))

    def switch(self, children: Children) -> tree.Switch | tree.Compound:
        init, condition = children[1]
        body = grouped_cases(children[3])
        made = tree.Switch(condition, body, span(children))
        return made if init is None else tree.Compound([init, made], span(children))

    def case(self, children: Children) -> tree.Case:
        return tree.Case(children[1], [], span(children))

    def case_range(self, children: Children) -> tree.Case:
        return tree.Case(children[1], [], span(children), last=children[3])

    def default(self, children: Children) -> tree.Default:
        return tree.Default([], span(children))

    def break_statement(self, children: Children) -> tree.Break:
        return tree.Break(span(children))

    def continue_statement(self, children: Children) -> tree.Continue:
        return tree.Continue(span(children))

    def return_statement(self, children: Children) -> tree.Return:
        return tree.Return(children[1] if len(children) > 2 else None, span(children))

    def goto(self, children: Children) -> tree.Goto:
        return tree.Goto(children[1].text, span(children))

    def label(self, children: Children) -> tree.Label:
        return tree.Label(children[0].text, children[2], span(children))

    def try_statement(self, children: Children) -> tree.Try:
        return tree.Try(children[1], children[2], coord=children[0].coord.to(children[2][-1].coord))

    def handler(self, children: list[T]) -> T:
        return children[2]

    def attributed(self, children: Children) -> tree.Attributed:
        return tree.Attributed(children[1], children[0].text.split(), coord=span(children))

    # -- lambdas

    def lambda_captures(self, children: Children) -> tuple[Span, Children]:
        return children[0].coord, children[1] if len(children) == 3 else []

    def capture_default(self, children: Children) -> str:
        return str(children[0].text)

    def capture(self, children: Children) -> tree.Capture:
        by_reference = children[0].type == "CAPTURE_REFERENCE"
        return tree.Capture(
            None, children[1 if by_reference else 0].text, by_reference, coord=span(children)
        )

    def capture_initialised(self, children: Children) -> tree.Capture:
        by_reference = children[0].type == "CAPTURE_REFERENCE"
        return tree.Capture(
            children[-1],
            children[1 if by_reference else 0].text,
            by_reference,
            coord=span(children),
        )

    capture_braced = capture_initialised

    def lambda_head(self, children: Children) -> LambdaHead:
        return LambdaHead()

    def lambda_specifier(self, children: Children) -> LambdaHead:
        head: LambdaHead = children[0]
        head.specifiers.append(children[1].text)
        return head

    def lambda_attribute(self, children: list[T]) -> T:
        return children[0]

    def lambda_template(self, children: Children) -> LambdaHead:
        head: LambdaHead = children[0]
        head.template = children[2]
        return head

    def lambda_parameters(self, children: Children) -> LambdaHead:
        head: LambdaHead = children[0]
        head.params = children[1]
        return head

    def lambda_plain(self, children: Children) -> tree.Lambda:
        return self._lambda(children, None)

    def lambda_typed(self, children: Children) -> tree.Lambda:
        return self._lambda(children, children[3])

    def _lambda(self, children: Children, return_type: tree.TypeNode | None) -> tree.Lambda:
        start, captures = children[0]
        default = next((item for item in captures if isinstance(item, str)), "")
        named = [item for item in captures if not isinstance(item, str)]
        head, body = children[1], children[-1]
        return tree.Lambda(
            named,
            head.template,
            head.params,
            return_type,
            body,
            default,
            head.specifiers,
            coord=start.to(body.coord),
        )

    # -- inline assembly

    def asm_statement(self, children: Children) -> tree.Asm:
        is_braces = children[2].type == "ASM_LBRACE"
        sections = [*children[4], [], [], [], []]
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
            [item for item in sections[3] if isinstance(item, tree.Goto)],
            template,
            is_volatile,
            clobbers,
            is_braces,
            coord=span(children),
        )

    def asm_section(self, children: Children) -> Children:
        sections: Children = children[0]
        sections.append(children[2] if len(children) > 2 else [])
        return sections

    def asm_clobber(self, children: list[T]) -> T:
        return children[0]

    def asm_label(self, children: Children) -> tree.Goto:
        return tree.Goto(children[0].text, coord=children[0].coord)

    def asm_operand(self, children: Children) -> tree.AsmOperand:
        coord = children[0][0].coord.to(children[3].coord)
        return tree.AsmOperand(
            children[2], value_of_string([piece.text for piece in children[0]]), "", coord=coord
        )

    def asm_named_operand(self, children: Children) -> tree.AsmOperand:
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
        return python_text.literal('"' + inner.replace("\n", "\\n") + '"')
    except (SyntaxError, ValueError):
        return inner


def grouped_cases(body: tree.Stmt) -> tree.Stmt:
    """The body of a switch with each statement moved into the label before it."""
    if not isinstance(body, tree.Compound):
        return body
    items: list[tree.Stmt] = []
    label: tree.Case | tree.Default | None = None
    for item in body.block_items:
        if isinstance(item, (tree.Case, tree.Default)):
            label = item
            items.append(item)
        elif label is not None:
            label.stmts.append(item)
        else:
            items.append(item)
    body.block_items = items
    return body


__all__ = ["TreeBuilder", "grouped_cases", "join_strings", "value_of_string"]
