"""Codes of rejections: text for people, a page of Markdown, plain data."""

from __future__ import annotations

from dataclasses import replace

from abnforge.cli.common.codes import KnownCode, Told
from abnforge.cli.common.output import PLAIN, Style
from abnforge.cli.reports.base import Report
from abnforge.cli.reports.markdown import code, plain
from abnforge.cli.reports.rejection import drawing
from abnforge.drawing import escape

LISTED_COLUMNS = 72  # of an example in a list


class CodeText(Report[KnownCode]):
    """Everything there is to say about each code; in a list, a line each with its first example."""

    separator = ""

    def add(self, known: KnownCode) -> None:
        if self.full:
            self.write(self.separator + "\n".join(code_lines(known, self.style)) + "\n")
            self.separator = "\n"
            return
        self.write(f"{self.style.strong(escape(known.code.code))}: {escape(known.code.meaning)}\n")
        for each in known.examples[:1]:
            right = "" if each.right is None or not each.offered else f"  ->  {_short(each.right)}"
            self.write(f"    {_short(each.wrong)}{right}\n")


class CodePage(Report[KnownCode]):
    """A page with a section for each code."""

    is_file = True

    def add(self, known: KnownCode) -> None:
        about = known.code
        self.write(f"\n## {plain(about.code)}\n\n{_sentence(plain(about.meaning))}")
        where = [part for part in (about.place and f"Stands {plain(about.place)}", known.where) if part]
        self.write(f" {'; '.join(where)}.\n" if where else "\n")
        if known.examples:
            self.write("\n| wrong | right | what is said |\n|---|---|---|\n")
        for each in known.examples:
            right = "" if each.right is None or not each.offered else code(each.right)
            self.write(f"| {code(each.wrong)} | {right} | {plain(each.message)} |\n")
        if about.valid_examples:
            self.write(f"\nValid: {', '.join(code(near.valid) for near in about.valid_examples)}\n")
        if about.sources:
            self.write(f"\nSeen: {plain('; '.join(about.sources))}.\n")


def code_lines(known: KnownCode, style: Style = PLAIN) -> list[str]:
    """What a code is, why it is wrong, and examples of it."""
    about = known.code
    lines = [style.strong(escape(about.code)), f"  {escape(about.meaning)}", ""]
    if about.place is not None:
        lines.append(f"  stands {escape(about.place)}")
    if known.where is not None:
        lines.append(f"  see {escape(known.where)}")
    if about.sources:
        lines.append(f"  seen: {escape('; '.join(about.sources))}")
    for each in known.examples:
        lines += ["", *_example(each, style)]
    for near in about.valid_examples:
        lines += ["", f"  {style.good('valid:')}", f"    {escape(near.valid) or '(the empty string)'}"]
    if about.definition is not None:
        lines += ["", "  as ABNF:", *(f"    {line}" for line in about.definition.splitlines())]
    return lines


def _example(each: Told, style: Style) -> list[str]:
    said = f"  {style.error('wrong:')} {escape(each.message)}"
    lines = [said, *drawing(each.wrong, each.start, each.end, replace(style, colour=False))]
    if each.right is not None and each.offered:
        lines += [f"  {style.good('right:')}", f"    {escape(each.right) or '(the empty string)'}"]
    return lines


def _short(text: str) -> str:
    return escape(text if len(text) <= LISTED_COLUMNS else text[: LISTED_COLUMNS - 3] + "...")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
