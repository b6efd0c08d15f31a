"""Write ``docs/comparison.md``: how the URI grammars of 1998, 2004 and 2005 differ, as sets of strings.

    python tools/compare_grammars.py            write the page
    python tools/compare_grammars.py --check    write nothing; exit 1 if the page is not current

Every relation on the page is computed. What is written by hand below are the facts that are compared (the
translation table, RFC 2396's rules in their own notation) and the readings; a reading stands beside the
relation that it was written for, and the tool fails when the computed one is another.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

import abnforge
from abnforge import Grammar
from abnforge.cli.reports.markdown import code, plain
from abnforge.comparison.grammars import ONLY_LEFT, ONLY_RIGHT, RuleDiff, diff, diff_rules, expression

PAGE = Path(__file__).resolve().parent.parent / "docs" / "comparison.md"


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

# RFC 2396, appendix A, and section 2.4.3's sets of excluded characters, in the RFC's own notation.
RFC2396_ORIGINAL = r"""
URI-reference = [ absoluteURI | relativeURI ] [ "#" fragment ]
absoluteURI   = scheme ":" ( hier_part | opaque_part )
relativeURI   = ( net_path | abs_path | rel_path ) [ "?" query ]
hier_part     = ( net_path | abs_path ) [ "?" query ]
opaque_part   = uric_no_slash *uric
uric_no_slash = unreserved | escaped | ";" | "?" | ":" | "@" |
                "&" | "=" | "+" | "$" | ","
net_path      = "//" authority [ abs_path ]
abs_path      = "/"  path_segments
rel_path      = rel_segment [ abs_path ]
rel_segment   = 1*( unreserved | escaped |
                    ";" | "@" | "&" | "=" | "+" | "$" | "," )
scheme        = alpha *( alpha | digit | "+" | "-" | "." )
authority     = server | reg_name
reg_name      = 1*( unreserved | escaped | "$" | "," |
                    ";" | ":" | "@" | "&" | "=" | "+" )
server        = [ [ userinfo "@" ] hostport ]
userinfo      = *( unreserved | escaped |
                   ";" | ":" | "&" | "=" | "+" | "$" | "," )
hostport      = host [ ":" port ]
host          = hostname | IPv4address
hostname      = *( domainlabel "." ) toplabel [ "." ]
domainlabel   = alphanum | alphanum *( alphanum | "-" ) alphanum
toplabel      = alpha | alpha *( alphanum | "-" ) alphanum
IPv4address   = 1*digit "." 1*digit "." 1*digit "." 1*digit
port          = *digit
path          = [ abs_path | opaque_part ]
path_segments = segment *( "/" segment )
segment       = *pchar *( ";" param )
param         = *pchar
pchar         = unreserved | escaped |
                ":" | "@" | "&" | "=" | "+" | "$" | ","
query         = *uric
fragment      = *uric
uric          = reserved | unreserved | escaped
reserved      = ";" | "/" | "?" | ":" | "@" | "&" | "=" | "+" |
                "$" | ","
unreserved    = alphanum | mark
mark          = "-" | "_" | "." | "!" | "~" | "*" | "'" |
                "(" | ")"
escaped       = "%" hex hex
hex           = digit | "A" | "B" | "C" | "D" | "E" | "F" |
                        "a" | "b" | "c" | "d" | "e" | "f"
alphanum      = alpha | digit
alpha         = lowalpha | upalpha
lowalpha = "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" |
           "j" | "k" | "l" | "m" | "n" | "o" | "p" | "q" | "r" |
           "s" | "t" | "u" | "v" | "w" | "x" | "y" | "z"
upalpha  = "A" | "B" | "C" | "D" | "E" | "F" | "G" | "H" | "I" |
           "J" | "K" | "L" | "M" | "N" | "O" | "P" | "Q" | "R" |
           "S" | "T" | "U" | "V" | "W" | "X" | "Y" | "Z"
digit    = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" |
           "8" | "9"
control  = <US-ASCII coded characters 00-1F and 7F hexadecimal>
space    = <US-ASCII coded character 20 hexadecimal>
delims   = "<" | ">" | "#" | "%" | <">
unwise   = "{" | "}" | "|" | "\" | "^" | "[" | "]" | "`"
"""

# Rules of RFC 3986 whose counterpart in RFC 3987 does not have the same name, with or without an "i" before.
IRI_NAMES = {"URI": "IRI", "URI-reference": "IRI-reference", "absolute-URI": "absolute-IRI"}

VERDICTS = {
    "equal": "exact",
    "narrower": "too wide",
    "wider": "too narrow",
    "overlap": "both too wide and too narrow",
    "disjoint": "about other strings altogether",
}

WARNING = "<!-- DO NOT EDIT. Generated by: python tools/compare_grammars.py -->"

INTRODUCTION = (
    """How do the grammars of RFC 2396 (1998), of the last draft before RFC 3986 (2004), of RFC 3986 and
    of RFC 3987 (both 2005) differ? Not in how they are written, but in which strings they allow. A
    specification that still refers to a rule of RFC 2396, or that replaces one grammar by another, can
    look up here what that changes.""",
    """Each rule is turned into a minimal automaton, and two rules are compared by walking both automata
    side by side. The answers are therefore exact, not the outcome of trying strings. Wherever two rules
    differ, a *shortest* string is shown that one derives and the other does not; *(empty)* is the empty
    string. The words used: a rule is **narrower** than another if all of its strings belong to the other
    one too, which is then **wider**; two rules **overlap** if each has strings of its own, and share
    some.""",
    """The same for your own grammars, with the reason for every difference: `abnforge grammar diff OLD
    NEW` (see [cli.md](cli.md)). To write this page again: `python tools/compare_grammars.py`. With
    `--check`, the tool fails if the page is not current.""",
)


def page() -> str:
    """The whole page. Raises ValueError when a relation is not the one that its reading was written for."""
    old, new = abnforge.load("rfc2396"), abnforge.load("rfc3986")
    sections = (
        [WARNING, "", "# The URI grammars compared", "", *prose(*INTRODUCTION)],
        translations(old, new),
        same_names(old, new),
        draft(abnforge.load("rfc2396bis-07"), new),
        original(abnforge.loads(RFC2396_ORIGINAL, name="RFC 2396's notation", dialect="rfc822"), old),
        internationalized(new, abnforge.load("rfc3987")),
    )
    return "\n".join("\n".join(section).rstrip("\n") + "\n" for section in sections)


def translations(old: Grammar, new: Grammar) -> Iterator[str]:
    """The table of appendix D.2 and, where it is not exact, translations that are."""
    found = {d.name: d for d in diff(old, new, {t.rule: t.abnf for t in TRANSLATIONS})}
    rows, exact = [], []
    for row in TRANSLATIONS:
        name = row.rule.replace("_", "-")
        _expect(found[name], row.relation)
        rows.append(
            [
                code(row.rule),
                code(row.abnf),
                VERDICTS[row.relation],
                *_witnesses(found[name]),
                plain(row.reading),
            ]
        )
        if row.exact is not None:
            _expect(diff_rules(old[name], expression(new, row.exact, name)), "equal")
            exact.append([code(row.rule), code(row.exact)])
    yield "## RFC 2396's rules in terms of RFC 3986"
    yield ""
    yield from prose(
        f"""Appendix D.2 of draft-fielding-uri-rfc2396bis-07 has a table by which specifications that
        refer to the obsolete grammar rules may be understood. Of its {len(rows)} translations
        {len(rows) - len(exact)} are exact. (The draft describes param's as pchar without ";", which is
        spelled out here.) "Too wide" means that the translation allows strings that the old rule did
        not."""
    )
    head = ("obsolete rule", "translation", "it is", "only the old rule", "only the translation", "reading")
    yield from table(head, rows)
    yield from prose(
        """Exact translations of the other rules, each proven equal to the old rule when this page is
        written. They say what was allowed in 1998, not what should be allowed today. `net_path` is short
        because any string of RFC 3986's pchar was an authority: `reg_name` took all of them but the
        empty one, and `server` took that."""
    )
    yield from table(("obsolete rule", "the same strings in RFC 3986's rules"), exact)


def same_names(old: Grammar, new: Grammar) -> Iterator[str]:
    """The rules that kept their names."""
    found = [d for d in diff(old, new) if d.relation not in (ONLY_LEFT, ONLY_RIGHT)]
    changed = [d for d in found if not d.equal]
    rows = []
    for each in changed:
        relation, reading = READINGS[each.name]
        _expect(each, relation)
        rows.append([code(each.name), relation, *_witnesses(each), plain(reading)])
    yield "## Rules that kept their names"
    yield ""
    yield from prose(
        f"""A name that is the same in both RFCs does not promise that the strings are: of {len(found)}
        such rules {len(changed)} changed."""
    )
    yield from table(("rule", "RFC 2396's is", "only RFC 2396", "only RFC 3986", "reading"), rows)
    yield from prose(f"The same in both: {', '.join(code(d.name) for d in found if d.equal)}.")


def draft(old: Grammar, new: Grammar) -> Iterator[str]:
    """The draft's rules against the RFC's."""
    found = diff(old, new)
    changed = [d for d in found if not d.equal]
    yield "## The draft of September 2004 and RFC 3986"
    yield ""
    yield from prose(
        f"""The {len(old.own_rules)} rules of draft-fielding-uri-rfc2396bis-07, appendix A, and the
        {len(new.own_rules)} of RFC 3986, appendix A: {len(found) - len(changed)} are equal,
        {len(changed)} are not."""
    )
    if changed:
        rows = ([code(d.name), d.relation, *_witnesses(d)] for d in changed)
        yield from table(("rule", "the draft's is", "only the draft", "only RFC 3986"), rows)


def original(old: Grammar, rewritten: Grammar) -> Iterator[str]:
    """RFC 2396's own notation against our rewriting of it."""
    found = diff(old, rewritten)
    changed = [d for d in found if not d.equal]
    if [(d.name, d.relation) for d in changed] != [("lowalpha", "wider"), ("upalpha", "wider")]:
        names = ", ".join(f"{d.name} ({d.relation})" for d in changed)
        raise ValueError(f"grammars/rfc2396.abnf and RFC 2396's own notation differ in: {names}")
    yield "## RFC 2396 in its own notation and in ABNF"
    yield ""
    yield from prose(
        f"""RFC 2396 is written with "|" and with "_" in rule names; `grammars/rfc2396.abnf` rewrites it
        in the ABNF of RFC 5234. Of the {len(found)} rules {len(found) - len(changed)} are equal. The two
        others differ on purpose: RFC 2396 lists `"a"` to `"z"` as lower case and `"A"` to `"Z"` as upper
        case, but a quoted string matches without regard to case when it is read as ABNF, so that each of
        the lists, copied as it is, takes all letters. No other rule notices, since they only use the two
        together."""
    )
    rows = ([code(d.name), d.relation, *_witnesses(d)] for d in changed)
    yield from table(
        ("rule", "the notation is", "only the notation read as ABNF", "only the rewriting"), rows
    )


def internationalized(uris: Grammar, iris: Grammar) -> Iterator[str]:
    """Every language of RFC 3986 is included in that of RFC 3987."""
    pairs = []
    for rule in uris.own_rules:
        name = IRI_NAMES.get(rule.name, f"i{rule.name}")
        pairs.append(diff_rules(rule, iris[name if name in iris else rule.name]))
    same = [d for d in pairs if d.equal]
    wider = [d for d in pairs if not d.equal]
    for each in wider:
        _expect(each, "narrower")
    yield "## URIs among the IRIs"
    yield ""
    yield from prose(
        f"""Every URI is an IRI, and so for every rule: the {len(pairs)} rules of RFC 3986 each have a
        counterpart in RFC 3987 (`host` is `ihost`), {len(wider)} of which are wider and {len(same)} the
        same. All that is new are characters beyond ASCII; the one in the shortest strings stands for all
        of them."""
    )
    rows = ([code(d.name), code(str(d.counterpart)), _witnesses(d)[1]] for d in wider)
    yield from table(("RFC 3986", "RFC 3987", "only RFC 3987"), rows)
    yield from prose(f"The same in both: {', '.join(code(d.name) for d in same)}.")


def prose(*paragraphs: str) -> Iterator[str]:
    """Paragraphs in lines, an empty line after each."""
    for paragraph in paragraphs:
        yield fill(" ".join(paragraph.split()), width=110, break_on_hyphens=False, break_long_words=False)
        yield ""


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """A Markdown table, an empty line after it."""
    head = list(head)
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def _expect(found: RuleDiff, relation: str) -> None:
    if found.relation != relation:
        raise ValueError(
            f"{found.name} is {found.relation} (to {found.counterpart}), not {relation}: what is written "
            "about it in this tool has to be read again"
        )


def _witnesses(found: RuleDiff) -> list[str]:
    """A shortest string of each side alone, "" where there is none."""
    compared = found.comparison
    if compared is None:
        raise ValueError(f"{found.name} cannot be compared: {found.note}")
    return ["" if text is None else code(text) for text in (compared.only_left, compared.only_right)]


def main(argv: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is not current")
    options = parser.parse_args(argv)
    text = page()
    current = PAGE.is_file() and PAGE.read_text("utf-8") == text
    if options.check and not current:
        print(
            "docs/comparison.md is not what the grammars give; run: python tools/compare_grammars.py",
            file=sys.stderr,
        )
        return 1
    if not current:
        PAGE.write_text(text, "utf-8")
    print(f"docs/comparison.md {'is current' if current else 'written'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
