"""Find the files of bundled grammars (texts, data of ``tools/build_grammars.py``), and the default rule."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from typing import IO, TYPE_CHECKING, Any

from abnforge._lazy import importing
from abnforge.grammar.syntax import BoundGrammar

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


class ResourcePath:
    """A file or a folder on disk, as ``importlib.resources`` shows those of an archive.

    It does for generated files what ``pathlib.Path`` does, which takes longer to import than a verdict takes.
    """

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __repr__(self) -> str:
        return f"ResourcePath({self._path!r})"

    def __str__(self) -> str:
        return self._path

    __fspath__ = __str__

    @property
    def name(self) -> str:
        """The last part of the path."""
        return os.path.basename(self._path)

    def joinpath(self, *names: str | os.PathLike[str]) -> ResourcePath:
        """Return what lies below the folder by these names."""
        return ResourcePath(os.path.join(self._path, *names))

    def __truediv__(self, name: str | os.PathLike[str]) -> ResourcePath:
        return self.joinpath(name)

    def iterdir(self) -> Iterator[ResourcePath]:
        """Return what lies in the folder."""
        return map(self.joinpath, os.listdir(self._path))

    def is_dir(self) -> bool:
        """Return whether it is a folder."""
        return os.path.isdir(self._path)

    def is_file(self) -> bool:
        """Return whether it is a file."""
        return os.path.isfile(self._path)

    def open(self, mode: Any = "r", *args: Any, **options: Any) -> IO[Any]:
        """Open the file, as the function of that name does."""
        file: IO[Any] = open(self._path, mode, *args, **options)  # noqa: SIM115 - for the caller to close
        return file

    def read_bytes(self) -> bytes:
        """Return the octets of the file."""
        with open(self._path, "rb") as file:
            return file.read()

    def read_text(self, encoding: str | None = None) -> str:
        """Return the decoded content of the file."""
        with open(self._path, encoding=encoding) as file:
            return file.read()


def generated() -> Traversable:
    """Return the folder of what ``tools/build_grammars.py`` has made."""
    folder = ResourcePath(os.path.join(os.path.dirname(os.path.dirname(__file__)), "_data"))
    if folder.is_dir():
        return folder
    # The package lies in an archive. Importing this takes as long as half of the package.
    with importing:
        from importlib import resources

        return resources.files("abnforge._data")


PACKAGE_PREFIX = "abnf:"
"""The prefix of names of grammars that the ``abnf`` package has."""


@cache
def bundled_names() -> tuple[str, ...]:
    """Return the bundled grammars, by name."""
    files = generated().iterdir()
    names = (f.name.removesuffix(".abnf") for f in files if f.name.endswith(".abnf"))
    return tuple(sorted(name for name in names if not name.endswith(".mistakes")))


MIN_TOLD = 3
"""The shortest name that is looked for elsewhere: JSONPath's ``B`` and ``S`` are its own."""


def defining(name: str) -> list[str]:
    """The bundled grammars that define a rule of this name, in more than words; those that restate another
    specification's only if that is not bundled. Cost: their texts are gone through.
    """
    if len(name) < MIN_TOLD:
        return []
    with importing:
        import re

    flags = re.IGNORECASE | re.MULTILINE
    heading = re.compile(r"^; (?P<elsewhere>RFC \d+, )?(?:section|appendix) ", flags)
    pattern = re.compile(rf"^{re.escape(name)}[ \t]*=(?!/|[ \t]*<)", flags)
    own: list[str] = []
    restating: list[str] = []
    for each in bundled_names():
        text = generated().joinpath(f"{each}.abnf").read_text("utf-8")
        match = pattern.search(text)
        if match is not None:
            above = list(heading.finditer(text, 0, match.start()))
            (restating if above and above[-1]["elsewhere"] else own).append(each)
    return own or restating


STARTS = {
    "rfc3986": "URI",
    # It has no rule for a URI with a fragment except URI-reference.
    "rfc2396": "URI-reference",
    "rfc2396bis-07": "URI",
    "rfc3339": "date-time",
    "rfc5321": "Mailbox",
    "rfc5322": "message",
    # Most of its rules are the value of one field; this is that of any.
    "rfc9110": "field-value",
    "rfc3261": "SIP-message",
    "rfc9111": "Cache-Control",
    "rfc9112": "HTTP-message",
    "rfc9051": "command",
    "rfc6570": "URI-Template",
    "rfc6265": "set-cookie-string",
}
"""The rules that people mean by a grammar's name; by another name, the first rule."""


def start_of(grammar: BoundGrammar) -> str:
    """Return the name of the rule that is meant by a grammar; a file of a known name may hold anything."""
    known = STARTS.get(grammar.name, "").lower()
    rules = grammar.outline
    return rules[known].name if known in rules else next(iter(rules.values())).name
