"""Rules as sets of strings: comparison, union, intersection and difference, against brute force."""

from __future__ import annotations

from random import Random

import abnforge
from abnforge.automata import algebra
from fuzzing.cases import GrammarCase
from fuzzing.kind import Kind
from fuzzing.kinds.grammar_cases import all_texts, loaded
from fuzzing.notation import Rules, used
from fuzzing.questions import Name, Questions
from fuzzing.random_grammars import ALPHABET, Profile, random_rules
from fuzzing.reference import language
from fuzzing.smaller import smaller_nodes

LONGEST = 5
TEXTS = all_texts(LONGEST, ALPHABET)


def draw(chance: Random) -> GrammarCase:
    """Two rules; often the second is the first with a part left out or changed, so that they are close."""
    # Brute force has no capital letters, so that no literal may stand for one.
    rules = random_rules(chance, Profile(rules=2, depth=3, sensitive=1.0))
    if chance.random() < 0.4:
        variants = list(smaller_nodes(rules[0][1]))
        other: Rules = (("s0", chance.choice(variants)),) if variants else ()
    else:
        other = ()
    if not other:
        fresh = random_rules(chance, Profile(rules=1, depth=3, sensitive=1.0))
        other = (("s0", fresh[0][1]),)
    both = (*rules, *other)
    return GrammarCase(used(both, ("r0", "s0")), starts=("r0", "s0"))


def check(case: GrammarCase, ask: Questions) -> None:
    """The relation, the three witnesses and their lengths, and each operation's strings."""
    ask.names["algebra"] = algebra
    rule, other = loaded(case, ask)
    known = language(case.rules, LONGEST)
    left, right = known.strings["r0"], known.strings["s0"]
    ask.law = "compare"
    found = ask.call("abnforge.compare", Name("rule"), Name("other"))
    source = ask.asked
    regions = {"only_left": left - right, "only_right": right - left, "common": left & right}
    for name, region in regions.items():
        witness = getattr(found, name)
        _witness(ask, f"{source}.{name}", name, witness, region, rule, other)
    relation = _relation(found)
    ask.hold(
        found.relation == relation,
        f"{source}.relation == {relation!r}",
        f"the relation is {found.relation}, but the witnesses say {relation}",
    )
    ask.law = "algebra"
    operations = {"union": left | right, "intersection": left & right, "difference": left - right}
    for name, strings in operations.items():
        made = ask.call(f"algebra.{name}", Name("rule.automaton"), Name("other.automaton"))
        source = ask.asked
        for text in TEXTS:
            ask.hold(
                made.accepts(text) is (text in strings),
                f"{source}.accepts({text!r}) is {text in strings}",
                f"the {name} {'lacks' if text in strings else 'has'} {text!r}",
            )
    ask.law = "included"
    inside = ask.call("algebra.included", Name("rule.automaton"), Name("other.automaton"))
    ask.hold(
        inside is (found.only_left is None), f"{ask.asked} is {not inside}", "inclusion and witness disagree"
    )


def _witness(
    ask: Questions,
    source: str,
    region: str,
    witness: str | None,
    strings: frozenset[str],
    rule: abnforge.Rule,
    other: abnforge.Rule,
) -> None:
    """A witness lies in its region, and none there is shorter; there is one if brute force has one."""
    least = min(map(len, strings), default=None)
    if witness is None:
        ask.hold(least is None, f"{source} is not None", f"no witness, but {sorted(strings)[:3]} are there")
        return
    ask.hold(
        least is None or len(witness) == least,
        f"len({source}) == {least}",
        f"{witness!r} is no shortest one: one has {least} characters",
    )
    if len(witness) <= LONGEST:
        ask.hold(witness in strings, f"{source} != {witness!r}", f"{witness!r} does not lie in {region}")
        return
    # Too long for the sets: the reference engine says where it lies.
    sides = {"only_left": (True, False), "only_right": (False, True), "common": (True, True)}[region]
    for name, judge, valid in (("rule", rule, sides[0]), ("other", other, sides[1])):
        ask.hold(
            judge.matches(witness, engine="lark") is valid,
            f'{name}.matches({source}, engine="lark") is {valid}',
            f"{witness!r} does not lie in {region}",
        )


def _relation(found: abnforge.Comparison) -> str:
    if found.only_left is None:
        return "equal" if found.only_right is None else "narrower"
    if found.only_right is None:
        return "wider"
    return "disjoint" if found.common is None else "overlap"


KIND = Kind("algebra", "comparison and operations on rules as sets, against brute force", draw, check)
