"""``abnforge conform``: test whether an implementation accepts exactly the strings of a rule."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from abnforge.cli.common.completions import complete_grammar_rule
from abnforge.cli.common.config import named_options
from abnforge.cli.common.errors import EXIT_REJECTED, UsageError, exit_zero_option, usage_errors
from abnforge.cli.common.grammar_results import MOST_SHOWN, ConformanceResult, MatrixResult
from abnforge.cli.common.groups import LazyChoice, option
from abnforge.cli.common.groups import command as declared_command
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import budget, grammar_options, load, quiet_option, rule_of, suite_options
from abnforge.cli.common.output import OutputPath, ProgressLine, print_stderr, warn, write_result
from abnforge.cli.output.formats import format_option, make_report
from abnforge.outputs import writing
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.conformance import Pattern
    from abnforge.conformance.judges import Judge
    from abnforge.conformance.matrix import Matrix
    from abnforge.conformance.running import Known, Report, Watch
    from abnforge.conformance.suites import Suite
    from abnforge.engine.rule import Rule


T = TypeVar("T")

PROTOCOLS = ("exit", "jsonl")
"""Ways to run a program: once per string, using its exit status; or once, with one line per string."""


@contextmanager
def implementation(args: Mapping[str, Any]) -> Iterator[tuple[Judge | Pattern | Rule, str]]:
    """Yield the implementation, pattern or rule to test, and its name. Exiting the context ends programs."""
    from abnforge.conformance import Command, Process, pattern
    from abnforge.conformance.judges import named
    from abnforge.engine.loading import locate

    command, timing = args["command"], {"seconds": args["timeout"], "jobs": args["jobs"]}
    names = [args[each] for each in ("function", "pattern", "against") if args[each] is not None]
    names += [shlex.join(command)] if command else []
    if len(names) != 1:
        raise UsageError(message("implementation-missing"))
    subject: Judge | Pattern | Rule
    with ExitStack() as stack:
        with usage_errors():
            if args["function"] is not None:
                sys.path.insert(0, "")  # make the current directory importable, as python -m does
                try:
                    with usage_errors("--python"):
                        subject = named(args["function"], raises=args["raises"])
                finally:
                    sys.path.remove("")
            elif args["pattern"] is not None:
                with usage_errors("--pattern"):
                    subject = pattern(args["pattern"], args["dialect"], args["how"], args["flags"])
            elif args["against"] is not None:
                grammar, rule = locate(args["against"], budget())
                subject = grammar.start if rule is None else grammar[rule]
            elif args["protocol"] == "exit":
                subject = Command(command, stdin=args["stdin"], **timing)
                subject.check()
            else:
                subject = stack.enter_context(Process(command, **timing))
        yield subject, names[0]


UNKNOWN_REASON = "not looked at yet"
IMPLEMENTATION = (
    *("python", "raises", "pattern", "dialect", "how", "flags", "against"),
    *("protocol", "stdin", "jobs", "timeout", "command"),
)
"""The options that describe an implementation, on the command line or in a file."""


@declared_command(short_help="Test an implementation for conformance to a rule.")
@grammar_options()
@option("--python", "function", metavar="MODULE:FUNCTION", help="Test a Python function.")
@option("--raises", is_flag=True, help="Treat exceptions as invalid.", needs="--python")
@option("--pattern", metavar="REGEX", help="Compare a regular expression exactly.", allow_empty=True)
@option(
    "--dialect",
    type=LazyChoice("abnforge.conformance.proof:DIALECTS"),
    default="python",
    metavar="NAME",
    help="Use this dialect, not python.",
    needs="--pattern",
)
@option(
    "--how",
    type=LazyChoice("abnforge.conformance.proof:HOW"),
    default="fullmatch",
    metavar="MODE",
    help="Use fullmatch, match or search.",
    needs="--pattern",
)
@option("--flags", default="", metavar="LETTERS", help="Use regex flags, such as i.", needs="--pattern")
@option(
    "--against",
    metavar="GRAMMAR[:RULE]",
    shell_complete=complete_grammar_rule,
    help="Compare another rule exactly.",
)
@option(
    "--implementations",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Compare the implementations in this TOML file.",
    excludes="--python or --pattern or --against or COMMAND",
)
@option(
    "--protocol",
    type=click.Choice(PROTOCOLS),
    default="exit",
    metavar="exit|jsonl",
    help="Use exit statuses, or JSON Lines.",
    needs="COMMAND",
)
@option(
    "--stdin",
    is_flag=True,
    help="Pass the string as stdin.",
    needs="COMMAND",
    excludes="--protocol jsonl",
)
@suite_options()
@option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    help="Run N processes, not 1.",
    needs="COMMAND",
)
@option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Count a string without output as invalid.",
    needs="COMMAND",
)
@format_option("matrix")
@option("--all", "show_all", is_flag=True, help=f"Show all causes, not {MOST_SHOWN} of each kind.")
@option(
    "--known",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Accept the deviations in this TOML file.",
)
@option("--write-known", metavar="FILE", type=OutputPath(), help="Write new deviations to this TOML file.")
@option("--save", metavar="FILE", type=OutputPath(), help="Write test vectors to this file.")
@quiet_option
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
@exit_zero_option
@click.pass_context
def conform(ctx: click.Context, /, **args: Any) -> None:
    """Test an implementation against a rule, by a suite or by a proof.

    Pass a command after "--". Its last argument is the string, or the string replaces {}; exit status 0
    means valid. With --protocol jsonl, it runs once, reads {"text": "..."} and writes {"valid": true}, one
    per line. It runs in an empty directory. With --implementations, tables [implementations.NAME] have
    these options, or a command list, as keys.

    \b
    Examples:
      abnforge conform --rule IPv4address --python ipaddress:IPv4Address --raises
      abnforge conform --rule URI --protocol jsonl --jobs 2 -- node check.js
      abnforge conform --rule port --pattern '^[0-9]*$' --how search
      abnforge conform --rule port --known known.toml --format junit -- ./check
      abnforge conform --rule port --implementations all.toml -f html > all.html

    Exit status: 0 no deviation, or only known ones; 1 any other deviation; 2 usage error, or an
    implementation that cannot be run.
    """
    from abnforge.conformance.judges import Judge
    from abnforge.conformance.matrix import matrix_of
    from abnforge.conformance.running import judge_of, read_known, run, run_suite, triage, written
    from abnforge.conformance.suites import suite

    chosen = rule_of(load(args["grammar"]), args["rule"])
    level, extra_states, save, quiet = (args[each] for each in ("level", "extra_states", "save", "quiet"))
    with usage_errors():
        entries: list[Known] = [] if args["known"] is None else read_known(args["known"])
        if extra_states and not chosen.regular:
            suite(chosen, level, extra_states)  # raises the error that explains the failure
    several = args["implementations"]
    has_implementation = args["command"] or args["function"] or args["against"] or args["pattern"] is not None
    if save is not None and not has_implementation and several is None:
        count = len(_save(save, _generate(chosen, level, extra_states)))
        if not quiet:
            print_stderr(f"{count:,} strings in {escape(str(save))}")
        return
    most = None if args["show_all"] else MOST_SHOWN
    result: ConformanceResult | MatrixResult
    # Find the implementations first, because a suite takes time.
    with ExitStack() as stack:
        tables: Mapping[str, Mapping[str, Any]] = {"": args}
        if several is not None:
            tables = named_options(ctx, several, "implementations", IMPLEMENTATION)
        named = [(name, *stack.enter_context(implementation(table))) for name, table in tables.items()]
        targets = {name or command: target for name, target, command in named}
        is_matrix = several is not None or args["report_format"] in ("markdown", "html")
        strings = None
        if save is not None or is_matrix or any(isinstance(each, Judge) for each in targets.values()):
            strings = _generate(chosen, level, extra_states)
        if save is not None and strings is not None:
            _save(save, strings)
        with usage_errors():
            if is_matrix and strings is not None:
                judges = {name: judge_of(target, chosen) for name, target in targets.items()}
                matrix = _with_progress(strings, partial(matrix_of, strings, judges))
                result = MatrixResult(matrix, tuple(_triaged(matrix, judges, entries, most)), most)
            else:
                ((name, target),) = targets.items()
                if isinstance(target, Judge) and strings is not None:
                    report = _with_progress(strings, partial(run_suite, strings, target))
                else:
                    report = run(chosen, target, level, extra_states, budget=budget())
                entries = [each for each in entries if each.implementation is None]
                result = ConformanceResult(
                    report, triage(report, judge_of(target, chosen), entries), name, most
                )
    results = result.results if isinstance(result, MatrixResult) else (result,)
    if args["write_known"] is not None:
        names = [each.name if several else None for each in results]
        parts = (
            written(chosen, each.sorted.new, UNKNOWN_REASON, name)
            for each, name in zip(results, names, strict=True)
        )
        write_result(args["write_known"], chain.from_iterable(parts))
    kind = "conformed" if isinstance(result, ConformanceResult) else "matrix"
    make_report(kind, args["report_format"]).feed([result])
    if not quiet:
        for each in results:
            print_stderr((f"{escape(each.name)}: " if several else "") + _summary(each))
    if any(each.sorted.new for each in results):
        ctx.exit(EXIT_REJECTED)


def _triaged(
    matrix: Matrix, judges: Mapping[str, Judge], entries: Sequence[Known], most: int | None
) -> Iterator[ConformanceResult]:
    """Yield the report on each implementation with its known deviations.

    An entry for any implementation has vanished if no implementation deviates.
    """
    from abnforge.conformance.running import triage

    triages = {
        name: triage(report, judges[name], [e for e in entries if e.implementation in (None, name)])
        for name, report in matrix.reports.items()
    }
    vanished = set.intersection(*({*each.vanished} for each in triages.values()))
    for name, each in triages.items():
        own = tuple(entry for entry in each.vanished if entry.implementation is not None or entry in vanished)
        yield ConformanceResult(matrix.reports[name], replace(each, vanished=own), name, most)


def _generate(rule: Rule, level: str, extra_states: int) -> Suite:
    from abnforge.conformance.suites import suite

    progress = ProgressLine("string")
    progress.state(f"generating strings of {rule.name}")
    strings = suite(rule, level, extra_states, budget=budget())
    progress.clear()
    for each in strings.lost:
        warn(message("suite-lost", part=str(each)))
    return strings


def _with_progress(strings: Suite, test: Callable[[Watch], T]) -> T:
    progress = ProgressLine("string")

    def watch(done: int, wrong: int) -> None:
        progress.update(done, wrong, done, len(strings), "differ")
        if done == len(strings) and wrong:
            progress.state(f"grouping {wrong:,} deviations by cause")

    try:
        return test(watch)
    finally:
        progress.clear()


def _save(path: Path, strings: Suite) -> Suite:
    from abnforge.conformance.vectors import lines

    progress = ProgressLine("vector")
    with writing(path) as file:
        for number, line in enumerate(lines(strings.rule, strings), 1):
            file.write(line.encode("ascii"))
            progress.update(number, 0, number, len(strings), "lost")
    progress.clear()
    return strings


def _summary(result: ConformanceResult) -> str:
    """Return ``9,087 strings tested, 142 differ: 2 causes, 1 known``."""
    report: Report = result.report
    if report.proof is not None and not report.tried:
        return "proved"
    parts = [f"{report.tried:,} strings tested"]
    if report.skipped:
        parts.append(f"{report.skipped:,} not testable")
    causes = len(report.deviations)
    differing = f"{report.differing:,} differ"
    if causes:
        differing += f": {'1 cause' if causes == 1 else f'{causes:,} causes'}"
    parts.append(differing)
    if result.sorted.accepted:
        parts.append(f"{len(result.sorted.accepted):,} known")
    if result.sorted.vanished:
        parts.append(f"{len(result.sorted.vanished):,} vanished")
    return ", ".join(parts)
