"""Trees to be looked at: as text, as HTML, as a picture."""

from __future__ import annotations

from base64 import b64decode
from xml.etree import ElementTree

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.teaching import notebook
from abnforge.teaching.notebook.markup import MAX_LINES
from abnforge.teaching.notebook.pages import MAX_DRAWN
from tests.raising import raises
from tests.teaching.notebook.looking import read

LIST = abnforge.loads('list = item *( "," item )\nitem = 1*ALPHA\n')["list"]


def test_a_tree_is_text_too(snapshot: SnapshotAssertion) -> None:
    tree = notebook.tree(LIST, "ab,c")
    assert str(tree) == snapshot
    assert str(notebook.tree(LIST, "ab,c", full=True)).count("\n") == len(tree.nodes) - 1
    assert repr(tree) == f"Tree(rule={LIST!r}, text='ab,c', full=False)"


def test_what_is_not_derived_has_no_tree() -> None:
    with pytest.raises(abnforge.Rejected):
        notebook.tree(LIST, "a,")
    with raises(TypeError, "argument-type", name="rule"):
        notebook.tree("list", "a")  # type: ignore[arg-type]


def test_a_small_tree_has_a_picture(snapshot: SnapshotAssertion) -> None:
    tree = notebook.tree(LIST, "ab,c")
    html = tree._repr_html_() or ""
    assert read(html).alternatives == snapshot
    [data] = html.split("base64,")[1:]
    assert b64decode(data.partition('"')[0]).decode() == tree.svg()
    assert ElementTree.fromstring(tree.svg()).tag.endswith("svg")


def test_a_large_one_has_its_first_lines() -> None:
    tree = notebook.tree(LIST, "ab," * 2_000 + "c")
    reader = read(tree._repr_html_())
    assert len(str(tree).splitlines()) == 4_002 > MAX_DRAWN
    assert f"... {4_002 - MAX_LINES:,} more lines" in reader.text
    assert reader.alternatives == []
