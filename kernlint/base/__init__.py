"""What every room may use: spans and problems, errors, frozen data classes, time limits, tables
kept per object, progress.

Goes in: plain values. Comes out: plain values. Never knows kernels, devices or rules.
"""
