"""``abnforge compare``: whether two URIs are equivalent, and which step of the ladder shows it."""

from __future__ import annotations

import click

from abnforge.cli.app import EXIT_REJECTED
from abnforge.cli.common.options import StringsCommand
from abnforge.cli.common.output import Style, dumps, write
from abnforge.cli.common.transform import refused
from abnforge.cli.reports.editions import between_option, compare_between
from abnforge.text import draw, escape

# abnforge.uri.rfc3986.equivalence.LEVELS without the one that needs a function.
LEVELS = ("string", "case", "percent-encoding", "dot-segments", "empty-port", "syntax", "scheme")


@click.command(cls=StringsCommand, short_help="Tell whether two URIs are equivalent, and why.")
@click.argument("strings", nargs=-1, metavar="A B | [STRING]...")
@click.option(
    "-l",
    "--level",
    type=click.Choice(LEVELS),
    default="scheme",
    show_default=True,
    help="How far to climb the ladder; each level includes those before it.",
)
@click.option("-b", "--base", metavar="URI", help="Resolve both against this URI first.")
@between_option
@click.option(
    "--file",
    "files",
    metavar="FILE",
    multiple=True,
    type=click.Path(),
    help="With --between: read strings here.",
)
@click.option("--no-fragment", is_flag=True, help="Leave fragments out, as before a network action.")
@click.option(
    "-f",
    "--format",
    "result_format",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Text for people, or one JSON object.",
)
@click.pass_context
def compare(
    ctx: click.Context,
    strings: tuple[str, ...],
    level: str,
    base: str | None,
    between: tuple[str, str] | None,
    files: tuple[str, ...],
    no_fragment: bool,
    result_format: str,
) -> None:
    """Compare the URIs A and B by the ladder of RFC 3986, section 6.2.

    Tells on which step they become equal, or what still differs. Equivalent URIs identify the same resource;
    different ones may do so too. Passwords are not shown. Put "--" before a string that starts with "-".

    \b
    Examples:
      abnforge compare http://example.com HTTP://EXAMPLE.com:80/
      abnforge compare --level syntax 'http://a/%7Eb' 'http://a/~b'
      abnforge compare --base http://a/b/c ../d /d
      abnforge compare --format json 'http://a/?' http://a/
      abnforge compare --between rfc2396 rfc3986 --base http://a/b/c '?y' 'http://[::1]/'
      abnforge compare --between rfc2396 rfc3986 --file links.txt

    Exit status: 0 equivalent, 1 different (with --between: something changes), 2 wrong usage or not a
    URI reference.
    """
    if between:
        ctx.exit(compare_between(between, strings, files, base, result_format))
    if len(strings) != 2 or files:
        raise click.UsageError("Give two URIs to compare, or --between two RFCs and any strings or files.")
    left, right = strings

    from abnforge import uri

    for text in (left, right, *([] if base is None else [base])):
        try:
            uri.parse(text)
        except ValueError as error:
            refused(text, error)
            raise click.UsageError("A and B have to be URI references, and the base a URI.") from None
    try:
        found = uri.equivalent(left, right, level, base=base, fragment=not no_fragment)
    except ValueError as error:
        raise click.UsageError(escape(str(error))) from None
    if result_format == "json":
        write(dumps(found.to_dict()) + "\n")
    else:
        style = Style.detect()
        paint = style.good if found else style.error
        write(paint(escape(found.message)) + "\n")
        for name, before, after in (
            ("A", found.left, found.normal_left),
            ("B", found.right, found.normal_right),
        ):
            changed = f"  ->  {_shown(after)}" if before != after else ""
            write(f"  {style.faint(name)}  {_shown(before)}{changed}\n")
    if not found:
        ctx.exit(EXIT_REJECTED)


def _shown(value: object) -> str:
    from abnforge.uri.common.password import mask_userinfo

    return draw(mask_userinfo(str(value), "***", keep_length=False), 0, columns=2000)[0]
