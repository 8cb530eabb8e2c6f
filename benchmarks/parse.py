"""Speed of the parser: `python benchmarks/parse.py [FILE…]` prints tokens and lines a second,
preprocessing left out (processor time).

Without files: the measured programs of the test suite.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from kernlint.base.span import SourceError
from kernlint.source.lexer import tokenize
from kernlint.source.parser import tree
from kernlint.source.parser.parser import parse
from kernlint.source.preprocessor.preprocess import Options, preprocess

ROUNDS = 5


def parse_bodies(nodes: list[Any]) -> int:
    """Parses every body there is; returns how many could be parsed."""
    count = 0
    for node in nodes:
        if isinstance(node, tree.TemplateDecl):
            count += parse_bodies([node.decl])
        elif isinstance(node, (tree.Namespace, tree.ExternBlock)):
            count += parse_bodies(node.decls)
        elif isinstance(node, tree.ClassDef):
            count += parse_bodies(node.members)
        elif isinstance(node, tree.Function) and node.lazy_body is not None:
            try:
                node.lazy_body.parse()
                count += 1
            except SourceError as error:
                print(f"{error.span.path}:{error.span.line}: {error.message}", file=sys.stderr)
    return count


def main() -> None:
    default = (Path(__file__).parent.parent / "tests" / "data" / "truth" / "kernels").glob("*.cu")
    files = [Path(name) for name in sys.argv[1:]] or sorted(default)
    inputs = []
    for path in files:
        language = "opencl" if path.suffix == ".cl" else "cuda"
        text = path.read_text(encoding="utf-8", errors="replace")
        inputs.append(
            (
                preprocess(str(path), text, Options({}, (), language, 900)).tokens,
                str(path),
                language,
                text.count("\n"),
            )
        )
    start = time.process_time()
    parse(tokenize("int x;", ""), "", "cuda")
    print(f"grammar ready after {1000 * (time.process_time() - start):.1f} ms")
    best, functions = float("inf"), 0
    for _ in range(ROUNDS):
        start = time.process_time()
        functions = sum(
            parse_bodies(parse(tokens, path, language).declarations)
            for tokens, path, language, _ in inputs
        )
        best = min(best, time.process_time() - start)
    tokens, lines = sum(len(item[0]) for item in inputs), sum(item[3] for item in inputs)
    speed = f"{tokens / best:,.0f} tokens/s, {lines / best:,.0f} lines/s (best of {ROUNDS})"
    print(f"{len(files)} files, {functions} functions, {tokens} tokens: {speed}")


if __name__ == "__main__":
    main()
