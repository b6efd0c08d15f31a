"""The core rules of RFC 5234, appendix B.1, which every grammar may use without defining them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from abnforge.abnf.model import Rule
from abnforge.abnf.parsing import parse

CORE_RULES = """\
; RFC 5234, appendix B.1
ALPHA   = %x41-5A / %x61-7A  ; A-Z / a-z
BIT     = "0" / "1"
CHAR    = %x01-7F            ; any 7-bit US-ASCII character, excluding NUL
CR      = %x0D               ; carriage return
CRLF    = CR LF              ; Internet standard newline
CTL     = %x00-1F / %x7F     ; controls
DIGIT   = %x30-39            ; 0-9
DQUOTE  = %x22               ; " (Double Quote)
HEXDIG  = DIGIT / "A" / "B" / "C" / "D" / "E" / "F"
HTAB    = %x09               ; horizontal tab
LF      = %x0A               ; linefeed
LWSP    = *(WSP / CRLF WSP)  ; linear whitespace: lines of whitespace alone are dangerous in headers
OCTET   = %x00-FF            ; 8 bits of data
SP      = %x20
VCHAR   = %x21-7E            ; visible (printing) characters
WSP     = SP / HTAB          ; whitespace
"""


@cache
def core_rules() -> Mapping[str, Rule]:
    """The 16 core rules by lower-case name, in the appendix's order.

    Their spans are offsets of :data:`CORE_RULES`.
    """
    rulelist, _ = parse(CORE_RULES, "RFC 5234, appendix B.1", "abnf")
    return MappingProxyType({rule.name.lower(): rule for rule in rulelist.rules})
