"""Pages for the browser, made by the command line as a user makes them."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

from kernlint.cli import main
from tests.places import ROOT

DESKTOP, PHONE = (1400, 900), (390, 844)


def page_of(path: Path, command: str, *sources: str, options: tuple[str, ...] = ()) -> str:
    """The address of the page that the command writes there. Names of sources are from the
    project's folder, as in the documentation."""
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            assert main.main(
                [
                    command,
                    *sources,
                    "--output-format",
                    "html",
                    "-o",
                    str(path),
                    "--no-cache",
                    *options,
                ]
            ) in (0, 1)
    finally:
        os.chdir(before)
    return path.as_uri()
