"""Exercises in TOML: those that are shipped, and those that teachers write.

Here is an example::

    [[exercise]]
    id = "time-24"
    title = "24-hour times"
    level = 2                    # 1 (easy) to 5 (hard)
    lesson = "ranges, literals and case"
    task = "Write a rule for hours and minutes, from 00:00 to 23:59."
    rule = "time"                # the rule that an answer defines
    reference = '''
    time = ( ( "0" / "1" ) DIGIT / "2" %x30-33 ) ":" %x30-35 DIGIT
    '''
    hints = ["Which digits follow a 2?", "Write the hours as two alternatives."]
    valid = ["00:00", "23:59"]
    invalid = ["24:00", "7:30"]
    imports = ["rfc3986"]        # built-in grammars whose rules an answer can use (default: none)
    allow = ["core-rules"]       # notation that an answer can use (default: this list)

    [[exercise.misconception]]
    abnf = 'time = 2DIGIT ":" 2DIGIT'
    why = "2DIGIT matches 00 to 99."

The keys up to ``reference`` are required. A file for students has ``sealed`` instead of ``reference`` and
misconceptions (``seal``). ``verify`` checks the grammars. ``PERMISSIONS`` lists the values of
``allow``.
"""

from __future__ import annotations

import json
import re
import tomllib
import zlib
from base64 import b64decode, b64encode
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from abnforge._arguments import instance_argument, plain_argument
from abnforge._lazy import NotebookView
from abnforge.budget import Budget
from abnforge.catalog import ArgumentError, Message
from abnforge.comparison.rules import compare, quoted
from abnforge.engine.loading import loads
from abnforge.engine.rule import Rule
from abnforge.engine.writing import abnf_of
from abnforge.errors import GrammarError, LimitExceeded, UnknownNameError
from abnforge.grammar.annotations import CHANGING_WORDS, import_directives
from abnforge.grammar.parser import core_rules
from abnforge.grammar.printer import print_rule
from abnforge.grammar.reader import read, read_partial
from abnforge.grammar.shipped import bundled_names
from abnforge.grammar.syntax import (
    Alternation,
    Element,
    Group,
    Option,
    RuleDefinition,
    Rulelist,
    RuleName,
    references,
)
from abnforge.records import attributes
from abnforge.teaching.messages import message
from abnforge.text import in_quotes, near_misses

LESSONS = (
    "rules and concatenation",
    "alternatives and groups",
    "repetition",
    "ranges, literals and case",
    "core rules",
    "names across documents",
    "ambiguity and first match",
    "from grammar to validator",
)
"""The lessons that the shipped exercises belong to, in order. A teacher's exercises can belong to others."""

_PAGES = "1-rules 2-alternatives 3-repetition 4-ranges 5-core-rules 6-names 7-ambiguity 8-validator"
PAGES = dict(zip(LESSONS, _PAGES.split(), strict=True))
"""The pages of the lessons in docs/tutorial/, without the suffix."""

LEVELS = range(1, 6)

ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)

_TEXTS = ("id", "title", "lesson", "task", "rule", "reference")
_LISTS = ("hints", "valid", "invalid", "imports")
_KEYS = tuple(sorted((*_TEXTS, *_LISTS, "allow", "level", "misconception", "sealed")))
MOST_SEALED = 1_000_000  # maximum length of a sealed solution, in bytes

CORE_RULES, DIRECTIVES, IMPORTS = "core-rules", "directives", "imports"
PERMISSIONS = (CORE_RULES, DIRECTIVES, IMPORTS)
"""Notation that an exercise can allow: core rules; ``;@`` directives that change the strings of a rule;
imports of any built-in grammar. Without permission to import, an answer can import the exercise's
``imports``. Examples (``;@ match``) are always allowed.
"""
ALLOWED = (CORE_RULES,)
"""The permissions of an exercise without ``allow``."""

_CHANGES = "|".join(CHANGING_WORDS)
_DIRECTIVE = re.compile(rf";@[ \t]*({_CHANGES})(?![A-Za-z0-9-])")


@dataclass(frozen=True, slots=True)
class Misconception:
    """A frequent wrong answer: ``abnf``, and ``why`` it is probably written."""

    abnf: str
    why: str


@dataclass(frozen=True, slots=True)
class Exercise(NotebookView):
    """A task, and its language, which ``rule`` in the grammar ``reference`` defines.

    ``level`` is from 1 (easy) to 5 (hard); ``hints`` are shown one after the other. The task shows the
    strings ``valid`` and ``invalid``. An answer can use the rules of the built-in grammars ``imports``, and
    the notation in ``allow`` (some of ``PERMISSIONS``). Neither the repr nor the notebook view reveals the
    answer. The reference of a ``sealed`` exercise is not the lecturer's; it is empty if the rule is not
    regular, and abnforge does not grade such an exercise.
    """

    id: str
    title: str
    level: int
    lesson: str
    task: str
    rule: str
    reference: str = field(repr=False)
    hints: tuple[str, ...] = field(default=(), repr=False)
    valid: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    allow: tuple[str, ...] = ALLOWED
    misconceptions: tuple[Misconception, ...] = field(default=(), repr=False)
    sealed: bool = False

    @property
    def page(self) -> str | None:
        """The page of the lesson in the documentation; None if the lesson is not one of ``LESSONS``."""
        return f"docs/tutorial/{PAGES[self.lesson]}.md" if self.lesson in PAGES else None

    def to_dict(self) -> dict[str, Any]:
        """Return the task as plain data, without hints and answers. Its keys are stable."""
        return {
            **attributes(self, "id title level lesson page task rule"),
            "valid": list(self.valid),
            "invalid": list(self.invalid),
            "imports": list(self.imports),
            "allow": list(self.allow),
            "hints": len(self.hints),
        }


@cache
def exercises() -> tuple[Exercise, ...]:
    """Return the shipped exercises, lesson by lesson, from easy to hard."""
    return read_exercises(files(__name__.rpartition(".")[0]).joinpath("exercises.toml").read_text("utf-8"))


def read_exercises(text: str, name: str = "exercises.toml") -> tuple[Exercise, ...]:
    """Return the exercises of a TOML document, which messages refer to as ``name``.

    Raises ArgumentError, which names the exercise and the key, for a document without valid exercises.
    """
    text, name = plain_argument(text, "text"), plain_argument(name, "name")
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArgumentError(message("exercises-not-toml", name=name, error=str(error))) from None
    entries = table.get("exercise")
    if set(table) - {"exercise"} or not isinstance(entries, list) or not entries:
        raise ArgumentError(message("exercises-not-tables", name=name))
    by_id: dict[str, Exercise] = {}
    for number, entry in enumerate(entries, 1):
        place = f"{name}: exercise {number}"
        if not isinstance(entry, Mapping):
            raise ArgumentError(message("exercise-not-table", place=place, type=type(entry).__name__))
        if isinstance(entry.get("id"), str):
            place = f"{name}: exercise {in_quotes(entry['id'])}"
        exercise = _exercise(entry, place)
        if exercise.id in by_id:
            raise ArgumentError(message("exercise-duplicate", place=place))
        by_id[exercise.id] = exercise
    return tuple(by_id.values())


def _exercise(entry: Mapping[str, Any], place: str) -> Exercise:
    if unknown := sorted(set(entry) - set(_KEYS)):
        near = tuple(near_misses(unknown[0], _KEYS))
        keys = () if near else _KEYS
        raise ArgumentError(
            message("exercise-key-unknown", place=place, key=unknown[0], near=near, keys=keys)
        )
    sealed = "sealed" in entry
    if sealed:
        entry = {**entry, **_unsealed(entry, place)}
    texts: dict[str, Any] = {
        key: "" if sealed and key == "reference" and not entry[key] else _text(entry, key, place)
        for key in _TEXTS
    }
    if not ID.fullmatch(texts["id"]):
        raise ArgumentError(message("exercise-id", place=place))
    level = entry.get("level")
    if type(level) is not int or level not in LEVELS:
        raise ArgumentError(message("exercise-level", place=place))
    lists: dict[str, Any] = {key: _texts(entry, key, place) for key in _LISTS}
    allow = _texts(entry, "allow", place) if "allow" in entry else ALLOWED
    if unknown := [each for each in allow if each not in PERMISSIONS]:
        near = tuple(near_misses(unknown[0], PERMISSIONS))
        raise ArgumentError(
            message("exercise-permission", place=place, value=unknown[0], near=near, known=PERMISSIONS)
        )
    tables = entry.get("misconception", [])
    if not isinstance(tables, list):
        raise ArgumentError(message("misconceptions-not-tables", place=place))
    misconceptions = tuple(
        _misconception(each, f"{place}: misconception {number}") for number, each in enumerate(tables, 1)
    )
    return Exercise(**texts, **lists, level=level, allow=allow, misconceptions=misconceptions, sealed=sealed)


def seal(exercise: Exercise) -> str:
    """Return the solution of an exercise in a form that an editor does not show: compressed, in base64.

    A minimal rule, written from the automaton, replaces the reference, so that no program can restore it. The
    result is empty if the reference is not regular, or too large. Raises GrammarError.
    """
    required = reference(exercise)
    try:
        rule = abnf_of(required.automaton, exercise.rule) if required.regular else ""
    except LimitExceeded:
        rule = ""
    if not 0 < len(rule) <= MOST:
        return ""
    plain = {
        "reference": rule,
        "misconception": [{"abnf": each.abnf, "why": each.why} for each in exercise.misconceptions],
    }
    return b64encode(zlib.compress(json.dumps(plain).encode(), 9)).decode()


def _unsealed(entry: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return the keys that ``seal`` wrote. Raises ArgumentError for other or damaged data."""
    if set(entry) & {"reference", "misconception"} or not isinstance(entry["sealed"], str):
        raise ArgumentError(message("exercise-sealed", place=place))
    if not entry["sealed"]:
        return {"reference": ""}
    try:
        decompressor = zlib.decompressobj()
        plain = json.loads(decompressor.decompress(b64decode(entry["sealed"], validate=True), MOST_SEALED))
        if not decompressor.eof:
            raise ValueError
        return {key: plain[key] for key in ("reference", "misconception")}
    except (ValueError, zlib.error, TypeError, KeyError, RecursionError):
        raise ArgumentError(message("exercise-sealed", place=place)) from None


def _misconception(entry: object, place: str) -> Misconception:
    if not isinstance(entry, Mapping) or set(entry) != {"abnf", "why"}:
        raise ArgumentError(message("misconception-keys", place=place))
    return Misconception(f"{_text(entry, 'abnf', place)}\n", _text(entry, "why", place))


def _text(entry: Mapping[str, Any], key: str, place: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ArgumentError(message("exercise-string", place=place, key=key))
    return value.strip() + ("\n" if key == "reference" else "")


def _texts(entry: Mapping[str, Any], key: str, place: str) -> tuple[str, ...]:
    value = entry.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ArgumentError(message("exercise-strings", place=place, key=key))
    return tuple(value)


# Load an answer as a rule. A student writes it, so it cannot read files, and has a budget.


MOST = 100_000  # maximum length of an answer; the longest reference has a few hundred characters
MOST_INLINED = 4  # maximum depth of inlined rules: a definition can double with each level


class NotAllowedError(GrammarError):
    """An answer that uses notation that its exercise does not allow."""


def load_answer(exercise: Exercise, text: str, budget: Budget | None = None) -> Rule:
    """Return the rule that an answer to an exercise defines.

    The answer cannot read files; nothing is cached on disk. Raises NotAllowedError for notation that the
    exercise does not allow; GrammarError for an answer that does not load, or does not define the rule.
    """
    allowed = bundled_names() if IMPORTS in exercise.allow else exercise.imports
    return _defined(exercise, text, budget, "answer", allowed)


def _check_notation(exercise: Exercise, rulelist: Rulelist, name: str, allowed: Collection[str]) -> None:
    """Raise NotAllowedError for an import, and in an answer for a directive or core rule, not allowed."""
    for wish in import_directives(rulelist):
        if wish.grammar not in allowed:
            problem = _import_message(name, wish.grammar, allowed)
            raise NotAllowedError(problem, code="import-directive", source=wish.source, span=wish.span)
    if name != "answer":
        return
    source = rulelist.source
    if DIRECTIVES not in exercise.allow:
        for span in (each.span for each in rulelist.annotations):
            if match := _DIRECTIVE.match(source.text, span.start, span.end):
                problem = message("answer-directive", word=match[1])
                raise NotAllowedError(problem, code=f"{match[1]}-directive", source=source, span=span)
    if CORE_RULES not in exercise.allow:
        own = {rule.name.lower() for rule in rulelist.rules}
        for used in (each for rule in rulelist.rules for each in references(rule.elements)):
            if used.name.lower() in core_rules() and used.name.lower() not in own:
                problem = message("answer-core-rule", name=used.name)
                raise NotAllowedError(problem, code="undefined-rule", source=source, span=used.span)


def _defined(
    exercise: Exercise, text: str, budget: Budget | None, name: str, allowed: Collection[str]
) -> Rule:
    if len(text) > MOST:
        raise GrammarError(
            message("answer-too-long", part=name, length=len(text), limit=MOST), code="file-too-large"
        )
    text = text if text.endswith("\n") else f"{text}\n"
    if ";@" in text or CORE_RULES not in exercise.allow:
        _check_notation(exercise, read_partial(text, name)[0], name, allowed)
    grammar = loads(text, name=name, imports=exercise.imports, budget=budget, cache=False)
    names, rule_name = tuple([rule.name for rule in grammar.own_rules]), exercise.rule.lower()
    if rule_name not in map(str.lower, names) and rule_name not in (
        each.name.lower() for each in read(text, name).rules
    ):
        raise GrammarError(
            message("rule-missing", rule=exercise.rule, part=name, names=names)
            if names
            else message("rules-missing", rule=exercise.rule, part=name),
            code="undefined-rule",
            path=name,
        )
    rule = grammar[exercise.rule]
    grammar.compilation.refuse_prose(rule.key)
    return rule


def _import_message(part: str, grammar: str, allowed: Collection[str]) -> Message:
    if part != "answer":
        return message("import-not-bundled", part=part, grammar=grammar)
    if allowed:
        return message("answer-import", grammar=grammar, allowed=tuple(allowed))
    return message("answer-import-any", grammar=grammar)


@lru_cache(maxsize=100)
def reference(exercise: Exercise) -> Rule:
    """Return the rule that the exercise requires. Raises GrammarError."""
    return _defined(exercise, exercise.reference, None, "reference", bundled_names())


@lru_cache(maxsize=100)
def inlined_reference(exercise: Exercise) -> Rule:
    """Return the reference with its other rules inlined, so that reasons do not name hidden rules.

    Recursive rules and too deeply nested rules are not inlined. Raises GrammarError.
    """
    rules: dict[str, Alternation] = {}
    for each in read(exercise.reference).rules:
        key = each.name.lower()
        before = rules[key].alternatives if each.incremental else ()
        rules[key] = Alternation((*before, *each.elements.alternatives))
    left = {exercise.rule.lower()}
    text, done = "", set[str]()
    while rest := left - done:
        done |= rest
        for key in sorted(rest):
            name = exercise.rule if key == exercise.rule.lower() else key
            text += print_rule(RuleDefinition(name, _inlined(rules[key], rules, (key,), left))) + "\n"
        if len(text) > MOST:
            return reference(exercise)
    lines = [line for line in exercise.reference.splitlines() if line.startswith(";@ import")]
    return _defined(exercise, "\n".join([*lines, text]), None, "reference", bundled_names())


@lru_cache(maxsize=500)
def load_misconception(exercise: Exercise, number: int) -> Rule:
    """Return the rule of a misconception. Raises GrammarError."""
    name = f"misconception {number + 1}"
    return _defined(exercise, exercise.misconceptions[number].abnf, None, name, bundled_names())


def _inlined(
    elements: Alternation, rules: Mapping[str, Alternation], inside: tuple[str, ...], left: set[str]
) -> Alternation:
    """Return a definition with the rules that it names inlined; ``left`` collects the names that are kept."""

    def of(element: Element) -> Element:
        match element:
            case RuleName(name=name) if name.lower() in rules:
                key = name.lower()
                if key in inside or len(inside) > MOST_INLINED:
                    left.add(key)
                    return element
                return Group(_inlined(rules[key], rules, (*inside, key), left))
            case Group(alternation=inner) | Option(alternation=inner):
                return replace(element, alternation=_inlined(inner, rules, inside, left))
        return element

    return Alternation(
        tuple(
            replace(
                each, comments=(), items=tuple(replace(item, element=of(item.element)) for item in each.items)
            )
            for each in elements.alternatives
        )
    )


def verify(exercise: Exercise) -> None:
    """Check the grammars of an exercise, and its strings.

    Raises ArgumentError, which names the exercise, for a reference that does not load or contradicts a string
    of the exercise. Raises ArgumentError for a misconception that does not load or is right. Cost: a
    comparison for each misconception.
    """
    instance_argument(exercise, "exercise", Exercise, "an Exercise, as exercises() gives them")
    id = exercise.id
    if exercise.sealed and not exercise.reference:
        return
    try:
        required = reference(exercise)
    except UnknownNameError as error:  # the imported grammar does not exist
        raise ArgumentError(message("exercise-import", id=id, error=error.message)) from None
    except GrammarError as error:
        raise ArgumentError(message("exercise-reference", id=id, error=error.message)) from None
    for text in (*exercise.valid, *exercise.invalid):
        valid = text in exercise.valid
        if required.matches(text) is not valid:
            code = "reference-rejects" if valid else "reference-accepts"
            raise ArgumentError(message(code, id=id, string=quoted(text)))
    for number in range(len(exercise.misconceptions)):
        try:
            comparison = compare(required, load_misconception(exercise, number))
        except GrammarError as error:
            code = "misconception-broken"
            raise ArgumentError(message(code, id=id, number=number + 1, error=error.message)) from None
        if comparison.only_left is None and comparison.only_right is None:
            raise ArgumentError(message("misconception-right", id=id, number=number + 1))
