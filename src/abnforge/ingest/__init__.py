"""Split files into valid rows and rejects, with the reasons (``abnforge split``).

A job reads its **sources** as a sequence of **batches**: consecutive rows, with the **position** after them.
Where a batch ends depends on the sources and options alone, never on time or on interruptions. A **reader**
(``sources``) gives the same interface to all formats: the strings of a column, the rows that a mask selects
(unchanged), and the data of rejected rows. A batch is **validated** by ``abnforge.columns``, and its rows go
to the **sinks**. A **checkpoint** finishes a **part** of each sink (a file with the rows of some batches) and
saves the number of parts, the position and the counts. ``--resume`` continues from the last checkpoint. Rows
are therefore neither lost nor repeated, no matter when the process dies.

Parts are written into a working directory next to the output. At the end they are assembled, and the result
is renamed: an output appears complete or not at all. See docs/ingest.md.

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
from abnforge.ingest.events import Progress
from abnforge.ingest.messages import ConflictError, JobError
from abnforge.ingest.pipeline import split
from abnforge.ingest.sources.csv import CsvOptions
from abnforge.ingest.summary import Summary, schema

__all__ = ["Column", "ConflictError", "CsvOptions", "JobError", "Progress", "Summary", "schema", "split"]
