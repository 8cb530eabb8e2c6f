"""Predictions held against a profile: a profiler's report in; per launch and line what was predicted, what counted, and a verdict out."""
