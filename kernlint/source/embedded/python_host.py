"""Kernels in strings of a Python file: the calls that compile them, the strings behind those calls,
the launches.

CuPy (RawKernel, RawModule), PyCUDA (SourceModule), PyOpenCL (Program), ElementwiseKernel and
ReductionKernel of these, cuda.core (Program), torch.utils.cpp_extension (load_inline), and every
other string that defines a kernel. In: a file's text. Out: `EmbeddedProgram`s. The file is only
read, never run. Raises SyntaxError, ValueError or RecursionError for what Python cannot parse.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from kernlint.base import python_text
from kernlint.base.dataclass import dataclass, field
from kernlint.source.embedded.mapped_text import Mapped, filled
from kernlint.source.embedded.program import KERNEL, Called, Dim3, EmbeddedProgram, has_kernel
from kernlint.source.embedded.python_elementwise import (
    CONTIGUOUS,
    LIBRARIES,
    POSITIONS,
    ElementwiseCall,
)
from kernlint.source.embedded.python_values import HostValues
from kernlint.source.preprocessor.macros import parse_define

_OPENCL = re.compile(r"\b(?:__kernel|kernel)\s+(?:void|__attribute__)|\bget_(?:global|local)_id\b")


@dataclass(frozen=True, slots=True)
class _Maker:
    """A call that compiles text: where the text is (position, keyword), where the kernel's name and
    the options are."""

    text: int
    keyword: str
    language: str
    name: int = -1
    words: tuple[str, ...] = ()  # one of which the file must hold


MAKERS: dict[str, tuple[_Maker, ...]] = {
    "RawKernel": (_Maker(0, "code", "cuda", 1),),
    "RawModule": (_Maker(0, "code", "cuda"),),
    "SourceModule": (_Maker(0, "source", "cuda"),),
    "DynamicSourceModule": (_Maker(0, "source", "cuda"),),
    "Program": (
        _Maker(1, "src", "opencl", words=("pyopencl",)),
        _Maker(0, "code", "cuda", words=("cuda.core",)),
    ),
    "load_inline": (_Maker(2, "cuda_sources", "cuda"),),
    "nvrtcCreateProgram": (_Maker(0, "src", "cuda"),),
}
ELEMENTWISE = ("ElementwiseKernel", "ReductionKernel")
# threads of a block that CuPy and PyCUDA launch
BLOCKS = {
    "ElementwiseKernel": 128,
    "ReductionKernel": 512,
}


@dataclass(slots=True)
class _Found:
    node: ast.Call
    maker: _Maker
    text: Mapped
    defines: dict[str, str]
    calls: list[Called] = field(default_factory=list)


def programs(source: str, defines: Mapping[str, str]) -> list[EmbeddedProgram]:
    """Every text that holds a kernel, each once, in the order of the file."""
    tree = python_text.module(source)
    values = HostValues(tree, source, defines)
    nodes = list(ast.walk(tree))
    found = [one for node in nodes if isinstance(node, ast.Call) for one in _made(node, values)]
    _take_launches(nodes, found, values)
    taken = [range(min(one.text.starts), max(one.text.ends)) for one in found if one.text.starts]
    around = [
        one
        for node in nodes
        if isinstance(node, ast.Call) and (one := _made_around(node, values)) is not None
    ]
    rest = [
        text
        for node in nodes
        for text in _left(node, values)
        if not any(min(text.starts) in stretch for stretch in taken)
    ]
    result = [
        EmbeddedProgram(
            one.text, one.maker.language, one.defines, values.held(one.text.text), tuple(one.calls)
        )
        for one in found
        if one.text.text
    ]
    result += [
        EmbeddedProgram(
            text, "opencl" if _OPENCL.search(text.text) else "cuda", {}, values.held(text.text)
        )
        for text in rest
    ]
    result += around
    return sorted(result, key=lambda program: min(program.text.starts))


def _made(node: ast.Call, values: HostValues) -> Iterator[_Found]:
    """The program that a call compiles."""
    name = _name(node.func, values)
    for maker in MAKERS.get(name, ()):
        if maker.words and not any(word in values.source for word in maker.words):
            continue
        given = _argument(node, maker.text, maker.keyword)
        if given is None:
            continue
        rows = values.resolved(given)
        texts = rows.elts if isinstance(rows, ast.List | ast.Tuple) else [given]
        for one in texts:
            text = values.text(one)
            if has_kernel(text.text):
                yield _Found(node, maker, text, _options(node, maker, values))
        return


def _made_around(node: ast.Call, values: HostValues) -> EmbeddedProgram | None:
    """The kernel that ElementwiseKernel or ReductionKernel makes."""
    kind = _name(node.func, values)
    if kind not in ELEMENTWISE:
        return None
    start, end = values.place(node.func)
    library = _library(node, values)
    given = {
        word: _argument(node, position, keyword)
        for word, position, keyword in POSITIONS.get((library, kind), ())
    }
    if given.get("body") is None and given.get("reduce") is None:
        return None
    texts = {
        word: values.text(one) if one is not None and not _is_none(one) else Mapped()
        for word, one in given.items()
    }
    named = given.get("name")
    name = values.constant(named) if named is not None else None
    texts.setdefault("reduce", Mapped())
    if not texts["body"].text:
        # PyCUDA's and PyOpenCL's map expression where none is given
        texts["body"] = filled("in[i]", start, end)
    fields = {
        word: texts.get(word, Mapped())
        for word in ("inputs", "outputs", "body", "preamble", "before", "after", "reduce")
    }
    called = name if isinstance(name, str) and name.isidentifier() else "kernel"
    words = ElementwiseCall(
        called, **fields, is_reduction=kind == "ReductionKernel", place=(start, end)
    )
    make, language = LIBRARIES[library]
    text = make(words)
    calls = (
        (Called(called, None, (BLOCKS[kind], 1, 1), 0, {}, start, end),)
        if library != "pyopencl"
        else ()
    )
    return EmbeddedProgram(
        text,
        language,
        {},
        values.held(text.text),
        calls,
        (CONTIGUOUS,) if library == "cupy" else (),
    )


def _library(node: ast.Call, values: HostValues) -> str:
    """The library that a call names, by its module or by the modules that the file imports."""
    module = (
        node.func.value.id
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
        else ""
    )
    told = values.imported.get(module, module).partition(".")[0]
    return (
        told
        if told in LIBRARIES
        else next((library for library in LIBRARIES if library in values.source), "")
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _name(function: ast.expr, values: HostValues) -> str:
    """The called name, as the library spells it: `from cupy import RawKernel as K` counts."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return values.imported.get(function.id, function.id) if isinstance(function, ast.Name) else ""


def _argument(node: ast.Call, position: int, keyword: str) -> ast.expr | None:
    named = next((item.value for item in node.keywords if item.arg == keyword), None)
    if (
        named is not None
        or position < 0
        or position >= len(node.args)
        or any(isinstance(a, ast.Starred) for a in node.args[: position + 1])
    ):
        return named
    return node.args[position]


def _options(node: ast.Call, maker: _Maker, values: HostValues) -> dict[str, str]:
    """Macros of `options=("-DN=32", "-D", "M=4")`, and of `.build(options=…)` for OpenCL."""
    calls = [
        node,
        *(
            outer
            for outer in values.calls_on(node)
            if isinstance(outer.func, ast.Attribute) and outer.func.attr == "build"
        ),
    ]
    words: list[str] = []
    for call in calls:
        given = _argument(call, 0 if call is not node else -1, "options")
        given = values.resolved(given) if given is not None else None
        row = (
            list(given.elts)
            if isinstance(given, ast.List | ast.Tuple)
            else [given]
            if given is not None
            else []
        )
        for item in row:
            words += values.text(item).text.split()
    return dict(_defined(words))


def _defined(words: list[str]) -> Iterator[tuple[str, str]]:
    rest = iter(words)
    for word in rest:
        if word.startswith("-D"):
            name, value = parse_define(word[2:] or next(rest, ""))
            if name:
                yield name, value


# -- strings that no known call takes


def _left(node: ast.AST, values: HostValues) -> Iterator[Mapped]:
    """A string that defines a kernel and is assigned, returned or handed to something; docstrings
    are words about code."""
    given: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.Return) and node.value is not None:
        given = [node.value]
    elif isinstance(node, ast.Call):
        given = [*node.args, *(item.value for item in node.keywords)]
    for one in given:
        is_text = isinstance(one, ast.JoinedStr | ast.BinOp) or (
            isinstance(one, ast.Constant) and isinstance(one.value, str | bytes)
        )
        if (is_text or isinstance(one, ast.Call)) and KERNEL.search(
            values.source, *values.place(one)
        ):
            text = values.text(one)
            if has_kernel(text.text):
                yield text


# -- launches


def _take_launches(nodes: list[ast.AST], found: list[_Found], values: HostValues) -> None:
    by_node = {one.node: one for one in found}
    if not by_node:
        return
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        program, name = _kernel(node.func, by_node, values)
        if program is None:
            continue
        called = _called(node, name, program.maker.language, values)
        if called is not None:
            for one in found:
                if one.node is program.node:
                    one.calls.append(called)


def _kernel(
    function: ast.expr, by_node: Mapping[ast.Call, _Found], values: HostValues, depth: int = 0
) -> tuple[_Found | None, str]:
    """Which program's kernel an expression is, and its name; (None, "") for other things."""
    function = values.resolved(function)
    if isinstance(function, ast.Call) and depth < 8:
        own = by_node.get(function)
        if own is not None and own.maker.name >= 0:
            given = _argument(function, own.maker.name, "name")
            return own, str(values.constant(given)) if given is not None else ""
        if (
            isinstance(function.func, ast.Attribute)
            and function.func.attr in ("get_function", "get_kernel")
            and function.args
        ):
            return _program(function.func.value, by_node, values), str(
                values.constant(function.args[0])
            )
        if _name(function.func, values) == "Kernel" and len(function.args) == 2:
            return _program(function.args[0], by_node, values), str(
                values.constant(function.args[1])
            )
    if isinstance(function, ast.Attribute):
        program = _program(function.value, by_node, values)
        if program is not None and program.maker.language == "opencl":
            return program, function.attr
    return None, ""


def _program(
    node: ast.expr, by_node: Mapping[ast.Call, _Found], values: HostValues
) -> _Found | None:
    for _ in range(8):
        node = values.resolved(node)
        if isinstance(node, ast.Call) and node in by_node:
            return by_node[node]
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("build", "compile")
        ):
            return None
        node = node.func.value
    return None


def _called(node: ast.Call, name: str, language: str, values: HostValues) -> Called | None:
    """The launch that a call makes, as far as its own words decide it."""
    start, end = values.place(node)
    if any(isinstance(item, ast.Starred) for item in node.args) or any(
        item.arg is None for item in node.keywords
    ):
        return None
    named = {item.arg: item.value for item in node.keywords if item.arg}
    if language == "opencl":
        if len(node.args) < 3:
            return None
        size, block = _dims(node.args[1], values), _dims(node.args[2], values)
        if block is None:
            return None
        return Called(
            name, _blocks(size, block), block, None, _scalars(node.args[3:], values), start, end
        )
    if "block" in named:  # PyCUDA: f(x, y, block=(256, 1, 1), grid=(64, 1))
        block = _dims(named["block"], values)
        grid = _dims(named["grid"], values) if "grid" in named else (1, 1, 1)
        shared, arguments = named.get("shared"), node.args
    elif len(node.args) >= 2:  # CuPy: f(grid, block, arguments, shared_mem=0)
        grid, block = _dims(node.args[0], values), _dims(node.args[1], values)
        shared = _argument(node, 3, "shared_mem")
        given = values.resolved(_argument(node, 2, "args") or ast.Tuple([]))
        arguments = list(given.elts) if isinstance(given, ast.Tuple | ast.List) else []
    else:
        return None
    if block is None:
        return None
    return Called(
        name,
        grid,
        block,
        0 if shared is None else values.integer(shared),
        _scalars(arguments, values),
        start,
        end,
    )


def _blocks(size: Dim3 | None, block: Dim3) -> Dim3 | None:
    """The grid of a global size; None where the local size does not divide it."""
    if size is None or any(n % b for n, b in zip(size, block, strict=True)):
        return None
    return size[0] // block[0], size[1] // block[1], size[2] // block[2]


def _dims(node: ast.expr, values: HostValues) -> Dim3 | None:
    node = values.resolved(node)
    row = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    sizes = [values.integer(item) for item in row]
    if not 1 <= len(sizes) <= 3 or any(size is None or size < 1 for size in sizes):
        return None
    x, y, z = [*(size for size in sizes if size is not None), 1, 1][:3]
    return x, y, z


def _scalars(arguments: list[ast.expr], values: HostValues) -> dict[int, int]:
    """The integers among the arguments, by position."""
    found = {position: values.integer(argument) for position, argument in enumerate(arguments)}
    return {position: value for position, value in found.items() if value is not None}
