"""Fixes: edits applied to sources, each proved to help by analysing again."""
