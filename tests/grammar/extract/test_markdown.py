"""Fenced blocks in Markdown and kramdown-rfc."""

from __future__ import annotations

from abnforge.grammar.extract import extract
from abnforge.grammar.reader import read
from tests.law import each_row

DRAFT = """\
---
title: "x = y"
--- abstract

In what follows, x = y.

--- middle

# Introduction

# Syntax {#syntax}

## Parts {#parts}

~~~ abnf
pair  = "e" value
      / name
~~~
{: #fig title="Pairs"}

~~~
value = "x"
~~~
{: type="abnf" }

~~~ json
{"a": "b"}
~~~

# Thanks
{:numbered="false"}

# Unnumbered {:numbered="false"}

# More

```abnf
more = name
```

--- back

# Rest

## Names

{:.language-abnf}
~~~~
name = 1*ALPHA
~~~~
"""


def test_kramdown_rfc() -> None:
    extraction = extract(DRAFT, "draft.md")
    assert (extraction.form, extraction.remarks) == ("markdown", ())
    expected = (
        '; Section 2.1\npair  = "e" value\n      / name\n\nvalue = "x"\n\n'
        "; Section 3\nmore = name\n\n; Appendix A.1\nname = 1*ALPHA\n"
    )
    assert extraction.source.text == (expected)
    assert extraction.source.position(extraction.source.text.index("/ name")) == (17, 7)
    assert [rule.section for rule in read(extraction.source).rules] == ["2.1", "2.1", "3", "A.1"]


@each_row(
    "block",
    [
        "```abnf\na = b\n```\n",
        "``` abnf\na = b\n```\n",
        "```ABNF title=x\na = b\n````\n",
        "```{.abnf}\na = b\n```\n",
        "~~~ {: .language-abnf}\na = b\n~~~\n",
        "~~~~ abnf9110\na = b\n~~~~~\n",
        "- item\n\n    ```abnf\n    a = b\n    ```\n",
        "> ```abnf\n> a = b\n> ```\n",
        "~~~\na = b\n~~~\n{: #fig type='abnf' title=\"x\"}\n",
        "~~~\na = b\n~~~\n{: sourcecode-type=abnf}\n",
        "~~~\na = b\n~~~\n{:.abnf}\n",
        "{:.abnf #x}\n~~~\na = b\n~~~\n",
        "```abnf\na = b\n",
        "```abnf\r\na = b\r\n```\r\n",
        "````abnf\na = b\n```\n````\n".replace("```\n````", "````"),
    ],
)
def test_blocks_marked_as_abnf(block: str) -> None:
    extraction = extract(f"# 3.1. Title\n\n{block}", "x.md")
    assert extraction.source.text == "; Section 3.1\na = b\n"
    assert extraction.remarks == ()


@each_row(
    ("block", "counts"),
    [
        ("```\na = %x61\n```\n", [True]),
        ("```text\na = %x61\n```\n", []),
        ("```abnormal\na = %x61\n```\n", []),
        ("a = %x61\n", []),
        ("``` a`b\na = %x61\n", []),
        ("```\nno rule\n```\n", []),
        ("```\n", []),
    ],
)
def test_blocks_not_marked_as_abnf(block: str, counts: list[bool]) -> None:
    extraction = extract(f"~~~abnf\nc = d\n~~~\n\n{block}", "x.md")
    assert extraction.source.text == "c = d\n"
    assert [remark.counts for remark in extraction.remarks] == counts


@each_row("text", ["", "```", "```abnf", "```abnf\n", "> ```abnf\n>", "~~~\n{:", "# {#", "--- middle"])
def test_nothing_to_extract(text: str) -> None:
    extraction = extract(text, "x.md")
    assert (extraction.rules, extraction.source.text.strip()) == (0, "")


def test_a_block_in_a_quotation_keeps_its_places() -> None:
    source = extract("> text\n> > ```abnf\n> > a = b\n> >   / c\n> > ```\n", "x.md").source
    assert source.text == "a = b\n  / c\n"
    assert source.position(source.text.index("/")) == (4, 7)


INDENTED = [
    ('# 1. A\n\n    a = b\n      / c\n\n    b = "x"\n\nText.\n', 'a = b\n  / c\n\nb = "x"\n'),
    ('# 1. A\n    a = b\nText\n    b = "x"\n', "a = b\n"),  # an indented line within a paragraph is text
    ("# 1. A\n\n\ta = b\n", "a = b\n"),
    ('# 1. A\n\n    a = b\n```\nb = "x"\n```\n', 'a = b\nb = "x"\n'),
    ("# 1. A\n\n{:.abnf}\n    a = b\n\n    x = 1\n    ; y\n", "a = b\n\nx = 1\n; y\n"),
    ('# 1. A\n\n    a = b\n{: type="abnf"}\n\n    b = "x"\n', "a = b\n"),
    ("# 1. A\n\n   a = b\n", ""),
]


@each_row(("text", "expected"), INDENTED)
def test_indented_blocks(text: str, expected: str) -> None:
    extraction = extract(text, "x.md")
    assert extraction.source.text == (f"; Section 1\n{expected}" if expected else "")


def test_an_indented_block_keeps_its_places() -> None:
    source = extract("Text:\n\n    a = b\n        / c\n", "x.md").source
    assert source.position(source.text.index("/ c")) == (4, 9)
