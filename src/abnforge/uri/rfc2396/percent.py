"""Percent-encoding by RFC 2396 (section 2.4): the verbs of :mod:`abnforge.uri.percent`, by this grammar's
rules.

Its ``unreserved`` has ``!*'()`` more than RFC 3986's, which reserves them; its rule for a triplet is
``escaped``.
"""

from __future__ import annotations

from abnforge.uri.common.percent import PercentCoding
from abnforge.uri.rfc2396.parse import GRAMMAR

__all__ = ["RFC2396", "characters", "decode", "decode_octets", "encode"]

RFC2396 = PercentCoding(GRAMMAR)
encode, decode, decode_octets = RFC2396.encode, RFC2396.decode, RFC2396.decode_octets
characters = RFC2396.characters
