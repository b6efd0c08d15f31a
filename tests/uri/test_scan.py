"""URIs in running text: RFC 3986, appendix C, and their positions in a file."""

from __future__ import annotations

import sys
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abnforge import uri
from abnforge.uri import Found, Wrapper, scan
from abnforge.uri.scan import LineBlock, blocks, places
from tests.law import each_row, one_in
from tests.raising import raises

ANGLE, QUOTES, PLAIN = Wrapper
APPENDIX_C = """\
      Yes, Jim, I found it under "http://www.w3.org/Addressing/",
      but you can probably pick it up from <ftp://foo.example.
      com/rfc/>.  Note the warning in <http://www.ics.uci.edu/pub/
      ietf/uri/historical.html#WARNING>.
"""


def test_appendix_c() -> None:
    uris = list(scan(APPENDIX_C))
    assert [(f.uri, f.wrapper, len(f.pieces)) for f in uris] == [
        ("http://www.w3.org/Addressing/", QUOTES, 1),
        ("ftp://foo.example.com/rfc/", ANGLE, 2),
        ("http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING", ANGLE, 2),
    ]
    assert [f.joined for f in uris] == [False, True, True]
    assert [APPENDIX_C[p.start : p.end] for p in uris[1].pieces] == ["ftp://foo.example.", "com/rfc/"]


@pytest.mark.parametrize("text", ['"http://example.com/"', "<http://example.com/>", " http://example.com/ "])
def test_wrappers_are_no_part_of_the_uri(text: str) -> None:
    (result,) = scan(text)
    assert (result.uri, result.start, result.end) == ("http://example.com/", 1, 20)


WRAPPED = [
    # Whitespace is ignored.
    ("<http://a/b c\t d>", ["http://a/bcd"]),
    ("< http://a/ >", ["http://a/"]),
    ("<http://a/\r\n  b>", ["http://a/b"]),
    ('"http://a/\n  b"', ["http://a/b"]),
    # A URI continues across a line end only in double quotes.
    ('"http://a/ b"', ["http://a/"]),
    ('"a" http://b/\nc "d"', ["http://b/"]),
    ('"x"\nhttp://b/\nc"d"', ["http://b/"]),
    # A URI never continues across an empty line.
    ("<http://a/\n\nb>", ["http://a/"]),
    ('"http://a/\n \t\nb"', ["http://a/"]),
    # "URL:"
    ("<URL:http://a/>", ["http://a/"]),
    ("<url: http://a/>", ["http://a/"]),
    ('"URL:\nfoo:bar"', ["foo:bar"]),
    # Not a wrapper.
    ("<a href='http://a/'>", ["http://a/"]),
    ('<a href="http://a/b.">', ["http://a/b."]),
    ("<http://a/", ["http://a/"]),
    ("<<http://a/>>", ["http://a/"]),
    ('"http://a/', ["http://a/"]),
    ('see "http://a/" and "http://b/"', ["http://a/", "http://b/"]),
    ("<http://a/|>", ["http://a/"]),
    ("<http://a/>http://b/", ["http://a/", "http://b/"]),
    # Not a URI to a reader.
    ("<xs:element>", []),
    ('{"a:b": "c:d"}', []),
    ('"note: x"', []),
    ("<>", []),
    ('""', []),
    ("<URL:>", []),
    ("<mailto:>", []),
    ("<URL: :>", []),
]
PLAIN_TEXT = [
    ("http://a/", ["http://a/"]),
    ("éhttp://a/", ["http://a/"]),
    ("...http://a/", ["http://a/"]),
    ("1http://a/", ["http://a/"]),
    ("HTTP://A/", ["HTTP://A/"]),
    ("http://a/\nb", ["http://a/"]),
    ("http://a-\nb/", ["http://a-"]),
    ("http://a\u00a0b", ["http://a"]),
    # Punctuation that belongs to the sentence.
    ("Is it http://a/?", ["http://a/"]),
    ("http://a/b.c, http://a/d!?", ["http://a/b.c", "http://a/d"]),
    ("(http://a/)", ["http://a/"]),
    ("(see http://a/b_(c).)", ["http://a/b_(c)"]),
    ("[x](http://a/y)", ["http://a/y"]),
    ("[http://[::1]/]", ["http://[::1]/"]),
    ("http://[::1]", ["http://[::1]"]),
    ("*http://a/*", ["http://a/"]),
    ("'http://a/'", ["http://a/"]),
    ("http://a/;", ["http://a/"]),
    ("http://a:", ["http://a"]),
    ("http://a/?b#c.", ["http://a/?b#c"]),
    # For some schemes, the scheme is enough. After "URL:", any scheme is enough.
    ("mail mailto:a@b.c.", ["mailto:a@b.c"]),
    ("URN:ISBN:0-330-25864-8", ["URN:ISBN:0-330-25864-8"]),
    ("see:mailto:a@b", ["mailto:a@b"]),
    ("URL:foo:bar", ["foo:bar"]),
    ("URL: foo:bar", ["foo:bar"]),
    ("URL:URL:foo:bar", ["foo:bar"]),
    ("url:http://a/", ["http://a/"]),
    # Not a URI to a reader.
    ("note: x", []),
    ("std::vector", []),
    ("12:30", []),
    ("a://", []),
    ("a:// b", []),
    ("mailto:", []),
    ("mailto: a@b", []),
    ("http:a", []),
    ("http://.", []),
    ("http://[", []),
    ("URL:.", []),
    ("//a/b", []),
    ("", []),
]


@each_row(("text", "uris"), [*WRAPPED, *PLAIN_TEXT])
def test_scan(text: str, uris: list[str]) -> None:
    assert [f.uri for f in scan(text)] == uris


def test_every_scheme_can_be_believed() -> None:
    text = "std::vector <xs:element>"
    assert [f.uri for f in scan(text, schemes=None)] == ["std::vector", "xs:element"]
    assert [f.uri for f in scan(text, schemes={"xs"})] == ["xs:element"]


@pytest.mark.parametrize(
    ("text", "hyphens", "without"),
    [
        ("<http://a/b-\n  c>", (11,), "http://a/bc"),
        ('"http://a/b-\nc-d-\ne"', (11, 16), "http://a/bc-de"),
        ("<http://a/b- c>", (), None),  # the line is not broken here
        ("<http://a/b\n-c>", (), None),
    ],
)
def test_hyphens_at_the_end_of_a_line(text: str, hyphens: tuple[int, ...], without: str | None) -> None:
    (result,) = scan(text)
    assert result.hyphens == hyphens
    assert "".join(text[p.start : p.end] for p in result.pieces) == result.uri
    assert result.without_hyphens == without


@each_row(
    ("text", "cut"),
    [
        ("http://a/b|c", True),
        ("http://a/{x}", True),
        ("http://a/%zz", True),
        ("http://h:80x/", True),
        ("http://a/é", True),
        ("http://a/.\\", True),
        ("http://a/。", False),
        ("http://a/” x", False),
        ("`http://a/`", False),
        ("http://a/.", False),
        ("http://a/ b", False),
        ("http://a/", False),
    ],
)
def test_a_uri_that_may_be_part_of_something_longer_is_marked(text: str, cut: bool) -> None:
    (result,) = scan(text)
    assert result.cut is cut


def test_repr_hides_the_password() -> None:
    assert repr(list(scan(" ftp://u:secret@h/"))) == "[Found('ftp://u:***@h/', plain, 1:18)]"


def test_only_a_str_is_scanned() -> None:
    with raises(TypeError, "argument-bytes", name="text", type="bytes"):
        scan(b"http://a/")  # type: ignore[arg-type]


def check(text: str, found: list[Found]) -> None:
    end = 0
    for f in found:
        assert uri.is_valid(f.uri)
        assert "".join(text[p.start : p.end] for p in f.pieces) == f.uri
        for piece in f.pieces:
            assert end <= piece.start < piece.end
            end = piece.end


@given(
    st.lists(st.sampled_from([*'<>" \n-.()[]é|', "http:", "//", "a", "b@c", "URL:", "mailto:"]), max_size=14)
)
@example(["<", "http:", "//", "a", "\n", "b@c", ">"])
def test_what_is_found_is_valid_and_stands_there_in_order(parts: list[str]) -> None:
    text = "".join(parts)
    for schemes in (frozenset[str](), None):
        check(text, list(scan(text, schemes)))


@given(st.from_regex(r"\A[a-z]{1,4}://[a-z]{1,9}(/[a-z.,;'()%41!-]{0,9})?(\?[a-z=&]{0,5})?[a-z/]\Z"))
@example("http://a/(b")
def test_a_delimited_uri_is_found_as_it_is(text: str) -> None:
    if not uri.is_valid(text):
        return
    for before, after in (("<", ">"), ('"', '"'), (" ", " "), ("", ". "), ("", "\n")):
        assert [f.uri for f in scan(f"x {before}{text}{after} y")] == [text]


@pytest.mark.parametrize(
    "unit", one_in(3, ["http://|", "<", '"', "a.", "http://[v1.a:", "http://h:x", "mailto:", "URL:"])
)
def test_hostile_repetition_is_linear(unit: str) -> None:
    """For twenty thousand repetitions, scanning everything twice would take minutes."""
    text = unit * 20_000
    check(text, list(scan(text)))


class Line(NamedTuple):
    """A line of an input."""

    source: str
    line: int
    text: str


def lines(*texts: str, source: str = "f") -> list[Line]:
    return [Line(source, number, text) for number, text in enumerate(texts, 1)]


def test_a_blank_line_and_another_file_end_a_block() -> None:
    read = [*lines("", "a", "b", " \t", "c"), *lines("d", source="g")]
    assert list(blocks(read)) == [LineBlock("f", 2, "a\nb"), LineBlock("f", 5, "c"), LineBlock("g", 1, "d")]


def test_a_long_string_is_cut_at_the_end_of_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["abnforge.uri.scan"], "MAX_BLOCK_CHARS", 3)
    assert [block.text for block in blocks(lines("ab", "cd", "ef"))] == ["ab\ncd", "ef"]


def test_places() -> None:
    [place] = places(LineBlock("f", 7, "x <http://u:a-\n  b@h/>"))
    assert (place.source, place.found.uri) == ("f", "http://u:a-b@h/")
    assert place.pieces == ((7, 4, 15), (8, 3, 7))
    assert place.hyphens == ((7, 14),)
    assert place.masked().found.uri == "http://u:***@h/"
    assert place.masked().found.without_hyphens == "http://u:**@h/"


def test_schemes() -> None:
    block = LineBlock("f", 1, "a:b tel:1")
    assert [place.found.uri for place in places(block)] == ["tel:1"]
    assert [place.found.uri for place in places(block, None)] == ["a:b", "tel:1"]
