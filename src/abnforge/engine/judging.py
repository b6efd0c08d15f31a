"""Verdicts of a rule, and the choice of a lane for each question about texts.

All lanes give one answer. The automaton lane reads from left to right in linear time and serves every rule
that no recursion can reach; the general lane serves them all, by a pushdown recogniser; the Lark lane does,
too, slowly, and is the reference. ``engine="automaton"``, ``"general"`` or ``"lark"`` forces one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from abnforge.arguments import (
    Text,
    choice_argument,
    given,
    is_pieces,
    pieces_argument,
)
from abnforge.catalog import ArgumentError
from abnforge.engine.combination import Combination
from abnforge.engine.compilation import Compilation
from abnforge.engine.messages import message
from abnforge.engine.verdicts import (
    Matcher,
    matches_by_kernel,
    matches_by_pattern,
    matches_by_table,
    matches_within,
)
from abnforge.errors import LimitExceeded
from abnforge.frozen import Frozen
from abnforge.once import once

# Imported where they are used, too: a verdict needs none of them, and importing takes longer than most uses.
if TYPE_CHECKING:
    from abnforge.engine.lanes.lark import RuleParser
    from abnforge.engine.readers import ReaderPool
    from abnforge.pushdown.stored import Stored

ENGINES = ("auto", "automaton", "general", "lark")


class _Grammar(Protocol):
    @property
    def readers(self) -> ReaderPool: ...


class Judging(Frozen):
    """The part of a rule that gives verdicts."""

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

    @property
    def _made(self) -> Combination | None:
        """What the rule is made of, if it is made of others: then these read texts."""
        return self._compilation.combined

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
        if self._made is not None:
            return it.broken is None and self._made.derives(it.text, engine)
        with self.grammar.readers.taken() as readers:
            return it.broken is None and readers.lane(self._key, lane, self._parser).matches(it.text)

    def _matches_pieces(self, pieces: Iterable[str], engine: str) -> bool:
        self._only_general(engine, "an iterable of strings")
        if self._made is not None:
            combined: Any = self._compilation
            return bool(combined.bounded.accepts(pieces_argument(pieces, "text")))
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
        if self._stored is not None:
            return self._matches_stored
        if not self.regular:
            return None
        slow = self._matches
        table = self._compilation.table(self._key)
        if table is not None:
            return matches_by_kernel(table, slow, self)
        if self._made is not None and self._made.bound is not None:
            rule, longest = self._made.bound
            return partial(matches_within, longest, rule.matches, slow)
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
