"""What some oracles need beside Python and pip, which is all that the README asks for. Where it is missing these tests are left out and say
what to install; CI refuses to run without it (.ci/run), so that it never leaves them out."""

from __future__ import annotations

import shutil

import pytest


def _installed(*tools: str) -> pytest.MarkDecorator:
    missing = [tool for tool in tools if shutil.which(tool) is None]
    return pytest.mark.skipif(bool(missing), reason=f"compiled C++ is the oracle here: install {', '.join(missing)} (g++ and binutils)")


gcc = _installed("gcc")
gpp = _installed("g++")
oracle = _installed("g++", "addr2line", "nm")
