"""Export of a rule: unsupported rules, limits of dialects, anchors."""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from random import Random

import pytest

import abnforge
from abnforge import LimitExceeded, conformance
from abnforge.budget import Budget
from abnforge.engine import export
from abnforge.integrations.sql import DATABASES, check
from abnforge.regex import writer
from abnforge.regex.dialects import DIALECTS, PYTHON
from tests.law import each_row, one_in
from tests.raising import raises
from tests.reference.engines import ENGINES, holds

NESTED = 'start = "(" [start] ")"\n'
UNSAFE = "start = *item ALPHA 20ALPHA\nitem = ALPHA / DIGIT\n"

REFUSALS = [
    (
        "start = ALPHA\n",
        "pcre",
        (),
        KeyError,
        "dialect-unknown",
    ),
    ("start = ALPHA\n", "perl", (), KeyError, "dialect-unknown"),
    ("start = ALPHA\n", "re2", ["ALPAH"], KeyError, "rule-name-unknown"),
    ("start = ALPHA\n", "re2", ["DIGIT"], ValueError, "export-group-unused"),
    ("start = ALPHA\n", "re2", "ALPHA", TypeError, "argument-type"),
    ("start = ALPHA\n", "sql", ["ALPHA"], ValueError, "export-groups"),
    ("start = ALPHA\n", "lark", ["ALPHA"], ValueError, "export-groups"),
    (
        "start = <words>\n",
        "re2",
        (),
        abnforge.GrammarError,
        "prose-val",
    ),
    ('start = "x" / words\nwords = "y" <any text>\n', "lark", (), abnforge.GrammarError, "prose-val"),
    (NESTED, "re2", (), ValueError, "rule-not-regular"),
    (UNSAFE, "java", (), ValueError, "regex-backtracking"),
    ('start = start "x"\n', "re2", (), ValueError, "regex-alphabet"),
    ("start = %xD800\n", "rust", (), ValueError, "regex-alphabet"),
    ("start = %x00\n", "sql", (), ValueError, "regex-alphabet"),
    ('start = 9999999"a"\n', "re2", (), ValueError, "regex-count"),
    ('start = 2000a\na = "a"\n', "re2", ["a"], ValueError, "regex-count"),
]


@each_row(("grammar", "dialect", "groups", "error", "code"), REFUSALS)
def test_refusals(grammar: str, dialect: str, groups, error: type[Exception], code: str) -> None:
    rule = abnforge.loads(grammar)["start"]
    with pytest.raises(error) as caught:
        rule.export(dialect, groups=groups)
    reason = caught.value.data.get("reason", caught.value)
    assert reason.code == code


def test_lark_is_a_target_for_any_rule() -> None:
    rule = abnforge.loads(NESTED)["start"]
    assert rule.export("lark") == rule.lark_text


# Grammars at the limits of the dialects, with strings on both sides of each limit.
EDGES = [
    ('start = 1500%s"a"\n', ["a" * n for n in (0, 1499, 1500, 1501)]),
    ('start = 1000*2500%s"a"\n', ["a" * n for n in (999, 1000, 2500, 2501)]),
    ('start = 300*%s"a"\n', ["a" * n for n in (299, 300, 301, 5000)]),
    ('start = *300%s"a" "b"\n', ["a" * n + "b" for n in (0, 300, 301)]),
    ('start = 50(40%s"a" [%s"b"])\n', [("a" * 40 + "b") * 50, "a" * 2000, "a" * 1999, "a" * 2001]),
    ("start = *%x0-10FFFF\n", ["", "\n", "\0", "a\ud800", "\U0010ffff", "é\u2028"]),
    ("start = %xD7FF-E000\n", ["\ud7ff", "\ud800", "\udfff", "\ue000", "\ue001"]),
    ('start = %xD800-DFFF / %s"x"\n', ["\ud800", "x", ""]),
    (
        "start = %xFFFF-10000 / %x9-A / %x7F\n",
        ["\uffff", "\U00010000", "\U00010001", "\n", "\t", "\x7f", " "],
    ),
    ("start = 1*(%x21-2F / %x3A-40 / %x5B-60 / %x7B-7E)\n", [*"!-/[]^`{}~'\"#\\@a 0", "^-]\\[&&~~--||"]),
    *(
        (f"start = %x{code:X}\n", [chr(code), "a", " ", chr(code) + "\n", f"\\{chr(code)}"])
        for code in (*range(0x20, 0x30), *range(0x3A, 0x41), *range(0x5B, 0x61), *range(0x7B, 0x7F))
    ),
    ('start = ""\n', ["", "\n", "a"]),
    ('start = a / "y"\na = "x" a\n', ["x", "y", ""]),  # a does not match any string
    (UNSAFE, ["a" * 21, "a" * 20, "0" * 9 + "a" * 21, "a" * 21 + "0", "a" * 30]),
]


@cache
def start(grammar: str) -> abnforge.Rule:
    return abnforge.loads(grammar)["start"]


@pytest.mark.parametrize("dialect", one_in(5, DIALECTS))
def test_edges(dialect: str) -> None:
    jobs, expected = [], []
    for grammar, texts in EDGES:
        rule = start(grammar)
        held = [text for text in texts if holds(dialect, text)]
        jobs.append((rule.export(dialect, allow_backtracking=grammar == UNSAFE), (), held))
        expected += [(grammar, text, rule.matches(text)) for text in held]
    results = [answer is not None for answers in ENGINES[dialect](jobs) for answer in answers]
    assert [(g, t, v) for (g, t, _), v in zip(expected, results, strict=True)] == expected


# Rules without a linear pattern: the rules that can backtrack at length, if the caller allows that. The first
# pattern is linear, because it is built from a larger automaton.
BACKTRACKING = [
    (UNSAFE, []),
    (
        'start = tag *( "-" x ) *( "-" y )\ntag = 2*8ALPHA\nx = 1*30ALPHA\ny = 1*8( ALPHA / DIGIT )\n',
        ["start"],
    ),
    (
        'start = word *( "@" word )\nword = l 1*( "." l )\nl = a [ *61( a / "-" ) a ]\na = ALPHA / DIGIT\n',
        ["start", "word", "l"],
    ),
]


@each_row(("grammar", "sources"), BACKTRACKING)
def test_patterns_that_can_backtrack(grammar: str, sources: list[str]) -> None:
    rule = abnforge.loads(grammar)["start"]
    texts = [each.text for each in islice(conformance.near_misses(rule), 40)]
    texts += [
        "a" * 30,
        "0" * 9 + "a" * 21,
        *(vector.text for vector in conformance.suite(rule, "quick")[:200]),
    ]
    for dialect in DIALECTS.values():
        if not dialect.linear:
            with raises(ValueError, "export-failed-linear"):
                rule.export(dialect.name)
            pattern, names = export.export(rule, dialect, allow_backtracking=True)
            assert list(names) == sources
            assert pattern == rule.export(dialect.name, allow_backtracking=True)
            held = [text for text in texts if holds(dialect.name, text)]
            (found,) = ENGINES[dialect.name]([(pattern, (), held)])
            assert [each is not None for each in found] == list(map(rule.matches, held))


def test_a_linear_pattern_is_preferred() -> None:
    rule = abnforge.rule("rfc3986:URI")
    for dialect in DIALECTS.values():
        assert export.export(rule, dialect, allow_backtracking=True) == (rule.export(dialect.name), ())


# If the automaton exceeds the budget, the export is the plain expression if it is safe, or fails.
UNDECIDED = [
    ("start = 2*20ALPHA\n", "java", 60, r"\A(?:[A-Za-z]{2,20})\z"),
    ("start = 1*ALPHA *DIGIT\n", "pcre2", 60, r"(*NO_AUTO_POSSESS)\A(?:[A-Za-z]+[0-9]*)\z"),
    ("start = *( ALPHA 1*DIGIT )\n", "rust", 60, r"\A(?:(?:[A-Za-z][0-9]+)*)\z"),
    ("start = *( ALPHA 1*DIGIT )\n", "ecmascript", 60, "^(?:(?:[A-Za-z][0-9]+)*)$"),
    ("start = *( ALPHA 1*DIGIT )\n", "java", 60, None),
    ('start = *( %s"a" / %s"b" ) %s"a" 20( %s"a" / %s"b" )\n', "re2", None, r"\A(?:[ab]*a[ab]{20})\z"),
    ('start = *( %s"a" / %s"b" ) %s"a" 20( %s"a" / %s"b" )\n', "python", None, None),
]


@pytest.mark.parametrize(("grammar", "dialect", "steps", "pattern"), UNDECIDED)
def test_unproved_patterns(grammar: str, dialect: str, steps: int | None, pattern: str | None) -> None:
    rule = abnforge.loads(grammar, budget=None if steps is None else Budget(steps=steps))["start"]
    if pattern is None:
        with pytest.raises(LimitExceeded) as caught:
            rule.export(dialect)
        assert caught.value.setting == "budget.steps"
        plain, names = export.export(rule, DIALECTS[dialect], allow_backtracking=True)
        assert "+" not in plain.replace("[0-9]+", "")
        assert names == ("start",)
    else:
        assert rule.export(dialect) == pattern
    assert rule.pattern is None
    assert rule.matches("a" * 20) in (True, False)


def test_a_wrong_pattern_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the writer returns a wrong pattern, the export fails."""
    monkeypatch.setattr(writer, "write_pattern", lambda *arguments, **options: "[a-y]++")
    rule = abnforge.loads("start = 1*%x61-7A\n")["start"]
    assert rule.pattern is None
    assert rule.matches("xyz")
    with raises(
        ValueError, "export-failed-linear", dialects=("re2", "rust", "sql"), rule="start", dialect="python"
    ):
        rule.export("python", anchored=False)


def test_a_thousand_words() -> None:
    """The proof takes few steps, since it does not compare pairs of words."""
    words = [f"{number:x}{number * 7919 % 999983:x}" for number in range(1_000)]
    text = "start = " + " / ".join(f'"{word}"' for word in words) + "\n"
    start = abnforge.loads(text, budget=Budget(steps=500_000))["start"]
    assert start.pattern is not None
    assert all(map(start.matches, words[::20]))
    assert not start.matches("0")


def test_anchors() -> None:
    rule = abnforge.load("rfc3986")["scheme"]
    assert rule.export("Python") == rf"{PYTHON.start}(?:{rule.pattern}){PYTHON.end}"
    assert rule.export("python", anchored=False) == rule.pattern


BYTES = abnforge.loads(
    ';@ alphabet bytes\nquoted = %x22 *( %x20-21 / %x23-5B / %x5D-FF / "\\" OCTET ) %x22\n'
    "line = *( %x00-09 / %x0B-FF ) %x0A\nletters = 1*3( %xE9 / %xC3 %xA9 / ALPHA )\n"
)


@each_row("rule", ["quoted", "line", "letters"])
def test_patterns_of_bytes(rule: str) -> None:
    pa, pc = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.compute")
    of_bytes, source = BYTES[rule], Random(3)
    characters = b'"\\a\x80\xff \x7f\n\x00\xc3\xa9\xe9'
    begin, end = {"quoted": (b'"', b'"'), "line": (b"", b"\n"), "letters": (b"", b"")}[rule]
    middles = [bytes(source.choices(characters, k=source.randint(0, 6))) for _ in range(2000)]
    rows = [begin + middle + end for middle in middles]
    verdicts = [of_bytes.matches(each) for each in rows]
    assert True in verdicts
    assert of_bytes.pattern is not None
    pattern = re.compile(of_bytes.pattern.encode())
    assert [pattern.fullmatch(each) is not None for each in rows] == verdicts
    # pyarrow's RE2 reads binary columns as Latin-1.
    found = pc.match_substring_regex(pa.array(rows, pa.binary()), of_bytes.export("re2"))
    assert found.to_pylist() == verdicts


def test_targets_that_do_not_support_bytes() -> None:
    able = export.BYTE_TARGETS
    assert BYTES["line"].export("lark")
    for target in export.TARGETS:
        if target not in able:
            with raises(ValueError, "export-bytes", target=target, targets=able):
                BYTES["line"].export(target)
    for database in DATABASES:
        with raises(ValueError, "export-bytes"):
            check(BYTES["line"], database, "column")
