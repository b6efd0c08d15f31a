"""A page for each grammar that ships: its rules as railroad diagrams and as ABNF, with links between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import abnforge
from abnforge import Grammar, Rule
from abnforge.teaching.pictures.drawing import COLOURS, DARK, palette
from abnforge.teaching.pictures.railroad import rails_style, rule_element

CORE = "rfc5234"  # whose page has the core rules

_IMPORT = re.compile(r"^;@ import ([\w.-]+)", re.MULTILINE)
_OWN_REMARK = re.compile(r"^Comments that begin with .abnforge:.*?\n(?=[A-Z]|\Z)", re.MULTILINE | re.DOTALL)

_INDEX = """\
# Grammars as diagrams

Each page has the rules of a grammar that ships, in its order: a railroad diagram of each, its ABNF, and the
rules that use it. Whoever follows the rails from the left to the right reads a string of the rule. Boxes with
corners are rules, and lead to their own diagrams.
[The grammars that ship](/docs/shipped-grammars.md) says more of them, [pictures](/docs/pictures.md) how to
draw a grammar of your own.

"""

_LEGEND = """\
```{raw} html
<ul class="rails-legend" aria-label="Legend"><li><span class="rule">rule</span></li>
<li><span class="any-case">"text" in any case</span></li>
<li><span>%s"Text" in this case</span></li><li><span class="range">0-9 a range</span></li>
<li><span class="value">%x0D by number</span></li><li><span class="prose">&lt;prose&gt;</span></li></ul>
```
"""


def label(grammar: str, key: str) -> str:
    """The place of a rule in the site; it is told to Sphinx, so it has to be the only one of its name."""
    return re.sub("[^a-z0-9]+", "-", f"{grammar}-rule-{key}")


def own(grammar: Grammar) -> dict[str, Rule]:
    """The rules of a grammar's own text by lower-case name."""
    return {rule.name.lower(): rule for rule in grammar.own_rules}


def links(grammar: Grammar) -> Callable[[str], str | None]:
    """Where each rule that a diagram names has its own; None of one that has no diagram."""
    mine = own(grammar)
    others = [*_IMPORT.findall(grammar.source.text), CORE]
    elsewhere = {name: own(abnforge.load(name)) for name in others}

    def place(key: str) -> str | None:
        if key in mine:
            return f"#{label(grammar.name, key)}"
        named = next((name for name in others if key in elsewhere[name]), None)
        return f"{named}.html#{label(named, key)}" if named else None

    return place


def title(text: str) -> tuple[str, str]:
    """What a grammar says of itself: the first line of its first comment, and the rest of that."""
    lines = []
    for line in text.splitlines():
        if not line.startswith(";") or line.startswith(";@"):
            break
        lines.append(line.removeprefix(";").strip())
    said = _OWN_REMARK.sub("", "\n".join(lines[1:]).strip() + "\n")
    return lines[0], said.strip()


def plain(text: str) -> str:
    """A text in which no character is Markdown's. Line ends stay."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|$~%-])", r"\\\1", text)


def page(grammar: Grammar, text: str) -> Iterator[str]:
    """Pieces of a page; the text is that of the grammar's file. Needs railroad-diagrams."""
    name, rules = grammar.name, own(grammar)
    head, more = title(text)
    places = links(grammar)
    yield f"# {name}\n\n{plain(head)}\n\n"
    if more:
        yield plain(more).replace("SOURCES.md", "[SOURCES](SOURCES.md)") + "\n\n"
    yield (
        f'`abnforge.load("{name}")` loads it, and starts at [{plain(grammar.start.name)}]'
        f"(#{label(name, grammar.start.name.lower())}); {len(rules):,} rules. "
        f"[{name}.abnf](/grammars/{name}.abnf) has examples beside them.\n\n{_LEGEND}\n"
    )
    for key, rule in rules.items():
        drawn = f"<div class=rails-box>{rule_element(rule, places)}</div>"
        users = [user for user in rule.used_by if user.lower() in rules]
        used = ", ".join(f"[{plain(user)}](#{label(name, user.lower())})" for user in users)
        said = [f"Section {plain(rule.section)}"] if rule.section else []
        yield f"({label(name, key)})=\n\n## {plain(rule.name)}\n\n"
        yield f"```{{raw}} html\n{drawn}\n```\n\n```abnf\n{rule.definition}\n```\n\n"
        if said := [*said, *([f"used by {used}"] if used else [])]:
            yield "; ".join(said) + "\n\n"


def style() -> str:
    """Colours of diagrams: as the reader has chosen, or the system where the reader has not."""
    diagrams = rails_style("body").removeprefix(palette("body"))
    return (
        f"body {{ {COLOURS} }}\nbody[data-theme=dark] {{ {DARK} }}\n"
        f"@media (prefers-color-scheme: dark) {{ body:not([data-theme=light]) {{ {DARK} }} }}\n{diagrams}"
    )


def write(root: Path, folder: Path) -> None:
    """Write the pages, their list, and their style. Cost: linear in the grammars."""
    target = folder / "grammars"
    target.mkdir(parents=True, exist_ok=True)
    names = abnforge.grammar_names()
    listed = []
    for name in names:
        grammar = abnforge.load(name)
        text = (root / "grammars" / f"{name}.abnf").read_text("utf-8")
        (target / f"{name}.abnf").write_text(text, "utf-8")
        (target / f"{name}.md").write_text("".join(page(grammar, text)), "utf-8")
        listed.append(f"- [{name}]({name}.md): {plain(title(text)[0])}\n")
    table = "\n```{toctree}\n:hidden:\n\n" + "".join(f"{name}\n" for name in names) + "SOURCES\n```\n"
    (target / "index.md").write_text(_INDEX + "".join(listed) + table, "utf-8")
    (folder / "_static").mkdir(exist_ok=True)
    (folder / "_static" / "rails.css").write_text(style(), "utf-8")
