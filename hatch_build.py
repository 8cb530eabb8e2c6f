"""Builds a wheel whose hot modules are machine code: `HATCH_BUILD_HOOKS_ENABLE=1 pip wheel .` (needs a C compiler; takes minutes).

Without that variable nothing here runs and the wheel is pure Python. mypyc compiles the modules as they stand, so both wheels are of one
source and give the same results; what is compiled stands in pyproject.toml. Works on a copy: the checkout stays without built files.
MYPYC_OPT_LEVEL is what the C compiler is told: 2, or less for a wheel that is made to be tested.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SETUP = """\
import gc
import sys
from pathlib import Path

from mypyc.build import mypycify
from setuptools import setup

sys.path.append({root!r})
from hatch_build import all_visited_once, together

gc.disable()  # a quarter of mypyc's time, for next to nothing: all that it makes is in use to its end
modules = mypycify({arguments!r}, opt_level={level!r}, debug_level="0", multi_file=True)
all_visited_once(Path("build"))
for module in modules:
    module.sources = together(module.sources)
setup(name="compiled", packages=[], ext_modules=modules)
"""
TOGETHER = 12  # C files that are compiled as one
TRAVERSE = re.compile(r"^\w+_traverse\(.*?^}$", re.MULTILINE | re.DOTALL)


class Compiled(BuildHookInterface[Any]):
    """The modules of `compile` (globs below the package), without those of `leave`, as extension modules."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        with TemporaryDirectory() as work:
            shutil.copytree(Path(self.root, "kernlint"), Path(work, "kernlint"))
            modules = chosen(Path(work), self.config["compile"], self.config["leave"])
            checked = [
                "--config-file",
                str(Path(self.root, "pyproject.toml")),
                "--explicit-package-bases",
            ]
            Path(work, "setup.py").write_text(
                SETUP.format(
                    root=self.root,
                    arguments=[*checked, *modules],
                    level=os.environ.get("MYPYC_OPT_LEVEL", "2"),
                )
            )
            build = [sys.executable, "setup.py", "build_ext", "--inplace"]
            done = subprocess.run(
                build, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            if done.returncode:
                raise RuntimeError(f"mypyc could not compile kernlint:\n{done.stdout}")
            self._kept = mkdtemp()
            for built in sorted(Path(work).glob("*.so")) + sorted(
                Path(work, "kernlint").rglob("*.so")
            ):
                kept = Path(self._kept, built.relative_to(work))
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(built, kept)
                build_data["force_include"][str(kept)] = str(built.relative_to(work))
        build_data["pure_python"], build_data["infer_tag"] = False, True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        shutil.rmtree(self._kept)


def all_visited_once(folder: Path) -> None:
    """`visited_once` for every C file below `folder`; RuntimeError where none holds what it mends, since mypyc then writes otherwise."""
    found = 0
    for path in folder.rglob("*.c"):
        code = path.read_text(encoding="utf-8")
        mended = visited_once(code)
        if mended != code:
            path.write_text(mended, encoding="utf-8")
            found += 1
    if not found:
        raise RuntimeError(
            "no member is told to the garbage collector twice: does mypyc write its C code otherwise now, or is it mended?"
        )


def visited_once(code: str) -> str:
    """C code of mypyc in which the garbage collector is told of each member once. mypyc 2.4 tells it of those that a frozen data class
    inherits once for each class: the collector then takes what they hold for garbage and clears it."""

    def once(function: re.Match[str]) -> str:
        seen: set[str] = set()
        kept = []
        for line in function[0].split("\n"):
            if "Py_VISIT(" not in line or line.strip() not in seen:
                kept.append(line)
            seen.add(line.strip())
        return "\n".join(kept)

    return TRAVERSE.sub(once, code)


def together(sources: list[str]) -> list[str]:
    """The C files of one extension module, those that mypyc made of Python modules as few files that include them: each
    of them includes what all modules declare, and reading that takes the C compiler a fifth of its time."""
    made = [path for path in sources if Path(path).name.startswith("__native_kernlint")]
    found = [path for path in sources if path not in made]
    for first in range(0, len(made), TOGETHER):
        joint = Path(made[first]).parent / f"together_{first}.c"
        names = (Path(path).resolve() for path in made[first : first + TOGETHER])
        joint.write_text("".join(f'#include "{name}"\n' for name in names), encoding="utf-8")
        found.append(str(joint))
    return found


def chosen(root: Path, compiled: list[str], left: list[str]) -> list[str]:
    """The modules as paths below `root`; a package's `__init__` stays Python."""
    found = {path for glob in compiled for path in root.glob(glob) if path.name != "__init__.py"}
    return sorted(
        str(path.relative_to(root))
        for path in found - {path for glob in left for path in root.glob(glob)}
    )
