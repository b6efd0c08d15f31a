"""The strings that a database table accepts in a column with a CHECK constraint.

A separate statement inserts each string. Only the constraint may reject a string; any other error fails the
test.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

import pytest

from tests.reference import mariadb, postgres

Takes = Callable[[str, Sequence[str | None], str], list[bool]]
"""A constraint on the column ``text``, the strings to insert, and the column's type and collation."""


def duckdb(check: str, texts: Sequence[str | None], kind: str = "VARCHAR") -> list[bool]:
    engine = pytest.importorskip("duckdb")
    with engine.connect() as connection:
        connection.execute(f"CREATE TABLE t (text {kind}, {check})").fetchall()

        def taken(text: str | None) -> bool:
            try:
                connection.execute("INSERT INTO t VALUES (?)", [text]).fetchall()
            except engine.ConstraintException as error:
                if "CHECK constraint failed" not in str(error):
                    raise
                return False
            return True

        return [taken(text) for text in texts]


def sqlite(check: str, texts: Sequence[str | None], kind: str = "TEXT") -> list[bool]:
    from abnforge.integrations.sql import register_regexp

    connection = sqlite3.connect(":memory:")
    register_regexp(connection)
    connection.execute(f"CREATE TABLE t (text {kind}, {check})")

    def taken(text: str | None) -> bool:
        try:
            connection.execute("INSERT INTO t VALUES (?)", [text])
        except sqlite3.IntegrityError as error:
            if "CHECK constraint failed" not in str(error):
                raise
            return False
        return True

    results = [taken(text) for text in texts]
    connection.close()
    return results


def postgresql(check: str, texts: Sequence[str | None], kind: str = "text") -> list[bool]:
    rows = ["null" if text is None else f"convert_from('\\x{text.encode().hex()}', 'UTF8')" for text in texts]
    inserts = [f"INSERT INTO t VALUES ({row}, {value});" for row, value in enumerate(rows)]
    postgres.statements(f"DROP TABLE IF EXISTS t; CREATE TABLE t (id int, text {kind}, {check});")
    _, errors = postgres.statements("\n".join(inserts), stop=False)
    lines, _ = postgres.statements("SELECT id FROM t ORDER BY id;")
    return _found(lines, texts, errors.count("violates check constraint"), errors.count("ERROR:"))


def maria(
    check: str, texts: Sequence[str | None], kind: str = "longtext CHARACTER SET utf8mb4"
) -> list[bool]:
    rows = ["null" if text is None else f"convert(x'{text.encode().hex()}' using utf8mb4)" for text in texts]
    inserts = [f"INSERT INTO t VALUES ({row}, {value});" for row, value in enumerate(rows)]
    begin = "CREATE DATABASE IF NOT EXISTS d; USE d;"
    mariadb.statements(f"{begin} DROP TABLE IF EXISTS t; CREATE TABLE t (id int, text {kind}, {check});")
    _, errors = mariadb.statements(begin + "\n".join(inserts), stop=False)
    lines, _ = mariadb.statements(f"{begin} SELECT id FROM t ORDER BY id;")
    return _found(lines, texts, errors.count("ERROR 4025"), errors.count("ERROR "))


def _found(lines: list[str], texts: Sequence[str | None], refused: int, errors: int) -> list[bool]:
    taken = set(map(int, lines))
    assert (refused, len(taken) + refused) == (errors, len(texts))
    return [row in taken for row in range(len(texts))]


DATABASES: dict[str, Takes] = {
    "duckdb": duckdb,
    "mariadb": maria,
    "postgresql": postgresql,
    "sqlite": sqlite,
}
