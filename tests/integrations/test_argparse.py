"""argparse: arguments whose texts a rule derives."""

from __future__ import annotations

from argparse import ArgumentParser

import pytest

import abnforge
from abnforge.integrations.argparse import abnf


def test_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    parser = ArgumentParser(prog="links")
    parser.add_argument("url", type=abnf("rfc3986:URI"))
    assert parser.parse_args(["HTTP://a/"]).url == "HTTP://a/"
    with pytest.raises(SystemExit):
        parser.parse_args(["http://h:80x/"])
    rejection = abnforge.rule("rfc3986:URI").explain("http://h:80x/")
    assert rejection is not None
    assert capsys.readouterr().err.endswith(f"argument url: {rejection.message_with_position}\n")


def test_a_wrong_rule_is_told_at_once() -> None:
    with pytest.raises(abnforge.UnknownNameError):
        abnf("rfc3986:UIR")
