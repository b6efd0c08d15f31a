"""The notations of other engines: cases from their manuals, and the results of the engines themselves."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess

import pytest

from abnforge.charset import CharSet
from abnforge.conformance import PatternError, pattern
from abnforge.errors import LimitExceeded
from tests.law import each_row, one_in
from tests.raising import raises
from tests.reference import engines
from tests.reference.written_patterns import taken, texts

# Dialect, flags, pattern, matching strings over "a", line feed and carriage return.
ENDS = [
    ("ecmascript", "", "^a$", {"a"}),
    ("pcre2", "", "^a$", {"a", "a\n"}),
    ("pcre2", "D", "^a$", {"a"}),
    ("pcre2", "", r"\Aa\z", {"a"}),
    ("pcre2", "", r"\Aa\Z", {"a", "a\n"}),
    ("java", "", "^a$", {"a", "a\n", "a\r", "a\r\n"}),
    ("java", "d", "^a$", {"a", "a\n"}),
    ("java", "", r"\Aa\z", {"a"}),
    ("re2", "", "^a$", {"a"}),
    ("re2", "", r"\Aa\z", {"a"}),
    ("ecmascript", "y", "a$", {"a"}),
    ("pcre2", "A", r"a\z", {"a"}),
]


@each_row(("dialect", "flags", "text", "expected"), ENDS)
def test_ends(dialect: str, flags: str, text: str, expected: set[str]) -> None:
    assert taken(text, "a\n\r", "search", dialect, flags) == expected


LINES = [
    ("ecmascript", "^a$", {"a\na", "a\ra", "\na", "a\n", "\ra", "a\r"}),
    ("pcre2", "^a$", {"a\na", "\na", "a\n"}),
    ("java", "^a$", {"a\na", "a\ra", "\na", "a\n", "\ra", "a\r"}),
    ("re2", "^a$", {"a\na", "\na", "a\n"}),
    ("re2", r"\n^\z", {"\n\n", "a\n", "aa\n", "a\n\n", "\n\n\n", "\na\n", "\ra\n"}),
]


@pytest.mark.parametrize(("dialect", "text", "some"), LINES)
def test_lines(dialect: str, text: str, some: set[str]) -> None:
    result = taken(text, "a\n\r", "search", dialect, "m")
    assert some <= result
    assert dialect == "re2" or "" not in result


CHARACTERS = [
    ("ecmascript", "", r"\d", "1", "\u0661"),
    ("ecmascript", "", r"\s", "\ufeff\xa0\u2028", "\x85a"),
    ("ecmascript", "", ".", "\x85a", "\n\r\u2028\u2029"),
    ("ecmascript", "", "[^]", "\na", ""),
    ("ecmascript", "", r"\u0041\x42", "", "A"),
    ("ecmascript", "u", r"\u{41}", "A", "u"),
    ("ecmascript", "", r"[\b]", "\b", "b"),
    ("ecmascript", "", r"\-|\_|\z|]|}|{", "-_z]}{", "a"),
    ("ecmascript", "i", "k", "kK", "\u212a"),
    ("ecmascript", "iu", "k", "kK\u212a", "l"),
    ("ecmascript", "iu", r"\w", "a\u017f", "\xe9"),
    ("ecmascript", "", r"[\w-x]", "a-x", "+"),
    ("ecmascript", "u", r"\p{Lu}", "A\xc9", "a"),
    ("ecmascript", "", r"\cJ", "\n", "J"),
    ("ecmascript", "s", ".", "\n", ""),
    ("pcre2", "", r"\h", "\t\xa0", "\n"),
    ("pcre2", "", r"\v|\R", "\n\x0b\x85\u2028", "a"),
    ("pcre2", "", r"[[:alpha:]_[:^ascii:]]", "a_\xe9", "1"),
    ("pcre2", "", r"[]a]", "]a", "["),
    ("pcre2", "", r"\x{e9}|\x41|\e|\Q+\E", "\xe9A\x1b+", "1"),
    ("pcre2", "", r"\N|\pN|\P{^Lu}", "a1A", "\n"),
    ("pcre2", "i", "[k-l]", "kK\u212aL", "m"),
    ("pcre2", "x", "a # b", "a", "b"),
    ("pcre2", "", "(?#b)a", "a", "b"),
    ("pcre2", "", "(?|(a)|(b))", "ab", "c"),
    ("pcre2", "U", "a+", "a", "b"),
    ("java", "", r"\h|\x{41}|\u0042|\0103", "\tABC", "D"),
    ("java", "", r"\p{Alpha}|\p{Lu}|\P{L}", "aA\xc91", "\xe9"),
    ("java", "i", "k|\xe9", "kK\xe9", "\u212a\xc9"),
    ("java", "", "(?i)k(?-i)|l", "kKl", "L"),
    ("re2", "", r"\s", "\t\n\f\r ", "\x0b\xa0"),
    ("re2", "", r"\v|\pL|\101", "\x0ba\xe9A", "1"),
    ("re2", "i", r"\w|\.", "a\u017f\u212a.", "\xe9"),
    ("re2", "", r"[[:^space:]]", "a", " "),
]


@each_row(("dialect", "flags", "text", "inside", "outside"), one_in(2, CHARACTERS))
def test_characters(dialect: str, flags: str, text: str, inside: str, outside: str) -> None:
    accepts = pattern(text, dialect, flags=flags).automaton.accepts
    assert [char for char in inside if not accepts(char)] == []
    assert [char for char in outside if accepts(char)] == []


WRONG = [
    ("ecmascript", "a++"),
    ("ecmascript", "(?>a)"),
    ("ecmascript", "^*"),
    ("ecmascript", r"\c1"),
    ("ecmascript", "(?i)a"),
    ("pcre2", "(?<=a*)b"),
    ("pcre2", "a**"),
    ("pcre2", "a{2,1}"),
    ("pcre2", "a{65536}"),
    ("pcre2", r"\y"),
    ("pcre2", "[[:nothing:]]"),
    ("pcre2", "[b-a]"),
    ("pcre2", "(?<n>a)(?<n>b)"),
    ("pcre2", "(?<n"),
    ("pcre2", "(?#a"),
    ("pcre2", "a{,2}"),
    ("java", "{"),
    ("java", "[]"),
    ("java", "[a&&b]"),
    ("java", "[a[b]]"),
    ("java", "(?<=a+)b"),
    ("java", r"\R"),
    ("re2", "(?=a)"),
    ("re2", "a{1001}"),
    ("re2", r"\Z"),
    ("re2", "a*+"),
    ("re2", r"\p{Greek}"),
    ("pcre2", "\\"),
    ("pcre2", r"\x{110000}"),
]


@each_row(("dialect", "text"), WRONG)
def test_what_an_engine_has_not_is_no_pattern(dialect: str, text: str) -> None:
    with pytest.raises(PatternError) as caught:
        pattern(text, dialect)
    assert caught.value.construct is None


# Random patterns, compared with the engines themselves.

_ALPHABET = "ab\n\r_K"
_TEXTS = [
    *texts(_ALPHABET, range(4)),
    *(
        "\u212a",
        "\u017f",
        " ",
        "\x0b",
        "\x85",
        "\xe9",
        "\u2028",
        "\xa0",
        "a\u2028",
        "a\r\n",
        "ab\r\nb",
        "aab\n",
    ),
]
_COMMON = (
    r"a b \n . [ab] [^a] \w \s ^ $ \b \B _ \W k K s [k-t] [\w] [\W] [^\w\s] \d \x4B [a\-b] [-a] [a-] \r \S"
)
_OWN = {
    "ecmascript": r"\u004b [^] [] { [\b] \0 \- \/ \cJ ] \v",
    "pcre2": r"\A \Z \z \x{4b} \pL \p{^L} \PL \Qa.b\E \h \H \V \R [[:alpha:]] [^[:^space:]] \N []a] { \012 \e",  # noqa: E501
    "java": r"\A \Z \z \x{4b} \0113 \pL \p{L} \Qa.b\E \h \H \V \p{Alpha} \u004b (?-m) (?d)",
    "re2": r"\A \z [[:alpha:]] [^[:^space:]] \x{4b} \113 \pL \p{^L} \Qa.b\E (?i) (?m) (?-m)",
}
_COUNTS = ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?", "{2,}"]


def _random(dialect: str, chance: random.Random, depth: int) -> str:
    roll = chance.random()
    smaller = depth - 1
    if depth == 0 or roll < 0.35:
        return chance.choice(f"{_COMMON} {_OWN[dialect]}".split())
    one = _random(dialect, chance, smaller)
    if roll < 0.6:
        return one + _random(dialect, chance, smaller)
    if roll < 0.7:
        opening = ["(?:", "("] + (["(?i:", "(?s:", "(?m:"] if dialect != "ecmascript" else [])
        return f"{chance.choice(opening)}{one}|{_random(dialect, chance, smaller)})"
    if roll < 0.82 or dialect == "re2":
        return (
            f"(?:{one}){chance.choice(['*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,2}?', '{2,}'])}"
        )
    if roll < 0.9:
        return f"{chance.choice(['(?=', '(?!'])}{one})"
    if roll < 0.95 or dialect == "ecmascript":
        body = chance.choice(["a", "ab", "b|a", r"\b", "a(?=b)", "(?<!a)b", "a(?!.*_)", "^", "$"])
        return f"{chance.choice(['(?<=', '(?<!'])}{body})"
    return f"(?>{one}){chance.choice(['', '*', '++', '?+'])}"


def _ask_node(jobs: list[tuple[str, str]]) -> list[list[bool] | None]:
    script = """
    const [jobs, texts] = JSON.parse(require("fs").readFileSync(0));
    console.log(JSON.stringify(jobs.map(([pattern, flags]) => {
      try { const regex = new RegExp(pattern, flags); return texts.map((text) => regex.test(text)); }
      catch { return null; }
    })));
    """
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    answer = subprocess.run(
        [node, "-e", script], input=json.dumps([jobs, _TEXTS]), capture_output=True, text=True, check=True
    )
    results: list[list[bool] | None] = json.loads(answer.stdout)
    return results


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_javascript_is_what_node_says(seed: int) -> None:
    chance = random.Random(seed)
    jobs = [
        (_random("ecmascript", chance, 3), "".join(f for f in "imsu" if chance.random() < 0.25))
        for _ in range(1_000)
    ]
    compared = 0
    for (text, flags), expected in zip(jobs, _ask_node(jobs), strict=True):
        try:
            accepts = pattern(text, "ecmascript", "search", flags).automaton.accepts
        except PatternError:
            continue
        assert expected is not None, f"node does not take {text!r} {flags}"
        assert [accepts(each) for each in _TEXTS] == expected, f"{text!r} {flags}"
        compared += 1
    assert compared > 800


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["pcre2", "java", "re2"])
def test_others_are_what_their_engines_say(dialect: str) -> None:
    """Non-ASCII strings are omitted for Java, which has other word boundaries before version 19."""
    chance = random.Random(7)
    engine = engines.ENGINES["pcre2" if dialect == "pcre2" else dialect]
    asked = [text for text in _TEXTS if text.isascii() or dialect != "java"]
    jobs = []
    for _ in range(1_500):
        text = "".join(f"(?{f})" for f in "ims" if chance.random() < 0.2) + _random(dialect, chance, 3)
        try:
            jobs.append((text, pattern(text, dialect, "search").automaton))
        except PatternError:
            continue
    assert len(jobs) > 1_000
    answers = engine([(text, (), asked) for text, _ in jobs])
    for (text, automaton), result in zip(jobs, answers, strict=True):
        assert [automaton.accepts(each) for each in asked] == [each is not None for each in result], text


def members(text: str, dialect: str, flags: str = "") -> CharSet:
    """Return the characters that a single-character pattern matches."""
    automaton = pattern(text, dialect, flags=flags).automaton
    return automaton.expected(0)


SETS = [
    ("[a-c]", "pcre2", "", "abc"),
    ("[c-]", "java", "", "c-"),
    ("[-c]", "re2", "", "c-"),
    ("[a-b-d]", "ecmascript", "", "ab-d"),
    (r"[\]\\]", "re2", "", "]\\"),
    (r"[\x41-\x43]", "ecmascript", "", "ABC"),
    (r"[\0-\x01]", "ecmascript", "", "\0\x01"),
    (r"[\d]", "java", "", "0123456789"),
    ("[a^]", "pcre2", "", "a^"),
    ("[.$|()]", "pcre2", "", ".$|()"),
    ("[b]", "ecmascript", "i", "bB"),
    ("[[:xdigit:]]", "re2", "", "0123456789abcdefABCDEF"),
    (r"\cA", "pcre2", "", "\x01"),
    (r"\ca", "pcre2", "", "\x01"),
    (r"\ca", "java", "", "!"),
    (r"\x", "pcre2", "", "\0"),
    (r"\x4", "pcre2", "", "\x04"),
    (r"\07", "pcre2", "", "\x07"),
    (r"\0377", "java", "", "\xff"),
    (r"\377", "re2", "", "\xff"),
    (r"\u{1F600}", "ecmascript", "u", "\U0001f600"),
]


@each_row(("text", "dialect", "flags", "expected"), SETS)
def test_sets(text: str, dialect: str, flags: str, expected: str) -> None:
    assert members(text, dialect, flags) == CharSet.of(expected)


def test_negated_sets_leave_out_every_case() -> None:
    assert ~members("[^k]", "ecmascript", "iu") == CharSet.of("kK\u212a")
    assert ~members("[^k]", "ecmascript", "i") == CharSet.of("kK")
    assert ~members(r"\W", "re2", "i") == members(r"\w", "re2", "i")


@each_row(
    ("text", "dialect", "flags"),
    [
        (r"[\w-z]", "pcre2", ""),
        (r"[a-\d]", "java", ""),
        (r"[\d-a]", "ecmascript", "u"),
        (r"\-", "ecmascript", "u"),
        (r"\p{Lu}", "pcre2", "i"),
        (r"\p{L}", "ecmascript", "iu"),
        (r"[[:upper:]]", "pcre2", "i"),
        ("[a b]", "java", "x"),
        (r"[\R]", "pcre2", ""),
        (r"\xZ", "java", ""),
        (r"\u00", "java", ""),
        ("[[.a.]]", "pcre2", ""),
    ],
)
def test_syntax_that_engines_interpret_differently_is_rejected(text: str, dialect: str, flags: str) -> None:
    with pytest.raises(PatternError):
        pattern(text, dialect, flags=flags)


@each_row(
    ("text", "dialect", "construct", "offset"),
    [
        (r"(a)\1", "python", "a back reference", None),
        (r"(a)?(?(1)b|c)", "python", "a conditional group", None),
        (r"(a)\1", "ecmascript", "a back reference", 3),
        (r"(a)\1", "re2", "a back reference", 3),
        (r"(?<n>a)\k<n>", "java", "a back reference", 7),
        (r"(?<n>a)(?&n)", "pcre2", "a call of a group", 7),
        (r"(a(?R)?b)", "pcre2", "a call of the pattern", 2),
        (r"(?(?=a)b|c)", "pcre2", "a conditional group", 0),
        (r"(*UTF8)a", "pcre2", "a verb", 0),
        (r"a\Kb", "pcre2", r"\K", 1),
        ("(a", "pcre2", None, 1),
        ("a)", "java", None, 1),
        ("[a", "re2", None, 2),
        ("*", "python", None, 0),
    ],
)
def test_rejected_syntax_is_named(text: str, dialect: str, construct: str | None, offset: int | None) -> None:
    with pytest.raises(PatternError) as caught:
        pattern(text, dialect)
    assert caught.value.construct == construct
    assert caught.value.offset == offset
    if construct is not None:
        assert construct in str(caught.value)


@each_row("dialect", ["python", "ecmascript", "pcre2", "java", "re2"])
@each_row("count", [101, 10_000])
def test_nesting_has_a_limit(dialect: str, count: int) -> None:
    with raises(LimitExceeded, "pattern-too-deep", limit=100):
        pattern("(" * count + "a" + ")" * count, dialect)


def test_nesting_below_the_limit_is_read() -> None:
    assert pattern("(" * 98 + "a" + ")" * 98).automaton.accepts("a")
    assert not re.compile("(" * 98 + "a" + ")" * 98).fullmatch("b")
