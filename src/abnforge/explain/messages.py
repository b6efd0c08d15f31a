"""The catalog of messages about mistakes files: errors in directives, and remarks from proofs."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "adopted-example-unknown": "the mistakes of {grammar} do not have the example {example:quoted}",
        "adopted-grammar-unknown": "grammar {grammar:quoted} does not have a file of mistakes",
        "adopted-mistake-unknown": "unknown mistake {name:quoted} of {grammar}{near:near}",
        "brace-alone": "{brace:quoted} must be doubled, or be around a slot",
        "characters-too-many": "a character can be read in more than {limit:,} ways",
        "code-reserved": "code {code:quoted} is reserved for input without a known mistake; use another name",
        "code-with-number": "{name:quoted} is a slot, not a code; remove the number",
        "cost-out-of-range": "cost must be a whole number from 1 to {most:,}",
        "directive-in-rule": "a directive must be above its rule, at the start of a line",
        "directive-misplaced": "{word:quoted} is not allowed next to {first:quoted}",
        "directive-missing": "{word:quoted} is missing for the mistake {rule:quoted}",
        "directive-of-file": "{word:quoted} applies to the whole file; add an empty line after it",
        "directive-repeated": "{word:quoted} is repeated; remove it",
        "directive-repeated-for-rule": "{word:quoted} is repeated for the rule {rule:quoted}; remove it",
        "directive-without-adopt": "{word:quoted} requires 'adopt'",
        "directive-without-rule": "{word:quoted} must be directly above a rule",
        "first-defined-here": "first defined here",
        "fix-copies-twice": "the fix writes {slot:quoted} twice; write it once",
        "fix-loses-text": "{slot:quoted} can occur many times; use 'all' or 'subst'",
        "literal-unknown": "rule {rule:quoted} does not have {literal:quoted}",
        "literal-unknown-known": "rule {rule:quoted} does not have {literal:quoted}; use {known:or}",
        "map-unknown": "unknown map {name:quoted}; use {known:or}",
        "name-part-missing": "the name {rule:quoted} must have the part {parameter:quoted}",
        "place-missing": "{word:quoted} requires 'of', 'before' or 'after'",
        "places-several": "{first:quoted} and {second:quoted} are not allowed together; use one of them",
        "reading-too-long": "finding mistakes exceeds {limit:count step}; raise the budget",
        "rule-duplicate": "rule {rule:quoted} is already defined",
        "rule-of-grammar": "rule {rule:quoted} is already defined in {grammar}; use another name",
        "mistake-rule-unknown": "mistake {code:quoted} uses {rule:quoted}, which {grammar} does not have{near:near}",
        "rule-with-number": "{name:quoted} is a slot, not a rule; remove the number",
        "slot-number": "{slot:quoted} is not a slot; {rule:quoted} uses {name} at most {most:count time}",
        "slot-zero": "{slot:quoted} is not a slot; numbers start at 1",
        "slot-unknown": "rule {rule:quoted} does not use {name:quoted}{near:near}",
        "subst-slot": "{name:quoted} is repeated or numbered in 'subst', which replaces every use",
        "attempts-too-deep": "attempts exceed {limit:,} nested rules and groups",
        "attempts-too-long": "attempts exceed {limit:,} characters: the string has {length:,}",
        "proof-covered": "mistake {rule:quoted} is never found; {other:quoted}, which comes first, matches all its strings",
        "proof-fix": "the fix of mistake {rule:quoted} can give {string:quoted}, which is not a valid {target}",
        "proof-meeting-undecided": "overlaps of mistake {rule:quoted} with other mistakes are not decided: {reason}",
        "proof-overlap": "mistakes {rule:quoted} and {other:quoted} both match {string:quoted}, which is reported as {other}",
        "proof-overlap-target": "mistake {rule:quoted} matches {string:quoted}, which is a valid {target}",
        "proof-undecided": "the fix of mistake {rule:quoted} is not proved: {reason}",
        "proof-valid": "mistake {rule:quoted} is never found; rule {target:quoted} matches all its strings",
    }
)
