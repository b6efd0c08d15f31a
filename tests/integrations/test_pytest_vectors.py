"""pytest: files with test vectors, and tests that are called with strings of a rule."""

from __future__ import annotations

import json

import pytest

import abnforge
from abnforge.conformance.suites import suite
from abnforge.conformance.vectors import lines
from tests.integrations.test_pytest import LOADED, Ran
from tests.law import one_in

pytest_plugins = ["pytester"]

PORT = abnforge.load("rfc3986")["port"]


@pytest.fixture
def ran(pytester: pytest.Pytester) -> Ran:
    return lambda *options: pytester.runpytest_inprocess(*LOADED, *options)


def vectors(pytester: pytest.Pytester, *more: object) -> None:
    text = "".join(lines(PORT, suite(PORT, "quick"))) + "".join(json.dumps(each) + "\n" for each in more)
    (pytester.path / "port.vectors.jsonl").write_text(text)


def test_lines_are_items(pytester: pytest.Pytester, ran: Ran) -> None:
    vectors(pytester)
    ran().assert_outcomes()
    result = ran("--abnf", "-v")
    result.assert_outcomes(passed=len(suite(PORT, "quick")))
    result.stdout.fnmatch_lines(["port.vectors.jsonl::port-* PASSED*"])


def test_a_line_that_the_rule_does_not_agree_with(pytester: pytest.Pytester, ran: Ran) -> None:
    vectors(pytester, {"id": "wrong", "text": "x", "rule": "rfc3986:port", "valid": True})
    result = ran("--abnf")
    result.assert_outcomes(passed=len(suite(PORT, "quick")), failed=1)
    result.stdout.fnmatch_lines(['*rfc3986:port * "x", *'])


def test_an_implementation_is_asked(pytester: pytest.Pytester, ran: Ran) -> None:
    vectors(
        pytester,
        {"id": "digits", "text": "\u0661", "rule": "rfc3986:port", "valid": False},
        {"id": "surrogate", "base64": "7aCA", "rule": "rfc3986:port", "valid": False},
    )
    pytester.makepyfile(mine="def is_port(text):\n    return not text or text.isdigit()\n")
    pytester.syspathinsert()
    pytester.makeini("[pytest]\nabnf = true\nabnf_judge = mine:is_port\n")
    result = ran()
    result.assert_outcomes(passed=len(suite(PORT, "quick")) + 1, failed=1)
    result.stdout.fnmatch_lines(["mine:is_port * (look-alike-in-port: *", "*digits*"])


@pytest.mark.parametrize("judge", one_in(2, ["mine", "json:nothing", "nowhere_at_all:f", "sys:path"]))
def test_no_such_implementation(pytester: pytest.Pytester, ran: Ran, judge: str) -> None:
    vectors(pytester)
    pytester.makeini(f"[pytest]\nabnf = true\nabnf_judge = {judge}\n")
    result = ran()
    assert "abnf_judge" in result.stdout.str() + result.stderr.str()


@pytest.mark.parametrize(
    ("line", "message"),
    one_in(
        3,
        [
            ("[]", "*line 1*"),
            ("{", "line 1: *"),
            ('{"text": "a", "rule": "port", "valid": true}', "line 1: rule *"),
            ('{"text": "a", "rule": "rfc3986:port"}', "line 1: valid *"),
            ('{"rule": "rfc3986:port", "valid": true}', "line 1: text *"),
            ('{"base64": "!", "rule": "rfc3986:port", "valid": true}', "line 1: base64 *"),
            ('{"text": "a", "rule": "rfc3986:prot", "valid": true}', "*prot*"),
            ('{"text": "a", "rule": "rfc0:port", "valid": true}', "*rfc0*"),
        ],
    ),
)
def test_files_that_are_none(pytester: pytest.Pytester, ran: Ran, line: str, message: str) -> None:
    (pytester.path / "bad.vectors.jsonl").write_text(line + "\n")
    result = ran("--abnf")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])
    assert "Traceback" not in result.stdout.str()


def test_a_marked_test_is_called_with_strings(pytester: pytest.Pytester, ran: Ran) -> None:
    pytester.makepyfile(
        """
        import ipaddress, pytest

        def is_address(text):
            try:
                return bool(ipaddress.IPv4Address(text))
            except ValueError:
                return False

        @pytest.mark.abnf("rfc3986:IPv4address", count=30)
        def test_address(text, valid):
            assert is_address(text) is valid

        @pytest.mark.abnf("rfc3986:port", kind="strings")
        @pytest.mark.abnf("rfc3986:scheme", kind="near-misses", count=3)
        def test_two(vector):
            assert vector.text.isdigit() or not vector.text or not vector.valid
        """
    )
    result = ran("-v", "--strict-markers")
    assert result.ret == 0
    assert result.stdout.str().count("test_address[valid-") == 30
    assert result.stdout.str().count("test_address[not-valid-") == 30
    assert result.stdout.str().count("test_two[scheme-not-valid-") == 3
    assert "test_two[port-valid-empty]" in result.stdout.str()


def test_deviations_are_failed_tests(pytester: pytest.Pytester, ran: Ran) -> None:
    pytester.makepyfile(
        """
        import pytest, re

        @pytest.mark.abnf("rfc3986:port", kind="suite", count=60)
        def test_port(text, valid):
            assert bool(re.fullmatch("[0-9]{0,5}", text)) is valid
        """
    )
    result = ran()
    assert result.parseoutcomes()["passed"] + result.parseoutcomes()["failed"] == 60
    result.stdout.fnmatch_lines(["FAILED *test_port?valid-* - *"])


@pytest.mark.parametrize(
    ("marker", "arguments", "message"),
    one_in(
        3,
        [
            ('"rfc3986:port"', "", "marked abnf"),
            ('"port"', "text", '"GRAMMAR:RULE"'),
            ('"rfc3986:prot"', "text", "prot"),
            ('"rfc3986:port", kind="all"', "text", "near-misses or suite"),
            ('"rfc3986:port", count=0', "text", "count"),
            ('"rfc3986:port", sort=1', "text", "'sort'"),
        ],
    ),
)
def test_markers_that_say_nothing(
    pytester: pytest.Pytester, ran: Ran, marker: str, arguments: str, message: str
) -> None:
    pytester.makepyfile(f"import pytest\n@pytest.mark.abnf({marker})\ndef test_it({arguments}):\n    pass\n")
    result = ran()
    assert result.ret != 0
    assert message in result.stdout.str()
    assert "Traceback" not in result.stdout.str()
    assert "pytest_vectors.py" not in result.stdout.str()
