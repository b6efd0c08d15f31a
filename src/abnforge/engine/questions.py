"""What a rule is asked about texts: verdicts, reasons, and here the trees of its derivations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from abnforge.arguments import (
    Given,
    Text,
    given,
    instance_argument,
    names_argument,
    wrong_value,
)
from abnforge.engine.reasons import Reasons
from abnforge.late import importing
from abnforge.rejection import octets_before

# Imported where they are used, too: a verdict needs none of them, and importing takes longer than most uses.
if TYPE_CHECKING:
    from abnforge.engine.lanes.trees import ParseTree


class Derivations(Iterator["ParseTree"]):
    """The trees of derivations, made lazily; printing makes none."""

    def __init__(self, trees: Iterator[ParseTree], rule: str, limit: int | None) -> None:
        self._trees = trees
        self._rule = rule
        self._limit = limit

    def __next__(self) -> ParseTree:
        return next(self._trees)

    def __repr__(self) -> str:
        number = "all" if self._limit is None else f"at most {self._limit}"
        return f"<Derivations by {self._rule}, {number}: iterate over them, or call list()>"


class Questions(Reasons):
    """The part of a rule that reads texts. Texts are taken as they are: nothing is stripped."""

    def _teller(self, text: Text, it: Given, engine: str) -> Questions | None:
        """The rule whose tree is told, of a rule that is made of others; None for itself. Raises Rejected."""
        if self._made is None:
            return None
        self._lane(engine)
        if not self._matches(text, engine=engine):
            raise self._rejected(text, engine)
        told: Questions = self._made.teller(it.text, engine)
        return told

    def parse(self, text: Text, *, engine: str = "auto") -> ParseTree:
        """The tree of the text's preferred derivation, as a ``lark.Tree``.

        Raises Rejected, with the explanation, when there is none. A tree's ``data`` is the rule's name
        in Lark's spelling (``hier_part``); ``lark_names`` has the way back. Of bytes, it is the tree of the
        text they spell, and the positions of its tokens count octets.
        """
        it = given(text, "text")
        if (rule := self._teller(text, it, engine)) is not None:
            return rule.parse(text, engine=engine)
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
        if (rule := self._teller(text, it, engine)) is not None:
            return rule.events(text, engine=engine)
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
        if self._made is not None:
            rule = self._teller(text, it, "auto") if self._matches(text) else None
            return iter(()) if rule is None else rule.derivations(text, limit)
        trees = self._derivations(it, limit) if it.broken is None else iter(())
        return Derivations(trees, f"{self.name} of {self._compilation.bound.name}", limit)

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
        self._only_general(engine, "count_derivations")
        if self._made is not None:
            rule = self._teller(text, it, "auto") if self._matches(text) else None
            return 0 if rule is None else rule.count_derivations(text)
        if it.broken is not None:
            return 0
        with self.grammar.readers.taken() as readers:
            return readers.derivations.count(self._key, it.text)


def _in_octets(tree: ParseTree, it: Given) -> ParseTree:
    """A tree whose positions count octets, if the text was given as octets."""
    if it.octets:
        with importing:
            from abnforge.engine.octets import count_octets

        count_octets(tree, it.text)
    return tree
