"""One line per finding, as gcc and clang print them: every editor and CI that reads compiler output
reads this.

Goes in: findings. Comes out: `path:line:column: severity: message [code]`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from kernlint.base.span import Span
from kernlint.model.finding import Finding
from kernlint.render.style import Style


def render(findings: Iterable[Finding], style: Style, remedies: bool = False) -> str:
    """`remedies`: how to fix it on the same line, for programs that read one line per finding and act
    on it."""
    told = list(findings)
    alike = Counter(map(_said, told))
    return "".join(
        line(finding, style, remedies, instance=alike[_said(finding)] > 1) + "\n"
        for finding in told
    )


def _said(finding: Finding) -> tuple[str, Span, str]:
    return finding.code, finding.span, finding.message


def line(finding: Finding, style: Style, remedies: bool = False, instance: bool = False) -> str:
    """`instance`: with the kernel and its template arguments, where several say the same."""
    span = finding.span
    place = f"{span.path}:{span.line}:{span.column}:"
    word = style.paint(f"{finding.severity}:", finding.severity)
    of = f" in `{finding.kernel}`" if instance and finding.kernel else ""
    message = " ".join(
        (
            finding.message + of + (f"; help: {finding.help}" if remedies and finding.help else "")
        ).split()
    )
    return style.plain(f"{style.paint(place, 'strong')} {word} {message} [{finding.code}]")
