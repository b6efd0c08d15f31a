"""``--mask-passwords`` and ``--security``: no output format shows a password."""

from __future__ import annotations

import ast
import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge import cli, uri
from abnforge.cli.common.pictures import IMAGES  # converted from SVG
from abnforge.cli.common.security import (
    WITHHELD,
    always_masking,
    masked_equivalence,
    masked_rejection,
    masking,
)
from abnforge.rejection import Edit, Rejection
from abnforge.uri import rfc3986
from tests.cli.command import Seen, fails, offered, run
from tests.law import each_row, law, one_in

SECRET = "xJ7qZvK"  # no two adjacent characters occur in output without the password
PIECES = ["".join(pair) for pair in pairwise(SECRET)]
URIS = [
    f"http://me:{SECRET}@h/p?q#f",
    f"HTTP://me:{SECRET}@H:80/a/../b",
    f"//me:{SECRET}@h",
    f"?u=http://me:{SECRET}@h/",
    f"?u=http%3A%2F%2Fme%3A{SECRET}%40h%2F",
    f"http://a:{SECRET}@h,http://b:{SECRET}@h/http://c:{SECRET}@h",
    "http://me:"
    + "".join(f"%{ord(char):02X}" for char in SECRET)
    + "@h/",  # ``normalize`` decodes these characters
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
HALF, REST = SECRET[:3], SECRET[3:]
# Strings whose hints about similar characters or corrections would reveal the password.
TRAPS = [
    f"ftp://joe@corp.com:{HALF}/{REST}@host/x y",
    f"http://joe@corp.com:{HALF}?{REST}@host/",
    f"http://joe@corp.com:{HALF}#{REST}@host/",
    f"http://[user]:{HALF}#{REST}@host/",
    f"http://[::1]:{HALF}/{REST}@host/",
    f"?u=http%3A%2F%2Fjoe%40corp.com%3A{HALF}%2F{REST}%40h y",
    f"http://user\uff1a{SECRET}@h /",
    f"http://user\u2236{SECRET}@h /",
    f"http://user:{SECRET}\uff20h/",
    f"http://user:{SECRET}\ufe6bh/",
    f"http:\uff0f\uff0fuser:{SECRET}@h/",
    f"http:/\u2215user:{SECRET}@h/",
    f"http\uff1a/user:{SECRET}@h /",
    f"http://user:{SECRET}[at]h/",
    f"http://user:{SECRET}(AT)h/ x",
    f"http[://]user:{SECRET}@h/",
    f"http://user:{HALF}\uff0f{REST}@h/",
    f"http:/user:{SECRET}@h/ x",
    f"http;//user:{SECRET}@h/",
    f"http://user:{HALF}%{REST}@h/",
    f"http://user:{HALF}\n{REST}@h/",
    f"http://user:{HALF}/{REST} x@h/",
    f'http://user:"{HALF}/{REST}"@h/',
]
LINES = "\n".join([*URIS, *REJECTED]) + "\n"
FEWER = "\n".join([*URIS[1:-1:2], *REJECTED[:5:2]]) + "\n"  # for the default run
BAD_BYTES = f"http://me:{SECRET}@h/".encode() + b"\xff\n"
# Arguments of each command. The tests add each of its formats.
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
    (
        "uri",
        "normalize",
    ),
    ("uri", "normalize", "--scheme-based"),
    ("uri", "resolve", f"http://me:{SECRET}@base/"),
    ("uri", "resolve", "--grammar", "rfc2396", f"http://me:{SECRET}@base/"),
    ("uri", "resolve", "--on-ambiguous", "error", f"http://me:{SECRET}@base/"),
    ("uri", "compare", "--between", "rfc2396", "rfc3986"),
    ("uri", "compare", "--between", "rfc3986", "rfc2396", "--base", f"http://me:{SECRET}@base/"),
    (
        "uri",
        "scan",
    ),
    ("uri", "scan", "--any-scheme"),
]


def words(command: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words that call the command."""
    return command[: 2 if command[0] == "uri" else 1]


NOT_FULL = ("components", "json", "trace")  # formats without ``--full``
RUNS = [
    (*command, "--format", name)
    for command in COMMANDS
    for name in offered("format", *words(command))
    if name not in IMAGES and ("--full" not in command or name not in NOT_FULL)
]


def leaked(output: str) -> list[str]:
    """Return the pieces of the password that occur in an output."""
    return [piece for piece in PIECES if piece in output]


@pytest.mark.parametrize("lines", [FEWER, pytest.param(LINES, marks=pytest.mark.slow)], ids=["few", "all"])
@pytest.mark.parametrize("command", one_in(3, [(each,) for each in RUNS]), ids=" ".join)
def test_no_command_shows_a_password_in_any_format(command: tuple[str, ...], lines: str) -> None:
    result = run(*command, "--mask-passwords", stdin=lines.encode() + BAD_BYTES)
    assert result.stdout
    assert leaked(result.stdout + result.stderr) == []


SUGGESTING = [c for c in RUNS if words(c)[-1] in ("explain", "normalize", "resolve") or c[2] == "--suggest"]
DEFAULT = [c for c in SUGGESTING if c[0] == "check" or c[1:] == ("--format", "text")]
OTHERS = [c for c in SUGGESTING if c not in DEFAULT]
TRAPPED = [(c, TRAPS) for c in DEFAULT] + [(c, TRAPS[::4]) for c in OTHERS]
SLOWLY = [pytest.param(c, TRAPS, marks=pytest.mark.slow) for c in OTHERS]


@pytest.mark.parametrize(
    ("command", "traps"), [*TRAPPED, *SLOWLY], ids=lambda v: " ".join(v) if isinstance(v, tuple) else len(v)
)
def test_passwords_in_corrections_are_masked(command: tuple[str, ...], traps: list[str]) -> None:
    result = run(*command, "--null", "--mask-passwords", stdin="\0".join(traps))
    assert result.exit_code == 1
    assert result.stdout + result.stderr
    assert leaked(result.stdout + result.stderr) == []


@pytest.mark.parametrize("report_format", ["text", "jsonl", "json"])
def test_security_masks_passwords_in_corrections(report_format: str) -> None:
    arguments = ("check", "--security", "--suggest", "--null", "--format", report_format)
    result = run(*arguments, "--rule", "URI-reference", stdin="\0".join(TRAPS))
    assert result.exit_code == 1
    assert leaked(result.stdout + result.stderr) == []


@pytest.mark.parametrize("report_format", ["text", "json"])
def test_a_password_in_a_path_is_masked_where_uris_differ(report_format: str) -> None:
    """A single slash in a path is a mistake outside of the grammar, and a policy reports the difference."""
    left, right = f"http:/user:{SECRET}@h/", "http:/user:other@h/"
    result = run("uri", "compare", "--mask-passwords", "--format", report_format, left, right)
    assert result.exit_code == 1
    assert leaked(result.stdout) == []
    if report_format == "json":
        plain = json.loads(result.stdout)
        assert plain["differences"] == [
            {"component": "path", "left": "/user:*******@h/", "right": "/user:*****@h/"}
        ]
        assert plain["message"].endswith('path: "/user:*******@h/" and "/user:*****@h/"')
    assert leaked(run("uri", "compare", left, right).stdout) == []


DIFFERENT = [
    ("a://u:p1@h:1/p?q#f", "b://v:p2@i:2/r?s#t", ["a b", "u:** v:**", "h i", "1 2", "/p /r", "q s", "f t"]),
    ("//u:p@h", "//v@h", ["u:* v"]),
    ("?a//u:pw@h", "#//u:pw@h", ["a//u:**@h None", "None //u:**@h"]),
    ("a:b", "//h:1", ["a None", "None h", "None 1", "b "]),
]


@pytest.mark.parametrize(("left", "right", "differences"), DIFFERENT)
def test_each_component_is_masked_as_in_its_uri(left: str, right: str, differences: list[str]) -> None:
    result = uri.equivalent(left, right, "string")
    masked = masked_equivalence(result, always_masking())
    assert [f"{each.left} {each.right}" for each in masked.differences] == differences


def told(text: str) -> Rejection:
    rejection = abnforge.load("rfc3986")["URI"].explain(text)
    assert rejection is not None
    return masked_rejection(rejection, always_masking())


def test_a_rejection_is_that_of_the_text_itself(seen: Seen) -> None:
    """Offsets, rules and edits stay. Details about the password are replaced by the rule."""
    text = f"http://user:{HALF} {REST}@h/"
    real = abnforge.load("rfc3986")["URI"].explain(text)
    assert real is not None
    masked = told(text)
    assert masked.input == "http://user:********@h/"
    assert (masked.offset, masked.found, masked.rule_path) == (real.offset, "*", real.rule_path)
    assert masked.span == real.span == (15, 16)
    seen(masked.message)
    assert masked.suggestion is not None
    assert masked.suggestion.text == "http://user:**********@h/"
    assert masked.suggestion.edits == (Edit(15, 16, "***"),)
    assert [(h.rule_path, h.offset, h.end, h.expected) for h in masked.hypotheses] == [
        (h.rule_path, h.offset, h.end, h.expected) for h in real.hypotheses
    ]


@pytest.mark.parametrize(
    ("text", "shown", "suggestion", "is_masked"),
    [
        ("http://user:Aqzx1@h/y x", "http://user:*****@h/y x", "http://user:*****@h/y%20x", False),
        (
            "http://user\uff1aAqzx1@h /",
            "http://user\uff1a*****@h /",
            "http://user%EF%BC%9A*****@h/",
            False,
        ),
        ("http://user:Aqzx1[at]h/", "http://user:*****[at]h/", None, True),
        ("ftp://joe@corp.com:Aqzx1/Bqzx2@host/x y", "ftp://joe@corp.com:***********@host/x y", None, True),
    ],
)
def test_masked_rejections(text: str, shown: str, suggestion: str | None, is_masked: bool) -> None:
    masked = told(text)
    assert (masked.input, WITHHELD in masked.message) == (shown, is_masked)
    assert (masked.suggestion and masked.suggestion.text) == suggestion


@each_row("text", [text for text in (*REJECTED, *TRAPS) if not rfc3986.is_valid(text, rule="URI")])
def test_no_sentence_is_about_the_mask(text: str) -> None:
    rejection = abnforge.load("rfc3986")["URI"].explain(text)
    assert rejection is not None
    masked = masked_rejection(rejection, always_masking())
    assert not [m for m in (masked.message, *(h.message for h in masked.hypotheses)) if "*" in m]
    assert leaked(json.dumps(masked.to_dict())) == []


def test_no_character_of_the_mask_is_blamed(seen: Seen) -> None:
    output = run("explain", "--mask-passwords", f"http://user:{HALF}%{REST}@h/").stdout
    seen(output)


def test_masked_suggestions_are_not_fixes(tmp_path: Path) -> None:
    """Otherwise, a program would write the mask into the file."""
    path = tmp_path / "f"
    path.write_text(f"http://u:{HALF} {REST}@h/\nhttp://h/ x\n")
    log = json.loads(run("check", "--mask-passwords", "--suggest", "--format", "sarif", str(path)).stdout)
    assert ["fixes" in result for result in log["runs"][0]["results"]] == [False, True]


@each_row("verb", sorted({words(command) for command in COMMANDS} - {("uri", "compare")}))
def test_every_command_shows_passwords_by_default(verb: tuple[str, ...]) -> None:
    """Without the option, the tests above would find the password."""
    command = next(command for command in COMMANDS if words(command) == verb)
    assert SECRET in run(*command, stdin=FEWER).stdout


@each_row(
    "left",
    [*URIS[1:5:2], REJECTED[2], *(pytest.param(u, marks=pytest.mark.slow) for u in (*URIS, *REJECTED))],
)
@each_row("report_format", offered("format", "uri", "compare"))
def test_the_ladder_shows_no_password(left: str, report_format: str) -> None:
    for right in ("http://me:other@h/", left.replace(":80", "").lower()):
        arguments = [
            *("uri", "compare"),
            "--format",
            report_format,
            "--mask-passwords",
            "--base",
            URIS[0],
            left,
            right,
        ]
        result = run(*arguments)
        assert result.output
        assert leaked(result.output) == []


@pytest.mark.parametrize("base", REJECTED[1:5:2])
@pytest.mark.parametrize("verb", ["uri", "resolve", "compare"])
def test_a_base_that_is_rejected_is_masked(base: str, verb: str) -> None:
    arguments = [base, "a"] if verb == "resolve" else ["--base", base, "a", "b"]
    result = run(verb, "--mask-passwords", *arguments)
    assert result.exit_code == 2
    assert result.stderr
    assert leaked(result.output) == []


@each_row(("rule", "text"), [("authority", "me:{}@h"), ("userinfo", "me:{}"), ("authority", "me:{}@h x")])
@each_row("verb", ["check", "explain", "parse"])
def test_a_component_alone_is_masked(verb: str, rule: str, text: str) -> None:
    arguments = ["--all"] if verb == "check" else []
    result = run(verb, *arguments, "--rule", rule, "--mask-passwords", stdin=text.format(SECRET))
    assert "me:*******" in result.stdout
    assert leaked(result.output) == []


@each_row(
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
        ("uri", "scan", URIS[0]),
        ("uri", "compare", "--level", URIS[0], "a", "b"),
        ("lint", URIS[0]),
        ("show", URIS[0]),
        ("diff", URIS[0], "rfc3986"),
        ("export", "--to", URIS[0]),
    ],
)
def test_a_wrong_command_line_is_reported_without_passwords(arguments: tuple[str, ...]) -> None:
    """Passwords in error messages are always masked, since error messages are often logged."""
    result = run(*arguments)
    assert result.exit_code in (1, 2)
    assert result.output
    assert leaked(result.output) == []


def test_a_mask_keeps_the_length() -> None:
    assert masking(False) is None
    for text in (*URIS, *REJECTED):
        assert len(always_masking()(text)) == len(text)


def test_one_place_masks() -> None:
    """In the command line, only these modules import functions that mask passwords."""
    folder = Path(cli.__file__).parent
    users = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "abnforge.uri.common.password"
    }
    assert users == {"common/security.py", "common/output.py"}


@each_row(
    ("text", "masked"),
    [
        ("//a:b@h\n//c:d/e f@h\r\n", "//a:*@h\n//c:*****@h\r\n"),  # each line as a separate string
        ('"//h:80",\n"a@b"\n', '"//h:****\n**@b"\n'),  # covers more than a password, but not LF
        ("<//u:pass\nword@h/>", "<//u:****\n****@h/>"),
        ("http://u:p?q\nx@y", "http://u:p?q\nx@y"),
        ("", ""),
        ("\n\n", "\n\n"),
    ],
)
def test_a_whole_file_keeps_its_lines(text: str, masked: str) -> None:
    mask = masking(True, whole_files=True)
    assert mask is not None
    assert mask(text) == masked


@law(st.text(st.sampled_from("/:@?#%a \n\n"), max_size=40), few=80, many=5_000)
def test_of_a_whole_file_at_least_as_much_is_masked_as_of_its_lines(text: str) -> None:
    mask = masking(True, whole_files=True)
    assert mask is not None
    masked = mask(text)
    assert all(
        shown in (char, "*") and (char != "\n" or shown == char)
        for char, shown in zip(text, masked, strict=True)
    )
    lines = "\n".join(map(always_masking(), text.split("\n")))
    assert all(shown == "*" for shown, char, line in zip(masked, text, lines, strict=True) if char != line)


@pytest.mark.parametrize("verb", ["check", "explain", "parse"])
def test_no_format_shows_a_password_of_a_whole_file(verb: str, tmp_path: Path) -> None:
    grammar, path = tmp_path / "g.abnf", tmp_path / "f"
    grammar.write_text("doc = *( *VCHAR LF )\n")
    path.write_text(f"one\nhttp://me:{SECRET}@h/\n//me:{HALF}\n{REST}@h\n{URIS[1]} x\n")
    arguments = (verb, "--whole-file", "--grammar", str(grammar), str(path))
    for name in offered("format", verb):
        if name == "components" or name in IMAGES:
            continue
        masked = run(*arguments, "--format", name, "--mask-passwords")
        assert masked.exit_code == 1
        assert masked.output
        assert leaked(masked.output) == []
        if name == "json":
            [plain] = json.loads(f"[{masked.stdout.strip(chr(10)).strip('[]')}]")
            assert (plain["line"], plain["position"]) == (5, {"line": 5, "column": len(URIS[1]) + 1})
    assert SECRET in run(*arguments).stdout


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
