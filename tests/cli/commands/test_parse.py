"""``abnforge parse``: components, trees, formats, exit statuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import INVALID, VALID, Seen, fails, masks_passwords_when_asked, run

STATUSES = [
    (["parse", VALID], None, 0),
    (["parse", INVALID], None, 1),
    (["parse", "--grammar", "rfc5234", "--format", "components", "x"], None, 2),
]


@pytest.mark.parametrize(("arguments", "stdin", "status"), STATUSES)
def test_exit_status(arguments: list[str], stdin: str | None, status: int) -> None:
    assert run(*arguments, stdin=stdin).exit_code == status


def test_parse_components() -> None:
    lines = run("parse", "http://u@0x7f.1:/a/?q").stdout.splitlines()
    rows = dict(line.split(maxsplit=1) for line in lines[1:] if "kind" not in line)
    assert lines[0] == 'URI  "http://u@0x7f.1:/a/?q"'
    assert rows["scheme"] == '"http"'
    assert rows["port"] == '""'
    assert rows["fragment"] == "undefined"
    assert any(line.split() == ["host", "kind", "reg-name"] for line in lines)


def test_parse_by_rfc_2396() -> None:
    assert '"a"' in run("parse", "--grammar", "rfc2396", "http://a/b").stdout


def test_parse_tree(grammar: str, seen: Seen) -> None:
    result = run("parse", "--grammar", grammar, "ab,c")
    seen(result.stdout)


def test_parse_tree_speaks_abnf() -> None:
    assert "└─ hier-part  " in run("parse", "--format", "tree", VALID).stdout


@pytest.mark.parametrize("arguments", [(), ("--format", "tree"), ("--format", "derivations", "--count", "2")])
def test_trees_in_ascii(arguments: tuple[str, ...], grammar: str) -> None:
    plain = run("parse", "--ascii", *arguments, "--grammar", grammar, "ab,c").stdout
    assert plain.isascii()
    assert '|- word > ALPHA x2  "ab"  0-2\n' in plain
    drawing = run("parse", *arguments, "--grammar", grammar, "ab,c").stdout
    assert drawing.splitlines()[0] == plain.splitlines()[0]
    assert "├─ word" in drawing


def test_parse_json() -> None:
    valid, invalid = map(json.loads, run("parse", "--format", "json", VALID, INVALID).stdout.splitlines())
    assert valid["components"]["host"] == "example.com"
    assert (valid["tree"]["rule"], valid["tree"]["end"]) == ("URI", len(VALID))
    assert invalid["valid"] is False


def test_a_rule_without_components_has_a_tree() -> None:
    assert run("parse", "--rule", "port", "80").stdout == 'port › DIGIT ×2  "80"  0-2\n'
    fails(
        run("parse", "--rule", "port", "--format", "components", "80"), "structure-unavailable", rule="port"
    )


def test_deeply_nested_input(grammar: str) -> None:
    deep = "(" * 300 + ")" * 300
    result = run("parse", "--grammar", grammar, "--rule", "nest", deep)
    assert result.exit_code == 0
    assert "(level " in result.stdout


def test_passwords_are_masked_on_request() -> None:
    masks_passwords_when_asked("parse")


def test_a_masked_string_need_not_be_valid_itself(tmp_path: Path) -> None:
    path = tmp_path / "letters.abnf"
    path.write_text('login = "//" 1*ALPHA ":" 1*ALPHA "@" 1*ALPHA\n')
    masked = ("parse", "--mask-passwords", "--grammar", str(path), "//me:secret@h")
    assert run(*masked).stdout.startswith('login  "//me:******@h"  0-')
    [record] = map(json.loads, run(*masked, "--format", "json").stdout.splitlines())
    assert record["valid"] is True
    assert "secret" not in json.dumps(record)


def test_whole_files(json_grammar: str, tmp_path: Path, seen: Seen) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_bytes(b"[1,\n 2]\n")
    bad.write_bytes(b"[1,\n 2\n")
    arguments = ("parse", "--whole-file", "--grammar", json_grammar, str(good), str(bad))
    result = run(*arguments)
    assert result.exit_code == 1
    tree, explained = result.stdout.split("\n\n")
    assert tree.startswith(
        'JSON-text  "[1,\\n 2]\\n"  0-8\n├─ ws  ""  0-0\n├─ value › array  "[1,\\n 2]"  0-7\n'
    )
    seen(explained)
    valid, invalid = map(json.loads, run(*arguments, "--format", "json").stdout.splitlines())
    assert (valid["source"], valid["line"], valid["column"]) == (str(good), 1, 1)
    assert (valid["tree"]["start"], valid["tree"]["end"]) == (0, len(valid["input"]))
    assert (invalid["valid"], invalid["offset"], invalid["position"]) == (False, 7, {"line": 3, "column": 1})


def test_a_whole_file_with_its_line_ends_converted(tmp_path: Path, seen: Seen) -> None:
    path = tmp_path / "rules"
    path.write_bytes(b"a = b\nb = %x41\n")
    arguments = ("parse", "--grammar", "rfc5234", "--whole-file", "--format", "json", str(path))
    seen(run(*arguments).stderr)
    plain = json.loads(run(*arguments, "--newline", "crlf").stdout)
    assert (plain["newline"], plain["input"]) == ("crlf", "a = b\r\nb = %x41\r\n")
    assert [child["rule"] for child in plain["tree"]["children"]] == ["rule", "rule"]


@pytest.mark.parametrize("rule", ["URI & absolute-URI", "URI - relative-ref", "(URI).at_most(9)"])
def test_rules_as_sets_have_the_components_of_what_they_narrow(rule: str) -> None:
    result = run("parse", "--rule", rule, "--format", "json", "a:b")
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert data["components"]["scheme"] == "a"


def test_complements_have_none() -> None:
    result = run("parse", "--rule", "URI | ~URI", "a:b")
    assert "no rule" not in result.stderr


def test_derivation(seen: Seen) -> None:
    result = run("parse", "--rule", "port", "--format", "derivation", "8", "x")
    valid, invalid = result.stdout.split("\n\n")
    seen(valid.splitlines())
    seen(invalid)
    assert result.exit_code == 1
    assert run("parse", "--rule", "port", "--format", "derivation", "8").stdout == valid + "\n"
    rightmost = run("parse", "--rule", "port", "--format", "derivation", "--order", "rightmost", "80").stdout
    assert "DIGIT <DIGIT>" in rightmost


def test_derivation_as_json() -> None:
    [record] = map(
        json.loads,
        run("parse", "--rule", "port", "--format", "json", "--order", "leftmost", "8").stdout.splitlines(),
    )
    assert record["order"] == "leftmost"
    assert record["derivation"] == [
        {"rule": "port", "start": 0, "end": 1, "by": [{"rule": "DIGIT", "start": 0, "end": 1}]},
        {"rule": "DIGIT", "start": 0, "end": 1, "by": [{"text": "8", "start": 0, "end": 1}]},
    ]


def test_derivations(tmp_path: Path, seen: Seen) -> None:
    path = tmp_path / "sums.abnf"
    path.write_text('e = e "+" e / "1"\na = a / "x"\n')
    text = run("parse", "--grammar", str(path), "--format", "derivations", "--count", "3", "1+1+1+1").stdout
    assert text.startswith('"1+1+1+1"  5 derivations from e\n')
    assert ("derivation 3" in text, "derivation 4" in text) == (True, False)
    [record] = map(
        json.loads,
        run(
            "parse",
            "--grammar",
            str(path),
            *("--format", "json", "--count", "9"),
            "1+1+1+1",
        ).stdout.splitlines(),
    )
    assert (record["count"], len(record["derivations"])) == (5, 5)
    assert record["derivations"][0] == record["tree"]
    endless = run(
        "parse", "--grammar", str(path), "--rule", "a", "--format", "derivations", "--count", "2", "x"
    ).stdout
    seen(endless)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--format", "derivation", "--count", "2"),
        ("--format", "tree", "--order", "leftmost"),
        ("--format", "derivations", "--count", "0"),
    ],
)
def test_options_that_contradict_one_another(arguments: tuple[str, ...]) -> None:
    assert run("parse", *arguments, "a:b").exit_code == 2


def test_pictures() -> None:
    picture = run("parse", "--format", "svg", "a:b").stdout
    assert picture == run("parse", "--format", "svg", "a:b").stdout
    assert picture.startswith("<svg ")
    masked = run("parse", "--mask-passwords", "--format", "html", "http://me:secret@h/").stdout
    assert "me:******@h" in masked
    assert "secret" not in masked


def test_trace(seen: Seen) -> None:
    result = run("parse", "--format", "trace", "http://1.2.3.4.5/", "x y")
    seen(result.stdout)
    assert result.exit_code == 1
    masked = run("parse", "--format", "trace", "--mask-passwords", "http://me:secret@1.2.3.4.5/").stdout
    assert "secret" not in masked


def test_parameters_and_domains(tmp_path: Path, seen: Seen) -> None:
    (tmp_path / "list.dat").write_text("com\nco.uk\n")
    options = ["--suffixes", str(tmp_path / "list.dat"), "--query-parameters"]
    text = "http://www.a.co.uk/?a=1&b&c=%41+d"
    seen(run("parse", text, *options, "exact").stdout)
    [found] = [json.loads(run("parse", text, *options, "decoded", "--format", "json").stdout)["components"]]
    assert found["registrable_domain"] == "a.co.uk"
    assert found["query_parameters"][1:] == [{"name": "b", "value": ""}, {"name": "c", "value": "A d"}]
    [found] = [
        json.loads(run("parse", "a:?b=%FF", *options, "decoded", "--format", "json").stdout)["components"]
    ]
    assert (found["registrable_domain"], found["query_parameters"]) == (None, None)
    fails(run("parse", "-g", "rfc5321", "a@b.c", *options, "exact"), "components-unavailable")
    (tmp_path / "list.dat").write_text("a..b\n")
    fails(run("parse", text, *options, "exact"), "suffix-malformed")
