"""Bad input, end to end: clear errors or right results in bounded time and memory, without tracebacks.

The packages have more detailed tests (tests/grammar, tests/cli). Here, the whole program reads each kind of
bad input in a process with time and memory limits.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from abnforge import GrammarError, LimitExceeded, Rejected, UnknownNameError, load, loads, uri
from abnforge.cli.common.messages import message
from tests.forked_cli import run
from tests.law import each_row, one_in

MEMORY = 2 << 30  # bytes of address space

MEGABYTE = "a" * 1_000_000
NESTED = "a = " + "(" * 10_000 + '"x"' + ")" * 10_000 + "\n"


def bounded(*arguments: str, stdin: bytes = b"", cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return run(*arguments, stdin=stdin, cwd=cwd, memory=MEMORY)


# Description, standard input, exit status, and the code and offset of the rejection.
INPUTS = [
    ("undecodable", b"http://h/\xff\nurn:a\n", 1, ("not-utf-8", 9)),
    ("cut in a character", b"http://h/\xc3", 1, ("not-utf-8", 9)),
    ("overlong", b"http://h/\xc0\xaf\n", 1, ("not-utf-8", 9)),
    ("surrogate", b"http://h/\xed\xa0\x80\n", 1, ("not-utf-8", 9)),
    ("NUL", b"urn:a\0b\n", 1, ("control-in-path", 5)),
    ("NUL alone", b"\0", 1, ("unreadable-URI", 0)),
    ("CR within", b"urn:a\rb\n", 1, ("line-break-in-path", 5)),
    ("valid megabyte", f"urn:{MEGABYTE}\n".encode(), 0, None),
    ("megabyte and a space", f"urn:{MEGABYTE} b\n".encode(), 1, ("space-in-path", 1_000_004)),
    ("megabyte of errors", b" " * 1_000_000, 1, ("not-a-uri", 0)),
    ("megabyte of open brackets", b"http://" + b"[" * 1_000_000, 1, ("host-missing", 8)),
    ("megabyte of broken triplets", b"urn:" + b"%4" * 500_000, 1, ("percent-in-path", 6)),
    ("too long a line", b"urn:" + b"a" * 1_100_000, 1, ("line-too-long", 1 << 20)),
    ("empty line", b"\n", 1, ("empty-string", 0)),
]


def rejections(result: subprocess.CompletedProcess[bytes]) -> list[tuple[int, str, int]]:
    """Return the line, code and offset of each rejection."""
    records = [json.loads(line) for line in result.stdout.splitlines()]
    return [(record["line"], record["code"], record["offset"]) for record in records]


@pytest.mark.parametrize(
    ("stdin", "status", "rejection"), [c[1:] for c in INPUTS], ids=[c[0] for c in INPUTS]
)
def test_strings_on_standard_input(
    stdin: bytes, status: int, rejection: tuple[str, int] | None, tmp_path: Path
) -> None:
    result = bounded("check", "--format", "jsonl", stdin=stdin, cwd=tmp_path)
    errors = result.stderr.decode()
    assert "Traceback" not in errors
    assert result.returncode == status
    assert rejections(result) == ([(1, *rejection)] if rejection else [])
    lines = stdin.removesuffix(b"\n").count(b"\n") + 1
    assert f"{lines} line{'s' if lines > 1 else ''}, {status} rejected" in errors


# Description, file, exit status, the rejection (line, code, offset), and the code of the warning or note.
DOCUMENTS = [
    ("empty", b"", 0, None, ""),
    ("undecodable", b"ab\n\xff\n", 1, (2, "not-utf-8", 3), ""),
    ("NUL", b"ab\n\0", 1, (2, "unreadable-doc", 3), ""),
    ("other line ends", b"ab\r\ncd\r\n", 1, (1, "space-after-doc", 2), "line-ends-differ"),
    ("byte order mark", b"\xef\xbb\xbfab\n", 0, None, "byte-order-mark-dropped"),
    ("two byte order marks", b"\xef\xbb\xbf" * 2, 1, (1, "space-after", 0), "byte-order-mark-dropped"),
    ("UTF-16", "ab\n".encode("utf-16"), 1, (1, "not-utf-8", 0), "looks-like-utf16"),
    ("one long line", b"a" * 2_000_000 + b"!", 1, (1, "unreadable-doc", 2_000_000), ""),
    ("many lines", b"ab\n" * 300_000 + b"!", 1, (300_001, "unreadable-doc", 900_000), ""),
    ("a tebibyte", None, 1, (1, "file-too-large", 1 << 26), ""),
]


@pytest.mark.parametrize(
    ("data", "status", "rejection", "warning"), [c[1:] for c in DOCUMENTS], ids=[c[0] for c in DOCUMENTS]
)
def test_whole_files(
    data: bytes | None, status: int, rejection: tuple[int, str, int] | None, warning: str, tmp_path: Path
) -> None:
    (tmp_path / "g.abnf").write_text("doc = *( *ALPHA LF )\n")
    with (tmp_path / "f").open("wb") as file:
        file.write(data or b"")
        if data is None:
            file.truncate(1 << 40)
    options = ["--no-suggest", "--grammar", "g.abnf", "--whole-file", "--format", "jsonl"]
    result = bounded("check", *options, "f", cwd=tmp_path)
    errors = result.stderr.decode()
    assert "Traceback" not in errors
    assert result.returncode == status
    assert rejections(result) == ([rejection] if rejection else [])
    if warning:
        facts = {"source": "f", "more": "", "expected": "LF", "found": "CRLF", "option": "lf"}
        assert message(warning, **facts) in errors
    assert f"1 file, {status} rejected" in errors


# Description, content of the grammar file, position of the error.
GRAMMARS = [
    ("empty", "", "1:1: "),
    ("comment alone", "; nothing\n", "g.abnf:"),
    ("undefined rule", "start = hots\nhost = 1*ALPHA\n", "1:9: "),
    ("duplicate rule", 'a = "x"\nA = "y"\n', "2:1: "),
    ("alternative without a rule", 'a =/ "x"\n', "1:1: "),
    ("open bracket", 'a = ("x"\n', "1:9: "),
    ("open option", 'a = ["x"\n', "1:9: "),
    ("closing bracket", 'a = "x")\n', "1:8: "),
    ("wrong bracket", 'a = ("x"]\n', "1:9: "),
    ("limits out of order", "a = 5*3ALPHA\n", "1:5: "),
    ("beyond Unicode", "a = %x110000\n", "1:7: "),
    ("range without an end", "a = %x41-\n", "1:10: "),
    ("nested too deep", NESTED, "MAX_NESTING"),
    ("open string", 'a = "x\n', "1:"),
    ("not UTF-8", "a = \udcff\n", "1:5: "),
    ("not a grammar", "GIF89a\0\1\2\n", "1:7: "),
]


@pytest.mark.parametrize(("text", "message"), [c[1:] for c in GRAMMARS], ids=[c[0] for c in GRAMMARS])
def test_grammars(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "g.abnf").write_bytes(text.encode(errors="surrogateescape"))
    result = bounded("check", "--grammar", "g.abnf", stdin=b"x\n", cwd=tmp_path)
    errors = result.stderr.decode()
    assert "Traceback" not in errors
    assert (result.returncode, result.stdout) == (2, b"")
    assert errors.startswith("error: g.abnf:")
    assert message in errors


# Correct grammars that require much work: description, source, string, and whether the first rule matches it.
HOSTILE = [
    ("only itself", "a = a\n", "x", False),
    ("only each other", "a = b\nb = a\n", "x", False),
    ("never ends", 'a = "x" a\n', "xxx", False),
    ("never begins", 'a = b\nb = a / a "x"\n', "x", False),
    ("left recursion", 'a = "x" / a "x"\n', "x" * 200, True),
    ("hidden left recursion", 'a = ["y"] a "x" / "x"\n', "xxx", True),
    ("nullable loop", 'a = *(*("x" / ""))\n', "x" * 100, True),
    ("nested repetition", 'a = 1*(1*(1*(1*"x"))) "y"\n', "x" * 500, False),
    ("ambiguous", 'a = a a / "x"\n', "x" * 30, True),
    ("brackets", 'a = "(" [a] ")"\n', "(" * 2000 + ")" * 2000, True),
    ("many required", "a = 999999999*ALPHA\n", "xx", False),
    ("many allowed", "a = *999999999ALPHA\n", "xx", True),
    ("exactly many", "a = 3(999999999(999999999ALPHA))\n", "xx", False),
    ("count of 5,000 digits", f"a = *1{'0' * 5000}ALPHA\n", "xx", None),
]


@pytest.mark.parametrize(("text", "string", "valid"), [c[1:] for c in HOSTILE], ids=[c[0] for c in HOSTILE])
@pytest.mark.parametrize("verb", one_in(3, ["check", "parse", "explain"]))
def test_hostile_grammars(verb: str, text: str, string: str, valid: bool | None, tmp_path: Path) -> None:
    """If ``valid`` is None, the grammar exceeds a named limit."""
    (tmp_path / "g.abnf").write_text(text)
    result = bounded(verb, "--grammar", "g.abnf", "-", stdin=string.encode(), cwd=tmp_path)
    errors = result.stderr.decode()
    assert "Traceback" not in errors
    if valid is None:
        assert (result.returncode, errors.count("(MAX_")) == (2, 1)
    else:
        assert (result.returncode, errors.startswith("g.abnf")) == (0 if valid else 1, False)


# Arguments, the unknown name and the suggested name on standard error.
NAMES = [
    (["check", "--grammar", "rfc3968"], "rfc3968", "rfc3986"),
    (["check", "--grammar", "abnf:rfc9100"], "rfc9100", "rfc9110"),
    (["check", "--rule", "hots"], "hots", "host"),
    (["explain", "--rule", "reg_name", "x"], "reg_name", "reg-name"),
    (["parse", "--rule", "", "x"], "rule", ""),
    (["show", "IPv4adress"], "IPv4adress", "IPv4address"),
    (["export", "--to", "lark", "-g", "missing.abnf"], "missing.abnf", ""),
    (["chekc"], "chekc", "check"),
]


@pytest.mark.parametrize(("arguments", "message", "near"), NAMES, ids=[" ".join(c[0]) for c in NAMES])
def test_unknown_names(arguments: list[str], message: str, near: str, tmp_path: Path) -> None:
    result = bounded(*arguments, cwd=tmp_path)
    errors = result.stderr.decode()
    assert (result.returncode, result.stdout) == (2, b"")
    assert "Traceback" not in errors
    assert message in errors
    assert near in errors


RULE = load("rfc3986")["URI"]

# A call, its exception, the error code ("" for an OSError), and some of its data.
CALLS: list[tuple[Callable[[], object], type[Exception], str, dict[str, object]]] = [
    (lambda: load("rfc3968"), UnknownNameError, "grammar-unknown", {"grammar": "rfc3968"}),
    (lambda: load("rfc3986")["hots"], UnknownNameError, "rule-name-unknown", {"near": ("host",)}),
    (lambda: load("missing.abnf"), FileNotFoundError, "", {"filename": "missing.abnf"}),
    (lambda: load("."), IsADirectoryError, "", {"filename": "."}),
    (lambda: loads(""), GrammarError, "syntax-error", {}),
    (lambda: loads(b"a = ALPHA"), TypeError, "argument-bytes", {"name": "text"}),  # type: ignore[arg-type]
    (lambda: loads("a = hots\nhost = ALPHA\n"), GrammarError, "undefined-rule", {}),
    (lambda: loads("a = ALPHA\na = DIGIT\n"), GrammarError, "duplicate-rule", {}),
    (lambda: loads("a = (ALPHA\n"), GrammarError, "syntax-error", {}),
    (lambda: loads("a = 5*3ALPHA\n"), GrammarError, "repetition-out-of-order", {}),
    (lambda: loads("a = %x110000\n"), GrammarError, "value-out-of-range", {}),
    (lambda: loads("a = %x41-\n"), GrammarError, "syntax-error", {}),
    (lambda: loads(NESTED), LimitExceeded, "nesting-too-deep", {}),
    (lambda: loads("a = <in words>\n")["a"].matches("x"), GrammarError, "prose-val", {}),
    (lambda: uri.resolve(b"urn:a", "b"), TypeError, "argument-bytes", {}),  # type: ignore[arg-type]
    (lambda: RULE.parse(b"urn:a\xff"), Rejected, "not-utf-8", {}),
    (
        lambda: RULE.matches(None),
        TypeError,
        "argument-type",
        {"name": "text"},
    ),  # type: ignore[arg-type]
    (lambda: RULE.matches("urn:a", engine="earley"), ValueError, "argument-choice", {}),
    (lambda: RULE.parse("urn:a b"), Rejected, "space-in-path", {}),
    (lambda: RULE.parse("urn:\udcff"), Rejected, "non-ascii-in-path", {}),
    (lambda: RULE.parse("urn:a\n"), Rejected, "space-after", {}),
    (lambda: uri.parse("http://[::1"), Rejected, "ipv6-bracket-missing", {}),
    (lambda: uri.parse(3), TypeError, "argument-type", {"name": "value"}),  # type: ignore[call-overload]
    (lambda: uri.parse("urn:a", rule="urn"), UnknownNameError, "rule-name-unknown", {"name": "urn"}),
]


@each_row(("call", "error", "code", "data"), CALLS)
def test_calls(
    call: Callable[[], object], error: type[Exception], code: str, data: dict[str, object]
) -> None:
    with pytest.raises(error) as caught:
        call()
    assert getattr(caught.value, "code", "") == code
    assert {name: getattr(caught.value, name) for name in data} == data
