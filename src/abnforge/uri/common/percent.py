"""Percent-encoding by a grammar (RFC 3986, sections 2.1 to 2.5; RFC 2396, section 2.4).

Both RFCs encode and decode alike; which characters may stand as they are is asked of their grammars.
"""

from __future__ import annotations

import re
from itertools import product

from abnforge._arguments import plain_argument, wrong_type
from abnforge._lazy import cached_property
from abnforge.catalog import ArgumentError
from abnforge.errors import Rejected
from abnforge.uri.common import rule_of
from abnforge.uri.common.messages import message

# A percent-encoding; in a group, so that splitting by it keeps it.
TRIPLET = re.compile("(%[0-9A-Fa-f]{2})")
# "%" without its digits, and characters that stand for no octet.
_MALFORMED = re.compile(r"%(?![0-9A-Fa-f]{2})|[^\x00-\x7f]")

_ASCII = "".join(map(chr, range(128)))


class PercentCoding:
    """Encoding and decoding by the rules of one grammar, which has to have a rule ``unreserved``."""

    def __init__(self, grammar: str) -> None:
        self.grammar = plain_argument(grammar, "grammar")
        self._tables: dict[str, tuple[str, ...]] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PercentCoding) and self.grammar == other.grammar

    def __hash__(self) -> int:
        return hash((PercentCoding, self.grammar))

    def __reduce__(self) -> tuple[type[PercentCoding], tuple[str]]:
        return PercentCoding, (self.grammar,)

    def __repr__(self) -> str:
        return f"PercentCoding({self.grammar!r})"

    def characters(self, rule: str) -> frozenset[str]:
        """The characters that a rule derives, each by itself. Raises KeyError for an unknown rule."""
        matches = rule_of(self.grammar, rule).matches
        return frozenset(filter(matches, _ASCII))

    def encode(self, data: str | bytes, rule: str = "unreserved", *, keep_triplets: bool = False) -> str:
        """The data with every octet percent-encoded that may not stand as it is in ``rule``.

        Text is encoded as UTF-8 (section 2.5), bytes are taken as they are. With the default rule all
        reserved characters are encoded, which is right for data inside a component; ``rule="query"`` and the
        like leave the delimiters alone that the component has a use for.

        "%" is data and becomes "%25", so that ``decode(encode(x)) == x`` and a second pass encodes a second
        time. With ``keep_triplets``, three characters that read as a percent-encoding stay as they are;
        encoding twice is then the same as encoding once.

        Raises ValueError for a lone surrogate, and for a rule like ``port`` that has no percent-encoding
        when one is needed; KeyError for an unknown rule; TypeError for other data. Cost: linear.
        """
        if type(rule) is not str:
            rule = plain_argument(rule, "rule")
        if isinstance(data, str):
            try:
                octets = data.encode()
            except UnicodeEncodeError as error:
                at = error.start
                raise ArgumentError(
                    message("percent-surrogate", codepoint=ord(data[at]), offset=at)
                ) from None
        elif isinstance(data, bytes | bytearray | memoryview):
            octets = bytes(data)
        else:
            raise wrong_type("data", "a str or bytes", data)
        table = self._table(rule)
        self._refuse_unencodable(octets, rule, table)
        if not keep_triplets:
            return "".join(map(table.__getitem__, octets))
        pieces = TRIPLET.split(octets.decode("latin-1"))
        pieces[::2] = ("".join(map(table.__getitem__, piece.encode("latin-1"))) for piece in pieces[::2])
        return "".join(pieces)

    def decode_octets(self, text: str, rule: str | None = None) -> bytes:
        """The octets that a text stands for: each triplet one, each other character its US-ASCII code.

        Decodes once: ``%2541`` is ``%41``. With ``rule`` the text has to be one, and a path with an encoded
        "/" is refused, since that would come out as a delimiter: decode the segments one by one.

        Raises Rejected for a text that ``rule`` does not derive; ValueError for a "%" without two hexadecimal
        digits and for a character beyond US-ASCII. Cost: linear.
        """
        text = plain_argument(text, "text")
        if rule is not None:
            rejection = rule_of(self.grammar, rule).explain(text)
            if rejection is not None:
                raise Rejected(rejection)
            slash = text.upper().find("%2F")
            if slash >= 0 and "/" in self.characters(rule) and rule.lower().startswith("path"):
                raise ArgumentError(message("percent-slash", offset=slash))
        bad = _MALFORMED.search(text)
        if bad is not None:
            if bad[0] == "%":
                raise ArgumentError(message("percent-malformed", offset=bad.start()))
            raise ArgumentError(message("percent-non-ascii", char=bad[0], offset=bad.start()))
        pieces = TRIPLET.split(text)
        return b"".join(
            bytes.fromhex(piece[1:]) if index % 2 else piece.encode("ascii")
            for index, piece in enumerate(pieces)
        )

    def decode(self, text: str, rule: str | None = None) -> str:
        """The text that the octets spell in UTF-8.

        Raises ValueError for octets that are not UTF-8, with the offset of the first; otherwise as
        :meth:`decode_octets`, which gives octets of any encoding.
        """
        octets = self.decode_octets(text, rule)
        try:
            return octets.decode()
        except UnicodeDecodeError as error:
            start = _offset(text, error.start)
            found = text[start : _offset(text, error.end)]
            raise ArgumentError(
                message("percent-not-utf8", triplets=found, offset=start, reason=error.reason)
            ) from None

    def decode_unreserved(self, text: str) -> str:
        """The text with those triplets decoded that stand for unreserved characters (section 6.2.2.2)."""
        if type(text) is not str:
            text = plain_argument(text, "text")
        if "%" not in text:
            return text
        plain = self._unreserved
        return TRIPLET.sub(lambda match: plain.get(match[0], match[0]), text)

    @staticmethod
    def uppercase_triplets(text: str) -> str:
        """Return the string with its triplets in upper case (section 6.2.2.1)."""
        if type(text) is not str:
            text = plain_argument(text, "text")
        return TRIPLET.sub(lambda match: match[0].upper(), text) if "%" in text else text

    @cached_property
    def _unreserved(self) -> dict[str, str]:
        """The triplets of unreserved characters, in every case."""
        return {
            "%" + high + low: char
            for char in self.characters("unreserved")
            for high, low in product(*({d, d.lower()} for d in f"{ord(char):02X}"))
        }

    def _table(self, rule: str) -> tuple[str, ...]:
        """What each octet becomes."""
        if rule not in self._tables:
            allowed = self.characters(rule)
            self._tables[rule] = tuple(
                chr(octet) if chr(octet) in allowed else f"%{octet:02X}" for octet in range(256)
            )
        return self._tables[rule]

    def _refuse_unencodable(self, octets: bytes, rule: str, table: tuple[str, ...]) -> None:
        if rule == "unreserved" or rule_of(self.grammar, rule).matches("%41"):
            return
        for offset, octet in enumerate(octets):
            if len(table[octet]) > 1:
                raise ArgumentError(message("percent-unencodable", char=chr(octet), offset=offset, rule=rule))


def _offset(text: str, octet: int) -> int:
    """Where in an encoded text an octet stands."""
    offset = 0
    for _ in range(octet):
        offset += 3 if text[offset] == "%" else 1
    return offset
