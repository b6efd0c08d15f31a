"""Percent-encoding (RFC 3986, sections 2.1 to 2.5; RFC 2396, section 2.4).

Data is encoded once, before the URI is built, and decoded once, after it is parsed. Both RFCs encode and
decode the same way. The rules of their grammars decide which characters a component contains unencoded.
"""

from __future__ import annotations

import re
from itertools import product

from abnforge._arguments import plain_argument, wrong_type
from abnforge._lazy import cached_property
from abnforge.catalog import ArgumentError
from abnforge.errors import Rejected
from abnforge.messages import message
from abnforge.uri.common import rule_of

# A percent-encoding, in a group: ``split`` keeps it.
TRIPLET = re.compile("(%[0-9A-Fa-f]{2})")
# "%" without its digits, and characters that do not encode an octet.
_MALFORMED = re.compile(r"%(?![0-9A-Fa-f]{2})|[^\x00-\x7f]")

_ASCII = "".join(map(chr, range(128)))


class PercentCoding:
    """Encoding and decoding by the rules of a built-in grammar, which must have a rule ``unreserved``."""

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
        """Return the ASCII characters that match a rule. Raises UnknownNameError for an unknown rule."""
        matches = rule_of(self.grammar, rule).matches
        return frozenset(filter(matches, _ASCII))

    def encode(self, data: str | bytes, rule: str = "unreserved", *, keep_triplets: bool = False) -> str:
        """Percent-encode every octet that ``rule`` does not allow unencoded.

        A str is encoded as UTF-8 (section 2.5). The default rule encodes all reserved characters, which is
        right for data inside a component; a rule such as ``query`` keeps the delimiters of that component.

        "%" is data and becomes "%25": ``decode(encode(x)) == x``, and a second call encodes again. With
        ``keep_triplets``, existing percent-encodings stay, and a second call changes nothing.

        Raises: ValueError for a lone surrogate, and for a character that needs an encoding in a rule without
        percent-encodings, such as ``port``; UnknownNameError for an unknown rule; TypeError.
        Complexity: linear.
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
        self._check_encodable(octets, rule, table)
        if not keep_triplets:
            return "".join(map(table.__getitem__, octets))
        pieces = TRIPLET.split(octets.decode("latin-1"))
        pieces[::2] = ("".join(map(table.__getitem__, piece.encode("latin-1"))) for piece in pieces[::2])
        return "".join(pieces)

    def decode_octets(self, text: str, rule: str | None = None) -> bytes:
        """Decode each triplet to an octet, and each other character to its US-ASCII code.

        Decodes once: ``%2541`` is ``%41``. With ``rule``, the string must match it, and a path must not
        contain an encoded "/", which would become a delimiter: decode each segment separately.

        Raises: Rejected if the string does not match ``rule``; ValueError for a "%" without two hexadecimal
        digits, and for a character that is not US-ASCII.
        Complexity: linear.
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
        """Decode percent-encoded UTF-8; :meth:`decode_octets` decodes other encodings.

        Raises: ValueError for octets that are not UTF-8, with their offset; else as :meth:`decode_octets`.
        """
        octets = self.decode_octets(text, rule)
        try:
            return octets.decode()
        except UnicodeDecodeError as error:
            start, end = _offset(text, error.start), _offset(text, error.end)
            raise ArgumentError(
                message("percent-not-utf8", triplets=text[start:end], offset=start, reason=error.reason)
            ) from None

    def decode_unreserved(self, text: str) -> str:
        """Decode the triplets of unreserved characters (section 6.2.2.2)."""
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
        """The unreserved characters by their triplets, in upper and lower case."""
        return {
            "%" + high + low: char
            for char in self.characters("unreserved")
            for high, low in product(*({d, d.lower()} for d in f"{ord(char):02X}"))
        }

    def _table(self, rule: str) -> tuple[str, ...]:
        if rule not in self._tables:
            allowed = self.characters(rule)
            self._tables[rule] = tuple(
                chr(octet) if chr(octet) in allowed else f"%{octet:02X}" for octet in range(256)
            )
        return self._tables[rule]

    def _check_encodable(self, octets: bytes, rule: str, table: tuple[str, ...]) -> None:
        if rule == "unreserved" or rule_of(self.grammar, rule).matches("%41"):
            return
        for offset, octet in enumerate(octets):
            if len(table[octet]) > 1:
                raise ArgumentError(message("percent-unencodable", char=chr(octet), offset=offset, rule=rule))


def query_parameters(query: str | None, *, decode: bool = False) -> tuple[tuple[str, str | None], ...]:
    """Return the names and values in a query, such as ``a=1&b=2``, in order; None has none.

    This is a convention of forms: ``application/x-www-form-urlencoded`` (WHATWG URL, section 5.1). RFC 3986
    does not define it, and many servers also accept other separators. Names and values are exact slices; the
    value of a parameter without "=" is None. ``decode=True`` returns the values of the convention: "+" is a
    space, percent-encoded UTF-8 is decoded, and a missing value is "".

    Raises: ValueError with ``decode=True`` for octets that are not UTF-8, where the convention replaces them;
    TypeError. Complexity: linear.
    """
    if query is None:
        return ()
    pairs = [each.partition("=") for each in plain_argument(query, "query").split("&") if each]
    if decode:
        return tuple((_form_decoded(name), _form_decoded(value)) for name, _, value in pairs)
    return tuple((name, value if equals else None) for name, equals, value in pairs)


def _form_decoded(text: str) -> str:
    pieces = TRIPLET.split(text.replace("+", " "))
    octets = b"".join(
        bytes.fromhex(piece[1:]) if index % 2 else piece.encode() for index, piece in enumerate(pieces)
    )
    try:
        return octets.decode()
    except UnicodeDecodeError as error:
        raise ArgumentError(
            message("percent-not-utf8", triplets=text, offset=0, reason=error.reason)
        ) from None


def _offset(text: str, octet: int) -> int:
    offset = 0
    for _ in range(octet):
        offset += 3 if text[offset] == "%" else 1
    return offset
