"""Small grammars with derived mistakes."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

import abnforge
from abnforge.explain.bind import BoundMistakes
from abnforge.explain.derive import bind_derived
from abnforge.explain.fixes import Fixer
from abnforge.explain.reading import Interpreter
from tests.places import SHARED

GRAMMARS = {
    "values": """
value  = ws ( object / array / string / number / true / false / null ) ws
object = ws "{" ws [ member *( comma member ) ] ws "}" ws
member = string colon value
array  = ws "[" ws [ value *( comma value ) ] ws "]" ws
comma  = ws "," ws
colon  = ws ":" ws
string = DQUOTE *char DQUOTE
char   = %x20-21 / %x23-5B / %x5D-10FFFF / "\\" ( DQUOTE / "\\" / %s"n" )
number = [ "-" ] int [ frac ]
int    = "0" / %x31-39 *DIGIT
frac   = "." 1*DIGIT
true   = %s"true"
false  = %s"false"
null   = %s"null"
ws     = *( SP / HTAB / CR / LF )
""",
    "locators": """
locator = scheme ":" "//" host [ ":" port ] *( "/" segment ) [ "?" query ]
scheme  = ALPHA *( ALPHA / DIGIT )
host    = address / name
address = "[" group 1*7( ":" group ) "]"
group   = 1*4HEXDIG
name    = 1*( ALPHA / DIGIT / "-" / "." / triplet )
port    = *DIGIT
segment = *( ALPHA / DIGIT / "-" / "." / "@" / triplet )
query   = *( ALPHA / DIGIT / "=" / "&" / triplet )
triplet = "%" HEXDIG HEXDIG
""",
    "log": """
line   = date SP level SP where ":" SP text
date   = 4DIGIT "-" 2DIGIT "-" 2DIGIT
level  = %s"DEBUG" / %s"INFO" / %s"WARNING" / %s"ERROR"
where  = name *( "." name ) [ "(" number ")" ]
name   = ALPHA *( ALPHA / DIGIT / "_" )
number = 1*DIGIT
text   = 1*%x20-7E
""",
    "fields": """
field     = name ":" OWS item *( OWS "," OWS item ) OWS
name      = token
item      = token *( OWS ";" OWS parameter )
parameter = token "=" ( token / quoted )
token     = 1*( ALPHA / DIGIT / "-" / "_" )
quoted    = DQUOTE *( HTAB / SP / %x21 / %x23-5B / %x5D-7E / "\\" VCHAR ) DQUOTE
OWS       = *( SP / HTAB )
""",
    "settings": """
settings = *( line newline )
line     = [ setting ]
setting  = name "=" value
name     = 1*ALPHA
value    = "on" / "off" / 1*DIGIT / hex
hex      = %s"0x" 1*HEXDIG
newline  = LF / CRLF
""",
    "mail": """
mail    = *header CRLF text
header  = name ":" *VCHAR CRLF
name    = 1*ALPHA
text    = *( VCHAR / CRLF )
""",
    "cron": """
cron     = macro / times
times    = minute SP hour SP day SP month SP weekday
macro    = "@" ( "yearly" / "monthly" / "weekly" / "daily" / "hourly" / "reboot" )
minute   = list
hour     = list
day      = list
month    = "*" / names-m / list
weekday  = "*" / names-d / list
list     = entry *( "," entry )
entry    = ( "*" / number [ "-" number ] ) [ "/" number ]
number   = 1*2DIGIT
names-m  = month-name *( ( "," / "-" ) month-name )
names-d  = day-name *( ( "," / "-" ) day-name )
month-name = "JAN" / "FEB" / "MAR" / "APR" / "MAY" / "JUN"
           / "JUL" / "AUG" / "SEP" / "OCT" / "NOV" / "DEC"
day-name = "SUN" / "MON" / "TUE" / "WED" / "THU" / "FRI" / "SAT"
""",
    "version": """
version    = core [ "-" prerelease ] [ "+" build ]
core       = numeric "." numeric "." numeric
prerelease = identifier *( "." identifier )
build      = identifier *( "." identifier )
identifier = 1*( ALPHA / DIGIT / "-" )
numeric    = "0" / %x31-39 *DIGIT
""",
    "color": """
color   = hex / function
hex      = "#" ( 6HEXDIG / 3HEXDIG )
function = ( "rgb" / "hsl" ) "(" number 2( comma number ) [ comma alpha ] ")"
comma    = "," *SP
number   = 1*3DIGIT [ "%" ]
alpha    = ( "0" / "1" ) [ "." 1*DIGIT ]
""",
    "filter": """
filter  = term *( SP ( "and" / "or" ) SP term )
term    = attr SP op SP value / "(" filter ")"
attr    = name *( "." name )
name    = ALPHA *( ALPHA / DIGIT / "_" )
op      = "eq" / "ne" / "gt" / "lt" / "contains"
value   = DQUOTE *( %x20-21 / %x23-7E ) DQUOTE / 1*DIGIT / "true" / "false"
""",
    "rule-file": """
file    = *( line LF )
line    = [ permit / deny ] [ comment ]
permit  = "allow" SP address [ "/" prefix ] [ SP "port" SP ports ]
deny    = "deny" SP address [ "/" prefix ]
address = octet 3( "." octet )
octet   = 1*3DIGIT
prefix  = 1*2DIGIT
ports   = port *( "," port )
port    = 1*5DIGIT [ "-" 1*5DIGIT ]
comment = *SP "#" *( SP / VCHAR )
""",
}

# Third-party grammars, which may be next to the project, with the rules that they take from other documents.
OTHERS = {
    "json": ("q-uint__syntax/abnf__rfc8259.abnf", {}, ""),
    "toml": ("toml-lang__toml/toml.abnf", {}, ""),
    "sip": ("cameronelliott__sip-antlr-abnf/sip.abnf", {}, ""),
    "icalendar": (
        "dontcallmedom__rfcref/abnf__source__rfc5545.abnf",
        {
            "<As defined in Section 3 of [RFC3986]>": 'ALPHA *( ALPHA / DIGIT ) ":" *VCHAR',
            "<A IANA-registered iCalendar version identifier>": '"2.0"',
        },
        """
UTF8-2 = %x80-7FF
UTF8-3 = %x800-FFFF
UTF8-4 = %x10000-10FFFF
Language-Tag = 1*( ALPHA / DIGIT / "-" )
type-name    = 1*( ALPHA / DIGIT / "-" )
subtype-name = 1*( ALPHA / DIGIT / "-" )
""",
    ),
}


@cache
def loaded(name: str) -> abnforge.Grammar | None:
    """Return the grammar that the cases call ``name``, or None if its file is missing."""
    if name in GRAMMARS:
        return abnforge.loads(GRAMMARS[name])
    if name not in OTHERS:
        return abnforge.load(name)
    path, replaced, more = OTHERS[name]
    file = SHARED / "grammars" / path
    if not file.is_file():
        return None
    text = file.read_text("utf-8")
    for old, new in replaced.items():
        text = text.replace(old, new)
    return abnforge.loads(text + more)


@cache
def bound(grammar: str, rule: str) -> BoundMistakes:
    """Return the mistakes derived for a rule of one of the grammars above."""
    return bind_derived(loaded(grammar).compilation.bound, rule)


@cache
def _readers(grammar: str, rule: str) -> tuple[Interpreter, Fixer]:
    result = bound(grammar, rule)
    return Interpreter(result, rule), Fixer(result)


def read(grammar: str, rule: str, text: str) -> tuple[list[tuple[str, tuple[int, int]]], str | None]:
    """Return the codes and positions of the mistakes in a string, and the fixed string."""
    reader, fixer = _readers(grammar, rule)
    reading = reader.interpret(text)
    results = [(each.code, each.span) for each in reading.mistakes]
    repaired = fixer.fix(reading)
    return results, repaired.text if repaired is not None and results else None


def message(grammar: str, rule: str, text: str) -> str:
    """Return the message of the first mistake in a string, or an empty string."""
    result = _readers(grammar, rule)[0].interpret(text).mistakes
    return result[0].message(text) if result else ""


_PARTS = (
    '":"',
    '","',
    '"//"',
    "DQUOTE",
    "SP",
    "OWS",
    '%s"get"',
    '"put"',
    "%x4F.4B",
    "*ALPHA",
    "1*DIGIT",
    "2DIGIT",
    "1*2ALPHA",
    "ALPHA *( ALPHA / DIGIT )",
    "*( ALPHA / triplet )",
    "1*( DIGIT / triplet )",
    'DQUOTE *( %x21 / %x23-5B / "\\" DQUOTE ) DQUOTE',
)
_FRAMES = (
    "{0}",
    "{0} {1}",
    "{0} / {1}",
    "[ {0} ] {1}",
    '"[" {0} "]"',
    '{0} *( "," {1} )',
    '{0} *( OWS ";" OWS {1} )',
    '{0} ":" {1}',
    '{0} [ ":" {1} ]',
    "*( {0} / {1} )",
    "1*3( {0} )",
)
_ALWAYS = 'OWS = *( SP / HTAB )\ntriplet = "%" HEXDIG HEXDIG\n'
_SLIPS = "a1Z:,;[(]\"' \t%/\\-\xe9\uff1a"


@st.composite
def grammars(draw: st.DrawFn) -> str:
    """Return two to four rules with parts that have derived mistakes. Some are recursive, as brackets are."""
    names = [f"r{number}" for number in range(draw(st.integers(2, 4)))]
    lines = []
    for place, name in enumerate(names):
        seen = [*_PARTS, *(names[place + 1 :] * 3)]
        frame = draw(st.sampled_from(_FRAMES))
        body = frame.format(draw(st.sampled_from(seen)), draw(st.sampled_from(seen)))
        if draw(st.integers(0, 5)) == 0:
            body += f' / "(" {name} ")"'
        lines.append(f"{name} = {body}\n")
    return "".join(lines) + _ALWAYS


@st.composite
def slips(draw: st.DrawFn) -> list[tuple[str, int, int]]:
    """Return changes to a string.

    A change has inserted characters, a position in hundredths of the string, and a number of removed
    characters.
    """
    one = st.tuples(st.sampled_from(_SLIPS + "  "), st.integers(0, 99), st.integers(0, 1))
    return draw(st.lists(st.one_of(one, one.map(lambda each: ("", each[1], 1))), max_size=3))


def changed(text: str, changes: list[tuple[str, int, int]]) -> str:
    """Return a string with changes."""
    for new, place, less in changes:
        at = place * (len(text) + 1) // 100
        text = text[:at] + new + text[at + less :]
    return text
