"""Write exercises: TOML with or without solutions, and Moodle XML.

Moodle cannot grade a grammar. Each exercise becomes an essay, whose notes for graders have the solution.
It also becomes a quiz about valid strings, which Moodle grades. The strings that decide between right and
wrong rules are in the feedback after an attempt only. Source: docs.moodle.org, "Moodle XML format".
"""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator
from html import escape as safe
from xml.etree import ElementTree

from abnforge.comparison.rules import compare, quoted
from abnforge.errors import GrammarError
from abnforge.teaching.exercises import (
    ALLOWED,
    Exercise,
    load_misconception,
    reference,
    seal,
)
from abnforge.text import escape

_KEYS = ("id", "title", "level", "lesson", "task", "rule", "hints", "valid", "invalid", "imports")


def to_toml(exercises: Iterable[Exercise], sealed: bool = True) -> str:
    """Return exercises as TOML for students, with solutions that ``seal`` wrote. Raises GrammarError.

    If not ``sealed``, return TOML for teachers, with references and misconceptions.
    """
    return "\n".join("\n".join(_table(each, sealed)) + "\n" for each in exercises)


def _table(exercise: Exercise, sealed: bool) -> Iterator[str]:
    yield "[[exercise]]"
    for key in _KEYS:
        if value := getattr(exercise, key):
            yield f"{key} = {_value(value)}"
    if exercise.allow != ALLOWED:
        yield f"allow = {_value(exercise.allow)}"
    if sealed:
        yield f"sealed = {_value(seal(exercise))}"
        return
    yield f"reference = {_abnf(exercise.reference)}"
    for each in exercise.misconceptions:
        yield f"\n[[exercise.misconception]]\nabnf = {_abnf(each.abnf)}\nwhy = {_value(each.why)}"


def _value(value: object) -> str:
    """Return a value of TOML. Its strings are those of JSON, except for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _abnf(text: str) -> str:
    """Return rules as a string of TOML, without escapes if they fit on a line without apostrophes."""
    line = text.strip()
    return f"'{line}'" if "'" not in line and line.isprintable() else _value(text)


def to_moodle(exercises: Iterable[Exercise], playground: str | None = None) -> str:
    """Return exercises as Moodle XML, in a category for each lesson.

    Each essay links to its exercise in a ``playground``, an address. Raises GrammarError.
    """
    quiz = ElementTree.Element("quiz")
    lesson = None
    for each in exercises:
        if each.lesson != lesson:
            lesson = each.lesson
            question = ElementTree.SubElement(quiz, "question", type="category")
            _text(question, "category", f"$course$/ABNF/{lesson.replace('/', '//')}")
        _essay(quiz, each, playground)
        _choice(quiz, each)
    ElementTree.indent(quiz)
    return ElementTree.tostring(quiz, encoding="unicode", xml_declaration=True) + "\n"


def link(exercise: Exercise, playground: str) -> str:
    """Return the address of an exercise in a playground: deflated JSON in base64url (``web/state.js``)."""
    state = {"grammar": f"{exercise.rule} = ", "tab": "exercises", "exercise": exercise.id}
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    octets = compressor.compress(json.dumps(state).encode()) + compressor.flush()
    return f"{playground.partition('#')[0]}#s={urlsafe_b64encode(octets).decode().rstrip('=')}"


def _text(parent: ElementTree.Element, tag: str, text: str, **attributes: str) -> ElementTree.Element:
    element = ElementTree.SubElement(parent, tag, attributes)
    # XML cannot contain control characters
    ElementTree.SubElement(element, "text").text = "\n".join(map(escape, text.split("\n")))
    return element


def _question(
    quiz: ElementTree.Element, exercise: Exercise, kind: str, name: str, html: str
) -> ElementTree.Element:
    question = ElementTree.SubElement(quiz, "question", type=kind)
    _text(question, "name", name)
    _text(question, "questiontext", html, format="html")
    ElementTree.SubElement(question, "idnumber").text = f"abnf-{exercise.id}-{kind}"
    return question


def _essay(quiz: ElementTree.Element, exercise: Exercise, playground: str | None) -> None:
    rows = [f"<p>{safe(exercise.task)}</p>", f"<p>rule: <code>{safe(exercise.rule)}</code></p>"]
    if playground is not None:
        rows.append(f'<p><a href="{safe(link(exercise, playground))}">playground</a></p>')
    question = _question(quiz, exercise, "essay", exercise.title, "\n".join(rows))
    _text(question, "generalfeedback", _deciding(exercise), format="html")
    ElementTree.SubElement(question, "defaultgrade").text = str(exercise.level)
    ElementTree.SubElement(question, "responseformat").text = "monospaced"
    _text(question, "responsetemplate", f"; exercise: {exercise.id}\n{exercise.rule} = ", format="plain_text")
    _text(question, "graderinfo", f"<pre>{safe(exercise.reference)}</pre>", format="html")


def _deciding(exercise: Exercise) -> str:
    """Return the strings of a task, and those that separate misconceptions from the reference, as HTML."""
    required = reference(exercise)
    texts = dict.fromkeys((*exercise.valid, *exercise.invalid))
    for number in range(len(exercise.misconceptions)):
        try:
            difference = compare(load_misconception(exercise, number), required)
        except GrammarError:
            continue
        found = (difference.only_left, difference.only_right)
        texts |= dict.fromkeys(each for each in found if each is not None)
    rows = []
    for label, verdict in (("valid", True), ("invalid", False)):
        codes = [f"<code>{safe(quoted(each))}</code>" for each in texts if required.matches(each) is verdict]
        rows += [f"<p>{label}: {', '.join(codes)}</p>"] if codes else []
    return "\n".join(rows)


def _choice(quiz: ElementTree.Element, exercise: Exercise) -> None:
    """Add a quiz about the strings of a task, if it has both kinds."""
    if not exercise.valid or not exercise.invalid:
        return
    html = f"<p>{safe(exercise.task)}</p><p>Select all valid strings.</p>"
    question = _question(quiz, exercise, "multichoice", f"{exercise.title}: strings", html)
    for tag, value in (("single", "false"), ("shuffleanswers", "true"), ("answernumbering", "none")):
        ElementTree.SubElement(question, tag).text = value
    for sign, label, texts in ((100, "valid", exercise.valid), (-100, "invalid", exercise.invalid)):
        for text in dict.fromkeys(texts):
            answer = _text(question, "answer", f"<code>{safe(quoted(text))}</code>", format="html")
            answer.set("fraction", f"{sign / len(dict.fromkeys(texts)):.5f}")
            _text(answer, "feedback", label, format="html")
