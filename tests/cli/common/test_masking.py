"""``--mask-passwords``: whatever a verb shows, in whatever format, it shows no password."""

from __future__ import annotations

import ast
from itertools import pairwise
from pathlib import Path

import pytest

from abnforge import cli
from abnforge.cli.common.masking import always_masking, masking
from tests.cli.command import offered, run

SECRET = "xJ7qZvK"  # no two neighbours of it stand beside each other in anything else that is written
PIECES = ["".join(pair) for pair in pairwise(SECRET)]

URIS = [
    f"http://me:{SECRET}@h/p?q#f",
    f"HTTP://me:{SECRET}@H:80/a/../b",
    f"//me:{SECRET}@h",
    f"?u=http://me:{SECRET}@h/",
    f"?u=http%3A%2F%2Fme%3A{SECRET}%40h%2F",
    f"http://a:{SECRET}@h,http://b:{SECRET}@h/http://c:{SECRET}@h",
    "http://me:" + "".join(f"%{ord(char):02X}" for char in SECRET) + "@h/",  # which normalize decodes
    f"ftp://{'u' * 300}:{SECRET * 50}@{'h' * 300}/",
]
REJECTED = [
    f"http://me:{SECRET}@h:80x/",
    f"http://me:{SECRET}@h/ x",
    f"http://me:{SECRET[:3]} {SECRET[3:]}@h/",
    f"http://me:{SECRET[:3]}%zz{SECRET[3:]}@h/",
    f"http://me:{SECRET[:3]}/{SECRET[3:]}@h/",
    f"http://me:{SECRET[:3]}#{SECRET[3:]}@h/",
    f"http://me:{SECRET}[@h/",
    f"http://me:{SECRET}é@h/",
    f"http:\\\\me:{SECRET}@h/",
    f"http://me:{SECRET}@[::1/",
    f"http://é:{SECRET}@h/ http://me:{SECRET}@h",
    f"1http://me:{SECRET}@h/",
    f'http://"me:{SECRET}@h/<a>',
]
LINES = "\n".join([*URIS, *REJECTED]) + "\n"
FEWER = "\n".join([*URIS[1:-1:2], *REJECTED[:5:2]]) + "\n"  # for the default run
BAD_BYTES = f"http://me:{SECRET}@h/".encode() + b"\xff\n"

# How each verb is run; every format that it offers is added.
COMMANDS = [
    ("check", "--all"),
    ("check", "--all", "--suggest"),
    ("check", "--all", "--rule", "URI-reference"),
    ("check", "--grammar", "rfc2396", "--suggest"),
    ("check", "--grammar", "rfc3987", "--suggest"),
    ("explain",),
    ("explain", "--no-suggest"),
    ("explain", "--engine", "automaton", "--rule", "URI-reference"),
    ("parse", "--rule", "URI-reference"),
    ("parse", "--full", "--rule", "URI-reference"),
    ("normalize",),
    ("normalize", "--scheme"),
    ("resolve", f"http://me:{SECRET}@base/"),
    ("resolve", "--grammar", "rfc2396", f"http://me:{SECRET}@base/"),
    ("resolve", "--on-ambiguous", "error", f"http://me:{SECRET}@base/"),
    ("compare", "--between", "rfc2396", "rfc3986"),
    ("compare", "--between", "rfc3986", "rfc2396", "--base", f"http://me:{SECRET}@base/"),
    ("scan",),
    ("scan", "--any-scheme"),
]
RUNS = [(*command, "--format", name) for command in COMMANDS for name in offered("format", command[0])]


def leaked(output: str) -> list[str]:
    """The pieces of the secret that an output shows, if any."""
    return [piece for piece in PIECES if piece in output]


@pytest.mark.parametrize("lines", [FEWER, pytest.param(LINES, marks=pytest.mark.slow)], ids=["few", "all"])
@pytest.mark.parametrize("command", RUNS, ids=" ".join)
def test_no_verb_shows_a_password_in_any_format(command: tuple[str, ...], lines: str) -> None:
    result = run(*command, "--mask-passwords", stdin=lines.encode() + BAD_BYTES)
    assert result.stdout
    assert leaked(result.stdout + result.stderr) == []


@pytest.mark.parametrize("verb", sorted({command[0] for command in COMMANDS} - {"compare"}))
def test_every_verb_shows_it_unless_it_is_asked_not_to(verb: str) -> None:
    """Else the tests above could not fail."""
    command = next(command for command in COMMANDS if command[0] == verb)
    assert SECRET in run(*command, stdin=FEWER).stdout


@pytest.mark.parametrize(
    "left",
    [*URIS[1:5:2], REJECTED[2], *(pytest.param(u, marks=pytest.mark.slow) for u in (*URIS, *REJECTED))],
)
@pytest.mark.parametrize("report_format", offered("format", "compare"))
def test_the_ladder_shows_no_password(left: str, report_format: str) -> None:
    for right in ("http://me:other@h/", left.replace(":80", "").lower()):
        arguments = ["compare", "--format", report_format, "--mask-passwords", "--base", URIS[0], left, right]
        result = run(*arguments)
        assert result.output
        assert leaked(result.output) == []


@pytest.mark.parametrize("base", REJECTED[1:5:2])
@pytest.mark.parametrize("verb", ["resolve", "compare"])
def test_a_base_that_is_refused_is_masked(base: str, verb: str) -> None:
    arguments = [base, "a"] if verb == "resolve" else ["--base", base, "a", "b"]
    result = run(verb, "--mask-passwords", *arguments)
    assert result.exit_code == 2
    assert result.stderr
    assert leaked(result.output) == []


@pytest.mark.parametrize(
    ("rule", "text"), [("authority", "me:{}@h"), ("userinfo", "me:{}"), ("authority", "me:{}@h x")]
)
@pytest.mark.parametrize("verb", ["check", "explain", "parse"])
def test_a_component_alone_is_masked(verb: str, rule: str, text: str) -> None:
    arguments = ["--all"] if verb == "check" else []
    result = run(verb, *arguments, "--rule", rule, "--mask-passwords", stdin=text.format(SECRET))
    assert "me:*******" in result.stdout
    assert leaked(result.output) == []


@pytest.mark.parametrize(
    "arguments",
    [
        (URIS[0],),
        ("--" + URIS[0],),
        ("grammar", URIS[0]),
        ("check", URIS[0]),
        ("check", "--grammar", URIS[0]),
        ("check", "--rule", URIS[0]),
        ("check", "--format", URIS[0]),
        ("check", "--" + URIS[0]),
        ("explain", "--" + URIS[0]),
        ("scan", URIS[0]),
        ("compare", "--level", URIS[0], "a", "b"),
        ("grammar", "lint", URIS[0]),
        ("grammar", "show", URIS[0]),
        ("grammar", "diff", URIS[0], "rfc3986"),
        ("grammar", "export", "--to", URIS[0]),
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_is_told_without_passwords(arguments: tuple[str, ...]) -> None:
    """Whether it was asked for or not: a complaint ends up in logs."""
    result = run(*arguments)
    assert result.exit_code in (1, 2)
    assert result.output
    assert leaked(result.output) == []


def test_a_mask_keeps_the_length() -> None:
    assert masking(False) is None
    for text in (*URIS, *REJECTED):
        assert len(always_masking()(text)) == len(text)


def test_one_place_masks() -> None:
    """Nothing else of the command line imports what hides passwords."""
    folder = Path(cli.__file__).parent
    users = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "abnforge.uri.common.password"
    }
    assert users == {"common/masking.py", "common/output.py"}
