"""Layouts of any graph: no label overlaps anything, and the result depends only on the graph."""

from __future__ import annotations

from itertools import pairwise, product

from hypothesis import strategies as st

from abnforge.charset import CharSet
from abnforge.errors import LimitExceeded
from abnforge.teaching.pictures.automata import MAX_ARROWS, MAX_STATES, Graph, graph_svg
from abnforge.teaching.pictures.layers import MIN_GAP, RADIUS, layout
from tests.law import law
from tests.raising import raises
from tests.teaching.pictures.test_automata import overlaps

ENDS = st.tuples(st.integers(0, 7), st.integers(0, 7))
REACHABLE = {((state - 1) // 2, state): 3 for state in range(1, 8)}
GRAPHS = st.dictionaries(ENDS, st.integers(1, 30), max_size=24).map(lambda lengths: REACHABLE | lengths)


@law(GRAPHS, few=12, many=200)
def test_labels_overlap_nothing(lengths: dict[tuple[int, int], int]) -> None:
    moves = {
        ends: CharSet.from_ranges((0x30 + 2 * place, 0x30 + 2 * place) for place in range(length))
        for ends, length in lengths.items()
    }
    names = [str(state) * (1 + state % 3) for state in range(8)]
    assert overlaps(graph_svg(Graph("graph", names, {1, 7}, moves))) == []


@law(GRAPHS, few=12, many=200)
def test_arrows_lead_from_node_to_node(lengths: dict[tuple[int, int], int]) -> None:
    edges = [(a, b, 7.0 * length) for (a, b), length in lengths.items()]
    drawn = layout([2 * RADIUS] * 8, edges)
    assert drawn == layout([2 * RADIUS] * 8, edges)
    assert drawn.nodes[0][0] == min(x for x, _ in drawn.nodes)
    for (a, b, _), arrow in zip(edges, drawn.arrows, strict=True):
        for node, (x, y) in ((a, arrow.points[0]), (b, arrow.points[-1])):
            u, v = drawn.nodes[node]
            assert abs((x - u) ** 2 + (y - v) ** 2 - RADIUS**2) < 1e-6
        sign = 1 if drawn.nodes[a][0] < drawn.nodes[b][0] else -1
        assert all((u - x) * sign > -1e-6 for (x, _), (u, _) in pairwise(arrow.points))


def test_a_chain_is_straight() -> None:
    drawn = layout([2 * RADIUS] * 9, [(state, state + 1, 20.0) for state in range(8)])
    assert len({y for _, y in drawn.nodes}) == 1
    assert all(b[0] - a[0] >= 2 * MIN_GAP for a, b in pairwise(drawn.nodes))


def test_planar_graphs_have_no_crossings() -> None:
    """Two paths that begin and end together keep apart, whatever the order of the edges."""
    edges = [(0, 1, 9.0), (0, 2, 9.0), (2, 3, 9.0), (1, 4, 9.0), (4, 5, 9.0), (3, 5, 9.0)]
    for order in (edges, edges[::-1], edges[3:] + edges[:3]):
        nodes = layout([2 * RADIUS] * 6, order).nodes
        assert (nodes[1][1] < nodes[2][1]) == (nodes[4][1] < nodes[3][1])


def test_dense_graphs() -> None:
    letters = CharSet(((0x61, 0x7A),))
    for count in (5, 9):
        moves = dict.fromkeys(product(range(count), repeat=2), letters)
        assert overlaps(graph_svg(Graph("graph", list(map(str, range(count))), {0}, moves))) == []
    moves = {(state, state + step): letters for state in range(30) for step in range(14)}
    assert len(moves) > MAX_ARROWS
    with raises(LimitExceeded, "automaton-not-drawn", limit=MAX_ARROWS):
        graph_svg(Graph("graph", [""] * MAX_STATES, (), moves))
