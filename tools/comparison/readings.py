"""What is written by hand about the differences: the draft's translation table, and readings of relations.

A reading stands beside the relation that it was written for.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Translation:
    """A row of the table: an obsolete rule, and what it is said to become.

    ``relation`` is the obsolete rule's to the translation, for which ``reading`` was written. ``exact`` is an
    expression that derives the same strings, where the translation does not.
    """

    rule: str
    abnf: str
    relation: str
    reading: str = ""
    exact: str | None = None


# RFC 2396's host names, spelled out over RFC 3986's rules for the exact translations.
_INNER = '[ *( ALPHA / DIGIT / "-" ) ( ALPHA / DIGIT ) ]'
_HOSTNAME = f'*( ( ALPHA / DIGIT ) {_INNER} "." ) ALPHA {_INNER} [ "." ]'
_HOSTPORT = f'( {_HOSTNAME} / 3( 1*DIGIT "." ) 1*DIGIT ) [ ":" port ]'

_GONE = 'authorities such as "a:b" and "a@b@c" are gone'

# draft-fielding-uri-rfc2396bis-07, appendix D.2. The draft writes param's translation as
# *<pchar excluding ";">, here spelled out; the rest is as it is there.
TRANSLATIONS = (
    Translation(
        "absoluteURI",
        "absolute-URI",
        "overlap",
        f"A scheme and its colon are a whole URI now, and IP literals are new; {_GONE}.",
        'scheme ":" 1*( pchar / "/" / "?" )',
    ),
    Translation(
        "relativeURI",
        'relative-part [ "?" query ]',
        "overlap",
        "What is empty, or begins with a query, was no relativeURI (the empty string was a URI-reference), "
        f"and IP literals are new; {_GONE}.",
        '( 1*( "/" segment ) / path-noscheme ) [ "?" query ]',
    ),
    Translation(
        "hier_part",
        '( "//" authority path-abempty / path-absolute ) [ "?" query ]',
        "overlap",
        f"IP literals are new; {_GONE}.",
        '1*( "/" segment ) [ "?" query ]',
    ),
    Translation(
        "opaque_part",
        'path-rootless [ "?" query ]',
        "wider",
        'An opaque part could begin with "?"; a path cannot.',
        '( pchar / "?" ) query',
    ),
    Translation(
        "net_path",
        '"//" authority path-abempty',
        "overlap",
        f"IP literals are new; {_GONE}.",
        '"//" segment path-abempty',
    ),
    Translation(
        "abs_path",
        "path-absolute",
        "wider",
        'An abs_path may begin with "//"; path-absolute may not: there an authority begins.',
        '1*( "/" segment )',
    ),
    Translation(
        "rel_path",
        "path-rootless",
        "narrower",
        "The first segment of a rel_path has no colon. The rule that says so is path-noscheme.",
        "path-noscheme",
    ),
    Translation("rel_segment", "segment-nz-nc", "equal"),
    Translation(
        "reg_name",
        "reg-name",
        "overlap",
        'The old rule had ":" and "@", and at least one character.',
        "segment-nz",
    ),
    Translation(
        "server",
        "authority",
        "narrower",
        "A host need be neither a domain name nor an address any more, and may be empty.",
        f'[ [ userinfo "@" ] {_HOSTPORT} ]',
    ),
    Translation(
        "hostport",
        'host [ ":" port ]',
        "narrower",
        "A host may be empty, and need be neither a domain name nor an address any more.",
        _HOSTPORT,
    ),
    Translation(
        "hostname",
        "reg-name",
        "narrower",
        "The old rule held domain names to their labels; the new one takes nearly any character, or none.",
        _HOSTNAME,
    ),
    Translation(
        "path_segments",
        "path-abempty",
        "wider",
        'path_segments begins with a segment; path-abempty is empty or begins with "/".',
        "segment path-abempty",
    ),
    Translation(
        "param",
        '*( unreserved / pct-encoded / ":" / "@" / "!" / "$" / "&" / "\'" / "(" / ")" / "*" / "+" / "," '
        '/ "=" )',
        "equal",
    ),
    Translation(
        "uric",
        'unreserved / pct-encoded / ";" / "?" / ":" / "@" / "&" / "=" / "+" / "$" / "," / "/"',
        "wider",
        "The translation forgets the five marks that are unreserved no longer: ! * ' ( ).",
        'pchar / "/" / "?"',
    ),
    Translation(
        "uric_no_slash",
        'unreserved / pct-encoded / ";" / "?" / ":" / "@" / "&" / "=" / "+" / "$" / ","',
        "wider",
        "The translation forgets the five marks that are unreserved no longer: ! * ' ( ).",
        'pchar / "?"',
    ),
    Translation("mark", '"-" / "_" / "." / "!" / "~" / "*" / "\'" / "(" / ")"', "equal"),
    Translation("escaped", "pct-encoded", "equal"),
    Translation("hex", "HEXDIG", "equal"),
    Translation("alphanum", "ALPHA / DIGIT", "equal"),
)

# Rules that kept their names but not their strings: RFC 2396's relation to RFC 3986's, and the reading.
READINGS = {
    "URI-reference": (
        "overlap",
        'A query may follow an empty path ("?q"), a scheme and its colon are a whole URI ("a:"), and '
        f"IP literals are new; {_GONE}.",
    ),
    "hier-part": (
        "overlap",
        "The query belongs to it no more; the rootless path, which took the place of opaque_part, and the "
        "empty one do.",
    ),
    "authority": ("overlap", f"IP literals are new; {_GONE}."),
    "reg-name": ("overlap", 'The old rule had ":" and "@", and at least one character.'),
    "host": ("narrower", "A host may be empty, an IP literal, or any string of reg-name's characters."),
    "IPv4address": ("wider", "Each number is held to 0 to 255, without leading zeros."),
    "path": ("wider", 'RFC 2396 took opaque_part for a path, with "?" in it.'),
    "pchar": ("narrower", "The semicolon joined it: parameters are not set apart any more."),
    "reserved": ("narrower", """"#", "[", "]" and the marks ! * ' ( ) joined it."""),
    "unreserved": ("wider", "The marks ! * ' ( ) left it."),
}
