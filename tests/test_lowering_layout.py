"""Sizes, alignments and offsets of classes against g++ on generated definitions."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from kernlint.lowering.layout import align_of, find_field, size_of
from kernlint.lowering.typenames import by_name
from tests.lowering import program

SCALARS = ["char", "unsigned char", "short", "int", "unsigned", "long", "long long", "float", "double", "bool", "int *", "uint64_t"]
CLASSES = 60


def definition(name: str, earlier: list[str], draw: random.Random) -> tuple[str, list[str]]:
    """A random class and the names of its members."""
    members: list[str] = []
    lines: list[str] = []
    for i in range(draw.randint(1, 6)):
        member = f"m{i}"
        type_ = draw.choice(earlier) if earlier and draw.random() < 0.25 else draw.choice(SCALARS)
        kind = draw.random()
        if kind < 0.2:
            lines.append(f"  {type_} {member}[{draw.randint(1, 5)}];")
        elif kind < 0.3:
            lines.append(f"  alignas({draw.choice([8, 16, 32])}) {type_} {member};")
        elif kind < 0.4:
            lines.append(f"  static const int s{i} = {i}; int f{i}(int x) {{ return x; }} {type_} {member};")
        elif kind < 0.5:
            lines.append(f"  union {{ {type_} {member}; char other{i}[3]; }};")
        else:
            lines.append(f"  {type_} {member};")
        members.append(member)
    key = "union" if draw.random() < 0.1 else "struct"
    base = f" : {draw.choice(earlier)}" if key == "struct" and earlier and draw.random() < 0.2 else ""
    if base and base[3:] in UNIONS:
        base = ""
    if key == "union":
        UNIONS.add(name)
        lines = [line for line in lines if "static" not in line] or ["  int m0;"]
        members = [m for m in members if any(f" {m}" in line for line in lines)]
    align = f" alignas({draw.choice([8, 16])})" if draw.random() < 0.15 else ""
    return f"{key}{align} {name}{base} {{\n" + "\n".join(lines) + "\n};\n", members


UNIONS: set[str] = set()


def bit_fields(name: str, draw: random.Random) -> str:
    lines = [
        f"  {draw.choice(['int', 'unsigned', 'unsigned char', 'long'])} b{i} : {draw.randint(1, 8)};" for i in range(draw.randint(1, 7))
    ]
    lines.insert(draw.randint(0, len(lines)), f"  {draw.choice(SCALARS)} plain;")
    return f"struct {name} {{\n" + "\n".join(lines) + "\n};\n"


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
def test_classes_are_laid_out_as_gcc_does(tmp_path: Path) -> None:
    draw = random.Random(7)
    names: list[str] = []
    source, expected = "#include <cstdint>\n", []
    for i in range(CLASSES):
        name = f"C{i}"
        text, members = definition(name, names, draw) if i % 5 else (bit_fields(name, draw), ["plain"])
        source += text
        names.append(name)
        expected += [(name, m) for m in members]
    probe = source + "#include <cstdio>\n#include <cstddef>\nint main() {\n"
    probe += "".join(f'  printf("%zu %zu\\n", sizeof({n}), alignof({n}));\n' for n in names)
    probe += "".join(f'  printf("%zu\\n", offsetof({n}, {m}));\n' for n, m in expected)
    (tmp_path / "probe.cpp").write_text(probe + "}\n")
    subprocess.run(["g++", "-w", "-std=c++17", "probe.cpp", "-o", "probe"], cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "probe"], capture_output=True, text=True, check=True).stdout.split("\n")
    read = program(source.replace("#include <cstdint>\n", ""))
    for name, line in zip(names, printed, strict=False):
        type_ = by_name(read, name, read.scope).type
        assert f"{size_of(type_)} {align_of(type_)}" == line, (name, source[source.index(f" {name}") - 20 :][:400])
    for (name, member), line in zip(expected, printed[len(names) :], strict=False):
        field = find_field(by_name(read, name, read.scope).type, member)
        assert field is not None and str(field.offset) == line, (name, member)


@pytest.mark.parametrize(
    ("name", "size", "align", "language"),
    [
        ("float4", 16, 16, "cuda"), ("float3", 12, 4, "cuda"), ("double2", 16, 16, "cuda"), ("double4", 32, 16, "cuda"),
        ("uchar4", 4, 4, "cuda"),
        ("short2", 4, 4, "cuda"), ("longlong2", 16, 16, "cuda"), ("dim3", 12, 4, "cuda"), ("half2", 4, 4, "cuda"), ("char3", 3, 1, "cuda"),
        ("float3", 16, 16, "opencl"), ("float8", 32, 32, "opencl"), ("double4", 32, 32, "opencl"), ("uchar16", 16, 16, "opencl"),
    ],
)  # fmt: skip
def test_built_in_vectors(name: str, size: int, align: int, language: str) -> None:
    """CUDA C++ Programming Guide, alignment requirements of built-in vector types; OpenCL C 6.1.5."""
    read = program("", language)
    type_ = by_name(read, name, read.scope).type
    assert (size_of(type_), align_of(type_)) == (size, align)
