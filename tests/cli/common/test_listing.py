"""The grammars that load by name."""

from __future__ import annotations

import abnforge
from abnforge.cli.common.listing import listed


def test_bundled_ones_first_and_the_others_without_what_takes_loading() -> None:
    rows = listed()
    names = [*abnforge.grammar_names(), *abnforge.package_names()]
    assert [row.name for row in rows] == names
    by_name = {row.name: row.to_dict() for row in rows}
    assert by_name["rfc3986"]["default_rule"] == "URI"
    assert by_name["rfc3986"]["origin"] == "abnforge"
    assert by_name["abnf:rfc9110"] == {
        "name": "abnf:rfc9110",
        "origin": "abnf",
        "rules": None,
        "default_rule": None,
    }
