"""SQLite: functions of queries and of CHECK constraints."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from abnforge.integrations import sqlite


@pytest.fixture
def opened() -> Iterator[sqlite3.Connection]:
    """Closed at the end: newer Pythons warn of a connection that is not."""
    made = sqlite3.connect(":memory:")
    yield made
    made.close()


@pytest.fixture
def connection(opened: sqlite3.Connection) -> sqlite3.Connection:
    sqlite.register(opened, "is_uri", "rfc3986:URI")
    return opened


@pytest.fixture
def patterns(opened: sqlite3.Connection) -> sqlite3.Connection:
    sqlite.register_regexp(opened)
    return opened


@pytest.mark.parametrize(
    ("value", "verdict", "why"),
    [
        ("http://a/", 1, None),
        (None, None, None),
        (
            "http://a\n",
            0,
            "space-after",
        ),
        (b"a:b", 1, None),
        (b"\xff", 0, "not-utf-8"),
    ],
)
def test_functions(
    connection: sqlite3.Connection, value: object, verdict: int | None, why: str | None
) -> None:
    [(found, reason)] = connection.execute("SELECT is_uri(?1), is_uri_why(?1)", (value,)).fetchall()
    assert (found, reason and reason.partition(":")[0]) == (verdict, why)


def test_numbers_are_no_texts(connection: sqlite3.Connection) -> None:
    """Any column of SQLite can hold some; a query does not end at the first."""
    [found] = connection.execute("SELECT is_uri(3), is_uri(2.5), is_uri_why(3)").fetchall()
    assert found[:2] == (0, 0)
    assert found[2].startswith("no-text: ")


def test_constraints_and_indexes(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE links (url TEXT CHECK (is_uri(url)))")
    connection.execute("CREATE INDEX wrong ON links (url) WHERE NOT is_uri(url)")  # it is deterministic
    connection.executemany("INSERT INTO links VALUES (?)", [("a:",), (None,)])
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        connection.execute("INSERT INTO links VALUES ('a b')")
    connection.execute("CREATE TABLE numbers (url CHECK (is_uri(url)))")
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        connection.execute("INSERT INTO numbers VALUES (5)")


@pytest.mark.parametrize(
    ("text", "verdict"), [("a", 1), ("a\n", 0), ("A", 0), ("\u00e9", 1), ("a\0b", 0), ("", 0), (None, None)]
)
def test_an_operator_for_patterns(
    patterns: sqlite3.Connection, text: str | None, verdict: int | None
) -> None:
    assert patterns.execute(r"SELECT ? REGEXP '\A[a\u00e9]\Z'", (text,)).fetchall() == [(verdict,)]
    assert patterns.execute("SELECT 'a' REGEXP NULL").fetchall() == [(None,)]


@pytest.mark.parametrize("wrong", ["3 REGEXP 'a'", "x'61' REGEXP 'a'", "'a' REGEXP '('"])
def test_what_is_no_text_or_no_pattern_is_an_error(patterns: sqlite3.Connection, wrong: str) -> None:
    with pytest.raises(sqlite3.OperationalError, match="user-defined"):
        patterns.execute(f"SELECT {wrong}").fetchall()
