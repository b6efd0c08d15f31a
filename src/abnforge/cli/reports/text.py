"""Text for people. What it takes more than a line to draw is drawn in files of its own beside this one."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

from abnforge.cli.common.generated import Generated
from abnforge.cli.common.inputs import Unreadable
from abnforge.cli.common.messages import message
from abnforge.cli.common.outcome import Outcome
from abnforge.cli.common.output import is_terminal, tell, telling, warn
from abnforge.cli.reports import rejection
from abnforge.cli.reports.base import Report
from abnforge.cli.reports.findings import finding_lines, more_findings
from abnforge.cli.reports.rule_differences import only_lines, rule_lines
from abnforge.cli.reports.rules import definition, rule_text
from abnforge.cli.reports.uri_changes import change_lines, masked
from abnforge.text import escape

if TYPE_CHECKING:  # each run is about one of them
    from abnforge.cli.common.listing import Listed
    from abnforge.cli.common.transform import Result
    from abnforge.cli.common.uri_changes import Changed
    from abnforge.comparison.grammars import GrammarDiff
    from abnforge.engine.rule import Rule
    from abnforge.linting.finding import Linted
    from abnforge.uri.rfc3986.equivalence import Equivalence
    from abnforge.uri.scan import LocatedURI


FINDINGS_OF_A_KIND = 20  # of a grammar that 5,000 are about, a person reads no more


class OutcomeText(Report[Outcome]):
    """``file:line:column: message``, the line with a caret, the reason."""

    shows_warnings = True

    def add(self, outcome: Outcome) -> None:
        if not outcome.valid:
            self.write(rejection.finding(outcome, self.style) + "\n")
            return
        if outcome.security:
            self.write(rejection.warnings(outcome, self.style) + "\n")
            return
        if not outcome.record.whole:
            self.write(f"{escape(outcome.record.source)}:{outcome.record.line}: ")
        self.write(rejection.described(outcome, self.style) + "\n")


class ExplanationText(Report[Outcome]):
    """Full explanations, a blank line between them."""

    separator = ""

    def add(self, outcome: Outcome) -> None:
        self.write(f"{self.separator}{rejection.described(outcome, self.style)}\n")
        self.separator = "\n"


class ResultText(Report["Result"]):
    """One result a line; what was refused is explained on standard error."""

    def add(self, result: Result) -> None:
        record = result.record
        if isinstance(record, Unreadable):
            complaint = rejection.unreadable(record, telling())
        elif result.error is not None:
            complaint = rejection.refusal(record.text, result.error, telling())
        else:
            self.write(escape(str(result.value)) + "\n")
            return
        tell(f"{escape(record.source)}:{record.line}: {complaint}")


class EquivalenceText(Report["Equivalence"]):
    """What was found, and both URIs with their normal forms; no passwords."""

    def add(self, found: Equivalence) -> None:
        paint = self.style.good if found else self.style.error
        self.write(paint(escape(found.message)) + "\n")
        for name, before, after in (
            ("A", found.left, found.normal_left),
            ("B", found.right, found.normal_right),
        ):
            changed = f"  ->  {masked(after)}" if before != after else ""
            self.write(f"  {self.style.faint(name)}  {masked(before)}{changed}\n")


class ChangeText(Report["Changed"]):
    """A string and, a line each, what changes for it; no passwords."""

    def add(self, changed: Changed) -> None:
        record = changed.record
        place = self.style.strong(f"{escape(record.source)}:{record.line}:")
        head = f"{place} {masked(record.text) or '(empty)'}"
        self.write("\n".join([head, *change_lines(changed.found, self.style)]) + "\n")


class PlaceText(Report["LocatedURI"]):
    """One line a URI: where it stands, the URI, and what there is to know about it."""

    def add(self, place: LocatedURI) -> None:
        found = place.found
        notes = []
        if found.joined:
            notes.append(f"joined from {len(place.pieces)} pieces")
        if found.without_hyphens is not None:
            notes.append(f"or {escape(found.without_hyphens)}, if the hyphen breaks a word")
        if found.cut:
            notes.append("followed by a character that a URI cannot contain")
        note = self.style.faint(f"  ({'; '.join(notes)})") if notes else ""
        where = f"{escape(place.source)}:{place.pieces[0][0]}:{place.pieces[0][1]}:"
        self.write(f"{self.style.strong(where)} {escape(found.uri)}{note}\n")


class FindingText(Report["Linted"]):
    """Each finding with its line underlined; unless ``full``, of one kind the first few of each grammar."""

    def add(self, linted: Linted) -> None:
        counts: Counter[str] = Counter()
        for finding in linted.findings:
            counts[finding.code] += 1
            if self.full or counts[finding.code] <= FINDINGS_OF_A_KIND:
                self.write("\n".join(finding_lines(finding, self.style)) + "\n")
        if not self.full:
            last = {finding.code: finding for finding in linted.findings}
            for code, count in counts.items():
                if count > FINDINGS_OF_A_KIND:
                    self.write(more_findings(last[code], count - FINDINGS_OF_A_KIND, self.style) + "\n")


class DifferenceText(Report["GrammarDiff"]):
    """Each rule that both grammars have; then the names of those that only one has."""

    def add(self, diff: GrammarDiff) -> None:
        lines = [
            line
            for rule in diff.rules
            if rule.left and rule.right
            for line in rule_lines(rule, diff, self.style)
        ]
        for label, alone in (
            (diff.left, [rule.name for rule in diff.rules if rule.right is None]),
            (diff.right, [rule.name for rule in diff.rules if rule.left is None]),
        ):
            if alone:
                lines += only_lines(label, alone, self.style)
        self.write("".join(line + "\n" for line in lines))


class RuleText(Report["Rule"]):
    """Rules as ABNF, to be read back; ``full`` with all that is known of each, a blank line between them."""

    separator = ""

    def add(self, rule: Rule) -> None:
        if not self.full:
            self.write(definition(rule))
            return
        self.write(self.separator + rule_text(rule, self.style))
        self.separator = "\n"


class GrammarText(Report["Listed"]):
    """One line a grammar, its facts below each other."""

    def begin(self) -> None:
        self.rows: list[Listed] = []

    def add(self, listed: Listed) -> None:
        self.rows.append(listed)

    def finish(self) -> None:
        columns = max((len(row.name) for row in self.rows), default=0)
        for row in self.rows:
            if row.rules is None:
                facts = f"from the package {row.origin}"
            else:
                facts = f"{row.rules:3d} rules, starts at {row.default_rule}"
            self.write(f"{row.name.ljust(columns)}  {facts}\n")


class SentenceText(Report[Generated]):
    """Strings for a program to read back, or for a person to see; with a complaint if they cannot be read."""

    is_file = True

    def begin(self) -> None:
        self.end = "\0" if self.null else "\n"
        self.seen = is_terminal(sys.stdout)
        self.broken = False

    def add(self, generated: Generated) -> None:
        sentence = generated.text
        self.broken |= self.end in sentence or (not self.null and sentence.endswith("\r"))
        sign = "" if not generated.both else "+ " if generated.valid else "- "
        self.write(sign + (escape(sentence) if self.seen else sentence) + self.end)

    def finish(self) -> None:
        if self.broken and not self.seen:
            option = "--format jsonl" if self.null else "--null or --format jsonl"
            warn(message("string-contains-end", option=option))
