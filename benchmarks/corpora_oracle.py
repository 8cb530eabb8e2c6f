"""Whether the parser misses anything: `python -m benchmarks.corpora_oracle NAME…` holds it against tree-sitter-cuda on whole corpora.

Goes in: corpora of `corpora.toml`, directives blanked so that both parsers read the same text. Comes out: how many functions with a body,
subscripts and launches each finds, and each place that only one of them has (`--all`: every one).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tree_sitter_cuda
from pycparser import c_ast
from tree_sitter import Language, Parser

from benchmarks import corpora, corpora_packages
from kernlint.source import tree
from kernlint.source.lexer import tokenize
from kernlint.source.parser import parse
from kernlint.source.span import SourceError
from tests.test_parser_oracle import without_directives

KINDS = {tree.Function: "function", c_ast.ArrayRef: "subscript", tree.KernelLaunch: "launch"}
THEIRS = {"function_definition": "function", "subscript_expression": "subscript", "kernel_call_syntax": "launch"}
SHOWN = 3
Found = set[tuple[str, int]]  # kind and line: columns differ where macros or qualifiers come first


def ours(text: str) -> tuple[Found, int]:
    """What kernlint finds, and how many functions it could not parse."""
    found: Found = set()
    unit = parse(tokenize(text, "file.cu"), "file.cu", "cuda")
    lost = len(unit.problems) + len(unit.skipped)

    def visit(node: Any) -> None:
        nonlocal lost
        kind = KINDS.get(type(node))
        body = getattr(node, "lazy_body", None) if isinstance(node, tree.Function) else None
        if kind is not None and not (kind == "function" and body is None):
            found.add((kind, node.coord.end_line if kind == "function" else node.coord.line))
        if body is not None:
            try:
                visit(body.parse())
            except SourceError:
                lost += 1
        for _, child in node.children():
            visit(child)

    for node in unit.declarations:
        visit(node)
    return found, lost


def theirs(text: str) -> tuple[Found, int]:
    """What tree-sitter finds, and how many places it could not read."""
    found: Found = set()
    errors = 0
    stack = [Parser(Language(tree_sitter_cuda.language())).parse(text.encode()).root_node]
    while stack:
        node = stack.pop()
        stack += node.children
        errors += node.type == "ERROR" or node.is_missing
        if node.type in THEIRS:
            kind, start = THEIRS[node.type], node.parent if node.type == "kernel_call_syntax" and node.parent is not None else node
            found.add((kind, node.end_point[0] + 1 if kind == "function" else start.start_point[0] + 1))
    return found, errors


def main(words: Sequence[str] | None = None) -> int:
    names = list(sys.argv[1:] if words is None else words)
    shown = None if "--all" in names else SHOWN
    for corpus in corpora_packages.chosen([name for name in names if name != "--all"]):
        root, total, only, lost = corpora_packages.fetch(corpus, corpora.CACHE), Counter[str](), list[str](), Counter[str]()
        for path in corpus.files(root):
            text = without_directives(Path(path).read_text(encoding="utf-8", errors="replace"))
            (mine, unread), (other, errors) = ours(text), theirs(text)
            lost.update(kernlint=unread, tree_sitter=errors)
            for kind in THEIRS.values():
                a, b = {item for item in mine if item[0] == kind}, {item for item in other if item[0] == kind}
                total.update({f"{kind} both": len(a & b), f"{kind} only kernlint": len(a - b), f"{kind} only tree-sitter": len(b - a)})
                only += [f"only tree-sitter: {kind} {Path(path).relative_to(root)}:{line}" for _, line in sorted(b - a)]
        print(f"{corpus.name}: {dict(sorted(total.items()))}; not read: {dict(lost)}")
        for line in only[:shown]:
            print(f"  {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
