"""The events of a running job: its plan, its progress and its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from abnforge.ingest.job import Job, Run
from abnforge.ingest.sources.discovery import SourceFile
from abnforge.ingest.storage import RemotePath
from abnforge.ingest.summary import FAILED, Counts, Summary, failed_run

if TYPE_CHECKING:
    from abnforge.ingest.lineage import Lineage


class Plan(NamedTuple):
    """A job that begins: its sources, the schema of their rows, and the schema and kind of each output."""

    job: Job
    sources: Sequence[SourceFile]
    schema: Any
    outputs: Mapping[Path | RemotePath, tuple[Any, str]]


class JobEvents:
    """Handlers for the events of a running job; by default, they do nothing."""

    def begun(self, failed: Callable[[], Summary], plan: Plan) -> None:
        """Receive ``failed``, which returns the summary of a job that ends with an error, and the plan."""

    def resuming(self, rows: int) -> None:
        """Handle the start of a job that resumes after this number of rows."""

    def advanced(self, counts: Counts, octets: int | None) -> None:
        """Handle the end of a batch. ``octets`` is the size of all sources, if known."""

    def note(self, message: str) -> None:
        """Handle a note or warning."""

    def publishing(self, result: Summary) -> AbstractContextManager[None]:
        """Return a context for publishing the outputs, which also writes the reports; they appear at its end.

        If the process dies in between, the resumed job calls this method again.
        """
        return nullcontext()


class Progress(NamedTuple):
    """The progress of a job: rows so far, and bytes of all sources; ``total_bytes`` is None if unknown."""

    rows: int
    rejected: int
    bytes: int
    total_bytes: int | None


class CallerEvents(JobEvents):
    """Forwards the events of a job to its caller."""

    def __init__(self, call: Callable[[Progress], object] | None, lineage: Lineage | None) -> None:
        self._call = call
        self._lineage = lineage
        self._failed: Callable[[], Summary] | None = None

    def begun(self, failed: Callable[[], Summary], plan: Plan) -> None:
        self._failed = failed
        if self._lineage is not None:
            self._lineage.begin(plan)

    def advanced(self, counts: Counts, octets: int | None) -> None:
        if self._call is not None:
            self._call(Progress(counts.rows, counts.rejected, counts.octets, octets))

    def failed(self, run: Run, error: BaseException) -> None:
        if self._lineage is not None:
            result = failed_run(FAILED, run) if self._failed is None else self._failed()
            self._lineage.end(replace(result, reason=str(error) or type(error).__name__))
