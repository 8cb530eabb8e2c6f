"""Names for findings that survive edits elsewhere in the file, so that CI and baselines know a
finding again.

Goes in: findings, sources. Comes out: one text per finding, all different. Line numbers play no
part.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

from kernlint.model.finding import Finding
from kernlint.source.sources import Sources


def key(finding: Finding, sources: Sources) -> tuple[str, str, str, str]:
    """Path, code, kernel and the line's text without spaces: what stays when the line only moves or
    is indented anew."""
    text = "".join(sources.line(finding.span.path, finding.span.line).split())
    return finding.span.path, finding.code, finding.kernel, text


def fingerprints(findings: Iterable[Finding], sources: Sources) -> list[str]:
    """In the order of `findings`; the second, third … of equal ones differ by their number among
    these."""
    seen: Counter[tuple[str, ...]] = Counter()
    found = []
    for finding in findings:
        parts = key(finding, sources)
        again = (str(seen[parts]),) if seen[parts] else ()
        seen[parts] += 1
        found.append(hashlib.sha256("\0".join((*parts, *again)).encode()).hexdigest()[:16])
    return found
