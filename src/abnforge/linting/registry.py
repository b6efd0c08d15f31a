"""Every kind of finding, once: code, name, severity, summary, explanation.

Codes and names are stable: tools store them. A new kind gets the next free code; a kind that is given up
leaves its code unused.

Longer than others: one table, which is looked up and read as one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from abnforge.errors import UnknownNameError
from abnforge.near_misses import near_misses

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


def _kinds() -> tuple[Kind, ...]:
    return (
        Kind(
            "ABNF001",
            "syntax-error",
            ERROR,
            "The text is not ABNF.",
            "RFC 5234, section 4, says what a grammar looks like. The message names what was found and what "
            "could stand there.",
            'greeting = "hello" / / "hi"\n',
            'greeting = "hello" / "hi"\n',
        ),
        Kind(
            "ABNF002",
            "undefined-rule",
            ERROR,
            "A rule is referred to but defined nowhere.",
            "Neither the grammar nor the core rules of RFC 5234, appendix B.1, define the name. Names match "
            "without regard to case.",
            "date = year\nyaer = 4DIGIT\n",
            "date = year\nyear = 4DIGIT\n",
        ),
        Kind(
            "ABNF003",
            "duplicate-rule",
            ERROR,
            "A rule is defined twice.",
            "RFC 5234 does not say which definition counts, and readers differ: some take the first, some "
            'the last, some both. "=/" adds alternatives to a rule.',
            'sign = "+"\nsign = "-"\n',
            'sign = "+"\nsign =/ "-"\n',
        ),
        Kind(
            "ABNF004",
            "case-collision",
            ERROR,
            "Two rules have names that differ in case alone.",
            "Rule names match without regard to case (RFC 5234, section 2.1), so both definitions are for "
            "one "
            "rule. Specifications that import others meet this: HTTP's Host header and the URI's host.",
            'message = Host\nHost = "Host:" host\nhost = 1*ALPHA\n',
            'message = Host\nHost = "Host:" uri-host\nuri-host = 1*ALPHA\n',
        ),
        Kind(
            "ABNF005",
            "incremental-without-base",
            ERROR,
            '"=/" adds to a rule that is not defined before it.',
            'RFC 5234, section 3.3: "=/" adds alternatives to an earlier definition. Without one, a misspelt '
            "name would quietly become a new rule.",
            'sign =/ "-"\n',
            'sign = "+"\nsign =/ "-"\n',
        ),
        Kind(
            "ABNF006",
            "repetition-out-of-order",
            ERROR,
            "A repetition's lower limit is above its upper limit.",
            "No number of times satisfies both limits.",
            "year = 4*2DIGIT\n",
            "year = 2*4DIGIT\n",
        ),
        Kind(
            "ABNF007",
            "value-out-of-range",
            ERROR,
            "A number is larger than anything it could stand for.",
            "A terminal value is above U+10FFFF, or a repeat count has more digits than any real count.",
            "any = %x0-110000\n",
            "any = %x0-D7FF / %xE000-10FFFF\n",
        ),
        Kind(
            "ABNF008",
            "empty-range",
            ERROR,
            "The first value of a range is above its last.",
            "Such a range holds no character; the two ends are probably exchanged.",
            "digit-char = %x39-30\n",
            "digit-char = %x30-39\n",
        ),
        Kind(
            "ABNF009",
            "nesting-too-deep",
            ERROR,
            "Brackets are nested deeper than the limit.",
            "Published grammars nest six levels. Rules of their own for the inner parts read better.",
            "x = " + "(" * 51 + "ALPHA" + ")" * 51 + "\n",
            "x = ((ALPHA))\n",
        ),
        Kind(
            "ABNF010",
            "file-too-large",
            ERROR,
            "The file is larger than any grammar.",
            "Grammars have some kilobytes; the limit is 4 MiB. The name was probably given by mistake.",
            "",
            "x = ALPHA\n",
        ),
        Kind(
            "ABNF011",
            "unused-rule",
            WARNING,
            "No start rule needs the rule.",
            "Given start rules, every rule that they do not reach. Without them, the first rule and those "
            "that no other rule refers to are taken as starts, and only rules that refer to each other in a "
            "circle remain.",
            'list = "." / "," list\nping = "<" pong\npong = ">" ping / "!"\n',
            'list = ping / "," list\nping = "<" pong\npong = ">" ping / "!"\n',
        ),
        Kind(
            "ABNF012",
            "ambiguous",
            WARNING,
            "A string has two derivations.",
            "Two alternatives share a string, or the border between two parts can be drawn in two places "
            "(vertical and horizontal ambiguity in the terms of Brabrand, Giegerich and Moller, 2007). "
            "Whether a "
            "string is valid does not depend on it; which tree it has does. Here the first alternative wins "
            "and "
            "repetitions take as much as they can (RFC 3986, section 3.2.2); other parsers may decide "
            "otherwise. "
            "The check is exact for regular rules; for others, what it finds is ambiguous, and it may miss "
            "some.",
            "item = number / word\nnumber = 1*DIGIT\nword = 1*( ALPHA / DIGIT )\n",
            "item = number / word\nnumber = 1*DIGIT\nword = ALPHA *( ALPHA / DIGIT )\n",
        ),
        Kind(
            "ABNF013",
            "shadowed-alternative",
            WARNING,
            "An alternative can never be the first match.",
            "Every string of the alternative is one of an earlier alternative too, which wins. The "
            "alternative "
            "can be left out, or belongs before the one that shadows it.",
            'method = 1*ALPHA / "GET"\n',
            "method = 1*ALPHA\n",
        ),
        Kind(
            "ABNF014",
            "left-recursion-direct",
            INFO,
            "A rule begins with itself.",
            "abnforge reads it; parsers that work by recursive descent do not terminate on it. A repetition "
            "derives the same strings.",
            'sum = sum "+" DIGIT / DIGIT\n',
            'sum = DIGIT *( "+" DIGIT )\n',
        ),
        Kind(
            "ABNF015",
            "left-recursion-indirect",
            WARNING,
            "Rules begin with each other.",
            "Like left-recursion-direct, through other rules: harder to see, and rarely meant.",
            'name = path / ALPHA\npath = name "." ALPHA\n',
            'name = ALPHA *( "." ALPHA )\n',
        ),
        Kind(
            "ABNF016",
            "never-terminates",
            ERROR,
            "A rule derives no string at all.",
            "Every alternative needs the rule itself again, so that no derivation ends.",
            'list = "," list\n',
            'list = "," [ list ]\n',
        ),
        Kind(
            "ABNF017",
            "nullable-loop",
            WARNING,
            "Something that may be empty is repeated without limit.",
            "Nothing tells how often it stands in the empty string, and naive parsers loop. Repeat what is "
            "not empty.",
            "words = *( *ALPHA )\n",
            "words = *ALPHA\n",
        ),
        Kind(
            "ABNF018",
            "redundant-option",
            INFO,
            "Brackets make optional what may be empty anyway.",
            "The empty string then has two derivations: the option is absent, or present and empty.",
            "name = [ *ALPHA ]\n",
            "name = *ALPHA\n",
        ),
        Kind(
            "ABNF019",
            "prose-val",
            WARNING,
            "A rule is described in words.",
            "No program can match a prose-val (RFC 5234, section 4: to be used as a last resort). Rules "
            "that need "
            "this one cannot be matched.",
            "token = 1*<any printable character>\n",
            "token = 1*VCHAR\n",
        ),
        Kind(
            "ABNF020",
            "case-insensitive-literal",
            INFO,
            "A quoted letter matches both cases, and may not look like it.",
            "RFC 5234, section 2.3: strings in quotes match without regard to case. Reported for strings of "
            "a "
            'single letter, and for those that stand beside their other case or beside a %s"..." string in '
            "the "
            'same rule. RFC 7405 has %s"v" for one case alone and %i"v" to say that both are meant.',
            'version = "v" 1*DIGIT\n',
            'version = %i"v" 1*DIGIT\n',
        ),
        Kind(
            "ABNF021",
            "core-rule-redefined",
            WARNING,
            "A core rule is given another meaning.",
            "The grammar's own definition is used. Readers expect the core rules of RFC 5234, appendix B.1.",
            "ALPHA = %x61-7A\n",
            "lower = %x61-7A\n",
        ),
        Kind(
            "ABNF022",
            "check-incomplete",
            INFO,
            "A check was given up.",
            "The search for ambiguous and shadowed alternatives has limits, so that every grammar is linted "
            "in seconds. Nothing is said about what lies beyond. A larger budget leads further.",
            "x = 999999999*ALPHA *ALPHA\n",
            "x = 2ALPHA\n",
        ),
        Kind(
            "ABNF023",
            "useless-allow",
            WARNING,
            "A comment accepts a finding that there is not, or gives no reason.",
            'A comment "; abnforge: allow NAME (reason)" before a rule, or in it, accepts findings of that '
            "name "
            "about the rule. The name must be one of these, the reason must be given, and the finding must "
            "exist.",
            "; abnforge: allow ambiguous (on purpose)\nx = ALPHA\n",
            "x = ALPHA\n",
        ),
        Kind(
            "ABNF024",
            "search-ended",
            INFO,
            "A search that may have no end was ended.",
            "Whether rules that recurse are ambiguous is undecidable: the search for strings that show it "
            "goes as far as its share of the budget leads. What it found is told; whether there is more is "
            "not known.",
            'side = "(" side ")" side / "[" side "]" side / "x"\nx = side side\n',
            "x = 2ALPHA\n",
        ),
        Kind(
            "ABNF025",
            "bar-notation",
            WARNING,
            'The text is read in the notation of RFC 2396, because it has a "|".',
            'ABNF has "/" between alternatives. A "|" tells that a text is in the older notation, in which '
            "names may have underscores and elements may touch; others refuse it. The edits make "
            'ABNF of the whole text. A text that is meant so is loaded, and linted, with dialect="rfc822".',
            'sign = "+" | "-"\n',
            'sign = "+" / "-"\n',
        ),
        Kind(
            "ABNF026",
            "underscore-name",
            WARNING,
            "A rule's name has an underscore.",
            'A name in ABNF holds letters, digits and "-" (RFC 5234, section 2.1). An underscore in the name '
            "of a rule that is defined tells that a text is in the notation of RFC 2396; other readers "
            'refuse it. A text that is meant so is loaded, and linted, with dialect="rfc822".',
            "four_digits = 4DIGIT\n",
            "four-digits = 4DIGIT\n",
        ),
        Kind(
            "ABNF027",
            "unbalanced-alternatives",
            WARNING,
            "A bracket or quote is opened in one alternative and closed in another.",
            'A row of elements binds closer than "/" (RFC 5234, section 3.10): what stands before the first '
            "alternative belongs to it alone, and what stands behind the last one to that.",
            'list = "(" 1*DIGIT / 1*%x61-7A ")"\n',
            'list = "(" ( 1*DIGIT / 1*%x61-7A ) ")"\n',
        ),
        Kind(
            "ABNF028",
            "string-as-set",
            WARNING,
            "A string seems to list the characters of a set.",
            "A string is its characters in a row. Reported for eight and more consecutive characters, for a "
            "repeated string of four of them or of different signs, and for the only string of a rule called "
            "chars or the like.",
            'number = 1*"0123456789"\n',
            "number = 1*DIGIT\n",
        ),
        Kind(
            "ABNF029",
            "suspicious-range",
            WARNING,
            "A range looks as if it was written in another base, or for another case.",
            "%d30-39 and %x65-90 are digits and letters in the other base, %x0-9 and %xA-F are control "
            "characters; letters up to F in one case and up to G in the other are a slip.",
            "digit = %x0-9\n",
            "digit = %x30-39\n",
        ),
        Kind(
            "ABNF030",
            "comment-disagrees",
            WARNING,
            "A comment states something that the rule beside it does not say.",
            "Held against the rule are: that case matters, that letters are of one case, which characters a "
            "value is, which ones a set excludes, and how many there are, at most, at least or exactly.",
            'method = "get" ; case-sensitive\n',
            'method = %s"get" ; case-sensitive\n',
        ),
        Kind(
            "ABNF031",
            "surrogates-in-range",
            INFO,
            "A range holds the surrogates U+D800 to U+DFFF.",
            "They are no characters (Unicode, section 3.8) and cannot stand in UTF-8 (RFC 3629, section 3).",
            "any = %x80-10FFFF\n",
            "any = %x80-D7FF / %xE000-10FFFF\n",
        ),
        Kind(
            "ABNF032",
            "utf8-octets",
            INFO,
            "A value is the UTF-8 of a character that its comment names.",
            "A terminal value is one character (RFC 5234, section 2.3). A grammar of octets may spell UTF-8 "
            "out; in one of code points, such a value matches two or more characters.",
            "lambda = %xCE.BB ; U+03BB\n",
            "lambda = %x3BB ; U+03BB\n",
        ),
        Kind(
            "ABNF033",
            "escape-in-string",
            WARNING,
            "A rule for the end of a line or for white space has a string with a backslash.",
            "Nothing is escaped in an ABNF string: what stands there is a backslash and a letter.",
            'newline = "\\n"\n',
            "newline = LF\n",
        ),
        Kind(
            "ABNF034",
            "mistake-directive",
            ERROR,
            "A directive of a mistake cannot be understood.",
            'Comments that begin with ";@" say what the rule below them is a mistake of, what to blame and '
            "how to fix it. The message says how the directive is written.",
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
            "The fix of a mistake can give what is not valid.",
            "A fix is proved in the rule that the mistake is in the place of, whatever its slots hold. The "
            "witness is a shortest text that it can give and that the rule does not derive.",
            "port = 2DIGIT\n;@ of port; blame all; fix digits\njunk = digits ALPHA\ndigits = 1*2DIGIT\n",
            "port = 2DIGIT\n;@ of port; blame all; fix digits\njunk = digits ALPHA\ndigits = 2DIGIT\n",
        ),
        Kind(
            "ABNF036",
            "mistake-never-read",
            ERROR,
            "A mistake covers nothing of its own.",
            "The rule that it is a mistake of derives all its texts, or an earlier mistake that costs no "
            "more has them: so no text is ever read by it.",
            "port = *DIGIT\n;@ of port; blame all; fix none\nshort = 1*3DIGIT\n",
            "port = *DIGIT\n;@ of port; blame all; fix none\nword = 1*ALPHA\n",
        ),
        Kind(
            "ABNF037",
            "mistake-overlap",
            INFO,
            "A mistake shares texts with its rule, or with another mistake.",
            "What the rule derives is no mistake, and of two mistakes the cheaper one reads a text, of "
            "equals the earlier one. That may be what is meant; the witness is a shortest such text.",
            "port = *DIGIT\n;@ of port; blame all; fix none\nword = 1*( ALPHA / DIGIT )\n",
            "port = *DIGIT\n;@ of port; blame all; fix none\nword = *DIGIT ALPHA *( ALPHA / DIGIT )\n",
        ),
        Kind(
            "ABNF038",
            "mistake-unproved",
            WARNING,
            "What a mistake gives could not be proved.",
            "The budget ended the question, or a rule that it is about is not known to be regular.",
            'nest = "(" [ nest ] ")"\n;@ of nest; blame all; fix "()"\nempty = "[]"\n',
            'nest = *"()"\n;@ of nest; blame all; fix "()"\nempty = "[]"\n',
        ),
        Kind(
            "ABNF039",
            "mistake-example",
            WARNING,
            "An example of a mistake is not what it says.",
            "An example is a text that is read as the mistake, with what its fix gives; a near miss is "
            "valid. Both are read by the rule that they name, or by the one that the grammar starts at.",
            'port = *DIGIT\n;@ of port; blame all; fix none; example "80" -> none\nword = 1*ALPHA\n',
            'port = *DIGIT\n;@ of port; blame all; fix none; example "a" -> none\nword = 1*ALPHA\n',
        ),
        Kind(
            "ABNF040",
            "list-notation",
            WARNING,
            'A list is written "1#element", as in HTTP.',
            "RFC 9110, section 5.6.1, defines it: elements with commas between them, and white space (OWS) "
            "about the commas. abnforge writes it out when the grammar is loaded, by default as recipients "
            "read lists, who pass over empty elements (lists=, --lists). RFC 5234 does not have it, and "
            "other readers refuse it; the edits write it out as senders do. A text that is meant so is "
            "linted with lists=.",
            "hosts = 1#name\nname = 1*ALPHA\n",
            'hosts = name *( OWS "," OWS name )\nname = 1*ALPHA\nOWS = *( SP / HTAB )\n',
        ),
        Kind(
            "ABNF041",
            "import-directive",
            ERROR,
            "An import cannot be had.",
            'A structured comment ";@ import rfc3986: host, port" names a grammar: a bundled one, abnf:NAME, '
            "or a file, by its path from this one's folder; and behind a colon rules of it, if not whatever "
            "is needed. Files may not import one another in a circle.",
            ";@ import rfc3986: hots\naddress = host\n",
            ";@ import rfc3986: host\naddress = host\n",
        ),
        Kind(
            "ABNF042",
            "import-collision",
            INFO,
            "Two imports define a rule differently.",
            "A rule that the grammar does not define is taken from the first import that has it. Another one "
            "has a rule of the same name that is written otherwise; name the rules that are wanted of each: "
            ";@ import rfc3986: host.",
            ";@ import rfc3986\n;@ import rfc2396\naddress = host\n",
            ";@ import rfc3986: host\naddress = host\n",
        ),
        Kind(
            "ABNF043",
            "example-directive",
            ERROR,
            "Examples of a rule cannot be understood, or are at no rule.",
            'Structured comments ";@ match" and ";@ no-match" have strings that the rule below them derives, '
            "or does not. They stand right above it, or indented below it. Whether they are what they say, "
            '"abnforge grammar test" tells.',
            ';@ match "80" "81\nport = *DIGIT\n',
            ';@ match "80", "81"\nport = *DIGIT\n',
        ),
        Kind(
            "ABNF044",
            "except-directive",
            ERROR,
            "A difference of rules cannot be made.",
            'A structured comment ";@ except keyword" right above a rule, or indented below it, names rules '
            "whose strings are none of it. All of them have to be regular: without recursion, or with "
            "recursion at one end alone.",
            ';@ except pair\nname = 1*ALPHA\npair = "(" [ pair ] ")"\n',
            ';@ except pair\nname = 1*ALPHA\npair = "ab" / "cd"\n',
        ),
        Kind(
            "ABNF045",
            "rule-name-in-quotes",
            WARNING,
            "The name of a rule stands in quotes.",
            "What is in quotes is text: the letters themselves, not what the rule of that name matches. Told "
            "of names that no rule refers to without quotes.",
            'date = 4DIGIT "-" "month"\nmonth = 2DIGIT\n',
            'date = 4DIGIT "-" month\nmonth = 2DIGIT\n',
        ),
        Kind(
            "ABNF046",
            "range-in-comment",
            INFO,
            "A comment has a range of numbers that the rule does not check.",
            "A comment is not part of the grammar: a rule of two digits matches 99, although the comment "
            "beside it says 01-12. Alternatives can check a range. Reported for rules of digits, beside a "
            "comment that begins with a range or calls it one.",
            "month = 2DIGIT ; 01-12\n",
            'month = "0" %x31-39 / "1" %x30-32 ; 01-12\n',
        ),
        Kind(
            "ABNF047",
            "name-in-another-case",
            INFO,
            "A name is written in another case than where it is defined.",
            "Names match without regard to case (RFC 5234, section 2.1), so the rule is found. A reader may "
            "look for another one, and perhaps the rule of another document is meant.",
            "message = Header\nheader = 1*ALPHA\n",
            "message = header\nheader = 1*ALPHA\n",
        ),
    )


KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _kinds()})
"""Every kind of finding by name, in the order of the codes."""


def find(code_or_name: str) -> Kind | None:
    """The kind with a code or a name, without regard to case."""
    wanted = code_or_name.strip().lower()
    return next((k for k in KINDS.values() if wanted in (k.code.lower(), k.name)), None)


def kind_named(code_or_name: str) -> Kind:
    """The same; raises UnknownNameError with near misses for an unknown one."""
    kind = find(code_or_name)
    if kind is None:
        near = near_misses(code_or_name, KINDS, likeness=0.6)
        hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(KINDS)}."
        raise UnknownNameError(f"No kind of finding is called {code_or_name!r}. {hint}")
    return kind
