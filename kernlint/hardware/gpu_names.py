"""Names of GPUs as people and tools write them, and what to say where no profile has one.

In: a name, the profiles' names and capabilities. Out: a profile's name, or words for an error.
Never: a figure of a device; two GPUs that differ in one have no common name.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from kernlint.base.tables import parsed

ARCHITECTURE = re.compile(r"(?:sm|compute)_(\d+)[af]?")  # as nvcc's -arch names them
_LIKE_ARCHITECTURE = re.compile(r"(?:sm|compute|cc)?[ _-]?(\d{1,2})\.?(\d)[af]?")
_LINES = re.compile(r"\b(?:nvidia|tesla|geforce|quadro|amd|instinct|gpu)\b")
# where a number runs on: GTX1080Ti
_JOINTS = re.compile(r"(?<=gtx)(?=\d)|(?<=rtx)(?=\d)|(?<=\d)(?=ti\b|super\b)")


@cache
def _table() -> Any:
    [table] = parsed("gpus", [(resources.files(__package__) / "gpus.toml").read_text("utf-8")])
    return table


def spelled(name: str) -> str:
    """NVIDIA GeForce RTX 4090: rtx-4090."""
    words = re.split(r"[\s_-]+", _JOINTS.sub(" ", _LINES.sub(" ", name.lower())))
    return "-".join(word for word in words if word)


def profile_of(name: str, profiles: Sequence[str]) -> str | None:
    """The profile of a device by any of its names."""
    plain = spelled(name)
    found = plain if plain in profiles else _table()["aliases"].get(plain)
    return found if found in profiles else None


def capability_of(name: str) -> int | None:
    """Of a GPU that has no profile; None for what is no known GPU."""
    plain = spelled(name)
    for capability, names in _table()["capabilities"].items():
        if plain in names.split():
            return int(capability)
    return None


def architectures(word: str) -> tuple[int, ...]:
    """What the name of an architecture means: ampere, sm-86, 8.6."""
    named = _table()["architectures"].get(word.strip().lower())
    if named:
        return tuple(named)
    found = _LIKE_ARCHITECTURE.fullmatch(word.strip().lower())
    return (int(found[1] + found[2]),) if found else ()


def nearest(capability: int, known: Sequence[int]) -> int:
    """The known one whose instructions and limits are most alike: of the same major version the
    highest that is no higher, else the closest."""

    def far(one: int) -> tuple[bool, bool, int]:
        is_other = one // 10 != capability // 10
        return is_other, one > capability and not is_other, abs(one - capability)

    return min(known, key=far)


def listed(profiles: Mapping[str, int]) -> str:
    """sm_80 (a100), sm_90 (h100, h200)"""
    having: dict[int, list[str]] = {}
    for name, capability in profiles.items():
        having.setdefault(capability, []).append(name)
    return ", ".join(f"sm_{one} ({', '.join(sorted(having[one]))})" for one in sorted(having))


def near(name: str, known: Sequence[str]) -> str:
    """, did you mean 'a100'? where one of the known names is close; else nothing."""
    close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    return f", did you mean {close[0]!r}?" if close else ""


def advice(name: str, profiles: Mapping[str, int]) -> str:
    """What to choose instead of a name that no profile has, as the end of a sentence about it: the
    profiles of the GPU's or the architecture's compute capability, or the nearest one's. "" for a
    name that is neither."""
    gpu = capability_of(name)
    meant = (gpu,) if gpu else architectures(name)
    if not meant:
        return ""
    told = f", a GPU of compute capability {gpu // 10}.{gpu % 10}" if gpu else ""
    own = {profile: one for profile, one in profiles.items() if one in meant}
    if own:
        return f"{told}: choose {listed(own)}"
    close = nearest(meant[0], list(profiles.values()))
    like = {profile: one for profile, one in profiles.items() if one == close}
    return f"{told}: the nearest is {listed(like)}"
