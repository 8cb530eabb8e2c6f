"""Helpers of the lowering tests: source text in, Program and shown intermediate form out."""

from __future__ import annotations

from kernlint.ir.printer import show
from kernlint.lowering.program import Program
from kernlint.source.parser.parser import parse
from kernlint.source.preprocessor.preprocess import Options, preprocess


def program(text: str, language: str = "cuda") -> Program:
    """The program in `text`, as if read from a file."""
    path = "test.cl" if language == "opencl" else "test.cu"
    options = Options(defines={}, include_dirs=(), language=language, arch=900)
    unit = parse(preprocess(path, text, options).tokens, path, language)
    assert not unit.problems, unit.problems
    return Program(unit, options, {path: text})


def shown(
    text: str,
    arguments: tuple[str, ...] | None = None,
    language: str = "cuda",
    accesses: bool = False,
) -> str:
    """The intermediate form of the last kernel in `text`, without its header line."""
    found = program(text, language)
    kernel = found.instantiate(found.kernels()[-1], arguments)
    return show(kernel, accesses).partition("\n")[2]


def body(statements: str, parameters: str = "int *p, int n", before: str = "") -> str:
    """What the body of a kernel with these parameters becomes."""
    return shown(f"{before}\n__global__ void k({parameters}) {{ {statements} }}\n")
