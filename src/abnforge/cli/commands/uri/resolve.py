"""``abnforge uri resolve``: what references mean, given a base URI."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, get_args

import click

from abnforge.cli.common.completions import DEFAULT_GRAMMAR
from abnforge.cli.common.errors import UsageError, exit_status, exit_zero_option
from abnforge.cli.common.groups import LateChoice, command, option
from abnforge.cli.common.inputs import Options
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import StringsCommand, input_options, open_strings
from abnforge.cli.common.security import mask_option, masked_error, masking
from abnforge.cli.common.validation import Tally
from abnforge.cli.output.formats import format_option, make_report


def _specifications() -> Iterable[str]:
    from abnforge.uri.rfc_differences import NEWEST_FIRST

    return NEWEST_FIRST


def _ways() -> Iterable[str]:
    """What can be done about a path that would read as an authority."""
    from abnforge.uri.common.components import OnAmbiguous

    return get_args(OnAmbiguous)


@command(cls=StringsCommand, short_help="Resolve references against a base URI.")
@click.argument("base")
@click.argument("references", nargs=-1, metavar="[REF]...")
@option(
    "-g",
    "--grammar",
    type=LateChoice(_specifications),
    default=DEFAULT_GRAMMAR,
    show_default=True,
    help="Use the algorithm of this specification; results differ.",
)
@option("--non-strict", is_flag=True, help="Ignore the scheme of a reference if it equals that of BASE.")
@option(
    "--on-ambiguous",
    type=LateChoice(_ways),
    default="guard",
    show_default=True,
    help='Handle a path that parses as an authority: write "/." before it, keep it, or reject it.',
)
@format_option("result", help="Output format.")
@input_options
@mask_option
@exit_zero_option
@click.pass_context
def resolve(
    ctx: click.Context,
    base: str,
    references: tuple[str, ...],
    grammar: str,
    non_strict: bool,
    on_ambiguous: Any,
    report_format: str,
    options: Options,
    mask: bool,
) -> None:
    """Resolve each REF against BASE and print the target URIs.

    BASE is an absolute URI; its fragment is ignored. Without REF, or if REF is "-", read one reference per
    line from standard input. Put "--" before a string that starts with "-". Standard error explains
    references that cannot be resolved.

    \b
    Examples:
      abnforge uri resolve 'http://a/b/c/d;p?q' '../g' '?y' '#s'
      abnforge uri resolve http://example.com/docs/ < links.txt
      abnforge uri resolve --grammar rfc2396 'http://a/b/c/d' '../../../g'
      abnforge uri resolve --on-ambiguous error a:/b ..//c

    Exit status: 0 all resolved, 1 any rejected, 2 invalid BASE, usage error or unreadable input.
    """
    from abnforge.cli.common.uris import transform
    from abnforge.uri.rfc_differences import EDITIONS

    edition = EDITIONS[grammar]
    hide = masking(mask)
    try:
        start = edition.parse(base)
        edition.resolve(start, "")
    except ValueError as error:
        if hide is not None:
            error = masked_error(error, hide)
        raise UsageError(message("base-invalid", problem=str(error))) from None
    records = open_strings(references, options)
    function = partial(edition.resolve, start, strict=not non_strict, on_ambiguous=on_ambiguous)
    tally = Tally()
    results = transform(records, function, "target", edition.parse, hide)
    make_report("result", report_format).feed(tally.count(results))
    ctx.exit(exit_status(records, tally.rejected))
