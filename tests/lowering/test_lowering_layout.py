"""Sizes, alignments and offsets of classes against g++ on generated definitions."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from kernlint.ir import nodes as ir
from kernlint.lowering.types.layout import align_of, find_field, size_of
from kernlint.lowering.types.typenames import by_name
from tests.support import needs
from tests.support.lowered import program

SCALARS = [
    "char",
    "unsigned char",
    "short",
    "int",
    "unsigned",
    "long",
    "long long",
    "float",
    "double",
    "bool",
    "int *",
    "uint64_t",
]
BITS = {
    "bool": 1,
    "char": 8,
    "unsigned char": 8,
    "short": 16,
    "int": 32,
    "unsigned": 32,
    "long": 64,
    "long long": 64,
}
CLASSES = 60


class Definitions:
    """Random classes, each of earlier ones; `members` lists those whose offset a program may ask
    for."""

    def __init__(self, seed: int, rich: bool) -> None:
        self.draw, self.rich = random.Random(seed), rich
        self.names: list[str] = []
        self.unions: set[str] = set()
        self.members: list[tuple[str, str]] = []
        self.source = ""
        for i in range(CLASSES):
            self.source += self.definition(f"C{i}")
            self.names.append(f"C{i}")

    def chance(self, share: float) -> bool:
        return self.draw.random() < share

    def member(self, name: str) -> str:
        """One member in one of the ways to write it."""
        type_ = (
            self.draw.choice(self.names)
            if self.names and self.chance(0.25)
            else self.draw.choice(SCALARS)
        )
        kind = self.draw.random()
        if kind < 0.15:
            return f"{type_} {name}[{self.draw.randint(1, 5)}];"
        if kind < 0.25:
            return f"alignas({self.draw.choice([8, 16, 32])}) {self.draw.choice(SCALARS)} {name};"
        if kind < 0.35:
            return f"static const int s_{name} = 1; int f_{name}(int x) {{ return x; }} {type_} {name};"
        if kind < 0.45:
            return f"union {{ {type_} {name}; char other_{name}[3]; }};"
        if self.rich and kind < 0.52:
            return f"{self.draw.choice(SCALARS)} {name} __attribute__((packed));"
        if self.rich and kind < 0.57:
            return f"{type_} {name} __attribute__((aligned({self.draw.choice([4, 8, 16])})));"
        return f"{type_} {name};"

    def bit_field(self, name: str) -> str:
        type_ = self.draw.choice(list(BITS))
        width = self.draw.randint(1, BITS[type_])
        if self.rich and self.chance(0.1):
            return f"{type_} : {width};"
        return f"{type_} {name} : {width};"

    def definition(self, name: str) -> str:
        lines = []
        has_bits = self.chance(0.3)
        for i in range(self.draw.randint(1, 7)):
            if has_bits and self.chance(0.7):
                lines.append(self.bit_field(f"b{i}"))
            else:
                lines.append(self.member(f"m{i}"))
                self.members.append((name, f"m{i}"))
        key = "union" if self.chance(0.1) else "struct"
        if key == "union":
            self.unions.add(name)
            lines = [
                line.replace("static const int s_", "typedef int s_").replace(" = 1;", ";")
                for line in lines
            ]
        plain = [n for n in self.names if n not in self.unions]
        base = (
            f" : {self.draw.choice(plain)}"
            if key == "struct" and plain and self.chance(0.2)
            else ""
        )
        if self.rich and key == "struct" and self.chance(0.08):
            lines.append(f"{name}();" if self.chance(0.5) else "virtual int work(int x);")
        before = f" alignas({self.draw.choice([64, 128])})" if self.chance(0.1) else ""
        after = ""
        if self.rich:
            before = self.draw.choice(
                [before, before, " __attribute__((packed))", " __attribute__((packed, aligned(4)))"]
            )
            after = self.draw.choice(
                [
                    "",
                    "",
                    "",
                    " __attribute__((packed))",
                    "" if "align" in before else " __attribute__((aligned(8)))",
                ]
            )
        text = f"{key}{before} {name}{base} {{\n  " + "\n  ".join(lines) + f"\n}}{after};\n"
        if self.rich and "packed" not in text and self.chance(0.25):
            pack = self.draw.choice([1, 2, 4, 8])
            begin, end = self.draw.choice([(f"push, {pack}", "pop"), (str(pack), "")])
            text = f"#pragma pack({begin})\n{text}#pragma pack({end})\n"
        return text


@pytest.mark.slow
@needs.gpp
@pytest.mark.parametrize(
    ("seed", "rich"), [(7, False), (3, True), (4, True), (5, True), (6, True), (7, True), (8, True)]
)
def test_classes_are_laid_out_as_gcc_does(tmp_path: Path, seed: int, rich: bool) -> None:
    made = Definitions(seed, rich)
    probe = (
        "#include <cstdint>\n"
        + made.source
        + "#include <cstdio>\n#include <cstddef>\nint main() {\n"
    )
    probe += "".join(f'  printf("%zu %zu\\n", sizeof({n}), alignof({n}));\n' for n in made.names)
    probe += "".join(f'  printf("%zu\\n", offsetof({n}, {m}));\n' for n, m in made.members)
    (tmp_path / "probe.cpp").write_text(probe + "}\n")
    subprocess.run(
        ["g++", "-w", "-std=c++17", "probe.cpp", "-o", "probe"], cwd=tmp_path, check=True
    )
    printed = subprocess.run(
        [tmp_path / "probe"], capture_output=True, text=True, check=True
    ).stdout.split("\n")
    read = program(made.source)
    assert made.names and made.members and len(printed) == len(made.names) + len(made.members) + 1
    for name, line in zip(made.names, printed, strict=False):
        type_ = by_name(read, name, read.scope).type
        assert f"{size_of(type_)} {align_of(type_)}" == line, (
            name,
            made.source[made.source.index(f" {name}") - 40 :][:600],
        )
    for (name, member), line in zip(made.members, printed[len(made.names) :], strict=False):
        field = find_field(by_name(read, name, read.scope).type, member)
        assert field is not None and str(field.offset) == line, (
            name,
            member,
            made.source[made.source.index(f" {name}") - 40 :][:600],
        )


@pytest.mark.parametrize(
    ("name", "size", "align", "language"),
    [
        ("float4", 16, 16, "cuda"), ("float3", 12, 4, "cuda"), ("double2", 16, 16, "cuda"), ("double4", 32, 16, "cuda"),
        ("uchar4", 4, 4, "cuda"),
        ("double4_16a", 32, 16, "cuda"), ("double4_32a", 32, 32, "cuda"), ("ulonglong4_32a", 32, 32, "cuda"), ("long4_16a", 32, 16, "cuda"),
        ("short2", 4, 4, "cuda"), ("longlong2", 16, 16, "cuda"), ("dim3", 12, 4, "cuda"), ("half2", 4, 4, "cuda"), ("char3", 3, 1, "cuda"),
        ("float3", 16, 16, "opencl"), ("float8", 32, 32, "opencl"), ("double4", 32, 32, "opencl"), ("uchar16", 16, 16, "opencl"),
    ],
)  # fmt: skip
def test_built_in_vectors(name: str, size: int, align: int, language: str) -> None:
    """CUDA C++ Programming Guide, alignment requirements of built-in vector types; OpenCL C
    6.1.5."""
    read = program("", language)
    type_ = by_name(read, name, read.scope).type
    assert (size_of(type_), align_of(type_)) == (size, align)


PACKED = """
struct __attribute__((packed)) P { char a; int b[4]; double c; };
struct __attribute__((packed, aligned(4))) Q { char a; P p; double c; };
struct Bits { unsigned a : 3; unsigned b : 29; int c; };
"""


def sizes(statement: str, parameters: str) -> list[tuple[str, tuple[tuple[int, int], ...]]]:
    """(op, machine accesses as (offset, width)) of the accesses that a statement makes."""
    read = program(f"{PACKED}__global__ void k({parameters}) {{ {statement} }}")
    found = read.instantiate(read.kernels()[-1], None)
    return [(s.site.op, s.site.pieces) for s in found.body if isinstance(s, (ir.Load, ir.Store))]


@pytest.mark.parametrize(
    ("statement", "pieces"),
    [
        ("v = p->b[1];", ((0, 1), (1, 1), (2, 1), (3, 1))),
        ("v = (int)q->c;", ((0, 2), (2, 2), (4, 2), (6, 2))),  # at byte 26 of what is aligned to 4
        ("v = q->p.a;", ((0, 1),)),
        ("int *r = p->b; v = r[1];", ((0, 4),)),  # a pointer forgets where it came from
        ("v = q->p.b[n];", ((0, 1), (1, 1), (2, 1), (3, 1))),
    ],
)
def test_members_of_packed_classes_are_read_as_their_alignment_allows(
    statement: str, pieces: tuple[tuple[int, int], ...]
) -> None:
    """As nvcc 13 compiles them for sm_90."""
    found = sizes(f"int v; {statement} *out = v;", "P *p, Q *q, int n, int *out")
    assert found == [("load", pieces), ("store", ((0, 4),))]


def test_bit_fields_are_accesses_of_unknown_width() -> None:
    """nvcc picks the bytes of the storage unit: whole, narrowed, with or without reading it
    first."""
    assert sizes("p->a = 3;", "Bits *p") == [("load", ()), ("store", ())]
    assert sizes("*out = p->b;", "Bits *p, int *out") == [("load", ()), ("store", ((0, 4),))]
    assert sizes("*out = p->c;", "Bits *p, int *out") == [("load", ((0, 4),)), ("store", ((0, 4),))]


def test_a_zero_width_bit_field_ends_its_unit() -> None:
    read = program("struct S { int a : 3; int : 0; int b : 3; char c; };")
    type_ = by_name(read, "S", read.scope).type
    assert (size_of(type_), [f.offset for f in type_.fields]) == (8, [0, 4, 5])  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "statement",
    ["*out = p[n].x;", "*out = p->x.y;", "*out = p[n].v[2];", "p[n].x = 1;", "p->x += *out;"],
)
@pytest.mark.parametrize("declared", ["", "struct Missing;"])
def test_members_of_a_missing_class_are_accesses(statement: str, declared: str) -> None:
    read = program(f"{declared} __global__ void k(Missing *p, int n, int *out) {{ {statement} }}")
    found = read.instantiate(read.kernels()[-1], None)
    accesses = [
        s.site
        for s in found.body
        if isinstance(s, (ir.Load, ir.Store)) and s.site.text.startswith("p")
    ]
    assert accesses
    assert all(
        site.pieces == () and site.unsized == ("unknown-type", "`Missing`") for site in accesses
    )


def test_a_method_of_a_missing_class_is_no_access() -> None:
    read = program("__global__ void k(Missing *p, int n) { p[n].work(3); }")
    assert [type(s).__name__ for s in read.instantiate(read.kernels()[-1], None).body] == [
        "Clobber",
        "Taken",
    ]
