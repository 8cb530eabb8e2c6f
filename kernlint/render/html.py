"""The page of a run: one self-contained file that works from disk, without a network.

Goes in: facts, findings, sources. Comes out: HTML in ASCII, the same for the same input. What the
user wrote goes in as JSON alone, whose `<`, `>` and `&` are escaped, so that no text ends its
element; the page's script shows it as text, never as markup, and its policy lets no other script
run.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from importlib import resources

from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.render.page import data as page_data
from kernlint.source.sources import Sources

SCRIPTS = (
    "dom.js",
    "figures.js",
    "laws.js",
    "sliders.js",
    "source.js",
    "page.js",
)  # in this order in one element
MARKUP = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def render(report: facts.Report, findings: Sequence[Finding] | None, sources: Sources) -> str:
    """`findings` None: a page of facts alone."""
    script = "\n" + "".join(_part(name) for name in SCRIPTS)
    parts = {
        "style": _part("page.css"),
        "script": script.removeprefix("\n"),
        "hash": f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}",
        "data": embedded(page_data.page(report, findings, sources)),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _part("page.html"))


def embedded(value: object) -> str:
    """JSON that may stand in a script element."""
    return json.dumps(value, separators=(",", ":")).translate(MARKUP)


def _part(name: str) -> str:
    return (resources.files("kernlint.render") / "page" / name).read_text(encoding="utf-8")
