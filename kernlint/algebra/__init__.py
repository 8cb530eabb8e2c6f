"""Expressions of the intermediate form as texts and closed forms for people.

Goes in: intermediate form. Comes out: index expressions, conditions, sums. Never feeds back into a
number.
"""
