"""What is remembered: results on disk, header kernels between files, the digest that says two
kernels are the same.

Goes in: results and what they depend on. Comes out: the same results, sooner. Never pickles, and
never changes a result.
"""
