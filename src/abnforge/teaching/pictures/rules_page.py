"""The rules of a grammar as one page of HTML: an index, and of each rule diagram, ABNF and who uses it.

No script, nothing from elsewhere, light and dark. Rules in diagrams are links, which a keyboard reaches; what
a diagram shows stands below it as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from abnforge.engine.rule import Rule
from abnforge.teaching.pictures.drawing import FONT, safe
from abnforge.teaching.pictures.railroad import Path, rails_style, rule_element

_STYLE = f"""
:root {{ color-scheme: light dark; }}
* {{ box-sizing: border-box; }}
body {{ margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 74rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, sans-serif; }}
h1 {{ font-size: 1.5rem; margin: 0 0 .5rem; }} h2 {{ font-size: 1.15rem; margin: 0 0 .25rem; }}
a {{ color: var(--l0); }} .soft {{ color: var(--soft); font-weight: 400; font-size: .875rem; }}
nav ul, .legend {{ display: flex; flex-wrap: wrap; gap: .2rem 1rem; padding: 0; margin: .5rem 0 1rem;
  list-style: none; font-family: {FONT}; font-size: 14px; }}
section {{ content-visibility: auto; contain-intrinsic-size: auto 14rem; border-top: 1px solid var(--line);
  padding: 1.25rem 0; }}
section:target h2 {{ text-decoration: underline 2px; }}
.drawing {{ overflow-x: auto; }}
pre {{ margin: .25rem 0; font: 14px/1.5 {FONT}; white-space: pre-wrap; overflow-wrap: anywhere; }}
p {{ margin: .25rem 0; }}
.legend span {{ padding: 0 .5rem; border: 1.5px solid var(--l2); border-radius: 8px; }}
.legend .any-case {{ border-style: dashed; }} .legend .rule {{ border-color: var(--l0); border-radius: 0; }}
.legend .range {{ border-color: var(--l3); }} .legend .value {{ border: 1.5px dotted var(--l3); }}
.legend .prose {{ border: 1.5px dashed var(--mark); border-radius: 0; font-style: italic; }}
"""

_LEGEND = (
    ("rule", "rule"),
    ("any-case", '"text" any case'),
    ("one-case", '%s"Text" case-sensitive'),
    ("range", "0-9 range"),
    ("value", "%x0D by number"),
    ("prose", "&lt;prose&gt;"),
)


def rules_page(
    title: str, rules: Sequence[Rule], *, text: str | None = None, path: Path | None = None
) -> Iterator[str]:
    """Pieces of a page about rules of one grammar. With a ``path``, that of the ``text``, what it uses stands
    out. Raises as ``rule_svg`` does. Cost: linear in the rules.
    """
    places = {rule.key: f"#rule-{quote(rule.key)}" for rule in rules}
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{safe(title)}</title>\n<style>\n{rails_style(':root')}{_STYLE}</style>\n</head>\n<body>\n"
        f"<main>\n<h1>{safe(title)}</h1>\n"
    )
    if text is not None:
        yield f"<p>The parts that this string uses are highlighted:</p>\n<pre>{safe(text)}</pre>\n"
    yield '<nav aria-label="Rules">\n<ul>\n'
    for rule in rules:
        yield f'<li><a href="{places[rule.key]}">{safe(rule.name)}</a></li>\n'
    yield '</ul>\n</nav>\n<ul class="legend" aria-label="Legend">'
    yield "".join(f'<li><span class="{kind}">{said}</span></li>' for kind, said in _LEGEND)
    yield "</ul>\n"
    for rule in rules:
        yield from _section(rule, places, path)
    yield "</main>\n</body>\n</html>\n"


def _section(rule: Rule, places: dict[str, str], path: Path | None) -> Iterator[str]:
    name = quote(rule.key)
    where = f' <span class="soft">section {safe(rule.section)}</span>' if rule.section else ""
    yield f'<section id="rule-{name}">\n<h2>{safe(rule.name)}{where}</h2>\n<div class="drawing">\n'
    yield rule_element(rule, places.get, path=path)
    yield "</div>\n<pre>" + "\n".join(map(safe, rule.definition.split("\n"))) + "</pre>\n"
    users = [user for user in rule.used_by if user.lower() in places]
    if users:
        links = ", ".join(f'<a href="{places[user.lower()]}">{safe(user)}</a>' for user in users)
        yield f'<p class="soft">used by {links}</p>\n'
    yield "</section>\n"
