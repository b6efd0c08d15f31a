"""Lines of bash as words, and answers as shells read them."""

from __future__ import annotations

import pytest
from click.shell_completion import BashComplete

from abnforge.cli.app import cli
from abnforge.cli.common.shells import SHELLS, Line, cut, register, script
from tests.law import each_row


@each_row(
    ("text", "line"),
    [
        ("", Line((), "")),
        ("abnforge ", Line(("abnforge",), "")),
        ("abnforge  check -", Line(("abnforge", "check"), "-")),
        ("a b=c", Line(("a",), "b=c", 2)),
        ("a x:y=", Line(("a",), "x:y=", 4)),
        ("a x:y z", Line(("a", "x:y"), "z")),
        ("a 'x y", Line(("a",), "x y")),
        ("a k='x:y", Line(("a",), "k=x:y", 2)),
        ("a 'x y' z", Line(("a", "x y"), "z")),
        ('a "x\\"y\\z', Line(("a",), 'x"y\\z')),
        ("a 'x\\y", Line(("a",), "x\\y")),
        ("a x\\ y", Line(("a",), "x y")),
        ("a x\\:y", Line(("a",), "x:y")),
        ("a x\\", Line(("a",), "x")),
        ("a x\\\ny", Line(("a",), "xy")),
        ("a '' x", Line(("a", ""), "x")),
        ("a < x", Line(("a",), "x", 0, True)),
        ("a b <x y", Line(("a", "b"), "y")),
        ("a b 2>x", Line(("a", "b"), "x", 0, True)),
        ("a b2>x y", Line(("a", "b2"), "y")),
        ("x | a b", Line(("a",), "b")),
        ("x 'a|b' > y; a b", Line(("a",), "b")),
    ],
)
def test_cut(text: str, line: Line) -> None:
    assert cut(text) == line


def test_other_breaks() -> None:
    """Who takes ":" out of COMP_WORDBREAKS, as bash-completion's manual says, gets whole words."""
    assert cut("a x:y", " \t\n=").kept == 0


def answers(shell: str, *given: str, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    monkeypatch.setattr("sys.argv", ["abnforge", *given])
    text = SHELLS[shell](cli, {}, "abnforge", "_ABNFORGE_COMPLETE").complete()
    return [line.split("\t") for line in text.split("\n")] if text else []


@pytest.mark.parametrize(
    ("line", "answered"),
    [
        ("abnforge exer", [["plain", "exercise"]]),
        ("abnforge check --grammar=rfc398", [["plain", "rfc3986"], ["plain", "rfc3987"], ["file", "rfc398"]]),
        ("abnforge diff rfc3986:IPv4", [["file", "IPv4"], ["plain", "IPv4address"]]),
        ("abnforge diff 'rfc3986:IPv4", [["file", "rfc3986:IPv4"], ["plain", "rfc3986:IPv4address"]]),
        ("abnforge diff rfc3986 rfc2396 --translate schem", [["open", "scheme="]]),
        ("abnforge check <ab", [["file", "ab"]]),
        ("abnforge check 'my fi", [["file", "my fi"]]),
        ("abnforge chekc x", []),
    ],
)
def test_bash(line: str, answered: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    assert [each[:2] for each in answers("bash", line, monkeypatch=monkeypatch)] == answered


@pytest.mark.parametrize("shell", ["zsh", "fish"])
@pytest.mark.parametrize(
    ("words", "answered"),
    [
        (("exer",), [["plain", "exercise"]]),
        (("check", "--format=jun"), [["plain", "--format=junit"]]),
        (("diff", "x", "rfc3986:po"), [["file", "rfc3986:po"], ["plain", "rfc3986:port"]]),
        (("explain", "--", "--format=js"), []),
        (("check", "--", "--format", "js"), [["file", "js"]]),
        ((), None),
    ],
)  # fmt: skip
def test_words(
    shell: str, words: tuple[str, ...], answered: list[list[str]] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [each[:2] for each in answers(shell, *words, monkeypatch=monkeypatch)]
    assert found == ([["plain", name] for name in cli.places] if answered is None else answered)


def test_help_goes_with_verbs_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in answers("fish", "uri", "", monkeypatch=monkeypatch):
        assert len(each) == 3
        assert each[2]


@pytest.mark.parametrize("shell", SHELLS)
def test_what_fails_answers_nothing(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SHELLS[shell], "get_completions", lambda *given: 1 / 0)
    assert answers(shell, "abnforge ", monkeypatch=monkeypatch) == []


def test_scripts_of_click_are_still_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody may have written one to a file."""
    monkeypatch.setenv("COMP_WORDS", "abnforge exer")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert answers("bash", monkeypatch=monkeypatch) == [["plain,exercise"]]


def test_click_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from click import shell_completion

    monkeypatch.setattr(shell_completion, "_available_shells", {"bash": BashComplete})
    register()
    assert {name: shell_completion.get_completion_class(name) for name in SHELLS} == SHELLS


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_name_what_they_ask(shell: str) -> None:
    assert f"_ABNFORGE_COMPLETE={shell}_complete" in script(shell)
    assert script(shell).isascii()
