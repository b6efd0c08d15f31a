"""The verdict on a string: valid, rejected, or unreadable; and its keys in JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from abnforge.cli.common.inputs import UNDECIDED, Record, StringRecord, Unreadable
from abnforge.engine import grammar_names
from abnforge.rejection import Rejection
from abnforge.text import position, several_lines

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule
    from abnforge.explain.codes import Code
    from abnforge.parsing.trees import ParseTree
    from abnforge.uri.security import SecurityFinding


@dataclass(frozen=True, slots=True)
class Target:
    """The grammar and the rule that validate strings, for reports."""

    grammar: str
    rule: str
    codes: Callable[[], Mapping[str, Code]] = field(default=dict, compare=False)
    """Return the meanings of the codes."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A record and its verdict: valid, rejected, or no string to judge at all.

    ``record`` and ``rejection`` may be shown; ``judged`` is the string as it came in, with nothing masked.
    ``security`` is what ``--security`` found in a valid one.
    """

    record: Record
    target: Target
    rejection: Rejection | None = None
    judged: str = ""
    security: tuple[SecurityFinding, ...] = ()

    @property
    def valid(self) -> bool:
        return self.rejection is None and isinstance(self.record, StringRecord)

    @property
    def undecided(self) -> bool:
        """Return whether the validation of the string exceeded the budget."""
        return isinstance(self.record, Unreadable) and self.record.code == UNDECIDED

    @property
    def code(self) -> str:
        """``valid``, the rejection's code, or the :class:`Unreadable`'s."""
        if isinstance(self.record, Unreadable):
            return self.record.code
        return "valid" if self.rejection is None else self.rejection.code

    @property
    def message(self) -> str:
        if isinstance(self.record, Unreadable):
            return self.record.message
        return "" if self.rejection is None else self.rejection.message

    @property
    def shown(self) -> str:
        """The string, or as much of an unreadable line as can be shown."""
        return self.record.shown if isinstance(self.record, Unreadable) else self.record.text

    @property
    def several_lines(self) -> bool:
        """Return whether the string has more than one line."""
        return several_lines(self.shown)

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and column, from 1, of an offset of ``shown``; an argument is a line.

        Where line ends were converted, the place is that in the source too. Cost: linear.
        """
        first, before = self.record.begins or (self.record.line, 1)
        if not self.several_lines:
            return first, before + offset
        line, column = position(self.shown, offset)
        return first + line - 1, column if line > 1 else before + offset

    @property
    def span(self) -> tuple[int, int]:
        """The span of ``shown`` that a person would call the mistake."""
        if isinstance(self.record, Unreadable):
            return self.record.start, self.record.end
        return (0, 0) if self.rejection is None else self.rejection.span

    def to_dict(self, *, full: bool = True) -> dict[str, Any]:
        """``source``, ``line``, ``valid``, then the rejection's keys: all of them if it is to be ``full``.

        Of a whole file, ``line`` and ``column`` are the place in the file that is blamed, as in text, of a
        valid one its beginning; ``newline`` tells what its line ends were converted to, if any were.

        A valid string has ``grammar``, ``rule`` and ``input`` of them, and ``security`` when there are
        findings about it. A line or file that is no string has them all, with ``input`` null, and beside them
        ``error`` (``not-utf-8``, ``line-too-long``, ``file-too-large``) and ``offset_unit`` (``bytes``: its
        ``offset`` counts bytes). A string that could not be judged within the budget has ``valid`` null, its
        ``input``, and ``error`` (``limit-exceeded``).
        """
        head = {"source": self.record.source, **self._placed(), "valid": self.valid}
        if isinstance(self.record, Unreadable):
            blank = Rejection(
                self.target.grammar,
                self.target.rule,
                "",
                self.record.offset,
                None,
                (),
                (),
                None,
                self.record.message,
                code=self.record.code,
            )
            if self.undecided:
                told = {"valid": None, "input": self.shown, "error": self.record.code}
                return {**head, **blank.to_dict(full=full), **told}
            extra = {"input": None, "error": self.record.code, "offset_unit": "bytes"}
            return {**head, **blank.to_dict(full=full), **extra}
        if self.rejection is not None:
            return {**head, **self.rejection.to_dict(full=full)}
        found = {"security": [each.to_dict() for each in self.security]} if self.security else {}
        return {
            **head,
            "grammar": self.target.grammar,
            "rule": self.target.rule,
            "input": self.record.text,
            **found,
        }

    def _placed(self) -> dict[str, Any]:
        """The record's place in its source."""
        if not self.record.whole:
            return {"line": self.record.line}
        line, column = self.place(self.span[0])
        converted = {"newline": self.record.newline} if self.record.newline else {}
        return {"line": line, "column": column, **converted}


# ``parse``: a string's verdict and what the string is made of.


def with_components(grammar: str) -> str | None:
    """The grammar, given by name or path, if its strings have component objects; else None."""
    if grammar not in grammar_names():
        return None  # known without importing what takes longer than everything else
    from abnforge.uri.rfc_differences import EDITIONS

    return grammar if grammar in EDITIONS else None


@dataclass(frozen=True, slots=True)
class Structure:
    """An outcome and, made when asked for, the structure of its string, which is a valid one.

    ``grammar`` is the one whose component objects the string has, None for a grammar without. ``order`` is
    that of its derivation's steps, ``most`` how many derivations are told, and ``also`` what JSON has beside
    the tree: ``derivation``, ``derivations``.
    """

    outcome: Outcome
    rule: Rule
    engine: str
    grammar: str | None
    order: str = "leftmost"
    most: int = 2
    also: str | None = None

    def tree(self) -> ParseTree:
        """The parse tree, in Lark's names; ``rule.lark_names`` has those of the grammar."""
        return self.rule.parse(self.outcome.judged, engine=self.engine)

    def components(self) -> dict[str, Any] | None:
        """The component object as plain data; None for grammars and rules that have none.

        A masked URI is as valid as it was: both RFCs allow "*" wherever a password can stand.
        """
        if self.grammar is None:
            return None
        from abnforge.engine.set_algebra import base_of
        from abnforge.uri.rfc_differences import components_of

        rule = base_of(self.rule)  # of rules made of others the one whose strings they are
        return None if rule is None else components_of(self.grammar, rule.name, self.outcome.shown)
