"""The grammars of the ``abnf`` package load, and this parser agrees with that of the package.

Both results are converted to a normal form without parentheses, comments and the base of numbers.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import abnf.parser
import pytest

from abnforge.errors import GrammarError, UnknownNameError
from abnforge.grammar import abnf_package
from abnforge.grammar.abnf_package import load_package, package_names
from abnforge.grammar.parser import core_rules
from abnforge.grammar.printer import print_alternation
from abnforge.grammar.reader import read
from abnforge.grammar.syntax import Alternation, CharVal, Element, Group, NumVal, Option, RuleName, references
from tests.law import one_in
from tests.places import ROOT
from tests.raising import raises

Normal = tuple[Any, ...]
GRAMMARS = sorted((ROOT / "grammars").glob("*.abnf"))


def collapsed(kind: str, parts: list[Normal]) -> Normal:
    return parts[0] if len(parts) == 1 else (kind, *parts)


def ours(alternation: Alternation) -> Normal:
    return collapsed(
        "alternation",
        [
            collapsed(
                "concatenation",
                [
                    of_element(item.element)
                    if (item.min, item.max) == (1, 1)
                    else ("repetition", item.min, item.max, of_element(item.element))
                    for item in alternative.items
                ],
            )
            for alternative in alternation.alternatives
        ],
    )


def of_element(element: Element) -> Normal:
    match element:
        case RuleName(name=name):
            return ("rule", name.lower())
        case CharVal(value=value):
            return ("text", value if element.case_sensitive else value.lower(), element.case_sensitive)
        case NumVal(values=values):
            return ("range", *values) if element.is_range else ("text", "".join(map(chr, values)), True)
        case Group(alternation):
            return ours(alternation)
        case Option(alternation):
            return ("option", ours(alternation))
        case _:
            return ("prose",)


def theirs(parser: Any) -> Normal:
    match type(parser).__name__:
        case "Alternation" | "Concatenation" as kind:
            return collapsed(kind.lower(), [theirs(part) for part in parser.parsers])
        case "Repetition":
            limits = (parser.repeat.min, parser.repeat.max)
            element = theirs(parser.element)
            return element if limits == (1, 1) else ("repetition", *limits, element)
        case "Option":
            return ("option", theirs(parser.alternation))
        case "Literal":
            if isinstance(parser.value, tuple):
                return ("range", *map(ord, parser.value))
            text = parser.value if parser.case_sensitive else parser.value.lower()
            return ("text", text, parser.case_sensitive)
        case "Prose":
            return ("prose",)
        case _:
            return ("rule", parser.name.lower())


# The package takes up to a second to parse each of these grammars with its imports.
SLOW = (
    "cors",
    "rfc5322",
    "rfc5987",
    "rfc7231",
    "rfc7232",
    "rfc7233",
    "rfc7234",
    "rfc9110",
    "rfc9111",
    "rfc9051",
    "rfc9116",
    "rfc9651",
)
NAMES = one_in(12, [*(name for name in package_names() if name not in SLOW), *SLOW])


@pytest.mark.parametrize("name", NAMES)
def test_shipped_grammars_agree(name: str) -> None:
    rule_class = importlib.import_module(f"abnf.grammars.{name}").Rule
    grammar = load_package(name)
    own = {key: rule for key, rule in grammar.rules.items() if rule.origin == "file"}
    assert own
    for key, rule in own.items():
        assert ours(rule.elements) == theirs(rule_class(rule.name).definition), key


# The package cannot parse grammars with lists or tabs. Rules with "=/" are merged first.
NOT_READ = {"rfc8288", "rfc9051", "rfc9110", "rfc9111", "rfc9112", "toml-1.0.0", "toml-1.1.0"}
READ = [path for path in GRAMMARS if path.stem.removesuffix(".mistakes") not in NOT_READ]


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=[] if p.stem in ("rfc2396", "rfc5234") else [pytest.mark.slow]) for p in READ],
    ids=lambda path: path.name,
)
def test_our_grammars_agree(path: Path) -> None:
    text = path.read_text("utf-8")
    # The package does not allow grammars to define core rules again.
    rules = [rule for rule in read(text).rules if rule.name.lower() not in core_rules()]
    assert rules

    class Rule(abnf.parser.Rule):
        pass

    Rule.load_grammar("\n".join(text[rule.span.start : rule.span.end] for rule in rules))
    for rule in rules:
        assert ours(rule.elements) == theirs(Rule(rule.name).definition), rule.name


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_left_open(name: str) -> None:
    grammar = load_package(name)
    for rule in grammar.rules.values():
        for reference in references(rule.elements):
            assert reference.name.lower() in grammar.rules
    assert load_package(name) is grammar


def definition(grammar: str, rule: str) -> str:
    return print_alternation(load_package(grammar).rules[rule].elements)


def test_an_import_stands_in_for_prose() -> None:
    assert definition("rfc6265", "token") == definition("rfc2616", "token")
    assert load_package("rfc6265").rules["token"].origin == "import"


def test_an_import_may_have_another_name() -> None:
    assert definition("rfc9110", "uri-host") == "IP-literal / IPv4address / reg-name"


def test_a_needed_rule_gives_way_to_the_grammar_s_own() -> None:
    """RFC 9110 defines the header Host; the host of RFC 3986 is named uri-host there."""
    assert definition("rfc9110", "host") == 'uri-host [ ":" port ]'
    assert definition("rfc9110", "authority") == '[ userinfo "@" ] uri-host [ ":" port ]'


def test_a_needed_rule_is_renamed_after_its_origin() -> None:
    """Both RFC 9110 and RFC 5322 (for the mailbox of From) define comment."""
    assert definition("rfc9110", "comment") == '"(" *( ctext / quoted-pair / comment ) ")"'
    assert definition("rfc9110", "comment-rfc5322") == definition("rfc5322", "comment")
    assert definition("rfc9110", "ccontent") == "ctext-rfc5322 / quoted-pair-rfc5322 / comment-rfc5322"


def test_names_are_those_of_specifications() -> None:
    assert {"rfc3986", "rfc9110", "cors"} <= set(package_names())
    assert "misc" not in package_names()


@pytest.mark.parametrize(
    ("name", "near"),
    [("rfc9010", ("rfc9110", "rfc9051", "rfc9651")), ("zzz", ()), ("misc", ()), ("", ())],
)
def test_unknown_names(name: str, near: tuple[str, ...]) -> None:
    with raises(UnknownNameError, "package-grammar-unknown", grammar=name, near=near):
        load_package(name)


WRITTEN = {
    "one": "class Rule(_Rule):\n    grammar = 'a = b\\nb = %x78\\n'\n",
    "two": """
@load_grammar_rules([("b", one.Rule("b")), ("DIGIT", one.Rule("DIGIT")), ("c", LocalRule("c"))])
class Rule(_Rule):
    grammar: ClassVar[list[str] | str] = ["a = b / c ", " b = <b, see one>", "c = <c>"]

@load_grammar_rules()
class LocalRule(_Rule):
    grammar = 'c = DIGIT'
""",
    "made": "class Rule(_Rule):\n    grammar = one.Rule.grammar + 'a = DIGIT'\n",
    "counted": "class Rule(_Rule):\n    grammar = [1, 2]\n",
    "decorated": "@load\nclass Rule(_Rule):\n    grammar = 'a = DIGIT'\n",
    "called": "@load(names())\nclass Rule(_Rule):\n    grammar = 'a = DIGIT'\n",
    "paired": "@load([names()])\nclass Rule(_Rule):\n    grammar = 'a = DIGIT'\n",
    "found": "@load([('b', find('b')())])\nclass Rule(_Rule):\n    grammar = 'a = DIGIT'\n",
    "empty": "import abnf\n",
    "broken": "class Rule(\n",
    "nul": "\0",
}


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name, text in WRITTEN.items():
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
    monkeypatch.setattr(abnf_package, "_folder", lambda: tmp_path)
    yield tmp_path
    abnf_package._load.cache_clear()
    abnf_package._classes.cache_clear()


def test_modules_are_read_and_not_run(written: Path) -> None:
    (written / "two.py").write_text(f"{WRITTEN['two']}\nraise SystemExit\n", "utf-8")
    bound = load_package("two")
    assert {key: print_alternation(bound.rules[key].elements) for key in "abc"} == {
        "a": "b / c",
        "b": "%x78",
        "c": "DIGIT",
    }
    assert bound.rules["digit"].origin == "core"
    assert package_names() == sorted(WRITTEN)


@pytest.mark.parametrize("name", list(WRITTEN)[2:])
def test_a_module_that_is_written_otherwise_is_rejected_by_name(written: Path, name: str) -> None:
    with raises(GrammarError, "unreadable-package", module=name) as info:
        load_package(name)
    codes = {"empty": "package-class-missing", "broken": "package-unreadable", "nul": "package-unreadable"}
    assert info.value.message.code == codes.get(name, "package-unsupported")


def test_a_module_that_computes_its_imports_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    monkeypatch.setattr(abnf_package, "_run", lambda module: ran.append(module) or {})
    abnf_package._classes.cache_clear()
    for name in package_names():
        abnf_package._classes(name)
    abnf_package._classes.cache_clear()
    assert ran == ["rfc7405"]
