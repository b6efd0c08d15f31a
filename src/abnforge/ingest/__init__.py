"""Jobs over files: rows whose columns are valid go to one file, the others to another, with the reasons.

A **job** says what is to be done: sources, columns with their rules, outputs, options. Its **sources** are
read as a sequence of **parts**: some rows that lie next to each other, with the **position** behind them.
Where a part ends depends on the source and the options alone, never on time or on how often the job was
stopped. A part answers what is asked of its rows, whatever the format: the texts of a column, the rows that
are accepted, as they were, and what is left to say of the others.

A part is **judged** by ``abnforge.columns``: a verdict for each row, and reasons for rejected ones. Then it
goes to the **sinks**, one for each output. A sink takes what a part has for it, and says with ``commit`` what
of it is safe on disk; the **journal** gets a line with that, the position, and the counts. All that is needed
to go on stands in its last line: whoever resumes cuts every sink back to what was committed, and reads on
from the position. So nothing is lost and nothing comes twice, wherever the process died.

Rows of CSV, JSON Lines and plain lines are appended octet by octet. Parquet and Arrow files cannot be
appended to, so parts are staged beside the output, and put together when all is there; the result depends
on the parts alone. Everything is written into a working folder beside its output and renamed at the end:
an output is there as a whole or not at all, and nothing else stays. See docs/ingest.md.
"""

try:
    import numpy as _numpy  # noqa: F401
    import pyarrow as _pyarrow  # noqa: F401
except ModuleNotFoundError as error:
    from abnforge.catalog import MissingExtraError
    from abnforge.ingest.messages import message

    raise MissingExtraError(message("ingest-missing", package=error.name), name=error.name) from error

from abnforge.ingest.batch import Column
from abnforge.ingest.job import Job
from abnforge.ingest.messages import ConflictError, JobError
from abnforge.ingest.pipeline import Listener, Preview, preview, run
from abnforge.ingest.sources.csv import Layout
from abnforge.ingest.summary import Result, metrics, schema, summary

__all__ = [
    "Column",
    "ConflictError",
    "Job",
    "JobError",
    "Layout",
    "Listener",
    "Preview",
    "Result",
    "metrics",
    "preview",
    "run",
    "schema",
    "summary",
]
