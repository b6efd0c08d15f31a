"""What ``--newline`` could do for whole files that are rejected at a line's end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from abnforge.cli.common.messages import message
from abnforge.cli.common.newlines import WORDS, Newline, advice
from abnforge.cli.common.outcome import Outcome
from abnforge.cli.common.output import note


class LineEndAdvice:
    """Watches outcomes on their way to a report, and tells what it saw when all are reported."""

    def __init__(self) -> None:
        self._seen: dict[Newline, list[str]] = {}  # the files that need each conversion

    def watch(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """The same outcomes. Cost: constant for each."""
        for outcome in outcomes:
            rejection = outcome.rejection
            if rejection is not None and outcome.record.whole:
                admitted = (each.chars for each in rejection.expected)
                wanted = advice(outcome.judged, rejection.offset, admitted)
                if wanted is not None:
                    self._seen.setdefault(wanted, []).append(outcome.record.source)
            yield outcome

    def tell(self) -> None:
        """A line on standard error for each conversion that would have helped."""
        for wanted, sources in self._seen.items():
            found = WORDS["lf" if wanted == "crlf" else "crlf"]
            more = f" (and {len(sources) - 1:,} more)" if len(sources) > 1 else ""
            note(
                message(
                    "line-ends-differ",
                    source=sources[0],
                    more=more,
                    expected=WORDS[wanted],
                    found=found,
                    option=wanted,
                )
            )
