"""Every function for grammar files accepts documents, with positions in the document."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import abnforge
from abnforge.grammar.files import is_document, read_grammar
from tests.raising import raises

RFC = """\
Network Working Group

1.  Syntax

   Prose.

      pair = name "=" value{}

      name = 1*ALPHA
      value = 1*DIGIT

Someone                     Standards Track                    [Page 1]
"""
XML = """\
<rfc>
<sourcecode type="abnf">
   pair = name "=" &lt;value&gt;{}
   name = 1*ALPHA
   value = 1*DIGIT
</sourcecode></rfc>
"""
MARKDOWN = (
    '# 1. Syntax\n\n- x\n\n  ```abnf\n  pair = name "=" value{}\n  name = 1*ALPHA\n  value = 1*DIGIT\n  ```\n'
)
HTML = '<pre class="abnf">\n   pair = name "=" value{}\n   name = 1*ALPHA\n   value = 1*DIGIT\n</pre>\n'
DOCUMENTS = {"a.txt": RFC, "a.xml": XML, "a.md": MARKDOWN, "a.html": HTML}


def file(folder: Path, name: str, more: str = "") -> Path:
    path = folder / name
    path.write_text(DOCUMENTS[name].replace("{}", more), "utf-8")
    return path


def place(path: Path, text: str) -> tuple[int, int]:
    lines = path.read_text("utf-8").split("\n")
    return next((number, line.index(text) + 1) for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_loads(tmp_path: Path, name: str) -> None:
    grammar = abnforge.load(file(tmp_path, name))
    assert [rule.name for rule in grammar.own_rules] == ["pair", "name", "value"]
    assert grammar.name == "a"
    assert grammar["pair"].matches("a=1")
    assert pickle.loads(pickle.dumps(grammar))["pair"].matches("a=1")
    assert abnforge.load(str(tmp_path / name)).start.name == "pair"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_errors_and_findings_have_the_places_of_the_document(tmp_path: Path, name: str) -> None:
    path = file(tmp_path, name, " missing-rule")
    line, column = place(path, "missing-rule")
    with pytest.raises(abnforge.GrammarError) as caught:
        abnforge.load(path)
    error = caught.value
    assert (error.path, error.line, error.column, error.code) == (str(path), line, column, "undefined-rule")
    shown = str(error).split("\n")
    assert shown[1].strip() == path.read_text("utf-8").split("\n")[line - 1].strip()
    [finding] = [each for each in abnforge.lint(path) if each.name == "undefined-rule"]
    assert (finding.line, finding.column, finding.excerpt.strip()) == (line, column, shown[1].strip())


@pytest.mark.parametrize("name", DOCUMENTS)
def test_edits_are_those_of_the_document(tmp_path: Path, name: str) -> None:
    path = file(tmp_path, name, " valeu")
    text = path.read_text("utf-8")
    [finding] = [each for each in abnforge.lint(path) if each.edits]
    [edit] = finding.edits
    assert text[edit.start : edit.end] == "valeu"
    assert edit.text == "value"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_can_be_imported(tmp_path: Path, name: str) -> None:
    path = file(tmp_path, name)
    grammar = abnforge.loads('list = pair *( "," pair )\n', imports=[path])
    assert grammar["list"].matches("a=1,b=2")
    again = tmp_path / "b.abnf"
    again.write_text(f";@ import ./{name}\nlist = pair\n", "utf-8")
    assert abnforge.load(again)["list"].matches("a=1")


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ('a = "b"\n', False),
        ('a = "b\n', False),
        ("; Abstract\na = b /\n", False),
        ("Abstract\n\n   a = %x61\n", True),
        ("1.  Introduction\n\n   a = %x61\n", True),
        ("Internet-Draft                 Title                  May 2024\n\n   a = %x61\n", True),
        ("   a = %x61\n\nSomeone    [Page 3]\n", True),
        ("", False),
    ],
)
def test_a_plain_text_is_a_grammar_or_a_document(tmp_path: Path, text: str, document: bool) -> None:
    assert is_document(text) == document
    path = tmp_path / "a.txt"
    path.write_text(text, "utf-8")
    assert isinstance(read_grammar(path), str) == (not document)
    path = tmp_path / "a.abnf"
    path.write_text(text, "utf-8")
    assert read_grammar(path) == text


@pytest.mark.parametrize(
    ("name", "text", "error_code"),
    [
        ("a.md", "# Title\n\nNo code.\n", "document-without-abnf"),
        ("a.txt", "Abstract\n\n   Prose.\n", "document-without-abnf"),
        ("a.html", "", "document-without-abnf"),
        ("a.xml", "<rfc>", "xml-malformed"),
    ],
)
def test_a_document_without_abnf(tmp_path: Path, name: str, text: str, error_code: str) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    with raises(abnforge.GrammarError, error_code) as caught:
        abnforge.load(path)
    assert caught.value.path == str(path)
    assert [each.severity for each in abnforge.lint(path)] == ["error"]
