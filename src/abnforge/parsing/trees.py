"""Derivations as trees: the begins and ends of rules, from left to right, become a ``lark.Tree``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lark import Token, Tree

from abnforge._lazy import gc_paused
from abnforge.parsing.trace import CALL, RETURN, Steps

ParseTree = Tree[Token]

TEXT = "TEXT"  # the type of every token: the characters between two sub-rules


class TreeBuilder:
    """Makes the trees of one grammar's rules. ``lark_names`` are the names of nodes by rule key."""

    def __init__(self, lark_names: Mapping[str, str]) -> None:
        self._steps = Steps({key: Token("RULE", name) for key, name in lark_names.items()})

    def build(self, text: str, trace: Iterable[tuple[str, ...]]) -> ParseTree:
        """The tree of a derivation of the text. Characters between two sub-rules make one token; tokens carry
        their offsets. Cost: linear, about a microsecond a node; nothing recurses.

        Trees and tokens are made without calling their constructors, which would take as long again.
        """
        known = self._steps
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
        # A tree is many new objects and no garbage among them; the collector would walk all of them again and
        # again, which makes a large tree cost four times as much.
        with gc_paused(len(text), 0):
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
                for step in known[happens]:
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
                        again = around[-1][-1]
                        children[:] = [Tree(again.data, children[:])]
                        (again.data,) = step
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
