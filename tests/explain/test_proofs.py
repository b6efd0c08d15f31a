"""Proofs: wrong fixes, and mistakes that are never read, are found, with a text that shows it."""

from __future__ import annotations

from itertools import product

import abnforge
from abnforge.budget import Budget
from abnforge.explain.fixes import Fixer
from abnforge.explain.proofs import FIX, UNPROVED, Prover, remarks
from abnforge.explain.reading import Interpreter
from tests.explain.small import bind_to, fixed_cases
from tests.explain.test_fixes import applied
from tests.law import each_row, law

RULES = """
time = hour ":" minute [ "Z" ]
hour = 2DIGIT
minute = 2DIGIT
name = *( letter / pct )
letter = %x61-7A
pct = "%" 2HEXDIG
nest = "(" [ nest ] ")"
"""

MENDED = ["".join(chars) for n in range(4) for chars in product(["a", "b", "!", "%", "%61"], repeat=n)]

# What is wrong with some mistakes: kind, code, the other, the text that shows it.
REMARKS = [
    # fixes
    (';@ of hour; blame all; fix one\nm = one "h"\none = 2DIGIT\n', []),
    (';@ of hour; blame all; fix one\nm = one "h"\none = 1*2DIGIT\n', [("mistake-fix", "m", "hour", "1")]),
    (';@ of hour; blame all; fix "0" one\nm = one\none = DIGIT\n', []),
    (
        ';@ of hour minute; blame all; fix "0" one\nm = [ one ] "x"\none = DIGIT\n',
        [("mistake-fix", "m", "hour", "0"), ("mistake-fix", "m", "minute", "0")],
    ),
    (';@ of hour; blame all; fix "00"\nm = DIGIT\n', []),
    (";@ of hour; blame all; fix none\nm = DIGIT\n", []),
    (';@ of time ":"; blame all; fix ":"\nm = "."\n', []),
    (';@ of time ":"; blame all; fix "-"\nm = "."\n', [("mistake-fix", "m", "time", "-")]),
    (
        ";@ of name; blame all; fix encode(all, letter)\n"
        'm = *( letter / SP / "%" ) SP *( letter / SP / "%" )\n',
        [],
    ),
    (
        ";@ of name; blame all; fix encode(all, more)\nm = *( letter / SP ) SP\nmore = letter / SP\n",
        [("mistake-fix", "m", "name", " ")],
    ),
    (";@ of name; blame all; fix drop(all, letter)\nm = *( letter / SP ) SP\n", []),
    (";@ of name; blame all; fix like(all, letter)\nm = *( letter / %xFF41-FF5A ) %xFF41-FF5A\n", []),
    (";@ of name; blame all; fix like(all, letter)\nm = %xE9\n", [("mistake-fix", "m", "name", "\xe9")]),
    (';@ of name; blame all; fix decode(all, letter)\nm = "!" pct\n', [("mistake-fix", "m", "name", "!a")]),
    (';@ of name; blame all; fix decode(p)\nm = "!" p\np = "%6" %x31-39\n', []),
    (';@ of name; blame all; fix subst(dot, "")\nm = *( letter / dot ) dot\ndot = "."\n', []),
    (
        ';@ of name; blame all; fix subst(dot, "-")\nm = *( letter / dot ) dot\ndot = "."\n',
        [("mistake-fix", "m", "name", "-")],
    ),
    (';@ before hour; blame all; fix ""\nm = "x"\n', []),
    (';@ before name; blame all; fix "x"\nm = SP\n', []),
    (';@ after hour; blame all; fix "0"\nm = SP\n', [("mistake-fix", "m", "hour", "110")]),
    (';@ before *; blame all; fix ""\nm = SP\n', []),
    (';@ before *; blame all; fix "x"\nm = SP\n', [("mistake-unproved", "m", "*", None)]),
    (
        ';@ of nest; blame all; fix "()"\nm = "[]"\n',
        [("mistake-unproved", "m", "nest", None), ("mistake-unproved", "m", "", None)],
    ),
    # nested mistakes are mended before
    (
        ';@ of time; inner hour; blame all; fix hour ":" minute\n'
        'm = hour "." minute\n'
        ';@ of hour; blame all; fix "00"\n'
        'n = "x"\n',
        [],
    ),
    # literals are compared without regard to case
    (
        ';@ of time "z"; blame all; fix "Z"\nm = "y"\n;@ of time "Z"; blame all; fix "z"\nn = "y" / "x"\n',
        [("mistake-overlap", "n", "m", "y")],
    ),
    (
        ';@ of time "z"; blame all; fix "Z"\nm = "y"\n;@ of time ":"; blame all; fix ":"\nn = "y" / "x"\n',
        [],
    ),
    # never read
    (';@ of hour; blame all; fix "00"\nm = 2%x30-31\n', [("mistake-never-read", "m", "hour", "11")]),
    (';@ of hour; blame all; fix "00"\nm = 1*DIGIT\n', [("mistake-overlap", "m", "hour", "11")]),
    (
        ';@ of hour; blame all; fix "00"\nm = DIGIT\n;@ of hour; blame all; fix "00"\nn = "1"\n',
        [("mistake-never-read", "n", "m", None)],
    ),
    (
        ';@ of hour; blame all; fix "00"\nm = "1"\n;@ of hour; blame all; fix "00"\nn = DIGIT\n',
        [("mistake-overlap", "n", "m", "1")],
    ),
    (
        ';@ of hour; blame all; fix "00"; cost 2\nm = DIGIT\n;@ of hour; blame all; fix "00"\nn = "1"\n',
        [("mistake-overlap", "m", "n", "1")],
    ),
    (
        ';@ of hour; blame all; fix "00"; cost 2\nm = "1"\n;@ of hour; blame all; fix "00"\nn = DIGIT\n',
        [("mistake-never-read", "m", "n", None)],
    ),
    (
        ';@ of hour; blame all; fix "00"\nm = DIGIT\n;@ of hour minute; blame all; fix "00"\nn = "1"\n',
        [("mistake-overlap", "n", "m", "1")],
    ),
    (';@ of hour; blame all; fix "00"\nm = DIGIT\n;@ of minute; blame all; fix "00"\nn = "1"\n', []),
    (';@ of hour; blame all; fix "00"\nm = DIGIT\n;@ after hour; blame all; fix ""\nn = "1"\n', []),
    (
        ";@ of hour; inner minute; blame all; fix none\n"
        "m = minute\n"
        ';@ of minute; blame all; fix "00"\n'
        'n = "x"\n',
        [("mistake-overlap", "m", "hour", "11")],
    ),
]


@each_row(("mistakes", "wanted"), REMARKS)
def test_remarks(mistakes: str, wanted: list[tuple[str, str, str, str | None]]) -> None:
    found = remarks(bind_to(RULES, mistakes))
    assert [(each.kind, each.rule, each.other, each.witness) for each in found] == wanted
    for each in found:
        assert each.rule in each.message
        assert each.is_error is (each.kind in ("mistake-fix", "mistake-never-read"))


@law(fixed_cases(), few=10, many=250)
def test_what_is_proved_is_so(case: tuple[str, str, str]) -> None:
    """Where nothing is found against any fix, every text that is mended is valid."""
    rules, mistakes, start = case
    made = bind_to(rules, mistakes)
    prover = Prover(made)
    proved = {mistake.code for mistake in made.mistakes.mistakes if not prover.fix_remarks(mistake)}
    judge, reader, fixer = abnforge.loads(rules)[start], Interpreter(made, start), Fixer(made)
    for text in MENDED:
        reading = reader.interpret(text)
        mended = fixer.fix(reading)
        if mended is not None:
            assert applied(text, mended.edits) == mended.text
            if set(reading.codes) <= proved:
                assert judge.matches(mended.text), (text, mended.text)


def test_a_witness_is_what_a_fix_gives() -> None:
    """Read and mended, the text that shows a wrong fix is not valid."""
    made = bind_to(RULES, ';@ of name; blame all; fix decode(all, letter)\nm = "!" pct\n')
    (found,) = remarks(made)
    mended = Fixer(made).fix(Interpreter(made, "name").interpret("!%61"))
    assert mended is not None
    assert (found.kind, found.witness) == (FIX, mended.text)


def test_what_the_budget_does_not_allow_is_said() -> None:
    made = bind_to(RULES, ';@ of hour; blame all; fix "00"\nm = 200DIGIT\n')
    found = remarks(made, Budget(steps=50))
    assert {each.kind for each in found} == {UNPROVED}
    codes = {getattr(each.message, "code", None) for each in found}
    assert codes == {"proof-undecided", "proof-meeting-undecided"}
