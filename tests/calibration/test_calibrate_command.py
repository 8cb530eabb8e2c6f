"""`kernlint calibrate` with stand-ins for nvcc, the benchmarks and nvidia-smi: what it writes, and
what it says when something lacks."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from kernlint import hardware
from kernlint.calibration import measure, toolkit
from kernlint.cli import calibrate_command
from kernlint.cli.main import main
from kernlint.hardware import devices
from tests.calibration.test_calibration import data

LINE = "0, GPU-1, NVIDIA H100 80GB HBM3, 580.1, 0, 2619"


class Tools:
    """A folder that is all of PATH. Programs are Python scripts."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        folder.mkdir()
        monkeypatch.setenv("PATH", str(folder))
        for name in ("CUDA_HOME", "CUDA_PATH"):
            monkeypatch.delenv(name, raising=False)
        which = toolkit.shutil.which
        monkeypatch.setattr(
            toolkit.shutil,
            "which",
            lambda name, path=None: which(name, path=None if path is None else str(folder)),
        )
        monkeypatch.setattr(toolkit.time, "sleep", lambda seconds: None)

    def add(self, name: str, code: str) -> None:
        path = self.folder / name
        path.write_text(
            f"#!{sys.executable}\nimport sys\nwords = sys.argv[1:]\n{code}\n", encoding="utf-8"
        )
        path.chmod(0o755)

    def smi(self, line: str = LINE, users: str = "") -> None:
        self.add("nvidia-smi", f"print({line!r} if 'query-gpu' in words[0] else {users!r})")

    def nvcc(self, outputs: Path) -> None:
        """Makes programs that print the file of their name in `outputs`."""
        program = f"#!{sys.executable}\\nimport os, sys\\nprint(open(os.path.join({str(outputs)!r}, os.path.basename(sys.argv[0]))).read())\\n"
        build = f'''
if "--version" in words:
    print("Cuda compilation tools, release 13.0, V13.0.88")
else:
    path = words[words.index("-o") + 1]
    open(path, "w").write("{program}")
    import os
    os.chmod(path, 0o755)
'''
        self.add("nvcc", build)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    monkeypatch.chdir(tmp_path)
    return Tools(tmp_path / "bin", monkeypatch)


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    """What the benchmarks printed on the H100: a part of the grid, to be quick."""
    folder = tmp_path / "outputs"
    folder.mkdir()
    grids = {
        key: grid
        for key, grid in data("h100").runs[0].items()
        if key in (("load", 4), ("atomic", 8))
    }
    lines = [
        f"T {op} {width} {i} {w} " + " ".join(f"{cycles + 2:.0f}" for cycles in grid.cycles[k][n])
        for (op, width), grid in grids.items()
        for k, i in enumerate(grid.instructions)
        if i in (1, 2, 4, 8, 16, 32)
        for n, w in enumerate(grid.warps)
    ]
    (folder / "shared_time").write_text(
        "\n".join(["clock 2", f"total {len(lines)}", *lines]), encoding="utf-8"
    )
    machine = [
        f"{name} {a} {b} {c}"
        for name, (a, b, c) in data("h100").machine.items()
        if not name.startswith("profiled")
    ]
    properties = [f"property {name} {value:.0f}" for name, value in data("h100").properties.items()]
    (folder / "machine").write_text(
        "\n".join([f"total {len(machine)}", *properties, *machine]), encoding="utf-8"
    )
    return folder


def failing(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["calibrate", *words]) == 2
    captured = capsys.readouterr()
    assert (
        captured.out == ""
        and captured.err.startswith("kernlint: ")
        and captured.err.count("\n") == 1
    )
    return captured.err


def test_it_writes_profile_raw_data_and_figure(
    tools: Tools, outputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools.smi()
    tools.nvcc(outputs)
    assert main(["calibrate", "--device-name", "mine", "-o", "here.toml"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert (
        "load     4 B" in captured.out
        and "atomic   8 B" in captured.out
        and "nvcc release 13.0, V13.0.88" in captured.out
    )
    made = hardware.device(str(tmp_path / "here.toml"))
    assert (
        made.name == "here"
        and made.title == "NVIDIA H100 80GB HBM3"
        and sorted(made.forms) == [("atomic", 8), ("load", 4)]
    )
    assert made.c1 == pytest.approx(1, rel=0.02) and made.calibration["driver"] == "580.1"
    assert made.calibration["command"] == "kernlint calibrate --device-name mine -o here.toml"
    assert (tmp_path / "here.raw.xz").stat().st_size > 1000
    assert (tmp_path / "here.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.slow
def test_its_profile_is_a_device(
    tools: Tools, outputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools.smi()
    tools.nvcc(outputs)
    assert main(["calibrate"]) == 0
    capsys.readouterr()
    profile = tmp_path / "nvidia-h100-80gb-hbm3.toml"
    source = tmp_path / "k.cu"
    source.write_text(
        "__global__ void k(float *x) { __shared__ float s[64]; s[threadIdx.x] = x[threadIdx.x]; x[0] = s[2 * threadIdx.x]; }"
    )
    assert (
        main(["report", "--device", str(profile), "--block", "32", "--grid", "1", str(source)]) == 0
    )
    assert "kernlint calibrate on NVIDIA H100 80GB HBM3" in capsys.readouterr().out
    assert main(["devices", str(profile)]) == 0
    assert "overhead.barrier_cycles_per_warp" in capsys.readouterr().out
    profile.write_text("title = 3", encoding="utf-8")
    devices._device.cache_clear()
    assert main(["report", "--device", str(profile), str(source)]) == 2
    assert "lacks title" in capsys.readouterr().err
    assert main(["report", "--device", "nowhere.toml", str(source)]) == 2
    assert "the device profile nowhere.toml cannot be read: No such file" in capsys.readouterr().err


def test_a_changed_profile_is_not_answered_from_the_cache(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile, source = tmp_path / "d.toml", tmp_path / "k.cu"
    text = hardware.source_text("h100")
    source.write_text(
        "__global__ void k(float *x) { __shared__ float s[64]; s[threadIdx.x] = x[threadIdx.x]; x[0] = s[2 * threadIdx.x]; }"
    )
    words = [
        "report",
        "--device",
        str(profile),
        "--block",
        "32",
        "--grid",
        "1",
        "--cache-dir",
        str(tmp_path / "cache"),
        str(source),
    ]
    told = []
    for c2 in ("46.928", "5000"):
        profile.write_text(
            text.replace("c2 = { value = 46.928", f"c2 = {{ value = {c2}"), encoding="utf-8"
        )
        devices._device.cache_clear()
        assert main(words) == 0
        told.append(capsys.readouterr().out)
    assert "about 5,0" in told[1] and "about 5,0" not in told[0]


def test_no_nvcc(tools: Tools, capsys: pytest.CaptureFixture[str]) -> None:
    tools.smi()
    assert (
        "nvcc, which was not found: install the CUDA toolkit, or set CUDA_HOME or PATH"
        in failing(capsys)
    )


def test_nvcc_of_cuda_home(tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    home = tmp_path / "cuda"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "nvcc").write_text("#!/bin/sh\n", encoding="utf-8")
    (home / "bin" / "nvcc").chmod(0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CUDA_HOME", str(home))
    assert toolkit.nvcc() == str(home / "bin" / "nvcc")


def test_no_gpu(tools: Tools, outputs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tools.nvcc(outputs)
    assert "no" in failing(
        capsys
    ) and "nvidia-smi was not found; is the driver installed?" in failing(capsys)
    tools.add("nvidia-smi", "print('No devices were found')")
    assert "calibrate measures an NVIDIA GPU and found none: No devices were found" in failing(
        capsys
    )
    tools.add(
        "nvidia-smi", "sys.exit('NVIDIA-SMI has failed because it could not talk to the driver')"
    )
    assert "could not talk to the driver" in failing(capsys)


def test_a_gpu_that_is_not_there(
    tools: Tools, outputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools.smi()
    tools.nvcc(outputs)
    assert "--gpu 3: no such GPU; there is 0 (NVIDIA H100 80GB HBM3)" in failing(
        capsys, "--gpu", "3"
    )


@pytest.mark.slow
def test_a_busy_gpu(tools: Tools, outputs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tools.nvcc(outputs)
    tools.smi(LINE.replace(", 0, 2619", ", 97, 2619"))
    assert (
        "GPU 0 (NVIDIA H100 80GB HBM3) is 97 % busy: measurements would be wrong; wait"
        in failing(capsys)
    )
    tools.smi(users="GPU-1, 4711, /usr/bin/python3")
    assert "is in use by python3 (pid 4711)" in failing(capsys)
    tools.smi(users="GPU-2, 4711, /usr/bin/python3")
    assert toolkit.gpu("0").name == "NVIDIA H100 80GB HBM3"


def test_sources_that_do_not_build(tools: Tools, capsys: pytest.CaptureFixture[str]) -> None:
    tools.smi()
    tools.add("nvcc", "print('nvcc fatal : Unsupported gpu architecture')\nsys.exit(1)")
    assert (
        "nvcc could not build shared_time.cu: nvcc fatal : Unsupported gpu architecture"
        in failing(capsys)
    )


@pytest.mark.slow
def test_a_benchmark_that_fails_or_stops_early(
    tools: Tools, outputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools.smi()
    tools.nvcc(outputs)
    lines = (outputs / "shared_time").read_text(encoding="utf-8").splitlines()
    (outputs / "shared_time").write_text("\n".join(lines[:-1]), encoding="utf-8")
    assert "the benchmark shared_time ended early: 251 of 252 measurements" in failing(capsys)
    (outputs / "shared_time").unlink()
    error = failing(capsys)
    assert "the benchmark shared_time failed on GPU 0: " in error and "No such file" in error


def test_an_old_gpu(tools: Tools, outputs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tools.smi()
    tools.nvcc(outputs)
    text = (
        (outputs / "machine")
        .read_text(encoding="utf-8")
        .replace("property capability 90", "property capability 35")
    )
    (outputs / "machine").write_text(text, encoding="utf-8")
    assert "compute capability 3.5: calibrate needs 5.0 or later" in failing(capsys)


def test_places_that_cannot_be_written(
    tools: Tools, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told first of all, here where there is neither nvcc nor a GPU."""
    assert "-o no/such/x.toml: no such folder as no/such" in failing(capsys, "-o", "no/such/x.toml")
    assert (
        "--device-name My GPU: a profile's name is small letters, digits and hyphens, for example my-gpu"
        in failing(capsys, "--device-name", "My GPU")
    )
    os.mkdir("folder.toml")
    assert "cannot write folder.toml: it is a folder" in failing(capsys, "-o", "folder.toml")
    assert (
        "-o mine.txt: the name of a profile's file ends in .toml, for example mine.toml"
        in failing(capsys, "-o", "mine.txt")
    )
    assert "-o : the name of a profile's file ends in .toml, for example profile.toml" in failing(
        capsys, "-o", ""
    )
    Path("kept.toml").touch()
    monkeypatch.setattr(
        calibrate_command.os, "access", lambda path, mode: Path(path).name != "kept.toml"
    )
    assert "cannot write kept.toml: it is read-only" in failing(capsys, "-o", "kept.toml")
    if os.path.isdir("/proc/self"):  # nobody writes there, not even root
        assert "cannot write /proc/x.toml: /proc: " in failing(capsys, "-o", "/proc/x.toml")


def test_the_benchmarks_are_part_of_the_package() -> None:
    assert sorted(path.name for path in measure.SOURCES.iterdir()) == [
        "machine.cu",
        "machine_kernels.cuh",
        "shared_time.cu",
    ]
    assert all("kernlint" in str(path) for path in measure.SOURCES.iterdir())
