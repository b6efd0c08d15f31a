"""Reasons: the mistakes that are told apart, how each is said, and how likely people are to make it.

A mistake is known by the edit that mends it. An edit has a kind, whose value is the sentence that tells it,
and a price: the more often people go wrong so, the less it costs. The prices are one judgement, in one place.
A character that the rule nowhere admits was meant literally and wants percent-encoding; a bracket or a
delimiter is forgotten; a look-alike is typed or pasted; something that does not belong there is pasted
around. What was read well before the offset as structure is not doubted. Only differences of prices matter; 1
is dropping a stray character.
"""

from __future__ import annotations

import unicodedata
from enum import Enum


class Kind(Enum):
    """What an edit does, and what that says about the input.

    In a sentence ``{written}`` is what stands in the input and ``{meant}`` what should (both quoted),
    ``{encoded}`` the latter without quotes; ``{rule}`` is the rule that it is about, ``{start}`` the
    rule that was asked for.
    """

    DELETE = "{written} does not belong in {rule}"
    INSERT = "{rule} needs {meant} here"  # ``rejections`` says more precisely what is missing
    ENCODE = "{written} is not allowed in {rule} unless percent-encoded as {encoded}"
    DECODE = "{written} stands where {rule} needs {meant} itself"
    SUBSTITUTE = "{written} stands where {rule} would have {meant}"
    WRAPPER = "{written} before the {rule} does not belong to it"
    TRAILER = "{written} behind the {start} does not belong to it"

    def sentence(self, **parts: str) -> str:
        """The message of a mistake that an edit of this kind mends."""
        text: str = self.value
        return text.format_map(parts)


ENCODE = 0.8  # a character that the rule nowhere admits
ENCODE_SPACE = 0.45
ENCODE_PERCENT = 0.5  # a "%" that begins no triplet
ENCODE_MISPLACED = 0.9  # a character that the rule admits elsewhere, ...
ENCODE_STRUCTURE = 1.2  # ... but a run of delimiters is structure, not data
ENCODE_CLOSING = 0.3  # the other bracket of a pair
ENCODE_READ = 2.5  # a delimiter that could be read as one
ENCODE_DELIMITER = 1.1  # <, > and " mark an identifier's end in running text (RFC 3986, appendix C)
DECODE = 0.7  # "%3A" where ":" is needed
REPEATED = 0.1  # the same mistake again: every further character that the rule nowhere admits, ...
ENCODE_REPEATED = 0.12
DELETE_REPEATED = 0.15
DELETE = 1.0
DELETE_READ = 1.1  # a character that could be read
DELETE_SETTLED = 2.0  # the same where reading went on well behind it
DELETE_RUN = 1.25  # a delimiter in front of another one
DELETE_STRUCTURE = 2.5  # a delimiter that was read as one, and reading went on well behind it
DELETE_BLANK = 0.5  # white space, controls, invisible characters: they come with copying
DELETE_AT_END = 0.3
DELETE_MORE = 0.3  # each further character of a run
INSERT = 1.2
INSERT_DELIMITER = 0.95  # a delimiter is more easily forgotten than content
INSERT_EARLY = 2.2  # content before the offset, where reading went on without it
INSERT_MORE = 0.9  # at most, for what follows something that was inserted
INSERT_BRACKET = 0.8
INSERT_LEADING = 0.4  # the part that a rule begins with, when nothing valid has been read yet
INSERT_OPTIONAL = 1.7  # a delimiter where nothing was missing: it only makes room for what follows
INSERT_NEEDLESS = 3.5  # the same behind another delimiter, or before what could be read
INSERT_AT_SIGN = 4.0  # it turns what was read into something else; hardly ever what was forgotten
SUBSTITUTE_LIKE = 0.6
SUBSTITUTE_LEAVING = 0.9
SUBSTITUTE_DELIMITER = 1.15  # one delimiter for another
SUBSTITUTE = 1.6
SUBSTITUTE_OPTIONAL = 2.2  # where nothing was missing
SUBSTITUTE_READ = 0.3  # added for a character that could be read
REWRITE = 0.5
WRAPPER = 0.5  # something pasted before the identifier, ...
WRAPPER_MORE = 0.08
WRAPPER_LENGTH = 32
TRAILER = 0.9  # ... or behind it, if it begins as no identifier goes on
TRAILER_MORE = 0.02
CUT = 2.0  # leaving out the rest for any other reason
CUT_MORE = 0.05
SUBSTITUTE_SETTLED = 1.5  # ... and reading went on well behind it
SETTLED = 2  # how far behind a delimiter reading must have gone on
DISTANCE = 0.01  # of two equal repairs the one nearer to the offset

# What identifiers are put between in running text: with one of these an identifier ends, rather than goes on.
DELIMITERS = frozenset('<>"')

# Written for one another, beside what Unicode's compatibility decomposition (NFKC) says.
LOOK_ALIKE = {
    "\\": "/",
    "(": "[",
    ")": "]",
    "{": "[",
    "}": "]",
    ";": ":",
    ",": ".",
    "\u3002": ".",
    "\u2018": "'",
    "\u2019": "'",
    "\u2010": "-",
    "\u2011": "-",
    "\u2012": "-",
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\u2215": "/",
    "\u2044": "/",
    "\u2236": ":",
}
BRACKETS = {"]": "[", ")": "(", "}": "{", ">": "<"}
# Written for delimiters by mistake, or on purpose so that a reader would not take them for a link.
REWRITES = {
    "[dot]": ".",
    "(dot)": ".",
    "[.]": ".",
    "[at]": "@",
    "(at)": "@",
    "[://]": "://",
    ".//": "://",
}


def is_word(char: str) -> bool:
    """Whether a character is a letter or a digit, rather than a delimiter."""
    return char.isalnum()


def is_blank(char: str) -> bool:
    """White space, and what is not seen: controls and format characters."""
    return char.isspace() or unicodedata.category(char) in ("Cc", "Cf", "Zs", "Zl", "Zp")


def is_triplet(text: str, position: int) -> bool:
    """Whether a "%" is followed by two hexadecimal digits."""
    digits = text[position + 1 : position + 3]
    return len(digits) == 2 and all(digit in "0123456789abcdefABCDEF" for digit in digits)


def encode_foreign(char: str) -> float:
    """The price of percent-encoding the first character that the rule nowhere admits."""
    if char == " ":
        return ENCODE_SPACE
    return ENCODE_DELIMITER if char in DELIMITERS else ENCODE
