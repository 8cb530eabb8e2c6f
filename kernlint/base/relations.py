"""How C's comparisons turn into one another."""

from __future__ import annotations

# what holds where a relation does not
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
# the relation with its sides exchanged
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
