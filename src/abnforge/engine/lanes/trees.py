"""Derivations as trees: the begins and ends of rules, from left to right, become a ``lark.Tree``."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from lark import Token, Tree

from abnforge.transducer.trace import AGAIN, CALL, END, RETURN

ParseTree = Tree[Token]

TEXT = "TEXT"  # the type of every token: the characters between two sub-rules

# After so many different tuples of events those that are known are dropped.
MAX_COMPILED = 20_000


class TreeBuilder:
    """Makes the trees of one grammar's rules. ``lark_names`` are the names of nodes by rule key.

    What a tuple of events does is worked out once, and then kept.
    """

    def __init__(self, lark_names: Mapping[str, str]) -> None:
        self._names = {key: Token("RULE", name) for key, name in lark_names.items()}
        self._compiled: dict[tuple[str, ...], tuple[Any, ...]] = {}

    def build(self, text: str, trace: Iterable[tuple[str, ...]]) -> ParseTree:
        """The tree of a derivation of the text. Characters between two sub-rules make one token; tokens carry
        their offsets. Cost: linear, about a microsecond a node; nothing recurses.

        Trees and tokens are made without calling their constructors, which would take as long again.
        """
        compiled = self._compiled
        new_tree, new_text = Tree.__new__, str.__new__
        # The children of the innermost open rule, those of the ones around it, and how many were open at each
        # call.
        root: list[Any] = []
        children = root
        around: list[list[Any]] = []
        calls: list[int] = []
        push, pop = around.append, around.pop
        position = 0
        offset = -1
        with _collector_paused():
            for happens in trace:
                offset += 1
                if not happens:
                    continue
                if offset > position:
                    characters = text[position:offset]
                    token = new_text(Token, characters)
                    token.type = TEXT
                    token.value = characters
                    token.start_pos = position
                    token.end_pos = position = offset
                    token.line = token.column = token.end_line = token.end_column = None
                    children.append(token)
                try:
                    steps = compiled[happens]
                except KeyError:
                    steps = self._compile(happens)
                for step in steps:
                    if step is None:
                        children = pop()
                    elif step is CALL:
                        calls.append(len(around))
                    elif step is RETURN:
                        depth = calls.pop()
                        push(children)
                        children = around[depth]
                        del around[depth:]
                    elif type(step) is tuple:
                        children[:] = [Tree(step[0], children[:])]
                    else:
                        tree: ParseTree = new_tree(Tree)
                        tree.data = step
                        tree._meta = None
                        children.append(tree)
                        push(children)
                        tree.children = children = []
            if len(text) > position:
                children.append(Token(TEXT, text[position:], start_pos=position, end_pos=len(text)))
        found: ParseTree = root[0]
        return found

    def _compile(self, happens: tuple[str, ...]) -> tuple[Any, ...]:
        """For an end None, for a begin the node's name, for one that takes the place of another a tuple of
        it, the others as they are.
        """
        if len(self._compiled) >= MAX_COMPILED:
            self._compiled.clear()
        steps: list[Any] = []
        for event in happens:
            if event == END:
                steps.append(None)
            elif event == CALL:
                steps.append(CALL)
            elif event == RETURN:
                steps.append(RETURN)
            elif event[0] == AGAIN:
                steps.append((self._names[event[1:]],))
            else:
                steps.append(self._names[event])
        found = self._compiled[happens] = tuple(steps)
        return found


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Without the cyclic garbage collector: a tree is many new objects and no garbage among them.

    Left on, it walks all of them again and again, which makes a large tree cost four times as much.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
