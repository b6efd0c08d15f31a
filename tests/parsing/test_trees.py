"""Trees and flat sequences from traces, for each kind of event."""

from __future__ import annotations

from lark import Token, Tree

from abnforge.grammar.loops import WRAP
from abnforge.parsing.trace import CALL, CHARACTER, END, MAX_STEPS, RETURN, Spans, TreeBuilder, trace_of
from tests.law import each_row
from tests.reference.trees import flat

NAMES = {key: key for key in "abc"}

# Events in order ("." is a character), the tree with its tokens, and the flat sequence.
TRACES = [
    (["a", END], "a()", [("a", 0, 0)]),
    (["a", ".", "b", ".", END, ".", END], "a(0 b(1) 2)", [("a", 0, 3), ("b", 1, 2)]),
    (["a", "b", END, ".", ".", "c", END, END], "a(b() 01 c())", [("a", 0, 2), ("b", 0, 0), ("c", 2, 2)]),
    # A rule that is parsed in the frame of its caller has no end event.
    (["a", "b", ".", "c"], "a(b(0 c()))", [("a", 0, 1), ("b", 0, 1), ("c", 1, 1)]),
    (
        ["a", CALL, "b", ".", "c", ".", RETURN, ".", END],
        "a(b(0 c(1)) 2)",
        [("a", 0, 3), ("b", 0, 2), ("c", 1, 2)],
    ),
    (
        ["a", CALL, "b", CALL, "c", ".", RETURN, RETURN, CALL, "c", END, RETURN],
        "a(b(c(0)) c())",
        [("a", 0, 1), ("b", 0, 1), ("c", 0, 1), ("c", 1, 1)],
    ),
    # Left recursion: the last rule that starts is the outermost.
    (
        ["a", "b", ".", END, WRAP + "a", ".", WRAP + "a", "c", ".", END, END],
        "a(a(a(b(0)) 1) c(2))",
        [("a", 0, 3), ("a", 0, 2), ("a", 0, 1), ("b", 0, 1), ("c", 2, 3)],
    ),
]


def written(tree: Tree[Token]) -> str:
    children = [str(child) if isinstance(child, Token) else written(child) for child in tree.children]
    return f"{tree.data}({' '.join(children)})"


@each_row(("happened", "tree", "sequence"), TRACES)
def test_traces(happened: list[str], tree: str, sequence: list[tuple[str, int, int]]) -> None:
    trace = trace_of(happened)
    text = "".join(map(str, range(happened.count(CHARACTER))))
    assert len(trace) == len(text) + 1
    built = TreeBuilder(NAMES).build(text, trace)
    assert written(built) == tree
    assert Spans(NAMES).of(trace) == flat(built, NAMES) == sequence


def test_tokens_are_like_those_that_lark_makes() -> None:
    built = TreeBuilder(NAMES).build("xyz", [("a",), ("b",), (END,), (END,)])
    assert built.pretty().split() == ["a", "x", "b", "y", "z"]
    assert isinstance(built.data, Token)
    for token, place in zip(built.scan_values(lambda _: True), range(3), strict=True):
        assert isinstance(token, Token)
        assert token == Token("TEXT", "xyz"[place], start_pos=place, end_pos=place + 1)
        assert (token.type, token.value, token.start_pos, token.end_pos) == (
            "TEXT",
            str(token),
            place,
            place + 1,
        )
        assert (token.line, token.column, token.end_line, token.end_column) == (None,) * 4
        assert repr(token) == f"Token('TEXT', {'xyz'[place]!r})"
    assert built.meta.empty


def test_what_is_known_of_events_does_not_grow_without_end() -> None:
    builder = TreeBuilder(NAMES)
    for count in range(MAX_STEPS + 10):
        number = f"{count:b}".replace("0", "b").replace("1", "c")
        happened = [event for key in number for event in (key, END)]
        assert len(builder.build("", [("a", *happened, END)]).children) == len(number)
    assert len(builder._steps) == 10
