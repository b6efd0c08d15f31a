"""Edits to a source that earlier edits have changed are mapped to the original source."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import strategies as st

from abnforge.grammar.source_map import (
    ExtractedSource,
    OverlapError,
    SourceMap,
    apply,
    carried,
    disjoint,
    edits_in_order,
    joined,
    written,
)
from abnforge.rejection import Edit
from abnforge.text import Source
from tests.law import each_row, law


def test_edits_of_a_changed_text_are_reported_in_offsets_of_the_first() -> None:
    draft = SourceMap("[0-9]+ x", start=10)
    draft.apply([Edit(0, 5, "DIGIT")])
    assert draft.text == "DIGIT+ x"
    assert draft.original(Edit(0, 0, "1*")) == Edit(10, 10, "1*")
    assert draft.original(Edit(5, 6, "")) == Edit(15, 16, "")
    assert draft.span(0, 5) == (10, 15)
    with pytest.raises(OverlapError):
        draft.original(Edit(4, 6, ""))


def excerpt(plain: bool = True) -> ExtractedSource:
    """Return the source ``ab = "&"`` of a document that writes "&" as an entity."""
    document = Source('  ab\n  = "&amp;"', "document")
    parts = [
        SourceMap("ab", 2),
        written(" ", 4),
        SourceMap("= ", 7),
        SourceMap('"', 9),
        written("&", 10),
        SourceMap('"', 15),
    ]
    draft = joined(parts)
    return ExtractedSource(draft.text, "document", draft, document, plain)


def test_an_excerpt_has_the_places_of_its_document() -> None:
    source = excerpt()
    assert source.text == 'ab = "&"'
    assert [source.position(offset) for offset in range(len(source.text) + 1)] == [
        *[(1, 3), (1, 4), (1, 5), (2, 3), (2, 4), (2, 5), (2, 6), (2, 11), (2, 12)]
    ]
    assert source.line(2) == '  = "&amp;"'
    assert [source.offset(*source.position(offset)) for offset in range(9)] == list(range(9))


@each_row(
    ("edits", "plain", "made"),
    [
        ([Edit(0, 2, "x")], True, (Edit(2, 4, "x"),)),
        ([Edit(0, 0, "x"), Edit(3, 4, "=/")], False, (Edit(2, 2, "x"), Edit(7, 8, "=/"))),
        ([Edit(0, 2, "<x>")], False, ()),
        ([Edit(0, 2, "<x>")], True, (Edit(2, 4, "<x>"),)),
        ([Edit(0, 2, "x\n")], True, ()),
        ([Edit(6, 7, "x")], True, ()),
        ([Edit(0, 4, "x")], True, ()),
        ([Edit(0, 2, "x"), Edit(6, 7, "x")], True, ()),
        ([], True, ()),
    ],
)
def test_edits_of_an_excerpt_are_made_in_its_document_or_not_at_all(
    edits: list[Edit], plain: bool, made: tuple[Edit, ...]
) -> None:
    assert carried(excerpt(plain), edits) == made
    assert carried(Source("ab = c"), edits) == tuple(edits)


def test_what_was_taken_out_before_goes_with_what_follows() -> None:
    draft = SourceMap("x\\*")
    draft.apply([Edit(1, 2, "")])
    assert draft.original(Edit(1, 2, "")) == Edit(1, 3, "")


def test_an_insertion_stands_before_a_replacement() -> None:
    edits = [Edit(2, 4, "b"), Edit(2, 2, "a"), Edit(2, 4, "b"), Edit(0, 1, "")]
    assert edits_in_order(edits) == [Edit(0, 1, ""), Edit(2, 2, "a"), Edit(2, 4, "b")]
    assert disjoint(edits_in_order(edits))
    assert not disjoint([Edit(0, 2, ""), Edit(1, 3, "")])
    assert apply("012345", edits) == "1ab45"


TEXT = "abcdefgh"
PLACES = st.lists(st.integers(0, len(TEXT)), min_size=4, max_size=4, unique=True).map(sorted)


@law(PLACES, PLACES, st.text("xy", max_size=3), few=20, many=2_000)
def test_spans_lie_in_the_authors_text_and_in_its_order(
    first: list[int], second: list[int], text: str
) -> None:
    draft = SourceMap(TEXT)
    draft.apply([Edit(first[0], first[1], text), Edit(first[2], first[3], "")])
    ends = [end for start, end in pairwise(second) if end <= len(draft.text)]
    spans = [draft.span(start, end) for start, end in pairwise([0, *ends])]
    assert all(0 <= start <= end <= len(TEXT) for start, end in spans)
    assert all(left[0] <= right[0] for left, right in pairwise(spans))
    for char, at, own in zip(draft.text, draft.at, draft.own, strict=False):
        assert not own or TEXT[at] == char
