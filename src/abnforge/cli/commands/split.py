"""``abnforge split``: split files into valid and rejected rows."""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from abnforge.catalog import MissingExtraError
from abnforge.cli.common.completions import complete_column, complete_file, complete_warning
from abnforge.cli.common.errors import (
    EXIT_USAGE,
    UsageError,
    exit_zero_option,
    for_command_line,
    problem_of,
    usage_errors,
)
from abnforge.cli.common.groups import SectionedCommand, command, option
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import (
    LINKING_OPTIONS,
    config_option,
    grammar_options,
    linking,
    loading,
    mistakes_file,
    quiet_option,
    require_linkable,
)
from abnforge.cli.common.output import print_error, write
from abnforge.cli.common.policies import is_about, policies_of, policy_options, set_options
from abnforge.cli.common.process import Stopping, choose_allocator
from abnforge.cli.common.security import always_masking, mask_option
from abnforge.errors import GrammarError, UnknownNameError

if TYPE_CHECKING:
    from abnforge.cli.common.ingesting import ProgressLog
    from abnforge.cli.output.split import Reports
    from abnforge.engine.grammar import Grammar
    from abnforge.engine.rule import Rule
    from abnforge.ingest import Column, CsvOptions
    from abnforge.ingest.job import Job, Run

_FORMATS = ("parquet", "arrow", "csv", "tsv", "jsonl", "lines", "nt", "nq")


class _ReportType(click.Path):
    """A local file for a report."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if "://" in str(value):
            option = param.opts[0] if param is not None else ""
            raise UsageError(message("report-is-remote", option=option, value=str(value)))
        return super().convert(value, param, ctx)


class _OutputType(click.Path):
    """A local path, or a prefix in object storage."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if "://" not in str(value):
            return super().convert(value, param, ctx)
        try:
            from abnforge.ingest.storage import output_path
        except ModuleNotFoundError:  # the command reports the missing package
            return Path(value)
        return output_path(value)


_warn_option = partial(option, shared_help="Warn about suspicious URIs: a code, family or all.")
_mode_option = partial(option, shared_help="Resume; validate edited rejects; print the plan.")
_input_option = partial(option, shared_help="Read this format and encoding; reject longer rows.")
_csv_option = partial(option, shared_help="Describe CSV; \\t is a tab, '' means no quotes.")

_PATH: Any = _ReportType(path_type=Path)
_OUTPUT: Any = _OutputType(path_type=Path)
_report_option = partial(option, shared_help="Report as JSON, HTML, metrics or OpenLineage.")
_log_option = partial(option, shared_help="Name the run; set its log messages.")
_REPORTS = ("summary", "metrics", "report")


class _Reporting(SectionedCommand):
    """A command that writes its reports even if the command line is invalid."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        words = list(args)
        try:
            return super().make_context(info_name, args, parent, **extra)
        except (click.UsageError, OSError, GrammarError, UnknownNameError) as error:
            reason = _reason(error)
            # Parse the valid words of the command line and the options file. The parser does not reach
            # options after a mistake, so they are put first, where earlier options override them.
            lenient = {"resilient_parsing": True, "ignore_unknown_options": True, "allow_extra_args": True}
            words = [*self._unreached(words), *words]
            if _report_misuse(
                super().make_context(info_name, words, parent, **extra | lenient).params, reason
            ):
                raise _shown(reason) from None
            raise

    def _unreached(self, words: list[str]) -> list[str]:
        """Return all words that look like options of reports and logs, with their values."""
        wanted = (*_REPORTS, "log_format")
        names = {name for each in self.params if each.name in wanted for name in each.opts}
        before_end = words[: words.index("--")] if "--" in words else words
        joined = [word for word in before_end if word.partition("=")[0] in names and "=" in word]
        return joined + [each for pair in pairwise(before_end) if pair[0] in names for each in pair]


def _reason(error: BaseException) -> str:
    if isinstance(error, click.UsageError):
        from abnforge.cli.common.misuse import misuse

        return str(misuse(error).message)
    return str(error)


def _shown(problem: str) -> UsageError:
    """Return an error that the log shows."""
    error = UsageError(problem)
    error.is_shown = True
    return error


def _report_misuse(args: dict[str, Any], reason: str) -> bool:
    """Report a wrong command line to the files and the log for programs. Return whether the log shows it."""
    try:
        from abnforge.ingest.summary import failed_run

        teller, reports = _reporting(args)
    except (
        ModuleNotFoundError,
        UsageError,
    ):  # without pyarrow, no job runs; without jinja2, no report is made
        return False
    is_shown: bool = args["log_format"] == "json"
    if is_shown:
        teller.fail(reason)
    if not args["dry_run"]:
        reports.write_failure(failed_run("failed", teller.run), reason)
    return is_shown


def _reporting(args: dict[str, Any]) -> tuple[ProgressLog, Reports]:
    """Return the log and the reports of a run of the job."""
    from abnforge.cli.common.ingesting import JsonLog, ProgressLog
    from abnforge.cli.output.split import Reports
    from abnforge.ingest.job import Run

    reports = Reports(**{name: args[name] for name in (*_REPORTS, "history")})
    name = args["job_name"] or reports.usual_name(args["valid"] or args["rejects"])
    run = Run(name) if args["run_id"] is None else Run(name, str(args["run_id"]))
    log = JsonLog if args["log_format"] == "json" else ProgressLog
    teller = log(run, "error" if args["quiet"] else args["log_level"] or "info", reports.publishing)
    reports.tell = teller.fail
    return teller, reports


@command(cls=_Reporting, short_help="Split tables and files into valid and rejected rows.")
@click.argument("sources", nargs=-1, metavar="SOURCE...", shell_complete=complete_file)
@option(
    "-c",
    "--column",
    "columns",
    multiple=True,
    metavar="NAME[:RULE]",
    guesses=("-r", "--rule"),
    shell_complete=complete_column,
    help="Validate this column; a.b is a field, a[] a list.",
)
@option(
    "-o",
    "--valid",
    type=_OUTPUT,
    metavar="PATH",
    guesses=("--output", "--accepted"),
    help="Write valid rows to this path.",
)
@option("--partition-by", metavar="NAME,...", help="Write a directory for each value.")
@option("--max-file-bytes", type=click.IntRange(min=1), help="Write a directory of files of N bytes.")
@option("--rejects", type=_OUTPUT, metavar="PATH", help="Write rejects to this .jsonl, .parquet or .csv.")
@grammar_options("grammar", "mistakes", "budget", "no-cache", *LINKING_OPTIONS)
@option("--id", "id_name", metavar="NAME", help="Copy this column to rejects as the ID of rows.")
@option(
    "--nulls",
    type=click.Choice(["valid", "reject"]),
    default="valid",
    help="Accept missing values, or reject them.",
)
@option(
    "--null-value",
    "null_values",
    multiple=True,
    metavar="TEXT",
    help="Treat this string as missing. Repeatable.",
)
@option(
    "--on-error",
    type=click.Choice(["reject", "drop", "fail", "keep"]),
    default="reject",
    metavar="ACTION",
    help="Reject, drop or keep rows with errors, or fail.",
)
@policy_options
@_warn_option("--warn", multiple=True, metavar="NAME", shell_complete=complete_warning)
@_warn_option("--warnings", type=_OUTPUT, metavar="PATH", needs="--warn")
@_warn_option(
    "--on-warning", type=click.Choice(["keep", "reject"]), default="keep", metavar="ACTION", needs="--warn"
)
@_warn_option("--fail-on", type=click.Choice(["note", "warning", "error"]), metavar="LEVEL", needs="--warn")
@option("--max-rejects", metavar="N|P%", help="Fail if more than N rows or P% are rejected.")
@option(
    "--sample-rejects",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Show N rejects per code.",
)
@option("--suggest/--no-suggest", default=False, help="Suggest corrections in rejects.  [default: no]")
@mask_option
@_input_option("--input-format", type=click.Choice(_FORMATS), metavar="NAME")
@_input_option("--encoding", metavar="NAME")
@_input_option("--max-row-bytes", type=click.IntRange(min=1), default=1 << 24)
@_csv_option("--delimiter", metavar="CHAR")
@_csv_option("--quote", metavar="CHAR", default='"', allow_empty=True)
@_csv_option("--escape", metavar="CHAR")
@_csv_option("--comment", metavar="CHAR")
@_csv_option("--header", metavar="NAMES", excludes="--no-header")
@_csv_option("--no-header", is_flag=True)
@option(
    "--on-bad-source",
    type=click.Choice(["fail", "skip", "quarantine"]),
    default="fail",
    metavar="ACTION",
    help="Fail, skip or quarantine unreadable sources.",
)
@option("--union-by-name", is_flag=True, help="Allow sources with different columns.")
@option("-j", "--jobs", type=click.IntRange(1, 256), help="Use N threads.  [default: all]")
@_report_option("--summary", type=_PATH, metavar="PATH")
@_report_option("--report", type=_PATH, metavar="PATH")
@_report_option("--metrics", type=_PATH, metavar="PATH")
@_report_option("--history", metavar="DIR", needs="--report", shell_complete=complete_file)
@_report_option("--openlineage", is_flag=True)
@_log_option("--job-name", metavar="NAME")
@_log_option("--run-id", type=click.UUID)
@_log_option("--log-format", type=click.Choice(["text", "json"]), default="text")
@_log_option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    metavar="NAME",
    excludes="--quiet",
)
@_mode_option("--resume", is_flag=True)
@_mode_option("--replay", is_flag=True)
@_mode_option("--dry-run", is_flag=True)
@config_option
@quiet_option
@exit_zero_option
@click.pass_context
def split(ctx: click.Context, /, **args: Any) -> None:
    """Split the rows of tables and files into valid and rejected rows.

    SOURCE is a file, glob, directory, URI (s3://, ...) or "-": Parquet, Arrow, CSV, TSV, JSON Lines or text,
    also compressed. Outputs appear at the end.

    \b
    Examples:
      abnforge split pages.parquet -c url -o good.parquet --rejects bad.jsonl
      abnforge split '*.csv' -c at:rfc3339:date-time -o ok.csv --rejects bad.csv
      abnforge split --replay bad.jsonl -c url -o fixed.csv --rejects left.jsonl

    Exit status: 0 none rejected, 1 some rejected, 2 error, 3 nothing written.
    """
    stopping = Stopping()
    ctx.with_resource(stopping.listening())
    choose_allocator()
    try:
        from abnforge.cli.common.ingesting import PasswordRedactor, lineage_to, range_notes
        from abnforge.cli.output import split as reporting
        from abnforge.ingest import JobError
        from abnforge.ingest.checkpoint import can_resume
        from abnforge.ingest.pipeline import preview, run
        from abnforge.ingest.summary import FAILED, STOPPED, failed_run
        from abnforge.ingest.validate import keep_memory_a_while
    except ModuleNotFoundError as error:
        print_error(str(error))
        ctx.exit(EXIT_USAGE)
    keep_memory_a_while()
    _require_utf8(args[name] for name in (*_REPORTS, "history", "job_name", "valid", "rejects"))
    teller, reports = _reporting(args)
    job: Job | None = None

    def failed(reason: str) -> None:
        if not args["dry_run"]:
            result = failed_run(FAILED, teller.run) if teller.failed is None else teller.failed()
            reports.write_failure(result, reason)

    def fail(problem: str, trace: str | None = None) -> NoReturn:
        teller.fail(problem, trace)
        failed(problem)
        raise _shown(problem)

    try:
        _require_utf8(value for name, value in args.items() if name != "sources")
        if args["openlineage"] and not args["dry_run"]:
            reports.lineage = ctx.with_resource(lineage_to(teller))
        job = _job(args, teller.run, PasswordRedactor)
        reports.check(job)
        if args["dry_run"]:
            write(reporting.plan(job, preview(job, teller.note)))
            return
        if reports.report is not None:
            reports.notes = range_notes(job.columns)
        stopping.say = teller.say
        if stopping.signal is not None:
            result = failed_run(STOPPED, teller.run)
        else:
            result = run(job, teller, stopping)
    except click.exceptions.Exit:
        raise
    except _REPORTED_FOR_ALL_COMMANDS as error:
        if args["log_format"] == "json" and isinstance(error, _STATUS_2):
            fail(_reason(error))
        reason = _reason(error) or message("interrupted")
        if isinstance(error, BrokenPipeError) and not args["dry_run"]:
            reason = message("stdout-closed")
            teller.fail(reason)
        failed(reason)
        raise
    except (JobError, MissingExtraError) as error:
        fail(for_command_line(problem_of(error)))
    except OSError as error:
        is_resumable = job is not None and can_resume(job)
        problem: str = reports.unwritable(error)
        fail(message("job-resumable", problem=problem) if is_resumable else problem)
    except Exception as error:  # status 1 means rejected rows, so other failures need another status
        trace = None if type(error).__module__.startswith("pyarrow") else traceback.format_exc()
        problem = str(error).partition("\n")[0]
        fail(message("job-crashed", kind=type(error).__name__, problem=problem), trace)
    ctx.exit(reporting.ended(job, result, teller, stopping.signal, reports, args["fail_on"]))


def _require_utf8(values: Iterable[Any]) -> None:
    """Raise UsageError for an argument that is not UTF-8: neither messages nor outputs can hold it."""
    for value in values:
        for each in value if isinstance(value, list | tuple) else (value,):
            try:
                str(each).encode()
            except UnicodeEncodeError:
                raise UsageError(message("argument-not-utf8", value=str(each))) from None


_STATUS_2 = (click.ClickException, GrammarError, UnknownNameError)
_REPORTED_FOR_ALL_COMMANDS = (*_STATUS_2, click.Abort, BrokenPipeError, KeyboardInterrupt)


def _job(args: dict[str, Any], run: Run, redactor: Any) -> Job:
    from abnforge.ingest.batch import column
    from abnforge.ingest.job import Job
    from abnforge.ingest.validate import processors

    mistakes = mistakes_file()
    loaded: dict[str | None, Grammar] = {}

    def load(name: str | None) -> Grammar:
        import abnforge

        if name not in loaded:
            own = mistakes if name is None else None
            loaded[name] = abnforge.load(name or args["grammar"], mistakes=own, **loading())
        return loaded[name]

    if not args["sources"]:
        raise UsageError(message("sources-argument-missing"))
    columns = [column(text, load) for text in args["columns"]]
    require_linkable(*(name or args["grammar"] for name in loaded))
    columns = _narrowed(args, columns, load)
    more = set_options(args) | {name: str(value) for name, value in linking().items()}
    if mistakes is not None:
        more["mistakes"] = hashlib.sha256(mistakes.read_bytes()).hexdigest()
    return Job(
        sources=args["sources"],
        columns=columns,
        valid=args["valid"],
        rejects=args["rejects"],
        input_format=args["input_format"],
        encoding=args["encoding"],
        layout=_layout(args),
        id=args["id_name"],
        nulls=args["nulls"],
        null_values=args["null_values"],
        on_error=args["on_error"],
        warn=args["warn"],
        warnings=args["warnings"],
        on_warning=args["on_warning"],
        max_rejects=args["max_rejects"],
        samples=args["sample_rejects"],
        suggest=args["suggest"],
        max_row_bytes=args["max_row_bytes"],
        redactor=redactor(always_masking(columns[0].rule.name if columns else "")) if args["mask"] else None,
        resume=args["resume"],
        jobs=args["jobs"] or processors(),
        replay=args["replay"],
        on_bad_source=args["on_bad_source"],
        union_by_name=args["union_by_name"],
        partition_by=_names(args, "partition_by"),
        max_file_bytes=args["max_file_bytes"],
        cache=loading()["cache"],
        run=run,
        more=more,
    )


def _names(args: dict[str, Any], option: str) -> list[str]:
    """Return the names in an option, separated by commas as in CSV."""
    from abnforge.ingest import CsvOptions
    from abnforge.ingest.sources.csv import split_row

    if args[option] is None:
        return []
    try:
        return split_row(args[option].encode(), CsvOptions(","))
    except AssertionError:
        name = f"--{option.replace('_', '-')}"
        raise UsageError(
            message("option-malformed", option=name, form="NAME,...", value=args[option])
        ) from None


def _layout(args: dict[str, Any]) -> CsvOptions:
    from abnforge.ingest import CsvOptions

    names: list[str] | None = [] if args["no_header"] else None
    if args["header"] is not None:
        names = _names(args, "header")
    delimiter = args["delimiter"]
    delimiter = "\t" if delimiter == r"\t" else delimiter
    return CsvOptions(delimiter, names, args["quote"], args["escape"], args["comment"])


def _narrowed(
    args: dict[str, Any], columns: list[Column], load: Callable[[str | None], Grammar]
) -> list[Column]:
    """Return the columns; policies restrict their rules."""
    from abnforge.ingest import Column

    def rule(name: str) -> Rule:
        grammar, _, of = name.rpartition(":")
        return load(grammar or None)[of]

    with usage_errors():
        for kind, policy in policies_of(args, rule):
            usual = load(None).name
            chosen = [is_about(kind, each.rule.grammar.name, usual) for each in columns]
            if not any(chosen):
                raise UsageError(message("policy-without-column", kind=kind))
            columns = [
                Column(each.name, policy.rule(each.rule)) if restrict else each
                for each, restrict in zip(columns, chosen, strict=True)
            ]
    return columns
