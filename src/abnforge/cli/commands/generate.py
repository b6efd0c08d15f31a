"""``abnforge generate``: generate matches of a rule, near misses, and test suites."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import click

from abnforge.cli.common.errors import usage_errors
from abnforge.cli.common.grammar_results import Generated
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.options import budget, grammar_options, load, rule_of, suite_options
from abnforge.cli.output.formats import format_option, make_report

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule

KINDS = ("strings", "near-misses", "suite")
HOW = ("random", "rules", "alternatives", "transitions", "pairs")


@command(short_help="Generate strings that match a rule, and near misses.")
@grammar_options()
@option(
    "--kind",
    type=click.Choice(KINDS),
    default="strings",
    show_default=True,
    help="Generate matches, near misses, or a test suite.",
)
@option(
    "-n",
    "--count",
    metavar="N",
    type=click.IntRange(min=1),
    help="Write N strings.  [default: 10 if random, else all]",
)
@option(
    "--seed",
    metavar="N",
    type=int,
    help="Seed of the random generator.  [default: random]",
    needs="--how random",
    excludes="--kind near-misses|suite",
)
@option(
    "--how",
    type=click.Choice(HOW),
    default="random",
    show_default=True,
    help="Choose matches at random, or cover all of these by the shortest strings.",
    needs="--kind strings",
)
@option(
    "--size",
    metavar="N",
    type=click.IntRange(min=0),
    default=60,
    show_default=True,
    help="End strings soon after N steps.",
    needs="--how random",
    excludes="--kind near-misses|suite",
)
@suite_options(needs="--kind suite")
@option("-0", "--null", is_flag=True, help="End strings with NUL, not with a newline.", needs="--format text")
@format_option("sentence")
def generate(
    grammar: str,
    rule: str | None,
    kind: str,
    count: int | None,
    seed: int | None,
    how: str,
    size: int,
    level: str,
    extra_states: int,
    null: bool,
    report_format: str,
) -> None:
    """Generate random strings that match a rule, one per line.

    Every alternative, count and character can occur; short strings are more likely. With --kind
    near-misses, generate invalid strings that are one edit away from a valid string. With --kind suite,
    generate both, with "+" before valid and "-" before invalid strings. --format jsonl writes one test vector
    per line. A vector has the keys id, text (or base64), rule, valid, code and section.

    \b
    Examples:
      abnforge generate --rule host
      abnforge generate --grammar my.abnf -n 1000 --seed 1
      abnforge generate --how transitions --rule IPv4address
      abnforge generate --kind near-misses --rule port --format jsonl
      abnforge generate --kind suite --rule URI --format jsonl > uri.vectors.jsonl
    """
    chosen = rule_of(load(grammar), rule)
    if kind == "strings":
        strings = _sentences(chosen, how, count, seed, size)
    else:
        strings = islice(_others(chosen, kind, level, extra_states), count)
    make_report("sentence", report_format, null=null).feed(strings)


def _sentences(rule: Rule, how: str, count: int | None, seed: int | None, size: int) -> Iterator[Generated]:
    from abnforge.conformance.sentences import sentences

    with usage_errors():
        vectors = sentences(rule, how, count=count, seed=seed, size=size, budget=budget())
    return (Generated(rule, each.text, True) for each in vectors)


def _others(rule: Rule, kind: str, level: str, extra_states: int) -> Iterator[Generated]:
    if kind == "near-misses":
        from abnforge.conformance import near_misses

        return (Generated(rule, each.text, False) for each in near_misses(rule))
    from abnforge.conformance import suite

    with usage_errors():
        vectors = suite(rule, level, extra_states, budget=budget())
    return (Generated(rule, each.text, each.valid, both=True) for each in vectors)
