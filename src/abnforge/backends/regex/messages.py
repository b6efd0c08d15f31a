"""The reasons why a rule has no pattern that is proved and safe."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "regex-alphabet": "the rule matches no string that {dialect} supports",
        "regex-anchors": "the pattern must be anchored at both ends",
        "regex-anchors-group": "the anchors must be around one group",
        "regex-backtracking": "a repetition is not deterministic, so matching could backtrack at length",
        "regex-both": "{first}; {second}",
        "regex-count": "{dialect} counts to {most}; a repetition exceeds {limit:count piece}",
        "regex-depth": "the expression is nested deeper than {limit:count level}",
        "regex-empty": "the rule matches no string",
        "regex-empty-turns": "engines differ in empty turns of a loop next to possessive quantifiers",
        "regex-end": "the pattern ends too early",
        "regex-growth": "the expression would grow more than {limit} times",
        "regex-loop-states": "a loop leads to more than {limit:count state}",
        "regex-narrowing-states": "the automaton that restricts it exceeds {limit:count state}",
        "regex-nesting": "groups are nested deeper than {limit:count level}",
        "regex-nodes": "the expression exceeds {limit:count node}",
        "regex-only-accepts": "the only pattern found accepts {text:quoted}",
        "regex-only-rejects": "the only pattern found rejects {text:quoted}",
        "regex-prose": "prose cannot be an expression",
        "regex-questions": "the safety check exceeds {limit:count call}",
        "regex-read-back": "its plain expression does not parse as written",
        "regex-stack": "without possessive quantifiers it could exhaust an engine's stack",
        "regex-stack-proof": "the pattern is nested too deeply for the stack",
        "regex-states": "the automaton is too large for a pattern: {states:count state}",
        "regex-unclosed": "unclosed group at offset {offset}",
        "regex-undecided": "the proof was not completed: {reason}",
        "regex-unread": "{text:quoted} at offset {offset} is not supported",
        "regex-ways": "backtracking could try more than {limit:count way} to match a string",
    }
)
