"""The values that travel between rooms: facts, reasons, findings, verdicts of files, settings.

Goes in: nothing but plain values. Comes out: the same, frozen. Never reads a file and never
computes a number.
"""
