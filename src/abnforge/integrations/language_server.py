"""A language server for ABNF (Language Server Protocol 3.17), by pygls: ``abnforge server``.

Diagnostics and fixes come from ``lint``, and formatting from ``format``. Hover describes a rule. Definitions,
references, renaming and completion use the names of rules. Offsets count code points here, and UTF-16 code
units in the protocol. Lines end at LF.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from abnforge import __version__
from abnforge.budget import Budget, Meter
from abnforge.conformance.near_misses import near_misses
from abnforge.conformance.sentences import sentences
from abnforge.engine.loading import loads
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError, LimitExceeded, UnknownNameError
from abnforge.grammar.annotations import Occurrence, occurrences
from abnforge.grammar.formatter import formatted
from abnforge.grammar.reader import read_partial
from abnforge.grammar.shipped import bundled_names
from abnforge.grammar.syntax import Rulelist
from abnforge.linting.editing import CORE, GRAMMAR, RULE, at, own, proposals, renaming
from abnforge.linting.finding import Finding
from abnforge.linting.source import lint_text
from abnforge.text import Source, Span, escape

BUDGET = Budget(steps=1_000_000, memory=500_000_000, seconds=5)  # the budget of a response
PAUSE = 0.3  # seconds without a change before a document is linted: longer than between keystrokes
MAX_CHARACTERS = 500_000  # longer documents are not linted

_SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "info": lsp.DiagnosticSeverity.Information,
}
_KINDS = {
    RULE: lsp.CompletionItemKind.Function,
    CORE: lsp.CompletionItemKind.Constant,
    GRAMMAR: lsp.CompletionItemKind.Module,
}
_SHOWN = 3  # maximum number of strings of each kind in a description
_MOST_QUOTED = 40  # maximum number of characters of an edit in the title of a quick fix


class _StoppableMeter(Meter):
    """A meter that stops when ``stop`` is set."""

    __slots__ = ("stop",)

    stop: Event

    def charge(self, steps: int = 1) -> None:
        if self.stop.is_set():
            raise self._exceeded(self.steps, self.steps, self.setting)
        super().charge(steps)


class StoppableBudget(Budget):
    """A budget that is exceeded as soon as ``stop`` is set."""

    __slots__ = ("stop",)

    stop: Event

    def __init__(self, budget: Budget, stop: Event) -> None:
        super().__init__(budget.steps, budget.per_character, budget.memory, budget.seconds)
        object.__setattr__(self, "stop", stop)

    def meter(self, operation: str, size: int = 0, **options: Any) -> Meter:
        usual = super().meter(operation, size, **options)
        stoppable = _StoppableMeter(self, operation, usual.left, **options)
        stoppable.stop = self.stop
        return stoppable


class Document:
    """A document in the editor."""

    def __init__(self, uri: str, text: str) -> None:
        self.uri = uri
        self.path = _path(uri)
        self.source = Source(text, self.path)

    @property
    def rulelist(self) -> Rulelist:
        """The rules that can be parsed."""
        return read_partial(self.source, self.path)[0]

    def findings(self, budget: Budget = BUDGET) -> list[Finding]:
        if len(self.source.text) > MAX_CHARACTERS:
            return []
        try:
            return lint_text(self.source.text, self.path, Path(self.path).stem, None, budget=budget)
        except LimitExceeded:
            return []

    def position(self, offset: int) -> lsp.Position:
        line, column = self.source.position(offset)
        start = offset - column + 1
        return lsp.Position(line - 1, len(self.source.text[start:offset].encode("utf-16-le")) // 2)

    def offset(self, position: lsp.Position) -> int:
        """Return the offset of a position; the end of the line for a position after it."""
        lines = self.source.text.count("\n") + 1
        if position.line >= lines:
            return len(self.source.text)
        start = self.source.offset(position.line + 1, 1)
        line = self.source.text[start:].split("\n", 1)[0]
        units = line.encode("utf-16-le")[: 2 * position.character]
        return start + len(units.decode("utf-16-le", "ignore"))

    def range(self, span: Span) -> lsp.Range:
        return lsp.Range(self.position(span.start), self.position(span.end))

    def at(self, position: lsp.Position) -> Occurrence | None:
        """Return the name at a position, or directly before it."""
        return at(occurrences(self.rulelist), self.offset(position))

    def rule(self, name: str) -> Rule | None:
        """Return a rule by name, if the document is a valid grammar."""
        try:
            folder = Path(self.path).parent
            return loads(self.source.text, name=self.path, budget=BUDGET, cache=False, base_dir=folder)[name]
        except (GrammarError, UnknownNameError, OSError):
            return None


def diagnostic(document: Document, finding: Finding) -> lsp.Diagnostic:
    first = max(finding.line, 1)
    start = document.source.offset(first, max(finding.column, 1)) if finding.line else 0
    end = document.source.offset(finding.end_line, finding.end_column) if finding.end_line else start
    message = finding.message if finding.fix is None else f"{finding.message}\n{finding.fix}"
    return lsp.Diagnostic(
        range=document.range(Span(start, max(start, end))),
        message=message,
        severity=_SEVERITIES[finding.severity if finding.accepted is None else "info"],
        code=finding.code,
        source="abnforge",
    )


def describe(rule: Rule) -> Iterator[str]:
    """Describe a rule in Markdown: its definition, facts, matching strings and near misses."""
    yield f"```abnf\n{rule.definition.rstrip()}\n```"
    facts = [f"section {rule.section}"] if rule.section else []
    try:
        kind = f"regular, {rule.automaton.states} states" if rule.regular else "not known to be regular"
        facts.append(kind + (", recursive" if rule.recursive else ""))
        facts.append("matches the empty string" if rule.matches("") else "does not match the empty string")
        first = rule.grammar.facts.language_bounds[rule.key].first
        if first:
            facts.append(f"starts with `{first}`")
    except GrammarError:
        yield "; ".join(facts)
        return
    yield "; ".join(facts)
    try:
        derived = list(dict.fromkeys(each.text for each in islice(sentences(rule), 200)))
        shown = sorted(derived, key=lambda text: (len(text), text))[:_SHOWN]
        missed = [each.text for each in islice(near_misses(rule), _SHOWN)]
    except (GrammarError, ValueError):
        return
    yield "matches " + ", ".join(map(_code, shown))
    if missed:
        yield "does not match " + ", ".join(map(_code, missed))


def _code(text: str) -> str:
    shown = ascii(text)[1:-1]
    marks = "``" if "`" in shown else "`"
    return f"{marks}{shown}{marks}" if shown else '""'


class Linter:
    """Lints documents in threads: each after a pause in its changes, and each version once.

    A change stops linting of the previous version. ``publish`` receives a document and its findings.
    """

    def __init__(self, publish: Callable[[Document, list[Finding]], None], pause: float = PAUSE) -> None:
        self._publish = publish
        self._pause = pause
        self._tasks: dict[str, tuple[str, asyncio.Task[list[Finding]], Event]] = {}

    def start(self, document: Document, *, pause: bool) -> asyncio.Task[list[Finding]]:
        """Lint a document, and stop linting its previous version."""
        self.stop(document.uri)
        stop = Event()
        task = asyncio.ensure_future(self._lint(document, stop, self._pause if pause else 0))
        self._tasks[document.uri] = document.source.text, task, stop
        return task

    def stop(self, uri: str) -> None:
        """Stop linting a document."""
        if uri in self._tasks:
            _, task, stop = self._tasks.pop(uri)
            stop.set()
            task.cancel()

    async def findings(self, document: Document) -> list[Finding]:
        """Return the findings about a document. Lint it, unless that is done or in progress."""
        text, task, _ = self._tasks.get(document.uri, (None, None, None))
        if task is None or text != document.source.text:
            task = self.start(document, pause=False)
        await asyncio.wait([task])
        return [] if task.cancelled() else task.result()

    async def _lint(self, document: Document, stop: Event, pause: float) -> list[Finding]:
        await asyncio.sleep(pause)
        findings = await asyncio.to_thread(document.findings, StoppableBudget(BUDGET, stop))
        self._publish(document, findings)
        return findings


class AbnfServer(LanguageServer):
    """A server with an exit status: 1 if the client ends it without a shutdown (LSP 3.17, exit)."""

    is_shut_down = False
    exit_status = 0


def server() -> AbnfServer:
    """Return the server, which ``start_io`` and ``start_tcp`` run."""
    app = AbnfServer("abnforge", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)

    def document(uri: str) -> Document:
        return Document(uri, app.workspace.get_text_document(uri).source)

    def publish(doc: Document, findings: list[Finding]) -> None:
        shown = [diagnostic(doc, each) for each in findings]
        app.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(doc.uri, shown))

    linter = Linter(publish)

    @app.feature(lsp.SHUTDOWN)
    def shut_down(_: None) -> None:
        app.is_shut_down = True

    @app.feature(lsp.EXIT)
    def exited(_: None) -> None:
        app.exit_status = 0 if app.is_shut_down else 1

    @app.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        linter.start(document(params.text_document.uri), pause=False)

    @app.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        linter.start(document(params.text_document.uri), pause=True)

    @app.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        linter.stop(uri)
        app.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    @app.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])
    )
    async def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        edited = document(params.text_document.uri)
        return actions_within(edited, await linter.findings(edited), params.range)

    @app.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        edited = document(params.text_document.uri)
        occurrence = edited.at(params.position)
        rule = None if occurrence is None else edited.rule(occurrence.name)
        if occurrence is None or rule is None:
            return None
        content = lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n".join(describe(rule)))
        return lsp.Hover(content, edited.range(occurrence.span))

    @app.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> list[lsp.Location]:
        edited = document(params.text_document.uri)
        return _locations(edited, edited.at(params.position), definitions=True)

    @app.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        edited = document(params.text_document.uri)
        locations = _locations(edited, edited.at(params.position), definitions=False)
        if params.context.include_declaration:
            locations += _locations(edited, edited.at(params.position), definitions=True)
        return locations

    @app.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(params: lsp.PrepareRenameParams) -> lsp.Range | None:
        edited = document(params.text_document.uri)
        occurrence = edited.at(params.position)
        renamable = own(occurrences(edited.rulelist), occurrence)
        return edited.range(occurrence.span) if occurrence is not None and renamable else None

    @app.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit:
        edited = document(params.text_document.uri)
        return renamed(edited, params.position, params.new_name)

    @app.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        edited = document(params.text_document.uri)
        try:
            text = formatted(edited.source.text, edited.path)
        except GrammarError:
            return []  # diagnostics show the reason
        if text == edited.source.text:
            return []
        return [lsp.TextEdit(edited.range(Span(0, len(edited.source.text))), text)]

    @app.feature(lsp.TEXT_DOCUMENT_COMPLETION)
    def completion(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        return list(_completions(document(params.text_document.uri), params.position))

    @app.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        edited = document(params.text_document.uri)
        return [
            lsp.DocumentSymbol(
                rule.name,
                lsp.SymbolKind.Function,
                edited.range(rule.span),
                edited.range(rule.name_span),
                detail=rule.section,
            )
            for rule in edited.rulelist.rules
        ]

    return app


def actions_within(document: Document, findings: list[Finding], within: lsp.Range) -> list[lsp.CodeAction]:
    """Return the quick fixes for findings in a range; add the line number to equal titles."""
    start, end = document.offset(within.start), document.offset(within.end)
    actions = []
    for finding in findings:
        shown = diagnostic(document, finding)
        first, last = document.offset(shown.range.start), document.offset(shown.range.end)
        if not finding.edits or last < start or first > end:
            continue
        edits: list[Any] = [
            lsp.TextEdit(document.range(Span(each.start, each.end)), each.text) for each in finding.edits
        ]
        actions.append(
            lsp.CodeAction(
                title=title(document.source.text, finding),
                kind=lsp.CodeActionKind.QuickFix,
                diagnostics=[shown],
                edit=lsp.WorkspaceEdit(changes={document.uri: edits}),
            )
        )
    titles = Counter(each.title for each in actions)
    for each in actions:
        if titles[each.title] > 1 and each.diagnostics:
            each.title += f" (line {each.diagnostics[0].range.start.line + 1})"
    return actions


def title(text: str, finding: Finding) -> str:
    """Describe the edits of a finding in a line: ``Replace "::=" with "="``."""
    edits = sorted(finding.edits, key=lambda each: each.start)
    first, more = edits[0], ""
    start, end, new = first.start, first.end, first.text
    whole = text[start : edits[-1].end]
    if len(whole) <= _MOST_QUOTED and "\n" not in whole:
        for before, each in pairwise(edits):
            new += text[before.end : each.start] + each.text
        end = edits[-1].end
    elif len(edits) > 1:
        more = f", and {len(edits) - 1} more"
    if start == end:
        return f"Insert {_quoted(new)}{more}"
    old = _quoted(text[start:end])
    return (f"Replace {old} with {_quoted(new)}" if new else f"Remove {old}") + more


def _quoted(text: str) -> str:
    shown = text if len(text) <= _MOST_QUOTED else text[: _MOST_QUOTED - 3] + "..."
    return f'"{escape(shown)}"'


def _defined(document: Document) -> list[Occurrence]:
    return [each for each in occurrences(document.rulelist) if each.defines]


def _locations(document: Document, occurrence: Occurrence | None, *, definitions: bool) -> list[lsp.Location]:
    if occurrence is None:
        return []
    here = [each for each in occurrences(document.rulelist) if each.key == occurrence.key]
    places = [lsp.Location(document.uri, document.range(e.span)) for e in here if e.defines is definitions]
    return places or (_elsewhere(document, occurrence) if definitions else [])


def _elsewhere(document: Document, occurrence: Occurrence) -> list[lsp.Location]:
    """Return the definition in a file that the grammar imports from."""
    for match in re.finditer(r"^;@[ \t]*import[ \t]+([^:;\s]+)", document.source.text, re.MULTILINE):
        path = Path(document.path).parent / match[1]
        if match[1] in bundled_names() or not path.is_file():
            continue
        try:
            other = Document(path.resolve().as_uri(), path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if places := [each for each in _defined(other) if each.key == occurrence.key]:
            return [lsp.Location(other.uri, other.range(each.span)) for each in places]
    return []


def renamed(document: Document, position: lsp.Position, name: str) -> lsp.WorkspaceEdit:
    """Return the edits that rename a rule. Raises JsonRpcInvalidParams, whose message editors show."""
    try:
        replacements = renaming(occurrences(document.rulelist), document.offset(position), name)
    except ValueError as error:
        raise JsonRpcInvalidParams(str(error)) from error
    edits: list[Any] = [lsp.TextEdit(document.range(Span(e.start, e.end)), e.text) for e in replacements]
    return lsp.WorkspaceEdit(changes={document.uri: edits})


def _completions(document: Document, position: lsp.Position) -> Iterator[lsp.CompletionItem]:
    names = occurrences(document.rulelist)
    for each in proposals(document.source.text, names, document.offset(position)):
        detail = "core rule, RFC 5234" if each.kind == CORE else None
        yield lsp.CompletionItem(each.name, kind=_KINDS[each.kind], detail=detail)


def _path(uri: str) -> str:
    parts = urlsplit(uri)
    return url2pathname(parts.path) if parts.scheme == "file" else unquote(uri)
