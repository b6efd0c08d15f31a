"""One value of each string, or the reason why there is none."""

from __future__ import annotations

from abnforge import uri
from abnforge.cli.common.inputs import Item, decode
from abnforge.cli.common.transform import transform


def test_every_record_has_a_result() -> None:
    records = [Item("f", 1, "A:b"), Item("f", 2, "a b"), decode(b"\xff", "f", 3)]
    good, refused, unreadable = transform(records, uri.normalize, "normal", uri.parse)
    assert [good.valid, refused.valid, unreadable.valid] == [True, False, False]
    assert good.to_dict() == {
        "source": "f",
        "line": 1,
        "input": "A:b",
        "normal": "a:b",
        "components": uri.normalize("A:b").to_dict(),
    }
    assert refused.to_dict() == {"source": "f", "line": 2, "input": "a b", "error": str(refused.error)}
    assert unreadable.to_dict()["input"] is None
    assert "not UTF-8" in unreadable.to_dict()["error"]
