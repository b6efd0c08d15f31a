"""``abnforge normalize``: URIs in normal form."""

from __future__ import annotations

from functools import partial

import click

from abnforge.cli.common.inputs import Options
from abnforge.cli.common.options import StringsCommand, input_options, open_strings
from abnforge.cli.common.transform import result_format_option, transform

# abnforge.uri.Step without the one that needs a function; the library takes too long to import for a --help.
STEPS = ("case", "percent-encoding", "dot-segments", "empty-port", "ipv6", "scheme")


@click.command(cls=StringsCommand, short_help="Bring URIs to normal form.")
@click.argument("strings", nargs=-1, metavar="[URI]...")
@click.option(
    "-s",
    "--step",
    "steps",
    type=click.Choice(STEPS),
    multiple=True,
    help="A step to take, and only those given.  [default: case, percent-encoding, dot-segments, empty-port]",
)
@click.option(
    "--scheme/--no-scheme",
    "by_scheme",
    default=False,
    help="Also what the scheme's specification says: default ports, empty paths.  [default: no]",
)
@result_format_option
@input_options
@click.pass_context
def normalize(
    ctx: click.Context,
    strings: tuple[str, ...],
    steps: tuple[str, ...],
    by_scheme: bool,
    result_format: str,
    null: bool,
    skip_empty: bool,
    max_line_bytes: int,
) -> None:
    """Bring each URI to the normal form of RFC 3986 (section 6.2.2; with --scheme also 6.2.3).

    Nothing is changed that the specification does not license. Without a URI, or for "-", strings are read
    from standard input, one a line. A relative reference keeps its dot-segments: resolve it first. What is no
    URI reference is explained on standard error.

    \b
    Examples:
      abnforge normalize 'eXAMPLE://a/./b/../b/%63/%7bfoo%7d'
      abnforge normalize --scheme http://example.com:80
      abnforge normalize --step case --step ipv6 'HTTP://[0:0::1]/%3a'
      abnforge normalize < links.txt | sort -u

    Exit status: 0 all normalized, 1 something rejected, 2 wrong usage or unreadable input.
    """
    from abnforge import uri

    records = open_strings(strings, Options(null, skip_empty, max_line_bytes))
    function = partial(uri.normalize, steps=steps or uri.SYNTAX_BASED, scheme=by_scheme)
    status = transform(records, function, "normal", result_format)
    if status:
        ctx.exit(status)
