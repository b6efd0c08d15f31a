"""Convert traces to ``lark.Tree`` objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lark import Token, Tree

from abnforge._lazy import gc_paused
from abnforge.parsing.trace import CALL, RETURN, Steps

ParseTree = Tree[Token]

TEXT = "TEXT"  # the type of every token: the characters between two sub-rules


class TreeBuilder:
    """Build the trees of one grammar's rules. ``lark_names`` are the names of nodes by rule key."""

    def __init__(self, lark_names: Mapping[str, str]) -> None:
        self._steps = Steps({key: Token("RULE", name) for key, name in lark_names.items()})

    def build(self, text: str, trace: Iterable[tuple[str, ...]]) -> ParseTree:
        """Return the tree of a derivation of the string.

        The characters between two child rules are one token with its offsets. Trees and tokens are created
        without their constructors, which would double the time.

        Complexity: linear, about 1 µs per node, without recursion.
        """
        steps_of = self._steps
        new_tree, new_text = Tree.__new__, str.__new__
        # The children of the innermost open rule, those of the rules around it, and the number of open rules
        # at each call.
        root: list[Any] = []
        children = root
        open_children: list[list[Any]] = []
        calls: list[int] = []
        push, pop = open_children.append, open_children.pop
        position = 0
        offset = -1
        # A tree consists of many new objects, none of them garbage. The collector would visit all of them
        # repeatedly, which makes a large tree four times slower.
        with gc_paused():
            for events in trace:
                offset += 1
                if not events:
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
                for step in steps_of[events]:
                    if step is None:
                        children = pop()
                    elif step is CALL:
                        calls.append(len(open_children))
                    elif step is RETURN:
                        depth = calls.pop()
                        push(children)
                        children = open_children[depth]
                        del open_children[depth:]
                    elif type(step) is tuple:
                        wrapped = open_children[-1][-1]
                        children[:] = [Tree(wrapped.data, children[:])]
                        (wrapped.data,) = step
                    else:
                        tree: ParseTree = new_tree(Tree)
                        tree.data = step
                        tree._meta = None
                        children.append(tree)
                        push(children)
                        tree.children = children = []
            if len(text) > position:
                children.append(Token(TEXT, text[position:], start_pos=position, end_pos=len(text)))
        tree_root: ParseTree = root[0]
        return tree_root
