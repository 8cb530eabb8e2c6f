"""Trees to the intermediate form: types, templates, calls lowered in place, built-in functions,
host code that launches.

Goes in: syntax trees. Comes out: one body of `kernlint.ir` per kernel instance. Knows no device and
counts nothing.

Layers, each of which imports only what stands before it; what is recursive in the language goes
through the seams of `context`:

- `scopes`, `expressions.values`, `declare`, `usage`: names, values, questions about syntax alone
- `context`: the state of a file and of a function, and the seams
- `types`, `templates`: template arguments and deduction, then classes, library types, `typenames`
- `expressions`: places, stores, overloaded operators, construction, then a handler per node
- `calls`: bodies in place of calls, built-in and library functions, assembly
- `statements`, then `kernels`, `host` and `launches`
- `handlers`: the tables of all handlers; `program`: what other rooms use
"""
