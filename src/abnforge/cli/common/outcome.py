"""The verdict on a string (valid, rejected or unreadable) and its JSON keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from abnforge.charset import BYTES
from abnforge.cli.common.inputs import UNDECIDED, Record, StringRecord, Unreadable
from abnforge.engine import grammar_names
from abnforge.rejection import Rejection
from abnforge.text import ByteText, position, several_lines

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule
    from abnforge.explain.codes import Code
    from abnforge.parsing.trace import ParseTree
    from abnforge.uri import SuffixList
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
    """A record and its verdict: valid, rejected, or unreadable.

    ``record`` and ``rejection`` may be masked; ``judged`` is the original string. ``security`` has the
    findings of ``--security``, and ``all_fixes`` is whether reports list all repairs.
    """

    record: Record
    target: Target
    rejection: Rejection | None = None
    judged: str = ""
    security: tuple[SecurityFinding, ...] = ()
    all_fixes: bool = False

    @property
    def valid(self) -> bool:
        return self.rejection is None and isinstance(self.record, StringRecord)

    @property
    def undecided(self) -> bool:
        """Return whether the validation of the string exceeded the budget."""
        return isinstance(self.record, Unreadable) and self.record.code == UNDECIDED

    @property
    def code(self) -> str:
        """The code: ``valid``, or the code of the rejection or of the :class:`Unreadable`."""
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
        """The string, or the visible beginning of an unreadable line."""
        return self.record.shown if isinstance(self.record, Unreadable) else self.record.text

    @property
    def several_lines(self) -> bool:
        """Return whether the string has more than one line."""
        return several_lines(self.shown)

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and column, from 1, of an offset of ``shown``; an argument counts as a line.

        Conversion of line endings does not change them. Cost: linear.
        """
        first, before = self.record.begins or (self.record.line, 1)
        if not self.several_lines:
            return first, before + offset
        line, column = position(self.shown, offset)
        return first + line - 1, column if line > 1 else before + offset

    @property
    def span(self) -> tuple[int, int]:
        """The span of ``shown`` that contains the mistake."""
        if isinstance(self.record, Unreadable):
            return self.record.start, self.record.end
        return (0, 0) if self.rejection is None else self.rejection.span

    def to_dict(self, *, full: bool = True, attempts: bool = False) -> dict[str, Any]:
        """Return ``source``, ``line``, ``valid`` and the keys of the rejection, all of them if ``full``.

        ``attempts`` adds the failed alternatives.

        For a whole file, ``line`` and ``column`` are the position of the mistake, or the start of a valid
        file, and ``newline`` names the line endings after conversion.

        A valid string has ``grammar``, ``rule``, ``input`` and, with findings, ``security``. An unreadable
        line or file has all keys, with ``input`` null, ``error`` (its code) and ``offset_unit`` (``bytes``).
        A string whose validation exceeded the budget has ``valid`` null, its ``input``, and ``error``
        (``limit-exceeded``).
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
                plain = {"valid": None, "input": self.shown, "error": self.record.code}
                return {**head, **blank.to_dict(full=full), **plain}
            extra = {"input": None, "error": self.record.code, "offset_unit": "bytes"}
            return {**head, **blank.to_dict(full=full), **extra}
        if self.rejection is not None:
            keys = self.rejection.to_dict(full=full, repairs=self.all_fixes, attempts=attempts)
            return {**head, **keys}
        security = {"security": [each.to_dict() for each in self.security]} if self.security else {}
        alphabet = {"alphabet": BYTES} if isinstance(self.record.text, ByteText) else {}
        return {
            **head,
            "grammar": self.target.grammar,
            "rule": self.target.rule,
            "input": self.record.text,
            **alphabet,
            **security,
        }

    def _placed(self) -> dict[str, Any]:
        if not self.record.whole:
            return {"line": self.record.line}
        line, column = self.place(self.span[0])
        converted = {"newline": self.record.newline} if self.record.newline else {}
        return {"line": line, "column": column, **converted}


def with_components(grammar: str) -> str | None:
    """Return the grammar's name if its strings have component objects; else None."""
    if grammar not in grammar_names():
        return None  # the check does not need the slow import
    from abnforge.uri.rfc_differences import EDITIONS

    return grammar if grammar in EDITIONS else None


@dataclass(frozen=True, slots=True)
class Structure:
    """A valid string of an outcome, and its structure, computed on request.

    ``grammar`` defines the component objects; it is None for other grammars. ``order`` is the order of
    derivation steps, ``most`` the maximum number of derivations, and ``also`` the JSON key in addition to the
    tree: ``derivation`` or ``derivations``. ``parameters`` (``exact`` or ``decoded``) and ``suffixes``
    request further components.
    """

    outcome: Outcome
    rule: Rule
    engine: str
    grammar: str | None
    order: str = "leftmost"
    most: int = 2
    also: str | None = None
    parameters: str | None = None
    suffixes: SuffixList | None = None

    def tree(self) -> ParseTree:
        """Return the parse tree with Lark's names; ``rule.lark_names`` maps them to the grammar's."""
        return self.rule.parse(self.outcome.judged, engine=self.engine)

    def components(self) -> dict[str, Any] | None:
        """Return the component object as plain data; None for grammars and rules without one.

        Masking keeps a URI valid: both RFCs allow "*" in passwords.
        """
        if self.grammar is None:
            return None
        from abnforge.engine.set_algebra import base_of
        from abnforge.uri.rfc_differences import components_of

        rule = base_of(self.rule)  # the base of a combination of rules matches all of its strings
        found = None if rule is None else components_of(self.grammar, rule.name, self.outcome.shown)
        return None if found is None else found | self._derived(found)

    def _derived(self, components: dict[str, Any]) -> dict[str, Any]:
        """Return the requested further components; missing parameters are undefined or not UTF-8."""
        from abnforge.uri import query_parameters

        derived: dict[str, Any] = {}
        if self.parameters is not None:
            query = components["query"]
            derived["query_parameters"] = None
            with suppress(ValueError):
                pairs = query_parameters(query, decode=self.parameters == "decoded")
                listed = [{"name": name, "value": value} for name, value in pairs]
                derived["query_parameters"] = None if query is None else listed
        if self.suffixes is not None:
            host = components["host"]
            derived["registrable_domain"] = host and self.suffixes.registrable_domain(host)
        return derived
