"""Statements: branches, loops, switch, blocks (`goto`: `jumps.py`). Structured regions only;
constant conditions leave no branch.

In: statement nodes. Out: IR statements through the Lowerer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.base import deadline
from kernlint.base.dataclass import replace
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import read_by, targets, walk
from kernlint.ir.types import BOOL, ULONG
from kernlint.lowering.calls.frames import return_value
from kernlint.lowering.context import (
    FEW_HOST_BRANCHES,
    MAX_HOST_BRANCHES,
    Lowerer,
    StatementHandler,
    expression,
    statement,
)
from kernlint.lowering.expressions.branching import kept_arms, returns_keep_branch
from kernlint.lowering.expressions.expressions import condition, discarded_step, truth_value
from kernlint.lowering.expressions.fold import arithmetic, convert, promote
from kernlint.lowering.expressions.places import scalar, unknown_value
from kernlint.lowering.expressions.stores import assign
from kernlint.lowering.expressions.values import PLACES, Value
from kernlint.lowering.scopes import Binding
from kernlint.lowering.statements.jumps import sequence
from kernlint.lowering.statements.ranges import range_loop
from kernlint.lowering.usage import assigned_names
from kernlint.lowering.usage import walk as walk_tree
from kernlint.model.reasons import gave_up
from kernlint.source.parser import macro_loops, tree

_UNROLL = re.compile(
    r"(?:pragma\s+)?(?:GCC\s+|clang\s+loop\s+)?(nounroll|unroll)\b\s*(?:_count)?\s*(.*)", re.S
)


def _compound(low: Lowerer, node: tree.Compound) -> None:
    with low.scoped():
        sequence(low, node.block_items)


# ------------------------------------------------------------------ if


def test(low: Lowerer, node: tree.Node) -> ir.Expression:
    """A condition, which may declare a variable."""
    if isinstance(node, tree.Decl):
        statement(low, node)
        found = low.scope.find(node.name) if node.name is not None else None
        return (
            truth_value(low, found.value, node)
            if isinstance(found, Binding)
            else ir.Unknown(ULONG, "unsupported")
        )
    return condition(low, node)


def _if(low: Lowerer, node: tree.If | tree.Conditional) -> None:
    with low.scoped():
        branch(low, node)


def branch(low: Lowerer, node: tree.If | tree.Conditional, above: int = 0) -> None:
    """`above`: branches of the chain of `else if` before this one of which host code may take
    any."""
    is_constexpr = False
    if isinstance(node, tree.Conditional):
        is_constexpr = node.is_constexpr
        if node.init is not None:
            statement(low, node.init)
    if is_constexpr:
        found = low.program.constant(node.cond, low.scope)
        if found is None:
            found_value = test(low, node.cond)
            found = found_value if isinstance(found_value, ir.Constant) else None
        if found is not None:
            _taken(low, node, bool(found.value), above)
            return
    decided = test(low, node.cond)
    if isinstance(decided, ir.Constant):
        _taken(low, node, bool(decided.value), above)
        return
    low.branches()
    before = low.inlined
    with low.block() as then:
        with low.scoped():
            statement(low, node.iftrue)
        ends = returns = low.terminated
    between = low.inlined
    with low.block() as otherwise:
        if node.iffalse is not None:
            with low.scoped():
                _otherwise(low, node.iffalse, above + 1)
        ends = ends and low.terminated
    kept = kept_arms(low, (node.iftrue, node.iffalse), (before, between, low.inlined)) or int(
        returns and returns_keep_branch(low)
    )
    low.emit(
        ir.If(decided, tuple(then), tuple(otherwise), low.branch_site(node, "if", node.cond), kept)
    )
    low.terminated = ends


def _taken(low: Lowerer, node: tree.If | tree.Conditional, taken: bool, above: int) -> None:
    arm = node.iftrue if taken else node.iffalse
    if arm is not None:
        with low.scoped():
            if taken:
                statement(low, arm)
            else:
                _otherwise(low, arm, above)


def _otherwise(low: Lowerer, node: tree.Stmt, above: int) -> None:
    """What stands behind `else`."""
    if not isinstance(node, tree.If) or not low.host or low.constant:
        statement(low, node)
    elif above < _most_branches(low) or _leaves_early(node):
        with low.scoped():
            branch(low, node, above)
    else:
        left = sum(isinstance(one, tree.If) for one in walk_tree(node))
        low.unsupported(node, "branches", most=above, left=left)
        for name in sorted(assigned_names(node) | _given_names(node)):
            known = low.scope.find(name)
            place = known.value if isinstance(known, Binding) else None
            if isinstance(place, PLACES):
                assign(low, place, unknown_value(place.type, "unsupported"), node, node)


def _given_names(node: tree.Stmt) -> set[str]:
    """Names handed to functions, which may refer to them: `set(n)`."""
    calls = [one for one in walk_tree(node) if isinstance(one, tree.FuncCall)]
    given = [one for call in calls if call.args is not None for one in call.args.exprs]
    return {one.name for one in given if isinstance(one, tree.ID)}


def _most_branches(low: Lowerer) -> int:
    is_late = deadline.left() < low.allowed / 2
    return FEW_HOST_BRANCHES if is_late else MAX_HOST_BRANCHES


def _leaves_early(node: tree.Stmt) -> bool:
    return any(isinstance(one, _JUMPS) for one in walk_tree(node))


_JUMPS = (tree.Return, tree.Break, tree.Continue, tree.Goto)


# ------------------------------------------------------------------ loops


def _loop(
    low: Lowerer,
    node: tree.Node,
    kind: str,
    test_node: tree.Node | None,
    step: tree.Node | None,
    body_node: tree.Node,
    post_test: bool = False,
) -> None:
    unroll, low.unroll = low.unroll, None
    label, again = ir.Label(f"{kind} loop"), ir.Label("continue")
    saved = (low.break_label, low.continue_label)
    with low.block() as header:
        decided = test(low, test_node) if test_node is not None and not post_test else None
    if isinstance(decided, ir.Constant) and not header:
        if not decided.value:
            return
        decided = None
    low.break_label, low.continue_label = label, again
    low.loop_depth += 1
    with low.block() as body, low.scoped():
        statement(low, body_node)
    low.loop_depth -= 1
    low.break_label, low.continue_label = saved
    with low.block() as after:
        if step is not None:
            statement(low, step)
    if post_test:
        with low.block() as header:
            decided = test(low, test_node) if test_node is not None else None
        if isinstance(decided, ir.Constant) and not header:
            if not decided.value:
                _once(low, label, again, body)
                return
            decided = None
    inner: tuple[ir.Statement, ...] = tuple(body)
    if again in low.used_labels:
        inner = (ir.Region(again, inner),)
    site = low.branch_site(node, kind, test_node)
    low.emit(ir.Loop(label, tuple(header), decided, inner, tuple(after), site, post_test, unroll))


def _once(low: Lowerer, label: ir.Label, again: ir.Label, body: list[ir.Statement]) -> None:
    """`do … while (0)`: the body, once."""
    inner: list[ir.Statement] = body
    for one in (again, label):
        if one in low.used_labels:
            inner = [ir.Region(one, tuple(inner))]
    low.out.extend(inner)


def _for(low: Lowerer, node: tree.For) -> None:
    with low.scoped():
        unroll, low.unroll = low.unroll, None
        if node.init is not None:
            statement(low, node.init)
        low.unroll = unroll
        _loop(low, node, "for", node.cond, node.next, node.stmt)


def _while(low: Lowerer, node: tree.While) -> None:
    with low.scoped():
        _loop(low, node, "while", node.cond, None, node.stmt)


def _do(low: Lowerer, node: tree.DoWhile) -> None:
    _loop(low, node, "do", node.cond, None, node.stmt, True)


def _break(low: Lowerer, node: tree.Break) -> None:
    _leave(low, low.break_label)


def _continue(low: Lowerer, node: tree.Continue) -> None:
    _leave(low, low.continue_label)


def _leave(low: Lowerer, label: ir.Label | None) -> None:
    if label is not None:
        low.used_labels.add(label)
        low.emit(ir.Leave(label))
    low.terminated = True


def _range_for(low: Lowerer, node: tree.RangeFor) -> None:
    """`for (d : range)` over arrays, brace lists and modelled containers, as a counting loop."""
    with low.scoped():
        if node.init is not None:
            statement(low, node.init)
        range_loop(low, node)


# ------------------------------------------------------------------ switch


def _switch(low: Lowerer, node: tree.Switch) -> None:
    with low.scoped():
        _switch_body(low, node)


def _switch_body(low: Lowerer, node: tree.Switch) -> None:
    value = scalar(
        low,
        expression(low, node.cond)
        if not isinstance(node.cond, tree.Decl)
        else _declared(low, node.cond),
        node.cond,
    )
    value = convert(value, promote(value.type))
    for declared in _before_labels(node.stmt):
        statement(low, declared)
    sections = _sections(node.stmt)
    if isinstance(value, ir.Constant) and _is_decided(low, value, sections):
        _constant_switch(low, value, sections)
        return
    if not isinstance(value, ir.Read):
        held = low.temporary(value.type, "(switch)")
        low.assign(held, value)
        value = ir.Read(value.type, held)
    finish = ir.Label("switch")
    labels = [ir.Label("default" if isinstance(s, tree.Default) else "case") for s in sections]
    inner: ir.Body = (_dispatch(low, node, value, sections, labels, finish),)
    saved, low.break_label = low.break_label, finish
    for section, label in zip(sections, labels, strict=True):
        with low.block() as body, low.scoped():
            sequence(low, section.stmts)
        inner = (ir.Region(label, inner), *body)
    low.break_label = saved
    low.emit(ir.Region(finish, inner))


def _declared(low: Lowerer, node: tree.Decl) -> Value:
    statement(low, node)
    found = low.scope.find(node.name or "")
    assert isinstance(found, Binding)
    return found.value


def _before_labels(body: tree.Stmt) -> Iterator[tree.Node]:
    """What the body declares before its first label (`using enum Kind;`, `int n;`): no statement
    there is ever executed."""
    for item in body.block_items if isinstance(body, tree.Compound) else ():
        if isinstance(item, (tree.Case, tree.Default)):
            return
        if isinstance(item, tree.Declaration):
            yield item


def _sections(body: tree.Stmt) -> list[tree.Case | tree.Default]:
    """The Case and Default nodes of a switch body, nested ones (`case 1: case 2:`) unfolded."""
    found: list[tree.Case | tree.Default] = []
    items = body.block_items if isinstance(body, tree.Compound) else [body]
    for item in items:
        while isinstance(item, (tree.Case, tree.Default)):
            if item.stmts and isinstance(item.stmts[0], (tree.Case, tree.Default)):
                empty = (
                    tree.Case(item.expr, [], item.coord, last=item.last)
                    if isinstance(item, tree.Case)
                    else tree.Default([], item.coord)
                )
                found.append(empty)
                item = item.stmts[0]
                continue
            found.append(item)
            break
    return found


def _dispatch(
    low: Lowerer,
    node: tree.Switch,
    value: ir.Expression,
    sections: list[tree.Case | tree.Default],
    labels: list[ir.Label],
    finish: ir.Label,
) -> ir.Statement:
    """A chain of tests that leaves to the section of the matching case; all share one site."""
    cases = tuple(_label(low, section) for section in sections if isinstance(section, tree.Case))
    site = replace(low.branch_site(node, "switch", node.cond), cases=cases)
    default = next(
        (label for s, label in zip(sections, labels, strict=True) if isinstance(s, tree.Default)),
        finish,
    )
    low.used_labels.add(default)
    chain: ir.Statement = ir.Leave(default)
    pairs = list(zip(sections, labels, strict=True))
    for section, label in pairs[::-1]:
        if isinstance(section, tree.Case):
            chain = ir.If(_met(low, section, value), (ir.Leave(label),), (chain,), site)
    return chain


def _label(low: Lowerer, section: tree.Case) -> str:
    """As it is written."""
    last = "" if section.last is None else f" ... {low.text(section.last)}"
    return f"{low.text(section.expr)}{last}"


def _met(low: Lowerer, section: tree.Case, value: ir.Expression) -> ir.Expression:
    """Whether the value is that of the section, or in its range."""

    def bound(node: tree.Expr) -> ir.Expression:
        found = low.program.constant(node, low.scope)
        return found if found is not None else ir.Unknown(value.type, "unsupported")

    if section.last is None:
        return arithmetic(low.language, "==", value, bound(section.expr))
    above = arithmetic(low.language, ">=", value, bound(section.expr))
    below = arithmetic(low.language, "<=", value, bound(section.last))
    return arithmetic(low.language, "&", above, below)


def _is_decided(low: Lowerer, value: ir.Constant, sections: list[tree.Case | tree.Default]) -> bool:
    """Whether it is known which section a constant means: one matches, or all labels are known."""
    cases = [s for s in sections if isinstance(s, tree.Case)]
    labels = [label for s in cases for label in (s.expr, s.last) if label is not None]
    return any(_matches(low, s, value) for s in cases) or all(
        low.program.constant(label, low.scope) is not None for label in labels
    )


def _constant_switch(
    low: Lowerer, value: ir.Constant, sections: list[tree.Case | tree.Default]
) -> None:
    """A switch on a constant: the sections from the matching one to its break."""
    start = next(
        (i for i, s in enumerate(sections) if isinstance(s, tree.Case) and _matches(low, s, value)),
        None,
    )
    if start is None:
        start = next(
            (i for i, s in enumerate(sections) if isinstance(s, tree.Default)), len(sections)
        )
    finish = ir.Label("switch")
    saved, low.break_label = low.break_label, finish
    outer, low.out = low.out, []
    for section in sections[start:]:
        if not low.terminated:
            sequence(low, section.stmts)
    inner, low.out = low.out, outer
    low.break_label = saved
    straight = (
        inner
        and isinstance(inner[-1], ir.Leave)
        and inner[-1].label is finish
        and not _leaves(inner[:-1], finish)
    )
    if straight:
        low.out.extend(inner[:-1])
        low.terminated = False
    elif finish in low.used_labels:
        low.emit(ir.Region(finish, tuple(inner)))
        low.terminated = False
    else:
        low.out.extend(inner)


def _leaves(body: list[ir.Statement] | ir.Body, label: ir.Label) -> bool:
    """Whether a Leave of `label` is somewhere inside."""
    for one in body:
        if isinstance(one, ir.Leave) and one.label is label:
            return True
        if isinstance(one, ir.If) and (_leaves(one.then, label) or _leaves(one.otherwise, label)):
            return True
        if isinstance(one, ir.Region) and _leaves(one.body, label):
            return True
        if isinstance(one, ir.Loop) and _leaves((*one.header, *one.body, *one.step), label):
            return True
    return False


def _matches(low: Lowerer, section: tree.Case, value: ir.Constant) -> bool:
    first = low.program.constant(section.expr, low.scope)
    last = first if section.last is None else low.program.constant(section.last, low.scope)
    return first is not None and last is not None and first.value <= value.value <= last.value


# ------------------------------------------------------------------ others


def _pragma(low: Lowerer, node: tree.Pragma) -> None:
    words = node.string.split()
    if len(words) == 2 and words[0] == macro_loops.PRAGMA:
        low.problems.append(gave_up("loop-macro", low.span(node), "", words[1], name=words[1]))
        return
    matched = _UNROLL.match(node.string.strip())
    if matched is None:
        return
    argument = matched[2].strip().rstrip(")").lstrip("(").strip()
    if matched[1] == "nounroll" or argument == "disable":
        low.unroll = 1
    elif not argument or argument in ("enable", "full"):
        low.unroll = 0
    else:
        low.unroll = low.program.pragma_count(argument, low.scope)


def _empty(
    low: Lowerer, node: tree.EmptyStatement | tree.StaticAssert | tree.Friend | tree.AccessLabel
) -> None:
    return


def _attributed(low: Lowerer, node: tree.Attributed) -> None:
    statement(low, node.stmt)


def _try(low: Lowerer, node: tree.Try) -> None:
    """Handlers are taken not to return to what follows. They stand before the body, since what it
    assigns is not known in them."""
    outer, low.out = low.out, []
    statement(low, node.body)
    body, low.out = low.out, outer
    ends, low.terminated = low.terminated, False
    if low.host:
        for handler in node.handlers:
            _handler(low, handler, body)
    low.out.extend(body)
    low.terminated = ends


def _handler(low: Lowerer, node: tree.Compound, body: list[ir.Statement]) -> None:
    """Emitted where it launches kernels: an exception of the body may lead there."""
    with low.block() as inside:
        statement(low, node)
    if not any(isinstance(s, ir.HostLaunch) for s in walk(tuple(inside))):
        return
    low.branches()
    read = set().union(*map(read_by, walk(tuple(inside))))
    assigned = dict.fromkeys(v for s in walk(tuple(body)) for v in targets(s) if v in read)
    open_ = [ir.Assign(v, ir.Unknown(v.type, "unknown-argument", what=v.name)) for v in assigned]
    thrown = ir.Unknown(BOOL, "unknown-argument", what="exception")
    handled = (*open_, *inside, ir.Trap(low.span(node)))
    low.emit(ir.If(thrown, handled, (), low.branch_site(node, "if", None)))


def _discarded_comma(low: Lowerer, node: tree.ExprList) -> None:
    for one in node.exprs:
        statement(low, one)


def _assembly(low: Lowerer, node: tree.Asm) -> None:
    from kernlint.lowering.calls.asm_statement import (
        lower_asm,  # brings the modules for PTX, which a file without assembly does not need
    )

    lower_asm(low, node)
    for jump in node.jumps:  # that `asm goto` may make; which it makes is not known
        taken = ir.Unknown(BOOL, "unsupported", what="asm goto")
        with low.block() as body:
            statement(low, jump)
        low.terminated = False
        low.emit(ir.If(taken, tuple(body), (), low.branch_site(node, "if", None)))


STATEMENTS: dict[type, StatementHandler] = {
        tree.Compound: _compound, tree.If: _if, tree.Conditional: _if, tree.For: _for, tree.While: _while, tree.DoWhile: _do,
        tree.Break: _break, tree.Continue: _continue, tree.Return: return_value, tree.Switch: _switch,
        tree.Pragma: _pragma, tree.EmptyStatement: _empty, tree.StaticAssert: _empty, tree.RangeFor: _range_for,
        tree.Attributed: _attributed,
        tree.Try: _try, tree.Asm: _assembly, tree.UnaryOp: discarded_step, tree.ExprList: _discarded_comma, tree.Friend: _empty,
        tree.AccessLabel: _empty,
}  # fmt: skip
