"""Exercises for students: sealed solutions, and Moodle XML."""

from __future__ import annotations

import json
import re
import tomllib
import zlib
from base64 import b64encode, urlsafe_b64decode
from dataclasses import replace
from html import escape as safe
from xml.etree import ElementTree

import pytest

from abnforge.comparison.rules import compare, quoted
from abnforge.teaching.exercises import MOST_SEALED, exercises, read_exercises, reference, seal, verify
from abnforge.teaching.exports import link, to_moodle, to_toml
from abnforge.teaching.grading import grade
from tests.law import one_in
from tests.raising import raises

KNOWN = {each.id: each for each in exercises()}
CODE = re.compile("<code>.*?</code>")
RECURSIVE = {"balanced", "sums"}
SOME = [KNOWN[name] for name in ("pin", "quoted", "method", "balanced")]


@pytest.mark.parametrize("name", one_in(6, KNOWN))
def test_a_sealed_exercise_has_the_same_strings(name: str) -> None:
    exercise = KNOWN[name]
    (sealed,) = read_exercises(to_toml([exercise]))
    verify(sealed)
    assert sealed.sealed
    assert sealed.to_dict() == exercise.to_dict()
    assert bool(sealed.reference) is (name not in RECURSIVE)
    if sealed.reference:
        assert compare(reference(sealed), reference(exercise)).relation == "equal"
        assert sealed.misconceptions == exercise.misconceptions


def test_a_file_for_students_shows_no_solution() -> None:
    text = to_toml([KNOWN["room"]])
    (table,) = tomllib.loads(text)["exercise"]
    assert not {"reference", "misconception"} & set(table)
    for hidden in ("building", "2DIGIT", "Square brackets"):
        assert hidden not in text
    assert "building" not in read_exercises(text)[0].reference  # the rules of the lecturer are lost


def test_grades_of_sealed_exercises() -> None:
    for name, answer in (
        ("room", 'room = ALPHA 1*2DIGIT "-" ALPHA'),
        ("time-24", 'time = 2DIGIT ":" 2DIGIT'),
    ):
        (sealed,) = read_exercises(to_toml([KNOWN[name]]))
        own, result = grade(KNOWN[name], answer), grade(sealed, answer)
        assert (result.verdict, result.mistake) == (own.verdict, own.mistake)
        assert result.witness is not None is not own.witness
        assert result.witness.text == own.witness.text
        assert f"{KNOWN[name].rule}-" not in result.witness.reason


@pytest.mark.parametrize(
    "sealed",
    ["x", "e30=", "eJxLTEoGAAJNASc=", 7, seal(KNOWN["pin"])[:-8], ""],
)
def test_damaged_solutions(sealed: object) -> None:
    table = f"""
[[exercise]]
id = "a"
title = "A"
level = 1
lesson = "a"
task = "a"
rule = "a"
sealed = {json.dumps(sealed)}
"""
    if sealed == "":
        assert read_exercises(table)[0].reference == ""
    else:
        with raises(ValueError, "exercise-sealed"):
            read_exercises(table)
    with raises(ValueError, "exercise-sealed"):
        read_exercises(f"{table}reference = 'a = DIGIT'\n")


def test_a_solution_that_is_too_large_when_decompressed() -> None:
    plain = json.dumps({"reference": "a" * (MOST_SEALED + 1), "misconception": []})
    text = to_toml([KNOWN["pin"]]).replace(
        seal(KNOWN["pin"]), b64encode(zlib.compress(plain.encode())).decode()
    )
    with raises(ValueError, "exercise-sealed"):
        read_exercises(text)


def test_questions_for_moodle() -> None:
    quiz = ElementTree.fromstring(to_moodle(SOME, "https://example.org/play/#old"))
    kinds = [each.get("type") for each in quiz]
    assert kinds.count("category") == len({each.lesson for each in SOME})
    assert kinds.count("essay") == kinds.count("multichoice") == len(SOME)
    for question in quiz.iterfind("question[@type='essay']"):
        exercise = KNOWN[question.findtext("idnumber", "").removeprefix("abnf-").removesuffix("-essay")]
        assert question.findtext("defaultgrade") == str(exercise.level)
        assert question.findtext("graderinfo/text", "").startswith("<pre>")
        assert question.findtext("responsetemplate/text", "").endswith(f"{exercise.rule} = ")
        shown = question.findtext("questiontext/text", "")
        assert not {f"<code>{safe(quoted(each))}</code>" for each in exercise.invalid} & set(
            CODE.findall(shown)
        )
        after = CODE.findall(question.findtext("generalfeedback/text", ""))
        assert {f"<code>{safe(quoted(each))}</code>" for each in exercise.valid + exercise.invalid} < {*after}
    for question in quiz.iterfind("question[@type='multichoice']"):
        exercise = KNOWN[question.findtext("idnumber", "").removeprefix("abnf-").removesuffix("-multichoice")]
        verdicts = [
            (each.findtext("text"), each.findtext("feedback/text")) for each in question.iterfind("answer")
        ]
        assert verdicts == [
            (f"<code>{safe(quoted(text))}</code>", label)
            for label, texts in (("valid", exercise.valid), ("invalid", exercise.invalid))
            for text in texts
        ]
        fractions = [float(each.get("fraction", "")) for each in question.iterfind("answer")]
        assert sum(each for each in fractions if each > 0) == pytest.approx(100, abs=0.01)
        assert sum(each for each in fractions if each < 0) == pytest.approx(-100, abs=0.01)


def test_strings_that_xml_cannot_contain() -> None:
    exercise = replace(KNOWN["pin"], task="<b>\0</b> & ]]>", invalid=("\0", "</code>"))
    (*_, choice) = ElementTree.fromstring(to_moodle([exercise]))
    assert choice.findtext("questiontext/text", "").startswith("<p>&lt;b&gt;\\0&lt;/b&gt;")


def test_links_to_a_playground() -> None:
    address, _, payload = link(KNOWN["pin"], "https://example.org/play/").partition("#s=")
    octets = urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
    state = json.loads(zlib.decompress(octets, wbits=-zlib.MAX_WBITS))
    assert (address, state["tab"], state["exercise"]) == ("https://example.org/play/", "exercises", "pin")
