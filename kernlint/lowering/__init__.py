"""Trees to the intermediate form: types, templates, calls lowered in place, built-in functions,
host code that launches.

Goes in: syntax trees. Comes out: one body of `kernlint.ir` per kernel instance. Knows no device and
counts nothing.
"""
