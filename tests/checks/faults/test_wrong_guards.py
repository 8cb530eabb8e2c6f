"""A guard that lets one element too many pass: one finding, the guard shown and put right."""

import pytest

from tests.support.found import found

FRAME = """struct Body {{ float3 at, speed; }};
__global__ void step(Body *p, int *q, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {guarded}
}}
int main()
{{
    Body *p;
    int *q;
    int n = 1000;
    cudaMalloc(&p, n * sizeof(Body));
    cudaMalloc(&q, (n + 1) * sizeof(int));
    step<<<8, 128>>>(p, q, n);
}}
"""
BODY = "p[i].at.x += p[i].speed.x;\n    p[i].at.y += p[i].speed.y;"
WRONG = {
    "if (i > n) return;\n    " + BODY: "i >= n",
    "if (n < i)\n        return;\n    " + BODY: "n <= i",
    "if (i > n) { return; }\n    if (i >= 0) {\n    " + BODY + "\n    }": "i >= n",
    "if (i <= n) {\n    " + BODY + "\n    }": "i < n",
    "if (n >= i) {\n    " + BODY + "\n    }": "n > i",
}


@pytest.mark.parametrize(("guarded", "right"), WRONG.items(), ids=WRONG.values())
def test_the_guard_is_put_right(guarded: str, right: str) -> None:
    (finding,) = found("KL804", FRAME.format(guarded=guarded))
    assert finding.severity == "error"
    assert "elements up to 1,000 of `p`, which has 1,000" in finding.message
    assert finding.fix is not None and finding.fix.message == f"Compare by `{right}`"
    assert str(finding.help).startswith(f"compare by `{right}`:")
    assert not any("does not keep" in note for note in finding.notes)
    assert [e.content for e in finding.fix.edits] == [right]
    assert "and here" in [label.text for label in finding.labels]


@pytest.mark.parametrize(
    "guarded",
    [
        f"if (i == 5) return;\n    {BODY}",  # not a bound
        f"if (i <= n) {{ {BODY} }} else p[0].at.x = 1;",  # `else` would change its meaning
        f"if (i > n) p[0].at.x = 1;\n    {BODY}",  # does not leave
        f"if (i <= n) {{ q[i] = 0; {BODY} }}",  # of one element more
        f"if (i > n) return;\n    {BODY}\n    q[i] = 0;",
        f"if (i > n) return;\n    __syncthreads();\n    {BODY}",  # threads that others wait for
        f"if (i > n) return;\n    i++;\n    {BODY}",
        f"if (i > n) return;\n    for (; i <= n; i += 1024) {{ {BODY} }}",
    ],
)
def test_no_other_condition_is_taken_for_it(guarded: str) -> None:
    findings = found("KL804", FRAME.format(guarded=guarded))
    assert findings
    edits = [e for one in findings if one.fix is not None for e in one.fix.edits]
    assert not {e.content for e in edits} & set(WRONG.values())


def test_the_last_exit_that_compares_is_shown() -> None:
    guarded = f"if (i > 2 * n) return;\n    if (threadIdx.x > 250) return;\n    {BODY}"
    (first, *_) = found("KL804", FRAME.format(guarded=guarded))
    shown = {label.text: label.span.line for label in first.labels}
    assert shown["this guard lets it pass"] == 5


ALLOCATED = """__global__ void fill(double *p, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = i;
}}
int main(int argc, char **argv)
{{
    double *p;
    int n = {n};
    cudaMalloc(&p, {size});
    fill<<<(n + 255) / 256, 256>>>(p, n);
}}
"""


@pytest.mark.parametrize("n", ["1000", "atoi(argv[1])"])
@pytest.mark.parametrize(
    ("size", "is_of_elements"), [("n", True), ("n * sizeof(float)", False), ("n - 8", False)]
)
def test_an_allocation_of_as_many_bytes_as_elements(
    n: str, size: str, is_of_elements: bool
) -> None:
    (finding,) = found("KL804", ALLOCATED.format(n=n, size=size))
    assert ("sizeof" in str(finding.help)) == is_of_elements
    assert (
        any("does not keep the index in bounds" in note for note in finding.notes) != is_of_elements
    )
    assert any("this guard" in label.text for label in finding.labels) <= (not is_of_elements)


@pytest.mark.parametrize("leaves", ["if (i > n) return; {", "if (i <= n) {"])
def test_rows_behind_the_guard_of_elements_are_one_finding(leaves: str) -> None:
    source = FRAME.replace("Body *p, int *q", "const float *p, int *q").replace(
        "Body *p;", "float *p;"
    )
    source = source.replace("sizeof(Body)", "3 * sizeof(float)").replace("(n + 1)", "n")
    body = "float s = 0;\n    for (int j = 0; j < 3; j++) s += p[3 * i + j];\n    q[i] = s; }"
    (finding,) = found("KL804", source.format(guarded=f"{leaves}\n    {body}"))
    assert finding.fix is not None and finding.fix.message.startswith("Compare by `i ")
    assert "and here" in [label.text for label in finding.labels]


ROWS = """__global__ void sums(const int *ptr, const float *x, float *y, int rows)
{{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    {guarded}
}}
int main()
{{
    int *ptr;
    int rows = 1000;
    cudaMalloc(&ptr, {size} * sizeof(int));
    sums<<<4, 256>>>(ptr, nullptr, nullptr, rows);
}}
"""
SUM = "for (int j = ptr[r]; j < ptr[r + 1]; j++) y[r] += x[j];"


@pytest.mark.parametrize(
    ("guarded", "size", "is_short"),
    [
        (f"if (r < rows) {SUM}", "rows", True),
        (f"if (r >= rows) return;\n    {SUM}", "rows", True),
        (f"if (r < rows) {SUM}", "(rows - 7)", False),
        ("if (r < 2000) y[ptr[r]] += 1;", "rows", False),
        (f"if (r <= rows) {SUM}", "rows", False),
    ],
)
def test_an_allocation_that_lacks_the_element_behind_the_last(
    guarded: str, size: str, is_short: bool
) -> None:
    finding = found("KL804", ROWS.format(guarded=guarded, size=size))[-1]
    assert ("allocate 1,001 elements, or guard" in str(finding.help)) == is_short
    said = "fits the allocation: this index is 1 element further on"
    assert any(said in note for note in finding.notes) == is_short


def test_a_condition_that_is_added_is_no_corrected_one() -> None:
    (finding,) = found("KL804", FRAME.format(guarded="if (threadIdx.x > 3) p[i] = Body();"))
    assert finding.fix is None or "one index too many" not in str(finding.help)
