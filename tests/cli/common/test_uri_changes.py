"""What changes for strings between the RFCs: in order, and counted."""

from __future__ import annotations

from abnforge.cli.common.inputs import Item, Unreadable
from abnforge.cli.common.uri_changes import Changed, Changes


def test_every_record_has_its_turn() -> None:
    bad = Unreadable("f", 3, "not-utf-8", "not UTF-8", 0)
    records = [Item("f", 1, "mailto:a?b"), Item("f", 2, "http://a/"), bad]
    changes = Changes(("rfc2396", "rfc3986"), None)
    first, second, third = changes.among(records)
    assert isinstance(first, Changed)
    assert [change["aspect"] for change in first.to_dict()["changes"]] == ["path", "query"]
    assert second is None
    assert third is bad
    assert (changes.records, changes.changed, changes.unread) == (3, 1, 1)


def test_targets_are_compared_with_a_base() -> None:
    changes = Changes(("rfc2396", "rfc3986"), "http://a/b")
    (found,) = changes.among([Item("f", 1, "/../g")])
    assert isinstance(found, Changed)
    assert [change["aspect"] for change in found.to_dict()["changes"]] == ["target"]
