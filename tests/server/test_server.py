"""The language server: what an editor is sent, over the real protocol, and what is remembered
between edits."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pygls import uris
from pytest_lsp import ClientServerConfig, LanguageClient

from kernlint.base.deadline import Superseded, Wish, wished
from kernlint.checks import run as checks_run
from kernlint.checks.context import Group
from kernlint.execution import run
from kernlint.lowering.program import Program
from kernlint.memo import json_codec
from kernlint.model import facts
from kernlint.server import features, stages
from kernlint.server.analysis import Documents, FileAnalysis
from tests import places
from tests.fixing.test_fixing import FLAT

TRUTH = places.TRUTH / "kernels"
TILE = """\
// kernlint: launch(grid=32x32, block=32x8, n=1024)
__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        /* 𝄞漢 */ out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
"""
CONFLICT = "tile[threadIdx.x][threadIdx.y + j]"
LINE = TILE.split("\n")[10]
CLIENT = ClientServerConfig(server_command=[sys.executable, "-m", "kernlint", "server"])


@pytest_lsp.fixture(config=CLIENT)
async def client(lsp_client: LanguageClient) -> AsyncIterator[Any]:
    for refresh in (lsp.WORKSPACE_CODE_LENS_REFRESH, lsp.WORKSPACE_INLAY_HINT_REFRESH):
        lsp_client.feature(refresh)(lambda _: None)
    capabilities = pytest_lsp.client_capabilities("visual_studio_code")
    await lsp_client.initialize_session(
        lsp.InitializeParams(capabilities=capabilities, root_uri=None)
    )
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=CLIENT)
async def plain(lsp_client: LanguageClient) -> AsyncIterator[Any]:
    """An editor that can do nothing special."""
    await lsp_client.initialize_session(
        lsp.InitializeParams(capabilities=lsp.ClientCapabilities(), root_uri=None)
    )
    yield
    await lsp_client.shutdown_session()


async def opened(client: LanguageClient, path: Path, text: str) -> tuple[str, list[lsp.Diagnostic]]:
    uri = path.as_uri()
    coming = client.protocol.wait_for_notification_async(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    client.text_document_did_open(
        lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, lsp.LanguageKind.C, 1, text))
    )
    return uri, list((await coming).diagnostics)


async def changed(
    client: LanguageClient, uri: str, version: int, edits: list[lsp.TextEdit]
) -> list[lsp.Diagnostic]:
    coming = client.protocol.wait_for_notification_async(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    changes = [lsp.TextDocumentContentChangePartial(edit.range, edit.new_text) for edit in edits]
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(version=version, uri=uri), list(changes)
        )
    )
    published = await coming
    assert published.version == version
    return list(published.diagnostics)


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def spot() -> lsp.Range:
    """Where the conflict stands, in UTF-16 units: one character of the comment before it takes
    two."""
    before = LINE[: LINE.index(CONFLICT)]
    return lsp.Range(
        lsp.Position(10, utf16(before)), lsp.Position(10, utf16(before) + len(CONFLICT))
    )


@pytest.mark.slow
@pytest.mark.asyncio
async def test_an_editor_session(client: LanguageClient, tmp_path: Path) -> None:
    uri, found = await opened(client, tmp_path / "k.cu", TILE)
    (conflict,) = found
    assert (conflict.code, conflict.severity, conflict.source) == (
        "KL101",
        lsp.DiagnosticSeverity.Warning,
        "kernlint",
    )
    assert conflict.range == spot() and "32-way bank conflict" in conflict.message
    assert {related.message for related in conflict.related_information or ()} == {
        "`tile` is declared here",
        "in this loop",
    }
    document = lsp.TextDocumentIdentifier(uri)

    over = await client.text_document_hover_async(lsp.HoverParams(document, spot().start))
    assert (
        over is not None and over.range == spot() and isinstance(over.contents, lsp.MarkupContent)
    )
    for part in (
        "32*threadIdx.x + threadIdx.y + j",
        "as written: 32 wavefronts per request, ideal 1 (exact)",
        "as compiled: the same",
        "bank  0: lanes 0-31 (32 words)",
    ):
        assert part in over.contents.value
    assert (
        await client.text_document_hover_async(lsp.HoverParams(document, lsp.Position(0, 0)))
        is None
    )

    (lens,) = await client.text_document_code_lens_async(lsp.CodeLensParams(document)) or ()
    assert lens.command is not None and lens.range.start.line == 1
    cost, conflicts, uncoalesced, launch = lens.command.title.split(
        " | "
    )  # what is cut off where the window is narrow comes last
    assert re.fullmatch(r"about [\d,]+ cycles \(.+\) on h100, by wave model 1, limited by .+", cost)
    assert (
        conflicts == "bank conflicts 94 % of wavefronts"
        and uncoalesced == "uncoalesced 0 % of sectors"
    )
    assert launch.startswith("grid 32x32, block 32x8")

    everything = lsp.Range(lsp.Position(0, 0), lsp.Position(20, 0))
    hints = (
        await client.text_document_inlay_hint_async(lsp.InlayHintParams(document, everything)) or ()
    )
    assert {(hint.position.line, hint.label) for hint in hints} == {
        (6, "1-way"),
        (6, "4 sectors"),
        (10, "4 sectors"),
        (10, "32-way"),
    }

    context = lsp.CodeActionContext([conflict])
    offered = (
        await client.text_document_code_action_async(
            lsp.CodeActionParams(document, spot(), context)
        )
        or ()
    )
    pad, suppress, explain = offered
    assert (
        isinstance(pad, lsp.CodeAction)
        and isinstance(suppress, lsp.CodeAction)
        and isinstance(explain, lsp.Command)
    )
    assert (pad.title, pad.is_preferred) == (
        "Pad the rows of `tile` by 1 element",
        False,
    )  # it changes a layout
    page = await client.workspace_execute_command_async(
        lsp.ExecuteCommandParams("kernlint.explain", explain.arguments)
    )
    assert str(page).startswith("# shared-bank-conflict (KL101)") and client.shown_documents[
        0
    ].uri.endswith("KL101.md")

    assert pad.edit is not None and pad.edit.changes is not None
    assert await changed(client, uri, 2, list(pad.edit.changes[uri])) == []
    back = [lsp.TextEdit(lsp.Range(lsp.Position(3, 30), lsp.Position(3, 32)), "32")]
    (again,) = await changed(client, uri, 3, back)
    assert again.range == spot()
    assert suppress.edit is not None and suppress.edit.changes is not None
    assert await changed(client, uri, 4, list(suppress.edit.changes[uri])) == []


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_code_leads_to_the_page_of_its_rule(client: LanguageClient, tmp_path: Path) -> None:
    _, (found,) = await asyncio.wait_for(opened(client, tmp_path / "k.cu", TILE), 30)
    assert found.code_description is not None
    page = uris.to_fs_path(found.code_description.href)
    assert page is not None and Path(page).read_text(encoding="utf-8").startswith(
        "# shared-bank-conflict (KL101)"
    )
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "kernlint.toml").write_text(
        'rules-url = "https://docs.example/{code}"', encoding="utf-8"
    )
    _, (found,) = await asyncio.wait_for(opened(client, tmp_path / "served" / "k.cu", TILE), 30)
    assert found.code_description == lsp.CodeDescription("https://docs.example/KL101")


@pytest.mark.slow
@pytest.mark.asyncio
async def test_an_editor_that_makes_no_links_is_sent_none(
    plain: LanguageClient, tmp_path: Path
) -> None:
    _, (found,) = await asyncio.wait_for(opened(plain, tmp_path / "k.cu", TILE), 30)
    assert found.code == "KL101" and found.code_description is None


RENAMED = """\
// kernlint: launch(grid=64, block=256)
__global__ void fill(float *x) { x[blockIdx.x * 256 + threadIdx.x] = 1.0f; }  // kernlint: ignore[KL201]
void finish() { cudaThreadSynchronize(); }
"""


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_safe_edit_is_preferred_and_what_is_said_of_comments_stays(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri, found = await asyncio.wait_for(opened(client, tmp_path / "k.cu", RENAMED), 30)
    assert [one.code for one in found] == ["KL090", "KL603"]
    whole, context = lsp.Range(lsp.Position(0, 0), lsp.Position(3, 0)), lsp.CodeActionContext([])
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), whole, context)
    offered = await client.text_document_code_action_async(params) or ()
    assert [(one.title, getattr(one, "is_preferred", None)) for one in offered] == [
        ("Explain KL090 (unused-suppression)", None),
        ("Write `cudaDeviceSynchronize` for `cudaThreadSynchronize`", True),
        ("Suppress KL603 on this line", False),
        ("Explain KL603 (obsolete-api-name)", None),
    ]


@pytest.mark.slow
@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["with space.cu", "ä.cu", "a+b.cu", "a@b.cu", "a%20b.cu"])
async def test_files_whose_address_is_escaped_have_findings(
    client: LanguageClient, tmp_path: Path, name: str
) -> None:
    """Editors write `file:///my%20project/k.cu`, and on Windows `file:///c%3A/…`; after a change of
    settings it is still that address."""
    folder = tmp_path / "my project"
    folder.mkdir()
    uri, found = await asyncio.wait_for(opened(client, folder / name, TILE), 30)
    assert [one.code for one in found] == ["KL101"]
    again = asyncio.ensure_future(
        client.protocol.wait_for_notification_async(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    )
    client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([]))
    assert (await asyncio.wait_for(again, 30)).uri == uri


@pytest.mark.slow
@pytest.mark.asyncio
async def test_an_edit_that_the_fixer_would_refuse_is_not_offered_but_explained(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri, found = await opened(client, tmp_path / "k.cu", FLAT)
    [conflict] = [one for one in found if one.code == "KL101"]
    context = lsp.CodeActionContext([conflict])
    document, line = (
        lsp.TextDocumentIdentifier(uri),
        lsp.Range(lsp.Position(5, 0), lsp.Position(5, 0)),
    )
    offered = (
        await client.text_document_code_action_async(lsp.CodeActionParams(document, line, context))
        or ()
    )
    assert [action.title for action in offered] == [
        "Suppress KL101 on this line",
        "Explain KL101 (shared-bank-conflict)",
    ]
    [told] = [one for one in client.diagnostics[uri] if one.code == "KL101"]
    assert (
        "changing the declaration is not enough: the column on line 4 may reach element 1023 of a row of 32"
        in told.message
    )


@pytest.mark.parametrize("text, is_offered", [(FLAT, False), (TILE, True)])
def test_longer_rows_are_offered_once_the_fixer_has_no_objection(
    text: str, is_offered: bool
) -> None:
    documents = Documents()
    plain = documents.analyse("k.cu", text)
    promised = documents.promised(plain)
    pads = [
        [a.title for a in features.actions(one, 1, 99) if a.title.startswith("Pad ")]
        for one in (plain, promised)
    ]
    assert pads[0] == [] and bool(pads[1]) == is_offered


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_form_feed_ends_no_line(client: LanguageClient, tmp_path: Path) -> None:
    """GNU's sources separate parts by them; an edit below one belongs where the editor says."""
    uri, found = await opened(client, tmp_path / "k.cu", f"// \f\v\u2028\x85 one line\r{TILE}")
    (conflict,) = found
    assert conflict.range.start == lsp.Position(
        11, spot().start.character
    ) and conflict.range.end == lsp.Position(11, spot().end.character)
    padding = lsp.TextEdit(lsp.Range(lsp.Position(4, 30), lsp.Position(4, 32)), "33")
    assert await changed(client, uri, 2, [padding]) == []


@pytest.mark.slow
@pytest.mark.asyncio
async def test_an_editor_that_shows_no_documents_is_told_where_the_page_is(
    plain: LanguageClient,
) -> None:
    page = await plain.workspace_execute_command_async(
        lsp.ExecuteCommandParams("kernlint.explain", ["shared-bank-conflict"])
    )
    assert str(page).startswith("# shared-bank-conflict (KL101)")
    (told,) = plain.messages
    assert told.message.startswith(
        "KL101 (shared-bank-conflict): A shared-memory access whose lanes want different words"
    )
    assert told.message.endswith("`kernlint explain KL101` prints its page.")


@pytest.mark.slow
@pytest.mark.asyncio
async def test_broken_text_and_configuration_are_diagnostics(
    client: LanguageClient, tmp_path: Path
) -> None:
    (tmp_path / "kernlint.toml").write_text('devise = "h100"', encoding="utf-8")
    _, found = await opened(client, tmp_path / "k.cu", "__global__ void k(float *a { a[0] = 1;\n")
    assert any(
        "unknown key `devise`, did you mean `device`?" in diagnostic.message for diagnostic in found
    )
    assert all(diagnostic.code == "KL001" for diagnostic in found) and len(found) >= 2


@pytest.mark.slow
@pytest.mark.asyncio
async def test_an_unknown_launch_is_said_first(client: LanguageClient, tmp_path: Path) -> None:
    uri, _ = await opened(
        client, tmp_path / "k.cu", "__global__ void k(float *a) {\n    a[threadIdx.x * 2] = 1;\n}\n"
    )
    over = await client.text_document_hover_async(
        lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(1, 5))
    )
    assert (
        over is not None
        and isinstance(over.contents, lsp.MarkupContent)
        and over.contents.value.startswith("**Assumed:**")
    )


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_block_that_is_given_is_not_called_assumed(
    client: LanguageClient, tmp_path: Path
) -> None:
    text = "// kernlint: launch(block=64)\n__global__ void k(float *a) {\n    a[threadIdx.x * 2] = 1;\n}\n"
    uri, _ = await opened(client, tmp_path / "k.cu", text)
    document = lsp.TextDocumentIdentifier(uri)
    (lens,) = await client.text_document_code_lens_async(lsp.CodeLensParams(document)) or ()
    assert lens.command is not None and lens.command.title.startswith(
        "block 64 given, grid unknown"
    )
    over = await client.text_document_hover_async(lsp.HoverParams(document, lsp.Position(2, 5)))
    assert over is not None and isinstance(over.contents, lsp.MarkupContent)
    assert over.contents.value.startswith(
        "**Rests on:** block 64x1x1 from the launch at line 1, grid unknown"
    )


async def over(client: LanguageClient, uri: str, line: int, character: int) -> str:
    found = await client.text_document_hover_async(
        lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(line, character))
    )
    assert found is not None and isinstance(found.contents, lsp.MarkupContent)
    return found.contents.value


async def titles(client: LanguageClient, uri: str) -> list[str]:
    lenses = (
        await client.text_document_code_lens_async(
            lsp.CodeLensParams(lsp.TextDocumentIdentifier(uri))
        )
        or ()
    )
    return [lens.command.title for lens in lenses if lens.command is not None]


UNLAUNCHED = """\
__global__ void turn(float *out, const float *in)
{
    __shared__ float tile[32][32], flat[1024];
    int x = threadIdx.x, y = threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[y + j][x] = in[(y + j) * 32 + x];
    flat[4 * x] = 1; flat[4 * x + 1] = 2; flat[4 * x + 2] = 3; flat[4 * x + 3] = 4;
    __syncthreads();
    for (int j = 0; j < 32; j += 8) out[(y + j) * 32 + x] = tile[x][y + j] + flat[x];
}
"""


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_hover_tells_how_many_lanes_data_may_leave_out(
    client: LanguageClient, tmp_path: Path
) -> None:
    source = """// kernlint: launch(grid=4, block=64)
__global__ void k(float *a, const float *b) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (lane < 5 && (b[t] > 0 || lane < 3)) a[t] = 1;
    if (lane == 7) a[t] = 2;
}
"""
    uri, _ = await opened(client, tmp_path / "k.cu", source)
    assert "- 8 requests, 3 to 5 of 32 lanes active\n" in await over(
        client, uri, 3, source.split("\n")[3].index("a[t]")
    )
    assert "- 8 requests, 1 active lane\n" in await over(
        client, uri, 4, source.split("\n")[4].index("a[t]")
    )


@pytest.mark.slow
@pytest.mark.asyncio
async def test_of_an_unknown_grid_a_block_is_told(client: LanguageClient, tmp_path: Path) -> None:
    """Whatever a finding may tell of a block, the hover and the line above the kernel tell too, the
    assumption first."""
    uri, found = await opened(client, tmp_path / "k.cu", UNLAUNCHED)
    assert [one.code for one in found] == ["KL101"] and "block 32x8 (assumed: the shape" in found[
        0
    ].message
    row = UNLAUNCHED.split("\n")
    text = await over(client, uri, 7, row[7].index("tile"))
    assert re.match(
        r"\*\*Assumed:\*\* block 32x8x1 from kernlint's assumption .*, grid unknown\n\n\*\*`tile\[x\]\[y \+ j\]`\*\*",
        text,
    )
    numbers = "- as written: 32 wavefronts per request, ideal 1 (range)\n- as compiled: the same\n- 32 requests per block, 32 active lanes\n"
    assert numbers in text
    assert text.count("block 32x8") == 1, "what stands above is not said again"
    merged = await over(client, uri, 5, row[5].rindex("flat"))
    assert (
        "- as compiled: merged: 16 bytes, 8 requests per block, 4 wavefronts per request instead of 4 (range)"
        in merged
    )
    assert "block (0, 0, 0), warp 0, as written: 4 wavefronts" in merged
    even = await over(client, uri, 4, row[4].index("tile"))
    assert "32 banks, 1 word each: no conflict" in even and "bank  0" not in even
    (lens,) = await titles(client, uri)
    assumed, cost, conflicts, uncoalesced, sectors = lens.split(" | ")
    assert (
        assumed == "block 32x8 assumed"
        and uncoalesced == "uncoalesced 0 % of sectors"
        and sectors == "256 sectors per block"
    )
    assert re.fullmatch(
        r"shared memory about [\d,]+ to [\d,]+ cycles of its pipe per block, by T\(i, w, c\) on h100",
        cost,
    )
    beside, once = (
        31 * 32 + 32 + 32 + 8 * 4,
        32,
    )  # `flat[x]` may be loaded once for all turns, or be no request at all
    shares = [100 * 31 * 32 / (beside + some) for some in (once, 0)]
    assert conflicts == f"bank conflicts {shares[0]:.0f} to {shares[1]:.0f} % of wavefronts"


@pytest.mark.slow
@pytest.mark.asyncio
async def test_hints_are_of_what_the_machine_executes(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri, _ = await opened(client, tmp_path / "k.cu", UNLAUNCHED)
    everything = lsp.Range(lsp.Position(0, 0), lsp.Position(20, 0))
    found = (
        await client.text_document_inlay_hint_async(
            lsp.InlayHintParams(lsp.TextDocumentIdentifier(uri), everything)
        )
        or ()
    )
    on = {line: [hint.label for hint in found if hint.position.line == line] for line in (4, 5, 7)}
    kept = "≤ 1-way"  # one load may do for all turns
    assert on == {
        4: ["1-way", "4 sectors"],
        5: ["merged", "merged", "merged", "1-way"],
        7: ["4 sectors", "32-way", kept],
    }
    assert str(found[2].tooltip).endswith(
        "as compiled merged into a neighbouring access: no request of its own (range)"
    )


DIFFERING = """\
// kernlint: launch(grid=4, block=256)
__global__ void k(float *out) {
    __shared__ float s[4096];
    int t = threadIdx.x;
    s[t] = out[t];
    __syncthreads();
    float sum = 0;
    for (int stride = 1; stride <= 16; stride *= 2)
        sum += s[t * stride];
    if (t < 104) out[t] = sum;
}
"""


def test_hints_say_where_requests_differ(tmp_path: Path) -> None:
    found = Documents().analyse(str(tmp_path / "k.cu"), DIFFERING)
    on = {line: {note.text for note in features.hints(found, line, line)} for line in (5, 9, 10)}
    assert on == {5: {"1-way", "4 sectors"}, 9: {"up to 16-way"}, 10: {"up to 4 sectors"}}


CELL = """\
import cupy  # 😀
k = cupy.RawKernel(r\"\"\"
extern "C" __global__ void turn(float *out, const float *in) {
    __shared__ float tile[32][32];
    /* 😀𝄞 */ tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = /* 😀 */ tile[threadIdx.x][threadIdx.y];
}\"\"\", "turn")
k((1,), (32, 32), (a, b))
"""


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_kernel_in_a_string_behind_emoji(client: LanguageClient, tmp_path: Path) -> None:
    uri, (conflict,) = await opened(client, tmp_path / "k.py", CELL)
    line = CELL.split("\n")[6]
    at = utf16(line[: line.rindex("tile")])
    assert conflict.code == "KL101" and conflict.range.start == lsp.Position(6, at)
    assert "**`tile[threadIdx.x][threadIdx.y]`**" in await over(client, uri, 6, at)
    hints = await client.text_document_inlay_hint_async(
        lsp.InlayHintParams(
            lsp.TextDocumentIdentifier(uri), lsp.Range(lsp.Position(6, 0), lsp.Position(6, 0))
        )
    )
    assert (lsp.Position(6, utf16(line) - 1), "32-way") in [
        (hint.position, hint.label) for hint in hints or ()
    ]


@pytest.mark.slow
@pytest.mark.asyncio
@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "vscode-notebook-cell:/work/n.ipynb#W0"])
async def test_what_is_no_file_yet_is_in_the_language_that_the_editor_names(
    client: LanguageClient, uri: str
) -> None:
    coming = client.protocol.wait_for_notification_async(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    client.text_document_did_open(
        lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, lsp.LanguageKind.Python, 1, CELL))
    )
    assert [one.code for one in (await coming).diagnostics] == ["KL101"]


@pytest.mark.slow
@pytest.mark.asyncio
async def test_an_empty_document_is_no_mistake(client: LanguageClient, tmp_path: Path) -> None:
    uri, found = await opened(client, tmp_path / "k.cu", "\n")
    assert found == [] and await titles(client, uri) == []


@pytest.mark.slow
@pytest.mark.asyncio
async def test_opencl_is_told_in_its_words(client: LanguageClient, tmp_path: Path) -> None:
    body = "    __local float s[512];\n    s[2 * get_local_id(0)] = 1;\n    o[get_global_id(0)] = s[1];\n"
    uri, _ = await opened(
        client, tmp_path / "k.cl", f"__kernel void k(__global float *o) {{\n{body}}}\n"
    )
    (lens,) = await titles(client, uri)
    assert lens.startswith("work-group 256 assumed | local memory about ") and lens.endswith(
        " sectors per work-group"
    )
    hover = await over(client, uri, 2, 5)
    assert (
        hover.startswith("**Assumed:** work-group 256x1x1 from")
        and "- 8 requests per work-group, 32 active lanes" in hover
    )
    assert (
        "local store of 4 bytes" in hover
        and "work-group (0, 0, 0), sub-group 0: 2 wavefronts" in hover
    )


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_kernel_beside_one_that_cannot_be_read_is_told(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri, found = await opened(
        client,
        tmp_path / "k.cu",
        f"{UNLAUNCHED}__global__ void bad(float *x) {{ x[threadIdx.x = ; if (}}\n",
    )
    assert [one.code for one in found] == ["KL101", "KL001"] and len(await titles(client, uri)) == 1


@pytest.mark.slow
@pytest.mark.asyncio
async def test_hip_is_for_its_own_device(client: LanguageClient, tmp_path: Path) -> None:
    text = "__global__ void k(float *x) {\n    __shared__ float s[2112];\n    s[threadIdx.x * 32] = __shfl_xor(x[threadIdx.x], 1);\n}\n"
    uri, found = await opened(
        client, tmp_path / "k.hip", f"// kernlint: launch(grid=1, block=64)\n{text}"
    )
    assert [one.code for one in found] == [
        "KL101"
    ] and "64 wavefronts per request instead of 2" in found[0].message
    assert "lanes 0-31 go together:\nbank  0: lanes 0-31 (32 words)" in await over(
        client, uri, 3, 5
    )
    assert "by T(i, w, c), assumed for mi300x" in (await titles(client, uri))[0]
    context, line = lsp.CodeActionContext(found), lsp.Range(lsp.Position(3, 0), lsp.Position(3, 0))
    offered = (
        await client.text_document_code_action_async(
            lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), line, context)
        )
        or ()
    )
    assert not any("_sync" in action.title for action in offered)


# ------------------------------------------------------------------ memory


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the kernels that were really executed."""
    names: list[str] = []
    real: Callable[..., facts.Kernel] = run.execute

    def execute(kernel: Any, *more: Any) -> facts.Kernel:
        names.append(kernel.name)
        return real(kernel, *more)

    monkeypatch.setattr(run, "execute", execute)
    return names


def whole(documents: Documents, path: str, text: str) -> str:
    return json_codec.encode(documents.analyse(path, text).file)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["transpose.cu", "divergence.cu"])
def test_after_any_edit_the_facts_are_those_of_a_new_analysis(
    executed: list[str], name: str
) -> None:
    text = (TRUTH / name).read_text(encoding="utf-8")
    documents = Documents()
    kernels = documents.analyse(name, text).file.kernels
    first = min(kernels, key=lambda kernel: kernel.span.line)
    lines = text.split("\n")
    body = next(
        number for number in range(first.span.line, first.span.end_line) if "{" in lines[number - 1]
    )
    edits = {
        "a line above everything": ["// a comment", *lines],
        "two statements in the first kernel": [
            *lines[:body],
            "    int added = 1;",
            "    added += 2;",
            *lines[body:],
        ],
        "a comment behind a kernel": [
            *lines[: first.span.end_line],
            "// between",
            *lines[first.span.end_line :],
        ],
        "nothing": lines,
    }
    for title, after in edits.items():
        new = "\n".join(after)
        assert whole(documents, name, new) == whole(Documents(), name, new), title


@pytest.mark.slow
def test_only_the_edited_kernel_is_executed(executed: list[str]) -> None:
    text = (TRUTH / "transpose.cu").read_text(encoding="utf-8")
    documents = Documents()
    file = documents.analyse("transpose.cu", text).file
    lines = text.split("\n")
    last = max(file.kernels, key=lambda kernel: kernel.span.line)
    executed.clear()
    documents.analyse(
        "transpose.cu",
        "\n".join(
            [*lines[: last.span.end_line - 1], "    out[n] = 0;", *lines[last.span.end_line - 1 :]]
        ),
    )
    assert set(executed) == {last.name} and len(file.kernels) > 3


def test_a_changed_helper_is_seen() -> None:
    text = "__device__ int twice(int i) { return 2 * i; }\n__global__ void k(float *a) {\n    a[twice(threadIdx.x)] = 1;\n}\n"
    documents = Documents()
    (before,) = documents.analyse("k.cu", text).file.kernels
    (after,) = documents.analyse("k.cu", text.replace("2 * i", "4 * i")).file.kernels
    assert (before.accesses[0].sectors, after.accesses[0].sectors) != (None, None)
    assert before.accesses[0].sectors != after.accesses[0].sectors


LAUNCHED = "// kernlint: launch(grid=1, block=32)\n__global__ void"
OTHERS = [
    "a(int *o) {\n#define N %d\n o[0] = 1;\n}",
    "a(int *o) {\n o[0] = 1;\n} __device__ int f() { return %d; }\n#define N f()",
]


@pytest.mark.parametrize("other", OTHERS)
def test_what_another_kernel_defines_or_shares_a_line_with_is_not_remembered(other: str) -> None:
    documents = Documents()
    rest = f"\n{LAUNCHED} b(int *o) {{\n o[threadIdx.x * N] = 1;\n}}\n"
    for factor, sectors in ((1, 4), (8, 32)):
        file = documents.analyse("k.cu", f"{LAUNCHED} {other % factor}{rest}").file
        (counted,) = [
            a.sectors for k in file.kernels if k.name == "b" for a in k.accesses if a.op == "store"
        ]
        assert counted is not None and counted.mean == sectors


EDITED = """\
#define WIDE 2
__device__ int twice(int i) { return 2 * i; }
__device__ int other(int i) { return i; }
// a remark
%(above)s__global__ void a(int *o) {
    o[twice(threadIdx.x)] = 1; %(behind)s
%(inside)s}
__global__ void b(int *o) {
    o[threadIdx.x * %(value)s] = 1;  // %(quoted)s
}
void start(int *o, int n) {
    a<<<%(grid)s, 32>>>(o);
    b<<<4, 32>>>(o);
}
"""
PLAIN = {"above": "", "behind": "", "inside": "", "value": "1", "quoted": "x", "grid": "4"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes, expected",
    [
        ({"above": "// another\n"}, set()),
        ({"behind": "// behind"}, set()),
        ({"quoted": "y // 𝄞"}, set()),
        ({"inside": "\n\n"}, set()),
        ({"inside": "    o[0] = 2;\n"}, {"a"}),
        ({"grid": "5"}, {"a"}),
        ({"value": "WIDE"}, {"b"}),
        ({"value": "(1 + /* 1 */ 1)"}, {"b"}),
    ],
)
def test_an_edit_costs_the_kernels_that_it_concerns(
    executed: list[str], changes: dict[str, str], expected: set[str]
) -> None:
    documents = Documents()
    documents.analyse("k.cu", EDITED % PLAIN)
    executed.clear()
    text = EDITED % (PLAIN | changes)
    found = whole(documents, "k.cu", text)
    assert set(executed) == expected
    assert found == whole(Documents(), "k.cu", text)


def test_a_helper_concerns_the_kernels_that_mention_it(executed: list[str]) -> None:
    text = EDITED % PLAIN
    documents = Documents()
    documents.analyse("k.cu", text)
    edits = (
        ("2 * i", "3 * i", {"a"}),
        ("return i", "return i + 1", set()),
        ("#define WIDE 2", "#define WIDE 3", set()),
    )
    for before, after, expected in edits:
        executed.clear()
        text = text.replace(before, after)
        found = whole(documents, "k.cu", text)
        assert set(executed) == expected
        assert found == whole(Documents(), "k.cu", text)


@pytest.mark.parametrize(
    "before, after, expected",
    [
        (
            "// a remark",
            "struct New { int x; };\n__device__ inline int cube(int x) { return x * x * x; }",
            set(),
        ),
        ("// a remark", "__device__ inline int cube(int x,", set()),
        ("#define WIDE 2", "\n#define WIDE 2\n#define TALL 3", set()),
        (
            "return 2 * i;",
            "int unused = 3; ; return 2 * i;",
            {"a"},
        ),  # what is called stands elsewhere on its line now
        ("return 2 * i;", "return i;", {"a"}),
        ("int twice(int i)", "int twice(unsigned char i)", {"a"}),
    ],
)
def test_kernels_that_are_lowered_to_the_same_are_not_executed_again(
    executed: list[str], before: str, after: str, expected: set[str]
) -> None:
    """Whatever was edited around them."""
    documents = Documents()
    documents.analyse("k.cu", EDITED % PLAIN)
    executed.clear()
    text = (EDITED % PLAIN).replace(before, after)
    found = whole(documents, "k.cu", text)
    assert set(executed) == expected
    assert found == whole(Documents(), "k.cu", text)


@pytest.mark.parametrize("word", ["__LINE__", "__COUNTER__"])
def test_what_the_preprocessor_counts_is_counted_anew(word: str) -> None:
    """A line or a count above a kernel changes what it is made of, although its own text stays."""
    text = f"{LAUNCHED} k(int *o) {{\n o[threadIdx.x * ({word} % 8 == 4 || {word} == 1)] = 1;\n}}\n"
    documents = Documents()
    for above in (
        "",
        "\n",
        "int x = __COUNTER__;\n",
        "\n\n",
        "int y = 1;\nint x = __COUNTER__ + __COUNTER__;\n",
    ):
        assert whole(documents, "k.cu", above + text) == whole(Documents(), "k.cu", above + text), (
            above
        )


def test_kernels_that_read_alike_keep_their_places() -> None:
    """A kernel that was just copied stands in the file twice."""
    text = f"{LAUNCHED} a(int *o) {{ o[threadIdx.x] = 1; }}\n"
    kernel = "__global__ void b(int *o) { o[2 * threadIdx.x] = 1; }\n"
    documents = Documents()
    for after in (text + kernel, text + kernel * 3, text + "\n" + kernel * 2):
        assert whole(documents, "k.cu", after) == whole(Documents(), "k.cu", after)


def test_what_is_quoted_is_quoted_anew() -> None:
    """A comment within an expression may stand in a message."""
    text = f"{LAUNCHED} k(int *o, int n) {{\n o[threadIdx.x + // first\n n] = 1;\n}}\n"
    documents = Documents()
    for after in (text, text.replace("first", "second")):
        (access,) = documents.analyse("k.cu", after).file.kernels[0].accesses
        assert whole(documents, "k.cu", after) == whole(Documents(), "k.cu", after) and (
            "second" in access.text
        ) == ("second" in after)


@pytest.mark.parametrize(
    "before, after, is_the_same",
    [
        ('printf("done");', 'printf("quite done");', True),
        (
            'if (n) fprintf(stderr, "%d" "x", 1, n);',
            '\n\n    if (n) fprintf(stderr, "%d" "y", 2, n);',
            True,
        ),
        ('n = (int) printf("four");', 'n = (int) printf("fourteen");', False),
        ('printf("%d", 0 && (n = 3));', 'printf("%d", 1 && (n = 3));', False),
        ("sized(1);", "sized(2);", False),
    ],
)
def test_what_host_code_only_prints_decides_no_launch(
    monkeypatch: pytest.MonkeyPatch, before: str, after: str, is_the_same: bool
) -> None:
    """And all else may: it is followed again."""
    followed: list[Program] = []
    real = Program.host_functions
    monkeypatch.setattr(Program, "host_functions", lambda self: followed.append(self) or real(self))
    text = f"{LAUNCHED} k(int *o) {{\n o[threadIdx.x] = 1;\n}}\nvoid start(int *o, int n) {{\n    {before}\n    k<<<4, n>>>(o);\n}}\n"
    documents = Documents()
    documents.analyse("k.cu", text)
    followed.clear()
    now = whole(documents, "k.cu", text.replace(before, after))
    assert (followed == []) == is_the_same
    assert now == whole(Documents(), "k.cu", text.replace(before, after))


def test_a_newer_edit_ends_the_analysis_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was done until then stays known."""
    documents, wish, done = Documents(), Wish(), list[str]()
    real: Callable[..., facts.Kernel] = run.execute

    def execute(kernel: Any, *more: Any) -> facts.Kernel:
        done.append(kernel.name)
        result = real(kernel, *more)
        wish.gone = len(done) == 1
        return result

    monkeypatch.setattr(run, "execute", execute)
    with pytest.raises(Superseded), wished(wish):
        documents.analyse("k.cu", EDITED % PLAIN)
    assert done == ["a"]
    assert whole(documents, "k.cu", EDITED % PLAIN) == whole(Documents(), "k.cu", EDITED % PLAIN)
    assert done[1:] == ["b", "a", "b"]


def test_the_kernels_nearest_to_an_edit_come_first_and_the_others_are_withdrawn(
    executed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "FIRST", 0.0)
    monkeypatch.setattr(stages, "SHORT", 0.0)
    monkeypatch.setattr(stages, "SOON", 0.0)
    monkeypatch.setattr(stages, "BRIEF", 0.0)
    monkeypatch.setattr(stages, "NEAREST", 0.0)
    kernel = "__global__ void %s(int *o) {\n    o[at(threadIdx.x)] = 1;\n}\n"
    helper = "__device__ int at(int i) { return 32 * i; }\n"
    text = kernel % "a" + kernel % "b" + helper + kernel % "c" + kernel % "d"
    documents, shown = Documents(), list[FileAnalysis]()
    text = "__device__ int at(int i);\n" + text
    documents.analyse("k.cu", text)
    executed.clear()
    documents.analyse("k.cu", text.replace("32 * i", "33 * i"), shown.append)
    assert executed == ["b", "c", "a", "d"]
    assert [sorted(k.name for k in stage.missing) for stage in shown] == [
        list("abcd"),
        *(sorted(executed[n:]) for n in (1, 2, 3)),
    ]
    for stage in shown:
        known = {k.name for k in stage.file.kernels}
        assert {
            note.text
            for note in features.lenses(stage)
            if note.span.line not in _lines_of(stage, known)
        } == {features.UNDER_WAY}


def _lines_of(analysis: FileAnalysis, names: set[str]) -> set[int]:
    return {kernel.span.line for kernel in analysis.file.kernels if kernel.name in names}


def test_a_header_that_changes_on_disk_is_read_again(executed: list[str], tmp_path: Path) -> None:
    header, path = tmp_path / "wide.h", str(tmp_path / "k.cu")
    header.write_text("#define WIDE 1\n", encoding="utf-8")
    text = f'#include "wide.h"\n{LAUNCHED} k(int *o) {{\n o[threadIdx.x * WIDE] = 1;\n}}\n'
    documents = Documents()
    documents.analyse(path, text)
    executed.clear()
    documents.analyse(path, text)
    assert executed == []  # saving the document alone forgets nothing
    header.write_text("#define WIDE 32\n", encoding="utf-8")
    (store,) = documents.analyse(path, text).file.kernels[0].accesses
    assert executed == ["k"] and store.sectors is not None and store.sectors.mean == 32


@pytest.mark.slow
@pytest.mark.parametrize(
    "before, after, is_lowered",
    [
        ("#define WIDE 2", "#define WIDE 3\n#define MORE(x) \\\n    (x)", False),
        ("value)s", "value)s + WIDE", True),
        ("#define WIDE 2", "struct Wide { int x; };", False),
        ("#define WIDE 2", "struct Wide { int o; } o;", True),
        ("<<<4, 32>>>", "<<<WIDE, 32>>>", True),
    ],
)
def test_macros_concern_the_kernels_that_use_them(
    monkeypatch: pytest.MonkeyPatch, before: str, after: str, is_lowered: bool
) -> None:
    lowered: list[str] = []
    real = Program.instantiate

    def instantiate(self: Program, handle: Any, *arguments: Any) -> Any:
        lowered.append(handle.name)
        return real(self, handle, *arguments)

    monkeypatch.setattr(Program, "instantiate", instantiate)
    documents = Documents()
    documents.analyse("k.cu", EDITED % PLAIN)
    lowered.clear()
    text = EDITED.replace(before, after) % PLAIN
    found = whole(documents, "k.cu", text)
    assert ("b" in lowered) == is_lowered
    assert found == whole(Documents(), "k.cu", text)


TILED = """\
#define PAD(x) ((x) + 1)
%(macro)s
__global__ void turned(float *out, const float *in) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void other(int *o, int n) { %(other)s }
void start(float *out, float *in) { turned<<<1, dim3(32, 32)>>>(out, in); }
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes, is_checked",
    [
        ({"macro": "#define MORE 3"}, False),
        (
            {"macro": "#define SUM(x) (x + \\\n    tile[0][0])"},
            True,
        ),  # the rows of the array may not be padded then
        ({"macro": "#define LANE threadIdx.x"}, True),
        ({"other": "n = 5;"}, False),
        ({"other": "int tile = 1; n = tile;"}, True),
        ({"other": "if (n) {"}, True),
    ],
)
def test_findings_are_worked_out_anew_where_a_check_may_read_what_changed(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, str], is_checked: bool
) -> None:
    checked: list[str] = []
    real = checks_run._check_group

    def check(group: Group, chosen: Any) -> Any:
        checked.append(group.name)
        return real(group, chosen)

    monkeypatch.setattr(checks_run, "_check_group", check)
    plain = {"macro": "", "other": ""}
    documents = Documents()
    documents.analyse("k.cu", TILED % plain)
    checked.clear()
    text = TILED % (plain | changes)
    found = documents.analyse("k.cu", text).findings
    assert ("turned" in checked) == is_checked
    assert found == Documents().analyse("k.cu", text).findings


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_text_that_is_no_code_yet_is_one_diagnostic_until_it_is(
    client: LanguageClient, tmp_path: Path
) -> None:
    prose = "this is only a plan of a kernel\nit should turn a matrix in tiles\nand be written down here some day\n"
    uri, (found,) = await opened(client, tmp_path / "k.cu", prose)
    assert (
        found.code == "KL001"
        and found.message.startswith("this is no CUDA code but prose")
        and found.range.start.line == 0
    )
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(3, 0))
    over = await client.text_document_hover_async(
        lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(1, 4))
    )
    assert over is None
    assert [one.code for one in await changed(client, uri, 2, [lsp.TextEdit(whole, TILE)])] == [
        "KL101"
    ]
