"""Grammar files of other projects load, or their rejection is listed with the lines of its errors.

``real_grammars.json`` has two lists: loaded and rejected files. Names that a loaded file does not define are
from other documents, so it loads with ``allow_undefined``. Rejected files are listed with the lines that are
not ABNF.
"""

from __future__ import annotations

import json

import pytest

import abnforge
from tests.law import one_in
from tests.places import DATA, SHARED

LISTED = json.loads((DATA / "real_grammars.json").read_text("utf-8"))
GRAMMARS = SHARED / "grammars"
INDEX = GRAMMARS / "index.tsv"
FILES = [line.split("\t")[0] for line in INDEX.read_text("utf-8").splitlines()[1:]] if INDEX.is_file() else []

# Files that other ABNF tools also accept, except one with a number that exceeds the limits of all tools.
OUR_OWN_LIMIT = ["pandatix__go-abnf/testdata__fuzz_regex_eaa469604868c87f.abnf"]


@pytest.mark.parametrize("name", one_in(4, FILES))
def test_each_loads_or_is_listed(name: str) -> None:
    path = GRAMMARS / name
    if name in LISTED["refused"]:
        for allow_undefined in (False, True):
            with pytest.raises(abnforge.GrammarError) as info:
                abnforge.load(path, allow_undefined=allow_undefined)
            errors = info.value.errors
            assert sorted({error.line for error in errors}) == LISTED["refused"][name]["lines"]
            assert errors[0].code == LISTED["refused"][name]["code"]
        return
    missing = LISTED["undefined"].get(name, [])
    if missing:
        with pytest.raises(abnforge.GrammarError) as info:
            abnforge.load(path)
        # A document that extends a rule from another document also lacks that rule.
        assert {error.code for error in info.value.errors} <= {"undefined-rule", "incremental-without-base"}
    grammar = abnforge.load(path, allow_undefined=bool(missing))
    rules = grammar.compilation.bound.rules.values()
    assert sorted(rule.name for rule in rules if rule.origin == "undefined") == missing
    for rule in grammar.own_rules:
        assert rule.definition


@pytest.mark.skipif(not FILES, reason="the grammars of other projects are not here")
def test_how_many() -> None:
    assert len(FILES) == len(set(FILES)) == 97
    assert set(FILES) >= LISTED["undefined"].keys() | LISTED["refused"].keys()
    assert set(OUR_OWN_LIMIT) <= LISTED["refused"].keys()
    assert len(OUR_OWN_LIMIT) <= 0.05 * len(FILES)
