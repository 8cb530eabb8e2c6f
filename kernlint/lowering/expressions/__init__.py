"""Expressions to values and places: operators, literals, names, conversions, constant folding."""
