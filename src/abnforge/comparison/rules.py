"""Two rules as sets of strings: which is wider, and a shortest string that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, zip_longest
from typing import Any

from abnforge._arguments import instance_argument
from abnforge._lazy import NotebookView, lazy
from abnforge.automata.algebra import (
    BOTH,
    DISJOINT,
    EQUAL,
    NARROWER,
    ONLY_LEFT,
    ONLY_RIGHT,
    OVERLAP,
    REGIONS,
    WIDER,
    Region,
    Stopped,
    TableDFA,
    Witnesses,
    departures,
    product_search,
    witnesses,
)
from abnforge.budget import Meter
from abnforge.catalog import ArgumentError
from abnforge.comparison.correspondence import Correspondence
from abnforge.comparison.structure import provably_empty_regions
from abnforge.engine.grammar import source_of
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import expression_of
from abnforge.errors import LimitExceeded
from abnforge.messages import message
from abnforge.rejection import UNREADABLE, Expected, Rejection
from abnforge.text import escape

with lazy:
    from abnforge.parsing.recognizer import machine

# Maximum number of characters of a witness in output. Most witnesses are short, but those of counting rules
# can be long.
MAX_SHOWN = 200

# Steps for a match of a short string, and for each of its characters.
_SENTENCE_COST = 100
_CHARACTER_COST = 20

# Maximum number of examples of one region, and of candidates for them.
MAX_EXAMPLES = 5
MAX_CANDIDATES = 200

# Steps for the explanation of a short string, and the share of a budget for examples of one region.
_EXPLANATION_COST = 5_000
EXAMPLES_SHARE = 0.05

# The shares of a budget for a search of short strings, and for the structure of two rules.
FIRST_SHARE = 0.05
STRUCTURE_SHARE = 0.2

# A relation that the budget does not decide, for rules without an automaton. Whether two grammars derive
# equal languages is undecidable in general (Bar-Hillel, Perles and Shamir 1961).
UNDECIDED = "undecided"

_REGIONS = {ONLY_LEFT: "only {left} matches", ONLY_RIGHT: "only {right} matches", BOTH: "both match"}

_BUILT = {
    ONLY_LEFT: "{right} matches every string of {left}",
    ONLY_RIGHT: "{left} matches every string of {right}",
    BOTH: "no string matches both",
}

_SENTENCES = {
    EQUAL: "{left} and {right} match the same strings",
    NARROWER: "{left} is narrower than {right}",
    WIDER: "{left} is wider than {right}",
    OVERLAP: "{left} and {right} overlap",
    DISJOINT: "no string matches both {left} and {right}",
    UNDECIDED: "the relation of {left} and {right} is undecided",
}


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Comparison(NotebookView):
    """The relation of two languages.

    ``relation`` is the relation of the left language to the right one: ``equal``, ``narrower`` (the right one
    contains the left one), ``wider``, ``overlap``, ``disjoint`` or ``undecided``. If the relation between
    recursive rules is undecided, ``bound`` describes the search. ``only_left``, ``only_right`` and ``common``
    are strings of those regions, or None. They are shortest strings if both rules are regular, or if a short
    search finds them. Any other string is shortened until no character can be deleted, within the budget.
    ``known_included`` is true for an undecided relation if the structure of the rules shows that the right
    rule matches all strings of the left one.
    """

    left: Rule
    right: Rule
    relation: str
    only_left: str | None
    only_right: str | None
    common: str | None
    bound: str | None = None
    known_included: bool = False

    @property
    def included(self) -> bool | None:
        """True if the right rule matches every string of the left one; None if unknown."""
        if self.only_left is not None:
            return False
        return True if self.known_included or self.relation != UNDECIDED else None

    def right_rejection(self) -> Rejection | None:
        """Explain why the right rule rejects ``only_left``; None without such a string."""
        return None if self.only_left is None else self.right.explain(self.right._as_input(self.only_left))

    def left_rejection(self) -> Rejection | None:
        """Explain why the left rule rejects ``only_right``; None without such a string."""
        return None if self.only_right is None else self.left.explain(self.left._as_input(self.only_right))

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data for ``json.dumps``. Its keys are stable."""
        return {
            "left": {"grammar": self.left.grammar.name, "rule": self.left.name},
            "right": {"grammar": self.right.grammar.name, "rule": self.right.name},
            "relation": self.relation,
            "only_left": witness(self.only_left, self.right_rejection()),
            "only_right": witness(self.only_right, self.left_rejection()),
            "common": self.common,
            "bound": self.bound,
        }

    def __str__(self) -> str:
        names = {"left": _name(self.left), "right": _name(self.right)}
        lines = [_SENTENCES[self.relation].format_map(names)]
        if self.bound is not None:
            lines.append(f"  tried: {self.bound}")
        for owner, text, rejection in (
            ("left", self.only_left, self.right_rejection()),
            ("right", self.only_right, self.left_rejection()),
        ):
            if text is not None and rejection is not None:
                lines.append(f"  only {names[owner]}: {quoted(text)} ({escape(reason(rejection))})")
        if self.common is not None and self.relation in (OVERLAP, UNDECIDED):
            lines.append(f"  both: {quoted(self.common)}")
        return "\n".join(lines)


def compare(a: Rule, b: Rule) -> Comparison:
    """Compare two rules, of one grammar or of two, and return their relation with witnesses.

    The result is exact if both are known to be regular. Then their automata are compared, at the cost of
    their product, a few milliseconds for URI rules. Otherwise, four steps follow until each region is
    decided. The first step searches short strings, and the second tries strings that cover each rule. The
    third proves from the structure of the rules that regions are empty. The last one searches within the
    budget of ``a``'s grammar. A relation that these steps do not show is ``undecided``. Rules that are
    written the same way, with all rules that they use, are equal without a search.

    Raises: LimitExceeded if two automata exceed that budget; GrammarError for a rule that needs a prose-val;
    ValueError for rules with different alphabets.
    """
    for name, rule in (("a", a), ("b", b)):
        instance_argument(rule, name, Rule, "a Rule")
    return compared(a, b, Correspondence(a.grammar.compilation, b.grammar.compilation))[0]


def compared(a: Rule, b: Rule, correspondence: Correspondence) -> tuple[Comparison, LimitExceeded | None]:
    """Compare two rules of the grammars of a correspondence as :func:`compare` does.

    The second value is the limit that ended the search if the relation is undecided.
    """
    if a.grammar.alphabet != b.grammar.alphabet:
        raise ArgumentError(message("rule-alphabets", rules=(a.name, b.name)))
    for rule in (a, b):
        rule.grammar.compilation.refuse_prose(rule.key)
    if correspondence.holds(a.key, b.key):
        return _shown(Comparison(a, b, EQUAL, None, None, correspondence.shortest(a.key))), None
    comparison, limit = _tried(a, b, correspondence)
    correspondence.learn(
        a.key,
        b.key,
        in_right=comparison.known_included or comparison.relation in (EQUAL, NARROWER),
        in_left=comparison.relation in (EQUAL, WIDER),
    )
    return _shown(comparison), limit


def _shown(comparison: Comparison) -> Comparison:
    """Return a comparison whose strings are inputs of the rules, so that bytes are shown as bytes."""

    def shown(text: str | None) -> str | None:
        return None if text is None else comparison.left._as_input(text)

    only_left, only_right, common = map(
        shown, (comparison.only_left, comparison.only_right, comparison.common)
    )
    return replace(comparison, only_left=only_left, only_right=only_right, common=common)


def _tried(a: Rule, b: Rule, correspondence: Correspondence) -> tuple[Comparison, LimitExceeded | None]:
    meter = a.grammar.compilation.budget.meter(f"comparing {a.name} and {b.name}", code="automaton-too-large")
    if a.regular and b.regular:
        strings = witnesses(a.automaton, b.automaton, meter)
        return Comparison(a, b, strings.relation, strings.only_left, strings.only_right, strings.common), None
    in_right, in_left = correspondence.contains(a.key, b.key)
    contained = {ONLY_LEFT: in_right, ONLY_RIGHT: in_left}
    return _explored(a, b, meter, {region for region, is_empty in contained.items() if is_empty})


def _explored(
    a: Rule, b: Rule, meter: Meter, empty: AbstractSet[Region] = frozenset()
) -> tuple[Comparison, LimitExceeded | None]:
    """Compare two rules string by string; ``empty`` contains regions that are known to be empty."""
    strings: dict[Region, str] = {}
    with a.grammar.readers.taken() as left, b.grammar.readers.taken() as right:
        one, other = (
            # A machine reads definitions; a set expression of rules only has an automaton.
            machine.ConfigurationWalk(readers.machine, rule.key)
            if expression_of(rule) is None
            else TableDFA(rule.automaton)
            for rule, readers in ((a, left), (b, right))
        )

        def missing() -> list[Region]:
            return [region for region in REGIONS if region not in empty and region not in strings]

        def search(limited: Meter) -> Stopped | None:
            found, stopped = product_search(one, other, limited, missing())
            strings.update(found)
            return stopped

        # The cheapest step that decides a region comes first: short strings, strings that cover each rule,
        # then a proof.
        stopped = search(meter.share(meter.operation, FIRST_SHARE))
        if stopped is not None and missing():
            _try_sentences(a, b, strings, missing())
            if missing():
                structure = meter.share(meter.operation, STRUCTURE_SHARE)
                empty = empty | provably_empty_regions(a, b, structure, missing())
            stopped = search(meter) if missing() else None
    only_left, only_right, common = map(strings.get, REGIONS)
    if stopped is None or not missing():
        relation = Witnesses(only_left, only_right, common).relation
        return Comparison(a, b, relation, only_left, only_right, common), None
    bound = _bound(a, b, missing(), [region for region in REGIONS if region in empty], stopped)
    comparison = Comparison(a, b, UNDECIDED, only_left, only_right, common, bound, ONLY_LEFT in empty)
    return comparison, stopped.limit


def _try_sentences(a: Rule, b: Rule, strings: dict[Region, str], missing: Sequence[Region]) -> None:
    """Add strings of the missing regions, shortened from strings that cover each rule.

    Even a shortest date, for example, is too long to try all strings of its length.
    """
    meter = a.grammar.compilation.budget.meter(
        f"matching strings of {a.name} and {b.name} with the other rule"
    )

    def region_of(text: str) -> Region:
        meter.charge(_SENTENCE_COST + _CHARACTER_COST * len(text))
        return a._is_match(text), b._is_match(text)

    def is_in(region: Region, text: str) -> bool:
        return region_of(text) == region

    with suppress(LimitExceeded):
        for rule in (a, b):
            texts: set[str] = set()
            for text in source_of(rule).systematic(rule.key):
                meter.charge(1 + len(text) // 10)
                texts.add(text)
            for text in sorted(texts, key=lambda text: (len(text), text)):
                if all(region in strings for region in missing):
                    break
                region = region_of(text)
                if region in missing:
                    strings.setdefault(region, text)
        for region in missing:
            if region in strings:
                for text in _shortened(strings[region], partial(is_in, region)):
                    strings[region] = text


def _shortened(text: str, keeps: Callable[[str], bool]) -> Iterator[str]:
    """Yield ever shorter strings that ``keeps`` accepts; no character of the last one can be deleted.

    Complexity: at most quadratic in the string, usually linear (Zeller and Hildebrandt 2002).
    """
    size = len(text)
    while size:
        before = text
        for start in range(len(text) - size, -1, -size):
            shorter = text[:start] + text[start + size :]
            if keeps(shorter):
                text = shorter
                yield text
        size = 1 if size == 1 and text != before else size // 2


def _bound(a: Rule, b: Rule, missing: list[Region], empty: list[Region], stopped: Stopped) -> str:
    left, right = _told_apart(a, b)
    regions = " or that ".join(_REGIONS[region].format(left=left, right=right) for region in missing)
    built = " and ".join(_BUILT[region].format(left=left, right=right) for region in empty)
    structure = f"; by their structure, {built}" if built else ""
    return (
        f"all strings of up to {stopped.length} characters (one character for each class), and strings that "
        f"cover each rule; found no string that {regions}{structure}; {stopped.limit}"
    )


def other_examples(comparison: Comparison) -> tuple[list[Rejection], list[Rejection]]:
    """Return rejections that show more causes of a difference: by the right rule, then by the left one.

    Their inputs are short strings that only the opposite rule matches. Each rejection differs in its code or
    in its innermost rule from the rejection of the comparison's own string and from all others. For regular
    rules, the candidates leave the language at every place; for others, they cover the opposite rule.

    Cost: up to ``EXAMPLES_SHARE`` of the budget for each list of at most ``MAX_EXAMPLES`` - 1 rejections.
    """
    left, right = comparison.left, comparison.right
    return (
        _other_rejections(left, right, comparison.right_rejection()),
        _other_rejections(right, left, comparison.left_rejection()),
    )


def _other_rejections(own: Rule, other: Rule, first: Rejection | None) -> list[Rejection]:
    if first is None:
        return []
    rejections = {_cause(first): first}
    meter = own.grammar.compilation.budget.meter(f"examples of {own.name}").share("examples", EXAMPLES_SHARE)
    with suppress(LimitExceeded):
        for text in _candidates(own, other, meter):
            meter.charge(_SENTENCE_COST + _CHARACTER_COST * len(text))
            if not other._is_match(text):
                meter.charge(_EXPLANATION_COST)
                rejection = other.explain(other._as_input(text))
                assert rejection is not None
                rejections.setdefault(_cause(rejection), rejection)
                if len(rejections) == MAX_EXAMPLES:
                    break
    return list(rejections.values())[1:]


def _candidates(own: Rule, other: Rule, meter: Meter) -> Iterable[str]:
    """Return strings of a rule that another one might reject for different causes, short ones first."""
    if not (own.regular and other.regular):
        texts = []
        for text in source_of(own).systematic(own.key):
            meter.charge(1 + len(text) // 10)
            texts.append(text)
        return sorted(texts, key=lambda text: (len(text), text))
    by_character: dict[str, list[str]] = {}
    for character, text in islice(departures(own.automaton, other.automaton, meter), MAX_CANDIDATES):
        by_character.setdefault(character, []).append(text)
    # Different characters often have different causes, so each character has its turn.
    turns = zip_longest(*by_character.values())
    return dict.fromkeys(text for turn in turns for text in turn if text is not None)


def _cause(rejection: Rejection) -> tuple[str, str, tuple[Expected, ...]]:
    """Return the code and the innermost rule of a rejection's most likely mistake.

    Without a mistake, the expected characters are part of the cause.
    """
    path = rejection.hypotheses[0].rule_path if rejection.hypotheses else rejection.rule_path
    expected = rejection.expected if rejection.code.startswith(UNREADABLE) else ()
    return rejection.code, path[-1], expected


def quoted(text: str) -> str:
    """Return a witness in quotes, safe for a terminal, and only the beginning of a long one.

    A backslash is doubled, so that it differs from the escape of a line break. Single quotes surround double
    quotes; if the string has both, double quotes are escaped.
    """
    shown = escape(type(text)(text[:MAX_SHOWN]), doubled=True)
    quote = "'" if '"' in shown and "'" not in shown else '"'
    if quote == '"':
        shown = shown.replace('"', '\\"')
    return (
        f"{quote}{shown}{quote}"
        if len(text) <= MAX_SHOWN
        else f"{quote}{shown}...{quote} ({len(text)} characters)"
    )


def reason(rejection: Rejection) -> str:
    """Return the message of a rejection: the most likely mistake."""
    return rejection.hypotheses[0].message if rejection.hypotheses else rejection.message


def _told_apart(a: Rule, b: Rule) -> tuple[str, str]:
    """Return names of two rules that differ: the shortest ones that do."""
    names = ((a.name, b.name), (_name(a), _name(b)), (f"the left {a.name}", f"the right {b.name}"))
    return next(pair for pair in names if pair[0] != pair[1])


def _name(rule: Rule) -> str:
    return f"{rule.name} ({escape(rule.grammar.name)})"


def witness(text: str | None, rejection: Rejection | None) -> dict[str, Any] | None:
    """Return a string of one language with the rejection of the other."""
    return None if text is None or rejection is None else {"text": text, "rejection": rejection.to_dict()}
