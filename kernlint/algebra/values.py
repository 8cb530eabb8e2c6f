"""What an IR expression is as a node, under an environment of variables.

In: ir expressions, variable → node. Out: nodes. Never: numbers of lanes, memory, control flow.
"""

from __future__ import annotations

from kernlint.algebra.expression import FLOATING, IndexNode, Nodes
from kernlint.ir import nodes as ir
from kernlint.ir.types import Integer, Pointer
from kernlint.lowering.calls.intrinsics import is_rank
from kernlint.model.facts import Launch

Environment = dict[ir.Variable, IndexNode]

CUDA = {
    "tid": "threadIdx.{}",
    "ctaid": "blockIdx.{}",
    "ntid": "blockDim.{}",
    "nctaid": "gridDim.{}",
}
OPENCL = {
    "tid": "get_local_id({})",
    "ctaid": "get_group_id({})",
    "ntid": "get_local_size({})",
    "nctaid": "get_num_groups({})",
}
BUILTIN_KINDS = {
    "tid": "thread",
    "ctaid": "block",
    "ntid": "size",
    "nctaid": "size",
    "laneid": "lane",
    "warpid": "lane",
}
PLAIN = {"warpsize": "warpSize", "dynamic_smem_size": "dynamicSharedBytes"}
PLAIN_OPENCL = {
    "laneid": "get_sub_group_local_id()",
    "warpid": "get_sub_group_id()",
    "warpsize": "get_max_sub_group_size()",
}
PRODUCTS = ("mul24", "umul24", "__mul24", "__umul24")
JOINED = "joined"
WALKED = "loop"  # the kind of what a loop carries
AXES = {"x": 0, "y": 1, "z": 2}


def builtin_name(name: str, language: str) -> str:
    """A built-in in the words of the source language."""
    stem, _, axis = name.partition(".")
    if language == "opencl":
        return OPENCL[stem].format(AXES[axis]) if stem in OPENCL else PLAIN_OPENCL.get(name, name)
    return CUDA[stem].format(axis) if stem in CUDA else PLAIN.get(name, name)


class Values:
    """Evaluates expressions of one kernel at one launch."""

    def __init__(self, nodes: Nodes, language: str, launch: Launch) -> None:
        self.nodes = nodes
        self._language = language
        self._builtins = _known_builtins(launch)
        # of a rank in one row the other axes add nothing
        shapes = (("tid", "ntid", launch.block), ("ctaid", "nctaid", launch.grid))
        self._rows = [
            (of, size) for of, size, shape in shapes if shape is not None and shape[1:] == (1, 1)
        ]
        # by name of unknowns: what tells those of the name apart
        self._apart: dict[str, list[str]] = {}

    def node(self, expression: ir.Expression, environment: Environment) -> IndexNode:
        match expression:
            case ir.Constant(value=int() as value):
                return self.nodes.integer(int(value))
            case ir.Constant(value=value):
                return self.nodes.symbol(repr(value), "value")
            case ir.Read(variable=variable):
                return self._read(variable, environment)
            case ir.Builtin(name=name):
                return self._builtin(name)
            case ir.Address(object=target):
                return self.nodes.base(target.name, "object", id(target))
            case ir.Unary(op="-", operand=operand, type=Integer()):
                return self._wrapped(self.nodes.negate(self.node(operand, environment)), expression)
            case ir.Unary(op=op, operand=operand):
                return self._wrapped(
                    self.nodes.apply(op, self.node(operand, environment)), expression
                )
            case ir.Binary() if any(is_rank(expression, of, size) for of, size in self._rows):
                return self._builtin("tid.x" if is_rank(expression, "tid", "ntid") else "ctaid.x")
            case ir.Binary():
                return self._binary(expression, environment)
            case ir.Convert(operand=operand):
                return self._converted(self.node(operand, environment), operand, expression)
            case ir.Select(condition=condition, then=then, otherwise=otherwise):
                return self.nodes.apply(
                    "?:", *(self.node(part, environment) for part in (condition, then, otherwise))
                )
            case ir.Call(name=name, arguments=arguments):
                return self._call(
                    name, [self.node(argument, environment) for argument in arguments]
                )
            case ir.Unknown(operands=operands, pure=pure, what=what):
                return self._unknown(
                    expression,
                    pure,
                    what,
                    [self.node(operand, environment) for operand in operands],
                )
        raise TypeError(f"not an expression: {expression!r}")

    def origin(self, name: str, kind: str, variable: ir.Variable) -> IndexNode:
        """A value that equals no other: a base for a pointer, else a symbol; where paths meet with
        different ones ("joined"), and where a loop moves it on ("loop"), its base says nothing of where a
        pointer points. Lowering's own
        variables are named "(value)", parts of them "(value).x"."""
        name = (
            name.replace("(", "", 1).replace(")", "", 1)
            if name == variable.name and name.startswith("(")
            else name
        )
        if isinstance(variable.type, Pointer):
            return self.nodes.fresh_base(name, kind if kind in (JOINED, WALKED) else "pointer")
        return self.nodes.fresh(name, "value" if kind == JOINED else kind)

    def _read(self, variable: ir.Variable, environment: Environment) -> IndexNode:
        if variable not in environment:
            environment[variable] = self.origin(variable.name, "value", variable)
        return environment[variable]

    def _builtin(self, name: str) -> IndexNode:
        if name in self._builtins:
            return self.nodes.integer(self._builtins[name])
        return self.nodes.symbol(
            builtin_name(name, self._language),
            BUILTIN_KINDS.get(name.partition(".")[0], "parameter"),
        )

    def _binary(self, expression: ir.Binary, environment: Environment) -> IndexNode:
        left, right = (
            self.node(expression.left, environment),
            self.node(expression.right, environment),
        )
        if not isinstance(expression.type, (Integer, Pointer)):
            return self.nodes.apply(FLOATING + expression.op, left, right)
        match expression.op:
            case "+":
                result = self.nodes.add(left, self.added(expression.right, environment))
            case "-":
                result = self.nodes.add(left, self.nodes.negate(right))
            case "*":
                result = self.nodes.multiply(left, right)
            case op:
                result = self.nodes.apply(op, left, right)
        return self._wrapped(result, expression)

    def added(self, expression: ir.Expression, environment: Environment) -> IndexNode:
        """An addend. An unsigned one of more than half the type's range takes away: `i +
        0xffffffff` is i - 1, and so is the step of `i -= blockDim.x`."""
        node, kind = self.node(expression, environment), expression.type
        if (
            node.op == "int"
            and isinstance(kind, Integer)
            and not kind.signed
            and node.value >> (kind.bits - 1) == 1
            and kind.bits >= 32
        ):
            return self.nodes.integer(node.value - (1 << kind.bits))
        return node

    def _wrapped(self, node: IndexNode, expression: ir.Expression) -> IndexNode:
        if node.op == "int" and isinstance(expression.type, Integer):
            return self.nodes.integer(wrap(node.value, expression.type))
        return node

    def _converted(
        self, node: IndexNode, operand: ir.Expression, expression: ir.Convert
    ) -> IndexNode:
        source, target = operand.type, expression.type
        if not isinstance(target, Integer):
            return node
        if target.is_bool:
            return self.nodes.apply("!=", node, self.nodes.integer(0))
        if node.op == "int":
            return self.nodes.integer(wrap(node.value, target))
        if isinstance(source, (Integer, Pointer)):
            bits = source.bits if isinstance(source, Integer) else 64
            if target.bits >= min(bits, 32) or _fits(node, target):
                return node
        return self.nodes.apply(f"({target.name})", node)

    def _call(self, name: str, arguments: list[IndexNode]) -> IndexNode:
        return (
            self.nodes.multiply(*arguments)
            if name in PRODUCTS and len(arguments) == 2
            else self.nodes.apply(name, *arguments)
        )

    def _unknown(
        self, expression: ir.Unknown, pure: bool, what: str, operands: list[IndexNode]
    ) -> IndexNode:
        if pure and what:
            known = self._apart.setdefault(what, [])
            if expression.apart not in known:
                known.append(expression.apart)
            what += "'" * known.index(expression.apart)
            return (
                self.nodes.apply(what, *operands) if operands else self.nodes.symbol(what, "value")
            )
        name = what or "unknown"
        return (
            self.nodes.fresh_base(name, "unknown")
            if isinstance(expression.type, Pointer)
            else self.nodes.fresh(name, "value")
        )


def wrap(value: int, kind: Integer) -> int:
    """`value` as the type holds it."""
    value &= (1 << kind.bits) - 1
    return value - (1 << kind.bits) if kind.signed and value >> (kind.bits - 1) else value


def _fits(node: IndexNode, target: Integer) -> bool:
    """Whether a masked value keeps its value in `target`."""
    if node.op not in ("&", "%") or node.arguments[1].op != "int" or node.arguments[1].value < 0:
        return False
    bound = node.arguments[1].value + (1 if node.op == "&" else 0)
    return (node.op == "&" or not target.signed) and bound <= 1 << (target.bits - target.signed)


def _known_builtins(launch: Launch) -> dict[str, int]:
    known = {f"goffset.{axis}": 0 for axis in AXES}
    if launch.block_assumed:
        return known
    known |= {f"ntid.{axis}": launch.block[place] for axis, place in AXES.items()}
    if launch.grid is not None:
        known |= {f"nctaid.{axis}": launch.grid[place] for axis, place in AXES.items()}
    if launch.dynamic_shared_bytes is not None:
        known["dynamic_smem_size"] = launch.dynamic_shared_bytes
    return known
