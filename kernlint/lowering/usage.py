"""Questions about a function body's syntax that lowering asks before it starts: which names are
assigned, which are copied once.

In: body nodes. Out: names and lines, worked out once for each body; never resolves names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kernlint.base.per_object import PerObject
from kernlint.source.parser import tree

_OPERATIONS = (tree.BinaryOp, tree.UnaryOp, tree.Cast, tree.NamedCast)
_EVALUATED = (*_OPERATIONS, tree.ArrayRef, tree.FuncCall, tree.ExprList, tree.ConstructorInit)
_READING = (
    tree.BinaryOp,
    tree.UnaryOp,
    tree.Cast,
    tree.ArrayRef,
    tree.If,
    tree.While,
    tree.DoWhile,
    tree.For,
    tree.Switch,
)
_SCOPES = (tree.Compound, tree.For, tree.RangeFor, tree.Lambda)
_SELECTIVE = frozenset({"&&", "||", "sizeof", "_Alignof", "alignof", "&"})  # an address is no value


def _assigned_names(body: tree.Node) -> frozenset[str]:
    """Names assigned, stepped or addressed somewhere in `body`."""
    found: set[str] = set()
    for node in walk(body):
        target = None
        if isinstance(node, tree.Assignment):
            target = node.lvalue
        elif isinstance(node, tree.UnaryOp) and node.op in ("++", "--", "p++", "p--", "&"):
            target = node.expr
        while isinstance(target, (tree.StructRef, tree.ArrayRef)):
            target = target.name
        if isinstance(target, tree.ID):
            found.add(target.name)
        if isinstance(node, tree.Asm):
            found |= {o.expr.name for o in node.outputs if isinstance(o.expr, tree.ID)}
    return frozenset(found)


def _handed_names(body: tree.Node) -> frozenset[str]:
    """Names that something may refer to: wherever they stand but as operands and conditions."""
    found: set[str] = set()
    for node in walk(body):
        if not isinstance(node, _READING) or (
            isinstance(node, tree.BinaryOp) and node.op in ("<<", ">>")
        ):  # of a stream
            found |= {one.name for _, one in node.children() if isinstance(one, tree.ID)}
    return frozenset(found)


def walk(node: tree.Node) -> list[tree.Node]:
    """Every node of a subtree, in the order of the text, parents first."""
    found, stack = [], [node]
    while stack:
        one = stack.pop()
        found.append(one)
        stack += [child for _, child in reversed(one.children())]
    return found


def _values_read(expression: tree.Node) -> frozenset[str]:
    """Names of which an expression surely reads the value, were they scalars; none where parts of
    it may stay unevaluated."""
    found: set[str] = set()
    stack = [expression]
    while stack:
        one = stack.pop()
        if isinstance(one, tree.ID):
            found.add(one.name)
        elif isinstance(one, _EVALUATED) and not _is_selective(one):
            stack += [child for _, child in one.children() if not isinstance(child, tree.Typename)]
        elif isinstance(one, tree.StructRef):
            stack.append(one.name)
    return frozenset(found)


def _is_selective(node: tree.Node) -> bool:
    return isinstance(node, (tree.BinaryOp, tree.UnaryOp)) and node.op in _SELECTIVE


def _copy_lines(body: tree.Node) -> dict[int, int]:
    """For locals that are named exactly once after they got their value, as a whole right-hand
    side: id of the declaration, or of the one assignment, that gives it → line of that copy.

    nvcc charges the load of `float4 v = mem; … x = v;` to the line of the copy, unless something
    between them may write `mem`, or `x` is the thread's own (measured: a variable, an element of
    its array, an array written through a cast).
    """
    uses: dict[str, int] = {}
    given: dict[str, tuple[tree.Assignment, int]] = {}
    follows = _following(body)
    copies: dict[str, tuple[tree.Node, int, tree.Node]] = {}
    declared: dict[str, list[tuple[tree.Decl, int]]] = {}
    written: list[str] = []  # bases of the writes so far, "" for a barrier
    every, names = walk(body), _bindings(body)
    # `threadIdx.x` is no use of a variable x
    members = {id(node.field) for node in every if isinstance(node, tree.StructRef)}
    for node in every:
        if isinstance(node, tree.ID):
            own_name = names[id(node)]
            uses[own_name] = uses.get(own_name, 0) + (id(node) not in members)
        elif (
            isinstance(node, tree.Assignment)
            and node.op == "="
            and isinstance(node.rvalue, tree.ID)
        ):
            copies[names[id(node.rvalue)]] = node.rvalue, len(written), node.lvalue
        elif (
            isinstance(node, tree.Assignment)
            and node.op == "="
            and isinstance(node.lvalue, tree.ID)
            and names[id(node.lvalue)] not in copies
        ):
            given[names[id(node.lvalue)]] = node, len(written)
        elif isinstance(node, tree.Decl) and node.name is not None:
            declared.setdefault(names[id(node)], []).append((node, len(written)))
        written += _writes(node)
    arrays = {
        name
        for name, nodes in declared.items()
        if all(isinstance(n.type, tree.ArrayDecl) for n, _ in nodes)
    }
    found: dict[int, int] = {}
    for name, (copy, end, target) in copies.items():
        nodes = declared.get(name, [])
        to, depth = _aim(target, names)
        own = any(_is_own(n, depth) for n, _ in declared.get(to, ()))
        if len(nodes) != 1 or own:
            continue
        node, start = given.get(name) or nodes[0]
        assigned = isinstance(node, tree.Assignment)
        value = node.rvalue if isinstance(node, tree.Assignment) else node.init
        if (
            value is not None
            and uses.get(name) == (2 if assigned else 1)
            and (not assigned or follows(node, copy))
        ):
            harmless = arrays - {names[id(n)] for n in walk(value) if isinstance(n, tree.ID)}
            if harmless.issuperset(written[start:end]):
                found[id(node)] = copy.coord.end_line
    return found


def _bindings(body: tree.Node) -> dict[int, str]:
    """For each identifier and declaration the variable that it means: its name, with a number where
    a block declares another variable of that name."""
    found: dict[int, str] = {}
    counts: dict[str, int] = {}

    pending: list[tuple[tree.Node, dict[str, str]]] = [(body, {})]
    while pending:
        node, scope = pending.pop()
        if isinstance(node, tree.Decl) and node.name is not None:
            count = counts[node.name] = counts.get(node.name, -1) + 1
            scope[node.name] = found[id(node)] = f"{node.name} {count}" if count else node.name
        elif isinstance(node, tree.ID):
            found[id(node)] = scope.get(node.name, node.name)
        inner = dict(scope) if isinstance(node, _SCOPES) else scope
        pending += [(child, inner) for _, child in reversed(node.children())]
    return found


def _following(body: tree.Node) -> Callable[[tree.Node, tree.Node], bool]:
    """Whether a node stands in what follows an assignment, a statement of a block, in that
    block."""
    places: dict[int, int] = {}
    # of an assignment, and of the block that it is a statement of
    ends: dict[int, tuple[int, int]] = {}
    # a node to enter, or to leave with its place
    pending: list[tuple[tree.Node, int]] = [(body, -1)]
    count = 0
    while pending:
        node, place = pending.pop()
        if place < 0:
            places[id(node)] = count
            pending.append((node, count))
            pending += [(child, -1) for _, child in reversed(node.children())]
            count += 1
        elif isinstance(node, tree.Assignment):
            ends[id(node)] = count, 0
        elif isinstance(node, tree.Compound):
            ends |= {
                id(item): (ends[id(item)][0], count)
                for item in node.block_items
                if isinstance(item, tree.Assignment)
            }

    def follows(assignment: tree.Node, node: tree.Node) -> bool:
        start, end = ends.get(id(assignment), (0, 0))
        return start <= places[id(node)] < end

    return follows


def _aim(target: tree.Node, names: Mapping[int, str]) -> tuple[str, int]:
    """The variable that an assignment writes to, or through, and how many pointers it follows:
    indices and `*` less `&`."""
    depth = 0
    while not isinstance(target, tree.ID):
        if isinstance(target, tree.UnaryOp) and target.op in ("*", "&"):
            depth, target = depth + (1 if target.op == "*" else -1), target.expr
        elif isinstance(target, (tree.Cast, tree.NamedCast)):
            target = target.expr
        elif isinstance(target, tree.ArrayRef):
            depth, target = depth + 1, target.name
        elif isinstance(target, tree.StructRef) and target.type == ".":
            target = target.name
        else:
            return "", 0
    return names[id(target)], depth


def _is_own(declaration: tree.Decl, depth: int) -> bool:
    """Whether what lies `depth` pointers behind a variable is the thread's own: its array's
    elements, itself."""
    type_ = declaration.type
    while isinstance(type_, tree.ArrayDecl):
        type_, depth = type_.type, depth - 1
    return (
        depth <= 0
        and isinstance(type_, tree.TypeDecl)
        and not {"__shared__", "__local"} & set(declaration.funcspec)
    )


assigned_names, handed_names = PerObject(_assigned_names), PerObject(_handed_names)
copy_lines, values_read = PerObject(_copy_lines), PerObject(_values_read)


def _named(init: tree.Node | None) -> tree.Node | None:
    """What an initialiser names: fields, pointers as others and the shared address of one need no
    instruction."""
    while True:
        if isinstance(init, tree.StructRef):
            init = init.name
        elif isinstance(init, (tree.Cast, tree.NamedCast)) and (
            _is_pointer(init.to_type) or _shared_address(init.expr) is not None
        ):
            init = init.expr
        elif (pointer := _shared_address(init)) is not None:
            init = pointer
        else:
            return init


def _is_pointer(type_: tree.Node) -> bool:
    return isinstance(type_, tree.Typename) and isinstance(type_.type, tree.PtrDecl)


def _shared_address(node: tree.Node | None) -> tree.Node | None:
    """The pointer of which a call makes a shared address."""
    if not isinstance(node, tree.FuncCall) or node.args is None:
        return None
    is_made = isinstance(node.name, tree.ID) and node.name.name == "__cvta_generic_to_shared"
    return node.args.exprs[0] if is_made else None


def _makes_shared(body: tree.Node) -> bool:
    """Whether a body makes a shared address of a pointer."""
    return any(_shared_address(node) is not None for node in walk(body))


def _first_statement(body: tree.Node) -> tuple[tree.Node | None, frozenset[str]]:
    """The first statement of a body that needs an instruction, with the names in it: names for
    values that are at hand do not."""
    for item in body.block_items if isinstance(body, tree.Compound) else ():
        init = _named(item.init) if isinstance(item, tree.Decl) else item
        if init is not None and not (
            isinstance(item, tree.Decl) and isinstance(init, (tree.ID, tree.Constant))
        ):
            return item, frozenset(n.name for n in walk(item) if isinstance(n, tree.ID))
    return None, frozenset()


first_statement, makes_shared = PerObject(_first_statement), PerObject(_makes_shared)


def _writes(node: tree.Node) -> list[str]:
    """The base names of what a node writes other than plain variables; "" for a barrier. Atomics do
    not count (measured)."""
    target = node.lvalue if isinstance(node, tree.Assignment) else None
    if isinstance(node, tree.UnaryOp) and node.op in ("++", "--", "p++", "p--"):
        target = node.expr
    if target is not None and not isinstance(target, tree.ID):
        while isinstance(target, (tree.StructRef, tree.ArrayRef)):
            target = target.name
        return [target.name if isinstance(target, tree.ID) else ""]
    called = node.name if isinstance(node, tree.FuncCall) else None
    name = called.name if isinstance(called, (tree.ID, tree.TemplateId)) else ""
    return [""] if "sync" in name or "barrier" in name else []
