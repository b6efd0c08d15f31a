"""Verbs that make one URI of each string: results on standard output, what was refused on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click

from abnforge.cli.app import EXIT_REJECTED, EXIT_USAGE
from abnforge.cli.common.inputs import Inputs, Record, Unreadable
from abnforge.cli.common.output import dumps, write
from abnforge.cli.reports import rejection as render
from abnforge.errors import Rejected
from abnforge.text import draw, escape

result_format_option = click.option(
    "-f",
    "--format",
    "result_format",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="One URI a line, or one JSON object a line.",
)


def transform(
    records: Iterable[Record], function: Callable[[str], Any], name: str, result_format: str
) -> int:
    """Write what ``function`` makes of each string; returns the exit status.

    ``function`` gives a component object and raises ValueError. In JSON, one object a line: ``source``,
    ``line``, ``input``, and ``name`` with ``components`` or, for a string that was refused, ``error``. Text
    has one result a line and nothing for a string that was refused.
    """
    status = 0
    for record in records:
        plain: dict[str, Any] = {"source": record.source, "line": record.line}
        if isinstance(record, Unreadable):
            status = EXIT_REJECTED
            plain |= {"input": None, "error": record.message}
            complaint = render.unreadable(record)
        else:
            plain |= {"input": record.text}
            try:
                result = function(record.text)
            except ValueError as error:
                status = EXIT_REJECTED
                plain |= {"error": str(error)}
                complaint = explanation(record.text, error)
            else:
                plain |= {name: str(result), "components": result.to_dict()}
                complaint = ""
        if result_format == "json":
            write(dumps(plain) + "\n")
        elif not complaint:
            write(escape(str(result)) + "\n")
        if complaint and result_format != "json":
            click.echo(f"{escape(record.source)}:{record.line}: {complaint}", err=True)
    if isinstance(records, Inputs) and records.failed:
        return EXIT_USAGE
    return status


def explanation(text: str, error: ValueError) -> str:
    """Why a string was refused, for people."""
    if isinstance(error, Rejected):
        return render.explanation(error.rejection)
    return f"{escape(str(error))}\n{render.INDENT}{draw(text, 0)[0]}"


def refused(text: str, error: ValueError) -> None:
    """Say on standard error why a string was refused."""
    click.echo(explanation(text, error), err=True)
