"""The command line: parsers, help texts, what each command does.

Goes in: words. Comes out: output and an exit code. Nothing below knows of it.
"""
