"""Direct left recursion as a loop: which bodies become what."""

from __future__ import annotations

import abnforge
from abnforge.grammar.core import Chars, Choice, Node, Ref, Repeat, Seq
from abnforge.parsing.loops import with_loops
from tests.law import each_row

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
