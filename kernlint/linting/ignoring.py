"""`--add-ignore`: a suppressing comment on every line that has a finding.

Goes in: findings, texts. Comes out: new texts by path. Writes nothing itself.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from kernlint.linting.parts import parts_of
from kernlint.model.finding import Finding
from kernlint.source.embedded import programs

_EXISTING = re.compile(r"\bkernlint:\s*ignore\[(?P<words>[^\]\n]*)\]")
_UNSAFE = re.compile(r"[\"'\\{}%$]")  # what a string of the host would read as something else
_CONTINUED = re.compile(r"[ \t]*\\[ \t]*$")


def with_ignores(findings: Iterable[Finding], texts: dict[str, str], reason: str) -> dict[str, str]:
    """The texts that change. `reason` stands behind the codes; one comment per line names all of
    its rules."""
    wanted: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for part in (part for finding in findings for part in parts_of(finding)):
        wanted[part.span.path][part.span.line].add(part.code)
    changed = {}
    for path, lines in wanted.items():
        text = texts.get(path)
        if text is None:
            continue
        rows = text.split("\n")
        host_columns = programs.last_columns(path, text)
        for number, codes in lines.items():
            if 0 < number <= len(rows):
                column = host_columns.get(number) if host_columns is not None else None
                rows[number - 1] = _ignored(rows[number - 1], codes, reason, column)
        changed[path] = "\n".join(rows)
    return changed


def _ignored(line: str, codes: set[str], reason: str, column: int | None) -> str:
    """`column`: where the line's code ends inside of a string; None for a line of plain code."""
    existing = _EXISTING.search(line)
    if existing:
        words = [word.strip() for word in existing["words"].split(",") if word.strip()]
        return (
            line[: existing.start("words")]
            + ", ".join([*words, *sorted(codes - set(words))])
            + line[existing.end("words") :]
        )
    text = f"kernlint: ignore[{', '.join(sorted(codes))}]" + (
        f" {' '.join(reason.split())}" if reason else ""
    )
    if column is not None:
        plain = _UNSAFE.sub(" ", text).replace("*/", "* /")
        return f"{line[:column]} /* {plain} */{line[column:]}"
    continued = _CONTINUED.search(line)
    if continued:  # a comment to the end of the line would swallow the continuation
        return f"{line[: continued.start()]} /* {text.replace('*/', '* /')} */{continued[0]}"
    return f"{line.rstrip()}  // {text}"
