"""Spark: rows of a DataFrame split by the strings of some columns, in batches of Arrow data (``mapInArrow``).

Rules are sent to the workers as a grammar's source or name, and each worker process compiles them once.
Everything is lazy, as transformations are, in classic sessions and in Spark Connect.

Count the written rows, not the processed ones: Spark may run a task several times, and an accumulator would
count it each time. See docs/spark.md.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.types import ArrayType, BinaryType, LongType, StringType, StructType

from abnforge import __version__
from abnforge._arguments import plain_argument
from abnforge.catalog import ArgumentError, ArgumentTypeError
from abnforge.columns.arrays import rule_argument
from abnforge.columns.fields import ERROR, ERRORS, ORIGIN, SOURCE
from abnforge.columns.tables import Rules
from abnforge.engine.rule import Rule
from abnforge.errors import UnknownNameError
from abnforge.integrations import spark_batches
from abnforge.integrations.messages import message
from abnforge.messages import message as argument_message
from abnforge.text import near_misses


def split(df: Any, columns: Rules, suggest: bool = False) -> tuple[Any, Any]:
    """Split a DataFrame into ``(valid, rejects)``: rows whose columns are valid or missing, and others.

    ``columns`` maps each column to its rule, as a Rule or as ``GRAMMAR:RULE``. Like those of
    ``abnforge.columns.split``, rejects have two more columns: ``_errors``, an array of structs, and
    ``_source``, which is null because Spark does not number rows. ``suggest`` includes suggestions. Both
    results are lazy, and each reads ``df`` when it is used. If ``df`` is slow or nondeterministic, use
    :func:`with_rejections`, or persist ``df``.

    Before reading rows, raises KeyError for an unknown column, TypeError for one that does not hold strings,
    ValueError if ``_errors`` exists, and the errors of ``abnforge.rule``. Cost: a verdict per row for each
    result, and an explanation for each reject.
    """
    octets = _shipped(df, columns, suggest)
    valid = df.mapInArrow(partial(spark_batches.valid_rows, octets), df.schema)
    schema = _with_reasons(df.schema).add(ORIGIN, _struct(SOURCE))
    return valid, df.mapInArrow(partial(spark_batches.rejected_rows, octets), schema)


def with_rejections(df: Any, columns: Rules, suggest: bool = False) -> Any:
    """Return all rows of a DataFrame with one more column, ``_errors``, which is null for valid rows.

    This takes one pass: write the result once, or persist it, and split it with ``where``. Arguments and
    errors are those of :func:`split`.
    """
    octets = _shipped(df, columns, suggest)
    return df.mapInArrow(partial(spark_batches.marked_rows, octets), _with_reasons(df.schema))


def ship(spark: Any, folder: str | Path) -> Path:
    """Send abnforge to the workers of a session as a zip file in ``folder``. Return the path of the file.

    pyarrow must be installed on the workers. The file takes precedence over an installed abnforge. It does
    not contain the C extension, so verdicts take longer (docs/columns.md).
    """
    package = Path(__file__).parents[1]
    path = Path(folder) / f"abnforge-{__version__}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(package.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts and file.suffix not in _COMPILED:
                archive.write(file, Path(package.name) / file.relative_to(package))
    spark.addArtifacts(str(path), pyfile=True)
    return path


_COMPILED = (".so", ".pyd", ".c", ".h")


def _shipped(df: Any, columns: Rules, suggest: bool) -> bytes:
    """Return the rules in serialized form, after checking that they fit the DataFrame."""
    if not hasattr(df, "mapInArrow"):
        raise ArgumentTypeError(
            argument_message("argument-type", name="df", expected="a Spark DataFrame", type=type(df).__name__)
        )
    if not isinstance(columns, Mapping) or not columns:
        expected = "a mapping of columns to rules"
        kind = type(columns).__name__
        raise ArgumentTypeError(
            argument_message("argument-type", name="columns", expected=expected, type=kind)
        )
    rules: dict[str, Rule] = {}
    names = df.schema.names
    for name in (ERRORS, ORIGIN):
        if name in names:
            raise ArgumentError(message("frame-column-reserved", column=name))
    for name, rule in columns.items():
        name = plain_argument(name, "each column")
        if names.count(name) != 1:
            if name in names:
                count = names.count(name)
                raise UnknownNameError(message("frame-column-ambiguous", column=name, count=count))
            near = tuple(near_misses(name, names, 0.6))  # a cutoff for column names, which are short
            available = () if near else tuple(names)
            raise UnknownNameError(message("frame-column-unknown", column=name, near=near, columns=available))
        kind = df.schema[name].dataType
        if not isinstance(kind, StringType | BinaryType):
            raise ArgumentTypeError(
                message("frame-column-not-text", column=name, type_name=kind.simpleString())
            )
        rules[name] = rule_argument(rule)
    return spark_batches.shipped(rules, suggest)


def _with_reasons(schema: Any) -> Any:
    return StructType([*schema.fields]).add(ERRORS, ArrayType(_struct(ERROR), containsNull=False))


def _struct(kind: Any) -> Any:
    struct = StructType()
    for field in kind:
        struct.add(field.name, LongType() if pa.types.is_integer(field.type) else StringType())
    return struct
