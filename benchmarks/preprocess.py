"""Speed of the lexer and the preprocessor: `python benchmarks/preprocess.py [FILE or FOLDER…]`
(default: the tests' kernels)."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from kernlint.source.lexer import tokenize
from kernlint.source.preprocessor.preprocess import Options, preprocess
from kernlint.source.text import HOST_SUFFIXES, KERNEL_SUFFIXES, SourceFile, read

DEFAULT = Path(__file__).parent.parent / "tests" / "data" / "truth" / "kernels"
ROUNDS = 5


def sources(arguments: list[str]) -> list[SourceFile]:
    """Every readable source among the files and folders named."""
    paths: list[Path] = []
    for argument in arguments or [str(DEFAULT)]:
        path = Path(argument)
        paths += (
            sorted(
                item
                for item in path.rglob("*")
                if item.suffix in (*KERNEL_SUFFIXES, *HOST_SUFFIXES)
            )
            if path.is_dir()
            else [path]
        )
    return [file for file, _ in (read(str(path)) for path in paths) if file is not None]


def best(work: Callable[[SourceFile], int], files: list[SourceFile]) -> tuple[int, float]:
    """Tokens of one round, and the seconds of the fastest."""
    seconds = []
    tokens = 0
    for _ in range(ROUNDS):
        started = time.perf_counter()
        tokens = sum(work(file) for file in files)
        seconds.append(time.perf_counter() - started)
    return tokens, min(seconds)


def main() -> None:
    files = sources(sys.argv[1:])
    lines = sum(file.text.count("\n") for file in files)
    stages: dict[str, Callable[[SourceFile], int]] = {
        "tokenize": lambda file: len(tokenize(file.text, file.path)),
        "preprocess": lambda file: len(
            preprocess(file.path, file.text, Options(language=file.language)).tokens
        ),
    }
    print(f"{len(files)} files, {lines:,} lines")
    for name, work in stages.items():
        tokens, seconds = best(work, files)
        print(
            f"{name:12}{tokens:>10,} tokens {seconds:8.3f} s {tokens / seconds:>12,.0f} tokens/s {lines / seconds:>10,.0f} lines/s"
        )


if __name__ == "__main__":
    main()
