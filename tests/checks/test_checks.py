"""Checks on facts made by hand: what is reported, what is not, and what the message says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kernlint import hardware
from kernlint.base.span import Problem
from kernlint.checks.run import check
from kernlint.checks.shared_memory import padding
from kernlint.checks.shared_memory.padding import BankRequest
from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.model.reasons import gave_up
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.support import handmade as made

EVERYTHING = Selection(severity="info")


def found(
    code: str, *kernels: facts.Kernel, text: str = made.TEXT, selection: Selection = EVERYTHING
) -> list[Finding]:
    return [f for f in check(made.report_of(*kernels, text=text), selection) if f.code == code]


def kernel(*accesses: facts.Access, **more: Any) -> facts.Kernel:
    return replace(made.KERNEL, accesses=accesses, **({"branches": (), "barriers": ()} | more))


# ------------------------------------------------------------------ KL101


def test_a_column_of_a_tile_is_reported_with_its_padding() -> None:
    [finding] = found("KL101", made.KERNEL)
    assert finding.severity == "warning" and finding.status == "exact"
    assert finding.message == (
        "`tile[threadIdx.x][threadIdx.y + j]`: 32-way bank conflict: 32 wavefronts per request instead of 1 (exact)"
    )
    assert "`__shared__ float tile[32][33];`" in finding.help
    assert finding.fix is not None and finding.fix.applicability == "unsafe"
    [edit] = finding.fix.edits
    line = made.TEXT.split("\n")[edit.span.line - 1]
    assert (
        line[: edit.span.column - 1] + edit.content + line[edit.span.end_column - 1 :]
        == "    __shared__ float tile[32][33];"
    )
    assert [label.text for label in finding.labels] == ["`tile` is declared here", "in this loop"]
    assert finding.metrics.degree == 32 and finding.metrics.wavefronts == 32


def test_cost_is_the_t_model_of_a_mean_block() -> None:
    [finding] = found("KL101", made.KERNEL)
    per_block = made.REQUESTS / (64 * 64)
    assert finding.metrics.cycles == pytest.approx(1.0023 * per_block * 32 + 46.928)
    assert any(
        "cost: 1,073 cycles of the shared-memory pipe per block instead of 79" in note
        for note in finding.notes
    )


def test_a_slight_conflict_of_an_assumed_block_is_a_note() -> None:
    slight = replace(made.COLUMN_LOAD, status="range", wavefronts=made.counts(2))
    assert [f.severity for f in found("KL101", kernel(slight))] == ["warning"]
    assumed = replace(slight, assumptions=("block 16x16x1 is assumed",))
    assert [f.severity for f in found("KL101", kernel(assumed))] == ["info"]
    assert [
        f.severity for f in found("KL101", kernel(replace(assumed, wavefronts=made.counts(8))))
    ] == ["warning"]


def test_conflict_free_accesses_are_not_reported() -> None:
    assert found("KL101", kernel(made.ROW_STORE, made.ODD_STORE)) == []


def test_a_conflict_that_wastes_next_to_nothing_is_a_note() -> None:
    rare = replace(made.COLUMN_LOAD, requests=10)
    [finding] = found("KL101", kernel(made.ROW_STORE, rare))
    assert finding.severity == "info" and finding.fix is None
    assert (
        finding.notes[-1].startswith("info only: wastes 0.2")
        and "the threshold is 5 % (`minimum_share`)" in finding.notes[-1]
    )
    assert len(found("KL101", kernel(rare))) == 1


def test_wide_accesses_are_measured_against_their_own_ideal() -> None:
    unit = replace(made.ROW_STORE, bytes=16, wavefronts=made.counts(4, 4))
    assert found("KL101", kernel(unit)) == []
    apart = made.lanes(*(32 * lane for lane in range(32)))
    double = replace(
        made.COLUMN_LOAD, bytes=16, wavefronts=made.counts(8, 4), example=apart, object_shape=(512,)
    )
    [finding] = found("KL101", kernel(double))
    assert "2-way bank conflict: 8 wavefronts per request instead of 4" in finding.message


def test_load_and_store_of_one_place_are_one_finding() -> None:
    store = replace(made.COLUMN_LOAD, op="store", hardware_op="store")
    [finding] = found("KL101", kernel(made.COLUMN_LOAD, store))
    assert "bank conflict on load and store: " in finding.message
    requests = 2 * made.REQUESTS / (64 * 64)
    assert finding.metrics.cycles == pytest.approx(1.0023 * requests * 32 + 46.928)
    [cost] = [note for note in finding.notes if note.startswith("cost")]
    assert cost.startswith(
        "cost of the load and store: 2,100 cycles of the shared-memory pipe per block instead of 111, "
    )


def test_the_degree_is_that_of_the_worst_request_itself() -> None:
    """256 doubles added up by 128, 64, 32, … lanes that are 2, 4, 8, … doubles apart: 16 lanes of
    one bank at d = 8."""
    source = (
        "// kernlint: launch(grid=64, block=256)\n__global__ void k(double *o) {\n    __shared__ double s[256];\n"
        "    int tid = threadIdx.x;\n    s[tid] = o[tid];\n    __syncthreads();\n"
        "    for (int d = 1; d < blockDim.x; d *= 2) {\n        int idx = 2 * d * tid;\n"
        "        if (idx < blockDim.x) s[idx] += s[idx + d];\n        __syncthreads();\n    }\n    o[tid] = s[0];\n}\n"
    )
    report = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode()))
    [finding] = [f for f in check(report, Selection(select=("KL101",)))]
    assert (
        "up to 16-way bank conflict on load and store: 6.58 (1 to 16) wavefronts per request"
        in finding.message
    )
    assert finding.metrics.degree == 16
    assert any(note.endswith("need 16 different words of one bank") for note in finding.notes)


def test_launches_of_a_kernel_are_merged_and_the_worst_is_told() -> None:
    mild = replace(made.COLUMN_LOAD, wavefronts=made.counts(4))
    other = replace(made.LAUNCH, block=(8, 32, 1))
    [finding] = found(
        "KL101",
        kernel(made.COLUMN_LOAD),
        kernel(mild, launch=other),
        kernel(made.ROW_STORE, launch=other),
    )
    assert "32-way" in finding.message
    assert (
        "2 of 3 launches are affected; this is the worst (4 to 32 wavefronts per request)"
        in finding.notes
    )


def test_one_pattern_on_an_array_is_one_finding() -> None:
    second = replace(made.COLUMN_LOAD, text="tile[threadIdx.x][0]")
    [finding] = found("KL101", kernel(made.COLUMN_LOAD, second))
    assert "also affects 1 more access to `tile` (line 11)" in finding.notes
    other = replace(second, wavefronts=made.counts(16), example=made.lanes(*range(0, 2048, 64)))
    assert len(found("KL101", kernel(made.COLUMN_LOAD, other))) == 2


def test_a_stride_that_nothing_compares_with_may_be_one() -> None:
    access = replace(
        made.COLUMN_STORE,
        status="range",
        reason="unknown-argument",
        assumptions=("pitch is large",),
    )
    [finding] = found("KL201", kernel(access))
    assert finding.severity == "info" and "instead of 4 if `pitch` is large" in finding.message
    bound = replace(made.LOOP, condition="j < pitch")
    [finding] = found("KL201", kernel(access, branches=(bound,)))
    assert finding.severity == "warning" and "if `pitch` is large" in finding.message
    guarded = replace(
        access, assumptions=("pitch is large", "pitch exceeds every index compared with it")
    )
    [finding] = found("KL201", kernel(guarded))
    assert finding.severity == "warning" and "pitch" not in finding.message


def test_a_range_is_reported_only_where_its_lower_bound_conflicts() -> None:
    sure = replace(
        made.COLUMN_LOAD,
        status="range",
        reason="loaded-value",
        detail="bins[i]",
        wavefronts=made.between(4, 10, 32),
    )
    [finding] = found("KL101", kernel(sure))
    assert (
        ": between 4 and 32 wavefronts per request" in finding.message and finding.status == "range"
    )
    assert any(
        note == "not exact: depends on a value loaded from memory: bins[i]"
        for note in finding.notes
    )
    assert found("KL101", kernel(replace(sure, wavefronts=made.between(1, 10, 32)))) == []


def test_what_the_compiler_repairs_is_not_reported() -> None:
    merged = facts.Compiled(
        16, 1024, 32.0, made.counts(4, 4), None, "exact", 11, "merged", "shared"
    )
    assert found("KL101", kernel(replace(made.COLUMN_LOAD, as_compiled=merged))) == []
    gone = replace(merged, reason="eliminated", requests=0)
    assert found("KL101", kernel(replace(made.COLUMN_LOAD, as_compiled=gone))) == []
    half = replace(merged, wavefronts=made.counts(8, 4))
    [finding] = found("KL101", kernel(replace(made.COLUMN_LOAD, as_compiled=half)))
    assert "8 wavefronts per request instead of 4" in finding.message
    assert (
        "as written: 32-way (4 bytes per lane, 32 wavefronts instead of 1); as compiled: merged into 16-byte accesses, "
        "2-way (8 instead of 4), as a profiler counts it" in finding.notes
    )


def test_cases_of_an_unknown_stride_are_a_note() -> None:
    cases = (facts.Case("pitch % 32 == 0", 32.0, None), facts.Case("pitch % 2 == 1", 1.0, None))
    access = replace(
        made.COLUMN_LOAD,
        status="range",
        reason="unknown-argument",
        wavefronts=made.between(1, 8, 32),
        cases=cases,
    )
    [finding] = found("KL101", kernel(access))
    assert finding.severity == "info"
    assert "32 wavefronts per request instead of 1 if pitch % 32 == 0" in finding.message
    assert "when pitch % 2 == 1: 1 wavefront per request" in finding.notes


def test_atomic_contention_is_named_so_and_padding_is_not_advised() -> None:
    atomic = replace(
        made.COLUMN_LOAD, op="atomic", hardware_op="atomic", example=made.lanes(*[0] * 32)
    )
    assert found("KL101", kernel(atomic)) == []
    [finding] = found("KL102", kernel(atomic))
    assert "32-way atomic contention" in finding.message
    assert "reduce within the warp first" in finding.help and finding.fix is None
    assert any("one after the other" in note for note in finding.notes)


def test_contention_that_the_compiler_may_combine_is_not_reported() -> None:
    atomic = replace(
        made.COLUMN_LOAD, op="atomic", hardware_op="atomic", example=made.lanes(*[0] * 32)
    )
    maybe = replace(atomic, status="range", reason="compiler", wavefronts=made.between(1, 32, 32))
    assert found("KL102", kernel(maybe)) == []


def test_contention_in_rounds_is_told_by_its_bounds() -> None:
    atomic = replace(
        made.COLUMN_LOAD, op="atomic", hardware_op="atomic", example=made.lanes(*[0] * 32)
    )
    counts = replace(made.counts(32, 1), mean_low=32.0, mean_high=1056.0)
    [finding] = found(
        "KL102", kernel(replace(atomic, status="range", reason="compiler", wavefronts=counts))
    )
    assert (
        "32-way atomic contention: between 32 and 1,056 wavefronts per request instead of 1"
        in finding.message
    )
    assert finding.message.endswith(" instead of 1 (range)")
    assert any(note.startswith("cost: at least ") for note in finding.notes)


def test_lanes_that_update_one_global_address() -> None:
    atomic = replace(
        made.COLUMN_STORE,
        op="atomic",
        hardware_op="atomic",
        sectors=made.counts(32, 1),
        example=made.lanes(*[0] * 32),
    )
    [finding] = found("KL208", kernel(atomic))
    assert (
        "up to 32 lanes of a warp update one address: 32 serial updates per request instead of 1"
        in finding.message
    )
    assert any(
        "4,194,304 serial updates over the launch instead of 131,072" in note
        for note in finding.notes
    )
    apart = replace(atomic, sectors=made.counts(32, 4), example=made.lanes(*range(0, 4096, 128)))
    assert found("KL208", kernel(apart)) == []


def test_contended_atomics_are_advised_by_what_they_do() -> None:
    atomic = replace(
        made.COLUMN_STORE,
        op="atomic",
        hardware_op="atomic",
        sectors=made.counts(32, 1),
        example=made.lanes(*[0] * 32),
    )
    [finding] = found("KL208", kernel(replace(atomic, text="atomicAdd(out, v)")))
    assert "`__reduce_add_sync` for 32-bit integers" in finding.help and "shuffles" in finding.help
    for text in ("atomicAdd(f, 0)", "atomicOr(&f[g(1, 2)], 0u)", "atomic_add(f, 0)"):
        [finding] = found("KL208", kernel(replace(atomic, text=text)))
        assert finding.help.startswith(
            "an atomic that changes nothing is a load: let one lane read the address"
        )
    for text in ("atomicAnd(f, 0)", "atomicMax(f, 0)", "atomicAdd(f, 10)", "atomicExch(f, v)"):
        [finding] = found("KL208", kernel(replace(atomic, text=text)))
        assert "shuffles" in finding.help
    for text in ("atomicExch(f, 0)", "atomicCAS(f, 0, 1)"):
        [finding] = found("KL208", kernel(replace(atomic, text=text)))
        assert "let one thread of the block take the lock" in finding.help


def test_contention_in_opencl_is_advised_in_its_words() -> None:
    shared = replace(
        made.COLUMN_LOAD, op="atomic", hardware_op="atomic", example=made.lanes(*[0] * 32)
    )
    everywhere = replace(
        made.COLUMN_STORE,
        op="atomic",
        hardware_op="atomic",
        sectors=made.counts(32, 1),
        example=made.lanes(*[0] * 32),
    )
    for code, atomic in (
        ("KL102", shared),
        ("KL208", everywhere),
        ("KL208", replace(everywhere, text="atomic_add(f, 0)")),
    ):
        report = made.report_of(kernel(atomic))
        [source] = report.files
        [finding] = [
            f
            for f in check(replace(report, files=(replace(source, language="opencl"),)), EVERYTHING)
            if f.code == code
        ]
        assert (
            "_sync" not in finding.help
            and "__sync" not in finding.help
            and "work-item" in finding.help
        )


def test_atomics_on_different_words_of_a_bank_are_a_bank_conflict() -> None:
    atomic = replace(made.COLUMN_LOAD, op="atomic", hardware_op="atomic")
    [finding] = found("KL101", kernel(atomic))
    assert "32-way bank conflict" in finding.message and "tile[32][33]" in finding.help


def test_structures_are_advised_to_be_split() -> None:
    apart = made.lanes(*range(0, 512, 16))
    member = replace(
        made.COLUMN_LOAD,
        object_shape=(256,),
        element_bytes=16,
        wavefronts=made.counts(4),
        example=apart,
    )
    [finding] = found("KL101", kernel(member))
    assert "split the 16-byte elements of `tile` into one array per member" in finding.help


def test_a_flat_array_is_advised_a_skew_that_was_counted() -> None:
    strided = replace(
        made.COLUMN_LOAD,
        object_shape=(2048,),
        wavefronts=made.counts(8),
        example=made.lanes(*range(0, 1024, 32)),
    )
    [finding] = found("KL101", kernel(strided))
    assert "`tile[i + i / 32]`" in finding.help


def test_extents_that_are_expressions_are_extended_in_the_users_words() -> None:
    text = made.TEXT.replace("tile[32][32]", "tile[N][2 * M]")
    span = made.place("tile[N][2 * M]", source=text)
    [finding] = found("KL101", kernel(replace(made.COLUMN_LOAD, object_span=span)), text=text)
    assert "`__shared__ float tile[N][(2 * M) + 1];`" in finding.help


def test_rows_that_were_padded_before_are_padded_further() -> None:
    text = made.TEXT.replace("tile[32][32]", "tile[N][N + 1]")
    span = made.place("tile[N][N + 1]", source=text)
    [finding] = found("KL101", kernel(replace(made.COLUMN_LOAD, object_span=span)), text=text)
    assert "`__shared__ float tile[N][N + 2];`" in finding.help


def test_a_declaration_inside_a_macro_is_not_edited() -> None:
    span = replace(made.place("tile[32][32]"), macro="SHARED_TILE")
    [finding] = found("KL101", kernel(replace(made.COLUMN_LOAD, object_span=span)))
    assert finding.fix is None and "`tile[32][33]`" in finding.help


# ------------------------------------------------------------------ padding


@pytest.mark.parametrize("pitch", [8, 16, 32, 48, 64, 96, 128])
def test_padding_is_the_smallest_that_makes_a_column_ideal(pitch: int) -> None:
    device = hardware.device("h100")
    target = BankRequest(tuple(4 * pitch * lane for lane in range(32)), 4, "load")
    found = padding.smallest_padding(target, [], 4 * pitch, 4, device)
    costs = {
        p: hardware.wavefronts(
            tuple(4 * (pitch + p) * lane for lane in range(32)), 4, "load", device
        )
        for p in range(64)
    }
    assert found is not None and (found.after, found.ideal) == (1, 1)
    assert found.elements == min(p for p in range(1, 64) if costs[p] == 1)


def test_padding_keeps_vectors_aligned() -> None:
    device = hardware.device("h100")
    target = BankRequest(tuple(128 * lane for lane in range(32)), 16, "load")
    found = padding.smallest_padding(target, [], 128, 4, device)
    assert found is not None and found.elements == 4


def test_padding_that_hurts_another_access_is_weighed_against_it() -> None:
    device = hardware.device("h100")
    target = BankRequest(tuple(128 * lane for lane in range(32)), 4, "load")
    diagonal = BankRequest(tuple(128 * lane + 4 * (31 - lane) for lane in range(32)), 4, "load")
    assert hardware.wavefronts(diagonal.offsets, 4, "load", device) == 1
    alone, both = (
        padding.smallest_padding(target, others, 128, 4, device) for others in ([], [diagonal])
    )
    assert alone == padding.Padding(1, 32, 1, 1, False)
    assert both == padding.Padding(
        2, 32, 2, 1, False
    )  # one element would send the diagonal to one bank


def test_padding_of_a_narrow_tile_is_the_best_of_bad_ones() -> None:
    """A warp holds two rows of a 16 x 16 tile: no padding serves rows and columns alike, two
    elements come closest."""
    device = hardware.device("h100")
    column = BankRequest(
        tuple(64 * (lane % 16) + 4 * (lane // 16) for lane in range(32)), 4, "load"
    )
    row = BankRequest(tuple(4 * lane for lane in range(32)), 4, "store")
    found = padding.smallest_padding(column, [row], 64, 4, device)
    assert found == padding.Padding(2, 8, 1, 1, True)


def test_padding_that_undoes_a_merge_counts_the_narrow_accesses() -> None:
    """Rows of 32 floats read along k by 16-byte loads, as nvcc merges them, and one column load:
    padding by one element costs the merge."""
    device = hardware.device("h100")
    column = BankRequest(tuple(128 * lane for lane in range(32)), 4, "load", 100.0)
    broadcast = BankRequest((0,) * 32, 4, "load", 1000.0, merged=16)
    apart = padding.repitched(broadcast, 128, 132)
    assert (apart.merged, apart.weight) == (0, 4000.0)
    assert padding.cost(broadcast, device) * 1000 < padding.cost(apart, device) * 4000
    found = padding.smallest_padding(column, [broadcast], 128, 4, device)
    assert found is not None and (found.elements, found.after, found.comes_apart) == (
        2,
        2,
        (16, 8),
    )  # LDS.64 in nvcc 13.0's code for sm_90
    four = padding.repitched(broadcast, 128, 144)
    assert (four.merged, four.weight) == (16, 1000.0)  # rows stay whole 16-byte words: LDS.128
    rare = BankRequest((0,) * 32, 4, "load", 1.0, merged=16)
    found = padding.smallest_padding(column, [rare], 128, 4, device)
    assert found is not None and (found.elements, found.comes_apart) == (1, (16, 4))  # LDS


def test_a_swizzle_serves_rows_and_columns_where_no_padding_does() -> None:
    device = hardware.device("h100")
    column = BankRequest(
        tuple(64 * (lane % 16) + 4 * (lane // 16) for lane in range(32)), 4, "load"
    )
    row = BankRequest(tuple(4 * lane for lane in range(32)), 4, "store")
    assert padding.swizzle(column, [row], 64, 4, device) == padding.Swizzle(1, 1)
    vectors = BankRequest(
        tuple(512 * (lane % 8) + 16 * (lane // 8) for lane in range(32)), 16, "load"
    )
    assert padding.swizzle(vectors, [], 512, 4, device) == padding.Swizzle(4, 1)
    assert padding.swizzle(column, [row], 68, 4, device) is None  # 17 columns: no power of two


# ------------------------------------------------------------------ KL201


def test_a_column_written_to_global_memory() -> None:
    [finding] = found("KL201", made.KERNEL)
    assert finding.message == (
        "`out[(x * n) + y + j]`: uncoalesced global store: 32 sectors per request instead of 4 (exact)"
    )
    assert "neighbouring lanes are 8,192 bytes apart and access 4 bytes each" in finding.notes
    used = "12.5 % of the bytes moved are used, before caching: 128 MiB instead of 16 MiB over the launch"
    assert any(used in note for note in finding.notes)
    assert finding.assumptions == made.COLUMN_STORE.assumptions


@pytest.mark.parametrize(
    ("sectors", "lanes", "reported"),
    [
        (made.counts(4, 4), 32.0, False),
        (made.counts(5, 4), 32.0, False),  # a row off its sector's start
        (made.counts(8, 4), 32.0, True),  # every second element
        (made.counts(1, 1), 1.0, False),  # lane 0's result
        (made.counts(2, 1), 1.0, False),  # its eight bytes over a sector's edge
        (made.counts(2, 1), 8.0, False),  # a short row off its sector's start
        (made.counts(8, 1), 8.0, True),  # eight lanes, a sector each
        (made.counts(1, 1), 32.0, False),  # one element for all
    ],
)
def test_which_requests_count_as_scattered(
    sectors: facts.Counts, lanes: float, reported: bool
) -> None:
    access = replace(made.COLUMN_STORE, sectors=sectors, active_lanes=lanes, example=None)
    assert bool(found("KL201", kernel(access))) is reported


def test_an_atomic_on_one_address_is_contention_not_scatter() -> None:
    atomic = replace(
        made.COLUMN_STORE,
        op="atomic",
        hardware_op="atomic",
        sectors=made.counts(32, 1),
        example=made.lanes(*[0] * 32),
    )
    assert found("KL201", kernel(atomic)) == []
    apart = replace(atomic, sectors=made.counts(32, 4), example=made.lanes(*range(0, 4096, 128)))
    assert len(found("KL201", kernel(apart))) == 1


def test_every_second_lane_of_a_dense_row_is_divergence_not_scatter() -> None:
    even = made.lanes(*(4 * lane if lane % 2 == 0 else None for lane in range(32)))
    assert (
        found(
            "KL201",
            kernel(
                replace(
                    made.COLUMN_STORE, sectors=made.counts(4, 2), active_lanes=16.0, example=even
                )
            ),
        )
        == []
    )
    apart = made.lanes(*(64 * lane if lane % 2 == 0 else None for lane in range(32)))
    assert found(
        "KL201",
        kernel(
            replace(made.COLUMN_STORE, sectors=made.counts(16, 2), active_lanes=16.0, example=apart)
        ),
    )


def test_what_only_the_compiler_may_change_is_told_as_written() -> None:
    counts = made.between(0, 32, 32, 4)
    [finding] = found(
        "KL201",
        kernel(replace(made.COLUMN_STORE, status="range", reason="compiler", sectors=counts)),
    )
    assert "32 (0 to 32) sectors per request instead of 4 (as written)" in finding.message
    why = "not exact: the compiler may merge, forward, hoist or remove this access, or charge it to another line"
    assert finding.status == "range" and why in finding.notes


def test_members_of_structures() -> None:
    access = replace(
        made.COLUMN_STORE,
        sectors=made.counts(16, 4),
        element_bytes=16,
        example=made.lanes(*range(0, 512, 16)),
    )
    assert found("KL201", kernel(access)) == []
    [finding] = found("KL206", kernel(access))
    assert "structure of arrays" in finding.help
    assert "16-byte stride between lanes: 16 sectors per request instead of 4" in finding.message


def test_elements_moved_whole_are_not_told_and_sizes_are_told_apart() -> None:
    def moved(number: int, size: int, sectors: int, **more: Any) -> facts.Access:
        lanes = made.lanes(*range(size * number, size * number + 32 * 32, 32))
        return replace(
            made.COLUMN_STORE,
            bytes=size,
            sectors=made.counts(sectors, size),
            element_bytes=32,
            example=lanes,
            **more,
        )

    whole = [moved(number, 16, 32, text="*p", width_total=32) for number in range(2)]
    assert found("KL206", kernel(*whole)) == [] and found("KL201", kernel(*whole)) == []
    single = [moved(number, 4, 32, text=f"p->v[{number}]") for number in range(2)]
    [finding] = found("KL206", kernel(*whole, *single))
    assert "`p->v[0]` and 1 more access to `out`: " in finding.message
    assert "32-byte stride between lanes: 32 sectors per request instead of 4" in finding.message
    assert "neighbouring lanes are 32 bytes apart and access 4 bytes each" in finding.notes
    double = moved(1, 8, 32, text="p->d")
    [finding] = found("KL206", kernel(*single, double))
    assert (
        "1 more access to `out`: " in finding.message
        and "32-byte stride between lanes: 32 sectors per request instead of 4" in finding.message
    )
    assert "neighbouring lanes are 32 bytes apart and access 4 bytes each" in finding.notes


def test_members_under_a_condition_on_data_do_not_hide_the_others() -> None:
    def member(number: int, **more: Any) -> facts.Access:
        lanes = made.lanes(*range(4 * number, 4 * number + 32 * 28, 28))
        access = replace(
            made.COLUMN_STORE,
            sectors=made.counts(28, 4),
            element_bytes=28,
            text=f"p[i].m{number}",
            example=lanes,
        )
        return replace(access, **more)

    doubtful = {
        "status": "range",
        "reason": "loaded-value",
        "sectors": made.between(0, 28, 28, 4),
        "requests": None,
    }
    [finding] = found("KL206", kernel(member(6), member(0, **doubtful), member(1, **doubtful)))
    assert finding.message.startswith("`p[i].m6`: ") and finding.status == "exact"
    assert "the kernel accesses 12 of each element's 28 bytes" in finding.notes


def test_members_of_an_element_are_told_together() -> None:
    def member(number: int, stride: int) -> facts.Access:
        lanes = made.lanes(*range(4 * number, 4 * number + 32 * stride, stride))
        return replace(
            made.COLUMN_STORE,
            text=f"box[{stride // 4} * i + {number}]",
            sectors=made.counts(stride, 4),
            example=lanes,
        )

    [finding] = found("KL206", kernel(*(member(number, 20) for number in range(4))))
    assert "`box[5 * i + 0]` and 3 more accesses to `out`" in finding.message
    assert (
        "the kernel accesses 16 of each element's 20 bytes" in finding.notes
        and "one array per member" in finding.help
    )
    [finding] = found("KL206", kernel(*(member(number, 16) for number in range(4))))
    assert "`float4`" in finding.help
    assert (
        found("KL206", kernel(member(0, 20))) == []
        and len(found("KL201", kernel(member(0, 20)))) == 1
    )


def test_narrow_blocks() -> None:
    rows = made.lanes(*(row * 4096 + 4 * column for row in range(8) for column in range(4)))
    access = replace(made.COLUMN_STORE, sectors=made.counts(8, 4), example=rows)
    [finding] = found("KL201", kernel(access, launch=replace(made.LAUNCH, block=(4, 64, 1))))
    assert (
        "8 rows of 4 threads, 16 bytes each: make the block at least 8 threads wide" in finding.help
    )
    strided = made.lanes(*(row * 4096 + 16 * column for row in range(8) for column in range(4)))
    access = replace(access, sectors=made.counts(16, 4), example=strided)
    [finding] = found("KL201", kernel(access, launch=replace(made.LAUNCH, block=(4, 64, 1))))
    assert "wide" not in finding.help
    assert (
        "neighbouring threads are 16 bytes apart and access 4 bytes each: let neighbouring threads (threadIdx.x)"
        in finding.help
    )


# ------------------------------------------------------------------ KL202, KL203, KL207


def row(start: int, width: int = 4) -> facts.Example:
    return made.lanes(*range(start, start + 32 * width, width))


def test_an_array_whose_rows_straddle_sectors() -> None:
    off = replace(made.COLUMN_STORE, sectors=made.counts(5, 4), example=row(4))
    [finding] = found("KL202", kernel(off))
    assert (
        "5 sectors per request instead of 4" in finding.message
        and "starts 4 bytes after one" in finding.help
    )
    varying = replace(off, sectors=made.counts(4.9, 4, 4, 5))
    [finding] = found("KL202", kernel(varying))
    assert "cudaMallocPitch" in finding.help
    window = replace(varying, in_loop=made.place("for"))
    assert found("KL202", kernel(window)) == []


def test_neighbours_of_an_aligned_row_are_not_misaligned() -> None:
    off = replace(made.COLUMN_STORE, sectors=made.counts(5, 4), example=row(4))
    assert (
        found(
            "KL202",
            kernel(off, replace(off, text="out[x]", sectors=made.counts(4, 4), example=row(0))),
        )
        == []
    )


def test_addresses_read_from_memory_are_told_once_and_by_one_rule() -> None:
    gather = replace(
        made.COLUMN_STORE,
        status="unknown",
        reason="loaded-value",
        detail="col[i]",
        sectors=None,
        element_index=made.index("col[i]"),
    )
    [finding] = found("KL203", kernel(gather, replace(gather, op="load")))
    assert "gather and scatter through `col[i]`: between 1 and 32 sectors" in finding.message
    assert finding.notes[0].endswith("4 if they access neighbouring ones, 32 if they are scattered")
    assert "also affects 1 more access to `out`" not in finding.notes and finding.severity == "info"
    assert found("KL003", kernel(gather)) == []
    pointer = replace(gather, detail="storage")
    assert found("KL203", kernel(pointer)) == [] and len(found("KL003", kernel(pointer))) == 1
    own = replace(gather, op="load", space="local", object="col", status="exact")
    assert (
        found("KL203", kernel(gather, own)) == []
    )  # an array of the thread's own is not read from memory


def test_bytes_between_words_are_no_case() -> None:
    """A request of words that do not start at multiples of 4 bytes does not run: it is no outcome
    to warn of."""
    cases = (
        facts.Case("the offset by n in bytes % 4 == 0", 1, None),
        facts.Case("otherwise", 2, None),
    )
    store = replace(
        made.COLUMN_STORE,
        space="shared",
        bytes=4,
        status="range",
        sectors=None,
        wavefronts=made.counts(1.5, 1, 1, 2),
        cases=cases,
    )
    assert found("KL101", kernel(store)) == []
    other = tuple(
        replace(case, condition=case.condition.replace(" in bytes % 4", " % 4")) for case in cases
    )
    assert len(found("KL101", kernel(replace(store, cases=other)))) == 1


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (0, "one 4-byte vector"),
        (2, "start 2 bytes after a multiple of 4"),
        (5, "start 1 byte after"),
    ],
)
def test_vectors_are_advised_where_elements_begin_as_vectors_must(start: int, words: str) -> None:
    """`struct { half d; int8_t qs[32]; }`: a `uchar4` in `qs` is not aligned, and moving it is an
    error."""
    access = replace(
        made.COLUMN_STORE, bytes=1, width_total=1, sectors=made.counts(1, 1), example=row(start, 1)
    )
    [finding] = found("KL207", kernel(access))
    assert words in finding.help


@pytest.mark.parametrize(("width", "reported"), [(1, True), (2, True), (4, False)])
def test_narrow_elements_could_be_vectors(width: int, reported: bool) -> None:
    access = replace(
        made.COLUMN_STORE,
        bytes=width,
        width_total=width,
        sectors=made.counts(width, width),
        example=row(0, width),
    )
    assert bool(found("KL207", kernel(access))) is reported


# ------------------------------------------------------------------ family 0


def test_problems_become_findings_under_their_own_code() -> None:
    codes = [f.code for f in check(made.REPORT, Selection(select=("meta",)))]
    assert codes == ["KL001"]


def test_an_assumed_launch_is_a_note_at_the_kernels_name() -> None:
    assumed = facts.Launch(None, (256, 1, 1), None)
    [finding] = found("KL002", kernel(launch=assumed))
    assert finding.severity == "info"
    assert (finding.span.line, finding.span.column, finding.span.end_column) == (2, 17, 26)
    assert "block of 256" in finding.message and "--kernel transpose" in finding.help
    assert found("KL002", made.KERNEL) == []


def test_what_is_unknown_is_said_once_per_place() -> None:
    unknown = replace(
        made.COLUMN_LOAD, status="unknown", reason="loaded-value", detail="perm[i]", wavefronts=None
    )
    other = replace(made.LAUNCH, block=(64, 4, 1))
    [finding] = found("KL003", kernel(unknown), kernel(unknown, launch=other))
    assert finding.severity == "info" and finding.status == "unknown"
    assert finding.notes == ("depends on a value loaded from memory: perm[i]",)


def test_one_cause_is_told_once_per_kernel() -> None:
    unknown = replace(
        made.COLUMN_LOAD, status="unknown", reason="loaded-value", detail="perm[i]", wavefronts=None
    )
    [finding] = found(
        "KL003", kernel(unknown, replace(unknown, text="tile[1]", span=made.place("tile[0]")))
    )
    assert finding.notes[-1] == "unknown for the same reason: line 13"


def test_a_missing_macro_is_told_once_with_the_header_that_may_hold_it() -> None:
    problems = tuple(
        Problem(
            "KL001",
            made.place(name),
            f"'LOOP(…) {{' is a macro whose definition was not found in function {name}",
            name,
        )
        for name in ("transpose", "tile")
    )
    report = made.report_of()
    file = replace(
        report.files[0], problems=problems, missing_headers=("cuda_fp16.h", "vector", "helper.hpp")
    )
    [finding] = check(replace(report, files=(file,)), Selection())
    assert finding.message.endswith("in function transpose") and finding.notes == (
        "same for `tile` (line 4)",
    )
    assert "`-I DIR`; not found: `helper.hpp`)" in finding.help and "-D 'LOOP(…)=…'" in finding.help
    assert "cuda_fp16" not in finding.help and "vector" not in finding.help


def test_launches_of_kernels_that_are_not_there_are_one_note() -> None:
    there = [(name, made.place(name)) for name in ("transpose", "tile")]
    there += [
        (name, replace(place, line=line, end_line=line))
        for (name, place), line in zip([*there, there[1]], (40, 50, 60), strict=True)
    ]
    problems = tuple(
        gave_up("launched-definition", place, "", name, name=name) for name, place in there
    )
    report = made.report_of()
    report = replace(report, files=(replace(report.files[0], problems=problems),))
    assert check(report, Selection()) == []
    [finding] = check(report, EVERYTHING)
    assert finding.severity == "info" and finding.notes == (
        "same for `tile` (lines 4, 50, 60), `transpose` (line 40)",
    )


def test_what_several_files_say_of_a_header_is_said_once() -> None:
    header = replace(
        made.COLUMN_LOAD, span=replace(made.COLUMN_LOAD.span, path="tile.h"), object_span=None
    )
    report = made.report_of(kernel(header), kernel(header, name="other", qualified_name="other"))
    again = replace(report.files[0], path="other.cu")
    findings = [
        f
        for f in check(replace(report, files=(report.files[0], again)), Selection())
        if f.code == "KL101"
    ]
    assert len(findings) == 1 and findings[0].notes[-1] == "same in `transpose`"


def test_a_check_that_fails_costs_one_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    from kernlint.checks import run

    def broken(group: object, rule: object) -> Any:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(
        run,
        "KERNEL_CHECKS",
        (("KL101", broken), *(c for c in run.KERNEL_CHECKS if c[0] != "KL101")),
    )
    findings = check(made.REPORT, Selection())
    assert {"KL003", "KL201", "KL301", "KL401"} <= {f.code for f in findings}
    assert any("rule KL101 stopped on `transpose`" in f.message for f in findings)


# ------------------------------------------------------------------ selection


@pytest.mark.parametrize(
    ("selection", "codes"),
    [
        (Selection(), ["KL001", "KL201", "KL101", "KL301", "KL401"]),
        (
            Selection(select=("KL101",)),
            ["KL001", "KL101"],
        ),  # what cannot be read is told whatever is selected
        (Selection(select=("shared-bank-conflict", "KL4")), ["KL001", "KL101", "KL401"]),
        (Selection(select=("global-memory",)), ["KL001", "KL201"]),
        (Selection(ignore=("divergence", "KL0")), ["KL201", "KL101", "KL401"]),
        (Selection(select=("KL101",), ignore=("all",)), ["KL101"]),
        (Selection(severity="error"), ["KL401"]),
        (Selection(statuses=("unknown",)), ["KL001"]),
    ],
)
def test_selection(selection: Selection, codes: list[str]) -> None:
    assert [f.code for f in check(made.REPORT, selection)] == codes


def test_a_note_that_is_selected_by_its_own_code_is_shown() -> None:
    assumed = made.report_of(kernel(launch=facts.Launch(None, (256, 1, 1), None)))
    assert check(assumed, Selection()) == []
    assert check(assumed, Selection(select=("all",))) == []
    assert [f.code for f in check(assumed, Selection(select=("KL002",)))] == ["KL002"]
