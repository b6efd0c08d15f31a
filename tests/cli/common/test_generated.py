"""What goes from ``generate`` to a report."""

from __future__ import annotations

import abnforge
from abnforge.cli.common.generated import Generated


def test_it_is_a_vector() -> None:
    plain = Generated(abnforge.load("rfc3986")["port"], "8x", False).to_dict()
    assert (plain["text"], plain["valid"], plain["code"]) == ("8x", False, "port-not-digits")
