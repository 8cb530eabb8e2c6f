"""Shared memory of other blocks of a cluster."""

from __future__ import annotations

import pytest

from tests.support.found import found

SOURCE = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out)
{{
    __shared__ int s[128];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, v = 0;
    int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    {body}
    out[blockIdx.x * 128 + t] = v;
    cluster.sync();
}}
void run(const int *in, int *out) {{ k<<<{blocks}, 128>>>(in, out); }}
"""
FILL, ALL = "s[t] = in[t];", "cluster.sync();"
SPLIT = "auto a = cluster.barrier_arrive(); cluster.barrier_wait(std::move(a));"
ASSEMBLY = 'asm volatile("barrier.cluster.arrive;\\n barrier.cluster.wait;" ::: "memory");'


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (f"{FILL} __syncthreads(); v = other[t];", ["error"]),
        (f"{FILL} {ALL} v = other[t];", []),
        (f"{FILL} {SPLIT} v = other[t];", []),
        (f"{FILL} {ASSEMBLY} v = other[t];", []),
        (f"{FILL} cg::this_grid().sync(); v = other[t];", []),
        (f"{FILL} __syncthreads(); v = *cluster.map_shared_rank(&s[t], 0);", ["error"]),
        (f"{FILL} __syncthreads(); if (in[t]) v = other[t];", ["warning"]),
        (f"{FILL} {ALL} v = other[t]; __syncthreads(); s[t] = v;", ["error"]),
        (f"{FILL} {ALL} v = other[t]; {ALL} s[t] = v;", []),
        ("s[t] = 0; __syncthreads(); atomicAdd(&other[in[t] & 127], 1);", ["error"]),
        (
            "s[t] = 0; cluster.sync(); atomicAdd(&other[in[t] & 127], 1); cluster.sync(); v = s[t];",
            [],
        ),
        (
            "s[t] = 0; cluster.sync(); atomicAdd(&other[in[t] & 127], 1); __syncthreads(); v = s[t];",
            ["error"],
        ),
        (f"{FILL} __syncthreads(); v = s[127 - t];", []),
        (f"{FILL} wait_for_all(cluster); v = other[t];", []),
    ],
)
def test_a_barrier_of_the_cluster_stands_between(body: str, says: list[str]) -> None:
    findings = found("KL810", SOURCE.format(body=body, blocks=4))
    assert [f.severity for f in findings] == says
    for finding in findings:
        assert "block of the cluster" in finding.message
        assert finding.help is not None and "`cluster.sync()`" in finding.help


def test_one_block_has_no_other() -> None:
    body = f"{FILL} __syncthreads(); v = other[t];"
    assert found("KL810", SOURCE.format(body=body, blocks=1)) == []


@pytest.mark.parametrize(
    ("body", "says"),
    [
        # each block fills one half, and the other one of its neighbour
        ("if (t < 64) s[t] = 0; if (t < 64) other[t + 64] = 1;", []),
        ("if (t < 64) s[t] = 0; if (t < 65) other[t + 63] = 1;", ["warning"]),
        ("s[t & 63] = 0; cluster.map_shared_rank(&s[64], 0)[t & 63] = 1;", []),
        ("s[t & 63] = 0; cluster.map_shared_rank(&s[63], 0)[t & 63] = 1;", ["error"]),
        # halves in turns
        (
            "for (int k = 0; k < 4; k++) { v += other[(k & 1) * 64]; s[(~k & 1) * 64] = v; cluster.sync(); }",
            [],
        ),
        ("for (int k = 0; k < 4; k++) { v += other[0]; s[0] = v; cluster.sync(); }", ["error"]),
    ],
)
def test_parts_of_an_array_are_apart(body: str, says: list[str]) -> None:
    source = SOURCE.format(body=f"{body} {ALL}", blocks=4)
    findings = [f for f in found("KL810", source) if "of the cluster" in f.message]
    assert [f.severity for f in findings] == says


def test_other_blocks_fill_what_they_reach() -> None:
    body = f"other[t] = in[t]; {ALL} v = s[t];"
    assert found("KL806", SOURCE.format(body=body, blocks=4)) == []
