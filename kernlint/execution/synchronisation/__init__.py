"""Calls that threads make together: who comes to them, and what decides it.

Goes in: a lowered kernel, masks of the lanes that execute. Comes out: `facts.Barrier`. Never
changes the machine.
"""
