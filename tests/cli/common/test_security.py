"""``--security`` and ``--allow-port``: what they are refused for."""

from __future__ import annotations

import pytest

from tests.cli.command import fails, run


def test_ports_can_be_allowed() -> None:
    assert run("check", "--security", "--allow-port", "HTTP:25", stdin="http://h:25/").exit_code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--grammar", "rfc2396"], "security-rule"),
        (["--rule", "host"], "security-rule"),
        (["--format", "sarif"], "security-format"),
        (["--allow-port", "25"], "port-of-scheme"),
        (["--allow-port", "http:" + "9" * 5000], "port-of-scheme"),
    ],
)
def test_wrong_usage(options: list[str], message: str) -> None:
    fails(run("check", "--security", *options, stdin="http://h:25/\n"), message)


def test_ports_without_security() -> None:
    fails(run("check", "--allow-port", "http:25", stdin=""), "option-requires", other="--security")
