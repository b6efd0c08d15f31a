"""The messages about regular expressions that are read as automata."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "pattern-backslash": "incomplete escape at offset {offset} ({dialect})",
        "pattern-boundary": "unknown boundary at offset {offset} ({dialect})",
        "pattern-class-case": "[:{name}:] at offset {offset} differs between versions of {dialect}; omit i",
        "pattern-class-unknown": "unknown character class at offset {offset} ({dialect})",
        "pattern-code-point": "character at offset {offset} ({dialect}) is greater than U+10FFFF",
        "pattern-comment": "unclosed comment at offset {offset} ({dialect})",
        "pattern-construct": "cannot prove {construct}; test the pattern with conformance.run",
        "pattern-construct-at": "cannot prove {construct} at offset {offset};"
        " test the pattern with conformance.run",
        "pattern-count": "count at offset {offset} ({dialect}) is out of order or too large",
        "pattern-count-open": '"{{," at offset {offset} differs between versions of {dialect}; write "{{0,"',
        "pattern-escape": '"\\{letter}" at offset {offset} is not an escape ({dialect}); drop the backslash',
        "pattern-flags-inline": "unknown flags at offset {offset} ({dialect})",
        "pattern-group": "unknown group at offset {offset} ({dialect})",
        "pattern-group-name": "unclosed group name at offset {offset} ({dialect})",
        "pattern-group-twice": "group name {name:quoted} is repeated at offset {offset} ({dialect})",
        "pattern-group-unclosed": "unclosed group at offset {offset} ({dialect})",
        "pattern-lookbehind": "lookbehind at offset {offset} ({dialect}) must have a maximum length",
        "pattern-operand": '"{char}" at offset {offset} ({dialect}) has nothing to repeat',
        "pattern-parenthesis": "unmatched parenthesis at offset {offset} ({dialect})",
        "pattern-property": "unknown property at offset {offset} ({dialect})",
        "pattern-property-case": "\\p{{{name}}} at offset {offset} differs between {dialect} versions",
        "pattern-property-unknown": "property {name:quoted} at offset {offset} ({dialect}) is not supported",
        "pattern-python": "the pattern is not valid in Python: {reason}",
        "pattern-quantified": "a quantifier at offset {offset} ({dialect}) follows an assertion",
        "pattern-quantifier-twice": "a quantifier at offset {offset} ({dialect}) follows a quantifier",
        "pattern-range": "incomplete range at offset {offset} ({dialect})",
        "pattern-range-order": "range at offset {offset} ({dialect}) is out of order",
        "pattern-set-empty": "empty set at offset {offset} ({dialect})",
        "pattern-set-escape": '"\\{letter}" at offset {offset} ({dialect}) is not supported in a set',
        "pattern-set-nested": "nested set at offset {offset} ({dialect}) is not supported",
        "pattern-set-syntax": "set syntax at offset {offset} ({dialect}) is not supported",
        "pattern-set-unclosed": "unclosed set at offset {offset} ({dialect})",
        "pattern-special": '"{char}" at offset {offset} ({dialect}) must be escaped; write "\\{char}"',
        "pattern-stack": "the pattern is nested too deeply for the stack; raise the recursion limit",
        "pattern-too-deep": "groups of the pattern are nested deeper than {limit:count level}; simplify it",
    }
)
