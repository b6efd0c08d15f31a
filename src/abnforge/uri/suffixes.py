"""Registrable domains by a list of public suffixes, in the format of publicsuffix.org, that the caller gives.

A registrable domain, such as ``example.co.uk``, is a public suffix with one more label. The list changes
every week, so abnforge does not contain one. Labels are compared in lower case, and Punycode as Unicode.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from abnforge._arguments import names_argument, plain_argument
from abnforge.catalog import ArgumentError
from abnforge.messages import message
from abnforge.records import Frozen
from abnforge.uri.common import rule_of

MAX_LIST = 1 << 24  # bytes; the list of publicsuffix.org has 330 kB
MAX_CACHED = 65_536  # number of hosts whose domains a list keeps
MAX_NAME = 1_000  # bytes of a host; names of DNS have at most 253

_PRIVATE_BEGINS, _PRIVATE_ENDS = "===BEGIN PRIVATE DOMAINS===", "===END PRIVATE DOMAINS==="


class SuffixList(Frozen):
    """The rules of a list of public suffixes. Two lists are equal if they have the same rules.

    A rule is a name, a name with ``*`` for any label, or an exception that starts with ``!``. A line that
    starts with ``//`` is a comment, and a line ends at its first space.
    """

    _rules: dict[tuple[str, ...], bool]  # the labels of a rule, the last one first; True for an exception
    _stars: set[tuple[bool, ...]]  # the shapes of rules with wildcards
    _found: Callable[[str], tuple[str, str | None] | None]

    def __init__(self, lines: Iterable[str], private: bool = True) -> None:
        """Read the rules; without ``private``, omit those in the section of private domains.

        Raises: ValueError for a rule with an empty label or an exception without a dot; TypeError.
        """
        rules: dict[tuple[str, ...], bool] = {}
        is_private = False
        for number, line in enumerate(names_argument(lines, "lines", "str"), 1):
            words = line.split()
            if words and line.startswith("//"):
                is_private = (is_private or _PRIVATE_BEGINS in line) and _PRIVATE_ENDS not in line
            elif words and (private or not is_private):
                rule = words[0].removeprefix("!")
                labels = _labels(rule)
                is_exception = rule != words[0]
                if not all(labels) or (is_exception and len(labels) < 2):
                    raise ArgumentError(message("suffix-malformed", line=number, rule=words[0]))
                rules[labels] = is_exception
        stars = {tuple(label == "*" for label in rule) for rule in rules if "*" in rule}
        self._fill(_rules=rules, _stars=stars, _found=lru_cache(maxsize=MAX_CACHED)(self._find))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SuffixList) and self._rules == other._rules

    def __hash__(self) -> int:
        return hash(frozenset(self._rules.items()))

    def __len__(self) -> int:
        """Return the number of rules."""
        return len(self._rules)

    def __repr__(self) -> str:
        return f"<SuffixList of {len(self):,} rules>"

    def __reduce__(self) -> tuple[Any, ...]:
        names = ((".".join(reversed(rule)), is_exception) for rule, is_exception in self._rules.items())
        return SuffixList, ([f"!{name}" if is_exception else name for name, is_exception in names],)

    def public_suffix(self, host: str) -> str | None:
        """Return the slice of a host that is its public suffix; None for IP addresses and empty labels.

        If no rule matches, the last label is the suffix. The dot at the end of a host is not part of it.
        Complexity: linear.
        """
        found = self._found(plain_argument(host, "host"))
        return found and found[0]

    def registrable_domain(self, host: str) -> str | None:
        """Return the slice of a host that is its registrable domain: its public suffix and one more label.

        None for a public suffix itself, and as :meth:`public_suffix`.
        """
        found = self._found(plain_argument(host, "host"))
        return found and found[1]

    def _find(self, host: str) -> tuple[str, str | None] | None:
        name = host.removesuffix(".")
        if not name or len(name) > MAX_NAME or name[0] == "[" or _is_ipv4(name):
            return None
        labels = _labels(name)
        if not all(labels):
            return None
        size = 1
        for count in range(1, len(labels) + 1):
            kind = self._kind(labels[:count])
            if kind:  # an exception prevails over all other rules
                size = count - 1
                break
            if kind is not None:
                size = count
        pieces = name.split(".")
        suffix = ".".join(pieces[-size:])
        return suffix, (".".join(pieces[-size - 1 :]) if len(pieces) > size else None)

    def _kind(self, labels: tuple[str, ...]) -> bool | None:
        """Return whether one of the rules of these labels is an exception; None without a rule."""
        kind = self._rules.get(labels)
        for stars in self._stars:
            if len(stars) == len(labels) and not kind:
                starred = tuple("*" if star else label for label, star in zip(labels, stars, strict=True))
                kind = self._rules.get(starred, kind)
        return kind


def suffix_list(path: str | os.PathLike[str], *, private: bool = True) -> SuffixList:
    """Read a list of public suffixes, such as public_suffix_list.dat of publicsuffix.org.

    Without ``private``, the rules of the section of private domains, such as ``github.io``, are omitted.

    Raises: OSError; ValueError for a file of more than 16 MiB, that is not UTF-8, or with a malformed rule;
    TypeError.
    """
    if not isinstance(path, os.PathLike):
        path = plain_argument(path, "path")
    with Path(path).open("rb") as stream:
        data = stream.read(MAX_LIST + 1)
    if len(data) > MAX_LIST:
        raise ArgumentError(message("suffixes-too-large", path=str(path), most=MAX_LIST))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArgumentError(message("suffixes-not-utf8", path=str(path), offset=error.start)) from None
    return SuffixList(text.split("\n"), private)


def _labels(name: str) -> tuple[str, ...]:
    """Return the labels of a name in their canonical form, the last one first."""
    return tuple(map(_canonical, reversed(name.split("."))))


@lru_cache(maxsize=4096)
def _canonical(label: str) -> str:
    label = label.lower()
    if label.startswith("xn--"):
        try:
            label = label[4:].encode("ascii").decode("punycode")
        except (UnicodeError, ValueError, OverflowError):
            return label
    return unicodedata.normalize("NFC", label).lower()


def _is_ipv4(name: str) -> bool:
    return name[-1].isdigit() and rule_of("rfc3986", "IPv4address").matches(name)
