"""Tokens to the tokens a compiler would see: macros, conditionals, includes; every token keeps its
place in the user's file.

Never gives up on a missing header: what it would have defined stays unknown.
"""
