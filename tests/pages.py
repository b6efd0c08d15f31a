"""Pages with examples: their blocks, and the files that they show.

A block of ABNF whose first line is a comment with a file's name is that file:

    ```abnf
    ; time.abnf
    time = 2DIGIT ":" 2DIGIT
    ```

So whoever copies the block has the file, and lines in messages are those of the block. A block of another
language says it behind the language (```` ```text file=times.txt ````), as the recipes do. Examples find
each file as the page showed it last above them, so a page can show a mistake and then mend it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"; (\S+\.abnf)\n")
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
"""A command of an example, and the output shown below it."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a page: where it begins (characters), its language, the file that it is ("" for none)."""

    place: int
    language: str
    file: str
    text: str

    def commands(self) -> list[tuple[str, str]]:
        """Each command of a console block, and the output shown below it."""
        return COMMAND.findall(self.text)


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page's text, in order."""
    for match in _BLOCK.finditer(page):
        language, file, text = match.groups("")
        if language == "abnf" and (named := _NAMED.match(text)):
            file = named[1]
        yield Block(match.start(), language, file, text)


def files_above(page: str, place: int) -> dict[str, str]:
    """The files that a page shows before a place, each as it is shown last."""
    return {block.file: block.text for block in blocks(page) if block.file and block.place < place}
