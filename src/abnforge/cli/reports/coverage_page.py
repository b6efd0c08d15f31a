"""What texts use of a grammar as one page of HTML: no script, nothing from elsewhere, light and dark.

The grammar's text is there as it is written, coloured by how often it was used. Each part is a link to its
row, with count and example: so all of it can be had by keyboard, too, and nothing is told by colour alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from abnforge.cli.reports.base import Report
from abnforge.cli.reports.coverage import TIMES, Piece, called, pieces
from abnforge.text import escape as visible

if TYPE_CHECKING:
    from abnforge.conformance.coverage import Coverage, PartUse
    from abnforge.conformance.usage import Example

TRANSITIONS = 200  # that were never taken, on a page
BEFORE, AFTER = 60, 30  # characters of an example around what was used

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b6470; --line: #d8dde3; --paper: #fff;
  --shade: #f4f6f8; --bad: #b3261e; --good: #1b7f4b; --never: #fbdcd8; --partly: #fdf0c4;
  --u1: #e3f3e8; --u2: #cdebd7; --u3: #b3e0c2; --u4: #96d3ab; --u5: #78c594; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #9aa4b0; --line: #353c45;
  --paper: #15181c; --shade: #1e2329; --bad: #ef7d74; --good: #59c18c; --never: #5a2420; --partly: #4d421a;
  --u1: #1a2f23; --u2: #1d3d2b; --u3: #204c34; --u4: #245c3d; --u5: #286c47; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 70rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; } p, dl { margin: .25rem 0; } .soft { color: var(--soft); }
dl.numbers { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin: 1.25rem 0; }
dt { color: var(--soft); font-size: .875rem; } dd { margin: 0; }
.numbers dd { font-size: 1.5rem; font-variant-numeric: tabular-nums; }
.share { display: flex; height: .8rem; border-radius: 3px; overflow: hidden; background: var(--never); }
.share span { background: var(--good); }
table { border-collapse: collapse; width: 100%; } th { text-align: left; font-weight: 600; }
th, td { padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code, pre { font-family: ui-monospace, monospace; } code { font-size: .875em; overflow-wrap: anywhere; }
pre { margin: .5rem 0; padding: .8rem; overflow-x: auto; background: var(--shade); border-radius: 4px;
  font-size: 14px; line-height: 1.6; color: var(--soft); }
pre a, pre span { color: var(--ink); text-decoration: none; border-radius: 2px; }
pre a:hover, pre a:focus-visible { outline: 2px solid currentColor; }
.never { background: var(--never); text-decoration: underline wavy var(--bad) 1px !important;
  text-underline-offset: 3px !important; }
.partly { background: var(--partly); text-decoration: underline dotted var(--soft) 1px !important;
  text-underline-offset: 3px !important; }
.u1 { background: var(--u1); } .u2 { background: var(--u2); } .u3 { background: var(--u3); }
.u4 { background: var(--u4); } .u5 { background: var(--u5); }
.legend { display: flex; flex-wrap: wrap; gap: .4rem .8rem; font-size: .875rem; padding: 0; margin: .5rem 0;
  list-style: none; } .legend span { padding: 0 .4rem; border-radius: 2px; }
tr:target { background: var(--shade); outline: 2px solid var(--soft); } mark { background: none;
  color: inherit; font-weight: 700; text-decoration: underline 2px; text-underline-offset: 2px; }
.bad { color: var(--bad); } summary { cursor: pointer; } a { color: inherit; }
table.parts td:first-child { width: 45%; } table.parts td:nth-child(2) { width: 8rem; }
table.parts td.number { padding-right: 1.2rem; }
@media (max-width: 40rem) { body { padding: 1rem .75rem 3rem; } pre { font-size: 12px; }
  table.parts, .parts tbody, .parts tr, .parts td { display: block; width: auto !important; }
  .parts thead { display: none; } .parts td { border: 0; padding: .1rem 0; }
  .parts td.number { text-align: left; } .parts td.number::before { content: "uses: "; }
  .parts tr { border-bottom: 1px solid var(--line); padding: .4rem 0; } }
"""


class CoveragePage(Report["Coverage"]):
    """The page."""

    is_file = True

    def add(self, found: Coverage) -> None:
        for text in _Page(found).page():
            self.write(text)


class _Page:
    def __init__(self, found: Coverage) -> None:
        self._found = found
        self._numbers = {id(use): number for number, use in enumerate(found.parts)}

    def page(self) -> Iterator[str]:
        """The page, piece by piece."""
        found = self._found
        title = f"Coverage of {found.rule.grammar.name}: {found.rule.name}"
        yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        yield f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        yield f"<h1>{_text(title)}</h1>\n"
        yield from self._head()
        yield from self._grammar()
        yield from self._never()
        yield from self._rules()
        yield from self._never_taken()
        yield "</main>\n</body>\n</html>\n"

    def _head(self) -> Iterator[str]:
        found = self._found
        used = len(found.parts) - len(found.never)
        yield f'<p class="soft">{used:,} of {len(found.parts):,} parts used</p>\n'
        yield f'<div class="share" role="img" aria-label="{found.percent:.1f} % used">'
        yield f'<span style="width:{found.percent:.2f}%"></span></div>\n<dl class="numbers">\n'
        numbers = {
            "used": f"{found.percent:.1f} %",
            "texts": f"{found.texts:,}",
            "valid": f"{found.accepted:,}",
            "rejected": f"{found.rejected:,}",
        }
        if found.undecided:
            numbers["not decided"] = f"{found.undecided:,}"
        if found.transitions is not None:
            taken = len(found.transitions) - len(found.never_taken)
            numbers["transitions taken"] = f"{taken:,} of {len(found.transitions):,}"
        for name, value in numbers.items():
            yield f"<div><dt>{name}</dt><dd>{value}</dd></div>\n"
        yield "</dl>\n"

    def _grammar(self) -> Iterator[str]:
        text = pieces(self._found)
        if not text:
            return
        yield '<section>\n<h2>The grammar</h2>\n<ul class="legend">\n'
        most = max((use.count for use in self._found.parts), default=0)
        legend = [("never", "unused"), ("partly", "partly used")]
        bounds = {f"u{digits}": 10 ** (digits - 1) for digits in range(1, 6) if 10 ** (digits - 1) <= most}
        legend += [(name, f"{bound:,} or more") for name, bound in bounds.items()]
        legend.append(("", "not counted"))
        for name, what in legend:
            yield f'<li><span class="{name}">{what}</span></li>\n'
        yield "</ul>\n<pre>"
        linked: set[int] = set()
        for piece in text:
            yield self._piece(piece, linked)
        yield "</pre>\n</section>\n"

    def _piece(self, piece: Piece, linked: set[int]) -> str:
        """A piece of the grammar's text; the first of each part is a link to its row."""
        shown = escape("".join(char if char == "\n" else visible(char) for char in piece.text))
        if not piece.uses:
            return shown
        title = escape("\n".join(_said(use) for use in piece.uses))
        first = self._numbers[id(piece.uses[0])]
        if first in linked:
            return f'<span class="{_class(piece.uses)}" title="{title}">{shown}</span>'
        linked.add(first)
        return f'<a class="{_class(piece.uses)}" href="#p{first}" title="{title}">{shown}</a>'

    def _never(self) -> Iterator[str]:
        yield "<section>\n<h2>Never used</h2>\n"
        if not self._found.never:
            yield "<p>None: every part is used.</p>\n</section>\n"
            return
        yield '<p class="soft">with a string that would use it</p>\n'
        yield '<table class="parts">\n<thead><tr>'
        yield '<th scope="col">part</th><th scope="col">rule</th><th scope="col">string</th></tr></thead>\n'
        yield "<tbody>\n"
        for use in self._found.never:
            yield f'<tr><td><a href="#p{self._numbers[id(use)]}"><code>{_text(called(use))}</code></a></td>'
            yield f"<td>{_text(use.part.rule)}</td><td>{_sentence(use.sample)}</td></tr>\n"
        yield "</tbody>\n</table>\n</section>\n"

    def _rules(self) -> Iterator[str]:
        yield "<section>\n<h2>Rules</h2>\n"
        for name, uses in groupby(self._found.parts, key=lambda use: use.part.rule):
            yield f'<h3>{_text(name)}</h3>\n<table class="parts">\n<thead><tr><th scope="col">part</th>'
            yield '<th scope="col" class="number">uses</th><th scope="col">shortest example</th></tr>'
            yield "</thead>\n<tbody>\n"
            for use in uses:
                number = self._numbers[id(use)]
                shown = "the rule" if use.part.kind == "rule" else f"<code>{_text(use.part.source)}</code>"
                shown += f", {TIMES[use.part.kind]}" if use.part.kind in TIMES else ""
                bad = "" if use.count else " bad"
                yield f'<tr id="p{number}"><td>{shown}</td><td class="number{bad}">{use.count:,}</td>'
                example = use.example and _example(use.example)
                example = example or _sentence(use.sample, "never; for example ")
                yield f"<td>{example}</td></tr>\n"
            yield "</tbody>\n</table>\n"
        yield "</section>\n"

    def _never_taken(self) -> Iterator[str]:
        never = self._found.never_taken
        if not never:
            return
        yield "<section>\n<h2>Unused transitions</h2>\n<details>\n"
        yield f"<summary>{len(never):,} of the minimal automaton, with a shortest string that uses each"
        yield "</summary>\n<table>\n<thead><tr>"
        for name in ("from", "by", "to", "string"):
            yield f'<th scope="col">{name}</th>'
        yield "</tr></thead>\n<tbody>\n"
        for move in never[:TRANSITIONS]:
            yield f"<tr><td>{move.source}</td><td><code>{_text(move.chars.min())}</code></td>"
            yield f"<td>{move.target}</td><td>{_sentence(move.sample)}</td></tr>\n"
        yield "</tbody>\n</table>\n"
        if len(never) > TRANSITIONS:
            yield f'<p class="soft">and {len(never) - TRANSITIONS:,} more</p>\n'
        yield "</details>\n</section>\n"


def _class(uses: Sequence[PartUse]) -> str:
    """How a piece is coloured: by the number of digits of its most frequent use; of a repetition, of
    those that read something.
    """
    if not any(use.count for use in uses):
        return "never"
    if not all(use.count for use in uses):
        return "partly"
    return f"u{min(5, len(str(max(use.count for use in uses if use.part.kind != 'zero'))))}"


def _said(use: PartUse) -> str:
    example = "" if use.example is None else f", for example {visible(use.example.text[: BEFORE + AFTER])}"
    return f"{visible(called(use))}: {use.count:,}{example}"


def _example(example: Example) -> str:
    """A text with what was used marked, shortened around it."""
    text, start, end = example.text, example.start, example.end
    first = max(0, start - BEFORE)
    last = max(end, min(len(text), end + AFTER))
    inside = visible(text[start:end])
    if end - start > BEFORE + AFTER:
        inside = f"{visible(text[start : start + BEFORE])}…{visible(text[end - AFTER : end])}"
    before = ("…" if first else "") + visible(text[first:start])
    behind = visible(text[end:last]) + ("…" if last < len(text) else "")
    marked = f"<mark>{escape(inside)}</mark>" if inside else ""
    return f"<code>{escape(before)}{marked}{escape(behind)}</code>" if text else "<em>the empty string</em>"


def _sentence(text: str | None, before: str = "") -> str:
    if text is None:
        return '<span class="soft">no example found</span>'
    shown = f"<code>{_text(text)}</code>" if text else "<em>the empty string</em>"
    return f"{before and f'<span class=soft>{before}</span>'}{shown}"


def _text(text: str) -> str:
    return escape(visible(text))
