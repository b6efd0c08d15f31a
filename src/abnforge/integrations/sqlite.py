"""SQLite: a rule as functions of SQL, for queries and for CHECK constraints. Python's own ``sqlite3``."""

from __future__ import annotations

from functools import partial
from sqlite3 import Connection

from abnforge.engine.rule import Rule
from abnforge.integrations.rules import given_rule, reason


def register(connection: Connection, name: str, rule: Rule | str) -> None:
    """Make ``name(text)``, 1 where the rule derives a text and 0 where not, and ``name_why(text)``, the code
    and the sentence of its rejection. NULL stays NULL, what is neither text nor blob is an error. Raises as
    ``abnforge.rule`` does.

    A CHECK constraint with a function asks for it in every connection that writes to the table.
    """
    judged = given_rule(rule)

    def verdict(text: str | bytes | None) -> bool | None:
        return None if text is None else judged.matches(text)

    connection.create_function(name, 1, verdict, deterministic=True)
    connection.create_function(f"{name}_why", 1, partial(reason, judged), deterministic=True)
