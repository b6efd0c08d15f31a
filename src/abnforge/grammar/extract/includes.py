"""Files that a kramdown-rfc document includes: ``{::include FILE}``, ``{::include-nested FILE}`` and others.

Only files in the document's directory, or below it, are read: a document can come from anywhere, and abnforge
shows the included text. Included characters have the place of their directive in the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from abnforge.catalog import ArgumentError, CodedError, Message
from abnforge.grammar.messages import message
from abnforge.grammar.reader import MAX_GRAMMAR_BYTES, read_file
from abnforge.grammar.source_map import SourceMap, joined, written
from abnforge.rejection import Edit

MAX_INCLUDES = 1_000
"""Files that a document may include. The drafts with the most have some hundred."""

MAX_INCLUDE_DEPTH = 10
"""Files within one another that are included."""

_DIRECTIVE = re.compile(r"^\{::include((?:-[a-z0-9]+)*)[ \t]+([^\n}]*)\}", re.MULTILINE)
_ANYWHERE = re.compile(r"^[ \t>]*(\{::include[^\n}]*\})", re.MULTILINE)


class Includes:
    """A document together with the files that it includes, as ``draft``; ``name`` is that of its file."""

    def __init__(self, text: str, folder: Path | None, name: str) -> None:
        self._folder = folder
        self._path = None if folder is None else (folder / Path(name).name).resolve()
        self._files = 0
        self._bytes = 0
        self._failed: dict[int, Message] = {}
        parts: list[SourceMap] = []
        whole, end = SourceMap(text), 0
        for match in _DIRECTIVE.finditer(text):
            try:
                included = self._included(match[1], match[2], (self._path,))
            except (OSError, ValueError, RuntimeError) as error:  # a GrammarError too
                self._failed[match.start()] = _failure(match[2].strip(), error)
                continue
            parts += [whole.part(end, match.start()), written(included, match.start())]
            end = match.end()
        self.draft = joined([*parts, whole.part(end, len(text))])

    def without(self, part: SourceMap) -> tuple[SourceMap, list[tuple[int, Message]]]:
        """A part of the draft without the directives that could not be followed; the places of these in the
        document, and why they could not.
        """
        matches = list(_ANYWHERE.finditer(part.text))
        told = [(part.at[each.start(1)], self._why_not(part, each)) for each in matches]
        part.apply(Edit(*each.span(1), "") for each in matches)
        return part, told

    def _why_not(self, part: SourceMap, directive: re.Match[str]) -> Message:
        start = directive.start(1)
        if part.own[start]:
            return self._failed.get(part.at[start], message("include-misplaced"))
        if directive.start() < start:
            return message("include-misplaced-inside")
        return message("include-not-nested")

    def _included(self, flags: str, name: str, within: tuple[Path | None, ...]) -> str:
        """Return the contents of a directive's files. Raises OSError, ValueError and RuntimeError."""
        kinds = flags.split("-")
        texts = []
        for path in self._paths(name.strip(), kinds):
            real = path.resolve()
            if real in within:
                raise ArgumentError(message("include-cycle", file=real.name))
            self._files += 1
            if self._files > MAX_INCLUDES:
                raise ArgumentError(message("include-files-limit", limit=MAX_INCLUDES))
            text = read_file(path)
            self._bytes += len(text)
            if self._bytes > MAX_GRAMMAR_BYTES:
                raise ArgumentError(message("include-bytes-limit", limit=MAX_GRAMMAR_BYTES))
            if "nested" in kinds:
                if len(within) > MAX_INCLUDE_DEPTH:
                    raise ArgumentError(message("include-depth-limit", limit=MAX_INCLUDE_DEPTH))
                text = self._with_nested(text, (*within, real))
            texts.append(text)
        return "".join(texts).removesuffix("\n").removesuffix("\r")

    def _with_nested(self, text: str, within: tuple[Path | None, ...]) -> str:
        return _DIRECTIVE.sub(lambda inner: self._included(inner[1], inner[2], within), text)

    def _paths(self, name: str, kinds: list[str]) -> Iterator[Path]:
        """Yield the files of a directive, all of them in the document's directory or below it."""
        if self._folder is None:
            raise ArgumentError(message("include-without-directory"))
        if Path(name).is_absolute():
            raise ArgumentError(message("include-absolute"))
        if "all" in kinds or "last" in kinds:
            if ".." in Path(name).parts:
                raise ArgumentError(message("include-outside"))
            found = sorted(self._folder.glob(name))
            if not found:
                raise ArgumentError(message("include-file-missing"))
            found = found if "all" in kinds else found[-1:]
        else:
            found = [self._folder / name]
        inside = self._folder.resolve()
        for path in found:
            if not path.resolve().is_relative_to(inside):
                raise ArgumentError(message("include-outside"))
            if not path.is_file():
                code = "include-not-a-file" if path.exists() else "include-file-missing"
                raise ArgumentError(message(code))
            yield path


def _failure(name: str, error: Exception) -> Message:
    reason: str
    if isinstance(error, CodedError):
        reason = error.message
    elif isinstance(error, OSError):
        reason = error.strerror or message("include-unreadable")
    else:
        reason = str(error)
    return message("include-failed", file=name, reason=reason)
