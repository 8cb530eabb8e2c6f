"""Configuration files: found beside the code, read, checked key by key, laid under the command
line.

Goes in: paths. Comes out: values by key. Raises `UsageError` with the place of a mistake; never
analyses.
"""
