"""How a job of ``abnforge ingest`` ended: the files beside its outputs, the last line, the exit status."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from abnforge.cli.common.ingesting import Teller
from abnforge.cli.common.output import dumps, write
from abnforge.cli.common.status import EXIT_USAGE, exit_status
from abnforge.cli.reports.ingest_page import page
from abnforge.ingest import Job, Result
from abnforge.ingest.files import Disk
from abnforge.ingest.run import FINISHED, STOPPED
from abnforge.ingest.summary import metrics
from abnforge.ingest.summary import summary as summary_of

_STDOUT = Path("-")


def publish(
    result: Result,
    *,
    summary: Path | None = None,
    metrics_path: Path | None = None,
    report: Path | None = None,
    notes: Mapping[str, str] | None = None,
) -> None:
    """What is written beside the outputs, each file as a whole; a summary for standard output is not.

    ``notes`` are sentences on the rules of columns, for the report.
    """
    told = summary_of(result)
    disk = Disk()
    if summary is not None and summary != _STDOUT:
        disk.write_whole(summary, (dumps(told) + "\n").encode())
    if metrics_path is not None:
        disk.write_whole(metrics_path, metrics(told).encode())
    if report is not None:
        disk.write_whole(report, page(told, notes).encode())


def ended(job: Job, result: Result, teller: Teller, number: int | None, summary: Path | None) -> int:
    """Say how the job ended; the exit status. ``number`` is the signal that stopped it, if one did."""
    counts = result.counts
    rows = f"{counts.rows:,} rows, {counts.rejected:,} rejected"
    if job.suggestions:
        applied = sum(sum(codes.values()) for codes in counts.applied.values())
        rows += f", {applied:,} suggestion{'s' * (applied != 1)} applied"
    if result.status == STOPPED:
        said = f"stopped behind {rows}; the same command with --resume goes on"
        teller.end(said, counts, result.status)
        return 128 + (number or 2)
    if result.status != FINISHED:
        teller.publish(result)
    if summary == _STDOUT:
        write(dumps(summary_of(result)) + "\n")
    if result.status == FINISHED:
        teller.end(f"{rows}, in {result.seconds:.1f} s", counts, result.status)
        if counts.undecided:
            teller.fail(
                f"of {counts.undecided:,} texts nothing is known, for the budget did not suffice (--budget): "
                "their rows are among the rejected, with the code limit-exceeded"
            )
        return exit_status((), counts.rejected, counts.undecided)
    if job.on_reject == "fail":
        teller.fail(f"row rejected, and nothing published: {_first(result)}")
        return exit_status((), True, counts.undecided)
    limit = f"{result.limit:,}" if result.limit is not None else job.max_rejects
    teller.fail(
        f"{rows}, and at most {limit} may be (--max-rejects {job.max_rejects}): nothing was published"
    )
    return EXIT_USAGE


def _first(result: Result) -> str:
    """The first reject that was kept as a sample, in short."""
    samples = [each for codes in result.counts.samples.values() for kept in codes.values() for each in kept]
    if not samples:
        return "see --summary"
    each = min(samples, key=lambda sample: int(sample["row"]))
    where = each["line"] or f"row {each['row']}"
    return f"{each['source']}:{where}: {each['message']} ({each['column'] or 'row'})"
