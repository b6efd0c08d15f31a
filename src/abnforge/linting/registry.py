"""Every kind of finding: code, name, severity, title, explanation.

Codes and names are stable: tools store them. A new kind gets the next free code; the code of a removed kind
stays unused.

Longer than others: one table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

ERROR, WARNING, INFO = "error", "warning", "info"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of finding.

    ``severity`` is ``error`` (the grammar does not load, or a rule cannot mean anything), ``warning``
    (probably a mistake) or ``info`` (worth knowing; never fails a run). ``bad`` and ``good`` are
    small grammars: one that has the finding, one that says the same without it.
    """

    code: str
    name: str
    severity: str
    summary: str
    explanation: str
    bad: str
    good: str

    def to_dict(self) -> dict[str, str]:
        """Return the kind as plain data; the keys are stable."""
        return {
            "code": self.code,
            "name": self.name,
            "severity": self.severity,
            "title": self.summary,
            "explanation": self.explanation,
            "bad": self.bad,
            "good": self.good,
        }


def _kinds() -> tuple[Kind, ...]:
    return (
        Kind(
            "ABNF001",
            "syntax-error",
            ERROR,
            "Syntax error",
            "The input is not ABNF as RFC 5234, section 4, defines it. The message has the unexpected text"
            " and the correction.",
            'greeting = "hello" / / "hi"\n',
            'greeting = "hello" / "hi"\n',
        ),
        Kind(
            "ABNF002",
            "undefined-rule",
            ERROR,
            "Undefined rule",
            "Neither the grammar nor the core rules of RFC 5234, appendix B.1, define the name. Rule "
            "names are case-insensitive.",
            "date = year\nyaer = 4DIGIT\n",
            "date = year\nyear = 4DIGIT\n",
        ),
        Kind(
            "ABNF003",
            "duplicate-rule",
            ERROR,
            "Duplicate rule definition",
            "RFC 5234 does not say which definition counts, and parsers differ: some take the first, some"
            ' the last, some both. Use "=/" to add alternatives to a rule.',
            'sign = "+"\nsign = "-"\n',
            'sign = "+"\nsign =/ "-"\n',
        ),
        Kind(
            "ABNF004",
            "case-collision",
            ERROR,
            "Rule names that differ only in case",
            "Rule names are case-insensitive (RFC 5234, section 2.1), so both definitions are for one "
            "rule. Specifications that import others often have this conflict: HTTP's Host header and the"
            " URI's host.",
            'message = Host\nHost = "Host:" host\nhost = 1*ALPHA\n',
            'message = Host\nHost = "Host:" uri-host\nuri-host = 1*ALPHA\n',
        ),
        Kind(
            "ABNF005",
            "incremental-without-base",
            ERROR,
            '"=/" without an earlier definition',
            '"=/" adds alternatives to an earlier definition (RFC 5234, section 3.3). Without this error,'
            " a misspelled name would silently become a new rule.",
            'sign =/ "-"\n',
            'sign = "+"\nsign =/ "-"\n',
        ),
        Kind(
            "ABNF006",
            "repetition-out-of-order",
            ERROR,
            "Repeat minimum above maximum",
            "No number of repetitions satisfies both limits.",
            "year = 4*2DIGIT\n",
            "year = 2*4DIGIT\n",
        ),
        Kind(
            "ABNF007",
            "value-out-of-range",
            ERROR,
            "Numeric value out of range",
            "A terminal value is above U+10FFFF, or a repeat count has too many digits.",
            "any = %x0-110000\n",
            "any = %x0-D7FF / %xE000-10FFFF\n",
        ),
        Kind(
            "ABNF008",
            "empty-range",
            ERROR,
            "Range start above range end",
            "The range contains no character. The two ends are probably swapped.",
            "digit-char = %x39-30\n",
            "digit-char = %x30-39\n",
        ),
        Kind(
            "ABNF009",
            "nesting-too-deep",
            ERROR,
            "Groups nested too deeply",
            "Published grammars nest six levels. Make rules of the inner groups.",
            "x = " + "(" * 51 + "ALPHA" + ")" * 51 + "\n",
            "x = ((ALPHA))\n",
        ),
        Kind(
            "ABNF010",
            "file-too-large",
            ERROR,
            "File too large",
            "Grammars have some kilobytes; the limit is 4 MiB. The file is probably not a grammar.",
            "",
            "x = ALPHA\n",
        ),
        Kind(
            "ABNF011",
            "unused-rule",
            WARNING,
            "Unused rule",
            "With start rules, a rule is unused if no start rule reaches it. Without them, the first rule"
            " and the rules that no other rule refers to count as start rules, so that only rules in a "
            "cycle can be unused.",
            'list = "." / "," list\nping = "<" pong\npong = ">" ping / "!"\n',
            'list = ping / "," list\nping = "<" pong\npong = ">" ping / "!"\n',
        ),
        Kind(
            "ABNF012",
            "ambiguous",
            WARNING,
            "Ambiguous rule",
            "Two alternatives match the same string, or a string can be split between two parts in two "
            "ways (vertical and horizontal ambiguity, as Brabrand, Giegerich and Moller, 2007, call "
            "them). Ambiguity does not change whether a string is valid, but it has two parse trees. "
            "abnforge takes the first alternative and the longest repetition (RFC 3986, section 3.2.2); "
            "other parsers can differ. The check is exact for regular rules. For other rules, every "
            "finding is ambiguous, but some ambiguities can be missed.",
            "item = number / word\nnumber = 1*DIGIT\nword = 1*( ALPHA / DIGIT )\n",
            "item = number / word\nnumber = 1*DIGIT\nword = ALPHA *( ALPHA / DIGIT )\n",
        ),
        Kind(
            "ABNF013",
            "shadowed-alternative",
            WARNING,
            "Alternative that can never match",
            "An earlier alternative matches every string of the alternative, and wins. Remove the "
            "alternative, or move it before the one that shadows it.",
            'method = 1*ALPHA / "GET"\n',
            "method = 1*ALPHA\n",
        ),
        Kind(
            "ABNF014",
            "left-recursion-direct",
            INFO,
            "Direct left recursion",
            "abnforge parses the rule, but recursive descent parsers do not terminate on it. A repetition"
            " matches the same strings.",
            'sum = sum "+" DIGIT / DIGIT\n',
            'sum = DIGIT *( "+" DIGIT )\n',
        ),
        Kind(
            "ABNF015",
            "left-recursion-indirect",
            WARNING,
            "Indirect left recursion",
            "The rule is left-recursive through other rules. Indirect left recursion is harder to see "
            "than direct left recursion, and rarely intended.",
            'name = path / ALPHA\npath = name "." ALPHA\n',
            'name = ALPHA *( "." ALPHA )\n',
        ),
        Kind(
            "ABNF016",
            "never-terminates",
            ERROR,
            "Rule that matches no string",
            "Every alternative requires the rule itself again, so that no derivation ends.",
            'list = "," list\n',
            'list = "," [ list ]\n',
        ),
        Kind(
            "ABNF017",
            "nullable-loop",
            WARNING,
            "Unbounded repetition of a nullable element",
            "The repeated element can be empty, so that an empty string has any number of repetitions, "
            "and naive parsers loop. Make the repeated element non-empty.",
            "words = *( *ALPHA )\n",
            "words = *ALPHA\n",
        ),
        Kind(
            "ABNF018",
            "redundant-option",
            INFO,
            "Redundant option",
            "The content of the option can already be empty. The empty string then has two derivations: "
            "the option is absent, or present and empty.",
            "name = [ *ALPHA ]\n",
            "name = *ALPHA\n",
        ),
        Kind(
            "ABNF019",
            "prose-val",
            WARNING,
            "Prose instead of a definition",
            "No parser can match prose (RFC 5234, section 4: a last resort). Rules that refer to this "
            "rule cannot be matched.",
            "token = 1*<any printable character>\n",
            "token = 1*VCHAR\n",
        ),
        Kind(
            "ABNF020",
            "case-insensitive-literal",
            INFO,
            "Case-insensitive string",
            "Strings in quotes are case-insensitive (RFC 5234, section 2.3). Reported for strings of a "
            'single letter, and for strings next to their other case or next to a %s"..." string in the '
            'same rule. RFC 7405 defines %s"v" for exact case and %i"v" for either case.',
            'version = "v" 1*DIGIT\n',
            'version = %i"v" 1*DIGIT\n',
        ),
        Kind(
            "ABNF021",
            "core-rule-redefined",
            WARNING,
            "Core rule redefined",
            "abnforge uses the grammar's own definition, but readers expect the core rules of RFC 5234, "
            "appendix B.1.",
            "ALPHA = %x61-7A\n",
            "lower = %x61-7A\n",
        ),
        Kind(
            "ABNF022",
            "check-incomplete",
            INFO,
            "Check incomplete: budget exceeded",
            "The search for ambiguous and shadowed alternatives has limits, so that linting every grammar"
            " takes seconds. Alternatives beyond the limits are not checked. Raise the budget to search "
            "more.",
            "x = 999999999*ALPHA *ALPHA\n",
            "x = 2ALPHA\n",
        ),
        Kind(
            "ABNF023",
            "useless-allow",
            WARNING,
            "Unused or unexplained suppression comment",
            'A comment "; abnforge: allow NAME (reason)" before a rule, or in it, suppresses findings of '
            "that name about the rule. The name must be the name of a lint rule, the reason is required, "
            "and the finding must exist.",
            "; abnforge: allow ambiguous (on purpose)\nx = ALPHA\n",
            "x = ALPHA\n",
        ),
        Kind(
            "ABNF024",
            "search-ended",
            INFO,
            "Ambiguity search stopped at its limit",
            "The ambiguity of recursive rules is undecidable. abnforge searches for ambiguous strings "
            "until its share of the budget is used. It reports the strings that it found; more can exist.",
            'side = "(" side ")" side / "[" side "]" side / "x"\nx = side side\n',
            "x = 2ALPHA\n",
        ),
        Kind(
            "ABNF025",
            "bar-notation",
            WARNING,
            '"|" between alternatives (RFC 2396 notation)',
            'ABNF uses "/" between alternatives. abnforge takes a "|" as a sign of the older notation,'
            " whose names can have underscores and whose elements can touch; other tools reject it. The "
            'edits convert the whole text to ABNF. Load and lint intentional uses with dialect="rfc822".',
            'sign = "+" | "-"\n',
            'sign = "+" / "-"\n',
        ),
        Kind(
            "ABNF026",
            "underscore-name",
            WARNING,
            "Underscore in a rule name (RFC 2396 notation)",
            'A rule name in ABNF has letters, digits and "-" (RFC 5234, section 2.1). abnforge takes an '
            "underscore in the name of a defined rule as a sign of RFC 2396 notation; other tools reject "
            'it. Load and lint intentional uses with dialect="rfc822".',
            "four_digits = 4DIGIT\n",
            "four-digits = 4DIGIT\n",
        ),
        Kind(
            "ABNF027",
            "unbalanced-alternatives",
            WARNING,
            "Unbalanced delimiters across alternatives",
            'Concatenation binds more tightly than "/" (RFC 5234, section 3.10). Elements before the '
            "first alternative belong to it alone, and elements after the last alternative belong to the "
            "last one alone.",
            'list = "(" 1*DIGIT / 1*%x61-7A ")"\n',
            'list = "(" ( 1*DIGIT / 1*%x61-7A ) ")"\n',
        ),
        Kind(
            "ABNF028",
            "string-as-set",
            WARNING,
            "String used as a character set",
            "A string matches all its characters in order. Reported for eight or more consecutive "
            "characters, for a repeated string of four consecutive characters or of different punctuation"
            " characters, and for the only string of a rule with a name such as chars.",
            'number = 1*"0123456789"\n',
            "number = 1*DIGIT\n",
        ),
        Kind(
            "ABNF029",
            "suspicious-range",
            WARNING,
            "Range with a suspicious base or letter case",
            "%d30-39 and %x65-90 are digits and letters in the other base, and %x0-9 and %xA-F are "
            "control characters. Ranges of letters to F in one case and to G in the other are a typo.",
            "digit = %x0-9\n",
            "digit = %x30-39\n",
        ),
        Kind(
            "ABNF030",
            "comment-disagrees",
            WARNING,
            "Comment that contradicts its rule",
            "abnforge compares these statements of a comment with the rule: case sensitivity, letters of "
            'one case, the character of a value, characters excluded from a set, and a count ("at most", '
            '"at least" or exact).',
            'method = "get" ; case-sensitive\n',
            'method = %s"get" ; case-sensitive\n',
        ),
        Kind(
            "ABNF031",
            "surrogates-in-range",
            INFO,
            "Range that includes surrogates",
            "Surrogates (U+D800 to U+DFFF) are not characters (Unicode, section 3.8) and cannot be "
            "encoded in UTF-8 (RFC 3629, section 3).",
            "any = %x80-10FFFF\n",
            "any = %x80-D7FF / %xE000-10FFFF\n",
        ),
        Kind(
            "ABNF032",
            "utf8-octets",
            INFO,
            "UTF-8 bytes instead of a code point",
            "A terminal value is one character (RFC 5234, section 2.3). A grammar of bytes can write a "
            "character as its UTF-8 bytes; in a grammar of code points, this value matches two or more "
            "characters.",
            "lambda = %xCE.BB ; U+03BB\n",
            "lambda = %x3BB ; U+03BB\n",
        ),
        Kind(
            "ABNF033",
            "escape-in-string",
            WARNING,
            "Escape sequence in a string",
            'ABNF strings do not have escape sequences: "\\n" matches a backslash and the letter n. '
            "Reported in rules for whitespace and line ends.",
            'newline = "\\n"\n',
            "newline = LF\n",
        ),
        Kind(
            "ABNF034",
            "mistake-directive",
            ERROR,
            "Invalid mistake directive",
            'Comments that start with ";@" declare the rule below as a mistake of another rule, the part '
            "to blame, and the fix. The message has the syntax of the directive.",
            "port = *DIGIT\n"
            ";@ off port; blame all; fix none\n"
            "junk = ALPHA\n"
            ";@ of port; blame all; fix none\n"
            "x = ALPHA\n",
            "port = *DIGIT\n;@ of port; blame all; fix none\njunk = ALPHA\n",
        ),
        Kind(
            "ABNF035",
            "mistake-fix",
            ERROR,
            "Mistake fix that can produce an invalid string",
            "A fix is proved for all values of its slots: the rule that the mistake replaces must match "
            "the result. The counterexample is a shortest result that the rule does not match.",
            "port = 2DIGIT\n;@ of port; blame all; fix digits\njunk = digits ALPHA\ndigits = 1*2DIGIT\n",
            "port = 2DIGIT\n;@ of port; blame all; fix digits\njunk = digits ALPHA\ndigits = 2DIGIT\n",
        ),
        Kind(
            "ABNF036",
            "mistake-never-read",
            ERROR,
            "Unreachable mistake",
            "The rule of the mistake matches all strings of the mistake, or an earlier mistake that costs"
            " no more does. No string is ever reported as this mistake.",
            "port = *DIGIT\n;@ of port; blame all; fix none\nshort = 1*3DIGIT\n",
            "port = *DIGIT\n;@ of port; blame all; fix none\nword = 1*ALPHA\n",
        ),
        Kind(
            "ABNF037",
            "mistake-overlap",
            INFO,
            "Overlapping mistake",
            "A string that the rule matches is not a mistake. The cheaper of two mistakes wins, or the "
            "earlier one if both cost the same. An overlap can be intended; the example is a shortest common "
            "string.",
            "port = *DIGIT\n;@ of port; blame all; fix none\nword = 1*( ALPHA / DIGIT )\n",
            "port = *DIGIT\n;@ of port; blame all; fix none\nword = *DIGIT ALPHA *( ALPHA / DIGIT )\n",
        ),
        Kind(
            "ABNF038",
            "mistake-unproved",
            WARNING,
            "Unproved mistake fix",
            "The budget was exceeded during the proof, or abnforge cannot show that one of the rules is "
            "regular.",
            'nest = "(" [ nest ] ")"\n;@ of nest; blame all; fix "()"\nempty = "[]"\n',
            'nest = *"()"\n;@ of nest; blame all; fix "()"\nempty = "[]"\n',
        ),
        Kind(
            "ABNF039",
            "mistake-example",
            WARNING,
            "Failing mistake example",
            "An example must be reported as its mistake, and fixed as it says. A near miss must be valid."
            " Both are matched with the rule that they name, or with the start rule.",
            'port = *DIGIT\n;@ of port; blame all; fix none; example "80" -> none\nword = 1*ALPHA\n',
            'port = *DIGIT\n;@ of port; blame all; fix none; example "a" -> none\nword = 1*ALPHA\n',
        ),
        Kind(
            "ABNF040",
            "list-notation",
            WARNING,
            "HTTP list notation",
            'RFC 9110, section 5.6.1, defines "1#element": elements separated by commas, with optional '
            "whitespace (OWS) around the commas. RFC 5234 does not have this notation, and other tools "
            "reject it. abnforge expands lists when it loads a grammar, by default in the form for "
            "recipients, which allows empty elements (lists=, --lists). The edits expand lists in the "
            "form for senders. Lint intentional uses with lists=.",
            "hosts = 1#name\nname = 1*ALPHA\n",
            'hosts = name *( OWS "," OWS name )\nname = 1*ALPHA\nOWS = *( SP / HTAB )\n',
        ),
        Kind(
            "ABNF041",
            "import-directive",
            ERROR,
            "Unresolved import",
            'The structured comment ";@ import rfc3986: host, port" imports rules. It names a bundled '
            "grammar, abnf:NAME, or a file relative to this grammar; then, after a colon, the rules to "
            "import. Without rules, abnforge imports every rule that is needed. Imports cannot form a "
            "cycle.",
            ";@ import rfc3986: hots\naddress = host\n",
            ";@ import rfc3986: host\naddress = host\n",
        ),
        Kind(
            "ABNF042",
            "import-collision",
            INFO,
            "Conflicting imports",
            "abnforge imports a rule that the grammar does not define from the first import that has it. "
            'Another import defines the rule differently. Name the rules to import: ";@ import rfc3986: '
            'host".',
            ";@ import rfc3986\n;@ import rfc2396\naddress = host\n",
            ";@ import rfc3986: host\naddress = host\n",
        ),
        Kind(
            "ABNF043",
            "example-directive",
            ERROR,
            "Invalid or misplaced example directive",
            'The structured comments ";@ match" and ";@ no-match" list strings that the rule matches, or '
            'does not match. They must be directly above their rule, or indented below it. "abnforge '
            'test" tests the examples.',
            ';@ match "80" "81\nport = *DIGIT\n',
            ';@ match "80", "81"\nport = *DIGIT\n',
        ),
        Kind(
            "ABNF044",
            "except-directive",
            ERROR,
            "Invalid except directive",
            'The structured comment ";@ except keyword" directly above a rule, or indented below it, '
            "names rules whose strings the rule does not match. All these rules must be regular: without "
            "recursion, or with recursion at one end only.",
            ';@ except pair\nname = 1*ALPHA\npair = "(" [ pair ] ")"\n',
            ';@ except pair\nname = 1*ALPHA\npair = "ab" / "cd"\n',
        ),
        Kind(
            "ABNF045",
            "rule-name-in-quotes",
            WARNING,
            "Rule name in quotes",
            "A string in quotes matches its own letters, not the rule of that name. Reported for names "
            "that no rule refers to without quotes.",
            'date = 4DIGIT "-" "month"\nmonth = 2DIGIT\n',
            'date = 4DIGIT "-" month\nmonth = 2DIGIT\n',
        ),
        Kind(
            "ABNF046",
            "range-in-comment",
            INFO,
            "Range in a comment that the rule does not check",
            "A comment is not part of the grammar: 2DIGIT matches 99, even with the comment 01-12. "
            "Alternatives can check a range. Reported for rules of digits with a comment that starts with"
            " a range, or calls it a range.",
            "month = 2DIGIT ; 01-12\n",
            'month = "0" %x31-39 / "1" %x30-32 ; 01-12\n',
        ),
        Kind(
            "ABNF047",
            "name-in-another-case",
            INFO,
            "Rule name in another case",
            "Rule names are case-insensitive (RFC 5234, section 2.1), so the reference is valid. A reader"
            " can take it for another rule, possibly of another document.",
            "message = Header\nheader = 1*ALPHA\n",
            "message = header\nheader = 1*ALPHA\n",
        ),
    )


KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _kinds()})
"""Every kind of finding by name, in the order of the codes."""


def find(code_or_name: str) -> Kind | None:
    """Return the kind with a code or a name, without regard to case."""
    key = code_or_name.strip().lower()
    return next((k for k in KINDS.values() if key in (k.code.lower(), k.name)), None)
