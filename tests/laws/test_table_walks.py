"""Walks through tables in C and in Python agree with the automaton and with the derivation."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

import abnforge
from abnforge.automata.tables import TableTooLargeError
from abnforge.automata.tagged import tagged
from abnforge.budget import Budget
from abnforge.errors import LimitExceeded
from tests.laws.strings import mutant, spell
from tests.laws.table_walks import check_components, check_verdicts
from tests.reference.regular_grammars import grammar, texts

# The limit for tagged automata of random grammars, which can be arbitrarily large.
SMALL = Budget(steps=60_000)


def check(seed: int, short: int) -> bool:
    """Check a rule, and return whether the positions of components were also checked."""
    loaded = abnforge.loads(grammar(seed))
    rule = loaded["r0"]
    read = texts(seed, short)
    try:
        check_verdicts(rule, read, least_loop=(1, 2, 16)[seed % 3])
    except LimitExceeded:
        return False
    names = [other.name for other in loaded.own_rules[1:]]
    parts = {name: (name,) for name in names}
    result = loaded.compilation
    try:
        points = tagged(result.core, result.bodies, "r0", parts, {}, SMALL.meter("it"))
        check_components(rule, names, points, read)
    except (LimitExceeded, TableTooLargeError):
        return False
    return True


MANY = [pytest.param(100 * number, marks=pytest.mark.slow) for number in range(1, 4)]


@pytest.mark.parametrize("first", [0, *MANY])
def test_random_grammars(first: int) -> None:
    seeds = range(first, first + (12 if first == 0 else 60))
    checked = sum(check(seed, 3 if first == 0 else 4) for seed in seeds)
    assert checked > len(seeds) * 0.8


# Rules of bundled grammars, and the components whose positions are compared.
BUNDLED = {
    "rfc3986:URI": "scheme userinfo host port path-abempty query fragment",
    "rfc3986:URI-reference": "scheme host query",
    "rfc3986:relative-ref": "segment-nz-nc query",
    "rfc3986:authority": "userinfo reg-name IPv4address IPv6address",
    "rfc3986:IPv6address": "IPv4address",
    "rfc3987:IRI": "scheme ihost iquery",
    "rfc3987:IRI-reference": "ifragment",
    "rfc3987:ihost": "ireg-name",
    "rfc6874:URI": "host ZoneID",
    "rfc6874:host": "ZoneID",
    "rfc2396:URI-reference": "scheme authority query",
    "rfc2396:hostport": "host port",
    "rfc3339:date-time": "full-date time-secfrac time-offset",
    "rfc3339:full-date": "date-month",
    "rfc5321:Mailbox": "Domain",
    "rfc5321:address-literal": "IPv4-address-literal",
    "rfc5234:num-val": "hex-val",
    "rfc5234:char-val": "",
    "abnf:rfc9110:media-type": "type subtype",
    "abnf:rfc9110:Accept": "",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_rules(name: str) -> None:
    """All walks agree on strings of the rule, on mutants, and on combinations of two strings."""
    chance = Random(name)
    rule = abnforge.rule(name)
    own = [spell(rule.automaton, chance, chance.choice((2, 8, 24))) for _ in range(150)]
    spliced = [
        text[: chance.randint(0, len(text))] + other[len(other) // 2 :] for text, other in pairwise(own)
    ]
    strings = [*own, *(mutant(text, chance) for text in own), *spliced]
    check_verdicts(rule, strings * 10)  # long columns
    parts = {part: (part.lower(),) for part in BUNDLED[name].split()}
    points = rule.grammar.compilation.tagged(rule.key, parts, {})
    if parts and points is not None:
        check_components(rule, [*parts], points, strings)
    short = [text for text in strings if len(text) < 60][:20]
    assert [rule.matches(text) for text in short] == [rule.matches(text, engine="lark") for text in short]
