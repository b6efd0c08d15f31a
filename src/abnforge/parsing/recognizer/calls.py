"""The rules that a recognizer calls, with a frame on its stack; all other rules are inlined.

A network without calls is a finite automaton, so only as many rules are called as recursion requires. These
are a feedback vertex set of the references between non-regular rules, one that breaks every cycle. A smallest
one is NP-complete (Karp 1972); this one is greedy. JSON needs one rule, ``value``, TOML two.

A body with all rules inlined can be exponentially larger than the grammar. If it would exceed MAX_BODY nodes,
its largest parts are called, too, which changes only the stack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from abnforge.budget import Meter
from abnforge.grammar.core import Node, Ref
from abnforge.grammar.facts import Facts, components, walk

# The nodes of a body with its uncalled rules inlined.
MAX_BODY = 400

# The share of a large group of mutually recursive rules that each round of the greedy choice calls.
_SHARE_PER_ROUND = 0.05


def called_rules(
    facts: Facts, bodies: Mapping[str, Node], meter: Meter, most: int | None = MAX_BODY
) -> frozenset[str]:
    """Return the rules to call, by key.

    ``bodies`` are the rules' bodies as parsed; ``most`` is the limit on the nodes of a body with its uncalled
    rules inlined, or None. Complexity: linear in the grammar for each called rule.
    """
    uses = {
        key: [node.key for node in walk(body) if isinstance(node, Ref) and node.key in facts.productive]
        for key, body in bodies.items()
        if key in facts.productive
    }
    meter.charge((sum(map(len, uses.values())) + len(bodies)) // 4)
    called = set(feedback_vertex_set({key: set(used) for key, used in uses.items()}, meter))
    if most is not None:
        called.update(_bound_bodies(bodies, uses, called, most, meter))
    return frozenset(called)


def feedback_vertex_set(edges: dict[str, set[str]], meter: Meter) -> Iterator[str]:
    """Yield rules without which no rule leads back to itself."""
    pending = [edges]
    while pending:
        graph = pending.pop()
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
            # Rules on many cycles first: a rule that calls itself, or one with many edges in and out.
            ranked = sorted(
                group, key=lambda key: (key not in inside[key], -entering[key] * len(inside[key]), key)
            )
            chosen = set(ranked[: max(1, int(len(group) * _SHARE_PER_ROUND))])
            yield from chosen
            pending.append({key: targets - chosen for key, targets in inside.items() if key not in chosen})


def _bound_bodies(
    bodies: Mapping[str, Node], uses: Mapping[str, list[str]], called: set[str], most: int, meter: Meter
) -> Iterator[str]:
    """Return rules to call so that no body exceeds ``most`` nodes because of inlined rules."""
    extra: set[str] = set()
    sizes: dict[str, int] = {}
    edges = {key: tuple(dict.fromkeys(u for u in used if u not in called)) for key, used in uses.items()}
    for (key,) in components(edges):
        size = sum(1 for _ in walk(bodies[key]))
        meter.charge(size // 10)
        parts = [part for part in uses[key] if part not in called and part not in extra]
        size += sum(sizes[part] for part in parts)
        if size > most:
            counts = {part: parts.count(part) for part in edges[key] if part not in extra}
            for part in sorted(counts, key=lambda part: (-sizes[part] * counts[part], part)):
                if size <= most or sizes[part] == 1:
                    break
                size -= (sizes[part] - 1) * counts[part]
                extra.add(part)
        sizes[key] = size
    return iter(extra)
