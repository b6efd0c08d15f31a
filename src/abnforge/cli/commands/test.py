"""``abnforge test``: run the examples in a grammar, or in a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from abnforge.cli.common.completions import complete_grammar, complete_rule
from abnforge.cli.common.errors import EXIT_REJECTED, EXIT_USAGE, UsageError, exit_zero_option, usage_errors
from abnforge.cli.common.grammar_results import (
    FAILED,
    MISSING,
    UNDECIDED,
    ExampleOutcome,
    document_results,
    listed,
    missing,
    numbered,
    results,
)
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import LINKING_OPTIONS, grammar_options, load, quiet_option
from abnforge.cli.common.output import print_stderr, warn
from abnforge.cli.output.formats import format_option, make_report
from abnforge.errors import GrammarError
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.engine.grammar import Grammar
    from abnforge.engine.rule import Rule
    from abnforge.grammar.extract import DocumentExample, LineEnd
    from abnforge.text import Source


class ExampleType(NamedTuple):
    """A type of code blocks, and the rule that matches them, or must not match them if ``valid`` is False."""

    kind: str
    grammar: str | None
    rule: str
    valid: bool


class Blocks(NamedTuple):
    """The code blocks of a type in a document, with their rule."""

    document: Source
    rule: Rule
    examples: list[DocumentExample]
    valid: bool


def _example_type(value: str, option: str, valid: bool) -> ExampleType:
    """Read TYPE=RULE or TYPE=GRAMMAR:RULE."""
    kind, _, name = value.partition("=")
    grammar, _, rule = name.strip().rpartition(":")
    if not kind.strip() or not rule:
        raise UsageError(message("example-type", option=option, value=value))
    return ExampleType(kind.strip(), grammar or None, rule, valid)


@command("test", short_help="Run the examples in a grammar or a document.")
@click.argument("grammars", nargs=-1, required=True, metavar="FILE|NAME...", shell_complete=complete_grammar)
@option(
    "-r",
    "--rule",
    "rules",
    shell_complete=complete_rule,
    multiple=True,
    metavar="NAME",
    help="Run only the examples of this rule. Repeatable.",
)
@grammar_options("budget", *LINKING_OPTIONS)
@format_option("example")
@option("--list", "listing", is_flag=True, help="List the examples without running them.")
@option(
    "--require",
    type=click.IntRange(min=1),
    help="Report rules with fewer than N matches or N non-matches: those of --rule, or the start rule and "
    "all rules that no other rule uses.",
    excludes="--list",
)
@option(
    "--examples",
    multiple=True,
    metavar="TYPE=RULE",
    help="Match the code blocks of this type in documents against a rule. Repeatable.",
)
@option(
    "--non-examples",
    multiple=True,
    metavar="TYPE=RULE",
    help="Require that a rule does not match the blocks of this type. Repeatable.",
)
@option(
    "--lines",
    is_flag=True,
    help="Treat each line of a block as one string.",
    needs="--examples or --non-examples",
)
@option(
    "--newline",
    type=click.Choice(["lf", "crlf"]),
    default="lf",
    show_default=True,
    help="Line endings of blocks.",
    needs="--examples or --non-examples",
)
@quiet_option
@exit_zero_option
@click.pass_context
def test(
    ctx: click.Context,
    grammars: tuple[str, ...],
    rules: tuple[str, ...],
    examples: tuple[str, ...],
    non_examples: tuple[str, ...],
    lines: bool,
    newline: LineEnd,
    report_format: str,
    listing: bool,
    require: int | None,
    quiet: bool,
) -> None:
    """Run the examples in a grammar: structured comments, or code blocks of the document that contains it.

    \b
      ;@ match "80", "" (RFC 3986, section 3.2.3)
      ;@ no-match "80x"
      port = *DIGIT

    With --examples, a rule of a document (RFC XML, Markdown, HTML), or of another grammar
    (TYPE=GRAMMAR:RULE), must match the document's code blocks of a type. The end of a block's last line may
    be part of the string or not. Lines folded as in RFC 8792 are unfolded.

    Failed examples are reported with their position and the reason: the rejection of a string that must
    match, or the parse of a string that must not. Text output counts the examples of each rule; every other
    format except github has one element per example.

    \b
    Examples:
      abnforge test my.abnf
      abnforge test --rule port --require 3 my.abnf
      abnforge test --format junit *.abnf > examples.xml
      abnforge test --list rfc3986
      abnforge test http.md --examples http-message=HTTP-message --newline crlf

    Exit status: 0 all examples pass; 1 any failed, or fewer than --require; 2 usage error, unreadable
    grammar, invalid examples, or budget exceeded.
    """
    types = [_example_type(each, "--examples", valid=True) for each in examples]
    types += [_example_type(each, "--non-examples", valid=False) for each in non_examples]
    own = not types or any(one.grammar is None for one in types)
    chosen = {rule.lower() for rule in rules}
    if chosen:
        types = [one for one in types if one.rule.lower() in chosen]
    # Load all grammars before the report, which cannot be left incomplete.
    loaded = [_loaded(name, grammars, bool(types)) for name in grammars] if own else []
    for grammar in filter(None, loaded):
        for rule in rules:
            grammar[rule]  # raises UnknownNameError
        if not grammar.examples and not quiet and not (examples or non_examples):
            warn(message("examples-missing", grammar=grammar.source.name))
    blocks = _blocks(grammars, loaded, types, newline, lines)
    report = make_report("example", report_format)
    counts = {"tried": 0, FAILED: 0, UNDECIDED: 0, MISSING: 0}
    report.begin()
    for name, each in zip(grammars, loaded, strict=False):
        for outcome in _outcomes(each, name, rules, listing, require, blocks) if each else ():
            if outcome.status != MISSING:
                counts["tried"] += 1
            counts[outcome.status] = counts.get(outcome.status, 0) + 1
            report.add(outcome)
    for block in blocks:
        for outcome in document_results(
            block.document, block.rule, block.examples, valid=block.valid, listing=listing
        ):
            counts["tried"] += 1
            counts[outcome.status] = counts.get(outcome.status, 0) + 1
            report.add(outcome)
    report.finish()
    if not quiet:
        print_stderr(_summary(counts, listing))
    if counts[UNDECIDED]:
        ctx.exit(EXIT_USAGE)
    if counts[FAILED] or counts[MISSING]:
        ctx.exit(EXIT_REJECTED)


def _loaded(name: str, names: tuple[str, ...], has_types: bool) -> Grammar | None:
    """Load a grammar; None, with a warning, for one of several documents that has no grammar but examples."""
    try:
        return load(name, *names)
    except GrammarError as error:
        if not has_types or len(names) == 1 or getattr(error.message, "code", "") != "document-without-abnf":
            raise
        warn(message("document-skipped", source=name))
        return None


def _outcomes(
    grammar: Grammar,
    name: str,
    rules: tuple[str, ...],
    listing: bool,
    require: int | None,
    blocks: list[Blocks],
) -> Iterator[ExampleOutcome]:
    """Yield the results of the examples in structured comments."""
    from abnforge.engine.examples import chosen, tried
    from abnforge.engine.loading import is_built_in

    is_file = not is_built_in(name) and Path(name).is_file()
    examples = chosen(grammar.examples, {grammar[rule].name for rule in rules} or None)
    if listing:
        yield from listed(grammar, is_file, examples)
        return
    yield from results(grammar, is_file, tried(grammar, examples, grammar.source.name))
    if require:
        more: Counter[tuple[Rule, bool]] = Counter()
        for block in blocks:
            more[block.rule, block.valid] += len(block.examples)
        yield from missing(grammar, is_file, rules or None, require, more)


def _blocks(
    paths: tuple[str, ...],
    loaded: list[Grammar | None],
    types: list[ExampleType],
    newline: LineEnd,
    by_line: bool,
) -> list[Blocks]:
    """Return the code blocks of documents by type. Raises UsageError if no document has one of a type."""
    from abnforge.grammar.extract import find_examples
    from abnforge.grammar.reader import read_file
    from abnforge.text import Source

    documents = [Source(read_file(Path(path)), path) for path in paths] if types else []
    blocks = []
    for each in types:
        count = 0
        for index, document in enumerate(documents):
            grammar = loaded[index] if each.grammar is None else load(each.grammar)
            if grammar is None:
                continue
            with usage_errors():
                examples = find_examples(
                    document, each.kind, folder=Path(document.name).parent, line_end=newline, by_line=by_line
                )
            count += len(examples)
            if examples:
                blocks.append(Blocks(document, grammar[each.rule], examples, each.valid))
        if not count:
            raise UsageError(message("example-blocks-missing", type=each.kind, documents=paths))
    return blocks


def _summary(counts: dict[str, int], listing: bool) -> str:
    """Return ``7 examples, 1 failed``."""
    total = numbered(counts["tried"], "example", "examples")
    if listing:
        return total
    parts = [f"{counts[FAILED]:,} failed"]
    if counts[UNDECIDED]:
        parts.append(f"{counts[UNDECIDED]:,} not decided")
    if counts[MISSING]:
        parts.append(f"{numbered(counts[MISSING], 'rule', 'rules')} with too few")
    return escape(f"{total}, {', '.join(parts)}")
