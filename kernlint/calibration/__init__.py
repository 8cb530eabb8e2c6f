"""Micro-benchmarks on the user's GPU, fits, and the device profile they give (`kernlint
calibrate`).

Goes in: what nvcc and the GPU measure. Comes out: a TOML profile. Never runs unless asked.
"""
