"""What a rule is asked about texts, and the choice of a lane for each question.

All lanes give one answer. The automaton lane reads from left to right in linear time and serves every rule
that no recursion can reach; the general lane serves them all, by a pushdown recogniser; the Lark lane does,
too, slowly, and is the reference. ``engine="automaton"``, ``"general"`` or ``"lark"`` forces one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Protocol

from abnforge.arguments import (
    Given,
    Text,
    choice_argument,
    given,
    instance_argument,
    is_pieces,
    names_argument,
    pieces_argument,
)
from abnforge.engine.compilation import Compilation
from abnforge.engine.verdicts import Matcher, matches_by_kernel, matches_by_pattern, matches_by_table
from abnforge.errors import LimitExceeded, Rejected
from abnforge.frozen import Frozen
from abnforge.late import importing
from abnforge.once import once
from abnforge.rejection import Rejection, octets_before

# Imported where they are used, too: a verdict needs none of them, and importing takes longer than most uses.
if TYPE_CHECKING:
    from abnforge.engine.lanes.lark import RuleParser
    from abnforge.engine.lanes.trees import ParseTree
    from abnforge.engine.readers import ReaderPool
    from abnforge.explain.lessons import Lesson
    from abnforge.pushdown.stored import Stored

ENGINES = ("auto", "automaton", "general", "lark")


class _Grammar(Protocol):
    @property
    def readers(self) -> ReaderPool: ...


class Questions(Frozen):
    """The part of a rule that reads texts. Texts are taken as they are: nothing is stripped."""

    name: str
    _compilation: Compilation
    _key: str

    if TYPE_CHECKING:  # what the rule itself knows

        @property
        def grammar(self) -> _Grammar: ...
        @property
        def pattern(self) -> str | None: ...
        @property
        def regular(self) -> bool: ...
        @property
        def recursive(self) -> bool: ...
        @property
        def lark(self) -> RuleParser: ...

    @once
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
        lane = self._lane(engine, general=not self.recursive)
        with self.grammar.readers.taken() as readers:
            return it.broken is None and readers.lane(self._key, lane, self._parser).matches(it.text)

    def _matches_pieces(self, pieces: Iterable[str], engine: str) -> bool:
        self._only_general(engine, "a text in pieces")
        with self.grammar.readers.taken() as readers:
            return readers.machine.read(self._key, pieces_argument(pieces, "text")).accepting

    def _matches_stored(self, text: Text | Iterable[str], *, engine: str = "auto") -> bool:
        """``matches`` by stored configurations, and by the grammar's machine where they end."""
        if engine != "auto" or type(text) is not str or self._stored is None:
            return self._matches(text, engine=engine)
        accepting, left = self._stored.read(text)
        return self._matches_pieces(left, engine) if left else accepting

    @once
    def _stored(self) -> Stored | None:
        return self._compilation.stored(self._key)

    @once
    def _fast(self) -> Matcher | None:
        """``matches`` by the rule's table, its pattern, its automaton or its stored configurations; None when
        it has none of them.
        """
        if self._compilation.prose(self._key) is not None:
            return None
        if not self.regular:
            return None if self._stored is None else self._matches_stored
        slow = self._matches
        table = self._compilation.table(self._key)
        if table is not None:
            return matches_by_kernel(table, slow, self)
        pattern = None if self._compilation.is_long_list(self._key) else self.pattern
        if pattern is None:
            try:
                accepts = self._compilation.small_automaton(self._key).accepts
            except LimitExceeded:
                return None
            return partial(matches_by_table, accepts, slow)
        return partial(matches_by_pattern, re.compile(pattern).fullmatch, slow)

    def check(self, text: Text, *, engine: str = "auto") -> None:
        """Raise Rejected, with the explanation, unless the rule derives the text. Builds no tree."""
        rejection = self.explain(text, engine=engine)
        if rejection is not None:
            raise Rejected(rejection)

    def parse(self, text: Text, *, engine: str = "auto") -> ParseTree:
        """The tree of the text's preferred derivation, as a ``lark.Tree``.

        Raises Rejected, with the explanation, when there is none. A tree's ``data`` is the rule's name
        in Lark's spelling (``hier_part``); ``lark_names`` has the way back. Of bytes, it is the tree of the
        text they spell, and the positions of its tokens count octets.
        """
        it = given(text, "text")
        lane = self._lane(engine)
        with self.grammar.readers.taken() as readers:
            read = readers.lane(self._key, lane, self._parser)
            tree = read.parse(it.text) if it.broken is None else None
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
        lane = self._lane(engine)
        found = None
        with self.grammar.readers.taken() as readers:
            read = readers.lane(self._key, lane, self._parser)
            if it.broken is None and (trace := read.events(it.text)) is not None:
                found = readers.spans.of(trace)
        if found is None:
            raise self._rejected(text, engine)
        if it.octets:
            at = octets_before(it.text)
            return [(name, at(start), at(end)) for name, start, end in found]
        return found

    def components(
        self, text: Text, names: Iterable[str], *, engine: str = "auto"
    ) -> dict[str, tuple[int, int] | None]:
        """Where the rules of those names stand in the text's preferred derivation: name -> ``(start, end)``.

        Offsets are as for ``events``. None for a rule that took no part; of one that stands in several places
        the last is told, and of one within itself the outermost. Names match without regard to case, and are
        given back as they were given. Raises Rejected as ``parse`` does, UnknownName for a rule that does not
        exist. Cost: linear, and one walk, where no recursion can reach the rule and not too many names are
        asked for; else as ``events``.
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
            return {name: found.get(self._compilation.core.names[key]) for name, key in keys.items()}
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
            instance_argument(limit, "limit", int, "a number of derivations, or None for all")
            if limit < 0:
                raise ValueError("limit is a number of derivations, and not below 0")
        it = given(text, "text")
        self._only_general(engine, "derivations in order")
        return self._derivations(it, limit) if it.broken is None else iter(())

    def _derivations(self, it: Given, limit: int | None) -> Iterator[ParseTree]:
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
        self._only_general(engine, "the number of derivations")
        if it.broken is not None:
            return 0
        with self.grammar.readers.taken() as readers:
            return readers.derivations.count(self._key, it.text)

    def _only_general(self, engine: str, what: str) -> None:
        if self._lane(engine, general=True) != "general":
            raise ValueError(f"{what}: the general lane tells them, not engine={engine!r}")

    def explain(
        self, text: Text, *, suggest: bool = True, hypotheses: int = 1, engine: str = "auto"
    ) -> Rejection | None:
        """Why the text is rejected; None when it is valid.

        The first hypothesis, and with it ``code``, ``section`` and ``message``, is the mistake by the
        likeliest reading of the text. At most so many ``hypotheses`` are told: each further one has another
        code, and takes some milliseconds. ``suggest=False`` leaves out the suggestion, and changes nothing
        else. There is none for bytes that are not UTF-8.
        """
        instance_argument(hypotheses, "hypotheses", int, "a number of hypotheses")
        if hypotheses < 1:
            raise ValueError("hypotheses is a number of hypotheses, and at least 1")
        it = given(text, "text")
        if engine == "auto" and it.broken is None and self._fast is not None and self._fast(it.text):
            return None
        name = self._lane(engine)
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
        return rejection.in_octets() if it.octets else rejection

    def lesson(self, text: Text, *, engine: str = "auto") -> Lesson | None:
        """Why the text is rejected, as steps: what was read as what, where no rule could go on, which mistake
        that is, and what to change. None when it is valid. Offsets count code points, of bytes, too.

        Raises ValueError for bytes that are not UTF-8.
        """
        it = given(text, "text")
        if it.broken is not None:
            raise ValueError("text is not UTF-8; explain tells where")
        name = self._lane(engine)
        with self.grammar.readers.taken() as readers:
            lane = readers.lane(self._key, name, self._parser)
            failure = lane.failure(it.text)
            if failure is None:
                return None
            return readers.explainer(self._key).lesson(it.text, failure, lane.matches)

    def _rejected(self, text: Text, engine: str) -> Rejected:
        rejection = self.explain(text, engine=engine)
        assert rejection is not None, "the lanes disagree"
        return Rejected(rejection)

    def _parser(self) -> RuleParser:
        return self.lark

    def _lane(self, engine: str, *, general: bool = False) -> str:
        """The name of the lane that is to answer; ``general``: by itself it would be the general one. Refuses
        what every question refuses.
        """
        if engine != "auto":
            choice_argument(engine, "engine", ENGINES)
        if engine == "automaton" and self.recursive:
            raise ValueError(
                f"{self.name} is recursive: no automaton can read it; engine='general' can, and 'lark'"
            )
        self._compilation.refuse_prose(self._key)
        if engine != "auto":
            return engine
        return "general" if general or self.recursive else "automaton"


def _in_octets(tree: ParseTree, it: Given) -> ParseTree:
    """A tree whose positions count octets, if the text was given as octets."""
    if it.octets:
        with importing:
            from abnforge.engine.octets import count_octets

        count_octets(tree, it.text)
    return tree
