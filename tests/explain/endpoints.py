"""A small grammar that declares mistakes among its rules."""

from __future__ import annotations

ENDPOINT = """\
; Section 1
endpoint = host [ ":" port ]
host     = label *( "." label )
label    = 1*( ALPHA / DIGIT )
; Section 2
port     = *DIGIT

;@ of port; blame junk; fix digits
;@ say "a port has digits only, and no {junk}"; seen "an issue tracker"
;@ example "a:80x" -> "a:80"
;@ example port "8O" -> "8"
;@ near "a:80"
port-junk = digits junk
digits    = *DIGIT
junk      = ALPHA *( ALPHA / DIGIT )

;@ each T: host label; of T; blame spaces; fix none; section RFC 1035, section 2.3.1
;@ say "no {T} has a space"
;@ example "a b" -> none
;@ near "ab"
space-in-T = *LETTER spaces *( LETTER / "." / SP )
spaces     = 1*SP
LETTER     = ALPHA / DIGIT
"""
