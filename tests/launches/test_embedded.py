"""Kernels in strings of Python and C++: found, analysed, and every place in the host file."""

from __future__ import annotations

import ast
import json
import textwrap
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from kernlint.checks.run import check_file
from kernlint.checks.selection import selected_rules
from kernlint.cli.main import main
from kernlint.model import facts
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from kernlint.source.edits import applied
from kernlint.source.embedded import programs
from kernlint.source.embedded.mapped_text import Mapped, unescaped, verbatim
from kernlint.source.embedded.python_strings import parts
from kernlint.source.lexer import scan

pytestmark = pytest.mark.slow

COLUMN = "    x[{0}] = t[threadIdx.x * 32];\n"
TRANSPOSE = """
extern "C" __global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""


def analysed(text: str, path: str = "host.py", **settings: object) -> facts.File:
    source = files.from_bytes(path, text.encode())
    return engine.analyse_source(source, replace(Settings(), **settings))  # type: ignore[arg-type]


def quoted(text: str, span: object) -> str:
    """What the host file holds at a place."""
    lines = text.split("\n")
    assert span.line == span.end_line  # type: ignore[attr-defined]
    return lines[span.line - 1][span.column - 1 : span.end_column - 1]  # type: ignore[attr-defined]


def kernels(file: facts.File) -> list[str]:
    return [kernel.name for kernel in file.kernels]


def access(file: facts.File, text: str) -> facts.Access:
    return next(a for kernel in file.kernels for a in kernel.accesses if a.text == text)


def test_a_literal_is_read_as_python_reads_it() -> None:
    for literal in (
        r"'a\tb\\c\'d'",
        r'"\x41\u00e9\N{BULLET}\101\0"',
        r"r'a\tb' 'c\n'",
        '"""one\n  two \\\n three"""',
        '("a"  # a comment\n  "b\\\n"\n  \'c\')',
        r"b'\x41\u0041'",
        r"'\q\/'",
    ):
        found = parts(literal, 0, len(literal))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = ast.literal_eval(literal)
        text = "".join(part.text for part in found if isinstance(part, Mapped))
        assert text == (value.decode() if isinstance(value, bytes) else value), literal


def test_every_character_knows_its_place() -> None:
    source = r'"ab\tc" "\x41d"'
    text = parts(source, 0, len(source))
    whole = text[0] + text[1]  # type: ignore[operator]
    assert whole.text == "ab\tcAd"
    assert [source[a:b] for a, b in zip(whole.starts, whole.ends, strict=True)] == [
        "a",
        "b",
        r"\t",
        "c",
        r"\x41",
        "d",
    ]
    assert sorted(whole.altered()) == [(3, 5), (6, 9), (9, 13)]


def test_dedent_keeps_places() -> None:
    source = "    a\n      b\n   \n    c\n"
    found = verbatim(source, 0).dedented()
    assert found.text == textwrap.dedent(source)
    assert all(source[a] == c for a, c in zip(found.starts, found.text, strict=True))


def test_tokens_of_spliced_lines_in_a_string() -> None:
    source = r"#define F(a) \\\n  (a + 1)\nint x = F(2);"
    taken = unescaped(source, 0)
    tokens = scan(taken.text, "p", source, taken).tokens
    one = next(token for token in tokens if token.text == "1")
    assert quoted(source, one.span) == "1"


def test_cupy_raw_kernel_with_its_launch() -> None:
    text = f'''import cupy as cp
import numpy as np
TILE = 32
N = TILE * 32
SOURCE = r"""{TRANSPOSE}"""
kernel = cp.RawKernel(SOURCE, "transpose")
kernel((N // TILE, N // TILE), (TILE, TILE), (out, a, np.int32(N)))
'''
    file = analysed(text)
    assert kernels(file) == ["transpose"] and not file.problems
    launch = file.kernels[0].launch
    assert (launch.grid, launch.block, launch.arguments) == ((32, 32, 1), (32, 32, 1), {"n": 1024})
    assert launch.span is not None and text.split("\n")[launch.span.line - 1].startswith(
        "kernel((N"
    )
    load = access(file, "tile[threadIdx.x][threadIdx.y]")
    assert load.status == "exact" and load.wavefronts is not None and load.wavefronts.mean == 32
    assert quoted(text, load.span) == "tile[threadIdx.x][threadIdx.y]"


def test_line_by_line_strings() -> None:
    text = textwrap.dedent(r"""
        from pycuda.compiler import SourceModule as Compile
        mod = Compile(
            "__global__ void k(float *x)\n"      # the head
            "{\n"
            '\tx[threadIdx.x * 32] = 1.0f;\n'
            "}\n", options=["-DUNUSED"])
        f = mod.get_function("k")
        f(x, block=(64, 1, 1), grid=(8, 1))
        """)
    file = analysed(text)
    store = access(file, "x[threadIdx.x * 32]")
    assert quoted(text, store.span) == "x[threadIdx.x * 32]"
    assert store.status == "exact" and store.sectors is not None and store.sectors.mean == 32
    assert (file.kernels[0].launch.grid, file.kernels[0].launch.block) == ((8, 1, 1), (64, 1, 1))


def test_pyopencl_program_with_options_and_sizes() -> None:
    text = textwrap.dedent('''
        import pyopencl as cl
        prg = cl.Program(ctx, """
        __kernel void k(__global float *x)
        {
            x[get_global_id(0) * STEP] = 1.0f;
        }
        """).build(options=["-D", "STEP=8"])
        prg.k(queue, (4096,), (128,), buffer)
        ''')
    file = analysed(text)
    assert file.language == "opencl"
    assert (file.kernels[0].launch.grid, file.kernels[0].launch.block) == ((32, 1, 1), (128, 1, 1))
    store = access(file, "x[get_global_id(0) * STEP]")
    assert store.status == "exact" and store.sectors is not None and store.sectors.mean == 32


def test_constants_fill_f_strings_and_other_holes_are_told() -> None:
    text = textwrap.dedent('''
        import cupy
        STEP = 16
        a = cupy.RawKernel(f"""extern "C" __global__ void a(float *x) {{ x[threadIdx.x * {STEP * 2}] = 0; }}""", "a")
        b = cupy.RawKernel(f"""extern "C" __global__ void b(float *x) {{ x[threadIdx.x * {step}] = 0; }}
        extern "C" __global__ void c(float *x) {{ x[threadIdx.x] = 0; }}""", "b")
        ''')
    file = analysed(text)
    assert kernels(file) == ["a", "c"]
    assert (
        quoted(text, access(file, "x[threadIdx.x * {STEP * 2}]").span)
        == "x[threadIdx.x * {STEP * 2}]"
    )
    (problem,) = file.problems
    assert problem.code == "KL003" and quoted(text, problem.span) == "{step}"
    assert (
        "`b` is not analysed: its text contains `{step}`" in problem.message
        and "-D step=VALUE" in problem.message
    )
    assert kernels(analysed(text, defines={"step": "4"})) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "made",
    [
        '"""#if {0} > 1\\n#define S 1\\n#else\\n#define S 2\\n#endif\\nKERNEL""".format(size)',
        '"""#define N %(n)d\\n#if N\\n#endif\\nKERNEL""" % vars',
        'Template("""__device__ $type f();\\nKERNEL""").substitute(type=t)',
        '"""KERNEL""".replace("float", element)',
        '"KERNEL" + extra',
    ],
)
def test_text_that_decides_more_than_one_kernel(made: str) -> None:
    kernel = "__global__ void k(float *x) { x[threadIdx.x] = 0; }"
    made = made.replace(
        "KERNEL", kernel.replace("{", "{{").replace("}", "}}") if ".format" in made else kernel
    )
    file = analysed(f"import cupy\nfrom string import Template\nm = cupy.RawModule(code={made})\n")
    assert not file.kernels
    assert any(
        "is not analysed" in problem.message and problem.code == "KL003"
        for problem in file.problems
    )


@pytest.mark.parametrize(
    "made",
    [
        '"""KERNEL""" % {"n": N}',
        '"""KERNEL""" % dict(n=N)',
        '"""KERNEL""".replace("%(n)s", str(N))',
        'Template("""KERNEL""").substitute(n=N)',
        'f"""KERNEL"""',
        '"""KERNEL""".format(n=4 * 8)',
        'textwrap.dedent("""KERNEL""").strip().replace("%(n)s", "32").encode()',
        '"\\n".join(["#define M 32", """KERNEL"""])',
    ],
)
def test_constants_fill_every_kind_of_placeholder(made: str) -> None:
    hole, braces = "%(n)s", "{}"
    if "Template" in made:
        hole = "${n}"
    elif made.startswith("f"):
        hole, braces = "{N}", "{{}}"
    elif ".format" in made:
        hole, braces = "{n}", "{{}}"
    elif "join" in made:
        hole = "M"
    kernel = f"__global__ void k(float *x) {braces[: len(braces) // 2]} x[threadIdx.x * {hole}] = 0; {braces[len(braces) // 2 :]}"
    text = f"import cupy, textwrap\nfrom string import Template\nN = 32\nm = cupy.RawModule(code={made.replace('KERNEL', kernel)})\n"
    file = analysed(text)
    assert not file.problems
    (store,) = file.kernels[0].accesses
    assert store.sectors is not None and store.sectors.mean == 32
    assert quoted(text, store.span) == f"x[threadIdx.x * {hole}]"


def test_names_bound_twice_are_not_known() -> None:
    text = """import cupy
N = 32
def f(M):
    global N
    N = 16
    return cupy.RawKernel("extern \\"C\\" __global__ void k(float *x) { x[threadIdx.x * %d * %d] = 0; }" % (N, M), "k")
"""
    file = analysed(text)
    assert not file.kernels and len(file.problems) == 1


def test_a_string_that_no_known_call_takes() -> None:
    text = '''"""This module has a __global__ void kernel() { } in its words."""
SOURCE = """__global__ void k(float *x) { x[threadIdx.x] = 0; }"""
compile_somehow(SOURCE)
print("usage: write a __global__ function")
'''
    file = analysed(text)
    assert kernels(file) == ["k"] and not file.problems


def test_raw_strings_of_cpp() -> None:
    text = f'const char *name = "x";\nstatic const char *source = R"cuda({TRANSPOSE})cuda";\nvoid f() {{ compile(source, name); }}\n'
    file = analysed(text, "jit.cpp")
    assert kernels(file) == ["transpose"] and not file.problems
    load = access(file, "tile[threadIdx.x][threadIdx.y]")
    assert quoted(text, load.span) == "tile[threadIdx.x][threadIdx.y]"


def test_a_cl_file_that_is_a_c_string() -> None:
    text = textwrap.dedent(r"""
        "#define STEP 4\n"
        "__kernel void k(__global float *x)\n"
        "{\n"
        "  x[get_local_id(0) * STEP] = 1.0f; /* \"quoted\" */ x[get_local_id(0) * 3] = 2.0f;\n"
        "}\n"
        """)
    file = analysed(text, "kernels.cl")
    assert kernels(file) == ["k"] and not file.problems
    for words in ("x[get_local_id(0) * STEP]", "x[get_local_id(0) * 3]"):
        assert quoted(text, access(file, words).span) == words


@pytest.mark.parametrize(
    "macro",
    [
        "#define TEXT(...) #__VA_ARGS__\nconst char *s = TEXT",
        "#define Q(x) #x\n#define U 1\nchar s[] = Q",
        "STRINGIFY",
    ],
)
def test_text_that_a_macro_makes_a_string_of(macro: str) -> None:
    text = f"{macro}(\n__kernel void k(__global float *x)\n{{\n    x[get_local_id(0) * 2] = 1.0f;\n}}\n);\n"
    file = analysed(text, "kernels.h")
    assert kernels(file) == ["k"] and not file.problems
    assert quoted(text, access(file, "x[get_local_id(0) * 2]").span) == "x[get_local_id(0) * 2]"


def test_what_a_cpp_program_puts_in() -> None:
    kernel = ' "__global__ void k(float *x) { x[threadIdx.x * " NAME "] = 0; }"'
    known = analysed(
        "#define NAME 32\nconst char *s =" + kernel.replace("NAME", "NAME") + ";\n", "a.cpp"
    )
    assert (
        known.kernels[0].accesses[0].sectors is not None
        and known.kernels[0].accesses[0].sectors.mean == 32
    )
    for unknown in ("NAME", "+ std::to_string(n) +"):
        file = analysed("const char *s =" + kernel.replace("NAME", unknown) + ";\n", "a.cpp")
        assert not file.kernels and "is not analysed" in file.problems[0].message


def test_device_code_beside_a_string_is_analysed_too() -> None:
    text = '__global__ void own(float *x) { x[threadIdx.x] = 0; }\nconst char *s = "__global__ void jit(float *x) { x[threadIdx.x] = 0; }";\n'
    assert sorted(kernels(analysed(text, "a.cu"))) == ["jit", "own"]
    plain = 'void f(const char *);\n__global__ void own(float *x) { x[threadIdx.x] = 0; }\nvoid g() { f("the __global__ function"); }\n'
    assert kernels(analysed(plain, "b.cu")) == ["own"]


def test_texts_that_grow_without_end() -> None:
    doubled = "".join(f"s{i + 1} = s{i} + s{i}\n" for i in range(60))
    kernel = "__global__ void k(float *x) { x[0] = 0; }"
    for first in ("", "x" * 1000):
        file = analysed(
            f'import cupy\ns0 = "{first}"\n{doubled}m = cupy.RawModule(code=s30 + "{kernel}")\n'
        )
        assert not file.kernels and [problem.code for problem in file.problems] == ["KL003"]
    assert not analysed(
        f'm = f"{kernel.replace("{", "{{").replace("}", "}}")}" + "%{"9" * 9}d" % 3\nf(m)\n'
    ).unfinished


def test_what_is_no_python_is_told() -> None:
    file = analysed("def f(:\n  '__global__ void k() {}'\n")
    (problem,) = file.problems
    assert (
        problem.code == "KL001"
        and problem.span.line == 1
        and "cannot read this as Python" in problem.message
    )


def test_fixes_where_the_text_is_exact_only() -> None:
    raw = f'import cupy\nk = cupy.RawKernel(r"""{TRANSPOSE}""", "transpose")\nk((8, 8), (32, 32), (a, b, 256))\n'
    for text, offered in (
        (raw, True),
        (raw.replace("tile[32][32]", 'tile[32][32"""\n""" ]'), False),
    ):
        file = analysed(text)
        found = check_file(file, "h100", selected_rules(Selection()))
        (conflict,) = [finding for finding in found if finding.code == "KL101"]
        assert (conflict.fix is not None) == offered
        if conflict.fix is not None:
            after = applied(text, conflict.fix.edits)
            assert after is not None and after.replace("[33]", "[32]") == text
            assert not [
                f
                for f in check_file(analysed(after), "h100", selected_rules(Selection()))
                if f.code == "KL101"
            ]


def test_folders_take_hosts_with_kernels_only(tmp_path: Path) -> None:
    (tmp_path / "with.py").write_text('K = """__global__ void k(float *x) { x[0] = 0; }"""\n')
    (tmp_path / "words.py").write_text('"""About __global__ functions."""\n')
    (tmp_path / "plain.h").write_text("__global__ void k(float *x);\n")
    (tmp_path / "jit.h").write_text(
        'const char *s = R"(__global__ void k(float *x) { x[0] = 0; })";\n'
    )
    (tmp_path / "k.cu").write_text("__global__ void k(float *x) { x[0] = 0; }\n")
    found = [Path(path).name for path, _ in files.collect([str(tmp_path)])]
    assert found == ["jit.h", "k.cu", "with.py"]


def test_comments_in_strings_suppress_and_are_added(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = '"__global__ void k(float *x)\\n"\n    "{ x[threadIdx.x * 32] = 1; }\\n"'
    path = tmp_path / "a.py"
    path.write_text(
        f"import pycuda.compiler as c\nm = c.SourceModule({kernel})\nm.get_function('k')(x, block=(64, 1, 1))\n"
    )
    run = [str(path), "--no-cache", "--isolated", "--output-format", "json"]
    assert main(run) == 1
    assert [found["code"] for found in json.loads(capsys.readouterr().out)["findings"]] == ["KL201"]
    main([*run, "--add-ignore"])
    ast.parse(path.read_text())
    capsys.readouterr()
    assert main(run) == 0


def test_a_text_of_two_programs_is_reported_once() -> None:
    text = 'import cupy\nS = "__global__ void k(float *x) { x[0] = 0; }"\na = cupy.RawModule(code=S)\nb = cupy.RawModule(code=S)\n'
    assert kernels(analysed(text)) == ["k"]


def test_plain_device_code_holds_no_programs() -> None:
    assert programs.host("x.cu", "__global__ void k() {}").is_code


TEMPLATE = """// ${DTYPE} in words
__kernel void filter(__global ${DTYPE} *in, __global ${DTYPE} *out)
{
    for (int i = 0; i < ${SIZE}; ++i)
        out[get_global_id(0) * ${SIZE} + i] = (${DTYPE})in[i + OFFSET_${SIZE}];
}
__kernel void plain(__global float *x) { x[get_global_id(0) * 2] = 0; }
"""


def test_a_kernel_file_that_a_template_engine_fills_in() -> None:
    file = analysed(TEMPLATE, "filter.cl")
    assert kernels(file) == ["plain"] and file.language == "opencl"
    (problem,) = [problem for problem in file.problems if not problem.note]
    assert problem.code == "KL003" and quoted(TEMPLATE, problem.span) == "${DTYPE}"
    assert (
        "`filter` is not analysed: its text contains `${DTYPE}`" in problem.message
        and "-D DTYPE=VALUE" in problem.message
    )
    assert (
        quoted(TEMPLATE, access(file, "x[get_global_id(0) * 2]").span) == "x[get_global_id(0) * 2]"
    )


def test_values_given_for_the_placeholders_of_a_file() -> None:
    file = analysed(
        TEMPLATE, "filter.cl", defines={"DTYPE": "float4", "SIZE": "3", "OFFSET_3": "0"}
    )
    assert kernels(file) == ["filter", "plain"] and not file.problems
    store = access(file, "out[get_global_id(0) * ${SIZE} + i]")
    assert (store.element_bytes, quoted(TEMPLATE, store.span)) == (
        16,
        "out[get_global_id(0) * ${SIZE} + i]",
    )
    load = access(file, "in[i + OFFSET_${SIZE}]")
    assert load.sectors is not None and load.sectors.mean == 1


def test_comments_in_a_template_suppress(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.cl"
    path.write_text(TEMPLATE.replace("x[get_global_id(0) * 2]", "x[get_global_id(0) * 32]"))
    run = [str(path), "--no-cache", "--isolated", "--output-format", "json"]
    main([*run, "--add-ignore"])
    assert "// kernlint: ignore[KL201]" in path.read_text()
    capsys.readouterr()
    main(run)
    assert json.loads(capsys.readouterr().out)["findings"] == []


MAKO = """\
#define SIZE ${size}
% for i in range(n):
#define READ_${i}(x) (${expressions[i]})
% endfor
__kernel void ${name}(__global float *x) { x[get_global_id(0) * 2] = 0; }
"""
JINJA = "__kernel void k(__global float *x)\n{\n{% for i in range(4) %}\n    x[{{ i }}] = 0;\n{% endfor %}\n}\n"
RENDER_FIRST = "is a template ({}) and is not analysed before it is rendered"


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        (MAKO, "Mako: `% for i in range(n):`"),
        (f"<%\n  cur = 4\n%>\n{MAKO}", "Mako: `<%`"),
        (f'<%def name="f()">\n</%def>\n{MAKO}', "Mako: `<%`"),
        (JINJA, "Jinja: `{% for i in range(4) %}`"),
    ],
)
def test_a_template_that_is_no_code_before_it_is_rendered_is_one_line(
    text: str, engine: str
) -> None:
    (problem,) = analysed(text, "k.cl").problems
    assert problem.code == "KL003" and problem.message == f"this file {RENDER_FIRST.format(engine)}"
    assert quoted(text, problem.span) == engine.split("`")[1]
    host = f'import mako\n\nOTHER = """__kernel void p(__global float *x) {{ x[0] = 0; }}"""\nTEXT = r"""\n{text}"""\n'
    file = analysed(host)
    (problem,) = [problem for problem in file.problems if not problem.note]
    assert (
        problem.message == f"this text {RENDER_FIRST.format(engine)}"
        and quoted(host, problem.span) == engine.split("`")[1]
    )
    assert kernels(file) == ["p"]


def test_what_looks_like_a_template_in_comments_and_literals_is_none() -> None:
    text = '// {% for x in y %}\n/*\n% for a in b:\n*/\n__kernel void k(__global float *x) { printf("{% if %}"); x[0] = 7\n% 4; }\n'
    file = analysed(text, "k.cl")
    assert kernels(file) == ["k"] and not file.problems
    digraphs = "__kernel void k(__global float *x)\n<%\n    x<:0:> = 0;\n%>\n"
    assert not [
        problem for problem in analysed(digraphs, "k.cl").problems if "template" in problem.message
    ]


def test_placeholders_of_a_template_in_a_string_get_stand_ins() -> None:
    text = """\
import pyopencl as cl
S = \'\'\'
__kernel void k(__global ${T} *x) { x[get_global_id(0) * 32] = 0; }
__kernel void p(__global float *x) { x[get_global_id(0) * 32] = 0; }
\'\'\'
cl.Program(ctx, S).build()
"""
    file = analysed(text)
    (problem,) = [problem for problem in file.problems if not problem.note]
    assert (
        kernels(file) == ["p"]
        and "`k` is not analysed: its text contains `${T}`" in problem.message
    )
    assert quoted(text, problem.span) == "${T}"
    given = analysed(text, defines={"T": "float"})
    assert (
        kernels(given) == ["k", "p"]
        and quoted(text, access(given, "x[get_global_id(0) * 32]").span)
        == "x[get_global_id(0) * 32]"
    )


def test_a_template_that_is_no_code_can_be_suppressed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cl"
    path.write_text(f"// kernlint: file-ignore[KL003]\n{JINJA}")
    assert main([str(path), "--no-cache", "--isolated"]) == 0
    (tmp_path / "host.py").write_text(f'TEXT = """\\n{JINJA}"""\n')  # met in a folder, too
    assert main([str(tmp_path), "--no-cache", "--isolated", "--output-format", "concise"]) == 1
    (line,) = capsys.readouterr().out.splitlines()[-1:]
    assert "host.py:3:1: warning: this text is a template (Jinja" in line
