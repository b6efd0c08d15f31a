"""``abnforge uri normalize``: URIs in normal form."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import click

from abnforge.cli.common.errors import exit_status, exit_zero_option
from abnforge.cli.common.groups import LateChoice, command, option
from abnforge.cli.common.inputs import Options
from abnforge.cli.common.options import StringsCommand, input_options, open_strings
from abnforge.cli.common.security import mask_option, masking
from abnforge.cli.common.validation import Tally
from abnforge.cli.output.formats import format_option, make_report


def _steps() -> Iterable[str]:
    """All steps but the one that needs a function."""
    from abnforge.uri import Step

    return (step for step in Step if step is not Step.PROTOCOL)


@command(cls=StringsCommand, short_help="Normalize URIs.")
@click.argument("strings", nargs=-1, metavar="[URI]...")
@option(
    "-s",
    "--step",
    "steps",
    type=LateChoice(_steps),
    multiple=True,
    help="Apply only this step. Repeatable.  [default: case, percent-encoding, dot-segments, empty-port]",
)
@option(
    "--scheme/--no-scheme",
    "by_scheme",
    default=False,
    help="Also apply scheme rules: default ports, empty paths.  [default: no]",
)
@format_option("result", help="Output format.")
@input_options
@mask_option
@exit_zero_option
@click.pass_context
def normalize(
    ctx: click.Context,
    strings: tuple[str, ...],
    steps: tuple[str, ...],
    by_scheme: bool,
    report_format: str,
    options: Options,
    mask: bool,
) -> None:
    """Normalize each URI (RFC 3986, section 6.2.2; with --scheme also 6.2.3).

    Changes are only those that the specification allows. Without URI, or if URI is "-", read one string per
    line from standard input. A relative reference keeps its dot-segments; resolve it first. Standard error
    explains strings that are not URI references.

    \b
    Examples:
      abnforge uri normalize 'eXAMPLE://a/./b/../b/%63/%7bfoo%7d'
      abnforge uri normalize --scheme http://example.com:80
      abnforge uri normalize --step case --step ipv6 'HTTP://[0:0::1]/%3a'
      abnforge uri normalize < links.txt | sort -u

    Exit status: 0 all normalized, 1 any rejected, 2 usage error or unreadable input.
    """
    from abnforge import uri
    from abnforge.cli.common.uris import transform

    records = open_strings(strings, options)
    function = partial(uri.normalize, steps=steps or uri.SYNTAX_BASED, scheme=by_scheme)
    tally = Tally()
    results = transform(records, function, "normal", uri.parse, masking(mask))
    make_report("result", report_format).feed(tally.count(results))
    ctx.exit(exit_status(records, tally.rejected))
