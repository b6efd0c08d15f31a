"""tools/build_site.py writes the sources of the website. CI builds it, and Sphinx checks links and names."""

from __future__ import annotations

import ast
import inspect
import json
import re
import runpy
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import click
import pytest

import abnforge
from tests.cli.command_tree import VERBS
from tests.law import each_row
from tests.places import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import build_site
from reference import navigation
from reference.api import INTERNAL, MODULES
from reference.commands import _note, command_pages, link_commands
from reference.schemas import PAGE, json_pages


@each_row(
    ("page", "text", "expected"),
    [
        ("docs/a.md", "[b](b.md), [c](../c.md#d), [b](b.md)", ["docs/b.md", "c.md"]),
        ("docs/x/a.md", "![b](../b.svg) [c](c.md)", ["docs/b.svg", "docs/x/c.md"]),
        ("a.md", r"[b](https://b/) [c\](c.md) `[d](d.md)` [e](#e)", []),
        ("a.md", "```text\n[b](b.md)\n```\n[c](c.md)\n~~~\n[d](d.md)\n~~~\n", ["c.md"]),
    ],
)
def test_links(page: str, text: str, expected: list[str]) -> None:
    assert build_site.links(page, text) == expected


PAGES = {
    "docs/a.md": "# A\n\n[Some](b.md) `a.b`\nof *A*. More.\n## Related pages\n"
    "- [b](b.md): x\n- [f](f.md): y [z](z.md)\n  z.\n",
    "docs/b.md": "# B\n\n```sh\nx\n```\n\n- [b](b.md)\n\n| a |\n",
    "docs/f.md": "## Related pages\n[a](a.md) [g](g.md)\n## Others\n[h](h.md)\n",
    "docs/g.md": "# G\n\nG says: x\n",
    "docs/h.md": "# H\n",
    "docs/index.md": "# All\n\nAll of\nit.\n\n## One\n[t](t/index.md)\n### Two\n[a](a.md)\n"
    "## Reference\n\n[a](a.md) [b](b.md)\n",
    "docs/t/a.md": "# TA\n",
    "docs/t/index.md": "# T\n[c](c.md) [d](../d.md) [a](a.md)\n",
    "docs/t/c.md": "# TC\n",
}
WRITTEN = ["docs/g.md", "docs/h.md"]


def test_the_landing_page_orders_the_navigation() -> None:
    """Pages that are not on the landing page are below their directory's index, or below a related page."""
    tables = build_site.contents(PAGES, WRITTEN)
    assert {
        page: re.findall(r":caption: (.+)|^/(\S+)", table, re.MULTILINE) for page, table in tables.items()
    } == {
        "docs/index.md": [
            *[("One", ""), ("", "docs/t/index"), ("One: Two", ""), ("", "docs/a"), ("Reference", "")],
            *[("", name) for name in ("api/index", "grammars/index", "docs/h", "docs/b")],
        ],
        "docs/a.md": [("", "docs/f")],
        "docs/f.md": [("", "docs/g")],
        "docs/t/index.md": [("", "docs/t/c"), ("", "docs/t/a")],
    }


def test_the_landing_page_names_pages_that_only_the_site_has() -> None:
    text = build_site.landing(PAGES, WRITTEN)
    assert re.findall(r"^- \{doc\}`(.+) <(.+)>`: ", text, re.MULTILINE) == [
        *(("Python API", "/api/index"), ("Grammars as diagrams", "/grammars/index"), ("H", "/docs/h"))
    ]
    assert text.index("/docs/h") < text.index("[a](a.md) [b](b.md)")


def test_the_overview_has_all_pages() -> None:
    """The file has the format of llmstxt.org: a title, a summary, and a list for each part."""
    lines = build_site.overview(PAGES, WRITTEN).splitlines()
    assert lines[:3] == ["# abnforge", "", "> All of it."]
    assert [line for line in lines if line.startswith("## ")] == ["## One", "## One: Two", "## Reference"]
    assert [line for line in lines if line.startswith("- ") and "/index" not in line] == [
        "- [TC](docs/t/c.html)",
        "- [TA](docs/t/a.html)",
        "- [A](docs/a.html): Some `a.b` of *A*.",
        "- [## Related pages](docs/f.html): y z z.",
        "- [G](docs/g.html): G says.",
        "- [H](docs/h.html)",
        "- [B](docs/b.html): x",
    ]


def test_every_page_is_two_clicks_from_the_landing_page() -> None:
    paths = ["CHANGELOG.md", "CONTRIBUTING.md", "grammars/SOURCES.md"]
    paths += [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")]
    targets = {path: build_site.links(path, (ROOT / path).read_text("utf-8")) for path in paths}
    first = targets["docs/index.md"]
    second = {each for page in first for each in targets.get(page, ())}
    assert {*paths} - {"docs/index.md", *first, *second} == set()


@each_row(("words", "page"), list(navigation.SEARCHES.items()))
def test_a_page_has_the_words_of_its_search(words: str, page: str) -> None:
    text = (ROOT / f"{page}.md").read_text("utf-8").lower()
    assert [word for word in words.lower().split() if word not in text] == []


@each_row(
    ("terms", "titles", "expected"),
    [
        ({"student": [0, 2], "vs": 1, "code": 1}, {}, []),
        ({"student": 2}, {"code": [1], "vs": [1]}, ["students"]),
        ({"student": 0, "code": [0, 1]}, {"vs": 2}, ["VS Code"]),
    ],
)
def test_a_search_finds_a_page(
    terms: object, titles: object, expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sphinx")
    index = {"docnames": ["docs/a", "docs/b", "docs/c"], "terms": terms, "titleterms": titles}
    (tmp_path / "searchindex.js").write_text(f"Search.setIndex({json.dumps(index)})", "utf-8")
    monkeypatch.setattr(navigation, "SEARCHES", {"students": "docs/a", "VS Code": "docs/b"})
    assert navigation.lost(tmp_path) == expected


@each_row(
    ("page", "text", "expected"),
    [
        ("docs/a.md", "[a](../README.md) [b](README.md#c)", "[a](../index.md) [b](README.md#c)"),
        ("docs/t/a.md", "[a](../index.md#b) [b](index.md)", "[a](../../index.md#b) [b](index.md)"),
        (
            "docs/index.md",
            "![a](a.png) [b](../b.md) [c](t/c.md#d)",
            "![a](docs/a.png) [b](b.md) [c](docs/t/c.md#d)",
        ),
        (
            "a.md",
            "[a](READMES.md) README.md [b](https://b/README.md)",
            "[a](READMES.md) README.md [b](https://b/README.md)",
        ),
        ("a.md", "```python file=a/b.py\nx\n```\n", "```{code-block} python\n:caption: a/b.py\n\nx\n```\n"),
        ("a.md", "```pycon\n>>> a\nb\n\n```\n\nc\n", "```pycon\n>>> a\nb\n```\n\nc\n"),
    ],
)
def test_sources(page: str, text: str, expected: str) -> None:
    assert build_site.source(page, text) == expected


@pytest.mark.slow  # CI builds the site
def test_every_page_is_in_one_table_of_contents(tmp_path: Path) -> None:
    build_site.write_pages(tmp_path)
    pages = {path.relative_to(tmp_path).with_suffix("").as_posix(): path for path in tmp_path.rglob("*.md")}
    listed = Counter(
        re.findall(r"^/(\S+)$", "".join(path.read_text("utf-8") for path in pages.values()), re.MULTILINE)
    )
    assert listed == Counter([*pages.keys() - {"index"}, "api/index", "grammars/index"])
    assert {*build_site.code_page_names()} <= {
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")
    }


@pytest.mark.slow
def test_links_between_diagrams_lead_to_rules() -> None:
    """The targets of links are rules of the same grammar, imported rules, and core rules.

    Sphinx does not check them.
    """
    pytest.importorskip("railroad")
    pages = {name: "".join(build_site.grammar_page(name)) for name in abnforge.grammar_names()}
    labels = {name: re.findall(r"^\((\S+)\)=$", page, re.MULTILINE) for name, page in pages.items()}
    every = [label for each in labels.values() for label in each]
    assert len(every) == len(set(every)) > 1000
    links = {
        (name, link) for name, page in pages.items() for link in re.findall(r'href="([^"]+#[^"]+)"', page)
    }
    assert {
        ("rfc9110", "rfc5234.html#rfc5234-rule-digit"),
        ("rfc9110", "rfc3986.html#rfc3986-rule-segment"),
    } <= links
    for name, link in links:
        page, _, label = link.partition("#")
        assert label in labels[page.removesuffix(".html") or name], (name, link)


def docstrings() -> list[tuple[str, str]]:
    results = []
    for path in sorted((ROOT / "src" / "abnforge").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{path.relative_to(ROOT)}:{getattr(node, 'name', 'module')}"
                results.append((name, ast.get_docstring(node) or ""))
    return results


@pytest.mark.slow
def test_samples_in_docstrings_are_literal_blocks() -> None:
    """Without ``::`` before it, an indented sample would be a paragraph."""
    indented = re.compile(r"^(\S.*)\n\n {4}(?! )(?!>>> )", re.MULTILINE)
    results = [
        (name, before)
        for name, text in docstrings()
        for before in indented.findall(text)
        if not before.endswith("::")
    ]
    assert results == []


def test_code_is_in_the_tab_order_and_captions_have_levels() -> None:
    conf = runpy.run_path(str(ROOT / "docs" / "site" / "conf.py"))
    context = {
        "body": '<div class="highlight"><pre><span>a</span></pre></div>',
        "furo_navigation_tree": '<p class="caption" role="heading"><span>First steps</span></p>',
        "title": "a",
    }
    conf["improve_access"](None, "a", "page.html", context, None)
    assert context["body"] == '<div class="highlight"><pre tabindex="0"><span>a</span></pre></div>'
    assert 'role="heading" aria-level="2"' in context["furo_navigation_tree"]
    assert context["title"] == "a"


def test_help_exits(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        build_site.main(["--help"])
    assert caught.value.code == 0
    assert "--external" in capsys.readouterr().out


def test_pages_of_commands_have_every_command_and_option() -> None:
    pages = command_pages(
        {"docs/a.md": "# Guide\n\n`abnforge lint a`, `abnforge lint b`, `abnforge check`\n"}
    )
    for words, command in VERBS.items():
        if words:
            page = pages[f"docs/commands/{words[0]}.md"]
            _, _, section = page.partition(f" abnforge {' '.join(words)}\n")
            section = re.split(r"^#+ abnforge ", section, flags=re.MULTILINE)[0]
            options = [each for each in command.params if isinstance(each, click.Option)]
            names = {name for each in options for name in (*each.opts, *each.secondary_opts)}
            heads = re.findall(r"^```\{option\} (.+)$", section, re.MULTILINE)
            assert {name for head in heads for name in re.findall(r"(?:^|, )(--?[\w-]+)", head)} == names
            assert section.count("```sh") == 1, words
    assert pages["docs/commands/lint.md"].endswith("See also: [Guide](../a.md).\n")
    assert "See also" not in pages["docs/commands/check.md"]


@each_row(
    ("text", "expected"),
    [
        ("default: 1 MiB; 64 MiB", "Default: 1 MiB; 64 MiB."),
        ("x>=1", "At least 1."),
        ("1<=x<=2", "From 1 to 2."),
    ],
)
def test_notes_of_options(text: str, expected: str) -> None:
    assert _note(text) == expected


@each_row(
    ("text", "expected"),
    [
        ("a `abnforge lint` b", "a [`abnforge lint`](commands/lint.md) b"),
        ("`abnforge uri scan`", "[`abnforge uri scan`](commands/uri.md#abnforge-uri-scan)"),
        ("`abnforge lint a` `abnforge lint a.abnf` `abnforge nothing`", None),
        ("# `abnforge lint`\n```text\n`abnforge lint`\n```\n[`abnforge lint`](a.md)", None),
    ],
)
def test_commands_are_links(text: str, expected: str | None) -> None:
    assert link_commands("docs/a.md", text) == (expected or text)


def test_every_key_of_json_output_has_a_type_and_a_meaning() -> None:
    pytest.importorskip("pyarrow")  # of the schemas of ingest
    rows = re.findall(r"^\| `(.+?)`(?: \\\*)? \| (.*?) \| (.*) \|$", json_pages(ROOT)[PAGE], re.MULTILINE)
    keys = {key for key, _, _ in rows}
    assert {
        "rule_path",
        "security[].code",
        "_errors[].offset",
        "CODE.samples[].text",
        "sources[].size",
    } <= keys
    assert [row for row in rows if not row[1] or not row[2]] == []


@each_row(
    ("text", "expected"),
    [
        ("Do it. Raises TypeError. Cost: linear.", "Do it.\n\n:Raises: ``TypeError``\n\n:Cost: linear"),
        ("Raises Rejected. Then more.", "Then more.\n\n:Raises: :py:exc:`~abnforge.Rejected`"),
        (
            "Raises: ValueError for\na level; TypeError.\nComplexity: linear.",
            "\n\n:Raises:\n   - ``ValueError`` for a level\n   - ``TypeError``\n\n:Complexity: linear",
        ),
        (
            "Raises what :func:`a` raises, and OSError if it cannot run.",
            "\n\n:Raises:\n   - what :func:`a` raises\n   - ``OSError`` if it cannot run",
        ),
        ("An ``Error``.\n\n    raises(ValueError)\n", "An ``Error``.\n\n    raises(ValueError)\n"),
        ("See docs/a.md.", "See :doc:`/docs/a`."),
        ("A ``Grammar.codes``.", "A :py:obj:`Grammar.codes <abnforge.Grammar.codes>`."),
        ("A ``abnforge.load``, ``Grammar.facts``.", "A :py:obj:`abnforge.load`, ``Grammar.facts``."),
    ],
)
def test_docstrings_have_fields(text: str, expected: str) -> None:
    conf = runpy.run_path(str(ROOT / "docs" / "site" / "conf.py"))
    lines = text.split("\n")
    conf["format_docstring"](None, "function", "a", None, None, lines)
    assert "\n".join(lines) == expected


def test_every_public_name_is_on_one_page_of_the_api() -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("numpy")
    for module, topics in MODULES.items():
        names = [name for each in topics.values() for name in each]
        exported = getattr(import_module(module), "__all__", names)
        assert sorted(names) == sorted({*exported} - {"rfc2396"})


def test_every_public_function_has_a_docstring() -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("numpy")
    missing = []
    for module, topics in MODULES.items():
        for name in (name for names in topics.values() for name in names):
            value = getattr(import_module(module), name)
            members = {} if name == "URITransformer" or not isinstance(value, type) else dict(vars(value))
            public = {each for each in members if not each.startswith("_")} - INTERNAL.get(name, set())
            functions = {f"{name}.{each}": members[each] for each in public} | {name: value}
            missing += [
                (module, path)
                for path, each in functions.items()
                if (callable(each) or isinstance(each, property)) and not inspect.getdoc(each)
            ]
    assert missing == []
