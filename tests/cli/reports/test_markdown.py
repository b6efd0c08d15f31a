"""Text of any kind in a cell of a Markdown table."""

from __future__ import annotations

from abnforge.cli.reports.markdown import code, plain
from tests.law import each_row

CODES = [
    ("a", "`a`"),
    ("", "*(empty)*"),
    ("a|b", "<code>a&#124;b</code>"),
    ("`", "<code>&#96;</code>"),
    ("\\|", "<code>&#92;&#124;</code>"),
    (" <", "<code>&#32;&lt;</code>"),
    ("\n", "<code>&#92;n</code>"),
]


@each_row(("text", "shown"), CODES)
def test_code_in_a_cell(text: str, shown: str) -> None:
    assert code(text) == shown


def test_text_in_a_cell() -> None:
    assert plain("a_b|c <x> & *") == "a\\_b\\|c &lt;x&gt; &amp; \\*"
