"""One line per finding, as gcc and clang print them: every editor and CI that reads compiler output reads this.

Goes in: findings. Comes out: `path:line:column: severity: message [code]`. Info is spelled `note`, as compilers do.
"""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.checks.finding import Finding
from kernlint.render.style import Style

WORDS = {"info": "note", "warning": "warning", "error": "error"}


def render(findings: Iterable[Finding], style: Style, remedies: bool = False) -> str:
    """`remedies`: the way out on the same line, for programs that read one line per finding and act on it."""
    return "".join(line(finding, style, remedies) + "\n" for finding in findings)


def line(finding: Finding, style: Style, remedies: bool = False) -> str:
    span = finding.span
    place = f"{span.path}:{span.line}:{span.column}:"
    word = style.paint(f"{WORDS[finding.severity]}:", finding.severity)
    message = " ".join((finding.message + (f" help: {finding.help}" if remedies and finding.help else "")).split())
    return style.plain(f"{style.paint(place, 'strong')} {word} {message} [{finding.code}]")
