"""What adapters take for a rule, and what they tell of it."""

from __future__ import annotations

import sys
from typing import ClassVar

from abnforge._arguments import Text, instance_argument
from abnforge.catalog import ArgumentTypeError, MissingExtraError
from abnforge.engine.loading import rule as rule_named
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import base_of
from abnforge.errors import LimitExceeded
from abnforge.integrations.messages import message
from abnforge.messages import message as argument_message


class needs:
    """A context for the imports of a library, which says what to install where it is missing."""

    def __init__(self, library: str) -> None:
        self._library = library

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if isinstance(error, ModuleNotFoundError):
            module, library = f"abnforge.integrations.{self._library}", self._library
            told = message("package-missing", module=module, package=library, extra=library)
            raise MissingExtraError(told, name=error.name) from error


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
    """A rule, given as such or by name, as ``GRAMMAR:RULE``.

    Raises TypeError, UnknownNameError, and GrammarError for one that needs a prose-val.
    """
    if isinstance(rule, str):
        rule = rule_named(rule)
    instance_argument(rule, "rule", Rule, "a Rule, or a str such as 'rfc3986:URI'")
    rule.grammar.compilation.refuse_prose(rule.key)
    return rule


def label(rule: Rule) -> str:
    """A rule's name with that of its grammar."""
    return f"{rule.grammar.name}:{rule.name}"


def format_of(rule: Rule) -> str | None:
    """The format of JSON Schema that all texts of a rule have; None where there is none."""
    root = base_of(rule)
    return None if root is None else _BY_RULE.get(label(root))


def pattern_of(rule: Rule, dialect: str) -> str | None:
    """The rule's proved pattern for an engine, or None where there is none."""
    try:
        return rule.export(dialect)
    except (ValueError, LimitExceeded):
        return None


def reason(rule: Rule, text: Text | None) -> str | None:
    """Why the rule rejects a text, in a sentence with its code; None where it does not, and for no text."""
    rejection = None if text is None else rule.explain(text, suggest=False)
    return None if rejection is None else f"{rejection.code}: {rejection.message_with_position}"


class CheckedText(str):
    """A str that a rule derives; made by :func:`text_type`. ``rule`` is the rule."""

    __slots__ = ()

    rule: ClassVar[Rule]


def text_type(name: str, rule: Rule | str) -> type[CheckedText]:
    """A class of str whose objects are derived by a rule: making one of another text raises Rejected.

    ``Link = text_type("Link", "rfc3986:URI")``; for what validates by types.
    """
    judged = given_rule(rule)

    def new(cls: type[CheckedText], text: str) -> CheckedText:
        if not isinstance(text, str):
            kind = type(text).__name__
            raise ArgumentTypeError(argument_message("argument-type", name=name, expected="a str", type=kind))
        judged.check(text)
        return str.__new__(cls, text)

    # Of the module that it is made in, as a namedtuple is: so its texts travel.
    module = sys._getframe(1).f_globals.get("__name__", __name__)
    return type(name, (CheckedText,), {"__slots__": (), "__new__": new, "__module__": module, "rule": judged})
