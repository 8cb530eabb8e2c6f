"""The language server over standard input and output.

Documents are analysed a moment after the last change, in a thread, one at a time; what is typed
meanwhile supersedes what is under way. The editor gets diagnostics (pushed), hovers, lenses, inlay
hints and code actions, all of the last finished analysis of the text they are for.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from lsprotocol import types as lsp
from pygls import uris
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from kernlint import __version__
from kernlint.base import garbage
from kernlint.base.deadline import Superseded, Wish, wished
from kernlint.checks import rules
from kernlint.checks.rule_addresses import address
from kernlint.model.finding import Finding
from kernlint.render import rule_pages
from kernlint.server import features
from kernlint.server.analysis import Documents, FileAnalysis
from kernlint.server.protocol import EditorDocument, Places, diagnostic
from kernlint.server.worker_pool import Crew, processors
from kernlint.source.text import HOST_SUFFIXES, KERNEL_SUFFIXES

ENDINGS = {  # of files in the languages that editors have identifiers for
    **dict.fromkeys(("cuda", "cuda-cpp", "cuda-cu"), ".cu"),
    **dict.fromkeys(("opencl", "opencl-c"), ".cl"),
    **{"hip": ".hip", "ptx": ".ptx", "python": ".py", "cpp": ".cpp", "c": ".c"},
}
DELAY = 0.1  # seconds after the last change
EXPLAIN = "kernlint.explain"
MOST_WORKERS = 3
SWITCH = 0.001  # seconds that each step of an answer may wait for the analysis under way


class KernlintServer(LanguageServer):
    """Holds the last analysis of each open document."""

    def __init__(self) -> None:
        super().__init__(
            "kernlint", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental
        )
        self.crew = Crew(min(MOST_WORKERS, processors() - 1))
        self.documents = Documents(self.crew)
        # URIs as the editor writes them: pygls keeps `%20` and the like resolved
        self.open: set[str] = set()
        # by URI, with the version that was analysed
        self.analyses: dict[str, tuple[int | None, FileAnalysis]] = {}
        self.pending: dict[str, asyncio.Task[None]] = {}
        # for the analysis of each document that is under way or waits for its turn
        self.wishes: dict[str, Wish] = {}
        # done when it is known which edits may be offered
        self.promises: dict[str, asyncio.Future[None]] = {}
        # of the rules that the editor knows
        self.pages: tempfile.TemporaryDirectory[str] | None = None
        # one analysis at a time: what is remembered between edits is not shared
        self.worker = ThreadPoolExecutor(1)

    def changed(self, uri: str, delay: float = DELAY) -> None:
        """Analyse a document soon, in place of an analysis that is not done."""
        self.stop(uri)
        self.pending[uri] = asyncio.get_running_loop().create_task(self._later(uri, delay))

    def stop(self, uri: str) -> None:
        """End what is under way for a document."""
        if uri in self.pending:
            self.pending.pop(uri).cancel()
        if uri in self.wishes:
            self.wishes.pop(uri).gone = True

    async def _later(self, uri: str, delay: float) -> None:
        if delay:
            self.worker.submit(garbage.glance)
        await asyncio.sleep(delay)
        loop, wish = asyncio.get_running_loop(), Wish()
        document = self.workspace.get_text_document(uri)
        version, text, path = document.version, document.source, _path(document)
        self.wishes[uri] = wish

        def show(analysis: FileAnalysis) -> None:
            loop.call_soon_threadsafe(self._show, uri, version, analysis, wish)

        analysis = await loop.run_in_executor(self.worker, self._analyse, path, text, show, wish)
        if analysis is not None:
            self._show(uri, version, analysis, wish)
            await self._promise(uri, version, analysis, wish)
        await asyncio.sleep(garbage.PAUSE)  # the next edit of this document cancels it
        await loop.run_in_executor(self.worker, garbage.collect)

    async def _promise(
        self, uri: str, version: int | None, analysis: FileAnalysis, wish: Wish
    ) -> None:
        """Finds out which of the edits the fixer would make: whoever asks for edits waits for it,
        nobody for diagnostics."""
        loop = asyncio.get_running_loop()
        self.promises[uri] = promise = loop.create_future()
        try:
            promised = await loop.run_in_executor(self.worker, self._promised, analysis, wish)
            if promised is None or wish.gone:
                return
            if promised.findings == analysis.findings:
                self.analyses[uri] = (version, promised)
            else:
                self._show(uri, version, promised, wish)
        finally:
            promise.set_result(None)

    def _promised(self, analysis: FileAnalysis, wish: Wish) -> FileAnalysis | None:
        """None where nobody waits for it any more."""
        try:
            with wished(wish):
                return self.documents.promised(analysis)
        except Superseded:
            return None

    def _analyse(
        self, path: str, text: str, show: Callable[[FileAnalysis], None], wish: Wish
    ) -> FileAnalysis | None:
        """None where nobody waits for it any more."""
        try:
            with wished(wish):
                return self.documents.analyse(path, text, show)
        except Superseded:
            return None

    def _show(self, uri: str, version: int | None, analysis: FileAnalysis, wish: Wish) -> None:
        """To the editor, unless the document was closed or typed on meanwhile: a newer analysis is
        on its way then."""
        if (
            wish.gone
            or uri not in self.open
            or self.workspace.get_text_document(uri).version != version
        ):
            return
        self.analyses[uri] = (version, analysis)
        self._publish(uri, version, analysis)
        for refresh in (self.workspace_inlay_hint_refresh, self.workspace_code_lens_refresh):
            if self._refreshes(refresh.__name__):
                refresh(None, lambda _: None)

    def _refreshes(self, name: str) -> bool:
        workspace = self.client_capabilities.workspace
        if workspace is None:
            return False
        support = workspace.inlay_hint if "inlay" in name else workspace.code_lens
        return bool(support and support.refresh_support)

    def _publish(self, uri: str, version: int | None, analysis: FileAnalysis) -> None:
        places = self.places(analysis)
        shown = [self.diagnostic(finding, analysis, uri, places) for finding in analysis.findings]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, shown, version))

    def diagnostic(
        self, finding: Finding, analysis: FileAnalysis, uri: str, places: Places
    ) -> lsp.Diagnostic:
        """With the page of its rule where the client makes a link of it: where that is served, else
        on this machine."""
        capabilities = self.client_capabilities.text_document
        links = (
            capabilities is not None
            and capabilities.publish_diagnostics is not None
            and capabilities.publish_diagnostics.code_description_support
        )
        rule = rules.find(finding.code)
        page = (
            (address(rule, analysis.rules_url) or uris.from_fs_path(self.page(rule)))
            if links
            else None
        )
        return diagnostic(finding, analysis.path, uri, places, page)

    def page(self, rule: rules.Rule) -> str:
        """The path of a rule's page, which is written when it is first asked for."""
        self.pages = self.pages or tempfile.TemporaryDirectory(prefix="kernlint-")
        path = os.path.join(self.pages.name, f"{rule.code}.md")
        if not os.path.exists(path):
            with open(path, "w", encoding="utf-8") as file:
                file.write(rule_pages.markdown(rule))
        return path

    def places(self, analysis: FileAnalysis) -> Places:
        return Places(analysis.text, self.workspace.position_codec)

    def current(self, uri: str) -> FileAnalysis | None:
        """The analysis of the document's present text; None while it is under way."""
        version, analysis = self.analyses.get(uri, (None, None))
        if analysis is None or self.workspace.get_text_document(uri).version != version:
            return None
        return analysis


def _path(document: TextDocument) -> str:
    """The document's path, relative to the current folder where it lies below it; of one that is
    not saved, or a cell of a notebook, with the ending of the language that the editor names."""
    path = uris.to_fs_path(document.uri) or document.filename or "untitled"
    if not path.lower().endswith((*KERNEL_SUFFIXES, *HOST_SUFFIXES)):
        path += ENDINGS.get(document.language_id or "", "")
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative


server = KernlintServer()


@server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
def opened(ls: KernlintServer, params: lsp.DidOpenTextDocumentParams) -> None:
    ls.workspace.get_text_document(params.text_document.uri).__class__ = EditorDocument
    ls.open.add(params.text_document.uri)
    ls.changed(params.text_document.uri, 0)


@server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
def edited(ls: KernlintServer, params: lsp.DidChangeTextDocumentParams) -> None:
    ls.changed(params.text_document.uri)


@server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
def saved(ls: KernlintServer, params: lsp.DidSaveTextDocumentParams) -> None:
    """A header or a configuration file may have changed on disk: every open document is analysed
    anew."""
    _all_anew(ls)


@server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def watched(ls: KernlintServer, params: lsp.DidChangeWatchedFilesParams) -> None:
    _all_anew(ls)


def _all_anew(ls: KernlintServer) -> None:
    for uri in sorted(ls.open):
        ls.changed(uri, 0)


@server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
def closed(ls: KernlintServer, params: lsp.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    ls.open.discard(uri)
    ls.stop(uri)
    ls.promises.pop(uri, None)
    if uri in ls.analyses:
        ls.documents.forget(ls.analyses.pop(uri)[1].path)
    ls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


@server.feature(lsp.TEXT_DOCUMENT_HOVER)
def hover(ls: KernlintServer, params: lsp.HoverParams) -> lsp.Hover | None:
    analysis = ls.current(params.text_document.uri)
    if analysis is None:
        return None
    places = ls.places(analysis)
    note = features.hover(analysis, *places.place(params.position))
    return (
        None
        if note is None
        else lsp.Hover(
            lsp.MarkupContent(lsp.MarkupKind.Markdown, note.text), places.range(note.span)
        )
    )


@server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
def lenses(ls: KernlintServer, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    analysis = ls.current(params.text_document.uri)
    if analysis is None:
        return []
    places = ls.places(analysis)
    return [
        lsp.CodeLens(places.range(note.span), lsp.Command(note.text, ""))
        for note in features.lenses(analysis)
    ]


@server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
def hints(ls: KernlintServer, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
    analysis = ls.current(params.text_document.uri)
    if analysis is None:
        return []
    places = ls.places(analysis)
    found = features.hints(analysis, params.range.start.line + 1, params.range.end.line + 1)
    return [
        lsp.InlayHint(
            places.range(n.span).end,
            n.text,
            lsp.InlayHintKind.Type,
            tooltip=n.tooltip,
            padding_left=True,
        )
        for n in found
    ]


@server.feature(
    lsp.TEXT_DOCUMENT_CODE_ACTION,
    lsp.CodeActionOptions(
        code_action_kinds=[lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.Empty]
    ),
)
async def actions(
    ls: KernlintServer, params: lsp.CodeActionParams
) -> list[lsp.CodeAction | lsp.Command]:
    uri = params.text_document.uri
    if ls.current(uri) is not None and uri in ls.promises:
        await asyncio.shield(ls.promises[uri])
    analysis = ls.current(uri)
    if analysis is None:
        return []
    places = ls.places(analysis)
    return [
        _action(ls, action, analysis, uri, places)
        for action in features.actions(
            analysis, params.range.start.line + 1, params.range.end.line + 1
        )
    ]


def _action(
    ls: KernlintServer, action: features.Action, analysis: FileAnalysis, uri: str, places: Places
) -> lsp.CodeAction | lsp.Command:
    if action.code:
        return lsp.Command(action.title, EXPLAIN, arguments=[action.code])
    diagnostics = [ls.diagnostic(action.finding, analysis, uri, places)]
    edits = [lsp.TextEdit(places.range(span), content) for span, content in action.edits]
    edit = lsp.WorkspaceEdit({uri: edits})
    return lsp.CodeAction(
        action.title,
        lsp.CodeActionKind.QuickFix,
        diagnostics,
        is_preferred=action.is_safe_fix,
        edit=edit,
    )


@server.command(EXPLAIN)
async def explain(ls: KernlintServer, code: str) -> str:
    """Opens the rule's page in the editor where it can show documents, else says where to read it;
    returns it."""
    rule = rules.find(code)
    page = rule_pages.markdown(rule)
    window = ls.client_capabilities.window
    if window is None or window.show_document is None or not window.show_document.support:
        message = f"{rule.code} ({rule.name}): {rule.summary} `kernlint explain {rule.code}` prints its page."
        ls.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, message))
        return page
    await ls.window_show_document_async(
        lsp.ShowDocumentParams(uris.from_fs_path(ls.page(rule)) or "", take_focus=True)
    )
    return page


def serve() -> None:
    garbage.begin()
    sys.setswitchinterval(SWITCH)
    try:
        server.start_io()
    finally:
        server.crew.close()
        if server.pages is not None:
            server.pages.cleanup()
