"""A real editor: Neovim, headless, opens a sample, gets diagnostics and applies the padding. `python -m tests.editors.neovim`.

Needs `nvim` (Debian's 0.7 or newer), so it is run by hand; tests/test_server.py says the same over the protocol in every run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "transpose.cu"
        shutil.copy(ROOT / "samples" / "transpose.cu", file)
        environment = os.environ | {"KERNLINT_FILE": str(file), "KERNLINT_PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
        script = str(Path(__file__).with_suffix(".lua"))
        done = subprocess.run(["nvim", "--headless", "--clean", "-S", script], env=environment, timeout=180)
        text = file.read_text(encoding="utf-8")
        print(f"exit {done.returncode}; padded: {'tile[TILE][TILE + 1]' in text}")
        return int(done.returncode != 0 or text.count("tile[TILE][TILE + 1]") != 2)


if __name__ == "__main__":
    raise SystemExit(main())
