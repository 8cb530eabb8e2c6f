"""Loads that only the missing promise of `__restrict__` makes nvcc repeat, held against nvcc 13.0's
machine code for sm_90: how many LDG stand on each line of these kernels as they are, and how many
with the promise, was counted there."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.cli import main
from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

HEAD = "// kernlint: launch(grid=64, block=256)\n"
INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
ADAM = f"""{HEAD}__global__ void adam(float *p, float *m, float *v, const float *g, float lr)
{{
    {INDEX}
    m[i] = 0.9f * m[i] + 0.1f * g[i];
    v[i] = 0.99f * v[i] + 0.01f * g[i] * g[i];
    p[i] -= lr * m[i] / (sqrtf(v[i]) + 1e-8f);
}}
"""
LOADS = {5: (2, 2), 6: (2, 1), 7: (2, 1)}  # LDG on the lines of `adam`: as it is, with the promise


def kernel(source: str, device: str = "h100") -> facts.Kernel:
    (found,) = engine.analyse_source(
        files.from_bytes("k.cu", source.encode()), Settings(device=device)
    ).kernels
    return found


def made(found: facts.Kernel, line: int) -> int:
    """Loads that are left of a line."""
    own = [a for a in found.accesses if a.op == "load" and a.span.line == line]
    return sum(a.as_compiled is None or a.as_compiled.requests != 0 for a in own)


@pytest.mark.parametrize("promised", [False, True])
def test_the_loads_of_each_line_are_those_of_the_machine(promised: bool) -> None:
    found = kernel(ADAM.replace("*", "*__restrict__ ", 4) if promised else ADAM)
    assert {line: made(found, line) for line in LOADS} == {
        line: counts[promised] for line, counts in LOADS.items()
    }


def test_the_store_that_lies_between_is_named() -> None:
    found = [(a.text, a.span.line, a.reloaded) for a in kernel(ADAM).accesses if a.reloaded]
    assert [
        (text, line, store.text, store.object, store.span.line)
        for text, line, store in found
        if store
    ] == [
        ("g[i]", 6, "m[i]", "m", 5),
        ("m[i]", 7, "v[i]", "v", 6),
    ]


PLAIN = "float *y, float *z, const float *x"
TWICE = "y[i] = x[i]; z[i] = x[i];"
NONE = {
    "a promise at the pointer that is loaded": (
        "float *y, float *z, const float *__restrict__ x",
        TWICE,
    ),
    "a promise at the pointer that is stored": (
        "float *__restrict__ y, float *z, const float *x",
        TWICE,
    ),
    "a store that does change it": (
        "float *y, float *x, int n",
        "y[i] = x[i]; x[i + n] = 2; y[i + 1] = x[i];",
    ),
    "a store to shared memory": (
        PLAIN,
        "__shared__ float s[256]; s[i % 256] = x[i]; __syncthreads(); y[i] = x[i] + s[7];",
    ),
    "a variable": (PLAIN, "float v = x[i]; y[i] = v; z[i] = v;"),
    "a variable with a promise of its own": (
        PLAIN,
        "const float *__restrict__ q = x; y[i] = q[i]; z[i] = q[i];",
    ),
    "pointers in a struct, where no promise counts": (
        "Three s",
        "s.y[i] = s.x[i]; s.z[i] = s.x[i];",
    ),
    "another element": (PLAIN, "y[i] = x[i]; z[i] = x[i + 1];"),
    "a volatile pointer": ("float *y, float *z, const volatile float *x", TWICE),
}


@pytest.mark.parametrize("why", NONE)
def test_what_no_promise_would_keep_is_not_told(why: str) -> None:
    parameters, body = NONE[why]
    struct = "struct Three { float *y, *z; const float *x; };\n"
    assert not any(
        a.reloaded
        for a in kernel(
            f"{struct}{HEAD}__global__ void k({parameters}) {{ {INDEX} {body} }}\n"
        ).accesses
    )


def test_of_devices_whose_compiler_is_not_known_nothing_is_told() -> None:
    assert any(a.reloaded for a in kernel(ADAM).accesses)
    assert not any(a.reloaded for a in kernel(ADAM, "mi300x").accesses)


@pytest.mark.slow
def test_the_edit_makes_the_promise_once_and_the_loads_are_gone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(ADAM, encoding="utf-8")
    wanted = ["--select", "KL209", "--severity", "info", "--no-cache"]
    assert main.main([str(path), *wanted]) == 0  # a note
    told = " ".join(capsys.readouterr().out.split())
    assert (
        "`g[i]` and 1 more value are loaded again" in told
        and "(1,024 requests, 4,096 sectors, exact)" in told
    )
    assert main.main([str(path), *wanted, "--fix", "--unsafe-fixes"]) == 0
    head = "adam(float *__restrict__ p, float *__restrict__ m, float *__restrict__ v, const float *__restrict__ g, float lr)"
    text = path.read_text(encoding="utf-8")
    assert head in text and text.count("__restrict__") == 4
    assert {line: made(kernel(text), line) for line in LOADS} == {
        line: counts[1] for line, counts in LOADS.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("pointer", ["Pointer x", "const float x[]"])
def test_a_pointer_that_is_written_otherwise_gets_no_edit(
    pointer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    head = f"typedef const float *Pointer;\n{HEAD}__global__ void k(float *y, float *z, {pointer})"
    path.write_text(f"{head} {{ {INDEX} {TWICE} }}\n", encoding="utf-8")
    assert main.main([str(path), "--select", "KL209", "--severity", "info", "--no-cache"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "`x[i]` is loaded again" in told and "available" not in told


LAUNCHES = {
    # in place: the store does change what is loaded
    "host(float *a, float *b, int n) { k<<<64, 256>>>(a, b, a); }": False,
    "host(float *a, float *b, int n) { k<<<64, 256>>>(a, b, a + 64); k<<<64, 256>>>(b, a, a); }": False,
    "host(float *a, float *b, int n) { k<<<64, 256>>>(a + n, b, a + n); }": False,
    "host(float *a, float *b, int n) { k<<<64, 256>>>(a, a + n, b); }": True,
    # what is loaded is written by nobody
    "host(float *a, float *b, int n) { k<<<64, 256>>>(a, a, b); }": True,
    # halves of one array may be promised
    "host(float *a, float *b, int n) { k<<<64, 256>>>(a, b, a + 64 * n); }": True,
    "main() { float *a, *b; cudaMalloc(&a, 65536); b = a; k<<<64, 256>>>(a, b, b); }": False,
    "main() { float *a, *b; cudaMalloc(&a, 65536); cudaMalloc(&b, 65536); k<<<64, 256>>>(a, a, b); }": True,
}


@pytest.mark.parametrize("launches", LAUNCHES)
def test_a_promise_that_a_launch_of_the_file_breaks_is_not_asked_for(
    launches: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        f"__global__ void k({PLAIN}) {{ {INDEX} {TWICE} }}\nvoid {launches}\n", encoding="utf-8"
    )
    assert main.main([str(path), "--select", "KL209", "--severity", "info", "--no-cache"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert ("is loaded again" in told) is LAUNCHES[launches]


def test_the_edit_promises_nothing_of_pointers_that_a_launch_lets_meet(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        f"__global__ void k({PLAIN}) {{ {INDEX} {TWICE} }}\nvoid host(float *a, float *b) {{ k<<<64, 256>>>(a, a, b); }}\n"
    )
    assert (
        main.main(
            [
                str(path),
                "--select",
                "KL209",
                "--severity",
                "info",
                "--no-cache",
                "--fix",
                "--unsafe-fixes",
            ]
        )
        == 0
    )
    text = path.read_text(encoding="utf-8")
    assert "k(float *y, float *z, const float *__restrict__ x)" in text
    assert not any(a.reloaded for a in kernel(text).accesses)
