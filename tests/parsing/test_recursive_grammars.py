"""Recursive grammars from other specifications: JSON, mail, IMAP, ABNF itself, and arithmetic."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import lark
import pytest

import abnforge
from abnforge.grammar.sentences import Sentences
from tests.places import ROOT

# RFC 8259, sections 2 to 7.
JSON = r"""
JSON-text = ws value ws
begin-array     = ws %x5B ws  ; [ left square bracket
begin-object    = ws %x7B ws  ; { left curly bracket
end-array       = ws %x5D ws  ; ] right square bracket
end-object      = ws %x7D ws  ; } right curly bracket
name-separator  = ws %x3A ws  ; : colon
value-separator = ws %x2C ws  ; , comma
ws = *( %x20 / %x09 / %x0A / %x0D )
value = false / null / true / object / array / number / string
false = %x66.61.6c.73.65
null  = %x6e.75.6c.6c
true  = %x74.72.75.65
object = begin-object [ member *( value-separator member ) ] end-object
member = string name-separator value
array = begin-array [ value *( value-separator value ) ] end-array
number = [ minus ] int [ frac ] [ exp ]
decimal-point = %x2E
digit1-9 = %x31-39
e = %x65 / %x45
exp = e [ minus / plus ] 1*DIGIT
frac = decimal-point 1*DIGIT
int = zero / ( digit1-9 *DIGIT )
minus = %x2D
plus = %x2B
zero = %x30
string = quotation-mark *char quotation-mark
char = unescaped /
    escape (
        %x22 /          ; "    quotation mark  U+0022
        %x5C /          ; \    reverse solidus U+005C
        %x2F /          ; /    solidus         U+002F
        %x62 /          ; b    backspace       U+0008
        %x66 /          ; f    form feed       U+000C
        %x6E /          ; n    line feed       U+000A
        %x72 /          ; r    carriage return U+000D
        %x74 /          ; t    tab             U+0009
        %x75 4HEXDIG )  ; uXXXX                U+XXXX
escape = %x5C
quotation-mark = %x22
unescaped = %x20-21 / %x23-5B / %x5D-10FFFF
"""

ARITHMETIC = """
sum     = sum "+" product / sum "-" product / product
product = product "*" factor / factor
factor  = "(" sum ")" / "-" factor / number
number  = "0" / %x31-39 *3DIGIT
"""


def text_of(tree: Any) -> str:
    """Return the tokens of a tree as a string. Lark's own tree walks are recursive."""
    result, stack = [], [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, lark.Tree):
            stack.extend(reversed(node.children))
        else:
            result.append(node)
    return "".join(result)


def edited(text: str, characters: str, source: Random) -> str:
    place = source.randint(0, len(text))
    new = source.choice([*characters, ""])
    return text[:place] + new + text[place + source.randint(0, 1) :]


def check(rule: abnforge.Rule, text: str) -> bool:
    """Check that the verdict, tree and explanation agree, and return the verdict."""
    rejection = rule.explain(text, suggest=False)
    assert (rejection is None) is rule.matches(text)
    if rejection is None:
        assert text_of(rule.parse(text)) == text
        return True
    with pytest.raises(abnforge.Rejected):
        rule.parse(text)
    assert rejection.found == (text[rejection.offset : rejection.offset + 1] or None)
    return False


@pytest.fixture(scope="module")
def json_text() -> abnforge.Rule:
    return abnforge.loads(JSON, name="rfc8259")["JSON-text"]


def is_json(text: str) -> bool:
    def refuse(constant: str) -> None:
        raise ValueError(constant)  # NaN and Infinity, which the json module accepts

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError:
        return False
    return True


def check_json(rule: abnforge.Rule, count: int) -> None:
    sentences, source = Sentences(rule.grammar.core, rule.grammar.facts), Random(8259)
    verdicts = set()
    for _ in range(count):
        text = sentences.random("json-text", source, 80)
        assert is_json(text)
        assert check(rule, text)
        text = edited(text, '"\\{}[],:0e-+. tu\x00\x1f\ud800', source)
        assert check(rule, text) is is_json(text)
        verdicts.add(is_json(text))
    assert verdicts == {True, False}


def test_json_as_the_standard_library_reads_it(json_text: abnforge.Rule) -> None:
    for text in Sentences(json_text.grammar.core, json_text.grammar.facts).systematic("json-text"):
        assert is_json(text)
        assert check(json_text, text)
    check_json(json_text, 6)


@pytest.mark.slow
def test_much_json_as_the_standard_library_reads_it(json_text: abnforge.Rule) -> None:
    check_json(json_text, 60)


@pytest.mark.parametrize("depth", [3, pytest.param(60, marks=pytest.mark.slow)])
def test_deep_json(json_text: abnforge.Rule, depth: int) -> None:
    text = '[{"a":' * depth + "0" + "}]" * depth
    tree = json_text.parse(text)
    assert text_of(tree) == text
    assert sum(1 for _ in tree.find_data("array")) == depth
    rejection = json_text.explain(text[:-1], suggest=False)
    assert rejection is not None
    assert (rejection.offset, rejection.found) == (len(text) - 1, None)
    assert {expected.rule for expected in rejection.expected} >= {"end-array", "value-separator"}
    rejection = json_text.explain(text.replace("0", "01"), suggest=False)
    assert rejection is not None
    assert (rejection.offset, rejection.found) == (text.index("0") + 1, "1")


def test_arithmetic_is_grouped_to_the_left() -> None:
    class Value(lark.Transformer[lark.Token, int]):
        def __default__(self, data: str, children: list[Any], meta: object) -> int:
            match children:
                case [left, operator, right] if operator != "(" and not isinstance(left, str):
                    return {"+": left + right, "-": left - right, "*": left * right}[str(operator)]
                case ["(", inside, ")"]:
                    return int(inside)
                case ["-", factor]:
                    return -int(factor)
                case [value]:
                    return int(value)
                case _:
                    return int("".join(map(str, children)))

    rule = abnforge.loads(ARITHMETIC)["sum"]
    sentences, source = Sentences(rule.grammar.core, rule.grammar.facts), Random(0)
    texts = {sentences.random("sum", source, 60) for _ in range(60)} | {"9-3-2", "-(1-2-3)*2-1"}
    assert len(texts) > 30
    for text in texts:
        assert Value().transform(rule.parse(text)) == eval(text)
        check(rule, edited(text, "+-*()0a", source))
    rejection = rule.explain("1+2*(3-", suggest=False)
    assert rejection is not None
    assert rejection.offset == 7


# Grammar, rule, string, offset of the rejection (None if the string is valid).
LINES: list[tuple[str, str, str, int | None]] = [
    ("rfc5322", "mailbox", "Joe Q. Public <john.q.public@example.com>", None),  # RFC 5322, appendix A.1.2
    ("rfc5322", "mailbox", '"Giant; \\"Big\\" Box" <sysservices@example.net>', None),
    ("rfc5322", "mailbox", "Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>", None),  # A.5
    ("rfc5322", "mailbox", "a(b(c(d)))@[127.0.0.1]", None),
    ("rfc5322", "mailbox", "Joe <joe@>", 9),
    ("rfc5322", "mailbox", "a(b(c)@d", 8),
    ("rfc5322", "date-time", "Fri, 21 Nov 1997 09:55:06 -0600", None),  # A.1.1
    ("rfc5322", "date-time", "Thu,\r\n      13\r\n        Feb\r\n   1969\r\n 23:32:54 -0330 (N. Time)", None),
    ("rfc5322", "date-time", "21 Nov 97 09(comment):   55  :  06 GMT", None),  # A.6.2, A.6.3
    ("rfc5322", "date-time", "Fri, 21 Nov 1997 9:55", 18),
    ("rfc5322", "date-time", "Fri, 21 Nvo 1997 09:55:06 -0600", 9),
    ("rfc9051", "command", "a001 login mrc secret\r\n", None),  # RFC 9051, section 8
    ("rfc9051", "command", "a003 fetch 12 full\r\n", None),
    ("rfc9051", "command", "a004 fetch 12 body[header.fields (date from)]\r\n", None),
    ("rfc9051", "command", "a005 store 12 +flags \\deleted\r\n", None),
    ("rfc9051", "command", "A SEARCH OR (OR (SEEN) (NOT DELETED)) (1:3)\r\n", None),
    ("rfc9051", "command", "A SEARCH OR (OR (SEEN) (NOT DELETED) (1:3)\r\n", 42),
    ("rfc9051", "command", "a001 login mrc\r\n", 14),
    ("rfc9051", "command", "a+1 noop\r\n", 1),
    ("rfc9051", "response-data", "* 18 EXISTS\r\n", None),
    ("rfc9051", "response-data", "* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft)\r\n", None),
    ("rfc9051", "response-done", "a001 OK LOGIN completed\r\n", None),
    ("rfc9051", "response-done", "a001 YES\r\n", 5),
]


# The IMAP grammar takes seconds to compile, and the suggestions for these lines take half a second.
SLOW_GRAMMARS = ("rfc9051",)
SLOW_TEXTS = ("Joe <joe@>", "Fri, 21 Nov 1997 9:55", "Fri, 21 Nvo 1997 09:55:06 -0600")


@pytest.mark.parametrize(
    ("grammar", "rule", "text", "offset"),
    [
        pytest.param(
            *line, marks=[pytest.mark.slow] if line[0] in SLOW_GRAMMARS or line[2] in SLOW_TEXTS else []
        )
        for line in LINES
    ],
)
def test_lines(grammar: str, rule: str, text: str, offset: int | None) -> None:
    judge = abnforge.load(f"abnf:{grammar}")[rule]
    assert check(judge, text) is (offset is None)
    rejection = judge.explain(text, suggest=False)
    assert (rejection and rejection.offset) == offset


FILES = sorted((ROOT / "grammars").glob("*.abnf"))


# These have lists, or strings of RFC 7405.
BEYOND = ("rfc8288", "rfc9110", "rfc9111", "rfc9112")


def abnf_text(path: Path) -> str:
    return path.read_text("ascii").replace("\n", "\r\n")


@pytest.mark.slow
@pytest.mark.parametrize("path", [p for p in FILES if p.stem not in BEYOND], ids=lambda path: path.stem)
@pytest.mark.parametrize("name", ["rfc5234", "abnf:rfc5234"])
def test_grammar_files_are_abnf(path: Path, name: str) -> None:
    text = abnf_text(path)
    assert text_of(abnforge.load(name)["rulelist"].parse(text)) == text


# Tested in the default run. Each takes a third of a second.
OFTEN = re.compile(r"rfc(?:2396|3339|3986|3987|5234|5321|6874|8259|9535)")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[] if OFTEN.match(path.stem) else [pytest.mark.slow])
        for path in FILES
        if "=" in abnf_text(path) and path.stem not in BEYOND
    ],
    ids=lambda path: path.stem,
)
def test_rules_of_grammar_files_are_abnf(path: Path) -> None:
    """The first rules of each file are a valid rulelist, and a broken one is rejected."""
    rulelist = abnforge.load("rfc5234")["rulelist"]
    text = abnf_text(path)
    first = re.search(r"^[A-Za-z][A-Za-z0-9-]* *=", text, re.MULTILINE)  # not in a comment
    assert first is not None
    text = text[first.start() :][:200]
    text = text[: text.rindex("\n") + 1]
    broken = text.replace("=", "/", 1)
    rejection = rulelist.explain(broken, suggest=False)
    assert rejection is not None
    assert (rejection.offset, rejection.found) == (broken.index("/"), "/")
    rejection = rulelist.explain(text.removesuffix("\n"), suggest=False)
    assert rejection is not None
    assert (rejection.offset, rejection.found) == (len(text) - 1, None)
