"""``abnforge grammar list``: the grammars that load by name."""

from __future__ import annotations

import click

from abnforge.cli.common.listing import listed
from abnforge.cli.reports.formats import format_option, make_report


@click.command("list", short_help="List the available grammars.")
@format_option("grammar")
def list_grammars(report_format: str) -> None:
    """List the grammars that load by name.

    Those of the package "abnf" are shipped with it and are named with the prefix "abnf:".

    \b
    Examples:
      abnforge grammar list
      abnforge check --grammar abnf:rfc5322 --rule addr-spec addresses.txt
    """
    make_report("grammar", report_format).feed(listed())
