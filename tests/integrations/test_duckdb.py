"""DuckDB: a rule as functions and as SQL. The examples run with versions 1.5 and 2."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import abnforge
from abnforge import uri

pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")

from abnforge.integrations import duckdb as adapter  # noqa: E402

TEXTS = ["http://a/", "http://h:80x/", None, "a b", "", "http://a\n", "http://" + 3000 * "a", "é:"]


@pytest.fixture
def connection() -> Iterator[Any]:
    with duckdb.connect() as result:
        result.execute("CREATE TABLE rows (id INTEGER, url VARCHAR)")
        result.executemany("INSERT INTO rows VALUES (?, ?)", list(enumerate(TEXTS)))
        yield result


def test_functions(connection: Any) -> None:
    adapter.register(connection, "is_uri", "rfc3986:URI")
    rule = abnforge.rule("rfc3986:URI")
    rows = connection.sql("SELECT is_uri(url), is_uri_why(url) FROM rows ORDER BY id").fetchall()
    assert [verdict for verdict, _ in rows] == [None if t is None else rule.matches(t) for t in TEXTS]
    for text, (verdict, why) in zip(TEXTS, rows, strict=True):
        if verdict is not False:
            assert why is None
            continue
        assert text is not None
        rejection = rule.explain(text)
        assert rejection is not None
        start, end = rejection.span
        assert why == {
            "code": rejection.code,
            "offset": rejection.offset,
            "start": start,
            "end": end,
            "message": rejection.message,
        }
    adapter.unregister(connection, "is_uri")
    with pytest.raises(duckdb.CatalogException):
        connection.sql("SELECT is_uri('a:')").fetchall()


def test_more_rows_than_a_batch(connection: Any) -> None:
    """DuckDB passes 2,048 rows at a time to a function."""
    adapter.register(connection, "web", uri.policy(schemes=["http"], max_length=2000).rule("rfc3986:URI"))
    texts = "CASE WHEN i % 10 = 0 THEN NULL WHEN i % 3 = 0 THEN 'ftp:' ELSE 'http:' END"
    rows = f"(SELECT {texts} u FROM range(50000) t(i))"
    result = connection.sql(
        f"SELECT web(u), web_why(u).code, count(*) FROM {rows} GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    results = {row[:2]: row[2] for row in result}
    assert results == {(True, None): 30_000, (False, "policy-scheme"): 15_000, (None, None): 5_000}


def test_sql_without_functions(connection: Any) -> None:
    rule = abnforge.rule("rfc3986:URI")
    rows = connection.sql(f"SELECT {adapter.sql(rule, 'url')} FROM rows ORDER BY id").fetchall()
    assert [verdict for (verdict,) in rows] == [None if t is None else rule.matches(t) for t in TEXTS]
    quotes = abnforge.loads("s = 1*%x27\n")["s"]
    assert connection.sql(f"SELECT {adapter.sql(quotes, chr(39) * 4)}").fetchall() == [(True,)]
    with pytest.raises(ValueError, match="recursive"):
        adapter.sql(abnforge.loads('s = "(" [ s ] ")"\n')["s"], "url")


def test_sql_of_rules_that_are_made_of_others(connection: Any) -> None:
    uris = abnforge.rule("rfc3986:URI")
    word = abnforge.loads("word = 1*%x61-7A\n", name="mine")["word"]
    for rule in (
        uri.policy(schemes=["http"], require_host=True, max_port=79, max_length=2000).rule(uris),
        ~uris,
        (uris - uri.policy(schemes=["http"]).rule(uris)) | word,
        abnforge.rule("rfc3987:IRI").at_most(2),
    ):
        more = "SELECT unnest(['http://h:80', 'http://h:79/', 'http:///', 'word', 'é:']) AS url"
        texts = f"(SELECT url FROM rows UNION ALL {more})"
        rows = connection.sql(f"SELECT url, {adapter.sql(rule, 'url')} FROM {texts}").fetchall()
        assert len(rows) == len(TEXTS) + 5
        assert rows == [(text, None if text is None else rule.matches(text)) for text, _ in rows]


def test_good_rows_and_bad_ones(connection: Any) -> None:
    adapter.register(connection, "is_uri", "rfc3986:URI")
    good = connection.sql("SELECT count(*) FROM rows WHERE is_uri(url)").fetchall()
    bad = connection.sql("SELECT count(*) FROM rows WHERE NOT is_uri(url)").fetchall()
    assert (good, bad) == ([(2,)], [(5,)])


@pytest.mark.slow
@pytest.mark.parametrize("end", ["con.close()", "duck.unregister(con, 'is_uri')"])
def test_nothing_is_printed_at_the_end(end: str) -> None:
    """DuckDB warns about functions that are still registered when the program exits."""
    code = (
        "import duckdb; from abnforge.integrations import duckdb as duck; con = duckdb.connect(); "
        "duck.register(con, 'is_uri', 'rfc3986:URI'); "
        f"assert con.sql(\"SELECT is_uri('a:')\").fetchall() == [(True,)]; {end}"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (result.returncode, result.stderr) == (0, "")
