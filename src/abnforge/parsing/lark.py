"""The Lark engine: one Earley parser for each start rule, the reference for the other engines.

Lark decides which strings have derivations and where parsing stops; ``choose.choose`` selects the derivation.
Earley's algorithm takes linear time in the string for most grammars and cubic time at worst: some
milliseconds for a URI.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import local
from typing import TYPE_CHECKING, Any

from lark import Lark
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput
from lark.parsers.earley_forest import PackedNode, SymbolNode

from abnforge._arguments import wrong_value
from abnforge.budget import DEFAULT, Budget, Meter
from abnforge.grammar.core import Core
from abnforge.grammar.facts import Facts
from abnforge.parsing.api import Engine, GrammarParsers
from abnforge.parsing.choose import choose
from abnforge.parsing.lark_grammar import LarkGrammar, lark_grammar, lark_names
from abnforge.parsing.stop import Failure, expected, viable_states
from abnforge.parsing.trace import Trace, TreeBuilder
from abnforge.rejection import Expected

if TYPE_CHECKING:
    from abnforge.parsing.trace import ParseTree

# Earley's algorithm may use this multiple of the budget's steps per character.
SHARE = 100

# Costs in steps: constructing a rule of the parser, an Earley item in a parse, and a derivation of an item.
# Then their estimated memory in bytes.
_RULE_COST = 100
_CORNER_COST = 4
_ITEM_COST = 12
_FAMILY_COST = 4
_ITEM_OCTETS = 500
_FAMILY_OCTETS = 300


class RuleParser(Lark):
    """A ``lark.Lark`` for one ABNF rule; its trees are the preferred derivations.

    ``parse`` returns the tree or raises Lark's own exceptions. The ``data`` of a tree is the Lark name of a
    rule; ``abnf_names`` maps it to ABNF's spelling.
    """

    abnf_names: Mapping[str, str]

    def __init__(
        self,
        core: Core,
        facts: Facts,
        start: str,
        grammar: LarkGrammar | None = None,
        budget: Budget = DEFAULT,
        owner: object = None,
    ) -> None:
        self._owner = owner  # the rule with this parser as its ``lark``
        self._core = core
        self._facts = facts
        self._budget = budget
        self._start_key = start
        self._lark_names = lark_names(core)
        self._builder = TreeBuilder(self._lark_names)
        self._keys = {name: key for key, name in self._lark_names.items()}
        self._charge_predictions(budget)
        self._grammar = grammar or lark_grammar(core, facts, facts.reachable(start))
        self.abnf_names = self._grammar.rules
        super().__init__(
            self._grammar.text(facts.reachable(start)),
            start=self._lark_names[start],
            parser="earley",
            lexer="dynamic",
            ambiguity="forest",
            keep_all_tokens=True,
        )
        self._running = local()
        earley: Any = self.parser.parser
        earley.predict_and_complete = self._metered(earley.predict_and_complete)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, RuleParser) and self._owner is not None and self._owner == other._owner

    def __hash__(self) -> int:
        return object.__hash__(self) if self._owner is None else hash(self._owner)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[object, str]]:
        if self._owner is None:
            raise TypeError("cannot pickle a parser without a rule")
        return getattr, (self._owner, "lark")

    def _charge_predictions(self, budget: Budget) -> None:
        """Charge the construction of the parser, which visits all left corners of each rule."""
        meter = budget.meter(f"Lark parser of {self._core.names[self._start_key]}")
        for key in self._facts.reachable(self._start_key):
            seen = {key}
            expected_terminals = [key]
            while expected_terminals:
                for corner in self._facts.left_corners[expected_terminals.pop()]:
                    if corner not in seen:
                        seen.add(corner)
                        expected_terminals.append(corner)
            meter.charge(_RULE_COST + _CORNER_COST * len(seen))

    def _metered(self, predict_and_complete: Callable[..., Any]) -> Callable[..., Any]:
        """Return Earley's inner loop for one offset, charged to the current parse of this thread."""

        def metered(i: int, to_scan: Any, columns: Any, transitives: Any, nodes: Any) -> None:
            predict_and_complete(i, to_scan, columns, transitives, nodes)
            meter: Meter = self._running.meter
            column = columns[i]
            # Each complete item checks all items at its start offset.
            checked = sum(len(columns[item.start]) for item in column if item.is_complete)
            families = sum(len(node._children) for node in nodes.values())
            meter.charge(_ITEM_COST * (len(column) + len(to_scan)) + checked // 2 + _FAMILY_COST * families)
            meter.hold(_ITEM_OCTETS * (len(column) + len(to_scan)) + _FAMILY_OCTETS * families)

        return metered

    def _forest(self, text: str) -> Any:
        operation = f"Earley parse of {self._core.names[self._start_key]}"
        self._running.meter = self._budget.meter(operation, SHARE * len(text))
        return super().parse(text)

    def parse(self, text: Any, start: str | None = None, on_error: Any = None) -> ParseTree:
        """Return the tree of a string; raise ``lark.exceptions.UnexpectedInput`` if there is none."""
        if start is not None and start != self._lark_names[self._start_key]:
            raise wrong_value("start", self._lark_names[self._start_key], start)
        return self._builder.build(str(text), self.events(text))

    def events(self, text: str) -> Trace:
        """Return the preferred derivation of a string; raise the same exceptions as ``parse``."""
        forest = self._forest(str(text))
        spans = _spans(forest, self._keys)
        meter = self._budget.meter(f"tree of {self._core.names[self._start_key]}", SHARE * len(text))
        return choose(self._core, self._facts, self._start_key, str(text), spans, meter)

    def stop(self, text: str) -> tuple[int, tuple[Expected, ...]] | None:
        """Return the length of the longest viable prefix and the expected terminals, or None."""
        try:
            self._forest(text)
        except UnexpectedCharacters as error:
            return error.pos_in_stream or 0, self._expected(error.state)
        except UnexpectedEOF as error:
            return len(text), self._expected(error.state)
        return None

    def _expected(self, items: Iterable[Any]) -> tuple[Expected, ...]:
        """Return the terminals that Lark's Earley items expect, by ABNF rule."""
        terminals = self._grammar.terminals
        symbols = (rule.expansion[position].name for rule, position in items)
        pairs = (terminals[symbol] for symbol in symbols if symbol in terminals)
        return expected(((name.lower(), charset) for name, charset in pairs), self._core.names)


class LarkEngine(Engine):
    """Parse one rule by its Lark parser."""

    def __init__(self, readers: GrammarParsers, key: str, parser: RuleParser) -> None:
        super().__init__(readers, key)
        self._parser = parser

    def matches(self, text: str) -> bool:
        return self._parser.stop(text) is None

    def failure(self, text: str) -> Failure | None:
        """Return where parsing stops, or None; the viable prefix can be parsed twice."""
        stopped = self._parser.stop(text)
        if stopped is None:
            return None
        offset, expected = stopped
        reached = viable_states(self._readers.derivatives, self._key, text, offset)
        if len(reached) == offset + 1:
            may_end = reached[-1].accepting
        else:  # the states exceed their limits
            may_end = offset < len(text) and self.matches(text[:offset])
        return Failure(offset, expected, may_end, reached)

    def events(self, text: str) -> Trace | None:
        try:
            return self._parser.events(text)
        except UnexpectedInput:
            return None


def _spans(forest: Any, keys: Mapping[str, str]) -> dict[str, dict[int, int]]:
    """Return the spans of all rules in a shared packed parse forest."""
    spans: dict[str, dict[int, int]] = {}
    seen: set[int] = set()
    stack = [forest]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, SymbolNode):
            if not node.is_intermediate and (key := keys.get(node.s.name)) is not None:
                starts = spans.setdefault(key, {})
                starts[node.start] = starts.get(node.start, 0) | 1 << node.end - node.start
            stack.extend(node.children)
        elif isinstance(node, PackedNode):
            stack.extend(child for child in (node.left, node.right) if child is not None)
    return spans
