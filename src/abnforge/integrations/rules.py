"""Rules as arguments of adapters, and their formats and patterns."""

from __future__ import annotations

from abnforge._arguments import instance_argument
from abnforge.catalog import MissingExtraError
from abnforge.engine.loading import rule as rule_named
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import base_of
from abnforge.errors import LimitExceeded
from abnforge.integrations.messages import message


class needs:
    """A context for the imports of a library; its error names the package to install."""

    def __init__(self, library: str, requirement: str = "") -> None:
        self._library = library
        self._requirement = requirement or library

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if isinstance(error, ModuleNotFoundError):
            module, library = f"abnforge.integrations.{self._library}", self._library
            problem = message(
                "package-missing", module=module, package=library, requirement=self._requirement
            )
            raise MissingExtraError(problem, name=error.name) from error


# The formats of JSON Schema (2020-12, Validation, section 7.3) that are rules of a grammar.
FORMATS = {
    "uri": "rfc3986:URI",
    "uri-reference": "rfc3986:URI-reference",
    "iri": "rfc3987:IRI",
    "iri-reference": "rfc3987:IRI-reference",
    "date-time": "rfc3339:date-time",
    "date": "rfc3339:full-date",
    "time": "rfc3339:full-time",
    "email": "rfc5321:Mailbox",
}
_BY_RULE = {rule: name for name, rule in FORMATS.items()}


def given_rule(rule: Rule | str) -> Rule:
    """Return a rule that is passed as a Rule or as ``GRAMMAR:RULE``.

    Raises TypeError, UnknownNameError, and GrammarError for a rule that needs a prose-val.
    """
    if isinstance(rule, str):
        rule = rule_named(rule)
    instance_argument(rule, "rule", Rule, "a Rule, or a str such as 'rfc3986:URI'")
    rule.grammar.compilation.refuse_prose(rule.key)
    return rule


def label(rule: Rule) -> str:
    """Return ``GRAMMAR:RULE`` for a rule."""
    return f"{rule.grammar.name}:{rule.name}"


def format_of(rule: Rule) -> str | None:
    """Return the JSON Schema format of a rule, or None."""
    root = base_of(rule)
    return None if root is None else _BY_RULE.get(label(root))


def pattern_of(rule: Rule, dialect: str) -> str | None:
    """Return the rule's proved pattern for an engine, or None."""
    try:
        return rule.export(dialect)
    except (ValueError, LimitExceeded):
        return None
