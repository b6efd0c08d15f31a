"""The enumeration of derivations, for grammars whose numbers are known from theory or counted by hand."""

from __future__ import annotations

import abnforge
from tests.law import each_row
from tests.reference.derivations import derivations, preferred

# Grammar, string, number of derivations, the preferred one.
COUNTS = [
    ('s = s s / "a"', "a", 1, ("s", ("a",))),
    # Catalan numbers: the ways to bracket a product.
    ('s = s s / "a"', "aaa", 2, ("s", (("s", (("s", ("a",)), ("s", ("a",)))), ("s", ("a",))))),
    ('s = s s / "a"', "aaaaa", 14, None),
    ('s = *( "a" / a )\na = "a"', "aaa", 8, ("s", ("aaa",))),
    ('s = a b\na = *"x"\nb = *"x"', "xx", 3, ("s", (("a", ("xx",)), ("b", ())))),
    # An iteration beyond the minimum is nonempty.
    ('s = *a\na = *"x"', "xx", 2, ("s", (("a", ("xx",)),))),
    ('s = 2a\na = *"x"', "xx", 3, ("s", (("a", ("xx",)), ("a", ())))),
    ("s = 2a\na = *%x78", "", 1, ("s", (("a", ()), ("a", ())))),
    ('s = *3a\na = "" / "x"', "x", 1, ("s", (("a", ("x",)),))),
    # No rule contains itself over the same span.
    ('s = s / "x"', "x", 1, ("s", ("x",))),
    ('s = a / "x"\na = s / "y"', "x", 1, ("s", ("x",))),
    ('s = "" / s a\na = "x" / s / ""', "", 1, ("s", ())),
    ('s = s s / "x" / ""', "x", 1, ("s", ("x",))),
    ("s = s", "x", 0, None),
    ('s = "x" <y>', "x", 0, None),
]


@each_row(("grammar", "text", "count", "first"), COUNTS)
def test_counts(grammar: str, text: str, count: int, first: object) -> None:
    core = abnforge.loads(grammar + "\n").core
    result = derivations(core, "s", text)
    assert len(result) == len(set(result)) == count
    assert derivations(core, "s", text, 2) == result[:2]
    assert preferred(core, "s", text) == (result[0] if result else None)
    if first is not None:
        assert result[0] == first


def test_more_empty_iterations_than_are_counted() -> None:
    result = preferred(abnforge.loads('s = 500*a\na = *"x"\n').core, "s", "x")
    assert result == ("s", (("a", ("x",)), *[("a", ())] * 99))


def test_dozens_of_characters() -> None:
    core = abnforge.loads('e = e "+" t / t\nt = "x" / "(" e ")"\n').core
    result = preferred(core, "e", "(" * 10 + "x+x" + ")" * 10)
    assert result is not None
    for _ in range(10):
        result = result[1][0][1][1]
    assert [child if isinstance(child, str) else child[0] for child in result[1]] == ["e", "+", "t"]
