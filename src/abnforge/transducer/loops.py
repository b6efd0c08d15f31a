"""Direct left recursion as a loop that says where the rule begins again.

``a = a t / b`` derives ``b`` and then any number of ``t``; read from left to right, how often ``a`` begins is
known at the end alone. So ``b`` is read as the only ``a`` there is, and before each ``t`` stands a mark: what
has been read of ``a`` becomes its own first child. (Moving the nodes is what parsers of the LC family do,
too: Rosenkrantz and Lewis 1970.)

A loop decides last how many iterations there are, and left recursion decides it first. So where a text has
several derivations through such rules the preferred one need not be the one that is found; then the reader
refuses.
"""

from __future__ import annotations

from collections.abc import Iterable

from abnforge.analysis.core_form import Choice, Core, Node, Ref, Repeat, Seq


def with_loops(core: Core) -> tuple[Core, dict[Node, str]]:
    """The grammar with loops, and its marks: empty sequences, each with the key of the rule that begins
    again.
    """
    marks: dict[Node, str] = {}
    rules: dict[str, Node] = {}
    for key, body in core.rules.items():
        bases, tails = _split(key, body.items if isinstance(body, Choice) else (body,))
        if not tails and bases == (body.items if isinstance(body, Choice) else (body,)):
            rules[key] = body
            continue
        rules[key] = base = _one_of(bases)
        if tails:
            mark = Seq(())
            marks[mark] = key
            following = _one_of(tuple(Seq((mark, *tail)) for tail in tails))
            rules[key] = Seq((base, Repeat(following, 0, None)))
    return Core(rules, core.names), marks


def _split(key: str, alternatives: Iterable[Node]) -> tuple[tuple[Node, ...], tuple[tuple[Node, ...], ...]]:
    """The alternatives that do not begin with the rule, and what follows it in those that do."""
    bases: list[Node] = []
    tails: list[tuple[Node, ...]] = []
    for item in alternatives:
        match item:
            case Ref(key=found) if found == key:
                pass  # a tree never has a rule below itself over the same span
            case Seq(items=(Ref(key=found), *rest)) if found == key:
                tails.append(tuple(rest))
            case _:
                bases.append(item)
    return tuple(bases), tuple(tails)


def _one_of(alternatives: tuple[Node, ...]) -> Node:
    """One of them; without any there is nothing to derive."""
    return alternatives[0] if len(alternatives) == 1 else Choice(alternatives)
