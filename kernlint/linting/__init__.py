"""From findings to what the user sees: suppressing comments, the baseline, severities and filters.

Goes in: verdicts of files. Comes out: the findings to show. Never runs a rule.
"""
