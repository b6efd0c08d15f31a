"""Databases: a rule as an SQL condition, for CHECK constraints and queries, by a proved pattern.

Each database has a row in ``DATABASES``: the notation of its patterns, and an expression whose result does
not depend on collations or settings. For NULL, a condition is NULL, and a CHECK constraint passes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from abnforge._arguments import plain_argument
from abnforge.catalog import ArgumentError
from abnforge.engine.export import require_alphabet
from abnforge.engine.rule import AND, BUT_NOT, OR, Rule
from abnforge.engine.set_algebra import expression_of
from abnforge.errors import UnknownNameError
from abnforge.integrations.messages import message
from abnforge.integrations.rules import given_rule
from abnforge.text import near_misses

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class Database:
    """The SQL of a database.

    ``matches`` and ``at_most`` are conditions with ``{column}``, and with ``{pattern}``, a literal, or
    ``{length}``, a number of code points.
    """

    name: str
    title: str
    dialect: str  # the dialect of patterns
    matches: str
    at_most: str
    needs: str  # requirements of the condition
    anchored: bool = True
    backslashes: bool = False  # backslashes in literals are doubled
    quotes: str = '"'  # the quotes around a name

    @property
    def hint(self) -> str:
        """The requirements of a constraint, on one line."""
        return f"for {self.title}; requires {self.needs}; NULL passes the constraint"

    def literal(self, text: str) -> str:
        text = text.replace("\\", "\\\\") if self.backslashes else text
        return "'" + text.replace("'", "''") + "'"

    def identifier(self, name: str) -> str:
        """Return a quoted name. Raises ValueError for an empty name, and for NUL."""
        if not name or "\0" in name:
            raise ArgumentError(message("database-column", database=self.title, column=name))
        return self.quotes + name.replace(self.quotes, 2 * self.quotes) + self.quotes


_ALL = (
    Database(
        name="duckdb",
        title="DuckDB",
        dialect="re2",
        matches="regexp_full_match({column}, {pattern})",
        at_most="length({column}) <= {length}",
        needs="a column of type VARCHAR",
        anchored=False,
    ),
    Database(
        name="mariadb",
        title="MariaDB",
        dialect="pcre2",
        # This collation is case-sensitive and compares characters, for any collation of the column.
        matches="CONVERT({column} USING utf8mb4) COLLATE utf8mb4_bin REGEXP {pattern}",
        at_most="CHAR_LENGTH({column}) <= {length}",
        needs="MariaDB 10.5 or later, NO_BACKSLASH_ESCAPES not in sql_mode, default_regex_flags empty",
        backslashes=True,
        quotes="`",
    ),
    Database(
        name="postgresql",
        title="PostgreSQL",
        dialect="sql",
        # Regular expressions do not support the nondeterministic collation that a column may have.
        matches='{column} COLLATE "C" ~ {pattern}',
        at_most="char_length({column}) <= {length}",
        needs="a database in UTF8, and a column of type text or varchar",
    ),
    Database(
        name="sqlite",
        title="SQLite",
        dialect="python",
        matches="{column} REGEXP {pattern}",
        at_most=r"{column} REGEXP '(?s)\A.{{0,{length}}}\Z'",  # SQLite's length() stops at a NUL
        needs="REGEXP by Python's re: abnforge.integrations.sql.register_regexp(connection)",
    ),
)
DATABASES: Mapping[str, Database] = {each.name: each for each in _ALL}

_OPERATIONS = {AND: "({} AND {})", BUT_NOT: "({} AND NOT ({}))", OR: "({} OR {})"}


def database_named(name: str) -> Database:
    """Return a database by name. Raises UnknownNameError with the known names."""
    name = plain_argument(name, "database")
    try:
        return DATABASES[name.lower()]
    except KeyError:
        near = tuple(near_misses(name, DATABASES)[:1])
        available = () if near else tuple(DATABASES)
        raise UnknownNameError(
            message("database-unknown", name=name, near=near, databases=available)
        ) from None


def condition(rule: Rule | str, database: str, column: str) -> str:
    """Return a condition that is true if the rule matches a column's string, NULL for NULL, else false.

    A combined rule, such as that of a policy, becomes a combined condition. ``column`` is an expression, and
    is inserted unchanged. Raises ValueError for a rule without a pattern for this database, UnknownNameError
    for an unknown database. Cost: that of ``Rule.export``.
    """
    return _condition(given_rule(rule), database_named(database), plain_argument(column, "column"))


def check(rule: Rule | str, database: str, column: str) -> str:
    """Return the condition as a CHECK constraint, for CREATE TABLE or ALTER TABLE ... ADD.

    ``column`` is the name of the column, and is quoted. Errors and cost are those of :func:`condition`.
    """
    chosen = database_named(database)
    name = chosen.identifier(plain_argument(column, "column"))
    return f"CHECK ({_condition(given_rule(rule), chosen, name)})"


def _condition(rule: Rule, database: Database, column: str) -> str:
    require_alphabet(rule.grammar.compilation, database.name)
    expression = expression_of(rule)
    if expression is None:
        pattern = database.literal(rule.export(database.dialect, anchored=database.anchored))
        return database.matches.format(column=column, pattern=pattern)
    left = _condition(expression.left, database, column)
    if expression.longest is not None:
        return f"({left} AND {database.at_most.format(column=column, length=expression.longest)})"
    if expression.right is None:
        return f"(NOT ({left}))"
    return _OPERATIONS[expression.operation].format(left, _condition(expression.right, database, column))


def register_regexp(connection: Connection) -> None:
    """Define ``text REGEXP pattern`` in a connection to SQLite, using Python's ``re``.

    CHECK constraints for SQLite require this function in each connection that writes to the table. NULL stays
    NULL. An argument that is not a string raises an error, and so does an invalid pattern.
    """
    connection.create_function("regexp", 2, _search, deterministic=True)


def _search(pattern: str | None, text: str | None) -> bool | None:
    if pattern is None or text is None:
        return None
    return re.search(pattern, text) is not None
