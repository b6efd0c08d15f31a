"""SQLite: a rule as functions of SQL, for queries and for CHECK constraints. Python's own ``sqlite3``."""

from __future__ import annotations

import re
from sqlite3 import Connection

from abnforge.engine.rule import Rule
from abnforge.integrations.messages import message
from abnforge.integrations.rules import given_rule, reason


def register(connection: Connection, name: str, rule: Rule | str) -> None:
    """Make ``name(text)``, 1 where the rule derives a text and 0 where not, and ``name_why(text)``, the code
    and the sentence of its rejection. NULL stays NULL; numbers, which any column of SQLite can hold, are no
    texts. Raises as ``abnforge.rule`` does.

    A CHECK constraint with a function asks for it in every connection that writes to the table.
    """
    judged = given_rule(rule)

    def verdict(text: str | bytes | float | None) -> bool | None:
        return None if text is None else isinstance(text, str | bytes) and judged.matches(text)

    connection.create_function(name, 1, verdict, deterministic=True)

    def why(text: str | bytes | float | None) -> str | None:
        if text is None or isinstance(text, str | bytes):
            return reason(judged, text)
        return f"no-text: {message('value-not-text')}"

    connection.create_function(f"{name}_why", 1, why, deterministic=True)


def register_regexp(connection: Connection) -> None:
    """Make ``text REGEXP pattern``: 1 where Python's ``re`` finds the pattern in the text and 0 where not,
    which CHECK constraints of :mod:`abnforge.integrations.sql` ask for in every connection that writes to the
    table. NULL stays NULL; what is no text is an error, as is what is no pattern.
    """
    connection.create_function("regexp", 2, _found, deterministic=True)


def _found(pattern: str | None, text: str | None) -> bool | None:
    if pattern is None or text is None:
        return None
    return re.search(pattern, text) is not None
