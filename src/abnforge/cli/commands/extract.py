"""``abnforge extract``: extract the ABNF of a document."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from abnforge.cli.common.errors import EXIT_REJECTED, UsageError, exit_zero_option
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import output_option
from abnforge.cli.common.output import StreamError, print_stderr, write_result
from abnforge.cli.output.totals import counted
from abnforge.grammar.extract import FORMS
from abnforge.text import escape


@command("extract", short_help="Extract ABNF from RFCs, drafts, Markdown or HTML.")
@click.argument("file", metavar="FILE|-", type=click.Path())
@option("--from", "form", type=click.Choice(FORMS), help="Document format.  [default: detected]")
@option(
    "--collected",
    is_flag=True,
    help="Extract each rule once, from the section with the collected grammar if there is one.",
)
@option(
    "--appendix",
    "as_appendix",
    is_flag=True,
    help="Write a collected grammar: rules sorted by name with their sections, 69 columns wide.",
    excludes="--collected",
)
@output_option
@exit_zero_option
@click.pass_context
def extract(
    ctx: click.Context, file: str, form: str | None, collected: bool, as_appendix: bool, output: Path | None
) -> None:
    """Extract the ABNF from a document: the plain text or XML of an RFC, Markdown (kramdown-rfc) or HTML.

    Standard error lists omitted blocks with their lines in the document, and conflicting definitions. Every
    command that takes a grammar also takes such a document; its messages show lines of the document.

    \b
    Examples:
      abnforge extract rfc9110.txt
      abnforge extract --collected -o http.abnf rfc9110.txt
      abnforge extract --appendix -o collected.abnf draft.md
      abnforge extract --from markdown - < draft.md
      abnforge lint draft-ietf-example.xml

    Exit status: 0 all extracted; 1 omitted blocks that look like ABNF, or conflicting definitions; 2 no ABNF,
    usage error or unreadable file.
    """
    from abnforge.grammar.extract import appendix
    from abnforge.grammar.extract import extract as extracted

    name, text = _read(file)
    extraction = extracted(
        text, name, form, collected=collected, folder=None if file == "-" else Path(file).parent
    )
    for remark in extraction.remarks:
        last = "" if remark.last == remark.first else f"-{remark.last}"
        print_stderr(escape(f"{name}:{remark.first}{last}: {remark.message}"))
    if not extraction.rules:
        raise UsageError(message("no-abnf", source=name, form=extraction.form))
    repeated = f", {counted(extraction.repeated, 'repetition')} omitted" if extraction.repeated else ""
    print_stderr(f"{counted(extraction.rules, 'rule')}{repeated}")
    write_result(output, [appendix(extraction) if as_appendix else extraction.source.text])
    if any(remark.counts for remark in extraction.remarks):
        ctx.exit(EXIT_REJECTED)


def _read(file: str) -> tuple[str, str]:
    from abnforge.grammar.reader import decoded, read_file

    if file != "-":
        return file, read_file(Path(file))
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise StreamError(message("stream-closed", stream="standard input"))
    return "<stdin>", decoded(stream, "<stdin>")
