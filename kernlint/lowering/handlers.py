"""What each construct is lowered by: the tables of handlers, by the classes of syntax nodes, and the
seams through which the layers below call the ones above.

In: the lowering modules. Out: HANDLERS. A node class without a handler is reported as unsupported
(`context.expression`). Kinds of built-in functions have their table in `calls.builtin_calls`, nodes
of types in `types.typenames`.
"""

from __future__ import annotations

from kernlint.lowering import host_launches
from kernlint.lowering.calls import calls, closures, constant_calls
from kernlint.lowering.context import ExpressionHandler, Handlers, StatementHandler
from kernlint.lowering.expressions import (
    construct,
    expressions,
    heap,
    identifiers,
    packs,
    places,
    requirements,
    stores,
)
from kernlint.lowering.statements import jumps, local_variables, statements
from kernlint.source.parser import tree

EXPRESSIONS: dict[type, ExpressionHandler] = {
    **expressions.EXPRESSIONS,
    **identifiers.EXPRESSIONS,
    **packs.EXPRESSIONS,
    **requirements.EXPRESSIONS,
    **heap.EXPRESSIONS,
    tree.FuncCall: calls.call,
    tree.Lambda: closures.make_closure,
    tree.KernelLaunch: host_launches.launch,
}
STATEMENTS: dict[type, StatementHandler] = {
    **statements.STATEMENTS,
    **local_variables.STATEMENTS,
    **jumps.STATEMENTS,
}
HANDLERS = Handlers(
    EXPRESSIONS,
    STATEMENTS,
    discard=places.discard,
    inline=constant_calls.inline,
    construct=construct.construct,
    construct_nodes=construct.construct_nodes,
    run_handed=closures.run_handed,
    assign=stores.assign,
)
