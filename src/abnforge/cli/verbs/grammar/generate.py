"""``abnforge grammar generate``: strings that a rule derives."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random

import click

from abnforge.cli.app import complain
from abnforge.cli.common.options import default_rule, grammar_option, load, rule_option
from abnforge.cli.common.output import dumps, is_terminal, write
from abnforge.text import escape


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
@click.option(
    "-f", "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True
)
def generate(
    grammar: str,
    rule: str | None,
    count: int,
    seed: int | None,
    size: int,
    systematic: bool,
    null: bool,
    form: str,
) -> None:
    """Write strings that a rule derives, at random, one a line.

    Every alternative, count and character has a chance; short strings are likelier.

    \b
    Examples:
      abnforge grammar generate --rule host
      abnforge grammar generate --grammar my.abnf -n 1000 --seed 1
      abnforge grammar generate --systematic --format json
    """
    from abnforge.analysis.sentences import Sentences

    loaded = load(grammar)
    key = loaded[rule if rule is not None else default_rule(loaded)].name.lower()
    sentences = Sentences(loaded.core, loaded.facts)
    source = Random(seed)
    found: Iterator[str] = (sentences.random(key, source, size) for _ in range(count))
    if systematic:
        found = sentences.systematic(key)
    if form == "json":
        write("[\n" + ",\n".join(map(dumps, found)) + "\n]\n")
    else:
        _write_lines(found, null)


def _write_lines(found: Iterator[str], null: bool) -> None:
    """Strings for a program to read back, or for a person to see."""
    end = "\0" if null else "\n"
    shown = is_terminal(sys.stdout)
    broken = False
    for text in found:
        broken |= end in text or (not null and text.endswith("\r"))
        write((escape(text) if shown else text) + end)
    if broken and not shown:
        hint = "--format json keeps" if null else "--null or --format json keep"
        complain(f"some strings hold what ends a string here; {hint} them apart")
