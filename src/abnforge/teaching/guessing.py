"""What the mistake in an answer probably is, where no misconception of the exercise is the answer."""

from __future__ import annotations

from abnforge.engine.rule import Rule

DERIVES_NOTHING = "The rule derives no string at all: every way through it uses a rule again, without an end."
ACCEPTS_NOTHING = (
    "The empty string is accepted: *element and [element] can be left out, 1*element has to be there once."
)
REFUSES_NOTHING = "The empty string is wanted, too: *element and [element] can be left out, 1*element cannot."
ACCEPTS_CASE = (
    'Case matters here, and a string in quotes matches without regard to it: %s"abc" (RFC 7405) or numbers '
    "(%x61) match one case."
)
REFUSES_CASE = (
    'Case does not matter here: %s"abc" and numbers (%x61) match one case alone, "abc" matches both.'
)
ACCEPTS_SPACE = (
    "White space stands here where the task has none: ABNF's own spaces mean nothing, only %x20, SP, HTAB "
    'and " " do.'
)
REFUSES_SPACE = (
    "White space is wanted here: between elements ABNF has none, unless SP or the like is written."
)
ACCEPTS_TWICE = "A part of it is right by itself: does something repeat that has to be there once?"
REFUSES_TWICE = "A shorter form of it is right: can something be repeated that stands there once?"


def guess(wanted: Rule, answer: Rule, accepted: str | None, refused: str | None) -> str | None:
    """A sentence about the mistake, by shortest strings that are wrongly ``accepted`` and ``refused``; None
    if they are of no kind that is known. Cost: some verdicts, and one more for each character.
    """
    if accepted == "":
        return ACCEPTS_NOTHING
    if refused == "":
        return REFUSES_NOTHING
    if accepted is not None and _other_case(wanted, accepted):
        return ACCEPTS_CASE
    if refused is not None and _other_case(answer, refused):
        return REFUSES_CASE
    if accepted is not None and _without_space(wanted, accepted):
        return ACCEPTS_SPACE
    if refused is not None and _without_space(answer, refused):
        return REFUSES_SPACE
    if accepted is not None and _repeats(wanted, accepted):
        return ACCEPTS_TWICE
    if refused is not None and _repeats(answer, refused):
        return REFUSES_TWICE
    return None


def _other_case(rule: Rule, text: str) -> bool:
    return any(other != text and rule.matches(other) for other in (text.lower(), text.upper()))


def _without_space(rule: Rule, text: str) -> bool:
    bare = "".join(char for char in text if char not in " \t\r\n")
    return bare != text and bare != "" and rule.matches(bare)


def _repeats(rule: Rule, text: str) -> bool:
    """Whether it is something twice, which once is of the rule."""
    half, odd = divmod(len(text), 2)
    return not odd and half > 0 and text[:half] == text[half:] and rule.matches(text[:half])
