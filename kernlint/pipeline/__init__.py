"""Paths to facts and findings: the engine in one place, one file's result, many files over workers.

Goes in: sources and settings. Comes out: a result per file, in order. One bad file never takes
another's results down.
"""
