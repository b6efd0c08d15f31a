"""Small random grammars with random mistakes, and functions that bind them."""

from __future__ import annotations

from hypothesis import strategies as st

import abnforge
from abnforge.explain.bind import BoundMistakes, bind_mistakes
from abnforge.explain.mistakes_file import read_mistakes
from tests.reference.cheapest import Wrong
from tests.reference.small_languages import Expression, abnf, expressions, grammar, left_recursive

NAMES = ("r0", "r1", "r2")

Case = tuple[dict[str, Expression], list[Wrong]]


def _over(names: tuple[str, ...]) -> st.SearchStrategy[Expression]:
    """Return an expression that may name some rules."""
    if not names:
        return expressions
    references = st.sampled_from(names).map(lambda name: ("rule", name))
    some = st.lists(st.one_of(references, references, expressions), min_size=1, max_size=3)
    return some.map(lambda items: ("all", *items)) | some.map(lambda items: ("any", *items))


@st.composite
def _wrongs(draw: st.DrawFn) -> Wrong:
    place = draw(st.sampled_from(["of", "of", "of", "before", "after"]))
    target = draw(st.sampled_from(NAMES if place == "of" else (*NAMES, "*")))
    body = draw(_over(NAMES))
    # Later rules, or the target itself, since no mistake contains itself.
    inside = [name for name in NAMES if target == "*" or name >= target]
    inner = tuple(name for name in inside if _names(body, name) and draw(st.booleans()))
    return Wrong(place, target, body, draw(st.integers(1, 3)), inner)


def _names(expression: object, name: str) -> bool:
    if not isinstance(expression, tuple):
        return False
    return expression == ("rule", name) or any(_names(part, name) for part in expression)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Return three rules with references to later ones, and one to four mistakes."""
    rules = {name: draw(_over(NAMES[place + 1 :])) for place, name in enumerate(NAMES)}
    return rules, draw(st.lists(_wrongs(), min_size=1, max_size=4))


@st.composite
def left_recursive_cases(draw: st.DrawFn) -> Case:
    """Return three rules that start with one another, and one to three mistakes."""
    rules = draw(left_recursive(NAMES))
    return rules, draw(st.lists(_wrongs(), min_size=1, max_size=3))


@st.composite
def fixed_cases(draw: st.DrawFn) -> tuple[str, str, str]:
    """Return a grammar, mistakes with fixes (many of them wrong), and the rule to parse."""
    rules = {name: draw(_over(NAMES[place + 1 :])) for place, name in enumerate(NAMES)}
    lines = ['set = %s"a"\n']
    for number in range(draw(st.integers(1, 3))):
        place = draw(st.sampled_from(["of", "of", "before", "after"]))
        target = draw(st.sampled_from(NAMES))
        uses = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=2))
        gaps = [draw(st.sampled_from(["", '"!"', '*"%"', '"%61"', '"b"'])) for _ in range(len(uses) + 1)]
        parts = [part for pair in zip(gaps, [*uses, ""], strict=True) for part in pair if part]
        slots = [f"{name}.{uses[:place].count(name) + 1}" for place, name in enumerate(uses)]
        maps = [
            *slots,
            "all",
            *(f"{how}({slot}, set)" for how in ("encode", "drop", "decode") for slot in (*slots, "all")),
        ]
        fix = [
            draw(st.sampled_from([*maps, '"a"', f'subst({uses[0]}, "a")']))
            for _ in range(draw(st.integers(1, 2)))
        ]
        if len({each.split("(")[-1].split(",")[0].rstrip(")") for each in fix}) < len(fix):
            fix = fix[:1]
        inner = [name for name in uses if name > target]
        lines.append(
            f";@ {place} {target}; blame all; fix {' '.join(fix)}"
            + (f"; inner {' '.join(inner)}" if inner else "")
        )
        lines.append(f"m{number} = {' '.join(parts)}\n")
    return grammar(rules), "\n".join(lines), "r0"


def mistakes_text(wrongs: list[Wrong]) -> str:
    """Return mistakes in the notation of mistakes files."""
    lines: list[str] = []
    for number, wrong in enumerate(wrongs):
        lines.append(f";@ {wrong.place} {wrong.target}; blame all; fix none; cost {wrong.cost}")
        if wrong.inner:
            lines.append(f";@ inner {' '.join(wrong.inner)}")
        lines.append(f"m{number} = {abnf(wrong.body)}")
    return "\n".join(lines) + "\n"


def bound(case: Case) -> BoundMistakes:
    """Return the mistakes of a case, bound to its grammar."""
    rules, wrongs = case
    return bind_to(grammar(rules), mistakes_text(wrongs))


def bind_to(rules: str, mistakes: str) -> BoundMistakes:
    """Bind mistakes to a grammar; both arguments are source text."""
    return bind_mistakes(read_mistakes(mistakes), abnforge.loads(rules).compilation.bound)


URIS = """
;@ of port; blame junk; fix digits
port-junk = digits junk
digits = *DIGIT
junk = ALPHA *( ALPHA / DIGIT )
;@ of scheme; blame all; fix none
scheme-empty = ""
;@ each T: segment query; of T; blame spaces; fix none
space-in-T = *pchar spaces *( pchar / SP )
spaces = 1*SP
;@ of authority ":"; blame all; fix ":"
two-colons = "::"
;@ of path-abempty; inner segment; blame back.2 back; fix subst(back, "/")
backs = 1*( "/" / back ) segment *( ( "/" / back ) segment )
back = "\\"
;@ before *; blame all; fix ""; cost 2
word-before = 1*ALPHA SP
;@ after *; blame all; fix ""
space-after = 1*SP
"""


def uris() -> BoundMistakes:
    """Return a few mistakes for URIs, bound to their grammar."""
    return bind_mistakes(read_mistakes(URIS), abnforge.load("rfc3986").compilation.bound)
