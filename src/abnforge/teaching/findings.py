"""Return the errors of an answer that cannot be loaded, with fixes that suit the exercise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from abnforge.budget import DEFAULT, Budget
from abnforge.catalog import Message
from abnforge.errors import GrammarError
from abnforge.grammar.messages import message as grammar_message
from abnforge.grammar.parser import core_rules
from abnforge.linting.finding import ERROR, Finding, from_error
from abnforge.linting.source import lint
from abnforge.rejection import Edit
from abnforge.teaching.exercises import IMPORTS, MOST, Exercise, reference
from abnforge.teaching.messages import message
from abnforge.teaching.vocabulary import literals_of, signs_in

# Errors about a sign that is notation, or is not; those that end in -misplaced are the others.
_ABOUT_SIGNS = frozenset(
    {"alternative-empty", "comma-ambiguous", "comment-hash", "hyphen-between-counts", "hyphen-between-rules"}
)

_SET = re.compile(r'\[([^\[\]\s"]{2,12})\](\??)')  # a set of characters in a regular expression

_BETWEEN_STRINGS = re.compile(r'"[ \t]*,[ \t]*(?:%[si])?"')

_NUMBERS = re.compile(r"(?<![\w%])\d+[ \t]*-[ \t]*\d+(?!\w)")  # a range of numbers


def findings(
    exercise: Exercise, text: str, error: GrammarError, budget: Budget | None
) -> tuple[Finding, ...]:
    """Return the errors of an answer: those of the linter, which have edits, or a missing rule."""
    literals = literals_of(reference(exercise))
    if len(text) <= MOST and error.code != "prose-val":
        linted = lint(text, imports=exercise.imports, budget=budget or DEFAULT)
        errors = [_fitted(each, exercise, text, literals) for each in linted if each.severity == ERROR]
        errors = [each for each in errors if getattr(each.message, "code", "") != "string-case"] or errors
        if errors:
            return tuple({(each.line, each.column, each.message): each for each in errors}.values())
    return tuple(_fitted(from_error(each), exercise, text, literals) for each in error.errors)


@dataclass(frozen=True, slots=True)
class _Place:
    """A finding about an answer; ``start`` is its offset. ``literals`` are those of the reference.

    ``signs`` are signs that the task requires, and that the answer does not quote.
    """

    finding: Finding
    exercise: Exercise
    text: str
    start: int
    literals: set[str]
    signs: set[str]

    @property
    def code(self) -> str:
        return getattr(self.finding.message, "code", "")

    @property
    def data(self) -> Mapping[str, Any]:
        return getattr(self.finding.message, "data", {})


_Fix = tuple[Message, tuple[Edit, ...]]


def _fitted(finding: Finding, exercise: Exercise, text: str, literals: set[str]) -> Finding:
    """Return a finding about an answer with a fix that suits the exercise.

    ``literals`` are those of the reference. A sign that the task requires, and that the answer does not
    quote, is a character. The fix is neither a forbidden import or directive, nor a name for a single letter.
    """
    signs = signs_in(literals) - {*"".join(re.findall(r'"[^"\n]*"', text))}
    start = sum(len(line) + 1 for line in text.split("\n")[: finding.line - 1]) + finding.column - 1
    place = _Place(finding, exercise, text, start, literals, signs)
    fixes = (each(place) for each in (_set_fix, _number_fix, _sign_fix, _notation_fix, _name_fix))
    fixed, edits = next(filter(None, fixes), (finding.message, finding.edits))
    kept = tuple(each for each in edits if each.text != '%s"')  # the case of a string is for the task to say
    return replace(finding, message=fixed, edits=kept)


def _set_fix(place: _Place) -> _Fix | None:
    """Return the fix of a regular expression for a set of signs of the task."""
    if place.code == "markdown-escape":
        char = place.data["char"]
        return grammar_message("set-of-regex", set=f"\\{char}", written=f'"{char}"'), ()
    found = _SET.finditer(place.text) if place.code.endswith("-misplaced") else ()
    chosen = next((each for each in found if each.start() < place.start < each.end()), None)
    if chosen is None or not {*chosen[1].lower()} - {*"/|"} <= place.literals:
        return None
    ways = " / ".join(f'"{char}"' for char in dict.fromkeys(chosen[1]) if char not in "/|")
    written = f"[ {ways} ]" if chosen[2] else f"( {ways} )"
    return grammar_message("set-of-regex", set=chosen[0], written=written), ()


def _number_fix(place: _Place) -> _Fix | None:
    """Return the fix of a count in another notation, or of a count or range that means numbers."""
    count = re.fullmatch(r"(\d+)\*(\d+)", place.data.get("repeat", ""))
    if count and place.code in ("repeat-spaced", "repeated-element-missing"):
        return message("count-of-numbers", part=count[0], low=count[1], high=count[2]), ()
    data, rest = place.data, place.text[place.start :]
    if place.code == "repeat-in-braces" and (name := re.match(r"\{[^}]*\}([A-Za-z][\w-]*)", rest)):
        return message("count-after", written=f"{data['written']}{name[1]}"), ()
    if place.code == "repeat-of-nothing" and re.search(r"/[ \t]*\d+[ \t]*\)?[A-Za-z(]", rest):
        return grammar_message("repeated-element-missing", repeat=data["count"]), ()  # not the digit itself
    around = _NUMBERS.finditer(place.text) if place.code == "hyphen-misplaced" else ()
    between = next((each for each in around if each.start() < place.start < each.end()), None)
    return (message("range-of-numbers", part=between[0]), ()) if between else None


def _sign_fix(place: _Place) -> _Fix | None:
    """Return the fix of a sign of the task without quotes."""
    sign, text = place.text[place.start : place.start + 1], place.text
    is_misplaced = place.code in _ABOUT_SIGNS or place.code.endswith("-misplaced")
    if sign not in place.signs or not is_misplaced:
        return None
    spans = [(each.start, each.end) for each in place.finding.edits] or [(place.start, place.start + 1)]
    edits = tuple(Edit(*span, _spaced(f'"{sign}"', text, *span)) for span in spans)
    return message("sign-unquoted", sign=sign), edits


def _notation_fix(place: _Place) -> _Fix | None:
    """Return the fix of notation that has another meaning in an exercise."""
    text, start, edits = place.text, place.start, place.finding.edits
    match place.code:
        case "braces":
            return grammar_message("braces", written=place.data["written"].replace('%s"', '"')), edits
        case "rule-prose" if "<" in place.signs:
            return message("notation-unquoted", place="", part=f"<{place.data['text']}>", sign="<"), edits
        case "comma-misplaced" if _BETWEEN_STRINGS.match(text, len(text[:start].rstrip()) - 1):
            return grammar_message("comma-ambiguous"), ()
        case "hyphen-between-rules":
            return grammar_message("caret-misplaced", found="-"), edits
    return None


def _name_fix(place: _Place) -> _Fix | None:
    """Return the fix of a name that no rule has."""
    if place.code != "rule-undefined":
        return None
    name, literals, edits = place.data["name"], place.literals, place.finding.edits
    is_import = "import-possible" in (each.code for each in place.data["hints"])
    if "-" in name and "-" in place.signs:
        hint = message("sign-as-text", sign="-")
    elif (counted := re.fullmatch(r"(.*\D)(\d+)", name)) and counted[1].lower() in core_rules():
        hint, edits = message("count-after", written=f"{counted[2]}{counted[1]}"), ()
    elif f"[{name}]" in place.text and {*name.lower()} <= literals - {name.lower()}:
        ways = " / ".join(f'"{letter}"' for letter in name)
        return grammar_message(
            "set-or-option", found=f"[{name}]", set=f"( {ways} )", option=f'["{name}"]'
        ), ()
    elif len(name) == 1 or (is_import and IMPORTS not in place.exercise.allow):
        hint = grammar_message("name-as-text", name=name)
    else:
        return None
    return grammar_message("rule-undefined", name=name, hints=(hint,)), edits


def _spaced(element: str, text: str, start: int, end: int) -> str:
    """Return an element with spaces next to other elements of an answer."""
    before, after = ("" if not text[at : at + 1].strip(" ()[]/\n") else " " for at in (start - 1, end))
    return f"{before}{element}{after}"
