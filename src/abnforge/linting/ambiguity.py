"""Findings about ambiguity: alternatives that share strings, boundaries with more than one possible place.

Each choice and each sequence of a rule is checked separately. So a finding names the place where two
derivations diverge, and does not blame a rule for the rules that it uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from abnforge.automata.algebra import Overlaps, preference
from abnforge.automata.derivatives import Derivatives
from abnforge.automata.dfa import character_classes
from abnforge.automata.words import spellings
from abnforge.budget import Meter
from abnforge.catalog import Message
from abnforge.errors import LimitExceeded
from abnforge.grammar.core import Core, Node, Ref, Repeat, choice, lower_alternation
from abnforge.grammar.facts import Facts, LanguageBounds, bounds_of, max_fanout, walk
from abnforge.grammar.syntax import Alternation, BoundGrammar, BoundRule, Concatenation, Repetition
from abnforge.linting.finding import Finding, concatenations, inside, label, make, own_alternatives, own_rules
from abnforge.linting.messages import message
from abnforge.linting.recursion import as_repetition, is_itself
from abnforge.text import Span, quoted

# Maximum number of alternatives of one choice that are compared with each other, since the number of pairs is
# quadratic. Any number of literals is compared by one search.
MAX_ALTERNATIVES = 300

# Shares of the lint budget for all searches and for one search. The grammar of RFC 3986 needs some
# thousand steps.
ALL_SHARE = 0.5
ONE_SHARE = 0.4

# Shares for languages that may not be regular: most such searches do not end, each step costs more than the
# previous one, and examples, if any, are found early.
ALL_OPEN_SHARE = 0.25
ONE_OPEN_SHARE = 0.08

# Maximum number of next characters of a state, since each step of a search follows all of them. RFC 9051 has
# 1,408.
MAX_FANOUT = 2_000

MAX_NAMES_SHOWN = 6  # maximum number of rules that a message lists


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a rule that is checked as a separate rule, with the name ``key``."""

    key: str
    text: str
    span: Span
    shape: LanguageBounds


@dataclass(frozen=True, slots=True)
class _Clash:
    """An alternative, and the earlier ones that may share a string with it; ``union`` is their union."""

    later: _Part
    earlier: Sequence[_Part]
    union: str


@dataclass(frozen=True, slots=True)
class _Choice:
    """The clashes among the alternatives of a choice; ``left_out`` says whether some were not compared."""

    clashes: Sequence[_Clash]
    left_out: bool

    @property
    def parts(self) -> Iterator[_Part]:
        return (part for clash in self.clashes for part in (clash.later, *clash.earlier))


@dataclass(frozen=True, slots=True)
class _Border:
    """A part and its continuation: the rest of the sequence, or more ``rounds`` of a repetition."""

    left: _Part
    right: _Part
    rounds: bool


def ambiguities(
    grammar: BoundGrammar, facts: Facts, bodies: Mapping[str, Node], meter: Meter
) -> Iterator[Finding]:
    """Yield ``ambiguous``, ``shadowed-alternative``, ``check-incomplete`` and ``search-ended``, in any order.

    ``bodies`` are the recursion-free bodies of regular rules. If the shares of ``meter`` are exceeded, a
    finding names the parts that were not searched.
    """
    return _Checks(grammar, facts, bodies, meter).findings()


class _Checks:
    """The checks of one grammar; each part to check becomes a rule of an extended grammar."""

    def __init__(self, grammar: BoundGrammar, facts: Facts, bodies: Mapping[str, Node], meter: Meter) -> None:
        self._grammar = grammar
        self._make = partial(make, grammar.source)
        self._bodies = bodies
        self._cycles = facts.cycles
        self._shapes = facts.language_bounds
        self._nodes: dict[str, Node] = {**facts.core.rules, **bodies}
        self._questions = [(rule, list(self._of_rule(rule))) for _, rule in own_rules(grammar)]
        extended = Core(self._nodes, facts.core.names)
        self._facts = Facts(extended)
        self._closures = max_fanout(self._facts, MAX_FANOUT)
        pairs = [(preference(charset), charset) for charset in character_classes(self._nodes.values())]
        self._symbols = [char for (_, char), _ in sorted(pairs, key=lambda pair: pair[0])]
        derivatives = Derivatives(self._facts, marks=False)
        exact = meter.share("the whole search", ALL_SHARE)
        other = meter.share("the search of recursive rules", ALL_OPEN_SHARE)
        self._exact = Overlaps(derivatives, exact, ONE_SHARE)
        self._open = Overlaps(derivatives, other, ONE_OPEN_SHARE)

    # The checks of a rule

    def _of_rule(self, rule: BoundRule) -> Iterator[_Choice | _Border]:
        own = own_alternatives(rule)
        yield from self._of_choice(
            rule, rule.elements.alternatives, len(rule.elements.alternatives) - len(own)
        )
        for alternative in concatenations(own):
            for index, item in enumerate(alternative.items):
                yield from self._of_item(item, alternative.items[index + 1 :])
                inner = inside(item.element)
                if inner is not None:
                    yield from self._of_choice(rule, inner.alternatives)

    def _of_choice(
        self, rule: BoundRule, alternatives: Sequence[Concatenation], foreign: int = 0
    ) -> Iterator[_Choice]:
        """Yield choices that may be ambiguous; the first ``foreign`` alternatives belong to another text."""
        if len(alternatives) < 2:
            return
        nodes = [lower_alternation(Alternation((alternative,))) for alternative in alternatives]
        pairs, left_out = self._may_clash(nodes)
        if not pairs and not left_out:
            return
        parts: dict[int, _Part] = {}

        def part(number: int) -> _Part:
            known_part = parts.get(number)
            if known_part is None:
                node, shape = nodes[number], bounds_of(nodes[number], self._shapes)
                if number < foreign:
                    known_part = _Part(self._name(node), "the base definition", rule.rule.name_span, shape)
                else:
                    known_part = self._part(node, alternatives[number].span, shape)
                parts[number] = known_part
            return known_part

        clashes = []
        for later, earlier in pairs:
            before = [part(number) for number in earlier]
            several = len(before) > 1
            union = self._name(choice(nodes[n] for n in earlier)) if several else before[0].key
            clashes.append(_Clash(part(later), before, union))
        yield _Choice(clashes, left_out)

    def _may_clash(self, nodes: Sequence[Node]) -> tuple[list[tuple[int, list[int]]], bool]:
        """Return alternatives, each with the earlier ones that may share a string with it.

        The flag says whether some alternatives were not compared.
        """
        spelt = spellings(nodes)
        first: dict[str, int] = {}
        compared = min(len(nodes), MAX_ALTERNATIVES)
        bounds = [bounds_of(node, self._shapes) for node in nodes[:compared]]
        pairs = []
        for later in range(len(nodes)):
            literal = later in spelt
            earlier = [
                number
                for number in range(later if later < compared else 0)
                if not (literal and number in spelt) and bounds[number].may_share(bounds[later])
            ]
            if literal and (same := first.setdefault(spelt[later], later)) != later:
                earlier = sorted((*earlier, same))
            if earlier:
                pairs.append((later, earlier))
        return pairs, compared < len(nodes) and len(spelt) < len(nodes)

    def _of_item(self, item: Repetition, rest: tuple[Repetition, ...]) -> Iterator[_Border]:
        """Yield the boundary between an item and those after it, and between the rounds of a repetition."""
        if rest:
            left = self._lower(item)
            right = self._lower(*rest)
            yield from self._border(
                left, item.span, right, Span(rest[0].span.start, rest[-1].span.end), False
            )
        if item.max is None or item.max > 1:
            node = self._lower(Repetition(item.element))
            # An unlimited repetition of an item that may be empty is another finding.
            if item.max is not None or not bounds_of(node, self._shapes).nullable:
                more = Repeat(node, max(0, item.min - 1), None if item.max is None else item.max - 1)
                yield from self._border(node, item.element.span, more, item.span, True)

    def _border(self, left: Node, at: Span, right: Node, behind: Span, rounds: bool) -> Iterator[_Border]:
        shape, following = bounds_of(left, self._shapes), bounds_of(right, self._shapes)
        if shape.may_grow(following):
            yield _Border(self._part(left, at, shape), self._part(right, behind, following), rounds)

    def _lower(self, *items: Repetition) -> Node:
        return lower_alternation(Alternation((Concatenation(items),)))

    def _part(self, node: Node, span: Span, shape: LanguageBounds) -> _Part:
        return _Part(self._name(node), label(self._grammar.source, span), span, shape)

    def _name(self, node: Node) -> str:
        key = f"part {len(self._nodes)}"  # rule names cannot contain a space
        self._nodes[key] = node
        return key

    # The findings

    def findings(self) -> Iterator[Finding]:
        incomplete: dict[tuple[str, str], list[BoundRule]] = {}
        for rule, questions in self._questions:
            reasons = dict.fromkeys(reason for question in questions for reason in self._too_large(question))
            for question in questions:
                if self._is_huge(question):
                    reasons[message("search-starts")] = None
                    continue
                try:
                    if isinstance(question, _Choice):
                        yield from self._ask_choice(rule, question)
                    else:
                        yield from self._ask_border(rule, question)
                except LimitExceeded as limit:
                    reasons[limit.message] = None
            # For rules that are not regular, a search may not end, whatever the budget.
            name = "check-incomplete" if rule.name.lower() in self._bodies else "search-ended"
            for reason in reasons:
                incomplete.setdefault((name, reason), []).append(rule)
        for (name, reason), rules in incomplete.items():
            yield self._incomplete(name, reason, rules)

    def _is_huge(self, question: _Choice | _Border) -> bool:
        parts = question.parts if isinstance(question, _Choice) else (question.left, question.right)
        return any(self._closures[part.key] >= MAX_FANOUT for part in parts)

    def _too_large(self, question: _Choice | _Border) -> Iterator[str]:
        if isinstance(question, _Choice) and question.left_out:
            yield message("search-alternatives", limit=MAX_ALTERNATIVES)

    def _incomplete(self, name: str, reason: str, rules: Sequence[BoundRule]) -> Finding:
        first, *others = rules
        return self._make(
            first.name,
            first.rule.name_span,
            message("search-incomplete", rules=tuple(rule.name for rule in rules), reason=reason),
            related=[
                (rule.rule.name_span, message("search-incomplete-too", rule=rule.name))
                for rule in others[: MAX_NAMES_SHOWN - 1]
            ],
            kind=name,
        )

    def _ask_choice(self, rule: BoundRule, choice: _Choice) -> Iterator[Finding]:
        limit: LimitExceeded | None = None
        for clash in choice.clashes:
            later = clash.later
            shared: list[tuple[str, _Part]] = []
            others = [earlier for earlier in clash.earlier if not self._comes_back(rule, earlier)]
            for earlier in others:
                try:
                    witness = self._search(later, earlier).intersection_witness(
                        later.key,
                        earlier.key,
                        [char for char in self._of(later) if char in earlier.shape.alphabet],
                    )
                except LimitExceeded as error:
                    limit = error
                    continue
                if witness is not None:
                    shared.append((witness, earlier))
            if shared:
                witness, earlier = min(shared, key=lambda pair: len(pair[0]))
                if len(others) == len(clash.earlier) and self._is_covered(later, clash.union):
                    yield self._shadowed(rule, later, [part for _, part in shared], witness)
                else:
                    yield self._shared(rule, earlier, later, witness)
        if limit is not None:
            raise limit

    def _comes_back(self, rule: BoundRule, part: _Part) -> bool:
        """Return whether an alternative derives the rule itself and nothing else.

        Such an alternative matches the strings of the others, but does not shadow them.
        """
        cycle = self._cycles.get(rule.name.lower(), frozenset())
        return any(isinstance(node, Ref) and node.key in cycle for node in walk(self._nodes[part.key]))

    def _ask_border(self, rule: BoundRule, border: _Border) -> Iterator[Finding]:
        left, right = border.left, border.right
        symbols = [
            char for char in self._symbols if char in left.shape.alphabet or char in right.shape.alphabet
        ]
        split = self._search(left, right).ambiguous_split(left.key, right.key, symbols)
        if split is None:
            return
        u, v, w = split
        if border.rounds:
            rest = f"further {left.text}"
            problem = message("ambiguous-repetition", string=u + v + w, element=left.text)
        else:
            rest = right.text
            problem = message("ambiguous-parts", string=u + v + w, left=left.text, right=right.text)
        yield self._make(
            rule.name,
            right.span if border.rounds else Span(left.span.start, right.span.end),
            problem,
            related=[] if border.rounds else [(right.span, message("second-part"))],
            witness=u + v + w,
            derivations=tuple(
                f"({rule.name} ({left.text} {quoted(head)})"
                + (f" ({rest} {quoted(tail)})" if tail or not border.rounds else "")
                + ")"
                for head, tail in ((u + v, w), (u, v + w))
            ),
            fix=self._fix_of_border(rule, border),
        )

    def _fix_of_border(self, rule: BoundRule, border: _Border) -> Message:
        """Return the fix for a boundary: a repetition if the rule begins and ends its alternative."""
        key, left = rule.name.lower(), border.left.span
        for alternative in own_alternatives(rule):
            first, last = alternative.items[0], alternative.items[-1]
            is_around = alternative.span.start <= left.start < alternative.span.end
            if is_around and len(alternative.items) > 1 and is_itself(first, key) and is_itself(last, key):
                repetition = as_repetition(self._grammar, key, rule)
                if repetition is not None:
                    return message("ambiguous-recursion-fix", repetition=repetition)
        if border.rounds:
            is_nullable = border.left.shape.nullable
            return message("nullable-loop-fix" if is_nullable else "ambiguous-repetition-fix")
        return message("ambiguous-option-fix" if self._is_option(border.left) else "ambiguous-parts-fix")

    def _is_option(self, part: _Part) -> bool:
        """Return whether a part is optional, and has one length if it is present."""
        node = self._nodes[part.key]
        if isinstance(node, Ref):
            node = self._nodes[node.key]
        if not isinstance(node, Repeat) or (node.min, node.max) != (0, 1):
            return False
        return bounds_of(node.item, self._shapes).length is not None

    def _shadowed(self, rule: BoundRule, later: _Part, earlier: Sequence[_Part], witness: str) -> Finding:
        facts = {"alternative": later.text, "string": witness}
        is_same = any(part.text == later.text for part in earlier)
        return self._make(
            rule.name,
            later.span,
            message("shadowed-alternative-by-several", **facts)
            if len(earlier) > 1
            else message("shadowed-alternative-literal", alternative=later.text, other=earlier[0].text)
            if later.text[0] in '"%'
            else message("shadowed-alternative", other=earlier[0].text, **facts),
            related=[(part.span, message("winning-alternative")) for part in earlier],
            witness=witness,
            derivations=self._two(rule, earlier[0], later, witness) if len(earlier) == 1 else (),
            fix=message("duplicate-alternative-fix" if is_same else "shadowed-alternative-fix"),
        )

    def _shared(self, rule: BoundRule, earlier: _Part, later: _Part, witness: str) -> Finding:
        return self._make(
            rule.name,
            later.span,
            message("ambiguous-alternatives", first=earlier.text, second=later.text, string=witness),
            related=[(earlier.span, message("winning-alternative"))],
            witness=witness,
            derivations=self._two(rule, earlier, later, witness),
            fix=message("ambiguous-alternatives-fix"),
        )

    def _two(self, rule: BoundRule, earlier: _Part, later: _Part, witness: str) -> tuple[str, ...]:
        return tuple(f"({rule.name} ({part.text} {quoted(witness)}))" for part in (earlier, later))

    def _is_exact(self, key: str) -> bool:
        """Return whether all strings of a part are known: it is regular, and without prose."""
        return all(k in self._bodies for k in self._facts.references[key]) and self._facts.prose(key) is None

    def _is_covered(self, part: _Part, union: str) -> bool:
        """Return whether the union is known to derive every string of a part."""
        if not (self._is_exact(part.key) and self._is_exact(union)):
            return False
        return self._exact.difference_witness(part.key, union, self._of(part)) is None

    def _search(self, one: _Part, other: _Part) -> Overlaps:
        return self._exact if self._is_exact(one.key) and self._is_exact(other.key) else self._open

    def _of(self, part: _Part) -> list[str]:
        return [char for char in self._symbols if char in part.shape.alphabet]
