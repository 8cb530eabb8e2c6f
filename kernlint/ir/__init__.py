"""The typed intermediate form: nodes, types, traversal, and a printer for tests.

Lowering makes it, execution and the optimizer read it. Never refers to syntax, devices or launches.
"""
