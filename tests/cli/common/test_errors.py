"""Exit statuses of commands, and the option ``--exit-zero``."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import click
import pytest

from abnforge.cli.common.errors import exit_status, for_command_line, usage_errors
from abnforge.cli.common.groups import MAX_SHOWN_ERRORS
from abnforge.cli.common.inputs import Inputs, Options, StringRecord
from abnforge.errors import GrammarError
from abnforge.messages import message as explain_message
from tests.cli.command import run
from tests.cli.command_tree import VERBS


def test_values_that_make_no_sense_are_wrong_usage() -> None:
    with pytest.raises(click.UsageError, match=r"^so$"), usage_errors():
        raise ValueError("so")
    with pytest.raises(click.UsageError, match=r"^--engine lark: so$"), usage_errors("--engine lark"):
        raise ValueError("so")


def test_only_parameters_of_jobs_become_options() -> None:
    """Other packages have messages about parameters, too, such as those of a mistake."""
    pytest.importorskip("numpy")
    from abnforge.ingest.messages import message as job_message

    other = explain_message("name-part-missing", rule="r", parameter="x")
    assert for_command_line(other) is other
    job = job_message("parameter-required", parameter="columns")
    assert for_command_line(job).data == {"parameter": "--column"}


def test_errors_of_grammars_pass() -> None:
    with pytest.raises(GrammarError, match="so"), usage_errors():
        raise GrammarError("so")


@pytest.mark.parametrize(
    ("failed", "rejected", "status"), [(False, 0, 0), (False, 2, 1), (True, 0, 2), (True, 2, 2)]
)
def test_unreadable_input_counts_more_than_rejections(failed: bool, rejected: int, status: int) -> None:
    inputs = Inputs([], Options(), stdin=None, warn=print, fail=print)
    inputs.failed = failed
    assert exit_status(inputs, rejected) == status


def test_arguments_are_always_readable() -> None:
    assert exit_status([StringRecord("<argument>", 1, "a")], []) == 0
    assert exit_status([StringRecord("<argument>", 1, "a")], ["a"]) == 1


REJECTED: dict[str, tuple[str, ...]] = {
    "check": ("bad.txt",),
    "check --security": ("http.txt",),
    "explain": ("a b",),
    "parse": ("a b",),
    "uri compare": ("http://a/", "http://b/"),
    "uri normalize": ("a b",),
    "uri resolve": ("http://a/", "a b"),
    "uri scan": ("latin.txt",),
    "split": ("rows.csv", "-c", "url", "--on-error", "drop"),
    "exercise check": ("pin.abnf",),
    "coverage": ("-r", "port", "--fail-under", "100", "digits.txt"),
    "lint": ("g.abnf",),
    "lint --diff": ("slip.abnf",),
    "extract": ("twice.md",),
    "railroad": ("-r", "port", "x"),
    "diff": ("rfc3986:port", "rfc3986:scheme"),
    "diff --compat": ("rfc3986:port", "rfc3986:scheme"),
    "conform": ("-g", "g.abnf", "-r", "a", "--pattern", "y", "--level", "quick"),
    "format --check": ("g.abnf",),
    "test": ("g.abnf",),
}
FILES = {
    "bad.txt": b"a b\n",
    "http.txt": b"http://a:b@127.0.0.1/\n",
    "latin.txt": b"\xff\n",
    "rows.csv": b"url\na b\n",
    "pin.abnf": b"pin = 3*6DIGIT\r\n",
    "digits.txt": b"1\n",
    "g.abnf": b';@ match "y"\r\na   =   "x"\r\nb = b\r\n',
    "slip.abnf": b"a = 'x'\r\n",
    "twice.md": b'```abnf\na = "x"\n```\n\n```abnf\na = "y"\n```\n',
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, data in FILES.items():
        Path(name).write_bytes(data)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("verb", list(REJECTED))
def test_exit_zero(verb: str) -> None:
    """The option changes status 1 to 0, but no other status."""
    if verb == "split":
        pytest.importorskip("numpy")
    if verb == "railroad":
        pytest.importorskip("railroad")
    words = (*verb.split(), *REJECTED[verb])
    usual, zero = run(*words), run(*words, "--exit-zero")
    assert (usual.exit_code, zero.exit_code) == (1, 0), usual.output
    if verb != "split":  # its output contains times
        assert zero.output == usual.output
    assert run(*verb.split(), "--exit-zero", "--none").exit_code == 2


@pytest.mark.usefixtures("folder")
def test_exit_zero_hides_no_failure() -> None:
    """A job that does not publish outputs fails, and so does a command that cannot read an input."""
    pytest.importorskip("numpy")
    assert run("check", "bad.txt", "none.txt", "--exit-zero").exit_code == 2
    words = ("split", "rows.csv", "-c", "url", "--exit-zero")
    assert run(*words, "--on-error", "fail").exit_code == 3
    assert run(*words, "--on-error", "drop", "--max-rejects", "0").exit_code == 3


def test_every_command_that_exits_with_1_has_the_option() -> None:
    """The test searches the source of each command, so that it includes new commands."""
    result = set()
    for words, verb in VERBS.items():
        if isinstance(verb, click.Group):
            continue
        assert verb.callback is not None
        text = inspect.getsource(inspect.unwrap(verb.callback))
        # A language server exits with 1 if its client breaks the protocol, which is not a finding.
        gives_results = words != ("server",)
        if gives_results and re.search("EXIT_REJECTED|exit_status|reporting.ended", text):
            result.add(" ".join(words))
        assert "exit(1)" not in text
        assert ("--exit-zero" in {opt for each in verb.params for opt in each.opts}) is (
            " ".join(words) in result
        )
    assert result == {re.sub(" --.*", "", verb) for verb in REJECTED}


def test_a_file_that_is_no_grammar_shows_a_few_errors(tmp_path: Path) -> None:
    path = tmp_path / "uris.txt"
    path.write_text("foo bar\n" * 10)
    result = run("check", "-g", str(path), str(path))
    assert result.exit_code == 2
    assert result.stderr.count("error:") == MAX_SHOWN_ERRORS
    assert result.stderr.count("note: 5 ") == 1
