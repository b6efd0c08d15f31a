"""``abnforge generate``: strings that a rule derives, that it just does not, and suites of both."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import click

from abnforge.cli.common.completions import complete_assigned, complete_file
from abnforge.cli.common.generated import Generated
from abnforge.cli.common.inputs import Item, Options
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import (
    budget,
    extra_states_option,
    grammar_option,
    level_option,
    load,
    open_inputs,
    rule_of,
    rule_option,
)
from abnforge.cli.common.usage import UsageError, usage_errors
from abnforge.cli.output.formats import format_option, make_report

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule

KINDS = ("sentences", "near-misses", "suite")
HOW = ("random", "uniform", "corpus", "rules", "alternatives", "transitions", "pairs")


@click.command(short_help="Generate strings that match a rule, or narrowly fail to.")
@grammar_option
@rule_option
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="sentences",
    show_default=True,
    help="Generate matching strings, strings one edit away that do not match, or a test suite of both.",
)
@click.option(
    "-n",
    "--count",
    type=click.IntRange(min=1),
    help="Maximum number of strings.  [default: 10 if random, else all]",
)
@click.option("--seed", type=int, help="Seed of the random generator.  [default: random]")
@click.option(
    "--how",
    type=click.Choice(HOW),
    help="Choose matching strings: at random, uniformly by length, like those of --corpus, or the shortest "
    "strings that cover all rules, alternatives, transitions or pairs.  [default: random]",
)
@click.option(
    "--size",
    type=click.IntRange(min=0),
    default=60,
    show_default=True,
    help="Target size; end strings as soon as possible beyond it.",
)
@click.option("--length", type=click.IntRange(min=0), help="With --how uniform: length of the strings.")
@click.option(
    "--weight",
    "weights",
    shell_complete=complete_assigned,
    multiple=True,
    metavar="RULE=NUMBER",
    help="Make alternatives with this rule more likely by this factor. Repeatable.",
)
@click.option(
    "--corpus",
    multiple=True,
    metavar="FILE",
    shell_complete=complete_file,
    help="Imitate the strings of this file, one per line. Implies --how corpus. Repeatable.",
)
@click.option("--systematic", is_flag=True, help="Same as --how alternatives.")
@level_option
@extra_states_option
@click.option("-0", "--null", is_flag=True, help="End strings with NUL, not with a newline.")
@format_option("sentence")
def generate(
    grammar: str,
    rule: str | None,
    kind: str,
    count: int | None,
    seed: int | None,
    how: str | None,
    size: int,
    length: int | None,
    weights: tuple[str, ...],
    corpus: tuple[str, ...],
    systematic: bool,
    level: str,
    extra_states: int,
    null: bool,
    report_format: str,
) -> None:
    """Generate random strings that match a rule, one per line.

    Every alternative, count and character can occur; short strings are more likely. With --kind near-misses,
    generate strings that narrowly fail to match; with --kind suite, both, with "+" before matching and "-"
    before other strings. --format jsonl writes one test vector per line, for tests in other languages: id,
    text (or base64), rule, valid, code, section.

    \b
    Examples:
      abnforge generate --rule host
      abnforge generate --grammar my.abnf -n 1000 --seed 1
      abnforge generate --how transitions --rule IPv4address
      abnforge generate --kind near-misses --rule port --format jsonl
      abnforge generate --kind suite --rule URI --format jsonl > uri.vectors.jsonl
    """
    if systematic and how not in (None, "alternatives"):
        raise UsageError(message("option-excluded", option="--systematic", other=f"--how {how}"))
    how = how or ("alternatives" if systematic else "corpus" if corpus else "random")
    chosen = rule_of(load(grammar), rule)
    if kind == "sentences":
        found = _sentences(chosen, how, count, seed, size, length, weights, corpus)
    else:
        found = islice(_others(chosen, kind, level, extra_states), count)
    make_report("sentence", report_format, null=null).feed(found)


def _sentences(
    rule: Rule,
    how: str,
    count: int | None,
    seed: int | None,
    size: int,
    length: int | None,
    weights: tuple[str, ...],
    corpus: tuple[str, ...],
) -> Iterator[Generated]:
    from abnforge.conformance.sentences import sentences

    texts = None
    if corpus:
        records = open_inputs(corpus, Options())
        texts = [record.text for record in records if isinstance(record, Item)]
    with usage_errors():
        found = sentences(
            rule,
            how,
            count=count,
            seed=seed,
            size=size,
            length=length,
            weights=dict(map(_weight, weights)) or None,
            corpus=texts,
            budget=budget(),
        )
    return (Generated(rule, each.text, True) for each in found)


def _others(rule: Rule, kind: str, level: str, extra_states: int) -> Iterator[Generated]:
    if kind == "near-misses":
        from abnforge.conformance import near_misses

        return (Generated(rule, each.text, False) for each in near_misses(rule))
    from abnforge.conformance import suite

    with usage_errors():
        made = suite(rule, level, extra_states, budget=budget())
    return (Generated(rule, each.text, each.valid, both=True) for each in made)


def _weight(pair: str) -> tuple[str, float]:
    name, sign, number = pair.partition("=")
    try:
        if sign and (weight := float(number)) >= 0:
            return name, weight
    except ValueError:
        pass
    raise UsageError(message("option-malformed", option="--weight", form="RULE=NUMBER", value=pair))
