"""``abnforge grammar generate``: strings that a rule derives."""

from __future__ import annotations

import click

from abnforge.cli.common.options import grammar_option, load, rule_of, rule_option
from abnforge.cli.reports.formats import format_option, make_report


@click.command(short_help="Write strings that a rule derives.")
@grammar_option
@rule_option
@click.option(
    "-n", "--count", type=click.IntRange(min=1), default=10, show_default=True, help="How many strings."
)
@click.option("--seed", type=int, help="The same strings for the same number.  [default: others each time]")
@click.option(
    "--size",
    type=click.IntRange(min=0),
    default=60,
    show_default=True,
    help="From so many characters and rules on, end a string as soon as possible.",
)
@click.option("--systematic", is_flag=True, help="Instead, short strings that together use everything once.")
@click.option("-0", "--null", is_flag=True, help="End strings with NUL, not with a line's end.")
@format_option("sentence")
def generate(
    grammar: str,
    rule: str | None,
    count: int,
    seed: int | None,
    size: int,
    systematic: bool,
    null: bool,
    report_format: str,
) -> None:
    """Write strings that a rule derives, at random, one a line.

    Every alternative, count and character has a chance; short strings are likelier.

    \b
    Examples:
      abnforge grammar generate --rule host
      abnforge grammar generate --grammar my.abnf -n 1000 --seed 1
      abnforge grammar generate --systematic --format json
    """
    from abnforge.engine.generation import sentences

    loaded = load(grammar)
    chosen = rule_of(loaded, rule)
    found = sentences(chosen, count=count, seed=seed, size=size, systematic=systematic)
    make_report("sentence", report_format, null=null).feed(found)
