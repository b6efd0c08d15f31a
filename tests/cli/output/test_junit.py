"""JUnit's XML."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import strategies as st

from abnforge.cli.output.diagnostic import NAME_COLUMNS
from abnforge.text import escape
from tests.cli.command import Seen
from tests.cli.output.outcomes import ALL, SEVERAL_LINES, WHOLE, rejected, written
from tests.law import law
from tests.reference import junit


def test_junit(seen: Seen) -> None:
    root = ElementTree.fromstring(written("outcome", "junit", *ALL))
    assert root.attrib == {"tests": "4", "failures": "1", "errors": "2"}
    [suite] = root
    assert [[child.tag for child in case] for case in suite] == [[], ["failure"], ["error"], ["error"]]
    failure = suite[1][0]
    seen(failure.attrib["message"])
    assert failure.text is not None
    assert failure.text.startswith("dir/a b:c,d.txt:2:2: not a URI")


def test_reports_follow_the_schema(seen: Seen) -> None:
    cases = junit.read(written("outcome", "junit", *ALL, SEVERAL_LINES))
    assert [case.outcome for case in cases] == ["passed", "failure", "error", "error", "failure"]
    assert [case.type for case in cases] == ["", "odd-sign", "not-utf-8", "line-too-long", "odd-sign"]
    seen(cases[-1].text)
    assert junit.read(written("outcome", "junit")) == []


@law(st.text(min_size=1, max_size=8), st.text(max_size=8), few=50, many=2_000)
def test_what_is_read_back_is_what_was_written(source: str, text: str) -> None:
    [case] = junit.read(written("outcome", "junit", rejected(source, text, 0, 1)))
    assert case.classname == escape(source)
    assert case.name == f"line 1: {escape(text[:NAME_COLUMNS])}"
    assert case.message.startswith(escape(f"wrong: {text}") + "; ")
    assert escape(case.message) == case.message
    assert escape(f"wrong: {text}") in case.text


def test_a_whole_file_is_a_test_case() -> None:
    [case] = junit.read(written("outcome", "junit", WHOLE))
    assert (case.classname, case.name) == ("dir/a b:c,d.txt", "file: [1,\\r\\n  tru,\\r\\n 3]")
    assert case.text.startswith("dir/a b:c,d.txt:2:6: not a URI")
