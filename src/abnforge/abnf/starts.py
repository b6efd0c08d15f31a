"""The rule that is meant when only a grammar is named."""

from __future__ import annotations

from abnforge.abnf.names import BoundGrammar

STARTS = {
    "rfc3986": "URI",
    # It has no rule for a URI with a fragment except URI-reference.
    "rfc2396": "URI-reference",
    "rfc2396bis-07": "URI",
    "rfc3339": "date-time",
    "rfc5321": "Mailbox",
    "rfc5322": "message",
    # Most of its rules are the value of one field; this is that of any.
    "rfc9110": "field-value",
    "rfc3261": "SIP-message",
    "rfc9111": "Cache-Control",
    "rfc9112": "HTTP-message",
    "rfc9051": "command",
    "rfc6570": "URI-Template",
    "rfc6265": "set-cookie-string",
}
"""The rules that people mean by a grammar's name; by another name, the first rule."""


def start_of(grammar: BoundGrammar) -> str:
    """The name of the rule that is meant by a grammar; a file of a known name may hold anything."""
    known = STARTS.get(grammar.name, "").lower()
    rules = grammar.outline
    return rules[known].name if known in rules else next(iter(rules.values())).name
