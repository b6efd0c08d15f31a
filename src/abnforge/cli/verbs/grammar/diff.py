"""``abnforge grammar diff``: which strings one grammar derives and another does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import click

from abnforge.cli.app import EXIT_REJECTED
from abnforge.cli.common.options import complete_grammar, load
from abnforge.cli.common.output import Style, dumps, write
from abnforge.cli.reports.markdown import code, plain
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.comparison.grammars import RuleDiff
    from abnforge.engine.grammar import Grammar
    from abnforge.engine.rule import Rule

LABEL_COLUMNS = 14  # as wide as "not-comparable"


@click.command(short_help="Compare two grammars as sets of strings.")
@click.argument("left", metavar="A[:RULE]", shell_complete=complete_grammar)
@click.argument("right", metavar="B[:RULE]", shell_complete=complete_grammar)
@click.option("--all", "show_all", is_flag=True, help="List the rules that are equal, too.")
@click.option(
    "-t",
    "--translate",
    "translations",
    metavar="NAME=ABNF",
    multiple=True,
    help="Compare A's rule NAME with a rule of B, or with an ABNF expression over B's rules. Repeatable.",
)
@click.option(
    "-f",
    "--format",
    "diff_format",
    type=click.Choice(("text", "json", "markdown")),
    default="text",
    show_default=True,
)
@click.pass_context
def diff(
    ctx: click.Context,
    left: str,
    right: str,
    show_all: bool,
    translations: tuple[str, ...],
    diff_format: str,
) -> None:
    """Compare two grammars rule by rule: what does A derive that B does not, and the other way round.

    The comparison is exact: rules are compared as sets of strings, not as text. Each difference comes
    with a shortest string that shows it, and the reason why the other grammar rejects it. With a
    RULE on either side, that rule alone is compared, with the one of the same name unless another is given.

    \b
    Examples:
      abnforge grammar diff rfc2396 rfc3986
      abnforge grammar diff rfc3986:URI rfc3987:IRI
      abnforge grammar diff rfc3986:host my.abnf:hostname
      abnforge grammar diff rfc2396 rfc3986 --translate 'hostport=host [ ":" port ]'
      abnforge grammar diff abnf:rfc3987 rfc3987 --all --format markdown

    Exit status: 0 all rules compared are equal, 1 there are differences, 2 wrong usage or no grammar.
    """
    from abnforge.comparison import grammars as grammar_diff

    a, left_rule = _resolve(left)
    b, right_rule = _resolve(right)
    if left_rule or right_rule:
        if translations:
            raise click.UsageError("--translate is for whole grammars; give the rule of B as B:RULE.")
        first, second = left_rule or str(right_rule), right_rule or str(left_rule)
        found = [grammar_diff.diff_rules(_rule(a, first), _rule(b, second))]
        show_all = True
    else:
        found = grammar_diff.diff(a, b, _translation(translations))
    names = _labels(a, b, left, right)
    shown = [d for d in found if show_all or not d.equal]
    shown.sort(key=lambda d: _rank(d.relation))
    if diff_format == "json":
        write("[\n" + ",\n".join(dumps(d.to_dict()) for d in shown) + "\n]\n" if shown else "[]\n")
    elif diff_format == "markdown":
        write("".join(line + "\n" for line in _markdown(shown, names)))
    else:
        style = Style.detect()
        write("".join(_text(d, names, style) for d in shown if d.left and d.right))
        for label, alone in (
            (f"only {names[0]}", [d.name for d in shown if d.right is None]),
            (f"only {names[1]}", [d.name for d in shown if d.left is None]),
        ):
            if alone:
                write(f"{style.error(escape(label))}\n{_wrapped(alone)}\n")
    counts = Counter(d.relation for d in found)
    total = ", ".join(f"{counts[r]} {r}" for r in sorted(counts, key=_rank))
    click.echo(f"{len(found)} {'rule' if len(found) == 1 else 'rules'}: {total}", err=True)
    if not all(d.equal for d in found):
        ctx.exit(EXIT_REJECTED)


def _resolve(text: str) -> tuple[Grammar, str | None]:
    """``rfc3986``, ``abnf:rfc9110``, ``my.abnf``, each with or without ``:RULE`` behind it."""
    import abnforge

    head, colon, rule = text.rpartition(":")
    whole = {*abnforge.grammar_names(), *abnforge.package_names()}
    # "abnf" alone is the prefix of the package's grammars; what follows it is no rule.
    if not colon or text in whole or head == "abnf" or Path(text).exists():
        return load(text), None
    if not rule:
        raise click.UsageError(f"A rule's name is missing behind the colon of {text!r}.")
    return load(head), rule


def _rule(grammar: Grammar, name: str) -> Rule:
    from abnforge.comparison.grammars import counterpart

    return counterpart(name, grammar) or grammar[name]


def _translation(pairs: Iterable[str]) -> dict[str, str]:
    result = {}
    for pair in pairs:
        name, equals, target = pair.partition("=")
        if not (equals and name.strip() and target.strip()):
            raise click.UsageError(f"--translate takes NAME=ABNF, not {pair!r}.")
        result[name.strip()] = target.strip()
    return result


def _labels(a: Grammar, b: Grammar, left: str, right: str) -> tuple[str, str]:
    """What to call the two grammars; those of one name go by what was typed."""
    names = (a.name, b.name) if a.name != b.name else (left, right)
    return names if names[0] != names[1] else ("the first", "the second")


def _rank(relation: str) -> int:
    """Changes first, then rules without counterpart, then what cannot be compared and what is equal."""
    from abnforge.comparison.grammars import RELATIONS

    return RELATIONS.index(relation)


def _title(diff: RuleDiff) -> str:
    if diff.counterpart is None or diff.counterpart == diff.name:
        return diff.name
    return f"{diff.name} -> {diff.counterpart}"


def _witnesses(diff: RuleDiff, names: tuple[str, str]) -> list[tuple[str, str, str]]:
    """For each side that has strings of its own: its grammar, one of them, and what the other says to it."""
    from abnforge.comparison.rules import reason

    compared = diff.comparison
    if compared is None:
        return []
    sides = (
        (names[0], compared.only_left, compared.why_not_right()),
        (names[1], compared.only_right, compared.why_not_left()),
    )
    return [(name, text, reason(why)) for name, text, why in sides if text is not None and why is not None]


def _text(diff: RuleDiff, names: tuple[str, str], style: Style) -> str:
    from abnforge.comparison.rules import quoted

    label = diff.relation.ljust(LABEL_COLUMNS)
    paint = style.good if diff.equal else style.error
    lines = [f"{paint(label)} {style.strong(escape(_title(diff)))}"]
    if diff.note:
        lines.append(f"    {escape(diff.note)}")
    for name, text, why in _witnesses(diff, names):
        lines.append(f"    {style.faint('only ' + escape(name))}  {quoted(text)}")
        lines.append(f"        {escape(why)}")
    return "\n".join(lines) + "\n"


def _wrapped(names: Iterable[str]) -> str:
    return fill(
        escape(", ".join(names)),
        width=100,
        initial_indent="    ",
        subsequent_indent="    ",
        break_on_hyphens=False,
        break_long_words=False,
    )


def _markdown(diffs: Iterable[RuleDiff], names: tuple[str, str]) -> Iterable[str]:
    yield f"| rule | relation | only {plain(names[0])} | only {plain(names[1])} | note |"
    yield "|---|---|---|---|---|"
    for diff in diffs:
        found = {name: f"{code(text)}: {plain(why)}" for name, text, why in _witnesses(diff, names)}
        cells = [code(_title(diff)), diff.relation, *(found.get(name, "") for name in names)]
        yield f"| {' | '.join([*cells, plain(diff.note or '')])} |"
