"""Rules as callers see them: one rule as the start of a language, and what it compiles to. What it is asked
about texts is in ``questions``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import getitem
from sys import maxsize
from typing import TYPE_CHECKING, Any, Self

from abnforge.arguments import (
    instance_argument,
    names_argument,
    plain_argument,
    wrong_value,
)
from abnforge.catalog import ArgumentError
from abnforge.engine.combination import AND, AT_MOST, BUT_NOT, NOT, OR, Combination, derived_from
from abnforge.engine.compilation import Compilation
from abnforge.engine.messages import message
from abnforge.engine.questions import Questions
from abnforge.engine.refusals import Refusal
from abnforge.frozen import Frozen
from abnforge.late import importing
from abnforge.once import once
from abnforge.records import replace
from abnforge.showing import Shown
from abnforge.source import Source

# Imported where they are used, too: a verdict needs none of them, and importing takes longer than most uses.
if TYPE_CHECKING:
    from abnforge.analysis.core_form import Core
    from abnforge.analysis.facts import Facts
    from abnforge.automaton.dfa import Automaton
    from abnforge.engine.lanes.lark import RuleParser
    from abnforge.engine.readers import ReaderPool

# What made a grammar and will make it again: a function, and what it was called with.
Making = tuple[Callable[..., Any], tuple[Any, ...]]


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

    def __init__(self, compilation: Compilation, made: Making) -> None:
        instance_argument(compilation, "compilation", Compilation, "a Compilation")
        instance_argument(made, "made", tuple, "a function and its arguments")
        bound = compilation.bound
        self._fill(_made=made, name=bound.name, compilation=compilation)
        self._fill(_rules={key: compilation.others.get(key) or Rule(self, key) for key in bound.outline})

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

    @once
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

    @once
    def readers(self) -> ReaderPool:
        """What reads by the grammar's states, shared by all rules."""
        with importing:
            from abnforge.engine.readers import ReaderPool

        return ReaderPool(self.compilation)


class Rule(Questions, Shown):
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
        return self._combined(AND, other) if isinstance(other, Rule) else NotImplemented

    def __sub__(self, other: object) -> Rule:
        return self._combined(BUT_NOT, other) if isinstance(other, Rule) else NotImplemented

    def __or__(self, other: object) -> Rule:
        return self._combined(OR, other) if isinstance(other, Rule) else NotImplemented

    def __invert__(self) -> Rule:
        return self._combined(NOT)

    def at_most(self, length: int) -> Rule:
        """The strings of a regular rule that have at most so many code points.

        Raises ValueError for a length below 0, and for a rule that is not known to be regular. Cost: none;
        a text is read as by the rule itself. The automaton that counts is built only where it is asked for,
        and may be too large (LimitExceeded).
        """
        instance_argument(length, "length", int, "an int")
        if not 0 <= length <= maxsize:
            raise wrong_value("length", f"from 0 to {maxsize}", length)
        return self._combined(AT_MOST, longest=length)

    def _combined(
        self,
        operation: str,
        other: Rule | None = None,
        *,
        longest: int | None = None,
        refusal: Refusal | None = None,
        title: str | None = None,
    ) -> Rule:
        """The rule of an operation of set algebra; ``refusal`` is what it says of what it leaves out, and
        ``title`` its name, which is otherwise made of those of its operands.
        """
        made = Combination(operation, self, other, longest, refusal, title)
        return combined_grammar(made)[made.name]

    @property
    def definition(self) -> str:
        """The rule as ABNF text."""
        with importing:
            from abnforge.abnf.printer import print_rule

        bound = self._compilation.bound.rules[self._key]
        return print_rule(replace(bound.rule, elements=bound.elements, incremental=False))

    @property
    def uses(self) -> tuple[str, ...]:
        """The names of the rules that the definition refers to, in order, each once."""
        if self._made is not None:
            return tuple(dict.fromkeys(operand.name for operand in self._made.operands))
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

    @once
    def lark(self) -> RuleParser:
        """A real ``lark.Lark`` that starts at this rule, built when first asked for; equal when rules are.

        Raises ValueError for a rule that is made of others: ask these.
        """
        with importing:
            from abnforge.engine.lanes.lark import RuleParser

        self._compilation.refuse_prose(self._key)
        self._refuse_made("a Lark grammar")
        made = self._compilation
        return RuleParser(made.core, made.facts, self._key, made.lark, made.budget, owner=self)

    @property
    def lark_text(self) -> str:
        """The Lark grammar of this rule and those it needs."""
        self._refuse_made("a Lark grammar")
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

    @once
    def automaton(self) -> Automaton:
        """The minimal automaton of a regular rule, built when first asked for.

        Raises ValueError for a rule that is not known to be regular, LimitExceeded for one whose automaton is
        too large, GrammarError for one that needs a prose-val.
        """
        self._compilation.refuse_prose(self._key)
        if not self.regular:
            raise ArgumentError(message("rule-not-regular", rule=self.name, grammar=self.grammar.name))
        return self._compilation.automaton(self._key)

    @once
    def recursive(self) -> bool:
        """Whether a derivation from this rule can meet a recursive rule."""
        if self._made is not None:
            return any(operand.recursive for operand in self._made.operands)
        facts = self._compilation.facts
        return not facts.recursive.isdisjoint(facts.reachable(self._key))

    def _refuse_made(self, what: str) -> None:
        if self._made is not None:
            operands = [derived_from(self)] if self._made.is_narrower else list(self._made.operands)
            names = tuple(operand.name for operand in operands if operand is not None)
            raise ArgumentError(message("rule-combined", rule=self.name, operands=names, what=what))


def combined_grammar(made: Combination) -> Rules:
    """The grammar of a rule that is made of others, of the kind that their grammars are."""
    with importing:
        from abnforge.engine.combined import Combined

    kind = type(made.left.grammar)
    grammar: Rules = kind(Combined(made), (combined_grammar, (made,)))
    return grammar


def combine(
    operation: str,
    left: Rule,
    right: Rule | None = None,
    *,
    longest: int | None = None,
    refusal: Refusal | None = None,
    title: str | None = None,
) -> Rule:
    """The rule of an operation of set algebra, for those who say what is said of what it leaves out."""
    return left._combined(operation, right, longest=longest, refusal=refusal, title=title)
