"""KL403: shuffles, votes and `__syncwarp` against the lanes that execute them: found where lanes
are surely missing, silent elsewhere."""

from __future__ import annotations

import json

import jsonschema
import pytest

from kernlint.checks.run import check_file
from kernlint.checks.selection import selected_rules
from kernlint.model.facts import Report
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.render.report_json import to_json
from kernlint.source import files
from tests.checks.test_messages import findings_of
from tests.places import SCHEMAS

pytestmark = pytest.mark.slow

SCHEMA = json.loads((SCHEMAS / "report.schema.json").read_text(encoding="utf-8"))

FUNCTIONS = """\
__device__ int early(int v, int t) { if (t & 1) { v = __shfl_xor_sync(~0u, v, 1); return v; } return __shfl_xor_sync(~0u, v, 2); }
__device__ int sum(int v) { for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d); return v; }
"""
KERNEL = """\
// kernlint: launch(grid=2, block={block})
__global__ void k(int *o, int n)
{{
    __shared__ int s[32];
    int t = threadIdx.x, lane = t % 32, v = o[t];
    {body}
    o[t] = v;
}}
"""


def told(body: str, block: int = 64) -> list[str]:
    text = FUNCTIONS + KERNEL.format(body=body, block=block)
    return [f"{finding.message}; {finding.notes[0]}" for finding in findings_of(text, "KL403")]


@pytest.mark.parametrize(
    ("body", "who"),
    [
        (
            "if (lane >= 4) v += __shfl_up_sync(0xffffffffu, v, 4);",
            "executed by lanes 4-31, missing: lanes 0-3",
        ),
        (
            "if (t < 40) v += __shfl_down_sync(~0u, v, 4);",
            "executed by lanes 0-7, missing: lanes 8-31",
        ),
        ("if (t < 40) __syncwarp();", "executed by lanes 0-7, missing: lanes 8-31"),
        (
            "if (t & 1) v = __ballot_sync(-1, v > 3);",
            "executed by lanes 1, 3, 5, … 31, missing: lanes 0, 2, 4, … 30",
        ),
        ("if (t == 3) v = __any_sync(0xf, v);", "executed by lane 3, missing: lanes 0-2"),
        (
            "for (int i = 0; i < t % 4; i++) v += __shfl_down_sync(~0u, v, 1);",
            "executed by lanes 1, 2, 3, 5, 6, 7, …, missing: lanes 0, 4, 8, … 28",
        ),
        ("if (t < 8) v = sum(s[t]);", "executed by lanes 0-7, missing: lanes 8-31"),
        (
            "if (t < 40) { v = __shfl_xor_sync(~0u, v, 1); if (v > 3) s[t] = v; v = __shfl_xor_sync(~0u, v, 2); }",
            "executed by lanes 0-7, missing: lanes 8-31",
        ),
        (
            "if (t < 40) { __syncwarp(); } else v = __shfl_xor_sync(~0u, v, 1);",
            "executed by lanes 0-7, missing: lanes 8-31",
        ),
        (
            "unsigned m = __ballot_sync(~0u, t < 40); if (t < 39) v = __shfl_sync(m, v, 0);",
            "executed by lanes 0-6, missing: lane 7",
        ),
    ],
)
def test_lanes_that_a_mask_names_and_that_do_not_come(body: str, who: str) -> None:
    found = told(body)
    assert (
        found
        and all("running lanes that its mask names do not execute it" in text for text in found)
        and who in found[0]
    )


@pytest.mark.parametrize(
    "body",
    [
        # each lane makes one
        "if (t < 40) v = __shfl_xor_sync(~0u, v, 1); else v = __shfl_xor_sync(~0u, v, 2);",
        "if (t < 40) v = __shfl_xor_sync(~0u, v, 1); if (t >= 40) v = __shfl_xor_sync(~0u, v, 2);",
        "switch (t & 1) { case 0: v = __shfl_xor_sync(~0u, v, 1); break; case 1: v = __shfl_xor_sync(~0u, v, 2); break; }",
        "v = early(v, t);",
        "if (t < 40) v = __shfl_xor_sync(~0u, v, 1); else unknown(o, t);",
        "if (t >= 40) return; v = __shfl_down_sync(~0u, v, 1);",  # those have left
        "if (t < 40) v = __shfl_down_sync(__activemask(), v, 1);",
        "if (t < 40) v = __shfl_down_sync(n, v, 1);",
        "if (lane < 16) v = __shfl_down_sync(0xffff, v, 1);",
        "unsigned m = __ballot_sync(~0u, t < 40); if (t < 40) v = __shfl_sync(m, v, 0);",
        "if (t < 32) v = sum(v);",
        "for (int i = 0; i < t / 32; i++) v = sum(v);",
        "v = sum(v); if (lane == 0) s[t / 32] = v; __syncthreads(); if (t < 32) v = sum(t < 2 ? s[t] : 0);",
    ],
)
@pytest.mark.parametrize("block", [64, 48])
def test_calls_that_are_right_or_may_be(body: str, block: int) -> None:
    """Beside lanes that the last warp of 48 threads does not have."""
    assert [text for text in told(body, block) if "have no thread" not in text] == []


@pytest.mark.parametrize(
    "body",
    [
        "if (v) v = __shfl_down_sync(~0u, v, 1);",  # data decides
        "if (v) return; if (t < 5) v = __shfl_down_sync(~0u, v, 1);",
        "if (t < n) v = __shfl_down_sync(~0u, v, 1);",
    ],
)
def test_calls_of_which_it_is_not_known_who_comes(body: str) -> None:
    (found,) = told(body)
    assert "running lanes that its mask names may not execute it" in found


def test_lanes_that_come_unnamed() -> None:
    (found,) = told("v = __shfl_sync(0xffff, v, 0);")
    assert found.endswith(
        "lanes that its mask does not name execute it; in one warp: executed by lanes 0-31, not named: lanes 16-31"
    )


def test_devices_without_masks_are_spared() -> None:
    text = KERNEL.format(body="if (t < 40) v += __shfl_down_sync(~0u, v, 4);", block=64)
    assert findings_of(text, "KL403") and not findings_of(text, "KL403", device="mi300x")


def test_reports_say_which_lanes_miss_a_call() -> None:
    body = "if (lane >= 4) v += __shfl_up_sync(~0u, v, 4); v = __shfl_sync(0xff, v, 0); auto g = cooperative_groups::this_thread_block(); "
    body += "cooperative_groups::tiled_partition<16>(g).sync();"
    text = "#include <cooperative_groups.h>\n" + KERNEL.format(body=body, block=64)
    file = engine.analyse_source(files.from_bytes("k.cu", text.encode()), Settings())
    report = to_json(Report("h100", (file,)))
    jsonschema.validate(report, SCHEMA)
    first, second, tile = report["files"][0]["kernels"][0]["barriers"]
    assert [list(lanes) for lanes in first["absent"]] == [
        [*range(4, 32)],
        [0, 1, 2, 3],
    ] and "unnamed" not in first
    assert list(second["unnamed"][1]) == [*range(8, 32)] and tile["scope"] == "tile"


MODULE = """\
.version 8.0
.target sm_90
.address_size 64
// kernlint: launch(grid=2, block=64)
.visible .entry k(.param .u64 o)
{{
    .reg .pred %p<4>;
    .reg .b32 %r<9>;
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 31;
    mov.b32 %r4, {mask};
    setp.ge.u32 %p1, %r2, 16;
    setp.lt.u32 %p2, %r2, 16;
    @%p1 bra OTHER;
    {call}
    bra BOTH;
OTHER:
    {other}
BOTH:
    bar.sync 0;
    ret;
}}
"""
CALLS = (
    "shfl.sync.bfly.b32 %r3, %r1, 1, 31, %r4;",
    "shfl.sync.idx.b32 %r3|%p3, %r1, 5, 7175, %r4;",  # a clamp that is not followed
    "vote.sync.ballot.b32 %r3, %p2, %r4;",
    "match.any.sync.b32 %r3, %r1, %r4;",
    "redux.sync.add.s32 %r3, %r1, %r4;",
    "bar.warp.sync %r4;",
)


def in_ptx(call: str, mask: str = "-1", other: str = "") -> list[str]:
    text = MODULE.format(call=call, mask=mask, other=other)
    file = engine.analyse_source(files.from_bytes("k.ptx", text.encode()), Settings())
    found = check_file(file, "h100", selected_rules(Selection(select=("KL403",))))
    return [f"{finding.message}; {finding.notes[0]}" for finding in found]


@pytest.mark.parametrize("call", CALLS)
def test_calls_in_ptx_are_held_against_their_lanes(call: str) -> None:
    (found,) = in_ptx(call)
    assert found.startswith(f"`{call[:-1]}`") and found.endswith(
        "in one warp: executed by lanes 0-15, missing: lanes 16-31"
    )
    assert in_ptx(call, "0xffff") == [], "the lanes that come are all that are named"
    assert in_ptx(call, other=call) == [], "the others may make the call there"
    (unnamed,) = in_ptx(call, "0xff")
    assert "lanes that its mask does not name execute it" in unnamed and unnamed.endswith(
        "not named: lanes 8-15"
    )


def test_a_predicate_is_a_condition_of_a_call_in_ptx() -> None:
    (found,) = in_ptx("", other="@%p1 vote.sync.any.pred %p3, %p1, -1;")
    assert found.endswith("in one warp: executed by lanes 16-31, missing: lanes 0-15")


@pytest.mark.parametrize(
    "call", ["shfl.bfly.b32 %r3, %r1, 1, 31;", "vote.ballot.b32 %r3, %p2;", "activemask.b32 %r3;"]
)
def test_ptx_without_a_mask_names_nobody(call: str) -> None:
    assert in_ptx(call) == []


def test_assembly_in_a_kernel_names_its_lanes() -> None:
    call = 'int w; asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, %2;" : "=r"(w) : "r"(v), "r"(0x{mask})); v += w;'
    assert told(f"if (t < 40) {{ {call.format(mask='ffffffff')} }}")[0].endswith(
        "executed by lanes 0-7, missing: lanes 8-31"
    )
    assert told(f"if (t < 32) {{ {call.format(mask='ffffffff')} }}") == []


VOTE = "unsigned m = __ballot_sync(~0u, v > 5);"


@pytest.mark.parametrize(
    ("body", "many"),
    [
        (VOTE + "__syncwarp(m);", 1),
        (VOTE + "v = __shfl_sync(m, v, __ffs(m) - 1);", 1),
        (VOTE + "if (v > 5) { __syncwarp(m); v = __shfl_sync(m, v, __ffs(m) - 1); }", 0),
        (VOTE + "if (v <= 5) return; v = __shfl_sync(m, v, __ffs(m) - 1);", 0),
        (VOTE + "v = __shfl_sync(~0u, v, __popc(m) & 31);", 0),
        ("unsigned m = __ballot_sync(~0u, lane < 32); v = __shfl_sync(m, v, 0);", 0),
    ],
)
def test_a_mask_that_lanes_vote_for(body: str, many: int) -> None:
    found = findings_of(FUNCTIONS + KERNEL.format(body=body, block=64), "KL403")
    assert [f.severity for f in found] == ["warning"] * many
    for finding in found:
        assert "lanes that its mask does not name may execute it" in finding.message
        assert "`__ballot_sync(~0u, v > 5)` names those whose condition" in finding.notes[0]


@pytest.mark.parametrize(("bound", "told_of"), [("500", "an assumed block of 500"), ("512", "")])
def test_lanes_that_an_assumed_block_lacks(bound: str, told_of: str) -> None:
    text = f"""__global__ void k(float *o) {{
  o[threadIdx.x] = __shfl_xor_sync(~0u, o[threadIdx.x], 1);
}}
void run(float *o, int n) {{ int b = min(n, {bound}); k<<<n, b>>>(o); }}"""
    found = findings_of(text, "KL403")
    assert [told_of in finding.message for finding in found] == [True] * bool(told_of)
