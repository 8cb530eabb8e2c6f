"""Names of GPUs: every profile is found by the names that people and tools use, and a GPU without a
profile is told which one is like it."""

from __future__ import annotations

import pytest

from kernlint import hardware
from kernlint.cli import main
from kernlint.hardware import devices, gpu_names


@pytest.mark.parametrize(
    "name, profile",
    [
        ("P100", "p100"),
        ("Tesla P100-SXM2-16GB", "p100"),
        ("NVIDIA GeForce GTX 1080", "gtx-1080"),
        ("GTX1080", "gtx-1080"),
        ("Tesla T4", "t4"),
        ("geforce rtx 2080", "rtx-2080"),
        ("Jetson Orin", "jetson-orin"),
        ("Jetson AGX Orin", "jetson-orin"),
        ("RTX5090", "rtx-5090"),
        ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("AMD Instinct MI300X", "mi300x"),
        ("rtx_3090", "rtx-3090"),
    ],
)
def test_a_device_by_its_names(name: str, profile: str) -> None:
    assert hardware.device(name) is hardware.device(profile)
    assert hardware.device(name).name == profile


@pytest.mark.parametrize("name", hardware.names())
def test_each_profile_is_found_by_its_title(name: str) -> None:
    title = hardware.device(name).title.partition(" (")[0]
    if name != "intel-gen9" and name != "intel-xe-hpc":
        assert hardware.device(title) is hardware.device(name)


@pytest.mark.parametrize(
    "name, says",
    [
        ("GTX1080Ti", ", a GPU of compute capability 6.1: choose sm_61 (gtx-1080)"),
        ("Tesla P100-PCIE-16GB", ", a GPU of compute capability 6.0: choose sm_60 (p100)"),
        ("RTX 3070", ", a GPU of compute capability 8.6: choose sm_86 (rtx-3090)"),
        ("NVIDIA H100 PCIe", ", a GPU of compute capability 9.0: choose sm_90 (h100, h200)"),
        ("Jetson Nano", ", a GPU of compute capability 5.3: the nearest is sm_60 (p100)"),
        ("B300", ", a GPU of compute capability 10.3: the nearest is sm_100 (b200)"),
        ("Turing", ", an architecture: choose sm_75 (rtx-2080, t4)"),
        ("sm_121", ", an architecture: the nearest is sm_120 (rtx-5090)"),
        ("7.2", ", an architecture: the nearest is sm_70 (v100)"),
        ("rtx-4009", ", did you mean 'rtx-4090'?"),
    ],
)
def test_what_is_said_of_other_names(name: str, says: str) -> None:
    with pytest.raises(ValueError) as error:
        hardware.device(name)
    assert str(error.value).startswith(f"unknown device {name!r}{says}; known devices: a100, ")


def test_every_capability_of_the_table_has_advice() -> None:
    profiles = devices.capabilities()
    table = gpu_names._table()
    for capability, names in table["capabilities"].items():
        for name in names.split():
            assert gpu_names.spelled(name) == name and name not in profiles
            assert gpu_names.advice(name, profiles).startswith(", a GPU of compute capability ")
            assert gpu_names.capability_of(name) == int(capability)
    assert all(name in hardware.names() for name in table["aliases"].values())
    assert not table["aliases"].keys() & set(hardware.names())


def test_the_command_line_takes_any_of_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["devices", "NVIDIA GeForce RTX 5090"]) == 0
    assert capsys.readouterr().out.startswith("rtx-5090: ")


@pytest.mark.parametrize(
    "arch, profile",
    [
        ("sm_60", "p100"),
        ("sm_61", "gtx-1080"),
        ("sm_75", "rtx-2080"),
        ("sm_87", "jetson-orin"),
        ("sm_120a", "rtx-5090"),
    ],
)
def test_architectures(arch: str, profile: str) -> None:
    assert hardware.of_architecture(arch) == profile
    assert hardware.of_architecture(arch, profile) == profile
