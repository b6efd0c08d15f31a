"""Find the files of built-in grammars and their default rules, and load grammars from stored outlines.

``tools/build_grammars.py`` writes the files. A verdict needs only the outline of a grammar (names, origins
and sections of its rules) and the stored automaton of the rule. A grammar file is read and bound when a
caller needs a definition, a span or a warning.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import IO, TYPE_CHECKING, Any

from abnforge._lazy import cached_property, importing, lazy
from abnforge.charset import UNICODE
from abnforge.grammar.syntax import BoundGrammar, RuleOutline

with lazy:
    import re

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


class ResourcePath:
    """A file or a directory on disk, with the interface of ``importlib.resources``.

    It replaces ``pathlib.Path`` for generated files, because importing ``pathlib`` takes longer than a
    verdict.
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
        """The last component of the path."""
        return os.path.basename(self._path)

    def joinpath(self, *names: str | os.PathLike[str]) -> ResourcePath:
        """Return the path of a file or directory in this directory."""
        return ResourcePath(os.path.join(self._path, *names))

    def __truediv__(self, name: str | os.PathLike[str]) -> ResourcePath:
        return self.joinpath(name)

    def iterdir(self) -> Iterator[ResourcePath]:
        """Yield the paths in this directory."""
        return map(self.joinpath, os.listdir(self._path))

    def is_dir(self) -> bool:
        return os.path.isdir(self._path)

    def is_file(self) -> bool:
        return os.path.isfile(self._path)

    def open(self, mode: Any = "r", *args: Any, **options: Any) -> IO[Any]:
        """Open the file, like the built-in function."""
        file: IO[Any] = open(self._path, mode, *args, **options)  # noqa: SIM115 - the caller closes it
        return file

    def read_bytes(self) -> bytes:
        """Return the content of the file."""
        with open(self._path, "rb") as file:
            return file.read()

    def read_text(self, encoding: str | None = None) -> str:
        """Return the decoded content of the file."""
        with open(self._path, encoding=encoding) as file:
            return file.read()


def generated() -> Traversable:
    """Return the directory of the files that ``tools/build_grammars.py`` writes."""
    folder = ResourcePath(os.path.join(os.path.dirname(os.path.dirname(__file__)), "_data"))
    if folder.is_dir():
        return folder
    # The package is in an archive. This import takes half as long as importing the whole package.
    with importing:
        from importlib import resources

        return resources.files("abnforge").joinpath("_data")


PACKAGE_PREFIX = "abnf:"  # the prefix of the names of grammars in the ``abnf`` package


@cache
def bundled_names() -> tuple[str, ...]:
    """Return the names of the built-in grammars."""
    files = generated().iterdir()
    names = (f.name.removesuffix(".abnf") for f in files if f.name.endswith(".abnf"))
    return tuple(sorted(name for name in names if not name.endswith(".mistakes")))


MIN_SEARCHED = 3
"""The minimum length of a name to search for in other grammars: ``B`` and ``S`` are too common."""


def defining(name: str) -> list[str]:
    """Return the built-in grammars that define a rule of this name other than by prose alone.

    Grammars that repeat a rule from another specification count only if no other grammar defines it. Cost:
    linear in the size of all built-in grammars.
    """
    if len(name) < MIN_SEARCHED:
        return []
    flags = re.IGNORECASE | re.MULTILINE
    heading = re.compile(r"^; (?P<elsewhere>RFC \d+, )?(?:section|appendix) ", flags)
    pattern = re.compile(rf"^{re.escape(name)}[ \t]*=(?!/|[ \t]*<)", flags)
    own: list[str] = []
    restating: list[str] = []
    for grammar in bundled_names():
        text = generated().joinpath(f"{grammar}.abnf").read_text("utf-8")
        match = pattern.search(text)
        if match is not None:
            above = list(heading.finditer(text, 0, match.start()))
            (restating if above and above[-1]["elsewhere"] else own).append(grammar)
    return own or restating


STARTS = {
    "rfc3986": "URI",
    # Only this rule matches a URI with a fragment.
    "rfc2396": "URI-reference",
    "rfc2396bis-07": "URI",
    "rfc3339": "date-time",
    "rfc5321": "Mailbox",
    "rfc5322": "message",
    # Most rules match the value of one field; this rule matches the value of any field.
    "rfc9110": "field-value",
    "rfc3261": "SIP-message",
    "rfc9111": "Cache-Control",
    "rfc9112": "HTTP-message",
    "rfc9051": "command",
    "rfc6570": "URI-Template",
    "rfc6265": "set-cookie-string",
}
"""Default rules by grammar name; the default rule of any other grammar is its first rule."""


def start_of(grammar: BoundGrammar) -> str:
    """Return the name of the default rule, or of the first rule if the grammar lacks the default rule."""
    key = STARTS.get(grammar.name, "").lower()
    rules = grammar.outline
    return rules[key].name if key in rules else next(iter(rules.values())).name


def outline_data(grammar: BoundGrammar, formal: frozenset[str]) -> dict[str, object]:
    """Return the outline of a grammar for storage; ``formal`` has the keys of rules without prose-vals."""
    rules = {
        key: [rule.name, rule.origin, rule.section, key in formal] for key, rule in grammar.rules.items()
    }
    alphabet = {} if grammar.alphabet == UNICODE else {"alphabet": grammar.alphabet}
    return {**alphabet, "exceptions": grammar.has_exceptions, "rules": rules}


def outlined_grammar(name: str, bind: Callable[[str], BoundGrammar]) -> BoundGrammar:
    """Return a built-in grammar that calls ``bind`` when its definitions are needed.

    ``bind`` returns the bound grammar for a name (``imports.bundled_grammar``). If no stored outline can be
    read, the result is the bound grammar itself.
    """
    try:
        data = json.loads(generated().joinpath(f"{name}.outline.json").read_bytes())
        return _OutlinedGrammar(name, data, bind)
    except (OSError, ValueError, LookupError, TypeError):
        return bind(name)


def _of_bound(name: str) -> Any:
    return property(lambda grammar: getattr(grammar._bound, name))


class _OutlinedGrammar(BoundGrammar):
    """A built-in grammar that loads its bound grammar when needed, and equals it."""

    _bind: Callable[[str], BoundGrammar]

    def __init__(self, name: str, data: Mapping[str, Any], bind: Callable[[str], BoundGrammar]) -> None:
        rules = data["rules"]
        self.__dict__.update(
            name=name,
            outline={key: RuleOutline(*facts[:3]) for key, facts in rules.items()},
            formal=frozenset(key for key, facts in rules.items() if facts[3]),
            has_exceptions=data["exceptions"],
            alphabet=data.get("alphabet", UNICODE),
            _bind=bind,
        )

    @cached_property
    def _bound(self) -> BoundGrammar:
        return self._bind(self.name)

    source = _of_bound("source")
    rules = _of_bound("rules")
    warnings = _of_bound("warnings")
    recognized = _of_bound("recognized")
    annotations = _of_bound("annotations")

    def __eq__(self, other: object) -> bool:
        return self._bound == (other._bound if isinstance(other, _OutlinedGrammar) else other)

    def __hash__(self) -> int:
        return hash(self._bound)

    def __reduce__(self) -> tuple[Callable[..., BoundGrammar], tuple[object, ...]]:
        return self._bound.__reduce__()
