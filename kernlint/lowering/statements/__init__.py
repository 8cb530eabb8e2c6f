"""Statements to structured regions: branches, loops, jumps, local variables."""
