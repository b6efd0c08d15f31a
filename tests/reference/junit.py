"""JUnit XML, checked against its common schema (junit-10.xsd of the Jenkins xUnit plugin)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element, fromstring

# Element -> its attributes (required ones in capitals), and the elements that it can contain.
_ELEMENTS: dict[str, tuple[str, str]] = {
    "testsuites": ("name time tests failures disabled errors", "testsuite"),
    "testsuite": (
        "NAME TESTS failures errors time disabled skipped timestamp hostname id package file",
        "properties testcase system-out system-err",
    ),
    "testcase": (
        "NAME CLASSNAME assertions time status file line",
        "skipped error failure system-out system-err",
    ),
    "failure": ("type message", ""),
    "error": ("type message", ""),
    "skipped": ("type message", ""),
}
_COUNTS = ("tests", "failures", "errors")


class Case(NamedTuple):
    """A test case; ``outcome`` is ``passed``, ``failure``, ``error`` or ``skipped``."""

    classname: str
    name: str
    outcome: str
    type: str
    message: str
    text: str


def read(text: str) -> list[Case]:
    """Return all test cases in a report. Fails if the schema does not allow the report."""
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n')
    root = fromstring(text.encode())
    assert root.tag in ("testsuites", "testsuite")
    for element in root.iter():
        _check(element)
    for parent in root.iter():
        if parent.tag in ("testsuites", "testsuite"):
            result = _totals(parent)
            assert {name: int(parent.attrib[name]) for name in _COUNTS} == result
    return list(map(_case, root.iter("testcase")))


def _check(element: Element) -> None:
    attributes, children = _ELEMENTS[element.tag]
    required = {name.lower() for name in attributes.split() if name.isupper()}
    assert required <= element.attrib.keys() <= set(attributes.lower().split())
    assert all(child.tag in children.split() for child in element)
    if children:  # only whitespace is allowed between elements
        assert not (element.text or "").strip()
        assert not any((child.tail or "").strip() for child in element)
    if element.tag == "testcase":
        assert len(element) <= 1
        assert element.attrib["name"]


def _totals(parent: Element) -> dict[str, int]:
    return {
        "tests": sum(1 for _ in parent.iter("testcase")),
        "failures": sum(1 for _ in parent.iter("failure")),
        "errors": sum(1 for _ in parent.iter("error")),
    }


def _case(element: Element) -> Case:
    result: Iterator[Element] = iter(element)
    child = next(result, None)
    place = element.attrib["classname"], element.attrib["name"]
    if child is None:
        return Case(*place, "passed", "", "", "")
    return Case(*place, child.tag, child.get("type", ""), child.get("message", ""), child.text or "")
