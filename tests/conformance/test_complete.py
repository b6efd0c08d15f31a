"""Complete test suites: sizes, state identifiers, modules of large rules, and the guarantee."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

import abnforge
from abnforge.budget import DEFAULT, Budget
from abnforge.conformance import complete
from abnforge.conformance.acceptor import Acceptor, Word
from abnforge.conformance.complete import complete_words, identifiers, modules
from abnforge.conformance.suites import BUDGET
from tests.law import each_row, law
from tests.raising import raises
from tests.reference.strategies import grammars

URI = abnforge.load("rfc3986")
# rule, states, classes, words with no extra state, words with one extra state
SIZES = [
    ("scheme", 3, 3, 13, 40),
    ("dec-octet", 7, 7, 120, 724),
    ("IPv4address", 25, 8, 1_085, 10_049),
    ("IPv6address", 152, 10, 10_871, 110_652),
    ("authority", 170, 16, 24_897, None),
    ("URI", 180, 21, 36_239, None),
]


def words(acceptor: Acceptor, extra: int) -> list[tuple[Word, bool]]:
    return list(complete_words(acceptor, extra, BUDGET.meter("a test")))


@each_row(("rule", "states", "classes", "plain", "one_more"), SIZES)
def test_sizes(rule: str, states: int, classes: int, plain: int, one_more: int | None) -> None:
    acceptor = Acceptor(URI[rule].automaton)
    assert (acceptor.size, acceptor.classes) == (states, classes)
    assert len(words(acceptor, 0)) == plain
    if one_more is not None:
        assert len(words(acceptor, 1)) == one_more


@pytest.mark.slow
def test_uris_with_one_more_state() -> None:
    assert len(words(Acceptor(URI["URI"].automaton), 1)) == 815_322


@each_row("rule", ["scheme", "dec-octet", "port", "IPv4address", "path-abempty"])
@each_row("extra", [0, 1])
def test_each_word_is_there_once_and_validated_right(rule: str, extra: int) -> None:
    acceptor = Acceptor(URI[rule].automaton)
    result = words(acceptor, extra)
    assert len(dict(result)) == len(result)
    for word, valid in result:
        assert acceptor.accepting[acceptor.run(word)] is valid
        assert URI[rule].automaton.accepts(acceptor.text(word)) is valid
    assert result == words(Acceptor(URI[rule].automaton), extra)


def mutant(acceptor: Acceptor, source: Random, split: bool) -> tuple[list[list[int]], list[bool]]:
    """Mutate an automaton: change transitions or verdicts, or copy a state and change the copy."""
    rows, accepting = [list(row) for row in acceptor.rows], list(acceptor.accepting)
    if split:
        old = source.randrange(len(rows))
        rows.append(list(rows[old]))
        accepting.append(accepting[old])
        for row in rows:
            for number, target in enumerate(row):
                if target == old and source.randint(0, 1):
                    row[number] = len(rows) - 1
    for _ in range(source.choice((1, 1, 2, 3))):
        state = source.randrange(len(rows))
        if source.random() < 0.2:
            accepting[state] = not accepting[state]
        else:
            rows[state][source.randrange(acceptor.classes)] = source.randrange(len(rows))
    return rows, accepting


def accepts(rows: list[list[int]], accepting: list[bool], word: Word) -> bool:
    state = 0
    for number in word:
        state = rows[state][number]
    return accepting[state]


def is_equal(acceptor: Acceptor, rows: list[list[int]], accepting: list[bool]) -> bool:
    queue = [(0, 0)]
    met = set(queue)
    for one, other in queue:
        if acceptor.accepting[one] is not accepting[other]:
            return False
        for pair in zip(acceptor.rows[one], rows[other], strict=True):
            if pair not in met:
                met.add(pair)
                queue.append(pair)
    return True


def killed(rule: abnforge.Rule, extra: int, split: bool, count: int, seed: int) -> tuple[int, int]:
    """Return the number of mutants that the suite detects, and the number of those that it should detect."""
    acceptor = Acceptor(rule.automaton)
    strings = words(acceptor, extra)
    source = Random(seed)
    result = different = 0
    for _ in range(count):
        rows, accepting = mutant(acceptor, source, split)
        if not is_equal(acceptor, rows, accepting):
            different += 1
            result += any(accepts(rows, accepting, word) is not valid for word, valid in strings)
    return result, different


TWENTY = [
    *(
        ("rfc3986", name)
        for name in ("scheme", "dec-octet", "IPv4address", "reg-name", "port", "h16", "userinfo")
    ),
    *(("rfc3986", name) for name in ("path-abempty", "path-rootless", "query", "IPvFuture", "relative-part")),
    *(("rfc3339", name) for name in ("full-date", "time-offset", "partial-time")),
    *(("rfc2396", name) for name in ("hostport", "rel-path", "hostname")),
    *(("rfc5321", name) for name in ("Domain", "Quoted-string")),
]


@each_row(("grammar", "name"), TWENTY)
def test_no_mutant_of_as_many_states_passes(grammar: str, name: str) -> None:
    rule = abnforge.load(grammar)[name]
    for extra, split in ((0, False), (1, True)) if rule.automaton.states < 20 else ((0, False),):
        result, different = killed(rule, extra, split, 25, 1)
        assert result == different > 5


@pytest.mark.slow
@pytest.mark.parametrize(("grammar", "name"), TWENTY)
def test_no_mutant_of_as_many_states_passes_of_two_hundred(grammar: str, name: str) -> None:
    rule = abnforge.load(grammar)[name]
    for extra, split in ((0, False), (1, True)):
        result, different = killed(rule, extra, split, 100, 2)
        assert result == different > 50


def test_some_with_more_states_pass() -> None:
    """Otherwise, the suite would be larger than necessary."""
    result, different = killed(URI["scheme"], 0, True, 200, 3)
    assert result < different


def test_the_budget_ends_it() -> None:
    acceptor = Acceptor(URI["URI"].automaton)
    with raises(abnforge.LimitExceeded, "limit-exceeded"):
        list(complete_words(acceptor, 2, Budget(steps=100_000).meter("a test")))


@each_row("text", ['a = "x" a\n', 'a = ""\n', 'a = "x"\n', "a = *%x0-10FFFF\n"])
def test_trivial_rules(text: str) -> None:
    acceptor = Acceptor(abnforge.loads(text)["a"].automaton)
    for extra in (0, 1, 2):
        for word, valid in words(acceptor, extra):
            assert acceptor.automaton.accepts(acceptor.text(word)) is valid


def check(acceptor: Acceptor) -> list[int]:
    result = identifiers(acceptor, DEFAULT.meter("a test"))
    assert len(result) == acceptor.size
    for one, other in combinations(range(acceptor.size), 2):
        shared = set(result[one]) & set(result[other])
        verdicts = ((acceptor.run(word, one), acceptor.run(word, other)) for word in shared)
        assert any(acceptor.accepting[a] is not acceptor.accepting[b] for a, b in verdicts)
    return [len(words) for words in result]


@pytest.mark.parametrize(("rule", "dead"), [("scheme", 1), ("dec-octet", 2), ("IPv4address", 8)])
def test_rules_of_uris(rule: str, dead: int) -> None:
    acceptor = Acceptor(abnforge.load("rfc3986")[rule].automaton)
    assert acceptor.dead is not None
    assert check(acceptor)[acceptor.dead] >= dead


@law(grammars(recursive=False), few=6, many=100)
def test_any_rule(text: str) -> None:
    try:
        automaton = abnforge.loads(text)["r0"].automaton
    except abnforge.LimitExceeded:
        return  # the rule is regular, but its automaton exceeds the budget
    if automaton.states < 60:
        check(Acceptor(automaton))


def test_with_few_candidates_they_are_still_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(complete, "MAX_CANDIDATES", 1)
    check(Acceptor(abnforge.load("rfc3986")["IPv4address"].automaton))


# A rule, and its modules: name, number of states, and the rules that the module treats as symbols.
CUT = [
    (
        "rfc3986",
        "URI",
        [("URI", 32, ("IPv6address",)), ("IPv6address", 91, ("IPv4address",)), ("IPv4address", 25, ())],
    ),
    ("rfc3986", "IPv4address", [("IPv4address", 25, ())]),
    ("rfc3339", "date-time", [("date-time", 29, ())]),
    (
        "rfc3987",
        "IRI",
        [("IRI", 35, ("IPv6address",)), ("IPv6address", 91, ("IPv4address",)), ("IPv4address", 25, ())],
    ),
]


@pytest.mark.parametrize(("grammar", "name", "expected"), CUT)
def test_modules(grammar: str, name: str, expected: list[tuple[str, int, tuple[str, ...]]]) -> None:
    rule = abnforge.load(grammar)[name]
    result = modules(rule, 2, BUDGET.meter("a test"))
    assert [(each.name, each.acceptor.size, each.instead) for each in result] == expected
    for module in result:
        for state in module.acceptor.live:
            behind = module.acceptor.completions[state]
            assert behind is not None
            text = module.acceptor.text(module.acceptor.cover[state] + behind)
            # A string of a module matches the rule of the module, and in its context, the whole rule.
            assert rule.matches(module.before + text + module.behind)
            assert rule.grammar[module.name].matches(text)


def test_nullable_rules_stay_nullable() -> None:
    grammar = abnforge.loads('a = "<" b ">"\nb = *10(ALPHA DIGIT)\n')
    whole, inside = modules(grammar["a"], 2, BUDGET.meter("a test"))
    assert (whole.name, whole.instead, inside.name) == ("a", ("b",), "b")
    assert whole.acceptor.automaton.accepts("<>")
    assert not whole.acceptor.automaton.accepts("<a0a0>")


def test_a_combined_rule_is_one_module() -> None:
    result = URI["host"] - URI["IPv4address"]
    [one] = modules(result, 2, BUDGET.meter("a test"))
    assert one.acceptor.automaton == result.automaton
