"""Remedies work: an argument's value is asked for only where the value is an argument's, a macro
only where no file defines the name. What a condition decides as a whole is a number, not a range
from 0."""

from __future__ import annotations

from kernlint.checks import words
from kernlint.checks.run import check
from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files

LAUNCH = Settings(launch=LaunchOverrides(grid=(4, 1, 1), block=(64, 1, 1)))
STRUCT = "struct P { int x; };\n"


def report_of(body: str, parameters: str = "float *o, int n") -> facts.Report:
    text = f"{STRUCT}__global__ void k({parameters}) {{ {body} }}"
    return engine.analyse((), LAUNCH, stdin=files.from_bytes("k.cu", text.encode()))


def texts(body: str, parameters: str = "float *o, int n") -> list[str]:
    """Notes and help of all findings."""
    found = check(report_of(body, parameters), Selection(severity="info"))
    return [text for one in found for text in (*one.notes, one.help or "")]


def test_no_macro_for_a_loop_variable() -> None:
    said = texts("for (int d = n; d > 0; d >>= 1) o[threadIdx.x * d] = 1;")
    assert said and not [text for text in said if "-D" in text]
    said = texts("for (int d = n; d > 0; d /= threadIdx.x + 2) o[threadIdx.x * d] = 1;")
    assert not [text for text in said if "-D" in text]
    assert "depends on `d`, which an argument of unknown value decides" in said


def test_no_macro_for_a_parameter_of_a_lambda() -> None:
    said = texts(
        "auto f = [=](int s, int t) { o[s * t] = 1; };"
        "for (int s = n; s; s >>= 1) f(s, threadIdx.x);"
    )
    assert said and not [text for text in said if "-D" in text]


def test_a_macro_for_a_name_that_nothing_defines() -> None:
    said = texts("o[threadIdx.x * PITCH] = 1;")
    assert [text for text in said if "-D PITCH=…" in text]


def test_no_argument_for_a_value_that_is_loaded() -> None:
    tile = (
        "__shared__ float s[4096]; s[threadIdx.x] = 1; __syncthreads(); o[0] = s[threadIdx.x * {}];"
    )
    for value in ("q->x", "(*q).x", "q[1].x"):
        assert not [t for t in texts(tile.format(value), "float *o, const P *q") if "--arg" in t]
    by_value = texts(tile.format("p.x"), "float *o, P p")
    assert [text for text in by_value if "--arg p.x=…" in text]


def known(body: str, parameters: str = "float *o, int n") -> str:
    """What is known of the store."""
    accesses = report_of(body, parameters).files[0].kernels[0].accesses
    (store,) = (access for access in accesses if access.op == "store")
    assert store.sectors is not None
    return words.as_known(store, store.sectors)


def test_a_condition_of_the_whole_warp_leaves_the_number() -> None:
    assert known("if (n > 3) o[threadIdx.x * 2] = 1;") == "8 sectors where it runs"


def test_a_condition_on_each_lane_leaves_a_range() -> None:
    store = "if (x[threadIdx.x] > 0) o[threadIdx.x * 2] = 1;"
    assert known(store, "float *o, const int *x") == "between 0 and 8 sectors"


def test_the_worst_of_several_cases_is_a_bound() -> None:
    (one,) = check(
        report_of("int w = n & 15; o[threadIdx.x * w] = 1;"),
        Selection(select=("KL201",), severity="info"),
    )
    assert one.message.startswith("`o[threadIdx.x * w]`: up to 32 sectors per request instead")
