"""The examples in code blocks of documents: their text and their places."""

from __future__ import annotations

from pathlib import Path

import pytest

from abnforge.catalog import ArgumentError
from abnforge.errors import GrammarError
from abnforge.grammar.extract import find_examples
from abnforge.text import Source
from tests.law import each_row
from tests.raising import raises


def texts(text: str, name: str, **options: object) -> list[tuple[str, ...]]:
    return [each.texts for each in find_examples(Source(text, name), "msg", **options)]  # type: ignore[arg-type]


XML = '<rfc><middle><section><sourcecode type="{}">{}</sourcecode></section></middle></rfc>'
FOLDED = "=== NOTE: '{}' line wrapping per RFC 8792 ===\n\n{}"

MARKDOWN = {
    "info": ("``` msg\na\n```\n", [("a", "a\n")]),
    "info with a prefix": ("~~~ language-msg\na\n~~~\n", [("a", "a\n")]),
    "attributes below": ('~~~\na\n~~~\n{: type="msg"}\n', [("a", "a\n")]),
    "attributes above": ("{:.language-msg}\n~~~\na\n~~~\n", [("a", "a\n")]),
    "upper case": ("``` MSG\na\n```\n", [("a", "a\n")]),
    "other types": ("``` msgs\na\n```\n``` x-msg\nb\n```\n``` msg-x\nc\n```\n```\nd\n```\n", []),
    "empty line at the end": ("```msg\na\n\n```\n", [("a\n", "a\n\n")]),
    "empty": ("```msg\n\n```\n", [("", "\n")]),
    "block without lines": ("```msg\n```\n", []),
    "indented fence": ("- x\n\n  ```msg\n  a\n    b\n\n  c\n  ```\n", [("a\n  b\n\nc", "a\n  b\n\nc\n")]),
    "quoted": ("> ```msg\n> a\n> ```\n", [("a", "a\n")]),
    "unclosed": ("```msg\na", [("a",)]),
    "CRLF": ("```msg\r\na\r\nb\r\n```\r\n", [("a\nb", "a\nb\n")]),
    "folded": (
        f"```msg\n{FOLDED.format(chr(92), 'ab' + chr(92) + chr(10) + '   cd')}\n```\n",
        [("abcd", "abcd\n")],
    ),
    "folded twice": (
        f"```msg\n{FOLDED.format(chr(92) * 2, 'a ' + chr(92) + chr(10) + '  ' + chr(92) + ' b')}\n```\n",
        [("a  b", "a  b\n")],
    ),
    "kramdown comment": ("{::comment}\n```msg\na\n```\n{:/comment}\n```msg\nb\n```\n", [("b", "b\n")]),
    "HTML comment": ("<!-- x\n```msg\na\n```\n-->\n```msg\nb\n```\n", [("b", "b\n")]),
    "comment without an end": ("{::comment}\n<!--\n```msg\na\n```\n", [("a", "a\n")]),
    "comment in a block": ("```msg\n<!--\n```\n-->\n", [("<!--", "<!--\n")]),
    "not folded": ("```msg\na\\\n b\n```\n", [("a\\\n b", "a\\\n b\n")]),
}


@each_row(("text", "expected"), MARKDOWN.values())
def test_markdown(text: str, expected: list[tuple[str, ...]]) -> None:
    assert texts(text, "x.md") == expected


TAGGED = {
    "lines": ("\n  a\n  b\n", [("a\nb", "a\nb\n")]),
    "one line": ("a", [("a",)]),
    "indented end tag": ("\n  a\n  ", [("a", "a\n")]),
    "CDATA": ("<![CDATA[\na<b\n]]>", [("a<b", "a<b\n")]),
    "references": ("&lt;&#x61;&amp;", [("<a&",)]),
}


@each_row(("content", "expected"), TAGGED.values())
def test_xml(content: str, expected: list[tuple[str, ...]]) -> None:
    assert texts(XML.format("msg", content), "x.xml") == expected
    assert texts(XML.format("msg-x", content), "x.xml") == []


def test_html() -> None:
    page = '<pre class="lang-msg">\n&lt;a\n</pre><pre><code class="language-msg">b</code></pre><pre>c</pre>'
    assert texts(page, "x.html") == [("<a", "<a\n"), ("b",)]


def test_line_ends() -> None:
    text = "```msg\na\nb\n\n```\n"
    assert texts(text, "x.md", line_end="crlf") == [("a\r\nb\r\n", "a\r\nb\r\n\r\n")]
    assert texts(text, "x.md", line_end="crlf", by_line=True) == [("a",), ("b",)]


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("# é\n\n- x\n\n  ```msg\n  ab\n   c\n  ```\n", "x.md", {}),
        ("# é\n\n```msg\nab\n\n c\n```\n", "x.md", {"by_line": True, "line_end": "crlf"}),
        ('é<pre class="msg">\n  ab\n  &#x63;\n</pre>', "x.html", {}),
    ],
)
def test_places(text: str, name: str, options: dict[str, object]) -> None:
    places = {}
    for each in find_examples(Source(text, name), "msg", **options):  # type: ignore[arg-type]
        for letter in {"a", "b", "c"}.intersection(each.draft.text):
            places[letter] = each.draft.at[each.draft.text.index(letter)]
    last = text.index("&") if "&" in text else text.rindex("c")
    assert places == {"a": text.index("ab"), "b": text.index("ab") + 1, "c": last}


def test_errors(tmp_path: Path) -> None:
    with raises(ArgumentError, "examples-in-text"):
        texts("a\n", "x.txt")
    with raises(GrammarError, "include-failed"):
        texts("```msg\n{::include missing}\n```\n", str(tmp_path / "x.md"), folder=tmp_path)
    with raises(GrammarError, "xml-malformed"):
        texts("<rfc>", "x.xml")
