"""Locks that lanes of a warp wait for, and what lies under a lock."""

from __future__ import annotations

import pytest

from tests.support.found import found

SOURCE = """
// kernlint: launch(grid=4, block=64)
__global__ void k(int *lock, int *sum, const int *in)
{{
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    {body}
}}
"""
HOLD = "*(volatile int *)sum += 1; __threadfence(); atomicExch({lock}, 0);"


def codes(body: str) -> list[tuple[str, str]]:
    source = SOURCE.format(body=body)
    return [(f.code, f.severity) for code in ("KL81", "KL80") for f in found(code, source)]


@pytest.mark.parametrize(
    ("wait", "lock", "many"),
    [
        ("while (atomicCAS(lock, 0, 1) != 0) {{ }}", "lock", 1),
        ("while (atomicExch(lock, 1)) {{ }}", "lock", 1),
        ("do {{ }} while (atomicCAS(&lock[i % 8], 0, 1) == 1);", "&lock[i % 8]", 1),
        ("while (atomicCAS(&lock[in[i]], 0, 1)) {{ }}", "&lock[in[i]]", 1),
        ("while (atomicCAS(&lock[i], 0, 1)) {{ }}", "&lock[i]", 0),  # each its own
    ],
)
def test_lanes_that_wait_for_one_lock(wait: str, lock: str, many: int) -> None:
    body = wait.format() + HOLD.format(lock=lock)
    assert codes(body) == [("KL814", "warning")] * many


@pytest.mark.parametrize(
    "body",
    [
        "if (t % 32 == 0) { while (atomicCAS(lock, 0, 1)) { } " + HOLD.format(lock="lock") + " }",
        "for (bool done = false; !done;) if (atomicCAS(lock, 0, 1) == 0) { "
        + HOLD.format(lock="lock")
        + " done = true; }",
        # an update that is tried again takes no lock
        "int old = *sum, seen; do { seen = old; old = atomicCAS(sum, seen, seen + in[i]); } "
        "while (seen != old);",
    ],
    ids=["one lane of a warp", "within the loop", "an update"],
)
def test_no_lane_waits_for_another(body: str) -> None:
    assert [code for code, _ in codes(body) if code == "KL814"] == []


def test_what_lies_under_a_lock_does_not_race() -> None:
    body = "for (bool done = false; !done;) if (atomicCAS(lock, 0, 1) == 0) { "
    assert codes(body + HOLD.format(lock="lock") + " done = true; }") == []


@pytest.mark.parametrize(("launch", "says"), [("n=256", "lanes of a warp wait"), ("", "may wait")])
def test_a_guard_that_is_taken_to_let_all_pass(launch: str, says: str) -> None:
    body = "if (i < n) { while (atomicCAS(lock, 0, 1)) { }" + HOLD.format(lock="lock") + "}"
    source = SOURCE.format(body=body).replace("const int *in)", "const int *in, int n)")
    given = source.replace("block=64", f"block=64, {launch}" if launch else "block=64")
    [finding] = found("KL814", given)
    assert says in finding.message


@pytest.mark.parametrize(
    ("body", "many"),
    [
        ("{take} *a += 1; {give} *b += 1;", 1),
        ("*b += 1; {take} *a += 1; {give}", 1),
        ("{take} *a += 1; *b += 1; {give}", 0),
        (
            "int v = *b; {take} if (v < *b) *b = v; {give}",
            0,
        ),  # looked at before, under the lock again
    ],
)
def test_what_lies_outside_a_lock(body: str, many: int) -> None:
    take = "while (atomicCAS(lock, 0, 1)) {{ }} __threadfence();".format()
    body = body.format(take=take, give="__threadfence(); atomicExch(lock, 0);")
    body = "volatile int *a = sum, *b = sum + 1; if (t == 0) { " + body + " }"
    assert codes(body) == [("KL812", "error")] * many
