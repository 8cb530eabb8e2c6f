"""Launches in methods that nothing in the file calls: what their object holds."""

from __future__ import annotations

import pytest

from kernlint.checks.run import check_file
from kernlint.checks.selection import selected_rules
from kernlint.model.facts import Launch
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files

KERNEL = "__global__ void k(float *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 1; }\n"
CLASS = """class Solver {{
public:
  Solver(int n) : n_(n), block_(128) {{ cudaMalloc(&d_, 512); }}
  void run() {{ k<<<n_, block_>>>(d_, n_); }}
  {more}
private:
  int n_, block_;
  float *d_;
}};
"""


def launched(text: str) -> tuple[Launch, list[str]]:
    file = engine.analyse_source(files.Source("k.cu", "cuda", KERNEL + text), Settings())
    [kernel] = file.kernels
    found = check_file(file, "h100", selected_rules(Selection()))
    return kernel.launch, [one.code for one in found if one.severity == "error"]


@pytest.mark.parametrize(
    "text",
    [
        CLASS.format(more=""),
        CLASS.format(more="int block() const; void print() const { printf(0, block_); }"),
        "class S { int threads = 128; void run(float *d, int n) { k<<<n, threads>>>(d, n); } };",
        "class S { dim3 b; public: S() { b = dim3(128); } void run(float *d, int n) { k<<<n, b>>>(d, n); } };",
        "struct S { int threads() const { return 128; } void run(float *d) { k<<<1, threads()>>>(d, 9); } };",
        "struct S { static const int B = 128; void run(float *d, int n); };"
        "void S::run(float *d, int n) { k<<<n, B>>>(d, n); }",
        "class S { int b_; public: S(); void run(float *d); }; S::S() { b_ = 128; }"
        "void S::run(float *d) { k<<<1, b_>>>(d, 9); }",
    ],
)
def test_what_only_the_constructor_sets_is_known(text: str) -> None:
    launch, errors = launched(text)
    assert (launch.block, launch.block_assumed, errors) == ((128, 1, 1), False, [])


@pytest.mark.parametrize(
    "text",
    [
        CLASS.format(more="void set(int block) { block_ = block; }"),
        CLASS.format(more="void set(int block);"),
        CLASS.format(more="int &block() { return block_; }"),
        CLASS.format(more="friend class Tuner;"),
        CLASS.format(more="void ask() { read(&block_); }"),
        CLASS.replace("private:", "public:").format(more=""),
        CLASS.format(more="Solver(int n, int b) : n_(n), block_(b) {}"),
        "struct S { int threads = 128; void run(float *d, int n) { k<<<n, threads>>>(d, n); } };",
        "class S { int b_; public: S(int b) : b_(b) {} void run(float *d) { k<<<1, b_>>>(d, 9); } };",
        "class S { int b_; public: S(); void run(float *d) { k<<<1, b_>>>(d, 9); } };",
    ],
)
def test_what_others_may_change_is_not_known(text: str) -> None:
    launch, errors = launched(text)
    assert (launch.block, launch.block_assumed, errors) == ((256, 1, 1), True, [])
