"""Which kind of profile a file is, and several files of one profile put together.

Goes in: paths. Comes out: `Profile`. Raises `ProfileError` with the path, what is wrong and what to
do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kernlint.base.usage import beside
from kernlint.comparison import pages, reports
from kernlint.comparison.columns import SOURCE
from kernlint.comparison.names import parse
from kernlint.comparison.profile import Profile, ProfiledLaunch, ProfileError

REPORT_MAGIC = b"NVR\0"
UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read(paths: Sequence[str]) -> Profile:
    """One profile out of all files: a raw page lends its launches' shapes to a source page's
    lines."""
    profiles = [_read(path) for path in paths]
    fine = [
        profile for profile in profiles if any(launch.instructions for launch in profile.launches)
    ]
    coarse = [profile for profile in profiles if profile not in fine]
    usable = [_shaped(profile, coarse) for profile in fine] or [
        p for p in coarse if any(launch.detail for launch in p.launches)
    ]
    if not usable:
        raise ProfileError(
            f"{paths[0]}: no memory counters in it: profile with source counters (--section SourceCounters):\n  {SOURCE}"
        )
    launches = [launch for profile in usable for launch in profile.launches]
    notes = tuple(note for profile in usable for note in profile.notes)
    renumbered = (
        tuple(replace(launch, identity=at) for at, launch in enumerate(launches))
        if len(usable) > 1
        else tuple(launches)
    )
    return Profile(
        ", ".join(paths), " and ".join(dict.fromkeys(p.page for p in profiles)), renumbered, notes
    )


def _read(path: str) -> Profile:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise ProfileError(f"cannot read {path}: {_reason(path, error)}\n  {SOURCE}") from None
    try:
        if data.startswith(REPORT_MAGIC) or path.endswith(".ncu-rep"):
            return reports.read(path)
        return pages.read(path, _text(data))
    except ProfileError as error:
        raise ProfileError(f"{path}: {error}") from None


def _reason(path: str, error: OSError) -> str:
    """Why there is no file to read, and what leads to one."""
    if isinstance(error, FileNotFoundError):
        return f"no such file{beside(path)}\nA page is made with:"
    if isinstance(error, IsADirectoryError):
        return "it is a folder: name the page or the report in it\nA page is made with:"
    return f"{(error.strerror or str(error)).lower()}\nA page is made with:"


def _text(data: bytes) -> str:
    if not data.strip():
        raise ProfileError(f"the file is empty. Make it with:\n  {SOURCE}")
    if data.startswith(UTF16):  # PowerShell's `>` writes it
        return data.decode("utf-16", errors="replace")
    if b"\0" in data[:4096]:
        raise ProfileError(
            f"this is neither a CSV page nor a report of Nsight Compute. Make one with:\n  {SOURCE}"
        )
    return data.decode("utf-8-sig", errors="replace")


def _shaped(profile: Profile, coarse: Sequence[Profile]) -> Profile:
    """Grid, block and shared memory from a raw page of the same launches, where their kernels agree
    one to one."""
    if not coarse or all(launch.grid for launch in profile.launches):
        return profile
    shapes = [launch for other in coarse for launch in other.launches]
    if len(shapes) != len(profile.launches) or not all(map(_same_kernel, profile.launches, shapes)):
        note = f"{coarse[0].path} lists other launches than {profile.path}: grids and blocks not taken from it"
        return replace(profile, notes=(*profile.notes, note))
    return replace(profile, launches=tuple(map(_with_shape, profile.launches, shapes)))


def _same_kernel(one: ProfiledLaunch, other: ProfiledLaunch) -> bool:
    return parse(one.name).plain == parse(other.name).plain


def _with_shape(launch: ProfiledLaunch, shape: ProfiledLaunch) -> ProfiledLaunch:
    return replace(
        launch,
        identity=shape.identity,
        grid=shape.grid,
        block=shape.block,
        dynamic_shared_bytes=shape.dynamic_shared_bytes,
        capability=shape.capability,
    )
