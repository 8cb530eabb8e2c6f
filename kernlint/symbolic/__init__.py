"""Expressions of the intermediate form to texts for people: index expressions and closed forms. Never feeds back into a number."""
