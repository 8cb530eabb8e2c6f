"""Questions about a function body's syntax that lowering asks before it starts: which names are
assigned, which are copied once.

In: body nodes. Out: names and lines, worked out once for each body; never resolves names.
"""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast

from kernlint.base.per_object import PerObject
from kernlint.lowering.syntax import Node
from kernlint.source.parser import tree

_OPERATIONS = (c_ast.BinaryOp, c_ast.UnaryOp, c_ast.Cast, tree.NamedCast)
_EVALUATED = (*_OPERATIONS, c_ast.ArrayRef, c_ast.FuncCall, c_ast.ExprList, tree.ConstructorInit)
_READING = (
    c_ast.BinaryOp,
    c_ast.UnaryOp,
    c_ast.Cast,
    c_ast.ArrayRef,
    c_ast.If,
    c_ast.While,
    c_ast.DoWhile,
    c_ast.For,
    c_ast.Switch,
)
_SELECTIVE = frozenset({"&&", "||", "sizeof", "_Alignof", "alignof", "&"})  # an address is no value


def _assigned_names(body: Node) -> frozenset[str]:
    """Names assigned, stepped or addressed somewhere in `body`."""
    found: set[str] = set()
    for node in walk(body):
        target = None
        if isinstance(node, c_ast.Assignment):
            target = node.lvalue
        elif isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--", "&"):
            target = node.expr
        while isinstance(target, (c_ast.StructRef, c_ast.ArrayRef)):
            target = target.name
        if isinstance(target, c_ast.ID):
            found.add(target.name)
        if isinstance(node, tree.Asm):
            found |= {o.expr.name for o in node.outputs or [] if isinstance(o.expr, c_ast.ID)}
    return frozenset(found)


def _handed_names(body: Node) -> frozenset[str]:
    """Names that something may refer to: wherever they stand but as operands and conditions."""
    found: set[str] = set()
    for node in walk(body):
        if not isinstance(node, _READING) or (
            isinstance(node, c_ast.BinaryOp) and node.op in ("<<", ">>")
        ):  # of a stream
            found |= {one.name for _, one in node.children() if isinstance(one, c_ast.ID)}
    return frozenset(found)


def walk(node: Node) -> list[Node]:
    """Every node of a subtree, in the order of the text, parents first."""
    found, stack = [], [node]
    while stack:
        one = stack.pop()
        found.append(one)
        stack += [child for _, child in reversed(one.children()) if child is not None]
    return found


def _values_read(expression: Node) -> frozenset[str]:
    """Names of which an expression surely reads the value, were they scalars; none where parts of
    it may stay unevaluated."""
    found: set[str] = set()
    stack = [expression]
    while stack:
        one = stack.pop()
        if isinstance(one, c_ast.ID):
            found.add(one.name)
        elif isinstance(one, _EVALUATED) and getattr(one, "op", "") not in _SELECTIVE:
            stack += [
                child
                for _, child in one.children()
                if child is not None and not isinstance(child, c_ast.Typename)
            ]
        elif isinstance(one, c_ast.StructRef):
            stack.append(one.name)
    return frozenset(found)


def _copy_lines(body: Node) -> dict[int, int]:
    """For locals that are named exactly once after they got their value, as a whole right-hand
    side: id of the declaration, or of the one assignment, that gives it → line of that copy.

    nvcc charges the load of `float4 v = mem; … x = v;` to the line of the copy, unless something
    between them may write `mem`, or `x` is the thread's own (measured: a variable, an element of
    its array, an array written through a cast).
    """
    uses: dict[str, int] = {}
    given: dict[str, tuple[Node, int]] = {}
    follows = _following(body)
    copies: dict[str, tuple[Node, int, Node]] = {}
    declared: dict[str, list[tuple[Node, int]]] = {}
    written: list[str] = []  # bases of the writes so far, "" for a barrier
    every = walk(body)
    members = {
        id(node.field) for node in every if isinstance(node, c_ast.StructRef)
    }  # `threadIdx.x` is no use of a variable x
    for node in every:
        if isinstance(node, c_ast.ID):
            uses[node.name] = uses.get(node.name, 0) + (id(node) not in members)
        elif (
            isinstance(node, c_ast.Assignment)
            and node.op == "="
            and isinstance(node.rvalue, c_ast.ID)
        ):
            copies[node.rvalue.name] = node.rvalue, len(written), node.lvalue
        elif (
            isinstance(node, c_ast.Assignment)
            and node.op == "="
            and isinstance(node.lvalue, c_ast.ID)
            and node.lvalue.name not in copies
        ):
            given[node.lvalue.name] = node, len(written)
        elif isinstance(node, c_ast.Decl) and isinstance(node.name, str):
            declared.setdefault(node.name, []).append((node, len(written)))
        written += _writes(node)
    arrays = {
        name
        for name, nodes in declared.items()
        if all(isinstance(n.type, c_ast.ArrayDecl) for n, _ in nodes)
    }
    found: dict[int, int] = {}
    for name, (copy, end, target) in copies.items():
        nodes = declared.get(name, [])
        to, depth = _aim(target)
        own = any(_is_own(n, depth) for n, _ in declared.get(to, ()))
        if len(nodes) != 1 or copy.coord is None or own:
            continue
        assigned = given.get(name)
        node, start = assigned or nodes[0]
        value = node.rvalue if assigned else node.init
        if (
            value is not None
            and uses.get(name) == (2 if assigned else 1)
            and (not assigned or follows(node, copy))
        ):
            harmless = arrays - {n.name for n in walk(value) if isinstance(n, c_ast.ID)}
            if harmless.issuperset(written[start:end]):
                found[id(node)] = copy.coord.end_line
    return found


def _following(body: Node) -> Callable[[Node, Node], bool]:
    """Whether a node stands in what follows an assignment, a statement of a block, in that
    block."""
    places: dict[int, int] = {}
    ends: dict[
        int, tuple[int, int]
    ] = {}  # of an assignment, and of the block that it is a statement of
    pending: list[tuple[Node, int]] = [(body, -1)]  # a node to enter, or to leave with its place
    count = 0
    while pending:
        node, place = pending.pop()
        if place < 0:
            places[id(node)] = count
            pending.append((node, count))
            pending += [(child, -1) for _, child in reversed(node.children()) if child is not None]
            count += 1
        elif isinstance(node, c_ast.Assignment):
            ends[id(node)] = count, 0
        elif isinstance(node, c_ast.Compound):
            ends |= {
                id(item): (ends[id(item)][0], count)
                for item in node.block_items or []
                if isinstance(item, c_ast.Assignment)
            }

    def follows(assignment: Node, node: Node) -> bool:
        start, end = ends.get(id(assignment), (0, 0))
        return start <= places[id(node)] < end

    return follows


def _aim(target: Node) -> tuple[str, int]:
    """The variable that an assignment writes to, or through, and how many pointers it follows:
    indices and `*` less `&`."""
    depth = 0
    while not isinstance(target, c_ast.ID):
        if isinstance(target, c_ast.UnaryOp) and target.op in ("*", "&"):
            depth, target = depth + (1 if target.op == "*" else -1), target.expr
        elif isinstance(target, (c_ast.Cast, tree.NamedCast)):
            target = target.expr
        elif isinstance(target, c_ast.ArrayRef):
            depth, target = depth + 1, target.name
        elif isinstance(target, c_ast.StructRef) and target.type == ".":
            target = target.name
        else:
            return "", 0
    return str(target.name), depth


def _is_own(declaration: Node, depth: int) -> bool:
    """Whether what lies `depth` pointers behind a variable is the thread's own: its array's
    elements, itself."""
    type_ = declaration.type
    while isinstance(type_, c_ast.ArrayDecl):
        type_, depth = type_.type, depth - 1
    return (
        depth <= 0
        and isinstance(type_, c_ast.TypeDecl)
        and not {"__shared__", "__local"} & set(declaration.funcspec or ())
    )


assigned_names, handed_names = PerObject(_assigned_names), PerObject(_handed_names)
copy_lines, values_read = PerObject(_copy_lines), PerObject(_values_read)


def _named(init: Node) -> Node:
    """What an initialiser names: fields, pointers as others and the shared address of one need no
    instruction."""
    while True:
        cast = isinstance(init, (c_ast.Cast, tree.NamedCast))
        if isinstance(init, c_ast.StructRef):
            init = init.name
        elif cast and (
            isinstance(init.to_type.type, c_ast.PtrDecl) or _is_shared_address(init.expr)
        ):
            init = init.expr
        elif _is_shared_address(init):
            init = init.args.exprs[0]
        else:
            return init


def _is_shared_address(node: Node) -> bool:
    return (
        isinstance(node, c_ast.FuncCall)
        and getattr(node.name, "name", "") == "__cvta_generic_to_shared"
        and node.args is not None
    )


def _makes_shared(body: Node) -> bool:
    """Whether a body makes a shared address of a pointer."""
    return any(_is_shared_address(node) for node in walk(body))


def _first_statement(body: Node) -> tuple[Node | None, frozenset[str]]:
    """The first statement of a body that needs an instruction, with the names in it: names for
    values that are at hand do not."""
    for item in getattr(body, "block_items", None) or ():
        init = item.init if isinstance(item, c_ast.Decl) else item
        if isinstance(item, c_ast.Decl):
            init = _named(init)
        if init is not None and not (
            isinstance(item, c_ast.Decl) and isinstance(init, (c_ast.ID, c_ast.Constant))
        ):
            return item, frozenset(n.name for n in walk(item) if isinstance(n, c_ast.ID))
    return None, frozenset()


first_statement, makes_shared = PerObject(_first_statement), PerObject(_makes_shared)


def _writes(node: Node) -> list[str]:
    """The base names of what a node writes other than plain variables; "" for a barrier. Atomics do
    not count (measured)."""
    target = node.lvalue if isinstance(node, c_ast.Assignment) else None
    if isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--"):
        target = node.expr
    if target is not None and not isinstance(target, c_ast.ID):
        while isinstance(target, (c_ast.StructRef, c_ast.ArrayRef)):
            target = target.name
        return [target.name if isinstance(target, c_ast.ID) else ""]
    name = getattr(node.name, "name", "") if isinstance(node, c_ast.FuncCall) else ""
    return [""] if isinstance(name, str) and ("sync" in name or "barrier" in name) else []
