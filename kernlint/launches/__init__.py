"""How each kernel is launched: host code, directives, configuration, the command line, and what has
to be assumed.

Goes in: a lowered program and settings. Comes out: launches with their origin. Never executes a
kernel.
"""
