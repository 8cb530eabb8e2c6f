"""Execution of a lowered kernel over all lanes and blocks at once: source-level SIMT execution
turned into facts.

Goes in: intermediate form, a launch, a device. Comes out: counts with a status each. Never
extrapolates from a sample of iterations or blocks.
"""
