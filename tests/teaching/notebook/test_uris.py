"""Component objects in notebooks: what they are made of, and no password."""

from __future__ import annotations

from typing import Any

import pytest

from abnforge import uri
from abnforge.uri import rfc2396
from tests.teaching.notebook.looking import read

OBJECTS = [
    uri.parse("http://me:secret@[::1]:80/<b>".replace("<b>", "a") + "?q=http://u:secret@h#f"),
    uri.parse("../a?q", "relative-ref"),
    uri.parse("http://me:secret@h/").authority_parts,
    rfc2396.parse("http://me:secret@h/a;b"),
    rfc2396.parse("mailto:a@b"),
]


@pytest.mark.parametrize("value", OBJECTS, ids=str)
def test_components(value: Any) -> None:
    html = value._repr_html_()
    text = read(html).text
    assert "secret" not in html
    assert type(value).__name__ in text
    for name in ("scheme", "host", "path", "query"):
        if hasattr(value, name):
            part = getattr(value, name)
            assert (name + ("undefined" if part is None else "")) in text
