"""Kernels written in Python itself, for compilers that make PTX of them: named, not analysed.

In: a module's syntax. Out: each such function with the library that compiles it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from kernlint.base.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class PythonCompiler:
    """A library that compiles Python. `ptx`: where its user finds the PTX."""

    name: str
    ptx: str


_TRITON = PythonCompiler(
    "Triton", "`kernel[grid](…).asm['ptx']`, or the files `*.ptx` of its cache"
)
_NUMBA = PythonCompiler(
    "Numba", "`kernel.inspect_asm()` after a launch, or `numba.cuda.compile_ptx`"
)
_WARP = PythonCompiler("Warp", 'the files `*.ptx` of its cache (`wp.config.cuda_output = "ptx"`)')
_CUTE = PythonCompiler("CuTe DSL", "the files `*.ptx` that `CUTE_DSL_KEEP_PTX=1` leaves")
_TILELANG = PythonCompiler(
    "TileLang", "`kernel.get_kernel_source()` compiled by `nvcc -ptx -lineinfo`"
)
_CUPY = PythonCompiler("CuPy", "`kernel.cached_code` compiled by `nvcc -ptx -lineinfo`")

# decorators by their full names; what decorates a kernel more (`triton.autotune`) does not matter
COMPILERS: Mapping[str, PythonCompiler] = MappingProxyType(
    {
        "triton.jit": _TRITON,
        "triton.runtime.jit.jit": _TRITON,
        "triton.experimental.gluon.jit": _TRITON,
        "numba.cuda.jit": _NUMBA,
        "warp.kernel": _WARP,
        "cutlass.cute.kernel": _CUTE,
        "tilelang.jit": _TILELANG,
        "cupyx.jit.rawkernel": _CUPY,
    }
)
# one of these is in every file that uses such a compiler: looked for before it is parsed
WORDS = ("triton", "numba", "warp", "cutlass", "tilelang", "cupyx")


@dataclass(frozen=True, slots=True)
class PythonKernel:
    """`decorator`: as written, without arguments; `column` counts from 1."""

    name: str
    decorator: str
    compiler: PythonCompiler
    line: int
    column: int


def kernels(tree: ast.Module) -> Iterator[PythonKernel]:
    imported = dict(_imported(tree))
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for decorator in node.decorator_list:
            written = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
            first, dot, rest = written.partition(".")
            compiler = COMPILERS.get(imported.get(first, first) + dot + rest)
            if compiler is not None:
                yield PythonKernel(
                    node.name, written, compiler, decorator.lineno, decorator.col_offset + 1
                )


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names that imports anywhere in the file bind, with what they stand for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.asname:
                    yield one.asname, one.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for one in node.names:
                yield one.asname or one.name, f"{node.module}.{one.name}"
