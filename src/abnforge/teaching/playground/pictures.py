"""Calls about a rule: its diagram, description, and comparison with another rule; calls about exercises."""

from __future__ import annotations

from itertools import islice
from typing import Any

from abnforge.catalog import ArgumentError
from abnforge.comparison.rules import compare, reason
from abnforge.conformance.near_misses import near_misses
from abnforge.conformance.sentences import sentences
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError, LimitExceeded, Rejected
from abnforge.records import attributes
from abnforge.teaching.constructions import CONSTRUCTIONS, OF_STRINGS
from abnforge.teaching.describe import facts_about
from abnforge.teaching.exercises import LESSONS, MOST, PAGES, exercises
from abnforge.teaching.grading import BY_THE_ANSWER, Witness, grade
from abnforge.teaching.messages import message
from abnforge.teaching.pictures.automata import automaton_element, automaton_svg
from abnforge.teaching.pictures.constructions import construction_section, construction_svg
from abnforge.teaching.pictures.drawing import THEMES
from abnforge.teaching.pictures.railroad import path_of, rule_element, rule_svg
from abnforge.teaching.pictures.trees import tree_svg
from abnforge.teaching.playground.loaded import Call
from abnforge.teaching.playground.strings import derived, named_characters, tree_boxes

MAX_SENTENCES, MAX_MISSES = 30, 15

_LOOKED_AT = 300  # number of strings among which the shortest are selected


def diagram(question: Call) -> dict[str, Any]:
    """Return the railroad diagram of a rule, with links and with the parts that ``string`` uses."""
    rule = question.rule()
    path, problem = None, None
    if question.has("string"):
        try:
            start = question.rule("start") if question.has("start") else rule
            path = path_of(start, question.string(start))
        except Rejected:
            pass
        except (GrammarError, ValueError) as error:
            problem = error.message if isinstance(error, GrammarError) else str(error)
    own = {each.lower() for each in rule.grammar}
    svg = rule_element(rule, lambda key: f"#rule={key}" if key in own else None, path=path)
    return {"svg": svg, "path": path is not None, "problem": problem, "definition": rule.definition.strip()}


MAX_DRAWN = 400  # the maximum number of boxes of a drawn tree


def picture(question: Call) -> dict[str, Any]:
    """Return an SVG document of a rule or of a string, with the boxes of a tree.

    The document has the colors of a ``theme``; by default, it is an element that has the style of the page,
    except for a construction. A ``full`` or small tree has a box for each node. Raises Rejected,
    LimitExceeded, GrammarError, ValueError.
    """
    kind = question.choice("kind", ("tree", "diagram", "automaton", *CONSTRUCTIONS))
    theme = question.choice("theme", ("", *THEMES))
    rule = question.rule()
    if kind == "diagram":
        return {"svg": rule_svg(rule, theme=theme)}
    if kind == "automaton":
        return {"svg": automaton_svg(rule, theme)}
    if kind in CONSTRUCTIONS:
        return {
            "svg": "".join(construction_svg(kind, rule, _text_for(kind, rule, question), theme or THEMES[0]))
        }
    nodes = derived(question, rule)
    tree = tree_boxes(nodes, bool(question.number("full", 1)))
    if (used := tree["count"]) > MAX_DRAWN:
        sentence = message("tree-not-drawn", used=used, limit=MAX_DRAWN)
        raise LimitExceeded(sentence, operation="tree", used=used, limit=MAX_DRAWN, setting="MAX_DRAWN")
    svg = "".join(tree_svg(nodes, question.string(rule), full=tree["full"], theme=theme))
    return {"svg": svg, "boxes": tree["boxes"]}


def describe(question: Call) -> dict[str, Any]:
    """Return facts about a rule, matching strings, near misses, and its automaton if that is small."""
    rule = question.rule()
    facts = facts_about(rule)
    return {
        "rule": rule.name,
        "definition": rule.definition.strip(),
        "words": facts.words,
        "nullable": facts.nullable,
        "first": named_characters(facts.first) if facts.first else "",
        **attributes(facts, "regular states count finite"),
        "sentences": _sentences(rule),
        "misses": _misses(rule),
        "automaton": _automaton(rule),
    }


def _sentences(rule: Rule) -> list[str]:
    try:
        derived = dict.fromkeys(each.text for each in islice(sentences(rule), _LOOKED_AT))
    except (GrammarError, ValueError):
        return []
    return sorted(derived, key=lambda text: (len(text), text))[:MAX_SENTENCES]


def _misses(rule: Rule) -> list[dict[str, str]]:
    misses = []
    try:
        for each in islice(near_misses(rule), MAX_MISSES):
            misses.append({"text": each.text, "reason": reason(each.rejection)})
    except (GrammarError, ValueError):
        pass
    return misses


def _automaton(rule: Rule) -> str | None:
    try:
        return automaton_element(rule)
    except (ValueError, GrammarError):
        return None


def construct(question: Call) -> dict[str, str]:
    """Return a construction of a rule, or of a rule and ``string``, as HTML."""
    name = question.choice("name", CONSTRUCTIONS)
    rule = question.rule()
    return {"html": "".join(construction_section(name, rule, _text_for(name, rule, question)))}


def _text_for(construction: str, rule: Rule, question: Call) -> str | None:
    return question.string(rule) if construction in OF_STRINGS else None


def compare_rules(question: Call) -> dict[str, Any]:
    """Return the relation of a rule to a rule of the same grammar or of ``other``, with shortest strings."""
    left = question.rule()
    right = question.rule("other_rule", "other" if question.has("other") else "text")
    comparison = compare(left, right)
    witnesses = []
    for text, only, other, why in (
        (comparison.only_left, left, right, comparison.right_rejection()),
        (comparison.only_right, right, left, comparison.left_rejection()),
    ):
        if text is not None:
            witnesses.append(
                {
                    "text": text,
                    "derived_by": only.name,
                    "not_by": other.name,
                    "reason": "" if why is None else reason(why),
                }
            )
    return {
        "relation": comparison.relation,
        "said": str(comparison).split("\n", 1)[0].replace(" (grammar)", ""),  # the page shows both grammars
        "bound": comparison.bound,
        "witnesses": witnesses,
        "common": comparison.common,
    }


# Exercises, as in ``abnforge exercise``.


def list_exercises(question: Call) -> list[dict[str, Any]]:
    """Return the exercises, by lesson and level, with their hints and without their solutions."""
    order = {lesson: number for number, lesson in enumerate(LESSONS)}
    ordered = sorted(
        exercises(), key=lambda each: (order.get(each.lesson, len(order)), each.lesson, each.level)
    )
    return [
        {
            **attributes(each, "id title level lesson task rule"),
            "page": PAGES.get(each.lesson),
            "hints": list(each.hints),
            "valid": list(each.valid),
            "invalid": list(each.invalid),
            "imports": list(each.imports),
        }
        for each in ordered
    ]


def grade_answer(question: Call) -> dict[str, Any]:
    """Grade the answer ``text`` to the exercise ``exercise``."""
    exercise_id = question.text("exercise")
    chosen = next((each for each in exercises() if each.id == exercise_id), None)
    if chosen is None:
        raise ArgumentError(message("call-exercise", id=exercise_id))
    result = grade(chosen, question.text(most=MOST), budget=question.budget())
    witnesses = [("accepted", result.wrongly_accepted), ("refused", result.wrongly_rejected)]
    if result.key_example == "refused":
        witnesses.reverse()
    return {
        "verdict": result.verdict,
        "witnesses": [_witness(kind, each) for kind, each in witnesses if each is not None],
        **attributes(result, "mistake recognized bound"),
        "style": list(result.style),
        "findings": [
            {"line": each.line, "code": each.code, "message": each.message} for each in result.findings
        ],
    }


def _witness(kind: str, witness: Witness) -> dict[str, str]:
    whose = BY_THE_ANSWER if kind == "refused" else ""
    return {"kind": kind, "text": witness.text, "reason": whose + witness.reason}
