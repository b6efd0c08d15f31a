"""A job of ``abnforge split``: its plan, reports, page and exit status."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from abnforge.catalog import Message
from abnforge.cli.common.errors import EXIT_NOTHING_PUBLISHED, EXIT_USAGE, exit_status
from abnforge.cli.common.ingesting import ProgressLog, range_note
from abnforge.cli.common.messages import message
from abnforge.cli.common.output import dumps, file_problem, print_error, without_passwords
from abnforge.cli.output import pages
from abnforge.cli.output.history import earlier_runs, trend
from abnforge.cli.output.totals import counted
from abnforge.families import FAMILIES, OTHER
from abnforge.ingest import JobError, Summary
from abnforge.ingest.checkpoint import can_resume
from abnforge.ingest.job import FAIL, Job, output_for
from abnforge.ingest.lineage import Lineage
from abnforge.ingest.pipeline import Preview
from abnforge.ingest.sources.discovery import BadSource, discover
from abnforge.ingest.summary import FINISHED, STOPPED, last_success_in, metrics
from abnforge.outputs import STDOUT, Output, OutputError, is_written_through, key_of, write_output, writing
from abnforge.text import escape

_MOST_RUNS, _MOST_NEW = 14, 5  # maximum number of runs in the table of a trend, and of new codes of a run
_MOST_SOURCES = 10  # maximum number of sources that are listed by name

_REJECTED = {
    "drop": "Drop rejected rows",
    "fail": "Stop at the first rejected row",
    "keep": "Keep rejected rows there, too, with the errors in _errors",
}

_ENDS = {
    "finished": "",
    "stopped": " (stopped)",
    "too-many-rejects": " (too many; no output was written)",
    "failed": " (the job failed; no output was written)",
}

_MOST_BYTES = 1 << 24  # maximum size of an old report that is read


@dataclass
class Reports:
    """The files of reports. Each is written in one step, even if the job fails.

    Until ``check`` has shown that a file is neither a source nor an output (``checked``), it is only written
    if it is new, empty, or a report of its kind.
    """

    summary: Path | None = None
    metrics: Path | None = None
    report: Path | None = None
    checked: bool = False
    excluded: list[Path] = field(default_factory=list)  # paths that are also other files of the job
    notes: Mapping[str, str] = field(default_factory=dict)  # for the report, by column name
    tell: Callable[[str], None] = print_error  # receives errors about these files
    lineage: Lineage | None = None
    history: str | None = None  # a directory or glob of earlier summaries

    def __post_init__(self) -> None:
        if self.report is not None:
            pages.require()  # fail before the job, not after it

    @property
    def paths(self) -> list[Path]:
        return [path for path in (self.summary, self.metrics, self.report) if path is not None]

    def usual_name(self, output: Path | None) -> str:
        """Return the default name of a job: the name of its metrics file, else of its output."""
        path = next(
            (path for path in (self.metrics, output) if path and not is_written_through(path)), Path()
        )
        return path.name.lstrip(".").split(".")[0] or "split"

    def check(self, job: Job) -> None:
        """Raise JobError for a path that cannot be written at the end, or that is another file of the job."""
        written = {each.key for each in job.check_outputs([])}
        reports: set[object] = set()
        keys = [(path, self._place(path).key) for path in self.paths]
        for path, key in keys:
            if key in written:
                raise self._excluded(path, message("report-is-output", path=str(path)))
            if key in reports:
                raise self._excluded(path, message("report-repeated", path=str(path)))
            reports.add(key)
        foreign: list[BadSource] | None = None if job.on_bad_source == FAIL else []
        sources = discover(job.sources, job.input_format, foreign) if keys else []
        read = {key_of(os.stat(each.path)) for each in sources if each.is_local}
        for path, key in keys:
            if key in read:
                raise self._excluded(path, message("report-is-source", path=str(path)))
        self.checked = True

    def _place(self, path: Path) -> Output:
        try:
            return output_for(path)
        except JobError:
            self.excluded.append(path)  # report one error for each cause
            raise

    def _excluded(self, path: Path, problem: Message) -> JobError:
        self.excluded.append(path)
        return JobError(problem)

    @contextmanager
    def publishing(self, result: Summary, standard_output: bool = False) -> Iterator[None]:
        """Write the files before a block, or with ``standard_output`` only the report to standard output.

        The files appear after the block, unless the block raises. Raises OSError, with the path, for a file
        that cannot be written.
        """
        with ExitStack() as stack:
            for path, data in self._texts(result):
                if (str(path) == STDOUT) is standard_output:
                    stream = stack.enter_context(writing(path))
                    stream.write(data)
                    stream.flush()
            yield

    def write_failure(self, result: Summary, reason: str) -> None:
        """Write all reports of a job that did not finish."""
        result = replace(result, reason=without_passwords(reason))
        if self.lineage is not None:
            self.lineage.end(result)
        for path, data in sorted(self._texts(result), key=lambda each: str(each[0]) == STDOUT):
            try:
                write_output(path, data)
            except OSError as error:
                self.tell(self.unwritable(error))

    def unwritable(self, error: OSError) -> Message:
        """Return the message about a file that cannot be used. If it is a report, do not write it again."""
        if isinstance(error, OutputError) and error.code == "output-unusable":
            return error.message
        path = Path(error.filename or "")
        if path not in self.paths:
            return file_problem(error)
        self.excluded.append(path)
        return message("report-unwritable", path=str(path), reason=error.strerror or str(error))

    def _texts(self, result: Summary) -> Iterator[tuple[Path, bytes]]:
        plain = result.as_dict(self._last_success(result.job)) if self.paths else {}
        # Reports of each kind have the same beginning.
        kinds: tuple[tuple[Path | None, Callable[[], str], str], ...] = (
            (self.summary, lambda: dumps(plain) + "\n", '{"summary"'),
            (self.metrics, lambda: metrics(plain), "# HELP abnforge_split"),
            (self.report, lambda: page(plain, self.notes, self._earlier(result.job)), "<!doctype html>"),
        )
        for path, text, begin in kinds:
            if path is not None and path not in self.excluded and (self.checked or _is_report(path, begin)):
                yield path, text().encode()

    def _earlier(self, job: str) -> list[dict[str, Any]] | None:
        return None if self.history is None else earlier_runs(self.history, job)

    def _last_success(self, job: str) -> str | None:
        """Return the time of the job's last success according to earlier reports."""
        if self.summary is not None:
            try:
                earlier = json.loads(_beginning(self.summary, _MOST_BYTES))
                if earlier["job"] == job and earlier["last_success"] is not None:
                    return datetime.fromisoformat(earlier["last_success"]).isoformat()
            except (OSError, ValueError, KeyError, TypeError):
                pass
        if self.metrics is not None:
            try:
                return last_success_in(_beginning(self.metrics, _MOST_BYTES), job)
            except OSError:
                pass
        return None


def _beginning(path: Path, most: int) -> str:
    """Return the beginning of a regular file; "" for a pipe, which could block."""
    if is_written_through(path):
        return ""
    with path.open("rb") as file:
        return file.read(most).decode("utf-8", "replace")


def _is_report(path: Path, begin: str) -> bool:
    try:
        return _beginning(path, len(begin)) in (begin, "")
    except FileNotFoundError:
        return True
    except OSError:
        return False


def ended(
    job: Job,
    result: Summary,
    teller: ProgressLog,
    number: int | None,
    reports: Reports,
    fail_on: str | None = None,
) -> int:
    """Report how the job ended, and return the exit status.

    ``number`` is the signal that stopped the job. Rows with warnings of the severity ``fail_on``, or a higher
    one, count as rejected in the status.
    """
    counts = result.counts
    rows = f"{counted(counts.rows, 'row')}, {counts.rejected:,} rejected"
    if job.warn:
        rows += f", {sum(counts.warned.values()):,} with warnings"
    if result.status == STOPPED:
        further = (
            "repeat the command with --resume to continue" if can_resume(job) else "it cannot be resumed"
        )
        reports.write_failure(result, signal.Signals(number or signal.SIGINT).name)
        teller.end(f"stopped after {rows}; {further}", counts, result.status)
        return 128 + (number or 2)
    if result.status == FINISHED:
        with reports.publishing(result, standard_output=True):
            pass
        if reports.lineage is not None:
            reports.lineage.end(result)
        bad = len(result.bad_sources)
        skipped = f", {counted(bad, 'source')} skipped" if bad else ""
        teller.end(f"{rows}{skipped}, in {result.seconds:.1f} s", counts, result.status)
        if counts.undecided:
            teller.fail(message("strings-undecided", count=counts.undecided))
        warned = 0 if fail_on is None else counts.warned_at(fail_on)
        return exit_status((), counts.rejected + bad + warned, counts.undecided)
    if job.on_error == "fail":
        reason = message("row-fatal", first=_first(result))
    else:
        reason = message(
            "rejects-beyond-limit", rejected=counts.rejected, rows=counts.rows, limit=job.max_rejects
        )
    reports.write_failure(result, reason)
    teller.fail(reason)
    return EXIT_USAGE if counts.undecided else EXIT_NOTHING_PUBLISHED


def _first(result: Summary) -> str:
    samples = [each for codes in result.counts.samples.values() for some in codes.values() for each in some]
    if not samples:
        return "see --summary"
    each = min(samples, key=lambda sample: int(sample["row"]))
    where = each["line"] or f"row {each['row']}"
    return f"{each['source']}:{where}: {each['message']} ({each['column'] or 'row'})"


def plan(job: Job, preview: Preview) -> str:
    """Return the plan, with a line per step and an example reject for each code."""
    return "".join(f"{line}\n" for line in _lines(job, preview))


def _lines(job: Job, preview: Preview) -> Iterator[str]:
    sources, counts = preview.sources, preview.counts
    read, what = ("Revalidate", "rejects file") if job.replay else ("Read", "source")
    yield f"{read} {len(sources):,} {sources[0].format.name} {what}{'s' * (len(sources) != 1)}:"
    for source in sources[:_MOST_SOURCES]:
        yield f"  {source.shown}"
    if len(sources) > _MOST_SOURCES:
        yield f"  and {len(sources) - _MOST_SOURCES:,} more"
    if preview.bad:
        yield f"Skip {counted(len(preview.bad), 'source')}:"
        for each in preview.bad[:_MOST_SOURCES]:
            yield f"  {escape(each.reason)}"
    yield "Validate"
    for column in job.columns:
        yield f"  {column.name} by {column.rule.grammar.name}:{column.rule.name}"
        if note := range_note(column.rule):
            yield f"    {escape(note)}"
    yield "Do not write valid rows" if job.valid is None else f"Write valid rows to {job.valid}"
    yield _REJECTED.get(job.on_error, f"Write rejected rows to {job.rejects}")
    if job.warn:
        yield f"Warn about {', '.join(job.warn)}"
    if job.warnings is not None:
        yield f"Write rows with warnings to {job.warnings}"
    end = ":" if counts.rejected else "."
    yield f"{counts.rejected:,} of the first {counted(counts.rows, 'row')} rejected{end}"
    yield from _samples(counts.samples, counts.by_column)
    if job.warn:
        warned = sum(counts.warned.values())
        yield f"{warned:,} of these rows with warnings{':' if warned else '.'}"
        yield from _samples(counts.warning_samples, counts.warnings)


def _samples(
    samples_by_column: Mapping[str, Mapping[str, list[dict[str, Any]]]],
    counts: Mapping[str, Mapping[str, int]],
) -> Iterator[str]:
    for name, codes in samples_by_column.items():
        for code, samples in codes.items():
            yield f"  {name} {code} ({counts[name][code]:,})"
            for each in samples[:1]:
                place = f"line {each['line']}" if each["line"] else f"row {each['row']}"
                text = each["text"]  # None if the row as a whole is rejected
                yield f"    {place}" if text is None else f"    {place}: {escape(text)}"
                yield f"    {escape(each['message'])}"


def page(
    summary: Mapping[str, Any],
    notes: Mapping[str, str] | None = None,
    earlier: Sequence[Mapping[str, Any]] | None = None,
) -> str:
    """Return the page for a summary; ``notes`` has a sentence on the rule of a column, by its name.

    ``earlier`` are the summaries of earlier runs, from the oldest, for the trend.
    """
    development = None if earlier is None else trend(summary, earlier)
    new = frozenset() if development is None else development["new"]

    def new_in(column: str, codes: Mapping[str, Any], family: str) -> bool:
        return any((column, code) in new for code, each in codes.items() if each["family"] == family)

    rows, rejected = summary["rows"], summary["rejected"]
    share = rejected / rows if rows else 0
    warned = sum(summary["warned"].values())
    details = {f"{each['grammar']} (sha256)": each["sha256"] for each in summary["columns"]}
    details |= {name: value for name, value in summary["options"].items() if value not in (None, False, [])}
    details |= summary["versions"]
    pieces = pages.render(
        "split",
        title=f"{rejected:,} of {rows:,} rows rejected{_ENDS[summary['status']]}",
        summary=summary,
        notes=notes or {},
        share=share,
        values={
            "rows": f"{rows:,}",
            "valid": f"{summary['valid']:,}",
            "rejected": f"{rejected:,}",
            **({"with warnings": f"{warned:,}"} if "warn" in summary["options"] else {}),
            "reject rate": f"{share:.2%}",
            "seconds": f"{summary['seconds']:,.1f}",
        },
        details={name: str(value) for name, value in details.items()},
        meanings={name: family.meaning for name, family in FAMILIES.items()} | {OTHER: ""},
        trend=development,
        new=new,
        new_in=new_in,
        shown_runs=_MOST_RUNS,
        shown_codes=_MOST_NEW,
        as_count="{:,}".format,
        as_share="{:.2%}".format,
        anchor=_anchor,
        blamed=_blamed,
    )
    return "".join(pieces)


def _anchor(title: str, code: str) -> str:
    """Return the id of the examples of a code, without spaces and quotes in a column's name."""
    return quote(f"{title}-{code}", safe="", errors="surrogatepass")


def _blamed(sample: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Return a rejected string before, in and after the mistake, and a caret below the mistake."""
    text, start = sample["text"], sample["start"] or 0
    end = max(sample["end"] or 0, start + 1)
    before, blamed, after = (escape(batch) for batch in (text[:start], text[start:end], text[end:]))
    return before, blamed, after, " " * len(before) + "^" * max(1, len(blamed))
