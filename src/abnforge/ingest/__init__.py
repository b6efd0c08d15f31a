"""Split files into valid rows and rejects, with the reasons (``abnforge split``).

A job reads its **sources** as a sequence of **batches**: consecutive rows, with the **position** after them.
Where a batch ends depends on the sources and options alone, never on time or on interruptions. A **reader**
(``sources``) gives the same interface to all formats: the strings of a column, the rows of a mask unchanged,
and the rest of rejected rows. A batch is **validated** by ``abnforge.columns``, and its rows go to the
**sinks**. ``commit`` of a sink says how much is safe on disk. The **journal** (``checkpoint``) gets a line
with that, the position and the counts; ``--resume`` cuts every sink back to the last line and continues from
its position. So rows are neither lost nor repeated, wherever the process died.

CSV, JSON Lines and plain lines are appended byte by byte. Parquet and Arrow files cannot be appended to, so
batches are stored next to the output and assembled at the end. All of it is written into a working directory
next to the output and renamed at the end: an output appears whole or not at all. See docs/ingest.md.

Read first: ``job``, ``pipeline``, ``batch``.
"""

try:
    import numpy as _numpy  # noqa: F401
    import pyarrow as _pyarrow  # noqa: F401
except ModuleNotFoundError as error:
    from abnforge.catalog import MissingExtraError
    from abnforge.ingest.messages import message

    raise MissingExtraError(message("ingest-missing", package=error.name), name=error.name) from error

from abnforge.ingest.batch import Column
from abnforge.ingest.messages import ConflictError, JobError
from abnforge.ingest.pipeline import Progress, split
from abnforge.ingest.sources.csv import CsvOptions
from abnforge.ingest.summary import Summary, schema

__all__ = ["Column", "ConflictError", "CsvOptions", "JobError", "Progress", "Summary", "schema", "split"]
