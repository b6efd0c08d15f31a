"""What a job of ``abnforge split`` would do, and what became of its first rows, as text."""

from __future__ import annotations

from collections.abc import Iterator

from abnforge.cli.common.range_notes import range_note
from abnforge.cli.output import totals
from abnforge.ingest.job import Job
from abnforge.ingest.pipeline import Preview
from abnforge.ingest.summary import Counts
from abnforge.text import escape

_MOST_SOURCES = 10  # that are named

_REJECTED = {
    "drop": "Drop rejected rows",
    "fail": "Stop at the first rejected row",
    "keep": "Keep rejected rows there, too, with the errors in _errors",
}


def plan(job: Job, found: Preview) -> str:
    """The plan, a line a step, with one reject of each code."""
    return "".join(f"{line}\n" for line in _lines(job, found))


def _lines(job: Job, found: Preview) -> Iterator[str]:
    sources, counts = found.sources, found.counts
    read, what = ("Revalidate", "rejects file") if job.replay else ("Read", "source")
    yield f"{read} {len(sources):,} {sources[0].format.name} {what}{'s' * (len(sources) != 1)}:"
    for source in sources[:_MOST_SOURCES]:
        yield f"  {source.shown}"
    if len(sources) > _MOST_SOURCES:
        yield f"  and {len(sources) - _MOST_SOURCES:,} more"
    yield "Validate"
    for column in job.columns:
        yield f"  {column.name} by {column.rule.grammar.name}:{column.rule.name}"
        if note := range_note(column.rule):
            yield f"    {escape(note)}"
    yield "Do not write valid rows" if job.valid is None else f"Write valid rows to {job.valid}"
    yield _REJECTED.get(job.on_error, f"Write rejected rows to {job.rejects}")
    end = ":" if counts.rejected else "."
    yield f"{counts.rejected:,} of the first {totals.counted(counts.rows, 'row')} rejected{end}"
    yield from _rejects(counts)


def _rejects(counts: Counts) -> Iterator[str]:
    for name, codes in counts.samples.items():
        for code, samples in codes.items():
            yield f"  {name} {code} ({counts.by_column[name][code]:,})"
            for each in samples[:1]:
                place = f"line {each['line']}" if each["line"] else f"row {each['row']}"
                text = each["text"]  # None of a row that is rejected as a whole
                yield f"    {place}" if text is None else f"    {place}: {escape(text)}"
                yield f"    {escape(each['message'])}"
