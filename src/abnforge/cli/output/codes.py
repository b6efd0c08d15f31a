"""Codes of rejections, lint rules and errors, as text or a Markdown page."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING

from abnforge.cli.common.codes import CodeExample, KnownCode, MessageCode
from abnforge.cli.common.output import PLAIN, Style, columns
from abnforge.cli.output.formats import LineReport, ResultReport
from abnforge.cli.output.rejection import drawing
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.linting.finding import Kind

LISTED_COLUMNS = 72  # width of a listed example
KIND_COLUMNS = 88

# characters with a meaning anywhere in a line; others have one only at the start of a line
_MARKS = re.compile(r"([\\`*_\[\]~|])")


class CodeText(LineReport["KnownCode | Kind | MessageCode"]):
    """All facts about each code; in a list, one line per code, with its first example."""

    def lines(self, entry: KnownCode | Kind | MessageCode) -> Iterator[str]:
        if self.full or not isinstance(entry, KnownCode):
            self.spaced = True
            yield from _facts(entry, self.style)
            return
        about = entry.code
        groups = about.family if about.component is None else f"{about.family}, {about.component}"
        yield f"{self.style.strong(escape(about.code))}: {escape(about.meaning)} [{escape(groups)}]"
        for each in entry.examples[:1]:
            right = "" if each.right is None or not each.offered else f"  ->  {_short(each.right)}"
            yield f"    {_short(each.wrong)}{right}"


def _facts(entry: KnownCode | Kind | MessageCode, style: Style) -> Iterable[str]:
    if isinstance(entry, KnownCode):
        return code_lines(entry, style)
    return message_lines(entry) if isinstance(entry, MessageCode) else kind_lines(entry)


class CodePage(ResultReport["KnownCode | Kind | MessageCode"]):
    """A page with a section for each code."""

    is_file = True

    def add(self, entry: KnownCode | Kind | MessageCode) -> None:
        if isinstance(entry, MessageCode):
            self.write(f"\n## {entry.code}\n\n{code(entry.text)} ({code(entry.package)})\n")
            return
        if not isinstance(entry, KnownCode):
            self.write(_kind_section(entry))
            return
        about = entry.code
        self.write(f"\n## {plain(about.code)}\n\n{_sentence(plain(about.meaning))}")
        family = f"family {about.family}"
        where = [
            part for part in (about.place and f"Occurs {plain(about.place)}", family, entry.where) if part
        ]
        self.write(f" {'; '.join(where)}.\n" if where else "\n")
        if entry.examples:
            self.write("\n| wrong | right | message |\n|---|---|---|\n")
        for each in entry.examples:
            right = "" if each.right is None or not each.offered else code(each.right)
            self.write(f"| {code(each.wrong)} | {right} | {plain(each.message)} |\n")
        if about.valid_examples:
            self.write(f"\nValid: {', '.join(code(near.valid) for near in about.valid_examples)}\n")
        if about.sources:
            self.write(f"\nSeen: {plain('; '.join(about.sources))}.\n")


def message_lines(entry: MessageCode) -> Iterator[str]:
    """Yield the facts about a code of a catalog."""
    yield from (entry.code, f"  {entry.text}", "", f"  package     {entry.package}")
    if entry.exceptions:
        yield f"  exceptions  {', '.join(entry.exceptions)}"


def _kind_section(kind: Kind) -> str:
    parts = [f"\n## {kind.name} ({kind.code})\n\n**{plain(kind.summary)}** ({kind.severity}). "]
    parts.append(f"{plain(kind.explanation)}\n")
    for label, grammar in (("Reported", kind.bad), ("Not reported", kind.good)):
        if grammar:
            parts.append(f"\n{label}:\n\n```abnf\n{grammar}```\n")
    return "".join(parts)


def code_lines(entry: KnownCode, style: Style = PLAIN) -> list[str]:
    """Return the meaning of a code, its place, and examples."""
    about = entry.code
    lines = [style.strong(escape(about.code)), f"  {escape(about.meaning)}", ""]
    if about.place is not None:
        lines.append(f"  found {escape(about.place)}")
    component = "" if about.component is None else f", component {escape(about.component)}"
    lines.append(f"  {about.severity}, family {about.family}{component}")
    if entry.where is not None:
        lines.append(f"  see {escape(entry.where)}")
    if about.sources:
        lines.append(f"  seen: {escape('; '.join(about.sources))}")
    for each in entry.examples:
        lines += ["", *_example(each, style)]
    for near in about.valid_examples:
        lines += ["", f"  {style.good('valid:')}", f"    {escape(near.valid) or '(the empty string)'}"]
    if about.definition is not None:
        lines += ["", "  as ABNF:", *(f"    {line}" for line in about.definition.splitlines())]
    return lines


def _example(each: CodeExample, style: Style) -> list[str]:
    heading = f"  {style.error('wrong:')} {escape(each.message)}"
    lines = [heading, *drawing(each.wrong, each.start, each.end, replace(style, color=False))]
    if each.right is not None and each.offered:
        lines += [f"  {style.good('right:')}", f"    {escape(each.right) or '(the empty string)'}"]
    return lines


def _short(text: str) -> str:
    return escape(text if len(text) <= LISTED_COLUMNS else text[: LISTED_COLUMNS - 3] + "...")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def kind_lines(kind: Kind) -> Iterator[str]:
    """Yield the explanation of a lint rule, with examples."""
    yield f"{kind.code} {kind.name} ({kind.severity})"
    yield from ("", kind.summary, "", fill(kind.explanation, columns(KIND_COLUMNS)))
    for title, grammar in (("Reported:", kind.bad), ("Not reported:", kind.good)):
        if grammar:
            yield from ("", title, "", *(f"    {line}" for line in grammar.rstrip("\n").split("\n")))


def plain(text: str) -> str:
    """Return Markdown for a string without formatting."""
    return _MARKS.sub(r"\\\1", html.escape(escape(text), quote=False))


def code(text: str) -> str:
    """Return Markdown for a string as code. Markdown does not have an empty code span."""
    if not text:
        return "*(empty)*"
    shown = escape(text)
    if shown != shown.strip() or any(char in shown for char in "`|\\"):
        shown = html.escape(shown, quote=False)
        for char in "`|\\ ":  # a code span would drop or misread these
            shown = shown.replace(char, f"&#{ord(char)};")
        return f"<code>{shown}</code>"
    return f"`{shown}`"
