"""Rules as callers see them: each is the start of a language, with all methods that take a string.

All engines return the same results. ``automaton`` parses from left to right in linear time and supports every
rule that cannot reach recursion. ``general`` supports every rule: a pushdown recognizer finds verdicts, a
transducer finds trees. ``lark`` supports every rule, slowly, and is the reference. ``engine=`` selects one of
them.

This module is long because it contains every public method of a rule. They are ordered by use: verdict, tree,
explanation, all derivations, facts about the rule, other forms of it, and set algebra.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from operator import getitem
from sys import maxsize
from typing import TYPE_CHECKING, Any, Protocol, Self

from abnforge._arguments import (
    InputText,
    Text,
    byte_pieces,
    byte_text,
    choice_argument,
    input_text,
    instance_argument,
    is_pieces,
    names_argument,
    pieces_argument,
    plain_argument,
    text_argument,
    wrong_type,
    wrong_value,
)
from abnforge._lazy import NotebookView, cached_property, lazy
from abnforge._native import compiled
from abnforge.catalog import ArgumentError
from abnforge.charset import BYTES, CharSet
from abnforge.engine.stores import PATTERN
from abnforge.errors import LimitExceeded, Rejected
from abnforge.messages import message
from abnforge.records import Frozen, replace
from abnforge.rejection import (
    Alternative,
    Expected,
    LazyFacts,
    Rejection,
    Repair,
    Suggestion,
    octets_before,
)
from abnforge.text import LAST_BYTE, LATIN_1, ByteText

with lazy:
    import lark as lark_library

    from abnforge.engine import export
    from abnforge.engine import readers as engine_readers
    from abnforge.explain import attempts as explain_attempts
    from abnforge.explain import suggestions
    from abnforge.grammar import printer
    from abnforge.notations import notation
    from abnforge.parsing import lark, stop

if TYPE_CHECKING:
    from abnforge.automata.dfa import Automaton
    from abnforge.engine.compilation import Compilation
    from abnforge.engine.grammar import Grammar
    from abnforge.engine.readers import GrammarReaders
    from abnforge.engine.stores import StoredConfigurations
    from abnforge.explain.attempts import Attempt, Attempts
    from abnforge.explain.reading import Interpretation
    from abnforge.explain.rule_paths import Lesson
    from abnforge.parsing.lark import RuleParser
    from abnforge.parsing.trace import ParseTree, Trace

ENGINES = ("auto", "automaton", "general", "lark")

AND, BUT_NOT, OR, NOT, AT_MOST = "&", "-", "|", "~", "at most"  # set operations


class Matcher(Protocol):
    """A rule's verdict as a function."""

    def __call__(self, text: Text | Iterable[str], *, engine: str = "auto") -> bool: ...


class Rule(Frozen, NotebookView):
    """A rule as the start of a language. Rules are obtained from a :class:`~abnforge.Grammar`.

    ``section`` is the section of the specification that defines the rule, or None if unknown; for an imported
    rule, it cites the other specification and its section.

    An input is a str, a component object of a URI, or UTF-8 as ``bytes``, ``bytearray`` or ``memoryview``.
    The input is used unchanged: whitespace is not stripped, and a trailing newline is a character. For
    bytes-like input, all offsets count bytes, and no rule matches bytes that are not UTF-8. Other types raise
    TypeError. A rule that depends on a prose-val raises GrammarError.

    If the alphabet of the grammar is ``"bytes"``, an input is bytes-like: any other type, including str,
    raises TypeError. Each byte is one character from U+0000 to U+00FF in trees and rejections.

    Rules are equal if they have the same name in equal grammars.

    Regular rules are sets of strings: ``a & b``, ``a - b``, ``a | b``, ``~a`` and ``a.at_most(n)`` are rules,
    and the operands can belong to different grammars; docs/policies.md describes their explanations. An
    operand that is not known to be regular raises ValueError; more than 50 operations in one rule raise
    LimitExceeded.
    """

    if TYPE_CHECKING:  # ``typing.get_type_hints`` cannot resolve these types
        grammar: Grammar
        _compilation: Compilation

    name: str
    section: str | None
    origin: str
    _key: str
    _expression: Any = None  # the SetExpression of a rule without a definition

    def __init__(self, grammar: Grammar, key: str) -> None:
        try:
            compilation = grammar.compilation
        except AttributeError:
            raise wrong_type("grammar", "a Grammar", grammar) from None
        bound = compilation.bound
        if type(key) is not str or key not in bound.outline:
            key = bound.key(plain_argument(key, "key"))
        outline = bound.outline[key]
        self._fill(
            grammar=grammar,
            name=outline.name,
            section=outline.section,
            origin=outline.origin,
            _compilation=compilation,
            _key=key,
        )

    @property
    def key(self) -> str:
        """The name in lower case, which identifies the rule within its grammar."""
        return self._key

    def __repr__(self) -> str:
        return f"<Rule {self.name} of {self.grammar.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and (self._key, self.grammar) == (other._key, other.grammar)

    def __hash__(self) -> int:
        return hash((self._key, self.grammar))

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return getitem, (self.grammar, self.name)

    # Frozen values do not need to be copied.
    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    # Verdict

    @cached_property
    def matches(self) -> Matcher:
        """``matches(text, *, engine="auto") -> bool``: return whether the rule matches the string.

        The string can also be an iterable of str with its chunks in order, such as an open file. Memory then
        grows with the nesting of the string and not with its length. The attribute is a function, created on
        first access, because a method call takes as long as matching a short string. The function can be
        pickled, as for ``multiprocessing.Pool.map``, but is equal only to itself: compare rules instead.
        Cost: linear; for recursive rules linear for usual input and cubic at worst.
        """
        if self._fast is None or not self._reads_bytes:
            return self._fast or self._matches
        table = self._compilation.table(self._key, of_bytes=True) if self.regular else None
        if table is not None:
            return matches_by_kernel(table, self._matches, self, of_bytes=True)
        return partial(matches_bytes, self._fast, self._matches)

    @property
    def _reads_bytes(self) -> bool:
        return self._compilation.bound.alphabet == BYTES

    def _input(self, text: object) -> InputText:
        """Return the characters of an input. Raises TypeError."""
        return InputText(byte_text(text, "text")) if self._reads_bytes else input_text(text, "text")

    def _text(self, text: object) -> str:
        """Return an input as a string, which is an input too; UTF-8 is not accepted. Raises TypeError."""
        return ByteText(byte_text(text, "text")) if self._reads_bytes else text_argument(text, "text")

    def _as_input(self, text: str) -> str:
        """Return a string of characters as an input of the rule: a ByteText for the alphabet ``"bytes"``."""
        return ByteText(text) if self._reads_bytes else text

    def _inputs(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield the strings whose characters the alphabet contains, as inputs of the rule."""
        if not self._reads_bytes:
            return iter(texts)
        return (ByteText(text) for text in texts if not text or max(text) <= LAST_BYTE)

    def _is_match(self, text: str, engine: str = "auto") -> bool:
        """Return whether the rule matches a string of characters."""
        if engine == "auto" and self._fast is not None:
            return self._fast(text)
        return self._derives(text, engine)

    def _matches(self, text: Text | Iterable[object], *, engine: str = "auto") -> bool:
        if type(text) is not str and is_pieces(text):
            self._only_general(engine, "an iterable of strings")
            return self._derives_pieces((byte_pieces if self._reads_bytes else pieces_argument)(text, "text"))
        string = self._input(text)
        if engine == "auto" and self._fast is not None:
            return string.broken is None and self._fast(string.text)
        self._engine_name(engine)
        return string.broken is None and self._derives(string.text, engine)

    def _derives(self, text: str, engine: str) -> bool:
        with self.grammar.readers.taken() as readers:
            parser = readers.engine(self._key, "general" if engine == "auto" else engine, self._lark)
            return parser.matches(text)

    def _derives_pieces(self, pieces: Iterable[str]) -> bool:
        with self.grammar.readers.taken() as readers:
            return readers.machine.read(self._key, pieces).accepting

    def _matches_stored(self, text: Text | Iterable[str], *, engine: str = "auto") -> bool:
        """Run ``matches`` by stored configurations, and by the recognizer where these end."""
        if engine != "auto" or type(text) is not str or self._stored is None:
            return self._matches(text, engine=engine)
        accepting, unread = self._stored.read(text)
        return self._derives_pieces(unread) if unread else accepting

    @cached_property
    def _stored(self) -> StoredConfigurations | None:
        return self._compilation.stored(self._key)

    @cached_property
    def _fast(self) -> Matcher | None:
        """``matches`` by the rule's table, pattern, automaton or stored configurations, if one exists."""
        if self._compilation.prose(self._key) is not None:
            return None
        if self._stored is not None:
            return self._matches_stored
        if not self.regular:
            return None
        table = self._compilation.table(self._key)
        if table is not None:
            return matches_by_kernel(table, self._matches, self)
        return self._fast_in_python(self._matches)

    def _fast_in_python(self, slow: Matcher) -> Matcher | None:
        """Return ``matches`` by a proved pattern or the automaton; None if both take long."""
        has_pattern = self._compilation.store.get(PATTERN, self._key) not in (None, [None])
        try:
            accepts = None if has_pattern else self._compilation.small_automaton(self._key).accepts
        except LimitExceeded:
            return None  # the general engine builds only the states that strings need
        pattern = None if self._compilation.is_long_list(self._key) else self.pattern
        if pattern is not None:
            return partial(matches_by_pattern, re.compile(pattern).fullmatch, slow)
        assert accepts is not None, "a rule with a stored pattern has a pattern"
        return partial(matches_by_table, accepts, slow)

    def _lark(self) -> RuleParser:
        return self.lark

    def _engine_name(self, engine: str, *, general: bool = False) -> str:
        """Return the name of the engine to use.

        This is ``engine``, or for ``"auto"`` the general engine if the rule is recursive or ``general`` is
        set. Raises the exceptions that are common to all methods.
        """
        if engine != "auto":
            choice_argument(engine, "engine", ENGINES)
        if engine == "automaton" and self.recursive:
            raise ArgumentError(message("rule-recursive", rule=self.name))
        self._compilation.refuse_prose(self._key)
        if engine != "auto":
            return engine
        return "general" if general or self.recursive else "automaton"

    def _only_general(self, engine: str, operation: str) -> None:
        if self._engine_name(engine, general=True) != "general":
            raise ArgumentError(message("engine-general", operation=operation, engine=engine))

    # Tree

    def parse(self, text: Text, *, engine: str = "auto") -> ParseTree:
        """Return the tree of the string's preferred derivation, as a ``lark.Tree``.

        A tree's ``data`` is the rule's name in Lark's spelling (``hier_part``), which ``lark_names`` maps to
        the specification's spelling. For bytes-like input, the result is the tree of the decoded string, with
        token positions in bytes. Raises Rejected, with the explanation, if the rule does not match.
        """
        string = self._input(text)
        tree = None
        with self.grammar.readers.taken() as readers:
            trace = self._trace(readers, string, engine)
            if trace is not None:
                tree = readers.builder.build(string.text, trace)
        if tree is None:
            raise self._rejected(text, engine)
        return _in_octets(tree, string)

    def events(self, text: Text, *, engine: str = "auto") -> list[tuple[str, int, int]]:
        """Return the tree of ``parse``, at any depth, as a flat list of ``(rule, start, end)``.

        The list is in preorder: a rule comes before the rules inside it, which come from left to right. So
        the first event is this rule over the whole string, and starts never decrease. Names are spelled as in
        the specification. Offsets count code points from 0 (bytes for bytes-like input), and ``end`` is
        exclusive. A rule is inside the nearest previous rule that ends after its start. If an empty rule
        begins at the end of another rule, only the tree shows whether it is inside that rule. Raises Rejected
        as ``parse`` does. Cost: as ``parse``.
        """
        string = self._input(text)
        spans = None
        with self.grammar.readers.taken() as readers:
            trace = self._trace(readers, string, engine)
            if trace is not None:
                spans = readers.spans.of(trace)
        if spans is None:
            raise self._rejected(text, engine)
        if string.octets:
            at = octets_before(string.text)
            return [(name, at(start), at(end)) for name, start, end in spans]
        return spans

    def _trace(self, readers: GrammarReaders, string: InputText, engine: str) -> Trace | None:
        """Return the preferred derivation, or None.

        The rule's table rejects a string a hundred times faster than the transducer. But this method does not
        compile a table first: it uses a table that an earlier verdict compiled, and compiles one only if the
        transducer exceeds its limits. So the result does not depend on earlier calls.
        """
        parser = readers.engine(self._key, self._engine_name(engine), self._lark)
        if string.broken is not None:
            return None
        is_quick = engine == "auto" and not self.recursive
        if is_quick and (matches := self.__dict__.get("_fast")) is not None and not matches(string.text):
            return None
        try:
            return parser.events(string.text)
        except LimitExceeded:
            if is_quick and self._fast is not None and not self._fast(string.text):
                return None
            raise

    def _rejected(self, text: Text, engine: str) -> Rejected:
        rejection = self.explain(text, engine=engine)
        assert rejection is not None, "the engines disagree"
        return Rejected(rejection)

    def components(
        self, text: Text, names: Iterable[str], *, engine: str = "auto"
    ) -> dict[str, tuple[int, int] | None]:
        """Return the spans ``(start, end)`` of rules in the string's preferred derivation, by name.

        Offsets are as for ``events``. The value is None for a rule that does not occur. If a rule occurs
        several times, the last occurrence counts; if it occurs within itself, the outermost. Names are
        case-insensitive, and the keys are the names that you pass. Raises Rejected as ``parse`` does,
        UnknownNameError for a rule that does not exist. Cost: linear, in one pass, if the rule cannot reach
        recursion and the names are few; otherwise as ``events``.
        """
        keys = {name: self._compilation.bound.key(name) for name in names_argument(names, "names")}
        parts = sorted(set(keys.values()))
        string = self._input(text)
        table = None
        if self._engine_name(engine) == "automaton" and engine == "auto":
            table = self._compilation.tagged_table(self._key, {key: (key,) for key in parts}, {})
        if table is None:
            spans = _last_spans(self.events(text, engine=engine))
            rules = self._compilation.bound.rules
            return {name: spans.get(rules[key].name) for name, key in keys.items()}
        result = table.find(string.text) if string.broken is None else None
        if result is None:
            raise self._rejected(text, engine)
        offsets, _ = result
        at = octets_before(string.text) if string.octets else int
        pairs = {
            key: (at(start), at(end)) if end >= 0 else None
            for key, start, end in zip(parts, offsets[::2], offsets[1::2], strict=True)
        }
        return {name: pairs[key] for name, key in keys.items()}

    # Explanation

    def check(self, text: Text, *, engine: str = "auto") -> None:
        """Raise Rejected, with the explanation, unless the rule matches the string. Does not build a tree."""
        rejection = self.explain(text, engine=engine)
        if rejection is not None:
            raise Rejected(rejection)

    def explain(
        self, text: Text, *, suggest: bool = True, hypotheses: int = 1, engine: str = "auto"
    ) -> Rejection | None:
        """Return the reason why the rule rejects the string, or None if it matches.

        The first hypothesis is the mistake in the likeliest interpretation of the string; ``code``,
        ``section`` and ``message`` describe this mistake. ``hypotheses`` is the maximum number of hypotheses:
        each further hypothesis has another code and takes a few milliseconds. ``suggest=False`` only omits
        the suggestion. Bytes that are not UTF-8 do not get a suggestion.
        """
        instance_argument(hypotheses, "hypotheses", int, "an int")
        if hypotheses < 1:
            raise wrong_value("hypotheses", "at least 1", hypotheses)
        string = self._input(text)
        rejection = None
        if engine == "auto" and string.broken is None and self._fast is not None:
            if self._fast(string.text):
                return None
            rejection = self._explain_rejected(string, suggest, hypotheses)
        if rejection is None:
            rejection = self._explain(string, suggest, hypotheses, engine, self._engine_name(engine))
        if rejection is not None and string.broken is None:
            rejection._settle(_find_attempts=self._alternatives, _find_repairs=self._find_repairs)
        return rejection

    def _find_suggestion(
        self,
        rejection: Rejection,
        proved: Suggestion | None,
        interpretation: Interpretation | None = None,
    ) -> Suggestion | None:
        """Return the suggestion for a rejection, which can be the one of its mistake.

        That one is ``proved``, or is found now if the ``interpretation`` by the mistake is passed.
        """
        if interpretation is not None:
            with self.grammar.readers.taken() as readers:
                explainer = readers.explainer(self._key)
                proved = explainer.suggestion(interpretation, rejection.offset, self._fast or self._matches)
                if explainer.has_declared:
                    return proved
        try:
            with self.grammar.readers.taken() as readers:
                repairer = readers.repairer(self._key)
                paths, is_complete = repairer.for_suggestion(rejection.input, rejection.span)
            return suggestions.suggest(rejection, proved, paths, is_complete, self._is_match)
        except LimitExceeded:
            return proved

    def _correct_suggestion(self, text: str, suggestion: Suggestion) -> Suggestion | None:
        """Return the suggestion for a string of bytes."""
        return suggestions.of_bytes(text, suggestion, self._is_match)

    def _find_repairs(
        self, text: str, span: tuple[int, int], suggestion: Suggestion | None
    ) -> tuple[tuple[Repair, ...], bool]:
        """Return the cheapest repairs of a rejected string, and whether these are all."""
        try:
            with self.grammar.readers.taken() as readers:
                return readers.repairer(self._key).find(text, span, suggestion, self._is_match)
        except LimitExceeded:
            return (), False

    def _alternatives(self, text: str, rule_path: tuple[str, ...]) -> tuple[Alternative, ...]:
        """Return the failed alternatives of the innermost rule of a path that has several."""
        try:
            return self._attempts(text).alternatives([name.lower() for name in rule_path])
        except ValueError:  # includes LimitExceeded
            return ()

    def attempts(self, text: Text) -> Attempt:
        """Return the attempts to match each part of the rule, whether it matches the string or not.

        Raises ValueError for rules of set algebra, or rules that need an exception, because no part of them
        explains a rejection. Raises LimitExceeded for long or deeply nested strings, and beyond the budget of
        the grammar. Cost: a chart of the string, and for each part and position the number of its ends.
        """
        return self._attempts(self._text(text)).root

    def _attempts(self, text: str) -> Attempts:
        compilation = self._compilation
        if self._expression is not None:
            raise ArgumentError(message("attempts-combined", rule=self.name))
        rules = compilation.bound.rules
        for key in compilation.facts.reachable(self._key) if compilation.bound.has_exceptions else ():
            if excepted := rules[key].excepted:
                names = tuple([each.name for each in excepted])
                raise ArgumentError(message("attempts-excepted", rule=rules[key].name, names=names))
        return explain_attempts.attempts_of(
            text, self._key, compilation.bound, compilation.facts, compilation.budget
        )

    def _explain(
        self, string: InputText, suggest: bool, hypotheses: int, engine: str, name: str
    ) -> Rejection | None:
        with self.grammar.readers.taken() as readers:
            parser = readers.engine(self._key, name, self._lark)
            if string.broken is not None:
                return engine_readers.explain_broken(readers, parser, self._key, string.text, string.broken)
            failure = parser.failure(string.text)
            if failure is None:
                return None
            derives = parser.matches if engine != "auto" or self._fast is None else self._fast
            explainer = readers.explainer(self._key)
            rejection = explainer.explain(
                self._as_input(string.text), failure, derives, suggest=suggest, hypotheses=hypotheses
            )
        if suggest and not explainer.has_declared:
            rejection._defer_suggestion(self._find_suggestion)
        return self._located(rejection, string)

    def _explain_rejected(self, string: InputText, suggest: bool, hypotheses: int) -> Rejection | None:
        """Return the rejection of a string that the table rejects, if a mistake explains it."""
        if hypotheses > 1:
            return None
        table = self._compilation.table(self._key)
        if table is None:
            return None
        offset, _ = table.read(string.text)
        assert self._fast is not None
        with self.grammar.readers.taken() as readers:
            explainer = readers.explainer(self._key)
            explained = explainer.explain_mistake(self._as_input(string.text), offset, self._fast)
        if explained is None:
            return None
        rejection, interpretation = explained
        if suggest:
            rejection._defer_suggestion(partial(self._find_suggestion, interpretation=interpretation))
        rejection._attach(LazyFacts(partial(self._facts_of, interpretation)))
        return self._located(rejection, string)

    def _located(self, rejection: Rejection, string: InputText) -> Rejection:
        """Return a rejection with offsets in the unit of the input."""
        if self._reads_bytes:
            return rejection._of_bytes(self._correct_suggestion)
        return rejection.to_byte_offsets() if string.octets else rejection

    def _facts_of(self, interpretation: Interpretation) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the facts of a string's rejection, and of its hypothesis about the first mistake."""
        with self.grammar.readers.taken() as readers:
            failure = readers.engine(self._key, self._engine_name("auto"), self._lark).failure(
                interpretation.text
            )
            assert failure is not None, "the engines disagree"
            return readers.explainer(self._key).facts(failure, interpretation)

    def _expected_after(self, prefix: str, allowed: CharSet) -> Iterator[Expected]:
        """Yield the characters of ``allowed`` that can follow a viable prefix, by rule."""
        with self.grammar.readers.taken() as readers:
            if self.recursive:
                reached = stop.viable_states(readers.derivatives, self._key, prefix, len(prefix))
            else:
                reached = readers.derivatives.read(self._key, prefix)
            if len(reached) > len(prefix):
                yield from readers.expectations.of(reached[-1].states, allowed)

    def lesson(self, text: Text, *, engine: str = "auto") -> Lesson | None:
        """Return an explanation in steps, or None if the rule matches.

        The steps are the rules that match parts of the string, the place where parsing stops, the mistake,
        and the fix. Offsets count code points, even for bytes.

        Raises ValueError for bytes that are not UTF-8.
        """
        string = self._input(text)
        if string.broken is not None:
            raise ArgumentError(message("lesson-not-utf8"))
        return self._lesson(string.text, engine, self._engine_name(engine))

    def _lesson(self, text: str, engine: str, name: str) -> Lesson | None:
        with self.grammar.readers.taken() as readers:
            parser = readers.engine(self._key, name, self._lark)
            failure = parser.failure(text)
            if failure is None:
                return None
            explainer = readers.explainer(self._key)
            lesson = explainer.lesson(self._as_input(text), failure, parser.matches)
        if not explainer.has_declared:
            lesson.rejection._defer_suggestion(self._find_suggestion)
        if self._reads_bytes:
            return replace(lesson, rejection=lesson.rejection._of_bytes(self._correct_suggestion))
        return lesson

    # All derivations

    def derivations(self, text: Text, limit: int | None = 10, *, engine: str = "auto") -> Iterator[ParseTree]:
        """Return an iterator over the trees of all derivations, which are built one by one.

        The first tree is that of ``parse``. The next trees differ in the last decision, then in earlier
        decisions.

        At most ``limit`` trees are returned (None: all). There are finitely many, since a tree never has a
        rule below itself over the same span. Adjacent single-character alternatives count as one, as for
        ``count_derivations``. Only the general engine supports this method. Raises LimitExceeded. Cost: at
        worst cubic in the length of the string, plus the size of each tree.
        """
        if limit is not None:
            instance_argument(limit, "limit", int, "an int or None")
            if limit < 0:
                raise wrong_value("limit", "at least 0", limit)
        string = self._input(text)
        self._only_general(engine, "derivations")
        return self._derivations(string, limit)

    def _derivations(self, string: InputText, limit: int | None) -> Iterator[ParseTree]:
        trees = self._trees(string, limit) if string.broken is None else iter(())
        return DerivationIterator(trees, f"{self.name} of {self._compilation.bound.name}", limit)

    def _trees(self, string: InputText, limit: int | None) -> Iterator[ParseTree]:
        with self.grammar.readers.taken() as readers:
            for trace in readers.derivations.in_order(self._key, string.text, limit):
                yield _in_octets(readers.builder.build(string.text, trace), string)

    def count_derivations(self, text: Text, *, engine: str = "auto") -> int | float:
        """Return the number of derivations.

        The number is 0 if the rule does not match, 1 if the string is unambiguous, and ``math.inf`` if a rule
        derives itself. Adjacent single-character alternatives (``"a" / "a"``) count as one, since no tree
        distinguishes them.

        Only the general engine supports this method. Raises LimitExceeded. Cost: at worst cubic in the length
        of the string.
        """
        string = self._input(text)
        self._only_general(engine, "count_derivations")
        return self._count_derivations(string)

    def _count_derivations(self, string: InputText) -> int | float:
        if string.broken is not None:
            return 0
        with self.grammar.readers.taken() as readers:
            return readers.derivations.count(self._key, string.text)

    # Facts about the rule

    @property
    def definition(self) -> str:
        """The rule as ABNF text."""
        bound = self._compilation.bound.rules[self._key]
        return printer.print_rule(replace(bound.rule, elements=bound.elements, incremental=False))

    @property
    def uses(self) -> tuple[str, ...]:
        """The distinct names of the rules that the definition refers to, in order."""
        names = self._compilation.core.names
        return tuple(names[key] for key in self._compilation.facts.references[self._key])

    @property
    def used_by(self) -> tuple[str, ...]:
        """The names of the rules whose definitions refer to this one."""
        core = self._compilation.core
        references = self._compilation.facts.references
        return tuple(core.names[key] for key in core.rules if self._key in references[key])

    @property
    def regular(self) -> bool:
        """True if the rule is known to be regular: no rule that it needs recurses on both sides."""
        return self._compilation.is_regular(self._key)

    @cached_property
    def recursive(self) -> bool:
        """True if a derivation from this rule can contain a recursive rule."""
        facts = self._compilation.facts
        return not facts.recursive.isdisjoint(facts.reachable(self._key))

    # Other forms of the rule

    @cached_property
    def lark(self) -> RuleParser:
        """A ``lark.Lark`` that starts at this rule, built on first access; equal if the rules are equal.

        Raises ValueError for a rule defined by set algebra; use its operands instead.
        """
        compilation = self._compilation
        compilation.refuse_prose(self._key)
        return lark.RuleParser(
            compilation.core,
            compilation.facts,
            self._key,
            compilation.lark,
            compilation.budget,
            owner=self,
        )

    @property
    def lark_text(self) -> str:
        """The Lark grammar of this rule and of the rules that it needs."""
        return self._compilation.lark.text(self._compilation.facts.reachable(self._key))

    @property
    def lark_names(self) -> Mapping[str, str]:
        """A new mapping from Lark rule names to ABNF rule names. Cost: linear in the rules."""
        return dict(self._compilation.lark.rules)

    @property
    def pattern(self) -> str | None:
        """A pattern for ``re.fullmatch`` that matches exactly the strings of the rule, in linear time.

        The pattern is proved to accept exactly the strings of the rule's automaton. The value is None if the
        rule is not regular, if every known pattern can backtrack at length, or if a proof exceeds the budget.
        For a grammar of bytes, ``re.compile(pattern.encode())`` matches bytes.
        """
        self._compilation.refuse_prose(self._key)
        return self._compilation.pattern(self._key)

    @cached_property
    def automaton(self) -> Automaton:
        """The minimal automaton of a regular rule, built on first access.

        Raises ValueError for a rule that is not known to be regular, LimitExceeded if the automaton is too
        large, GrammarError for a rule that needs a prose-val.
        """
        self._compilation.refuse_prose(self._key)
        if not self.regular:
            raise ArgumentError(message("rule-not-regular", rule=self.name, grammar=self.grammar.name))
        return self._compilation.automaton(self._key)

    def export(
        self,
        target: str,
        *,
        groups: Iterable[str] = (),
        anchored: bool = True,
        parts: Iterable[str] = (),
        name: str | None = None,
        allow_backtracking: bool = False,
    ) -> str:
        """Return the rule as a regular expression for another engine, as a grammar or as source code.

        ``target`` is ``python``, ``re2``, ``rust``, ``pcre2``, ``ecmascript``, ``java``, ``sql`` or ``lark``,
        which supports every rule, but neither groups nor anchors. ``gbnf``, ``llguidance`` and ``antlr4``
        return a grammar in another notation, also for recursive rules; ``peggy`` and ``pest`` only for
        regular rules. ``code-c``, ``code-go``,
        ``code-rust``, ``code-java``, ``code-js`` and ``code-python`` return a source file without
        dependencies, which also reports where a string is invalid. The file finds the places of the rules
        that ``parts`` names; ``name`` is the base of identifiers (by default the rule's name). In Java, it
        can begin with a package. The file is proved equal to the rule before it is returned.

        ``groups`` names rules whose matches you need: each occurrence becomes a named group,
        ``path_abempty``, ``path_abempty_2``, and so on (in Java ``pathAbempty2``). ``anchored=False`` omits
        the anchors at both ends, for functions that always match the whole string. A pattern matches in
        linear time. With ``allow_backtracking``, a rule without such a pattern gets one that can backtrack at
        length: do not match long strings of unknown origin with it. Raises UnknownNameError for a target
        or a rule that does not exist, ValueError if the rule has no such pattern.
        """
        keys = frozenset(map(self._compilation.bound.key, names_argument(groups, "groups")))
        part_names = names_argument(parts, "parts")
        name = None if name is None else plain_argument(name, "name")
        if isinstance(target, str) and target.lower() in export.CODE_TARGETS:
            if keys:
                raise export.groups_unsupported(target.lower())
            return export.source_code(self, target.lower(), part_names, name)
        if part_names or name is not None:
            raise export.parts_unsupported(target)
        if isinstance(target, str) and target.lower() == export.LARK:
            if keys:
                raise export.groups_unsupported(export.LARK)
            self._compilation.refuse_prose(self._key)
            return self.lark_text
        if isinstance(target, str) and target.lower() in notation.NOTATIONS:
            if keys:
                raise export.groups_unsupported(target.lower())
            return export.notation_text(self, target.lower())
        dialect = export.dialect_named(target)
        return export.export(self, dialect, keys, anchored, bool(allow_backtracking))[0]

    # Set algebra

    def __and__(self, other: object) -> Rule:
        return self.grammar._combine(AND, self, other) if isinstance(other, Rule) else NotImplemented

    def __sub__(self, other: object) -> Rule:
        return self.grammar._combine(BUT_NOT, self, other) if isinstance(other, Rule) else NotImplemented

    def __or__(self, other: object) -> Rule:
        return self.grammar._combine(OR, self, other) if isinstance(other, Rule) else NotImplemented

    def __invert__(self) -> Rule:
        return self.grammar._combine(NOT, self)

    def at_most(self, length: int) -> Rule:
        """Restrict a regular rule to strings of at most ``length`` code points.

        Raises ValueError for a negative length, and for a rule that is not known to be regular. The call is
        cheap, because this rule matches the strings. The automaton with the bound is built on demand, and can
        be too large (LimitExceeded).
        """
        instance_argument(length, "length", int, "an int")
        if not 0 <= length <= maxsize:
            raise wrong_value("length", f"from 0 to {maxsize}", length)
        return self.grammar._combine(AT_MOST, self, longest=length)


# Verdicts are functions and not closures, so that they can be pickled. The default of ``engine`` and the
# likely case come first, since a call takes as long as matching a short string.
_AUTO = "auto"


def matches_by_pattern(
    fullmatch: Callable[[str], object], slow: Matcher, text: str, engine: str = _AUTO
) -> bool:
    if engine is _AUTO:
        try:
            return fullmatch(text) is not None
        except TypeError:
            pass  # not a str
    return slow(text, engine=engine)


def matches_by_table(accepts: Callable[[str], bool], slow: Matcher, text: str, engine: str = "auto") -> bool:
    if engine == "auto" and isinstance(text, str):
        return accepts(text)
    return slow(text, engine=engine)


def matches_within(
    longest: int, matches: Callable[[str], bool], slow: Matcher, text: str, engine: str = "auto"
) -> bool:
    if engine == "auto" and type(text) is str:
        return len(text) <= longest and matches(text)
    return slow(text, engine=engine)


def matches_bytes(matches: Matcher, slow: Matcher, text: Text, engine: str = "auto") -> bool:
    if engine == "auto" and type(text) is bytes:
        return matches(text.decode(LATIN_1))
    return slow(text, engine=engine)


def matches_by_kernel(table: Any, slow: Matcher, rule: object, *, of_bytes: bool = False) -> Matcher:
    """Return a method of the C extension that walks the table for a str and calls ``slow`` otherwise.

    With ``of_bytes``, it walks the table for bytes. Each byte is one character.
    """
    kind = compiled.ByteVerdict if of_bytes else compiled.Verdict
    matcher: Matcher = kind(table, slow, (itself, (rule,))).matches
    return matcher


def itself(value: Any) -> Any:
    """Return the verdict of a rule; a verdict is pickled as its rule."""
    return value


class DerivationIterator(Iterator["ParseTree"]):
    """An iterator over the trees of derivations, built lazily; its repr does not build any."""

    def __init__(self, trees: Iterator[ParseTree], rule: str, limit: int | None) -> None:
        self._trees = trees
        self._rule = rule
        self._limit = limit

    def __next__(self) -> ParseTree:
        return next(self._trees)

    def __repr__(self) -> str:
        number = "all" if self._limit is None else f"at most {self._limit}"
        return f"<Derivations by {self._rule}, {number}: iterate over them, or call list()>"


def _last_spans(events: list[tuple[str, int, int]]) -> dict[str, tuple[int, int]]:
    """Return the last span of each rule that is not within another span of the same rule."""
    spans: dict[str, tuple[int, int]] = {}
    for name, start, end in events:
        if name not in spans or start >= spans[name][1]:
            spans[name] = start, end
    return spans


def _in_octets(tree: ParseTree, string: InputText) -> ParseTree:
    """Return the tree; for bytes-like input, first convert token positions to bytes, in place."""
    if not string.octets or string.text.isascii():
        return tree
    at = octets_before(string.text)
    for node in tree.iter_subtrees():
        for token in node.children:
            if not isinstance(token, lark_library.Tree):
                assert token.start_pos is not None
                assert token.end_pos is not None
                token.start_pos, token.end_pos = at(token.start_pos), at(token.end_pos)
    return tree
