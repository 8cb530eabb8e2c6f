"""Machine code joined to the accesses of a statement, and what constant memory holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kernlint.base.span import Span
from kernlint.machine_code import toolkit
from kernlint.machine_code.debug_lines import SourceLine
from kernlint.machine_code.execute import LineCount
from kernlint.machine_code.tally import BY_DATA
from kernlint.model import facts
from kernlint.model.settings import Compiler, Settings
from kernlint.pipeline import engine
from kernlint.pipeline.initial_constants import initial_constants
from kernlint.pipeline.joined_counts import joined, object_name, rest
from tests.machine_code.counters import RECORDED, recorded

NVCC = Settings(device="h100", compiler=Compiler("nvcc", "13.0.88"))
PLACE = SourceLine("k.cu", 5)
POINTERS = {(0, 0): "a", (1, 8): "s.p"}


def counted(*roots: str, **numbers: Any) -> LineCount:
    given = {"requests": 8, "threads": 256, "units": 32, "ideal": 32, "least": 4, "most": 4}
    return LineCount(
        PLACE,
        "global",
        "load",
        (32,),
        False,
        doubt=str(numbers.pop("doubt", "")),
        objects=frozenset(roots),
        **{**given, **numbers},
    )


@pytest.mark.parametrize(
    ("root", "name"),
    [
        ("_Z1kPf_param_0", "a"),
        ("_Z1kPf_param_1+8", "s.p"),
        ("_Z1kPf_param_1", ""),
        ("_ZZ1kPfE4tile", "tile"),
        ("_ZZ2kkILi8EEvN2ns1SEPfE3ids_0", "ids"),
        ("dyn", "dyn"),
        ("__local_depot3", ""),
    ],
)
def test_names_of_ptx(root: str, name: str) -> None:
    assert object_name(root, POINTERS, ("tile", "ids")) == name


@pytest.fixture(scope="module")
def read() -> dict[tuple[str, str], facts.Access]:
    """Accesses of the recorded file by kernel and text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(toolkit, "compiled", lambda *_: recorded("joined/joined"))
        file = engine.analyse([str(RECORDED / "joined" / "joined.cu")], NVCC).files[0]
    return {(kernel.name, a.text): a for kernel in file.kernels for a in kernel.accesses}


@pytest.mark.slow
def test_accesses_of_a_statement_are_joined_one_by_one(
    read: dict[tuple[str, str], facts.Access],
) -> None:
    """What loaded data decides leaves the other loads of the line as they were read."""
    for text in ("ids[t]", "b[2 * t]", "tile[t ^ 1]", "out[t]"):
        assert read["gathered", text].read_from
    assert not read["gathered", "a[ids[t]]"].read_from


@pytest.mark.slow
def test_constants_that_nothing_changes_decide_addresses(
    read: dict[tuple[str, str], facts.Access],
) -> None:
    load = read["constants", "in[t + offs[i]]"].as_compiled
    assert load is not None and load.sectors is not None
    # rows of 64 floats that begin at 0, 7, 16 and 33: 4, 5, 4 and 5 sectors
    assert (load.status, load.requests, load.sectors.mean) == ("exact", 16, 4.5)
    filled = read["constants", "out[filled[t & 3] + 64 * t]"]
    assert filled.as_compiled is None and not filled.read_from


@pytest.mark.slow
def test_sectors_of_local_memory_are_read(read: dict[tuple[str, str], facts.Access]) -> None:
    for text in ("a[at]", "a[(t * 3) % n]"):
        assert read["frame", text].read_from


def test_objects_that_cannot_be_told_apart_are_not_joined() -> None:
    a, b = _access("a"), _access("s.p")
    parts = counted("k_param_0"), counted("k_param_1+8", doubt=BY_DATA)
    found = joined([0, 1], [a, b], replace(counted(), parts=parts), POINTERS)
    assert found == [([0], parts[0]), ([1], parts[1])]
    both = replace(counted(), parts=(counted("k_param_0", "k_param_1+8"),))
    nameless = replace(counted(), parts=(parts[0], counted()))
    assert joined([0, 1], [a, b], both, POINTERS) is None
    assert joined([0, 1], [a, b], nameless, POINTERS) is None
    assert joined([0, 1], [a, a], replace(counted(), parts=parts[:1]), POINTERS) is None
    ((_, _), (_, gone)) = (
        joined([0, 1], [a, b], replace(counted(), parts=parts[:1]), POINTERS) or ()
    )
    assert gone.requests == 0


def test_the_one_open_access_has_what_the_others_leave() -> None:
    sure, open_ = _access("a"), replace(_access("a"), status="range")
    whole = counted(requests=16, threads=512, units=160)
    index, left = rest([0, 1], [sure, open_], whole) or (None, whole)
    assert (index, left.requests, left.units, left.threads) == (1, 8, 128, 256)
    assert rest([0, 1], [open_, open_], whole) is None
    assert rest([0, 1], [sure, open_], counted(requests=4)) is None


def _access(name: str) -> facts.Access:
    """A load of 8 requests, 32 lanes and 4 sectors each."""
    return facts.Access(
        span=Span("k.cu", 5, 1, 5, 5),
        charged_line=5,
        text=f"{name}[t]",
        object=name,
        space="global",
        op="load",
        hardware_op="load",
        bytes=4,
        element_index=lambda: None,  # type: ignore[arg-type,return-value]
        status="exact",
        requests=8,
        active_lanes=32,
        sectors=facts.Counts(4, 4, 4, 4, 4, 4),
    )


VALUES = {"a": b"\1\0", "b": b"\2\0", "zero": b"\0\0", "_ZN2ns1cE": b"\3\0"}
DECLARED = """__constant__ int a[] = {1}, zero[2];
__constant__ int b = 2;
namespace ns { __constant__ float c{3}; }
"""


@pytest.mark.parametrize(
    ("host", "held"),
    [
        ("", {"a", "b", "_ZN2ns1cE"}),
        ("// cudaMemcpyToSymbol(anything)", {"a", "b", "_ZN2ns1cE"}),
        ("void f() { cudaMemcpyToSymbol(b, p, 4); }", {"a", "_ZN2ns1cE"}),
        ("void f() { cudaGetSymbolAddress((void **)&p, ns::c); }", {"a", "b"}),
        ("template <class T> void f(T &s) { cudaMemcpyToSymbol(s, p, 4); }", set()),
        ('void f() { cuModuleGetGlobal(&p, &n, module, "x"); }', set()),
        ("void f() { upload(a, 4); }", {"b", "_ZN2ns1cE"}),
    ],
)
def test_what_nothing_in_a_file_changes(host: str, held: set[str]) -> None:
    assert initial_constants(DECLARED + host, VALUES) == held
