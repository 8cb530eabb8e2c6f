"""KL101: rows of a named pitch get the padding that rows of a number get."""

from __future__ import annotations

import pytest

from kernlint.checks.run import check
from kernlint.fixing.review import review
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from kernlint.source.edits import applied

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
    "template of two": "template <class T, unsigned P>\n"
    + KERNEL
    + LAUNCH.replace("f<<<", "f<float, 33><<<"),
}


def padded(text: str) -> str | None:
    text = text.replace("BODY", "")
    source, settings = files.from_bytes("k.cu", text.encode()), Settings()
    report = engine.analyse((), settings, stdin=source)
    found = tuple(check(report, Selection(select=("KL101",))))
    (finding,) = review(found, source, settings, report.files[0])
    return None if finding.fix is None else applied(text, finding.fix.edits)


@pytest.mark.parametrize("name", NAMED)
def test_a_named_pitch_is_padded_as_a_number_is(name: str) -> None:
    text = padded(NAMED[name])
    assert text is not None
    longer = "34" if name == "number" else "(P + 1)"
    assert f"s[16 * {longer}]" in text and f"s[(l % 16) * {longer} + l / 16]" in text


def test_a_template_parameter_that_is_something_else_elsewhere_is_no_pitch() -> None:
    assert padded(NAMED["template"] + "void g(int P) {}\n") is None
