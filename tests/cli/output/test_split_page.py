"""The page about a job: all that the summary tells, and nothing that a browser would run or fetch."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

pytest.importorskip("numpy")
pytest.importorskip("jinja2")
from abnforge.cli.output.split import page

SAMPLE = {
    "source": "<in>.csv",
    "row": 1,
    "line": 3,
    "byte_offset": 9,
    "column": "url",
    "text": "http://a/<script>alert(1)</script>\u202e",
    "offset": 9,
    "start": 9,
    "end": 10,
    "message": 'a path has no "<"',
    "section": "3.3",
    "suggestion": "http://a/%3C",
}
TOLD = {
    "job": "<urls>",
    "status": "finished",
    "reason": None,
    "ended": "2026-11-22T16:00:00+00:00",
    "last_success": "2026-11-22T16:00:00+00:00",
    "rows": 1_000,
    "valid": 990,
    "rejected": 10,
    "seconds": 1.25,
    "columns": [
        {
            "column": "url",
            "grammar": "rfc3986",
            "rule": "URI",
            "sha256": "0" * 64,
            "rejections": 10,
            "codes": {"angle": {"count": 8, "samples": [SAMPLE]}, "other": {"count": 2, "samples": []}},
        },
        {"column": "x", "grammar": "g", "rule": "r", "sha256": "1" * 64, "rejections": 0, "codes": {}},
    ],
    "whole_rows": {"rejections": 0, "codes": {}},
    "sources": [{"source": "<in>.csv", "rows": 1_000, "rejected": 10}],
    "options": {"nulls": "valid", "id": None},
    "versions": {"abnforge": "0.1.0"},
}


class Reader(HTMLParser):
    """The tags, all closed in order, and the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self.tags.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_it_is_whole_and_runs_nothing() -> None:
    text = page(TOLD)
    read = Reader(text)
    assert read.open == []
    assert not {"script", "link", "img", "iframe"} & set(read.tags)
    assert not re.search(r"https?://(?!a/)|\son\w+=|url\(|@import", text)


def test_what_it_says() -> None:
    text = Reader(page(TOLD)).text
    for said in (
        "10 of 1,000 rows rejected",
        "1.00%",
        "angle",
        "8",
        'a path has no "<"',
        "line 3, section 3.3",
    ):
        assert said in text
    assert "http://a/<script>alert(1)</script>\\u202e\n         ^\n" in text
    assert "Perhaps meant: http://a/%3C" in text
    assert "Nothing was rejected." in text
    assert 'style="width:25.0%"' in page(TOLD)


def test_codes_link_to_their_samples() -> None:
    """Each code with samples, in each column, whatever it is called (DE B15)."""
    names = ("url", 'a "b" <c>', "\ud800")
    columns = [{**TOLD["columns"][0], "column": name} for name in names]  # type: ignore[index]
    text = page({**TOLD, "columns": columns})
    links, ids = re.findall(r'href="#([^"]*)"', text), re.findall(r' id="([^"]*)"', text)
    assert links == ids
    assert len(set(ids)) == len(names)
    assert not re.search(r"[\s<>]", "".join(ids))


def test_nothing_read() -> None:
    assert "0 of 0 rows rejected" in page(TOLD | {"rows": 0, "valid": 0, "rejected": 0})


def test_light_and_dark() -> None:
    assert "prefers-color-scheme: dark" in page(TOLD)


def test_appendix() -> None:
    sample = {**SAMPLE, "section": "appendix C"}
    column = {
        **TOLD["columns"][0],
        "codes": {"a": {"count": 1, "samples": [sample]}},
    }  # type: ignore[index]
    text = Reader(page({**TOLD, "columns": [column]})).text
    assert "line 3, appendix C)" in text
    assert "line 3, section 3.3)" in Reader(page(TOLD)).text
