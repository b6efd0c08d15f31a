"""Report the progress of a job, as text or as JSON Lines."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from typing import Any

from abnforge.cli.common.messages import message as _message
from abnforge.cli.common.output import ProgressLine, dumps, print_error, print_stderr, warn, without_passwords
from abnforge.cli.common.security import Mask, masked_rejection
from abnforge.engine.rule import Rule
from abnforge.ingest.batch import Column
from abnforge.ingest.events import JobEvents, Plan
from abnforge.ingest.job import Run
from abnforge.ingest.lineage import Lineage, connect
from abnforge.ingest.summary import STOPPED, Counts, Summary
from abnforge.linting.comments import unchecked_ranges
from abnforge.rejection import Rejection

LEVELS = ("debug", "info", "warning", "error")


class ProgressLog(JobEvents):
    """Messages of at least a level, and progress for a terminal: one line that is redrawn."""

    def __init__(
        self, run: Run, level: str, publishing: Callable[[Summary], AbstractContextManager[None]]
    ) -> None:
        self.run = run
        self._least = LEVELS.index(level)
        self._publishing = publishing
        self.lineage: Lineage | None = None
        # returns the summary of a job that ends with an error
        self.failed: Callable[[], Summary] | None = None
        self.progress = ProgressLine("row")
        self._began = time.monotonic()
        self._before = 0

    def shows(self, level: str) -> bool:
        """Return whether messages of a level are written."""
        return LEVELS.index(level) >= self._least

    def begun(self, failed: Callable[[], Summary], plan: Plan) -> None:
        self.failed = failed
        if self.lineage is not None:
            self.lineage.begin(plan)

    def resuming(self, rows: int) -> None:
        self._before = rows
        self.say(_message("resuming", rows=rows))

    def note(self, message: str) -> None:
        self.say(message)

    def publishing(self, result: Summary) -> AbstractContextManager[None]:
        return self._publishing(result)

    def advanced(self, counts: Counts, octets: int | None) -> None:
        if not self.shows("info"):
            return
        seconds = max(time.monotonic() - self._began, 1e-6)
        speed = (counts.rows - self._before) / seconds
        left = ""
        if octets and counts.octets and counts.rows > self._before:
            rest = counts.rows * (octets - counts.octets) / counts.octets / max(speed, 1e-6)
            left = f", {_duration(max(0.0, rest))} left"
        more = f", {speed:,.0f} rows/s{left}"
        self.progress.update(counts.rows, counts.rejected, counts.octets, octets, more=more)

    def say(self, message: str) -> None:
        self.progress.clear()
        if self.shows("warning"):
            warn(message)

    def event(self, text: str) -> None:
        """Write an OpenLineage event that is configured for the console."""
        self.progress.clear()
        print_stderr(text, wraps=False)

    def fail(self, message: str, trace: str | None = None) -> None:
        """Report an error of any level; ``trace`` is the traceback of a defect."""
        self.progress.clear()
        if trace is not None:
            print_stderr(trace.rstrip("\n"), wraps=False)
        print_error(message)

    def end(self, message: str, counts: Counts, status: str) -> None:
        """Report the result."""
        self.progress.clear()
        if self.shows("info"):
            print_stderr(message)


class JsonLog(ProgressLog):
    """Messages for programs: one JSON object per line of standard error."""

    def begun(self, failed: Callable[[], Summary], plan: Plan) -> None:
        self._event("started", sources=len(plan.sources))
        super().begun(failed, plan)

    def resuming(self, rows: int) -> None:
        self._event("resuming", rows=rows)

    def note(self, message: str) -> None:
        self._event("note", message=message)

    def advanced(self, counts: Counts, octets: int | None) -> None:
        # for tables both are estimates
        done = counts.octets if octets is None else min(counts.octets, octets)
        self._event("progress", rows=counts.rows, rejects=counts.rejected, octets=done, of=octets)

    def say(self, message: str) -> None:
        self._event("note", message=message)

    def event(self, text: str) -> None:
        self._event("openlineage", openlineage=json.loads(text))

    def fail(self, message: str, trace: str | None = None) -> None:
        self._event("error", message=without_passwords(message), traceback=trace)

    def end(self, message: str, counts: Counts, status: str) -> None:
        totals = {"rows": counts.rows, "valid": counts.valid, "rejected": counts.rejected}
        self._event(status, message=message, **totals)

    def _event(self, event: str, **values: Any) -> None:
        level = _LEVELS.get(event, "info")
        if self.shows(level):
            head = {
                "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "level": level,
                "job": self.run.name,
                "run_id": self.run.id,
                "event": event,
                "seconds": round(time.monotonic() - self._began, 3),
            }
            print_stderr(dumps({**head, **values}), wraps=False)


_LEVELS = {"error": "error", "note": "warning", "progress": "debug", STOPPED: "warning"}


class _LineageHandler(logging.Handler):
    """Shows warnings of the OpenLineage client, and events that it writes to the console."""

    def __init__(self, teller: ProgressLog) -> None:
        super().__init__()
        self._teller = teller

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.endswith(".console") and record.levelno == logging.INFO:
            self._teller.event(record.getMessage())
        elif record.levelno >= logging.WARNING:
            self._teller.say(record.getMessage().partition("\n")[0])


@contextmanager
def lineage_to(teller: ProgressLog) -> Iterator[Lineage]:
    """Return the lineage of a run; messages of its client go to ``teller``. Raises the errors of connect."""
    logger, handler = logging.getLogger("openlineage"), _LineageHandler(teller)
    propagates, level = logger.propagate, logger.level
    logger.propagate = False
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        teller.lineage = Lineage(connect(), teller.run, teller.say)
        yield teller.lineage
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates
        logger.setLevel(level)


def _duration(seconds: float) -> str:
    whole = round(seconds)
    return (
        f"{whole // 60}:{whole % 60:02d}"
        if whole < 3600
        else f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
    )


class PasswordRedactor:
    """Hides passwords in everything that a job writes, except in valid rows."""

    def __init__(self, mask: Mask) -> None:
        self._mask = mask

    def text(self, text: str) -> str:
        return self._mask(text)

    def rejection(self, rejection: Rejection) -> Rejection:
        return masked_rejection(rejection, self._mask)


def range_note(rule: Rule) -> str | None:
    """Return a sentence about the ranges that a rule does not check, or None.

    The sentence recommends the rule with the suffix ``-strict`` (as in ``date-time-strict``) if that rule
    exists and checks all ranges. Ranges are read from the comments of the grammar.
    """
    bound, facts = rule.grammar.compilation.bound, rule.grammar.facts
    ranges = unchecked_ranges(bound, facts.reachable(rule.key))
    if not ranges:
        return None
    named = ", ".join(f"{each.rule} {each.numbers.rpartition(', ')[2]}" for each in ranges)
    strict = bound.rules.get(f"{rule.key}-strict")
    if strict is not None and unchecked_ranges(bound, facts.reachable(f"{rule.key}-strict")):
        strict = None
    hint = f"; use {strict.name}" if strict is not None else ""
    return f"ranges in comments are not checked: {named}{hint}"


def range_notes(columns: Iterable[Column]) -> dict[str, str]:
    """Return the sentences about the rules of columns, by column name."""
    return {each.name: note for each in columns if (note := range_note(each.rule))}
