"""Deviations that are known and accepted."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import abnforge
from abnforge.conformance import run
from abnforge.conformance.judges import as_judge
from abnforge.conformance.running import Known, read_known, sort_out, written
from tests.raising import raises

PORT = abnforge.load("rfc3986")["port"]
JUDGE = as_judge(lambda text: re.match("^[0-9]{0,5}$", text))


def test_a_known_string_stands_for_its_cause() -> None:
    report = run(PORT, JUDGE)
    assert len(report.deviations) == 2
    found = sort_out(report, JUDGE, [Known("80\n", False, "the end", None), Known("x", False, "not here")])
    assert [each.valid for each in found.new] == [True]
    [(deviation, reason)] = found.accepted
    assert (deviation.text, reason) == ("\n", "the end")
    assert found.vanished == (Known("x", False, "not here"),)
    # What is known of another rule is not asked.
    assert len(sort_out(report, JUDGE, [Known("80\n", False, "the end", "rfc3986:host")]).new) == 2
    assert len(sort_out(report, JUDGE, [Known("80\n", False, "the end", "rfc3986:port")]).new) == 1


def test_what_is_written_is_known(tmp_path: Path) -> None:
    report = run(PORT, JUDGE)
    path = tmp_path / "known.toml"
    path.write_text("".join(written(PORT, report.deviations, "so")), encoding="utf-8")
    found = sort_out(report, JUDGE, read_known(path))
    assert found.new == found.vanished == ()
    assert len(found.accepted) == 2


@pytest.mark.parametrize("text", ["", "\x7f\0\n", "\ud800", '"\\', "\U0001f600é"])
def test_texts_of_all_kinds(text: str, tmp_path: Path) -> None:
    from abnforge.conformance import Deviation

    path = tmp_path / "known.toml"
    path.write_text("".join(written(PORT, [Deviation(PORT, text, False, 1, 0)], "so")), encoding="utf-8")
    assert read_known(path) == [Known(text, False, "so", "rfc3986:port")]
    assert ("base64" in tomllib.loads(path.read_text(encoding="utf-8"))["known"][0]) is (text == "\ud800")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("known = 1", "known-tables"),
        ("other = 1", "known-tables"),
        ("[[known", "known-toml"),
        ("[[known]]\ntext = 'a'\nvalid = true", "known-entry"),
        ("[[known]]\ntext = 'a'\nvalid = true\nreason = ' '", "known-entry"),
        ("[[known]]\nvalid = true\nreason = 'a'", "known-entry"),
        ("[[known]]\ntext = 'a'\nreason = 'a'", "known-entry"),
        ("[[known]]\ntext = 'a'\nreason = 'a'\nvalid = true\nrule = 1", "known-entry"),
        ("[[known]]\ntxt = 'a'", "known-entry"),
        ("known = [1]", "known-entry"),
    ],
)
def test_files_that_are_none(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(text)
    with raises(ValueError, told):
        read_known(path)


def test_an_entry_that_is_wrong_about_the_rule() -> None:
    report = run(PORT, JUDGE, "quick")
    with raises(ValueError, "known-matches", rule="port", text="80"):
        sort_out(report, JUDGE, [Known("80", False, "so")])
    with raises(ValueError, "known-no-match", rule="port", text="x"):
        sort_out(report, JUDGE, [Known("x", True, "so")])
