"""The language server, called over standard input and output by a client without an editor."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

pytest.importorskip("pygls")

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.client import LanguageClient
from syrupy.assertion import SnapshotAssertion

from abnforge.budget import Budget
from abnforge.errors import LimitExceeded
from abnforge.grammar.annotations import occurrences
from abnforge.integrations.language_server import (
    BUDGET,
    Document,
    Linter,
    StoppableBudget,
    actions_within,
    describe,
    diagnostic,
    renamed,
)
from abnforge.linting.finding import Finding
from tests.law import one_in
from tests.places import ROOT

TEXT = """\
;@ except Key
name = 1*ALPHA ; \U0001f600 name
pair = name "=" value
value = digits
digits = DIGIT*
key = "if"
"""
GOOD = TEXT.replace("DIGIT*", "1*DIGIT")
AT_VALUE = lsp.Position(2, 17)


def document(text: str = GOOD) -> Document:
    return Document("file:///tmp/pairs.abnf", text)


def test_places_count_as_editors_do() -> None:
    result = document()
    offset = GOOD.index("name\npair")
    line, column = 1, len("name = 1*ALPHA ; \U0001f600 ") + 1  # this character is two UTF-16 units
    assert result.position(offset) == lsp.Position(line, column)
    assert result.offset(lsp.Position(line, column)) == offset
    assert result.offset(lsp.Position(99, 0)) == len(GOOD)
    assert result.offset(lsp.Position(0, 999)) == GOOD.index("\n")
    for each in occurrences(result.rulelist):
        assert result.offset(result.position(each.span.start)) == each.span.start


def test_findings_are_diagnostics() -> None:
    results = document(TEXT)
    [result] = [diagnostic(results, each) for each in results.findings()]
    assert result.severity == lsp.DiagnosticSeverity.Error
    assert result.range.start.line == 4
    assert [each.severity for each in document().findings() if each.severity == "error"] == []


def test_what_is_told_of_a_rule(snapshot: SnapshotAssertion) -> None:
    result = document()
    rule = result.rule("VALUE")
    assert rule is not None
    assert list(describe(rule)) == snapshot
    assert result.rule("nothing") is None
    assert document(TEXT).rule("value") is None


def test_rules_that_recurse_and_prose(snapshot: SnapshotAssertion) -> None:
    result = document('a = "(" [a] ")"\nb = <words>\n')
    [recursive, prose] = [result.rule(name) for name in "ab"]
    assert recursive is not None
    assert prose is not None
    assert [list(describe(recursive)), list(describe(prose))] == snapshot


@pytest.mark.parametrize(
    ("position", "name", "code"),
    [
        (AT_VALUE, "pair", "rename-taken"),
        (AT_VALUE, "alpha", "rename-taken"),
        (AT_VALUE, "1x", "rename-invalid"),
        (lsp.Position(2, 13), "x", "rename-nothing"),
        (lsp.Position(1, 11), "x", "rename-nothing"),  # ALPHA
    ],
)
def test_names_that_cannot_be_given(position: lsp.Position, name: str, code: str) -> None:
    with pytest.raises(JsonRpcInvalidParams) as caught:
        renamed(document(), position, name)
    assert caught.value.__cause__.code == code


def applied(known: Document, edit: lsp.WorkspaceEdit) -> str:
    text = known.source.text
    for each in reversed((edit.changes or {})[known.uri]):
        start, end = known.offset(each.range.start), known.offset(each.range.end)
        text = text[:start] + each.new_text + text[end:]
    return text


def test_renaming_takes_all_with_it() -> None:
    result = document()
    assert applied(result, renamed(result, lsp.Position(5, 1), "keyword")) == (
        GOOD.replace("except Key", "except keyword").replace("key =", "keyword =")
    )
    assert applied(result, renamed(result, AT_VALUE, "VALUE")).count("VALUE") == 2


Session = Callable[[LanguageClient, list[lsp.PublishDiagnosticsParams], str], Awaitable[None]]


def session(folder: Path, talk: Session) -> None:
    """Start the server, run a session, and end it."""

    async def run() -> None:
        client = LanguageClient("tests", "1")
        published: list[lsp.PublishDiagnosticsParams] = []

        @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def diagnostics(params: lsp.PublishDiagnosticsParams) -> None:
            published.append(params)

        await client.start_io(sys.executable, "-m", "abnforge", "server", cwd=str(ROOT))
        uri = (folder / "pairs.abnf").as_uri()
        await client.initialize_async(
            lsp.InitializeParams(capabilities=lsp.ClientCapabilities(), root_uri=folder.as_uri())
        )
        client.initialized(lsp.InitializedParams())
        item = lsp.TextDocumentItem(uri, "abnf", 1, TEXT)
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        await talk(client, published, uri)
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()

    asyncio.run(asyncio.wait_for(run(), 60))


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_session(tmp_path: Path) -> None:
    (tmp_path / "other.abnf").write_text('there = "x"\n')

    async def talk(client: LanguageClient, published: list[lsp.PublishDiagnosticsParams], uri: str) -> None:
        here = lsp.TextDocumentIdentifier(uri)
        whole = lsp.Range(lsp.Position(0, 0), lsp.Position(9, 0))
        actions = await client.text_document_code_action_async(
            lsp.CodeActionParams(here, whole, lsp.CodeActionContext([]))
        )
        assert published[-1].diagnostics[0].range.start.line == 4
        assert actions
        [action] = actions
        assert isinstance(action, lsp.CodeAction)
        assert action.edit is not None
        assert "*DIGIT" in applied(Document(uri, TEXT), action.edit)

        text = ";@ import other.abnf: there\n" + GOOD + "use = there\n"
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(lsp.VersionedTextDocumentIdentifier(2, uri), [change])
        )
        at = lsp.Position(3, 17)  # value
        [result] = await client.text_document_definition_async(lsp.DefinitionParams(here, at)) or []
        assert result.range.start.line == 4
        [result] = (
            await client.text_document_definition_async(lsp.DefinitionParams(here, lsp.Position(7, 7))) or []
        )
        assert result.uri.endswith("other.abnf")
        references = await client.text_document_references_async(
            lsp.ReferenceParams(lsp.ReferenceContext(True), here, at)
        )
        assert references is not None
        assert len(references) == 2
        hover = await client.text_document_hover_async(lsp.HoverParams(here, at))
        assert hover is not None
        assert isinstance(hover.contents, lsp.MarkupContent)
        assert "`0`" in hover.contents.value
        assert await client.text_document_prepare_rename_async(lsp.PrepareRenameParams(here, at))
        edit = await client.text_document_rename_async(lsp.RenameParams(here, at, "amount"))
        assert edit is not None
        assert applied(Document(uri, text), edit).count("amount") == 2
        formatted = await client.text_document_formatting_async(
            lsp.DocumentFormattingParams(here, lsp.FormattingOptions(2, True))
        )
        assert formatted is None or len(formatted) <= 1
        items = await client.text_document_completion_async(lsp.CompletionParams(here, lsp.Position(7, 6)))
        assert isinstance(items, list)
        assert {"name", "pair", "value", "digits", "ALPHA"} <= {each.label for each in items}
        symbols = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(here))
        assert symbols is not None
        assert [each.name for each in symbols] == ["name", "pair", "value", "digits", "key", "use"]
        while len(published) < 2:  # changes are linted after a pause
            await asyncio.sleep(0.02)
        assert [each.severity for each in published[-1].diagnostics if each.severity == 1] == []

    session(tmp_path, talk)


class Counted(Document):
    """A document that counts how often it is linted."""

    runs = 0

    def findings(self, budget: Budget = BUDGET) -> list[Finding]:
        Counted.runs += 1
        return super().findings(budget)


def typed(number: int) -> Counted:
    return Counted("file:///tmp/pairs.abnf", f"{GOOD}x{number} = ALPHA\n")


def test_a_string_is_linted_when_typing_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counted, "runs", 0)
    published: list[str] = []
    texts = [typed(number) for number in range(5)]

    async def run() -> None:
        linter = Linter(lambda known, _: published.append(known.source.text), pause=0.01)
        tasks = [linter.start(each, pause=True) for each in texts]
        await asyncio.wait(tasks)
        assert [task.cancelled() for task in tasks] == [True] * 4 + [False]
        assert await linter.findings(texts[-1]) == tasks[-1].result()  # known already

    asyncio.run(run())
    assert Counted.runs == 1
    assert published == [texts[-1].source.text]


def test_a_quick_fix_does_not_wait_for_the_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counted, "runs", 0)

    async def run() -> None:
        linter = Linter(lambda *_: None, pause=0.01)
        await linter.findings(typed(1))
        await linter.findings(typed(1))
        linter.stop(typed(1).uri)
        linter.stop(typed(1).uri)

    asyncio.run(run())
    assert Counted.runs == 1


def test_work_on_an_earlier_text_ends() -> None:
    """A change sets ``stop``, so the next step of the work raises an error."""
    stop = Event()
    meter = StoppableBudget(BUDGET, stop).meter("lint").share("a part", 0.5)
    meter.charge(10)
    stop.set()
    with pytest.raises(LimitExceeded):
        meter.charge()
    assert meter.steps <= 11


def test_a_change_stops_the_lint_that_runs() -> None:
    budgets: list[StoppableBudget] = []

    class Slow(Document):
        def findings(self, budget: Budget = BUDGET) -> list[Finding]:
            assert isinstance(budget, StoppableBudget)
            budgets.append(budget)
            budget.stop.wait(30)
            return []

    async def run() -> None:
        published: list[Document] = []
        linter = Linter(lambda known, _: published.append(known), pause=0)
        linter.start(Slow("file:///tmp/pairs.abnf", GOOD), pause=False)
        while not budgets:
            await asyncio.sleep(0.001)
        changed = typed(2)
        await linter.start(changed, pause=True)
        assert budgets[0].stop.is_set()
        assert published == [changed]

    asyncio.run(run())


def titles(text: str) -> list[str]:
    result = document(text)
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))
    return [each.title for each in actions_within(result, result.findings(), whole)]


def test_titles_say_what_an_edit_does() -> None:
    assert titles("a ::= DIGIT\nb = DIGIT+\n") == [
        'Replace "::=" with "="',
        'Replace "DIGIT+" with "1*DIGIT"',
    ]
    assert titles("a := DIGIT\nb := ALPHA\n") == ['Replace ":=" with "=", and 1 more']


def test_equal_titles_have_their_lines() -> None:
    result = document("a = DIGIT+\nb = ALPHA\n")
    [finding] = result.findings()
    other = replace(finding, line=2, end_line=2)
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))
    shown = [each.title for each in actions_within(result, [finding, other], whole)]
    assert shown == [f'Replace "DIGIT+" with "1*DIGIT" (line {line})' for line in (1, 2)]


@pytest.mark.parametrize(("shut_down", "status"), one_in(2, [(True, 0), (False, 1)]))
def test_the_end_of_the_server(shut_down: bool, status: int) -> None:
    """The exit status is 0 after a shutdown and 1 otherwise (LSP 3.17). Standard error is empty."""

    def message(**fields: object) -> bytes:
        body = json.dumps({"jsonrpc": "2.0", **fields}).encode()
        return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    talk = message(id=1, method="initialize", params={"capabilities": {}, "processId": None, "rootUri": None})
    if shut_down:
        talk += message(id=2, method="shutdown")
    command = [sys.executable, "-m", "abnforge", "server"]
    ended = subprocess.run(
        command, input=talk + message(method="exit"), capture_output=True, timeout=60, check=False
    )
    assert ended.returncode == status
    assert b"Traceback" not in ended.stderr
    assert ended.stdout.count(b"Content-Length") == 1 + shut_down
