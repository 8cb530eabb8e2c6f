"""Text to trees: files, tokens, the preprocessor, the classifier, islands, the parser, inline PTX. Never analyses what it reads."""
