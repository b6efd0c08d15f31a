"""Report runs of jobs to a catalog of data, as OpenLineage events (extra ``lineage``).

A run emits START, and then COMPLETE, FAIL or ABORT. Each event has the inputs and the outputs with their
schemas. The last event also has row counts, and the verdict of each rule as a data-quality assertion. The
official client sends the events, and reads its own configuration.

Source: https://openlineage.io/spec/2-0-2/OpenLineage.json and its facets.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from abnforge import __version__
from abnforge._lazy import importing, lazy
from abnforge.catalog import MissingExtraError
from abnforge.ingest import storage
from abnforge.ingest.events import Plan
from abnforge.ingest.job import Run
from abnforge.ingest.messages import JobError, message
from abnforge.ingest.summary import FINISHED, MOST_SOURCES, STOPPED, Summary
from abnforge.outputs import is_written_through

with lazy:
    from openlineage import client
    from openlineage.client import event_v2, facet_v2

PRODUCER = f"urn:abnforge:{__version__}"
NAMESPACE, PARENT = "OPENLINEAGE_NAMESPACE", "OPENLINEAGE_PARENT_ID"  # as in other producers
MOST_SECONDS = 10.0  # maximum time to wait for the delivery of the last event


def connect() -> Any:
    """Return a client that is configured by ``openlineage.yml`` or its environment variables.

    Raises MissingExtraError without openlineage-python, and JobError for an invalid configuration.
    """
    try:
        with importing:
            return client.OpenLineageClient()
    except ModuleNotFoundError as error:
        raise MissingExtraError(message("lineage-missing"), name=error.name) from error
    except Exception as error:  # each transport raises other errors
        raise JobError(message("lineage-misconfigured", reason=str(error))) from error


class Lineage:
    """The events of one run. A failed delivery is reported to ``note`` and never stops the job.

    At most ``MOST_SOURCES`` sources are inputs of events.
    """

    def __init__(self, client: Any, run: Run, note: Callable[[str], None]) -> None:
        self._client = client
        self._run = run
        self._note = note
        self._plan: Plan | None = None

    def begin(self, plan: Plan) -> None:
        """Emit START."""
        self._plan = plan
        self._emit("START", self._run.started)

    def end(self, result: Summary) -> None:
        """Emit COMPLETE, ABORT for a stopped run, or FAIL, and wait until it is delivered.

        A run that failed before ``begin`` also emits START, because the specification requires one.
        """
        if self._plan is None:
            self._emit("START", self._run.started)
        status = {FINISHED: "COMPLETE", STOPPED: "ABORT"}.get(result.status, "FAIL")
        self._emit(status, result.ended, result)
        self._client.close(MOST_SECONDS)

    def _emit(self, status: str, time: float, result: Summary | None = None) -> None:
        try:
            with importing:
                self._client.emit(self._event(status, time, result))
        except Exception as error:  # each transport raises other errors
            self._note(message("lineage-undelivered", event=status, reason=str(error)))

    def _event(self, status: str, time: float, result: Summary | None) -> Any:
        engine = facet_v2.processing_engine_run.ProcessingEngineRunFacet(
            __version__, "abnforge", producer=PRODUCER
        )
        facets: dict[str, Any] = {"processing_engine": engine, **_parent()}
        if result is not None and result.reason is not None:
            facets["errorMessage"] = facet_v2.error_message_run.ErrorMessageRunFacet(
                result.reason, "Python", producer=PRODUCER
            )
        kind = facet_v2.job_type_job.JobTypeJobFacet("BATCH", "ABNFORGE", "JOB", producer=PRODUCER)
        return event_v2.RunEvent(
            eventTime=datetime.fromtimestamp(time, UTC).isoformat(),
            producer=PRODUCER,
            eventType=event_v2.RunState[status],
            run=event_v2.Run(self._run.id, facets),
            job=event_v2.Job(os.environ.get(NAMESPACE, "default"), self._run.name, {"jobType": kind}),
            inputs=list(self._inputs(result)),
            outputs=list(self._outputs(result)),
        )

    def _inputs(self, result: Summary | None) -> Iterator[Any]:
        plan = self._plan
        if plan is None:
            return
        facets = {"schema": _schema(plan.schema)}
        for source in [each for each in plan.sources if each.is_file][:MOST_SOURCES]:
            counted = {} if result is None else _measured(result, source.shown)
            yield event_v2.InputDataset(*named(source.path), facets=facets, inputFacets=counted)

    def _outputs(self, result: Summary | None) -> Iterator[Any]:
        plan = self._plan
        if plan is None:
            return
        for path, (schema, kind) in plan.outputs.items():
            if isinstance(path, Path) and is_written_through(path):
                continue
            written = {}
            if result is not None and result.status == FINISHED:
                rows = result.rows if plan.job.on_error == "keep" else getattr(result, kind)
                size = os.path.getsize(path) if isinstance(path, Path) and path.is_file() else None
                written["outputStatistics"] = (
                    facet_v2.output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
                        rows, size, producer=PRODUCER
                    )
                )
            yield event_v2.OutputDataset(
                *named(os.fspath(path)), facets={"schema": _schema(schema)}, outputFacets=written
            )


def named(path: str) -> tuple[str, str]:
    """Return the namespace and the name of a dataset by the naming rules of OpenLineage, without passwords.

    Source: https://openlineage.io/docs/spec/naming
    """
    if not storage.is_uri(path):
        return "file", os.path.abspath(path)
    parts = urlsplit(path)
    user, _, host = parts.netloc.rpartition("@")
    place = f"{user}@{host}" if user and ":" not in user else host  # abfs://CONTAINER@HOST
    return f"{parts.scheme}://{place}", parts.path.strip("/") or "/"


def _parent() -> dict[str, Any]:
    """Return the facet of the run that started this one: ``NAMESPACE/JOB/RUN-ID`` in a variable."""
    words = os.environ.get(PARENT, "").rsplit("/", 2)
    if len(words) != 3:
        return {}
    namespace, name, run = words
    parents = facet_v2.parent_run
    parent = parents.ParentRunFacet(parents.Run(run), parents.Job(namespace, name), producer=PRODUCER)
    return {"parent": parent}


def _schema(schema: Any) -> Any:
    fields = [
        facet_v2.schema_dataset.SchemaDatasetFacetFields(field.name, str(field.type)) for field in schema
    ]
    return facet_v2.schema_dataset.SchemaDatasetFacet(fields, producer=PRODUCER)


def _measured(result: Summary, source: str) -> dict[str, Any]:
    """Return the facets with the counts of a source."""
    counts, identity = result.counts, result.identity
    if source not in counts.by_source:
        return {}
    rows, rejected = counts.by_source[source]
    tests = [_assertion("valid", None, rejected)]
    for name in identity["order of columns"]:
        column = identity["column"][name]
        count = counts.columns_by_source[source].get(name, 0)
        tests.append(_assertion(f"matches {column['grammar']}:{column['rule']}", name, count))
        if count := counts.warnings_by_source[source].get(name, 0):
            tests.append(_assertion("no warnings", name, count))
    size = identity["source"][source].get("size")
    return {
        "inputStatistics": facet_v2.input_statistics_input_dataset.InputStatisticsInputDatasetFacet(
            rows, size, producer=PRODUCER
        ),
        "dataQualityMetrics": (
            facet_v2.data_quality_metrics_input_dataset.DataQualityMetricsInputDatasetFacet(
                {}, rows, size, producer=PRODUCER
            )
        ),
        "dataQualityAssertions": (
            facet_v2.data_quality_assertions_dataset.DataQualityAssertionsDatasetFacet(
                tests, producer=PRODUCER
            )
        ),
    }


def _assertion(test: str, column: str | None, rejected: int) -> Any:
    return facet_v2.data_quality_assertions_dataset.Assertion(
        assertion=test, success=rejected == 0, column=column, expected="0", actual=str(rejected)
    )
