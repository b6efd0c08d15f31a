"""Learned implementations: right ones are exact, and wrong ones are exact up to a bound."""

from __future__ import annotations

import ipaddress
import re
import shutil
import string
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import abnforge
from abnforge.automata.dfa import Automaton
from abnforge.budget import Budget
from abnforge.catalog import Message
from abnforge.conformance import UnfinishedError, UnsteadyError, learn
from abnforge.errors import LimitExceeded
from tests.law import each_row, one_in
from tests.raising import raises

URI = abnforge.load("rfc3986")
Box = Callable[[str], object]


@pytest.fixture(autouse=True)
def aalpy() -> None:
    pytest.importorskip("aalpy")


def automaton(text: str) -> Automaton:
    return abnforge.loads(f"a = {text}\n")["a"].automaton


def octet(text: str) -> bool:
    if not text or any(char not in "0123456789" for char in text):
        return False
    return (text == "0" or text[0] != "0") and int(text) < 256


def ascii_letters(text: str) -> bool:
    return all(char in string.ascii_letters + string.digits + "+-." for char in text)


def first_letter(text: str) -> bool:
    state = 0
    for char in text.lower():
        if not char.isascii() or not (char.isalpha() or (state and (char.isdigit() or char in "+-."))):
            return False
        state = 1
    return state == 1 and text.isascii()


def in_words(text: str) -> None:
    """Return an implementation that raises an exception."""
    if text.strip("0123456789"):
        raise ValueError(text)


OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
# A rule, and three implementations: a pattern, a function, and a library or a table.
RIGHT: list[tuple[str, list[Box | re.Pattern[str]]]] = [
    ("port", [re.compile("[0-9]*"), lambda t: t.strip("0123456789") == "", lambda t: in_words(t) is None]),
    (
        "scheme",
        [
            re.compile("[a-zA-Z][a-zA-Z0-9+.-]*"),
            lambda t: t[0] in string.ascii_letters and ascii_letters(t),
            first_letter,
        ],
    ),
    ("dec-octet", [re.compile(OCTET), octet, {str(number) for number in range(256)}.__contains__]),
    (
        "IPv4address",
        [
            re.compile(rf"{OCTET}(\.{OCTET}){{3}}"),
            lambda t: t.count(".") == 3 and all(map(octet, t.split("."))),
            ipaddress.IPv4Address,
        ],
    ),
]


BOXES = [pytest.param(rule, box, id=f"{rule}-{at}") for rule, boxes in RIGHT for at, box in enumerate(boxes)]


@pytest.mark.parametrize("level", [pytest.param("quick", marks=pytest.mark.slow), "complete"])
@pytest.mark.parametrize(("rule", "judge"), BOXES)
def test_who_is_right_is_learnt_exactly(rule: str, judge: Box, level: str) -> None:
    report = learn(judge, URI[rule], level)
    assert report.automaton == URI[rule].automaton
    assert report.comparison.relation == "equal"
    assert report.exact_for == report.states + 2


def port_of(text: str) -> bool:
    parts = urlsplit(f"//h:{text}")
    return parts.port is not False and parts.netloc == f"h:{text}" and "@" not in text


# Rule, implementation, level, accepted language.
WRONG: list[tuple[str, Box | re.Pattern[str], str, str]] = [
    ("port", re.compile("[0-9]+"), "complete", "1*DIGIT"),
    ("port", re.compile("[0-9]{0,5}"), "quick", "*5DIGIT"),
    ("port", lambda text: re.match("^[0-9]*$", text), "complete", "*DIGIT [ LF ]"),
    ("port", re.compile("[0-9]*[a-f]?"), "complete", '*DIGIT [ %x61-66 ]'),
    ("port", re.compile("[0-9]*|http"), "complete", '*DIGIT / %s"http"'),
    ("scheme", re.compile("[a-z][a-z0-9+.-]*"), "complete", '%x61-7A *( %x61-7A / DIGIT / "+" / "-" / "." )'),
    ("scheme", re.compile("[a-z][a-z0-9+.-]*", re.IGNORECASE), "complete",
     '( ALPHA / %x130 / %x131 / %x17F / %x212A ) '
     '*( ALPHA / DIGIT / "+" / "-" / "." / %x130 / %x131 / %x17F / %x212A )'),
    ("dec-octet", lambda text: text.isascii() and text.isdigit() and int(text) < 256, "complete",
     '*"0" ( DIGIT / %x31-39 DIGIT / "1" 2DIGIT / "2" %x30-34 DIGIT / "25" %x30-35 )'),
    ("port", str.isalpha, "quick", "1*( %x0-2F / %x3A-10FFFF )"),  # one character represents all others
    ("port", lambda text: False, "complete", 'a "x"'),
    ("port", lambda text: True, "complete", "*%x0-10FFFF"),
]  # fmt: skip


@each_row(("rule", "judge", "level", "text"), one_in(2, WRONG))
def test_who_is_wrong_is_learnt_too(rule: str, judge: Box, level: str, text: str) -> None:
    report = learn(judge, URI[rule], level)
    assert report.automaton == automaton(text)
    assert report.rule.automaton == report.automaton


@pytest.mark.slow
def test_a_port_is_at_most_65535() -> None:
    """Without loops, and with separate digits, the learned language is wrong."""
    report = learn(port_of, URI["port"])
    below = '*"0" [ %x31-39 *3DIGIT / %x31-35 4DIGIT / "6" %x30-34 3DIGIT / "65" %x30-34 2DIGIT'
    assert report.automaton == automaton(f'{below} / "655" %x30-32 DIGIT / "6553" %x30-35 ]')
    assert report.comparison.only_right == "65536"
    assert [each.kind for each in report.errors] == ["ValueError"]


def test_digits_of_all_scripts() -> None:
    report = learn(lambda text: not text or text.isdecimal(), URI["port"])
    assert report.comparison.only_left == "٠"
    for text in ("1٣۴", "०९", "７", ""):
        assert report.automaton.accepts(text)
    for text in ("²", "1a", "½"):
        assert not report.automaton.accepts(text)


@pytest.mark.slow
def test_seeds_spell_what_no_letter_does() -> None:
    words = re.compile("(gopher|wais):[0-9]*")
    assert learn(words, URI["port"]).automaton.states == 0
    report = learn(words, URI["port"], seeds=["gopher:70", "wais:"])
    assert report.automaton == automaton('%s"gopher:" *DIGIT / %s"wais:" *DIGIT')


@pytest.mark.slow
def test_two_runs_ask_the_same() -> None:
    calls: list[list[str]] = [[], []]
    for texts in calls:
        learn(lambda text, texts=texts: texts.append(text) or text.isidentifier(), URI["scheme"])
    assert calls[0] == calls[1]


def test_what_is_returned_is_counted() -> None:
    calls: list[str] = []
    report = learn(lambda text: calls.append(text) or octet(text), URI["dec-octet"])
    assert report.queries == len(set(calls))
    assert 0 < len(calls) - report.queries <= 1_000


@pytest.mark.parametrize(("errors", "relation"), [("no", "equal"), ("yes", "wider")])
def test_exceptions_are_verdicts(errors: str, relation: str) -> None:
    report = learn(lambda text: in_words(text) is None, URI["port"], "quick", errors=errors)
    assert report.comparison.relation == relation
    assert [(each.kind, each.text) for each in report.errors] == [("ValueError", "a")]
    with pytest.raises(ValueError, match="a") as caught:
        learn(lambda text: in_words(text) is None, URI["port"], "quick", errors="raise")
    (note,) = caught.value.__notes__
    assert isinstance(note, Message)
    assert note.data == {"text": str(caught.value)}


def test_surrogates_that_cannot_be_encoded_are_rejected() -> None:
    report = learn(lambda text: text.encode() is not None, URI["port"])
    assert report.automaton == automaton("*( %x0-D7FF / %xE000-10FFFF )")
    assert [each.kind for each in report.errors] == ["UnicodeEncodeError"]


def test_who_is_not_steady_is_named() -> None:
    calls: dict[str, int] = {}

    def judge(text: str) -> bool:
        calls[text] = calls.get(text, 0) + 1
        return text.isdigit() and calls[text] == 1

    with raises(UnsteadyError, "judge-unsteady", text="²"):
        learn(judge, URI["port"])


def balanced(text: str) -> bool:
    return text == "1" * (len(text) // 2) + "a" * (len(text) // 2)


@pytest.mark.parametrize("limits", [{"queries": 3_000}, {"budget": Budget(steps=200_000)}])
def test_what_is_no_automaton_ends_by_a_limit(limits: dict[str, object]) -> None:
    with pytest.raises(UnfinishedError) as caught:
        learn(balanced, URI["port"], "quick", **limits)  # type: ignore[arg-type]
    assert caught.value.setting in ("queries", "budget.steps")
    assert isinstance(caught.value, LimitExceeded)
    result = caught.value.learnt
    assert result is not None
    assert result.exact_for is None
    assert result.automaton.accepts("11aa")
    assert not result.automaton.accepts("11a")


def test_a_limit_may_come_before_there_is_anything() -> None:
    with raises(UnfinishedError, "limit-queries", limit=5) as caught:
        learn(octet, URI["dec-octet"], queries=5)
    assert caught.value.learnt is None


def test_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    learn(octet, URI["dec-octet"], "quick")
    assert capsys.readouterr() == ("", "")


def test_without_aalpy_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aalpy", None)
    calls: list[str] = []
    with raises(ModuleNotFoundError, "learn-missing"):
        learn(calls.append, URI["port"])
    assert calls == []


LISTS = abnforge.loads('list = "[" [ list ] "]"\n')["list"]
MISUSE = [
    ({"judge": None}, TypeError, "argument-type"),
    ({"alphabet_from": "port"}, TypeError, "argument-type"),
    ({"alphabet_from": LISTS}, ValueError, "rule-not-regular"),
    ({"level": "all"}, ValueError, "argument-choice"),
    ({"seeds": "http://a"}, TypeError, "argument-type"),
    ({"seeds": [1]}, TypeError, "argument-type"),
    ({"queries": 1.5}, TypeError, "argument-type"),
    ({"queries": 0}, ValueError, "argument-value"),
    ({"errors": "maybe"}, ValueError, "argument-choice"),
    ({"budget": 7}, TypeError, "argument-type"),
]


@each_row(("changed", "error", "code"), MISUSE)
def test_misuse(changed: dict[str, object], error: type[Exception], code: str) -> None:
    with raises(error, code):
        learn(**{"judge": bool, "alphabet_from": URI["port"], **changed})  # type: ignore[arg-type]


@pytest.mark.slow
def test_ip_address_takes_both_kinds() -> None:
    """Learning requires letters for both kinds of addresses: IPv4 addresses do not contain hex digits."""
    report = learn(ipaddress.ip_address, URI["IPv4address"], "quick")
    assert report.comparison.relation == "equal"
    report = learn(ipaddress.ip_address, URI["IPv4address"], "quick", seeds=["::", "::1"])
    assert report.comparison.relation == "wider"
    assert report.comparison.only_left == "::"


@pytest.mark.slow
def test_host_and_port_of_urlsplit() -> None:
    rule = abnforge.loads('hostport = host [ ":" port ]\n', imports=["rfc3986"])["hostport"]

    def judge(text: str) -> bool:
        parts = urlsplit(f"//{text}")
        return parts.port is not False and parts.netloc == text and parts.username is None

    report = learn(judge, rule, "quick")
    assert report.comparison.only_right == ":111111"
    assert report.comparison.only_left is not None
    assert judge(report.comparison.only_left)
    with pytest.raises(ValueError, match="Port out of range"):
        judge(":111111")
    assert report.exact_for == report.states + 1


@pytest.mark.slow
def test_java_net_uri(tmp_path: Path) -> None:
    if shutil.which("java") is None or shutil.which("javac") is None:
        pytest.skip("no Java here")
    source = tmp_path / "Judge.java"
    source.write_text(JAVA, "utf-8")
    with subprocess.Popen(
        ["java", str(source)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout

        def judge(text: str) -> bool:
            assert process.stdin
            assert process.stdout
            print(text.encode().hex(), file=process.stdin, flush=True)
            return {"1\n": True, "0\n": False}[process.stdout.readline()]

        assert judge("a:b")
        report = learn(judge, URI["URI"], "quick")
        assert (report.comparison.only_left, report.comparison.only_right) == ("a:[", "a:")
        assert judge("a:[")
        assert not judge("a:")
        assert report.errors == ()
        process.stdin.close()


JAVA = """
import java.io.*;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

public class Judge {
    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            boolean answer = false;
            try {
                byte[] octets = HexFormat.of().parseHex(line);
                answer = new URI(new String(octets, StandardCharsets.UTF_8)).isAbsolute();
            } catch (java.net.URISyntaxException | NumberFormatException refused) {
                // It parses numbers of IPv4 addresses that are too large, which no exception is declared for.
            }
            System.out.println(answer ? 1 : 0);
        }
    }
}
"""
