"""What ``abnforge test`` tells: an example and what became of it, or a rule that has too few."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abnforge.errors import LimitExceeded

if TYPE_CHECKING:
    from abnforge.engine.examples import ExampleResult
    from abnforge.engine.grammar import Grammar
    from abnforge.engine.rule import Rule
    from abnforge.grammar.annotations import Example

PASSED, FAILED, UNDECIDED, LISTED, MISSING = "passed", "failed", "undecided", "listed", "missing"


@dataclass(frozen=True, slots=True)
class Told:
    """One example, or a rule without enough (``text`` None; ``status`` is ``"missing"`` then).

    ``line`` and ``column`` count from 1, ``end_column`` is behind the last character; ``excerpt`` is that
    line. ``is_file`` tells whether ``path`` is a file of the caller's.
    """

    path: str
    line: int
    column: int
    end_column: int
    excerpt: str
    is_file: bool
    rule: str
    status: str
    message: str = ""
    text: str | None = None
    valid: bool | None = None
    note: str | None = None
    code: str | None = None
    offset: int | None = None

    @property
    def name(self) -> str:
        """It in a few words."""
        from abnforge.engine.examples import label_of

        return f"{self.rule}: examples" if self.text is None else label_of(self.rule, self.valid, self.text)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; the keys are stable."""
        return {
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "rule": self.rule,
            "text": self.text,
            "valid": self.valid,
            "note": self.note,
            "status": self.status,
            "code": self.code,
            "offset": self.offset,
            "message": self.message,
        }


def results(grammar: Grammar, is_file: bool, found: Iterable[ExampleResult]) -> Iterator[Told]:
    """What became of examples."""
    for each in found:
        rejection = each.rejection
        yield _told(
            grammar,
            is_file,
            each.example,
            each.status,
            each.message,
            None if rejection is None else rejection.code,
            None if rejection is None else rejection.offset,
        )


def listed(grammar: Grammar, is_file: bool, examples: Iterable[Example]) -> Iterator[Told]:
    """Examples that are not tried."""
    return (_told(grammar, is_file, each, LISTED) for each in examples)


def missing(grammar: Grammar, is_file: bool, rules: Iterable[str] | None, wanted: int) -> Iterator[Told]:
    """The rules that have not so many examples of each kind: of those that are named, or of those that the
    grammar is for: its start, and all that no other rule refers to.
    """
    from abnforge.engine.examples import count

    named = None if rules is None else dict.fromkeys(grammar[name] for name in rules)
    chosen = grammar.exported if named is None else tuple(named)
    bound = grammar.compilation.bound
    for rule in chosen:
        matches, others = count(grammar.examples.get(rule.name, ()))
        # More matches than there are strings nobody can write.
        if others >= wanted and matches >= min(wanted, _strings(rule, wanted)):
            continue
        line = column = end = 0
        excerpt = ""
        if rule.origin == "file":
            span = bound.rules[rule.key].rule.name_span
            line, column = bound.source.position(span.start)
            end, excerpt = column + span.end - span.start, bound.source.line(line)
        said = (
            f"{rule.name} has {numbered(matches, 'match', 'matches')} and "
            f"{numbered(others, 'non-match', 'non-matches')}; --require wants {wanted:,} of each"
        )
        yield Told(bound.source.name, line, column, end, excerpt, is_file, rule.name, MISSING, said)


def _strings(rule: Rule, most: int) -> int:
    """How many strings a rule derives, up to ``most``."""
    if rule.grammar.compilation.prose(rule.key) is not None or not rule.regular:
        return most
    from abnforge.automata.dfa import number_of_strings

    try:
        return number_of_strings(rule.automaton, most)
    except LimitExceeded:
        return most


def numbered(number: int, one: str, several: str) -> str:
    """``1 match``, ``2 matches``."""
    return f"{number:,} {one if number == 1 else several}"


def _told(
    grammar: Grammar,
    is_file: bool,
    example: Example,
    status: str,
    message: str = "",
    code: str | None = None,
    offset: int | None = None,
) -> Told:
    return Told(
        grammar.source.name,
        example.line,
        example.column,
        example.end_column,
        grammar.source.line(example.line),
        is_file,
        example.rule,
        status,
        message,
        example.text,
        example.valid,
        example.note,
        code,
        offset,
    )
