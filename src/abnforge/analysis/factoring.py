"""Left factoring: of many literals to choose from, those that begin alike are brought together.

``"get" / "put" / "post"`` says the same as ``"get" / "p" ( "ut" / "ost" )``, and whoever follows all
alternatives at once follows fewer: with every choice factored when it is met, a list of words is read along
the branches of a trie (Fredkin, "Trie memory", 1960). A tree cannot tell, since there are no rules inside
literals. Nor can the preference among alternatives: only literals between which there is no other alternative
change places, and only if their first letters have no character in common, so that no text lets both begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile

from abnforge.analysis.core_form import EPSILON, Chars, Choice, Literal, Node, Seq
from abnforge.charset import CharSet, disjoint
from abnforge.uncollected import uncollected

# Alternatives from which on a choice is factored; below, following one after the other is as quick.
MIN_ALTERNATIVES = 20


def factored(choice: Choice) -> tuple[Node, ...]:
    """The alternatives of a choice in their order, factored by what literals begin with.

    What is behind that, alternatives of its own, is not factored yet. Cost: linear in the number of
    alternatives, and in the letters that are brought together.
    """
    if len(choice.items) < MIN_ALTERNATIVES:
        return choice.items
    result: list[Node] = []
    with uncollected(sum(len(item.items) for item in choice.items if isinstance(item, Literal))):
        for literal, run in groupby(choice.items, key=lambda item: isinstance(item, Literal)):
            if literal:
                result += _by_first_letter([item for item in run if isinstance(item, Literal)])
            else:
                result += run
    return tuple(result)


def _by_first_letter(literals: Sequence[Literal]) -> Iterator[Node]:
    groups: dict[CharSet, list[Literal]] = {}
    for literal in literals:
        groups.setdefault(literal.items[0].charset, []).append(literal)
    if not disjoint(groups):
        yield from literals
        return
    for group in groups.values():
        yield group[0] if len(group) == 1 else _together(group)


def _together(group: Sequence[Literal]) -> Node:
    """What two or more literals begin with, then the choice of what is left of them."""
    first = group[0].items
    columns = zip(*(literal.items for literal in group), strict=False)
    shared = sum(1 for _ in takewhile(_alike, columns))
    rests = [_rest(literal.items[shared:]) for literal in group]
    return Seq((*first[:shared], Choice(tuple(rests))))


def _alike(letters: Sequence[Chars]) -> bool:
    """Whether letters stand for the same characters."""
    first = letters[0].charset
    return all(letter.charset is first or letter.charset == first for letter in letters)


def _rest(items: tuple[Chars, ...]) -> Node:
    if len(items) > 1:
        return Literal(items)
    return items[0] if items else EPSILON
