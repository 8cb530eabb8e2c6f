"""Predictions held against measurements: a profile or compiled PTX in, per line a verdict out.

Never changes a prediction to fit.
"""
