"""A rule's page whole: what its front matter says below the title, the text, the references.

Goes in: rules. Comes out: Markdown or one HTML page. `docs/rules/` holds the same Markdown (a test
compares).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from kernlint.checks.rules import Rule
from kernlint.model.reasons import GAVE_UP, REASONS, REMEDIES

REASONS_HERE = "<!-- reasons -->"
HEAD = '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
STYLE = """\
:root { color-scheme: light dark; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }
pre { overflow-x: auto; padding: .7rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 4px; }
code { font: 0.9em ui-monospace, monospace; }
h1 { margin-top: 3rem; }
"""


def text(rule: Rule) -> str:
    """The page as its file has it, with the list of reasons where that has its place."""
    return rule.page.replace(REASONS_HERE, _reasons()) if REASONS_HERE in rule.page else rule.page


def _reasons() -> str:
    told = [f"| `{key}` | {_plain(one.text)} | {one.remedy} |" for key, one in GAVE_UP.items()]
    numbers = [
        f"| `{key}` | a number {why} | {REMEDIES.get(key, '')} |" for key, why in REASONS.items()
    ]
    return "\n".join(["| reason | what is said | what helps |", "|---|---|---|", *told, *numbers])


def _plain(template: str) -> str:
    """The sentence with … for its words."""
    return re.sub(r"`?\{\w+\}`?", "…", template)


def markdown(rule: Rule) -> str:
    """The page, with a line end after its last line."""
    title, _, rest = text(rule).partition("\n")
    limits = ", ".join(f"{name} = {value:g}" for name, value in rule.thresholds.items())
    state = f"{rule.severity}, {'on' if rule.default else 'off'} by default, family {rule.family}"
    references = "".join(f"- {reference}\n" for reference in rule.references)
    after = f"\n## References\n\n{references}" if references else ""
    return f"{title}\n\n{state}{'; thresholds: ' + limits if limits else ''}\n{rest}{after}"


def html(some: Sequence[Rule]) -> str:
    """One page that works offline, each rule under its code as the anchor."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    title = f"{some[0].name} ({some[0].code})" if len(some) == 1 else "The rules of kernlint"
    parts = [
        f'<article id="{rule.code}">\n{reader.render(markdown(rule))}</article>\n' for rule in some
    ]
    return (
        f"{HEAD}<title>{escape(title)}</title>\n<style>\n{STYLE}</style>\n{''.join(parts)}</html>\n"
    )
