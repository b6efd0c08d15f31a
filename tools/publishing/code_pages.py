"""The pages about codes, which only the site has: lint rules, codes of rejections, messages of errors."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import abnforge
from abnforge.cli.common.catalogs import message_codes
from abnforge.cli.common.codes import known_codes
from abnforge.cli.reports.codes import CodePage, code, plain
from abnforge.explain.mistakes_file import read_mistakes
from abnforge.linting.registry import KINDS

LINT_RULES, MESSAGES = "docs/lint-rules.md", "docs/messages.md"

_LINT_HEAD = """\
# Lint rules

`abnforge lint` reports these findings; [lint](lint.md) explains how to run and suppress them.
`abnforge code CODE` prints the same in a terminal. Errors and warnings fail a run, info does not.

| Code | Name | Severity | Finding |
| --- | --- | --- | --- |
"""

_MESSAGES_HEAD = """\
# Messages

Every error of abnforge has a stable `code`, and the values of its message as attributes. A syntax error has
the code of its [lint rule](lint-rules.md); `error.message.code` is the code of its message.
`abnforge code CODE` prints the same in a terminal. Codes of rejections: {grammars}.
"""

_CODES_HEAD = """\
# Codes of {name}

{title}.

Each code names a mistake, in the order in which abnforge prefers them. `abnforge code CODE` prints the same,
and the ABNF of the mistake; [mistakes](mistakes.md) explains how mistakes are written and found. A rejection
without a known mistake has the code `unreadable-RULE`; bytes that are not UTF-8 have the code `not-utf-8`.
"""


def grammars(root: Path) -> list[str]:
    """Return the grammars that ship with mistakes of their own."""
    return [
        path.name.removesuffix(".mistakes.abnf")
        for path in sorted((root / "grammars").glob("*.mistakes.abnf"))
        if not read_mistakes(path.read_text("utf-8"), path.name).adopts  # else the codes are another's
    ]


def names(root: Path) -> list[str]:
    """Return the paths of these pages below the root of the repository."""
    return [LINT_RULES, MESSAGES, *(f"docs/codes-{name}.md" for name in grammars(root))]


def pages(root: Path) -> dict[str, str]:
    """Return the text of each of these pages by its path below the root of the repository."""
    own = grammars(root)
    found = {f"docs/codes-{name}.md": codes(root, name) for name in own}
    return {LINT_RULES: lint_rules(), MESSAGES: messages(own), **found}


def lint_rules() -> str:
    """Return the page about lint rules."""
    rows = [
        f"| {kind.code} | [{kind.name}](#{kind.name}-{kind.code.lower()}) | {kind.severity} |"
        f" {plain(kind.summary)} |\n"
        for kind in KINDS.values()
    ]
    pieces = [_LINT_HEAD, *rows]
    CodePage(pieces.append).feed(KINDS.values())
    return "".join(pieces)


def messages(own: list[str]) -> str:
    """Return the page about the messages of errors, a table for each package."""
    linked = ", ".join(f"[{name}](codes-{name}.md)" for name in own)
    pieces = [_MESSAGES_HEAD.format(grammars=linked)]
    for package, known in groupby(message_codes(), key=lambda each: each.package):
        pieces.append(f"\n## {package}\n\n| Code | Message | Exceptions |\n| --- | --- | --- |\n")
        for each in known:
            raised = ", ".join(map(code, each.exceptions))
            pieces.append(f"| {code(each.code)} | {plain(each.text)} | {raised} |\n")
    return "".join(pieces)


def codes(root: Path, name: str) -> str:
    """Return the page about the codes of a grammar."""
    pieces = [_CODES_HEAD.format(name=name, title=plain(title(root, name)))]
    CodePage(pieces.append).feed(known_codes(abnforge.load(name)))
    return "".join(pieces)


def title(root: Path, name: str) -> str:
    """Return the first comment of a grammar's file, up to the first empty one."""
    lines = (root / "grammars" / f"{name}.abnf").read_text("utf-8").split("\n")
    first = next((index for index, line in enumerate(lines) if not line.strip("; ")), len(lines))
    return " ".join(line[1:].strip() for line in lines[:first])
