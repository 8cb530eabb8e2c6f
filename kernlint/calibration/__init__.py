"""Calibration: micro-benchmarks on the user's GPU, fits, and the device profile that comes of them (`kernlint calibrate`)."""
