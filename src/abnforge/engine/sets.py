"""Compile the rules that set algebra defines, and match, parse and explain strings with them.

Such a rule has its own grammar, which also contains the rules that its trees and rejections name; those
remain rules of their grammars. Its automaton determines the offset and the expected characters of a
rejection. The mistake comes from the operand that rejects the string. If an operand matches a string that the
operation excludes, the code is that of the exclusion.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from abnforge._arguments import InputText, Text
from abnforge._lazy import cached_property, lazy
from abnforge.budget import Budget, Meter
from abnforge.catalog import ArgumentError
from abnforge.charset import UNICODE, CharSet
from abnforge.engine.compilation import Compilation
from abnforge.engine.rule import AND, NOT, OR, Matcher, Rule, matches_within
from abnforge.engine.set_algebra import ExclusionMessage, SetExpression, base_of
from abnforge.engine.stores import Store, expression_of_states
from abnforge.errors import LimitExceeded
from abnforge.grammar.core import Core, Node, Prose, Ref, choice
from abnforge.grammar.syntax import (
    Alternation,
    BoundGrammar,
    BoundRule,
    Concatenation,
    ProseVal,
    Repetition,
    RuleDefinition,
)
from abnforge.messages import message
from abnforge.rejection import CODE_POINTS, NOT_UTF8, Expected, Hypothesis, LazyFacts, Rejection, Suggestion

with lazy:
    import dataclasses

    from abnforge.automata import algebra, dfa
    from abnforge.engine import readers
    from abnforge.explain import codes as explain_codes
    from abnforge.explain import rule_paths
    from abnforge.regex import ast, errors, from_rule, messages

if TYPE_CHECKING:
    from abnforge.automata.code_points import CodePointDFA
    from abnforge.engine.grammar import Grammar
    from abnforge.explain.codes import Code
    from abnforge.parsing.lark import RuleParser
    from abnforge.parsing.trace import ParseTree


def set_rule(
    operation: str,
    left: Rule,
    right: Rule | None = None,
    *,
    longest: int | None = None,
    exclusion: ExclusionMessage | None = None,
    title: str | None = None,
) -> Rule:
    """Return the rule of a set operation; the arguments are those of ``SetExpression``."""
    expression = SetExpression(operation, left, right, longest, exclusion, title)
    return set_grammar(expression)[expression.name]


def set_grammar(expression: SetExpression) -> Grammar:
    """Return the grammar of the rule that an expression defines."""
    kind = type(expression.left.grammar)  # avoids a circular import
    store = SetStore(expression)
    budget = expression.left.grammar.compilation.budget
    compilation = Compilation(_bound_grammar(expression, store.others), budget, store=store)
    return kind(compilation, (set_grammar, (expression,)), store.rules)


class SetStore(Store):
    """The rule that an expression defines, and the rules that its trees and rejections name.

    Set algebra builds the automaton of the rule. The other rules are compiled by their own grammars.
    """

    def __init__(self, expression: SetExpression) -> None:
        self.expression = expression
        self.others = expression.others
        self.key = self.defined = expression.name.lower()

    def rules(self, grammar: Grammar) -> Mapping[str, Rule]:
        """Return the rules of the grammar by key."""
        return {self.key: SetRule(grammar, self.key), **self.others}

    def core(self, bound: BoundGrammar) -> Core:
        """Return the core form; the definition of the rule itself is a prose-val."""
        rules: dict[str, Node] = {self.key: Prose(self.expression.meaning)}
        rules |= {key: rule.grammar.core.rules[key] for key, rule in self.others.items()}
        return Core(rules, {key: rule.name for key, rule in bound.rules.items()})

    def automaton(self, key: str, meter: Meter, quick: bool) -> dfa.Automaton:
        if key != self.key:
            automaton: dfa.Automaton = self.others[key].grammar.compilation.small_automaton(key)
            return automaton
        return self.expression.build(meter.share(meter.operation, dfa.QUICK_SHARE) if quick else meter)

    def bodies(self, compilation: Compilation) -> Mapping[str, Node]:
        """Return the body of the rule and the bodies that it refers to.

        It is a choice of operands, the automaton's expression, or a restricted operand.
        """
        left = self.expression.left
        if self.expression.operation == OR and left._expression is None and self.expression.is_of_one_grammar:
            union = choice(Ref(operand.key) for operand in self.expression.operands)
            return {**left.grammar.compilation.bodies, self.key: union}
        try:
            automaton = compilation.small_automaton(self.key)
            if not automaton.table:
                raise errors.UnsafeError(messages.message("regex-empty"))
            try:
                return {self.key: expression_of_states(automaton)}
            except errors.TooLargeError:
                restricted = self._restricted(compilation.budget)
                if restricted is None:
                    raise
                return restricted
        except LimitExceeded as error:
            raise errors.TooLargeError(error.message) from None

    def _restricted(self, budget: Budget) -> Mapping[str, Node] | None:
        """Return the bodies of the restricted rule's grammar, and its restricted expression, or None.

        Raises TooLargeError, LimitExceeded.
        """
        root = base_of(self.expression.left)
        if root is None or self.expression.bound is not None:
            return None
        operation = f"pattern of {self.expression.name}"
        meter = budget.meter(operation).share(operation, dfa.QUICK_SHARE)
        by = self.expression.narrowing(meter)
        bodies = root.grammar.compilation.bodies
        if by is None or root.key not in bodies:  # its automaton is too large for an expression
            return None
        restricted = from_rule.intersect(from_rule.regex_tree(bodies, root.key), by, meter)
        return None if restricted is None else {**bodies, self.key: ast.to_core(restricted)}

    def tagged(
        self,
        compilation: Compilation,
        parts: Mapping[str, tuple[str, ...]],
        kinds: Mapping[str, tuple[str, ...]],
    ) -> CodePointDFA | None:
        """Restrict the left operand's tagged automaton to this rule, or return None if it is not a subset."""
        expression = self.expression
        if not expression.is_narrower:
            return None
        points = expression.left.grammar.compilation.tagged(expression.left.key, parts, kinds)
        meter = compilation.budget.meter(f"tagged automaton of {expression.name}")
        try:
            return points and algebra.intersect(points, compilation.small_automaton(self.key), meter)
        except LimitExceeded:
            return None

    @cached_property
    def codes(self) -> Mapping[str, Code]:
        """The codes of the operands that explain rejections, and the code of the exclusion."""
        expression = self.expression
        codes: dict[str, Code] = {}
        if expression.operation == NOT:
            codes[NOT_UTF8] = expression.left.grammar.codes[NOT_UTF8]
        else:
            for operand in expression.operands if expression.operation == OR else (expression.left,):
                codes = {**operand.grammar.codes, **codes}
        if expression.operation != OR:
            exclusion = expression.exclusion_message
            codes[exclusion.code] = explain_codes.Code(
                exclusion.code, exclusion.meaning, exclusion.part, component=exclusion.part
            )
        return explain_codes.Codes(codes.values())


class SetRule(Rule):
    """A rule that set algebra defines; its operands match, parse and explain strings."""

    @cached_property
    def _expression(self) -> SetExpression:
        store = self._compilation.store
        assert isinstance(store, SetStore)
        return store.expression

    @property
    def uses(self) -> tuple[str, ...]:
        """The names of the operands."""
        return tuple(dict.fromkeys(operand.name for operand in self._expression.operands))

    @cached_property
    def recursive(self) -> bool:
        return any(operand.recursive for operand in self._expression.operands)

    @cached_property
    def lark(self) -> RuleParser:
        """Raise ValueError, since only the operands support this."""
        raise self._undefined("a Lark grammar")

    @property
    def lark_text(self) -> str:
        """Raise ValueError, since only the operands support this."""
        raise self._undefined("a Lark grammar")

    def _undefined(self, what: str) -> ArgumentError:
        operands = (base_of(self),) if self._expression.is_narrower else self._expression.operands
        names = tuple(operand.name for operand in operands if operand is not None)
        return ArgumentError(message("rule-combined", rule=self.name, operands=names, what=what))

    def _derives(self, text: str, engine: str) -> bool:
        return self._expression.derives(text, engine)

    def _derives_pieces(self, pieces: Iterable[str]) -> bool:
        return self.bounded.accepts(pieces)

    def _fast_in_python(self, slow: Matcher) -> Matcher | None:
        if self._expression.bound is None:
            return super()._fast_in_python(slow)
        rule, longest = self._expression.bound
        return partial(matches_within, longest, rule._is_match, slow)

    def parse(self, text: Text, *, engine: str = "auto") -> ParseTree:
        """Return the tree from the first operand that matches the string."""
        return self._operand(text, engine).parse(text, engine=engine)

    def events(self, text: Text, *, engine: str = "auto") -> list[tuple[str, int, int]]:
        """Return the events from the first operand that matches the string."""
        return self._operand(text, engine).events(text, engine=engine)

    def _operand(self, text: Text, engine: str) -> Rule:
        """Return the operand that provides the string's tree. Raises Rejected."""
        string = self._input(text)
        self._engine_name(engine)
        if not self._matches(text, engine=engine):
            raise self._rejected(text, engine)
        return self._expression.parsed_by(string.text, engine)

    def _derivations(self, string: InputText, limit: int | None) -> Iterator[ParseTree]:
        if string.broken is not None or not self._is_match(string.text):
            return iter(())
        return self._expression.parsed_by(string.text, "auto")._derivations(string, limit)

    def _count_derivations(self, string: InputText) -> int | float:
        if string.broken is not None or not self._is_match(string.text):
            return 0
        return self._expression.parsed_by(string.text, "auto")._count_derivations(string)

    @cached_property
    def bounded(self) -> dfa.Bounded:
        """The automaton, including the bound, that finds the longest viable prefix. Raises LimitExceeded."""
        bound = self._expression.bound
        return dfa.Bounded(self.automaton) if bound is None else dfa.Bounded(bound[0].automaton, bound[1])

    def _viable(self, text: str) -> int:
        """Return the length of the longest viable prefix.

        Raises LimitExceeded. Cost: linear.
        """
        bound = self._expression.bound
        table = self._compilation.table(self._key)
        if table is None and bound is not None:
            table = bound[0].grammar.compilation.table(bound[0].key)
        if table is not None:
            offset: int = table.read(text)[0]
            if bound is None or offset + self.bounded.furthest <= bound[1]:  # the bound is not reached
                return offset
        return self.bounded.read(text)[0]

    def _explain_rejected(self, string: InputText, suggest: bool, hypotheses: int) -> Rejection | None:
        return self._explain_excluded(string, suggest, hypotheses, "auto")

    def _explain(
        self, string: InputText, suggest: bool, hypotheses: int, engine: str, name: str
    ) -> Rejection | None:
        if string.broken is None and self._derives(string.text, engine):
            return None
        return self._explain_excluded(string, suggest, hypotheses, engine)

    def _explain_excluded(self, string: InputText, suggest: bool, hypotheses: int, engine: str) -> Rejection:
        """Return the rejection of a string that the rule rejects."""
        text = string.text
        prefix = text[: string.broken]
        offset = self._viable(prefix)
        broken = string.broken is not None and offset == len(prefix)
        reason = self._exclusion(text) if broken else _reason(self, text, suggest, hypotheses, engine)
        rejection = reason._with_other_facts(
            LazyFacts(partial(self._facts, prefix[:offset], reason)),
            grammar=self.grammar.name,
            rule=self.name,
            input=text,
            offset=offset,
            found=text[offset] if offset < len(text) else None,
            section=reason.section,
            suggestion=None,
            offset_unit=CODE_POINTS,
            alphabet=UNICODE,
        )
        if broken:
            return readers.not_utf8(rejection, text, offset).to_byte_offsets()
        if suggest:
            rejection._defer_suggestion(lambda *_: self._suggestion_of(reason))
        return self._located(rejection, string)

    def _suggestion_of(self, reason: Rejection) -> Suggestion | None:
        suggestion = reason.suggestion
        return suggestion if suggestion is not None and self._is_match(suggestion.text) else None

    def _facts(self, prefix: str, reason: Rejection) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the facts about the characters after the longest viable prefix."""
        _, allowed, may_end = self.bounded.read(prefix)
        expected: tuple[Expected, ...] = ()
        if allowed:
            expected = tuple(dict.fromkeys(_expected(self, prefix, allowed)))
            expected = expected or (Expected(self.name, allowed.to_class()),)
        return {"expected": expected, "rule_path": reason.rule_path, "end_expected": may_end}, {}

    def _exclusion(self, text: str) -> Rejection:
        """Return the rejection of a string that the left operand matches and the operation excludes.

        It does not contain facts about characters.
        """
        expression = self._expression
        exclusion = expression.exclusion_message
        place = exclusion.place(text) if expression.longest is None else (expression.longest, len(text))
        problem = exclusion.message(text, place)
        if problem is None and expression.right is not None and expression.operation == AND:
            other = expression.right.explain(expression.right._as_input(text), suggest=False, hypotheses=1)
            if other is not None:
                place = other.span
                problem = message("set-outside-reason", rule=expression.right.name, reason=other.message)
        problem = problem or exclusion.meaning
        rule_path: tuple[str, ...] = (expression.first.name,)
        if place is not None and exclusion.part is not None:
            rule_path = (*rule_path, exclusion.part)
        start, end = place or (0, 0)
        hypothesis = Hypothesis(rule_path, start, end, (), problem, exclusion.code)
        return Rejection(
            grammar=self.grammar.name,
            rule=self.name,
            input=text,
            offset=0,
            found=None,
            expected=(),
            rule_path=rule_path,
            section=None,
            message=problem,
            hypotheses=(hypothesis,),
            code=exclusion.code,
            component=exclusion.part or self.name,
        )

    def _lesson(self, text: str, engine: str, name: str) -> rule_paths.Lesson | None:
        """Return the lesson from the left operand, if that rejects the string."""
        octets = self._as_input(text)
        rejection = self.explain(octets, engine=engine)
        if rejection is None:
            return None
        expression = self._expression
        lesson = expression.left.lesson(octets, engine=engine) if expression.is_narrower else None
        if lesson is None:
            return rule_paths.Lesson(rejection, (), self.grammar.codes.get(rejection.code), ())
        return dataclasses.replace(lesson, rejection=rejection)


def _reason(rule: Rule, text: str, suggest: bool, hypotheses: int, engine: str) -> Rejection:
    """Return the rejection of a string with its mistake, but without the facts.

    If the left operand rejects the string, the mistake comes from that operand. For a union, it comes from
    the operand with the largest offset, preferably the first.
    """
    if not isinstance(rule, SetRule):
        rejection = rule.explain(rule._as_input(text), suggest=suggest, hypotheses=hypotheses, engine=engine)
        assert rejection is not None, "the engines disagree"
        return rejection
    expression = rule._expression
    if expression.operation == OR:
        options: dict[str, Any] = {"suggest": suggest, "hypotheses": hypotheses, "engine": engine}
        rejections = [operand.explain(operand._as_input(text), **options) for operand in expression.operands]
        return max(filter(None, rejections), key=lambda rejection: rejection.offset)
    if expression.operation == NOT or expression.left._is_match(text, engine):
        return rule._exclusion(text)
    return _reason(expression.left, text, suggest, hypotheses, engine)


def _expected(rule: Rule, prefix: str, allowed: CharSet) -> Iterator[Expected]:
    """Yield the characters that can follow a viable prefix, by the rules of the operands."""
    if not isinstance(rule, SetRule):
        yield from rule._expected_after(prefix, allowed)
    elif rule._expression.operation == NOT:
        yield Expected(rule.name, allowed.to_class())
    else:
        expression = rule._expression
        for operand in expression.operands if expression.operation == OR else (expression.left,):
            yield from _expected(operand, prefix, allowed)


def _bound_grammar(expression: SetExpression, others: Mapping[str, Any]) -> BoundGrammar:
    section = expression.left.section if expression.is_narrower else None
    elements = Alternation((Concatenation((Repetition(ProseVal(expression.meaning)),)),))
    own = BoundRule(
        expression.name,
        elements,
        "combined",
        section,
        RuleDefinition(expression.name, elements, section=section),
    )
    rules = {key: rule.grammar.compilation.bound.rules[key] for key, rule in others.items()}
    source = expression.left.grammar.compilation.bound.source
    return BoundGrammar(
        expression.grammar_name,
        source,
        MappingProxyType({expression.name.lower(): own, **rules}),
        alphabet=expression.alphabet,
    )
