"""The probable mistake in an answer that is not a misconception of the exercise."""

from __future__ import annotations

from abnforge.catalog import Message
from abnforge.engine.rule import Rule
from abnforge.teaching.messages import message


def guess(wanted: Rule, answer: Rule, accepted: str | None, refused: str | None) -> Message | None:
    """Return the probable mistake, by shortest strings that are wrongly ``accepted`` and ``refused``.

    Returns None if they are of an unknown kind. Cost: some matches, and one more for each character.
    """
    if accepted == "":
        return message("accepts-empty")
    if refused == "":
        return message("rejects-empty")
    if accepted is not None and _other_case(wanted, accepted):
        return message("accepts-case")
    if refused is not None and _other_case(answer, refused):
        return message("rejects-case")
    if accepted is not None and _without_space(wanted, accepted):
        return message("accepts-space")
    if refused is not None and _without_space(answer, refused):
        return message("rejects-space")
    if accepted is not None and _repeats(wanted, accepted):
        return message("accepts-repetition")
    if refused is not None and _repeats(answer, refused):
        return message("rejects-repetition")
    return None


def _other_case(rule: Rule, text: str) -> bool:
    return any(other != text and rule.matches(other) for other in (text.lower(), text.upper()))


def _without_space(rule: Rule, text: str) -> bool:
    bare = "".join(char for char in text if char not in " \t\r\n")
    return bare != text and bare != "" and rule.matches(bare)


def _repeats(rule: Rule, text: str) -> bool:
    """Return whether the string is another string twice that matches the rule."""
    half, odd = divmod(len(text), 2)
    return not odd and half > 0 and text[:half] == text[half:] and rule.matches(text[:half])
