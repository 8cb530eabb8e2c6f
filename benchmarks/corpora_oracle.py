"""Whether the parser misses anything: `python -m benchmarks.corpora_oracle NAME…` holds it against
tree-sitter-cuda on whole corpora.

Goes in: corpora of `corpora.toml`, directives blanked so that both parsers read the same text; of
OpenCL, which tree-sitter-cuda does not know, its qualifiers too (for tree-sitter alone). Comes out:
how many functions with a body, subscripts and launches each finds, and each place that only one of
them has (`--all`: every one).
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tree_sitter_cuda
from tree_sitter import Language, Parser

from benchmarks import corpora, corpora_packages
from kernlint.base.span import SourceError
from kernlint.source import files
from kernlint.source.lexer import tokenize
from kernlint.source.parser import names, tree
from kernlint.source.parser.parser import parse
from kernlint.source.text import KERNEL_SUFFIXES
from tests.source.test_parser_oracle import without_directives

KINDS = {tree.Function: "function", tree.ArrayRef: "subscript", tree.KernelLaunch: "launch"}
THEIRS = {
    "function_definition": "function",
    "subscript_expression": "subscript",
    "kernel_call_syntax": "launch",
}
NO_BODY = frozenset(("default_method_clause", "delete_method_clause", "pure_virtual_clause"))
SHOWN = 3
QUALIFIERS = re.compile(
    rf"\b(?:{'|'.join({*names.OPENCL_SPECIFIERS, *names.OPENCL_SPECIFIERS.values()})})\b"
)
Found = set[tuple[str, int]]  # kind and line: columns differ where macros or qualifiers come first


def ours(text: str, language: str) -> tuple[Found, int]:
    """What kernlint finds, and how many functions it could not parse."""
    found: Found = set()
    unit = parse(tokenize(text, "file.cu"), "file.cu", language)
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


def theirs(text: str, language: str) -> tuple[Found, int]:
    """What tree-sitter finds, and how many places it could not read."""
    if language == "opencl":
        text = QUALIFIERS.sub(lambda matched: " " * len(matched[0]), text)
    found: Found = set()
    errors = 0
    stack = [Parser(Language(tree_sitter_cuda.language())).parse(text.encode()).root_node]
    while stack:
        node = stack.pop()
        stack += node.children
        errors += node.type == "ERROR" or node.is_missing
        is_defaulted = any(child.type in NO_BODY for child in node.children)
        if node.type in THEIRS and not is_defaulted:
            kind, start = (
                THEIRS[node.type],
                node.parent
                if node.type == "kernel_call_syntax" and node.parent is not None
                else node,
            )
            found.add(
                (kind, node.end_point[0] + 1 if kind == "function" else start.start_point[0] + 1)
            )
    return found, errors


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.corpora_oracle", description=__doc__
    )
    parser.add_argument("names", nargs="+", metavar="NAME|TIER")
    parser.add_argument(
        "--cache",
        type=Path,
        default=corpora.CACHE,
        help="where the packages are kept (default: .corpora)",
    )
    parser.add_argument("--all", action="store_true", help="every place that only one of them has")
    options = parser.parse_args(words)
    shown, cache = None if options.all else SHOWN, options.cache
    for corpus in corpora_packages.chosen(options.names):
        root, total, only, lost = (
            corpora_packages.fetch(corpus, cache),
            Counter[str](),
            list[str](),
            Counter[str](),
        )
        for path in corpus.files(root):
            if Path(path).suffix not in KERNEL_SUFFIXES:
                continue  # a host file that holds programs in its strings
            source = files.read(path)
            text = without_directives(source.text or "")
            (mine, unread), (other, errors) = (
                ours(text, source.language),
                theirs(text, source.language),
            )
            lost.update(kernlint=unread, tree_sitter=errors)
            for kind in THEIRS.values():
                a, b = (
                    {item for item in mine if item[0] == kind},
                    {item for item in other if item[0] == kind},
                )
                total.update(
                    {
                        f"{kind} both": len(a & b),
                        f"{kind} only kernlint": len(a - b),
                        f"{kind} only tree-sitter": len(b - a),
                    }
                )
                only += [
                    f"only tree-sitter: {kind} {Path(path).relative_to(root)}:{line}"
                    for _, line in sorted(b - a)
                ]
        print(f"{corpus.name}: {dict(sorted(total.items()))}; not read: {dict(lost)}")
        for line in only[:shown]:
            print(f"  {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
