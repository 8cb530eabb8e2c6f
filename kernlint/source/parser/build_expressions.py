"""Building the tree of expressions and names: the methods that kernel.lark's rules name.

In: the children of one reduction (terminals, nodes, lists). Out: one node, or a list or helper for
an enclosing rule.
"""

from __future__ import annotations

from typing import Any, TypeVar

from kernlint.base.span import Span
from kernlint.source.parser import tree
from kernlint.source.parser.names import NAMED_CASTS
from kernlint.source.parser.terminals import Terminal

Children = list[Any]  # of one reduction: terminals, nodes, lists and helpers, as its rule says
T = TypeVar("T")
# what `new` makes: type, arguments, number of elements, end
Made = tuple[tree.Typename, list[tree.Operand] | None, tree.Expr | None, Span]

# precedence of C++'s binary operators; the assignment operators and `?:` bind weakest and to the
# right
PRECEDENCE = {
    operator: level
    for level, operators in enumerate(
        ("||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<=>", "<< >>", "+ -", "* / %", ".* ->*"),
        start=2,
    )
    for operator in operators.split()
}
RIGHT = 1
ASSIGNMENT = 1
PRECEDENCE[","] = 0


def span(children: Children) -> Span:
    """From the first to the last child."""
    first, last = children[0], children[-1]
    start: Span = first.coord
    return start if first is last else start.to(last.coord)


class Parenthesised:
    """`(expr)`: the expression inside and the place of its parentheses, which belong to what stands
    around it."""

    __slots__ = ("coord", "node")

    def __init__(self, node: tree.Expr, coord: Span) -> None:
        self.node, self.coord = node, coord


class Flat:
    """A chain of operands and operators still without order."""

    __slots__ = ("items",)

    def __init__(self, items: Children) -> None:
        self.items = items

    @property
    def coord(self) -> Span:
        return span(self.items)


class Choice:
    """`? expr :`, which stands between two operands like an operator; `node` None: `?:`, GNU's
    choice between the condition's own value and another."""

    __slots__ = ("coord", "node", "text")

    def __init__(self, node: tree.Expr | None, coord: Span) -> None:
        self.node, self.coord, self.text = node, coord, "?"


class Dots:
    """The `...` of a fold expression."""

    __slots__ = ("coord",)

    def __init__(self, coord: Span) -> None:
        self.coord = coord


def bare(value: tree.Expr | Parenthesised) -> tree.Expr:
    """The node without its parentheses."""
    return value.node if isinstance(value, Parenthesised) else value


def order(items: Children) -> tuple[tree.Expr, Span]:
    """The tree of [operand, operator, operand, …] by precedence, and its span."""
    operands: list[tuple[tree.Expr, Span]] = [(bare(items[0]), items[0].coord)]
    operators: list[Choice | Terminal] = []
    for index in range(1, len(items), 2):
        operator, operand = items[index], items[index + 1]
        level = PRECEDENCE.get(operator.text, ASSIGNMENT)
        while operators:
            top = PRECEDENCE.get(operators[-1].text, ASSIGNMENT)
            if top < level or (top == level and level == RIGHT):
                break
            _combine(operands, operators.pop())
        operators.append(operator)
        operands.append((bare(operand), operand.coord))
    while operators:
        _combine(operands, operators.pop())
    return operands[0]


def _combine(operands: list[tuple[tree.Expr, Span]], operator: Choice | Terminal) -> None:
    right, right_span = operands.pop()
    left, left_span = operands.pop()
    coord = left_span.to(right_span)
    node: tree.Expr
    if isinstance(operator, Choice):
        node = tree.TernaryOp(left, operator.node or left, right, coord)
    elif operator.type == "ASSIGN":
        node = tree.Assignment(operator.text, left, right, coord)
    else:
        node = tree.BinaryOp(operator.text, left, right, coord)
    operands.append((node, coord))


class ExpressionBuilder:
    """One method per rule or alias of the grammar's names and expressions."""

    # -- lists

    def new_list(self, children: Children) -> Children:
        return []

    def one(self, children: Children) -> Children:
        return children

    def two(self, children: Children) -> Children:
        return [children[0], children[2]]

    def append(self, children: Children) -> Children:
        children[0].append(children[1])
        result: Children = children[0]
        return result

    def append_after(self, children: Children) -> Children:
        children[0].append(children[2])
        result: Children = children[0]
        return result

    def first(self, children: list[T]) -> T:
        return children[0]

    def second(self, children: list[T]) -> T:
        return children[1]

    # -- names

    def plain_name(self, children: Children) -> tree.ID:
        return tree.ID(children[0].text, children[0].coord)

    def template_name(self, children: Children) -> tree.TemplateId:
        arguments, coord = children[1]
        return tree.TemplateId(arguments, children[0].text, coord=children[0].coord.to(coord))

    def no_template_arguments(self, children: Children) -> tuple[Children, Span]:
        return [], children[1].coord

    def template_arguments(self, children: Children) -> tuple[Children, Span]:
        return children[1], children[2].coord

    def destructor_name(self, children: Children) -> tree.DestructorName:
        return tree.DestructorName(children[0].text[1:], coord=children[0].coord)

    def operator_symbol(self, children: Children) -> tree.OperatorName:
        return tree.OperatorName(None, children[0].text, coord=children[0].coord)

    def operator_template(self, children: Children) -> tree.TemplateId:
        arguments, coord = children[1]
        name = f"operator{children[0].text}"
        return tree.TemplateId(arguments, name, coord=children[0].coord.to(coord))

    def conversion_name(self, children: Children) -> tree.OperatorName:
        return tree.OperatorName(children[1], "", coord=span(children))

    def operator_name(self, children: list[T]) -> T:
        return children[0]

    def name_part(self, children: list[T]) -> T:
        return children[0]

    type_head = value_head = declared_head = name_part

    def path_start(self, children: Children) -> Children:
        return [children[0]]

    def global_path_start(self, children: Children) -> Children:
        return [children[0], children[1]]

    def path_append(self, children: Children) -> Children:
        path: Children = children[0]
        path.append(children[2])
        return path

    def path_node(self, parts: Children) -> tree.Name:
        """The node of a qualified name; a leading terminal is the global `::`."""
        first: tree.Name | Terminal = parts[0]
        if isinstance(first, Terminal):
            return tree.QualifiedName(parts[1:], True, span(parts))
        return first if len(parts) == 1 else tree.QualifiedName(parts, False, span(parts))

    def constrained_auto(self, children: Children) -> tree.AutoType:
        return tree.AutoType(children[2].coord, constraint=self.path_node(children[1]))

    def value_path(self, children: Children) -> tree.Name:
        return self.path_node(children[0])

    # -- operators

    def flat(self, children: Children) -> Flat:
        left = children[0]
        if isinstance(left, Flat):
            left.items += children[1:]
            return left
        return Flat(children)

    flat_choice = flat

    def choice(self, children: Children) -> Choice:
        return Choice(children[1] if len(children) > 2 else None, span(children))

    def resolve(self, children: Children) -> tree.Expr:
        value: tree.Expr | Parenthesised | Flat = children[0]
        return order(value.items)[0] if isinstance(value, Flat) else bare(value)

    def comma(self, children: Children) -> tree.ExprList:
        return tree.ExprList(children[0], span(children[0]))

    def prefix(self, children: Children) -> tree.UnaryOp:
        return tree.UnaryOp(
            children[0].text.strip("_").replace("alignof__", "alignof"),
            bare(children[1]),
            span(children),
        )

    def postfix_operator(self, children: Children) -> tree.UnaryOp:
        return tree.UnaryOp("p" + children[1].text, bare(children[0]), span(children))

    def cast(self, children: Children) -> tree.Cast:
        return tree.Cast(children[1], bare(children[3]), span(children))

    def sizeof_type(self, children: Children) -> tree.SizeofType:
        word = children[0].text
        return tree.SizeofType(
            children[2], "alignof" if "alignof" in word.lower() else word, coord=span(children)
        )

    def new_base(self, children: Children) -> tree.Typename:
        return self.typename(children[0], [])

    def new_base_pointer(self, children: Children) -> tree.Typename:
        """A star, or the `&` of a conversion to a reference."""
        base: tree.Typename = children[0]
        mark = children[1].text
        if mark == "*":
            base.type = tree.PtrDecl([], base.type, coord=base.coord)
        elif mark in ("&", "&&"):
            base.type = tree.RefDecl(base.type, mark == "&&", coord=base.coord)
        return base

    def typename(self, specifiers: Children, modifiers: Children) -> tree.Typename:
        raise NotImplementedError

    def new_object(self, children: Children) -> Made:
        arguments = self.arguments_of(children[1]) if len(children) > 1 else None
        return children[0], arguments, None, children[-1].coord

    def new_extent(self, children: Children) -> tuple[list[tree.Expr], Span]:
        before = children[0][0] if len(children) > 3 else []
        return [*before, children[-2]], children[-1].coord

    def new_open_extent(self, children: Children) -> tuple[list[tree.Expr], Span]:
        """`new T[]{…}`, whose values say how many (`new_array`)."""
        return [tree.Constant("int", "0", children[0].coord)], children[-1].coord

    def new_array(self, children: Children) -> Made:
        """`new T[n][8]`: n elements of type `T [8]`; behind it may be the first ones' values."""
        made: tree.Typename = children[0]
        (size, *inner), end = children[1]
        items = self.arguments_of(children[2]) if len(children) > 2 else None
        if items and isinstance(size, tree.Constant) and size.value == "0":
            size = tree.Constant("int", str(len(items)), size.coord)
        for extent in reversed(inner):
            made.type = tree.ArrayDecl(made.type, extent, [], coord=made.coord)
        return made, items, size, end

    def new_plain(self, children: Children) -> tree.NewExpr:
        made, arguments, size, end = children[-1]
        return tree.NewExpr(made, arguments, size, coord=children[0].coord.to(end))

    def new_placed(self, children: Children) -> tree.NewExpr:
        made, arguments, size, end = children[-1]
        return tree.NewExpr(made, arguments, size, children[0].coord.to(end), placement=children[2])

    def delete(self, children: Children) -> tree.DeleteExpr:
        return tree.DeleteExpr(bare(children[1]), False, coord=span(children))

    def delete_array(self, children: Children) -> tree.DeleteExpr:
        return tree.DeleteExpr(bare(children[3]), True, coord=span(children))

    def throw(self, children: Children) -> tree.ThrowExpr:
        return tree.ThrowExpr(children[1] if len(children) > 1 else None, coord=span(children))

    def ellipsis(self, children: Children) -> Dots:
        return Dots(children[0].coord)

    # -- postfix expressions

    def call_arguments(self, children: Children) -> tree.ExprList:
        arguments = children[1] if len(children) == 3 else []
        return tree.ExprList(arguments, span(children))

    def arguments_of(self, node: tree.ExprList | tree.InitList) -> list[tree.Operand]:
        return list(node.exprs)

    def call(self, children: Children) -> tree.FuncCall:
        arguments = children[1]
        return tree.FuncCall(
            bare(children[0]), arguments if arguments.exprs else None, span(children)
        )

    def subscript(self, children: Children) -> tree.ArrayRef:
        return tree.ArrayRef(bare(children[0]), children[2], span(children))

    def launch(self, children: Children) -> tree.KernelLaunch:
        return tree.KernelLaunch(
            bare(children[0]), children[2], self.arguments_of(children[4]), coord=span(children)
        )

    def member(self, children: Children) -> tree.StructRef:
        return tree.StructRef(bare(children[0]), children[1].text, children[2], span(children))

    def member_of_base(self, children: Children) -> tree.StructRef:
        field = self.path_node([*children[2], children[4]])
        return tree.StructRef(bare(children[0]), children[1].text, field, span(children))

    def expansion(self, children: Children) -> tree.PackExpansion:
        return tree.PackExpansion(bare(children[0]), coord=span(children))

    # -- primaries

    def identifier(self, children: Children) -> tree.ID:
        return tree.ID(children[0].text, children[0].coord)

    def integer(self, children: Children) -> tree.Constant:
        return tree.Constant("int", children[0].text, children[0].coord)

    def floating(self, children: Children) -> tree.Constant:
        return tree.Constant("float", children[0].text, children[0].coord)

    def character(self, children: Children) -> tree.Constant:
        return tree.Constant("char", children[0].text, children[0].coord)

    def boolean(self, children: Children) -> tree.Constant:
        return tree.Constant("bool", children[0].text, children[0].coord)

    def nullptr(self, children: Children) -> tree.Constant:
        return tree.Constant("nullptr", children[0].text, children[0].coord)

    def this(self, children: Children) -> tree.This:
        return tree.This(coord=children[0].coord)

    def string(self, children: Children) -> tree.Constant:
        pieces = children[0]
        return tree.Constant("string", join_strings([piece.text for piece in pieces]), span(pieces))

    def parenthesised(self, children: Children) -> Parenthesised:
        return Parenthesised(children[1], span(children))

    def fold(self, children: Children) -> tree.FoldExpr:
        items = children[1].items if type(children[1]) is Flat else [children[1]]
        place = next((i for i, item in enumerate(items) if type(item) is Dots), 0)
        left = order(items[: place - 1])[0] if place else None
        right = order(items[place + 2 :])[0] if place + 2 < len(items) else None
        operator = items[place - 1] if place else items[1]
        return tree.FoldExpr(left, right, operator.text, coord=span(children))

    def statement_expression(self, children: Children) -> tree.StatementExpr:
        return tree.StatementExpr(children[1], coord=span(children))

    def construct_path(self, children: Children) -> tree.Typename:
        return self.typename([self.named_type(children)], [])

    def named_type(self, children: Children) -> tree.TypeNode:
        raise NotImplementedError

    def construct_word(self, children: Children) -> tree.Typename:
        return self.typename(children, [])

    construct_auto = construct_word

    def construct(self, children: Children) -> tree.Construct:
        arguments = children[1]
        return tree.Construct(
            children[0],
            self.arguments_of(arguments),
            type(arguments) is tree.InitList,
            coord=span(children),
        )

    def vector_literal(self, children: Children) -> tree.Construct:
        return tree.Construct(
            children[1],
            self.arguments_of(children[3]),
            type(children[3]) is tree.InitList,
            coord=span(children),
        )

    def named_cast(self, children: Children) -> tree.NamedCast:
        return tree.NamedCast(
            children[2], children[5], NAMED_CASTS[children[0].text], coord=span(children)
        )

    def bit_cast(self, children: Children) -> tree.NamedCast | tree.TypeTrait:
        arguments = self.arguments_of(children[1])
        if len(arguments) != 2:
            return tree.TypeTrait(arguments, children[0].text, coord=span(children))
        return tree.NamedCast(arguments[0], arguments[1], "bit", coord=span(children))

    def trait(self, children: Children) -> tree.TypeTrait:
        return tree.TypeTrait(
            self.arguments_of(children[1]), children[0].text, coord=span(children)
        )

    def requires_expression(self, children: Children) -> tree.RequiresExpr:
        params = children[1] if isinstance(children[1], tree.ParamList) else None
        return tree.RequiresExpr(params, children[-2], span(children))

    def requirement(self, children: Children) -> tree.Requirement:
        kind = {"REQUIREMENT": "expression", "TYPE_REQUIREMENT": "type"}
        return tree.Requirement(
            children[1], None, kind.get(children[0].type, "nested"), span(children)
        )

    def result_requirement(self, children: Children) -> tree.Requirement:
        result = self.path_node(children[3])
        coord = children[0].coord.to(result.coord)
        return tree.Requirement(children[1], result, "expression", coord)

    def unread_requirement(self, children: Children) -> tree.Requirement:
        return tree.Requirement(None, None, "unread", span(children))

    # -- braces

    def brace_list(self, children: Children) -> tree.InitList:
        return tree.InitList(children[1] if len(children) > 2 else [], span(children))

    def designated(self, children: Children) -> tree.NamedInitializer:
        return tree.NamedInitializer(
            children[-1], children[0], children[0][0].coord.to(children[-1].coord)
        )

    designated_braces = designated

    def field_designator(self, children: Children) -> tree.ID:
        return tree.ID(children[1].text, children[1].coord)

    def index_designator(self, children: list[T]) -> T:
        return children[1]

    def range_designator(self, children: Children) -> tree.BinaryOp:
        """GNU's `[first ... last]`."""
        return tree.BinaryOp("...", children[1], children[3], span(children))


def join_strings(pieces: list[str]) -> str:
    """Adjacent literals as one, in the spelling of C: prefix of the first, quotes once; raw strings
    stay apart."""
    if len(pieces) == 1 or any("R" in piece.split('"', 1)[0] for piece in pieces):
        return " ".join(pieces)
    prefix = pieces[0].split('"', 1)[0]
    return (
        prefix + '"' + "".join(piece.split('"', 1)[1].rsplit('"', 1)[0] for piece in pieces) + '"'
    )
