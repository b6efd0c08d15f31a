"""URIs without passwords, and what changes for them."""

from __future__ import annotations

from abnforge.cli.common.output import PLAIN
from abnforge.cli.reports.uri_changes import SHOWN_COLUMNS, change_lines, masked, shown
from abnforge.uri import compare_editions


def test_no_password_is_shown() -> None:
    assert masked("http://u:secret@h/") == "http://u:***@h/"
    lines = change_lines(compare_editions("http://u:secret@a_b/", "http://a/"), PLAIN)
    assert any("u:***" in line for line in lines)
    assert not any("secret" in line for line in lines)


def test_empty_is_not_undefined() -> None:
    lines = change_lines(compare_editions("mailto:a?"), PLAIN)
    assert lines == ["  path       a?  ->  a", "  query      undefined  ->  (empty)"]


def test_reasons_stand_below_what_they_explain() -> None:
    found = compare_editions("?y", "http://a/b")
    assert found.rejections[0] is not None
    head, reason, target = change_lines(found, PLAIN)
    assert head == "  valid      no  ->  yes"
    assert reason == f"             RFC 2396: {found.rejections[0].message}"
    assert target.startswith("  target     ")


def test_a_long_text_is_cut_and_controls_are_escaped() -> None:
    assert len(shown("a" * 3 * SHOWN_COLUMNS)) <= SHOWN_COLUMNS
    assert shown("\x1b") == "\\x1b"
