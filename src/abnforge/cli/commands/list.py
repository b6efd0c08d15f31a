"""``abnforge list``: the grammars that load by name."""

from __future__ import annotations

from abnforge.cli.common.grammar_results import listed_grammars
from abnforge.cli.common.groups import command
from abnforge.cli.output.formats import format_option, make_report


@command("list", short_help="List the available grammars.")
@format_option("grammar")
def list_grammars(report_format: str) -> None:
    """List the grammars that load by name.

    Names with the prefix "abnf:" are grammars of the package "abnf".

    \b
    Examples:
      abnforge list
      abnforge check --grammar abnf:rfc5322 --rule addr-spec addresses.txt
    """
    make_report("grammar", report_format).feed(listed_grammars())
