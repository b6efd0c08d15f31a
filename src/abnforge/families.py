"""Families of codes: the kind of mistake that the name of a code describes.

The codes of a grammar are many, since most name a kind of mistake and a rule (``space-in-host``). Reports
group them by family, component (the rule) and severity. A family is a list of patterns of codes: ``*`` is
any part of the name. Your own codes have a family if their names follow the same patterns.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from abnforge._lazy import lazy_pattern
from abnforge.records import dataclass

OTHER = "other"  # the family of a code that matches no pattern


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of mistake: its meaning, and the patterns of its codes."""

    meaning: str
    patterns: str


FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "row": Family(
            "The row cannot be read, or was not explained.",
            "malformed-row too-long not-text masked limit-exceeded not-explained",
        ),
        "restriction": Family(
            "The string is valid, but a policy, an exception or another rule excludes it.",
            "policy-* over-length outside-* excluded-* fragment-in-absolute-URI"
            " scheme-in-relative-ref *-as-*",
        ),
        "no-value": Family(
            "The string is empty, or a word for a missing value.",
            "null no-value empty-string no-date-time",
        ),
        "template": Family(
            "A placeholder is not filled in.",
            "template-* uri-template-* server-code date-math-* markdown-link",
        ),
        "file-path": Family(
            "The string is a path of a file system, or uses its notation.",
            "windows-* file-drive drive-as-host scp-address instance-of-sql-server",
        ),
        "obfuscation": Family(
            "The string was changed so that it is not a link.",
            "*defanged* *spelled-out*",
        ),
        "decoding": Family(
            "The bytes were decoded from the wrong encoding.",
            "not-utf-8 misread-* *-misread *-not-utf8",
        ),
        "look-alike": Family(
            "A character looks like the required one.",
            "*look-alike* slash-and-backslash other-quotes-*",
        ),
        "repetition": Family(
            "A part occurs twice.",
            "doubled-* *-doubled *-twice second-uri* several-* two-ats dots-in-* scheme-before-*"
            " ipv6-colons-twice",
        ),
        "whitespace": Family(
            "Whitespace or a line break is not allowed.",
            "space-* *-space line-break-*",
        ),
        "invisible": Family(
            "A control character or another invisible character is not allowed.",
            "invisible-* control-* encoded-control encoded-nul encoded-line-break color-code-*",
        ),
        "non-ascii": Family(
            "A character is not ASCII.",
            "non-ascii-* private-use-* *-not-idna",
        ),
        "escape": Family(
            "An escape is incomplete, unnecessary or of another language.",
            "percent-* encoding-* *-encoding *-encoded encoded-* *-escape escape-* html-entity"
            " zone-percent data-not-encoded delimiters-encoded plus-as-space",
        ),
        "wrapping": Family(
            "Quotes, brackets or markup enclose the string or a part of it.",
            "wrapped* html-* opening-* closing-* *-in-brackets *-in-parentheses brackets-in-*"
            " braces-around-* port-quoted unquoted-* *-other-brackets bracket-at-end"
            " text-*-bracket json-after brackets-empty",
        ),
        "count": Family(
            "There are too many or too few characters or items.",
            "too-few-* too-many-* *-too-* *-five-* *-leading-zero *-too-long more-in-*"
            " one-digit-* two-digit-* three-digit-* *-needless-* *-beyond *-with-zeros"
            " not-two-digits-* *-out-of-range *-with-seconds leap-second-* fraction-of-*",
        ),
        "missing": Family(
            "A required part is missing.",
            "missing-* nothing-in-* *-missing *-missing-* *-without-* *-empty trailing-* *-alone"
            " one-slash empty-fraction *-unclosed *-hours-only",
        ),
        "spelling": Family(
            "A word is misspelled, or has the wrong case.",
            "misspelled-* word-in-* case-* *-typo *-mistyped *-in-letters month-as-word",
        ),
        "other-text": Family(
            "Something else precedes or follows the string.",
            "text-* *-before *-after header-* request-line-* player-header-* punctuation-* mark-*"
            " label-* http-message-line display-name name-before-* link-fields ipv6-zone"
            " ipv6-prefix-length am-or-pm utc-before-* Z-before-* Z-after-*",
        ),
        "other-kind": Family(
            "The string is another kind of value.",
            "not-a-* another-* other-than-* words-for-* epoch *-date *-last *-is-host not-four-*"
            " literal-not-* ipvfuture* ipv6-literal zone-name",
        ),
        "separator": Family(
            "A separator is wrong or in the wrong place.",
            "slashes-other *-slash *-delimiter *-delimiters *-swapped *-separator *-colon *-colons"
            " colon-in-* colon-before-* hash-in-* at-in-* delimiter-in-* backslash-in-* *-dots"
            " dot-before-* dot-after-* comma-in-* semicolon-in-* hyphen-before-* hyphen-after-*"
            " *-hyphens address-unreadable offset-malformed",
        ),
        "deception": Family(
            "The string misleads readers or programs, or reveals a secret.",
            "misleading-* password rare-ipv4 well-known-port host-in-userinfo",
        ),
        "character": Family(
            "A character is not allowed in this part.",
            "first-character-* character-* *-character quote-* angle-bracket-* square-bracket-*"
            " brace-* pipe-* caret-* backtick-* underscore-* *-underscore *-not-digits"
            " *-not-hexadecimal *-content content-* extension-of-* other-digits-* no-digits-*",
        ),
        "unexplained": Family(
            "The reason is not a known mistake.",
            "unreadable-* unreadable",
        ),
        OTHER: Family(
            "The name of the code does not describe a kind of mistake.",
            "",
        ),
    }
)
"""The families of codes by name.

Patterns of the beginning of a name take precedence over other patterns, because a name can end in the name
of a rule. Among these, earlier families take precedence.
"""


def _patterns(of_beginning: bool) -> str:
    return "|".join(
        f"(?P<{name.replace('-', '_')}>{'|'.join(patterns)})"
        for name, family in FAMILIES.items()
        if (
            patterns := [
                each.replace("*", "(?s:.*)")
                for each in family.patterns.split()
                if each.startswith("*") is not of_beginning
            ]
        )
    )


_OF_CODES = lazy_pattern(_patterns(True))
_OF_ENDS = lazy_pattern(_patterns(False))


@lru_cache(maxsize=4096)
def family_of(code: str) -> str:
    """Return the name of the family of a code: ``whitespace`` for ``space-in-host``. Cost: linear."""
    match = _OF_CODES.fullmatch(code) or _OF_ENDS.fullmatch(code)
    return OTHER if match is None else (match.lastgroup or OTHER).replace("_", "-")


def component_of(code: str, rules: Mapping[str, str]) -> str | None:
    """Return the rule at the end of a code, such as ``host`` for ``space-in-host``; None without one.

    ``rules`` are the names of the rules of the grammar, by key. Cost: linear in the length of the code.
    """
    words = code.lower().split("-")
    keys = ("-".join(words[at:]) for at in range(1, len(words)) if words[at - 1] in _BEFORE_RULE)
    return next((rules[key] for key in keys if key in rules), None)


# Words of codes that the name of a rule follows.
_BEFORE_RULE = frozenset(
    {"in", "of", "for", "as", "than", "before", "after", "missing", "misspelled", "unquoted", "unreadable"}
)
