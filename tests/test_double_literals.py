"""KL701 held against the machine code of nvcc 13.0 for sm_90 (`-cubin`, nvdisasm): which literals bring in instructions of doubles."""

from __future__ import annotations

import pytest

from tests.test_messages import findings_of

KERNEL = """\
__global__ void k(float *a, const float *b, int n)
{{
    int t = blockIdx.x * 256 + threadIdx.x;
    float x = b[t], s = b[t + n], o;
    {body}
    a[t] = o;
}}
"""
CASES = [  # statements, and whether the machine code has DADD, DMUL, DFMA, DSETP or a conversion to or from F64
    ("float y = n > t ? x : 0.1; o = y;", False),
    ("float y = n > t ? x : 0.5; o = y;", False),
    ("s += n > t ? x : 0.0; o = s;", True),
    ("s += n > t ? x : 0.5; o = s;", True),
    ("s += n > t ? x : 0.1; o = s;", True),
    ("o = s * (n > t ? x : 1.0);", True),
    ("o = s * (n > t ? 2.0 : 1.0);", True),
    ("o = t * (n > t ? 2.0 : 1.0);", True),
    ("o = s > (n > t ? x : 0.5) ? 1 : 2;", True),
    ("int i = n > t ? x : 0.5; o = i;", True),
    ("s += x + 0.0; o = s;", True),
    ("s += x * 1.0; o = s;", False),
    ("o = s - 1.0 * x;", False),
    ("o = s > x * 1.0 ? 1 : 2;", False),
    ("int i = x + 0.0; o = i;", True),
    ("int i = x * 0.5; o = i;", True),
    ("unsigned i = x + 0.5; o = i;", True),
    ("long long i = x * 0.5; o = i;", True),
    ("unsigned char i = x * 255.0; o = i;", True),
    ("s += 0.3; o = s;", True),
    ("s += 0.5; o = s;", False),
    ("s *= 0.3; o = s;", True),
    ("s *= 0.5; o = s;", False),
    ("o = -0.5 * x + 1.0;", True),
    ("o = -0.3 * x;", True),
    ("o = -0.5 * x;", False),
    ("o = x == 0.1 ? 1 : 2;", True),
    ("o = x == 0.5 ? 1 : 2;", False),
    ("o = x != 0.1 ? 1 : 2;", True),
    ("o = s > x * 0.5 ? 1 : 2;", True),
    ("o = 1.0 / x;", False),
    ("o = x / 3.0;", False),
    ("o = t > 0.5 ? 1 : 2;", False),
    ("o = t + 0.0;", True),
    ("o = t * 1.0;", True),
    ("int i = t * 0.5; o = i;", True),
    ("int i = t / 2.0; o = i;", True),
    ("o = (float)(x * 0.5) * s;", False),
    ("o = fmaxf(x * 0.5, s);", False),
    ("o = sqrt(x * 0.5);", True),
    ("o = sqrtf(x * 0.5);", False),
    ("o = exp(-0.5 * x);", True),
    ("o = b[(int)(x * 0.5)];", True),
    ("if (x * 0.5) s = 1; o = s;", True),
    ("o = x * 0.5 * s;", True),
    ("o = 2.0 * x * s;", True),
    ("o = 1.0 - x;", False),
    ("o = (1.0 - x) * s;", True),
]


@pytest.mark.parametrize(("body", "doubles"), CASES)
def test_a_literal_is_told_where_nvcc_computes_with_doubles(body: str, doubles: bool) -> None:
    text = KERNEL.format(body=body)
    turns = 0
    while (found := findings_of(text, "KL701")) and turns < 3:
        assert found[0].fix is not None
        (edit,) = found[0].fix.edits
        lines = text.split("\n")
        at = lines[edit.span.line - 1]
        lines[edit.span.line - 1] = at[: edit.span.column - 1] + edit.content + at[edit.span.column - 1 :]
        text, turns = "\n".join(lines), turns + 1
    assert (turns > 0) is doubles and not found


def test_a_choice_of_what_is_loaded() -> None:
    """nvcc 13.0 for sm_90: DADD for the sum, none where the choice is made a float at once."""
    (finding,) = findings_of(KERNEL.format(body="s += n > t ? b[t + 2 * n] : 0.0; o = s;"), "KL701")
    assert "`n > t ? b[t + 2 * n] : 0.0`: `0.0` is a double" in finding.message
    assert findings_of(KERNEL.format(body="o = n > t ? b[t + 2 * n] : 0.0;"), "KL701") == []
