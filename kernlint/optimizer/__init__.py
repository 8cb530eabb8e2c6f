"""What nvcc makes of the accesses of a kernel: merged, forwarded, hoisted, sunk, removed.

Goes in: the intermediate form. Comes out: a verdict per access. Never claims a transformation that
it is not sure of.
"""
