"""Sizes that are handed to a launch in a type: `decltype(NC)::value` of an integral_constant, of
the library's and of one's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.cli.main import main

KERNEL = """\
#include <type_traits>
template <int W> __global__ void k(float *y, const float *x, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++) sum += x[(i + j) % W];
    y[threadIdx.x] = sum;
}
template <int v> struct Num { static constexpr int value = v; };
template <class T, T v> struct Own { static constexpr T value = v; };
void go(float *y, const float *x, int n) {
    auto named = [&](auto NC) { constexpr int kW = decltype(NC)::value; k<kW><<<1, 128>>>(y, x, n); };
    auto direct = [&](auto NC) { k<decltype(NC)::value><<<1, 128>>>(y, x, n); };
    auto converted = [&](auto NC) { constexpr int kW = NC; k<kW><<<1, 128>>>(y, x, n); };
    auto called = [&](auto NC) { constexpr int kW = NC(); k<kW><<<1, 128>>>(y, x, n); };
    BODY
}
"""


def run(
    tmp_path: Path, body: str, capsys: pytest.CaptureFixture[str]
) -> tuple[list[list[str]], str]:
    """The template arguments of the kernels that are launched, and what is found in them."""
    path = tmp_path / "k.cu"
    path.write_text(KERNEL.replace("BODY", body))
    main(["report", "--no-cache", "--output-format", "json", str(path)])
    kernels = json.loads(capsys.readouterr().out)["files"][0]["kernels"]
    main(["check", "--no-cache", "--output-format", "concise", str(path)])
    return [kernel["template_arguments"] for kernel in kernels], capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("named(std::integral_constant<int, 3>{});", "3"),
        ("named(cuda::std::integral_constant<int, 3>{});", "3"),
        ("named(Num<5>{});", "5"),
        ("named(Own<int, 6>{});", "6"),
        ("named(std::true_type{});", "1"),
        ("named(std::bool_constant<true>{});", "1"),
        ("direct(Num<7>{});", "7"),
        ("direct(std::integral_constant<int, 9>{});", "9"),
        ("converted(std::integral_constant<int, 10>{});", "10"),
        ("called(std::integral_constant<int, 11>{});", "11"),
        (
            "constexpr int kW = std::integral_constant<int, 13>::value; k<kW><<<1, 128>>>(y, x, n);",
            "13",
        ),
    ],
)
def test_the_value_in_a_type_is_followed(
    body: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, found = run(tmp_path, body, capsys)
    assert arguments == [[value]] and "KL702" not in found


def test_the_value_in_a_deduced_type_is_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = "} template <class T> void typed(T, float *y, const float *x, int n) { k<T::value><<<1, 128>>>(y, x, n); }"
    arguments, _ = run(
        tmp_path,
        f"{typed} void all(float *y) {{ typed(std::integral_constant<int, 12>{{}}, y, y, 4);",
        capsys,
    )
    assert arguments == [["12"]]


def test_one_that_cannot_be_followed_is_unknown_and_known_to_the_compiler(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, found = run(tmp_path, "named(Missing<int, 3>{}); ", capsys)
    assert arguments == [["?"]] and "KL702" not in found
