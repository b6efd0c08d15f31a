"""Strings that the two RFCs treat differently are sorted and counted."""

from __future__ import annotations

from abnforge import uri
from abnforge.cli.common.inputs import StringRecord, Unreadable, decode
from abnforge.cli.common.uris import Changed, Changes, transform


def test_every_record_has_a_result() -> None:
    records = [StringRecord("f", 1, "A:b"), StringRecord("f", 2, "a b"), decode(b"\xff", "f", 3)]
    good, rejected, unreadable = transform(records, uri.normalize, "normal", uri.parse)
    assert [good.valid, rejected.valid, unreadable.valid] == [True, False, False]
    assert good.to_dict() == {
        "source": "f",
        "line": 1,
        "input": "A:b",
        "normal": "a:b",
        "components": uri.normalize("A:b").to_dict(),
    }
    assert rejected.to_dict() == {"source": "f", "line": 2, "input": "a b", "error": str(rejected.error)}
    assert unreadable.to_dict()["input"] is None
    assert "not UTF-8" in unreadable.to_dict()["error"]


def test_every_record_has_its_turn() -> None:
    bad = Unreadable("f", 3, "not-utf-8", "not UTF-8", 0)
    records = [StringRecord("f", 1, "mailto:a?b"), StringRecord("f", 2, "http://a/"), bad]
    changes = Changes(("rfc2396", "rfc3986"), None)
    first, second, third = changes.among(records)
    assert isinstance(first, Changed)
    assert [change["aspect"] for change in first.to_dict()["changes"]] == ["path", "query"]
    assert second is None
    assert third is bad
    assert (changes.records, changes.changed, changes.unread) == (3, 1, 1)


def test_targets_are_compared_with_a_base() -> None:
    changes = Changes(("rfc2396", "rfc3986"), "http://a/b")
    (result,) = changes.among([StringRecord("f", 1, "/../g")])
    assert isinstance(result, Changed)
    assert [change["aspect"] for change in result.to_dict()["changes"]] == ["target"]
