"""Which corpora there are, and their files on this machine.

Goes in: `corpora.toml`. Comes out: `Corpus` values, and for each a folder with its sources, fetched
once with pip or apt-get.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kernlint.source import files

LIST = Path(__file__).with_name("corpora.toml")


@dataclass(frozen=True, slots=True)
class Corpus:
    """One package as fetched, and what of it is analysed how. `package`: name and version for pip
    or, with `debian`, apt-get."""

    name: str
    package: str
    debian: bool
    wheel: bool
    tier: str
    folders: tuple[str, ...]
    include: tuple[str, ...] = ()
    defines: Mapping[str, str] = field(default_factory=dict)
    without: str = ""

    def files(self, root: Path) -> list[str]:
        """The kernel files to analyse, in a stable order; raises RuntimeError where a folder of the
        list is not there."""
        folders = [str(root / folder) for folder in self.folders]
        missing = [folder for folder in folders if not Path(folder).is_dir()]
        if missing:
            raise RuntimeError(f"{self.name}: there is no {missing[0]}")
        found = [path for path, problem in files.collect(folders) if problem is None]
        return [path for path in found if not (self.without and re.search(self.without, path))]


def known() -> list[Corpus]:
    """Every corpus of the list."""
    stated = tomllib.loads(LIST.read_text(encoding="utf-8"))
    return [
        Corpus(
            name,
            entry.get("pip") or entry["debian"],
            "debian" in entry,
            entry.get("wheel", False),
            entry["tier"],
            tuple(entry["folders"]),
            tuple(entry.get("include", ())),
            entry.get("defines", {}),
            entry.get("without", ""),
        )
        for name, entry in stated.items()
    ]


def chosen(words: Sequence[str]) -> list[Corpus]:
    """The corpora and tiers named; raises SystemExit with the known ones where a word names
    none."""
    some = [corpus for corpus in known() if corpus.name in words or corpus.tier in words]
    wrong = set(words) - {corpus.name for corpus in some} - {corpus.tier for corpus in some}
    if wrong:
        raise SystemExit(
            f"no such corpus or tier: {', '.join(sorted(wrong))} (known: {', '.join(c.name for c in known())})"
        )
    return some


def fetch(corpus: Corpus, cache: Path) -> Path:
    """The folder of the package's sources, fetched unless it is there; raises RuntimeError with the
    tool's last words."""
    cache = cache.resolve()
    target = cache / corpus.package
    if not target.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            found = (_debian if corpus.debian else _wheel if corpus.wheel else _sources)(
                corpus.package, Path(folder)
            )
            shutil.move(str(found), target)
    return target


def _sources(package: str, folder: Path) -> Path:
    """Unpacked by pip. Most packages fail in its step after, which asks for their build tools: what
    was unpacked is all that is needed."""
    options = [
        "--no-deps",
        "--no-binary",
        ":all:",
        "--no-build-isolation",
        "--no-clean",
        "-d",
        str(folder / "archive"),
    ]
    said = _run([sys.executable, "-m", "pip", "download", "-q", *options, package], folder)
    unpacked = [path for path in folder.glob("pip-*/*") if path.is_dir()]
    if not unpacked:
        raise RuntimeError(f"pip fetched no sources of {package}: {said}")
    return max(unpacked, key=lambda path: sum(1 for _ in path.rglob("*")))


def _wheel(package: str, folder: Path) -> Path:
    said = _run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), package],
        folder,
    )
    archives = [*folder.glob("*.whl")]
    if not archives:
        raise RuntimeError(f"pip fetched no wheel of {package}: {said}")
    shutil.unpack_archive(archives[0], folder / "unpacked", "zip")
    return folder / "unpacked"


def _debian(package: str, folder: Path) -> Path:
    said = _run(["apt-get", "download", package], folder)
    archives = [*folder.glob("*.deb")]
    if not archives:
        raise RuntimeError(f"apt-get fetched no {package}: {said}")
    said = _run(["dpkg", "-x", str(archives[0]), str(folder / "unpacked")], folder)
    if not (folder / "unpacked").is_dir():
        raise RuntimeError(f"dpkg could not unpack {package}: {said}")
    return folder / "unpacked"


def _run(command: Sequence[str], folder: Path) -> str:
    """What the command said last; its temporary files go to `folder`."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    return " ".join((done.stderr or done.stdout).split("\n")[-5:]).strip()
