"""Pages with examples: their blocks, the files that they show, and their output.

If the first line of an ABNF block is a comment with a file name, the block is the content of that file:

    ```abnf
    ; time.abnf
    time = 2DIGIT ":" 2DIGIT
    ```

A reader who copies the block gets the file, so the line numbers in messages are right. A block in another
language names its file after the language (```` ```text file=times.txt ````), as in the recipes. An example
uses the last version of each file above it on the page, so a page can show a mistake and then fix it.

Tests compare the output on a page with the output of its examples. With ``--update-docs``, :class:`Pages`
writes the new output into the page instead.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

from tests.places import ROOT

_BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"; (\S+\.abnf)\n")
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
ELISION = "..."


@dataclass(frozen=True, slots=True)
class Command:
    """A command of an example, its output on the page, and the position of the output."""

    text: str
    output: str
    place: int


@dataclass(frozen=True, slots=True)
class Block:
    """A code block: the positions of its fence and its text, its language, and its file name or ""."""

    place: int
    start: int
    language: str
    file: str
    text: str

    def commands(self) -> list[Command]:
        """Return the commands of a console block."""
        return [
            Command(result[1], result[2], self.start + result.start(2))
            for result in _COMMAND.finditer(self.text)
        ]


def blocks(page: str) -> Iterator[Block]:
    """Yield the blocks of a page's text, in order."""
    for match in _BLOCK.finditer(page):
        language, file, text = match.groups("")
        if language == "abnf" and (named := _NAMED.match(text)):
            file = named[1]
        yield Block(match.start(), match.start(3), language, file, text)


def files_above(page: str, place: int) -> dict[str, str]:
    """Return the last version of each file that a page shows before a position."""
    return {block.file: block.text for block in blocks(page) if block.file and block.place < place}


def agrees(printed: str, shown: str) -> bool:
    """Return whether a page shows this output. An elision (``...``) on the page matches anything."""
    return re.fullmatch(".*?".join(map(re.escape, shown.split(ELISION))), printed, re.DOTALL) is not None


def updated(shown: str, printed: str) -> str:
    """Return the new output with the elisions of the old one.

    Changed lines are replaced and elisions are kept. If a line that contains an elision has changed, the old
    output is returned: only the author knows what to elide.
    """
    old, new = shown.splitlines(keepends=True), printed.splitlines(keepends=True)
    dots = f"{ELISION}\n"
    matched = [next((line for line in new if each != dots and agrees(line, each)), each) for each in old]
    result: list[str] = []
    for _, start, end, new_start, new_end in SequenceMatcher(None, matched, new, False).get_opcodes():
        if matched[start:end] == new[new_start:new_end]:
            result += old[start:end]
        elif any(ELISION in each and each != dots for each in old[start:end]):
            return shown
        elif dots in old[start:end]:
            before = old.index(dots, start)
            after = end - before - 1
            result += [*new[new_start : new_start + before - start], dots, *new[new_end - after : new_end]]
        else:
            result += new[new_start:new_end]
    return "".join(result)


@dataclass
class Pages:
    """The pages of the repository: the output of examples is compared with them, or written to them."""

    updating: bool = False
    changes: dict[str, list[tuple[int, str, str]]] = field(default_factory=lambda: defaultdict(list))

    def expected(self, page: str, place: int, shown: str, printed: str, elided: bool = False) -> str:
        """Return the output on the page at a position; if pages are updated, the new output.

        If ``elided`` and a line with an elision has changed, the page keeps the old output.
        """
        if not self.updating or printed == shown or (elided and agrees(printed, shown)):
            return shown
        text = updated(shown, printed) if elided else printed
        if elided and not agrees(printed, text):
            return shown
        self.changes[page].append((place, shown, text))
        return text

    def write(self, root: Path = ROOT) -> None:
        """Write the changed pages."""
        for page, changes in self.changes.items():
            text = (root / page).read_text("utf-8")
            for place, shown, new in sorted(changes, reverse=True):
                assert text.startswith(shown, place), f"{page} has changed meanwhile"
                text = text[:place] + new + text[place + len(shown) :]
            (root / page).write_text(text, "utf-8")


def nearest(shown: str, *printed: str) -> str:
    """Return the output that is most similar to the output on the page."""
    if shown in printed:
        return shown
    return max(printed, key=lambda each: SequenceMatcher(None, shown, each, False).ratio())
