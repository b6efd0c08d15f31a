"""``abnforge format``: format ABNF files."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from abnforge.cli.common.completions import complete_file
from abnforge.cli.common.errors import EXIT_REJECTED, EXIT_USAGE, exit_zero_option
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.options import require_readable
from abnforge.cli.common.output import (
    file_problem,
    print_error,
    print_error_lines,
    print_stderr,
    replace_text,
    stderr_style,
    unified_diff,
    write,
    write_file,
)
from abnforge.errors import GrammarError, described
from abnforge.grammar.formatter import MAX_WIDTH, MIN_WIDTH
from abnforge.grammar.printer import MAX_COLUMNS
from abnforge.grammar.reader import MAX_GRAMMAR_BYTES
from abnforge.linting.editing import NOTATIONS
from abnforge.text import escape

_MARK = "\ufeff"


@command("format", short_help="Format ABNF files.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_file)
@option(
    "--check",
    "checking",
    is_flag=True,
    help="List the files that would change; change none.",
    excludes="--diff",
)
@option("--diff", "diffing", is_flag=True, help="Show the changes as a diff; change nothing.")
@option(
    "-w",
    "--width",
    type=click.IntRange(MIN_WIDTH, MAX_WIDTH),
    default=MAX_COLUMNS,
    show_default=True,
    help="Fold rules that are wider than N columns.",
)
@option(
    "--align/--no-align",
    default=None,
    help='Align the "=" of rules on consecutive lines, or do not.  [default: keep]',
)
@option("--from", "written", type=click.Choice(list(NOTATIONS)), help="Convert from another notation first.")
@exit_zero_option
@click.pass_context
def format_files(
    ctx: click.Context,
    files: tuple[str, ...],
    checking: bool,
    diffing: bool,
    width: int,
    align: bool | None,
    written: str | None,
) -> None:
    """Format ABNF files in place; for "-", format standard input to standard output.

    Names, comments and line endings stay unchanged. Rules start in the first column, with "/" below "=";
    comments are aligned; only rules that are too wide are folded. A file with syntax errors, or with an
    unclear notation, is reported and stays unchanged.

    \b
    Examples:
      abnforge format my.abnf
      abnforge format --check *.abnf
      abnforge format --diff --width 100 my.abnf
      abnforge format --from ebnf - < other.ebnf > my.abnf

    Exit status: 0 success, 1 files would change (--check, --diff), 2 usage error or a file with errors.
    """
    require_readable(files)
    failed = differs = False
    for file in files:
        try:
            mark, text = _text(file)
            name = "<stdin>" if file == "-" else file
            after = _formatted(text, name, width, align, written)
            if after is None:
                failed = True
                continue
            differs = differs or after != text
            if checking:
                write(f"{escape(name)}\n" if after != text else "")
            elif diffing:
                write_file(unified_diff(name, text, after))
            elif file == "-":
                sys.stdout.buffer.write((mark + after).encode())
            elif after != text:
                replace_text(Path(file), after)
                print_stderr(f"{escape(file)}: formatted")
        except GrammarError as error:
            for each in error.errors:
                print_error_lines(described(each, stderr_style().encoding))
            failed = True
        except BrokenPipeError:
            raise
        except OSError as error:
            print_error(file_problem(error, file))
            failed = True
    if failed:
        ctx.exit(EXIT_USAGE)
    if differs and (checking or diffing):
        ctx.exit(EXIT_REJECTED)


def _text(file: str) -> tuple[str, str]:
    """Return the byte order mark of standard input, and the contents after it. Files drop their mark."""
    from abnforge.grammar.reader import grammar_text, read_file

    if file != "-":
        return "", read_file(Path(file))
    data = sys.stdin.buffer.read(MAX_GRAMMAR_BYTES + 1)
    return _MARK if data.startswith(_MARK.encode()) else "", grammar_text(data, "<stdin>")


def _formatted(text: str, name: str, width: int, align: bool | None, written: str | None) -> str | None:
    """Return the formatted text; print the findings and return None if the notation is not clear."""
    from abnforge.cli.output import diagnostic
    from abnforge.grammar.formatter import formatted
    from abnforge.linting.editing import convert

    if written is not None:
        converted = convert(text, name, written)
        if converted.findings:
            for finding in converted.findings:
                shown = replace(finding, edits=())  # these edits were applied, but did not fix everything
                print_stderr("\n".join(diagnostic.finding(shown).lines(stderr_style())))
            return None
        text = converted.text
    return formatted(text, name, width, align)
