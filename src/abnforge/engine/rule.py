"""A rule as callers see it: the start of a language, and every call that takes a string.

All engines return the same results. ``automaton`` reads from left to right in linear time and serves every
rule that cannot reach recursion; ``general`` serves every rule, by a pushdown recognizer; ``lark`` does so,
too, slowly, and is the reference. ``engine="automaton"``, ``"general"`` or ``"lark"`` forces one.

Longer than others: every public method of a rule is here, once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from operator import getitem
from sys import maxsize
from typing import TYPE_CHECKING, Any, Self

from abnforge._arguments import (
    Given,
    Text,
    choice_argument,
    given,
    instance_argument,
    is_pieces,
    names_argument,
    pieces_argument,
    plain_argument,
    wrong_value,
)
from abnforge._lazy import NotebookView, cached_property, importing
from abnforge.catalog import ArgumentError
from abnforge.charset import CharSet
from abnforge.engine.compilation import Compilation
from abnforge.engine.matching import (
    ENGINES,
    Derivations,
    Matcher,
    matches_by_kernel,
    matches_by_pattern,
    matches_by_table,
)
from abnforge.engine.messages import message
from abnforge.errors import LimitExceeded, Rejected
from abnforge.records import Frozen, replace
from abnforge.rejection import Expected, LazyFacts, Rejection, octets_before
from abnforge.text import Source

# Imported where they are used, too: a verdict needs none of them, and importing takes longer than most uses.
if TYPE_CHECKING:
    from abnforge.automata.dfa import Automaton
    from abnforge.engine.readers import ReaderPool, Readers
    from abnforge.explain.lessons import Lesson
    from abnforge.grammar.core import Core
    from abnforge.grammar.facts import Facts
    from abnforge.parsing.lark import RuleParser
    from abnforge.parsing.recognizer.stored import Stored
    from abnforge.parsing.trace import Trace
    from abnforge.parsing.trees import ParseTree

# What made a grammar and will make it again: a function, and what it was called with.
Making = tuple[Callable[..., Any], tuple[Any, ...]]

AND, BUT_NOT, OR, NOT, AT_MOST = "&", "-", "|", "~", "at most"
"""Operations of set algebra."""


class Rules(Frozen, Mapping[str, "Rule"]):
    """The rules of one grammar by name, as each of them knows the others.

    Names match without regard to case (RFC 5234, 2.1). Iterating gives the specification's spelling in
    definition order, rules of other grammars that it uses after its own, and the core rules last.

    Two grammars are equal when they were made of the same text, by the same name and options; ``made`` is
    how. That is also what travels to other processes, where they are made again.
    """

    name: str
    compilation: Compilation
    _made: Making
    _rules: Mapping[str, Rule]
    _combine: Callable[..., Rule]  # a Grammar knows set algebra

    def __init__(self, compilation: Compilation, made: Making) -> None:
        instance_argument(compilation, "compilation", Compilation, "a Compilation")
        instance_argument(made, "made", tuple, "a function and its arguments")
        bound = compilation.bound
        self._fill(_made=made, name=bound.name, compilation=compilation)
        self._fill(_rules=compilation.rules(self, Rule))

    def __getitem__(self, name: str) -> Rule:
        if type(name) is not str:
            name = plain_argument(name, "a rule name")
        return self._rules[self.compilation.bound.key(name)]

    def __iter__(self) -> Iterator[str]:
        return (rule.name for rule in self._rules.values())

    def __len__(self) -> int:
        return len(self._rules)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and plain_argument(name, "name").lower() in self._rules

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Rules) and self._made == other._made)

    @cached_property
    def _hash(self) -> int:
        return hash(self._made)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> Making:
        return self._made

    # What never changes is its own copy.
    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    @property
    def source(self) -> Source:
        """The grammar's text."""
        return self.compilation.bound.source

    @property
    def core(self) -> Core:
        """The core form that every lane starts from."""
        return self.compilation.core

    @property
    def facts(self) -> Facts:
        """What follows from the core form: nullable, recursive, productive rules."""
        return self.compilation.facts

    @cached_property
    def readers(self) -> ReaderPool:
        """What reads by the grammar's states, shared by all rules."""
        with importing:
            from abnforge.engine.readers import ReaderPool

        return ReaderPool(self.compilation)


class Rule(Frozen, NotebookView):
    """One rule as the start of a language. Get it from a :class:`~abnforge.Grammar`.

    ``section`` is the section of the specification that defines it, None where none is known; of a rule taken
    over from another specification it is that one's, cited in full. Wherever a string is taken, it is taken
    as it is: nothing is stripped, no trailing newline forgiven.

    A text is a str, a component object of a URI, or UTF-8 as ``bytes``, ``bytearray`` or ``memoryview``. Of
    bytes, all offsets that are told count octets, and octets that are not UTF-8 are no text: no rule derives
    them. TypeError is raised for anything else, GrammarError when the rule depends on a prose-val, whose
    meaning no program knows.

    Rules are equal when they have the same name in equal grammars.

    Regular rules are sets of strings: ``a & b``, ``a - b``, ``a | b``, ``~a`` and ``a.at_most(n)`` are rules,
    too, of whatever grammars; docs/policies.md says what is told of them. ValueError is raised for a rule
    that is not known to be regular, LimitExceeded for more than 50 operations in one rule.
    """

    grammar: Rules
    name: str
    section: str | None
    origin: str
    _compilation: Compilation
    _key: str
    _expression: Any = None  # the SetExpression that defines the rule, if it has no definition

    def __init__(self, grammar: Rules, key: str) -> None:
        if not isinstance(grammar, Rules):  # a grammar has many rules
            instance_argument(grammar, "grammar", Rules, "a Grammar")
        made = grammar.compilation
        if type(key) is not str or key not in made.bound.outline:
            key = made.bound.key(plain_argument(key, "key"))
        outline = made.bound.outline[key]
        self._fill(
            grammar=grammar,
            name=outline.name,
            section=outline.section,
            origin=outline.origin,
            _compilation=made,
            _key=key,
        )

    @property
    def key(self) -> str:
        """The name in lower case, by which the grammar's parts know the rule."""
        return self._key

    def __repr__(self) -> str:
        return f"<Rule {self.name} of {self.grammar.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and (self._key, self.grammar) == (other._key, other.grammar)

    def __hash__(self) -> int:
        return hash((self._key, self.grammar))

    def __reduce__(self) -> Making:
        return getitem, (self.grammar, self.name)

    # What never changes is its own copy.
    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __and__(self, other: object) -> Rule:
        return self.grammar._combine(AND, self, other) if isinstance(other, Rule) else NotImplemented

    def __sub__(self, other: object) -> Rule:
        return self.grammar._combine(BUT_NOT, self, other) if isinstance(other, Rule) else NotImplemented

    def __or__(self, other: object) -> Rule:
        return self.grammar._combine(OR, self, other) if isinstance(other, Rule) else NotImplemented

    def __invert__(self) -> Rule:
        return self.grammar._combine(NOT, self)

    def at_most(self, length: int) -> Rule:
        """The strings of a regular rule that have at most so many code points.

        Raises ValueError for a length below 0, and for a rule that is not known to be regular. Cost: none;
        a text is read as by the rule itself. The automaton that counts is built only where it is asked for,
        and may be too large (LimitExceeded).
        """
        instance_argument(length, "length", int, "an int")
        if not 0 <= length <= maxsize:
            raise wrong_value("length", f"from 0 to {maxsize}", length)
        return self.grammar._combine(AT_MOST, self, longest=length)

    @cached_property
    def matches(self) -> Matcher:
        """``matches(text, *, engine="auto") -> bool``: whether the rule derives the text.

        The text may also come as an iterable of str, its pieces in order, such as an open file: then memory
        grows with the nesting of what is read, and not with its length. A function made for the rule when it
        is first asked for, since going through a method would take as long as the match of a short string. It
        travels to other processes, as by ``multiprocessing.Pool.map``; as a function it equals itself alone,
        and there it is the one that is made there: compare rules, not their functions. Cost: linear; of rules
        that recurse, at worst cubic, and linear on what people write.
        """
        return self._fast or self._matches

    def _matches(self, text: Text | Iterable[str], *, engine: str = "auto") -> bool:
        if type(text) is not str and is_pieces(text):
            return self._matches_pieces(text, engine)
        it = given(text, "text")
        if engine == "auto" and self._fast is not None:
            return it.broken is None and self._fast(it.text)
        self._lane(engine)
        return it.broken is None and self._derives(it.text, engine)

    def _derives(self, text: str, engine: str) -> bool:
        with self.grammar.readers.taken() as readers:
            lane = readers.lane(self._key, "general" if engine == "auto" else engine, self._parser)
            return lane.matches(text)

    def _matches_pieces(self, pieces: Iterable[str], engine: str) -> bool:
        self._only_general(engine, "an iterable of strings")
        return self._derives_pieces(pieces_argument(pieces, "text"))

    def _derives_pieces(self, pieces: Iterable[str]) -> bool:
        with self.grammar.readers.taken() as readers:
            return readers.machine.read(self._key, pieces).accepting

    def _matches_stored(self, text: Text | Iterable[str], *, engine: str = "auto") -> bool:
        """``matches`` by stored configurations, and by the grammar's machine where they end."""
        if engine != "auto" or type(text) is not str or self._stored is None:
            return self._matches(text, engine=engine)
        accepting, left = self._stored.read(text)
        return self._matches_pieces(left, engine) if left else accepting

    @cached_property
    def _stored(self) -> Stored | None:
        return self._compilation.stored(self._key)

    @cached_property
    def _fast(self) -> Matcher | None:
        """``matches`` by the rule's table, its pattern, its automaton or its stored configurations; None when
        it has none of them.
        """
        if self._compilation.prose(self._key) is not None:
            return None
        if self._stored is not None:
            return self._matches_stored
        if not self.regular:
            return None
        slow = self._matches
        table = self._compilation.table(self._key)
        if table is not None:
            return matches_by_kernel(table, slow, self)
        return self._fast_in_python(slow)

    def _fast_in_python(self, slow: Matcher) -> Matcher | None:
        pattern = None if self._compilation.is_long_list(self._key) else self.pattern
        if pattern is None:
            try:
                accepts = self._compilation.small_automaton(self._key).accepts
            except LimitExceeded:
                return None
            return partial(matches_by_table, accepts, slow)
        return partial(matches_by_pattern, re.compile(pattern).fullmatch, slow)

    def _parser(self) -> RuleParser:
        return self.lark

    def _lane(self, engine: str, *, general: bool = False) -> str:
        """The name of the lane that is to answer; ``general``: by itself it would be the general one. Refuses
        what every question refuses.
        """
        if engine != "auto":
            choice_argument(engine, "engine", ENGINES)
        if engine == "automaton" and self.recursive:
            raise ArgumentError(message("rule-recursive", rule=self.name))
        self._compilation.refuse_prose(self._key)
        if engine != "auto":
            return engine
        return "general" if general or self.recursive else "automaton"

    def _only_general(self, engine: str, what: str) -> None:
        if self._lane(engine, general=True) != "general":
            raise ArgumentError(message("engine-general", operation=what, engine=engine))

    def check(self, text: Text, *, engine: str = "auto") -> None:
        """Raise Rejected, with the explanation, unless the rule derives the text. Builds no tree."""
        rejection = self.explain(text, engine=engine)
        if rejection is not None:
            raise Rejected(rejection)

    def explain(
        self, text: Text, *, suggest: bool = True, hypotheses: int = 1, engine: str = "auto"
    ) -> Rejection | None:
        """Why the text is rejected; None when it is valid.

        The first hypothesis, and with it ``code``, ``section`` and ``message``, is the mistake by the
        likeliest reading of the text. At most so many ``hypotheses`` are told: each further one has another
        code, and takes some milliseconds. ``suggest=False`` leaves out the suggestion, and changes nothing
        else. There is none for bytes that are not UTF-8.
        """
        instance_argument(hypotheses, "hypotheses", int, "an int")
        if hypotheses < 1:
            raise wrong_value("hypotheses", "at least 1", hypotheses)
        it = given(text, "text")
        if engine == "auto" and it.broken is None and self._fast is not None:
            if self._fast(it.text):
                return None
            rejection = self._explain_rejected(it, suggest, hypotheses)
            if rejection is not None:
                return rejection
        return self._explain(it, suggest, hypotheses, engine, self._lane(engine))

    def _explain(self, it: Given, suggest: bool, hypotheses: int, engine: str, name: str) -> Rejection | None:
        with self.grammar.readers.taken() as readers:
            lane = readers.lane(self._key, name, self._parser)
            if it.broken is not None:
                with importing:
                    from abnforge.engine.octets import explain_broken

                return explain_broken(readers, lane, self._key, it.text, it.broken)
            failure = lane.failure(it.text)
            if failure is None:
                return None
            derives = lane.matches if engine != "auto" or self._fast is None else self._fast
            rejection = readers.explainer(self._key).explain(
                it.text, failure, derives, suggest=suggest, hypotheses=hypotheses
            )
        return rejection.to_byte_offsets() if it.octets else rejection

    def _explain_rejected(self, it: Given, suggest: bool, hypotheses: int) -> Rejection | None:
        """The rejection of a string that the table rejects, if a declared mistake explains it."""
        if hypotheses > 1:
            return None
        table = self._compilation.table(self._key)
        if table is None:
            return None
        offset, _ = table.read(it.text)
        assert self._fast is not None
        with self.grammar.readers.taken() as readers:
            rejection = readers.explainer(self._key).explain_mistake(
                it.text, offset, self._fast, suggest=suggest
            )
        if rejection is None:
            return None
        mistake = rejection.hypotheses[0]
        rejection._attach(LazyFacts(partial(self._facts_of, it.text, mistake.offset, mistake.rule_path)))
        return rejection.to_byte_offsets() if it.octets else rejection

    def _facts_of(
        self, text: str, start: int, rule_path: tuple[str, ...]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The facts of the rejection of a string, and of its hypothesis of a mistake in a rule."""
        with self.grammar.readers.taken() as readers:
            failure = readers.lane(self._key, self._lane("auto"), self._parser).failure(text)
            assert failure is not None, "the engines disagree"
            return readers.explainer(self._key).facts(failure, start, rule_path)

    def lesson(self, text: Text, *, engine: str = "auto") -> Lesson | None:
        """Why the text is rejected, as steps: what was read as what, where no rule could go on, which mistake
        that is, and what to change. None when it is valid. Offsets count code points, of bytes, too.

        Raises ValueError for bytes that are not UTF-8.
        """
        it = given(text, "text")
        if it.broken is not None:
            raise ArgumentError(message("lesson-not-utf8"))
        return self._lesson(it.text, engine, self._lane(engine))

    def _lesson(self, text: str, engine: str, name: str) -> Lesson | None:
        with self.grammar.readers.taken() as readers:
            lane = readers.lane(self._key, name, self._parser)
            failure = lane.failure(text)
            if failure is None:
                return None
            return readers.explainer(self._key).lesson(text, failure, lane.matches)

    def _expected_after(self, prefix: str, allowed: CharSet) -> Iterator[Expected]:
        """What is allowed after a viable prefix, of the characters ``allowed``."""
        with importing:
            from abnforge.parsing.stop import viable_states

        with self.grammar.readers.taken() as readers:
            if self.recursive:
                reached = viable_states(readers.derivatives, self._key, prefix, len(prefix))
            else:
                reached = readers.derivatives.read(self._key, prefix)
            if len(reached) > len(prefix):
                yield from readers.expectations.of(reached[-1].states, allowed)

    def _rejected(self, text: Text, engine: str) -> Rejected:
        rejection = self.explain(text, engine=engine)
        assert rejection is not None, "the lanes disagree"
        return Rejected(rejection)

    def parse(self, text: Text, *, engine: str = "auto") -> ParseTree:
        """The tree of the text's preferred derivation, as a ``lark.Tree``.

        Raises Rejected, with the explanation, when there is none. A tree's ``data`` is the rule's name
        in Lark's spelling (``hier_part``); ``lark_names`` has the way back. Of bytes, it is the tree of the
        text they spell, and the positions of its tokens count octets.
        """
        it = given(text, "text")
        tree = None
        with self.grammar.readers.taken() as readers:
            trace = self._trace(readers, it, engine)
            if trace is not None:
                tree = readers.builder.build(it.text, trace)
        if tree is None:
            raise self._rejected(text, engine)
        return _in_octets(tree, it)

    def events(self, text: Text, *, engine: str = "auto") -> list[tuple[str, int, int]]:
        """The same tree flat: ``(rule, start, end)`` for each of its nodes, for trees deeper than a program
        should recurse.

        In preorder: a rule comes before those inside it, and these come from left to right; so the first is
        this rule over the whole text, and starts never decrease. Names are the specification's; offsets count
        code points from 0 (octets, of bytes), and the end is behind the last one. A rule lies inside the
        nearest one before it that ends after it begins; whether an empty rule lies inside or behind one that
        ends where it begins, only the tree tells. Raises Rejected, as ``parse`` does. Cost: as ``parse``.
        """
        it = given(text, "text")
        spans = None
        with self.grammar.readers.taken() as readers:
            trace = self._trace(readers, it, engine)
            if trace is not None:
                spans = readers.spans.of(trace)
        if spans is None:
            raise self._rejected(text, engine)
        if it.octets:
            at = octets_before(it.text)
            return [(name, at(start), at(end)) for name, start, end in spans]
        return spans

    def _trace(self, readers: Readers, it: Given, engine: str) -> Trace | None:
        """Return the preferred derivation; None when there is none.

        The rule's table rejects a string a hundred times faster than the transducer. This method does not
        compile a table for that: it uses the table of an earlier verdict, and compiles one only if the
        transducer exceeds its limits. So the result does not depend on earlier calls.
        """
        lane = readers.lane(self._key, self._lane(engine), self._parser)
        if it.broken is not None:
            return None
        is_quick = engine == "auto" and not self.recursive
        if is_quick and (matches := self.__dict__.get("_fast")) is not None and not matches(it.text):
            return None
        try:
            return lane.events(it.text)
        except LimitExceeded:
            if is_quick and self._fast is not None and not self._fast(it.text):
                return None
            raise

    def components(
        self, text: Text, names: Iterable[str], *, engine: str = "auto"
    ) -> dict[str, tuple[int, int] | None]:
        """Where the rules of those names stand in the text's preferred derivation: name -> ``(start, end)``.

        Offsets are as for ``events``. None for a rule that took no part; of one that stands in several places
        the last is told, and of one within itself the outermost. Names match without regard to case, and are
        given back as they were given. Raises Rejected as ``parse`` does, UnknownNameError for a rule that
        does not exist. Cost: linear, and one walk, where no recursion can reach the rule and not too many
        names are asked for; else as ``events``.
        """
        keys = {name: self._compilation.bound.key(name) for name in names_argument(names, "names")}
        wanted = sorted(set(keys.values()))
        it = given(text, "text")
        lane = self._lane(engine)
        table = None
        if engine == "auto" and lane == "automaton":
            table = self._compilation.tagged_table(self._key, {key: (key,) for key in wanted}, {})
        if table is None:
            found = self._last_places(self.events(text, engine=engine))
            names = self._compilation.bound.rules
            return {name: found.get(names[key].name) for name, key in keys.items()}
        read = table.find(it.text) if it.broken is None else None
        if read is None:
            raise self._rejected(text, engine)
        places, _ = read
        at = octets_before(it.text) if it.octets else int
        pairs = {
            key: (at(begin), at(end)) if end >= 0 else None
            for key, begin, end in zip(wanted, places[::2], places[1::2], strict=True)
        }
        return {name: pairs[key] for name, key in keys.items()}

    def _last_places(self, events: list[tuple[str, int, int]]) -> dict[str, tuple[int, int]]:
        """The last place of each rule that is not within another place of it."""
        found: dict[str, tuple[int, int]] = {}
        for name, start, end in events:
            if name not in found or start >= found[name][1]:
                found[name] = start, end
        return found

    def derivations(self, text: Text, limit: int | None = 10, *, engine: str = "auto") -> Iterator[ParseTree]:
        """The trees of all derivations of a text, in the contract's order: the one that ``parse`` gives, then
        those that differ from it in a decision, the last decision first. Each is made when it is asked for.

        No more than ``limit`` (None: all). A tree never has a rule below itself over the same span, so they
        are finitely many; none for a text that is not derived. Neighbouring alternatives of one character
        each are one set, as for ``count_derivations``. Only the general lane tells them. Raises
        LimitExceeded. Cost: at worst cubic in the length of the text, and for each tree its size.
        """
        if limit is not None:
            instance_argument(limit, "limit", int, "an int or None")
            if limit < 0:
                raise wrong_value("limit", "at least 0", limit)
        it = given(text, "text")
        self._only_general(engine, "derivations")
        return self._derivations(it, limit)

    def _derivations(self, it: Given, limit: int | None) -> Iterator[ParseTree]:
        trees = self._trees(it, limit) if it.broken is None else iter(())
        return Derivations(trees, f"{self.name} of {self._compilation.bound.name}", limit)

    def _trees(self, it: Given, limit: int | None) -> Iterator[ParseTree]:
        with self.grammar.readers.taken() as readers:
            for trace in readers.derivations.in_order(self._key, it.text, limit):
                yield _in_octets(readers.builder.build(it.text, trace), it)

    def count_derivations(self, text: Text, *, engine: str = "auto") -> int | float:
        """How many derivations a text has: 0 if it is not derived, 1 if it is unambiguous, ``math.inf`` if a
        rule derives itself, so that there is no end of them. Neighbouring alternatives of one character each
        are one set (``"a" / "a"``), which no tree can tell apart.

        Only the general lane tells. Raises LimitExceeded. Cost: at worst cubic in the length of the text.
        """
        it = given(text, "text")
        self._only_general(engine, "count_derivations")
        return self._count_derivations(it)

    def _count_derivations(self, it: Given) -> int | float:
        if it.broken is not None:
            return 0
        with self.grammar.readers.taken() as readers:
            return readers.derivations.count(self._key, it.text)

    @property
    def definition(self) -> str:
        """The rule as ABNF text."""
        with importing:
            from abnforge.grammar.printer import print_rule

        bound = self._compilation.bound.rules[self._key]
        return print_rule(replace(bound.rule, elements=bound.elements, incremental=False))

    @property
    def uses(self) -> tuple[str, ...]:
        """The names of the rules that the definition refers to, in order, each once."""
        names = self._compilation.core.names
        return tuple(names[key] for key in self._compilation.facts.references[self._key])

    @property
    def used_by(self) -> tuple[str, ...]:
        """The names of the rules whose definitions refer to this one."""
        core = self._compilation.core
        references = self._compilation.facts.references
        return tuple(core.names[key] for key in core.rules if self._key in references[key])

    @property
    def pattern(self) -> str | None:
        """A pattern for ``re.fullmatch`` that matches exactly what the rule derives, in linear time.

        It was proved to accept what the rule's automaton does. None when the rule is not regular, when no
        pattern is known that cannot backtrack at length, or when none could be proved within the budget.
        """
        self._compilation.refuse_prose(self._key)
        return self._compilation.pattern(self._key)

    def export(self, dialect: str, *, groups: Iterable[str] = (), anchored: bool = True) -> str:
        """The rule as a regular expression for another engine: ``python``, ``re2``, ``rust``, ``pcre2``,
        ``ecmascript``, ``java`` or ``sql``.

        ``groups`` names rules whose texts are wanted: each place of one is a named group, ``path_abempty``,
        ``path_abempty_2``, ... (in Java ``pathAbempty2``). ``anchored=False`` leaves out the anchors of both
        ends, for functions that match the whole text anyway. Raises UnknownNameError for a dialect or a rule
        that does not exist, ValueError when the rule has no such pattern.
        """
        with importing:
            from abnforge.engine.export import dialect_named, export

        self._compilation.refuse_prose(self._key)
        keys = frozenset(map(self._compilation.bound.key, names_argument(groups, "groups")))
        return export(self._compilation, self._key, dialect_named(dialect), keys, anchored)

    @cached_property
    def lark(self) -> RuleParser:
        """A real ``lark.Lark`` that starts at this rule, built when first asked for; equal when rules are.

        Raises ValueError for a set of other rules: use these.
        """
        with importing:
            from abnforge.parsing.lark import RuleParser

        self._compilation.refuse_prose(self._key)
        made = self._compilation
        return RuleParser(made.core, made.facts, self._key, made.lark, made.budget, owner=self)

    @property
    def lark_text(self) -> str:
        """The Lark grammar of this rule and those it needs."""
        return self._compilation.lark.text(self._compilation.facts.reachable(self._key))

    @property
    def lark_names(self) -> Mapping[str, str]:
        """Lark rule name -> ABNF rule name; a mapping of your own. Cost: linear in the rules."""
        return dict(self._compilation.lark.rules)

    @property
    def regular(self) -> bool:
        """Whether the rule is known to denote a regular language: nothing it needs recurses but to one
        side."""
        return self._compilation.is_regular(self._key)

    @cached_property
    def automaton(self) -> Automaton:
        """The minimal automaton of a regular rule, built when first asked for.

        Raises ValueError for a rule that is not known to be regular, LimitExceeded for one whose automaton is
        too large, GrammarError for one that needs a prose-val.
        """
        self._compilation.refuse_prose(self._key)
        if not self.regular:
            raise ArgumentError(message("rule-not-regular", rule=self.name, grammar=self.grammar.name))
        return self._compilation.automaton(self._key)

    @cached_property
    def recursive(self) -> bool:
        """Whether a derivation from this rule can meet a recursive rule."""
        facts = self._compilation.facts
        return not facts.recursive.isdisjoint(facts.reachable(self._key))


def _in_octets(tree: ParseTree, it: Given) -> ParseTree:
    """A tree whose positions count octets, if the text was given as octets."""
    if it.octets:
        with importing:
            from abnforge.engine.octets import count_octets

        count_octets(tree, it.text)
    return tree
