"""Laws about a rule and a string. Each asks through ``Questions``, and raises ``BrokenError``.

``valid`` is what brute force says; where there is none, it is None, and all ways of answering have to agree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import lark

import abnforge
from abnforge.charset import CharSet
from abnforge.engine.rule import ENGINES
from fuzzing.questions import Name, Questions
from fuzzing.reference import Language, Reading, check_tree, count, flat, preferred, stop


def engines(rule: abnforge.Rule, *, lark: bool = True) -> list[str]:
    """Return the engines that can parse by a rule; without Lark, which is slow, if another one can."""
    found = [engine for engine in ENGINES if engine != "automaton" or not rule.recursive]
    if lark or not quick(rule):
        return found
    return [engine for engine in found if engine != "lark"]


def quick(rule: abnforge.Rule) -> bool:
    """Whether an engine beside Lark's reads by a rule, so that it is read without it."""
    return not rule.recursive or bool(set(ENGINES) - {"auto", "automaton", "lark"})


def verdicts(ask: Questions, rule: abnforge.Rule, text: str, valid: bool, tried: Sequence[str]) -> None:
    """Every way to a verdict gives the same: the engines, the pattern, the table."""
    if not ask.about("verdicts"):
        return
    for engine in tried:
        ask.equal(valid, "rule.matches", text, engine=engine)
    if not rule.regular:
        return
    ask.equal(valid, "rule.automaton.accepts", text)
    pattern = ask.get("rule.pattern")
    if pattern is not None and (re.fullmatch(pattern, text) is not None) is not valid:
        ask.fail(
            f"(re.fullmatch(rule.pattern, {text!r}) is not None) is {valid}",
            f"the pattern {pattern} says {not valid} of {text!r}, which is wrong",
        )


def reading(language: Language, key: str, text: str) -> Reading:
    """What brute force knows of a text."""
    strings = language.strings[key]
    offset = language.longest_viable_prefix(key, text)
    following = CharSet.of("".join(language.following(key, text[:offset])))
    return Reading(text in strings, offset, following, text[:offset] in strings)


def rejections(
    ask: Questions, rule: abnforge.Rule, text: str, known: Reading, alphabet: str, tried: Sequence[str]
) -> None:
    """The offset is the length of the longest viable prefix; what is expected there, of the characters of an
    alphabet, is what can follow.
    """
    if not ask.about("offset"):
        return
    offset, end = known.offset, known.end
    wanted = {char for char in alphabet if char in known.following}
    found = []
    for engine in tried:
        rejection = ask.call("rule.explain", text, suggest=False, engine=engine)
        source = ask.asked
        ask.hold(rejection is not None, f"{source} is not None", f"no rejection of {text!r} by {engine}")
        ask.hold(
            rejection.offset == offset,
            f"{source}.offset == {offset}",
            f"{engine} stops at {rejection.offset}; {text!r} has a viable prefix of length {offset}",
        )
        ask.hold(
            rejection.found == (text[offset : offset + 1] or None),
            f"{source}.found == {text[offset : offset + 1] or None!r}",
            f"found is {rejection.found!r}",
        )
        following = {char for char in alphabet if any(_in_class(e.chars, char) for e in rejection.expected)}
        ask.hold(
            following == wanted,
            f'{{c for c in {alphabet!r} for e in {source}.expected if re.match(f"[{{e.chars}}]", c)}}'
            f" == set({''.join(sorted(wanted))!r})",
            f"{engine} expects {sorted(following)}; what can follow {text[:offset]!r} is {sorted(wanted)}",
        )
        ask.hold(
            rejection.end_expected is end,
            f"{source}.end_expected is {end}",
            f"{engine} says the end is {'' if rejection.end_expected else 'not '}expected",
        )
        found.append(rejection)
    for engine, rejection in zip(tried[1:], found[1:], strict=True):
        calls = [f"rule.explain({text!r}, suggest=False, engine={name!r})" for name in (tried[0], engine)]
        ask.hold(rejection == found[0], " == ".join(calls), f"{tried[0]} and {engine} explain differently")


@cache
def _in_class(chars: str, char: str) -> bool:
    return re.match(f"[{chars}]", char) is not None


def stops(ask: Questions, rule: abnforge.Rule, text: str, wanted: tuple[bool, int]) -> None:
    """The general engine alone: whether it derives a text, and how many characters it reads."""
    if ask.about("stops"):
        ask.names["stop"] = stop
        ask.equal(wanted, "stop", Name("rule"), text)


def counts(ask: Questions, rule: abnforge.Rule, text: str) -> None:
    """As many derivations as brute force counts."""
    if ask.about("counts"):
        ask.equal(count(rule.grammar.core, rule.name.lower(), text), "rule.count_derivations", text)


def trees(ask: Questions, rule: abnforge.Rule, text: str, tried: Sequence[str]) -> None:
    """Each engine's tree is that of the preferred derivation, as its definition has it."""
    if not ask.about("trees"):
        return
    names = {abnf.lower(): tree for tree, abnf in rule.lark_names.items()}
    wanted = _tree(preferred(rule.grammar.core, rule.name.lower(), text), names)
    for engine in tried:
        got = ask.call("rule.parse", text, engine=engine)
        ask.hold(
            got == wanted, f"{ask.asked} == {wanted!r}", f"{engine} gives {got!r}, the contract {wanted!r}"
        )
        _is_derivation(ask, rule, text, got)


def _tree(node: Any, names: Mapping[str, str]) -> Any:
    if isinstance(node, str):
        return node
    key, below = node
    return lark.Tree(names[key], [_tree(child, names) for child in below])


def agreeing_trees(ask: Questions, rule: abnforge.Rule, text: str, tried: Sequence[str]) -> None:
    """All engines give one tree, and it is a derivation."""
    if not ask.about("trees"):
        return
    first = ask.call("rule.parse", text)
    source = ask.asked
    _is_derivation(ask, rule, text, first)
    for engine in tried:
        other = ask.call("rule.parse", text, engine=engine)
        ask.hold(other == first, f"{ask.asked} == {source}", f"{engine} has another tree")


def events(ask: Questions, rule: abnforge.Rule, text: str, tried: Sequence[str]) -> None:
    """The events of each engine are the nodes of its tree."""
    if not ask.about("events"):
        return
    for engine in tried:
        tree = ask.call("rule.parse", text, engine=engine)
        nodes = f"flat({ask.asked}, rule.lark_names)"
        got = ask.call("rule.events", text, engine=engine)
        ask.hold(
            got == flat(tree, rule.lark_names),
            f"{ask.asked} == {nodes}",
            f"the events of {text!r} by {engine} are not the nodes of its tree",
        )


def _is_derivation(ask: Questions, rule: abnforge.Rule, text: str, tree: Any) -> None:
    key = rule.name.lower()
    try:
        check_tree(rule.grammar.core, key, text, tree, rule.lark_names)
    except AssertionError as error:
        ask.fail(
            f"not check_tree(rule.grammar.core, {key!r}, {text!r}, {ask.asked}, rule.lark_names)",
            f"its tree of {text!r} is no derivation: {error}",
        )


def agreeing_rejections(ask: Questions, rule: abnforge.Rule, text: str, tried: Sequence[str]) -> None:
    """All engines give one rejection."""
    if not ask.about("rejections"):
        return
    first = ask.call("rule.explain", text, suggest=False)
    source = ask.asked
    ask.hold(first is not None, f"{source} is not None", f"{text!r} is not valid, and not explained")
    for engine in tried:
        other = ask.call("rule.explain", text, suggest=False, engine=engine)
        ask.hold(other == first, f"{ask.asked} == {source}", f"{engine} explains differently")


def suggestions(ask: Questions, rule: abnforge.Rule, text: str) -> None:
    """A suggestion is valid, and its edits, from left to right and apart, lead there."""
    if not ask.about("suggestion") or rule.matches(text):
        return
    rejection = ask.call("rule.explain", text)
    source = ask.asked
    ask.hold(rejection is not None, f"{source} is not None", f"{text!r} is not valid, and not explained")
    suggestion = rejection.suggestion
    if suggestion is None:
        return
    ask.hold(
        rule.matches(suggestion.text, engine="lark"),
        f'rule.matches({source}.suggestion.text, engine="lark")',
        f"the suggestion {suggestion.text!r} for {text!r} is not valid",
    )
    applied = text
    for edit in reversed(suggestion.edits):
        applied = applied[: edit.start] + edit.text + applied[edit.end :]
    apart = all(a.end <= b.start for a, b in zip(suggestion.edits, suggestion.edits[1:], strict=False))
    ask.hold(
        apart and applied == suggestion.text,
        f"applied({text!r}, {source}.suggestion) == {suggestion.text!r}",
        f"the edits {suggestion.edits} of {text!r} lead to {applied!r}, not to {suggestion.text!r}",
    )


def history(ask: Questions, rule: abnforge.Rule, texts: Sequence[str]) -> None:
    """What was asked before changes no answer: a fresh grammar explains alike."""
    if not ask.about("history"):
        return
    source = rule.grammar.source.text
    for text in texts:
        fresh = abnforge.loads(source)[rule.name].explain(text, suggest=False)
        mine = ask.call("rule.explain", text, suggest=False)
        before = ", ".join(asked for asked in ask.answered if asked.startswith("rule."))
        ask.hold(
            mine == fresh,
            f"[{before}][-1] == "
            f"abnforge.loads(grammar.source.text)[rule.name].explain({text!r}, suggest=False)",
            f"a fresh grammar says {fresh!r}; after other questions it is {mine!r}",
        )
