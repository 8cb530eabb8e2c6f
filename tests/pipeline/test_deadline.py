"""The time that a file may take: what is too long is told, and everything else is there. The clock
is one that ticks when it is read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kernlint.base import deadline
from kernlint.checks.run import check_file
from kernlint.checks.selection import selected_rules
from kernlint.cli import main
from kernlint.fixing.review import review
from kernlint.memo import json_codec
from kernlint.memo.protocol import OfLaunch
from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection, Settings
from kernlint.model.verdict import Judged
from kernlint.pipeline import engine, workers
from kernlint.source import files
from tests.places import DATA

pytestmark = pytest.mark.slow

LONG = """
__global__ void longest(float *a, const int *next, int n) {
    for (int i = 0; i < 400; i = i + 1 + i % 2)
        for (int j = i; j < 400; j = j + 1 + j % 3) a[j * threadIdx.x] = 0;
}
__global__ void plain(float *a) { a[threadIdx.x * 2] = 0; }
"""


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock on which every look takes a millisecond."""
    ticks = count()
    for name in ("process_time", "monotonic"):
        monkeypatch.setattr(deadline, name, lambda: next(ticks) / 1000)


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that stands: of a machine that is fast enough for anything."""
    for name in ("process_time", "monotonic"):
        monkeypatch.setattr(deadline, name, lambda: 0.0)


def source() -> files.Source:
    return files.Source("k.cu", "cuda", LONG, ())


def test_a_kernel_that_is_too_long_leaves_time_for_the_others(frozen: None) -> None:
    file = engine.analyse_source(source(), Settings(timeout=0.1))
    assert [kernel.name for kernel in file.kernels] == ["plain"] and file.unfinished
    (problem,) = (p for p in file.problems if p.code == "KL003")
    assert (problem.kernel, problem.span.line) == (
        "longest",
        2,
    ) and "--timeout-per-file" in problem.message


def test_a_kernel_asked_for_alone_may_use_the_whole_limit(frozen: None) -> None:
    file = engine.analyse_source(source(), Settings(timeout=0.1, kernel="longest"))
    assert [kernel.name for kernel in file.kernels] == ["longest"] and not file.unfinished


def test_the_speed_of_a_machine_does_not_decide_what_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = []
    for nanoseconds in (0, 10, 1000):
        ticks = count()
        for name in ("process_time", "monotonic"):
            told = lambda step=nanoseconds, ticks=ticks: next(ticks) * step / 1e9  # noqa: E731
            monkeypatch.setattr(deadline, name, told)
        file = engine.analyse_source(source(), Settings(timeout=0.1))
        found.append(json_codec.encode(file))
    assert found[0] == found[1] == found[2] and "longest` exceeded its share" in found[0]


LAUNCHING = """__global__ void k(float *a) { a[threadIdx.x] = 0; }
void start(float *a) {
    k<<<4, 64>>>(a);
    for (int i = 0; i < 400000; i = i + 1 + i % 2) a = a + i % 3;
    k<<<8, 96>>>(a);
}
"""


def test_launches_that_are_reached_before_the_time_ends_are_kept(frozen: None) -> None:
    text = files.Source("k.cu", "cuda", LAUNCHING, ())
    file = engine.analyse_source(text, Settings(timeout=0.05))
    assert [kernel.launch.block for kernel in file.kernels] == [(64, 1, 1)]
    assert [problem.reason for problem in file.problems] == ["time"]


def test_host_code_whose_steps_are_slow_leaves_time_for_kernels(
    monkeypatch: pytest.MonkeyPatch, ticking: None
) -> None:
    """A step that takes ten seconds is within every share of steps."""
    original = engine.attempt

    def slow(step: Any, where: Any, kernel: str, problems: Any) -> Any:
        if kernel != "start":
            return original(step, where, kernel, problems)
        return original(lambda: [deadline.look() for _ in range(10_000)], where, kernel, problems)

    monkeypatch.setattr(engine, "attempt", slow)
    source = files.Source("k.cu", "cuda", LAUNCHING.replace("400000", "4"), ())
    file = engine.analyse_source(source, Settings(timeout=10.0))
    assert [kernel.name for kernel in file.kernels] == ["k"] and file.unfinished
    assert [problem.reason for problem in file.problems] == ["time"]


def test_kernels_of_headers_leave_time_for_the_file_s_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On a machine where the clock ends a kernel, not its steps."""
    ticks = count()
    for name in ("process_time", "monotonic"):
        monkeypatch.setattr(deadline, name, lambda: next(ticks) / 100)
    (tmp_path / "long.cuh").write_text(LONG.replace("plain", "other"))
    text = f'#include "long.cuh"\n{LAUNCHING}'
    source = files.Source(str(tmp_path / "k.cu"), "cuda", text, ())
    file = engine.analyse_source(source, Settings(timeout=10))
    assert "k" in {kernel.name for kernel in file.kernels}
    assert file.unfinished


def test_findings_that_there_is_no_time_for_are_told(
    frozen: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = iter([False, False, True])

    def look() -> None:
        if next(ends, True):
            raise deadline.OutOfTime

    file = engine.analyse_source(source(), Settings(timeout=0))
    monkeypatch.setattr(deadline, "look", look)
    told = check_file(file, "h100", selected_rules(Selection()))
    stopped = [finding for finding in told if finding.reason == "time"]
    assert [finding.kernel for finding in stopped] == ["longest", "plain"]
    assert stopped[0].message.startswith("the search for findings in `longest` exceeded")


def test_with_time_enough_nothing_is_left_out(ticking: None) -> None:
    for seconds in (1000.0, 0.0):
        file = engine.analyse_source(source(), Settings(timeout=seconds))
        assert [kernel.name for kernel in file.kernels] == [
            "longest",
            "plain",
        ] and not file.unfinished


def test_a_file_without_time_says_so(ticking: None) -> None:
    file = engine.analyse_source(source(), Settings(timeout=0.001))
    assert file.unfinished and not file.kernels
    assert "analysis of this file exceeded" in file.problems[0].message


def test_the_command_line_tells_what_was_stopped(
    ticking: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At the second run, too, from the cache (`test_cache.py` holds on which machine)."""
    path = tmp_path / "k.cu"
    path.write_text(LONG)
    words = [
        "report",
        str(path),
        "--cache-dir",
        str(tmp_path / "cache"),
        "--timeout-per-file",
        "0.5",
        "--isolated",
    ]
    for _ in range(2):
        assert main.main(words) == 1
        assert "longest` exceeded its share" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["-1", "soon", "inf", "nan"])
def test_nonsense_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main.run(["report", "k.cu", f"--timeout-per-file={text}"])
    assert "expected a number of seconds" in capsys.readouterr().err


def test_a_launch_that_takes_too_long_to_find_has_its_functions_place(frozen: None) -> None:
    text = """__global__ void k(float *a) { a[threadIdx.x] = 0; }
void start(float *a, const int *n) {
    for (int i = 0; i < 100000; i = i + 1 + i % 2)
        for (int j = i; j < 100000; j = j + 1 + j % 3) k<<<j, 32>>>(a);
}
"""
    file = engine.analyse_source(files.Source("k.cu", "cuda", text, ()), Settings(timeout=0.1))
    found = [problem for problem in file.problems if "start" in problem.message]
    assert [(problem.span.path, problem.span.line) for problem in found] == [("k.cu", 2)]


def test_the_processor_time_is_asked_for_when_it_may_be_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Other programs take three quarters of the time of day: of what is left a quarter is exceeded
    at each look."""
    day, asked = [0.0], [0]

    def spent() -> float:
        asked[0] += 1
        return day[0] / 4

    monkeypatch.setattr(deadline, "monotonic", lambda: day[0])
    monkeypatch.setattr(deadline, "process_time", spent)
    with deadline.running(10.0) as clock:
        while not clock.ran_out:
            day[0] += 0.01
            try:
                deadline.check()
            except deadline.OutOfTime:
                break
        assert 40.0 < day[0] < 40.2 and asked[0] < 50
    day[0] = 0.0
    with deadline.running(100.0):
        deadline.check()
        with deadline.running(10.0):  # an end that comes earlier is looked for at once
            day[0] = 41.0
            with pytest.raises(deadline.OutOfTime):
                deadline.check()


def test_a_share_is_of_the_steps_of_work_that_the_limit_is_worth(frozen: None) -> None:
    with deadline.running(1.0) as clock:
        deadline.check(deadline.STEPS)  # what others took does not matter
        with deadline.share(0.5), deadline.share(0.9):
            deadline.check(deadline.STEPS // 2)
            deadline.look()
            with pytest.raises(deadline.OutOfTime):
                deadline.check()
        deadline.check(deadline.STEPS)
    assert clock.ran_out


def test_what_is_tried_again_does_not_count_as_stopped(frozen: None) -> None:
    with deadline.running(1.0) as clock:
        with pytest.raises(deadline.OutOfTime), deadline.trial(0.1):
            deadline.check(deadline.STEPS)
        assert not clock.ran_out
        with deadline.measured() as work:
            deadline.check(7)
    assert work.steps == 7


def analysed(text: str, seconds: float) -> facts.File:
    return engine.analyse_source(files.Source("t.cu", "cuda", text), Settings(timeout=seconds))


ROUNDS = """
__global__ void a(float *p) { p[threadIdx.x] = 0; }
__global__ void b(float *p) { p[threadIdx.x] = 0; }
void run(float *p) { a<<<1, 32>>>(p); a<<<1, 64>>>(p); b<<<1, 96>>>(p); b<<<1, 128>>>(p); }
"""


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """For each launch as it was analysed: the width of its block, and steps of work."""
    found = list[tuple[int, int]]()
    original = engine._launched

    def noted(*given: Any) -> Sequence[OfLaunch]:
        with deadline.measured() as work:
            made = original(*given)
        found.append((given[4].block[0], work.steps))
        return made

    monkeypatch.setattr(engine, "_launched", noted)
    return found


def test_each_kernel_has_its_first_launch_before_any_has_its_second(
    launched: list[tuple[int, int]],
) -> None:
    file = analysed(ROUNDS, 0)
    assert [block for block, _ in launched] == [32, 96, 64, 128]
    assert [kernel.launch.block[0] for kernel in file.kernels] == [32, 64, 96, 128]


def test_a_first_launch_that_is_long_is_begun_anew(
    monkeypatch: pytest.MonkeyPatch, frozen: None, launched: list[tuple[int, int]]
) -> None:
    """Its first round has a tenth of the file's steps, its second the half."""
    text = LONG.replace("400", "8")
    analysed(text, 60)
    monkeypatch.setattr(deadline, "STEPS", 3 * launched[0][1])
    launched.clear()
    file = analysed(text, 1.0)
    assert [kernel.name for kernel in file.kernels] == ["longest", "plain"]
    assert not file.unfinished and not file.problems
    assert len(launched) == 3  # the long one twice


INSTANCES = """
template <int N> __global__ void k(float *p) { p[threadIdx.x * N] = 0; }
""" + "".join(f"template __global__ void k<{n}>(float *);\n" for n in range(1, 8))


def test_instances_that_nothing_launches_leave_the_limit_alone(
    monkeypatch: pytest.MonkeyPatch, frozen: None, launched: list[tuple[int, int]]
) -> None:
    assert len(analysed(INSTANCES, 60).kernels) == 7
    monkeypatch.setattr(deadline, "STEPS", 8 * launched[0][1])
    file = analysed(INSTANCES, 1.0)
    known = [kernel.template_arguments for kernel in file.kernels]
    assert known == [("1",), ("2",), ("3",), ("4",)]
    assert not file.unfinished
    assert "3 more instances of `k` not analysed" in file.problems[0].message


LAUNCHES = (
    "__global__ void k(float *p) { p[threadIdx.x] = 0; }\nvoid run(float *p) {"
    + "".join(f" k<<<1, {32 * n}>>>(p);" for n in range(1, 8))
    + " }"
)


def test_launches_of_one_kernel_leave_the_limit_alone(
    monkeypatch: pytest.MonkeyPatch, frozen: None, launched: list[tuple[int, int]]
) -> None:
    assert len(analysed(LAUNCHES, 60).kernels) == 7
    monkeypatch.setattr(engine, "LAUNCHES_SHARE", 0)
    file = analysed(LAUNCHES, 60)
    assert [kernel.launch.block[0] for kernel in file.kernels] == [32]
    [problem] = file.problems
    assert problem.message.startswith("6 more launches of `k` not analysed")
    assert not file.unfinished


TABLE = (
    "template <int N> __global__ void k(float *p) { p[threadIdx.x * N] = 0; }\n"
    "void run(float *p, int a) { void (*f)(float *) = k<0>; if (a == 1) f = k<1>;\n"
    + "".join(f"else if (a == {n}) f = k<{n}>;\n" for n in range(2, 71))
    + "f<<<1, 32>>>(p); }"
)


def test_a_long_chain_of_instances_is_followed_into_its_first_branches() -> None:
    source = files.Source("t.cu", "cuda", TABLE)
    file = engine.analyse_source(source, Settings(max_launches=1))
    assert [kernel.template_arguments for kernel in file.kernels] == [("0",)]
    assert "into the first 64 branches of this chain of `else if`, not into the 6 others" in str(
        [problem.message for problem in file.problems]
    )


CHANGED = (
    "__global__ void k(float *p) { p[threadIdx.x] = 0; }\nvoid set(int &n) { n = 64; }\n"
    "void run(float *p, int a) { int n = 32, m = 0; if (a == 0) m = 1;\n"
    + "".join(f"else if (a == {i}) m = 1;\n" for i in range(1, 70))
    + "else if (a == 70) set(n);\nk<<<1, n>>>(p); }"
)


def test_what_further_branches_hand_to_functions_is_not_known_behind_them() -> None:
    file = engine.analyse_source(files.Source("c.cu", "cuda", CHANGED), Settings())
    assert [kernel.launch.block_assumed for kernel in file.kernels] == [True]


CONFLICT = """
// kernlint: launch(grid=8, block=32x32)
__global__ void k(float *out, const float *in) {
    __shared__ float tile[32][32];
    for (int i = 0; i < 60; i = i + 1 + i % 2) out[i * 1024 + threadIdx.x] = 0;
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""


FLAT = CONFLICT.replace("tile[32][32]", "tile[32 * 32]").replace(
    "[threadIdx.y][threadIdx.x]", "[threadIdx.y * 32 + threadIdx.x]"
)
FLAT = FLAT.replace("[threadIdx.x][threadIdx.y]", "[threadIdx.x * 32 + threadIdx.y]")


def judged(seconds: float, text: str = CONFLICT) -> tuple[Judged, Finding, float]:
    """A file's result, the finding of its conflict, the clock's time that all took."""
    began = deadline.process_time()
    work = workers.Work(
        files.Source("k.cu", "cuda", text, ()),
        Settings(timeout=seconds),
        Selection(select=("KL101",)),
        review,
    )
    result = workers.compute(work)
    assert isinstance(result, Judged)
    (finding,) = result.findings
    return result, finding, deadline.process_time() - began


@pytest.mark.parametrize("text", [CONFLICT, FLAT])
def test_the_limit_covers_the_analyses_of_padded_files(text: str, ticking: None) -> None:
    """One analysis of the file as it is, one of the columns, one for each padding: with time for
    the first the finding is there, without an edit that nobody looked at."""
    whole, finding, seconds = judged(0.0, text)
    assert finding.fix is not None and not whole.unfinished
    stopped, finding, taken = judged(seconds / 2, text)
    assert taken < seconds / 2 + 0.01 and stopped.unfinished
    assert finding.fix is None and finding.help.endswith(
        "no fix is offered: the time limit ended before its columns were shown to stay within their rows "
        "(raise it with `--timeout-per-file SECONDS`, 0 for no limit)"
    )


def test_what_was_not_searched_for_want_of_time_is_told(ticking: None) -> None:
    """The edit is offered all the same, since its columns stay within their rows: `--fix` analyses
    again."""
    told = f"; the time limit ended before the padded file was analysed ({deadline.MORE})"
    low, high = 0.5, 1.0  # of the time that all takes
    whole = judged(0.0)[2]
    for _ in range(8):
        part = (low + high) / 2
        _, finding, _ = judged(whole * part)
        if finding.fix is None:
            low = part
        elif not finding.help.endswith(told):
            high = part
        else:
            return
    pytest.fail("no limit ends between the edit and the analysis of the padded file")


@pytest.mark.parametrize("name", ["h40", "h80"])
def test_a_file_of_many_conflicts_keeps_its_limit(name: str, ticking: None) -> None:
    """Padded files are analysed for each of its kernels."""
    text = (DATA / "cases" / "user" / f"{name}.cu").read_text(encoding="utf-8")
    began, limit = deadline.process_time(), 2.0
    source = files.Source(f"{name}.cu", "cuda", text, ())
    only = Selection(select=("KL101",))
    result = workers.compute(workers.Work(source, Settings(timeout=limit), only, review))
    assert isinstance(result, Judged) and result.unfinished
    assert deadline.process_time() - began < 1.1 * limit
    assert result.findings and all(finding.code == "KL101" for finding in result.findings)


def test_twice_the_conflicts_are_twice_the_work(ticking: None) -> None:
    first, *kernels = (DATA / "cases" / "user" / "h40.cu").read_text(encoding="utf-8").splitlines()

    def taken(number: int) -> float:
        text = "\n".join([first, *kernels[:number]])
        source = files.Source("h.cu", "cuda", text, ())
        began = deadline.process_time()
        only = Selection(select=("KL101",))
        result = workers.compute(workers.Work(source, Settings(timeout=0), only, review))
        assert isinstance(result, Judged) and len(result.findings) == number
        return deadline.process_time() - began

    assert taken(40) < 2.1 * taken(20)
