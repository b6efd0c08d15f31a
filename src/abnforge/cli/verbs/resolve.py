"""``abnforge resolve``: what references mean, given a base URI."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from abnforge.cli.common.inputs import Options
from abnforge.cli.common.options import StringsCommand, input_options, open_strings
from abnforge.cli.common.transform import refused, result_format_option, transform

SPECIFICATIONS = ("rfc3986", "rfc2396")


@click.command(cls=StringsCommand, short_help="Resolve references against a base URI.")
@click.argument("base")
@click.argument("references", nargs=-1, metavar="[REF]...")
@click.option(
    "-g",
    "--grammar",
    type=click.Choice(SPECIFICATIONS),
    default=SPECIFICATIONS[0],
    show_default=True,
    help="The specification whose algorithm is used; the two give different results.",
)
@click.option("--non-strict", is_flag=True, help="Ignore a scheme in a reference that is the base's.")
@click.option(
    "--on-ambiguous",
    type=click.Choice(("guard", "literal", "error")),
    default="guard",
    show_default=True,
    help='If the resulting path would read as an authority: write "/." before it, leave it, or refuse.',
)
@result_format_option
@input_options
@click.pass_context
def resolve(
    ctx: click.Context,
    base: str,
    references: tuple[str, ...],
    grammar: str,
    non_strict: bool,
    on_ambiguous: Any,
    result_format: str,
    null: bool,
    skip_empty: bool,
    max_line_bytes: int,
) -> None:
    """Resolve each REF against BASE and print the target URIs.

    BASE is an absolute URI; a fragment on it does not count. Without a REF, or for "-", references are read
    from standard input, one a line. Put "--" before a string that starts with "-". What cannot be resolved is
    explained on standard error.

    \b
    Examples:
      abnforge resolve 'http://a/b/c/d;p?q' '../g' '?y' '#s'
      abnforge resolve http://example.com/docs/ < links.txt
      abnforge resolve --grammar rfc2396 'http://a/b/c/d' '../../../g'
      abnforge resolve --on-ambiguous error a:/b ..//c

    Exit status: 0 all resolved, 1 something could not be, 2 a wrong base, wrong usage or unreadable input.
    """
    from abnforge import uri

    module = uri if grammar == "rfc3986" else uri.rfc2396
    try:
        start = module.parse(base)
        module.resolve(start, "")
    except ValueError as error:
        refused(base, error)
        raise click.UsageError("BASE has to be an absolute URI.") from None
    records = open_strings(references, Options(null, skip_empty, max_line_bytes))
    function = partial(module.resolve, start, strict=not non_strict, on_ambiguous=on_ambiguous)
    status = transform(records, function, "target", result_format)
    if status:
        ctx.exit(status)
