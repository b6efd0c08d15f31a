"""Completion in bash, zsh and fish: the line as each of them hands it over, and answers as it reads them.

Click's own protocol is answered too, for scripts that were written to a file before there were these. Its
script for bash forgets names where there are files as well, and knows nothing of words with ":" and "=".
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)

from abnforge.cli.common import shell_scripts

_OPEN = (":", "=", ",")  # a word that ends so goes on


@dataclass(frozen=True, slots=True)
class Line:
    """A line of bash up to the cursor, cut into words as bash cuts it.

    ``words`` are complete, the command's name first; ``word`` is what is being written, without quotes;
    ``kept`` how much of that stands before the last place where bash begins a word of its own; and
    ``redirected`` whether it names a file that the shell opens.
    """

    words: tuple[str, ...]
    word: str
    kept: int = 0
    redirected: bool = False


def cut(text: str, breaks: str = " \t\n\"'><=;|&(:") -> Line:
    """A line's words. ``breaks`` are bash's COMP_WORDBREAKS. A quote or a backslash may be left open."""
    words: list[str] = []
    word: str | None = None
    quote = ""
    kept = 0
    redirecting = False  # whether the next word is the file of a redirection
    at = 0

    def end() -> None:
        nonlocal word, redirecting, kept
        if word is not None:
            if not redirecting:
                words.append(word)
            word, kept, redirecting = None, 0, False

    while at < len(text):
        character = text[at]
        at += 1
        if quote == "'" or (quote and character != "\\"):
            if character == quote:
                quote = ""
            else:
                word = (word or "") + character
        elif character == "\\":
            following = text[at : at + 1]
            at += 1
            if following and quote and following not in '"\\$`':
                following = "\\" + following  # within double quotes a backslash is mostly itself
            word = (word or "") + following.replace("\n", "")
        elif character in "\"'":
            quote = character
            word = word or ""
            kept = len(word)
        elif character in " \t\n":
            end()
        elif character in "<>":
            if word is not None and word.isdecimal():
                word = None  # 2> is one sign
            end()
            redirecting = True
        elif character in "|&;()":
            end()
            words, redirecting = [], False  # another command
        else:
            word = (word or "") + character
            if character in breaks:
                kept = len(word)
    return Line(tuple(words), word or "", kept, redirecting)


class _Ours(ShellComplete):
    """Completion by this module's scripts. What fails answers nothing: a shell would show it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._prefix = ""

    def complete(self) -> str:
        try:
            # The variables of click's scripts. A line that this is typed in has none of them.
            return super().complete() if "COMP_WORDS" in os.environ else "\n".join(self._answers())
        except Exception:  # whatever it was: somebody is in the middle of a line
            return ""

    def _answers(self) -> list[str]:
        args, word = self._asked(sys.argv[1:])
        if "--" in args:
            if word.startswith("-"):
                return []
            # Behind it nothing is an option, which click forgets where it completes.
            end = args.index("--") + 1
            args[end:] = ["x" if each.startswith("-") else each for each in args[end:]]
        self._prefix = ""
        if "--" not in args and word.startswith("--") and "=" in word:
            self._prefix = word[: word.index("=") + 1]
        found: dict[str, str] = {}
        for item in self.get_completions(args, word):
            answer = self._answer(item)
            found.setdefault("\t".join(answer[:2]), "\t".join(answer))
        return list(found.values())

    def _asked(self, given: list[str]) -> tuple[list[str], str]:
        """The complete words behind the command's name, and the one that is being written."""
        *args, word = given or [""]
        return args, word

    def _shown(self, value: str) -> str:
        """A value as the shell wants it: whole words, but for bash."""
        return self._prefix + value

    def _answer(self, item: CompletionItem) -> tuple[str, str, str]:
        value, kind = str(item.value), item.type
        if kind == "plain" and value.endswith(_OPEN):
            kind = "open"
        help = " ".join((item.help or "").split())
        return kind, self._shown(value), help


class Bash(_Ours, BashComplete):
    """The script hands over the line itself: what bash calls its words are cut at ":" and "=" as well."""

    source_template = shell_scripts.BASH

    def source(self) -> str:
        return ShellComplete.source(self)  # whatever bash is found first on the PATH

    def _asked(self, given: list[str]) -> tuple[list[str], str]:
        line = cut(given[0] if given else "", os.environ.get("COMP_BREAKS", " \t\n\"'><=;|&(:"))
        self._line = line
        return list(line.words[1:]), line.word

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        if self._line_is_redirected():
            return [CompletionItem(incomplete, type="file")]
        return super().get_completions(args, incomplete)

    def _line_is_redirected(self) -> bool:
        line = getattr(self, "_line", None)
        return line is not None and line.redirected

    def _shown(self, value: str) -> str:
        return super()._shown(value)[self._line.kept :]


class Zsh(_Ours, ZshComplete):
    """The script hands over words without quotes."""

    source_template = shell_scripts.ZSH


class Fish(_Ours, FishComplete):
    """The script hands over words without quotes."""

    source_template = shell_scripts.FISH


SHELLS: dict[str, type[_Ours]] = {"bash": Bash, "zsh": Zsh, "fish": Fish}
"""The shells that are completed for, by name."""


def register() -> None:
    """Have click answer by these, instead of its own. Only whoever completes needs it."""
    for name, shell in SHELLS.items():
        add_completion_class(shell, name)


def script(shell: str) -> str:
    """The script of a shell, a name of ``SHELLS``."""
    import click

    return SHELLS[shell](click.Group(), {}, "abnforge", "_ABNFORGE_COMPLETE").source()
