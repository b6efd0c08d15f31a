"""How often a body uses the rules that it names."""

from __future__ import annotations

from abnforge.explain.mistakes import slots
from abnforge.grammar.reader import read
from tests.law import each_row

# body, uses: least and most
BODIES = [
    ("a b", {"a": (1, 1), "b": (1, 1)}),
    ('a "-" A', {"a": (2, 2)}),
    ("a [ b ]", {"a": (1, 1), "b": (0, 1)}),
    ("a / b b", {"a": (0, 1), "b": (0, 2)}),
    ("*a 2*3b", {"a": (0, None), "b": (2, 3)}),
    ("2( a [ b ] ) c", {"a": (2, 2), "b": (0, 2), "c": (1, 1)}),
    ("*( a / b ) a", {"a": (1, None), "b": (0, None)}),
    ('"a" %x20 <a word>', {}),
    ("0a b", {"a": (0, 0), "b": (1, 1)}),
]


@each_row(("body", "wanted"), BODIES)
def test_uses(body: str, wanted: dict[str, tuple[int, int | None]]) -> None:
    found = slots(read(f"x = {body}\n").rules[0].elements)
    assert {key: (uses.least, uses.most) for key, uses in found.items()} == wanted
