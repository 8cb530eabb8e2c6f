"""What rules need of the source as structure: how arrays are used, how long their rows are, what an
index adds up, which indices may change places.

Goes in: facts and source. Comes out: plain values for `kernlint.checks`, by `SourceModel` of a file
and functions of its facts. Never makes a finding, and knows no check.
"""
