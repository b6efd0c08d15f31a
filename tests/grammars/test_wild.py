"""Wrong texts from public threads and test suites: what each is read as, exactly, and what was missed.

A line of the files is a text, where people saw the fault (``start`` to ``end``), what they meant (``fixes``;
none where nobody can know) and where it is from. These were written down before any answer was looked at.
``codes``, ``blamed`` and ``suggestion`` are the answer; ``miss`` tells why it is not what was meant.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import abnforge
from abnforge.explain.fixes import Fixer
from tests.grammars.test_mistakes import bound, reader
from tests.law import each_row, one_in
from tests.places import DATA

FILES = {"wild_dates": "rfc3339", "wild_addresses": "rfc5321"}

Row = dict[str, Any]
ROWS = [
    (name, json.loads(line))
    for file, name in FILES.items()
    for line in (DATA / f"{file}.jsonl").read_text("utf-8").splitlines()
]


@each_row(("name", "row"), one_in(4, ROWS))
def test_a_text_is_read_so(name: str, row: Row) -> None:
    reading = reader(name, row["rule"]).interpret(row["input"])
    mended = Fixer(bound(name)).fix(reading)
    assert list(reading.codes) == row["codes"]
    assert [list(found.span) for found in reading.all_mistakes] == row["blamed"]
    assert (mended and mended.text) == row["suggestion"]


@each_row(("name", "row"), ROWS[::5])
def test_explanations_tell_the_same(name: str, row: Row) -> None:
    rejection = abnforge.load(name)[row["rule"]].explain(row["input"], suggest=True)
    assert rejection is not None
    assert rejection.code == row["codes"][0]
    assert (rejection.suggestion and rejection.suggestion.text) == row["suggestion"]


def touches(row: Row, span: list[int]) -> bool:
    return bool(span[0] <= row["end"] and row["start"] <= span[1])


def missed(row: Row) -> list[str]:
    """What of an answer is not what people said: nothing, or some of ``place`` and ``fix``."""
    wrong = [] if touches(row, min(row["blamed"])) else ["place"]
    wanted = row["suggestion"] in row["fixes"] if row["fixes"] else row["suggestion"] is None
    return wrong if wanted else [*wrong, "fix"]


def test_an_answer_is_right_or_a_known_miss() -> None:
    """``miss`` has a reason for each thing that is wrong, and for nothing else."""
    for _, row in ROWS:
        assert list(row.get("miss", {})) == missed(row), row
        assert all(row.get("miss", {}).values()), row


@pytest.mark.parametrize("file", FILES)
def test_evidence_is_wide(file: str) -> None:
    rows = [json.loads(line) for line in (DATA / f"{file}.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) >= 120
    assert len({row["input"] for row in rows}) == len({row["id"] for row in rows}) == len(rows)
    assert all(row["source"] and row["kind"] for row in rows)
    assert all(0 <= row["start"] <= row["end"] <= len(row["input"]) for row in rows)


# Valid, though the calendar, a server or a person may refuse them: never called wrong.
SUSPECTED = {
    "rfc3339": """
        2024-13-01T00:00:00Z 2024-00-00T00:00:00Z 1990-02-31T15:59:59.123-08:00 2100-02-29T15:15:15Z
        1990-12-31T24:00:00Z 1985-04-12T25:61:99Z 1998-12-31T23:59:61Z 1998-12-31T22:59:60Z
        1990-12-31T15:59:59-24:00 1990-12-31T10:00:00+10:60 2006-01-01T00:00:00-00:00 0000-00-00T00:00:00z
        1985-04-12t23:20:50z 1985-04-12T00:59:59.999999999999999999999Z 2024-12-11T10:09:08.7+99:99""",
    "rfc5321": """
        test@255.255.255.255 test@io test@1 joe.bloggs@[127.0.0.300] ""@iana.org a@[2a00:1450:4001:c02::1b]
        a@[IPv6:x] a@[mailto:b] user%example.com@example.org mailhost!user@example.org {name}@example.com
        $A12345@example.com john+tag@gmial.com name@gmailcom j.doe@example.c0m test@c--n.com 'a'@b.org -@a
        noreply@localhost ~test~@example.com !#$%&'*+-/=?^_`{|}~@example.com a@xn--9ca.org *@example.com
        "a@b"@c.org "a..b"@c.org""",
}


@each_row(("name", "text"), [(name, text) for name, all_ in SUSPECTED.items() for text in all_.split()])
def test_valid_though_suspected(name: str, text: str) -> None:
    rule = abnforge.load(name).start
    assert rule.matches(text)
    assert reader(name, rule.name).interpret(text).mistakes == ()
