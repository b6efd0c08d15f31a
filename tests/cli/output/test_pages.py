"""The HTML report on coverage is well-formed and complete, and contains no script."""

from __future__ import annotations

import re
import sys
from collections import Counter
from html.parser import HTMLParser

import pytest

import abnforge
from abnforge.budget import Budget
from abnforge.cli.common.errors import UsageError
from abnforge.cli.output import pages
from abnforge.cli.output.coverage import CoveragePage
from abnforge.conformance import Coverage, coverage
from tests.cli.command import Seen
from tests.raising import raises

pytest.importorskip("jinja2")

VOID = {"meta", "br", "link", "img", "input"}
RULES = """\
; <b>not bold</b> & "quoted"
r    = 1*s [ "<" tag ">" ] / "&" / %x1B
s    = "\\" / %x202E
tag  = "script" / "b"
"""


def page(found: Coverage) -> str:
    written: list[str] = []
    CoveragePage(written.append).feed([found])
    return "".join(written)


class Read(HTMLParser):
    """Records closed elements, links and their targets."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.classes: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        results = dict(attrs)
        assert len(results) == len(attrs)
        assert not {name for name in results if name.startswith("on")}
        if results.get("id"):
            assert results["id"] not in self.ids
            self.ids.add(str(results["id"]))
        if "href" in results:
            self.links.add(str(results["href"]))
        if tag in ("a", "span"):
            self.classes.append(results.get("class") or "")
        if tag not in VOID:
            assert not (tag == "a" and "a" in self.open), "a link in a link"
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)


def test_it_is_well_formed_and_reports_all() -> None:
    rule = abnforge.loads(RULES)["r"]
    result = coverage(rule, ["\\<script>", "\u202e\u202e", "nothing", "\\"])
    shown = page(result)
    read = Read(shown)
    text = "".join(read.text)
    assert read.links <= {f"#{name}" for name in read.ids}
    places = {(use.part.span, use.part.kind == "rule") for use in result.parts if use.part.span}
    # Each part has a link, except an alternative whose items cover it completely.
    assert len(read.links) == len(places) - 1
    assert read.ids == {f"p{number}" for number in range(len(result.parts))}
    assert '; <b>not bold</b> & "quoted"' in text
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert read.tags["script"] == read.tags["b"] == 0
    for use in result.never:
        assert use.part.source in text
        assert use.sample is not None
    assert {"never", "partly", "u1"} <= set(read.classes)
    assert not re.search(r"https?:|@import|url\(", shown)


def test_examples_are_shortened_around_what_was_used() -> None:
    rule = abnforge.loads('r = *"a" s *"c"\ns = 1*"b"\n')["r"]
    shown = page(coverage(rule, ["a" * 500 + "b" * 500 + "c" * 500]))
    assert f"<code>…{'a' * 60}<mark>{'b' * 60}…{'b' * 30}</mark>{'c' * 30}…</code>" in shown
    Read(shown)


def test_nothing_and_everything() -> None:
    rule = abnforge.load("rfc3986")["URI"]
    nothing = coverage(rule, [])
    shown = page(nothing)
    Read(shown)
    assert "<dd>0.0 %</dd>" in shown
    assert "and 1,307 more" in shown
    texts = [str(use.sample) for use in (*nothing.never, *nothing.never_taken)]
    everything = page(coverage(rule, texts))
    Read(everything)
    assert "Unused transitions" not in everything


def test_the_empty_text_and_none(seen: Seen) -> None:
    rule = abnforge.loads('r = ( "" / "" ) *"a"\n')["r"]
    shown = page(coverage(rule, [""]))
    seen(shown.partition("</style>")[2])
    Read(shown)


def test_strings_that_are_not_decided() -> None:
    rule = abnforge.loads('r = "a" *r "b" / r r / "c"\n')["r"]
    result = coverage(rule, ["acb" * 2000], budget=Budget(steps=20_000, per_character=0))
    assert "<dt>not decided</dt><dd>1</dd>" in page(result)


def test_a_page_requires_jinja2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with raises(UsageError, "extra-missing", package="jinja2", extra="reports"):
        pages.require()
