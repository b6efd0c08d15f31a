"""For every string, the rejection from the C extension equals the one from ``rule.explain``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from importlib import import_module
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import abnforge
from abnforge import columns
from abnforge._native import compiled
from abnforge.explain.reading import MAX_WHOLE
from tests.columns.expected import EXAMPLES, URI, layouts, octets_in
from tests.columns.test_rejections import told_of

rejections = import_module("abnforge.columns.rejections")  # the package has a function of the same name
by_kernel = import_module("abnforge.columns.rejections")
needs_kernel = pytest.mark.skipif(compiled is None, reason="there is no kernel")

OWN = abnforge.loads(
    'entry = name "=" value\nname = 1*ALPHA\nvalue = 1*DIGIT / DQUOTE *( %x20-21 / %x23-7E ) DQUOTE\n'
)
NESTED = abnforge.loads('r = "(" [ r ] ")" / 1*DIGIT\n')
DATES = [
    "2024-02-29T23:59:60Z",
    "2024-1-1T0:0:0Z",
    "2024-01-01 00:00:00Z",
    "2024/01/01T00:00:00Z",
    "2024-01-01T00:00:00",
]
MAILBOXES = ["a@b.example", "a b@c.d", "a@@b", "a.@b.c", '"a"@[127.0.0.1]', "a@b..c", "@b", "a@"]
ENTRIES = ["a=1", "a", "a=", "a=x", 'a="b', 'a=b"', "a==1", "=1", "a = 1", "a=1,b=2"]

RULES = {
    "rfc3986:URI": EXAMPLES,
    "rfc3986:URI-reference": EXAMPLES,
    "rfc3986:host": ["a.b", "[::1]", "[::1", "a b", "1.2.3.4", "é", "a_b:80", "%zz"],
    "rfc3987:IRI": EXAMPLES,
    "rfc2396:URI-reference": EXAMPLES,
    "rfc5321:Mailbox": MAILBOXES,
    "rfc3339:date-time": DATES,
    "entry": ENTRIES,
    "r": ["()", "(((1)))", "(()", "1(", "((a))", "2)"],
}
SIGNS = "abcxyz019 /:?#[]@!$&'()*+,;=-._~%\\\"<>^`{|}\t\n\0éß日\u200b😀"


@cache
def rule_of(name: str) -> abnforge.Rule:
    if name in ("entry", "r"):
        return (OWN if name == "entry" else NESTED)[name]
    return abnforge.rule(name)


def mutants(name: str, count: int, seed: int) -> list[str]:
    """Return ``count`` strings after one to three random edits each."""
    random = Random(f"{name} {seed}")
    results = []
    for _ in range(count):
        letters = list(random.choice(RULES[name]))
        for _ in range(random.randint(1, 3)):
            at, kind = random.randrange(len(letters) + 1), random.randrange(4)
            if kind == 0:
                letters[at : at + 1] = random.choice(SIGNS)
            elif kind == 1:
                del letters[at : at + random.randint(1, 3)]
            elif kind == 2:
                letters.insert(at, random.choice(SIGNS))
            else:
                letters[at:at] = letters[at : at + random.randint(1, 4)]
        results.append("".join(letters))
    return results


def wanted(name: str, texts: list[str | None], octets: bool = False) -> list[dict[str, Any]]:
    """Return the result of ``rule.explain`` for each rejected string."""
    rows = []
    for row, text in enumerate(texts):
        if text is not None and (
            rejection := rule_of(name).explain(text.encode() if octets else text, suggest=False)
        ):
            rows.append(told_of(row, rejection))
    return rows


def without_sentences(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "message": None} for row in rows]


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize(
    ("count", "seed"),
    [(30, 0), *(pytest.param(count, count, marks=pytest.mark.slow) for count in (150,))],
)
def test_mutants(name: str, count: int, seed: int) -> None:
    texts: list[str | None] = [*RULES[name][: count // 2], *mutants(name, count, seed)]
    for octets in (False, True):
        array = pa.array(texts, pa.string()).cast(pa.binary() if octets else pa.string())
        result = columns.rejections(rule_of(name), array)
        result.validate(full=True)
        rows = result.to_pylist()
        assert rows == wanted(name, texts, octets)
        assert len(rows) > len(texts) / 10
        plain = columns.rejections(rule_of(name), array, message=False)
        assert plain.to_pylist() == without_sentences(rows)


BEYOND_ASCII = [
    "http://example.com/日本 x",
    "http://é.example:8x/",
    "http://a/😀\\b",
    None,
    "x http://é/",
    "é",
    "http://example.com/a b",
    "http://example.com:80x/",
    "",
    "http://[::1/é",
    "http://a/b",
    "http://example.com/a b",
    "http://a/%zz\U0010ffff",
]


@pytest.mark.parametrize("layout", layouts([]))
@pytest.mark.parametrize("message", [True, False])
def test_layouts(layout: str, message: bool) -> None:
    array = layouts(BEYOND_ASCII)[layout]
    octets = octets_in(array.type)
    for begin, end in ((0, len(BEYOND_ASCII)), (3, 11), (5, 6), (10, 11), (11, 11)):
        result = columns.rejections(URI, array.slice(begin, end - begin), message=message)
        result.validate(full=True)
        rows = wanted("rfc3986:URI", BEYOND_ASCII[begin:end], octets)
        assert result.to_pylist() == (rows if message else without_sentences(rows))


@pytest.mark.parametrize("sign", ["b", "é"])
def test_long_texts(sign: str) -> None:
    """If a string is longer than the limit, the rule explains only a window of it."""
    texts: list[str | None] = []
    for length in (MAX_WHOLE - 1, MAX_WHOLE, MAX_WHOLE + 1, 3 * MAX_WHOLE):
        end = " c:8x"
        texts += ["http://a/" + sign * (length - 9 - len(end)) + end, " http://a/" + sign * (length - 10)]
    assert [len(text or "") - MAX_WHOLE for text in texts[:6:2]] == [-1, 0, 1]
    for octets in (False, True):
        array = pa.array(texts, pa.binary() if octets else pa.string())
        assert columns.rejections("rfc3986:URI", array).to_pylist() == wanted("rfc3986:URI", texts, octets)


@needs_kernel
def test_who_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    """The C extension explains declared mistakes, and the rule explains all others."""
    calls: list[Any] = []
    tell = rejections._told
    monkeypatch.setattr(rejections, "_told", lambda *given: [calls.append(given[1]), tell(*given)][1])
    texts = ["http://a b/", "http://a:8x/", "a:b", "<>:{}", "http://a/b c", "http://é/"]
    columns.rejections("rfc3986:URI", pa.array(texts))
    assert calls == ["<>:{}"]
    columns.rejections("rfc3986:URI", pa.array(texts), suggest=True)
    assert calls[1:] == [text for text in texts if text != "a:b"]
    del calls[:]
    columns.rejections(rule_of("r"), pa.array(["(", ")"]))
    assert calls == ["(", ")"]


@needs_kernel
def test_a_sentence_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    filled: list[str] = []
    fill = by_kernel.fill
    monkeypatch.setattr(by_kernel, "fill", lambda say, texts: [filled.append(say), fill(say, texts)][1])
    array = pa.chunked_array([["http://a b/", "http://a b/", "http://a:8x/"], ["http://a b/"]])
    result = columns.rejections(URI, array)
    assert len(filled) == 2
    assert len(set(result.field("message").to_pylist())) == 2
    columns.rejections(URI, array, message=False)
    assert len(filled) == 2


def test_a_custom_grammar_without_stored_mistakes() -> None:
    """The grammar does not have stored mistakes, so all mistakes are derived from it."""
    fresh = abnforge.loads('pair = 1*DIGIT "-" 1*ALPHA\n')["pair"]
    rows = columns.rejections(fresh, pa.array(["12a", "1-a", "1-1", None, ""])).to_pylist()
    assert rows == [
        told_of(row, rejection)
        for row, text in ((0, "12a"), (2, "1-1"), (4, ""))
        if (rejection := fresh.explain(text, suggest=False))
    ]
    assert len(rows) == 3


@pytest.mark.parametrize("steps", [10, 1_000, 30_000, 300_000])
def test_a_small_budget(steps: int) -> None:
    """A string exceeds the budget in columns exactly if it does in ``rule.explain``."""
    rule = abnforge.loads('pair = 1*DIGIT "-" 1*ALPHA\n', budget=abnforge.Budget(steps=steps))["pair"]
    texts = ["12a", "1-1", "-", "1--a", "xy" * 30]
    try:
        results = [
            told_of(row, each)
            for row, text in enumerate(texts)
            if (each := rule.explain(text, suggest=False))
        ]
    except abnforge.LimitExceeded:
        with pytest.raises(abnforge.LimitExceeded):
            columns.rejections(rule, pa.array(texts))
    else:
        assert columns.rejections(rule, pa.array(texts)).to_pylist() == results


@pytest.mark.slow
@needs_kernel
def test_without_the_extension_the_table_is_the_same() -> None:
    code = """
import json, sys, abnforge, pyarrow as pa
from abnforge import columns
assert abnforge.KERNEL == "python"
given = json.load(sys.stdin)
print(json.dumps([columns.rejections(name, pa.array(texts)).to_pylist() for name, texts in given.items()]))
"""
    given = {name: [*RULES[name][:5], *mutants(name, 10, 2)] for name in ("rfc3986:URI", "rfc5321:Mailbox")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(given),
        env={**os.environ, "ABNFORGE_KERNEL": "python"},
        capture_output=True,
        text=True,
        check=True,
    )
    results = [columns.rejections(name, pa.array(texts)).to_pylist() for name, texts in given.items()]
    assert json.loads(done.stdout) == results
