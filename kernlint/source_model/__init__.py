"""What rules need of the source as structure: how arrays are used, how long their rows are, which
indices may change places.

Goes in: facts and source. Comes out: plain values for `kernlint.checks`. Never makes a finding.
"""
