"""Edits applied to sources, each kept only where analysing again proves that it helps.

Goes in: findings with fixes. Comes out: new texts and the reasons for refusals. Never writes a file
that the user did not ask to change.
"""
