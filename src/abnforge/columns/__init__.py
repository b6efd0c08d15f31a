"""Validate columns of strings: Apache Arrow in, Apache Arrow out. Requires pyarrow (extra ``arrow``).

An array is from pyarrow, or has the Arrow PyCapsule interface (polars, pandas, DuckDB, nanoarrow). Its
strings are not copied, whatever their layout. Missing strings stay missing. NumPy arrays are copied. See
docs/columns.md.
"""

from abnforge.catalog import MissingExtraError as _MissingExtraError
from abnforge.columns.messages import message as _message

try:
    import pyarrow as _  # noqa: F401
except ModuleNotFoundError as error:
    raise _MissingExtraError(_message("arrow-missing"), name="pyarrow") from error

from abnforge.columns.components import components
from abnforge.columns.rejections import reasons, rejections
from abnforge.columns.tables import judge, split
from abnforge.columns.verdicts import matches, offsets
from abnforge.columns.warnings import warnings

__all__ = ["components", "judge", "matches", "offsets", "reasons", "rejections", "split", "warnings"]
