"""Facts to findings: one module per family of rules, one function per rule.

Goes in: facts and thresholds of rule pages. Comes out: findings. Never computes a number that facts
do not hold.
"""
