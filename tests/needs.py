"""What some oracles need beside Python and pip, which is all that the README asks for. Where it is missing these tests are left out and say
what to install; CI refuses to run without it (.ci/run), so that it never leaves them out. Only the editor's extension asks for node, and is
built with it anyway."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest


def _installed(*tools: str, what: str = "compiled C++ is the oracle here", packages: str = "g++ and binutils") -> pytest.MarkDecorator:
    missing = [tool for tool in tools if shutil.which(tool) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{what}: install {', '.join(missing)} ({packages})")


gcc = _installed("gcc")
gpp = _installed("g++")
oracle = _installed("g++", "addr2line", "nm")
full_device = pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device without room, which only Linux has: /dev/full")
node = _installed("node", what="the editor's extension is JavaScript", packages="nodejs")
