"""Trees to the intermediate form: types, templates, calls lowered in place, built-in functions,
host code that launches.

Goes in: syntax trees. Comes out: one body of `kernlint.ir` per kernel instance. Knows no device and
counts nothing.

Layers, each of which imports only what stands before it (and the table of built-in functions,
`calls.intrinsics`); what is recursive in the language goes through the seams of `context`:

- `scopes`, `expressions.values`, `declare`, `usage`: names, values, questions about syntax alone
- `context`: the state of a file and of a function, and the seams
- `types`, `templates`: template arguments and deduction, then classes and library types, then
  `typenames`; overload resolution
- `expressions`: places, stores, overloaded operators, construction, then a handler per node
- `kernels`, `host`: which functions are lowered, and with which template arguments
- `calls`: bodies in place of calls, `launches`, built-in and library functions, assembly
- `statements`
- `handlers`: the tables of all handlers; `program`: what other rooms use
"""
