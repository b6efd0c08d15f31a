"""Strings and mutants on the rules of bundled grammars: all ways of answering agree; what URIs promise."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from random import Random

import abnforge
from abnforge import uri
from abnforge.engine.grammar import sentences
from fuzzing import laws
from fuzzing.cases import BundledCase
from fuzzing.engines import available, exports
from fuzzing.kind import Kind
from fuzzing.questions import Questions
from tests.laws.texts import POOL, mutant
from tests.reference import resolve as pseudocode

# From so many characters on a string is ended; Earley's parser is asked about every one of them.
SIZE = 24
MERGED = ("URI", "URI-reference", "absolute-URI", "relative-ref")
BASE = "http://a/b/c/d;p?q"


@cache
def _rules() -> tuple[tuple[str, str], ...]:
    names = [name for name in abnforge.grammar_names() if name.startswith("rfc")]
    return tuple((name, rule.name) for name in names for rule in abnforge.load(name).own_rules)


def draw(chance: Random) -> BundledCase:
    """Sentences of a rule, mutants of them, and noise. Rules of whole URIs come often."""
    grammar, name = ("rfc3986", chance.choice(MERGED)) if chance.random() < 0.3 else chance.choice(_rules())
    rule = abnforge.load(grammar)[name]
    strings = [""]
    with suppress(abnforge.GrammarError):  # nothing short enough, or prose
        strings += sentences(rule, count=4, seed=chance.getrandbits(32), size=SIZE)
    strings += [mutant(text, chance) for text in strings]
    strings.append("".join(chance.choices(POOL, k=chance.randint(0, 8))))
    return BundledCase(grammar, name, tuple(dict.fromkeys(strings)))


def check(case: BundledCase, ask: Questions) -> None:
    """Engines, table and patterns agree on verdict, tree and rejection; URIs keep their text."""
    rule = ask.names["rule"] = abnforge.load(case.grammar)[case.rule]
    ask.names |= {"abnforge": abnforge, "uri": uri}
    ask.law = "verdicts"
    try:
        verdicts = {text: ask.call("rule.matches", text, engine="lark") for text in case.strings}
    except abnforge.GrammarError:
        return  # prose
    engines = laws.engines(rule)
    for text, valid in verdicts.items():
        laws.verdicts(ask, rule, text, valid, engines)
        if valid:
            laws.agreeing_trees(ask, rule, text, engines)
            if case.grammar == "rfc3986" and case.rule in MERGED:
                _uris(ask, text, case.rule)
        else:
            laws.agreeing_rejections(ask, rule, text, engines)
    exports(ask, rule, verdicts, available(distant=False))


def _uris(ask: Questions, text: str, rule: str) -> None:
    if not ask.about("uri"):
        return
    parsed = ask.call("uri.parse", text, rule=rule)
    ask.hold(str(parsed) == text, f"str({ask.asked}) == {text!r}", f"its text is {str(parsed)!r}")
    normal = str(ask.call("uri.normalize", text))
    source = ask.asked
    ask.hold(uri.is_valid(normal, rule=rule), f"uri.is_valid(str({source}), {rule!r})", f"{normal!r} is not")
    again = str(ask.call("uri.normalize", normal))
    ask.hold(again == normal, f"str({ask.asked}) == {normal!r}", f"normalized again it is {again!r}")
    target = str(ask.call("uri.resolve", BASE, text))
    wanted = pseudocode.resolve(BASE, text, True)
    # A path that would read as an authority is guarded by "/." where the pseudocode has none.
    ask.hold(
        target in (wanted, wanted.replace("://", ":/.//", 1)),
        f"str({ask.asked}) == {wanted!r}",
        f"{target!r}, but the RFC's pseudocode gives {wanted!r}",
    )


KIND = Kind("strings", "strings and mutants on the bundled grammars; URIs keep their text", draw, check)
