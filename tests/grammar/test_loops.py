"""Left recursion as loops: which bodies become what, and that the strings stay the same."""

from __future__ import annotations

import abnforge
from abnforge.automata.derivatives import Derivatives
from abnforge.grammar.core import Chars, Choice, Node, Ref, Repeat, Seq
from abnforge.grammar.loops import with_loops
from tests.law import each_row, law
from tests.reference.small_languages import TEXTS, Expression, languages, left_recursive
from tests.reference.small_languages import grammar as written_grammar

# the rule s, its replacement ("!" is the mark)
BODIES = [
    ('s = s "b" / "a"', "a *(!b)"),
    ('s = "a" / s "b"', "a *(!b)"),
    ('s = s "b" / "a" / s "c" s / t', "(a/t) *((!b)/(!cs))"),
    ('s = s / "a"', "a"),
    ('s = s / "a" / "b" t', "(a/(bt))"),
    ('s = s "b"', "() *(!b)"),
    ("s = s", "()"),
    ('s = "a" s / t', "((as)/t)"),
    ('s = [ s ] "a" / t', "(a/t) *(!a)"),
    ('s = [ s "b" ] "a" / t', "(a/t) *(!ba)"),
    ('s = ( s / t "c" ) "b" / "a"', "(((tc)b)/a) *(!b)"),
    ('s = ( s "b" ) "c" / "a"', "a *(!bc)"),
    # after a possibly empty part it stays
    ('s = [ [ s ] ] "a" / t', "(([[s]]a)/t)"),
    ('s = *"b" s "a" / "b"', "(( *bsa)/b)"),
    # through others: "?" marks the rule that begins
    ('s = v "b" / "a"\nv = s "c" / "d"', "(a/((?d)(!b))) *((!c)(!b))"),
    ('s = v / "a"\nv = s "c"', "a *((!c)(!))"),
    ('s = v "b"\nv = s "c" / v "d" / "e"', "((?e) *(!d)(!b)) *((!c) *(!d)(!b))"),
    # all of them with nothing read
    ('s = v / "a"\nv = s / "b"', "(v/a)"),
    ('s = v [ "c" ] / "a"\nv = s *"d" / "b"', "((v[c])/a)"),
]


def written(node: Node, marks: dict[Node, str]) -> str:
    match node:
        case Chars(charset=charset):
            return chr(charset.ranges[-1][1])
        case Ref(key=key):
            return key
        case Seq() if node in marks:
            return {"^": "!", "=": "?"}[marks[node][0]]
        case Seq(items=items):
            return f"({''.join(written(item, marks) for item in items)})"
        case Choice(items=items):
            return f"({'/'.join(written(item, marks) for item in items)})"
        case Repeat(item=item, max=1):
            return f"[{written(item, marks)}]"
        case Repeat(item=item):
            return f" *{written(item, marks)}"
    raise AssertionError(node)


@each_row(("rule", "body"), BODIES)
def test_bodies(rule: str, body: str) -> None:
    grammar = abnforge.loads(f'{rule}\nt = "t"\n')
    core = grammar.core
    loops, marks = with_loops(grammar.facts)
    result = written(loops.rules["s"], marks)
    assert result in (body, f"({body})")
    assert ("^s" in marks.values()) == ("!" in body)
    assert ("=v" in marks.values()) == ("?" in body)
    assert loops.rules["t"] is core.rules["t"]
    assert loops.names is core.names


@law(left_recursive(), few=30, many=1_000)
def test_states_of_left_recursive_rules_are_exact(rules: dict[str, Expression]) -> None:
    """They accept the strings of the reference, and stop where no string of it continues."""
    derivatives = Derivatives(abnforge.loads(written_grammar(rules)).facts)
    for name, strings in languages(rules).items():
        for text in TEXTS[:31]:
            sets, steps = derivatives.read_within(name, text, 20_000)
            if steps < 20_000:  # ambiguous recursion can need more
                assert (text in strings) is (len(sets) > len(text) and sets[-1].accepting)
                prefixes = {string[:size] for string in strings for size in range(len(text) + 1)}
                # Strings longer than those of the reference may continue, too.
                viable = [size for size in range(len(text) + 1) if text[:size] in prefixes]
                assert len(sets) > max(viable, default=0)
