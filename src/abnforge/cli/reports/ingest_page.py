"""What a job did, as one page of HTML for people: no script, nothing from elsewhere, light and dark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any
from urllib.parse import quote

from abnforge.text import escape as visible

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b6470; --line: #d8dde3; --paper: #fff;
  --bar: #b3261e; --good: #1b7f4b; --shade: #f4f6f8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #9aa4b0; --line: #353c45;
  --paper: #15181c; --bar: #ef7d74; --good: #59c18c; --shade: #1e2329; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 62rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; }
p, dl { margin: .25rem 0; } .soft { color: var(--soft); }
dl.numbers { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin: 1.25rem 0; }
dl.numbers div { min-width: 6rem; } dt { color: var(--soft); font-size: .875rem; }
dd { margin: 0; } .numbers dd { font-size: 1.5rem; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; font-weight: 600; }
th, td { padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.bar { width: 45%; padding-top: .65rem; }
.bar span { display: block; height: .7rem; min-width: 2px; background: var(--bar); border-radius: 2px; }
.share { display: flex; height: .8rem; border-radius: 3px; overflow: hidden; background: var(--good); }
.share span { background: var(--bar); margin-left: auto; }
pre { margin: .4rem 0; padding: .6rem .8rem; overflow-x: auto; background: var(--shade);
  border-radius: 4px; font: 14px/1.45 ui-monospace, monospace; }
pre b { color: var(--bar); } code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
.example { margin: 0 0 1.25rem; } h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
a { color: inherit; }
"""


def page(told: Mapping[str, Any], notes: Mapping[str, str] | None = None) -> str:
    """Return the page for a summary; ``notes`` has a sentence on the rule of a column, by its name."""
    return "".join(_page(told, notes or {}))


def _page(told: Mapping[str, Any], notes: Mapping[str, str]) -> Iterator[str]:
    rows, rejected = told["rows"], told["rejected"]
    what = {
        "finished": "",
        "stopped": " (stopped)",
        "too-many-rejects": " (too many; no output was written)",
        "failed": " (the job failed; no output was written)",
    }
    title = f"{rejected:,} of {rows:,} rows rejected" + what[told["status"]]
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
    yield f"<h1>{_text(title)}</h1>\n"
    yield f'<p class="soft">{_text(told["job"])}, {_text(told["ended"])}</p>\n'
    if told["reason"] is not None:
        yield f"<p>{_text(told['reason'])}</p>\n"
    share = rejected / rows if rows else 0
    yield f'<div class="share" role="img" aria-label="{share:.2%} rejected">'
    yield f'<span style="width:{share:.4%}"></span></div>\n<dl class="numbers">\n'
    for name, value in (
        ("rows", f"{rows:,}"),
        ("valid", f"{told['valid']:,}"),
        ("rejected", f"{rejected:,}"),
        ("reject rate", f"{share:.2%}"),
        ("seconds", f"{told['seconds']:,.1f}"),
    ):
        yield f"<div><dt>{name}</dt><dd>{value}</dd></div>\n"
    yield "</dl>\n"
    for each in told["columns"]:
        rule = f"{each['grammar']}:{each['rule']}"
        note = f"; {notes[each['column']]}" if each["column"] in notes else ""
        yield from _codes(f"Column {each['column']}", f"validated by {rule}{note}", each)
    if told["whole_rows"]["codes"]:
        yield from _codes("Rows", "not valid in their format", told["whole_rows"])
    yield from _sources(told)
    yield from _options(told)
    yield "</main>\n</body>\n</html>\n"


def _codes(title: str, what: str, told: Mapping[str, Any]) -> Iterator[str]:
    """Counts by code as bars, then an example of each."""
    yield f'<section>\n<h2>{_text(title)}</h2>\n<p class="soft">{_text(what)}</p>\n'
    codes = told["codes"]
    if not codes:
        yield "<p>Nothing was rejected.</p>\n</section>\n"
        return
    most = max(each["count"] for each in codes.values())
    yield '<table>\n<thead><tr><th scope="col">code</th><th scope="col" class="number">rejections</th>'
    yield '<th scope="col"><span class="soft">of the most frequent</span></th></tr></thead>\n<tbody>\n'
    for code, each in codes.items():
        width = 100 * each["count"] / most
        name = f"<code>{_text(code)}</code>"
        if each["samples"]:
            name = f'<a href="#{_anchor(title, code)}">{name}</a>'
        yield f'<tr><td>{name}</td><td class="number">{each["count"]:,}</td>'
        yield f'<td class="bar"><span style="width:{width:.1f}%"></span></td></tr>\n'
    yield "</tbody>\n</table>\n"
    for code, each in codes.items():
        if each["samples"]:
            yield f'<h3 id="{_anchor(title, code)}"><code>{_text(code)}</code></h3>\n'
            for sample in each["samples"]:
                yield from _sample(sample)
    yield "</section>\n"


def _anchor(title: str, code: str) -> str:
    """The id of the examples of a code: without spaces and quotes, whatever a column is called."""
    return quote(f"{title}-{code}", safe="", errors="surrogatepass")


def _sample(told: Mapping[str, Any]) -> Iterator[str]:
    """A reject: what was judged, with a caret below what is blamed, and why."""
    place = f"line {told['line']:,}" if told["line"] else f"row {told['row']:,}"
    yield f'<div class="example">\n<p>{_text(told["message"])} '
    section = told["section"] or ""
    section = f", {'section ' if section[0].isdigit() else ''}{section}" if section else ""  # or an appendix
    yield f'<span class="soft">({_text(told["source"])}, {place}{_text(section)})</span></p>\n'
    if told["text"] is not None:
        text, start, end = told["text"], told["start"] or 0, max(told["end"] or 0, (told["start"] or 0) + 1)
        before, blamed, after = visible(text[:start]), visible(text[start:end]), visible(text[end:])
        caret = " " * len(before) + "^" * max(1, len(blamed))
        yield f"<pre>{escape(before)}<b>{escape(blamed)}</b>{escape(after)}\n<b>{caret}</b></pre>\n"
    if told["suggestion"] is not None:
        yield f"<p>Perhaps meant: <code>{_text(told['suggestion'])}</code></p>\n"
    yield "</div>\n"


def _sources(told: Mapping[str, Any]) -> Iterator[str]:
    yield '<section>\n<h2>Sources</h2>\n<table>\n<thead><tr><th scope="col">source</th>'
    yield '<th scope="col" class="number">rows</th><th scope="col" class="number">rejected</th></tr>'
    yield "</thead>\n<tbody>\n"
    for each in told["sources"]:
        numbers = ("" if each[name] is None else f"{each[name]:,}" for name in ("rows", "rejected"))
        cells = "".join(f'<td class="number">{number}</td>' for number in numbers)
        yield f"<tr><td><code>{_text(each['source'])}</code></td>{cells}</tr>\n"
    yield "</tbody>\n</table>\n</section>\n"


def _options(told: Mapping[str, Any]) -> Iterator[str]:
    yield "<section>\n<h2>The job</h2>\n<table>\n<tbody>\n"
    rows = {f"{each['grammar']} (sha256)": each["sha256"] for each in told["columns"]}
    rows |= {name: value for name, value in told["options"].items() if value not in (None, False, [])}
    rows |= told["versions"]
    for name, value in rows.items():
        yield f'<tr><th scope="row">{_text(name)}</th><td><code>{_text(str(value))}</code></td></tr>\n'
    yield "</tbody>\n</table>\n</section>\n"


def _text(text: str) -> str:
    return escape(visible(text))
