"""The checker of trees accepts exactly the derivations."""

from __future__ import annotations

from random import Random
from typing import Any

import lark
import pytest

import abnforge
from tests.law import each_row
from tests.reference.derivations import derivations
from tests.reference.random_grammars import KINDS, grammar, long_texts, short_texts
from tests.reference.trees import check, flat, shape


def tree_of(derivation: Any, position: int = 0) -> Any:
    """Convert a derivation (rule, children) to a ``lark.Tree``, and characters to a token."""
    if isinstance(derivation, str):
        return lark.Token("TEXT", derivation, start_pos=position, end_pos=position + len(derivation))
    name, children = derivation
    results = []
    for child in children:
        results.append(tree_of(child, position))
        position += len(child) if isinstance(child, str) else len(characters(child))
    return lark.Tree(name.replace("-", "_"), results)


def characters(derivation: Any) -> str:
    return derivation if isinstance(derivation, str) else "".join(map(characters, derivation[1]))


LIST = 's = a *( "," a )\na = *"x" / b\nb = "b"'
# Grammar, input, a tree that is not a derivation of it, error.
WRONG: list[tuple[str, str, Any, str]] = [
    (LIST, "x", ("a", ("x",)), "the root is a"),
    (LIST, "x,x", ("s", (("a", ("x",)), ",", ("a", ()))), "the tree covers"),
    (LIST, "x,x", ("s", (("a", ("x",)), ",", ("a", ("y",)))), "'y'.* is not the text"),
    (LIST, "x,", ("s", (("a", ("x",)), ",")), "no derivation of s"),
    (LIST, "x,x", ("s", (("a", ("x,x",)),)), "no derivation of a"),
    (LIST, "b", ("s", (("a", ("b",)),)), "no derivation of a"),
    (LIST, "xx", ("s", (("a", ("x", "x")),)), "two tokens meet"),
    (LIST, "", ("s", (("a", ("",)),)), "an empty token"),
    ('s = s / "x"', "x", ("s", (("s", ("x",)),)), "s is below itself"),
    ('s = a / "x"\na = s', "x", ("s", (("a", (("s", ("x",)),)),)), "s is below itself"),
    ('s = s s / "x" / ""', "x", ("s", (("s", ()), ("s", ("x",)))), "s is below itself"),
    # Empty iterations: more than the minimum, before or after others.
    ('s = *a\na = *"x"', "x", ("s", (("a", ("x",)), ("a", ()))), "no derivation of s"),
    ('s = 1*a\na = *"x"', "x", ("s", (("a", ("x",)), ("a", ()))), "no derivation of s"),
    ('s = 2*3a\na = *"x"', "", ("s", (("a", ()), ("a", ()), ("a", ()))), "no derivation of s"),
    ('s = 2a\na = *"x"', "x", ("s", (("a", ("x",)),)), "no derivation of s"),
    ('s = *2a\na = "x"', "xxx", ("s", (("a", ("x",)),) * 3), "no derivation of s"),
]


@each_row(("grammar", "text", "wrong", "message"), WRONG)
def test_invalid_derivations_are_rejected(grammar: str, text: str, wrong: Any, message: str) -> None:
    rules = abnforge.loads(grammar + "\n")
    with pytest.raises(AssertionError, match=message):
        check(rules.core, "s", text, tree_of(wrong), rules["s"].lark_names)


def test_offsets_and_shared_nodes() -> None:
    rules = abnforge.loads(LIST + "\n")
    names = rules["s"].lark_names
    tree = tree_of(("s", (("a", ("x",)),)))
    tree.children[0].children[0] = lark.Token("TEXT", "x", start_pos=1, end_pos=2)
    with pytest.raises(AssertionError, match="is not at 0"):
        check(rules.core, "s", "x", tree, names)
    tree = tree_of(("s", (("a", ()), ",", ("a", ()))))
    tree.children[2] = tree.children[0]
    with pytest.raises(AssertionError, match="in two places"):
        check(rules.core, "s", ",", tree, names)


@pytest.mark.parametrize("count", [10, pytest.param(80, marks=pytest.mark.slow)])
def test_every_derivation_passes_and_no_other_string(count: int) -> None:
    source = Random(count)
    passed = 0
    for _ in range(count):
        rule = abnforge.loads(grammar(source, source.choice(KINDS)))["r0"]
        core = rule.grammar.core
        for text in short_texts(3):
            for one in derivations(core, "r0", text, 5):
                tree = tree_of(one)
                check(core, "r0", text, tree, rule.lark_names)
                assert shape(tree, rule.lark_names) == one
                assert flat(tree, rule.lark_names)[0] == ("r0", 0, len(text))
                with pytest.raises(AssertionError):
                    check(core, "r0", text + "a", tree, rule.lark_names)
                passed += 1
    assert passed > count


def test_grammars_and_strings_are_the_same_for_a_seed() -> None:
    for kind in KINDS:
        one, other = ([grammar(source, kind) for _ in range(5)] for source in (Random(7), Random(7)))
        assert one == other
        rule = abnforge.loads(one[0])["r0"]
        texts = long_texts(rule, Random(1), 60, 8)
        assert texts == long_texts(rule, Random(1), 60, 8)
        assert all(len(text) <= 60 for text in texts)


def test_long_and_deep_trees_are_checked() -> None:
    rules = abnforge.loads('s = "(" s ")" / 1*a\na = "x"\n')
    tree: Any = lark.Tree("s", [])
    depth, length = 3_000, 3_000
    for place in range(depth, depth + length):
        tree.children.append(lark.Tree("a", [lark.Token("TEXT", "x", start_pos=place, end_pos=place + 1)]))
    for place in range(depth - 1, -1, -1):
        close = 2 * depth + length - 1 - place
        left = lark.Token("TEXT", "(", start_pos=place, end_pos=place + 1)
        tree = lark.Tree("s", [left, tree, lark.Token("TEXT", ")", start_pos=close, end_pos=close + 1)])
    text = "(" * depth + "x" * length + ")" * depth
    check(rules.core, "s", text, tree, rules["s"].lark_names)
    nodes = flat(tree, rules["s"].lark_names)
    assert nodes[:2] == [("s", 0, len(text)), ("s", 1, len(text) - 1)]
    assert nodes[-1] == ("a", depth + length - 1, depth + length)
