"""Preprocessed tokens to declarations: islands, the token classifier, the grammar, the tree and its
builder.

Goes in: tokens. Comes out: nodes of `tree` and a problem for each island that could not be read.
Never knows what a name means beyond its kind.
"""
