"""Trees as lists of nodes."""

from __future__ import annotations

from lark import Token, Tree

from abnforge.teaching.derivations import Node, children_of, flatten


def test_a_tree_in_preorder_with_spans() -> None:
    tree = Tree("a", [Tree("b", []), Token("X", "xy"), Tree("c", [Token("X", "z")])])
    nodes = flatten(tree, str.upper)
    assert nodes == [
        Node("A", 0, 0, 3),
        Node("B", 1, 0, 0),
        Node(None, 1, 0, 2),
        Node("C", 1, 2, 3),
        Node(None, 2, 2, 3),
    ]
    assert children_of(nodes) == [[1, 2, 3], [], [], [4], []]
