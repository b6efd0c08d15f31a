"""Blocks in HTML, and the positions of their characters."""

from __future__ import annotations

import pytest

from abnforge.grammar.extract import extract
from abnforge.grammar.extract.markup import MAX_OPEN
from abnforge.grammar.reader import read
from tests.law import each_row

PAGE = """\
<!DOCTYPE html>
<html><head><title>x = y</title><script>a = "<pre>"</script></head>
<body>
<h2 id="s-3"><a href="#s-3" class="section-number">3.&nbsp;</a><a>Syntax</a></h2>
<p>In what follows, <code>x = y</code>.</p>
<div class="sourcecode lang-abnf"><pre>
  <a href="#x">pair</a>  = "e" &lt;value&gt;   ; &quot;one&quot; &#38;
        / <em>name</em>
</pre></div>
<h3>Appendix A. Rest<a class="pilcrow">&para;</a></h3>
<pre><code class="language-abnf">name = 1*ALPHA
</code></pre>
<pre class="json">{}</pre>
</body></html>
"""


def test_blocks() -> None:
    extraction = extract(PAGE, "page.html")
    assert extraction.form == "html"
    expected = '; Section 3\npair  = "e" <value>   ; "one" &\n      / name\n\n; Appendix A\nname = 1*ALPHA\n'
    assert extraction.source.text == (expected)
    assert [rule.section for rule in read(extraction.source).rules] == ["3", "A"]


def test_each_character_has_its_place() -> None:
    result = extract(PAGE, "page.html").source
    lines = PAGE.split("\n")
    own = [offset for offset in range(len(result.text)) if result.draft.own[offset]]
    assert len(own) > 40
    for offset in own:
        line, column = result.position(offset)
        assert lines[line - 1][column - 1] == result.text[offset]
    assert result.position(result.text.index("<value>")) == (7, 32)


@each_row(
    "before",
    [
        '<pre class="abnf">',
        '<pre class="x lang-abnf y">',
        '<div class="highlight-source-abnf"><pre>',
        '<figure class="ABNF"><div><pre>',
        '<pre><code class="language-abnf">',
        "<PRE CLASS='abnf'>",
        "<pre class=abnf>",
    ],
)
def test_blocks_marked_as_abnf(before: str) -> None:
    assert extract(f"<pre>b = a</pre>{before}a = b</pre>", "x.html").source.text == "a = b\n"


@pytest.mark.parametrize("before", ['<pre class="abnormal">', '<div class="abnf"></div><pre>', "<pre>"])
def test_blocks_not_marked_as_abnf(before: str) -> None:
    extraction = extract(f'{before}a = b</pre><pre class="abnf">c = d</pre>', "x.html")
    assert extraction.source.text == "c = d\n"
    assert [remark.counts for remark in extraction.remarks] == [True]


PAGES = """\
<!DOCTYPE html>
<html><body>
<pre>RFC 3986                   URI Generic Syntax               January 2005</pre>
<pre class="newpage"><span class="h3"><a class="selflink" id="s-3.2">3.2</a>.  Parts</span>

   Text about <a href="./rfc5234">RFC5234</a>.

      a = b
        / c

<span class="grey">Berners-Lee, et al.         Standards Track       [Page 17]</span></pre>
<pre class="newpage"><span class="grey">RFC 3986      URI Generic Syntax    January 2005</span>


        / d
      b = "&lt;"
</pre></body></html>
"""


def test_pages_of_plain_text_are_one_text() -> None:
    extraction = extract(PAGES, "x.html")
    expected = '; Section 3.2\na = b\n  / c\n  / d\n\nb = "<"\n'
    assert extraction.source.text == expected
    assert extraction.source.position(extraction.source.text.index("/ d")) == (15, 9)
    assert extraction.source.position(extraction.source.text.index('"<"')) == (16, 11)


@each_row(
    ("text", "extracted"),
    [
        ("<pre class=abnf>a = b", "a = b\n"),
        ("<pre class=abnf>a = b<!-- never ends", "a = b\n"),
        ("<pre class=abnf>a = b<![x", "a = b\n"),
        ("<pre class=abnf>a = b</pre></div></pre></h2></code>", "a = b\n"),
        ("<div><div class=abnf></section><pre>a = b", "a = b\n"),
        ("<pre class=abnf>a = &nosuch; b", "a = &nosuch; b\n"),
        ("<pre class=abnf>a = &#x; b", "a = &#x; b\n"),
        ("", ""),
    ],
)
def test_html_that_is_damaged(text: str, extracted: str) -> None:
    assert extract(text, "x.html").source.text == extracted


@pytest.mark.parametrize("tail", ["<!-- x", "<![<!", "</#<", "<a b='c"])
def test_skipped_blocks_are_reported(tail: str) -> None:
    extraction = extract(f"<pre class=abnf>a = b</pre>\n\n{tail}<pre class=abnf>c = d</pre>", "x.html")
    assert extraction.source.text == "a = b\n"
    assert [(each.first, each.counts) for each in extraction.remarks] == [(3, True)]


def test_elements_nested_deeply() -> None:
    inner = '<div class="abnf"><pre>a = b</pre></div>'
    assert extract("<div>" * (MAX_OPEN - 1) + inner, "x.html").source.text == "a = b\n"
    # Beyond the limit, the context of a block is unknown, so the block does not count as ABNF.
    assert extract("<div>" * (2 * MAX_OPEN) + inner, "x.html").source.text == "a = b\n"
    both = "<div>" * (2 * MAX_OPEN) + inner + "<pre class=abnf>c = d</pre>"
    [remark] = extract(both, "x.html").remarks
    assert (remark.message.code, remark.message.data) == ("block-unmarked", {"rules": ("a",)})
