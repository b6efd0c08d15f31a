"""An outcome has the components of its string, if requested."""

from __future__ import annotations

import abnforge
from abnforge import uri
from abnforge.cli.common.inputs import StringRecord
from abnforge.cli.common.outcome import Outcome, Structure, Target, with_components


def test_what_is_masked_is_shown_and_what_came_in_is_parsed() -> None:
    rule = abnforge.load("rfc3986")["URI"]
    outcome = Outcome(StringRecord("f", 1, "a://u:*@h"), Target("rfc3986", "URI"), judged="a://u:p@h")
    structure = Structure(outcome, rule, "auto", "rfc3986")
    assert structure.components() == uri.parse("a://u:*@h", "URI").to_dict()
    assert "".join(structure.tree().scan_values(lambda token: True)) == "a://u:p@h"
    assert Structure(outcome, rule, "auto", None).components() is None


def test_which_grammars_have_components() -> None:
    names = [*abnforge.grammar_names(), "abnf:rfc3986", "./rfc3986"]
    assert [name for name in names if with_components(name)] == ["rfc2396", "rfc3986"]
