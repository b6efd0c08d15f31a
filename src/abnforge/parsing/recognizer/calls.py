"""Which rules a recogniser calls, with a frame on its stack, and which are written out where they are used.

A network in which no rule is called is a finite automaton; so only as many rules are called as recursion
asks for: a feedback vertex set of the references between the rules that are not regular, one that breaks
every circle. Finding a smallest one is NP-complete (Karp 1972); this one is greedy. JSON needs one rule,
``value``, TOML two.

A body with everything written out can be exponentially larger than the grammar. Where it would have more than
MAX_BODY nodes its largest parts are called, too: that changes neither the language nor what is read, only
what is remembered on the stack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from abnforge.budget import Meter
from abnforge.grammar.core import Node, Ref
from abnforge.grammar.facts import Facts, components, walk

# Nodes that a body may have with all that is not called written out.
MAX_BODY = 400

# Of a large group of rules that all use one another, this share is called at once.
_AT_ONCE = 0.05


def called_rules(
    facts: Facts, bodies: Mapping[str, Node], meter: Meter, most: int | None = MAX_BODY
) -> frozenset[str]:
    """The rules to call, by key. ``bodies`` are the rules' bodies as they are read, ``most`` the nodes that
    one may have with all that is not called written out; None: as many as there are.

    Cost: linear in the grammar for each rule that is called; charged to ``meter``.
    """
    uses = {
        key: [node.key for node in walk(body) if isinstance(node, Ref) and node.key in facts.productive]
        for key, body in bodies.items()
        if key in facts.productive
    }
    meter.charge((sum(map(len, uses.values())) + len(bodies)) // 4)
    called = set(_feedback({key: set(used) for key, used in uses.items()}, meter))
    if most is not None:
        called.update(_large(bodies, uses, called, most, meter))
    return frozenset(called)


def _feedback(edges: dict[str, set[str]], meter: Meter) -> Iterator[str]:
    """A set of rules without which no rule leads back to itself."""
    waiting = [edges]
    while waiting:
        graph = waiting.pop()
        for group in components({key: tuple(sorted(targets)) for key, targets in graph.items()}):
            if len(group) == 1 and group[0] not in graph[group[0]]:
                continue
            members = set(group)
            inside = {key: graph[key] & members for key in group}
            meter.charge(sum(map(len, inside.values())))
            entering = dict.fromkeys(group, 0)
            for targets in inside.values():
                for target in targets:
                    entering[target] += 1
            # One that is in many circles at once: it calls itself, or many lead to it and it to many.
            ranked = sorted(
                group, key=lambda key: (key not in inside[key], -entering[key] * len(inside[key]), key)
            )
            chosen = set(ranked[: max(1, int(len(group) * _AT_ONCE))])
            yield from chosen
            waiting.append({key: targets - chosen for key, targets in inside.items() if key not in chosen})


def _large(
    bodies: Mapping[str, Node], uses: Mapping[str, list[str]], called: set[str], most: int, meter: Meter
) -> Iterator[str]:
    """Rules to call so that no body that is written out grows beyond ``most`` nodes because of them."""
    more: set[str] = set()
    sizes: dict[str, int] = {}
    edges = {key: tuple(dict.fromkeys(u for u in used if u not in called)) for key, used in uses.items()}
    for (key,) in components(edges):
        size = sum(1 for _ in walk(bodies[key]))
        meter.charge(size // 10)
        parts = [part for part in uses[key] if part not in called and part not in more]
        size += sum(sizes[part] for part in parts)
        if size > most:
            counts = {part: parts.count(part) for part in edges[key] if part not in more}
            for part in sorted(counts, key=lambda part: (-sizes[part] * counts[part], part)):
                if size <= most or sizes[part] == 1:
                    break
                size -= (sizes[part] - 1) * counts[part]
                more.add(part)
        sizes[key] = size
    return iter(more)
