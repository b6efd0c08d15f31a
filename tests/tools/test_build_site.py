"""tools/build_site.py: what Sphinx is given, and what is looked for in its pages. CI builds the site."""

from __future__ import annotations

import ast
import re
import runpy
import sys
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import abnforge
from tests.places import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import build_site
from publishing import api_pages, checking, code_pages, pages


@cache
def built() -> dict[str, str]:
    """All pages by their paths, with those that the build writes."""
    return {page: (ROOT / page).read_text("utf-8") for page in pages.pages(ROOT)} | code_pages.pages(ROOT)


@pytest.mark.slow  # CI builds the site
def test_every_page_has_one_place_in_the_contents() -> None:
    listed = re.findall(r"^/(\S+)$", "".join(pages.tables(built()).values()), re.MULTILINE)
    wanted = [page.removesuffix(".md") for page in built() if page != pages.START]
    assert Counter(listed) == Counter([*wanted, *pages.MADE])


@pytest.mark.parametrize(
    ("page", "text", "expected"),
    [
        ("docs/a.md", "[b](b.md), [c](../c.md#d), [b](b.md)", ["docs/b.md", "c.md"]),
        ("docs/x/a.md", "![b](../b.svg) [c](c.md)", ["docs/b.svg", "docs/x/c.md"]),
        ("a.md", r"[b](https://b/) [c\](c.md) `[d](d.md)` [e](#e)", []),
        ("a.md", "```text\n[b](b.md)\n```\n[c](c.md)\n~~~\n[d](d.md)\n~~~\n", ["c.md"]),
    ],
)
def test_links(page: str, text: str, expected: list[str]) -> None:
    assert pages.links(page, text) == expected


def test_groups_are_those_of_the_index() -> None:
    index = "# All\n[r](../README.md)\n## One\n- [a](a.md), [b](x/b.md)\n## Two\n- [a](a.md) [c](../c.md)\n"
    assert list(pages.groups(index)) == [("One", ["docs/a.md", "docs/x/b.md"]), ("Two", ["c.md"])]


def test_pages_of_a_folder_with_an_index_are_below_it() -> None:
    texts = {
        "README.md": "",
        "docs/index.md": "## One\n\n[t](t/index.md) [c](t/c.md) [d](d.md)\n",
        "docs/d.md": "",
        "docs/e.md": "",
        "docs/t/a.md": "",
        "docs/t/index.md": "[c](c.md) [d](../d.md)\n",
        "docs/t/c.md": "",
    }
    tables = pages.tables(texts)
    assert tables["docs/t/index.md"] == "\n```{toctree}\n:hidden:\n\n/docs/t/c\n/docs/t/a\n```\n"
    assert ":caption: One\n\n/docs/t/index\n/docs/d\n```" in tables["README.md"]
    assert ":caption: More\n\n/docs/e\n```" in tables["README.md"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](../README.md) [b](README.md#c)", "[a](../index.md) [b](index.md#c)"),
        ("[a](READMES.md) README.md", "[a](READMES.md) README.md"),
        ("```python file=a/b.py\nx\n```\n", "```{code-block} python\n:caption: a/b.py\n\nx\n```\n"),
        ("```pycon\n>>> a\nb\n\n```\n\nc\n", "```pycon\n>>> a\nb\n```\n\nc\n"),
    ],
)
def test_sources(text: str, expected: str) -> None:
    assert pages.source(text) == expected


def test_pages_are_written_with_what_they_link_to(tmp_path: Path) -> None:
    pages.write(ROOT, tmp_path)
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert {"index.md", "docs/tour.md", "docs/recipes/dbt.md", "docs/verdicts.svg"} <= written
    assert "README.md" not in written
    assert set(code_pages.names(ROOT)) <= written
    for page, text in built().items():
        links = {"index.md" if name == pages.START else name for name in pages.links(page, text)}
        assert {
            name for name in links if (ROOT / name).is_file() or name in ("index.md", *built())
        } <= written


def test_every_promised_name_is_in_the_api() -> None:
    names = api_pages.stability.names()
    for module in api_pages.PROMISED:
        page = "".join(api_pages.promised(module, names))
        found = re.findall(rf"^\.\. (?:auto|py:)\w+:: {re.escape(module)}\.(\w+)$", page, re.MULTILINE)
        modules = {name for name in names[module] if api_pages.kind(module, name) == "module"}
        assert sorted([*found, *modules]) == names[module]
        for name in found:
            entry = page.partition(f":: {module}.{name}\n")[2].partition("\n..")[0]
            members = re.findall(r":members: (.*)", entry) + re.findall(
                r"   \.\. py:attribute:: (\w+)", entry
            )
            told = [each for line in members for each in line.split(", ")]
            assert sorted(told) == sorted(names.get(f"{module}.{name}", []))


def test_values_are_told_by_the_text_below_them() -> None:
    assert '``"python"``' in api_pages.said("abnforge", "KERNEL")
    assert [
        (module, name)
        for module in [*api_pages.PROMISED, "abnforge.conformance"]
        for name in import_module(module).__all__
        if api_pages.kind(module, name) == "data" and not api_pages.said(module, name)
    ] == []


@pytest.mark.parametrize("table", [api_pages.TEACHING, api_pages.COMPARISON])
def test_rooms_have_these_names(table: dict[str, tuple[str, ...]]) -> None:
    for module, names in table.items():
        assert {api_pages.kind(module, name) for name in names} <= {"class", "function"}


def test_every_adapter_is_in_the_api() -> None:
    page = "".join(api_pages.adapters())
    files = {path.stem for path in (ROOT / "src/abnforge/integrations").glob("[a-z]*.py")}
    told = set(re.findall(r"automodule:: abnforge\.integrations\.(\w+)", page))
    assert told == files - api_pages.FOUND
    assert ".. autoclass:: abnforge.integrations.pygments.AbnfLexer\n" in page


def test_a_grammar_as_a_page() -> None:
    """Rules of the same grammar, of an imported one, and core rules lead to their diagrams."""
    pytest.importorskip("railroad")
    from publishing import grammar_pages

    grammar = abnforge.load("rfc9110")
    page = "".join(grammar_pages.page(grammar, (ROOT / "grammars" / "rfc9110.abnf").read_text("utf-8")))
    head = "# rfc9110\n\nHTTP Semantics: RFC 9110, sections 4 to 14 \\(June 2022\\)\n\nRule names"
    assert page.startswith(head)
    assert "Comments that begin" not in page
    labels = re.findall(r"^\((\S+)\)=$", page, re.MULTILINE)
    assert len(labels) == len(set(labels)) == len(grammar.own_rules)
    links = set(re.findall(r'xlink:href="([^"]+)"|href="([^"]+)"', page))
    found = {one or other for one, other in links}
    assert {
        "#rfc9110-rule-token",
        "rfc5234.html#rfc5234-rule-digit",
        "rfc3986.html#rfc3986-rule-segment",
    } <= found
    assert {each[1:] for each in found if each.startswith("#")} <= set(labels)
    assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= set(labels)


def test_labels_are_those_of_one_rule_each() -> None:
    pytest.importorskip("railroad")
    from publishing.grammar_pages import label, own

    labels = [label(name, key) for name in abnforge.grammar_names() for key in own(abnforge.load(name))]
    assert len(labels) == len(set(labels)) > 1000


GOOD = '<link rel="stylesheet" href="s.css"><h1 id="top">A</h1><a href="b/c.html#d">c</a><a href="#top">t</a>'
OTHER = (
    '<a name="d" href="../a.html?x#top">a</a><img src="data:image/png;base64,AA"><a href="mailto:a@b">m</a>'
)
# What stands in a page, and what is said of it.
WRONG = [
    ('<a href="no.html">', "a.html: no.html: there is no such file"),
    ('<img src="no.png">', "a.html: no.png: there is no such file"),
    ('<a href="b/c.html#no">', "a.html: b/c.html#no: there is no such place in the page"),
    ('<svg><a xlink:href="#no">', "a.html: #no: there is no such place in the page"),
    (
        '<a href="/b/c.html">',
        "a.html: /b/c.html: it is no path from this page, and works at the root of a host alone",
    ),
    ('<script src="https://x.example/a.js">', "a.html: fetches https://x.example/a.js from another host"),
    ('<link href="//x.example/a.css">', "a.html: fetches //x.example/a.css from another host"),
    (
        "<style>a { b: url('http://x.example/') }</style>",
        "a.html: fetches http://x.example/ from another host",
    ),
    ('<p style="b: url(http://x.example/)">', "a.html: fetches http://x.example/ from another host"),
]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "b").mkdir()
    (tmp_path / "a.html").write_text(GOOD, "utf-8")
    (tmp_path / "b" / "c.html").write_text(OTHER, "utf-8")
    (tmp_path / "s.css").write_text("a { b: url(data:x) } c { d: url(#e) }", "utf-8")
    return tmp_path


def test_a_site_without_problems(site: Path) -> None:
    assert list(checking.problems(site)) == []


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_problems(text: str, said: str, site: Path) -> None:
    (site / "a.html").write_text(GOOD + text, "utf-8")
    assert list(checking.problems(site)) == [said]


@pytest.mark.parametrize(
    "style", ['@import "http://x.example/a.css";', "a { b: url( 'http://x.example/a.css') }"]
)
def test_problems_of_styles(style: str, site: Path) -> None:
    (site / "s.css").write_text(style, "utf-8")
    (problem,) = checking.problems(site)
    assert problem.startswith("s.css: ")
    assert "http://x.example/a.css" in problem


def test_an_empty_site_is_one_problem(tmp_path: Path) -> None:
    assert len(list(checking.problems(tmp_path))) == 1


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "index.html").write_text("mine", "utf-8")
    with pytest.raises(SystemExit) as ended:
        build_site.main([str(tmp_path)])
    assert ended.value.code == 2
    assert str(tmp_path) in capsys.readouterr().err
    assert (tmp_path / "index.html").read_text("utf-8") == "mine"


def docstrings() -> list[tuple[str, str]]:
    found = []
    for path in sorted((ROOT / "src" / "abnforge").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{path.relative_to(ROOT)}:{getattr(node, 'name', 'module')}"
                found.append((name, ast.get_docstring(node) or ""))
    return found


@pytest.mark.slow
def test_samples_in_docstrings_are_literal_blocks() -> None:
    """Without ``::`` before it, an indented sample becomes a paragraph."""
    indented = re.compile(r"^(\S.*)\n\n {4}(?! )(?!>>> )", re.MULTILINE)
    found = [
        (name, before)
        for name, text in docstrings()
        for before in indented.findall(text)
        if not before.endswith("::")
    ]
    assert found == []


def test_pages_have_no_code_out_of_reach_and_no_heading_without_level() -> None:
    conf = runpy.run_path(str(ROOT / "docs" / "site" / "conf.py"))
    context = {
        "body": '<div class="highlight"><pre><span>a</span></pre></div>',
        "furo_navigation_tree": '<p class="caption" role="heading"><span>First steps</span></p>',
        "title": "a",
    }
    conf["accessible"](None, "a", "page.html", context, None)
    assert context == {
        "body": '<div class="highlight"><pre tabindex="0"><span>a</span></pre></div>',
        "furo_navigation_tree": (
            '<p class="caption" role="heading" aria-level="2"><span>First steps</span></p>'
        ),
        "title": "a",
    }
