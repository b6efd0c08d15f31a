"""Whether a doubtful fix is offered: only where no other reading is as cheap."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.explain.derive import bind_derived
from abnforge.explain.explainer import fix_is_ambiguous
from abnforge.explain.fixes import Fixer
from abnforge.explain.reading import Interpreter

GRAMMAR = """
ranges = range *( OWS "," OWS range )
range  = 1*8ALPHA *( "-" 1*8ALPHA )
tags   = tag *( OWS "," OWS tag )
tag    = 1*( ALPHA / "-" )
OWS    = *( SP / HTAB )
"""


@pytest.mark.parametrize(
    ("rule", "text", "mended", "rival"),
    [
        ("ranges", "en US", "en,US", True),  # or en-US
        ("range", "en US", "en-US", False),
        ("tags", "en US", "en,US", False),  # no other reading is as cheap
        ("ranges", "en; fr", "en, fr", False),  # no doubt
    ],
)
def test_another_reading_that_costs_no_more(rule: str, text: str, mended: str, rival: bool) -> None:
    grammar = abnforge.loads(GRAMMAR)
    bound = bind_derived(grammar.compilation.bound, rule)
    reader, fixer = Interpreter(bound, rule), Fixer(bound)
    reading = reader.interpret(text)
    found = fixer.fix(reading)
    assert found is not None
    assert found.text == mended
    assert fix_is_ambiguous(reader, fixer, reading) is rival
    rejection = grammar[rule].explain(text)
    assert rejection is not None
    suggestion = rejection.suggestion
    assert (None if suggestion is None else suggestion.text) == (None if rival else mended)
