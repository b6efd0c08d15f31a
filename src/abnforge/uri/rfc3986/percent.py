"""Percent-encoding by RFC 3986 (sections 2.1 to 2.5), component by component.

Data becomes part of a URI by :func:`encode`, once, before the URI is put together; it comes back by
:func:`decode`, once, after the URI has been taken apart (section 2.4). Which characters a component takes as
they are is asked of the grammar's rule of that name: ``unreserved``, ``userinfo``, ``reg-name``, ``segment``,
``path``, ``query``, ``fragment``, or any other.
"""

from __future__ import annotations

from abnforge._arguments import plain_argument
from abnforge.uri.common.percent import TRIPLET, PercentCoding
from abnforge.uri.rfc3986.parse import GRAMMAR

__all__ = [
    "RFC3986",
    "PercentCoding",
    "characters",
    "decode",
    "decode_octets",
    "encode",
    "uppercase_triplets",
]

RFC3986 = PercentCoding(GRAMMAR)
encode, decode, decode_octets = RFC3986.encode, RFC3986.decode, RFC3986.decode_octets
characters = RFC3986.characters


def uppercase_triplets(text: str) -> str:
    """The text with its triplets in upper case (section 6.2.2.1)."""
    if type(text) is not str:
        text = plain_argument(text, "text")
    return TRIPLET.sub(lambda match: match[0].upper(), text) if "%" in text else text
