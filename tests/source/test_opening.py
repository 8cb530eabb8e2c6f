"""Headers that several files begin with are read once, and every file comes out as if it had been
read alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files, lexer
from kernlint.source.parser.parser import Unit, parse
from kernlint.source.preprocessor import include_prefix, preprocess
from kernlint.source.preprocessor.preprocess import Options
from tests.source.test_parser import functions, shape
from tests.support import needs

pytestmark = pytest.mark.slow


LONG = "".join(
    f"struct T{i} {{ int a, b; }};\n" for i in range(80)
)  # more tokens than carried.LEAST
HEADERS = {
    "first.h": f"#pragma once\n#include \"nowhere.h\"\n#define TWICE(x) ((x) + (x))\n{LONG}namespace n {{ template <int N> struct V; }}\n",
    "second.h": "#ifndef S\n#define S\n#include \"inner/third.h\"\n#ifdef FLAG\n#define STEP 2\n#else\n#define STEP 1\n#endif\n"
    f"{LONG}#endif\n",
    "inner/third.h": "struct C { static __device__ int f(int i); };\n__device__ int of(V v) { return v < 3 >> 1; }\n",
    "cut.h": f"{LONG}__device__ int cut(int i)\n",
    "open.h": f"{LONG}namespace open {{\n",
    "wide.h": f"#ifdef WIDE\n#undef WIDE\n#define WIDE 32\n#else\n#define WIDE 1\n#endif\n{LONG}",
    "launch.h": f"{LONG}__global__ void z(int *p) {{ *p = 1; }}\n" + "inline void go(int *p) { z << <1, 32>> >(p); }\n" * 12,
    "ahead.h": f"{LONG}#define F(x) const int v##x = 32;\n F\n",
    "line.h": f"{LONG}__device__ int made() {{ return __COUNTER__; }}\n",
}  # fmt: skip
FILES = [
    '#include "first.h"\n#include "second.h"\n__global__ void k(int *x) { x[TWICE(threadIdx.x)] = STEP; }\n',
    '#include "first.h"\n#include "second.h"\nstruct V { int v; };\n__device__ int C::f(int i) { return 3 * i; }\n'
    "__global__ void k(int *x) { x[C::f(threadIdx.x)] = STEP; }\n",
    '// other text\n#define FLAG\n#include "first.h"\n#include "second.h"\n'
    "__global__ void k(int *x) { x[STEP * threadIdx.x] = C::f(1); }\n",
    '#include "first.h"\n#include \"nowhere.h\"\n#include "second.h"\n__device__ int C::f(int i) { return 5 * i; }\n'
    "__global__ void k(int *x) { x[C::f(threadIdx.x)] = 1; }\n",
    '#include \"nowhere.h\"\n#include "first.h"\n#include "first.h"\n#define STEP 7\n#include "second.h"\n'
    "__global__ void k(int *x) { x[STEP] = 1; }\n",
    '#include "first.h"\n#include "cut.h"\n{ return i; }\n__global__ void k(int *x) { x[cut(1)] = 1; }\n',
    '#include "first.h"\n#include "cut.h"\n;\n__global__ void k(int *x) { x[cut(1)] = 1; }\n',
    '#include "first.h"\n#include "open.h"\n__global__ void k(int *x) { x[0] = 1; }\n}\n',
    '#include "first.h"\n#include "line.h"\nconst int next = __COUNTER__;\n',
    '#include "line.h"\n#include "first.h"\nconst int next = __COUNTER__;\n',
    '#define WIDE\n#include "wide.h"\n__global__ void k(int *x) { x[threadIdx.x * (WIDE + 0)] = 1; }\n',
    '#define WIDE\n#include "wide.h"\nint WIDE_too;\n__global__ void k(int *x) { x[threadIdx.x * (WIDE + 0)] = 1; }\n',
    '#include "launch.h"\n__device__ int at(int i) { return i; }\n__global__ void k(int *x) { x[at(threadIdx.x)] = 1; }\n',
    '#include "launch.h"\n__device__ int at(long i) { return i * 32; }\n__global__ void k(int *x) { x[at(threadIdx.x)] = 1; }\n',
    '#include "ahead.h"\n(q)\n__global__ void k(int *x) { x[vq] = 1; }\n',
    '#include "ahead.h"\n(r)\n__global__ void k(int *x) { x[vr] = 1; }\n',
    '#include "first.h"\n#undef TWICE\n#include "second.h"\nint TWICE(int);\n#error nothing\n',
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    for name, text in HEADERS.items():
        write(tmp_path / name, text)
    for number, text in enumerate(FILES):
        (tmp_path / f"{number}.cu").write_text(text)
    include_prefix.forget()
    yield tmp_path
    include_prefix.forget()


def write(path: Path, text: str, seconds: int = 1_000_000) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    os.utime(path, (seconds, seconds))


def read(path: Path) -> tuple[Any, Unit]:
    text = path.read_text()
    prepared = preprocess.preprocess(str(path), text, Options())
    return prepared, parse(prepared.tokens, str(path), "cuda", prepared.opening)


def told(path: Path) -> list[Any]:
    prepared, unit = read(path)
    bodies = [
        (function.coord, shape(function.lazy_body.parse()))
        for function in functions(unit.declarations)
        if function.lazy_body
    ]
    assert unit.stream is not None
    marks = [
        unit.stream.texts,
        unit.stream.kinds,
        unit.stream.match,
        unit.problems,
        unit.skipped,
        unit.pieces,
    ]
    heads = [(type(node).__name__, node.coord) for node in unit.declarations]
    return [
        prepared.tokens, prepared.problems, prepared.included, prepared.missing, prepared.defines, prepared.sought, bodies, heads, *marks,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "order", [range(len(FILES)), range(len(FILES) - 1, -1, -1)], ids=["forwards", "backwards"]
)
def test_every_file_comes_out_as_if_read_alone(folder: Path, order: range) -> None:
    kept = {number: told(folder / f"{number}.cu") for number in order}
    for number, found in kept.items():
        include_prefix.forget()
        assert found == told(folder / f"{number}.cu"), FILES[number]


def test_a_use_without_end_leaves_the_tokens_of_a_header_as_they_are(tmp_path: Path) -> None:
    write(tmp_path / "open.h", "int a = TWICE(SAME(V);\n")
    macros = "#define V 7\n#define SAME(x) x\n"
    (tmp_path / "use.cu").write_text(f'{macros}#define TWICE(x) x x\n#include "open.h"\n')
    (tmp_path / "call.cu").write_text(f'{macros}#include "open.h"\n')
    read(tmp_path / "use.cu")
    assert (
        " ".join(token.text for token in read(tmp_path / "call.cu")[0].tokens)
        == "int a = TWICE ( 7 ;"
    )


@needs.interpreted
def test_the_text_of_a_header_is_scanned_once_for_files_that_begin_apart(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scanned: list[str] = []
    original = lexer.scan
    monkeypatch.setattr(
        lexer, "scan", lambda text, path: (scanned.append(Path(path).name), original(text, path))[1]
    )
    for number in (0, 1):
        (folder / f"{number}.cu").write_text(f"int begun{number};\n{FILES[number]}")
        read(folder / f"{number}.cu")
    assert sorted(n for n in scanned if n.endswith(".h")) == ["first.h", "second.h", "third.h"]
    write(folder / "first.h", HEADERS["first.h"] + "int further;\n")
    assert "further" in [token.text for token in read(folder / "0.cu")[0].tokens]


@needs.interpreted
def test_headers_at_the_start_are_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    original = preprocess._read
    monkeypatch.setattr(
        preprocess, "_read", lambda path: (asked.append(Path(path).name), original(path))[1]
    )
    units = [read(folder / f"{number}.cu")[1] for number in (0, 1)]
    assert asked == ["first.h", "second.h", "third.h"]
    bodies = [
        next(f.lazy_body for f in functions(unit.declarations) if shape(f.name) == "of")
        for unit in units
    ]
    assert bodies[0] is bodies[1]


def test_a_member_defined_in_one_file_is_unknown_in_the_next(folder: Path) -> None:
    def sectors(number: int) -> list[Any]:
        source = files.read(str(folder / f"{number}.cu"))
        kernels = engine.analyse_source(source, Settings()).kernels
        return [
            (access.op, access.status, access.reason, access.sectors)
            for kernel in kernels
            for access in kernel.accesses
        ]

    together = [sectors(number) for number in (1, 0, 3, 2, 1)]
    alone = []
    for number in (1, 0, 3, 2, 1):
        include_prefix.forget()
        alone.append(sectors(number))
    assert together == alone and alone[0] != alone[2]


def test_a_default_that_one_file_adds_to_a_headers_template_is_unknown_in_the_next(
    tmp_path: Path,
) -> None:
    write(
        tmp_path / "shared.h",
        f"{LONG}template <typename T, int N> struct Wide {{ static const int stride = N; }};\n",
    )
    again = "template <typename T, int N = {}> struct Wide;\n"
    for number in (2, 32):
        text = f'#include "shared.h"\n{again.format(number)}__global__ void k(int *x) {{ x[threadIdx.x * Wide<int>::stride] = 1; }}\n'
        (tmp_path / f"{number}.cu").write_text(text)

    def sectors(number: int) -> list[Any]:
        file = engine.analyse_source(files.read(str(tmp_path / f"{number}.cu")), Settings())
        return [access.sectors for kernel in file.kernels for access in kernel.accesses]

    together = [sectors(number) for number in (2, 32)]
    include_prefix.forget()
    assert (
        together == [sectors(2), (include_prefix.forget(), sectors(32))[1]]
        and together[0] != together[1]
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("inner/third.h", "struct D {};\n"),
        ("second.h", "#define STEP 9\n"),
        ("nowhere.h", "int appeared;\n"),
    ],
)
def test_what_changed_on_disk_is_read_again(folder: Path, name: str, text: str) -> None:
    before = told(folder / "0.cu")
    write(folder / name, text, 2_000_000)
    kept = told(folder / "0.cu")
    include_prefix.forget()
    assert kept == told(folder / "0.cu") != before


def test_a_header_that_was_just_written_is_not_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(include_prefix, "SETTLED", 1e6)  # however long this test takes
    (folder / "second.h").write_text(HEADERS["second.h"])
    kept = [
        {Path(path).name for step in read(folder / "0.cu")[0].opening for path in step.included}
        for _ in range(2)
    ]
    assert kept == [{"first.h", "third.h"}] * 2


def test_what_is_kept_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(include_prefix, "KEPT", 5_000)
    for number in range(len(FILES)):
        told(folder / f"{number}.cu")
        assert include_prefix.weight() <= 5_000 or len(include_prefix._passages) == 1


NAMES = ("A", "B", "C", "AB", "SIZE", "USE")


def any_line(random: Random, headers: list[str]) -> str:
    """A line of a header or file that may matter to what is included behind it."""
    name, other = random.choice(NAMES), random.choice(NAMES)
    kind = random.randrange(14)
    if kind < 6:
        return f'#include "{random.choice(headers)}"'
    if kind < 9:
        value = random.choice(
            ["", "", f" {other}", " 2", f"(x) x {other}", "(x, y) x##y", "(x) #x"]
        )
        return f"#define {name}{value}"
    if kind == 9:
        return f"#undef {name}"
    if kind == 10:
        lines = [
            f"#{random.choice(['ifdef', 'ifndef'])} {name}",
            any_line(random, headers),
            "#else",
            any_line(random, headers),
            "#endif",
        ]
        return "\n".join(lines)
    used = random.choice(
        [
            f"{name}",
            f"{name}(A, B)",
            f"{name}({other})",
            f"CAT(A, B) {other}",
            f"T_{name} v",
            "__COUNTER__",
            "\n",
        ]
    )
    return random.choice(
        [
            f"int {name.lower()} = {used};",
            f"struct T_{name};",
            f"struct T_{name} {{ int {used}; }};",
            f"typedef int T_{other};",
        ]
    )


def any_header(random: Random, name: str, headers: list[str]) -> str:
    lines = [any_line(random, headers) for _ in range(random.randrange(6))]
    if random.randrange(2):
        lines += [f"struct L{name[0]}{i} {{ int a, b; }};" for i in range(random.choice([3, 80]))]
    body = "\n".join(lines) + "\n"
    guard = random.randrange("a.h" in headers, 4)
    mark = name.replace(".", "_")
    if guard == 0:
        return body
    return (
        f"#pragma once\n{body}" if guard == 1 else f"#ifndef {mark}\n#define {mark}\n{body}#endif\n"
    )


@pytest.mark.parametrize("seed", range(24))
def test_headers_in_headers_come_out_as_if_read_alone(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    headers = [f"{letter}.h" for letter in "abcdef"]
    circles = [random.randrange(30)]
    for number, name in enumerate(headers):
        reached = headers if number in circles else headers[number + 1 :] or ["none.h"]
        write(
            tmp_path / name,
            "#define CAT(x, y) x##y\n" * random.randrange(2) + any_header(random, name, reached),
        )
    paths = [tmp_path / f"{number}.cu" for number in range(6)]
    for path in paths:
        path.write_text(
            "\n".join(any_line(random, headers) for _ in range(random.randrange(1, 7)))
            + "\nT_A v; int last = CAT(A, B) (C);\n"
        )
    paths += [tmp_path / name for name in headers]
    include_prefix.forget()
    kept = [told(path) for path in paths * 2]
    for number, path in enumerate(paths):
        include_prefix.forget()
        alone = told(path)
        assert kept[number] == kept[number + len(paths)] == alone, path


def test_a_definition_of_one_file_gives_no_value_to_another(tmp_path: Path) -> None:
    """The declaration in the header is the same tree for all of them."""
    header = f"#pragma once\nstruct C {{ static const int n; }};\n{LONG}"
    (tmp_path / "size.h").write_text(header)
    code = (
        '#include "size.h"\n{}\n__global__ void k(float *p) {{ p[threadIdx.x] = 1; }}\n'
        "int main() {{ float *p; cudaMalloc(&p, 4096); k<<<4, C::n>>>(p); }}\n"
    )
    defined = {"a": "const int C::n = 64;", "b": "const int C::n = 128;", "c": ""}
    for name, definition in defined.items():
        (tmp_path / f"{name}.cu").write_text(code.format(definition))
    for order in ("abc", "bac", "cba"):
        blocks = {}
        for name in order:
            file = engine.analyse_source(files.read(str(tmp_path / f"{name}.cu")), Settings())
            (kernel,) = file.kernels
            blocks[name] = None if kernel.launch.block_assumed else kernel.launch.block[0]
        assert blocks == {"a": 64, "b": 128, "c": None}, order
