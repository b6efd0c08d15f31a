"""``abnforge grammar compile``: grammars that Lark takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import fails, run

STATUSES = [
    (["grammar", "compile", "no-such-file.abnf"], None, 2),
]


@pytest.mark.parametrize(("arguments", "stdin", "status"), STATUSES)
def test_exit_status(arguments: list[str], stdin: str | None, status: int) -> None:
    assert run(*arguments, stdin=stdin).exit_code == status


def test_grammar_compile(grammar: str, tmp_path: Path) -> None:
    from lark import Lark

    whole = run("grammar", "compile", grammar).stdout
    target = tmp_path / "out.lark"
    assert run("grammar", "compile", grammar, "--rule", "start", "-o", str(target)).stdout == ""
    part = target.read_text()
    assert "nest" in whole
    assert "nest" not in part
    assert Lark(part, start="start").parse("ab,c").data == "start"


def test_the_budget_counts(tmp_path: Path) -> None:
    path = tmp_path / "small.abnf"
    path.write_text('small = "x"\n')
    result = run("grammar", "compile", str(path), "--budget", "steps=5")
    assert (result.stdout, result.exit_code) == ("", 2)
    fails(result, "limit-steps")
