"""Accesses that cannot run right, found while their addresses are at hand: outside of the object that
they belong to, or at an address that the machine instruction does not take.

In: an access at its address under its mask. Out: `Fault`s of the record. Counts nothing.
"""
