"""Valid, but: what the grammar allows and a person seldom means. A table of rules, one for each kind.

None of these is a mistake by RFC 3986, and :func:`abnforge.uri.security` tells them beside what its section 7
warns of. Each rule is a regular expression that finds its place (the group ``at``) in a valid reference, and
one sentence. They were collected from threads where a tool or a person called a valid URI wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

_WEB = ("http", "https")


def _of_two(pair: str) -> set[str]:
    """What typing makes of two letters."""
    return {pair[::-1], pair[:1] * len(pair), pair[1:] * len(pair)} if len(pair) == 2 else set()


def _slips(*words: str) -> str:
    """A pattern of what typing makes of words: letters left out, doubled, swapped, or hit twice."""
    found = set[str]()
    for word in words:
        for at in range(len(word)):
            found |= {word[:at] + word[at + 1 :], word[: at + 1] + word[at:]}
            found |= {word[:at] + pair + word[at + 2 :] for pair in _of_two(word[at : at + 2])}
    return "|".join(sorted(found - set(words)))


@dataclass(frozen=True)
class Suspicion:
    """A kind of thing that is valid and suspected.

    ``warns`` is whether hardly anybody means it; the others are notes. ``section`` is RFC 3986's.
    """

    code: str
    warns: bool
    section: str
    pattern: str
    message: str

    @cached_property
    def finder(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.IGNORECASE)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where it is in a valid reference, from left to right. Cost: linear."""
        for match in self.finder.finditer(text):
            yield match.span("at")


_AUTHORITY = r"\A(?:[a-z][a-z0-9+.-]*:)?//(?:[^/?#@\[]*@)?"
_SCHEMES = r"(?:https?|ftps?|sftp|wss?|file|feed|socks[45]?[ah]?|ssh|git)"

SUSPICIONS = (
    Suspicion(
        "scheme-typo",
        True,
        "3.1",
        rf"\A(?P<at>{_slips(*_WEB)})://",
        "the scheme looks like http or https with a typo",
    ),
    Suspicion(
        "scheme-is-host",
        True,
        "3.1",
        r"\A(?P<at>localhost|[a-z](?:[a-z0-9-]*\.)+[a-z]{2,}):[0-9]{1,5}(?![0-9a-z.:])",
        "the scheme looks like a host; write '//' before the host",
    ),
    Suspicion(
        "scheme-without-colon",
        True,
        "4.2",
        r"\A(?P<at>https?)//",
        "this is the first segment of the path; write ':' after the scheme",
    ),
    Suspicion(
        "scheme-twice",
        True,
        "3.2.2",
        rf"\A[a-z][a-z0-9+.-]*://(?P<at>{_SCHEMES}(?::/|//))",
        "the host looks like a scheme; remove one of the two schemes",
    ),
    Suspicion(
        "one-slash",
        True,
        "3.2",
        r"\A(?:https?|ftps?|wss?):(?P<at>/)(?!/)",
        "one slash starts a path; write '//' before the host",
    ),
    Suspicion(
        "host-empty",
        False,
        "3.2.2",
        r"\A(?:https?|wss?)://(?:[^/?#@\[]*@)?(?P<at>)(?=(?::[0-9]*)?(?:[/?#]|\Z))",
        "the host is empty; http and https URIs must have a host",
    ),
    Suspicion(
        "drive-as-host",
        True,
        "3.2.2",
        r"\Afile://(?P<at>[a-z])(?::|%3A)",
        "the host looks like a Windows drive; write 'file:///' before the drive",
    ),
    Suspicion(
        "host-underscore",
        False,
        "3.2.2",
        rf"{_AUTHORITY}(?P<at>[^/?#:@\[]*_[^/?#:@\[]*)(?=[/?#:]|\Z)",
        "many programs reject an underscore in a host name; use a hyphen",
    ),
    Suspicion(
        "host-space",
        True,
        "3.2.2",
        rf"{_AUTHORITY}[^/?#:@\[]*?(?P<at>%20|%09|%C2%A0)(?=[^/?#@]*(?:[/?#]|\Z))",
        "percent-encoded space in the host; remove it",
    ),
    Suspicion(
        "port-empty",
        False,
        "3.2.3",
        rf"(?!file:){_AUTHORITY}(?!{_SCHEMES}:)(?:\[[^]]*\]|[^/?#:@\[]+)(?P<at>:)(?=/(?!/)|[?#]|\Z)",
        "the port is empty; remove the colon",
    ),
    Suspicion(
        "port-too-large",
        True,
        "3.2.3",
        rf"{_AUTHORITY}(?:\[[^]]*\]|[^/?#:@\[]*):"
        r"(?P<at>0*(?:6553[6-9]|655[4-9][0-9]|65[6-9][0-9]{2}|6[6-9][0-9]{3}|[7-9][0-9]{4}|[1-9][0-9]{5,}))(?=[/?#]|\Z)",
        "the port must be at most 65535",
    ),
    Suspicion(
        "invisible-encoded",
        True,
        "2.1",
        r"(?P<at>%E2%80%8[B-F]|%E2%81%A0|%EF%BB%BF|%C2%AD)",
        "percent-encoded invisible character, probably from a copied link; remove it",
    ),
    Suspicion(
        "html-entity",
        False,
        "2.2",
        r"(?P<at>&(?:amp|lt|gt|quot|nbsp);)",
        "this looks like an HTML character reference; write the character itself",
    ),
    Suspicion(
        "bracket-at-end",
        False,
        "2.2",
        r"\A[^()]*(?P<at>\))\Z",
        "closing parenthesis without an opening one; it may not belong to the URI",
    ),
)
