"""Build the website: pages, Python API, codes, grammars as diagrams, search.

Sphinx resolves all names (``-W -n``) and checks all links. No page fetches anything from another host.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from tempfile import TemporaryDirectory

from reference.api import api_pages
from reference.commands import command_pages, link_commands
from reference.navigation import INDEX, LINK, README, contents, landing, links, lost, overview, table
from reference.schemas import json_pages

import abnforge
from abnforge import Grammar, Rule
from abnforge.cli.common.codes import known_codes, message_codes
from abnforge.cli.output.codes import CodePage, code, plain
from abnforge.explain.mistakes_file import read_mistakes
from abnforge.linting.finding import KINDS

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "docs" / "site"

# Pages of the repository.


def place(name: str) -> str:
    """Return the path of a file on the website. The README is part of the landing page."""
    return "index.md" if name in {README, INDEX} else name


def source(page: str, text: str) -> str:
    """Return a page for Sphinx: its links fit its new path, and file names become captions of code blocks."""
    here, there = PurePosixPath(page).parent, PurePosixPath(place(page)).parent

    def link(match: re.Match[str]) -> str:
        name = normpath(str(here / match[1]))
        if "://" in match[1] or (place(name) == name and here == there):
            return match[0]
        return match[0].replace(match[1], relpath(place(name), there), 1)

    text = LINK.sub(link, text)
    text = re.sub(r"(?<=\n)\n(?=```$)", "", text, flags=re.MULTILINE)  # ends a doctest's output
    return re.sub(r"^```(\w+) file=(\S+)$", r"```{code-block} \1\n:caption: \2\n", text, flags=re.MULTILINE)


def write_pages(folder: Path) -> None:
    """Write all pages of the repository, the pages about codes, and the files that the pages link to."""
    paths = ["CHANGELOG.md", "CONTRIBUTING.md", "grammars/SOURCES.md"]
    paths += [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md"))]
    texts = {path: (ROOT / path).read_text("utf-8") for path in paths}
    generated = command_pages(texts) | json_pages(ROOT) | code_pages()
    texts |= generated
    tables = contents(texts, generated)
    (folder / "llms.txt").write_text(overview(texts, generated), "utf-8")
    texts[INDEX] = landing(texts, generated)
    for page, text in texts.items():
        target = folder / place(page)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(link_commands(place(page), source(page, text)) + tables.get(page, ""), "utf-8")
        for name in links(page, text):
            if name not in texts and name != README and (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, folder / name)


# Pages about codes exist only on the website.

_LINT_RULES = """\
# Lint rules

`abnforge lint` reports these findings; [lint](lint.md) explains how to run and suppress them.
`abnforge code` prints the same in a terminal. Errors and warnings fail a run, info does not.

| Code | Name | Severity | Finding |
| --- | --- | --- | --- |
"""
_MESSAGES = """\
# Error codes and messages

Every error of abnforge has a stable `code`, and the values of its message as attributes. A syntax error has
the code of its [lint rule](lint-rules.md); `error.message.code` is the code of its message.
`abnforge code CODE` prints the same in a terminal.
"""
_CODES = """\
# Codes of {name}

{title}.

Each code names a mistake, in the order in which abnforge prefers them. `abnforge code CODE` prints the same,
and the ABNF of the mistake; [mistakes](mistakes.md) explains how mistakes are written and found. A rejection
without a known mistake has the code `unreadable-RULE`; bytes that are not UTF-8 have the code `not-utf-8`.
"""


def code_grammars() -> list[str]:
    """Return the bundled grammars that define mistakes."""
    paths = sorted((ROOT / "grammars").glob("*.mistakes.abnf"))
    own = [path for path in paths if not read_mistakes(path.read_text("utf-8"), path.name).adopts]
    return [path.name.removesuffix(".mistakes.abnf") for path in own]


def code_page_names() -> list[str]:
    """Return the paths of the pages about codes."""
    return ["docs/lint-rules.md", "docs/messages.md", *(f"docs/codes-{name}.md" for name in code_grammars())]


def code_pages() -> dict[str, str]:
    """Return the pages about codes by path."""
    lint_rules = [_LINT_RULES]
    for kind in KINDS.values():
        link = f"[{kind.name}](#{kind.name}-{kind.code.lower()})"
        lint_rules.append(f"| {kind.code} | {link} | {kind.severity} | {plain(kind.summary)} |\n")
    CodePage(lint_rules.append).feed(KINDS.values())
    messages = [_MESSAGES]
    for package, codes in groupby(message_codes(), key=lambda each: each.package):
        messages.append(f"\n## {package}\n\n| Code | Message | Exceptions |\n| --- | --- | --- |\n")
        for each in codes:
            exceptions = ", ".join(map(code, each.exceptions))
            messages.append(f"| {code(each.code)} | {plain(each.text)} | {exceptions} |\n")
    messages.append("\n## Related pages\n\n")
    pages = [lint_rules, messages]
    for name in code_grammars():
        messages.append(f"- [Codes of {name}](codes-{name}.md): codes of rejections.\n")
        pages.append([_CODES.format(name=name, title=plain(title(name)[0]))])
        CodePage(pages[-1].append).feed(known_codes(abnforge.load(name)))
    return {path: "".join(page) for path, page in zip(code_page_names(), pages, strict=True)}


# Pages about grammars: railroad diagrams and ABNF, with links between rules.

CORE = "rfc5234"  # its page shows the core rules
_GRAMMARS = """\
# Grammars as diagrams

Each page has the rules of a bundled grammar in the order of its specification: the railroad diagram, the
ABNF, and the rules that use it. Follow the lines from left to right to spell a string of the rule. Rectangles
are rules, and link to their diagrams. [Visualize trees and derivations](/docs/visualize.md) shows how to draw
your own grammar.

| Grammar | Specification |
| --- | --- |
"""
_LEGEND = """\
```{raw} html
<ul class="rails-legend" aria-label="Legend"><li><span class="rule">rule</span></li>
<li><span class="any-case">"text" in any case</span></li>
<li><span>%s"Text" in this case</span></li><li><span class="range">0-9 a range</span></li>
<li><span class="value">%x0D by number</span></li><li><span class="prose">&lt;prose&gt;</span></li></ul>
```
"""


def title(name: str) -> tuple[str, str]:
    """Return the title of a bundled grammar, and the rest of its first comment."""
    text = (ROOT / "grammars" / f"{name}.abnf").read_text("utf-8")
    comment = re.match(r"(?:;(?!@).*\n)+", text)
    lines = [line[1:].strip() for line in comment[0].splitlines()] if comment else []
    head, _, rest = "\n".join(lines).partition("\n\n")
    rest = re.sub(r"(?ms)^Comments that begin with .*?(?:\n(?=[A-Z])|\Z)", "", rest)
    return " ".join(head.split()), rest.strip()


def escaped(text: str) -> str:
    """Escape the characters that have a meaning in Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|$~%-])", r"\\\1", text)


def label(grammar: str, key: str) -> str:
    """Return the label of a rule, which is unique on the site."""
    return re.sub("[^a-z0-9]+", "-", f"{grammar}-rule-{key}")


def own_rules(grammar: Grammar) -> dict[str, Rule]:
    """Return the rules of a grammar's text by lower-case name."""
    return {rule.name.lower(): rule for rule in grammar.own_rules}


def places(grammar: Grammar) -> Callable[[str], str | None]:
    """Return a function that returns the address of a rule's diagram, or None."""
    own = own_rules(grammar)
    others = [*re.findall(r"^;@ import ([\w.-]+)", grammar.source.text, re.MULTILINE), CORE]
    imported = {name: own_rules(abnforge.load(name)) for name in others}

    def place(key: str) -> str | None:
        if key in own:
            return f"#{label(grammar.name, key)}"
        name = next((name for name in others if key in imported[name]), None)
        return f"{name}.html#{label(name, key)}" if name else None

    return place


def grammar_page(name: str) -> Iterator[str]:
    """Yield the parts of the page of a bundled grammar. Requires railroad-diagrams."""
    from abnforge.teaching.pictures.railroad import rule_element

    grammar = abnforge.load(name)
    rules = own_rules(grammar)
    head, more = title(name)
    yield f"# {name}\n\n{escaped(head)}\n\n"
    yield escaped(more).replace("SOURCES.md", "[SOURCES](SOURCES.md)") + "\n\n"
    start = grammar.start
    link = f"[{escaped(start.name)}](#{label(name, start.name.lower())})"
    size = f"{start.automaton.states:,} states" if start.regular else "recursive"
    yield f'`abnforge.load("{name}")` loads it. It has {len(rules):,} rules, and starts at {link} ({size}). '
    yield f"[{name}.abnf](/grammars/{name}.abnf) is its text, with examples."
    yield f" Rejections have [codes](/docs/codes-{name}.md)." if name in code_grammars() else ""
    yield f"\n\n{_LEGEND}\n"
    for key, rule in rules.items():
        diagram = f"<div class=rails-box>{rule_element(rule, places(grammar))}</div>"
        users = [user for user in rule.used_by if user.lower() in rules]
        used = ", ".join(f"[{escaped(user)}](#{label(name, user.lower())})" for user in users)
        notes = [f"Section {escaped(rule.section)}"] if rule.section else []
        notes += [f"used by {used}"] if used else []
        yield f"({label(name, key)})=\n\n## {escaped(rule.name)}\n\n```{{raw}} html\n{diagram}\n```\n\n"
        yield f"```abnf\n{rule.definition}\n```\n\n{'; '.join(notes)}\n\n"


def write_grammars(folder: Path) -> None:
    """Write the pages about grammars, their index page and their style sheet."""
    from abnforge.teaching.pictures.drawing import COLORS, DARK, palette
    from abnforge.teaching.pictures.railroad import rails_style

    names = abnforge.grammar_names()
    rows = "".join(f"| [{name}]({name}.md) | {escaped(title(name)[0])} |\n" for name in names)
    listed = table("", [f"grammars/{name}" for name in names])
    (folder / "grammars" / "index.md").write_text(_GRAMMARS + rows + listed, "utf-8")
    for name in names:
        shutil.copy(ROOT / "grammars" / f"{name}.abnf", folder / "grammars")
        (folder / "grammars" / f"{name}.md").write_text("".join(grammar_page(name)), "utf-8")
    style = (
        f"body {{ {COLORS} }}\nbody[data-theme=dark] {{ {DARK} }}\n"
        f"@media (prefers-color-scheme: dark) {{ body:not([data-theme=light]) {{ {DARK} }} }}\n"
        + rails_style("body").removeprefix(palette("body"))
    )
    (folder / "_static" / "rails.css").write_text(style, "utf-8")


_FETCHED = re.compile(
    r'<(?:link|script|img|iframe|source|object|embed)\b[^>]*?\b(?:href|src|data)="(?:https?:)?//'
)


def main(arguments: list[str]) -> int:
    """Run the command line and return its exit status: 1 after any warning."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "folder", nargs="?", type=Path, default=ROOT / "build" / "site", help="directory to write"
    )
    parser.add_argument("--external", action="store_true", help="also open the links to other hosts")
    options = parser.parse_args(arguments)

    from sphinx.cmd.build import build_main  # not needed for --help

    folder: Path = options.folder
    ignored = "^$" if options.external else "https?://"
    if (folder / ".buildinfo").is_file():  # Sphinx would keep pages of removed sources
        shutil.rmtree(folder)
    with TemporaryDirectory() as temporary:
        sources = Path(temporary, "sources")
        (sources / "_static").mkdir(parents=True)
        for name in ("conf.py", "scorer.js"):
            shutil.copy(SITE / name, sources)
        shutil.copy(SITE / "site.css", sources / "_static")
        write_pages(sources)
        write_grammars(sources)
        for name, text in api_pages(ROOT).items():
            (sources / name).parent.mkdir(exist_ok=True)
            (sources / name).write_text(text, "utf-8")
        jobs = str(min(4, os.cpu_count() or 1))
        common = ["-q", "-W", "-n", "--keep-going", "-j", jobs, "-d", f"{temporary}/doctrees"]
        status = int(build_main([*common, str(sources), str(folder)]))
        common += ["-b", "linkcheck", "-D", f"linkcheck_ignore={ignored}"]
        status |= int(build_main([*common, str(sources), f"{temporary}/links"]))
    for path in folder.rglob("*.html"):
        if match := _FETCHED.search(path.read_text("utf-8")):
            print(f"{path.relative_to(folder)} fetches from another host: {match[0]}", file=sys.stderr)
            status = 1
    for words in lost(folder):
        print(f"the search for {words!r} does not find its page", file=sys.stderr)
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
