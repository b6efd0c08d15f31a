"""Every kind of finding, from ``kinds.toml``: code, name, severity, title, explanation."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pkgutil import get_data
from types import MappingProxyType

from abnforge.records import attributes

ERROR, WARNING, INFO = "error", "warning", "info"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of finding; ``bad`` is a small grammar that has it, ``good`` one that has not."""

    code: str
    name: str
    severity: str
    summary: str
    explanation: str
    bad: str
    good: str

    def to_dict(self) -> dict[str, str]:
        """Return the kind as plain data; the keys are stable."""
        return {
            **attributes(self, "code name severity"),
            "title": self.summary,
            **attributes(self, "explanation bad good"),
        }


def _read() -> Iterator[Kind]:
    text = get_data("abnforge.linting", "kinds.toml") or b""
    return (Kind(**each) for each in tomllib.loads(text.decode())["kind"])


KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _read()})
"""Every kind of finding by name, in the order of the codes."""


def kind_of(code: str) -> Kind:
    """Return the kind of finding that a message is about: the code of the message starts with its name.

    Raises KeyError for another code.
    """
    name = code
    while name and name not in KINDS:
        name = name.rpartition("-")[0]
    return KINDS[name]


def find(code_or_name: str) -> Kind | None:
    """Return the kind with a code or a name, without regard to case."""
    key = code_or_name.strip().lower()
    return next((k for k in KINDS.values() if key in (k.code.lower(), k.name)), None)
