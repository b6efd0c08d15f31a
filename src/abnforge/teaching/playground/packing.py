"""What Python needs in the browser, in one archive: abnforge as it is installed here, without what is of no
use there, and the libraries that it takes.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources import files
from importlib.resources.abc import Traversable

from abnforge.teaching.playground.loaded import SHIPPED
from abnforge.teaching.playground.messages import message

LIBRARIES = ("lark", "railroad-diagrams")
"""Beside abnforge. What the page does not ask for (abnf, click) is left out."""

_NO_USE = (
    "_native/",
    "cli/",
    "columns/",
    "ingest/",
    "integrations/",
    "teaching/notebook/",
    "teaching/playground/web/",
    "uri/",
    "_data/",
)
_KERNEL = "_native/__init__.py"
_SUFFIXES = (".py", ".toml", ".typed", ".json", ".abnf", ".lark")
# Of grammars that are imported from; of those in SHIPPED all but what only the kernel reads.
_IMPORTED = (".py", ".abnf", ".imports.json")
_DATE = (1980, 1, 1, 0, 0, 0)  # of every file, so that the same files make the same archive


def python_archive() -> bytes:
    """The archive, the same octets for the same files. Raises ModuleNotFoundError for a missing library."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        libraries = (each for library in LIBRARIES for each in _library(library))
        for name, octets in sorted([*_own(), *libraries]):
            archive.writestr(zipfile.ZipInfo(name, _DATE), octets, zipfile.ZIP_DEFLATED, 9)
    return made.getvalue()


def _own() -> Iterator[tuple[str, bytes]]:
    for path, file in _walk(files("abnforge"), ""):
        if path == _KERNEL or _wanted(path):
            yield f"abnforge/{path}", file.read_bytes()


def _wanted(path: str) -> bool:
    if path.startswith("_data/"):
        name = path.removeprefix("_data/").split(".", 1)[0]
        return path.endswith(_SUFFIXES if name in SHIPPED else _IMPORTED)
    return not path.startswith(_NO_USE) and path.endswith(_SUFFIXES)


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for each in folder.iterdir():
        if each.is_dir():
            if each.name != "__pycache__":
                yield from _walk(each, f"{prefix}{each.name}/")
        else:
            yield prefix + each.name, each


def _library(name: str) -> Iterator[tuple[str, bytes]]:
    found = _distribution(name)
    for path in found.files or ():
        if path.suffix in (".py", ".lark") and ".." not in path.parts and "__pycache__" not in path.parts:
            yield str(path), path.read_binary()


def licenses() -> Iterator[tuple[str, str]]:
    """The libraries of the archive, each with its licence's text."""
    for name in LIBRARIES:
        found = _distribution(name)
        named = (path for path in found.files or () if path.name.upper().startswith("LICEN"))
        yield f"{name} {found.version}", "\n".join(path.read_text("utf-8") for path in named)


def _distribution(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError as error:
        raise ModuleNotFoundError(message("library-missing", name=name), name=name) from error
