"""The answers of a class: missing, late, several and similar answers, points, and pages."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest

from abnforge.cli.common.exercises import Graded, exercises, graded
from abnforge.cli.output.gradebook import SIMILAR, gradebook, plain, student, student_pages
from tests.cli.command import answers, run

KNOWN = exercises(None)
LONG = 'ticket = (("F" / "B") DIGIT / "E" 2DIGIT) ["R"]\n'
RENAMED = '; my answer\nTicket = start [ "r" ]\nSTART = (("f" / "b") DIGIT / "e" 2DIGIT)\n'
COPIED = 'ticket = x ["R"]\nx = (("F"/"B") DIGIT / "E" 2DIGIT)\n'
ANSWERS = {
    "anna/pin.abnf": "pin = 4*6DIGIT\n",
    "anna/old.abnf": "; exercise: pin\npin = 4*5DIGIT\n",
    "anna/flight.abnf": RENAMED,
    "bob/flight.abnf": COPIED,
    "carl/pin.abnf": "pin = 4*6DIGIT\n",
    "carl/x.abnf": "x = DIGIT\n",
    "dora/flight.abnf": LONG,
}


def test_cells() -> None:
    results = [graded(KNOWN, file, text, None, None, advice=False) for file, text in ANSWERS.items()]
    book = gradebook(results, ["eve"], [KNOWN["point"]])
    assert list(book) == ["anna", "bob", "carl", "dora", "eve"]
    shown = {name: [cell.text for cell in cells] for name, cells in book.items()}
    assert [cell.exercise.id for cell in book["anna"]] == ["point", "pin", "flight"]
    assert shown == {
        "anna": ["-", "1+", "3="],
        "bob": ["-", "-", "3="],
        "carl": ["-", "1", "-"],
        "dora": ["-", "-", "3"],
        "eve": ["-", "-", "-"],
    }
    assert book["anna"][2].similar_to == ("bob",)


def test_problems_are_not_missing_answers() -> None:
    """An answer that cannot be graded belongs to the exercise that its name announces."""
    results = [Graded(file, None, "a problem") for file in ("anna/pin.abnf", "bob/pin.abnf", "bob/x.abnf")]
    results.append(Graded("loose.abnf", None, "a problem"))  # of no student
    results.append(graded(KNOWN, "bob/PIN.txt", "pin = 4*6DIGIT\n", None, None, advice=False))
    book = gradebook(results, [], [KNOWN["pin"]])
    assert {name: cells[0].text for name, cells in book.items()} == {"anna": "0?", "bob": "1+"}
    pytest.importorskip("jinja2")
    pages = {name: "".join(pieces) for name, pieces in student_pages(results, [], [KNOWN["pin"]])}
    assert "pin.abnf" in pages["anna"]
    assert "Not graded" not in pages["anna"]
    assert "bob/x.abnf: a problem" in pages["bob"]
    assert all('class="bad"' not in page for page in pages.values())


def test_the_solution_is_not_similar() -> None:
    files = ("anna/flight.abnf", "bob/flight.abnf")
    text = KNOWN["flight"].reference.upper()
    book = gradebook([graded(KNOWN, each, text, None, None, advice=False) for each in files], [], [])
    assert [cell.text for cells in book.values() for cell in cells] == ["3", "3"]


def test_plain_answers() -> None:
    assert plain(RENAMED) == plain(COPIED) != plain(LONG)
    assert len(plain("pin = 4*6DIGIT")) < SIMILAR
    assert plain('a = "b;c" ; d') == '#0="b;c"'
    assert plain('a = "a" a') == '#0="a"#0'
    assert (student("anna/pin.abnf"), student("pin.abnf")) == ("anna", "pin.abnf")


def test_a_class(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    folder, pages = tmp_path / "class", tmp_path / "pages"
    for name, text in ANSWERS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (0, 0))
    (folder / "eve<b>").mkdir()
    os.utime(folder / "carl/pin.abnf")
    due = datetime.fromtimestamp(1000).strftime("%Y-%m-%dT%H:%M")
    result = run(
        "exercise", "check", "--all", str(folder), "--due", due, "-f", "matrix", "--pages", str(pages)
    )
    assert result.exit_code == 2  # an answer is not graded
    rows = {line.split()[0]: line.split()[1:] for line in result.stdout.splitlines()[:6]}
    assert rows["student"] == ["flight", "pin", "points"]
    assert rows["carl"] == ["-", "1!", "1"]
    assert rows["anna"] == ["3=", "1+", "4"]
    assert rows["eve<b>"] == ["-", "-", "0"]
    assert sorted(path.stem for path in pages.iterdir()) == ["anna", "bob", "carl", "dora", "eve<b>"]
    text = (pages / "anna.html").read_text()
    assert "4 of 4 points" in text
    assert "bob" not in text
    assert "eve&lt;b&gt;" in (pages / "eve<b>.html").read_text()


def test_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    pages = "--pages", str(tmp_path / "ada")
    answers(["exercise", "check", "--all", str(tmp_path), *pages], 2, "", "pages-in-class")
    for option in (("--due", "2026-11-30"), ("--pages", "x")):
        assert run("exercise", "check", *option, "-e", "pin", "-", stdin="pin = 4*6DIGIT\n").exit_code == 2
