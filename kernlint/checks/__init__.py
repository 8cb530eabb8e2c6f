"""Facts to findings: one module per family of rules, one function per rule. Never computes a number that facts do not hold."""
