"""Reading on where configurations are wide: many stacks under few frames, as for palindromes.

Such configurations do not recur, so interning them costs and gains nothing. Here a configuration is a set of
nodes for each frame state, one step moves all nodes of a state at once, and sets that do not change are
shared from step to step.

Cost of a step: the nodes, by operations on sets: what a text of n characters can lead to is n nodes for each
called rule, each with up to n edges, so reading is at most cubic, like Earley's algorithm.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from abnforge.budget import Meter
from abnforge.pushdown.configurations import Configuration, Configurations, Kernel, add
from abnforge.pushdown.network import FrameState, Network
from abnforge.pushdown.nodes import Edge, StackNode
from abnforge.pushdown.stack import Stack

# Pairs from which on a configuration is read on in groups; until there are half as many.
WIDE = 24

# What a frame state, and a node below it, cost in a step of the budget; and what a node takes in octets.
_STATE_COST = 10
_NODES_A_STEP = 10
_EDGES_A_STEP = 3
_NODE_OCTETS = 500
_EDGE_OCTETS = 100

Groups = dict[FrameState, set[StackNode]]


def read_grouped(
    configurations: Configurations, current: Configuration, text: Iterator[str], meter: Meter
) -> tuple[Configuration, bool]:
    """Read on until there are few pairs, or a frame returns to what is folded away, or the text ends.

    Gives the configuration, and whether a character could be read no more: then it is the one before that.
    """
    stack = configurations.stack
    groups: Groups = {}
    for node, state in current.pairs:
        groups.setdefault(state, set()).add(node)
    for char in text:
        following = _step(configurations.network, stack, groups, char, meter)
        if not following:
            return configurations.of(_kernel(groups)), True
        groups = following
        size = sum(map(len, groups.values()))
        meter.charge(_STATE_COST * len(groups) + size // _NODES_A_STEP)
        returning = any(state.final and stack.rest in nodes for state, nodes in groups.items())
        if returning or size <= WIDE // 2:
            return configurations.of(_kernel(groups)), False
    return configurations.of(_kernel(groups)), False


def _kernel(groups: Groups) -> Kernel:
    kernel: Kernel = {}
    for state, nodes in groups.items():
        for node in nodes:
            add(kernel, node, state)
    return kernel


def _step(network: Network, stack: Stack, groups: Groups, char: str, meter: Meter) -> Groups:
    result: Groups = {}
    calls: dict[str, set[Edge]] = {}
    for state, nodes in groups.items():
        target = state.step(char)
        if target is not None:
            _add(result, target, nodes)
        for key, behind in state.calls:
            if any(network.entry(name).step(char) is not None for name in network.corners(key).reached):
                _call(calls.setdefault(key, set()), behind, nodes, meter)
    if calls:
        opened = stack.open(calls)
        edges = sum(len(node.edges) for node in opened.values())
        meter.charge(edges // _NODES_A_STEP)
        meter.hold(_NODE_OCTETS * len(opened) + _EDGE_OCTETS * edges)
        for key, node in opened.items():
            target = network.entry(key).step(char)
            if target is not None:
                _add(result, target, {node})
    bottoms = stack.root, stack.rest
    _return(result, bottoms, meter)
    return _alive(result, bottoms)


def _call(edges: set[Edge], behind: FrameState, nodes: set[StackNode], meter: Meter) -> None:
    if not behind.pure:
        edges.update([(behind, node) for node in nodes])
        meter.charge(len(nodes) // _NODES_A_STEP)
        return
    meter.charge(sum(len(node.edges) for node in nodes) // _NODES_A_STEP)
    for node in nodes:
        if node.edges:
            edges.update(node.edges)
        else:
            edges.add((behind, node))


def _return(groups: Groups, bottoms: tuple[StackNode, ...], meter: Meter) -> None:
    """Add the pairs that frames which may end return to."""
    ended = [nodes for state, nodes in groups.items() if state.final]
    done: set[StackNode] = set()
    while ended:
        new = set().union(*ended) - done if done or len(ended) > 1 else ended[0]
        found: Groups = {}
        states = list(map(_state_of, new))
        several = states.count(None) - sum(bottom in new for bottom in bottoms)
        kinds = set(states)
        kinds.discard(None)
        if not several and len(kinds) == 1:  # as a rule; and these may be many
            found[kinds.pop()] = below = set(map(_below_of, new))
            below.discard(None)
        else:
            meter.charge(sum(len(node.edges) for node in new) // _EDGES_A_STEP)
            for node in new:
                for state, low in node.edges:
                    found.setdefault(state, set()).add(low)
        ended = []
        for state, nodes in found.items():
            _add(groups, state, nodes)
            if state.final:
                ended.append(nodes)
        if ended:
            done |= new


_state_of = attrgetter("state")
_below_of = attrgetter("below")


def _alive(groups: Groups, bottoms: tuple[StackNode, ...]) -> Groups:
    """Without frames that can only end, but for those at the bottom."""
    result: Groups = {}
    for state, nodes in groups.items():
        kept = nodes if state.items else nodes.intersection(bottoms)
        if kept:
            result[state] = kept
    return result


def _add(groups: Groups, state: FrameState, nodes: set[StackNode]) -> None:
    known = groups.get(state)
    groups[state] = nodes if known is None else known | nodes
