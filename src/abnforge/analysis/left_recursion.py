"""Direct left recursion as the repetition that it means."""

from __future__ import annotations

from abnforge.analysis.core_form import Choice, Node, Ref, Repeat, Seq


def without_left_recursion(key: str, body: Node) -> Node:
    """A rule's body with direct left recursion written as repetition: ``a = a b / c`` as ``c *b``.

    The same language; only the nesting of ``a`` in itself is flattened.
    """
    alternatives = body.items if isinstance(body, Choice) else (body,)
    bases: list[Node] = []
    tails: list[Node] = []
    for item in alternatives:
        if isinstance(item, Ref) and item.key == key:
            continue  # ``a = a`` adds nothing
        if (
            isinstance(item, Seq)
            and item.items
            and isinstance(item.items[0], Ref)
            and item.items[0].key == key
        ):
            tails.append(Seq(item.items[1:]))
        else:
            bases.append(item)
    if len(bases) == len(alternatives):
        return body
    base: Node = bases[0] if len(bases) == 1 else Choice(tuple(bases))
    if not tails:
        return base
    tail: Node = tails[0] if len(tails) == 1 else Choice(tuple(tails))
    return Seq((base, Repeat(tail, 0, None)))
