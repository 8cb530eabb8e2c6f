"""The outputs in docs/tour.md, docs/tune.md and README.md: `python -m tests.docs.tour` writes them anew,
tests/docs/test_docs.py compares."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from unittest import mock

from kernlint.cli import main
from tests.places import ROOT

PAGE = ROOT / "docs" / "tour.md"
PAGES = (PAGE, ROOT / "docs" / "tune.md", ROOT / "README.md")
BLOCK = re.compile(r"^```console\n\$ (?P<command>kernlint .*)\n(?P<output>(?:.*\n)*?)```$", re.M)
SECONDS = re.compile(r", \d+\.\d\d s\)")


def output(command: str) -> str:
    """What a command prints where there is no terminal, without the time it took."""
    out = io.StringIO()
    elsewhere = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    with (
        contextlib.chdir(ROOT),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(io.StringIO()),
        mock.patch.dict(os.environ, elsewhere, clear=True),
    ):
        main.main(shlex.split(command)[1:])
    return SECONDS.sub(", 0.30 s)", out.getvalue())


def renewed(text: str) -> str:
    return BLOCK.sub(
        lambda block: f"```console\n$ {block['command']}\n{output(block['command'])}```", text
    )


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(renewed(page.read_text(encoding="utf-8")), encoding="utf-8")
