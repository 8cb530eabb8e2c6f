"""Loops in three tiers: an axis evaluated once, stepped one iteration at a time, or once for any
iteration."""
