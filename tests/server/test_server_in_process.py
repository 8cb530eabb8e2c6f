"""The server's answers without a process or a protocol between: the handlers called as pygls calls
them, on a document of its workspace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.workspace import Workspace

from kernlint.base import garbage
from kernlint.checks import rules
from kernlint.server import server as serving
from tests.places import SAMPLES

pytestmark = pytest.mark.slow

TEXT = (SAMPLES / "transpose.cu").read_text(encoding="utf-8")
CONFLICT = next(i for i, line in enumerate(TEXT.split("\n")) if "= tile[" in line)
Session = Callable[[lsp.ClientCapabilities], serving.KernlintServer]


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Session:
    """A server for a client of some capabilities, without worker processes; what it sends is kept
    in `sent`."""
    monkeypatch.setattr(serving, "processors", lambda: 1)
    monkeypatch.setattr(garbage, "PAUSE", 0)

    def begin(capabilities: lsp.ClientCapabilities) -> serving.KernlintServer:
        server = serving.KernlintServer()
        server.protocol._workspace = Workspace(None)
        server.protocol.client_capabilities = capabilities
        server.sent = []
        for name in ("text_document_publish_diagnostics", "window_show_message"):
            monkeypatch.setattr(server, name, server.sent.append)
        return server

    return begin


async def opened(server: serving.KernlintServer, path: Path, text: str) -> str:
    """The document's URI, when everything that its text gives was sent."""
    uri = path.as_uri()
    item = lsp.TextDocumentItem(uri, "cuda-cpp", 1, text)
    server.workspace.put_text_document(item)
    serving.opened(server, lsp.DidOpenTextDocumentParams(item))
    await server.pending[uri]
    return uri


def codes(server: serving.KernlintServer) -> set[str]:
    return {str(one.code) for one in server.sent[-1].diagnostics}


@pytest.mark.asyncio
async def test_what_an_open_document_is_answered(session: Session, tmp_path: Path) -> None:
    server = session(
        lsp.ClientCapabilities(
            text_document=lsp.TextDocumentClientCapabilities(
                publish_diagnostics=lsp.PublishDiagnosticsClientCapabilities(
                    code_description_support=True
                )
            )
        )
    )
    uri = await opened(server, tmp_path / "a.cu", TEXT)
    document = lsp.TextDocumentIdentifier(uri)
    [told] = [one for one in server.sent[-1].diagnostics if one.code == "KL101"]
    assert told.range.start.line == CONFLICT
    page = Path(told.code_description.href.removeprefix("file://"))
    assert "shared-bank-conflict" in page.read_text(encoding="utf-8")

    at = lsp.Position(CONFLICT, TEXT.split("\n")[CONFLICT].index("tile[") + 1)
    shown = serving.hover(server, lsp.HoverParams(document, at))
    assert "32" in shown.contents.value and "wavefronts" in shown.contents.value
    assert serving.lenses(server, lsp.CodeLensParams(document))
    line = lsp.Range(lsp.Position(CONFLICT, 0), lsp.Position(CONFLICT, 0))
    assert len(serving.hints(server, lsp.InlayHintParams(document, line))) >= 1
    offered = await serving.actions(
        server, lsp.CodeActionParams(document, line, lsp.CodeActionContext([]))
    )
    edits = [one.edit for one in offered if isinstance(one, lsp.CodeAction)]
    assert edits and edits[0].changes[uri]


@pytest.mark.asyncio
async def test_a_document_is_analysed_again_after_each_change_until_it_is_closed(
    session: Session, tmp_path: Path
) -> None:
    server = session(lsp.ClientCapabilities())
    uri = await opened(server, tmp_path / "a.cu", TEXT)
    assert "KL101" in codes(server)
    assert all(one.code_description is None for one in server.sent[-1].diagnostics)

    document = lsp.VersionedTextDocumentIdentifier(2, uri)
    whole = lsp.TextDocumentContentChangeWholeDocument("int nothing;\n")
    server.workspace.update_text_document(document, whole)
    assert server.current(uri) is None
    assert serving.lenses(server, lsp.CodeLensParams(document)) == []
    serving.edited(server, lsp.DidChangeTextDocumentParams(document, [whole]))
    await server.pending[uri]
    assert codes(server) == set()

    serving.saved(server, lsp.DidSaveTextDocumentParams(document))
    await server.pending[uri]
    serving.closed(server, lsp.DidCloseTextDocumentParams(document))
    assert uri not in server.analyses and server.sent[-1].diagnostics == []


@pytest.mark.asyncio
async def test_an_editor_that_shows_no_documents_is_told_of_the_page(session: Session) -> None:
    server = session(lsp.ClientCapabilities())
    page = await serving.explain(server, "KL101")
    assert "shared-bank-conflict" in page and rules.find("KL101").summary in server.sent[-1].message
