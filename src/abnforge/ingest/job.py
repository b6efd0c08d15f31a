"""The definition of a job: sources, columns, outputs and options, and checks that they fit together."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from abnforge import __version__
from abnforge._arguments import instance_argument, optional_argument, plain_argument, sequence_argument
from abnforge.catalog import Message
from abnforge.columns.warnings import has_warnings
from abnforge.ingest import storage
from abnforge.ingest.batch import Column
from abnforge.ingest.messages import JobError, message
from abnforge.ingest.sources.csv import DEFAULT_CSV, CsvOptions
from abnforge.ingest.sources.discovery import FORMATS, counts_below, format_of_rejects
from abnforge.ingest.storage import RemoteOutput, RemotePath
from abnforge.ingest.validate import Redactor
from abnforge.messages import message as argument_message
from abnforge.outputs import Output, is_written_through, key_of, output_at
from abnforge.uri.security import security_codes

REJECT, DROP, FAIL, KEEP = "reject", "drop", "fail", "keep"
ON_ERROR = (REJECT, DROP, FAIL, KEEP)
ON_WARNING = (KEEP, REJECT)
NULLS = ("valid", "reject")
SKIP, QUARANTINE = "skip", "quarantine"
ON_BAD_SOURCE = (FAIL, SKIP, QUARANTINE)

# The keys of an identity that do not depend on sources and versions.
CHOSEN = ("column", "order of columns", "option")
VERSIONS = {"abnforge": __version__, "pyarrow": pa.__version__}

DEFAULT_MAX_ROW_BYTES = 1 << 24  # rows of tables are larger than lines of lists
DEFAULT_SAMPLES = 3


def output_for(path: Path | RemotePath, is_directory: bool = False) -> Output:
    """Return the output at a path. Raises JobError if it cannot be written."""
    if isinstance(path, RemotePath):
        return RemoteOutput.at(path)
    if is_directory:
        return RemoteOutput.in_directory(path)
    try:
        return output_at(path)
    except OSError as error:
        raise JobError(message("output-unusable", path=str(path), reason=error.strerror)) from None


@dataclass(frozen=True)
class Run:
    """One run of a job: the name of the job, the UUID of the run, and its start in seconds since 1970.

    A resumed job is another run. Raises JobError for an ``id`` that is not a UUID.
    """

    name: str = "split"
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    started: float = field(default_factory=lambda: time.time())

    def __post_init__(self) -> None:
        try:
            canonical = str(uuid.UUID(plain_argument(self.id, "run_id")))
        except ValueError:
            raise JobError(message("run-id-malformed", parameter="run_id", value=self.id)) from None
        object.__setattr__(self, "id", canonical)


@dataclass(frozen=True)
class Job:
    """A job. Its outputs change only when the job is complete; without ``valid``, valid rows are not written.

    ``on_error`` is ``reject`` (write rejected rows to ``rejects``), ``drop`` (only count them), ``fail``
    (stop at the first rejected row), or ``keep`` (write all rows to ``valid``, with a column ``_errors``).
    ``on_warning`` is ``keep`` or ``reject``: rejects rows with findings that are not only notes.
    ``max_rejects`` is a number of rows, or a share such as ``5%``. With ``replay`` the sources are rejects of
    other jobs, whose rows are validated again. Raises JobError for options that cannot be combined.
    """

    sources: Sequence[Any]
    columns: Sequence[Column]
    valid: Path | RemotePath | None = None
    rejects: Path | RemotePath | None = None
    input_format: str | None = None
    encoding: str | None = None
    id: str | None = None
    nulls: str = "valid"
    null_values: Sequence[str] = ()  # strings that are missing values
    on_error: str = REJECT
    warn: Sequence[str] = ()  # codes or families of findings about valid URIs
    warnings: Path | RemotePath | None = None  # the output of valid rows with findings
    on_warning: str = KEEP
    max_rejects: str | None = None
    samples: int = DEFAULT_SAMPLES
    suggest: bool = False
    max_row_bytes: int = DEFAULT_MAX_ROW_BYTES
    redactor: Redactor | None = field(default=None, repr=False)
    resume: bool = False
    jobs: int = 1
    layout: CsvOptions = DEFAULT_CSV  # for CSV and TSV
    replay: bool = False
    on_bad_source: str = FAIL
    union_by_name: bool = False
    partition_by: Sequence[str] = ()  # columns of valid rows
    max_file_bytes: int | None = None  # the approximate size of the files of valid rows
    cache: bool = True  # use the cache on disk
    run: Run = field(default_factory=Run)  # for reports; outputs do not depend on it
    more: Mapping[str, Any] = field(default_factory=dict)  # options from which the columns' rules were built

    def __post_init__(self) -> None:
        self._check_types()
        if not self.sources:
            raise JobError(message("parameter-required", parameter="sources"))
        if not self.columns:
            raise JobError(message("parameter-required", parameter="columns"))
        names = [column.name for column in self.columns]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise JobError(message("column-repeated", column=twice[0]))
        allowed = {
            "nulls": NULLS,
            "on_error": ON_ERROR,
            "on_warning": ON_WARNING,
            "on_bad_source": ON_BAD_SOURCE,
        }
        if self.input_format is not None:
            allowed["input_format"] = FORMATS
        for name, choices in allowed.items():
            if (value := getattr(self, name)) not in choices:
                raise JobError(argument_message("argument-choice", name=name, choices=choices, value=value))
        if self.on_error == REJECT and self.rejects is None:
            raise JobError(
                message(
                    "parameter-required-unless",
                    parameter="rejects",
                    other="on_error",
                    values=(DROP, FAIL, KEEP),
                )
            )
        if self.on_error != REJECT and self.rejects is not None:
            raise JobError(self._excluded("rejects", "on_error"))
        if self.on_error == KEEP and self.valid is None:
            raise JobError(message("parameter-required-if", parameter="valid", other="on_error", value=KEEP))
        if self.rejects is not None:
            format_of_rejects(str(self.rejects))
        if self.on_bad_source == QUARANTINE and (
            not isinstance(self.rejects, Path) or is_written_through(self.rejects)
        ):
            raise JobError(message("quarantine-without-file", parameter="on_bad_source", other="rejects"))
        for name in ("partition_by", "max_file_bytes"):
            if getattr(self, name) not in ((), [], None):
                if self.valid is None:
                    raise JobError(message("parameter-required-with", parameter="valid", other=name))
                if isinstance(self.valid, Path) and is_written_through(self.valid):
                    raise JobError(message("directory-of-file", parameter=name, path=str(self.valid)))
        self._check_warnings()
        self.layout.checked()
        if self.union_by_name and self.layout.names is not None:
            raise JobError(message("parameter-excluded", parameter="union_by_name", other="names"))
        if self.union_by_name and self.layout.comment is not None:  # an aligned row might become a comment
            raise JobError(message("parameter-excluded", parameter="union_by_name", other="comment"))
        self._check_replay()
        self._check_sources()
        self.limit(0)

    def _check_types(self) -> None:
        for name in ("input_format", "encoding", "id", "max_rejects"):
            optional_argument(getattr(self, name), name)
        for name in ("samples", "max_row_bytes", "jobs"):
            instance_argument(getattr(self, name), name, int, "an int")
        sequence_argument(self.columns, "columns", Column, "Column")
        sequence_argument(self.null_values, "null_values", str, "str")
        sequence_argument(self.warn, "warn", str, "str")
        sequence_argument(self.partition_by, "partition_by", str, "str")
        if self.max_file_bytes is not None:
            instance_argument(self.max_file_bytes, "max_file_bytes", int, "an int")
        if self.jobs < 1:
            raise JobError(
                argument_message("argument-value", name="jobs", expected="at least 1", value=self.jobs)
            )

    def _check_warnings(self) -> None:
        security_codes(self.warn)
        if self.warn and not any(has_warnings(each.rule) for each in self.columns):
            raise JobError(message("warn-without-uris", parameter="warn"))
        for name, unset in (("warnings", None), ("on_warning", KEEP)):
            if not self.warn and getattr(self, name) != unset:
                raise JobError(message("parameter-required-with", parameter="warn", other=name))
        if self.warnings is not None:
            format_of_rejects(str(self.warnings))

    def _check_replay(self) -> None:
        if not self.replay:
            return
        for name in ("on_bad_source", "union_by_name"):
            if getattr(self, name) not in (FAIL, False):
                raise JobError(message("parameter-excluded", parameter=name, other="replay"))
        for name in ("id", "encoding"):  # rejects keep their identifiers, and are UTF-8
            if getattr(self, name) is not None:
                raise JobError(message("parameter-excluded", parameter=name, other="replay"))
        for name in ("quote", "escape", "comment"):  # rejects have the format of abnforge
            if getattr(self.layout, name) != getattr(DEFAULT_CSV, name):
                raise JobError(message("parameter-excluded", parameter=name, other="replay"))
        if self.on_error == KEEP:
            raise JobError(self._excluded("replay", "on_error"))

    def _check_sources(self) -> None:
        if self.resume and not all(isinstance(each, str) for each in self.sources):
            raise JobError(message("batches-once", parameter="resume"))

    def _excluded(self, parameter: str, other: str) -> Message:
        return message("parameter-excluded-if", parameter=parameter, other=other, value=getattr(self, other))

    @property
    def is_directory(self) -> bool:
        """Return whether valid rows are written to several files."""
        return bool(self.partition_by) or self.max_file_bytes is not None

    @property
    def outputs(self) -> list[Path | RemotePath]:
        return [path for path in (self.valid, self.rejects, self.warnings) if path is not None]

    def limit(self, rows: int) -> int | None:
        """Return the maximum number of rejected rows among ``rows`` rows; None if unlimited."""
        if self.on_error == FAIL:
            return 0
        if self.max_rejects is None:
            return None
        text = self.max_rejects.strip()
        try:
            if text.endswith("%"):
                share = float(text[:-1])
                if 0 <= share <= 100:
                    return int(rows * share / 100 + 1e-9)
            elif text.isascii() and text.isdigit():
                return int(text[:18])
        except ValueError:
            pass
        raise JobError(message("max-rejects-malformed", parameter="max_rejects", value=self.max_rejects))

    @property
    def unexplained(self) -> bool:
        """Return whether the job explains only the samples, so that reading and writing dominate its time."""
        return self.on_error in (DROP, FAIL)

    @property
    def limit_is_share(self) -> bool:
        return self.max_rejects is not None and self.max_rejects.strip().endswith("%")

    def check_outputs(self, sources: Sequence[str]) -> list[Output]:
        """Return the outputs.

        Raises JobError if an output cannot be written or is a source, or if two outputs are the same file.
        """
        outputs = [output_for(path, self.is_directory and path is self.valid) for path in self.outputs]
        keys = [each.key for each in outputs]
        if len(set(keys)) < len(keys):
            raise JobError(message("outputs-equal", parameter="valid", other="rejects", path=str(self.valid)))
        for source in sources:
            if storage.is_uri(source) or self.is_directory:
                is_output = any(source.startswith(f"{str(path).rstrip('/')}/") for path in self.outputs)
            else:
                is_output = key_of(os.stat(source)) in keys
            if is_output:
                raise JobError(message("source-is-output", path=source))
        return outputs

    def outputs_in_sources(self) -> list[str]:
        """Return warnings about outputs that the same job would read as sources if it ran again."""
        return [
            message("output-in-sources", path=str(path), source=name)
            for path in self.outputs
            if isinstance(path, Path) and not is_written_through(path)
            for name in self.sources
            if isinstance(name, str) and os.path.isdir(name) and counts_below(name, path)
        ]

    def _csv_options(self) -> dict[str, Any]:
        """Return the CSV options that differ from the defaults."""
        marks = ("delimiter", "quote", "escape", "comment")
        options = {
            name: getattr(self.layout, name)
            for name in marks
            if getattr(self.layout, name) != getattr(DEFAULT_CSV, name)
        }
        if (names := self.layout.names) is not None:
            options["header" if names else "no-header"] = list(names) or True
        return options

    def _warning_options(self) -> dict[str, Any]:
        if not self.warn:
            return {}
        path = {} if self.warnings is None else {"warnings": str(self.warnings)}
        return {"warn": sorted(self.warn), "on-warning": self.on_warning, **path}

    def identity(
        self, sources: dict[str, Any], schema: str, bad: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Return everything that determines the bytes of the outputs."""
        return {
            "source": sources,
            "bad source": dict(bad or {}),
            "column": {
                each.name: {"grammar": each.rule.grammar.name, "sha256": each.sha256, "rule": each.rule.name}
                for each in self.columns
            },
            "order of columns": [each.name for each in self.columns],
            "schema": schema,
            "option": {
                "valid": self.valid and str(self.valid),
                "rejects": self.rejects and str(self.rejects),
                "input-format": self.input_format,
                "encoding": self.encoding,
                **self._csv_options(),
                "id": self.id,
                "nulls": self.nulls,
                **({"null-value": list(self.null_values)} if self.null_values else {}),
                "on-error": self.on_error,
                **self._warning_options(),
                "max-rejects": self.max_rejects,
                "sample-rejects": self.samples,
                "suggest": self.suggest,
                "max-row-bytes": self.max_row_bytes,
                "mask-passwords": self.redactor is not None,
                "replay": self.replay,
                **({} if self.on_bad_source == FAIL else {"on-bad-source": self.on_bad_source}),
                **({"union-by-name": True} if self.union_by_name else {}),
                **({"partition-by": list(self.partition_by)} if self.partition_by else {}),
                **({"max-file-bytes": self.max_file_bytes} if self.max_file_bytes else {}),
                **self.more,
            },
            "version": dict(VERSIONS),
        }
