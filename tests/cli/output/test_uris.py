"""Output that consists of only the URIs."""

from __future__ import annotations

from abnforge import uri
from abnforge.cli.common.output import PLAIN
from abnforge.cli.output.uris import SHOWN_COLUMNS, Uris, change_lines, component_lines, masked, shown
from abnforge.uri import compare_editions
from abnforge.uri.scan import LineBlock, places
from tests.cli.output.outcomes import run


def test_one_a_line_and_put_together() -> None:
    result = places(LineBlock("f", 1, "<http://a/\n  b> tel:1"))
    assert run(Uris, *result) == "http://a/b\ntel:1\n"


def test_undefined_is_not_empty() -> None:
    lines = list(component_lines(uri.parse("//h!:/?").to_dict(), PLAIN))
    assert lines[0] == 'URI-reference  "//h!:/?"'
    rows = {line[2:].split("  ")[0]: line.split("  ")[-1].strip() for line in lines[1:]}
    assert (rows["scheme"], rows["host"], rows["port"]) == ("undefined", '"h!"', '""')
    assert (rows["query"], rows["fragment"], rows["host kind"]) == ('""', "undefined", "reg-name")


def test_lists_and_controls() -> None:
    plain = {"rule": "r", "text": "\x1b", "some_parts": ["a", "\u202e"], "none": []}
    assert list(component_lines(plain, PLAIN)) == [
        'r  "\\x1b"',
        '  some parts  "a"  "\\u202e"',
        "  none        none",
    ]


def test_no_password_is_shown() -> None:
    assert masked("http://u:secret@h/") == "http://u:***@h/"
    lines = change_lines(compare_editions("http://u:secret@a_b/", "http://a/"), PLAIN)
    assert any("u:***" in line for line in lines)
    assert not any("secret" in line for line in lines)


def test_empty_is_not_undefined() -> None:
    lines = list(change_lines(compare_editions("mailto:a?"), PLAIN))
    assert lines == ["  path       a?  ->  a", "  query      undefined  ->  (empty)"]


def test_reasons_stand_below_what_they_explain() -> None:
    result = compare_editions("?y", "http://a/b")
    assert result.rejections[0] is not None
    head, reason, target = change_lines(result, PLAIN)
    assert head == "  valid      no  ->  yes"
    assert reason == f"             RFC 2396: {result.rejections[0].message}"
    assert target.startswith("  target     ")


def test_a_long_string_is_cut_and_controls_are_escaped() -> None:
    assert len(shown("a" * 3 * SHOWN_COLUMNS)) <= SHOWN_COLUMNS
    assert shown("\x1b") == "\\x1b"
