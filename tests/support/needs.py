"""What some oracles need beside Python and pip, which is all that the README asks for. Where it is
missing these tests are left out and say what to install; CI installs it (.ci/run), and refuses to
run without it; without an editor or a browser it says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kernlint.source.parser import parser

COMPILED = not parser.__file__.endswith(".py")  # a wheel of hatch_build.py is tested
interpreted = pytest.mark.skipif(
    COMPILED, reason="replaces functions inside modules that are compiled here: runs on pure Python"
)


def _installed(
    *tools: str, what: str = "compiled C++ is the oracle here", packages: str = "g++ and binutils"
) -> pytest.MarkDecorator:
    missing = [tool for tool in tools if shutil.which(tool) is None]
    return pytest.mark.skipif(
        bool(missing), reason=f"{what}: install {', '.join(missing)} ({packages})"
    )


gcc = _installed("gcc")
gpp = _installed("g++")
oracle = _installed("g++", "addr2line", "nm")
full_device = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="a device without room, which only Linux has: /dev/full"
)
node = _installed("node", what="the editor's extension is JavaScript", packages="nodejs")
neovim = _installed("nvim", what="a real editor talks to the server here", packages="neovim")
emacs = _installed(
    "emacs",
    what="a real editor talks to the server here",
    packages="emacs-nox, before Emacs 29 elpa-eglot too",
)
_browsers = ("chromium", "chromium-browser", "google-chrome")
chromium = pytest.mark.skipif(
    not any(map(shutil.which, _browsers)),
    reason="a real browser opens the page here: install chromium",
)
