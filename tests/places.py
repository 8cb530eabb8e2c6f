"""Where the tests find what they read: the checkout's folders, and those of the tests' own data."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SAMPLES = ROOT / "samples"
SCHEMAS = ROOT / "schemas"
DATA = ROOT / "tests" / "data"
GOLDEN = ROOT / "tests" / "golden"
TRUTH = DATA / "truth"  # programs of which an H100 counted every line
