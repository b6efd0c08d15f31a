r"""jsonschema: exact checks of formats, with reasons for errors.

Without its extras, jsonschema ignores the format ``uri``; with them, it accepts ``"http://a\n"``.
``error.cause.rejection`` is the rejection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from abnforge.engine.rule import Rule
from abnforge.errors import Rejected
from abnforge.integrations.rules import FORMATS, given_rule, needs

with needs("jsonschema"):
    from jsonschema import FormatChecker

_URIS = ("uri", "uri-reference", "iri", "iri-reference")


def format_checker(formats: Mapping[str, Rule | str] | None = None) -> FormatChecker:
    """Return a FormatChecker with exact checks of ``uri``, ``uri-reference``, ``iri`` and ``iri-reference``.

    Other formats are checked by jsonschema. ``formats`` maps additional formats, or formats to replace, to
    rules. Raises the errors of ``abnforge.rule``.
    """
    checker = FormatChecker()
    for name, rule in ({name: FORMATS[name] for name in _URIS} | dict(formats or {})).items():
        checker.checks(name, raises=Rejected)(_check(given_rule(rule)))
    return checker


def _check(rule: Rule) -> Callable[[object], bool]:
    def check(value: object) -> bool:
        if isinstance(value, str):  # a format applies only to strings
            rule.check(value)
        return True

    return check
