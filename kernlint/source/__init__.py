"""Text to trees: files, tokens, the preprocessor, islands, the parser, PTX text, kernels in strings
of host languages.

Goes in: paths and bytes. Comes out: syntax trees whose every node knows its place in the user's
file. Never analyses what it reads.
"""
