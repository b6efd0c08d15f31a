"""Exported patterns in their engines: verdicts, transitions, groups, and long strings."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Tree

import abnforge
from abnforge.regex.dialects import DIALECTS
from tests.law import one_in
from tests.laws.strings import texts, transitions
from tests.reference.engines import ENGINES, holds
from tests.reference.small_languages import TEXTS, Expression, abnf, expressions, strings

GRAMMARS = ["rfc3986", "rfc2396", "rfc3987"]


def rules(grammar: str) -> list[str]:
    return [rule.name for rule in abnforge.load(grammar).own_rules]


def check_verdicts(dialect: str, grammar: str, names: list[str], count: int) -> None:
    g = abnforge.load(grammar)
    expected = [[pair for pair in texts(grammar, name, count) if holds(dialect, pair[0])] for name in names]
    jobs = [
        (g[name].export(dialect), (), [text for text, _ in pairs])
        for name, pairs in zip(names, expected, strict=True)
    ]
    verdicts = ENGINES[dialect](jobs)
    wrong = [
        (name, text, valid)
        for name, pairs, result in zip(names, expected, verdicts, strict=True)
        for (text, valid), verdict in zip(pairs, result, strict=True)
        if valid is (verdict is None)
    ]
    assert wrong == []
    assert {valid for pairs in expected for _, valid in pairs} == {True, False}


@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize("dialect", one_in(3, DIALECTS))
def test_verdicts(dialect: str, grammar: str) -> None:
    """Each dialect runs some rules, and each rule some dialects."""
    check_verdicts(dialect, grammar, rules(grammar)[list(DIALECTS).index(dialect) % 3 :: 3], 6)


@pytest.mark.slow
@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_many_verdicts(dialect: str, grammar: str) -> None:
    check_verdicts(dialect, grammar, rules(grammar), 60)


# For such rules, random search found faults in engines, which a proof of a pattern cannot detect.
SMALL = {
    "an optional group before what it begins with": '[ %s"c" ] [ %s"ab" ] %s"c"',
    "turns that end before a character that may be absent": '[ %s"a" *%s"b" %s"c" ] *( %s"a" [%s"b"] %s"c" )',
    "an empty alternative before others": '[ %s"a" ( [%s"b"] / %s"c" ) ]',
    "line ends": "*( %x61 / %xD.A ) [ %xA ]",
}


def check_transitions(dialect: str, rules: list[abnforge.Rule]) -> None:
    jobs, expected = [], []
    for rule in rules:
        pairs = [(text, valid) for text, valid in transitions(rule.automaton) if holds(dialect, text)]
        jobs.append((rule.export(dialect), (), [text for text, _ in pairs]))
        expected.append(pairs)
    for rule, pairs, answers in zip(rules, expected, ENGINES[dialect](jobs), strict=True):
        wrong = [
            text for (text, valid), result in zip(pairs, answers, strict=True) if valid is (result is None)
        ]
        assert wrong == [], rule.name
    assert {valid for pairs in expected for _, valid in pairs} == {True, False}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_small_rules(dialect: str) -> None:
    rules = [abnforge.loads(f"r = {body}\n")["r"] for body in SMALL.values()]
    check_transitions(dialect, [*rules, abnforge.load("rfc3986")["authority"]])


# Grammars whose regular rules all have a pattern in every dialect.
WHOLE = ("rfc2396", "rfc2396bis-07", "rfc3339", "rfc3986", "rfc3987", "rfc5234", "rfc5321", "rfc6874")


@pytest.mark.slow
@pytest.mark.parametrize("grammar", abnforge.grammar_names())
@pytest.mark.parametrize("dialect", DIALECTS)
def test_all_rules(dialect: str, grammar: str) -> None:
    loaded = abnforge.load(grammar, alphabet="unicode")
    rules = [rule for rule in loaded.values() if has_pattern(rule, dialect)]
    assert rules
    if grammar in WHOLE:
        assert rules == [rule for rule in loaded.values() if rule.regular and rule.automaton.table]
    check_transitions(dialect, rules)


def has_pattern(rule: abnforge.Rule, dialect: str) -> bool:
    """Return whether a grammar defines a rule itself and a dialect has a pattern for it within the budget."""
    if rule.origin == "import" or not rule.regular:
        return False
    try:
        return bool(rule.automaton.table) and rule.export(dialect) is not None
    except (abnforge.LimitExceeded, ValueError):
        return False


FORTY = st.lists(expressions, min_size=40, max_size=40)


def check_random(dialect: str, rules: list[Expression]) -> None:
    jobs, expected = [], []
    for expression in rules:
        try:
            pattern = abnforge.loads(f"r = {abnf(expression)}\n")["r"].export(dialect)
        except ValueError:  # all patterns are unsafe
            assert not DIALECTS[dialect].linear
            continue
        jobs.append((pattern, (), TEXTS))
        expected.append((pattern, sorted(strings(expression))))
    results = [
        (pattern, sorted(text for text, answer in zip(TEXTS, answers, strict=True) if answer is not None))
        for (pattern, _, _), answers in zip(jobs, ENGINES[dialect](jobs), strict=True)
    ]
    assert results == expected


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_random_rules(dialect: str) -> None:
    settings(max_examples=10)(given(FORTY)(lambda rules: check_random(dialect, rules)))()


GROUPS = [
    *("scheme", "authority", "userinfo", "host", "port", "query", "fragment", "IP-literal", "IPv4address"),
    *("reg-name", "path-abempty", "path-absolute", "path-noscheme", "path-rootless", "path-empty"),
]
NAMED = [dialect for dialect in DIALECTS.values() if dialect.group]


def held(tree: Tree, rule: str) -> str | None:
    """Return the input of the first node of a rule."""
    node = next(iter(tree.find_data(rule)), None)
    return None if node is None else "".join(node.scan_values(lambda token: True))


@cache
def in_tree(text: str) -> dict[str, str | None]:
    """Return the expected contents of the groups, taken from the tree."""
    rule = abnforge.load("rfc3986")["URI-reference"]
    names = {abnf: lark for lark, abnf in rule.lark_names.items()}
    tree = rule.parse(text)
    return {group: held(tree, names[group]) for group in GROUPS}


@pytest.mark.parametrize("dialect", one_in(2, NAMED), ids=lambda dialect: dialect.name)
def test_groups_hold_what_trees_do(dialect) -> None:
    rule = abnforge.load("rfc3986")["URI-reference"]
    pattern = rule.export(dialect.name, groups=GROUPS)
    # If a rule occurs twice in this rule, it has two groups, and only one of them matches.
    columns = [
        (rule, dialect.identifier(rule.lower(), number))
        for rule in GROUPS
        for number in range(1, 20)
        if f"<{dialect.identifier(rule.lower(), number)}>" in pattern
    ]
    assert [rule for rule, _ in columns if rule in ("scheme", "host")] == ["scheme", "host", "host"]
    groups = [group for _, group in columns]
    pairs = [(t, v) for t, v in texts("rfc3986", "URI-reference", 60) if holds(dialect.name, t)]
    (result,) = ENGINES[dialect.name]([(pattern, groups, [text for text, _ in pairs])])
    for (text, valid), answer in zip(pairs, result, strict=True):
        assert (answer is not None) is valid, text
        if answer is None:
            continue
        by_rule: dict[str, str | None] = dict.fromkeys(GROUPS)
        for (group, _), value in zip(columns, answer, strict=True):
            by_rule[group] = value if by_rule[group] is None else by_rule[group]
        assert by_rule == in_tree(text), text


# ABNF, groups, an input, and the contents of the groups in the preferred derivation.
CHOICES = [
    ('start = a / b\na = "1" / "2"\nb = 1*DIGIT', "ab", "1", ("1", None)),
    ('start = a / b\na = "1" / "2"\nb = 1*DIGIT', "ab", "11", (None, "11")),
    ('start = b / a\na = "1" / "2"\nb = 1*DIGIT', "ab", "1", (None, "1")),
    ('start = "1" / a / "2"\na = DIGIT', "a", "2", ("2",)),  # the last alternative must not move to the front
    ('start = "1" / a / "2"\na = DIGIT', "a", "1", (None,)),
    ('start = ("" / a) *"x"\na = "x"', "a", "xx", (None,)),
    ('start = (a / "") *"x"\na = "x"', "a", "xx", ("x",)),
    ('start = *(a / b)\na = %s"x"\nb = %s"y" %s"z"', "ab", "xyz", None),  # see below: the engines differ
]


@pytest.mark.parametrize("dialect", NAMED, ids=lambda dialect: dialect.name)
def test_groups_follow_the_order_of_alternatives(dialect) -> None:
    jobs = [
        (abnforge.loads(grammar)["start"].export(dialect.name, groups=list(groups)), tuple(groups), [text])
        for grammar, groups, text, _ in CHOICES
    ]
    results = [answers[0] for answers in ENGINES[dialect.name](jobs)]
    assert [f for f, (*_, e) in zip(results, CHOICES, strict=True) if e] == [e for *_, e in CHOICES if e]
    # The last iteration of a loop counts. ECMAScript resets groups from earlier iterations.
    assert results[-1] == (None if dialect.name == "ecmascript" else "x", "yz")


MEGABYTE = 1 << 20


def long(head: str, part: str, tail: str = "") -> str:
    return head + part * (MEGABYTE // len(part)) + tail


# A rule and its long strings. Each is tested unchanged, and with an ending that no rule allows.
LONG = [
    ("rfc3986", "URI-reference", [
        long("", "a"), long("", "/"), long("", "%41"), long("a%41", "b%41"), long("", ":"), long("a:", ":"),
        long("http://", "a"), long("http://", "1."), long("http://", "a:", "@"), long("//", "a@"),
        long("//a:", "1"), long("//[", "::"), long("//[v1.", "a:", "]"), long("", "a/"), long("./", "a:/"),
        long("a?", "/?"), long("a#", "%41?"), long("", "a:"), long("", "%"), long("", "é"),
    ]),
    ("rfc2396", "URI-reference", [
        long("http://", "a."), long("http://", "a-", "a"), long("http://", "1."), long("//", "a", ":1"),
        long("a:", "%41"), long("", ";a"), long("", "/;"), long("//", "a@", "b.c"),
    ]),
    ("rfc2396", "host", [long("", "a."), long("", "a-"), long("", "1."), long("a", "-.a"), long("", "a.1.")]),
    ("rfc2396", "hostname", [long("", "1.a."), long("a", "-", "a"), long("", "a", "."), long("1", "a")]),
    ("rfc3987", "IRI-reference", [
        long("", "é"), long("//", "😀"), long("a?", "\ue000"), long("//é@", "%41é"),
    ]),
]  # fmt: skip


@cache
def verdict(grammar: str, name: str, text: str) -> bool:
    return abnforge.load(grammar)[name].automaton.accepts(text)


def check_long(dialect: str, rows: list[tuple[str, str, list[str]]]) -> None:
    jobs = []
    verdicts = []
    for grammar, name, inputs in rows:
        both = [text + end for text in inputs for end in ("", " ")]
        jobs.append((abnforge.load(grammar)[name].export(dialect), (), both))
        verdicts += [verdict(grammar, name, text) for text in both]
    results = [answer is not None for answers in ENGINES[dialect](jobs) for answer in answers]
    assert results == verdicts


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_megabyte(dialect: str) -> None:
    grammar, name, texts = LONG[0]
    check_long(dialect, [(grammar, name, texts[:3])])


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_megabytes(dialect: str) -> None:
    check_long(dialect, LONG)
