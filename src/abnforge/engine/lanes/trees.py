"""Derivations as trees: the begins and ends of rules, from left to right, become a ``lark.Tree``."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from lark import Token, Tree

from abnforge.engine.lanes.events import Event

ParseTree = Tree[Token]

TEXT = "TEXT"  # the type of every token: the characters between two sub-rules


def build_tree(text: str, events: Iterable[Event], lark_names: Mapping[str, str]) -> ParseTree:
    """The tree of a derivation given as the begins and ends of its rules, from left to right.

    Characters between two sub-rules make one token; tokens carry their offsets.
    """
    names = {key: Token("RULE", name) for key, name in lark_names.items()}
    stack: list[ParseTree] = []
    position = 0
    with _collector_paused():
        for key, offset in events:
            if offset > position:
                token = Token(TEXT, text[position:offset], start_pos=position, end_pos=offset)
                stack[-1].children.append(token)
                position = offset
            if key:
                tree: ParseTree = Tree(names[key], [])
                if stack:
                    stack[-1].children.append(tree)
                stack.append(tree)
            elif len(stack) > 1:
                stack.pop()
    return stack[0]


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
