"""Jobs over files done by Spark: it says which worker does which unit, and has lost ones done again.

Files are read and written by the workers, with the same code as without Spark, so that rows stay as they are
in all formats; only numbers of units and what became of them pass through Spark. See docs/spark.md.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from abnforge.catalog import MissingExtraError
from abnforge.ingest.messages import message

try:
    import pandas as _pandas  # noqa: F401 - mapInArrow wants it where the driver is
    import pyspark
    from pyspark.sql import SparkSession
except ModuleNotFoundError as error:
    raise MissingExtraError(message("spark-missing", package=error.name), name=error.name) from error

from abnforge.ingest.failures import JobError
from abnforge.ingest.job import Job
from abnforge.ingest.run import Listener, Result
from abnforge.ingest.units import do, run_in_units

_LOOK = 0.3  # seconds between looks at what is done


def session(master: str, conf: Mapping[str, str] | None = None) -> Any:
    """A session for a job: at ``local[*]``, ``spark://HOST:PORT``, ``yarn``, ..., or ``sc://HOST`` (Connect).

    Workers run the Python that ``PYSPARK_PYTHON`` names, else the path of this one. ``conf`` are settings of
    Spark. Raises JobError where there is none to be had.
    """
    builder = SparkSession.builder.appName("abnforge ingest")
    if master.startswith("sc://"):
        builder = builder.remote(master)
    else:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = builder.master(master)
        quiet = {"spark.log.level": "ERROR", "spark.ui.showConsoleProgress": "false"}
        if master.startswith("local"):
            quiet["spark.ui.enabled"] = "false"
        for name, value in quiet.items():
            builder = builder.config(name, value)
    for name, value in (conf or {}).items():
        builder = builder.config(name, value)
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    try:
        return builder.getOrCreate()
    except Exception as error:  # Spark has many kinds, and Py4J others
        reason = _reason(error)
        if "JAVA_GATEWAY_EXITED" in reason and shutil.which("java") is None and "JAVA_HOME" not in os.environ:
            raise JobError(message("spark-without-java", master=master)) from error
        raise JobError(message("spark-unavailable", master=master, reason=reason)) from error
    finally:
        if main:
            signal.signal(signal.SIGINT, before)  # Spark's own would leave the job without a word


def run(
    job: Job, spark: Any, listener: Listener | None = None, stop: Callable[[], bool] = lambda: False
) -> Result:
    """Do a job by the workers of a session. Its outputs are folders of files, each replaced as a whole.

    All workers, and this process, see the sources and the outputs under the same paths, and have abnforge
    with pyarrow and numpy. Otherwise it is as ``abnforge.ingest.run``: the same rows, and the same counts,
    however many workers die meanwhile. Raises what that raises, and JobError for what Spark gives up.
    """
    return run_in_units(job, partial(_by_spark, spark), _ENGINE, listener, stop)


def run_at(
    master: str,
    conf: Mapping[str, str],
    job: Job,
    listener: Listener | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Result:
    """The same with a session of its own, made by :func:`session` when the job is known to be in order."""

    def cluster(*given: Any) -> list[dict[str, Any]]:
        spark = session(master, conf)
        try:
            return _by_spark(spark, *given)
        finally:
            spark.stop()

    return run_in_units(job, cluster, _ENGINE, listener, stop)


_ENGINE = {"engine": "spark", "version": {"pyspark": pyspark.__version__}}


def _by_spark(
    spark: Any, plan: bytes, numbers: Sequence[int], pause: Callable[[], None]
) -> list[dict[str, Any]]:
    tasks = spark.range(0, len(numbers), 1, len(numbers))
    asked = tasks.mapInArrow(partial(_units, plan, list(numbers)), "told string")
    ended: list[Any] = []

    def wait() -> None:
        try:
            ended.append(asked.collect())
        except Exception as error:
            ended.append(error)

    thread = threading.Thread(target=wait, name="abnforge ingest", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_LOOK)
            pause()
    except BaseException:
        spark.interruptAll()
        thread.join(60)
        raise
    if isinstance(ended[0], Exception):
        if "No module named 'abnforge'" in str(ended[0]):
            raise JobError(message("spark-workers-without-abnforge")) from ended[0]
        raise JobError(message("spark-failed", reason=_reason(ended[0]))) from ended[0]
    return [json.loads(row["told"]) for row in ended[0]]


def _units(plan: bytes, numbers: list[int], batches: Iterable[Any]) -> Iterator[Any]:
    """What a worker runs: the units that a batch of places names."""
    for batch in batches:
        told = [json.dumps(do(plan, numbers[at])) for at in batch.column(0).to_pylist()]
        yield pa.RecordBatch.from_arrays([pa.array(told, pa.string())], ["told"])


def _reason(error: Exception) -> str:
    """Of what Spark says the line that says why: the last of a worker, else the first of Java."""
    text = str(error)
    lines = [line.strip(": ") for line in text.splitlines() if line.strip()]
    wrong = [line for line in lines if line.split(":")[0].endswith(("Error", "Exception")) and ": " in line]
    if not wrong:
        return (lines or [type(error).__name__])[0]
    return wrong[-1 if "Traceback (most recent call last)" in text else 0]
