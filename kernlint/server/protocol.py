"""Places and findings in the language server protocol's types, columns in the client's units.

Goes in: spans and findings. Comes out: `lsprotocol` values. pygls's codec converts code points to
UTF-16 (or what the client asked for).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsprotocol import types as lsp
from pygls.workspace import PositionCodec, TextDocument

from kernlint.base.span import Span
from kernlint.checks import words
from kernlint.model.finding import Finding

SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "info": lsp.DiagnosticSeverity.Information,
}


# what ends a line for the protocol; a form feed, say, does not
LINE = re.compile("[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class EditorDocument(TextDocument):
    """A document whose lines are the protocol's: pygls takes Python's, which are more, and puts
    edits below a form feed elsewhere."""

    @property
    def lines(self) -> Sequence[str]:
        return LINE.findall(self.source)


class Places:
    """Converts between kernlint's places in a text and the client's."""

    def __init__(self, text: str, codec: PositionCodec) -> None:
        self._lines: Sequence[str] = LINE.findall(text) or [""]
        self._codec = codec

    def range(self, span: Span) -> lsp.Range:
        plain = lsp.Range(
            lsp.Position(max(0, span.line - 1), max(0, span.column - 1)),
            lsp.Position(max(0, span.end_line - 1), max(0, span.end_column - 1)),
        )
        return self._codec.range_to_client_units(self._lines, plain)

    def place(self, position: lsp.Position) -> tuple[int, int]:
        """Line and column, from 1."""
        plain = self._codec.position_from_client_units(self._lines, position)
        return plain.line + 1, plain.character + 1


def diagnostic(
    finding: Finding, path: str, uri: str, places: Places, page: str | None = None
) -> lsp.Diagnostic:
    """A finding in the document; one in a header is shown on the first line, with its own place as
    related. `page`: the rule's, for clients that show a code as a link."""
    own = finding.span.path == path
    help_ = f"help: {finding.help}" if finding.help else ""
    text = "\n".join(
        part
        for part in (
            finding.message,
            *finding.notes,
            words.resting(finding.assumptions, finding.notes),
            help_,
        )
        if part
    )
    related = [
        lsp.DiagnosticRelatedInformation(lsp.Location(uri, places.range(label.span)), label.text)
        for label in finding.labels
        if label.span.path == path
    ]
    return lsp.Diagnostic(
        range=places.range(finding.span) if own else places.range(Span(path, 1, 1, 1, 1)),
        message=text if own else f"{finding.span.path}:{finding.span.line}: {text}",
        severity=SEVERITIES[finding.severity],
        code=finding.code,
        code_description=lsp.CodeDescription(page) if page else None,
        source="kernlint",
        related_information=related or None,
        data={"code": finding.code, "status": finding.status},
    )
