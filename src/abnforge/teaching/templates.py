"""Small grammars to start from, with comments, and with examples that are tests."""

from __future__ import annotations

import re
from dataclasses import dataclass

from abnforge._arguments import instance_argument, plain_argument
from abnforge.catalog import ArgumentError
from abnforge.engine.rule import Rule
from abnforge.grammar.annotations import text_written
from abnforge.grammar.formatter import format_abnf
from abnforge.grammar.parser import core_rules
from abnforge.teaching.describe import about
from abnforge.teaching.messages import message
from abnforge.text import near_misses

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*\Z")

_HEAD = """\
; %NAME%: describe the format here, and name its specification.
;
; A rule is a name, "=" and a definition. The first rule is the default. Text after ";" is a comment;
; a comment that starts with ";@" lists strings that the rule must or must not match, as a test.
"""

_FOOT = """\

; ALPHA (letters), DIGIT, HEXDIG, SP (space), WSP (space or tab), DQUOTE and CRLF are predefined.
; To import a rule of another grammar, write a line such as this, without the first semicolon and space:
; ;@ import rfc3986: host
"""

_KEY_VALUE = """
;@ match "colour=red", "width=12;colour=dark-red"
;@ no-match "", "colour", "colour=red;", "colour = red"
%NAME% = pair *( ";" pair )  ; one pair, then any number of pairs after semicolons

;@ match "colour=red"
;@ no-match "=red", "colour="
pair = key "=" value

;@ match "colour", "line-width", "h1"
;@ no-match "1st", "-x", "line width"
key = ALPHA *( ALPHA / DIGIT / "-" )  ; a letter, then letters, digits and hyphens

;@ match "red", "dark-red", "12", "-12"
;@ no-match "", "1.5", "--"
value = word / number  ; either of the two

word = ALPHA *( ALPHA / "-" )

number = [ "-" ] 1*DIGIT  ; brackets make an element optional; 1* is one or more
"""

_DATE = """
;@ match "2026-11-23", "2026-11-23 16:30", "0000-12-31"
;@ no-match "2026-1-1", "2026-13-01", "2026-11-23 24:00", "2026-11-23 "
%NAME% = day-of-year [ SP time ]  ; brackets make the time optional

day-of-year = year "-" month "-" day

year = 4DIGIT  ; four digits

;@ match "01", "12"
;@ no-match "00", "13", "1"
month = "0" %x31-39 / "1" %x30-32  ; %x31-39 is one of the characters from "1" to "9"

; No rule here checks that a month has 30 days; programs check that.
;@ match "01", "31"
;@ no-match "00", "32"
day = "0" %x31-39 / ( "1" / "2" ) DIGIT / "3" ( "0" / "1" )

;@ match "00:00", "23:59"
;@ no-match "24:00", "1:00", "12:60"
time = hour ":" minute

hour = ( "0" / "1" ) DIGIT / "2" %x30-33

minute = %x30-35 DIGIT
"""

_LIST = """
;@ match "red", "red, green", "red,green ,  blue", "red, "%x22"a, b"%x22
;@ no-match "", "red,", ",red", "red green"
%NAME% = item *( *WSP "," *WSP item )  ; spaces and tabs may surround commas

item = word / quoted  ; either of the two

;@ match "red", "h1"
;@ no-match "a b", "a,b"
word = 1*( ALPHA / DIGIT / "-" )  ; 1* is one or more

;@ match %x22"a, b"%x22, %x22.22
;@ no-match %x22"a", %x22.22.22
quoted = DQUOTE *character DQUOTE

character = %x20-21 / %x23-7E  ; every printable character except the quote, which is %x22
"""

_URI = """
;@ import rfc3986: host, port, path-abempty, query

;@ match "https://example.com/", "http://localhost:8080/a/b?c=d", "HTTP://[::1]"
;@ no-match "example.com", "ftp://example.com/", "https://me@example.com/", "https://example.com/#top"
%NAME% = scheme "://" host [ ":" port ] path-abempty [ "?" query ]

; "http" also matches HTTP; %s"http" would not.
;@ match "http", "HTTPS"
;@ no-match "ftp"
scheme = "http" / "https"
"""

TEMPLATES = {"key-value": _KEY_VALUE, "date": _DATE, "list": _LIST, "uri": _URI}
"""Templates of new grammars; the first is the default."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """A grammar's text, and the name of its first rule."""

    text: str
    rule: str


def rule_name(text: str) -> str:
    """Return a rule name that is similar to a text: other characters become hyphens, or are removed.

    Raises ValueError for a text without a letter.
    """
    found = re.sub(r"[^A-Za-z0-9]+", "-", plain_argument(text, "text")).strip("-")
    if not _NAME.match(found):
        raise ArgumentError(message("rule-name-impossible", text=text))
    return found


def beginning(name: str, like: str = "key-value") -> Beginning:
    """Return a grammar like one of ``TEMPLATES`` with a first rule of this name.

    If a core rule or another rule of the template has the name, it gets the suffix "-text". Raises ValueError
    for an invalid name, and for an unknown template.
    """
    name, like = _checked(name), plain_argument(like, "like")
    if like not in TEMPLATES:
        near = tuple(near_misses(like, TEMPLATES))
        raise ArgumentError(message("template-unknown", name=like, near=near, known=tuple(TEMPLATES)))
    if name.lower() in _taken(TEMPLATES[like]):
        name += "-text"
    body = TEMPLATES[like] + ("" if like == "uri" else _FOOT)
    return _made(_HEAD + body, name)


def beginning_from(name: str, rule: Rule, source: str) -> Beginning:
    """A grammar whose first rule is one of another grammar, to be changed; ``source`` is how an import names
    that one. Its examples are the shortest sentences of the rule, and near misses.

    Raises TypeError, and ValueError as ``beginning`` does. Cost: that of telling about the rule.
    """
    name = _checked(name)
    instance_argument(rule, "rule", Rule, "a Rule")
    if name.lower() in {rule.name.lower(), *core_rules()}:
        name += "-text"
    told = about(rule)
    lines = ["", f";@ import {plain_argument(source, 'source')}: {rule.name}", ""]
    for word, texts in (("match", told.sentences), ("no-match", told.misses)):
        if texts:
            lines.append(f";@ {word} {', '.join(map(text_written, texts))}")
    lines += [f"{name} = {rule.name}", ""]
    return _made(_HEAD + "\n".join(lines), name)


def _made(text: str, name: str) -> Beginning:
    return Beginning(format_abnf(text.replace("%NAME%", name)), name)


def _checked(name: str) -> str:
    name = plain_argument(name, "name")
    if not _NAME.match(name):
        raise ArgumentError(message("rule-name-invalid", name=name))
    return name


def _taken(template: str) -> set[str]:
    names = re.findall(r"^([a-z-]+) = ", template, re.MULTILINE)
    imported = re.findall(r"^;@ import \S+ (.*)$", template, re.MULTILINE)
    return {*names, *(each for line in imported for each in line.split(", ")), *core_rules()}
