"""Kernels in strings of Python, C and C++: where they stand and what the host program puts into
them.

Goes in: a host file's text. Comes out: programs whose characters know their place in it. Never runs
host code.
"""
