"""Run a job: read batches, validate them, write them, save the state, and publish the outputs."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from abnforge.columns.arrays import rule_argument
from abnforge.engine.rule import Rule
from abnforge.ingest.batch import (
    ERROR_LIST,
    ERRORS,
    ROW,
    SOURCE,
    Batch,
    Column,
    Position,
    unknown_column,
)
from abnforge.ingest.checkpoint import (
    STATE,
    Disk,
    WorkDir,
    begin_all,
    is_final,
    lock_all,
    named_output,
    saved_state,
    work_dirs,
)
from abnforge.ingest.events import CallerEvents, JobEvents, Plan, Progress
from abnforge.ingest.job import (
    DEFAULT_MAX_ROW_BYTES,
    DEFAULT_SAMPLES,
    FAIL,
    KEEP,
    QUARANTINE,
    REJECT,
    Job,
    Run,
)
from abnforge.ingest.lineage import Lineage
from abnforge.ingest.messages import JobError, message
from abnforge.ingest.sinks.convert import Conversion
from abnforge.ingest.sinks.rejects import OF_WARNINGS, CsvRejects, JsonRejects, Reasons, Rejects, TableRejects
from abnforge.ingest.sinks.rows import Sink, TableSink, TextSink, parquet, writer_by_name, writer_like
from abnforge.ingest.sources import arrow, discovery, text
from abnforge.ingest.sources.arrow import TableReader
from abnforge.ingest.sources.csv import DEFAULT_CSV, CsvOptions, CsvReader, check_csv_options
from abnforge.ingest.sources.discovery import (
    ARROW,
    FORMATS,
    JSONL,
    LINES,
    PARQUET,
    STATEMENTS,
    TABLES,
    BadSource,
    Format,
    SourceFile,
    ending_of,
    format_of_accepted,
    format_of_rejects,
)
from abnforge.ingest.sources.drift import missing_columns, quarantine, quarantine_of, sift
from abnforge.ingest.sources.jsonl import JsonReader
from abnforge.ingest.sources.rejects import replay_reader
from abnforge.ingest.sources.statements import StatementsReader, line_column
from abnforge.ingest.sources.streams import check_encoding
from abnforge.ingest.sources.text import LinesReader
from abnforge.ingest.storage import output_path
from abnforge.ingest.summary import FAILED, FINISHED, STOPPED, TOO_MANY, Counts, Summary
from abnforge.ingest.validate import Validator, Verdicts, ahead, processors
from abnforge.uri.security import security_codes

MOST_SHARED = 64  # maximum number of batches that share a checkpoint, for small sources


class _Running:
    """A job with the objects that it needs while it runs."""

    def __init__(self, job: Job, disk: Disk, note: Callable[[str], None]) -> None:
        self.job = job
        self.disk = disk
        self.bad: list[BadSource] = []
        skips = job.on_bad_source != FAIL
        self.sources = discovery.discover(job.sources, job.input_format, self.bad if skips else None)
        if skips:
            self.sources, unreadable = sift(
                self.sources, lambda some: reader_for(job, some, lambda _: None), job.union_by_name
            )
            self.bad += unreadable
        for each in self.bad:
            note(message("source-skipped", reason=each.reason))
        outputs = job.check_outputs([source.path for source in self.sources if source.is_file])
        self.reader = reader_for(job, self.sources, note)
        self.reader.check(job.columns)
        for warning in [*job.outputs_in_sources(), *missing_columns(self.reader, job.columns)]:
            note(warning)
        self.known = {source.shown: discovery.identity(source) for source in self.sources}
        bad = {each.path: each.reason for each in self.bad}
        self.identity = job.identity(self.known, self.reader.described(), bad)
        columns = [*self._own_columns(), *job.columns]
        self.validator = Validator(
            columns,
            job.nulls == "reject",
            job.suggest,
            job.redactor,
            job.jobs,
            job.null_values,
            security_codes(job.warn),
            job.on_warning == REJECT,
            job.cache,
        )
        each_one, self.works = work_dirs(outputs, disk)
        self._works = iter(each_one)
        self.conversion: Any = None  # of valid rows to another format
        self.valid = self._valid_sink()
        self._divide(self.valid)
        self.rejects = self._rejects(job.rejects, Reasons())
        self.warnings = self._rejects(job.warnings, OF_WARNINGS)
        self.sinks: dict[str, Sink[Any]] = {}
        if self.valid is not None:
            self.valid.ending = ending_of(self._format_of_valid())
            self.sinks["valid"] = self.valid
        for name, rejects in ("rejects", self.rejects), ("warnings", self.warnings):
            if rejects is not None:
                rejects.sink.ending = ending_of(format_of_rejects(str(getattr(job, name))))
                self.sinks[name] = rejects.sink
        self.counts = Counts()
        self.position = Position()
        self.seconds = 0.0
        self.names = [column.name for column in columns]
        self.batches_held = self.rows_held = self.octets_held = 0  # counts since the last checkpoint
        self.has_state = False  # True if a checkpoint exists
        self.octets = None
        if all(source.is_file for source in self.sources):
            self.octets = self.reader.octets()

    def _own_columns(self) -> Iterator[Column]:
        """Yield the columns that the format of the sources validates."""
        kind = self.sources[0].format.name
        if kind in STATEMENTS and not self.job.replay:
            yield line_column(kind)

    def _kind_of_valid(self) -> str:
        """Return the format of valid rows: that of the sources, or Parquet or Arrow for record batches."""
        if self.job.replay:
            kind: str = self.reader.kind
            return kind
        source = self.sources[0]
        if source.batches is None:
            return source.format.name
        return ARROW if discovery.is_arrow(str(self.job.valid)) else PARQUET

    def _format_of_valid(self) -> Format:
        is_fixed = self.job.replay or self.job.on_error == KEEP
        kind = self._kind_of_valid()
        if self.job.partition_by and kind not in TABLES and not is_fixed:
            kind = PARQUET  # for a name without an extension
        return format_of_accepted(str(self.job.valid), kind, is_fixed)

    def _converted(self, work: WorkDir, kind: str, format: Format) -> Any:
        """Return the sink of valid rows whose format is not ``kind``."""
        job = self.job
        if kind == JSONL:
            self.reader.complete_keys()
        reserved = () if kind in TABLES else (ROW, ERRORS, SOURCE) if kind == JSONL else (ROW,)
        if lost := set(self.reader.own_columns()).intersection(reserved):
            raise JobError(message("column-name-reserved", column=min(lost)))
        schema = self.reader.schema if kind in TABLES else self.reader.reject_schema()
        self.conversion = Conversion(schema, kind, format.name, job.null_values)
        if format.name in TABLES:
            if format.name == PARQUET:
                TableRejects.check(self.conversion.schema)
            writer = writer_by_name(self._file_name(work, format), "zstd")
            return TableSink(work, self.disk, self.conversion.schema, writer, job.jobs > 1)
        return TextSink(work, self.disk, format.compression, self.conversion.header())

    def _file_name(self, work: WorkDir, format: Format) -> str:
        """Return the name of the file of valid rows, or the name of each file of a directory."""
        return str(self.job.valid) if work.remote is None else f"part{ending_of(format)}"

    def _divide(self, sink: Any) -> None:
        """Let a sink write several files, as the job requests."""
        names = self.job.partition_by
        if sink is not None:
            sink.max_file_bytes = self.job.max_file_bytes
        if not names:
            return
        if not isinstance(sink, TableSink):
            format = self._format_of_valid().name
            path = str(self.job.valid)
            raise JobError(message("partition-format", parameter="partition_by", format=format, path=path))
        for name in names:
            if name not in sink.schema.names:
                raise JobError(unknown_column(name, sink.schema.names))
            kind = sink.schema.field(name).type
            if kind.num_fields or isinstance(kind, pa.BaseExtensionType):
                raise JobError(message("partition-type", column=name, type_name=str(kind)))
        sink.partition(names)

    def _valid_sink(self) -> Any:
        job = self.job
        if job.valid is None:
            return None
        kind = self._kind_of_valid()
        work = next(self._works)
        format = self._format_of_valid()
        if format.name != kind:
            return self._converted(work, kind, format)
        if kind in TABLES:
            schema = self.reader.schema
            if job.on_error == KEEP:
                if ERRORS in schema.names:
                    raise JobError(message("column-flagged", column=ERRORS))
                schema = schema.append(pa.field(ERRORS, ERROR_LIST))
            name = self._file_name(work, format)
            assemble = writer_by_name(name, None) if job.replay else writer_like(self.sources[0], name)
            return TableSink(work, self.disk, schema, assemble, job.jobs > 1)
        header = self.reader.header(job.on_error == KEEP)
        encoding = check_encoding(job.encoding)
        return TextSink(work, self.disk, format.compression, header, encoding, job.jobs > 1)

    def _rejects(self, path: Any, of: Reasons) -> Rejects | None:
        job = self.job
        if path is None:
            return None
        name, compression = format_of_rejects(str(path))
        columns = self.reader.reject_schema()
        self._check_names(columns, name, of.column)
        work = next(self._works)
        hide = None if job.redactor is None else job.redactor.text
        if name == JSONL:
            return JsonRejects(work, self.disk, compression, hide, of)
        if name == PARQUET:
            TableRejects.check(columns)
            masking = hide is not None or (job.replay and self.reader.masking)
            schema = TableRejects.schema(columns, self.reader.id_type, masking, of)
            staged = TableSink(work, self.disk, schema, parquet({"compression": "zstd"}))
            return TableRejects(staged, hide, of)
        return CsvRejects(work, self.disk, compression, hide, columns.names, of)

    def _check_names(self, columns: Any, written_as: str, reasons: str) -> None:
        """Raise JobError for column names that rejects cannot have; JSON Lines may have any keys."""
        if not self.job.replay and self.sources[0].format.name != JSONL:
            own = self.reader.own_columns()
            if reserved := {reasons, SOURCE}.intersection(own):
                raise JobError(message("column-rejected", column=min(reserved), parameter="replay"))
            if ROW in own:
                raise JobError(message("column-name-reserved", column=ROW))
        if self.job.redactor is not None and written_as != JSONL:
            for number, column in enumerate(columns.names, 1):
                if self.job.redactor.text(column) != column:
                    raise JobError(message("column-name-masked", number=number))

    def plan(self) -> Plan:
        rejects = self.reader.reject_schema()
        rows = pa.schema([field for field in rejects if field.name != ROW])
        outputs: dict[Any, Any] = {}
        if self.valid is not None:
            outputs[self.job.valid] = getattr(self.valid, "schema", rows), "valid"
        if self.rejects is not None:
            outputs[self.job.rejects] = TableRejects.schema(rejects, self.reader.id_type), "rejected"
        return Plan(self.job, self.sources, rows, outputs)

    # ---- before and after the batches ----

    def begin(self, note: Callable[[str], None]) -> bool:
        """Lock the outputs, and begin or resume the job. Return whether all batches are done."""
        lock_all(self.works)
        state = saved_state(self.works, self.identity, note) if self.job.resume else None
        if state is None:
            begin_all(self.works, self.identity)
            return False
        self.has_state = True
        self.counts = Counts(**state["counts"])
        self.position = Position(*state["position"])
        self.seconds = state["seconds"]
        for name, sink in self.sinks.items():
            sink.restore(state["sinks"][name])
            if not state["ready"]:
                sink.check_parts()
        return bool(state["ready"])

    def checkpoint(self, started: float, ready: bool = False) -> None:
        """Finish a part of each output, and save the state of the job."""
        state = {
            "position": self.position,
            "sinks": {name: sink.commit() for name, sink in self.sinks.items()},
            "counts": vars(self.counts),
            "seconds": round(self.seconds + time.monotonic() - started, 3),
            "ready": ready,
        }
        self.works[0].save(STATE, state)
        self.batches_held = self.rows_held = self.octets_held = 0
        self.has_state = True

    def is_full(self) -> bool:
        """Return whether the next checkpoint is due.

        The result depends on the sources alone, so that a resumed job forms the same groups of batches.
        """
        return (
            self.rows_held >= arrow.LEAST_ROWS
            or self.octets_held >= text.BLOCK // 2
            or self.batches_held >= MOST_SHARED
        )

    def close(self) -> None:
        for sink in self.sinks.values():
            sink.close()
        for work in self.works:
            work.unlock()

    def batches(self) -> Iterator[tuple[Batch, Verdicts]]:
        """Yield the remaining batches, each with its verdicts."""
        most = self.job.samples if self.job.unexplained else None
        for batch in self.reader.batches(self.position):
            yield batch, self.validator.validate(batch, most)
            del batch  # the caller also releases the batch before the next one is read

    def take(self, batch: Batch, verdicts: Verdicts) -> None:
        """Write the rows of one batch and count them."""
        if self.job.on_error == KEEP:
            self.valid.add(batch.flagged(verdicts.reasons))
        else:
            if self.valid is not None:
                good = verdicts.good
                is_converted = self.conversion is not None
                self.valid.add(self.conversion.rows(batch, good) if is_converted else batch.select(good))
            if self.rejects is not None and verdicts.reasons:
                self.rejects.add(batch, verdicts.reasons)
        if self.warnings is not None and verdicts.warnings:
            self.warnings.add(batch, verdicts.warnings)
        self.counts.add(batch, verdicts, self.names, self.job.samples)
        self.position = batch.after
        self.batches_held += 1
        self.rows_held += batch.rows
        self.octets_held += batch.octets

    def too_many(self, total: int | None) -> bool:
        """Return whether too many rows are rejected. A share is only compared when ``total`` is known."""
        if self.job.limit_is_share and total is None:
            return False
        limit = self.job.limit(total or 0)
        return limit is not None and self.counts.rejected > limit


def split(
    sources: Any,
    columns: Mapping[str, Rule | str] | Sequence[Column],
    valid: str | os.PathLike[str] | None = None,
    rejects: str | os.PathLike[str] | None = None,
    *,
    id: str | None = None,
    nulls: str = "valid",
    null_values: Sequence[str] = (),
    on_error: str = REJECT,
    warn: Sequence[str] = (),
    warnings: str | os.PathLike[str] | None = None,
    on_warning: str = KEEP,
    max_rejects: str | None = None,
    suggest: bool = False,
    samples: int = DEFAULT_SAMPLES,
    input_format: str | None = None,
    encoding: str | None = None,
    csv: CsvOptions = DEFAULT_CSV,
    on_bad_source: str = FAIL,
    union_by_name: bool = False,
    partition_by: Sequence[str] = (),
    max_file_bytes: int | None = None,
    max_row_bytes: int = DEFAULT_MAX_ROW_BYTES,
    replay: bool = False,
    resume: bool = False,
    jobs: int | None = None,
    name: str = "split",
    run_id: str | None = None,
    progress: Callable[[Progress], object] | None = None,
    openlineage: Any = None,
    cache: bool = True,
) -> Summary:
    """Split files into valid rows and rejects, as ``abnforge split`` does.

    ``sources`` is a path, a URI, a dataset of pyarrow, an object with ``__arrow_c_stream__``, an iterable of
    RecordBatches, or a list of these. ``columns`` maps each column to its rule (a Rule, or ``GRAMMAR:RULE``).
    Outputs appear when the job is complete, or not at all. ``progress`` is called after each batch. An
    exception that it raises, and KeyboardInterrupt, cancel the job: nothing is published, and working files
    are removed unless ``resume`` is True: then the same call continues the job. If more rows are rejected
    than allowed, nothing is published, and the summary's ``status`` is ``too-many-rejects``. ``name`` is the
    name of the job in the summary, and ``run_id`` the UUID of this run; by default, a random one.
    ``openlineage`` is a client of openlineage-python that receives the events of the run; a failed delivery
    is a warning.

    ``warn`` are codes or families of ``uri.security``, or ``all``: valid URIs with such findings are counted,
    and written to ``warnings``. ``on_warning="reject"`` rejects rows with warnings and errors.
    With ``cache=False``, the tables of warnings are not cached on disk.

    Raises JobError, ConflictError and OSError as described in docs/ingest.md, and the errors of
    ``abnforge.rule``.
    """
    if isinstance(columns, Mapping):
        columns = [Column(column, rule_argument(rule)) for column, rule in columns.items()]
    some = sources if isinstance(sources, list | tuple) else [sources]
    job = Job(
        sources=[os.fspath(each) if isinstance(each, os.PathLike) else each for each in some],
        columns=columns,
        valid=None if valid is None else output_path(valid),
        rejects=None if rejects is None else output_path(rejects),
        input_format=input_format,
        encoding=encoding,
        id=id,
        nulls=nulls,
        null_values=null_values,
        on_error=on_error,
        warn=warn,
        warnings=None if warnings is None else output_path(warnings),
        on_warning=on_warning,
        max_rejects=max_rejects,
        samples=samples,
        suggest=suggest,
        max_row_bytes=max_row_bytes,
        resume=resume,
        jobs=processors() if jobs is None else jobs,
        layout=csv,
        on_bad_source=on_bad_source,
        union_by_name=union_by_name,
        partition_by=partition_by,
        max_file_bytes=max_file_bytes,
        replay=replay,
        cache=cache,
        run=Run(name) if run_id is None else Run(name, run_id),
    )
    lineage = None if openlineage is None else Lineage(openlineage, job.run, _warn)
    events = CallerEvents(progress, lineage)
    try:
        result = run(job, events, keep=resume)
    except BaseException as error:
        events.failed(job.run, error)
        raise
    if lineage is not None:
        lineage.end(result)
    return result


def _warn(problem: str) -> None:
    warnings.warn(problem, RuntimeWarning, stacklevel=2)


def reader_for(job: Job, sources: list[SourceFile], note: Callable[[str], None]) -> Any:
    """Return the reader of the sources."""
    if job.replay:
        return replay_reader(job, sources, note)
    kind = sources[0].format.name
    check_csv_options(job.layout, kind)
    if sources[0].format.name in TABLES:
        if job.encoding is not None:
            formats = tuple(name for name in FORMATS if name not in TABLES)
            raise JobError(
                message("parameter-requires-format", parameter="encoding", formats=formats, format=kind)
            )
        return TableReader(sources, job.id, job.union_by_name)
    encoding = check_encoding(job.encoding)
    arguments = (sources, job.id, encoding, job.max_row_bytes, note)
    if kind == JSONL:
        return JsonReader(*arguments, union=job.union_by_name)
    if kind == LINES:
        return LinesReader(*arguments)
    if kind in STATEMENTS:
        return StatementsReader(*arguments)
    return CsvReader(*arguments, layout=job.layout, union=job.union_by_name, null_values=job.null_values)


def run(
    job: Job,
    listener: JobEvents | None = None,
    stop: Callable[[], bool] = lambda: False,
    disk: Disk | None = None,
    keep: bool = True,
) -> Summary:
    """Run a job. ``stop`` is called after each batch and before publishing.

    If it returns True, the job stops at the next checkpoint and can be resumed.

    Raises JobError if the job cannot run, ConflictError for another job with the same outputs or a changed
    interrupted job, and OSError if a file cannot be read or written. After an error the job can be resumed,
    unless ``keep`` is False. Memory does not depend on the size of the sources.
    """
    events = listener or JobEvents()
    running = _Running(job, disk or Disk(), events.note)
    started = time.monotonic()
    begun = resumed = False
    events.begun(lambda: _result(running, FAILED, started, resumed), running.plan())
    try:
        ready = running.begin(events.note)
        begun = True
        resumed = running.counts.rows > 0
        if resumed:
            events.resuming(running.counts.rows)
        if not ready:
            total = running.reader.rows()
            for batch, verdicts in ahead(running.batches(), job.jobs):
                running.take(batch, verdicts)
                events.advanced(running.counts, running.octets)
                stopped = stop()
                if running.too_many(total):
                    return _refused(running, started, resumed, total)
                if running.is_full():
                    running.checkpoint(started)
                    if stopped:
                        return _result(running, STOPPED, started, resumed)
                del batch, verdicts  # release the memory before a further batch is read
            if running.too_many(running.counts.rows):
                return _refused(running, started, resumed, None)
            for source in running.sources:
                discovery.check_unchanged(source, running.known[source.shown])
            running.checkpoint(started)
            for sink in running.sinks.values():
                sink.finish()
            running.checkpoint(started, ready=True)
        if stop():
            return _result(running, STOPPED, started, resumed)
        result = _result(running, FINISHED, started, resumed)
        if running.bad and job.on_bad_source == QUARANTINE:
            quarantine(running.bad, quarantine_of(Path(str(job.rejects))), events.note)
        with events.publishing(result):
            for sink in sorted(running.sinks.values(), key=lambda sink: not sink.work.is_stream):
                sink.publish()  # files last: a stream fails if its reader ends
        for work in reversed(running.works):  # remove the checkpoint last
            work.remove()
        return result
    except BaseException as error:
        if begun and (not keep or is_final(error, running.has_state, job.resume)):
            _remove(running)
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise named_output(error, running.works) from None
        raise
    finally:
        running.close()


def _result(
    running: _Running, status: str, started: float, resumed: bool, total: int | None = None
) -> Summary:
    seconds = running.seconds + time.monotonic() - started
    limit = running.job.limit(total or running.counts.rows)
    return Summary(
        status,
        running.counts,
        seconds,
        running.identity,
        resumed,
        limit,
        running.job.run,
        ended=time.time(),
    )


def _refused(running: _Running, started: float, resumed: bool, total: int | None) -> Summary:
    """End a job with too many rejects: publish nothing and remove everything."""
    result = _result(running, TOO_MANY, started, resumed, total)
    _remove(running)
    return result


def _remove(running: _Running) -> None:
    for sink in running.sinks.values():
        sink.close()
    for work in reversed(running.works):
        if work.remote is not None:
            with suppress(JobError):  # the next job removes the remaining objects
                work.remote.discard()
        work.remove()


@dataclass
class Preview:
    """The plan of a job, and the result of its first batch."""

    sources: list[SourceFile]
    counts: Counts
    schema: Any
    bad: list[BadSource]


def preview(job: Job, note: Callable[[str], None] = lambda message: None) -> Preview:
    """Return the plan of a job and the result of its first batch. Raises the errors of :func:`run`."""
    running = _Running(job, Disk(), note)
    for batch, verdicts in running.batches():
        running.counts.add(batch, verdicts, running.names, job.samples)
        break
    return Preview(running.sources, running.counts, running.reader.reject_schema(), running.bad)
