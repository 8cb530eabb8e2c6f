"""KL101: rows of a named pitch get the padding that rows of a number get."""

from __future__ import annotations

import pytest

from kernlint.checks.run import check
from kernlint.fixing.review import review
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from kernlint.source.edits import applied

pytestmark = pytest.mark.slow

KERNEL = """__global__ void f(const float *x, float *y)
{
    BODY__shared__ float s[16 * P];
    int l = threadIdx.y * 32 + threadIdx.x;
    s[threadIdx.y * P + threadIdx.x] = x[l];
    __syncthreads();
    y[l] = s[(l % 16) * P + l / 16];
}
"""
LAUNCH = "void run(const float *x, float *y) { f<<<64, dim3(32, 16)>>>(x, y); }\n"
NAMED = {
    "number": KERNEL.replace("P", "33") + LAUNCH,
    "macro": "#define P 33\n" + KERNEL + LAUNCH,
    "constant": KERNEL.replace("BODY", "const int P = 33;\n    ") + LAUNCH,
    "template": "template <int P>\n" + KERNEL + LAUNCH.replace("f<<<", "f<33><<<"),
    "macro in brackets": "#define P (33)\n" + KERNEL + LAUNCH,
    "macro of a product": "#define Q 11\n#define P (3 * Q)\n" + KERNEL + LAUNCH,
    "constant of a sum": "constexpr int P = 32 + 1;\n" + KERNEL + LAUNCH,
    "constant in braces": "static const size_t P{33};\n" + KERNEL + LAUNCH,
    "enumerator": "enum { P = 33 };\n" + KERNEL + LAUNCH,
    "template of two": "template <class T, unsigned P>\n"
    + KERNEL
    + LAUNCH.replace("f<<<", "f<float, 33><<<"),
}


def reviewed(text: str) -> Finding:
    source, settings = files.from_bytes("k.cu", text.encode()), Settings()
    report = engine.analyse((), settings, stdin=source)
    found = tuple(check(report, Selection(select=("KL101",))))
    (finding,) = review(found, source, settings, report.files[0])
    return finding


def padded(text: str) -> str | None:
    text = text.replace("BODY", "")
    finding = reviewed(text)
    return None if finding.fix is None else applied(text, finding.fix.edits)


def advice(text: str) -> str:
    return reviewed(text).help


@pytest.mark.parametrize("name", NAMED)
def test_a_named_pitch_is_padded_as_a_number_is(name: str) -> None:
    text = padded(NAMED[name])
    assert text is not None
    longer = "34" if name == "number" else "(P + 1)"
    assert f"s[16 * {longer}]" in text and f"s[(l % 16) * {longer} + l / 16]" in text


def test_a_template_parameter_that_is_something_else_elsewhere_is_no_pitch() -> None:
    assert padded(NAMED["template"] + "void g(int P) {}\n") is None


TILE = """\
HEAD__global__ void f(const float *x, float *y)
{
    __shared__ float s[EXTENT];
    int i = threadIdx.x, j = threadIdx.y;
    s[j * PITCH + i] = x[blockIdx.x * 1024 + j * 32 + i];
    __syncthreads();
    y[blockIdx.x * 1024 + j * 32 + i] = s[i * PITCH + j];
}
void run(const float *x, float *y) { fGIVEN<<<64, dim3(32, 32)>>>(x, y); }
"""


@pytest.mark.parametrize(
    ("head", "extent", "pitch", "given"),
    [
        ("template <int T> ", "T * T", "T", "<32>"),
        ("template <int M, int N> ", "M * N", "N", "<32, 32>"),
        ("template <class F, int M = 32, int N = 32> ", "M * N", "N", "<float>"),
        ("#define T 32\n", "T * T", "T", ""),
        ("struct C { static constexpr int T = 32; };\n", "32 * C::T", "C::T", ""),
        ("template <int T> struct C { static constexpr int P = T; };\n", "32 * 32", "32", ""),
    ],
)
def test_rows_of_an_extent_of_names(head: str, extent: str, pitch: str, given: str) -> None:
    parts = {"HEAD": head, "EXTENT": extent, "PITCH": pitch, "GIVEN": given}
    text = TILE
    for name, part in parts.items():
        text = text.replace(name, part)
    found = padded(text)
    longer = "33" if pitch == "32" else f"({pitch} + 1)"
    assert found is not None
    assert f"s[j * {longer} + i]" in found and f"s[i * {longer} + j]" in found


def test_a_name_with_two_meanings_is_no_pitch() -> None:
    assert padded(NAMED["constant of a sum"] + "void g() { int P = 3; }\n") is None


def test_a_padding_that_costs_a_block_says_so() -> None:
    text = """\
__global__ void f(const float *x, float *y)
{
    __shared__ float s[352][32];
    for (int i = threadIdx.x; i < 352 * 32; i += 256) s[i / 32][i % 32] = x[blockIdx.x * 11264 + i];
    __syncthreads();
    y[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x % 32][threadIdx.x / 32];
}
void run(const float *x, float *y) { f<<<4096, 256>>>(x, y); }
"""
    assert "which leaves 4 blocks per multiprocessor instead of 5" in advice(text)
    assert "per multiprocessor" not in advice(text.replace("352", "320").replace("11264", "10240"))


def test_rows_that_only_a_macro_spells_get_the_pitch_in_words() -> None:
    text = TILE.replace("HEAD", "#define AT(r, c) s[(r) * 32 + (c)]\n").replace("EXTENT", "32 * 32")
    text = text.replace("s[j * PITCH + i]", "AT(j, i)").replace("s[i * PITCH + j]", "AT(i, j)")
    assert padded(text.replace("GIVEN", "")) is None
    told = advice(text.replace("GIVEN", ""))
    assert "give rows of 32 elements a pitch of 33 in the size and every index of `s`" in told
    linear = text.replace("AT(j, i) =", "s[threadIdx.y * 32 + threadIdx.x + blockIdx.x % 7] =")
    assert "a pitch of" not in advice(
        linear.replace("GIVEN", "").replace("threadIdx.y * 32", "threadIdx.y * 48")
    )
