"""SQL conditions: each database accepts, by a CHECK constraint, exactly the strings of the rule."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache

import pytest

import abnforge
from abnforge import Rule, uri
from abnforge.errors import UnknownNameError
from abnforge.integrations import sql
from tests.law import each_row, one_in
from tests.laws.strings import texts
from tests.reference.databases import DATABASES
from tests.reference.engines import holds

SERVERS = ("mariadb", "postgresql")  # started only in the slow run
NAMES = [pytest.param(name, marks=pytest.mark.slow if name in SERVERS else []) for name in DATABASES]

# Strings that patterns or comparisons of some engine handle specially, at the end or inside.
TRAPS = [
    "", "\n", "a:b\n", "a:b\r\n", "a:b ", " a:b", "a:\nb", "a:\u00e9", "a:\u0131", "a:\u212a", "A:B",
    "\u00e9:b", "a:\U0001f600", "a:\\b", "a:'b", 'a:"b', "a:b\0", "\0", "a:%4", "a:%41", "a:$1", "a:\u2028",
]  # fmt: skip

IRI = abnforge.rule("rfc3987:IRI")
URI = abnforge.rule("rfc3986:URI")
ODD = abnforge.loads(
    "quotes = 1*(%x27 / %x22 / %x5C / %x60 / %x24 / %x7B-7D)\n"
    'case = %s"aBc" / %xE9 / %x212A\n'
    "any = *%x0-10FFFF\n"
    "line = *VCHAR LF\n"
)

RULES: dict[str, Rule] = {
    "policy": uri.policy(schemes=["a", "http"], require_host=False, max_length=12).rule(URI),
    "host": uri.policy(schemes=["http"], require_host=True, max_port=79).rule(URI),
    "not": ~URI,
    "both": IRI - URI,
    "either": URI | ODD["case"],
    "short": IRI.at_most(3),
    **{name: ODD[name] for name in ("quotes", "case", "any", "line")},
}
MORE = [
    "http://h:80",
    "http://h:79/",
    "http:///",
    "'\\\"`$",
    "{}",
    "aBc",
    "abc",
    "ABC",
    "\u00c9",
    "K",
    "ab\n",
    "x" * 13,
]


@cache
def corpus() -> list[str]:
    """Return strings of rules from several grammars, and their mutants."""
    results = [
        text
        for grammar, name in (("rfc3986", "URI"), ("rfc3987", "IRI"))
        for text, _ in texts(grammar, name, 60)[::8]  # a database compiles a pattern for each
    ]
    return list(dict.fromkeys([*TRAPS, *MORE, *results]))


def agrees(database: str, rule: Rule, given: list[str], kind: str | None = None) -> None:
    """Return whether the table accepts valid strings and missing values."""
    held = [text for text in given if holds(sql.DATABASES[database].dialect, text) and _is_utf8(text)]
    assert held
    check = sql.check(rule, database, "text")
    options = () if kind is None else (kind,)
    result = DATABASES[database](check, [*held, None], *options)
    assert result == [*map(rule.matches, held), True]


def _is_utf8(text: str) -> bool:
    """Return whether a string has no surrogates, as databases require."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


@pytest.mark.parametrize("database", NAMES)
@pytest.mark.parametrize("name", ["rfc3986:URI", "rfc3987:IRI", "rfc3339:date-time", "rfc3986:host"])
def test_a_constraint_takes_what_the_rule_derives(database: str, name: str) -> None:
    rule = abnforge.rule(name)
    verdicts = set(map(rule.matches, corpus()))
    assert verdicts == {False} if "date" in name else verdicts == {True, False}
    agrees(database, rule, [*corpus(), "2026-11-22T16:00:00Z", "2026-11-22T16:00:00Z\n"])


@pytest.mark.parametrize("database", NAMES)
@pytest.mark.parametrize("name", one_in(2, RULES))
def test_rules_that_are_made_of_others_and_odd_ones(database: str, name: str) -> None:
    agrees(database, RULES[name], corpus())


@pytest.mark.parametrize("database", NAMES)
def test_long_texts(database: str) -> None:
    long = ["http://" + "a" * 30_000, "http://h/" + "%41" * 10_000, "a:" + "/" * 30_000]
    agrees(database, URI, [*long, *(text + " " for text in long), *(text + "\n" for text in long)])


COLLATIONS = [
    ("duckdb", "VARCHAR COLLATE NOCASE", ""),
    ("sqlite", "TEXT COLLATE NOCASE", ""),
    ("mariadb", "varchar(200) character set utf8mb4 collate utf8mb4_general_ci", ""),
    ("mariadb", "varchar(200) character set utf8mb3 collate utf8mb3_unicode_ci", "\U0001f600"),
    ("mariadb", "varchar(200) character set latin1", "\u0131\u212a\u2028\U0001f600"),
    ("mariadb", "varchar(200) character set utf16", ""),
    ("postgresql", 'varchar(200) COLLATE "C"', ""),
    ("postgresql", 'text COLLATE "und-x-icu"', ""),
    ("postgresql", "text COLLATE blind", ""),
]


@pytest.mark.parametrize(
    ("database", "kind", "lacks"),
    [pytest.param(*row, marks=pytest.mark.slow if row[0] in SERVERS else []) for row in COLLATIONS],
)
@pytest.mark.parametrize("rule", [ODD["case"], URI, IRI.at_most(4)], ids=str)
def test_neither_collations_nor_character_sets_change_a_verdict(
    database: str, kind: str, lacks: str, rule: Rule
) -> None:
    if "blind" in kind:
        from tests.reference import postgres

        made = "(provider = icu, locale = 'und-u-ks-level1', deterministic = false)"
        postgres.statements(f"CREATE COLLATION IF NOT EXISTS blind {made};")
    inputs = [text for text in [*TRAPS, *MORE] if not set(text) & set(lacks)]
    agrees(database, rule, inputs, kind)


def test_a_condition_in_a_query() -> None:
    """The column is an expression, and missing values stay missing."""
    expected = sql.condition("rfc3986:URI", "sqlite", "lower(?)")
    with closing(sqlite3.connect(":memory:")) as connection:
        sql.register_regexp(connection)
        for text, verdict in (("A:B", 1), ("a b", 0), (None, None)):
            assert connection.execute(f"SELECT {expected}", (text,)).fetchall() == [(verdict,)]


@each_row(
    ("expression", "verdict"),
    [
        ("'a' REGEXP 'a'", 1),
        (r"'é' REGEXP '\A[aé]\Z'", 1),
        (r"'a' || char(10) REGEXP '\Aa\Z'", 0),
        (r"'a' || char(0) || 'b' REGEXP '\Aa\Z'", 0),
        ("'' REGEXP 'a'", 0),
        ("NULL REGEXP 'a'", None),
        ("'a' REGEXP NULL", None),
        ("3 REGEXP 'a'", sqlite3.OperationalError),
        ("x'61' REGEXP 'a'", sqlite3.OperationalError),
        ("'a' REGEXP '('", sqlite3.OperationalError),
    ],
)
def test_regexp_of_sqlite(expression: str, verdict: int | type[Exception] | None) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        sql.register_regexp(connection)
        try:
            [(result,)] = connection.execute(f"SELECT {expression}").fetchall()
        except sqlite3.Error as error:
            result = type(error)
    assert result == verdict


SHOWN = [
    ("duckdb", "url", "CHECK (regexp_full_match(\"url\", '[0-9]{2}'))"),
    ("mariadb", "a`b", "CHECK (CONVERT(`a``b` USING utf8mb4) COLLATE utf8mb4_bin REGEXP "
                       r"'(*NO_AUTO_POSSESS)\\A(?:[0-9]{2}+)\\z')"),
    ("PostgreSQL", 'a"b', r'CHECK ("a""b" COLLATE "C" ~ ' + r"'\A(?:[0-9]{2})\Z')"),
    ("sqlite", "url", "CHECK (\"url\" REGEXP '\\A(?:[0-9]{2}+)\\Z')"),
]  # fmt: skip


@pytest.mark.parametrize(("database", "column", "shown"), SHOWN)
def test_how_a_constraint_is_written(database: str, column: str, shown: str) -> None:
    assert sql.check("rfc3339:date-month", database, column) == shown


def test_every_database_is_tested() -> None:
    assert DATABASES.keys() == sql.DATABASES.keys()
    assert {database.lower() for database, _, _ in SHOWN} == sql.DATABASES.keys()


WRONG = [
    ("rfc3986:URI", "oracle", "url", UnknownNameError, "database-unknown"),
    ("rfc3986:URI", "postgres", "url", UnknownNameError, "database-unknown"),
    ("rfc3986:URL", "duckdb", "url", UnknownNameError, "URL"),
    ("rfc3986:URI", "duckdb", "", ValueError, "database-column"),
    ("rfc3986:URI", "sqlite", "a\0b", ValueError, "database-column"),
    ("rfc3986:URI", "sqlite", 3, TypeError, "column"),
    ("rfc3986:URI", 3, "url", TypeError, "database"),
    ("rfc5234:rulelist", "duckdb", "url", ValueError, "recursive"),
]  # fmt: skip


@each_row(("rule", "database", "column", "error", "error_code"), WRONG)
def test_wrong_arguments(
    rule: str, database: str, column: str, error: type[Exception], error_code: str
) -> None:
    with pytest.raises(error) as caught:
        sql.check(rule, database, column)
    assert error_code == getattr(caught.value, "code", "") or error_code in str(caught.value)
