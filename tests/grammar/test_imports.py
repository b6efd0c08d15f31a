"""Imports: their order, arguments, errors, and stored results of bundled grammars."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

import abnforge
from abnforge.errors import GrammarError
from abnforge.grammar.annotations import import_directives
from abnforge.grammar.files import MAX_IMPORT_DEPTH
from abnforge.grammar.imports import bundled_grammar, has_lists
from abnforge.grammar.printer import print_alternation
from abnforge.grammar.reader import read
from abnforge.grammar.shipped import bundled_names, defining, generated
from abnforge.grammar.syntax import SENDER, BoundRule
from tests.law import each_row
from tests.raising import raises
from tools import build_grammars

IMPORTS = {
    name: re.findall(
        r"^;@ import ([\w.-]+)", generated().joinpath(f"{name}.abnf").read_text("utf-8"), re.MULTILINE
    )
    for name in bundled_names()
}
IMPORTING = [name for name, others in IMPORTS.items() if others]


def told(rule: BoundRule) -> tuple[str, str, str | None, str]:
    return rule.name, rule.origin, rule.section, print_alternation(rule.elements)


@pytest.mark.parametrize("name", IMPORTING)
def test_stored_imports_equal_linked_imports(name: str) -> None:
    text = (build_grammars.GRAMMARS / f"{name}.abnf").read_text("utf-8")
    linked = build_grammars.bound_grammar(name, text)
    assert [told(rule) for rule in bundled_grammar(name).rules.values()] == [
        told(rule) for rule in linked.rules.values()
    ]
    assert not bundled_grammar(name).warnings


def test_there_are_some_and_they_lead_in_no_circle() -> None:
    assert "rfc9110" in IMPORTING
    left = dict(IMPORTS)
    while left:
        ready = [name for name, others in left.items() if not left.keys() & set(others)]
        assert ready, left
        for name in ready:
            del left[name]


def test_a_circle_is_rejected_when_it_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_grammars, "GRAMMARS", tmp_path)
    (tmp_path / "one.abnf").write_text(";@ import two: b\na = b\n")
    (tmp_path / "two.abnf").write_text(';@ import one: a\nb = "x" / a\n')
    with raises(GrammarError, "import-directive"):
        build_grammars.bound_grammar("one", (tmp_path / "one.abnf").read_text())
    with raises(GrammarError, "import-directive"):
        build_grammars.bound_grammar("four", ";@ import three\na = b\n")


def test_imported_rules_are_called_after_their_origin_where_their_name_is_taken() -> None:
    grammar = abnforge.load("rfc9110")
    assert (grammar["host-rfc3986"].section, grammar["Host"].section) == ("RFC 3986, section 3.2.2", "7.2")
    assert grammar["mailbox"].matches("Joe <joe@example.org>")
    assert grammar["comment-rfc5322"].origin == "import"


@pytest.mark.parametrize(("name", "lists"), [("rfc9110", True), ("rfc8288", True), ("rfc9651", False)])
def test_lists_are_read_as_asked(name: str, lists: bool) -> None:
    assert has_lists(bundled_grammar(name)) is lists
    assert bundled_grammar(name, SENDER).rules.keys() == bundled_grammar(name).rules.keys()


def test_a_bundled_grammar_as_a_sender_writes_it() -> None:
    allow = abnforge.load("rfc9110")["Allow"]
    sent = abnforge.load("rfc9110", lists="sender")["Allow"]
    assert [rule.matches("GET,,HEAD") for rule in (allow, sent)] == [True, False]
    assert [rule.matches("GET, HEAD") for rule in (allow, sent)] == [True, True]
    assert abnforge.load("rfc3986", lists="sender") == abnforge.load("rfc3986")
    assert sent != allow


def test_a_grammar_of_the_package_is_suggested() -> None:
    with raises(abnforge.UnknownNameError, "import-unknown-near", grammar="rfc3629", near=("abnf:rfc3629",)):
        abnforge.loads("a = UTF8-char\n", imports=["rfc3629"])


def own_and_imported(grammar: abnforge.Grammar) -> tuple[list[str], list[str]]:
    rules = list(grammar.values())
    return [each.name for each in rules if each.origin == "file"], [
        each.name for each in rules if each.origin == "import"
    ]


def test_only_what_is_reachable_comes_along() -> None:
    grammar = abnforge.loads("address = IPv4address\n", imports=["rfc3986"])
    assert own_and_imported(grammar) == (["address"], ["IPv4address", "dec-octet"])
    assert grammar["address"].matches("127.0.0.1")
    assert grammar["IPv4address"].section == "RFC 3986, section 3.2.2"


def test_the_grammars_own_rule_wins_and_imported_ones_keep_theirs() -> None:
    grammar = abnforge.loads('a = authority / host\nhost = "me"\n', imports=["rfc3986"])
    assert not grammar["host"].matches("example.com")
    assert grammar["authority"].matches("example.com")
    assert "host-rfc3986" in grammar


def test_the_first_import_that_has_a_rule_is_taken_and_the_other_is_reported() -> None:
    one, two = (
        abnforge.loads('t = "1"\nu = "u"\n', name="one"),
        abnforge.loads('t = "2"\nu = "u"\n', name="two"),
    )
    grammar = abnforge.loads("a = t u\n", imports=[one, two])
    assert grammar["t"].matches("1")
    [warning] = grammar.warnings
    assert (warning.code, warning.message.code) == ("import-collision", "import-conflict")
    assert warning.data == {"name": "t", "grammar": "one", "other": "two"}
    assert [each.name for each in abnforge.lint("a = t u\n", imports=[one, two])] == ["import-collision"]
    assert abnforge.loads("a = t u\n", imports=[two, one])["t"].matches("2")


@each_row(
    "prose", ["<token, see [RFC9110], Section 5.6.2>", "<token>", "<see RFC 9110>", "<defined elsewhere>"]
)
def test_a_rule_in_words_alone_is_replaced(prose: str) -> None:
    grammar = abnforge.loads(f"a = token\ntoken = {prose}\n", imports=["abnf:rfc9110"])
    assert grammar["a"].matches("x!y")
    assert grammar["token"].origin == "import"


def test_prose_that_cites_a_specification_does_not_mean_the_grammars_own_rule_of_that_name() -> None:
    text = 'uri-host = <host, see [RFC3986], Section 3.2.2>\nHost = uri-host [ ":80" ]\n'
    grammar = abnforge.loads(text + "own = <Host, see Section 5>\n", imports=["rfc3986"])
    assert grammar["Host"].matches("example.com:80")
    assert grammar["uri-host"].uses == ("host-rfc3986",)
    assert grammar["own"].uses == ("Host",)


def test_prose_that_names_a_rule_elsewhere_is_a_reference() -> None:
    grammar = abnforge.loads("a = <host, see [RFC3986], Section 3.2.2>\n", imports=["rfc3986"])
    assert grammar["a"].matches("[::1]")
    assert grammar["a"].uses == ("host",)


def test_what_is_added_to_a_rule_elsewhere() -> None:
    base = abnforge.loads('field = "a"\nother = field\n', name="base")
    grammar = abnforge.loads('field =/ "b"\nuse = other\n', imports=[base])
    assert [text for text in "abc" if grammar["field"].matches(text)] == ["a", "b"]


def test_a_string_names_its_imports() -> None:
    text = ';@ import rfc3986: host , port\n\na = host [ ":" port ] reg\nreg = *ALPHA\n'
    grammar = abnforge.loads(text)
    assert grammar["a"].matches("[::1]:80")
    assert [(each.grammar, each.rules) for each in import_directives(read(text))] == [
        ("rfc3986", ("host", "port"))
    ]
    with raises(abnforge.GrammarError, "rule-undefined", name="segment"):
        abnforge.loads(";@ import rfc3986: host\na = host segment\n")


@each_row(
    ("line", "grammar", "rules"),
    [
        (";@ import rfc3986", "rfc3986", None),
        (";@import rfc3986:URI", "rfc3986", ("URI",)),
        (";@ import ./a b.abnf", "./a b.abnf", None),
        (";@ import abnf:rfc9110", "abnf:rfc9110", None),
        (";@ import abnf:rfc9110: token, OWS", "abnf:rfc9110", ("token", "OWS")),
        (";@ import ../x.abnf: a_b", "../x.abnf", ("a_b",)),
    ],
)
def test_how_imports_are_written(line: str, grammar: str, rules: tuple[str, ...] | None) -> None:
    [wish] = import_directives(read(f"{line}\na = ALPHA\n"))
    assert (wish.grammar, wish.rules) == (grammar, rules)


@each_row(
    ("text", "line", "column", "code"),
    [
        (";@ import\na = ALPHA\n", 1, 1, "import-malformed"),
        (";@ import rfc3986: \na = ALPHA\n", 1, 11, "import-malformed"),
        (";@ import rfc3986: a b\na = ALPHA\n", 1, 11, "import-malformed"),
        (";@ import rfc3986: hots\na = ALPHA\n", 1, 11, "import-rule-unknown"),
        ("a = ALPHA\n\n;@ import rfc39\n", 3, 11, "import-unknown-near"),
        (";@ import ./missing.abnf\na = ALPHA\n", 1, 11, "import-unreadable"),
    ],
)
def test_imports_that_cannot_be_had(text: str, line: int, column: int, code: str) -> None:
    with pytest.raises(abnforge.GrammarError) as caught:
        abnforge.loads(text)
    error = caught.value
    assert (error.line, error.column, error.code) == (line, column, "import-directive")
    assert error.message.code == code
    assert [each.name for each in abnforge.lint(text) if each.severity == "error"] == ["import-directive"]


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.abnf").write_text(text, "utf-8")
    return folder / f"{next(iter(texts))}.abnf"


def test_files_import_files_from_where_they_lie(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    main = write(tmp_path, main=";@ import sub/one.abnf\na = b\n", base='d = "x"\n')
    write(tmp_path / "sub", one=";@ import ../base.abnf\nb = c d\nc = 1*DIGIT\nunused = nowhere\n")
    assert abnforge.load(main)["a"].matches("12x")
    assert abnforge.lint(main) == []
    travelled = pickle.loads(pickle.dumps(abnforge.load(main)["a"]))
    write(tmp_path / "sub", one="gone = 1")
    assert travelled.matches("12x")


def test_what_an_import_needs_may_be_in_another(tmp_path: Path) -> None:
    main = write(tmp_path, main="a = b\n", one="b = c\n", two='c = "x"\n')
    paths = [tmp_path / "one.abnf", tmp_path / "two.abnf"]
    assert abnforge.load(main, imports=paths)["a"].matches("x")
    with raises(abnforge.GrammarError, "imported-rule-undefined", name="c", grammar="one"):
        abnforge.load(main, imports=paths[:1])
    assert abnforge.load(main, imports=paths[:1], allow_undefined=True).keys() >= {"a", "b", "c"}


def test_two_files_of_one_name(tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    write(tmp_path / "1", base='p = q\nq = "1"\n')
    write(tmp_path / "2", base='r = q\nq = "2"\n')
    imports = [tmp_path / "1" / "base.abnf", tmp_path / "2" / "base.abnf"]
    grammar = abnforge.loads("a = p r\n", imports=imports)
    assert grammar["a"].matches("12")


def test_circles_and_depth_are_rejected(tmp_path: Path) -> None:
    main = write(tmp_path, main=";@ import other.abnf\na = b\n", other=';@ import main.abnf\nb = "x"\n')
    with raises(abnforge.GrammarError, "import-cycle"):
        abnforge.load(main)
    chain = {f"f{at}": f";@ import f{at + 1}.abnf\na{at} = a{at + 1}\n" for at in range(MAX_IMPORT_DEPTH + 2)}
    first = write(tmp_path, **chain)
    with raises(abnforge.GrammarError, "import-limit", limit=MAX_IMPORT_DEPTH):
        abnforge.load(first)


def test_rules_given_next_to_a_string() -> None:
    grammar = abnforge.loads("a = b host\n", define=["b = c", 'c = "x"'], imports=["rfc3986"])
    assert grammar["a"].matches("xexample.com")
    assert grammar["b"].origin == "define"
    assert [rule.name for rule in grammar.own_rules] == ["a"]
    with raises(abnforge.GrammarError, "rule-redefined-outside", name="a") as caught:
        abnforge.loads('a = "x"\n', define=['a = "y"'])
    assert (caught.value.line, caught.value.column, caught.value.path) == (1, 1, "<string>")
    with raises(abnforge.GrammarError, "rule-undefined", name="d") as caught:
        abnforge.loads("a = b\n", define=["b = d"])
    assert (caught.value.path, caught.value.column) == ("<define>", 5)
    with raises(abnforge.GrammarError, "rule-redefined-outside", name="b") as caught:
        abnforge.loads("a = b\n", define=['b = "1"', 'b = "2"'])
    with pytest.raises(abnforge.GrammarError) as caught:
        abnforge.loads("a = b\n", define=["b"])
    assert caught.value.path == "<define>"


def test_undefined_rules_are_warnings_where_that_is_allowed() -> None:
    text = 'a = b / "x"\nc = "y"\nd =/ "z"\n'
    with raises(abnforge.GrammarError, "rule-undefined", name="b"):
        abnforge.loads(text)
    grammar = abnforge.loads(text, allow_undefined=True)
    assert [each.code for each in grammar.warnings] == ["undefined-rule", "incremental-without-base"]
    assert grammar["c"].matches("y")
    for name, result in [
        ("a", "undefined-rule"),
        ("b", "undefined-rule"),
        ("d", "prose-val"),
    ]:
        with raises(abnforge.GrammarError, result):
            grammar[name].matches("z")
    findings = abnforge.lint(text, allow_undefined=True)
    severities = {each.name: each.severity for each in findings}
    assert severities["undefined-rule"] == severities["incremental-without-base"] == "info"


def test_who_defines_what_is_missing() -> None:
    with raises(abnforge.GrammarError, "rule-undefined", name="json-pointer") as caught:
        abnforge.loads("a = json-pointer\n", imports=["rfc3339"])
    [hint] = caught.value.hints
    assert (hint.code, hint.data) == ("import-possible", {"grammars": ("rfc6901",)})
    grammar = abnforge.loads("a = json-pointer\n", allow_undefined=True)
    with raises(abnforge.GrammarError, "undefined-rule"):
        grammar["a"].matches("x")


@each_row(
    ("name", "grammars"),
    [
        (
            "token",
            ["rfc3261", "rfc9110"],
        ),  # not rfc6265, which repeats rules of RFC 2616
        ("Cache-Control", ["rfc9111"]),
        ("language-tag", ["rfc3261", "rfc5646"]),
        ("atext", ["rfc5322"]),
        ("JSON-TEXT", ["rfc8259"]),
        ("let-dig-hyp", ["rfc6265"]),  # only this grammar defines the rule
        ("B", []),
        ("nobody-has-it", []),
    ],
)
def test_it_is_defined_where_its_specification_is(name: str, grammars: list[str]) -> None:
    assert defining(name) == grammars


@each_row(
    ("arguments", "name", "kind"),
    [
        ({"imports": "rfc3986"}, "imports", "str"),
        ({"imports": [3]}, "imports", "int"),
        ({"define": 'a = "b"'}, "define", "str"),
        ({"define": [3]}, "each of define", "int"),
    ],
)
def test_arguments_of_the_wrong_kind(arguments: dict[str, object], name: str, kind: str) -> None:
    with raises(TypeError, "argument-type", name=name, type=kind):
        abnforge.loads('a = "b"\n', **arguments)  # type: ignore[arg-type]


def test_a_colon_that_was_forgotten_is_reported() -> None:
    with raises(
        abnforge.GrammarError,
        "import-colon-missing",
        found="rfc3986 host, port",
        grammar="rfc3986",
        rules="host, port",
    ):
        abnforge.loads(";@ import rfc3986 host, port\na = host\n")


def test_a_collision_is_reported_where_the_second_grammar_is_asked_for() -> None:
    text = "; hosts\n;@ import rfc3986\n;@ import rfc2396\na = host\n"
    [result] = abnforge.lint(text)
    assert (result.name, result.line, result.column, result.end_column) == ("import-collision", 3, 11, 18)
    [result] = abnforge.lint("; hosts\n;@ import rfc3986\na = host\n", imports=["rfc2396"])
    assert (result.name, result.line) == ("import-collision", 1)  # the source does not import it


@each_row(
    ("comment", "error_code"),
    [
        ("; @import rfc3986", True),
        (";  @ import rfc3986: host", True),
        ("; import rfc3986", True),
        ("; import the rules of RFC 3986", False),
        ("; imported: host", False),
    ],
)
def test_a_comment_that_was_meant_as_an_import_is_reported(comment: str, error_code: bool) -> None:
    [result] = abnforge.lint(f"; links\n{comment}\na = host\n")
    assert result.name == "undefined-rule"
    hints = {hint.code: hint.data for hint in result.message.data["hints"]}
    assert hints.get("import-in-comment") == ({"line": 2} if error_code else None)


@each_row("word", ["imports", "improt", "Import"])
def test_a_misspelt_import_is_reported(word: str) -> None:
    first, second = abnforge.lint(f";@ {word} rfc3986\na = host\n")
    assert (first.message.code, first.column) == ("directive-misspelled", 4)
    assert first.message.data == {"word": word, "near": ("import",)}
    assert second.name == "undefined-rule"


@each_row(
    ("line", "word", "meant"),
    [
        (";@ excep kw", "excep", "except"),
        (";@ excpet kw", "excpet", "except"),
        (";@ Except kw", "Except", "except"),
        (";@ alphabt bytes", "alphabt", "alphabet"),
    ],
)
def test_a_misspelt_directive_that_changes_the_strings_is_reported(line: str, word: str, meant: str) -> None:
    [finding] = abnforge.lint(f'{line}\nname = 1*ALPHA\nkw = "if"\n')
    assert (finding.severity, finding.message.code, finding.column) == ("error", "directive-misspelled", 4)
    assert finding.message.data == {"word": word, "near": (meant,)}
